/* A polygon, its triangles by the filter triangulate, and plain programs that tell whether triangles cover it. */
#ifndef POLYGON_COVER_H
#define POLYGON_COVER_H

#include "mesh_support.h"

#include "scene_fixture.h" /* behind those whose arguments have its names */

enum { MOST_POINTS = 40000 };
static float polygon[MOST_POINTS][2];

static inline double shoelace(uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        const float *a = polygon[i], *b = polygon[(i + 1) % count];
        sum += (double)a[0] * (double)b[1] - (double)b[0] * (double)a[1];
    }
    return sum / 2;
}

static inline int compare_edges(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The triangles' edges without those that run both ways must be the polygon's: then the triangles fill it. */
static inline void expect_boundary(const uint32_t *triangles, uint32_t count)
{
    uint32_t edges = 3 * (count - 2);
    uint64_t *there = malloc(edges * sizeof *there), *back = malloc((edges + count) * sizeof *back);
    for (uint32_t i = 0; i < edges; i++) {
        uint64_t a = triangles[i], b = triangles[i % 3 == 2 ? i - 2 : i + 1];
        there[i] = a << 32 | b;
        back[i] = b << 32 | a;
    }
    /* If the outside is one more face, every edge runs both ways. */
    uint64_t *all = malloc((edges + count) * sizeof *all);
    memcpy(all, there, edges * sizeof *all);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t a = i, b = (i + 1) % count;
        all[edges + i] = b << 32 | a;
        back[edges + i] = a << 32 | b;
    }
    qsort(all, edges + count, sizeof *all, compare_edges);
    qsort(back, edges + count, sizeof *back, compare_edges);
    assert_memory_equal(all, back, (edges + count) * sizeof *all);
    free(there);
    free(back);
    free(all);
}

static inline double area_of_triangles(const uint32_t *triangles, uint32_t count, double *least)
{
    double sum = 0;
    for (uint32_t i = 0; i < 3 * (count - 2); i += 3) {
        const float *a = polygon[triangles[i]], *b = polygon[triangles[i + 1]], *c = polygon[triangles[i + 2]];
        double area = (((double)b[0] - (double)a[0]) * ((double)c[1] - (double)a[1]) -
                       ((double)b[1] - (double)a[1]) * ((double)c[0] - (double)a[0])) /
                      2;
        sum += fabs(area);
        *least = area < *least ? area : *least;
    }
    return sum;
}

/* The triangles that the filter cuts a face of these corners into, in a new scene; valid until the next call. */
static inline const cp_mesh *cut_face(const float *positions, const uint32_t *corners, uint32_t count)
{
    const uint32_t offsets[] = {0, count};
    fresh_scene();
    (void)add_mesh_of(scene, &(cp_mesh){.name = "polygon",
                                        .vertex_count = count,
                                        .face_count = 1,
                                        .corner_count = count,
                                        .positions = positions,
                                        .face_offsets = offsets,
                                        .corners = corners});
    finish_scene();
    assert_int_equal(cp_apply(context, scene, "triangulate", NULL, 0), CP_OK);
    const cp_mesh *mesh = cp_meshes(scene, NULL);
    assert_null(mesh->face_offsets);
    assert_int_equal(mesh->face_count, count - 2);
    assert_int_equal(mesh->corner_count, 3 * (count - 2));
    return mesh;
}

static inline void set_point(uint32_t i, double radius, double angle)
{
    polygon[i][0] = (float)(radius * cos(angle));
    polygon[i][1] = (float)(radius * sin(angle));
}

static inline void set_points(const float points[][2], uint32_t count)
{
    memcpy(polygon, points, count * sizeof *points);
}

#endif
