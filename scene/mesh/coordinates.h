/* Texture coordinates of meshes. */
#ifndef CELLPIPE_COORDINATES_H
#define CELLPIPE_COORDINATES_H

#include "simplify/simplify.h"

/* How many texels a coordinate of the set runs over from 0 to 1, of the largest image that the material shows by it; 0
 * if no texture uses the set. An image of unknown size counts as one of 4096. */
double material_texels(const cp_scene *scene, uint32_t material, uint32_t set);

/* mesh_simplify, with the texels of the mesh's materials. */
cp_status simplify_textured(cp_scene *scene, cp_mesh *mesh, struct simplify_goal goal, struct simplify_result *result);

#endif
