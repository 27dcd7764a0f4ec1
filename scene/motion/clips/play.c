/* Clips at a moment. */
#include "clips.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"

/* ---- tracks ---- */

static void make_unit(double quaternion[4])
{
    double length = 0;
    for (int i = 0; i < 4; i++)
        length += quaternion[i] * quaternion[i];
    length = sqrt(length);
    if (!(length > 0 && isfinite(length)))
        memcpy(quaternion, (double[]){0, 0, 0, 1}, 4 * sizeof *quaternion);
    else
        for (int i = 0; i < 4; i++)
            quaternion[i] *= 1 / length;
}

void rotation_between(const double a[4], const double b[4], double t, double out[4])
{
    double from[4], to[4], dot = 0;
    memcpy(from, a, sizeof from);
    memcpy(to, b, sizeof to);
    make_unit(from);
    make_unit(to);
    for (int i = 0; i < 4; i++)
        dot += from[i] * to[i];
    for (int i = 0; i < 4 && dot < 0; i++)
        to[i] = -to[i];
    /* Half the angle between them is found by the length of their difference, which is exact for small angles, too. */
    double difference = 0, sum = 0;
    for (int i = 0; i < 4; i++) {
        difference += (from[i] - to[i]) * (from[i] - to[i]);
        sum += (from[i] + to[i]) * (from[i] + to[i]);
    }
    double angle = 2 * atan2(sqrt(difference), sqrt(sum)), sine = sin(angle);
    double first = sine > 1e-9 ? sin((1 - t) * angle) / sine : 1 - t, second = sine > 1e-9 ? sin(t * angle) / sine : t;
    for (int i = 0; i < 4; i++)
        out[i] = first * from[i] + second * to[i];
    make_unit(out);
}

/* Interpolates as glTF 2.0 appendix C.5 says: a and b are rows of in-tangent, value, out-tangent. */
static double cubic(const double *a, const double *b, uint32_t width, uint32_t i, double length, double t)
{
    double t2 = t * t, t3 = t2 * t;
    return (2 * t3 - 3 * t2 + 1) * a[width + i] + length * (t3 - 2 * t2 + t) * a[2 * width + i] +
           (3 * t2 - 2 * t3) * b[width + i] + length * (t3 - t2) * b[i];
}

/* Returns the last key at or before the time, or the first. */
static uint32_t find_key(const cp_track *track, double time)
{
    uint32_t low = 0, high = track->key_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (track->times[middle] <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Returns the first key behind a time; key_count when there is none. */
static uint32_t key_after(const cp_track *track, double time)
{
    uint32_t key = find_key(track, time);
    return track->times[key] > time ? key : key + 1;
}

double track_stop(const cp_track *track, double from, double to)
{
    uint32_t key = to < from ? find_key(track, from) : key_after(track, from);
    if (to < from && track->times[key] >= from) /* or it is the first */
        key = key > 0 ? key - 1 : track->key_count;
    if (key == track->key_count)
        return to;
    return to < from ? fmax(to, track->times[key]) : fmin(to, track->times[key]);
}

void track_value(const cp_track *track, double time, double *value)
{
    uint32_t width = path_width(track->path), key = find_key(track, time);
    bool is_cubic = track->interpolation == CP_CUBIC, rotation = track->path == CP_PATH_ROTATION;
    uint32_t row = is_cubic ? 3 * width : width;
    const double *a = track->values + (size_t)key * row, *b = a + row;
    bool held = key + 1 == track->key_count || time <= track->times[key] || track->interpolation == CP_STEP;
    double length = held ? 1 : track->times[key + 1] - track->times[key];
    double t = held ? 0 : (time - track->times[key]) / length;
    if (!held && rotation && !is_cubic) {
        rotation_between(a, b, t, value);
        return;
    }
    for (uint32_t i = 0; i < width; i++)
        value[i] = held       ? a[is_cubic ? width + i : i]
                   : is_cubic ? cubic(a, b, width, i, length, t)
                              : a[i] + (b[i] - a[i]) * t;
    if (rotation)
        make_unit(value);
}

void clip_range(const cp_clip *clip, double *first, double *last)
{
    double low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const cp_track *track = &clip->tracks[i];
        if (track->key_count == 0)
            continue;
        low = fmin(low, track->times[0]);
        high = fmax(high, track->times[track->key_count - 1]);
    }
    if (clip->attachment_count > 0) {
        low = fmin(low, clip->attachments[0].time);
        high = fmax(high, clip->attachments[clip->attachment_count - 1].time);
    }
    *first = low <= high ? low : 0;
    *last = low <= high ? high : 0;
}

static int compare_times(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

size_t sort_times(double *times, size_t count)
{
    size_t kept = 0;
    if (count > 0)
        qsort(times, count, sizeof *times, compare_times);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || times[i] > times[kept - 1])
            times[kept++] = times[i];
    return kept;
}

/* ---- the player ---- */

cp_status player_start(struct player *player, cp_context *context, const cp_scene *scene, const cp_clip *clip)
{
    uint32_t nodes = scene->node_count;
    *player = (struct player){.context = context, .scene = scene, .clip = clip, .time = -INFINITY};
    player->joint_time = -INFINITY;
    cp_status status = mechanism_open(&player->mechanism, context, scene);
    if (status != CP_OK)
        return status;
    struct arena *arena = player->arena = arena_new(context);
    player->parents = arena_allocate(arena, nodes, sizeof *player->parents);
    player->parts = arena_allocate(arena, nodes, sizeof *player->parts);
    player->locals = arena_allocate(arena, nodes, sizeof *player->locals);
    player->worlds = arena_allocate(arena, nodes, sizeof *player->worlds);
    player->known = arena_allocate(arena, nodes, sizeof *player->known);
    player->way = arena_allocate(arena, nodes, sizeof *player->way);
    if (arena_failed(arena))
        return CP_LIMIT;
    for (uint32_t i = 0; i < clip->track_count; i++)
        if (clip->tracks[i].path != CP_PATH_JOINT)
            (void)pose_to_trs(&scene->nodes[clip->tracks[i].target].local, 0, &player->parts[clip->tracks[i].target]);
    return CP_OK;
}

void player_free(struct player *player)
{
    mechanism_close(&player->mechanism);
    arena_free(player->arena);
}

/* Returns the next time on the way to another at which a joint of loops has a key, or that time. */
static double next_stop(const struct player *player, double time)
{
    double first, last;
    if (!player->mechanism.closure)
        return time;
    clip_range(player->clip, &first, &last);
    if (player->joint_time == -INFINITY)
        return first;
    for (uint32_t i = 0; i < player->clip->track_count; i++) {
        const cp_track *track = &player->clip->tracks[i];
        if (track->path == CP_PATH_JOINT && mechanism_closes(&player->mechanism, track->target))
            time = track_stop(track, player->joint_time, time);
    }
    return time;
}

/* Moves the joints to a time, along the way of their loops. The first of several tracks of a joint counts, so it is set
 * last. */
static cp_status move_joints(struct player *player, double time)
{
    const cp_clip *clip = player->clip;
    cp_mechanism *mechanism = &player->mechanism;
    cp_status status = CP_OK;
    for (double stop = NAN; stop != time && status == CP_OK;) {
        stop = next_stop(player, time);
        for (uint32_t i = clip->track_count; i-- > 0;)
            if (clip->tracks[i].path == CP_PATH_JOINT)
                track_value(&clip->tracks[i], stop, &mechanism->q[clip->tracks[i].target]);
        status = mechanism_values(mechanism, mechanism->q);
        if (status == CP_OK)
            player->joint_time = stop;
    }
    return status == CP_NO ? mechanism_report_open(mechanism) : status;
}

/* The first of several tracks of one thing counts, so it is set last. */
cp_status player_seek(struct player *player, double time)
{
    const cp_clip *clip = player->clip;
    const cp_scene *scene = player->scene;
    cp_mechanism *mechanism = &player->mechanism;
    /* What hangs on what. */
    if (time < player->time || player->time == -INFINITY) {
        player->next = 0;
        for (uint32_t i = 0; i < scene->node_count; i++)
            player->parents[i] = scene->nodes[i].parent;
    }
    for (; player->next < clip->attachment_count && clip->attachments[player->next].time <= time; player->next++)
        player->parents[clip->attachments[player->next].node] = clip->attachments[player->next].host;
    player->time = time;
    /* Only nodes that are turned or scaled are taken apart, since others may be sheared. All parts of a node are
     * replaced before it is put together, since a mirrored pose can be taken apart in several ways. */
    for (uint32_t i = 0; i < scene->node_count; i++)
        player->locals[i] = scene->nodes[i].local;
    for (uint32_t i = clip->track_count; i-- > 0;) {
        const cp_track *track = &clip->tracks[i];
        if (track->path == CP_PATH_ROTATION)
            track_value(track, time, player->parts[track->target].rotation);
        else if (track->path == CP_PATH_SCALE)
            track_value(track, time, player->parts[track->target].scale);
    }
    for (uint32_t i = 0; i < clip->track_count; i++)
        if (clip->tracks[i].path == CP_PATH_ROTATION || clip->tracks[i].path == CP_PATH_SCALE)
            player->locals[clip->tracks[i].target] = pose_from_trs(&player->parts[clip->tracks[i].target]);
    for (uint32_t i = clip->track_count; i-- > 0;) {
        double value[3];
        if (clip->tracks[i].path != CP_PATH_TRANSLATION)
            continue;
        track_value(&clip->tracks[i], time, value);
        for (int k = 0; k < 3; k++)
            player->locals[clip->tracks[i].target].m[4 * k + 3] = value[k];
    }
    /* The joints; baked ones have their value from a track, not from their formula. */
    cp_status status = move_joints(player, time);
    if (status != CP_OK)
        return status;
    for (uint32_t i = 0; i < clip->track_count && player->is_baked; i++)
        if (clip->tracks[i].path == CP_PATH_JOINT && scene->joints[clip->tracks[i].target].expression)
            track_value(&clip->tracks[i], time, &mechanism->values[clip->tracks[i].target]);
    /* The world: from each node up to what is known, and down again. */
    memset(player->known, 0, scene->node_count * sizeof *player->known);
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t depth = 0;
        for (uint32_t node = i; node != CP_NONE && !player->known[node]; node = player->parents[node])
            player->way[depth++] = node;
        while (depth > 0) {
            uint32_t at = player->way[--depth], parent = player->parents[at];
            cp_pose local = node_pose(mechanism, at, &player->locals[at]);
            player->worlds[at] = parent == CP_NONE ? local : pose_multiply(&player->worlds[parent], &local);
            player->known[at] = true;
        }
    }
    return status;
}

cp_status cp_clip_poses(cp_context *context, const cp_scene *scene, uint32_t clip, double time, cp_pose *worlds)
{
    struct player player;
    cp_status status = player_start(&player, context, scene, &scene->clips[clip]);
    if (status == CP_OK)
        status = player_seek(&player, time);
    if (status == CP_OK)
        memcpy(worlds, player.worlds, scene->node_count * sizeof *worlds);
    player_free(&player);
    return context_finish(context, status);
}
