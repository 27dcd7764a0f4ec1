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

cp_status deneb_keep_source(struct deneb_cell *cell, struct source *source)
{
    if (array_reserve(cell->context, &cell->sources, &cell->source_room, cell->source_count + UINT64_C(1),
                      sizeof source)) {
        cell->sources[cell->source_count++] = source;
        return CP_OK;
    }
    source_close(source);
    return CP_LIMIT;
}

static struct deneb_file file_of(const struct deneb_cell *cell, struct source *source)
{
    return (struct deneb_file){.context = cell->context,
                               .source = source,
                               .arena = cell->scene->arena,
                               .strict = cell->settings->import.strict};
}

static bool tell_number(cp_scene *scene, uint32_t node, const char *key, uint32_t number)
{
    char text[16];
    (void)snprintf(text, sizeof text, "%u", (unsigned)number);
    return scene_add_metadata(scene, CP_OWNER_NODE, node, key, CP_VALUE_NUMBER, text);
}

/* Writes the numbers of devices and parts, to which recordings of the workcell refer, also those that the exporter
 * writes. */
static bool tell_numbers(const struct deneb_cell *cell)
{
    bool told = true;
    for (uint32_t i = 0; i < cell->device_count && told; i++)
        told = tell_number(cell->scene, cell->devices[i].node, "deneb-device", i);
    for (uint32_t i = 0; i < cell->part_count && told; i++)
        told = tell_number(cell->scene, cell->parts[i].node, "deneb-part", i);
    return told;
}

/* Reads the workcell or the single device of the source. */
static cp_status read_cell(struct deneb_cell *cell, struct source *source, enum deneb_kind kind)
{
    struct deneb_file file = file_of(cell, source);
    cp_status status = deneb_read_folders(cell, source, file.strict);
    if (status != CP_OK)
        return status;
    if (kind == DENEB_WORKCELL) {
        file.status = deneb_read_workcell(&file, cell);
    } else if (array_reserve(cell->context, &cell->devices, &cell->device_room, 1, sizeof *cell->devices)) {
        cell->devices[cell->device_count++] = (struct deneb_device){
            .name = "", .pose = POSE_IDENTITY, .attachment = -1, .host = CP_NONE, .source = source};
        deneb_read_device_file(&file, cell, 0);
        cell->units = cell->devices[0].units;
    } else {
        file.status = CP_LIMIT;
    }
    deneb_close(&file);
    cell->scene->source.unit = cell->units.length;
    if (file.status == CP_OK)
        file.status = deneb_build(cell, file.strict);
    if (file.status == CP_OK && kind == DENEB_WORKCELL && !tell_numbers(cell))
        file.status = CP_LIMIT;
    return file.status == CP_OK ? deneb_place_models(cell, file.strict) : file.status;
}

/* Opens the file of an option, which stays open as long as the cell. what: "recording" or "workcell". */
static cp_status open_named(struct deneb_cell *cell, struct source *from, const char *path, const char *code,
                            const char *what, struct source **opened)
{
    cp_status status = source_open_option(from, path, opened);
    if (status == CP_NO)
        return report_error(cell->context, CP_INPUT, code, IN_FILE(from->name), "the %s \"%s\" was not found", what,
                            path);
    return status == CP_OK ? deneb_keep_source(cell, *opened) : status;
}

/* Opens the file of the workcell that the user or the recording names. */
static cp_status open_workcell(struct deneb_cell *cell, struct source *recording, struct source **workcell)
{
    const char *path = cell->settings->workcell;
    if (path)
        return open_named(cell, recording, path, "deneb-workcell", "workcell", workcell);
    struct deneb_file file = file_of(cell, recording);
    struct deneb_recording_head head;
    deneb_read_recording_head(&file, &head);
    deneb_close(&file);
    if (file.status != CP_OK)
        return file.status;
    if (!head.workcell)
        return report_error(cell->context, CP_INPUT, "deneb-workcell", IN_FILE(recording->name),
                            "the recording names no workcell: --in workcell= does");
    cp_status status = deneb_search(cell, recording, head.workcell, head.workcell, DENEB_WORKCELL, workcell);
    if (status == CP_NO)
        return report_error(cell->context, CP_INPUT, "deneb-workcell", IN_FILE(recording->name),
                            "no file of the workcell \"%s\" is there: --in workcell= names it", head.workcell);
    return status == CP_OK ? deneb_keep_source(cell, *workcell) : status;
}

/* Reads a device; a workcell, with the recording that the user names; or a recording, with its workcell. */
static cp_status read_all(struct deneb_cell *cell, struct source *source, enum deneb_kind kind)
{
    struct source *workcell = source, *recording = kind == DENEB_RECORDING ? source : NULL;
    const char *path = cell->settings->recording;
    cp_status status = kind == DENEB_RECORDING ? open_workcell(cell, recording, &workcell) : CP_OK;
    if (status == CP_OK)
        status = read_cell(cell, workcell, kind == DENEB_DEVICE ? DENEB_DEVICE : DENEB_WORKCELL);
    if (status == CP_OK && kind == DENEB_WORKCELL && path)
        status = open_named(cell, source, path, "deneb-recording", "recording", &recording);
    if (status != CP_OK || !recording)
        return status;
    struct deneb_file file = file_of(cell, recording);
    status = deneb_read_recording(&file, cell);
    deneb_close(&file);
    return status;
}

static cp_status read_kind(cp_context *context, struct source *source, const void *settings, cp_scene *scene,
                           enum deneb_kind kind)
{
    struct deneb_cell cell = {.context = context,
                              .settings = settings,
                              .scene = scene,
                              .units = {0.001, 0},
                              .device_requests = {.context = context},
                              .device_files = {.context = context},
                              .device_names = {.context = context}};
    deneb_start_search(&cell);
    cp_status status = read_all(&cell, source, kind);
    memory_free(context, cell.parts, cell.part_room, sizeof *cell.parts);
    memory_free(context, cell.joints, cell.joint_room, sizeof *cell.joints);
    memory_free(context, cell.devices, cell.device_room, sizeof *cell.devices);
    memory_free(context, cell.loops, cell.loop_room, sizeof *cell.loops);
    memory_free(context, cell.frames, cell.frame_room, sizeof *cell.frames);
    memory_free(context, cell.tags, cell.tag_room, sizeof *cell.tags);
    name_map_free(&cell.device_requests);
    name_map_free(&cell.device_files);
    name_map_free(&cell.device_names);
    deneb_end_search(&cell);
    for (uint32_t i = 0; i < cell.source_count; i++)
        source_close(cell.sources[i]);
    memory_free(context, cell.sources, cell.source_room, sizeof *cell.sources);
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
