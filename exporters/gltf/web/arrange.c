/* Arranges the scene before its meshes become integers: only what is drawn, with normals, in one mesh for each link. */
#include "web.h"

#include <string.h>

#include "mesh/copies/copies.h"

/* A placed mesh takes a draw call, and about as many bytes as this many triangles. Named meshes may be wanted by their
 * names. */
enum { MOST_REPEATED_TRIANGLES = 500 };

/* Finds meshes with extras, which must stay the meshes that the extras describe. */
static void find_described(const cp_scene *scene, bool *described)
{
    for (uint32_t i = 0; i < scene->metadata_count; i++)
        if (scene->metadata[i].owner == CP_OWNER_MESH && strcmp(scene->metadata[i].key, "extras") == 0)
            described[scene->metadata[i].index] = true;
}

cp_status web_merge(cp_scene *scene, enum merge_scope scope, struct merge_result *result)
{
    uint32_t count = scene->mesh_count;
    bool *keep = memory_allocate_zeroed(scene->context, count, sizeof *keep);
    uint32_t *uses = memory_allocate_zeroed(scene->context, count, sizeof *uses);
    struct merge_settings how = {.scope = scope, .groups = true, .shared = true, .grid = true, .keep = keep};
    cp_status status = keep && uses ? CP_OK : CP_LIMIT;
    if (status == CP_OK) {
        for (uint32_t i = 0; i < scene->instance_count; i++)
            uses[scene->instances[i].mesh]++;
        find_described(scene, keep);
        /* A mesh that is used more than once stays one with several places, if it is worth them. */
        for (uint32_t i = 0; i < count; i++) {
            const cp_mesh *mesh = &scene->meshes[i];
            bool worth = (mesh->name && *mesh->name) || cp_mesh_triangles(mesh) > MOST_REPEATED_TRIANGLES;
            keep[i] = keep[i] || (worth && uses[i] > 1);
        }
        status = scene_merge_meshes(scene, &how, result);
    }
    memory_free(scene->context, keep, count, sizeof *keep);
    memory_free(scene->context, uses, count, sizeof *uses);
    if (status == CP_OK)
        status = scene_drop_unused(scene);
    return status == CP_OK ? scene_finish(scene) : status;
}

cp_status web_keep_drawn(cp_scene *scene, double *displaced)
{
    cp_context *context = scene->context;
    uint32_t unplaced = scene->mesh_count, materials = scene->material_count, kept = 0, count = scene->mesh_count;
    bool *marks = memory_allocate_zeroed(context, count, sizeof *marks);
    if (!marks)
        return CP_LIMIT;
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        unplaced -= !marks[scene->instances[i].mesh];
        marks[scene->instances[i].mesh] = true;
    }
    memory_free(context, marks, count, sizeof *marks);
    if (unplaced > 0)
        report_loss(context, "gltf-unplaced", NOWHERE, unplaced, "meshes without an instance are left out");

    /* Drop instances for collision alone; the writer reports them. */
    for (uint32_t i = 0; i < scene->instance_count; i++)
        if (scene->instances[i].use != CP_USE_COLLISION)
            scene->instances[kept++] = scene->instances[i];
    scene->instance_count = kept;
    scene_find_spans(scene);
    cp_status status = scene_drop_unused(scene);
    if (status == CP_OK && scene->material_count < materials)
        report_loss(context, "gltf-unplaced", NOWHERE, materials - scene->material_count,
                    "unused materials are left out");

    /* Find copies that are worth a draw call each. A single mesh has none. */
    const struct copies_settings how = {.moved = true, .reordered = true};
    uint32_t large = 0;
    count = scene->mesh_count;
    for (uint32_t i = 0; i < count; i++)
        large += cp_mesh_triangles(&scene->meshes[i]) > MOST_REPEATED_TRIANGLES;
    if (status != CP_OK || large < 2)
        return status;
    marks = memory_allocate_zeroed(context, count, sizeof *marks);
    if (!marks)
        return CP_LIMIT;
    find_described(scene, marks);
    status = scene_share_copies(scene, &how, MOST_REPEATED_TRIANGLES + 1, marks, displaced);
    memory_free(context, marks, count, sizeof *marks);
    return status;
}
