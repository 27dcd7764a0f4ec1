/* Moves whole meshes by what moves one vertex. */
#ifndef MESH_TRANSFORM_H
#define MESH_TRANSFORM_H

#include "mesh/mesh.h"
#include "model/model.h"

/* A copy of the mesh with all vertices transformed in double (normals by the inverse transpose), primitives as faces;
 * faces are reversed when the pose mirrors: each keeps its first corner and runs the other way round. */
static inline cp_status mesh_transform(cp_scene *scene, cp_mesh *mesh, const cp_pose *pose)
{
    if (pose_is_identity(pose))
        return CP_OK;
    cp_status status = mesh_tessellate(scene, mesh);
    if (status != CP_OK)
        return status;
    size_t count = mesh->vertex_count;
    double matrix[3][3];
    float *positions = scene_allocate(scene, 3 * count, sizeof *positions);
    float *normals = mesh->normals ? scene_allocate(scene, 3 * count, sizeof *normals) : NULL;
    uint32_t *corners = scene_allocate(scene, mesh->corner_count, sizeof *corners);
    float *tangents = mesh->tangents ? scene_allocate(scene, 4 * count, sizeof *tangents) : NULL;
    if (!positions || !corners || (mesh->normals && !normals) || (mesh->tangents && !tangents))
        return CP_LIMIT;
    mesh_normal_matrix(pose, matrix);
    for (size_t vertex = 0; vertex < count; vertex++) {
        if (!mesh_move_position(pose, mesh->positions + 3 * vertex, positions + 3 * vertex, NULL))
            return CP_LIMIT;
        if (normals)
            mesh_move_normal((const double(*)[3])matrix, mesh->normals + 3 * vertex, normals + 3 * vertex);
        if (normals && tangents)
            mesh_move_tangent(pose, normals + 3 * vertex, mesh->tangents + 4 * vertex, tangents + 4 * vertex);
    }
    bool reverse = mesh->kind == CP_MESH_FACES && pose_determinant(pose) < 0;
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        uint32_t first = mesh_face_first(mesh, face), size = mesh_face_size(mesh, face);
        for (uint32_t i = 0; i < size; i++)
            corners[first + i] = mesh->corners[reverse && i > 0 ? first + size - i : first + i];
    }
    mesh->positions = positions;
    mesh->normals = normals;
    mesh->tangents = tangents;
    mesh->corners = corners;
    return CP_OK;
}

#endif
