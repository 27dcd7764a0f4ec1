/* What exclude cannot judge, and what its list will not hold for. */
#include <math.h>

#include "../collide/proof/chain.h"
#include "../motion/play.h"
#include "exclude.h"

static struct place at_node(const cp_scene *scene, uint32_t node)
{
    return (struct place){.node = scene->nodes[node].name};
}

/* What is found holds within the limits only. */
static bool is_outside(const cp_joint *joint, double value)
{
    double slack = 1e-9 * (1 + fabs(value));
    bool follows = joint->type == CP_JOINT_FIXED || joint->master != CP_NONE || joint->expression;
    double lower, upper;
    joint_reach(joint, &lower, &upper);
    return !follows && !(value >= lower - slack && value <= upper + slack);
}

static void warn_outside(cp_context *context, const cp_scene *scene, const cp_joint *joint, const char *clip,
                         double value)
{
    char lower[NUMBER_SIZE], upper[NUMBER_SIZE], digits[NUMBER_SIZE];
    print_double(joint->lower, lower);
    print_double(joint->upper, upper);
    print_double(value, digits);
    report_warning(context, "exclude-outside", at_node(scene, joint->node),
                   "joint \"%s\" %s%s%s at %s, outside its limits %s and %s: what is found holds within them only",
                   joint->name, clip ? "is in the clip \"" : "stands", clip ? clip : "", clip ? "\"" : "", digits,
                   lower, upper);
}

static cp_status check_joint(cp_context *context, const cp_scene *scene, const cp_joint *joint)
{
    char lower[NUMBER_SIZE], upper[NUMBER_SIZE];
    if (joint->lower <= joint->upper) {
        if (is_outside(joint, joint->q))
            warn_outside(context, scene, joint, NULL, joint->q);
        return CP_OK;
    }
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

/* Where the cubic piece behind a key turns back, in shares of its time: where the derivative of Hermite's polynomial, a t t + b t + c, is 0. Some
 * may be no shares, or no numbers. */
static void turning_points(const cp_track *track, uint32_t key, double shares[2])
{
    const double *from = track->values + 3 * (size_t)key, *to = from + 3; /* the value is between its tangents */
    double length = track->times[key + 1] - track->times[key];
    double leave = from[2] * length, arrive = to[0] * length, rise = to[1] - from[1];
    double a = 3 * (leave + arrive) - 6 * rise, b = 6 * rise - 4 * leave - 2 * arrive;
    double sum = -(b + copysign(sqrt(b * b - 4 * a * leave), b)) / 2;
    shares[0] = sum / a;
    shares[1] = leave / sum;
}

/* At a key, or on the way from it to the next one. */
static bool leaves_limits(const cp_joint *joint, const cp_track *track, uint32_t key, double *value)
{
    double shares[2];
    track_value(track, track->times[key], value);
    if (is_outside(joint, *value) || track->interpolation != CP_CUBIC || key + 1 == track->key_count)
        return is_outside(joint, *value);
    turning_points(track, key, shares);
    for (int i = 0; i < 2; i++) {
        if (!(shares[i] > 0 && shares[i] < 1))
            continue;
        track_value(track, track->times[key] * (1 - shares[i]) + track->times[key + 1] * shares[i], value);
        if (is_outside(joint, *value))
            return true;
    }
    return false;
}

/* The first place outside is told. */
static void check_track(cp_context *context, const cp_scene *scene, const cp_clip *clip, const cp_track *track)
{
    double value;
    for (uint32_t i = 0; i < track->key_count && track->path == CP_PATH_JOINT; i++)
        if (leaves_limits(&scene->joints[track->target], track, i, &value)) {
            warn_outside(context, scene, &scene->joints[track->target], clip->name, value);
            return;
        }
}

static void check_clips(cp_context *context, const cp_scene *scene)
{
    for (uint32_t i = 0; i < scene->clip_count; i++)
        for (uint32_t k = 0; k < scene->clips[i].track_count; k++)
            check_track(context, scene, &scene->clips[i], &scene->clips[i].tracks[k]);
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
        check_clips(context, scene);
    return status;
}
