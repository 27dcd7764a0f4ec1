/* Joints that stand, or are moved by a clip, where no proof looks. */
#ifndef CELLPIPE_OUTSIDE_H
#define CELLPIPE_OUTSIDE_H

#include "../../build.h"

/* Warns ("exclude-outside") of each joint outside its limits, as it stands and in the course of each clip. */
void report_outside(cp_context *context, const cp_scene *scene);

#endif
