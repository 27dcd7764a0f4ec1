#include "closed.h"

#include <math.h>
#include <string.h>

#include "../../context.h"
#include "../../motion/loops/closure.h"
#include "../../pose.h"
#include "random.h"

/* Legs of very different lengths close in few machines. In every second configuration the joints are all near the same
 * part of their ways. */
static double random_part(uint64_t key, uint32_t configuration, uint32_t joint)
{
    uint64_t place = (uint64_t)configuration << 32;
    double part = random_at(key, place + joint + 1);
    double common = random_at(key, place);
    return configuration % 2 == 0 ? part : fmin(fmax(common + 0.2 * part - 0.1, 0), 1);
}

/* Values of the driven joints: all their ways, half a turn each way of one that turns without limits. */
static void choose_target(const cp_scene *scene, uint64_t key, uint32_t configuration, double *q)
{
    for (uint32_t i = 0; i < scene->joint_count; i++) {
        const cp_joint *joint = &scene->joints[i];
        double lower = joint->lower, upper = joint->upper;
        q[i] = joint->q;
        if (!joint->driven)
            continue;
        if (!isfinite(lower) || !isfinite(upper)) {
            lower = joint->type == CP_JOINT_REVOLUTE ? joint->q - PI : joint->q;
            upper = joint->type == CP_JOINT_REVOLUTE ? joint->q + PI : joint->q;
        }
        double part = random_part(key, configuration, i);
        q[i] = lower * (1 - part) + upper * part;
    }
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
    memcpy(configurations->groups, mechanism->closure->group_of, joints * sizeof *configurations->groups);
    for (uint32_t i = 0; i < wanted && !has_ended(ending); i++) {
        if (context_is_cancelled(context))
            return CP_LIMIT;
        choose_target(scene, seed, i, q);
        /* Each from the scene's own values, so that it does not depend on those before. Loops that do not close at the
         * target are left where they closed last. */
        (void)mechanism_values(mechanism, NULL);
        (void)mechanism_values(mechanism, q);
        memcpy(configurations->values + (size_t)i * joints, mechanism->values, joints * sizeof *q);
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
