/* batch: converts many inputs into a folder. command_batch tells the story of a run. */
#include "batch.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the plan of a run ---- */

/* Checks the request as far as possible before a file is read. */
static cp_status check_request(struct batch_request *asked, struct batch_site *site)
{
    struct cli *cli = site->cli;
    if (!asked->list.out_dir)
        return complain(cli, CP_USAGE, "batch needs a folder for its outputs: cellpipe batch IN... --out-dir DIR");
    if (cli->report_path) {
        cli->report_path = NULL;
        return complain(cli, CP_USAGE, "batch writes status files rather than a --report; see: cellpipe help report");
    }
    if (!asked->request.to)
        asked->request.to = "glb";
    if (!exporter_named(asked->request.to))
        return complain_unknown(cli, "output format", asked->request.to, plugin_words(cli, CP_EXPORTER));
    asked->list.in = asked->request.words;
    if (!list_has(&asked->request.said, "--jobs")) {
        long processors = sysconf(_SC_NPROCESSORS_ONLN);
        asked->limits.jobs = processors < 1 ? 1 : processors < CP_MOST_THREADS ? processors : CP_MOST_THREADS;
    }
    if (gethostname(site->host, sizeof site->host - 1) != 0 || !*site->host)
        strcpy(site->host, "localhost");
    for (char *at = site->host; *at; at++) /* it becomes part of a file's name */
        *at = *at == '/' || *at <= ' ' ? '_' : *at;
    if (list_has(&asked->request.said, "--max-prune") && !asked->prune)
        return complain(cli, CP_USAGE, "--max-prune limits --prune, which is not given");
    return shard_parse(cli, asked->shard_text, &asked->shard);
}

/* Lists the inputs, sorted, each with the path of its output. */
static cp_status list_inputs(const struct batch_request *asked, const struct batch_site *site, struct batch_work *work)
{
    struct cli *cli = site->cli;
    char suffix[32];
    output_suffix(asked->request.to, suffix, sizeof suffix);
    cp_status status = asked->manifest ? manifest_read(cli, asked->manifest, &work->entries)
                                       : list_entries(cli, &asked->list, &work->entries);
    if (status == CP_OK && asked->whole_cells && !asked->manifest)
        status = manifest_scan(cli, &work->entries);
    if (status == CP_OK && asked->whole_cells)
        status = keep_whole_cells(cli, &work->entries);
    if (status == CP_OK)
        status = name_outputs(cli, &work->entries, asked->list.out_dir, suffix, asked->short_names);
    if (status == CP_OK && asked->shard.count > 0)
        status = select_shard(cli, &work->entries, asked->shard);
    return status;
}

/* Makes the plan. Options of formats and filters are checked once, and their part of the keys is computed. */
static cp_status make_plan(struct batch_request *asked, const struct batch_site *site, struct batch_work *work,
                           size_t bang)
{
    const struct entry *first = work->entries.items;
    if (work->entries.count == 0)
        return complain(site->cli, CP_USAGE, "there are no inputs");
    cp_status status = plan_conversion(site->cli, &asked->request, bang, first->in, NULL, first->out, &work->plan);
    return status == CP_OK ? hash_options(site, work) : status;
}

/* Decides for each entry, by the records of earlier runs. */
static cp_status decide_all(const struct batch_request *asked, struct batch_site *site, struct batch_work *work,
                            struct batch_removal *removal)
{
    site->arena = arena_new(site->cli->context);
    if (!site->arena)
        return CP_LIMIT;
    cp_status status = current_folder(site->cli, site->arena, &site->cwd);
    if (status != CP_OK)
        return status;
    site->status_folder = arena_print(site->arena, "%s/.cellpipe/status", asked->list.out_dir);
    work->tasks = memory_allocate_zeroed(site->cli->context, work->entries.count, sizeof *work->tasks);
    status = site->status_folder && work->tasks ? read_history(asked, site, work, removal) : CP_LIMIT;
    for (uint32_t i = 0; i < work->entries.count && status == CP_OK; i++)
        status = must_stop(NULL) ? CP_CANCELLED : decide(asked, site, work, i);
    return status;
}

/* ---- dry run ---- */

static void print_dry_run(const struct batch_request *asked, const struct batch_site *site,
                          const struct batch_work *work, const struct batch_removal *removal)
{
    static const char *const words[] = {[DEED_NONE] = "skip",   [DEED_REPEAT] = "skip",     [DEED_PASS] = "pass",
                                        [DEED_CHECK] = "check", [DEED_CONVERT] = "convert", [DEED_FAULT] = "refuse"};
    uint32_t counts[sizeof words / sizeof *words] = {0};
    for (uint32_t i = 0; i < work->entries.count; i++) {
        const struct entry *entry = &work->entries.items[i];
        const struct task *task = &work->tasks[i];
        printf("%-7s ", words[task->deed]);
        print_shown(stdout, entry->in);
        printf(" -> ");
        print_shown(stdout, entry->out ? entry->out : "");
        printf(" (");
        print_shown(stdout, task->why);
        printf(")\n");
        counts[task->deed]++;
    }
    for (uint32_t i = 0; i < removal->gone_count; i++) {
        printf("%-7s ", asked->prune && !removal->keeps ? "remove" : "leave");
        print_shown(stdout, removal->gone[i]->out);
        printf(" (");
        print_shown(stdout, removal->gone[i]->in);
        printf(" is gone)\n");
    }
    if (removal->keeps)
        say(site->cli, "nothing would be removed: %s\n", removal->keeps);
    print_passed_over(work->entries.passed_over, work->entries.passed_count, stdout);
    printf("%u to convert, %u to check, %u up to date, %u failed before, %u refused", counts[DEED_CONVERT],
           counts[DEED_CHECK], counts[DEED_NONE], counts[DEED_REPEAT], counts[DEED_FAULT]);
    if (counts[DEED_PASS] > 0)
        printf(", %u of macros alone", counts[DEED_PASS]);
    printf("\n");
}

/* ---- traces of runs that were killed ---- */

/* Sweeps the folder of the status files and those of outputs that this run writes, or of all outputs: a lost host's
 * temporaries are removed when they are a day old, and by then all may be up to date. */
static void sweep(const struct batch_site *site, const struct batch_work *work, bool all)
{
    struct name_map seen = {.context = site->cli->context};
    const char *last = "";
    (void)sweep_folder(site->cli, site->status_folder);
    for (uint32_t i = 0; i < work->entries.count; i++) {
        const char *out = work->entries.items[i].out, *slash = out ? strrchr(out, '/') : NULL;
        size_t size = slash ? (size_t)(slash - out) : 0;
        bool is_written = work->tasks[i].deed == DEED_CHECK || work->tasks[i].deed == DEED_CONVERT;
        if (!slash || !(is_written || all) || (strncmp(last, out, size) == 0 && !last[size]))
            continue;
        bool fresh = false;
        last = arena_copy_text(site->arena, out, size);
        if (!last || !name_map_add(&seen, last, 0, &fresh))
            break;
        if (fresh)
            (void)sweep_folder(site->cli, last);
    }
    name_map_free(&seen);
}

/* ---- what needs no worker ---- */

static cp_status record_others(const struct batch_site *site, const struct batch_work *work, struct journal *journal)
{
    cp_status result = CP_OK;
    for (uint32_t i = 0; i < work->entries.count && result == CP_OK; i++) {
        const struct entry *entry = &work->entries.items[i];
        const struct task *task = &work->tasks[i];
        struct record record = {.state = STATE_SKIPPED, .code = "", .message = "", .attempt = 1};
        if (task->deed == DEED_CHECK || task->deed == DEED_CONVERT)
            continue;
        if (task->deed == DEED_REPEAT || task->deed == DEED_PASS)
            record = *task->past;
        if (task->deed == DEED_NONE) /* the record with contents stays valid: it has the same key */
            record.key = task->past->key;
        if (task->deed == DEED_FAULT) {
            record.state = STATE_FAILED;
            record.code = "input";
            record.message = entry->fault;
        }
        if (task->deed == DEED_REPEAT || task->deed == DEED_FAULT)
            journal_complain(journal, entry->in, record.message, task->deed == DEED_REPEAT ? AS_BEFORE : "\n");
        record.in = entry->in;
        record.out = entry->out ? entry->out : "";
        record.cwd = site->cwd;
        record.host = site->host;
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
static const char *hint_at_format(const struct batch_request *asked, const struct batch_site *site,
                                  const struct records *table)
{
    const struct list *options = &asked->request.in;
    cp_option_info option;
    bool refused = false;
    for (uint32_t i = 0; i < table->count && !refused; i++)
        refused = strcmp(table->items[i]->code, "option-unknown") == 0;
    for (size_t i = 0; i < options->count && refused; i++)
        for (size_t k = 0; k < plugin_count(CP_IMPORTER); k++)
            if (plugin_has(CP_IMPORTER, k, options->items[i], &option)) {
                const char *name = plugin_at(CP_IMPORTER, k).name, *setting = options->items[i];
                return cli_print(site->cli, "; --in %s is for every input, --in %s.%s for those of %s alone", setting,
                                 name, setting, name);
            }
    return NULL;
}

static cp_status tell_outcome(const struct batch_request *asked, const struct batch_site *site,
                              const struct batch_work *work, const struct batch_links *links,
                              const struct journal *journal)
{
    struct records table = {.from = journal->start};
    uint32_t failed = 0, lost = 0;
    const char *hint = NULL;
    cp_status result = CP_OK;
    for (int i = STATE_FAILED; i < STATE_COUNT; i++)
        failed += journal->states[i];
    if (journal->is_regular && !is_regular(journal->path))
        return complain(site->cli, CP_OUTPUT, "%s was removed meanwhile, and outputs perhaps, too: run it again",
                        journal->path);
    if (journal->is_regular && (!site->cli->quiet || journal->states[STATE_OK] > 0)) {
        result = records_read(site->cli, (const char *const[]){journal->path}, 1, &table);
        if (result == CP_OK && asked->link_duplicates)
            printf("links      %u outputs are links of equal ones, %u of them new; saves %s\n", links->count,
                   links->fresh, show_bytes(links->saved).text);
        if (result == CP_OK)
            lost = count_lost(&table), hint = hint_at_format(asked, site, &table);
        if (result == CP_OK && !site->cli->quiet)
            result = print_report(site->cli, &table, &work->entries, REPORT_TEXT, stdout);
        records_free(&table);
    }
    if (result != CP_OK && result != CP_NO)
        return result;
    if (lost > 0)
        return complain(site->cli, CP_OUTPUT, "%u outputs were removed meanwhile: run it again", lost);
    return failed > 0
               ? complain(site->cli, CP_NO, "%u of %u inputs failed%s", failed, work->entries.count, hint ? hint : "")
               : result;
}

/* One run of the command. Each step takes the parts that it reads and fills. */
struct batch {
    struct batch_request asked;
    struct batch_site site;
    struct batch_work work;
    struct batch_removal removal;
    struct batch_links links;
};

static cp_status run(struct batch *batch, size_t bang)
{
    struct journal journal = {.file = -1};
    cp_status result = check_request(&batch->asked, &batch->site), pruned = CP_OK;
    if (result == CP_OK)
        result = list_inputs(&batch->asked, &batch->site, &batch->work);
    if (result == CP_OK)
        result = make_plan(&batch->asked, &batch->site, &batch->work, bang);
    if (result == CP_OK)
        result = decide_all(&batch->asked, &batch->site, &batch->work, &batch->removal);
    if (result == CP_OK && batch->asked.dry_run) {
        print_dry_run(&batch->asked, &batch->site, &batch->work, &batch->removal);
        return CP_OK;
    }
    if (result == CP_OK)
        result = journal_open(&batch->asked, &batch->site, &batch->work, &journal);
    if (result == CP_OK) {
        sweep(&batch->site, &batch->work, batch->asked.shard.count == 0 || batch->asked.link_duplicates);
        result = record_others(&batch->site, &batch->work, &journal);
        if (result == CP_OK)
            result = supervise(&batch->asked, &batch->site, &batch->work, &journal);
        sweep(&batch->site, &batch->work, false); /* of workers that were killed */
        if (result == CP_OK && *journal.isolation)
            result = journal_note(&journal);
        if (result == CP_OK && journal.has_further)
            result = record_clashes(&batch->asked, &batch->site, &batch->work, &journal);
        if (result == CP_OK && batch->asked.link_duplicates)
            result = link_outputs(&batch->asked, &batch->site, &batch->work, &batch->links);
        if (result == CP_OK)
            pruned = prune(&batch->asked, &batch->site, &batch->removal);
    }
    journal_close(&journal);
    if (result == CP_OK)
        result = tell_outcome(&batch->asked, &batch->site, &batch->work, &batch->links, &journal);
    return result == CP_OK ? pruned : result;
}

static cp_status command_batch(struct cli *cli)
{
    struct batch batch = {.site.cli = cli};
    size_t bang = find_bang(cli, 1);
    cp_status result = sort_words(cli, 1, bang, &batch_command, &batch.asked);
    if (result == CP_OK)
        result = run(&batch, bang);
    memory_free(cli->context, batch.work.tasks, batch.work.entries.count, sizeof *batch.work.tasks);
    records_free(&batch.work.history);
    arena_free(batch.site.arena);
    entries_free(&batch.work.entries);
    return result;
}

static const cp_option batch_options[] = {
    {"--out-dir", "required: the folder of the outputs", CP_OPTION_PATH, offsetof(struct batch_request, list.out_dir),
     .value = "DIR"},
    LIST_OPTIONS(struct batch_request, list),
    {"--short-names",
     "part.glb rather than part.stl.glb; two inputs of one name are refused before anything is written",
     CP_OPTION_BOOLEAN, .offset = offsetof(struct batch_request, short_names)},
    {"--whole-cells", "convert no file by itself that another input names, such as the models of a cell",
     CP_OPTION_BOOLEAN, .offset = offsetof(struct batch_request, whole_cells)},
    {"--jobs", "convert N files at a time, by default one for each processor", CP_OPTION_INTEGER,
     offsetof(struct batch_request, limits.jobs), .minimum = 1, .maximum = CP_MOST_THREADS},
    {"--timeout", "give up a file after so much time", CP_OPTION_TIME, offsetof(struct batch_request, limits.timeout),
     "120", .minimum = 0.001, .maximum = 1e6},
    {"--memory", "give up a file that needs more memory", CP_OPTION_SIZE, offsetof(struct batch_request, limits.memory),
     "2GiB", .minimum = 1, .maximum = INFINITY},
    {"--max-output", "give up a file whose output is larger", CP_OPTION_SIZE,
     offsetof(struct batch_request, limits.most_output), "4GiB", .minimum = 1, .maximum = INFINITY},
    {"--force", "convert what is up to date, too", CP_OPTION_BOOLEAN, .offset = offsetof(struct batch_request, force)},
    {"--verify", "compare contents of inputs and outputs, not sizes and times alone", CP_OPTION_BOOLEAN,
     .offset = offsetof(struct batch_request, verify)},
    {"--retry", "try again what failed before", CP_OPTION_BOOLEAN, .offset = offsetof(struct batch_request, retry)},
    {"--prune", "remove outputs whose input is gone, if they are as they were written", CP_OPTION_BOOLEAN,
     .offset = offsetof(struct batch_request, prune)},
    {"--max-prune", "the share of outputs that --prune may remove", CP_OPTION_RATIO,
     offsetof(struct batch_request, most_pruned), "50%", .maximum = 1},
    {"--link-duplicates", "make outputs that are equal byte for byte hard links of one file", CP_OPTION_BOOLEAN,
     .offset = offsetof(struct batch_request, link_duplicates)},
    {"--dry-run", "print what would be done, and why", CP_OPTION_BOOLEAN,
     .offset = offsetof(struct batch_request, dry_run)},
    {"--status", "append a line for each input to FILE, by default to one in DIR/.cellpipe/status", CP_OPTION_PATH,
     .offset = offsetof(struct batch_request, status_path)},
    {"--progress", "json: a line of JSON each second; none: nothing until the end", CP_OPTION_CHOICE,
     offsetof(struct batch_request, progress), "auto", .choices = "auto|json|none", .value = "MODE"},
    {"--manifest", "take the inputs from FILE, as cellpipe manifest prints it", CP_OPTION_PATH,
     .offset = offsetof(struct batch_request, manifest)},
    {"--shard", "convert a part of the inputs: I from 0 to N - 1", CP_OPTION_STRING,
     offsetof(struct batch_request, shard_text), .value = "I/N"},
    {"--balance", "size: shards of equal bytes; hash: by path, so that new files move no others", CP_OPTION_CHOICE,
     offsetof(struct batch_request, shard.balance), "size", .choices = "size|hash", .value = "MODE"},
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
