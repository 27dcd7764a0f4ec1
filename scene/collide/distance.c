#include "distance.h"

#include <math.h>
#include <string.h>

#include "../mesh/triangle.h"
#include "../vector.h"
#include "triangles.h"

/* ---- a point ---- */

static double point_triangle(const double point[3], const double triangle[3][3])
{
    double shares[2];
    return triangle_distance(point, (const double *const[3]){triangle[0], triangle[1], triangle[2]}, shares);
}

static double point_box(const struct bvh_box *box, const double point[3])
{
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        double away = fabs(point[axis] - (double)box->centre[axis]) - (double)box->half[axis];
        sum += away > 0 ? away * away : 0;
    }
    return sum;
}

static void take_triangle(const struct bvh *bvh, uint32_t triangle, double out[3][3])
{
    for (int corner = 0; corner < 3; corner++)
        memcpy(out[corner], bvh->vertices[bvh->triangles[triangle][corner]], sizeof out[corner]);
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
            double triangle[3][3];
            take_triangle(bvh, i, triangle);
            best = fmin(best, point_triangle(point, (const double(*)[3])triangle));
        }
    }
    return sqrt(best);
}

/* ---- two surfaces ---- */

/* Between the sides a a + u and b b + v (Ericson, 5.1.9). */
static double segment_segment(const double a[3], const double a_end[3], const double b[3], const double b_end[3])
{
    double u[3], v[3], r[3], away[3], s = 0, t = 0;
    subtract(a_end, a, u);
    subtract(b_end, b, v);
    subtract(a, b, r);
    double uu = dot_product(u, u), vv = dot_product(v, v), uv = dot_product(u, v), ur = dot_product(u, r),
           vr = dot_product(v, r);
    double det = uu * vv - uv * uv;
    if (det > 0)
        s = fmin(1, fmax(0, (uv * vr - ur * vv) / det));
    if (vv > 0)
        t = fmin(1, fmax(0, (uv * s + vr) / vv));
    if (uu > 0)
        s = fmin(1, fmax(0, (uv * t - ur) / uu));
    for (int axis = 0; axis < 3; axis++)
        away[axis] = r[axis] + s * u[axis] - t * v[axis];
    return dot_product(away, away);
}

double triangles_distance(const double one[3][3], const double other[3][3])
{
    double best = INFINITY;
    if (triangles_meet(one, other))
        return 0;
    for (int i = 0; i < 3; i++) {
        best = fmin(best, fmin(point_triangle(one[i], other), point_triangle(other[i], one)));
        for (int k = 0; k < 3; k++)
            best = fmin(best, segment_segment(one[i], one[(i + 1) % 3], other[k], other[(k + 1) % 3]));
    }
    return best;
}

/* Of the boxes as they lie along the first one's axes. */
static double box_box(const struct bvh_box *one, const struct bvh_box *other, const cp_pose *placed)
{
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        const double *row = placed->m + 4 * i;
        double centre = row[3], half = (double)one->half[i];
        for (int k = 0; k < 3; k++) {
            centre += row[k] * (double)other->centre[k];
            half += fabs(row[k]) * (double)other->half[k];
        }
        double away = fabs(centre - (double)one->centre[i]) - half;
        sum += away > 0 ? away * away : 0;
    }
    return sum;
}

static double leaf_leaf(const struct bvh *one, const struct bvh_box *first, const struct bvh *other,
                        const struct bvh_box *second, const cp_pose *placed)
{
    double best = INFINITY;
    for (uint32_t k = second->first; k < second->first + second->count; k++) {
        double there[3][3];
        for (int corner = 0; corner < 3; corner++)
            pose_point(placed, other->vertices[other->triangles[k][corner]], there[corner]);
        for (uint32_t i = first->first; i < first->first + first->count; i++) {
            double here[3][3];
            take_triangle(one, i, here);
            best = fmin(best, triangles_distance((const double(*)[3])here, (const double(*)[3])there));
        }
    }
    return best;
}

struct waiting_pair {
    uint32_t one, other;
    double distance;
};

/* Two pairs of boxes wait; the nearer is to be taken first. */
static void wait_for(struct waiting_pair *waiting, uint32_t *count, struct waiting_pair a, struct waiting_pair b)
{
    bool b_first = b.distance < a.distance;
    waiting[(*count)++] = b_first ? a : b;
    waiting[(*count)++] = b_first ? b : a;
}

double surfaces_distance(const struct bvh *one, const struct bvh *other, const cp_pose *placed, double most,
                         uint64_t *tests)
{
    struct waiting_pair waiting[2 * BVH_LEVELS + 2] = {{0, 0, 0}};
    uint32_t count = one->box_count > 0 && other->box_count > 0;
    double best = most * most;
    while (count > 0) {
        struct waiting_pair pair = waiting[--count];
        const struct bvh_box *first = &one->boxes[pair.one], *second = &other->boxes[pair.other];
        if (!(pair.distance < best))
            continue;
        if (first->count > 0 && second->count > 0) {
            best = fmin(best, leaf_leaf(one, first, other, second, placed));
            *tests += 1;
            continue;
        }
        bool part_first = second->count > 0 || (first->count == 0 && bvh_box_size(first) > bvh_box_size(second));
        struct waiting_pair a = pair, b = pair;
        if (part_first) {
            a.one = first->first;
            b.one = first->first + 1;
        } else {
            a.other = second->first;
            b.other = second->first + 1;
        }
        a.distance = box_box(&one->boxes[a.one], &other->boxes[a.other], placed);
        b.distance = box_box(&one->boxes[b.one], &other->boxes[b.other], placed);
        *tests += 2;
        wait_for(waiting, &count, a, b);
    }
    return sqrt(best);
}
