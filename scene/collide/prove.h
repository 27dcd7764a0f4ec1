/* A proof that two bodies never come near each other, whatever the joints between them do. */
#ifndef CELLPIPE_PROVE_H
#define CELLPIPE_PROVE_H

#include "chain.h"
#include "convex.h"

struct proof_goal {
    double clearance; /* metres: more than this must stay between the bodies */
    uint64_t work;    /* at most so many gaps are looked at */
};

enum proof_end {
    PROOF_FREE,     /* proved */
    PROOF_HIT,      /* at `values` the hulls overlap, or are as near as rounding tells apart */
    PROOF_UNDECIDED /* the work is used up, or an obstacle is in the way */
};

struct proof {
    enum proof_end end;
    uint64_t work;  /* gaps that were looked at */
    double nearest; /* the smallest gap among them */
};

/* Bisects the box of the joint values between two bodies until in each part the gap at its middle is larger than all that the joints can
 * take off it (Schwarzer, Saha and Latombe's bound of motion, 2005, over boxes instead of paths). Sound for anything that lies in the
 * hulls. hulls: in the frames of the chain's ends. values[variable count] becomes the middle of the last box. CP_LIMIT without memory. */
cp_status prove_free(const struct chain *chain, const struct convex hulls[2], const struct proof_goal *goal,
                     double *values, struct proof *proof);

#endif
