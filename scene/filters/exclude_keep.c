/* keep=: pairs that the user excludes. */
#include <stdlib.h>

#include <string.h>

#include "base/text/text.h"
#include "collide/list/list.h"
#include "exclude.h"

static int compare_keys(const void *a, const void *b)
{
    uint64_t left = ((const struct user_pair *)a)->key, right = ((const struct user_pair *)b)->key;
    return (left > right) - (left < right);
}

static int compare_pairs(const void *a, const void *b)
{
    uint32_t left = ((const struct user_pair *)a)->place, right = ((const struct user_pair *)b)->place;
    int order = compare_keys(a, b);
    return order ? order : (left > right) - (left < right);
}

/* Returns CP_NONE if no frame has the name, or several have it, which a pair by name cannot tell apart. */
static uint32_t find_frame(struct user_pairs *pairs, const struct name_map *names, const cp_scene *list, uint32_t node)
{
    const char *name = list->nodes[node].name;
    const uint32_t *frame = name_map_find(names, name);
    if (!frame)
        report_loss(pairs->context, "exclude-keep-unknown", IN_FILE(list->source.file), 1,
                    "names \"%s\", which is not a frame of the cell: its pairs are left out", name);
    else if (*frame == CP_NONE)
        report_loss(pairs->context, "exclude-keep-names", IN_FILE(list->source.file), 1,
                    "names \"%s\", as several frames of the cell are called: its pairs are left out", name);
    return frame ? *frame : CP_NONE;
}

static enum user_claim claim_of(const cp_scene *list, const cp_pair *pair)
{
    static const char *const computed[] = {SRDF_REASON "Adjacent", SRDF_REASON "Never", SRDF_REASON "Always"};
    if (strcmp(list->source.format, "srdf") != 0)
        return CLAIM_KEPT;
    for (size_t i = 0; i < sizeof computed / sizeof *computed; i++)
        if (text_equal_nocase(pair->evidence, computed[i]))
            return CLAIM_COMPUTED;
    return CLAIM_BY_HAND;
}

static cp_status add_pair(struct user_pairs *pairs, const struct name_map *names, const cp_scene *list,
                          const cp_pair *pair, cp_scene *scene)
{
    uint32_t one = find_frame(pairs, names, list, pair->first);
    uint32_t other = one == CP_NONE ? CP_NONE : find_frame(pairs, names, list, pair->second);
    if (other == CP_NONE)
        return CP_OK;
    if (!array_reserve(pairs->context, &pairs->items, &pairs->room, pairs->count + UINT64_C(1), sizeof *pairs->items))
        return CP_LIMIT;
    struct user_pair user = {unordered_pair(one, other), pairs->count, claim_of(list, pair),
                             scene_text(scene, pair->reason), scene_text(scene, pair->evidence)};
    if (!user.reason || !user.evidence)
        return CP_LIMIT;
    pairs->items[pairs->count++] = user;
    return CP_OK;
}

/* Reports statements of the list beside its pairs that the scene lacks. names: of the scene's frames. */
static void report_rest(const cp_scene *list, const cp_scene *scene, const struct name_map *names)
{
    uint64_t count = 0, enabled = 0;
    for (uint32_t i = 0; i < list->pair_count; i++)
        enabled += list->pairs[i].verdict == CP_PAIR_KEPT;
    if (enabled > 0)
        report_loss(scene->context, "exclude-keep-enabled", IN_FILE(list->source.file), enabled,
                    "pairs that the list enables: keep= takes excluded pairs alone");
    for (uint32_t i = 0; i < list->node_count; i++) {
        const uint32_t *frame = name_map_find(names, list->nodes[i].name);
        bool known = frame && *frame != CP_NONE && scene->nodes[*frame].flags & CP_NODE_VOLATILE;
        count += list->nodes[i].flags & CP_NODE_VOLATILE && !known;
    }
    if (count > 0)
        report_loss(scene->context, "exclude-keep-volatile", IN_FILE(list->source.file), count,
                    "volatile frames: keep= takes pairs alone");
}

static cp_status add_pairs(struct user_pairs *pairs, const cp_scene *list, cp_scene *scene)
{
    struct name_map names = {.context = pairs->context};
    cp_status status = CP_OK;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < scene->node_count && status == CP_OK; i++) {
        bool added;
        if (scene->nodes[i].flags & CP_NODE_PLACEHOLDER)
            continue;
        uint32_t *frame = name_map_add(&names, scene->nodes[i].name, i, &added);
        if (!frame)
            status = CP_LIMIT;
        else if (!added)
            *frame = CP_NONE;
    }
    for (uint32_t i = 0; i < list->pair_count && status == CP_OK; i++)
        if (list->pairs[i].verdict == CP_PAIR_EXCLUDED)
            status = add_pair(pairs, &names, list, &list->pairs[i], scene);
    if (status == CP_OK)
        report_rest(list, scene, &names);
    name_map_free(&names);
    pairs->all_static = list->exclude_static_pairs;
    if (list->pair_count == 0 && !pairs->all_static)
        report_warning(pairs->context, "exclude-keep-empty", IN_FILE(list->source.file),
                       "excludes no pairs, so keep= keeps none");
    /* Keep each once, where it is first in the list. */
    if (pairs->count > 0)
        qsort(pairs->items, pairs->count, sizeof *pairs->items, compare_pairs);
    for (uint32_t i = 0; i < pairs->count; i++)
        if (i == 0 || pairs->items[i].key != pairs->items[i - 1].key)
            pairs->items[kept++] = pairs->items[i];
    pairs->count = kept;
    return status;
}

/* Takes over the groups, states, ends and joints of an SRDF. Links that are disabled as a whole are left out: written
 * beside the pairs that are found, they would disable those that are to be checked, too. */
static cp_status take_elements(cp_scene *scene, const cp_scene *list)
{
    bool good = true;
    uint64_t defaults = 0;
    for (uint32_t i = 0; i < list->metadata_count; i++)
        defaults += strcmp(list->metadata[i].key, SRDF_ELEMENT) == 0 &&
                    srdf_element_is(list->metadata[i].value, "disable_default_collisions");
    if (defaults > 0)
        report_loss(scene->context, "exclude-keep-default", IN_FILE(list->source.file), defaults,
                    "links that the list disables as a whole: their pairs are judged");
    for (uint32_t i = 0; i < scene->metadata_count; i++)
        if (strcmp(scene->metadata[i].key, SRDF_ELEMENT) == 0)
            return CP_OK;
    for (uint32_t i = 0; i < list->metadata_count && good; i++)
        if (strcmp(list->metadata[i].key, SRDF_ELEMENT) == 0 &&
            !srdf_element_is(list->metadata[i].value, "disable_default_collisions"))
            good = scene_add_metadata(scene, CP_OWNER_SCENE, 0, SRDF_ELEMENT, CP_VALUE_STRING, list->metadata[i].value);
    return good ? CP_OK : CP_LIMIT;
}

cp_status user_pairs_read(struct user_pairs *pairs, cp_scene *scene, const char *path)
{
    cp_scene *list;
    cp_status status = cp_read_list(pairs->context, path, &list);
    if (status == CP_OK)
        status = add_pairs(pairs, list, scene);
    if (status == CP_OK)
        status = take_elements(scene, list);
    if (status == CP_OK && !(pairs->file = scene_text(scene, list->source.file)))
        status = CP_LIMIT;
    cp_scene_free(list);
    return status;
}

const struct user_pair *user_pairs_find(const struct user_pairs *pairs, uint32_t one, uint32_t other)
{
    struct user_pair wanted = {.key = unordered_pair(one, other)};
    return pairs->count > 0 ? bsearch(&wanted, pairs->items, pairs->count, sizeof wanted, compare_keys) : NULL;
}

void user_pairs_free(struct user_pairs *pairs)
{
    memory_free(pairs->context, pairs->items, pairs->room, sizeof *pairs->items);
    *pairs = (struct user_pairs){.context = pairs->context};
}
