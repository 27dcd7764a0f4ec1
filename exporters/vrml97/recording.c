/* Writes a clip as a recording that a click plays: one TimeSensor, and an interpolator for all that moves. */
#include <math.h>

#include "motion/clips/clips.h"
#include "vrml97.h"

cp_status vrml_plan_recording(struct vrml *v)
{
    const cp_scene *scene = v->scene;
    const char *wanted = v->settings->clip;
    bool none = wanted ? strcmp(wanted, "none") == 0 : scene->clip_count == 0;
    const cp_clip *clip = NULL;
    for (uint32_t i = 0; i < scene->clip_count && !none && !clip; i++)
        if (!wanted || strcmp(scene->clips[i].name, wanted) == 0)
            clip = &scene->clips[i];
    if (!clip && !none)
        return report_error(v->context, CP_USAGE, "vrml97-clip", NOWHERE, "the scene has no clip \"%s\"", wanted);
    uint32_t others = scene->clip_count - (clip != NULL);
    if (others > 0)
        report_loss(v->context, "vrml97-clips", NOWHERE, others, "clips that are not the one that is played");
    if (!clip)
        return CP_OK;
    struct recording *recording = v->recording = arena_allocate(v->arena, 1, sizeof *recording);
    if (!recording)
        return CP_LIMIT;
    *recording = (struct recording){.source = clip, .work = scene_new(v->context)};
    recording->posed = vrml_plan_room(v, scene->node_count, sizeof *recording->posed);
    if (!recording->work || !recording->posed)
        return CP_LIMIT;
    /* A node whose translation alone is set keeps the rest of its pose, sheared or not. */
    for (uint32_t i = 0; i < clip->track_count; i++)
        if (clip->tracks[i].path == CP_PATH_ROTATION || clip->tracks[i].path == CP_PATH_SCALE)
            recording->posed[clip->tracks[i].target] = true;
    for (uint32_t i = 0; i < clip->attachment_count; i++)
        recording->posed[clip->attachments[i].node] = true;
    clip_range(clip, &recording->first, &recording->last);
    return CP_OK;
}

void vrml_free_recording(struct vrml *v)
{
    if (v->recording)
        cp_scene_free(v->recording->work);
}

/* Marks the parts on which a click starts the recording: those of a device that no joint of their own device moves, as
 * its base. If none of these is drawn, all parts. */
static bool mark_starts(struct vrml *v)
{
    const cp_scene *scene = v->scene;
    bool any = false, *jointed = vrml_plan_room(v, scene->node_count, sizeof *jointed);
    bool *bases = vrml_plan_room(v, scene->node_count, sizeof *bases);
    if (!jointed || !bases)
        return false;
    for (uint32_t i = 0; i < scene->device_count; i++)
        bases[scene->devices[i].base] = true;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const cp_node *node = &scene->nodes[i];
        jointed[i] = i > 0 && !bases[i] && jointed[node->parent];
        for (uint32_t k = 0; k < node->joint_count; k++)
            jointed[i] |= scene->joints[node->first_joint + k].type != CP_JOINT_FIXED;
        v->nodes[i].starts = !jointed[i];
        for (uint32_t k = 0; k < node->instance_count && !jointed[i]; k++)
            any |= (scene->instances[node->first_instance + k].use & CP_USE_DRAWN) != 0;
    }
    for (uint32_t i = 0; i < scene->node_count && !any; i++)
        v->nodes[i].starts = true;
    return true;
}

cp_status vrml_prepare_recording(struct vrml *v)
{
    struct recording *recording = v->recording;
    double size = v->diagonal > 0 && isfinite(v->diagonal) ? v->diagonal : 1, tolerance = v->settings->tolerance;
    const struct bake_limits limits = {tolerance > 0 ? tolerance / 4 : 5e-7 * size, size, NULL};
    struct baked_clip baked;
    struct clip_shape shape;
    recording->timer = vrml_name(v, "play_", recording->source->name);
    if (!recording->timer || !mark_starts(v))
        return CP_LIMIT;
    cp_status status = clip_bake(recording->work, v->scene, recording->source, &limits, &baked);
    if (status == CP_OK)
        status = clip_shape_find(recording->work, v->scene, &shape);
    if (status == CP_OK)
        status =
            clip_thin(recording->work, v->scene, &shape, recording->source, &baked.clip, tolerance, &recording->clip);
    if (status != CP_OK)
        return status;
    recording->sheared = baked.sheared;
    recording->flat = baked.flat;
    return CP_OK;
}

static void write_node_track(struct vrml *v, const cp_track *track)
{
    const cp_node *node = &v->scene->nodes[track->target];
    const struct node_plan *plan = &v->nodes[track->target];
    enum rest_kind above = node->parent == CP_NONE ? REST_NONE : v->nodes[node->parent].rest.kind;
    struct vrml_keys keys = {.joint = CP_NONE,
                             .path = track->path,
                             .mirrored = (plan->rest.kind == REST_MIRRORED) != (above == REST_MIRRORED)};
    uint32_t width = path_width(track->path);
    if (plan->left_out)
        return;
    if (above == REST_FLAT) { /* where all stands still */
        v->frozen++;
        return;
    }
    for (uint32_t i = 0; i < track->key_count && !v->failed; i++) {
        double value[4];
        memcpy(value, track->values + (size_t)i * width, width * sizeof *value);
        /* Below a mirroring, translations change their signs. */
        for (int k = 0; k < 3 && above == REST_MIRRORED && track->path == CP_PATH_TRANSLATION; k++)
            value[k] = 0 - value[k];
        vrml_add_key(v, &keys, vrml_fraction(v, track->times[i]), value);
    }
    vrml_write_keys(v, &keys, v->recording->timer, node->name, plan->name);
}

/* Writes the clip's value of a joint that clicks move, but the clip does not. */
static void write_resting_joint(struct vrml *v, uint32_t index)
{
    const struct joint_plan *plan = &v->joints[index];
    struct vrml_keys keys = {.joint = index, .path = CP_PATH_JOINT};
    if (!plan->name || plan->sign == 0 || v->nodes[v->scene->joints[index].node].left_out)
        return;
    vrml_add_key(v, &keys, 0, &v->mechanism.values[index]);
    vrml_write_keys(v, &keys, v->recording->timer, v->scene->joints[index].name, plan->name);
}

/* Writes the track for its joint, or for one that has this as its master. */
static void write_joint_track(struct vrml *v, const cp_track *track, uint32_t index)
{
    const cp_joint *joint = &v->scene->joints[index];
    const struct joint_plan *plan = &v->joints[index];
    struct joint_law law = joint_law(v->scene->joints, index);
    struct vrml_keys keys = {.joint = index, .path = CP_PATH_JOINT};
    if (!plan->name || v->nodes[joint->node].left_out)
        return;
    if (plan->sign == 0) {
        v->frozen++;
        return;
    }
    for (uint32_t i = 0; i < track->key_count && !v->failed; i++) {
        double value = law.scale * track->values[i] + law.offset;
        vrml_add_key(v, &keys, vrml_fraction(v, track->times[i]), &value);
    }
    vrml_write_keys(v, &keys, v->recording->timer, joint->name, plan->name);
}

void vrml_write_recording(struct vrml *v)
{
    const struct recording *recording = v->recording;
    const struct followers *followers = &v->followers;
    double length = recording->last - recording->first;
    bool *keyed = vrml_plan_room(v, v->scene->joint_count, sizeof *keyed);
    vrml_write_timer(v, recording->timer, v->settings->cycle > 0 ? v->settings->cycle : length > 0 ? length : 1, true);
    for (uint32_t i = 0; i < recording->clip.track_count && !v->failed; i++) {
        const cp_track *track = &recording->clip.tracks[i];
        if (track->path != CP_PATH_JOINT) {
            write_node_track(v, track);
            continue;
        }
        write_joint_track(v, track, track->target);
        keyed[track->target] = true;
        for (uint32_t k = first_follower(followers, track->target); k < followers->ends[track->target]; k++)
            if (!v->failed && v->scene->joints[followers->joints[k]].master == track->target) {
                write_joint_track(v, track, followers->joints[k]);
                keyed[followers->joints[k]] = true;
            }
    }
    for (uint32_t i = 0; i < v->scene->joint_count && !v->failed; i++)
        if (v->joints[i].driver != CP_NONE && !keyed[i])
            write_resting_joint(v, i);
}
