/* lod: adds levels of detail, as further meshes that no frame draws; or puts one of them in the place of the
 * original. */
#include <math.h>

#include "filters.h"
#include "mesh/mesh.h"
#include "reduce.h"

struct lod_settings {
    int64_t levels, level;
    double ratio;
    int quality, topology;
};

static const cp_option options[] = {
    {"levels", "how many levels below the original", CP_OPTION_INTEGER, offsetof(struct lod_settings, levels), "3",
     .minimum = 1, .maximum = MOST_LEVELS},
    {"ratio", "the part of the triangles that stays from level to level", CP_OPTION_RATIO,
     offsetof(struct lod_settings, ratio), "0.5", .minimum = 0.01, .maximum = 0.99},
    {"level", "the level that is drawn; 0: the original", CP_OPTION_INTEGER, offsetof(struct lod_settings, level), "0",
     .maximum = MOST_LEVELS},
    {"quality", "best, or a draft in less time", CP_OPTION_CHOICE, offsetof(struct lod_settings, quality), "best",
     .choices = "best|fast"},
    {"topology", "may holes close and shells vanish; auto: yes, if anybody sees it", CP_OPTION_CHOICE,
     offsetof(struct lod_settings, topology), "auto", .choices = TOPOLOGY_CHOICES},
    CP_OPTIONS_END};

/* Adds a level. Each is made of the original, so that errors do not add up, and is called NAME_lod2, by the name or the
 * id. */
static cp_status add_level(struct reduction *reduction, uint32_t number, uint32_t level, double ratio, uint32_t *added)
{
    cp_scene *scene = reduction->scene;
    cp_mesh mesh = scene->meshes[number];
    const char *name = mesh.name && *mesh.name ? mesh.name : mesh.id ? mesh.id : "mesh";
    const cp_extent none = {0, 0};
    double triangles = (double)mesh_triangle_count(&mesh);
    for (uint32_t i = 0; i < level; i++)
        triangles *= ratio;
    reduction->level = level;
    cp_status status = reduce_mesh(reduction, number, &mesh, (uint64_t)ceil(triangles * (1 - 1e-12)), &none);
    if (status != CP_OK)
        return status;
    mesh.id = NULL;
    mesh.name = arena_print(scene->arena, "%s_lod%u", name, level);
    *added = mesh.name ? scene_add_mesh(scene, &mesh) : CP_NONE;
    return *added != CP_NONE ? CP_OK : CP_LIMIT;
}

static cp_status apply(cp_context *context, cp_scene *scene, const void *settings)
{
    const struct lod_settings *given = settings;
    if (given->level > given->levels)
        return report_error(context, CP_USAGE, "lod-level", NOWHERE, "level=%lld: there are %lld levels",
                            (long long)given->level, (long long)given->levels);
    struct reduction reduction;
    cp_status status = reduction_begin(&reduction, scene, given->quality == 1, given->topology, 0) ? CP_OK : CP_LIMIT;
    for (uint32_t mesh = 0; mesh < reduction.mesh_count && status == CP_OK; mesh++) {
        uint32_t added;
        if (scene->meshes[mesh].kind != CP_MESH_FACES) {
            reduction.others++;
            continue;
        }
        for (uint32_t level = 1; level <= given->levels && status == CP_OK; level++) {
            status = add_level(&reduction, mesh, level, given->ratio, &added);
            for (uint32_t i = 0; status == CP_OK && level == given->level && i < scene->instance_count; i++)
                if (scene->instances[i].mesh == mesh)
                    scene->instances[i].mesh = added;
        }
    }
    if (status == CP_OK)
        reduction_report(&reduction);
    reduction_end(&reduction);
    return status;
}

const struct filter lod_filter = {.plugin = {.name = "lod",
                                             .title = "Levels of detail as further meshes",
                                             .options = options,
                                             .settings_size = sizeof(struct lod_settings)},
                                  .apply = apply};
