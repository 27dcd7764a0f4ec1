/* Leaving faces and vertices out. */
#ifndef CELLPIPE_COMPACT_H
#define CELLPIPE_COMPACT_H

#include "../../build.h"

/* Leaves out the faces (or polylines) with drop[face]; groups without faces vanish. */
cp_status mesh_drop_faces(cp_scene *scene, cp_mesh *mesh, const bool *drop);
/* Leaves out the vertices that no corner refers to; the others keep their order. */
cp_status mesh_drop_unused_vertices(cp_scene *scene, cp_mesh *mesh, uint32_t *dropped);

#endif
