#include "edge_order.h"
#include "../polygon.h"

enum side { LOWER, HIGHER };

/* Murmur's last steps: they take neighbouring places far apart. */
static uint32_t priority_of(uint32_t place)
{
    place = (place ^ place >> 16) * 0x85ebca6bu;
    place = (place ^ place >> 13) * 0xc2b2ae35u;
    return place ^ place >> 16;
}

uint32_t edge_order_find(const struct edge_order *order, uint32_t point)
{
    uint32_t found = CP_NONE;
    for (uint32_t at = order->root; at != CP_NONE;) {
        const struct ordered_edge *edge = &order->edges[at];
        bool above = triangle_area(order->points[edge->from], order->points[edge->to], order->points[point]) > 0;
        found = above ? at : found;
        at = edge->children[above ? HIGHER : LOWER];
    }
    return found;
}

static enum side side_of(const struct edge_order *order, uint32_t place)
{
    return order->edges[order->edges[place].parent].children[HIGHER] == place ? HIGHER : LOWER;
}

/* Hangs a place, or nothing, where another one hangs. */
static void replace(struct edge_order *order, uint32_t place, uint32_t by)
{
    uint32_t parent = order->edges[place].parent;
    if (parent == CP_NONE)
        order->root = by;
    else
        order->edges[parent].children[side_of(order, place)] = by;
    if (by != CP_NONE)
        order->edges[by].parent = parent;
}

/* Turns a place and its parent round. */
static void rotate_up(struct edge_order *order, uint32_t place)
{
    uint32_t parent = order->edges[place].parent;
    enum side side = side_of(order, place), other = side == LOWER ? HIGHER : LOWER;
    uint32_t between = order->edges[place].children[other];
    replace(order, parent, place);
    order->edges[parent].children[side] = between;
    if (between != CP_NONE)
        order->edges[between].parent = parent;
    order->edges[place].children[other] = parent;
    order->edges[parent].parent = place;
}

static void link_edge(struct edge_order *order, uint32_t place, uint32_t below)
{
    struct ordered_edge *edge = &order->edges[place];
    edge->below = below;
    edge->above = below == CP_NONE ? order->lowest : order->edges[below].above;
    if (below == CP_NONE)
        order->lowest = place;
    else
        order->edges[below].above = place;
    if (edge->above != CP_NONE)
        order->edges[edge->above].below = place;
}

void edge_order_insert(struct edge_order *order, uint32_t place, uint32_t below)
{
    struct ordered_edge *edge = &order->edges[place];
    link_edge(order, place, below);
    edge->children[LOWER] = edge->children[HIGHER] = CP_NONE;
    /* Of two neighbours in the list one is below the other in the tree, and has no child between them. */
    bool hangs_below = below != CP_NONE && order->edges[below].children[HIGHER] == CP_NONE;
    edge->parent = hangs_below ? below : edge->above;
    if (edge->parent == CP_NONE)
        order->root = place;
    else
        order->edges[edge->parent].children[hangs_below ? HIGHER : LOWER] = place;
    while (edge->parent != CP_NONE && priority_of(edge->parent) < priority_of(place))
        rotate_up(order, place);
}

void edge_order_remove(struct edge_order *order, uint32_t place)
{
    struct ordered_edge *edge = &order->edges[place];
    while (edge->children[LOWER] != CP_NONE && edge->children[HIGHER] != CP_NONE) {
        bool lower = priority_of(edge->children[LOWER]) > priority_of(edge->children[HIGHER]);
        rotate_up(order, edge->children[lower ? LOWER : HIGHER]);
    }
    replace(order, place, edge->children[edge->children[LOWER] != CP_NONE ? LOWER : HIGHER]);
    if (edge->below == CP_NONE)
        order->lowest = edge->above;
    else
        order->edges[edge->below].above = edge->above;
    if (edge->above != CP_NONE)
        order->edges[edge->above].below = edge->below;
}
