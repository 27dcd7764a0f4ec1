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

static void free_cell(struct deneb_cell *cell)
{
    cp_context *context = cell->context;
    memory_free(context, cell->parts, cell->part_room, sizeof *cell->parts);
    memory_free(context, cell->joints, cell->joint_room, sizeof *cell->joints);
    memory_free(context, cell->devices, cell->device_room, sizeof *cell->devices);
    memory_free(context, cell->tags, cell->tag_room, sizeof *cell->tags);
    name_map_free(&cell->device_requests);
    name_map_free(&cell->device_files);
    name_map_free(&cell->device_names);
    deneb_end_search(cell);
    for (uint32_t i = 0; i < cell->source_count; i++)
        source_close(cell->sources[i]);
    memory_free(context, cell->sources, cell->source_room, sizeof(struct source *));
}

static void read_single_device(struct deneb_file *file, struct deneb_cell *cell)
{
    struct deneb_device device = {.name = "", .pose = POSE_IDENTITY, .attachment = -1, .host = CP_NONE};
    device.source = file->source;
    if (!array_reserve(cell->context, &cell->devices, &cell->device_room, 1, sizeof device)) {
        file->status = CP_LIMIT;
        return;
    }
    cell->devices[cell->device_count++] = device;
    deneb_read_device_file(file, cell, 0);
    cell->units = cell->devices[0].units;
}

/* Keeps a further source open as long as the cell. */
static cp_status keep_source(struct deneb_cell *cell, struct source *source)
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

static cp_status read_cell(struct deneb_cell *cell, struct source *source, enum deneb_kind kind)
{
    struct deneb_file file = file_of(cell, source);
    cp_status status = deneb_read_folders(cell, source, file.strict);
    if (status != CP_OK)
        return status;
    if (kind == DENEB_DEVICE)
        read_single_device(&file, cell);
    else
        file.status = deneb_read_workcell(&file, cell);
    deneb_close(&file);
    cell->scene->source.unit = cell->units.length;
    if (file.status == CP_OK)
        file.status = deneb_build(cell, file.strict);
    return file.status == CP_OK ? deneb_place_models(cell, file.strict) : file.status;
}

static cp_status play(struct deneb_cell *cell, struct source *source)
{
    struct deneb_file file = file_of(cell, source);
    cp_status status = deneb_read_recording(&file, cell);
    deneb_close(&file);
    return status;
}

/* The workcell, and the recording that the user names. */
static cp_status read_played_cell(struct deneb_cell *cell, struct source *source)
{
    const char *path = cell->settings->recording;
    struct source *recording = NULL;
    cp_status status = read_cell(cell, source, DENEB_WORKCELL);
    if (status != CP_OK || !path)
        return status;
    status = deneb_open_option(source, path, &recording);
    if (status == CP_NO)
        return report_error(cell->context, CP_INPUT, "deneb-recording", IN_FILE(source->name),
                            "the recording \"%s\" is not there", path);
    if (status == CP_OK)
        status = play(cell, recording);
    source_close(recording);
    return status;
}

static cp_status open_workcell(struct deneb_cell *cell, struct source *recording, struct source **workcell)
{
    const char *path = cell->settings->workcell;
    struct deneb_recording_head head;
    if (path) {
        cp_status status = deneb_open_option(recording, path, workcell);
        return status != CP_NO ? status
                               : report_error(cell->context, CP_INPUT, "deneb-workcell", IN_FILE(recording->name),
                                              "the workcell \"%s\" is not there", path);
    }
    struct deneb_file file = file_of(cell, recording);
    deneb_read_recording_head(&file, &head);
    deneb_close(&file);
    if (file.status != CP_OK)
        return file.status;
    if (!head.workcell)
        return report_error(cell->context, CP_INPUT, "deneb-workcell", IN_FILE(recording->name),
                            "the recording names no workcell: --in workcell= does");
    cp_status status = deneb_search(cell, recording, head.workcell, head.workcell, DENEB_WORKCELL, workcell);
    return status != CP_NO
               ? status
               : report_error(cell->context, CP_INPUT, "deneb-workcell", IN_FILE(recording->name),
                              "no file of the workcell \"%s\" is there: --in workcell= names it", head.workcell);
}

/* The recording, of the workcell that it or the user names. */
static cp_status read_recorded_cell(struct deneb_cell *cell, struct source *recording)
{
    struct source *workcell = NULL;
    cp_status status = open_workcell(cell, recording, &workcell);
    if (status == CP_OK)
        status = keep_source(cell, workcell);
    if (status == CP_OK)
        status = read_cell(cell, workcell, DENEB_WORKCELL);
    return status == CP_OK ? play(cell, recording) : status;
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
    cp_status status = kind == DENEB_DEVICE     ? read_cell(&cell, source, kind)
                       : kind == DENEB_WORKCELL ? read_played_cell(&cell, source)
                                                : read_recorded_cell(&cell, source);
    free_cell(&cell);
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

static int probe(const char *head, size_t size, enum deneb_kind kind)
{
    return deneb_find_kind(head, size) == kind ? 95 : 0;
}

static int probe_device(const char *head, size_t size, uint64_t file_size)
{
    (void)file_size;
    return probe(head, size, DENEB_DEVICE);
}

static int probe_workcell(const char *head, size_t size, uint64_t file_size)
{
    (void)file_size;
    return probe(head, size, DENEB_WORKCELL);
}

static int probe_recording(const char *head, size_t size, uint64_t file_size)
{
    (void)file_size;
    return probe(head, size, DENEB_RECORDING);
}

const struct importer deneb_device_importer = {
    .plugin = {.name = "deneb-device",
               .title = "Deneb-style device (DCT)",
               .options = deneb_device_options,
               .settings_size = sizeof(struct deneb_settings)},
    .suffixes = ".dcd",
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
    .probe = probe_recording,
    .sign = "DCT RECORDING",
    .read = read_recording,
};
