/* In which order outputs reach the disk, and what is left when that fails: the linker hands the library's fsync,
 * rename, link, linkat and syscall (renameat2) to this test, which notes them and carries them out, or lets them fail.
 * All is done twice: with files that have no name until the end, and by an open that refuses to make such. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes/bytes.h"
#include "base/context.h"
#include "fixture.h"

static char calls[512];
static const char *failing = ""; /* renames to this name fail */
static int link_error, syscall_error;

/* ---- what the linker hands over ---- */

#ifndef O_TMPFILE
#define O_TMPFILE __O_TMPFILE /* glibc's, without extensions */
#endif
static bool has_nameless; /* this system, and not refused */

static void note(const char *what, const char *of)
{
    size_t used = strlen(calls);
    (void)snprintf(calls + used, sizeof calls - used, "%s %s; ", what, of);
}

int __real_fsync(int file);
int __wrap_fsync(int file);
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, mode_t mode);
int __wrap_open(const char *path, int flags, mode_t mode)
{
    errno = EOPNOTSUPP;
    return (flags & O_TMPFILE) == O_TMPFILE && !has_nameless ? -1 : __real_open(path, flags, mode);
}

int __real_linkat(int from_folder, const char *from, int to_folder, const char *to, int flags);
int __wrap_linkat(int from_folder, const char *from, int to_folder, const char *to, int flags);
int __wrap_linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    const char *name = strrchr(to, '/') + 1;
    if (*name != '.')
        note("place", name);
    errno = link_error ? link_error : EIO;
    return link_error || strcmp(name, failing) == 0 ? -1 : __real_linkat(from_folder, from, to_folder, to, flags);
}

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);

int __wrap_fsync(int file)
{
    struct stat info;
    assert_int_equal(fstat(file, &info), 0);
    note("sync", S_ISDIR(info.st_mode) ? "folder" : "file");
    return __real_fsync(file);
}

int __wrap_rename(const char *from, const char *to)
{
    note("place", strrchr(to, '/') + 1);
    errno = EIO;
    return strcmp(strrchr(to, '/') + 1, failing) == 0 ? -1 : __real_rename(from, to);
}

int __real_link(const char *from, const char *to);
int __wrap_link(const char *from, const char *to);
long __real_syscall(long number, ...);
long __wrap_syscall(long number, int from_folder, const char *from, int to_folder, const char *to, unsigned flags);

int __wrap_link(const char *from, const char *to)
{
    errno = link_error;
    return link_error ? -1 : __real_link(from, to);
}

long __wrap_syscall(long number, int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
    errno = syscall_error ? syscall_error : EIO;
    return syscall_error || strcmp(strrchr(to, '/') + 1, failing) == 0
               ? -1
               : __real_syscall(number, from_folder, from, to_folder, to, flags);
}

/* A top file and a further one, as VRML97's Inlines are written. */
static void write_two(bool sync, const char *expected)
{
    cp_context *context = cp_context_new(NULL);
    cp_set_flag(context, CP_FLAG_SYNC, sync);
    struct sink *top, *part;
    calls[0] = '\0';
    assert_int_equal(sink_open_top(context, path_of("top"), &top), CP_OK);
    assert_int_equal(sink_open(top, "part", &part), CP_OK);
    sink_text(part, "part");
    assert_int_equal(sink_close_further(part), CP_OK);
    sink_text(top, "top");
    assert_int_equal(sink_close(top, CP_OK), CP_OK);
    assert_string_equal(calls, expected);
    cp_context_free(context);
}

/* Who sees the top file finds all that it names. */
static void test_top_file_comes_last(void **unused)
{
    (void)unused;
    write_two(false, "place part; place top; ");
}

/* Content, then names, then the folder that holds the names. */
static void test_sync(void **unused)
{
    (void)unused;
    write_two(true, "sync file; sync file; place part; place top; sync folder; ");
}

/* How many names the folder has. */
static int count_names(void)
{
    int count = -2; /* . and .. */
    DIR *listing = opendir(folder_path());
    assert_non_null(listing);
    while (readdir(listing))
        count++;
    assert_int_equal(closedir(listing), 0);
    return count;
}

static void expect_and_remove(const char *name, const char *text)
{
    char *found = read_whole(path_of(name), NULL);
    assert_non_null(found);
    assert_string_equal(found, text);
    free(found);
    assert_int_equal(unlink(path_of(name)), 0);
}

/* A file of the output's name that somebody makes in the meantime is not replaced, and no temporary file stays. */
static void test_no_clobber_holds_to_the_end(void **unused)
{
    (void)unused;
    cp_context *context = cp_context_new(NULL);
    cp_set_flag(context, CP_FLAG_NO_CLOBBER, true);
    struct sink *top;
    assert_int_equal(sink_open_top(context, path_of("top"), &top), CP_OK);
    sink_text(top, "ours");
    write_file("top", "theirs");
    assert_int_equal(sink_close(top, CP_OK), CP_OUTPUT);
    cp_context_free(context);
    expect_and_remove("top", "theirs");
    assert_int_equal(count_names(), 0);
}

/* Writes top, one and two; returns the status. Nothing of it is listed when it fails. */
static cp_status write_set(bool no_clobber)
{
    cp_context *context = cp_context_new(NULL);
    cp_set_flag(context, CP_FLAG_LIST_FILES, true);
    cp_set_flag(context, CP_FLAG_NO_CLOBBER, no_clobber);
    struct sink *top, *further;
    assert_int_equal(sink_open_top(context, path_of("top"), &top), CP_OK);
    sink_text(top, "new");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(sink_open(top, i == 0 ? "one" : "two", &further), CP_OK);
        sink_text(further, "new");
    }
    cp_status status = sink_close(top, CP_OK);
    size_t listed;
    (void)cp_files(context, &listed);
    assert_int_equal(listed, status == CP_OK ? 3 : 0);
    cp_context_free(context);
    return status;
}

/* A set of files is placed as a whole: where one cannot be, the others are as they were. */
static void test_sets_are_whole(void **unused)
{
    static const char *const names[] = {"top", "one", "two"};
    (void)unused;
    for (int round = 0; round < 4 * 8; round++) { /* which one fails, and which are there before */
        for (int i = 0; i < 3; i++)
            if (round >> i & 1)
                write_file(names[i], "old");
        failing = round / 8 < 3 ? names[round / 8] : "";
        assert_int_equal(write_set(false), *failing ? CP_OUTPUT : CP_OK);
        for (int i = 0; i < 3; i++)
            if (!*failing || round >> i & 1)
                expect_and_remove(names[i], *failing ? "old" : "new");
        failing = "";
        assert_int_equal(count_names(), 0);
    }
}

/* Without replacing anything: by renameat2, else by a hard link, else not at all. A file that has no name and cannot
 * get one is copied. */
static void test_ways_of_no_clobber(void **unused)
{
    static const struct {
        int of_link, of_syscall;
    } errors[] = {{EPERM, 0}, {0, EINVAL}, {0, ENOSYS}, {EPERM, EINVAL}};
    (void)unused;
    for (int i = 0; i < 4; i++) {
        bool good = !errors[i].of_link || !errors[i].of_syscall;
        link_error = errors[i].of_link;
        syscall_error = errors[i].of_syscall;
        assert_int_equal(write_set(true), good ? CP_OK : CP_OUTPUT);
        link_error = syscall_error = 0;
        if (good) {
            expect_and_remove("top", "new");
            expect_and_remove("one", "new");
            expect_and_remove("two", "new");
        }
        assert_int_equal(count_names(), 0);
    }
}

/* An output of more files than can be open at a time. Until it is closed, its first 200 files have no names. */
static void test_large_sets(void **unused)
{
    enum { FILES = 1500, MOST_NAMELESS = 200 };
    char command[128], text[16];
    (void)unused;
    cp_context *context = cp_context_new(NULL);
    struct sink *top, *further;
    calls[0] = '\0';
    assert_int_equal(sink_open_top(context, path_of("top"), &top), CP_OK);
    for (int i = 0; i < FILES; i++) {
        (void)snprintf(text, sizeof text, "p%d", i);
        assert_int_equal(sink_open(top, text, &further), CP_OK);
        sink_text(further, text);
        assert_int_equal(sink_close_further(further), CP_OK);
    }
    assert_int_equal(count_names(), has_nameless ? FILES - MOST_NAMELESS : FILES + 1);
    assert_int_equal(sink_close(top, CP_OK), CP_OK);
    assert_int_equal(count_names(), FILES + 1);
    cp_context_free(context);
    /* 2 * 10 + 3 * 90 + 4 * 900 + 5 * 500 characters */
    (void)snprintf(command, sizeof command, "cat %s/p[0-9]* | wc -c | grep -qx 6390", folder_path());
    assert_int_equal(system(command), 0);
}

static bool system_has_nameless(void)
{
    int file = __real_open("/tmp", O_WRONLY | O_TMPFILE, 0600);
    return file >= 0 && close(file) == 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_folder, close_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_top_file_comes_last),         TEST(test_sync),
                                       TEST(test_no_clobber_holds_to_the_end), TEST(test_sets_are_whole),
                                       TEST(test_ways_of_no_clobber),          TEST(test_large_sets)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    has_nameless = system_has_nameless();
    return has_nameless ? failed + cmocka_run_group_tests(tests, NULL, NULL) : failed;
}
