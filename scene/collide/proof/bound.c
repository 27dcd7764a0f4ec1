/* Seen from a link between two bodies, the split, the joints on either side of it move the body on that side. Take the
 * joints of a box to any of its configurations one after the other, the ones next to the split first. Those behind the
 * joint that turns are at the middle still. So it takes a point p, as the middle has it, to
 *
 *     p + sin(x) (u x v) - (1 - cos(x)) w
 *
 * where x is the angle, at most h; u is the axis; v is the way from the axis to p, and w the part of v across the axis.
 * The joints before it only turn that step, by at most s. Let n be the direction along which the step takes most off
 * the gap, a the angle between n and u, r the largest length of w, A the largest |n (u x v)| and B the least n w of all
 * points. Then it takes off at most
 *
 *     2 sin(h / 2) r sin(min(90 deg, a + s)), and at most
 *     max over x of (sin(x) A - (1 - cos(x)) B) + 2 sin(s / 2) 2 sin(h / 2) r
 *
 * The first bound looks only at how the axis lies. The second one is small where a stretched arm turns, since A is 0
 * there. A joint that slides takes the body h along its axis. The angle s is the sum of what the joints before turn;
 * but what is along their axes they do not turn, so it may be less: see turn_further. */
#include "bound.h"

#include <math.h>
#include <string.h>

#include "base/text/text.h"

struct axis axis_of(const struct prover *prover, uint32_t motion)
{
    const struct chain_motion *it = &prover->chain->motions[motion];
    struct axis axis = {.slides = prover->chain->scene->joints[it->joint].type == CP_JOINT_PRISMATIC};
    motion_axis(prover->chain, it, &prover->poses[motion], axis.unit, axis.origin);
    axis.length = sqrt(dot_product(axis.unit, axis.unit));
    for (int i = 0; i < 3; i++)
        axis.unit[i] /= axis.length;
    return axis;
}

void seen_from_axis(const struct axis *axis, const double point[3], double *height, double *distance)
{
    double away[3], across[3];
    subtract(point, axis->origin, away);
    cross_product(axis->unit, away, across);
    *height = dot_product(axis->unit, away);
    *distance = sqrt(dot_product(across, across));
}

/* ---- one joint ---- */

/* Half of the range of a joint, and how far the joints between it and the split may have turned it. */
struct range {
    double half, turned;
};

/* Returns how far a motion may take, along the normal, what is at most `radius` from its axis: by the angle between
 * normal and axis. */
static double step_by_axis(const struct axis *axis, const struct range *range, const double *normal, double radius)
{
    double across[3], sine = 1, cosine = 0;
    if (normal) { /* the angle between them, at most a right one; the cosine alone is too coarse for small ones */
        cross_product(axis->unit, normal, across);
        sine = sqrt(dot_product(across, across));
        cosine = fabs(dot_product(axis->unit, normal));
    }
    double turned_sine = sin(range->turned), turned_cosine = cos(range->turned);
    bool far = !normal || range->turned >= PI / 2; /* turned by so much it may be any angle */
    if (axis->slides) {
        bool aligned = far || sine * turned_cosine <= cosine * turned_sine;
        return range->half * axis->length * (aligned ? 1 : cosine * turned_cosine + sine * turned_sine);
    }
    bool across_it = far || cosine * turned_cosine <= sine * turned_sine;
    return chord_of(range->half) * (across_it ? 1 : sine * turned_cosine + cosine * turned_sine) * radius;
}

/* Returns the largest sin(x) along - (1 - cos(x)) back of all angles x from 0 to half. along: at least 0. */
static double farthest_on_arc(double along, double back, double half)
{
    if (half >= atan2(along, back)) /* it goes back beyond this angle */
        return back > 0 ? along * along / (hypot(along, back) + back) : hypot(along, back) - back;
    return sin(half) * along - 2 * sin(half / 2) * sin(half / 2) * back;
}

/* Finds, for what is at an end of the part, the largest size of n (u x v) and the least of n w: see above. */
static void measure_arc(const struct prover *prover, const struct part *part, int side, const struct axis *axis,
                        const double normal[3], double *along, double *back)
{
    double directions[2][3], lows[2], highs[2], aligned = dot_product(axis->unit, normal);
    cross_product(normal, axis->unit, directions[0]);
    for (int i = 0; i < 3; i++)
        directions[1][i] = (side ? -1 : 1) * (normal[i] - aligned * axis->unit[i]);
    for (int i = 0; i < 2; i++) {
        if (part->left_out[side] > 0)
            lows[i] = highs[i] = dot_product(directions[i], part->centres[side]);
        else
            convex_range(&prover->hulls[side], directions[i], &lows[i], &highs[i]);
        double place = dot_product(directions[i], axis->origin);
        lows[i] -= place;
        highs[i] -= place;
    }
    *along = fmax(fabs(lows[0]), fabs(highs[0]));
    *back = lows[1];
}

double radius_at(struct prover *prover, const struct part *part, int side, uint32_t motion, const struct axis *axis)
{
    double height, *radius = &prover->radii[side][motion], distance;
    if (part->left_out[side] > 0) {
        seen_from_axis(axis, part->centres[side], &height, &distance);
        return distance * (1 + 1e-9);
    }
    if (*radius < 0 && !axis->slides)
        *radius = convex_radius(&prover->hulls[side], axis->unit, axis->origin);
    return *radius;
}

/* Returns what a motion may take off the gap. */
static double motion_term(struct prover *prover, const struct part *part, int side, uint32_t motion,
                          const struct axis *axis, const struct range *range, const double *normal)
{
    double along, back, radius = radius_at(prover, part, side, motion, axis);
    double term = step_by_axis(axis, range, normal, radius);
    /* The turn of the joints before bounds the step by itself, which is of no use where it is more than all. */
    double chord = chord_of(range->half) * radius, carried = chord_of(range->turned + prover->chain->stretch) * chord;
    if (!normal || axis->slides || carried >= term)
        return term;
    measure_arc(prover, part, side, axis, normal, &along, &back);
    /* 1e-10 of the chord is more than the rounding */
    return fmin(term, farthest_on_arc(along, back, range->half) + carried + 1e-10 * chord);
}

/* ---- all joints of a part ---- */

/* Returns how far the joints from the split to this one may turn the normal, seen from what they move. A joint turns it
 * as it turns a point at a distance of 1: little, if its axis is along the normal. */
static double turn_further(const struct axis *axis, const struct range *range, const double *normal)
{
    if (axis->slides)
        return range->turned;
    double way = chord_of(range->turned) + step_by_axis(axis, range, normal, 1);
    return fmin(range->turned + range->half, 2 * asin(fmin(1, way / 2)));
}

double sum_terms(struct prover *prover, const struct part *part, const double *normal, double *terms)
{
    const struct frame_chain *chain = prover->chain;
    uint32_t first = part->left_out[0], end = chain->motion_count - part->left_out[1];
    double sum = 0;
    memset(terms, 0, chain->variable_count * sizeof *terms);
    for (int side = 0; side < 2; side++) {
        struct range range = {.turned = chain->stretch};
        uint32_t count = side ? end - part->split : part->split - first;
        for (uint32_t i = 0; i < count; i++) { /* away from the split */
            uint32_t motion = motion_on_way(chain, side ? part->split + i : part->split - 1 - i);
            const struct chain_motion *it = &chain->motions[motion];
            range.half = fabs(it->scale) * prover->halves[it->variable];
            struct axis axis = axis_of(prover, motion);
            double term = motion_term(prover, part, side, motion, &axis, &range, normal);
            terms[it->variable] += term;
            sum += term;
            range.turned = turn_further(&axis, &range, normal);
        }
    }
    /* the sums' own rounding, and that of the poses, is far below this share of them */
    return sum * (1 + 1e-9 + chain->stretch);
}
