/* Legacy part geometry: one box in all forms, proven, wireframe or refused when it is broken, never invented. */
#include "fixture.h"

/* 40 x 30 x 20; lines 0 .. 11 are 01 12 23 30, 45 56 67 74, 04 15 26 37. */
#define HEAD "12\n1 0 0 0\n0 1 0 0\n0 0 1 0\n250 -100 0.5 1\n"
#define POINTS "8\n0 0 0\n40 0 0\n40 30 0\n0 30 0\n0 0 20\n40 0 20\n40 30 20\n0 30 20\n"
#define FIRST_LINES "0 1\n1 2\n2 3\n3 0\n4 5\n5 6\n6 7\n7 4\n0 4\n1 5\n2 6\n"
#define LINES "12\n" FIRST_LINES "3 7\n"
#define CORNERS "4 3 2 1 0\n4 4 5 6 7\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n"
#define EDGES "4 2 1 0 3\n4 4 5 6 7\n4 0 9 4 8\n4 1 10 5 9\n4 2 11 6 10\n4 3 8 7 11\n"
/* The points but the last two are 3 points, a zero and 3 lines, too. */
#define RIVAL "8\n3 0 0\n0 1 0\n0 0 1\n0 0 3\n0 1 1\n2 2 0\n7 7 7\n9 9 9\n"
#define BLOCK POINTS "0\n" LINES

static const uint32_t box_corners[] = {3, 2, 1, 0, 4, 5, 6, 7, 0, 1, 5, 4, 1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7};
static const uint32_t box_lines[] = {0, 1, 1, 2, 2, 3, 3, 0, 4, 5, 5, 6, 6, 7, 7, 4, 0, 4, 1, 5, 2, 6, 3, 7};
static const float box_points[] = {0, 0, 0, 40, 0, 0, 40, 30, 0, 0, 30, 0, 0, 0, 20, 40, 0, 20, 40, 30, 20, 0, 30, 20};

enum outcome { REFUSED, WIREFRAME, PROVEN };

static cp_scene *read_text(cp_context *context, const char *text, const char *format, const char *option)
{
    cp_scene *scene = NULL;
    (void)cp_read_memory(context, text, strlen(text), "box.pdb", format, &option, option ? 1 : 0, &scene);
    return scene;
}

static void expect_lines(const cp_mesh *mesh)
{
    assert_int_equal(mesh->kind, CP_MESH_LINES);
    assert_int_equal(mesh->vertex_count, 8);
    assert_memory_equal(mesh->positions, box_points, sizeof box_points);
    assert_int_equal(mesh->face_count, 12);
    for (uint32_t i = 0; i <= 12; i++)
        assert_int_equal(mesh->face_offsets[i], 2 * i);
    assert_memory_equal(mesh->corners, box_lines, sizeof box_lines);
}

static void expect_faces(const cp_mesh *mesh)
{
    assert_int_equal(mesh->kind, CP_MESH_FACES);
    assert_int_equal(mesh->vertex_count, 8);
    assert_memory_equal(mesh->positions, box_points, sizeof box_points);
    assert_int_equal(mesh->face_count, 6);
    for (uint32_t i = 0; i <= 6; i++)
        assert_int_equal(mesh->face_offsets[i], 4 * i);
    assert_memory_equal(mesh->corners, box_corners, sizeof box_corners);
}

/* The whole box, or its lines alone. */
static void expect_box(const cp_scene *scene, enum outcome outcome)
{
    uint32_t count;
    const cp_mesh *meshes = cp_meshes(scene, &count);
    assert_int_equal(count, outcome == PROVEN ? 2 : 1);
    if (outcome == PROVEN)
        expect_faces(&meshes[0]);
    expect_lines(&meshes[count - 1]);
    const cp_node *nodes = cp_nodes(scene, &count);
    assert_int_equal(count, 2);
    assert_string_equal(nodes[1].name, "box");
    const cp_instance *instances = cp_instances(scene, &count);
    assert_int_equal(instances[count - 1].use, CP_USE_DRAWN);
    assert_true(instances[0].transform.m[0] == 0.001);
    if (outcome == PROVEN)
        assert_int_equal(instances[0].use, CP_USE_BOTH);
}

struct example {
    const char *text;
    enum outcome outcome;
    const char *code; /* of the message that says so, or NULL */
};

static void try_example(const struct example *example)
{
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_text(context, example->text, "deneb-part", "unit=mm");
    bool fine = example->outcome == REFUSED ? !scene : scene != NULL;
    if (!fine || (example->code && !was_reported(context, example->code))) {
        show_report(context);
        fail_msg("%s\nis to be %d, with %s", example->text, (int)example->outcome, example->code);
    }
    if (scene)
        expect_box(scene, example->outcome);
    if (example->outcome == WIREFRAME)
        assert_true(was_reported(context, "deneb-legacy-wireframe"));
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_box(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {HEAD "*\n" BLOCK "6\n" CORNERS, PROVEN, "deneb-legacy-head"},
        {HEAD BLOCK "6\n" CORNERS, PROVEN, "deneb-legacy-head"},
        {HEAD "*\n" BLOCK "6\n" EDGES, PROVEN, "deneb-legacy-head"},
        {HEAD BLOCK "6\n" EDGES, PROVEN, "deneb-legacy-head"},
        {"12 *\n" BLOCK "6\n" CORNERS, PROVEN, NULL},
        {"12\n" BLOCK "6\n" EDGES, PROVEN, NULL},
        /* other numbers before it */
        {"12\n0.5 -0.5 2 7 3 9 4 8 12.25 1e3 3 3 5 -1 0 1\n" BLOCK "6\n" CORNERS, PROVEN, "deneb-legacy-head"},
        {"12\n8 0 3 4 5 8 12 6 0 0 0 1 1 1 2 3\n*\n" BLOCK "6\n" EDGES, PROVEN, "deneb-legacy-head"},
        {"12\nTABLE \"a name\" = 5\n*\n" BLOCK "6\n" EDGES, PROVEN, "deneb-legacy-head"},
        {"13\n*\n" BLOCK "6\n" CORNERS, PROVEN, "deneb-legacy-version"},
        {"12\n*\n" POINTS "7\n" LINES "6\n" CORNERS, PROVEN, "deneb-legacy-value"},
        /* a zero before the number of polygons, as before that of the lines */
        {"12\n*\n" BLOCK "0\n6\n" CORNERS, PROVEN, NULL},
        {HEAD BLOCK "0\n6\n" EDGES, PROVEN, NULL},
        /* an asterisk that begins nothing */
        {"12\n*\n1 0 0\n*\n" BLOCK "6\n" CORNERS, PROVEN, "deneb-legacy-head"},
        {"\xef\xbb\xbf"
         "12\r\n*\r\n8,0,0,0,4.0D+01,0,0,40 30.0 .0,0 +30 0. 0 0 20 40 0 2.0+1 40 30 20 0 30 20\r0\r" LINES
         "6\n" CORNERS "\x1a",
         PROVEN, NULL},
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        try_example(&examples[i]);
}

static void test_unproven(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {HEAD BLOCK, WIREFRAME, NULL},
        {HEAD "*\n" BLOCK "0\n", WIREFRAME, "deneb-legacy-rest"},
        {HEAD "*\n" BLOCK "0\n0\n6\n" CORNERS, WIREFRAME, "deneb-legacy-rest"},
        {HEAD "*\n" BLOCK "6.5\n" CORNERS, WIREFRAME, "deneb-legacy-rest"},
        {HEAD "*\n" BLOCK "7\n" CORNERS, WIREFRAME, "deneb-legacy-rest"},
        {HEAD BLOCK "5\n" CORNERS, WIREFRAME, "deneb-legacy-rest"},
        {HEAD "*\n" BLOCK "6\n" EDGES "0\n", WIREFRAME, "deneb-legacy-rest"},
        {HEAD "*\n" BLOCK "6\n" CORNERS "COLOR 3\n", WIREFRAME, "deneb-legacy-rest"},
        {HEAD "*\n" BLOCK "6\n4 3 2 1 0\n4 4 5 6 7\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 8\n", WIREFRAME, NULL},
        {HEAD "*\n" BLOCK "6\n4 3 2 1 0\n4 4 5 6 7\n4 0 1 5 4\n4 1 2 5 6\n4 2 3 7 6\n4 3 0 4 7\n", WIREFRAME, NULL},
        {HEAD "*\n" BLOCK "6\n4 3 2 1 0\n4 4 5 4 5\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n", WIREFRAME, NULL},
        {HEAD "*\n" BLOCK "6\n4 3 2 1 0\n2 4 5\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n", WIREFRAME, NULL},
        {HEAD "*\n" BLOCK "6\n4 3 2 1 0\n4 4 5 6 -7\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n", WIREFRAME, NULL},
        {HEAD "*\n" BLOCK "6\n3 2 1 0\n4 4 5 6 7\n4 0 9 4 8\n4 1 10 5 9\n4 2 11 6 10\n4 3 8 7 11\n", WIREFRAME, NULL},
        {HEAD "*\n" BLOCK "6\n4 2 1 0 12\n4 4 5 6 7\n4 0 9 4 8\n4 1 10 5 9\n4 2 11 6 10\n4 3 8 7 11\n", WIREFRAME,
         NULL},
        {HEAD "*\n" BLOCK "6\n4 2 1 0 0\n4 4 5 6 7\n4 0 9 4 8\n4 1 10 5 9\n4 2 11 6 10\n4 3 8 7 11\n", WIREFRAME, NULL},
        /* corners from 1 */
        {HEAD "*\n" BLOCK "6\n4 4 3 2 1\n4 5 6 7 8\n4 1 2 6 5\n4 2 3 7 6\n4 3 4 8 7\n4 4 1 5 8\n", WIREFRAME, NULL},
        /* the top's corners and its lines have the same numbers: both forms fit, and neither is proven */
        {HEAD "*\n" BLOCK "1\n4 4 5 6 7\n", WIREFRAME, "deneb-legacy-rest"},
        {HEAD "*\n" BLOCK "2147483640\n" CORNERS, WIREFRAME, NULL},
        {HEAD "*\n" BLOCK "1\n2147483640 0 1\n", WIREFRAME, NULL},
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        try_example(&examples[i]);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"12\n", REFUSED, "deneb-legacy-none"},
        {"12\n*", REFUSED, "deneb-legacy-none"},
        {HEAD "*\n8\n0 0 0\n40 0 0\n", REFUSED, "deneb-legacy-none"},
        {HEAD "8\n0 0 0\n40 0 0\n", REFUSED, "deneb-legacy-none"},
        {HEAD "*\n" POINTS, REFUSED, "deneb-legacy-none"},
        {HEAD "*\n" POINTS "0\n", REFUSED, "deneb-legacy-none"},
        {HEAD "*\n" POINTS "0\n12\n0 1 1 2 2 3 3 0 4 5 5 6 6", REFUSED, "deneb-legacy-none"},
        {HEAD POINTS "0\n12\n0 1 1 2 2 3 3 0 4 5 5 6 6", REFUSED, "deneb-legacy-none"},
        {HEAD "*\n" POINTS "0\n12\n" FIRST_LINES "3 8\n6\n" CORNERS, REFUSED, "deneb-legacy-none"},
        {HEAD POINTS "0\n12\n" FIRST_LINES "3 8\n6\n" CORNERS, REFUSED, "deneb-legacy-none"},
        {HEAD "*\n" POINTS "0\n12\n" FIRST_LINES "3 -1\n6\n" CORNERS, REFUSED, "deneb-legacy-none"},
        {HEAD POINTS "0\n12\n" FIRST_LINES "7 7\n6\n" CORNERS, REFUSED, "deneb-legacy-none"},
        {HEAD "*\n" POINTS "0\n12\n" FIRST_LINES "3 7.5\n6\n" CORNERS, REFUSED, "deneb-legacy-none"},
        {HEAD "*\n" POINTS "0.5\n" LINES "6\n" CORNERS, REFUSED, "deneb-legacy-none"},
        {HEAD "*\n" POINTS LINES "6\n" CORNERS, REFUSED, "deneb-legacy-none"},
        {HEAD "*\n0\n" BLOCK "6\n" CORNERS, REFUSED, "deneb-legacy-none"},
        {HEAD "8 *\n0 0 0 40 0 0\n", REFUSED, "deneb-legacy-none"},
        {HEAD "*\n" BLOCK "*\n" BLOCK, REFUSED, "deneb-legacy-several"},
        {HEAD BLOCK BLOCK, REFUSED, "deneb-legacy-several"},
        {HEAD BLOCK "6\n" CORNERS BLOCK "6\n" CORNERS, REFUSED, "deneb-legacy-several"},
        {HEAD POINTS "7\n" LINES "6\n" CORNERS, REFUSED, "deneb-legacy-none"},
        {HEAD "9\n1 1 1\n0 0 0\n40 0 0\n40 30 0\n0 30 0\n0 0 20\n40 0 20\n40 30 20\n0 30 20\n0\n" LINES, REFUSED,
         "deneb-legacy-none"},
        /* "12", the number of lines, and what follows it is 12 points, 0, and 9 lines that use them all */
        {HEAD BLOCK "6\n" EDGES "0\n", REFUSED, "deneb-legacy-several"},
        {HEAD RIVAL "0\n" LINES, REFUSED, "deneb-legacy-several"},
        {HEAD RIVAL "0\n" LINES "6\n" CORNERS "0\n", REFUSED, "deneb-legacy-several"},
        {HEAD "*\n" POINTS "****\n" LINES "6\n" CORNERS, REFUSED, "deneb-stars"},
        {HEAD "*\n8\nnan 0 0\n40 0 0\n", REFUSED, "deneb-syntax"},
        {HEAD "*\n8\n-Infinity 0 0\n40 0 0\n", REFUSED, "deneb-syntax"},
        {HEAD "*\n8\n1e999 0 0\n40 0 0\n", REFUSED, "deneb-number"},
        {"12\n*\n3\n1e60 0 0\n40 0 0\n0 0 5\n0\n1\n0 1\n", REFUSED, "deneb-number"},
        {"12.0\n*\n" BLOCK, REFUSED, "deneb-magic"},
        {"100\n*\n" BLOCK, REFUSED, "deneb-magic"},
        {"12\n*\n\"" BLOCK, REFUSED, "deneb-string"},
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        try_example(&examples[i]);
}

/* The coordinates hold points and lines, too; but the polygons explain the file to its end, and the lines prove
 * them. */
static void test_rival(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    uint32_t count;
    cp_scene *scene = read_text(context, HEAD RIVAL "0\n" LINES "6\n" CORNERS, NULL, "explain=yes");
    assert_non_null(scene);
    assert_non_null(strstr(find_entry(context, "deneb-search")->text, "fits: 2"));
    const cp_mesh *meshes = cp_meshes(scene, &count);
    assert_int_equal(count, 2);
    assert_int_equal(meshes[0].vertex_count, 8);
    assert_memory_equal(meshes[0].corners, box_corners, sizeof box_corners);
    assert_memory_equal(meshes[1].corners, box_lines, sizeof box_lines);
    cp_scene_free(scene);
    cp_context_free(context);
}

/* A line short of a box: its polygons are not proven. */
static void test_line_missing(void **state)
{
    (void)state;
    static const char *const polygons[] = {CORNERS, EDGES};
    for (int i = 0; i < 2; i++) {
        char text[1024];
        (void)snprintf(text, sizeof text, "%s", HEAD "*\n" POINTS "0\n11\n" FIRST_LINES "6\n");
        strcat(text, polygons[i]);
        cp_context *context = cp_context_new(NULL);
        cp_scene *scene = read_text(context, text, NULL, NULL);
        uint32_t count;
        assert_non_null(scene);
        const cp_mesh *mesh = cp_meshes(scene, &count);
        assert_int_equal(count, 1);
        assert_int_equal(mesh->kind, CP_MESH_LINES);
        assert_int_equal(mesh->face_count, 11);
        assert_int_equal(count_lost(context, "deneb-legacy-rest"), 31);
        assert_true(was_reported(context, "deneb-legacy-unit"));
        cp_scene_free(scene);
        cp_context_free(context);
    }
}

static void test_closed(void **state)
{
    (void)state;
    static const struct {
        const char *text, *said;
    } cases[] = {
        {HEAD "*\n" BLOCK "6\n" CORNERS, "; closed"},
        {HEAD BLOCK "6\n" EDGES, "; closed"},
        {HEAD BLOCK "5\n4 3 2 1 0\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n", "; not closed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cp_context *context = cp_context_new(NULL);
        cp_scene *scene = read_text(context, cases[i].text, NULL, NULL);
        assert_non_null(scene);
        assert_non_null(strstr(find_entry(context, "deneb-legacy-faces")->text, cases[i].said));
        cp_scene_free(scene);
        cp_context_free(context);
    }
}

static void test_options(void **state)
{
    (void)state;
    static const char box[] = HEAD BLOCK "6\n" CORNERS;
    cp_context *context = cp_context_new(NULL);
    uint32_t count;
    cp_scene *scene = read_text(context, box, NULL, "unit=in");
    assert_true(cp_instances(scene, &count)[0].transform.m[0] == 0.0254);
    assert_false(was_reported(context, "deneb-legacy-unit"));
    cp_scene_free(scene);
    assert_null(read_text(context, HEAD BLOCK, NULL, "strict=yes"));
    assert_int_equal(count_entries(context, CP_ERROR, "deneb-legacy-wireframe"), 1);
    assert_false(was_reported(context, "deneb-reading"));
    scene = read_text(context, HEAD "*\n" BLOCK "6\n" CORNERS, NULL, "explain=yes");
    assert_true(was_reported(context, "deneb-search"));
    assert_int_equal(count_entries(context, CP_NOTE, "deneb-reading"), 3); /* the place, and both forms */
    cp_scene_free(scene);
    cp_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box),    cmocka_unit_test(test_unproven),     cmocka_unit_test(test_refused),
        cmocka_unit_test(test_closed), cmocka_unit_test(test_line_missing), cmocka_unit_test(test_options),
        cmocka_unit_test(test_rival),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
