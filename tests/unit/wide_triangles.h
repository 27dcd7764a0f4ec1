/* Computes how far apart two triangles are, in more digits than a double has. */
#ifndef WIDE_TRIANGLES_H
#define WIDE_TRIANGLES_H

#include "collide_support.h"

typedef long double triple[3];

static inline long double product(const triple a, const triple b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void step(const triple from, const triple along, long double share, triple out)
{
    for (int i = 0; i < 3; i++)
        out[i] = from[i] + share * along[i];
}

static inline void difference(const triple a, const triple b, triple out)
{
    step(a, b, -1, out);
}

static inline long double length(const triple a)
{
    return sqrtl(product(a, a));
}

/* A point and the side from a on. */
static inline long double point_side(const triple point, const triple a, const triple along)
{
    triple away;
    difference(point, a, away);
    long double square = product(along, along), share = square > 0 ? product(away, along) / square : 0;
    step(away, along, -fminl(1, fmaxl(0, share)), away);
    return length(away);
}

/* Measures where both nearest points are within the sides a a + u and b b + v; else infinite. */
static inline long double side_side(const triple a, const triple u, const triple b, const triple v)
{
    triple away, reached;
    difference(b, a, away);
    long double uu = product(u, u), uv = product(u, v), vv = product(v, v), det = uu * vv - uv * uv;
    long double s = (product(away, u) * vv - product(away, v) * uv) / det;
    long double t = (product(away, u) * uv - product(away, v) * uu) / det;
    if (!(s >= 0 && s <= 1 && t >= 0 && t <= 1))
        return INFINITY;
    step(away, v, t, reached);
    step(reached, u, -s, reached);
    return length(reached);
}

struct wide_triangle {
    triple corners[3], sides[3];
};

/* Measures where the nearest point is within the triangle; else infinite. */
static inline long double point_face(const triple point, const struct wide_triangle *triangle)
{
    triple away, v;
    const long double *u = triangle->sides[0];
    difference(point, triangle->corners[0], away);
    difference(triangle->corners[2], triangle->corners[0], v);
    long double uu = product(u, u), uv = product(u, v), vv = product(v, v), det = uu * vv - uv * uv;
    long double s = (product(away, u) * vv - product(away, v) * uv) / det;
    long double t = (product(away, v) * uu - product(away, u) * uv) / det;
    if (!(s >= 0 && t >= 0 && s + t <= 1))
        return INFINITY;
    step(away, u, -s, away);
    step(away, v, -t, away);
    return length(away);
}

static inline struct wide_triangle widen(corners triangle)
{
    struct wide_triangle wide;
    for (int i = 0; i < 3; i++)
        for (int axis = 0; axis < 3; axis++) {
            wide.corners[i][axis] = (long double)triangle[i][axis];
            wide.sides[i][axis] = (long double)triangle[(i + 1) % 3][axis] - (long double)triangle[i][axis];
        }
    return wide;
}

/* Takes triangles that do not meet. */
static inline long double pair_distance(const struct wide_triangle *one, const struct wide_triangle *other)
{
    long double best = INFINITY;
    for (int i = 0; i < 3; i++) {
        best = fminl(best, point_face(one->corners[i], other));
        best = fminl(best, point_face(other->corners[i], one));
        for (int k = 0; k < 3; k++) {
            best = fminl(best, point_side(one->corners[i], other->corners[k], other->sides[k]));
            best = fminl(best, point_side(other->corners[i], one->corners[k], one->sides[k]));
            best = fminl(best, side_side(one->corners[i], one->sides[i], other->corners[k], other->sides[k]));
        }
    }
    return best;
}

#endif
