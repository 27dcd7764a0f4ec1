/* Texture coordinates of meshes that change. */
#include "coordinates.h"

cp_status simplify_without_coordinates(cp_scene *scene, cp_mesh *mesh, const struct simplify_goal *goal,
                                       struct simplify_result *result, bool *lost)
{
    const cp_mesh before = *mesh;
    bool any = false;
    for (size_t set = 0; set < CP_COORDINATE_SETS; set++) {
        any = any || mesh->coordinates[set];
        mesh->coordinates[set] = NULL;
    }
    cp_status status = mesh_simplify(scene, mesh, goal, result);
    *lost = any && mesh->positions != before.positions;
    for (size_t set = 0; set < CP_COORDINATE_SETS && !*lost; set++)
        mesh->coordinates[set] = before.coordinates[set];
    return status;
}
