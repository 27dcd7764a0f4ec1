/* Nodes that a recording hangs on one host after the other, without baking: each stands on each of its hosts, in a slot
 * that shows it there while it hangs there. The first slot in the text holds it, the others USE it. */
#include <math.h>
#include <stdlib.h>

#include "motion/clips/clips.h"
#include "vrml97.h"

/* A guest on a host, from one attachment to the next. */
struct stay {
    uint32_t guest, host, slot;
    uint32_t order;
    double from, until;
    bool begins; /* before any attachment */
};

/* ---- planning ---- */

/* Bakes guests that stand in what they hold in the course of the recording: no slot could hold both. A guest that holds
 * nobody is sound; taken away, it may leave others that hold nobody. Those that are left stand in a circle, or hold one
 * that does. Once these are baked, others stand in what stood in them: so again, a few times; then all are baked. */
static bool refuse_circles(struct vrml *v, struct slots *slots)
{
    enum { MOST_ROUNDS = 8 };
    const cp_clip *clip = v->recording->source;
    const cp_node *nodes = v->scene->nodes;
    uint32_t node_count = v->scene->node_count, last = 0, guests = 0;
    uint32_t *holders = vrml_plan_room(v, node_count, sizeof *holders); /* the nearest node in slots from here up */
    uint32_t *held = vrml_plan_room(v, node_count, sizeof *held);       /* how many stays it holds others for */
    uint32_t *first = vrml_plan_room(v, node_count, sizeof *first);     /* its last attachment, and the one before */
    uint32_t *next = vrml_plan_room(v, clip->attachment_count, sizeof *next);
    uint32_t *queue = vrml_plan_room(v, node_count, sizeof *queue);
    bool *sound = vrml_plan_room(v, node_count, sizeof *sound);
    if (v->failed)
        return false;
    for (uint32_t i = 0; i < node_count; i++)
        first[i] = CP_NONE;
    for (uint32_t i = 0; i < clip->attachment_count; i++) {
        next[i] = first[clip->attachments[i].node];
        first[clip->attachments[i].node] = i;
    }
    for (int round = 0; round < MOST_ROUNDS; round++) {
        memset(held, 0, node_count * sizeof *held);
        memset(sound, 0, node_count * sizeof *sound);
        last = guests = 0;
        for (uint32_t i = 0; i < node_count; i++)
            holders[i] = slots->kept[i] ? i : i == 0 ? CP_NONE : holders[nodes[i].parent];
        for (uint32_t i = 0; i < clip->attachment_count; i++) {
            const cp_attachment *at = &clip->attachments[i];
            const uint32_t holder[] = {holders[at->host], holders[nodes[at->node].parent]};
            for (int k = 0; k < 2; k++)
                if (holder[k] != CP_NONE && slots->kept[at->node])
                    held[holder[k]]++;
        }
        for (uint32_t i = 0; i < node_count; i++) {
            guests += slots->kept[i];
            if (slots->kept[i] && held[i] == 0)
                queue[last++] = i;
        }
        for (uint32_t done = 0; done < last; done++) {
            sound[queue[done]] = true;
            for (uint32_t i = first[queue[done]]; i != CP_NONE; i = next[i]) {
                const uint32_t holder[] = {holders[clip->attachments[i].host], holders[nodes[queue[done]].parent]};
                for (int k = 0; k < 2; k++)
                    if (holder[k] != CP_NONE && --held[holder[k]] == 0)
                        queue[last++] = holder[k];
            }
        }
        if (last == guests)
            return true;
        slots->cyclic += guests - last;
        memcpy(slots->kept, sound, node_count * sizeof *sound);
    }
    memset(slots->kept, 0, node_count * sizeof *slots->kept);
    return true;
}

static bool add_stay(struct vrml *v, struct slots *slots, struct stay stay)
{
    if (!array_reserve(v->context, &slots->stays, &slots->stay_room, slots->stay_count + UINT64_C(1), sizeof stay))
        return false;
    stay.order = slots->stay_count;
    slots->stays[slots->stay_count++] = stay;
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

/* Where each guest stands from when to when; of one guest and host all stays are one slot's. */
static bool list_slots(struct vrml *v, struct slots *slots)
{
    const cp_clip *clip = v->recording->source;
    uint32_t *latest = vrml_plan_room(v, v->scene->node_count, sizeof *latest); /* its stay that has no end yet */
    for (uint32_t i = 0; i < v->scene->node_count && latest; i++) {
        struct stay stay = {
            .guest = i, .host = v->scene->nodes[i].parent, .from = -INFINITY, .until = INFINITY, .begins = true};
        latest[i] = slots->stay_count;
        if (slots->kept[i] && !add_stay(v, slots, stay))
            return false;
    }
    for (uint32_t i = 0; i < clip->attachment_count && latest; i++) {
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
    if (slots->stay_count > 0)
        qsort(slots->stays, slots->stay_count, sizeof *slots->stays, compare_stays);
    slots->items = vrml_plan_room(v, slots->stay_count, sizeof *slots->items);
    for (uint32_t i = 0; slots->items && i < slots->stay_count; i++) {
        struct stay *stay = &slots->stays[i];
        const char *guest = v->scene->nodes[stay->guest].name;
        if (i == 0 || stay[-1].guest != stay->guest || stay[-1].host != stay->host)
            slots->items[slots->count++] = (struct slot){.guest = stay->guest,
                                                         .host = stay->host,
                                                         .first_stay = i,
                                                         .name = vrml_name(v, "slot_", guest),
                                                         .grip = vrml_name(v, "grip_", guest)};
        stay->slot = slots->count - 1;
        slots->items[stay->slot].stay_count++;
        slots->items[stay->slot].at_first |= stay->begins;
    }
    return !v->failed;
}

cp_status vrml_plan_slots(struct vrml *v)
{
    const cp_clip *clip = v->recording->source;
    uint32_t nodes = v->scene->node_count;
    if (v->settings->grab == VRML_BAKE || clip->attachment_count == 0)
        return CP_OK;
    struct slots *slots = v->recording->slots = vrml_plan_room(v, 1, sizeof *slots);
    if (!slots)
        return CP_LIMIT;
    slots->kept = vrml_plan_room(v, nodes, sizeof *slots->kept);
    slots->bodies = vrml_plan_room(v, nodes, sizeof *slots->bodies);
    slots->tracks = vrml_plan_room(v, nodes, sizeof *slots->tracks);
    if (v->failed)
        return CP_LIMIT;
    for (uint32_t i = 0; i < clip->attachment_count; i++)
        slots->kept[clip->attachments[i].node] = true;
    /* All slots of a guest must show it alike: none below a mirroring, or what is flat. */
    for (uint32_t i = 0; i < clip->attachment_count; i++) {
        uint32_t node = clip->attachments[i].node;
        bool plain = v->nodes[node].rest.kind == REST_NONE &&
                     v->nodes[v->scene->nodes[node].parent].rest.kind == REST_NONE &&
                     v->nodes[clip->attachments[i].host].rest.kind == REST_NONE;
        slots->mirrored += slots->kept[node] && !plain;
        slots->kept[node] = slots->kept[node] && plain;
    }
    if (!refuse_circles(v, slots))
        return CP_LIMIT;
    /* A guest keeps the shear of its own pose, unless its tracks set more than the translation. */
    for (uint32_t i = 0; i < nodes; i++) {
        struct rest rest = vrml_no_rest;
        struct placing placing;
        if (!slots->kept[i])
            continue;
        vrml_place(&rest, &v->scene->nodes[i].local, &placing);
        v->recording->posed[i] = rest.kind != REST_NONE;
    }
    for (uint32_t i = 0; i < clip->track_count; i++)
        if (clip->tracks[i].path == CP_PATH_ROTATION || clip->tracks[i].path == CP_PATH_SCALE)
            v->recording->posed[clip->tracks[i].target] = true;
    bool listed = list_slots(v, slots);
    if (slots->cyclic > 0)
        report_loss(v->context, "vrml97-grab-circle", NOWHERE, slots->cyclic,
                    "slots of frames that hold each other in the course of the recording: their motion is baked");
    if (slots->mirrored > 0)
        report_loss(v->context, "vrml97-grab-mirrored", NOWHERE, slots->mirrored,
                    "slots of frames in mirrored or flat ones: their motion is baked");
    return listed ? CP_OK : CP_LIMIT;
}

void vrml_free_slots(struct vrml *v, struct slots *slots)
{
    if (slots)
        memory_free(v->context, slots->stays, slots->stay_room, sizeof *slots->stays);
}

/* ---- in the text ---- */

/* The pose of a guest on its host at the beginning of its first stay there. */
static cp_pose first_grip(const struct vrml *v, const struct slots *slots, const struct slot *slot)
{
    cp_pose pose = vrml_node_pose(v, slot->guest);
    struct trs trs;
    if (slot->at_first)
        return pose;
    pose_to_trs(&pose, 1e-9, &trs);
    double *const parts[] = {trs.translation, trs.rotation, trs.scale};
    for (int i = 0; i < 3; i++)
        if (slots->tracks[slot->guest][i])
            track_value(slots->tracks[slot->guest][i], slots->stays[slot->first_stay].from, parts[i]);
    if (v->recording->posed[slot->guest])
        return pose_from_trs(&trs);
    for (int i = 0; i < 3; i++)
        pose.m[4 * i + 3] = trs.translation[i];
    return pose;
}

bool vrml_open_slot(struct vrml *v, uint32_t index)
{
    struct slots *slots = v->recording->slots;
    const struct slot *slot = &slots->items[index];
    cp_pose pose = first_grip(v, slots, slot);
    struct rest rest = vrml_no_rest;
    struct placing placing;
    vrml_place(&rest, &pose, &placing);
    vrml_open(v, slot->name, "Switch {");
    vrml_line(v, slot->at_first ? "whichChoice 0" : "whichChoice -1");
    vrml_open(v, NULL, "choice [");
    vrml_open_transform(v, slot->grip, &placing);
    if (!slots->bodies[slot->guest]) {
        slots->bodies[slot->guest] = v->nodes[slot->guest].name;
        vrml_open_group(v, v->nodes[slot->guest].name);
        return true;
    }
    vrml_indent(v);
    vrml_use(v, slots->bodies[slot->guest]);
    vrml_close_node(v);
    vrml_close_node(v);
    return false;
}

void vrml_close_slot(struct vrml *v)
{
    for (int i = 0; i < 3; i++) /* the Group, the grip, and what shows it */
        vrml_close_node(v);
}

/* ---- motion ---- */

/* A jump, two keys at a time: from not shown to shown, or back. What goes and comes at once has not gone. */
static void add_jump(struct vrml *v, struct vrml_keys *keys, double fraction, bool shown)
{
    if (v->failed)
        return;
    if (fraction == 0) {
        keys->values[0] = shown;
    } else if (keys->fractions[keys->count - 1] == fraction) {
        keys->count -= 2;
    } else {
        vrml_append_key(v, keys, fraction, &(double){!shown});
        vrml_append_key(v, keys, fraction, &(double){shown});
    }
}

/* An interpolator that is 1 while the slot is shown, else 0, from the first moment on, whatever is there at rest; and a
 * Script that makes a choice of it. */
static void write_showing(struct vrml *v, const struct slots *slots, const struct slot *slot)
{
    const char *wanted = v->scene->nodes[slot->guest].name;
    const char *name = vrml_name(v, "show_", wanted), *script = vrml_name(v, "choose_", wanted);
    struct vrml_keys keys = {.joint = CP_NONE, .path = CP_PATH_JOINT};
    vrml_append_key(v, &keys, 0, &(double){0});
    for (uint32_t i = 0; i < slot->stay_count; i++) {
        const struct stay *stay = &slots->stays[slot->first_stay + i];
        double from = isfinite(stay->from) ? vrml_fraction(v, stay->from) : 0;
        double until = isfinite(stay->until) ? vrml_fraction(v, stay->until) : INFINITY;
        if (!(from < until))
            continue;
        add_jump(v, &keys, from, true);
        if (until <= 1)
            add_jump(v, &keys, until, false);
    }
    vrml_complete_keys(v, &keys);
    if (!v->failed) {
        vrml_open(v, name, "ScalarInterpolator {");
        vrml_write_fractions(v, &keys);
        vrml_indent(v);
        sink_text(v->out, "keyValue [");
        for (uint32_t i = 0; i < keys.count; i++)
            sink_text(v->out, keys.values[i] > 0 ? " 1" : " 0");
        sink_text(v->out, " ]\n");
        vrml_close(v, "}");
        vrml_open(v, script, "Script {");
        vrml_line(v, "eventIn SFFloat set_value");
        vrml_line(v, "eventOut SFInt32 choice_changed");
        vrml_line(v, "url \"javascript: function set_value(value, time) { choice_changed = value < 0.5 ? -1 : 0; }\"");
        vrml_close(v, "}");
        vrml_add_wire(v, (struct wire){v->recording->timer, "fraction_changed", name, "set_fraction"});
        vrml_add_wire(v, (struct wire){name, "value_changed", script, "set_value"});
        vrml_add_wire(v, (struct wire){script, "choice_changed", slot->name, "set_whichChoice"});
    }
    vrml_free_keys(v, &keys);
}

/* The keys of a guest's track while it is in the slot. When it comes back from elsewhere it jumps, unseen. */
static void write_grip(struct vrml *v, const struct slots *slots, const struct slot *slot, const cp_track *track)
{
    struct vrml_keys keys = {.joint = CP_NONE, .path = track->path};
    double value[4], end = v->recording->last;
    for (uint32_t i = 0; i < slot->stay_count && !v->failed; i++) {
        const struct stay *stay = &slots->stays[slot->first_stay + i];
        double from = fmax(stay->from, v->recording->first), until = fmin(nextafter(stay->until, -INFINITY), end);
        if (!(from <= until))
            continue;
        track_value(track, from, value);
        vrml_add_key(v, &keys, vrml_fraction(v, from), value);
        for (uint32_t key = key_after(track, from); key < track->key_count && track->times[key] < until; key++)
            vrml_add_key(v, &keys, vrml_fraction(v, track->times[key]),
                         track->values + (size_t)key * path_width(track->path));
        track_value(track, until, value);
        if (until > from)
            vrml_add_key(v, &keys, vrml_fraction(v, until), value);
    }
    if (keys.count > 0)
        vrml_write_keys(v, &keys, v->recording->timer, v->scene->nodes[slot->guest].name, slot->grip);
    else
        vrml_free_keys(v, &keys);
}

void vrml_write_slots(struct vrml *v)
{
    const struct slots *slots = v->recording->slots;
    for (uint32_t i = 0; i < slots->count && !v->failed; i++) {
        write_showing(v, slots, &slots->items[i]);
        for (int k = 0; k < 3 && !v->failed; k++)
            if (slots->tracks[slots->items[i].guest][k])
                write_grip(v, slots, &slots->items[i], slots->tracks[slots->items[i].guest][k]);
    }
}
