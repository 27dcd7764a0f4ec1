/* The reflex corners of a polygon in a tree of boxes: does a triangle hold one? */
#ifndef CELLPIPE_REFLEX_H
#define CELLPIPE_REFLEX_H

#include "../../memory.h"

struct reflex_box {
    float low[2], high[2];
    uint32_t live; /* corners that are left in it */
};

/* A complete binary tree over the corners in z-order: box 1 is the root, 2i and 2i + 1 are the halves of box i, and
 * the last leaf_count boxes hold up to REFLEX_LEAF corners each. */
enum { REFLEX_LEAF = 8 };
struct reflex_tree {
    const float (*points)[2]; /* the polygon's */
    uint32_t count, leaf_count;
    uint64_t *order; /* room entries; the corner in the low half */
    uint64_t *spare; /* room entries for sorting */
    uint32_t *place; /* for each corner of the polygon: where it is in order, or CP_NONE when not in the tree */
    struct reflex_box *boxes;
    size_t box_room;
};

bool reflex_reserve(struct reflex_tree *tree, cp_context *context, uint32_t room);
void reflex_free(struct reflex_tree *tree, cp_context *context, uint32_t room);
/* Puts corner into an empty or growing tree; then reflex_build. */
void reflex_clear(struct reflex_tree *tree, const float (*points)[2], uint32_t corner_count);
void reflex_add(struct reflex_tree *tree, uint32_t corner);
void reflex_build(struct reflex_tree *tree);
/* Takes corner out; fine when it is not in. */
void reflex_remove(struct reflex_tree *tree, uint32_t corner);

static inline uint32_t reflex_at(const struct reflex_tree *tree, uint32_t place)
{
    return (uint32_t)tree->order[place];
}

#endif
