/* Whether a list of exclusions still holds for a scene: its names, and with the evidence beside it all that its
 * findings rest on. */
#include <string.h>

#include "../../context.h"
#include "../../numbers.h"
#include "../proof/outside.h"
#include "files.h"
#include "key.h"

struct checking {
    cp_context *context;
    const cp_scene *scene;
    const char *path;
    void (*tell)(void *user, const cp_list_fault *fault);
    void *user;
    bool stale;
    struct arena *arena;
    struct name_map frames; /* of the scene, by name: the first of a name; no placeholders */
    struct evidence evidence;
    uint64_t *geometry;      /* of the scene's nodes */
    uint32_t *nodes;         /* the scene's node of each listed frame, or CP_NONE */
    struct name_map numbers; /* of names in lists and evidence */
    uint32_t number_count;
};

static void tell(struct checking *checking, cp_list_fault_kind kind, const char *first, const char *second)
{
    checking->stale = true;
    checking->tell(checking->user, &(cp_list_fault){kind, first, second});
}

static cp_status name_frames(struct checking *checking)
{
    const cp_scene *scene = checking->scene;
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (!(scene->nodes[i].flags & CP_NODE_PLACEHOLDER) &&
            !name_map_add(&checking->frames, scene->nodes[i].name, i, NULL))
            return CP_LIMIT;
    return CP_OK;
}

/* ---- sets of pairs ---- */

/* Excluded pairs by the numbers of their names, in order, without repeats; names[number]. */
struct pair_set {
    uint64_t *items;
    uint32_t count;
};

/* False when out of memory. */
static bool add_to_set(struct checking *checking, struct pair_set *set, const char *first, const char *second)
{
    bool added;
    uint32_t *one = name_map_add(&checking->numbers, first, checking->number_count, &added);
    checking->number_count += one && added;
    uint32_t first_number = one ? *one : 0; /* the table may move */
    uint32_t *other = name_map_add(&checking->numbers, second, checking->number_count, &added);
    checking->number_count += other && added;
    if (!one || !other)
        return false;
    set->items[set->count++] = unordered_pair(first_number, *other);
    return true;
}

/* The names by their numbers. NULL when out of memory. */
static const char **list_names(struct checking *checking)
{
    const char **names = arena_allocate(checking->arena, checking->number_count, sizeof *names);
    for (uint32_t i = 0; names && i < checking->numbers.slot_count; i++)
        if (checking->numbers.slots[i].key)
            names[checking->numbers.slots[i].value] = checking->numbers.slots[i].key;
    return names;
}

/* Tells those of the one that the other lacks. */
static void tell_missing(struct checking *checking, const char *const *names, const struct pair_set *sets[2],
                         cp_list_fault_kind kind)
{
    const struct pair_set *other = sets[1];
    for (uint32_t i = 0, k = 0; i < sets[0]->count; i++) {
        uint64_t pair = sets[0]->items[i];
        while (k < other->count && other->items[k] < pair)
            k++;
        if (k == other->count || other->items[k] != pair)
            tell(checking, kind, names[pair >> 32], names[pair & UINT32_MAX]);
    }
}

/* Tells those that list and evidence exclude by names that a pair has, too, which is to be checked. */
static void tell_kept(struct checking *checking, const char *const *names, const struct pair_set *kept,
                      const struct pair_set *listed, const struct pair_set *evident)
{
    for (uint32_t i = 0; i < kept->count; i++) {
        uint64_t pair = kept->items[i];
        if (set_has(listed->items, listed->count, pair) && set_has(evident->items, evident->count, pair))
            tell(checking, CP_LIST_NOT_EVIDENT, names[pair >> 32], names[pair & UINT32_MAX]);
    }
}

static cp_status collect_listed(struct checking *checking, const cp_scene *list, struct pair_set *set)
{
    set->items = arena_allocate(checking->arena, list->pair_count, sizeof *set->items);
    if (!set->items)
        return CP_LIMIT;
    for (uint32_t i = 0; i < list->pair_count; i++) {
        const cp_pair *pair = &list->pairs[i];
        if (!add_to_set(checking, set, list->nodes[pair->first].name, list->nodes[pair->second].name))
            return CP_LIMIT;
    }
    set->count = make_set(set->items, set->count);
    return CP_OK;
}

/* Those that the evidence excludes, or keeps. */
static cp_status collect_evident(struct checking *checking, bool excluded, struct pair_set *set)
{
    const struct evidence *evidence = &checking->evidence;
    set->items = arena_allocate(checking->arena, evidence->pair_count, sizeof *set->items);
    if (!set->items)
        return CP_LIMIT;
    for (uint32_t i = 0; i < evidence->pair_count; i++) {
        const struct listed_pair *pair = &evidence->pairs[i];
        if (pair->excluded == excluded &&
            !add_to_set(checking, set, evidence->frames[pair->first].name, evidence->frames[pair->second].name))
            return CP_LIMIT;
    }
    set->count = make_set(set->items, set->count);
    return CP_OK;
}

/* Told once, whether the scene or the evidence says it. volatiles: of the list. */
static cp_status need_volatile(struct checking *checking, struct name_map *volatiles, const char *name)
{
    bool added;
    if (!name_map_add(volatiles, name, 0, &added))
        return CP_LIMIT;
    if (added)
        tell(checking, CP_LIST_NOT_VOLATILE, name, "");
    return CP_OK;
}

/* What the list says beside its pairs. */
static cp_status compare_statements(struct checking *checking, const cp_scene *list)
{
    const struct evidence *evidence = &checking->evidence;
    const cp_scene *scene = checking->scene;
    struct name_map volatiles = {.context = checking->context};
    cp_status status = CP_OK;
    if (list->exclude_static_pairs && !evidence->exclude_static_pairs)
        tell(checking, CP_LIST_STATIC, "", "");
    for (uint32_t i = 0; i < list->node_count && status == CP_OK; i++)
        if (list->nodes[i].flags & CP_NODE_VOLATILE && !name_map_add(&volatiles, list->nodes[i].name, 0, NULL))
            status = CP_LIMIT;
    for (uint32_t i = 0; i < scene->node_count && status == CP_OK; i++)
        if (scene->nodes[i].flags & CP_NODE_VOLATILE)
            status = need_volatile(checking, &volatiles, scene->nodes[i].name);
    for (uint32_t i = 0; i < evidence->frame_count && status == CP_OK; i++)
        if (evidence->frames[i].is_volatile)
            status = need_volatile(checking, &volatiles, evidence->frames[i].name);
    name_map_free(&volatiles);
    return status;
}

static cp_status compare_lists(struct checking *checking, const cp_scene *list)
{
    struct pair_set listed = {0}, evident = {0}, kept = {0};
    cp_status status = collect_listed(checking, list, &listed);
    if (status == CP_OK)
        status = collect_evident(checking, true, &evident);
    if (status == CP_OK)
        status = collect_evident(checking, false, &kept);
    const char **names = status == CP_OK ? list_names(checking) : NULL;
    if (!names)
        return status == CP_OK ? CP_LIMIT : status;
    tell_missing(checking, names, (const struct pair_set *[]){&evident, &listed}, CP_LIST_NOT_LISTED);
    tell_missing(checking, names, (const struct pair_set *[]){&listed, &evident}, CP_LIST_NOT_EVIDENT);
    tell_kept(checking, names, &kept, &listed, &evident);
    return CP_OK;
}

/* ---- frames ---- */

static cp_status find_frames(struct checking *checking)
{
    const struct evidence *evidence = &checking->evidence;
    const cp_scene *scene = checking->scene;
    struct name_map ids = {.context = checking->context};
    cp_status status = CP_OK;
    checking->nodes = arena_allocate(checking->arena, evidence->frame_count, sizeof *checking->nodes);
    if (!checking->nodes)
        return CP_LIMIT;
    for (uint32_t i = 0; i < scene->node_count && status == CP_OK; i++)
        if (!name_map_add(&ids, scene->nodes[i].id, i, NULL))
            status = CP_LIMIT;
    for (uint32_t i = 0; i < evidence->frame_count && status == CP_OK; i++) {
        const struct listed_frame *frame = &evidence->frames[i];
        const uint32_t *same = name_map_find(&ids, frame->id), *named = name_map_find(&checking->frames, frame->name);
        bool twin = same && named && strcmp(scene->nodes[*same].name, frame->name) == 0 &&
                    !(scene->nodes[*same].flags & CP_NODE_PLACEHOLDER);
        checking->nodes[i] = twin ? *same : named ? *named : CP_NONE;
    }
    name_map_free(&ids);
    return status;
}

/* Frames that are gone, and those that can collide and could not before. */
static cp_status compare_frames(struct checking *checking)
{
    const struct evidence *evidence = &checking->evidence;
    const cp_scene *scene = checking->scene;
    bool *known = arena_allocate(checking->arena, scene->node_count, sizeof *known);
    if (!known)
        return CP_LIMIT;
    memset(known, 0, scene->node_count * sizeof *known);
    for (uint32_t i = 0; i < evidence->frame_count; i++) {
        const struct listed_frame *frame = &evidence->frames[i];
        if (checking->nodes[i] != CP_NONE)
            known[checking->nodes[i]] |= frame->geometry != 0;
        else if (!frame->placeholder)
            tell(checking, CP_LIST_FRAME_GONE, frame->name, "");
    }
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (checking->geometry[i] && !known[i])
            tell(checking, CP_LIST_FRAME_NEW, scene->nodes[i].name, "");
    return CP_OK;
}

/* ---- pairs ---- */

static cp_list_fault_kind what_changed(const struct checking *checking, const struct listed_pair *pair)
{
    const struct listed_frame *frames = checking->evidence.frames;
    bool first = checking->geometry[checking->nodes[pair->first]] != frames[pair->first].geometry;
    bool second = checking->geometry[checking->nodes[pair->second]] != frames[pair->second].geometry;
    return first && second ? CP_LIST_BOTH_CHANGED
           : first         ? CP_LIST_FIRST_CHANGED
           : second        ? CP_LIST_SECOND_CHANGED
                           : CP_LIST_MOTION_CHANGED;
}

static bool is_there(const struct checking *checking, const struct listed_pair *pair)
{
    return checking->nodes[pair->first] != CP_NONE && checking->nodes[pair->second] != CP_NONE;
}

static cp_status compare_pairs_with_scene(struct checking *checking)
{
    const struct evidence *evidence = &checking->evidence;
    cp_pair *pairs = arena_allocate(checking->arena, evidence->pair_count, sizeof *pairs);
    uint64_t *keys = arena_allocate(checking->arena, evidence->pair_count, sizeof *keys);
    if (!pairs || !keys)
        return CP_LIMIT;
    uint32_t count = 0;
    unsigned long long unknown = 0;
    for (uint32_t i = 0; i < evidence->pair_count; i++)
        if (is_there(checking, &evidence->pairs[i]))
            pairs[count++] = (cp_pair){.first = checking->nodes[evidence->pairs[i].first],
                                       .second = checking->nodes[evidence->pairs[i].second]};
    cp_status status = pair_keys(checking->context, checking->scene, pairs, count, keys);
    count = 0;
    for (uint32_t i = 0; i < evidence->pair_count && status == CP_OK; i++) {
        const struct listed_pair *pair = &evidence->pairs[i];
        if (!is_there(checking, pair))
            continue;
        uint64_t key = keys[count++];
        unknown += key && !pair->key;
        if (pair->key && key != pair->key)
            tell(checking, what_changed(checking, pair), evidence->frames[pair->first].name,
                 evidence->frames[pair->second].name);
    }
    if (unknown > 0)
        report_warning(checking->context, "list-keys", IN_FILE(checking->path),
                       "the evidence has no keys of %llu pairs, of which nothing but the names is checked", unknown);
    return status;
}

/* ---- the whole ---- */

static cp_status check_by_evidence(struct checking *checking, const cp_scene *list)
{
    checking->geometry = arena_allocate(checking->arena, checking->scene->node_count, sizeof *checking->geometry);
    cp_status status =
        checking->geometry ? geometry_keys(checking->context, checking->scene, checking->geometry) : CP_LIMIT;
    if (status == CP_OK)
        status = find_frames(checking);
    if (status == CP_OK)
        status = compare_frames(checking);
    if (status == CP_OK)
        status = compare_pairs_with_scene(checking);
    if (status == CP_OK)
        status = compare_statements(checking, list);
    if (status == CP_OK)
        report_outside(checking->context, checking->scene);
    return status == CP_OK ? compare_lists(checking, list) : status;
}

static void check_names(struct checking *checking, const cp_scene *list)
{
    report_warning(checking->context, "list-no-evidence", IN_FILE(checking->path),
                   "the list has no evidence beside it: nothing but the names is checked");
    for (uint32_t i = 1; i < list->node_count; i++)
        if (!name_map_find(&checking->frames, list->nodes[i].name))
            tell(checking, CP_LIST_FRAME_GONE, list->nodes[i].name, "");
}

static cp_status check_list(struct checking *checking)
{
    cp_context *context = checking->context;
    cp_scene *list = NULL;
    bool evident;
    cp_status status = list_find_evidence(&checking->evidence, context, checking->path, &evident);
    if (status == CP_OK)
        status = name_frames(checking);
    if (status == CP_OK)
        status = evident ? list_read_files(context, checking->path, &checking->evidence, &list)
                         : cp_read(context, checking->path, "collision-setup", NULL, 0, &list);
    if (status == CP_OK && evident)
        status = check_by_evidence(checking, list);
    else if (status == CP_OK)
        check_names(checking, list);
    cp_scene_free(list);
    return status == CP_OK && checking->stale ? CP_NO : status;
}

cp_status cp_check_list(cp_context *context, const cp_scene *scene, const char *path,
                        void (*tell_fault)(void *user, const cp_list_fault *fault), void *user)
{
    struct checking checking = {.context = context,
                                .scene = scene,
                                .path = path,
                                .tell = tell_fault,
                                .user = user,
                                .arena = arena_new(context),
                                .frames = {.context = context},
                                .numbers = {.context = context}};
    cp_status status = checking.arena ? check_list(&checking) : CP_LIMIT;
    name_map_free(&checking.frames);
    name_map_free(&checking.numbers);
    evidence_free(&checking.evidence);
    arena_free(checking.arena);
    return context_finish(context, status);
}
