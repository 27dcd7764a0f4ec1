/* Scenes with frames left out: what is kept stays where its joints hold it. */
#include <string.h>

#include "model/model.h"
#include "model/tables.h"
#include "motion.h"

/* Maps the kept nodes. A kept node below lost ones becomes a child of the nearest kept one, and their current poses
 * become part of its own. moved[node] is set if the node's pose is in another frame than before. */
static cp_status keep_nodes(struct moves *moves, const cp_mechanism *mechanism, const bool *keep, bool *moved)
{
    cp_scene *scene = moves->scene;
    uint32_t kept = 0, *map = moves_add_map(moves, TABLE_NODES);
    /* above[i] is the frame of a lost node in that of the nearest kept node above, which is its parent from then on. */
    cp_pose *above = memory_allocate(scene->context, scene->node_count, sizeof *above);
    bool good = map && above;
    for (uint32_t i = 0; good && i < scene->node_count; i++) {
        cp_node *node = &scene->nodes[i];
        const cp_pose *lost = i > 0 && map[node->parent] == CP_NONE ? &above[node->parent] : NULL;
        map[i] = i == 0 || keep[i] ? kept++ : CP_NONE;
        if (map[i] == CP_NONE) {
            above[i] = node_pose(mechanism, i, &node->local);
            if (lost)
                above[i] = pose_multiply(lost, &above[i]);
        } else if (lost) {
            node->local = pose_multiply(lost, &node->local);
            moved[i] = !pose_is_identity(lost);
        }
        if (lost)
            node->parent = scene->nodes[node->parent].parent;
    }
    memory_free(scene->context, above, scene->node_count, sizeof *above);
    return good ? CP_OK : CP_LIMIT;
}

/* Maps the kept joints, devices and loops. If a joint is lost that others depend on, these stay where they are. */
static cp_status keep_joints(struct moves *moves, const cp_mechanism *mechanism)
{
    cp_scene *scene = moves->scene;
    if (!moves_find(moves, TABLE_JOINTS))
        return CP_LIMIT;
    const uint32_t *map = moves->maps[TABLE_JOINTS];
    for (uint32_t i = 0; i < scene->joint_count; i++) {
        cp_joint *joint = &scene->joints[i];
        bool free = (joint->master != CP_NONE && map[joint->master] == CP_NONE) ||
                    (joint->expression && !row_stays(moves, &expression_layout, joint->expression));
        if (map[i] == CP_NONE || !free)
            continue;
        if (joint->master != CP_NONE)
            joint->home = joint->scale * scene->joints[joint->master].home + joint->offset;
        joint->q = mechanism->values[i];
        joint->master = CP_NONE;
        joint->expression = NULL;
        joint->scale = 1;
        joint->offset = 0;
        report_loss(scene->context, "scene-master", NOWHERE, 1, "joints lose their master joint, which was removed");
    }
    if (!moves_find(moves, TABLE_DEVICES) || !moves_find(moves, TABLE_LOOPS))
        return CP_LIMIT;
    for (uint32_t i = 0; i < scene->loop_count; i++) {
        const uint32_t *ends = scene->loops[i].nodes, *kept = moves->maps[TABLE_NODES];
        if (moves->maps[TABLE_LOOPS][i] == CP_NONE && (kept[ends[0]] != CP_NONE || kept[ends[1]] != CP_NONE))
            report_loss(scene->context, "scene-loop", NOWHERE, 1, "loops are left out, since a frame of theirs is");
    }
    for (uint32_t i = 0; i < scene->device_count; i++)
        if (moves->maps[TABLE_DEVICES][i] == CP_NONE && moves->maps[TABLE_NODES][scene->devices[i].base] != CP_NONE)
            report_loss(scene->context, "scene-device", NOWHERE, 1, "incomplete devices are left out");
    return CP_OK;
}

/* Notes that a node stands still in a clip. Returns whether that is new. */
static bool stop(uint32_t *still, uint32_t node, uint32_t clip)
{
    bool fresh = still[node] != clip;
    still[node] = clip;
    return fresh;
}

/* Stops nodes whose motion in a clip was given in a frame that is lost: those that the clip attaches to a lost node,
 * and those that have tracks and another parent now. The caller gives memory: still[node] is the last clip, counted
 * from 1, in which the node stands still; parents[node] is scratch. */
static cp_status stop_orphans(const struct moves *moves, const bool *moved, uint32_t *still, uint32_t *parents)
{
    cp_scene *scene = moves->scene;
    const uint32_t *map = moves->maps[TABLE_NODES];
    uint64_t lost = 0;
    for (uint32_t number = 1; number <= scene->clip_count; number++) {
        cp_clip *clip = &scene->clips[number - 1];
        uint64_t before = lost;
        for (uint32_t i = 0; i < clip->track_count; i++)
            if (clip->tracks[i].path != CP_PATH_JOINT && moved[clip->tracks[i].target])
                lost += stop(still, clip->tracks[i].target, number);
        for (uint32_t i = 0; i < clip->attachment_count; i++)
            if (map[clip->attachments[i].node] != CP_NONE && map[clip->attachments[i].host] == CP_NONE)
                lost += stop(still, clip->attachments[i].node, number);
        if (lost == before)
            continue;

        /* The attachments of stopped nodes are left out, and the rest may then form a cycle. If so, all nodes that the
         * clip attaches stand still. */
        bool tree = true;
        for (uint32_t i = 0; i < scene->node_count; i++)
            parents[i] = scene->nodes[i].parent;
        for (uint32_t i = 0; i < clip->attachment_count && tree; i++) {
            uint32_t node = clip->attachments[i].node;
            if (map[node] != CP_NONE && still[node] != number)
                tree = attach_node(scene->context, parents, node, clip->attachments[i].host);
        }
        for (uint32_t i = 0; i < clip->attachment_count && !tree; i++)
            if (map[clip->attachments[i].node] != CP_NONE)
                lost += stop(still, clip->attachments[i].node, number);

        /* Their tracks and attachments now refer to no node, so that moves_end removes them. */
        cp_track *tracks = arena_copy(scene->arena, clip->tracks, clip->track_count, sizeof *tracks);
        cp_attachment *attachments =
            arena_copy(scene->arena, clip->attachments, clip->attachment_count, sizeof *attachments);
        if (!tracks || !attachments)
            return CP_LIMIT;
        for (uint32_t i = 0; i < clip->track_count; i++)
            if (tracks[i].path != CP_PATH_JOINT && still[tracks[i].target] == number)
                tracks[i].target = CP_NONE;
        for (uint32_t i = 0; i < clip->attachment_count; i++)
            if (still[attachments[i].node] == number)
                attachments[i].node = CP_NONE;
        clip->tracks = tracks;
        clip->attachments = attachments;
    }
    if (lost > 0)
        report_loss(scene->context, "scene-attachment", NOWHERE, lost,
                    "the motion of a frame that a clip gives relative to a removed one");
    return CP_OK;
}

cp_status scene_keep(cp_scene *scene, const bool *keep)
{
    cp_context *context = scene->context;
    struct moves moves = {.scene = scene};
    uint32_t nodes = scene->node_count;
    struct arena *scratch = arena_new(context);
    bool *moved = arena_allocate_zeroed(scratch, nodes, sizeof *moved);
    uint32_t *still = arena_allocate_zeroed(scratch, nodes, sizeof *still);
    uint32_t *parents = arena_allocate(scratch, nodes, sizeof *parents);
    cp_mechanism mechanism; /* of the scene before anything is lost */
    cp_status status = mechanism_open(&mechanism, context, scene);
    if (status == CP_OK)
        status = moved && still && parents ? keep_nodes(&moves, &mechanism, keep, moved) : CP_LIMIT;
    if (status == CP_OK)
        status = keep_joints(&moves, &mechanism);
    if (status == CP_OK)
        status = stop_orphans(&moves, moved, still, parents);
    status = moves_end(&moves, status);
    mechanism_close(&mechanism);
    arena_free(scratch);
    if (status != CP_OK)
        return status;
    uint32_t kept = 0; /* clips that still move anything */
    for (uint32_t i = 0; i < scene->clip_count; i++)
        if (scene->clips[i].track_count + scene->clips[i].attachment_count > 0)
            scene->clips[kept++] = scene->clips[i];
    scene->clip_count = kept;
    return scene_drop_unused(scene);
}
