/* Convex hulls, and the gap between two. */
#ifndef CELLPIPE_COLLIDE_HULL_HULL_H
#define CELLPIPE_COLLIDE_HULL_HULL_H

#include <stdbool.h>
#include <stdint.h>

#include "cellpipe.h"

/* Convex hulls of points: how far apart are two? */

/* A box around points, from which one sees that none of them can be the one that is looked for. */
struct cluster {
    double centre[3], half[3];
};
enum { CLUSTER = 16 }; /* points */

/* The hull of points. */
struct convex {
    const double (*points)[3];
    uint32_t count;                 /* at least 1 */
    uint32_t cluster_count;         /* 0: there are none */
    const struct cluster *clusters; /* the first is of all points, the others of CLUSTER each, in their order */
    const cp_pose *pose;            /* takes the points to where they are; NULL: they are there */
};

struct gap {
    double low;       /* the distance is at least this; 0 where they may touch */
    double normal[3]; /* a unit vector, from the first hull to the second, along which they are `low` apart; where low
                         is 0 any */
    double high;      /* the distance of two points of the hulls, the nearest that were found, up to rounding */
    bool overlap;     /* a common point was found, up to rounding */
};

/* Where a search ended, as numbers of points of both hulls. All 0: nothing is known. */
struct convex_start {
    uint32_t pairs[3][2];
    uint32_t count;
};

/* The gap between two hulls: low is right whatever the search found, as any direction in which the hulls do not overlap
 * parts them (Gilbert, Johnson and Keerthi, 1988); what rounding may do is taken off. As soon as it is above `enough`
 * the search ends. start: where the search between the same hulls, at other poses, ended; it is set to where this one
 * does. */
struct gap convex_gap(const struct convex *one, const struct convex *other, double enough, struct convex_start *start);

/* The largest distance of any point from a line, up to rounding. axis: a unit vector. */
double convex_radius(const struct convex *convex, const double axis[3], const double origin[3]);

/* The convex hull of points. */

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

/* The corners of a hull. */

/* Fills in the hull's points and volume. count is at least 1 and at most 2^30; size is the largest coordinate, or more
 * than 0. All that predicates are asked must be exact. */
cp_status find_corners(cp_context *context, const double (*points)[3], uint32_t count, double size, struct hull *hull);

#endif
