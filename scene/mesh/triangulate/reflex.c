/* A tree of boxes over the reflex corners. Z-order puts corners that are near each other into the same box wherever
 * they are on the boundary, and a radix sort takes linear time for any input. */
#include "triangulate.h"

#include <string.h>

bool reflex_reserve(struct reflex_tree *reflex, cp_context *context, uint32_t room)
{
    *reflex = (struct reflex_tree){.room = room, .tree = {.fan = REFLEX_FAN, .leaf = REFLEX_LEAF}};
    reflex->order = memory_allocate(context, room, sizeof *reflex->order);
    reflex->spare = memory_allocate(context, room, sizeof *reflex->spare);
    reflex->place = memory_allocate(context, room, sizeof *reflex->place);
    bool good = box_tree_reserve(&reflex->tree, context, room);
    reflex->live = memory_allocate(context, reflex->tree.box_room, sizeof *reflex->live);
    return good && reflex->order && reflex->spare && reflex->place && reflex->live;
}

void reflex_free(struct reflex_tree *reflex, cp_context *context)
{
    memory_free(context, reflex->order, reflex->room, sizeof *reflex->order);
    memory_free(context, reflex->spare, reflex->room, sizeof *reflex->spare);
    memory_free(context, reflex->place, reflex->room, sizeof *reflex->place);
    memory_free(context, reflex->live, reflex->tree.box_room, sizeof *reflex->live);
    box_tree_free(&reflex->tree, context);
}

void reflex_clear(struct reflex_tree *reflex, const float (*points)[2], uint32_t corner_count)
{
    reflex->points = points;
    reflex->count = 0;
    memset(reflex->place, 0xff, corner_count * sizeof *reflex->place);
}

void reflex_add(struct reflex_tree *reflex, uint32_t corner)
{
    reflex->order[reflex->count++] = corner;
}

/* Returns 0 .. 65535 from low to high; 0 for NaN. */
static uint32_t quantise(double value, double low, double high)
{
    double part = (value - low) / (high - low);
    return part > 0 && part <= 1 ? (uint32_t)(part * 65535) : 0;
}

/* Spreads the 16 low bits of value onto the even bits. */
static uint32_t spread_bits(uint32_t value)
{
    value = (value | value << 8) & 0x00ff00ffu;
    value = (value | value << 4) & 0x0f0f0f0fu;
    value = (value | value << 2) & 0x33333333u;
    return (value | value << 1) & 0x55555555u;
}

void reflex_build(struct reflex_tree *reflex)
{
    struct box_tree *tree = &reflex->tree;
    if (reflex->count > REFLEX_LEAF) {
        /* Sort in z-order: the key is in the high half of each entry. */
        struct box all = box_empty();
        for (uint32_t i = 0; i < reflex->count; i++)
            box_add_flat(&all, reflex->points[reflex_at(reflex, i)]);
        for (uint32_t i = 0; i < reflex->count; i++) {
            const float *point = reflex->points[reflex_at(reflex, i)];
            uint64_t key = spread_bits(quantise((double)point[0], all.low[0], all.high[0])) |
                           spread_bits(quantise((double)point[1], all.low[1], all.high[1])) << 1;
            reflex->order[i] |= key << 32;
        }
        radix_sort(reflex->order, reflex->spare, reflex->count);
    }
    box_tree_start(tree, reflex->count);
    memset(reflex->live, 0, tree->box_count * sizeof *reflex->live);
    for (uint32_t place = 0; place < reflex->count; place++) {
        uint32_t corner = reflex_at(reflex, place);
        struct box *leaf = box_tree_leaf(tree, place);
        box_add_flat(leaf, reflex->points[corner]);
        reflex->live[leaf - tree->boxes]++;
        reflex->place[corner] = place;
    }
    box_tree_join(tree);
    for (uint32_t box = tree->box_count; box-- > 1;)
        reflex->live[(box - 1) / REFLEX_FAN] += reflex->live[box];
}

void reflex_remove(struct reflex_tree *reflex, uint32_t corner)
{
    uint32_t place = reflex->place[corner];
    if (place == CP_NONE)
        return;
    reflex->place[corner] = CP_NONE;
    uint32_t box = reflex->tree.first_leaf + place / REFLEX_LEAF;
    reflex->live[box]--;
    while (box > 0) {
        box = (box - 1) / REFLEX_FAN;
        reflex->live[box]--;
    }
}
