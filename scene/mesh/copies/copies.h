/* Equal meshes: found, aligned, shared, and fingerprints of whole scenes. */
#ifndef CELLPIPE_MESH_COPIES_COPIES_H
#define CELLPIPE_MESH_COPIES_COPIES_H

#include "model/model.h"

/* Meshes that are copies of others. */

struct copies_settings {
    double tolerance; /* metres of the world; 0: by mesh */
    bool moved;       /* also turned and moved copies, not only equal ones */
    bool mirrored, scaled;
    bool reordered; /* equal even with vertices and faces in another order */
};

struct mesh_copy {
    uint32_t leader; /* the mesh that it is a copy of, or itself */
    bool moved;      /* not equal bit for bit: `motion` takes the leader to it */
    cp_pose motion;
    double displaced; /* the vertex farthest from its place, in metres of the world */
};

/* Finds copies[mesh] for all meshes. A leader has a lower index than its copies and is nobody's copy. *unfinished:
 * meshes that have so many lookalikes that they were not compared with all. Meshes that nobody shows are left alone. */
cp_status find_copies(const cp_scene *scene, const struct copies_settings *settings, struct mesh_copy *copies,
                      uint32_t *unfinished);

/* The motion that takes one set of points to another. */

/* Points from[i] and to[map[i]], or to[i] when map is NULL: count of x y z each. */
struct point_pairs {
    const float *from, *to;
    const uint32_t *map;
    uint32_t count;
};

/* Finds the motion that has the least sum of squared distances between from[i], moved, and its partner: a rotation and
 * translation, with a reflection first when mirrored and a uniform scale when scaled. If points on a line or all in one
 * place leave freedom, it is one of the best, always the same. If it is within 1e-4 of a motion along the axes, and
 * that is near enough, it is that. *displaced: the largest distance between from[i], moved, and its partner. False when
 * it is larger than the tolerance; then *displaced is some such distance. */
bool align_points(const struct point_pairs *pairs, bool mirrored, bool scaled, double tolerance, cp_pose *motion,
                  double *displaced);

/* Fingerprints of meshes: they stay the same when the mesh is moved, or its vertices and faces get another order. */

/* Where a mesh stands. */
struct placed_mesh {
    const cp_mesh *mesh;
    cp_pose pose;
};

/* The values of a fingerprint. q is the position of a vertex from their centre, R the largest |q|, C the mean of q q^T
 * and u the mean of q |q|^2; for each face d are the differences of |q|^2 between consecutive corners, and m is the
 * largest |d|. If no vertex moves farther than t (beside a motion of the whole), the radius changes by at most t, and
 * each value by at most the amount behind its colon. */
enum fingerprint_value {
    FINGERPRINT_LARGEST,                      /* |q|: 2 t, as for all lengths: extremes, and norms of the matrix of all
                                               * q */
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

/* The fingerprint of a mesh. A mirror image has the opposite twist. If its faces still show the same side, it has the
 * opposite hand, too. Shapes that a turn takes into themselves have no twist, but a hand. */
struct fingerprint {
    uint32_t mesh;
    uint64_t shape; /* counts, sizes of faces, their materials, colours: equal for copies */
    double radius;  /* root mean square of |q| */
    double reach;   /* the distance of the farthest vertex from the mesh's origin, to which rounding is relative */
    double values[FINGERPRINT_VALUES];
    double tolerance; /* how far its vertices may be off, in its own unit; set by the caller */
    uint32_t cluster; /* by fingerprint_cluster */
};

/* Finds the fingerprint of one or several meshes of faces or lines, together. material: for each material the first one
 * of its equals; NULL: materials, colours and normals do not count. squares: room for a number for each vertex; NULL:
 * the values of faces are 0. */
struct fingerprint fingerprint_find(const struct placed_mesh *meshes, uint32_t count, const uint32_t *material,
                                    double *squares);

/* Returns the rounding of vertices in floats and most ASCII files: 7 digits. It is at most a thousandth of the
 * diameter: small parts far from the origin must not all look alike. */
double fingerprint_tolerance(const struct fingerprint *print);

/* Sorts by (cluster, mesh), where any two that may be copies of each other are in one cluster: their shapes are equal,
 * and so many of their values (with scaled: in units of the radius; then lengths alone) differ by no more than both
 * tolerances allow. Takes n log n for any input. */
bool fingerprint_cluster(cp_context *context, struct fingerprint *prints, uint32_t count, int values, bool scaled);
/* Returns how much two of one cluster differ: the worst of their values, over what both tolerances allow. Up to 1 they
 * agree. */
double fingerprint_difference(const struct fingerprint *a, const struct fingerprint *b);
/* Finds the range of radii in one cluster with this one, as far as two are concerned: their ranges meet. */
void fingerprint_radius_range(const struct fingerprint *print, double *low, double *high);

/* Copies of a mesh whose vertices and faces stand in another order. */

struct reorder_search {
    cp_context *context;
    const cp_mesh *from, *to;  /* meshes of faces, with as many vertices, faces and corners */
    const uint32_t *materials; /* one for each material, the first one of its equals */
    double tolerance;          /* in the unit of `to` */
    bool scaled, mirrored;
    bool given_up; /* set when there were too many possibilities to try all */
};

/* Searches a motion (*motion) that takes `from` to `to`: each position onto one of the other's within the tolerance,
 * *displaced at most, and each face onto one of the other's with the same corners in the same sense (the opposite one
 * when the motion mirrors), material, normals and colours. Linear but for a bounded number of attempts. CP_LIMIT when
 * out of memory. */
cp_status reorder_match(struct reorder_search *search, cp_pose *motion, double *displaced, bool *found);

/* Matches the faces of two meshes whose positions have been matched: for reorder.c. */

/* Returns true if each face of one mesh has its partner in the other. from_places, to_places: for each vertex its
 * place; both meshes number equal places alike. status becomes CP_LIMIT when out of memory. */
bool reorder_faces_match(const struct reorder_search *search, const uint32_t *from_places, const uint32_t *to_places,
                         const cp_pose *motion, cp_status *status);

/* Shares meshes that are copies of others: for the filter instances, and for formats that gain by it. */

/* Removes copies (find_copies) of at least so many triangles, except those to keep (for each mesh; NULL: none); their
 * instances show the mesh that stays. Reports losses and notes. *displaced: the largest displacement of a vertex, in
 * metres of the world. */
cp_status scene_share_copies(cp_scene *scene, const struct copies_settings *settings, uint64_t least, const bool *keep,
                             double *displaced);

#endif
