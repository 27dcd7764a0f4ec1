/* Puts journals into the state. Each record goes in if its sequence is greater than that of what is there (state.h), so
 * that journals may come in any order, and twice. A journal is removed after its records are in the state and that is
 * on the disk; one whose run may go on stays, with the number of bytes that were taken. */
#include "journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "state.h"

enum { MOST_WARNED = 20 };

/* ---- the lock ---- */

/* Says who has the lock, as its file tells. */
static cp_status complain_of_lock(struct cli *cli, const char *path, int file)
{
    char text[512];
    ssize_t size = pread(file, text, sizeof text - 1, 0);
    text[size > 0 ? size : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return complain(cli, CP_OUTPUT, "another run writes there: %s (%s)", *text ? text : "it does not say which", path);
}

cp_status lock_output(struct cli *cli, const char *folder, const struct whereabouts *here, int *lock)
{
    if (!*VERSION_OF_SQLITE) /* before a folder is made */
        return complain(cli, CP_USAGE, WITHOUT_SQLITE);
    const char *path = cli_print(cli, "%s/lock", folder);
    cp_status made = make_folder(cli, cli_print(cli, "%s", folder));
    if (made != CP_OK || !path)
        return made == CP_OK ? CP_LIMIT : made;
    *lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (*lock < 0)
        return complain(cli, CP_OUTPUT, "%s: cannot be written: %s", path, strerror(errno));
    if (flock(*lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return complain_of_lock(cli, path, *lock);
    const char *text = cli_print(cli, "process %llu on %s\n", (unsigned long long)here->process, here->host);
    if (!text)
        return CP_LIMIT;
    if (ftruncate(*lock, 0) != 0 || pwrite(*lock, text, strlen(text), 0) < 0)
        return complain(cli, CP_OUTPUT, "%s: cannot be written: %s", path, strerror(errno));
    return CP_OK;
}

cp_status share_output(struct cli *cli, const char *folder, int *lock)
{
    const char *path = cli_print(cli, "%s/lock", folder);
    if (!path)
        return CP_LIMIT;
    *lock = open(path, O_RDONLY | O_CLOEXEC);
    bool is_had = *lock >= 0 && flock(*lock, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    return is_had ? complain_of_lock(cli, path, *lock) : CP_OK;
}

/* ---- one journal ---- */

struct reading {
    struct cli *cli;
    struct state *state;
    struct merged *merged;
    struct arena *arena;
    cp_field_reader reader;
    const char *path;
    bool is_trusted; /* the outputs in it are on the disk, or were written since this system began */
    uint64_t until;  /* lines that end behind this byte are left for the next merge */
    uint64_t taken;  /* bytes of whole lines */
    uint32_t broken;
};

static cp_status take_note(struct reading *reading, const struct run_note *note)
{
    struct merged *merged = reading->merged;
    cp_status status = CP_OK;
    if (*note->isolation)
        status = state_put_told(reading->state, TOLD_ISOLATION, note->isolation, 0);
    for (uint32_t i = 0; i < note->passed_count && status == CP_OK; i++)
        status =
            state_put_told(reading->state, TOLD_PASSED_OVER, note->passed_over[i].what, note->passed_over[i].count);
    merged->up_to_date += note->up_to_date;
    for (uint32_t i = 0; i < note->root_count && status == CP_OK; i++)
        status = state_put_root(reading->state, &note->roots[i]);
    return status;
}

static void warn_of_line(struct reading *reading, uint64_t line)
{
    reading->merged->broken++;
    if (++reading->broken <= MOST_WARNED)
        warn(reading->cli, "journal-line", reading->path, line,
             reading->broken == MOST_WARNED ? "is no record, and is left out; further ones are not told"
                                            : "is no record, and is left out");
}

/* Takes the times from the outputs, so that the next run compares their contents. */
static void distrust(struct record *record)
{
    for (uint32_t i = 0; i < record->output_count; i++)
        record->outputs[i].modified = 0;
}

static cp_status take_line(void *user, uint64_t line, const char *text, size_t size, bool whole)
{
    struct reading *reading = user;
    struct record record;
    struct run_note note;
    if (size >= reading->until - reading->taken)
        return CP_OK;
    reading->merged->torn += !whole;
    if (!whole)
        return CP_OK;
    reading->taken += size + 1;
    arena_clear(reading->arena);
    reading->reader.host = reading->reader.folder = NULL;
    cp_status status = record_parse(&reading->reader, text, size, &record);
    if (status == CP_OK) {
        if (!reading->is_trusted)
            distrust(&record);
        reading->merged->records += record.state != STATE_SKIPPED;
        return record.state == STATE_SKIPPED ? CP_OK : state_put(reading->state, &record);
    }
    if (status == CP_INPUT)
        status = run_note_take(&reading->reader, &note);
    if (status == CP_OK)
        return take_note(reading, &note);
    if (status == CP_INPUT)
        warn_of_line(reading, line);
    return status == CP_INPUT ? CP_OK : status;
}

/* Reads the file from `from` on into the state. */
static cp_status read_journal(struct reading *reading, int file, uint64_t from)
{
    uint64_t line = 0;
    reading->arena = arena_new(reading->cli->context);
    reading->reader = (cp_field_reader){.context = reading->cli->context, .arena = reading->arena};
    reading->taken = from;
    cp_status status = reading->arena ? CP_OK : CP_LIMIT;
    if (status == CP_OK && lseek(file, (off_t)from, SEEK_SET) < 0 && errno != ESPIPE)
        status = CP_INPUT;
    if (status == CP_OK)
        status = read_lines(reading->cli->context, file, '\n', take_line, reading, &line);
    if (status == CP_INPUT)
        status = complain(reading->cli, CP_INPUT, "%s cannot be read: %s", reading->path, strerror(errno));
    cp_field_reader_free(&reading->reader);
    arena_free(reading->arena);
    reading->merged->journals++;
    return status;
}

cp_status merge_file(struct cli *cli, const char *path, struct state *state, struct merged *merged)
{
    struct reading reading = {
        .cli = cli, .state = state, .merged = merged, .path = path, .is_trusted = true, .until = UINT64_MAX};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return complain(cli, CP_INPUT, "%s cannot be read: %s", path, strerror(errno));
    cp_status status = state_begin(state);
    if (status == CP_OK)
        status = read_journal(&reading, file, 0);
    (void)close(file);
    return status == CP_OK ? state_commit(state) : status;
}

/* ---- all journals ---- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool ends_with(const char *text, const char *end)
{
    size_t size = strlen(text), end_size = strlen(end);
    return size > end_size && strcmp(text + size - end_size, end) == 0;
}

/* Lists the names of the folder's journals that have this end, sorted. A folder that is not there has none. */
static cp_status list_journals(struct cli *cli, const char *folder, const char *end, struct list *names)
{
    DIR *members = opendir(folder);
    const struct dirent *member;
    if (!members)
        return errno == ENOENT ? CP_OK : complain(cli, CP_INPUT, "%s cannot be read: %s", folder, strerror(errno));
    bool good = true;
    while (good && (member = readdir(members))) {
        if (!ends_with(member->d_name, end))
            continue;
        const char *name = cli_print(cli, "%s", member->d_name);
        good = name && list_add(cli, names, name);
    }
    (void)closedir(members);
    if (names->count > 1)
        qsort(names->items, names->count, sizeof *names->items, compare_names);
    return good ? CP_OK : CP_LIMIT;
}

/* The facts on the run of a journal. */
struct run {
    bool is_here;   /* this system has run it since it was started */
    bool is_locked; /* it goes on, here or on a host whose locks are seen */
    bool is_gone;   /* it was run here, and does not go on */
    bool has_ended; /* it says so */
    bool is_silent; /* it has written nothing for a day, by the clock of the file system */
    uint64_t size;
};

/* Tells whether the last line says that the run has ended. */
static bool says_ended(int file, off_t size)
{
    char text[256];
    off_t from = size > (off_t)sizeof text - 1 ? size - (off_t)sizeof text + 1 : 0;
    ssize_t read = pread(file, text, sizeof text - 1, from);
    if (read <= 0 || text[read - 1] != '\n')
        return false;
    text[read - 1] = '\0';
    const char *line = strrchr(text, '\n');
    return strstr(line ? line + 1 : text, "\"ended\":true") != NULL;
}

/* Tells whether the first line of a journal, as journal_open writes it, has that member. */
static bool has_member(const char *line, const char *name, const char *value)
{
    char member[512];
    (void)snprintf(member, sizeof member, "\"%s\":\"%s\"", name, value);
    return strstr(line, member) != NULL;
}

/* Tells whether no process has the number in the line. Nobody knows that of another namespace, though the host's name
 * is the same. */
static bool is_process_gone(const char *line, const struct whereabouts *here)
{
    static const char member[] = "\"process\":";
    const char *number = strstr(line, member);
    long process = number ? strtol(number + sizeof member - 1, NULL, 10) : 0;
    return process > 0 && (!*here->namespace || has_member(line, "namespace", here->namespace)) &&
           kill((pid_t)process, 0) != 0 && errno == ESRCH;
}

/* The host's name has to do where no boot is known. A lock is seen by all processes of one system; if the file system
 * has no locks, the number of the process must tell. */
static struct run look_at_run(int file, const struct whereabouts *here, time_t now)
{
    const time_t day = 24 * 60 * 60;
    struct stat facts;
    char line[1024];
    ssize_t read = pread(file, line, sizeof line - 1, 0);
    line[read > 0 ? read : 0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    if (fstat(file, &facts) != 0)
        return (struct run){.is_locked = true};
    bool is_here = *here->boot ? has_member(line, "boot", here->boot) : has_member(line, "run", here->host);
    bool is_free = flock(file, LOCK_SH | LOCK_NB) == 0, is_locked = !is_free && errno == EWOULDBLOCK;
    return (struct run){.is_here = is_here,
                        .is_locked = is_locked,
                        .is_gone = is_here && !is_locked && (is_free || is_process_gone(line, here)),
                        .has_ended = says_ended(file, facts.st_size),
                        .is_silent = facts.st_mtime < now - day,
                        .size = (uint64_t)facts.st_size};
}

/* Reads one journal; *done: nobody appends to it any more. flushes: what it tells of is to be on the disk. */
static cp_status merge_one(struct reading *reading, const char *name, const struct whereabouts *here, time_t now,
                           bool flushes, bool *done)
{
    uint64_t from = 0;
    int file = open(reading->path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return errno == ENOENT
                   ? CP_OK
                   : complain(reading->cli, CP_INPUT, "%s cannot be read: %s", reading->path, strerror(errno));
    const struct run run = look_at_run(file, here, now);
    *done = !run.is_locked && (run.has_ended || run.is_gone || run.is_silent);
    /* One that goes on or was killed has flushed nothing: its outputs are in the memory of this system alone, perhaps.
     * The flush reaches those of the lines that were there before it. */
    reading->is_trusted = run.has_ended || (run.is_here && (!flushes || flush_file_system(file)));
    reading->until = flushes && !*done ? run.size : UINT64_MAX;
    cp_status status = state_find_journal(reading->state, name, &from);
    if (status == CP_OK)
        status = read_journal(reading, file, from);
    (void)close(file);
    if (status != CP_OK || *done)
        return status == CP_OK ? state_remove_journal(reading->state, name) : status;
    reading->merged->running++;
    return state_put_journal(reading->state, name, reading->taken);
}

/* Returns the present time of the folder's file system: that of a file that was written now. */
static time_t time_there(const char *folder)
{
    struct stat facts;
    return stat(folder, &facts) == 0 ? facts.st_mtime : 0;
}

cp_status merge_journals(struct cli *cli, const char *folder, const char *shard, const struct whereabouts *here,
                         bool removes, struct state *state, struct merged *merged)
{
    struct list names = {0}, done = {0};
    const char *journals = cli_print(cli, "%s/journals", folder), *lock = cli_print(cli, "%s/lock", folder);
    const char *end = journal_end_of_name(cli, shard);
    cp_status status = journals && lock && end ? list_journals(cli, journals, end, &names) : CP_LIMIT;
    if (status != CP_OK || names.count == 0)
        return status;
    status = state_begin(state);
    for (size_t i = 0; i < names.count && status == CP_OK; i++) {
        struct reading reading = {.cli = cli, .state = state, .merged = merged};
        bool is_done = false;
        reading.path = cli_print(cli, "%s/%s", journals, names.items[i]);
        status =
            reading.path ? merge_one(&reading, names.items[i], here, time_there(lock), removes, &is_done) : CP_LIMIT;
        if (status == CP_OK && is_done && !list_add(cli, &done, reading.path))
            status = CP_LIMIT;
    }
    if (status == CP_OK)
        status = state_commit(state);
    if (status == CP_OK && removes)
        status = state_check_place(state);
    for (size_t i = 0; i < done.count && status == CP_OK && removes; i++)
        (void)unlink(done.items[i]); /* one that stays is taken again, which changes nothing */
    return status;
}

static bool are_there(struct cli *cli, const char *folder, const struct list *names)
{
    for (size_t i = 0; i < names->count; i++) {
        const char *path = cli_print(cli, "%s/%s", folder, names->items[i]);
        if (path && access(path, F_OK) != 0)
            return false;
    }
    return true;
}

cp_status read_state(struct cli *cli, const char *folder, const struct whereabouts *here, struct state *state,
                     struct merged *merged)
{
    const char *journals = cli_print(cli, "%s/journals", folder);
    cp_status status = journals ? CP_OK : CP_LIMIT;
    for (int tries = 0; tries < 100 && status == CP_OK; tries++) {
        struct list before = {0};
        *merged = (struct merged){0};
        status = list_journals(cli, journals, ".jsonl", &before);
        if (status == CP_OK)
            status = state_open(cli, folder, STATE_READ, state);
        if (status == CP_OK)
            status = merge_journals(cli, folder, NULL, here, false, state, merged);
        if (status != CP_OK || are_there(cli, journals, &before))
            return status;
        state_close(state); /* a run has put one into the state, perhaps after that was opened */
    }
    return status == CP_OK ? complain(cli, CP_OUTPUT, "%s is changed again and again: try later", folder) : status;
}
