/* Which files the names in a file mean, and what confinement keeps from being opened. */
#include <errno.h>

#include <unistd.h>

#include "package_tree.h"

#include "base/bytes/bytes.h"

/* ---- names ---- */

struct name {
    const char *name;
    const char *found; /* NULL: no file */
    const char *shown; /* in messages; NULL: the whole path */
};

static const struct name names[] = {
    {"near.stl", "ws/arm/urdf/near.stl", "near.stl"},
    {"../meshes/link.stl", "ws/arm/meshes/link.stl", "../meshes/link.stl"},
    {"plain.stl", "lib/plain.stl", NULL},
    {"~/ws/hand/palm.stl", "ws/hand/palm.stl", NULL},
    {"%2e%2e/x.stl", "ws/arm/urdf/%2e%2e/x.stl", "%2e%2e/x.stl"}, /* a path is no URI */
    {"none.stl", NULL, NULL},
    {"http://ws/near.stl", NULL, NULL},
    /* file: */
    {"file://~/ws/hand/palm.stl", "ws/hand/palm.stl", NULL},
    {"file://localhost~/ws/hand/palm.stl", "ws/hand/palm.stl", NULL},
    {"file:~/ws/hand/palm.stl", "ws/hand/palm.stl", NULL},
    {"FILE://~/ws/h%61nd/p%61lm.stl", "ws/hand/palm.stl", NULL},
    {"file://~/ws/arm/urdf/two%20words.stl", "ws/arm/urdf/two words.stl", NULL},
    {"file://~/ws/arm/urdf/100%.stl", "ws/arm/urdf/100%.stl", NULL}, /* what many write */
    {"file://~/ws/arm/urdf/100%25.stl", "ws/arm/urdf/100%.stl", NULL},
    {"file://near.stl", "ws/arm/urdf/near.stl", "near.stl"},
    {"file://plain.stl", "lib/plain.stl", NULL},
    {"file://~/ws/hand/palm.stl%00.txt", NULL, NULL},
    {"file://", NULL, NULL},
    /* package: around the file, beside the package, the nearest first, before the include folders */
    {"package://arm/meshes/link.stl", "ws/arm/meshes/link.stl", NULL},
    {"package://hand/palm.stl", "ws/hand/palm.stl", NULL},
    {"package://hand/nail.stl", "ws/arm/urdf/hand/nail.stl", "hand/nail.stl"},
    {"package://only/x.stl", "lib/only/x.stl", NULL},
    {"model://arm/meshes/link.stl", "ws/arm/meshes/link.stl", NULL},
    {"Model://arm/meshes//link.stl", "ws/arm/meshes/link.stl", NULL},
    {"package://%61rm/meshes/l%69nk.stl", "ws/arm/meshes/link.stl", NULL},
    {"package://arm/urdf/100%.stl", "ws/arm/urdf/100%.stl", NULL},
    {"package://arm/none.stl", NULL, NULL},
    {"package://arm", NULL, NULL},
    {"package://arm/", NULL, NULL},
    {"package://arm/urdf", NULL, NULL}, /* a folder */
    {"package:///near.stl", NULL, NULL},
    {"package://./near.stl", NULL, NULL},
    {"package://../meshes/link.stl", NULL, NULL},
    {"package://%2e%2e/meshes/link.stl", NULL, NULL},
    {"package://arm%2fmeshes/link.stl", NULL, NULL},
    {"package://arm/meshes/link.stl%00", NULL, NULL},
    /* a package whose folders were said is looked for there alone */
    {"package://said/y.stl", "said/one/y.stl", NULL},
    {"model://said/z.stl", "said/two/z.stl", NULL},
    {"package://said/../secret.stl", "said/secret.stl", NULL},
    {"package://said/none.stl", NULL, NULL},
    {"package://sai/y.stl", NULL, NULL},
};

static void test_names(void **state)
{
    (void)state;
    add_folders();
    struct source *top = open_robot();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct source *found = NULL;
        char name[256];
        (void)strcpy(name, expand(names[i].name));
        cp_status status = source_open(top, name, &found);
        if (status != (names[i].found ? CP_OK : CP_NO)) {
            show_report(context);
            fail_msg("%s: status %d", name, (int)status);
        }
        if (!names[i].found)
            continue;
        assert_string_equal(found->data, names[i].found);
        if (names[i].shown)
            assert_string_equal(found->name, names[i].shown);
        else
            assert_memory_equal(found->name, folder_path(), strlen(folder_path()));
        /* Outputs name it as its file does, wherever it was found. */
        assert_string_equal(found->label, name);
        source_close(found);
    }
    size_t count;
    (void)cp_report(context, &count);
    assert_int_equal(count, 0);

    /* What a file of a package names is seen from its own folder. */
    struct source *link, *near;
    assert_int_equal(source_open(top, "package://arm/meshes/link.stl", &link), CP_OK);
    assert_int_equal(source_open(link, "../urdf/near.stl", &near), CP_OK);
    assert_string_equal(near->data, "ws/arm/urdf/near.stl");
    assert_string_equal(near->label, "package://arm/meshes/../urdf/near.stl");
    source_close(near);
    assert_int_equal(source_open(link, "model://arm/meshes/link.stl", &near), CP_INPUT);
    assert_true(was_reported(context, "source-cycle"));
    source_close(link);
    source_close(top);
}

/* Without a folder of its own: from the working folder upwards. */
static void test_names_from_working_folder(void **state)
{
    (void)state;
    char here[4096];
    struct source *top, *found;
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(expand("~/ws/arm/urdf")), 0);
    assert_int_equal(source_open_top(context, "robot.urdf", &top), CP_OK);
    assert_int_equal(source_open(top, "package://hand/palm.stl", &found), CP_OK);
    assert_string_equal(found->data, "ws/hand/palm.stl");
    source_close(found);
    assert_int_equal(source_open(top, "package://hand/nail.stl", &found), CP_OK);
    assert_string_equal(found->path, "hand/nail.stl");
    source_close(found);
    source_close(top);
    assert_int_equal(source_from_memory(context, "x", 1, "/nowhere/at/all/robot.urdf", &top), CP_OK);
    assert_int_equal(source_open(top, "package://hand/palm.stl", &found), CP_NO);
    source_close(top);
    assert_int_equal(chdir(here), 0);
}

static void test_package_settings(void **state)
{
    static const char *const bad[] = {"", "arm", "=folder", "arm=", "a/b=folder", "..=folder", ".=folder"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cp_report_clear(context);
        assert_int_equal(cp_add_package_folder(context, bad[i]), CP_USAGE);
        assert_true(was_reported(context, "package-folder"));
    }
    assert_int_equal(cp_add_package_folder(context, "a.b-c=x=y"), CP_OK);
}

/* ---- confinement ---- */

static void test_confinement(void **state)
{
    static const char *const refused[] = {
        "../meshes/link.stl",
        "~/ws/hand/palm.stl",
        "file://~/ws/hand/palm.stl",
        "file://localhost~/ws/hand/palm.stl",
        "file:~/ws/hand/palm.stl",
        "file://../meshes/link.stl",
        "file://%2e%2e/meshes/link.stl",
        "file://%2E./meshes%2Flink.stl",
        "file://hand/../../meshes/link.stl",
        "package://arm/meshes/link.stl", /* above the file */
        "package://hand/palm.stl",
        "model://hand/palm.stl",
        "package://hand/../../meshes/link.stl",
        "package://hand/%2e%2e/%2e%2e/meshes/link.stl",
        "package://said/../secret.stl",
        "package://said/%2e%2e/secret.stl",
        "package://said/out.stl",
        "out.stl",
        "~/said/oneself.stl",
    };
    static const char *const allowed[] = {"near.stl",
                                          "file://near.stl",
                                          "file://~/ws/arm/urdf/near.stl",
                                          "package://hand/nail.stl",
                                          "package://said/y.stl",
                                          "model://said/z.stl",
                                          "../../../said/one/y.stl",
                                          "package://only/x.stl",
                                          "plain.stl",
                                          "~/lib/plain.stl"};
    static const char *const missing[] = {"none.stl",          "../none.stl",
                                          "package://../x",    "package://%2e%2e/meshes/link.stl",
                                          "package://a%2fb/x", "package://said/none.stl"};
    (void)state;
    char target[256];
    (void)strcpy(target, expand("~/said/one/out.stl"));
    assert_int_equal(symlink("../secret.stl", target), 0);
    (void)strcpy(target, expand("~/ws/arm/urdf/out.stl"));
    assert_int_equal(symlink("../meshes/link.stl", target), 0);
    write_file("said/oneself.stl", "a folder's name is not all of the path");
    add_folders();
    cp_set_flag(context, CP_FLAG_CONFINE, true);
    struct source *top = open_robot(), *found;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        cp_report_clear(context);
        cp_status status = source_open(top, expand(refused[i]), &found);
        if (status != CP_INPUT || !was_reported(context, "source-confined"))
            fail_msg("%s: status %d", refused[i], (int)status);
    }
    cp_report_clear(context);
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++) {
        if (source_open(top, expand(allowed[i]), &found) != CP_OK)
            fail_msg("%s is refused", allowed[i]);
        source_close(found);
    }
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        if (source_open(top, expand(missing[i]), &found) != CP_NO)
            fail_msg("%s is there or refused", missing[i]);

    /* A file of a package may name others of it, and no more. */
    struct source *inside;
    assert_int_equal(source_open(top, "package://said/y.stl", &inside), CP_OK);
    assert_int_equal(source_open(inside, "../two/z.stl", &found), CP_OK);
    source_close(found);
    assert_int_equal(source_open(inside, "../secret.stl", &found), CP_INPUT);
    source_close(inside);

    /* A file of an option lies anywhere; so does what lies below its folder. */
    assert_int_equal(source_open_option(top, "../meshes/link.stl", &inside), CP_OK);
    assert_int_equal(source_open(inside, "link2.stl", &found), CP_NO);
    write_file("ws/arm/meshes/link2.stl", "2");
    assert_int_equal(source_open(inside, "link2.stl", &found), CP_OK);
    source_close(found);
    assert_int_equal(source_open(top, "../meshes/link2.stl", &found), CP_INPUT);
    assert_int_equal(source_open(inside, "../../../said/secret.stl", &found), CP_INPUT);
    source_close(inside);
    source_close(top);
}

/* Standard input and memory have the current folder, if they have no other. */
static void test_confinement_without_a_folder(void **state)
{
    (void)state;
    char here[4096];
    struct source *top, *found;
    cp_set_flag(context, CP_FLAG_CONFINE, true);
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(expand("~/ws/arm/urdf")), 0);
    assert_int_equal(source_from_memory(context, "x", 1, "stdin", &top), CP_OK);
    assert_int_equal(source_open(top, "near.stl", &found), CP_OK);
    source_close(found);
    assert_int_equal(source_open(top, "../meshes/link.stl", &found), CP_INPUT);
    source_close(top);
    assert_int_equal(chdir(here), 0);
}

/* The message says where the file is, where it may be, and what to do. */
static void test_message_of_confinement(void **state)
{
    (void)state;
    size_t count;
    struct source *found;
    cp_set_flag(context, CP_FLAG_CONFINE, true);
    struct source *top = open_robot();
    assert_int_equal(source_open(top, "../meshes/link.stl", &found), CP_INPUT);
    const cp_entry *entries = cp_report(context, &count);
    assert_int_equal(count, 1);
    char expected[1024];
    (void)snprintf(expected, sizeof expected,
                   "file \"../meshes/link.stl\" lies outside the top file's folder \"%s\" (--confine=no reads it; "
                   "--include DIR and --package NAME=DIR allow a folder)",
                   expand("~/ws/arm/urdf/"));
    assert_string_equal(entries[0].text, expected);
    source_close(top);
}

/* ---- letters of another case ---- */

/* What is known of a folder serves for further files, whether it is there, has letters of another case or is absent. */
static void test_any_case(void **state)
{
    static const struct {
        const char *name, *found;
    } files[] = {
        {"../shapes/link.stl", "Link"},
        {"../shapes/hook.stl", "hook"},
        {"../shapes/none.stl", NULL},
        {"../none/link.stl", NULL},
        {"../none/hook.stl", NULL},
        {"../urdf/NEAR.stl", "ws/arm/urdf/near.stl"},
        {"../urdf/Robot2.urdf", NULL},
        {"../SHAPES/LINK.stl", "Link"},
        {"../urdf/near.STL", "ws/arm/urdf/near.stl"},
        {"package://ARM/none/a.stl", NULL},
    };
    (void)state;
    add_folders();
    write_file("ws/arm/Shapes/Link.STL", "Link");
    write_file("ws/arm/Shapes/hook.stl", "hook");
    struct source *top = open_robot(), *found = NULL;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        cp_status status = source_open_any_case(top, files[i].name, &found);
        if (status != (files[i].found ? CP_OK : CP_NO))
            fail_msg("%s: status %d", files[i].name, (int)status);
        if (status == CP_OK)
            assert_string_equal(found->data, files[i].found);
        source_close(status == CP_OK ? found : NULL);
    }
    source_close(top);
}

/* ---- a race ---- */

char *__real_real_path(const char *path);
char *__wrap_real_path(const char *path);

long __real_syscall(long number, ...);
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f);

static bool is_racing, is_old;

/* An old system has no call that opens a path without following links, so that each folder on it is opened. */
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    errno = ENOSYS;
    return is_old ? -1 : __real_syscall(number, a, b, c, d, e, f);
}

static uint32_t exchange_state = 1;

static void swap(const char *one, const char *other)
{
    assert_int_equal(rename(one, "swapped") | rename(other, one) | rename("swapped", other), 0);
}

/* The linker hands the library's calls to this: at the worst moment, after a path was resolved and before the file is
 * opened, somebody may exchange a file or a folder for a link to outside, or that for the file. */
char *__wrap_real_path(const char *path)
{
    char *real = __real_real_path(path);
    int error = errno;
    exchange_state = exchange_state * 1664525 + 1013904223;
    if (is_racing && exchange_state >> 31)
        swap(exchange_state >> 30 & 1 ? "swap.stl" : "sub", exchange_state >> 30 & 1 ? "swap.link" : "sub.link");
    errno = error;
    return real;
}

/* However often a link is put in the way of a file, what is read lies inside. */
static void run_race(bool old)
{
    enum { OPENS = 10000 };
    is_old = old;
    char here[4096];
    unsigned refused = 0, opened = 0;
    struct source *top, *found;
    write_file("ws/arm/urdf/sub/secret.stl", "inside");
    write_file("ws/arm/urdf/swap.stl", "inside");
    cp_set_flag(context, CP_FLAG_CONFINE, true);
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(expand("~/ws/arm/urdf")), 0);
    assert_int_equal(symlink("../../../said", "sub.link") | symlink("../../../said/secret.stl", "swap.link"), 0);
    assert_int_equal(source_open_top(context, "robot.urdf", &top), CP_OK);
    is_racing = true;
    for (int i = 0; i < OPENS; i++) {
        cp_status status = source_open(top, i % 2 ? "swap.stl" : "sub/secret.stl", &found);
        if (status == CP_OK)
            assert_string_equal(found->data, "inside");
        else
            assert_int_equal(status, CP_INPUT);
        opened += status == CP_OK;
        refused += status == CP_INPUT;
        source_close(status == CP_OK ? found : NULL);
        cp_report_clear(context);
    }
    is_racing = false;
    is_old = false;
    assert_true(opened > OPENS / 10 && refused > OPENS / 10);
    source_close(top);
    assert_int_equal(chdir(here), 0);
}

static void test_race(void **state)
{
    (void)state;
    run_race(false);
}

static void test_race_on_old_system(void **state)
{
    (void)state;
    run_race(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_names),
        TEST(test_names_from_working_folder),
        TEST(test_package_settings),
        TEST(test_confinement),
        TEST(test_confinement_without_a_folder),
        TEST(test_message_of_confinement),
        TEST(test_any_case),
        TEST(test_race),
        TEST(test_race_on_old_system),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
