/* The pose of a clip or scene in which loops are nearest to singular. */
#include <math.h>
#include <stdio.h>

#include "base/context.h"
#include "base/text/text.h"
#include "loops.h"
#include "motion/clips/clips.h"

/* Takes the present pose of all groups, if it is nearer. */
static void look(const cp_mechanism *mechanism, double time, cp_singularity *nearest)
{
    struct closure *closure = mechanism->closure;
    for (uint32_t i = 0; closure && i < closure->chains.group_count; i++) {
        const double distance = closure_distance(closure, i);
        if (distance < nearest->distance)
            *nearest = (cp_singularity){.distance = distance,
                                        .time = time,
                                        .loop = closure->chains.loops[closure->chains.groups[i].first_loop].loop};
    }
}

static cp_status look_along(cp_context *context, const cp_scene *scene, const cp_clip *clip, double period,
                            cp_singularity *nearest)
{
    struct arena *arena = arena_new(context);
    struct player player;
    double *times;
    size_t count;
    cp_status status = arena ? list_moments(context, arena, clip, period, &times, &count) : CP_LIMIT;
    if (status == CP_OK) {
        status = player_start(&player, context, scene, clip);
        for (size_t i = 0; i < count && status == CP_OK; i++) {
            status = player_seek(&player, times[i]);
            if (status == CP_OK)
                look(&player.mechanism, times[i], nearest);
        }
        player_free(&player);
    }
    arena_free(arena);
    return status;
}

static cp_status look_here(cp_context *context, const cp_scene *scene, cp_singularity *nearest)
{
    cp_mechanism mechanism;
    cp_status status = mechanism_open(&mechanism, context, scene);
    if (status == CP_OK)
        look(&mechanism, 0, nearest);
    mechanism_close(&mechanism);
    return status;
}

cp_status cp_measure_singularity(cp_context *context, const cp_scene *scene, uint32_t clip, double period,
                                 cp_singularity *singularity)
{
    cp_singularity nearest = {.size = sizeof nearest, .distance = INFINITY, .loop = CP_NONE};
    cp_status status = struct_check(context, singularity);
    if (status == CP_OK && scene->loop_count > 0)
        status = clip == CP_NONE ? look_here(context, scene, &nearest)
                                 : look_along(context, scene, &scene->clips[clip], period, &nearest);
    struct_give(singularity, &nearest, sizeof nearest);
    if (status != CP_OK || !(nearest.distance < CP_NEAR_SINGULAR))
        return context_finish(context, status);
    char when[200] = "";
    if (clip != CP_NONE)
        (void)snprintf(when, sizeof when, " at %s s of clip \"%.100s\"", show_number(nearest.time).text,
                       scene->clips[clip].name);
    report_warning(context, "near-singular", IN_FILE(scene->source.file),
                   "loop \"%.100s\" is near a singular pose%s: its smallest singular value is %s, below %s",
                   scene->loops[nearest.loop].name, when, show_three_digits(nearest.distance).text,
                   show_three_digits(CP_NEAR_SINGULAR).text);
    return context_finish(context, status);
}
