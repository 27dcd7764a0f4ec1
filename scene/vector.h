/* Three doubles. */
#ifndef CELLPIPE_VECTOR_H
#define CELLPIPE_VECTOR_H

static inline double dot_product(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void subtract(const double a[3], const double b[3], double difference[3])
{
    for (int axis = 0; axis < 3; axis++)
        difference[axis] = a[axis] - b[axis];
}

static inline void cross_product(const double a[3], const double b[3], double product[3])
{
    product[0] = a[1] * b[2] - a[2] * b[1];
    product[1] = a[2] * b[0] - a[0] * b[2];
    product[2] = a[0] * b[1] - a[1] * b[0];
}

/* The normal of triangle o, a, b, as long as twice its area. */
static inline void triangle_normal(const double o[3], const double a[3], const double b[3], double normal[3])
{
    double p[3], q[3];
    subtract(a, o, p);
    subtract(b, o, q);
    cross_product(p, q, normal);
}

#endif
