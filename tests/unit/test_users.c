/* Users: names, roles and passwords, and their file: what it must be to be read, and what is there at every moment of a
 * change. The linker hands the calls that change files to this test, which fails one of them, or ends the process
 * there. What a hash is, libcrypt itself says. */
#include "../../live/users.h"
#include "fixture.h"

#include <crypt.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Made by perl's crypt. */
#define OF_HORSE "$y$jBT$abcdefghijklmnop$LA5SwbXOWV6NGakmZQom2eQu354yi09.Fdb35EPMpA/"
#define OF_GREETING "$y$jBT$saltsaltsaltsaltsalt/.$kVse4YrYuYUmlovbLO0UJ97of0Kjz3iNuk3UZdIQRF7"
#define HORSE "correct horse"
#define GREETING                                                                                                       \
    "Gr\xc3\xbc\xc3\x9f"                                                                                               \
    "e, 8!"

/* ---- what the linker hands over ---- */

static int calls, bad_call; /* of those that change a file; the one that fails, or ends the process; 0: none */
static bool ends, records;
static char record[200];
static int told = -1; /* who wants to know before a lock is waited for */

/* Returns true if this call fails. */
static bool goes_wrong(const char *name)
{
    if (records)
        (void)snprintf(record + strlen(record), sizeof record - strlen(record), "%s ", name);
    if (++calls != bad_call)
        return false;
    if (ends)
        (void)raise(SIGKILL);
    errno = ENOSPC;
    return true;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, mode_t mode);
int __wrap_open(const char *path, int flags, mode_t mode)
{
    struct stat facts;
    if (!(flags & O_CREAT))
        return __real_open(path, flags);
    if (goes_wrong("open"))
        return -1;
    bool is_new = lstat(path, &facts) != 0;
    int file = __real_open(path, flags, mode);
    if (is_new && file >= 0) /* private from the first moment */
        assert_true(fstat(file, &facts) == 0 && (facts.st_mode & 077) == 0);
    return file;
}

ssize_t __real_write(int file, const void *bytes, size_t size);
ssize_t __wrap_write(int file, const void *bytes, size_t size);
ssize_t __wrap_write(int file, const void *bytes, size_t size)
{
    if (calls + 1 == bad_call && ends) /* half of it is there then */
        (void)!__real_write(file, bytes, size / 2);
    return goes_wrong("write") ? -1 : __real_write(file, bytes, size < 50 ? size : 50);
}

#define WRAP(name, parameters, arguments)                                                                              \
    int __real_##name parameters;                                                                                      \
    int __wrap_##name parameters;                                                                                      \
    int __wrap_##name parameters                                                                                       \
    {                                                                                                                  \
        return goes_wrong(#name) ? -1 : __real_##name arguments;                                                       \
    }
WRAP(fsync, (int file), (file))
WRAP(ftruncate, (int file, off_t size), (file, size))
WRAP(rename, (const char *from, const char *to), (from, to))

int __real_flock(int file, int how);
int __wrap_flock(int file, int how);
int __wrap_flock(int file, int how)
{
    if (told >= 0)
        (void)!__real_write(told, "", 1);
    return goes_wrong("flock") ? -1 : __real_flock(file, how);
}

/* ---- helpers ---- */

static cp_context *context;
static struct arena *arena;

static int begin(void **state)
{
    (void)umask(0);
    empty_folder();
    int failed = make_context(state);
    context = *state;
    arena = arena_new(context);
    calls = bad_call = 0;
    ends = records = false;
    return failed;
}

static int end(void **state)
{
    arena_free(arena);
    return free_context(state);
}

static const char *two = "tina:teacher:" OF_HORSE "\notto:operator:" OF_GREETING "\n";

static const char *write_users(const char *name, const char *text)
{
    write_file(name, text);
    assert_int_equal(chmod(path_of(name), 0600), 0);
    return path_of(name);
}

static void expect_text(const char *path, const char *text)
{
    char *whole = read_whole(path, NULL);
    assert_non_null(whole);
    assert_string_equal(whole, text);
    free(whole);
}

static void expect_private(const char *path)
{
    struct stat facts;
    assert_int_equal(lstat(path, &facts), 0);
    assert_true(S_ISREG(facts.st_mode));
    assert_int_equal(facts.st_mode & 07777, 0600);
}

/* The file must be refused, for the reason, at the line. */
static void expect_refused(const char *path, const char *code, uint64_t line)
{
    struct users users;
    cp_report_clear(context);
    assert_int_equal(users_read(context, path, arena, &users), CP_INPUT);
    const cp_entry *entry = find_entry(context, code);
    if (!entry)
        fail_msg("%s: no %s", path, code);
    assert_int_equal(entry->line, line);
    assert_string_equal(entry->file, path);
    assert_false(was_said(context, "LA5SwbXOWV")); /* no hash */
}

/* Adds a user as the command does. */
static cp_status add_user(const char *path, const char *name)
{
    struct users_change change;
    struct users users;
    cp_status status = users_lock(context, path, arena, &change);
    if (status == CP_OK)
        status = users_read(context, change.path, arena, &users);
    if (status == CP_OK) {
        users.items[users.count++] = (struct user){name, ROLE_VIEWER, OF_HORSE};
        status = users_write(context, &change, &users);
    }
    users_unlock(&change);
    return status;
}

/* ---- names, roles, passwords ---- */

static void test_roles(void **state)
{
    (void)state;
    enum role role = ROLE_GUEST;
    assert_true(ROLE_GUEST < ROLE_VIEWER && ROLE_VIEWER < ROLE_OPERATOR && ROLE_OPERATOR < ROLE_TEACHER);
    assert_string_equal(role_name(ROLE_GUEST), "guest");
    const char *const words[] = {"viewer", "operator", "teacher"};
    for (int i = 0; i < 3; i++) {
        assert_true(role_named(words[i], &role));
        assert_int_equal(role, ROLE_VIEWER + i);
        assert_string_equal(role_name(role), words[i]);
    }
    const char *const others[] = {"guest", "", "Viewer", "view", "viewers", "teacher ", "boss"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(role_named(others[i], &role));
    assert_int_equal(role, ROLE_TEACHER);
}

static void test_names(void **state)
{
    (void)state;
    char longest[MOST_USER_NAME + 2];
    memset(longest, 'a', sizeof longest);
    longest[MOST_USER_NAME] = '\0';
    const char *const good[] = {
        "a",          "Tina Turner", "-tina", "t@example.org", "J\xc3\xbcrgen", "\xe5\xb1\xb1", "\xf0\x9f\xa4\x96",
        "a;b\"c'<d>", "\xc2\xa0",    longest};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_null(user_name_fault(good[i]));
    longest[MOST_USER_NAME] = 'a';
    longest[MOST_USER_NAME + 1] = '\0';
    const char *const bad[] = {"",         "a:b",       ":",    "a\nb", "a\r",   "\ta",          "a\x7f",
                               "a\x1b[0m", " a",        "a ",   "\xff", "a\xc3", "\xed\xa0\x80", "\xc0\xaf",
                               "\xc2\x85", "a\xc2\x9f", longest};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_non_null(user_name_fault(bad[i]));
}

static void test_password_rules(void **state)
{
    (void)state;
    char longest[MOST_PASSWORD + 2];
    memset(longest, 'p', sizeof longest);
    assert_null(password_fault(longest, MOST_PASSWORD));
    assert_non_null(password_fault(longest, MOST_PASSWORD + 1));
    static const char mountains[] =
        "\xe5\xb1\xb1\xe5\xb1\xb1\xe5\xb1\xb1\xe5\xb1\xb1\xe5\xb1\xb1\xe5\xb1\xb1\xe5\xb1\xb1\xe5\xb1\xb1";
    const char *const good[] = {"12345678", "        ", "p:a:s:s:", mountains};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_null(password_fault(good[i], strlen(good[i])));
    const char *const bad[] = {"",
                               "1234567",
                               "1234567\r",
                               "12345678\r",
                               "12345\t678",
                               "12345678\x7f",
                               "12345678\xff",
                               "1234567\xc3",
                               "12345678\xc2\x80",
                               "\xe5\xb1\xb1\xe5\xb1\xb1\xe5\xb1\xb1",
                               "\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_non_null(password_fault(bad[i], strlen(bad[i])));
    assert_non_null(password_fault("1234\0"
                                   "5678",
                                   9));
}

static void test_hashes(void **state)
{
    (void)state;
    static char hash[HASH_SIZE], again[HASH_SIZE], longest[MOST_PASSWORD + 2];
    static struct crypt_data data;
    assert_true(password_hash(HORSE, hash));
    assert_true(password_hash(HORSE, again));
    assert_string_not_equal(hash, again);
    assert_memory_equal(hash, "$y$jBT$", 7);
    assert_true(password_is_hash(hash));
    assert_string_equal(crypt_rn(HORSE, hash, &data, sizeof data), hash); /* as libcrypt checks it */
    assert_true(password_matches(HORSE, hash));

    assert_true(password_matches(HORSE, OF_HORSE));
    assert_true(password_matches(GREETING, OF_GREETING));
    const char *const wrong[] = {"", "correct hors", "correct horse ", "Correct horse", GREETING, "correct\nhorse"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(password_matches(wrong[i], OF_HORSE));
    assert_false(password_matches(HORSE, NULL));
    assert_false(password_matches("", NULL));
    assert_false(password_matches(HORSE, ""));
    assert_false(password_matches(HORSE, "*0"));

    memset(longest, 'p', MOST_PASSWORD);
    assert_true(password_hash(longest, hash));
    assert_true(password_matches(longest, hash));
    longest[MOST_PASSWORD - 1] = 'q'; /* no byte is left out */
    assert_false(password_matches(longest, hash));
    longest[MOST_PASSWORD] = 'p';
    assert_false(password_hash(longest, again));
    assert_false(password_matches(longest, hash));
}

static void test_forms_of_hashes(void **state)
{
    (void)state;
    assert_true(password_is_hash(OF_HORSE));
    assert_true(password_is_hash(OF_GREETING));
    /* Made by perl's crypt of other costs and methods: they take another time, which tells whether a name is known. */
    const char *const others[] = {
        "$y$j9T$abcdefghijklmnop$0Hi8KsZH/hAMRN9Bam6ce3nmi5QAIz3R/KeaXG/c7p9",
        "$6$abcdefgh$yIZAF3gQPvtKZO/9qOJKffAKKbtS3ef3qmwyugk4uWVjX8YZf/GV3A8SkFxEPY0T56CcilGrHKLffBsp6dLMG.",
        "",
        "*",
        "$y$jBT$",
        OF_HORSE "a",
        OF_HORSE ":",
        OF_HORSE "\r",
        " $y$jBT$abcdefghijklmnop$LA5SwbXOWV6NGakmZQom2eQu354yi09.Fdb35EPMpA/",
        "$y$jBT$$LA5SwbXOWV6NGakmZQom2eQu354yi09.Fdb35EPMpA/",
        "$y$jBT$abcdefghijklmnop$LA5SwbXOWV6NGakmZQom2eQu354yi09.Fdb35EPMpA",
        "$y$jBT$abcdefghijklmnopLA5SwbXOWV"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(password_is_hash(others[i]));
}

static double processor_time(const char *password, const char *hash)
{
    struct timespec from, to;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    assert_false(password_matches(password, hash));
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
    return (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
}

/* The shortest of several times differs little; how much, a busy machine decides. */
static void test_unknown_names_take_as_long(void **state)
{
    (void)state;
    double known = 1e9, unknown = 1e9;
    for (int i = 0; i < 4; i++) {
        double time = processor_time("wrong password", OF_HORSE);
        known = time < known ? time : known;
        time = processor_time("wrong password", NULL);
        unknown = time < unknown ? time : unknown;
    }
    assert_true(unknown > 0.5 * known && unknown < 2 * known);
}

static void test_secrets(void **state)
{
    (void)state;
    char bytes[] = "secret";
    assert_true(same_secret("abc", "abd", 2));
    assert_false(same_secret("abc", "abd", 3));
    assert_false(same_secret("abc", "bbc", 3));
    assert_false(same_secret("\x80", "", 1));
    assert_true(same_secret("", "", 0));
    forget_secret(bytes, 3);
    assert_memory_equal(bytes, "\0\0\0ret", 7);
}

/* ---- the file ---- */

static void test_lines(void **state)
{
    (void)state;
    struct users users;
    assert_int_equal(users_read(context, write_users("users", two), arena, &users), CP_OK);
    assert_int_equal(users.count, 2);
    assert_true(users.room > users.count);
    assert_string_equal(users.items[0].name, "tina");
    assert_int_equal(users.items[0].role, ROLE_TEACHER);
    assert_string_equal(users.items[0].hash, OF_HORSE);
    const struct user *otto = users_find(&users, "otto");
    assert_non_null(otto);
    assert_int_equal(otto->role, ROLE_OPERATOR);
    assert_string_equal(otto->hash, OF_GREETING);
    assert_null(users_find(&users, "ott"));
    assert_null(users_find(&users, "Otto"));
    assert_null(users_find(&users, ""));
    /* No users, and a last line without an end. */
    assert_int_equal(users_read(context, write_users("none", ""), arena, &users), CP_OK);
    assert_int_equal(users.count, 0);
    assert_int_equal(users_read(context, write_users("open", "a b:viewer:" OF_HORSE), arena, &users), CP_OK);
    assert_int_equal(users.count, 1);
    assert_true(users.room > users.count);
    assert_string_equal(users.items[0].hash, OF_HORSE);
}

static void test_broken_lines(void **state)
{
    (void)state;
    static const struct {
        const char *text, *code;
        uint64_t line;
    } cases[] = {
        {"\n", "users-line", 1},
        {"tina:teacher:" OF_HORSE "\n\n", "users-line", 2},
        {"# people\n", "users-line", 1},
        {"tina:teacher\n", "users-line", 1},
        {":teacher:" OF_HORSE "\n", "users-name", 1},
        {"t\tina:teacher:" OF_HORSE "\n", "users-name", 1},
        {"t\xff:teacher:" OF_HORSE "\n", "users-name", 1},
        {"tina:teacher:" OF_HORSE "\notto:boss:" OF_HORSE "\n", "users-role", 2},
        {"tina:guest:" OF_HORSE "\n", "users-role", 1},
        {"tina::" OF_HORSE "\n", "users-role", 1},
        {"tina:viewer:\n", "users-hash", 1},
        {"tina:viewer:secret\n", "users-hash", 1},
        {"tina:viewer:" OF_HORSE "\r\n", "users-hash", 1},
        {"tina:viewer:" OF_HORSE ":more\n", "users-hash", 1},
        {"tina:viewer:" OF_HORSE "\notto:viewer:$y$jBT$abcdefghijklmnop$LA5Sw", "users-hash", 2}, /* cut short */
        {"tina:viewer:" OF_HORSE "\notto:viewer:" OF_HORSE "\ntina:teacher:" OF_GREETING "\n", "users-twice", 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_refused(write_users("users", cases[i].text), cases[i].code, cases[i].line);
    static const char nul[] = "tina:viewer:" OF_HORSE "\notto:viewer:" OF_HORSE "\0anna\n";
    write_bytes("nul", nul, sizeof nul - 1);
    assert_int_equal(chmod(path_of("nul"), 0600), 0);
    expect_refused(path_of("nul"), "users-line", 2);
}

static void test_most_users(void **state)
{
    (void)state;
    struct buffer text = {.context = context};
    struct users users;
    for (int i = 0; i < MOST_USERS; i++)
        buffer_print(&text, "user %d:viewer:" OF_HORSE "\n", i);
    write_bytes("users", text.data, text.size);
    assert_int_equal(chmod(path_of("users"), 0600), 0);
    assert_int_equal(users_read(context, path_of("users"), arena, &users), CP_OK);
    assert_int_equal(users.count, MOST_USERS);
    assert_true(users.room > MOST_USERS);
    buffer_text(&text, "one more:viewer:" OF_HORSE);
    write_bytes("users", text.data, text.size);
    expect_refused(path_of("users"), "users-many", MOST_USERS + 1);
    buffer_free(&text);
    assert_int_equal(truncate(path_of("users"), 3 << 20), 0);
    expect_refused(path_of("users"), "users-file", 0);
}

static void test_who_may_use_it(void **state)
{
    (void)state;
    struct users users;
    const char *path = write_users("users", two);
    static const mode_t bad[] = {0640, 0604, 0620, 0602, 0666, 0644, 0610};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(chmod(path, bad[i]), 0);
        expect_refused(path, "users-mode", 0);
    }
    assert_int_equal(chmod(path, 0400), 0);
    assert_int_equal(users_read(context, path, arena, &users), CP_OK);
    /* A link is followed: the file that it leads to counts. */
    assert_int_equal(symlink("users", path_of("link")), 0);
    assert_int_equal(users_read(context, path_of("link"), arena, &users), CP_OK);
    assert_int_equal(chmod(path, 0644), 0);
    expect_refused(path_of("link"), "users-mode", 0);
    if (geteuid() == 0) { /* others cannot give files away */
        assert_int_equal(chmod(path, 0600), 0);
        assert_int_equal(chown(path, 1, (gid_t)-1), 0);
        expect_refused(path, "users-owner", 0);
    }
}

static void test_what_is_no_file(void **state)
{
    (void)state;
    expect_refused(path_of("missing"), "users-open", 0);
    assert_int_equal(mkdir(path_of("folder"), 0700), 0);
    expect_refused(path_of("folder"), "users-file", 0);
    assert_int_equal(mkfifo(path_of("pipe"), 0600), 0); /* nobody writes to it, and nobody waits */
    expect_refused(path_of("pipe"), "users-file", 0);
    assert_int_equal(symlink("link", path_of("link")), 0);
    expect_refused(path_of("link"), "users-open", 0);
}

/* ---- changes ---- */

static void test_change(void **state)
{
    (void)state;
    const char *path = write_users("users", two), *both = arena_print(arena, "%sanna:viewer:%s\n", two, OF_HORSE);
    records = true;
    *record = '\0';
    assert_int_equal(add_user(path, "anna"), CP_OK);
    /* The text is on the disk before it gets the name. */
    assert_string_equal(record, "open flock ftruncate write write write write write fsync rename fsync ");
    records = false;
    expect_text(path, both);
    expect_private(path);
    assert_int_not_equal(access(path_of("users.lock"), F_OK), 0);
    /* Whatever the mask, and from a mode that others could not use. */
    (void)umask(0277);
    assert_int_equal(chmod(path, 0400), 0);
    assert_int_equal(add_user(path, "bert"), CP_OK);
    expect_private(path);
    (void)umask(0);
}

static void test_change_through_a_link(void **state)
{
    (void)state;
    struct stat facts;
    assert_int_equal(mkdir(path_of("folder"), 0700), 0);
    write_users("folder/users", two);
    assert_int_equal(symlink("folder/users", path_of("link")), 0);
    assert_int_equal(add_user(path_of("link"), "anna"), CP_OK);
    assert_int_equal(lstat(path_of("link"), &facts), 0);
    assert_true(S_ISLNK(facts.st_mode));
    expect_text(path_of("folder/users"), arena_print(arena, "%sanna:viewer:%s\n", two, OF_HORSE));
    expect_private(path_of("folder/users"));
    assert_int_equal(symlink("nowhere", path_of("dangling")), 0);
    assert_int_equal(add_user(path_of("dangling"), "anna"), CP_OUTPUT);
    assert_true(was_reported(context, "users-link"));
    assert_int_not_equal(access(path_of("nowhere"), F_OK), 0);
    assert_int_equal(add_user(path_of("no folder/users"), "anna"), CP_OUTPUT);
    assert_true(was_reported(context, "users-lock"));
}

/* What somebody else could read or keep is not written to. */
static void test_lock_of_others(void **state)
{
    (void)state;
    const char *path = write_users("users", two), *lock = path_of("users.lock");
    write_file("users.lock", "");
    assert_int_equal(chmod(lock, 0644), 0);
    assert_int_equal(add_user(path, "anna"), CP_OUTPUT);
    assert_true(was_reported(context, "users-lock"));
    assert_int_equal(access(lock, F_OK), 0);
    assert_int_equal(chmod(lock, 0600), 0);
    assert_int_equal(link(lock, path_of("kept")), 0);
    assert_int_equal(add_user(path, "anna"), CP_OUTPUT);
    assert_int_equal(unlink(lock), 0);
    assert_int_equal(symlink("kept", lock), 0);
    assert_int_equal(add_user(path, "anna"), CP_OUTPUT);
    assert_int_equal(unlink(lock), 0);
    if (geteuid() == 0) {
        write_file("users.lock", "");
        assert_int_equal(chmod(lock, 0600) + chown(lock, 1, (gid_t)-1), 0);
        assert_int_equal(add_user(path, "anna"), CP_OUTPUT);
        assert_int_equal(unlink(lock), 0);
    }
    expect_text(path_of("kept"), "");
    expect_text(path, two);
    assert_int_equal(add_user(path, "anna"), CP_OK);
}

/* Whichever call fails, the error is told, and the old file is there alone. */
static void test_failing_calls(void **state)
{
    (void)state;
    const char *path = write_users("users", two);
    int most = 0;
    for (bad_call = 1; bad_call <= 10; bad_call++) {
        calls = 0;
        cp_report_clear(context);
        assert_int_equal(add_user(path, "anna"), CP_OUTPUT);
        assert_true(was_said(context, "No space left"));
        assert_true(was_reported(context, bad_call <= 2 ? "users-lock" : "users-write"));
        expect_text(path, two);
        assert_int_not_equal(access(path_of("users.lock"), F_OK), 0);
        most = calls;
    }
    assert_int_equal(most, 10); /* that was the rename: what follows makes no difference */
    bad_call = 11;
    calls = 0;
    assert_int_equal(add_user(path, "anna"), CP_OK);
    assert_int_equal(calls, 11);
}

/* A process that is killed before any of its calls leaves the old file or the new one, and the next one changes it. */
static void test_kills(void **state)
{
    (void)state;
    const char *both = arena_print(arena, "%sanna:viewer:%s\n", two, OF_HORSE);
    int old = 0, new = 0;
    for (int at = 1; at <= 11; at++) {
        const char *path = write_users("users", two);
        pid_t child = fork();
        if (child == 0) {
            bad_call = at;
            calls = 0;
            ends = true;
            (void)add_user(path, "anna");
            _exit(0);
        }
        int how;
        assert_int_equal(waitpid(child, &how, 0), child);
        assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL);
        char *whole = read_whole(path, NULL);
        assert_non_null(whole);
        bool is_old = strcmp(whole, two) == 0;
        assert_true(is_old || strcmp(whole, both) == 0);
        old += is_old;
        new += !is_old;
        free(whole);
        expect_private(path);
        assert_int_equal(add_user(path, "bert"), CP_OK);
        expect_text(path, arena_print(arena, "%sbert:viewer:%s\n", is_old ? two : both, OF_HORSE));
        assert_int_not_equal(access(path_of("users.lock"), F_OK), 0);
    }
    assert_int_equal(old, 10);
    assert_int_equal(new, 1);
}

/* A child that adds anna. news[0] has a byte each time that it is about to wait for the lock, and its end. */
static pid_t start_child(const char *path, const struct users_change *held, int *news)
{
    int ends_of_pipe[2];
    assert_int_equal(pipe(ends_of_pipe), 0);
    pid_t child = fork();
    if (child == 0) {
        (void)close(ends_of_pipe[0]);
        (void)close(held->file); /* or this process would have the lock, too */
        told = ends_of_pipe[1];
        _exit((int)add_user(path, "anna"));
    }
    (void)close(ends_of_pipe[1]);
    *news = ends_of_pipe[0];
    return child;
}

static void wait_for_news(int news)
{
    char byte;
    (void)!read(news, &byte, 1);
}

static void end_child(pid_t child, int news)
{
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how) && WEXITSTATUS(how) == CP_OK);
    (void)close(news);
    assert_int_not_equal(access(path_of("users.lock"), F_OK), 0);
}

/* Two changes at the same time are both there: the second waits for the first, then reads what that has written. */
static void test_two_at_once(void **state)
{
    (void)state;
    int news;
    struct users_change change;
    struct users users;
    const char *path = write_users("users", two);
    assert_int_equal(users_lock(context, path, arena, &change), CP_OK);
    assert_int_equal(users_read(context, path, arena, &users), CP_OK);
    pid_t child = start_child(path, &change, &news);
    wait_for_news(news);
    users.items[users.count++] = (struct user){"bert", ROLE_TEACHER, OF_GREETING};
    assert_int_equal(users_write(context, &change, &users), CP_OK);
    users_unlock(&change);
    end_child(child, news);
    expect_text(path, arena_print(arena, "%sbert:teacher:%s\nanna:viewer:%s\n", two, OF_GREETING, OF_HORSE));
}

/* Of three, the third comes when the first has renamed what the second waits for. */
static void test_three_at_once(void **state)
{
    (void)state;
    int news;
    struct users_change change, third;
    struct users users;
    const char *path = write_users("users", two);
    assert_int_equal(users_lock(context, path, arena, &change), CP_OK);
    assert_int_equal(users_read(context, path, arena, &users), CP_OK);
    pid_t child = start_child(path, &change, &news);
    wait_for_news(news);
    int held = dup(change.file); /* the second goes on waiting */
    assert_int_equal(users_write(context, &change, &users), CP_OK);
    assert_int_equal(users_lock(context, path, arena, &third), CP_OK);
    assert_int_equal(users_read(context, path, arena, &users), CP_OK);
    (void)close(held);
    wait_for_news(news); /* it waits again, for the third */
    users.items[users.count++] = (struct user){"carl", ROLE_VIEWER, OF_GREETING};
    assert_int_equal(users_write(context, &third, &users), CP_OK);
    end_child(child, news);
    expect_text(path, arena_print(arena, "%scarl:viewer:%s\nanna:viewer:%s\n", two, OF_GREETING, OF_HORSE));
}

/* The first ends without a change: what the second has waited for is removed. */
static void test_one_gives_up(void **state)
{
    (void)state;
    int news;
    struct users_change change;
    const char *path = write_users("users", two);
    assert_int_equal(users_lock(context, path, arena, &change), CP_OK);
    pid_t child = start_child(path, &change, &news);
    wait_for_news(news);
    users_unlock(&change);
    end_child(child, news);
    expect_text(path, arena_print(arena, "%sanna:viewer:%s\n", two, OF_HORSE));
}

/* Any allocation may fail: the file is the old one then, and the report says why. */
static void test_memory(void **state)
{
    (void)state;
    cp_allocator allocator = {.resize = failing_resize};
    const char *path = write_users("users", two);
    const struct users_request request = {.file = path, .action = "remove", .name = "tina"};
    long failed = 0;
    for (long most = 0;; most++) {
        long left = most;
        allocator.user = &left;
        cp_context *poor = cp_context_new(&allocator);
        cp_status status = poor ? change_users(poor, &request) : CP_LIMIT;
        assert_true(!poor || status == CP_OK || was_said(poor, "out of memory"));
        cp_context_free(poor);
        if (status == CP_OK)
            break;
        assert_int_equal(status, CP_LIMIT);
        expect_text(path, two);
        assert_int_not_equal(access(path_of("users.lock"), F_OK), 0);
        failed++;
    }
    assert_true(failed > 5);
    expect_text(path, "otto:operator:" OF_GREETING "\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_roles),           TEST(test_names),
                                       TEST(test_password_rules),  TEST(test_hashes),
                                       TEST(test_forms_of_hashes), TEST(test_unknown_names_take_as_long),
                                       TEST(test_secrets),         TEST(test_lines),
                                       TEST(test_broken_lines),    TEST(test_most_users),
                                       TEST(test_who_may_use_it),  TEST(test_what_is_no_file),
                                       TEST(test_change),          TEST(test_change_through_a_link),
                                       TEST(test_lock_of_others),  TEST(test_failing_calls),
                                       TEST(test_kills),           TEST(test_two_at_once),
                                       TEST(test_three_at_once),   TEST(test_one_gives_up),
                                       TEST(test_memory)};
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
