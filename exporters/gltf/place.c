/* Poses and joint motions as glTF's translation, rotation and scale. */
#include "writer.h"

#include "../../scene/vector.h"

#include <math.h>
#include <string.h>

/* Written TRS may be this far (relative to the largest entry) from the pose; the reader's own bound is 1e-6. */
static const double trs_tolerance = 5e-7;

static const struct trs trs_identity = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};

/* ---- singular values, by one-sided Jacobi rotations: M V = U S ---- */

struct columns {
    double c[3][3]; /* c[column][row] */
};

static void rotate_columns(struct columns *m, int a, int b, double cosine, double sine)
{
    for (int row = 0; row < 3; row++) {
        double x = m->c[a][row], y = m->c[b][row];
        m->c[a][row] = cosine * x - sine * y;
        m->c[b][row] = sine * x + cosine * y;
    }
}

/* Turns columns a and b until they are at right angles. */
static void orthogonalise(struct columns *m, struct columns *v, int a, int b)
{
    double along = dot_product(m->c[a], m->c[b]);
    if (along == 0)
        return;
    double zeta = (dot_product(m->c[b], m->c[b]) - dot_product(m->c[a], m->c[a])) / (2 * along);
    double tangent = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    double cosine = 1 / sqrt(1 + tangent * tangent);
    rotate_columns(m, a, b, cosine, cosine * tangent);
    rotate_columns(v, a, b, cosine, cosine * tangent);
}

static cp_pose pose_of_columns(const struct columns *m, double unit)
{
    cp_pose pose = POSE_IDENTITY;
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++)
            pose.m[4 * row + column] = m->c[column][row] * unit;
    return pose;
}

/* The columns of a pose in units of its largest entry, so that no square overflows; returns that entry. */
static double columns_of_pose(const cp_pose *pose, struct columns *m)
{
    double largest = 0;
    for (int i = 0; i < 12; i++)
        largest = i % 4 == 3 ? largest : fmax(largest, fabs(pose->m[i]));
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++)
            m->c[column][row] = pose->m[4 * row + column] / largest;
    return largest;
}

/* What rounding leaves of a column without length has no direction. */
static void drop_noise(struct columns *m)
{
    for (int column = 0; column < 3; column++)
        if (dot_product(m->c[column], m->c[column]) < 1e-30)
            memset(m->c[column], 0, sizeof m->c[column]);
}

/* pose = first * second: translation, rotation, scale; then a rotation alone. */
static void split_shear(const cp_pose *pose, struct placement *placement)
{
    enum { SWEEPS = 30 }; /* converges quadratically: 6 are enough for 3 x 3 */
    struct columns m, v = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    double largest = columns_of_pose(pose, &m);
    for (int i = 0; i < SWEEPS; i++)
        for (int pair = 0; pair < 3; pair++)
            orthogonalise(&m, &v, pair == 2, pair == 0 ? 1 : 2);
    drop_noise(&m);
    /* The columns are at right angles now: U S is a TRS. */
    cp_pose scaled = pose_of_columns(&m, largest), turned = POSE_IDENTITY;
    for (int row = 0; row < 3; row++) {
        scaled.m[4 * row + 3] = pose->m[4 * row + 3];
        for (int column = 0; column < 3; column++)
            turned.m[4 * row + column] = v.c[row][column]; /* transposed */
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

static bool rotation_is_identity(const double rotation[4])
{
    return memcmp(rotation, trs_identity.rotation, sizeof trs_identity.rotation) == 0;
}

void write_trs(struct json_writer *json, const struct trs *trs)
{
    if (memcmp(trs->translation, trs_identity.translation, sizeof trs->translation) != 0)
        json_key_numbers(json, "translation", trs->translation, 3);
    if (!rotation_is_identity(trs->rotation))
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

static bool needs_diagonal(const cp_scene *scene)
{
    for (uint32_t i = 0; i < scene->joint_count; i++) {
        const cp_joint *joint = &scene->joints[i];
        if (joint->type == CP_JOINT_PRISMATIC && (isinf(joint->lower) || isinf(joint->upper)))
            return true;
    }
    return false;
}

/* Measuring looks at every vertex, so it is done only for a joint that wants to know. */
bool plan_diagonal(struct writer *writer)
{
    cp_measures measures;
    if (!needs_diagonal(writer->scene))
        return true;
    if (measure_boxes(writer->context, writer->scene, CP_USE_BOTH, &measures) != CP_OK)
        return false;
    writer->diagonal = measured_diagonal(&measures);
    return true;
}

static void driver_range(const cp_joint *joint, double diagonal, double range[2])
{
    cp_joint driver = *joint;
    struct sweep sweep;
    driver.driven = true;
    driver.master = CP_NONE;
    range[0] = range[1] = joint->home;
    if (!joint_sweep(&driver, diagonal, &sweep))
        return;
    range[0] = fmin(sweep.values[1], sweep.values[2]); /* home, lower, upper, home */
    range[1] = fmax(sweep.values[1], sweep.values[2]);
}

void joint_range(const struct writer *writer, uint32_t joint, double range[2])
{
    struct joint_law law = joint_law(writer->scene->joints, joint);
    double leader[2];
    driver_range(&writer->scene->joints[law.leader], writer->diagonal, leader);
    if (law.leader == joint) {
        memcpy(range, leader, sizeof leader);
        return;
    }
    double a = law.scale * leader[0] + law.offset, b = law.scale * leader[1] + law.offset;
    range[0] = fmin(a, b);
    range[1] = fmax(a, b);
}
