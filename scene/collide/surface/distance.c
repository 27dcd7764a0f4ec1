#include "distance.h"

#include <math.h>
#include <string.h>

#include "../../mesh/triangle.h"
#include "../../vector.h"
#include "box_pair.h"

/* ---- a point ---- */

static double point_box(const struct bvh_box *box, const double point[3])
{
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        double away = fabs(point[axis] - (double)box->centre[axis]) - (double)box->half[axis];
        sum += away > 0 ? away * away : 0;
    }
    return sum;
}

double surface_distance(const struct bvh *bvh, const double point[3], double most)
{
    uint32_t waiting[BVH_LEVELS + 2] = {0}, count = bvh->box_count > 0;
    double best = most * most;
    while (count > 0) {
        const struct bvh_box *box = &bvh->boxes[waiting[--count]];
        if (!(point_box(box, point) < best))
            continue;
        if (box->count == 0) { /* the nearer half first */
            bool second = point_box(&bvh->boxes[box->first + 1], point) < point_box(&bvh->boxes[box->first], point);
            waiting[count++] = box->first + !second;
            waiting[count++] = box->first + second;
        }
        for (uint32_t i = box->first; i < box->first + box->count; i++) {
            double triangle[3][3], shares[2];
            bvh_triangle(bvh, i, NULL, triangle);
            const double *const corners[3] = {triangle[0], triangle[1], triangle[2]};
            best = fmin(best, triangle_distance(point, corners, shares));
        }
    }
    return sqrt(best);
}

/* ---- two triangles ---- */

/* Below, squares lose digits. */
static const double smallest_square = 1e-280;

/* The shortest way found so far, from the first triangle to the other, and the square of its length. */
struct way {
    double along[3], square;
};

static void take_shorter(struct way *way, const double along[3])
{
    double square = dot_product(along, along);
    if (square < way->square) {
        way->square = square;
        memcpy(way->along, along, sizeof way->along);
    }
}

/* Of a corner; sign -1 where it is the other triangle's. */
static void try_corner(struct way *way, const double corner[3], const double triangle[3][3], double sign)
{
    double shares[2], along[3];
    (void)triangle_distance(corner, (const double *const[3]){triangle[0], triangle[1], triangle[2]}, shares);
    for (int axis = 0; axis < 3; axis++)
        along[axis] = sign * (shares[0] * triangle[0][axis] + shares[1] * triangle[1][axis] +
                              (1 - shares[0] - shares[1]) * triangle[2][axis] - corner[axis]);
    take_shorter(way, along);
}

static double share_of(double value)
{
    return value > 0 ? value < 1 ? value : 1 : 0;
}

/* Of the sides a a + u and b b + v (Ericson, 5.1.9). */
static void try_sides(struct way *way, const double a[3], const double a_end[3], const double b[3],
                      const double b_end[3])
{
    double u[3], v[3], r[3], along[3], s = 0, t = 0;
    subtract(a_end, a, u);
    subtract(b_end, b, v);
    subtract(a, b, r);
    double uu = dot_product(u, u), vv = dot_product(v, v), uv = dot_product(u, v), ur = dot_product(u, r),
           vr = dot_product(v, r);
    double det = uu * vv - uv * uv;
    if (det > 0)
        s = share_of((uv * vr - ur * vv) / det);
    if (vv > 0)
        t = share_of((uv * s + vr) / vv);
    if (uu > 0)
        s = share_of((uv * t - ur) / uu);
    for (int axis = 0; axis < 3; axis++)
        along[axis] = t * v[axis] - r[axis] - s * u[axis];
    take_shorter(way, along);
}

/* No more than how far they are apart along a direction of any length; 0 where that is unknown. slack: what rounding
 * can do. */
static double gap_along(const double one[3][3], const double other[3][3], const double direction[3], double slack)
{
    double end = -INFINITY, begin = INFINITY;
    for (int i = 0; i < 3; i++) {
        double here = dot_product(direction, one[i]), there = dot_product(direction, other[i]);
        end = here > end ? here : end;
        begin = there < begin ? there : begin;
    }
    double square = dot_product(direction, direction);
    double gap = (begin - end) / sqrt(square) - slack;
    return square > smallest_square && gap > 0 && gap < (double)INFINITY ? gap : 0;
}

static double gap_either_way(const double one[3][3], const double other[3][3], const double direction[3], double slack)
{
    const double back[3] = {-direction[0], -direction[1], -direction[2]};
    return fmax(gap_along(one, other, direction, slack), gap_along(one, other, back, slack));
}

/* The end of a short way has the rounding of long coordinates: along it large triangles seem to be nearer than they
 * are, or to overlap. What is at right angles to sides is known better from the sides. */
static double gap_by_sides(const double one[3][3], const double other[3][3], const double way[3], double slack)
{
    double sides[2][3][3], direction[3], best = 0;
    for (int i = 0; i < 3; i++) {
        subtract(one[(i + 1) % 3], one[i], sides[0][i]);
        subtract(other[(i + 1) % 3], other[i], sides[1][i]);
    }
    for (int i = 0; i < 2; i++) {
        cross_product(sides[i][0], sides[i][1], direction);
        best = fmax(best, gap_either_way(one, other, direction, slack));
        for (int k = 0; k < 3; k++) {
            double square = dot_product(sides[i][k], sides[i][k]), along = dot_product(way, sides[i][k]);
            for (int axis = 0; axis < 3; axis++)
                direction[axis] = way[axis] - (square > 0 ? along / square * sides[i][k][axis] : 0);
            best = fmax(best, gap_along(one, other, direction, slack));
        }
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            cross_product(sides[0][i], sides[1][k], direction);
            best = fmax(best, gap_either_way(one, other, direction, slack));
        }
    return best;
}

/* At least `most`, or the distance: never more, as what does not overlap along some direction is as far apart as
 * there. */
double triangles_distance(const double one[3][3], const double other[3][3], double most, double slack)
{
    struct way way = {.square = INFINITY};
    double middle[3];
    for (int axis = 0; axis < 3; axis++)
        middle[axis] = other[0][axis] + other[1][axis] + other[2][axis] - one[0][axis] - one[1][axis] - one[2][axis];
    if (gap_along(one, other, middle, slack) >= most)
        return most;
    for (int i = 0; i < 3; i++) {
        try_corner(&way, one[i], other, 1);
        try_corner(&way, other[i], one, -1);
        for (int k = 0; k < 3; k++)
            try_sides(&way, one[i], one[(i + 1) % 3], other[k], other[(k + 1) % 3]);
    }
    double gap = gap_along(one, other, way.along, slack);
    bool is_good = gap >= most || gap * (1 + 1e-6) + slack >= sqrt(way.square);
    return is_good ? gap : fmax(gap, gap_by_sides(one, other, way.along, slack));
}

/* ---- two surfaces ---- */

/* The nearer pair is taken first, until one is at most `enough` apart. */
static double search_surfaces(const struct bvh *one, const struct bvh *other, const cp_pose *placed, double most,
                              double enough, uint64_t *tests)
{
    /* With u half the distance from 1 to the next double: a corner is placed by sums of four roundings, 7 u reach off
     * in all; two products with a direction are 11 u reach; their difference, divided by a length, is at most 3.5 reach
     * and has six: 39 u in all. */
    static const double roundings = 6e-15;
    struct box_pair waiting[2 * BVH_LEVELS + 2] = {{0, 0, 0}};
    if (one->box_count == 0 || other->box_count == 0)
        return most;
    struct box_frames frames = box_frames_of(one, other, placed);
    double slack = roundings * frames.reach, best = most;
    waiting[0].nearness = boxes_nearness(&frames, one->boxes, other->boxes);
    uint32_t count = 1;
    uint64_t compared = 1;
    while (count > 0 && best > enough) {
        struct box_pair pair = waiting[--count], halves[2];
        const struct bvh_box *first = &one->boxes[pair.one], *second = &other->boxes[pair.other];
        if ((double)pair.nearness > best * best)
            continue;
        if (first->count > 0 && second->count > 0) {
            for (uint32_t k = second->first; k < second->first + second->count; k++) {
                double here[3][3], there[3][3];
                bvh_triangle(other, k, placed, there);
                for (uint32_t i = first->first; i < first->first + first->count; i++) {
                    bvh_triangle(one, i, NULL, here);
                    double distance =
                        triangles_distance((const double(*)[3])here, (const double(*)[3])there, best, slack);
                    best = distance < best ? distance : best;
                }
            }
            continue;
        }
        box_pair_part(one, other, &pair, halves);
        for (int i = 0; i < 2; i++)
            halves[i].nearness = boxes_nearness(&frames, &one->boxes[halves[i].one], &other->boxes[halves[i].other]);
        compared += 2;
        int later = halves[1].nearness < halves[0].nearness ? 0 : 1;
        waiting[count++] = halves[later];
        waiting[count++] = halves[!later];
    }
    *tests += compared;
    return best;
}

double surfaces_distance(const struct bvh *one, const struct bvh *other, const cp_pose *placed, double most,
                         uint64_t *tests)
{
    return search_surfaces(one, other, placed, most, 0, tests);
}

double surfaces_nearer(const struct bvh *one, const struct bvh *other, const cp_pose *placed, double most,
                       uint64_t *tests)
{
    return search_surfaces(one, other, placed, most, nextafter(most, 0), tests);
}
