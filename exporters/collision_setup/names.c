/* Finds the pairs that a list can hold: it knows frames by their names alone. */
#include <string.h>

#include "collide/list/list.h"
#include "writer.h"

/* The frames that pairs name, or that can collide, by their names. */
struct pair_names {
    struct setup_writer *writer;
    struct name_map heads; /* the first frame of a name */
    uint32_t *head;        /* indexed by node; CP_NONE if it neither can collide nor is named */
    uint32_t *count;       /* indexed by head: the number of frames with its name */
};

static cp_status find_heads(struct pair_names *names)
{
    const cp_scene *scene = names->writer->scene;
    names->head = arena_allocate(names->writer->arena, scene->node_count, sizeof *names->head);
    names->count = arena_allocate(names->writer->arena, scene->node_count, sizeof *names->count);
    if (!names->head || !names->count)
        return CP_LIMIT;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        bool counts = node_can_collide(scene, i) || scene->nodes[i].flags & CP_NODE_VOLATILE;
        names->head[i] = counts ? i : CP_NONE;
        names->count[i] = 0;
    }
    for (uint32_t i = 0; i < scene->pair_count; i++) {
        names->head[scene->pairs[i].first] = scene->pairs[i].first;
        names->head[scene->pairs[i].second] = scene->pairs[i].second;
    }
    for (uint32_t i = 0; i < scene->node_count; i++) {
        if (names->head[i] == CP_NONE)
            continue;
        const uint32_t *head = name_map_add(&names->heads, scene->nodes[i].name, i, NULL);
        if (!head)
            return CP_LIMIT;
        names->head[i] = *head;
        names->count[*head]++;
    }
    return CP_OK;
}

/* Returns the names of two frames, by their heads. */
static uint64_t names_of(const struct pair_names *names, const cp_pair *pair)
{
    return unordered_pair(names->head[pair->first], names->head[pair->second]);
}

/* Tells whether the pair is excluded and has two frames. A frame and itself share their names with no other pair. */
static bool names_others(const struct setup_writer *writer, uint32_t pair)
{
    return pair_is_excluded(writer, pair) && writer->scene->pairs[pair].first != writer->scene->pairs[pair].second;
}

/* Finds the names, ascending, of excluded pairs if not all pairs of frames with these names are excluded. */
static cp_status find_partial(const struct pair_names *names, uint64_t *keys, uint32_t *key_count)
{
    const cp_scene *scene = names->writer->scene;
    uint64_t *pairs = arena_allocate(names->writer->arena, scene->pair_count, sizeof *pairs);
    uint32_t count = 0, partial = 0;
    if (!pairs)
        return CP_LIMIT;
    for (uint32_t i = 0; i < scene->pair_count; i++)
        if (names_others(names->writer, i))
            pairs[count++] = unordered_pair(scene->pairs[i].first, scene->pairs[i].second);
    count = make_set(pairs, count);
    for (uint32_t i = 0; i < count; i++) {
        cp_pair pair = {.first = (uint32_t)(pairs[i] >> 32), .second = (uint32_t)pairs[i]};
        keys[i] = names_of(names, &pair);
    }
    sort_numbers(keys, count);
    for (uint32_t i = 0, end; i < count; i = end) {
        uint32_t one = (uint32_t)(keys[i] >> 32), other = (uint32_t)keys[i];
        uint64_t all = one == other ? pairs_of(names->count[one]) : (uint64_t)names->count[one] * names->count[other];
        for (end = i; end < count && keys[end] == keys[i];)
            end++;
        if (end - i < all)
            keys[partial++] = keys[i];
    }
    *key_count = partial;
    return CP_OK;
}

/* Tells whether RobWork takes such a name of a pair for a pattern, which may fit other frames, too. */
static bool is_pattern(const char *name)
{
    return strpbrk(name, "*?") || strstr(name, "REGEX");
}

static cp_status choose(struct pair_names *names)
{
    struct setup_writer *writer = names->writer;
    const cp_scene *scene = writer->scene;
    uint64_t *keys = arena_allocate(writer->arena, scene->pair_count, sizeof *keys), left_out = 0, patterns = 0;
    uint32_t key_count = 0, outdated;
    writer->listed = arena_allocate(writer->arena, scene->pair_count, sizeof *writer->listed);
    writer->named = arena_allocate(writer->arena, scene->pair_count, sizeof *writer->named);
    writer->outdated = arena_allocate(writer->arena, scene->pair_count, sizeof *writer->outdated);
    if (!keys || !writer->listed || !writer->named || !writer->outdated)
        return CP_LIMIT;

    /* A later filter may have changed the scene, or files that were read together may not fit. */
    cp_status status = pairs_find_outdated(writer->context, scene, writer->outdated, &outdated);
    if (status == CP_OK && outdated > 0)
        report_loss(
            writer->context, "collision-setup-outdated", NOWHERE, outdated,
            "excluded pairs that have changed since they were looked at, their geometry or the joints and poses "
            "between them: they are to be checked");
    if (status == CP_OK)
        status = setup_find_static(writer);
    if (status == CP_OK)
        status = find_heads(names);
    if (status == CP_OK)
        status = find_partial(names, keys, &key_count);
    if (status != CP_OK)
        return status;
    for (uint32_t i = 0; i < scene->pair_count; i++) {
        const cp_pair *pair = &scene->pairs[i];
        bool partial = names_others(writer, i) && set_has(keys, key_count, names_of(names, pair));
        bool excluded = pair_is_excluded(writer, i) && !partial;
        writer->named[i] =
            excluded && !is_pattern(scene->nodes[pair->first].name) && !is_pattern(scene->nodes[pair->second].name);
        writer->listed[i] = writer->named[i] || writer->by_element[i];
        left_out += partial && !writer->listed[i];
        patterns += excluded && !writer->listed[i];
    }
    if (left_out)
        report_loss(writer->context, "collision-setup-names", NOWHERE, left_out,
                    "excluded pairs: other frames with the same names are to be checked, so these are too");
    if (patterns)
        report_loss(writer->context, "collision-setup-pattern", NOWHERE, patterns,
                    "excluded pairs whose names RobWork would take for patterns of other frames (*, ?, REGEX): they "
                    "are to be checked");
    return CP_OK;
}

/* Reports frames that the list calls volatile because one with their name is. */
static cp_status report_volatile(const struct pair_names *names)
{
    const cp_scene *scene = names->writer->scene;
    bool *is_volatile = arena_allocate_zeroed(names->writer->arena, scene->node_count, sizeof *is_volatile);
    uint64_t count = 0;
    if (!is_volatile)
        return CP_LIMIT;
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (scene->nodes[i].flags & CP_NODE_VOLATILE)
            is_volatile[names->head[i]] = true;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const uint32_t *head = name_map_find(&names->heads, scene->nodes[i].name);
        count += head && is_volatile[*head] && !(scene->nodes[i].flags & CP_NODE_VOLATILE);
    }
    if (count)
        report_loss(names->writer->context, "collision-setup-volatile", NOWHERE, count,
                    "frames that have the name of a volatile one, and so are volatile, too");
    return CP_OK;
}

cp_status setup_choose_pairs(struct setup_writer *writer)
{
    struct pair_names names = {.writer = writer, .heads = {.context = writer->context}};
    cp_status status = choose(&names);
    if (status == CP_OK)
        status = report_volatile(&names);
    name_map_free(&names.heads);
    return status;
}
