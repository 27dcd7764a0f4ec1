/* A folder of packages, for tests of the names by which files name others. */
#ifndef CELLPIPE_TESTS_PACKAGE_TREE_H
#define CELLPIPE_TESTS_PACKAGE_TREE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "fixture.h"

#include "base/bytes/bytes.h"

static char folder[64];
static cp_context *context;

/* Writes folder/path, with the folders on the way there. */
static inline void put_file(const char *path, const char *text)
{
    char full[256];
    (void)snprintf(full, sizeof full, "%s/%s", folder, path);
    for (char *slash = full + strlen(folder) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        (void)mkdir(full, 0700);
    }
    FILE *file = fopen(full, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Every file holds its own path. Package arm lies around the file that names it, hand and the deceiving arm beside
 * it. */
static inline int set_up(void **state)
{
    static const char *const files[] = {"ws/arm/urdf/robot.urdf",
                                        "ws/arm/urdf/near.stl",
                                        "ws/arm/urdf/two words.stl",
                                        "ws/arm/urdf/100%.stl",
                                        "ws/arm/meshes/link.stl",
                                        "ws/hand/palm.stl",
                                        "ws/hand/nail.stl",
                                        "ws/arm/urdf/hand/nail.stl",
                                        "lib/hand/palm.stl",
                                        "lib/only/x.stl",
                                        "lib/plain.stl",
                                        "said/one/y.stl",
                                        "said/two/z.stl",
                                        "said/secret.stl",
                                        "ws/said/y.stl",
                                        "ws/arm/urdf/%2e%2e/x.stl"};
    (void)state;
    (void)strcpy(folder, "/tmp/cellpipe-test-XXXXXX");
    if (!mkdtemp(folder))
        return 1;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        put_file(files[i], files[i]);
    context = cp_context_new(NULL);
    if (context)
        cp_set_flag(context, CP_FLAG_CONFINE, false); /* what confinement forbids has tests of its own */
    return context ? 0 : 1;
}

static inline int tear_down(void **state)
{
    char command[128];
    (void)state;
    cp_context_free(context);
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

/* The text with FOLDER for ~. */
static inline const char *expand(const char *text)
{
    static char out[512];
    const char *tilde = strchr(text, '~');
    int before = tilde ? (int)(tilde - text) : (int)strlen(text);
    (void)snprintf(out, sizeof out, "%.*s%s%s", before, text, tilde ? folder : "", tilde ? tilde + 1 : "");
    return out;
}

static inline void add_folders(void)
{
    assert_int_equal(cp_add_include_folder(context, expand("~/lib")), CP_OK);
    assert_int_equal(cp_add_package_folder(context, expand("said=~/none")), CP_OK);
    assert_int_equal(cp_add_package_folder(context, expand("said=~/said/one")), CP_OK);
    assert_int_equal(cp_add_package_folder(context, expand("said=~/said/two/")), CP_OK);
}

static inline struct source *open_robot(void)
{
    struct source *top;
    assert_int_equal(source_open_top(context, expand("~/ws/arm/urdf/robot.urdf"), &top), CP_OK);
    return top;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

#endif
