/* States in a scene what the evidence beside a list says of its pairs. */
#include <stdlib.h>
#include <string.h>

#include "checking.h"
#include "list.h"

/* A pair that the scene states already. */
struct stated_pair {
    uint64_t nodes; /* unordered_pair */
    uint32_t index;
};

struct stating {
    cp_context *context;
    cp_scene *scene;
    const char *path;
    struct listed_evidence evidence;
    struct name_map nodes, joints; /* of the scene, by id */
    struct stated_pair *before;    /* what the scene stated before, in the order of the nodes */
    uint32_t before_count;
    uint32_t *made; /* the scene's pairs that the evidence states */
    uint32_t made_count;
    uint64_t kept; /* pairs of the evidence that stay as the scene states them */
};

static bool map_ids(const cp_scene *scene, enum scene_table table, uint32_t count, struct name_map *ids)
{
    for (uint32_t i = 0; i < count; i++)
        if (!name_map_add(ids, scene_id(scene, table, i), i, NULL))
            return false;
    return true;
}

static int compare_stated(const void *a, const void *b)
{
    uint64_t one = ((const struct stated_pair *)a)->nodes, other = ((const struct stated_pair *)b)->nodes;
    return (one > other) - (one < other);
}

/* Returns false if out of memory. */
static bool list_before(struct stating *stating)
{
    const cp_scene *scene = stating->scene;
    stating->before = arena_allocate(stating->evidence.arena, scene->pair_count, sizeof *stating->before);
    if (!stating->before)
        return false;
    for (; stating->before_count < scene->pair_count; stating->before_count++) {
        const cp_pair *pair = &scene->pairs[stating->before_count];
        stating->before[stating->before_count] =
            (struct stated_pair){unordered_pair(pair->first, pair->second), stating->before_count};
    }
    if (scene->pair_count > 0)
        qsort(stating->before, scene->pair_count, sizeof *stating->before, compare_stated);
    return true;
}

/* Returns the scene's frame; CP_NONE, with a loss, if it has none. */
static uint32_t find_frame(const struct stating *stating, uint32_t listed)
{
    const char *id = stating->evidence.frames[listed].id;
    const uint32_t *node = name_map_find(&stating->nodes, id);
    if (!node)
        report_loss(stating->context, "list-evidence-frame", IN_FILE(stating->path), 1,
                    "names \"%s\", which is not a frame of the cell: its pairs are left out", id);
    return node ? *node : CP_NONE;
}

/* Fills in the witness. With a joint that the scene lacks, none of it is left: the rest would be another pose. */
static void fill_witness(const struct stating *stating, const struct listed_pair *listed, cp_finding *finding,
                         cp_joint_setting *witness)
{
    for (uint32_t i = 0; i < listed->witness_count; i++) {
        const uint32_t *joint = name_map_find(&stating->joints, listed->witness[i].joint);
        if (!joint) {
            report_loss(stating->context, "list-evidence-joint", IN_FILE(stating->path), 1,
                        "names \"%s\", which is not a joint of the cell: poses with it are left out",
                        listed->witness[i].joint);
            return;
        }
        witness[i] = (cp_joint_setting){*joint, listed->witness[i].value};
    }
    finding->witness = witness;
    finding->witness_count = listed->witness_count;
}

static cp_status state_finding(const struct stating *stating, const struct listed_pair *listed, cp_pair *pair)
{
    cp_joint_setting *witness = scene_allocate(stating->scene, listed->witness_count, sizeof *witness);
    cp_finding *finding = scene_allocate(stating->scene, 1, sizeof *finding);
    if (!witness || !finding)
        return CP_LIMIT;
    *finding = listed->finding;
    finding->key = listed->key;
    fill_witness(stating, listed, finding, witness);
    pair->finding = finding;
    return CP_OK;
}

static cp_status state_pair(struct stating *stating, const struct listed_pair *listed)
{
    cp_scene *scene = stating->scene;
    uint32_t first = find_frame(stating, listed->first);
    uint32_t second = first == CP_NONE ? CP_NONE : find_frame(stating, listed->second);
    if (second == CP_NONE)
        return CP_OK;
    struct stated_pair wanted = {.nodes = unordered_pair(first, second)};
    const struct stated_pair *known =
        stating->before_count == 0
            ? NULL
            : bsearch(&wanted, stating->before, stating->before_count, sizeof wanted, compare_stated);
    if (known && scene->pairs[known->index].finding) {
        stating->kept++;
        return CP_OK;
    }
    const char *reason = scene_text(scene, listed->status), *note = scene_text(scene, listed->note);
    uint32_t index = known ? known->index : scene_add_pair(scene, first, second, "");
    if (!reason || !note || index == CP_NONE)
        return CP_LIMIT;
    cp_pair *pair = &scene->pairs[index];
    pair->verdict = listed->excluded ? CP_PAIR_EXCLUDED : CP_PAIR_KEPT;
    pair->reason = reason;
    pair->evidence = note;
    stating->made[stating->made_count++] = index;
    return listed->has_finding ? state_finding(stating, listed, pair) : CP_OK;
}

/* Warns of findings whose keys are not those of the scene as it is. */
static cp_status warn_of_outdated(const struct stating *stating)
{
    const cp_scene *scene = stating->scene;
    uint64_t *keys = arena_allocate(stating->evidence.arena, scene->pair_count, sizeof *keys);
    uint32_t outdated = 0;
    cp_status status = keys ? pair_keys(stating->context, scene, scene->pairs, scene->pair_count, keys) : CP_LIMIT;
    for (uint32_t i = 0; i < stating->made_count && status == CP_OK; i++) {
        const cp_finding *finding = scene->pairs[stating->made[i]].finding;
        outdated += finding && finding->key && finding->key != keys[stating->made[i]];
    }
    if (status == CP_OK && outdated > 0)
        report_warning(stating->context, "list-evidence-outdated", IN_FILE(stating->path),
                       "%u of %u pairs have changed since they were judged, their geometry or the joints and poses "
                       "between them: what is shown was found then (exclude judges them again)",
                       (unsigned)outdated, (unsigned)stating->made_count);
    return status;
}

static cp_status state_all(struct stating *stating)
{
    const struct listed_evidence *evidence = &stating->evidence;
    stating->made = arena_allocate(evidence->arena, evidence->pair_count, sizeof *stating->made);
    const cp_scene *scene = stating->scene;
    if (!stating->made || !list_before(stating) || !map_ids(scene, TABLE_NODES, scene->node_count, &stating->nodes) ||
        !map_ids(scene, TABLE_JOINTS, scene->joint_count, &stating->joints))
        return CP_LIMIT;
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < evidence->pair_count && status == CP_OK; i++)
        status = state_pair(stating, &evidence->pairs[i]);
    if (status == CP_OK && stating->kept > 0)
        report_note(stating->context, "list-evidence-kept", IN_FILE(stating->path),
                    "%llu pairs stay as the cell has them, with its own evidence", (unsigned long long)stating->kept);
    return status == CP_OK ? warn_of_outdated(stating) : status;
}

cp_status evidence_state(cp_context *context, cp_scene *scene, const char *path)
{
    struct stating stating = {.context = context,
                              .scene = scene,
                              .path = path,
                              .nodes = {.context = context},
                              .joints = {.context = context}};
    cp_status status = evidence_read(&stating.evidence, context, path);
    if (status == CP_OK)
        status = state_all(&stating);
    name_map_free(&stating.nodes);
    name_map_free(&stating.joints);
    evidence_free(&stating.evidence);
    return status;
}
