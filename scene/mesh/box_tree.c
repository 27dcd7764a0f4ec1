#include "box_tree.h"

#include "base/base.h"

/* Sets the shape of the smallest complete tree that has enough leaves. */
static void set_shape(struct box_tree *tree, uint32_t count)
{
    uint32_t leaves = 1;
    tree->count = count;
    tree->first_leaf = 0;
    for (; (uint64_t)leaves * tree->leaf < count; leaves *= tree->fan)
        tree->first_leaf += leaves;
    tree->box_count = tree->first_leaf + leaves;
}

bool box_tree_reserve(struct box_tree *tree, cp_context *context, uint32_t items)
{
    set_shape(tree, items);
    tree->box_room = tree->box_count;
    tree->boxes = memory_allocate(context, tree->box_room, sizeof *tree->boxes);
    return tree->boxes;
}

void box_tree_free(struct box_tree *tree, cp_context *context)
{
    memory_free(context, tree->boxes, tree->box_room, sizeof *tree->boxes);
    tree->boxes = NULL;
}

void box_tree_start(struct box_tree *tree, uint32_t count)
{
    set_shape(tree, count);
    for (uint32_t i = 0; i < tree->box_count; i++)
        tree->boxes[i] = box_empty();
}

void box_tree_join(struct box_tree *tree)
{
    for (uint32_t i = tree->first_leaf; i-- > 0;)
        for (uint32_t part = i * tree->fan + 1; part <= (i + 1) * tree->fan; part++)
            box_add(&tree->boxes[i], tree->boxes[part].low, tree->boxes[part].high);
}

/* ---- z-order: by the interleaved bits of the boxes' middles ---- */

/* Spreads the 21 low bits of a value onto every third bit. */
static uint64_t spread_bits(uint64_t value)
{
    value = (value | value << 32) & UINT64_C(0x001f00000000ffff);
    value = (value | value << 16) & UINT64_C(0x001f0000ff0000ff);
    value = (value | value << 8) & UINT64_C(0x100f00f00f00f00f);
    value = (value | value << 4) & UINT64_C(0x10c30c30c30c30c3);
    return (value | value << 2) & UINT64_C(0x1249249249249249);
}

static uint64_t order_key(const struct box *box, const struct box *all, double scale)
{
    uint64_t key = 0;
    for (int axis = 0; axis < 3; axis++) {
        double middle = (box->low[axis] + box->high[axis]) / 2 - all->low[axis];
        key |= spread_bits((uint64_t)(middle * scale)) << axis;
    }
    return key;
}

bool box_order(cp_context *context, const struct box *boxes, uint32_t count, uint32_t *order)
{
    const double most = 2097151; /* 2^21 - 1 */
    uint64_t *entries = memory_allocate(context, count, sizeof *entries);
    uint64_t *spare = memory_allocate(context, count, sizeof *spare);
    bool good = entries && spare;
    struct box all = box_empty();
    double length = 0;
    for (uint32_t i = 0; good && i < count; i++) {
        box_add(&all, boxes[i].low, boxes[i].high);
        entries[i] = i;
    }
    /* All axes have the same scale, so that long thin shapes are cut across. */
    for (int axis = 0; axis < 3; axis++)
        length = fmax(length, all.high[axis] - all.low[axis]);
    double scale = length > 0 ? most / length : 0;
    /* Sort by the low halves of the keys, then by the high ones. */
    for (int half = 0; good && half < 2; half++) {
        for (uint32_t i = 0; i < count; i++) {
            uint32_t box = (uint32_t)entries[i];
            entries[i] = order_key(&boxes[box], &all, scale) >> (32 * half) << 32 | box;
        }
        radix_sort(entries, spare, count);
    }
    for (uint32_t i = 0; good && i < count; i++)
        order[i] = (uint32_t)entries[i];
    memory_free(context, entries, count, sizeof *entries);
    memory_free(context, spare, count, sizeof *spare);
    return good;
}
