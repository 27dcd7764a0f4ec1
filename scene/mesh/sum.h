/* Sums whose rounding does not grow with their length. */
#ifndef CELLPIPE_SUM_H
#define CELLPIPE_SUM_H

#include <math.h>

/* Neumaier's sum. */
struct sum {
    double value, lost;
};

static inline void sum_add(struct sum *sum, double value)
{
    double total = sum->value + value;
    if (fabs(sum->value) >= fabs(value))
        sum->lost += (sum->value - total) + value;
    else
        sum->lost += (value - total) + sum->value;
    sum->value = total;
}

static inline double sum_value(const struct sum *sum)
{
    return sum->value + sum->lost;
}

#endif
