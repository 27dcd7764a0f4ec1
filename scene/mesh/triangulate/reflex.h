/* The reflex corners of a polygon in a tree of boxes: does a triangle hold one? */
#ifndef CELLPIPE_REFLEX_H
#define CELLPIPE_REFLEX_H

#include "../box_tree.h"

enum { REFLEX_FAN = 2, REFLEX_LEAF = 8 };
struct reflex_tree {
    const float (*points)[2]; /* the polygon's */
    uint32_t room, count;     /* corners of the polygon at most; those in the tree */
    uint64_t *order;          /* room entries; the corner in the low half */
    uint64_t *spare;          /* room entries for sorting */
    uint32_t *place;      /* for each corner of the polygon: where it is in order, or CP_NONE when not in the tree */
    uint32_t *live;       /* for each box: corners that are left in it */
    struct box_tree tree; /* over order; flat, 0 on the third axis */
};

/* Room for polygons of up to `room` corners. False when out of memory. Call reflex_free even on failure. */
bool reflex_reserve(struct reflex_tree *reflex, cp_context *context, uint32_t room);
void reflex_free(struct reflex_tree *reflex, cp_context *context);
/* Empties the tree for another polygon; then reflex_add each reflex corner, then reflex_build. */
void reflex_clear(struct reflex_tree *reflex, const float (*points)[2], uint32_t corner_count);
void reflex_add(struct reflex_tree *reflex, uint32_t corner);
void reflex_build(struct reflex_tree *reflex);
/* Takes corner out; fine when it is not in. */
void reflex_remove(struct reflex_tree *reflex, uint32_t corner);

static inline uint32_t reflex_at(const struct reflex_tree *reflex, uint32_t place)
{
    return (uint32_t)reflex->order[place];
}

static inline void box_add_flat(struct box *box, const float corner[2])
{
    const double point[3] = {(double)corner[0], (double)corner[1], 0};
    box_add(box, point, point);
}

#endif
