/* Boxes that are turned as what is in them is: how far does that go along a direction? */
#ifndef CELLPIPE_TURNED_H
#define CELLPIPE_TURNED_H

#include "bvh.h"

/* Three floats that are computed with at once; the fourth has its own meaning. */
typedef float lanes __attribute__((vector_size(16)));
typedef int32_t lane_bits __attribute__((vector_size(16)));

static inline lanes lane_sizes(lanes values)
{
    static const lane_bits all_but_sign = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
    return (lanes)((lane_bits)values & all_but_sign);
}

/* Along a direction, which is nearly a unit vector or shorter, nothing in the box is farther than `*most` from
 * `middle`: up to roundings of its own numbers, which the caller takes off. */
static inline void turned_along(const struct turned_box *box, const float direction[3], float *middle, float *most)
{
    lanes rows[4];
    memcpy(rows, box, sizeof rows);
    lanes along = rows[0] * direction[0] + rows[1] * direction[1] + rows[2] * direction[2];
    lanes reach = lane_sizes(along) * rows[3];
    *middle = along[3];
    *most = reach[0] + reach[1] + reach[2];
}

/* The box of the triangles from `first` on, the smaller one of those along the frame's axes and along their own. */
void turned_box_find(const struct bvh *bvh, uint32_t first, uint32_t count, struct turned_box *box);

#endif
