/* Faces that have the same corners. */
#ifndef CELLPIPE_DUPLICATES_H
#define CELLPIPE_DUPLICATES_H

#include "edges.h"

/* For each face that bounds something: the first face that runs through the same places in the same order (same), or in
 * the same or the opposite order (either), wherever the face begins. Of other faces: themselves. Both arrays are the
 * caller's, of face_count. Expected linear time. False when out of memory. */
bool mesh_duplicates_find(const struct mesh_edges *edges, uint32_t *same, uint32_t *either);

#endif
