#include "run.h"

#include <math.h>

/* Returns the number of whole steps. Rounding may have taken a part in 10^9 off a whole number. */
static double whole(double steps)
{
    return floor(steps + 1e-9);
}

static double accelerating_step(const struct lptp *plan, uint32_t step)
{
    return plan->acceleration * plan->period * plan->period * (step + 0.5);
}

static double decelerating_step(const struct lptp *plan, uint32_t step)
{
    return plan->speed * plan->period - plan->deceleration * plan->period * plan->period * (step + 0.5);
}

bool lptp_plan(double distance, double acceleration, double deceleration, double speed, double period,
               struct lptp *plan)
{
    const double nothing = 1e-9, most = 1e9;
    *plan = (struct lptp){.acceleration = acceleration, .deceleration = deceleration, .period = period};
    double ramps = speed * speed / (2 * acceleration) + speed * speed / (2 * deceleration);
    bool reached = ramps <= distance + nothing;
    double v = reached ? speed : sqrt(2 * distance * acceleration * deceleration / (acceleration + deceleration));
    double up = whole(v / (acceleration * period));
    v = v < speed ? acceleration * up * period : v;
    double down = whole(v / (deceleration * period));
    plan->speed = v;
    if (!(up + down < most))
        return false;
    plan->accelerating = (uint32_t)up;
    plan->decelerating = (uint32_t)down;
    double rest = distance - acceleration * period * period * up * up / 2 -
                  (v * period * down - deceleration * period * period * down * down / 2);
    double even = v > 0 ? whole(rest / (v * period)) : 0;
    even = fmax(even, 0);
    if (!(up + even + down < most))
        return false;
    plan->cruising = (uint32_t)even;
    plan->rest = rest - even * v * period;
    plan->rest = fabs(plan->rest) < nothing ? 0 : plan->rest;
    plan->count = plan->accelerating + plan->cruising + plan->decelerating + 1;
    uint32_t later = 0;
    while (later < plan->decelerating && !(decelerating_step(plan, later) < plan->rest - 1e-12))
        later++;
    plan->rest_at = plan->accelerating + plan->cruising + later;
    return true;
}

double lptp_step(const struct lptp *plan, uint32_t step)
{
    if (step == plan->rest_at)
        return plan->rest;
    step -= step > plan->rest_at;
    if (step < plan->accelerating)
        return accelerating_step(plan, step);
    step -= plan->accelerating;
    return step < plan->cruising ? plan->speed * plan->period : decelerating_step(plan, step - plan->cruising);
}
