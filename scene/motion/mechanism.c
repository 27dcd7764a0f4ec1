/* Joints compiled: masters resolved, formulas as steps. Forward kinematics. */

#include <math.h>
#include <stdio.h>

#include "base/context.h"
#include "base/text/text.h"
#include "model/model.h"
#include "motion/loops/loops.h"

/* ---- compiling ---- */

static cp_status refuse(const cp_mechanism *mechanism, uint32_t joint, const char *why)
{
    return report_error(mechanism->context, CP_BUG, "scene-invalid", IN_FILE(mechanism->scene->source.file),
                        "joint %u %s", (unsigned)joint, why);
}

static bool is_independent(const cp_scene *scene, uint32_t joint)
{
    return joint < scene->joint_count && !cp_joint_is_dependent(&scene->joints[joint]);
}

static cp_status compile_joint(cp_mechanism *mechanism, uint32_t joint)
{
    const cp_scene *scene = mechanism->scene;
    const cp_joint *it = &scene->joints[joint];
    const cp_expression *expression = it->expression;
    struct mechanism_joint *compiled = &mechanism->joints[joint];
    struct expression_step steps[EXPRESSION_LONGEST];
    uint32_t count;
    size_t at;
    *compiled = (struct mechanism_joint){.law = joint_law(scene->joints, joint)};
    mechanism->q[joint] = it->q;
    if (!expression)
        return it->master == CP_NONE || is_independent(scene, it->master)
                   ? CP_OK
                   : refuse(mechanism, joint, "depends on no joint, or on a dependent one");
    /* The formula's steps, with joints and their factors in the place of its inputs. */
    if (expression_compile(expression->text, expression->angle, expression->input_count, steps, &count, &at))
        return refuse(mechanism, joint, "has a bad expression");
    if (!array_reserve(mechanism->context, &mechanism->steps, &mechanism->step_room,
                       (uint64_t)mechanism->step_count + count, sizeof *steps))
        return CP_LIMIT;
    for (uint32_t i = 0; i < count; i++) {
        if (steps[i].operation == EXPRESSION_INPUT) {
            uint32_t input = steps[i].input;
            steps[i].input = expression->inputs[input];
            steps[i].number = expression->factors[input];
            if (!is_independent(scene, steps[i].input))
                return refuse(mechanism, joint, "has an expression of no joint, or of a dependent one");
        }
        mechanism->steps[mechanism->step_count + i] = steps[i];
    }
    compiled->law = (struct joint_law){CP_NONE, it->scale, it->offset};
    compiled->first_step = mechanism->step_count;
    compiled->step_count = count;
    mechanism->step_count += count;
    return CP_OK;
}

cp_status mechanism_open(cp_mechanism *mechanism, cp_context *context, const cp_scene *scene)
{
    uint32_t count = scene->joint_count;
    *mechanism = (cp_mechanism){.context = context, .scene = scene, .joint_count = count};
    struct arena *arena = mechanism->arena = arena_new(context);
    mechanism->joints = arena_allocate(arena, count, sizeof *mechanism->joints);
    mechanism->values = arena_allocate(arena, count, sizeof *mechanism->values);
    mechanism->q = arena_allocate(arena, count, sizeof *mechanism->q);
    mechanism->motions = arena_allocate(arena, count, sizeof *mechanism->motions);
    cp_status status = arena_failed(arena) ? CP_LIMIT : CP_OK;
    for (uint32_t i = 0; i < count && status == CP_OK; i++)
        status = compile_joint(mechanism, i);
    if (status == CP_OK && scene->loop_count > 0) {
        mechanism->closure = arena_allocate_zeroed(arena, 1, sizeof *mechanism->closure);
        for (uint32_t i = 0; i < count; i++)
            mechanism->values[i] = mechanism_value(mechanism, i, mechanism->q);
        status = mechanism->closure ? closure_open(mechanism->closure, mechanism) : CP_LIMIT;
    }
    if (status == CP_OK)
        status = mechanism_values(mechanism, NULL);
    return status == CP_NO ? mechanism_report_open(mechanism) : status;
}

void mechanism_close(cp_mechanism *mechanism)
{
    cp_context *context = mechanism->context;
    if (mechanism->closure)
        closure_close(mechanism->closure);
    arena_free(mechanism->arena);
    memory_free(context, mechanism->steps, mechanism->step_room, sizeof *mechanism->steps);
    *mechanism = (cp_mechanism){.context = context};
}

/* ---- values ---- */

cp_status mechanism_values(cp_mechanism *mechanism, const double *q)
{
    uint32_t count = mechanism->joint_count;
    const double *given = q ? q : mechanism->q;
    for (uint32_t i = 0; i < count && !q; i++)
        mechanism->q[i] = mechanism->scene->joints[i].q;
    if (q && mechanism->closure)
        return closure_solve(mechanism->closure, q);
    for (uint32_t i = 0; i < count; i++)
        mechanism->values[i] = mechanism_value(mechanism, i, given);
    return mechanism->closure ? closure_begin(mechanism->closure) : CP_OK;
}

cp_status mechanism_report_open(const cp_mechanism *mechanism)
{
    const struct open_loop *open = &mechanism->open;
    const cp_scene *scene = mechanism->scene;
    const char *name = scene->loops[open->loop].name;
    const struct place place = IN_FILE(scene->source.file);
    char mover[150] = "", there[80] = "", end[300] = "";
    if (open->joint != CP_NONE) {
        const cp_joint *joint = &scene->joints[open->joint];
        const bool turns = joint->type == CP_JOINT_REVOLUTE;
        const double value = turns ? radians_to_degrees(open->value) : open->value * 1e3;
        (void)snprintf(mover, sizeof mover, "joint \"%.100s\"%s", joint->name, open->alone ? "" : " and others");
        (void)snprintf(there, sizeof there, "%s %s", show_number(round(value * 1e4) / 1e4).text, turns ? "deg" : "mm");
        (void)snprintf(end, sizeof end, "%s cannot be followed past %s: singular there", mover, there);
    }
    if (open->way > 0)
        return report_error(mechanism->context, CP_LIMIT, "loop-far", place,
                            "loop \"%.100s\": %s would go %s radians or sizes of the loop from %s on, more than the "
                            "limit of %llu: raise it with --limit loop-way=",
                            name, mover, show_number(open->way).text, there,
                            (unsigned long long)mechanism->context->limits.loop_way);
    if (open->ran_out)
        return report_error(
            mechanism->context, CP_LIMIT, "loop-steps", place,
            "loop \"%.100s\": %s is followed only to %s in %llu steps, which is the limit: raise it with "
            "--limit loop-steps=",
            name, mover, there, (unsigned long long)mechanism->context->limits.loop_steps);
    if (open->gap == 0 && open->angle == 0)
        return report_error(mechanism->context, CP_NO, "loop-singular", place, "loop \"%.100s\": %s", name, end);
    return report_error(mechanism->context, CP_NO, "loop-open", place,
                        "does not close: %s m and %s deg at loop \"%.100s\"%s%s", show_three_digits(open->gap).text,
                        show_three_digits(radians_to_degrees(open->angle)).text, name, *end ? "; " : "", end);
}

/* ---- what a value follows from ---- */

/* Returns the first joint that loops determine among those that a joint follows and the joint itself; or CP_NONE. */
static uint32_t solved_joint(const cp_mechanism *mechanism, uint32_t joint)
{
    const struct closure *closure = mechanism->closure;
    const cp_joint *joints = mechanism->scene->joints;
    const cp_expression *expression = joints[joint].expression;
    uint32_t count = expression ? expression->input_count : 1;
    for (uint32_t i = 0; closure && i < count; i++) {
        uint32_t input = expression ? expression->inputs[i] : mechanism->joints[joint].law.leader;
        if (closure->chains.group_of[input] != CP_NONE && joint_is_free(&joints[input]))
            return input;
    }
    return CP_NONE;
}

uint32_t mechanism_group(const cp_mechanism *mechanism, uint32_t joint)
{
    uint32_t solved = solved_joint(mechanism, joint);
    return solved == CP_NONE ? CP_NONE : mechanism->closure->chains.group_of[solved];
}

const uint32_t *mechanism_inputs(const cp_mechanism *mechanism, uint32_t joint, uint32_t *count)
{
    const cp_expression *expression = mechanism->scene->joints[joint].expression;
    uint32_t index = mechanism_group(mechanism, joint);
    if (index != CP_NONE) {
        const struct closure_chains *chains = &mechanism->closure->chains;
        const struct closure_group *group = &chains->groups[index];
        *count = group->column_count - group->free_count;
        return chains->columns + group->first_column + group->free_count;
    }
    *count = expression ? expression->input_count : 1;
    return expression ? expression->inputs : &mechanism->joints[joint].law.leader;
}

bool mechanism_samples(const cp_mechanism *mechanism, uint32_t joint)
{
    return mechanism->scene->joints[joint].expression || mechanism_group(mechanism, joint) != CP_NONE;
}

double mechanism_find_value(const cp_mechanism *mechanism, uint32_t joint, const double *q)
{
    uint32_t group = mechanism_group(mechanism, joint);
    if (group == CP_NONE)
        return mechanism_value(mechanism, joint, q);
    (void)closure_solve_group(mechanism->closure, group, q);
    return mechanism_value(mechanism, joint, mechanism->values);
}

bool mechanism_closes(const cp_mechanism *mechanism, uint32_t joint)
{
    return mechanism->closure && mechanism->closure->chains.group_of[joint] != CP_NONE;
}

bool mechanism_failed(const cp_mechanism *mechanism)
{
    return mechanism->closure && mechanism->closure->branch.failed;
}

/* ---- poses ---- */

/* Adds the motions of a node's joints to a pose. moved: room for the result. */
static const cp_pose *add_motions(const cp_mechanism *mechanism, const cp_node *node, const cp_pose *pose,
                                  cp_pose moved[2])
{
    for (uint32_t i = 0; i < node->joint_count; i++) {
        pose_multiply_into(pose, &mechanism->motions[node->first_joint + i], &moved[i % 2]);
        pose = &moved[i % 2];
    }
    return pose;
}

static void set_motions(const cp_mechanism *mechanism, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++)
        joint_motion_into(&mechanism->scene->joints[i], mechanism->values[i], &mechanism->motions[i]);
}

cp_pose node_pose(const cp_mechanism *mechanism, uint32_t node, const cp_pose *local)
{
    const cp_node *it = &mechanism->scene->nodes[node];
    cp_pose moved[2];
    set_motions(mechanism, it->first_joint, it->joint_count);
    return *add_motions(mechanism, it, local, moved);
}

/* Computes all motions first: a processor stalls when it reads as a whole what was just written in parts. */
static void set_poses(const cp_mechanism *mechanism, cp_pose *worlds)
{
    const cp_scene *scene = mechanism->scene;
    set_motions(mechanism, 0, mechanism->joint_count);
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const cp_node *node = &scene->nodes[i];
        const cp_pose *parent = node->parent == CP_NONE ? &POSE_IDENTITY : &worlds[node->parent];
        cp_pose moved[2];
        pose_multiply_into(parent, add_motions(mechanism, node, &node->local, moved), &worlds[i]);
    }
}

cp_status scene_world_poses(cp_context *context, const cp_scene *scene, const double *q, cp_pose *worlds)
{
    cp_mechanism mechanism;
    cp_status status = mechanism_open(&mechanism, context, scene);
    if (status == CP_OK && q)
        status = mechanism_values(&mechanism, q);
    if (status == CP_OK)
        set_poses(&mechanism, worlds);
    mechanism_close(&mechanism);
    return status;
}

/* ---- for users ---- */

cp_status cp_mechanism_new(cp_context *context, const cp_scene *scene, cp_mechanism **mechanism)
{
    *mechanism = memory_allocate(context, 1, sizeof **mechanism);
    if (!*mechanism)
        return context_finish(context, CP_LIMIT);
    cp_status status = mechanism_open(*mechanism, context, scene);
    if (status != CP_OK) {
        cp_mechanism_free(*mechanism);
        *mechanism = NULL;
    }
    return context_finish(context, status);
}

void cp_mechanism_free(cp_mechanism *mechanism)
{
    if (!mechanism)
        return;
    mechanism_close(mechanism);
    memory_free(mechanism->context, mechanism, 1, sizeof *mechanism);
}

cp_status cp_mechanism_values(cp_mechanism *mechanism, const double *q, double *values)
{
    cp_status status = mechanism_values(mechanism, q);
    memcpy(values, mechanism->values, mechanism->joint_count * sizeof *values);
    return status;
}

cp_status cp_mechanism_poses(cp_mechanism *mechanism, const double *q, cp_pose *worlds)
{
    cp_status status = mechanism_values(mechanism, q);
    if (status == CP_OK)
        set_poses(mechanism, worlds);
    return status;
}

cp_status cp_joint_values(cp_context *context, const cp_scene *scene, const double *q, double *values)
{
    cp_mechanism mechanism;
    cp_status status = mechanism_open(&mechanism, context, scene);
    if (status == CP_OK)
        status = cp_mechanism_values(&mechanism, q, values);
    mechanism_close(&mechanism);
    return context_finish(context, status);
}

cp_status cp_world_poses(cp_context *context, const cp_scene *scene, const double *q, cp_pose *worlds)
{
    return context_finish(context, scene_world_poses(context, scene, q, worlds));
}

/* ---- followers ---- */

/* Returns the joints that a joint follows, without itself. */
static const uint32_t *leaders_of(const cp_mechanism *mechanism, uint32_t joint, uint32_t *count)
{
    const uint32_t *leaders = mechanism_inputs(mechanism, joint, count);
    if (*count == 1 && *leaders == joint)
        *count = 0;
    return leaders;
}

bool list_followers(const cp_mechanism *mechanism, struct followers *followers)
{
    uint32_t joints = mechanism->joint_count, total = 0, own;
    uint64_t count = 0;
    for (uint32_t i = 0; i < joints; i++) {
        (void)leaders_of(mechanism, i, &own);
        count += own;
    }
    *followers = (struct followers){.context = mechanism->context, .joint_count = joints, .count = (uint32_t)count};
    followers->ends = memory_allocate_zeroed(mechanism->context, joints, sizeof *followers->ends);
    followers->joints =
        count <= UINT32_MAX ? memory_allocate(mechanism->context, count, sizeof *followers->joints) : NULL;
    if (!followers->ends || !followers->joints)
        return false;
    for (uint32_t i = 0; i < joints; i++) {
        const uint32_t *leaders = leaders_of(mechanism, i, &own);
        for (uint32_t k = 0; k < own; k++)
            followers->ends[leaders[k]]++;
    }
    for (uint32_t i = 0; i < joints; i++) {
        total += followers->ends[i];
        followers->ends[i] = total - followers->ends[i];
    }
    for (uint32_t i = 0; i < joints; i++) {
        const uint32_t *leaders = leaders_of(mechanism, i, &own);
        for (uint32_t k = 0; k < own; k++)
            followers->joints[followers->ends[leaders[k]]++] = i;
    }
    return true;
}

void free_followers(struct followers *followers)
{
    memory_free(followers->context, followers->ends, followers->joint_count, sizeof *followers->ends);
    memory_free(followers->context, followers->joints, followers->count, sizeof *followers->joints);
    *followers = (struct followers){.context = followers->context};
}
