/* Texture coordinates of meshes. */
#include "mesh/simplify/simplify.h"

#include <math.h>

double material_texels(const cp_scene *scene, uint32_t material, uint32_t set)
{
    const double unknown = 4096;
    const cp_material *of = &scene->materials[material];
    double most = 0;
    for (uint32_t i = 0; i < of->texture_count; i++) {
        const cp_texture_use *use = &of->textures[i];
        const cp_texture *texture = &scene->textures[use->texture];
        const uint32_t images[] = {texture->image, texture->fallback};
        double scale = fmax(fabs(use->scale[0]), fabs(use->scale[1]));
        for (size_t image = 0; image < 2 && use->set == set; image++) {
            uint32_t size[2];
            if (images[image] == CP_NONE)
                continue;
            bool known = image_size(&scene->images[images[image]], size);
            most = fmax(most, scale * (known ? fmax(size[0], size[1]) : unknown));
        }
    }
    return most;
}

cp_status simplify_textured(cp_scene *scene, cp_mesh *mesh, struct simplify_goal goal, struct simplify_result *result)
{
    if (!mesh->coordinates[0] && !mesh->coordinates[1])
        return mesh_simplify(scene, mesh, &goal, result);
    size_t count = mesh->group_count > 0 ? mesh->group_count : 1;
    float(*texels)[CP_COORDINATE_SETS] = memory_allocate_zeroed(scene->context, count, sizeof *texels);
    if (!texels)
        return CP_LIMIT;
    for (uint32_t group = 0; group < mesh->group_count; group++)
        for (uint32_t set = 0; set < CP_COORDINATE_SETS && mesh->groups[group].material != CP_NONE; set++)
            texels[group][set] = (float)material_texels(scene, mesh->groups[group].material, set);
    goal.texels = (const float(*)[CP_COORDINATE_SETS])texels;
    cp_status status = mesh_simplify(scene, mesh, &goal, result);
    memory_free(scene->context, texels, count, sizeof *texels);
    return status;
}
