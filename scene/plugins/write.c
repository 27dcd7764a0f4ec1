/* Writes a scene to a file, and applies filters. */
#include <string.h>

#include "base/bytes/disk.h"
#include "base/context.h"
#include "base/text/text.h"
#include "registry.h"

/* Chooses the exporter by the format, else by the path. A format that ends in ".gz" is packed. */
static cp_status choose(cp_context *context, const char *path, const char *format, const struct exporter **exporter,
                        bool *packed)
{
    char name[32] = "";
    *packed = format && text_ends_nocase(format, ".gz");
    size_t size = format ? strlen(format) - (*packed ? 3 : 0) : 0;
    if (size < sizeof name && format)
        memcpy(name, format, size); /* and a zero follows */
    size_t index = format ? plugin_find(context->plugins, CP_EXPORTER, name) : exporter_of(context->plugins, path);
    if (index == SIZE_MAX && format)
        return plugin_unknown(context, CP_EXPORTER, format);
    if (index == SIZE_MAX)
        return report_error(context, CP_USAGE, "write-unknown", IN_FILE(path),
                            "the suffix does not name an output format (--to names one)");
    *exporter = context->plugins->exporters[index];
    if ((*exporter)->plugin.package)
        return report_error(context, CP_USAGE, "write-not-built", IN_FILE(path),
                            "the exporter %s is not built; it needs the package %s", (*exporter)->plugin.name,
                            (*exporter)->plugin.package);
    return CP_OK;
}

/* An output that is being written. */
struct job {
    cp_context *context;
    const cp_scene *scene;
    const struct exporter *exporter;
    void *settings;
    bool packed;
    const char *output; /* for messages */
    bool is_beside;     /* in an output that has the scene, too: what is not in these bytes is not lost */
};

static cp_status run_exporter(const struct job *job, struct sink *sink)
{
    uint32_t carries = exporter_carries(job->exporter, job->settings);
    cp_scene *prepared;
    const char *outer = job->context->subject;
    job->context->subject = job->output;
    carries |= job->exporter->tessellates ? CP_FEATURE_PRIMITIVES : 0;
    cp_status status = scene_prepare(job->scene, carries, &prepared);
    if (status == CP_OK && job->packed)
        status = sink_pack(sink);
    if (status == CP_OK)
        status = exporter_write(job->exporter, job->context, prepared ? prepared : job->scene, job->settings, sink);
    job->context->subject = outer;
    cp_scene_free(prepared);
    if (status == CP_OK)
        status = sink_status(sink);
    return status == CP_OK ? check_strict(job->context) : status;
}

static bool is_shown(const cp_mesh *mesh, uint32_t carries)
{
    if (mesh->kind == CP_MESH_LINES)
        return (carries & CP_FEATURE_LINES) && mesh->corner_count > 0;
    return mesh->kind != CP_MESH_FACES || cp_mesh_triangles(mesh) > 0;
}

/* Reports an output for viewers that shows nothing, unless a cell was read: then a reader or filter has left nothing of
 * a model. */
static void report_nothing_drawn(const struct job *job)
{
    const cp_scene *scene = job->scene;
    const struct plugins *plugins = job->context->plugins;
    uint32_t uses = exporter_shows(job->exporter, job->settings);
    uint32_t carries = exporter_carries(job->exporter, job->settings);
    size_t importer = plugin_find(plugins, CP_IMPORTER, scene->source.format ? scene->source.format : "");
    if (uses == 0 || importer == SIZE_MAX || (plugins->importers[importer]->is_cell && scene->node_count > 1))
        return;
    for (uint32_t i = 0; i < scene->instance_count; i++)
        if ((scene->instances[i].use & uses) && is_shown(&scene->meshes[scene->instances[i].mesh], carries))
            return;
    report_loss(job->context, "nothing-drawn", IN_FILE(job->output), 1, "nothing is drawn: there are no faces%s",
                carries & CP_FEATURE_LINES ? " or lines" : "");
}

/* Prepares an output. Losses are reported first, so that --strict fails before a byte is written. */
static cp_status start_job(struct job *job, const char *path, const char *format, const struct texts *texts)
{
    cp_status status = choose(job->context, path, format, &job->exporter, &job->packed);
    if (status != CP_OK)
        return status;
    job->settings = options_parse(job->context, &job->exporter->plugin, NULL, texts->items, texts->count, &status);
    if (status != CP_OK)
        return status;
    if (!job->exporter->is_list && !job->is_beside)
        features_report_losses(job->context, job->scene, exporter_carries(job->exporter, job->settings), job->output);
    if (!job->is_beside)
        report_nothing_drawn(job);
    return check_strict(job->context);
}

static void end_job(struct job *job)
{
    if (job->settings)
        options_free(job->context, &job->exporter->plugin, job->settings);
}

cp_written cp_last_written(const cp_context *context)
{
    return context->written;
}

/* Counts what is written, assuming that all that is drawn is written as it is. Exporters may correct the counts. */
static void count_written(const struct job *job)
{
    const cp_scene *scene = job->scene;
    uint32_t carries = exporter_carries(job->exporter, job->settings);
    cp_written *written = &job->context->written;
    *written = (cp_written){.clips = carries & CP_FEATURE_CLIPS ? scene->clip_count : 0};
    for (uint32_t i = 0; i < scene->instance_count && (carries & CP_FEATURE_MESHES); i++)
        if (scene->instances[i].use & CP_USE_DRAWN)
            written->triangles += cp_mesh_triangles(&scene->meshes[scene->instances[i].mesh]);
}

cp_status cp_write(cp_context *context, const cp_scene *scene, const char *path, const char *format,
                   const char *const *options, size_t option_count)
{
    bool standard = strcmp(path, "-") == 0;
    struct job job = {.context = context, .scene = scene, .output = standard ? "stdout" : path};
    cp_status status = start_job(&job, path, format, &(struct texts){options, option_count});
    struct sink *sink;
    if (status == CP_OK) {
        count_written(&job);
        status = sink_open_top(context, path, &sink);
        if (status == CP_OK)
            status = sink_close(sink, run_exporter(&job, sink));
    }
    end_job(&job);
    return context_finish(context, status);
}

cp_status cp_expect_output(cp_context *context, const char *path)
{
    return context_finish(context, strcmp(path, "-") == 0 ? CP_OK : target_expect(context, path));
}

static cp_status write_memory(struct job *job, const char *format, const struct texts *texts, void **bytes,
                              size_t *size)
{
    *bytes = NULL;
    *size = 0;
    cp_status status = start_job(job, "", format, texts);
    struct sink *sink;
    if (status == CP_OK) {
        status = sink_open_memory(job->context, &sink);
        if (status == CP_OK)
            status = sink_close_memory(sink, run_exporter(job, sink), bytes, size);
    }
    end_job(job);
    return status;
}

cp_status cp_write_memory(cp_context *context, const cp_scene *scene, const char *format, const char *const *options,
                          size_t option_count, void **bytes, size_t *size)
{
    struct job job = {.context = context, .scene = scene, .output = format};
    return context_finish(context, write_memory(&job, format, &(struct texts){options, option_count}, bytes, size));
}

cp_status write_further(cp_context *context, const cp_scene *scene, const char *format, const char *const *options,
                        size_t option_count, void **bytes, size_t *size)
{
    struct job job = {.context = context, .scene = scene, .output = context->subject};
    return write_memory(&job, format, &(struct texts){options, option_count}, bytes, size);
}

cp_status write_beside(cp_context *context, const cp_scene *scene, const char *format, const char *const *options,
                       size_t option_count, void **bytes, size_t *size)
{
    struct job job = {.context = context, .scene = scene, .output = context->subject, .is_beside = true};
    return write_memory(&job, format, &(struct texts){options, option_count}, bytes, size);
}

cp_status cp_write_file(cp_context *context, const char *path, const void *bytes, size_t size)
{
    struct sink *sink;
    cp_status status = CP_OK;
    if (strcmp(path, "-") != 0 && files_known(context, path, FILE_READ | FILE_WRITTEN))
        status = report_error(context, CP_USAGE, "write-taken", IN_FILE(path), "is an input or another output");
    const char *kept = context->kept_path;
    context->kept_path = NULL;
    if (status == CP_OK)
        status = sink_open_top(context, path, &sink);
    if (status == CP_OK) {
        sink_write(sink, bytes, size);
        status = sink_close(sink, sink_status(sink));
    }
    context->kept_path = kept;
    return context_finish(context, status);
}

cp_status cp_keep_path(cp_context *context, const char *path)
{
    context->kept_path = path ? arena_copy_text(context->arena, path, strlen(path)) : NULL;
    return context_finish(context, path && !context->kept_path ? CP_LIMIT : CP_OK);
}

cp_status cp_apply(cp_context *context, cp_scene *scene, const char *filter, const char *const *options,
                   size_t option_count)
{
    size_t index = plugin_find(context->plugins, CP_FILTER, filter);
    if (index == SIZE_MAX)
        return context_finish(context, plugin_unknown(context, CP_FILTER, filter));
    const struct filter *it = context->plugins->filters[index];
    cp_status status;
    void *settings = options_parse(context, &it->plugin, NULL, options, option_count, &status);
    if (status != CP_OK)
        return context_finish(context, status);
    const char *outer = context->subject;
    context->subject = it->plugin.name;
    context_progress(context, (cp_progress){.work = it->plugin.name});
    cp_scene *work = scene_copy(scene);
    status = work ? filter_apply(it, context, work, settings) : CP_LIMIT;
    context->subject = outer;
    if (status == CP_OK)
        status = check_strict(context);
    options_free(context, &it->plugin, settings);
    if (status == CP_OK)
        scene_replace(scene, work);
    else
        cp_scene_free(work);
    return context_finish(context, status);
}
