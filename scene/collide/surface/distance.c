#include "surface.h"

#include <math.h>
#include <string.h>

#include "mesh/box_tree.h"

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

/* Takes the way from a corner to the triangle, if it is the shortest so far. sign: -1 if the corner is one of the other
 * triangle's. */
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

/* Takes the shortest way between the sides a a + u and b b + v (Ericson, Real-Time Collision Detection, 5.1.9). */
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

/* Returns a distance that the triangles certainly have along a direction of any length; 0 if that is unknown. slack:
 * the rounding of coordinates along it. */
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

/* Returns the largest gap along directions that come from the sides. A short way is a difference of long coordinates,
 * and its rounding turns it: along it large triangles seem nearer than they are, or to overlap. Directions across the
 * sides have more digits. */
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

/* Tells whether the triangles are at least `most` apart along the line between their middles, or across one of them. */
static bool are_far(const double one[3][3], const double other[3][3], double most, double slack)
{
    double direction[3];
    for (int axis = 0; axis < 3; axis++)
        direction[axis] = other[0][axis] + other[1][axis] + other[2][axis] - one[0][axis] - one[1][axis] - one[2][axis];
    if (gap_along(one, other, direction, slack) >= most)
        return true;
    triangle_normal(one[0], one[1], one[2], direction);
    if (gap_either_way(one, other, direction, slack) >= most)
        return true;
    triangle_normal(other[0], other[1], other[2], direction);
    return gap_either_way(one, other, direction, slack) >= most;
}

/* Does the same as triangles_distance; along: the way if it is shorter than `most`. */
static double find_way(const double one[3][3], const double other[3][3], double most, double slack, double along[3])
{
    struct way way = {.square = INFINITY};
    if (are_far(one, other, most, slack))
        return most;
    for (int i = 0; i < 3; i++) {
        try_corner(&way, one[i], other, 1);
        try_corner(&way, other[i], one, -1);
        for (int k = 0; k < 3; k++)
            try_sides(&way, one[i], one[(i + 1) % 3], other[k], other[(k + 1) % 3]);
    }
    double gap = gap_along(one, other, way.along, slack);
    bool is_good = gap >= most || gap * (1 + 1e-6) + slack >= sqrt(way.square);
    if (gap < most)
        memcpy(along, way.along, sizeof way.along);
    return is_good ? gap : fmax(gap, gap_by_sides(one, other, way.along, slack));
}

/* Returns at least `most`, or the distance. It is never too large: the gap along any direction is a lower bound of the
 * distance. */
double triangles_distance(const double one[3][3], const double other[3][3], double most, double slack)
{
    double along[3];
    return find_way(one, other, most, slack, along);
}

/* ---- two surfaces ---- */

/* The pairs of boxes that wait, the nearest first, and a stack of as many more as a path down to the leaves takes, for
 * the case that they are too many. The order costs more than a comparison. So pairs that are half as far apart as the
 * best, or farther, get only few places: they can shorten the distance little. */
enum { FEW_QUEUED = 32, MOST_QUEUED = 256 };

struct search {
    const struct bvh *one, *other;
    const cp_pose *placed;
    struct box_frames frames;
    double slack, best;
    /* The shortest way found so far, or one between the middles. Most of what is left is apart along it, too. It is
     * also kept as floats, seen from either frame. */
    double way[3];
    float along[3], along_back[3], moved; /* moved: the other's origin along it */
    uint64_t compared;
    struct box_pair queue[MOST_QUEUED], stack[2 * BVH_LEVELS + 2]; /* the queue is a heap */
    uint32_t queued, stacked;
};

static void queue_pair(struct search *search, struct box_pair pair)
{
    uint32_t place = search->queued++;
    for (; place > 0 && pair.nearness < search->queue[(place - 1) / 2].nearness; place = (place - 1) / 2)
        search->queue[place] = search->queue[(place - 1) / 2];
    search->queue[place] = pair;
}

static struct box_pair take_nearest(struct search *search)
{
    struct box_pair nearest = search->queue[0], last = search->queue[--search->queued];
    uint32_t place = 0;
    for (uint32_t below = 1; below < search->queued; below = 2 * place + 1) {
        below += below + 1 < search->queued && search->queue[below + 1].nearness < search->queue[below].nearness;
        if (!(search->queue[below].nearness < last.nearness))
            break;
        search->queue[place] = search->queue[below];
        place = below;
    }
    search->queue[place] = last;
    return nearest;
}

/* Sets the direction of the search from a vector of any length. */
static void take_way(struct search *search, const double way[3])
{
    double length = sqrt(dot_product(way, way));
    bool is_one = length > 1e-100 && length < (double)INFINITY; /* as long as squares neither vanish nor overflow */
    for (int i = 0; i < 3; i++) {
        search->way[i] = is_one ? way[i] / length : i == 0;
        search->along[i] = (float)search->way[i];
    }
    double moved = 0;
    for (int i = 0; i < 3; i++) {
        double back = 0;
        for (int k = 0; k < 3; k++)
            back += search->placed->m[4 * k + i] * search->way[k];
        search->along_back[i] = (float)back;
        moved += search->placed->m[4 * i + 3] * search->way[i];
    }
    search->moved = (float)moved;
}

static void compare_leaves(struct search *search, const struct bvh_box *first, const struct bvh_box *second)
{
    for (uint32_t k = second->first; k < second->first + second->count; k++) {
        double here[3][3], there[3][3];
        bvh_triangle(search->other, k, search->placed, there);
        for (uint32_t i = first->first; i < first->first + first->count; i++) {
            bvh_triangle(search->one, i, NULL, here);
            if (gap_along((const double(*)[3])here, (const double(*)[3])there, search->way, search->slack) >=
                search->best)
                continue;
            double way[3], distance = find_way((const double(*)[3])here, (const double(*)[3])there, search->best,
                                               search->slack, way);
            if (distance < search->best) {
                search->best = distance;
                take_way(search, way);
            }
        }
    }
}

/* Returns a lower bound of how far the contents of the boxes are apart along the way. The rounding, in units of half a
 * float's epsilon and of reach: the middles have 4 roundings of 1.74 each, the halves, which are sums of three, 21 and
 * 12, the other's origin 4, and the sums of these 40. That is below 100, and five times the slack is 120. */
static double gap_of_boxes(const struct search *search, const struct box_pair *pair)
{
    float here, here_half, there, there_half;
    turned_along(&search->one->turned[pair->one], search->along, &here, &here_half);
    turned_along(&search->other->turned[pair->other], search->along_back, &there, &there_half);
    return (double)(search->moved + there - here - here_half - there_half - 5 * search->frames.slack[0]) * (1 - 1e-6);
}

/* Tells whether the pair may hold anything nearer than the best. */
static bool is_worth_it(const struct search *search, const struct box_pair *pair)
{
    return !((double)pair->nearness > search->best * search->best) && !(gap_of_boxes(search, pair) > search->best);
}

/* Lets those halves of the pair wait that are worth it, so that the nearer one is taken first. */
static void part_pair(struct search *search, const struct box_pair *pair)
{
    struct box_pair halves[2];
    box_pair_part(search->one, search->other, pair, halves);
    for (int i = 0; i < 2; i++)
        halves[i].nearness =
            boxes_nearness(&search->frames, &search->one->boxes[halves[i].one], &search->other->boxes[halves[i].other]);
    search->compared += 2;
    int later = halves[1].nearness < halves[0].nearness ? 0 : 1;
    bool is_far = 4 * (double)pair->nearness > search->best * search->best;
    bool queue = search->stacked == 0 && search->queued + 2 <= (is_far ? FEW_QUEUED : MOST_QUEUED);
    for (int i = 0; i < 2; i++) {
        const struct box_pair *half = &halves[i == 0 ? later : !later];
        if (!is_worth_it(search, half))
            continue;
        if (queue)
            queue_pair(search, *half);
        else
            search->stack[search->stacked++] = *half;
    }
}

/* Searches the shortest way between the surfaces; it ends as soon as one is at most `enough` long. */
static double search_surfaces(const struct bvh *one, const struct bvh *other, const cp_pose *placed, double most,
                              double enough, uint64_t *tests)
{
    /* Rounding, with u for half the distance from 1 to the next double: a corner is placed by sums of four roundings,
     * which makes 7 u reach; two products with a direction make 11 u reach; their difference, divided by a length, is
     * at most 3.5 reach and has six. That is 39 u in all, below 6e-15. */
    static const double roundings = 6e-15;
    struct search search;
    if (one->box_count == 0 || other->box_count == 0)
        return most;
    search.one = one;
    search.other = other;
    search.placed = placed;
    search.frames = box_frames_of(one, other, placed);
    search.slack = roundings * search.frames.reach;
    search.best = most;
    search.queue[0] = (struct box_pair){0, 0, boxes_nearness(&search.frames, one->boxes, other->boxes)};
    search.queued = 1;
    double from[3], to[3], way[3];
    for (int i = 0; i < 3; i++) {
        from[i] = (double)one->boxes->centre[i];
        to[i] = (double)other->boxes->centre[i];
    }
    pose_point(placed, to, way);
    subtract(way, from, way);
    take_way(&search, way);
    search.stacked = 0;
    search.compared = 1;
    while (search.stacked + search.queued > 0 && search.best > enough) {
        bool is_nearest = search.stacked == 0;
        struct box_pair pair = is_nearest ? take_nearest(&search) : search.stack[--search.stacked];
        const struct bvh_box *first = &one->boxes[pair.one], *second = &other->boxes[pair.other];
        if (!is_worth_it(&search, &pair))
            continue;
        if (first->count > 0 && second->count > 0)
            compare_leaves(&search, first, second);
        else
            part_pair(&search, &pair);
    }
    *tests += search.compared;
    return search.best;
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
