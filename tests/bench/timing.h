/* Programs that measure times share clocks, medians, and options of numbers. */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

#include <stddef.h>

/* Seconds since some moment: of all threads of this process on processors, or on the wall. */
double processor_seconds(void);
double wall_seconds(void);

/* Sorts the values, and returns the middle one, or the mean of the two in the middle. */
double median(double *values, size_t count);

/* An option "NAME N". */
struct number_option {
    const char *name;
    size_t *value;
};
/* Reads options up to the first word that does not begin with "--"; returns the number of that word. Ends the program
 * with the usage if one is not in the table, which ends with a NULL name, or has no value. */
int read_numbers(int count, char **arguments, const struct number_option *table, const char *usage);

#endif
