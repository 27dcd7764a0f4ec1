/* How large meshes are in the world: for tolerances in metres. */
#ifndef CELLPIPE_STRETCH_H
#define CELLPIPE_STRETCH_H

#include "../plugin.h"

/* For each mesh how much longer the instance that stretches it most makes it, by the longest of its three axes, at the
 * current joint values; 0 without instances. memory_free(context, it, scene->mesh_count, sizeof *it). NULL when out of
 * memory. */
double *find_stretches(const cp_scene *scene);

#endif
