/* Calls plug-ins, ours and those that a host has registered, whose answers nobody has checked. */
#include "registry.h"

#include "base/context.h"
#include "cellpipe_build.h"

static size_t count_errors(const cp_context *context)
{
    size_t count = 0, errors = 0;
    const cp_entry *entries = cp_report(context, &count);
    for (size_t i = 0; i < count; i++)
        if (entries[i].severity == CP_ERROR)
            errors += entries[i].count;
    return errors;
}

/* Takes what a function has returned, which nobody has checked. errors: how many the report had before. */
static cp_status judge(cp_context *context, const struct plugin *plugin, cp_status status, size_t errors)
{
    switch (status) {
    case CP_OK:
    case CP_CANCELLED:
        return status;
    case CP_USAGE:
    case CP_INPUT:
    case CP_OUTPUT:
    case CP_LOSSY:
    case CP_LIMIT:
        if (count_errors(context) == errors && !context->report.out_of_memory)
            return report_error(context, status, "plugin-failed", NOWHERE, "%s failed without a message", plugin->name);
        return status;
    default:
        return report_error(context, CP_USAGE, "plugin-status", NOWHERE,
                            "%s returned the status %d, which is none of its", plugin->name, (int)status);
    }
}

/* Finishes a scene that a host's function has filled: what is broken is no bug of ours. */
static cp_status finish(cp_scene *scene, cp_status status)
{
    if (status == CP_OK)
        status = scene_finish(scene);
    return status == CP_BUG ? CP_USAGE : status;
}

int importer_probe(const struct importer *importer, const struct source *source)
{
    enum { HEAD = 1 << 16 };
    const size_t head = source->size < HEAD ? source->size : HEAD;
    const cp_importer *host = importer->host;
    if (!host)
        return importer->probe(source->data, head, source->size);
    if (!host->probe) /* the suffix alone decides */
        return importer_suffix_matches(importer, source->name) ? 100 : 0;
    int sure = host->probe(host->user, source->data, head, source->size);
    return sure < 0 ? 0 : sure > 100 ? 100 : sure;
}

cp_status importer_read(const struct importer *importer, struct source *source, const void *settings, cp_scene *scene)
{
    cp_context *context = source->context;
    const cp_importer *host = importer->host;
    if (!host)
        return importer->read(context, source, settings, scene);
    const struct cp_input input = {source, settings};
    const size_t errors = count_errors(context);
    cp_status status =
        host->read(host->user, context, &input, (const char *)settings + offsetof(struct host_settings, own), scene);
    return finish(scene, judge(context, &importer->plugin, status, errors));
}

uint32_t exporter_carries(const struct exporter *exporter, const void *settings)
{
    return exporter->host ? exporter->host->carries & CP_FEATURE_ALL : exporter->carries(settings);
}

uint32_t exporter_shows(const struct exporter *exporter, const void *settings)
{
    if (exporter->host)
        return exporter->host->shows & CP_USE_BOTH;
    return exporter->shows ? exporter->shows(settings) : 0;
}

cp_status exporter_write(const struct exporter *exporter, cp_context *context, const cp_scene *scene,
                         const void *settings, struct sink *sink)
{
    const cp_exporter *host = exporter->host;
    if (!host)
        return exporter->write(context, scene, settings, sink);
    const size_t errors = count_errors(context);
    cp_status status = host->write(host->user, context, scene, settings, (cp_output *)(void *)sink);
    return judge(context, &exporter->plugin, status, errors);
}

cp_status filter_apply(const struct filter *filter, cp_context *context, cp_scene *scene, const void *settings)
{
    const cp_filter *host = filter->host;
    if (!host) {
        cp_status status = filter->apply(context, scene, settings);
        return status == CP_OK ? scene_finish(scene) : status;
    }
    const size_t errors = count_errors(context);
    cp_status status = host->apply(host->user, context, scene, settings);
    return finish(scene, judge(context, &filter->plugin, status, errors));
}
