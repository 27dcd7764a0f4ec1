/* All pairs of frames that may collide, and what is known of each. */
#ifndef CELLPIPE_EXCLUSIONS_H
#define CELLPIPE_EXCLUSIONS_H

#include "judge.h"

struct exclusion {
    uint32_t bodies[2]; /* the one whose frame's name comes first, first */
    struct judgement judgement;
};

struct exclusions {
    struct bodies bodies;
    struct exclusion *items; /* by the names of the frames */
    uint32_t count, room;
    struct configurations configurations;
    double *witnesses;
    size_t witness_room;
};

struct exclusion_rules {
    struct judge_rules judge;
    uint64_t seed;      /* of the random numbers */
    const bool *wanted; /* of the nodes: pairs that have one of these; NULL: all pairs */
};

/* The bodies of the scene, and no pairs yet. Call exclusions_free even on failure. */
cp_status exclusions_open(struct exclusions *exclusions, cp_context *context, const cp_scene *scene);
/* Judges the pairs of the bodies by the context's threads: what comes out depends neither on their number nor on the
 * order of the frames. */
cp_status exclusions_find(struct exclusions *exclusions, cp_context *context, const struct exclusion_rules *rules);
void exclusions_free(struct exclusions *exclusions, cp_context *context);

#endif
