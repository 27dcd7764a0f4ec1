/* Meshes that are copies of others. */
#ifndef CELLPIPE_MESH_COPIES_H
#define CELLPIPE_MESH_COPIES_H

#include "../../build.h"

struct copies_settings {
    double tolerance; /* metres of the world; 0: by mesh */
    bool moved;       /* turned and moved copies too, not equal ones alone */
    bool mirrored, scaled;
    bool reordered; /* with vertices and faces in another order, too */
};

struct mesh_copy {
    uint32_t leader; /* the mesh that it is a copy of, or itself */
    bool moved;      /* not equal bit for bit: `motion` takes the leader to it */
    cp_pose motion;
    double displaced; /* the vertex farthest from its place, in metres of the world */
};

/* copies[mesh] for all meshes. A leader has a lower index than its copies and is nobody's copy. *unfinished: meshes
 * that have so many lookalikes that they were not compared with all. Meshes that nobody shows are left alone. */
cp_status find_copies(const cp_scene *scene, const struct copies_settings *settings, struct mesh_copy *copies,
                      uint32_t *unfinished);

#endif
