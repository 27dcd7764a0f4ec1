/* Equal rows by an open-addressing table of row numbers; the rows themselves are the keys. Each part of the rows is joined by
 * itself in a small table, in any thread; then the parts' first ones are joined in order, and the others follow.
 *
 * A slot is a row's number in its low half and its hash in its high half, or FREE: most slots that are passed by need no
 * look at their row. */
#include "join.h"
#include "../context.h"
#include "../parallel.h"

#define FREE UINT64_MAX
enum { PART_ROWS = 1 << 14, AHEAD = 16 /* so many slots are fetched into the cache in advance; a power of two */ };

struct row_table {
    const unsigned char *rows;
    size_t row_bytes, words;
    uint64_t seed;
    uint64_t *slots;
    size_t slot_count; /* a power of two, at least four thirds of the rows that come in */
};

static uint32_t hash_row(const struct row_table *table, uint32_t row)
{
    uint32_t hash =
        (uint32_t)(hash_words(table->seed, table->rows + (size_t)row * table->row_bytes, table->words) >> 32);
    return hash == UINT32_MAX ? 0 : hash; /* no slot in use looks free */
}

static bool rows_equal(const struct row_table *table, uint32_t a, uint32_t b)
{
    const unsigned char *row_a = table->rows + (size_t)a * table->row_bytes;
    const unsigned char *row_b = table->rows + (size_t)b * table->row_bytes;
    return memcmp(row_a, row_b, 4 * table->words) == 0;
}

/* The first row that came in equal to this one, which may be itself. */
static uint32_t join_row(struct row_table *table, uint32_t row, uint32_t hash)
{
    size_t mask = table->slot_count - 1, at = hash & mask;
    for (; table->slots[at] != FREE; at = (at + 1) & mask)
        if (table->slots[at] >> 32 == hash && rows_equal(table, (uint32_t)table->slots[at], row))
            return (uint32_t)table->slots[at];
    table->slots[at] = (uint64_t)hash << 32 | row;
    return row;
}

static size_t slots_for(uint32_t count)
{
    size_t slot_count = 64;
    while (3 * slot_count < 4 * (size_t)count)
        slot_count *= 2;
    return slot_count;
}

/* ---- parts ---- */

struct join {
    struct row_table table; /* without slots */
    uint64_t *slots;        /* of the workers, part_slots each */
    size_t part_slots;
    uint32_t count;
    uint32_t *first;
};

static uint32_t part_end(const struct join *join, uint32_t part)
{
    uint32_t start = part * PART_ROWS;
    return join->count - start < PART_ROWS ? join->count : start + PART_ROWS;
}

static void join_part(void *user, uint32_t part, uint32_t worker)
{
    struct join *join = user;
    struct row_table table = join->table;
    table.slots = join->slots + worker * join->part_slots;
    table.slot_count = join->part_slots;
    memset(table.slots, 0xff, table.slot_count * sizeof *table.slots);
    for (uint32_t row = part * PART_ROWS; row < part_end(join, part); row++)
        join->first[row] = join_row(&table, row, hash_row(&table, row));
}

/* Rows that lead their part have got their first one in an earlier part; the others of the part follow theirs. */
static void follow_leaders(void *user, uint32_t part, uint32_t worker)
{
    (void)worker;
    const struct join *join = user;
    uint32_t start = part * PART_ROWS, *first = join->first;
    for (uint32_t row = start; row < part_end(join, part); row++)
        if (first[row] >= start && first[row] != row)
            first[row] = first[first[row]];
}

/* ---- the whole ---- */

/* Joins the rows that lead their parts. */
static bool join_leaders(cp_context *context, struct join *join)
{
    struct row_table table = join->table;
    uint32_t leaders = 0, taken = 0, given = 0;
    struct {
        uint32_t row, hash;
    } ahead[AHEAD];
    for (uint32_t row = 0; row < join->count; row++)
        leaders += join->first[row] == row;
    table.slot_count = slots_for(leaders);
    table.slots = memory_allocate(context, table.slot_count, sizeof *table.slots);
    if (!table.slots)
        return false;
    memset(table.slots, 0xff, table.slot_count * sizeof *table.slots);
    for (uint32_t row = 0; taken < leaders;) {
        while (row < join->count && given - taken < AHEAD) {
            if (join->first[row] == row) {
                ahead[given % AHEAD].row = row;
                ahead[given % AHEAD].hash = hash_row(&table, row);
                __builtin_prefetch(&table.slots[ahead[given++ % AHEAD].hash & (table.slot_count - 1)], 1);
            }
            row++;
        }
        uint32_t leader = ahead[taken % AHEAD].row;
        join->first[leader] = join_row(&table, leader, ahead[taken++ % AHEAD].hash);
    }
    memory_free(context, table.slots, table.slot_count, sizeof *table.slots);
    return true;
}

bool join_rows(cp_context *context, const void *rows, size_t stride, size_t words, uint32_t count, uint32_t *first)
{
    uint32_t parts = count / PART_ROWS + (count % PART_ROWS > 0), workers = parallel_workers(context, parts);
    struct join join = {.table = {.rows = rows, .row_bytes = 4 * stride, .words = words, .seed = context->seed},
                        .part_slots = slots_for(count < PART_ROWS ? count : PART_ROWS),
                        .count = count,
                        .first = first};
    join.slots = memory_allocate(context, workers * join.part_slots, sizeof *join.slots);
    bool done = join.slots && parallel_for(context, parts, join_part, &join);
    memory_free(context, join.slots, workers * join.part_slots, sizeof *join.slots);
    return done && (parts < 2 || (join_leaders(context, &join) && parallel_for(context, parts, follow_leaders, &join)));
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
