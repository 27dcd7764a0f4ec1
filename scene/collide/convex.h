/* Convex hulls of points: how far apart are two? */
#ifndef CELLPIPE_CONVEX_H
#define CELLPIPE_CONVEX_H

#include <stdbool.h>
#include <stdint.h>

/* The hull of points, in one frame. */
struct convex {
    const double (*points)[3];
    uint32_t count; /* at least 1 */
};

struct gap {
    double low; /* the distance is at least this; 0 where they may touch */
    double normal
        [3]; /* a unit vector, from the first hull to the second, along which they are `low` apart; where low is 0 any */
    bool overlap; /* a common point was found, up to rounding */
};

/* The gap between two hulls: low is right whatever the search found, as any direction in which the hulls do not overlap parts them
 * (Gilbert, Johnson and Keerthi, 1988); what rounding may do is taken off. As soon as it is above `enough` the search ends. */
struct gap convex_gap(const struct convex *one, const struct convex *other, double enough);

#endif
