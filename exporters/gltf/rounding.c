/* Poses in single precision, as web=yes writes them: measures how far rounding moves something in the world. If that is
 * more than a part of the positions' error, poses are written in double precision. */
#include "writer.h"

#include <float.h>
#include <math.h>

#include "base/text/text.h"

/* The part of the positions' error that rounding may add. */
static const double rounding_part = 1.0 / 16;
/* The rounding of double precision itself, in a chain of some poses, as a part of the distance. */
static const double double_part = 16 * DBL_EPSILON;

/* A chain of glTF nodes: their poses as the text has them, in double and in single precision. */
struct rounded_chain {
    cp_pose exact, rounded;
};

/* Returns the quaternion's matrix (glTF 2.0, 5.25), which readers do not make unit first. */
static cp_pose trs_pose(const struct trs *trs)
{
    double x = trs->rotation[0], y = trs->rotation[1], z = trs->rotation[2], w = trs->rotation[3];
    const double *s = trs->scale, *t = trs->translation;
    return (cp_pose){{(1 - 2 * (y * y + z * z)) * s[0], 2 * (x * y - z * w) * s[1], 2 * (x * z + y * w) * s[2], t[0],
                      2 * (x * y + z * w) * s[0], (1 - 2 * (x * x + z * z)) * s[1], 2 * (y * z - x * w) * s[2], t[1],
                      2 * (x * z - y * w) * s[0], 2 * (y * z + x * w) * s[1], (1 - 2 * (x * x + y * y)) * s[2], t[2]}};
}

/* Reads the numbers' texts as a reader does. */
static void read_rounded(const double *values, uint32_t count, double *rounded)
{
    for (uint32_t i = 0; i < count; i++) {
        char text[NUMBER_SIZE];
        rounded[i] = values[i];
        if (fabs(values[i]) <= (double)FLT_MAX)
            (void)parse_double(text, text + print_float((float)values[i], text), &rounded[i]);
    }
}

static void append_trs(struct rounded_chain *chain, const struct trs *trs)
{
    struct trs rounded, quiet = without_noise(trs);
    cp_pose pose = trs_pose(trs);
    chain->exact = pose_multiply(&chain->exact, &pose);
    read_rounded(quiet.translation, 3, rounded.translation);
    read_rounded(quiet.rotation, 4, rounded.rotation);
    read_rounded(quiet.scale, 3, rounded.scale);
    pose = trs_pose(&rounded);
    chain->rounded = pose_multiply(&chain->rounded, &pose);
}

static void append_pose(struct rounded_chain *chain, const cp_pose *pose)
{
    struct placement placement = place(pose);
    append_trs(chain, &placement.first);
    if (placement.sheared)
        append_trs(chain, &placement.second);
}

/* Appends the node and its joints to the chain. */
static void append_node(const struct gltf_file *file, uint32_t index, struct rounded_chain *chain)
{
    const cp_node *node = &file->scene->nodes[index];
    append_pose(chain, &node->local);
    for (uint32_t i = node->first_joint; i < node->first_joint + node->joint_count; i++) {
        const struct joint_plan *plan = &file->joints[i];
        const double *turn = plan->alignment;
        struct trs motion = joint_trs(plan, &file->scene->joints[i], file->mechanism.values[i]);
        struct trs there = {{0, 0, 0}, {turn[0], turn[1], turn[2], turn[3]}, {1, 1, 1}};
        struct trs back = {{0, 0, 0}, {-turn[0], -turn[1], -turn[2], turn[3]}, {1, 1, 1}};
        if (plan->aligned)
            append_trs(chain, &there);
        append_trs(chain, &motion);
        if (plan->aligned)
            append_trs(chain, &back);
    }
}

/* Measures the corners of the mesh's grid, which hold all its vertices: how far apart the chain's ends have them at
 * most, and how far they are from the origin. */
static void measure_instance(const struct gltf_file *file, const cp_instance *instance,
                             const struct rounded_chain *chain, double *error, double *distance)
{
    double most = (double)((1U << file->web.places[instance->mesh].bits) - 1);
    for (int corner = 0; corner < 8; corner++) {
        double point[3], exact[3], rounded[3], apart = 0, far = 0;
        for (int axis = 0; axis < 3; axis++)
            point[axis] = corner >> axis & 1 ? most : 0;
        pose_point(&chain->exact, point, exact);
        pose_point(&chain->rounded, point, rounded);
        for (int axis = 0; axis < 3; axis++) {
            apart += (rounded[axis] - exact[axis]) * (rounded[axis] - exact[axis]);
            far += exact[axis] * exact[axis];
        }
        *error = fmax(*error, sqrt(apart));
        *distance = fmax(*distance, sqrt(far));
    }
}

bool plan_rounding(struct gltf_file *file)
{
    const cp_scene *scene = file->scene;
    struct rounded_chain *chains = scene_allocate(file->work, scene->node_count, sizeof *chains);
    double error = 0, distance = 0, position = 0;
    if (!chains)
        return false;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        chains[i] = i > 0 ? chains[scene->nodes[i].parent] : (struct rounded_chain){POSE_IDENTITY, POSE_IDENTITY};
        if (i == 0 && has_up_root(file))
            append_trs(&chains[i], &up_root_trs);
        append_node(file, i, &chains[i]);
    }
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        const cp_instance *instance = &scene->instances[i];
        const struct web_mesh *web = file->meshes[instance->mesh].web;
        if (!web || !instance_is_drawn(file, instance))
            continue;
        struct rounded_chain chain = chains[instance->node];
        cp_pose transform = written_transform(file, i);
        append_pose(&chain, &transform);
        measure_instance(file, instance, &chain, &error, &distance);
        position = fmax(position, web->position);
    }
    file->exact_poses = error > position * rounding_part;
    file->web.posed = (file->exact_poses ? 0 : error) + distance * double_part;
    return true;
}
