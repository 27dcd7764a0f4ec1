#include "hull.h"

#include <math.h>
#include <string.h>

#include "model/model.h"

enum { MOST_STEPS = 64 };

/* ---- points ---- */

static void place_point(const struct convex *convex, uint32_t point, double out[3])
{
    if (convex->pose)
        pose_point(convex->pose, convex->points[point], out);
    else
        memcpy(out, convex->points[point], sizeof convex->points[point]);
}

/* Turns a direction back to where the points are before they are placed. Their heights along it differ from those of
 * the placed points along `direction` only by a constant. */
static void unplace_direction(const struct convex *convex, const double direction[3], double out[3])
{
    const double *m = convex->pose ? convex->pose->m : POSE_IDENTITY.m;
    for (int i = 0; i < 3; i++)
        out[i] = m[i] * direction[0] + m[4 + i] * direction[1] + m[8 + i] * direction[2];
}

/* Returns a bound of all coordinates, before and after the points are placed, and of all sums on the way. */
static double reach_of(const struct convex *convex)
{
    double own[3] = {0}, most = 0;
    for (uint32_t i = 0; i < convex->count && convex->cluster_count == 0; i++)
        for (int axis = 0; axis < 3; axis++)
            own[axis] = fabs(convex->points[i][axis]) > own[axis] ? fabs(convex->points[i][axis]) : own[axis];
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

/* Returns how far a cluster extends from its centre along a direction. */
static double half_along(const struct cluster *cluster, const double direction[3])
{
    return cluster->half[0] * fabs(direction[0]) + cluster->half[1] * fabs(direction[1]) +
           cluster->half[2] * fabs(direction[2]);
}

/* Returns the number of points of a part; without clusters, all are one part. */
static uint32_t part_count(const struct convex *convex)
{
    return convex->cluster_count > 0 ? convex->cluster_count - 1 : 1;
}

static uint32_t part_end(const struct convex *convex, uint32_t part)
{
    return part + 1 < part_count(convex) ? (part + 1) * CLUSTER : convex->count;
}

/* Finds the point that is farthest along a direction. `guess` is a point that may be near it. */
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

void convex_range(const struct convex *convex, const double direction[3], double *low, double *high)
{
    double back[3] = {-direction[0], -direction[1], -direction[2]}, point[3];
    place_point(convex, farthest_point(convex, back, 0), point);
    *low = dot_product(direction, point);
    place_point(convex, farthest_point(convex, direction, 0), point);
    *high = dot_product(direction, point);
}

/* ---- distances from a line ---- */

double convex_radius(const struct convex *convex, const double axis[3], const double origin[3])
{
    /* Take two directions across the line, and the line's places along them, in the frame of the points before they are
     * placed. */
    double across[2][3], directions[2][3], places[2] = {0}, smallest[3] = {0}, most = 0;
    int least = fabs(axis[0]) <= fabs(axis[1]) ? 0 : 1;
    smallest[fabs(axis[2]) <= fabs(axis[least]) ? 2 : least] = 1;
    cross_product(axis, smallest, across[0]);
    cross_product(axis, across[0], across[1]);
    for (int k = 0; k < 2; k++) {
        double length = sqrt(dot_product(across[k], across[k])), from[3];
        for (int i = 0; i < 3; i++) {
            across[k][i] /= length > 0 ? length : 1;
            from[i] = (convex->pose ? convex->pose->m[4 * i + 3] : 0) - origin[i];
        }
        unplace_direction(convex, across[k], directions[k]);
        places[k] = dot_product(across[k], from);
    }
    for (uint32_t part = 0; part < part_count(convex); part++) {
        double limit = 0; /* the square of the distance: no point of the part has a larger one */
        for (int k = 0; k < 2 && convex->cluster_count > 2; k++) {
            const struct cluster *cluster = &convex->clusters[part + 1];
            double middle = dot_product(cluster->centre, directions[k]) + places[k];
            double far = fabs(middle) + half_along(cluster, directions[k]);
            limit += far * far;
        }
        if (convex->cluster_count > 2 && limit <= most)
            continue;
        for (uint32_t i = part * CLUSTER; i < part_end(convex, part); i++) {
            double u = dot_product(convex->points[i], directions[0]) + places[0];
            double v = dot_product(convex->points[i], directions[1]) + places[1];
            most = u * u + v * v > most ? u * u + v * v : most;
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

/* The nearest place of a face of the simplex, and the corners that span it. */
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

/* Finds the nearest place of the simplex to the origin. The simplex is reduced to the corners that span this place. */
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
    struct simplex old = *simplex;
    for (int i = 0; i < nearest.count; i++) {
        memcpy(simplex->points[i], old.points[nearest.corners[i]], sizeof simplex->points[i]);
        memcpy(simplex->pairs[i], old.pairs[nearest.corners[i]], sizeof simplex->pairs[i]);
    }
    simplex->count = nearest.count;
    return nearest;
}

/* Returns true if the tetrahedron holds the origin. */
static bool holds_origin(const struct simplex *simplex)
{
    static const int faces[4][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};
    if (simplex->count < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        const double *a = simplex->points[faces[i][0]];
        double ad[3], normal[3];
        triangle_normal(a, simplex->points[faces[i][1]], simplex->points[faces[i][2]], normal);
        subtract(simplex->points[faces[i][3]], a, ad);
        if (!(-dot_product(a, normal) * dot_product(ad, normal) >= 0) || dot_product(ad, normal) == 0)
            return false;
    }
    return true;
}

/* ---- the search ---- */

/* Adds the difference of the points with these numbers. */
static void add_pair(struct simplex *simplex, const struct convex *one, const struct convex *other, uint32_t first,
                     uint32_t second)
{
    double from[3], to[3];
    place_point(one, first, from);
    place_point(other, second, to);
    subtract(to, from, simplex->points[simplex->count]);
    simplex->pairs[simplex->count][0] = first;
    simplex->pairs[simplex->count][1] = second;
    simplex->count++;
}

struct hull_gap convex_gap(const struct convex *one, const struct convex *other, double enough,
                           struct convex_start *start)
{
    struct simplex simplex = {.count = 0};
    struct hull_gap gap = {.normal = {1, 0, 0}, .high = INFINITY};
    /* bounds the rounding of sums and products of coordinates up to `reach`: some 50 times a double's epsilon */
    double slack = 1e-14 * (reach_of(one) + reach_of(other));
    for (uint32_t i = 0; i < start->count; i++)
        add_pair(&simplex, one, other, start->pairs[i][0], start->pairs[i][1]);
    if (start->count == 0)
        add_pair(&simplex, one, other, 0, 0);
    for (int step = 0; step < MOST_STEPS; step++) {
        struct nearest nearest = reduce(&simplex);
        double distance = sqrt(nearest.distance2), direction[3], back[3];
        if (nearest.count == 0) /* the squares overflowed */
            break;
        gap.high = fmin(gap.high, distance);
        if (!(distance > slack) || !(nearest.distance2 > 1e-280)) { /* below 1e-280 a square loses digits */
            gap.overlap = gap.low <= slack;
            break;
        }
        for (int i = 0; i < 3; i++) {
            direction[i] = nearest.point[i] / distance;
            back[i] = -direction[i];
        }
        /* Add the pair whose points are least apart along the direction to the nearest place. */
        const uint32_t *guess = simplex.pairs[simplex.count - 1];
        add_pair(&simplex, one, other, farthest_point(one, direction, guess[0]), farthest_point(other, back, guess[1]));
        double along = dot_product(simplex.points[simplex.count - 1], direction), low = along - slack;
        if (low > gap.low) {
            gap.low = low;
            memcpy(gap.normal, direction, sizeof gap.normal);
        }
        /* no point is nearer along the direction: the nearest place is found */
        if (gap.low > enough || distance - along <= 1e-9 * distance + slack)
            break;
        if (holds_origin(&simplex)) {
            gap.high = 0;
            gap.overlap = true;
            break;
        }
    }
    start->count = simplex.count < 3 ? (uint32_t)simplex.count : 3;
    memcpy(start->pairs, simplex.pairs, sizeof start->pairs);
    return gap;
}
