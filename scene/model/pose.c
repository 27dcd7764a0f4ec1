/* Poses. */
#include "model.h"

#include <math.h>
#include <string.h>

#include "base/text/text.h"

#define AT(pose, row, column) ((pose)->m[4 * (row) + (column)])

bool pose_equal(const cp_pose *a, const cp_pose *b)
{
    for (int i = 0; i < 12; i++)
        if (!(a->m[i] == b->m[i]))
            return false;
    return true;
}

bool pose_is_identity(const cp_pose *pose)
{
    return pose_equal(pose, &POSE_IDENTITY);
}

static double column_product(const cp_pose *pose, int i, int k)
{
    return AT(pose, 0, i) * AT(pose, 0, k) + AT(pose, 1, i) * AT(pose, 1, k) + AT(pose, 2, i) * AT(pose, 2, k);
}

bool pose_is_rigid(const cp_pose *pose, double tolerance)
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k <= i; k++) {
            if (!(fabs(column_product(pose, i, k) - (i == k)) <= tolerance))
                return false;
        }
    return pose_determinant(pose) > 0;
}

/* The columns of both have the same lengths and angles, within a hundred-thousandth. */
bool cp_pose_moves_rigidly(const cp_pose *from, const cp_pose *to)
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k <= i; k++) {
            const double room = 1e-5 * sqrt(column_product(from, i, i) * column_product(from, k, k));
            if (!(fabs(column_product(to, i, k) - column_product(from, i, k)) <= room))
                return false;
        }
    return pose_is_finite(to) && (pose_determinant(to) > 0) == (pose_determinant(from) > 0);
}

bool pose_is_finite(const cp_pose *pose)
{
    for (int i = 0; i < 12; i++)
        if (!isfinite(pose->m[i]))
            return false;
    return true;
}

/* Two columns are computed at once, since processors have instructions for that. */
typedef double double_pair __attribute__((vector_size(2 * sizeof(double))));

void pose_multiply_into(const cp_pose *a, const cp_pose *b, cp_pose *restrict product)
{
    if (pose_is_identity(a)) {
        *product = *b;
    } else if (pose_is_identity(b)) {
        *product = *a;
    } else {
        double_pair rows[3][2];
        memcpy(rows, b, sizeof rows);
        for (int row = 0; row < 3; row++) {
            const double *factors = &AT(a, row, 0);
            double_pair left = {0, 0}, right = {0, factors[3]};
            for (int k = 0; k < 3; k++) {
                left += factors[k] * rows[k][0];
                right += factors[k] * rows[k][1];
            }
            memcpy(&AT(product, row, 0), &left, sizeof left);
            memcpy(&AT(product, row, 2), &right, sizeof right);
        }
    }
}

cp_pose pose_multiply(const cp_pose *a, const cp_pose *b)
{
    cp_pose product;
    pose_multiply_into(a, b, &product);
    return product;
}

double pose_determinant(const cp_pose *pose)
{
    const double *m = pose->m;
    return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) +
           m[2] * (m[4] * m[9] - m[5] * m[8]);
}

double pose_largest_entry(const cp_pose *pose)
{
    double largest = 0;
    for (int i = 0; i < 12; i++)
        if (i % 4 < 3)
            largest = fmax(largest, fabs(pose->m[i]));
    return largest;
}

/* Takes the square root of the largest sum of a row of M^T M, in absolute values: no eigenvalue of it is larger
 * (Gershgorin's theorem). */
double pose_stretch_bound(const cp_pose *pose)
{
    double largest = 0;
    for (int i = 0; i < 3; i++) {
        double sum = 0;
        for (int k = 0; k < 3; k++)
            sum += fabs(AT(pose, 0, i) * AT(pose, 0, k) + AT(pose, 1, i) * AT(pose, 1, k) +
                        AT(pose, 2, i) * AT(pose, 2, k));
        largest = fmax(largest, sum);
    }
    return sqrt(largest);
}

bool pose_inverse(const cp_pose *pose, cp_pose *inverse)
{
    const double *m = pose->m;
    double determinant = pose_determinant(pose);
    if (determinant == 0 || !isfinite(determinant))
        return false;
    cp_pose out = {0};
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++) {
            int r1 = (column + 1) % 3, r2 = (column + 2) % 3, c1 = (row + 1) % 3, c2 = (row + 2) % 3;
            double cofactor = m[4 * r1 + c1] * m[4 * r2 + c2] - m[4 * r1 + c2] * m[4 * r2 + c1];
            AT(&out, row, column) = cofactor / determinant;
        }
    for (int row = 0; row < 3; row++)
        AT(&out, row, 3) = -(AT(&out, row, 0) * m[3] + AT(&out, row, 1) * m[7] + AT(&out, row, 2) * m[11]);
    *inverse = out;
    return pose_is_finite(inverse);
}

void pose_point(const cp_pose *pose, const double point[3], double out[3])
{
    double moved[3];
    for (int row = 0; row < 3; row++)
        moved[row] =
            AT(pose, row, 0) * point[0] + AT(pose, row, 1) * point[1] + AT(pose, row, 2) * point[2] + AT(pose, row, 3);
    memcpy(out, moved, sizeof moved);
}

cp_pose pose_translation(double x, double y, double z)
{
    return (cp_pose){{1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z}};
}

cp_pose pose_scaling(double x, double y, double z)
{
    return (cp_pose){{x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0}};
}

static cp_pose rotation(const double axis[3], double sine, double cosine)
{
    double x = axis[0], y = axis[1], z = axis[2], rest = 1 - cosine;
    return (cp_pose){{x * x * rest + cosine, x * y * rest - z * sine, x * z * rest + y * sine, 0,
                      x * y * rest + z * sine, y * y * rest + cosine, y * z * rest - x * sine, 0,
                      x * z * rest - y * sine, y * z * rest + x * sine, z * z * rest + cosine, 0}};
}

cp_pose pose_rotation(const double axis[3], double angle)
{
    return angle == 0 ? POSE_IDENTITY : rotation(axis, sin(angle), cos(angle));
}

cp_pose pose_rotation_degrees(int axis, double degrees)
{
    double turned = fmod(degrees, 360), sine, cosine;
    double quarters = turned / 90;
    if (quarters == floor(quarters)) {
        static const double sines[] = {0, 1, 0, -1};
        int quarter = ((int)quarters + 4) % 4;
        sine = sines[quarter];
        cosine = sines[(quarter + 1) % 4];
    } else {
        sine = sin(degrees_to_radians(turned));
        cosine = cos(degrees_to_radians(turned));
    }
    double direction[3] = {axis == 0, axis == 1, axis == 2};
    return rotation(direction, sine, cosine);
}

void cp_pose_coordinates(const cp_pose *pose, double coordinates[6])
{
    const double *m = pose->m, level = hypot(m[0], m[4]);
    const bool upright = !(level > 1e-12);
    for (int i = 0; i < 3; i++)
        coordinates[i] = m[4 * i + 3];
    coordinates[3] = upright ? atan2(-m[1], m[5]) : atan2(m[4], m[0]);
    coordinates[4] = atan2(-m[8], level);
    coordinates[5] = upright ? 0 : atan2(m[9], m[10]);
}

cp_pose pose_from_coordinates(const double coordinates[6])
{
    cp_pose pose = pose_translation(coordinates[0], coordinates[1], coordinates[2]);
    for (int i = 0; i < 3; i++) {
        const double axis[3] = {i == 2, i == 1, i == 0};
        cp_pose turn = pose_rotation(axis, coordinates[3 + i]);
        pose = pose_multiply(&pose, &turn);
    }
    return pose;
}

cp_pose pose_from_trs(const struct trs *trs)
{
    double x = trs->rotation[0], y = trs->rotation[1], z = trs->rotation[2], w = trs->rotation[3];
    const double *s = trs->scale, *t = trs->translation;
    return (cp_pose){{(1 - 2 * (y * y + z * z)) * s[0], 2 * (x * y - z * w) * s[1], 2 * (x * z + y * w) * s[2], t[0],
                      2 * (x * y + z * w) * s[0], (1 - 2 * (x * x + z * z)) * s[1], 2 * (y * z - x * w) * s[2], t[1],
                      2 * (x * z - y * w) * s[0], 2 * (y * z + x * w) * s[1], (1 - 2 * (x * x + y * y)) * s[2], t[2]}};
}

/* Computes the unit quaternion of a rotation matrix (Shepperd's method: the largest component first). */
static void quaternion_from_columns(const double column[3][3], double quaternion[4])
{
    double m00 = column[0][0], m11 = column[1][1], m22 = column[2][2];
    double largest[4] = {m00 - m11 - m22, m11 - m00 - m22, m22 - m00 - m11, m00 + m11 + m22};
    int best = 3;
    for (int i = 0; i < 3; i++)
        if (largest[i] > largest[best])
            best = i;
    /* This is the matrix 4 q q^T, made from the rotation matrix. Its longest row, divided by its length, is the
     * quaternion. */
    double xy = column[1][0] + column[0][1], xz = column[2][0] + column[0][2], yz = column[2][1] + column[1][2];
    double wx = column[1][2] - column[2][1], wy = column[2][0] - column[0][2], wz = column[0][1] - column[1][0];
    double rows[4][4] = {{1 + largest[0], xy, xz, wx},
                         {xy, 1 + largest[1], yz, wy},
                         {xz, yz, 1 + largest[2], wz},
                         {wx, wy, wz, 1 + largest[3]}};
    double length = 0;
    for (int i = 0; i < 4; i++)
        length += rows[best][i] * rows[best][i];
    length = sqrt(length);
    for (int i = 0; i < 4; i++)
        quaternion[i] = rows[best][i] / length;
}

/* Finds a unit vector at right angles to the given directions (0, 1 or 2 unit vectors). */
static void complete(const double (*directions)[3], int count, double out[3])
{
    if (count == 2)
        cross_product(directions[0], directions[1], out);
    if (count == 2 && dot_product(out, out) < 1e-18)
        count = 1; /* parallel directions leave as much freedom as one */
    if (count < 2) {
        int smallest = 0;
        for (int i = 1; count == 1 && i < 3; i++)
            if (fabs(directions[0][i]) < fabs(directions[0][smallest]))
                smallest = i;
        memset(out, 0, 3 * sizeof *out);
        out[smallest] = 1;
        if (count == 1) {
            double along = dot_product(out, directions[0]);
            for (int i = 0; i < 3; i++)
                out[i] -= along * directions[0][i];
        }
    }
    double length = sqrt(dot_product(out, out));
    for (int i = 0; i < 3; i++)
        out[i] /= length;
}

/* Splits the columns into unit columns and lengths. Columns of length 0 get directions that complete a right-handed
 * frame; if all are 0, this is the identity. */
static void split_columns(const cp_pose *pose, double column[3][3], double scale[3])
{
    int order[3], known = 0, missing[3], gaps = 0;
    double directions[3][3];
    for (int c = 0; c < 3; c++) {
        double raw[3] = {AT(pose, 0, c), AT(pose, 1, c), AT(pose, 2, c)};
        double largest = fmax(fabs(raw[0]), fmax(fabs(raw[1]), fabs(raw[2])));
        scale[c] = 0;
        if (largest > 0) {
            double scaled[3] = {raw[0] / largest, raw[1] / largest, raw[2] / largest};
            double length = sqrt(dot_product(scaled, scaled));
            scale[c] = length * largest;
            for (int i = 0; i < 3; i++)
                column[c][i] = scaled[i] / length;
            memcpy(directions[known], column[c], sizeof directions[0]);
            order[known++] = c;
        } else {
            missing[gaps++] = c;
        }
    }
    for (int g = 0; g < gaps; g++, known++) {
        complete((const double(*)[3])directions, known, directions[known]);
        /* An odd order of the two known columns would make the third one left-handed. */
        bool odd = known == 2 && (order[1] - order[0] + 3) % 3 == 2;
        for (int i = 0; i < 3; i++)
            column[missing[g]][i] = odd ? -directions[known][i] : directions[known][i];
        order[known] = missing[g];
    }
}

/* Makes the columns orthonormal and right-handed by Gram-Schmidt. Columns that are orthonormal already stay as they
 * are. */
static void orthonormalise(double column[3][3])
{
    for (int c = 1; c < 3; c++) {
        for (int d = 0; d < c; d++) {
            double along = dot_product(column[c], column[d]);
            for (int i = 0; fabs(along) > 1e-15 && i < 3; i++)
                column[c][i] -= along * column[d][i];
        }
        double length = sqrt(dot_product(column[c], column[c]));
        if (length < 1e-9)
            complete((const double(*)[3])column, c, column[c]);
        else
            for (int i = 0; i < 3; i++)
                column[c][i] /= length;
    }
}

bool pose_to_trs(const cp_pose *pose, double tolerance, struct trs *trs)
{
    double column[3][3];
    split_columns(pose, column, trs->scale);
    double normal[3];
    cross_product(column[0], column[1], normal);
    if (dot_product(normal, column[2]) < 0)
        for (int c = 0; c < 3; c++) {
            trs->scale[c] = -trs->scale[c];
            for (int i = 0; i < 3; i++)
                column[c][i] = -column[c][i];
        }
    orthonormalise(column);
    quaternion_from_columns((const double(*)[3])column, trs->rotation);
    double largest = 0, worst = 0;
    for (int row = 0; row < 3; row++)
        trs->translation[row] = AT(pose, row, 3);
    cp_pose back = pose_from_trs(trs);
    for (int i = 0; i < 12; i++) {
        if (i % 4 == 3)
            continue;
        largest = fmax(largest, fabs(pose->m[i]));
        worst = fmax(worst, fabs(pose->m[i] - back.m[i]));
    }
    return worst <= tolerance * largest;
}

cp_pose pose_z_up_from_y_up(void)
{
    return (cp_pose){{1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0}};
}

cp_pose pose_y_up_from_z_up(void)
{
    return (cp_pose){{1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0}};
}

void joint_motion_into(const cp_joint *joint, double q, cp_pose *restrict motion)
{
    const double *axis = joint->axis;
    *motion = POSE_IDENTITY;
    switch (joint->type) {
    case CP_JOINT_REVOLUTE:
        if (q != 0)
            *motion = rotation(axis, sin(q), cos(q));
        break;
    case CP_JOINT_PRISMATIC:
        for (int row = 0; row < 3; row++)
            AT(motion, row, 3) = q * axis[row];
        break;
    case CP_JOINT_SCALE: /* This is the stretching along the axis, I + (q - 1) a a^T. */
        for (int row = 0; row < 3; row++)
            for (int column = 0; column < 3; column++)
                AT(motion, row, column) += (q - 1) * axis[row] * axis[column];
        break;
    case CP_JOINT_FIXED:
        break;
    }
}

cp_pose joint_motion(const cp_joint *joint, double q)
{
    cp_pose motion;
    joint_motion_into(joint, q, &motion);
    return motion;
}

/* Rotates columns a and b of m in their plane until they are at right angles, and those of v with them. */
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

/* Uses one-sided Jacobi rotations until M V = U S. */
void pose_singular(const cp_pose *pose, double us[3][3], double v[3][3])
{
    enum { SWEEPS = 30 }; /* converges quadratically: 6 are enough for 3 x 3 */
    /* The numbers are divided by the largest entry, so that no square overflows. */
    double largest = pose_largest_entry(pose);
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++) {
            us[column][row] = largest > 0 ? AT(pose, row, column) / largest : 0;
            v[column][row] = row == column;
        }
    for (int i = 0; i < SWEEPS; i++)
        for (int pair = 0; pair < 3; pair++)
            orthogonalise(us, v, pair == 2, pair == 0 ? 1 : 2);
    /* A column of squared length below 1e-30 is what rounding leaves of a column of length 0 (entries are at most 1):
     * its direction means nothing. */
    for (int column = 0; column < 3; column++) {
        double scale = dot_product(us[column], us[column]) < 1e-30 ? 0 : largest;
        for (int row = 0; row < 3; row++)
            us[column][row] *= scale;
    }
}
