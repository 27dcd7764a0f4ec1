/* Faces with three places or more, but no area: their corners lie on one line. */
#ifndef CELLPIPE_CAPS_H
#define CELLPIPE_CAPS_H

#include "../../build.h"

struct cap_counts {
    uint64_t turned;  /* triangles that have an area now */
    uint64_t dropped; /* faces left out */
    uint64_t left;    /* faces that are still there */
};

/* Such a triangle and the one at its longest edge, when that is a triangle with an area, of the same group and wound
 * like it, are cut along the other diagonal: both have an area then, and cover the same. Other faces are left out if
 * each of their edges has an odd number of faces, so that no edge becomes one of an odd number. Adds to the counts.
 * Linear time. */
cp_status mesh_resolve_caps(cp_scene *scene, cp_mesh *mesh, struct cap_counts *counts);

#endif
