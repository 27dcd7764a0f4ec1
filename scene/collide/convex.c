#include "convex.h"
#include "../vector.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 64 };

/* The point that is farthest along a direction. */
static const double *farthest(const struct convex *convex, const double direction[3])
{
    uint32_t best = 0;
    double most = dot_product(convex->points[0], direction);
    for (uint32_t i = 1; i < convex->count; i++) {
        double along = dot_product(convex->points[i], direction);
        if (along > most) {
            most = along;
            best = i;
        }
    }
    return convex->points[best];
}

static double reach_of(const struct convex *convex)
{
    double most = 0;
    for (uint32_t i = 0; i < convex->count; i++)
        for (int axis = 0; axis < 3; axis++)
            most = fmax(most, fabs(convex->points[i][axis]));
    return most;
}

/* ---- the simplex: differences of points, with the origin to be reached ---- */

struct simplex {
    double points[4][3];
    int count;
};

static void keep(struct simplex *simplex, const int *which, int count)
{
    struct simplex old = *simplex;
    for (int i = 0; i < count; i++)
        memcpy(simplex->points[i], old.points[which[i]], sizeof simplex->points[i]);
    simplex->count = count;
}

/* What the nearest place of a face of the simplex is made of. */
struct nearest {
    double point[3], distance2;
    int corners[3], count;
};

static void offer(struct nearest *nearest, const double point[3], const int *corners, int count)
{
    double distance2 = dot_product(point, point);
    if (!(distance2 < nearest->distance2))
        return;
    memcpy(nearest->point, point, sizeof nearest->point);
    nearest->distance2 = distance2;
    nearest->count = count;
    for (int i = 0; i < count; i++)
        nearest->corners[i] = corners[i];
}

static void offer_segment(const struct simplex *simplex, int a, int b, struct nearest *nearest)
{
    const double *p = simplex->points[a], *q = simplex->points[b];
    double side[3], point[3];
    subtract(q, p, side);
    double length2 = dot_product(side, side), part = length2 > 0 ? -dot_product(p, side) / length2 : 0;
    if (!(part > 0) || !(part < 1))
        return; /* an end is nearer */
    for (int i = 0; i < 3; i++)
        point[i] = p[i] + part * side[i];
    offer(nearest, point, (const int[]){a, b}, 2);
}

static void offer_triangle(const struct simplex *simplex, int a, int b, int c, struct nearest *nearest)
{
    const double *p = simplex->points[a], *q = simplex->points[b], *r = simplex->points[c];
    double pq[3], pr[3], normal[3], sides[3], point[3];
    subtract(q, p, pq);
    subtract(r, p, pr);
    cross_product(pq, pr, normal);
    double length2 = dot_product(normal, normal);
    if (!(length2 > 0))
        return;
    const double *const corners[] = {p, q, r, p};
    for (int i = 0; i < 3; i++) {
        double volume[3];
        cross_product(corners[i], corners[i + 1], volume);
        sides[i] = dot_product(volume, normal);
    }
    if (sides[0] < 0 || sides[1] < 0 || sides[2] < 0)
        return; /* a side is nearer */
    double height = dot_product(p, normal) / length2;
    for (int i = 0; i < 3; i++)
        point[i] = height * normal[i];
    offer(nearest, point, (const int[]){a, b, c}, 3);
}

/* True when the tetrahedron holds the origin. */
static bool holds_origin(const struct simplex *simplex)
{
    static const int faces[4][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};
    if (simplex->count < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        const double *a = simplex->points[faces[i][0]];
        double ab[3], ac[3], ad[3], normal[3];
        subtract(simplex->points[faces[i][1]], a, ab);
        subtract(simplex->points[faces[i][2]], a, ac);
        subtract(simplex->points[faces[i][3]], a, ad);
        cross_product(ab, ac, normal);
        if (!(-dot_product(a, normal) * dot_product(ad, normal) >= 0) || dot_product(ad, normal) == 0)
            return false;
    }
    return true;
}

/* The nearest place of the simplex to the origin; the simplex becomes the corners that it is made of. */
static struct nearest reduce(struct simplex *simplex)
{
    struct nearest nearest = {.distance2 = INFINITY};
    for (int a = 0; a < simplex->count; a++) {
        offer(&nearest, simplex->points[a], &a, 1);
        for (int b = a + 1; b < simplex->count; b++) {
            offer_segment(simplex, a, b, &nearest);
            for (int c = b + 1; c < simplex->count; c++)
                offer_triangle(simplex, a, b, c, &nearest);
        }
    }
    keep(simplex, nearest.corners, nearest.count);
    return nearest;
}

/* ---- the search ---- */

struct gap convex_gap(const struct convex *one, const struct convex *other, double enough)
{
    /* of the sums and products of coordinates up to `reach` */
    double slack = 1e-14 * (reach_of(one) + reach_of(other));
    struct gap gap = {0, {1, 0, 0}, false};
    struct simplex simplex = {.count = 1};
    subtract(other->points[0], one->points[0], simplex.points[0]);
    for (int step = 0; step < MOST_STEPS; step++) {
        struct nearest nearest = reduce(&simplex);
        double distance = sqrt(nearest.distance2), direction[3], back[3], difference[3];
        if (!(distance > slack)) {
            gap.overlap = gap.low <= slack;
            return gap;
        }
        for (int i = 0; i < 3; i++) {
            direction[i] = nearest.point[i] / distance;
            back[i] = -direction[i];
        }
        subtract(farthest(other, back), farthest(one, direction), difference);
        double low = dot_product(difference, direction) - slack;
        if (low > gap.low) {
            gap.low = low;
            memcpy(gap.normal, direction, sizeof gap.normal);
        }
        /* no point is nearer along the direction: the nearest place is found */
        if (gap.low > enough || distance - dot_product(difference, direction) <= 1e-9 * distance + slack)
            return gap;
        memcpy(simplex.points[simplex.count++], difference, sizeof difference);
        if (holds_origin(&simplex)) {
            gap.overlap = true;
            return gap;
        }
    }
    return gap;
}
