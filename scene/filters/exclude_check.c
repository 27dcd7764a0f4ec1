/* What exclude cannot judge, and what its list will not hold for. */
#include <math.h>

#include "../collide/proof/outside.h"
#include "exclude.h"

static struct place at_node(const cp_scene *scene, uint32_t node)
{
    return (struct place){.node = scene->nodes[node].name};
}

static cp_status check_joint(cp_context *context, const cp_scene *scene, const cp_joint *joint)
{
    char lower[NUMBER_SIZE], upper[NUMBER_SIZE];
    if (joint->lower <= joint->upper)
        return CP_OK;
    print_double(joint->lower, lower);
    print_double(joint->upper, upper);
    return report_error(context, CP_INPUT, "exclude-limits", at_node(scene, joint->node),
                        "joint \"%s\" has a lower limit of %s, which is not below its upper one of %s", joint->name,
                        lower, upper);
}

static cp_status check_joints(cp_context *context, const cp_scene *scene)
{
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < scene->joint_count && status == CP_OK; i++)
        status = check_joint(context, scene, &scene->joints[i]);
    return status;
}

static bool is_beyond(double value)
{
    return !(fabs(value) <= 1e100);
}

/* Squares of lengths must be finite, or all that is far away seems to touch. */
static cp_status check_reach(cp_context *context, const cp_scene *scene)
{
    uint32_t beyond = CP_NONE;
    for (uint32_t i = 0; i < scene->node_count; i++)
        for (int k = 0; k < 12; k++)
            beyond = is_beyond(scene->nodes[i].local.m[k]) ? i : beyond;
    for (uint32_t i = 0; i < scene->joint_count; i++) {
        const cp_joint *joint = &scene->joints[i];
        bool far =
            (isfinite(joint->lower) && is_beyond(joint->lower)) || (isfinite(joint->upper) && is_beyond(joint->upper));
        beyond = far ? joint->node : beyond;
    }
    if (beyond == CP_NONE)
        return CP_OK;
    return report_error(context, CP_INPUT, "exclude-too-far", at_node(scene, beyond),
                        "the pose of \"%s\" or the limits of its joints are larger than 1e100",
                        scene->nodes[beyond].name);
}

static cp_status check_body(cp_context *context, const cp_scene *scene, const struct body *body)
{
    const char *name = scene->nodes[body->node].name;
    struct place place = at_node(scene, body->node);
    if (!body_is_within_reach(body))
        return report_error(context, CP_INPUT, "exclude-not-finite", place,
                            "the collision geometry of \"%s\" is not finite, or larger than 1e45", name);
    if (body_is_empty(body))
        report_warning(context, "exclude-empty", place,
                       "the collision geometry of \"%s\" has no faces: nothing is known of its pairs but those that "
                       "are static, so they stay checked",
                       name);
    else if (!body_has_area(body))
        report_warning(context, "exclude-flat", place,
                       "the collision geometry of \"%s\" has only faces without area, which are taken as lines", name);
    else if (body->open_meshes > 0)
        report_warning(context, "exclude-open", place,
                       "collision meshes of \"%s\" that are not closed or not wound alike: %u; only their surface "
                       "collides, there is no inside",
                       name, (unsigned)body->open_meshes);
    return CP_OK;
}

cp_status exclude_check_bodies(cp_context *context, const struct bodies *bodies)
{
    cp_status status = CP_OK;
    uint32_t count = 0;
    for (uint32_t i = 0; i < bodies->count && status == CP_OK; i++) {
        count += !body_is_empty(&bodies->items[i]);
        status = check_body(context, bodies->scene, &bodies->items[i]);
    }
    if (status == CP_OK && count < 2)
        return report_error(
            context, CP_NO, "exclude-no-geometry", NOWHERE, "%s collision geometry%s: there are no pairs to judge",
            count == 0 ? "no frame has" : "only one frame has", bodies->count > count ? " with faces" : "");
    return status;
}

static cp_status check_settings(cp_context *context, const struct exclude_settings *own)
{
    if (own->keep && !*own->keep)
        return report_error(context, CP_USAGE, "exclude-no-list", NOWHERE, "keep= needs the name of a list");
    if (own->samples == 0 && own->allow_sampled)
        return report_error(context, CP_USAGE, "exclude-no-samples", NOWHERE, "allow-sampled needs samples");
    return CP_OK;
}

cp_status exclude_check(cp_context *context, const cp_scene *scene, const struct exclude_settings *own)
{
    cp_status status = check_settings(context, own);
    if (status == CP_OK)
        status = check_joints(context, scene);
    if (status == CP_OK)
        status = check_reach(context, scene);
    if (status == CP_OK)
        report_outside(context, scene);
    return status;
}
