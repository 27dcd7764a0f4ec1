/* A clip as a recording that a click plays: one TimeSensor, and an interpolator for all that moves. */
#include <math.h>

#include "../../scene/motion/bake.h"
#include "../../scene/motion/thin.h"
#include "vrml97.h"

/* ---- which clip ---- */

static const cp_clip *choose_clip(struct vrml *v, cp_status *status)
{
    const cp_scene *scene = v->scene;
    const char *wanted = v->settings->clip;
    if (wanted ? strcmp(wanted, "none") == 0 : scene->clip_count == 0)
        return NULL;
    for (uint32_t i = 0; i < scene->clip_count; i++)
        if (!wanted || strcmp(scene->clips[i].name, wanted) == 0)
            return &scene->clips[i];
    *status = report_error(v->context, CP_USAGE, "vrml97-clip", NOWHERE, "the scene has no clip \"%s\"", wanted);
    return NULL;
}

/* Where translation alone is set, the rest of the pose stays as it is, sheared or not. */
static void mark_posed(struct recording *recording)
{
    const cp_clip *clip = recording->source;
    for (uint32_t i = 0; i < clip->track_count; i++)
        if (clip->tracks[i].path == CP_PATH_ROTATION || clip->tracks[i].path == CP_PATH_SCALE)
            recording->posed[clip->tracks[i].target] = true;
    for (uint32_t i = 0; i < clip->attachment_count; i++)
        recording->posed[clip->attachments[i].node] = true;
}

cp_status vrml_plan_recording(struct vrml *v)
{
    cp_status status = CP_OK;
    const cp_clip *clip = choose_clip(v, &status);
    uint32_t others = v->scene->clip_count - (clip != NULL);
    if (others > 0 && status == CP_OK)
        report_loss(v->context, "vrml97-clips", NOWHERE, others, "clips that are not the one that is played");
    if (!clip)
        return status;
    v->recording = arena_allocate(v->arena, 1, sizeof *v->recording);
    if (!v->recording)
        return CP_LIMIT;
    *v->recording = (struct recording){.source = clip, .work = scene_new(v->context)};
    v->recording->posed = arena_allocate(v->arena, v->scene->node_count, sizeof *v->recording->posed);
    if (!v->recording->work || !v->recording->posed)
        return CP_LIMIT;
    memset(v->recording->posed, 0, v->scene->node_count * sizeof *v->recording->posed);
    mark_posed(v->recording);
    clip_range(clip, &v->recording->first, &v->recording->last);
    return CP_OK;
}

void vrml_free_recording(struct vrml *v)
{
    if (!v->recording)
        return;
    vrml_free_slots(v, v->recording->slots);
    cp_scene_free(v->recording->work);
}

/* ---- where a click starts it ---- */

static bool joint_turns(const struct vrml *v, const cp_node *node)
{
    for (uint32_t i = node->first_joint; i < node->first_joint + node->joint_count; i++)
        if (v->scene->joints[i].type != CP_JOINT_FIXED)
            return true;
    return false;
}

static bool is_drawn(const struct vrml *v, const cp_node *node)
{
    for (uint32_t i = node->first_instance; i < node->first_instance + node->instance_count; i++)
        if (v->scene->instances[i].use & CP_USE_DRAWN)
            return true;
    return false;
}

/* Parts that no joint of their own device moves: its base. Where nothing of that kind is drawn, all parts. */
static bool mark_starts(struct vrml *v)
{
    const cp_scene *scene = v->scene;
    bool any = false, *jointed = arena_allocate(v->arena, scene->node_count, sizeof *jointed);
    bool *bases = arena_allocate(v->arena, scene->node_count, sizeof *bases);
    if (!jointed || !bases)
        return false;
    memset(bases, 0, scene->node_count * sizeof *bases);
    for (uint32_t i = 0; i < scene->device_count; i++)
        bases[scene->devices[i].base] = true;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const cp_node *node = &scene->nodes[i];
        jointed[i] = joint_turns(v, node) || (i > 0 && !bases[i] && jointed[node->parent]);
        v->nodes[i].starts = !jointed[i];
        any = any || (v->nodes[i].starts && is_drawn(v, node));
    }
    for (uint32_t i = 0; i < scene->node_count && !any; i++)
        v->nodes[i].starts = true;
    return true;
}

/* ---- which keys ---- */

cp_status vrml_prepare_recording(struct vrml *v)
{
    struct recording *recording = v->recording;
    double size = v->diagonal > 0 && isfinite(v->diagonal) ? v->diagonal : 1, tolerance = v->settings->tolerance;
    const struct bake_limits limits = {tolerance > 0 ? tolerance / 4 : 5e-7 * size, size};
    struct baked_clip baked;
    double error;
    recording->timer = vrml_name(v, "play_", recording->source->name);
    if (!recording->timer || !mark_starts(v))
        return CP_LIMIT;
    cp_status status = vrml_plan_slots(v);
    if (status == CP_OK)
        status = clip_bake(recording->work, v->scene, recording->source, vrml_slot_guests(recording->slots), &limits,
                           &baked);
    if (status == CP_OK)
        status =
            clip_thin(recording->work, v->scene, recording->source, &baked.clip, tolerance, &recording->clip, &error);
    if (status == CP_OK) {
        recording->sheared = baked.sheared;
        recording->flat = baked.flat;
        vrml_index_slots(v);
    }
    return status;
}

/* ---- tracks ---- */

/* Below a mirroring translations change their signs; below what is flat all stands still. */
static void write_node_track(struct vrml *v, const cp_track *track)
{
    const cp_node *node = &v->scene->nodes[track->target];
    enum rest_kind above = node->parent == CP_NONE ? REST_NONE : v->nodes[node->parent].rest.kind;
    enum rest_kind own = v->nodes[track->target].rest.kind;
    struct vrml_rows rows = {.path = track->path, .mirrored = (own == REST_MIRRORED) != (above == REST_MIRRORED)};
    uint32_t width = path_width(track->path);
    if (v->nodes[track->target].place == CP_NONE) /* a placeholder that is left out */
        return;
    if (above == REST_FLAT) {
        v->frozen++;
        return;
    }
    for (uint32_t i = 0; i < track->key_count && !v->failed; i++) {
        double value[4];
        memcpy(value, track->values + (size_t)i * width, width * sizeof *value);
        for (int k = 0; k < 3 && above == REST_MIRRORED && track->path == CP_PATH_TRANSLATION; k++)
            value[k] = 0 - value[k];
        vrml_add_row(v, &rows, track->times[i], value);
    }
    if (!v->failed)
        vrml_write_rows(v, &rows, node->name, v->nodes[track->target].name);
    vrml_free_rows(v, &rows);
}

/* Jumps as in append_row. */
static void add_joint_key(struct vrml *v, struct vrml_keys *keys, bool turns, struct vrml_key key)
{
    if (keys->count == 0)
        vrml_add_key(v, keys, 0, key.value);
    if (v->failed)
        return;
    struct vrml_key *last = &keys->items[keys->count - 1];
    if (last->time < key.time)
        vrml_add_leg(v, keys, turns, key);
    else if (key.time == 0 || (keys->count > 1 && last[-1].time == key.time))
        last->value = key.value;
    else
        vrml_add_key(v, keys, key.time, key.value);
    last = v->failed ? NULL : &keys->items[keys->count - 1];
    if (last && keys->count > 1 && last[-1].time == last->time && last[-1].value == last->value)
        keys->count--;
}

static void write_joint_track(struct vrml *v, const cp_track *track, uint32_t index, struct vrml_keys *keys)
{
    const cp_joint *joint = &v->scene->joints[index];
    struct joint_law law = joint_law(v->scene->joints, index);
    if (!v->joints[index].name || v->nodes[joint->node].place == CP_NONE)
        return;
    if (v->joints[index].sign == 0) {
        v->frozen++;
        return;
    }
    keys->count = 0;
    for (uint32_t i = 0; i < track->key_count && !v->failed; i++)
        add_joint_key(v, keys, joint->type == CP_JOINT_REVOLUTE,
                      (struct vrml_key){vrml_fraction(v, track->times[i]), law.scale * track->values[i] + law.offset});
    if (!v->failed && keys->items[keys->count - 1].time < 1)
        vrml_add_key(v, keys, 1, keys->items[keys->count - 1].value);
    if (!v->failed)
        vrml_write_joint_keys(v, index, keys, v->recording->timer);
}

/* A joint, and those that have it for their master. */
static void write_joint_tracks(struct vrml *v, const cp_track *track, struct vrml_keys *keys)
{
    const struct followers *followers = &v->followers;
    write_joint_track(v, track, track->target, keys);
    for (uint32_t i = first_follower(followers, track->target); i < followers->ends[track->target] && !v->failed; i++)
        if (v->scene->joints[followers->joints[i]].master == track->target)
            write_joint_track(v, track, followers->joints[i], keys);
}

static void write_tracks(struct vrml *v)
{
    const cp_clip *clip = &v->recording->clip;
    const bool *in_slots = vrml_slot_guests(v->recording->slots);
    struct vrml_keys keys = {0};
    for (uint32_t i = 0; i < clip->track_count && !v->failed; i++) {
        const cp_track *track = &clip->tracks[i];
        if (track->path == CP_PATH_JOINT)
            write_joint_tracks(v, track, &keys);
        else if (!in_slots || !in_slots[track->target])
            write_node_track(v, track);
    }
    memory_free(v->context, keys.items, keys.room, sizeof *keys.items);
}

void vrml_write_recording(struct vrml *v)
{
    const struct recording *recording = v->recording;
    double length = recording->last - recording->first;
    vrml_define(v, recording->timer);
    sink_text(v->out, "TimeSensor { cycleInterval ");
    vrml_number(v, v->settings->cycle > 0 ? v->settings->cycle : length > 0 ? length : 1);
    sink_text(v->out, " }\n");
    write_tracks(v);
    if (recording->slots && !v->failed)
        vrml_write_slots(v);
}
