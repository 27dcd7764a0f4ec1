/* The nearest face of a surface: from face to face while it gets nearer, and by a tree of boxes where that has not led
 * near enough. */
#ifndef CELLPIPE_NEAREST_H
#define CELLPIPE_NEAREST_H

#include "../box_tree.h"
#include "surface.h"

/* The faces at each vertex, and boxes around faces that lie together. */
struct face_map {
    struct surface *surface;
    uint32_t *first, *next; /* corners (3 x face + number) at each vertex */
    uint32_t *order;        /* faces along the curve of the vertices */
    struct box_tree tree;   /* over order */
};

struct search {
    const struct face_map *map;
    double point[3];
    double distance; /* squared */
    uint32_t face;
    double shares[2]; /* of the nearest place, of corners 0 and 1 */
};

/* The vertices must lie along a curve, as surface_collapse leaves them. False when out of memory. Call face_map_free
 * even on failure. */
bool face_map_make(struct face_map *map, struct surface *surface);
void face_map_free(struct face_map *map);
/* Sets the boxes, where the vertices are now. */
void face_map_measure(struct face_map *map);

struct search search_begin(const struct face_map *map, const double point[3]);
struct search search_original(const struct face_map *map, uint32_t original);
void search_face(struct search *search, uint32_t face);
/* From vertex to vertex, while it gets nearer. */
void search_from(struct search *search, uint32_t vertex);
/* Looks for nearer faces in the whole surface. The work is bounded: many needles in one place may hide the nearest.
 * *boxes: how many may still be looked into, for this search and others. */
void search_all(struct search *search, uint32_t *boxes);
/* The corner of the face that is nearest to the place. */
uint32_t search_vertex(const struct search *search);

/* error.c: the largest distance of the original from the surface; what floats leave open (noise, squared) counts as
 * nothing. faces: of the originals, near ones; the nearest come out for those that are far. Marks what is farther than
 * `most`. */
bool measure_error(const struct face_map *map, uint32_t *faces, double noise, double most, double *error);

#endif
