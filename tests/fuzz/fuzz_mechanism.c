/* A fuzzer for loops: the bytes are a small tree of joints, loops between its bodies, and values. Whatever closes is
 * finite and closed, and what a solver of poses finds brings its frame there. A stage gives the scene back. */
#include "input.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "motion/motion.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Mostly tenths, now and then any double. */
static double take_number(struct input *input)
{
    uint64_t bits = 0;
    double value;
    if (take(input, 16) > 0)
        return ((double)take(input, 41) - 20) / 10;
    for (int i = 0; i < 8; i++)
        bits = bits << 8 | take(input, 256);
    memcpy(&value, &bits, sizeof value);
    return isfinite(value) && fabs(value) < 1e6 ? value : 0;
}

static cp_pose take_pose(struct input *input)
{
    cp_pose turn = pose_rotation_degrees((int)take(input, 3), 15 * (double)take(input, 24));
    cp_pose place = pose_translation(take_number(input), take_number(input), take_number(input));
    return pose_multiply(&place, &turn);
}

/* ---- the scene ---- */

static bool take_joint(cp_scene *scene, struct input *input, uint32_t node)
{
    uint32_t index = scene_add_joint(scene, node, (cp_joint_type)take(input, 3), NULL);
    if (index == CP_NONE)
        return false;
    cp_joint *joint = &scene->joints[index];
    uint32_t axis = take(input, 3);
    for (uint32_t i = 0; i < 3; i++)
        joint->axis[i] = i == axis;
    joint->driven = take(input, 3) == 0;
    joint->home = joint->q = take_number(input);
    if (take(input, 3) == 0) {
        joint->lower = take_number(input);
        joint->upper = joint->lower + fabs(take_number(input));
    }
    if (index > 0 && take(input, 8) == 0 && !cp_joint_is_dependent(&scene->joints[index - 1])) {
        joint->master = index - 1;
        joint->driven = false;
        joint->scale = take_number(input);
        joint->offset = take_number(input);
    }
    return true;
}

static bool take_device(cp_scene *scene, struct input *input)
{
    uint32_t device = scene_add_device(scene, "device", take(input, scene->node_count));
    uint32_t *own = scene_allocate(scene, (size_t)scene->joint_count + 1, sizeof *own), count = 0;
    if (device == CP_NONE || !own)
        return false;
    for (uint32_t i = 0; i < scene->joint_count; i++)
        if (scene->joints[i].driven)
            own[count++] = i;
    own[count] = scene->node_count - 1;
    scene->devices[device].joints = own;
    scene->devices[device].joint_count = count;
    scene->devices[device].ends = own + count;
    scene->devices[device].end_count = 1;
    return true;
}

static bool take_scene(cp_scene *scene, struct input *input)
{
    uint32_t bodies = 1 + take(input, 8), loops = take(input, 5);
    for (uint32_t i = 0; i < bodies; i++) {
        uint32_t node = scene_add_node(scene, take(input, scene->node_count), "body", 4), joints = take(input, 4);
        if (node == CP_NONE)
            return false;
        scene->nodes[node].local = take_pose(input);
        for (uint32_t k = 0; k < joints; k++)
            if (!take_joint(scene, input, node))
                return false;
    }
    for (uint32_t i = 0; i < loops; i++) {
        uint32_t first = take(input, scene->node_count), second = take(input, scene->node_count);
        uint32_t loop = scene_add_loop(scene, "loop", (cp_loop_type)take(input, 7), first,
                                       first == second ? (first + 1) % scene->node_count : second);
        if (loop == CP_NONE)
            return false;
        for (int side = 0; side < 2; side++)
            scene->loops[loop].poses[side] = take_pose(input);
        scene->loops[loop].length = scene->loops[loop].type == CP_LOOP_DISTANCE ? fabs(take_number(input)) : 0;
    }
    return take_device(scene, input) && scene_finish(scene) == CP_OK;
}

/* ---- what must hold ---- */

static void demand(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

/* The places that a ball or a hinge joins are one place. */
static void check_closed(const cp_scene *scene, const cp_pose *worlds)
{
    double size = 1;
    for (uint32_t i = 0; i < scene->node_count; i++)
        for (int k = 3; k < 12; k += 4)
            size = fmax(size, fabs(worlds[i].m[k]));
    for (uint32_t i = 0; i < scene->loop_count; i++) {
        const cp_loop *loop = &scene->loops[i];
        double square = 0;
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < 3; k++)
                size = fmax(size, fabs(loop->poses[side].m[4 * k + 3]));
        cp_pose a = pose_multiply(&worlds[loop->nodes[0]], &loop->poses[0]);
        cp_pose b = pose_multiply(&worlds[loop->nodes[1]], &loop->poses[1]);
        for (int k = 3; k < 12; k += 4)
            square += (a.m[k] - b.m[k]) * (a.m[k] - b.m[k]);
        if (loop->type == CP_LOOP_SPHERICAL || loop->type == CP_LOOP_REVOLUTE || loop->type == CP_LOOP_UNIVERSAL ||
            loop->type == CP_LOOP_FIXED)
            demand(sqrt(square) < 1e-5 * size, "a loop is open");
        if (loop->type == CP_LOOP_DISTANCE)
            demand(fabs(sqrt(square) - loop->length) < 1e-5 * size, "a distance is another one");
    }
}

static void move(cp_context *context, const cp_scene *scene, struct input *input)
{
    cp_mechanism *mechanism;
    cp_mobility mobility = {.size = sizeof mobility};
    cp_pose worlds[16];
    double q[64];
    (void)cp_measure_mobility(context, scene, &mobility);
    if (cp_mechanism_new(context, scene, &mechanism) != CP_OK)
        return;
    for (uint32_t pose = 0; pose < 3; pose++) {
        for (uint32_t i = 0; i < scene->joint_count; i++)
            q[i] = take_number(input);
        if (cp_mechanism_poses(mechanism, q, worlds) != CP_OK)
            continue;
        for (uint32_t i = 0; i < scene->node_count; i++)
            demand(pose_is_finite(&worlds[i]), "a pose is not finite");
        check_closed(scene, worlds);
    }
    cp_mechanism_free(mechanism);
}

static void reach(cp_context *context, const cp_scene *scene, struct input *input)
{
    const cp_reach wanted = {
        .size = sizeof wanted, .frame = take(input, scene->node_count), .solve = 1 + take(input, 63), .tries = 3};
    cp_inverse *inverse;
    const cp_posture *postures;
    uint32_t count;
    cp_pose target = take_pose(input), worlds[16];
    if (cp_inverse_new(context, scene, &wanted, &inverse) != CP_OK)
        return;
    if (cp_inverse_postures(inverse, &target, &postures, &count) == CP_OK)
        for (uint32_t i = 0; i < count; i++) {
            if (cp_world_poses(context, scene, postures[i].q, worlds) != CP_OK)
                continue; /* on another branch than the first pose's */
            for (uint32_t k = 0; k < scene->node_count; k++)
                demand(pose_is_finite(&worlds[k]), "a posture is not finite");
            for (int k = 0; scene->loop_count == 0 && k < 3; k++)
                if (wanted.solve & 1u << k)
                    demand(fabs(worlds[wanted.frame].m[4 * k + 3] - target.m[4 * k + 3]) <
                               1e-5 * (1 + fabs(target.m[4 * k + 3])) + 1e-4,
                           "a posture is elsewhere");
        }
    cp_inverse_free(inverse);
}

static void carry(cp_context *context, const cp_scene *scene)
{
    void *stage, *dumps[2];
    size_t size, sizes[2];
    cp_scene *again;
    if (cp_write_memory(context, scene, "glb", (const char *[]){"profile=stage"}, 1, &stage, &size) != CP_OK)
        return;
    demand(cp_read_memory(context, stage, size, "stage", "gltf", NULL, 0, &again) == CP_OK, "a stage cannot be read");
    demand(cp_write_memory(context, scene, "dump", NULL, 0, &dumps[0], &sizes[0]) == CP_OK &&
               cp_write_memory(context, again, "dump", NULL, 0, &dumps[1], &sizes[1]) == CP_OK,
           "no dump");
    demand(again->loop_count == scene->loop_count && again->joint_count == scene->joint_count, "a stage loses joints");
    cp_free(context, dumps[0], sizes[0]);
    cp_free(context, dumps[1], sizes[1]);
    cp_free(context, stage, size);
    cp_scene_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct input input = {bytes, size, 0};
    cp_context *context = cp_context_new(NULL);
    /* A pose that takes all steps of the default limit takes half a minute with all checks. */
    demand(!context || cp_set_limit(context, "loop-steps=2000") == CP_OK, "a limit cannot be set");
    cp_scene *scene = context ? scene_new(context) : NULL;
    if (scene && take_scene(scene, &input)) {
        move(context, scene, &input);
        reach(context, scene, &input);
        carry(context, scene);
    }
    cp_scene_free(scene);
    cp_context_free(context);
    return 0;
}
