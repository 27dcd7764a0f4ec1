/* Copies of a mesh whose vertices and faces stand in another order. */
#ifndef CELLPIPE_MESH_REORDER_H
#define CELLPIPE_MESH_REORDER_H

#include "../../build.h"

struct reorder_search {
    cp_context *context;
    const cp_mesh *from, *to;  /* of faces, with as many vertices, faces and corners */
    const uint32_t *materials; /* for each the one that stands for its equals */
    double tolerance;          /* in the unit of `to` */
    bool scaled, mirrored;
    bool given_up; /* set when there were too many possibilities to try them all */
};

/* Looks for a motion (*motion) that takes `from` to `to`: each position onto one of the other's within the tolerance,
 * *displaced at most, and each face onto one of the other's with the same corners in the same sense (the opposite one
 * when the motion mirrors), material, normals and colours. Linear but for a bounded number of attempts. CP_LIMIT when
 * out of memory. */
cp_status reorder_match(struct reorder_search *search, cp_pose *motion, double *displaced, bool *found);

#endif
