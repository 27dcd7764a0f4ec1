/* Forward kinematics. */
#include "../pose.h"
#include "expression.h"
#include "motion.h"

bool cp_joint_is_dependent(const cp_joint *joint)
{
    return joint->master != CP_NONE || joint->expression;
}

struct inputs {
    const cp_expression *expression;
    joint_value *value;
    const void *user;
};

static double input_value(const void *user, uint32_t index)
{
    const struct inputs *inputs = user;
    return inputs->expression->factors[index] * inputs->value(inputs->user, inputs->expression->inputs[index]);
}

double expression_value(const cp_expression *expression, joint_value *value, const void *user)
{
    struct inputs inputs = {expression, value, user};
    struct expression_scope scope = {expression->angle, expression->input_count, input_value, &inputs};
    double result;
    expression_evaluate(expression->text, &scope, &result);
    return result;
}

static double given_value(const void *user, uint32_t joint)
{
    return ((const double *)user)[joint];
}

static double current_value(const void *user, uint32_t joint)
{
    return ((const cp_joint *)user)[joint].q;
}

double cp_joint_value(const cp_scene *scene, uint32_t joint, const double *q)
{
    const cp_joint *it = &scene->joints[joint];
    if (it->expression)
        return it->offset + it->scale * (q ? expression_value(it->expression, given_value, q)
                                           : expression_value(it->expression, current_value, scene->joints));
    if (it->master == CP_NONE)
        return q ? q[joint] : it->q;
    double master = q ? q[it->master] : scene->joints[it->master].q;
    return it->scale * master + it->offset;
}

uint32_t count_expressions(const cp_scene *scene)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < scene->joint_count; i++)
        count += scene->joints[i].expression && scene->joints[i].type != CP_JOINT_FIXED;
    return count;
}

cp_pose node_pose(const cp_scene *scene, uint32_t node, const double *q)
{
    const cp_node *it = &scene->nodes[node];
    cp_pose pose = it->local;
    for (uint32_t i = 0; i < it->joint_count; i++) {
        uint32_t joint = it->first_joint + i;
        cp_pose motion = joint_motion(&scene->joints[joint], cp_joint_value(scene, joint, q));
        pose = pose_multiply(&pose, &motion);
    }
    return pose;
}

void cp_world_poses(const cp_scene *scene, const double *q, cp_pose *worlds)
{
    for (uint32_t i = 0; i < scene->node_count; i++) {
        cp_pose local = node_pose(scene, i, q);
        uint32_t parent = scene->nodes[i].parent;
        worlds[i] = parent == CP_NONE ? local : pose_multiply(&worlds[parent], &local);
    }
}

/* ---- followers ---- */

/* What a joint follows: its master, or the inputs of its expression. */
static uint32_t count_leaders(const cp_joint *joint)
{
    return joint->expression ? joint->expression->input_count : joint->master != CP_NONE;
}

static uint32_t leader(const cp_joint *joint, uint32_t index)
{
    return joint->expression ? joint->expression->inputs[index] : joint->master;
}

bool list_followers(cp_context *context, const cp_scene *scene, struct followers *followers)
{
    uint32_t joints = scene->joint_count, total = 0;
    uint64_t count = 0;
    for (uint32_t i = 0; i < joints; i++)
        count += count_leaders(&scene->joints[i]);
    *followers = (struct followers){.context = context, .joint_count = joints, .count = (uint32_t)count};
    followers->ends = memory_allocate_zeroed(context, joints, sizeof *followers->ends);
    followers->joints = count <= UINT32_MAX ? memory_allocate(context, count, sizeof *followers->joints) : NULL;
    if (!followers->ends || !followers->joints)
        return false;
    for (uint32_t i = 0; i < joints; i++)
        for (uint32_t k = 0; k < count_leaders(&scene->joints[i]); k++)
            followers->ends[leader(&scene->joints[i], k)]++;
    for (uint32_t i = 0; i < joints; i++) {
        uint32_t own = followers->ends[i];
        followers->ends[i] = total;
        total += own;
    }
    for (uint32_t i = 0; i < joints; i++)
        for (uint32_t k = 0; k < count_leaders(&scene->joints[i]); k++)
            followers->joints[followers->ends[leader(&scene->joints[i], k)]++] = i;
    return true;
}

void free_followers(struct followers *followers)
{
    memory_free(followers->context, followers->ends, followers->joint_count, sizeof *followers->ends);
    memory_free(followers->context, followers->joints, followers->count, sizeof *followers->joints);
    *followers = (struct followers){.context = followers->context};
}
