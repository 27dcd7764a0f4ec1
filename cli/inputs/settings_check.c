/* Checks what a settings file says: it may be a stranger's. */
#include "settings.h"

#include <string.h>

/* Options of readers that it may set: what a file means, and nothing that leads to another file, to the environment, or
 * out of the folders. */
static const char *const reader_options[] = {
    "angle", "collision", "colour", "dae-up",  "deflection", "dof_zero", "edges",        "encoding", "error", "hidden",
    "loops", "matrix",    "names",  "normals", "partial",    "strict",   "transparency", "unit",     "up",    NULL};

/* Filters that read no file. */
static const char *const filters[] = {"weld",   "normals",   "triangulate",  "flatten",      "select",
                                      "pose",   "instances", "split-meshes", "merge-meshes", "repair",
                                      "orient", "simplify",  "lod",          "trace",        NULL};

/* Types of options whose values name no file. */
static const char *const types[] = {"boolean", "integer", "number", "ratio",  "length", "angle",
                                    "time",    "size",    "extent", "pixels", "colour", "unit",
                                    "choice",  "frame",   "joint",  "device", "clip",   NULL};

struct checking {
    struct cli *cli;
    const struct settings_file *file;
    const struct setting *setting;
};

static bool is_one_of(const char *const *words, const char *word, size_t size)
{
    for (; *words; words++)
        if (strlen(*words) == size && strncmp(*words, word, size) == 0)
            return true;
    return false;
}

/* Complains about a word of the setting. */
static cp_status refuse(const struct checking *checking, uint32_t word, const char *text)
{
    if (!text)
        return CP_LIMIT;
    return complain(checking->cli, CP_USAGE, "%s:%u:%u: %s", checking->file->path, (unsigned)checking->setting->line,
                    (unsigned)checking->setting->words[word], text);
}

/* Complains about an unknown name, and names a near one of `known`. */
static cp_status refuse_name(const struct checking *checking, uint32_t word, const char *what, const char *name,
                             size_t size, const char *const *known)
{
    struct cli *cli = checking->cli;
    const char *text = cli_print(cli, "%.*s", (int)size, name);
    const char *nearest = text ? cp_nearest_word(text, known) : NULL;
    return refuse(checking, word,
                  text ? cli_print(cli, "unknown %s \"%s\"%s%s%s", what, text, nearest ? "; did you mean " : "",
                                   nearest ? nearest : "", nearest ? "?" : "")
                       : NULL);
}

/* Checks the value of an option by its plug-in, which reports what is wrong. */
static cp_status check_value(const struct checking *checking, uint32_t word, cp_plugin_kind kind, size_t plugin,
                             const char *option)
{
    struct cli *cli = checking->cli;
    size_t count;
    cp_status status = cp_check_options(cli->context, kind, plugin_at(kind, plugin).name, &option, 1);
    const cp_entry *entries = cp_report(cli->context, &count);
    const char *text = status == CP_OK ? "" : cli_print(cli, "%s", count > 0 ? entries[0].text : "is refused");
    cp_report_clear(cli->context);
    return status == CP_OK || status == CP_LIMIT ? status : refuse(checking, word, text);
}

static bool is_plain_type(const cp_option_info *option)
{
    return is_one_of(types, option->type, strlen(option->type));
}

/* Checks "unit=mm", or "stl.unit=mm" for every STL that is read. */
static cp_status check_reader_option(const struct checking *checking, uint32_t word, const char *option)
{
    struct cli *cli = checking->cli;
    size_t size = strcspn(option, "=."), only = SIZE_MAX;
    const char *own = option;
    if (option[size] == '.') {
        only = plugin_named(CP_IMPORTER, cli_print(cli, "%.*s", (int)size, option));
        if (only == SIZE_MAX)
            return refuse_name(checking, word, "input format", option, size, plugin_words(cli, CP_IMPORTER));
        own = option + size + 1;
    }
    size_t name_size = strcspn(own, "=");
    bool is_any = false;
    cp_status status = CP_OK, first = CP_OK;
    for (size_t i = 0; i < plugin_count(CP_IMPORTER) && status == CP_OK; i++) {
        cp_option_info info;
        if ((only != SIZE_MAX && i != only) || !plugin_has(CP_IMPORTER, i, own, &info))
            continue;
        if (!is_one_of(reader_options, own, name_size) || !is_plain_type(&info))
            return refuse(checking, word,
                          cli_print(cli, "a settings file may not set \"%.*s\"; give it on the command line",
                                    (int)name_size, own));
        if (!is_any)
            first = check_value(checking, word, CP_IMPORTER, i, own);
        is_any = true;
        status = first;
    }
    return is_any ? status : refuse_name(checking, word, "option of a reader", own, name_size, reader_options);
}

/* Complains about an option that the plug-in, or with SIZE_MAX any exporter, does not have. */
static cp_status refuse_option(const struct checking *checking, uint32_t word, cp_plugin_kind kind, size_t plugin,
                               const char *option)
{
    struct list names = {0};
    const char *what = plugin == SIZE_MAX ? "option of a writer"
                                          : cli_print(checking->cli, "option of %s", plugin_at(kind, plugin).name);
    bool good = what != NULL;
    for (size_t i = 0; i < plugin_count(kind); i++)
        for (size_t k = 0; (plugin == SIZE_MAX || i == plugin) && k < plugin_at(kind, i).option_count && good; k++)
            good = list_add(checking->cli, &names, plugin_option(kind, i, k).name);
    return good && list_add(checking->cli, &names, NULL)
               ? refuse_name(checking, word, what, option, strcspn(option, "="), names.items)
               : CP_LIMIT;
}

/* Checks an option of a plug-in, SIZE_MAX: of some exporter. */
static cp_status check_plugin_option(const struct checking *checking, uint32_t word, cp_plugin_kind kind, size_t plugin,
                                     const char *option)
{
    cp_option_info info;
    for (size_t i = 0; i < plugin_count(kind); i++) {
        if ((plugin != SIZE_MAX && i != plugin) || !plugin_has(kind, i, option, &info))
            continue;
        if (is_plain_type(&info))
            return check_value(checking, word, kind, i, option);
        return refuse(
            checking, word,
            cli_print(checking->cli,
                      "a settings file may not set \"%s\", as it may name a file; give it on the command line",
                      info.name));
    }
    return refuse_option(checking, word, kind, plugin, option);
}

/* exporter: that of the run, or SIZE_MAX. */
static cp_status check_setting(const struct checking *checking, size_t exporter)
{
    const struct setting *setting = checking->setting;
    const uint32_t named = setting->kind != SETTING_READ;
    size_t plugin = exporter;
    cp_status status = CP_OK;
    if (setting->kind == SETTING_FILTER) {
        plugin = plugin_named(CP_FILTER, setting->filter);
        if (plugin != SIZE_MAX && !is_one_of(filters, setting->filter, strlen(setting->filter)))
            return refuse(checking, 0,
                          cli_print(checking->cli, "a settings file may not say \"%s\"; give it on the command line",
                                    setting->filter));
        if (plugin == SIZE_MAX)
            return refuse_name(checking, 0, "filter", setting->filter, strlen(setting->filter), filters);
    }
    for (uint32_t i = 0; i < setting->options.count && status == CP_OK; i++) {
        const char *option = setting->options.items[i];
        if (setting->kind == SETTING_READ)
            status = check_reader_option(checking, i + named, option);
        else
            status = check_plugin_option(checking, i + named, setting->kind == SETTING_FILTER ? CP_FILTER : CP_EXPORTER,
                                         plugin, option);
    }
    return status;
}

cp_status settings_check(struct cli *cli, const struct settings_file *file, size_t exporter)
{
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < file->setting_count && status == CP_OK; i++)
        status = check_setting(&(struct checking){cli, file, &file->settings[i]}, exporter);
    return status;
}
