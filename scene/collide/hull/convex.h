/* Convex hulls of points: how far apart are two? */
#ifndef CELLPIPE_CONVEX_H
#define CELLPIPE_CONVEX_H

#include <stdbool.h>
#include <stdint.h>

#include "../../pose.h"

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

#endif
