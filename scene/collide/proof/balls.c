/* A long arm needs no look at all its joints to be known to stay away: a ball holds its end, whatever the joints next
 * to the end do. So does one hold the end of the other side. */
#include "bound.h"

#include <string.h>

/* ---- the balls of a body ---- */

static double distance_between(const double one[3], const double other[3])
{
    double away[3];
    subtract(one, other, away);
    return sqrt(dot_product(away, away));
}

/* Returns the largest distance from a place of a ball that turns about an axis. */
static double farthest_turned(const struct axis *axis, const struct ball *ball, const double place[3])
{
    double heights[2], distances[2];
    seen_from_axis(axis, ball->centre, &heights[0], &distances[0]);
    seen_from_axis(axis, place, &heights[1], &distances[1]);
    return hypot(heights[0] - heights[1], distances[0] + distances[1]) + ball->radius;
}

/* Returns the largest distance from a place of a body's points, which turn about the axis unless it is NULL. */
static double farthest_point(const struct convex *hull, const struct axis *axis, const double place[3])
{
    double most = 0;
    for (uint32_t i = 0; i < hull->count; i++) {
        struct ball point = {.radius = 0};
        pose_point(hull->pose, hull->points[i], point.centre);
        most = fmax(most, axis ? farthest_turned(axis, &point, place) : distance_between(point.centre, place));
    }
    return most;
}

/* Returns a ball around a body, as it stands. */
static struct ball ball_around(const struct convex *hull)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, middle[3];
    struct ball ball;
    for (uint32_t i = 0; i < hull->count; i++)
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = fmin(low[axis], hull->points[i][axis]);
            high[axis] = fmax(high[axis], hull->points[i][axis]);
        }
    for (int axis = 0; axis < 3; axis++)
        middle[axis] = low[axis] / 2 + high[axis] / 2;
    pose_point(hull->pose, middle, ball.centre);
    ball.radius = farthest_point(hull, NULL, ball.centre);
    return ball;
}

/* A ball that holds a body whatever some joints do, and the last of these, which is the farthest from the body. */
struct grown {
    struct ball ball;
    struct axis axis;
};

/* Returns the ball that holds all to which the motion takes what is in `ball`. It does not matter where the motion
 * stands. A turn keeps distances from any place of its axis, so the centre is a place there. A joint that slides has
 * the middle of its way. */
static struct grown grow(const struct prover *prover, uint32_t motion, const struct ball *ball)
{
    const struct chain_motion *it = &prover->chain->motions[motion];
    const struct variable *variable = &prover->chain->variables[it->variable];
    struct grown grown = {.axis = axis_of(prover, motion)};
    const struct axis *axis = &grown.axis;
    double from[3], way, half = (variable->upper - variable->lower) / 2;
    if (axis->slides) {
        memcpy(from, ball->centre, sizeof from);
        way = it->scale * (variable->lower + half - prover->values[it->variable]) * axis->length;
    } else {
        double away[3];
        memcpy(from, axis->origin, sizeof from);
        subtract(ball->centre, axis->origin, away);
        way = dot_product(away, axis->unit);
    }
    for (int i = 0; i < 3; i++)
        grown.ball.centre[i] = from[i] + way * axis->unit[i];
    double further =
        axis->slides ? fabs(it->scale) * half * axis->length : distance_between(ball->centre, grown.ball.centre);
    grown.ball.radius = ball->radius + further;
    return grown;
}

/* Finds a ball for each motion: it holds the body of a side, whatever this motion and those between it and the body do.
 * Two bounds of a radius are known, from which the smaller is taken: the ball before and the way to the new centre; and
 * where two turning joints follow each other, the farthest place on the circle on which the first of them takes the
 * ball before that, or the body. */
static void find_balls(struct prover *prover, int side)
{
    const struct frame_chain *chain = prover->chain;
    const struct convex *hull = &prover->hulls[side];
    uint32_t motions = chain->motion_count;
    struct ball before = {.radius = 0};
    struct grown last = {.ball = ball_around(hull)};
    /* the share is more than what the frames can stretch either way; 1e-9 and 1e-14, some 50 times a double's epsilon,
     * are more than the poses' rounding */
    double share = 1 + 8 * chain->stretch + 1e-9, slack = 1e-14 * (motions + 1) * (chain->way / chain->unit);
    for (uint32_t i = 0; i < motions; i++) { /* away from the body */
        uint32_t motion = motion_on_way(chain, side ? motions - 1 - i : i);
        struct grown next = grow(prover, motion, &last.ball);
        double *radius = &next.ball.radius;
        if (!next.axis.slides && i == 0)
            *radius = farthest_point(hull, NULL, next.ball.centre);
        else if (!next.axis.slides && !last.axis.slides)
            *radius = fmin(*radius, i == 1 ? farthest_point(hull, &last.axis, next.ball.centre)
                                           : farthest_turned(&last.axis, &before, next.ball.centre));
        *radius = *radius * share + slack;
        before = last.ball;
        last = next;
        /* Keep it in the motion's frame, which it does not leave. */
        cp_pose back;
        struct ball *ball = &prover->balls[side][motion];
        *ball = (struct ball){.radius = INFINITY};
        if (pose_inverse(&prover->poses[motion], &back)) {
            pose_point(&back, next.ball.centre, ball->centre);
            ball->radius = *radius;
        }
    }
}

/* ---- parts of the way ---- */

/* Returns the split with the smallest sum of how far the joints move what is at the ends. */
static uint32_t split_part(struct prover *prover, struct part *part)
{
    const struct frame_chain *chain = prover->chain;
    uint32_t first = part->left_out[0], end = chain->motion_count - part->left_out[1], best = first;
    double sum = 0, least = 0; /* less the sum at the first split */
    for (uint32_t i = first; i < end; i++) {
        uint32_t motion = motion_on_way(chain, i);
        const struct chain_motion *it = &chain->motions[motion];
        struct axis axis = axis_of(prover, motion);
        if (axis.slides) /* moves both by as much */
            continue;
        double chord = chord_of(fabs(it->scale) * prover->halves[it->variable]);
        sum += chord * (radius_at(prover, part, 0, motion, &axis) - radius_at(prover, part, 1, motion, &axis));
        if (sum < least) {
            least = sum;
            best = i + 1;
        }
    }
    return best;
}

/* Returns the gap between the centres of balls, or of one and the other body's hull. */
static struct hull_gap gap_of_part(struct prover *prover, const struct part *part)
{
    const double(*points[2])[3] = {(const double(*)[3])part->centres[0], (const double(*)[3])part->centres[1]};
    struct convex ends[2];
    for (int side = 0; side < 2; side++)
        ends[side] =
            part->left_out[side] > 0 ? (struct convex){.points = points[side], .count = 1} : prover->hulls[side];
    return convex_gap(&ends[0], &ends[1], INFINITY, &(struct convex_start){.count = 0});
}

/* A proof by a part of the way. */
struct attempt {
    double gap; /* beyond the clearance */
    double sum; /* that the joints may take off it */
};

/* Tries the part without so many joints at its ends. The terms become those of the part, if there is a gap. */
static struct attempt try_part(struct prover *prover, const uint32_t left_out[2], double clearance, double *terms)
{
    const struct frame_chain *chain = prover->chain;
    struct part part = {.left_out = {left_out[0], left_out[1]}};
    double radii = 0;
    for (int side = 0; side < 2; side++) {
        if (left_out[side] == 0)
            continue;
        uint32_t place = side ? chain->motion_count - left_out[1] : left_out[0] - 1;
        uint32_t motion = motion_on_way(chain, place);
        pose_point(&prover->poses[motion], prover->balls[side][motion].centre, part.centres[side]);
        radii += prover->balls[side][motion].radius;
    }
    struct hull_gap gap = gap_of_part(prover, &part);
    struct attempt attempt = {.gap = gap.low - radii - clearance};
    if (!(attempt.gap > 0))
        return attempt;
    part.split = split_part(prover, &part);
    attempt.sum = sum_terms(prover, &part, gap.normal, terms);
    return attempt;
}

/* Estimates the work that is left if the terms take their sum off a gap: about so many boxes, as a logarithm. */
static double work_left(const double *terms, uint32_t variables, double gap)
{
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < variables; i++) {
        sum += terms[i];
        count += terms[i] > 0;
    }
    return gap > 0 ? count * log(fmax(1, sum / gap)) : INFINITY;
}

/* A part whose gap is far less than that of the hulls has none in the neighbourhood: a box is not cut for it. */
#define LEAST_SHARE 0.125

/* The best part that is known. */
struct best {
    double hull_gap;
    uint32_t left_out[2];
    double work;
};

/* Tries all parts that leave out so many joints at the other side. Returns the room of the first that proves the box,
 * or 0; then the best one may be another. */
static double try_side(struct prover *prover, int side, uint32_t at_other, double clearance, struct best *best)
{
    uint32_t variables = prover->chain->variable_count, motions = prover->chain->motion_count;
    for (uint32_t i = 1; i + at_other <= motions; i++) {
        const uint32_t left_out[2] = {side ? at_other : i, side ? i : at_other};
        struct attempt attempt = try_part(prover, left_out, clearance, prover->part_terms);
        if (!(attempt.gap > 0))
            continue;
        if (attempt.gap > attempt.sum)
            return attempt.gap - attempt.sum;
        double work = work_left(prover->part_terms, variables, attempt.gap);
        if (attempt.gap < LEAST_SHARE * best->hull_gap || work >= best->work)
            continue;
        *best = (struct best){best->hull_gap, {left_out[0], left_out[1]}, work};
        memcpy(prover->terms, prover->part_terms, variables * sizeof *prover->terms);
    }
    return 0;
}

double find_room(struct prover *prover, double gap, double clearance)
{
    struct best best = {
        gap - clearance, {0, 0}, work_left(prover->terms, prover->chain->variable_count, gap - clearance)};
    for (int side = 0; side < 2 && !prover->has_balls; side++)
        find_balls(prover, side);
    prover->has_balls = true;
    double room = try_side(prover, 0, 0, clearance, &best);
    if (!(room > 0))
        room = try_side(prover, 1, 0, clearance, &best);
    /* Then both at a time, the best of one side with all of the other. */
    uint32_t alone[2] = {best.left_out[0], best.left_out[1]};
    for (int side = 0; side < 2 && !(room > 0); side++)
        if (alone[!side] > 0)
            room = try_side(prover, side, alone[!side], clearance, &best);
    return room;
}
