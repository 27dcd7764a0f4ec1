/* Fewer triangles: a draft. */
#include "simplify.h"
#include "mesh.h"

#ifdef HAVE_MESHOPT
#include <meshoptimizer.h>

static cp_status draft(cp_scene *scene, cp_mesh *mesh, const struct simplify_goal *goal, struct simplify_result *result)
{
    uint32_t *corners = scene_allocate(scene, mesh->corner_count, sizeof *corners);
    if (!corners)
        return CP_LIMIT;
    float error = 0, scale = meshopt_simplifyScale(mesh->positions, mesh->vertex_count, 12);
    double most = scale > 0 ? goal->error / (double)scale : 0;
    size_t count = meshopt_simplify(corners, mesh->corners, mesh->corner_count, mesh->positions, mesh->vertex_count, 12,
                                    3 * (size_t)goal->triangles, most < 1 ? (float)most : 1, 0, &error);
    mesh->corners = corners;
    mesh->corner_count = (uint32_t)count;
    mesh->face_count = (uint32_t)(count / 3);
    mesh->groups = NULL;
    mesh->group_count = 0;
    result->triangles = mesh->face_count;
    result->error = (double)error * (double)scale;
    return CP_OK;
}
#endif

cp_status mesh_simplify(cp_scene *scene, cp_mesh *mesh, const struct simplify_goal *goal,
                        struct simplify_result *result)
{
    cp_status status = mesh_triangulate(scene, mesh);
    *result = (struct simplify_result){.before = mesh_triangle_count(mesh), .triangles = mesh_triangle_count(mesh)};
    if (status != CP_OK || mesh->kind != CP_MESH_FACES || result->before <= goal->triangles || mesh->group_count > 1)
        return status;
#ifdef HAVE_MESHOPT
    status = draft(scene, mesh, goal, result);
#endif
    return status;
}
