/* Declares what searches in space need: exact predicates, trees of boxes, sorting, sums. */
#ifndef CELLPIPE_MESH_BOX_TREE_H
#define CELLPIPE_MESH_BOX_TREE_H

#include <math.h>
#include <stdint.h>

#include "cellpipe.h"

/* Computes signs of determinants. They are exact for all doubles whose products neither overflow nor come near the
 * smallest doubles (lengths of 1e-90 to 1e90 are far from both); they are 0 if something overflows. */

/* Returns 1 if a, b, c turn left, seen in the plane of the two axes from the first to the second; -1 if they turn
 * right; 0 if they are on one line. */
int side_of_line(const double a[3], const double b[3], const double c[3], const int axes[2]);
/* Returns 1 if d is on the side of the plane from which a, b, c turn left; -1 if it is on the other side; 0 if it is in
 * the plane, or if the three define none. */
int side_of_plane(const double a[3], const double b[3], const double c[3], const double d[3]);

/* Trees of boxes, and what searches in them need. */

/* Boxes, and trees of them over items in an order that keeps neighbours together. */

struct box {
    double low[3], high[3];
};

/* A complete tree. Box 0 is the root; the `fan` parts of box i are the boxes from i * fan + 1 on. The boxes from
 * first_leaf on hold `leaf` items each, in the order of the items; boxes beyond the last item are empty. */
struct box_tree {
    uint32_t fan, leaf; /* set by the caller: boxes in a box, items in a leaf */
    uint32_t count;     /* items */
    uint32_t first_leaf, box_count, box_room;
    struct box *boxes;
};

/* Makes room for trees over up to `items` items. False when out of memory. Call box_tree_free even on failure. */
bool box_tree_reserve(struct box_tree *tree, cp_context *context, uint32_t items);
void box_tree_free(struct box_tree *tree, cp_context *context);
/* Starts a tree over `count` items: all its boxes are empty. The caller adds item i to box_tree_leaf(tree, i), then
 * calls box_tree_join, which makes the other boxes from the leaves. */
void box_tree_start(struct box_tree *tree, uint32_t count);
void box_tree_join(struct box_tree *tree);
/* Sorts boxes along a z-curve, so that near ones are neighbours: order[0 .. count). Takes linear time for any boxes.
 * False when out of memory. */
bool box_order(cp_context *context, const struct box *boxes, uint32_t count, uint32_t *order);

static inline struct box *box_tree_leaf(const struct box_tree *tree, uint32_t item)
{
    return &tree->boxes[tree->first_leaf + item / tree->leaf];
}

/* Returns the first item of a leaf that has some; the others are below *end. */
static inline uint32_t box_tree_items(const struct box_tree *tree, uint32_t leaf, uint32_t *end)
{
    uint32_t first = (leaf - tree->first_leaf) * tree->leaf, left = tree->count - first;
    *end = first + (left < tree->leaf ? left : tree->leaf);
    return first;
}

static inline struct box box_empty(void)
{
    return (struct box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static inline void box_add(struct box *box, const double low[3], const double high[3])
{
    for (int axis = 0; axis < 3; axis++) {
        box->low[axis] = low[axis] < box->low[axis] ? low[axis] : box->low[axis];
        box->high[axis] = high[axis] > box->high[axis] ? high[axis] : box->high[axis];
    }
}

static inline bool box_meets(const struct box *one, const struct box *other)
{
    bool meets = true;
    for (int axis = 0; axis < 3; axis++)
        meets &= one->low[axis] <= other->high[axis] && other->low[axis] <= one->high[axis];
    return meets;
}

/* Sorting in linear time, whatever the keys are. */

/* Sorts entries by their high halves; those of equal ones stay in order. spare: room for as many. */
void radix_sort(uint64_t *entries, uint64_t *spare, uint32_t count);

/* A triangle and a point. */

/* Returns the squared distance of a point from a triangle. shares: those of corners 0 and 1 in the nearest place. */
double triangle_distance(const double point[3], const double *const corners[3], double shares[2]);

/* Sums whose rounding does not grow with their length. */

/* Neumaier's sum. */
struct sum {
    double value, lost;
};

static inline void sum_add(struct sum *sum, double value)
{
    double total = sum->value + value;
    if (fabs(sum->value) >= fabs(value))
        sum->lost += (sum->value - total) + value;
    else
        sum->lost += (value - total) + sum->value;
    sum->value = total;
}

static inline double sum_value(const struct sum *sum)
{
    return sum->value + sum->lost;
}

#endif
