/* The meshes of a frame that collide. */
#ifndef CELLPIPE_PIECES_H
#define CELLPIPE_PIECES_H

#include "../../build.h"

struct piece {
    const cp_instance *instance;
    const cp_mesh *mesh;
};

bool collides(const cp_scene *scene, const cp_instance *instance);
/* Fills pieces[instance count of the node], in an order that what they are decides, not where they stand in their file.
 * Their number. */
uint32_t list_pieces(const cp_scene *scene, const cp_node *node, struct piece *pieces);

#endif
