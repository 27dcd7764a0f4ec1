/* Keys of many tracks in one log. An array a track, which doubles as it grows, costs more: a recording of 1000 robots
 * and 7,904,207 keys takes 350 MiB where the log takes 177, and a third more CPU time; thinned to 2,757,249 keys it
 * takes 120 MiB where the log takes 93. */
#include "clips.h"

#include <string.h>

/* Blocks are large enough to go back to the system one by one when they are freed. */
enum {
    BLOCK_BYTES = (1 << 22) - 64,
    LONGEST_NUMBER = 5,
    LONGEST_KEY = 2 * LONGEST_NUMBER + 4 * sizeof(double),
    LOOKED_BACK = 8
};

/* A key: two numbers for its track and its moment, then its values. */
struct key_block {
    struct key_block *next;
    uint32_t used;
    unsigned char bytes[BLOCK_BYTES];
};

/* Writes the difference of two numbers, modulo 2^32, in 7 bits a byte. Differences near 0 take the fewest bytes; the
 * lowest bit is the sign. */
static unsigned char *put_difference(unsigned char *at, uint32_t from, uint32_t to)
{
    uint32_t up = to - from, folded = up < UINT32_C(1) << 31 ? 2 * up : 2 * (from - to) - 1;
    for (; folded >= 128; folded >>= 7)
        *at++ = (unsigned char)(folded | 128);
    *at++ = (unsigned char)folded;
    return at;
}

static const unsigned char *take_difference(const unsigned char *at, uint32_t *number)
{
    uint32_t folded = 0;
    for (int shift = 0;; shift += 7) {
        folded |= (uint32_t)(*at & 127) << shift;
        if (*at++ < 128)
            break;
    }
    *number += folded & 1 ? -(folded / 2 + 1) : folded / 2;
    return at;
}

bool key_log_add(struct key_log *log, uint32_t track, double time, const double *value, uint32_t width)
{
    /* Keys come step by step, so the moment is among the last ones. If it is not, it is stored twice. */
    uint32_t moment = log->moment_count, oldest = moment > LOOKED_BACK ? moment - LOOKED_BACK : 0;
    while (moment > oldest && log->moments[moment - 1] != time)
        moment--;
    if (moment > oldest) {
        moment--;
    } else {
        moment = log->moment_count;
        if (!array_reserve(log->context, &log->moments, &log->moment_room, moment + UINT64_C(1), sizeof *log->moments))
            return false;
        log->moments[log->moment_count++] = time;
    }
    if (!log->last || log->last->used + LONGEST_KEY > BLOCK_BYTES) {
        struct key_block *block = memory_allocate(log->context, 1, sizeof *block);
        if (!block)
            return false;
        block->next = NULL;
        block->used = 0;
        if (log->last)
            log->last->next = block;
        else
            log->first = block;
        log->last = block;
    }
    struct key_block *block = log->last;
    unsigned char *at = block->bytes + block->used;
    at = put_difference(at, log->latest.track, track);
    at = put_difference(at, log->latest.moment, moment);
    memcpy(at, value, width * sizeof *value);
    block->used = (uint32_t)(at - block->bytes) + width * (uint32_t)sizeof *value;
    log->latest = (struct key_name){track, moment};
    return true;
}

static void free_first(struct key_log *log)
{
    struct key_block *block = log->first;
    log->first = block->next;
    memory_free(log->context, block, 1, sizeof *block);
}

void key_log_deal(struct key_log *log, struct key_target *targets)
{
    struct key_name name = {0, 0};
    for (; log->first; free_first(log)) {
        const unsigned char *end = log->first->bytes + log->first->used;
        for (const unsigned char *at = log->first->bytes; at < end;) {
            at = take_difference(at, &name.track);
            at = take_difference(at, &name.moment);
            struct key_target *target = &targets[name.track];
            size_t size = target->width * sizeof *target->values;
            if (target->times) {
                *target->times++ = log->moments[name.moment];
                memcpy(target->values, at, size);
                target->values += target->width;
            }
            at += size;
        }
    }
    log->last = NULL;
    log->latest = (struct key_name){0, 0};
}

void key_log_free(struct key_log *log)
{
    while (log->first)
        free_first(log);
    memory_free(log->context, log->moments, log->moment_room, sizeof *log->moments);
    *log = (struct key_log){.context = log->context};
}
