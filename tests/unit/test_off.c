/* The OFF importer on small files whose content is worked out by hand. */
#include "assimp_support.h"

#define POINTS "0 0 0\n1 0 0\n1 1 0\n0 1 0\n"

static const float square[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
static const uint32_t ring[] = {0, 1, 2, 3};

/* One square, as files put it into lines. Nothing is to be told about any. */
static void test_lines(void **state)
{
    static const char *const texts[] = {
        "OFF\n4 1 0\n" POINTS "4 0 1 2 3\n",
        "OFF 4 1 0\n" POINTS "4 0 1 2 3",
        "4 1 0\n" POINTS "4 0 1 2 3\n",
        "OFF\n4 1\n" POINTS "4 0 1 2 3\n",
        "OFF\n4\n1\n0\n" POINTS "4 0 1 2 3\n",
        "OFF\r\n4 1 4\r\n0 0 0\r\n1 0 0\r\n1 1 0\r\n0 1 0\r\n4 0 1 2 3\r\n",
        "OFF\r4 1 4\r0 0 0\r1 0 0\r1 1 0\r0 1 0\r4 0 1 2 3\r",
        "# a square\n\nOFF # the word\n# counts\n4 1 0 # three\n\n0 0 0 # origin\n\n1 0 0\n#\n1 1 0\n0 1 0\n# faces\n"
        "4 0 1 2 3 # all\n# the end\n",
        "OFF\n4 1 0\n" POINTS "4\n0\n1\n2\n3\n",
        "OFF\n4 1 0\n" POINTS "4 0 1 # half\n2 3\n",
        "OFF\n4 1 0\n0 0\n0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3.0\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cp_scene *scene = read_scene(*state, texts[i], "part.off", NULL);
        assert_positions(only_mesh(scene), square, 4);
        assert_corners(only_mesh(scene), ring, 4);
        assert_int_equal(only_mesh(scene)->face_count, 1);
        assert_null(only_mesh(scene)->colours);
        assert_string_equal(node_called(scene, "part")->name, "part");
        assert_string_equal(cp_scene_source(scene)->format, "off");
        assert_int_equal(count_all(*state), 0);
        cp_scene_free(scene);
    }
}

/* The word says what the file is, whatever it is called. */
static void test_words(void **state)
{
    static const char *const names[] = {"OFF", "COFF", "NOFF", "CNOFF", "NCOFF", "STOFF", "STCNOFF"};
    for (int i = 0; i < 7; i++) {
        char text[512];
        const char *normal = strchr(names[i], 'N') ? " 0 0 1" : "", *colour = strchr(names[i], 'C') ? " 9 9 9" : "";
        const char *texture = names[i][0] == 'S' ? " 0.5 0.5" : "";
        (void)snprintf(text, sizeof text, "%s\n3 1 0\n0 0 0%s%s%s\n1 0 0%s%s%s\n1 1 0%s%s%s\n3 0 1 2\n", names[i],
                       normal, colour, texture, normal, colour, texture, normal, colour, texture);
        cp_scene *scene = read_scene(*state, text, "stdin", NULL);
        const cp_mesh *mesh = only_mesh(scene);
        assert_positions(mesh, square, 3);
        assert_true((mesh->normals != NULL) == (*normal != 0) && (mesh->colours != NULL) == (*colour != 0));
        assert_true(!mesh->normals || mesh->normals[5] == 1);
        assert_int_equal(count_entries(*state, CP_LOSS, "off-texture-coordinates"), *texture != 0);
        cp_report_clear(*state);
        cp_scene_free(scene);
    }
}

/* 51, 102, 204 of 255 by the sRGB formula: ((c / 255 + 0.055) / 1.055) ^ 2.4 */
static void assert_colour(const float *colour, double alpha)
{
    assert_true(fabs((double)colour[0] - 0.0331047666) < 1e-7);
    assert_true(fabs((double)colour[1] - 0.1328683216) < 1e-7);
    assert_true(fabs((double)colour[2] - 0.6038273389) < 1e-7);
    assert_true(fabs((double)colour[3] - alpha) < 1e-7);
}

static void test_vertex_colours(void **state)
{
    static const struct {
        const char *word, *values;
        double alpha;
    } files[] = {{"COFF", "51 102 204 255", 1},          {"COFF", "51 102 204", 1},
                 {"COFF", "0.2 0.4 0.8 0.5", 0.5},       {"COFF", "0.2 0.4 0.8", 1},
                 {"CNOFF", "0 0 1 51 102 204 102", 0.4}, {"NCOFF", "51 102 204 102 0 0 1", 0.4},
                 {"NCOFF", "0.2 0.4 0.8 1 0 0 1", 1}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char text[512];
        const char *v = files[i].values;
        (void)snprintf(text, sizeof text, "%s\n3 1 0\n0 0 0 %s\n1 0 0 %s\n1 1 0 %s\n3 0 1 2\n", files[i].word, v, v, v);
        cp_scene *scene = read_scene(*state, text, "part", NULL);
        const cp_mesh *mesh = only_mesh(scene);
        assert_colour(mesh->colours + 8, files[i].alpha);
        assert_true(!mesh->normals || (mesh->normals[0] == 0 && mesh->normals[8] == 1));
        cp_scene_free(scene);
    }
}

/* Where no value is larger than 1, whole numbers go to 1, too; else to 255. */
static void test_range_of_colours(void **state)
{
    static const char ones[] = "COFF\n3 1 0\n0 0 0 1 0 0 1\n1 0 0 0 1 0 1\n1 1 0 0.5 0 0 1\n3 0 1 2\n";
    static const char bytes[] = "COFF\n3 1 0\n0 0 0 1 0 0 255\n1 0 0 0 1 0 255\n1 1 0 0 0 255 255\n3 0 1 2\n";
    cp_scene *scene = read_scene(*state, ones, "part", NULL);
    assert_true(only_mesh(scene)->colours[0] == 1 && only_mesh(scene)->colours[5] == 1);
    cp_scene_free(scene);
    scene = read_scene(*state, bytes, "part", NULL);
    assert_true(only_mesh(scene)->colours[0] < 0.01f && only_mesh(scene)->colours[10] == 1);
    cp_scene_free(scene);
}

static void test_face_colours(void **state)
{
    static const char text[] =
        "OFF\n4 5 0\n" POINTS "3 0 1 2\n3 0 1 2 255 0 0\n2 0 1 7 7 7\n3 0 1 2 255 0 0 255 # red\n"
        "4 0 1 2 3 0.0 0.0 1.0 0.5\n";
    static const uint32_t first[] = {0, 1, 3}, material[] = {CP_NONE, 0, 1};
    uint32_t count;
    cp_scene *scene = read_scene(*state, text, "part.off", NULL);
    const cp_material *materials = cp_materials(scene, &count);
    const cp_mesh *mesh = only_mesh(scene);
    assert_int_equal(count, 2);
    assert_string_equal(materials[0].name, "#ff0000");
    assert_string_equal(materials[1].name, "#0000ff80");
    assert_int_equal(mesh->face_count, 4);
    assert_int_equal(mesh->group_count, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(mesh->groups[i].first_face, first[i]);
        assert_int_equal(mesh->groups[i].material, material[i]);
    }
    cp_scene_free(scene);
}

static void test_unit(void **state)
{
    static const double pose[12] = {0.0254, 0, 0, 0, 0, 0.0254, 0, 0, 0, 0, 0.0254, 0};
    uint32_t count;
    cp_scene *scene = read_scene(*state, "OFF\n4 1 0\n" POINTS "4 0 1 2 3\n", "part.off", "unit=in");
    expect_pose(&cp_instances(scene, &count)->transform, pose, 0);
    cp_scene_free(scene);
}

/* No prefix of a file is read as a smaller scene; only the last line's end may be missing. */
static void test_prefixes(void **state)
{
    static const char text[] = "OFF\n4 1 0\n" POINTS "4 0 1 2 3\n";
    for (size_t size = 3; size < sizeof text - 2; size++) {
        cp_scene *scene;
        assert_int_equal(cp_read_memory(*state, text, size, "part.off", NULL, NULL, 0, &scene), CP_INPUT);
        assert_null(scene);
    }
    cp_scene_free(read_scene(*state, text, "part.off", NULL));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_context, free_context)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_lines),        TEST(test_words), TEST(test_vertex_colours), TEST(test_range_of_colours),
        TEST(test_face_colours), TEST(test_unit),  TEST(test_prefixes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
