/* read_filter_write INPUT OUTPUT: reads a part or cell, joins equal vertices, halves its triangles, writes it. The exit
 * code is that of the program cellpipe. */
#include <cellpipe.h>
#include <inttypes.h>
#include <stdio.h>

/* Prints the report so far, and forgets it. */
static void print_report(cp_context *context)
{
    size_t count;
    const cp_entry *entries = cp_report(context, &count);
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, "%s\n", entries[i].message);
    cp_report_clear(context);
}

static cp_status print_triangles(cp_context *context, const cp_scene *scene, const char *when)
{
    cp_measures measures = {.size = sizeof measures};
    cp_status status = cp_measure(context, scene, CP_USE_BOTH, &measures);
    if (status == CP_OK)
        printf("%s: %" PRIu64 " triangles\n", when, measures.triangles);
    return status;
}

static cp_status convert(cp_context *context, const char *input, const char *output)
{
    static const char *const half[] = {"ratio=0.5"};
    cp_scene *scene = NULL; /* after an error too, it may be freed */
    cp_status status = cp_read(context, input, NULL, NULL, 0, &scene);
    if (status == CP_OK)
        status = print_triangles(context, scene, "read");
    if (status == CP_OK)
        status = cp_apply(context, scene, "weld", NULL, 0);
    if (status == CP_OK)
        status = cp_apply(context, scene, "simplify", half, 1);
    if (status == CP_OK)
        status = print_triangles(context, scene, "simplified");
    if (status == CP_OK)
        status = cp_write(context, scene, output, NULL, NULL, 0);
    cp_scene_free(scene);
    return status;
}

int main(int argument_count, char **arguments)
{
    if (argument_count != 3) {
        fprintf(stderr, "usage: read_filter_write INPUT OUTPUT\n");
        return CP_USAGE;
    }
    cp_context *context = cp_context_new(NULL);
    if (!context) {
        fprintf(stderr, "out of memory\n");
        return CP_LIMIT;
    }
    cp_status status = cp_set_threads(context, 2);
    if (status == CP_OK) /* STL does not say its unit */
        status = cp_set_importer_option(context, "stl.unit=mm");
    if (status == CP_OK)
        status = convert(context, arguments[1], arguments[2]);
    print_report(context); /* warnings and losses, after success too */
    cp_context_free(context);
    return (int)status;
}
