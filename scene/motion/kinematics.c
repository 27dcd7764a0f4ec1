/* Forward kinematics. */
#include "../pose.h"
#include "motion.h"

double cp_joint_value(const cp_scene *scene, uint32_t joint, const double *q)
{
    const cp_joint *it = &scene->joints[joint];
    if (it->master == CP_NONE)
        return q ? q[joint] : it->q;
    double master = q ? q[it->master] : scene->joints[it->master].q;
    return it->scale * master + it->offset;
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

uint32_t joint_followers(const cp_scene *scene, uint32_t joint, uint32_t *joints)
{
    uint32_t count = 0;
    joints[count++] = joint;
    for (uint32_t i = 0; i < scene->joint_count; i++)
        if (scene->joints[i].master == joint)
            joints[count++] = i;
    return count;
}
