/* Makes two arms of links whose ends carry a body each, and computes where their corners are, by arithmetic of the
 * tests' own. */
#ifndef CHAIN_SUPPORT_H
#define CHAIN_SUPPORT_H

#include "collide/proof/proof.h"
#include "mesh_support.h"
#include "scene_fixture.h"

struct link {
    double axis[3], angle, place[3]; /* the pose of the node below the one before it */
    cp_joint_type type;
    double joint_axis[3], lower, upper;
    uint32_t
        variable; /* which the joint's value is, times a scale and more an offset where it depends on another joint */
    bool depends;
    double scale, offset;
};

enum { MOST_LINKS = 6 };

/* A box on links, for each side. */
struct arm {
    struct link links[MOST_LINKS];
    uint32_t count, node;
    double corners[8][3];
};

struct setting {
    struct arm arms[2];
    uint32_t variable_count;
    uint32_t joints[2 * MOST_LINKS]; /* of the variables */
};

static const double x_axis[] = {1, 0, 0}, z_axis[] = {0, 0, 1};

static inline void set_box(struct arm *arm, double low_x, double high_x, double low_y, double high_y)
{
    for (int i = 0; i < 8; i++) {
        arm->corners[i][0] = i & 1 ? high_x : low_x;
        arm->corners[i][1] = i & 2 ? high_y : low_y;
        arm->corners[i][2] = i & 4 ? 0.5 : -0.5;
    }
}

/* A joint that moves the arm, of a variable of its own. */
static inline struct link *add_link(struct setting *setting, int side, cp_joint_type type, const double axis[3])
{
    struct arm *arm = &setting->arms[side];
    struct link *link = &arm->links[arm->count++];
    *link = (struct link){.axis = {0, 0, 1}, .type = type, .lower = -1, .upper = 1, .scale = 1};
    memcpy(link->joint_axis, axis, sizeof link->joint_axis);
    link->variable = setting->variable_count++;
    return link;
}

/* A link whose joint follows another's. */
static inline struct link *add_follower(struct setting *setting, int side, const struct link *master, double scale,
                                        double offset)
{
    struct link *link = add_link(setting, side, master->type, master->joint_axis);
    setting->variable_count--;
    link->variable = master->variable;
    link->depends = true;
    link->scale = scale;
    link->offset = offset;
    return link;
}

static inline void make_joint(struct setting *setting, const struct link *link, uint32_t node)
{
    uint32_t index = scene_add_joint(scene, node, link->type, "joint");
    assert_true(index != CP_NONE);
    cp_joint *joint = &scene->joints[index];
    memcpy(joint->axis, link->joint_axis, sizeof joint->axis);
    joint->lower = link->lower;
    joint->upper = link->upper;
    joint->driven = !link->depends;
    if (!link->depends) {
        setting->joints[link->variable] = index;
        return;
    }
    joint->master = setting->joints[link->variable];
    joint->scale = link->scale;
    joint->offset = link->offset;
}

/* Masters must come before those who depend on them: the first arm first. */
static inline void make_scene(struct setting *setting)
{
    fresh_scene();
    for (int side = 0; side < 2; side++) {
        struct arm *arm = &setting->arms[side];
        arm->node = scene_add_node(scene, 0, "arm", 3);
        for (uint32_t i = 0; i < arm->count; i++) {
            const struct link *link = &arm->links[i];
            arm->node = scene_add_node(scene, arm->node, "link", 4);
            assert_true(arm->node != CP_NONE);
            cp_pose turn = pose_rotation(link->axis, link->angle),
                    place = pose_translation(link->place[0], link->place[1], link->place[2]);
            scene->nodes[arm->node].local = pose_multiply(&place, &turn);
            make_joint(setting, link, arm->node);
        }
    }
}

static inline void turn_about(const double axis[3], double angle, double point[3])
{
    double along = 0, turned[3];
    for (int i = 0; i < 3; i++)
        along += axis[i] * point[i];
    for (int i = 0; i < 3; i++) {
        int k = (i + 1) % 3, l = (i + 2) % 3;
        turned[i] = cos(angle) * point[i] + sin(angle) * (axis[k] * point[l] - axis[l] * point[k]) +
                    (1 - cos(angle)) * along * axis[i];
    }
    memcpy(point, turned, sizeof turned);
}

/* Takes a point behind so many links to the world. */
static inline void place_point(const struct arm *arm, uint32_t count, const double *values, double point[3])
{
    for (uint32_t i = count; i-- > 0;) {
        const struct link *link = &arm->links[i];
        double value = link->scale * values[link->variable] + link->offset;
        if (link->type == CP_JOINT_REVOLUTE)
            turn_about(link->joint_axis, value, point);
        for (int axis = 0; axis < 3 && link->type == CP_JOINT_PRISMATIC; axis++)
            point[axis] += value * link->joint_axis[axis];
        turn_about(link->axis, link->angle, point);
        for (int axis = 0; axis < 3; axis++)
            point[axis] += link->place[axis];
    }
}

static inline void place_arm(const struct arm *arm, const double *values, double (*points)[3])
{
    for (int k = 0; k < 8; k++) {
        memcpy(points[k], arm->corners[k], sizeof *points);
        place_point(arm, arm->count, values, points[k]);
    }
}

/* The chain between the arms' ends, and a prover for it. */
struct opened {
    struct frame_chain chain;
    struct prover prover;
    bool movables[2 * MOST_LINKS + 4];
};

/* Opens the chain of the scene that make_scene made. */
static inline void open_chain(const struct setting *setting, struct opened *opened)
{
    assert_true(scene->node_count <= sizeof opened->movables);
    find_movables(scene, opened->movables);
    assert_true(chain_open(&opened->chain, context, scene, opened->movables));
    chain_find(&opened->chain, setting->arms[0].node, setting->arms[1].node);
    assert_int_equal(opened->chain.obstacles, 0);
    assert_int_equal(opened->chain.variable_count, setting->variable_count);
    assert_true(prover_open(&opened->prover, context, opened->chain.most));
}

static inline void close_chain(struct opened *opened)
{
    prover_close(&opened->prover);
    chain_close(&opened->chain);
}

static inline void find_hulls(const struct setting *setting, struct body bodies[2])
{
    for (int side = 0; side < 2; side++) {
        bodies[side] = (struct body){.convex = true};
        assert_int_equal(hull_find(context, (const double(*)[3])setting->arms[side].corners, 8, &bodies[side].hull),
                         CP_OK);
    }
}

static inline void free_hulls(struct body bodies[2])
{
    for (int side = 0; side < 2; side++)
        hull_free(context, &bodies[side].hull);
}

static inline void random_axis(struct random *random, double axis[3])
{
    double length = 0;
    for (int i = 0; i < 3; i++) {
        axis[i] = random_unit(random) - 0.5;
        length += axis[i] * axis[i];
    }
    for (int i = 0; i < 3; i++)
        axis[i] /= sqrt(length);
}

/* The link whose joint is the variable. */
static inline const struct link *driven_link(const struct setting *setting, uint32_t variable)
{
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < setting->arms[side].count; i++)
            if (setting->arms[side].links[i].variable == variable && !setting->arms[side].links[i].depends)
                return &setting->arms[side].links[i];
    fail_msg("no link");
    return NULL;
}

/* Within the limits, often at their ends. */
static inline void random_values(const struct setting *setting, struct random *random, double *values)
{
    for (uint32_t i = 0; i < setting->variable_count; i++) {
        const struct link *link = driven_link(setting, i);
        double share = random_bits(random) % 3 ? random_unit(random) : random_bits(random) % 2;
        values[i] = link->lower + share * (link->upper - link->lower);
    }
}

#endif
