#include "shared.h"

#include <math.h>
#include <string.h>

#include "base/text/text.h"
#include "model/model.h"
#include "motion/motion.h"

static cp_status read_reach(cp_context *context, const cp_scene *scene, const char *device_name,
                            const struct reach_settings *settings, cp_reach *reach)
{
    *reach = (cp_reach){.size = sizeof *reach, .tries = (uint32_t)settings->tries};
    if (!cp_parse_reach(settings->solve, &reach->solve))
        return report_error(context, CP_USAGE, "pose-solve", NOWHERE, "solve=%s: name some of x,y,z,roll,pitch,yaw",
                            settings->solve);
    cp_status status = find_named(scene, TABLE_DEVICES, device_name, &reach->device);
    if (status == CP_OK && settings->in)
        status = find_named(scene, TABLE_NODES, settings->in, &reach->in);
    if (status == CP_OK && settings->frame)
        status = find_named(scene, TABLE_NODES, settings->frame, &reach->frame);
    if (status != CP_OK || settings->frame)
        return status;
    const cp_device *device = &scene->devices[reach->device];
    if (device->end_count > 1)
        return report_error(context, CP_USAGE, "pose-end", NOWHERE, "device \"%s\" has %u ends: give frame=NAME",
                            device->name, (unsigned)device->end_count);
    reach->frame = device->end_count > 0 ? device->ends[0] : device->base;
    return CP_OK;
}

void warn_of_degrees(cp_context *context, const char *entry, double radians)
{
    size_t size = strlen(entry);
    if (fabs(radians) > 2 * PI && size > 0 && (is_digit(entry[size - 1]) || entry[size - 1] == '.'))
        report_warning(context, "pose-degrees", NOWHERE, "the angle %s is %s rad; %sdeg?", entry, entry, entry);
}

/* Warns of degrees among the angles, the last three of six values. */
static void check_angles(cp_context *context, const char *text)
{
    char entry[ENTRY_SIZE];
    double radians;
    for (int i = 0; i < 6 && cut_entry(text, entry, &text); i++)
        if (i >= 3 && read_angle(entry, 1, &radians))
            warn_of_degrees(context, entry, radians);
}

static cp_status read_target(cp_context *context, const cp_scene *scene, const char *text, uint32_t in, cp_pose *target)
{
    uint32_t frame;
    if (cp_parse_pose(text, target)) {
        check_angles(context, text);
        return CP_OK;
    }
    if (strspn(text, "+-.0123456789") > 0 && strchr(text, ','))
        return report_error(context, CP_USAGE, "pose-reach", NOWHERE,
                            "reach=%s: give six values X,Y,Z,R,P,Y such as 0.5,0,300mm,0,90deg,0", text);
    cp_status status = find_named(scene, TABLE_NODES, text, &frame);
    if (status != CP_OK)
        return status;
    cp_pose *worlds = memory_allocate(context, scene->node_count, sizeof *worlds), back;
    if (!worlds)
        return CP_LIMIT;
    status = scene_world_poses(context, scene, NULL, worlds);
    if (status == CP_OK && pose_inverse(&worlds[in], &back))
        *target = pose_multiply(&back, &worlds[frame]);
    memory_free(context, worlds, scene->node_count, sizeof *worlds);
    return status;
}

/* Chooses the posture with the number, or the nearest within limits. */
static cp_status choose_posture(cp_context *context, const cp_posture *postures, uint32_t count, int64_t number,
                                const cp_posture **chosen)
{
    *chosen = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const cp_posture *posture = &postures[i];
        if (number < 0 ? posture->within && (!*chosen || posture->distance < (*chosen)->distance)
                       : posture->number == number)
            *chosen = posture;
    }
    if (*chosen)
        return CP_OK;
    if (number < 0)
        return report_error(context, CP_NO, "no-posture", NOWHERE, "no posture is within the limits of the joints");
    return report_error(context, CP_NO, "no-posture", NOWHERE, "there is no posture %d here: ik lists those there are",
                        (int)number);
}

cp_status pose_reach(cp_context *context, cp_scene *scene, const char *device, const struct reach_settings *settings)
{
    cp_reach reach = {.size = sizeof reach};
    cp_pose target = POSE_IDENTITY;
    cp_inverse *inverse = NULL;
    const cp_posture *postures, *chosen = NULL;
    uint32_t count;
    cp_status status = read_reach(context, scene, device, settings, &reach);
    if (status == CP_OK)
        status = read_target(context, scene, settings->pose, reach.in, &target);
    if (status == CP_OK)
        status = cp_inverse_new(context, scene, &reach, &inverse);
    if (status == CP_OK)
        status = cp_inverse_postures(inverse, &target, &postures, &count);
    if (status == CP_OK)
        status = choose_posture(context, postures, count, settings->posture, &chosen);
    for (uint32_t i = 0; i < scene->joint_count && chosen; i++) {
        if (cp_joint_is_dependent(&scene->joints[i]) || scene->joints[i].q == chosen->q[i])
            continue;
        scene->joints[i].q = chosen->q[i];
        if (!joint_is_free(&scene->joints[i]))
            pose_check_limits(context, &scene->joints[i]);
    }
    cp_inverse_free(inverse);
    return status;
}
