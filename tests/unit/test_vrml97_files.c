/* The VRML97 exporter on every sample and every cell of the corpus, in both layouts; and the tests' own reader on texts
 * with faults. */
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cellpipe_tool.h"
#include "vrml97_compare.h"
#include "vrml97_scenes.h"

/* An exporter of the test's own gets the scene as the one for VRML97 did, with faces in place of primitives, and
 * compares it with the file. */
static cp_status compare_as_written(void *user, cp_context *context, const cp_scene *scene, const void *settings,
                                    cp_output *output)
{
    (void)user, (void)settings;
    compare_files(context, read_text(path_of("cell.wrl")), scene, folder_path());
    return cp_output_text(output, "compared");
}

static cp_context *new_context(void)
{
    const cp_exporter exporter = {.size = sizeof exporter,
                                  .name = "compare",
                                  .title = "compares with cell.wrl",
                                  .carries = CP_FEATURE_ALL & ~CP_FEATURE_PRIMITIVES,
                                  .write = compare_as_written};
    cp_context *context = cp_context_new(NULL);
    expect_status(context, cp_register_exporter(context, &exporter), CP_OK);
    return context;
}

static void write_and_compare(cp_context *context, const cp_scene *scene, const char *option)
{
    const char *options[] = {option, "planes=keep"};
    expect_status(context, cp_write(context, scene, path_of("cell.wrl"), NULL, options, 2), CP_OK);
    free(written_text(context, scene, "compare", NULL, NULL));
    reader_free();
}

static void check_file(const char *path)
{
    cp_context *context = new_context();
    cp_scene *scene = read_path(context, path);
    print_message("           %s\n", path);
    write_and_compare(context, scene, "layout=single");
    write_and_compare(context, scene, "layout=inline");
    write_and_compare(context, scene, "layout=parts");
    empty_folder();
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_samples(void **unused)
{
    (void)unused;
    DIR *folder = opendir(SAMPLES);
    assert_non_null(folder);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[4096];
        struct stat about;
        (void)snprintf(path, sizeof path, "%s/%s", SAMPLES, entry->d_name);
        if (entry->d_name[0] == '.' || strcmp(entry->d_name, "README.md") == 0 || stat(path, &about) != 0 ||
            !S_ISREG(about.st_mode))
            continue;
        check_file(path);
        count++;
    }
    (void)closedir(folder);
    assert_true(count > 0);
}

static void test_recordings(void **unused)
{
    (void)unused;
    static const char *const recordings[] = {"welding/weld.dcr", "hexapod/contour.dcr", "assembly/saw.dcr"};
    for (size_t i = usual_or_long(1, 0); i < sizeof recordings / sizeof *recordings; i++) { /* the first takes long */
        char path[4096];
        (void)snprintf(path, sizeof path, "%s/deneb/%s", SAMPLES, recordings[i]);
        check_file(path);
    }
}

static void test_corpus(void **unused)
{
    (void)unused;
    static const char *const cells[] = {
        "robwork-snippets/workcell.wu",
        "robwork-snippets/geometric-primitives.wu",
        "robwork-simple-wc/PA10/PA10.wu",
        "robwork-pa10-2009/PA10.wu",
        "robwork-pa10-2018/PA10.wu",
        "abb_irb120/abb_irb120_support/meshes/irb120_3_58/visual/link_1.stl",
        "abb_irb2400/abb_irb2400_support/meshes/irb2400/visual/link_2.dae",
    };
    if (access(SHARED "/corpus", R_OK) != 0) {
        print_message("skipped: %s is not there\n", SHARED "/corpus");
        skip();
    }
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        char path[4096];
        (void)snprintf(path, sizeof path, "%s/corpus/%s", SHARED, cells[i]);
        check_file(path);
    }
}

/* ---- layouts ---- */

static void expect_file(const char *name)
{
    assert_int_equal(access(path_of(name), R_OK), 0);
}

static void test_inline_files(void **unused)
{
    (void)unused;
    cp_context *context = new_context();
    cp_scene *scene = arm_scene(context);
    uint32_t device = add_bare_device(scene, "My Robot", 1);
    for (uint32_t i = 2; i < 6; i++)
        set_scope(scene, i, device);
    place_mesh(scene, count_nodes(scene) - 1, add_box(scene, "own/part", 1, 1, 1));
    assert_int_equal(cp_scene_finish(scene), CP_OK);
    write_and_compare(context, scene, "layout=inline");
    write_and_compare(context, scene, "layout=parts");
    /* The box is first used by the base, which belongs to no device. */
    expect_file("d_cell/cell_box.wrl");
    expect_file("d_cell/cell_own_part.wrl");
    set_scope(scene, 1, device);
    assert_int_equal(cp_scene_finish(scene), CP_OK);
    write_and_compare(context, scene, "layout=inline");
    write_and_compare(context, scene, "layout=parts");
    expect_file("d_My_Robot/cell_box.wrl");
    empty_folder();
    const char *option = "layout=inline";
    void *bytes;
    size_t size;
    assert_int_equal(cp_write_memory(context, scene, "vrml97", &option, 1, &bytes, &size), CP_USAGE);
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_gzip(void **unused)
{
    (void)unused;
    static const char *const names[] = {"cell.wrz", "cell.wrl.gz"};
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = arm_scene(context);
    assert_int_equal(cp_scene_finish(scene), CP_OK);
    char path[128];
    const char *folder = folder_path();
    for (int i = 0; i < 2; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        assert_int_equal(cp_write(context, scene, path, NULL, NULL, 0), CP_OK);
        assert_memory_equal(read_text(path), "\x1f\x8b", 2);
        char command[256];
        (void)snprintf(command, sizeof command, "gzip -dc '%s' >'%s/plain'", path, folder);
        assert_int_equal(system(command), 0);
        (void)snprintf(path, sizeof path, "%s/plain", folder);
        compare_with_scene(context, read_text(path), scene);
    }
    empty_folder();
    cp_scene_free(scene);
    cp_context_free(context);
    reader_free();
}

static bool is_utf8(const char *text)
{
    const char *end = text + strlen(text);
    for (size_t size; text < end; text += size)
        if ((size = cp_utf8_length(text, (size_t)(end - text))) == 0)
            return false;
    return true;
}

/* The title is the file's name, where that is UTF-8. */
static void test_title(void **unused)
{
    (void)unused;
    static const char *const names[] = {"my \"cell\".wrl", "caf\xe9.wrl"};
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = arm_scene(context);
    assert_int_equal(cp_scene_finish(scene), CP_OK);
    char path[128];
    const char *folder = folder_path();
    for (int i = 0; i < 2; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        assert_int_equal(cp_write(context, scene, path, NULL, NULL, 0), CP_OK);
        char *text = read_text(path);
        assert_true(is_utf8(text));
        struct vfield *title = vfield_of(vrml_read(text)->roots[0], "title");
        assert_true((title != NULL) == (i == 0));
        if (title)
            assert_string_equal(title->strings[0], "my \"cell\"");
    }
    empty_folder();
    cp_scene_free(scene);
    cp_context_free(context);
    reader_free();
}

/* ---- the reader itself ---- */

#define SET(indices)                                                                                                   \
    "Shape { geometry IndexedFaceSet { coord Coordinate { point [ 0 0 0 1 0 0 0 1 0 ] } coordIndex " indices "} }"
#define TURN(fields) "DEF a OrientationInterpolator { " fields " }"

static const struct fault {
    const char *text, *message;
} faults[] = {
    {"Group { ", "no name"},
    {"Group { size 1 }", "no field size"},
    {"Cube { }", "is no node"},
    {"Group { children [ USE a ] }", "USE of a before"},
    {"DEF a Group { } DEF a Group { }", "DEF a twice"},
    {"DEF a Group { } ROUTE a.touchTime TO b.set_startTime", "b, which is not defined"},
    {"DEF a TouchSensor { } DEF b TimeSensor { } ROUTE a.touchTime TO b.fraction_changed", "in this direction"},
    {"DEF a TouchSensor { } DEF b Transform { } ROUTE a.touchTime TO b.set_scale", "different types"},
    {"DEF a TouchSensor { } DEF b TimeSensor { } ROUTE a.touchTime TO b.set_startTime Group { }", "behind a ROUTE"},
    {"WorldInfo { title \"two\nlines\" }", "control character"},
    {"WorldInfo { title \"\\n\" }", "escape"},
    {"Transform { translation 0 0 nan }", "no number"},
    {"Transform { translation 0 0 1e39 }", "no number that a float holds"},
    {"Transform { scale 1 0 1 }", "a scale of 0"},
    {"Transform { scale 1 1 -1 }", "a scale of -1"},
    {"Transform { rotation 1 0 0 0 }", "a zero rotation"},
    {"Transform { rotation 1 1 0 1 }", "not of length 1"},
    {SET("[ 0 1 3 -1 ]"), "coordIndex 3"},
    {SET("[ 0 1 -1 ]"), "a face of 2"},
    {SET("[ 0 1 2 ]"), "does not end"},
    {TURN("key [ 0 1 ] keyValue [ 0 0 1 0 ]"), "differ in number"},
    {TURN("key [ 0 0.9 ] keyValue [ 0 0 1 0 0 0 1 1 ]"), "not from 0 to 1"},
    {TURN("key [ 0 0.5 0.5 1 ] keyValue [ 0 0 1 0 0 0 1 1 0 0 1 1 0 0 1 0 ]"), "do not ascend"},
    {TURN("key [ 0 1 ] keyValue [ 0 0 1 0 0 0 1 1.6 ]"), "more than 90"},
    {"Material { diffuseColor 0 0 1.5 }", "a colour of 1"},
};

/* In a function of its own: nothing of the caller's changes between setjmp and longjmp. */
static void read_fault(const char *text)
{
    jmp_buf trap;
    reader_message[0] = 0;
    reader_trap = &trap;
    if (setjmp(trap) == 0)
        vrml_check(vrml_read(text));
    reader_trap = NULL;
}

static void test_reader(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        char text[500];
        (void)snprintf(text, sizeof text, "#VRML V2.0 utf8\n%s\n", faults[i].text);
        read_fault(text);
        if (!strstr(reader_message, faults[i].message))
            fail_msg("%s: \"%s\", not \"%s\"", faults[i].text, reader_message, faults[i].message);
    }
    reader_free();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reader), cmocka_unit_test(test_inline_files), cmocka_unit_test(test_gzip),
        cmocka_unit_test(test_title),  cmocka_unit_test(test_samples),      cmocka_unit_test(test_recordings),
        cmocka_unit_test(test_corpus),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
