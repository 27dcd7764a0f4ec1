/* batch: converts many inputs into a folder. command_batch tells the story of a run. */
#include "batch.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the plan of a run ---- */

void set_jobs(struct batch_request *asked)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (!list_has(&asked->request.said, "--jobs"))
        asked->limits.jobs = processors < 1 ? 1 : processors < CP_MOST_THREADS ? processors : CP_MOST_THREADS;
}

/* Checks the request as far as possible before a file is read. */
static cp_status check_request(struct batch_request *asked, struct batch_site *site)
{
    struct cli *cli = site->cli;
    if (!asked->list.out_dir)
        return complain(cli, CP_USAGE, "batch needs a folder for its outputs: cellpipe batch IN... --out-dir DIR");
    if (cli->report_path) {
        cli->report_path = NULL;
        return complain(cli, CP_USAGE, "batch keeps records rather than a --report; see: cellpipe help report");
    }
    if (!asked->request.to)
        asked->request.to = "glb";
    if (!exporter_named(asked->request.to))
        return complain_unknown(cli, "output format", asked->request.to, plugin_words(cli, CP_EXPORTER));
    asked->list.in = asked->request.words;
    set_jobs(asked);
    if (list_has(&asked->request.said, "--max-prune") && !asked->prune)
        return complain(cli, CP_USAGE, "--max-prune limits --prune, which is not given");
    if (asked->gallery && asked->shard_text)
        return complain(cli, CP_USAGE, "--gallery is of all outputs: after the shards, say cellpipe gallery DIR");
    cp_status status = shard_parse(cli, asked->shard_text, &asked->shard);
    if (status == CP_OK && asked->shard.count > 0) {
        site->shard = cli_print(cli, "%lu/%lu", (unsigned long)asked->shard.index, (unsigned long)asked->shard.count);
        status = site->shard ? CP_OK : CP_LIMIT;
    }
    return status;
}

cp_status find_site(const char *out_dir, struct batch_site *site)
{
    site->arena = arena_new(site->cli->context);
    if (!site->arena || !find_whereabouts(site->arena, &site->here))
        return CP_LIMIT;
    cp_status status = current_folder(site->cli, site->arena, &site->cwd);
    if (status != CP_OK)
        return status;
    site->out_dir = normal_path(site->arena, out_dir, strlen(out_dir));
    site->out_place = resolve_links(site->arena, site->cwd, out_dir);
    site->folder = arena_print(site->arena, "%s/.cellpipe", site->out_dir ? site->out_dir : "");
    return site->out_dir && site->out_place && site->folder ? CP_OK : CP_LIMIT;
}

cp_status find_known_site(const struct list *words, const char *command, struct batch_site *site)
{
    struct stat facts;
    if (words->count != 1)
        return complain(site->cli, CP_USAGE, "%s needs one output folder: cellpipe %s OUT", command, command);
    cp_status status = find_site(words->items[0], site);
    return status == CP_OK && stat(site->folder, &facts) != 0 ? complain_of_none(site->cli, words->items[0]) : status;
}

void leave_site(struct batch_site *site)
{
    arena_free(site->arena);
    if (site->lock >= 0)
        (void)close(site->lock);
}

cp_status commit_removals(const struct batch_site *site, struct state *state)
{
    if (!flush_file_system(site->lock))
        return complain(site->cli, CP_OUTPUT, "%s cannot be flushed to the disk: %s", site->out_dir, strerror(errno));
    return state_commit(state);
}

/* Reads the manifest, or what it tells of this shard: its own lines alone, unless outputs could meet in other shards,
 * or cells are there. Its records go into the state of a shard. */
static cp_status list_by_manifest(const struct batch_request *asked, struct state *state, struct batch_work *work,
                                  bool *is_part)
{
    struct cli *cli = state->cli;
    bool is_shard = asked->shard.count > 0;
    struct manifest_use use = {.known = is_shard ? state : NULL};
    if (!asked->whole_cells && !asked->short_names)
        use.shard = asked->shard;
    cp_status status = manifest_read(cli, asked->manifest, &use, &work->entries);
    if (status == CP_OK && asked->list.root_id)
        status = entries_name_root(cli, &work->entries, asked->list.root_id);
    work->is_told = is_shard && use.records > 0;
    *is_part = use.is_part;
    return status;
}

/* Lists the inputs, sorted, and checks the names of their outputs. */
static cp_status list_inputs(const struct batch_request *asked, const struct batch_site *site, struct state *state,
                             struct batch_work *work)
{
    bool is_part = false;
    struct cli *cli = site->cli;
    char suffix[32];
    output_suffix(asked->request.to, suffix, sizeof suffix);
    work->naming = (struct naming){.folder = site->out_dir,
                                   .suffix = arena_copy_text(site->arena, suffix, strlen(suffix)),
                                   .is_short = asked->short_names};
    if (!work->naming.suffix)
        return CP_LIMIT;
    cp_status status = asked->manifest ? list_by_manifest(asked, state, work, &is_part)
                                       : list_entries(cli, &asked->list, &work->entries);
    if (status == CP_OK && asked->whole_cells && !asked->manifest)
        status = manifest_scan(cli, &work->entries);
    if (status == CP_OK && asked->whole_cells)
        status = keep_whole_cells(cli, &work->entries);
    if (status == CP_OK)
        status = check_names(cli, &work->entries, &work->naming);
    if (status == CP_OK && !is_part)
        status = select_shard(cli, &work->entries, asked->shard);
    return status;
}

/* Makes the plans. Options of formats and filters are checked once, and their part of the keys is computed. */
static cp_status make_plans(struct batch_request *asked, const struct batch_site *site, struct batch_work *work,
                            size_t bang)
{
    const struct entry *first = work->entries.items;
    struct cli *cli = site->cli;
    struct plan general;
    if (work->entries.count == 0)
        return complain(cli, CP_USAGE, "there are no inputs");
    const char *in = entry_path(site->arena, first), *out = output_path(site->arena, &work->naming, first);
    if (!in || !out)
        return CP_LIMIT;
    cp_status status = plan_conversion(cli, &asked->request, bang, in, NULL, out, &general);
    if (status == CP_OK && !asked->no_settings)
        status =
            settings_find(cli, &work->entries, exporter_for(asked->request.to, ""),
                          asked->shard.count == 0 && is_whole_library(&work->entries, &asked->list), &work->settings);
    if (status == CP_OK)
        status = make_variants(cli, &general, work);
    for (uint32_t i = 0; status == CP_OK && (i == 0 || i < work->settings.group_count); i++)
        status = hash_options(site, &work->variants[i]);
    return status;
}

/* ---- what is known ---- */

/* Takes what the state of the output folder has of this shard's outputs. The state is read as it lies on the disk, as
 * it may be that of another host: so nobody may write it meanwhile. */
static cp_status take_kept(const struct batch_site *site, const struct batch_work *work, struct state *state)
{
    struct cli *cli = site->cli;
    struct state kept = {0};
    struct record record;
    struct input_root root = {.id = "", .path = "", .given = ""};
    struct arena *scratch = arena_new(cli->context);
    int lock = -1;
    cp_status status = scratch ? share_output(cli, site->folder, &lock) : CP_LIMIT;
    if (status == CP_OK)
        status = state_open(cli, site->folder, STATE_AS_IT_IS, &kept);
    for (uint32_t i = 0; i < work->entries.count && status == CP_OK; i++) {
        const char *out = output_name(scratch, &work->naming, &work->entries.items[i]);
        status = out ? state_find(&kept, out, &record) : CP_LIMIT;
        if (status == CP_OK && strcmp(root.id, record.root) != 0) {
            status = state_find_root(&kept, site->arena, record.root, &root);
            if (status == CP_OK)
                status = state_put_root(state, &root);
        }
        if (status == CP_OK)
            status = state_put(state, &record);
        status = status == CP_NO ? CP_OK : status;
        arena_clear(scratch);
    }
    state_close(&kept);
    arena_free(scratch);
    if (lock >= 0)
        (void)close(lock);
    return status;
}

/* Completes what is known to a shard: by the manifest, or else by the state, and by its own journals. */
static cp_status open_state_of_shard(const struct batch_site *site, const struct batch_work *work, struct state *state)
{
    struct merged merged = {0};
    cp_status status = work->is_told ? CP_OK : take_kept(site, work, state);
    if (status == CP_OK)
        status = merge_journals(site->cli, site->folder, site->shard, &site->here, false, state, &merged);
    return status == CP_OK ? state_begin_night(state) : status;
}

/* Opens what earlier runs left, with the journals of those that were killed. A run that writes the state has the lock
 * of the output folder until it ends; a dry run writes nothing. */
static cp_status open_state(const struct batch_request *asked, struct batch_site *site, struct state *state)
{
    struct cli *cli = site->cli;
    struct merged merged = {0};
    if (asked->dry_run)
        return read_state(cli, site->folder, &site->here, state, &merged);
    cp_status status = lock_output(cli, site->folder, &site->here, &site->lock);
    if (status == CP_OK)
        status = state_open(cli, site->folder, STATE_WRITE, state);
    if (status == CP_OK)
        status = state_begin_night(state);
    return status == CP_OK ? merge_journals(cli, site->folder, NULL, &site->here, true, state, &merged) : status;
}

/* ---- what to do ---- */

static bool is_there(const char *path)
{
    struct stat facts;
    return lstat(path, &facts) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

/* Tells whether the record's input is another one than the entry. One place is one library, though two runs that did
 * not know of each other have named it differently. */
static cp_status is_of_another(struct state *state, struct arena *arena, const struct entry *entry,
                               const struct record *record, bool *another)
{
    struct input_root other;
    *another = strcmp(record->name, entry->name) != 0 || strcmp(record->root, entry->root->id) != 0;
    if (!*another || strcmp(record->name, entry->name) != 0)
        return CP_OK;
    cp_status status = state_find_root(state, arena, record->root, &other);
    *another = status != CP_OK || strcmp(other.path, entry->root->path) != 0;
    return status == CP_NO ? CP_OK : status;
}

/* Outputs that other inputs have. */
struct clashes {
    uint32_t count, shown;
    const char *moved; /* the root of which the last message said that it is gone; NULL: none did */
};

/* Says whose the output is; of a root that is gone it says so once, as all its outputs clash alike. */
static void tell_clash(struct cli *cli, struct clashes *clashes, const char *shown, const char *mine, const char *in,
                       const char *moved)
{
    enum { MOST_SHOWN = 20 };
    bool is_told = moved && clashes->moved && strcmp(moved, clashes->moved) == 0;
    clashes->count++;
    if (is_told || clashes->shown++ >= MOST_SHOWN)
        return;
    (void)complain(cli, CP_USAGE,
                   moved ? "%s, the output of %s, is that of %s, whose folder is gone; if that folder was moved here, "
                           "or another takes its place, say --root-id %s"
                         : "%s, the output of %s, is that of %s",
                   shown, mine, in, moved);
    clashes->moved = moved;
}

/* Refuses an output that another input has, or takes it over if that one is gone. A root that is gone may have moved.
 */
static cp_status settle_clash(struct batch_site *site, struct state *state, struct batch_work *work,
                              const struct entry *entry, const struct record *record, struct clashes *clashes)
{
    struct arena *arena = site->arena;
    struct input_root other = {.id = "", .path = "", .given = ""};
    const char *root = arena_copy_text(arena, record->root, strlen(record->root)),
               *name = arena_copy_text(arena, record->name, strlen(record->name)),
               *out = arena_copy_text(arena, record->out, strlen(record->out));
    if (!root || !name || !out)
        return CP_LIMIT;
    cp_status status = state_find_root(state, arena, root, &other);
    if (status != CP_OK && status != CP_NO)
        return status;
    const char *in = whole_path(arena, other.path, name), *mine = entry_path(arena, entry),
               *shown = place_of_output(site, arena, out);
    if (!in || !mine || !shown)
        return CP_LIMIT;
    bool is_moved = strcmp(root, entry->root->id) != 0 && !is_there(other.path);
    if (!is_moved && !is_there(in))
        return name_map_add(&work->taken, out, 0, NULL) ? CP_OK : CP_LIMIT;
    tell_clash(site->cli, clashes, shown, mine, in, is_moved ? root : NULL);
    return CP_OK;
}

static void print_deed(const struct batch_work *work, struct arena *scratch, const struct entry *entry, enum deed deed,
                       const char *why)
{
    static const char *const words[DEED_COUNT] = {
        [DEED_NONE] = "skip",   [DEED_REPEAT] = "skip",     [DEED_PASS] = "pass",
        [DEED_CHECK] = "check", [DEED_CONVERT] = "convert", [DEED_FAULT] = "refuse"};
    const char *in = entry_path(scratch, entry), *out = output_path(scratch, &work->naming, entry);
    printf("%-7s ", words[deed]);
    print_shown(stdout, in ? in : "");
    printf(" -> ");
    print_shown(stdout, out ? out : "");
    printf(" (");
    print_shown(stdout, why);
    printf(")\n");
    uint32_t group = settings_of(&work->settings, (uint32_t)(entry - work->entries.items));
    if (group > 0) {
        printf("        with ");
        print_shown(stdout, work->settings.groups[group].text);
        printf("\n");
    }
}

/* Decides for each entry by what is known of its output; a dry run prints it. */
static cp_status decide_all(const struct batch_request *asked, struct batch_site *site, struct state *state,
                            struct batch_work *work)
{
    struct arena *scratch = arena_new(site->cli->context);
    struct clashes clashes = {0};
    work->deeds = memory_allocate_zeroed(site->cli->context, work->entries.count, sizeof *work->deeds);
    work->taken.context = site->cli->context;
    cp_status status = scratch && work->deeds ? CP_OK : CP_LIMIT;
    for (uint32_t i = 0; i < work->entries.count && status == CP_OK; i++) {
        const struct entry *entry = &work->entries.items[i];
        const char *out = output_name(scratch, &work->naming, entry), *why = "";
        enum deed deed = DEED_NONE;
        struct record record;
        status = !out ? CP_LIMIT : must_stop(NULL) ? CP_CANCELLED : state_find(state, out, &record);
        bool is_known = status == CP_OK, another = false;
        if (is_known)
            status = is_of_another(state, scratch, entry, &record, &another);
        if (status == CP_OK && another) {
            status = settle_clash(site, state, work, entry, &record, &clashes);
            is_known = false;
        }
        if (status == CP_OK || status == CP_NO)
            status = decide(asked, site, work, scratch, entry, is_known ? &record : NULL, &deed, &why);
        work->deeds[i] = (unsigned char)deed;
        work->counts[deed]++;
        work->found += is_known;
        if (status == CP_OK && asked->dry_run && clashes.count == 0)
            print_deed(work, scratch, entry, deed, why);
        arena_clear(scratch);
    }
    arena_free(scratch);
    if (status == CP_OK && clashes.count > 0)
        status = complain(site->cli, CP_USAGE, "%lu output%s of other inputs: nothing was written",
                          (unsigned long)clashes.count, clashes.count == 1 ? " is that" : "s are those");
    return status;
}

static void finish_dry_run(const struct batch_request *asked, const struct batch_site *site,
                           const struct batch_work *work, const struct batch_removal *removal)
{
    const uint32_t *counts = work->counts;
    for (uint32_t i = 0; i < removal->gone_count; i++)
        print_gone(site, removal, i, asked->prune && !removal->keeps ? "remove" : "leave");
    if (removal->keeps)
        say(site->cli, "nothing would be removed: %s\n", removal->keeps);
    print_settings(work);
    print_passed_over(work->entries.passed_over, work->entries.passed_count, stdout);
    printf("%u to convert, %u to check, %u up to date, %u failed before, %u refused", counts[DEED_CONVERT],
           counts[DEED_CHECK], counts[DEED_NONE], counts[DEED_REPEAT], counts[DEED_FAULT]);
    if (counts[DEED_PASS] > 0)
        printf(", %u of macros alone", counts[DEED_PASS]);
    printf("\n");
}

/* ---- traces of runs that were killed ---- */

/* Sweeps the folder of the state and those of outputs that this run writes, or of all outputs: a lost host's
 * temporaries are removed when they are a day old, and by then all may be up to date. */
static void sweep(const struct batch_site *site, const struct batch_work *work, bool all)
{
    struct name_map seen = {.context = site->cli->context};
    const char *last = "";
    (void)sweep_folder(site->cli, site->folder);
    (void)sweep_folder(site->cli, site->out_dir);
    for (uint32_t i = 0; i < work->entries.count; i++) {
        const char *name = work->entries.items[i].name, *slash = strrchr(name, '/');
        size_t size = slash ? (size_t)(slash - name) : 0;
        bool is_written = work->deeds[i] == DEED_CHECK || work->deeds[i] == DEED_CONVERT;
        if (!slash || !(is_written || all) || (strncmp(last, name, size) == 0 && !last[size]))
            continue;
        bool fresh = false;
        last = arena_copy_text(site->arena, name, size);
        if (!last || !name_map_add(&seen, last, 0, &fresh))
            break;
        const char *folder = fresh ? join_path(site->arena, site->out_dir, last) : NULL;
        if (folder)
            (void)sweep_folder(site->cli, folder);
    }
    name_map_free(&seen);
}

/* ---- what needs no worker ---- */

/* Counts an entry that needs no worker, says what is wrong with it, and records what is new. */
static cp_status record_other(const struct batch_site *site, struct state *state, const struct batch_work *work,
                              uint32_t index, struct journal *journal)
{
    const struct entry *entry = &work->entries.items[index];
    struct arena *arena = site->arena;
    enum deed deed = (enum deed)work->deeds[index];
    struct record record = {.state = STATE_SKIPPED, .code = "", .message = "", .attempt = 1}, past;
    if (deed == DEED_NONE && journal->log < 0) {
        journal->states[STATE_SKIPPED]++;
        return CP_OK;
    }
    const char *in = entry_path(arena, entry), *out = output_name(arena, &work->naming, entry);
    cp_status known = in && out ? state_find(state, out, &past) : CP_LIMIT;
    if (known != CP_OK && known != CP_NO)
        return known;
    bool is_as_before = known == CP_OK && deed != DEED_NONE;
    if (is_as_before && deed == DEED_FAULT)
        is_as_before = strcmp(past.root, entry->root->id) == 0 && strcmp(past.name, entry->name) == 0 &&
                       past.state == STATE_FAILED && strcmp(past.message, entry_fault(entry)) == 0;
    if (is_as_before) {
        record = past;
    } else if (deed == DEED_FAULT) {
        record.state = STATE_FAILED;
        record.code = "input";
        record.message = entry_fault(entry);
        record.time = time_of_record();
        record.host = site->here.host;
        record.sequence = known == CP_OK ? past.sequence + 1 : 1;
    }
    if (deed == DEED_REPEAT || deed == DEED_FAULT)
        journal_complain(journal, in, record.message, deed == DEED_REPEAT ? AS_BEFORE : "\n");
    record.root = entry->root->id;
    record.name = entry->name;
    record.out = out;
    return journal_record(journal, &record, deed == DEED_FAULT && !is_as_before);
}

static cp_status record_others(const struct batch_site *site, struct state *state, const struct batch_work *work,
                               struct journal *journal)
{
    cp_status result = CP_OK;
    for (uint32_t i = 0; i < work->entries.count && result == CP_OK; i++)
        if (work->deeds[i] != DEED_CHECK && work->deeds[i] != DEED_CONVERT)
            result = record_other(site, state, work, i, journal);
    return result;
}

/* ---- the end ---- */

/* The end of a run tells this beside its report. */
struct ending {
    const struct batch_site *site;
    struct arena *scratch;
    uint32_t fresh;         /* failures that are new */
    uint32_t lost;          /* outputs of this run that are missing: somebody has removed them, or a whole folder */
    bool is_option_refused; /* an --in K=V is no option of some input's format */
};

static cp_status look_at_record(void *user, const struct state_row *row)
{
    struct ending *ending = user;
    bool touched = false; /* perhaps by a link */
    arena_clear(ending->scratch);
    ending->lost +=
        row->record.state == STATE_OK && !has_outputs(ending->site, ending->scratch, &row->record, &touched);
    ending->fresh += is_new_failure(row);
    ending->is_option_refused |= strcmp(row->record.code, "option-unknown") == 0;
    return CP_OK;
}

/* Returns how to give an --in K=V for one format alone, if it is an option of some; else "". */
static const char *hint_at_format(const struct batch_request *asked, const struct batch_site *site)
{
    const struct list *options = &asked->request.in;
    cp_option_info option;
    for (size_t i = 0; i < options->count; i++)
        for (size_t k = 0; k < plugin_count(CP_IMPORTER); k++)
            if (plugin_has(CP_IMPORTER, k, options->items[i], &option)) {
                const char *name = plugin_at(CP_IMPORTER, k).name, *setting = options->items[i];
                const char *hint =
                    cli_print(site->cli, "; --in %s is for every input, --in %s.%s for those of %s alone", setting,
                              name, setting, name);
                return hint ? hint : "";
            }
    return "";
}

/* Prints the report of the run, and its outcome. A shard knows nothing of others, and has only its counts. */
static cp_status tell_outcome(const struct batch_request *asked, const struct batch_site *site, struct state *state,
                              const struct batch_work *work, const struct batch_links *links,
                              const struct journal *journal)
{
    struct cli *cli = site->cli;
    struct ending ending = {.site = site, .scratch = arena_new(cli->context)};
    const struct report_scope scope = {.expected = &work->entries,
                                       .run_states = journal->states,
                                       .is_unchanged = journal->records == 0,
                                       .new_alone = asked->exits == EXIT_NEW,
                                       .names_all = cli->verbose};
    uint32_t failed = 0;
    for (int i = STATE_FAILED; i < STATE_COUNT; i++)
        failed += journal->states[i];
    cp_status status = !ending.scratch        ? CP_LIMIT
                       : journal->records > 0 ? state_each(state, STATE_OF_NIGHT, look_at_record, &ending)
                                              : CP_OK;
    if (status == CP_OK && asked->link_duplicates)
        printf("links      %u outputs are links of equal ones, %u of them new; saves %s\n", links->count, links->fresh,
               show_bytes(links->saved).text);
    if (status == CP_OK && !cli->quiet)
        print_settings(work);
    if (status == CP_OK && !cli->quiet)
        status = print_report(cli, state, &scope, REPORT_TEXT, stdout);
    arena_free(ending.scratch);
    if (status != CP_OK && status != CP_NO)
        return status;
    if (ending.lost > 0)
        return complain(cli, CP_OUTPUT, "%u outputs were removed meanwhile: run it again", ending.lost);
    bool is_told = asked->exits == EXIT_NEW ? ending.fresh > 0 : asked->exits == EXIT_ANY && failed > 0;
    return is_told ? complain(cli, CP_NO, "%u of %u inputs failed%s", failed, work->entries.count,
                              ending.is_option_refused ? hint_at_format(asked, site) : "")
                   : CP_OK;
}

/* ---- the story ---- */

/* One run of the command. Each step takes the parts that it reads and fills. */
struct batch {
    struct batch_request asked;
    struct batch_site site;
    struct batch_work work;
    struct state state;
    struct journal journal;
    struct batch_removal removal;
    struct batch_links links;
};

/* Does the work, and writes the journal. */
static cp_status carry_out(struct batch *batch)
{
    const struct batch_request *asked = &batch->asked;
    struct batch_site *site = &batch->site;
    struct batch_work *work = &batch->work;
    struct journal *journal = &batch->journal;
    sweep(site, work, asked->shard.count == 0 || asked->link_duplicates);
    cp_status status = record_others(site, &batch->state, work, journal);
    if (status == CP_OK)
        status = supervise(asked, site, &batch->state, work, journal);
    sweep(site, work, false); /* of workers that were killed */
    if (status == CP_OK)
        status = journal_end(journal, &site->here);
    return status;
}

/* Puts the journal into the state, and does what needs the whole state. */
static cp_status settle(struct batch *batch)
{
    struct batch_site *site = &batch->site;
    struct state *state = &batch->state;
    struct merged merged = {0};
    bool writes = batch->asked.shard.count == 0;
    cp_status pruned = CP_OK,
              status = merge_journals(site->cli, site->folder, site->shard, &site->here, writes, state, &merged);
    if (status == CP_OK && writes)
        status = settle_meetings(site, state, &batch->work, &batch->journal);
    if (status == CP_OK && batch->asked.link_duplicates)
        status = link_outputs(site, state, &batch->work, &batch->links);
    if (status == CP_OK && writes)
        status = find_gone(&batch->asked, site, state, &batch->work, &batch->removal);
    if (status == CP_OK && writes)
        pruned = prune(&batch->asked, site, state, &batch->removal);
    if (status == CP_OK && batch->asked.gallery)
        status = make_gallery(&batch->asked, site, state);
    if (status == CP_OK)
        status = tell_outcome(&batch->asked, site, state, &batch->work, &batch->links, &batch->journal);
    return status == CP_OK ? pruned : status;
}

static cp_status run(struct batch *batch, size_t bang)
{
    struct batch_request *asked = &batch->asked;
    struct batch_site *site = &batch->site;
    struct batch_work *work = &batch->work;
    cp_status status = check_request(asked, site);
    if (status == CP_OK)
        status = find_site(asked->list.out_dir, site);
    bool is_shard = asked->shard.count > 0;
    if (status == CP_OK && is_shard)
        status = state_open(site->cli, "", STATE_EMPTY, &batch->state);
    batch->state.cli = site->cli;
    if (status == CP_OK)
        status = list_inputs(asked, site, &batch->state, work);
    if (status == CP_OK && is_shard && work->entries.count == 0) {
        say(site->cli, "shard %s has no inputs\n", site->shard);
        return CP_OK;
    }
    if (status == CP_OK && asked->gallery)
        status = expect_gallery(site, work);
    if (status == CP_OK)
        status = make_plans(asked, site, work, bang);
    if (status == CP_OK)
        status = is_shard ? open_state_of_shard(site, work, &batch->state) : open_state(asked, site, &batch->state);
    if (status == CP_OK)
        status = entries_agree_on_ids(&work->entries, &batch->state);
    if (status == CP_OK)
        status = decide_all(asked, site, &batch->state, work);
    if (status == CP_OK && asked->dry_run) {
        status = find_gone(asked, site, &batch->state, work, &batch->removal);
        if (status == CP_OK)
            finish_dry_run(asked, site, work, &batch->removal);
        return status;
    }
    if (status == CP_OK) {
        batch->journal.show.quiet =
            asked->progress == PROGRESS_NONE || (asked->progress == PROGRESS_AUTO && site->cli->quiet);
        batch->journal.show.json = asked->progress == PROGRESS_JSON;
        status = journal_open(site->cli, &work->entries, site->folder, asked->status_path, &site->here,
                              site->shard ? site->shard : "", &batch->journal);
        struct stat facts;
        if (status == CP_OK && fstat(batch->journal.file, &facts) == 0)
            site->begun = (int64_t)facts.st_mtim.tv_sec * 1000000000 + facts.st_mtim.tv_nsec;
        if (status == CP_OK)
            status = carry_out(batch);
        journal_show(&batch->journal, true);
        if (status == CP_OK)
            status = settle(batch);
        journal_close(&batch->journal);
    }
    return status;
}

static cp_status command_batch(struct cli *cli)
{
    struct batch batch = {.site = {.cli = cli, .lock = -1}};
    size_t bang = find_bang(cli, 1);
    cp_status status = sort_words(cli, 1, bang, &batch_command, &batch.asked);
    if (status == CP_OK)
        status = run(&batch, bang);
    memory_free(cli->context, batch.removal.gone, batch.removal.gone_room, sizeof *batch.removal.gone);
    memory_free(cli->context, batch.work.deeds, batch.work.entries.count, sizeof *batch.work.deeds);
    settings_free(&batch.work.settings);
    name_map_free(&batch.work.taken);
    state_close(&batch.state);
    leave_site(&batch.site);
    entries_free(&batch.work.entries);
    return status;
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
    {"--no-settings", "leave out what files named cellpipe.ini in the library say of some inputs", CP_OPTION_BOOLEAN,
     .offset = offsetof(struct batch_request, no_settings)},
    LIMIT_OPTIONS,
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
    {"--gallery", "make a page of all outputs with pictures and models, DIR/index.html, as cellpipe gallery does",
     CP_OPTION_BOOLEAN, .offset = offsetof(struct batch_request, gallery)},
    {"--dry-run", "print what would be done, and why", CP_OPTION_BOOLEAN,
     .offset = offsetof(struct batch_request, dry_run)},
    {"--root-id", "the name of the folder of the inputs: by it the folder is known after it has moved",
     CP_OPTION_STRING, .offset = offsetof(struct batch_request, list.root_id), .value = "NAME"},
    {"--exit",
     "any: the exit code is 1 if any input failed; new: if any did that had not failed so in the last run; ended: it "
     "is "
     "0 if the run ended, for schedulers that repeat what failed",
     CP_OPTION_CHOICE, offsetof(struct batch_request, exits), "any", .choices = "any|new|ended", .value = "MODE"},
    {"--status", "append a line for each input to FILE, also for those that are up to date", CP_OPTION_PATH,
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
        "parts/a.stl becomes DIR/a.stl.glb. A cell may read all files below the IN that has it, or below --root. Run "
        "it again after a change, a crash or a kill: it goes on where it was, "
        "and converts only what is not up to date. DIR/.cellpipe has what it knows of each output; cellpipe report DIR "
        "prints it. One run at a time writes that; shards write journals. A file that fails costs no other; the exit "
        "code is then 1.",
    .examples = "cellpipe batch parts --out-dir web --in stl.unit=mm\n"
                "cellpipe batch parts --out-dir web --only '*.stl' --dry-run ! weld ! simplify ratio=0.1",
    .options = batch_options,
    .reads = true,
    .writes = true,
    .run = command_batch};
