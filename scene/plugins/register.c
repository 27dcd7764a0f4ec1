/* Registers importers, exporters and filters of a host's, and gives them their inputs and outputs. */
#include "registry.h"

#include <string.h>

#include "base/context.h"
#include "base/text/text.h"
#include "cellpipe_build.h"

/* ---- inputs and outputs ---- */

const char *cp_parse_number(const char *text, const char *end, double *value)
{
    return parse_double(text, end, value);
}

const char *cp_input_bytes(const cp_input *input, size_t *count)
{
    if (count)
        *count = input->source->size;
    return input->source->data;
}

const char *cp_input_name(const cp_input *input)
{
    return input->source->name;
}

uint64_t cp_input_line(const cp_input *input, size_t offset)
{
    return source_line(input->source, offset < input->source->size ? offset : input->source->size);
}

bool cp_input_is_strict(const cp_input *input)
{
    return input->settings->strict;
}

bool cp_input_is_partial(const cp_input *input)
{
    return input->settings->partial;
}

cp_status cp_input_open(const cp_input *input, const char *name, cp_input **further)
{
    cp_context *context = input->source->context;
    struct source *source;
    *further = NULL;
    cp_status status = source_open(input->source, name, &source);
    if (status != CP_OK)
        return status;
    if (source->ends_early)
        status = report_lenient(context, !input->settings->partial, "source-truncated", IN_FILE(source->name),
                                "the gzip stream ends early after %zu bytes", source->size);
    struct cp_input *opened = status == CP_OK ? memory_allocate(context, 1, sizeof *opened) : NULL;
    if (!opened) {
        source_close(source);
        return status == CP_OK ? CP_LIMIT : status;
    }
    *opened = (struct cp_input){source, input->settings};
    *further = opened;
    return CP_OK;
}

void cp_input_close(cp_input *further)
{
    if (!further)
        return;
    cp_context *context = further->source->context;
    source_close(further->source);
    memory_free(context, further, 1, sizeof *further);
}

cp_status cp_input_read(const cp_input *input, const char *name, const char *format, cp_scene **scene)
{
    struct source *source;
    *scene = NULL;
    cp_status status = source_open(input->source, name, &source);
    if (status != CP_OK)
        return status;
    status = read_further(source, format, NULL, scene);
    source_close(source);
    return status;
}

static struct sink *sink_of(cp_output *output)
{
    return (struct sink *)(void *)output;
}

cp_status cp_output_write(cp_output *output, const void *bytes, size_t count)
{
    sink_write(sink_of(output), bytes, count);
    return sink_status(sink_of(output));
}

cp_status cp_output_text(cp_output *output, const char *text)
{
    sink_text(sink_of(output), text);
    return sink_status(sink_of(output));
}

cp_status cp_output_number(cp_output *output, double number)
{
    sink_double(sink_of(output), number);
    return sink_status(sink_of(output));
}

/* ---- registering ---- */

static bool is_name(const char *text, size_t size)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";
    return size > 0 && size < 32 && strspn(text, letters) >= size;
}

static bool are_suffixes(const char *text)
{
    for (size_t size; *text; text += size + strspn(text + size, " ")) {
        size = strcspn(text, " ");
        if (size < 2 || *text != '.' || (size == 3 && strncmp(text, ".gz", 3) == 0))
            return false;
        for (size_t i = 0; i < size; i++)
            if (text[i] >= 'A' && text[i] <= 'Z')
                return false;
    }
    return true;
}

/* Returns what is wrong with an option of a table; NULL if nothing is. */
static const char *find_fault(const struct plugin *plugin, const cp_option *common, const cp_option *option)
{
    const size_t size = cp_option_size(option->type);
    if (!is_name(option->name, strlen(option->name)))
        return "needs a name of 1 to 31 of a-z, 0-9, - and _";
    if (cp_option_named(plugin->options, option->name) != option || cp_option_named(common, option->name))
        return "is another option's name, too";
    if (size == 0)
        return "has no type that is known";
    if (option->type == CP_OPTION_CHOICE && (!option->choices || !*option->choices))
        return "has no choices";
    if (size > plugin->settings_size || option->offset > plugin->settings_size - size)
        return "lies outside the settings";
    return option->offset % (size < sizeof(double) ? size : sizeof(double)) == 0 ? NULL : "is not aligned";
}

/* Checks a plug-in as the host describes it. */
static cp_status check(cp_context *context, cp_plugin_kind kind, const struct plugin *plugin, const char *suffixes,
                       bool is_complete)
{
    static const char *const words[] = {"importer", "exporter", "filter"};
    const cp_option *common = kind == CP_IMPORTER ? import_options : NULL;
    const char *name = plugin->name ? plugin->name : "", *fault;
    if (!is_name(name, strlen(name)))
        return report_error(context, CP_USAGE, "plugin-name", NOWHERE,
                            "\"%s\": the %s needs a name of 1 to 31 of a-z, 0-9, - and _", name, words[kind]);
    if (plugin_find(context->plugins, kind, name) != SIZE_MAX)
        return report_error(context, CP_USAGE, "plugin-taken", NOWHERE, "the name of the %s %s is taken", words[kind],
                            name);
    if (!is_complete)
        return report_error(context, CP_USAGE, "plugin-function", NOWHERE, "the %s %s has no function for its work",
                            words[kind], name);
    if (!are_suffixes(suffixes))
        return report_error(context, CP_USAGE, "plugin-suffixes", NOWHERE,
                            "the suffixes \"%s\" of %s: need a point first and no capitals; .gz is none", suffixes,
                            name);
    for (const cp_option *option = plugin->options; option && option->name; option++)
        if ((fault = find_fault(plugin, common, option)))
            return report_error(context, CP_USAGE, "plugin-option", NOWHERE, "the option \"%s\" of %s %s", option->name,
                                name, fault);
    cp_status status;
    options_free(context, plugin, options_parse(context, plugin, NULL, NULL, 0, &status)); /* tries the defaults */
    return status;
}

/* Copies the options; their settings are so many bytes further behind. False if out of memory. */
static bool keep_options(cp_context *context, struct plugin *plugin, size_t behind)
{
    size_t count = 0;
    plugin->settings_size += behind;
    while (plugin->options && plugin->options[count].name)
        count++;
    cp_option *options = arena_allocate_zeroed(context->arena, count + 1, sizeof *options);
    for (size_t i = 0; options && i < count; i++) {
        options[i] = plugin->options[i];
        options[i].offset += behind;
    }
    plugin->options = options;
    return options;
}

/* Puts a copy of a plug-in of `size` bytes at the end of a copy of its kind's table. Older tables live as long: a call
 * that goes through one may have called the host. */
static cp_status add_plugin(cp_context *context, cp_plugin_kind kind, const void *plugin, size_t size)
{
    struct plugins *more = arena_copy(context->arena, context->plugins, 1, sizeof *more);
    const void *kept = arena_copy(context->arena, plugin, 1, size), *table;
    const size_t count = plugin_count(context->plugins, kind);
    char *longer = arena_allocate_zeroed(context->arena, count + 2, sizeof kept);
    if (!more || !kept || !longer)
        return CP_LIMIT;
    void *const tables[] = {&more->importers, &more->exporters, &more->filters};
    memcpy(&table, tables[kind], sizeof table); /* whatever it points to */
    memcpy(longer, table, count * sizeof kept);
    memcpy(longer + count * sizeof kept, &kept, sizeof kept);
    memcpy(tables[kind], &longer, sizeof longer);
    context->plugins = more;
    return CP_OK;
}

/* All structs of hosts begin alike. */
#define PLUGIN_OF(given)                                                                                               \
    {                                                                                                                  \
        .name = (given).name, .title = (given).title ? (given).title : "", .options = (given).options,                 \
        .settings_size = (given).settings_size, .version = (given).version                                             \
    }

static cp_status register_importer(cp_context *context, const cp_importer *importer)
{
    cp_importer given;
    struct_take(&given, sizeof given, importer);
    struct importer own = {.plugin = PLUGIN_OF(given),
                           .suffixes = given.suffixes ? given.suffixes : "",
                           .sign = given.sign,
                           .third_party = given.isolated,
                           .is_cell = given.is_cell};
    cp_status status = check(context, CP_IMPORTER, &own.plugin, own.suffixes, given.read);
    if (status != CP_OK)
        return status;
    own.host = arena_copy(context->arena, &given, 1, sizeof given);
    return own.host && keep_options(context, &own.plugin, offsetof(struct host_settings, own))
               ? add_plugin(context, CP_IMPORTER, &own, sizeof own)
               : CP_LIMIT;
}

static cp_status register_exporter(cp_context *context, const cp_exporter *exporter)
{
    cp_exporter given;
    struct_take(&given, sizeof given, exporter);
    struct exporter own = {.plugin = PLUGIN_OF(given), .suffixes = given.suffixes ? given.suffixes : ""};
    cp_status status = check(context, CP_EXPORTER, &own.plugin, own.suffixes, given.write);
    if (status != CP_OK)
        return status;
    own.host = arena_copy(context->arena, &given, 1, sizeof given);
    return own.host && keep_options(context, &own.plugin, 0) ? add_plugin(context, CP_EXPORTER, &own, sizeof own)
                                                             : CP_LIMIT;
}

static cp_status register_filter(cp_context *context, const cp_filter *filter)
{
    cp_filter given;
    struct_take(&given, sizeof given, filter);
    struct filter own = {.plugin = PLUGIN_OF(given)};
    cp_status status = check(context, CP_FILTER, &own.plugin, "", given.apply);
    if (status != CP_OK)
        return status;
    own.host = arena_copy(context->arena, &given, 1, sizeof given);
    return own.host && keep_options(context, &own.plugin, 0) ? add_plugin(context, CP_FILTER, &own, sizeof own)
                                                             : CP_LIMIT;
}

cp_status cp_register_importer(cp_context *context, const cp_importer *importer)
{
    cp_status status = struct_check(context, importer);
    return context_finish(context, status == CP_OK ? register_importer(context, importer) : status);
}

cp_status cp_register_exporter(cp_context *context, const cp_exporter *exporter)
{
    cp_status status = struct_check(context, exporter);
    return context_finish(context, status == CP_OK ? register_exporter(context, exporter) : status);
}

cp_status cp_register_filter(cp_context *context, const cp_filter *filter)
{
    cp_status status = struct_check(context, filter);
    return context_finish(context, status == CP_OK ? register_filter(context, filter) : status);
}
