/* A fuzzer for robot programs and recordings: the bytes are a text, which is read as a program and run for a while, and
 * as a table of joint values. Whatever it says, poses are finite, time goes on, and the report has a reason. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void demand(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

/* Three slides and three turns, and a part that can be held. */
static bool build(cp_scene *scene, uint32_t *tool)
{
    uint32_t parent = scene_add_node(scene, 0, "base", 4), *own = scene_allocate(scene, 7, sizeof *own);
    for (uint32_t i = 0; i < 6 && own && parent != CP_NONE; i++) {
        parent = scene_add_node(scene, parent, "axis", 4);
        own[i] = scene_add_joint(scene, parent, i < 3 ? CP_JOINT_PRISMATIC : CP_JOINT_REVOLUTE, "J");
        for (uint32_t k = 0; k < 3; k++)
            scene->joints[own[i]].axis[k] = i < 3 ? k == i : k == 5 - i;
        scene->joints[own[i]].home = scene->joints[own[i]].q = 0;
        scene->joints[own[i]].lower = -2;
        scene->joints[own[i]].upper = 2;
    }
    own[6] = *tool = scene_add_node(scene, parent, "tool", 4);
    uint32_t part = scene_add_node(scene, 0, "part", 4), device = scene_add_device(scene, "machine", 1);
    scene->nodes[part].flags = CP_NODE_MOVABLE;
    scene->devices[device].joints = own;
    scene->devices[device].joint_count = 6;
    scene->devices[device].ends = own + 6;
    scene->devices[device].end_count = 1;
    return scene_finish(scene) == CP_OK;
}

static void run_program(cp_context *context, const cp_scene *scene, uint32_t tool, const char *text, size_t size)
{
    const cp_program_options options = {.size = sizeof options, .frame = tool, .period = 0.1, .reach = 10};
    cp_program *program;
    cp_program_snapshot state = {.size = sizeof state};
    size_t count;
    uint32_t marks;
    cp_status status = cp_program_new(context, scene, "fuzz.prg", text, size, &options, &program);
    if (status != CP_OK) {
        (void)cp_report(context, &count);
        demand(count > 0, "a text is refused without a reason");
        return;
    }
    for (int step = 0; step < 200 && status == CP_OK && !state.ended; step++) {
        double before = state.time;
        status = cp_program_step(program);
        cp_program_state(program, &state);
        demand(state.time >= before, "time goes back");
        for (int i = 0; i < 6; i++)
            demand(isfinite(state.q[i]), "a joint is not finite");
    }
    (void)cp_report(context, &count);
    demand(status == CP_OK || count > 0, "a line goes wrong without a reason");
    (void)cp_program_marks(program, &marks);
    cp_program_free(program);
}

static void read_recording(cp_context *context, cp_scene *scene, const uint8_t *bytes, size_t size)
{
    char path[80], option[100];
    (void)snprintf(path, sizeof path, "/tmp/cellpipe-fuzz-%ld.csv", (long)getpid());
    (void)snprintf(option, sizeof option, "file=%s", path);
    FILE *file = fopen(path, "wb");
    if (!file)
        return;
    (void)fwrite(bytes, 1, size, file);
    (void)fclose(file);
    if (cp_apply(context, scene, "recording", (const char *[]){option}, 1) == CP_OK)
        demand(cp_validate(context, scene) == CP_OK && scene->clip_count == 1, "a clip is not sound");
    (void)remove(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    uint32_t tool;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = context ? scene_new(context) : NULL;
    char *text = malloc(size + 1);
    if (scene && text && build(scene, &tool)) {
        memcpy(text, bytes, size);
        text[size] = '\0';
        (void)cp_set_limit(context, "steps=2000");
        run_program(context, scene, tool, text, size);
        read_recording(context, scene, bytes, size);
    }
    free(text);
    cp_scene_free(scene);
    cp_context_free(context);
    return 0;
}
