/* In which order outputs reach the disk: the linker hands the library's fsync and rename to this test, which notes and
 * carries them out. */
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
    return __real_rename(from, to);
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_top_file_comes_last), cmocka_unit_test(test_sync),
                                       cmocka_unit_test(test_no_clobber_holds_to_the_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
