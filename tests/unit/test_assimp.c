/* The assimp importer on small files whose content is worked out by hand. */
#include "assimp_support.h"

/* ---- options ---- */

static void test_options(void **state)
{
    static const char text[] =
        "AC3Db\nMATERIAL \"m\" rgb 1 0 0 amb 0 0 0 emis 0 0 0 spec 0 0 0 shi 0 trans 0\n"
        "OBJECT world\nkids 1\nOBJECT poly\nnumvert 3\n0 0 0\n1 0 0\n0 1 0\nnumsurf 1\nSURF 0x20\nmat 0\n"
        "refs 3\n0 0 0\n1 0 0\n2 0 0\nkids 0\n";
    static const double inch[12] = {0.0254, 0, 0, 0, 0, 0.0254, 0, 0, 0, 0, 0.0254, 0};
    static const double y_up[12] = {1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0};
    static const double x_up[12] = {0, -1, 0, 0, 0, 0, -1, 0, 1, 0, 0, 0};
    uint32_t count;
    cp_scene *scene = read_scene(*state, text, "part.ac", "unit=in");
    expect_pose(&cp_instances(scene, &count)->transform, inch, 0);
    assert_true(cp_scene_source(scene)->unit == 0.0254);
    cp_scene_free(scene);
    scene = read_scene(*state, text, "part.ac", "up=y");
    expect_pose(&cp_instances(scene, &count)->transform, y_up, 0);
    assert_int_equal(cp_scene_source(scene)->up, CP_UP_Y);
    cp_scene_free(scene);
    scene = read_scene(*state, text, "part.ac", "up=x");
    expect_pose(&cp_instances(scene, &count)->transform, x_up, 0);
    cp_scene_free(scene);
}

/* ---- AC3D ---- */

static void test_ac3d(void **state)
{
    static const float top[] = {-1, -0.5f, 0, 1, -0.5f, 0, 1.25f, 0, 0, 1, 0.5f, 0, -1, 0.5f, 0};
    static const double place[12] = {1, 0, 0, 0.5, 0, 1, 0, 0, 0, 0, 1, 0.75}; /* the lamp's loc */
    static const double lamp[4] = {1, 1, 0.5, 0.5};
    uint32_t count;
    cp_scene *scene = read_path(*state, SAMPLES "/ac3d_desk.ac");
    const cp_node *nodes = cp_nodes(scene, &count);
    assert_int_equal(count, 4);
    assert_string_equal(nodes[1].name, "desk");
    assert_string_equal(nodes[2].name, "top");
    assert_string_equal(nodes[3].name, "lamp");
    assert_int_equal(nodes[2].parent, 1);
    assert_int_equal(nodes[3].parent, 1);
    expect_pose(&nodes[3].local, place, 0);
    const cp_mesh *meshes = cp_meshes(scene, &count);
    assert_int_equal(count, 2);
    assert_positions(&meshes[0], top, 5);
    assert_int_equal(meshes[0].face_count, 1);
    assert_int_equal(meshes[1].vertex_count, 4);
    assert_int_equal(meshes[1].face_count, 4);
    const cp_material *materials = cp_materials(scene, &count);
    assert_int_equal(count, 2);
    assert_memory_equal(materials[1].rgba, lamp, sizeof lamp);
    cp_scene_free(scene);
}

/* The tetrahedron at (0.5, 0, 0.75) with legs 0.25, 0.25, 0.5 along x, y, z. */
/* loc comes after rot, for polygons, lines and kids; text in a data block is no line of the file. */
static void test_ac3d_places(void **state)
{
    static const char text[] =
        "AC3Db\nMATERIAL \"m\" rgb 1 0 0 amb 0 0 0 emis 0 0 0 spec 0 0 0 shi 0 trans 0\nOBJECT world\nkids 1\n"
        "OBJECT poly\nname \"turned\"\ndata 11\nloc 9 9 9\nx\nloc 0.1 2 -3\r\nrot -1 0 0 0 -1 0 0 0 1\nnumvert 3\n"
        "0.1 0 0\n1 0 0\n0 1 0\nnumsurf 1\nSURF 0x00\nmat 0\nrefs 3\n0 0 0\n1 0 0\n2 0 0\nkids 1\n"
        "OBJECT poly\nname \"line\"\nloc 0 0 5\nnumvert 2\n0 0 0\n1 0 0\nnumsurf 1\nSURF 0x02\nmat 0\nrefs 2\n"
        "0 0 0\n1 0 0\nkids 0\n";
    static const double turned[12] = {-1, 0, 0, 0.1, 0, -1, 0, 2, 0, 0, 1, -3};
    static const double line[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 5};
    static const float corners[] = {0.1f, 0, 0, 1, 0, 0, 0, 1, 0};
    uint32_t count;
    cp_scene *scene = read_scene(*state, text, "part.ac", NULL);
    expect_pose(&node_called(scene, "turned")->local, turned, 0);
    expect_pose(&node_called(scene, "line")->local, line, 0);
    assert_int_equal(node_called(scene, "line")->parent, 1);
    const cp_mesh *meshes = cp_meshes(scene, &count);
    assert_int_equal(count, 2);
    assert_positions(&meshes[0], corners, 3);
    assert_int_equal(meshes[1].kind, CP_MESH_LINES);
    cp_scene_free(scene);
}

static void test_ac3d_measures(void **state)
{
    cp_measures measures = {.size = sizeof measures};
    cp_scene *scene = read_path(*state, SAMPLES "/ac3d_desk.ac");
    assert_int_equal(cp_measure(*state, scene, CP_USE_BOTH, &measures), CP_OK);
    assert_int_equal(measures.triangles, 3 + 4);
    assert_true(measures.lower[0] == -1 && measures.upper[0] == 1.25 && measures.upper[2] == 1.25);
    cp_scene_free(scene);
}

/* RobWork's other suffix for the same format. */
static void test_ac3d_suffix(void **state)
{
    static const char text[] = "AC3Db\nMATERIAL \"m\" rgb 1 1 1  amb 0 0 0  emis 0 0 0  spec 0 0 0  shi 0  trans 0\n"
                               "OBJECT world\nkids 1\nOBJECT poly\nname \"p\"\nnumvert 3\n0 0 0\n1 0 0\n0 1 0\n"
                               "numsurf 1\nSURF 0x20\nmat 0\nrefs 3\n0 0 0\n1 0 0\n2 0 0\nkids 0\n";
    static const char *const names[] = {"part.ac3d", "part.AC3D", "part.AC"};
    for (size_t i = 0; i < 3; i++) {
        uint32_t count;
        cp_scene *scene = read_scene(*state, text, names[i], NULL);
        assert_int_equal(cp_meshes(scene, &count)->face_count, 1);
        assert_string_equal(node_called(scene, "p")->name, "p");
        cp_scene_free(scene);
    }
}

/* ---- Collada ---- */

/* Inches and Y up: (x, y, z) in the file is (x, -z, y) * 0.0254 m here. The column stands at (10, 20, 30), the lever 10
 * above it; its scale (0.5, -0.5, 0.5) of file axes is (0.5, 0.5, -0.5) of ours. */
static void test_collada(void **state)
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
static void test_collada_measures(void **state)
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

/* A turn by 60 degrees about the file's z, which is our -y. At time 1 the pose T * R * S must be the file's. */
static void test_collada_animation(void **state)
{
    uint32_t count;
    cp_scene *scene = read_path(*state, SAMPLES "/collada_arm.dae");
    const cp_clip *clip = cp_clips(scene, &count);
    assert_int_equal(count, 1);
    assert_int_equal(clip->track_count, 3);
    const cp_track *turn = NULL, *size = NULL;
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(clip->tracks[i].target, 2);
        assert_int_equal(clip->tracks[i].key_count, 3);
        assert_true(clip->tracks[i].times[1] == 1 && clip->tracks[i].times[2] == 2.5);
        turn = clip->tracks[i].path == CP_PATH_ROTATION ? &clip->tracks[i] : turn;
        size = clip->tracks[i].path == CP_PATH_SCALE ? &clip->tracks[i] : size;
    }
    assert_non_null(turn);
    assert_non_null(size);
    /* R(q) * diag(s) applied to our x axis: 0.5 * (cos 60, 0, sin 60) in (x, y, z), since the file's y is our z. */
    const double *q = turn->values + 4, *s = size->values + 3;
    double x = 1 - 2 * (q[1] * q[1] + q[2] * q[2]), z = 2 * (q[0] * q[2] - q[3] * q[1]);
    assert_true(fabs(s[0] * x - 0.25) < 1e-6);
    assert_true(fabs(s[0] * z - 0.5 * sqrt(0.75)) < 1e-6);
    cp_scene_free(scene);
}

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

/* X_UP (Collada 1.4.1, <up_axis>): right is -Y, up X, towards the viewer Z. */
static void test_collada_axes(void **state)
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

/* ---- the ABB IRB 2400 ---- */

/* Reads the numbers of the element that begins at or after `at`. */
static size_t read_numbers(const char *at, double *numbers, size_t room)
{
    size_t count = 0;
    const char *end = strchr(at, '>') + 1;
    while (count < room) {
        char *next;
        double value = plain_strtod(end, &next);
        if (next == end)
            break;
        numbers[count++] = value;
        end = next;
    }
    return count;
}

/* What the document says, read without an XML parser: its polygons' triangles, and the bounds of its positions under
 * the matrix of its one geometry node. */
struct document {
    uint64_t triangles;
    double lower[3], upper[3];
};

static void measure_positions(const char *text, const double *matrix, struct document *document)
{
    double *numbers = malloc((1 << 18) * sizeof *numbers);
    size_t count = read_numbers(strstr(strstr(text, "positions-array"), ">") - 1, numbers, 1 << 18);
    assert_true(count > 0 && count % 3 == 0);
    for (int k = 0; k < 3; k++) {
        document->lower[k] = INFINITY;
        document->upper[k] = -INFINITY;
    }
    for (size_t i = 0; i < count; i += 3)
        for (int k = 0; k < 3; k++) {
            const double *row = matrix + (ptrdiff_t)4 * k;
            double at = row[0] * numbers[i] + row[1] * numbers[i + 1] + row[2] * numbers[i + 2] + row[3];
            document->lower[k] = fmin(document->lower[k], at);
            document->upper[k] = fmax(document->upper[k], at);
        }
    free(numbers);
}

static void read_document(const char *text, struct document *document)
{
    double matrix[16];
    const char *matrix_at = NULL, *geometry = strstr(text, "<instance_geometry");
    *document = (struct document){0};
    for (const char *at = text; (at = strstr(at, "<matrix")) && at < geometry; at++)
        matrix_at = at;
    assert_int_equal(read_numbers(matrix_at, matrix, 16), 16);
    for (const char *at = text; (at = strstr(at, "<vcount>")); at++) {
        static double sizes[1 << 16];
        size_t count = read_numbers(at, sizes, 1 << 16);
        for (size_t i = 0; i < count; i++)
            document->triangles += (uint64_t)sizes[i] - 2;
    }
    measure_positions(text, matrix, document);
}

static void test_corpus(void **state)
{
    static const char *const parts[] = {
        "irb2400/visual/base_link",     "irb2400/visual/link_1",        "irb2400/visual/link_2",
        "irb2400/visual/link_3",        "irb2400/visual/link_4",        "irb2400/visual/link_5",
        "irb2400/visual/link_6",        "irb2400_common/visual/link_4", "irb2400_common/visual/link_lever_a",
        "irb2400_common/visual/link_1", "irb2400_common/visual/link_6", "irb2400_common/visual/base_link"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char path[1024];
        struct document document;
        cp_measures measures = {.size = sizeof measures};
        cp_scene *scene;
        (void)snprintf(path, sizeof path, "%s/corpus/abb_irb2400/abb_irb2400_support/meshes/%s.dae", SHARED, parts[i]);
        char *text = read_whole(path, NULL);
        if (!text) {
            print_message("skipped: no %s\n", path);
            skip();
        }
        read_document(text, &document);
        free(text);
        assert_int_equal(cp_read(*state, path, NULL, NULL, 0, &scene), CP_OK);
        assert_int_equal(cp_measure(*state, scene, CP_USE_BOTH, &measures), CP_OK);
        assert_true(document.triangles > 0 && measures.triangles == document.triangles);
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(measures.lower[k] - document.lower[k]) < 1e-6);
            assert_true(fabs(measures.upper[k] - document.upper[k]) < 1e-6);
        }
        cp_scene_free(scene);
    }
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
#ifndef HAVE_ASSIMP
    print_message("skipped: assimp is not built\n");
    return 77;
#else
    const struct CMUnitTest tests[] = {
        TEST(test_options),      TEST(test_ac3d),    TEST(test_ac3d_places),      TEST(test_ac3d_measures),
        TEST(test_ac3d_suffix),  TEST(test_collada), TEST(test_collada_measures), TEST(test_collada_animation),
        TEST(test_collada_axes), TEST(test_corpus),  TEST(test_depth_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
#endif
}
