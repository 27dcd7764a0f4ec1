/* A list of exclusions as it lies on the disk: a file, and with evidence beside it the further files that this names.
 * Whether it still holds for a scene: its names, and with evidence all that its findings rest on. */
#include <string.h>
#include <unistd.h>

#include "../../bytes/listing.h"
#include "../../context.h"
#include "../../numbers.h"
#include "../../text/text.h"
#include "../proof/outside.h"
#include "evidence.h"
#include "key.h"

/* ---- files ---- */

/* Whether there is evidence beside the list; then it is read. Call evidence_free even on failure. */
static cp_status find_evidence(struct evidence *evidence, cp_context *context, const char *path, bool *evident)
{
    struct buffer beside = {.context = context};
    *evidence = (struct evidence){.context = context};
    buffer_text(&beside, path);
    buffer_append(&beside, ".json", sizeof ".json");
    *evident = !beside.failed && access(beside.data, F_OK) == 0;
    cp_status status = beside.failed ? CP_LIMIT
                       : *evident    ? evidence_read(evidence, context, beside.data)
                                     : list_missing(context, beside.data);
    buffer_free(&beside);
    return status;
}

/* prefix: of the names in the file, which lack it. */
static cp_status read_file(cp_context *context, const char *path, const char *prefix, cp_scene **list)
{
    struct buffer option = {.context = context};
    buffer_text(&option, "prefix=");
    buffer_append(&option, prefix, strlen(prefix) + 1);
    const char *text = option.data;
    cp_status status = option.failed ? CP_LIMIT : cp_read(context, path, "collision-setup", &text, 1, list);
    buffer_free(&option);
    return status;
}

/* CP_NONE when out of memory or over a limit. */
static uint32_t name_node(cp_scene *list, struct name_map *names, const char *name)
{
    const uint32_t *known = name_map_find(names, name);
    uint32_t node = known ? *known : scene_add_placeholder(list, name);
    bool good = node != CP_NONE && (known || name_map_add(names, list->nodes[node].name, node, NULL));
    return good ? node : CP_NONE;
}

/* All of the list's files in one scene: what they name are placeholders. *list is NULL on failure. */
static cp_status read_files(cp_context *context, const char *path, const struct evidence *evidence, cp_scene **list)
{
    struct name_map names = {.context = context}; /* of the list's nodes */
    struct buffer further = {.context = context};
    size_t folder = (size_t)(text_file_name(path) - path);
    cp_status status = read_file(context, path, evidence->prefix, list);
    if (status != CP_OK || evidence->file_count == 0)
        return status;
    for (uint32_t i = 1; i < (*list)->node_count && status == CP_OK; i++)
        status = name_map_add(&names, (*list)->nodes[i].name, i, NULL) ? CP_OK : CP_LIMIT;
    for (uint32_t i = 0; i < evidence->file_count && status == CP_OK; i++) {
        const struct listed_file *file = &evidence->files[i];
        cp_scene *other = NULL;
        further.size = 0;
        buffer_append(&further, path, folder);
        buffer_append(&further, file->name, strlen(file->name) + 1);
        status = further.failed ? CP_LIMIT : read_file(context, further.data, file->prefix, &other);
        for (uint32_t k = 0; status == CP_OK && k < other->pair_count; k++) {
            const cp_pair *pair = &other->pairs[k];
            uint32_t first = name_node(*list, &names, other->nodes[pair->first].name);
            uint32_t second = first == CP_NONE ? CP_NONE : name_node(*list, &names, other->nodes[pair->second].name);
            uint32_t copy = second == CP_NONE ? CP_NONE : scene_add_pair(*list, first, second, pair->reason);
            cp_joint_setting *witness;
            cp_finding *finding =
                copy == CP_NONE || !pair->finding ? NULL : scene_copy_finding(*list, pair->finding, &witness);
            if (copy == CP_NONE || (pair->finding && !finding))
                status = CP_LIMIT;
            else
                (*list)->pairs[copy].finding = finding;
        }
        if (status == CP_OK)
            (*list)->exclude_static_pairs |= other->exclude_static_pairs;
        cp_scene_free(other);
    }
    name_map_free(&names);
    buffer_free(&further);
    if (status == CP_OK)
        status = scene_finish(*list);
    if (status != CP_OK) {
        cp_scene_free(*list);
        *list = NULL;
    }
    return status;
}

cp_status cp_read_list(cp_context *context, const char *path, cp_scene **list)
{
    struct evidence evidence;
    bool evident;
    *list = NULL;
    cp_status status = find_evidence(&evidence, context, path, &evident);
    if (status == CP_OK)
        status = evident ? read_files(context, path, &evidence, list) : cp_read(context, path, NULL, NULL, 0, list);
    evidence_free(&evidence);
    return context_finish(context, status);
}

/* ---- checking ---- */

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
    checking->tell(checking->user, &(cp_list_fault){kind, first, second, ""});
}

static void tell_attribute(struct checking *checking, const char *first, const char *second, const char *attribute)
{
    checking->stale = true;
    checking->tell(checking->user, &(cp_list_fault){CP_LIST_DIFFERS, first, second, attribute});
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

/* Of names that have been added to a set. */
static uint64_t names_of(const struct checking *checking, const char *first, const char *second)
{
    return unordered_pair(*name_map_find(&checking->numbers, first), *name_map_find(&checking->numbers, second));
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

/* An array of up to so many pairs: false when out of memory. */
static bool make_room(struct checking *checking, struct pair_set *set, uint32_t count)
{
    set->items = arena_allocate(checking->arena, count, sizeof *set->items);
    return set->items;
}

/* Those that the evidence excludes, or keeps. unnamed: also those that an element of the list excludes. */
static bool collect_evident(struct checking *checking, bool excluded, bool unnamed, struct pair_set *set)
{
    const struct evidence *evidence = &checking->evidence;
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

/* ---- reasons and numbers ---- */

enum { ATTRIBUTES = 8 };
static const char *const attribute_names[ATTRIBUTES] = {"reason", "margin",  "touch", "clearance",
                                                        "work",   "samples", "hits",  "descents"};

/* A hash of each attribute, with that of the names. How many there are: without a finding the reason alone. */
static uint32_t hash_attributes(uint64_t names, const char *reason, const cp_finding *finding,
                                uint64_t hashes[ATTRIBUTES])
{
    uint64_t values[ATTRIBUTES] = {hash_content(reason, strlen(reason))};
    if (finding) {
        double lengths[3] = {finding->margin + 0.0, finding->touch + 0.0, finding->clearance + 0.0}; /* no -0 */
        memcpy(values + 1, lengths, sizeof lengths);
        values[4] = finding->work;
        values[5] = finding->samples;
        values[6] = finding->hits;
        values[7] = finding->descents;
    }
    uint32_t count = finding ? ATTRIBUTES : 1;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t words[3] = {names, i, values[i]};
        hashes[i] = hash_content(words, sizeof words);
    }
    return count;
}

/* What the list says of a pair in attributes must be in the evidence, where several pairs have its names of one of
 * them. evident: the pairs that the evidence excludes; others have been told before. */
static cp_status compare_attributes(struct checking *checking, const cp_scene *list, const struct pair_set *evident)
{
    const struct evidence *evidence = &checking->evidence;
    struct pair_set known = {0};
    if (evidence->pair_count > UINT32_MAX / ATTRIBUTES ||
        !make_room(checking, &known, ATTRIBUTES * evidence->pair_count))
        return CP_LIMIT;
    for (uint32_t i = 0; i < evidence->pair_count; i++) {
        const struct listed_pair *pair = &evidence->pairs[i];
        if (pair->excluded)
            known.count += hash_attributes(
                names_of(checking, evidence->frames[pair->first].name, evidence->frames[pair->second].name),
                pair->status, &pair->finding, known.items + known.count);
    }
    known.count = make_set(known.items, known.count);
    for (uint32_t i = 0; i < list->pair_count; i++) {
        const cp_pair *pair = &list->pairs[i];
        const char *first = list->nodes[pair->first].name, *second = list->nodes[pair->second].name;
        uint64_t names = names_of(checking, first, second), hashes[ATTRIBUTES];
        if (strcmp(pair->reason, "given") == 0 || !set_has(evident->items, evident->count, names))
            continue;
        uint32_t count = hash_attributes(names, pair->reason, pair->finding, hashes);
        for (uint32_t k = 0; k < count; k++)
            if (!set_has(known.items, known.count, hashes[k]))
                tell_attribute(checking, first, second, attribute_names[k]);
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
    /* A pair that is to be checked may have the names of one that list and evidence exclude. */
    for (uint32_t i = 0; i < kept.count; i++) {
        uint64_t pair = kept.items[i];
        if (set_has(listed.items, listed.count, pair) && set_has(evident.items, evident.count, pair))
            tell(checking, CP_LIST_NOT_EVIDENT, names[pair >> 32], names[pair & UINT32_MAX]);
    }
    return compare_attributes(checking, list, &evident);
}

/* ---- frames ---- */

/* Finds the listed frames in the scene; tells those that are gone, and those that can collide and could not before. */
static cp_status compare_frames(struct checking *checking)
{
    const struct evidence *evidence = &checking->evidence;
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
            tell(checking, CP_LIST_FRAME_GONE, frame->name, "");
    }
    for (uint32_t i = 0; i < scene->node_count && good; i++)
        if (checking->geometry[i] && !known[i])
            tell(checking, CP_LIST_FRAME_NEW, scene->nodes[i].name, "");
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
        if (!pair->key || key == pair->key)
            continue;
        const struct listed_frame *one = &evidence->frames[pair->first], *other = &evidence->frames[pair->second];
        bool first = checking->geometry[checking->nodes[pair->first]] != one->geometry;
        bool second = checking->geometry[checking->nodes[pair->second]] != other->geometry;
        cp_list_fault_kind kind = first && second ? CP_LIST_BOTH_CHANGED
                                  : first         ? CP_LIST_FIRST_CHANGED
                                  : second        ? CP_LIST_SECOND_CHANGED
                                                  : CP_LIST_MOTION_CHANGED;
        tell(checking, kind, one->name, other->name);
    }
    if (unknown > 0)
        report_warning(checking->context, "list-keys", IN_FILE(checking->path),
                       "the evidence has no keys of %llu pairs: only their names are checked", unknown);
    return status;
}

/* ---- the whole ---- */

static cp_status check_by_evidence(struct checking *checking, const cp_scene *list)
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
    cp_scene *list = NULL;
    bool evident;
    cp_status status = checking.arena ? find_evidence(&checking.evidence, context, path, &evident) : CP_LIMIT;
    for (uint32_t i = 0; i < scene->node_count && status == CP_OK; i++)
        if (!(scene->nodes[i].flags & CP_NODE_PLACEHOLDER) &&
            !name_map_add(&checking.frames, scene->nodes[i].name, i, NULL))
            status = CP_LIMIT;
    if (status == CP_OK)
        status = evident ? read_files(context, path, &checking.evidence, &list)
                         : cp_read(context, path, "collision-setup", NULL, 0, &list);
    if (status == CP_OK && evident) {
        status = check_by_evidence(&checking, list);
    } else if (status == CP_OK) {
        report_warning(context, "list-no-evidence", IN_FILE(path),
                       "the list has no evidence beside it: only its names are checked");
        for (uint32_t i = 1; i < list->node_count; i++)
            if (!name_map_find(&checking.frames, list->nodes[i].name))
                tell(&checking, CP_LIST_FRAME_GONE, list->nodes[i].name, "");
    }
    if (status == CP_OK && checking.stale)
        status = CP_NO;
    cp_scene_free(list);
    name_map_free(&checking.frames);
    name_map_free(&checking.numbers);
    evidence_free(&checking.evidence);
    arena_free(checking.arena);
    return context_finish(context, status);
}
