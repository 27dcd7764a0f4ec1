/* Triangles of polygons whose corners lie in no plane: those of the least area, so that they bend where the outline
 * bends and nowhere else. */
#ifndef CELLPIPE_BENT_H
#define CELLPIPE_BENT_H

#include "../polygon.h"

/* The corners lie farther from a plane than roundings bring them: by a thousandth of the polygon's size. */
bool polygon_is_bent(const struct polygon *polygon);
/* The triangles with the least area in sum, of all that cover the polygon once as it is seen along its normal's largest
 * component: 3 corner numbers each. CP_NO, and nothing is written, for polygons of more than BENT_MOST_EXACT corners,
 * and for those that no such triangles cover, as they cross or touch themselves. */
enum { BENT_MOST_EXACT = 32 };
cp_status bent_cut(const struct polygon *polygon, uint32_t *triangles);
/* Turns diagonals of triangles that cover the polygon once, as long as that lessens their area and they still cover it
 * once. n log n. CP_LIMIT without memory. */
cp_status bent_turn_diagonals(cp_context *context, const struct polygon *polygon, uint32_t *triangles);

#endif
