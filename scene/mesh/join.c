/* Equal rows by an open-addressing table of row indices; the rows themselves are the keys. */
#include "join.h"
#include "../context.h"

#include <string.h>

struct row_table {
    const unsigned char *rows;
    size_t row_bytes, words;
    uint64_t seed;
    uint32_t *slots;   /* a row's index, or CP_NONE */
    size_t slot_count; /* a power of two, more than twice `used` */
    size_t used;
};

static uint64_t row_hash(const struct row_table *table, uint32_t row)
{
    return hash_words(table->seed, table->rows + (size_t)row * table->row_bytes, table->words);
}

static bool row_equal(const struct row_table *table, uint32_t a, uint32_t b)
{
    const unsigned char *row_a = table->rows + (size_t)a * table->row_bytes;
    const unsigned char *row_b = table->rows + (size_t)b * table->row_bytes;
    return memcmp(row_a, row_b, 4 * table->words) == 0;
}

/* The slot that holds a row equal to `row`, or the free one where it belongs. */
static uint32_t *row_slot(const struct row_table *table, uint32_t row)
{
    size_t mask = table->slot_count - 1;
    size_t at = (size_t)row_hash(table, row) & mask;
    while (table->slots[at] != CP_NONE && !row_equal(table, table->slots[at], row))
        at = (at + 1) & mask;
    return &table->slots[at];
}

static bool table_resize(cp_context *context, struct row_table *table, size_t slot_count)
{
    uint32_t *old_slots = table->slots;
    size_t old_count = table->slot_count;
    uint32_t *slots = memory_allocate(context, slot_count, sizeof *slots);
    if (!slots)
        return false;
    memset(slots, 0xff, slot_count * sizeof *slots);
    table->slots = slots;
    table->slot_count = slot_count;
    for (size_t at = 0; at < old_count; at++)
        if (old_slots[at] != CP_NONE)
            *row_slot(table, old_slots[at]) = old_slots[at];
    memory_free(context, old_slots, old_count, sizeof *old_slots);
    return true;
}

static bool join_into(cp_context *context, struct row_table *table, uint32_t count, uint32_t *first)
{
    for (uint32_t row = 0; row < count; row++) {
        if (2 * table->used >= table->slot_count && !table_resize(context, table, 2 * table->slot_count))
            return false;
        uint32_t *slot = row_slot(table, row);
        if (*slot == CP_NONE) {
            *slot = row;
            table->used++;
        }
        first[row] = *slot;
    }
    return true;
}

bool join_rows(cp_context *context, const void *rows, size_t stride, size_t words, uint32_t count, uint32_t *first)
{
    enum { START_SLOTS = 64 };
    struct row_table table = {.rows = rows, .row_bytes = 4 * stride, .words = words, .seed = context->seed};
    bool done = table_resize(context, &table, START_SLOTS) && join_into(context, &table, count, first);
    memory_free(context, table.slots, table.slot_count, sizeof *table.slots);
    return done;
}

bool join_positions(cp_context *context, const float *positions, uint32_t count, uint32_t *first)
{
    size_t total = 3 * (size_t)count;
    float *values = memory_allocate(context, total, sizeof *values);
    if (!values)
        return false;
    for (size_t i = 0; i < total; i++)
        values[i] = positions[i] + 0.0f; /* -0 becomes +0 */
    bool joined = join_rows(context, values, 3, 3, count, first);
    memory_free(context, values, total, sizeof *values);
    return joined;
}

uint32_t join_number(uint32_t *first, uint32_t count)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < count; i++)
        first[i] = first[i] == i ? next++ : first[first[i]];
    return next;
}
