/* The assimp importer on small files whose content is worked out by hand. */
#include "assimp_support.h"

/* ---- options ---- */

static void test_options(void **state)
{
    static const char text[] = "<X3D><Scene><Shape><IndexedFaceSet coordIndex=\"0 1 2 -1\"><Coordinate "
                               "point=\"0 0 0 1 0 0 0 1 0\"/></IndexedFaceSet></Shape></Scene></X3D>\n";
    static const double inch[12] = {0.0254, 0, 0, 0, 0, 0, -0.0254, 0, 0, 0.0254, 0, 0};
    static const double z_up[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    static const double x_up[12] = {0, -1, 0, 0, 0, 0, -1, 0, 1, 0, 0, 0};
    uint32_t count;
    cp_scene *scene = read_scene(*state, text, "part.x3d", "unit=in");
    expect_pose(&cp_instances(scene, &count)->transform, inch, 0);
    assert_true(cp_scene_source(scene)->unit == 0.0254);
    cp_scene_free(scene);
    scene = read_scene(*state, text, "part.x3d", "up=z");
    expect_pose(&cp_instances(scene, &count)->transform, z_up, 0);
    assert_int_equal(cp_scene_source(scene)->up, CP_UP_Z);
    cp_scene_free(scene);
    scene = read_scene(*state, text, "part.x3d", "up=x");
    expect_pose(&cp_instances(scene, &count)->transform, x_up, 0);
    cp_scene_free(scene);
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

int main(void)
{
#ifndef HAVE_ASSIMP
    print_message("skipped: assimp is not built\n");
    return 77;
#else
    const struct CMUnitTest tests[] = {
        TEST(test_options),
        TEST(test_corpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
#endif
}
