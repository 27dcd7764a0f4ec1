/* help: explains the program, a command, a format, a filter, the limits, or the flags. */
#include "cli.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 100 }; /* columns */

/* Breaks the text into lines, which begin at the column; the first one has reached it already. "\n" in the text ends a
 * line. */
static void print_wrapped(FILE *file, const char *text, int column)
{
    int at = column;
    while (*text) {
        int size = (int)strcspn(text, " \n");
        bool first = at == column;
        if (!first && at + 1 + size > WIDTH) {
            fprintf(file, "\n%*s", column, "");
            at = column;
            first = true;
        }
        fprintf(file, "%s%.*s", first ? "" : " ", size, text);
        at += size + !first;
        text += size;
        if (*text == '\n') {
            fprintf(file, "\n%*s", column, "");
            at = column;
        }
        text += *text != '\0';
    }
    fputc('\n', file);
}

/* An option and what it means, its default and its range. */
static void print_row(FILE *file, int column, const char *name, const cp_option_info *info)
{
    char text[1024], range[80] = "";
    const char *initial = info->default_value ? info->default_value : "";
    if (isinf(info->maximum) && info->minimum != 0)
        (void)snprintf(range, sizeof range, "at least %s", short_number(info->minimum).text);
    else if (isfinite(info->maximum) && info->minimum < info->maximum)
        (void)snprintf(range, sizeof range, "%s .. %s", short_number(info->minimum).text,
                       short_number(info->maximum).text);
    bool any = *initial || *range;
    (void)snprintf(text, sizeof text, "%s%s%s%s%s%s", info->help, any ? " (" : "", initial,
                   *initial && *range ? "; " : "", range, any ? ")" : "");
    int used = fprintf(file, "  %-*s ", column - 3, name);
    if (used > column)
        fprintf(file, "\n%*s", column, "");
    print_wrapped(file, text, column);
}

static void print_options(FILE *file, const struct command *command, const char *title, bool flags)
{
    const cp_option *option;
    for (size_t i = 0; (option = option_at(command, i)); i++) {
        if (is_flag(option) != flags)
            continue;
        fputs(title, file);
        title = "";
        const cp_option_info info = cp_option_describe(option);
        print_row(file, 21, option_label(option).text, &info);
    }
}

static void print_flags(FILE *file)
{
    print_options(file, &any_command, "flags of all commands, in any place (\"--\" ends flags):\n", true);
    print_options(file, &(struct command){.reads = true}, "\nflags of commands that read:\n", true);
    print_options(file, &(struct command){.writes = true}, "\nflags of commands that write:\n", true);
}

void print_overview(const struct cli *cli, FILE *file)
{
    fputs("cellpipe " CP_VERSION ": converts, filters and checks robot cells and CAD parts\n\ncommands:\n", file);
    for (const struct command *const *command = cli->commands; *command; command++)
        fprintf(file, "  %-10s %s\n", (*command)->name, (*command)->title);
    fputs("\nfilters:\n ", file);
    for (size_t i = 0; i < plugin_count(CP_FILTER); i++)
        fprintf(file, " %s", plugin_at(CP_FILTER, i).name);
    fputs("\n\n", file);
    print_flags(file);
    fputs("\nexit codes:\n", file);
    for (size_t i = 0; exit_codes[i].meaning; i++)
        fprintf(file, "  %-2d %s\n", exit_codes[i].code, exit_codes[i].meaning);
    fputs("\nfirst steps:\n"
          "  cellpipe info CELL.wu\n"
          "  cellpipe convert CELL.wu CELL.glb\n"
          "  cellpipe help convert\n",
          file);
}

/* Prints each line of the text after the prefix and a blank. */
static void print_lines(const char *prefix, const char *text)
{
    do {
        int size = (int)strcspn(text, "\n");
        printf("%s%s%.*s\n", prefix, size ? " " : "", size, text);
        text += size + (text[size] == '\n');
    } while (*text);
}

static void print_command(const struct command *command)
{
    char prefix[32];
    (void)snprintf(prefix, sizeof prefix, "cellpipe %s", command->name);
    print_lines(prefix, command->usage);
    printf("\n");
    print_wrapped(stdout, command->help, 0);
    print_options(stdout, command, "\nwords, with their defaults and ranges:\n", false);
    print_options(stdout, command, "\nflags:\n", true);
    if (command->examples) {
        printf("\nexamples:\n");
        print_lines(" ", command->examples);
    }
}

/* ---- formats and filters ---- */

/* Prints an option of a plug-in, or a limit: "unit=mm|cm|m". */
static void print_setting(const cp_option_info *option)
{
    char name[256];
    (void)snprintf(name, sizeof name, "%s=%s", option->name, option->value);
    print_row(stdout, 31, name, option);
}

/* Prints the plug-ins of a name, which may be an importer's and an exporter's. */
static bool print_plugins(const struct cli *cli, const char *word)
{
    static const char *const heads[] = {"reading", "writing", "filter"};
    static const char *const places[] = {"--in K=V", "--out K=V", "K=V"};
    bool found = false;
    for (cp_plugin_kind kind = CP_IMPORTER; kind <= CP_FILTER; kind++) {
        size_t index = plugin_named(kind, word);
        if (index == SIZE_MAX)
            continue;
        cp_plugin_info info = plugin_at(kind, index);
        printf("%s%s, %s: %s\n", found ? "\n" : "", info.name, heads[kind], info.title);
        found = true;
        if (kind == CP_FILTER)
            printf("  cellpipe %s %s\n  ... ! %s [K=V]... ! ...\n", info.name, command_named(cli, info.name)->usage,
                   info.name);
        else
            printf("  suffixes: %s\n", *info.suffixes ? info.suffixes : "none");
        if (*info.further)
            printf("  as the library reads them: %s\n", info.further);
        if (info.package)
            printf("  not built: apt-get install %s, then build again\n", info.package);
        if (info.lacks)
            printf("  not built: %s\n", info.lacks);
        if (info.option_count > 0)
            printf("options (%s), with their defaults and ranges:\n", places[kind]);
        for (size_t i = 0; i < info.option_count; i++) {
            cp_option_info option = plugin_option(kind, index, i);
            print_setting(&option);
        }
    }
    return found;
}

static void print_limits(void)
{
    printf("limits (--limit NAME=N), with their defaults:\n");
    for (size_t i = 0; cp_limit_at(i).name; i++) {
        cp_option_info limit = cp_limit_at(i);
        print_setting(&limit);
    }
}

/* Returns the name of the format whose suffix the word is, as "wrl"; else the word. */
static const char *format_of_suffix(const char *word)
{
    const char *name = importer_named(word);
    name = name ? name : exporter_named(word);
    return name ? name : word;
}

/* ---- the command ---- */

cp_status print_help(struct cli *cli, const char *word)
{
    const struct command *command = word && plugin_named(CP_FILTER, word) == SIZE_MAX ? command_named(cli, word) : NULL;
    if (!word)
        print_overview(cli, stdout);
    else if (command)
        print_command(command);
    else if (strcmp(word, "limits") == 0)
        print_limits();
    else if (strcmp(word, "flags") == 0)
        print_flags(stdout);
    else if (!print_plugins(cli, word) && !print_plugins(cli, format_of_suffix(word))) {
        struct list topics = {0};
        return add_topics(cli, &topics) && list_add(cli, &topics, NULL)
                   ? complain_unknown(cli, "topic", word, topics.items)
                   : CP_LIMIT;
    }
    return CP_OK;
}

struct help {
    struct request request;
    bool manual, complete, json;
};

static cp_status command_help(struct cli *cli)
{
    struct help help = {0};
    cp_status status = sort_words(cli, 1, cli->words.count, &help_command, &help);
    const struct list *words = &help.request.words;
    if (status != CP_OK)
        return status;
    if (help.complete)
        return print_completions(cli, words);
    if (words->count > 1)
        return complain(cli, CP_USAGE, "help takes one word");
    if (help.manual)
        print_manual(cli);
    if (help.json)
        print_schema(cli);
    return help.manual || help.json ? CP_OK : print_help(cli, words->count ? words->items[0] : NULL);
}

static const cp_option options[] = {
    {"--man", "print the manual page (docs/cellpipe.1)", CP_OPTION_BOOLEAN, .offset = offsetof(struct help, manual)},
    {"--json", "print all options of all commands, formats, filters and limits as one JSON object, for scripts",
     CP_OPTION_BOOLEAN, .offset = offsetof(struct help, json)},
    {"--complete", "after -- come the words of a command line up to the cursor: print what may stand for the last one",
     CP_OPTION_BOOLEAN, .offset = offsetof(struct help, complete)},
    {0}};

const struct command help_command = {.name = "help",
                                     .title = "explain a command, format or filter",
                                     .usage = "[COMMAND|FORMAT|FILTER|flags|limits]",
                                     .help = "Without a word it prints the overview.",
                                     .examples = "cellpipe help convert\ncellpipe help stl",
                                     .options = options,
                                     .run = command_help};
