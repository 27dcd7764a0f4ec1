/* keep-evidence=: findings of an earlier run that still hold, as nothing has changed that they rest on. */
#include <stdlib.h>
#include <string.h>

#include "collide/list/checking.h"
#include "collide/list/list.h"
#include "exclude.h"

/* Finds the status of a pair that a proof or a witness has decided, or that stayed undecided after at least the work
 * that would be spent on it now. False for all others, which are judged again. */
static bool holds(const struct listed_pair *pair, const struct judge_rules *rules, enum judgement_status *status)
{
    const cp_finding *finding = &pair->finding;
    *status = strcmp(pair->status, "never-proved") == 0    ? JUDGED_NEVER_PROVED
              : strcmp(pair->status, "always-proved") == 0 ? JUDGED_ALWAYS_PROVED
              : strcmp(pair->status, "sometimes") == 0     ? JUDGED_SOMETIMES
                                                           : JUDGED_UNDECIDED;
    if (*status == JUDGED_SOMETIMES)
        return pair->witness_count > 0;
    return *status != JUDGED_UNDECIDED ||
           (strcmp(pair->status, "undecided") == 0 && finding->work >= rules->work &&
            finding->samples >= rules->samples && finding->samples >= rules->always_samples &&
            finding->descents >= rules->descents);
}

/* Keeps the findings whose keys are those of the scene, sorted by nodes, each pair once. */
static cp_status keep_valid(struct known_pairs *known, cp_context *context, const cp_scene *scene)
{
    uint32_t kept = 0, room = known->count;
    cp_pair *pairs = arena_allocate(known->arena, room, sizeof *pairs);
    uint64_t *keys = arena_allocate(known->arena, room, sizeof *keys);
    if (!pairs || !keys)
        return CP_LIMIT;
    for (uint32_t i = 0; i < room; i++)
        pairs[i] =
            (cp_pair){.first = (uint32_t)(known->items[i].nodes >> 32), .second = (uint32_t)known->items[i].nodes};
    cp_status status = pair_keys(context, scene, pairs, room, keys);
    for (uint32_t i = 0; i < room && status == CP_OK; i++)
        if (keys[i] != 0 && keys[i] == known->items[i].finding.key)
            known->items[kept++] = known->items[i];
    if (kept > 0)
        qsort(known->items, kept, sizeof *known->items, known_pair_compare);
    known->count = 0;
    for (uint32_t i = 0; i < kept; i++)
        if (i == 0 || known->items[i].nodes != known->items[known->count - 1].nodes)
            known->items[known->count++] = known->items[i];
    return status;
}

/* Finds the joints of a witness. False when out of memory; *found is false if the scene lacks one. */
static bool find_witness(struct arena *arena, const struct listed_pair *pair, const struct name_map *joints,
                         cp_finding *finding, bool *found)
{
    cp_joint_setting *witness = arena_allocate(arena, pair->witness_count, sizeof *witness);
    *found = true;
    for (uint32_t i = 0; witness && i < pair->witness_count && *found; i++) {
        const uint32_t *joint = name_map_find(joints, pair->witness[i].joint);
        *found = joint;
        if (joint)
            witness[i] = (cp_joint_setting){*joint, pair->witness[i].value};
    }
    finding->witness = witness;
    finding->witness_count = pair->witness_count;
    return witness;
}

/* Takes the pairs that hold, whose frames the scene has, and that were judged by the same margin. */
static cp_status take_pairs(struct known_pairs *known, const struct listed_evidence *evidence,
                            const struct judge_rules *rules, const struct name_map *nodes,
                            const struct name_map *joints)
{
    known->items = arena_allocate(known->arena, evidence->pair_count, sizeof *known->items);
    if (!known->items)
        return CP_LIMIT;
    for (uint32_t i = 0; i < evidence->pair_count; i++) {
        const struct listed_pair *pair = &evidence->pairs[i];
        const uint32_t *one = name_map_find(nodes, evidence->frames[pair->first].id);
        const uint32_t *other = name_map_find(nodes, evidence->frames[pair->second].id);
        struct known_pair item = {.finding = pair->finding};
        bool found;
        if (!one || !other || *one == *other || !pair->has_finding || !holds(pair, rules, &item.status) ||
            item.finding.margin != margin_of(rules, *one, *other) || item.finding.touch != rules->touch)
            continue;
        item.nodes = unordered_pair(*one, *other);
        item.finding.key = pair->key;
        if (!find_witness(known->arena, pair, joints, &item.finding, &found))
            return CP_LIMIT;
        if (found)
            known->items[known->count++] = item;
    }
    return CP_OK;
}

cp_status known_pairs_read(struct known_pairs *known, cp_context *context, const cp_scene *scene,
                           const struct judge_rules *rules, const char *path)
{
    struct listed_evidence evidence;
    struct name_map nodes = {.context = context}, joints = {.context = context};
    bool good = true;
    known->arena = arena_new(context);
    cp_status status = evidence_read(&evidence, context, path);
    for (uint32_t i = 0; i < scene->node_count && good; i++)
        good = name_map_add(&nodes, scene->nodes[i].id, i, NULL);
    for (uint32_t i = 0; i < scene->joint_count && good; i++)
        good = name_map_add(&joints, scene->joints[i].id, i, NULL);
    if (status == CP_OK && (!good || !known->arena))
        status = CP_LIMIT;
    if (status == CP_OK)
        status = take_pairs(known, &evidence, rules, &nodes, &joints);
    if (status == CP_OK)
        status = keep_valid(known, context, scene);
    known->listed = evidence.pair_count;
    name_map_free(&nodes);
    name_map_free(&joints);
    evidence_free(&evidence);
    return status;
}

void known_pairs_free(struct known_pairs *known)
{
    arena_free(known->arena);
    *known = (struct known_pairs){0};
}
