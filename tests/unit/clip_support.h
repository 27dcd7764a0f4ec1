/* Random scenes with clips, and 4x4 matrices of the tests' own. */
#ifndef CLIP_SUPPORT_H
#define CLIP_SUPPORT_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chance.h"
#include "model/model.h"
#include "motion/motion.h"

/* ---- 4x4 matrices for column vectors ---- */

struct matrix {
    double m[4][4];
};

static inline struct matrix matrix_identity(void)
{
    return (struct matrix){{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
}

static inline struct matrix matrix_times(struct matrix a, struct matrix b)
{
    struct matrix out;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            out.m[i][k] = 0;
            for (int n = 0; n < 4; n++)
                out.m[i][k] += a.m[i][n] * b.m[n][k];
        }
    return out;
}

static inline struct matrix matrix_of_pose(const cp_pose *pose)
{
    struct matrix out = matrix_identity();
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++)
            out.m[i][k] = pose->m[4 * i + k];
    return out;
}

/* Of a unit quaternion: its effect on the three axes, v + 2 u x (u x v + w v). */
static inline struct matrix matrix_of_turn(const double q[4])
{
    struct matrix out = matrix_identity();
    for (int axis = 0; axis < 3; axis++) {
        double v[3] = {axis == 0, axis == 1, axis == 2}, c[3];
        for (int i = 0; i < 3; i++)
            c[i] = q[(i + 1) % 3] * v[(i + 2) % 3] - q[(i + 2) % 3] * v[(i + 1) % 3] + q[3] * v[i];
        for (int i = 0; i < 3; i++)
            out.m[i][axis] = v[i] + 2 * (q[(i + 1) % 3] * c[(i + 2) % 3] - q[(i + 2) % 3] * c[(i + 1) % 3]);
    }
    return out;
}

static inline struct matrix matrix_of_parts(const double t[3], const double r[4], const double s[3])
{
    struct matrix out = matrix_of_turn(r);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            out.m[i][k] *= s[k];
        out.m[i][3] = t[i];
    }
    return out;
}

static inline double matrix_distance(struct matrix a, const cp_pose *b)
{
    double most = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++)
            most = fmax(most, fabs(a.m[i][k] - b->m[4 * i + k]));
    return most;
}

static inline double matrix_largest(struct matrix a)
{
    double most = 1;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++)
            most = fmax(most, fabs(a.m[i][k]));
    return most;
}

/* ---- random scenes ---- */

static inline void random_turn(double q[4])
{
    double length = 0;
    for (int i = 0; i < 4; i++) {
        q[i] = chance_between(-1, 1);
        length += q[i] * q[i];
    }
    for (int i = 0; i < 4; i++)
        q[i] /= sqrt(length);
}

static inline cp_pose random_pose(bool scaled)
{
    struct trs trs = {.scale = {1, 1, 1}};
    random_turn(trs.rotation);
    for (int i = 0; i < 3; i++) {
        trs.translation[i] = chance_between(-1, 1);
        if (scaled)
            trs.scale[i] = chance_between(0.5, 2);
    }
    return pose_from_trs(&trs);
}

static inline void random_name(char name[16], const char *what, uint32_t number)
{
    (void)snprintf(name, 16, "%s%u", what, (unsigned)number);
}

/* Nodes in a random tree; every second one with one or two joints. */
static inline void add_random_nodes(cp_scene *scene, uint32_t count, bool scaled)
{
    for (uint32_t i = 1; i <= count; i++) {
        char name[16];
        random_name(name, "n", i);
        uint32_t node = scene_add_node(scene, chance(i), name, strlen(name));
        scene->nodes[node].local = random_pose(scaled && chance(2) == 0);
        for (uint32_t joints = chance(4); joints > 1; joints--) {
            cp_joint_type type = chance(3) == 0             ? CP_JOINT_PRISMATIC
                                 : chance(8) == 0 && scaled ? CP_JOINT_SCALE
                                                            : CP_JOINT_REVOLUTE;
            uint32_t joint = scene_add_joint(scene, node, type, NULL);
            double q[4];
            random_turn(q);
            double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
            for (int k = 0; k < 3; k++)
                scene->joints[joint].axis[k] = q[k] / length;
            scene->joints[joint].home = scene->joints[joint].q = chance_between(0.5, 1.5);
        }
    }
}

/* Some joints follow an earlier one, some a formula over two. */
static inline void add_followers(cp_scene *scene)
{
    static const char *const formulas[] = {"dof(1) * 0.5 + sin(dof(2))", "max(dof(1), dof(2)) - 0.25",
                                           "cos(dof(1)) * dof(2) + 0.1"};
    uint32_t free_joints[2] = {0, 1};
    for (uint32_t i = 2; i < scene->joint_count; i++) {
        cp_joint *joint = &scene->joints[i];
        if (chance(4) == 0) {
            joint->master = free_joints[chance(2)];
            joint->scale = chance_between(-2, 2);
            joint->offset = chance_between(-1, 1);
        } else if (chance(4) == 0) {
            const double factors[] = {chance_between(0.5, 2), 1};
            const cp_expression expression = {formulas[chance(3)], chance_between(0.5, 1), 2, free_joints, factors};
            uint32_t *inputs;
            joint->expression = scene_copy_expression(scene, &expression, &inputs);
            joint->scale = chance_between(0.5, 1);
            joint->offset = chance_between(-1, 1);
        } else {
            free_joints[chance(2)] = i;
        }
        joint->driven = joint->master == CP_NONE && !joint->expression;
        if (free_joints[0] == free_joints[1])
            free_joints[1] = free_joints[0] == 0 ? 1 : 0;
    }
}

struct track_kind {
    cp_path path;
    cp_interpolation interpolation;
    bool mirrors; /* scales may be below zero */
};

static inline void add_random_track(cp_scene *scene, cp_track *track, uint32_t target, struct track_kind kind)
{
    static const uint32_t widths[] = {1, 3, 4, 3};
    uint32_t keys = 1 + chance(6), width = widths[kind.path], rows = kind.interpolation == CP_CUBIC ? 3 : 1;
    double *times = scene_allocate(scene, keys, sizeof *times);
    double *values = scene_allocate(scene, (size_t)keys * width * rows, sizeof *values);
    double time = chance_between(-1, 1);
    for (uint32_t i = 0; i < keys; i++) {
        times[i] = time;
        time = chance(5) == 0 ? nextafter(time, INFINITY) : time + chance_between(0.2, 1.5);
        for (uint32_t row = 0; row < rows; row++) {
            double *value = values + ((size_t)i * rows + row) * width, q[4];
            bool tangent = rows == 3 && row != 1;
            random_turn(q);
            for (uint32_t k = 0; k < width; k++)
                value[k] = tangent                         ? chance_between(-0.3, 0.3)
                           : kind.path == CP_PATH_ROTATION ? q[k]
                           : kind.path == CP_PATH_SCALE
                               ? chance_between(0.6, 1.5) * (kind.mirrors && chance(4) == 0 ? -1 : 1)
                               : chance_between(-1, 1);
        }
    }
    *track = (cp_track){target, kind.path, kind.interpolation, keys, times, values};
}

static inline int compare_attachments(const void *a, const void *b)
{
    double first = ((const cp_attachment *)a)->time, second = ((const cp_attachment *)b)->time;
    return (first > second) - (first < second);
}

/* Any node to any other, several at one time; those that would hang a node on itself are passed over. */
static inline uint32_t add_random_attachments(cp_scene *scene, cp_attachment *attachments, uint32_t wanted)
{
    uint32_t count = 0, parents[256];
    for (uint32_t i = 0; i < scene->node_count; i++)
        parents[i] = scene->nodes[i].parent;
    for (uint32_t i = 0; i < wanted; i++)
        attachments[i].time = chance(3) == 0 && i > 0 ? attachments[i - 1].time : chance_between(-1, 6);
    qsort(attachments, wanted, sizeof *attachments, compare_attachments);
    for (uint32_t i = 0; i < wanted; i++) {
        uint32_t node = 1 + chance(scene->node_count - 1), host = chance(scene->node_count);
        if (attach_node(scene->context, parents, node, host))
            attachments[count++] = (cp_attachment){attachments[i].time, node, host};
    }
    return count;
}

#endif
