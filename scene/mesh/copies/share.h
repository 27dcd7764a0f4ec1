/* Meshes that are copies of others are shared: for the filter instances, and for formats that gain by it. */
#ifndef CELLPIPE_MESH_SHARE_H
#define CELLPIPE_MESH_SHARE_H

#include "copies.h"

/* Copies (find_copies) of at least so many triangles go, but those to keep (for each mesh; NULL: none), and their
 * instances show the mesh that stays. Reports losses and notes. *displaced: by how much a vertex moved at most, in
 * metres of the world. */
cp_status scene_share_copies(cp_scene *scene, const struct copies_settings *settings, uint64_t least, const bool *keep,
                             double *displaced);

#endif
