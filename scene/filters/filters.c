/* The filters. */
#include "filters.h"

const struct filter *const filters[] = {
    &weld_filter,   &normals_filter,   &triangulate_filter,  &flatten_filter,      &select_filter,
    &pose_filter,   &instances_filter, &split_meshes_filter, &merge_meshes_filter, &repair_filter,
    &orient_filter, &simplify_filter,  &lod_filter,          &exclude_filter,      NULL};
