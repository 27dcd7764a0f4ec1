/* report: tells the outcome of all inputs of a batch. summary.c sums up; this file prints it. */
#include "page.h"

#include <inttypes.h>
#include <math.h>
#include <sys/stat.h>

#include "../inputs/manifest.h"

/* ---- for people ---- */

struct amount show_bytes(uint64_t bytes)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
    struct amount amount;
    uint64_t unit = 1;
    int index = 0;
    for (; bytes / unit >= 10000 && index < 5; index++)
        unit *= 1000;
    (void)snprintf(amount.text, sizeof amount.text, "%" PRIu64 " %s",
                   bytes / unit + (bytes % unit >= (unit + 1) / 2 && unit > 1), units[index]);
    return amount;
}

static struct amount show_seconds(double ms)
{
    struct amount amount;
    uint64_t whole = ms > 0 && ms < 1e18 ? (uint64_t)(ms + 0.5) : 0;
    (void)snprintf(amount.text, sizeof amount.text, "%" PRIu64 ".%03" PRIu64 " s", whole / 1000, whole % 1000);
    return amount;
}

static void print_line(FILE *file, const char *before, const char *shown)
{
    fputs(before, file);
    print_shown(file, shown);
    fputc('\n', file);
}

static void print_inputs(const struct summary *summary, const char *const *inputs, uint32_t count, uint32_t most,
                         FILE *file)
{
    uint32_t shown = summary->cli->verbose || count <= most ? count : most;
    for (uint32_t i = 0; i < shown; i++)
        print_line(file, "    ", inputs[i]);
    if (count > shown)
        fprintf(file, "    and %" PRIu32 " more (-v lists all)\n", count - shown);
}

/* Says how many groups of a list are left out. */
static void print_rest(uint32_t count, FILE *file)
{
    if (count > 0)
        fprintf(file, "  and %" PRIu32 " more (-v lists all)\n", count);
}

static void print_copies(const struct summary *summary, enum likeness likeness, FILE *file)
{
    static const char *const titles[LIKENESS_COUNT] = {"outputs equal byte for byte", "inputs equal byte for byte",
                                                       "one shape in several places"};
    uint32_t count = summary->copies_count[likeness];
    if (count > 0)
        fprintf(file, "\n%s:\n", titles[likeness]);
    uint32_t shown = summary->cli->verbose || count <= MOST_GROUPS ? count : MOST_GROUPS;
    for (uint32_t i = 0; i < shown; i++) {
        const struct copies *copies = &summary->copies[likeness][i];
        fprintf(file, "  %" PRIu32 ", once would save %s\n", copies->count, show_bytes(copies->spare).text);
        print_inputs(summary, copies->inputs, copies->count, MOST_NAMED, file);
    }
    print_rest(count - shown, file);
}

static void print_group(const struct summary *summary, const struct group *group, FILE *file)
{
    bool is_failure = group->told == TOLD_FAILURE;
    fprintf(file, "  %" PRIu32, group->count);
    if (is_failure)
        fprintf(file, " %s", state_names[group->state]);
    if (is_failure && group->fresh == 0)
        fputs(" as before", file);
    else if (is_failure && group->fresh < group->count)
        fprintf(file, " (%" PRIu32 " new)", group->fresh);
    print_line(file, ": ", group->message);
    if (is_failure || summary->cli->verbose || !is_common(summary, group))
        print_inputs(summary, group->inputs.items, group->count, is_failure ? MOST_FAILURES_NAMED : MOST_NAMED, file);
}

/* Prints the messages of one kind, those of most inputs first. What nearly all inputs have in common tells little of
 * any: it has one line, at the end. */
static void print_groups(const struct summary *summary, enum told told, const char *title, FILE *file)
{
    uint32_t most = told == TOLD_FAILURE || summary->cli->verbose ? UINT32_MAX : MOST_GROUPS, found = 0, common = 0;
    for (uint32_t i = 0; i < summary->group_count; i++) {
        const struct group *group = &summary->groups[i];
        if (group->told != told)
            continue;
        bool is_last = told != TOLD_FAILURE && is_common(summary, group);
        if (found + common == 0)
            fprintf(file, "\n%s:\n", title);
        common += is_last;
        found += !is_last;
        if (!is_last && found <= most)
            print_group(summary, group, file);
    }
    print_rest(found > most ? found - most : 0, file);
    for (uint32_t i = 0; i < summary->group_count && common > 0; i++)
        if (summary->groups[i].told == told && is_common(summary, &summary->groups[i]))
            print_group(summary, &summary->groups[i], file);
}

static void print_text(const struct summary *summary, FILE *file)
{
    fprintf(file, "inputs     %" PRIu64 "\n", summary->count + summary->missing_count);
    for (int i = 0; i < STATE_COUNT; i++)
        if (summary->states[i] > 0)
            fprintf(file, "  %-8s %" PRIu64 "%s\n", state_names[i], summary->states[i],
                    i == STATE_MACROS ? " (files of macros alone, for others to include)" : "");
    if (summary->missing_count > 0)
        fprintf(file, "  missing  %" PRIu32 "\n", summary->missing_count);
    if (summary->fresh + summary->mended + summary->as_before > 0)
        fprintf(file, "failures   %" PRIu64 " new since the last run, %" PRIu64 " mended, %" PRIu64 " as before\n",
                summary->fresh, summary->mended, summary->as_before);
    fprintf(file, "bytes      %s in, %s out\n", show_bytes(summary->bytes_in).text,
            show_bytes(summary->bytes_out).text);
    fprintf(file, "triangles  %" PRIu64 " in, %" PRIu64 " out\n", summary->triangles_in, summary->triangles_out);
    if (summary->lossy > 0 || summary->warned > 0)
        fprintf(file, "messages   %" PRIu64 " file%s with losses, %" PRIu64 " with warnings\n", summary->lossy,
                plural(summary->lossy), summary->warned);
    static const char *const likenesses[LIKENESS_COUNT] = {
        "copies     %" PRIu32 " outputs occur several times, byte for byte; once each would save %s\n",
        "originals  %" PRIu32
        " inputs occur several times, byte for byte, with other outputs; once each would save %s\n",
        "shapes     %" PRIu32 " shapes occur in several places; once each would save %s\n"};
    for (int i = 0; i < LIKENESS_COUNT; i++)
        if (summary->copies_count[i] > 0)
            fprintf(file, likenesses[i], summary->copies_count[i], show_bytes(summary->spare[i]).text);
    if (summary->ms > 0)
        fprintf(file, "time       %s of work, %s of processors; memory of a file at most %s\n",
                show_seconds(summary->ms).text, show_seconds(summary->cpu_ms).text, show_bytes(summary->max_rss).text);
    for (size_t i = 0; i < summary->isolations.count; i++)
        print_line(file, "isolation  ", summary->isolations.items[i]);
    if (summary->others > 0)
        fprintf(file, "others     %" PRIu64 " records of inputs that the manifest does not have\n", summary->others);
    if (summary->torn > 0)
        fprintf(file, "torn       %" PRIu32 " last lines without an end, left out\n", summary->torn);
    print_passed_over(summary->passed_over, summary->passed_count, file);
    if (summary->slowest_count > 0)
        fputs("\nslowest:\n", file);
    for (uint32_t i = 0; i < summary->slowest_count; i++) {
        fprintf(file, "  %10s", show_seconds(summary->slowest[i].ms).text);
        print_line(file, "  ", summary->slowest[i].in);
    }
    for (int i = 0; i < LIKENESS_COUNT; i++)
        print_copies(summary, (enum likeness)i, file);
    print_groups(summary, TOLD_LOSS, "losses", file);
    print_groups(summary, TOLD_WARNING, "warnings", file);
    print_groups(summary, TOLD_FAILURE, "failures", file);
    if (summary->missing_count > 0)
        fputs("\nmissing:\n", file);
    print_inputs(summary, summary->missing, summary->missing_count, MOST_FAILURES_NAMED, file);
}

/* ---- for programs ---- */

static void put_inputs(cp_json *json, const char *key, const char *const *inputs, uint32_t count)
{
    const bool spaced = json->spaced;
    cp_json_open(json, key, '[');
    json->spaced = false;
    for (uint32_t i = 0; i < count; i++)
        cp_json_text(json, NULL, inputs[i]);
    json->spaced = spaced;
    cp_json_close(json, ']');
}

static void put_groups(cp_json *json, const struct summary *summary, enum told told, const char *name)
{
    cp_json_open(json, name, '[');
    for (uint32_t i = 0; i < summary->group_count; i++) {
        const struct group *group = &summary->groups[i];
        if (group->told != told)
            continue;
        const char *colon = strstr(group->message, ": ");
        char *code = colon ? cli_print(summary->cli, "%.*s", (int)(colon - group->message), group->message) : "";
        cp_json_line(json, 2);
        cp_json_open(json, NULL, '{');
        if (told == TOLD_FAILURE)
            cp_json_text(json, "state", state_names[group->state]);
        cp_json_count(json, "count", group->count);
        if (told == TOLD_FAILURE)
            cp_json_count(json, "new", group->fresh);
        cp_json_text(json, "code", code ? code : "");
        cp_json_text(json, "message", colon ? colon + 2 : group->message);
        put_inputs(json, "inputs", group->inputs.items, (uint32_t)group->inputs.count);
        cp_json_close(json, '}');
    }
    cp_json_close(json, ']');
}

static void put_copies(cp_json *json, const struct summary *summary)
{
    static const char *const names[LIKENESS_COUNT] = {"copies", "same_inputs", "same_shapes"};
    for (int k = 0; k < LIKENESS_COUNT; k++) {
        cp_json_open(json, names[k], '[');
        for (uint32_t i = 0; i < summary->copies_count[k]; i++) {
            const struct copies *copies = &summary->copies[k][i];
            cp_json_line(json, 2);
            cp_json_open(json, NULL, '{');
            cp_json_count(json, "spare_bytes", copies->spare);
            put_inputs(json, "inputs", copies->inputs, copies->count);
            cp_json_close(json, '}');
        }
        cp_json_close(json, ']');
    }
}

/* All that differs from run to run. */
static void put_times(cp_json *json, const struct summary *summary)
{
    cp_json_open(json, "time", '{');
    cp_json_number(json, "ms", round(summary->ms * 1000) / 1000);
    cp_json_number(json, "cpu_ms", round(summary->cpu_ms * 1000) / 1000);
    cp_json_count(json, "max_rss", summary->max_rss);
    cp_json_open(json, "slowest", '[');
    for (uint32_t i = 0; i < summary->slowest_count; i++) {
        cp_json_line(json, 2);
        cp_json_open(json, NULL, '{');
        cp_json_text(json, "in", summary->slowest[i].in);
        cp_json_number(json, "ms", summary->slowest[i].ms);
        cp_json_close(json, '}');
    }
    cp_json_close(json, ']');
    cp_json_close(json, '}');
}

void put_summary(cp_json *json, const struct summary *summary)
{
    cp_json_count(json, "inputs", summary->count + summary->missing_count);
    cp_json_open(json, "states", '{');
    for (int i = 0; i < STATE_COUNT; i++)
        cp_json_count(json, state_names[i], summary->states[i]);
    cp_json_close(json, '}');
    cp_json_count(json, "new_failures", summary->fresh);
    cp_json_count(json, "mended", summary->mended);
    cp_json_count(json, "failures_as_before", summary->as_before);
    cp_json_count(json, "bytes_in", summary->bytes_in);
    cp_json_count(json, "bytes_out", summary->bytes_out);
    cp_json_count(json, "triangles_in", summary->triangles_in);
    cp_json_count(json, "triangles_out", summary->triangles_out);
    cp_json_count(json, "files_with_losses", summary->lossy);
    cp_json_count(json, "files_with_warnings", summary->warned);
    put_groups(json, summary, TOLD_FAILURE, "failures");
    put_inputs(json, "missing", summary->missing, summary->missing_count);
    put_groups(json, summary, TOLD_LOSS, "losses");
    put_groups(json, summary, TOLD_WARNING, "warnings");
    cp_json_count(json, "not_in_manifest", summary->others);
    cp_json_count(json, "torn_lines", summary->torn);
    cp_json_open(json, "passed_over", '{');
    for (uint32_t i = 0; i < summary->passed_count; i++)
        cp_json_count(json, summary->passed_over[i].what, summary->passed_over[i].count);
    cp_json_close(json, '}');
    cp_json_open(json, "isolation", '[');
    for (size_t i = 0; i < summary->isolations.count; i++)
        cp_json_text(json, NULL, summary->isolations.items[i]);
    cp_json_close(json, ']');
    put_times(json, summary);
    cp_json_count(json, "spare_bytes", summary->spare[SAME_OUTPUT]);
}

static void print_json(const struct summary *summary, struct buffer *out)
{
    cp_json json = {.out = out, .lines = 1, .spaced = true, .keeps_bytes = true};
    cp_json_open(&json, NULL, '{');
    put_summary(&json, summary);
    put_copies(&json, summary);
    cp_json_close(&json, '}');
    buffer_text(out, "\n");
}

/* Adds a field of RFC 4180, shown as in the text: on one line, without control characters. */
static void add_cell(struct buffer *out, const char *text)
{
    char piece[CP_SHOWN_CHARACTER_SIZE];
    buffer_text(out, "\"");
    for (size_t size; (size = cp_print_shown_character(&text, piece)) > 0;) {
        buffer_append(out, "\"", piece[0] == '"');
        buffer_append(out, piece, size);
    }
    buffer_text(out, "\",");
}

/* Prints the rows of a CSV as they come from the state. */
struct csv {
    struct cli *cli;
    struct buffer text;
    const struct report_scope *scope;
    FILE *file;
};

static cp_status print_csv_row(void *user, const struct state_row *row)
{
    struct csv *csv = user;
    struct buffer *out = &csv->text;
    const struct record *record = &row->record;
    bool times = !csv->scope->no_times;
    out->size = 0;
    add_cell(out, row->in);
    add_cell(out, record->out);
    buffer_print(out, "%s,", state_names[record->state]);
    add_cell(out, record->code);
    add_cell(out, record->message);
    buffer_double(out, times ? record->ms : 0);
    buffer_text(out, ",");
    buffer_double(out, times ? record->cpu_ms : 0);
    buffer_print(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%zu,%zu,",
                 times ? record->max_rss : 0, record->bytes_in, record->bytes_out, record->triangles_in,
                 record->triangles_out, record->losses.count, record->warnings.count);
    add_cell(out, times ? record->host : "");
    buffer_print(out, "%" PRIu32 "\r\n", times ? record->attempt : 0);
    (void)fwrite(out->data ? out->data : "", 1, out->size, csv->file);
    return out->failed ? CP_LIMIT : CP_OK;
}

static cp_status print_csv(const struct summary *summary, struct state *state, const struct report_scope *scope,
                           FILE *file)
{
    struct csv csv = {.cli = summary->cli, .text.context = summary->cli->context, .scope = scope, .file = file};
    fputs("in,out,state,code,message,ms,cpu_ms,max_rss,bytes_in,bytes_out,triangles_in,triangles_out,losses,warnings,"
          "host,attempt\r\n",
          file);
    cp_status status = each_of_scope(state, scope, print_csv_row, &csv);
    for (uint32_t i = 0; i < summary->missing_count && status == CP_OK; i++) {
        csv.text.size = 0;
        add_cell(&csv.text, summary->missing[i]);
        buffer_text(&csv.text, ",missing,,,,,,,,,,,,,\r\n");
        (void)fwrite(csv.text.data ? csv.text.data : "", 1, csv.text.size, file);
        status = csv.text.failed ? CP_LIMIT : CP_OK;
    }
    buffer_free(&csv.text);
    return status;
}

cp_status print_report(struct cli *cli, struct state *state, const struct report_scope *scope, enum report_form form,
                       FILE *file)
{
    struct summary summary = {.cli = cli};
    struct buffer text = {.context = cli->context};
    void *page = NULL;
    size_t page_size = 0;
    cp_status status = summarise(&summary, state, scope);
    clear_progress(cli);
    if (status == CP_OK && form == REPORT_TEXT)
        print_text(&summary, file);
    else if (status == CP_OK && form == REPORT_JSON)
        print_json(&summary, &text);
    else if (status == CP_OK && form == REPORT_HTML)
        status = make_page(&summary, state, &(struct page_request){.title = scope->title}, &page, &page_size);
    else if (status == CP_OK)
        status = print_csv(&summary, state, scope, file);
    (void)fwrite(page ? page : "", 1, page_size, file);
    cp_free(cli->context, page, page_size);
    (void)fwrite(text.data ? text.data : "", 1, text.size, file);
    if (text.failed)
        status = CP_LIMIT;
    uint64_t failed = summary.missing_count + (scope->new_alone ? summary.fresh : 0);
    for (int i = STATE_FAILED; i < STATE_COUNT && !scope->new_alone; i++)
        failed += summary.states[i];
    buffer_free(&text);
    summary_free(&summary);
    return status == CP_OK && failed > 0 ? CP_NO : status;
}

/* ---- the command ---- */

struct asked {
    struct request request; /* first: see cli.h */
    const char *manifest;
    bool json, csv, html, no_times;
    int exits; /* EXIT_... */
};

cp_status complain_of_none(struct cli *cli, const char *path)
{
    return complain(cli, CP_INPUT, "%s has no records of a batch: name its output folder", path);
}

/* Reads what is known of the folder's outputs, and what its journals add. An output folder has .cellpipe in it. */
static cp_status read_folder(struct cli *cli, const char *path, const struct whereabouts *here, struct state *state,
                             struct merged *merged)
{
    const char *folder = cli_print(cli, "%s/.cellpipe", path);
    struct stat facts;
    if (!folder)
        return CP_LIMIT;
    if (stat(folder, &facts) != 0)
        return complain_of_none(cli, path);
    return read_state(cli, folder, here, state, merged);
}

/* Reads an output folder, or files of --status. */
static cp_status read_reported(struct cli *cli, const struct list *paths, struct state *state, struct merged *merged)
{
    struct whereabouts here;
    struct arena *arena = arena_new(cli->context);
    cp_status status = arena && find_whereabouts(arena, &here) ? CP_OK : CP_LIMIT;
    for (size_t i = 0; i < paths->count && status == CP_OK; i++) {
        struct stat facts;
        bool is_folder = stat(paths->items[i], &facts) == 0 && S_ISDIR(facts.st_mode);
        if (is_folder && paths->count > 1)
            status = complain(cli, CP_USAGE, "a report is of one output folder, or of files");
        else if (is_folder)
            status = read_folder(cli, paths->items[i], &here, state, merged);
        else if (state->database || (status = state_open(cli, "", STATE_EMPTY, state)) == CP_OK)
            status = merge_file(cli, paths->items[i], state, merged);
    }
    arena_free(arena);
    bool empty = false;
    if (status == CP_OK)
        status = state_is_empty(state, &empty);
    return status == CP_OK && empty ? complain_of_none(cli, paths->items[0]) : status;
}

static cp_status command_report(struct cli *cli)
{
    struct asked asked = {0};
    struct state state = {0};
    struct merged merged = {0};
    struct entries expected = {0};
    cp_status status = sort_words(cli, 1, cli->words.count, &report_command, &asked);
    if (status == CP_OK && asked.request.words.count == 0)
        status = complain(cli, CP_USAGE, "report needs an output folder: cellpipe report OUT");
    if (status == CP_OK && asked.json + asked.csv + asked.html > 1)
        status = complain(cli, CP_USAGE, "--json, --csv and --html exclude each other");
    if (status == CP_OK && asked.manifest)
        status = manifest_read(cli, asked.manifest, &(struct manifest_use){0}, &expected);
    if (status == CP_OK)
        status = read_reported(cli, &asked.request.words, &state, &merged);
    const struct report_scope scope = {.expected = asked.manifest ? &expected : NULL,
                                       .new_alone = asked.exits == EXIT_NEW,
                                       .names_all = asked.json || cli->verbose,
                                       .merged = &merged,
                                       .no_times = asked.no_times,
                                       .title = status == CP_OK ? asked.request.words.items[0] : ""};
    if (status == CP_OK)
        status = print_report(cli, &state, &scope,
                              asked.json   ? REPORT_JSON
                              : asked.csv  ? REPORT_CSV
                              : asked.html ? REPORT_HTML
                                           : REPORT_TEXT,
                              stdout);
    state_close(&state);
    entries_free(&expected);
    return status;
}

static const cp_option options[] = {
    {"--manifest", "the inputs that there should be; those without a record are missing", CP_OPTION_PATH,
     .offset = offsetof(struct asked, manifest)},
    {"--json", "print one JSON object, for scripts", CP_OPTION_BOOLEAN, .offset = offsetof(struct asked, json)},
    {"--csv", "print a line of CSV for each input", CP_OPTION_BOOLEAN, .offset = offsetof(struct asked, csv)},
    {"--html", "print a page for browsers: the sums, and a list of all inputs with search and filters",
     CP_OPTION_BOOLEAN, .offset = offsetof(struct asked, html)},
    {"--exit",
     "any: the exit code is 1 if any input failed or is missing; new: not for failures as before the last run",
     CP_OPTION_CHOICE, offsetof(struct asked, exits), "any", .choices = "any|new", .value = "MODE"},
    {"--no-times", "leave out what differs from run to run: times, memory, hosts, attempts, isolation, torn lines",
     CP_OPTION_BOOLEAN, .offset = offsetof(struct asked, no_times)},
    {0}};

const struct command report_command = {
    .name = "report",
    .title = "tell what a batch has done",
    .usage = "OUT [--manifest FILE] [--json|--csv|--html] [--no-times]\n"
             "FILE... [--manifest FILE] [--json|--csv|--html] [--no-times]",
    .help =
        "Prints how many inputs of a batch were converted, which failed and why, which took longest, and which are "
        "missing. OUT is the output folder: it has the state of all runs, also of those that go on. In its place, FILE "
        "is one that batch --status wrote. Changes nothing. Ends with 1 if any input failed or is missing, and with 3 "
        "if there are no records.",
    .examples = "cellpipe report web\n"
                "cellpipe report web --html >report.html\n"
                "cellpipe report --manifest parts.jsonl web --csv >parts.csv || echo \"not all\"",
    .options = options,
    .run = command_report};
