/* Sorts vertices along the Morton curve by a radix sort in chunks. Each chunk knows where its keys go, so that threads
 * can move them. */
#include <string.h>

#include "surface.h"

enum { KEY_BITS = 48, DIGIT_BITS = 12, DIGITS = 1 << DIGIT_BITS, CHUNK_KEYS = 16384, MOST_CHUNKS = 16 };

struct sort {
    const struct surface *surface;
    const uint32_t *parents;
    uint32_t round, count, chunk_count, shift; /* count: the number of rows in the chunks */
    struct curve_key *from, *to;
    uint32_t (*starts)[DIGITS];     /* of chunks */
    uint32_t live[MOST_CHUNKS + 1]; /* indexed by chunk: the place of the first live vertex */
};

/* Spreads 16 bits, with two empty ones behind each. */
static uint64_t spread_bits(uint64_t bits)
{
    bits = (bits | bits << 16) & UINT64_C(0x0000FF0000FF);
    bits = (bits | bits << 8) & UINT64_C(0x00F00F00F00F);
    bits = (bits | bits << 4) & UINT64_C(0x0C30C30C30C3);
    return (bits | bits << 2) & UINT64_C(0x249249249249);
}

/* Returns the place on the curve. Each round shifts the curve by another step, so that its borders differ: the steps
 * are multiples of powers of the root of x^4 = x + 1. */
static uint64_t curve_code(const double point[3], uint32_t round)
{
    static const double steps[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};
    uint64_t code = 0;
    for (int axis = 0; axis < 3; axis++) {
        double shift = steps[axis] * round;
        double at = 0.5 * (point[axis] + 0.5 + shift - floor(shift)); /* 0 .. 1 */
        double cell = at * 65536;
        code |= spread_bits(cell < 65535 ? (uint64_t)(cell > 0 ? cell : 0) : 65535) << axis;
    }
    return code;
}

static uint32_t chunk_begin(const struct sort *sort, uint32_t chunk)
{
    return (uint32_t)((uint64_t)sort->count * chunk / sort->chunk_count);
}

static void set_chunks(struct sort *sort, uint32_t count)
{
    sort->count = count;
    sort->chunk_count = count / CHUNK_KEYS < MOST_CHUNKS ? count / CHUNK_KEYS + 1 : (uint32_t)MOST_CHUNKS;
}

static void count_live(void *user, uint32_t chunk, uint32_t worker)
{
    (void)worker;
    struct sort *sort = user;
    uint32_t live = 0;
    for (uint32_t vertex = chunk_begin(sort, chunk); vertex < chunk_begin(sort, chunk + 1); vertex++)
        live += sort->parents[vertex] == vertex;
    sort->live[chunk + 1] = live;
}

static void make_keys(void *user, uint32_t chunk, uint32_t worker)
{
    (void)worker;
    const struct sort *sort = user;
    struct curve_key *key = sort->from + sort->live[chunk];
    for (uint32_t vertex = chunk_begin(sort, chunk); vertex < chunk_begin(sort, chunk + 1); vertex++)
        if (sort->parents[vertex] == vertex)
            *key++ = (struct curve_key){curve_code(sort->surface->points[vertex], sort->round), vertex};
}

static uint32_t digit_of(const struct sort *sort, const struct curve_key *key)
{
    return (uint32_t)(key->code >> sort->shift & (DIGITS - 1));
}

static void count_digits(void *user, uint32_t chunk, uint32_t worker)
{
    (void)worker;
    const struct sort *sort = user;
    uint32_t *counts = sort->starts[chunk];
    memset(counts, 0, sizeof *sort->starts);
    for (uint32_t i = chunk_begin(sort, chunk); i < chunk_begin(sort, chunk + 1); i++)
        counts[digit_of(sort, &sort->from[i])]++;
}

static void move_keys(void *user, uint32_t chunk, uint32_t worker)
{
    (void)worker;
    const struct sort *sort = user;
    uint32_t *starts = sort->starts[chunk];
    for (uint32_t i = chunk_begin(sort, chunk); i < chunk_begin(sort, chunk + 1); i++)
        sort->to[starts[digit_of(sort, &sort->from[i])]++] = sort->from[i];
}

bool order_vertices(const struct surface *surface, const uint32_t *parents, uint32_t round, struct curve_key *keys,
                    uint32_t *count)
{
    cp_context *context = surface->context;
    struct curve_key *spare = memory_allocate(context, surface->vertex_count, sizeof *spare);
    struct sort sort = {.surface = surface, .parents = parents, .round = round, .from = keys, .to = spare};
    sort.starts = memory_allocate(context, MOST_CHUNKS, sizeof *sort.starts);
    /* Count the keys of the live vertices by chunks, then write them behind each other. */
    set_chunks(&sort, surface->vertex_count);
    bool good = spare && sort.starts && parallel_for(context, sort.chunk_count, count_live, &sort);
    for (uint32_t chunk = 0; chunk < sort.chunk_count; chunk++)
        sort.live[chunk + 1] += sort.live[chunk];
    good = good && parallel_for(context, sort.chunk_count, make_keys, &sort);
    set_chunks(&sort, sort.live[sort.chunk_count]);
    /* The number of passes is even, so that the last one writes to `keys`. */
    for (; good && sort.shift < KEY_BITS; sort.shift += DIGIT_BITS) {
        good = parallel_for(context, sort.chunk_count, count_digits, &sort);
        uint32_t total = 0;
        for (uint32_t digit = 0; good && digit < DIGITS; digit++)
            for (uint32_t chunk = 0; chunk < sort.chunk_count; chunk++) {
                uint32_t at = total;
                total += sort.starts[chunk][digit];
                sort.starts[chunk][digit] = at;
            }
        good = good && parallel_for(context, sort.chunk_count, move_keys, &sort);
        struct curve_key *from = sort.from;
        sort.from = sort.to;
        sort.to = from;
    }
    *count = sort.count;
    memory_free(context, spare, surface->vertex_count, sizeof *spare);
    memory_free(context, sort.starts, MOST_CHUNKS, sizeof *sort.starts);
    return good;
}
