/* Makes a folder of packages, for tests of the names by which files name others. */
#ifndef CELLPIPE_TESTS_PACKAGE_TREE_H
#define CELLPIPE_TESTS_PACKAGE_TREE_H

#include "base/bytes/bytes.h"
#include "fixture.h"

static cp_context *context;

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
    if (open_folder(state) != 0)
        return 1;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        write_file(files[i], files[i]);
    context = cp_context_new(NULL);
    if (context)
        cp_set_flag(context, CP_FLAG_CONFINE, false); /* tests of confinement set it again */
    return context ? 0 : 1;
}

static inline int tear_down(void **state)
{
    cp_context_free(context);
    return close_folder(state);
}

/* The text with FOLDER for ~. */
static inline const char *expand(const char *text)
{
    static char out[512];
    const char *tilde = strchr(text, '~');
    int before = tilde ? (int)(tilde - text) : (int)strlen(text);
    (void)snprintf(out, sizeof out, "%.*s%s%s", before, text, tilde ? folder_path() : "", tilde ? tilde + 1 : "");
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
