/* time_poses [--poses N] [--rounds N]: how many poses a second of a cell's 40 frames, whose joints follow formulas in
 * part; as a Markdown table. The cell is four of the welding robots of samples/deneb/welding: six joints, and a
 * counterbalance, a cylinder with its rod, that follows the second one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "mesh.h"
#include "model/model.h"
#include "motion/motion.h"
#include "timing.h"

enum { ROBOTS = 4, LINKS = 8, JOINTS = ROBOTS * LINKS, NODES = 1 + ROBOTS * (LINKS + 2), MOST_ROUNDS = 100 };

/* ---- the cell ---- */

static const struct link {
    double at[3];
    uint32_t parent; /* among the links from 1; 0: the base */
    int axis;
    const char *formula; /* over the second joint, in degrees; NULL: the joint moves by itself */
    cp_joint_type type;
} links[LINKS] = {
    {{0, 0, 0.4}, 0, 2, NULL, CP_JOINT_REVOLUTE},
    {{0.25, 0, 0.3}, 1, 1, NULL, CP_JOINT_REVOLUTE},
    {{0, 0, 0.8}, 2, 1, NULL, CP_JOINT_REVOLUTE},
    {{0.45, 0, 0.12}, 3, 0, NULL, CP_JOINT_REVOLUTE},
    {{0.4, 0, 0}, 4, 1, NULL, CP_JOINT_REVOLUTE},
    {{0.14, 0, 0}, 5, 0, NULL, CP_JOINT_REVOLUTE},
    {{-0.05, 0.19, 0.09},
     2,
     1,
     "atan2(300-150*cos(dof(1))+100*sin(dof(1)), 210+150*sin(dof(1))+100*cos(dof(1)))",
     CP_JOINT_REVOLUTE},
    {{0, 0, 0}, 7, 2, "sqrt(166600-48000*cos(dof(1))+123000*sin(dof(1)))", CP_JOINT_PRISMATIC},
};

static void add_joint(cp_scene *scene, uint32_t node, const struct link *link, uint32_t second)
{
    const double degree = PI / 180, factors[] = {1 / degree};
    uint32_t index = scene_add_joint(scene, node, link->type, NULL), *inputs;
    if (index == CP_NONE)
        fail("time_poses: out of memory");
    cp_joint *joint = &scene->joints[index];
    for (int i = 0; i < 3; i++)
        joint->axis[i] = i == link->axis;
    if (!link->formula)
        return;
    const cp_expression expression = {link->formula, degree, 1, &second, factors};
    joint->expression = scene_copy_expression(scene, &expression, &inputs);
    joint->driven = false;
    joint->scale = link->type == CP_JOINT_REVOLUTE ? degree : 0.001;
}

static cp_scene *make_cell(cp_context *context)
{
    cp_scene *scene = scene_new(context);
    for (int robot = 0; scene && robot < ROBOTS; robot++) {
        uint32_t device = scene_add_node(scene, 0, "robot", 5), nodes[1 + LINKS], first = scene->joint_count;
        scene->nodes[device].local = pose_translation(2 * robot, 0, 0);
        nodes[0] = scene_add_node(scene, device, "base", 4);
        for (int i = 0; i < LINKS; i++) {
            const double *at = links[i].at;
            nodes[1 + i] = scene_add_node(scene, nodes[links[i].parent], "link", 4);
            scene->nodes[nodes[1 + i]].local = pose_translation(at[0], at[1], at[2]);
            add_joint(scene, nodes[1 + i], &links[i], first + 1);
        }
    }
    if (!scene || scene_finish(scene) != CP_OK || scene->node_count != NODES || scene->joint_count != JOINTS)
        fail("time_poses: the cell cannot be made");
    return scene;
}

/* ---- times ---- */

/* All joints another value in each pose. mechanism NULL: the cell is compiled for each. Poses a second. */
static double time_poses(cp_context *context, const cp_scene *scene, cp_mechanism *mechanism, size_t poses, double *sum)
{
    double q[JOINTS], begin = processor_seconds();
    cp_pose worlds[NODES];
    *sum = 0;
    for (size_t pose = 0; pose < poses; pose++) {
        for (size_t i = 0; i < JOINTS; i++)
            q[i] = (double)((pose * 61 + i * 37) % 100) * 0.01;
        cp_status status =
            mechanism ? cp_mechanism_poses(mechanism, q, worlds) : cp_world_poses(context, scene, q, worlds);
        if (status != CP_OK)
            fail("time_poses: no poses");
        for (size_t i = 0; i < NODES; i++)
            *sum += worlds[i].m[3];
    }
    return (double)poses / (processor_seconds() - begin);
}

static void measure(cp_context *context, const cp_scene *scene, size_t poses, size_t rounds)
{
    double often[MOST_ROUNDS], once[MOST_ROUNDS];
    cp_mechanism *mechanism;
    if (cp_mechanism_new(context, scene, &mechanism) != CP_OK)
        fail("time_poses: no mechanism");
    for (size_t round = 0; round < rounds; round++) {
        double sums[2];
        often[round] = time_poses(context, scene, mechanism, poses, &sums[0]);
        once[round] = time_poses(context, scene, NULL, poses, &sums[1]);
        if (sums[0] != sums[1])
            fail("time_poses: the two ways give different poses");
    }
    cp_mechanism_free(mechanism);
    printf("| cell | frames | joints | of them with formulas | poses/s, compiled once | poses/s, compiled for each |\n"
           "|---|---|---|---|---|---|\n"
           "| %d welding robots | %d | %d | %d | %.0f | %.0f |\n",
           ROBOTS, NODES - 1, JOINTS, 2 * ROBOTS, median(often, rounds), median(once, rounds));
}

int main(int count, char **arguments)
{
    size_t poses = 100000, rounds = 7;
    const struct number_option options[] = {{"--poses", &poses}, {"--rounds", &rounds}, {NULL, NULL}};
    const char *usage = "time_poses [--poses N] [--rounds N]";
    if (read_numbers(count, arguments, options, usage) != count)
        fail("usage: %s", usage);
    if (poses == 0 || rounds == 0 || rounds > MOST_ROUNDS)
        fail("time_poses: numbers are 1 or more, rounds at most 100");
    cp_context *context = cp_context_new(NULL);
    if (!context)
        fail("time_poses: out of memory");
    cp_scene *scene = make_cell(context);
    measure(context, scene, poses, rounds);
    cp_scene_free(scene);
    cp_context_free(context);
    return 0;
}
