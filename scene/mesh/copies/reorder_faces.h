/* The faces of two meshes whose positions have been matched: for reorder.c. */
#ifndef CELLPIPE_MESH_REORDER_FACES_H
#define CELLPIPE_MESH_REORDER_FACES_H

#include "reorder.h"

/* from_places, to_places: for each vertex its place, where both meshes number the same place alike. True when each face
 * of one has its partner in the other. status becomes CP_LIMIT when out of memory. */
bool reorder_faces_match(const struct reorder_search *search, const uint32_t *from_places, const uint32_t *to_places,
                         const cp_pose *motion, cp_status *status);

#endif
