/* Passes chunks of bytes to a sink. */
#include "bytes.h"

struct slots {
    const struct chunks *chunks;
    struct sink *sink;
    char *bytes;             /* chunks->largest for each slot */
    size_t used[MOST_SLOTS]; /* of them */
};

static char *slot_start(const struct slots *slots, uint32_t slot)
{
    return slots->bytes + slot * slots->chunks->largest;
}

static void make_chunk(void *user, uint32_t item, uint32_t slot)
{
    struct slots *slots = user;
    const struct chunks *chunks = slots->chunks;
    char *start = slot_start(slots, slot);
    slots->used[slot] = (size_t)(chunks->make(chunks->user, item, slot, start) - start);
}

static bool write_chunk(void *user, uint32_t item, uint32_t slot)
{
    (void)item;
    const struct slots *slots = user;
    sink_write(slots->sink, slot_start(slots, slot), slots->used[slot]);
    return sink_status(slots->sink) == CP_OK;
}

cp_status write_chunks(cp_context *context, struct sink *sink, const struct chunks *chunks)
{
    struct slots slots = {.chunks = chunks, .sink = sink};
    uint32_t count = parallel_slots(context, chunks->count);
    slots.bytes = memory_allocate(context, count, chunks->largest);
    bool done = slots.bytes && parallel_in_order(context, chunks->count, make_chunk, write_chunk, &slots);
    memory_free(context, slots.bytes, count, chunks->largest);
    return done || sink_status(sink) != CP_OK ? sink_status(sink) : CP_LIMIT;
}
