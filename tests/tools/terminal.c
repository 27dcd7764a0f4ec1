/* terminal STEP... -- COMMAND...: a command on a terminal of its own, and what somebody does there, step by step. What
 * the terminal showed goes to standard output. Ends with 1, and says why, if a step fails. Steps:
 *   sees:TEXT     wait until the terminal shows it, behind what the step before it saw
 *   types:TEXT    press these keys: a carriage return is Enter, the byte 3 is Ctrl-C
 *   echo:on|off   the terminal shows what is typed, or not
 *   gets:NAME     send the command a signal: INT, TERM, HUP, QUIT or ALRM
 *   stops         wait until the command is stopped; echo must be on
 *   goes-on       let it go on in the foreground
 *   ends:CODE     wait for the command's end: its exit code, or 128 and the signal
 * The command is a job in the foreground of a session, as a shell starts it. Ten minutes after its start, all ends. */
#define _XOPEN_SOURCE 700

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { MOST_SHOWN = 1 << 16 };

static int master, slave; /* the ends of the terminal: the keyboard's and screen's, and the command's */
static pid_t command;
static char shown[MOST_SHOWN + 1];
static size_t size, seen; /* bytes shown, and those behind which `sees` looks */

static void die(const char *step, const char *why)
{
    (void)fwrite(shown, 1, size, stdout);
    (void)fflush(stdout);
    (void)fprintf(stderr, "terminal: %s: %s\n", step, why);
    (void)kill(command, SIGKILL);
    exit(1);
}

/* Takes what the terminal shows, for a while at most. */
static void look(int milliseconds)
{
    struct pollfd file = {.fd = master, .events = POLLIN};
    if (poll(&file, 1, milliseconds) <= 0 || !(file.revents & POLLIN))
        return;
    ssize_t more = read(master, shown + size, MOST_SHOWN - size);
    size += more > 0 ? (size_t)more : 0;
    shown[size] = '\0';
}

static bool has_echo(void)
{
    struct termios terminal;
    return tcgetattr(slave, &terminal) == 0 && (terminal.c_lflag & ECHO);
}

/* Tells whether the command has ended, or with WUNTRACED stopped. The system tells an end once, and steps that only see
 * may be the first to ask. */
static bool has_changed(const char *step, int options, int *how)
{
    static bool has_ended;
    static int how_ended;
    if (!has_ended) {
        pid_t changed = waitpid(command, &how_ended, options | WNOHANG);
        if (changed < 0)
            die(step, strerror(errno));
        if (changed == 0)
            return false;
        has_ended = !WIFSTOPPED(how_ended);
    }
    *how = how_ended;
    return true;
}

/* Waits for the command's end or stop. */
static int wait_for_command(const char *step, int options)
{
    int how;
    while (!has_changed(step, options, &how))
        look(10);
    return how;
}

static void see(const char *step, const char *text)
{
    char *found;
    int how;
    while (!(found = strstr(shown + seen, text))) {
        if (has_changed(step, 0, &how)) {
            look(0);
            if (!strstr(shown + seen, text))
                die(step, "the command has ended");
            continue;
        }
        look(10);
    }
    seen = (size_t)(found - shown) + strlen(text);
}

static void send_signal(const char *step, const char *name)
{
    static const struct {
        const char *name;
        int number;
    } signals[] = {{"INT", SIGINT}, {"TERM", SIGTERM}, {"HUP", SIGHUP}, {"QUIT", SIGQUIT}, {"ALRM", SIGALRM}};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (strcmp(name, signals[i].name) == 0) {
            (void)kill(command, signals[i].number);
            return;
        }
    die(step, "no such signal");
}

static void end(const char *step, int code)
{
    int how = wait_for_command(step, 0);
    int got = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
    char why[40];
    (void)snprintf(why, sizeof why, "it ended with %d", got);
    if (got != code)
        die(step, why);
}

static void do_step(const char *step)
{
    const char *word = strchr(step, ':');
    word = word ? word + 1 : "";
    if (strncmp(step, "sees:", 5) == 0) {
        see(step, word);
    } else if (strncmp(step, "types:", 6) == 0) {
        if (write(master, word, strlen(word)) != (ssize_t)strlen(word))
            die(step, "the terminal does not take it");
    } else if (strncmp(step, "echo:", 5) == 0) {
        if (has_echo() != (strcmp(word, "on") == 0))
            die(step, "it is not so");
    } else if (strncmp(step, "gets:", 5) == 0) {
        send_signal(step, word);
    } else if (strcmp(step, "stops") == 0) {
        if (!WIFSTOPPED(wait_for_command(step, WUNTRACED)))
            die(step, "it ended");
        if (!has_echo())
            die(step, "there is no echo");
    } else if (strcmp(step, "goes-on") == 0) {
        (void)tcsetpgrp(slave, command);
        (void)kill(command, SIGCONT);
    } else if (strncmp(step, "ends:", 5) == 0) {
        end(step, atoi(word));
    } else {
        die(step, "no such step");
    }
}

/* Starts the command as a job of this session, in the foreground. */
static void start(char **words)
{
    command = fork();
    if (command == 0) {
        (void)setpgid(0, 0);
        (void)tcsetpgrp(slave, getpid());
        for (int file = 0; file <= STDERR_FILENO; file++)
            (void)dup2(slave, file);
        (void)close(slave);
        (void)close(master);
        (void)signal(SIGTTOU, SIG_DFL);
        (void)signal(SIGHUP, SIG_DFL);
        (void)execvp(*words, words);
        _exit(127);
    }
}

int main(int argc, char **argv)
{
    int dash = 1, how;
    while (dash < argc && strcmp(argv[dash], "--") != 0)
        dash++;
    if (dash + 1 >= argc)
        return 2;
    pid_t session = fork(); /* a leader of a group cannot begin a session */
    if (session != 0)
        return session > 0 && waitpid(session, &how, 0) == session && WIFEXITED(how) ? WEXITSTATUS(how) : 1;
    (void)setsid();
    (void)alarm(600);
    (void)signal(SIGTTOU, SIG_IGN);
    (void)signal(SIGHUP, SIG_IGN);
    master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
        return 1;
    slave = open(ptsname(master), O_RDWR); /* it becomes the session's */
    if (slave < 0)
        return 1;
    start(argv + dash + 1);
    for (int i = 1; i < dash; i++)
        do_step(argv[i]);
    look(0);
    (void)fwrite(shown, 1, size, stdout);
    return 0;
}
