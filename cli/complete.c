/* This is what TAB offers: cli/completion.bash and completion.zsh ask for it by `cellpipe help --complete -- WORD...`.
 */
#include "cli.h"

#include <string.h>

bool add_topics(struct cli *cli, struct list *list)
{
    return add_commands(cli, list) && add_plugins(cli, CP_IMPORTER, list) && add_plugins(cli, CP_EXPORTER, list) &&
           list_add(cli, list, "FILTER") && list_add(cli, list, "flags") && list_add(cli, list, "limits");
}

/* "name=". */
static bool add_setting(struct cli *cli, const char *name, struct list *list)
{
    const char *text = cli_print(cli, "%s=", name);
    return text && list_add(cli, list, text);
}

/* "a|b|c" as "name=a", "name=b", ... */
static bool add_choices(struct cli *cli, const char *name, const char *choices, struct list *list)
{
    bool good = true;
    for (size_t size; *choices && good; choices += size + (choices[size] == '|')) {
        size = strcspn(choices, "|");
        const char *text = cli_print(cli, "%s=%.*s", name, (int)size, choices);
        good = text && (list_has(list, text) || list_add(cli, list, text));
    }
    return good;
}

/* Behind the "=" the values of an option, if they are words; before it "name=". */
static bool add_option(struct cli *cli, const cp_option_info *option, const char *word, struct list *list)
{
    size_t size = strlen(option->name);
    if (strncmp(word, option->name, size) == 0 && word[size] == '=') {
        const char *choices = option->choices                       ? option->choices
                              : strcmp(option->type, "yes|no") == 0 ? option->type
                              : strcmp(option->type, "unit") == 0   ? "m|mm|cm|in|ft"
                                                                    : "";
        return add_choices(cli, option->name, choices, list);
    }
    const char *text = cli_print(cli, "%s=", option->name);
    return text && (list_has(list, text) || list_add(cli, list, text));
}

/* The options of a plug-in, SIZE_MAX: of all of the kind, each once. */
static bool add_plugin_options(struct cli *cli, cp_plugin_kind kind, size_t plugin, const char *word, struct list *list)
{
    bool good = true;
    for (size_t i = 0; i < cp_plugin_count(kind) && good; i++)
        for (size_t k = 0; (plugin == SIZE_MAX || plugin == i) && k < cp_plugin_at(kind, i).option_count && good; k++) {
            const cp_option_info option = cp_plugin_option(kind, i, k);
            good = add_option(cli, &option, word, list);
        }
    return good;
}

/* Formats by name and by suffix. */
static bool add_formats(struct cli *cli, cp_plugin_kind kind, struct list *list)
{
    bool good = add_plugins(cli, kind, list);
    for (size_t i = 0; i < cp_plugin_count(kind) && good; i++) {
        const char *suffixes = cp_plugin_at(kind, i).suffixes;
        for (size_t size; *suffixes && good; suffixes += size + (suffixes[size] == ' ')) { /* ".a .b" */
            size = strcspn(suffixes, " ");
            const char *suffix = cli_print(cli, "%.*s", (int)size - 1, suffixes + 1);
            good = suffix && (list_has(list, suffix) || list_add(cli, list, suffix));
        }
    }
    return good;
}

/* "stl.unit=": of every STL file. */
static bool add_prefixed(struct cli *cli, const char *word, size_t prefix, struct list *list)
{
    struct list own = {0};
    const char *name = cli_print(cli, "%.*s", (int)prefix - 1, word);
    size_t plugin = name && importer_named(name) ? plugin_named(CP_IMPORTER, importer_named(name)) : SIZE_MAX;
    bool good = name && (plugin == SIZE_MAX || add_plugin_options(cli, CP_IMPORTER, plugin, word + prefix, &own));
    for (size_t i = 0; i < own.count && good; i++) {
        const char *text = cli_print(cli, "%.*s%s", (int)prefix, word, own.items[i]);
        good = text && list_add(cli, list, text);
    }
    return good;
}

/* Those of the format that comes after the flag, else of that of the last word whose suffix names one, else of all. */
static bool add_format_options(struct cli *cli, cp_plugin_kind kind, const struct list *words, struct list *list)
{
    const char *flag = kind == CP_IMPORTER ? "--from" : "--to", *format = NULL;
    const char *last = words->items[words->count - 1];
    size_t plugin = SIZE_MAX, prefix = strcspn(last, ".=");
    if (kind == CP_IMPORTER && last[prefix] == '.')
        return add_prefixed(cli, last, prefix + 1, list);
    for (size_t i = 1; i + 1 < words->count; i++) {
        const char *word = words->items[i];
        if (strcmp(words->items[i - 1], flag) == 0)
            format = kind == CP_IMPORTER ? importer_named(word) : exporter_named(word);
        else if (kind == CP_EXPORTER && word[0] != '-' && cp_exporter_of(word) != SIZE_MAX)
            plugin = cp_exporter_of(word);
    }
    return add_plugin_options(cli, kind, format ? plugin_named(kind, format) : plugin, last, list);
}

/* A flag's value, by what stands for it in the help. */
static bool add_values(struct cli *cli, const struct option *flag, const struct list *words, struct list *list)
{
    bool good = true;
    if (strcmp(flag->name, "--in") == 0)
        return add_format_options(cli, CP_IMPORTER, words, list);
    if (strcmp(flag->name, "--out") == 0)
        return add_format_options(cli, CP_EXPORTER, words, list);
    if (strcmp(flag->value, "FORMAT") == 0)
        return add_formats(cli, strcmp(flag->name, "--to") == 0 ? CP_EXPORTER : CP_IMPORTER, list);
    for (size_t i = 0; strcmp(flag->name, "--limit") == 0 && cp_limit_at(i).name && good; i++)
        good = add_setting(cli, cp_limit_at(i).name, list);
    return good;
}

/* Its flags, or its other words. */
static bool add_options(struct cli *cli, const struct command *command, bool flags, struct list *list)
{
    const struct option *option;
    bool good = true;
    for (size_t i = 0; (option = option_at(command, i)) && good; i++)
        if (is_flag(option) == flags && option->kind != OPTION_ARGUMENT)
            good = flags || !option->value ? list_add(cli, list, option->name) : add_setting(cli, option->name, list);
    return good;
}

static bool add_name(struct cli *cli, const char *key, const char *name, const char *end, struct list *list)
{
    const char *text = cli_print(cli, "%s%s%s", key, name, end);
    return text && (list_has(list, text) || list_add(cli, list, text));
}

/* Names in the cell that the command reads: of frames and devices behind the options that take one, and of joints. */
static bool add_names(struct cli *cli, const struct list *words, struct list *list)
{
    static const char *const frames[] = {"frame=", "in=", "node=", "base="};
    const char *word = words->items[words->count - 1], *path = NULL;
    const char *command = words->items[0];
    bool is_run = strcmp(command, "run") == 0,
         takes_joints = strcmp(command, "fk") == 0 || strcmp(command, "ik") == 0 || strcmp(command, "collide") == 0,
         good = true;
    uint32_t count;
    for (size_t i = is_run ? 2 : 1; i + 1 < words->count && !path; i++)
        if (words->items[i][0] != '-' && !strchr(words->items[i], '='))
            path = words->items[i];
    const char *key = strncmp(word, "device=", 7) == 0 ? "device=" : strncmp(word, "joint=", 6) == 0 ? "joint=" : NULL;
    for (size_t i = 0; i < sizeof frames / sizeof *frames && !key; i++)
        if (strncmp(word, frames[i], strlen(frames[i])) == 0)
            key = frames[i];
    bool joint = takes_joints && !key && !strchr(word, '=');
    cp_scene *scene = NULL;
    if (!path || (!key && !joint) || cp_read(cli->context, path, NULL, NULL, 0, &scene) != CP_OK)
        return true;
    const cp_joint *joints = cp_joints(scene, &count);
    for (uint32_t i = 0; i < count && good && (joint || *key == 'j'); i++)
        good = cp_joint_is_dependent(&joints[i]) ||
               add_name(cli, joint ? "" : key, joints[i].name, joint ? "=" : "", list);
    const cp_device *devices = cp_devices(scene, &count);
    for (uint32_t i = 0; i < count && good && key && *key == 'd'; i++)
        good = add_name(cli, key, devices[i].name, "", list);
    const cp_node *nodes = cp_nodes(scene, &count);
    for (uint32_t i = 0; i < count && good && key && *key != 'd' && *key != 'j'; i++)
        good = add_name(cli, key, nodes[i].name, "", list);
    cp_scene_free(scene);
    return good;
}

/* words: of the command line up to the cursor, where the last one, `word`, may be empty. */
static bool add_words(struct cli *cli, const struct list *words, struct list *list)
{
    size_t last = words->count - 1, step = 0;
    const char *word = words->items[last], *before = last > 0 ? words->items[last - 1] : "";
    const struct command *command = last > 0 ? command_named(cli, words->items[0]) : NULL;
    const struct option *option;
    const struct command *takers[] = {command ? command : &any_command, &any_command};
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; (option = option_at(takers[k], i)); i++)
            if (option->value && strcmp(option->name, before) == 0)
                return add_values(cli, option, words, list);
    if (*word == '-')
        return add_options(cli, &any_command, true, list) && (!command || add_options(cli, command, true, list));
    if (last == 0)
        return add_commands(cli, list);
    if (strcmp(words->items[0], "help") == 0)
        return add_topics(cli, list);
    bool runs = strcmp(words->items[0], "run") == 0;
    for (size_t i = 0; i < last; i++)
        if ((i == 0 && runs) || strcmp(words->items[i], "!") == 0)
            step = i + 1;
    if (step == last)
        return (!runs || (list_add(cli, list, "read") && list_add(cli, list, "write"))) &&
               add_plugins(cli, CP_FILTER, list);
    if (runs && last > step + 1 && strcmp(words->items[step], "read") == 0)
        return add_format_options(cli, CP_IMPORTER, words, list);
    if (runs && last > step + 1 && strcmp(words->items[step], "write") == 0)
        return add_format_options(cli, CP_EXPORTER, words, list);
    size_t filter = plugin_named(CP_FILTER, words->items[step]);
    bool good = (step > 0 || !command || strchr(word, '=') || add_options(cli, command, false, list)) &&
                add_names(cli, words, list);
    return good && (filter == SIZE_MAX || add_plugin_options(cli, CP_FILTER, filter, word, list));
}

cp_status print_completions(struct cli *cli, const struct list *words)
{
    struct list list = {0};
    if (words->count > 0 && !add_words(cli, words, &list))
        return CP_LIMIT;
    for (size_t i = 0; i < list.count; i++)
        printf("%s\n", list.items[i]);
    return CP_OK;
}
