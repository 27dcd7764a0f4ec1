/* Take a link between the two bodies as the one that stays, and a point p that is fixed to it. In the middle of a box
 * of joint values p is in both bodies, at depths d[0] and d[1] below their surfaces. Seen from one of the bodies, p
 * moves when the joints between the body and the link do. Take these joints to any values of the box one after the
 * other, the one next to the body first. Those between it and the link are at the middle still, so p is as far from the
 * axis as it is in the middle, u, and moves by the chord 2 sin(h / 2) u; a joint that slides moves it by h. Joints next
 * to the body that have moved before only carry that along. If the sum of all is no more than the depth, p stays in the
 * body; if so on both sides, the two touch in the whole box. The search for p climbs to a larger share of the depth in
 * the sum. It need not find the best point: any point with a share of 1 is a proof. */
#include "proof.h"

#include <math.h>
#include <string.h>

#include "base/text/text.h"

/* A frame of a body, seen from the common ancestor's. */
struct side {
    const struct body *body;
    cp_pose back; /* from the common ancestor's frame */
    double size;  /* size of a step there, in the body's frame */
    double slack; /* bounds the rounding of a depth, in the common ancestor's frame */
    double stretch;
};

struct search {
    struct prover *prover;
    struct side sides[2];
    double touch;
    uint64_t work;
    double low[3], high[3]; /* around what the bodies may have in common */
};

struct found {
    double point[3], score; /* the share; below 0 how far the point is from being common, in the ancestor's frame */
};

/* ---- one point ---- */

/* Returns a depth that the point has in the body at least. Outside it is negative: minus a distance that the point is
 * at most from the surface. */
static double depth_in(const struct side *side, const double point[3])
{
    double own[3];
    pose_point(&side->back, point, own);
    double distance = surface_distance(&side->body->bvh, own, 1e100) / side->size;
    bool inside = body_holds(side->body, own, true);
    return (inside ? distance / (1 + side->stretch) : -distance * (1 + side->stretch)) - side->slack;
}

/* Returns a bound of the distance by which a motion moves the point. */
static double motion_at(const struct prover *prover, uint32_t motion, const double point[3])
{
    const struct frame_chain *chain = prover->chain;
    const struct chain_motion *it = &chain->motions[motion];
    double axis[3], origin[3], from[3], across[3], half = fabs(it->scale) * prover->halves[it->variable];
    motion_axis(chain, it, &prover->poses[motion], axis, origin);
    double length = sqrt(dot_product(axis, axis));
    if (chain->scene->joints[it->joint].type == CP_JOINT_PRISMATIC)
        return half * length;
    subtract(point, origin, from);
    cross_product(from, axis, across);
    return (half < PI ? 2 * sin(half / 2) : 2) * sqrt(dot_product(across, across)) / length;
}

/* Returns the share at the link for which it is largest. The motions on the way before the link move the first body. */
static double share_at(const struct prover *prover, const double depths[2], const double point[3])
{
    const struct frame_chain *chain = prover->chain;
    double sum = 0, before = 0, best = 0;
    for (uint32_t i = 0; i < chain->motion_count; i++)
        sum += motion_at(prover, i, point);
    sum *= 1 + 1e-9 + 4 * chain->stretch;
    for (uint32_t i = 0; i <= chain->motion_count; i++) {
        double shares[2] = {before > 0 ? depths[0] / before : INFINITY,
                            sum > before ? depths[1] / (sum - before) : INFINITY};
        best = fmax(best, fmin(shares[0], shares[1]));
        if (i < chain->motion_count)
            before += motion_at(prover, motion_on_way(chain, i), point) * (1 + 1e-9 + 4 * chain->stretch);
    }
    return best;
}

static double score_at(struct search *search, const double point[3])
{
    double depths[2] = {depth_in(&search->sides[0], point) + search->touch / 2, 0};
    search->work++;
    depths[1] = depth_in(&search->sides[1], point) + search->touch / 2;
    double least = fmin(depths[0], depths[1]);
    return least >= 0 ? share_at(search->prover, depths, point) : least < 0 ? least : -INFINITY;
}

static bool try_point(struct search *search, struct found *found, const double point[3])
{
    double score = score_at(search, point);
    if (!(score > found->score))
        return false;
    found->score = score;
    memcpy(found->point, point, sizeof found->point);
    return true;
}

/* ---- the search ---- */

/* Steps along the axes to better points, so many rounds. A round that finds none halves the step. */
static void climb(struct search *search, struct found *found, double step, int rounds)
{
    for (int round = 0; round < rounds && found->score < 1; round++) {
        bool better = false;
        for (int way = 0; way < 6 && found->score < 1; way++) {
            double point[3] = {found->point[0], found->point[1], found->point[2]};
            point[way / 2] += way % 2 ? -step : step;
            better = try_point(search, found, point) || better;
        }
        if (!better)
            step /= 2;
    }
}

/* Finds the box, along the common ancestor's axes, of what the hulls may have in common; false where that is
 * nothing. */
static bool find_room(struct search *search)
{
    for (int axis = 0; axis < 3; axis++) {
        double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        for (int side = 0; side < 2; side++) {
            const struct convex *hull = &search->prover->hulls[side];
            for (uint32_t i = 0; i < hull->count; i++) {
                double point[3];
                pose_point(hull->pose, hull->points[i], point);
                low[side] = fmin(low[side], point[axis]);
                high[side] = fmax(high[side], point[axis]);
            }
        }
        search->low[axis] = fmax(low[0], low[1]) - search->touch;
        search->high[axis] = fmin(high[0], high[1]) + search->touch;
        if (!(search->low[axis] <= search->high[axis]))
            return false;
    }
    return true;
}

/* Climbs from points that fill the room evenly. The strides are 1 / g, 1 / g^2 and 1 / g^3, where g^4 = g + 1: Roberts'
 * R3 sequence (2018). */
static void search_room(struct search *search, struct found *found)
{
    enum { STARTS = 3, POINTS = 32, ROUNDS = 20 };
    static const double strides[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};
    double size = 0;
    if (!find_room(search))
        return;
    for (int axis = 0; axis < 3; axis++)
        size = fmax(size, search->high[axis] - search->low[axis]);
    for (int start = 0; start < STARTS && found->score < 1; start++) {
        struct found from = {.score = -INFINITY};
        for (int i = 0; i < POINTS; i++) {
            double point[3];
            for (int axis = 0; axis < 3; axis++) {
                double place = strides[axis] * (start * POINTS + i + 1);
                place -= floor(place);
                point[axis] = search->low[axis] + place * (search->high[axis] - search->low[axis]);
            }
            (void)try_point(search, &from, point);
        }
        climb(search, &from, size / 8, ROUNDS);
        if (from.score > found->score)
            *found = from;
    }
}

/* Climbs from where the search before ended, a point that each of the bodies has carried with it. */
static void search_near(struct search *search, struct found *found)
{
    enum { ROUNDS = 5 };
    const struct prover *prover = search->prover;
    const double worth = 0.3; /* a share that a better point may make up for; else smaller boxes do */
    for (int side = 0; side < 2 && found->score < 1; side++) {
        double point[3];
        pose_point(&prover->ends[side], prover->inside[side], point);
        (void)try_point(search, found, point);
    }
    if (found->score < worth && found->score >= 0)
        return;
    climb(search, found, prover->inside_step, ROUNDS);
}

/* False where a body's frame squeezes it flat, or it has no surface. */
static bool open_side(struct search *search, int side)
{
    const struct prover *prover = search->prover;
    struct side *it = &search->sides[side];
    it->body = prover->bodies[side];
    if (it->body->bvh.triangle_count == 0 || !pose_inverse(&prover->ends[side], &it->back))
        return false;
    struct similarity similarity = similarity_of(&it->back);
    it->size = similarity.size;
    it->stretch = 4 * similarity.stretch;
    it->slack = 1e-12 * it->body->bvh.reach / it->size + 1e-14 * prover->chain->way / prover->chain->unit;
    return it->stretch < MOST_STRETCH && isfinite(it->slack);
}

struct depth look_inside(struct prover *prover, double touch, uint64_t *work)
{
    const struct frame_chain *chain = prover->chain;
    struct search search = {.prover = prover, .touch = touch};
    struct found found = {.score = -INFINITY};
    if (!open_side(&search, 0) || !open_side(&search, 1))
        return (struct depth){false, 0};
    if (prover->has_inside)
        search_near(&search, &found);
    if (found.score < 0)
        search_room(&search, &found);
    *work += search.work;
    prover->has_inside = found.score >= 0;
    if (!prover->has_inside)
        return (struct depth){false, 0};
    memset(prover->terms, 0, chain->variable_count * sizeof *prover->terms);
    for (uint32_t i = 0; i < chain->motion_count; i++)
        prover->terms[chain->motions[i].variable] += motion_at(prover, i, found.point);
    double deep = INFINITY;
    for (int side = 0; side < 2; side++) {
        pose_point(&search.sides[side].back, found.point, prover->inside[side]);
        deep = fmin(deep, fabs(depth_in(&search.sides[side], found.point)));
    }
    prover->inside_step = deep / 2;
    return (struct depth){true, found.score};
}
