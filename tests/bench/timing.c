#include "timing.h"

#include "mesh.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double processor_seconds(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

double wall_seconds(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

static int compare(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

int read_numbers(int count, char **arguments, const struct number_option *table, const char *usage)
{
    int place = 1;
    for (; place < count && strncmp(arguments[place], "--", 2) == 0; place += 2) {
        const struct number_option *option = table;
        while (option->name && strcmp(option->name, arguments[place]) != 0)
            option++;
        if (!option->name || place + 1 == count)
            fail("usage: %s", usage);
        *option->value = strtoul(arguments[place + 1], NULL, 10);
    }
    return place;
}
