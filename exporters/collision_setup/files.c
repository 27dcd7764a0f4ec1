/* Divides a list into files: the output, and with split=device one for each device that has pairs inside. */
#include <string.h>

#include "../link_pairs.h"
#include "base/bytes/bytes.h"
#include "base/text/text.h"
#include "writer.h"

/* ---- names that all begin alike ---- */

/* The common beginning of all names so far. */
struct common {
    const char *text; /* NULL before the first */
    size_t size;
};

static void join_name(struct common *common, const char *name)
{
    size_t size = 0;
    if (!common->text) {
        common->text = name;
        common->size = strlen(name);
    }
    while (size < common->size && name[size] == common->text[size])
        size++;
    common->size = size;
}

/* Finds the longest "A.B." with which all names begin and that is a device's base and a dot; one that a comment can
 * hold. */
static cp_status find_prefix(const struct setup_writer *writer, struct setup_file *file)
{
    const cp_scene *scene = writer->scene;
    struct common common = {0};
    for (uint32_t i = 0; i < scene->pair_count; i++)
        if (writer->listed[i]) {
            join_name(&common, scene->nodes[scene->pairs[i].first].name);
            join_name(&common, scene->nodes[scene->pairs[i].second].name);
        }
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (scene->nodes[i].flags & CP_NODE_VOLATILE)
            join_name(&common, scene->nodes[i].name);

    struct name_map bases = {.context = writer->context};
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < scene->device_count && status == CP_OK; i++)
        if (!name_map_add(&bases, scene->nodes[scene->devices[i].base].name, i, NULL))
            status = CP_LIMIT;
    for (size_t size = common.size; status == CP_OK && size > 1 && !file->prefix_size; size--)
        if (common.text[size - 1] == '.' && name_map_find_sized(&bases, common.text, size - 1))
            file->prefix_size = size;
    if (!comment_holds(common.text, file->prefix_size))
        file->prefix_size = 0;
    if (file->prefix_size > 0)
        file->prefix = arena_copy_text(writer->arena, common.text, file->prefix_size);
    name_map_free(&bases);
    return file->prefix ? status : CP_LIMIT;
}

/* ---- devices ---- */

/* The devices by their names: those of a device begin with that of its base and a dot. */
struct device_names {
    const cp_scene *scene;
    size_t *sizes;   /* of the base's name */
    uint32_t *outer; /* the innermost device that holds all names of the device, or CP_NONE: a shorter name */
};

static const char *base_name(const struct device_names *names, uint32_t device)
{
    return names->scene->nodes[names->scene->devices[device].base].name;
}

static bool is_inside(const struct device_names *names, const char *name, uint32_t device)
{
    size_t size = names->sizes[device];
    return strncmp(name, base_name(names, device), size) == 0 && name[size] == '.';
}

static bool list_devices(struct device_names *names, struct arena *arena)
{
    uint32_t count = names->scene->device_count;
    names->sizes = arena_allocate(arena, count, sizeof *names->sizes);
    names->outer = arena_allocate(arena, count, sizeof *names->outer);
    if (!names->sizes || !names->outer)
        return false;
    for (uint32_t i = 0; i < count; i++)
        names->sizes[i] = strlen(base_name(names, i));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t scope = names->scene->devices[i].scope;
        bool inside = scope != CP_NONE && is_inside(names, base_name(names, i), scope);
        names->outer[i] = inside ? scope : CP_NONE;
    }
    return true;
}

static uint32_t device_of(const struct device_names *names, uint32_t node)
{
    const cp_node *it = &names->scene->nodes[node];
    uint32_t device = it->scope;
    while (device != CP_NONE && !is_inside(names, it->name, device))
        device = names->outer[device];
    return device;
}

/* Returns the innermost device that holds both, or CP_NONE. */
static uint32_t common_device(const struct device_names *names, uint32_t one, uint32_t other)
{
    while (one != other && one != CP_NONE && other != CP_NONE) {
        size_t size = names->sizes[one], other_size = names->sizes[other];
        if (size >= other_size)
            one = names->outer[one];
        if (size <= other_size)
            other = names->outer[other];
    }
    return one == other ? one : CP_NONE;
}

/* ---- the plan ---- */

static cp_status name_file(struct setup_writer *writer, struct setup_file *file, const cp_device *device,
                           struct sink *top)
{
    do {
        file->name = sink_safe_name(top, device->name, "CollisionSetup.xml");
        if (!file->name)
            return CP_LIMIT;
    } while (text_equal_nocase(file->name, sink_file_name(top)));
    file->prefix = arena_print(writer->arena, "%s.", writer->scene->nodes[device->base].name);
    file->prefix_size = file->prefix ? strlen(file->prefix) : 0;
    return file->prefix ? CP_OK : CP_LIMIT;
}

/* Warns of a file of an earlier list, which the device may name, if this list has no pair inside the device. own: of
 * each device, the number of its file, or 0. */
static cp_status report_old_files(const struct setup_writer *writer, const uint32_t *own, struct sink *top)
{
    const cp_scene *scene = writer->scene;
    for (uint32_t i = 0; i < scene->device_count; i++) {
        if (own[i] != 0)
            continue;
        const char *name = sink_safe_name(top, scene->devices[i].name, "CollisionSetup.xml");
        if (!name)
            return CP_LIMIT;
        if (sink_has_beside(top, name) && !text_equal_nocase(name, sink_file_name(top)))
            report_warning(writer->context, "collision-setup-old-file", NOWHERE,
                           "%s beside it is of an earlier list: no pair inside \"%s\" is excluded now", name,
                           scene->devices[i].name);
    }
    return CP_OK;
}

/* Gives each pair its file: files[pair] is 0 or that of a device, in the order of the devices' first pairs. */
static cp_status give_files(struct setup_writer *writer, uint32_t *files, struct sink *top)
{
    const cp_scene *scene = writer->scene;
    struct device_names names = {.scene = scene};
    uint32_t *own = arena_allocate_zeroed(writer->arena, scene->device_count, sizeof *own);
    if (!own || !list_devices(&names, writer->arena))
        return CP_LIMIT;
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < scene->pair_count && status == CP_OK; i++) {
        const cp_pair *pair = &scene->pairs[i];
        uint32_t device = common_device(&names, device_of(&names, pair->first), device_of(&names, pair->second));
        if (device == CP_NONE || !writer->named[i])
            continue;
        if (own[device] == 0) {
            own[device] = writer->file_count++;
            status = name_file(writer, &writer->files[own[device]], &scene->devices[device], top);
        }
        files[i] = own[device];
    }
    return status == CP_OK ? report_old_files(writer, own, top) : status;
}

/* Sorts the pairs by file, one file after the other. */
static cp_status sort_pairs(struct setup_writer *writer, const uint32_t *files)
{
    const cp_scene *scene = writer->scene;
    uint32_t *sorted = arena_allocate(writer->arena, scene->pair_count, sizeof *sorted);
    uint32_t *ends = arena_allocate_zeroed(writer->arena, writer->file_count + (size_t)1, sizeof *ends);
    if (!sorted || !ends)
        return CP_LIMIT;
    for (uint32_t i = 0; i < scene->pair_count; i++) {
        writer->in_device_file[i] = files[i] > 0;
        ends[files[i] + 1] += writer->listed[i] && !pair_needs_no_names(writer, i);
    }
    for (uint32_t i = 0; i < writer->file_count; i++) {
        writer->files[i].pairs = sorted + ends[i];
        writer->files[i].pair_count = ends[i + 1];
        ends[i + 1] += ends[i];
    }
    for (uint32_t i = 0; i < scene->pair_count; i++)
        if (writer->listed[i] && !pair_needs_no_names(writer, i))
            sorted[ends[files[i]]++] = i;
    return CP_OK;
}

cp_status setup_plan_files(struct setup_writer *writer, struct sink *top)
{
    const cp_scene *scene = writer->scene;
    writer->files = arena_allocate_zeroed(writer->arena, scene->device_count + (size_t)1, sizeof *writer->files);
    uint32_t *files = arena_allocate_zeroed(writer->arena, scene->pair_count, sizeof *files);
    writer->in_device_file = arena_allocate(writer->arena, scene->pair_count, sizeof *writer->in_device_file);
    if (!writer->files || !files || !writer->in_device_file)
        return CP_LIMIT;
    writer->file_count = 1;
    writer->files[0].prefix = "";
    cp_status status = CP_OK;
    if (writer->settings->split == SPLIT_DEVICE)
        status = give_files(writer, files, top);
    else if (writer->settings->relative)
        status = find_prefix(writer, &writer->files[0]);
    return status == CP_OK ? sort_pairs(writer, files) : status;
}
