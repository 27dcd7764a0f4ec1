#include "near.h"

#include <math.h>

#include "../../vector.h"
#include "../surface/distance.h"
#include "../surface/plane.h"

/* ---- a frame in the world ---- */

/* 0 unless all directions are stretched alike, at right angles to each other. */
static double even_scale(const cp_pose *pose)
{
    enum { PAIRS = 6 };
    static const int pairs[PAIRS][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};
    const double tolerance = 1e-9;
    double columns[3][3], square = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            columns[i][k] = pose->m[4 * k + i];
    for (int i = 0; i < 3; i++)
        square += dot_product(columns[i], columns[i]) / 3;
    for (int i = 0; i < PAIRS; i++) {
        double wanted = pairs[i][0] == pairs[i][1] ? square : 0;
        if (!(fabs(dot_product(columns[pairs[i][0]], columns[pairs[i][1]]) - wanted) <= tolerance * square))
            return 0;
    }
    return isfinite(square) ? sqrt(square) : 0;
}

void place_body(struct placed *placed, const struct body *body, const cp_pose *world)
{
    *placed = (struct placed){.body = body, .world = world};
    placed->is_invertible = pose_inverse(world, &placed->inverse);
    placed->scale = placed->is_invertible ? even_scale(world) : 0;
}

void placed_box(const struct placed *placed, const struct bvh_box *box, double centre[3], double half[3])
{
    for (int i = 0; i < 3; i++) {
        const double *row = placed->world->m + 4 * i;
        double size = fabs(row[3]);
        centre[i] = row[3];
        half[i] = 0;
        for (int k = 0; k < 3; k++) {
            centre[i] += row[k] * (double)box->centre[k];
            half[i] += fabs(row[k]) * (double)box->half[k];
            size += fabs(row[k]) * fabs((double)box->centre[k]);
        }
        half[i] += 2e-15 * (size + half[i]); /* more than rounding can do */
    }
}

/* ---- planes ---- */

/* The plane in the world, its normal a unit vector. */
static bool plane_in_world(const struct placed *placed, const double plane[4], double world[4])
{
    if (!placed->is_invertible)
        return false;
    plane_seen_from(plane, &placed->inverse, world);
    double length = sqrt(dot_product(world, world));
    for (int i = 0; i < 4; i++)
        world[i] /= length;
    return length > 0 && isfinite(length);
}

static double planes_distance(const struct placed *one, const struct placed *other, double most)
{
    double best = most;
    for (uint32_t i = 0; i < one->body->plane_count; i++) {
        double world[4], seen[4];
        if (!plane_in_world(one, one->body->planes[i], world))
            continue;
        plane_seen_from(world, other->world, seen);
        best = fmin(best, plane_distance(seen, &other->body->bvh, best));
    }
    return best;
}

/* ---- surfaces in frames that are stretched ---- */

/* Boxes along the world's axes, or triangles. */
struct nodes_pair {
    uint32_t one, other;
    double distance; /* of the boxes */
};

static double boxes_distance(const struct placed *one, const struct placed *other, const struct nodes_pair *pair)
{
    double centres[2][3], halves[2][3], sum = 0;
    placed_box(one, &one->body->bvh.boxes[pair->one], centres[0], halves[0]);
    placed_box(other, &other->body->bvh.boxes[pair->other], centres[1], halves[1]);
    for (int axis = 0; axis < 3; axis++) {
        double away = fabs(centres[0][axis] - centres[1][axis]) - halves[0][axis] - halves[1][axis];
        sum += away > 0 ? away * away : 0;
    }
    return sqrt(sum);
}

static void triangle_in_world(const struct placed *placed, uint32_t triangle, double out[3][3])
{
    const struct bvh *bvh = &placed->body->bvh;
    for (int corner = 0; corner < 3; corner++)
        pose_point(placed->world, bvh->vertices[bvh->triangles[triangle][corner]], out[corner]);
}

static double leaves_distance(const struct placed *one, const struct placed *other, const struct nodes_pair *pair,
                              double most)
{
    const struct bvh_box *first = &one->body->bvh.boxes[pair->one], *second = &other->body->bvh.boxes[pair->other];
    double best = most;
    for (uint32_t i = first->first; i < first->first + first->count; i++)
        for (uint32_t k = second->first; k < second->first + second->count; k++) {
            double here[3][3], there[3][3];
            triangle_in_world(one, i, here);
            triangle_in_world(other, k, there);
            best = fmin(best, triangles_distance((const double(*)[3])here, (const double(*)[3])there, best, 0));
        }
    return best;
}

/* The halves of the larger box, each with the other; the first of them is the farther one. */
static void part_pair(const struct placed *one, const struct placed *other, struct nodes_pair pair,
                      struct nodes_pair parts[2])
{
    const struct bvh_box *first = &one->body->bvh.boxes[pair.one], *second = &other->body->bvh.boxes[pair.other];
    bool part_first = second->count > 0 || (first->count == 0 && bvh_box_size(first) > bvh_box_size(second));
    for (uint32_t i = 0; i < 2; i++) {
        parts[i] = pair;
        if (part_first)
            parts[i].one = first->first + i;
        else
            parts[i].other = second->first + i;
        parts[i].distance = boxes_distance(one, other, &parts[i]);
    }
    if (parts[0].distance < parts[1].distance) {
        struct nodes_pair nearer = parts[0];
        parts[0] = parts[1];
        parts[1] = nearer;
    }
}

/* As surfaces_distance, where lengths are the same in neither frame as in the world. */
static double stretched_distance(const struct placed *one, const struct placed *other, double most)
{
    struct nodes_pair waiting[2 * BVH_LEVELS + 2] = {{0, 0, 0}};
    uint32_t count = one->body->bvh.box_count > 0 && other->body->bvh.box_count > 0;
    double best = most;
    while (count > 0) {
        struct nodes_pair pair = waiting[--count];
        if (!(pair.distance < best))
            continue;
        if (one->body->bvh.boxes[pair.one].count > 0 && other->body->bvh.boxes[pair.other].count > 0) {
            best = leaves_distance(one, other, &pair, best);
        } else {
            part_pair(one, other, pair, waiting + count);
            count += 2;
        }
    }
    return best;
}

/* ---- bodies ---- */

static double surfaces_in_world(const struct placed *one, const struct placed *other, const cp_pose *placed,
                                double most)
{
    const double least = 1e-100; /* whose square is a number yet */
    uint64_t tests = 0;
    if (!(one->scale > 0))
        return stretched_distance(one, other, fmax(most, least));
    double here = most / one->scale;
    if (!(here > least)) /* they do not meet, and nothing else is asked for */
        return INFINITY;
    return one->scale * surfaces_distance(&one->body->bvh, &other->body->bvh, placed, here, &tests);
}

/* The better one to see the other from. */
static bool sees_better(const struct placed *one, const struct placed *other)
{
    return one->is_invertible + (one->scale > 0) >= other->is_invertible + (other->scale > 0);
}

double bodies_distance(const struct placed *one, const struct placed *other, double most)
{
    double above = most > 0 ? most * (1 + 1e-12) : 1e-300; /* so that `most` itself is told from more */
    cp_pose placed = POSE_IDENTITY;
    uint64_t tests = 0;
    if (!sees_better(one, other)) {
        const struct placed *better = other;
        other = one;
        one = better;
    }
    if (one->is_invertible) {
        placed = pose_multiply(&one->inverse, other->world);
        if (!are_within_reach(placed.m, 12)) /* nothing is near there */
            return INFINITY;
        if (bodies_meet(one->body, other->body, &placed, &tests))
            return 0;
    }
    double best = planes_distance(one, other, above);
    best = planes_distance(other, one, best);
    return best > 0 ? fmin(best, surfaces_in_world(one, other, &placed, best)) : best;
}
