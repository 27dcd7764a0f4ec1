/* How far apart are bodies, or a point and a body? */
#ifndef CELLPIPE_DISTANCE_H
#define CELLPIPE_DISTANCE_H

#include "bvh.h"

/* The distance of a point from the surface of a body, up to rounding; `most` or more when it is farther than that. */
double surface_distance(const struct bvh *bvh, const double point[3], double most);
/* The same of two surfaces, `placed` taking the other's frame to the first one's; 0 or next to it where they meet. tests: boxes that were
 * compared are added. */
double surfaces_distance(const struct bvh *one, const struct bvh *other, const cp_pose *placed, double most,
                         uint64_t *tests);
/* The square of the distance of two triangles, up to rounding; 0 where they meet. */
double triangles_distance(const double one[3][3], const double other[3][3]);

#endif
