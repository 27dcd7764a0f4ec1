/* The corners of a hull. */
#ifndef CELLPIPE_CORNERS_H
#define CELLPIPE_CORNERS_H

#include "hull.h"

/* Fills in the hull's points and volume. count is at least 1 and at most 2^30; size is the largest coordinate, or more
 * than 0. All that predicates are asked must be exact. */
cp_status find_corners(cp_context *context, const double (*points)[3], uint32_t count, double size, struct hull *hull);

#endif
