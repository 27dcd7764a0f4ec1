/* The simulated controller. */
#include "simulator.h"

#include <math.h>
#include <stdio.h>

#include "cellpipe_build.h"

/* ---- opening and closing ---- */

/* Finds the device that programs move: the named one, or the one with the most joints, unless two have as many. */
static cp_status find_device(struct simulator *simulator, const char *name)
{
    uint32_t count, most = 0, found = 0;
    const cp_device *devices = cp_devices(simulator->cell->scene, &count);
    simulator->options.device = CP_NONE;
    for (uint32_t i = 0; i < count; i++) {
        if (name && (strcmp(devices[i].name, name) == 0 || strcmp(devices[i].id, name) == 0)) {
            simulator->options.device = i;
            return CP_OK;
        }
        if (devices[i].joint_count > most)
            found = 0;
        if (devices[i].joint_count == 0 || devices[i].joint_count < most)
            continue;
        most = devices[i].joint_count;
        simulator->options.device = found++ == 0 ? i : simulator->options.device;
    }
    if (name)
        return cp_report_error(simulator->cell->context, CP_USAGE, "live-device", NULL, 0,
                               "the cell has no device \"%.100s\"", name);
    if (found == 0)
        (void)snprintf(simulator->lacks, sizeof simulator->lacks,
                       "no device: programs move one with joints, and the cell has none");
    if (found > 1) {
        (void)snprintf(simulator->lacks, sizeof simulator->lacks,
                       "%u devices have %u joints: serve the cell with device=NAME, such as device=\"%.100s\"",
                       (unsigned)found, (unsigned)most, devices[simulator->options.device].id);
        simulator->options.device = CP_NONE;
    }
    return CP_OK;
}

static bool is_below(const struct cell *cell, uint32_t node, uint32_t top)
{
    while (node != top && node != CP_NONE)
        node = cell->nodes[node].parent;
    return node == top;
}

/* Finds the frame of the device that has this id, or alone has this name. */
static cp_status find_frame(struct simulator *simulator, const char *name)
{
    const struct cell *cell = simulator->cell;
    const uint32_t device = simulator->options.device;
    const uint32_t base = device == CP_NONE ? 0 : cp_devices(cell->scene, &(uint32_t){0})[device].base;
    const char *example = "";
    uint32_t found = 0;
    for (uint32_t i = 0; i < cell->node_count; i++) {
        const bool by_id = strcmp(cell->nodes[i].id, name) == 0;
        if ((!by_id && strcmp(cell->nodes[i].name, name) != 0) || !is_below(cell, i, base))
            continue;
        simulator->options.frame = i;
        example = cell->nodes[i].id;
        found++;
        if (by_id)
            return CP_OK;
    }
    if (found > 1)
        return cp_report_error(cell->context, CP_USAGE, "live-device", NULL, 0,
                               "%u frames have the name \"%.100s\": give an id, such as frame=\"%.100s\"",
                               (unsigned)found, name, example);
    return found == 1 ? CP_OK
                      : cp_report_error(cell->context, CP_USAGE, "live-device", NULL, 0, "%s has no frame \"%.100s\"",
                                        device == CP_NONE ? "the cell" : "the device", name);
}

/* Finds the tool: the named frame, or the only end of the device. */
static cp_status find_tool(struct simulator *simulator, const char *name)
{
    const struct cell *cell = simulator->cell;
    if (name)
        return find_frame(simulator, name);
    if (simulator->options.device == CP_NONE)
        return CP_OK;
    const cp_device *device = &cp_devices(cell->scene, &(uint32_t){0})[simulator->options.device];
    if (device->end_count == 1) {
        simulator->options.frame = device->ends[0];
        return CP_OK;
    }
    (void)snprintf(simulator->lacks, sizeof simulator->lacks,
                   "device \"%.80s\" has %u ends: serve the cell with frame=NAME, such as frame=\"%.80s\"",
                   device->name, (unsigned)device->end_count,
                   device->end_count > 0 ? cell->nodes[device->ends[0]].id : "tool");
    simulator->options.device = CP_NONE;
    return CP_OK;
}

cp_status simulator_open(struct simulator *simulator, struct cell *cell, const char *device, const char *frame)
{
    *simulator = (struct simulator){
        .cell = cell,
        .options = {.size = sizeof simulator->options, .period = SIMULATOR_PERIOD, .reach = 0.01},
    };
    simulator->from = arena_allocate(cell->arena, cell->joint_count, sizeof *simulator->from);
    simulator->to = arena_allocate(cell->arena, cell->joint_count, sizeof *simulator->to);
    simulator->now = arena_allocate(cell->arena, cell->joint_count, sizeof *simulator->now);
    simulator->worlds = arena_allocate(cell->arena, cell->node_count, sizeof *simulator->worlds);
    simulator->looked.q = arena_allocate(cell->arena, cell->joint_count, sizeof *simulator->looked.q);
    if (!simulator->from || !simulator->to || !simulator->now || !simulator->worlds || !simulator->looked.q)
        return CP_LIMIT;
    cp_status status = find_device(simulator, device);
    return status == CP_OK ? find_tool(simulator, frame) : status;
}

static void end_program(struct simulator *simulator)
{
    cp_program_free(simulator->program);
    cp_scene_free(simulator->posed);
    simulator->program = NULL;
    simulator->posed = NULL;
    simulator->waits = false;
    simulator->task = SIMULATOR_RESTS;
}

void simulator_close(struct simulator *simulator)
{
    if (!simulator->cell)
        return;
    end_program(simulator);
    memory_free(simulator->cell->context, simulator->text, simulator->text_room, 1);
    memory_free(simulator->cell->context, simulator->name, simulator->name_room, 1);
    *simulator = (struct simulator){0};
}

/* Keeps what the report says last as the reason. */
static void explain(struct simulator *simulator)
{
    size_t count;
    const cp_entry *entries = cp_report(simulator->cell->context, &count);
    for (size_t i = 0; i < count; i++)
        if (entries[i].severity == CP_ERROR)
            cell_say_error(&entries[i], simulator->why, sizeof simulator->why);
    cp_report_clear(simulator->cell->context);
}

/* ---- programs ---- */

static char *copy_bytes(cp_context *context, const char *bytes, size_t size)
{
    char *copy = memory_allocate(context, size + 1, 1);
    if (copy) {
        memcpy(copy, bytes, size);
        copy[size] = 0;
    }
    return copy;
}

/* Makes a program of the text, for the cell as it is now. */
static cp_status make_program(struct simulator *simulator, const char *name, const char *text, size_t size)
{
    struct cell *cell = simulator->cell;
    if (simulator->options.device == CP_NONE)
        return CP_NO;
    simulator->posed = cp_scene_at(cell->scene, cell->q);
    if (!simulator->posed)
        return CP_LIMIT;
    return cp_program_new(cell->context, simulator->posed, name, text, size, &simulator->options, &simulator->program);
}

cp_status simulator_load(struct simulator *simulator, const char *name, const char *text, size_t size)
{
    cp_context *context = simulator->cell->context;
    end_program(simulator);
    cp_status status = make_program(simulator, name, text, size);
    end_program(simulator);
    if (status != CP_OK)
        return status;
    char *new_text = copy_bytes(context, text, size), *new_name = copy_bytes(context, name, strlen(name));
    if (!new_text || !new_name) {
        memory_free(context, new_text, size + 1, 1);
        memory_free(context, new_name, strlen(name) + 1, 1);
        return CP_LIMIT;
    }
    memory_free(context, simulator->text, simulator->text_room, 1);
    memory_free(context, simulator->name, simulator->name_room, 1);
    simulator->text = new_text;
    simulator->name = new_name;
    simulator->text_size = size;
    simulator->text_room = size + 1;
    simulator->name_room = strlen(name) + 1;
    return CP_OK;
}

cp_status simulator_run(struct simulator *simulator)
{
    end_program(simulator);
    if (!simulator->text)
        return CP_NO;
    cp_status status = make_program(simulator, simulator->name, simulator->text, simulator->text_size);
    if (status != CP_OK) {
        explain(simulator);
        end_program(simulator);
        return status;
    }
    cell_forget_places(simulator->cell);
    simulator->marks_seen = 0;
    simulator->line = 0;
    simulator->one_move = false;
    simulator->task = SIMULATOR_PROGRAM;
    return CP_OK;
}

cp_status simulator_continue(struct simulator *simulator)
{
    cp_status status = simulator->program ? cp_program_resume(simulator->program) : CP_NO;
    simulator->waits = status != CP_OK;
    simulator->one_move = false;
    return status;
}

void simulator_stop(struct simulator *simulator)
{
    if (simulator->program)
        cp_program_stop(simulator->program, false);
}

void simulator_stop_after_next(struct simulator *simulator)
{
    simulator->one_move = true;
}

void simulator_emergency(struct simulator *simulator)
{
    if (simulator->program)
        cp_program_stop(simulator->program, true);
    else
        simulator->task = SIMULATOR_RESTS;
}

void simulator_halt(struct simulator *simulator)
{
    if (simulator->task != SIMULATOR_PROGRAM)
        simulator->task = SIMULATOR_RESTS;
}

bool simulator_moves(const struct simulator *simulator)
{
    return simulator->task != SIMULATOR_RESTS && !simulator->waits;
}

void simulator_tool(const struct simulator *simulator, double coordinates[6])
{
    const struct cell *cell = simulator->cell;
    const uint32_t base = cp_devices(cell->scene, &(uint32_t){0})[simulator->options.device].base;
    const cp_pose tool = cell_relative(cell, base, simulator->options.frame);
    cp_pose_coordinates(&tool, coordinates);
}

void simulator_reset(struct simulator *simulator)
{
    end_program(simulator);
}

/* Tells the cell what the program has grabbed and let go since the last step. */
static cp_status follow_marks(struct simulator *simulator)
{
    struct cell *cell = simulator->cell;
    uint32_t count;
    const cp_mark *marks = cp_program_marks(simulator->program, &count);
    cp_status status = CP_OK;
    for (; simulator->marks_seen < count && status == CP_OK; simulator->marks_seen++) {
        const char *name = marks[simulator->marks_seen].name;
        const bool grabs = strncmp(name, "grab ", 5) == 0, releases = strncmp(name, "release ", 8) == 0;
        if (!grabs && !releases)
            continue;
        const char *part = name + (grabs ? 5 : 8);
        for (uint32_t i = 1; i < cell->node_count && status == CP_OK; i++)
            if (strcmp(cell->nodes[i].name, part) == 0 && cell_is_held(cell, i) == releases)
                status = cell_hold(cell, i, grabs ? simulator->options.frame : 0);
    }
    return status;
}

static enum simulator_end step_program(struct simulator *simulator)
{
    struct cell *cell = simulator->cell;
    cp_program_snapshot state = {.size = sizeof state};
    cp_status status = cp_program_step(simulator->program);
    cp_program_state(simulator->program, &state);
    simulator->line = state.line;
    if (status == CP_OK)
        status = cp_program_poses(simulator->program, simulator->worlds);
    if (status == CP_OK) {
        cell_take(cell, state.q, simulator->worlds);
        status = follow_marks(simulator);
    }
    if (status == CP_OK && !state.ended) {
        if (simulator->one_move)
            cp_program_stop(simulator->program, false);
        simulator->one_move = false;
        return SIMULATOR_GOES_ON;
    }
    if (status == CP_OK && state.stopped) {
        simulator->waits = true;
        return SIMULATOR_STOPPED;
    }
    if (status != CP_OK)
        explain(simulator);
    end_program(simulator);
    return status == CP_OK ? SIMULATOR_ENDED : SIMULATOR_FAILED;
}

/* ---- jogs and moves ---- */

static double most_speed(const cp_joint *joint)
{
    const double usual = joint->type == CP_JOINT_REVOLUTE ? SIMULATOR_TURN : SIMULATOR_SLIDE;
    return isfinite(joint->velocity) && joint->velocity > 0 && joint->velocity < usual ? joint->velocity : usual;
}

cp_status simulator_move(struct simulator *simulator, const double *q, double speed)
{
    struct cell *cell = simulator->cell;
    if (!(speed > 0 && speed <= 1) || cell_beyond(cell, q) != CP_NONE) {
        (void)snprintf(simulator->why, sizeof simulator->why, "limits");
        return CP_NO;
    }
    memcpy(simulator->from, cell->q, cell->joint_count * sizeof *simulator->from);
    memcpy(simulator->to, q, cell->joint_count * sizeof *simulator->to);
    simulator->way = simulator->duration = 0;
    for (uint32_t i = 0; i < cell->joint_count; i++) {
        const double seconds = 1.875 * fabs(q[i] - cell->q[i]) / (speed * most_speed(&cell->joints[i]));
        simulator->duration = fmax(simulator->duration, seconds);
    }
    if (!(simulator->duration <= SIMULATOR_LONGEST)) {
        (void)snprintf(simulator->why, sizeof simulator->why, "limits: that takes more than %d s", SIMULATOR_LONGEST);
        return CP_NO;
    }
    simulator->task = SIMULATOR_MOVE;
    return CP_OK;
}

/* Tells whether nothing would touch at the values `now`, and loops close there; else `why` says it. */
static bool is_free(struct simulator *simulator)
{
    struct near_pair pair;
    cp_status status = cell_try(simulator->cell, simulator->now, &pair);
    if (status == CP_OK)
        return true;
    if (pair.first)
        (void)snprintf(simulator->why, sizeof simulator->why, "near: %.100s and %.100s would touch", pair.first,
                       pair.second);
    else
        (void)snprintf(simulator->why, sizeof simulator->why, "limits: a loop does not close there");
    cp_report_clear(simulator->cell->context);
    return false;
}

/* Goes to the values `now`, if that is free. */
static bool go(struct simulator *simulator)
{
    return is_free(simulator) && cell_go(simulator->cell, simulator->now) == CP_OK;
}

/* Finds the values after a way of a joint, which ends at its limits. */
static void jog_on(struct simulator *simulator, uint32_t joint, double way)
{
    const struct cell *cell = simulator->cell;
    memcpy(simulator->now, cell->q, cell->joint_count * sizeof *simulator->now);
    double *value = &simulator->now[joint];
    const double wanted = *value + way;
    *value = way > 0 ? fmax(*value, fmin(wanted, cell->joints[joint].upper))
                     : fmin(*value, fmax(wanted, cell->joints[joint].lower));
}

static bool is_too_fast(struct simulator *simulator, uint32_t joint, double speed)
{
    if (fabs(speed) <= most_speed(&simulator->cell->joints[joint]))
        return false;
    (void)snprintf(simulator->why, sizeof simulator->why, "limits");
    return true;
}

/* Tells whether the last look was at a way that the joint is on, and nothing else has moved since. */
static bool goes_on(const struct simulator *simulator, uint32_t joint, double way)
{
    static const double noise = 0.001; /* sensors have it, in radians and metres */
    const struct cell *cell = simulator->cell;
    const struct looked *looked = &simulator->looked;
    const double value = cell->q[joint];
    bool same = looked->is_known && looked->joint == joint && looked->goes_up == (way > 0) && cell->away_count == 0 &&
                value >= fmin(looked->from, looked->to) && value <= fmax(looked->from, looked->to);
    for (uint32_t i = 0; i < cell->shown_count && same; i++)
        same = cell->shown[i] == joint || fabs(cell->q[cell->shown[i]] - looked->q[cell->shown[i]]) <= noise;
    return same;
}

cp_status simulator_try_jog(struct simulator *simulator, uint32_t joint, double speed, double seconds)
{
    const struct cell *cell = simulator->cell;
    struct looked *looked = &simulator->looked;
    if (is_too_fast(simulator, joint, speed))
        return CP_NO;
    jog_on(simulator, joint, speed * seconds);
    const double end = simulator->now[joint], begin = cell->q[joint], way = end - begin;
    if (!goes_on(simulator, joint, way)) {
        memcpy(looked->q, cell->q, cell->joint_count * sizeof *looked->q);
        *looked = (struct looked){joint, true, way > 0, begin, begin, looked->q};
    }
    const double left = end - looked->to;
    if (left * way <= 0)
        return CP_OK;
    const uint32_t looks = (uint32_t)fmax(1, ceil(fabs(left) / cell_stride(&cell->joints[joint])));
    for (uint32_t i = 1; i <= looks; i++) {
        simulator->now[joint] = end - left * (looks - i) / looks;
        if (!is_free(simulator)) {
            looked->is_known = false;
            return CP_NO;
        }
    }
    looked->to = end;
    return CP_OK;
}

cp_status simulator_jog(struct simulator *simulator, uint32_t joint, double speed)
{
    if (is_too_fast(simulator, joint, speed))
        return CP_NO;
    jog_on(simulator, joint, speed * simulator->options.period);
    if (!is_free(simulator))
        return CP_NO;
    simulator->task = SIMULATOR_JOG;
    simulator->jog_joint = joint;
    simulator->jog_speed = speed;
    return CP_OK;
}

static enum simulator_end step_jog(struct simulator *simulator)
{
    jog_on(simulator, simulator->jog_joint, simulator->jog_speed * simulator->options.period);
    if (go(simulator))
        return SIMULATOR_GOES_ON;
    simulator->task = SIMULATOR_RESTS;
    return SIMULATOR_FAILED;
}

/* The part of the way after a part of the time: speed and acceleration are 0 at both ends (minimum jerk: Flash and
 * Hogan 1985). The speed is at most 1.875 times the mean one. */
static double part_of_way(double time)
{
    return time * time * time * (10 + time * (6 * time - 15));
}

static enum simulator_end step_move(struct simulator *simulator)
{
    struct cell *cell = simulator->cell;
    simulator->way += simulator->options.period;
    const bool ends = simulator->way >= simulator->duration;
    const double part = ends ? 1 : part_of_way(simulator->way / simulator->duration);
    for (uint32_t i = 0; i < cell->joint_count; i++)
        simulator->now[i] =
            ends ? simulator->to[i] : simulator->from[i] + part * (simulator->to[i] - simulator->from[i]);
    if (!go(simulator)) {
        simulator->task = SIMULATOR_RESTS;
        return SIMULATOR_FAILED;
    }
    if (!ends)
        return SIMULATOR_GOES_ON;
    simulator->task = SIMULATOR_RESTS;
    return SIMULATOR_ENDED;
}

enum simulator_end simulator_step(struct simulator *simulator)
{
    simulator->why[0] = 0;
    switch (simulator->task) {
    case SIMULATOR_PROGRAM:
        return step_program(simulator);
    case SIMULATOR_JOG:
        return step_jog(simulator);
    case SIMULATOR_MOVE:
        return step_move(simulator);
    case SIMULATOR_RESTS:
        break;
    }
    return SIMULATOR_ENDED;
}
