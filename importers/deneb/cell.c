/* DCT DEVICE, DCT WORKCELL and DCT RECORDING: devices of parts and joints, cells of devices, and what they do.
 *
 * Specification: docs/deneb.md (this project's own dialect, from what NISTIR 6076 says such files hold).
 *
 * Behaviour and limitations:
 * - A device is a frame, its parts are frames below it as the attach flags say; a device that hangs on a part of
 * another one is below that part. The joints of a part are on its frame: the last in the file is the first behind its
 * matrix.
 * - A part whose file is missing stays a frame, since the cell's parts are numbered; a device whose file is missing is
 * an error.
 * - Formulas are evaluated over the device's joints without a formula. Tag points of paths are frames. */
#include "cell.h"

#include <stdio.h>

#include "model/model.h"

cp_status deneb_keep_source(const struct deneb_cell *cell, struct deneb_files *files, struct source *source)
{
    if (array_add(cell->context, &files->sources, &files->source_room, &files->source_count, &source, sizeof source))
        return CP_OK;
    source_close(source);
    return CP_LIMIT;
}

static struct deneb_file file_of(const struct deneb_cell *cell, cp_scene *scene, struct source *source)
{
    return (struct deneb_file){
        .context = cell->context, .source = source, .arena = scene->arena, .strict = cell->settings->import.strict};
}

static bool tell_number(cp_scene *scene, uint32_t node, const char *key, uint32_t number)
{
    char text[16];
    (void)snprintf(text, sizeof text, "%u", (unsigned)number);
    return scene_add_metadata(scene, CP_OWNER_NODE, node, key, CP_VALUE_NUMBER, text);
}

/* Writes the numbers of devices and parts, to which recordings of the workcell refer, also those that the exporter
 * writes. */
static bool tell_numbers(const struct deneb_cell *cell, cp_scene *scene)
{
    bool told = true;
    for (uint32_t i = 0; i < cell->devices.count && told; i++)
        told = tell_number(scene, cell->devices.items[i].node, "deneb-device", i);
    for (uint32_t i = 0; i < cell->parts.count && told; i++)
        told = tell_number(scene, cell->parts.items[i].node, "deneb-part", i);
    return told;
}

/* Reads the workcell or the single device of the source. */
static cp_status read_cell(struct deneb_reading *reading, struct source *source, enum deneb_kind kind)
{
    struct deneb_cell *cell = &reading->cell;
    struct deneb_file file = file_of(cell, reading->scene, source);
    cp_status status = deneb_read_folders(cell, &reading->files, source, file.strict);
    if (status != CP_OK)
        return status;
    if (kind == DENEB_WORKCELL) {
        file.status = deneb_read_workcell(&file, reading);
    } else if (array_add(cell->context, &cell->devices.items, &cell->devices.room, &cell->devices.count,
                         &(struct deneb_device){
                             .name = "", .pose = POSE_IDENTITY, .attachment = -1, .host = CP_NONE, .source = source},
                         sizeof *cell->devices.items)) {
        deneb_read_device_file(&file, cell, &reading->layers, 0);
        cell->units = cell->devices.items[0].units;
    } else {
        file.status = CP_LIMIT;
    }
    deneb_close(&file);
    reading->scene->source.unit = cell->units.length;
    if (file.status == CP_OK)
        file.status = deneb_build(cell, reading->scene, file.strict);
    if (file.status == CP_OK && kind == DENEB_WORKCELL && !tell_numbers(cell, reading->scene))
        file.status = CP_LIMIT;
    return file.status == CP_OK ? deneb_place_models(cell, &reading->files, reading->scene, file.strict) : file.status;
}

/* Opens the file of an option, which stays open as long as the cell. what: "recording" or "workcell". */
static cp_status open_named(const struct deneb_cell *cell, struct deneb_files *files, struct source *from,
                            const char *path, const char *code, const char *what, struct source **opened)
{
    cp_status status = source_open_option(from, path, opened);
    if (status == CP_NO)
        return report_error(cell->context, CP_INPUT, code, IN_FILE(from->name), "the %s \"%s\" was not found", what,
                            path);
    return status == CP_OK ? deneb_keep_source(cell, files, *opened) : status;
}

/* Opens the file of the workcell that the user or the recording names. */
static cp_status open_workcell(const struct deneb_cell *cell, struct deneb_files *files, cp_scene *scene,
                               struct source *recording, struct source **workcell)
{
    const char *path = cell->settings->workcell;
    if (path)
        return open_named(cell, files, recording, path, "deneb-workcell", "workcell", workcell);
    struct deneb_file file = file_of(cell, scene, recording);
    struct deneb_recording_head head;
    deneb_read_recording_head(&file, &head);
    deneb_close(&file);
    if (file.status != CP_OK)
        return file.status;
    if (!head.workcell)
        return report_error(cell->context, CP_INPUT, "deneb-workcell", IN_FILE(recording->name),
                            "the recording names no workcell: --in workcell= does");
    cp_status status = deneb_search(cell, files, recording, head.workcell, head.workcell, DENEB_WORKCELL, workcell);
    if (status == CP_NO)
        return report_error(cell->context, CP_INPUT, "deneb-workcell", IN_FILE(recording->name),
                            "no file of the workcell \"%s\" is there: --in workcell= names it", head.workcell);
    return status == CP_OK ? deneb_keep_source(cell, files, *workcell) : status;
}

/* Reads a device; a workcell, with the recording that the user names; or a recording, with its workcell. */
static cp_status read_all(struct deneb_reading *reading, struct source *source, enum deneb_kind kind)
{
    struct deneb_cell *cell = &reading->cell;
    struct source *workcell = source, *recording = kind == DENEB_RECORDING ? source : NULL;
    const char *path = cell->settings->recording;
    cp_status status =
        kind == DENEB_RECORDING ? open_workcell(cell, &reading->files, reading->scene, recording, &workcell) : CP_OK;
    if (status == CP_OK)
        status = read_cell(reading, workcell, kind == DENEB_DEVICE ? DENEB_DEVICE : DENEB_WORKCELL);
    if (status == CP_OK && kind == DENEB_WORKCELL && path)
        status = open_named(cell, &reading->files, source, path, "deneb-recording", "recording", &recording);
    if (status != CP_OK || !recording)
        return status;
    struct deneb_file file = file_of(cell, reading->scene, recording);
    status = deneb_read_recording(&file, cell, reading->scene);
    deneb_close(&file);
    return status;
}

static cp_status read_kind(cp_context *context, struct source *source, const void *settings, cp_scene *scene,
                           enum deneb_kind kind)
{
    struct deneb_reading reading = {
        .cell = {.context = context, .settings = settings, .units = {0.001, 0}},
        .files = {.arena = scene->arena, .device_requests = {.context = context}, .device_files = {.context = context}},
        .names = {.devices = {.context = context}},
        .scene = scene};
    struct deneb_cell *cell = &reading.cell;
    struct deneb_files *files = &reading.files;
    deneb_start_search(cell, files);
    cp_status status = read_all(&reading, source, kind);
    memory_free(context, cell->parts.items, cell->parts.room, sizeof *cell->parts.items);
    memory_free(context, cell->joints.items, cell->joints.room, sizeof *cell->joints.items);
    memory_free(context, cell->devices.items, cell->devices.room, sizeof *cell->devices.items);
    memory_free(context, cell->loops.items, cell->loops.room, sizeof *cell->loops.items);
    memory_free(context, cell->frames.items, cell->frames.room, sizeof *cell->frames.items);
    memory_free(context, cell->tags.items, cell->tags.room, sizeof *cell->tags.items);
    name_map_free(&files->device_requests);
    name_map_free(&files->device_files);
    name_map_free(&reading.names.devices);
    deneb_end_search(cell, files);
    for (uint32_t i = 0; i < files->source_count; i++)
        source_close(files->sources[i]);
    memory_free(context, files->sources, files->source_room, sizeof *files->sources);
    return status == CP_OK ? scene_finish(scene) : status;
}

/* ---- the importers ---- */

static cp_status read_device(cp_context *context, struct source *source, const void *settings, cp_scene *scene)
{
    return read_kind(context, source, settings, scene, DENEB_DEVICE);
}

static cp_status read_workcell(cp_context *context, struct source *source, const void *settings, cp_scene *scene)
{
    return read_kind(context, source, settings, scene, DENEB_WORKCELL);
}

static cp_status read_recording(cp_context *context, struct source *source, const void *settings, cp_scene *scene)
{
    return read_kind(context, source, settings, scene, DENEB_RECORDING);
}

static int probe_device(const char *head, size_t size, uint64_t file_size)
{
    (void)file_size;
    return deneb_find_kind(head, size) == DENEB_DEVICE ? 95 : 0;
}

static int probe_workcell(const char *head, size_t size, uint64_t file_size)
{
    (void)file_size;
    return deneb_find_kind(head, size) == DENEB_WORKCELL ? 95 : 0;
}

static int probe_recording(const char *head, size_t size, uint64_t file_size)
{
    (void)file_size;
    return deneb_find_kind(head, size) == DENEB_RECORDING ? 95 : 0;
}

const struct importer deneb_device_importer = {
    .plugin = {.name = "deneb-device",
               .title = "Deneb-style device (DCT)",
               .options = deneb_device_options,
               .settings_size = sizeof(struct deneb_settings)},
    .suffixes = ".dcd",
    .is_cell = true,
    .probe = probe_device,
    .sign = "DCT DEVICE",
    .read = read_device,
};

const struct importer deneb_workcell_importer = {
    .plugin = {.name = "deneb-workcell",
               .title = "Deneb-style workcell (DCT)",
               .options = deneb_workcell_options,
               .settings_size = sizeof(struct deneb_settings)},
    .suffixes = ".dcw",
    .is_cell = true,
    .probe = probe_workcell,
    .sign = "DCT WORKCELL",
    .read = read_workcell,
};

const struct importer deneb_recording_importer = {
    .plugin = {.name = "deneb-recording",
               .title = "Deneb-style recording (DCT)",
               .options = deneb_recording_options,
               .settings_size = sizeof(struct deneb_settings)},
    .suffixes = ".dcr",
    .is_cell = true,
    .probe = probe_recording,
    .sign = "DCT RECORDING",
    .read = read_recording,
};
