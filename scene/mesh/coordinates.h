/* Texture coordinates of meshes that change. */
#ifndef CELLPIPE_COORDINATES_H
#define CELLPIPE_COORDINATES_H

#include "simplify/simplify.h"

/* mesh_simplify, which knows nothing of texture coordinates: *lost if there were some and vertices have changed. */
cp_status simplify_without_coordinates(cp_scene *scene, cp_mesh *mesh, const struct simplify_goal *goal,
                                       struct simplify_result *result, bool *lost);

#endif
