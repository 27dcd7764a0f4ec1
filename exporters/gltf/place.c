/* Poses and joint motions as glTF's translation, rotation and scale. */
#include "writer.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "mesh/mesh.h"

/* Written TRS may differ from the pose by this part of the largest entry; the reader's own bound is 1e-6. */
static const double trs_tolerance = 5e-7;

static const struct trs trs_identity = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};

/* Splits a pose: pose = first * second, a translation, rotation and scale, then a rotation alone. It uses the singular
 * values of the pose. */
static void split_shear(const cp_pose *pose, struct placement *placement)
{
    double m[3][3], v[3][3];
    pose_singular(pose, m, v);
    /* The columns are at right angles now: U S is a TRS. */
    cp_pose scaled = *pose, turned = POSE_IDENTITY;
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++) {
            scaled.m[4 * row + column] = m[column][row];
            turned.m[4 * row + column] = v[row][column]; /* transposed */
        }
    (void)pose_to_trs(&scaled, trs_tolerance, &placement->first);
    (void)pose_to_trs(&turned, trs_tolerance, &placement->second);
    memcpy(placement->second.scale, trs_identity.scale, sizeof trs_identity.scale);
}

struct placement place(const cp_pose *pose)
{
    struct placement placement = {.second = trs_identity};
    placement.sheared = !pose_to_trs(pose, trs_tolerance, &placement.first);
    if (placement.sheared) {
        split_shear(pose, &placement);
        return placement;
    }
    cp_pose back = pose_from_trs(&placement.first);
    placement.exact = memcmp(&back, pose, sizeof back) == 0;
    return placement;
}

/* Drops a turn by less than 1e-8, which floats cannot tell from none. */
static double drop_noise(double value)
{
    return fabs(value) < 1e-8 ? 0 : value;
}

struct trs without_noise(const struct trs *trs)
{
    struct trs quiet = *trs;
    for (int i = 0; i < 4; i++)
        quiet.rotation[i] = drop_noise(quiet.rotation[i]);
    return quiet;
}

static bool writes_floats(const struct gltf_file *file)
{
    return file->settings->web && !file->exact_poses;
}

void write_name(struct json_writer *json, const struct gltf_file *file, const char *name)
{
    if (*name || !file->settings->web)
        json_key_text(json, "name", name);
}

void write_numbers(struct json_writer *json, const struct gltf_file *file, const char *key, const double *values,
                   unsigned count)
{
    if (!writes_floats(file)) {
        json_key_numbers(json, key, values, count);
        return;
    }
    json_key_open(json, key, '[');
    for (unsigned i = 0; i < count; i++)
        if (fabs(values[i]) <= (double)FLT_MAX)
            json_float(json, (float)values[i] + 0.0F); /* no -0 */
        else
            json_number(json, values[i]);
    json_close(json, ']');
}

void write_trs(struct json_writer *json, const struct gltf_file *file, const struct trs *trs)
{
    struct trs it = writes_floats(file) ? without_noise(trs) : *trs;
    if (memcmp(it.translation, trs_identity.translation, sizeof it.translation) != 0)
        write_numbers(json, file, "translation", it.translation, 3);
    if (memcmp(it.rotation, trs_identity.rotation, sizeof it.rotation) != 0)
        write_numbers(json, file, "rotation", it.rotation, 4);
    if (memcmp(it.scale, trs_identity.scale, sizeof it.scale) != 0)
        write_numbers(json, file, "scale", it.scale, 3);
}

/* ---- joints ---- */

struct trs joint_trs(const struct joint_plan *plan, const cp_joint *joint, double q)
{
    struct trs trs = trs_identity;
    switch (joint->type) {
    case CP_JOINT_REVOLUTE:
        trs.rotation[plan->axis] = sin(q / 2);
        trs.rotation[3] = cos(q / 2);
        break;
    case CP_JOINT_PRISMATIC:
        trs.translation[plan->axis] = q;
        break;
    case CP_JOINT_SCALE:
        trs.scale[plan->axis] = q;
        break;
    case CP_JOINT_FIXED:
        break;
    }
    for (int i = 0; i < 3; i++) /* viewers show a joint at -0 at 0 */
        trs.translation[i] += 0.0, trs.rotation[i] += 0.0;
    return trs;
}

/* Measures the scene, only for a joint that slides without limits, as that reads every vertex. */
bool plan_diagonal(struct gltf_file *file)
{
    const cp_scene *scene = file->scene;
    cp_measures measures = {.size = sizeof measures};
    bool needed = false;
    for (uint32_t i = 0; i < scene->joint_count; i++) {
        const cp_joint *joint = &scene->joints[i];
        needed = needed || (joint->type == CP_JOINT_PRISMATIC && (isinf(joint->lower) || isinf(joint->upper)));
    }
    if (!needed)
        return true;
    if (measure_boxes(file->context, scene, CP_USE_BOTH, &measures) != CP_OK)
        return false;
    file->diagonal = measured_diagonal(&measures);
    return true;
}

void joint_range(const struct gltf_file *file, uint32_t joint, double range[2])
{
    const double *formula = file->motion.formula_ranges ? file->motion.formula_ranges[joint] : NULL;
    if (formula && formula[0] <= formula[1]) {
        range[0] = formula[0];
        range[1] = formula[1];
        return;
    }
    struct joint_law law = joint_law(file->scene->joints, joint);
    cp_joint leader = file->scene->joints[law.leader];
    struct sweep sweep; /* home, lower, upper, home */
    leader.driven = true;
    leader.master = CP_NONE;
    bool sweeps = joint_sweep(&leader, file->diagonal, &sweep);
    double a = sweeps ? fmin(sweep.values[1], sweep.values[2]) : leader.home;
    double b = sweeps ? fmax(sweep.values[1], sweep.values[2]) : leader.home;
    if (law.leader != joint) {
        double other = law.scale * b + law.offset;
        a = law.scale * a + law.offset;
        b = fmax(a, other);
        a = fmin(a, other);
    }
    range[0] = a;
    range[1] = b;
}
