/* Makes clips as they are played: without attachments and formulas, and with a tolerance with few keys of few
 * digits. */
#include "writer.h"

#include <math.h>

#include "mesh/mesh.h"

/* The tolerance of web=yes, unless the user gives one: 0.1 mm; if the scene is larger than 6.5 m, this part of it, a
 * quarter of a step of the positions. */
static const double web_tolerance = 1e-4, web_part = 1.0 / 65536;
/* The tolerance of samples if none is given: a two-millionth of the scene, about the step of single precision. */
static const double exact_part = 5e-7;
/* The same for solved loops, whose ways bend too much for so many keys: a fifty-thousandth. */
static const double loop_part = 2e-5;
/* The parts of the tolerance: for samples, for samples and keys that are left out, and for rounding. */
static const double bake_part = 0.25, thin_part = 0.75, round_part = 0.25;

static double tolerance_of(const struct gltf_file *file)
{
    double size = file->web.diagonal > 0 && isfinite(file->web.diagonal) ? file->web.diagonal : 0;
    if (file->settings->tolerance > 0)
        return file->settings->tolerance;
    return file->settings->web ? fmax(web_tolerance, web_part * size) : 0;
}

bool bake_played(struct gltf_file *file, const cp_clip *clip, struct played_clip *played)
{
    double size = file->diagonal > 0 && isfinite(file->diagonal) ? file->diagonal : 1;
    double tolerance = tolerance_of(file);
    struct motion_plan *motion = &file->motion;
    const struct bake_limits limits = {tolerance > 0                 ? tolerance * bake_part
                                       : file->scene->loop_count > 0 ? loop_part * size
                                                                     : exact_part * size,
                                       file->diagonal, file->motion.sampled};
    struct baked_clip baked;
    cp_status status = clip_bake(file->work, file->scene, clip, &limits, &baked);
    file->motion.open = status == CP_NO;
    if (status != CP_OK)
        return false;
    *played = (struct played_clip){baked.clip, baked.sheared, baked.flat};
    if (!(tolerance > 0) || !is_deliver(file))
        return true;
    if (!motion->shape.reaches && clip_shape_find(file->work, file->scene, &motion->shape) != CP_OK)
        return false;
    return clip_thin(file->work, file->scene, &motion->shape, clip, &baked.clip, tolerance * thin_part,
                     &played->clip) == CP_OK;
}

/* ---- rounding ---- */

/* Returns the number of channels of one clip that may move one thing: at most so many errors add up. */
static double count_channels(const struct gltf_file *file, const struct played_clip *played, double *counts)
{
    const cp_scene *scene = file->scene;
    double most = 1;
    for (uint32_t clip = 0; clip <= scene->clip_count; clip++) { /* the last one: all joints */
        uint32_t track_count = clip < scene->clip_count ? played[clip].clip.track_count : 0;
        for (uint32_t i = 0; i < scene->node_count; i++)
            counts[i] = scene->nodes[i].joint_count;
        for (uint32_t i = 0; i < track_count; i++)
            if (played[clip].clip.tracks[i].path != CP_PATH_JOINT)
                counts[played[clip].clip.tracks[i].target]++;
        for (uint32_t i = 0; i < scene->node_count; i++) {
            counts[i] += i > 0 ? counts[scene->nodes[i].parent] : 0;
            most = fmax(most, counts[i]);
        }
    }
    return most;
}

/* Finds for each node how far from its origin something hangs on it, and how long a unit there is in the world. */
static bool measure_levers(const struct gltf_file *file, double *levers, double *stretches)
{
    const cp_scene *scene = file->scene;
    cp_measures *boxes = scene_allocate(file->work, scene->node_count, sizeof *boxes);
    if (!boxes || measure_node_boxes(file->context, scene, true, boxes) != CP_OK)
        return false;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        double squares = 0;
        for (int k = 0; k < 3 && boxes[i].any; k++)
            squares += fmax(boxes[i].lower[k] * boxes[i].lower[k], boxes[i].upper[k] * boxes[i].upper[k]);
        levers[i] = sqrt(squares);
        cp_pose pose = node_pose(&file->mechanism, i, &scene->nodes[i].local);
        stretches[i] = pose_stretch_bound(&pose) * (i > 0 ? stretches[scene->nodes[i].parent] : 1);
    }
    for (uint32_t i = scene->node_count; i-- > 1;) {
        cp_pose pose = node_pose(&file->mechanism, i, &scene->nodes[i].local);
        double *above = &levers[scene->nodes[i].parent];
        double way = sqrt(pose.m[3] * pose.m[3] + pose.m[7] * pose.m[7] + pose.m[11] * pose.m[11]);
        if (levers[i] > 0)
            *above = fmax(*above, way + pose_stretch_bound(&pose) * levers[i]);
    }
    return true;
}

bool plan_played(struct gltf_file *file)
{
    const cp_scene *scene = file->scene;
    struct motion_plan *motion = &file->motion;
    struct played_clip *played = scene_allocate(file->work, scene->clip_count, sizeof *played);
    bool *sampled = scene_allocate(file->work, scene->joint_count, sizeof *sampled);
    bool good = played && sampled && mark_sampled(&file->mechanism, sampled);
    motion->sampled = sampled;
    for (uint32_t i = 0; i < scene->clip_count && good; i++)
        good = bake_played(file, &scene->clips[i], &played[i]);
    motion->played = played;
    if (!good || !file->settings->web)
        return good;
    double *levers = scene_allocate(file->work, scene->node_count, sizeof *levers);
    double *stretches = scene_allocate(file->work, scene->node_count, sizeof *stretches);
    if (!levers || !stretches)
        return false;
    motion->share = tolerance_of(file) * round_part / count_channels(file, played, levers);
    motion->levers = levers;
    motion->stretches = stretches;
    return measure_levers(file, levers, stretches);
}

/* Half of the share is for values, half for times. A quaternion whose four numbers are off by half a step is turned by
 * twice the step. */
double rounding_of(const struct motion_plan *motion, uint32_t node, cp_path path)
{
    if (!motion->levers)
        return 0;
    double reach = path == CP_PATH_TRANSLATION ? 1 : motion->levers[node] * (path == CP_PATH_ROTATION ? 2 : 1);
    if (!(reach > 0)) /* nothing is there */
        reach = 2;
    return motion->share / 2 / fmax(motion->stretches[node] * reach, 1e-30);
}
