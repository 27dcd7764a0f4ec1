/* How many pairs of frames a collision checker looks at (robwork-tag semantics, docs/collision-setup.md): all pairs of
 * candidates, less the excluded ones and, where the scene says so, those that cannot move against each other. */
#include <stdlib.h>

#include "../build.h"
#include "../context.h"

/* The head of each node's static group: a joint, a movable or an attachable frame begins a new one. */
static void find_groups(const cp_scene *scene, uint32_t *groups)
{
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const cp_node *node = &scene->nodes[i];
        bool moves = node->joint_count > 0 || (node->flags & (CP_NODE_MOVABLE | CP_NODE_ATTACHABLE));
        groups[i] = node->parent == CP_NONE || moves ? i : groups[node->parent];
    }
}

static bool is_candidate(const cp_scene *scene, uint32_t index)
{
    const cp_node *node = &scene->nodes[index];
    bool collides = node->flags & CP_NODE_VOLATILE;
    for (uint32_t i = 0; i < node->instance_count && !collides; i++)
        collides = scene->instances[node->first_instance + i].use & CP_USE_COLLISION;
    return collides && !(node->flags & CP_NODE_PLACEHOLDER);
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* The distinct excluded pairs of two different candidates, less the static ones when those are counted apart. */
static uint64_t count_excluded(const cp_scene *scene, const uint32_t *groups, uint64_t *keys)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < scene->pair_count; i++) {
        const cp_pair *pair = &scene->pairs[i];
        uint32_t low = pair->first < pair->second ? pair->first : pair->second;
        uint32_t high = pair->first < pair->second ? pair->second : pair->first;
        bool counted =
            pair->verdict == CP_PAIR_EXCLUDED && low != high && is_candidate(scene, low) && is_candidate(scene, high);
        bool apart = scene->exclude_static_pairs && groups[low] == groups[high];
        if (counted && !apart)
            keys[count++] = (uint64_t)low << 32 | high;
    }
    qsort(keys, count, sizeof *keys, compare_keys);
    uint64_t distinct = 0;
    for (uint32_t i = 0; i < count; i++)
        distinct += i == 0 || keys[i] != keys[i - 1];
    return distinct;
}

static uint64_t key_of(const cp_pair *pair)
{
    bool ordered = pair->first < pair->second;
    return (uint64_t)(ordered ? pair->first : pair->second) << 32 | (ordered ? pair->second : pair->first);
}

static uint64_t count_left_out(const cp_scene *scene, const uint32_t *groups, uint64_t *keys)
{
    uint32_t excluded = 0;
    uint64_t count = 0;
    for (uint32_t i = 0; i < scene->pair_count; i++)
        if (scene->pairs[i].verdict == CP_PAIR_EXCLUDED)
            keys[excluded++] = key_of(&scene->pairs[i]);
    qsort(keys, excluded, sizeof *keys, compare_keys);
    for (uint32_t i = 0; i < scene->pair_count; i++) {
        const cp_pair *pair = &scene->pairs[i];
        uint64_t key = key_of(pair);
        if (pair->verdict == CP_PAIR_KEPT)
            count += (scene->exclude_static_pairs && groups[pair->first] == groups[pair->second]) ||
                     bsearch(&key, keys, excluded, sizeof *keys, compare_keys);
    }
    return count;
}

cp_status pairs_count_left_out(cp_context *context, const cp_scene *scene, uint64_t *count)
{
    uint32_t *groups = memory_allocate(context, scene->node_count, sizeof *groups);
    uint64_t *keys = memory_allocate(context, scene->pair_count, sizeof *keys);
    bool good = groups && keys;
    if (good) {
        find_groups(scene, groups);
        *count = count_left_out(scene, groups, keys);
    }
    memory_free(context, groups, scene->node_count, sizeof *groups);
    memory_free(context, keys, scene->pair_count, sizeof *keys);
    return good ? CP_OK : CP_LIMIT;
}

static uint64_t pairs_of(uint64_t count)
{
    return count == 0 ? 0 : count % 2 ? (count - 1) / 2 * count : count / 2 * (count - 1);
}

/* members: zeroed, a place for each node. */
static uint64_t count_static(const cp_scene *scene, const uint32_t *groups, uint32_t *members)
{
    uint64_t pairs = 0;
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (is_candidate(scene, i))
            pairs += members[groups[i]]++;
    return pairs;
}

cp_status cp_count_pairs(cp_context *context, const cp_scene *scene, cp_pair_counts *counts)
{
    *counts = (cp_pair_counts){0};
    uint32_t *groups = memory_allocate(context, scene->node_count, sizeof *groups);
    uint32_t *members = memory_allocate_zeroed(context, scene->node_count, sizeof *members);
    uint64_t *keys = memory_allocate(context, scene->pair_count, sizeof *keys);
    bool good = groups && members && keys;
    if (good) {
        find_groups(scene, groups);
        for (uint32_t i = 0; i < scene->node_count; i++)
            counts->candidates += is_candidate(scene, i);
        counts->all = pairs_of(counts->candidates);
        counts->checked = counts->all - count_excluded(scene, groups, keys);
        if (scene->exclude_static_pairs)
            counts->checked -= count_static(scene, groups, members);
    }
    memory_free(context, groups, scene->node_count, sizeof *groups);
    memory_free(context, members, scene->node_count, sizeof *members);
    memory_free(context, keys, scene->pair_count, sizeof *keys);
    return context_finish(context, good ? CP_OK : CP_LIMIT);
}
