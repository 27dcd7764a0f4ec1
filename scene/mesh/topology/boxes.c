/* Items near each other are in the same box, since they are sorted by the interleaved bits of their middles; a radix sort
 * makes it linear. */
#include "boxes.h"
#include "../radix.h"

/* The 21 low bits of value on every third bit. */
static uint64_t spread_bits(uint64_t value)
{
    value = (value | value << 32) & UINT64_C(0x001f00000000ffff);
    value = (value | value << 16) & UINT64_C(0x001f0000ff0000ff);
    value = (value | value << 8) & UINT64_C(0x100f00f00f00f00f);
    value = (value | value << 4) & UINT64_C(0x10c30c30c30c30c3);
    return (value | value << 2) & UINT64_C(0x1249249249249249);
}

static double box_length(const struct box *box)
{
    double length = 0;
    for (int axis = 0; axis < 3; axis++)
        length = fmax(length, (double)box->high[axis] - (double)box->low[axis]);
    return length;
}

/* All axes by the same scale: what is long and thin is cut across. */
static uint64_t order_key(const struct box *box, const struct box *all, double scale)
{
    uint64_t key = 0;
    for (int axis = 0; axis < 3; axis++) {
        double middle = ((double)box->low[axis] + (double)box->high[axis]) / 2 - (double)all->low[axis];
        key |= spread_bits((uint64_t)(middle * scale)) << axis;
    }
    return key;
}

/* By the low halves of the keys, then by the high ones. */
static void sort_items(const struct box_tree *tree, uint64_t *entries, uint64_t *spare)
{
    const double most = 2097151; /* 2^21 - 1 */
    struct box all = box_empty();
    for (uint32_t i = 0; i < tree->count; i++) {
        box_add(&all, tree->items[i].low, tree->items[i].high);
        entries[i] = i;
    }
    double length = box_length(&all), scale = length > 0 ? most / length : 0;
    for (int half = 0; half < 2; half++) {
        for (uint32_t i = 0; i < tree->count; i++) {
            uint32_t item = (uint32_t)entries[i];
            uint64_t key = order_key(&tree->items[item], &all, scale) >> (32 * half);
            entries[i] = key << 32 | item;
        }
        radix_sort(entries, spare, tree->count);
    }
    for (uint32_t i = 0; i < tree->count; i++)
        tree->order[i] = (uint32_t)entries[i];
}

static void set_boxes(struct box_tree *tree)
{
    for (uint32_t i = 0; i < 2 * tree->leaf_count; i++)
        tree->boxes[i] = box_empty();
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct box *box = &tree->items[tree->order[i]];
        box_add(&tree->boxes[tree->leaf_count + i / BOX_LEAF], box->low, box->high);
    }
    for (uint32_t i = tree->leaf_count; i-- > 1;)
        for (uint32_t half = 2 * i; half <= 2 * i + 1; half++)
            box_add(&tree->boxes[i], tree->boxes[half].low, tree->boxes[half].high);
}

bool box_tree_build(struct box_tree *tree, cp_context *context, const struct box *items, uint32_t count)
{
    *tree = (struct box_tree){.items = items, .count = count, .leaf_count = 1};
    while ((uint64_t)tree->leaf_count * BOX_LEAF < count)
        tree->leaf_count *= 2;
    tree->order = memory_allocate(context, count, sizeof *tree->order);
    tree->boxes = memory_allocate(context, 2 * (size_t)tree->leaf_count, sizeof *tree->boxes);
    uint64_t *entries = memory_allocate(context, count, sizeof *entries);
    uint64_t *spare = memory_allocate(context, count, sizeof *spare);
    bool good = tree->order && tree->boxes && entries && spare;
    if (good) {
        sort_items(tree, entries, spare);
        set_boxes(tree);
    }
    memory_free(context, entries, count, sizeof *entries);
    memory_free(context, spare, count, sizeof *spare);
    return good;
}

void box_tree_free(struct box_tree *tree, cp_context *context)
{
    memory_free(context, tree->order, tree->count, sizeof *tree->order);
    memory_free(context, tree->boxes, 2 * (size_t)tree->leaf_count, sizeof *tree->boxes);
}
