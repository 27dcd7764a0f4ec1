/* flatten: every frame with geometry moves below the world where it is now; joints end. */
#include "../motion/mechanism.h"
#include "filters.h"

static void report_losses(cp_context *context, const cp_scene *scene)
{
    if (scene->joint_count > 0)
        report_loss(context, "flatten-joints", NOWHERE, scene->joint_count, "joints become fixed where they are");
    if (scene->device_count > 0)
        report_loss(context, "flatten-devices", NOWHERE, scene->device_count, "devices are left out");
    if (scene->clip_count > 0)
        report_loss(context, "flatten-clips", NOWHERE, scene->clip_count, "clips are left out");
}

/* With what is said about joints. */
static cp_status drop_joints(cp_scene *scene)
{
    static const enum scene_table order[] = {TABLE_CLIPS, TABLE_DEVICES, TABLE_JOINTS};
    cp_status status = CP_OK;
    for (size_t i = 0; i < sizeof order / sizeof *order && status == CP_OK; i++)
        status = scene_drop_rows(scene, order[i], NULL);
    return status;
}

static void move_nodes(cp_scene *scene, const cp_pose *worlds)
{
    for (uint32_t i = 1; i < scene->node_count; i++) {
        scene->nodes[i].local = worlds[i];
        scene->nodes[i].parent = 0;
    }
}

/* Volatile frames are for geometry to come, and placeholders are names of pairs. */
static uint64_t mark_kept(const cp_scene *scene, bool *keep)
{
    uint64_t lost = 0;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const cp_node *node = &scene->nodes[i];
        keep[i] = i == 0 || node->instance_count > 0 || node->flags & (CP_NODE_VOLATILE | CP_NODE_PLACEHOLDER);
        lost += !keep[i];
    }
    return lost;
}

static cp_status drop_empty_frames(cp_context *context, cp_scene *scene, bool *keep)
{
    uint64_t lost = mark_kept(scene, keep);
    uint32_t pairs = scene->pair_count;
    cp_status status = scene_keep(scene, keep);
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
    cp_status status = worlds && keep ? CP_OK : CP_LIMIT;
    if (status == CP_OK)
        status = scene_world_poses(context, scene, NULL, worlds);
    if (status == CP_OK) {
        report_losses(context, scene);
        status = drop_joints(scene);
    }
    if (status == CP_OK) {
        move_nodes(scene, worlds);
        status = drop_empty_frames(context, scene, keep);
    }
    memory_free(context, worlds, node_count, sizeof *worlds);
    memory_free(context, keep, node_count, sizeof *keep);
    return status;
}

const struct filter flatten_filter = {
    .plugin = {.name = "flatten", .title = "Put all parts below the world where they are; joints end"}, .apply = apply};
