/* The arrays that a mesh has for its vertices. */
#include "model.h"

const struct vertex_array vertex_arrays[ARRAY_COUNT] = {
    [ARRAY_POSITIONS] = {offsetof(cp_mesh, positions), 3, "has a vertex that is not finite"},
    [ARRAY_NORMALS] = {offsetof(cp_mesh, normals), 3, "has a normal that is not finite"},
    [ARRAY_TANGENTS] = {offsetof(cp_mesh, tangents), 4, "has a tangent that is not finite"},
    [ARRAY_COLOURS] = {offsetof(cp_mesh, colours), 4, "has a colour that is not finite"},
    [ARRAY_COORDINATES] = {offsetof(cp_mesh, coordinates[0]), 2, "has a texture coordinate that is not finite"},
    [ARRAY_COORDINATES + 1] = {offsetof(cp_mesh, coordinates[1]), 2, "has a texture coordinate that is not finite"},
};

bool mesh_make_arrays(cp_scene *scene, cp_mesh *to, const cp_mesh *from, size_t count)
{
    bool good = true;
    for (size_t i = 0; i < ARRAY_COUNT; i++) {
        const float *made = NULL;
        if (mesh_array(from, i)) {
            made = scene_allocate(scene, count, vertex_arrays[i].width * sizeof *made);
            good = good && made;
        }
        mesh_set_array(to, i, made);
    }
    return good;
}

void mesh_copy_vertex(cp_mesh *to, size_t vertex, const cp_mesh *from, size_t source)
{
    for (size_t i = 0; i < ARRAY_COUNT; i++) {
        const size_t width = vertex_arrays[i].width;
        float *target = (float *)mesh_array(to, i);
        if (target)
            memcpy(target + width * vertex, mesh_array(from, i) + width * source, width * sizeof *target);
    }
}

bool mesh_take_vertices(cp_scene *scene, cp_mesh *mesh, const uint32_t *sources, uint32_t count)
{
    const cp_mesh from = *mesh;
    bool good = mesh_make_arrays(scene, mesh, &from, count);
    for (size_t i = 0; good && i < ARRAY_COUNT; i++) {
        const float *values = mesh_array(&from, i);
        float *taken = (float *)mesh_array(mesh, i);
        const size_t width = vertex_arrays[i].width;
        for (size_t vertex = 0; values && vertex < count; vertex++)
            memcpy(taken + width * vertex, values + width * sources[vertex], width * sizeof *taken);
    }
    mesh->vertex_count = count;
    return good;
}
