/* Temporary files: their names and permissions, and which of them a sweep removes. By the public header alone; the
 * linker hands the library's open, linkat and rename to this test, which refuses files without a name, or ends the
 * process. */
#include "cellpipe_tool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- what the linker hands over ---- */

#ifndef O_TMPFILE
#define O_TMPFILE __O_TMPFILE /* glibc's, without extensions */
#endif
static bool has_nameless;      /* this system, and not refused */
static int last_nameless = -1; /* the descriptor of the last one that was opened */
static enum moment { NEVER, BEFORE_LINK, AFTER_LINK, BEFORE_RENAME, AFTER_RENAME } kill_when;

static void end_at(enum moment moment)
{
    if (kill_when == moment)
        (void)raise(SIGKILL);
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, mode_t mode);
int __wrap_open(const char *path, int flags, mode_t mode)
{
    bool is_nameless = (flags & O_TMPFILE) == O_TMPFILE;
    errno = EOPNOTSUPP;
    int file = is_nameless && !has_nameless ? -1 : __real_open(path, flags, mode);
    last_nameless = is_nameless ? file : last_nameless;
    return file;
}

int __real_linkat(int from_folder, const char *from, int to_folder, const char *to, int flags);
int __wrap_linkat(int from_folder, const char *from, int to_folder, const char *to, int flags);
int __wrap_linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    end_at(BEFORE_LINK);
    int result = __real_linkat(from_folder, from, to_folder, to, flags);
    end_at(AFTER_LINK);
    return result;
}

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to)
{
    end_at(BEFORE_RENAME);
    int result = __real_rename(from, to);
    end_at(AFTER_RENAME);
    return result;
}

/* ---- the tests ---- */

static char start[512], folder[64];
static cp_context *context;

/* Each test works in an empty folder of its own. */
static int set_up(void **state)
{
    (void)state;
    (void)strcpy(folder, "/tmp/cellpipe-temporary-XXXXXX");
    context = cp_context_new(NULL);
    return getcwd(start, sizeof start) && context && mkdtemp(folder) && chdir(folder) == 0 ? 0 : 1;
}

static int tear_down(void **state)
{
    (void)state;
    char command[128];
    cp_context_free(context);
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return chdir(start) != 0 || system(command) != 0;
}

/* The temporary file that is being written, as a progress callback sees it. */
static char seen[256];
static mode_t seen_mode;

static void see(void *user, const cp_progress *progress)
{
    (void)user;
    bool writes = strcmp(progress->work, "writing") == 0;
    DIR *listing = writes ? opendir(".") : NULL;
    if (writes && has_nameless) {
        struct stat info;
        assert_int_equal(fstat(last_nameless, &info), 0);
        assert_int_equal(info.st_nlink, 0);
        seen_mode = info.st_mode & 07777;
    }
    for (const struct dirent *entry; listing && (entry = readdir(listing));) {
        struct stat info;
        if (strncmp(entry->d_name, ".cellpipe-", 10) != 0)
            continue;
        (void)snprintf(seen, sizeof seen, "%s", entry->d_name);
        assert_int_equal(stat(seen, &info), 0);
        seen_mode = info.st_mode & 07777;
    }
    if (listing)
        (void)closedir(listing);
}

static void write_and_see(const char *path)
{
    seen[0] = '\0';
    cp_set_progress(context, see, NULL);
    assert_int_equal(cp_write_file(context, path, "text", 4), CP_OK);
    cp_set_progress(context, NULL, NULL);
    assert_true(has_nameless ? !*seen : *seen && access(seen, F_OK) != 0);
    cp_context_free(context); /* which knows the file as its own */
    context = cp_context_new(NULL);
}

static void make_file(const char *name, mode_t mode, time_t age)
{
    int file = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(file >= 0);
    assert_int_equal(fchmod(file, mode) | close(file), 0);
    time_t then = time(NULL) - age;
    assert_int_equal(utimensat(AT_FDCWD, name, (const struct timespec[]){{.tv_sec = then}, {.tv_sec = then}}, 0), 0);
}

/* A temporary file is never wider than the file that it replaces. */
static void test_permissions(void **unused)
{
    (void)unused;
    mode_t old = umask(0);
    write_and_see("new");
    assert_int_equal(seen_mode, 0666);
    make_file("secret", 0600, 0);
    write_and_see("secret");
    assert_int_equal(seen_mode, 0600);
    (void)umask(old);
}

/* ".cellpipe-HOST-" of a temporary file of this process. */
static const char *own_start(void)
{
    static char text[256];
    bool has = has_nameless;
    has_nameless = false;
    write_and_see("any");
    has_nameless = has;
    char *random = strrchr(seen, '-');
    assert_int_equal(strlen(random), 17);
    *random = '\0';
    char *pid = strrchr(seen, '-') + 1;
    assert_int_equal(atol(pid), getpid());
    *pid = '\0';
    assert_true(strlen(seen) > strlen(".cellpipe--") && strlen(seen) < 200);
    (void)strcpy(text, seen);
    return text;
}

static void expect_sweep(const char *name, bool removed)
{
    size_t count;
    assert_int_equal(access(name, F_OK), 0);
    assert_int_equal(cp_sweep(context, folder, &count), CP_OK);
    assert_int_equal(count, removed);
    assert_int_equal(access(name, F_OK) != 0, removed);
    (void)unlink(name);
}

static void test_what_is_swept(void **unused)
{
    enum { HOUR = 3600 };
    (void)unused;
    pid_t gone = fork();
    if (gone == 0)
        _exit(0);
    assert_int_equal(waitpid(gone, NULL, 0), gone);
    const char *own = own_start();
    static const struct {
        const char *host; /* NULL: this one */
        bool lives;
        int hours;
        bool is_swept;
    } cases[] = {
        {NULL, false, 0, true},
        {NULL, true, 0, false},
        {NULL, true, 25, true},
        {".cellpipe-a-b-", false, 0, false},
        {".cellpipe-a-b-", true, 23, false},
        {".cellpipe-a-b-", true, 25, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name[300];
        (void)snprintf(name, sizeof name, "%s%ld-0123456789abcdef", cases[i].host ? cases[i].host : own,
                       (long)(cases[i].lives ? getpid() : gone));
        make_file(name, 0600, (time_t)cases[i].hours * HOUR);
        expect_sweep(name, cases[i].is_swept);
    }
    /* What is called otherwise is nobody's of ours. */
    static const char *const others[] = {
        ".cellpipe",
        ".cellpipe-12-3",
        ".cellpipe-1-0123456789abcdef",
        ".cellpipe--1-0123456789abcdef",
        ".cellpipe-host-x-0123456789abcdef",
        ".cellpipe-host-1-0123456789abcdeF",
        ".cellpipe-host-1-0123456789abcdef0",
        "cellpipe-host-1-0123456789abcdef",
        ".cellpipe-0123456789abcdef",
        ".cellpipe-",
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        make_file(others[i], 0600, 100 * HOUR);
        expect_sweep(others[i], false);
    }
    char name[300];
    (void)snprintf(name, sizeof name, "%s%ld-0123456789abcdef", own, (long)gone);
    assert_int_equal(mkdir(name, 0777), 0);
    expect_sweep(name, false);
    assert_int_equal(rmdir(name), 0);
    size_t count;
    assert_int_equal(cp_sweep(context, "none", &count), CP_OK);
    assert_int_equal(count, 0);
    assert_int_equal(cp_sweep(context, "any", &count), CP_OUTPUT); /* no folder */
}

static void put(const char *name, const char *text)
{
    assert_int_equal(cp_write_file(context, name, text, strlen(text)), CP_OK);
}

static bool is_one_file(const char *a, const char *b)
{
    struct stat first, second;
    assert_int_equal(lstat(a, &first), 0);
    assert_int_equal(lstat(b, &second), 0);
    return first.st_ino == second.st_ino;
}

static void test_links_of_equal_files(void **unused)
{
    bool fresh;
    (void)unused;
    put("model", "text");
    put("same", "text");
    put("other", "tezt");
    put("hidden", "text");
    assert_int_equal(chmod("hidden", 0600), 0);
    assert_int_equal(chmod("model", 0644) | chmod("same", 0644) | chmod("other", 0644), 0);
    assert_int_equal(symlink("model", "link"), 0);
    static const char *const apart[] = {"other", "hidden", "link", "none"};
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++) {
        assert_int_equal(cp_link_equal(context, apart[i], "model", &fresh), CP_NO);
        assert_false(fresh);
    }
    assert_false(is_one_file("other", "model") || is_one_file("hidden", "model") || is_one_file("link", "model"));
    assert_int_equal(cp_link_equal(context, "same", "model", &fresh), CP_OK);
    assert_true(fresh && is_one_file("same", "model"));
    assert_int_equal(cp_link_equal(context, "same", "model", &fresh), CP_OK);
    assert_false(fresh);
    /* What is written anew is a file of its own. */
    cp_context *later = cp_context_new(NULL);
    assert_int_equal(cp_write_file(later, "same", "mine", 4), CP_OK);
    cp_context_free(later);
    assert_false(is_one_file("same", "model"));
    assert_int_equal(cp_link_equal(context, "same", "model", &fresh), CP_NO);
    static const char *const made[] = {"model", "same", "other", "hidden", "link"};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        assert_int_equal(unlink(made[i]), 0);
    assert_int_equal(rmdir(folder), 0); /* no temporaries */
    assert_int_equal(mkdir(folder, 0777), 0);
}

static void end_here(void *user, const cp_progress *progress)
{
    (void)user;
    if (strcmp(progress->work, "writing") == 0)
        (void)raise(SIGKILL);
}

static bool has_text(const char *name, const char *text)
{
    char found[16] = "";
    int file = open(name, O_RDONLY);
    ssize_t size = file >= 0 ? read(file, found, sizeof found - 1) : -1;
    (void)close(file);
    return size == (ssize_t)strlen(text) && strcmp(found, text) == 0;
}

/* A process of its own writes "new" to out and is killed: at a moment, or NEVER: when it begins to write. */
static void write_and_kill(enum moment moment)
{
    pid_t child = fork();
    if (child == 0) {
        kill_when = moment;
        if (moment == NEVER)
            cp_set_progress(context, end_here, NULL);
        (void)cp_write_file(context, "out", "new", 3);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* A new file without a name leaves nothing at any moment; one that replaces another leaves one name between
 * the link and the renaming. Else each leaves its name. The old file is there until the new one is. */
static void test_after_a_kill(void **unused)
{
    static const struct {
        bool replaces;
        enum moment moment;
        const char *out; /* its text then; NULL: there is none */
        size_t left;
    } nameless[] = {{false, NEVER, NULL, 0},         {false, BEFORE_LINK, NULL, 0}, {false, AFTER_LINK, "new", 0},
                    {true, NEVER, "old", 0},         {true, BEFORE_LINK, "old", 0}, {true, AFTER_LINK, "old", 1},
                    {true, BEFORE_RENAME, "old", 1}, {true, AFTER_RENAME, "new", 0}},
      named[] = {{false, NEVER, NULL, 1}, {false, BEFORE_RENAME, NULL, 1}, {false, AFTER_RENAME, "new", 0},
                 {true, NEVER, "old", 1}, {true, BEFORE_RENAME, "old", 1}, {true, AFTER_RENAME, "new", 0}};
    size_t count = has_nameless ? sizeof nameless / sizeof *nameless : sizeof named / sizeof *named;
    (void)unused;
    for (size_t i = 0; i < count; i++) {
        bool replaces = has_nameless ? nameless[i].replaces : named[i].replaces;
        const char *out = has_nameless ? nameless[i].out : named[i].out;
        size_t removed;
        if (replaces) {
            FILE *file = fopen("out", "w");
            assert_true(file && fputs("old", file) >= 0 && fclose(file) == 0);
        }
        write_and_kill(has_nameless ? nameless[i].moment : named[i].moment);
        assert_true(out ? has_text("out", out) : access("out", F_OK) != 0);
        assert_int_equal(cp_sweep(context, ".", &removed), CP_OK);
        assert_int_equal(removed, has_nameless ? nameless[i].left : named[i].left);
        (void)unlink("out");
        assert_int_equal(rmdir(folder), 0); /* nothing else is left */
        assert_int_equal(mkdir(folder, 0777), 0);
        assert_int_equal(chdir(folder), 0);
    }
}

/* A write needs a name where it replaces a file, and where there are only files with names. */
static void test_needs_a_name(void **unused)
{
    (void)unused;
    assert_int_equal(cp_needs_temporary_name(context, "new"), !has_nameless);
    make_file("old", 0644, 0);
    assert_true(cp_needs_temporary_name(context, "old"));
    assert_true(cp_needs_temporary_name(context, "no/folder"));
    assert_false(cp_needs_temporary_name(context, "/dev/null"));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

static bool system_has_nameless(void)
{
    int file = __real_open("/tmp", O_WRONLY | O_TMPFILE, 0600);
    return file >= 0 && close(file) == 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_permissions), TEST(test_what_is_swept),
                                       TEST(test_links_of_equal_files), TEST(test_after_a_kill),
                                       TEST(test_needs_a_name)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    has_nameless = system_has_nameless();
    return has_nameless ? failed + cmocka_run_group_tests(tests, NULL, NULL) : failed;
}
