/* Nodes that a recording hangs on one host after the other, without baking: each stands on each of its hosts, in a slot that shows it
 * there while it hangs there. The first slot in the text holds it, the others USE it. */
#include <math.h>
#include <stdlib.h>

#include "vrml97.h"

/* What hides a slot where nothing can be switched off: it gets too small to see. */
#define HIDDEN_SCALE 1e-6

struct slot {
    uint32_t guest, host; /* nodes */
    bool at_first;        /* shown before the recording begins */
    const char *name;     /* DEF name of what shows it */
    const char *grip;     /* DEF name of the Transform in it */
    uint32_t first_stay, stay_count;
};

/* A guest on a host, from one attachment to the next. */
struct stay {
    uint32_t guest, host, slot;
    uint32_t order;
    double from, until;
    bool begins; /* before any attachment */
};

struct slots {
    bool *kept; /* nodes in slots */
    struct slot *items;
    struct stay *stays;  /* by slot, then by time */
    const char **bodies; /* DEF name of what is in a node's slots, NULL until it is written */
    uint32_t count, stay_count, stay_room;
    const cp_track *(*tracks)[3]; /* of nodes: translation, rotation, scale */
    uint64_t cyclic, mirrored;    /* guests that are baked instead */
};

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

/* ---- in the text ---- */

/* In the order of the scene's nodes, then slots; a placeholder that holds nothing is left out. */
void vrml_plan_children(struct vrml *v)
{
    const struct slots *slots = v->recording ? v->recording->slots : NULL;
    uint32_t nodes = v->scene->node_count, count = slots ? slots->count : 0;
    v->children = arena_allocate(v->arena, (size_t)nodes + count, sizeof *v->children);
    v->failed |= !v->children;
    for (uint32_t i = 0; i < nodes; i++)
        v->nodes[i].first_child = v->nodes[i].place = CP_NONE;
    for (uint32_t i = nodes + count; i-- > 0 && !v->failed;) {
        const struct slot *slot = i >= nodes ? &slots->items[i - nodes] : NULL;
        uint32_t node = slot ? slot->guest : i;
        const cp_node *source = &v->scene->nodes[node];
        uint32_t owner = slot ? slot->host : source->parent;
        v->children[i] = (struct child){node, owner, CP_NONE, slot ? i - nodes : CP_NONE};
        bool bare = !slot && source->flags & CP_NODE_PLACEHOLDER && source->instance_count == 0 &&
                    v->nodes[node].first_child == CP_NONE;
        if (owner == CP_NONE || bare || (!slot && slots && slots->kept[node]))
            continue;
        v->children[i].next = v->nodes[owner].first_child;
        v->nodes[owner].first_child = i;
    }
}

/* The pose of a guest on its host at the beginning of its first stay there. */
static cp_pose first_grip(const struct vrml *v, const struct slots *slots, const struct slot *slot)
{
    const cp_track *const *tracks = slots->tracks[slot->guest];
    double from = slots->stays[slot->first_stay].from;
    cp_pose pose = vrml_node_pose(v, slot->guest);
    struct trs trs;
    if (slot->at_first)
        return pose;
    pose_to_trs(&pose, 1e-9, &trs);
    double *const parts[] = {trs.translation, trs.rotation, trs.scale};
    for (int i = 0; i < 3; i++)
        if (tracks[i])
            track_value(tracks[i], from, parts[i]);
    if (v->recording->posed[slot->guest])
        return pose_from_trs(&trs);
    for (int i = 0; i < 3; i++)
        pose.m[4 * i + 3] = trs.translation[i];
    return pose;
}

void vrml_index_slots(struct vrml *v)
{
    struct slots *slots = v->recording->slots;
    const cp_clip *clip = &v->recording->clip;
    for (uint32_t i = 0; slots && i < clip->track_count; i++)
        if (clip->tracks[i].path != CP_PATH_JOINT)
            slots->tracks[clip->tracks[i].target][clip->tracks[i].path - CP_PATH_TRANSLATION] = &clip->tracks[i];
}

static void open_holder(struct vrml *v, const struct slot *slot)
{
    bool by_switch = v->settings->grab == VRML_SWITCH;
    double scale = slot->at_first ? 1 : HIDDEN_SCALE;
    vrml_open(v, slot->name, by_switch ? "Switch {" : "Transform {");
    if (by_switch) {
        vrml_line(v, slot->at_first ? "whichChoice 0" : "whichChoice -1");
    } else if (!slot->at_first) {
        vrml_indent(v);
        vrml_vector(v, "scale", (double[]){scale, scale, scale});
        sink_text(v->out, "\n");
    }
    vrml_open(v, NULL, by_switch ? "choice [" : "children [");
}

static void close_holder(struct vrml *v)
{
    for (int i = 0; i < 2; i++) { /* the grip, and what shows it */
        vrml_close(v, "]");
        vrml_close(v, "}");
    }
}

bool vrml_open_slot(struct vrml *v, uint32_t index)
{
    struct slots *slots = v->recording->slots;
    const struct slot *slot = &slots->items[index];
    cp_pose pose = first_grip(v, slots, slot);
    struct rest rest = vrml_no_rest;
    struct placing placing;
    vrml_place(&rest, &pose, &placing);
    open_holder(v, slot);
    vrml_open(v, slot->grip, "Transform {");
    vrml_write_placing(v, &placing);
    vrml_open(v, NULL, "children [");
    if (slots->bodies[slot->guest]) {
        vrml_indent(v);
        sink_text(v->out, "USE ");
        sink_text(v->out, slots->bodies[slot->guest]);
        sink_text(v->out, "\n");
        close_holder(v);
        return false;
    }
    slots->bodies[slot->guest] = v->nodes[slot->guest].name;
    vrml_open(v, v->nodes[slot->guest].name, "Group {");
    vrml_open(v, NULL, "children [");
    return true;
}

void vrml_close_slot(struct vrml *v, uint32_t index)
{
    (void)index;
    vrml_close(v, "]");
    vrml_close(v, "}");
    close_holder(v);
}

/* ---- motion ---- */

/* A jump, two keys at a time: from not shown to shown, or back. What goes and comes at once has not gone. */
static void add_jump(struct vrml *v, struct vrml_keys *keys, double fraction, bool shown)
{
    if (v->failed)
        return;
    if (fraction == 0) {
        keys->items[0].value = shown;
    } else if (keys->items[keys->count - 1].time == fraction) {
        keys->count -= 2;
    } else {
        vrml_add_key(v, keys, fraction, !shown);
        if (!v->failed)
            vrml_add_key(v, keys, fraction, shown);
    }
}

/* 1 while the slot is shown, else 0; from the first moment, whatever is there at rest. */
static void add_showing_keys(struct vrml *v, const struct slots *slots, const struct slot *slot, struct vrml_keys *keys)
{
    vrml_add_key(v, keys, 0, 0);
    for (uint32_t i = 0; i < slot->stay_count; i++) {
        const struct stay *stay = &slots->stays[slot->first_stay + i];
        double from = isfinite(stay->from) ? vrml_fraction(v, stay->from) : 0;
        double until = isfinite(stay->until) ? vrml_fraction(v, stay->until) : INFINITY;
        if (!(from < until))
            continue;
        add_jump(v, keys, from, true);
        if (until <= 1)
            add_jump(v, keys, until, false);
    }
    if (!v->failed && keys->items[keys->count - 1].time < 1)
        vrml_add_key(v, keys, 1, keys->items[keys->count - 1].value);
}

static void write_showing_keys(struct vrml *v, const struct vrml_keys *keys)
{
    bool by_switch = v->settings->grab == VRML_SWITCH;
    const char *const words[] = {by_switch ? " 0" : " 1e-6 1e-6 1e-6,", by_switch ? " 1" : " 1 1 1,"};
    vrml_indent(v);
    sink_text(v->out, "key [");
    for (uint32_t i = 0; i < keys->count; i++) {
        sink_text(v->out, " ");
        vrml_number(v, keys->items[i].time);
    }
    sink_text(v->out, " ]\n");
    vrml_indent(v);
    sink_text(v->out, "keyValue [");
    for (uint32_t i = 0; i < keys->count; i++)
        sink_text(v->out, words[keys->items[i].value > 0]);
    sink_text(v->out, " ]\n");
}

static void write_showing(struct vrml *v, const struct slots *slots, const struct slot *slot, struct vrml_keys *keys)
{
    bool by_switch = v->settings->grab == VRML_SWITCH;
    const char *wanted = v->scene->nodes[slot->guest].name;
    const char *name = vrml_name(v, "show_", wanted), *script = by_switch ? vrml_name(v, "choose_", wanted) : NULL;
    add_showing_keys(v, slots, slot, keys);
    if (v->failed)
        return;
    vrml_open(v, name, by_switch ? "ScalarInterpolator {" : "PositionInterpolator {");
    write_showing_keys(v, keys);
    vrml_close(v, "}");
    vrml_add_wire(v, (struct wire){v->recording->timer, "fraction_changed", name, "set_fraction"});
    if (!by_switch) {
        vrml_add_wire(v, (struct wire){name, "value_changed", slot->name, "set_scale"});
        return;
    }
    vrml_open(v, script, "Script {");
    vrml_line(v, "eventIn SFFloat set_value");
    vrml_line(v, "eventOut SFInt32 choice_changed");
    vrml_line(v, "url \"javascript: function set_value(value, time) { choice_changed = value < 0.5 ? -1 : 0; }\"");
    vrml_close(v, "}");
    vrml_add_wire(v, (struct wire){name, "value_changed", script, "set_value"});
    vrml_add_wire(v, (struct wire){script, "choice_changed", slot->name, "set_whichChoice"});
}

/* The keys of a guest's track while it is in the slot; where it comes back from elsewhere is a jump that nobody sees. */
static void write_grip(struct vrml *v, const struct slots *slots, const struct slot *slot, const cp_track *track)
{
    struct vrml_rows rows = {.path = track->path};
    double value[4], end = v->recording->last;
    for (uint32_t i = 0; i < slot->stay_count && !v->failed; i++) {
        const struct stay *stay = &slots->stays[slot->first_stay + i];
        double from = fmax(stay->from, v->recording->first), until = fmin(nextafter(stay->until, -INFINITY), end);
        if (!(from <= until))
            continue;
        track_value(track, from, value);
        vrml_add_row(v, &rows, from, value);
        for (uint32_t key = key_after(track, from); key < track->key_count && track->times[key] < until; key++)
            vrml_add_row(v, &rows, track->times[key], track->values + (size_t)key * path_width(track->path));
        track_value(track, until, value);
        if (until > from)
            vrml_add_row(v, &rows, until, value);
    }
    if (!v->failed && rows.count > 0)
        vrml_write_rows(v, &rows, v->scene->nodes[slot->guest].name, slot->grip);
    vrml_free_rows(v, &rows);
}

void vrml_write_slots(struct vrml *v)
{
    const struct slots *slots = v->recording->slots;
    struct vrml_keys keys = {0};
    for (uint32_t i = 0; i < slots->count && !v->failed; i++) {
        const struct slot *slot = &slots->items[i];
        keys.count = 0;
        write_showing(v, slots, slot, &keys);
        for (int k = 0; k < 3 && !v->failed; k++)
            if (slots->tracks[slot->guest][k])
                write_grip(v, slots, slot, slots->tracks[slot->guest][k]);
    }
    memory_free(v->context, keys.items, keys.room, sizeof *keys.items);
}
