/* Decides whether <ExcludeStaticPairs/> says the same as a list of the static pairs. */
#include <string.h>

#include "collide/list/list.h"
#include "writer.h"

/* The groups of frames that are joined by fixed frames, in two readings: RobWork's, and ours, in which a frame that a
 * clip moves or attaches elsewhere is not fixed either. Ours are parts of RobWork's. */
struct groups {
    uint32_t *robwork, *own; /* indexed by node: the head of its group; CP_NONE if it cannot collide */
};

static bool find_groups(const struct setup_writer *writer, struct groups *groups)
{
    const cp_scene *scene = writer->scene;
    bool *movables = arena_allocate(writer->arena, scene->node_count, sizeof *movables);
    groups->robwork = arena_allocate(writer->arena, scene->node_count, sizeof *groups->robwork);
    groups->own = arena_allocate(writer->arena, scene->node_count, sizeof *groups->own);
    if (!movables || !groups->robwork || !groups->own)
        return false;
    find_movables(scene, movables);
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const cp_node *node = &scene->nodes[i];
        bool begins =
            node->parent == CP_NONE || node->joint_count > 0 || node->flags & (CP_NODE_MOVABLE | CP_NODE_ATTACHABLE);
        groups->robwork[i] = begins ? i : groups->robwork[node->parent];
        groups->own[i] = begins || movables[i] ? i : groups->own[node->parent];
    }
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (!node_can_collide(scene, i))
            groups->robwork[i] = groups->own[i] = CP_NONE;
    return true;
}

static bool are_grouped(const uint32_t *groups, const cp_pair *pair)
{
    return pair->first != pair->second && groups[pair->first] != CP_NONE && groups[pair->first] == groups[pair->second];
}

/* Finds whether all pairs that RobWork takes for static are excluded, and there are any. */
static cp_status find_whether_all(const struct setup_writer *writer, const struct groups *groups, bool *all)
{
    const cp_scene *scene = writer->scene;
    uint32_t *members = arena_allocate_zeroed(writer->arena, scene->node_count, sizeof *members);
    uint64_t *pairs = arena_allocate(writer->arena, scene->pair_count, sizeof *pairs), static_pairs = 0;
    uint32_t count = 0;
    if (!members || !pairs)
        return CP_LIMIT;
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (groups->robwork[i] != CP_NONE)
            static_pairs += members[groups->robwork[i]]++;
    for (uint32_t i = 0; i < scene->pair_count; i++)
        if (pair_is_excluded(writer, i) && are_grouped(groups->robwork, &scene->pairs[i]))
            pairs[count++] = unordered_pair(scene->pairs[i].first, scene->pairs[i].second);
    *all = static_pairs > 0 && make_set(pairs, count) == static_pairs;
    return CP_OK;
}

cp_status setup_find_static(struct setup_writer *writer)
{
    const cp_scene *scene = writer->scene;
    struct groups groups;
    bool all = false;
    writer->by_element = arena_allocate_zeroed(writer->arena, scene->pair_count, sizeof *writer->by_element);
    if (!writer->by_element)
        return CP_LIMIT;
    writer->static_element = scene->exclude_static_pairs;
    /* A list of names alone has them all; a device's own list must not decide on other pairs of a cell. */
    if (writer->settings->plain || writer->settings->relative || writer->settings->static_pairs == STATIC_NAMES)
        return CP_OK;
    cp_status status = find_groups(writer, &groups) ? find_whether_all(writer, &groups, &all) : CP_LIMIT;
    writer->static_element = writer->static_element || all;
    /* A pair with another reason is listed with it. */
    for (uint32_t i = 0; i < scene->pair_count && status == CP_OK && writer->static_element; i++)
        writer->by_element[i] = pair_is_excluded(writer, i) && strcmp(scene->pairs[i].reason, "static") == 0 &&
                                are_grouped(groups.own, &scene->pairs[i]);
    return status;
}
