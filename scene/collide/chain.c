#include "chain.h"
#include "../vector.h"

#include <math.h>

/* ---- finding ---- */

/* The lowest frame that both are below of, or are. Parents come before their children. */
static uint32_t common_ancestor(const cp_scene *scene, uint32_t one, uint32_t other)
{
    while (one != other) {
        if (one > other)
            one = scene->nodes[one].parent;
        else
            other = scene->nodes[other].parent;
    }
    return one;
}

static uint32_t count_motions(const cp_scene *scene, uint32_t node, uint32_t top)
{
    uint32_t count = 0;
    for (; node != top; node = scene->nodes[node].parent)
        count += scene->nodes[node].joint_count;
    return count;
}

static uint32_t count_levels(const cp_scene *scene, uint32_t node, uint32_t top)
{
    uint32_t count = 0;
    for (; node != top; node = scene->nodes[node].parent)
        count++;
    return count;
}

static void meet_obstacle(struct chain *chain, enum obstacle obstacle)
{
    if (chain->obstacle == OBSTACLE_NONE)
        chain->obstacle = obstacle;
}

static uint32_t find_variable(struct chain *chain, uint32_t joint)
{
    for (uint32_t i = 0; i < chain->variable_count; i++)
        if (chain->variables[i].joint == joint)
            return i;
    const cp_joint *it = &chain->scene->joints[joint];
    struct variable variable = {joint, it->lower, it->upper};
    bool limited = isfinite(it->lower) && isfinite(it->upper);
    if (!limited && it->type == CP_JOINT_REVOLUTE) {
        variable.lower = -PI;
        variable.upper = PI;
    } else if (!limited) {
        variable.lower = variable.upper = it->q;
        meet_obstacle(chain, OBSTACLE_UNLIMITED);
    }
    chain->variables[chain->variable_count] = variable;
    return chain->variable_count++;
}

static void add_motion(struct chain *chain, struct branch *branch, uint32_t joint, const cp_pose *before)
{
    const cp_joint *it = &chain->scene->joints[joint];
    bool follows = it->master != CP_NONE;
    if (it->expression)
        meet_obstacle(chain, OBSTACLE_EXPRESSION);
    if (it->type == CP_JOINT_SCALE)
        meet_obstacle(chain, OBSTACLE_SCALE);
    branch->motions[branch->count++] = (struct motion){.before = *before,
                                                       .joint = joint,
                                                       .variable = find_variable(chain, follows ? it->master : joint),
                                                       .scale = follows ? it->scale : 1,
                                                       .offset = follows ? it->offset : 0};
}

/* The nodes below the common ancestor, from above. */
static void add_nodes(struct chain *chain, struct branch *branch, const uint32_t *nodes, uint32_t count)
{
    cp_pose pose = POSE_IDENTITY;
    for (uint32_t i = count; i-- > 0;) {
        const cp_node *node = &chain->scene->nodes[nodes[i]];
        chain->moves = chain->moves || node->joint_count > 0;
        if (node->flags & (CP_NODE_MOVABLE | CP_NODE_ATTACHABLE)) {
            chain->moves = chain->movable = true;
            meet_obstacle(chain, OBSTACLE_MOVABLE);
        }
        pose = pose_multiply(&pose, &node->local);
        for (uint32_t k = node->first_joint; k < node->first_joint + node->joint_count; k++)
            if (chain->scene->joints[k].type != CP_JOINT_FIXED) {
                add_motion(chain, branch, k, &pose);
                pose = POSE_IDENTITY;
            }
    }
    branch->end = pose;
}

static bool fill_branch(struct chain *chain, int side, uint32_t node, uint32_t top)
{
    uint32_t count = count_levels(chain->scene, node, top), filled = 0;
    uint32_t *nodes = memory_allocate(chain->context, count, sizeof *nodes);
    if (!nodes)
        return false;
    for (; node != top; node = chain->scene->nodes[node].parent)
        nodes[filled++] = node;
    add_nodes(chain, &chain->branches[side], nodes, count);
    memory_free(chain->context, nodes, count, sizeof *nodes);
    return true;
}

bool chain_find(struct chain *chain, cp_context *context, const cp_scene *scene, uint32_t one, uint32_t other)
{
    uint32_t top = common_ancestor(scene, one, other), first = count_motions(scene, one, top);
    *chain = (struct chain){.context = context, .scene = scene};
    chain->motion_count = first + count_motions(scene, other, top);
    chain->motions = memory_allocate(context, chain->motion_count, sizeof *chain->motions);
    chain->variables = memory_allocate(context, chain->motion_count, sizeof *chain->variables);
    if (!chain->motions || !chain->variables)
        return false;
    chain->branches[0].motions = chain->motions;
    chain->branches[1].motions = chain->motions + first;
    return fill_branch(chain, 0, one, top) && fill_branch(chain, 1, other, top);
}

void chain_free(struct chain *chain)
{
    memory_free(chain->context, chain->motions, chain->motion_count, sizeof *chain->motions);
    memory_free(chain->context, chain->variables, chain->motion_count, sizeof *chain->variables);
    chain->motions = NULL;
    chain->variables = NULL;
}

/* ---- poses ---- */

void branch_poses(const struct chain *chain, int branch, const double *values, cp_pose *poses, cp_pose *end)
{
    const struct branch *it = &chain->branches[branch];
    cp_pose pose = POSE_IDENTITY;
    for (uint32_t i = 0; i < it->count; i++) {
        const struct motion *motion = &it->motions[i];
        const cp_joint *joint = &chain->scene->joints[motion->joint];
        pose = pose_multiply(&pose, &motion->before);
        if (poses)
            poses[i] = pose;
        cp_pose moved = joint_motion(joint, motion->scale * values[motion->variable] + motion->offset);
        pose = pose_multiply(&pose, &moved);
    }
    *end = pose_multiply(&pose, &it->end);
}

void motion_axis(const struct chain *chain, const struct motion *motion, const cp_pose *pose, double axis[3],
                 double origin[3])
{
    const double *own = chain->scene->joints[motion->joint].axis;
    for (int i = 0; i < 3; i++) {
        axis[i] = dot_product(pose->m + 4 * i, own);
        origin[i] = pose->m[4 * i + 3];
    }
}

cp_pose chain_pose(const struct chain *chain, const double *values)
{
    cp_pose one, other, back;
    branch_poses(chain, 0, values, NULL, &one);
    branch_poses(chain, 1, values, NULL, &other);
    if (!pose_inverse(&one, &back))
        back = POSE_IDENTITY;
    return pose_multiply(&back, &other);
}
