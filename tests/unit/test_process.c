/* The engine of processes: what it starts it hears, ends and can tell the end of, and nothing is left. */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "base/process/process.h"
#include "fixture.h"

enum { LONG_TIME = 60 * 1000 }; /* milliseconds, which nobody waits for */

static uint32_t count_descriptors(void)
{
    uint32_t count = 0;
    DIR *folder = opendir("/dev/fd");
    for (struct dirent *item; folder && (item = readdir(folder));)
        count += item->d_name[0] != '.';
    if (folder)
        (void)closedir(folder);
    return count;
}

/* Sends back what comes, byte by byte, until a zero. */
static void echo(void *user, int channel)
{
    (void)user;
    for (char byte = 1; byte;)
        if (!cp_process_transfer(channel, &byte, 1, false, NULL) || !cp_process_transfer(channel, &byte, 1, true, NULL))
            _exit(1);
}

static void die(void *user, int channel)
{
    (void)channel;
    const char *how = user;
    if (strcmp(how, "exit") == 0)
        _exit(3);
    if (strcmp(how, "wait") == 0)
        for (;;)
            (void)pause();
    (void)signal(SIGSEGV, SIG_DFL); /* of a sanitizer */
    (void)raise(strcmp(how, "segv") == 0 ? SIGSEGV : SIGKILL);
}

static void print(void *user, int channel)
{
    (void)channel;
    FILE *words = fdopen(STDERR_FILENO, "w");
    for (int i = 0; words && i < 3000; i++)
        fprintf(words, "line %d\n", i);
    if (words)
        fprintf(words, "%s", (const char *)user);
    if (words)
        (void)fclose(words);
}

static void test_bytes_come_back(void **state)
{
    cp_context *context = *state;
    uint32_t before = count_descriptors();
    struct process process;
    char sent[] = "abcdefgh", got[sizeof sent] = "";
    assert_true(cp_process_start(&process, true, echo, NULL));
    assert_int_equal(process_transfer(context, &process, sent, sizeof sent, true, 0), HEARD_ANSWER);
    assert_int_equal(process_transfer(context, &process, got, sizeof got, false, 0), HEARD_ANSWER);
    assert_memory_equal(sent, got, sizeof sent);
    assert_int_equal(process_transfer(context, &process, got, 1, false, 0), HEARD_END);
    cp_process_end(&process, LONG_TIME);
    assert_int_equal(process.exit_code, 0);
    assert_int_equal(process.signal, 0);
    assert_false(process.killed);
    assert_int_equal(process.id, 0);
    assert_int_equal(count_descriptors(), before);
}

static void test_ends_in_words(void **state)
{
    static const struct {
        char how[8];
        uint32_t patience;
        const char *words;
    } ends[] = {{"exit", LONG_TIME, "ended its process (exit 3)"},
                {"segv", LONG_TIME, "crashed (signal 11, Segmentation fault)"},
                {"kill", LONG_TIME, "crashed (signal 9, unusual)"},
                {"wait", 1, "gave no answer"},
                {"wait", 0, "gave no answer"}};
    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct process process;
        char how[8], text[PROCESS_END];
        memcpy(how, ends[i].how, sizeof how);
        assert_true(cp_process_start(&process, true, die, how));
        cp_process_end(&process, ends[i].patience);
        process_describe_end(&process, text);
        assert_string_equal(text, ends[i].words);
        assert_int_equal(process.killed, ends[i].patience < LONG_TIME);
    }
}

static void test_words_are_kept(void **state)
{
    static const struct {
        const char *said, *last;
    } cases[] = {{"the last\n \n", "the last"}, {"no end", "no end"}, {"a\r\n\t", "a"}, {"", "line 2999"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct process process, *processes[] = {&process};
        char said[32];
        (void)snprintf(said, sizeof said, "%s", cases[i].said);
        assert_true(cp_process_start(&process, true, print, said));
        while (process.words >= 0)
            cp_process_wait(processes, 1, POLLIN, LONG_TIME);
        cp_process_end(&process, LONG_TIME);
        assert_int_equal(process.exit_code, 0);
        assert_string_equal(cp_process_last_line(&process), cases[i].last);
        assert_true(process.said_size <= CP_MOST_SAID);
    }
}

static void test_no_time(void **state)
{
    cp_context *context = *state;
    struct process process;
    char byte, how[] = "wait";
    assert_true(cp_process_start(&process, true, die, how));
    assert_int_equal(process_transfer(context, &process, &byte, 1, false, milliseconds_now() + 20), HEARD_NOTHING);
    cp_process_end(&process, 0);
    assert_int_equal(process.signal, SIGKILL);
}

static void note(int number)
{
    (void)number;
}

/* A clock that rings all the time interrupts all that waits. */
static void test_signals_interrupt_nothing(void **state)
{
    cp_context *context = *state;
    static char sent[6400], got[sizeof sent], end;
    struct sigaction old, action = {.sa_handler = note};
    const struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
    struct process process;
    memset(sent, 'x', sizeof sent);
    (void)sigemptyset(&action.sa_mask);
    assert_int_equal(sigaction(SIGALRM, &action, &old), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
    assert_true(cp_process_start(&process, false, echo, NULL));
    for (size_t i = 0; i < 64; i++) {
        assert_int_equal(process_transfer(context, &process, sent + 100 * i, 100, true, 0), HEARD_ANSWER);
        assert_int_equal(process_transfer(context, &process, got + 100 * i, 100, false, 0), HEARD_ANSWER);
    }
    assert_memory_equal(sent, got, sizeof sent);
    assert_int_equal(process_transfer(context, &process, &end, 1, true, 0), HEARD_ANSWER);
    assert_int_equal(process_transfer(context, &process, got, 1, false, 0), HEARD_ANSWER);
    cp_process_end(&process, LONG_TIME);
    assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
    assert_int_equal(sigaction(SIGALRM, &old, NULL), 0);
    assert_int_equal(process.exit_code, 0);
}

/* Tells how many descriptors it has, but for the one that counts them. */
static void tell_descriptors(void *user, int channel)
{
    (void)user;
    char count = (char)(count_descriptors() - 1);
    (void)cp_process_transfer(channel, &count, 1, true, NULL);
}

static void test_foreign_code_has_a_channel_alone(void **state)
{
    cp_context *context = *state;
    int further = open("/dev/null", O_RDONLY);
    struct process process;
    char count = 0;
    assert_true(further > 2);
    assert_true(cp_process_start(&process, true, tell_descriptors, NULL));
    assert_int_equal(process_transfer(context, &process, &count, 1, false, 0), HEARD_ANSWER);
    cp_process_end(&process, LONG_TIME);
    assert_int_equal(count, 2); /* standard error is the other */
    (void)close(further);
}

static void test_many_are_heard(void **state)
{
    enum { COUNT = 24, RUNS = 5 };
    (void)state;
    struct process processes[COUNT], *all[COUNT];
    uint32_t before = count_descriptors();
    for (uint32_t i = 0; i < COUNT; i++) {
        all[i] = &processes[i];
        assert_true(cp_process_start(all[i], true, echo, NULL));
    }
    for (int run = 0; run < RUNS; run++) {
        uint32_t heard = 0;
        char byte = (char)(run + 1 < RUNS);
        for (uint32_t i = 0; i < COUNT; i++)
            assert_int_equal(send(processes[i].channel, &byte, 1, 0), 1);
        while (heard < COUNT) {
            cp_process_wait(all, COUNT, POLLIN, LONG_TIME);
            for (uint32_t i = 0; i < COUNT; i++)
                heard += processes[i].ready && recv(processes[i].channel, &byte, 1, MSG_DONTWAIT) == 1;
        }
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        cp_process_end(all[i], LONG_TIME);
        assert_int_equal(processes[i].exit_code, 0);
    }
    assert_int_equal(count_descriptors(), before);
}

#ifdef __linux__
/* Starts a process that waits, says its number, and dies before it. */
static void leave_one(void *user, int channel)
{
    struct process process;
    char how[] = "wait";
    (void)user;
    if (cp_process_start(&process, true, die, how))
        (void)cp_process_transfer(channel, &process.id, sizeof process.id, true, NULL);
}

static void test_it_dies_with_its_parent(void **state)
{
    cp_context *context = *state;
    struct process parent;
    int id = 0;
    assert_true(cp_process_start(&parent, false, leave_one, NULL));
    assert_int_equal(process_transfer(context, &parent, &id, sizeof id, false, 0), HEARD_ANSWER);
    cp_process_end(&parent, LONG_TIME);
    for (int i = 0; i < 10000 && kill(id, 0) == 0; i++) {
        char path[64], line[256] = "";
        (void)snprintf(path, sizeof path, "/proc/%d/stat", id);
        FILE *stat = fopen(path, "r");
        bool dead = !stat || !fgets(line, sizeof line, stat) || strstr(line, ") Z ");
        if (stat)
            (void)fclose(stat);
        if (dead)
            break;
        assert_true(i + 1 < 10000);
        (void)poll(NULL, 0, 1);
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_come_back),
        cmocka_unit_test(test_ends_in_words),
        cmocka_unit_test(test_words_are_kept),
        cmocka_unit_test(test_no_time),
        cmocka_unit_test(test_signals_interrupt_nothing),
        cmocka_unit_test(test_foreign_code_has_a_channel_alone),
        cmocka_unit_test(test_many_are_heard),
#ifdef __linux__
        cmocka_unit_test(test_it_dies_with_its_parent),
#endif
    };
    return cmocka_run_group_tests_name("process", tests, make_context, free_context);
}
