/* Reads a file into a scene: chooses the importer and its settings. */
#include <string.h>

#include "base/bytes/archive.h"
#include "base/bytes/disk.h"
#include "base/context.h"
#include "base/text/text.h"
#include "plugins/isolate/isolate.h"
#include "registry.h"

enum { SURE = 50 }; /* a probe that returns less has guessed */

/* Returns the importer that is surest by the bytes; among equally sure ones, the one whose suffix matches, then the
 * one with the longer suffix (.srdf.xacro), then the earlier one. A guess (below SURE) loses against the importer of
 * the file's suffix, unless that one is certain that the file is not its own. A file that nobody knows goes to the
 * importer of its suffix, whose error says most.
 *
 * *known is set if an importer knows the file, apart from those that accept everything. *guessed is set if neither the
 * bytes nor the suffix are a sure sign. */
static const struct importer *probe(const struct source *source, bool *known, bool *guessed)
{
    const struct importer *best = NULL;
    int best_score = 0;
    size_t best_size = 0;
    for (const struct importer *const *at = source->context->plugins->importers; *at; at++) {
        if ((*at)->plugin.package)
            continue;
        size_t size = importer_suffix_size(*at, source->name);
        int suffix = size > 0;
        int sure = importer_probe(*at, source);
        int score = 2 * sure + suffix;
        if (suffix && sure < SURE)
            score = sure > 0 ? 2 * SURE - 1 : 3;
        if (score > best_score || (score > 0 && score == best_score && size > best_size)) {
            best = *at;
            best_score = score;
            best_size = size;
            *guessed = !suffix && sure < SURE;
        }
    }
    *known = best_score > 2;
    list_format(source->context, source->path, *known ? best->plugin.name : "");
    return best;
}

/* Tells whether something has an extent, or may move. Guesses are checked by this: what an importer finds in the bytes
 * of another format seldom has either. */
static bool says_something(const cp_scene *scene)
{
    bool says = scene->joint_count > 0 || scene->clip_count > 0;
    for (uint32_t i = 0; i < scene->mesh_count && !says; i++) {
        const cp_mesh *mesh = &scene->meshes[i];
        says = mesh->kind != CP_MESH_FACES && mesh->kind != CP_MESH_LINES;
        for (size_t k = 3; k / 3 < mesh->vertex_count && !says; k++)
            says = mesh->positions[k] != mesh->positions[k % 3];
    }
    return says;
}

static cp_status report_known(const struct source *source, const char *what)
{
    return report_error(source->context, CP_INPUT, "read-known", IN_FILE(source->name), "%s", what);
}

cp_status report_unknown_content(const struct source *source)
{
    if (known_archive(source))
        return report_known(source, known_archive(source));
    const struct importer *const *importers = source->context->plugins->importers;
    struct buffer signs = {.context = source->context};
    for (const struct importer *const *at = importers; *at; at++)
        if ((*at)->sign)
            buffer_print(&signs, "%s%s %s%s", at == importers ? "" : "; ", (*at)->plugin.name, (*at)->sign,
                         (*at)->plugin.package ? " (not built)" : "");
    cp_status status =
        report_error(source->context, CP_INPUT, "read-unknown", IN_FILE(source->name),
                     "has an unknown format; known signs: %s (--from names one)", signs.failed ? "" : signs.data);
    buffer_free(&signs);
    return status;
}

/* Tells whether an importer of a host's takes the source: it may be of a format that we know and do not read. */
static bool is_for_host(const struct source *source)
{
    bool is = false;
    for (const struct importer *const *at = source->context->plugins->importers; *at && !is; at++)
        is = (*at)->host && (importer_suffix_matches(*at, source->name) || importer_probe(*at, source) >= SURE);
    return is;
}

static cp_status choose(const struct source *source, const char *format, const struct importer **importer,
                        bool *guessed)
{
    const struct plugins *plugins = source->context->plugins;
    bool known;
    if (format) {
        size_t index = plugin_find(plugins, CP_IMPORTER, format);
        if (index == SIZE_MAX)
            return plugin_unknown(source->context, CP_IMPORTER, format);
        *importer = plugins->importers[index];
        list_format(source->context, source->path, (*importer)->plugin.name);
    } else if (source->size == 0) {
        return report_error(source->context, CP_INPUT, "read-empty", IN_FILE(source->name), "is empty");
    } else if (known_format(source) && !is_for_host(source)) {
        list_format(source->context, source->path, "");
        return report_known(source, known_format(source));
    } else {
        *importer = probe(source, &known, guessed);
    }
    /* No probe took the file. An importer that is not built (assimp) might, by its suffix. */
    for (const struct importer *const *at = plugins->importers; *at && !*importer; at++)
        if ((*at)->plugin.package && importer_suffix_matches(*at, source->name))
            *importer = *at;
    if (!*importer)
        return report_unknown_content(source);
    if (!(*importer)->plugin.package)
        return CP_OK;
    return report_error(source->context, CP_INPUT, "read-not-built", IN_FILE(source->name),
                        "the importer %s is not built; it needs the package %s", (*importer)->plugin.name,
                        (*importer)->plugin.package);
}

/* Says what to read a source by. */
struct reading {
    const char *format;   /* an importer's name; NULL: by the bytes */
    const char *usual;    /* an option that holds where the user gave none, or NULL */
    struct texts texts;   /* options */
    const cp_scene *cell; /* NULL; or the one that a list is read beside: the result is a changed copy */
};

static cp_status read_source(struct source *source, const struct reading *reading, cp_scene **result);

/* Reads the model of a ZIP archive. CP_NO if the source is no archive, or one that is a format of its own. */
static cp_status read_zipped(const struct source *source, const struct reading *reading, cp_scene **result)
{
    struct archive *archive;
    struct source *model = NULL;
    cp_status status = zipped_open(source, reading->format, &archive, &model);
    if (status == CP_OK)
        status = read_source(model, reading, result);
    source_close(model);
    archive_close(archive);
    return status;
}

/* Makes the scene that an importer fills. NULL when out of memory. */
static cp_scene *begin_scene(const struct importer *importer, const struct source *source,
                             const struct reading *reading)
{
    cp_scene *scene = reading->cell ? scene_copy(reading->cell) : scene_new(source->context);
    if (!scene || reading->cell)
        return scene;
    scene->source.format = importer->plugin.name;
    scene->source.file = utf8_from(scene->arena, source->label, strlen(source->label), NULL);
    if (scene->source.file)
        return scene;
    cp_scene_free(scene);
    return NULL;
}

/* Reads a source. CP_NO, without a message, if a list is wanted and it is none. */
static cp_status read_source(struct source *source, const struct reading *reading, cp_scene **result)
{
    cp_context *context = source->context;
    const struct importer *importer = NULL;
    bool guessed = false;
    cp_status status = read_zipped(source, reading, result);
    if (status != CP_NO)
        return status;
    status = choose(source, reading->format, &importer, &guessed);
    if (status != CP_OK)
        return status;
    if (reading->cell && !importer->lists_pairs)
        return CP_NO;
    /* First come the options for all uses of the importer, then those of this one. */
    const char *text;
    void *settings = options_parse(context, &importer->plugin, import_options, NULL, 0, &status);
    if (status == CP_OK && reading->usual && importer_of_option(context, reading->usual, &text) == importer)
        status = options_set(context, &importer->plugin, import_options, text, settings);
    for (uint32_t i = 0; i < context->importer_options.count && status == CP_OK; i++) {
        if (importer_of_option(context, context->importer_options.items[i], &text) == importer)
            status = options_set(context, &importer->plugin, import_options, text, settings);
    }
    for (size_t i = 0; i < reading->texts.count && status == CP_OK; i++)
        status = options_set(context, &importer->plugin, import_options, reading->texts.items[i], settings);
    if (status == CP_OK && source->ends_early)
        status = report_lenient(context, !((const struct import_settings *)settings)->partial, "source-truncated",
                                IN_FILE(source->name), "the gzip stream ends early after %zu bytes", source->size);
    if (status == CP_OK) {
        cp_scene *scene = begin_scene(importer, source, reading);
        const char *outer = context->subject;
        context->subject = source->name;
        if (!scene)
            status = CP_LIMIT;
        else if (importer->load)
            status = importer->load(context);
        if (status == CP_OK)
            status = importer->third_party && context->flags[CP_FLAG_ISOLATE]
                         ? isolate_read(importer, source, settings, scene)
                         : importer_read(importer, source, settings, scene);
        if (status == CP_OK || status == CP_INPUT) { /* an error may come from a change of the file meanwhile */
            cp_status unchanged = source_check(source);
            status = status == CP_OK ? unchanged : status;
        }
        if (status == CP_INPUT && importer->third_party && known_refusal(source))
            status = report_known(source, known_refusal(source));
        if (status == CP_OK && guessed && !says_something(scene))
            status = report_unknown_content(source);
        if (status == CP_OK && !report_invisible(context, scene))
            status = CP_LIMIT;
        context->subject = outer;
        if (status == CP_OK)
            *result = scene;
        else
            cp_scene_free(scene);
    }
    if (settings)
        options_free(context, &importer->plugin, settings);
    return status;
}

cp_status check_strict(cp_context *context)
{
    if (context->report.out_of_memory) /* even if only the report lacks an entry */
        return CP_LIMIT;
    size_t losses = context->flags[CP_FLAG_STRICT] ? report_loss_count(context) : 0;
    if (losses == 0)
        return CP_OK;
    return report_error(context, CP_LOSSY, "lossy", NOWHERE, "%zu kind%s of loss, and --strict allows none", losses,
                        losses == 1 ? "" : "s");
}

static cp_status finish_read(cp_context *context, cp_status status, struct source *source, cp_scene **scene)
{
    context->read_bytes = NO_READ;
    if (status == CP_OK)
        status = scene_add_inputs(*scene, source_inputs(source)->items, source_inputs(source)->count);
    source_close(source);
    if (status == CP_OK)
        status = check_strict(context);
    if (status != CP_OK) {
        cp_scene_free(*scene);
        *scene = NULL;
    }
    return context_finish(context, status);
}

cp_status cp_read(cp_context *context, const char *path, const char *format, const char *const *options,
                  size_t option_count, cp_scene **scene)
{
    *scene = NULL;
    struct source *source;
    context->read_bytes = 0;
    cp_status status = source_open_top(context, path, &source);
    if (status == CP_OK)
        status = read_source(source, &(struct reading){.format = format, .texts = {options, option_count}}, scene);
    return finish_read(context, status, source, scene);
}

cp_status cp_read_memory(cp_context *context, const void *bytes, size_t size, const char *name, const char *format,
                         const char *const *options, size_t option_count, cp_scene **scene)
{
    *scene = NULL;
    struct source *source;
    context->read_bytes = 0;
    cp_status status = source_from_memory(context, bytes, size, name, &source);
    if (status == CP_OK)
        status = read_source(source, &(struct reading){.format = format, .texts = {options, option_count}}, scene);
    return finish_read(context, status, source, scene);
}

cp_status cp_read_beside(cp_context *context, cp_scene *scene, const char *path, const char *format,
                         const char *const *options, size_t option_count)
{
    struct source *source;
    cp_scene *read = NULL;
    if (scene->context != context)
        return context_finish(context, report_error(context, CP_USAGE, "beside-scene", NOWHERE,
                                                    "a list is read beside a scene of the same context"));
    context->read_bytes = 0;
    cp_status status = source_open_top(context, path, &source);
    if (status == CP_OK)
        status = read_source(
            source, &(struct reading){.format = format, .texts = {options, option_count}, .cell = scene}, &read);
    status = finish_read(context, status, source, &read);
    if (status == CP_OK)
        scene_replace(scene, read);
    return status;
}

cp_status cp_find_format(cp_context *context, const char *path, const char **format)
{
    struct source *source;
    bool known, guessed;
    cp_status status = source_open_top(context, path, &source);
    const struct importer *importer = status == CP_OK ? probe(source, &known, &guessed) : NULL;
    *format = importer ? importer->plugin.name : "";
    source_close(source);
    return context_finish(context, status);
}

bool cp_was_read(const cp_context *context, const char *path)
{
    return files_known(context, path, FILE_READ);
}

bool source_is_known(const struct source *source)
{
    bool known, guessed;
    (void)probe(source, &known, &guessed);
    return known;
}

cp_status read_further(struct source *source, const char *format, const char *usual, cp_scene **scene)
{
    *scene = NULL;
    return read_source(source, &(struct reading){.format = format, .usual = usual}, scene);
}
