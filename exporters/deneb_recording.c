/* Writes a clip of a Deneb-style workcell as a recording of DCT: the poses of devices, the values of their joints, and
 * what each device hangs on, at each moment. Lengths are metres, angles radians, matrices relative to what the device
 * hangs on, so that reading gives the same again. The importer has put the numbers of devices and parts into the
 * metadata of their frames. Specification: docs/deneb.md. */
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/text/text.h"
#include "exporters.h"
#include "motion/clips/clips.h"

struct deneb_recording_settings {
    const char *clip;
    double period;
};

static const cp_option options[] = {{"clip", "the clip, if there are several", CP_OPTION_CLIP,
                                     .offset = offsetof(struct deneb_recording_settings, clip)},
                                    {"period", "between two steps; 0: at all keys", CP_OPTION_TIME,
                                     offsetof(struct deneb_recording_settings, period), "0", .maximum = 86400},
                                    CP_OPTIONS_END};

/* The last written state of a device. */
struct written {
    uint32_t number;
    const cp_device *device;
    cp_pose pose;
    uint32_t host; /* the number of a part, or CP_NONE */
    double *values;
};

struct deneb_recording {
    cp_context *context;
    const cp_scene *scene;
    const struct deneb_recording_settings *settings;
    struct sink *sink;
    struct arena *arena;
    const cp_clip *clip;
    struct written *devices; /* sorted by their numbers */
    uint32_t device_count;
    uint32_t *parts; /* indexed by node: its number, or CP_NONE */
    double *times;
    size_t time_count;
    struct clip_lookup lookup;
};

/* ---- numbers ---- */

static uint32_t number_of(const cp_metadata_entry *row, const char *key)
{
    double number;
    bool told = row->owner == CP_OWNER_NODE && row->type == CP_VALUE_NUMBER && strcmp(row->key, key) == 0 &&
                text_is_number(row->value, &number) && number >= 0 && number < INT32_MAX && number == floor(number);
    return told ? (uint32_t)number : CP_NONE;
}

static int compare_numbers(const void *a, const void *b)
{
    const struct written *one = a, *other = b;
    return one->number != other->number ? (one->number > other->number) - (one->number < other->number)
                                        : (one->device > other->device) - (one->device < other->device);
}

/* Finds the numbers of devices and parts. If several devices have one number, as in cells that were joined, the first
 * has it. */
static cp_status find_numbers(struct deneb_recording *recording)
{
    const cp_scene *scene = recording->scene;
    uint32_t *numbers = arena_allocate(recording->arena, scene->node_count, sizeof *numbers), count = 0;
    recording->parts = arena_allocate(recording->arena, scene->node_count, sizeof *recording->parts);
    recording->devices = arena_allocate_zeroed(recording->arena, scene->device_count, sizeof *recording->devices);
    if (arena_failed(recording->arena))
        return CP_LIMIT;
    for (uint32_t i = 0; i < scene->node_count; i++)
        numbers[i] = recording->parts[i] = CP_NONE;
    for (uint32_t i = 0; i < scene->metadata_count; i++) {
        const cp_metadata_entry *row = &scene->metadata[i];
        uint32_t part = number_of(row, "deneb-part"), device = number_of(row, "deneb-device");
        if (part != CP_NONE)
            recording->parts[row->index] = part;
        if (device != CP_NONE)
            numbers[row->index] = device;
    }
    for (uint32_t i = 0; i < scene->device_count; i++)
        if (numbers[scene->devices[i].base] != CP_NONE)
            recording->devices[count++] =
                (struct written){.number = numbers[scene->devices[i].base], .device = &scene->devices[i]};
    qsort(recording->devices, count, sizeof *recording->devices, compare_numbers);
    for (uint32_t i = 0; i < count; i++) {
        struct written *written = &recording->devices[recording->device_count];
        *written = recording->devices[i];
        if (recording->device_count > 0 && written[-1].number == written->number)
            continue;
        written->values = arena_allocate(recording->arena, written->device->joint_count, sizeof *written->values);
        recording->device_count++;
    }
    return arena_failed(recording->arena) ? CP_LIMIT : CP_OK;
}

/* Counts moving things that are neither a numbered device's frame nor its joint. */
static cp_status count_others(const struct deneb_recording *recording)
{
    const cp_scene *scene = recording->scene;
    const cp_clip *clip = recording->clip;
    bool *joints = arena_allocate_zeroed(recording->arena, scene->joint_count, sizeof *joints);
    bool *nodes = arena_allocate_zeroed(recording->arena, scene->node_count, sizeof *nodes);
    uint64_t others = 0;
    if (!joints || !nodes)
        return CP_LIMIT;
    for (uint32_t i = 0; i < recording->device_count; i++) {
        const cp_device *device = recording->devices[i].device;
        nodes[device->base] = true;
        for (uint32_t k = 0; k < device->joint_count; k++)
            joints[device->joints[k]] = true;
    }
    for (uint32_t i = 0; i < clip->track_count; i++)
        others +=
            clip->tracks[i].path == CP_PATH_JOINT ? !joints[clip->tracks[i].target] : !nodes[clip->tracks[i].target];
    for (uint32_t i = 0; i < clip->attachment_count; i++)
        others += !nodes[clip->attachments[i].node];
    if (recording->device_count == 0)
        report_loss(recording->context, "recording-devices", NOWHERE, scene->device_count > 0 ? scene->device_count : 1,
                    "no device is of a Deneb workcell: the recording tells of none");
    else if (others > 0)
        report_loss(recording->context, "recording-motion", NOWHERE, others,
                    "motion of what is no device of a Deneb workcell is left out");
    return CP_OK;
}

/* ---- steps ---- */

/* Returns the device's pose on the part that it hangs on, or on the part that its host is fixed to, or in the world. */
static cp_pose find_place(struct deneb_recording *recording, uint32_t node, double time, uint32_t *host)
{
    cp_pose pose = lookup_local(&recording->lookup, node, time);
    uint32_t at = lookup_parent(&recording->lookup, node, time);
    while (at != CP_NONE && recording->parts[at] == CP_NONE) {
        cp_pose step = lookup_pose(&recording->lookup, at, time);
        pose = pose_multiply(&step, &pose);
        at = lookup_parent(&recording->lookup, at, time);
    }
    *host = at == CP_NONE ? CP_NONE : recording->parts[at];
    return pose;
}

/* Writes a matrix of row vectors, with the translation in the last row. */
static void write_matrix(struct sink *sink, const cp_pose *pose)
{
    sink_text(sink, " MATRIX");
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 4; column++) {
            sink_text(sink, " ");
            sink_double(sink, column < 3 ? pose->m[4 * column + row] : row == 3);
        }
}

/* Writes all of a device in the first step, then what has changed. */
static void write_device(struct deneb_recording *recording, struct written *written, double time, bool all)
{
    const cp_device *device = written->device;
    struct sink *sink = recording->sink;
    uint32_t host;
    const cp_pose pose = find_place(recording, device->base, time, &host);
    const bool hangs = all || host != written->host;
    const bool moves = hangs || memcmp(&pose, &written->pose, sizeof pose) != 0;
    bool turns = all && device->joint_count > 0;
    written->pose = pose;
    written->host = host;
    for (uint32_t i = 0; i < device->joint_count; i++) {
        double value = lookup_joint(&recording->lookup, device->joints[i], time);
        turns = turns || value != written->values[i];
        written->values[i] = value;
    }
    if (!moves && !turns)
        return;
    sink_print(sink, "  DEV %u", (unsigned)written->number);
    if (moves)
        write_matrix(sink, &pose);
    if (turns)
        sink_print(sink, " JOINTS %u", (unsigned)device->joint_count);
    for (uint32_t i = 0; turns && i < device->joint_count; i++) {
        sink_text(sink, " ");
        sink_double(sink, written->values[i]);
    }
    if (hangs && host == CP_NONE)
        sink_text(sink, " ATTACH -1");
    else if (hangs)
        sink_print(sink, " ATTACH %u", (unsigned)host);
    sink_text(sink, "\n");
}

/* Writes the steps. Two moments with none between them are a jump: two steps of one time. */
static cp_status write_steps(struct deneb_recording *recording)
{
    double told = 0;
    cp_status status = lookup_start(&recording->lookup, recording->context, recording->scene, recording->clip);
    for (size_t i = 0; i < recording->time_count && status == CP_OK; i++) {
        const double time = recording->times[i];
        if (i == 0 || time != nextafter(recording->times[i - 1], INFINITY))
            told = time;
        sink_text(recording->sink, "STEP ");
        sink_double(recording->sink, told);
        sink_text(recording->sink, "\n");
        for (uint32_t k = 0; k < recording->device_count; k++)
            write_device(recording, &recording->devices[k], time, i == 0);
        if (i % 1024 == 0 && context_is_cancelled(recording->context))
            status = CP_LIMIT;
    }
    if (status == CP_OK && mechanism_failed(&recording->lookup.mechanism))
        status = mechanism_report_open(&recording->lookup.mechanism);
    lookup_free(&recording->lookup);
    return status;
}

/* ---- the head ---- */

static void write_head(const struct deneb_recording *recording)
{
    const cp_scene *scene = recording->scene;
    struct sink *sink = recording->sink;
    const char *name = NULL;
    for (uint32_t i = 0; i < scene->metadata_count && !name; i++)
        if (scene->metadata[i].owner == CP_OWNER_SCENE && scene->metadata[i].type == CP_VALUE_STRING &&
            strcmp(scene->metadata[i].key, "name") == 0)
            name = scene->metadata[i].value;
    sink_text(sink, "DCT RECORDING 1.0\n");
    for (const char *c = name ? name : ""; *c; c++)
        sink_print(sink, "%s%s%c", c == name ? "WORKCELL \"" : "", *c == '"' || *c == '\\' ? "\\" : "",
                   (unsigned char)*c < ' ' ? ' ' : *c);
    sink_print(sink, "%sDEVICES %u\nFRAME parent\nUNIT m\nANGLE rad\n", name && *name ? "\" " : "",
               recording->device_count > 0 ? (unsigned)recording->devices[recording->device_count - 1].number + 1 : 0);
}

/* ---- the plug-in ---- */

static cp_status write_recording(struct deneb_recording *recording)
{
    cp_context *context = recording->context;
    cp_status status = choose_clip(context, recording->scene, recording->settings->clip, &recording->clip);
    static const cp_clip still = {.name = ""};
    recording->clip = recording->clip ? recording->clip : &still;
    if (status == CP_OK)
        status = find_numbers(recording);
    if (status == CP_OK)
        status = count_others(recording);
    if (status == CP_OK)
        status = list_moments(context, recording->arena, recording->clip, recording->settings->period,
                              &recording->times, &recording->time_count);
    if (status == CP_OK && recording->settings->period == 0)
        report_curves(context, recording->clip, true);
    if (status == CP_OK)
        status = add_jumps(recording->arena, recording->clip, true, &recording->times, &recording->time_count);
    if (status != CP_OK)
        return status;
    write_head(recording);
    status = write_steps(recording);
    sink_text(recording->sink, "END\n");
    return status == CP_OK ? sink_status(recording->sink) : status;
}

static cp_status write(cp_context *context, const cp_scene *scene, const void *settings, struct sink *sink)
{
    struct deneb_recording recording = {
        .context = context, .scene = scene, .settings = settings, .sink = sink, .arena = arena_new(context)};
    cp_status status = recording.arena ? write_recording(&recording) : CP_LIMIT;
    arena_free(recording.arena);
    return status;
}

/* A recording is motion alone, so the looks of the scene are no loss. */
static uint32_t carries(const void *settings)
{
    (void)settings;
    return CP_FEATURE_ALL & ~(uint32_t)CP_FEATURE_MARKS;
}

const struct exporter deneb_recording_exporter = {.plugin = {.name = "deneb-recording",
                                                             .title = "recording of a Deneb-style workcell, DCT 1.0",
                                                             .options = options,
                                                             .settings_size = sizeof(struct deneb_recording_settings)},
                                                  .suffixes = ".dcr",
                                                  .carries = carries,
                                                  .write = write};
