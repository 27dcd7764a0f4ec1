/* Tells in whole numbers whether triangles whose coordinates are whole numbers meet. */
#ifndef WHOLE_TRIANGLES_H
#define WHOLE_TRIANGLES_H

#include "mesh_support.h"

__extension__ typedef __int128 wide; /* exact where the doubles are whole */
typedef int64_t whole[3];

static inline int sign_of(wide value)
{
    return (value > 0) - (value < 0);
}

static inline void subtract_whole(const whole a, const whole b, whole out)
{
    for (int i = 0; i < 3; i++)
        out[i] = a[i] - b[i];
}

static inline wide determinant(const whole a, const whole b, const whole c)
{
    wide sum = 0;
    for (int i = 0; i < 3; i++) {
        int k = (i + 1) % 3, l = (i + 2) % 3;
        sum += (wide)a[i] * ((wide)b[k] * c[l] - (wide)b[l] * c[k]);
    }
    return sum;
}

static inline int64_t random_whole(struct random *random, int64_t range)
{
    return (int64_t)(((uint64_t)random_bits(random) << 31 | random_bits(random)) % (uint64_t)(2 * range + 1)) - range;
}

static inline void random_point(struct random *random, int64_t range, whole out)
{
    for (int i = 0; i < 3; i++)
        out[i] = random_whole(random, range);
}

static inline void to_doubles(const whole in, double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = (double)in[i];
}

/* Follows Caratheodory: the origin is in the hull of points when it is in a simplex of at most four of them. */
static inline bool in_tetrahedron(const whole a, const whole b, const whole c, const whole d)
{
    whole ab, ac, ad;
    subtract_whole(b, a, ab);
    subtract_whole(c, a, ac);
    subtract_whole(d, a, ad);
    int volume = sign_of(determinant(ab, ac, ad));
    /* the volumes with the origin in place of each corner */
    int sides[] = {sign_of(determinant(b, c, d)), -sign_of(determinant(a, c, d)), sign_of(determinant(a, b, d)),
                   -sign_of(determinant(a, b, c))};
    for (int i = 0; i < 4; i++)
        if (volume == 0 || sides[i] * volume < 0)
            return false;
    return true;
}

static inline void cross(const whole a, const whole b, whole out)
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static inline wide dot(const whole a, const whole b)
{
    return (wide)a[0] * b[0] + (wide)a[1] * b[1] + (wide)a[2] * b[2];
}

/* False for triangles without area: their sides are tried by themselves. */
static inline bool in_triangle(const whole a, const whole b, const whole c)
{
    whole ab, ac, normal, sides[3];
    subtract_whole(b, a, ab);
    subtract_whole(c, a, ac);
    cross(ab, ac, normal);
    if (determinant(a, b, c) != 0 || dot(normal, normal) == 0)
        return false;
    cross(a, b, sides[0]);
    cross(b, c, sides[1]);
    cross(c, a, sides[2]);
    return dot(sides[0], normal) >= 0 && dot(sides[1], normal) >= 0 && dot(sides[2], normal) >= 0;
}

static inline bool in_segment(const whole a, const whole b)
{
    whole normal;
    cross(a, b, normal);
    return dot(normal, normal) == 0 && dot(a, b) <= 0;
}

static inline bool hull_has_origin(whole points[9])
{
    for (int a = 0; a < 9; a++)
        for (int b = a; b < 9; b++) {
            if (in_segment(points[a], points[b]))
                return true;
            for (int c = b + 1; c < 9; c++) {
                if (in_triangle(points[a], points[b], points[c]))
                    return true;
                for (int d = c + 1; d < 9; d++)
                    if (in_tetrahedron(points[a], points[b], points[c], points[d]))
                        return true;
            }
        }
    return false;
}

/* The triangles meet when the differences of their points reach the origin. */
static inline bool oracle_meets(whole one[3], whole other[3])
{
    whole differences[9];
    for (int i = 0; i < 9; i++)
        subtract_whole(one[i / 3], other[i % 3], differences[i]);
    return hull_has_origin(differences);
}

#endif
