/* program: runs a robot program, and adds a clip of it. */
#include "program/run.h"

#include "base/bytes/bytes.h"
#include "base/context.h"
#include "base/text/text.h"
#include "filters.h"
#include "shared.h"

struct program_settings {
    const char *file, *device, *frame, *name, *solve;
    double period, stop, emergency, reach;
    int speeds;
};

static const cp_option options[] = {
    {"file", "required: the program", CP_OPTION_PATH, .offset = offsetof(struct program_settings, file)},
    {"device", "what it moves, if several devices have joints", CP_OPTION_DEVICE,
     .offset = offsetof(struct program_settings, device)},
    {"frame", "the tool, in place of the device's end", CP_OPTION_FRAME,
     .offset = offsetof(struct program_settings, frame)},
    {"name", "of the clip; the file's name without its suffix unless said", CP_OPTION_STRING,
     .offset = offsetof(struct program_settings, name)},
    {"period", "of a step", CP_OPTION_TIME, offsetof(struct program_settings, period), "0.01", .minimum = 1e-4,
     .maximum = 3600},
    {"stop", "at this time no further line begins; -1: never", CP_OPTION_TIME, offsetof(struct program_settings, stop),
     "-1", .minimum = -1, .maximum = 1e9},
    {"emergency", "all ends with the step of this time; -1: never", CP_OPTION_TIME,
     offsetof(struct program_settings, emergency), "-1", .minimum = -1, .maximum = 1e9},
    {"reach", "how near to the tool something is that is grabbed", CP_OPTION_LENGTH,
     offsetof(struct program_settings, reach), "0.01", .maximum = 1e3},
    {"speeds", "limit: a line or arc on which a joint would exceed its limit of speed is slowed down; keep: it is not",
     CP_OPTION_CHOICE, offsetof(struct program_settings, speeds), "limit", .choices = "limit|keep"},
    {"solve", "the coordinates of poses that have to hold, for a device that cannot hold all", CP_OPTION_STRING,
     offsetof(struct program_settings, solve), .initial = "x,y,z,roll,pitch,yaw"},
    CP_OPTIONS_END};

/* Finds the device of the name, or the only one with driven joints. */
static cp_status choose_device(cp_context *context, const cp_scene *scene, const char *name, uint32_t *device)
{
    uint32_t found = 0;
    if (name)
        return find_named(scene, TABLE_DEVICES, name, device);
    for (uint32_t i = 0; i < scene->device_count; i++)
        if (scene->devices[i].joint_count > 0 && found++ == 0)
            *device = i;
    if (found == 1)
        return CP_OK;
    return report_error(context, CP_USAGE, "program-device", NOWHERE,
                        found == 0 ? "no device has joints" : "which device? Give device=NAME");
}

static cp_status choose_frame(cp_context *context, const cp_scene *scene, const char *name, uint32_t device,
                              uint32_t *frame)
{
    const cp_device *it = &scene->devices[device];
    if (name)
        return find_named(scene, TABLE_NODES, name, frame);
    if (it->end_count != 1)
        return report_error(context, CP_USAGE, "program-device", NOWHERE,
                            "device \"%.100s\" has %u ends: give frame=NAME", it->name, (unsigned)it->end_count);
    *frame = it->ends[0];
    return CP_OK;
}

/* Keeps the text beside the clip, for viewers: metadata of the scene, "program NAME". */
static cp_status keep_text(cp_scene *scene, const struct source *source, const char *name)
{
    const char *key = arena_print(scene->arena, "program %s", name);
    const char *text = key ? utf8_from(scene->arena, source->data, source->size, NULL) : NULL;
    bool kept = text && scene_add_metadata(scene, CP_OWNER_SCENE, 0, key, CP_VALUE_STRING, text);
    return kept ? CP_OK : CP_LIMIT;
}

static cp_status run(cp_context *context, cp_scene *scene, const struct program_settings *settings,
                     const struct source *source, const cp_program_options *chosen)
{
    cp_program *program;
    size_t size;
    const char *stem = text_stem(source->name, &size), *name = settings->name;
    if (!name)
        name = arena_copy_text(scene->arena, stem, size);
    if (!name)
        return CP_LIMIT;
    cp_status status = cp_program_new(context, scene, source->name, source->data, source->size, chosen, &program);
    if (status == CP_OK)
        status = program_record(program, scene, name, settings->stop, settings->emergency);
    if (status == CP_OK)
        status = keep_text(scene, source, name);
    cp_program_free(program);
    return status;
}

static cp_status apply(cp_context *context, cp_scene *scene, const void *all)
{
    const struct program_settings *settings = all;
    cp_program_options chosen = {.size = sizeof chosen,
                                 .period = settings->period,
                                 .reach = settings->reach,
                                 .keep_speeds = settings->speeds == 1};
    struct source *source;
    if (!settings->file)
        return report_error(context, CP_USAGE, "program-file", NOWHERE, "give file=PROGRAM");
    if (!cp_parse_reach(settings->solve, &chosen.solve))
        return report_error(context, CP_USAGE, "program-solve", NOWHERE, "solve=%s: name some of x,y,z,roll,pitch,yaw",
                            settings->solve);
    cp_status status = choose_device(context, scene, settings->device, &chosen.device);
    if (status == CP_OK)
        status = choose_frame(context, scene, settings->frame, chosen.device, &chosen.frame);
    if (status != CP_OK)
        return status;
    status = source_open_top(context, settings->file, &source);
    if (status != CP_OK)
        return status;
    status = run(context, scene, settings, source, &chosen);
    source_close(source);
    return status;
}

const struct filter program_filter = {.plugin = {.name = "program",
                                                 .title = "Run a robot program, and add its clip",
                                                 .options = options,
                                                 .settings_size = sizeof(struct program_settings)},
                                      .is_shown = true,
                                      .apply = apply};
