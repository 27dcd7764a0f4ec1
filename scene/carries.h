/* What a scene has, against what a format carries: for scene/ only. */
#ifndef CELLPIPE_CARRIES_H
#define CELLPIPE_CARRIES_H

#include "plugin.h"

/* Reports each feature that the scene has and `carries` lacks, once, with its count. */
void features_report_losses(cp_context *context, const cp_scene *scene, uint32_t carries, const char *output);

/* The scene as the exporter wants it: primitives tessellated and n-gons triangulated where it does not carry them.
 * *prepared is NULL when the scene can be taken as it is, else the caller frees it (before the scene). */
cp_status scene_prepare(const cp_scene *scene, uint32_t carries, cp_scene **prepared);

#endif
