/* Joining equal rows of 32-bit words: the one hash table behind vertices, edges and welds. */
#ifndef CELLPIPE_JOIN_H
#define CELLPIPE_JOIN_H

#include <string.h>

#include "../memory.h"

/* A hash of 32-bit words at any address, for tables of rows. Each word meets all 64 bits of what came before it, which
 * start from a seed that nobody outside can know: rows cannot be made to collide. */
static inline uint64_t hash_words(uint64_t seed, const void *words, size_t count)
{
    const unsigned char *bytes = words;
    uint64_t hash = seed;
    for (size_t i = 0; i < count; i++) {
        uint32_t word;
        memcpy(&word, bytes + 4 * i, 4);
        hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15); /* 2^64 / golden ratio (Knuth, TAOCP 6.4) */
        hash ^= hash >> 32;
    }
    return hash;
}

/* Row i is `words` 32-bit words at rows + 4 * stride * i bytes (stride >= words >= 1). first[i] becomes the lowest
 * index of a row with the same bits. first: count entries, the caller's. Expected linear time for any rows: the hash
 * has the context's seed, which cannot be seen in the result. False when out of memory. */
bool join_rows(cp_context *context, const void *rows, size_t stride, size_t words, uint32_t count, uint32_t *first);

/* The same, faster where equal rows are hardly ever near each other. */
bool join_scattered_rows(cp_context *context, const void *rows, size_t stride, size_t words, uint32_t count,
                         uint32_t *first);

/* The same for positions (x y z each), which are equal by value: -0 equals +0. */
bool join_positions(cp_context *context, const float *positions, uint32_t count, uint32_t *first);

/* Replaces the lowest equal indices of join_rows by dense ones, 0, 1, 2 ... in order of first use; returns how many. */
uint32_t join_number(uint32_t *first, uint32_t count);

#endif
