/* Slots in the text: what shows a guest on each of its hosts, and moves it there. */
#include <math.h>

#include "slots.h"

/* ---- in the text ---- */

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
    vrml_open(v, slot->name, "Switch {");
    vrml_line(v, slot->at_first ? "whichChoice 0" : "whichChoice -1");
    vrml_open(v, NULL, "choice [");
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

void vrml_close_slot(struct vrml *v)
{
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
    vrml_write_key_times(v, keys);
    vrml_indent(v);
    sink_text(v->out, "keyValue [");
    for (uint32_t i = 0; i < keys->count; i++)
        sink_text(v->out, keys->items[i].value > 0 ? " 1" : " 0");
    sink_text(v->out, " ]\n");
}

static void write_showing(struct vrml *v, const struct slots *slots, const struct slot *slot, struct vrml_keys *keys)
{
    const char *wanted = v->scene->nodes[slot->guest].name;
    const char *name = vrml_name(v, "show_", wanted), *script = vrml_name(v, "choose_", wanted);
    add_showing_keys(v, slots, slot, keys);
    if (v->failed)
        return;
    vrml_open(v, name, "ScalarInterpolator {");
    write_showing_keys(v, keys);
    vrml_close(v, "}");
    vrml_add_wire(v, (struct wire){v->recording->timer, "fraction_changed", name, "set_fraction"});
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
