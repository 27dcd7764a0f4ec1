/* Do two triangles meet? */
#ifndef CELLPIPE_TRIANGLES_H
#define CELLPIPE_TRIANGLES_H

#include <stdbool.h>

/* True when the triangles have a point in common, borders included: exact (see predicates.h), for triangles in one
 * plane too, and for those without area, which are lines or points. */
bool triangles_meet(const double one[3][3], const double other[3][3]);

#endif
