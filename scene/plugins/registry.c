/* Finds plug-ins in their tables by name. */
#include "registry.h"

#include <string.h>

#include "base/context.h"
#include "base/text/text.h"

/* Returns the members that all kinds of plug-ins share; NULL past the end. */
static const struct plugin *plugin_at(const struct plugins *plugins, cp_plugin_kind kind, size_t index)
{
    if (kind == CP_IMPORTER)
        return plugins->importers[index] ? &plugins->importers[index]->plugin : NULL;
    if (kind == CP_EXPORTER)
        return plugins->exporters[index] ? &plugins->exporters[index]->plugin : NULL;
    return plugins->filters[index] ? &plugins->filters[index]->plugin : NULL;
}

size_t plugin_count(const struct plugins *plugins, cp_plugin_kind kind)
{
    size_t count = 0;
    while (plugin_at(plugins, kind, count))
        count++;
    return count;
}

size_t plugin_find(const struct plugins *plugins, cp_plugin_kind kind, const char *name)
{
    for (size_t i = 0; plugin_at(plugins, kind, i); i++)
        if (strcmp(plugin_at(plugins, kind, i)->name, name) == 0)
            return i;
    return SIZE_MAX;
}

enum { MOST_PLUGINS = 64 };

cp_status plugin_unknown(cp_context *context, cp_plugin_kind kind, const char *name)
{
    static const char *const words[] = {"input format", "output format", "filter"};
    const char *names[MOST_PLUGINS + 1];
    size_t count = 0;
    for (; count < MOST_PLUGINS && plugin_at(context->plugins, kind, count); count++)
        names[count] = plugin_at(context->plugins, kind, count)->name;
    names[count] = NULL;
    return report_unknown(context, "plugin-unknown", words[kind], name, strlen(name), names);
}

/* Returns the size of the longest of the suffixes that the name has, before .gz; 0: it has none. */
static size_t suffix_size(const char *suffixes, const char *name)
{
    size_t length = strlen(name), longest = 0;
    if (text_ends_nocase(name, ".gz"))
        length -= 3;
    for (const char *at = suffixes; *at;) {
        size_t size = strcspn(at, " ");
        bool equal = size > longest && size <= length;
        for (size_t i = 0; i < size && equal; i++) {
            char c = name[length - size + i];
            equal = at[i] == (c >= 'A' && c <= 'Z' ? (char)(c + 32) : c);
        }
        longest = equal ? size : longest;
        at += size + strspn(at + size, " ");
    }
    return longest;
}

bool plugin_suffix_matches(const char *suffixes, const char *name)
{
    return suffix_size(suffixes, name) > 0;
}

size_t importer_suffix_size(const struct importer *importer, const char *name)
{
    size_t own = suffix_size(importer->suffixes, name), further = 0;
    if (importer->further)
        further = suffix_size(importer->further, name);
    return own > further ? own : further;
}

bool importer_suffix_matches(const struct importer *importer, const char *name)
{
    return importer_suffix_size(importer, name) > 0;
}

size_t exporter_of(const struct plugins *plugins, const char *path)
{
    size_t read = 0; /* ".dev.xml" is the suffix of a format that is read, and so ".xml" does not name another one */
    for (size_t i = 0; plugins->importers[i]; i++) {
        size_t size = importer_suffix_size(plugins->importers[i], path);
        read = size > read ? size : read;
    }
    for (size_t i = 0; plugins->exporters[i]; i++) {
        size_t size = suffix_size(plugins->exporters[i]->suffixes, path);
        if (size > 0 && size >= read)
            return i;
    }
    return SIZE_MAX;
}

cp_status cp_check_options(cp_context *context, cp_plugin_kind kind, const char *name, const char *const *options,
                           size_t option_count)
{
    size_t index = plugin_find(context->plugins, kind, name);
    if (index == SIZE_MAX)
        return context_finish(context, plugin_unknown(context, kind, name));
    const struct plugin *plugin = plugin_at(context->plugins, kind, index);
    if (plugin->package) /* it has no options; using it reports what is missing */
        return CP_OK;
    const cp_option *common = kind == CP_IMPORTER ? import_options : NULL;
    cp_status status;
    options_free(context, plugin, options_parse(context, plugin, common, options, option_count, &status));
    return context_finish(context, status);
}

/* Returns an option; importers have the common options, too, after their own. */
static const cp_option *option_at(const struct plugins *plugins, cp_plugin_kind kind, size_t index, size_t option)
{
    const cp_option *own = plugin_at(plugins, kind, index)->options;
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

static const char *version_of(const struct plugin *plugin)
{
    return plugin->version ? plugin->version : "1";
}

bool plugin_info(const struct plugins *plugins, cp_plugin_kind kind, size_t index, cp_plugin_info *info)
{
    if (index >= plugin_count(plugins, kind) || !struct_has_size(info))
        return false;
    const struct plugin *plugin = plugin_at(plugins, kind, index);
    cp_plugin_info own = {.name = plugin->name,
                          .title = plugin->title,
                          .suffixes = "",
                          .further = "",
                          .package = plugin->package,
                          .lacks = plugin->lacks,
                          .version = version_of(plugin)};
    if (kind == CP_IMPORTER) {
        own.suffixes = plugins->importers[index]->suffixes;
        own.further = plugins->importers[index]->further ? plugins->importers[index]->further : "";
        own.lists_pairs = plugins->importers[index]->lists_pairs;
    }
    if (kind == CP_EXPORTER)
        own.suffixes = plugins->exporters[index]->suffixes;
    if (kind == CP_FILTER)
        own.is_shown = plugins->filters[index]->is_shown;
    while (option_at(plugins, kind, index, own.option_count))
        own.option_count++;
    struct_give(info, &own, sizeof own);
    return true;
}

const char *plugin_version(const struct plugins *plugins, cp_plugin_kind kind, size_t index)
{
    if (index >= plugin_count(plugins, kind))
        return "";
    const struct plugin *plugin = plugin_at(plugins, kind, index);
    return plugin->version_in_use ? plugin->version_in_use() : version_of(plugin);
}

bool plugin_option(const struct plugins *plugins, cp_plugin_kind kind, size_t index, size_t option,
                   cp_option_info *info)
{
    const cp_option *it = index < plugin_count(plugins, kind) ? option_at(plugins, kind, index, option) : NULL;
    if (!it || !struct_has_size(info))
        return false;
    const cp_option_info own = cp_option_describe(it);
    struct_give(info, &own, sizeof own);
    return true;
}
