/* Every sample and every cell of the corpus: to a GLB in memory and back is the same dump, byte for byte. */
#include <dirent.h>
#include <sys/stat.h>

#include "fixture.h"

/* Deliver too, when nothing has to go: then what was made for viewers goes again. */
static const char *const profiles[][4] = {{"profile=stage"},
                                          {"profile=deliver", "collision=yes", "colours=none", "planes=keep"}};

static char *dump(cp_context *context, const cp_scene *scene, size_t *size)
{
    void *text;
    assert_int_equal(cp_write_memory(context, scene, "dump", NULL, 0, &text, size), CP_OK);
    return text;
}

/* The first line that differs. */
static void tell_difference(const char *path, const char *a, size_t a_size, const char *b, size_t b_size)
{
    size_t line = 0, i = 0;
    for (; i < a_size && i < b_size && a[i] == b[i]; i++)
        line = a[i] == '\n' ? i + 1 : line;
    fail_msg("%s: not\n%.300s\nbut\n%.300s", path, a + line, b + line);
}

static cp_scene *through_glb(cp_context *context, const char *path, const cp_scene *scene, int profile)
{
    void *glb;
    size_t size, before, after;
    cp_scene *back;
    assert_int_equal(cp_write_memory(context, scene, "glb", profiles[profile], profile == 0 ? 1 : 4, &glb, &size),
                     CP_OK);
    (void)cp_report(context, &before);
    if (cp_read_memory(context, glb, size, "stage.glb", NULL, NULL, 0, &back) != CP_OK) {
        show_report(context);
        fail_msg("%s: %s is not read", path, profiles[profile][0]);
    }
    (void)cp_report(context, &after);
    assert_int_equal(before, after); /* nothing to warn of in what we write */
    cp_free(context, glb, size);
    return back;
}

static void check(cp_context *context, const char *path, cp_scene *scene)
{
    size_t first_size, second_size;
    char *first = dump(context, scene, &first_size);
    for (int profile = 0; profile < 2; profile++) {
        if (profile == 1) { /* which delivers triangles */
            cp_free(context, first, first_size);
            assert_int_equal(cp_apply(context, scene, "triangulate", NULL, 0), CP_OK);
            first = dump(context, scene, &first_size);
        }
        cp_scene *back = through_glb(context, path, scene, profile);
        char *second = dump(context, back, &second_size);
        if (first_size != second_size || memcmp(first, second, first_size) != 0)
            tell_difference(path, first, first_size, second, second_size);
        cp_free(context, second, second_size);
        cp_scene_free(back);
    }
    cp_free(context, first, first_size);
    cp_scene_free(scene);
}

static void check_file(const char *path)
{
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene;
    assert_non_null(context);
    if (cp_read(context, path, NULL, NULL, 0, &scene) != CP_OK) {
        show_report(context);
        fail_msg("%s is not read", path);
    }
    check(context, path, scene);
    cp_context_free(context);
}

static void test_samples(void **state)
{
    (void)state;
    struct dirent **entries;
    int count = scandir(SAMPLES, &entries, NULL, alphasort), checked = 0;
    for (int i = 0; i < count; i++) {
        char path[1000];
        struct stat status;
        snprintf(path, sizeof path, "%s/%s", SAMPLES, entries[i]->d_name);
        size_t length = strlen(path);
        bool text = length > 3 && strcmp(path + length - 3, ".md") == 0;
        if (stat(path, &status) == 0 && S_ISREG(status.st_mode) && !text) {
            check_file(path);
            checked++;
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    assert_true(checked > 0);
}

static void test_recordings(void **state)
{
    (void)state;
    check_file(SAMPLES "/deneb/welding/weld.dcr");
    check_file(SAMPLES "/deneb/hexapod/contour.dcr");
    check_file(SAMPLES "/deneb/assembly/saw.dcr");
}

static void test_corpus(void **state)
{
    (void)state;
    static const char *const cells[] = {"robwork-pa10-2009/PA10.wu",       "robwork-pa10-2018/PA10.wu",
                                        "robwork-simple/workcell.wu",      "robwork-snippets/workcell.wu",
                                        "robwork-snippets/environment.wu", "robwork-snippets/geometric-primitives.wu",
                                        "robwork-simple-wc/PA10/PA10.wu"};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        char path[1000];
        struct stat status;
        snprintf(path, sizeof path, "%s/corpus/%s", SHARED, cells[i]);
        if (stat(path, &status) == 0)
            check_file(path);
        else
            print_message("skipped: %s\n", path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_samples), cmocka_unit_test(test_recordings),
                                       cmocka_unit_test(test_corpus)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
