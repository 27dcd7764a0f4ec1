/* Positions joined while they come in: equal bit patterns get one number, in order of first use. */
#ifndef CELLPIPE_POINTS_H
#define CELLPIPE_POINTS_H

#include "../memory.h"

/* Start: {.context = context}. */
struct points {
    cp_context *context;
    float *items;        /* x, y, z each */
    uint32_t count;      /* of items */
    uint32_t room;       /* for items */
    uint64_t *slots;     /* a table of numbers by hash, see points.c */
    uint64_t slot_count; /* in use, a power of two or 0 */
    uint64_t slot_room;  /* allocated */
    uint64_t seed;       /* of the hash; cannot be seen in the numbers */
};

/* Makes room for `more` items, so that adding them cannot fail. At most 2^31 items in all. */
bool points_reserve(struct points *points, uint64_t more);
/* The number of the position, which is new or not; there must be room. Takes no memory: may be called in any thread. */
uint32_t points_add(struct points *points, const float position[3]);
/* Forgets the items, keeps the room. */
void points_clear(struct points *points);
void points_free(struct points *points);

#endif
