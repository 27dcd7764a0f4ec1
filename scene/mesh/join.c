/* Joins equal rows by open-addressing tables of row numbers; the rows themselves are the keys.
 *
 * Each run of the rows is first joined by itself, which finds near equals. Then its leaders, the first rows of their
 * kind, are divided into shares by their hashes, and each share is joined. Last, the other rows follow their leaders.
 * Every table fits into the cache, so that the cost of a row does not grow with their number, and belongs to one
 * thread.
 *
 * A slot is a row's number in its low half and its hash in its high half, or FREE: most slots on the way need no look
 * at their row. */
#include "join.h"

#include "base/base.h"
#include "base/context.h"

#define FREE UINT64_MAX
enum { RUN_ROWS = 1 << 14, SHARE_ROWS = 1 << 13 /* about */, MOST_SHARE_BITS = 11, MOST_PIECES = 32, AHEAD = 16 };

struct row_table {
    const unsigned char *rows;
    size_t row_bytes, words;
    uint64_t seed;
    uint64_t *slots;
    size_t slot_count; /* a power of two, at least four thirds of the rows that come in */
};

static const unsigned char *row_at(const struct row_table *table, uint32_t row)
{
    return table->rows + (size_t)row * table->row_bytes;
}

static uint32_t hash_row(const struct row_table *table, uint32_t row)
{
    uint32_t hash = (uint32_t)(hash_words(table->seed, row_at(table, row), table->words) >> 32);
    return hash == UINT32_MAX ? 0 : hash; /* FREE has the hash UINT32_MAX, so no slot in use has it */
}

/* Returns the first row that came in equal to this one, which may be itself. */
static uint32_t join_row(struct row_table *table, uint32_t row, uint32_t hash)
{
    size_t mask = table->slot_count - 1, at = hash & mask;
    for (; table->slots[at] != FREE; at = (at + 1) & mask) {
        uint32_t other = (uint32_t)table->slots[at];
        if (table->slots[at] >> 32 == hash && memcmp(row_at(table, other), row_at(table, row), 4 * table->words) == 0)
            return other;
    }
    table->slots[at] = (uint64_t)hash << 32 | row;
    return row;
}

/* ---- runs ---- */

struct join {
    cp_context *context;
    struct row_table table; /* without slots */
    uint64_t *slots;        /* of the workers, slot_count each */
    size_t slot_count;
    uint32_t count;
    uint32_t *first;
};

static uint32_t run_end(const struct join *join, uint32_t run)
{
    uint32_t start = run * RUN_ROWS;
    return join->count - start < RUN_ROWS ? join->count : start + RUN_ROWS;
}

static uint32_t count_runs(const struct join *join)
{
    return join->count / RUN_ROWS + (join->count % RUN_ROWS > 0);
}

static bool allocate_slots(struct join *join, uint32_t workers, uint32_t rows)
{
    join->slot_count = 64;
    while (3 * join->slot_count < 4 * (size_t)rows)
        join->slot_count *= 2;
    join->slots = memory_allocate(join->context, workers * join->slot_count, sizeof *join->slots);
    return join->slots != NULL;
}

static void free_slots(struct join *join, uint32_t workers)
{
    memory_free(join->context, join->slots, workers * join->slot_count, sizeof *join->slots);
    join->slots = NULL;
}

static struct row_table empty_table(const struct join *join, uint32_t worker)
{
    struct row_table table = join->table;
    table.slot_count = join->slot_count;
    table.slots = join->slots + worker * table.slot_count;
    memset(table.slots, 0xff, table.slot_count * sizeof *table.slots);
    return table;
}

static void join_run(void *user, uint32_t run, uint32_t worker)
{
    struct join *join = user;
    struct row_table table = empty_table(join, worker);
    for (uint32_t row = run * RUN_ROWS; row < run_end(join, run); row++)
        join->first[row] = join_row(&table, row, hash_row(&table, row));
}

static void lead_run(void *user, uint32_t run, uint32_t worker)
{
    (void)worker;
    struct join *join = user;
    for (uint32_t row = run * RUN_ROWS; row < run_end(join, run); row++)
        join->first[row] = row;
}

/* Lets the rows follow their leaders. A row that leads its run knows its first one, in this run or an earlier one; the
 * others of the run follow it. */
static void follow_leaders(void *user, uint32_t run, uint32_t worker)
{
    (void)worker;
    const struct join *join = user;
    uint32_t start = run * RUN_ROWS, *first = join->first;
    for (uint32_t row = start; row < run_end(join, run); row++)
        if (first[row] >= start && first[row] != row)
            first[row] = first[first[row]];
}

/* ---- shares: the leaders whose hashes begin with the same bits ---- */

struct sharing {
    struct join join;
    uint32_t piece_rows, piece_count; /* of all rows; each piece is divided by one thread */
    uint32_t share_bits;
    uint32_t *places;  /* the place for the next leader of a piece in a share: piece_count for each share */
    uint64_t *leaders; /* hash and row as in a slot; share after share, in order; NULL while they are counted */
};

static uint32_t piece_start(const struct sharing *sharing, uint32_t piece)
{
    uint64_t start = (uint64_t)piece * sharing->piece_rows;
    return start < sharing->join.count ? (uint32_t)start : sharing->join.count;
}

/* Puts the leaders of a piece into their shares; without room for them they are only counted. */
static void share_out_piece(void *user, uint32_t piece, uint32_t worker)
{
    (void)worker;
    const struct sharing *sharing = user;
    const struct join *join = &sharing->join;
    for (uint32_t row = piece_start(sharing, piece); row < piece_start(sharing, piece + 1); row++) {
        if (join->first[row] != row)
            continue;
        uint32_t hash = hash_row(&join->table, row);
        uint32_t share = (uint32_t)((uint64_t)hash << sharing->share_bits >> 32);
        uint32_t place = sharing->places[share * sharing->piece_count + piece]++;
        if (sharing->leaders)
            sharing->leaders[place] = (uint64_t)hash << 32 | row;
    }
}

/* Returns the end of a share: the place of its last piece, once all leaders are there. */
static uint32_t share_end(const struct sharing *sharing, uint32_t share)
{
    return sharing->places[(share + 1) * sharing->piece_count - 1];
}

static void join_share(void *user, uint32_t share, uint32_t worker)
{
    const struct sharing *sharing = user;
    struct row_table table = empty_table(&sharing->join, worker);
    uint32_t end = share_end(sharing, share);
    for (uint32_t i = share > 0 ? share_end(sharing, share - 1) : 0; i < end; i++) {
        uint64_t leader = sharing->leaders[i];
        if (end - i > AHEAD) {
            /* Fetches both rows into the cache when a later leader will probably be compared. */
            uint64_t later = sharing->leaders[i + AHEAD], slot = table.slots[later >> 32 & (table.slot_count - 1)];
            if ((slot ^ later) >> 32 == 0) {
                __builtin_prefetch(row_at(&table, (uint32_t)slot));
                __builtin_prefetch(row_at(&table, (uint32_t)later));
            }
        }
        sharing->join.first[(uint32_t)leader] = join_row(&table, (uint32_t)leader, (uint32_t)(leader >> 32));
    }
}

/* Joins the rows that lead: first[row] is the row itself. */
static bool join_leaders(const struct join *from)
{
    cp_context *context = from->context;
    struct sharing sharing = {.join = *from, .piece_count = count_runs(from)};
    struct join *join = &sharing.join;
    if (sharing.piece_count > MOST_PIECES)
        sharing.piece_count = MOST_PIECES;
    sharing.piece_rows = join->count / sharing.piece_count + 1;
    while (sharing.share_bits < MOST_SHARE_BITS && join->count >> sharing.share_bits > SHARE_ROWS)
        sharing.share_bits++;
    uint32_t shares = UINT32_C(1) << sharing.share_bits, next = 0, largest = 0;
    uint32_t workers = parallel_workers(context, shares);
    size_t place_count = (size_t)shares * sharing.piece_count;
    sharing.places = memory_allocate_zeroed(context, place_count, sizeof *sharing.places);
    bool done = sharing.places && parallel_for(context, sharing.piece_count, share_out_piece, &sharing);
    /* Turn counts into places, share after share. */
    for (uint32_t share = 0; done && share < shares; share++) {
        uint32_t start = next, *places = sharing.places + share * sharing.piece_count;
        for (uint32_t piece = 0; piece < sharing.piece_count; piece++) {
            uint32_t count = places[piece];
            places[piece] = next;
            next += count;
        }
        if (next - start > largest)
            largest = next - start;
    }
    sharing.leaders = done ? memory_allocate(context, next, sizeof *sharing.leaders) : NULL;
    done = sharing.leaders && allocate_slots(join, workers, largest) &&
           parallel_for(context, sharing.piece_count, share_out_piece, &sharing) &&
           parallel_for(context, shares, join_share, &sharing);
    free_slots(join, workers);
    memory_free(context, sharing.leaders, next, sizeof *sharing.leaders);
    memory_free(context, sharing.places, place_count, sizeof *sharing.places);
    return done;
}

/* ---- the whole ---- */

static struct join begin_join(cp_context *context, const void *rows, size_t stride, size_t words, uint32_t count,
                              uint32_t *first)
{
    return (struct join){.context = context,
                         .table = {.rows = rows, .row_bytes = 4 * stride, .words = words, .seed = context->seed},
                         .count = count,
                         .first = first};
}

bool join_rows(cp_context *context, const void *rows, size_t stride, size_t words, uint32_t count, uint32_t *first)
{
    struct join join = begin_join(context, rows, stride, words, count, first);
    uint32_t runs = count_runs(&join), workers = parallel_workers(context, runs);
    bool done = allocate_slots(&join, workers, count < RUN_ROWS ? count : RUN_ROWS) &&
                parallel_for(context, runs, join_run, &join);
    free_slots(&join, workers);
    return done && (runs < 2 || (join_leaders(&join) && parallel_for(context, runs, follow_leaders, &join)));
}

bool join_scattered_rows(cp_context *context, const void *rows, size_t stride, size_t words, uint32_t count,
                         uint32_t *first)
{
    struct join join = begin_join(context, rows, stride, words, count, first);
    return count == 0 || (parallel_for(context, count_runs(&join), lead_run, &join) && join_leaders(&join));
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
