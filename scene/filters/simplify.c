/* simplify: fewer triangles for the same shape, mesh by mesh. */
#include <math.h>

#include "filters.h"
#include "mesh/mesh.h"
#include "reduce.h"

struct simplify_settings {
    double ratio;
    int64_t triangles;
    cp_extent error;
    int quality, topology;
    double texels;
};

static const cp_option options[] = {
    {"ratio", "one of ratio=, triangles= and error= is required: the part of each mesh's triangles that stays",
     CP_OPTION_RATIO, offsetof(struct simplify_settings, ratio), "1", .maximum = 1},
    {"triangles", "about how many are drawn in all, each mesh giving up the same part", CP_OPTION_INTEGER,
     offsetof(struct simplify_settings, triangles), .minimum = 1, .maximum = 9e15},
    {"error", "no point of either surface farther from the other: 0.1mm, or 0.1% of each mesh's diagonal",
     CP_OPTION_EXTENT, .offset = offsetof(struct simplify_settings, error)},
    {"quality", "best, or a draft in less time", CP_OPTION_CHOICE, offsetof(struct simplify_settings, quality), "best",
     .choices = "best|fast"},
    {"topology", "may holes close and shells vanish; auto: yes, if anybody sees it", CP_OPTION_CHOICE,
     offsetof(struct simplify_settings, topology), "auto", .choices = TOPOLOGY_CHOICES},
    {"texels", "a texture is off by no more of its texels, about", CP_OPTION_NUMBER,
     offsetof(struct simplify_settings, texels), "1", .minimum = 0.001, .maximum = 1e9},
    CP_OPTIONS_END};

static cp_status apply(cp_context *context, cp_scene *scene, const void *settings)
{
    const struct simplify_settings *given = settings;
    bool bounded = given->error.metres > 0 || given->error.part > 0;
    if (given->ratio == 1 && given->triangles == 0 && given->error.metres == 0 && given->error.part == 0)
        return report_error(context, CP_USAGE, "simplify-goal", NOWHERE, "give ratio=, triangles= or error=");
    /* Find the part of each mesh that stays; 0 if only the error counts. drawn: the triangles of all instances. */
    uint64_t drawn = 0;
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        const cp_mesh *mesh = &scene->meshes[scene->instances[i].mesh];
        drawn += mesh->kind == CP_MESH_FACES ? mesh_triangle_count(mesh) : 0;
    }
    double ratio = given->ratio;
    if (given->triangles > 0 && drawn > 0)
        ratio = fmin(ratio, (double)given->triangles / (double)drawn);
    if (ratio == 1 && given->triangles == 0 && bounded)
        ratio = 0;
    struct reduction reduction;
    cp_status status =
        reduction_begin(&reduction, scene, given->quality == 1, given->topology, given->texels) ? CP_OK : CP_LIMIT;
    for (uint32_t i = 0; i < scene->mesh_count && status == CP_OK; i++) {
        double triangles =
            ceil(ratio * (double)mesh_triangle_count(&scene->meshes[i]) * (1 - 1e-12)); /* rounding aside */
        status = reduce_mesh(&reduction, i, &scene->meshes[i], (uint64_t)triangles, &given->error);
    }
    if (status == CP_OK)
        reduction_report(&reduction);
    reduction_end(&reduction);
    return status;
}

const struct filter simplify_filter = {.plugin = {.name = "simplify",
                                                  .title = "Fewer triangles for the same shape",
                                                  .options = options,
                                                  .settings_size = sizeof(struct simplify_settings)},
                                       .apply = apply};
