/* The filters of this folder, one a file. */
#ifndef CELLPIPE_FILTERS_FILTERS_H
#define CELLPIPE_FILTERS_FILTERS_H

#include "plugins/filter.h"

extern const struct filter weld_filter;
extern const struct filter repair_filter;
extern const struct filter orient_filter;
extern const struct filter normals_filter;
extern const struct filter triangulate_filter;
extern const struct filter flatten_filter;
extern const struct filter select_filter;
extern const struct filter pose_filter;
extern const struct filter instances_filter;
extern const struct filter split_meshes_filter;
extern const struct filter merge_meshes_filter;
extern const struct filter simplify_filter;
extern const struct filter lod_filter;
extern const struct filter exclude_filter;
extern const struct filter program_filter;
extern const struct filter recording_filter;
extern const struct filter trace_filter;

#endif
