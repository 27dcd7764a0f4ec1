/* Clips with fewer keys: each track alone is thinned within a share of the tolerance; then all is looked at together, and the shares are
 * made smaller until it holds. */
#include "thin.h"

#include <math.h>

#include "../mesh/mesh.h"
#include "grow.h"

enum {
    LEAST_PIECES = 16,
    MOST_PIECES = 1024,
    STRAIGHT_LOOKS = 2,
    BENT_LOOKS = 4,
    CUBIC_LOOKS = 8,
    MOST_TRIES = 12,
    CORNERS = 8
};

/* How far off cubic ways are without a tolerance, as a part of the scene's size. */
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
    cp_measures *boxes;    /* of each node's own meshes */
    double *reaches;       /* of each node: how far from its origin something is that it moves */
    struct times times[2]; /* of clip, and of like */
    struct player before, after;
    cp_status status; /* of the players */
};

/* ---- times ---- */

static uint64_t count_times(const cp_clip *clip)
{
    uint64_t count = 2 * (uint64_t)clip->attachment_count;
    for (uint32_t i = 0; i < clip->track_count; i++)
        count += (uint64_t)clip->tracks[i].key_count * (clip->tracks[i].interpolation == CP_STEP ? 2 : 1);
    return count;
}

bool clip_times(cp_context *context, const cp_clip *clip, double **times, uint32_t *count, uint32_t *room)
{
    *times = NULL;
    *count = *room = 0;
    if (!array_reserve(context, times, room, count_times(clip), sizeof **times))
        return false;
    double *out = *times;
    uint32_t at = 0;
    for (uint32_t i = 0; i < clip->track_count; i++)
        for (uint32_t k = 0; k < clip->tracks[i].key_count; k++) {
            out[at++] = clip->tracks[i].times[k];
            if (clip->tracks[i].interpolation == CP_STEP)
                out[at++] = nextafter(clip->tracks[i].times[k], -INFINITY);
        }
    for (uint32_t i = 0; i < clip->attachment_count; i++) {
        out[at++] = clip->attachments[i].time;
        out[at++] = nextafter(clip->attachments[i].time, -INFINITY);
    }
    *count = sort_times(out, at);
    return true;
}

/* ---- one track ---- */

/* Whether something comes to hang elsewhere at a time or just behind it. Asked for ascending times. */
static bool changes_at(const cp_clip *clip, uint32_t *next, double time)
{
    while (*next < clip->attachment_count && clip->attachments[*next].time < time)
        (*next)++;
    return *next < clip->attachment_count && clip->attachments[*next].time <= nextafter(time, INFINITY);
}

/* Straight pieces of a cubic way that are nowhere farther off than the tolerance: by its second derivative, which is largest at an end.
 * A quaternion's numbers move half as fast as it turns. */
static int cubic_pieces(const cp_track *track, uint32_t key, double tolerance)
{
    uint32_t width = path_width(track->path);
    const double *a = track->values + (size_t)key * 3 * width, *b = a + 3 * width;
    double length = track->times[key + 1] - track->times[key], squares = 0;
    for (uint32_t i = 0; i < width; i++) {
        double way = 6 * (b[width + i] - a[width + i]), start = length * a[2 * width + i], end = length * b[i];
        double most = fmax(fabs(way - 4 * start - 2 * end), fabs(way - 2 * start - 4 * end));
        squares += most * most;
    }
    double factor = track->path == CP_PATH_ROTATION ? 2 : 1, pieces = sqrt(factor * sqrt(squares) / (8 * tolerance));
    return pieces < MOST_PIECES ? (int)fmax(LEAST_PIECES, ceil(pieces)) : MOST_PIECES;
}

static bool feed_cubic(cp_context *context, const cp_track *track, uint32_t key, double tolerance,
                       struct growing_track *out)
{
    double first = track->times[key], last = track->times[key + 1], value[4];
    int pieces = cubic_pieces(track, key, tolerance);
    for (int piece = 1; piece < pieces; piece++) {
        double time = first + (last - first) * piece / pieces, before;
        track_value(track, time, value);
        (void)track_latest(out, &before);
        if (time > before && time < last && !track_add(context, out, time, value))
            return false;
    }
    return true;
}

/* The samples that say all of the track, for a reader that knows straight ways alone; tolerance: of cubic ways. What is there when
 * something changes hands stays: both hands are exactly where it is. */
static bool feed(const struct thinning *thinning, const cp_track *track, double tolerance, struct growing_track *out)
{
    cp_context *context = thinning->context;
    uint32_t width = path_width(track->path), row = track->interpolation == CP_CUBIC ? 3 * width : width;
    uint32_t next = 0;
    for (uint32_t i = 0; i < track->key_count; i++) {
        const double *key = track->values + (size_t)i * row + (row > width ? width : 0);
        double last = i > 0 ? track->times[i - 1] : 0, just_before = nextafter(track->times[i], -INFINITY);
        if (i > 0 && track->interpolation == CP_STEP && just_before > last &&
            !track_add(context, out, just_before, key - row))
            return false;
        if (i > 0 && track->interpolation == CP_CUBIC && !feed_cubic(context, track, i - 1, tolerance, out))
            return false;
        if (!track_add(context, out, track->times[i], key))
            return false;
        if (changes_at(thinning->like, &next, track->times[i]) && !track_cut(context, out))
            return false;
    }
    return true;
}

/* The tolerance of a track's values, when what it moves may be off by so much. */
static double value_tolerance(const struct thinning *thinning, const cp_track *track, double share)
{
    const cp_joint *joint = track->path == CP_PATH_JOINT ? &thinning->scene->joints[track->target] : NULL;
    bool slides = joint ? joint->type == CP_JOINT_PRISMATIC : track->path == CP_PATH_TRANSLATION;
    double reach = thinning->reaches[joint ? joint->node : track->target];
    return slides || !(reach > 0) ? share : share / reach;
}

static bool thin_track(struct thinning *thinning, const cp_track *track, double share, cp_track *made)
{
    double most = share > 0 ? share / 4 : EXACT * thinning->reaches[0];
    struct growing_track out = {.path = track->path,
                                .tolerance = share > 0 ? value_tolerance(thinning, track, share) : 0};
    bool fine = feed(thinning, track, value_tolerance(thinning, track, most), &out) &&
                track_finish(thinning->work, &out, track->target, made);
    track_free(thinning->context, &out);
    return fine;
}

static bool thin_tracks(struct thinning *thinning, double share, cp_track *tracks)
{
    for (uint32_t i = 0; i < thinning->like->track_count; i++)
        if (!thin_track(thinning, &thinning->like->tracks[i], share, &tracks[i]))
            return false;
    return true;
}

/* ---- all of it ---- */

static double distance_at(const struct thinning *thinning)
{
    double most = 0;
    for (uint32_t i = 0; i < thinning->scene->node_count; i++) {
        const cp_measures *box = &thinning->boxes[i];
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

static double seek_both(struct thinning *thinning, double time)
{
    struct player *players[] = {&thinning->before, &thinning->after};
    for (int i = 0; i < 2 && thinning->status == CP_OK; i++)
        thinning->status = player_seek(players[i], time);
    return distance_at(thinning);
}

/* How often to look between two moments: what is carried, or follows a formula, is not straight there; cubic ways bend more than once. */
static int count_looks(const struct thinning *thinning)
{
    const cp_clip *clip = thinning->clip, *like = thinning->like;
    int looks = clip->attachment_count > like->attachment_count ? BENT_LOOKS : STRAIGHT_LOOKS;
    for (uint32_t i = 0; i < like->track_count; i++)
        if (like->tracks[i].path == CP_PATH_JOINT && thinning->scene->joints[like->tracks[i].target].expression)
            looks = BENT_LOOKS;
    for (uint32_t i = 0; i < clip->track_count; i++)
        if (clip->tracks[i].interpolation == CP_CUBIC)
            looks = CUBIC_LOOKS;
    return looks;
}

static double largest_distance(struct thinning *thinning, const struct times *times, int pieces)
{
    double most = 0;
    for (uint32_t i = 0; i < times->count; i++) {
        double time = times->items[i];
        most = fmax(most, seek_both(thinning, time));
        for (int piece = 1; piece < pieces && i + 1 < times->count; piece++)
            most = fmax(most, seek_both(thinning, time + (times->items[i + 1] - time) * piece / pieces));
    }
    return most;
}

/* Own boxes; and how far the boxes of what is below reach. */
static bool measure(struct thinning *thinning)
{
    cp_context *context = thinning->context;
    const cp_scene *scene = thinning->scene;
    uint32_t nodes = scene->node_count;
    thinning->boxes = memory_allocate(context, nodes, sizeof *thinning->boxes);
    thinning->reaches = memory_allocate(context, nodes, sizeof *thinning->reaches);
    if (!thinning->boxes || !thinning->reaches || measure_node_boxes(context, scene, true, thinning->boxes) != CP_OK)
        return false;
    for (uint32_t i = 0; i < nodes; i++) {
        const cp_measures *box = &thinning->boxes[i];
        double squares = 0;
        for (int k = 0; k < 3 && box->any; k++)
            squares += fmax(box->lower[k] * box->lower[k], box->upper[k] * box->upper[k]);
        thinning->reaches[i] = sqrt(squares);
    }
    for (uint32_t i = nodes; i-- > 1;) {
        cp_pose pose = node_pose(&thinning->before.mechanism, i, &scene->nodes[i].local);
        double *above = &thinning->reaches[scene->nodes[i].parent];
        double way = sqrt(pose.m[3] * pose.m[3] + pose.m[7] * pose.m[7] + pose.m[11] * pose.m[11]);
        if (thinning->reaches[i] > 0)
            *above = fmax(*above, way + pose_stretch_bound(&pose) * thinning->reaches[i]);
    }
    return true;
}

/* At the clip's own times; where something is baked, at the times of the baked keys too. */
static double find_error(struct thinning *thinning)
{
    int looks = count_looks(thinning);
    double error = largest_distance(thinning, &thinning->times[0], looks);
    return looks == STRAIGHT_LOOKS ? error
                                   : fmax(error, largest_distance(thinning, &thinning->times[1], STRAIGHT_LOOKS));
}

static bool thin_until_it_holds(struct thinning *thinning, double tolerance, cp_clip *thin, double *error)
{
    cp_track *tracks = scene_allocate(thinning->work, thinning->like->track_count, sizeof *tracks);
    double share = tolerance;
    *thin = *thinning->like;
    thin->tracks = tracks;
    if (!tracks)
        return false;
    for (int i = 0; i <= MOST_TRIES; i++) {
        if (i == MOST_TRIES)
            share = 0;
        if (!thin_tracks(thinning, share, tracks))
            return false;
        if (tolerance == 0)
            return true;
        player_free(&thinning->after);
        thinning->status = player_start(&thinning->after, thinning->context, thinning->scene, thin);
        if (thinning->status != CP_OK)
            return false;
        thinning->after.is_baked = true;
        *error = find_error(thinning);
        if (thinning->status != CP_OK)
            return false;
        if (*error <= tolerance || share == 0)
            return true;
        share *= fmin(0.7, 0.9 * tolerance / *error);
    }
    return true;
}

cp_status clip_thin(cp_scene *work, const cp_scene *scene, const cp_clip *clip, const cp_clip *like, double tolerance,
                    cp_clip *thin, double *error)
{
    cp_context *context = work->context;
    struct thinning thinning = {.context = context, .work = work, .scene = scene, .clip = clip, .like = like};
    thinning.after = (struct player){.context = context, .scene = scene};
    *error = 0;
    thinning.status = player_start(&thinning.before, context, scene, clip);
    bool fine = thinning.status == CP_OK && measure(&thinning);
    for (int i = 0; i < 2 && fine; i++) {
        struct times *times = &thinning.times[i];
        fine = clip_times(context, i == 0 ? clip : like, &times->items, &times->count, &times->room);
    }
    fine = fine && thin_until_it_holds(&thinning, tolerance, thin, error);
    memory_free(context, thinning.boxes, scene->node_count, sizeof *thinning.boxes);
    memory_free(context, thinning.reaches, scene->node_count, sizeof *thinning.reaches);
    for (int i = 0; i < 2; i++)
        memory_free(context, thinning.times[i].items, thinning.times[i].room, sizeof *thinning.times[i].items);
    player_free(&thinning.before);
    player_free(&thinning.after);
    return thinning.status == CP_OK && !fine ? CP_LIMIT : thinning.status;
}
