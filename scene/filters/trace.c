/* trace: draws the way of a frame in a clip as a line. */
#include <math.h>

#include "filters.h"
#include "motion/clips/clips.h"
#include "shared.h"

struct trace_settings {
    const char *frame, *clip, *name;
    double period;
    bool colours;
};

static const cp_option options[] = {
    {"frame", "required: whose way", CP_OPTION_FRAME, .offset = offsetof(struct trace_settings, frame)},
    {"clip", "the clip, if there are several", CP_OPTION_CLIP, .offset = offsetof(struct trace_settings, clip)},
    {"name", "of the frame that gets the line; \"trace\" and the frame's unless said", CP_OPTION_STRING,
     .offset = offsetof(struct trace_settings, name)},
    {"period", "between two points; 0: at all keys", CP_OPTION_TIME, offsetof(struct trace_settings, period), "0",
     .maximum = 86400},
    {"colours", "by speed: from blue, at rest, by green to red, the fastest", CP_OPTION_BOOLEAN,
     offsetof(struct trace_settings, colours), .initial = "yes"},
    CP_OPTIONS_END};

/* A way: places at times, without the times at which it rests. */
struct way {
    double (*places)[3], *speeds;
    size_t count;
    double fastest;
};

static cp_status follow(cp_context *context, const cp_scene *scene, const cp_clip *clip, uint32_t node,
                        const double *times, size_t count, struct way *way)
{
    struct clip_lookup lookup;
    double last = 0;
    cp_status status = lookup_start(&lookup, context, scene, clip);
    for (size_t i = 0; i < count && status == CP_OK; i++) {
        cp_pose world = lookup_world(&lookup, node, times[i]);
        double *place = way->places[way->count], apart[3] = {0};
        for (int k = 0; k < 3; k++)
            place[k] = world.m[4 * k + 3];
        if (way->count > 0)
            subtract(place, way->places[way->count - 1], apart);
        double step = sqrt(dot_product(apart, apart));
        if (way->count > 0 && step < 1e-9) {
            last = times[i]; /* it rests: the next step's speed counts from here */
            continue;
        }
        way->speeds[way->count] = i > 0 ? step / (times[i] - last) : 0;
        way->fastest = fmax(way->fastest, way->speeds[way->count]);
        last = times[i];
        way->count++;
    }
    if (status == CP_OK && mechanism_failed(&lookup.mechanism))
        status = mechanism_report_open(&lookup.mechanism);
    lookup_free(&lookup);
    return status;
}

/* Mixes a colour linearly: blue, cyan, green, yellow, red. */
static void colour_of(double part, float colour[4])
{
    const double at = 4 * part;
    colour[0] = (float)fmin(1, fmax(0, at - 2));
    colour[1] = (float)fmin(1, fmax(0, at < 3 ? at : 4 - at));
    colour[2] = (float)fmin(1, fmax(0, 2 - at));
    colour[3] = 1;
}

static cp_status add_line(cp_scene *scene, const struct way *way, const struct trace_settings *settings,
                          const char *name)
{
    const uint32_t count = (uint32_t)way->count;
    float *positions = scene_allocate(scene, 3 * way->count, sizeof *positions);
    float *colours = settings->colours ? scene_allocate(scene, 4 * way->count, sizeof *colours) : NULL;
    uint32_t *corners = scene_allocate(scene, way->count, sizeof *corners),
             *offsets = scene_allocate(scene, 2, sizeof *offsets);
    const char *kept = scene_text(scene, name);
    if (!positions || (settings->colours && !colours) || !corners || !offsets || !kept)
        return CP_LIMIT;
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++)
            positions[3 * i + (uint32_t)k] = (float)way->places[i][k];
        if (colours) /* a point has the speed of the step that leads to it; the first that of the step behind it */
            colour_of(way->fastest > 0 ? way->speeds[i > 0 ? i : 1] / way->fastest : 0, colours + 4 * (size_t)i);
        corners[i] = i;
    }
    offsets[0] = 0;
    offsets[1] = count;
    const cp_mesh mesh = {.name = kept,
                          .kind = CP_MESH_LINES,
                          .vertex_count = count,
                          .face_count = 1,
                          .corner_count = count,
                          .positions = positions,
                          .colours = colours,
                          .face_offsets = offsets,
                          .corners = corners};
    uint32_t index = scene_add_mesh(scene, &mesh), node = scene_add_node(scene, 0, kept, strlen(kept));
    bool good = index != CP_NONE && node != CP_NONE &&
                scene_add_instance(scene, node, index, CP_USE_DRAWN, &POSE_IDENTITY) != CP_NONE;
    scene_find_spans(scene);
    return good ? scene_finish(scene) : CP_LIMIT;
}

static cp_status trace(cp_context *context, cp_scene *scene, const struct trace_settings *settings, struct arena *arena)
{
    const cp_clip *clip;
    struct way way = {0};
    double *times;
    size_t count;
    uint32_t node = 0;
    cp_status status = find_named(scene, TABLE_NODES, settings->frame, &node);
    if (status == CP_OK)
        status = choose_clip(context, scene, settings->clip, &clip);
    if (status == CP_OK && !clip)
        status = report_error(context, CP_NO, "trace-still", NOWHERE, "the scene has no clip");
    if (status == CP_OK)
        status = list_moments(context, arena, clip, settings->period, &times, &count);
    if (status != CP_OK)
        return status;
    way.places = arena_allocate(arena, count, sizeof *way.places);
    way.speeds = arena_allocate(arena, count, sizeof *way.speeds);
    const char *name = settings->name ? settings->name : arena_print(arena, "trace %s", scene->nodes[node].name);
    status = !arena_failed(arena) && name ? follow(context, scene, clip, node, times, count, &way) : CP_LIMIT;
    if (status == CP_OK && way.count < 2)
        return report_error(context, CP_NO, "trace-still", NOWHERE,
                            settings->period > 0 ? "frame \"%.100s\" is at one place at all moments of this period="
                                                 : "frame \"%.100s\" does not move in the clip",
                            scene->nodes[node].name);
    return status == CP_OK ? add_line(scene, &way, settings, name) : status;
}

static cp_status apply(cp_context *context, cp_scene *scene, const void *all)
{
    const struct trace_settings *settings = all;
    if (!settings->frame)
        return report_error(context, CP_USAGE, "trace-frame", NOWHERE, "give frame=NAME");
    struct arena *arena = arena_new(context);
    cp_status status = arena ? trace(context, scene, settings, arena) : CP_LIMIT;
    arena_free(arena);
    return status;
}

const struct filter trace_filter = {.plugin = {.name = "trace",
                                               .title = "Add the way of a frame in a clip as a line",
                                               .options = options,
                                               .settings_size = sizeof(struct trace_settings)},
                                    .is_shown = true,
                                    .apply = apply};
