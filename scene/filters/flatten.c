/* flatten: every frame with geometry moves below the world, to where it is now; joints end. */
#include "motion/motion.h"

#include "filters.h"

static cp_status flatten(cp_context *context, cp_scene *scene, cp_pose *worlds, bool *keep)
{
    static const enum scene_table order[] = {TABLE_CLIPS, TABLE_DEVICES, TABLE_LOOPS, TABLE_JOINTS};
    cp_status status = scene_world_poses(context, scene, NULL, worlds);
    if (status != CP_OK)
        return status;
    if (scene->joint_count > 0)
        report_loss(context, "flatten-joints", NOWHERE, scene->joint_count, "joints become fixed where they are");
    if (scene->device_count > 0)
        report_loss(context, "flatten-devices", NOWHERE, scene->device_count, "devices are left out");
    if (scene->loop_count > 0)
        report_loss(context, "flatten-loops", NOWHERE, scene->loop_count, "closed loops are left out");
    if (scene->clip_count > 0)
        report_loss(context, "flatten-clips", NOWHERE, scene->clip_count, "clips are left out");
    for (size_t i = 0; i < sizeof order / sizeof *order && status == CP_OK; i++)
        status = scene_drop_rows(scene, order[i], NULL);
    if (status != CP_OK)
        return status;
    uint32_t pairs = scene->pair_count;
    uint64_t lost = 0;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        cp_node *node = &scene->nodes[i];
        if (i > 0) {
            node->local = worlds[i];
            node->parent = 0;
        }
        /* volatile frames will get geometry, and placeholders are names of pairs */
        keep[i] = i == 0 || node->instance_count > 0 || node->flags & (CP_NODE_VOLATILE | CP_NODE_PLACEHOLDER);
        lost += !keep[i];
    }
    status = scene_keep(scene, keep);
    if (lost > 0)
        report_loss(context, "flatten-frames", NOWHERE, lost, "frames without geometry are left out");
    if (status == CP_OK && scene->pair_count < pairs)
        report_loss(context, "flatten-pairs", NOWHERE, pairs - scene->pair_count,
                    "statements about pairs with such a frame are left out");
    return status;
}

static cp_status apply(cp_context *context, cp_scene *scene, const void *settings)
{
    (void)settings;
    uint32_t node_count = scene->node_count;
    cp_pose *worlds = memory_allocate(context, node_count, sizeof *worlds);
    bool *keep = memory_allocate(context, node_count, sizeof *keep);
    cp_status status = worlds && keep ? flatten(context, scene, worlds, keep) : CP_LIMIT;
    memory_free(context, worlds, node_count, sizeof *worlds);
    memory_free(context, keep, node_count, sizeof *keep);
    return status;
}

const struct filter flatten_filter = {
    .plugin = {.name = "flatten", .title = "Put all parts below the world where they are; joints end"}, .apply = apply};
