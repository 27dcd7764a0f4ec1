/* Convex hulls, and the gap between two. */
#ifndef CELLPIPE_COLLIDE_HULL_HULL_H
#define CELLPIPE_COLLIDE_HULL_HULL_H

#include <stdbool.h>
#include <stdint.h>

#include "cellpipe.h"

/* Convex hulls of points, and the gap between two of them. */

/* A box around some points. It tells whether one of them can be the farthest, without a look at each. */
struct cluster {
    double centre[3], half[3];
};
enum { CLUSTER = 16 }; /* points */

/* The hull of points. */
struct convex {
    const double (*points)[3];
    uint32_t count;                 /* at least 1 */
    uint32_t cluster_count;         /* 0: there are none */
    const struct cluster *clusters; /* the first is a box of all points, the others hold CLUSTER points each, in their
                                     * order */
    const cp_pose *pose;            /* takes the points to where they are; NULL: they are there */
};

struct hull_gap {
    double low;       /* the distance is at least this; 0 where they may touch */
    double normal[3]; /* a unit vector, from the first hull to the second, along which they are `low` apart; any if low
                       * is 0 */
    double high;      /* the distance of two points of the hulls, the nearest that were found, up to rounding */
    bool overlap;     /* a common point was found, up to rounding */
};

/* The end of a search, as numbers of points of both hulls. A struct of zeros is a search from nowhere. */
struct convex_start {
    uint32_t pairs[3][2];
    uint32_t count;
};

/* Finds the gap between two hulls by the distance algorithm of Gilbert, Johnson and Keerthi (1988). low is a true bound
 * whatever the search found: any direction in which the hulls do not overlap separates them, and rounding is taken off.
 * As soon as low is above `enough`, the search ends. start: the end of the search between the same hulls at other
 * poses; it becomes the end of this one. */
struct hull_gap convex_gap(const struct convex *one, const struct convex *other, double enough,
                           struct convex_start *start);

/* Returns the largest distance of any point from a line, up to rounding. axis: a unit vector. */
double convex_radius(const struct convex *convex, const double axis[3], const double origin[3]);
/* Finds between which heights along a direction the points lie, up to rounding. */
void convex_range(const struct convex *convex, const double direction[3], double *low, double *high);

/* The convex hull of points. */

struct hull {
    double (*points)[3]; /* the corners, each once, those of a cluster next to each other */
    uint32_t count;
    struct cluster *clusters; /* as struct convex has them; NULL where not all is exact, see below */
    uint32_t cluster_count;
    double volume; /* 0 where all points lie in a plane */
};

/* Finds the hull exactly: all points lie in the hull of the corners, and no corner lies in that of the others. If a
 * coordinate is beyond 1e75 or within 1e-75 of zero, predicates are not exact any more; then all points are kept, and
 * the volume is 0. The expected time is n log n, whatever the points are. CP_LIMIT without memory. Call hull_free even
 * on failure. */
cp_status hull_find(cp_context *context, const double (*points)[3], uint32_t count, struct hull *hull);
void hull_free(cp_context *context, struct hull *hull);

static inline struct convex hull_convex(const struct hull *hull)
{
    return (struct convex){.points = (const double(*)[3])hull->points,
                           .count = hull->count,
                           .clusters = hull->clusters,
                           .cluster_count = hull->cluster_count};
}

/* The corners of a hull. */

/* Sets the hull's points and volume. count is at least 1 and at most 2^30; size is the largest coordinate, or more than
 * 0. All that predicates compute must be exact. */
cp_status find_corners(cp_context *context, const double (*points)[3], uint32_t count, double size, struct hull *hull);

#endif
