/* select: keeps one frame with all below it, or one device. It hangs below the world, where it is now. */
#include "filters.h"

#include "motion/motion.h"
#include "shared.h"

struct select_settings {
    const char *node, *device;
};

static const cp_option options[] = {{"node", "this or device= is required: the frame to keep with all below it",
                                     CP_OPTION_FRAME, .offset = offsetof(struct select_settings, node)},
                                    {"device", "the device to keep: all frames that came with it", CP_OPTION_DEVICE,
                                     .offset = offsetof(struct select_settings, device)},
                                    CP_OPTIONS_END};

enum part {
    PART_NONE,
    PART_FRAME, /* stays as a frame without geometry */
    PART_WHOLE
};

/* Marks the devices that are `wanted` or came with it, through any number of scopes. Each is visited once. */
static void mark_devices(const cp_scene *scene, uint32_t wanted, unsigned char *inside)
{
    enum { UNKNOWN, NO, YES };
    inside[wanted] = YES;
    for (uint32_t i = 0; i < scene->device_count; i++) {
        uint32_t top = i;
        while (top != CP_NONE && inside[top] == UNKNOWN) {
            inside[top] = NO; /* until its scope is known; this also ends circles */
            top = scene->devices[top].scope;
        }
        if (top == CP_NONE || inside[top] != YES)
            continue;
        for (uint32_t at = i; inside[at] != YES; at = scene->devices[at].scope)
            inside[at] = YES;
    }
    for (uint32_t i = 0; i < scene->device_count; i++)
        inside[i] = inside[i] == YES;
}

static void mark_frame(unsigned char *parts, uint32_t node)
{
    if (parts[node] == PART_NONE)
        parts[node] = PART_FRAME;
}

/* Marks the frames that a device needs to stay a device: base, ends, joints, and all between them. */
static void mark_chain(const cp_scene *scene, const cp_device *device, unsigned char *parts, unsigned char *walked)
{
    mark_frame(parts, device->base);
    for (uint32_t i = 0; i < device->end_count + device->joint_count; i++) {
        bool end = i < device->end_count;
        uint32_t node = end ? device->ends[i] : scene->joints[device->joints[i - device->end_count]].node;
        for (; node != CP_NONE && node != device->base && !walked[node]; node = scene->nodes[node].parent) {
            walked[node] = 1;
            mark_frame(parts, node);
        }
    }
}

static cp_status mark_device(const cp_scene *scene, uint32_t wanted, unsigned char *parts)
{
    cp_context *context = scene->context;
    unsigned char *inside = memory_allocate_zeroed(context, scene->device_count, 1);
    unsigned char *walked = memory_allocate_zeroed(context, scene->node_count, 1);
    cp_status status = inside && walked ? CP_OK : CP_LIMIT;
    if (status == CP_OK) {
        mark_devices(scene, wanted, inside);
        for (uint32_t i = 0; i < scene->node_count; i++)
            if (scene->nodes[i].scope != CP_NONE && inside[scene->nodes[i].scope])
                parts[i] = PART_WHOLE;
        for (uint32_t i = 0; i < scene->device_count; i++)
            if (inside[i])
                mark_chain(scene, &scene->devices[i], parts, walked);
    }
    memory_free(context, inside, scene->device_count, 1);
    memory_free(context, walked, scene->node_count, 1);
    return status;
}

/* Keeps the marked parts. The world always stays, but without its geometry unless it was selected. */
static cp_status keep_parts(cp_scene *scene, const unsigned char *parts)
{
    uint32_t node_count = scene->node_count, kept = 0;
    bool *keep = memory_allocate(scene->context, node_count, sizeof *keep);
    if (!keep)
        return CP_LIMIT;
    for (uint32_t i = 0; i < node_count; i++)
        keep[i] = parts[i] != PART_NONE;
    for (uint32_t i = 0; i < scene->instance_count; i++)
        if (parts[scene->instances[i].node] == PART_WHOLE)
            scene->instances[kept++] = scene->instances[i];
    if (kept < scene->instance_count) {
        scene->instance_count = kept;
        scene_find_spans(scene);
    }
    cp_status status = scene_keep(scene, keep);
    memory_free(scene->context, keep, node_count, sizeof *keep);
    return status;
}

static cp_status apply(cp_context *context, cp_scene *scene, const void *settings)
{
    const struct select_settings *selected = settings;
    uint32_t node_count = scene->node_count, index = 0;
    unsigned char *parts = memory_allocate_zeroed(context, node_count, 1);
    cp_status status = parts ? CP_OK : CP_LIMIT;
    if (status == CP_OK && !selected->node == !selected->device)
        status = report_error(context, CP_USAGE, "select-what", NOWHERE, "give either node=NAME or device=NAME");
    if (status == CP_OK)
        status = selected->node ? find_named(scene, TABLE_NODES, selected->node, &index)
                                : find_named(scene, TABLE_DEVICES, selected->device, &index);
    if (status == CP_OK && selected->device)
        status = mark_device(scene, index, parts);
    for (uint32_t i = index; status == CP_OK && selected->node && i < node_count; i++)
        if (i == index || (i > 0 && parts[scene->nodes[i].parent] == PART_WHOLE))
            parts[i] = PART_WHOLE;
    if (status == CP_OK)
        status = keep_parts(scene, parts);
    memory_free(context, parts, node_count, 1);
    return status;
}

const struct filter select_filter = {.plugin = {.name = "select",
                                                .title = "Keep one frame with all below it, or one device",
                                                .options = options,
                                                .settings_size = sizeof(struct select_settings)},
                                     .apply = apply};
