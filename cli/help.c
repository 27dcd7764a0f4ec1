/* help: the overview, a command, a format, a filter, or the limits. */
#include "cli.h"

#include <string.h>

const char *const *known_commands(struct cli *cli)
{
    struct list list = {0};
    bool good = true;
    for (const struct command *command = commands; command->name && good; command++)
        good = list_add(cli, &list, command->name);
    for (size_t i = 0; i < cp_plugin_count(CP_FILTER) && good; i++)
        good = list_add(cli, &list, cp_plugin_at(CP_FILTER, i).name);
    return good && list_add(cli, &list, NULL) ? list.items : NULL;
}

void print_overview(FILE *file)
{
    fputs("cellpipe " CP_VERSION ": robot cells and CAD parts, read, worked on and written\n\ncommands:\n", file);
    for (const struct command *command = commands; command->name; command++)
        fprintf(file, "  %-10s %s\n", command->name, command->title);
    fputs("\nfilters, each a command too (standard input to standard output, or FILTER IN OUT):\n ", file);
    for (size_t i = 0; i < cp_plugin_count(CP_FILTER); i++)
        fprintf(file, " %s", cp_plugin_at(CP_FILTER, i).name);
    fputs("\n\nflags that any command takes, in any place (\"--\" ends flags):\n", file);
    print_flags(file, true);
    fputs("\nflags of commands that read or write:\n", file);
    print_flags(file, false);
    fputs("\nexit codes: 0 done, 1 the answer is no or some inputs failed, 2 usage, 3 input, 4 output, 5 lossy under\n"
          "--strict, 6 a limit or out of memory, 70 a bug of cellpipe\n\n"
          "first steps:\n"
          "  cellpipe info CELL.wu\n"
          "  cellpipe convert CELL.wu CELL.glb\n"
          "  cellpipe help convert\n",
          file);
}

static void print_option(const cp_option_info *option)
{
    char left[64];
    (void)snprintf(left, sizeof left, "%s=%s", option->name, option->choices ? option->choices : option->type);
    printf("  %-28s %s", left, option->help);
    const char *initial = option->default_value ? option->default_value : "";
    if (option->minimum < option->maximum)
        printf(" (%s; %s .. %s)", initial, short_number(option->minimum).text, short_number(option->maximum).text);
    else if (*initial)
        printf(" (%s)", initial);
    printf("\n");
}

static void print_plugin(cp_plugin_kind kind, size_t index)
{
    static const char *const heads[] = {"reading", "writing", "filter"};
    cp_plugin_info info = cp_plugin_at(kind, index);
    printf("%s, %s: %s\n", info.name, heads[kind], info.title);
    if (kind == CP_FILTER)
        printf("  cellpipe %s [K=V...] [--] [IN|-] [OUT|-]\n  ... ! %s [K=V...] ! ...\n", info.name, info.name);
    else
        printf("  suffixes: %s\n", *info.suffixes ? info.suffixes : "none");
    if (info.package)
        printf("  not built: apt-get install %s, then build again\n", info.package);
    if (info.lacks)
        printf("  not built: %s\n", info.lacks);
    if (info.option_count > 0)
        printf("options (%s; defaults and ranges in brackets):\n", kind == CP_FILTER     ? "K=V"
                                                                   : kind == CP_IMPORTER ? "--in K=V"
                                                                                         : "--out K=V");
    for (size_t i = 0; i < info.option_count; i++) {
        cp_option_info option = cp_plugin_option(kind, index, i);
        print_option(&option);
    }
}

/* One name may be an importer's and an exporter's. */
static bool print_plugins(const char *word)
{
    bool found = false;
    for (cp_plugin_kind kind = CP_IMPORTER; kind <= CP_FILTER; kind++) {
        size_t index = plugin_named(kind, word);
        if (index == SIZE_MAX)
            continue;
        if (found)
            printf("\n");
        print_plugin(kind, index);
        found = true;
    }
    return found;
}

static bool print_command(const char *word)
{
    for (const struct command *command = commands; command->name; command++)
        if (strcmp(command->name, word) == 0) {
            printf("%s\n\n%s\n", command->usage, command->help);
            return true;
        }
    return false;
}

static void print_limits(void)
{
    printf("limits (--limit NAME=VALUE; defaults in brackets):\n");
    for (size_t i = 0; cp_limit_at(i).name; i++) {
        cp_option_info limit = cp_limit_at(i);
        print_option(&limit);
    }
}

static cp_status complain_topic(struct cli *cli, const char *word)
{
    struct list list = {0};
    const char *const *commands_and_filters = known_commands(cli);
    bool good = commands_and_filters != NULL;
    for (size_t i = 0; good && commands_and_filters[i]; i++)
        good = list_add(cli, &list, commands_and_filters[i]);
    for (cp_plugin_kind kind = CP_IMPORTER; kind <= CP_EXPORTER; kind++)
        for (size_t i = 0; i < cp_plugin_count(kind) && good; i++)
            good = list_add(cli, &list, cp_plugin_at(kind, i).name);
    good = good && list_add(cli, &list, "limits") && list_add(cli, &list, NULL);
    return good ? complain_unknown(cli, "topic", word, list.items) : CP_LIMIT;
}

cp_status print_help(struct cli *cli, const char *word)
{
    if (!word) {
        print_overview(stdout);
        return CP_OK;
    }
    if (strcmp(word, "limits") == 0) {
        print_limits();
        return CP_OK;
    }
    if (print_command(word) || print_plugins(word))
        return CP_OK;
    return complain_topic(cli, word);
}

cp_status command_help(struct cli *cli)
{
    struct request request;
    cp_status status = sort_words(cli, 1, cli->words.count, 0, &request);
    if (status != CP_OK)
        return status;
    if (request.words.count > 1)
        return complain(cli, CP_USAGE, "help takes one word");
    return print_help(cli, request.words.count ? request.words.items[0] : NULL);
}
