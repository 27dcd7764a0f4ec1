/* A tree of boxes over things with boxes. */
#ifndef CELLPIPE_BOXES_H
#define CELLPIPE_BOXES_H

#include "../../memory.h"

#include <math.h>

struct box {
    float low[3], high[3];
};

/* A complete binary tree over the items in z-order: box 1 is the root, 2i and 2i + 1 are the halves of box i, and the last
 * leaf_count boxes hold up to BOX_LEAF items each. */
enum { BOX_LEAF = 4, BOX_STACK = 40 /* enough for depth first */ };
struct box_tree {
    const struct box *items; /* the caller's */
    uint32_t count;
    uint32_t *order; /* of the items */
    struct box *boxes;
    uint32_t leaf_count;
};

/* In linear time for any boxes. False when out of memory; box_tree_free is due in any case. */
bool box_tree_build(struct box_tree *tree, cp_context *context, const struct box *items, uint32_t count);
void box_tree_free(struct box_tree *tree, cp_context *context);

static inline struct box box_empty(void)
{
    return (struct box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static inline void box_add(struct box *box, const float low[3], const float high[3])
{
    for (int axis = 0; axis < 3; axis++) {
        box->low[axis] = low[axis] < box->low[axis] ? low[axis] : box->low[axis];
        box->high[axis] = high[axis] > box->high[axis] ? high[axis] : box->high[axis];
    }
}

static inline bool box_holds(const struct box *outer, const struct box *inner)
{
    bool holds = true;
    for (int axis = 0; axis < 3; axis++)
        holds &= outer->low[axis] <= inner->low[axis] && inner->high[axis] <= outer->high[axis];
    return holds;
}

static inline bool box_meets(const struct box *one, const struct box *other)
{
    bool meets = true;
    for (int axis = 0; axis < 3; axis++)
        meets &= one->low[axis] <= other->high[axis] && other->low[axis] <= one->high[axis];
    return meets;
}

#endif
