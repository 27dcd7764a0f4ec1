/* batch: many inputs into a folder. The story of a run is command_batch. */
#include "batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the plan of a run ---- */

/* "2GiB", "500MB", "1000". */
static cp_status parse_size(struct cli *cli, const char *option, const char *text, uint64_t *size)
{
    static const struct {
        const char *unit;
        double bytes;
    } units[] = {{"", 1},     {"B", 1},       {"kB", 1e3},      {"MB", 1e6},
                 {"GB", 1e9}, {"KiB", 1024},  {"MiB", 1048576}, {"GiB", 1073741824},
                 {"K", 1024}, {"M", 1048576}, {"G", 1073741824}};
    char number[32];
    double value;
    size_t digits = strspn(text, "0123456789.");
    (void)snprintf(number, sizeof number, "%.*s", (int)(digits < sizeof number ? digits : 0), text);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(text + digits, units[i].unit) == 0 && cp_parse_double(number, &value) && value > 0 &&
            value * units[i].bytes < 9e18) {
            *size = (uint64_t)(value * units[i].bytes);
            return CP_OK;
        }
    return complain(cli, CP_USAGE, "%s %s: needs a size, such as 500MB or 2GiB", option, text);
}

static cp_status take_memory(struct cli *cli, void *settings, const char *value)
{
    return parse_size(cli, "--memory", value, &((struct batch *)settings)->memory);
}

static cp_status take_most_output(struct cli *cli, void *settings, const char *value)
{
    return parse_size(cli, "--max-output", value, &((struct batch *)settings)->most_output);
}

static cp_status take_most_pruned(struct cli *cli, void *settings, const char *value)
{
    double *percent = &((struct batch *)settings)->most_pruned;
    size_t size = strlen(value);
    char number[32];
    bool fits = size > 1 && size < sizeof number && value[size - 1] == '%';
    (void)snprintf(number, sizeof number, "%.*s", (int)(fits ? size - 1 : 0), value);
    return fits && cp_parse_double(number, percent) && *percent > 0 && *percent <= 100
               ? CP_OK
               : complain(cli, CP_USAGE, "--max-prune %s: needs a percentage above 0%% and up to 100%%", value);
}

static cp_status take_progress(struct cli *cli, void *settings, const char *value)
{
    (void)settings;
    bool known = strcmp(value, "json") == 0 || strcmp(value, "none") == 0;
    return known ? CP_OK : complain(cli, CP_USAGE, "--progress %s: needs json or none", value);
}

/* What can be checked before a file is looked at. */
static cp_status check_request(struct batch *batch)
{
    struct cli *cli = batch->cli;
    if (!batch->list.out_dir)
        return complain(cli, CP_USAGE, "batch needs a folder for its outputs: cellpipe batch IN... --out-dir DIR");
    if (cli->report_path) {
        cli->report_path = NULL;
        return complain(cli, CP_USAGE, "batch writes status files rather than a --report; see: cellpipe help report");
    }
    if (!batch->request.to)
        batch->request.to = "glb";
    if (!exporter_named(batch->request.to))
        return complain_unknown(cli, "output format", batch->request.to, plugin_words(cli, CP_EXPORTER));
    batch->list.in = batch->request.words;
    if (!list_has(&batch->request.said, "--jobs")) {
        long processors = sysconf(_SC_NPROCESSORS_ONLN);
        batch->jobs = processors < 1 ? 1 : processors < CP_MOST_THREADS ? (uint32_t)processors : CP_MOST_THREADS;
    }
    if (gethostname(batch->host, sizeof batch->host - 1) != 0 || !*batch->host)
        strcpy(batch->host, "localhost");
    for (char *at = batch->host; *at; at++) /* it becomes part of a file's name */
        *at = *at == '/' || *at <= ' ' ? '_' : *at;
    if (batch->most_pruned > 0 && !batch->prune)
        return complain(cli, CP_USAGE, "--max-prune limits --prune, which is not given");
    batch->most_pruned = batch->most_pruned > 0 ? batch->most_pruned : 50;
    return shard_parse(cli, batch->shard_text, batch->balance, &batch->shard);
}

/* The sorted list of inputs, each with the path of its output. */
static cp_status list_inputs(struct batch *batch)
{
    struct cli *cli = batch->cli;
    char suffix[32];
    output_suffix(batch->request.to, suffix, sizeof suffix);
    cp_status status = batch->manifest ? manifest_read(cli, batch->manifest, &batch->entries)
                                       : list_entries(cli, &batch->list, &batch->entries);
    if (status == CP_OK && batch->whole_cells && !batch->manifest)
        status = manifest_scan(cli, &batch->entries);
    if (status == CP_OK && batch->whole_cells)
        status = keep_whole_cells(cli, &batch->entries);
    if (status == CP_OK)
        status = name_outputs(cli, &batch->entries, batch->list.out_dir, suffix, batch->short_names);
    if (status == CP_OK && batch->shard.count > 0)
        status = select_shard(cli, &batch->entries, batch->shard);
    return status;
}

/* Options of formats and filters are checked once, and what follows from them for keys is computed. */
static cp_status make_plan(struct batch *batch, size_t bang)
{
    const struct entry *first = batch->entries.items;
    if (batch->entries.count == 0)
        return complain(batch->cli, CP_USAGE, "there are no inputs");
    cp_status status = plan_conversion(batch->cli, &batch->request, bang, first->in, first->out, &batch->plan);
    return status == CP_OK ? hash_options(batch) : status;
}

/* What earlier runs left decides what is done for each entry. */
static cp_status decide_all(struct batch *batch)
{
    batch->arena = arena_new(batch->cli->context);
    if (!batch->arena)
        return CP_LIMIT;
    cp_status status = current_folder(batch->cli, batch->arena, &batch->cwd);
    if (status != CP_OK)
        return status;
    batch->status_folder = arena_print(batch->arena, "%s/.cellpipe/status", batch->list.out_dir);
    batch->tasks = memory_allocate_zeroed(batch->cli->context, batch->entries.count, sizeof *batch->tasks);
    status = batch->status_folder && batch->tasks ? read_history(batch) : CP_LIMIT;
    for (uint32_t i = 0; i < batch->entries.count && status == CP_OK; i++)
        status = must_stop(NULL) ? CP_CANCELLED : decide(batch, i);
    return status;
}

/* ---- dry run ---- */

static void print_dry_run(const struct batch *batch)
{
    static const char *const words[] = {[DEED_NONE] = "skip",
                                        [DEED_REPEAT] = "skip",
                                        [DEED_CHECK] = "check",
                                        [DEED_CONVERT] = "convert",
                                        [DEED_FAULT] = "refuse"};
    uint32_t counts[sizeof words / sizeof *words] = {0};
    for (uint32_t i = 0; i < batch->entries.count; i++) {
        const struct entry *entry = &batch->entries.items[i];
        const struct task *task = &batch->tasks[i];
        printf("%-7s ", words[task->deed]);
        print_shown(stdout, entry->in);
        printf(" -> ");
        print_shown(stdout, entry->out ? entry->out : "");
        printf(" (");
        print_shown(stdout, task->why);
        printf(")\n");
        counts[task->deed]++;
    }
    for (uint32_t i = 0; i < batch->gone_count; i++) {
        printf("%-7s ", batch->prune && !batch->keeps ? "remove" : "leave");
        print_shown(stdout, batch->gone[i]->out);
        printf(" (");
        print_shown(stdout, batch->gone[i]->in);
        printf(" is gone)\n");
    }
    if (batch->keeps)
        say(batch->cli, "nothing would be removed: %s\n", batch->keeps);
    print_passed_over(batch->entries.passed_over, batch->entries.passed_count, stdout);
    printf("%u to convert, %u to check, %u up to date, %u failed before, %u refused\n", counts[DEED_CONVERT],
           counts[DEED_CHECK], counts[DEED_NONE], counts[DEED_REPEAT], counts[DEED_FAULT]);
}

/* ---- traces of runs that were killed ---- */

/* In the folder of the status files and those of outputs that this run writes, or of all outputs: a lost host's
 * temporaries are removed when they are a day old, and by then all may be up to date. */
static void sweep(struct batch *batch, bool all)
{
    struct name_map seen = {.context = batch->cli->context};
    const char *last = "";
    (void)sweep_folder(batch->cli, batch->status_folder);
    for (uint32_t i = 0; i < batch->entries.count; i++) {
        const char *out = batch->entries.items[i].out, *slash = out ? strrchr(out, '/') : NULL;
        size_t size = slash ? (size_t)(slash - out) : 0;
        bool is_written = batch->tasks[i].deed == DEED_CHECK || batch->tasks[i].deed == DEED_CONVERT;
        if (!slash || !(is_written || all) || (strncmp(last, out, size) == 0 && !last[size]))
            continue;
        bool fresh = false;
        last = arena_copy_text(batch->arena, out, size);
        if (!last || !name_map_add(&seen, last, 0, &fresh))
            break;
        if (fresh)
            (void)sweep_folder(batch->cli, last);
    }
    name_map_free(&seen);
}

/* ---- what needs no worker ---- */

static cp_status record_others(struct batch *batch, struct journal *journal)
{
    cp_status result = CP_OK;
    for (uint32_t i = 0; i < batch->entries.count && result == CP_OK; i++) {
        const struct entry *entry = &batch->entries.items[i];
        const struct task *task = &batch->tasks[i];
        struct record record = {.state = STATE_SKIPPED, .code = "", .message = "", .attempt = 1};
        if (task->deed == DEED_CHECK || task->deed == DEED_CONVERT)
            continue;
        if (task->deed == DEED_REPEAT)
            record = *task->past;
        if (task->deed == DEED_NONE) /* the record with contents holds on: it has the same key */
            record.key = task->past->key;
        if (task->deed == DEED_FAULT) {
            record.state = STATE_FAILED;
            record.code = "input";
            record.message = entry->fault;
        }
        if (task->deed != DEED_NONE)
            journal_complain(journal, entry->in, record.message, task->deed == DEED_REPEAT ? AS_BEFORE : "\n");
        record.in = entry->in;
        record.out = entry->out ? entry->out : "";
        record.cwd = batch->cwd;
        record.host = batch->host;
        record.time = time_of_record();
        result = journal_record(journal, &record);
    }
    return result;
}

/* ---- the story ---- */

/* How many outputs that this run has written are not there any more: somebody has removed them, or a whole folder. */
static uint32_t count_lost(const struct records *table)
{
    uint32_t lost = 0;
    bool touched = false; /* perhaps by a link */
    for (uint32_t i = 0; i < table->count; i++) {
        const struct record *record = table->items[i];
        lost += record->state == STATE_OK && !has_outputs(record, &touched);
    }
    return lost;
}

/* If an --in K=V is no option of some input's format, returns how to say it for one format alone; else NULL. */
static const char *hint_at_format(const struct batch *batch, const struct records *table)
{
    const struct list *options = &batch->request.in;
    cp_option_info option;
    bool refused = false;
    for (uint32_t i = 0; i < table->count && !refused; i++)
        refused = strcmp(table->items[i]->code, "option-unknown") == 0;
    for (size_t i = 0; i < options->count && refused; i++)
        for (size_t k = 0; k < cp_plugin_count(CP_IMPORTER); k++)
            if (plugin_has(CP_IMPORTER, k, options->items[i], &option)) {
                const char *name = cp_plugin_at(CP_IMPORTER, k).name, *setting = options->items[i];
                return cli_print(batch->cli, "; --in %s is for every input, --in %s.%s for those of %s alone", setting,
                                 name, setting, name);
            }
    return NULL;
}

static cp_status tell_outcome(struct batch *batch, const struct journal *journal)
{
    struct records table = {.from = journal->start};
    uint32_t failed = 0, lost = 0;
    const char *hint = NULL;
    cp_status result = CP_OK;
    for (int i = STATE_FAILED; i < STATE_COUNT; i++)
        failed += journal->states[i];
    if (journal->is_regular && !is_regular(journal->path))
        return complain(batch->cli, CP_OUTPUT, "%s was removed meanwhile, and outputs perhaps, too: run it again",
                        journal->path);
    if (journal->is_regular && (!batch->cli->quiet || journal->states[STATE_OK] > 0)) {
        result = records_read(batch->cli, (const char *const[]){journal->path}, 1, &table);
        if (result == CP_OK && batch->link_duplicates)
            printf("links      %u outputs are links of equal ones, %u of them new; saves %s\n", batch->links.count,
                   batch->links.fresh, show_bytes(batch->links.saved).text);
        if (result == CP_OK)
            lost = count_lost(&table), hint = hint_at_format(batch, &table);
        if (result == CP_OK && !batch->cli->quiet)
            result = print_report(batch->cli, &table, &batch->entries, REPORT_TEXT, stdout);
        records_free(&table);
    }
    if (result != CP_OK && result != CP_NO)
        return result;
    if (lost > 0)
        return complain(batch->cli, CP_OUTPUT, "%u outputs were removed meanwhile: run it again", lost);
    return failed > 0
               ? complain(batch->cli, CP_NO, "%u of %u inputs failed%s", failed, batch->entries.count, hint ? hint : "")
               : result;
}

static cp_status run(struct batch *batch, size_t bang)
{
    struct journal journal = {.file = -1};
    cp_status result = check_request(batch), pruned = CP_OK;
    if (result == CP_OK)
        result = list_inputs(batch);
    if (result == CP_OK)
        result = make_plan(batch, bang);
    if (result == CP_OK)
        result = decide_all(batch);
    if (result == CP_OK && batch->dry_run) {
        print_dry_run(batch);
        return CP_OK;
    }
    if (result == CP_OK)
        result = journal_open(batch, &journal);
    if (result == CP_OK) {
        sweep(batch, batch->shard.count == 0 || batch->link_duplicates);
        result = record_others(batch, &journal);
        if (result == CP_OK)
            result = supervise(batch, &journal);
        sweep(batch, false); /* of workers that were killed */
        if (result == CP_OK && *journal.isolation)
            result = journal_note(&journal);
        if (result == CP_OK && journal.has_further)
            result = record_clashes(batch, &journal);
        if (result == CP_OK && batch->link_duplicates)
            result = link_outputs(batch);
        if (result == CP_OK)
            pruned = prune(batch);
    }
    journal_close(&journal);
    if (result == CP_OK)
        result = tell_outcome(batch, &journal);
    return result == CP_OK ? pruned : result;
}

static cp_status command_batch(struct cli *cli)
{
    struct batch batch = {.memory = 2 * UINT64_C(1073741824), .most_output = 4 * UINT64_C(1073741824)};
    size_t bang = find_bang(cli, 1);
    cp_status result = sort_words(cli, 1, bang, &batch_command, &batch);
    batch.cli = cli;
    if (result == CP_OK)
        result = run(&batch, bang);
    memory_free(cli->context, batch.tasks, batch.entries.count, sizeof *batch.tasks);
    records_free(&batch.history);
    arena_free(batch.arena);
    entries_free(&batch.entries);
    return result;
}

static const struct option batch_options[] = {
    {"--out-dir", "DIR", OPTION_TEXT, offsetof(struct batch, list.out_dir),
     .help = "required: the folder of the outputs"},
    LIST_OPTIONS(struct batch, list),
    {"--short-names", NULL, OPTION_SWITCH, offsetof(struct batch, short_names),
     .help = "part.glb rather than part.stl.glb; two inputs of one name are refused before anything is written"},
    {"--whole-cells", NULL, OPTION_SWITCH, offsetof(struct batch, whole_cells),
     .help = "convert no file by itself that another input names, such as the models of a cell"},
    {"--jobs", "N", OPTION_INTEGER, offsetof(struct batch, jobs), .minimum = 1, .maximum = CP_MOST_THREADS,
     .help = "convert N files at a time, by default one for each processor"},
    {"--timeout", "SECONDS", OPTION_SECONDS, offsetof(struct batch, timeout), .initial = "120", .minimum = 0.001,
     .maximum = 1e6, .help = "give up a file after so much time"},
    {"--memory", "SIZE", OPTION_CALL, 0, .take = take_memory,
     .help = "give up a file that needs more memory, by default 2GiB"},
    {"--max-output", "SIZE", OPTION_CALL, 0, .take = take_most_output,
     .help = "give up a file whose output is larger, by default 4GiB"},
    {"--force", NULL, OPTION_SWITCH, offsetof(struct batch, force), .help = "convert what is up to date, too"},
    {"--verify", NULL, OPTION_SWITCH, offsetof(struct batch, verify),
     .help = "compare contents of inputs and outputs, not sizes and times alone"},
    {"--retry", NULL, OPTION_SWITCH, offsetof(struct batch, retry), .help = "try again what failed before"},
    {"--prune", NULL, OPTION_SWITCH, offsetof(struct batch, prune),
     .help = "remove outputs whose input is gone, if they are as they were written"},
    {"--max-prune", "N%", OPTION_CALL, 0, .take = take_most_pruned,
     .help = "the share of outputs that --prune may remove, by default 50%"},
    {"--link-duplicates", NULL, OPTION_SWITCH, offsetof(struct batch, link_duplicates),
     .help = "make outputs that are equal byte for byte hard links of one file"},
    {"--dry-run", NULL, OPTION_SWITCH, offsetof(struct batch, dry_run), .help = "print what would be done, and why"},
    {"--status", "FILE", OPTION_TEXT, offsetof(struct batch, status_path),
     .help = "append a line for each input to FILE, by default to one in DIR/.cellpipe/status"},
    {"--progress", "MODE", OPTION_TEXT, offsetof(struct batch, progress), .take = take_progress,
     .help = "json: a line of JSON each second; none: nothing until the end"},
    {"--manifest", "FILE", OPTION_TEXT, offsetof(struct batch, manifest),
     .help = "take the inputs from FILE, as cellpipe manifest prints it"},
    {"--shard", "I/N", OPTION_TEXT, offsetof(struct batch, shard_text),
     .help = "convert a part of the inputs: I from 0 to N - 1"},
    {"--balance", "MODE", OPTION_TEXT, offsetof(struct batch, balance),
     .help = "size (default): shards of equal bytes; hash: by path, so that new files move no others"},
    {0}};

const struct command batch_command = {
    .name = "batch",
    .title = "convert a library of files into a folder",
    .usage = "IN... --out-dir DIR [! FILTER [K=V]...]...",
    .help =
        "IN is a file, a folder, or @LIST: a file with a path a line (@- is standard input; @0LIST has NUL between). "
        "parts/a.stl becomes DIR/a.stl.glb. Run it again after a change, a crash or a kill: it goes on where it was, "
        "and converts only what is not up to date. A file that fails costs no other; the exit code is then 1.",
    .examples = "cellpipe batch parts --out-dir web --in stl.unit=mm\n"
                "cellpipe batch parts --out-dir web --only '*.stl' --dry-run ! weld ! simplify ratio=0.1",
    .options = batch_options,
    .reads = true,
    .writes = true,
    .run = command_batch};
