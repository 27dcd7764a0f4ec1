/* Finds formats and filters by name, and the names that a user may have meant. */
#include "cli.h"

#include <string.h>
#include <strings.h>

size_t plugin_named(cp_plugin_kind kind, const char *name)
{
    for (size_t i = 0; i < plugin_count(kind); i++)
        if (strcmp(plugin_at(kind, i).name, name) == 0)
            return i;
    return SIZE_MAX;
}

bool plugin_has(cp_plugin_kind kind, size_t plugin, const char *setting, cp_option_info *option)
{
    size_t size = strcspn(setting, "="), count = plugin == SIZE_MAX ? 0 : plugin_at(kind, plugin).option_count;
    for (size_t i = 0; i < count; i++) {
        *option = plugin_option(kind, plugin, i);
        if (strlen(option->name) == size && strncmp(option->name, setting, size) == 0)
            return true;
    }
    return false;
}

bool any_plugin_has(cp_plugin_kind kind, const char *setting)
{
    cp_option_info option;
    bool has = false;
    for (size_t i = 0; i < plugin_count(kind) && !has; i++)
        has = plugin_has(kind, i, setting, &option);
    return has;
}

bool add_plugins(struct cli *cli, cp_plugin_kind kind, struct list *list)
{
    bool good = true;
    for (size_t i = 0; i < plugin_count(kind) && good; i++)
        good = list_add(cli, list, plugin_at(kind, i).name);
    return good;
}

bool add_commands(struct cli *cli, struct list *list)
{
    bool good = true;
    for (const struct command *const *command = cli->commands; *command && good; command++)
        good = strcmp((*command)->name, "FILTER") == 0 || list_add(cli, list, (*command)->name);
    return good && add_plugins(cli, CP_FILTER, list);
}

const char *const *plugin_words(struct cli *cli, cp_plugin_kind kind)
{
    struct list list = {0};
    return add_plugins(cli, kind, &list) && list_add(cli, &list, NULL) ? list.items : NULL;
}

/* ---- formats by a name or suffix ---- */

static size_t size_without_gz(const char *path)
{
    size_t size = strlen(path);
    return size > 3 && strcasecmp(path + size - 3, ".gz") == 0 ? size - 3 : size;
}

const char *exporter_named(const char *word)
{
    size_t size = size_without_gz(word);
    for (size_t i = 0; i < plugin_count(CP_EXPORTER); i++) {
        const char *name = plugin_at(CP_EXPORTER, i).name;
        if (strlen(name) == size && strncmp(name, word, size) == 0)
            return name;
    }
    char path[32] = ".";
    if (strlen(word) + 2 > sizeof path)
        return NULL;
    strcat(path, word + (*word == '.'));
    size_t index = cp_exporter_of(NULL, path);
    return index == SIZE_MAX ? NULL : plugin_at(CP_EXPORTER, index).name;
}

size_t exporter_for(const char *format, const char *path)
{
    const char *name = format ? exporter_named(format) : strcmp(path, "-") == 0 ? "glb" : NULL;
    return name ? plugin_named(CP_EXPORTER, name) : cp_exporter_of(NULL, path);
}

const char *importer_named(const char *word)
{
    size_t word_size = size_without_gz(word), size; /* only the bytes of an input tell whether it is packed */
    for (size_t i = 0; i < plugin_count(CP_IMPORTER); i++) {
        const char *name = plugin_at(CP_IMPORTER, i).name;
        if (strlen(name) == word_size && strncmp(name, word, word_size) == 0)
            return name;
    }
    const char *suffix = word + (*word == '.');
    size_t length = word_size - (size_t)(suffix - word);
    for (size_t i = 0; i < plugin_count(CP_IMPORTER); i++) {
        cp_plugin_info info = plugin_at(CP_IMPORTER, i);
        for (const char *at = info.suffixes; *at; at += size + (at[size] == ' ')) { /* ".a .b" */
            size = strcspn(at, " ");
            if (size == length + 1 && strncasecmp(at + 1, suffix, length) == 0)
                return info.name;
        }
    }
    return NULL;
}

bool is_list_format(const char *format)
{
    const char *name = importer_named(format);
    return name && plugin_at(CP_IMPORTER, plugin_named(CP_IMPORTER, name)).lists_pairs;
}

bool has_list_suffix(const char *path)
{
    const size_t length = size_without_gz(path);
    for (size_t i = 0; i < plugin_count(CP_IMPORTER); i++) {
        const cp_plugin_info info = plugin_at(CP_IMPORTER, i);
        size_t size;
        for (const char *at = info.suffixes; info.lists_pairs && *at; at += size + (at[size] == ' ')) {
            size = strcspn(at, " ");
            if (size <= length && strncasecmp(path + length - size, at, size) == 0)
                return true;
        }
    }
    return false;
}

void output_suffix(const char *word, char *out, size_t size)
{
    size_t index = plugin_named(CP_EXPORTER, word);
    const char *suffixes = index == SIZE_MAX ? word : plugin_at(CP_EXPORTER, index).suffixes;
    (void)snprintf(out, size, "%s%.*s", *suffixes == '.' ? "" : ".", (int)strcspn(suffixes, " "), suffixes);
}

const char *packed_format(struct cli *cli, const char *word, const char *name)
{
    size_t size = strlen(word), plain = size_without_gz(word);
    bool packed = plain < size || strcasecmp(word + (*word == '.'), "wrz") == 0;
    return packed ? cli_print(cli, "%s.gz", name) : name;
}

const char *path_stem(struct cli *cli, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t size = size_without_gz(name);
    for (size_t i = size; i-- > 1;)
        if (name[i] == '.') {
            size = i;
            break;
        }
    return cli_print(cli, "%.*s", (int)size, name);
}
