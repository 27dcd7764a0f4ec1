/* check of many files: a table of their faults, or the object of --json with as many files. */
#include "check.h"

#include <inttypes.h>
#include <string.h>

/* How many files have a code. */
struct code_count {
    const char *code;
    uint32_t files, last; /* last: the number of the last of them, from 1 */
};

/* This counts what was shown so far. */
struct shown {
    struct check *check;
    cp_json *json;         /* or NULL: a table */
    struct name_map codes; /* code -> its index in `counts` */
    struct code_count *counts;
    uint32_t count_room, code_count, files; /* files: that have faults */
};

/* ---- in a worker ---- */

/* Makes the writer of members of `faults` in the object that the supervisor writes: each has a comma before it. */
static cp_json json_of_faults(FILE *found)
{
    cp_json json = json_in_file(found);
    json.depth = 2;
    json.comma = true;
    return json;
}

static cp_status look(void *user, struct cli *cli, const char *in, const struct request *reading, FILE *found)
{
    const struct shown *shown = user;
    struct check check = {.cli = cli, .wanted = shown->check->wanted, .table = found};
    cp_json json = json_of_faults(found);
    cp_scene *scene;
    check.wanted.path = in;
    check.json = check.wanted.json ? &json : NULL;
    cp_status status = read_input(cli, in, reading, &scene);
    if (status == CP_OK)
        status = check_scene(&check, scene);
    cp_scene_free(scene);
    return tell_errors(&check) && status != CP_CANCELLED ? CP_NO : status;
}

static void tell_failure(void *user, struct cli *cli, const char *in, const char *code, const char *message,
                         FILE *found)
{
    const struct shown *shown = user;
    cp_json json = json_of_faults(found);
    (void)cli;
    if (shown->check->wanted.json)
        put_fault(&json, &(struct fault){.code = code, .file = in, .text = message});
    else
        print_fault_row(found, &(cp_entry){.code = code, .file = in, .text = message});
}

/* ---- in the supervisor ---- */

/* Counts the file for each code that it has. */
static void count_codes(struct shown *shown, const char *rows, size_t size)
{
    struct cli *cli = shown->check->cli;
    shown->files++;
    for (const char *at = rows, *end = rows + size, *next; at < end; at = next) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        char code[64];
        size_t length = 0;
        next = line_end ? line_end + 1 : end;
        for (; at + length < next && at[length] != ' ' && length + 1 < sizeof code; length++)
            code[length] = at[length];
        code[length] = '\0';
        uint32_t *index = name_map_find(&shown->codes, code);
        if (!index) {
            char *copy = cli_print(cli, "%s", code);
            if (!copy ||
                !array_reserve(cli->context, &shown->counts, &shown->count_room, (uint64_t)shown->code_count + 1,
                               sizeof *shown->counts) ||
                !(index = name_map_add(&shown->codes, copy, shown->code_count, NULL))) {
                cli->untold = true;
                return;
            }
            shown->counts[shown->code_count++] = (struct code_count){.code = copy};
        }
        struct code_count *count = &shown->counts[*index];
        count->files += count->last != shown->files;
        count->last = shown->files;
    }
}

static void show(void *user, const char *found, size_t size)
{
    struct shown *shown = user;
    if (shown->json) {
        size_t comma = shown->json->comma ? 0 : 1; /* the first fault has none */
        shown->json->comma = true;
        (void)fwrite(found + comma, 1, size - comma, shown->check->cli->answers);
        return;
    }
    (void)fwrite(found, 1, size, stdout);
    count_codes(shown, found, size);
}

static void print_counts(const struct shown *shown, const struct many *many)
{
    print_ends(many, "ok");
    for (uint32_t i = 0; i < shown->code_count; i++)
        printf("  %-16s %" PRIu32 "\n", shown->counts[i].code, shown->counts[i].files);
    print_scope(many);
}

/* Prints the object of --json: the faults of all, and then all files, in order. */
static cp_status print_object(struct cli *cli, struct shown *shown, struct many *many, bool ok)
{
    cp_json *json = shown->json;
    struct arena *arena = arena_new(cli->context);
    cp_json_open(json, NULL, '{');
    cp_json_open(json, "faults", '[');
    cp_status status = arena ? show_found(many) : CP_LIMIT;
    cp_json_close(json, ']');
    cp_json_open(json, "files", '[');
    for (uint32_t i = 0; i < many->work.entries.count && status == CP_OK; i++) {
        const char *in = entry_path(arena, &many->work.entries.items[i]);
        if (in)
            put_file(json, in, many->ends[i] == STATE_OK || many->ends[i] == STATE_MACROS);
        status = in ? CP_OK : CP_LIMIT;
        arena_clear(arena);
    }
    cp_json_close(json, ']');
    cp_json_boolean(json, "ok", ok);
    cp_json_close(json, '}');
    fputs("\n", cli->answers);
    arena_free(arena);
    return status;
}

cp_status check_many(struct check *check)
{
    struct cli *cli = check->cli;
    cp_json json = json_in_file(cli->answers);
    struct shown shown = {.check = check, .json = check->wanted.json ? &json : NULL, .codes.context = cli->context};
    struct look how = {
        .user = &shown, .look = look, .fail = tell_failure, .show = show, .is_whole = check->wanted.json};
    struct many many;
    cp_status status = look_at_many(cli, &check->wanted.many, &check->wanted.request, &how, &many), shows = CP_OK;
    if ((status == CP_OK || status == CP_NO) && shown.json)
        shows = print_object(cli, &shown, &many, status == CP_OK);
    else if (status == CP_OK || status == CP_NO)
        print_counts(&shown, &many);
    many_free(&many);
    name_map_free(&shown.codes);
    memory_free(cli->context, shown.counts, shown.count_room, sizeof *shown.counts);
    return shows == CP_OK ? status : shows;
}
