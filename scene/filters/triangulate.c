/* triangulate: faces of more than 3 corners become triangles. */
#include "shared.h"

#include "filters.h"
#include "mesh/mesh.h"

struct triangulate_settings {
    bool primitives;
};

static const cp_option options[] = {{"primitives", "boxes, cylinders and the like too", CP_OPTION_BOOLEAN,
                                     offsetof(struct triangulate_settings, primitives), .initial = "no"},
                                    CP_OPTIONS_END};

static cp_status apply(cp_context *context, cp_scene *scene, const void *settings)
{
    const struct triangulate_settings *triangulate = settings;
    uint64_t planes = count_planes(scene);
    for (uint32_t i = 0; i < scene->mesh_count; i++) {
        cp_mesh *mesh = &scene->meshes[i];
        cp_status status = triangulate->primitives ? mesh_tessellate(scene, mesh) : CP_OK;
        if (status == CP_OK)
            status = mesh_triangulate(scene, mesh);
        if (status != CP_OK)
            return status;
    }
    report_borders(context, scene, planes);
    return CP_OK;
}

const struct filter triangulate_filter = {.plugin = {.name = "triangulate",
                                                     .title = "Cut faces into triangles",
                                                     .options = options,
                                                     .settings_size = sizeof(struct triangulate_settings)},
                                          .apply = apply};
