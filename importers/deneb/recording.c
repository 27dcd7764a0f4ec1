/* Reads recordings: the poses of devices and the values of their joints at each step, and what each device hangs on.
 *
 * The poses of a device that hangs on a part are relative to that part from then on: its tracks hold the grip, which is
 * mostly constant, and an attachment of the clip names the part. */
#include "recorder.h"

#include <math.h>

#include "base/text/text.h"

/* ---- steps ---- */

static void read_joints(struct recorder *recorder, struct recorded_poses *poses, const struct deneb_device *device)
{
    struct deneb_file *file = recorder->file;
    const struct deneb_cell *cell = recorder->cell;
    const cp_device *made = &recorder->scene->devices[device - cell->devices.items];
    struct place place = deneb_place(file);
    uint32_t count = deneb_in_line(file, "a number") ? deneb_count(file, "the number of joints", UINT32_MAX) : 0;
    if (file->status == CP_OK && count != made->joint_count)
        file->status = report_error(cell->context, CP_INPUT, "deneb-joints", place,
                                    "%u values for the %u joints of \"%s\" that have no formula", (unsigned)count,
                                    (unsigned)made->joint_count, device->name);
    for (uint32_t i = 0, k = device->first_joint; i < count && file->status == CP_OK; k++) {
        const struct deneb_joint *joint = &cell->joints.items[k];
        if (!deneb_is_set(joint))
            continue;
        struct deneb_units units = {recorder->units.length,
                                    recorder->units.angle > 0 ? recorder->units.angle : device->units.angle};
        poses->mechanism.q[joint->joint] = deneb_number(file, false) * deneb_joint_unit(joint, units);
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
    bool there = host >= 0 && host < cell->parts.count && host == floor(host);
    if (!there || cell->parts.items[(uint32_t)host].device == device)
        file->status =
            report_lenient(cell->context, file->strict, "deneb-attachment", state->place,
                           there ? "the device \"%s\" is attached to part %s, its own: it is detached"
                                 : "the device \"%s\" is attached to part %s, which does not exist: it is detached",
                           cell->devices.items[device].name, show_number(host).text);
    else
        state->host = (uint32_t)host;
}

/* Reads a device after the word DEV: its number, and MATRIX, JOINTS and ATTACH in any order. */
static void read_device(struct recorder *recorder, struct recorded_poses *poses, struct recorded_step *step)
{
    struct deneb_file *file = recorder->file;
    struct deneb_cell *cell = recorder->cell;
    struct place place = deneb_place(file);
    uint32_t index = deneb_in_line(file, "a device") ? deneb_count(file, "the number of a device", UINT32_MAX) : 0;
    if (file->status == CP_OK && index >= cell->devices.count)
        file->status = report_error(cell->context, CP_INPUT, "deneb-device-number", place,
                                    "device %u of a cell that has %u, counted from 0", (unsigned)index,
                                    (unsigned)cell->devices.count);
    if (file->status != CP_OK)
        return;
    struct recorded_device *state = &step->devices[index];
    if (!state->listed)
        step->listed[step->listed_count++] = index;
    state->listed = true;
    for (bool more = true; more && file->status == CP_OK;) {
        if (deneb_accept(file, "MATRIX")) {
            state->matrix = deneb_pose(file, (enum deneb_matrix)cell->settings->matrix, recorder->units.length);
            state->has_matrix = true;
        } else if (deneb_accept(file, "JOINTS")) {
            read_joints(recorder, poses, &cell->devices.items[index]);
            state->has_joints = true;
        } else if (deneb_accept(file, "ATTACH")) {
            read_host(recorder, state, index);
        } else {
            more = false;
        }
    }
}

/* Begins a step after the word STEP. Equal times are a jump, which gets two times that are next to each other. */
static void begin_step(struct recorder *recorder, struct recorded_step *step)
{
    struct deneb_file *file = recorder->file;
    struct place place = deneb_place(file);
    double time = deneb_in_line(file, "a time") ? deneb_number(file, false) : 0;
    bool first = step->steps == 0;
    if (file->status == CP_OK && !first && time < step->raw_time)
        file->status =
            report_error(file->context, CP_INPUT, "deneb-time", place, "the step at %s s comes after one at %s s",
                         show_number(time).text, show_number(step->raw_time).text);
    step->jumps = !first && time == step->raw_time;
    step->raw_time = time;
    step->time = first ? time : fmax(time, nextafter(step->before, INFINITY));
}

static void read_steps(struct recorder *recorder, struct recorded_poses *poses, struct recorded_step *step,
                       struct recorded_keys *keys)
{
    struct deneb_file *file = recorder->file;
    bool in_step = false;
    while (!deneb_section_ends(file, "the recording")) {
        if (deneb_statement(file, "STEP")) {
            if (in_step)
                recorder_end_step(recorder, poses, step, keys);
            begin_step(recorder, step);
            in_step = true;
            source_forget(file->source, file->next);
        } else if (in_step && deneb_statement(file, "DEV")) {
            read_device(recorder, poses, step);
        } else {
            deneb_skip_unknown(file, 1);
            continue;
        }
        deneb_end_statement(file);
    }
    if (in_step && file->status == CP_OK)
        recorder_end_step(recorder, poses, step, keys);
    while (file->status == CP_OK && file->token.kind != DENEB_END)
        deneb_skip_unknown(file, 0);
    if (step->steps == 0 && file->status == CP_OK)
        file->status = report_lenient(file->context, file->strict, "deneb-no-steps", IN_FILE(file->source->name),
                                      "the recording has no step: nothing moves in its clip");
}

/* ---- the head ---- */

static bool read_head_word(struct deneb_file *file, struct deneb_recording_head *head)
{
    if (deneb_accept(file, "WORKCELL")) {
        head->workcell = deneb_in_line(file, "a name") ? deneb_name(file, NULL) : "";
    } else if (deneb_accept(file, "DEVICES")) {
        bool given = deneb_in_line(file, "a number");
        head->device_count = given ? deneb_count(file, "the number of devices", UINT32_MAX - 1) : 0;
    } else if (deneb_accept(file, "FRAME")) {
        head->frame_is_parent = deneb_accept(file, "parent");
        if (!head->frame_is_parent && !deneb_accept(file, "world"))
            deneb_expected(file, "world or parent");
    } else if (deneb_accept(file, "UNIT")) {
        head->units.length = deneb_unit(file);
    } else if (deneb_accept(file, "ANGLE")) {
        head->units.angle = deneb_angle(file);
    } else {
        return false;
    }
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
    if (file->status == CP_OK && head->device_count != CP_NONE && head->device_count != cell->devices.count)
        file->status = report_lenient(cell->context, file->strict, "deneb-devices", place,
                                      "the recording is of %u devices, the cell has %u", (unsigned)head->device_count,
                                      (unsigned)cell->devices.count);
    if (file->status == CP_OK && head->workcell && cell->name && strcmp(head->workcell, cell->name) != 0)
        file->status =
            report_lenient(cell->context, file->strict, "deneb-workcell", place,
                           "the recording is of the workcell \"%s\", not of \"%s\"", head->workcell, cell->name);
    recorder->frame_is_parent = head->frame_is_parent;
    recorder->units.length = head->units.length > 0 ? head->units.length : cell->units.length;
    recorder->units.angle = head->units.angle > 0 ? head->units.angle : cell->units.angle;
}

/* ---- all of it ---- */

cp_status deneb_read_recording(struct deneb_file *file, struct deneb_cell *cell, cp_scene *scene)
{
    struct recorder recorder = {.file = file, .cell = cell, .scene = scene};
    struct recorded_poses poses = {.parents = NULL};
    struct recorded_step step = {.steps = 0};
    struct recorded_keys keys = {.log = {.context = cell->context}};
    struct deneb_recording_head head;
    deneb_read_recording_head(file, &head);
    check_head(&recorder, &head);
    cp_status status = file->status;
    if (status == CP_OK)
        status = recorder_start(&recorder, &poses, &step, &keys);
    if (status == CP_OK) {
        read_steps(&recorder, &poses, &step, &keys);
        status = file->status == CP_OK ? recorder_make_clip(&recorder, &step, &keys) : file->status;
    }
    recorder_free(&recorder, &poses, &keys);
    return status;
}
