/* info of many files: a table, a line each, or an object with all that info --json tells of each. */
#include <inttypes.h>

#include "batch/many.h"
#include "parts.h"

struct shown {
    struct cli *cli;
    bool is_json, any;
};

/* ---- in a worker ---- */

/* Returns whether all faces of the scene bound volumes: "yes", "no", or "-" for a cell, or without faces. */
static cp_status find_closed(struct cli *cli, const cp_scene *scene, const char **closed)
{
    struct parts parts = {0};
    *closed = "-";
    cp_status status = is_cell(scene) ? CP_OK : list_parts(cli, scene, false, &parts);
    for (uint32_t i = 0; i < parts.count && status == CP_OK; i++)
        if (parts.items[i].topology.edges > 0 && **closed != 'n')
            *closed = parts.items[i].topology.closed ? "yes" : "no";
    return status;
}

static cp_status print_row(struct cli *cli, const char *in, const cp_scene *scene, FILE *found)
{
    const cp_source *source = cp_scene_source(scene);
    const char *closed;
    cp_measures drawn = {.size = sizeof drawn}, both = {.size = sizeof both};
    cp_status status = find_closed(cli, scene, &closed);
    if (status == CP_OK)
        status = cp_measure(cli->context, scene, CP_USE_DRAWN, &drawn);
    if (status == CP_OK)
        status = cp_measure(cli->context, scene, CP_USE_BOTH, &both);
    const char *size = "-";
    if (both.any)
        size = cli_print(cli, "%s x %s x %s", short_number(1e3 * (both.upper[0] - both.lower[0])).text,
                         short_number(1e3 * (both.upper[1] - both.lower[1])).text,
                         short_number(1e3 * (both.upper[2] - both.lower[2])).text);
    if (status != CP_OK || !size)
        return status == CP_OK ? CP_LIMIT : status;
    fprintf(found, "%-10s %-7s %10" PRIu64 "  %-6s %-28s ", source->format, short_number(source->unit).text,
            drawn.triangles, closed, size);
    print_shown(found, in);
    fputc('\n', found);
    return CP_OK;
}

/* Makes the writer of members of `files`; each has a comma before it. */
static cp_json begin_file(FILE *found, const char *in, bool ok)
{
    cp_json json = json_in_file(found);
    json.depth = 2;
    json.comma = true;
    cp_json_open(&json, NULL, '{');
    cp_json_text(&json, "file", in);
    cp_json_boolean(&json, "ok", ok);
    return json;
}

static cp_status put_row(struct cli *cli, const char *in, const cp_scene *scene, FILE *found)
{
    cp_json json = begin_file(found, in, true);
    cp_json_open(&json, "info", '{');
    cp_status status = put_info(cli, &json, scene);
    cp_json_close(&json, '}');
    cp_json_close(&json, '}');
    return status;
}

/* Prints why a file could not be read. */
static void print_failure(bool is_json, const char *in, const cp_entry *entry, FILE *found)
{
    if (is_json) {
        cp_json json = begin_file(found, in, false);
        cp_json_open(&json, "fault", '{');
        cp_json_text(&json, "file", entry->file);
        cp_json_count_or_null(&json, "line", entry->line);
        cp_json_count_or_null(&json, "column", entry->column);
        cp_json_text(&json, "code", entry->code);
        cp_json_text(&json, "text", entry->text);
        cp_json_close(&json, '}');
        cp_json_close(&json, '}');
        return;
    }
    print_fault_row(found, entry);
}

static cp_status look(void *user, struct cli *cli, const char *in, const struct request *reading, FILE *found)
{
    const struct shown *shown = user;
    cp_scene *scene;
    cp_status status = read_input(cli, in, reading, &scene);
    if (status == CP_OK)
        status = (shown->is_json ? put_row : print_row)(cli, in, scene, found);
    else {
        size_t count;
        const cp_entry *entries = cp_report(cli->context, &count);
        for (size_t i = 0; i < count && status != CP_NO && status != CP_CANCELLED; i++)
            if (entries[i].severity == CP_ERROR) {
                cp_entry entry = entries[i];
                entry.file = entry.file ? entry.file : in;
                print_failure(shown->is_json, in, &entry, found);
                status = CP_NO;
            }
    }
    cp_scene_free(scene);
    return status;
}

static void tell_failure(void *user, struct cli *cli, const char *in, const char *code, const char *message,
                         FILE *found)
{
    const struct shown *shown = user;
    (void)cli;
    print_failure(shown->is_json, in, &(cp_entry){.file = in, .code = code, .text = message}, found);
}

/* ---- in the supervisor ---- */

static void show(void *user, const char *found, size_t size)
{
    struct shown *shown = user;
    size_t comma = shown->is_json && !shown->any; /* the first file has none */
    if (!shown->is_json && !shown->any)
        printf("%-10s %-7s %10s  %-6s %-28s %s\n", "format", "unit m", "triangles", "closed", "size mm", "file");
    shown->any = true;
    (void)fwrite(found + comma, 1, size - comma, shown->cli->answers);
}

/* Prints the object of --json. */
static cp_status print_object(struct cli *cli, struct many *many, bool ok)
{
    cp_json json = json_in_file(cli->answers);
    cp_json_open(&json, NULL, '{');
    cp_json_open(&json, "files", '[');
    cp_status status = show_found(many);
    json.comma = true;
    cp_json_close(&json, ']');
    cp_json_boolean(&json, "ok", ok);
    cp_json_close(&json, '}');
    fputs("\n", cli->answers);
    return status;
}

cp_status info_many(struct cli *cli, const struct request *request, const struct many_request *asked, bool json)
{
    struct shown shown = {.cli = cli, .is_json = json};
    struct look how = {.user = &shown, .look = look, .fail = tell_failure, .show = show, .is_whole = json};
    struct many many;
    cp_status status = look_at_many(cli, asked, request, &how, &many), shows = CP_OK;
    if ((status == CP_OK || status == CP_NO) && json)
        shows = print_object(cli, &many, status == CP_OK);
    else if (status == CP_OK || status == CP_NO) {
        print_ends(&many, "read");
        print_passed_over(many.work.entries.passed_over, many.work.entries.passed_count, stdout);
    }
    many_free(&many);
    return shows == CP_OK ? status : shows;
}
