/* Looks at many inputs by the workers of batch. */
#include "many.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A result, which may wait for its turn. */
struct place {
    uint64_t begin; /* in the spool */
    uint32_t size;
    bool is_there;
};

struct looking {
    struct cli *cli;
    const struct look *look;
    const struct entries *entries;
    struct journal journal; /* for the progress alone */
    struct arena *scratch;
    struct place *places;  /* by entry */
    unsigned char *states; /* the same: enum record_state */
    uint32_t next;         /* the first entry that was not shown */
    FILE *spool;           /* NULL as long as no result had to wait */
    uint64_t spooled;
};

bool asks_for_many(const struct request *request)
{
    static const char *const flags[] = {"--only",    "--skip",   "--jobs",    "--no-settings",
                                        "--timeout", "--memory", "--progress"};
    struct stat facts;
    const char *word = request->words.count ? request->words.items[0] : "";
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (list_has(&request->said, flags[i]))
            return true;
    return request->words.count > 1 || *word == '@' || (stat(word, &facts) == 0 && S_ISDIR(facts.st_mode));
}

/* ---- results ---- */

static cp_status complain_spool(struct looking *looking)
{
    return complain(looking->cli, CP_OUTPUT, "the temporary file of results cannot be used: %s", strerror(errno));
}

static void show(struct looking *looking, const char *found, size_t size)
{
    journal_say(&looking->journal, "", 0); /* the line of progress is on the same terminal */
    looking->look->show(looking->look->user, found, size);
}

/* Shows the results whose turn has come. */
static cp_status show_ready(struct looking *looking)
{
    while (looking->next < looking->entries->count && looking->places[looking->next].is_there) {
        const struct place *place = &looking->places[looking->next++];
        if (place->size == 0)
            continue;
        char *found = memory_allocate(looking->cli->context, place->size, 1);
        if (!found)
            return CP_LIMIT;
        bool good = fseeko(looking->spool, (off_t)place->begin, SEEK_SET) == 0 &&
                    fread(found, 1, place->size, looking->spool) == place->size;
        if (good)
            show(looking, found, place->size);
        memory_free(looking->cli->context, found, place->size, 1);
        if (!good)
            return complain_spool(looking);
    }
    return CP_OK;
}

/* Puts a result behind the others that wait. */
static cp_status put_aside(struct looking *looking, struct place *place, const char *found, size_t size)
{
    if (!looking->spool)
        looking->spool = tmpfile();
    if (!looking->spool || fseeko(looking->spool, (off_t)looking->spooled, SEEK_SET) != 0 ||
        fwrite(found, 1, size, looking->spool) != size || fflush(looking->spool) != 0)
        return complain_spool(looking);
    place->begin = looking->spooled;
    looking->spooled += size;
    return CP_OK;
}

cp_status take_look(const struct batch_work *work, uint32_t entry, enum record_state state, const char *found,
                    size_t size)
{
    const struct look *look = work->look;
    struct looking *looking = look->looking;
    struct place *place = &looking->places[entry];
    cp_status status = CP_OK;
    looking->journal.states[state]++;
    looking->states[entry] = (unsigned char)state;
    *place = (struct place){.size = (uint32_t)size, .is_there = true};
    if (!look->is_whole && entry == looking->next) {
        looking->next++;
        if (size > 0)
            show(looking, found, size);
    } else if (size > 0) {
        status = put_aside(looking, place, found, size);
    }
    return status == CP_OK && !look->is_whole ? show_ready(looking) : status;
}

cp_status take_death(const struct batch_work *work, uint32_t entry, const struct record *record)
{
    const struct look *look = work->look;
    struct looking *looking = look->looking;
    struct printed_text found;
    arena_clear(looking->scratch);
    const char *in = entry_path(looking->scratch, &work->entries.items[entry]);
    if (!in || !text_open(&found))
        return CP_LIMIT;
    look->fail(look->user, looking->cli, in, record->code, record->message, found.file);
    cp_status status = text_close(&found) ? take_look(work, entry, record->state, found.bytes, found.size) : CP_LIMIT;
    text_free(&found);
    return status;
}

/* ---- the run ---- */

/* Decides that each input is looked at, but those that are no files. */
static cp_status take_faults(struct batch_work *work, cp_context *context)
{
    cp_status status = CP_OK;
    work->deeds = memory_allocate_zeroed(context, work->entries.count, sizeof *work->deeds);
    for (uint32_t i = 0; work->deeds && i < work->entries.count && status == CP_OK; i++) {
        const char *fault = entry_fault(&work->entries.items[i]);
        work->deeds[i] = fault ? DEED_FAULT : DEED_CONVERT;
        if (fault)
            status = take_death(work, i, &(struct record){.state = STATE_FAILED, .code = "input", .message = fault});
    }
    return work->deeds ? status : CP_LIMIT;
}

/* Lists the inputs, and makes what holds their results. */
static cp_status prepare(struct cli *cli, const struct many_request *asked, const struct request *request,
                         struct batch_request *batch, struct many *many)
{
    struct looking *looking = many->looking;
    const struct entries *entries = &many->work.entries;
    struct plan plan;
    batch->list = asked->list;
    batch->list.in = request->words;
    batch->limits = asked->limits;
    batch->limits.most_output = UINT32_MAX; /* there is none */
    if (!list_has(&request->said, "--jobs"))
        batch->limits.jobs = cli->threads;
    cp_status status = plan_open(cli, &plan, 1) ? add_read(cli, &plan, "", request->from, request->in) : CP_LIMIT;
    if (status == CP_OK)
        status = find_site(".", &many->site);
    if (status == CP_OK)
        status = list_entries(cli, &batch->list, &many->work.entries);
    if (status == CP_OK && entries->count == 0)
        status = complain(cli, CP_USAGE, "there are no inputs");
    if (status == CP_OK && !asked->no_settings)
        status = settings_find(cli, entries, SIZE_MAX, is_whole_library(entries, &batch->list), &many->work.settings);
    if (status == CP_OK)
        status = make_variants(cli, &plan, &many->work);
    if (status != CP_OK)
        return status;
    looking->cli = cli;
    looking->look = many->work.look;
    looking->entries = entries;
    looking->journal = (struct journal){
        .cli = cli,
        .entries = entries,
        .file = -1,
        .log = -1,
        .show = {.quiet = asked->progress == PROGRESS_NONE || (asked->progress == PROGRESS_AUTO && cli->quiet),
                 .json = asked->progress == PROGRESS_JSON,
                 .begun = milliseconds(),
                 .shown = milliseconds()}};
    looking->scratch = arena_new(cli->context);
    looking->places = memory_allocate_zeroed(cli->context, entries->count, sizeof *looking->places);
    looking->states = memory_allocate_zeroed(cli->context, entries->count, 1);
    many->ends = looking->states;
    return looking->scratch && looking->places && looking->states ? CP_OK : CP_LIMIT;
}

cp_status look_at_many(struct cli *cli, const struct many_request *asked, const struct request *request,
                       struct look *look, struct many *many)
{
    struct batch_request batch = {0};
    *many = (struct many){.site = {.cli = cli, .lock = -1},
                          .work = {.look = look, .naming = {.folder = ".", .suffix = ""}},
                          .looking = cli_allocate(cli, sizeof *many->looking)};
    look->looking = many->looking;
    look->from = request->from;
    if (!many->looking)
        return CP_LIMIT;
    if (cli->report_path) {
        cli->report_path = NULL;
        return complain(cli, CP_USAGE, "--report is of one file; of many, --json has all that is found");
    }
    cp_status status = prepare(cli, asked, request, &batch, many);
    if (status != CP_OK)
        return status;
    struct journal *journal = &many->looking->journal;
    status = take_faults(&many->work, cli->context);
    if (status == CP_OK)
        status = supervise(&batch, &many->site, NULL, &many->work, journal);
    journal_show(journal, true);
    memcpy(many->states, journal->states, sizeof many->states);
    uint32_t good = many->states[STATE_OK] + many->states[STATE_MACROS];
    return status == CP_OK && good < many->work.entries.count ? CP_NO : status;
}

void print_fault_row(FILE *table, const cp_entry *fault)
{
    fprintf(table, "%-16s ", fault->code);
    print_shown(table, fault->file);
    if (fault->line > 0)
        fprintf(table, ":%" PRIu64, fault->line);
    if (fault->column > 0)
        fprintf(table, ":%" PRIu64, fault->column);
    fputs(": ", table);
    print_shown(table, fault->text);
    fputc('\n', table);
}

void print_ends(const struct many *many, const char *good)
{
    uint32_t count = many->work.entries.count, macros = many->states[STATE_MACROS], fine = many->states[STATE_OK];
    printf("%" PRIu32 " file%s: %" PRIu32 " %s, %" PRIu32 " not", count, plural(count), fine, good,
           count - fine - macros);
    if (macros > 0)
        printf(", %" PRIu32 " of macros alone", macros);
    printf("\n");
    print_settings(&many->work);
}

cp_status show_found(struct many *many)
{
    return show_ready(many->looking);
}

void many_free(struct many *many)
{
    struct looking *looking = many->looking;
    cp_context *context = many->site.cli->context;
    uint32_t count = many->work.entries.count;
    if (looking && looking->spool)
        (void)fclose(looking->spool);
    if (looking) {
        arena_free(looking->scratch);
        memory_free(context, looking->places, count, sizeof *looking->places);
        memory_free(context, looking->states, count, 1);
    }
    memory_free(context, many->work.deeds, count, sizeof *many->work.deeds);
    settings_free(&many->work.settings);
    arena_free(many->site.arena);
    entries_free(&many->work.entries);
}
