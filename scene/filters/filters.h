/* The filters of this folder, one a file. */
#ifndef CELLPIPE_FILTERS_H
#define CELLPIPE_FILTERS_H

#include "../plugin.h"

extern const filter weld_filter;
extern const filter normals_filter;
extern const filter triangulate_filter;
extern const filter flatten_filter;
extern const filter select_filter;
extern const filter pose_filter;

#endif
