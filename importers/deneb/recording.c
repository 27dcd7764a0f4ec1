/* Recordings: where devices are and what their joints' values are at each step, and which hangs on which.
 *
 * A device that hangs on a part is told relative to that part from then on: its tracks hold the grip, which is mostly constant, and an
 * attachment of the clip says what it hangs on. */
#include "cell.h"

#include <math.h>

#include "../../scene/motion/grow.h"

/* A scale this near to 1 is the rounding of the numbers in the file. */
#define ROUNDED_SCALE 1e-6
/* A grip that changes by less than this has not changed (metres, and parts of 1). */
#define SAME_GRIP 1e-11

struct recorded_device {
    struct growing_track tracks[3]; /* translation, rotation, scale */
    struct trs rest;
    /* In the step that is read. */
    bool listed, has_matrix, has_joints, has_host, changes;
    cp_pose matrix;
    uint32_t host;     /* part of the cell, or CP_NONE */
    uint32_t old_host; /* node; and the pose on it */
    cp_pose old_local;
    struct place place;
};

struct recorder {
    struct deneb_file *file;
    struct deneb_cell *cell;
    cp_scene *scene;
    struct deneb_units units;
    bool frame_is_parent;
    struct recorded_device *devices;
    struct growing_track *joints; /* of the cell; those of formulas unused */
    struct key_log log;           /* of tracks by number: 3 a device, then one a joint */
    double *q;                    /* of the scene's joints, now */
    uint32_t *parents;            /* of the scene's nodes, now */
    cp_pose *locals, *worlds;     /* likewise; worlds where stamps say that they are of this step */
    uint32_t *stamps, stamp, *way;
    uint32_t *joint_numbers;        /* of the scene's joints: theirs in the cell */
    uint32_t *placed, *order;       /* nodes that are placed in this step, by its stamp; a way of its own */
    uint32_t *listed, listed_count; /* devices of this step */
    cp_attachment *attachments;
    uint32_t attachment_count, attachment_room;
    double raw_time, time; /* of this step as written, and as kept */
    double before, last;   /* the last moment of the step before, and of this one */
    bool jumps;            /* this step has the time of the one before */
    uint64_t steps, sheared, flat;
};

/* ---- where things are in a step ---- */

static void find_world(struct recorder *recorder, uint32_t node)
{
    uint32_t depth = 0;
    for (; node != CP_NONE && recorder->stamps[node] != recorder->stamp; node = recorder->parents[node])
        recorder->way[depth++] = node;
    while (depth > 0) {
        uint32_t at = recorder->way[--depth], parent = recorder->parents[at];
        const cp_node *it = &recorder->scene->nodes[at];
        cp_pose pose = recorder->locals[at];
        for (uint32_t i = it->first_joint; i < it->first_joint + it->joint_count; i++) {
            cp_pose motion = joint_motion(&recorder->scene->joints[i], cp_joint_value(recorder->scene, i, recorder->q));
            pose = pose_multiply(&pose, &motion);
        }
        recorder->worlds[at] = parent == CP_NONE ? pose : pose_multiply(&recorder->worlds[parent], &pose);
        recorder->stamps[at] = recorder->stamp;
    }
}

static const cp_pose *world_of(struct recorder *recorder, uint32_t node)
{
    find_world(recorder, node);
    return &recorder->worlds[node];
}

/* False when the host is flat, so that nothing can be told relative to it. */
static bool relative_to(struct recorder *recorder, uint32_t host, uint32_t node, cp_pose *relative)
{
    cp_pose world = *world_of(recorder, node), back;
    if (host == 0) {
        *relative = world;
        return true;
    }
    if (!pose_inverse(world_of(recorder, host), &back)) {
        recorder->flat++;
        return false;
    }
    *relative = pose_multiply(&back, &world);
    return pose_is_finite(relative);
}

static uint32_t host_node(const struct recorder *recorder, uint32_t part)
{
    return part == CP_NONE ? 0 : recorder->cell->parts[part].node;
}

/* Puts a device on its new host; in the world, with a warning, where the host hangs on it. */
static void hang(struct recorder *recorder, uint32_t device)
{
    struct recorded_device *state = &recorder->devices[device];
    uint32_t node = recorder->cell->devices[device].node, host = host_node(recorder, state->host);
    if (!attach_node(recorder->cell->context, recorder->parents, node, host)) {
        recorder->file->status = report_lenient(
            recorder->cell->context, recorder->file->strict, "deneb-attachment", state->place,
            "the device \"%s\" is hung on what hangs on it: it is let go", recorder->cell->devices[device].name);
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

static struct trs split(struct recorder *recorder, const cp_pose *pose)
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

static void cut(struct recorder *recorder, struct growing_track *track)
{
    if (recorder->file->status == CP_OK && !track_cut(recorder->cell->context, track))
        recorder->file->status = CP_LIMIT;
}

/* Of a rotation there are two quaternions. */
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

/* What was not told in the last steps has stood still until the one before this; then comes the next value. */
static void add_told(struct recorder *recorder, struct growing_track *track, const double *rest, double time,
                     const double *next)
{
    double latest_time = -INFINITY, value[4];
    const double *latest = track_latest(track, &latest_time);
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
    struct trs trs = split(recorder, pose);
    const double *values[] = {trs.translation, trs.rotation, trs.scale};
    const double *rests[] = {state->rest.translation, state->rest.rotation, state->rest.scale};
    for (int i = 0; i < 3; i++)
        add_told(recorder, &state->tracks[i], rests[i], time, values[i]);
}

static void cut_device(struct recorder *recorder, uint32_t device)
{
    for (int i = 0; i < 3; i++)
        cut(recorder, &recorder->devices[device].tracks[i]);
}

static void add_attachment(struct recorder *recorder, double time, uint32_t node)
{
    if (!array_reserve(recorder->cell->context, &recorder->attachments, &recorder->attachment_room,
                       recorder->attachment_count + UINT64_C(1), sizeof *recorder->attachments)) {
        recorder->file->status = CP_LIMIT;
        return;
    }
    recorder->attachments[recorder->attachment_count++] = (cp_attachment){time, node, recorder->parents[node]};
}

/* The moment at which things hang elsewhere: this step, where it is a jump or the first one, else just behind it. */
static double moment_of_change(const struct recorder *recorder)
{
    return recorder->jumps || recorder->steps == 0 ? recorder->time : nextafter(recorder->time, INFINITY);
}

/* A last key on the old host, and one at the same place on the new one. */
static void change_host(struct recorder *recorder, uint32_t device, const cp_pose *old_grip)
{
    double moment = moment_of_change(recorder), latest = -INFINITY;
    double until = moment > recorder->time ? recorder->time : recorder->before;
    (void)track_latest(&recorder->devices[device].tracks[0], &latest);
    if (recorder->steps > 0 && latest < until)
        add_pose(recorder, device, until, old_grip);
    cut_device(recorder, device);
    add_attachment(recorder, moment, recorder->cell->devices[device].node);
    add_pose(recorder, device, moment, &recorder->locals[recorder->cell->devices[device].node]);
    cut_device(recorder, device);
    recorder->last = fmax(recorder->last, moment);
}

static void place_device(struct recorder *recorder, uint32_t device)
{
    struct recorded_device *state = &recorder->devices[device];
    uint32_t node = recorder->cell->devices[device].node;
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

/* The values of a device's joints; what the file tells last in a step holds. */
static void place_joints(struct recorder *recorder, const struct deneb_device *device)
{
    for (uint32_t i = device->first_joint; i < device->first_joint + device->joint_count; i++) {
        uint32_t joint = recorder->cell->joints[i].joint;
        if (recorder->cell->joints[i].formula)
            continue;
        add_told(recorder, &recorder->joints[i], &recorder->scene->joints[joint].q, recorder->time,
                 &recorder->q[joint]);
    }
}

/* What hangs elsewhere is placed after what it hangs on then, so that at no moment a node hangs on itself, whatever hangs on what now. */
static void place_changed(struct recorder *recorder, uint32_t device)
{
    uint32_t depth = 0, node = recorder->cell->devices[device].node;
    for (; node != CP_NONE && recorder->placed[node] != recorder->stamp; node = recorder->parents[node]) {
        recorder->placed[node] = recorder->stamp;
        recorder->order[depth++] = node;
    }
    while (depth > 0) {
        uint32_t at = recorder->order[--depth], scope = recorder->scene->nodes[at].scope;
        if (scope != CP_NONE && recorder->cell->devices[scope].node == at && recorder->devices[scope].changes)
            place_device(recorder, scope);
    }
}

/* ---- a step ---- */

/* Devices whose matrix is told in the frame of what they hang on now; the others' are where they are in the world. */
static void set_matrices(struct recorder *recorder)
{
    const struct deneb_cell *cell = recorder->cell;
    for (uint32_t i = 0; i < recorder->listed_count; i++) {
        uint32_t node = cell->devices[recorder->listed[i]].node;
        struct recorded_device *state = &recorder->devices[recorder->listed[i]];
        state->old_host = recorder->parents[node];
        state->old_local = recorder->locals[node];
        state->changes = state->has_host && host_node(recorder, state->host) != state->old_host;
        if (state->has_matrix && !recorder->frame_is_parent) {
            recorder->worlds[node] = state->matrix;
            recorder->stamps[node] = recorder->stamp;
        } else if (state->has_matrix) {
            recorder->locals[node] = state->matrix;
            if (state->changes)
                recorder->parents[node] = 0;
        }
    }
    for (uint32_t i = 0; i < recorder->listed_count; i++)
        if (recorder->frame_is_parent && recorder->devices[recorder->listed[i]].has_matrix &&
            recorder->devices[recorder->listed[i]].changes)
            hang(recorder, recorder->listed[i]);
}

/* All that is needed of the world is computed before anything hangs elsewhere. */
static void find_worlds(struct recorder *recorder)
{
    for (uint32_t i = 0; i < recorder->listed_count; i++) {
        const struct recorded_device *state = &recorder->devices[recorder->listed[i]];
        uint32_t node = recorder->cell->devices[recorder->listed[i]].node;
        if (!state->has_matrix && !state->changes)
            continue;
        find_world(recorder, node);
        find_world(recorder, recorder->parents[node]);
        find_world(recorder, state->old_host);
        if (state->has_host)
            find_world(recorder, host_node(recorder, state->host));
    }
}

static void change_hosts(struct recorder *recorder)
{
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < recorder->listed_count; i++) {
            const struct recorded_device *state = &recorder->devices[recorder->listed[i]];
            if (!state->changes || (state->has_matrix && recorder->frame_is_parent))
                continue;
            if (pass == 0)
                recorder->parents[recorder->cell->devices[recorder->listed[i]].node] = 0;
            else
                hang(recorder, recorder->listed[i]);
        }
}

static void end_step(struct recorder *recorder)
{
    recorder->last = recorder->time;
    set_matrices(recorder);
    find_worlds(recorder);
    change_hosts(recorder);
    for (uint32_t i = 0; i < recorder->listed_count && recorder->file->status == CP_OK; i++)
        if (recorder->devices[recorder->listed[i]].changes)
            place_changed(recorder, recorder->listed[i]);
        else
            place_device(recorder, recorder->listed[i]);
    for (uint32_t i = 0; i < recorder->listed_count; i++) {
        struct recorded_device *state = &recorder->devices[recorder->listed[i]];
        if (state->has_joints)
            place_joints(recorder, &recorder->cell->devices[recorder->listed[i]]);
        state->listed = state->has_matrix = state->has_joints = state->has_host = state->changes = false;
    }
    recorder->listed_count = 0;
    recorder->before = recorder->last;
    recorder->stamp++;
    recorder->steps++;
}

static void read_joints(struct recorder *recorder, const struct deneb_device *device)
{
    struct deneb_file *file = recorder->file;
    const struct deneb_cell *cell = recorder->cell;
    const cp_device *made = &recorder->scene->devices[device - cell->devices];
    struct place place = deneb_place(file);
    uint32_t count = deneb_in_line(file, "a number") ? deneb_count(file, "the number of joints", UINT32_MAX) : 0;
    if (file->status == CP_OK && count != made->joint_count)
        file->status = report_error(cell->context, CP_INPUT, "deneb-joints", place,
                                    "%u values for the %u joints of \"%s\" that have no formula", (unsigned)count,
                                    (unsigned)made->joint_count, device->name);
    for (uint32_t i = 0, k = device->first_joint; i < count && file->status == CP_OK; k++) {
        const struct deneb_joint *joint = &cell->joints[k];
        if (joint->formula)
            continue;
        struct deneb_units units = {recorder->units.length,
                                    recorder->units.angle > 0 ? recorder->units.angle : device->units.angle};
        recorder->q[joint->joint] = deneb_number(file, false) * deneb_joint_unit(joint, units);
        i++;
    }
}

static void read_host(struct recorder *recorder, struct recorded_device *state, uint32_t device)
{
    struct deneb_file *file = recorder->file;
    const struct deneb_cell *cell = recorder->cell;
    state->place = deneb_place(file);
    double host = deneb_number(file, false);
    state->has_host = true;
    state->host = CP_NONE;
    if (file->status != CP_OK || host == -1)
        return;
    bool there = host >= 0 && host < cell->part_count && host == floor(host);
    if (!there || cell->parts[(uint32_t)host].device == device)
        file->status =
            report_lenient(cell->context, file->strict, "deneb-attachment", state->place,
                           there ? "the device \"%s\" is hung on part %.9g, its own: it is let go"
                                 : "the device \"%s\" is hung on part %.9g, which is not there: it is let go",
                           cell->devices[device].name, host);
    else
        state->host = (uint32_t)host;
}

/* After the word DEV: its number, and MATRIX, JOINTS and ATTACH in any order. */
static void read_device(struct recorder *recorder)
{
    struct deneb_file *file = recorder->file;
    struct deneb_cell *cell = recorder->cell;
    struct place place = deneb_place(file);
    uint32_t index = deneb_in_line(file, "a device") ? deneb_count(file, "the number of a device", UINT32_MAX) : 0;
    if (file->status == CP_OK && index >= cell->device_count)
        file->status = report_error(cell->context, CP_INPUT, "deneb-device-number", place,
                                    "device %u of a cell that has %u, counted from 0", (unsigned)index,
                                    (unsigned)cell->device_count);
    if (file->status != CP_OK)
        return;
    struct recorded_device *state = &recorder->devices[index];
    if (!state->listed)
        recorder->listed[recorder->listed_count++] = index;
    state->listed = true;
    for (bool more = true; more && file->status == CP_OK;) {
        if (deneb_accept(file, "MATRIX")) {
            state->matrix = deneb_pose(file, (enum deneb_matrix)cell->settings->matrix, recorder->units.length);
            state->has_matrix = true;
        } else if (deneb_accept(file, "JOINTS")) {
            read_joints(recorder, &cell->devices[index]);
            state->has_joints = true;
        } else if (deneb_accept(file, "ATTACH")) {
            read_host(recorder, state, index);
        } else {
            more = false;
        }
    }
}

/* After the word STEP. Equal times are a jump, told by two times that are next to each other. */
static void begin_step(struct recorder *recorder)
{
    struct deneb_file *file = recorder->file;
    struct place place = deneb_place(file);
    double time = deneb_in_line(file, "a time") ? deneb_number(file, false) : 0;
    bool first = recorder->steps == 0;
    if (file->status == CP_OK && !first && time < recorder->raw_time)
        file->status = report_error(file->context, CP_INPUT, "deneb-time", place,
                                    "the step at %.9g s comes after one at %.9g s", time, recorder->raw_time);
    recorder->jumps = !first && time == recorder->raw_time;
    recorder->raw_time = time;
    recorder->time = first ? time : fmax(time, nextafter(recorder->before, INFINITY));
}

static void read_steps(struct recorder *recorder)
{
    struct deneb_file *file = recorder->file;
    bool in_step = false;
    while (!deneb_section_ends(file, "the recording")) {
        if (deneb_statement(file, "STEP")) {
            if (in_step)
                end_step(recorder);
            begin_step(recorder);
            in_step = true;
            source_forget(file->source, file->next);
        } else if (in_step && deneb_statement(file, "DEV")) {
            read_device(recorder);
        } else {
            deneb_skip_unknown(file, 1);
            continue;
        }
        deneb_end_statement(file);
    }
    if (in_step && file->status == CP_OK)
        end_step(recorder);
    while (file->status == CP_OK && file->token.kind != DENEB_END)
        deneb_skip_unknown(file, 0);
    if (recorder->steps == 0 && file->status == CP_OK)
        file->status = report_lenient(file->context, file->strict, "deneb-no-steps", IN_FILE(file->source->name),
                                      "the recording has no step: nothing moves in its clip");
}

/* ---- the head ---- */

static void read_frame(struct deneb_file *file, struct deneb_recording_head *head)
{
    head->frame_is_parent = deneb_accept(file, "parent");
    if (!head->frame_is_parent && !deneb_accept(file, "world"))
        deneb_expected(file, "world or parent");
}

static bool read_head_word(struct deneb_file *file, struct deneb_recording_head *head)
{
    if (deneb_accept(file, "WORKCELL"))
        head->workcell = deneb_in_line(file, "a name") ? deneb_name(file, NULL) : "";
    else if (deneb_accept(file, "DEVICES"))
        head->device_count =
            deneb_in_line(file, "a number") ? deneb_count(file, "the number of devices", UINT32_MAX - 1) : 0;
    else if (deneb_accept(file, "FRAME"))
        read_frame(file, head);
    else if (deneb_accept(file, "UNIT"))
        head->units.length = deneb_unit(file);
    else if (deneb_accept(file, "ANGLE"))
        head->units.angle = deneb_angle(file);
    else
        return false;
    return true;
}

void deneb_read_recording_head(struct deneb_file *file, struct deneb_recording_head *head)
{
    *head = (struct deneb_recording_head){.device_count = CP_NONE};
    deneb_lexer_start(file);
    deneb_magic(file, DENEB_RECORDING);
    while (file->status == CP_OK && file->token.kind != DENEB_END && !deneb_is(file, "STEP") &&
           !deneb_is(file, "END")) {
        bool any = false;
        while (file->status == CP_OK && read_head_word(file, head))
            any = true;
        if (any)
            deneb_end_statement(file);
        else
            deneb_skip_unknown(file, 1);
    }
}

static void check_head(struct recorder *recorder, const struct deneb_recording_head *head)
{
    struct deneb_file *file = recorder->file;
    const struct deneb_cell *cell = recorder->cell;
    struct place place = IN_FILE(file->source->name);
    if (file->status == CP_OK && head->device_count != CP_NONE && head->device_count != cell->device_count)
        file->status = report_lenient(cell->context, file->strict, "deneb-devices", place,
                                      "the recording is of %u devices, the cell has %u", (unsigned)head->device_count,
                                      (unsigned)cell->device_count);
    if (file->status == CP_OK && head->workcell && cell->name && strcmp(head->workcell, cell->name) != 0)
        file->status =
            report_lenient(cell->context, file->strict, "deneb-workcell", place,
                           "the recording is of the workcell \"%s\", not of \"%s\"", head->workcell, cell->name);
    recorder->frame_is_parent = head->frame_is_parent;
    recorder->units.length = head->units.length > 0 ? head->units.length : cell->units.length;
    recorder->units.angle = head->units.angle > 0 ? head->units.angle : cell->units.angle;
}

/* ---- the clip ---- */

/* A share of the tolerance for each track that may move a point. */
static cp_status set_tolerances(struct recorder *recorder, double tolerance)
{
    const struct deneb_cell *cell = recorder->cell;
    struct deneb_shares shares;
    cp_status status = deneb_share_tolerance(cell, tolerance, &shares);
    for (uint32_t i = 0; i < cell->device_count && status == CP_OK; i++)
        for (int k = 0; k < 3; k++)
            recorder->devices[i].tracks[k].tolerance = k == 0 ? shares.move : shares.turns[cell->devices[i].node];
    for (uint32_t i = 0; i < cell->joint_count && status == CP_OK; i++)
        recorder->joints[i].tolerance = cell->joints[i].motion == DENEB_TRANSLATE
                                            ? shares.move
                                            : shares.turns[recorder->scene->joints[cell->joints[i].joint].node];
    deneb_free_shares(cell, &shares);
    return status;
}

static cp_status start(struct recorder *recorder)
{
    const struct deneb_cell *cell = recorder->cell;
    const cp_scene *scene = recorder->scene;
    static const cp_path paths[] = {CP_PATH_TRANSLATION, CP_PATH_ROTATION, CP_PATH_SCALE};
    for (uint32_t i = 0; i < scene->joint_count; i++)
        recorder->q[i] = scene->joints[i].q;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        recorder->parents[i] = scene->nodes[i].parent;
        recorder->locals[i] = scene->nodes[i].local;
    }
    for (uint32_t i = 0; i < cell->device_count; i++) {
        recorder->devices[i].rest = split(recorder, &cell->devices[i].pose);
        for (int k = 0; k < 3; k++)
            recorder->devices[i].tracks[k] =
                (struct growing_track){.path = paths[k], .log = &recorder->log, .number = 3 * i + (uint32_t)k};
    }
    for (uint32_t i = 0; i < cell->joint_count; i++) {
        recorder->joints[i] =
            (struct growing_track){.path = CP_PATH_JOINT, .log = &recorder->log, .number = 3 * cell->device_count + i};
        recorder->joint_numbers[cell->joints[i].joint] = i;
    }
    recorder->sheared = 0; /* of poses that stay as they are */
    recorder->stamp = 1;
    return cell->settings->tolerance > 0 ? set_tolerances(recorder, cell->settings->tolerance) : CP_OK;
}

/* A track that never leaves the value that the scene has says nothing. */
static bool says_something(const struct growing_track *track, const double *rest)
{
    return track->samples > 0 &&
           (track->moves || memcmp(track->first, rest, path_width(track->path) * sizeof *rest) != 0);
}

struct kept {
    cp_track *tracks;
    struct key_target *targets; /* of all tracks by number */
    uint32_t count;
    uint64_t samples, keys;
};

/* The last key of a track that is kept, and what it needs. */
static bool choose_track(struct recorder *recorder, struct growing_track *track, const double *rest, uint32_t target,
                         struct kept *kept)
{
    kept->targets[track->number].width = path_width(track->path);
    if (track->count == 0 || !says_something(track, rest))
        return true;
    if (!track_cut(recorder->cell->context, track))
        return false;
    kept->tracks[kept->count++] = (cp_track){target, track->path, CP_LINEAR, track->count, NULL, NULL};
    kept->samples += track->samples;
    kept->keys += track->count;
    return true;
}

static bool choose_tracks(struct recorder *recorder, struct kept *kept)
{
    const struct deneb_cell *cell = recorder->cell;
    bool fine = true;
    for (uint32_t i = 0; i < cell->device_count && fine; i++) {
        struct recorded_device *state = &recorder->devices[i];
        const double *rests[] = {state->rest.translation, state->rest.rotation, state->rest.scale};
        for (int k = 0; k < 3 && fine; k++)
            fine = choose_track(recorder, &state->tracks[k], rests[k], cell->devices[i].node, kept);
    }
    for (uint32_t i = 0; i < cell->joint_count && fine; i++)
        if (!cell->joints[i].formula)
            fine = choose_track(recorder, &recorder->joints[i], &recorder->scene->joints[cell->joints[i].joint].q,
                                cell->joints[i].joint, kept);
    return fine;
}

/* The number that a track has in the log. */
static uint32_t number_of(const struct recorder *recorder, const cp_track *track)
{
    const struct deneb_cell *cell = recorder->cell;
    const cp_scene *scene = recorder->scene;
    if (track->path != CP_PATH_JOINT)
        return 3 * scene->nodes[track->target].scope + (uint32_t)track->path - CP_PATH_TRANSLATION;
    return 3 * cell->device_count + recorder->joint_numbers[track->target];
}

/* Memory for just what is kept, of which each page is touched when its keys come; then the log is dealt out, and gives its own back on
 * the way. A single block would come in large pages, all of them at once. */
static bool keep_tracks(struct recorder *recorder, struct kept *kept)
{
    for (uint32_t i = 0; i < kept->count; i++) {
        cp_track *track = &kept->tracks[i];
        struct key_target *target = &kept->targets[number_of(recorder, track)];
        double *room = scene_allocate(recorder->scene, (size_t)track->key_count * (1 + target->width), sizeof *room);
        if (!room)
            return false;
        track->times = target->times = room;
        track->values = target->values = room + track->key_count;
    }
    key_log_deal(&recorder->log, kept->targets);
    return true;
}

static void report(const struct recorder *recorder, const struct kept *kept)
{
    cp_context *context = recorder->cell->context;
    struct place place = IN_FILE(recorder->file->source->name);
    if (recorder->cell->settings->tolerance > 0)
        report_note(context, "deneb-thinned", place, "%llu of %llu keys are kept, within %.9g mm",
                    (unsigned long long)kept->keys, (unsigned long long)kept->samples,
                    1000 * recorder->cell->settings->tolerance);
    if (recorder->sheared > 0)
        report_loss(context, "deneb-sheared", place, recorder->sheared, "the shear of a recorded matrix");
    if (recorder->flat > 0)
        report_loss(context, "deneb-flat", place, recorder->flat,
                    "the pose of a device on a part that is flat, in a step");
}

static cp_status make_clip(struct recorder *recorder)
{
    const struct deneb_cell *cell = recorder->cell;
    cp_scene *scene = recorder->scene;
    struct kept kept = {0};
    size_t size;
    const char *stem = text_stem(recorder->file->source->name, &size);
    const char *name = arena_copy_text(scene->arena, stem, size), *raw;
    name = name ? utf8_from(scene->arena, name, size, &raw) : NULL;
    kept.tracks = scene_allocate(scene, 3 * (size_t)cell->device_count + cell->joint_count, sizeof *kept.tracks);
    size_t track_count = 3 * (size_t)cell->device_count + cell->joint_count;
    kept.targets = memory_allocate_zeroed(cell->context, track_count, sizeof *kept.targets);
    bool fine = name && kept.tracks && kept.targets && choose_tracks(recorder, &kept) && keep_tracks(recorder, &kept);
    memory_free(cell->context, kept.targets, track_count, sizeof *kept.targets);
    if (!fine)
        return CP_LIMIT;
    uint32_t clip = scene_add_clip(scene, name, kept.count, kept.tracks);
    const cp_attachment *attachments = scene_keep_array(scene, &recorder->attachments, &recorder->attachment_room,
                                                        recorder->attachment_count, sizeof *attachments);
    if (clip == CP_NONE || !attachments)
        return CP_LIMIT;
    scene->clips[clip].attachments = attachments;
    scene->clips[clip].attachment_count = recorder->attachment_count;
    report(recorder, &kept);
    return CP_OK;
}

/* ---- all of it ---- */

static bool make_room(struct recorder *recorder)
{
    const struct deneb_cell *cell = recorder->cell;
    uint32_t nodes = recorder->scene->node_count;
    cp_context *context = cell->context;
    recorder->devices = memory_allocate_zeroed(context, cell->device_count, sizeof *recorder->devices);
    recorder->joints = memory_allocate_zeroed(context, cell->joint_count, sizeof *recorder->joints);
    recorder->listed = memory_allocate(context, cell->device_count, sizeof *recorder->listed);
    recorder->q = memory_allocate(context, recorder->scene->joint_count, sizeof *recorder->q);
    recorder->joint_numbers =
        memory_allocate_zeroed(context, recorder->scene->joint_count, sizeof *recorder->joint_numbers);
    recorder->parents = memory_allocate(context, nodes, sizeof *recorder->parents);
    recorder->locals = memory_allocate(context, nodes, sizeof *recorder->locals);
    recorder->worlds = memory_allocate(context, nodes, sizeof *recorder->worlds);
    recorder->stamps = memory_allocate_zeroed(context, nodes, sizeof *recorder->stamps);
    recorder->placed = memory_allocate_zeroed(context, nodes, sizeof *recorder->placed);
    recorder->order = memory_allocate(context, nodes, sizeof *recorder->order);
    recorder->way = memory_allocate(context, nodes, sizeof *recorder->way);
    return recorder->devices && recorder->joints && recorder->listed && recorder->q && recorder->joint_numbers &&
           recorder->parents && recorder->locals && recorder->worlds && recorder->stamps && recorder->placed &&
           recorder->order && recorder->way;
}

static void free_recorder(struct recorder *recorder)
{
    const struct deneb_cell *cell = recorder->cell;
    uint32_t nodes = recorder->scene->node_count;
    cp_context *context = cell->context;
    key_log_free(&recorder->log);
    memory_free(context, recorder->devices, cell->device_count, sizeof *recorder->devices);
    memory_free(context, recorder->joints, cell->joint_count, sizeof *recorder->joints);
    memory_free(context, recorder->listed, cell->device_count, sizeof *recorder->listed);
    memory_free(context, recorder->q, recorder->scene->joint_count, sizeof *recorder->q);
    memory_free(context, recorder->joint_numbers, recorder->scene->joint_count, sizeof *recorder->joint_numbers);
    memory_free(context, recorder->parents, nodes, sizeof *recorder->parents);
    memory_free(context, recorder->locals, nodes, sizeof *recorder->locals);
    memory_free(context, recorder->worlds, nodes, sizeof *recorder->worlds);
    memory_free(context, recorder->stamps, nodes, sizeof *recorder->stamps);
    memory_free(context, recorder->placed, nodes, sizeof *recorder->placed);
    memory_free(context, recorder->order, nodes, sizeof *recorder->order);
    memory_free(context, recorder->way, nodes, sizeof *recorder->way);
    memory_free(context, recorder->attachments, recorder->attachment_room, sizeof *recorder->attachments);
}

cp_status deneb_read_recording(struct deneb_file *file, struct deneb_cell *cell)
{
    struct recorder recorder = {.file = file, .cell = cell, .scene = cell->scene, .log = {.context = cell->context}};
    struct deneb_recording_head head;
    deneb_read_recording_head(file, &head);
    check_head(&recorder, &head);
    cp_status status = file->status;
    if (status == CP_OK)
        status = make_room(&recorder) ? start(&recorder) : CP_LIMIT;
    if (status == CP_OK) {
        read_steps(&recorder);
        status = file->status == CP_OK ? make_clip(&recorder) : file->status;
    }
    free_recorder(&recorder);
    return status;
}
