/* The interpreter: it carries out line after line, until one takes time. */
#include "run.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/text/text.h"
#include "model/model.h"

static const double mm = 1e-3;

cp_status program_error(const struct program_clock *clock, cp_status status, const char *code, const char *format, ...)
{
    char text[600];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return report_error(clock->context, status, code, AT_LINE(clock->file, clock->line), "at %s s: %s",
                        show_number(clock->time).text, text);
}

/* ---- values ---- */

static cp_status number(const struct program_machine *machine, const struct program_formula *formula, double *value)
{
    const struct expression_step *steps = machine->text.steps + formula->first_step;
    for (uint32_t i = 0; i < formula->step_count; i++)
        if (steps[i].operation == EXPRESSION_INPUT && !machine->number_set[steps[i].input])
            return program_error(&machine->clock, CP_INPUT, "program-unset", "a variable has no value yet");
    const char *why = expression_run(steps, formula->step_count, machine->numbers, value);
    if (why)
        return program_error(&machine->clock, CP_INPUT, "program-number", "a formula has no value: %s", why);
    return isfinite(*value) ? CP_OK
                            : program_error(&machine->clock, CP_INPUT, "program-number", "a number is not finite");
}

static cp_status all_numbers(const struct program_machine *machine, uint32_t first, uint32_t count, double *values)
{
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < count && status == CP_OK; i++)
        status = number(machine, &machine->text.formulas[first + i], &values[i]);
    return status;
}

/* Makes a pose from numbers in mm and degrees. */
static cp_pose pose_of_numbers(const double *numbers)
{
    double coordinates[6];
    for (int i = 0; i < 6; i++)
        coordinates[i] = i < 3 ? numbers[i] * mm : degrees_to_radians(numbers[i]);
    return pose_from_coordinates(coordinates);
}

static double joint_value(const struct program_robot *robot, uint32_t place, double value)
{
    return robot->scene->joints[robot->joints[place]].type == CP_JOINT_REVOLUTE ? degrees_to_radians(value)
                                                                                : value * mm;
}

/* Finds the pose of a point in the frame of the device's base. */
static cp_status pose_of_point(const struct program_machine *machine, const struct program_robot *robot,
                               struct point point, cp_pose *pose)
{
    if (point.kind == POINT_POSE) {
        *pose = machine->poses[point.index];
        return machine->pose_set[point.index]
                   ? CP_OK
                   : program_error(&machine->clock, CP_INPUT, "program-unset", "a variable has no value yet");
    }
    if (point.kind == POINT_POSE_HERE) {
        double numbers[6];
        cp_status status = all_numbers(machine, point.index, 6, numbers);
        if (status == CP_OK)
            *pose = pose_of_numbers(numbers);
        return status;
    }
    cp_pose base = place_node(robot, robot->scene->devices[robot->options.device].base), back;
    cp_pose world = place_node(robot, point.index);
    (void)pose_inverse(&base, &back);
    *pose = pose_multiply(&back, &world);
    if (!pose_is_rigid(pose, 1e-9))
        return program_error(&machine->clock, CP_INPUT, "program-point", "the frame \"%.100s\" is scaled",
                             robot->scene->nodes[point.index].name);
    return CP_OK;
}

static cp_status holds(const struct program_machine *machine, const struct instruction *instruction, bool *answer)
{
    bool clause = true;
    *answer = false;
    for (uint32_t i = 0; i < instruction->comparison_count; i++) {
        const struct comparison *it = &machine->text.comparisons[instruction->first_comparison + i];
        double a, b = 0;
        cp_status status = number(machine, &it->sides[0], &a);
        if (status == CP_OK && it->kind != COMPARE_TRUE)
            status = number(machine, &it->sides[1], &b);
        if (status != CP_OK)
            return status;
        bool one = it->kind == COMPARE_TRUE      ? a != 0
                   : it->kind == COMPARE_EQUAL   ? a == b
                   : it->kind == COMPARE_UNEQUAL ? a != b
                   : it->kind == COMPARE_LESS    ? a < b
                   : it->kind == COMPARE_MORE    ? a > b
                   : it->kind == COMPARE_MOST    ? a <= b
                                                 : a >= b;
        *answer = *answer || (!it->is_and && i > 0 && clause);
        clause = it->is_and ? clause && one : one;
    }
    *answer = *answer || clause;
    return CP_OK;
}

/* ---- what happens ---- */

static cp_status mark(struct program_log *log, const struct program_clock *clock, const char *name, double value)
{
    if (!array_reserve(clock->context, &log->marks, &log->mark_room, (uint64_t)log->mark_count + 1, sizeof *log->marks))
        return CP_LIMIT;
    log->marks[log->mark_count++] = (cp_mark){clock->time, name, value};
    return CP_OK;
}

/* Carries out OUT, SETT and SETC: a mark such as "output 3", and the value of TIMER and COUNTER of that number. */
static cp_status set_numbered(struct program_machine *machine, struct program_log *log, enum operation operation,
                              const double numbers[2])
{
    const struct program_text *text = &machine->text;
    bool timer = operation == OPERATION_SETT, output = operation == OPERATION_OUT;
    if (!(numbers[0] >= 0 && numbers[0] <= INT32_MAX && numbers[0] == floor(numbers[0])))
        return program_error(&machine->clock, CP_INPUT, "program-number",
                             "%s takes a whole number from 0 to %d, not %s",
                             output  ? "OUT"
                             : timer ? "SETT"
                                     : "SETC",
                             INT32_MAX, show_number(numbers[0]).text);
    const struct program_reading sought = {.operation = operation, .number = (uint32_t)numbers[0]};
    const struct program_reading *found =
        text->reading_count > 0 ? bsearch(&sought, text->readings, text->reading_count, sizeof sought, compare_readings)
                                : NULL;
    if (found)
        machine->numbers[found->variable] = numbers[1];
    const char *name = arena_print(log->arena, "%s %u",
                                   output  ? "output"
                                   : timer ? "timer"
                                           : "counter",
                                   (unsigned)sought.number);
    return name ? mark(log, &machine->clock, name, numbers[1]) : CP_LIMIT;
}

/* Adds a mark like "grab Part". */
static cp_status mark_frame(struct program_log *log, const struct program_clock *clock, const char *kind,
                            const cp_node *node)
{
    const char *name = arena_print(log->arena, "%s %s", kind, node->name);
    return name ? mark(log, clock, name, 1) : CP_LIMIT;
}

static bool hangs_on(const struct program_robot *robot, uint32_t node, uint32_t host)
{
    while (host != CP_NONE && host != node)
        host = robot->hosts[host];
    return host == node;
}

static cp_status hang(const struct program_clock *clock, struct program_robot *robot, struct program_log *log,
                      uint32_t node, uint32_t host)
{
    cp_pose world = place_node(robot, node), above = place_node(robot, host), back;
    if (hangs_on(robot, node, host))
        return program_error(clock, CP_INPUT, "program-hold", "\"%.100s\" carries the tool",
                             robot->scene->nodes[node].name);
    if (robot->scene->nodes[node].joint_count > 0 || !pose_inverse(&above, &back))
        return program_error(clock, CP_INPUT, "program-hold", "\"%.100s\" cannot be held: it has joints",
                             robot->scene->nodes[node].name);
    if (!array_reserve(clock->context, &log->holdings, &log->holding_room, (uint64_t)log->holding_count + 1,
                       sizeof *log->holdings))
        return CP_LIMIT;
    const cp_pose local = pose_multiply(&back, &world);
    struct trs trs;
    if (!pose_to_trs(&local, 1e-9, &trs))
        return program_error(clock, CP_INPUT, "program-hold", "\"%.100s\" cannot be held: it would be sheared",
                             robot->scene->nodes[node].name);
    robot->locals[node] = local;
    robot->hosts[node] = host;
    log->holdings[log->holding_count++] = (struct holding){clock->time, node, host, robot->locals[node]};
    return CP_OK;
}

static double distance_to_tool(const struct program_robot *robot, uint32_t node)
{
    cp_pose tool = place_node(robot, robot->options.frame), there = place_node(robot, node);
    return sqrt(pow(tool.m[3] - there.m[3], 2) + pow(tool.m[7] - there.m[7], 2) + pow(tool.m[11] - there.m[11], 2));
}

/* Returns the part to grab if no name is given: the nearest movable or attachable frame within reach. */
static uint32_t nearest_part(const struct program_robot *robot, double *distance)
{
    uint32_t nearest = CP_NONE;
    *distance = INFINITY;
    for (uint32_t i = 1; i < robot->scene->node_count; i++) {
        double here;
        if (!(robot->scene->nodes[i].flags & (CP_NODE_MOVABLE | CP_NODE_ATTACHABLE)) ||
            robot->scene->nodes[i].joint_count > 0 || hangs_on(robot, i, robot->options.frame))
            continue;
        here = distance_to_tool(robot, i);
        if (here < *distance) {
            *distance = here;
            nearest = i;
        }
    }
    return nearest;
}

static cp_status grab(const struct program_clock *clock, struct program_robot *robot, struct program_log *log,
                      struct point point)
{
    double distance;
    uint32_t node = point.kind == POINT_FRAME ? point.index : nearest_part(robot, &distance);
    if (node == CP_NONE)
        return program_error(clock, CP_NO, "program-grab", "nothing is there that can be held");
    distance = distance_to_tool(robot, node);
    if (distance > robot->options.reach)
        return program_error(clock, CP_NO, "program-grab", "\"%.100s\" is %s mm from the tool, beyond reach=%s mm",
                             robot->scene->nodes[node].name, show_three_digits(distance / mm).text,
                             show_number(robot->options.reach / mm).text);
    cp_status status = hang(clock, robot, log, node, robot->options.frame);
    robot->grabbed[node] = status == CP_OK;
    return status == CP_OK ? mark_frame(log, clock, "grab", &robot->scene->nodes[node]) : status;
}

/* Releases a frame, or all that the tool holds, to the world. */
static cp_status release(const struct program_clock *clock, struct program_robot *robot, struct program_log *log,
                         struct point point)
{
    cp_status status = CP_OK;
    bool any = false;
    for (uint32_t i = 1; i < robot->scene->node_count && status == CP_OK; i++) {
        const bool held =
            point.kind == POINT_FRAME ? point.index == i && robot->hosts[i] == robot->options.frame : robot->grabbed[i];
        if (!held)
            continue;
        any = true;
        robot->grabbed[i] = false;
        status = hang(clock, robot, log, i, 0);
        if (status == CP_OK)
            status = mark_frame(log, clock, "release", &robot->scene->nodes[i]);
    }
    if (status == CP_OK && !any && point.kind == POINT_FRAME)
        return program_error(clock, CP_NO, "program-grab", "the tool does not hold \"%.100s\"",
                             robot->scene->nodes[point.index].name);
    return status;
}

/* ---- moves ---- */

/* Returns the target of numbers: without angles the tool keeps its own. */
static cp_pose target_of(const struct program_robot *robot, const double *numbers, uint32_t count)
{
    cp_pose target;
    if (count >= 6)
        return pose_of_numbers(numbers);
    place_tool(robot, &target);
    for (int i = 0; i < 3; i++)
        target.m[4 * i + 3] = numbers[i] * mm;
    return target;
}

/* Returns the tool's pose with another one added, in the axes of the base. */
static cp_pose moved_by(const struct program_robot *robot, const cp_pose *change)
{
    cp_pose tool, turn = *change, target;
    place_tool(robot, &tool);
    turn.m[3] = turn.m[7] = turn.m[11] = 0;
    target = tool;
    target.m[3] = target.m[7] = target.m[11] = 0;
    target = pose_multiply(&turn, &target);
    for (int i = 3; i < 12; i += 4)
        target.m[i] = tool.m[i] + change->m[i];
    return target;
}

static cp_status begin_move(const struct program_machine *machine, struct program_robot *robot,
                            struct program_motion *motion, const struct instruction *instruction, const double *numbers)
{
    const uint32_t count = instruction->formula_count;
    cp_pose poses[2], target;
    double via[3];
    cp_status status = CP_OK;
    switch (instruction->operation) {
    case OPERATION_LMOV:
        target = target_of(robot, numbers, count);
        return begin_line(&machine->clock, robot, motion, &target, NULL);
    case OPERATION_IMOV: {
        double all[6] = {numbers[0], numbers[1], numbers[2], 0, 0, 0};
        memcpy(all + 3, numbers + 3, count > 3 ? sizeof(double[3]) : 0);
        poses[0] = pose_of_numbers(all);
        target = moved_by(robot, &poses[0]);
        /* A turn about one axis alone goes all the way, even beyond half a turn. */
        const double turn[3] = {degrees_to_radians(all[5]), degrees_to_radians(all[4]), degrees_to_radians(all[3])};
        const bool one = (turn[0] != 0) + (turn[1] != 0) + (turn[2] != 0) == 1;
        return begin_line(&machine->clock, robot, motion, &target, one ? turn : NULL);
    }
    case OPERATION_CMOV:
        for (int i = 0; i < 3; i++)
            via[i] = numbers[i] * mm;
        target = target_of(robot, numbers + 3, count - 3);
        return begin_arc(&machine->clock, robot, motion, via, &target, false);
    default:
        break;
    }
    for (int i = 0; i < 2 && status == CP_OK && instruction->points[i].kind != POINT_NONE; i++)
        status = pose_of_point(machine, robot, instruction->points[i], &poses[i]);
    if (status != CP_OK)
        return status;
    if (instruction->operation == OPERATION_LPTP)
        return begin_line(&machine->clock, robot, motion, &poses[0], NULL);
    if (instruction->operation == OPERATION_IPTP) {
        target = moved_by(robot, &poses[0]);
        return begin_line(&machine->clock, robot, motion, &target, NULL);
    }
    for (int i = 0; i < 3; i++)
        via[i] = poses[0].m[4 * i + 3];
    return begin_arc(&machine->clock, robot, motion, via, &poses[1], instruction->operation == OPERATION_CIRC2);
}

static cp_status begin_joint_move(const struct program_machine *machine, struct program_robot *robot,
                                  struct program_motion *motion, const struct instruction *instruction, double *numbers)
{
    const struct point point = instruction->points[0];
    double *values = motion->joint_end;
    cp_status status = CP_OK;
    if (point.kind == POINT_POSE || point.kind == POINT_POSE_HERE || point.kind == POINT_FRAME) {
        cp_pose target;
        status = pose_of_point(machine, robot, point, &target);
        return status == CP_OK ? begin_posture(&machine->clock, robot, motion, &target) : status;
    }
    if (point.kind == POINT_JOINTS_HERE)
        status = all_numbers(machine, point.index, robot->joint_count, numbers);
    if (status != CP_OK)
        return status;
    if (point.kind == POINT_JOINTS && !machine->joints_set[point.index])
        return program_error(&machine->clock, CP_INPUT, "program-unset", "a variable has no value yet");
    for (uint32_t i = 0; i < robot->joint_count; i++)
        values[i] = point.kind == POINT_JOINTS ? machine->joint_values[point.index * robot->joint_count + i]
                                               : joint_value(robot, i, numbers[i]);
    return begin_joints(&machine->clock, robot, motion, values);
}

static cp_status go_home(const struct program_clock *clock, struct program_robot *robot, struct program_motion *motion)
{
    const cp_device *device = &robot->scene->devices[robot->options.device];
    double *values = motion->joint_end;
    for (uint32_t i = 0; i < robot->joint_count; i++) {
        values[i] = robot->scene->joints[robot->joints[i]].home;
        for (uint32_t k = 0; k < device->joint_count && device->home; k++)
            if (device->joints[k] == robot->joints[i])
                values[i] = device->home[k];
    }
    return begin_joints(clock, robot, motion, values);
}

static cp_status set_speed(const struct program_clock *clock, struct program_motion *motion, const double *numbers,
                           uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!(numbers[i] > 0))
            return program_error(clock, CP_INPUT, "program-speed", "speeds and accelerations are above 0");
    motion->speed = numbers[0];
    motion->acceleration = count > 1 ? numbers[1] : motion->acceleration;
    motion->deceleration = count > 2 ? numbers[2] : count > 1 ? numbers[1] : motion->deceleration;
    return CP_OK;
}

static cp_status set_joint_speed(const struct program_clock *clock, struct program_motion *motion, double percent)
{
    if (!(percent > 0 && percent <= 100))
        return program_error(clock, CP_INPUT, "program-speed", "joint motion takes above 0 and up to 100 %%, not %s %%",
                             show_number(percent).text);
    motion->joint_part = percent / 100;
    return CP_OK;
}

/* ---- lines ---- */

static cp_status assign(struct program_machine *machine, const struct program_robot *robot,
                        const struct instruction *instruction, const double *numbers)
{
    const uint32_t variable = instruction->variable;
    if (instruction->operation == OPERATION_ASSIGN) {
        machine->numbers[variable] = numbers[0];
        machine->number_set[variable] = true;
    } else if (instruction->operation == OPERATION_ASSIGN_POSE) {
        machine->poses[variable] = pose_of_numbers(numbers);
        machine->pose_set[variable] = true;
    } else {
        for (uint32_t i = 0; i < robot->joint_count; i++)
            machine->joint_values[variable * robot->joint_count + i] = joint_value(robot, i, numbers[i]);
        machine->joints_set[variable] = true;
    }
    return CP_OK;
}

/* FOR sets the number of whole steps, NEXT counts them, whatever the body does to the variable. */
static bool for_goes_on(const struct program_machine *machine, uint32_t instruction)
{
    double value = machine->numbers[machine->text.instructions[instruction].variable];
    double end = machine->for_end[instruction], step = machine->for_step[instruction];
    return step > 0 ? value <= end + 1e-9 * step : value >= end + 1e-9 * step;
}

static cp_status begin_for(struct program_machine *machine, uint32_t index, const double *numbers)
{
    const struct instruction *instruction = &machine->text.instructions[index];
    double step = instruction->formula_count > 2 ? numbers[2] : 1;
    if (step == 0)
        return program_error(&machine->clock, CP_INPUT, "program-for", "the step of a FOR is not 0");
    machine->numbers[instruction->variable] = numbers[0];
    machine->number_set[instruction->variable] = true;
    machine->for_end[index] = numbers[1];
    machine->for_step[index] = step;
    if (!for_goes_on(machine, index))
        machine->next = instruction->target;
    return CP_OK;
}

static cp_status call(struct program_machine *machine, uint32_t target)
{
    if (machine->call_count == MOST_CALLS)
        return program_error(&machine->clock, CP_LIMIT, "program-calls", "GOSUB is nested more than %d times",
                             MOST_CALLS);
    machine->calls[machine->call_count++] = machine->next;
    machine->next = target;
    return CP_OK;
}

/* Carries out the instructions that choose the next one. */
static cp_status branch(struct program_machine *machine, uint32_t index, const double *numbers)
{
    const struct instruction *it = &machine->text.instructions[index];
    switch (it->operation) {
    case OPERATION_FOR:
        return begin_for(machine, index, numbers);
    case OPERATION_NEXT:
        if (machine->for_step[it->target] == 0)
            return program_error(&machine->clock, CP_INPUT, "program-for", "NEXT of a FOR that was not carried out");
        machine->numbers[it->variable] += machine->for_step[it->target];
        machine->next = for_goes_on(machine, it->target) ? it->target + 1 : machine->next;
        return CP_OK;
    case OPERATION_GOSUB:
        return call(machine, it->target);
    case OPERATION_RET:
        if (machine->call_count == 0)
            return program_error(&machine->clock, CP_INPUT, "program-return", "RET without GOSUB");
        machine->next = machine->calls[--machine->call_count];
        return CP_OK;
    case OPERATION_CASE:
        if (numbers[0] >= 1 && numbers[0] < it->target_count + 1.0)
            machine->next = machine->text.targets[it->first_target + (uint32_t)numbers[0] - 1];
        return CP_OK;
    case OPERATION_END:
        machine->ended = true;
        return CP_OK;
    default: /* ELSE, GOTO */
        machine->next = it->target;
        return CP_OK;
    }
}

static cp_status carry_out(struct cp_program *program, uint32_t index)
{
    struct program_machine *machine = &program->machine;
    struct program_robot *robot = &program->robot;
    struct program_motion *motion = &program->motion;
    const struct program_clock *clock = &machine->clock;
    const struct instruction *it = &machine->text.instructions[index];
    double numbers[64] = {0};
    bool answer = true;
    cp_status status = it->comparison_count > 0 ? holds(machine, it, &answer) : CP_OK;
    if (status == CP_OK && answer)
        status = all_numbers(machine, it->first_formula, it->formula_count, numbers);
    if (status == CP_OK && !answer && it->operation == OPERATION_IF)
        machine->next = it->target;
    if (status != CP_OK || !answer)
        return status;
    switch (it->operation) {
    case OPERATION_ASSIGN:
    case OPERATION_ASSIGN_POSE:
    case OPERATION_ASSIGN_JOINTS:
        return assign(machine, robot, it, numbers);
    case OPERATION_MOVE:
    case OPERATION_PTP:
        return begin_joint_move(machine, robot, motion, it, numbers);
    case OPERATION_LMOV:
    case OPERATION_LPTP:
    case OPERATION_IMOV:
    case OPERATION_IPTP:
    case OPERATION_CMOV:
    case OPERATION_CPTP:
    case OPERATION_CIRC1:
    case OPERATION_CIRC2:
        return begin_move(machine, robot, motion, it, numbers);
    case OPERATION_IF: /* it holds */
    case OPERATION_ENDIF:
        return CP_OK;
    case OPERATION_ELSE:
    case OPERATION_GOTO:
    case OPERATION_FOR:
    case OPERATION_NEXT:
    case OPERATION_GOSUB:
    case OPERATION_RET:
    case OPERATION_CASE:
    case OPERATION_END:
        return branch(machine, index, numbers);
    case OPERATION_OUT:
    case OPERATION_SETT:
    case OPERATION_SETC:
        return set_numbered(machine, &program->log, it->operation, numbers);
    case OPERATION_APAWD:
        return mark(&program->log, clock, "welding", 1);
    case OPERATION_STAWD:
        return mark(&program->log, clock, "welding", 0);
    case OPERATION_OPEN:
        return release(clock, robot, &program->log, it->points[0]);
    case OPERATION_CLOSE:
        return grab(clock, robot, &program->log, it->points[0]);
    case OPERATION_WAIT:
        return begin_wait(clock, motion, numbers[0]);
    case OPERATION_SPEED:
        return set_speed(clock, motion, numbers, it->formula_count);
    case OPERATION_JOINT_SPEED:
        return set_joint_speed(clock, motion, numbers[0]);
    case OPERATION_HOME:
        return go_home(clock, robot, motion);
    }
    return CP_OK;
}

/* Carries out lines up to the one that takes time. */
static cp_status run_lines(struct cp_program *program)
{
    struct program_machine *machine = &program->machine;
    struct program_clock *clock = &machine->clock;
    cp_status status = CP_OK;
    while (status == CP_OK && program->motion.move.kind == MOVE_NONE && !machine->ended) {
        if (machine->next >= machine->text.instruction_count || (program->stopping && !program->emergency)) {
            program->stopped = machine->next < machine->text.instruction_count;
            machine->ended = true;
            break;
        }
        const uint32_t index = clock->instruction = machine->next++;
        clock->line = machine->text.instructions[index].line;
        if (++machine->steps > clock->context->limits.steps)
            return program_error(clock, CP_LIMIT, "program-steps",
                                 "more than %llu instructions were carried out: an endless loop? (--limit steps=)",
                                 (unsigned long long)clock->context->limits.steps);
        if (machine->steps % 1024 == 0 && context_is_cancelled(clock->context))
            return CP_LIMIT;
        status = mark(&program->log, clock, "line", (double)clock->line);
        if (status == CP_OK)
            status = carry_out(program, index);
    }
    return status;
}

/* ---- for users ---- */

/* Lists the device's joints that a program drives. */
static bool list_joints(struct program_robot *robot, struct arena *arena)
{
    const cp_device *device = &robot->scene->devices[robot->options.device];
    robot->joints = arena_allocate(arena, device->joint_count, sizeof *robot->joints);
    for (uint32_t i = 0; robot->joints && i < device->joint_count; i++) {
        const cp_joint *joint = &robot->scene->joints[device->joints[i]];
        if (joint->driven && joint->type != CP_JOINT_FIXED && !cp_joint_is_dependent(joint))
            robot->joints[robot->joint_count++] = device->joints[i];
    }
    return robot->joints != NULL;
}

static void make_variables(struct program_machine *machine, struct arena *arena, uint32_t joint_count)
{
    const struct program_text *text = &machine->text;
    const uint32_t instructions = text->instruction_count;
    machine->numbers = arena_allocate_zeroed(arena, text->number_count, sizeof *machine->numbers);
    machine->number_set = arena_allocate_zeroed(arena, text->number_count, sizeof *machine->number_set);
    machine->poses = arena_allocate_zeroed(arena, text->pose_count, sizeof *machine->poses);
    machine->pose_set = arena_allocate_zeroed(arena, text->pose_count, sizeof *machine->pose_set);
    machine->joint_values =
        arena_allocate_zeroed(arena, (size_t)text->joints_count * joint_count, sizeof *machine->joint_values);
    machine->joints_set = arena_allocate_zeroed(arena, text->joints_count, sizeof *machine->joints_set);
    machine->for_end = arena_allocate_zeroed(arena, instructions, sizeof *machine->for_end);
    machine->for_step = arena_allocate_zeroed(arena, instructions, sizeof *machine->for_step);
    for (uint32_t i = 0; i < text->reading_count && machine->number_set; i++)
        machine->number_set[text->readings[i].variable] = true;
}

static void make_motion(struct program_motion *motion, struct arena *arena, const struct program_robot *robot,
                        uint32_t instructions)
{
    motion->joint_begin = arena_allocate(arena, robot->joint_count, sizeof *motion->joint_begin);
    motion->joint_end = arena_allocate(arena, robot->joint_count, sizeof *motion->joint_end);
    motion->trial = arena_allocate(arena, robot->scene->joint_count, sizeof *motion->trial);
    motion->told = arena_allocate_zeroed(arena, instructions, sizeof *motion->told);
}

/* Sets where the robot and all frames are at first. */
static cp_status place_robot(cp_context *context, struct program_robot *robot, struct arena *arena)
{
    const uint32_t joints = robot->scene->joint_count, nodes = robot->scene->node_count;
    robot->q = arena_allocate(arena, joints, sizeof *robot->q);
    robot->locals = arena_allocate(arena, nodes, sizeof *robot->locals);
    robot->hosts = arena_allocate(arena, nodes, sizeof *robot->hosts);
    robot->grabbed = arena_allocate_zeroed(arena, nodes, sizeof *robot->grabbed);
    if (arena_failed(arena))
        return CP_LIMIT;
    for (uint32_t i = 0; i < nodes; i++) {
        robot->locals[i] = robot->scene->nodes[i].local;
        robot->hosts[i] = robot->scene->nodes[i].parent;
    }
    cp_status status = mechanism_open(&robot->mechanism, context, robot->scene);
    for (uint32_t i = 0; i < joints && status == CP_OK; i++)
        robot->scene->joints[i].q = robot->q[i] = robot->mechanism.values[i];
    return status;
}

static cp_status open_program(struct cp_program *program, const cp_scene *original, const char *text, size_t size)
{
    struct program_machine *machine = &program->machine;
    struct program_robot *robot = &program->robot;
    cp_context *context = machine->clock.context;
    if (!robot->scene || !program->arena || !list_joints(robot, program->arena))
        return CP_LIMIT;
    if (robot->joint_count == 0 || robot->joint_count > 60)
        return report_error(context, CP_USAGE, "program-device", NOWHERE,
                            "device \"%.100s\" has %u joints that a program can move",
                            robot->scene->devices[robot->options.device].name, (unsigned)robot->joint_count);
    cp_status status =
        program_parse(context, original, machine->clock.file, text, size, robot->joint_count, &machine->text);
    if (status != CP_OK)
        return status;
    make_variables(machine, program->arena, robot->joint_count);
    make_motion(&program->motion, program->arena, robot, machine->text.instruction_count);
    return place_robot(context, robot, program->arena);
}

cp_status cp_program_new(cp_context *context, const cp_scene *scene, const char *file, const char *text, size_t size,
                         const cp_program_options *options, cp_program **program)
{
    *program = NULL;
    if (struct_check(context, options) != CP_OK)
        return context_finish(context, CP_USAGE);
    cp_program *new = *program = memory_allocate_zeroed(context, 1, sizeof *new);
    if (!new)
        return context_finish(context, CP_LIMIT);
    struct program_robot *robot = &new->robot;
    struct_take(&robot->options, sizeof robot->options, options);
    if (!robot->options.solve)
        robot->options.solve = CP_REACH_ALL;
    robot->mechanism.context = new->machine.text.context = context;
    robot->scene = scene_copy(scene);
    new->machine.clock = (struct program_clock){.context = context, .file = file, .period = robot->options.period};
    new->motion = (struct program_motion){.speed = 250, .acceleration = 1000, .deceleration = 1000, .joint_part = 1};
    new->arena = new->log.arena = arena_new(context);
    cp_status status = open_program(new, scene, text, size);
    if (status != CP_OK) {
        cp_program_free(new);
        *program = NULL;
    }
    return context_finish(context, status);
}

void cp_program_free(cp_program *program)
{
    if (!program)
        return;
    cp_context *context = program->machine.clock.context;
    cp_inverse_free(program->robot.inverse);
    mechanism_close(&program->robot.mechanism);
    program_text_free(&program->machine.text);
    cp_scene_free(program->robot.scene);
    arena_free(program->arena);
    memory_free(context, program->log.marks, program->log.mark_room, sizeof *program->log.marks);
    memory_free(context, program->log.holdings, program->log.holding_room, sizeof *program->log.holdings);
    memory_free(context, program, 1, sizeof *program);
}

cp_status cp_program_step(cp_program *program)
{
    if (program->machine.ended)
        return CP_OK;
    cp_status status = run_lines(program);
    if (status == CP_OK && program->motion.move.kind != MOVE_NONE)
        status = advance(&program->machine.clock, &program->robot, &program->motion, program->emergency);
    program->machine.ended = program->machine.ended || status != CP_OK || program->emergency;
    return context_finish(program->machine.clock.context, status);
}

void cp_program_stop(cp_program *program, bool emergency)
{
    program->stopping = true;
    program->emergency = program->emergency || emergency;
}

cp_status cp_program_resume(cp_program *program)
{
    if (!program->stopped)
        return CP_NO;
    program->stopped = program->stopping = program->machine.ended = false;
    return CP_OK;
}

void cp_program_state(const cp_program *program, cp_program_snapshot *state)
{
    const cp_program_snapshot now = {.size = sizeof now,
                                     .time = program->machine.clock.time,
                                     .line = program->machine.clock.line,
                                     .ended = program->machine.ended,
                                     .moves = program->motion.move.kind != MOVE_NONE,
                                     .q = program->robot.q,
                                     .stopped = program->stopped};
    struct_give(state, &now, sizeof now);
}

cp_status cp_program_poses(cp_program *program, cp_pose *worlds)
{
    if (mechanism_values(&program->robot.mechanism, program->robot.q) != CP_OK)
        return context_finish(program->machine.clock.context, mechanism_report_open(&program->robot.mechanism));
    for (uint32_t i = 0; i < program->robot.scene->node_count; i++) {
        const uint32_t host = program->robot.hosts[i];
        const cp_pose pose = node_pose(&program->robot.mechanism, i, &program->robot.locals[i]);
        const cp_pose above = host == CP_NONE ? POSE_IDENTITY
                              : host < i      ? worlds[host]
                                              : place_node(&program->robot, host); /* of what is held */
        worlds[i] = pose_multiply(&above, &pose);
    }
    return CP_OK;
}

const cp_mark *cp_program_marks(const cp_program *program, uint32_t *count)
{
    if (count)
        *count = program->log.mark_count;
    return program->log.marks;
}
