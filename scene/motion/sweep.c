/* A joint's way through its limits. */
#include <math.h>

#include "../pose.h"
#include "motion.h"

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
