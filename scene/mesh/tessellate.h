/* Primitives as faces, outside of a scene: for measuring. */
#ifndef CELLPIPE_TESSELLATE_H
#define CELLPIPE_TESSELLATE_H

#include "mesh.h"

/* As mesh_tessellate, with the arrays in any arena of the context. */
cp_status tessellate_in(cp_context *context, struct arena *arena, cp_mesh *mesh);
/* The triangles that mesh_tessellate's faces make, for primitives. */
uint64_t tessellation_triangles(const cp_mesh *mesh);

#endif
