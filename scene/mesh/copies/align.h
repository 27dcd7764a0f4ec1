/* The motion that takes one set of points to another. */
#ifndef CELLPIPE_MESH_ALIGN_H
#define CELLPIPE_MESH_ALIGN_H

#include "../../cellpipe.h"

/* Points from[i] and to[map[i]], or to[i] when map is NULL: count of x y z each. */
struct point_pairs {
    const float *from, *to;
    const uint32_t *map;
    uint32_t count;
};

/* The rotation and translation, with a reflection first when mirrored and a uniform scale when scaled, that has the
 * least sum of squared distances between from[i] moved and its partner. Points on a line or all in one place leave
 * freedom: then one of the best, always the same. If it is a motion along the axes but for 1e-4, and such a one will
 * do, it is that. *displaced: the largest distance between from[i] moved and its partner. False when it is larger than
 * the tolerance; then *displaced is some such distance. */
bool align_points(const struct point_pairs *pairs, bool mirrored, bool scaled, double tolerance, cp_pose *motion,
                  double *displaced);

#endif
