/* Cutting a mesh into pieces. */
#ifndef CELLPIPE_MESH_SPLIT_H
#define CELLPIPE_MESH_SPLIT_H

#include "../../build.h"

enum split_by {
    SPLIT_COMPONENTS, /* faces that meet at a position (compared by value) stay together, directly or through others */
    SPLIT_MATERIALS,  /* all faces of one material stay together */
    SPLIT_BOTH        /* those that meet and have one material */
};

/* pieces[face] for each face of a mesh of faces: the number of its piece, from 0 in the order of their first faces.
 * *count: how many. Near linear time for any mesh. False when out of memory. */
bool mesh_find_pieces(cp_context *context, const cp_mesh *mesh, enum split_by by, uint32_t *pieces, uint32_t *count);

/* Adds the pieces to the scene as meshes, from index *first on, without names: faces and groups in their old order,
 * vertices in the order of first use (several times where several pieces use one). *unused: the vertices that no face
 * uses and no piece has. */
cp_status mesh_cut(cp_scene *scene, uint32_t mesh, const uint32_t *pieces, uint32_t count, uint32_t *first,
                   uint32_t *unused);

#endif
