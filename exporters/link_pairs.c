/* Pairs of links. A link of such lists is what moves as one and has a name there: a frame that is tagged as a link, or
 * else the frame of the geometry itself. */
#include "link_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "collide/list/list.h"
#include "evidence.h"

static const char *model_of(const cp_scene *scene, uint32_t node, const char *model)
{
    uint32_t device = scene->nodes[node].scope;
    return model ? model : device == CP_NONE ? "" : scene->devices[device].name;
}

size_t model_prefix_size(const cp_scene *scene, uint32_t node, const char *model)
{
    size_t size = strlen(model_of(scene, node, model));
    return size > 0 ? size + strlen("::") : 0;
}

/* Names the link of each node: its own name, or that of the nearest frame above it that is a link and cannot move
 * against it. */
static cp_status name_links(struct link_pairs *pairs, cp_context *context, const cp_scene *scene, enum list_names names,
                            const char *model)
{
    uint32_t count = scene->node_count, *heads = memory_allocate(context, count, sizeof *heads);
    pairs->links = arena_allocate(pairs->arena, count, sizeof *pairs->links);
    pairs->owners = arena_allocate(pairs->arena, count, sizeof *pairs->owners);
    bool *named = arena_allocate_zeroed(pairs->arena, count, sizeof *named); /* by a frame above */
    cp_status status = heads && pairs->links && pairs->owners && named ? CP_OK : CP_LIMIT;
    if (status == CP_OK)
        scene_find_links(scene, heads);
    for (uint32_t i = 0; i < count && status == CP_OK; i++) { /* parents come before their children */
        const cp_node *node = &scene->nodes[i];
        bool is_link = names == FRAME_NAMES || node->flags & CP_NODE_LINK;
        named[i] = is_link || (node->parent != CP_NONE && heads[i] == heads[node->parent] && named[node->parent]);
        bool is_part = named[i] && !is_link;
        pairs->owners[i] = is_part ? pairs->owners[node->parent] : i;
        pairs->links[i] = is_part ? pairs->links[node->parent] : node->name;
        if (!is_part && names == MODEL_NAMES && model_prefix_size(scene, i, model) > 0)
            pairs->links[i] = arena_print(pairs->arena, "%s::%s", model_of(scene, i, model), node->name);
        if (!pairs->links[i])
            status = CP_LIMIT;
    }
    memory_free(context, heads, count, sizeof *heads);
    return status;
}

static int compare_names(const struct link_pair *one, const struct link_pair *other)
{
    int order = strcmp(one->names[0], other->names[0]);
    return order ? order : strcmp(one->names[1], other->names[1]);
}

static int compare_pairs(const void *a, const void *b)
{
    const struct link_pair *one = a, *other = b;
    int order = compare_names(one, other);
    return order ? order : (one->pair > other->pair) - (one->pair < other->pair);
}

/* Lists the pairs that are excluded as a whole, each once. */
static void list_pairs(struct link_pairs *pairs, const cp_scene *scene, const bool *excluded, const bool *partial)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < scene->pair_count; i++) {
        uint32_t one = scene->pairs[i].first, other = scene->pairs[i].second;
        int order = strcmp(pairs->links[one], pairs->links[other]);
        uint32_t first = order < 0 ? one : other, second = order < 0 ? other : one;
        /* A list says nothing of frames of one link, which no program checks against each other. */
        pairs->listed[i] = excluded[i] && !partial[i] && (order != 0 || pairs->owners[one] == pairs->owners[other]);
        if (excluded[i] && !partial[i] && order != 0)
            pairs->items[count++] = (struct link_pair){{pairs->links[first], pairs->links[second]}, {first, second}, i};
    }
    if (count > 0)
        qsort(pairs->items, count, sizeof *pairs->items, compare_pairs);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || compare_names(&pairs->items[i], &pairs->items[pairs->count - 1]) != 0)
            pairs->items[pairs->count++] = pairs->items[i];
}

/* Counts the excluded pairs of different links that the list lacks: those with names of others that are to be checked,
 * and those of two links with one name. */
static void count_lost(const struct link_pairs *pairs, const cp_scene *scene, const bool *excluded, const bool *partial,
                       uint64_t *partial_count, uint64_t *alike)
{
    for (uint32_t i = 0; i < scene->pair_count; i++) {
        uint32_t one = scene->pairs[i].first, other = scene->pairs[i].second;
        if (!excluded[i] || pairs->owners[one] == pairs->owners[other])
            continue;
        bool same = strcmp(pairs->links[one], pairs->links[other]) == 0;
        *alike += same;
        *partial_count += partial[i] && !same;
    }
}

static void report_losses(cp_context *context, const cp_scene *scene, uint64_t outdated, uint64_t partial,
                          uint64_t alike, uint64_t kept)
{
    if (alike > 0)
        report_loss(context, "list-same-name", NOWHERE, alike,
                    "excluded pairs of two links with the same name, which are checked");
    if (outdated > 0)
        report_loss(context, "list-outdated", NOWHERE, outdated,
                    "excluded pairs that have changed since they were looked at: they are to be checked");
    if (partial > 0)
        report_loss(context, "list-names", NOWHERE, partial,
                    "excluded pairs: others of the same links are to be checked, so these are too");
    if (kept > 0)
        report_loss(context, "list-kept", NOWHERE, kept,
                    "pairs that are to be checked, though another statement excludes them");
    if (scene->pair_count == 0 && scene->node_count > 1 && !scene->exclude_static_pairs)
        report_loss(context, "list-empty", NOWHERE, 1, "all of the scene: it says nothing about pairs");
}

void report_static_pairs(cp_context *context, const cp_scene *scene)
{
    if (scene->exclude_static_pairs)
        report_loss(context, "list-static", NOWHERE, 1,
                    "that all pairs which cannot move against each other are excluded (exclude lists them one by one)");
}

static cp_status find_pairs(struct link_pairs *pairs, cp_context *context, const cp_scene *scene, enum list_names names,
                            const char *model)
{
    uint32_t count = scene->pair_count, outdated_count = 0;
    uint64_t left_out = 0, alike = 0, kept = 0;
    *pairs = (struct link_pairs){.arena = arena_new(context)};
    bool *excluded = arena_allocate(pairs->arena, count, sizeof *excluded);
    bool *outdated = pairs->outdated = arena_allocate(pairs->arena, count, sizeof *outdated);
    bool *partial = arena_allocate(pairs->arena, count, sizeof *partial);
    uint32_t *heads = arena_allocate(pairs->arena, scene->node_count, sizeof *heads);
    pairs->items = arena_allocate(pairs->arena, count, sizeof *pairs->items);
    pairs->listed = arena_allocate(pairs->arena, count, sizeof *pairs->listed);
    if (!pairs->listed || !excluded || !outdated || !partial || !heads || !pairs->items)
        return CP_LIMIT;
    cp_status status = name_links(pairs, context, scene, names, model);
    if (status == CP_OK)
        status = pairs_find_outdated(context, scene, outdated, &outdated_count);
    for (uint32_t i = 0; i < count && status == CP_OK; i++)
        excluded[i] = scene->pairs[i].verdict == CP_PAIR_EXCLUDED && !outdated[i];
    if (status == CP_OK)
        status = pairs_find_partial(context, scene, pairs->links, excluded, heads, partial);
    if (status == CP_OK)
        status = pairs_count_left_out(context, scene, &kept);
    if (status != CP_OK)
        return status;
    list_pairs(pairs, scene, excluded, partial);
    count_lost(pairs, scene, excluded, partial, &left_out, &alike);
    report_losses(context, scene, outdated_count, left_out, alike, kept);
    return CP_OK;
}

uint32_t link_carries(const void *settings)
{
    (void)settings;
    return CP_FEATURE_PAIRS | CP_FEATURE_PLACEHOLDERS | CP_FEATURE_NAMES;
}

const cp_option link_options[] = {EVIDENCE_OPTION(offsetof(struct link_settings, evidence)), CP_OPTIONS_END};

cp_status link_list_write(const struct link_list *list, cp_context *context, const cp_scene *scene, struct sink *top)
{
    struct link_pairs pairs;
    cp_status status = find_pairs(&pairs, context, scene, list->names, list->model);
    if (status == CP_OK)
        status = evidence_expect(context, pairs.arena, top, list->evidence);
    if (status == CP_OK)
        status = list->write_list(&pairs, context, scene, top, list->user);
    const struct evidence evidence = {.context = context,
                                      .scene = scene,
                                      .arena = pairs.arena,
                                      .format = list->format,
                                      .listed = pairs.listed,
                                      .outdated = pairs.outdated,
                                      .prefix = ""};
    if (status == CP_OK && list->evidence)
        status = evidence_write(&evidence, top);
    arena_free(pairs.arena);
    return status;
}

bool comment_holds(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)text[i] < ' ' || (text[i] == '-' && i + 1 < size && text[i + 1] == '-'))
            return false;
    return true;
}

size_t sink_attribute(struct sink *sink, const char *name, const char *value)
{
    sink_print(sink, " %s=\"", name);
    size_t bad = sink_markup(sink, value);
    sink_text(sink, "\"");
    return bad;
}

size_t sink_pair(struct sink *sink, const char *element, const char *const attributes[2], const char *const names[2])
{
    sink_print(sink, "<%s", element);
    size_t bad = sink_attribute(sink, attributes[0], names[0]);
    bad += sink_attribute(sink, attributes[1], names[1]);
    sink_text(sink, "/>\n");
    return bad;
}

void report_characters(cp_context *context, const char *code, uint64_t count)
{
    if (count > 0)
        report_loss(context, code, NOWHERE, count, "characters in names that XML cannot hold");
}
