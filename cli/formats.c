/* formats and filters: what this build can read, write and do. */
#include "cli.h"

#include <string.h>

const char *const *plugin_words(struct cli *cli, cp_plugin_kind kind)
{
    struct list list = {0};
    bool good = true;
    for (size_t i = 0; i < cp_plugin_count(kind) && good; i++)
        good = list_add(cli, &list, cp_plugin_at(kind, i).name);
    return good && list_add(cli, &list, NULL) ? list.items : NULL;
}

/* One row of the table: an importer, an exporter or both of one name. */
struct format {
    const char *name, *title, *suffixes, *package, *lacks;
    bool reads, writes;
};

static struct format format_of(const cp_plugin_info *info)
{
    return (struct format){info->name, info->title, info->suffixes, info->package, info->lacks, false, false};
}

/* All formats into rows (room for all plug-ins), importers first; returns how many. */
static size_t list_formats(struct format *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < cp_plugin_count(CP_IMPORTER); i++) {
        cp_plugin_info info = cp_plugin_at(CP_IMPORTER, i);
        rows[count] = format_of(&info);
        rows[count].reads = true;
        rows[count++].writes = plugin_named(CP_EXPORTER, info.name) != SIZE_MAX;
    }
    for (size_t i = 0; i < cp_plugin_count(CP_EXPORTER); i++) {
        cp_plugin_info info = cp_plugin_at(CP_EXPORTER, i);
        if (plugin_named(CP_IMPORTER, info.name) != SIZE_MAX)
            continue;
        rows[count] = format_of(&info);
        rows[count++].writes = true;
    }
    return count;
}

static void print_text(const struct format *row)
{
    const char *can = row->reads && row->writes ? "read, write" : row->reads ? "read" : "write";
    printf("%-16s %-12s %-24s %s", row->name, can, row->suffixes, row->title);
    if (row->package)
        printf("; not built: apt-get install %s", row->package);
    if (row->lacks)
        printf("; not built: %s", row->lacks);
    printf("\n");
}

/* The table of the README: what cellpipe knows, whatever this build left out. */
static void print_markdown(const struct format *row)
{
    printf("| %s | %s | %s | %s | `%s` |\n", row->name, row->title, row->reads ? "yes" : "", row->writes ? "yes" : "",
           row->suffixes);
}

cp_status command_formats(struct cli *cli)
{
    struct request request;
    cp_status status = sort_words(cli, 1, cli->words.count, FLAG_MARKDOWN, &request);
    if (status != CP_OK)
        return status;
    if (request.words.count > 0)
        return complain(cli, CP_USAGE, "formats takes no words (for one format: cellpipe help %s)",
                        request.words.items[0]);
    size_t most = cp_plugin_count(CP_IMPORTER) + cp_plugin_count(CP_EXPORTER);
    struct format *rows = cli_allocate(cli, most * sizeof *rows);
    if (!rows)
        return CP_LIMIT;
    if (request.markdown)
        printf("| format | what it is | reads | writes | suffixes |\n|---|---|---|---|---|\n");
    size_t count = list_formats(rows);
    for (size_t i = 0; i < count; i++)
        (request.markdown ? print_markdown : print_text)(&rows[i]);
    return CP_OK;
}

cp_status command_filters(struct cli *cli)
{
    struct request request;
    cp_status status = sort_words(cli, 1, cli->words.count, 0, &request);
    if (status != CP_OK)
        return status;
    if (request.words.count > 0)
        return complain(cli, CP_USAGE, "filters takes no words (for one filter: cellpipe help %s)",
                        request.words.items[0]);
    for (size_t i = 0; i < cp_plugin_count(CP_FILTER); i++)
        printf("%-16s %s\n", cp_plugin_at(CP_FILTER, i).name, cp_plugin_at(CP_FILTER, i).title);
    return CP_OK;
}
