/* Shows progress: one line on a terminal, only for long work. */
#include "cli.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_AFTER = 1000, THEN_EVERY = 100, LONGEST_NAME = 40 }; /* milliseconds, bytes */

uint64_t milliseconds(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Prints the file's name without folders, cut between characters. */
static void print_name(const char *file)
{
    char cut[LONGEST_NAME + 1];
    const char *slash = strrchr(file, '/');
    const char *name = slash ? slash + 1 : file;
    size_t size = strlen(name);
    if (size > LONGEST_NAME)
        for (size = LONGEST_NAME; size > 0 && ((unsigned char)name[size] & 0xc0) == 0x80;)
            size--;
    memcpy(cut, name, size);
    cut[size] = '\0';
    fputc(' ', stderr);
    print_shown(stderr, cut);
}

static void show(void *user, const cp_progress *progress)
{
    struct progress *shown = user;
    uint64_t now = milliseconds();
    bool on_terminal = progress->file && strcmp(progress->file, "stdout") == 0 && isatty(STDOUT_FILENO);
    if (now < shown->next || on_terminal) /* the terminal shows the output itself */
        return;
    shown->next = now + THEN_EVERY;
    shown->visible = true;
    fputs("\r\033[K", stderr);
    fputs(progress->work, stderr);
    if (progress->file)
        print_name(progress->file);
    if (progress->unit)
        fprintf(stderr, ": %llu of %llu %s", (unsigned long long)progress->done, (unsigned long long)progress->total,
                progress->unit);
    else if (progress->total > 0)
        fprintf(stderr, " %d %%", (int)(100 * ((double)progress->done / (double)progress->total)));
    else if (progress->done > 0)
        fprintf(stderr, " %llu kB", (unsigned long long)(progress->done / 1000));
    if (progress->undecided > 0)
        fprintf(stderr, ", %llu undecided", (unsigned long long)progress->undecided);
    (void)fflush(stderr);
}

void start_progress(struct cli *cli)
{
    if (cli->quiet || !isatty(STDERR_FILENO))
        return;
    cli->progress.wanted = true;
    cli->progress.next = milliseconds() + FIRST_AFTER;
    cp_set_progress(cli->context, show, &cli->progress);
}

void clear_progress(struct cli *cli)
{
    if (cli->progress.visible)
        fputs("\r\033[K", stderr);
    cli->progress.visible = false;
}
