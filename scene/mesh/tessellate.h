/* Primitives as faces, outside of a scene: for measuring. */
#ifndef CELLPIPE_TESSELLATE_H
#define CELLPIPE_TESSELLATE_H

#include "mesh.h"

/* As mesh_tessellate, with the arrays in any arena of the context. */
cp_status tessellate_in(cp_context *context, struct arena *arena, cp_mesh *mesh);
/* The same for a primitive, with the positions before they are rounded: memory_free(context, *positions,
 * mesh->vertex_count, size of one) is the caller's. The mesh's own are NULL. */
cp_status tessellate_exactly(cp_context *context, struct arena *arena, cp_mesh *mesh, double (**positions)[3]);
/* The triangles that mesh_tessellate's faces make, for primitives. */
uint64_t tessellation_triangles(const cp_mesh *mesh);

#endif
