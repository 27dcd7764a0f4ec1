/* Pairs of frames in collision: in the course of a clip. */
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/text/text.h"
#include "contacts.h"

enum { MOST_TIMES = 10000000 };
static const double precision = 0.001; /* seconds, of a passage's begin and end */

/* ---- when to look ---- */

struct times {
    double *items;
    uint32_t count, room;
};

static bool add_time(cp_context *context, struct times *times, double time)
{
    if (!array_reserve(context, &times->items, &times->room, times->count + UINT64_C(1), sizeof *times->items))
        return false;
    times->items[times->count++] = time;
    return true;
}

/* Returns the number of parts into which the way from one time to the next is cut. */
static double part_count(const double *times, uint32_t i, double step)
{
    return step > 0 ? fmax(1, ceil((times[i + 1] - times[i]) / step * (1 - 1e-9))) : 1;
}

static cp_status find_times(cp_context *context, const cp_clip *clip, double step, struct times *times)
{
    /* Lists all times at which a track has a key or something is attached, ascending. */
    struct times keys = {0};
    bool good = true;
    for (uint32_t i = 0; i < clip->track_count; i++)
        for (uint32_t key = 0; key < clip->tracks[i].key_count && good; key++)
            good = add_time(context, &keys, clip->tracks[i].times[key]);
    for (uint32_t i = 0; i < clip->attachment_count && good; i++)
        good = add_time(context, &keys, clip->attachments[i].time);
    if (good && keys.count == 0) /* a clip that moves nothing */
        good = add_time(context, &keys, 0);
    keys.count = (uint32_t)sort_times(keys.items, keys.count);
    double wanted = 1;
    for (uint32_t i = 0; good && i + 1 < keys.count; i++)
        wanted += part_count(keys.items, i, step);
    cp_status status = good ? CP_OK : CP_LIMIT;
    if (good && wanted > MOST_TIMES) {
        char digits[NUMBER_SIZE];
        print_double(step, digits);
        status = report_error(context, CP_USAGE, "collide-step", NOWHERE,
                              "a step of %s seconds makes %.0f moments, more than %d: take a larger one", digits,
                              wanted, (int)MOST_TIMES);
    }
    for (uint32_t i = 0; status == CP_OK && i < keys.count; i++) {
        uint32_t parts = i + 1 < keys.count ? (uint32_t)part_count(keys.items, i, step) : 1;
        for (uint32_t part = 0; part < parts && good; part++) {
            double way = part == 0 ? 0 : (keys.items[i + 1] - keys.items[i]) * part / parts;
            good = add_time(context, times, keys.items[i] + way);
        }
        status = good ? CP_OK : CP_LIMIT;
    }
    times->count = (uint32_t)sort_times(times->items, times->count);
    memory_free(context, keys.items, keys.room, sizeof *keys.items);
    return status;
}

/* ---- what is found ---- */

/* Moments in the making, each with a player of its own. */
struct seat {
    struct player player;
    struct contact_moment moment;
    cp_status status; /* of the player */
};

/* A pair that came near during the clip. */
struct sighting {
    cp_passage passage;
    uint32_t first_moment, last_moment; /* at which they collide */
    struct meeting meeting;             /* that goes on */
};

struct watch {
    cp_collider *collider;
    struct times times;
    double reach;
    struct seat *seats;

    struct sighting *sightings; /* ordered as they were found */
    uint32_t count, room;
    uint32_t *slots; /* where a pair's sighting is, by the pair's hash, or CP_NONE */
    uint32_t slot_count;
    cp_status status;
};

static uint32_t find_slot(const struct watch *watch, uint32_t first, uint32_t second)
{
    const uint32_t pair[2] = {first, second};
    uint32_t slot = (uint32_t)hash_bytes(watch->collider->context, pair, sizeof pair) & (watch->slot_count - 1);
    for (;; slot = (slot + 1) & (watch->slot_count - 1)) {
        if (watch->slots[slot] == CP_NONE)
            return slot;
        const cp_passage *there = &watch->sightings[watch->slots[slot]].passage;
        if (there->first == first && there->second == second)
            return slot;
    }
}

/* Returns the sighting of the pair, or a new one if the pair has none. NULL when out of memory. */
static struct sighting *find_sighting(struct watch *watch, const cp_contact *contact)
{
    cp_context *context = watch->collider->context;
    if (2 * (uint64_t)watch->count >= watch->slot_count) { /* half of the slots are taken: twice as many */
        uint32_t count = watch->slot_count ? 2 * watch->slot_count : 64;
        uint32_t *slots = count > watch->slot_count ? memory_allocate(context, count, sizeof *slots) : NULL;
        if (!slots)
            return NULL;
        memory_free(context, watch->slots, watch->slot_count, sizeof *slots);
        watch->slots = slots;
        watch->slot_count = count;
        memset(slots, 0xff, count * sizeof *slots);
        for (uint32_t i = 0; i < watch->count; i++) {
            const cp_passage *passage = &watch->sightings[i].passage;
            slots[find_slot(watch, passage->first, passage->second)] = i;
        }
    }
    if (!array_reserve(context, &watch->sightings, &watch->room, watch->count + UINT64_C(1), sizeof *watch->sightings))
        return NULL;
    uint32_t slot = find_slot(watch, contact->first, contact->second);
    if (watch->slots[slot] == CP_NONE) {
        watch->slots[slot] = watch->count;
        watch->sightings[watch->count++] =
            (struct sighting){.passage = {.first = contact->first, .second = contact->second, .distance = INFINITY}};
    }
    return &watch->sightings[watch->slots[slot]];
}

/* Notes that one of the pair takes the other, or still holds it: such a meeting is meant, not a collision. */
static void take_hold(const struct watch *watch, const cp_contact *contact, uint32_t moment)
{
    const uint32_t known = watch->count > 0 ? watch->slots[find_slot(watch, contact->first, contact->second)] : CP_NONE;
    struct meeting *meeting = known != CP_NONE ? &watch->sightings[known].meeting : NULL;
    if (meeting && meeting->count > 0 && meeting->last + UINT64_C(1) == moment)
        meeting->is_meant = true;
}

/* ---- looking ---- */

static void find_near(const struct watch *watch, struct seat *seat)
{
    moment_begin(&seat->moment, seat->player.worlds, watch->reach);
    if (seat->moment.lost != CP_NONE || seat->moment.count > seat->moment.room)
        return;
    for (uint32_t i = 0; i < seat->moment.count; i++)
        moment_measure(&seat->moment, i);
    moment_end(&seat->moment);
}

static void look(void *user, uint32_t item, uint32_t slot)
{
    const struct watch *watch = user;
    struct seat *seat = &watch->seats[slot];
    seat->status = player_seek(&seat->player, watch->times.items[item]);
    if (seat->status == CP_OK)
        find_near(watch, seat);
}

/* False, with the watch's status, when the seat's player has failed. */
static bool take_seat(void *user, uint32_t item, uint32_t slot)
{
    struct watch *watch = user;
    (void)item;
    if (watch->seats[slot].status != CP_OK)
        watch->status = watch->seats[slot].status;
    return watch->seats[slot].status == CP_OK;
}

static double most_rest(const struct watch *watch)
{
    return 2 * fmax(watch->collider->touch, 1e-6);
}

static uint32_t body_of(const struct bodies *bodies, uint32_t node)
{
    uint32_t low = 0, high = bodies->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (bodies->items[middle].node <= node)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Returns a time at which they collide, next to one at which they do not. */
static double find_border(struct seat *seat, const cp_passage *passage, double apart, double together, double within)
{
    const struct bodies *bodies = &seat->moment.collider->bodies;
    uint32_t pair[2] = {body_of(bodies, passage->first), body_of(bodies, passage->second)};
    while (seat->status == CP_OK && fabs(together - apart) > within) {
        double middle = apart + (together - apart) / 2;
        if (middle == apart || middle == together)
            break;
        seat->status = player_seek(&seat->player, middle);
        for (int i = 0; i < 2 && seat->status == CP_OK; i++)
            place_body(&seat->moment.placed[pair[i]], &bodies->items[pair[i]],
                       &seat->player.worlds[bodies->items[pair[i]].node]);
        if (seat->status == CP_OK && moment_collide(&seat->moment, pair[0], pair[1]))
            together = middle;
        else
            apart = middle;
    }
    return together;
}

/* Tells whether the frames rest from the first contact on, and have not moved further into each other until the next
 * moment. A move is twice the distance that counts as touching: an object is lifted that far before it is free. */
static bool begins_at_rest(const struct watch *watch, struct seat *seat, const struct sighting *sighting)
{
    const struct meeting *meeting = &sighting->meeting;
    const cp_passage *passage = &sighting->passage;
    const double *times = watch->times.items, now = seat->player.time;
    if (meeting->first == 0)
        return true;
    const double exactly = 1e-9, before = times[meeting->first - 1];
    const double begin = find_border(seat, passage, before, times[meeting->first], exactly);
    bool rests = true;
    for (int i = 0; i < 2 && rests; i++) { /* neither did it jump there */
        if (seat->status == CP_OK)
            seat->status = player_seek(&seat->player, i == 0 ? begin : fmax(before, begin - 2 * exactly));
        rests = seat->status == CP_OK &&
                meeting_is_like_now(meeting, &seat->player, passage->first, passage->second, most_rest(watch));
    }
    if (seat->status == CP_OK)
        seat->status = player_seek(&seat->player, now);
    return rests;
}

/* Ends a meeting because the frames have parted or the clip is over; it becomes a rest or a collision. */
static void end_meeting(const struct watch *watch, struct seat *seat, struct sighting *sighting)
{
    cp_passage *passage = &sighting->passage;
    const struct meeting *meeting = &sighting->meeting;
    if (meeting->count > 0 && meeting_rests(meeting) && begins_at_rest(watch, seat, sighting)) {
        if (passage->resting == 0)
            passage->rest_begin = watch->times.items[meeting->first];
        passage->rest_end = watch->times.items[meeting->last];
        passage->resting += meeting->count;
    } else if (meeting->count > 0) {
        if (passage->moments == 0)
            sighting->first_moment = meeting->first;
        sighting->last_moment = meeting->last;
        passage->moments += meeting->count;
    }
    sighting->meeting.count = 0;
}

static bool note(void *user, uint32_t item, uint32_t slot)
{
    struct watch *watch = user;
    struct contact_moment *moment = &watch->seats[slot].moment;
    if (!take_seat(watch, item, slot))
        return false;
    if (moment->lost != CP_NONE) {
        watch->status = moment_complain(moment);
        return false;
    }
    if (moment->count > moment->room) { /* the calling thread can allocate the room */
        if (!moment_make_room(moment))
            return false;
        find_near(watch, &watch->seats[slot]);
    }
    const struct player *player = &watch->seats[slot].player;
    for (uint32_t i = 0; i < moment->count; i++) {
        const cp_contact *contact = &moment->contacts[i];
        if (is_held_by_other(player, contact->first, contact->second)) {
            take_hold(watch, contact, item);
            continue;
        }
        struct sighting *sighting = find_sighting(watch, contact);
        if (!sighting)
            return false;
        if (contact->distance < sighting->passage.distance) {
            sighting->passage.distance = contact->distance;
            sighting->passage.nearest = watch->times.items[item];
        }
        if (contact->distance > 0)
            continue;
        if (sighting->meeting.last + UINT64_C(1) != item)
            end_meeting(watch, &watch->seats[slot], sighting);
        meeting_add(&sighting->meeting, player, item, contact->first, contact->second, most_rest(watch));
    }
    if (!take_seat(watch, item, slot))
        return false;
    context_progress(watch->collider->context,
                     (cp_progress){.work = "collide", .done = item, .total = watch->times.count});
    return true;
}

/* ---- when exactly ---- */

static void find_borders(void *user, uint32_t item, uint32_t slot)
{
    const struct watch *watch = user;
    struct sighting *sighting = &watch->sightings[item];
    cp_passage *passage = &sighting->passage;
    const double *times = watch->times.items;
    uint32_t first = sighting->first_moment, last = sighting->last_moment;
    if (passage->moments == 0)
        return;
    passage->begin = passage->end = times[first];
    if (first > 0)
        passage->begin = find_border(&watch->seats[slot], passage, times[first - 1], times[first], precision);
    passage->end = times[last];
    if (last + 1 < watch->times.count)
        passage->end = find_border(&watch->seats[slot], passage, times[last + 1], times[last], precision);
    passage->nearest = passage->begin;
}

/* ---- the whole ---- */

static int compare_passages(const void *a, const void *b)
{
    const cp_passage *one = a, *other = b;
    if (one->first != other->first)
        return one->first < other->first ? -1 : 1;
    return one->second < other->second ? -1 : one->second > other->second;
}

cp_status cp_collide_clip(cp_collider *collider, uint32_t clip, double step, double clearance, cp_passages *passages)
{
    cp_context *context = collider->context;
    if (struct_check(context, passages) != CP_OK)
        return context_finish(context, CP_USAGE);
    cp_passages found = {.size = sizeof found};
    struct_give(passages, &found, sizeof found);
    if (clip >= collider->scene->clip_count || !(step >= 0 && clearance >= 0))
        return report_error(context, CP_USAGE, "collide-step", NOWHERE,
                            "needs a clip of the scene, and a step and a clearance of at least 0");
    const cp_clip *played = &collider->scene->clips[clip];
    struct watch watch = {.collider = collider, .reach = fmax(clearance, collider->touch)};
    cp_status status = find_times(context, played, step, &watch.times);
    uint32_t seats = parallel_slots(context, INT32_MAX), opened = 0;
    if (status == CP_OK) {
        watch.seats = memory_allocate_zeroed(context, seats, sizeof *watch.seats);
        status = watch.seats ? CP_OK : CP_LIMIT;
    }
    while (opened < seats && status == CP_OK) {
        struct seat *seat = &watch.seats[opened++];
        status = player_start(&seat->player, context, collider->scene, played);
        if (!moment_open(&seat->moment, collider) && status == CP_OK)
            status = CP_LIMIT;
    }
    if (status == CP_OK) {
        watch.status = CP_LIMIT; /* unless another failure is known */
        bool done = parallel_in_order(context, watch.times.count, look, note, &watch);
        for (uint32_t i = 0; i < watch.count; i++)
            end_meeting(&watch, &watch.seats[0], &watch.sightings[i]);
        done = done && take_seat(&watch, 0, 0) &&
               parallel_in_order(context, watch.count, find_borders, take_seat, &watch) &&
               array_reserve(context, &collider->passages, &collider->passage_room, watch.count,
                             sizeof *collider->passages);
        status = done ? CP_OK : watch.status;
    }
    if (status == CP_OK) {
        for (uint32_t i = 0; i < watch.count; i++)
            collider->passages[i] = watch.sightings[i].passage;
        if (watch.count > 0)
            qsort(collider->passages, watch.count, sizeof *collider->passages, compare_passages);
        found = (cp_passages){.items = collider->passages,
                              .count = watch.count,
                              .moments = watch.times.count,
                              .first = watch.times.items[0],
                              .last = watch.times.items[watch.times.count - 1]};
        struct_give(passages, &found, sizeof found);
    }
    while (opened > 0) {
        moment_close(&watch.seats[--opened].moment);
        player_free(&watch.seats[opened].player);
    }
    memory_free(context, watch.seats, seats, sizeof *watch.seats);
    memory_free(context, watch.sightings, watch.room, sizeof *watch.sightings);
    memory_free(context, watch.slots, watch.slot_count, sizeof *watch.slots);
    memory_free(context, watch.times.items, watch.times.room, sizeof *watch.times.items);
    return context_finish(context, status);
}
