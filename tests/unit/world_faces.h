/* Lists what a scene shows, face by face in the world, and tells whether two such lists are the same in any order. It
 * serves tests of filters that move geometry between meshes and frames. It is plain and slow, and shares nothing with
 * the code under test but the structs. */
#ifndef WORLD_FACES_H
#define WORLD_FACES_H

#include "mesh_support.h"

enum { FACE_CORNERS = 8 };

struct world_corner {
    double position[3], normal[3], colour[4];
};

struct world_face {
    uint32_t size, use, lines;
    double rgba[4]; /* of the material; -1 without */
    struct world_corner corners[FACE_CORNERS];
};

struct world_faces {
    struct world_face *faces;
    uint32_t count;
};

static inline void world_apply(const double m[12], const double point[3], double w, double out[3])
{
    for (int row = 0; row < 3; row++)
        out[row] = m[4 * row] * point[0] + m[4 * row + 1] * point[1] + m[4 * row + 2] * point[2] + w * m[4 * row + 3];
}

static inline double world_determinant(const double m[12])
{
    return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) +
           m[2] * (m[4] * m[9] - m[5] * m[8]);
}

/* Keeps perpendicular what is so, by the cross products of the columns. */
static inline void world_normal(const double m[12], const float normal[3], double out[3])
{
    double columns[3][3], sum = 0;
    for (int i = 0; i < 3; i++)
        for (int row = 0; row < 3; row++)
            columns[i][row] = m[4 * row + i];
    for (int row = 0; row < 3; row++) {
        out[row] = 0;
        for (int i = 0; i < 3; i++) {
            const double *a = columns[(i + 1) % 3], *b = columns[(i + 2) % 3];
            out[row] += (double)normal[i] * (a[(row + 1) % 3] * b[(row + 2) % 3] - a[(row + 2) % 3] * b[(row + 1) % 3]);
        }
        sum += out[row] * out[row];
    }
    for (int row = 0; row < 3 && sum > 0; row++)
        out[row] *= (world_determinant(m) < 0 ? -1 : 1) / sqrt(sum);
}

static inline uint32_t world_material(const cp_mesh *mesh, uint32_t face)
{
    for (uint32_t i = 0; i < mesh->group_count; i++)
        if (face - mesh->groups[i].first_face < mesh->groups[i].face_count)
            return mesh->groups[i].material;
    return CP_NONE;
}

static inline struct world_face world_face(const cp_scene *shown, const cp_instance *instance, const double m[12],
                                           uint32_t index)
{
    const cp_mesh *mesh = &cp_meshes(shown, NULL)[instance->mesh];
    struct world_face face = {.size = face_size(mesh, index),
                              .use = instance->use,
                              .lines = mesh->kind == CP_MESH_LINES,
                              .rgba = {-1, -1, -1, -1}};
    uint32_t material = world_material(mesh, index);
    bool mirrored = world_determinant(m) < 0 && !face.lines;
    assert_true(face.size <= FACE_CORNERS);
    for (int i = 0; material != CP_NONE && i < 4; i++)
        face.rgba[i] = cp_materials(shown, NULL)[material].rgba[i];
    for (uint32_t i = 0; i < face.size; i++) {
        struct world_corner *corner = &face.corners[mirrored ? face.size - 1 - i : i];
        uint32_t vertex = face_corner(mesh, index, i);
        const float *at = position_at(mesh, vertex);
        const double point[3] = {(double)at[0], (double)at[1], (double)at[2]};
        world_apply(m, point, 1, corner->position);
        if (mesh->normals)
            world_normal(m, mesh->normals + 3 * (size_t)vertex, corner->normal);
        for (size_t k = 0; mesh->colours && k < 4; k++)
            corner->colour[k] = (double)mesh->colours[4 * (size_t)vertex + k];
    }
    return face;
}

static inline struct world_faces world_faces(const cp_scene *shown)
{
    struct world_faces out = {NULL, 0};
    cp_pose *worlds = malloc(count_nodes(shown) * sizeof *worlds);
    pose_scene(shown, NULL, worlds);
    for (uint32_t i = 0; i < count_instances(shown); i++)
        out.count += cp_meshes(shown, NULL)[cp_instances(shown, NULL)[i].mesh].face_count;
    out.faces = malloc((out.count + 1) * sizeof *out.faces);
    out.count = 0;
    for (uint32_t i = 0; i < count_instances(shown); i++) {
        const cp_instance *instance = &cp_instances(shown, NULL)[i];
        double m[12];
        for (int row = 0; row < 3; row++)
            for (int column = 0; column < 4; column++) {
                m[4 * row + column] = column == 3 ? worlds[instance->node].m[4 * row + 3] : 0;
                for (int k = 0; k < 3; k++)
                    m[4 * row + column] +=
                        worlds[instance->node].m[4 * row + k] * instance->transform.m[4 * k + column];
            }
        for (uint32_t f = 0; f < cp_meshes(shown, NULL)[instance->mesh].face_count; f++)
            out.faces[out.count++] = world_face(shown, instance, m, f);
    }
    free(worlds);
    return out;
}

static inline bool world_near(const double *a, const double *b, int count, double tolerance)
{
    double squares = 0;
    for (int i = 0; i < count; i++)
        squares += (a[i] - b[i]) * (a[i] - b[i]);
    return squares <= tolerance * tolerance;
}

/* Compares from any corner on, in the same direction; lines from their first corner. */
static inline bool world_face_equal(const struct world_face *a, const struct world_face *b, double tolerance)
{
    if (a->size != b->size || a->use != b->use || a->lines != b->lines || !world_near(a->rgba, b->rgba, 4, 0))
        return false;
    for (uint32_t shift = 0; shift < (a->lines ? 1 : a->size); shift++) {
        bool equal = true;
        for (uint32_t i = 0; i < a->size && equal; i++) {
            const struct world_corner *p = &a->corners[i], *q = &b->corners[(i + shift) % a->size];
            equal = world_near(p->position, q->position, 3, tolerance) && world_near(p->colour, q->colour, 4, 0) &&
                    world_near(p->normal, q->normal, 3, 1e-4);
        }
        if (equal)
            return true;
    }
    return false;
}

/* The two lists hold the same faces. tolerance must be below half of what tells faces apart. Frees both. */
static inline bool world_faces_equal(struct world_faces a, struct world_faces b, double tolerance)
{
    bool *taken = calloc(b.count + 1, sizeof *taken);
    bool equal = a.count == b.count;
    for (uint32_t i = 0; i < a.count && equal; i++) {
        uint32_t k = 0;
        while (k < b.count && (taken[k] || !world_face_equal(&a.faces[i], &b.faces[k], tolerance)))
            k++;
        equal = k < b.count;
        taken[k] = true;
    }
    free(taken);
    free(a.faces);
    free(b.faces);
    return equal;
}

#endif
