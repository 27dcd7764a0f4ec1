/* Writes the status file of a run, and shows its progress and messages. */
#include "batch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
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
    return complain(cli, CP_OUTPUT, "the folder %s cannot be made: %s", folder, strerror(above ? above : errno));
}

static cp_status fail(struct journal *journal)
{
    return complain(journal->site->cli, CP_OUTPUT, "%s: cannot be written: %s", journal->path, strerror(errno));
}

static cp_status write_line(struct journal *journal, const char *line, size_t size)
{
    ssize_t done;
    do
        done = write(journal->file, line, size);
    while (done < 0 && errno == EINTR);
    if (done >= 0 && (size_t)done < size)
        errno = ENOSPC; /* a part of a line, which readers ignore */
    return done >= 0 && (size_t)done == size ? CP_OK : fail(journal);
}

cp_status journal_open(const struct batch_request *asked, const struct batch_site *site, const struct batch_work *work,
                       struct journal *journal)
{
    struct cli *cli = site->cli;
    char last = '\n';
    struct stat facts;
    *journal = (struct journal){.asked = asked,
                                .site = site,
                                .entries = &work->entries,
                                .file = -1,
                                .line.context = cli->context,
                                .begun = milliseconds()};
    journal->shown = journal->begun;
    journal->path = asked->status_path ? asked->status_path
                                       : arena_print(site->arena, "%s/%s-%ld-%u.jsonl", site->status_folder, site->host,
                                                     (long)getpid(), (unsigned)asked->shard.index);
    cp_status made = journal->path ? CP_OK : CP_LIMIT;
    if (made == CP_OK && !asked->status_path)
        made = make_folder(cli, arena_print(site->arena, "%s", site->status_folder));
    if (made != CP_OK)
        return made;
    journal->file = open(journal->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (journal->file < 0 || fstat(journal->file, &facts) != 0)
        return fail(journal);
    journal->is_regular = S_ISREG(facts.st_mode);
    journal->start = (uint64_t)facts.st_size;
    /* A killed run may have left a part of a line: end it, so that it stays a line of its own. */
    if (journal->is_regular && facts.st_size > 0 && pread(journal->file, &last, 1, facts.st_size - 1) == 1 &&
        last != '\n')
        made = write_line(journal, "\n", 1);
    return made == CP_OK ? journal_note(journal) : made;
}

cp_status journal_note(struct journal *journal)
{
    const struct entries *entries = journal->entries;
    struct run_note note = {.host = journal->site->host,
                            .isolation = journal->isolation,
                            .passed_over = entries->passed_over,
                            .passed_count = entries->passed_count};
    journal->line.size = 0;
    run_note_print(&note, &journal->line);
    return journal->line.failed ? CP_LIMIT : write_line(journal, journal->line.data, journal->line.size);
}

cp_status journal_append(struct journal *journal, enum state state, uint64_t bytes_in, const char *line, size_t size)
{
    journal->states[state]++;
    journal->bytes_in += bytes_in;
    return write_line(journal, line, size);
}

cp_status journal_record(struct journal *journal, const struct record *record)
{
    journal->line.size = 0;
    record_print(record, &journal->line);
    if (journal->line.failed)
        return CP_LIMIT;
    return journal_append(journal, record->state, record->bytes_in, journal->line.data, journal->line.size);
}

static void clear_line(struct journal *journal)
{
    if (journal->line_is_visible)
        fputs("\r\033[K", stderr);
    journal->line_is_visible = false;
}

void journal_close(struct journal *journal)
{
    clear_line(journal);
    if (journal->file >= 0)
        (void)close(journal->file);
    journal->file = -1;
    buffer_free(&journal->line);
}

/* ---- how far it is ---- */

void journal_show(struct journal *journal)
{
    uint64_t now = milliseconds();
    int progress = journal->asked->progress;
    bool json = progress == PROGRESS_JSON;
    bool none = progress == PROGRESS_AUTO ? journal->site->cli->quiet : !json;
    bool terminal = !json && isatty(STDERR_FILENO);
    if (none || now - journal->shown < (json ? EVERY_JSON : terminal ? EVERY_ON_TERMINAL : EVERY_ELSEWHERE))
        return;
    journal->shown = now;
    uint32_t done = 0, failed = 0, total = journal->entries->count, skipped = journal->states[STATE_SKIPPED];
    for (int i = 0; i < STATE_COUNT; i++) {
        done += journal->states[i];
        failed += i >= STATE_FAILED ? journal->states[i] : 0;
    }
    double seconds = 1e-3 * (double)(now - journal->begun), rate = (double)(done - skipped) / seconds;
    double left = rate > 0 ? (double)(total - done) / rate : 0;
    double megabytes = 1e-6 * (double)journal->bytes_in / seconds;
    if (json) {
        fprintf(stderr, "{\"done\":%u,\"total\":%u,\"skipped\":%u,\"failed\":%u,\"bytes_in\":%llu,\"seconds\":%.0f}\n",
                done, total, skipped, failed, (unsigned long long)journal->bytes_in, seconds);
    } else {
        fprintf(stderr, "%s%u of %u (%.0f %%), %.0f files/s, %.0f MB/s, %u failed, %.0f s left%s",
                terminal ? "\r\033[K" : "", done, total, 100.0 * done / (total ? total : 1), rate, megabytes, failed,
                left, terminal ? "" : "\n");
        journal->line_is_visible = terminal;
    }
    (void)fflush(stderr);
}

void journal_say(struct journal *journal, const char *text, size_t size)
{
    clear_line(journal);
    (void)fwrite(text, 1, size, journal->site->cli->messages);
    (void)fflush(journal->site->cli->messages);
}

void journal_complain(struct journal *journal, const char *in, const char *message, const char *end)
{
    FILE *file = journal->site->cli->messages;
    clear_line(journal);
    print_shown(file, in);
    fputs(": error: ", file);
    print_shown(file, message);
    fputs(end, file);
}
