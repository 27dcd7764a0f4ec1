/* Finds the pairs that a list can hold: it knows frames by their names alone. */
#include <string.h>

#include "collide/list/list.h"
#include "writer.h"

/* Tells whether RobWork takes such a name of a pair for a pattern, which may fit other frames, too. */
static bool is_pattern(const char *name)
{
    return strpbrk(name, "*?") || strstr(name, "REGEX");
}

/* Chooses the pairs. heads: see pairs_find_partial. */
static cp_status choose(struct setup_writer *writer, uint32_t *heads)
{
    const cp_scene *scene = writer->scene;
    const char **names = arena_allocate(writer->arena, scene->node_count, sizeof *names);
    bool *excluded = arena_allocate(writer->arena, scene->pair_count, sizeof *excluded);
    bool *partial = arena_allocate(writer->arena, scene->pair_count, sizeof *partial);
    uint64_t left_out = 0, patterns = 0;
    uint32_t outdated;
    writer->listed = arena_allocate(writer->arena, scene->pair_count, sizeof *writer->listed);
    writer->named = arena_allocate(writer->arena, scene->pair_count, sizeof *writer->named);
    writer->outdated = arena_allocate(writer->arena, scene->pair_count, sizeof *writer->outdated);
    if (!names || !excluded || !partial || !writer->listed || !writer->named || !writer->outdated)
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
    for (uint32_t i = 0; i < scene->node_count; i++)
        names[i] = scene->nodes[i].name;
    for (uint32_t i = 0; i < scene->pair_count && status == CP_OK; i++)
        excluded[i] = pair_is_excluded(writer, i);
    if (status == CP_OK)
        status = pairs_find_partial(writer->context, scene, names, excluded, heads, partial);
    if (status != CP_OK)
        return status;
    for (uint32_t i = 0; i < scene->pair_count; i++) {
        const cp_pair *pair = &scene->pairs[i];
        bool whole = excluded[i] && !partial[i];
        writer->named[i] =
            whole && !is_pattern(scene->nodes[pair->first].name) && !is_pattern(scene->nodes[pair->second].name);
        writer->listed[i] = writer->named[i] || writer->by_element[i];
        left_out += partial[i] && !writer->listed[i];
        patterns += whole && !writer->listed[i];
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
static cp_status report_volatile(const struct setup_writer *writer, const uint32_t *heads)
{
    const cp_scene *scene = writer->scene;
    bool *is_volatile = arena_allocate_zeroed(writer->arena, scene->node_count, sizeof *is_volatile);
    uint64_t count = 0;
    if (!is_volatile)
        return CP_LIMIT;
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (scene->nodes[i].flags & CP_NODE_VOLATILE)
            is_volatile[heads[i]] = true;
    for (uint32_t i = 0; i < scene->node_count; i++)
        count += heads[i] != CP_NONE && is_volatile[heads[i]] && !(scene->nodes[i].flags & CP_NODE_VOLATILE);
    if (count)
        report_loss(writer->context, "collision-setup-volatile", NOWHERE, count,
                    "frames that have the name of a volatile one, and so are volatile, too");
    return CP_OK;
}

cp_status setup_choose_pairs(struct setup_writer *writer)
{
    uint32_t *heads = arena_allocate(writer->arena, writer->scene->node_count, sizeof *heads);
    cp_status status = heads ? choose(writer, heads) : CP_LIMIT;
    return status == CP_OK ? report_volatile(writer, heads) : status;
}
