/* Reports what exclude cannot judge, and the cases in which its list will not hold. */
#include <math.h>
#include <string.h>

#include "base/text/text.h"
#include "collide/list/list.h"
#include "exclude.h"
#include "plugins/tools.h"

static struct place at_node(const cp_scene *scene, uint32_t node)
{
    return (struct place){.node = scene->nodes[node].name};
}

/* ---- settings ---- */

/* Cuts NAME:LENGTH in two; the name may have colons, but the length has none. */
static bool cut_pad(char *item, double *length)
{
    const double most = 1e6; /* as of margin= */
    char *colon = strrchr(item, ':');
    if (!colon || !read_length(colon + 1, length) || !(*length >= 0 && *length <= most))
        return false;
    *colon = '\0';
    return true;
}

static cp_status check_pad(void *user, char *item)
{
    double length;
    return cut_pad(item, &length)
               ? CP_OK
               : report_error(user, CP_USAGE, "exclude-padding", NOWHERE,
                              "padding=%s: needs the name of a frame, a colon and a length from 0 to 1e6 m", item);
}

cp_status exclude_check_options(cp_context *context, const void *settings)
{
    const struct exclude_settings *own = settings;
    if (own->keep && !*own->keep)
        return report_error(context, CP_USAGE, "exclude-no-list", NOWHERE, "keep= needs the name of a list");
    if (own->samples == 0 && own->allow_sampled != ALLOW_NO_SAMPLED)
        return report_error(context, CP_USAGE, "exclude-no-samples", NOWHERE, "allow-sampled needs samples");
    cp_status status = own->padding ? each_item(context, own->padding, check_pad, context) : CP_OK;
    return status == CP_OK && own->tools ? tools_check(context, own->tools) : status;
}

struct padding {
    const cp_scene *scene;
    double *lengths; /* of the nodes */
};

static cp_status take_pad(void *user, char *item)
{
    const struct padding *padding = user;
    const cp_scene *scene = padding->scene;
    double length = 0;
    uint32_t node = 0;
    (void)cut_pad(item, &length);
    cp_status status = find_named(scene, TABLE_NODES, item, &node);
    if (status == CP_OK && !node_can_collide(scene, node))
        report_warning(scene->context, "exclude-padding", at_node(scene, node),
                       "\"%s\" has no collision geometry, so that its padding= changes nothing", item);
    if (status == CP_OK)
        padding->lengths[node] = length;
    return status;
}

cp_status exclude_read_padding(const cp_scene *scene, const char *text, double *padding)
{
    return each_item(scene->context, text, take_pad, &(struct padding){scene, padding});
}

/* ---- the scene ---- */

cp_status exclude_check_bodies(cp_context *context, const struct bodies *bodies)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < bodies->count; i++) {
        const struct body *body = &bodies->items[i];
        const char *name = bodies->scene->nodes[body->node].name;
        struct place place = at_node(bodies->scene, body->node);
        count += !body_is_empty(body);
        if (!body_is_within_reach(body))
            return report_error(context, CP_INPUT, "exclude-not-finite", place,
                                "the collision geometry of \"%s\" is not finite, or larger than 1e45", name);
        if (body_is_empty(body))
            report_warning(context, "exclude-empty", place,
                           "the collision geometry of \"%s\" has no faces: nothing is known of its pairs but those "
                           "that are static, so they stay checked",
                           name);
        else if (!body_has_area(body))
            report_warning(context, "exclude-flat", place,
                           "the collision geometry of \"%s\" has only faces without area, which are taken as lines",
                           name);
        else if (body->open_meshes > 0)
            report_warning(context, "exclude-open", place,
                           "collision meshes of \"%s\" that are not closed or not wound alike: %u; only their surface "
                           "collides, there is no inside",
                           name, (unsigned)body->open_meshes);
    }
    if (count >= 2)
        return CP_OK;
    return report_error(context, CP_NO, "exclude-no-geometry", NOWHERE,
                        "%s collision geometry%s: there are no pairs to judge",
                        count == 0 ? "no frame has" : "only one frame has", bodies->count > count ? " with faces" : "");
}

cp_status exclude_check(cp_context *context, const cp_scene *scene)
{
    const double most = 1e100; /* squares of lengths must be finite, or all that is far away seems to touch */
    uint32_t beyond = CP_NONE;
    for (uint32_t i = 0; i < scene->joint_count; i++) {
        const cp_joint *joint = &scene->joints[i];
        char lower[NUMBER_SIZE], upper[NUMBER_SIZE];
        if (joint->lower <= joint->upper)
            continue;
        print_double(joint->lower, lower);
        print_double(joint->upper, upper);
        return report_error(context, CP_INPUT, "exclude-limits", at_node(scene, joint->node),
                            "joint \"%s\" has a lower limit of %s, which is not below its upper one of %s", joint->name,
                            lower, upper);
    }
    for (uint32_t i = 0; i < scene->node_count; i++)
        for (int k = 0; k < 12; k++)
            beyond = fabs(scene->nodes[i].local.m[k]) <= most ? beyond : i;
    for (uint32_t i = 0; i < scene->joint_count; i++) {
        const cp_joint *joint = &scene->joints[i];
        bool far = (isfinite(joint->lower) && fabs(joint->lower) > most) ||
                   (isfinite(joint->upper) && fabs(joint->upper) > most);
        beyond = far ? joint->node : beyond;
    }
    if (beyond != CP_NONE)
        return report_error(context, CP_INPUT, "exclude-too-far", at_node(scene, beyond),
                            "the pose of \"%s\" or the limits of its joints are larger than 1e100",
                            scene->nodes[beyond].name);
    report_outside(context, scene);
    return CP_OK;
}
