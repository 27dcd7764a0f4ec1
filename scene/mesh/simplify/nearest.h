/* Finds the nearest face of a surface: from face to face while they get nearer, and by a tree of boxes if that has not
 * led near enough. */
#ifndef CELLPIPE_MESH_SIMPLIFY_NEAREST_H
#define CELLPIPE_MESH_SIMPLIFY_NEAREST_H

#include "mesh/box_tree.h"
#include "surface.h"

/* The faces at each vertex, and boxes around faces that lie together. */
struct face_map {
    const struct surface *surface;
    uint32_t *first, *next; /* corners (3 x face + number) at each vertex */
    uint32_t *order;        /* faces along a z-curve */
    struct box_tree tree;   /* over order */
};

struct face_search {
    const struct face_map *map;
    double point[3];
    double distance; /* squared */
    uint32_t face;
    double shares[2]; /* the shares of corners 0 and 1 in the nearest place */
};

/* Returns false if out of memory. Call face_map_free even on failure. */
bool face_map_make(struct face_map *map, const struct surface *surface);
void face_map_free(struct face_map *map);
/* Sets the boxes by the present places of the vertices. */
void face_map_measure(struct face_map *map);

struct face_search search_begin(const struct face_map *map, const double point[3]);
/* Begins a search from a point in the mesh's unit. */
struct face_search search_point(const struct face_map *map, const float point[3]);
void search_face(struct face_search *search, uint32_t face);
/* Searches from vertex to vertex, while that gets nearer. */
void search_from(struct face_search *search, uint32_t vertex);
/* Searches nearer faces in the whole surface. The work is bounded: many needles in one place may hide the nearest.
 * *boxes: how many boxes this search and others may still open. */
void search_all(struct face_search *search, uint32_t *boxes);
/* Returns the face's corner that is nearest to the place. */
uint32_t search_vertex(const struct face_search *search);

/* The points, in the mesh's unit, and triangles over them, that are measured. */
struct measured {
    const float (*points)[3];
    const uint32_t (*faces)[3]; /* faces of points; or NULL, and no face_count: the points alone are measured */
    uint32_t point_count, face_count;
    uint32_t *near;   /* indexed by point: a face near by; replaced by the nearest one if the point is far */
    float *distances; /* one for each point, squared; a little too large if others are farther; or NULL */
    bool *far;        /* indexed by point, and then of faces: set if it is too far; or NULL */
};

/* texture.c. Gives a vertex' corners the coordinates of the place to which it will move. False, and nothing is changed,
 * when the texture would be off by too much. */
bool move_texture(struct surface *surface, const struct face_map *map, uint32_t vertex, const double to[3]);

/* error.c: find the largest distance of the points, or of the faces, from the surface. A distance above `most` is too
 * far. known: a distance that is known already, and may be the result although faces are nearer. The points must be
 * measured before the faces. False when out of memory. */
bool measure_points(const struct face_map *map, const struct measured *measured, double most, double *error);
bool measure_faces(const struct face_map *map, const struct measured *measured, double known, double most,
                   double *error);

/* fit.c, after surface_collapse: moves the vertices `passes` times so that those of the original lie evenly on both
 * sides. Makes the map of the surface as it is then; near: of the samples, faces that are near. False when out of
 * memory. Call face_map_free even on failure. */
bool surface_fit(struct surface *surface, struct surface_samples *samples, uint32_t passes, struct face_map *map,
                 uint32_t *near);

#endif
