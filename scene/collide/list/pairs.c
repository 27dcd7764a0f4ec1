#include "list.h"

#include <string.h>

#include "base/context.h"

static bool has_geometry(const cp_scene *scene, const cp_node *node)
{
    bool has = false;
    for (uint32_t i = 0; i < node->instance_count && !has; i++)
        has = scene->instances[node->first_instance + i].use & CP_USE_COLLISION;
    return has && !(node->flags & CP_NODE_PLACEHOLDER);
}

/* Tells whether the node may get its first geometry, or another one. */
static bool is_volatile(const cp_node *node)
{
    return node->flags & CP_NODE_VOLATILE && !(node->flags & CP_NODE_PLACEHOLDER);
}

bool node_can_collide(const cp_scene *scene, uint32_t index)
{
    const cp_node *node = &scene->nodes[index];
    return is_volatile(node) || has_geometry(scene, node);
}

uint64_t count_without_geometry(const cp_scene *scene)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < scene->node_count; i++)
        count += is_volatile(&scene->nodes[i]) && !has_geometry(scene, &scene->nodes[i]);
    return count;
}

/* ---- what does not hold any more ---- */

static bool has_key(const cp_pair *pair)
{
    return pair->verdict == CP_PAIR_EXCLUDED && pair->finding && pair->finding->key &&
           strcmp(pair->reason, "user") != 0;
}

static bool is_said_static(const cp_pair *pair)
{
    return pair->verdict == CP_PAIR_EXCLUDED && !has_key(pair) && strcmp(pair->reason, "static") == 0;
}

/* Tells whether the list alone was read, so that the pair's frames are only names. */
static bool is_only_named(const cp_scene *scene, const cp_pair *pair)
{
    return (scene->nodes[pair->first].flags | scene->nodes[pair->second].flags) & CP_NODE_PLACEHOLDER;
}

cp_status pairs_find_outdated(cp_context *context, const cp_scene *scene, bool *outdated, uint32_t *count)
{
    uint32_t keyed = 0, statics = 0;
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < scene->pair_count; i++) {
        outdated[i] = false;
        keyed += has_key(&scene->pairs[i]);
        statics += is_said_static(&scene->pairs[i]);
    }
    if (keyed > 0) {
        uint64_t *keys = memory_allocate(context, scene->pair_count, sizeof *keys);
        status = keys ? pair_keys(context, scene, scene->pairs, scene->pair_count, keys) : CP_LIMIT;
        for (uint32_t i = 0; i < scene->pair_count && status == CP_OK; i++)
            outdated[i] = has_key(&scene->pairs[i]) && scene->pairs[i].finding->key != keys[i] &&
                          !is_only_named(scene, &scene->pairs[i]);
        memory_free(context, keys, scene->pair_count, sizeof *keys);
    }
    if (status == CP_OK && statics > 0) {
        /* Take no frame as movable here: exclude may have been told that none is. */
        struct frame_chain chain;
        bool *movables = memory_allocate_zeroed(context, scene->node_count, sizeof *movables);
        status = chain_open(&chain, context, scene, movables) && movables ? CP_OK : CP_LIMIT;
        for (uint32_t i = 0; i < scene->pair_count && status == CP_OK; i++) {
            const cp_pair *pair = &scene->pairs[i];
            if (!is_said_static(pair) || pair->first == pair->second)
                continue;
            chain_find(&chain, pair->first, pair->second);
            outdated[i] = chain.moves;
        }
        chain_close(&chain);
        memory_free(context, movables, scene->node_count, sizeof *movables);
    }
    *count = 0;
    for (uint32_t i = 0; i < scene->pair_count; i++)
        *count += outdated[i];
    return status;
}

/* ---- rules ---- */

static bool is_static(const struct pair_rules *rules, uint32_t one, uint32_t other)
{
    return rules->skip_static && rules->groups[one] == rules->groups[other];
}

uint64_t pairs_of(uint64_t count)
{
    return count == 0 ? 0 : count % 2 ? (count - 1) / 2 * count : count / 2 * (count - 1);
}

bool pair_rules_find(struct pair_rules *rules, cp_context *context, const cp_scene *scene, const bool *candidates)
{
    *rules = (struct pair_rules){.arena = arena_new(context), .skip_static = scene->exclude_static_pairs};
    uint32_t *members = arena_allocate_zeroed(rules->arena, scene->node_count, sizeof *members); /* of the groups */
    rules->groups = arena_allocate(rules->arena, scene->node_count, sizeof *rules->groups);
    rules->excluded = arena_allocate(rules->arena, scene->pair_count, sizeof *rules->excluded);
    bool *movables = arena_allocate(rules->arena, scene->node_count, sizeof *movables);
    bool *outdated = arena_allocate(rules->arena, scene->pair_count, sizeof *outdated);
    bool good = !arena_failed(rules->arena) && pairs_find_outdated(context, scene, outdated, &rules->outdated) == CP_OK;
    if (good)
        find_movables(scene, movables);
    /* A joint, or a frame that may be moved or hung elsewhere, begins a new group. */
    uint64_t count = 0, in_groups = 0;
    for (uint32_t i = 0; i < scene->node_count && good; i++) {
        const cp_node *node = &scene->nodes[i];
        bool begins = node->parent == CP_NONE || node->joint_count > 0 || movables[i];
        rules->groups[i] = begins ? i : rules->groups[node->parent];
        if (candidates[i]) {
            count++;
            in_groups += members[rules->groups[i]]++;
        }
    }
    /* Static pairs that are named, too, fill the array from its end. */
    uint32_t excluded = 0, named = scene->pair_count;
    for (uint32_t i = 0; i < scene->pair_count && good; i++) {
        const cp_pair *pair = &scene->pairs[i];
        uint32_t one = pair->first, other = pair->second;
        if (pair->verdict == CP_PAIR_EXCLUDED && !outdated[i] && one != other && candidates[one] && candidates[other])
            rules->excluded[is_static(rules, one, other) ? --named : excluded++] = unordered_pair(one, other);
    }
    if (good) {
        rules->excluded_count = make_set(rules->excluded, excluded);
        rules->all = pairs_of(count);
        if (rules->skip_static)
            rules->static_alone = in_groups - make_set(rules->excluded + named, scene->pair_count - named);
        rules->checked = rules->all - rules->excluded_count - (rules->skip_static ? in_groups : 0);
    }
    return good;
}

void pair_rules_free(struct pair_rules *rules)
{
    arena_free(rules->arena);
}

bool pair_is_checked(const struct pair_rules *rules, uint32_t one, uint32_t other)
{
    return !is_static(rules, one, other) &&
           !set_has(rules->excluded, rules->excluded_count, unordered_pair(one, other));
}

cp_status cp_count_pairs(cp_context *context, const cp_scene *scene, cp_pair_counts *counts)
{
    if (struct_check(context, counts) != CP_OK)
        return context_finish(context, CP_USAGE);
    struct pair_rules rules = {0}, declared = {0};
    bool *candidates = memory_allocate(context, scene->node_count, sizeof *candidates);
    cp_pair_counts found = {.size = sizeof found};
    for (uint32_t i = 0; candidates && i < scene->node_count; i++) {
        candidates[i] = node_can_collide(scene, i);
        found.candidates += candidates[i];
    }
    bool good = candidates && pair_rules_find(&rules, context, scene, candidates);
    for (uint32_t i = 0; good && i < scene->node_count; i++)
        if (!candidates[i] && scene->nodes[i].flags & CP_NODE_MISSING) {
            candidates[i] = true;
            found.missing++;
        }
    good = good && (found.missing == 0 || pair_rules_find(&declared, context, scene, candidates));
    if (good) {
        const struct pair_rules *whole = found.missing > 0 ? &declared : &rules;
        found.all = rules.all;
        found.checked = rules.checked;
        found.without_geometry = count_without_geometry(scene);
        found.static_alone = whole->static_alone;
        found.declared = whole->all;
        found.declared_checked = whole->checked;
    }
    struct_give(counts, &found, sizeof found);
    pair_rules_free(&declared);
    pair_rules_free(&rules);
    memory_free(context, candidates, scene->node_count, sizeof *candidates);
    return context_finish(context, good ? CP_OK : CP_LIMIT);
}

cp_status pairs_count_left_out(cp_context *context, const cp_scene *scene, uint64_t *count)
{
    struct pair_rules rules = {0};
    bool *candidates = memory_allocate(context, scene->node_count, sizeof *candidates);
    *count = 0;
    for (uint32_t i = 0; candidates && i < scene->node_count; i++)
        candidates[i] = true;
    bool good = candidates && pair_rules_find(&rules, context, scene, candidates);
    for (uint32_t i = 0; good && i < scene->pair_count; i++) {
        const cp_pair *pair = &scene->pairs[i];
        *count += pair->verdict == CP_PAIR_KEPT && !pair_is_checked(&rules, pair->first, pair->second);
    }
    pair_rules_free(&rules);
    memory_free(context, candidates, scene->node_count, sizeof *candidates);
    return good ? CP_OK : CP_LIMIT;
}
