/* Makes random scenes with clips, and computes with 4x4 matrices of the tests' own. */
#ifndef CLIP_SUPPORT_H
#define CLIP_SUPPORT_H

#include <math.h>

#include "chance.h"
#include "fixture.h"

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

/* Turns by a unit quaternion: its effect on the three axes, v + 2 u x (u x v + w v). */
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
    double place[3], turn[4], scale[3] = {1, 1, 1};
    cp_pose pose;
    random_turn(turn);
    for (int i = 0; i < 3; i++) {
        place[i] = chance_between(-1, 1);
        if (scaled)
            scale[i] = chance_between(0.5, 2);
    }
    struct matrix matrix = matrix_of_parts(place, turn, scale);
    for (int i = 0; i < 12; i++)
        pose.m[i] = matrix.m[i / 4][i % 4];
    return pose;
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
        uint32_t parent = chance(i);
        cp_pose local = random_pose(scaled && chance(2) == 0);
        uint32_t node = add_node_at(scene, parent, name, &local);
        for (uint32_t joints = chance(4); joints > 1; joints--) {
            cp_joint joint = cp_new_joint();
            joint.node = node;
            joint.type = chance(3) == 0             ? CP_JOINT_PRISMATIC
                         : chance(8) == 0 && scaled ? CP_JOINT_SCALE
                                                    : CP_JOINT_REVOLUTE;
            double q[4];
            random_turn(q);
            double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
            for (int k = 0; k < 3; k++)
                joint.axis[k] = q[k] / length;
            joint.home = joint.q = chance_between(0.5, 1.5);
            assert_int_not_equal(cp_add_joint(scene, &joint), CP_NONE);
        }
    }
}

/* Some joints follow an earlier one, some a formula over two. */
static inline void add_followers(cp_scene *scene)
{
    static const char *const formulas[] = {"dof(1) * 0.5 + sin(dof(2))", "max(dof(1), dof(2)) - 0.25",
                                           "cos(dof(1)) * dof(2) + 0.1"};
    uint32_t free_joints[2] = {0, 1};
    for (uint32_t i = 2; i < count_joints(scene); i++) {
        cp_joint joint = cp_joints(scene, NULL)[i];
        double factors[] = {0, 1};
        cp_expression expression = {.input_count = 2, .inputs = free_joints, .factors = factors};
        if (chance(4) == 0) {
            joint.master = free_joints[chance(2)];
            joint.scale = chance_between(-2, 2);
            joint.offset = chance_between(-1, 1);
        } else if (chance(4) == 0) {
            factors[0] = chance_between(0.5, 2);
            expression.text = formulas[chance(3)];
            expression.angle = chance_between(0.5, 1);
            joint.expression = &expression;
            joint.scale = chance_between(0.5, 1);
            joint.offset = chance_between(-1, 1);
        }
        joint.driven = joint.master == CP_NONE && !joint.expression;
        assert_int_equal(cp_set_joint(scene, i, &joint), CP_OK);
        if (joint.driven)
            free_joints[chance(2)] = i;
        if (free_joints[0] == free_joints[1])
            free_joints[1] = free_joints[0] == 0 ? 1 : 0;
    }
}

/* The formulas of add_followers, in C. */
static inline double plain_formula(const char *text, double a, double b, double unit)
{
    if (strncmp(text, "dof", 3) == 0)
        return a * 0.5 + sin(b * unit);
    return strncmp(text, "max", 3) == 0 ? fmax(a, b) - 0.25 : cos(a * unit) * b + 0.1;
}

static inline struct matrix plain_motion(const cp_joint *joint, double q)
{
    const double *a = joint->axis;
    struct matrix motion = matrix_identity();
    if (joint->type == CP_JOINT_REVOLUTE) {
        const double half = sin(q / 2);
        return matrix_of_turn((const double[]){half * a[0], half * a[1], half * a[2], cos(q / 2)});
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3 && joint->type == CP_JOINT_SCALE; k++)
            motion.m[i][k] += (q - 1) * a[i] * a[k];
    for (int i = 0; i < 3 && joint->type == CP_JOINT_PRISMATIC; i++)
        motion.m[i][3] = q * a[i];
    return motion;
}

/* Three free joints, and one with a formula over them. */
static inline void add_formula_joint(cp_scene *scene, const char *text, double angle, const double factors[3])
{
    static const uint32_t inputs[] = {0, 1, 2};
    const cp_expression expression = {text, angle, 3, inputs, factors};
    for (uint32_t i = 0; i < 4; i++) {
        cp_joint joint = cp_new_joint();
        joint.node = add_node_at(scene, i, "n", NULL);
        joint.type = CP_JOINT_PRISMATIC;
        if (i == 3) {
            joint.expression = &expression;
            joint.driven = false;
            joint.scale = -3;
            joint.offset = 0.125;
        }
        assert_int_equal(cp_add_joint(scene, &joint), i);
    }
}

struct track_kind {
    cp_path path;
    cp_interpolation interpolation;
    bool mirrors; /* scales may be below zero */
};

static inline void add_random_track(cp_track *track, uint32_t target, struct track_kind kind)
{
    static const uint32_t widths[] = {1, 3, 4, 3};
    uint32_t keys = 1 + chance(6), width = widths[kind.path], rows = kind.interpolation == CP_CUBIC ? 3 : 1;
    double *times = scratch(keys, sizeof *times);
    double *values = scratch((size_t)keys * width * rows, sizeof *values);
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

/* False if the node would hang on itself. */
static inline bool hang_node(uint32_t *parents, uint32_t node, uint32_t host)
{
    for (uint32_t at = host; at != CP_NONE; at = parents[at])
        if (at == node)
            return false;
    parents[node] = host;
    return true;
}

/* Any node to any other, several at one time; those that would hang a node on itself are passed over. */
static inline uint32_t add_random_attachments(const cp_scene *scene, cp_attachment *attachments, uint32_t wanted)
{
    uint32_t count = 0, node_count, parents[256];
    const cp_node *nodes = cp_nodes(scene, &node_count);
    for (uint32_t i = 0; i < node_count; i++)
        parents[i] = nodes[i].parent;
    for (uint32_t i = 0; i < wanted; i++)
        attachments[i].time = chance(3) == 0 && i > 0 ? attachments[i - 1].time : chance_between(-1, 6);
    qsort(attachments, wanted, sizeof *attachments, compare_attachments);
    for (uint32_t i = 0; i < wanted; i++) {
        uint32_t node = 1 + chance(node_count - 1), host = chance(node_count);
        if (hang_node(parents, node, host))
            attachments[count++] = (cp_attachment){attachments[i].time, node, host};
    }
    return count;
}

static inline uint32_t add_moving_clip(cp_scene *scene, const char *name, uint32_t track_count, const cp_track *tracks,
                                       uint32_t attachment_count, const cp_attachment *attachments)
{
    cp_clip clip = cp_new_clip();
    clip.name = name;
    clip.track_count = track_count;
    clip.tracks = tracks;
    clip.attachment_count = attachment_count;
    clip.attachments = attachments;
    uint32_t index = cp_add_clip(scene, &clip);
    assert_int_not_equal(index, CP_NONE);
    return index;
}

/* Tracks of any thing in any order, at times one twice; on dependent joints too, where they say nothing. */
static inline void add_random_clip(cp_scene *scene, bool mirrors)
{
    cp_track *tracks = scratch(4 * (size_t)(count_nodes(scene) + count_joints(scene)), sizeof *tracks);
    cp_attachment attachments[12];
    uint32_t count = 0;
    for (uint32_t i = 0; i < count_joints(scene); i++)
        if (chance(3) > 0)
            add_random_track(&tracks[count++], i,
                             (struct track_kind){CP_PATH_JOINT, (cp_interpolation)chance(3), false});
    for (uint32_t i = 1; i < count_nodes(scene); i++)
        for (uint32_t k = chance(4), path = chance(3); k > 0; k--, path++)
            add_random_track(
                &tracks[count++], i,
                (struct track_kind){(cp_path)(CP_PATH_TRANSLATION + path % 3), (cp_interpolation)chance(3), mirrors});
    uint32_t attached = add_random_attachments(scene, attachments, chance(13));
    (void)add_moving_clip(scene, "random", count, tracks, attached, attachments);
}

#endif
