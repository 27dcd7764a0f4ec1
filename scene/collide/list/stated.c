/* States in a scene what the evidence beside a list says of its pairs. */
#include "checking.h"
#include "list.h"

struct stating {
    cp_context *context;
    cp_scene *scene;
    const char *path;
    struct listed_evidence evidence;
    struct name_map nodes, joints; /* of the scene, by id */
    uint64_t *own;                 /* a set of the pairs of nodes that the scene states with a finding */
    uint32_t own_count;
    uint32_t first_made; /* the scene's pairs from here on are of the evidence */
    uint64_t kept;       /* pairs of the evidence that stay as the scene states them */
};

static bool map_ids(const cp_scene *scene, enum scene_table table, uint32_t count, struct name_map *ids)
{
    for (uint32_t i = 0; i < count; i++)
        if (!name_map_add(ids, scene_id(scene, table, i), i, NULL))
            return false;
    return true;
}

/* Drops the scene's statements without a finding about pairs of the evidence, of which a file may have several. Lists
 * those with a finding. */
static cp_status drop_replaced(struct stating *stating)
{
    cp_scene *scene = stating->scene;
    const struct listed_evidence *evidence = &stating->evidence;
    uint64_t *listed = arena_allocate(evidence->arena, evidence->pair_count, sizeof *listed);
    stating->own = arena_allocate(evidence->arena, scene->pair_count, sizeof *stating->own);
    if (!listed || !stating->own)
        return CP_LIMIT;
    uint32_t listed_count = 0, kept = 0;
    for (uint32_t i = 0; i < evidence->pair_count; i++) {
        const uint32_t *first = name_map_find(&stating->nodes, evidence->frames[evidence->pairs[i].first].id);
        const uint32_t *second = name_map_find(&stating->nodes, evidence->frames[evidence->pairs[i].second].id);
        if (first && second)
            listed[listed_count++] = unordered_pair(*first, *second);
    }
    listed_count = make_set(listed, listed_count);
    for (uint32_t i = 0; i < scene->pair_count; i++) {
        const cp_pair *pair = &scene->pairs[i];
        uint64_t nodes = unordered_pair(pair->first, pair->second);
        if (pair->finding)
            stating->own[stating->own_count++] = nodes;
        if (pair->finding || !set_has(listed, listed_count, nodes))
            scene->pairs[kept++] = *pair;
    }
    scene->pair_count = stating->first_made = kept;
    stating->own_count = make_set(stating->own, stating->own_count);
    return CP_OK;
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
    if (set_has(stating->own, stating->own_count, unordered_pair(first, second))) {
        stating->kept++;
        return CP_OK;
    }
    const char *note = scene_text(scene, listed->note);
    uint32_t index = scene_add_pair(scene, first, second, listed->status);
    if (!note || index == CP_NONE)
        return CP_LIMIT;
    cp_pair *pair = &scene->pairs[index];
    pair->verdict = listed->excluded ? CP_PAIR_EXCLUDED : CP_PAIR_KEPT;
    pair->evidence = note;
    return listed->has_finding ? state_finding(stating, listed, pair) : CP_OK;
}

/* Warns of findings whose keys are not those of the scene as it is. */
static cp_status warn_of_outdated(const struct stating *stating)
{
    const cp_scene *scene = stating->scene;
    const cp_pair *made = scene->pairs + stating->first_made;
    uint32_t count = scene->pair_count - stating->first_made, outdated = 0;
    uint64_t *keys = arena_allocate(stating->evidence.arena, count, sizeof *keys);
    cp_status status = keys ? pair_keys(stating->context, scene, made, count, keys) : CP_LIMIT;
    for (uint32_t i = 0; i < count && status == CP_OK; i++)
        outdated += made[i].finding && made[i].finding->key && made[i].finding->key != keys[i];
    if (status == CP_OK && outdated > 0)
        report_warning(stating->context, "list-evidence-outdated", IN_FILE(stating->path),
                       "%u of %u pairs have changed since they were judged, their geometry or the joints and poses "
                       "between them: what is shown was found then (exclude judges them again)",
                       (unsigned)outdated, (unsigned)count);
    return status;
}

static cp_status state_all(struct stating *stating)
{
    const struct listed_evidence *evidence = &stating->evidence;
    const cp_scene *scene = stating->scene;
    if (!map_ids(scene, TABLE_NODES, scene->node_count, &stating->nodes) ||
        !map_ids(scene, TABLE_JOINTS, scene->joint_count, &stating->joints))
        return CP_LIMIT;
    cp_status status = drop_replaced(stating);
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
