/* A joint's way through its limits. */
#include <math.h>

#include "base/text/text.h"
#include "motion/clips/clips.h"
#include "motion/loops/loops.h"

static const double duration = 4, shortest_leg = 0.5; /* seconds */

bool joint_sweep(const cp_joint *joint, double diagonal, struct sweep *sweep)
{
    double reach = joint->type == CP_JOINT_REVOLUTE ? PI : diagonal > 0 && isfinite(diagonal) ? diagonal / 2 : 0.5;
    double home = joint->home, total = 0;
    bool scale = joint->type == CP_JOINT_SCALE;
    if (joint->type == CP_JOINT_FIXED || !joint->driven || cp_joint_is_dependent(joint))
        return false;
    double lower = isfinite(joint->lower) ? joint->lower : scale ? home / 2 : home - reach;
    double upper = isfinite(joint->upper) ? joint->upper : scale ? home * 2 : home + reach;
    /* One limit alone may lie beyond the other's substitute. */
    if (lower > upper && !isfinite(joint->lower))
        lower = upper - 2 * reach;
    if (lower > upper && !isfinite(joint->upper))
        upper = lower + 2 * reach;
    const double values[SWEEP_KEYS] = {home, lower, upper, home};
    for (int i = 1; i < SWEEP_KEYS; i++)
        total += fabs(values[i] - values[i - 1]);
    if (!(total > 0) || !isfinite(total))
        return false;
    for (int i = 0; i < SWEEP_KEYS; i++) {
        sweep->values[i] = values[i];
        sweep->times[i] =
            i == 0 ? 0 : sweep->times[i - 1] + fmax(duration * fabs(values[i] - values[i - 1]) / total, shortest_leg);
    }
    return true;
}

/* Returns how far loops can be followed from home to a value, from the scene's own pose, as a part of the way. */
static double reach_to(cp_mechanism *mechanism, uint32_t joint, double home, double value)
{
    struct closure *closure = mechanism->closure;
    const uint32_t group = closure->chains.group_of[joint];
    const bool failed = closure->branch.failed;
    double reached = 1;
    closure_restart(closure, group);
    mechanism->q[joint] = value;
    if (closure_solve_group(closure, group, mechanism->q) != CP_OK)
        reached = fmin(fmax((mechanism->open.value - home) / (value - home), 0), 1);
    mechanism->q[joint] = mechanism->scene->joints[joint].q;
    closure->branch.failed = failed;
    closure_restart(closure, group);
    return reached;
}

bool mechanism_sweep(cp_mechanism *mechanism, uint32_t joint, double diagonal, struct sweep *sweep)
{
    const cp_joint *it = &mechanism->scene->joints[joint];
    if (!joint_sweep(it, diagonal, sweep))
        return false;
    if (!mechanism_closes(mechanism, joint))
        return true;
    cp_joint nearer = *it;
    /* Stop a little before the end, so that rounding does not open a loop. */
    for (int i = 1; i <= 2; i++) {
        double part = reach_to(mechanism, joint, it->home, sweep->values[i]);
        double *limit = i == 1 ? &nearer.lower : &nearer.upper;
        *limit = it->home + (part < 1 ? 0.99 * part : 1) * (sweep->values[i] - it->home);
    }
    return joint_sweep(&nearer, diagonal, sweep);
}

/* ---- what follows a sweep ---- */

enum { MOST_HALVINGS = 12, LOOKS = 4 };
/* The places at which a piece is tested. Four whole waves look straight at the quarters, so the last place is 1 -
 * 0.618, by the golden ratio. */
static const double looks[LOOKS] = {0.5, 0.25, 0.75, 0.38196601125010515};

struct curve_point {
    double time, value, result; /* value: of the driver */
    int halvings;               /* of the way to it */
};

/* Returns the joint's value at the driver's. The joints of a group are asked for at nearly the same values, so a
 * solution is kept for them. */
static double find_result(cp_mechanism *mechanism, uint32_t driver, uint32_t joint)
{
    const uint32_t group = mechanism_group(mechanism, joint);
    const double value = mechanism->q[driver];
    if (group == CP_NONE)
        return mechanism_value(mechanism, joint, mechanism->q);
    if (!closure_recall(mechanism->closure, group, driver, value) &&
        closure_solve_group(mechanism->closure, group, mechanism->q) == CP_OK)
        closure_remember(mechanism->closure, group, driver, value);
    return mechanism_value(mechanism, joint, mechanism->values);
}

static struct curve_point point_at(cp_mechanism *mechanism, uint32_t driver, uint32_t joint, double time, double value)
{
    mechanism->q[driver] = value;
    double result = find_result(mechanism, driver, joint);
    mechanism->q[driver] = mechanism->scene->joints[driver].q;
    return (struct curve_point){.time = time, .value = value, .result = result};
}

bool sweep_expression(cp_mechanism *mechanism, uint32_t driver, uint32_t joint, const struct sweep *sweep,
                      struct growing_track *track)
{
    if (mechanism_group(mechanism, joint) != CP_NONE)
        closure_restart(mechanism->closure, mechanism_group(mechanism, joint));
    struct curve_point at = point_at(mechanism, driver, joint, sweep->times[0], sweep->values[0]);
    bool fine = track_add(mechanism->context, track, at.time, &at.result);
    for (int key = 1; key < SWEEP_KEYS && fine; key++) {
        /* Go from a key to the next one of the sweep: straight, or to the nearer half first. */
        struct curve_point goals[MOST_HALVINGS + 1] = {
            point_at(mechanism, driver, joint, sweep->times[key], sweep->values[key])};
        for (uint32_t depth = 1; depth > 0 && fine;) {
            struct curve_point *next = &goals[depth - 1], between[LOOKS];
            bool straight = true;
            for (int i = 0; i < LOOKS; i++) {
                double t = looks[i], way = next->result - at.result;
                between[i] = point_at(mechanism, driver, joint, at.time + (next->time - at.time) * t,
                                      at.value + (next->value - at.value) * t);
                straight = straight && fabs(at.result + way * t - between[i].result) <= track->tolerance;
            }
            if (straight || next->halvings == MOST_HALVINGS) {
                fine = track_add(mechanism->context, track, next->time, &next->result);
                at = *next;
                depth--;
            } else {
                between[0].halvings = ++next->halvings;
                goals[depth++] = between[0];
            }
        }
    }
    return fine;
}
