/* Puts meshes together face by face. */
#ifndef MESH_BUILDER_H
#define MESH_BUILDER_H

#include "mesh_support.h"

/* Faces that grow; the arrays are the test's. */
struct builder {
    float *positions;
    uint32_t *corners, *offsets;
    uint32_t vertices, faces, vertex_room, corner_room;
};

static inline uint32_t add_vertex(struct builder *builder, double x, double y, double z)
{
    if (builder->vertices == builder->vertex_room) {
        builder->vertex_room = 2 * builder->vertex_room + 64;
        builder->positions = realloc(builder->positions, 3 * builder->vertex_room * sizeof(float));
    }
    float *at = builder->positions + 3 * (size_t)builder->vertices;
    at[0] = (float)x;
    at[1] = (float)y;
    at[2] = (float)z;
    return builder->vertices++;
}

static inline void add_face(struct builder *builder, const uint32_t *corners, uint32_t count)
{
    uint32_t first = builder->faces ? builder->offsets[builder->faces] : 0;
    if (first + count + 2 > builder->corner_room) {
        builder->corner_room = 2 * builder->corner_room + count + 64;
        builder->corners = realloc(builder->corners, builder->corner_room * sizeof(uint32_t));
        builder->offsets = realloc(builder->offsets, builder->corner_room * sizeof(uint32_t));
    }
    memcpy(builder->corners + first, corners, count * sizeof *corners);
    builder->offsets[0] = 0;
    builder->offsets[++builder->faces] = first + count;
}

static inline void free_builder(struct builder *builder)
{
    free(builder->positions);
    free(builder->corners);
    free(builder->offsets);
    *builder = (struct builder){0};
}

static inline cp_mesh mesh_of(const struct builder *builder)
{
    return (cp_mesh){.vertex_count = builder->vertices,
                     .face_count = builder->faces,
                     .corner_count = builder->faces ? builder->offsets[builder->faces] : 0,
                     .positions = builder->positions,
                     .face_offsets = builder->offsets,
                     .corners = builder->corners};
}

static inline void add_box(struct builder *builder, const double low[3], const double high[3])
{
    uint32_t base = builder->vertices;
    for (int i = 0; i < 8; i++)
        (void)add_vertex(builder, cube_positions[3 * i] > 0 ? high[0] : low[0],
                         cube_positions[3 * i + 1] > 0 ? high[1] : low[1],
                         cube_positions[3 * i + 2] > 0 ? high[2] : low[2]);
    for (int face = 0; face < 6; face++) {
        uint32_t corners[4];
        for (int i = 0; i < 4; i++)
            corners[i] = base + cube_corners[4 * face + i];
        add_face(builder, corners, 4);
    }
}

static inline void add_octahedron(struct builder *builder, const double low[3], const double high[3])
{
    uint32_t at[6];
    double middle[3];
    for (int axis = 0; axis < 3; axis++)
        middle[axis] = (low[axis] + high[axis]) / 2;
    for (int i = 0; i < 6; i++) {
        double point[3] = {middle[0], middle[1], middle[2]};
        point[i / 2] = i % 2 ? high[i / 2] : low[i / 2];
        at[i] = add_vertex(builder, point[0], point[1], point[2]);
    }
    for (int i = 0; i < 8; i++) {
        bool even = (i & 1) ^ (i >> 1 & 1) ^ (i >> 2 & 1);
        const uint32_t x = at[i & 1], y = at[2 + (i >> 1 & 1)], z = at[4 + (i >> 2 & 1)];
        add_face(builder, even ? (const uint32_t[]){x, y, z} : (const uint32_t[]){x, z, y}, 3);
    }
}

/* n x m quads round a ring. */
static inline void add_torus(struct builder *builder, uint32_t n, uint32_t m)
{
    uint32_t base = builder->vertices;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < m; k++) {
            double u = 2 * PI * i / n, v = 2 * PI * k / m, radius = 3 + cos(v);
            (void)add_vertex(builder, radius * cos(u), radius * sin(u), sin(v));
        }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < m; k++) {
            uint32_t a = i * m, b = (i + 1) % n * m, c = k, d = (k + 1) % m;
            add_face(builder, (const uint32_t[]){base + a + c, base + b + c, base + b + d, base + a + d}, 4);
        }
}

/* Each corner with a vertex of its own, zeros of either sign. */
static inline void unweld(struct builder *builder, struct random *random)
{
    uint32_t count = builder->offsets[builder->faces];
    float *positions = malloc(3 * count * sizeof *positions);
    for (uint32_t corner = 0; corner < count; corner++)
        for (uint32_t axis = 0; axis < 3; axis++) {
            float value = builder->positions[3 * builder->corners[corner] + axis];
            positions[3 * corner + axis] = value == 0 && random_bits(random) % 2 ? -value : value;
        }
    for (uint32_t corner = 0; corner < count; corner++)
        builder->corners[corner] = corner;
    free(builder->positions);
    builder->positions = positions;
    builder->vertices = builder->vertex_room = count;
}

#endif
