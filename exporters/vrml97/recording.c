/* A clip as a recording that a click plays: one TimeSensor, and an interpolator for all that moves. */
#include <math.h>

#include "../../scene/motion/bake.h"
#include "../../scene/motion/thin.h"
#include "vrml97.h"

/* Fractions are whole numbers of this: the two moments of a jump are one, as in the single precision that readers hold. */
#define MOMENTS 1e9
#define LEAST_SCALE 1e-6

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

/* A scale of zero may grow, and what is flat may turn: no copy of a mesh can say that, but a scale near zero can. */
cp_pose vrml_node_pose(const struct vrml *v, uint32_t node)
{
    cp_pose pose = v->scene->nodes[node].local;
    struct trs trs;
    if (!v->recording || !v->recording->posed[node])
        return pose;
    bool plain = pose_to_trs(&pose, 1e-9, &trs);
    double largest = fmax(1, fmax(fabs(trs.scale[0]), fmax(fabs(trs.scale[1]), fabs(trs.scale[2]))));
    for (int i = 0; i < 3; i++)
        if (fabs(trs.scale[i]) < LEAST_SCALE * largest) {
            trs.scale[i] = copysign(LEAST_SCALE * largest, trs.scale[i]);
            plain = false;
        }
    return plain ? pose : pose_from_trs(&trs);
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

/* ---- rows ---- */

double vrml_fraction(const struct vrml *v, double time)
{
    const struct recording *recording = v->recording;
    double length = recording->last - recording->first;
    return length > 0 ? fmax(0, fmin(1, round((time - recording->first) / length * MOMENTS) / MOMENTS)) : 0;
}

/* The angle between two rotations. */
static double turn_between(const double a[4], const double b[4])
{
    double near = 0, far = 0;
    for (int i = 0; i < 4; i++) {
        near += (a[i] - b[i]) * (a[i] - b[i]);
        far += (a[i] + b[i]) * (a[i] + b[i]);
    }
    return 4 * atan2(sqrt(fmin(near, far)), sqrt(fmax(near, far)));
}

/* A quaternion and its negative are one rotation. */
static bool same_row(const struct vrml_rows *rows, uint32_t a, uint32_t b)
{
    uint32_t width = path_width(rows->path);
    const double *first = rows->values + (size_t)a * width, *second = rows->values + (size_t)b * width;
    bool same = rows->path == CP_PATH_ROTATION ? turn_between(first, second) < 1e-12
                                               : memcmp(first, second, width * sizeof *first) == 0;
    return same && rows->fractions[a] == rows->fractions[b];
}

/* Two rows at one moment are a jump; of more the first and the last are one. As all begins there is nothing before. */
static void append_row(struct vrml *v, struct vrml_rows *rows, double fraction, const double *value)
{
    uint32_t width = path_width(rows->path), at = rows->count;
    if (v->failed ||
        !array_reserve(v->context, &rows->fractions, &rows->room, at + UINT64_C(1), sizeof *rows->fractions) ||
        !array_reserve(v->context, &rows->values, &rows->value_room, (at + UINT64_C(1)) * width, sizeof *value)) {
        v->failed = true;
        return;
    }
    if (at > 0 && rows->fractions[at - 1] == fraction &&
        (fraction == 0 || (at > 1 && rows->fractions[at - 2] == fraction)))
        at--;
    rows->fractions[at] = fraction;
    memcpy(rows->values + (size_t)at * width, value, width * sizeof *value);
    rows->count = at > 0 && same_row(rows, at, at - 1) ? at : at + 1;
}

void vrml_add_row(struct vrml *v, struct vrml_rows *rows, double time, const double *value)
{
    double fraction = vrml_fraction(v, time), start = rows->count > 0 ? rows->fractions[rows->count - 1] : fraction;
    if (rows->path == CP_PATH_ROTATION && start < fraction) {
        double before[4], between[4];
        memcpy(before, rows->values + 4 * (size_t)(rows->count - 1), sizeof before);
        int steps = (int)ceil(turn_between(before, value) / (PI / 2) - 1e-9);
        for (int i = 1; i < steps; i++) {
            double t = (double)i / steps;
            rotation_between(before, value, t, between);
            append_row(v, rows, start + (fraction - start) * t, between);
        }
    }
    append_row(v, rows, fraction, value);
}

/* Mirroring in all three directions is in the meshes, where the frame mirrors at rest. */
static bool is_scale_shown(const double value[3], bool mirrored)
{
    double least = fmin(value[0], fmin(value[1], value[2])), most = fmax(value[0], fmax(value[1], value[2]));
    return mirrored ? most <= -LEAST_SCALE : least >= LEAST_SCALE;
}

static void write_row(struct vrml *v, const struct vrml_rows *rows, uint32_t row)
{
    const double *value = rows->values + (size_t)row * path_width(rows->path);
    vrml_indent(v);
    if (rows->path == CP_PATH_ROTATION) {
        struct rotation rotation = vrml_quaternion_turn(value);
        vrml_turn(v, "", &rotation);
    } else {
        double shown[3];
        for (int i = 0; i < 3; i++)
            shown[i] = rows->path == CP_PATH_SCALE ? fmax(fabs(value[i]), LEAST_SCALE) : value[i];
        v->unscaled += rows->path == CP_PATH_SCALE && !is_scale_shown(value, rows->mirrored);
        vrml_vector(v, "", shown);
    }
    sink_text(v->out, "\n");
}

/* From the first moment to the last one: some readers take keys from 0 to 1 for granted. */
static void complete_rows(struct vrml *v, struct vrml_rows *rows)
{
    uint32_t width = path_width(rows->path);
    double value[4];
    if (rows->count == 0 || v->failed)
        return;
    memcpy(value, rows->values + (size_t)(rows->count - 1) * width, width * sizeof *value);
    if (rows->fractions[rows->count - 1] < 1)
        append_row(v, rows, 1, value);
    if (rows->fractions[0] == 0 || v->failed)
        return;
    uint32_t count = rows->count;
    append_row(v, rows, INFINITY, value); /* for its room */
    if (v->failed)
        return;
    memmove(rows->fractions + 1, rows->fractions, count * sizeof *rows->fractions);
    memmove(rows->values + width, rows->values, (size_t)count * width * sizeof *rows->values);
    rows->fractions[0] = 0;
}

static void write_fractions(struct vrml *v, const struct vrml_rows *rows)
{
    vrml_indent(v);
    sink_text(v->out, "key [");
    for (uint32_t i = 0; i < rows->count; i++) {
        sink_text(v->out, " ");
        vrml_number(v, rows->fractions[i]);
    }
    sink_text(v->out, " ]\n");
}

void vrml_write_rows(struct vrml *v, struct vrml_rows *rows, const char *wanted, const char *transform)
{
    static const char *const prefixes[] = {"", "move_", "turn_", "stretch_"};
    static const char *const fields[] = {"", "set_translation", "set_rotation", "set_scale"};
    complete_rows(v, rows);
    const char *name = v->failed ? NULL : vrml_name(v, prefixes[rows->path], wanted);
    if (v->failed)
        return;
    vrml_open(v, name, rows->path == CP_PATH_ROTATION ? "OrientationInterpolator {" : "PositionInterpolator {");
    write_fractions(v, rows);
    vrml_open(v, NULL, "keyValue [");
    for (uint32_t i = 0; i < rows->count; i++)
        write_row(v, rows, i);
    vrml_close(v, "]");
    vrml_close(v, "}");
    vrml_add_wire(v, (struct wire){v->recording->timer, "fraction_changed", name, "set_fraction"});
    vrml_add_wire(v, (struct wire){name, "value_changed", transform, fields[rows->path]});
}

void vrml_free_rows(struct vrml *v, struct vrml_rows *rows)
{
    memory_free(v->context, rows->fractions, rows->room, sizeof *rows->fractions);
    memory_free(v->context, rows->values, rows->value_room, sizeof *rows->values);
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
