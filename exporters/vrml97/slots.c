/* Nodes that a recording hangs on one host after the other, without baking: each stands on each of its hosts, in a slot that shows it
 * there while it hangs there. The first slot in the text holds it, the others USE it. */
#include <math.h>
#include <stdlib.h>

#include "slots.h"

/* ---- who can be shown in slots ---- */

static void mark_guests(struct vrml *v, struct slots *slots)
{
    const cp_clip *clip = v->recording->source;
    for (uint32_t i = 0; i < clip->attachment_count; i++)
        slots->kept[clip->attachments[i].node] = true;
}

/* All slots of a guest must show it alike: none below a mirroring, or what is flat. */
static void refuse_mirrored(struct vrml *v, struct slots *slots)
{
    const cp_clip *clip = v->recording->source;
    for (uint32_t i = 0; i < clip->attachment_count; i++) {
        uint32_t node = clip->attachments[i].node;
        bool plain = v->nodes[node].rest.kind == REST_NONE &&
                     v->nodes[v->scene->nodes[node].parent].rest.kind == REST_NONE &&
                     v->nodes[clip->attachments[i].host].rest.kind == REST_NONE;
        slots->mirrored += slots->kept[node] && !plain;
        slots->kept[node] = slots->kept[node] && plain;
    }
}

/* The nearest node in slots, from a node up; CP_NONE when it stands in none. */
static void find_holders(const struct vrml *v, const struct slots *slots, uint32_t *holders)
{
    for (uint32_t i = 0; i < v->scene->node_count; i++)
        holders[i] = slots->kept[i] ? i : i == 0 ? CP_NONE : holders[v->scene->nodes[i].parent];
}

/* Guests that stand in what they hold, over the whole recording: found by taking away those that hold nobody, again and again. */
struct holding {
    uint32_t *holders;      /* of each node */
    uint32_t *held;         /* how many pairs a guest is the holder in */
    uint32_t *ends, *pairs; /* pairs of attachments by guest */
    uint32_t *queue;
};

static uint32_t holder_of(const struct vrml *v, const struct holding *holding, uint32_t pair)
{
    const cp_clip *clip = v->recording->source;
    uint32_t host = pair < clip->attachment_count
                        ? clip->attachments[pair].host
                        : v->scene->nodes[clip->attachments[pair - clip->attachment_count].node].parent;
    return holding->holders[host];
}

static uint32_t guest_of(const struct vrml *v, uint32_t pair)
{
    const cp_clip *clip = v->recording->source;
    return clip->attachments[pair % clip->attachment_count].node;
}

static void list_pairs(const struct vrml *v, const struct slots *slots, struct holding *holding)
{
    uint32_t nodes = v->scene->node_count, pairs = 2 * v->recording->source->attachment_count, start = 0;
    memset(holding->ends, 0, nodes * sizeof *holding->ends);
    memset(holding->held, 0, nodes * sizeof *holding->held);
    for (uint32_t i = 0; i < pairs; i++) {
        uint32_t holder = holder_of(v, holding, i);
        holding->ends[guest_of(v, i)]++;
        if (holder != CP_NONE && slots->kept[guest_of(v, i)])
            holding->held[holder]++;
    }
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t own = holding->ends[i];
        holding->ends[i] = start;
        start += own;
    }
    for (uint32_t i = 0; i < pairs; i++)
        holding->pairs[holding->ends[guest_of(v, i)]++] = i;
}

/* Those that are left when all that hold nobody are taken away stand in a circle, or hold one that does: they are baked. */
static bool refuse_circles_once(struct vrml *v, struct slots *slots, struct holding *holding)
{
    uint32_t nodes = v->scene->node_count, first = 0, last = 0, guests = 0;
    find_holders(v, slots, holding->holders);
    list_pairs(v, slots, holding);
    for (uint32_t i = 0; i < nodes; i++) {
        guests += slots->kept[i];
        if (slots->kept[i] && holding->held[i] == 0)
            holding->queue[last++] = i;
    }
    while (first < last) {
        uint32_t guest = holding->queue[first++];
        for (uint32_t i = guest > 0 ? holding->ends[guest - 1] : 0; i < holding->ends[guest]; i++) {
            uint32_t holder = holder_of(v, holding, holding->pairs[i]);
            if (holder != CP_NONE && --holding->held[holder] == 0)
                holding->queue[last++] = holder;
        }
    }
    if (last == guests)
        return false;
    slots->cyclic += guests - last;
    bool *sound = arena_allocate(v->arena, nodes, sizeof *sound);
    v->failed |= !sound;
    for (uint32_t i = 0; sound && i < nodes; i++)
        sound[i] = false;
    for (uint32_t i = 0; sound && i < last; i++)
        sound[holding->queue[i]] = true;
    for (uint32_t i = 0; sound && i < nodes; i++)
        slots->kept[i] = slots->kept[i] && sound[i];
    return sound != NULL;
}

/* Once some are baked, others stand in those instead: it is looked at again, a few times; then all are baked. */
static cp_status refuse_circles(struct vrml *v, struct slots *slots)
{
    enum { MOST_ROUNDS = 8 };
    uint32_t nodes = v->scene->node_count;
    size_t pairs = 2 * (size_t)v->recording->source->attachment_count;
    struct holding holding = {
        arena_allocate(v->arena, nodes, sizeof(uint32_t)), arena_allocate(v->arena, nodes, sizeof(uint32_t)),
        arena_allocate(v->arena, nodes, sizeof(uint32_t)), arena_allocate(v->arena, pairs, sizeof(uint32_t)),
        arena_allocate(v->arena, nodes, sizeof(uint32_t))};
    if (!holding.holders || !holding.held || !holding.ends || !holding.pairs || !holding.queue)
        return CP_LIMIT;
    int round = 0;
    while (round < MOST_ROUNDS && refuse_circles_once(v, slots, &holding))
        round++;
    if (round == MOST_ROUNDS)
        memset(slots->kept, 0, nodes * sizeof *slots->kept);
    return v->failed ? CP_LIMIT : CP_OK;
}

/* ---- stays and slots ---- */

static bool add_stay(struct vrml *v, struct slots *slots, struct stay stay)
{
    if (!array_reserve(v->context, &slots->stays, &slots->stay_room, slots->stay_count + UINT64_C(1), sizeof stay))
        return false;
    stay.order = slots->stay_count;
    slots->stays[slots->stay_count++] = stay;
    return true;
}

/* latest[node]: its stay that has no end yet. */
static bool list_stays(struct vrml *v, struct slots *slots, uint32_t *latest)
{
    const cp_clip *clip = v->recording->source;
    for (uint32_t i = 0; i < v->scene->node_count; i++) {
        struct stay stay = {
            .guest = i, .host = v->scene->nodes[i].parent, .from = -INFINITY, .until = INFINITY, .begins = true};
        latest[i] = slots->stay_count;
        if (slots->kept[i] && !add_stay(v, slots, stay))
            return false;
    }
    for (uint32_t i = 0; i < clip->attachment_count; i++) {
        const cp_attachment *attachment = &clip->attachments[i];
        struct stay stay = {
            .guest = attachment->node, .host = attachment->host, .from = attachment->time, .until = INFINITY};
        if (!slots->kept[attachment->node])
            continue;
        slots->stays[latest[attachment->node]].until = attachment->time;
        latest[attachment->node] = slots->stay_count;
        if (!add_stay(v, slots, stay))
            return false;
    }
    return true;
}

static int compare_stays(const void *a, const void *b)
{
    const struct stay *first = a, *second = b;
    if (first->guest != second->guest)
        return first->guest < second->guest ? -1 : 1;
    if (first->host != second->host)
        return first->host < second->host ? -1 : 1;
    return (first->order > second->order) - (first->order < second->order);
}

static bool list_slots(struct vrml *v, struct slots *slots)
{
    if (slots->stay_count > 0)
        qsort(slots->stays, slots->stay_count, sizeof *slots->stays, compare_stays);
    slots->items = arena_allocate(v->arena, slots->stay_count, sizeof *slots->items);
    for (uint32_t i = 0; slots->items && i < slots->stay_count; i++) {
        struct stay *stay = &slots->stays[i];
        bool new = i == 0 || stay[-1].guest != stay->guest || stay[-1].host != stay->host;
        if (new) {
            slots->items[slots->count++] =
                (struct slot){.guest = stay->guest,
                              .host = stay->host,
                              .first_stay = i,
                              .name = vrml_name(v, "slot_", v->scene->nodes[stay->guest].name),
                              .grip = vrml_name(v, "grip_", v->scene->nodes[stay->guest].name)};
        }
        stay->slot = slots->count - 1;
        slots->items[stay->slot].stay_count++;
        slots->items[stay->slot].at_first |= stay->begins;
    }
    return slots->items && !v->failed;
}

/* What stands in slots keeps the shear of its own pose, unless its tracks set more than the translation. */
static void keep_shear(struct vrml *v, const struct slots *slots)
{
    const cp_clip *clip = v->recording->source;
    bool *posed = v->recording->posed;
    for (uint32_t i = 0; i < v->scene->node_count; i++) {
        struct rest rest = vrml_no_rest;
        struct placing placing;
        if (!slots->kept[i])
            continue;
        vrml_place(&rest, &v->scene->nodes[i].local, &placing);
        posed[i] = rest.kind != REST_NONE;
    }
    for (uint32_t i = 0; i < clip->track_count; i++)
        if (clip->tracks[i].path == CP_PATH_ROTATION || clip->tracks[i].path == CP_PATH_SCALE)
            posed[clip->tracks[i].target] = true;
}

static cp_status fill_slots(struct vrml *v, struct slots *slots)
{
    uint32_t nodes = v->scene->node_count, *latest = arena_allocate(v->arena, nodes, sizeof *latest);
    slots->kept = arena_allocate(v->arena, nodes, sizeof *slots->kept);
    slots->bodies = arena_allocate(v->arena, nodes, sizeof *slots->bodies);
    slots->tracks = arena_allocate(v->arena, nodes, sizeof *slots->tracks);
    if (!latest || !slots->kept || !slots->bodies || !slots->tracks)
        return CP_LIMIT;
    memset(slots->kept, 0, nodes * sizeof *slots->kept);
    memset(slots->bodies, 0, nodes * sizeof *slots->bodies);
    memset(slots->tracks, 0, nodes * sizeof *slots->tracks);
    mark_guests(v, slots);
    refuse_mirrored(v, slots);
    cp_status status = refuse_circles(v, slots);
    if (status != CP_OK)
        return status;
    keep_shear(v, slots);
    return list_stays(v, slots, latest) && list_slots(v, slots) ? CP_OK : CP_LIMIT;
}

cp_status vrml_plan_slots(struct vrml *v)
{
    if (v->settings->grab == VRML_BAKE || v->recording->source->attachment_count == 0)
        return CP_OK;
    struct slots *slots = v->recording->slots = arena_allocate(v->arena, 1, sizeof *slots);
    if (!slots)
        return CP_LIMIT;
    *slots = (struct slots){0};
    cp_status status = fill_slots(v, slots);
    if (slots->cyclic > 0)
        report_loss(v->context, "vrml97-grab-circle", NOWHERE, slots->cyclic,
                    "slots of frames that hold each other in the course of the recording: their motion is baked");
    if (slots->mirrored > 0)
        report_loss(v->context, "vrml97-grab-mirrored", NOWHERE, slots->mirrored,
                    "slots of frames in mirrored or flat ones: their motion is baked");
    return status;
}

void vrml_free_slots(struct vrml *v, struct slots *slots)
{
    if (slots)
        memory_free(v->context, slots->stays, slots->stay_room, sizeof *slots->stays);
}

const bool *vrml_slot_guests(const struct slots *slots)
{
    return slots ? slots->kept : NULL;
}
