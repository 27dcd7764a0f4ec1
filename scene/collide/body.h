/* What can collide: the collision geometry of a frame, as triangles in the frame. */
#ifndef CELLPIPE_BODY_H
#define CELLPIPE_BODY_H

#include "../build.h"
#include "bvh.h"
#include "convex.h"

struct body {
    uint32_t node;
    struct bvh bvh;      /* of all meshes and primitives of the frame that collide */
    bool *solid;         /* of each triangle, in the tree's order: its mesh is closed and wound alike, so that it has an inside */
    bool open;           /* some mesh is not solid: only its surface is there */
    bool plane;          /* a plane z = 0 of the frame, without bounds, is there, too */
    struct convex hull;  /* the triangles' corners */
};

struct bodies {
    cp_context *context;
    struct body *items;
    uint32_t count, room;
};

/* All frames with collision geometry but placeholders, in their order. Frames that are volatile and have none are left out. Free it in
 * any case. */
cp_status bodies_find(struct bodies *bodies, cp_context *context, const cp_scene *scene);
void bodies_free(struct bodies *bodies);

#endif
