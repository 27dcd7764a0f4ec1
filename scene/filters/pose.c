/* pose: sets joint values, or those at which a frame has a given pose. Homes stay as they are; values outside a joint's
 * limits are taken, with a warning. */
#include "motion/motion.h"

#include <math.h>
#include <string.h>

#include "base/text/text.h"
#include "filters.h"
#include "shared.h"

struct pose_settings {
    const char *device, *joint, *q, *deg, *value;
    bool home;
    struct reach_settings reach;
};

static const cp_option options[] = {
    {"device", "the device to pose", CP_OPTION_DEVICE, .offset = offsetof(struct pose_settings, device)},
    {"joint", "the joint to pose", CP_OPTION_JOINT, .offset = offsetof(struct pose_settings, joint)},
    {"q",
     "one of q=, deg=, value=, home= and reach= is required: values with commas between, in radians or metres, or with "
     "a unit",
     CP_OPTION_STRING, .offset = offsetof(struct pose_settings, q)},
    {"deg", "as q, with degrees for joints that turn", CP_OPTION_STRING, .offset = offsetof(struct pose_settings, deg)},
    {"value", "the same as q, for one joint", CP_OPTION_STRING, .offset = offsetof(struct pose_settings, value)},
    {"home", "back to the homes, of all joints when neither device nor joint is given", CP_OPTION_BOOLEAN,
     offsetof(struct pose_settings, home), .initial = "no"},
    {"reach", "where the device's end shall be: X,Y,Z,R,P,Y in metres and radians or with units, or a frame",
     CP_OPTION_STRING, .offset = offsetof(struct pose_settings, reach.pose)},
    {"frame", "of reach=: what shall be there, in place of the end", CP_OPTION_FRAME,
     .offset = offsetof(struct pose_settings, reach.frame)},
    {"in", "of reach=: the frame that its numbers are in, in place of the world", CP_OPTION_FRAME,
     .offset = offsetof(struct pose_settings, reach.in)},
    {"solve", "of reach=: the coordinates that have to hold", CP_OPTION_STRING,
     offsetof(struct pose_settings, reach.solve), .initial = "x,y,z,roll,pitch,yaw"},
    {"posture", "of reach=: its number as ik tells it; -1 is the nearest within limits", CP_OPTION_INTEGER,
     offsetof(struct pose_settings, reach.posture), "-1", .minimum = -1, .maximum = 1e6},
    {"tries", "of reach=: from how many places to search where there is no closed form", CP_OPTION_INTEGER,
     offsetof(struct pose_settings, reach.tries), "100", .minimum = 1, .maximum = 1e6},
    CP_OPTIONS_END};

/* The joints to set. */
struct targets {
    const char *kind, *name;
    const uint32_t *joints; /* NULL: all of the scene */
    uint32_t count;
    const double *home; /* or NULL: the joints' own */
};

static uint32_t target_joint(const struct targets *targets, uint32_t i)
{
    return targets->joints ? targets->joints[i] : i;
}

static cp_status find_targets(const cp_scene *scene, const struct pose_settings *pose, uint32_t *joint,
                              struct targets *targets)
{
    *targets = (struct targets){.kind = "scene", .name = "", .count = scene->joint_count};
    if (pose->joint) {
        *targets = (struct targets){.kind = "joint", .name = pose->joint, .joints = joint, .count = 1};
        return find_named(scene, TABLE_JOINTS, pose->joint, joint);
    }
    if (!pose->device)
        return CP_OK;
    uint32_t index = 0;
    cp_status status = find_named(scene, TABLE_DEVICES, pose->device, &index);
    if (status != CP_OK)
        return status;
    const cp_device *device = &scene->devices[index];
    *targets = (struct targets){"device", device->name, device->joints, device->joint_count, device->home};
    return CP_OK;
}

/* ---- values ---- */

/* Reads a number, and a unit after it if the joint has one. */
static bool read_value(const cp_joint *joint, const char *entry, bool degrees, double *value)
{
    bool good;
    if (joint->type == CP_JOINT_REVOLUTE)
        good = read_angle(entry, degrees ? PI / 180 : 1, value);
    else if (joint->type == CP_JOINT_PRISMATIC)
        good = read_length(entry, value);
    else
        good = text_is_number(entry, value);
    return good && isfinite(*value);
}

void pose_check_limits(cp_context *context, const cp_joint *joint)
{
    char value[NUMBER_SIZE], lower[NUMBER_SIZE], upper[NUMBER_SIZE];
    if (joint->q >= joint->lower && joint->q <= joint->upper)
        return;
    print_double(joint->q, value);
    print_double(joint->lower, lower);
    print_double(joint->upper, upper);
    report_warning(context, "pose-limit", NOWHERE, "joint \"%s\" at %s is outside its limits %s .. %s", joint->name,
                   value, lower, upper);
}

static cp_status set_values(cp_context *context, cp_scene *scene, const struct targets *targets, const char *text,
                            bool degrees)
{
    uint32_t wanted = 0, given = 1;
    for (uint32_t i = 0; i < targets->count; i++)
        wanted += !cp_joint_is_dependent(&scene->joints[target_joint(targets, i)]);
    for (const char *at = text; *at; at++)
        given += *at == ',';
    if (wanted == 0)
        return report_error(context, CP_USAGE, "pose-dependent", NOWHERE,
                            "%s \"%s\" has no value of its own: it has no joints, or they follow others", targets->kind,
                            targets->name);
    if (given != wanted)
        return report_error(context, CP_USAGE, "pose-count", NOWHERE, "%s \"%s\" takes %u value%s, not %u: %s",
                            targets->kind, targets->name, wanted, wanted == 1 ? "" : "s", given, text);
    for (uint32_t i = 0; i < targets->count; i++) {
        cp_joint *joint = &scene->joints[target_joint(targets, i)];
        if (cp_joint_is_dependent(joint))
            continue;
        char entry[ENTRY_SIZE];
        const char *rest;
        if (!cut_entry(text, entry, &rest) || !read_value(joint, entry, degrees, &joint->q))
            return report_error(context, CP_USAGE, "pose-number", NOWHERE,
                                "the value for joint \"%s\" is not a number: %s", joint->name, text);
        text = rest;
        bool may_turn =
            isfinite(joint->lower) && isfinite(joint->upper) && joint->q >= joint->lower && joint->q <= joint->upper;
        if (joint->type == CP_JOINT_REVOLUTE && !degrees && !may_turn)
            warn_of_degrees(context, entry, joint->q);
        pose_check_limits(context, joint);
    }
    return CP_OK;
}

/* ---- loops ---- */

/* Moves free joints so that loops close: from where they closed before, on the same branch; from the values that were
 * set, if one of the free joints was set itself. before: the mechanism at the joints' earlier values. */
static cp_status close_loops(cp_mechanism *before, cp_scene *scene, bool guessed)
{
    cp_context *context = before->context;
    cp_mechanism *closed = before, guess = {.context = context};
    for (uint32_t i = 0; i < scene->joint_count; i++)
        before->q[i] = scene->joints[i].q;
    cp_status status = guessed ? mechanism_open(&guess, context, scene) : mechanism_values(before, before->q);
    if (guessed)
        closed = &guess;
    else if (status == CP_NO)
        status = mechanism_report_open(before);
    for (uint32_t i = 0; i < scene->joint_count && status == CP_OK; i++)
        if (joint_is_free(&scene->joints[i]))
            scene->joints[i].q = closed->values[i];
    mechanism_close(&guess);
    return status;
}

static cp_status set_targets(cp_context *context, cp_scene *scene, const struct pose_settings *pose,
                             const struct targets *targets)
{
    const char *text = pose->q ? pose->q : pose->deg ? pose->deg : pose->value;
    if (text)
        return set_values(context, scene, targets, text, pose->deg != NULL);
    for (uint32_t i = 0; i < targets->count; i++) {
        cp_joint *target = &scene->joints[target_joint(targets, i)];
        target->q = targets->home ? targets->home[i] : target->home;
    }
    return CP_OK;
}

static cp_status apply(cp_context *context, cp_scene *scene, const void *settings)
{
    const struct pose_settings *pose = settings;
    const bool reaches = pose->reach.pose != NULL;
    if ((pose->q != NULL) + (pose->deg != NULL) + (pose->value != NULL) + pose->home + reaches != 1)
        return report_error(context, CP_USAGE, "pose-what", NOWHERE,
                            "give one of q=, deg=, value=, reach= and home=yes");
    if ((pose->device && pose->joint) || (!pose->home && !pose->device && !pose->joint))
        return report_error(context, CP_USAGE, "pose-whose", NOWHERE, "give either device=NAME or joint=NAME");
    if (pose->value && pose->device)
        return report_error(context, CP_USAGE, "pose-whose", NOWHERE, "value= is for one joint; a device takes q=");
    if (reaches && pose->joint)
        return report_error(context, CP_USAGE, "pose-whose", NOWHERE, "reach= is for a device");
    uint32_t joint = 0;
    struct targets targets;
    cp_status status = find_targets(scene, pose, &joint, &targets);
    if (status != CP_OK)
        return status;
    if (reaches)
        return pose_reach(context, scene, pose->device, &pose->reach);
    if (scene->loop_count == 0)
        return set_targets(context, scene, pose, &targets);
    bool guessed = false;
    for (uint32_t i = 0; i < targets.count; i++)
        guessed = guessed || (targets.joints && !scene->joints[target_joint(&targets, i)].driven);
    cp_mechanism before;
    status = mechanism_open(&before, context, scene);
    if (status == CP_OK)
        status = set_targets(context, scene, pose, &targets);
    if (status == CP_OK)
        status = close_loops(&before, scene, guessed);
    mechanism_close(&before);
    return status;
}

const struct filter pose_filter = {.plugin = {.name = "pose",
                                              .title = "Set joint values",
                                              .options = options,
                                              .settings_size = sizeof(struct pose_settings)},
                                   .apply = apply};
