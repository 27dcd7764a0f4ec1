/* Ctrl-C and its like: the first one is noted, so that the library stops and takes its temporary files away; then the
 * program ends as the signal would have ended it. A second one, or a library that does not stop (assimp cannot be
 * asked), ends it at once. */
#include "cli.h"

#include <signal.h>
#include <unistd.h>

enum { PATIENCE_SECONDS = 3 };

static volatile sig_atomic_t caught; /* a signal handler can reach nothing else */

/* Of the signal that was caught; an alarm of somebody else's ends the program as its own. */
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
    (void)alarm(PATIENCE_SECONDS);
}

static void handle(int signal_number, void (*handler)(int))
{
    struct sigaction old, action = {.sa_handler = handler}; /* without SA_RESTART: waiting reads and writes return */
    (void)sigemptyset(&action.sa_mask);
    if (sigaction(signal_number, NULL, &old) == 0 && old.sa_handler != SIG_IGN) /* nohup asks to go on */
        (void)sigaction(signal_number, &action, NULL);
}

void catch_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        handle(signals[i], note_signal);
    handle(SIGALRM, end_now);
    (void)signal(SIGPIPE, SIG_DFL); /* a closed pipe ends the program silently, even under a parent that ignores it */
    (void)signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is an error of writing */
}

bool was_interrupted(void *user)
{
    (void)user;
    return caught != 0;
}

void end_if_interrupted(void)
{
    if (caught)
        end_now(caught);
}
