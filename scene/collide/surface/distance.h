/* How far apart are bodies, or a point and a body? */
#ifndef CELLPIPE_DISTANCE_H
#define CELLPIPE_DISTANCE_H

#include "bvh.h"

/* The distance of a point from the surface of a body, up to rounding; `most` or more when it is farther than that. */
double surface_distance(const struct bvh *bvh, const double point[3], double most);
/* The distance of two surfaces, `placed` taking the other's frame to the first one's, or `most` where it is larger.
 * Never more than the distance is, so that it can bound it in a proof; less by what rounding did: some 1e-14 of the
 * largest coordinate r, and 1e-14 r^2 / distance. 0 where they meet. tests: boxes that were compared are added; one is
 * where the bodies are too far apart as a whole. */
double surfaces_distance(const struct bvh *one, const struct bvh *other, const cp_pose *placed, double most,
                         uint64_t *tests);
/* The first distance below `most` that is found, or `most` when they are as far apart as that. */
double surfaces_nearer(const struct bvh *one, const struct bvh *other, const cp_pose *placed, double most,
                       uint64_t *tests);
/* The distance of two triangles, or a little less than that; `most` when they are farther apart, which is then not
 * looked at more closely. slack: what rounding has done to the coordinates. */
double triangles_distance(const double one[3][3], const double other[3][3], double most, double slack);

#endif
