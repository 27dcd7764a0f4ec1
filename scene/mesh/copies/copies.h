/* Equal meshes: found, aligned, shared, and fingerprints of whole scenes. */
#ifndef CELLPIPE_MESH_COPIES_COPIES_H
#define CELLPIPE_MESH_COPIES_COPIES_H

#include "model/model.h"

/* Meshes that are copies of others. */

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

/* The motion that takes one set of points to another. */

/* Points from[i] and to[map[i]], or to[i] when map is NULL: count of x y z each. */
struct point_pairs {
    const float *from, *to;
    const uint32_t *map;
    uint32_t count;
};

/* The rotation and translation, with a reflection first when mirrored and a uniform scale when scaled, that has the
 * least sum of squared distances between from[i] moved and its partner. Points on a line or all in one place leave
 * freedom: then one of the best, always the same. If it is a motion along the axes but for 1e-4, and such a one will
 * do, it is that. *displaced: the largest distance between from[i] moved and its partner. False when it is larger than
 * the tolerance; then *displaced is some such distance. */
bool align_points(const struct point_pairs *pairs, bool mirrored, bool scaled, double tolerance, cp_pose *motion,
                  double *displaced);

/* What stays of a mesh when it is moved, and its vertices and faces are put in another order: to find lookalikes. */

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

/* Copies of a mesh whose vertices and faces stand in another order. */

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

/* The faces of two meshes whose positions have been matched: for reorder.c. */

/* from_places, to_places: for each vertex its place, where both meshes number the same place alike. True when each face
 * of one has its partner in the other. status becomes CP_LIMIT when out of memory. */
bool reorder_faces_match(const struct reorder_search *search, const uint32_t *from_places, const uint32_t *to_places,
                         const cp_pose *motion, cp_status *status);

/* Meshes that are copies of others are shared: for the filter instances, and for formats that gain by it. */

/* Copies (find_copies) of at least so many triangles go, but those to keep (for each mesh; NULL: none), and their
 * instances show the mesh that stays. Reports losses and notes. *displaced: by how much a vertex moved at most, in
 * metres of the world. */
cp_status scene_share_copies(cp_scene *scene, const struct copies_settings *settings, uint64_t least, const bool *keep,
                             double *displaced);

#endif
