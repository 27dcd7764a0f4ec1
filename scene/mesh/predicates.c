/* Computes signs first in doubles: if the result is larger than any error that rounding can make, its sign is right.
 * Otherwise it uses expansions, sums of doubles without a common digit, for which sums and products are exact (Dekker
 * 1971; Shewchuk, "Adaptive precision floating-point arithmetic and fast robust geometric predicates", 1997, which is
 * also the source of the bounds). */
#include "box_tree.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Half the distance from 1 to the next double: the largest relative error of one rounding. */
static const double unit = DBL_EPSILON / 2;
/* The bound for the sum of a determinant's products; a few such sums can be added without overflow. */
static const double most = DBL_MAX / 16;

/* ---- expansions ---- */

/* A sum of components, from small to large in size; none is 0. It has room for a determinant of three rows of
 * differences, as long as nothing overflows: NaN would add components without end. */
enum { MOST_COMPONENTS = 192 };
struct expansion {
    int count;
    double components[MOST_COMPONENTS];
};

static double two_sum(double a, double b, double *lost)
{
    double sum = a + b, of_b = sum - a, of_a = sum - of_b;
    *lost = (a - of_a) + (b - of_b);
    return sum;
}

/* Appends a component unless it is 0. Callers append the small rest of a sum first, so that the order by size is
 * kept. */
static void push_component(struct expansion *to, double value)
{
    if (value != 0)
        to->components[to->count++] = value;
}

/* Sets a - b. It writes only the components in use, as expansions are large. */
static void set_difference(struct expansion *to, double a, double b)
{
    double lost, difference = two_sum(a, -b, &lost);
    to->count = 0;
    push_component(to, lost);
    push_component(to, difference);
}

/* Shewchuk's scale-expansion. */
static void set_multiple(struct expansion *to, const struct expansion *a, double factor)
{
    double carried = 0, lost;
    to->count = 0;
    for (int i = 0; i < a->count; i++) {
        double product = a->components[i] * factor, rest = fma(a->components[i], factor, -product);
        rest = two_sum(carried, rest, &lost);
        push_component(to, lost);
        carried = two_sum(product, rest, &lost);
        push_component(to, lost);
    }
    push_component(to, carried);
}

/* Adds by Shewchuk's fast-expansion-sum, which takes the components of both in the order of their size. */
static void add_expansion(struct expansion *to, const struct expansion *other)
{
    struct expansion one;
    double carried = 0, lost;
    one.count = to->count;
    memcpy(one.components, to->components, (size_t)to->count * sizeof *one.components);
    to->count = 0;
    for (int i = 0, k = 0; i < one.count || k < other->count;) {
        bool own = k == other->count || (i < one.count && fabs(one.components[i]) < fabs(other->components[k]));
        carried = two_sum(carried, own ? one.components[i++] : other->components[k++], &lost);
        push_component(to, lost);
    }
    push_component(to, carried);
}

static void add_product(struct expansion *to, const struct expansion *a, const struct expansion *b, double sign)
{
    struct expansion multiple;
    for (int i = 0; i < b->count; i++) {
        set_multiple(&multiple, a, sign * b->components[i]);
        add_expansion(to, &multiple);
    }
}

static int sign_of(const struct expansion *value)
{
    double largest = value->count > 0 ? value->components[value->count - 1] : 0;
    return (largest > 0) - (largest < 0);
}

/* Computes a b - c d. */
static void set_minor(struct expansion *to, const struct expansion *a, const struct expansion *b,
                      const struct expansion *c, const struct expansion *d)
{
    to->count = 0;
    add_product(to, a, b, 1);
    add_product(to, c, d, -1);
}

/* ---- lines ---- */

/* Tells whether two points coincide in projection, as in a triangle without area. This spares most of the exact work
 * that real meshes cause. */
static bool same_shadow(const double a[3], const double b[3], const int axes[2])
{
    return a[axes[0]] == b[axes[0]] && a[axes[1]] == b[axes[1]];
}

static int exact_side_of_line(const double a[3], const double b[3], const double c[3], const int axes[2])
{
    if (same_shadow(a, b, axes) || same_shadow(b, c, axes) || same_shadow(c, a, axes))
        return 0;
    struct expansion ac[2], bc[2], determinant;
    for (int i = 0; i < 2; i++) {
        set_difference(&ac[i], a[axes[i]], c[axes[i]]);
        set_difference(&bc[i], b[axes[i]], c[axes[i]]);
    }
    set_minor(&determinant, &ac[0], &bc[1], &ac[1], &bc[0]);
    return sign_of(&determinant);
}

int side_of_line(const double a[3], const double b[3], const double c[3], const int axes[2])
{
    int u = axes[0], v = axes[1];
    double left = (a[u] - c[u]) * (b[v] - c[v]), right = (a[v] - c[v]) * (b[u] - c[u]), determinant = left - right;
    double size = fabs(left) + fabs(right);
    if (fabs(determinant) > (3 + 16 * unit) * unit * size)
        return determinant > 0 ? 1 : -1;
    return size < most ? exact_side_of_line(a, b, c, axes) : 0;
}

/* ---- planes ---- */

static bool same_point(const double a[3], const double b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static int exact_side_of_plane(const double a[3], const double b[3], const double c[3], const double d[3])
{
    if (same_point(a, b) || same_point(a, c) || same_point(a, d) || same_point(b, c) || same_point(b, d) ||
        same_point(c, d))
        return 0;
    struct expansion rows[3][3], minor, determinant;
    for (int i = 0; i < 3; i++) {
        set_difference(&rows[0][i], a[i], d[i]);
        set_difference(&rows[1][i], b[i], d[i]);
        set_difference(&rows[2][i], c[i], d[i]);
    }
    determinant.count = 0;
    for (int i = 0; i < 3; i++) {
        int k = (i + 1) % 3, l = (i + 2) % 3;
        set_minor(&minor, &rows[1][k], &rows[2][l], &rows[1][l], &rows[2][k]);
        add_product(&determinant, &minor, &rows[0][i], 1);
    }
    return -sign_of(&determinant);
}

int side_of_plane(const double a[3], const double b[3], const double c[3], const double d[3])
{
    double ad[3], bd[3], cd[3], determinant = 0, size = 0;
    for (int i = 0; i < 3; i++) {
        ad[i] = a[i] - d[i];
        bd[i] = b[i] - d[i];
        cd[i] = c[i] - d[i];
    }
    for (int i = 0; i < 3; i++) {
        int k = (i + 1) % 3, l = (i + 2) % 3;
        double left = bd[k] * cd[l], right = bd[l] * cd[k];
        determinant += ad[i] * (left - right);
        size += fabs(ad[i]) * (fabs(left) + fabs(right));
    }
    if (fabs(determinant) > (7 + 56 * unit) * unit * size)
        return determinant > 0 ? -1 : 1;
    return size < most ? exact_side_of_plane(a, b, c, d) : 0;
}
