#include "convex.h"
#include "../../vector.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 64 };

/* ---- points ---- */

static void place_point(const struct convex *convex, uint32_t point, double out[3])
{
    if (convex->pose)
        pose_point(convex->pose, convex->points[point], out);
    else
        memcpy(out, convex->points[point], sizeof convex->points[point]);
}

/* The direction before the points are placed: along it each is as far as along this one afterwards, but for a
 * constant. */
static void unplace_direction(const struct convex *convex, const double direction[3], double out[3])
{
    const double *m = convex->pose ? convex->pose->m : POSE_IDENTITY.m;
    for (int i = 0; i < 3; i++)
        out[i] = m[i] * direction[0] + m[4 + i] * direction[1] + m[8 + i] * direction[2];
}

static void add_point(double reach[3], const double point[3])
{
    for (int axis = 0; axis < 3; axis++)
        reach[axis] = fabs(point[axis]) > reach[axis] ? fabs(point[axis]) : reach[axis];
}

/* No coordinate is larger, before or after the points are placed; nor is a sum that placing them takes. */
static double reach_of(const struct convex *convex)
{
    double own[3] = {0}, most = 0;
    for (uint32_t i = 0; i < convex->count && convex->cluster_count == 0; i++)
        add_point(own, convex->points[i]);
    for (int axis = 0; axis < 3; axis++) {
        if (convex->cluster_count > 0)
            own[axis] = fabs(convex->clusters[0].centre[axis]) + convex->clusters[0].half[axis];
        most = fmax(most, own[axis]);
    }
    for (int row = 0; row < 3 && convex->pose; row++) {
        const double *m = convex->pose->m + 4 * row;
        most = fmax(most, fabs(m[0]) * own[0] + fabs(m[1]) * own[1] + fabs(m[2]) * own[2] + fabs(m[3]));
    }
    return most;
}

/* ---- the farthest point ---- */

/* How far from its centre a cluster goes along a direction. */
static double half_along(const struct cluster *cluster, const double direction[3])
{
    return cluster->half[0] * fabs(direction[0]) + cluster->half[1] * fabs(direction[1]) +
           cluster->half[2] * fabs(direction[2]);
}

/* The points of a part: all, without clusters. */
static uint32_t part_count(const struct convex *convex)
{
    return convex->cluster_count > 0 ? convex->cluster_count - 1 : 1;
}

static uint32_t part_end(const struct convex *convex, uint32_t part)
{
    return part + 1 < part_count(convex) ? (part + 1) * CLUSTER : convex->count;
}

/* The point that is farthest along a direction, `guess` being one that may be near it. */
static uint32_t farthest_point(const struct convex *convex, const double placed_direction[3], uint32_t guess)
{
    double direction[3];
    unplace_direction(convex, placed_direction, direction);
    double most = dot_product(convex->points[guess], direction);
    for (uint32_t part = 0; part < part_count(convex); part++) {
        if (convex->cluster_count > 2) {
            const struct cluster *cluster = &convex->clusters[part + 1];
            if (dot_product(cluster->centre, direction) + half_along(cluster, direction) <= most)
                continue;
        }
        for (uint32_t i = part * CLUSTER; i < part_end(convex, part); i++) {
            double along = dot_product(convex->points[i], direction);
            if (along > most) {
                most = along;
                guess = i;
            }
        }
    }
    return guess;
}

/* ---- distances from a line ---- */

/* Two directions across a line, and where it is along them; of the points before they are placed. */
struct across {
    double directions[2][3], places[2];
};

static void normalise(double vector[3])
{
    double length = sqrt(dot_product(vector, vector));
    for (int axis = 0; axis < 3 && length > 0; axis++)
        vector[axis] /= length;
}

static struct across find_across(const struct convex *convex, const double axis[3], const double origin[3])
{
    struct across across;
    double from[3], first[3], second[3], smallest[3] = {0};
    int least = fabs(axis[0]) <= fabs(axis[1]) ? 0 : 1;
    smallest[fabs(axis[2]) <= fabs(axis[least]) ? 2 : least] = 1;
    cross_product(axis, smallest, first);
    cross_product(axis, first, second);
    normalise(first);
    normalise(second);
    for (int i = 0; i < 3; i++)
        from[i] = (convex->pose ? convex->pose->m[4 * i + 3] : 0) - origin[i];
    unplace_direction(convex, first, across.directions[0]);
    unplace_direction(convex, second, across.directions[1]);
    across.places[0] = dot_product(first, from);
    across.places[1] = dot_product(second, from);
    return across;
}

/* The square of a point's distance. */
static inline double point_away2(const struct across *across, const double point[3])
{
    double u = dot_product(point, across->directions[0]) + across->places[0],
           v = dot_product(point, across->directions[1]) + across->places[1];
    return u * u + v * v;
}

/* No point of the cluster has a larger one. */
static double cluster_away2(const struct across *across, const struct cluster *cluster)
{
    double sum = 0;
    for (int i = 0; i < 2; i++) {
        double middle = dot_product(cluster->centre, across->directions[i]) + across->places[i],
               most = fabs(middle) + half_along(cluster, across->directions[i]);
        sum += most * most;
    }
    return sum;
}

double convex_radius(const struct convex *convex, const double axis[3], const double origin[3])
{
    struct across across = find_across(convex, axis, origin);
    double most = 0;
    for (uint32_t part = 0; part < part_count(convex); part++) {
        if (convex->cluster_count > 2 && cluster_away2(&across, &convex->clusters[part + 1]) <= most)
            continue;
        for (uint32_t i = part * CLUSTER; i < part_end(convex, part); i++) {
            double away2 = point_away2(&across, convex->points[i]);
            most = away2 > most ? away2 : most;
        }
    }
    return sqrt(most);
}

/* ---- the simplex: differences of points, with the origin to be reached ---- */

struct simplex {
    double points[4][3];
    uint32_t pairs[4][2]; /* which points */
    int count;
};

static void keep(struct simplex *simplex, const int *which, int count)
{
    struct simplex old = *simplex;
    for (int i = 0; i < count; i++) {
        memcpy(simplex->points[i], old.points[which[i]], sizeof simplex->points[i]);
        memcpy(simplex->pairs[i], old.pairs[which[i]], sizeof simplex->pairs[i]);
    }
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

struct search {
    const struct convex *one, *other;
    struct simplex simplex;
};

static void add_pair(struct search *search, const uint32_t pair[2])
{
    struct simplex *simplex = &search->simplex;
    double from[3], to[3];
    place_point(search->one, pair[0], from);
    place_point(search->other, pair[1], to);
    subtract(to, from, simplex->points[simplex->count]);
    memcpy(simplex->pairs[simplex->count], pair, sizeof simplex->pairs[0]);
    simplex->count++;
}

/* Adds the pair that is least apart along the direction; how far that is. */
static double add_nearest_pair(struct search *search, const double direction[3])
{
    struct simplex *simplex = &search->simplex;
    const double back[] = {-direction[0], -direction[1], -direction[2]};
    const uint32_t *guess = simplex->pairs[simplex->count - 1],
                   pair[] = {farthest_point(search->one, direction, guess[0]),
                             farthest_point(search->other, back, guess[1])};
    add_pair(search, pair);
    return dot_product(simplex->points[simplex->count - 1], direction);
}

static void search_gap(struct search *search, double enough, struct gap *gap)
{
    /* of the sums and products of coordinates up to `reach` */
    double slack = 1e-14 * (reach_of(search->one) + reach_of(search->other));
    for (int step = 0; step < MOST_STEPS; step++) {
        struct nearest nearest = reduce(&search->simplex);
        double distance = sqrt(nearest.distance2), direction[3];
        if (nearest.count == 0) /* squares that are no numbers any more */
            return;
        gap->high = fmin(gap->high, distance);
        if (!(distance > slack) || !(nearest.distance2 > 1e-280)) { /* whose square has its digits */
            gap->overlap = gap->low <= slack;
            return;
        }
        for (int i = 0; i < 3; i++)
            direction[i] = nearest.point[i] / distance;
        double along = add_nearest_pair(search, direction), low = along - slack;
        if (low > gap->low) {
            gap->low = low;
            memcpy(gap->normal, direction, sizeof gap->normal);
        }
        /* no point is nearer along the direction: the nearest place is found */
        if (gap->low > enough || distance - along <= 1e-9 * distance + slack)
            return;
        if (holds_origin(&search->simplex)) {
            gap->high = 0;
            gap->overlap = true;
            return;
        }
    }
}

struct gap convex_gap_from(const struct convex *one, const struct convex *other, double enough,
                           struct convex_start *start)
{
    struct search search = {.one = one, .other = other};
    struct gap gap = {.normal = {1, 0, 0}, .high = INFINITY};
    for (uint32_t i = 0; i < start->count; i++)
        add_pair(&search, start->pairs[i]);
    if (start->count == 0)
        add_pair(&search, (const uint32_t[]){0, 0});
    search_gap(&search, enough, &gap);
    start->count = search.simplex.count < 3 ? (uint32_t)search.simplex.count : 3;
    memcpy(start->pairs, search.simplex.pairs, sizeof start->pairs);
    return gap;
}

struct gap convex_gap(const struct convex *one, const struct convex *other, double enough)
{
    struct convex_start start = {0};
    return convex_gap_from(one, other, enough, &start);
}
