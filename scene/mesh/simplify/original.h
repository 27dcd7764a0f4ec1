/* The original of a mesh, which all tries share: they are measured against it, both ways, and its planes weigh more
 * where earlier tries were far from it. */
#ifndef CELLPIPE_MESH_SIMPLIFY_ORIGINAL_H
#define CELLPIPE_MESH_SIMPLIFY_ORIGINAL_H

#include "nearest.h"

struct original {
    struct surface surface; /* without a context: then no original is kept */
    struct face_map map;
    uint32_t *origins, point_count; /* indexed by point: a vertex of the surface near by */
    float *weights;                 /* the weights of the vertices' planes, at first 1 */
};

/* Copies the surface as it is before it collapses, with its samples. False when out of memory. Call original_free even
 * on failure. */
bool original_keep(struct original *original, const struct surface *surface, const struct surface_samples *samples);
void original_free(struct original *original);
/* Sets all weights to 1 again. */
void original_forget(struct original *original);
/* Gives the weights to a surface that has not collapsed yet. False when out of memory. */
bool original_weigh(const struct original *original, struct surface *surface);

/* The distances of a surface and the original from each other. The caller sets the first members and calls
 * deviation_free. */
struct deviation {
    bool one_way;          /* only the original may be too far from the surface */
    bool faces, faces_off; /* faces of the original, and of the surface, are measured; else only points of them */
    double from, to;       /* the original's distance from the surface, and the other way, in the mesh's unit */
    float *distances;      /* one for each point of the original, squared, in the surface's unit */
    float *off;            /* one for each vertex of the surface, and then for the points on its faces */
    bool *far; /* of the original's points, and then of its faces: too far, or near a part of the surface that is */
    uint32_t distance_count, off_count, far_count;
};

/* Measures both. map, near: those of the surface, as surface_fit leaves them. most: a larger distance is too far, in
 * the mesh's unit; if the surface's faces are measured, a distance of less than half of it may be reported as half. If
 * no original has been kept, the points of the surface's own are measured, one way. False when out of memory. */
bool measure_deviation(const struct original *original, const struct surface *surface,
                       const struct surface_samples *samples, const struct face_map *map, uint32_t *near, double most,
                       struct deviation *deviation);
/* Returns the root mean square of the points' distances, both ways together, in units of the surface. */
double deviation_mean(const struct deviation *deviation);
void deviation_free(cp_context *context, struct deviation *deviation);

/* Give more weight to the vertices of the original where the two are farthest apart, and to those that are too far.
 * False when out of memory. */
bool raise_farthest(struct original *original, const struct surface *surface, const struct surface_samples *samples,
                    const struct deviation *deviation);
bool raise_far(struct original *original, const struct deviation *deviation);

#endif
