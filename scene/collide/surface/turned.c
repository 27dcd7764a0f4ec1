#include "surface.h"

#include <math.h>

/* ---- axes ---- */

static void frame_axes(double axes[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            axes[i][k] = i == k;
}

/* Finds the directions of one triangle: its longest side, its normal, and the third one. False if it has none. */
static bool triangle_axes(const struct bvh *bvh, uint32_t triangle, double axes[3][3])
{
    double corners[3][3], longest = 0, normal[3];
    bvh_triangle(bvh, triangle, NULL, corners);
    for (int i = 0; i < 3; i++) {
        double side[3];
        subtract(corners[(i + 1) % 3], corners[i], side);
        double square = dot_product(side, side);
        if (square > longest) {
            longest = square;
            memcpy(axes[0], side, sizeof side);
        }
    }
    triangle_normal(corners[0], corners[1], corners[2], normal);
    double length = sqrt(dot_product(normal, normal)), side_length = sqrt(longest);
    if (!(length > 1e-100) || !(length > 1e-9 * longest) || !(length < 1e100))
        return false;
    for (int i = 0; i < 3; i++) {
        axes[0][i] /= side_length;
        axes[1][i] = normal[i] / length;
    }
    cross_product(axes[0], axes[1], axes[2]);
    return true;
}

/* Measures how the corners are spread about their middle, in units of the tree's reach. */
static void find_spread(const struct bvh *bvh, uint32_t first, uint32_t count, double spread[3][3])
{
    double sums[3] = {0}, products[3][3] = {{0}}, all = 3.0 * count, unit = bvh->reach > 0 ? bvh->reach : 1;
    const double *start = bvh->vertices[bvh->triangles[first][0]];
    for (uint32_t i = first; i < first + count; i++)
        for (int corner = 0; corner < 3; corner++) {
            double away[3];
            subtract(bvh->vertices[bvh->triangles[i][corner]], start, away);
            for (int row = 0; row < 3; row++) {
                away[row] /= unit;
                sums[row] += away[row];
                for (int column = 0; column <= row; column++)
                    products[row][column] += away[row] * away[column];
            }
        }
    for (int row = 0; row < 3; row++)
        for (int column = 0; column <= row; column++)
            spread[row][column] = spread[column][row] =
                products[row][column] / all - sums[row] / all * (sums[column] / all);
}

/* Makes matrix[p][q] 0 by a turn in that plane, and turns the axes with it (Jacobi). */
static void turn_plane(double matrix[3][3], double axes[3][3], int p, int q)
{
    if (matrix[p][q] == 0)
        return;
    double ratio = (matrix[q][q] - matrix[p][p]) / (2 * matrix[p][q]);
    double tangent = (ratio < 0 ? -1 : 1) / (fabs(ratio) + sqrt(ratio * ratio + 1));
    double cosine = 1 / sqrt(tangent * tangent + 1), sine = tangent * cosine;
    for (int i = 0; i < 3; i++) {
        double a = matrix[i][p], b = matrix[i][q];
        matrix[i][p] = cosine * a - sine * b;
        matrix[i][q] = sine * a + cosine * b;
    }
    for (int i = 0; i < 3; i++) {
        double a = matrix[p][i], b = matrix[q][i], c = axes[p][i], d = axes[q][i];
        matrix[p][i] = cosine * a - sine * b;
        matrix[q][i] = sine * a + cosine * b;
        axes[p][i] = cosine * c - sine * d;
        axes[q][i] = sine * c + cosine * d;
    }
}

/* Finds the eigenvectors of the spread. */
static void spread_axes(const struct bvh *bvh, uint32_t first, uint32_t count, double axes[3][3])
{
    enum { MOST_TURNS = 6 };
    static const double enough = 1e-6; /* more digits would not make a better box */
    double spread[3][3];
    find_spread(bvh, first, count, spread);
    frame_axes(axes);
    for (int turn = 0; turn < MOST_TURNS; turn++) {
        double off = fabs(spread[0][1]) + fabs(spread[0][2]) + fabs(spread[1][2]);
        if (!(off > enough * (spread[0][0] + spread[1][1] + spread[2][2])))
            break;
        turn_plane(spread, axes, 0, 1);
        turn_plane(spread, axes, 0, 2);
        turn_plane(spread, axes, 1, 2);
    }
}

/* ---- boxes ---- */

/* Tells whether the axes, as floats, are unit vectors at right angles to each other, up to rounding. */
static bool are_axes(float axes[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int k = i; k < 3; k++) {
            double product = 0;
            for (int m = 0; m < 3; m++)
                product += (double)axes[i][m] * (double)axes[k][m];
            if (!(fabs(product - (i == k)) < 5e-7))
                return false;
        }
    return true;
}

static float float_above(double value)
{
    float rounded = (float)value;
    return (double)rounded < value ? nextafterf(rounded, INFINITY) : rounded;
}

/* The extent of triangles along three axes, seen from a centre: the distance of the farther end, the middle of both
 * ends, and the distance of the farthest corner. */
struct interval {
    double halves[3], middle[3], farthest;
};

static struct interval find_extent(const struct bvh *bvh, uint32_t first, uint32_t count, float axes[3][3],
                                   const float centre[3])
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, square = 0;
    struct interval extent;
    for (uint32_t triangle = first; triangle < first + count; triangle++)
        for (int corner = 0; corner < 3; corner++) {
            const double *point = bvh->vertices[bvh->triangles[triangle][corner]];
            double away[3];
            for (int i = 0; i < 3; i++)
                away[i] = point[i] - (double)centre[i];
            for (int i = 0; i < 3; i++) {
                double along =
                    (double)axes[i][0] * away[0] + (double)axes[i][1] * away[1] + (double)axes[i][2] * away[2];
                low[i] = along < low[i] ? along : low[i];
                high[i] = along > high[i] ? along : high[i];
            }
            square = fmax(square, dot_product(away, away));
        }
    for (int i = 0; i < 3; i++) {
        extent.middle[i] = low[i] / 2 + high[i] / 2;
        extent.halves[i] = fmax(high[i], -low[i]);
    }
    extent.farthest = sqrt(square);
    return extent;
}

/* A point p of the triangles is centre + sum a_i axis_i. If the axes are not exactly at right angles, a differs from
 * the products of axes and p - centre by less than 1.1e-6 of the latter's length, for the 5e-7 above. The rounding of
 * that length and of the products is far less, so 2e-6 are added. The centre stays in floats until it is used: gcc 12
 * loses the rounding of (double)(float)value, as mesh.h has it. */
static void set_turned_box(const struct bvh *bvh, uint32_t first, uint32_t count, double exact[3][3],
                           struct turned_box *box)
{
    static const double askew = 2e-6;
    float axes[3][3], centre[3] = {0};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            axes[i][k] = (float)exact[i][k];
    if (!are_axes(axes)) {
        memset(axes, 0, sizeof axes);
        axes[0][0] = axes[1][1] = axes[2][2] = 1;
    }
    struct interval extent = find_extent(bvh, first, count, axes, centre);
    for (int k = 0; k < 3; k++) {
        const double *middle = extent.middle;
        centre[k] =
            (float)(middle[0] * (double)axes[0][k] + middle[1] * (double)axes[1][k] + middle[2] * (double)axes[2][k]);
    }
    extent = find_extent(bvh, first, count, axes, centre);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            box->rows[k][i] = axes[i][k];
        box->rows[i][3] = centre[i];
        box->rows[3][i] = float_above(extent.halves[i] + askew * extent.farthest);
    }
    box->rows[3][3] = 0;
}

static double surface_of(const struct turned_box *box)
{
    const double x = (double)box->rows[3][0], y = (double)box->rows[3][1], z = (double)box->rows[3][2];
    return x * y + y * z + z * x;
}

void turned_box_find(const struct bvh *bvh, uint32_t first, uint32_t count, struct turned_box *box)
{
    enum { FEW = 2 };
    double axes[3][3];
    struct turned_box other;
    frame_axes(axes);
    set_turned_box(bvh, first, count, axes, box);
    if (count > FEW || !triangle_axes(bvh, first, axes))
        spread_axes(bvh, first, count, axes);
    set_turned_box(bvh, first, count, axes, &other);
    if (surface_of(&other) < surface_of(box))
        *box = other;
}
