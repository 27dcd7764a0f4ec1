/* Triangles of concave polygons by ear clipping. */
#ifndef CELLPIPE_EARS_H
#define CELLPIPE_EARS_H

#include "reflex.h"

/* A corner in two rings and lists: the boundary that is left, and the corners that wait to be tried. */
struct corner_link {
    uint32_t previous, next;
    uint32_t waiting_previous, waiting_next; /* CP_NONE at the ends; next is the corner itself while it does not wait */
};

/* Room for polygons of up to `room` corners: made once for a mesh, used for face after face. */
struct ears {
    cp_context *context;
    uint32_t room;
    float (*points)[2]; /* counter-clockwise; set by the caller */
    struct corner_link *links;
    uint32_t first_waiting, last_waiting;
    struct reflex_tree reflex;
    uint64_t steps; /* counted work of the polygon at hand */
};

bool ears_reserve(struct ears *ears, cp_context *context, uint32_t room);
void ears_free(struct ears *ears);

/* Cuts the polygon points[0 .. count) into count - 2 triangles: triangles gets 3 corner numbers each. They cover a
 * polygon that does not cross itself exactly once, touching edges and repeated corners (holes joined by a bridge)
 * included. CP_NO when triangles had to be taken that overlap, because the polygon crosses itself, or touches itself
 * and is so contorted that the work would go beyond a fixed multiple of count. CP_LIMIT without memory. count >= 3. */
cp_status ears_clip(struct ears *ears, uint32_t count, uint32_t *triangles);

#endif
