/* What stays of a mesh when it is moved, and its vertices and faces are put in another order: to find lookalikes. */
#ifndef CELLPIPE_MESH_FINGERPRINT_H
#define CELLPIPE_MESH_FINGERPRINT_H

#include "../../build.h"

enum { FINGERPRINT_VALUES = 5 };

/* When no vertex is moved farther than t (beside a motion of the whole), radius changes by t at most and each value by
 * 2 t: they are means (Minkowski's inequality) and extremes of distances. */
struct fingerprint {
    uint32_t mesh;
    uint64_t shape;                    /* counts, sizes of faces, their materials, colours: equal for copies */
    double radius;                     /* root mean square of the vertices' distances from their centre */
    double reach;                      /* the vertex farthest from the origin */
    double values[FINGERPRINT_VALUES]; /* distance from the centre: largest, smallest, mean, 4-mean; mean edge */
    double tolerance;                  /* by which its vertices may be off, in its own unit; set by the caller */
    uint32_t cluster;                  /* by fingerprint_cluster */
};

/* For a mesh of faces or lines. material: for each material the one that stands for its equals. */
struct fingerprint fingerprint_find(const cp_mesh *mesh, const uint32_t *material);

/* Sorts by (cluster, mesh), where any two that may be copies of each other are in one cluster: their shapes are equal,
 * and their values (with scaled: in units of the radius) differ by no more than both tolerances allow. n log n for any
 * input. */
bool fingerprint_cluster(cp_context *context, struct fingerprint *prints, uint32_t count, bool scaled);

#endif
