/* Processes of our own: forked, restrained, heard, ended. */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include "base/base.h"
#include "base/context.h"

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

enum {
    CHANNEL = 3,            /* the channel's number in a process of foreign code */
    PATIENCE = 500,         /* milliseconds after which process_transfer asks whether the process lives */
    PATIENCE_IF_ASKED = 50, /* and whether the call is cancelled */
};

static void close_both(const int files[2])
{
    int error = errno;
    (void)close(files[0]);
    (void)close(files[1]);
    errno = error;
}

/* ---- in the process ---- */

/* The parent decides when all ends: a Ctrl-C goes to both of them. Signals of a crash end the process, so that the
 * parent sees which it was. */
static void reset_signals(void)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    static const int usual[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGPIPE, SIGALRM, SIGXCPU};
    sigset_t none;
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        (void)signal(ignored[i], SIG_IGN);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        (void)signal(usual[i], SIG_DFL);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

static void close_from(int first)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, (unsigned)first, ~0U, 0U) == 0)
        return;
#endif
    enum { MOST_FILES = 1 << 16 }; /* a bound, since some systems allow a billion */
    long most = sysconf(_SC_OPEN_MAX);
    for (int file = first; file < (most > 0 && most < MOST_FILES ? most : MOST_FILES); file++)
        (void)close(file);
}

/* Returns the number of the process's end of the channel, or -1. Foreign code has no other file than this one and
 * standard error. */
static int take_descriptors(const int channel[2], const int words[2], bool is_foreign)
{
    int own = fcntl(channel[1], F_DUPFD_CLOEXEC, CHANNEL + 1);
    int said = fcntl(words[1], F_DUPFD_CLOEXEC, CHANNEL + 1);
    close_both(channel);
    close_both(words);
    if (own < 0 || said < 0 || dup2(said, STDERR_FILENO) < 0)
        return -1;
    (void)close(said);
    if (is_foreign) {
        (void)close(STDIN_FILENO);
        (void)close(STDOUT_FILENO);
        if (dup2(own, CHANNEL) < 0)
            return -1;
        close_from(CHANNEL + 1);
        return CHANNEL;
    }
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nowhere < 0 || dup2(nowhere, STDIN_FILENO) < 0 || dup2(nowhere, STDOUT_FILENO) < 0)
        return -1;
    if (nowhere > STDERR_FILENO)
        (void)close(nowhere);
    return own;
}

bool cp_process_transfer(int channel, void *bytes, size_t size, bool sends, bool (*stops)(void))
{
    for (char *at = bytes; size > 0;) {
        ssize_t done = sends ? write(channel, at, size) : read(channel, at, size);
        if (done == 0 || (done < 0 && (errno != EINTR || (stops && stops()))))
            return false;
        at += done > 0 ? done : 0;
        size -= done > 0 ? (size_t)done : 0;
    }
    return true;
}

/* ---- its start ---- */

static bool open_both(int channel[2], int words[2])
{
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, channel) != 0)
        return false;
    if (pipe(words) != 0) {
        close_both(channel);
        return false;
    }
    for (int i = 0; i < 2; i++) { /* programs which the host starts meanwhile do not inherit it */
        (void)fcntl(channel[i], F_SETFD, FD_CLOEXEC);
        (void)fcntl(words[i], F_SETFD, FD_CLOEXEC);
    }
    (void)fcntl(words[0], F_SETFL, O_NONBLOCK);
    return true;
}

bool cp_process_start(struct process *process, bool is_foreign, void (*work)(void *user, int channel), void *user)
{
    int channel[2], words[2];
    if (!open_both(channel, words))
        return false;
    pid_t parent = getpid(), id = fork();
    if (id == 0) {
#ifdef __linux__
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
#endif
        if (getppid() != parent)
            _exit(1);
        if (is_foreign)
            reset_signals();
        int own = take_descriptors(channel, words, is_foreign);
        if (own >= 0)
            work(user, own);
        _exit(own < 0);
    }
    if (id < 0) {
        close_both(channel);
        close_both(words);
        return false;
    }
    (void)close(channel[1]);
    (void)close(words[1]);
    *process = (struct process){.id = id, .channel = channel[0], .words = words[0]};
    return true;
}

/* ---- what it says ---- */

/* Keeps the end of what it prints. False when there is nothing, now or any more. */
static bool hear_words(struct process *process)
{
    char text[CP_MOST_SAID];
    ssize_t got = read(process->words, text, sizeof text);
    if (got > 0) {
        size_t more = (size_t)got, keep = process->said_size;
        if (keep + more > CP_MOST_SAID)
            keep = CP_MOST_SAID - more;
        memmove(process->said, process->said + process->said_size - keep, keep);
        for (size_t i = 0; i < more; i++)
            process->said[keep + i] = text[i] ? text[i] : '?';
        process->said_size = keep + more;
        process->said[process->said_size] = '\0';
    } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
        (void)close(process->words);
        process->words = -1;
    }
    return got > 0;
}

/* Tells whether the process has ended, without reaping it. If nobody knows (the host ignores SIGCHLD), it counts as
 * ended. */
static bool is_gone(pid_t id)
{
    siginfo_t info = {0};
    if (id == 0)
        return false;
    return waitid(P_PID, (id_t)id, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ? errno != EINTR : info.si_pid != 0;
}

void cp_process_wait(struct process *const *processes, uint32_t count, short events, int milliseconds)
{
    struct pollfd files[2 * CP_MOST_PROCESSES];
    for (uint32_t i = 0; i < count; i++) {
        files[2 * i] = (struct pollfd){.fd = processes[i]->channel, .events = events};
        files[2 * i + 1] = (struct pollfd){.fd = processes[i]->words, .events = POLLIN}; /* -1 is passed over */
    }
    int ready = poll(files, 2 * count, milliseconds);
    for (uint32_t i = 0; i < count; i++) {
        if (ready > 0 && files[2 * i + 1].revents)
            (void)hear_words(processes[i]);
        if (ready <= 0)
            processes[i]->gone = is_gone(processes[i]->id); /* its earlier words may still be there */
        processes[i]->ready = ready > 0 ? files[2 * i].revents != 0 : processes[i]->gone;
    }
}

enum hearing process_transfer(cp_context *context, struct process *process, void *bytes, size_t size, bool sends,
                              uint64_t deadline)
{
    for (char *at = bytes; size > 0;) {
        uint64_t now = milliseconds_now(), patience = PATIENCE;
        if (context_is_cancelled(context))
            return HEARD_NO_MORE;
        if (deadline && now >= deadline)
            return HEARD_NOTHING;
        if (context->callbacks.is_cancelled)
            patience = PATIENCE_IF_ASKED;
        if (deadline && deadline - now < patience)
            patience = deadline - now;
        cp_process_wait(&process, 1, sends ? POLLOUT : POLLIN, (int)patience);
        if (!process->ready)
            continue;
        ssize_t moved = sends ? send(process->channel, at, size, MSG_DONTWAIT | MSG_NOSIGNAL)
                              : recv(process->channel, at, size, MSG_DONTWAIT);
        if (moved > 0) {
            at += moved;
            size -= (size_t)moved;
        } else if (moved == 0 || (errno != EINTR && (errno != EAGAIN || process->gone))) {
            return HEARD_END;
        }
    }
    return HEARD_ANSWER;
}

/* ---- its end ---- */

void cp_process_end(struct process *process, uint32_t milliseconds)
{
    enum { MOST_READS = 256 }; /* another process may hold the pipe and print on */
    uint64_t deadline = milliseconds_now() + milliseconds;
    int how = 0;
    pid_t ended = 0;
    struct rusage used = {0};
    while (milliseconds > 0 && (ended = wait4(process->id, &how, WNOHANG, &used)) == 0 && milliseconds_now() < deadline)
        (void)poll(NULL, 0, 1);
    process->killed = ended == 0;
    while (ended == 0 || (ended < 0 && errno == EINTR)) {
        (void)kill(process->id, SIGKILL);
        ended = wait4(process->id, &how, 0, &used);
    }
    process->signal = ended > 0 && WIFSIGNALED(how) ? WTERMSIG(how) : 0;
    process->exit_code = ended > 0 && WIFEXITED(how) ? WEXITSTATUS(how) : -1;
    process->most_memory = (uint64_t)used.ru_maxrss * 1024;
    for (int i = 0; i < MOST_READS && process->words >= 0 && hear_words(process); i++)
        ;
    cp_process_leave(process);
    process->id = 0;
}

void cp_process_leave(const struct process *process)
{
    (void)close(process->channel);
    if (process->words >= 0)
        (void)close(process->words);
}

const char *cp_process_last_line(struct process *process)
{
    char *said = process->said;
    size_t size = process->said_size;
    while (size > 0 && (unsigned char)said[size - 1] <= ' ')
        size--;
    said[size] = '\0';
    char *line = strrchr(said, '\n');
    return line ? line + 1 : said;
}

void process_describe_end(const struct process *process, char text[PROCESS_END])
{
    static const struct {
        int number;
        const char *words;
    } known[] = {{SIGSEGV, "Segmentation fault"},
                 {SIGABRT, "Aborted"},
                 {SIGBUS, "Bus error"},
                 {SIGFPE, "Arithmetic error"},
                 {SIGILL, "Illegal instruction"}};
    const char *words = "unusual";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].number == process->signal)
            words = known[i].words;
    if (process->signal && !process->killed)
        (void)snprintf(text, PROCESS_END, "crashed (signal %d, %s)", process->signal, words);
    else if (process->exit_code >= 0)
        (void)snprintf(text, PROCESS_END, "ended its process (exit %d)", process->exit_code);
    else
        (void)snprintf(text, PROCESS_END, "gave no answer");
}
