/* Compares a list of exclusions without evidence with a scene: by its names, and by the key that each pair has in the
 * list. Several frames may have the same name. Then the list has the keys of all pairs with two names. */
#include <string.h>

#include "base/context.h"
#include "checking.h"
#include "list.h"

struct comparing {
    struct checking *checking;
    const cp_scene *list;
    uint32_t *heads;  /* indexed by the list's node: the scene's first frame with this name, or CP_NONE */
    uint32_t *counts; /* indexed by the list's node: the number of frames with this name */
    uint32_t *next;   /* indexed by the scene's node: the next frame of the same name, or CP_NONE */
    /* Pairs of names, as nodes of the list, that have keys there; ascending, each once. */
    uint64_t *names;
    bool *changed; /* of the pairs of names */
    uint32_t name_count;
    uint64_t *listed; /* hashes of names and keys in the list, ascending */
    uint32_t listed_count;
    cp_pair *pairs; /* of the scene, by names */
    uint64_t *keys;
    uint64_t *found; /* hashes of names and keys in the scene */
    uint32_t pair_count;
};

static bool has_key(const cp_pair *pair)
{
    return pair->finding && pair->finding->key && pair->first != pair->second;
}

/* Tells whether the pair has a key, and the scene has frames of its names. */
static bool is_compared(const struct comparing *it, const cp_pair *pair)
{
    return has_key(pair) && it->heads[pair->first] != CP_NONE && it->heads[pair->second] != CP_NONE;
}

static uint64_t names_of(const cp_pair *pair)
{
    return unordered_pair(pair->first, pair->second);
}

static uint64_t hash_names_and_key(uint64_t names, uint64_t key)
{
    return hash_content((const uint64_t[]){names, key}, 2 * sizeof names);
}

/* Returns the place of two names, which are in the list. */
static uint32_t place_of(const struct comparing *it, uint64_t names)
{
    uint32_t low = 0, high = it->name_count - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (it->names[middle] < names)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- names ---- */

/* Finds the frames of each name. Tells the names that no frame has. */
static bool find_frames(struct comparing *it)
{
    struct checking *checking = it->checking;
    const cp_scene *scene = checking->scene, *list = it->list;
    it->heads = arena_allocate(checking->arena, list->node_count, sizeof *it->heads);
    it->counts = arena_allocate_zeroed(checking->arena, list->node_count, sizeof *it->counts);
    it->next = arena_allocate(checking->arena, scene->node_count, sizeof *it->next);
    uint32_t *sizes = arena_allocate_zeroed(checking->arena, scene->node_count, sizeof *sizes); /* of names, by heads */
    if (!it->heads || !it->counts || !it->next || !sizes)
        return false;
    for (uint32_t i = 0; i < scene->node_count; i++)
        it->next[i] = CP_NONE;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const uint32_t *head = name_map_find(&checking->frames, scene->nodes[i].name);
        if (!head || scene->nodes[i].flags & CP_NODE_PLACEHOLDER)
            continue;
        sizes[*head]++;
        if (i == *head)
            continue;
        it->next[i] = it->next[*head];
        it->next[*head] = i;
    }
    for (uint32_t i = 1; i < list->node_count; i++) {
        const uint32_t *head = name_map_find(&checking->frames, list->nodes[i].name);
        it->heads[i] = head ? *head : CP_NONE;
        it->counts[i] = head ? sizes[*head] : 0;
        if (!head)
            tell_of_list(checking, CP_LIST_FRAME_GONE, list->nodes[i].name, "");
    }
    return true;
}

/* Takes the names and keys that the list has. *unknown: the number of its pairs without a key. */
static bool take_list(struct comparing *it, uint64_t *unknown)
{
    const cp_scene *list = it->list;
    it->names = arena_allocate(it->checking->arena, list->pair_count, sizeof *it->names);
    it->listed = arena_allocate(it->checking->arena, list->pair_count, sizeof *it->listed);
    *unknown = 0;
    if (!it->names || !it->listed)
        return false;
    for (uint32_t i = 0; i < list->pair_count; i++) {
        const cp_pair *pair = &list->pairs[i];
        *unknown += !has_key(pair);
        if (!is_compared(it, pair))
            continue;
        it->names[it->name_count++] = names_of(pair);
        it->listed[it->listed_count++] = hash_names_and_key(names_of(pair), pair->finding->key);
    }
    it->name_count = make_set(it->names, it->name_count);
    it->listed_count = make_set(it->listed, it->listed_count);
    it->changed = arena_allocate_zeroed(it->checking->arena, it->name_count, sizeof *it->changed);
    return it->changed;
}

/* ---- the scene's pairs ---- */

static cp_status make_room(struct comparing *it)
{
    struct arena *arena = it->checking->arena;
    uint64_t count = 0, most = it->checking->context->limits.pairs;
    for (uint32_t i = 0; i < it->name_count && count <= most; i++)
        count += (uint64_t)it->counts[it->names[i] >> 32] * it->counts[it->names[i] & UINT32_MAX];
    if (count > most)
        return report_error(it->checking->context, CP_LIMIT, "list-many-pairs", IN_FILE(it->checking->path),
                            "names more than %llu pairs of frames, the limit (--limit pairs=)",
                            (unsigned long long)most);
    it->pairs = arena_allocate(arena, (size_t)count, sizeof *it->pairs);
    it->keys = arena_allocate(arena, (size_t)count, sizeof *it->keys);
    it->found = arena_allocate(arena, (size_t)count, sizeof *it->found);
    return it->pairs && it->keys && it->found ? CP_OK : CP_LIMIT;
}

/* Compares all pairs of frames that have names of the list. */
static cp_status compare_keys(struct comparing *it)
{
    const struct checking *checking = it->checking;
    uint32_t found = 0;
    cp_status status = make_room(it);
    for (uint32_t i = 0; i < it->name_count && status == CP_OK; i++)
        for (uint32_t one = it->heads[it->names[i] >> 32]; one != CP_NONE; one = it->next[one])
            for (uint32_t other = it->heads[it->names[i] & UINT32_MAX]; other != CP_NONE; other = it->next[other])
                it->pairs[it->pair_count++] = (cp_pair){.first = one, .second = other};
    if (status == CP_OK)
        status = pair_keys(checking->context, checking->scene, it->pairs, it->pair_count, it->keys);
    uint32_t pair = 0;
    for (uint32_t i = 0; i < it->name_count && status == CP_OK; i++) {
        uint32_t end = pair + it->counts[it->names[i] >> 32] * it->counts[it->names[i] & UINT32_MAX];
        for (; pair < end; pair++) {
            uint64_t hash = hash_names_and_key(it->names[i], it->keys[pair]);
            if (it->keys[pair] == 0) /* one of the frames has no geometry */
                continue;
            it->found[found++] = hash;
            it->changed[i] = it->changed[i] || !set_has(it->listed, it->listed_count, hash);
        }
    }
    found = status == CP_OK ? make_set(it->found, found) : 0;
    for (uint32_t i = 0; i < it->list->pair_count && status == CP_OK; i++) {
        const cp_pair *listed = &it->list->pairs[i];
        if (is_compared(it, listed) &&
            !set_has(it->found, found, hash_names_and_key(names_of(listed), listed->finding->key)))
            it->changed[place_of(it, names_of(listed))] = true;
    }
    return status;
}

/* ---- the cell ---- */

/* Compares the key of all pairs of the cell. known: the list has one; same: it is the scene's. */
static cp_status compare_cells(const struct comparing *it, bool *known, bool *same)
{
    uint64_t listed = listed_cell_key(it->list), key, count;
    *known = listed != 0;
    *same = false;
    cp_status status = *known ? cell_key(it->checking->context, it->checking->scene, &key, &count) : CP_OK;
    *same = *known && status == CP_OK && key == listed;
    return status;
}

/* ---- all ---- */

/* Tells each two names that changed once, in the order of the list. */
static void tell_changes(struct comparing *it)
{
    const cp_scene *list = it->list;
    for (uint32_t i = 0; i < list->pair_count; i++) {
        const cp_pair *pair = &list->pairs[i];
        bool *changed = is_compared(it, pair) ? &it->changed[place_of(it, names_of(pair))] : NULL;
        if (changed && *changed)
            tell_of_list(it->checking, CP_LIST_PAIR_CHANGED, list->nodes[pair->first].name,
                         list->nodes[pair->second].name);
        if (changed)
            *changed = false;
    }
}

cp_status check_by_keys(struct checking *checking, const cp_scene *list)
{
    struct comparing it = {.checking = checking, .list = list};
    uint64_t unknown;
    cp_status status = find_frames(&it) && take_list(&it, &unknown) ? compare_keys(&it) : CP_LIMIT;
    if (status != CP_OK)
        return status;
    tell_changes(&it);
    bool known, same;
    status = compare_cells(&it, &known, &same);
    if (status == CP_OK && known && !same && !checking->stale)
        tell_of_list(checking, CP_LIST_PAIR_CHANGED, "", "");
    if (status != CP_OK || known)
        unknown = 0;
    else if (unknown > 0 || list->pair_count == 0)
        report_warning(checking->context, "list-no-evidence", IN_FILE(checking->path),
                       "the list has no evidence beside it, and no keys of %llu pairs: of these only the names are "
                       "checked",
                       (unsigned long long)unknown);
    else
        report_warning(checking->context, "list-no-evidence", IN_FILE(checking->path),
                       "the list has no evidence beside it: frames and pairs that it does not name are not checked");
    report_outside(checking->context, checking->scene);
    return status;
}
