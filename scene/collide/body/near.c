#include "body.h"

#include <math.h>

/* ---- a frame in the world ---- */

/* Returns the scale of the pose; 0 unless it stretches all directions alike, at right angles to each other. */
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
        half[i] += 2e-15 * (size + half[i]); /* 2e-15 is nine times a double's epsilon, more than the rounding of the
                                              * sums */
    }
}

/* ---- planes ---- */

static double planes_distance(const struct placed *one, const struct placed *other, double most)
{
    double best = most;
    for (uint32_t i = 0; i < one->body->plane_count && one->is_invertible; i++) {
        double world[4], seen[4]; /* the normal in the world a unit vector */
        plane_seen_from(one->body->planes[i], &one->inverse, world);
        double length = sqrt(dot_product(world, world));
        if (!(length > 0 && isfinite(length)))
            continue;
        for (int k = 0; k < 4; k++)
            world[k] /= length;
        plane_seen_from(world, other->world, seen);
        best = fmin(best, plane_distance(seen, &other->body->bvh, best));
    }
    return best;
}

/* ---- surfaces in frames that are stretched ---- */

static double boxes_distance(const struct placed *one, const struct placed *other, const struct box_pair *pair)
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

/* Returns the same as surfaces_distance, if neither frame has the world's lengths: it compares boxes along the world's
 * axes, the nearer pair first. */
static double stretched_distance(const struct placed *one, const struct placed *other, double most)
{
    const struct bvh *here = &one->body->bvh, *there = &other->body->bvh;
    struct {
        struct box_pair boxes;
        double distance;
    } waiting[2 * BVH_LEVELS + 2] = {{{0, 0, 0}, 0}};
    uint32_t count = here->box_count > 0 && there->box_count > 0;
    double best = most;
    while (count > 0) {
        struct box_pair pair = waiting[--count].boxes, halves[2];
        if (!(waiting[count].distance < best))
            continue;
        const struct bvh_box *first = &here->boxes[pair.one], *second = &there->boxes[pair.other];
        if (first->count == 0 || second->count == 0) {
            box_pair_part(here, there, &pair, halves);
            double distances[2] = {boxes_distance(one, other, &halves[0]), boxes_distance(one, other, &halves[1])};
            int later = distances[0] < distances[1];
            for (int i = 0; i < 2; i++, count++, later = !later) {
                waiting[count].boxes = halves[later];
                waiting[count].distance = distances[later];
            }
            continue;
        }
        for (uint32_t i = first->first; i < first->first + first->count; i++)
            for (uint32_t k = second->first; k < second->first + second->count; k++) {
                double triangles[2][3][3];
                bvh_triangle(here, i, one->world, triangles[0]);
                bvh_triangle(there, k, other->world, triangles[1]);
                best = fmin(best, triangles_distance((const double(*)[3])triangles[0], (const double(*)[3])triangles[1],
                                                     best, 0));
            }
    }
    return best;
}

/* ---- bodies ---- */

double bodies_distance(const struct placed *one, const struct placed *other, double most)
{
    const double least = 1e-100;                          /* its square is still a number */
    double best = most > 0 ? most * (1 + 1e-12) : 1e-300; /* a distance of exactly `most` must be found, too */
    cp_pose placed = POSE_IDENTITY;
    uint64_t tests = 0;
    /* Look from a frame that has an inverse, if possible from one that stretches all directions alike. */
    if (one->is_invertible + (one->scale > 0) < other->is_invertible + (other->scale > 0)) {
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
    best = planes_distance(one, other, best);
    best = planes_distance(other, one, best);
    if (!(best > 0))
        return best;
    if (!(one->scale > 0))
        return fmin(best, stretched_distance(one, other, fmax(best, least)));
    double here = best / one->scale;
    if (!(here > least)) /* they do not meet, and no distance is asked for */
        return best;
    return fmin(best, one->scale * surfaces_distance(&one->body->bvh, &other->body->bvh, &placed, here, &tests));
}
