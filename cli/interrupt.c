/* Handles Ctrl-C and similar signals. The first one is noted, so that the library stops and removes its temporary
 * files; then the program ends as the signal would have ended it. A second one, or a library that does not stop (assimp
 * cannot), ends it at once. While exclude searches, the first Ctrl-C ends the search alone: its decisions so far are
 * written before the program ends.
 *
 * If somebody cuts a mapped file short, a read of the missing bytes raises SIGBUS: zeros replace them, and the library
 * is stopped in the same way. */
#include "cli.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PATIENCE_SECONDS = 3 };

static atomic_int caught; /* a signal handler may change it, in one thread, while others read it */
static atomic_int bytes_missing;
static atomic_bool results_wanted; /* Ctrl-C ends a search, whose findings are then written */
static size_t page_size;

/* Ends the program by the signal that was caught; by the alarm itself if another process sent it. */
static void end_now(int signal_number)
{
    int cause = caught ? caught : signal_number;
    (void)signal(cause, SIG_DFL);
    (void)raise(cause);
}

static void note_signal(int signal_number)
{
    if (caught) {
        end_now(signal_number);
        return;
    }
    caught = signal_number;
    if (!must_end_search(NULL))
        (void)alarm(PATIENCE_SECONDS);
}

/* A worker's supervisor decides when it ends, so a second signal changes nothing. A signal may have come to the worker
 * alone, and some work asks no one whether to go on. */
static void note_alone(int signal_number)
{
    if (!caught)
        (void)alarm(PATIENCE_SECONDS);
    caught = signal_number;
}

static void replace_page(int signal_number, siginfo_t *info, void *unused)
{
    (void)unused;
    bytes_missing = 1;
    char *page = (char *)info->si_addr - (uintptr_t)info->si_addr % page_size;
    if (info->si_code != BUS_ADRERR ||
        mmap(page, page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
        (void)signal(signal_number, SIG_DFL); /* the instruction is tried again, and ends the program */
}

static void handle(int signal_number, void (*handler)(int))
{
    struct sigaction old, action = {.sa_handler = handler}; /* no SA_RESTART: waiting reads and writes return */
    (void)sigemptyset(&action.sa_mask);
    if (sigaction(signal_number, NULL, &old) == 0 && old.sa_handler != SIG_IGN) /* nohup demands to ignore it */
        (void)sigaction(signal_number, &action, NULL);
}

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

void catch_signals(void)
{
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        handle(signals[i], note_signal);
    handle(SIGALRM, end_now);
    struct sigaction missing = {.sa_sigaction = replace_page, .sa_flags = SA_SIGINFO};
    (void)sigemptyset(&missing.sa_mask);
    page_size = (size_t)sysconf(_SC_PAGESIZE);
    (void)sigaction(SIGBUS, &missing, NULL);
    (void)signal(SIGPIPE, SIG_DFL); /* a closed pipe ends the program silently, even under a parent that ignores it */
    (void)signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is an error of writing */
}

void obey_supervisor(void)
{
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        handle(signals[i], note_alone);
}

bool was_interrupted(void)
{
    return caught != 0;
}

bool must_stop(void *user)
{
    (void)user;
    return (caught != 0 && !must_end_search(NULL)) || bytes_missing != 0;
}

void want_results(bool wanted)
{
    results_wanted = wanted;
}

bool must_end_search(void *user)
{
    (void)user;
    return results_wanted && caught == SIGINT;
}

bool were_bytes_missing(void)
{
    return bytes_missing != 0;
}

void forget_missing_bytes(void)
{
    bytes_missing = 0;
}

void end_if_interrupted(void)
{
    if (caught)
        end_now(caught);
}
