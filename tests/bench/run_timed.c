/* run_timed [--memory] [--limit SECONDS] RESULT COMMAND...
 *
 * Runs the command and adds a line to the file RESULT: seconds on the wall, seconds of CPU time (user and system, with
 * its own children's), and the peak of its anonymous memory in MiB. The last is 0 without --memory: RssAnon of
 * /proc/PID/status is asked for twice a millisecond, too often for a run whose time counts, and a peak shorter than
 * that is missed. Ends with the command's exit code; with 124 when the command took longer than the limit and was
 * ended. */
#include "mesh.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct options {
    int memory;
    double limit;
    const char *result;
    char **command;
};

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

/* KiB of anonymous memory; 0 when the process is gone. */
static unsigned long anonymous_memory(const char *status_path)
{
    char text[4096];
    int file = open(status_path, O_RDONLY);
    if (file < 0)
        return 0;
    ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    text[size > 0 ? size : 0] = 0;
    const char *field = strstr(text, "RssAnon:");
    return field ? strtoul(field + 8, NULL, 10) : 0;
}

/* Waits for the child; SIGCHLD is blocked. Returns its status, *peak in KiB. */
static int watch_child(pid_t child, const struct options *options, unsigned long *peak)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/status", (long)child);
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    const struct timespec pause = {options->memory ? 0 : 1, options->memory ? 500000 : 0};
    double end = seconds_now() + options->limit;
    int status, killed = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (options->memory) {
            unsigned long now = anonymous_memory(path);
            *peak = now > *peak ? now : *peak;
        }
        if (seconds_now() > end && !killed)
            killed = kill(child, SIGKILL) == 0;
        sigtimedwait(&ended, NULL, &pause);
    }
    if (killed)
        return 124;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static pid_t start_child(char **command)
{
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ended, NULL);
    pid_t child = fork();
    if (child < 0)
        fail("no new process: %s", strerror(errno));
    if (child == 0) {
        sigprocmask(SIG_UNBLOCK, &ended, NULL);
        execvp(command[0], command);
        fprintf(stderr, "bench: %s: %s\n", command[0], strerror(errno));
        _exit(127);
    }
    return child;
}

static struct options parse_arguments(int count, char **arguments)
{
    struct options options = {.limit = 3600};
    int i = 1;
    for (; i < count && strncmp(arguments[i], "--", 2) == 0; i++) {
        if (strcmp(arguments[i], "--memory") == 0)
            options.memory = 1;
        else if (strcmp(arguments[i], "--limit") == 0 && i + 1 < count)
            options.limit = strtod(arguments[++i], NULL);
        else
            fail("unknown option %s", arguments[i]);
    }
    if (count - i < 2)
        fail("usage: run_timed [--memory] [--limit SECONDS] RESULT COMMAND...");
    options.result = arguments[i];
    options.command = arguments + i + 1;
    return options;
}

int main(int count, char **arguments)
{
    struct options options = parse_arguments(count, arguments);
    unsigned long peak = 0;
    double begin = seconds_now();
    int code = watch_child(start_child(options.command), &options, &peak);
    double wall = seconds_now() - begin;
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    FILE *file = fopen(options.result, "a");
    if (!file)
        fail("%s cannot be written", options.result);
    fprintf(file, "%.4f %.4f %.1f\n", wall, seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime),
            (double)peak / 1024);
    close_output(file, options.result);
    return code;
}
