/* One face as a polygon: its normal, and its shape seen along the normal's largest component. */
#ifndef CELLPIPE_POLYGON_H
#define CELLPIPE_POLYGON_H

#include "../build.h"

/* The two coordinates that are left are the file's own floats, so the signs of areas are exact for all but
 * extreme sizes. */
struct polygon {
    const float *positions;
    const uint32_t *corners;
    uint32_t count;
    int u, v;         /* the axes that are left; counter-clockwise is positive */
    double normal[3]; /* by Newell's sum: twice the area long; zero for a face without area */
};

struct polygon polygon_of(const cp_mesh *mesh, uint32_t face);

/* The corners alone. */
static inline struct polygon polygon_view(const cp_mesh *mesh, uint32_t face)
{
    return (struct polygon){.positions = mesh->positions,
                            .corners = mesh->corners + mesh_face_first(mesh, face),
                            .count = mesh_face_size(mesh, face)};
}

static inline const float *polygon_position(const struct polygon *polygon, uint32_t corner)
{
    return polygon->positions + 3 * (size_t)polygon->corners[corner];
}

/* Twice the signed area of the triangle a, b, c. */
static inline double triangle_area(const float a[2], const float b[2], const float c[2])
{
    return ((double)b[0] - (double)a[0]) * ((double)c[1] - (double)a[1]) -
           ((double)b[1] - (double)a[1]) * ((double)c[0] - (double)a[0]);
}

static inline void polygon_point(const struct polygon *polygon, uint32_t corner, float point[2])
{
    const float *position = polygon_position(polygon, corner);
    point[0] = position[polygon->u];
    point[1] = position[polygon->v];
}

/* False when Newell's sum is zero: the corners lie on a line, or go round as often one way as the other. */
bool mesh_face_has_area(const cp_mesh *mesh, uint32_t face);
/* By how much the reflex corners lie inside the lines between their neighbours, in sum: 0 for a convex polygon,
 * infinite for one that goes round more than once. Repeated corners are skipped. */
double polygon_reflex_depth(const struct polygon *polygon);
/* True when all triangles from the first corner have a positive area and the polygon is convex. */
bool polygon_is_fan(const struct polygon *polygon);
/* The diagonal of the bounding box, and how far the corners lie from a common plane, half of the distance between
 * the outermost ones (0 for a face without area). */
double polygon_size(const struct polygon *polygon);
double polygon_bulge(const struct polygon *polygon);

#endif
