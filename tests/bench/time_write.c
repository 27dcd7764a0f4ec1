/* time_write ROUNDS THREADS IN FORMAT [K=V...]: reads, then writes into memory again and again; prints the median of
 * the seconds of processors that a write took, and the bytes. */
#include "cellpipe.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_ROUNDS = 1001 };

static double seconds_spent(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int compare(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

static cp_status time_write(cp_context *context, char **arguments, size_t option_count)
{
    static double spent[MOST_ROUNDS];
    unsigned long rounds = strtoul(arguments[1], NULL, 10);
    cp_scene *scene;
    size_t size = 0;
    if (rounds < 1 || rounds > MOST_ROUNDS)
        return CP_USAGE;
    cp_status status = cp_set_threads(context, (uint32_t)strtoul(arguments[2], NULL, 10));
    if (status == CP_OK)
        status = cp_read(context, arguments[3], NULL, NULL, 0, &scene);
    if (status != CP_OK)
        return status;
    for (unsigned long i = 0; i < rounds && status == CP_OK; i++) {
        void *bytes;
        double begin = seconds_spent();
        status = cp_write_memory(context, scene, arguments[4], (const char *const *)(arguments + 5), option_count,
                                 &bytes, &size);
        spent[i] = seconds_spent() - begin;
        cp_free(context, bytes, size);
    }
    qsort(spent, rounds, sizeof *spent, compare);
    if (status == CP_OK)
        printf("%.5f %zu\n", spent[rounds / 2], size);
    cp_scene_free(scene);
    return status;
}

int main(int count, char **arguments)
{
    if (count < 5) {
        fputs("usage: time_write ROUNDS THREADS IN FORMAT [K=V...]\n", stderr);
        return CP_USAGE;
    }
    cp_context *context = cp_context_new(NULL);
    if (!context)
        return CP_LIMIT;
    cp_status status = time_write(context, arguments, (size_t)count - 5);
    size_t entries;
    const cp_entry *report = cp_report(context, &entries);
    for (size_t i = 0; i < entries; i++)
        if (report[i].severity >= CP_WARNING)
            fprintf(stderr, "%s\n", report[i].message);
    cp_context_free(context);
    return (int)status;
}
