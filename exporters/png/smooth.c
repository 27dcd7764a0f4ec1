/* Smooths meshes without normals while they are shaded: a corner of a triangle that is seen gets the mean of the
 * normals of those faces at its vertex which meet the triangle at less than the crease angle, by their areas. */
#include <math.h>

#include "mesh/mesh.h"
#include "picture.h"

/* Vertices of more faces, such as tips of cones, are not smooth. */
enum { MOST_FACES = 24 };

static cp_status prepare(struct png_picture *picture, const cp_mesh *mesh, struct smoothing *smoothing)
{
    smoothing->first = arena_allocate_zeroed(picture->arena, mesh->vertex_count + (size_t)1, sizeof *smoothing->first);
    smoothing->faces = arena_allocate(picture->arena, mesh->corner_count, sizeof *smoothing->faces);
    smoothing->normals = arena_allocate(picture->arena, mesh->face_count, sizeof *smoothing->normals);
    if (!smoothing->first || !smoothing->faces || !smoothing->normals)
        return CP_LIMIT;
    for (uint32_t corner = 0; corner < mesh->corner_count; corner++)
        smoothing->first[mesh->corners[corner]]++;
    for (uint32_t i = 0, sum = 0; i <= mesh->vertex_count; i++) {
        sum += smoothing->first[i];
        smoothing->first[i] = sum; /* the end, which moves down to the begin */
    }
    for (uint32_t face = mesh->face_count; face-- > 0;) {
        const uint32_t *corners = mesh->corners + mesh_face_first(mesh, face);
        double at[3][3], normal[3];
        for (int i = 0; i < 3; i++) {
            smoothing->faces[--smoothing->first[corners[i]]] = face;
            for (int k = 0; k < 3; k++)
                at[i][k] = (double)mesh->positions[3 * (size_t)corners[i] + (size_t)k];
        }
        triangle_normal(at[0], at[1], at[2], normal);
        double length = sqrt(dot_product(normal, normal)), scale = length > 0 ? 1 / length : 0;
        for (int k = 0; k < 3; k++)
            smoothing->normals[face][k] = (float)(normal[k] * scale);
        smoothing->normals[face][3] = (float)length;
    }
    return CP_OK;
}

cp_status smoothing_make(struct png_picture *picture)
{
    const cp_scene *scene = picture->scene;
    struct smoothing *all = arena_allocate_zeroed(picture->arena, scene->mesh_count, sizeof *all);
    cp_status status = all ? CP_OK : CP_LIMIT;
    for (uint32_t i = 0; i < picture->shape_count && status == CP_OK; i++) {
        struct shape *shape = &picture->shapes[i];
        const cp_mesh *mesh = shape->mesh;
        struct smoothing *own = all + (mesh - scene->meshes);
        shape->smoothing = own;
        if (own->tried || mesh->kind != CP_MESH_FACES || mesh->normals || !(picture->settings->crease > 0))
            continue;
        own->tried = true;
        status = prepare(picture, mesh, own);
    }
    return status;
}

bool smooth_corners(const struct png_picture *picture, const struct shape *shape, uint32_t face, float normals[3][3])
{
    const struct smoothing *smoothing = shape->smoothing;
    const uint32_t *corners = shape->mesh->corners + mesh_face_first(shape->mesh, face);
    if (!smoothing->normals)
        return false;
    const float *own = smoothing->normals[face], least = picture->crease_cosine;
    bool bends = false;
    for (int i = 0; i < 3; i++) {
        uint32_t begin = smoothing->first[corners[i]], end = smoothing->first[corners[i] + 1];
        float sum[3] = {0, 0, 0};
        for (uint32_t at = begin; at < end && end - begin <= MOST_FACES; at++) {
            const float *other = smoothing->normals[smoothing->faces[at]];
            float cosine = own[0] * other[0] + own[1] * other[1] + own[2] * other[2];
            if (!(cosine > least))
                continue;
            bends = bends || cosine < 0.9999F;
            for (int k = 0; k < 3; k++)
                sum[k] += other[3] * other[k];
        }
        /* The means of the corners count alike. */
        float length = sqrtf(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
        for (int k = 0; k < 3; k++)
            normals[i][k] = length > 0 ? sum[k] / length : own[k];
    }
    return bends;
}
