#include "solids.h"

#include <math.h>

#include "model/model.h"

/* ---- one in another ---- */

/* How often a ray from the point leaves the part, less how often it comes in. */
static int count_crossings(const struct solid *solid, const struct part *part, const double point[3],
                           const double ray[3])
{
    int count = 0;
    for (uint32_t i = part->first; i < part->first + part->count; i++) {
        const double(*corners)[3] = (const double(*)[3])solid->triangles[i];
        double a[3], b[3], away[3], across[3], side[3];
        subtract(corners[1], corners[0], a);
        subtract(corners[2], corners[0], b);
        subtract(point, corners[0], away);
        cross_product(ray, b, across);
        double det = dot_product(a, across), u = dot_product(away, across) / det;
        cross_product(away, a, side);
        double v = dot_product(ray, side) / det, t = dot_product(b, side) / det;
        if (fabs(det) > 0 && u >= 0 && v >= 0 && u + v <= 1 && t > 0)
            count += det > 0 ? -1 : 1;
    }
    return count;
}

/* Two rays, as one may go through a side. */
static bool holds(const struct solid *solid, const double point[3])
{
    static const double rays[2][3] = {{0.6180339, 0.5772156, 0.5337}, {-0.4142135, 0.3010299, -0.8589}};
    for (int axis = 0; axis < 3; axis++)
        if (solid->box_count == 0 || point[axis] < solid->boxes[0].low[axis] ||
            point[axis] > solid->boxes[0].high[axis])
            return false;
    for (uint32_t i = 0; i < solid->part_count; i++)
        if (solid->parts[i].closed && count_crossings(solid, &solid->parts[i], point, rays[0]) != 0 &&
            count_crossings(solid, &solid->parts[i], point, rays[1]) != 0)
            return true;
    return false;
}

static bool holds_any(const struct solid *solid, const cp_pose *placed, const double (*points)[3], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double point[3];
        pose_point(placed, points[i], point);
        if (holds(solid, point))
            return true;
    }
    return false;
}

/* ---- distance ---- */

static void place(const double triangle[3][3], const cp_pose *placed, double out[3][3])
{
    for (int corner = 0; corner < 3; corner++)
        pose_point(placed, triangle[corner], out[corner]);
}

/* At least how far apart two boxes are, squared: of the box around the other one along the first one's axes. */
static double gap_along_axes(const struct box *one, const struct box *other, const cp_pose *placed)
{
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double *row = placed->m + 4 * axis;
        double low = row[3], high = row[3];
        for (int k = 0; k < 3; k++) {
            low += row[k] * (row[k] < 0 ? other->high[k] : other->low[k]);
            high += row[k] * (row[k] < 0 ? other->low[k] : other->high[k]);
        }
        double away = larger(low - one->high[axis], one->low[axis] - high);
        sum += away > 0 ? away * away : 0;
    }
    return sum;
}

/* Where one solid is in the other's frame, and the other way round; `turned` says that the latter tells distances
 * too. */
struct placing {
    cp_pose there, back;
    bool turned;
};

static double box_distance(const struct box *one, const struct box *other, const struct placing *placing)
{
    double gap = gap_along_axes(one, other, &placing->there);
    return sqrt(placing->turned ? larger(gap, gap_along_axes(other, one, &placing->back)) : gap);
}

static double leaf_distance(const struct solid *one, const struct box *leaf, const struct solid *other,
                            const struct box *other_leaf, const cp_pose *placed)
{
    double best = INFINITY;
    for (uint32_t k = other_leaf->first; k < other_leaf->first + other_leaf->count; k++) {
        double there[3][3];
        place((const double(*)[3])other->triangles[other->order[k]], placed, there);
        for (uint32_t i = leaf->first; i < leaf->first + leaf->count; i++)
            best = smaller(best,
                           triangle_gap((const double(*)[3])one->triangles[one->order[i]], (const double(*)[3])there));
    }
    return best;
}

static double box_length(const struct box *box)
{
    return box->high[0] - box->low[0] + box->high[1] - box->low[1] + box->high[2] - box->low[2];
}

/* Boxes of the one and the other solid. */
struct box_pair {
    uint32_t one, other;
    double distance;
};

/* The two halves of the pair, parted where it is larger: the farther one first. */
static void part_pair(const struct solid *one, const struct solid *other, const struct placing *placing,
                      const struct box_pair *pair, struct box_pair halves[2])
{
    const struct box *a = &one->boxes[pair->one], *b = &other->boxes[pair->other];
    bool part_one = b->count > 0 || (a->count == 0 && box_length(a) > box_length(b));
    for (uint32_t half = 0; half < 2; half++) {
        halves[half].one = part_one ? a->first + half : pair->one;
        halves[half].other = part_one ? pair->other : b->first + half;
        halves[half].distance = box_distance(&one->boxes[halves[half].one], &other->boxes[halves[half].other], placing);
    }
    if (halves[0].distance < halves[1].distance) {
        struct box_pair nearer = halves[0];
        halves[0] = halves[1];
        halves[1] = nearer;
    }
}

static double surface_gap(const struct solid *one, const struct solid *other, const struct placing *placing,
                          double most)
{
    /* Triangles are halved, so trees have at most 32 levels; going depth first, each level leaves one pair behind. */
    struct box_pair waiting[2 * 32 + 2] = {{0, 0, 0}};
    uint32_t count = one->box_count > 0 && other->box_count > 0;
    while (count > 0 && most > CONTACT) {
        struct box_pair pair = waiting[--count];
        const struct box *a = &one->boxes[pair.one], *b = &other->boxes[pair.other];
        if (!(pair.distance < most))
            continue;
        if (a->count > 0 && b->count > 0) {
            most = smaller(most, leaf_distance(one, a, other, b, &placing->there));
        } else {
            part_pair(one, other, placing, &pair, waiting + count);
            count += 2;
        }
    }
    return most;
}

/* True when the pose only turns and moves, up to rounding. */
static bool is_rigid(const cp_pose *pose)
{
    const double *m = pose->m;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k <= i; k++)
            if (fabs(m[4 * i] * m[4 * k] + m[4 * i + 1] * m[4 * k + 1] + m[4 * i + 2] * m[4 * k + 2] - (i == k)) >
                1e-12)
                return false;
    return true;
}

double solids_distance(const struct solid *one, const struct solid *other, const cp_pose *placed, double most)
{
    struct placing placing = {.there = *placed};
    bool returns = pose_inverse(placed, &placing.back);
    placing.turned = returns && is_rigid(placed);
    double gap = surface_gap(one, other, &placing, most);
    if (gap <= CONTACT || holds_any(one, placed, (const double(*)[3])other->pieces, other->piece_count))
        return 0;
    if (returns && holds_any(other, &placing.back, (const double(*)[3])one->pieces, one->piece_count))
        return 0;
    return gap;
}

double solids_distance_plainly(const struct solid *one, const struct solid *other, const cp_pose *placed)
{
    cp_pose back;
    double best = INFINITY;
    for (uint32_t k = 0; k < other->triangle_count; k++) {
        double there[3][3];
        place((const double(*)[3])other->triangles[k], placed, there);
        for (uint32_t i = 0; i < one->triangle_count; i++)
            best = smaller(best, triangle_gap((const double(*)[3])one->triangles[i], (const double(*)[3])there));
    }
    if (holds_any(one, placed, (const double(*)[3])other->triangles, 3 * (size_t)other->triangle_count))
        return 0;
    if (pose_inverse(placed, &back) &&
        holds_any(other, &back, (const double(*)[3])one->triangles, 3 * (size_t)one->triangle_count))
        return 0;
    return best;
}
