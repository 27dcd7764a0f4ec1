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

cp_status program_error(const struct cp_program *program, cp_status status, const char *code, const char *format, ...)
{
    char text[600];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return report_error(program->context, status, code, AT_LINE(program->text.file, program->line), "at %s s: %s",
                        show_number(program->time).text, text);
}

/* ---- values ---- */

static cp_status number(struct cp_program *program, const struct formula *formula, double *value)
{
    const struct expression_step *steps = program->text.steps + formula->first_step;
    for (uint32_t i = 0; i < formula->step_count; i++)
        if (steps[i].operation == EXPRESSION_INPUT && !program->number_set[steps[i].input])
            return program_error(program, CP_INPUT, "program-unset", "a variable has no value yet");
    const char *why = expression_run(steps, formula->step_count, program->numbers, value);
    if (why)
        return program_error(program, CP_INPUT, "program-number", "a formula has no value: %s", why);
    return isfinite(*value) ? CP_OK : program_error(program, CP_INPUT, "program-number", "a number is not finite");
}

static cp_status all_numbers(struct cp_program *program, uint32_t first, uint32_t count, double *values)
{
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < count && status == CP_OK; i++)
        status = number(program, &program->text.formulas[first + i], &values[i]);
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

static double joint_value(const struct cp_program *program, uint32_t place, double value)
{
    return program->scene->joints[program->joints[place]].type == CP_JOINT_REVOLUTE ? degrees_to_radians(value)
                                                                                    : value * mm;
}

/* Finds the pose of a point in the frame of the device's base. */
static cp_status pose_of_point(struct cp_program *program, struct point point, cp_pose *pose)
{
    if (point.kind == POINT_POSE) {
        *pose = program->poses[point.index];
        return program->pose_set[point.index]
                   ? CP_OK
                   : program_error(program, CP_INPUT, "program-unset", "a variable has no value yet");
    }
    if (point.kind == POINT_POSE_HERE) {
        double numbers[6];
        cp_status status = all_numbers(program, point.index, 6, numbers);
        if (status == CP_OK)
            *pose = pose_of_numbers(numbers);
        return status;
    }
    cp_pose base = place_node(program, program->scene->devices[program->options.device].base), back;
    cp_pose world = place_node(program, point.index);
    (void)pose_inverse(&base, &back);
    *pose = pose_multiply(&back, &world);
    if (!pose_is_rigid(pose, 1e-9))
        return program_error(program, CP_INPUT, "program-point", "the frame \"%.100s\" is scaled",
                             program->scene->nodes[point.index].name);
    return CP_OK;
}

static cp_status holds(struct cp_program *program, const struct instruction *instruction, bool *answer)
{
    bool clause = true;
    *answer = false;
    for (uint32_t i = 0; i < instruction->comparison_count; i++) {
        const struct comparison *it = &program->text.comparisons[instruction->first_comparison + i];
        double a, b = 0;
        cp_status status = number(program, &it->sides[0], &a);
        if (status == CP_OK && it->kind != COMPARE_TRUE)
            status = number(program, &it->sides[1], &b);
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

static cp_status mark(struct cp_program *program, const char *name, double value)
{
    if (!array_reserve(program->context, &program->marks, &program->mark_room, (uint64_t)program->mark_count + 1,
                       sizeof *program->marks))
        return CP_LIMIT;
    program->marks[program->mark_count++] = (cp_mark){program->time, name, value};
    return CP_OK;
}

/* Carries out OUT, SETT and SETC: a mark such as "output 3", and the value of TIMER and COUNTER of that number. */
static cp_status set_numbered(struct cp_program *program, enum operation operation, const double numbers[2])
{
    const struct program_text *text = &program->text;
    bool timer = operation == OPERATION_SETT, output = operation == OPERATION_OUT;
    if (!(numbers[0] >= 0 && numbers[0] <= INT32_MAX && numbers[0] == floor(numbers[0])))
        return program_error(program, CP_INPUT, "program-number", "%s takes a whole number from 0 to %d, not %s",
                             output  ? "OUT"
                             : timer ? "SETT"
                                     : "SETC",
                             INT32_MAX, show_number(numbers[0]).text);
    const struct reading sought = {.operation = operation, .number = (uint32_t)numbers[0]};
    const struct reading *found =
        text->reading_count > 0 ? bsearch(&sought, text->readings, text->reading_count, sizeof sought, compare_readings)
                                : NULL;
    if (found)
        program->numbers[found->variable] = numbers[1];
    const char *name = arena_print(program->arena, "%s %u",
                                   output  ? "output"
                                   : timer ? "timer"
                                           : "counter",
                                   (unsigned)sought.number);
    return name ? mark(program, name, numbers[1]) : CP_LIMIT;
}

/* Adds a mark like "grab Part". */
static cp_status mark_frame(struct cp_program *program, const char *kind, uint32_t node)
{
    const char *name = arena_print(program->arena, "%s %s", kind, program->scene->nodes[node].name);
    return name ? mark(program, name, 1) : CP_LIMIT;
}

static bool hangs_on(const struct cp_program *program, uint32_t node, uint32_t host)
{
    while (host != CP_NONE && host != node)
        host = program->hosts[host];
    return host == node;
}

static cp_status hang(struct cp_program *program, uint32_t node, uint32_t host)
{
    cp_pose world = place_node(program, node), above = place_node(program, host), back;
    if (hangs_on(program, node, host))
        return program_error(program, CP_INPUT, "program-hold", "\"%.100s\" carries the tool",
                             program->scene->nodes[node].name);
    if (program->scene->nodes[node].joint_count > 0 || !pose_inverse(&above, &back))
        return program_error(program, CP_INPUT, "program-hold", "\"%.100s\" cannot be held: it has joints",
                             program->scene->nodes[node].name);
    if (!array_reserve(program->context, &program->holdings, &program->holding_room,
                       (uint64_t)program->holding_count + 1, sizeof *program->holdings))
        return CP_LIMIT;
    const cp_pose local = pose_multiply(&back, &world);
    struct trs trs;
    if (!pose_to_trs(&local, 1e-9, &trs))
        return program_error(program, CP_INPUT, "program-hold", "\"%.100s\" cannot be held: it would be sheared",
                             program->scene->nodes[node].name);
    program->locals[node] = local;
    program->hosts[node] = host;
    program->holdings[program->holding_count++] = (struct holding){program->time, node, host, program->locals[node]};
    return CP_OK;
}

static double distance_to_tool(struct cp_program *program, uint32_t node)
{
    cp_pose tool = place_node(program, program->options.frame), there = place_node(program, node);
    return sqrt(pow(tool.m[3] - there.m[3], 2) + pow(tool.m[7] - there.m[7], 2) + pow(tool.m[11] - there.m[11], 2));
}

/* Returns the part to grab if no name is given: the nearest movable or attachable frame within reach. */
static uint32_t nearest_part(struct cp_program *program, double *distance)
{
    uint32_t nearest = CP_NONE;
    *distance = INFINITY;
    for (uint32_t i = 1; i < program->scene->node_count; i++) {
        double here;
        if (!(program->scene->nodes[i].flags & (CP_NODE_MOVABLE | CP_NODE_ATTACHABLE)) ||
            program->scene->nodes[i].joint_count > 0 || hangs_on(program, i, program->options.frame))
            continue;
        here = distance_to_tool(program, i);
        if (here < *distance) {
            *distance = here;
            nearest = i;
        }
    }
    return nearest;
}

static cp_status grab(struct cp_program *program, struct point point)
{
    double distance;
    uint32_t node = point.kind == POINT_FRAME ? point.index : nearest_part(program, &distance);
    if (node == CP_NONE)
        return program_error(program, CP_NO, "program-grab", "nothing is there that can be held");
    distance = distance_to_tool(program, node);
    if (distance > program->options.reach)
        return program_error(program, CP_NO, "program-grab", "\"%.100s\" is %s mm from the tool, beyond reach=%s mm",
                             program->scene->nodes[node].name, show_three_digits(distance / mm).text,
                             show_number(program->options.reach / mm).text);
    cp_status status = hang(program, node, program->options.frame);
    program->grabbed[node] = status == CP_OK;
    return status == CP_OK ? mark_frame(program, "grab", node) : status;
}

/* Releases a frame, or all that the tool holds, to the world. */
static cp_status release(struct cp_program *program, struct point point)
{
    cp_status status = CP_OK;
    bool any = false;
    for (uint32_t i = 1; i < program->scene->node_count && status == CP_OK; i++) {
        const bool held = point.kind == POINT_FRAME ? point.index == i && program->hosts[i] == program->options.frame
                                                    : program->grabbed[i];
        if (!held)
            continue;
        any = true;
        program->grabbed[i] = false;
        status = hang(program, i, 0);
        if (status == CP_OK)
            status = mark_frame(program, "release", i);
    }
    if (status == CP_OK && !any && point.kind == POINT_FRAME)
        return program_error(program, CP_NO, "program-grab", "the tool does not hold \"%.100s\"",
                             program->scene->nodes[point.index].name);
    return status;
}

/* ---- moves ---- */

/* Returns the target of numbers: without angles the tool keeps its own. */
static cp_pose target_of(struct cp_program *program, const double *numbers, uint32_t count)
{
    cp_pose target;
    if (count >= 6)
        return pose_of_numbers(numbers);
    place_tool(program, &target);
    for (int i = 0; i < 3; i++)
        target.m[4 * i + 3] = numbers[i] * mm;
    return target;
}

/* Returns the tool's pose with another one added, in the axes of the base. */
static cp_pose moved_by(struct cp_program *program, const cp_pose *change)
{
    cp_pose tool, turn = *change, target;
    place_tool(program, &tool);
    turn.m[3] = turn.m[7] = turn.m[11] = 0;
    target = tool;
    target.m[3] = target.m[7] = target.m[11] = 0;
    target = pose_multiply(&turn, &target);
    for (int i = 3; i < 12; i += 4)
        target.m[i] = tool.m[i] + change->m[i];
    return target;
}

static cp_status begin_move(struct cp_program *program, const struct instruction *instruction, const double *numbers)
{
    const uint32_t count = instruction->formula_count;
    cp_pose poses[2], target;
    double via[3];
    cp_status status = CP_OK;
    switch (instruction->operation) {
    case OPERATION_LMOV:
        target = target_of(program, numbers, count);
        return begin_line(program, &target, NULL);
    case OPERATION_IMOV: {
        double all[6] = {numbers[0], numbers[1], numbers[2], 0, 0, 0};
        memcpy(all + 3, numbers + 3, count > 3 ? sizeof(double[3]) : 0);
        poses[0] = pose_of_numbers(all);
        target = moved_by(program, &poses[0]);
        /* A turn about one axis alone goes all the way, even beyond half a turn. */
        const double turn[3] = {degrees_to_radians(all[5]), degrees_to_radians(all[4]), degrees_to_radians(all[3])};
        const bool one = (turn[0] != 0) + (turn[1] != 0) + (turn[2] != 0) == 1;
        return begin_line(program, &target, one ? turn : NULL);
    }
    case OPERATION_CMOV:
        for (int i = 0; i < 3; i++)
            via[i] = numbers[i] * mm;
        target = target_of(program, numbers + 3, count - 3);
        return begin_arc(program, via, &target, false);
    default:
        break;
    }
    for (int i = 0; i < 2 && status == CP_OK && instruction->points[i].kind != POINT_NONE; i++)
        status = pose_of_point(program, instruction->points[i], &poses[i]);
    if (status != CP_OK)
        return status;
    if (instruction->operation == OPERATION_LPTP)
        return begin_line(program, &poses[0], NULL);
    if (instruction->operation == OPERATION_IPTP) {
        target = moved_by(program, &poses[0]);
        return begin_line(program, &target, NULL);
    }
    for (int i = 0; i < 3; i++)
        via[i] = poses[0].m[4 * i + 3];
    return begin_arc(program, via, &poses[1], instruction->operation == OPERATION_CIRC2);
}

static cp_status begin_joint_move(struct cp_program *program, const struct instruction *instruction, double *numbers)
{
    const struct point point = instruction->points[0];
    double *values = program->joint_end;
    cp_status status = CP_OK;
    if (point.kind == POINT_POSE || point.kind == POINT_POSE_HERE || point.kind == POINT_FRAME) {
        cp_pose target;
        status = pose_of_point(program, point, &target);
        return status == CP_OK ? begin_posture(program, &target) : status;
    }
    if (point.kind == POINT_JOINTS_HERE)
        status = all_numbers(program, point.index, program->joint_count, numbers);
    if (status != CP_OK)
        return status;
    if (point.kind == POINT_JOINTS && !program->joints_set[point.index])
        return program_error(program, CP_INPUT, "program-unset", "a variable has no value yet");
    for (uint32_t i = 0; i < program->joint_count; i++)
        values[i] = point.kind == POINT_JOINTS ? program->joint_values[point.index * program->joint_count + i]
                                               : joint_value(program, i, numbers[i]);
    return begin_joints(program, values);
}

static cp_status go_home(struct cp_program *program)
{
    const cp_device *device = &program->scene->devices[program->options.device];
    double *values = program->joint_end;
    for (uint32_t i = 0; i < program->joint_count; i++) {
        values[i] = program->scene->joints[program->joints[i]].home;
        for (uint32_t k = 0; k < device->joint_count && device->home; k++)
            if (device->joints[k] == program->joints[i])
                values[i] = device->home[k];
    }
    return begin_joints(program, values);
}

static cp_status set_speed(struct cp_program *program, const double *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!(numbers[i] > 0))
            return program_error(program, CP_INPUT, "program-speed", "speeds and accelerations are above 0");
    program->speed = numbers[0];
    program->acceleration = count > 1 ? numbers[1] : program->acceleration;
    program->deceleration = count > 2 ? numbers[2] : count > 1 ? numbers[1] : program->deceleration;
    return CP_OK;
}

static cp_status set_joint_speed(struct cp_program *program, double percent)
{
    if (!(percent > 0 && percent <= 100))
        return program_error(program, CP_INPUT, "program-speed",
                             "joint motion takes above 0 and up to 100 %%, not %s %%", show_number(percent).text);
    program->joint_part = percent / 100;
    return CP_OK;
}

/* ---- lines ---- */

static cp_status assign(struct cp_program *program, const struct instruction *instruction, const double *numbers)
{
    const uint32_t variable = instruction->variable;
    if (instruction->operation == OPERATION_ASSIGN) {
        program->numbers[variable] = numbers[0];
        program->number_set[variable] = true;
    } else if (instruction->operation == OPERATION_ASSIGN_POSE) {
        program->poses[variable] = pose_of_numbers(numbers);
        program->pose_set[variable] = true;
    } else {
        for (uint32_t i = 0; i < program->joint_count; i++)
            program->joint_values[variable * program->joint_count + i] = joint_value(program, i, numbers[i]);
        program->joints_set[variable] = true;
    }
    return CP_OK;
}

/* FOR sets the number of whole steps, NEXT counts them, whatever the body does to the variable. */
static bool for_goes_on(const struct cp_program *program, uint32_t instruction)
{
    double value = program->numbers[program->text.instructions[instruction].variable];
    double end = program->for_end[instruction], step = program->for_step[instruction];
    return step > 0 ? value <= end + 1e-9 * step : value >= end + 1e-9 * step;
}

static cp_status begin_for(struct cp_program *program, uint32_t index, const double *numbers)
{
    const struct instruction *instruction = &program->text.instructions[index];
    double step = instruction->formula_count > 2 ? numbers[2] : 1;
    if (step == 0)
        return program_error(program, CP_INPUT, "program-for", "the step of a FOR is not 0");
    program->numbers[instruction->variable] = numbers[0];
    program->number_set[instruction->variable] = true;
    program->for_end[index] = numbers[1];
    program->for_step[index] = step;
    if (!for_goes_on(program, index))
        program->next = instruction->target;
    return CP_OK;
}

static cp_status call(struct cp_program *program, uint32_t target)
{
    if (program->call_count == MOST_CALLS)
        return program_error(program, CP_LIMIT, "program-calls", "GOSUB is nested more than %d times", MOST_CALLS);
    program->calls[program->call_count++] = program->next;
    program->next = target;
    return CP_OK;
}

/* Carries out the instructions that choose the next one. */
static cp_status branch(struct cp_program *program, uint32_t index, const double *numbers)
{
    const struct instruction *it = &program->text.instructions[index];
    switch (it->operation) {
    case OPERATION_FOR:
        return begin_for(program, index, numbers);
    case OPERATION_NEXT:
        if (program->for_step[it->target] == 0)
            return program_error(program, CP_INPUT, "program-for", "NEXT of a FOR that was not carried out");
        program->numbers[it->variable] += program->for_step[it->target];
        program->next = for_goes_on(program, it->target) ? it->target + 1 : program->next;
        return CP_OK;
    case OPERATION_GOSUB:
        return call(program, it->target);
    case OPERATION_RET:
        if (program->call_count == 0)
            return program_error(program, CP_INPUT, "program-return", "RET without GOSUB");
        program->next = program->calls[--program->call_count];
        return CP_OK;
    case OPERATION_CASE:
        if (numbers[0] >= 1 && numbers[0] < it->target_count + 1.0)
            program->next = program->text.targets[it->first_target + (uint32_t)numbers[0] - 1];
        return CP_OK;
    case OPERATION_END:
        program->ended = true;
        return CP_OK;
    default: /* ELSE, GOTO */
        program->next = it->target;
        return CP_OK;
    }
}

static cp_status carry_out(struct cp_program *program, uint32_t index)
{
    const struct instruction *it = &program->text.instructions[index];
    double numbers[64] = {0};
    bool answer = true;
    cp_status status = it->comparison_count > 0 ? holds(program, it, &answer) : CP_OK;
    if (status == CP_OK && answer)
        status = all_numbers(program, it->first_formula, it->formula_count, numbers);
    if (status == CP_OK && !answer && it->operation == OPERATION_IF)
        program->next = it->target;
    if (status != CP_OK || !answer)
        return status;
    switch (it->operation) {
    case OPERATION_ASSIGN:
    case OPERATION_ASSIGN_POSE:
    case OPERATION_ASSIGN_JOINTS:
        return assign(program, it, numbers);
    case OPERATION_MOVE:
    case OPERATION_PTP:
        return begin_joint_move(program, it, numbers);
    case OPERATION_LMOV:
    case OPERATION_LPTP:
    case OPERATION_IMOV:
    case OPERATION_IPTP:
    case OPERATION_CMOV:
    case OPERATION_CPTP:
    case OPERATION_CIRC1:
    case OPERATION_CIRC2:
        return begin_move(program, it, numbers);
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
        return branch(program, index, numbers);
    case OPERATION_OUT:
    case OPERATION_SETT:
    case OPERATION_SETC:
        return set_numbered(program, it->operation, numbers);
    case OPERATION_APAWD:
        return mark(program, "welding", 1);
    case OPERATION_STAWD:
        return mark(program, "welding", 0);
    case OPERATION_OPEN:
        return release(program, it->points[0]);
    case OPERATION_CLOSE:
        return grab(program, it->points[0]);
    case OPERATION_WAIT:
        return begin_wait(program, numbers[0]);
    case OPERATION_SPEED:
        return set_speed(program, numbers, it->formula_count);
    case OPERATION_JOINT_SPEED:
        return set_joint_speed(program, numbers[0]);
    case OPERATION_HOME:
        return go_home(program);
    }
    return CP_OK;
}

/* Carries out lines up to the one that takes time. */
static cp_status run_lines(struct cp_program *program)
{
    cp_status status = CP_OK;
    while (status == CP_OK && program->move.kind == MOVE_NONE && !program->ended) {
        if (program->next >= program->text.instruction_count || (program->stopping && !program->emergency)) {
            program->ended = true;
            break;
        }
        uint32_t index = program->next++;
        program->line = program->text.instructions[index].line;
        if (++program->steps > program->context->limits.steps)
            return program_error(program, CP_LIMIT, "program-steps",
                                 "more than %llu instructions were carried out: an endless loop? (--limit steps=)",
                                 (unsigned long long)program->context->limits.steps);
        if (program->steps % 1024 == 0 && context_is_cancelled(program->context))
            return CP_LIMIT;
        status = mark(program, "line", (double)program->line);
        if (status == CP_OK)
            status = carry_out(program, index);
    }
    return status;
}

/* ---- for users ---- */

/* Lists the device's joints that a program drives. */
static bool list_joints(struct cp_program *program)
{
    const cp_device *device = &program->scene->devices[program->options.device];
    program->joints = arena_allocate(program->arena, device->joint_count, sizeof *program->joints);
    for (uint32_t i = 0; program->joints && i < device->joint_count; i++) {
        const cp_joint *joint = &program->scene->joints[device->joints[i]];
        if (joint->driven && joint->type != CP_JOINT_FIXED && !cp_joint_is_dependent(joint))
            program->joints[program->joint_count++] = device->joints[i];
    }
    return program->joints != NULL;
}

static bool make_room(struct cp_program *program)
{
    const struct program_text *text = &program->text;
    struct arena *arena = program->arena;
    const size_t joints = program->scene->joint_count, nodes = program->scene->node_count;
    program->q = arena_allocate(arena, joints, sizeof *program->q);
    program->trial = arena_allocate(arena, joints, sizeof *program->trial);
    program->told = arena_allocate_zeroed(arena, text->instruction_count, sizeof *program->told);
    program->joint_begin = arena_allocate(arena, program->joint_count, sizeof *program->joint_begin);
    program->joint_end = arena_allocate(arena, program->joint_count, sizeof *program->joint_end);
    program->numbers = arena_allocate_zeroed(arena, text->number_count, sizeof *program->numbers);
    program->number_set = arena_allocate_zeroed(arena, text->number_count, sizeof *program->number_set);
    program->poses = arena_allocate_zeroed(arena, text->pose_count, sizeof *program->poses);
    program->pose_set = arena_allocate_zeroed(arena, text->pose_count, sizeof *program->pose_set);
    program->joint_values =
        arena_allocate_zeroed(arena, (size_t)text->joints_count * program->joint_count, sizeof *program->joint_values);
    program->joints_set = arena_allocate_zeroed(arena, text->joints_count, sizeof *program->joints_set);
    program->for_end = arena_allocate_zeroed(arena, text->instruction_count, sizeof *program->for_end);
    program->for_step = arena_allocate_zeroed(arena, text->instruction_count, sizeof *program->for_step);
    for (uint32_t i = 0; i < text->reading_count && program->number_set; i++)
        program->number_set[text->readings[i].variable] = true;
    program->locals = arena_allocate(arena, nodes, sizeof *program->locals);
    program->hosts = arena_allocate(arena, nodes, sizeof *program->hosts);
    program->grabbed = arena_allocate_zeroed(arena, nodes, sizeof *program->grabbed);
    for (size_t i = 0; i < nodes && program->locals && program->hosts; i++) {
        program->locals[i] = program->scene->nodes[i].local;
        program->hosts[i] = program->scene->nodes[i].parent;
    }
    return !arena_failed(arena);
}

static cp_status open_program(struct cp_program *program, const char *file, const char *text, size_t size)
{
    if (!program->scene || !program->arena)
        return CP_LIMIT;
    if (!list_joints(program))
        return CP_LIMIT;
    if (program->joint_count == 0 || program->joint_count > 60)
        return report_error(program->context, CP_USAGE, "program-device", NOWHERE,
                            "device \"%.100s\" has %u joints that a program can move",
                            program->scene->devices[program->options.device].name, (unsigned)program->joint_count);
    cp_status status =
        program_parse(program->context, program->original, file, text, size, program->joint_count, &program->text);
    if (status == CP_OK)
        status = make_room(program) ? mechanism_open(&program->mechanism, program->context, program->scene) : CP_LIMIT;
    for (uint32_t i = 0; i < program->scene->joint_count && status == CP_OK; i++)
        program->scene->joints[i].q = program->q[i] = program->mechanism.values[i];
    return status;
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
    new->context = new->mechanism.context = new->text.context = context;
    new->original = scene;
    struct_take(&new->options, sizeof new->options, options);
    if (!new->options.solve)
        new->options.solve = CP_REACH_ALL;
    new->speed = 250;
    new->joint_part = 1;
    new->acceleration = new->deceleration = 1000;
    new->arena = arena_new(context);
    new->scene = scene_copy(scene);
    cp_status status = open_program(new, file, text, size);
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
    cp_context *context = program->context;
    cp_inverse_free(program->inverse);
    mechanism_close(&program->mechanism);
    program_text_free(&program->text);
    cp_scene_free(program->scene);
    arena_free(program->arena);
    memory_free(context, program->marks, program->mark_room, sizeof *program->marks);
    memory_free(context, program->holdings, program->holding_room, sizeof *program->holdings);
    memory_free(context, program, 1, sizeof *program);
}

cp_status cp_program_step(cp_program *program)
{
    if (program->ended)
        return CP_OK;
    cp_status status = run_lines(program);
    if (status == CP_OK && program->move.kind != MOVE_NONE)
        status = advance(program);
    program->ended = program->ended || status != CP_OK || program->emergency;
    return context_finish(program->context, status);
}

void cp_program_stop(cp_program *program, bool emergency)
{
    program->stopping = true;
    program->emergency = program->emergency || emergency;
}

void cp_program_state(const cp_program *program, cp_program_snapshot *state)
{
    const cp_program_snapshot now = {.size = sizeof now,
                                     .time = program->time,
                                     .line = program->line,
                                     .ended = program->ended,
                                     .moves = program->move.kind != MOVE_NONE,
                                     .q = program->q};
    struct_give(state, &now, sizeof now);
}

cp_status cp_program_poses(cp_program *program, cp_pose *worlds)
{
    if (mechanism_values(&program->mechanism, program->q) != CP_OK)
        return context_finish(program->context, mechanism_report_open(&program->mechanism));
    for (uint32_t i = 0; i < program->scene->node_count; i++) {
        const uint32_t host = program->hosts[i];
        const cp_pose pose = node_pose(&program->mechanism, i, &program->locals[i]);
        const cp_pose above = host == CP_NONE ? POSE_IDENTITY
                              : host < i      ? worlds[host]
                                              : place_node(program, host); /* of what is held */
        worlds[i] = pose_multiply(&above, &pose);
    }
    return CP_OK;
}

const cp_mark *cp_program_marks(const cp_program *program, uint32_t *count)
{
    if (count)
        *count = program->mark_count;
    return program->marks;
}
