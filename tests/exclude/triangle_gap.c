/* Of two triangles that do not meet, the nearest points are a corner and a point of a face, or on a side of each. */
#include "solids.h"

#include <math.h>

#include "model/model.h"

static double point_segment(const double point[3], const double from[3], const double to[3])
{
    double along[3], away[3];
    subtract(to, from, along);
    subtract(point, from, away);
    double length = dot_product(along, along);
    double share = length > 0 ? smaller(1, larger(0, dot_product(along, away) / length)) : 0;
    for (int axis = 0; axis < 3; axis++)
        away[axis] -= share * along[axis];
    return dot_product(away, away);
}

/* Between the lines, where both feet are between the ends of the segments. */
static double between_lines(const double a[3], const double a_end[3], const double b[3], const double b_end[3])
{
    double u[3], v[3], r[3], normal[3], side[3];
    subtract(a_end, a, u);
    subtract(b_end, b, v);
    subtract(b, a, r);
    cross_product(u, v, normal);
    double square = dot_product(normal, normal);
    if (!(square > 1e-24 * dot_product(u, u) * dot_product(v, v)))
        return INFINITY;
    cross_product(r, v, side);
    double s = dot_product(side, normal) / square;
    cross_product(r, u, side);
    double t = dot_product(side, normal) / square, away = dot_product(r, normal);
    return s >= 0 && s <= 1 && t >= 0 && t <= 1 ? away * away / square : INFINITY;
}

/* Whether the foot of a point on the plane of a triangle is in the triangle. */
static bool is_above(const double point[3], const double triangle[3][3], const double normal[3])
{
    for (int i = 0; i < 3; i++) {
        double side[3], away[3], outward[3];
        subtract(triangle[(i + 1) % 3], triangle[i], side);
        subtract(point, triangle[i], away);
        cross_product(side, normal, outward);
        if (dot_product(outward, away) > 0)
            return false;
    }
    return true;
}

/* From the corners of one to the face of the other; 0 where a side goes through it. */
static double corners_face(const double one[3][3], const double other[3][3])
{
    double normal[3], heights[3], best = INFINITY;
    triangle_normal(other[0], other[1], other[2], normal);
    double square = dot_product(normal, normal);
    if (!(square > 0))
        return INFINITY;
    for (int i = 0; i < 3; i++) {
        double away[3];
        subtract(one[i], other[0], away);
        heights[i] = dot_product(away, normal);
        if (is_above(one[i], other, normal))
            best = smaller(best, heights[i] * heights[i] / square);
    }
    for (int i = 0; i < 3; i++) {
        int next = (i + 1) % 3;
        double share = heights[i] / (heights[i] - heights[next]), point[3];
        if (heights[i] * heights[next] >= 0)
            continue;
        for (int axis = 0; axis < 3; axis++)
            point[axis] = one[i][axis] + share * (one[next][axis] - one[i][axis]);
        if (is_above(point, other, normal))
            return 0;
    }
    return best;
}

double triangle_gap(const double one[3][3], const double other[3][3])
{
    double best = smaller(corners_face(one, other), corners_face(other, one));
    for (int i = 0; i < 3 && best > 0; i++)
        for (int k = 0; k < 3; k++) {
            const double *a = one[i], *a_end = one[(i + 1) % 3], *b = other[k], *b_end = other[(k + 1) % 3];
            best = smaller(best, smaller(point_segment(a, b, b_end), point_segment(b, a, a_end)));
            best = smaller(best, between_lines(a, a_end, b, b_end));
        }
    return sqrt(best);
}
