/* Links: frames that never move against each other. */
#include "base/context.h"

#include "model.h"

bool attach_node(const cp_context *context, uint32_t *parents, uint32_t node, uint32_t host)
{
    uint64_t steps = 0;
    uint32_t at = host;
    while (at != CP_NONE && at != node && steps++ <= context->limits.depth)
        at = parents[at];
    if (at != CP_NONE || node == 0)
        return false;
    parents[node] = host;
    return true;
}

void scene_find_links(const cp_scene *scene, uint32_t *heads)
{
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const cp_node *node = &scene->nodes[i];
        bool moves = i == 0 || node->flags & (CP_NODE_MOVABLE | CP_NODE_ATTACHABLE);
        for (uint32_t k = 0; k < node->joint_count && !moves; k++)
            moves = scene->joints[node->first_joint + k].type != CP_JOINT_FIXED;
        heads[i] = moves ? i : CP_NONE;
    }
    for (uint32_t i = 0; i < scene->clip_count; i++) {
        const cp_clip *clip = &scene->clips[i];
        for (uint32_t k = 0; k < clip->track_count; k++)
            if (clip->tracks[k].path != CP_PATH_JOINT)
                heads[clip->tracks[k].target] = clip->tracks[k].target;
        for (uint32_t k = 0; k < clip->attachment_count; k++)
            heads[clip->attachments[k].node] = clip->attachments[k].node;
    }
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (heads[i] == CP_NONE)
            heads[i] = heads[scene->nodes[i].parent];
}
