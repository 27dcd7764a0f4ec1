/* Verdicts on pairs of frames, and their proofs. */
#ifndef CELLPIPE_COLLIDE_PROOF_PROOF_H
#define CELLPIPE_COLLIDE_PROOF_PROOF_H

#include <stdbool.h>
#include <stdint.h>

#include "chain.h"
#include "collide/body/body.h"

/* When a search must end with what it has. */

struct ending {
    uint64_t deadline;        /* in milliseconds_now; 0: none */
    bool (*asks)(void *user); /* any thread may ask it; NULL: nobody asks for an end */
    void *user;
};

static inline bool can_end_early(const struct ending *ending)
{
    return ending->deadline > 0 || ending->asks;
}

static inline bool has_ended(const struct ending *ending)
{
    return (ending->asks && ending->asks(ending->user)) ||
           (ending->deadline > 0 && milliseconds_now() >= ending->deadline);
}

/* Configurations at which the loops of a scene close. They replace the random values that chains without loops take. */

enum { MOST_CONFIGURATIONS = 1000 };

struct configurations {
    uint32_t *groups; /* indexed by joint: the group of the loops that hold it, or CP_NONE; NULL: the scene has no
                       * loops */
    double *values;   /* values of all joints, for each configuration */
    uint32_t joint_count, count;
    struct arena *arena; /* of the arrays */
};

/* Finds `wanted` configurations, at most MOST_CONFIGURATIONS, from random values of the driven joints between their
 * limits. If such values cannot be reached, it takes the nearest to them at which the loops still close on the way from
 * the scene's own values. There are fewer where free joints leave their limits, or after an early end, and none without
 * loops. The same seed gives the same ones. CP_NO, with an entry in the report, if the loops do not close at the
 * scene's own values; CP_LIMIT without memory. Call configurations_free even on failure. */
cp_status configurations_find(struct configurations *configurations, cp_context *context, const cp_scene *scene,
                              uint32_t wanted, uint64_t seed, const struct ending *ending);
void configurations_free(struct configurations *configurations);

/* Tells whether a loop holds the joint, or the joint drives a loop. */
static inline bool joint_is_in_loop(const struct configurations *configurations, uint32_t joint)
{
    return configurations->groups && configurations->groups[joint] != CP_NONE;
}

/* A proof that two bodies touch however the joints between them turn. */

/* True when a point that no joint between the bodies moves lies in both of them, or within touch / 2 (metres) of both:
 * a point on the axis of the one joint, or the point that is common to the axes of several. False tells nothing. */
cp_status prove_touching(cp_context *context, const struct frame_chain *chain, const struct body *const bodies[2],
                         double touch, bool *touching);

/* A proof that two bodies never come near each other, whatever the joints between them do. */

struct proof_goal {
    double clearance; /* metres: more than this must stay between the bodies */
    uint64_t work;    /* at most so many bounds */
};

enum proof_end {
    PROOF_FREE,     /* proved */
    PROOF_HIT,      /* at `values` they are nearer than that, or so near to it that rounding does not tell */
    PROOF_UNDECIDED /* the work is used up, or an obstacle is in the way */
};

struct proof {
    enum proof_end end;
    uint64_t work; /* bounds that were computed: a gap of hulls is one, and so are 64 pairs of boxes of surfaces */
    double bound;  /* metres: in the boxes that were proved they are nowhere nearer; infinite without any */
};

struct ball {
    double centre[3], radius;
};

/* Room to work in, for one thread. */
struct prover {
    struct arena *arena; /* of all arrays */
    const struct frame_chain *chain;
    const struct body *bodies[2];
    double *boxes; /* the boxes that wait: the lower ends of all variables, then the upper ones */
    uint32_t box_count, box_room, box_size;
    size_t number_room;     /* room for numbers in boxes, whatever their size is */
    struct convex hulls[2]; /* placed in the common ancestor's frame */
    uint32_t most_motions;
    cp_pose *poses;            /* of the motions' joints there */
    cp_pose ends[2];           /* of the bodies */
    struct convex_start start; /* that of the last gap, which belongs to a neighbouring box */
    /* The largest distance of each body from the axis of each motion; less than 0 if unknown. */
    double *radii[2];
    double *values;             /* the values for which the radii are known */
    double *terms, *part_terms; /* what each variable may take off the gap */
    /* Indexed by motion, for each body: a ball in the frame of the motion's joint before it moves, which the body does
     * not leave whatever this motion and those between it and the body do. */
    struct ball *balls[2];
    bool has_balls;
    double *halves; /* of the present box */
    /* The motions before this place of the way move the first body, the others the second; CP_NONE: not yet known. */
    uint32_t split;
    /* A point deep in both bodies at the box before, in the frame of each; and how far to look around it, in the common
     * ancestor's frame. */
    bool has_inside;
    double inside[2][3], inside_step;
    struct ending ending;
    uint32_t looks; /* boxes since the clock was last asked */
    bool is_late;   /* work was left because of the ending */
};

/* Makes room for chains of so many motions. False when out of memory; call prover_close even on failure. */
bool prover_open(struct prover *prover, cp_context *context, uint32_t most_motions);
void prover_close(struct prover *prover);

/* Bisects the box of the joint values between two bodies until in each part the gap at its middle is larger than all
 * that the joints can take off it (Schwarzer, Saha and Latombe's bound of motion, 2005, over boxes instead of paths).
 * chain: of the bodies' frames, which have their hulls. values[variable count] becomes the middle of the last box. */
struct proof prove_free(struct prover *prover, const struct frame_chain *chain, const struct body *const bodies[2],
                        const struct proof_goal *goal, double *values);
/* Bisects the box until in each part a point is found that is deep enough in both bodies to stay in them. PROOF_FREE if
 * they always touch; never PROOF_HIT. touch: metres, which they may be apart. Ends soon if they are not deep in each
 * other. */
struct proof prove_inside(struct prover *prover, const struct frame_chain *chain, const struct body *const bodies[2],
                          double touch, uint64_t work, double *values);
/* Does the same as prove_free by several threads, one for each of the provers; the result does not depend on their
 * number. CP_LIMIT when out of memory or cancelled. */
cp_status prove_long(struct prover *const *provers, cp_context *context, const struct proof_goal *goal, double *values,
                     struct proof *proof);

/* Tells whether the search must end; then work is left, and a proof ends undecided. */
bool prover_is_late(struct prover *prover);
/* Forgets all boxes and what is known of the chain before. */
void prover_begin(struct prover *prover, const struct frame_chain *chain, const struct body *const bodies[2]);
/* Returns the gap between the bodies' hulls at these values, in metres. */
double prover_gap(struct prover *prover, const double *values);

/* A point so deep in both of two bodies that it stays in them whatever the joints do within a box. */

struct depth {
    bool common;  /* a common point was found, within half of the touch distance of each */
    double share; /* of what the joints can move at the best one, how much is within the depth; from 1 on they always
                     touch in the box */
};

/* Searches the box around the prover's present poses and ends, with the prover's halves. The terms become what each
 * variable moves at the best point. touch: in units of the common ancestor's frame. work: grows by the number of points
 * that were tried. */
struct depth look_inside(struct prover *prover, double touch, uint64_t *work);

/* The judgement on two bodies: do they never collide, always, or sometimes? */

struct judge_rules {
    double margin;         /* metres: bodies that are no farther apart count as colliding, as do those that touch */
    double touch;          /* metres: bodies that are no farther apart touch */
    const double *padding; /* indexed by node: metres that it adds to the margin of its pairs; NULL: none */
    uint32_t samples, descents;
    uint32_t always_samples;                     /* at least so many, of pairs that touch in all */
    uint64_t work;                               /* bounds of a proof, at most */
    struct ending ending;                        /* pairs that are not decided then stay so */
    const bool *movable;                         /* indexed by node: which may be moved or hung elsewhere */
    const struct configurations *configurations; /* the samples of chains in loops */
};

/* Returns the margin of a pair of nodes, before touch. */
static inline double margin_of(const struct judge_rules *rules, uint32_t one, uint32_t other)
{
    return rules->margin + (rules->padding ? rules->padding[one] + rules->padding[other] : 0);
}

enum judgement_status {
    JUDGED_STATIC,         /* nothing moves one against the other */
    JUDGED_MOVABLE,        /* a frame between them may be moved or hung elsewhere */
    JUDGED_ALWAYS_PROVED,  /* they touch whatever the joints do */
    JUDGED_ALWAYS_SAMPLED, /* they touched in all samples */
    JUDGED_NEVER_PROVED,   /* they never come as near as the margin */
    JUDGED_SOMETIMES,      /* there is a witness that they do */
    JUDGED_UNDECIDED
};

struct judgement {
    enum judgement_status status;
    uint32_t obstacles; /* to a proof */
    bool neighbours;    /* one moving joint lies between them */
    uint32_t variables; /* joints that move one against the other */
    uint64_t key;       /* the caller's, for the random numbers of the pair */
    uint32_t samples, hits, descents;
    uint64_t work;      /* of all proofs */
    uint64_t next_work; /* work of the one that comes next; 0: none */
    /* Metres: once they are proved never to meet, a lower bound of their distance; else the smallest distance that was
     * found; infinite if none was. */
    double clearance;
    const cp_finding *known; /* an earlier run's, in place of a search; or NULL */
    bool waits;              /* for judge_at_length */
    bool is_cut;             /* the time ran out before all was done that may decide it */
    bool in_loops;           /* loops hold some of the joints: only samples have witnesses */
    bool unprovable;         /* they collide where loops are open, and a proof takes the loops' joints as free */
    bool witnessed;
    double *witness; /* room for the variables: in this configuration they collide; before that, the nearest one */
    uint32_t configuration; /* with loops: its number in the rules, which have the values of all joints; or CP_NONE */
};

/* Room for one thread. */
struct judge {
    const struct judge_rules *rules;
    struct frame_chain chain;
    struct prover prover;
    double *values, *tries; /* of the variables */
    double margin;          /* of the pair, at least touch */
    bool in_loops;          /* as in the judgement */
    uint32_t configuration; /* whose the values are, or CP_NONE */
};

/* Opens a judge. `rules` and the scene must outlive it. Returns false if out of memory; call judge_close even on
 * failure. */
bool judge_open(struct judge *judge, cp_context *context, const struct judge_rules *rules, const struct bodies *bodies);
void judge_close(struct judge *judge, cp_context *context);

/* Tells whether the search must end. */
bool judge_is_late(struct judge *judge);

/* Decides the pairs that need no search: static, movable and always touching ones. Others become UNDECIDED. The judge's
 * chain becomes that between the bodies. CP_LIMIT without memory. */
cp_status judge_at_once(struct judge *judge, cp_context *context, const struct body *const bodies[2],
                        struct judgement *judgement);
/* Takes the first step of judge_by_search alone, a short proof; true if it decides the pair. Else the judgement is as
 * before, or has a witness, and judge_by_search begins anew. */
bool judge_shortly(struct judge *judge, const struct body *const bodies[2], struct judgement *judgement);
/* Takes the other steps: samples, descents and proofs that are not long. judgement: as judge_at_once left it, with a
 * key and room for a witness. Needs no memory, and so no context. */
void judge_by_search(struct judge *judge, const struct body *const bodies[2], struct judgement *judgement);
/* Takes the next step for a pair that waits: descents and a long proof by all threads, each of which has a judge. The
 * pair waits again if a longer proof may decide it. CP_LIMIT when out of memory or cancelled. */
cp_status judge_at_length(struct judge *judges, cp_context *context, uint32_t threads,
                          const struct body *const bodies[2], struct judgement *judgement);

/* All pairs of frames that may collide, and the judgement on each. */

struct exclusion {
    uint32_t bodies[2]; /* the one whose frame's name comes first, first */
    struct judgement judgement;
};

struct exclusion_list {
    struct bodies bodies;
    struct exclusion *items; /* sorted by the names of the frames */
    uint32_t count, room;
    struct configurations configurations;
    double *witnesses;
    size_t witness_room;
};

/* A pair that an earlier run has decided, by a proof or a witness. */
struct known_pair {
    uint64_t nodes; /* unordered_pair */
    enum judgement_status status;
    cp_finding finding;
};

struct known_pairs {
    struct arena *arena;
    struct known_pair *items; /* sorted by nodes, each once */
    uint32_t count;
    uint32_t listed; /* how many the earlier run had, held or not */
};

/* Orders two known pairs by their nodes. */
int known_pair_compare(const void *a, const void *b);

struct exclusion_rules {
    struct judge_rules judge;
    uint64_t seed;                   /* of the random numbers */
    const bool *wanted;              /* indexed by node: only pairs with a node that is set; NULL: all pairs */
    const struct known_pairs *known; /* which are not judged again; NULL: none */
};

/* Finds the bodies of the scene, and no pairs yet. Call exclusions_free even on failure. */
cp_status exclusions_open(struct exclusion_list *exclusions, cp_context *context, const cp_scene *scene);
/* Judges the pairs of the bodies by the context's threads. The result depends neither on their number nor on the order
 * of the frames. */
cp_status exclusions_find(struct exclusion_list *exclusions, cp_context *context, const struct exclusion_rules *rules);
void exclusions_free(struct exclusion_list *exclusions, cp_context *context);

#endif
