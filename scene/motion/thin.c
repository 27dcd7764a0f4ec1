/* Clips with fewer keys: each track alone is thinned within a share of the tolerance; then all is looked at together, and the shares are
 * made smaller until it holds. */
#include "thin.h"

#include <math.h>
#include <stdlib.h>

#include "../mesh/mesh.h"
#include "grow.h"

enum { CUBIC_PIECES = 16, MOST_TRIES = 12, CORNERS = 8 };

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
};

/* ---- times ---- */

static int compare_times(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

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
    size_t at = 0, kept = 0;
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
    if (at > 0)
        qsort(out, at, sizeof *out, compare_times);
    for (size_t i = 0; i < at; i++)
        if (kept == 0 || out[i] > out[kept - 1])
            out[kept++] = out[i];
    *count = (uint32_t)kept;
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

/* The samples that say all of the track, for a reader that knows straight ways alone. What is there when something changes hands stays:
 * both hands are exactly where it is. */
static bool feed(cp_context *context, const cp_clip *clip, const cp_track *track, struct growing_track *out)
{
    uint32_t width = path_width(track->path), row = track->interpolation == CP_CUBIC ? 3 * width : width;
    double value[4];
    uint32_t next = 0;
    for (uint32_t i = 0; i < track->key_count; i++) {
        const double *key = track->values + (size_t)i * row + (row > width ? width : 0);
        double last = i > 0 ? track->times[i - 1] : 0, just_before = nextafter(track->times[i], -INFINITY);
        if (i > 0 && track->interpolation == CP_STEP && just_before > last &&
            !track_add(context, out, just_before, key - row))
            return false;
        for (int piece = 1; i > 0 && track->interpolation == CP_CUBIC && piece < CUBIC_PIECES; piece++) {
            double time = last + (track->times[i] - last) * piece / CUBIC_PIECES;
            track_value(track, time, value);
            if (time > last && time < track->times[i] && !track_add(context, out, time, value))
                return false;
        }
        if (!track_add(context, out, track->times[i], key))
            return false;
        if (changes_at(clip, &next, track->times[i]) && !track_cut(context, out))
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
    struct growing_track out = {.path = track->path,
                                .tolerance = share > 0 ? value_tolerance(thinning, track, share) : 0};
    bool fine =
        feed(thinning->context, thinning->like, track, &out) && track_finish(thinning->work, &out, track->target, made);
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
    player_seek(&thinning->before, time);
    player_seek(&thinning->after, time);
    return distance_at(thinning);
}

static double largest_distance(struct thinning *thinning, const struct times *times)
{
    double most = 0;
    for (uint32_t i = 0; i < times->count; i++) {
        double time = times->items[i];
        most = fmax(most, seek_both(thinning, time));
        if (i + 1 < times->count)
            most = fmax(most, seek_both(thinning, time + (times->items[i + 1] - time) / 2));
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
        cp_pose pose = node_pose(scene, i, NULL);
        double *above = &thinning->reaches[scene->nodes[i].parent];
        double way = sqrt(pose.m[3] * pose.m[3] + pose.m[7] * pose.m[7] + pose.m[11] * pose.m[11]);
        if (thinning->reaches[i] > 0)
            *above = fmax(*above, way + pose_stretch_bound(&pose) * thinning->reaches[i]);
    }
    return true;
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
        if (!player_start(&thinning->after, thinning->context, thinning->scene, thin))
            return false;
        thinning->after.is_baked = true;
        *error = fmax(largest_distance(thinning, &thinning->times[0]), largest_distance(thinning, &thinning->times[1]));
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
    thinning.before = thinning.after = (struct player){.context = context, .scene = scene};
    *error = 0;
    bool fine = measure(&thinning);
    for (int i = 0; i < 2 && fine; i++) {
        struct times *times = &thinning.times[i];
        fine = clip_times(context, i == 0 ? clip : like, &times->items, &times->count, &times->room);
    }
    fine = fine && player_start(&thinning.before, context, scene, clip) &&
           thin_until_it_holds(&thinning, tolerance, thin, error);
    memory_free(context, thinning.boxes, scene->node_count, sizeof *thinning.boxes);
    memory_free(context, thinning.reaches, scene->node_count, sizeof *thinning.reaches);
    for (int i = 0; i < 2; i++)
        memory_free(context, thinning.times[i].items, thinning.times[i].room, sizeof *thinning.times[i].items);
    player_free(&thinning.before);
    player_free(&thinning.after);
    return fine ? CP_OK : CP_LIMIT;
}
