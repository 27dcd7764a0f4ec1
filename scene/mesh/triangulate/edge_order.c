#include "triangulate.h"

enum side { LOWER, HIGHER };

uint32_t edge_order_find(const struct edge_order *order, uint32_t point)
{
    uint32_t found = CP_NONE;
    for (uint32_t at = order->root; at != CP_NONE;) {
        const struct ordered_edge *edge = &order->edges[at];
        bool above = side_of_points(order->points[edge->from], order->points[edge->to], order->points[point]) > 0;
        found = above ? at : found;
        at = edge->children[above ? HIGHER : LOWER];
    }
    return found;
}

/* ---- the tree ---- */

static int height_of(const struct edge_order *order, uint32_t place)
{
    return place == CP_NONE ? 0 : order->edges[place].height;
}

static void set_height(struct edge_order *order, uint32_t place)
{
    int lower = height_of(order, order->edges[place].children[LOWER]);
    int higher = height_of(order, order->edges[place].children[HIGHER]);
    order->edges[place].height = (uint8_t)((lower > higher ? lower : higher) + 1);
}

static void set_child(struct edge_order *order, uint32_t parent, enum side side, uint32_t child)
{
    order->edges[parent].children[side] = child;
    if (child != CP_NONE)
        order->edges[child].parent = parent;
}

static enum side side_of(const struct edge_order *order, uint32_t place)
{
    return order->edges[order->edges[place].parent].children[HIGHER] == place ? HIGHER : LOWER;
}

/* Puts a place, or nothing, where another one is in the tree. */
static void replace(struct edge_order *order, uint32_t place, uint32_t by)
{
    uint32_t parent = order->edges[place].parent;
    if (parent != CP_NONE) {
        set_child(order, parent, side_of(order, place), by);
        return;
    }
    order->root = by;
    if (by != CP_NONE)
        order->edges[by].parent = CP_NONE;
}

/* Exchanges a place and its parent by a rotation. */
static void rotate_up(struct edge_order *order, uint32_t place)
{
    uint32_t parent = order->edges[place].parent;
    enum side side = side_of(order, place), other = side == LOWER ? HIGHER : LOWER;
    replace(order, parent, place);
    set_child(order, parent, side, order->edges[place].children[other]);
    set_child(order, place, other, parent);
    set_height(order, parent);
    set_height(order, place);
}

/* Restores all heights from a place up. If one child is higher than the other by 2, it is rotated up; before that its
 * inner child, if that makes it so high. */
static void mend(struct edge_order *order, uint32_t place)
{
    for (; place != CP_NONE; place = order->edges[place].parent) {
        set_height(order, place);
        const uint32_t *children = order->edges[place].children;
        int lean = height_of(order, children[HIGHER]) - height_of(order, children[LOWER]);
        if (lean >= -1 && lean <= 1)
            continue;
        enum side outer = lean > 0 ? HIGHER : LOWER, inner = lean > 0 ? LOWER : HIGHER;
        uint32_t child = children[outer], grandchild = order->edges[child].children[inner];
        if (height_of(order, grandchild) > height_of(order, order->edges[child].children[outer])) {
            rotate_up(order, grandchild);
            child = grandchild;
        }
        rotate_up(order, child);
        place = child;
    }
}

/* ---- both ---- */

void edge_order_insert(struct edge_order *order, uint32_t place, uint32_t below)
{
    struct ordered_edge *edge = &order->edges[place];
    edge->below = below;
    edge->above = below == CP_NONE ? order->lowest : order->edges[below].above;
    *(below == CP_NONE ? &order->lowest : &order->edges[below].above) = place;
    if (edge->above != CP_NONE)
        order->edges[edge->above].below = place;
    edge->children[LOWER] = edge->children[HIGHER] = edge->parent = CP_NONE;
    /* One of two neighbours in the list is below the other in the tree, and has no child on the side between them. */
    if (below != CP_NONE && order->edges[below].children[HIGHER] == CP_NONE)
        set_child(order, below, HIGHER, place);
    else if (edge->above != CP_NONE)
        set_child(order, edge->above, LOWER, place);
    else
        order->root = place;
    mend(order, place);
}

void edge_order_remove(struct edge_order *order, uint32_t place)
{
    const struct ordered_edge *edge = &order->edges[place];
    uint32_t lower = edge->children[LOWER], higher = edge->children[HIGHER];
    if (lower != CP_NONE && higher != CP_NONE) {
        /* Replace it by the next one above, which has no lower child. */
        uint32_t next = edge->above, from = order->edges[next].parent;
        replace(order, next, order->edges[next].children[HIGHER]);
        replace(order, place, next);
        set_child(order, next, LOWER, lower);
        set_child(order, next, HIGHER, edge->children[HIGHER]);
        mend(order, from == place ? next : from);
    } else {
        replace(order, place, lower != CP_NONE ? lower : higher);
        mend(order, edge->parent);
    }
    *(edge->below == CP_NONE ? &order->lowest : &order->edges[edge->below].above) = edge->above;
    if (edge->above != CP_NONE)
        order->edges[edge->above].below = edge->below;
}
