/* Finds the poses at a step of a recording, and makes keys of them. */
#include "recorder.h"

#include <math.h>

/* A scale nearer to 1 than this is the rounding of the numbers in the file. */
#define ROUNDED_SCALE 1e-6
/* A grip that changes by less than this stays the same (metres, and parts of 1). */
#define SAME_GRIP 1e-11

/* ---- where things are in a step ---- */

static void find_world(const struct recorder *recorder, struct recorded_poses *poses, uint32_t node)
{
    uint32_t depth = 0;
    cp_mechanism *mechanism = &poses->mechanism;
    for (; node != CP_NONE && poses->stamps[node] != poses->stamp; node = poses->parents[node])
        poses->way[depth++] = node;
    while (depth > 0) {
        uint32_t at = poses->way[--depth], parent = poses->parents[at];
        const cp_node *it = &recorder->scene->nodes[at];
        for (uint32_t i = it->first_joint; i < it->first_joint + it->joint_count; i++)
            mechanism->values[i] = mechanism_find_value(mechanism, i, mechanism->q);
        cp_pose pose = node_pose(mechanism, at, &poses->locals[at]);
        poses->worlds[at] = parent == CP_NONE ? pose : pose_multiply(&poses->worlds[parent], &pose);
        poses->stamps[at] = poses->stamp;
    }
}

/* Finds the node's pose relative to the host. False when the host is flat, so that there is none. */
static bool relative_to(struct recorder *recorder, struct recorded_poses *poses, uint32_t host, uint32_t node,
                        cp_pose *relative)
{
    cp_pose back;
    find_world(recorder, poses, node);
    *relative = poses->worlds[node];
    if (host == 0)
        return true;
    find_world(recorder, poses, host);
    if (!pose_inverse(&poses->worlds[host], &back)) {
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
static void hang(struct recorder *recorder, struct recorded_poses *poses, struct recorded_step *step, uint32_t device)
{
    struct recorded_device *state = &step->devices[device];
    uint32_t node = recorder->cell->devices.items[device].node, host = host_node(recorder, state->host);
    if (!attach_node(recorder->cell->context, poses->parents, node, host)) {
        recorder->file->status =
            report_lenient(recorder->cell->context, recorder->file->strict, "deneb-attachment", state->place,
                           "the device \"%s\" would be attached to itself: it is detached",
                           recorder->cell->devices.items[device].name);
        poses->parents[node] = 0;
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
static void add_told(struct recorder *recorder, const struct recorded_step *step, struct growing_track *track,
                     const double *rest, double time, const double *next)
{
    double latest_time = -INFINITY, value[4];
    const double *latest = track_latest(track, &latest_time);
    if (!latest && step->steps > 0 && step->first < time) {
        add_key(recorder, track, step->first, rest);
        latest = track_latest(track, &latest_time);
    }
    bool missed = step->steps > 0 && latest_time < step->before && step->before < time;
    if (missed && !is_same_value(track, latest ? latest : rest, next)) {
        memcpy(value, latest ? latest : rest, path_width(track->path) * sizeof *value);
        add_key(recorder, track, step->before, value);
    }
    add_key(recorder, track, time, next);
}

static void add_pose(struct recorder *recorder, struct recorded_step *step, uint32_t device, double time,
                     const cp_pose *pose)
{
    struct recorded_device *state = &step->devices[device];
    struct trs trs = recorder_split(recorder, pose);
    const double *values[] = {trs.translation, trs.rotation, trs.scale};
    const double *rests[] = {state->rest.translation, state->rest.rotation, state->rest.scale};
    for (int i = 0; i < 3; i++)
        add_told(recorder, step, &state->tracks[i], rests[i], time, values[i]);
}

static void cut_device(struct recorder *recorder, struct recorded_step *step, uint32_t device)
{
    for (int i = 0; i < 3; i++)
        if (recorder->file->status == CP_OK && !track_cut(recorder->cell->context, &step->devices[device].tracks[i]))
            recorder->file->status = CP_LIMIT;
}

/* Adds a last key on the old host, an attachment, and a key at the same place on the new one. */
static void change_host(struct recorder *recorder, struct recorded_poses *poses, struct recorded_step *step,
                        struct recorded_keys *keys, uint32_t device, const cp_pose *old_grip)
{
    /* The change is at this step if that is a jump or the first one, else just after it. */
    uint32_t node = recorder->cell->devices.items[device].node;
    bool at_once = step->jumps || step->steps == 0;
    double moment = at_once ? step->time : nextafter(step->time, INFINITY), latest = -INFINITY;
    double until = moment > step->time ? step->time : step->before;
    (void)track_latest(&step->devices[device].tracks[0], &latest);
    if (step->steps > 0 && latest < until)
        add_pose(recorder, step, device, until, old_grip);
    cut_device(recorder, step, device);
    const cp_attachment attachment = {moment, node, poses->parents[node]};
    if (!array_add(recorder->cell->context, &keys->attachments, &keys->attachment_room, &keys->attachment_count,
                   &attachment, sizeof attachment)) {
        recorder->file->status = CP_LIMIT;
        return;
    }
    add_pose(recorder, step, device, moment, &poses->locals[node]);
    cut_device(recorder, step, device);
    step->last = fmax(step->last, moment);
}

static void place_device(struct recorder *recorder, struct recorded_poses *poses, struct recorded_step *step,
                         struct recorded_keys *keys, uint32_t device)
{
    struct recorded_device *state = &step->devices[device];
    uint32_t node = recorder->cell->devices.items[device].node;
    cp_pose before = poses->locals[node], old_grip = state->old_local, grip;
    if (!state->has_matrix && !state->changes)
        return;
    if (state->changes && !step->jumps && relative_to(recorder, poses, state->old_host, node, &grip) &&
        !is_same(&grip, &old_grip))
        old_grip = grip;
    if (relative_to(recorder, poses, poses->parents[node], node, &grip) && (state->changes || !is_same(&grip, &before)))
        poses->locals[node] = grip;
    if (state->changes)
        change_host(recorder, poses, step, keys, device, &old_grip);
    else
        add_pose(recorder, step, device, step->time, &poses->locals[node]);
}

/* Places a device that changes hosts after its new host. So at no moment does a node hang on itself, however the hosts
 * change. */
static void place_changed(struct recorder *recorder, struct recorded_poses *poses, struct recorded_step *step,
                          struct recorded_keys *keys, uint32_t device)
{
    uint32_t depth = 0, node = recorder->cell->devices.items[device].node;
    for (; node != CP_NONE && poses->placed[node] != poses->stamp; node = poses->parents[node]) {
        poses->placed[node] = poses->stamp;
        poses->order[depth++] = node;
    }
    while (depth > 0) {
        uint32_t at = poses->order[--depth], scope = recorder->scene->nodes[at].scope;
        if (scope != CP_NONE && recorder->cell->devices.items[scope].node == at && step->devices[scope].changes)
            place_device(recorder, poses, step, keys, scope);
    }
}

/* ---- a step ---- */

/* Takes the matrices, which are in the frame of the device's present host, or of the world. */
static void take_matrices(const struct recorder *recorder, struct recorded_poses *poses, struct recorded_step *step)
{
    for (uint32_t i = 0; i < step->listed_count; i++) {
        struct recorded_device *state = &step->devices[step->listed[i]];
        uint32_t node = recorder->cell->devices.items[step->listed[i]].node;
        state->old_host = poses->parents[node];
        state->old_local = poses->locals[node];
        state->changes = state->has_host && host_node(recorder, state->host) != state->old_host;
        if (state->has_matrix && !recorder->frame_is_parent) {
            poses->worlds[node] = state->matrix;
            poses->stamps[node] = poses->stamp;
        } else if (state->has_matrix) {
            poses->locals[node] = state->matrix;
        }
    }
}

/* Hangs devices on their new hosts: those with a matrix in the frame of the host, or the others. All of them are
 * released before the first one is hung up. */
static void hang_changed(struct recorder *recorder, struct recorded_poses *poses, struct recorded_step *step,
                         bool by_host)
{
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < step->listed_count; i++) {
            const struct recorded_device *state = &step->devices[step->listed[i]];
            if (!state->changes || by_host != (state->has_matrix && recorder->frame_is_parent))
                continue;
            if (pass == 0)
                poses->parents[recorder->cell->devices.items[step->listed[i]].node] = 0;
            else
                hang(recorder, poses, step, step->listed[i]);
        }
}

/* Finds all poses in the world that are needed, before anything else changes hosts. */
static void find_worlds(const struct recorder *recorder, struct recorded_poses *poses, const struct recorded_step *step)
{
    for (uint32_t i = 0; i < step->listed_count; i++) {
        const struct recorded_device *state = &step->devices[step->listed[i]];
        uint32_t node = recorder->cell->devices.items[step->listed[i]].node;
        if (!state->has_matrix && !state->changes)
            continue;
        find_world(recorder, poses, node);
        find_world(recorder, poses, poses->parents[node]);
        find_world(recorder, poses, state->old_host);
        if (state->has_host)
            find_world(recorder, poses, host_node(recorder, state->host));
    }
}

/* Adds the joints' values: the last ones that the file gives in the step. */
static void add_joints(struct recorder *recorder, struct recorded_poses *poses, const struct recorded_step *step,
                       struct recorded_keys *keys, const struct deneb_device *device)
{
    for (uint32_t k = device->first_joint; k < device->first_joint + device->joint_count; k++) {
        uint32_t joint = recorder->cell->joints.items[k].joint;
        if (deneb_is_set(&recorder->cell->joints.items[k]))
            add_told(recorder, step, &keys->joints[k], &recorder->scene->joints[joint].q, step->time,
                     &poses->mechanism.q[joint]);
    }
}

void recorder_end_step(struct recorder *recorder, struct recorded_poses *poses, struct recorded_step *step,
                       struct recorded_keys *keys)
{
    const uint32_t *listed = step->listed;
    const uint32_t count = step->listed_count;
    step->last = step->time;
    step->first = step->steps == 0 ? step->time : step->first;
    take_matrices(recorder, poses, step);
    hang_changed(recorder, poses, step, true);
    find_worlds(recorder, poses, step);
    hang_changed(recorder, poses, step, false);
    for (uint32_t i = 0; i < count && recorder->file->status == CP_OK; i++)
        if (step->devices[listed[i]].changes)
            place_changed(recorder, poses, step, keys, listed[i]);
        else
            place_device(recorder, poses, step, keys, listed[i]);
    for (uint32_t i = 0; i < count; i++) {
        struct recorded_device *state = &step->devices[listed[i]];
        if (state->has_joints)
            add_joints(recorder, poses, step, keys, &recorder->cell->devices.items[listed[i]]);
        state->listed = state->has_matrix = state->has_joints = state->has_host = state->changes = false;
    }
    step->listed_count = 0;
    step->before = step->last;
    poses->stamp++;
    step->steps++;
}
