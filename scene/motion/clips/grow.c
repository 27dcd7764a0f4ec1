#include "clips.h"

#include <math.h>

#include "base/text/text.h"

/* Keeps a sample as a key, which becomes the pivot. */
static bool keep(cp_context *context, struct growing_track *track, double time, const double *value)
{
    uint32_t width = path_width(track->path);
    uint64_t count = (uint64_t)track->count + 1;
    if (track->log) {
        if (!key_log_add(track->log, track->number, time, value, width))
            return false;
    } else {
        if (!array_reserve(context, &track->times, &track->room, count, sizeof *track->times) ||
            !array_reserve(context, &track->values, &track->value_room, count * width, sizeof *track->values))
            return false;
        track->times[track->count] = time;
        memcpy(track->values + (size_t)track->count * width, value, width * sizeof *value);
    }
    if (track->count++ == 0)
        memcpy(track->first, value, width * sizeof *value);
    track->pivot_time = time;
    memcpy(track->pivot, value, width * sizeof *value);
    for (int i = 0; i < 3; i++) {
        track->low[i] = -INFINITY;
        track->high[i] = INFINITY;
    }
    return true;
}

/* Finds the way from the pivot to a sample in numbers in which it is straight: for a rotation, axis times angle of the
 * turn between the two quaternions, both of length 1. Returns how many numbers there are. */
static uint32_t way_to(const struct growing_track *track, const double *value, double way[3])
{
    const double *a = track->pivot, *b = value;
    uint32_t width = path_width(track->path);
    if (track->path != CP_PATH_ROTATION) {
        for (uint32_t i = 0; i < width; i++)
            way[i] = b[i] - a[i];
        return width;
    }
    double x = a[3] * b[0] - a[0] * b[3] - a[1] * b[2] + a[2] * b[1];
    double y = a[3] * b[1] - a[1] * b[3] - a[2] * b[0] + a[0] * b[2];
    double z = a[3] * b[2] - a[2] * b[3] - a[0] * b[1] + a[1] * b[0];
    double w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    double sine = sqrt(x * x + y * y + z * z), angle = 2 * atan2(sine, fabs(w));
    double factor = sine > 0 ? (w < 0 ? -angle : angle) / sine : 2;
    way[0] = factor * x;
    way[1] = factor * y;
    way[2] = factor * z;
    return 3;
}

/* Tells whether the straight way to the sample passes all samples since the pivot, each number within its share of the
 * tolerance. A turn of more than a quarter begins anew, so that the shorter way round is always the right one. */
static bool reaches(const struct growing_track *track, const double way[3], uint32_t numbers, double length)
{
    double turned = 0;
    for (uint32_t i = 0; i < numbers; i++) {
        if (way[i] / length < track->low[i] || way[i] / length > track->high[i])
            return false;
        turned += way[i] * way[i];
    }
    return track->path != CP_PATH_ROTATION || turned <= PI * PI / 4;
}

bool track_cut(cp_context *context, struct growing_track *track)
{
    if (!track->has_last)
        return true;
    track->has_last = false;
    return keep(context, track, track->last_time, track->last);
}

bool track_add(cp_context *context, struct growing_track *track, double time, const double *given)
{
    double value[4], way[3], length, before_time, dot = 0;
    size_t size = path_width(track->path) * sizeof *value;
    memcpy(value, given, size);
    if (track->path == CP_PATH_ROTATION) {
        /* A rotation has two quaternions: take the one that is nearer to the sample before. */
        const double *before = track_latest(track, &before_time);
        for (int i = 0; before && i < 4; i++)
            dot += before[i] * value[i];
        for (int i = 0; i < 4 && dot < 0; i++)
            value[i] = -value[i];
    }
    track->moves = track->moves || (track->count > 0 && memcmp(value, track->first, size) != 0);
    track->samples++;
    if (track->count == 0 || track->tolerance == 0)
        return keep(context, track, time, value);
    uint32_t numbers = way_to(track, value, way);
    if (track->has_last && !reaches(track, way, numbers, time - track->pivot_time)) {
        if (!track_cut(context, track))
            return false;
        numbers = way_to(track, value, way);
    }
    /* Later ways from the pivot must pass this sample within the tolerance. */
    double share = track->tolerance / sqrt(numbers);
    length = time - track->pivot_time;
    for (uint32_t i = 0; i < numbers; i++) {
        track->low[i] = fmax(track->low[i], (way[i] - share) / length);
        track->high[i] = fmin(track->high[i], (way[i] + share) / length);
    }
    track->last_time = time;
    memcpy(track->last, value, size);
    track->has_last = true;
    return true;
}

const double *track_latest(const struct growing_track *track, double *time)
{
    if (track->has_last) {
        *time = track->last_time;
        return track->last;
    }
    if (track->count == 0)
        return NULL;
    *time = track->pivot_time;
    return track->pivot;
}

bool track_finish(cp_scene *scene, struct growing_track *track, uint32_t target, cp_track *made)
{
    uint32_t width = path_width(track->path);
    if (!track_cut(scene->context, track))
        return false;
    uint32_t count = track->count;
    /* value_room counts single numbers, as the array has them. */
    const double *times = scene_keep_array(scene, &track->times, &track->room, count, sizeof *times);
    const double *values =
        times ? scene_keep_array(scene, &track->values, &track->value_room, count * width, sizeof *values) : NULL;
    *made = (cp_track){.target = target,
                       .path = track->path,
                       .interpolation = CP_LINEAR,
                       .key_count = count,
                       .times = times,
                       .values = values};
    return values;
}

void track_free(cp_context *context, struct growing_track *track)
{
    memory_free(context, track->times, track->room, sizeof *track->times);
    memory_free(context, track->values, track->value_room, sizeof *track->values);
}
