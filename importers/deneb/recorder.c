/* Finds the poses at a step of a recording, and makes keys of them. */
#include "recorder.h"

#include <math.h>

/* A scale nearer to 1 than this is the rounding of the numbers in the file. */
#define ROUNDED_SCALE 1e-6
/* A grip that changes by less than this stays the same (metres, and parts of 1). */
#define SAME_GRIP 1e-11

/* ---- where things are in a step ---- */

static void find_world(struct recorder *recorder, uint32_t node)
{
    uint32_t depth = 0;
    cp_mechanism *mechanism = &recorder->mechanism;
    for (; node != CP_NONE && recorder->stamps[node] != recorder->stamp; node = recorder->parents[node])
        recorder->way[depth++] = node;
    while (depth > 0) {
        uint32_t at = recorder->way[--depth], parent = recorder->parents[at];
        const cp_node *it = &recorder->scene->nodes[at];
        for (uint32_t i = it->first_joint; i < it->first_joint + it->joint_count; i++)
            mechanism->values[i] = mechanism_find_value(mechanism, i, mechanism->q);
        cp_pose pose = node_pose(mechanism, at, &recorder->locals[at]);
        recorder->worlds[at] = parent == CP_NONE ? pose : pose_multiply(&recorder->worlds[parent], &pose);
        recorder->stamps[at] = recorder->stamp;
    }
}

/* Finds the node's pose relative to the host. False when the host is flat, so that there is none. */
static bool relative_to(struct recorder *recorder, uint32_t host, uint32_t node, cp_pose *relative)
{
    cp_pose back;
    find_world(recorder, node);
    *relative = recorder->worlds[node];
    if (host == 0)
        return true;
    find_world(recorder, host);
    if (!pose_inverse(&recorder->worlds[host], &back)) {
        recorder->flat++;
        return false;
    }
    *relative = pose_multiply(&back, relative);
    return pose_is_finite(relative);
}

static uint32_t host_node(const struct recorder *recorder, uint32_t part)
{
    return part == CP_NONE ? 0 : recorder->cell->parts.items[part].node;
}

/* Puts a device on its new host; in the world, with a warning, if the host hangs on it. */
static void hang(struct recorder *recorder, uint32_t device)
{
    struct recorded_device *state = &recorder->devices[device];
    uint32_t node = recorder->cell->devices.items[device].node, host = host_node(recorder, state->host);
    if (!attach_node(recorder->cell->context, recorder->parents, node, host)) {
        recorder->file->status =
            report_lenient(recorder->cell->context, recorder->file->strict, "deneb-attachment", state->place,
                           "the device \"%s\" would be attached to itself: it is detached",
                           recorder->cell->devices.items[device].name);
        recorder->parents[node] = 0;
    }
}

/* ---- keys of a step ---- */

static bool is_same(const cp_pose *a, const cp_pose *b)
{
    for (int i = 0; i < 12; i++)
        if (!(fabs(a->m[i] - b->m[i]) <= SAME_GRIP))
            return false;
    return true;
}

struct trs recorder_split(struct recorder *recorder, const cp_pose *pose)
{
    struct trs trs;
    recorder->sheared += !pose_to_trs(pose, ROUNDED_SCALE, &trs);
    bool rounded = true;
    for (int i = 0; i < 3; i++)
        rounded = rounded && fabs(trs.scale[i] - 1) <= ROUNDED_SCALE;
    for (int i = 0; i < 3 && rounded; i++)
        trs.scale[i] = 1;
    return trs;
}

static void add_key(struct recorder *recorder, struct growing_track *track, double time, const double *value)
{
    if (recorder->file->status == CP_OK && !track_add(recorder->cell->context, track, time, value))
        recorder->file->status = CP_LIMIT;
}

/* Compares two values. A rotation has two quaternions, which are equal here. */
static bool is_same_value(const struct growing_track *track, const double *a, const double *b)
{
    uint32_t width = path_width(track->path);
    bool same = true, opposite = track->path == CP_PATH_ROTATION;
    for (uint32_t i = 0; i < width; i++) {
        same = same && a[i] == b[i];
        opposite = opposite && a[i] == -b[i];
    }
    return same || opposite;
}

/* Adds the next value. A value that was not given in the last steps, or in any, has stood still until the one before
 * this. */
static void add_told(struct recorder *recorder, struct growing_track *track, const double *rest, double time,
                     const double *next)
{
    double latest_time = -INFINITY, value[4];
    const double *latest = track_latest(track, &latest_time);
    if (!latest && recorder->steps > 0 && recorder->first < time) {
        add_key(recorder, track, recorder->first, rest);
        latest = track_latest(track, &latest_time);
    }
    bool missed = recorder->steps > 0 && latest_time < recorder->before && recorder->before < time;
    if (missed && !is_same_value(track, latest ? latest : rest, next)) {
        memcpy(value, latest ? latest : rest, path_width(track->path) * sizeof *value);
        add_key(recorder, track, recorder->before, value);
    }
    add_key(recorder, track, time, next);
}

static void add_pose(struct recorder *recorder, uint32_t device, double time, const cp_pose *pose)
{
    struct recorded_device *state = &recorder->devices[device];
    struct trs trs = recorder_split(recorder, pose);
    const double *values[] = {trs.translation, trs.rotation, trs.scale};
    const double *rests[] = {state->rest.translation, state->rest.rotation, state->rest.scale};
    for (int i = 0; i < 3; i++)
        add_told(recorder, &state->tracks[i], rests[i], time, values[i]);
}

static void cut_device(struct recorder *recorder, uint32_t device)
{
    for (int i = 0; i < 3; i++)
        if (recorder->file->status == CP_OK &&
            !track_cut(recorder->cell->context, &recorder->devices[device].tracks[i]))
            recorder->file->status = CP_LIMIT;
}

/* Adds a last key on the old host, an attachment, and a key at the same place on the new one. */
static void change_host(struct recorder *recorder, uint32_t device, const cp_pose *old_grip)
{
    /* The change is at this step if that is a jump or the first one, else just after it. */
    uint32_t node = recorder->cell->devices.items[device].node;
    bool at_once = recorder->jumps || recorder->steps == 0;
    double moment = at_once ? recorder->time : nextafter(recorder->time, INFINITY), latest = -INFINITY;
    double until = moment > recorder->time ? recorder->time : recorder->before;
    (void)track_latest(&recorder->devices[device].tracks[0], &latest);
    if (recorder->steps > 0 && latest < until)
        add_pose(recorder, device, until, old_grip);
    cut_device(recorder, device);
    if (!array_reserve(recorder->cell->context, &recorder->attachments, &recorder->attachment_room,
                       recorder->attachment_count + UINT64_C(1), sizeof *recorder->attachments)) {
        recorder->file->status = CP_LIMIT;
        return;
    }
    recorder->attachments[recorder->attachment_count++] = (cp_attachment){moment, node, recorder->parents[node]};
    add_pose(recorder, device, moment, &recorder->locals[node]);
    cut_device(recorder, device);
    recorder->last = fmax(recorder->last, moment);
}

static void place_device(struct recorder *recorder, uint32_t device)
{
    struct recorded_device *state = &recorder->devices[device];
    uint32_t node = recorder->cell->devices.items[device].node;
    cp_pose before = recorder->locals[node], old_grip = state->old_local, grip;
    if (!state->has_matrix && !state->changes)
        return;
    if (state->changes && !recorder->jumps && relative_to(recorder, state->old_host, node, &grip) &&
        !is_same(&grip, &old_grip))
        old_grip = grip;
    if (relative_to(recorder, recorder->parents[node], node, &grip) && (state->changes || !is_same(&grip, &before)))
        recorder->locals[node] = grip;
    if (state->changes)
        change_host(recorder, device, &old_grip);
    else
        add_pose(recorder, device, recorder->time, &recorder->locals[node]);
}

/* Places a device that changes hosts after its new host. So at no moment does a node hang on itself, however the hosts
 * change. */
static void place_changed(struct recorder *recorder, uint32_t device)
{
    uint32_t depth = 0, node = recorder->cell->devices.items[device].node;
    for (; node != CP_NONE && recorder->placed[node] != recorder->stamp; node = recorder->parents[node]) {
        recorder->placed[node] = recorder->stamp;
        recorder->order[depth++] = node;
    }
    while (depth > 0) {
        uint32_t at = recorder->order[--depth], scope = recorder->scene->nodes[at].scope;
        if (scope != CP_NONE && recorder->cell->devices.items[scope].node == at && recorder->devices[scope].changes)
            place_device(recorder, scope);
    }
}

/* ---- a step ---- */

/* Takes the matrices, which are in the frame of the device's present host, or of the world. */
static void take_matrices(struct recorder *recorder)
{
    for (uint32_t i = 0; i < recorder->listed_count; i++) {
        struct recorded_device *state = &recorder->devices[recorder->listed[i]];
        uint32_t node = recorder->cell->devices.items[recorder->listed[i]].node;
        state->old_host = recorder->parents[node];
        state->old_local = recorder->locals[node];
        state->changes = state->has_host && host_node(recorder, state->host) != state->old_host;
        if (state->has_matrix && !recorder->frame_is_parent) {
            recorder->worlds[node] = state->matrix;
            recorder->stamps[node] = recorder->stamp;
        } else if (state->has_matrix) {
            recorder->locals[node] = state->matrix;
        }
    }
}

/* Hangs devices on their new hosts: those with a matrix in the frame of the host, or the others. All of them are
 * released before the first one is hung up. */
static void hang_changed(struct recorder *recorder, bool by_host)
{
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < recorder->listed_count; i++) {
            const struct recorded_device *state = &recorder->devices[recorder->listed[i]];
            if (!state->changes || by_host != (state->has_matrix && recorder->frame_is_parent))
                continue;
            if (pass == 0)
                recorder->parents[recorder->cell->devices.items[recorder->listed[i]].node] = 0;
            else
                hang(recorder, recorder->listed[i]);
        }
}

/* Finds all poses in the world that are needed, before anything else changes hosts. */
static void find_worlds(struct recorder *recorder)
{
    for (uint32_t i = 0; i < recorder->listed_count; i++) {
        const struct recorded_device *state = &recorder->devices[recorder->listed[i]];
        uint32_t node = recorder->cell->devices.items[recorder->listed[i]].node;
        if (!state->has_matrix && !state->changes)
            continue;
        find_world(recorder, node);
        find_world(recorder, recorder->parents[node]);
        find_world(recorder, state->old_host);
        if (state->has_host)
            find_world(recorder, host_node(recorder, state->host));
    }
}

/* Adds the joints' values: the last ones that the file gives in the step. */
static void add_joints(struct recorder *recorder, const struct deneb_device *device)
{
    for (uint32_t k = device->first_joint; k < device->first_joint + device->joint_count; k++) {
        uint32_t joint = recorder->cell->joints.items[k].joint;
        if (deneb_is_set(&recorder->cell->joints.items[k]))
            add_told(recorder, &recorder->joints[k], &recorder->scene->joints[joint].q, recorder->time,
                     &recorder->mechanism.q[joint]);
    }
}

void recorder_end_step(struct recorder *recorder)
{
    const uint32_t *listed = recorder->listed;
    const uint32_t count = recorder->listed_count;
    recorder->last = recorder->time;
    recorder->first = recorder->steps == 0 ? recorder->time : recorder->first;
    take_matrices(recorder);
    hang_changed(recorder, true);
    find_worlds(recorder);
    hang_changed(recorder, false);
    for (uint32_t i = 0; i < count && recorder->file->status == CP_OK; i++)
        if (recorder->devices[listed[i]].changes)
            place_changed(recorder, listed[i]);
        else
            place_device(recorder, listed[i]);
    for (uint32_t i = 0; i < count; i++) {
        struct recorded_device *state = &recorder->devices[listed[i]];
        if (state->has_joints)
            add_joints(recorder, &recorder->cell->devices.items[listed[i]]);
        state->listed = state->has_matrix = state->has_joints = state->has_host = state->changes = false;
    }
    recorder->listed_count = 0;
    recorder->before = recorder->last;
    recorder->stamp++;
    recorder->steps++;
}
