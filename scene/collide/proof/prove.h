/* A proof that two bodies never come near each other, whatever the joints between them do. */
#ifndef CELLPIPE_PROVE_H
#define CELLPIPE_PROVE_H

#include "../body/body.h"
#include "chain.h"
#include "ending.h"

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

/* Room to work in, for one thread. */
struct prover {
    struct arena *arena; /* of all arrays */
    const struct chain *chain;
    const struct body *bodies[2];
    double *boxes; /* the waiting ones: the lower ends of all variables, and the upper ones */
    uint32_t box_count, box_room, box_size;
    size_t number_room;     /* of numbers in boxes, whatever their size is */
    struct convex hulls[2]; /* placed in the common ancestor's frame */
    uint32_t most_motions;
    cp_pose *poses;            /* of the motions' joints there */
    cp_pose ends[2];           /* of the bodies */
    struct convex_start start; /* the last gap's: of a box next to the one that is looked at */
    /* Of the motions, about each body: its largest distance from the axis; less than 0 where not known. */
    double *radii[2];
    double *values;             /* for which they are */
    double *terms, *ball_terms; /* what each variable may take off the gap */
    double *reaches[2]; /* of the motions, for each body: how far from its origin the motion and those behind it may
                         * take the body */
    bool has_reaches;
    double *halves; /* of the box that is looked at */
    /* Of all motions in the order of the way, those before it move the first body; CP_NONE: not yet known. */
    uint32_t split;
    /* A point deep in both bodies at the box before, in the frame of each; and how far to look around it, in the common
     * ancestor's frame. */
    bool has_inside;
    double inside[2][3], inside_step;
    struct ending ending;
    uint32_t looks; /* boxes that were looked at since the clock was */
    bool is_late;   /* work was left because of the ending */
};

/* Room for chains of so many motions. False when out of memory; call prover_close even on failure. */
bool prover_open(struct prover *prover, cp_context *context, uint32_t most_motions);
void prover_close(struct prover *prover);

/* Bisects the box of the joint values between two bodies until in each part the gap at its middle is larger than all
 * that the joints can take off it (Schwarzer, Saha and Latombe's bound of motion, 2005, over boxes instead of paths).
 * chain: of the bodies' frames, which have their hulls. values[variable count] becomes the middle of the last box. */
struct proof prove_free(struct prover *prover, const struct chain *chain, const struct body *const bodies[2],
                        const struct proof_goal *goal, double *values);
/* Bisects the box until in each part a point is found that is deep enough in both bodies to stay in them: PROOF_FREE,
 * when they always touch; never PROOF_HIT. touch: metres, which they may be apart. Ends soon where they are not deep in
 * each other. */
struct proof prove_inside(struct prover *prover, const struct chain *chain, const struct body *const bodies[2],
                          double touch, uint64_t work, double *values);
/* The same as prove_free by several threads, one for each of the provers: what comes out does not depend on their
 * number. CP_LIMIT when out of memory or cancelled. */
cp_status prove_long(struct prover *const *provers, cp_context *context, const struct proof_goal *goal, double *values,
                     struct proof *proof);

/* Whether the search is to end; then work is left, and a proof ends undecided. */
bool prover_is_late(struct prover *prover);
/* No boxes wait, and nothing is known. */
void prover_begin(struct prover *prover, const struct chain *chain, const struct body *const bodies[2]);
/* Metres: the gap between the bodies' hulls at these values. */
double prover_gap(struct prover *prover, const double *values);

#endif
