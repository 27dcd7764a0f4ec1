/* Absolute orientation by unit quaternions: B. K. P. Horn, Closed-form solution of absolute orientation using unit
 * quaternions, J. Opt. Soc. Am. A 4 (1987). The quaternion is the eigenvector of the largest eigenvalue of a symmetric
 * 4x4 matrix, found by Jacobi's rotations. */
#include "copies.h"

#include <math.h>
#include <string.h>

#include "model/model.h"

struct moments {
    double from[3], to[3];           /* centres */
    double products[3][3];           /* sum of (from - centre)(to - centre)^T */
    double from_squares, to_squares; /* sums of squared distances from the centres */
};

static void load(const float *points, uint32_t index, double out[3])
{
    for (size_t axis = 0; axis < 3; axis++)
        out[axis] = (double)points[3 * (size_t)index + axis];
}

static void load_pair(const struct point_pairs *pairs, uint32_t i, double from[3], double to[3])
{
    load(pairs->from, i, from);
    load(pairs->to, pairs->map ? pairs->map[i] : i, to);
}

static struct moments find_moments(const struct point_pairs *pairs)
{
    struct moments moments = {0};
    double from[3], to[3];
    for (uint32_t i = 0; i < pairs->count; i++) {
        load_pair(pairs, i, from, to);
        for (int axis = 0; axis < 3; axis++) {
            moments.from[axis] += from[axis];
            moments.to[axis] += to[axis];
        }
    }
    for (int axis = 0; axis < 3 && pairs->count > 0; axis++) {
        moments.from[axis] /= pairs->count;
        moments.to[axis] /= pairs->count;
    }
    for (uint32_t i = 0; i < pairs->count; i++) {
        load_pair(pairs, i, from, to);
        for (int a = 0; a < 3; a++) {
            from[a] -= moments.from[a];
            to[a] -= moments.to[a];
            moments.from_squares += from[a] * from[a];
            moments.to_squares += to[a] * to[a];
        }
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                moments.products[a][b] += from[a] * to[b];
    }
    return moments;
}

/* Applies one of Jacobi's rotations: m[p][q] becomes 0; columns of v follow. */
static void rotate(double m[4][4], double v[4][4], int p, int q)
{
    double theta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
    double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 4; k++) {
        double a = m[k][p], b = m[k][q];
        m[k][p] = c * a - s * b;
        m[k][q] = s * a + c * b;
    }
    for (int k = 0; k < 4; k++) {
        double a = m[p][k], b = m[q][k];
        m[p][k] = c * a - s * b;
        m[q][k] = s * a + c * b;
        a = v[k][p];
        b = v[k][q];
        v[k][p] = c * a - s * b;
        v[k][q] = s * a + c * b;
    }
}

/* Finds the unit eigenvector of the largest eigenvalue; the first one if several are as large. */
static void largest_eigenvector(double m[4][4], double out[4])
{
    enum { SWEEPS = 30 }; /* it converges quadratically: five or six are usual */
    double v[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double off = 0, diagonal = 0;
        for (int p = 0; p < 4; p++) {
            diagonal += fabs(m[p][p]);
            for (int q = p + 1; q < 4; q++)
                off += fabs(m[p][q]);
        }
        if (off <= 1e-18 * diagonal)
            break;
        for (int p = 0; p < 4; p++)
            for (int q = p + 1; q < 4; q++)
                if (m[p][q] != 0)
                    rotate(m, v, p, q);
    }
    int best = 0;
    for (int i = 1; i < 4; i++)
        best = m[i][i] > m[best][best] ? i : best;
    for (int i = 0; i < 4; i++)
        out[i] = v[i][best];
}

/* Finds the best rotation: the eigenvector of Horn's matrix N of the products is w x y z. */
static void best_rotation(const double s[3][3], double rotation[3][3])
{
    double n[4][4] = {{s[0][0] + s[1][1] + s[2][2], s[1][2] - s[2][1], s[2][0] - s[0][2], s[0][1] - s[1][0]},
                      {0, s[0][0] - s[1][1] - s[2][2], s[0][1] + s[1][0], s[2][0] + s[0][2]},
                      {0, 0, s[1][1] - s[0][0] - s[2][2], s[1][2] + s[2][1]},
                      {0, 0, 0, s[2][2] - s[0][0] - s[1][1]}};
    double q[4], length = 0;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < i; k++)
            n[i][k] = n[k][i];
    largest_eigenvector(n, q);
    for (int i = 0; i < 4; i++)
        length += q[i] * q[i];
    double w = q[0], x = q[1], y = q[2], z = q[3], f = 2 / length;
    const double r[3][3] = {{1 - f * (y * y + z * z), f * (x * y - w * z), f * (x * z + w * y)},
                            {f * (x * y + w * z), 1 - f * (x * x + z * z), f * (y * z - w * x)},
                            {f * (x * z - w * y), f * (y * z + w * x), 1 - f * (x * x + y * y)}};
    memcpy(rotation, r, sizeof r);
}

/* Adds the translation that takes centre to centre. */
static cp_pose finish_pose(const double linear[3][3], const double from[3], const double to[3])
{
    cp_pose pose;
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++)
            pose.m[4 * row + column] = linear[row][column];
        pose.m[4 * row + 3] =
            to[row] - (linear[row][0] * from[0] + linear[row][1] * from[1] + linear[row][2] * from[2]);
    }
    return pose;
}

/* Returns the pose with the least sum of squares. */
static cp_pose best_pose(const struct point_pairs *pairs, bool mirrored, bool scaled)
{
    struct moments moments = find_moments(pairs);
    double rotation[3][3], side = mirrored ? -1 : 1, size = 1;
    double largest = 0;
    for (int i = 0; i < 9; i++)
        largest = fmax(largest, fabs(moments.products[i / 3][i % 3]));
    for (int i = 0; i < 9 && largest > 0; i++) /* mirrored: fit the points reflected in their centre */
        moments.products[i / 3][i % 3] *= side / largest;
    if (scaled && moments.from_squares > 0 && moments.to_squares > 0)
        size = sqrt(moments.to_squares / moments.from_squares);
    best_rotation((const double(*)[3])moments.products, rotation);
    for (int i = 0; i < 9; i++)
        rotation[i / 3][i % 3] *= side * size;
    return finish_pose((const double(*)[3])rotation, moments.from, moments.to);
}

/* Returns the pose whose linear part has 0, 1 or -1 (times its scale) instead of entries within 1e-4 of these, with a
 * translation to fit; the pose itself if one of the nine entries is not so near. */
static cp_pose pose_along_axes(const struct point_pairs *pairs, const cp_pose *pose)
{
    const double near = 1e-4;
    double squares = 0, linear[3][3];
    for (int i = 0; i < 9; i++)
        squares += pose->m[4 * (i / 3) + i % 3] * pose->m[4 * (i / 3) + i % 3];
    double size = sqrt(squares / 3);
    size = fabs(size - 1) < 1e-12 ? 1 : size;
    for (int i = 0; i < 9; i++) {
        double entry = pose->m[4 * (i / 3) + i % 3], whole = round(entry / size);
        if (!(fabs(entry / size - whole) < near))
            return *pose;
        linear[i / 3][i % 3] = whole * size + 0.0; /* no -0 */
    }
    struct moments moments = {0};
    double from[3], to[3];
    for (uint32_t i = 0; i < pairs->count; i++) {
        load_pair(pairs, i, from, to);
        for (int axis = 0; axis < 3; axis++) {
            moments.from[axis] += from[axis] / pairs->count;
            moments.to[axis] += to[axis] / pairs->count;
        }
    }
    return finish_pose((const double(*)[3])linear, moments.from, moments.to);
}

/* Returns the largest distance between from[i], moved by the pose, and its partner. It stops at the first one above
 * `limit`. */
static double find_deviation(const struct point_pairs *pairs, const cp_pose *pose, double limit)
{
    double largest = 0, from[3], to[3];
    for (uint32_t i = 0; i < pairs->count && largest <= limit * limit; i++) {
        load_pair(pairs, i, from, to);
        pose_point(pose, from, from);
        double x = from[0] - to[0], y = from[1] - to[1], z = from[2] - to[2];
        largest = fmax(largest, x * x + y * y + z * z);
    }
    return sqrt(largest);
}

bool align_points(const struct point_pairs *pairs, bool mirrored, bool scaled, double tolerance, cp_pose *motion,
                  double *displaced)
{
    cp_pose best = best_pose(pairs, mirrored, scaled);
    *motion = pose_along_axes(pairs, &best);
    *displaced = find_deviation(pairs, motion, tolerance);
    if (!(*displaced <= tolerance)) {
        *motion = best;
        *displaced = find_deviation(pairs, &best, tolerance);
    }
    return *displaced <= tolerance;
}
