/* formats and filters: list what this build can read, write and do. */
#include "cli.h"

#include <string.h>

/* Returns the width of the longest title; the suffixes, which may be many, come last. */
static int title_width(void)
{
    size_t width = 0;
    for (int kind = CP_IMPORTER; kind <= CP_EXPORTER; kind++)
        for (size_t i = 0; i < plugin_count((cp_plugin_kind)kind); i++) {
            size_t size = strlen(plugin_at((cp_plugin_kind)kind, i).title);
            width = size > width ? size : width;
        }
    return (int)width;
}

/* Tells whether a file with the suffix of `size` bytes is written, by an exporter of any name. */
static bool is_written(const char *suffix, size_t size)
{
    char path[64];
    (void)snprintf(path, sizeof path, "x%.*s", (int)size, suffix);
    return cp_exporter_of(NULL, path) != SIZE_MAX;
}

/* Prints those of the suffixes, ".a .b", that are written, or those that are not; before and after them a text. */
static void print_some(const char *suffixes, bool written, const char *before, const char *after)
{
    size_t size, count = 0;
    for (const char *at = suffixes; *at; at += size + (at[size] == ' ')) {
        size = strcspn(at, " ");
        if (is_written(at, size) == written)
            printf("%s%.*s", count++ == 0 ? before : " ", (int)size, at);
    }
    printf("%s", count > 0 ? after : "");
}

/* Prints the suffixes of a format. Where some are written, those that are not come last. */
static void print_suffixes(const char *suffixes, bool writes, bool markdown)
{
    const char *quote = markdown ? "`" : "";
    if (!writes) {
        printf("%s%s%s", quote, suffixes, quote);
        return;
    }
    print_some(suffixes, true, quote, quote);
    print_some(suffixes, false, markdown ? " (read alone: `" : " (read alone: ", markdown ? "`)" : ")");
}

/* Prints a row of the table: an importer, an exporter or both of one name. Markdown leaves out the parts that this
 * build lacks. */
static void print_format(const cp_plugin_info *info, bool reads, bool writes, bool markdown)
{
    if (markdown) {
        printf("| %s | %s | %s | %s | ", info->name, info->title, reads ? "yes" : "", writes ? "yes" : "");
        print_suffixes(info->suffixes, writes, true);
        printf(" |\n");
        return;
    }
    const char *can = reads && writes ? "read, write" : reads ? "read" : "write";
    printf("%-16s %-12s %-*s ", info->name, can, title_width(), info->title);
    print_suffixes(info->suffixes, writes, false);
    if (info->package)
        printf("; not built: apt-get install %s", info->package);
    if (info->lacks)
        printf("; not built: %s", info->lacks);
    printf("\n");
}

struct formats {
    struct request request;
    bool markdown;
};

static cp_status command_formats(struct cli *cli)
{
    struct formats asked = {0};
    cp_status status = sort_words(cli, 1, cli->words.count, &formats_command, &asked);
    if (status != CP_OK)
        return status;
    if (asked.request.words.count > 0)
        return complain(cli, CP_USAGE, "formats takes no words (for one format: cellpipe help %s)",
                        asked.request.words.items[0]);
    if (asked.markdown)
        printf("| format | what it is | reads | writes | suffixes |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < plugin_count(CP_IMPORTER); i++) {
        cp_plugin_info info = plugin_at(CP_IMPORTER, i);
        print_format(&info, true, plugin_named(CP_EXPORTER, info.name) != SIZE_MAX, asked.markdown);
    }
    for (size_t i = 0; i < plugin_count(CP_EXPORTER); i++) {
        cp_plugin_info info = plugin_at(CP_EXPORTER, i);
        if (plugin_named(CP_IMPORTER, info.name) == SIZE_MAX)
            print_format(&info, false, true, asked.markdown);
    }
    return CP_OK;
}

static cp_status command_filters(struct cli *cli)
{
    struct request request = {0};
    cp_status status = sort_words(cli, 1, cli->words.count, &filters_command, &request);
    if (status != CP_OK)
        return status;
    if (request.words.count > 0)
        return complain(cli, CP_USAGE, "filters takes no words (for one filter: cellpipe help %s)",
                        request.words.items[0]);
    for (size_t i = 0; i < plugin_count(CP_FILTER); i++)
        printf("%-16s %s\n", plugin_at(CP_FILTER, i).name, plugin_at(CP_FILTER, i).title);
    return CP_OK;
}

static const cp_option options[] = {
    {"--markdown", "print the table as Markdown", CP_OPTION_BOOLEAN, .offset = offsetof(struct formats, markdown)},
    {0}};

const struct command formats_command = {.name = "formats",
                                        .title = "list the formats",
                                        .usage = "[--markdown]",
                                        .help = "A format that this build lacks is listed with the package it needs.",
                                        .options = options,
                                        .run = command_formats};

const struct command filters_command = {.name = "filters",
                                        .title = "list the filters",
                                        .usage = "",
                                        .help = "cellpipe help FILTER lists the options of one.",
                                        .run = command_filters};
