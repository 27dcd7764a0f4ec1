/* pose reach=: a device's joints by where its end shall be. */
#ifndef CELLPIPE_FILTERS_POSE_REACH_H
#define CELLPIPE_FILTERS_POSE_REACH_H

#include "../plugin.h"

struct reach_settings {
    const char *pose, *frame, *in, *solve;
    int64_t posture, tries;
};

/* Sets the joints of the device and those that follow where loops close. CP_NO if the pose is out of reach. */
cp_status pose_reach(cp_context *context, cp_scene *scene, const char *device, const struct reach_settings *settings);

/* pose.c: warns of a value outside the joint's limits. */
void pose_check_limits(cp_context *context, const cp_joint *joint);

/* A bare number is in radians: one of more than a turn was perhaps meant in degrees. */
void warn_of_degrees(cp_context *context, const char *entry, double radians);

#endif
