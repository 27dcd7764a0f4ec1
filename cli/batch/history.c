/* Reads the records of earlier runs, and gives each entry its past. */
#include "batch.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool is_regular(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
}

enum { MOST_FILES = 16 /* files of status, before they are merged into one */ };

/* Tells whether nobody on this host appends to HOST-PID-SHARD.jsonl any more. */
static bool is_of_dead_run(const void *user, const char *file)
{
    const char *host = user;
    size_t size = strlen(host);
    long process = strncmp(file, host, size) == 0 && file[size] == '-' ? strtol(file + size + 1, NULL, 10) : 0;
    return process > 0 && kill((pid_t)process, 0) != 0 && errno == ESRCH;
}

cp_status read_status(const struct batch_request *asked, const struct batch_site *site, struct records *records)
{
    const char *paths[2];
    size_t count = 0;
    if (access(site->status_folder, F_OK) == 0)
        paths[count++] = site->status_folder;
    if (asked->status_path && is_regular(asked->status_path)) /* not /dev/full */
        paths[count++] = asked->status_path;
    return records_read(site->cli, paths, count, records);
}

cp_status read_history(const struct batch_request *asked, const struct batch_site *site, struct batch_work *work,
                       struct batch_removal *removal)
{
    const char *name = arena_print(site->arena, "%s-%ld", site->host, (long)getpid());
    cp_status status = name ? CP_OK : CP_LIMIT;
    if (asked->shard.count > 0)
        work->history.only = &work->entries;
    else if (status == CP_OK && !asked->dry_run)
        status = records_merge(site->cli, site->status_folder, MOST_FILES, name, is_of_dead_run, site->host);
    if (status == CP_OK)
        status = read_status(asked, site, &work->history);
    if (status != CP_OK)
        return status;
    for (uint32_t i = 0; i < work->entries.count; i++)
        work->tasks[i].past = records_find(&work->history, work->entries.items[i].in);
    return asked->shard.count > 0 ? CP_OK
                                  : find_gone(asked, site, work, removal); /* other shards have the other inputs */
}

/* ---- outputs that meet ---- */

/* The files of the outputs of inputs, and their owners. */
struct owners {
    struct name_map map; /* path -> index of its first owner */
    const struct record **records;
    bool *fails;
    uint32_t count;
};

static bool claim(struct owners *owners, const struct record *record)
{
    owners->records[owners->count] = record;
    for (uint32_t i = 0; i < record->output_count; i++) {
        bool added;
        uint32_t *owner = name_map_add(&owners->map, record->outputs[i].path, owners->count, &added);
        if (!owner)
            return false;
        if (!added && strcmp(owners->records[*owner]->in, record->in) != 0)
            owners->fails[*owner] = owners->fails[owners->count] = true;
    }
    owners->count++;
    return true;
}

static cp_status record_clash(struct journal *journal, const struct record *good)
{
    struct record record = *good;
    uint64_t now = time_of_record();
    record.state = STATE_FAILED;
    record.code = "sink-twice";
    record.message = "a file of its output is one of another input's, too: give one of them another name";
    record.key = cp_hash_bytes(&good->key, sizeof good->key); /* a key of another version, so that it replaces `ok` */
    record.time = now > good->time ? now : good->time + 1;
    record.output_count = 0;
    for (uint32_t i = 0; i < good->output_count; i++) { /* a failure has no outputs; files of others stay */
        struct record_input file;
        if (hash_file(good->outputs[i].path, &file) && hash_equals(file.hash, good->outputs[i].hash))
            (void)unlink(good->outputs[i].path);
    }
    journal_complain(journal, record.in, record.message, "\n");
    return journal_record(journal, &record);
}

cp_status record_clashes(const struct batch_request *asked, const struct batch_site *site,
                         const struct batch_work *work, struct journal *journal)
{
    cp_context *context = site->cli->context;
    struct records now = {.from = journal->start};
    cp_status status =
        is_regular(journal->path) ? records_read(site->cli, (const char *const[]){journal->path}, 1, &now) : CP_OK;
    struct records all = {0}; /* a shard has left out the records of others */
    const struct records *history = asked->shard.count > 0 ? &all : &work->history;
    if (status == CP_OK && asked->shard.count > 0)
        status = read_status(asked, site, &all);
    uint32_t room = now.count + history->count;
    struct owners owners = {.map.context = context,
                            .records = memory_allocate(context, room, sizeof *owners.records),
                            .fails = memory_allocate_zeroed(context, room, sizeof *owners.fails)};
    bool good = status == CP_OK && owners.records && owners.fails;
    /* Records of earlier runs count if this run has left their output as it was. */
    for (uint32_t i = 0; i < history->count && good; i++) {
        const struct record *record = history->items[i];
        const struct entry *entry = entries_find(&work->entries, record->in);
        if (!entry || work->tasks[entry - work->entries.items].deed == DEED_NONE)
            good = claim(&owners, record);
    }
    for (uint32_t i = 0; i < now.count && good; i++)
        good = claim(&owners, now.items[i]);
    for (uint32_t i = 0; i < owners.count && good && status == CP_OK; i++)
        if (owners.fails[i])
            status = record_clash(journal, owners.records[i]);
    memory_free(context, owners.fails, room, sizeof *owners.fails);
    memory_free(context, owners.records, room, sizeof *owners.records);
    name_map_free(&owners.map);
    records_free(&now);
    records_free(&all);
    return status == CP_OK && !good ? CP_LIMIT : status;
}
