/* The settings of importers, exporters and filters, by their tables of options. */
#include "registry.h"

#include <string.h>

#include "base/context.h"
#include "base/text/text.h"

const cp_option import_options[] = {{"strict", "refuse what breaks the format's rules", CP_OPTION_BOOLEAN,
                                     offsetof(struct import_settings, strict), .initial = "no"},
                                    {"partial", "keep what a truncated file holds", CP_OPTION_BOOLEAN,
                                     offsetof(struct import_settings, partial), .initial = "no"},
                                    CP_OPTIONS_END};

cp_status options_set(cp_context *context, const struct plugin *plugin, const cp_option *common, const char *text,
                      void *settings)
{
    enum { MOST = 64 }; /* the most words among which the nearest is searched for */
    const cp_option *tables[] = {plugin->options, common}, *option = NULL;
    const char *words[MOST + 1] = {NULL};
    size_t size = strcspn(text, "="), count = 0;
    for (int i = 0; i < 2 && !option; i++)
        option = cp_option_named(tables[i], text);
    if (option)
        return cp_option_read(context, option, text[size] ? text + size + 1 : NULL, settings);
    for (int i = 0; i < 2; i++)
        for (const cp_option *known = tables[i]; known && known->name && count < MOST; known++)
            words[count++] = known->name;
    struct buffer what = {.context = context};
    buffer_print(&what, "option of %s", plugin->name);
    cp_status status = report_unknown(context, "option-unknown", what.failed ? "option" : what.data, text, size, words);
    buffer_free(&what);
    return status;
}

static cp_status set_defaults(cp_context *context, const cp_option *options, void *settings)
{
    cp_status status = CP_OK;
    for (; options && options->name && status == CP_OK; options++)
        if (options->initial)
            status = cp_option_read(context, options, options->initial, settings);
    return status;
}

void *options_parse(cp_context *context, const struct plugin *plugin, const cp_option *common, const char *const *texts,
                    size_t count, cp_status *status)
{
    void *settings = memory_allocate_zeroed(context, 1, plugin->settings_size);
    *status = settings ? CP_OK : CP_LIMIT;
    if (*status == CP_OK)
        *status = set_defaults(context, common, settings);
    if (*status == CP_OK)
        *status = set_defaults(context, plugin->options, settings);
    for (size_t i = 0; i < count && *status == CP_OK; i++)
        *status = options_set(context, plugin, common, texts[i], settings);
    if (*status == CP_OK && plugin->check)
        *status = plugin->check(context, settings);
    if (*status == CP_OK)
        return settings;
    options_free(context, plugin, settings);
    return NULL;
}

void options_free(cp_context *context, const struct plugin *plugin, void *settings)
{
    memory_free(context, settings, 1, plugin->settings_size);
}

const struct importer *importer_of_option(const cp_context *context, const char *setting, const char **text)
{
    size_t point = strcspn(setting, ".="); /* only a point before '=' separates the importer: later ones belong to the
                                            * value */
    if (setting[point] != '.')
        return NULL;
    *text = setting + point + 1;
    for (const struct importer *const *at = context->plugins->importers; *at; at++)
        if (strlen((*at)->plugin.name) == point && strncmp((*at)->plugin.name, setting, point) == 0)
            return *at;
    return NULL;
}

cp_status check_importer_option(cp_context *context, const char *setting)
{
    const char *text;
    const struct importer *importer = importer_of_option(context, setting, &text);
    if (!importer)
        return report_error(context, CP_USAGE, "option-importer", NOWHERE,
                            "\"%s\" does not begin with an importer's name and a point", setting);
    cp_status status;
    void *settings = options_parse(context, &importer->plugin, import_options, &text, 1, &status);
    options_free(context, &importer->plugin, settings);
    return status;
}

cp_status cp_set_importer_option(cp_context *context, const char *setting)
{
    cp_status status = check_importer_option(context, setting);
    if (status == CP_OK)
        status = context_append_text(context, &context->importer_options, setting);
    return context_finish(context, status);
}

bool cp_parse_length(const char *text, double *metres)
{
    return read_length(text, metres);
}
