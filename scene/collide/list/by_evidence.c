/* Compares a list of exclusions with a scene by the evidence beside it: all that its findings rest on. */
#include <string.h>

#include "base/context.h"
#include "checking.h"
#include "list.h"

static void tell_attribute(struct checking *checking, const char *first, const char *second, const char *attribute)
{
    tell_list_fault(
        checking, &(cp_list_fault){.kind = CP_LIST_DIFFERS, .first = first, .second = second, .attribute = attribute});
}

/* ---- sets of pairs ---- */

/* Excluded pairs by the numbers of their names, in order, without repeats; names[number]. */
struct pair_set {
    uint64_t *items;
    uint32_t count;
};

/* Adds the pair of two names to the set. Returns false if out of memory. */
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

/* Returns the pair of two names that have been added to a set. */
static uint64_t names_of(const struct checking *checking, const char *first, const char *second)
{
    return unordered_pair(*name_map_find(&checking->numbers, first), *name_map_find(&checking->numbers, second));
}

/* Tells the pairs of the one set that the other lacks. */
static void tell_missing(struct checking *checking, const char *const *names, const struct pair_set *sets[2],
                         cp_list_fault_kind kind)
{
    const struct pair_set *other = sets[1];
    for (uint32_t i = 0, k = 0; i < sets[0]->count; i++) {
        uint64_t pair = sets[0]->items[i];
        while (k < other->count && other->items[k] < pair)
            k++;
        if (k == other->count || other->items[k] != pair)
            tell_of_list(checking, kind, names[pair >> 32], names[pair & UINT32_MAX]);
    }
}

/* Makes room for `count` pairs. False when out of memory. */
static bool make_room(struct checking *checking, struct pair_set *set, uint32_t count)
{
    set->items = arena_allocate(checking->arena, count, sizeof *set->items);
    return set->items;
}

/* Collects the pairs that the evidence excludes, or keeps. unnamed: also those that an element of the list excludes. */
static bool collect_evident(struct checking *checking, bool excluded, bool unnamed, struct pair_set *set)
{
    const struct listed_evidence *evidence = &checking->evidence;
    bool good = make_room(checking, set, evidence->pair_count);
    for (uint32_t i = 0; i < evidence->pair_count && good; i++) {
        const struct listed_pair *pair = &evidence->pairs[i];
        if (pair->excluded == excluded && (unnamed || !pair->by_element))
            good = add_to_set(checking, set, evidence->frames[pair->first].name, evidence->frames[pair->second].name);
    }
    if (good)
        set->count = make_set(set->items, set->count);
    return good;
}

/* Tells a volatile frame that the list lacks, once, no matter whether the scene or the evidence has it. volatiles:
 * those of the list. */
static cp_status need_volatile(struct checking *checking, struct name_map *volatiles, const char *name)
{
    bool added;
    if (!name_map_add(volatiles, name, 0, &added))
        return CP_LIMIT;
    if (added)
        tell_of_list(checking, CP_LIST_NOT_VOLATILE, name, "");
    return CP_OK;
}

/* Compares what the list says beside its pairs: volatile frames, and whether it excludes static pairs. */
static cp_status compare_statements(struct checking *checking, const cp_scene *list)
{
    const struct listed_evidence *evidence = &checking->evidence;
    const cp_scene *scene = checking->scene;
    struct name_map volatiles = {.context = checking->context};
    cp_status status = CP_OK;
    if (list->exclude_static_pairs && !evidence->exclude_static_pairs)
        tell_of_list(checking, CP_LIST_STATIC, "", "");
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

/* ---- reasons and numbers ---- */

enum { ATTRIBUTES = 9, STATIC_ATTRIBUTES = 2 };
static const char *const attribute_names[ATTRIBUTES] = {"reason", "key",     "margin", "touch",   "clearance",
                                                        "work",   "samples", "hits",   "descents"};

/* Hashes each attribute together with the names. Returns how many there are: without a finding the reason alone, and
 * for static pairs the key, too. */
static uint32_t hash_attributes(uint64_t names, const char *reason, const cp_finding *finding,
                                uint64_t hashes[ATTRIBUTES])
{
    uint64_t values[ATTRIBUTES] = {hash_content(reason, strlen(reason))};
    if (finding) {
        double lengths[3] = {finding->margin + 0.0, finding->touch + 0.0, finding->clearance + 0.0}; /* no -0 */
        values[1] = finding->key;
        memcpy(values + 2, lengths, sizeof lengths);
        values[5] = finding->work;
        values[6] = finding->samples;
        values[7] = finding->hits;
        values[8] = finding->descents;
    }
    uint32_t count = !finding ? 1 : strcmp(reason, "static") == 0 ? STATIC_ATTRIBUTES : ATTRIBUTES;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t words[3] = {names, i, values[i]};
        hashes[i] = hash_content(words, sizeof words);
    }
    return count;
}

/* Compares the attributes of the list's pairs with the evidence. If several pairs have the same names, each attribute
 * must be that of one of them. evident: the pairs that the evidence excludes; others have been told before. */
static cp_status compare_attributes(struct checking *checking, const cp_scene *list, const struct pair_set *evident)
{
    const struct listed_evidence *evidence = &checking->evidence;
    struct pair_set known = {0};
    if (evidence->pair_count > UINT32_MAX / ATTRIBUTES ||
        !make_room(checking, &known, ATTRIBUTES * evidence->pair_count))
        return CP_LIMIT;
    for (uint32_t i = 0; i < evidence->pair_count; i++) {
        const struct listed_pair *pair = &evidence->pairs[i];
        cp_finding finding = pair->finding;
        finding.key = pair->key;
        if (pair->excluded)
            known.count += hash_attributes(
                names_of(checking, evidence->frames[pair->first].name, evidence->frames[pair->second].name),
                pair->status, &finding, known.items + known.count);
    }
    known.count = make_set(known.items, known.count);
    for (uint32_t i = 0; i < list->pair_count; i++) {
        const cp_pair *pair = &list->pairs[i];
        const char *first = list->nodes[pair->first].name, *second = list->nodes[pair->second].name;
        uint64_t names = names_of(checking, first, second), hashes[ATTRIBUTES];
        if (strcmp(pair->reason, "given") == 0 || !set_has(evident->items, evident->count, names))
            continue;
        uint32_t count = hash_attributes(names, pair->reason, pair->finding, hashes);
        for (uint32_t k = 0; k < count; k++) {
            bool absent = k == 1 && pair->finding->key == 0; /* lists of earlier versions have no keys */
            if (!absent && !set_has(known.items, known.count, hashes[k]))
                tell_attribute(checking, first, second, attribute_names[k]);
        }
    }
    return CP_OK;
}

/* ---- both ---- */

static cp_status compare_lists(struct checking *checking, const cp_scene *list)
{
    struct pair_set listed = {0}, evident = {0}, needed = {0}, kept = {0};
    bool good = make_room(checking, &listed, list->pair_count);
    for (uint32_t i = 0; i < list->pair_count && good; i++)
        good = add_to_set(checking, &listed, list->nodes[list->pairs[i].first].name,
                          list->nodes[list->pairs[i].second].name);
    good = good && collect_evident(checking, true, true, &evident) &&
           collect_evident(checking, true, !list->exclude_static_pairs, &needed) &&
           collect_evident(checking, false, true, &kept);
    const char **names = good ? arena_allocate(checking->arena, checking->number_count, sizeof *names) : NULL;
    if (!names)
        return CP_LIMIT;
    for (uint32_t i = 0; i < checking->numbers.slot_count; i++)
        if (checking->numbers.slots[i].key)
            names[checking->numbers.slots[i].value] = checking->numbers.slots[i].key;
    listed.count = make_set(listed.items, listed.count);
    tell_missing(checking, names, (const struct pair_set *[]){&needed, &listed}, CP_LIST_NOT_LISTED);
    tell_missing(checking, names, (const struct pair_set *[]){&listed, &evident}, CP_LIST_NOT_EVIDENT);
    /* A pair that must be checked may have the names of one that list and evidence exclude. */
    for (uint32_t i = 0; i < kept.count; i++) {
        uint64_t pair = kept.items[i];
        if (set_has(listed.items, listed.count, pair) && set_has(evident.items, evident.count, pair))
            tell_of_list(checking, CP_LIST_NOT_EVIDENT, names[pair >> 32], names[pair & UINT32_MAX]);
    }
    return compare_attributes(checking, list, &evident);
}

/* ---- frames ---- */

/* Finds the listed frames in the scene; tells those that are gone, and those that can collide and could not before. */
static cp_status compare_frames(struct checking *checking)
{
    const struct listed_evidence *evidence = &checking->evidence;
    const cp_scene *scene = checking->scene;
    struct name_map ids = {.context = checking->context};
    bool *known = arena_allocate(checking->arena, scene->node_count, sizeof *known);
    checking->nodes = arena_allocate(checking->arena, evidence->frame_count, sizeof *checking->nodes);
    bool good = known && checking->nodes;
    if (good)
        memset(known, 0, scene->node_count * sizeof *known);
    for (uint32_t i = 0; i < scene->node_count && good; i++)
        good = name_map_add(&ids, scene->nodes[i].id, i, NULL);
    for (uint32_t i = 0; i < evidence->frame_count && good; i++) {
        const struct listed_frame *frame = &evidence->frames[i];
        const uint32_t *same = name_map_find(&ids, frame->id), *named = name_map_find(&checking->frames, frame->name);
        bool twin = same && named && strcmp(scene->nodes[*same].name, frame->name) == 0 &&
                    !(scene->nodes[*same].flags & CP_NODE_PLACEHOLDER);
        checking->nodes[i] = twin ? *same : named ? *named : CP_NONE;
        if (named)
            known[checking->nodes[i]] |= frame->geometry != 0;
        else if (!frame->placeholder)
            tell_of_list(checking, CP_LIST_FRAME_GONE, frame->name, "");
    }
    for (uint32_t i = 0; i < scene->node_count && good; i++)
        if (checking->geometry[i] && !known[i])
            tell_of_list(checking, CP_LIST_FRAME_NEW, scene->nodes[i].name, "");
    name_map_free(&ids);
    return good ? CP_OK : CP_LIMIT;
}

/* ---- pairs ---- */

static bool is_there(const struct checking *checking, const struct listed_pair *pair)
{
    return checking->nodes[pair->first] != CP_NONE && checking->nodes[pair->second] != CP_NONE;
}

static cp_status compare_pairs_with_scene(struct checking *checking)
{
    const struct listed_evidence *evidence = &checking->evidence;
    cp_pair *pairs = arena_allocate(checking->arena, evidence->pair_count, sizeof *pairs);
    uint64_t *keys = arena_allocate(checking->arena, evidence->pair_count, sizeof *keys);
    uint64_t *changed = arena_allocate(checking->arena, evidence->pair_count, sizeof *changed);
    if (!pairs || !keys || !changed)
        return CP_LIMIT;
    uint32_t count = 0, changes = 0;
    unsigned long long unknown = 0;
    for (uint32_t i = 0; i < evidence->pair_count; i++)
        if (is_there(checking, &evidence->pairs[i]))
            pairs[count++] = (cp_pair){.first = checking->nodes[evidence->pairs[i].first],
                                       .second = checking->nodes[evidence->pairs[i].second]};
    struct causes *causes = causes_find(checking);
    cp_status status = causes ? pair_keys(checking->context, checking->scene, pairs, count, keys) : CP_LIMIT;
    count = 0;
    for (uint32_t i = 0; i < evidence->pair_count && status == CP_OK; i++) {
        const struct listed_pair *pair = &evidence->pairs[i];
        if (!is_there(checking, pair))
            continue;
        uint64_t key = keys[count++];
        unknown += key && !pair->key;
        if (!pair->key || key == pair->key)
            continue;
        changed[changes++] = unordered_pair(checking->nodes[pair->first], checking->nodes[pair->second]);
    }
    changes = make_set(changed, changes); /* a pair may be stated twice */
    for (uint32_t i = 0; i < changes; i++) {
        uint32_t one = (uint32_t)(changed[i] >> 32), other = (uint32_t)changed[i];
        if (!causes_explain(causes, one, other))
            tell_of_list(checking, CP_LIST_PAIR_CHANGED, checking->scene->nodes[one].name,
                         checking->scene->nodes[other].name);
    }
    if (status == CP_OK)
        causes_tell(causes);
    if (unknown > 0)
        report_warning(checking->context, "list-keys", IN_FILE(checking->path),
                       "the evidence has no keys of %llu pairs: only their names are checked", unknown);
    return status;
}

/* ---- the whole ---- */

cp_status check_by_evidence(struct checking *checking, const cp_scene *list)
{
    checking->geometry = arena_allocate(checking->arena, checking->scene->node_count, sizeof *checking->geometry);
    cp_status status =
        checking->geometry ? geometry_keys(checking->context, checking->scene, checking->geometry) : CP_LIMIT;
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
