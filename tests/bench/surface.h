/* Distances between surfaces, by a tree of boxes around triangles. */
#ifndef BENCH_SURFACE_H
#define BENCH_SURFACE_H

#include "mesh.h"

struct box_node; /* surface.c */

struct surface {
    const struct mesh *mesh;
    struct box_node *nodes;
    uint32_t *triangles;  /* the leaves' triangles */
    double (*normals)[3]; /* of each triangle, unit length or zero */
};

/* The mesh stays as it is while the surface is used, and has a triangle. */
struct surface surface_build(const struct mesh *mesh);
void surface_free(struct surface *surface);
/* The distance from the point to the surface, exact but for rounding in double; *nearest is the triangle. */
double surface_distance(const struct surface *surface, const double point[3], size_t *nearest);

/* The squared distance of a point to a triangle, which may be degenerate. */
double triangle_distance2(const double point[3], const double corners[3][3]);

/* Points spread evenly over a mesh's area. */
struct sampler {
    const struct mesh *mesh;
    double *areas; /* running sums, doubled */
    struct random random;
};
struct sampler sampler_begin(const struct mesh *mesh);
void sampler_free(struct sampler *sampler);
void sampler_next(struct sampler *sampler, double point[3], size_t *triangle);

void mesh_triangle_corners(const struct mesh *mesh, size_t triangle, double corners[3][3]);
void cross_product(const double a[3], const double b[3], double out[3]);
double dot_product(const double a[3], const double b[3]);

#endif
