/* What all tries at a mesh share of the original: they are measured against it, both ways, and its planes weigh more
 * where earlier tries were far from it. */
#ifndef CELLPIPE_MESH_SIMPLIFY_ORIGINAL_H
#define CELLPIPE_MESH_SIMPLIFY_ORIGINAL_H

#include "nearest.h"

struct original {
    struct surface surface; /* without a context: there is none yet */
    struct face_map map;
    uint32_t *origins, point_count; /* of the points: a vertex of the surface near by */
    float *weights;                 /* of the vertices: of their planes, at first 1 */
};

/* Copies the surface as it is before it collapses, with its points. False when out of memory. Call original_free even
 * on failure. */
bool original_keep(struct original *original, const struct surface *surface);
void original_free(struct original *original);
/* All weights are 1 again. */
void original_forget(struct original *original);
/* Gives the weights to a surface that has not collapsed yet. False when out of memory. */
bool original_weigh(const struct original *original, struct surface *surface);

/* How far a surface and the original are from each other. The caller sets the first members and calls deviation_free.
 */
struct deviation {
    bool one_way;          /* only the original may be too far from the surface */
    bool faces, faces_off; /* those of the original, and of the surface, are measured; else points of them alone */
    double from, to;       /* of the original from the surface, and the other way, in the mesh's unit */
    float *distances;      /* of the original's points, squared, in the surface's unit */
    float *off;            /* of the surface's vertices, and then of the points on its faces */
    bool *far; /* of the original's points, and then of its faces: too far, or near a part of the surface that is */
    uint32_t distance_count, off_count, far_count;
};

/* map, near: of the surface, as surface_fit leaves them. most: what is farther is too far, in the mesh's unit; where
 * the surface's faces are measured, less than half of it may come out as half. If no original has been kept, the points
 * of the surface's own are measured, one way. False when out of memory. */
bool measure_deviation(const struct original *original, const struct surface *surface, const struct face_map *map,
                       uint32_t *near, double most, struct deviation *deviation);
/* Root mean squares of the points' distances, both ways together, in units of the surface. */
double deviation_mean(const struct deviation *deviation);
void deviation_free(cp_context *context, struct deviation *deviation);

/* More weight for the vertices of the original where the two are farthest apart; and for those that are too far. False
 * when out of memory. */
bool raise_farthest(struct original *original, const struct surface *surface, const struct deviation *deviation);
bool raise_far(struct original *original, const struct deviation *deviation);

#endif
