/* batch: converts many inputs into a folder. command_batch tells the story of a run. */
#include "batch.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the plan of a run ---- */

/* Checks the request as far as possible before a file is read. */
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
        batch->jobs = processors < 1 ? 1 : processors < CP_MOST_THREADS ? processors : CP_MOST_THREADS;
    }
    if (gethostname(batch->host, sizeof batch->host - 1) != 0 || !*batch->host)
        strcpy(batch->host, "localhost");
    for (char *at = batch->host; *at; at++) /* it becomes part of a file's name */
        *at = *at == '/' || *at <= ' ' ? '_' : *at;
    if (list_has(&batch->request.said, "--max-prune") && !batch->prune)
        return complain(cli, CP_USAGE, "--max-prune limits --prune, which is not given");
    return shard_parse(cli, batch->shard_text, &batch->shard);
}

/* Lists the inputs, sorted, each with the path of its output. */
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

/* Makes the plan. Options of formats and filters are checked once, and their part of the keys is computed. */
static cp_status make_plan(struct batch *batch, size_t bang)
{
    const struct entry *first = batch->entries.items;
    if (batch->entries.count == 0)
        return complain(batch->cli, CP_USAGE, "there are no inputs");
    cp_status status = plan_conversion(batch->cli, &batch->request, bang, first->in, first->out, &batch->plan);
    return status == CP_OK ? hash_options(batch) : status;
}

/* Decides for each entry, by the records of earlier runs. */
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

/* Sweeps the folder of the status files and those of outputs that this run writes, or of all outputs: a lost host's
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
        if (task->deed == DEED_NONE) /* the record with contents stays valid: it has the same key */
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

/* Counts outputs of this run that are missing: somebody has removed them, or a whole folder. */
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

/* Returns how to give an --in K=V for one format alone, if it is no option of some input's format; else NULL. */
static const char *hint_at_format(const struct batch *batch, const struct records *table)
{
    const struct list *options = &batch->request.in;
    cp_option_info option;
    bool refused = false;
    for (uint32_t i = 0; i < table->count && !refused; i++)
        refused = strcmp(table->items[i]->code, "option-unknown") == 0;
    for (size_t i = 0; i < options->count && refused; i++)
        for (size_t k = 0; k < plugin_count(CP_IMPORTER); k++)
            if (plugin_has(CP_IMPORTER, k, options->items[i], &option)) {
                const char *name = plugin_at(CP_IMPORTER, k).name, *setting = options->items[i];
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
    struct batch batch = {0};
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

static const cp_option batch_options[] = {
    {"--out-dir", "required: the folder of the outputs", CP_OPTION_PATH, offsetof(struct batch, list.out_dir),
     .value = "DIR"},
    LIST_OPTIONS(struct batch, list),
    {"--short-names",
     "part.glb rather than part.stl.glb; two inputs of one name are refused before anything is written",
     CP_OPTION_BOOLEAN, .offset = offsetof(struct batch, short_names)},
    {"--whole-cells", "convert no file by itself that another input names, such as the models of a cell",
     CP_OPTION_BOOLEAN, .offset = offsetof(struct batch, whole_cells)},
    {"--jobs", "convert N files at a time, by default one for each processor", CP_OPTION_INTEGER,
     offsetof(struct batch, jobs), .minimum = 1, .maximum = CP_MOST_THREADS},
    {"--timeout", "give up a file after so much time", CP_OPTION_TIME, offsetof(struct batch, timeout), "120",
     .minimum = 0.001, .maximum = 1e6},
    {"--memory", "give up a file that needs more memory", CP_OPTION_SIZE, offsetof(struct batch, memory), "2GiB",
     .minimum = 1, .maximum = INFINITY},
    {"--max-output", "give up a file whose output is larger", CP_OPTION_SIZE, offsetof(struct batch, most_output),
     "4GiB", .minimum = 1, .maximum = INFINITY},
    {"--force", "convert what is up to date, too", CP_OPTION_BOOLEAN, .offset = offsetof(struct batch, force)},
    {"--verify", "compare contents of inputs and outputs, not sizes and times alone", CP_OPTION_BOOLEAN,
     .offset = offsetof(struct batch, verify)},
    {"--retry", "try again what failed before", CP_OPTION_BOOLEAN, .offset = offsetof(struct batch, retry)},
    {"--prune", "remove outputs whose input is gone, if they are as they were written", CP_OPTION_BOOLEAN,
     .offset = offsetof(struct batch, prune)},
    {"--max-prune", "the share of outputs that --prune may remove", CP_OPTION_RATIO,
     offsetof(struct batch, most_pruned), "50%", .maximum = 1},
    {"--link-duplicates", "make outputs that are equal byte for byte hard links of one file", CP_OPTION_BOOLEAN,
     .offset = offsetof(struct batch, link_duplicates)},
    {"--dry-run", "print what would be done, and why", CP_OPTION_BOOLEAN, .offset = offsetof(struct batch, dry_run)},
    {"--status", "append a line for each input to FILE, by default to one in DIR/.cellpipe/status", CP_OPTION_PATH,
     .offset = offsetof(struct batch, status_path)},
    {"--progress", "json: a line of JSON each second; none: nothing until the end", CP_OPTION_CHOICE,
     offsetof(struct batch, progress), "auto", .choices = "auto|json|none", .value = "MODE"},
    {"--manifest", "take the inputs from FILE, as cellpipe manifest prints it", CP_OPTION_PATH,
     .offset = offsetof(struct batch, manifest)},
    {"--shard", "convert a part of the inputs: I from 0 to N - 1", CP_OPTION_STRING, offsetof(struct batch, shard_text),
     .value = "I/N"},
    {"--balance", "size: shards of equal bytes; hash: by path, so that new files move no others", CP_OPTION_CHOICE,
     offsetof(struct batch, shard.balance), "size", .choices = "size|hash", .value = "MODE"},
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
