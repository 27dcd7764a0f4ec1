/* time_filter THREADS IN OUT FILTER [K=V...]: reads, applies one filter of cellpipe's and writes; prints the seconds
 * that the filter alone took. */
#include "task.h"
#include "timing.h"
#include <stdio.h>
#include <stdlib.h>

static cp_status time_filter(cp_context *context, char **arguments, const char *const *options, size_t option_count)
{
    cp_scene *scene;
    cp_status status = cp_set_threads(context, (uint32_t)strtoul(arguments[1], NULL, 10));
    if (status == CP_OK)
        status = cp_read(context, arguments[2], NULL, NULL, 0, &scene);
    if (status != CP_OK)
        return status;
    double begin = wall_seconds();
    status = cp_apply(context, scene, arguments[4], options, option_count);
    double end = wall_seconds();
    if (status == CP_OK)
        status = cp_write(context, scene, arguments[3], NULL, NULL, 0);
    if (status == CP_OK)
        printf("%.4f\n", end - begin);
    cp_scene_free(scene);
    return status;
}

int main(int count, char **arguments)
{
    return run_task(count, arguments, 5, "time_filter THREADS IN OUT FILTER [K=V...]", time_filter);
}
