/* The edges that a vertical line meets, from the lowest to the highest: a list, and a tree over it to find one's place.
 * */
#ifndef CELLPIPE_EDGE_ORDER_H
#define CELLPIPE_EDGE_ORDER_H

#include "../../memory.h"

struct ordered_edge {
    uint32_t below, above; /* in the list; CP_NONE at its ends */
    uint32_t parent, children[2];
    uint32_t from, to; /* points, from left to right */
    uint8_t height;    /* of the tree below, itself counted */
};

/* An AVL tree (Adelson-Velsky and Landis, 1962): the heights of two children differ by 1 at most. */
struct edge_order {
    const float (*points)[2];
    struct ordered_edge *edges;
    uint32_t root, lowest;
};

/* The highest edge below the point, or CP_NONE. */
uint32_t edge_order_find(const struct edge_order *order, uint32_t point);
/* Puts edges[place], whose from and to are set, above another, or below all (CP_NONE). */
void edge_order_insert(struct edge_order *order, uint32_t place, uint32_t below);
void edge_order_remove(struct edge_order *order, uint32_t place);

#endif
