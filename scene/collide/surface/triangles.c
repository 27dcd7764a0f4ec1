/* If no corner of a triangle lies in the other's plane, the test is that of Guigue and Devillers, "Fast and robust
 * triangle-triangle overlap test using orientation predicates", 2003. Else two triangles meet if a side of one meets
 * the other. */
#include "surface.h"

#include "mesh/box_tree.h"

static const int planes[3][2] = {{0, 1}, {1, 2}, {2, 0}}; /* pairs of axes, each seen along the third */

/* ---- in one plane ---- */

/* Tells whether c, which is on the line through a and b, is between them. */
static bool is_between(const double a[3], const double b[3], const double c[3], const int axes[2])
{
    for (int i = 0; i < 2; i++) {
        double low = a[axes[i]] < b[axes[i]] ? a[axes[i]] : b[axes[i]];
        double high = a[axes[i]] < b[axes[i]] ? b[axes[i]] : a[axes[i]];
        if (c[axes[i]] < low || c[axes[i]] > high)
            return false;
    }
    return true;
}

/* Tells whether two segments meet in space. Two segments in a common plane meet if they do seen along every axis, as at
 * least one axis does not lie in that plane. */
static bool segments_meet(const double a[3], const double b[3], const double c[3], const double d[3])
{
    for (int i = 0; i < 3; i++) /* apart: along some axis one ends before the other begins */
        if ((a[i] < c[i] && a[i] < d[i] && b[i] < c[i] && b[i] < d[i]) ||
            (a[i] > c[i] && a[i] > d[i] && b[i] > c[i] && b[i] > d[i]))
            return false;
    if (side_of_plane(a, b, c, d) != 0)
        return false;
    for (int i = 0; i < 3; i++) {
        const int *axes = planes[i];
        int c_side = side_of_line(a, b, c, axes), d_side = side_of_line(a, b, d, axes);
        int a_side = side_of_line(c, d, a, axes), b_side = side_of_line(c, d, b, axes);
        bool crossed = c_side * d_side < 0 && a_side * b_side < 0;
        if (!crossed && !(c_side == 0 && is_between(a, b, c, axes)) && !(d_side == 0 && is_between(a, b, d, axes)) &&
            !(a_side == 0 && is_between(c, d, a, axes)) && !(b_side == 0 && is_between(c, d, b, axes)))
            return false;
    }
    return true;
}

/* ---- in space ---- */

static bool segment_meets(const double a[3], const double b[3], const double triangle[3][3])
{
    int a_side = side_of_plane(triangle[0], triangle[1], triangle[2], a);
    int b_side = side_of_plane(triangle[0], triangle[1], triangle[2], b);
    if (a_side * b_side > 0)
        return false;
    bool left = false, right = false;
    if (a_side != 0 || b_side != 0) {
        for (int i = 0; i < 3; i++) {
            int side = side_of_plane(a, b, triangle[i], triangle[(i + 1) % 3]);
            left = left || side > 0;
            right = right || side < 0;
        }
        return !(left && right);
    }
    /* The segment lies in the triangle's plane, or the triangle has no area. Then it meets the triangle if it crosses a
     * side, or begins inside, seen along an axis along which the triangle has an area. */
    for (int i = 0; i < 3; i++)
        if (segments_meet(a, b, triangle[i], triangle[(i + 1) % 3]))
            return true;
    for (int k = 0; k < 3; k++) {
        if (side_of_line(triangle[0], triangle[1], triangle[2], planes[k]) == 0)
            continue;
        for (int i = 0; i < 3; i++) {
            int side = side_of_line(triangle[i], triangle[(i + 1) % 3], a, planes[k]);
            left = left || side > 0;
            right = right || side < 0;
        }
        return !(left && right);
    }
    return false;
}

static bool sides_meet(const double one[3][3], const double other[3][3])
{
    for (int i = 0; i < 3; i++)
        if (segment_meets(one[i], one[(i + 1) % 3], other) || segment_meets(other[i], other[(i + 1) % 3], one))
            return true;
    return false;
}

/* Returns the corner that is alone on its side of the other's plane. */
static int lone_corner(const int sides[3])
{
    return sides[0] == sides[1] ? 2 : sides[0] == sides[2] ? 1 : 0;
}

/* Tells whether the parts overlap that the triangles cut out of the common line of their planes: neither ends before
 * the other begins. Each triangle has corners on both sides of the other's plane, and none in it. */
static bool cuts_overlap(const double one[3][3], const int one_sides[3], const double other[3][3],
                         const int other_sides[3])
{
    int p = lone_corner(one_sides), o = lone_corner(other_sides);
    /* so that each lone corner is on the side from which the other triangle turns left */
    bool turn_other = one_sides[p] < 0, turn_one = other_sides[o] < 0;
    const double *p1 = one[p], *q1 = one[(p + (turn_one ? 2 : 1)) % 3], *r1 = one[(p + (turn_one ? 1 : 2)) % 3];
    const double *p2 = other[o], *q2 = other[(o + (turn_other ? 2 : 1)) % 3];
    const double *r2 = other[(o + (turn_other ? 1 : 2)) % 3];
    return side_of_plane(p1, q1, p2, q2) <= 0 && side_of_plane(p1, r1, r2, p2) <= 0;
}

/* Returns false if all corners of `other` are on one side; open when none is in the plane. */
static bool reaches_plane(const double plane[3][3], const double other[3][3], int sides[3], bool *open)
{
    for (int i = 0; i < 3; i++)
        sides[i] = side_of_plane(plane[0], plane[1], plane[2], other[i]);
    *open = sides[0] != 0 && sides[1] != 0 && sides[2] != 0;
    return sides[0] != sides[1] || sides[0] != sides[2] || sides[0] == 0;
}

bool triangles_meet(const double one[3][3], const double other[3][3])
{
    int one_sides[3], other_sides[3];
    bool one_open, other_open;
    if (!reaches_plane(one, other, other_sides, &other_open) || !reaches_plane(other, one, one_sides, &one_open))
        return false;
    return one_open && other_open ? cuts_overlap(one, one_sides, other, other_sides) : sides_meet(one, other);
}
