/* A slot of the table is an item's number in its low half and its hash in its high half, or FREE: most slots that are passed
 * by need no look at their item. */
#include "points.h"
#include "../context.h"
#include "join.h"

#include <string.h>

#define FREE UINT64_MAX
enum { LEAST_SLOTS = 64, AHEAD = 16 /* so many slots are fetched into the cache in advance; a power of two */ };

static uint32_t hash_point(const struct points *points, const float position[3])
{
    uint32_t hash = (uint32_t)(hash_words(points->seed, position, 3) >> 32);
    return hash == UINT32_MAX ? 0 : hash; /* no slot in use looks free */
}

static bool is_item(const struct points *points, uint64_t slot, uint32_t hash, const float position[3])
{
    return slot >> 32 == hash &&
           memcmp(points->items + 3 * (size_t)(uint32_t)slot, position, 3 * sizeof *position) == 0;
}

/* The slot that holds the position, or the free one where it belongs. */
static uint64_t *find_slot(const struct points *points, uint32_t hash, const float position[3])
{
    uint64_t mask = points->slot_count - 1, at = hash & mask;
    while (points->slots[at] != FREE && !is_item(points, points->slots[at], hash, position))
        at = (at + 1) & mask;
    return &points->slots[at];
}

/* At most three quarters of the slots are taken. */
static uint64_t slots_for(uint64_t count)
{
    uint64_t slot_count = LEAST_SLOTS;
    while (3 * slot_count < 4 * count)
        slot_count *= 2;
    return slot_count;
}

static void prefetch_slot(const struct points *points, uint32_t hash)
{
    __builtin_prefetch(&points->slots[hash & (points->slot_count - 1)], 1);
}

static void put_item(struct points *points, uint32_t hash, uint32_t number)
{
    uint64_t mask = points->slot_count - 1, at = hash & mask;
    while (points->slots[at] != FREE)
        at = (at + 1) & mask;
    points->slots[at] = (uint64_t)hash << 32 | number;
}

/* All items into so many empty slots. */
static void fill_slots(struct points *points, uint64_t slot_count)
{
    uint32_t hashes[AHEAD];
    points->slot_count = slot_count;
    memset(points->slots, 0xff, slot_count * sizeof *points->slots);
    for (uint64_t i = 0; i < (uint64_t)points->count + AHEAD; i++) {
        if (i >= AHEAD)
            put_item(points, hashes[i % AHEAD], (uint32_t)(i - AHEAD));
        if (i >= points->count)
            continue;
        hashes[i % AHEAD] = hash_point(points, points->items + 3 * i);
        prefetch_slot(points, hashes[i % AHEAD]);
    }
}

/* The old slots go first: the items are enough to make new ones. */
static bool reserve_slots(struct points *points, uint64_t count)
{
    uint64_t room = slots_for(count), in_use = points->slot_count ? points->slot_count : LEAST_SLOTS;
    if (room <= points->slot_room)
        return true;
    memory_free(points->context, points->slots, points->slot_room, sizeof *points->slots);
    points->slot_count = points->slot_room = 0;
    points->slots = memory_allocate(points->context, room, sizeof *points->slots);
    if (!points->slots)
        return false;
    points->slot_room = room;
    points->seed = points->context->seed;
    fill_slots(points, in_use);
    return true;
}

bool points_reserve(struct points *points, uint64_t more)
{
    uint64_t count = points->count + more;
    if (count > UINT32_C(1) << 31) {
        report_out_of_memory(points->context);
        return false;
    }
    return array_reserve(points->context, &points->items, &points->room, count, 3 * sizeof *points->items) &&
           reserve_slots(points, count);
}

static uint32_t add_hashed(struct points *points, uint32_t hash, const float position[3])
{
    uint64_t *slot = find_slot(points, hash, position);
    if (*slot != FREE)
        return (uint32_t)*slot;
    uint32_t number = points->count++;
    memcpy(points->items + 3 * (size_t)number, position, 3 * sizeof *position);
    *slot = (uint64_t)hash << 32 | number;
    if (4 * (uint64_t)points->count > 3 * points->slot_count)
        fill_slots(points, 2 * points->slot_count);
    return number;
}

uint32_t points_add(struct points *points, const float position[3])
{
    return add_hashed(points, hash_point(points, position), position);
}

void points_add_all(struct points *points, const float *positions, uint32_t count, uint32_t *numbers)
{
    uint32_t hashes[AHEAD];
    for (uint64_t i = 0; i < (uint64_t)count + AHEAD; i++) {
        if (i >= AHEAD)
            numbers[i - AHEAD] = add_hashed(points, hashes[i % AHEAD], positions + 3 * (i - AHEAD));
        if (i >= count)
            continue;
        hashes[i % AHEAD] = hash_point(points, positions + 3 * i);
        prefetch_slot(points, hashes[i % AHEAD]);
    }
}

/* So many slots as the items needed: the next ones will be about as many, and a few after many cost no more than those did. */
void points_clear(struct points *points)
{
    uint64_t slot_count = slots_for(points->count);
    points->count = 0;
    if (points->slots)
        fill_slots(points, slot_count);
}

void points_free(struct points *points)
{
    memory_free(points->context, points->items, points->room, 3 * sizeof *points->items);
    memory_free(points->context, points->slots, points->slot_room, sizeof *points->slots);
    *points = (struct points){.context = points->context};
}
