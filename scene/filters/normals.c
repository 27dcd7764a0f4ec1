/* normals: computes or drops vertex normals. */
#include "shared.h"

#include "filters.h"
#include "mesh/mesh.h"

enum mode { MODE_SMOOTH, MODE_KEEP, MODE_NONE };
enum weight { WEIGHT_ANGLE, WEIGHT_AREA };

struct normals_settings {
    int mode;
    double crease;
    int weight;
};

static const cp_option options[] = {
    {"mode", "smooth: compute all; keep: only where a mesh has none; none: drop them", CP_OPTION_CHOICE,
     offsetof(struct normals_settings, mode), "smooth", .choices = "smooth|keep|none"},
    {"crease", "faces that meet at this angle or more keep an edge", CP_OPTION_ANGLE,
     offsetof(struct normals_settings, crease), CREASE_TEXT, .maximum = PI},
    {"weight", "what a face counts at a corner: its angle there, or its area", CP_OPTION_CHOICE,
     offsetof(struct normals_settings, weight), "angle", .choices = "angle|area"},
    CP_OPTIONS_END};

/* Computes normals. A primitive has no place for them, so it becomes faces, which loses its sizes but no shape. */
static cp_status compute_normals(cp_scene *scene, cp_mesh *mesh, const struct normals_settings *normals,
                                 uint32_t *primitives)
{
    *primitives += mesh->kind >= CP_MESH_BOX;
    cp_status status = mesh_tessellate(scene, mesh);
    if (status != CP_OK)
        return status;
    return normals->weight == WEIGHT_AREA ? mesh_smooth_normals_by_area(scene, mesh, normals->crease)
                                          : mesh_smooth_normals(scene, mesh, normals->crease);
}

static cp_status apply(cp_context *context, cp_scene *scene, const void *settings)
{
    const struct normals_settings *normals = settings;
    cp_status status = CP_OK;
    uint32_t primitives = 0, tangents = 0;
    uint64_t planes = count_planes(scene);
    for (uint32_t i = 0; i < scene->mesh_count && status == CP_OK; i++) {
        cp_mesh *mesh = &scene->meshes[i];
        const bool shown = mesh_shows_tangents(scene, mesh);
        if (normals->mode == MODE_NONE)
            mesh->normals = mesh->tangents = NULL;
        else if (normals->mode == MODE_SMOOTH || !mesh->normals)
            status = compute_normals(scene, mesh, normals, &primitives);
        tangents += shown && !mesh->tangents;
    }
    if (status == CP_OK && primitives > 0)
        report_note(context, "normals-primitives", NOWHERE, "%u boxes, cylinders and the like become faces",
                    primitives);
    if (status == CP_OK && tangents > 0)
        report_loss(context, "normals-tangents", NOWHERE, tangents,
                    "tangents of meshes with normal maps are left out: they belong to the old normals");
    if (status == CP_OK)
        report_borders(context, scene, planes);
    return status;
}

const struct filter normals_filter = {.plugin = {.name = "normals",
                                                 .title = "Compute smooth vertex normals, or drop them",
                                                 .options = options,
                                                 .settings_size = sizeof(struct normals_settings)},
                                      .apply = apply};
