/* Quadrics (Garland and Heckbert, Surface simplification using quadric error metrics, 1997): the weighted sum of
 * squared distances from planes, about a point of its own, so that no digits are lost far from the origin. */
#ifndef CELLPIPE_MESH_SIMPLIFY_QUADRIC_H
#define CELLPIPE_MESH_SIMPLIFY_QUADRIC_H

#include <math.h>

#include "model/model.h"

/* Q(x) = x'Ax + 2b'x + c */
struct quadric {
    double a00, a01, a02, a11, a12, a22, b[3], c;
};

/* Adds the plane with this unit normal, `height` above the quadric's point. */
static inline void quadric_add_plane(struct quadric *quadric, const double normal[3], double height, double weight)
{
    double scaled[3] = {weight * normal[0], weight * normal[1], weight * normal[2]};
    quadric->a00 += scaled[0] * normal[0];
    quadric->a01 += scaled[0] * normal[1];
    quadric->a02 += scaled[0] * normal[2];
    quadric->a11 += scaled[1] * normal[1];
    quadric->a12 += scaled[1] * normal[2];
    quadric->a22 += scaled[2] * normal[2];
    for (int axis = 0; axis < 3; axis++)
        quadric->b[axis] -= scaled[axis] * height;
    quadric->c += weight * height * height;
}

/* sum = a + b, about a's point; `step` leads from b's point to a's. */
static inline void quadric_sum(struct quadric *sum, const struct quadric *a, const struct quadric *b,
                               const double step[3])
{
    double moved[3] = {b->a00 * step[0] + b->a01 * step[1] + b->a02 * step[2],
                       b->a01 * step[0] + b->a11 * step[1] + b->a12 * step[2],
                       b->a02 * step[0] + b->a12 * step[1] + b->a22 * step[2]};
    sum->a00 = a->a00 + b->a00;
    sum->a01 = a->a01 + b->a01;
    sum->a02 = a->a02 + b->a02;
    sum->a11 = a->a11 + b->a11;
    sum->a12 = a->a12 + b->a12;
    sum->a22 = a->a22 + b->a22;
    sum->c = a->c + b->c + dot_product(step, moved) + 2 * dot_product(step, b->b);
    for (int axis = 0; axis < 3; axis++)
        sum->b[axis] = a->b[axis] + b->b[axis] + moved[axis];
}

/* Moves the quadric's point by `step`. */
static inline void quadric_move(struct quadric *quadric, const double step[3])
{
    struct quadric none = {0}, moved;
    quadric_sum(&moved, &none, quadric, step);
    *quadric = moved;
}

static inline void quadric_scale(struct quadric *quadric, double factor)
{
    quadric->a00 *= factor;
    quadric->a01 *= factor;
    quadric->a02 *= factor;
    quadric->a11 *= factor;
    quadric->a12 *= factor;
    quadric->a22 *= factor;
    for (int axis = 0; axis < 3; axis++)
        quadric->b[axis] *= factor;
    quadric->c *= factor;
}

/* The weight of all planes. */
static inline double quadric_weight(const struct quadric *quadric)
{
    return quadric->a00 + quadric->a11 + quadric->a22;
}

static inline double quadric_value(const struct quadric *quadric, const double x[3])
{
    double value = x[0] * (quadric->a00 * x[0] + 2 * (quadric->a01 * x[1] + quadric->a02 * x[2] + quadric->b[0])) +
                   x[1] * (quadric->a11 * x[1] + 2 * (quadric->a12 * x[2] + quadric->b[1])) +
                   x[2] * (quadric->a22 * x[2] + 2 * quadric->b[2]) + quadric->c;
    return value > 0 ? value : 0;
}

/* The inverse of A + more, as the adjugate of the symmetric matrix and one over its determinant. */
struct descent {
    double c00, c01, c02, c11, c12, c22, inverse;
};

static inline struct descent descent_of(const struct quadric *quadric, double more)
{
    double a01 = quadric->a01, a02 = quadric->a02, a12 = quadric->a12;
    double a00 = quadric->a00 + more, a11 = quadric->a11 + more, a22 = quadric->a22 + more;
    struct descent by = {.c00 = a11 * a22 - a12 * a12,
                         .c01 = a02 * a12 - a01 * a22,
                         .c02 = a01 * a12 - a02 * a11,
                         .c11 = a00 * a22 - a02 * a02,
                         .c12 = a01 * a02 - a00 * a12,
                         .c22 = a00 * a11 - a01 * a01};
    double determinant = a00 * by.c00 + a01 * by.c01 + a02 * by.c02;
    by.inverse = determinant > 0 ? 1 / determinant : 0;
    return by;
}

/* x += (A + more)^-1 r */
static inline void descent_apply(const struct descent *by, const double r[3], double x[3])
{
    double scaled[3] = {by->inverse * r[0], by->inverse * r[1], by->inverse * r[2]};
    x[0] += by->c00 * scaled[0] + by->c01 * scaled[1] + by->c02 * scaled[2];
    x[1] += by->c01 * scaled[0] + by->c11 * scaled[1] + by->c12 * scaled[2];
    x[2] += by->c02 * scaled[0] + by->c12 * scaled[1] + by->c22 * scaled[2];
}

/* x goes to where Q is least, as far as `more` lets it. */
static inline void descend(const struct quadric *quadric, const struct descent *by, double x[3])
{
    const double r[3] = {-(quadric->a00 * x[0] + quadric->a01 * x[1] + quadric->a02 * x[2] + quadric->b[0]),
                         -(quadric->a01 * x[0] + quadric->a11 * x[1] + quadric->a12 * x[2] + quadric->b[1]),
                         -(quadric->a02 * x[0] + quadric->a12 * x[1] + quadric->a22 * x[2] + quadric->b[2])};
    descent_apply(by, r, x);
}

/* The x that makes Q least, drawn to where it begins by a ridge of this part of the weight: where the planes leave a
 * direction open, x stays. The second step takes nearly all of the rest where they do not: creases and corners are met.
 * */
static inline void quadric_minimum(const struct quadric *quadric, double ridge, double x[3])
{
    struct descent by = descent_of(quadric, ridge * quadric_weight(quadric));
    descend(quadric, &by, x);
    descend(quadric, &by, x);
}

#endif
