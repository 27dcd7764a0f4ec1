/* The tables of plug-ins as the public header shows them. */
#include "registry.h"

#include <string.h>

#include "context.h"
#include "options.h"

/* The head that all kinds share; NULL past the end. */
static const struct plugin *plugin_at(cp_plugin_kind kind, size_t index)
{
    if (kind == CP_IMPORTER)
        return importers[index] ? &importers[index]->plugin : NULL;
    if (kind == CP_EXPORTER)
        return exporters[index] ? &exporters[index]->plugin : NULL;
    return filters[index] ? &filters[index]->plugin : NULL;
}

size_t cp_plugin_count(cp_plugin_kind kind)
{
    size_t count = 0;
    while (plugin_at(kind, count))
        count++;
    return count;
}

size_t plugin_find(cp_plugin_kind kind, const char *name)
{
    for (size_t i = 0; plugin_at(kind, i); i++)
        if (strcmp(plugin_at(kind, i)->name, name) == 0)
            return i;
    return SIZE_MAX;
}

enum { MOST_PLUGINS = 64 };

static void plugin_names(cp_plugin_kind kind, const char *names[MOST_PLUGINS + 1])
{
    size_t count = 0;
    for (; count < MOST_PLUGINS && plugin_at(kind, count); count++)
        names[count] = plugin_at(kind, count)->name;
    names[count] = NULL;
}

cp_status plugin_unknown(cp_context *context, cp_plugin_kind kind, const char *name)
{
    static const char *const words[] = {"input format", "output format", "filter"};
    const char *names[MOST_PLUGINS + 1];
    plugin_names(kind, names);
    return report_unknown(context, "plugin-unknown", words[kind], name, strlen(name), names);
}

const char *cp_plugin_nearest(cp_plugin_kind kind, const char *word)
{
    const char *names[MOST_PLUGINS + 1];
    plugin_names(kind, names);
    return nearest_word(word, names);
}

size_t cp_exporter_of(const char *path)
{
    for (size_t i = 0; exporters[i]; i++)
        if (plugin_suffix_matches(exporters[i]->suffixes, path))
            return i;
    return SIZE_MAX;
}

cp_status cp_check_options(cp_context *context, cp_plugin_kind kind, const char *name, const char *const *options,
                           size_t option_count)
{
    size_t index = plugin_find(kind, name);
    if (index == SIZE_MAX)
        return context_finish(context, plugin_unknown(context, kind, name));
    const struct plugin *plugin = plugin_at(kind, index);
    if (plugin->package) /* it has no options; its use says what is missing */
        return CP_OK;
    const struct option *common = kind == CP_IMPORTER ? import_options : NULL;
    cp_status status;
    options_free(context, plugin, options_parse(context, plugin, common, options, option_count, &status));
    return context_finish(context, status);
}

/* Importers have the common options, too, after their own. */
static const struct option *option_at(cp_plugin_kind kind, size_t index, size_t option)
{
    const struct option *own = plugin_at(kind, index)->options;
    size_t count = 0;
    for (; own && own[count].name; count++)
        if (count == option)
            return &own[count];
    if (kind != CP_IMPORTER)
        return NULL;
    for (size_t i = 0; import_options[i].name; i++)
        if (count + i == option)
            return &import_options[i];
    return NULL;
}

cp_plugin_info cp_plugin_at(cp_plugin_kind kind, size_t index)
{
    const struct plugin *plugin = plugin_at(kind, index);
    cp_plugin_info info = {.name = plugin->name,
                           .title = plugin->title,
                           .suffixes = "",
                           .package = plugin->package,
                           .lacks = plugin->lacks};
    if (kind == CP_IMPORTER)
        info.suffixes = importers[index]->suffixes;
    if (kind == CP_EXPORTER)
        info.suffixes = exporters[index]->suffixes;
    while (option_at(kind, index, info.option_count))
        info.option_count++;
    return info;
}

cp_option_info cp_plugin_option(cp_plugin_kind kind, size_t index, size_t option)
{
    const struct option *it = option_at(kind, index, option);
    if (!it)
        return (cp_option_info){0};
    double scale = option_scale(it);
    return (cp_option_info){.name = it->name,
                            .help = it->help,
                            .type = option_type_word(it->type),
                            .default_value = it->initial,
                            .choices = it->choices,
                            .minimum = it->minimum * scale,
                            .maximum = it->maximum * scale};
}
