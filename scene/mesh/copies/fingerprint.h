/* What stays of a mesh when it is moved, and its vertices and faces are put in another order: to find lookalikes. */
#ifndef CELLPIPE_MESH_FINGERPRINT_H
#define CELLPIPE_MESH_FINGERPRINT_H

#include "../../build.h"

/* Where a mesh stands. */
struct placed_mesh {
    const cp_mesh *mesh;
    cp_pose pose;
};

/* The values of a fingerprint. Write q for the position of a vertex from their centre, R for the largest |q|, C for the
 * mean of q q^T and u for the mean of q |q|^2; for each face d for the differences of |q|^2 between corners that follow
 * each other, and m for the largest |d|. When no vertex is moved farther than t (beside a motion of the whole), the
 * radius changes by t at most, and so does each value by what stands behind it. */
enum fingerprint_value {
    FINGERPRINT_LARGEST,                      /* |q|: 2 t, as all lengths: extremes, and norms of the matrix of all q */
    FINGERPRINT_SMALLEST,                     /* |q| */
    FINGERPRINT_SECOND,                       /* tr(C^2)^(1/4) */
    FINGERPRINT_THIRD,                        /* tr(C^3)^(1/6) */
    FINGERPRINT_FOURTH,                       /* root mean fourth power of |q| */
    FINGERPRINT_LENGTHS,                      /* how many there are */
    FINGERPRINT_SPREAD = FINGERPRINT_LENGTHS, /* 3-mean of m: D = 8 (R + t) t */
    FINGERPRINT_HAND,                         /* mean of d d d m: 2 D (spread + D)^3 */
    FINGERPRINT_SKEW,                         /* |u| / R^3: 12 t / R */
    FINGERPRINT_TWIST, /* det(u, C u, C C u) / R^15: t / R |u|^2 |C|^2 (36 |C| + 24 |u|), of R 1 */
    FINGERPRINT_VALUES
};

/* A mirror image has the opposite twist. If its faces still show the same side, it has the opposite hand, too; shapes
 * that turn into themselves have no twist, but a hand. */
struct fingerprint {
    uint32_t mesh;
    uint64_t shape; /* counts, sizes of faces, their materials, colours: equal for copies */
    double radius;  /* root mean square of |q| */
    double reach;   /* by the origin of its mesh, the farthest vertex: what roundings are relative to */
    double values[FINGERPRINT_VALUES];
    double tolerance; /* by which its vertices may be off, in its own unit; set by the caller */
    uint32_t cluster; /* by fingerprint_cluster */
};

/* Of one or several meshes of faces or lines, together. material: for each material the one that stands for its equals;
 * NULL: materials, colours and normals do not count. squares: room for a number for each vertex; NULL: the values of
 * faces are 0. */
struct fingerprint fingerprint_find(const struct placed_mesh *meshes, uint32_t count, const uint32_t *material,
                                    double *squares);

/* What floats and most ASCII files leave of the vertices: 7 digits, but for a thousandth of the diameter: small parts
 * far from the origin must not all look alike. */
double fingerprint_tolerance(const struct fingerprint *print);

/* Sorts by (cluster, mesh), where any two that may be copies of each other are in one cluster: their shapes are equal,
 * and so many of their values (with scaled: in units of the radius; then lengths alone) differ by no more
 * than both tolerances allow. n log n for any input. */
bool fingerprint_cluster(cp_context *context, struct fingerprint *prints, uint32_t count, int values, bool scaled);
/* How much two of one cluster differ: the worst of their values, over what both tolerances allow. Up to 1 they agree.
 */
double fingerprint_difference(const struct fingerprint *a, const struct fingerprint *b);

#endif
