/* report: tells the outcome of all inputs of a batch. The sums, the JSON and the CSV name each member of a record: with
 * a table of columns that the three walk over, this file had 630 lines in place of 595. */
#include "report.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MOST_SLOWEST = 10, MOST_LISTED = 20 };

/* Failures with one reason. */
struct group {
    const struct record *first;
    const char *reason;
    const char **inputs; /* sorted */
    uint32_t count;
};

/* The kinds of likeness of inputs; a group of one kind counts as one input for the next. */
enum likeness { SAME_OUTPUT, SAME_INPUT, SAME_SHAPE, LIKENESS_COUNT };

/* Inputs that could share one output. */
struct copies {
    const char **inputs; /* sorted */
    uint32_t count;
    uint64_t spare; /* bytes of all outputs but the first */
};

struct candidate {
    const struct record *record;
    cp_hash hash; /* equal: alike */
};

struct summary {
    struct cli *cli;
    const struct record **items; /* sorted by input */
    uint32_t count, others;      /* others: the number of records of unexpected inputs */
    const char **missing;
    uint32_t missing_count;
    uint64_t states[STATE_COUNT], bytes_in, bytes_out, triangles_in, triangles_out, max_rss;
    uint32_t lossy, warned; /* files */
    double ms, cpu_ms;
    const struct record **failed, **slowest; /* each with its own order */
    struct candidate *candidates;            /* good ones, which have an output */
    uint32_t failed_count, slowest_count, candidate_count;
    struct group *groups;
    uint32_t group_count;
    struct copies *copies[LIKENESS_COUNT];
    uint32_t copies_count[LIKENESS_COUNT];
    uint64_t spare[LIKENESS_COUNT];
};

/* ---- sums and orders ---- */

static bool is_failure(const struct record *record)
{
    return record->state >= STATE_FAILED;
}

static int compare_slowness(const void *a, const void *b)
{
    const struct record *first = *(const struct record *const *)a, *second = *(const struct record *const *)b;
    return first->ms != second->ms ? (first->ms < second->ms ? 1 : -1) : strcmp(first->in, second->in);
}

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *first = a, *second = b;
    return first->hash.high != second->hash.high ? (first->hash.high < second->hash.high ? -1 : 1)
           : first->hash.low != second->hash.low ? (first->hash.low < second->hash.low ? -1 : 1)
                                                 : strcmp(first->record->in, second->record->in);
}

/* Reads one piece of a message and returns its sign: a character, or a sign for a number or quoted words. These belong
 * to one file, so that messages without them group the failures. */
static int next_sign(const char **text)
{
    const char *at = *text;
    if (*at == '"' && strchr(at + 1, '"')) {
        *text = strchr(at + 1, '"') + 1;
        return '"';
    }
    if (is_digit(*at)) {
        while (is_digit(*at) || (*at == '.' && is_digit(at[1])))
            at++;
        *text = at;
        return '0';
    }
    *text += *at != '\0';
    return (unsigned char)*at;
}

static int compare_reasons(const struct record *first, const struct record *second)
{
    if (first->state != second->state)
        return first->state < second->state ? -1 : 1;
    int order = strcmp(first->code, second->code);
    const char *a = first->message, *b = second->message;
    while (order == 0 && (*a || *b))
        order = next_sign(&a) - next_sign(&b);
    return order;
}

static int compare_failures(const void *a, const void *b)
{
    const struct record *first = *(const struct record *const *)a, *second = *(const struct record *const *)b;
    int order = compare_reasons(first, second);
    return order ? order : strcmp(first->in, second->in);
}

static int compare_groups(const void *a, const void *b)
{
    const struct group *first = a, *second = b;
    return first->count != second->count ? (first->count < second->count ? 1 : -1)
                                         : strcmp(first->inputs[0], second->inputs[0]);
}

static int compare_copies(const void *a, const void *b)
{
    const struct copies *first = a, *second = b;
    return first->spare != second->spare ? (first->spare < second->spare ? 1 : -1)
                                         : strcmp(first->inputs[0], second->inputs[0]);
}

/* Sorts; qsort takes no NULL, which an empty list may be. */
static void sort(void *items, uint32_t count, size_t size, int (*compare)(const void *, const void *))
{
    if (count > 1)
        qsort(items, count, size, compare);
}

static void add_record(struct summary *summary, const struct record *record)
{
    summary->items[summary->count++] = record;
    summary->states[record->state]++;
    summary->bytes_in += record->bytes_in;
    summary->bytes_out += record->bytes_out;
    summary->triangles_in += record->triangles_in;
    summary->triangles_out += record->triangles_out;
    summary->max_rss = record->max_rss > summary->max_rss ? record->max_rss : summary->max_rss;
    summary->lossy += record->losses.count > 0;
    summary->warned += record->warnings.count > 0;
    summary->ms += record->ms;
    summary->cpu_ms += record->cpu_ms;
    if (is_failure(record))
        summary->failed[summary->failed_count++] = record;
    if (record->ms > 0)
        summary->slowest[summary->slowest_count++] = record;
    if (!is_failure(record) && !hash_is_zero(record->out_hash))
        summary->candidates[summary->candidate_count++] = (struct candidate){record, record->out_hash};
}

static bool group_failures(struct summary *summary)
{
    sort(summary->failed, summary->failed_count, sizeof *summary->failed, compare_failures);
    summary->groups = cli_allocate(summary->cli, summary->failed_count * sizeof *summary->groups);
    const char **inputs = cli_allocate(summary->cli, summary->failed_count * sizeof *inputs);
    for (uint32_t i = 0; summary->groups && inputs && i < summary->failed_count; i++) {
        const struct record *record = summary->failed[i];
        inputs[i] = record->in;
        if (i > 0 && compare_reasons(summary->failed[i - 1], record) == 0) {
            summary->groups[summary->group_count - 1].count++;
            continue;
        }
        const char *reason =
            cli_print(summary->cli, "%s%s%s", record->code, *record->code ? ": " : "", record->message);
        if (!reason)
            return false;
        summary->groups[summary->group_count++] = (struct group){record, reason, &inputs[i], 1};
    }
    sort(summary->groups, summary->group_count, sizeof *summary->groups, compare_groups);
    return summary->groups && inputs;
}

/* Hashes the contents of all inputs, as the same file may name other files elsewhere; if a content is not known, hashes
 * the path. */
static cp_hash hash_inputs(const struct record *record)
{
    cp_hash hash = {0};
    for (uint32_t i = 0; i < record->input_count; i++) {
        const cp_hash pair[] = {hash, record->inputs[i].hash};
        if (hash_is_zero(pair[1]) && !record->inputs[i].missing)
            return cp_hash_bytes(record->in, strlen(record->in));
        hash = cp_hash_bytes(pair, sizeof pair);
    }
    return hash;
}

static bool hash_candidates(struct summary *summary, enum likeness likeness)
{
    struct candidate *candidates = summary->candidates;
    uint32_t count = summary->candidate_count;
    if (likeness != SAME_SHAPE) {
        for (uint32_t i = 0; i < count; i++)
            candidates[i].hash =
                likeness == SAME_OUTPUT ? candidates[i].record->out_hash : hash_inputs(candidates[i].record);
        return true;
    }
    cp_shape *shapes = cli_allocate(summary->cli, count * sizeof *shapes);
    uint32_t *first = cli_allocate(summary->cli, count * sizeof *first);
    for (uint32_t i = 0; i < count; i++)
        candidates[i].hash = (cp_hash){0};
    sort(candidates, count, sizeof *candidates, compare_candidates); /* by input */
    for (uint32_t i = 0; shapes && i < count; i++)
        shapes[i] = candidates[i].record->shape;
    bool good = shapes && first && cp_find_alike(summary->cli->context, shapes, count, first) == CP_OK;
    for (uint32_t i = 0; good && i < count; i++)
        candidates[i].hash = (cp_hash){.low = first[i]};
    return good;
}

static bool find_copies(struct summary *summary, enum likeness likeness)
{
    struct candidate *candidates = summary->candidates;
    const char **members = cli_allocate(summary->cli, summary->candidate_count * sizeof *members);
    struct copies *copies = cli_allocate(summary->cli, summary->candidate_count / 2 * sizeof *copies);
    uint32_t count = 0, kept = 0;
    if (!members || !copies || !hash_candidates(summary, likeness))
        return false;
    sort(candidates, summary->candidate_count, sizeof *candidates, compare_candidates);
    for (uint32_t i = 0, next; i < summary->candidate_count; i = next) {
        struct copies group = {.inputs = &members[i]};
        for (next = i; next < summary->candidate_count && hash_equals(candidates[i].hash, candidates[next].hash);
             next++) {
            members[next] = candidates[next].record->in;
            group.spare += next > i ? candidates[next].record->bytes_out : 0;
        }
        group.count = next - i;
        if (group.count > 1)
            copies[count++] = group;
        summary->spare[likeness] += group.spare;
        candidates[kept++] = candidates[i];
    }
    sort(copies, count, sizeof *copies, compare_copies);
    summary->candidate_count = kept;
    summary->copies[likeness] = copies;
    summary->copies_count[likeness] = count;
    return true;
}

/* Fills the summary. All memory is the cli's. */
static bool summarise(struct summary *summary, const struct records *records, const struct entries *expected)
{
    struct cli *cli = summary->cli;
    uint32_t room = records->count;
    summary->items = cli_allocate(cli, room * sizeof *summary->items);
    summary->failed = cli_allocate(cli, room * sizeof *summary->failed);
    summary->slowest = cli_allocate(cli, room * sizeof *summary->slowest);
    summary->candidates = cli_allocate(cli, room * sizeof *summary->candidates);
    summary->missing = cli_allocate(cli, (expected ? expected->count : 0) * sizeof *summary->missing);
    if (!summary->items || !summary->failed || !summary->slowest || !summary->candidates || !summary->missing)
        return false;
    for (uint32_t i = 0; i < room && !expected; i++)
        add_record(summary, records->items[i]);
    for (uint32_t i = 0; expected && i < expected->count; i++) {
        const struct record *record = records_find(records, expected->items[i].in);
        if (record)
            add_record(summary, record);
        else
            summary->missing[summary->missing_count++] = expected->items[i].in;
    }
    summary->others = room - summary->count;
    sort(summary->slowest, summary->slowest_count, sizeof *summary->slowest, compare_slowness);
    if (summary->slowest_count > MOST_SLOWEST)
        summary->slowest_count = MOST_SLOWEST;
    bool good = group_failures(summary);
    for (int i = 0; i < LIKENESS_COUNT; i++)
        good = good && find_copies(summary, (enum likeness)i);
    return good;
}

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

static void print_inputs(FILE *file, const char *const *inputs, uint32_t count, bool all)
{
    for (uint32_t i = 0; i < count && (all || i < MOST_LISTED); i++)
        print_line(file, "    ", inputs[i]);
    if (count > MOST_LISTED && !all)
        fprintf(file, "    and %" PRIu32 " more (-v lists all)\n", count - MOST_LISTED);
}

static void print_copies(const struct summary *summary, enum likeness likeness, FILE *file)
{
    static const char *const titles[LIKENESS_COUNT] = {"outputs equal byte for byte", "inputs equal byte for byte",
                                                       "one shape in several places"};
    bool all = summary->cli->verbose;
    uint32_t count = summary->copies_count[likeness];
    if (count > 0)
        fprintf(file, "\n%s:\n", titles[likeness]);
    for (uint32_t i = 0; i < count && (all || i < MOST_SLOWEST); i++) {
        const struct copies *copies = &summary->copies[likeness][i];
        fprintf(file, "  %" PRIu32 ", once would save %s\n", copies->count, show_bytes(copies->spare).text);
        print_inputs(file, copies->inputs, copies->count, all);
    }
    if (count > MOST_SLOWEST && !all)
        fprintf(file, "  and %" PRIu32 " more (-v lists all)\n", count - MOST_SLOWEST);
}

static void print_text(const struct summary *summary, const struct records *records, FILE *file)
{
    bool all = summary->cli->verbose;
    fprintf(file, "inputs     %" PRIu32 "\n", summary->count + summary->missing_count);
    for (int i = 0; i < STATE_COUNT; i++)
        if (summary->states[i] > 0)
            fprintf(file, "  %-8s %" PRIu64 "%s\n", state_names[i], summary->states[i],
                    i == STATE_MACROS ? " (files of macros alone, for others to include)" : "");
    if (summary->missing_count > 0)
        fprintf(file, "  missing  %" PRIu32 "\n", summary->missing_count);
    fprintf(file, "bytes      %s in, %s out\n", show_bytes(summary->bytes_in).text,
            show_bytes(summary->bytes_out).text);
    fprintf(file, "triangles  %" PRIu64 " in, %" PRIu64 " out\n", summary->triangles_in, summary->triangles_out);
    if (summary->lossy > 0 || summary->warned > 0)
        fprintf(file, "messages   %" PRIu32 " file%s with losses, %" PRIu32 " with warnings\n", summary->lossy,
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
    for (size_t i = 0; i < records->isolations.count; i++)
        print_line(file, "isolation  ", records->isolations.items[i]);
    if (summary->others > 0)
        fprintf(file, "others     %" PRIu32 " records of inputs that the manifest does not have\n", summary->others);
    if (records->torn > 0)
        fprintf(file, "torn       %" PRIu32 " last lines without an end, left out\n", records->torn);
    print_passed_over(records->passed_over, records->passed_count, file);
    if (summary->slowest_count > 0)
        fputs("\nslowest:\n", file);
    for (uint32_t i = 0; i < summary->slowest_count; i++) {
        fprintf(file, "  %10s", show_seconds(summary->slowest[i]->ms).text);
        print_line(file, "  ", summary->slowest[i]->in);
    }
    for (int i = 0; i < LIKENESS_COUNT; i++)
        print_copies(summary, (enum likeness)i, file);
    for (uint32_t i = 0; i < summary->group_count; i++) {
        const struct group *group = &summary->groups[i];
        fprintf(file, "%s  %" PRIu32 " %s", i ? "" : "\nfailures:\n", group->count, state_names[group->first->state]);
        print_line(file, ": ", group->reason);
        print_inputs(file, group->inputs, group->count, all);
    }
    if (summary->missing_count > 0)
        fputs("\nmissing:\n", file);
    print_inputs(file, summary->missing, summary->missing_count, all);
}

/* ---- for programs ---- */

static void put_inputs(cp_json *json, const char *key, const char *const *inputs, uint32_t count)
{
    cp_json_open(json, key, '[');
    json->spaced = false;
    for (uint32_t i = 0; i < count; i++)
        cp_json_text(json, NULL, inputs[i]);
    json->spaced = true;
    cp_json_close(json, ']');
}

static void put_failures(cp_json *json, const struct summary *summary)
{
    cp_json_open(json, "failures", '[');
    for (uint32_t i = 0; i < summary->group_count; i++) {
        const struct group *group = &summary->groups[i];
        cp_json_line(json, 2);
        cp_json_open(json, NULL, '{');
        cp_json_text(json, "state", state_names[group->first->state]);
        cp_json_count(json, "count", group->count);
        cp_json_text(json, "code", group->first->code);
        cp_json_text(json, "message", group->first->message);
        put_inputs(json, "inputs", group->inputs, group->count);
        cp_json_close(json, '}');
    }
    cp_json_close(json, ']');
    put_inputs(json, "missing", summary->missing, summary->missing_count);
}

static void put_copies(cp_json *json, const struct summary *summary)
{
    static const char *const names[LIKENESS_COUNT] = {"copies", "same_inputs", "same_shapes"};
    cp_json_count(json, "spare_bytes", summary->spare[SAME_OUTPUT]);
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
    cp_json_number(json, "ms", summary->ms);
    cp_json_number(json, "cpu_ms", summary->cpu_ms);
    cp_json_count(json, "max_rss", summary->max_rss);
    cp_json_open(json, "slowest", '[');
    for (uint32_t i = 0; i < summary->slowest_count; i++) {
        cp_json_line(json, 2);
        cp_json_open(json, NULL, '{');
        cp_json_text(json, "in", summary->slowest[i]->in);
        cp_json_number(json, "ms", summary->slowest[i]->ms);
        cp_json_close(json, '}');
    }
    cp_json_close(json, ']');
    cp_json_close(json, '}');
}

static void print_json(const struct summary *summary, const struct records *records, struct buffer *out)
{
    cp_json json = {.out = out, .lines = 1, .spaced = true, .keeps_bytes = true};
    cp_json_open(&json, NULL, '{');
    cp_json_count(&json, "inputs", summary->count + summary->missing_count);
    cp_json_open(&json, "states", '{');
    for (int i = 0; i < STATE_COUNT; i++)
        cp_json_count(&json, state_names[i], summary->states[i]);
    cp_json_close(&json, '}');
    cp_json_count(&json, "bytes_in", summary->bytes_in);
    cp_json_count(&json, "bytes_out", summary->bytes_out);
    cp_json_count(&json, "triangles_in", summary->triangles_in);
    cp_json_count(&json, "triangles_out", summary->triangles_out);
    cp_json_count(&json, "files_with_losses", summary->lossy);
    cp_json_count(&json, "files_with_warnings", summary->warned);
    put_failures(&json, summary);
    cp_json_count(&json, "not_in_manifest", summary->others);
    cp_json_count(&json, "torn_lines", records->torn);
    cp_json_open(&json, "passed_over", '{');
    for (uint32_t i = 0; i < records->passed_count; i++)
        cp_json_count(&json, records->passed_over[i].what, records->passed_over[i].count);
    cp_json_close(&json, '}');
    cp_json_open(&json, "isolation", '[');
    for (size_t i = 0; i < records->isolations.count; i++)
        cp_json_text(&json, NULL, records->isolations.items[i]);
    cp_json_close(&json, ']');
    put_copies(&json, summary);
    put_times(&json, summary);
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

static void print_csv(const struct summary *summary, struct buffer *out)
{
    buffer_text(out, "in,out,state,code,message,ms,cpu_ms,max_rss,bytes_in,bytes_out,triangles_in,triangles_out,losses,"
                     "warnings,host,attempt\r\n");
    for (uint32_t i = 0; i < summary->count; i++) {
        const struct record *record = summary->items[i];
        add_cell(out, record->in);
        add_cell(out, record->out);
        buffer_print(out, "%s,", state_names[record->state]);
        add_cell(out, record->code);
        add_cell(out, record->message);
        buffer_double(out, record->ms);
        buffer_text(out, ",");
        buffer_double(out, record->cpu_ms);
        buffer_print(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%zu,%zu,", record->max_rss,
                     record->bytes_in, record->bytes_out, record->triangles_in, record->triangles_out,
                     record->losses.count, record->warnings.count);
        add_cell(out, record->host);
        buffer_print(out, "%" PRIu32 "\r\n", record->attempt);
    }
    for (uint32_t i = 0; i < summary->missing_count; i++) {
        add_cell(out, summary->missing[i]);
        buffer_text(out, ",missing,,,,,,,,,,,,,\r\n");
    }
}

cp_status print_report(struct cli *cli, const struct records *records, const struct entries *expected,
                       enum report_form form, FILE *file)
{
    struct summary summary = {.cli = cli};
    struct buffer text = {.context = cli->context};
    if (!summarise(&summary, records, expected))
        return CP_LIMIT;
    clear_progress(cli);
    if (form == REPORT_TEXT)
        print_text(&summary, records, file);
    else if (form == REPORT_JSON)
        print_json(&summary, records, &text);
    else
        print_csv(&summary, &text);
    (void)fwrite(text.data ? text.data : "", 1, text.size, file);
    bool failed = text.failed;
    buffer_free(&text);
    return failed ? CP_LIMIT : summary.failed_count > 0 || summary.missing_count > 0 ? CP_NO : CP_OK;
}

/* ---- the command ---- */

struct asked {
    struct request request; /* first: see cli.h */
    const char *manifest;
    bool json, csv, no_times;
};

static cp_status command_report(struct cli *cli)
{
    struct asked asked = {0};
    struct records records = {0};
    struct entries expected = {0};
    cp_status status = sort_words(cli, 1, cli->words.count, &report_command, &asked);
    if (status == CP_OK && asked.request.words.count == 0)
        status = complain(cli, CP_USAGE, "report needs status files or their folder: cellpipe report OUT");
    if (status == CP_OK && asked.json && asked.csv)
        status = complain(cli, CP_USAGE, "--json and --csv exclude each other");
    if (status == CP_OK && asked.manifest)
        status = manifest_read(cli, asked.manifest, &expected);
    if (status == CP_OK)
        status = records_read(cli, asked.request.words.items, asked.request.words.count, &records);
    if (status == CP_OK && records.count == 0 && records.passed_count == 0 && !asked.manifest)
        status = complain(cli, CP_INPUT, "%s has no records of a batch: name its output folder, or its status files",
                          asked.request.words.items[0]);
    if (asked.no_times)
        records_forget_times(&records);
    if (status == CP_OK)
        status = print_report(cli, &records, asked.manifest ? &expected : NULL,
                              asked.json  ? REPORT_JSON
                              : asked.csv ? REPORT_CSV
                                          : REPORT_TEXT,
                              stdout);
    records_free(&records);
    entries_free(&expected);
    return status;
}

static const cp_option options[] = {
    {"--manifest", "the inputs that there should be; those without a record are missing", CP_OPTION_PATH,
     .offset = offsetof(struct asked, manifest)},
    {"--json", "print one JSON object, for scripts", CP_OPTION_BOOLEAN, .offset = offsetof(struct asked, json)},
    {"--csv", "print a line of CSV for each input", CP_OPTION_BOOLEAN, .offset = offsetof(struct asked, csv)},
    {"--no-times", "leave out what differs from run to run: times, memory, hosts, attempts, isolation, torn lines",
     CP_OPTION_BOOLEAN, .offset = offsetof(struct asked, no_times)},
    {0}};

const struct command report_command = {
    .name = "report",
    .title = "tell what a batch has done",
    .usage = "STATUS... [--manifest FILE] [--json|--csv] [--no-times]",
    .help =
        "Reads the status files of cellpipe batch and prints how many inputs were converted, which failed and why, "
        "which took longest, and which are missing. STATUS is a status file, a folder of them, or the output folder "
        "of a batch. Records of several runs and hosts are merged: the last record of each input counts, but a "
        "failure does not replace the success of the same version. Ends with 1 if any input failed or is missing, and "
        "with 3 if there are no records.",
    .examples = "cellpipe report web\n"
                "cellpipe report --manifest parts.jsonl web --csv >parts.csv || echo \"not all\"",
    .options = options,
    .run = command_report};
