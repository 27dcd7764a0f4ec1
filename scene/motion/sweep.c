/* A joint's way through its limits. */
#include <math.h>

#include "grow.h"

static const double duration = 4, shortest_leg = 0.5; /* seconds */

static void sweep_range(const cp_joint *joint, double diagonal, double *lower, double *upper)
{
    double reach = joint->type == CP_JOINT_REVOLUTE ? PI : diagonal > 0 && isfinite(diagonal) ? diagonal / 2 : 0.5;
    bool scale = joint->type == CP_JOINT_SCALE;
    *lower = isfinite(joint->lower) ? joint->lower : scale ? joint->home / 2 : joint->home - reach;
    *upper = isfinite(joint->upper) ? joint->upper : scale ? joint->home * 2 : joint->home + reach;
    /* One limit alone may lie beyond the other's substitute. */
    if (*lower > *upper && !isfinite(joint->lower))
        *lower = *upper - 2 * reach;
    if (*lower > *upper && !isfinite(joint->upper))
        *upper = *lower + 2 * reach;
}

bool joint_sweep(const cp_joint *joint, double diagonal, struct sweep *sweep)
{
    if (joint->type == CP_JOINT_FIXED || !joint->driven || cp_joint_is_dependent(joint))
        return false;
    double lower, upper;
    sweep_range(joint, diagonal, &lower, &upper);
    const double values[SWEEP_KEYS] = {joint->home, lower, upper, joint->home};
    double legs[SWEEP_KEYS - 1], total = 0;
    for (int i = 0; i + 1 < SWEEP_KEYS; i++) {
        legs[i] = fabs(values[i + 1] - values[i]);
        total += legs[i];
    }
    if (!(total > 0) || !isfinite(total))
        return false;
    for (int i = 0; i < SWEEP_KEYS; i++) {
        sweep->values[i] = values[i];
        sweep->times[i] = i == 0 ? 0 : sweep->times[i - 1] + fmax(duration * legs[i - 1] / total, shortest_leg);
    }
    return true;
}

/* ---- what follows a sweep ---- */

enum { MOST_HALVINGS = 12, LOOKS = 4 };
/* Where a piece is looked at. At quarters alone four whole waves would look like none. */
static const double looks[LOOKS] = {0.5, 0.25, 0.75, 0.38196601125010515};

struct curve_point {
    double time, value, result; /* value: of the driver */
    int halvings;               /* of the way to it */
};

static struct curve_point point_at(cp_mechanism *mechanism, uint32_t driver, uint32_t joint, double time, double value)
{
    mechanism->q[driver] = value;
    double result = mechanism_value(mechanism, joint, mechanism->q);
    mechanism->q[driver] = mechanism->scene->joints[driver].q;
    return (struct curve_point){.time = time, .value = value, .result = result};
}

/* From a point that is a key to the next one that is given, by halves. */
static bool add_leg(cp_mechanism *mechanism, uint32_t driver, uint32_t joint, struct curve_point *at,
                    struct curve_point goal, struct growing_track *track)
{
    struct curve_point goals[MOST_HALVINGS + 1] = {goal};
    uint32_t depth = 1;
    bool fine = true;
    while (depth > 0 && fine) {
        struct curve_point *next = &goals[depth - 1], between[LOOKS];
        bool straight = true;
        for (int i = 0; i < LOOKS; i++) {
            double t = looks[i];
            between[i] = point_at(mechanism, driver, joint, at->time + (next->time - at->time) * t,
                                  at->value + (next->value - at->value) * t);
            straight =
                straight && fabs(at->result + (next->result - at->result) * t - between[i].result) <= track->tolerance;
        }
        if (straight || next->halvings == MOST_HALVINGS) {
            fine = track_add(mechanism->context, track, next->time, &next->result);
            *at = *next;
            depth--;
        } else {
            between[0].halvings = ++next->halvings;
            goals[depth++] = between[0];
        }
    }
    return fine;
}

bool sweep_expression(cp_mechanism *mechanism, uint32_t driver, uint32_t joint, const struct sweep *sweep,
                      struct growing_track *track)
{
    struct curve_point at = point_at(mechanism, driver, joint, sweep->times[0], sweep->values[0]);
    bool fine = track_add(mechanism->context, track, at.time, &at.result);
    for (int i = 1; i < SWEEP_KEYS && fine; i++)
        fine = add_leg(mechanism, driver, joint, &at,
                       point_at(mechanism, driver, joint, sweep->times[i], sweep->values[i]), track);
    return fine;
}
