/* time_filter THREADS IN OUT FILTER [K=V...]: reads, applies one filter of cellpipe's and writes; prints the seconds
 * that the filter alone took. */
#include "cellpipe.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static cp_status time_filter(cp_context *context, char **arguments, size_t option_count)
{
    cp_scene *scene;
    cp_status status = cp_set_threads(context, (uint32_t)strtoul(arguments[1], NULL, 10));
    if (status == CP_OK)
        status = cp_read(context, arguments[2], NULL, NULL, 0, &scene);
    if (status != CP_OK)
        return status;
    double begin = seconds_now();
    status = cp_apply(context, scene, arguments[4], (const char *const *)(arguments + 5), option_count);
    double end = seconds_now();
    if (status == CP_OK)
        status = cp_write(context, scene, arguments[3], NULL, NULL, 0);
    if (status == CP_OK)
        printf("%.4f\n", end - begin);
    cp_scene_free(scene);
    return status;
}

int main(int count, char **arguments)
{
    if (count < 5) {
        fputs("usage: time_filter THREADS IN OUT FILTER [K=V...]\n", stderr);
        return CP_USAGE;
    }
    cp_context *context = cp_context_new(NULL);
    if (!context)
        return CP_LIMIT;
    cp_status status = time_filter(context, arguments, (size_t)count - 5);
    size_t entries;
    const cp_entry *report = cp_report(context, &entries);
    for (size_t i = 0; i < entries; i++)
        if (report[i].severity >= CP_WARNING)
            fprintf(stderr, "%s\n", report[i].message);
    cp_context_free(context);
    return (int)status;
}
