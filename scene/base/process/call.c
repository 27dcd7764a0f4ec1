#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdnoreturn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/context.h"
#include "base/text/text.h"

const char *signal_words(int number)
{
    static const struct {
        int number;
        const char *words;
    } known[] = {{SIGSEGV, "Segmentation fault"},
                 {SIGABRT, "Aborted"},
                 {SIGBUS, "Bus error"},
                 {SIGFPE, "Arithmetic error"},
                 {SIGILL, "Illegal instruction"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].number == number)
            return known[i].words;
    return "unusual";
}

/* ---- the process ---- */

static noreturn void run_call(const struct isolated_call *call, int out)
{
    static const int reset[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGALRM};
    for (size_t i = 0; i < sizeof reset / sizeof *reset; i++)
        (void)signal(reset[i], SIG_DFL);
    int nowhere = open("/dev/null", O_RDWR);
    if (nowhere < 0 || dup2(nowhere, STDIN_FILENO) < 0 || dup2(nowhere, STDOUT_FILENO) < 0 ||
        dup2(nowhere, STDERR_FILENO) < 0)
        _exit(1);
    call->work(call->user, call->answer);
    for (size_t done = 0; done < call->size;) {
        ssize_t size = write(out, (const char *)call->answer + done, call->size - done);
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            _exit(1);
        done += (size_t)size;
    }
    _exit(0);
}

/* ---- its parent ---- */

enum outcome { OUTCOME_ANSWER, OUTCOME_END, OUTCOME_LATE, OUTCOME_CANCELLED };

static enum outcome hear(cp_context *context, const struct isolated_call *call, int in)
{
    enum { PATIENCE = 50 }; /* milliseconds between questions whether the call is cancelled */
    uint64_t deadline = milliseconds_now() + (uint64_t)(1000 * call->seconds);
    for (size_t done = 0; done < call->size;) {
        if (context_is_cancelled(context))
            return OUTCOME_CANCELLED;
        uint64_t now = milliseconds_now();
        if (now >= deadline)
            return OUTCOME_LATE;
        struct pollfd waiting = {.fd = in, .events = POLLIN};
        int ready = poll(&waiting, 1, deadline - now < PATIENCE ? (int)(deadline - now) : PATIENCE);
        if (ready <= 0)
            continue;
        ssize_t size = read(in, (char *)call->answer + done, call->size - done);
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            return OUTCOME_END;
        done += (size_t)size;
    }
    return OUTCOME_ANSWER;
}

/* Ends it, and tells how it did. */
static int end_process(pid_t process, bool is_ending)
{
    int how = 0;
    if (!is_ending)
        (void)kill(process, SIGKILL);
    while (waitpid(process, &how, 0) < 0 && errno == EINTR)
        ;
    return how;
}

cp_status isolate_call(cp_context *context, const struct isolated_call *call, char why[CALL_REASON])
{
    int answer[2] = {-1, -1};
    pid_t process = pipe(answer) == 0 ? fork() : -1;
    if (process < 0) {
        int error = errno;
        if (answer[0] >= 0) {
            (void)close(answer[0]);
            (void)close(answer[1]);
        }
        return report_error(context, CP_LIMIT, "call-fork", NOWHERE, "no process can be started: %s", strerror(error));
    }
    if (process == 0) {
        (void)close(answer[0]);
        run_call(call, answer[1]);
    }
    (void)close(answer[1]);
    enum outcome outcome = hear(context, call, answer[0]);
    (void)close(answer[0]);
    int how = end_process(process, outcome == OUTCOME_END);
    if (outcome == OUTCOME_ANSWER)
        return CP_OK;
    if (outcome == OUTCOME_CANCELLED)
        return CP_LIMIT;
    if (outcome == OUTCOME_LATE)
        (void)snprintf(why, CALL_REASON, "took longer than %s s", show_three_digits(call->seconds).text);
    else if (WIFSIGNALED(how))
        (void)snprintf(why, CALL_REASON, "crashed (signal %d, %s)", WTERMSIG(how), signal_words(WTERMSIG(how)));
    else
        (void)snprintf(why, CALL_REASON, "ended its process (exit %d)", WIFEXITED(how) ? WEXITSTATUS(how) : -1);
    return CP_NO;
}
