/* A copy of the scene gets a target: a frame on six joints, that a loop joins with the frame to be placed. The driven
 * joints of the device become free, so that the solver of loops finds them: from closed forms where there are some,
 * else from many places. */
#include "inverse.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/text/text.h"
#include "model/model.h"

/* ---- the scene with a target ---- */

static cp_status add_target(struct cp_inverse *inverse, const cp_pose *now)
{
    cp_scene *closed = inverse->closed;
    double values[TARGET_JOINTS];
    cp_pose_coordinates(now, values);
    uint32_t node = scene_add_node(closed, inverse->reach.in, "target", 6);
    inverse->target = closed->joint_count;
    for (int i = 0; i < TARGET_JOINTS && node != CP_NONE; i++) {
        uint32_t index = scene_add_joint(closed, node, i < 3 ? CP_JOINT_PRISMATIC : CP_JOINT_REVOLUTE, "target");
        if (index == CP_NONE)
            return CP_LIMIT;
        cp_joint *joint = &closed->joints[index];
        for (int axis = 0; axis < 3; axis++)
            joint->axis[axis] = i < 3 ? axis == i : axis == 5 - i;
        joint->q = joint->home = values[i];
        joint->driven = inverse->reach.solve & 1u << i;
    }
    if (node == CP_NONE || scene_add_loop(closed, "target", CP_LOOP_FIXED, inverse->reach.frame, node) == CP_NONE)
        return CP_LIMIT;
    scene_find_spans(closed);
    return CP_OK;
}

static void free_joints(struct cp_inverse *inverse)
{
    const cp_device *device = &inverse->scene->devices[inverse->reach.device];
    for (uint32_t i = 0; i < device->joint_count; i++)
        if (!cp_joint_is_dependent(&inverse->scene->joints[device->joints[i]]))
            inverse->closed->joints[device->joints[i]].driven = false;
}

/* Tells whether whole turns of its master turn the joint by whole turns, too. */
static bool follows_by_turns(const cp_joint *joint)
{
    return joint->type == CP_JOINT_REVOLUTE && joint->scale == round(joint->scale);
}

/* Marks the joints whose whole turns change nothing. A follower by a formula, by a part of a turn, or along a slide
 * would move. */
static cp_status list_winding(struct cp_inverse *inverse)
{
    const cp_scene *scene = inverse->scene;
    inverse->winds = arena_allocate(inverse->arena, scene->joint_count, sizeof *inverse->winds);
    if (!inverse->winds)
        return CP_LIMIT;
    for (uint32_t i = 0; i < scene->joint_count; i++)
        inverse->winds[i] = scene->joints[i].type == CP_JOINT_REVOLUTE;
    for (uint32_t i = 0; i < scene->joint_count; i++) {
        const cp_joint *joint = &scene->joints[i];
        if (joint->master != CP_NONE && !follows_by_turns(joint))
            inverse->winds[joint->master] = false;
        for (uint32_t k = 0; joint->expression && k < joint->expression->input_count; k++)
            inverse->winds[joint->expression->inputs[k]] = false;
    }
    return CP_OK;
}

/* Lists the device's joints that move the frame against the target. */
static cp_status list_unknown(struct cp_inverse *inverse)
{
    const cp_scene *scene = inverse->scene;
    const cp_device *device = &scene->devices[inverse->reach.device];
    const struct closure_chains *chains = &inverse->mechanism.closure->chains;
    uint32_t target_loop = scene->loop_count;
    for (uint32_t i = 0; i < chains->group_count; i++)
        for (uint32_t k = 0; k < chains->groups[i].loop_count; k++)
            if (chains->loops[chains->groups[i].first_loop + k].loop == target_loop)
                inverse->group = i;
    inverse->unknown = arena_allocate(inverse->arena, device->joint_count, sizeof *inverse->unknown);
    inverse->candidate = arena_allocate(inverse->arena, device->joint_count, sizeof *inverse->candidate);
    inverse->start =
        arena_copy(inverse->arena, inverse->mechanism.values, inverse->closed->joint_count, sizeof *inverse->start);
    if (arena_failed(inverse->arena))
        return CP_LIMIT;
    for (uint32_t i = 0; i < device->joint_count; i++) {
        uint32_t joint = device->joints[i];
        if (scene->joints[joint].driven && joint_is_free(&inverse->closed->joints[joint]) &&
            chains->group_of[joint] == inverse->group)
            inverse->unknown[inverse->unknown_count++] = joint;
    }
    return inverse->unknown_count > 0
               ? CP_OK
               : report_error(inverse->context, CP_USAGE, "reach-frame", NOWHERE,
                              "no driven joint of device \"%s\" moves frame \"%s\" against frame \"%s\"", device->name,
                              scene->nodes[inverse->reach.frame].name, scene->nodes[inverse->reach.in].name);
}

static cp_status open_inverse(struct cp_inverse *inverse)
{
    const cp_scene *scene = inverse->scene;
    cp_pose *worlds = arena_allocate(inverse->arena, scene->node_count, sizeof *worlds), from, back, now;
    if (!worlds || !inverse->closed || !inverse->result)
        return CP_LIMIT;
    cp_status status = scene_world_poses(inverse->context, scene, NULL, worlds);
    if (status != CP_OK)
        return status;
    if (inverse->reach.routine && inverse->reach.solve != CP_REACH_ALL)
        return report_error(inverse->context, CP_USAGE, "reach-routine", NOWHERE,
                            "a routine takes a whole pose: no solve=");
    if (!pose_is_rigid(&worlds[inverse->reach.in], 1e-9) || !pose_is_rigid(&worlds[inverse->reach.frame], 1e-9))
        return report_error(inverse->context, CP_INPUT, "reach-scaled", NOWHERE,
                            "frame \"%s\" or frame \"%s\" is scaled", scene->nodes[inverse->reach.frame].name,
                            scene->nodes[inverse->reach.in].name);
    (void)pose_inverse(&worlds[inverse->reach.in], &from);
    now = pose_multiply(&from, &worlds[inverse->reach.frame]);
    (void)pose_inverse(&worlds[scene->devices[inverse->reach.device].base], &back);
    inverse->reference_from_in = inverse->reach.in > 0 ? POSE_IDENTITY : pose_multiply(&back, &worlds[0]);
    free_joints(inverse);
    status = add_target(inverse, &now);
    if (status == CP_OK)
        status = mechanism_open(&inverse->mechanism, inverse->context, inverse->closed);
    if (status == CP_OK)
        status = list_winding(inverse);
    if (status == CP_OK)
        status = list_unknown(inverse);
    if (status == CP_OK && inverse->reach.solve == CP_REACH_ALL)
        inverse->method = inverse->reach.routine   ? INVERSE_ROUTINE
                          : is_arm(inverse)        ? INVERSE_ARM
                          : has_actuators(inverse) ? INVERSE_ACTUATORS
                                                   : INVERSE_NUMERIC;
    return status;
}

/* ---- postures ---- */

static bool turns(const struct cp_inverse *inverse, uint32_t unknown)
{
    return inverse->scene->joints[inverse->unknown[unknown]].type == CP_JOINT_REVOLUTE;
}

/* Moves the value of a joint that turns by whole turns: near to the joint's own value, but into its limits, or as near
 * to them as possible. */
static double wind(const cp_joint *joint, double value)
{
    const double turn = 2 * PI;
    value += turn * round((joint->q - value) / turn);
    if (value > joint->upper) {
        value -= turn * floor((value - joint->upper) / turn);
        return value - joint->upper > joint->lower - (value - turn) ? value - turn : value;
    }
    if (value < joint->lower) {
        value += turn * floor((joint->lower - value) / turn);
        return joint->lower - value > value + turn - joint->upper ? value + turn : value;
    }
    return value;
}

/* Tells whether both are the same posture. The tolerance is the accuracy of a solution in a singular place. */
static bool is_same(const struct cp_inverse *inverse, const double *q, const double *other)
{
    const double same = 1e-5;
    for (uint32_t i = 0; i < inverse->unknown_count; i++) {
        double apart = q[inverse->unknown[i]] - other[inverse->unknown[i]];
        if (fabs(inverse->winds[inverse->unknown[i]] ? remainder(apart, 2 * PI) : apart) > same)
            return false;
    }
    return true;
}

/* Sets the posture's measures from its q. */
static void measure(const struct cp_inverse *inverse, cp_posture *posture)
{
    struct closure *closure = inverse->mechanism.closure;
    double square = 0;
    posture->within = true;
    for (uint32_t i = 0; i < inverse->unknown_count; i++) {
        const cp_joint *joint = &inverse->scene->joints[inverse->unknown[i]];
        double q = posture->q[inverse->unknown[i]];
        square += (q - joint->q) * (q - joint->q);
        posture->within = posture->within && q >= joint->lower && q <= joint->upper;
    }
    posture->distance = sqrt(square);
    posture->one_of_many = !closure_determines(closure, inverse->group, inverse->unknown, inverse->unknown_count);
    posture->singularity = closure_distance(closure, inverse->group);
    for (uint32_t i = 0; i < TARGET_JOINTS; i++) {
        double rest = inverse->mechanism.values[inverse->target + i] - inverse->start[inverse->target + i];
        posture->rest[i] = inverse->reach.solve & 1u << i ? 0 : i < 3 ? rest : remainder(rest, 2 * PI);
    }
}

static bool is_better(const cp_posture *posture, const cp_posture *known)
{
    return posture->within != known->within ? posture->within : posture->distance < known->distance;
}

/* Adds a posture, unless it is known. Of a continuous set of solutions only one is kept: within limits if possible, and
 * the nearest. */
static void add_posture(struct cp_inverse *inverse, const cp_posture *posture)
{
    for (uint32_t i = 0; i < inverse->posture_count; i++) {
        cp_posture *known = &inverse->postures[i];
        bool both = known->one_of_many && posture->one_of_many && inverse->method == INVERSE_NUMERIC;
        if (both && is_better(posture, known))
            *known = *posture;
        if (both || is_same(inverse, known->q, posture->q))
            return;
    }
    if (inverse->posture_count < MOST_POSTURES)
        inverse->postures[inverse->posture_count++] = *posture;
}

cp_status inverse_close(struct cp_inverse *inverse)
{
    cp_mechanism *mechanism = &inverse->mechanism;
    const struct open_loop *open = &mechanism->open;
    memcpy(mechanism->values, inverse->start, inverse->closed->joint_count * sizeof *inverse->start);
    for (uint32_t i = 0; i < inverse->unknown_count; i++)
        mechanism->values[inverse->unknown[i]] = inverse->candidate[i];
    if (closure_begin_group(mechanism->closure, inverse->group) == CP_OK)
        return CP_OK;
    if (open->gap + open->angle < inverse->nearest.gap + inverse->nearest.angle)
        inverse->nearest = *open;
    return CP_NO;
}

cp_status inverse_add(struct cp_inverse *inverse, uint32_t number, double off)
{
    const cp_scene *scene = inverse->scene;
    double *q = arena_allocate(inverse->result, scene->joint_count, sizeof *q);
    if (!q)
        return CP_LIMIT;
    for (uint32_t i = 0; i < scene->joint_count; i++) {
        double value = inverse->mechanism.values[i];
        q[i] = cp_joint_is_dependent(&scene->joints[i]) ? scene->joints[i].q
               : inverse->winds[i]                      ? wind(&scene->joints[i], value)
                                                        : value;
    }
    cp_posture posture = {.number = number, .q = q, .off = off};
    measure(inverse, &posture);
    add_posture(inverse, &posture);
    return CP_OK;
}

cp_status inverse_try(struct cp_inverse *inverse, uint32_t number)
{
    cp_status status = inverse_close(inverse);
    return status == CP_OK ? inverse_add(inverse, number, 0) : status;
}

/* ---- numeric ---- */

/* Returns the next number of 0 to 1 of a fixed sequence, the same in each call (Marsaglia's xorshift of 2003). */
static double next_part(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (double)(*state >> 11) * 0x1p-53;
}

static void pick_candidate(struct cp_inverse *inverse, uint64_t *state)
{
    double length = inverse->mechanism.closure->chains.groups[inverse->group].length;
    for (uint32_t i = 0; i < inverse->unknown_count; i++) {
        const cp_joint *joint = &inverse->scene->joints[inverse->unknown[i]];
        double reach = turns(inverse, i) ? PI : length, middle = turns(inverse, i) ? 0 : joint->q;
        double lower = isfinite(joint->lower) ? joint->lower : fmin(middle, joint->upper) - reach;
        double upper = isfinite(joint->upper) ? joint->upper : fmax(middle, joint->lower) + reach;
        inverse->candidate[i] = lower + next_part(state) * (upper - lower);
    }
}

static int compare_distances(const void *a, const void *b)
{
    const cp_posture *one = a, *other = b;
    return (one->distance > other->distance) - (one->distance < other->distance);
}

/* Tries to close the loop from so many places. The first one is where the joints are. */
static cp_status try_places(struct cp_inverse *inverse, uint32_t tries)
{
    uint64_t state = 0x9e3779b97f4a7c15;
    cp_status status = CP_OK;
    uint32_t closed = 0;
    for (uint32_t i = 0; i < inverse->unknown_count; i++)
        inverse->candidate[i] = inverse->start[inverse->unknown[i]];
    for (uint32_t i = 0; i < tries && status != CP_LIMIT; i++) {
        if (context_is_cancelled(inverse->context))
            return CP_LIMIT;
        status = inverse_try(inverse, 0);
        closed += status == CP_OK;
        if (closed > 1 && inverse->postures[0].one_of_many && inverse->postures[0].within)
            break; /* solutions are continuous: there is no end of them */
        pick_candidate(inverse, &state);
    }
    qsort(inverse->postures, inverse->posture_count, sizeof *inverse->postures, compare_distances);
    for (uint32_t i = 0; i < inverse->posture_count; i++)
        inverse->postures[i].number = i;
    return status;
}

/* ---- the answer ---- */

cp_status inverse_find(struct cp_inverse *inverse, const cp_pose *target)
{
    double values[TARGET_JOINTS];
    cp_pose_coordinates(target, values);
    arena_clear(inverse->result);
    inverse->posture_count = 0;
    inverse->nearest = (struct open_loop){.gap = INFINITY};
    inverse->postures = arena_allocate(inverse->result, MOST_POSTURES, sizeof *inverse->postures);
    if (!inverse->postures)
        return CP_LIMIT;
    for (uint32_t i = 0; i < TARGET_JOINTS; i++)
        inverse->start[inverse->target + i] = values[i];
    if (inverse->method == INVERSE_ROUTINE)
        return try_routine(inverse, target);
    cp_status status = inverse->method == INVERSE_ARM         ? try_arm(inverse)
                       : inverse->method == INVERSE_ACTUATORS ? try_actuators(inverse)
                                                              : try_places(inverse, inverse->reach.tries);
    if (status == CP_LIMIT || inverse->posture_count > 0)
        return status == CP_LIMIT ? CP_LIMIT : CP_OK;
    if (inverse->method != INVERSE_NUMERIC && try_places(inverse, 1) == CP_LIMIT) /* to tell how near it came */
        return CP_LIMIT;
    inverse->posture_count = 0;
    return CP_NO;
}

/* ---- along a path ---- */

cp_status inverse_start(struct cp_inverse *inverse, const double *q)
{
    cp_mechanism *mechanism = &inverse->mechanism;
    struct closure *closure = mechanism->closure;
    const struct closure_group *group = &closure->chains.groups[inverse->group];
    cp_pose back;
    memcpy(mechanism->values, q, inverse->scene->joint_count * sizeof *q);
    closure_place(&closure->chains, group);
    (void)pose_inverse(&closure->chains.worlds[inverse->reach.in], &back);
    cp_pose now = pose_multiply(&back, &closure->chains.worlds[inverse->reach.frame]);
    cp_pose_coordinates(&now, mechanism->values + inverse->target);
    memcpy(inverse->start, mechanism->values, inverse->closed->joint_count * sizeof *q);
    return closure_begin_group(closure, inverse->group);
}

/* Takes the angles nearest to the target's present ones. A rotation has two sets of angles, each up to whole turns. */
static void take_near_angles(const double now[3], double angles[3])
{
    double other[3] = {angles[0] + PI, PI - angles[1], angles[2] + PI}, far[2] = {0, 0};
    for (int i = 0; i < 3; i++) {
        angles[i] = now[i] + remainder(angles[i] - now[i], 2 * PI);
        other[i] = now[i] + remainder(other[i] - now[i], 2 * PI);
        far[0] += fabs(angles[i] - now[i]);
        far[1] += fabs(other[i] - now[i]);
    }
    if (far[1] < far[0])
        memcpy(angles, other, sizeof other);
}

cp_status inverse_follow(struct cp_inverse *inverse, const cp_pose *target)
{
    cp_mechanism *mechanism = &inverse->mechanism;
    double *q = mechanism->q, coordinates[TARGET_JOINTS];
    memcpy(q, mechanism->values, inverse->closed->joint_count * sizeof *q);
    cp_pose_coordinates(target, coordinates);
    take_near_angles(q + inverse->target + 3, coordinates + 3);
    for (uint32_t i = 0; i < TARGET_JOINTS; i++) /* the others stay free, where they are */
        if (inverse->reach.solve & 1u << i)
            q[inverse->target + i] = coordinates[i];
    return closure_solve_group(mechanism->closure, inverse->group, q);
}

/* ---- for users ---- */

cp_status cp_inverse_new(cp_context *context, const cp_scene *scene, const cp_reach *reach, cp_inverse **inverse)
{
    *inverse = NULL;
    if (struct_check(context, reach) != CP_OK)
        return context_finish(context, CP_USAGE);
    cp_inverse *new = *inverse = memory_allocate_zeroed(context, 1, sizeof *new);
    if (!new)
        return context_finish(context, CP_LIMIT);
    new->context = new->mechanism.context = context;
    new->scene = scene;
    struct_take(&new->reach, sizeof new->reach, reach);
    new->arena = arena_new(context);
    new->result = arena_new(context);
    new->closed = scene_copy(scene);
    cp_status status = open_inverse(new);
    if (status != CP_OK) {
        cp_inverse_free(new);
        *inverse = NULL;
    }
    return context_finish(context, status);
}

void cp_inverse_free(cp_inverse *inverse)
{
    if (!inverse)
        return;
    mechanism_close(&inverse->mechanism);
    cp_scene_free(inverse->closed);
    arena_free(inverse->arena);
    arena_free(inverse->result);
    memory_free(inverse->context, inverse, 1, sizeof *inverse);
}

static cp_status report_out_of_reach(const struct cp_inverse *inverse)
{
    const struct open_loop *nearest = &inverse->nearest;
    if (!isfinite(nearest->gap))
        return report_error(inverse->context, CP_NO, "no-posture", NOWHERE, "no posture reaches the pose");
    return report_error(inverse->context, CP_NO, "no-posture", NOWHERE,
                        "no posture reaches the pose; the nearest found is off by %s m and %s deg",
                        show_three_digits(nearest->gap).text,
                        show_three_digits(radians_to_degrees(nearest->angle)).text);
}

cp_status cp_inverse_postures(cp_inverse *inverse, const cp_pose *target, const cp_posture **postures, uint32_t *count)
{
    cp_status status = inverse_find(inverse, target);
    if (status == CP_NO && inverse->method != INVERSE_ROUTINE)
        status = report_out_of_reach(inverse);
    *postures = inverse->postures;
    *count = status == CP_OK ? inverse->posture_count : 0;
    for (uint32_t i = 0; i < *count; i++)
        if (inverse->postures[i].singularity < CP_NEAR_SINGULAR)
            report_warning(inverse->context, "near-singular", NOWHERE,
                           "posture %u is near a singular pose: its smallest singular value is %s, below %s",
                           (unsigned)inverse->postures[i].number,
                           show_three_digits(inverse->postures[i].singularity).text,
                           show_three_digits(CP_NEAR_SINGULAR).text);
    return context_finish(inverse->context, status);
}

const uint32_t *cp_inverse_joints(const cp_inverse *inverse, uint32_t *count)
{
    if (count)
        *count = inverse->unknown_count;
    return inverse->unknown;
}

const char *cp_inverse_method(const cp_inverse *inverse)
{
    static const char *const words[] = {[INVERSE_NUMERIC] = "numeric",
                                        [INVERSE_ARM] = "arm",
                                        [INVERSE_ACTUATORS] = "actuators",
                                        [INVERSE_ROUTINE] = "routine"};
    return words[inverse->method];
}

bool solve_turn(double cosine, double sine, double constant, int side, double kept, double *q)
{
    const double nearly = 1e-9;
    double size = hypot(cosine, sine), square = size * size - constant * constant;
    if (fabs(constant) > size + nearly)
        return false;
    *q = size > nearly ? atan2(sine, cosine) + side * atan2(sqrt(fmax(0, square)), constant) : kept;
    return true;
}
