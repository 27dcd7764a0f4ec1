/* time_write ROUNDS THREADS IN FORMAT [K=V...]: reads, then writes into memory again and again; prints the median of
 * the seconds of processors that a write took, and the bytes. */
#include "task.h"
#include "timing.h"
#include <stdio.h>
#include <stdlib.h>

enum { MOST_ROUNDS = 1001 };

static cp_status time_write(cp_context *context, char **arguments, const char *const *options, size_t option_count)
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
        double begin = processor_seconds();
        status = cp_write_memory(context, scene, arguments[4], options, option_count, &bytes, &size);
        spent[i] = processor_seconds() - begin;
        cp_free(context, bytes, size);
    }
    if (status == CP_OK)
        printf("%.5f %zu\n", median(spent, rounds), size);
    cp_scene_free(scene);
    return status;
}

int main(int count, char **arguments)
{
    return run_task(count, arguments, 5, "time_write ROUNDS THREADS IN FORMAT [K=V...]", time_write);
}
