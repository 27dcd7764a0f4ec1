/* Pairs by the names of their frames: lists know frames by nothing else. */
#include "list.h"

#include <string.h>

struct named_pairs {
    cp_context *context;
    const cp_scene *scene;
    struct arena *arena;
    struct name_map map; /* the first frame of a name */
    uint32_t *heads;     /* indexed by node */
    uint32_t *counts;    /* indexed by head: the number of frames with its name */
};

static cp_status find_heads(struct named_pairs *named, const char *const *names)
{
    const cp_scene *scene = named->scene;
    bool *counts = arena_allocate(named->arena, scene->node_count, sizeof *counts);
    named->counts = arena_allocate_zeroed(named->arena, scene->node_count, sizeof *named->counts);
    if (!counts || !named->counts)
        return CP_LIMIT;
    for (uint32_t i = 0; i < scene->node_count; i++)
        counts[i] = node_can_collide(scene, i) || scene->nodes[i].flags & CP_NODE_VOLATILE;
    for (uint32_t i = 0; i < scene->pair_count; i++)
        counts[scene->pairs[i].first] = counts[scene->pairs[i].second] = true;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const uint32_t *head = counts[i] ? name_map_add(&named->map, names[i], i, NULL) : NULL;
        if (counts[i] && !head)
            return CP_LIMIT;
        if (counts[i])
            named->counts[*head]++;
    }
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const uint32_t *head = name_map_find(&named->map, names[i]);
        named->heads[i] = head ? *head : CP_NONE;
    }
    return CP_OK;
}

/* Returns the names of two frames, by their heads. */
static uint64_t names_of(const struct named_pairs *named, uint32_t one, uint32_t other)
{
    return unordered_pair(named->heads[one], named->heads[other]);
}

/* Marks the pairs whose names others have that are not excluded. A frame and itself share their names with no other
 * pair. */
static cp_status mark_partial(const struct named_pairs *named, const bool *excluded, bool *partial)
{
    const cp_scene *scene = named->scene;
    uint64_t *pairs = arena_allocate(named->arena, scene->pair_count, sizeof *pairs);
    uint64_t *keys = arena_allocate(named->arena, scene->pair_count, sizeof *keys);
    uint32_t count = 0, key_count = 0;
    if (!pairs || !keys)
        return CP_LIMIT;
    for (uint32_t i = 0; i < scene->pair_count; i++)
        if (excluded[i] && scene->pairs[i].first != scene->pairs[i].second)
            pairs[count++] = unordered_pair(scene->pairs[i].first, scene->pairs[i].second);
    count = make_set(pairs, count);
    for (uint32_t i = 0; i < count; i++)
        keys[i] = names_of(named, (uint32_t)(pairs[i] >> 32), (uint32_t)pairs[i]);
    sort_numbers(keys, count);
    for (uint32_t i = 0, end; i < count; i = end) {
        uint32_t one = (uint32_t)(keys[i] >> 32), other = (uint32_t)keys[i];
        uint64_t all =
            one == other ? pairs_of(named->counts[one]) : (uint64_t)named->counts[one] * named->counts[other];
        for (end = i; end < count && keys[end] == keys[i];)
            end++;
        if (end - i < all)
            keys[key_count++] = keys[i];
    }
    for (uint32_t i = 0; i < scene->pair_count; i++) {
        const cp_pair *pair = &scene->pairs[i];
        partial[i] = excluded[i] && pair->first != pair->second &&
                     set_has(keys, key_count, names_of(named, pair->first, pair->second));
    }
    return CP_OK;
}

cp_status pairs_find_partial(cp_context *context, const cp_scene *scene, const char *const *names, const bool *excluded,
                             uint32_t *heads, bool *partial)
{
    struct named_pairs named = {
        .context = context, .scene = scene, .arena = arena_new(context), .map = {.context = context}, .heads = heads};
    cp_status status = named.arena ? find_heads(&named, names) : CP_LIMIT;
    if (status == CP_OK)
        status = mark_partial(&named, excluded, partial);
    name_map_free(&named.map);
    arena_free(named.arena);
    return status;
}

bool srdf_element_is(const char *element, const char *name)
{
    size_t size = strlen(name);
    return element[0] == '<' && strncmp(element + 1, name, size) == 0 && strcspn(element + 1, " \t\r\n/>") == size;
}
