/* COLLADA: the sample, units and axes, numbers that the parser's pieces cut, shared meshes, and hostile files. The
 * rules have cases (tests/cases/collada), and real files a test of their own (tests/consumers/test_collada.mjs). */
#include <math.h>
#include <stdlib.h>

#include "cellpipe_tool.h"
#include "fixture.h"
#include "plain_numbers.h"

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_context, free_context)

/* ---- the sample ---- */

/* Inches and Y up: (x, y, z) in the file is (x, -z, y) * 0.0254 m here. The column stands at (10, 20, 30), the lever 10
 * above it; its scale (0.5, -0.5, 0.5) of file axes is (0.5, 0.5, -0.5) of ours. */
static void test_sample(void **state)
{
    static const double column[12] = {1, 0, 0, 0.254, 0, 1, 0, -0.762, 0, 0, 1, 0.508};
    static const double lever[12] = {0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, -0.5, 0.254};
    static const double geometry[12] = {0.0254, 0, 0, 0, 0, 0, -0.0254, 0, 0, 0.0254, 0, 0};
    uint32_t count;
    cp_scene *scene = read_path(*state, SAMPLES "/collada_arm.dae");
    const cp_node *nodes = cp_nodes(scene, &count);
    assert_int_equal(count, 3);
    assert_string_equal(nodes[1].name, "Column");
    assert_string_equal(nodes[1].id, "column");
    assert_string_equal(nodes[2].name, "Lever");
    assert_int_equal(nodes[2].parent, 1);
    expect_pose(&nodes[1].local, column, 1e-15);
    expect_pose(&nodes[2].local, lever, 1e-15);
    const cp_instance *instances = cp_instances(scene, &count);
    assert_int_equal(count, 2);
    assert_int_equal(instances[0].mesh, instances[1].mesh);
    expect_pose(&instances[0].transform, geometry, 0);
    const cp_mesh *mesh = cp_meshes(scene, &count);
    assert_int_equal(count, 1);
    assert_int_equal(mesh->vertex_count, 6);
    assert_int_equal(mesh->face_count, 5);
    assert_true(cp_scene_source(scene)->unit == 0.0254 && cp_scene_source(scene)->up == CP_UP_Y);
    cp_scene_free(scene);
}

/* The wedge is 2 x 10 x 1, at (10, 20, 30); the lever's y runs from 30 down to 25. In our axes z is the file's y. */
static void test_measures(void **state)
{
    cp_measures measures = {.size = sizeof measures};
    cp_scene *scene = read_path(*state, SAMPLES "/collada_arm.dae");
    assert_int_equal(cp_measure(*state, scene, CP_USE_BOTH, &measures), CP_OK);
    static const double lower[3] = {10, -31, 20}, upper[3] = {12, -30, 30};
    for (int i = 0; i < 3; i++) {
        assert_true(fabs(measures.lower[i] - 0.0254 * lower[i]) < 1e-12);
        assert_true(fabs(measures.upper[i] - 0.0254 * upper[i]) < 1e-12);
    }
    assert_int_equal(measures.triangles, 2 * (1 + 1 + 2 + 2 + 2));
    cp_scene_free(scene);
}

/* ---- units and axes ---- */

static const char *const small_collada =
    "<?xml version=\"1.0\"?><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">"
    "<asset><unit name=\"u\" meter=\"%s\"/><up_axis>%s</up_axis></asset><library_geometries><geometry id=\"g\"><mesh>"
    "<source id=\"p\"><float_array id=\"a\" count=\"9\">0 0 0 1 0 0 0 1 0</float_array><technique_common>"
    "<accessor source=\"#a\" count=\"3\" stride=\"3\"><param name=\"X\" type=\"float\"/><param name=\"Y\" "
    "type=\"float\"/>"
    "<param name=\"Z\" type=\"float\"/></accessor></technique_common></source><vertices id=\"v\"><input "
    "semantic=\"POSITION\" source=\"#p\"/></vertices><triangles count=\"1\"><input semantic=\"VERTEX\" source=\"#v\" "
    "offset=\"0\"/><p>0 1 2</p></triangles></mesh></geometry></library_geometries><library_visual_scenes>"
    "<visual_scene id=\"s\"><node id=\"n\"><translate>1 2 3</translate><instance_geometry url=\"#g\"/></node>"
    "</visual_scene></library_visual_scenes><scene><instance_visual_scene url=\"#s\"/></scene></COLLADA>";

/* X_UP (COLLADA 1.4.1, <up_axis>): right is -Y, up X, towards the viewer Z. */
static void test_axes(void **state)
{
    static const struct {
        const char *unit, *up;
        double geometry[12], place[3];
    } cases[] = {
        {"1", "Z_UP", {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, {1, 2, 3}},
        {"0.001", "Z_UP", {0.001, 0, 0, 0, 0, 0.001, 0, 0, 0, 0, 0.001, 0}, {0.001, 0.002, 0.003}},
        {"1", "Y_UP", {1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0}, {1, -3, 2}},
        {"2", "X_UP", {0, -2, 0, 0, 0, 0, -2, 0, 2, 0, 0, 0}, {-4, -6, 2}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048];
        uint32_t count;
        (void)snprintf(text, sizeof text, small_collada, cases[i].unit, cases[i].up);
        cp_scene *scene = read_scene(*state, text, "axes.dae", NULL);
        expect_pose(&cp_instances(scene, &count)->transform, cases[i].geometry, 0);
        const cp_node *node = node_called(scene, "n"); /* without a name: by its id */
        for (int k = 0; k < 3; k++)
            assert_true(fabs(node->local.m[4 * k + 3] - cases[i].place[k]) < 1e-15);
        cp_scene_free(scene);
    }
}

/* ---- numbers ---- */

static void put(struct buffer *text, const char *words)
{
    buffer_text(text, words);
}

/* Reads the text as a file. */
static cp_status read_text(cp_context *context, struct buffer *text, cp_scene **scene)
{
    assert_false(text->failed);
    cp_status status = cp_read_memory(context, text->data, text->size, "a.dae", NULL, NULL, 0, scene);
    buffer_free(text);
    return status;
}

static const char begin[] = "<?xml version=\"1.0\"?><COLLADA version=\"1.4.1\"><asset><up_axis>Z_UP</up_axis></asset>";
static const char show[] = "<library_visual_scenes><visual_scene id=\"s\"><node><instance_geometry url=\"#g\"/></node>"
                           "</visual_scene></library_visual_scenes><scene><instance_visual_scene url=\"#s\"/></scene>"
                           "</COLLADA>";

/* Numbers of many lengths and spellings, so that the ends of the parser's pieces fall anywhere in them: positions and
 * indices must be those that were written, bit for bit. */
static void test_pieces(void **state)
{
    enum { POINTS = 9000 };
    static const char *const blanks[] = {" ", "\n", "  ", "\t", "\r\n", " \n  "};
    struct buffer text = {.context = *state};
    cp_scene *scene;
    uint32_t count;
    static double places[3 * POINTS];
    put(&text, begin);
    buffer_print(&text, "<library_geometries><geometry id=\"g\"><mesh><source id=\"p\"><float_array count=\"%d\">",
                 3 * POINTS);
    for (int i = 0; i < 3 * POINTS; i++) {
        char number[64];
        (void)snprintf(number, sizeof number, i % 5 == 4 ? "%.*e" : "%.*f", i % 19, (i % 2 ? -1 : 1) * i / 7.0);
        places[i] = strtod(number, NULL);
        buffer_print(&text, "%s%s", number, blanks[i % 6]);
    }
    buffer_print(&text,
                 "</float_array><technique_common><accessor count=\"%d\" stride=\"3\"><param name=\"X\"/><param "
                 "name=\"Y\"/><param name=\"Z\"/></accessor></technique_common></source><vertices id=\"v\"><input "
                 "semantic=\"POSITION\" source=\"#p\"/></vertices><triangles count=\"%d\"><input semantic=\"VERTEX\" "
                 "source=\"#v\"/><p>",
                 POINTS, POINTS / 3);
    for (int i = POINTS; i-- > 0;)
        buffer_print(&text, "%s%d%s", i % 11 ? "" : "00", i, blanks[i % 6]);
    put(&text, "</p></triangles></mesh></geometry></library_geometries>");
    put(&text, show);
    assert_int_equal(read_text(*state, &text, &scene), CP_OK);
    const cp_mesh *mesh = cp_meshes(scene, &count);
    assert_int_equal(mesh->corner_count, POINTS);
    for (int i = 0; i < POINTS; i++)
        for (int axis = 0; axis < 3; axis++)
            assert_true(mesh->positions[3 * mesh->corners[i] + (unsigned)axis] ==
                        (float)places[3 * (POINTS - 1 - i) + axis]);
    cp_scene_free(scene);
}

/* ---- hostile files ---- */

/* Refuses the text with the code, whatever it asks for. */
static void expect_refused(cp_context *context, struct buffer *text, cp_status status, const char *code)
{
    cp_scene *scene;
    cp_report_clear(context);
    assert_int_equal(read_text(context, text, &scene), status);
    if (count_entries(context, CP_ERROR, code) != 1)
        fail_msg("no error %s", code);
}

/* Each node of the library shows the next one twice. */
static void test_doubling(void **state)
{
    struct buffer text = {.context = *state};
    put(&text, begin);
    put(&text, "<library_nodes>");
    for (int i = 0; i < 60; i++)
        buffer_print(&text, "<node id=\"n%d\"><instance_node url=\"#n%d\"/><instance_node url=\"#n%d\"/></node>", i,
                     i + 1, i + 1);
    put(&text, "<node id=\"n60\"/></library_nodes><library_visual_scenes><visual_scene id=\"s\"><node><instance_node "
               "url=\"#n0\"/></node></visual_scene></library_visual_scenes></COLLADA>");
    expect_refused(*state, &text, CP_LIMIT, "collada-instances");
}

/* A chain of nodes that show each other, longer than any stack; and nodes within nodes. */
static void test_chains(void **state)
{
    enum { LENGTH = 100000 };
    struct buffer text = {.context = *state};
    put(&text, begin);
    put(&text, "<library_nodes>");
    for (int i = 0; i < LENGTH; i++)
        buffer_print(&text, "<node id=\"n%d\"><instance_node url=\"#n%d\"/></node>", i, i + 1);
    put(&text, "</library_nodes><library_visual_scenes><visual_scene id=\"s\"><node><instance_node url=\"#n0\"/></node>"
               "</visual_scene></library_visual_scenes></COLLADA>");
    expect_refused(*state, &text, CP_LIMIT, "scene-depth");
    put(&text, begin);
    put(&text, "<library_visual_scenes><visual_scene>");
    for (int i = 0; i < LENGTH; i++)
        put(&text, "<node>");
    expect_refused(*state, &text, CP_LIMIT, "collada-depth");
}

/* Numbers that ask for more than there is. */
static void test_large_numbers(void **state)
{
    static const struct {
        const char *primitive;
        cp_status status;
        const char *code;
    } cases[] = {
        {"<triangles count=\"1000000000000000000\"><input semantic=\"VERTEX\" source=\"#v\"/><p>0 1 2</p></triangles>",
         CP_INPUT, "collada-number"},
        {"<triangles><input semantic=\"VERTEX\" source=\"#v\" offset=\"1000000000\"/><p>0 1 2</p></triangles>",
         CP_INPUT, "collada-p"},
        {"<polylist><input semantic=\"VERTEX\" source=\"#v\"/><vcount>4294967294 4294967294</vcount><p>0 1 "
         "2</p></polylist>",
         CP_INPUT, "collada-vcount"},
        {"<polylist><input semantic=\"VERTEX\" source=\"#v\"/><vcount>4294967295</vcount><p>0 1 2</p></polylist>",
         CP_INPUT, "collada-number"},
        {"<triangles><input semantic=\"VERTEX\" source=\"#v\"/><p>0 1.5 2 </p></triangles>", CP_INPUT,
         "collada-number"},
        {"<triangles><input semantic=\"VERTEX\" source=\"#v\"/><p>0 1 4294967294</p></triangles>", CP_INPUT,
         "collada-index"},
        {"<triangles><input semantic=\"VERTEX\" source=\"#v\"/><p>0 1 4294967296 </p></triangles>", CP_INPUT,
         "collada-number"},
        {"<triangles><input semantic=\"VERTEX\" source=\"#v\"/><p>0 1 99999999999999999999</p></triangles>", CP_INPUT,
         "collada-number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buffer text = {.context = *state};
        put(&text, begin);
        put(&text,
            "<library_geometries><geometry id=\"g\"><mesh><source id=\"p\"><float_array id=\"a\" count=\"999999999\">"
            "0 0 0 1 0 0 0 1 0</float_array><technique_common><accessor source=\"#a\" count=\"2000000000\" "
            "stride=\"3\"><param name=\"X\"/><param name=\"Y\"/><param name=\"Z\"/></accessor></technique_common>"
            "</source><vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>");
        put(&text, cases[i].primitive);
        put(&text, "</mesh></geometry></library_geometries>");
        put(&text, show);
        expect_refused(*state, &text, cases[i].status, cases[i].code);
    }
}

/* A thousand groups of faces, shown ten thousand times. */
static void test_groups(void **state)
{
    struct buffer text = {.context = *state};
    put(&text, begin);
    put(&text,
        "<library_geometries><geometry id=\"g\"><mesh><source id=\"p\"><float_array>0 0 0 1 0 0 0 1 0</float_array>"
        "<technique_common><accessor count=\"3\" stride=\"3\"><param name=\"X\"/><param name=\"Y\"/><param "
        "name=\"Z\"/></accessor></technique_common></source><vertices id=\"v\"><input semantic=\"POSITION\" "
        "source=\"#p\"/></vertices>");
    for (int i = 0; i < 1000; i++)
        buffer_print(
            &text, "<triangles material=\"m%d\"><input semantic=\"VERTEX\" source=\"#v\"/><p>0 1 2</p></triangles>", i);
    put(&text, "</mesh></geometry></library_geometries><library_visual_scenes><visual_scene id=\"s\"><node>");
    for (int i = 0; i < 10000; i++)
        put(&text, "<instance_geometry url=\"#g\"/>");
    put(&text, "</node></visual_scene></library_visual_scenes></COLLADA>");
    assert_int_equal(cp_set_limit(*state, "nodes=1000000"), CP_OK);
    expect_refused(*state, &text, CP_LIMIT, "collada-instances");
}

/* More vertices and corners than the limit. */
static void test_vertices(void **state)
{
    struct buffer text = {.context = *state};
    put(&text, begin);
    put(&text,
        "<library_geometries><geometry id=\"g\"><mesh><source id=\"p\"><float_array>0 0 0 1 0 0 0 1 0</float_array>"
        "<technique_common><accessor count=\"3\" stride=\"3\"><param name=\"X\"/><param name=\"Y\"/><param "
        "name=\"Z\"/></accessor></technique_common></source><vertices id=\"v\"><input semantic=\"POSITION\" "
        "source=\"#p\"/></vertices><triangles><input semantic=\"VERTEX\" source=\"#v\"/><p>0 1 2</p></triangles>"
        "</mesh></geometry></library_geometries>");
    put(&text, show);
    assert_int_equal(cp_set_limit(*state, "vertices=5"), CP_OK);
    expect_refused(*state, &text, CP_LIMIT, "collada-size");
}

/* Materials of two instances: meshes of their own that share all arrays. */
static void test_variants(void **state)
{
    uint32_t count;
    cp_scene *scene = read_path(*state, SAMPLES "/../tests/cases/collada/two_materials.dae");
    const cp_mesh *meshes = cp_meshes(scene, &count);
    assert_int_equal(count, 2);
    assert_ptr_equal(meshes[0].positions, meshes[1].positions);
    assert_ptr_equal(meshes[0].corners, meshes[1].corners);
    assert_true(meshes[0].groups[0].material != meshes[1].groups[0].material);
    const cp_instance *instances = cp_instances(scene, &count);
    assert_int_equal(count, 3);
    assert_int_equal(instances[0].mesh, instances[2].mesh);
    cp_scene_free(scene);
}

/* ---- depth ---- */

/* A chain of nodes deeper than the scene's limit is refused, one as deep as the limit is not. */
static void test_depth_limit(void **state)
{
    enum { DEPTH = 40 };
    char text[8192] = "<?xml version=\"1.0\"?><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" "
                      "version=\"1.4.1\"><library_visual_scenes><visual_scene id=\"s\">";
    for (int i = 0; i < DEPTH; i++)
        strcat(text, "<node><translate>0 0 1</translate>");
    for (int i = 0; i < DEPTH; i++)
        strcat(text, "</node>");
    strcat(text, "</visual_scene></library_visual_scenes><scene><instance_visual_scene url=\"#s\"/></scene></COLLADA>");
    uint32_t count;
    assert_int_equal(cp_set_limit(*state, "depth=40"), CP_OK);
    cp_scene *scene = read_scene(*state, text, "deep.dae", NULL);
    (void)cp_nodes(scene, &count);
    assert_int_equal(count, DEPTH + 1);
    cp_scene_free(scene);
    assert_int_equal(cp_set_limit(*state, "depth=39"), CP_OK);
    assert_int_equal(cp_read_memory(*state, text, strlen(text), "deep.dae", NULL, NULL, 0, &scene), CP_LIMIT);
    assert_int_equal(cp_set_limit(*state, "depth=4096"), CP_OK);
    assert_int_equal(cp_set_limit(*state, "nodes=20"), CP_OK);
    assert_int_equal(cp_read_memory(*state, text, strlen(text), "deep.dae", NULL, NULL, 0, &scene), CP_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_sample),   TEST(test_measures), TEST(test_axes),          TEST(test_pieces),
        TEST(test_doubling), TEST(test_chains),   TEST(test_large_numbers), TEST(test_groups),
        TEST(test_vertices), TEST(test_variants), TEST(test_depth_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
