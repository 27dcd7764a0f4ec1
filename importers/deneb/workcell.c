/* Reads workcells: the head, the devices with their hosts, and paths of tag points. */
#include "cell.h"

#include <string.h>

#include "base/text/text.h"
#include "model/model.h"

/* ---- the head ---- */

static const char *read_metadata(struct deneb_file *file, cp_scene *scene, const char *key)
{
    const char *value = deneb_in_line(file, "a text") ? deneb_name(file, NULL) : "";
    if (file->status == CP_OK && !scene_add_metadata(scene, CP_OWNER_SCENE, 0, key, CP_VALUE_STRING, value))
        file->status = CP_LIMIT;
    return value;
}

static bool read_head_word(struct deneb_file *file, struct deneb_cell *cell, cp_scene *scene)
{
    if (deneb_accept(file, "NAME")) {
        cell->name = read_metadata(file, scene, "name");
    } else if (deneb_accept(file, "UNIT")) {
        cell->units.length = deneb_unit(file);
    } else if (deneb_accept(file, "ANGLE")) {
        cell->units.angle = deneb_angle(file);
    } else if (deneb_accept(file, "VERSION")) {
        (void)read_metadata(file, scene, "version");
    } else {
        return false;
    }
    return true;
}

static void read_head(struct deneb_file *file, struct deneb_cell *cell, cp_scene *scene)
{
    deneb_end_statement(file);
    while (!deneb_section_ends(file, "HEAD")) {
        bool any = false;
        while (file->status == CP_OK && read_head_word(file, cell, scene))
            any = true;
        if (any)
            deneb_end_statement(file);
        else
            deneb_skip_unknown(file, 1);
    }
}

/* ---- devices ---- */

/* Copies a device of a file that was read before. */
static void copy_device(struct deneb_file *file, struct deneb_cell *cell, uint32_t from, uint32_t to)
{
    const struct deneb_device *model = &cell->devices.items[from];
    struct deneb_device *device = &cell->devices.items[to];
    if (!deneb_make_room(file, cell, model->part_count, model->joint_count))
        return;
    device->is_copy = true;
    device->file_name = model->file_name;
    device->file_raw = model->file_raw;
    deneb_name_by_file(device);
    device->units = model->units;
    device->pose = device->file_pose = model->file_pose;
    device->source = model->source;
    device->part_count = model->part_count;
    device->joint_count = model->joint_count;
    device->first_part = cell->parts.count;
    device->first_joint = cell->joints.count;
    for (uint32_t i = 0; i < model->part_count; i++) {
        struct deneb_part part = cell->parts.items[model->first_part + i];
        part.device = to;
        part.parent = part.parent == CP_NONE ? CP_NONE : part.parent - model->first_part + device->first_part;
        cell->parts.items[cell->parts.count++] = part;
    }
    for (uint32_t i = 0; i < model->joint_count; i++)
        cell->joints.items[cell->joints.count++] = cell->joints.items[model->first_joint + i];
    if (!array_reserve(cell->context, &cell->loops.items, &cell->loops.room,
                       (uint64_t)cell->loops.count + model->loop_count, sizeof *cell->loops.items) ||
        !array_reserve(cell->context, &cell->frames.items, &cell->frames.room,
                       (uint64_t)cell->frames.count + model->frame_count, sizeof *cell->frames.items)) {
        file->status = CP_LIMIT;
        return;
    }
    device->first_loop = cell->loops.count;
    device->first_frame = cell->frames.count;
    for (; device->loop_count < model->loop_count; device->loop_count++)
        cell->loops.items[cell->loops.count++] = cell->loops.items[model->first_loop + device->loop_count];
    for (; device->frame_count < model->frame_count; device->frame_count++)
        cell->frames.items[cell->frames.count++] = cell->frames.items[model->first_frame + device->frame_count];
}

/* Reads the file that holds the device, or copies the device if the file was read before. The file may be large, or
 * packed, so it is opened once even if many devices name it. name, raw: as the workcell has it there. */
static void read_device_file(struct deneb_file *file, struct deneb_cell *cell, struct deneb_files *files,
                             struct deneb_layers *layers, const char *name, const char *raw, struct place place,
                             uint32_t device)
{
    bool added = false;
    const char *bytes = raw ? raw : name;
    const uint32_t *known = name_map_add(&files->device_requests, bytes, device, &added);
    if (known && !added) {
        copy_device(file, cell, *known, device);
        return;
    }
    struct source *source = NULL;
    file->status = known ? deneb_search(cell, files, file->source, bytes, name, DENEB_DEVICE, &source) : CP_LIMIT;
    if (file->status == CP_NO)
        file->status =
            report_error(cell->context, CP_INPUT, "deneb-device-file", place,
                         "the device file \"%s\" was not found, so the parts after it cannot be numbered", name);
    if (file->status != CP_OK)
        return;

    /* Look for the path, as the same file may have another name. */
    const char *path = arena_copy_text(file->arena, source->path, strlen(source->path));
    known = path ? name_map_add(&files->device_files, path, device, &added) : NULL;
    if (!known || !added) {
        source_close(source);
        if (known)
            copy_device(file, cell, *known, device);
        else
            file->status = CP_LIMIT;
        return;
    }

    /* Part files are searched beside it, so it stays open. */
    file->status = deneb_keep_source(cell, files, source);
    if (file->status != CP_OK)
        return;
    struct deneb_file further = {
        .context = file->context, .source = source, .arena = file->arena, .strict = file->strict};
    deneb_read_device_file(&further, cell, layers, device);
    deneb_close(&further);
    file->status = further.status;
}

/* Reads a device after the word DEVICE: its statements, or FILE and the place of the device of that file. */
static void read_device(struct deneb_file *file, struct deneb_cell *cell, struct deneb_files *files,
                        struct deneb_layers *layers)
{
    uint32_t device = deneb_add_device(file, cell, cell->units);
    const char *name = NULL, *raw = NULL;
    if (file->status == CP_OK && deneb_accept(file, "FILE")) {
        struct place place = deneb_place(file);
        name = deneb_in_line(file, "a path") ? deneb_name(file, &raw) : NULL;
        if (file->status == CP_OK && name)
            read_device_file(file, cell, files, layers, name, raw, place, device);
    }
    deneb_end_statement(file);
    if (file->status != CP_OK)
        return;
    if (!name) {
        deneb_read_device(file, cell, layers, device, 2);
        return;
    }
    while (!deneb_section_ends(file, "DEVICE")) {
        if (!deneb_statement(file, "MATRIX")) {
            deneb_skip_unknown(file, 2);
            continue;
        }
        cell->devices.items[device].pose =
            deneb_pose(file, (enum deneb_matrix)cell->settings->matrix, cell->units.length);
        deneb_end_statement(file);
    }
}

/* ---- attachments ---- */

/* Reads the number of devices, and for each the part that it hangs on, -1 for none. */
static void read_attachments(struct deneb_file *file, struct deneb_cell *cell)
{
    struct place place = deneb_place(file);
    if (file->status == CP_OK && cell->attachments.line > 0)
        file->status = report_error(cell->context, CP_INPUT, "deneb-twice", place,
                                    "ATTACHMENTS stands twice; the first time in line %llu",
                                    (unsigned long long)cell->attachments.line);
    cell->attachments = place;
    size_t left = (size_t)(file->end - file->token.start) / 2;
    uint32_t most = left < UINT32_MAX - 1 ? (uint32_t)left + 1 : UINT32_MAX;
    uint32_t count = deneb_in_line(file, "a number") ? deneb_count(file, "the number of attachments", most) : 0;
    for (uint32_t i = 0; i < count && file->status == CP_OK; i++) {
        struct place there = deneb_place(file);
        double host = deneb_number(file, false);
        if (file->status != CP_OK || host == -1 || i >= cell->devices.count)
            continue;
        cell->devices.items[i].attachment_place = there;
        cell->devices.items[i].attachment = host;
    }
    if (file->status == CP_OK && count != cell->devices.count)
        file->status = report_lenient(cell->context, file->strict, "deneb-attachments", place,
                                      "%u attachments for %u devices", (unsigned)count, (unsigned)cell->devices.count);
}

/* Follows the hosts of each device up to one that was followed before. If that is on the same way, there is a cycle,
 * and all devices in it lose their hosts. */
static cp_status break_cycles(const struct deneb_cell *cell, bool strict)
{
    struct deneb_device *devices = cell->devices.items;
    uint32_t *walks = memory_allocate_zeroed(cell->context, cell->devices.count, sizeof *walks);
    cp_status status = walks ? CP_OK : CP_LIMIT;
    for (uint32_t i = 0; i < cell->devices.count && status == CP_OK; i++) {
        uint32_t at = i;
        while (!walks[at]) {
            walks[at] = i + 1;
            uint32_t host = devices[at].host;
            if (host == CP_NONE)
                break;
            at = cell->parts.items[host].device;
            if (walks[at] != i + 1)
                continue;
            for (uint32_t next = at; (host = devices[next].host) != CP_NONE && status == CP_OK;) {
                devices[next].host = CP_NONE;
                status =
                    report_lenient(cell->context, strict, "deneb-attachment", devices[next].attachment_place,
                                   "the device \"%s\" would be attached to itself: it is detached", devices[next].name);
                next = cell->parts.items[host].device;
            }
        }
    }
    memory_free(cell->context, walks, cell->devices.count, sizeof *walks);
    return status;
}

static cp_status attach_devices(struct deneb_cell *cell, bool strict)
{
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < cell->devices.count && status == CP_OK; i++) {
        struct deneb_device *device = &cell->devices.items[i];
        double host = device->attachment;
        if (host == -1)
            continue;
        if (!(host >= 0 && host < cell->parts.count) || host != (double)(uint32_t)host)
            status = report_lenient(cell->context, strict, "deneb-attachment", device->attachment_place,
                                    "the device \"%s\" is attached to part %s of a cell that has %u: it is detached",
                                    device->name, show_number(host).text, (unsigned)cell->parts.count);
        else if (cell->parts.items[(uint32_t)host].device == i)
            status = report_lenient(cell->context, strict, "deneb-attachment", device->attachment_place,
                                    "the device \"%s\" is attached to a part of its own: it is detached", device->name);
        else
            device->host = (uint32_t)host;
    }
    return status == CP_OK ? break_cycles(cell, strict) : status;
}

static void read_devices(struct deneb_file *file, struct deneb_cell *cell, struct deneb_files *files,
                         struct deneb_layers *layers)
{
    deneb_end_statement(file);
    while (!deneb_section_ends(file, "DEVICES")) {
        if (deneb_is(file, "DEVICE") && cell->attachments.line > 0)
            file->status = report_error(file->context, CP_INPUT, "deneb-order", deneb_place(file),
                                        "ATTACHMENTS stands behind all devices");
        if (deneb_statement(file, "DEVICE")) {
            read_device(file, cell, files, layers);
        } else if (deneb_statement(file, "ATTACHMENTS")) {
            read_attachments(file, cell);
            deneb_end_statement(file);
        } else if (deneb_statement(file, "LOOP")) {
            if (file->status == CP_OK && cell->attachments.line == 0)
                file->status = report_error(file->context, CP_INPUT, "deneb-order", deneb_place(file),
                                            "LOOP stands behind the ATTACHMENTS of a workcell");
            deneb_read_loop(file, cell, cell->units);
            deneb_end_statement(file);
        } else {
            deneb_skip_unknown(file, 1);
        }
    }
}

/* ---- paths ---- */

/* Finds the first device of that name. */
static uint32_t find_device(struct deneb_file *file, const struct deneb_cell *cell, struct deneb_names *names,
                            const char *name, struct place place)
{
    for (; names->listed_count < cell->devices.count && file->status == CP_OK; names->listed_count++)
        if (!name_map_add(&names->devices, cell->devices.items[names->listed_count].name, names->listed_count, NULL))
            file->status = CP_LIMIT;
    const uint32_t *device = name_map_find(&names->devices, name);
    if (!device && file->status == CP_OK)
        file->status = report_lenient(cell->context, file->strict, "deneb-path-device", place,
                                      "no device \"%s\" is there: the path stands in the world", name);
    return device ? *device : CP_NONE;
}

static void read_paths(struct deneb_file *file, struct deneb_cell *cell, struct deneb_names *names)
{
    deneb_end_statement(file);
    while (!deneb_section_ends(file, "PATHS")) {
        struct deneb_tag tag = {.pose = POSE_IDENTITY};
        if (deneb_statement(file, "PATH")) {
            tag.is_path = true;
            tag.device = CP_NONE;
            tag.name = deneb_in_line(file, "a name") ? deneb_name(file, &tag.raw) : "";
            if (file->status == CP_OK && deneb_accept(file, "DEVICE")) {
                struct place place = deneb_place(file);
                const char *name = deneb_in_line(file, "a name") ? deneb_name(file, NULL) : "";
                tag.device = file->status == CP_OK ? find_device(file, cell, names, name, place) : CP_NONE;
            }
        } else if (deneb_statement(file, "TAG")) {
            if (cell->tags.count == 0 && file->status == CP_OK)
                file->status =
                    report_error(cell->context, CP_INPUT, "deneb-tag", deneb_place(file), "a TAG before any PATH");
            tag.name = deneb_in_line(file, "a name") ? deneb_name(file, &tag.raw) : "";
            if (file->status == CP_OK && deneb_accept(file, "MATRIX"))
                tag.pose = deneb_pose(file, (enum deneb_matrix)cell->settings->matrix, cell->units.length);
        } else {
            deneb_skip_unknown(file, 1);
            continue;
        }
        if (file->status == CP_OK &&
            !array_add(cell->context, &cell->tags.items, &cell->tags.room, &cell->tags.count, &tag, sizeof tag))
            file->status = CP_LIMIT;
        deneb_end_statement(file);
    }
}

/* ---- the workcell ---- */

cp_status deneb_read_workcell(struct deneb_file *file, struct deneb_reading *reading)
{
    struct deneb_cell *cell = &reading->cell;
    deneb_lexer_start(file);
    deneb_magic(file, DENEB_WORKCELL);
    while (file->status == CP_OK && file->token.kind != DENEB_END) {
        if ((cell->devices.count > 0 || cell->tags.count > 0) && deneb_is(file, "HEAD"))
            file->status = report_error(file->context, CP_INPUT, "deneb-order", deneb_place(file),
                                        "HEAD stands before the devices and paths of a workcell");
        if (deneb_statement(file, "HEAD"))
            read_head(file, cell, reading->scene);
        else if (deneb_statement(file, "DEVICES"))
            read_devices(file, cell, &reading->files, &reading->layers);
        else if (deneb_statement(file, "PATHS"))
            read_paths(file, cell, &reading->names);
        else
            deneb_skip_unknown(file, 0);
    }
    return file->status == CP_OK ? attach_devices(cell, file->strict) : file->status;
}
