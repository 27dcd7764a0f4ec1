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
 * freedom: then one of the best, always the same. */
cp_pose align_points(const struct point_pairs *pairs, bool mirrored, bool scaled);
/* The pose with entries of its linear part that are within 1e-4 of 0, 1 or -1 (times its scale) made so, and the
 * translation to fit; itself when not all nine are. */
cp_pose align_to_axes(const struct point_pairs *pairs, const cp_pose *pose);
/* The largest distance between from[i] moved by the pose and its partner; more than `limit` once one exceeds it. */
double align_deviation(const struct point_pairs *pairs, const cp_pose *pose, double limit);

#endif
