/* Configurations at which the loops of a scene close: what random values of its joints are to chains without loops. */
#ifndef CELLPIPE_CLOSED_H
#define CELLPIPE_CLOSED_H

#include "../../build.h"
#include "ending.h"

enum { MOST_CONFIGURATIONS = 1000 };

struct configurations {
    uint32_t *groups; /* of the joints: that of the loops that hold it, or CP_NONE; NULL: the scene has no loops */
    double *values;   /* of all joints, for each configuration */
    uint32_t joint_count, count;
    struct arena *arena; /* of the arrays */
};

/* `wanted` configurations, at most MOST_CONFIGURATIONS, from random values of the driven joints between their limits;
 * where these cannot be reached, as near to them as loops close on the way from the scene's own values. Fewer where
 * free joints leave their limits, or after an early end; none without loops. The same seed gives the same ones. CP_NO,
 * with an entry in the report, if the loops do not close at the scene's own values; CP_LIMIT without memory. Call
 * configurations_free even on failure. */
cp_status configurations_find(struct configurations *configurations, cp_context *context, const cp_scene *scene,
                              uint32_t wanted, uint64_t seed, const struct ending *ending);
void configurations_free(struct configurations *configurations);

/* Of a joint that loops hold, or that drives one. */
static inline bool joint_is_in_loop(const struct configurations *configurations, uint32_t joint)
{
    return configurations->groups && configurations->groups[joint] != CP_NONE;
}

#endif
