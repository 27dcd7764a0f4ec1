/* What TAB offers: cli/completion.bash asks for it by `cellpipe help --complete -- WORD...`. */
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

/* The options of a plug-in, SIZE_MAX: of all of the kind, each name once. */
static bool add_plugin_options(struct cli *cli, cp_plugin_kind kind, size_t plugin, struct list *list)
{
    bool good = true;
    for (size_t i = 0; i < cp_plugin_count(kind) && good; i++)
        for (size_t k = 0; (plugin == SIZE_MAX || plugin == i) && k < cp_plugin_at(kind, i).option_count && good; k++) {
            const char *text = cli_print(cli, "%s=", cp_plugin_option(kind, i, k).name);
            good = text && (list_has(list, text) || list_add(cli, list, text));
        }
    return good;
}

/* Those of the format that comes after the flag, else of that of the last word whose suffix names one, else of all. */
static bool add_format_options(struct cli *cli, cp_plugin_kind kind, const struct list *words, struct list *list)
{
    const char *flag = kind == CP_IMPORTER ? "--from" : "--to", *format = NULL;
    size_t plugin = SIZE_MAX;
    for (size_t i = 1; i + 1 < words->count; i++) {
        const char *word = words->items[i];
        if (strcmp(words->items[i - 1], flag) == 0)
            format = kind == CP_IMPORTER ? importer_named(word) : exporter_named(word);
        else if (kind == CP_EXPORTER && word[0] != '-' && cp_exporter_of(word) != SIZE_MAX)
            plugin = cp_exporter_of(word);
    }
    return add_plugin_options(cli, kind, format ? plugin_named(kind, format) : plugin, list);
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
        return add_plugins(cli, strcmp(flag->name, "--to") == 0 ? CP_EXPORTER : CP_IMPORTER, list);
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
    bool good = step > 0 || !command || add_options(cli, command, false, list);
    return good && (filter == SIZE_MAX || add_plugin_options(cli, CP_FILTER, filter, list));
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
