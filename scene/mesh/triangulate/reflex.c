/* A tree of boxes over the reflex corners. Z-order keeps corners that are near each other in the same box wherever
 * they are on the boundary, and a radix sort makes it in linear time for any input. */
#include "reflex.h"
#include "../radix.h"

#include <math.h>
#include <string.h>

/* Powers of two of leaves: at most twice as many as needed, so room / REFLEX_LEAF * 4 boxes and a few are enough. */
static size_t boxes_for(uint32_t room)
{
    return (size_t)room / REFLEX_LEAF * 4 + 4;
}

bool reflex_reserve(struct reflex_tree *tree, cp_context *context, uint32_t room)
{
    tree->box_room = boxes_for(room);
    tree->order = memory_allocate(context, room, sizeof *tree->order);
    tree->spare = memory_allocate(context, room, sizeof *tree->spare);
    tree->place = memory_allocate(context, room, sizeof *tree->place);
    tree->boxes = memory_allocate(context, tree->box_room, sizeof *tree->boxes);
    return tree->order && tree->spare && tree->place && tree->boxes;
}

void reflex_free(struct reflex_tree *tree, cp_context *context, uint32_t room)
{
    memory_free(context, tree->order, room, sizeof *tree->order);
    memory_free(context, tree->spare, room, sizeof *tree->spare);
    memory_free(context, tree->place, room, sizeof *tree->place);
    memory_free(context, tree->boxes, tree->box_room, sizeof *tree->boxes);
}

void reflex_clear(struct reflex_tree *tree, const float (*points)[2], uint32_t corner_count)
{
    tree->points = points;
    tree->count = 0;
    for (uint32_t corner = 0; corner < corner_count; corner++)
        tree->place[corner] = CP_NONE;
}

void reflex_add(struct reflex_tree *tree, uint32_t corner)
{
    tree->order[tree->count++] = corner;
}

/* 0 .. 65535 from low to high; 0 for what is no number. */
static uint32_t quantise(float value, float low, float high)
{
    double part = ((double)value - (double)low) / ((double)high - (double)low);
    return part > 0 && part <= 1 ? (uint32_t)(part * 65535) : 0;
}

/* The 16 low bits of value on the even bits. */
static uint32_t spread_bits(uint32_t value)
{
    value = (value | value << 8) & 0x00ff00ffu;
    value = (value | value << 4) & 0x0f0f0f0fu;
    value = (value | value << 2) & 0x33333333u;
    return (value | value << 1) & 0x55555555u;
}

static struct reflex_box box_empty(void)
{
    return (struct reflex_box){{INFINITY, INFINITY}, {-INFINITY, -INFINITY}, 0};
}

static void box_add(struct reflex_box *box, const float low[2], const float high[2], uint32_t live)
{
    for (int axis = 0; axis < 2; axis++) {
        box->low[axis] = low[axis] < box->low[axis] ? low[axis] : box->low[axis];
        box->high[axis] = high[axis] > box->high[axis] ? high[axis] : box->high[axis];
    }
    box->live += live;
}

/* The z-order key in the high half of each entry. */
static void set_keys(struct reflex_tree *tree)
{
    struct reflex_box all = box_empty();
    for (uint32_t i = 0; i < tree->count; i++) {
        const float *point = tree->points[tree->order[i]];
        box_add(&all, point, point, 1);
    }
    for (uint32_t i = 0; i < tree->count; i++) {
        const float *point = tree->points[tree->order[i]];
        uint64_t key = spread_bits(quantise(point[0], all.low[0], all.high[0])) |
                       spread_bits(quantise(point[1], all.low[1], all.high[1])) << 1;
        tree->order[i] |= key << 32;
    }
}

static void set_boxes(struct reflex_tree *tree)
{
    for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++)
        tree->boxes[tree->leaf_count + leaf] = box_empty();
    for (uint32_t place = 0; place < tree->count; place++) {
        uint32_t corner = reflex_at(tree, place);
        tree->place[corner] = place;
        box_add(&tree->boxes[tree->leaf_count + place / REFLEX_LEAF], tree->points[corner], tree->points[corner], 1);
    }
    for (uint32_t box = tree->leaf_count; box-- > 1;) {
        tree->boxes[box] = box_empty();
        for (uint32_t half = 2 * box; half <= 2 * box + 1; half++)
            box_add(&tree->boxes[box], tree->boxes[half].low, tree->boxes[half].high, tree->boxes[half].live);
    }
}

void reflex_build(struct reflex_tree *tree)
{
    if (tree->count > REFLEX_LEAF) {
        set_keys(tree);
        radix_sort(tree->order, tree->spare, tree->count);
    }
    tree->leaf_count = 1;
    while ((uint64_t)tree->leaf_count * REFLEX_LEAF < tree->count)
        tree->leaf_count *= 2;
    set_boxes(tree);
}

void reflex_remove(struct reflex_tree *tree, uint32_t corner)
{
    uint32_t place = tree->place[corner];
    if (place == CP_NONE)
        return;
    tree->place[corner] = CP_NONE;
    for (uint32_t box = tree->leaf_count + place / REFLEX_LEAF; box > 0; box /= 2)
        tree->boxes[box].live--;
}
