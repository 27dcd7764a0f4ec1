/* Joining equal and near vertices. */
#ifndef CELLPIPE_MESH_JOIN_H
#define CELLPIPE_MESH_JOIN_H

#include <stdint.h>
#include <string.h>

#include "cellpipe.h"

/* Joins equal rows of 32-bit words: the one hash table behind vertices, edges and welds. */

/* Hashes 32-bit words at any address, for tables of rows. Each word is mixed with all 64 bits of the hash before it,
 * which starts from a secret seed: no file can make rows collide. */
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

/* Finds equal rows. Row i is `words` 32-bit words at rows + 4 * stride * i bytes (stride >= words >= 1). first[i]
 * becomes the lowest index of a row with the same bits. first: count entries, the caller's. Expected linear time for
 * any rows: the hash has the context's seed, which does not show in the result. False when out of memory. */
bool join_rows(cp_context *context, const void *rows, size_t stride, size_t words, uint32_t count, uint32_t *first);

/* Does the same, faster if equal rows are hardly ever near each other. */
bool join_scattered_rows(cp_context *context, const void *rows, size_t stride, size_t words, uint32_t count,
                         uint32_t *first);

/* Does the same for positions (x y z each), which are equal by value: -0 equals +0. */
bool join_positions(cp_context *context, const float *positions, uint32_t count, uint32_t *first);

/* Replaces the lowest equal indices of join_rows by dense ones, 0, 1, 2 ... in order of first use; returns how many. */
uint32_t join_number(uint32_t *first, uint32_t count);

/* Positions joined while they come in: equal bit patterns get one number, in order of first use. */

/* Start: {.context = context}. */
struct points {
    cp_context *context;
    float *items;        /* x, y, z each */
    uint32_t count;      /* of items */
    uint32_t room;       /* for items */
    uint64_t *slots;     /* a table of numbers by hash, see points.c */
    uint64_t slot_count; /* slots in use, a power of two or 0 */
    uint64_t slot_room;  /* allocated */
    uint64_t seed;       /* seed of the hash; cannot be seen in the numbers */
};

/* Makes room for `more` items, so that adding them cannot fail. At most 2^31 items in all. */
bool points_reserve(struct points *points, uint64_t more);
/* Returns the number of the position, new or not; there must be room. Takes no memory, so any thread may call it. */
uint32_t points_add(struct points *points, const float position[3]);
/* Forgets the items, keeps the room. */
void points_clear(struct points *points);
void points_free(struct points *points);

/* Joining positions that are near each other. */

/* Goes through count positions (x y z each) in order: first[i] becomes the lowest index of an earlier position that
 * leads, lies within `distance` of position i and has the same class; where there is none, i leads itself. Leaders
 * are thus farther apart than `distance`. distance > 0. first: the caller's. Expected linear time. False when out of
 * memory. */
bool grid_join(cp_context *context, const float *positions, const uint32_t *classes, uint32_t count, double distance,
               uint32_t *first);

/* Disjoint sets of numbers that can be joined: leaders[i] is i for the lowest number of a set, for others a number
 * nearer to it. */

/* Returns the lowest number of the set. Halves the way to it at each call. */
static inline uint32_t set_leader(uint32_t *leaders, uint32_t member)
{
    while (leaders[member] != member)
        member = leaders[member] = leaders[leaders[member]];
    return member;
}

static inline void sets_join(uint32_t *leaders, uint32_t a, uint32_t b)
{
    a = set_leader(leaders, a);
    b = set_leader(leaders, b);
    leaders[a < b ? b : a] = a < b ? a : b;
}

#endif
