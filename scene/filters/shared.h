/* What several filters share. */
#ifndef CELLPIPE_FILTERS_SHARED_H
#define CELLPIPE_FILTERS_SHARED_H

#include "model/model.h"

/* Planes without borders, which get borders when they become faces. */

/* Planes that collide: instances. */
uint64_t count_planes(const cp_scene *scene);
/* Reports planes that became faces as a loss. planes: their number before the filter. */
void report_borders(cp_context *context, const cp_scene *scene, uint64_t planes);

/* Measures how large meshes are in the world, for tolerances in metres. */

/* Finds for each mesh the largest factor by which an instance stretches it, along the longest of its three axes, at the
 * current joint values; 0 without instances. memory_free(context, it, scene->mesh_count, sizeof *it). NULL when out of
 * memory. */
double *find_stretches(const cp_scene *scene);

/* pose reach=: sets a device's joints by the wanted pose of its end. */

struct reach_settings {
    const char *pose, *frame, *in, *solve;
    int64_t posture, tries;
};

/* Sets the joints of the device, and those that follow as loops close. CP_NO if the pose is out of reach. */
cp_status pose_reach(cp_context *context, cp_scene *scene, const char *device, const struct reach_settings *settings);

/* pose.c: warns of a value outside the joint's limits. */
void pose_check_limits(cp_context *context, const cp_joint *joint);

/* Warns of a bare number, which is in radians: more than a turn was perhaps meant in degrees. */
void warn_of_degrees(cp_context *context, const char *entry, double radians);

#endif
