#include "proof.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/text/text.h"
#include "motion/loops/loops.h"

/* Chooses values of the driven joints within their limits, or within half a turn each way for one that turns without
 * limits. Legs of very different lengths close in few machines, and the ways to them take long, as they end near
 * singular poses. So in every fourth configuration all joints are near the same part of their ways, and in every second
 * one they stay nearer to the scene's own values. */
static void choose_target(const cp_scene *scene, uint64_t key, uint32_t configuration, double *q)
{
    const uint64_t place = (uint64_t)configuration << 32;
    const double common = random_at(key, place), reach = configuration % 4 < 2 ? 1 : common;
    for (uint32_t i = 0; i < scene->joint_count; i++) {
        const cp_joint *joint = &scene->joints[i];
        double lower = joint->lower, upper = joint->upper, part = random_at(key, place + i + 1);
        q[i] = joint->q;
        if (!joint->driven)
            continue;
        if (!isfinite(lower) || !isfinite(upper)) {
            lower = joint->type == CP_JOINT_REVOLUTE ? joint->q - PI : joint->q;
            upper = joint->type == CP_JOINT_REVOLUTE ? joint->q + PI : joint->q;
        }
        if (configuration % 4 == 1)
            part = fmin(fmax(common + 0.2 * part - 0.1, 0), 1);
        q[i] += reach * (lower * (1 - part) + upper * part - q[i]);
    }
}

/* Tells whether all joints in loops are within their limits: closing a loop does not hold its free joints there. */
static bool is_within_limits(const cp_mechanism *mechanism)
{
    const double rounding = 1e-9;
    for (uint32_t i = 0; i < mechanism->joint_count; i++) {
        const cp_joint *joint = &mechanism->scene->joints[i];
        if (mechanism->closure->chains.group_of[i] != CP_NONE &&
            (mechanism->values[i] < joint->lower - rounding || mechanism->values[i] > joint->upper + rounding))
            return false;
    }
    return true;
}

static cp_status find_all(struct configurations *configurations, cp_mechanism *mechanism, uint32_t wanted,
                          uint64_t seed, const struct ending *ending)
{
    cp_context *context = mechanism->context;
    const cp_scene *scene = mechanism->scene;
    uint32_t joints = scene->joint_count;
    double *q = arena_allocate(configurations->arena, joints, sizeof *q);
    configurations->groups = arena_allocate(configurations->arena, joints, sizeof *configurations->groups);
    configurations->values =
        arena_allocate(configurations->arena, (size_t)wanted * joints, sizeof *configurations->values);
    if (arena_failed(configurations->arena))
        return CP_LIMIT;
    mechanism->closure->branch.goes_partly = true;
    memcpy(configurations->groups, mechanism->closure->chains.group_of, joints * sizeof *configurations->groups);
    for (uint32_t i = 0; i < wanted && !has_ended(ending); i++) {
        if (context_is_cancelled(context))
            return CP_LIMIT;
        choose_target(scene, seed, i, q);
        /* Each straight from the scene's own values, as `pose` goes to a witness. */
        (void)mechanism_values(mechanism, NULL);
        (void)mechanism_values(mechanism, q);
        if (!is_within_limits(mechanism))
            continue;
        memcpy(configurations->values + (size_t)configurations->count * joints, mechanism->values, joints * sizeof *q);
        configurations->count++;
    }
    return CP_OK;
}

cp_status configurations_find(struct configurations *configurations, cp_context *context, const cp_scene *scene,
                              uint32_t wanted, uint64_t seed, const struct ending *ending)
{
    *configurations = (struct configurations){.joint_count = scene->joint_count};
    if (scene->loop_count == 0)
        return CP_OK;
    cp_mechanism mechanism;
    configurations->arena = arena_new(context);
    cp_status status = mechanism_open(&mechanism, context, scene);
    if (status == CP_OK)
        status = find_all(configurations, &mechanism, wanted, seed, ending);
    mechanism_close(&mechanism);
    return status;
}

void configurations_free(struct configurations *configurations)
{
    arena_free(configurations->arena);
    *configurations = (struct configurations){0};
}
