/* Planes without borders, which get some when they become faces. */
#ifndef CELLPIPE_BORDERS_H
#define CELLPIPE_BORDERS_H

#include "../plugin.h"

/* Planes that collide: instances. */
uint64_t count_planes(const cp_scene *scene);
/* planes: as there were before the filter. Those that are none any more are a loss. */
void report_borders(cp_context *context, const cp_scene *scene, uint64_t planes);

#endif
