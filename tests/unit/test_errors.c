/* Errors that no file can provoke, but a user of the library or an author of a plug-in can. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/text/text.h"
#include "model/model.h"

static const char part[] =
    "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n"
    "endfacet\nendsolid s\n";

static cp_context *context;

static int open_context(void **state)
{
    (void)state;
    context = cp_context_new(NULL);
    return context ? 0 : 1;
}

static int close_context(void **state)
{
    (void)state;
    cp_context_free(context);
    return 0;
}

static cp_scene *read_part(void)
{
    cp_scene *scene;
    assert_int_equal(cp_read_memory(context, part, sizeof part - 1, "part.stl", NULL, NULL, 0, &scene), CP_OK);
    return scene;
}

/* The report ends in this error. */
static void assert_error(const char *code, const char *message)
{
    size_t count;
    const cp_entry *entries = cp_report(context, &count);
    assert_true(count > 0);
    assert_int_equal(entries[count - 1].severity, CP_ERROR);
    assert_string_equal(entries[count - 1].code, code);
    assert_string_equal(entries[count - 1].message, message);
}

static void test_unknown_names(void **state)
{
    (void)state;
    cp_scene *scene, *none;
    assert_int_equal(cp_read_memory(context, part, sizeof part - 1, "part.stl", "stll", NULL, 0, &none), CP_USAGE);
    assert_error("plugin-unknown", "cellpipe: error: unknown input format \"stll\"; did you mean stl?");
    assert_null(none);
    scene = read_part();
    assert_int_equal(cp_write(context, scene, "out.bin", "glbb", NULL, 0), CP_USAGE);
    assert_error("plugin-unknown", "cellpipe: error: unknown output format \"glbb\"; did you mean glb?");
    assert_int_equal(cp_apply(context, scene, "wled", NULL, 0), CP_USAGE);
    assert_error("plugin-unknown", "cellpipe: error: unknown filter \"wled\"; did you mean weld?");
    assert_int_equal(cp_write(context, scene, "out.bin", NULL, NULL, 0), CP_USAGE);
    assert_error("write-unknown", "out.bin: error: the suffix does not name an output format (--to names one)");
    cp_scene_free(scene);
}

static void test_failed_filter_changes_nothing(void **state)
{
    (void)state;
    cp_scene *scene = read_part();
    const char *options[] = {"node=nowhere"};
    uint32_t before, after;
    (void)cp_nodes(scene, &before);
    assert_int_not_equal(cp_apply(context, scene, "select", options, 1), CP_OK);
    (void)cp_nodes(scene, &after);
    assert_int_equal(before, after);
    assert_int_equal(cp_validate(context, scene), CP_OK);
    cp_scene_free(scene);
}

static void test_instances_out_of_order(void **state)
{
    (void)state;
    cp_scene *scene = scene_new(context);
    uint32_t a = scene_add_node(scene, 0, "a", 1), b = scene_add_node(scene, 0, "b", 1);
    uint32_t mesh = scene_add_mesh(scene, &(cp_mesh){.kind = CP_MESH_BOX, .size = {1, 1, 1}});
    cp_pose here = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    assert_int_not_equal(scene_add_instance(scene, a, mesh, CP_USE_BOTH, &here), CP_NONE);
    assert_int_not_equal(scene_add_instance(scene, b, mesh, CP_USE_BOTH, &here), CP_NONE);
    assert_int_equal(scene_add_instance(scene, a, mesh, CP_USE_BOTH, &here), CP_NONE);
    assert_error("scene-order", "cellpipe: error: instances are not added in the order of nodes");
    cp_scene_free(scene);
}

static void test_broken_scene(void **state)
{
    (void)state;
    cp_scene *scene = read_part();
    assert_int_equal(cp_validate(context, scene), CP_OK);
    scene->instances[0].mesh = 7;
    assert_int_equal(cp_validate(context, scene), CP_BUG);
    assert_error("scene-invalid", "part.stl: error: instance 0 has no mesh");
    scene->instances[0].mesh = 0;
    scene->nodes[1].local.m[3] = NAN;
    assert_int_equal(cp_validate(context, scene), CP_BUG);
    scene->nodes[1].local.m[3] = 0;
    scene->nodes[1].parent = 1;
    assert_int_equal(cp_validate(context, scene), CP_BUG);
    scene->nodes[1].parent = 0;
    assert_int_equal(cp_validate(context, scene), CP_OK);
    cp_scene_free(scene);
}

/* ---- small public words ---- */

static void test_words_and_numbers(void **state)
{
    (void)state;
    static const char *const words[] = {"weld", "normals", "pose", NULL};
    char digits[CP_NUMBER_SIZE];
    double value = 0;
    assert_string_equal(cp_nearest_word("normal", words), "normals");
    assert_string_equal(cp_nearest_word("normalsmooth", words), "normals"); /* it begins with it */
    assert_null(cp_nearest_word("xyzzy", words));
    assert_int_equal(cp_print_double(0.1, digits), 3);
    assert_string_equal(digits, "0.1");
    assert_true(text_is_number(" 1.5e-9 ", &value) && value == 1.5e-9);
    assert_false(text_is_number("1,5", &value));
    assert_false(text_is_number("", &value));
}

static void test_exporter_of_path(void **state)
{
    (void)state;
    cp_plugin_info info = {.size = sizeof info};
    assert_true(cp_plugin_at(NULL, CP_EXPORTER, cp_exporter_of(NULL, "a/b.GLB"), &info));
    assert_string_equal(info.name, "glb");
    assert_true(cp_plugin_at(NULL, CP_EXPORTER, cp_exporter_of(NULL, "b.wrl.gz"), &info));
    assert_string_equal(info.name, "vrml97");
    assert_true(cp_exporter_of(NULL, "b.glbx") == SIZE_MAX);
    assert_true(cp_exporter_of(NULL, "-") == SIZE_MAX);
}

static void test_triangles(void **state)
{
    (void)state;
    static const uint32_t offsets[] = {0, 5, 8, 10};
    cp_mesh mesh = {.kind = CP_MESH_BOX, .size = {1, 2, 3}};
    assert_int_equal(cp_mesh_triangles(&mesh), 12);
    mesh = (cp_mesh){.kind = CP_MESH_CYLINDER, .size = {1, 1}, .sides = 12};
    assert_int_equal(cp_mesh_triangles(&mesh), 12 * 2 + 2 * 10);
    mesh = (cp_mesh){.kind = CP_MESH_FACES, .face_count = 3, .face_offsets = offsets};
    assert_int_equal(cp_mesh_triangles(&mesh), 3 + 1 + 0);
    mesh.face_offsets = NULL;
    assert_int_equal(cp_mesh_triangles(&mesh), 3);
    mesh.kind = CP_MESH_LINES;
    assert_int_equal(cp_mesh_triangles(&mesh), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_unknown_names, open_context, close_context),
        cmocka_unit_test_setup_teardown(test_failed_filter_changes_nothing, open_context, close_context),
        cmocka_unit_test_setup_teardown(test_instances_out_of_order, open_context, close_context),
        cmocka_unit_test_setup_teardown(test_broken_scene, open_context, close_context),
        cmocka_unit_test(test_words_and_numbers),
        cmocka_unit_test(test_exporter_of_path),
        cmocka_unit_test(test_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
