/* Poses and joint motions as glTF's translation, rotation and scale. */
#include "writer.h"

#include "../../scene/vector.h"

#include <math.h>
#include <string.h>

/* Written TRS may be this far (relative to the largest entry) from the pose; the reader's own bound is 1e-6. */
static const double trs_tolerance = 5e-7;

static const struct trs trs_identity = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};

/* Turns columns a and b of m until they are at right angles, and those of v with them. */
static void orthogonalise(double m[3][3], double v[3][3], int a, int b)
{
    double along = dot_product(m[a], m[b]);
    if (along == 0)
        return;
    double zeta = (dot_product(m[b], m[b]) - dot_product(m[a], m[a])) / (2 * along);
    double tangent = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    double cosine = 1 / sqrt(1 + tangent * tangent), sine = cosine * tangent;
    for (int i = 0; i < 6; i++) {
        double *x = i < 3 ? &m[a][i] : &v[a][i - 3], *y = i < 3 ? &m[b][i] : &v[b][i - 3], old = *x;
        *x = cosine * old - sine * *y;
        *y = sine * old + cosine * *y;
    }
}

/* pose = first * second: translation, rotation, scale; then a rotation alone. By the singular values of the pose, from
 * one-sided Jacobi rotations: M V = U S, with both in columns[column][row]. */
static void split_shear(const cp_pose *pose, struct placement *placement)
{
    enum { SWEEPS = 30 }; /* converges quadratically: 6 are enough for 3 x 3 */
    /* In units of the largest entry, so that no square overflows. */
    double m[3][3], v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, largest = 0;
    for (int i = 0; i < 12; i++)
        largest = i % 4 == 3 ? largest : fmax(largest, fabs(pose->m[i]));
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++)
            m[column][row] = pose->m[4 * row + column] / largest;
    for (int i = 0; i < SWEEPS; i++)
        for (int pair = 0; pair < 3; pair++)
            orthogonalise(m, v, pair == 2, pair == 0 ? 1 : 2);
    /* What rounding leaves of a column without length has no direction. */
    for (int column = 0; column < 3; column++)
        if (dot_product(m[column], m[column]) < 1e-30)
            memset(m[column], 0, sizeof m[column]);
    /* The columns are at right angles now: U S is a TRS. */
    cp_pose scaled = *pose, turned = POSE_IDENTITY;
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++) {
            scaled.m[4 * row + column] = m[column][row] * largest;
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

void write_trs(struct json_writer *json, const struct trs *trs)
{
    if (memcmp(trs->translation, trs_identity.translation, sizeof trs->translation) != 0)
        json_key_numbers(json, "translation", trs->translation, 3);
    if (memcmp(trs->rotation, trs_identity.rotation, sizeof trs->rotation) != 0)
        json_key_numbers(json, "rotation", trs->rotation, 4);
    if (memcmp(trs->scale, trs_identity.scale, sizeof trs->scale) != 0)
        json_key_numbers(json, "scale", trs->scale, 3);
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
    for (int i = 0; i < 3; i++) /* a joint at -0 is at 0 for viewers */
        trs.translation[i] += 0.0, trs.rotation[i] += 0.0;
    return trs;
}

/* Measuring looks at every vertex, so it is done only for a joint that slides without limits. */
bool plan_diagonal(struct writer *writer)
{
    const cp_scene *scene = writer->scene;
    cp_measures measures;
    bool needed = false;
    for (uint32_t i = 0; i < scene->joint_count; i++) {
        const cp_joint *joint = &scene->joints[i];
        needed = needed || (joint->type == CP_JOINT_PRISMATIC && (isinf(joint->lower) || isinf(joint->upper)));
    }
    if (!needed)
        return true;
    if (measure_boxes(writer->context, scene, CP_USE_BOTH, &measures) != CP_OK)
        return false;
    writer->diagonal = measured_diagonal(&measures);
    return true;
}

void joint_range(const struct writer *writer, uint32_t joint, double range[2])
{
    struct joint_law law = joint_law(writer->scene->joints, joint);
    cp_joint leader = writer->scene->joints[law.leader];
    struct sweep sweep; /* home, lower, upper, home */
    leader.driven = true;
    leader.master = CP_NONE;
    bool sweeps = joint_sweep(&leader, writer->diagonal, &sweep);
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
