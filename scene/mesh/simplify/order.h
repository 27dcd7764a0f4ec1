/* Vertices in the order of a curve through space: those that follow each other are near each other. */
#ifndef CELLPIPE_ORDER_H
#define CELLPIPE_ORDER_H

#include "surface.h"

struct key {
    uint64_t code;
    uint32_t vertex;
};

/* The vertices that live, which are their own parents, along the Morton curve of this round. keys: of all vertices; *count of
 * them are set. False when out of memory. */
bool order_vertices(const struct surface *surface, uint32_t round, struct key *keys, uint32_t *count);

#endif
