/* What is known of two bodies: do they never collide, always, or sometimes? */
#ifndef CELLPIPE_JUDGE_H
#define CELLPIPE_JUDGE_H

#include "../body/body.h"
#include "chain.h"
#include "closed.h"
#include "prove.h"

struct judge_rules {
    double margin; /* metres: what is not farther apart counts as colliding; at least touch */
    double touch;  /* metres: what is not farther apart touches */
    uint32_t samples, descents;
    uint32_t always_samples;                     /* at least so many, of pairs that touch in all */
    uint64_t work;                               /* bounds of a proof, at most */
    struct ending ending;                        /* what is not decided then stays so */
    const bool *movable;                         /* of the nodes: which may be moved or hung elsewhere */
    const struct configurations *configurations; /* the samples of chains in loops */
};

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
    uint64_t next_work; /* of the one that comes next; 0: none */
    /* Metres: once proved never to meet, a bound that they are nowhere nearer than; else the smallest distance that was
     * met with; infinite without. */
    double clearance;
    bool waits;      /* for judge_at_length */
    bool is_cut;     /* the time ran out before all was done that may decide it */
    bool in_loops;   /* loops hold some of the joints: only samples have witnesses */
    bool unprovable; /* they collide where loops are open, and a proof takes the loops' joints as free */
    bool witnessed;
    double *witness;        /* room for the variables: in this configuration they collide */
    uint32_t configuration; /* with loops: of the rules, which tells the values of all joints; or CP_NONE */
};

/* Room for one thread. */
struct judge {
    const struct judge_rules *rules;
    struct chain chain;
    struct prover prover;
    double *values, *tries; /* of the variables */
    bool in_loops;          /* as in the judgement */
    uint32_t configuration; /* whose the values are, or CP_NONE */
};

/* rules and scene stay the caller's. False when out of memory; call judge_close even on failure. */
bool judge_open(struct judge *judge, cp_context *context, const struct judge_rules *rules, const struct bodies *bodies);
void judge_close(struct judge *judge, cp_context *context);

/* Whether the search is to end. */
bool judge_is_late(struct judge *judge);

/* What takes no search: static, movable and always touching pairs; for others UNDECIDED. The judge's chain is that
 * between the bodies then. CP_LIMIT without memory. */
cp_status judge_at_once(struct judge *judge, cp_context *context, const struct body *const bodies[2],
                        struct judgement *judgement);
/* The first step of judge_by_search alone, a short proof: whether it decides the pair. Else the judgement is as before,
 * or has a witness, and judge_by_search begins anew. */
bool judge_shortly(struct judge *judge, const struct body *const bodies[2], struct judgement *judgement);
/* The rest, by samples, descents and proofs that are not long; judgement: as judge_at_once left it, with a key and room
 * for a witness. Needs no memory, and so no context. */
void judge_by_search(struct judge *judge, const struct body *const bodies[2], struct judgement *judgement);
/* The next step for a pair that waits: descents and a long proof by all threads, each of which has a judge. The pair
 * waits again if a longer proof may decide it. CP_LIMIT when out of memory or cancelled. */
cp_status judge_at_length(struct judge *judges, cp_context *context, uint32_t threads,
                          const struct body *const bodies[2], struct judgement *judgement);

#endif
