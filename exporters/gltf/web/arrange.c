/* The scene before its meshes become integers: what is drawn alone, with normals, in one mesh a link. */
#include "web.h"

#include "../../../scene/mesh/copies/share.h"

#include <string.h>

/* ---- fewer meshes ---- */

/* A placed mesh takes a draw call, and about as many bytes as this many triangles. Named ones are what somebody looks for. */
enum { MOST_REPEATED_TRIANGLES = 500 };

/* Meshes that bring extras stay what these are about. */
static void find_described(const cp_scene *scene, bool *described)
{
    for (uint32_t i = 0; i < scene->metadata_count; i++)
        if (scene->metadata[i].owner == CP_OWNER_MESH && strcmp(scene->metadata[i].key, "extras") == 0)
            described[scene->metadata[i].index] = true;
}

/* keep[mesh]: it is used more than once, and stays one mesh with several places. */
static void find_kept(const cp_scene *scene, const uint32_t *uses, bool *keep)
{
    find_described(scene, keep);
    for (uint32_t i = 0; i < scene->mesh_count; i++) {
        const cp_mesh *mesh = &scene->meshes[i];
        bool worth = (mesh->name && *mesh->name) || cp_mesh_triangles(mesh) > MOST_REPEATED_TRIANGLES;
        keep[i] = keep[i] || (worth && uses[i] > 1);
    }
}

cp_status web_merge(cp_scene *scene, struct merge_result *result)
{
    uint32_t count = scene->mesh_count;
    bool *keep = memory_allocate_zeroed(scene->context, count, sizeof *keep);
    uint32_t *uses = memory_allocate_zeroed(scene->context, count, sizeof *uses);
    struct merge_settings how = {.scope = MERGE_LINK, .groups = true, .shared = true, .keep = keep};
    cp_status status = keep && uses ? CP_OK : CP_LIMIT;
    if (status == CP_OK) {
        for (uint32_t i = 0; i < scene->instance_count; i++)
            uses[scene->instances[i].mesh]++;
        find_kept(scene, uses, keep);
        status = scene_merge_meshes(scene, &how, result);
    }
    memory_free(scene->context, keep, count, sizeof *keep);
    memory_free(scene->context, uses, count, sizeof *uses);
    if (status == CP_OK)
        status = scene_drop_unused(scene);
    return status == CP_OK ? scene_finish(scene) : status;
}

/* Copies that are worth a draw call each. One mesh has none. */
static cp_status share_copies(cp_scene *scene, double *displaced)
{
    const struct copies_settings how = {.moved = true, .reordered = true};
    uint32_t large = 0, count = scene->mesh_count;
    for (uint32_t i = 0; i < count; i++)
        large += cp_mesh_triangles(&scene->meshes[i]) > MOST_REPEATED_TRIANGLES;
    if (large < 2)
        return CP_OK;
    bool *keep = memory_allocate_zeroed(scene->context, count, sizeof *keep);
    if (!keep)
        return CP_LIMIT;
    find_described(scene, keep);
    cp_status status = scene_share_copies(scene, &how, MOST_REPEATED_TRIANGLES + 1, keep, displaced);
    memory_free(scene->context, keep, count, sizeof *keep);
    return status;
}

/* ---- what is drawn ---- */

/* Instances for collision alone go; the writer tells. */
static void drop_undrawn(cp_scene *scene)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < scene->instance_count; i++)
        if (scene->instances[i].use != CP_USE_COLLISION)
            scene->instances[kept++] = scene->instances[i];
    scene->instance_count = kept;
    scene_find_spans(scene);
}

/* Meshes that stand nowhere. */
static cp_status report_unplaced(const cp_scene *scene)
{
    bool *placed = memory_allocate_zeroed(scene->context, scene->mesh_count, sizeof *placed);
    uint32_t count = 0;
    if (!placed)
        return CP_LIMIT;
    for (uint32_t i = 0; i < scene->instance_count; i++)
        placed[scene->instances[i].mesh] = true;
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        count += !placed[i];
    memory_free(scene->context, placed, scene->mesh_count, sizeof *placed);
    if (count > 0)
        report_loss(scene->context, "gltf-unplaced", NOWHERE, count, "meshes that stand nowhere are left out");
    return CP_OK;
}

cp_status web_keep_drawn(cp_scene *scene, double *displaced)
{
    cp_status status = report_unplaced(scene);
    if (status != CP_OK)
        return status;
    uint32_t materials = scene->material_count;
    drop_undrawn(scene);
    status = scene_drop_unused(scene);
    if (status == CP_OK && scene->material_count < materials)
        report_loss(scene->context, "gltf-unplaced", NOWHERE, materials - scene->material_count,
                    "materials that nothing shows are left out");
    return status == CP_OK ? share_copies(scene, displaced) : status;
}

/* ---- normals ---- */

cp_status web_make_normals(cp_scene *scene, double crease)
{
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < scene->mesh_count && status == CP_OK; i++) {
        cp_mesh *mesh = &scene->meshes[i];
        if (mesh->kind == CP_MESH_FACES && mesh->face_count > 0 && !mesh->normals)
            status = mesh_smooth_normals(scene, mesh, crease);
    }
    return status;
}

void web_drop_normals(cp_scene *scene)
{
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        scene->meshes[i].normals = NULL;
}
