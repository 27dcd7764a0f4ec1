/* In which order outputs reach the disk, and what is left when that fails: the linker hands the library's fsync,
 * rename, link and syscall (renameat2) to this test, which notes them and carries them out, or lets them fail. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "bytes/sink.h"
#include "context.h"

static char calls[512];
static const char *failing = ""; /* renames to this name fail */
static int link_error, syscall_error;

static void note(const char *what, const char *of)
{
    size_t used = strlen(calls);
    (void)snprintf(calls + used, sizeof calls - used, "%s %s; ", what, of);
}

int __real_fsync(int file);
int __wrap_fsync(int file);
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
    note("rename", strrchr(to, '/') + 1);
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
    char folder[] = "/tmp/cellpipe-test-XXXXXX", path[64], command[64];
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/top", folder);
    cp_context *context = cp_context_new(NULL);
    cp_set_flag(context, CP_FLAG_SYNC, sync);
    struct sink *top, *part;
    calls[0] = '\0';
    assert_int_equal(sink_open_top(context, path, &top), CP_OK);
    assert_int_equal(sink_open(top, "part", &part), CP_OK);
    sink_text(part, "part");
    assert_int_equal(sink_close_further(part), CP_OK);
    sink_text(top, "top");
    assert_int_equal(sink_close(top, CP_OK), CP_OK);
    assert_string_equal(calls, expected);
    cp_context_free(context);
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

/* Who sees the top file finds all that it names. */
static void test_top_file_comes_last(void **unused)
{
    (void)unused;
    write_two(false, "rename part; rename top; ");
}

/* Content, then names, then the folder that holds the names. */
static void test_sync(void **unused)
{
    (void)unused;
    write_two(true, "sync file; sync file; rename part; rename top; sync folder; ");
}

/* A file of the output's name that somebody makes in the meantime is not replaced, and no temporary file stays. */
static void test_no_clobber_holds_to_the_end(void **unused)
{
    (void)unused;
    char folder[] = "/tmp/cellpipe-test-XXXXXX", path[64], text[8] = "";
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/top", folder);
    cp_context *context = cp_context_new(NULL);
    cp_set_flag(context, CP_FLAG_NO_CLOBBER, true);
    struct sink *top;
    assert_int_equal(sink_open_top(context, path, &top), CP_OK);
    sink_text(top, "ours");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fputs("theirs", file) < 0, 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(sink_close(top, CP_OK), CP_OUTPUT);
    cp_context_free(context);
    file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    assert_int_equal(fclose(file), 0);
    assert_string_equal(text, "theirs");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0); /* nothing else is in it */
}

static void put(const char *folder, const char *name, const char *text)
{
    char path[64];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void expect_and_remove(const char *folder, const char *name, const char *text)
{
    char path[64], found[8] = "";
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(found, sizeof found, file));
    assert_int_equal(fclose(file), 0);
    assert_string_equal(found, text);
    assert_int_equal(unlink(path), 0);
}

/* Writes top, one and two; returns the status. Nothing of it is listed when it fails. */
static cp_status write_set(const char *folder, bool no_clobber)
{
    char path[64];
    (void)snprintf(path, sizeof path, "%s/top", folder);
    cp_context *context = cp_context_new(NULL);
    cp_set_flag(context, CP_FLAG_LIST_FILES, true);
    cp_set_flag(context, CP_FLAG_NO_CLOBBER, no_clobber);
    struct sink *top, *further;
    assert_int_equal(sink_open_top(context, path, &top), CP_OK);
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
        char folder[] = "/tmp/cellpipe-test-XXXXXX";
        assert_non_null(mkdtemp(folder));
        for (int i = 0; i < 3; i++)
            if (round >> i & 1)
                put(folder, names[i], "old");
        failing = round / 8 < 3 ? names[round / 8] : "";
        assert_int_equal(write_set(folder, false), *failing ? CP_OUTPUT : CP_OK);
        for (int i = 0; i < 3; i++)
            if (!*failing || round >> i & 1)
                expect_and_remove(folder, names[i], *failing ? "old" : "new");
        failing = "";
        assert_int_equal(rmdir(folder), 0); /* nothing else is in it */
    }
}

/* Without replacing anything: by renameat2, else by a hard link, else not at all. */
static void test_ways_of_no_clobber(void **unused)
{
    static const struct {
        int of_link, of_syscall;
    } errors[] = {{EPERM, 0}, {0, EINVAL}, {0, ENOSYS}, {EPERM, EINVAL}};
    (void)unused;
    for (int i = 0; i < 4; i++) {
        char folder[] = "/tmp/cellpipe-test-XXXXXX";
        assert_non_null(mkdtemp(folder));
        link_error = errors[i].of_link;
        syscall_error = errors[i].of_syscall;
        assert_int_equal(write_set(folder, true), i < 3 ? CP_OK : CP_OUTPUT);
        link_error = syscall_error = 0;
        if (i < 3) {
            expect_and_remove(folder, "top", "new");
            expect_and_remove(folder, "one", "new");
            expect_and_remove(folder, "two", "new");
        }
        assert_int_equal(rmdir(folder), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_top_file_comes_last), cmocka_unit_test(test_sync),
                                       cmocka_unit_test(test_no_clobber_holds_to_the_end),
                                       cmocka_unit_test(test_sets_are_whole),
                                       cmocka_unit_test(test_ways_of_no_clobber)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
