/* The convex hull of points. */
#ifndef CELLPIPE_HULL_H
#define CELLPIPE_HULL_H

#include "../../memory.h"
#include "convex.h"

struct hull {
    double (*points)[3]; /* the corners, each once, those of a cluster next to each other */
    uint32_t count;
    struct cluster *clusters; /* as struct convex has them; NULL where not all is exact, see below */
    uint32_t cluster_count;
    double volume; /* 0 where all points lie in a plane */
};

/* Exact: all points lie in the hull of the corners, and none of these in that of the others. Only where a coordinate is
 * so large or small that predicates are not exact any more, beyond 1e75 or within 1e-75 of zero, all points are kept,
 * and the volume is 0. n log n steps are to be expected, whatever the points are. CP_LIMIT without memory. Call
 * hull_free even on failure. */
cp_status hull_find(cp_context *context, const double (*points)[3], uint32_t count, struct hull *hull);
void hull_free(cp_context *context, struct hull *hull);

static inline struct convex hull_convex(const struct hull *hull)
{
    return (struct convex){.points = (const double(*)[3])hull->points,
                           .count = hull->count,
                           .clusters = hull->clusters,
                           .cluster_count = hull->cluster_count};
}

#endif
