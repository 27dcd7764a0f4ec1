/* Writes the evidence beside a list, as JSON: all that is known of all pairs, the excluded and the kept ones.
 * docs/exclusion.md is its specification; scene/collide/list/evidence.c reads it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collide/list/list.h"
#include "evidence.h"
#include "exporters.h"

struct written_evidence {
    const struct evidence *list;
    struct json_writer json;
    uint64_t *geometry; /* of each node */
    uint64_t *keys;     /* one for each pair, in the present scene */
};

/* ---- the files ---- */

static int compare_inputs(const void *a, const void *b)
{
    const struct input *one = a, *other = b;
    int order = strcmp(one->label, other->label);
    return order ? order : strcmp(one->path, other->path);
}

/* Writes the inputs by name, since a file may be read several times, and in any order. */
static bool write_inputs(struct written_evidence *evidence)
{
    struct json_writer *json = &evidence->json;
    cp_context *context = evidence->list->context;
    const cp_scene *scene = evidence->list->scene;
    uint32_t count = scene->inputs.count;
    struct input *sorted = arena_copy(evidence->list->arena, scene->inputs.items, count, sizeof *sorted);
    if (!sorted)
        return false;
    qsort(sorted, count, sizeof *sorted, compare_inputs);
    json_open_list(json, "inputs");
    for (uint32_t i = 0; i < count; i++) {
        cp_hash hash;
        int error;
        char text[33];
        if (i > 0 && compare_inputs(&sorted[i - 1], &sorted[i]) == 0)
            continue;
        bool known = input_hash(context, &sorted[i], &hash, &error);
        if (!known && *sorted[i].path)
            report_warning(context, "list-input", IN_FILE(sorted[i].path), "%s%s: the evidence has no hash of it",
                           error ? "cannot be read again: " : "has changed since it was read",
                           error ? strerror(error) : "");
        (void)snprintf(text, sizeof text, "%016llx%016llx", (unsigned long long)hash.high,
                       (unsigned long long)hash.low);
        json_open_item(json);
        json_key_text(json, "file", sorted[i].label);
        if (known)
            json_key_text(json, "xxh3_128", text);
        json_close(json, '}');
    }
    json_close(json, ']');
    return true;
}

/* Writes what kind of list it is, and its further files; its own file is the one beside this. */
static void write_files(struct written_evidence *evidence)
{
    struct json_writer *json = &evidence->json;
    const struct evidence *list = evidence->list;
    if (list->format) {
        json_line(json);
        json_key_text(json, "list", list->format);
    }
    json_line(json);
    json_key_text(json, "prefix", list->prefix);
    if (list->static_element) {
        json_line(json);
        json_key_true(json, "exclude_static_pairs");
    }
    json_open_list(json, "device_files");
    for (uint32_t i = 0; i < list->file_count; i++) {
        json_open_item(json);
        json_key_text(json, "file", list->files[i].name);
        json_key_text(json, "prefix", list->files[i].prefix);
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* ---- frames ---- */

static int compare_frames(const void *a, const void *b)
{
    return strcmp((*(const cp_node *const *)a)->id, (*(const cp_node *const *)b)->id);
}

/* Lists the frames that are wanted in the order of their ids, so that their order in the cell's file does not matter.
 * NULL when out of memory. */
static const cp_node **sort_frames(const struct written_evidence *evidence, const bool *wanted, uint32_t *count)
{
    const cp_scene *scene = evidence->list->scene;
    const cp_node **frames = arena_allocate(evidence->list->arena, scene->node_count, sizeof *frames);
    *count = 0;
    for (uint32_t i = 0; frames && i < scene->node_count; i++)
        if (wanted[i])
            frames[(*count)++] = &scene->nodes[i];
    if (*count > 0)
        qsort(frames, *count, sizeof *frames, compare_frames);
    return frames;
}

/* Writes the frames that can collide or are volatile, and those that pairs name. */
static bool write_frames(struct written_evidence *evidence)
{
    struct json_writer *json = &evidence->json;
    const cp_scene *scene = evidence->list->scene;
    bool *wanted = arena_allocate_zeroed(evidence->list->arena, scene->node_count, sizeof *wanted);
    uint32_t count;
    if (!wanted)
        return false;
    for (uint32_t i = 0; i < scene->pair_count; i++)
        wanted[scene->pairs[i].first] = wanted[scene->pairs[i].second] = true;
    for (uint32_t i = 0; i < scene->node_count; i++)
        wanted[i] = wanted[i] || evidence->geometry[i] || scene->nodes[i].flags & CP_NODE_VOLATILE;
    const cp_node **frames = sort_frames(evidence, wanted, &count);
    if (!frames)
        return false;
    json_open_list(json, "frames");
    for (uint32_t i = 0; i < count; i++) {
        json_open_item(json);
        json_key_text(json, "id", frames[i]->id);
        json_key_text(json, "name", frames[i]->name);
        if (frames[i]->flags & CP_NODE_PLACEHOLDER)
            json_key_true(json, "placeholder");
        if (frames[i]->flags & CP_NODE_VOLATILE)
            json_key_true(json, "volatile");
        if (evidence->geometry[frames[i] - scene->nodes])
            json_key_hash(json, "geometry", evidence->geometry[frames[i] - scene->nodes]);
        json_close(json, '}');
    }
    json_close(json, ']');
    return true;
}

/* ---- the tree ---- */

/* Writes all nodes on the way to frames that can collide, so that a change can be told by its cause. */
static bool write_tree(struct written_evidence *evidence)
{
    struct json_writer *json = &evidence->json;
    const cp_scene *scene = evidence->list->scene;
    bool *wanted = arena_allocate_zeroed(evidence->list->arena, scene->node_count, sizeof *wanted);
    bool *movables = arena_allocate_zeroed(evidence->list->arena, scene->node_count, sizeof *movables);
    uint32_t count;
    if (!wanted || !movables)
        return false;
    find_movables(scene, movables);
    for (uint32_t i = scene->node_count; i-- > 0;) { /* children before their parents */
        wanted[i] = wanted[i] || evidence->geometry[i];
        if (wanted[i] && scene->nodes[i].parent != CP_NONE)
            wanted[scene->nodes[i].parent] = true;
    }
    const cp_node **frames = sort_frames(evidence, wanted, &count);
    if (!frames)
        return false;
    json_open_list(json, "tree");
    for (uint32_t i = 0; i < count; i++) {
        const cp_node *node = frames[i];
        json_open_item(json);
        json_key_text(json, "id", node->id);
        if (node->parent != CP_NONE)
            json_key_text(json, "parent", scene->nodes[node->parent].id);
        if (movables[node - scene->nodes] || node->flags & CP_NODE_VOLATILE)
            json_key_true(json, "movable");
        json_key_numbers(json, "pose", node->local.m, 12);
        json_close(json, '}');
    }
    json_close(json, ']');
    return true;
}

static int compare_joints(const void *a, const void *b)
{
    return strcmp((*(const cp_joint *const *)a)->id, (*(const cp_joint *const *)b)->id);
}

/* Writes the joints by their ids, as the frames are. */
static bool write_joints(struct written_evidence *evidence)
{
    struct json_writer *json = &evidence->json;
    const cp_scene *scene = evidence->list->scene;
    const cp_joint **joints = arena_allocate(evidence->list->arena, scene->joint_count, sizeof *joints);
    for (uint32_t i = 0; joints && i < scene->joint_count; i++)
        joints[i] = &scene->joints[i];
    if (!joints)
        return false;
    if (scene->joint_count > 0)
        qsort(joints, scene->joint_count, sizeof *joints, compare_joints);
    json_open_list(json, "joints");
    for (uint32_t i = 0; i < scene->joint_count; i++) {
        json_open_item(json);
        json_key_text(json, "id", joints[i]->id);
        json_key_text(json, "type", cp_joint_type_name(joints[i]->type));
        json_key_numbers(json, "axis", joints[i]->axis, 3);
        if (isfinite(joints[i]->lower))
            json_key_number(json, "lower", joints[i]->lower);
        if (isfinite(joints[i]->upper))
            json_key_number(json, "upper", joints[i]->upper);
        json_key_hash(json, "rule", joint_rule_key(scene, (uint32_t)(joints[i] - scene->joints)));
        json_close(json, '}');
    }
    json_close(json, ']');
    return true;
}

/* ---- pairs ---- */

/* Tells whether the pair's statement belongs to the present scene. A user's statement does, and a static pair was just
 * checked. Another exclusion without a finding was read from a list, and nobody knows for which scene it was found. */
static bool is_of_this_scene(const struct written_evidence *evidence, uint32_t index)
{
    const cp_pair *pair = &evidence->list->scene->pairs[index];
    bool said = strcmp(pair->reason, "given") == 0 || strcmp(pair->reason, "user") == 0;
    bool is_static = strcmp(pair->reason, "static") == 0 && !evidence->list->outdated[index];
    return said || is_static || pair->verdict == CP_PAIR_KEPT;
}

static void write_pair(struct written_evidence *evidence, uint32_t index)
{
    struct json_writer *json = &evidence->json;
    const cp_scene *scene = evidence->list->scene;
    const cp_pair *pair = &scene->pairs[index];
    const cp_finding *finding = pair->finding;
    json_open_item(json);
    json_key_text(json, "first", scene->nodes[pair->first].name);
    json_key_text(json, "second", scene->nodes[pair->second].name);
    json_key_text(json, "first_id", scene->nodes[pair->first].id);
    json_key_text(json, "second_id", scene->nodes[pair->second].id);
    json_key_text(json, "status", pair->reason);
    json_key_text(json, "verdict", verdict_words[evidence->list->listed[index] ? CP_PAIR_EXCLUDED : CP_PAIR_KEPT]);
    if (evidence->list->unnamed && evidence->list->unnamed[index])
        json_key_text(json, "by", "ExcludeStaticPairs");
    if (*pair->evidence)
        json_key_text(json, "evidence", pair->evidence);
    if (finding)
        json_row_members(json, scene, &finding_layout, finding, IN_EVIDENCE);
    else if (evidence->keys[index] && is_of_this_scene(evidence, index))
        json_key_hash(json, "key", evidence->keys[index]);
    if (finding && finding->witness_count > 0) {
        json_key(json, "witness");
        json_open(json, '[');
        for (uint32_t i = 0; i < finding->witness_count; i++) {
            const cp_joint *joint = &scene->joints[finding->witness[i].joint];
            json_open(json, '{');
            json_key_text(json, "joint", joint->name);
            json_key_text(json, "joint_id", joint->id);
            json_key_number(json, "value", finding->witness[i].value);
            json_close(json, '}');
        }
        json_close(json, ']');
    }
    json_close(json, '}');
}

/* Writes what all findings have in common, for people. */
static void write_common(struct written_evidence *evidence)
{
    const cp_scene *scene = evidence->list->scene;
    const cp_finding *first = NULL;
    bool margin = true, touch = true, samples = true, descents = true, work = true;
    for (uint32_t i = 0; i < scene->pair_count; i++) {
        const cp_finding *finding = scene->pairs[i].finding;
        if (!finding)
            continue;
        first = first ? first : finding;
        margin = margin && finding->margin == first->margin;
        touch = touch && finding->touch == first->touch;
        work = work && finding->work == first->work;
        samples = samples && finding->samples == first->samples;
        descents = descents && finding->descents == first->descents;
    }
    if (first && margin)
        json_key_number(&evidence->json, "margin", first->margin);
    if (first && touch)
        json_key_number(&evidence->json, "touch", first->touch);
    if (first && work)
        json_key_integer(&evidence->json, "work", first->work);
    if (first && samples)
        json_key_integer(&evidence->json, "samples", first->samples);
    if (first && descents)
        json_key_integer(&evidence->json, "descents", first->descents);
}

/* ---- the file ---- */

static cp_status write_object(struct written_evidence *evidence)
{
    struct json_writer *json = &evidence->json;
    const struct evidence *list = evidence->list;
    const cp_scene *scene = list->scene;
    evidence->geometry = arena_allocate(list->arena, scene->node_count, sizeof *evidence->geometry);
    evidence->keys = arena_allocate(list->arena, scene->pair_count, sizeof *evidence->keys);
    if (!evidence->geometry || !evidence->keys)
        return CP_LIMIT;
    cp_status status = geometry_keys(list->context, scene, evidence->geometry);
    if (status == CP_OK)
        status = pair_keys(list->context, scene, scene->pairs, scene->pair_count, evidence->keys);
    if (status != CP_OK)
        return status;
    json_open(json, '{');
    json_key_text(json, "format", "cellpipe collision evidence");
    json_key_text(json, "version", "1.0");
    write_common(evidence);
    write_files(evidence);
    if (!write_inputs(evidence) || !write_frames(evidence) || !write_tree(evidence) || !write_joints(evidence))
        return CP_LIMIT;
    json_open_list(json, "pairs");
    for (uint32_t i = 0; i < scene->pair_count; i++)
        write_pair(evidence, i);
    json_close(json, ']');
    json_close(json, '}');
    return CP_OK;
}

/* Returns the name of the file beside the list, in the arena; NULL when out of memory. */
static const char *name_beside(struct arena *arena, const struct sink *top)
{
    return arena_print(arena, "%s.json", sink_file_name(top));
}

cp_status evidence_expect(cp_context *context, struct arena *arena, const struct sink *top, bool wanted)
{
    if (wanted)
        return sink_expect_further(top);
    /* check, diff and keep= would take the evidence of an earlier list for this one's. */
    const char *beside = name_beside(arena, top);
    if (beside && sink_has_beside(top, beside))
        report_warning(context, "list-old-evidence", NOWHERE,
                       "%s beside it is of an earlier list: evidence=yes writes it anew", beside);
    return beside ? CP_OK : CP_LIMIT;
}

cp_status evidence_write(const struct evidence *list, struct sink *top)
{
    struct buffer text = {.context = list->context};
    const char *beside = name_beside(list->arena, top);
    struct sink *sink;
    cp_status status = beside ? sink_open(top, beside, &sink) : CP_LIMIT;
    if (status != CP_OK)
        return status;
    struct written_evidence evidence = {.list = list, .json = {.out = &text, .sink = sink}};
    status = write_object(&evidence);
    if (status == CP_OK && text.failed)
        status = CP_LIMIT;
    if (status == CP_OK) {
        sink_write(sink, text.data, text.size);
        sink_text(sink, "\n");
        status = sink_close_further(sink);
    }
    buffer_free(&text);
    return status;
}
