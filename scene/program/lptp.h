/* A move in steps of one period: it speeds up, cruises and slows down in whole steps; what is left of the way is one
 * step more, in the slowing down. */
#ifndef CELLPIPE_LPTP_H
#define CELLPIPE_LPTP_H

#include <stdbool.h>
#include <stdint.h>

struct lptp {
    double acceleration, deceleration, speed, period; /* a unit of the way, and seconds; the speed that is reached */
    double rest;                                      /* of the way: the step more */
    uint32_t accelerating, cruising, decelerating;    /* steps */
    uint32_t count, rest_at;                          /* of all steps, and which of them is the step more */
};

/* acceleration, deceleration, speed and period are above 0, the distance is from 0. False if there are too many steps
 * to be counted. */
bool lptp_plan(double distance, double acceleration, double deceleration, double speed, double period,
               struct lptp *plan);
/* The length of step 0 .. count - 1. */
double lptp_step(const struct lptp *plan, uint32_t step);

#endif
