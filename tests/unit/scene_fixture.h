/* A context and an empty scene for each test. */
#ifndef SCENE_FIXTURE_H
#define SCENE_FIXTURE_H

#include "report_support.h"

static cp_context *context;
static cp_scene *scene;

static int set_up(void **unused)
{
    (void)unused;
    context = cp_context_new(NULL);
    scene = scene_new(context);
    return context && scene ? 0 : 1;
}

static int tear_down(void **unused)
{
    (void)unused;
    cp_scene_free(scene);
    cp_context_free(context);
    return 0;
}

static inline void fresh_scene(void)
{
    cp_scene_free(scene);
    scene = scene_new(context);
}

static inline void finish_scene(void)
{
    if (scene_finish(scene) != CP_OK) {
        print_report(context);
        fail_msg("the scene is not sound");
    }
}

#endif
