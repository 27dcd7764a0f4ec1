/* keep=: pairs that the user excludes. */
#include <stdlib.h>

#include "exclude.h"

static uint64_t key_of(uint32_t one, uint32_t other)
{
    return one < other ? (uint64_t)one << 32 | other : (uint64_t)other << 32 | one;
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static cp_status add_pair(struct user_pairs *pairs, const struct name_map *names, const cp_scene *list,
                          const cp_pair *pair)
{
    const uint32_t *one = name_map_find(names, list->nodes[pair->first].name);
    const uint32_t *other = name_map_find(names, list->nodes[pair->second].name);
    if (!one || !other) {
        report_loss(pairs->context, "exclude-keep-unknown", IN_FILE(list->source.file), 1,
                    "names \"%s\", which is no frame of the cell: its pairs are left out",
                    list->nodes[one ? pair->second : pair->first].name);
        return CP_OK;
    }
    if (!array_reserve(pairs->context, &pairs->keys, &pairs->room, pairs->count + UINT64_C(1), sizeof *pairs->keys))
        return CP_LIMIT;
    pairs->keys[pairs->count++] = key_of(*one, *other);
    return CP_OK;
}

static cp_status add_pairs(struct user_pairs *pairs, const cp_scene *list, const cp_scene *scene)
{
    struct name_map names = {.context = pairs->context};
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < scene->node_count && status == CP_OK; i++)
        if (!(scene->nodes[i].flags & CP_NODE_PLACEHOLDER) && !name_map_add(&names, scene->nodes[i].name, i, NULL))
            status = CP_LIMIT;
    for (uint32_t i = 0; i < list->pair_count && status == CP_OK; i++)
        if (list->pairs[i].verdict == CP_PAIR_EXCLUDED)
            status = add_pair(pairs, &names, list, &list->pairs[i]);
    name_map_free(&names);
    if (list->pair_count == 0)
        report_warning(pairs->context, "exclude-keep-empty", IN_FILE(list->source.file),
                       "excludes no pairs, so keep= keeps none");
    if (pairs->count > 0)
        qsort(pairs->keys, pairs->count, sizeof *pairs->keys, compare_keys);
    return status;
}

cp_status user_pairs_read(struct user_pairs *pairs, const cp_scene *scene, const char *path)
{
    struct source *source;
    cp_scene *list = NULL;
    cp_status status = source_open_top(pairs->context, path, &source);
    if (status == CP_OK)
        status = read_further(source, NULL, &list);
    source_close(source);
    if (status == CP_OK)
        status = add_pairs(pairs, list, scene);
    cp_scene_free(list);
    return status;
}

bool user_pairs_have(const struct user_pairs *pairs, uint32_t one, uint32_t other)
{
    uint64_t key = key_of(one, other);
    return pairs->count > 0 && bsearch(&key, pairs->keys, pairs->count, sizeof key, compare_keys);
}

void user_pairs_free(struct user_pairs *pairs)
{
    memory_free(pairs->context, pairs->keys, pairs->room, sizeof *pairs->keys);
    *pairs = (struct user_pairs){.context = pairs->context};
}
