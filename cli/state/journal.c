/* Writes the journal of a run, and shows its progress and messages. */
#ifdef __linux__
#define _GNU_SOURCE /* syncfs */
#endif
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { EVERY_ON_TERMINAL = 200, EVERY_ELSEWHERE = 5000, EVERY_JSON = 1000 }; /* milliseconds */

uint64_t time_of_record(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

cp_status make_folder(struct cli *cli, char *folder)
{
    struct stat facts;
    int above = 0; /* report the first error, from which the others follow */
    if (!folder)
        return CP_LIMIT;
    if (stat(folder, &facts) == 0 && S_ISDIR(facts.st_mode))
        return CP_OK;
    for (char *at = folder; *folder && *++at;)
        if (*at == '/') {
            *at = '\0';
            if (mkdir(folder, 0777) != 0 && errno != EEXIST && above == 0)
                above = errno;
            *at = '/';
        }
    if (mkdir(folder, 0777) == 0 || (errno == EEXIST && stat(folder, &facts) == 0 && S_ISDIR(facts.st_mode)))
        return CP_OK;
    const int reason = above ? above : errno;
    (void)complain(cli, CP_OUTPUT, "the folder %s cannot be made: %s", folder, strerror(reason));
    errno = reason;
    return CP_OUTPUT;
}

/* ---- where ---- */

/* Returns what a file of the system says, without the end of its line; "" if it is not there. */
static const char *read_word(struct arena *arena, const char *path)
{
    char text[128];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = file < 0 ? 0 : read(file, text, sizeof text);
    if (file >= 0)
        (void)close(file);
    while (size > 0 && text[size - 1] <= ' ')
        size--;
    return size > 0 ? arena_copy_text(arena, text, (size_t)size) : "";
}

bool find_whereabouts(struct arena *arena, struct whereabouts *here)
{
    char host[256] = "", link[64];
    if (gethostname(host, sizeof host - 1) != 0 || !*host)
        strcpy(host, "localhost");
    for (char *at = host; *at; at++) /* it becomes part of a file's name, and of a line that is searched as it is */
        *at = is_letter(*at) || is_digit(*at) || *at == '-' || *at == '.' ? *at : '_';
    ssize_t size = readlink("/proc/self/ns/pid", link, sizeof link);
    *here = (struct whereabouts){.host = arena_copy_text(arena, host, strlen(host)),
                                 .boot = read_word(arena, "/proc/sys/kernel/random/boot_id"),
                                 .namespace = size > 0 ? arena_copy_text(arena, link, (size_t)size) : "",
                                 .process = (uint64_t)getpid()};
    return here->host && here->boot && here->namespace;
}

/* ---- lines ---- */

static cp_status fail(struct journal *journal, const char *path)
{
    bool is_told = journal->has_failed;
    journal->has_failed = true;
    return is_told ? CP_OUTPUT : complain(journal->cli, CP_OUTPUT, "%s: cannot be written: %s", path, strerror(errno));
}

static cp_status write_line(struct journal *journal, int file, const char *path, const char *line, size_t size)
{
    ssize_t done;
    do
        done = write(file, line, size);
    while (done < 0 && errno == EINTR);
    if (done >= 0 && (size_t)done < size)
        errno = ENOSPC; /* a part of a line, which readers ignore */
    return done >= 0 && (size_t)done == size ? CP_OK : fail(journal, path);
}

static cp_status write_note(struct journal *journal, const struct run_note *note)
{
    journal->line.size = 0;
    run_note_print(note, &journal->line);
    if (journal->line.failed)
        return CP_LIMIT;
    cp_status status = write_line(journal, journal->file, journal->path, journal->line.data, journal->line.size);
    if (status == CP_OK && journal->log >= 0)
        status = write_line(journal, journal->log, journal->log_path, journal->line.data, journal->line.size);
    return status;
}

/* Opens the file of --status. A killed run may have left a part of a line: it is ended, so that it stays a line of its
 * own. */
static cp_status open_log(struct journal *journal)
{
    struct stat facts;
    char last = '\n';
    if (!journal->log_path)
        return CP_OK;
    journal->log = open(journal->log_path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (journal->log < 0 || fstat(journal->log, &facts) != 0)
        return fail(journal, journal->log_path);
    if (S_ISREG(facts.st_mode) && facts.st_size > 0 && pread(journal->log, &last, 1, facts.st_size - 1) == 1 &&
        last != '\n')
        return write_line(journal, journal->log, journal->log_path, "\n", 1);
    return CP_OK;
}

const char *journal_end_of_name(struct cli *cli, const char *shard)
{
    char *end = shard && *shard ? cli_print(cli, "-%s.jsonl", shard) : cli_print(cli, ".jsonl");
    for (char *at = end; at && *at; at++)
        *at = *at == '/' ? '_' : *at;
    return end;
}

/* Makes a file of a new name, which holds the time for people alone. */
static cp_status open_new(struct journal *journal, const char *folder, const struct whereabouts *here,
                          const char *shard)
{
    uint64_t now = time_of_record();
    const char *end = journal_end_of_name(journal->cli, shard);
    cp_status made = !end ? CP_LIMIT : make_folder(journal->cli, cli_print(journal->cli, "%s/journals", folder));
    for (int tries = 0; made == CP_OK && journal->file < 0 && tries < 1000; tries++) {
        journal->path = cli_print(journal->cli, "%s/journals/%s-%llu-%llu%s", folder, here->host,
                                  (unsigned long long)here->process, (unsigned long long)now + (unsigned)tries, end);
        if (!journal->path)
            return CP_LIMIT;
        journal->file = open(journal->path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
        if (journal->file < 0 && errno != EEXIST)
            break;
    }
    if (made == CP_OK && journal->file < 0)
        made = fail(journal, journal->path);
    while (made == CP_OK && flock(journal->file, LOCK_EX) != 0 && errno == EINTR)
        ; /* a report may read it at this moment */
    return made;
}

cp_status journal_open(struct cli *cli, const struct entries *entries, const char *folder, const char *log_path,
                       const struct whereabouts *here, const char *shard, struct journal *journal)
{
    *journal = (struct journal){.cli = cli,
                                .entries = entries,
                                .file = -1,
                                .log_path = log_path,
                                .log = -1,
                                .line.context = cli->context,
                                .show = {.quiet = journal->show.quiet,
                                         .json = journal->show.json,
                                         .begun = milliseconds(),
                                         .shown = milliseconds()}};
    cp_status status = open_log(journal);
    if (status == CP_OK)
        status = open_new(journal, folder, here, shard);
    struct input_root *roots = cli_allocate(cli, entries->root_count * sizeof *roots);
    for (uint32_t i = 0; roots && i < entries->root_count; i++)
        roots[i] = *entries->roots[i];
    const struct run_note note = {.host = here->host,
                                  .boot = here->boot,
                                  .namespace = here->namespace,
                                  .process = here->process,
                                  .time = time_of_record(),
                                  .shard = shard,
                                  .isolation = "",
                                  .roots = roots,
                                  .root_count = entries->root_count,
                                  .passed_over = entries->passed_over,
                                  .passed_count = entries->passed_count};
    if (status == CP_OK && !roots)
        status = CP_LIMIT;
    if (status == CP_OK)
        status = write_note(journal, &note);
    if (status != CP_OK && journal->file >= 0)
        (void)unlink(journal->path); /* it has nothing that anybody could miss */
    return status;
}

cp_status journal_append(struct journal *journal, enum record_state state, uint64_t bytes_in, bool is_new,
                         const char *line, size_t size)
{
    journal->states[state]++;
    journal->bytes_in += bytes_in;
    journal->records += is_new;
    bool is_written = is_new && journal->file >= 0;
    cp_status status = is_written ? write_line(journal, journal->file, journal->path, line, size) : CP_OK;
    if (journal->failures && state >= STATE_FAILED)
        buffer_append(journal->failures, line, size);
    if (status == CP_OK && journal->log >= 0)
        status = write_line(journal, journal->log, journal->log_path, line, size);
    return status;
}

cp_status journal_record(struct journal *journal, const struct record *record, bool is_new)
{
    journal->line.size = 0;
    if (is_new || journal->log >= 0)
        record_print(record, &journal->line);
    if (journal->line.failed)
        return CP_LIMIT;
    return journal_append(journal, record->state, record->bytes_in, is_new, journal->line.data, journal->line.size);
}

bool flush_file_system(int file)
{
#ifdef __linux__
    return syncfs(file) == 0;
#else
    sync();
    return fsync(file) == 0;
#endif
}

/* Tells whether the path still leads to the journal. */
static bool is_there(const struct journal *journal)
{
    struct stat own, there;
    return fstat(journal->file, &own) == 0 && stat(journal->path, &there) == 0 && own.st_dev == there.st_dev &&
           own.st_ino == there.st_ino;
}

cp_status journal_end(struct journal *journal, const struct whereabouts *here)
{
    const struct run_note note = {.host = here->host,
                                  .isolation = journal->isolation,
                                  .ended = true,
                                  .up_to_date = journal->states[STATE_SKIPPED]};
    if (journal->records > 0 && !flush_file_system(journal->file))
        return fail(journal, journal->path);
    if (!is_there(journal))
        return complain(journal->cli, CP_OUTPUT, "%s was removed meanwhile: run it again", journal->path);
    cp_status status = write_note(journal, &note);
    (void)close(journal->file); /* its lock says that the run goes on */
    journal->file = -1;
    return status;
}

static void clear_line(struct journal *journal)
{
    if (journal->show.line_is_visible)
        fputs("\r\033[K", stderr);
    journal->show.line_is_visible = false;
}

void journal_close(struct journal *journal)
{
    clear_line(journal);
    if (journal->file >= 0)
        (void)close(journal->file);
    if (journal->log >= 0)
        (void)close(journal->log);
    journal->file = journal->log = -1;
    buffer_free(&journal->line);
}

/* ---- how far it is ---- */

void journal_show(struct journal *journal, bool at_end)
{
    struct run_show *shown = &journal->show;
    uint64_t now = milliseconds();
    bool terminal = !shown->json && isatty(STDERR_FILENO);
    uint64_t every = shown->json ? EVERY_JSON : terminal ? EVERY_ON_TERMINAL : EVERY_ELSEWHERE;
    if (at_end)
        clear_line(journal);
    if (shown->quiet || (at_end ? !shown->json : now - shown->shown < every))
        return;
    shown->shown = now;
    uint32_t done = 0, failed = 0, total = journal->entries->count, skipped = journal->states[STATE_SKIPPED];
    for (int i = 0; i < STATE_COUNT; i++) {
        done += journal->states[i];
        failed += i >= STATE_FAILED ? journal->states[i] : 0;
    }
    double seconds = 1e-3 * (double)(now - shown->begun), rate = (double)(done - skipped) / seconds;
    double left = rate > 0 ? (double)(total - done) / rate : 0;
    double megabytes = 1e-6 * (double)journal->bytes_in / seconds;
    if (shown->json) {
        fprintf(
            stderr,
            "{\"done\":%u,\"total\":%u,\"skipped\":%u,\"failed\":%u,\"bytes_in\":%llu,\"seconds\":%.0f,\"ended\":%s}\n",
            done, total, skipped, failed, (unsigned long long)journal->bytes_in, seconds, at_end ? "true" : "false");
    } else {
        fprintf(stderr, "%s%u of %u (%.0f %%), %.0f files/s, %.0f MB/s, %u failed, %.0f s left%s",
                terminal ? "\r\033[K" : "", done, total, 100.0 * done / (total ? total : 1), rate, megabytes, failed,
                left, terminal ? "" : "\n");
        shown->line_is_visible = terminal;
    }
    (void)fflush(stderr);
}

void journal_say(struct journal *journal, const char *text, size_t size)
{
    clear_line(journal);
    (void)fwrite(text, 1, size, journal->cli->messages);
    (void)fflush(journal->cli->messages);
}

void journal_complain(struct journal *journal, const char *in, const char *message, const char *end)
{
    FILE *file = journal->cli->messages;
    clear_line(journal);
    print_shown(file, in);
    fputs(": error: ", file);
    print_shown(file, message);
    fputs(end, file);
}
