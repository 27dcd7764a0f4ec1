/* Thins the keys of clips: each track alone within a share of the tolerance; then both clips are compared as a whole,
 * and the shares are made smaller until the tolerance holds. */
#include "clips.h"

#include <math.h>

#include "mesh/mesh.h"

enum {
    LEAST_PIECES = 16,
    MOST_PIECES = 1024,
    STRAIGHT_LOOKS = 2,
    BENT_LOOKS = 4,
    CUBIC_LOOKS = 8,
    MOST_TRIES = 12,
    CORNERS = 8
};

/* The error of cubic ways without a tolerance, as a part of the scene's size. */
#define EXACT 5e-7

struct times {
    double *items;
    uint32_t count, room;
};

struct thinning {
    cp_context *context;
    cp_scene *work;
    const cp_scene *scene;
    const cp_clip *clip, *like;
    const struct clip_shape *shape;
    struct times times[2]; /* of clip, and of like */
    struct player before, after;
    cp_status status; /* of the players */
};

/* ---- times ---- */

/* Lists all times of keys and attachments, ascending, each once, with the moments just before jumps. */
static bool clip_times(cp_context *context, const cp_clip *clip, struct times *times)
{
    uint64_t most = 2 * (uint64_t)clip->attachment_count;
    uint32_t at = 0;
    for (uint32_t i = 0; i < clip->track_count; i++)
        most += (uint64_t)clip->tracks[i].key_count * (clip->tracks[i].interpolation == CP_STEP ? 2 : 1);
    if (!array_reserve(context, &times->items, &times->room, most, sizeof *times->items))
        return false;
    for (uint32_t i = 0; i < clip->track_count; i++)
        for (uint32_t k = 0; k < clip->tracks[i].key_count; k++) {
            times->items[at++] = clip->tracks[i].times[k];
            if (clip->tracks[i].interpolation == CP_STEP)
                times->items[at++] = nextafter(clip->tracks[i].times[k], -INFINITY);
        }
    for (uint32_t i = 0; i < clip->attachment_count; i++) {
        times->items[at++] = clip->attachments[i].time;
        times->items[at++] = nextafter(clip->attachments[i].time, -INFINITY);
    }
    times->count = (uint32_t)sort_times(times->items, at);
    return true;
}

/* ---- one track ---- */

/* Samples a cubic way between two keys: the ends of straight pieces that are nowhere farther off than the tolerance.
 * The second derivative, which is largest at an end, bounds the error. A quaternion's numbers move half as fast as it
 * turns. */
static bool feed_cubic(cp_context *context, const cp_track *track, uint32_t key, double tolerance,
                       struct growing_track *out)
{
    uint32_t width = path_width(track->path);
    const double *a = track->values + (size_t)key * 3 * width, *b = a + 3 * width;
    double first = track->times[key], last = track->times[key + 1], length = last - first, squares = 0, value[4];
    for (uint32_t i = 0; i < width; i++) {
        double way = 6 * (b[width + i] - a[width + i]), start = length * a[2 * width + i], end = length * b[i];
        double most = fmax(fabs(way - 4 * start - 2 * end), fabs(way - 2 * start - 4 * end));
        squares += most * most;
    }
    double factor = track->path == CP_PATH_ROTATION ? 2 : 1, wanted = sqrt(factor * sqrt(squares) / (8 * tolerance));
    int pieces = wanted < MOST_PIECES ? (int)fmax(LEAST_PIECES, ceil(wanted)) : MOST_PIECES;
    for (int piece = 1; piece < pieces; piece++) {
        double time = first + (last - first) * piece / pieces, before;
        track_value(track, time, value);
        (void)track_latest(out, &before);
        if (time > before && time < last && !track_add(context, out, time, value))
            return false;
    }
    return true;
}

/* Adds the samples that describe the track for a reader that knows only straight ways; tolerance: of cubic ways. */
static bool feed(const struct thinning *thinning, const cp_track *track, double tolerance, struct growing_track *out)
{
    cp_context *context = thinning->context;
    const cp_clip *like = thinning->like;
    uint32_t width = path_width(track->path), row = track->interpolation == CP_CUBIC ? 3 * width : width, next = 0;
    for (uint32_t i = 0; i < track->key_count; i++) {
        const double *key = track->values + (size_t)i * row + (row > width ? width : 0);
        double time = track->times[i], last = i > 0 ? track->times[i - 1] : 0, just_before = nextafter(time, -INFINITY);
        if (i > 0 && track->interpolation == CP_STEP && just_before > last &&
            !track_add(context, out, just_before, key - row))
            return false;
        if (i > 0 && track->interpolation == CP_CUBIC && !feed_cubic(context, track, i - 1, tolerance, out))
            return false;
        if (!track_add(context, out, time, key))
            return false;
        /* Keep a key if something is hung elsewhere at its time or just after: the pose is then exact on both hosts. */
        while (next < like->attachment_count && like->attachments[next].time < time)
            next++;
        bool changes = next < like->attachment_count && like->attachments[next].time <= nextafter(time, INFINITY);
        if (changes && !track_cut(context, out))
            return false;
    }
    return true;
}

/* Returns the tolerance of a track's values if what it moves may be off by so much. */
static double value_tolerance(const struct thinning *thinning, const cp_track *track, double share)
{
    const cp_joint *joint = track->path == CP_PATH_JOINT ? &thinning->scene->joints[track->target] : NULL;
    bool slides = joint ? joint->type == CP_JOINT_PRISMATIC : track->path == CP_PATH_TRANSLATION;
    double reach = thinning->shape->reaches[joint ? joint->node : track->target];
    return slides || !(reach > 0) ? share : share / reach;
}

static bool thin_tracks(struct thinning *thinning, double share, cp_track *tracks)
{
    double cubic = share > 0 ? share / 4 : EXACT * thinning->shape->reaches[0];
    bool fine = true;
    for (uint32_t i = 0; i < thinning->like->track_count && fine; i++) {
        const cp_track *track = &thinning->like->tracks[i];
        struct growing_track out = {.path = track->path,
                                    .tolerance = share > 0 ? value_tolerance(thinning, track, share) : 0};
        fine = feed(thinning, track, value_tolerance(thinning, track, cubic), &out) &&
               track_finish(thinning->work, &out, track->target, &tracks[i]);
        track_free(thinning->context, &out);
    }
    return fine;
}

/* ---- all of it ---- */

/* Returns the largest distance between both clips at a time, of the corners of any node's box. */
static double distance_at(struct thinning *thinning, double time)
{
    double most = 0;
    if (thinning->status == CP_OK)
        thinning->status = player_seek(&thinning->before, time);
    if (thinning->status == CP_OK)
        thinning->status = player_seek(&thinning->after, time);
    for (uint32_t i = 0; i < thinning->scene->node_count; i++) {
        const cp_measures *box = &thinning->shape->boxes[i];
        for (int corner = 0; corner < CORNERS && box->any; corner++) {
            double point[3], a[3], b[3];
            for (int k = 0; k < 3; k++)
                point[k] = corner >> k & 1 ? box->upper[k] : box->lower[k];
            pose_point(&thinning->before.worlds[i], point, a);
            pose_point(&thinning->after.worlds[i], point, b);
            most = fmax(most, sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                                   (a[2] - b[2]) * (a[2] - b[2])));
        }
    }
    return most;
}

static double largest_distance(struct thinning *thinning, const struct times *times, int pieces)
{
    double most = 0;
    for (uint32_t i = 0; i < times->count; i++) {
        double time = times->items[i];
        most = fmax(most, distance_at(thinning, time));
        for (int piece = 1; piece < pieces && i + 1 < times->count; piece++)
            most = fmax(most, distance_at(thinning, time + (times->items[i + 1] - time) * piece / pieces));
    }
    return most;
}

/* Measures the clips at their own times and between them, as carried nodes and formulas are not straight there, and
 * cubic ways bend more than once. If something is baked, also at the times of the baked keys. */
static double find_error(struct thinning *thinning)
{
    const cp_clip *clip = thinning->clip, *like = thinning->like;
    int looks = clip->attachment_count > like->attachment_count ? BENT_LOOKS : STRAIGHT_LOOKS;
    for (uint32_t i = 0; i < like->track_count; i++)
        if (like->tracks[i].path == CP_PATH_JOINT && thinning->scene->joints[like->tracks[i].target].expression)
            looks = BENT_LOOKS;
    for (uint32_t i = 0; i < clip->track_count; i++)
        if (clip->tracks[i].interpolation == CP_CUBIC)
            looks = CUBIC_LOOKS;
    double error = largest_distance(thinning, &thinning->times[0], looks);
    return looks == STRAIGHT_LOOKS ? error
                                   : fmax(error, largest_distance(thinning, &thinning->times[1], STRAIGHT_LOOKS));
}

/* Returns true if all that the clip does is to move one joint, which no other one follows, in straight pieces. Its
 * values are then within the tolerance at every time, and what hangs on it is within its reach of the axis: no
 * comparison is needed. A scene may have such a clip for each joint, so a comparison for each would take long. */
static bool moves_one_joint(const struct thinning *thinning)
{
    const cp_clip *like = thinning->like;
    const cp_track *track = like->tracks;
    return like->track_count == 1 && like->attachment_count == 0 && thinning->clip->attachment_count == 0 &&
           track->path == CP_PATH_JOINT && track->interpolation != CP_CUBIC && thinning->shape->alone[track->target];
}

cp_status clip_shape_find(cp_scene *work, const cp_scene *scene, struct clip_shape *shape)
{
    uint32_t nodes = scene->node_count, count;
    cp_mechanism mechanism;
    shape->boxes = scene_allocate(work, nodes, sizeof *shape->boxes);
    shape->reaches = scene_allocate(work, nodes, sizeof *shape->reaches);
    shape->alone = scene_allocate(work, scene->joint_count, sizeof *shape->alone);
    double *stretches = scene_allocate(work, nodes, sizeof *stretches);
    if (!shape->boxes || !shape->reaches || !shape->alone || !stretches)
        return CP_LIMIT;
    cp_status status = mechanism_open(&mechanism, work->context, scene);
    if (status == CP_OK)
        status = measure_node_boxes(work->context, scene, true, shape->boxes);
    for (uint32_t i = 0; i < nodes && status == CP_OK; i++) {
        const cp_measures *box = &shape->boxes[i];
        cp_pose pose = node_pose(&mechanism, i, &scene->nodes[i].local);
        double squares = 0;
        for (int k = 0; k < 3 && box->any; k++)
            squares += fmax(box->lower[k] * box->lower[k], box->upper[k] * box->upper[k]);
        shape->reaches[i] = sqrt(squares);
        stretches[i] = pose_stretch_bound(&pose) * (i > 0 ? stretches[scene->nodes[i].parent] : 1);
    }
    for (uint32_t i = nodes; i-- > 1 && status == CP_OK;) {
        cp_pose pose = node_pose(&mechanism, i, &scene->nodes[i].local);
        double *above = &shape->reaches[scene->nodes[i].parent];
        double way = sqrt(pose.m[3] * pose.m[3] + pose.m[7] * pose.m[7] + pose.m[11] * pose.m[11]);
        if (shape->reaches[i] > 0)
            *above = fmax(*above, way + pose_stretch_bound(&pose) * shape->reaches[i]);
    }
    for (uint32_t i = 0; i < scene->joint_count && status == CP_OK; i++) {
        uint32_t node = scene->joints[i].node;
        shape->alone[i] = scene->nodes[node].joint_count == 1 && stretches[node] <= 1 + 1e-9;
    }
    for (uint32_t i = 0; i < scene->joint_count && status == CP_OK; i++) {
        const uint32_t *inputs = mechanism_inputs(&mechanism, i, &count);
        if (!mechanism_samples(&mechanism, i) && count == 1 && *inputs == i)
            continue;
        shape->alone[i] = false;
        for (uint32_t k = 0; k < count; k++)
            shape->alone[inputs[k]] = false;
    }
    mechanism_close(&mechanism);
    return status;
}

cp_status clip_thin(cp_scene *work, const cp_scene *scene, const struct clip_shape *shape, const cp_clip *clip,
                    const cp_clip *like, double tolerance, cp_clip *thin)
{
    cp_context *context = work->context;
    struct thinning thinning = {
        .context = context, .work = work, .scene = scene, .clip = clip, .like = like, .shape = shape};
    cp_track *tracks = scene_allocate(work, like->track_count, sizeof *tracks);
    *thin = *like;
    thin->tracks = tracks;
    if (tracks && (tolerance == 0 || moves_one_joint(&thinning)))
        return thin_tracks(&thinning, tolerance, tracks) ? CP_OK : CP_LIMIT;
    double share = tolerance;
    thinning.after = (struct player){.context = context, .scene = scene};
    thinning.status = player_start(&thinning.before, context, scene, clip);
    bool holds = false, fine = tracks && thinning.status == CP_OK && clip_times(context, clip, &thinning.times[0]) &&
                               clip_times(context, like, &thinning.times[1]);
    for (int i = 0; i <= MOST_TRIES && fine && !holds; i++) {
        if (i == MOST_TRIES)
            share = 0;
        fine = thin_tracks(&thinning, share, tracks);
        if (!fine)
            break;
        player_free(&thinning.after);
        thinning.status = player_start(&thinning.after, context, scene, thin);
        thinning.after.is_baked = true;
        double error = thinning.status == CP_OK ? find_error(&thinning) : 0;
        fine = thinning.status == CP_OK;
        holds = error <= tolerance || share == 0;
        share *= fmin(0.7, 0.9 * tolerance / error);
    }
    for (int i = 0; i < 2; i++)
        memory_free(context, thinning.times[i].items, thinning.times[i].room, sizeof *thinning.times[i].items);
    player_free(&thinning.before);
    player_free(&thinning.after);
    return thinning.status == CP_OK && !fine ? CP_LIMIT : thinning.status;
}

uint32_t drop_rests(double *times, double *values, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (kept > 0 && i + 1 < count && values[kept - 1] == values[i] && values[i + 1] == values[i])
            continue;
        times[kept] = times[i];
        values[kept++] = values[i];
    }
    return kept == 2 && values[0] == values[1] ? 1 : kept;
}
