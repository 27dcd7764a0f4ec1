/* Joints that stand, or are moved by a clip, where no proof looks. */
#include "chain.h"

#include <math.h>

#include "base/context.h"
#include "base/text/text.h"
#include "motion/clips/clips.h"

/* Tells whether the value is outside the joint's limits: exclusions hold within the limits only. */
static bool is_outside(const cp_joint *joint, double value)
{
    double slack = 1e-9 * (1 + fabs(value));
    bool follows = joint->type == CP_JOINT_FIXED || cp_joint_is_dependent(joint);
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
    report_warning(context, "exclude-outside", ((struct place){.node = scene->nodes[joint->node].name}),
                   "joint \"%s\" %s%s%s at %s, outside its limits %s and %s: what is found holds within them only",
                   joint->name, clip ? "is in the clip \"" : "stands", clip ? clip : "", clip ? "\"" : "", digits,
                   lower, upper);
}

/* Tells whether the joint leaves its limits at a key, or on the way from it to the next one. */
static bool leaves_limits(const cp_joint *joint, const cp_track *track, uint32_t key, double *value)
{
    track_value(track, track->times[key], value);
    if (is_outside(joint, *value) || track->interpolation != CP_CUBIC || key + 1 == track->key_count)
        return is_outside(joint, *value);
    /* The cubic piece turns back where the derivative of Hermite's polynomial, a t t + b t + c, is 0. t is a share of
     * the piece's time; a root may lie outside 0 .. 1 or be no number. */
    const double *from = track->values + 3 * (size_t)key, *to = from + 3; /* the value is between its tangents */
    double length = track->times[key + 1] - track->times[key];
    double leave = from[2] * length, arrive = to[0] * length, rise = to[1] - from[1];
    double a = 3 * (leave + arrive) - 6 * rise, b = 6 * rise - 4 * leave - 2 * arrive;
    double sum = -(b + copysign(sqrt(b * b - 4 * a * leave), b)) / 2;
    const double shares[2] = {sum / a, leave / sum};
    for (int i = 0; i < 2; i++) {
        if (!(shares[i] > 0 && shares[i] < 1))
            continue;
        track_value(track, track->times[key] * (1 - shares[i]) + track->times[key + 1] * shares[i], value);
        if (is_outside(joint, *value))
            return true;
    }
    return false;
}

void report_outside(cp_context *context, const cp_scene *scene)
{
    for (uint32_t i = 0; i < scene->joint_count; i++)
        if (is_outside(&scene->joints[i], scene->joints[i].q))
            warn_outside(context, scene, &scene->joints[i], NULL, scene->joints[i].q);
    for (uint32_t i = 0; i < scene->clip_count; i++)
        for (uint32_t k = 0; k < scene->clips[i].track_count; k++) {
            const cp_track *track = &scene->clips[i].tracks[k];
            double value;
            for (uint32_t key = 0; key < track->key_count && track->path == CP_PATH_JOINT; key++)
                if (leaves_limits(&scene->joints[track->target], track, key, &value)) {
                    warn_outside(context, scene, &scene->joints[track->target], scene->clips[i].name, value);
                    break; /* the first place outside is enough */
                }
        }
}
