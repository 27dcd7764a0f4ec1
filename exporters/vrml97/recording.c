/* Writes a clip as a recording that a click plays: one TimeSensor, and an interpolator for all that moves. */
#include <math.h>

#include "motion/clips/clips.h"
#include "vrml97.h"

cp_status vrml_plan_recording(struct vrml_output *output, struct vrml_frames *frames, struct vrml_motion *motion)
{
    const cp_scene *scene = frames->scene;
    const char *wanted = output->settings->clip;
    bool none = wanted ? strcmp(wanted, "none") == 0 : scene->clip_count == 0;
    const cp_clip *clip = NULL;
    for (uint32_t i = 0; i < scene->clip_count && !none && !clip; i++)
        if (!wanted || strcmp(scene->clips[i].name, wanted) == 0)
            clip = &scene->clips[i];
    if (!clip && !none)
        return report_error(output->context, CP_USAGE, "vrml97-clip", NOWHERE, "the scene has no clip \"%s\"", wanted);
    uint32_t others = scene->clip_count - (clip != NULL);
    if (others > 0)
        report_loss(output->context, "vrml97-clips", NOWHERE, others, "clips that are not the one that is played");
    if (!clip)
        return CP_OK;
    struct vrml_recording *recording = motion->recording = arena_allocate(output->arena, 1, sizeof *recording);
    if (!recording)
        return CP_LIMIT;
    *recording = (struct vrml_recording){.source = clip, .work = scene_new(output->context)};
    frames->posed = vrml_plan_room(output, scene->node_count, sizeof *frames->posed);
    frames->clip = clip->name;
    if (!recording->work || !frames->posed)
        return CP_LIMIT;
    /* A node whose translation alone is set keeps the rest of its pose, sheared or not. */
    for (uint32_t i = 0; i < clip->track_count; i++)
        if (clip->tracks[i].path == CP_PATH_ROTATION || clip->tracks[i].path == CP_PATH_SCALE)
            frames->posed[clip->tracks[i].target] = true;
    for (uint32_t i = 0; i < clip->attachment_count; i++)
        frames->posed[clip->attachments[i].node] = true;
    clip_range(clip, &recording->first, &recording->last);
    return CP_OK;
}

/* Marks the parts on which a click starts the recording: those of devices with joints that none of them moves, as a
 * robot's base. Whoever clicks on a floor or a fence wants nothing to happen. If no such part is drawn, all that no
 * joint moves; if none of these is drawn either, all parts. */
static bool mark_starts(struct vrml_output *output, struct vrml_frames *frames)
{
    enum { MOVED, STANDING, BASE } kind, most = MOVED;
    const cp_scene *scene = frames->scene;
    bool *bases = vrml_plan_room(output, scene->node_count, sizeof *bases);
    unsigned char *kinds = vrml_plan_room(output, scene->node_count, sizeof *kinds);
    if (!bases || !kinds)
        return false;
    for (uint32_t i = 0; i < scene->device_count; i++)
        bases[scene->devices[i].base] = true;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const cp_node *node = &scene->nodes[i];
        bool jointed = i > 0 && !bases[i] && kinds[node->parent] == MOVED;
        for (uint32_t k = 0; k < node->joint_count; k++)
            jointed |= scene->joints[node->first_joint + k].type != CP_JOINT_FIXED;
        bool robot = node->scope != CP_NONE && scene->devices[node->scope].joint_count > 0;
        kind = jointed ? MOVED : robot ? BASE : STANDING;
        kinds[i] = (unsigned char)kind;
        for (uint32_t k = 0; k < node->instance_count; k++)
            if (scene->instances[node->first_instance + k].use & CP_USE_DRAWN)
                most = kind > most ? kind : most;
    }
    for (uint32_t i = 0; i < scene->node_count; i++)
        frames->nodes[i].starts = kinds[i] == BASE || (kinds[i] == STANDING && most < BASE) || most == MOVED;
    return true;
}

cp_status vrml_prepare_recording(struct vrml_output *output, struct vrml_frames *frames,
                                 const struct vrml_motion *motion)
{
    struct vrml_recording *recording = motion->recording;
    double size = frames->diagonal > 0 && isfinite(frames->diagonal) ? frames->diagonal : 1;
    double tolerance = output->settings->tolerance;
    const struct bake_limits limits = {tolerance > 0 ? tolerance / 4 : 5e-7 * size, size, NULL};
    struct baked_clip baked;
    struct clip_shape shape;
    recording->timer = vrml_name(output, "play_", recording->source->name);
    if (!recording->timer || !mark_starts(output, frames))
        return CP_LIMIT;
    cp_status status = clip_bake(recording->work, frames->scene, recording->source, &limits, &baked);
    if (status == CP_OK)
        status = clip_shape_find(recording->work, frames->scene, &shape);
    if (status == CP_OK)
        status = clip_thin(recording->work, frames->scene, &shape, recording->source, &baked.clip, tolerance,
                           &recording->clip);
    if (status != CP_OK)
        return status;
    output->losses[LOST_ATTACHED_SHEAR] += baked.sheared;
    output->losses[LOST_ATTACHED_FLAT] += baked.flat;
    return CP_OK;
}

/* Fractions are multiples of its inverse, so that both moments of a jump are equal, as in the single precision of
 * readers. */
#define MOMENTS 1e9

/* Returns the place of a time in the recording: 0 at its first moment, 1 at its last. */
static double fraction_of(const struct vrml_recording *recording, double time)
{
    double length = recording->last - recording->first;
    return length > 0 ? fmax(0, fmin(1, round((time - recording->first) / length * MOMENTS) / MOMENTS)) : 0;
}

static void write_node_track(struct vrml_output *output, const struct vrml_frames *frames, struct vrml_motion *motion,
                             const cp_track *track)
{
    const cp_node *node = &frames->scene->nodes[track->target];
    const struct vrml_node_plan *plan = &frames->nodes[track->target];
    enum rest_kind above = node->parent == CP_NONE ? REST_NONE : frames->nodes[node->parent].rest.kind;
    struct vrml_keys keys = {.joint = CP_NONE,
                             .path = track->path,
                             .mirrored = (plan->rest.kind == REST_MIRRORED) != (above == REST_MIRRORED)};
    uint32_t width = path_width(track->path);
    if (plan->left_out)
        return;
    if (above == REST_FLAT) { /* where all stands still */
        output->losses[LOST_FROZEN]++;
        return;
    }
    for (uint32_t i = 0; i < track->key_count && !output->failed; i++) {
        double value[4];
        memcpy(value, track->values + (size_t)i * width, width * sizeof *value);
        /* Below a mirroring, translations change their signs. */
        for (int k = 0; k < 3 && above == REST_MIRRORED && track->path == CP_PATH_TRANSLATION; k++)
            value[k] = 0 - value[k];
        vrml_add_key(output, frames, &keys, fraction_of(motion->recording, track->times[i]), value);
    }
    vrml_write_keys(output, frames, motion, &keys, motion->recording->timer, node->name, plan->name);
}

/* Writes the clip's value of a joint that clicks move, but the clip does not. */
static void write_resting_joint(struct vrml_output *output, const struct vrml_frames *frames,
                                struct vrml_motion *motion, uint32_t index)
{
    const struct vrml_joint_plan *plan = &frames->joints[index];
    struct vrml_keys keys = {.joint = index, .path = CP_PATH_JOINT};
    if (!plan->name || plan->sign == 0 || frames->nodes[frames->scene->joints[index].node].left_out)
        return;
    vrml_add_key(output, frames, &keys, 0, &frames->mechanism.values[index]);
    vrml_write_keys(output, frames, motion, &keys, motion->recording->timer, frames->scene->joints[index].name,
                    plan->name);
}

/* Writes the track for its joint, or for one that has this as its master. */
static void write_joint_track(struct vrml_output *output, const struct vrml_frames *frames, struct vrml_motion *motion,
                              const cp_track *track, uint32_t index)
{
    const cp_joint *joint = &frames->scene->joints[index];
    const struct vrml_joint_plan *plan = &frames->joints[index];
    struct joint_law law = joint_law(frames->scene->joints, index);
    struct vrml_keys keys = {.joint = index, .path = CP_PATH_JOINT};
    if (!plan->name || frames->nodes[joint->node].left_out)
        return;
    if (plan->sign == 0) {
        output->losses[LOST_FROZEN]++;
        return;
    }
    for (uint32_t i = 0; i < track->key_count && !output->failed; i++) {
        double value = law.scale * track->values[i] + law.offset;
        vrml_add_key(output, frames, &keys, fraction_of(motion->recording, track->times[i]), &value);
    }
    vrml_write_keys(output, frames, motion, &keys, motion->recording->timer, joint->name, plan->name);
}

void vrml_write_recording(struct vrml_output *output, const struct vrml_frames *frames, struct vrml_motion *motion)
{
    const struct vrml_recording *recording = motion->recording;
    const struct followers *followers = &frames->followers;
    double length = recording->last - recording->first;
    bool *keyed = vrml_plan_room(output, frames->scene->joint_count, sizeof *keyed);
    double cycle = output->settings->cycle > 0 ? output->settings->cycle : length > 0 ? length : 1;
    vrml_write_timer(output, motion, recording->timer, cycle, true);
    for (uint32_t i = 0; i < recording->clip.track_count && !output->failed; i++) {
        const cp_track *track = &recording->clip.tracks[i];
        if (track->path != CP_PATH_JOINT) {
            write_node_track(output, frames, motion, track);
            continue;
        }
        write_joint_track(output, frames, motion, track, track->target);
        keyed[track->target] = true;
        for (uint32_t k = first_follower(followers, track->target); k < followers->ends[track->target]; k++)
            if (!output->failed && frames->scene->joints[followers->joints[k]].master == track->target) {
                write_joint_track(output, frames, motion, track, followers->joints[k]);
                keyed[followers->joints[k]] = true;
            }
    }
    for (uint32_t i = 0; i < frames->scene->joint_count && !output->failed; i++)
        if (frames->joints[i].driver != CP_NONE && !keyed[i])
            write_resting_joint(output, frames, motion, i);
}
