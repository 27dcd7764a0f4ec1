/* Clips: what TimeSensors move by interpolators of places and turns. ROUTEs join them; each TimeSensor is a clip. */

#include "motion/clips/clips.h"
#include "vrml97.h"

static bool is_interpolator(const struct wrl_node *node)
{
    return wrl_is(node, "PositionInterpolator") || wrl_is(node, "OrientationInterpolator");
}

/* Finds the part of a Transform's pose that a ROUTE from an interpolator sets; *orients: that of its scaleOrientation.
 */
static bool find_path(const struct wrl_route *route, cp_path *path, bool *orients)
{
    static const char *const fields[] = {"translation", "rotation", "scale", "scaleOrientation"};
    static const cp_path paths[] = {CP_PATH_TRANSLATION, CP_PATH_ROTATION, CP_PATH_SCALE, CP_PATH_ROTATION};
    if (!is_interpolator(route->from) || !wrl_same_event(route->event, "value"))
        return false;
    for (int i = 0; i < 4; i++) {
        bool turns = wrl_is(route->from, "OrientationInterpolator");
        if (!wrl_same_event(route->field, fields[i]) || turns != (paths[i] == CP_PATH_ROTATION))
            continue;
        *path = paths[i];
        *orients = i == 3;
        return true;
    }
    return false;
}

bool wrl_is_followed(const struct wrl_route *route)
{
    cp_path path;
    bool orients;
    if (wrl_is(route->to, "Transform") && find_path(route, &path, &orients))
        return true;
    return wrl_is(route->from, "TimeSensor") && wrl_same_event(route->event, "fraction") &&
           is_interpolator(route->to) && wrl_same_event(route->field, "fraction");
}

void wrl_note_moved(const struct wrl_route *route)
{
    cp_path path;
    bool orients;
    if (!find_path(route, &path, &orients))
        return;
    route->to->is_moved = true;
    route->to->is_oriented = route->to->is_oriented || orients;
}

/* ---- tracks ---- */

/* The clip of a TimeSensor, while it grows. */
struct clip {
    const struct wrl_node *timer;
    cp_track *tracks;
    uint32_t count, room;
};

struct clips {
    struct wrl *wrl;
    struct clip *items;
    uint32_t count, room;
    struct name_map timers; /* the key is a serial number, the value a clip */
};

static cp_status find_clip(struct clips *clips, const struct wrl_node *timer, struct clip **clip)
{
    struct wrl *wrl = clips->wrl;
    const char *key = arena_print(wrl->arena, "%u", timer->serial);
    struct clip made = {.timer = timer};
    bool added;
    uint32_t *row = key ? name_map_add(&clips->timers, key, clips->count, &added) : NULL;
    if (!row || (added && !array_add(wrl->context, &clips->items, &clips->room, &clips->count, &made, sizeof made)))
        return CP_LIMIT;
    *clip = &clips->items[*row];
    return CP_OK;
}

/* Writes the value of a key as a track has it. joint: NULL, or the joint that the Transform is. */
static void write_value(const struct wrl_moved *moved, const cp_joint *joint, cp_path path, const double *read,
                        double *value)
{
    if (path == CP_PATH_ROTATION) {
        double length = hypot(hypot(read[0], read[1]), read[2]), sine = length > 0 ? sin(read[3] / 2) / length : 0;
        if (joint) {
            *value = read[3] * (dot_product(read, joint->axis) < 0 ? -1 : 1);
            return;
        }
        for (int i = 0; i < 3; i++)
            value[i] = read[i] * sine;
        value[3] = length > 0 ? cos(read[3] / 2) : 1;
    } else if (path == CP_PATH_SCALE) {
        if (joint) /* a stretch along the axis alone: see placing.c of the exporter */
            *value = read[0] != 1 ? read[0] : read[1] != 1 ? read[1] : read[2];
        else
            memcpy(value, read, 3 * sizeof *value);
    } else if (joint) {
        *value = dot_product(read, joint->axis) * moved->unit;
    } else {
        for (int i = 0; i < 3; i++)
            value[i] = (read[i] + moved->centre[i]) * moved->unit;
    }
}

/* Finds what a track sets: a joint, or a part of a frame's pose. */
static cp_track find_target(const struct wrl *wrl, const struct wrl_moved *moved, cp_path path, bool orients)
{
    uint32_t joint = wrl->is_own ? wrl_own_joint(wrl, moved->node) : CP_NONE;
    bool scales = path == CP_PATH_SCALE || orients;
    return (cp_track){.target = joint != CP_NONE ? joint
                                : scales         ? moved->scaled
                                                 : moved->frame,
                      .path = joint != CP_NONE ? CP_PATH_JOINT : path,
                      .interpolation = CP_LINEAR};
}

/* Keeps a track, unless the clip has one of the same thing already: the last ROUTE counts, which is seen first. The
 * tracks of a Transform follow one another. */
static cp_status keep_track(struct clips *clips, struct clip *clip, const cp_track *track, const struct wrl_node *node)
{
    enum { OF_TRANSFORM = 8 };
    for (uint32_t i = 0; i < clip->count && i < OF_TRANSFORM; i++) {
        const cp_track *other = &clip->tracks[clip->count - 1 - i];
        if (other->target == track->target && other->path == track->path) {
            wrl_tell(clips->wrl, WRL_TOLD_ROUTES, 1, wrl_place(node));
            return CP_OK;
        }
    }
    return array_add(clips->wrl->context, &clip->tracks, &clip->room, &clip->count, track, sizeof *track) ? CP_OK
                                                                                                          : CP_LIMIT;
}

/* Adds the track that takes a turn back, behind the scale that it is for. */
static cp_status add_inverse(struct clips *clips, struct clip *clip, const struct wrl_moved *moved, cp_track track)
{
    double *values = arena_copy(clips->wrl->scene->arena, track.values, track.key_count, 4 * sizeof *values);
    if (!values)
        return CP_LIMIT;
    for (size_t i = 0; i < 4 * (size_t)track.key_count; i++)
        values[i] = i % 4 < 3 ? -values[i] : values[i];
    track.values = values;
    track.target = moved->back;
    return keep_track(clips, clip, &track, clip->timer);
}

/* Counts keys, and a ROUTE as sixteen of them: frames that are used again have them again. */
static cp_status count_keys(struct wrl *wrl, const struct wrl_node *interpolator, uint32_t keys)
{
    enum { OF_ROUTE = 16 };
    wrl->visits += keys + UINT64_C(1) * OF_ROUTE;
    if (wrl->visits < limit_nodes(wrl->context))
        return CP_OK;
    return report_error(wrl->context, CP_LIMIT, "vrml97-nodes", wrl_place(interpolator),
                        "more keys than a file of this size may have, where frames are used again (%s)",
                        limit_of_nodes(wrl->context));
}

/* A TimeSensor's fraction goes from 0 to 1: keys before and behind are cut off there, and what begins later or ends
 * earlier is held. The arrays have room for two more keys. */
static void fit_to_cycle(cp_track *track, double *times, double *rows, double cycle)
{
    uint32_t width = path_width(track->path), first = 0, last = track->key_count - 1;
    double begin[4], end[4];
    size_t size = width * sizeof *rows;
    track_value(track, 0, begin);
    track_value(track, cycle, end);
    while (first < last && times[first + 1] <= 0)
        first++;
    while (last > first && times[last - 1] >= cycle)
        last--;
    if (times[first] > 0) {
        size_t kept = last++ - first + (size_t)1;
        memmove(times + first + 1, times + first, kept * sizeof *times);
        memmove(rows + (size_t)width * (first + 1), rows + (size_t)width * first, kept * size);
    }
    if (times[first] != 0)
        memcpy(rows + (size_t)width * first, begin, size);
    times[first] = 0;
    if (times[last] > cycle)
        memcpy(rows + (size_t)width * last, end, size);
    else if (times[last] < cycle)
        memcpy(rows + (size_t)width * ++last, end, size);
    times[last] = cycle;
    track->times = times + first;
    track->values = rows + (size_t)width * first;
    track->key_count = last - first + 1;
}

/* Adds the track of a Transform's part, or of a joint, to a clip. */
static cp_status add_track(struct clips *clips, struct clip *clip, const struct wrl_moved *moved,
                           const struct wrl_node *interpolator, cp_path path, bool orients)
{
    struct wrl *wrl = clips->wrl;
    const struct wrl_value *keys = wrl_value(interpolator, "key"), *values = wrl_value(interpolator, "keyValue");
    uint32_t width = path == CP_PATH_ROTATION ? 4 : 3;
    cp_track track = find_target(wrl, moved, path, orients);
    const cp_joint *joint = track.path == CP_PATH_JOINT ? &wrl->scene->joints[track.target] : NULL;
    uint32_t count = keys && values ? (keys->count < values->count / width ? keys->count : values->count / width) : 0;
    double cycle = wrl_number(clip->timer, "cycleInterval", 1), last = -INFINITY;
    cycle = cycle > 0 ? cycle : 1;
    cp_status status = count_keys(wrl, interpolator, count);
    if (status != CP_OK || count == 0 || (joint && cp_joint_is_dependent(joint)))
        return status;
    wrl_tell(wrl, WRL_TOLD_KEYS, keys->count != count || values->count / width != count, wrl_place(interpolator));
    uint32_t made = path_width(track.path);
    double *times = scene_allocate(wrl->scene, count + UINT64_C(2), sizeof *times);
    double *rows = scene_allocate(wrl->scene, count + UINT64_C(2), made * sizeof *rows);
    if (!times || !rows)
        return CP_LIMIT;
    for (uint32_t i = 0; i < count; i++) {
        double read[4], time = wrl_item(keys, i) * cycle;
        for (uint32_t k = 0; k < width; k++)
            read[k] = wrl_item(values, i * width + k);
        if (time < last || !isfinite(time)) { /* readers demand keys in their order */
            wrl_tell(wrl, WRL_TOLD_KEYS, 1, wrl_place(interpolator));
            continue;
        }
        /* Two keys at one moment are a jump: the first comes as late before it as can be told. Of more, the first and
         * the last count, and nothing is before the first moment. */
        uint32_t at = track.key_count;
        double before = nextafter(time, -INFINITY);
        if (at > 0 && time == last && (at == 1 || times[at - 2] >= before))
            at--;
        else if (at > 0 && time == last)
            times[at - 1] = before;
        times[at] = last = time;
        write_value(moved, joint, path, read, rows + (size_t)made * at);
        track.key_count = at + 1;
        for (uint32_t k = 0; k < made; k++)
            if (!isfinite(rows[(size_t)made * at + k]))
                return report_error(wrl->context, CP_INPUT, "vrml97-pose", wrl_place(interpolator),
                                    "a value of the %.40s is out of range", interpolator->type);
    }
    track.times = times;
    track.values = rows;
    fit_to_cycle(&track, times, rows, cycle);
    status = keep_track(clips, clip, &track, interpolator);
    return status == CP_OK && orients && !joint ? add_inverse(clips, clip, moved, track) : status;
}

/* Tells whether a TimeSensor of our exporter plays the sweep of a joint: its limits say the same. */
static bool is_sweep(const struct wrl *wrl, const struct wrl_node *timer)
{
    static const char prefix[] = "time_";
    return wrl->is_own && timer->name && strncmp(timer->name, prefix, sizeof prefix - 1) == 0;
}

static cp_status add_tracks(struct clips *clips, const struct wrl_moved *moved)
{
    struct wrl *wrl = clips->wrl;
    cp_status status = CP_OK;
    for (const struct wrl_route *route = moved->node->into; route && status == CP_OK; route = route->next) {
        cp_path path;
        bool driven = false, orients;
        if (!find_path(route, &path, &orients))
            continue;
        status = count_keys(wrl, route->from, 0);
        for (const struct wrl_route *in = route->from->into; in && status == CP_OK; in = in->next) {
            struct clip *clip;
            driven = true;
            status = count_keys(wrl, route->from, 0);
            if (status != CP_OK || is_sweep(wrl, in->from))
                continue;
            status = find_clip(clips, in->from, &clip);
            if (status == CP_OK)
                status = add_track(clips, clip, moved, route->from, path, orients);
        }
        wrl_tell(wrl, WRL_TOLD_CURVES, !driven, wrl_place(route->from));
    }
    return status;
}

static cp_status finish_clip(struct clips *clips, const struct clip *clip)
{
    static const char prefix[] = "play_";
    struct wrl *wrl = clips->wrl;
    const char *name = clip->timer->name ? clip->timer->name : "TimeSensor";
    if (wrl->is_own && strncmp(name, prefix, sizeof prefix - 1) == 0)
        name = wrl_own_name(wrl, "clip", prefix, name);
    const cp_track *tracks = arena_copy(wrl->scene->arena, clip->tracks, clip->count, sizeof *tracks);
    name = scene_text(wrl->scene, name);
    if (clip->count == 0)
        return CP_OK;
    return tracks && name && scene_add_clip(wrl->scene, name, clip->count, tracks) != CP_NONE ? CP_OK : CP_LIMIT;
}

cp_status wrl_add_clips(struct wrl *wrl)
{
    struct clips clips = {.wrl = wrl, .timers = {.context = wrl->context}};
    cp_status status = CP_OK;
    for (const struct wrl_moved *moved = wrl->moved; moved && status == CP_OK; moved = moved->next)
        status = add_tracks(&clips, moved);
    for (uint32_t i = 0; i < clips.count; i++) {
        if (status == CP_OK)
            status = finish_clip(&clips, &clips.items[i]);
        memory_free(wrl->context, clips.items[i].tracks, clips.items[i].room, sizeof *clips.items[i].tracks);
    }
    memory_free(wrl->context, clips.items, clips.room, sizeof *clips.items);
    name_map_free(&clips.timers);
    return status;
}
