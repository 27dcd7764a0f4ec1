/* Joining positions that are near each other. */
#ifndef CELLPIPE_GRID_H
#define CELLPIPE_GRID_H

#include "../memory.h"

/* Goes through count positions (x y z each) in order: first[i] becomes the lowest index of an earlier position that
 * leads, lies within `distance` of position i and has the same class; where there is none, i leads itself. Leaders
 * are thus farther apart than `distance`. distance > 0. first: the caller's. Expected linear time. False when out of
 * memory. */
bool grid_join(cp_context *context, const float *positions, const uint32_t *classes, uint32_t count, double distance,
               uint32_t *first);

#endif
