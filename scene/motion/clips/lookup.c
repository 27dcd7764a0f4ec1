#include "clips.h"

#include <math.h>
#include <string.h>

#include "motion/loops/loops.h"

/* ---- lists ---- */

/* Returns the target of an item; CP_NONE if the item belongs to another list. */
static uint32_t target_of(const struct clip_lookup *lookup, const struct by_target *list, uint32_t item)
{
    if (list == &lookup->attachments)
        return lookup->clip->attachments[item].node;
    const cp_track *track = &lookup->clip->tracks[item];
    return (track->path == CP_PATH_JOINT) == (list == &lookup->joint_tracks) ? track->target : CP_NONE;
}

/* Sorts the items by target: a counting sort. */
static bool list_by_target(const struct clip_lookup *lookup, struct by_target *list, uint32_t target_count,
                           uint32_t count)
{
    uint32_t start = 0;
    list->count = count;
    list->target_count = target_count;
    list->ends = memory_allocate_zeroed(lookup->context, target_count, sizeof *list->ends);
    list->items = memory_allocate(lookup->context, count, sizeof *list->items);
    if (!list->ends || !list->items)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (target_of(lookup, list, i) != CP_NONE)
            list->ends[target_of(lookup, list, i)]++;
    for (uint32_t i = 0; i < target_count; i++) {
        start += list->ends[i];
        list->ends[i] = start - list->ends[i];
    }
    for (uint32_t i = 0; i < count; i++)
        if (target_of(lookup, list, i) != CP_NONE)
            list->items[list->ends[target_of(lookup, list, i)]++] = i;
    return true;
}

cp_status lookup_start(struct clip_lookup *lookup, cp_context *context, const cp_scene *scene, const cp_clip *clip)
{
    uint32_t nodes = scene->node_count, tracks = clip->track_count;
    *lookup = (struct clip_lookup){.context = context, .scene = scene, .clip = clip};
    cp_status status = mechanism_open(&lookup->mechanism, context, scene);
    if (status != CP_OK)
        return status;
    uint32_t groups = lookup->mechanism.closure ? lookup->mechanism.closure->chains.group_count : 0;
    lookup->group_times = arena_allocate(lookup->mechanism.arena, groups, sizeof *lookup->group_times);
    for (uint32_t i = 0; i < groups && lookup->group_times; i++)
        lookup->group_times[i] = NAN;
    bool fine = lookup->group_times && list_by_target(lookup, &lookup->node_tracks, nodes, tracks) &&
                list_by_target(lookup, &lookup->joint_tracks, scene->joint_count, tracks) &&
                list_by_target(lookup, &lookup->attachments, nodes, clip->attachment_count);
    return fine ? CP_OK : CP_LIMIT;
}

static void free_list(cp_context *context, struct by_target *list)
{
    memory_free(context, list->ends, list->target_count, sizeof *list->ends);
    memory_free(context, list->items, list->count, sizeof *list->items);
    *list = (struct by_target){0};
}

void lookup_free(struct clip_lookup *lookup)
{
    free_list(lookup->context, &lookup->node_tracks);
    free_list(lookup->context, &lookup->joint_tracks);
    free_list(lookup->context, &lookup->attachments);
    mechanism_close(&lookup->mechanism);
}

/* ---- moments ---- */

/* Sets the joint's own value, by its first track if it has several. */
static void find_own_value(const struct clip_lookup *lookup, uint32_t joint, double time)
{
    const struct by_target *list = &lookup->joint_tracks;
    double *value = &lookup->mechanism.q[joint];
    *value = lookup->scene->joints[joint].q;
    if (first_of(list, joint) < list->ends[joint])
        track_value(&lookup->clip->tracks[list->items[first_of(list, joint)]], time, value);
}

/* ---- loops ---- */

/* Returns the next time on the way to another at which a joint of the group has a key, or that time. */
static double next_stop(const struct clip_lookup *lookup, const struct closure_group *group, double from, double time)
{
    const struct by_target *list = &lookup->joint_tracks;
    double first, last;
    clip_range(lookup->clip, &first, &last);
    if (isnan(from))
        return first;
    for (uint32_t i = group->free_count; i < group->column_count; i++) {
        uint32_t joint = lookup->mechanism.closure->chains.columns[group->first_column + i];
        if (first_of(list, joint) < list->ends[joint])
            time = track_stop(&lookup->clip->tracks[list->items[first_of(list, joint)]], from, time);
    }
    return time;
}

/* Solves the group at a time. It goes from key to key, so that the assembly at a time does not depend on earlier calls.
 * Poses are kept, as everything that moves with a loop is computed at the same times. If a way fails once, the whole
 * clip is refused: other times would fail there again, each after as much work. */
static void solve_group(struct clip_lookup *lookup, uint32_t index, double time)
{
    struct closure *closure = lookup->mechanism.closure;
    const struct closure_group *group = &closure->chains.groups[index];
    double *now = &lookup->group_times[index];
    if (closure_recall(closure, index, CP_NONE, time))
        *now = time;
    while (*now != time && !closure->branch.failed) {
        double stop = next_stop(lookup, group, *now, time);
        for (uint32_t i = group->free_count; i < group->column_count; i++)
            find_own_value(lookup, closure->chains.columns[group->first_column + i], stop);
        if (closure_solve_group(closure, index, lookup->mechanism.q) != CP_OK)
            return;
        closure_remember(closure, index, CP_NONE, stop);
        *now = stop;
    }
}

cp_status clip_closes(cp_context *context, const cp_scene *scene, const cp_clip *clip)
{
    struct clip_lookup lookup;
    double first, last;
    cp_status status = lookup_start(&lookup, context, scene, clip);
    clip_range(clip, &first, &last);
    const uint32_t groups = lookup.mechanism.closure ? lookup.mechanism.closure->chains.group_count : 0;
    for (uint32_t i = 0; i < groups && status == CP_OK; i++) {
        solve_group(&lookup, i, last);
        status = mechanism_failed(&lookup.mechanism) ? CP_NO : CP_OK;
    }
    lookup_free(&lookup);
    return status;
}

double lookup_joint(struct clip_lookup *lookup, uint32_t joint, double time)
{
    cp_mechanism *mechanism = &lookup->mechanism;
    uint32_t count, group = mechanism_group(mechanism, joint);
    if (group != CP_NONE) {
        solve_group(lookup, group, time);
        return mechanism_value(mechanism, joint, mechanism->values);
    }
    const uint32_t *inputs = mechanism_inputs(mechanism, joint, &count);
    for (uint32_t i = 0; i < count; i++)
        find_own_value(lookup, inputs[i], time);
    return mechanism_value(mechanism, joint, mechanism->q);
}

/* ---- nodes ---- */

uint32_t lookup_parent(const struct clip_lookup *lookup, uint32_t node, double time)
{
    const struct by_target *list = &lookup->attachments;
    const cp_attachment *attachments = lookup->clip->attachments;
    uint32_t first = first_of(list, node), low = first, high = list->ends[node];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (attachments[list->items[middle]].time <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low > first ? attachments[list->items[low - 1]].host : lookup->scene->nodes[node].parent;
}

cp_pose lookup_local(const struct clip_lookup *lookup, uint32_t node, double time)
{
    const struct by_target *list = &lookup->node_tracks;
    cp_pose local = lookup->scene->nodes[node].local;
    struct trs trs;
    bool turned = false;
    if (first_of(list, node) == list->ends[node])
        return local;
    (void)pose_to_trs(&local, 0, &trs);
    for (uint32_t i = list->ends[node]; i-- > first_of(list, node);) {
        const cp_track *track = &lookup->clip->tracks[list->items[i]];
        turned = turned || track->path != CP_PATH_TRANSLATION;
        track_value(track, time,
                    track->path == CP_PATH_TRANSLATION ? trs.translation
                    : track->path == CP_PATH_ROTATION  ? trs.rotation
                                                       : trs.scale);
    }
    if (turned)
        return pose_from_trs(&trs);
    for (int k = 0; k < 3; k++)
        local.m[4 * k + 3] = trs.translation[k];
    return local;
}

cp_pose lookup_pose(struct clip_lookup *lookup, uint32_t node, double time)
{
    const cp_node *it = &lookup->scene->nodes[node];
    for (uint32_t i = it->first_joint; i < it->first_joint + it->joint_count; i++)
        lookup->mechanism.values[i] = lookup_joint(lookup, i, time);
    cp_pose local = lookup_local(lookup, node, time);
    return node_pose(&lookup->mechanism, node, &local);
}

cp_pose lookup_world(struct clip_lookup *lookup, uint32_t node, double time)
{
    cp_pose world = POSE_IDENTITY;
    for (; node != CP_NONE; node = lookup_parent(lookup, node, time)) {
        cp_pose pose = lookup_pose(lookup, node, time);
        world = pose_multiply(&pose, &world);
    }
    return world;
}
