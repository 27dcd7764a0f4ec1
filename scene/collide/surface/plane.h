/* Planes without bounds: a normal and a number; the height of a point is normal * point + number. */
#ifndef CELLPIPE_PLANE_H
#define CELLPIPE_PLANE_H

#include "bvh.h"

/* The plane as it is seen from a frame that `placed` takes to the plane's own. */
void plane_seen_from(const double plane[4], const cp_pose *placed, double seen[4]);
/* The least height of a triangle's point above or below the plane; 0 when a triangle goes through it. What has pieces
 * on both sides does not meet it for that. `most` when it is more than that, or there are no triangles. */
double plane_distance(const double plane[4], const struct bvh *bvh, double most);

#endif
