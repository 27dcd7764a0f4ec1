/* Triangles of any polygon that does not cross itself in n log n, however contorted it is. */
#ifndef CELLPIPE_SWEEP_LINE_H
#define CELLPIPE_SWEEP_LINE_H

#include "../../memory.h"

/* Cuts the polygon of `count` >= 3 corners, points[corners[0 .. count)], counter-clockwise, into count - 2 triangles of
 * three corner numbers each, none of negative area. CP_NO, with anything in triangles, when it finds that the polygon
 * crosses or touches itself; CP_LIMIT without memory. */
cp_status sweep_line_cut(cp_context *context, const float (*points)[2], const uint32_t *corners, uint32_t count,
                         uint32_t *triangles);

#endif
