/* Makes meshes and scenes by hand, and finds slow, plain answers to compare with. */
#ifndef MESH_SUPPORT_H
#define MESH_SUPPORT_H

#include <math.h>

#include "fixture.h"

/* The same numbers on every machine. */
struct random {
    uint64_t state;
};

static inline uint32_t random_bits(struct random *random)
{
    random->state = random->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random->state >> 33);
}

static inline double random_unit(struct random *random)
{
    return (double)random_bits(random) / 2147483648.0;
}

static inline uint32_t face_corner(const cp_mesh *mesh, uint32_t face, uint32_t i)
{
    return mesh->corners[face_first(mesh, face) + i % face_size(mesh, face)];
}

static inline const float *position_at(const cp_mesh *mesh, uint32_t vertex)
{
    return mesh->positions + 3 * (size_t)vertex;
}

/* Six times the volume of the cones over the origin, faces as fans, in long double. */
static inline double plain_volume(const cp_mesh *mesh)
{
    long double sum = 0;
    for (uint32_t face = 0; face < mesh->face_count; face++)
        for (uint32_t i = 2; i < face_size(mesh, face); i++) {
            const float *a = position_at(mesh, face_corner(mesh, face, 0));
            const float *b = position_at(mesh, face_corner(mesh, face, i - 1));
            const float *c = position_at(mesh, face_corner(mesh, face, i));
            sum += (long double)a[0] * ((long double)b[1] * c[2] - (long double)b[2] * c[1]) +
                   (long double)a[1] * ((long double)b[2] * c[0] - (long double)b[0] * c[2]) +
                   (long double)a[2] * ((long double)b[0] * c[1] - (long double)b[1] * c[0]);
        }
    return (double)(sum / 6);
}

static inline bool same_place(const cp_mesh *mesh, uint32_t a, uint32_t b)
{
    const float *p = position_at(mesh, a), *q = position_at(mesh, b);
    return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

static inline uint32_t place_of(const cp_mesh *mesh, uint32_t vertex)
{
    uint32_t place = 0;
    while (!same_place(mesh, place, vertex))
        place++;
    return place;
}

/* Topology by comparing every edge with every other: the definition, in quadratic time. */
struct plain_edge {
    uint32_t a, b;
};

static inline bool face_spans_three(const cp_mesh *mesh, uint32_t face)
{
    uint32_t places = 0;
    for (uint32_t i = 0; i < face_size(mesh, face); i++) {
        bool fresh = true;
        for (uint32_t k = 0; k < i; k++)
            fresh = fresh && !same_place(mesh, face_corner(mesh, face, i), face_corner(mesh, face, k));
        places += fresh;
    }
    return places >= 3;
}

static inline cp_topology plain_topology(const cp_mesh *mesh)
{
    cp_topology topology = {.size = sizeof topology};
    struct plain_edge *edges = calloc(mesh->corner_count + 1, sizeof *edges);
    uint32_t count = 0;
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        for (uint32_t i = 0; i < face_size(mesh, face) && face_spans_three(mesh, face); i++) {
            edges[count].a = place_of(mesh, face_corner(mesh, face, i));
            edges[count].b = place_of(mesh, face_corner(mesh, face, i + 1));
            count += edges[count].a != edges[count].b;
        }
    }
    for (uint32_t e = 0; e < count; e++) {
        uint32_t same = 0, opposite = 0, earlier = 0;
        for (uint32_t k = 0; k < count; k++) {
            bool along = edges[k].a == edges[e].a && edges[k].b == edges[e].b;
            bool against = edges[k].a == edges[e].b && edges[k].b == edges[e].a;
            same += along;
            opposite += against;
            earlier += k < e && (along || against);
        }
        if (earlier)
            continue;
        topology.edges++;
        topology.border_edges += same + opposite == 1;
        topology.non_manifold_edges += same + opposite > 2;
        topology.misoriented_edges += same == 2 && opposite == 0;
    }
    topology.closed =
        topology.edges && !topology.border_edges && !topology.non_manifold_edges && !topology.misoriented_edges;
    free(edges);
    return topology;
}

static inline void expect_topology(cp_context *context, const cp_mesh *mesh)
{
    cp_topology found = {.size = sizeof found}, plain = plain_topology(mesh);
    assert_int_equal(cp_mesh_topology(context, mesh, &found), CP_OK);
    assert_int_equal(found.edges, plain.edges);
    assert_int_equal(found.border_edges, plain.border_edges);
    assert_int_equal(found.non_manifold_edges, plain.non_manifold_edges);
    assert_int_equal(found.misoriented_edges, plain.misoriented_edges);
    assert_int_equal(found.closed, plain.closed);
}

/* A unit cube from 0 to 1 of six quads, wound outward. */
static const float cube_positions[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1};
static const uint32_t cube_corners[] = {0, 3, 2, 1, 4, 5, 6, 7, 0, 1, 5, 4, 2, 3, 7, 6, 1, 2, 6, 5, 0, 4, 7, 3};
static const uint32_t cube_offsets[] = {0, 4, 8, 12, 16, 20, 24};

static inline cp_mesh make_cube(void)
{
    return (cp_mesh){.id = "cube",
                     .name = "cube",
                     .source = "",
                     .vertex_count = 8,
                     .face_count = 6,
                     .corner_count = 24,
                     .positions = cube_positions,
                     .face_offsets = cube_offsets,
                     .corners = cube_corners};
}

#endif
