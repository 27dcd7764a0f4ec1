/* The reasons why pairs have changed since a list was made: each cause once, with the number of pairs that it
 * concerns. */
#include <math.h>
#include <string.h>

#include "checking.h"
#include "list.h"

enum node_cause { GEOMETRY_CHANGED, POSE_CHANGED, PARENT_CHANGED, MOVABLE_CHANGED, NODE_CAUSES };
enum joint_cause { LIMITS_CHANGED, AXIS_CHANGED, TYPE_CHANGED, RULE_CHANGED, JOINT_CAUSES };

struct causes {
    struct checking *checking;
    uint32_t (*nodes)[NODE_CAUSES]; /* indexed by the scene's node and cause: how many pairs, and 1; 0: it is no
                                     * cause */
    uint32_t (*joints)[JOINT_CAUSES];
    const struct listed_joint **listed; /* indexed by the scene's joint, or NULL */
    uint32_t *seen;                     /* indexed by joint: the last pair on whose way they were */
    uint32_t pair;                      /* the number of the present pair, from 1 on */
    bool *movables;
};

/* ---- what has changed ---- */

static void compare_node(struct causes *causes, uint32_t node, const struct listed_node *listed,
                         const struct name_map *ids)
{
    const cp_scene *scene = causes->checking->scene;
    const cp_node *it = &scene->nodes[node];
    const uint32_t *parent = *listed->parent ? name_map_find(ids, listed->parent) : NULL;
    bool moved = false;
    for (int i = 0; i < 12; i++)
        moved = moved || it->local.m[i] != listed->pose.m[i];
    causes->nodes[node][POSE_CHANGED] = moved;
    causes->nodes[node][PARENT_CHANGED] = it->parent != (parent ? *parent : CP_NONE);
    causes->nodes[node][MOVABLE_CHANGED] =
        (causes->movables[node] || it->flags & CP_NODE_VOLATILE) != listed->is_movable;
}

static void compare_joint(struct causes *causes, uint32_t joint, const struct listed_joint *listed)
{
    const cp_scene *scene = causes->checking->scene;
    const cp_joint *it = &scene->joints[joint];
    uint32_t *own = causes->joints[joint];
    causes->listed[joint] = listed;
    own[LIMITS_CHANGED] = it->lower != listed->lower || it->upper != listed->upper;
    own[TYPE_CHANGED] = strcmp(cp_joint_type_name(it->type), listed->type) != 0;
    own[RULE_CHANGED] = joint_rule_key(scene, joint) != listed->rule;
    for (int i = 0; i < 3; i++)
        own[AXIS_CHANGED] |= it->axis[i] != listed->axis[i];
}

static bool compare_all(struct causes *causes)
{
    const struct listed_evidence *evidence = &causes->checking->evidence;
    const cp_scene *scene = causes->checking->scene;
    struct name_map nodes = {.context = scene->context}, joints = {.context = scene->context};
    bool good = true;
    for (uint32_t i = 0; i < scene->node_count && good; i++)
        good = name_map_add(&nodes, scene->nodes[i].id, i, NULL);
    for (uint32_t i = 0; i < scene->joint_count && good; i++)
        good = name_map_add(&joints, scene->joints[i].id, i, NULL);
    for (uint32_t i = 0; i < evidence->node_count && good; i++) {
        const uint32_t *node = name_map_find(&nodes, evidence->nodes[i].id);
        if (node)
            compare_node(causes, *node, &evidence->nodes[i], &nodes);
    }
    for (uint32_t i = 0; i < evidence->joint_count && good; i++) {
        const uint32_t *joint = name_map_find(&joints, evidence->joints[i].id);
        if (joint)
            compare_joint(causes, *joint, &evidence->joints[i]);
    }
    for (uint32_t i = 0; i < evidence->frame_count; i++) {
        uint32_t node = causes->checking->nodes[i];
        if (node != CP_NONE && causes->checking->geometry[node] != evidence->frames[i].geometry)
            causes->nodes[node][GEOMETRY_CHANGED] = 1;
    }
    name_map_free(&nodes);
    name_map_free(&joints);
    return good;
}

struct causes *causes_find(struct checking *checking)
{
    struct arena *arena = checking->arena;
    const cp_scene *scene = checking->scene;
    struct causes *causes = arena_allocate_zeroed(arena, 1, sizeof *causes);
    if (!causes)
        return NULL;
    causes->checking = checking;
    causes->nodes = arena_allocate_zeroed(arena, scene->node_count, sizeof *causes->nodes);
    causes->joints = arena_allocate_zeroed(arena, scene->joint_count, sizeof *causes->joints);
    causes->listed = arena_allocate_zeroed(arena, scene->joint_count, sizeof *causes->listed);
    causes->seen = arena_allocate_zeroed(arena, scene->joint_count, sizeof *causes->seen);
    causes->movables = arena_allocate_zeroed(arena, scene->node_count, sizeof *causes->movables);
    if (!causes->nodes || !causes->joints || !causes->listed || !causes->seen || !causes->movables)
        return NULL;
    find_movables(scene, causes->movables);
    return compare_all(causes) ? causes : NULL;
}

/* ---- of one pair ---- */

/* Adds the pair to the causes that are known; true if there is one. */
static bool count_causes(uint32_t *causes, uint32_t first, uint32_t end)
{
    bool any = false;
    for (uint32_t i = first; i < end; i++) {
        any = any || causes[i] > 0;
        causes[i] += causes[i] > 0;
    }
    return any;
}

static bool count_joint(struct causes *causes, uint32_t joint)
{
    if (causes->seen[joint] == causes->pair)
        return false;
    causes->seen[joint] = causes->pair;
    return count_causes(causes->joints[joint], 0, JOINT_CAUSES);
}

/* Counts the node's own place, and its joints with what they follow. */
static bool count_node(struct causes *causes, uint32_t node)
{
    const cp_scene *scene = causes->checking->scene;
    const cp_node *it = &scene->nodes[node];
    bool any = count_causes(causes->nodes[node], POSE_CHANGED, NODE_CAUSES);
    for (uint32_t i = it->first_joint; i < it->first_joint + it->joint_count; i++) {
        const cp_joint *joint = &scene->joints[i];
        any = count_joint(causes, i) || any;
        if (joint->master != CP_NONE)
            any = count_joint(causes, joint->master) || any;
        for (uint32_t k = 0; joint->expression && k < joint->expression->input_count; k++)
            any = count_joint(causes, joint->expression->inputs[k]) || any;
    }
    return any;
}

bool causes_explain(struct causes *causes, uint32_t one, uint32_t other)
{
    const cp_node *nodes = causes->checking->scene->nodes;
    causes->pair++;
    bool any = count_causes(causes->nodes[one], GEOMETRY_CHANGED, POSE_CHANGED);
    any = count_causes(causes->nodes[other], GEOMETRY_CHANGED, POSE_CHANGED) || any;
    while (one != other) { /* parents come before their children */
        uint32_t *way = one > other ? &one : &other;
        any = count_node(causes, *way) || any;
        *way = nodes[*way].parent;
    }
    return any;
}

/* ---- telling ---- */

void causes_tell(struct causes *causes)
{
    static const cp_list_fault_kind kinds[NODE_CAUSES] = {CP_LIST_GEOMETRY_CHANGED, CP_LIST_POSE_CHANGED,
                                                          CP_LIST_PARENT_CHANGED, CP_LIST_MOVABLE_CHANGED};
    static const char *const attributes[JOINT_CAUSES] = {"limits", "axis", "type", "dependency"};
    const cp_scene *scene = causes->checking->scene;
    for (uint32_t i = 0; i < scene->node_count; i++)
        for (uint32_t k = 0; k < NODE_CAUSES; k++)
            if (causes->nodes[i][k] > 1)
                tell_list_fault(causes->checking, &(cp_list_fault){.kind = kinds[k],
                                                                   .first = scene->nodes[i].name,
                                                                   .second = "",
                                                                   .attribute = "",
                                                                   .pairs = causes->nodes[i][k] - 1});
    for (uint32_t i = 0; i < scene->joint_count; i++)
        for (uint32_t k = 0; k < JOINT_CAUSES; k++)
            if (causes->joints[i][k] > 1)
                tell_list_fault(causes->checking,
                                &(cp_list_fault){.kind = CP_LIST_JOINT_CHANGED,
                                                 .first = scene->joints[i].name,
                                                 .second = "",
                                                 .attribute = attributes[k],
                                                 .joint = i,
                                                 .before = {causes->listed[i]->lower, causes->listed[i]->upper},
                                                 .pairs = causes->joints[i][k] - 1});
}

void tell_list_fault(struct checking *checking, const cp_list_fault *fault)
{
    checking->stale = true;
    checking->tell(checking->user, fault);
}

void tell_of_list(struct checking *checking, cp_list_fault_kind kind, const char *first, const char *second)
{
    tell_list_fault(checking, &(cp_list_fault){.kind = kind, .first = first, .second = second, .attribute = ""});
}
