/* Holes: rings of border edges. */
#ifndef CELLPIPE_HOLES_H
#define CELLPIPE_HOLES_H

#include "../../build.h"

struct hole_counts {
    uint64_t filled;       /* holes */
    uint64_t border_edges; /* that are left */
};

/* Fills rings of up to `most` border edges by one face each, wound against most of the faces round it, of the material
 * of one of them. Left open are rings that touch themselves or others, and those that would take half of the area of
 * the faces that hang together with it, or more: they are the outlines of sheets. Adds to the counts. Linear but for
 * the shells. */
cp_status mesh_fill_holes(cp_scene *scene, cp_mesh *mesh, uint32_t most, struct hole_counts *counts);

#endif
