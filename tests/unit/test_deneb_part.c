/* DCT parts: the sample against numbers worked out by hand, and texts that mean the same written in many ways. */
#include <math.h>

#include "fixture.h"

static cp_scene *read_text(cp_context *context, const char *text, const char *option)
{
    cp_scene *scene;
    if (cp_read_memory(context, text, strlen(text), "part.dcp", NULL, &option, option ? 1 : 0, &scene) != CP_OK) {
        show_report(context);
        fail_msg("not read");
    }
    return scene;
}

/* Where a vertex of instance `index` is in the world, in millimetres. */
static void find_vertex(const cp_scene *scene, uint32_t index, uint32_t vertex, double out[3])
{
    uint32_t count;
    const cp_instance *instance = &cp_instances(scene, &count)[index];
    const float *position = cp_meshes(scene, &count)[instance->mesh].positions + 3 * (size_t)vertex;
    cp_pose worlds[16];
    pose_scene(scene, NULL, worlds);
    cp_pose pose = plain_product(&worlds[instance->node], &instance->transform);
    plain_point(&pose, (const double[]){position[0], position[1], position[2]}, out);
    for (int i = 0; i < 3; i++)
        out[i] *= 1000;
}

static void expect_vertex(const cp_scene *scene, uint32_t index, uint32_t vertex, double x, double y, double z)
{
    double at[3];
    find_vertex(scene, index, vertex, at);
    assert_true(fabs(at[0] - x) + fabs(at[1] - y) + fabs(at[2] - z) < 1e-5); /* mm; coordinates are floats */
}

static void test_sample(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene;
    uint32_t count;
    assert_int_equal(cp_read(context, SAMPLES "/deneb_bracket.dcp", NULL, NULL, 0, &scene), CP_OK);
    (void)cp_report(context, &(size_t){0});
    const cp_node *nodes = cp_nodes(scene, &count);
    assert_int_equal(count, 5);
    assert_string_equal(nodes[1].name, "bracket");
    assert_string_equal(nodes[3].name, "rib");
    assert_int_equal(nodes[3].parent, 1);
    const cp_mesh *meshes = cp_meshes(scene, &count);
    assert_int_equal(count, 3);
    assert_int_equal(meshes[0].face_count, 8);
    assert_int_equal(meshes[0].face_offsets[1], 6); /* the L stays one polygon */
    assert_int_equal(meshes[2].kind, CP_MESH_LINES);
    expect_vertex(scene, 0, 4, 10, 60, 0);
    expect_vertex(scene, 1, 0, 2, 8, 8); /* v * M by hand: 60 nx + p, 45 o + p, 45 o + 7.5 a + p */
    expect_vertex(scene, 1, 1, 62, 8, 8);
    expect_vertex(scene, 1, 2, 2, 8, 53);
    expect_vertex(scene, 1, 5, 2, 0.5, 53);
    const cp_material *materials = cp_materials(scene, &count);
    assert_int_equal(count, 3);
    assert_true(materials[meshes[1].groups[0].material].rgba[0] == 0.85);
    assert_true(materials[meshes[0].groups[0].material].srgb);
    cp_measures measures[3] = {{.size = sizeof *measures}, {.size = sizeof *measures}, {.size = sizeof *measures}};
    assert_int_equal(cp_measure_meshes(context, scene, measures), CP_OK);
    assert_true(fabs(measures[0].volume - (80 * 10 + 10 * 50) * 8e-9) < 1e-15); /* the L's area times its height */
    cp_scene_free(scene);
    cp_context_free(context);
}

#define BODY "POINTS 3\n 0 0 0\n 10 0 0\n 0 20 0\nPOLYGONS 1\n 3 0 1 2\nEND\n"
#define MATRIX_LINES "MATRIX 0 1 0 0\n -1 0 0 0\n 0 0 1 0\n 1 2 3 1\n"

/* The same part, always: the second vertex is at (1, 12, 3), the third at (-19, 2, 3). */
static void test_spellings(void **state)
{
    (void)state;
    static const struct {
        const char *text, *option;
        const char *warning; /* its code, or NULL */
    } cases[] = {
        {"DCT PART 1.0\nOBJECT o\n" MATRIX_LINES BODY, NULL, NULL},
        {"dct part 1.0\nobject o\n" MATRIX_LINES "points 3\n0 0 0 10 0 0 0 20 0\npolygons 1 3 0 1 2\nend\n", NULL,
         NULL},
        {"DCT PART 1.0\rOBJECT o\rMATRIX 0,1,0,0,-1,0,0,0,0,0,1,0,1,2,3,1\rPOINTS 3\r0 0 0\r10 0 0\r0 20 0\r"
         "POLYGONS 1\r3 0 1 2\rEND\r\x1a",
         NULL, NULL},
        {"DCT PART 1.0\nOBJECT o # a comment\nMATRIX 0 1.0D+00 .0 0. -1 0 0 0 0 0 +1 0 1 2 3 1\nPOINTS 3\n0 0 0\n"
         "1.0d1 0.0+000 0\n0 200.0-001 0\nPOLYGONS 1\n3 0 1 2\nEND",
         NULL, NULL},
        {"DCT PART 1.0\nUNIT m\nOBJECT o\nMATRIX 0 1 0 0 -1 0 0 0 0 0 1 0 .001 .002 .003 1\nPOINTS 3\n0 0 0 0.01 0 0 0 "
         "0.02 0\nPOLYGONS 1\n3 0 1 2\nEND\n",
         NULL, NULL},
        {"DCT PART 1.0\nOBJECT o\nMATRIX 0 -1 0 1 1 0 0 2 0 0 1 3 0 0 0 1\n" BODY, NULL, "deneb-column-matrix"},
        {"DCT PART 1.0\nOBJECT o\nMATRIX 0 -1 0 1 1 0 0 2 0 0 1 3 0 0 0 1\n" BODY, "matrix=col", NULL},
        {"DCT PART 1.0\nOBJECT o\nMATRIX 0 2 0 0 -2 0 0 0 0 0 2 0 2 4 6 2\n" BODY, NULL, "deneb-weight"},
        {"DCT PART 1.0\nOBJECT o\n" MATRIX_LINES "POINTS 3\n0 0 0 10 0 0 0 20 0\nPOLYGONS 1\n3 1 2 3\nEND\n", NULL,
         "deneb-one-based"},
        {"DCT PART 1.0\nREVISION 7\nOBJECT o\nLAYER 3\n" MATRIX_LINES BODY, NULL, "deneb-unknown"},
        {"DCT PART 1.0\nHISTORY\nOBJECT old\nEND\nWHO me\nEND\nOBJECT o\n" MATRIX_LINES BODY, NULL, "deneb-unknown"},
        {"DCT PART 1.0\nOBJECT o\n" MATRIX_LINES "POLYGONS 1\n5 0 0 1 2 0\nPOINTS 3\n0 0 0 10 0 0 0 20 0\nEND\n", NULL,
         NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cp_context *context = cp_context_new(NULL);
        cp_scene *scene = read_text(context, cases[i].text, cases[i].option);
        uint32_t count;
        size_t entries;
        (void)cp_instances(scene, &count);
        assert_int_equal(count, 1);
        assert_int_equal(cp_meshes(scene, &count)[0].corner_count, 3);
        expect_vertex(scene, 0, 1, 1, 12, 3);
        expect_vertex(scene, 0, 2, -19, 2, 3);
        (void)cp_report(context, &entries);
        if (cases[i].warning)
            assert_true(was_reported(context, cases[i].warning));
        else
            assert_int_equal(entries, 0);
        cp_scene_free(scene);
        cp_context_free(context);
    }
}

/* Not flat and concave polygons come out whole where triangles are written. */
static void test_triangles(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_text(context,
                                "DCT PART 1.0\nOBJECT o\nPOINTS 5\n0 0 0 10 0 0 10 10 0 5 1 0 0 10 0\n"
                                "POLYGONS 1\n5 0 1 2 3 4\nEND\n",
                                NULL);
    cp_measures measures = {.size = sizeof measures};
    assert_int_equal(cp_measure(context, scene, CP_USE_DRAWN, &measures), CP_OK);
    assert_int_equal(measures.triangles, 3);
    assert_true(fabs(measures.area - (100 - 45) * 1e-6) < 1e-15); /* the square less the notch */
    cp_scene_free(scene);
    cp_context_free(context);
}

/* Words that nobody knows are told, but not without end. */
static void test_many_unknown(void **state)
{
    (void)state;
    enum { WORDS = 5000 };
    char *text = malloc(WORDS * 16 + 300), *at = text;
    assert_non_null(text);
    at += sprintf(at, "DCT PART 1.0\n");
    for (int i = 0; i < WORDS; i++)
        at += sprintf(at, "WORD%d %d\n", i % (WORDS - 1), i);
    sprintf(at, "OBJECT o\n" BODY);
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_text(context, text, NULL);
    assert_int_equal(count_entries(context, CP_WARNING, "deneb-unknown"), 100);
    assert_non_null(strstr(find_last_entry(context, "deneb-unknown")->message, "(and 4899 more like it)"));
    cp_scene_free(scene);
    cp_context_free(context);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sample), cmocka_unit_test(test_spellings),
                                       cmocka_unit_test(test_triangles), cmocka_unit_test(test_many_unknown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
