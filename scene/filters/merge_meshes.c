/* merge-meshes: the meshes of frames that move together become one for each material and use. */
#include "mesh/merge/merge.h"

#include "filters.h"
#include "shared.h"

struct merge_meshes_settings {
    int by, materials, shared;
    bool primitives;
};

enum materials { MATERIALS_SPLIT, MATERIALS_GROUPS };
enum shared { SHARED_KEEP, SHARED_MERGE };

static const cp_option options[] = {
    {"by", "link: frames that never move against each other; node: each frame for itself; scene: all as it stands",
     CP_OPTION_CHOICE, offsetof(struct merge_meshes_settings, by), "link", .choices = "link|node|scene"},
    {"materials", "split: a mesh for each material; groups: one mesh, a group for each", CP_OPTION_CHOICE,
     offsetof(struct merge_meshes_settings, materials), "split", .choices = "split|groups"},
    {"shared", "keep: leave meshes alone that are placed more than once; merge: join them, too", CP_OPTION_CHOICE,
     offsetof(struct merge_meshes_settings, shared), "keep", .choices = "keep|merge"},
    {"primitives", "join boxes, cylinders and the like, as faces", CP_OPTION_BOOLEAN,
     offsetof(struct merge_meshes_settings, primitives), .initial = "no"},
    CP_OPTIONS_END};

static cp_status apply(cp_context *context, cp_scene *scene, const void *settings)
{
    static const enum merge_scope scopes[] = {MERGE_LINK, MERGE_NODE, MERGE_SCENE};
    const struct merge_meshes_settings *merge = settings;
    const struct merge_settings how = {.scope = scopes[merge->by],
                                       .groups = merge->materials == MATERIALS_GROUPS,
                                       .primitives = merge->primitives,
                                       .shared = merge->shared == SHARED_MERGE};
    struct merge_result result;
    uint64_t planes = count_planes(scene);
    cp_status status = scene_merge_meshes(scene, &how, &result);
    if (status != CP_OK)
        return status;
    merge_report(context, &result);
    report_borders(context, scene, planes);
    return CP_OK;
}

const struct filter merge_meshes_filter = {.plugin = {.name = "merge-meshes",
                                                      .title = "Join the meshes of frames that move together",
                                                      .options = options,
                                                      .settings_size = sizeof(struct merge_meshes_settings)},
                                           .apply = apply};
