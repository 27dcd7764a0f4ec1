/* monitor_program CELL PROGRAM [SECONDS]: runs a robot program step by step with the first device that has joints, and
 * prints ten times a second where its tool is, in mm, and which line it carries out. At SECONDS somebody presses the
 * emergency stop. */
#include <cellpipe.h>
#include <stdio.h>
#include <stdlib.h>

/* Returns the whole file, or NULL. */
static char *read_text(const char *path, size_t *size)
{
    enum { LARGEST = 1 << 20 };
    FILE *file = fopen(path, "rb");
    char *text = file ? malloc(LARGEST) : NULL;
    *size = text ? fread(text, 1, LARGEST, file) : 0;
    if (file)
        fclose(file);
    return text;
}

static cp_status run(cp_program *program, const cp_program_options *options, double emergency, cp_pose *worlds)
{
    cp_program_snapshot state = {.size = sizeof state};
    cp_status status = CP_OK;
    cp_program_state(program, &state);
    for (long step = 0; status == CP_OK && !state.ended; step++) {
        if (emergency > 0 && state.time + options->period >= emergency)
            cp_program_stop(program, true);
        if (step % 10 == 0)
            status = cp_program_poses(program, worlds);
        const double *tool = worlds[options->frame].m; /* rows of 4 */
        if (status == CP_OK && step % 10 == 0)
            printf("%.2f s, line %lu: %.2f %.2f %.2f\n", state.time, (unsigned long)state.line, tool[3] * 1000,
                   tool[7] * 1000, tool[11] * 1000);
        if (status == CP_OK)
            status = cp_program_step(program);
        cp_program_state(program, &state);
    }
    printf("%s at %.2f s\n", emergency > 0 ? "stopped" : "ended", state.time);
    return status;
}

int main(int argument_count, char **arguments)
{
    if (argument_count < 3 || argument_count > 4) {
        fprintf(stderr, "usage: monitor_program CELL PROGRAM [SECONDS]\n");
        return CP_USAGE;
    }
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = NULL;
    cp_program *program = NULL;
    uint32_t device_count = 0, node_count = 0;
    size_t size = 0, entry_count = 0;
    char *text = read_text(arguments[2], &size);
    cp_status status = context ? cp_read(context, arguments[1], NULL, NULL, 0, &scene) : CP_LIMIT;
    const cp_device *devices = scene ? cp_devices(scene, &device_count) : NULL;
    cp_program_options options = {.size = sizeof options, .period = 0.01, .reach = 0.01};
    while (options.device < device_count && devices[options.device].joint_count == 0)
        options.device++;
    if (status == CP_OK && (!text || options.device == device_count || devices[options.device].end_count == 0)) {
        fprintf(stderr, "no program, or no device with joints\n");
        status = CP_INPUT;
    }
    if (status == CP_OK) {
        options.frame = devices[options.device].ends[0];
        status = cp_program_new(context, scene, arguments[2], text, size, &options, &program);
    }
    if (scene)
        (void)cp_nodes(scene, &node_count);
    cp_pose *worlds = calloc(node_count + 1u, sizeof *worlds);
    if (program && worlds)
        status = run(program, &options, argument_count == 4 ? atof(arguments[3]) : 0, worlds);
    const cp_entry *entries = context ? cp_report(context, &entry_count) : NULL;
    for (size_t i = 0; i < entry_count; i++)
        fprintf(stderr, "%s\n", entries[i].message);
    free(worlds);
    free(text);
    cp_program_free(program); /* before its scene, which goes before its context */
    cp_scene_free(scene);
    cp_context_free(context);
    return (int)status;
}
