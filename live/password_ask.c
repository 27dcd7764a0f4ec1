/* Asks for a new password: on the terminal, or on standard input. */
#include "users.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/select.h>
#include <termios.h>
#include <unistd.h>

#include "cellpipe_build.h"

/* These end or stop a program from outside, and would leave the terminal without echo. */
static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGTSTP};
enum { SIGNAL_COUNT = sizeof signals / sizeof *signals };

static volatile sig_atomic_t came; /* the signal that came last; 0: none */

static void note_signal(int number)
{
    came = number;
}

/* A terminal without echo. Signals come while it waits, and at no other time. */
struct terminal {
    int in, out;
    struct termios before;
    sigset_t mask; /* the caller's, and its handlers */
    struct sigaction handlers[SIGNAL_COUNT];
};

enum answer { ANSWER_LINE, ANSWER_NONE, ANSWER_LONG, ANSWER_SIGNAL, ANSWER_ERROR };

/* Waits for the next byte. mask: signals may come with it, and end the wait; NULL: as they do anyway. 0 at the end, -1
 * on errors. */
static ssize_t next_byte(int file, const sigset_t *mask, char *byte)
{
    fd_set files;
    FD_ZERO(&files);
    if (mask && file >= FD_SETSIZE) {
        errno = EMFILE;
        return -1;
    }
    if (mask) {
        FD_SET(file, &files);
        if (pselect(file + 1, &files, NULL, NULL, NULL, mask) < 0)
            return -1;
    }
    return read(file, byte, 1);
}

/* Reads up to the end of a line, and no further. A line that is too long is read and forgotten. */
static enum answer read_line(int file, const sigset_t *mask, char line[MOST_PASSWORD + 1], size_t *size)
{
    bool any = false;
    *size = 0;
    for (;;) {
        char byte = 0;
        ssize_t more = next_byte(file, mask, &byte);
        if (more < 0)
            return errno == EINTR ? ANSWER_SIGNAL : ANSWER_ERROR;
        if (more == 0 && !any)
            return ANSWER_NONE;
        if (more == 0 || byte == '\n')
            break;
        any = true;
        if (*size < MOST_PASSWORD)
            line[*size] = byte;
        ++*size;
    }
    if (*size > MOST_PASSWORD)
        return ANSWER_LONG;
    line[*size] = '\0';
    return ANSWER_LINE;
}

/* Makes the terminal what it was, then lets the signal that came do what it does without us. */
static void end_silence(const struct terminal *terminal)
{
    sigset_t held;
    (void)sigemptyset(&held);
    (void)sigaddset(&held, SIGTTOU); /* it would stop a process in the background before */
    (void)pthread_sigmask(SIG_BLOCK, &held, NULL);
    (void)tcsetattr(terminal->in, TCSAFLUSH, &terminal->before);
    for (int i = 0; i < SIGNAL_COUNT; i++)
        (void)sigaction(signals[i], &terminal->handlers[i], NULL);
    (void)pthread_sigmask(SIG_SETMASK, &terminal->mask, NULL);
    if (came)
        (void)raise(came);
}

/* Turns the echo off, and drops what was typed before. False with errno; the terminal is then as it was. */
static bool begin_silence(struct terminal *terminal)
{
    struct sigaction note = {.sa_handler = note_signal};
    sigset_t held;
    if (tcgetattr(terminal->in, &terminal->before) != 0)
        return false;
    (void)sigemptyset(&note.sa_mask);
    (void)sigemptyset(&held);
    for (int i = 0; i < SIGNAL_COUNT; i++)
        (void)sigaddset(&held, signals[i]);
    (void)pthread_sigmask(SIG_BLOCK, &held, &terminal->mask);
    for (int i = 0; i < SIGNAL_COUNT; i++)
        if (sigaction(signals[i], NULL, &terminal->handlers[i]) == 0 && terminal->handlers[i].sa_handler != SIG_IGN)
            (void)sigaction(signals[i], &note, NULL);
    struct termios silent = terminal->before;
    silent.c_lflag &= ~(tcflag_t)(ECHO | ECHOE | ECHOK | ECHONL);
    silent.c_lflag |= ICANON | ISIG;
    bool good = tcsetattr(terminal->in, TCSAFLUSH, &silent) == 0;
    int cause = errno;
    if (!good)
        end_silence(terminal);
    errno = cause;
    return good;
}

static void say(const struct terminal *terminal, const char *text)
{
    (void)!write(terminal->out, text, strlen(text));
}

static enum answer ask(const struct terminal *terminal, const char *prompt, char line[MOST_PASSWORD + 1], size_t *size)
{
    say(terminal, prompt);
    enum answer answer = read_line(terminal->in, &terminal->mask, line, size);
    say(terminal, "\n"); /* the user's had no echo */
    return answer;
}

/* Asks twice, without echo. *differs: the two are not the same. */
static enum answer ask_twice(const struct terminal *terminal, char password[MOST_PASSWORD + 1], size_t *size,
                             bool *differs)
{
    char again[MOST_PASSWORD + 1];
    size_t again_size;
    enum answer answer = ask(terminal, "New password: ", password, size);
    if (answer != ANSWER_LINE || password_fault(password, *size))
        return answer;
    answer = ask(terminal, "Again: ", again, &again_size);
    *differs = again_size != *size || !same_secret(password, again, again_size);
    forget_secret(again, sizeof again);
    return answer == ANSWER_LONG ? ANSWER_LINE : answer;
}

static enum answer ask_terminal(char password[MOST_PASSWORD + 1], size_t *size, bool *differs)
{
    struct terminal terminal = {.in = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)};
    bool opened = terminal.in >= 0;
    terminal.out = opened ? terminal.in : STDERR_FILENO;
    terminal.in = opened ? terminal.in : STDIN_FILENO;
    enum answer answer;
    int cause;
    do {
        came = 0;
        bool silent = begin_silence(&terminal);
        answer = silent ? ask_twice(&terminal, password, size, differs) : ANSWER_ERROR;
        answer = came ? ANSWER_SIGNAL : answer;
        cause = errno;
        if (silent)
            end_silence(&terminal);
    } while (came == SIGTSTP); /* it was stopped, goes on, and asks again */
    if (opened)
        (void)close(terminal.in);
    errno = cause;
    return answer;
}

cp_status password_ask(cp_context *context, char password[MOST_PASSWORD + 1])
{
    bool differs = false;
    size_t size = 0;
    enum answer answer =
        isatty(STDIN_FILENO) ? ask_terminal(password, &size, &differs) : read_line(STDIN_FILENO, NULL, password, &size);
    if (answer == ANSWER_SIGNAL)
        return CP_CANCELLED;
    if (answer == ANSWER_ERROR)
        return cp_report_error(context, CP_USAGE, "users-password", NULL, 0, "a password cannot be read: %s",
                               strerror(errno));
    if (answer == ANSWER_NONE)
        return cp_report_error(context, CP_USAGE, "users-password", NULL, 0,
                               "there is no password: it is asked for on a terminal, or is the first line of standard "
                               "input");
    const char *fault =
        answer == ANSWER_LONG ? password_fault(password, MOST_PASSWORD + 1) : password_fault(password, size);
    fault = !fault && differs ? "the two passwords differ" : fault;
    return fault ? cp_report_error(context, CP_USAGE, "users-password", NULL, 0, "%s", fault) : CP_OK;
}
