/* A slot of the table is FREE, or an item's hash. The item's number replaces the low bits of the hash, as many as count
 * the slots. So an item seldom needs a look in vain, however many there are. The high half of the hash gives the place
 * of the slot. */
#include "join.h"

#include <string.h>

#include "base/base.h"
#include "base/context.h"

#define FREE UINT64_MAX
enum { LEAST_SLOTS = 64 };

/* Returns the place where an item of this hash belongs; the bits of a slot in use say the same as its hash. */
static uint64_t first_place(const struct points *points, uint64_t hash)
{
    return (hash >> 32) & (points->slot_count - 1);
}

static uint32_t number_in(const struct points *points, uint64_t slot)
{
    return (uint32_t)(slot & (points->slot_count - 1));
}

/* There are fewer items than slots: no slot in use looks free. */
static uint64_t make_slot(const struct points *points, uint64_t hash, uint32_t number)
{
    return (hash & ~(points->slot_count - 1)) | number;
}

/* Returns the slot that holds the position, or the free one where it belongs. */
static uint64_t *find_slot(const struct points *points, uint64_t hash, const float position[3])
{
    uint64_t mask = points->slot_count - 1;
    for (uint64_t at = first_place(points, hash);; at = (at + 1) & mask) {
        uint64_t slot = points->slots[at];
        if (slot == FREE ||
            ((slot ^ hash) < points->slot_count &&
             memcmp(points->items + 3 * (size_t)number_in(points, slot), position, 3 * sizeof *position) == 0))
            return &points->slots[at];
    }
}

/* At most seven eighths of the slots are taken. With more, searches get long; with less, the table of a mesh without
 * common points would need more memory than the file. */
static uint64_t slots_for(uint64_t count)
{
    uint64_t slot_count = LEAST_SLOTS;
    while (7 * slot_count < 8 * count)
        slot_count *= 2;
    return slot_count;
}

/* Doubles the slots in place and in order. A slot's item stays before its old place, or before the double of it,
 * because the items before it do. So the walk must begin behind a free slot. */
static void double_slots(struct points *points)
{
    uint64_t old_count = points->slot_count, begin = 0;
    memset(points->slots + old_count, 0xff, old_count * sizeof *points->slots);
    points->slot_count = 2 * old_count;
    while (points->slots[begin] != FREE)
        begin++;
    for (uint64_t i = begin; i < begin + old_count; i++) {
        uint64_t from = i & (old_count - 1), slot = points->slots[from];
        if (slot == FREE)
            continue;
        points->slots[from] = FREE;
        slot = make_slot(points, slot, (uint32_t)(slot & (old_count - 1)));
        uint64_t to = first_place(points, slot);
        while (points->slots[to] != FREE)
            to = (to + 1) & (points->slot_count - 1);
        points->slots[to] = slot;
    }
}

static void empty_slots(struct points *points, uint64_t slot_count)
{
    points->slot_count = slot_count;
    memset(points->slots, 0xff, slot_count * sizeof *points->slots);
}

bool points_reserve(struct points *points, uint64_t more)
{
    uint64_t count = points->count + more, room = slots_for(count);
    if (count > UINT32_C(1) << 31) {
        report_out_of_memory(points->context);
        return false;
    }
    if (!array_reserve(points->context, &points->items, &points->room, count, 3 * sizeof *points->items))
        return false;
    if (room <= points->slot_room)
        return true;
    uint64_t *slots =
        memory_resize(points->context, points->slots, points->slot_room * sizeof *slots, room * sizeof *slots);
    if (!slots)
        return false;
    points->slots = slots;
    points->slot_room = room;
    if (points->slot_count == 0) {
        points->seed = points->context->seed;
        empty_slots(points, LEAST_SLOTS);
    }
    return true;
}

uint32_t points_add(struct points *points, const float position[3])
{
    uint64_t hash = hash_words(points->seed, position, 3), *slot = find_slot(points, hash, position);
    if (*slot != FREE)
        return number_in(points, *slot);
    uint32_t number = points->count++;
    memcpy(points->items + 3 * (size_t)number, position, 3 * sizeof *position);
    *slot = make_slot(points, hash, number);
    if (8 * (uint64_t)points->count > 7 * points->slot_count)
        double_slots(points);
    return number;
}

/* Keeps as many slots as the items needed: the next ones will be about as many, and a few after many cost no more than
 * those did. */
void points_clear(struct points *points)
{
    if (points->slots)
        empty_slots(points, slots_for(points->count));
    points->count = 0;
}

void points_free(struct points *points)
{
    memory_free(points->context, points->items, points->room, 3 * sizeof *points->items);
    memory_free(points->context, points->slots, points->slot_room, sizeof *points->slots);
    *points = (struct points){.context = points->context};
}
