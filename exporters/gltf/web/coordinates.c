/* Places texture coordinates for the web on one grid in all meshes, so that a material is not written once for each
 * mesh. */
#include "web.h"

#include <math.h>

#include "mesh/mesh.h"
#include "mesh/simplify/simplify.h"

/* Returns how many sets, from the first on, the textures of a material use. */
static uint32_t sets_of(const cp_material *material)
{
    uint32_t sets = 0;
    for (uint32_t i = 0; i < material->texture_count; i++)
        sets = material->textures[i].set + 1 > sets ? material->textures[i].set + 1 : sets;
    return sets;
}

uint32_t web_drop_coordinates(cp_scene *scene)
{
    uint32_t dropped = 0;
    for (uint32_t i = 0; i < scene->mesh_count; i++) {
        cp_mesh *mesh = &scene->meshes[i];
        uint32_t used = 0;
        bool any = false;
        for (uint32_t k = 0; k < mesh->group_count; k++) {
            uint32_t material = mesh->groups[k].material;
            uint32_t sets = material == CP_NONE ? 0 : sets_of(&scene->materials[material]);
            used = sets > used ? sets : used;
        }
        for (uint32_t set = used; set < CP_COORDINATE_SETS; set++) {
            any = any || mesh->coordinates[set];
            mesh->coordinates[set] = NULL;
        }
        if (!mesh_shows_tangents(scene, mesh))
            mesh->tangents = NULL;
        dropped += any;
    }
    return dropped;
}

/* Returns the most texels that a coordinate of the set covers from 0 to 1, in any image. */
static double count_texels(const cp_scene *scene, uint32_t set)
{
    double most = 1;
    for (uint32_t i = 0; i < scene->material_count; i++)
        most = fmax(most, material_texels(scene, i, set));
    return most;
}

void web_place_coordinates(const cp_scene *scene, struct web_coordinates sets[CP_COORDINATE_SETS])
{
    for (uint32_t set = 0; set < CP_COORDINATE_SETS; set++) {
        double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        struct web_coordinates *to = &sets[set];
        *to = (struct web_coordinates){.step = exp2(-ceil(log2(count_texels(scene, set))))};
        for (uint32_t i = 0; i < scene->mesh_count; i++) {
            const cp_mesh *mesh = &scene->meshes[i];
            for (uint32_t k = 0; mesh->coordinates[set] && k < mesh->corner_count; k++)
                for (size_t axis = 0; axis < 2; axis++) {
                    double value = (double)mesh->coordinates[set][2 * (size_t)mesh->corners[k] + axis];
                    low[axis] = fmin(low[axis], value);
                    high[axis] = fmax(high[axis], value);
                }
        }
        to->used = low[0] <= high[0];
        to->integers = to->used;
        for (int axis = 0; axis < 2 && to->used; axis++) {
            to->origin[axis] = floor(low[axis] / to->step) * to->step;
            to->integers = to->integers && (high[axis] - to->origin[axis]) / to->step < UINT16_MAX;
        }
    }
}
