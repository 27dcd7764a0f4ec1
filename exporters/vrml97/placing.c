/* Writes any affine pose as a Transform with a scale above zero, and what is left of it. */
#include <math.h>
#include <string.h>

#include "model/model.h"
#include "vrml97.h"

/* A map thinner than this part of its length counts as flat, as readers have single precision. */
#define FLAT_RATIO 1e-7
#define FLAT_SIZE 1e-30
/* Rotations from text or quaternions differ from orthonormal ones by rounding less than this. */
#define UNIT_TOLERANCE 1e-9

const struct vrml_rest vrml_no_rest = {REST_NONE, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
static const struct vrml_placing at_rest = {{0, 0, 0}, {{0, 0, 1}, 0}, {1, 1, 1}, {{0, 0, 1}, 0}};

static void multiply(const double a[9], const double b[9], double out[9])
{
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++)
            out[3 * row + column] =
                a[3 * row] * b[column] + a[3 * row + 1] * b[3 + column] + a[3 * row + 2] * b[6 + column];
}

static double determinant(const double m[9])
{
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
}

static double column_product(const double m[9], int a, int b)
{
    return m[a] * m[b] + m[3 + a] * m[3 + b] + m[6 + a] * m[6 + b];
}

static void rotate_columns(double m[9], int a, int b, const double turn[2])
{
    for (int row = 0; row < 9; row += 3) {
        double first = m[row + a], second = m[row + b];
        m[row + a] = turn[0] * first - turn[1] * second;
        m[row + b] = turn[1] * first + turn[0] * second;
    }
}

/* Finds m = u * diag(sizes) * v^T by Hestenes' one-sided Jacobi rotations, which keep small sizes precise; u has the
 * sizes in its columns' lengths. v is a rotation. */
static void decompose(const double m[9], double u[9], double sizes[3], double v[9])
{
    static const int pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    bool turned = true;
    memcpy(u, m, 9 * sizeof *u);
    memcpy(v, vrml_no_rest.linear, 9 * sizeof *v);
    for (int sweep = 0; sweep < 40 && turned; sweep++) {
        turned = false;
        for (int i = 0; i < 3; i++) {
            int a = pairs[i][0], b = pairs[i][1];
            double first = column_product(u, a, a), second = column_product(u, b, b), mixed = column_product(u, a, b);
            if (fabs(mixed) <= 1e-15 * sqrt(first * second))
                continue; /* the columns are orthogonal */
            double zeta = (second - first) / (2 * mixed);
            double tangent = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
            double cosine = 1 / sqrt(1 + tangent * tangent), turn[2] = {cosine, cosine * tangent};
            rotate_columns(u, a, b, turn);
            rotate_columns(v, a, b, turn);
            turned = true;
        }
    }
    for (int i = 0; i < 3; i++)
        sizes[i] = sqrt(column_product(u, i, i));
}

static double largest_entry(const double m[9])
{
    double largest = 0;
    for (int i = 0; i < 9; i++)
        largest = fmax(largest, fabs(m[i]));
    return largest;
}

static bool is_orthonormal(const double m[9])
{
    for (int a = 0; a < 3; a++)
        for (int b = a; b < 3; b++)
            if (fabs(column_product(m, a, b) - (a == b)) > UNIT_TOLERANCE)
                return false;
    return true;
}

struct rotation vrml_quaternion_turn(const double q[4])
{
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
    struct rotation out = {{0, 0, 1}, 2 * atan2(length, fabs(q[3]))};
    if (out.angle < 1e-12)
        return (struct rotation){{0, 0, 1}, 0};
    for (int i = 0; i < 3; i++)
        out.axis[i] = (q[3] < 0 ? -q[i] : q[i]) / length + 0.0;
    return out;
}

struct rotation vrml_rotation(const double m[9])
{
    double xx = m[0], yy = m[4], zz = m[8];
    double q[4]; /* x y z w, by Shepperd's choice of the largest */
    if (xx + yy + zz > 0) {
        q[0] = m[7] - m[5], q[1] = m[2] - m[6], q[2] = m[3] - m[1], q[3] = 1 + xx + yy + zz;
    } else if (xx >= yy && xx >= zz) {
        q[0] = 1 + xx - yy - zz, q[1] = m[1] + m[3], q[2] = m[2] + m[6], q[3] = m[7] - m[5];
    } else if (yy >= zz) {
        q[0] = m[1] + m[3], q[1] = 1 - xx + yy - zz, q[2] = m[5] + m[7], q[3] = m[2] - m[6];
    } else {
        q[0] = m[2] + m[6], q[1] = m[5] + m[7], q[2] = 1 - xx - yy + zz, q[3] = m[3] - m[1];
    }
    return vrml_quaternion_turn(q);
}

/* Places m = largest * u * diag(sizes) * v^T with a determinant above zero, by its polar decomposition: the rotation u
 * * v^T, then the symmetric factor v * diag(sizes) * v^T as scale, with a scaleOrientation if it is not diagonal. */
static void place_stretched(const double u[9], const double sizes[3], const double v[9], double largest,
                            struct vrml_placing *placing)
{
    double rotation[9], transposed[9], scaled[9], symmetric[9];
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++)
            rotation[3 * row + column] = u[3 * row] / sizes[0] * v[3 * column] +
                                         u[3 * row + 1] / sizes[1] * v[3 * column + 1] +
                                         u[3 * row + 2] / sizes[2] * v[3 * column + 2];
    for (int i = 0; i < 9; i++) {
        transposed[i] = v[3 * (i % 3) + i / 3];
        scaled[i] = v[i] * sizes[i % 3];
    }
    multiply(scaled, transposed, symmetric);
    double mixed = fmax(fabs(symmetric[1]), fmax(fabs(symmetric[2]), fabs(symmetric[5])));
    bool diagonal = mixed <= 1e-12 * largest_entry(symmetric);
    placing->rotation = vrml_rotation(rotation);
    for (int i = 0; i < 3; i++)
        placing->scale[i] = largest * (diagonal ? symmetric[4 * i] : sizes[i]);
    if (!diagonal)
        placing->scale_orientation = vrml_rotation(v);
}

void vrml_place(struct vrml_rest *rest, const cp_pose *pose, struct vrml_placing *placing)
{
    const double *p = pose->m;
    double linear[9] = {p[0], p[1], p[2], p[4], p[5], p[6], p[8], p[9], p[10]}, m[9], unit[9], u[9], sizes[3], v[9];
    multiply(rest->linear, linear, m);
    *placing = at_rest;
    for (int i = 0; i < 3; i++)
        placing->translation[i] =
            rest->linear[3 * i] * p[3] + rest->linear[3 * i + 1] * p[7] + rest->linear[3 * i + 2] * p[11] + 0.0;
    double largest = largest_entry(m);
    bool flat = rest->kind == REST_FLAT || !(largest > FLAT_SIZE);
    if (!flat) {
        for (int i = 0; i < 9; i++)
            unit[i] = m[i] / largest;
        decompose(unit, u, sizes, v);
        double least = fmin(sizes[0], fmin(sizes[1], sizes[2])), most = fmax(sizes[0], fmax(sizes[1], sizes[2]));
        flat = least <= FLAT_RATIO * most || least * largest < FLAT_SIZE;
    }
    if (flat) {
        rest->kind = REST_FLAT;
        memcpy(rest->linear, m, sizeof m);
        return;
    }
    double sign = determinant(m) < 0 ? -1 : 1;
    for (int i = 0; i < 9; i++) {
        m[i] *= sign;
        u[i] *= sign;
    }
    if (is_orthonormal(m))
        placing->rotation = vrml_rotation(m);
    else
        place_stretched(u, sizes, v, largest, placing);
    *rest = vrml_no_rest;
    rest->kind = sign < 0 ? REST_MIRRORED : REST_NONE;
    for (int i = 0; i < 3; i++)
        rest->linear[4 * i] = sign;
}

bool vrml_placing_is_identity(const struct vrml_placing *placing)
{
    const double *t = placing->translation, *s = placing->scale;
    return t[0] == 0 && t[1] == 0 && t[2] == 0 && placing->rotation.angle == 0 && s[0] == 1 && s[1] == 1 && s[2] == 1;
}

void vrml_stretch_placing(const cp_joint *joint, double q, struct vrml_placing *placing)
{
    const double *a = joint->axis;
    *placing = at_rest;
    for (int i = 0; i < 3; i++)
        if (fabs(a[i]) == 1) {
            placing->scale[i] = q;
            return;
        }
    double across = hypot(a[0], a[1]);
    placing->scale[2] = q;
    placing->scale_orientation = (struct rotation){{-a[1] / across, a[0] / across, 0}, atan2(across, a[2])};
}

/* A scale of zero becomes one near zero: it may grow, and a flat frame may turn, which copies of meshes cannot show. */
cp_pose vrml_node_pose(const struct vrml_frames *frames, uint32_t node)
{
    cp_pose pose = frames->scene->nodes[node].local;
    struct trs trs;
    if (!frames->posed || !frames->posed[node])
        return pose;
    bool plain = pose_to_trs(&pose, 1e-9, &trs);
    double largest = fmax(1, fmax(fabs(trs.scale[0]), fmax(fabs(trs.scale[1]), fabs(trs.scale[2]))));
    for (int i = 0; i < 3; i++)
        if (fabs(trs.scale[i]) < LEAST_SCALE * largest) {
            trs.scale[i] = copysign(LEAST_SCALE * largest, trs.scale[i]);
            plain = false;
        }
    return plain ? pose : pose_from_trs(&trs);
}
