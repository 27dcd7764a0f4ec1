/* The tree of links: which nodes are links, where their joints are, and what all are called. */
#include <math.h>

#include "robot.h"

/* Numbers that differ by less are equal. */
static const double rounding = 1e-9;

/* ---- poses ---- */

/* Returns how far the matrix is from the identity at most. */
static double difference_from_identity(const cp_pose *pose)
{
    double worst = 0;
    for (int i = 0; i < 12; i++)
        worst = fmax(worst, fabs(pose->m[i] - POSE_IDENTITY.m[i]));
    return worst;
}

void robot_split(const cp_pose *pose, cp_pose *rigid, cp_pose *rest)
{
    *rigid = *pose;
    *rest = POSE_IDENTITY;
    if (pose_is_rigid(pose, rounding))
        return;
    struct trs trs;
    (void)pose_to_trs(pose, rounding, &trs);
    memcpy(trs.scale, (const double[3]){1, 1, 1}, sizeof trs.scale);
    *rigid = pose_from_trs(&trs);
    for (int row = 0; row < 3; row++) /* the transpose of a rotation is its inverse */
        for (int column = 0; column < 3; column++) {
            double sum = 0;
            for (int k = 0; k < 3; k++)
                sum += rigid->m[4 * k + row] * pose->m[4 * k + column];
            rest->m[4 * row + column] = sum;
        }
    if (difference_from_identity(rest) <= rounding)
        *rest = POSE_IDENTITY;
}

bool robot_is_unscaled(const cp_pose *rest)
{
    return difference_from_identity(rest) <= ROBOT_COARSE;
}

/* ---- nodes ---- */

/* Tells whether the node is a link. One without a name, a shape, a mass and joints is only a pose on the way to others.
 */
static bool is_link(const cp_node *node)
{
    return !(node->flags & CP_NODE_PLACEHOLDER) && (*node->name || node->joint_count > 0 || node->instance_count > 0 ||
                                                    node->inertia || (node->flags & CP_NODE_LINK));
}

/* Tells whether the node, which hangs on the world, needs a joint to be where it is. */
static bool needs_place(const struct robot *robot, uint32_t node)
{
    const cp_node *it = &robot->scene->nodes[node];
    return it->joint_count > 0 || !pose_is_identity(&robot->links[node].origin) ||
           (robot->settings->movable && (it->flags & CP_NODE_MOVABLE));
}

static void place_node(struct robot *robot, const bool *is_master, uint32_t index)
{
    const cp_node *node = &robot->scene->nodes[index];
    struct robot_link *link = &robot->links[index];
    const struct robot_link *parent = &robot->links[node->parent];
    link->above = parent->name ? node->parent : parent->above;
    link->rest = pose_multiply(&parent->rest, &node->local);
    if (!is_link(node))
        return;
    link->name = *node->name ? node->name : node->id;
    link->is_planar = robot_is_planar(robot->scene, is_master, node) && pose_is_identity(&parent->rest);
    for (uint32_t i = 0; i < node->joint_count; i++)
        robot_place_joint(robot, node->first_joint + i, &link->rest);
    if (node->joint_count > 0)
        return;
    const cp_pose pose = link->rest;
    robot_split(&pose, &link->origin, &link->rest);
}

/* Decides whether the world is a link: a root link of URDF has no place of its own. */
static void find_roots(struct robot *robot)
{
    const cp_scene *scene = robot->scene;
    uint32_t roots = 0, root = 0;
    for (uint32_t i = 1; i < scene->node_count; i++)
        if (robot->links[i].name && robot->links[i].above == CP_NONE) {
            roots++;
            root = i;
        }
    robot->has_world =
        roots != 1 || scene->nodes[0].instance_count > 0 || scene->nodes[0].inertia || needs_place(robot, root);
    for (uint32_t i = 1; i < scene->node_count && robot->has_world; i++)
        if (robot->links[i].name && robot->links[i].above == CP_NONE)
            robot->links[i].above = 0;
}

static void mark_masters(const cp_joint *joint, bool *is_master)
{
    if (joint->master != CP_NONE)
        is_master[joint->master] = true;
    for (uint32_t i = 0; joint->expression && i < joint->expression->input_count; i++)
        is_master[joint->expression->inputs[i]] = true;
}

static cp_status place_all(struct robot *robot)
{
    const cp_scene *scene = robot->scene;
    bool *is_master = arena_allocate_zeroed(robot->arena, scene->joint_count, sizeof *is_master);
    if (!is_master)
        return CP_LIMIT;
    for (uint32_t i = 0; i < scene->joint_count; i++)
        mark_masters(&scene->joints[i], is_master);
    robot->links[0] = (struct robot_link){.above = CP_NONE, .rest = POSE_IDENTITY};
    for (uint32_t i = 1; i < scene->node_count; i++) {
        place_node(robot, is_master, i);
        if (!pose_is_finite(&robot->links[i].rest) || !pose_is_finite(&robot->links[i].origin))
            return report_error(robot->context, CP_OUTPUT, "urdf-range", (struct place){.node = scene->nodes[i].name},
                                "the frame is out of the range of numbers");
    }
    find_roots(robot);
    return CP_OK;
}

/* ---- names ---- */

/* Gives each name that is wanted to the first that wants it, so that it keeps its own; the others get a number. */
struct naming {
    struct robot *robot;
    struct name_map *taken;
    bool is_second; /* pass: the first one leaves out names that are taken */
};

/* Gives a name unless none is wanted, or it has one already. False when out of memory. */
static bool give_name(const struct naming *naming, const char *wanted, const char **given)
{
    if (!wanted || (naming->is_second ? *given != NULL : name_map_find(naming->taken, wanted) != NULL))
        return true;
    *given = unique_name(naming->robot->arena, naming->taken, wanted);
    naming->robot->losses[LOST_NAMES] += naming->is_second;
    return *given != NULL;
}

static bool name_links(struct robot *robot)
{
    const cp_scene *scene = robot->scene;
    struct naming naming = {.robot = robot, .taken = &robot->link_names};
    const char **given = arena_allocate_zeroed(robot->arena, scene->node_count, sizeof *given);
    bool good = given;
    for (int pass = 0; pass < 2; pass++, naming.is_second = true)
        for (uint32_t i = 1; i < scene->node_count && good; i++)
            good = give_name(&naming, robot->links[i].name, &given[i]);
    for (uint32_t i = 1; i < scene->node_count && good; i++)
        robot->links[i].name = given[i];
    if (good && robot->has_world)
        robot->links[0].name = unique_name(robot->arena, &robot->link_names, "world");
    for (uint32_t i = 1; i < scene->node_count && good; i++) {
        const cp_node *node = &scene->nodes[i];
        for (uint32_t k = 0; k + 1 < node->joint_count && !robot->links[i].is_planar && good; k++) {
            const char *name = arena_print(robot->arena, "%s.joint%u", robot->links[i].name, (unsigned)k + 2);
            const char *between = name ? unique_name(robot->arena, &robot->link_names, name) : NULL;
            robot->joints[node->first_joint + k].between = between;
            good = between;
        }
    }
    return good && (!robot->has_world || robot->links[0].name);
}

/* Returns the name that a joint of no degree of freedom had where it was read; NULL if there was none. */
static const char *kept_joint_name(struct robot *robot, uint32_t node)
{
    uint32_t entry;
    const char *name = robot_metadata(robot, robot->first_of_node[node], "joint", &entry);
    if (name)
        robot->is_kept[entry] = true;
    return name && *name ? name : NULL;
}

static bool name_joints(struct robot *robot)
{
    const cp_scene *scene = robot->scene;
    struct naming naming = {.robot = robot, .taken = &robot->joint_names};
    const char **wanted = arena_allocate_zeroed(robot->arena, scene->node_count, sizeof *wanted);
    bool good = wanted;
    for (uint32_t i = 1; i < scene->node_count && good; i++)
        if (robot->links[i].name && robot->links[i].above != CP_NONE && scene->nodes[i].joint_count == 0)
            wanted[i] = kept_joint_name(robot, i);
    for (int pass = 0; pass < 2; pass++, naming.is_second = true)
        for (uint32_t i = 1; i < scene->node_count && good; i++) {
            const cp_node *node = &scene->nodes[i];
            for (uint32_t k = node->first_joint; k - node->first_joint < node->joint_count && good; k++)
                if (!robot->links[i].is_planar || k == node->first_joint)
                    good = give_name(&naming, *scene->joints[k].name ? scene->joints[k].name : scene->joints[k].id,
                                     &robot->joints[k].name);
            good = good && give_name(&naming, wanted[i], &robot->links[i].joint_name);
        }
    for (uint32_t i = 1; i < scene->node_count && good; i++) {
        struct robot_link *link = &robot->links[i];
        if (!link->name || link->above == CP_NONE || scene->nodes[i].joint_count > 0 || link->joint_name)
            continue;
        const char *name = arena_print(robot->arena, "%s_joint", link->name);
        link->joint_name = name ? unique_name(robot->arena, &robot->joint_names, name) : NULL;
        good = link->joint_name;
    }
    return good;
}

cp_status robot_plan_links(struct robot *robot)
{
    const cp_scene *scene = robot->scene;
    cp_status status = place_all(robot);
    if (status != CP_OK)
        return status;
    if (!name_links(robot) || !name_joints(robot))
        return CP_LIMIT;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const struct robot_link *link = &robot->links[i];
        const cp_node *node = &scene->nodes[i];
        bool floats = robot->settings->movable && node->joint_count == 0 && link->name && link->above != CP_NONE;
        robot->losses[LOST_MOVABLE] += (node->flags & CP_NODE_MOVABLE) && !floats;
        robot->losses[LOST_FLAGS] += (node->flags & (CP_NODE_ATTACHABLE | CP_NODE_HIGHLIGHT | CP_NODE_WIRE)) != 0;
        robot->losses[LOST_PAIRS] += (node->flags & CP_NODE_VOLATILE) != 0;
        robot->losses[LOST_SCALED_INERTIA] += node->inertia && !robot_is_unscaled(&link->rest);
    }
    for (uint32_t i = 0; i < scene->joint_count; i++)
        robot->losses[LOST_HOMES] += scene->joints[i].type != CP_JOINT_FIXED && scene->joints[i].home != 0 &&
                                     !cp_joint_is_dependent(&scene->joints[i]);
    return CP_OK;
}
