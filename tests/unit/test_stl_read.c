/* The STL importer: dialects, oddities, colours, broken files. */
#include <math.h>

#include "stl_support.h"

#define FACET "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"

static cp_scene *read_text(cp_context *context, const char *text, const char *const *list, cp_status expected)
{
    return read_bytes(context, text, strlen(text), list, expected);
}

static void assert_triangle(const cp_scene *scene, const float expected[9])
{
    const cp_mesh *mesh = only_mesh(scene);
    assert_int_equal(mesh->face_count, 1);
    float *corners = list_corners(mesh);
    assert_memory_equal(corners, expected, 9 * sizeof(float));
    free(corners);
}

/* ---- ASCII ---- */

static const float first_triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};

static void test_ascii_of_all_kinds(void **state)
{
    (void)state;
    static const char *const same[] = {
        "solid a b\n" FACET "endsolid a b\n",
        "solid  a b \r\nfacet normal 0 0 1\r\nouter loop\r\nvertex 0 0 0\r\nvertex 1 0 0\r\nvertex 0 1 0\r\nendloop\r\n"
        "endfacet\r\nendsolid\r\n",
        "solid a b\rfacet normal 0 0 1\router loop\rvertex 0 0 0\rvertex 1 0 0\rvertex 0 1 0\rendloop\rendfacet\r"
        "endsolid",
        "\n\t SOLID\ta b\nFACET\tNORMAL 0 0 1 OUTER LOOP VERTEX 0 0 0 VERTEX 1 0 0 VERTEX 0 1 0 ENDLOOP ENDFACET\n"
        "EndSolid whatever it says",
        "\xEF\xBB\xBFsolid a b\nfacet normal -1.#IND nan(x) ??? outer loop vertex 0.0e+000 0 0 vertex 1.e0 0 0\n"
        "vertex .0 +1.00E-000 0 endloop endfacet endsolid",
        "solid a b\nfacet normal outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endloop endfacet\nendsolid\n \n",
        "solid a b\nfacet outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endloop endfacet\nendsolid a b",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        cp_context *context = cp_context_new(NULL);
        cp_scene *scene = read_text(context, same[i], NULL, CP_OK);
        assert_triangle(scene, first_triangle);
        uint32_t count;
        const cp_node *nodes = cp_nodes(scene, &count);
        assert_int_equal(count, 2);
        assert_string_equal(nodes[1].name, "a b");
        assert_string_equal(only_mesh(scene)->name, "a b");
        assert_int_equal((find_last_entry(context, "stl-no-normal") != NULL), i >= 4);
        cp_scene_free(scene);
        cp_context_free(context);
    }
}

static void test_numbers_are_rounded_correctly(void **state)
{
    (void)state;
    /* bits computed with exact rationals: 0.117, 1/3, FLT_MAX, the smallest denormal, half of it up, -0, 2^24 + 1 */
    static const char text[] =
        "solid\nfacet normal 0 0 0 outer loop vertex 1.17e-001 0.333333333333333333333 3.4028235e38\n"
        "vertex 1e-45 7.1e-46 -0.000e+000 vertex 16777217 16777217.0000000000000000001 -1.5E+01\n"
        "endloop endfacet\nendsolid\n";
    static const uint32_t expected[9] = {0x3def9db2, 0x3eaaaaab, 0x7f7fffff, 1,         1,
                                         0x80000000, 0x4b800000, 0x4b800001, 0xc1700000};
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_text(context, text, NULL, CP_OK);
    float values[9];
    memcpy(values, expected, sizeof values);
    assert_triangle(scene, values);
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_solids_become_nodes(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_text(context,
                                "solid left jaw\n" FACET FACET "endsolid left jaw\nsolid\n" FACET
                                "endsolid\nsolid caf\xe9\nendsolid\nsolid left jaw\nendsolid\n",
                                NULL, CP_OK);
    static const char *const names[] = {"WORLD", "left jaw", "part.one", "caf\xc3\xa9", "left jaw"};
    static const uint32_t faces[] = {2, 1, 0, 0};
    uint32_t count, instance_count;
    const cp_node *nodes = cp_nodes(scene, &count);
    const cp_instance *instances = cp_instances(scene, &instance_count);
    assert_int_equal(count, 5);
    assert_int_equal(instance_count, 4);
    for (uint32_t i = 0; i < 5; i++)
        assert_string_equal(nodes[i].name, names[i]);
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t meshes;
        const cp_mesh *mesh = cp_meshes(scene, &meshes) + instances[i].mesh;
        assert_int_equal(meshes, 3); /* those without facets share one */
        assert_int_equal(instances[i].node, i + 1);
        assert_int_equal(instances[i].use, CP_USE_BOTH);
        assert_string_equal(mesh->name, names[i < 3 ? i + 1 : 3]);
        assert_string_equal(mesh->source, "part.one.stl");
        assert_int_equal(mesh->face_count, faces[i]);
        assert_int_equal(mesh->vertex_count, faces[i] ? 3 : 0);
    }
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_polygons_stay_whole(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene =
        read_text(context,
                  "solid\n" FACET "facet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 1 1 0 vertex .5 2 0 "
                  "vertex 0 1 0 endloop endfacet\n" FACET "endsolid\n",
                  NULL, CP_OK);
    const cp_mesh *mesh = only_mesh(scene);
    static const uint32_t offsets[] = {0, 3, 8, 11};
    assert_int_equal(mesh->face_count, 3);
    assert_int_equal(mesh->corner_count, 11);
    assert_non_null(mesh->face_offsets);
    assert_memory_equal(mesh->face_offsets, offsets, sizeof offsets);
    assert_int_equal(mesh->vertex_count, 5);
    assert_int_equal(find_last_entry(context, "stl-polygon")->severity, CP_WARNING);
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_oddities_are_counted(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    /* 2 degenerate (equal corners; in line), 1 opposed, 1 plain, 1 with a normal of zero */
    cp_scene *scene = read_text(
        context,
        "solid\nfacet normal 0 0 1 outer loop vertex 1 2 3 vertex 1 2 3 vertex 4 5 6 endloop endfacet\n"
        "facet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 1 1 vertex 3 3 3 endloop endfacet\n"
        "facet normal 0.1 0 -0.9 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endloop endfacet\n"
        "facet normal 0 0 0 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endloop endfacet\n" FACET "endsolid\n",
        NULL, CP_OK);
    assert_int_equal(only_mesh(scene)->face_count, 5);
    const cp_entry *degenerate = find_last_entry(context, "stl-degenerate"),
                   *opposed = find_last_entry(context, "stl-opposed");
    assert_int_equal(degenerate->severity, CP_NOTE);
    assert_non_null(strstr(degenerate->text, "2 of 5"));
    assert_int_equal(opposed->severity, CP_NOTE);
    assert_non_null(strstr(opposed->text, "1 of 5"));
    cp_scene_free(scene);
    cp_context_free(context);
}

#define LOOP "outer loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n"

/* What programs write beside the 1989 grammar: the triangle and the name are the same as without, and it is counted. */
static void test_dialects(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned count, colours;
    } cases[] = {
        {"solid a b\nsolid a b\n" FACET "endsolid a b\nendsolid a b\n", 2, 0},
        {"solid a b\nsolid c\nsolid a b\n" FACET "endsolid", 2, 0},
        {"solid a b\n" FACET "endsolida b\n", 1, 0},
        {"SOLID a b\n" FACET "ENDSOLIDa b\n", 1, 0},
        {"solid a b\n" FACET "endsolid_a b", 1, 0},
        {"solid a b\n" FACET "end solid a b\n", 1, 0},
        {"solid a b\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nEnd Loop\nEND\tFACET\n"
         "endsolid\n",
         2, 0},
        {"solid a b\ncolor 1 0 0\n" FACET "endsolid\n", 1, 1},
        {"solid a b\nfacet normal 0 0 1\n  colour 0.5 0.5 0.5\n" LOOP "endfacet\ncolor 0 0 1\nendsolid\n", 2, 2},
        {"; exported\n# by hand\n// in 1999\nsolid a b\n" FACET "endsolid\n# the end of it\n", 4, 0},
        {"\xEF\xBB\xBF# mark\nsolid a b\nfacet normal 0 0 1\n# a facet\n" LOOP
         "; endfacet comes next\nendfacet\nendsolid",
         3, 0},
        {"solid a b\nfacet normal 0 0 1 id 7\nouter loop 1\nvertex 0 0 0 # first\nvertex 1 0 0 1\nvertex 0 1 0 2\n"
         "endloop 1\nendfacet of a\nendsolid\n",
         7, 0},
        {"solid a b\nfacet normal 0,  0, 1,\nouter loop\nvertex 0, 0, 0\nvertex 1, 0, 0,\nvertex 0, 1, 0\nendloop\n"
         "endfacet\nendsolid\n",
         10, 0},
        {"solid a b\nfacet normal 0.D0 0 1\nouter loop\nvertex 0.000000D+00 0 0\nvertex 10.0d-01 0 0\n"
         "vertex 0 0.1D1 0\nendloop\nendfacet\nendsolid\n",
         4, 0},
    };
    static const options strict = {"strict=yes"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cp_context *context = cp_context_new(NULL);
        cp_scene *scene = read_text(context, cases[i].text, NULL, CP_OK);
        uint32_t count;
        assert_triangle(scene, first_triangle);
        assert_string_equal(only_mesh(scene)->name, "a b");
        cp_nodes(scene, &count);
        assert_int_equal(count, 2);
        char told[32];
        (void)snprintf(told, sizeof told, "clear: %u", cases[i].count);
        assert_int_equal(count_entries(context, CP_WARNING, "stl-dialect"), 1);
        assert_non_null(strstr(find_entry(context, "stl-dialect")->text, told));
        assert_int_equal(count_lost(context, "stl-colour-lines"), cases[i].colours);
        assert_null(read_text(context, cases[i].text, strict, CP_INPUT));
        cp_scene_free(scene);
        cp_context_free(context);
    }
}

#define LINE "facet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endloop endfacet"

/* A solid ends where the next begins, and one that ends twice hides no other in the line. */
static void test_ends_of_solids(void **state)
{
    (void)state;
    static const char *const texts[] = {"solid a\n" FACET "solid b\n" FACET FACET "endsolidb\n",
                                        "solid a " LINE " endsolid a\nendsolid a solid b " LINE " " LINE " endsolid b"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cp_context *context = cp_context_new(NULL);
        uint32_t count;
        cp_scene *scene = read_text(context, texts[i], NULL, CP_OK);
        const cp_mesh *meshes = cp_meshes(scene, &count);
        assert_int_equal(count, 2);
        assert_string_equal(meshes[1].name, "b");
        assert_int_equal(meshes[0].face_count, 1);
        assert_int_equal(meshes[1].face_count, 2);
        cp_scene_free(scene);
        cp_context_free(context);
    }
}

/* Words that might hold geometry are not passed over. */
static void test_no_dialects(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "solid facet normal 0 0 1 outer loop vertex 0 0 0 vertx 1 0 0 vertex 0 1 0 vertex 1 1 0 endloop endfacet "
        "endsolid",
        "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0 vertx 1 0 0 vertex 0 1 0\nvertex 1 1 "
        "0\nendloop\nendfacet\n"
        "endsolid",
        "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertx 1 0 0\nvertex 0 1 0\nvertex 1 1 0\nendloop\n"
        "endfacet\nendsolid",
        "solid\nfacet normal 0 0 1\nouter loop\nvertex 0,5 0 0\nvertex 1 0 0\nvertex 0 1 "
        "0\nendloop\nendfacet\nendsolid",
        "solid\nfacet normal 0 0 1\nouter loop\nvertex 0D 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid",
        "solid\nfacet normal 0 0 1\nouter loop\nvertex , 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid",
        "solid\n" FACET "triangle\n" FACET "endsolid",
        "solid\n" FACET "endsol\n",
        "solid\n" FACET "end\n",
        "solid\n" FACET "endsolid\n" FACET,
        /* comments behind a statement, as where a text has lost its line ends */
        "solid a " LINE " # a note " LINE "\nendsolid",
        "solid a\n" LINE " ; " LINE "\n" LINE "\nendsolid",
        /* a decimal comma, with a blank behind it */
        "solid\nfacet normal 0 0 1\nouter loop\nvertex 0, 5 0 0\nvertex 1, 5 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
        "endsolid",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cp_context *context = cp_context_new(NULL);
        assert_null(read_text(context, texts[i], NULL, CP_INPUT));
        cp_context_free(context);
    }
}

/* Parts that several threads read: every word of the dialect is passed over, and the facets are those of the plain
 * text. */
static void test_dialect_in_parts(void **state)
{
    (void)state;
    enum { FACETS = 30000, ROOM = 200 };
    char *texts[2];
    size_t sizes[2] = {0};
    for (int k = 0; k < 2; k++) {
        texts[k] = malloc((size_t)FACETS * ROOM);
        assert_non_null(texts[k]);
        sizes[k] = (size_t)sprintf(texts[k], "solid\n");
        for (int i = 0; i < FACETS; i++)
            sizes[k] += (size_t)sprintf(
                texts[k] + sizes[k],
                "facet normal 0 0 1%s\nouter loop\nvertex %d 0 0\nvertex %d 1 0\nvertex %d 0 1\n%s\n%s\n",
                k && i % 3 == 0 ? " id" : "", i, i, i, k && i % 5 == 0 ? "end loop" : "endloop",
                k && i % 7 == 0 ? "end facet"
                : k             ? "endfacet # a facet ends"
                                : "endfacet");
        sizes[k] += (size_t)sprintf(texts[k] + sizes[k], "endsolid\n");
    }
    cp_context *context = cp_context_new(NULL);
    cp_scene *plain = read_bytes(context, texts[0], sizes[0], NULL, CP_OK),
             *odd = read_bytes(context, texts[1], sizes[1], NULL, CP_OK);
    const cp_mesh *first = only_mesh(plain), *second = only_mesh(odd);
    assert_int_equal(first->face_count, FACETS);
    assert_int_equal(second->face_count, FACETS);
    assert_int_equal(first->vertex_count, second->vertex_count);
    assert_memory_equal(first->positions, second->positions, 3 * sizeof(float) * first->vertex_count);
    assert_memory_equal(first->corners, second->corners, sizeof(uint32_t) * first->corner_count);
    /* thirds with "id", fifths with "end loop", and each with one of two ends */
    assert_non_null(strstr(find_entry(context, "stl-dialect")->text, "clear: 46000"));
    cp_scene_free(plain);
    cp_scene_free(odd);
    cp_context_free(context);
    free(texts[0]);
    free(texts[1]);
}

/* Without its end a file may have lost facets: only a closed surface is known to be whole. */
static void test_missing_end(void **state)
{
    (void)state;
    static const int corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const int faces[5][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}, {1, 3, 2}};
    static const struct {
        int faces[4], count;
        bool closed;
    } cases[] = {{{0, 1, 2, 3}, 4, true}, {{0, 1, 2}, 3, false}, {{0, 1, 2, 4}, 4, false}, {{0}, 0, false}};
    static const options strict = {"strict=yes"}, partial = {"partial=yes"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048] = "solid\n";
        for (int k = 0; k < cases[i].count; k++) {
            strcat(text, "facet normal 0 0 0\nouter loop\n");
            for (int c = 0; c < 3; c++) {
                const int *p = corners[faces[cases[i].faces[k]][c]];
                (void)sprintf(text + strlen(text), "vertex %d %d %d\n", p[0], p[1], p[2]);
            }
            strcat(text, "endloop\nendfacet\n");
        }
        cp_context *context = cp_context_new(NULL);
        cp_scene *scene = read_text(context, text, NULL, cases[i].closed ? CP_OK : CP_INPUT);
        assert_int_equal(count_entries(context, CP_WARNING, "stl-no-end"), cases[i].closed);
        if (cases[i].closed) /* a further shell may have been lost: nobody can tell */
            assert_non_null(strstr(find_entry(context, "stl-no-end")->text, "shells"));
        assert_int_equal(count_entries(context, CP_ERROR, "stl-truncated"), !cases[i].closed);
        cp_scene_free(scene);
        assert_null(read_text(context, text, strict, CP_INPUT));
        char earlier[4096] = "solid\nendsolid\nsolid\nfacet normal 0 0 1\n" LOOP "endfacet\nendsolid\n";
        assert_null(read_text(context, strcat(earlier, text), cases[i].closed ? strict : NULL, CP_INPUT));
        scene = read_text(context, text, partial, CP_OK);
        assert_int_equal(only_mesh(scene)->face_count, cases[i].count);
        cp_scene_free(scene);
        cp_context_free(context);
    }
}

/* Every prefix of a file: whole only when it ends in or after the last endsolid's line, and never more than its
 * facets. */
static void test_every_prefix_of_ascii(void **state)
{
    (void)state;
    static const char text[] = "solid a b\n" FACET FACET "endsolid a b\n";
    size_t size = sizeof text - 1, second = strlen("solid a b\n" FACET) - 1, third = second + strlen(FACET);
    static const options partial = {"partial=yes"};
    size_t whole = (size_t)(strstr(text, "endsolid") - text) + strlen("endsolid");
    for (size_t cut = 6; cut <= size; cut++) {
        cp_context *context = cp_context_new(NULL);
        cp_scene *scene = read_bytes(context, text, cut, NULL, cut >= whole ? CP_OK : CP_INPUT);
        if (!scene) {
            assert_non_null(find_last_entry(context, "stl-truncated"));
            scene = read_bytes(context, text, cut, partial, CP_OK);
            assert_int_equal(find_last_entry(context, "stl-truncated")->severity, CP_WARNING);
        }
        assert_int_equal(only_mesh(scene)->face_count, cut >= third ? 2 : cut >= second ? 1 : 0);
        cp_scene_free(scene);
        cp_context_free(context);
    }
}

/* ---- binary ---- */

static void test_solid_in_a_binary_header(void **state)
{
    (void)state;
    static const char *const headers[] = {"solid part", "solid part\nfacet normal 0 0 1\n outer loop", "SOLID\r\n",
                                          "part"};
    for (size_t i = 0; i < 4; i++) {
        struct bytes file = begin_binary(headers[i], 1);
        put_facet(&file, plain_facet, 0);
        cp_context *context = cp_context_new(NULL);
        cp_scene *scene = read_bytes(context, file.data, file.size, NULL, CP_OK);
        assert_triangle(scene, first_triangle);
        uint32_t count;
        assert_string_equal(cp_nodes(scene, &count)[1].name, "part.one");
        cp_report(context, &(size_t){0});
        cp_scene_free(scene);
        cp_context_free(context);
        free(file.data);
    }
}

static void test_counts_and_sizes(void **state)
{
    (void)state;
    static const struct {
        uint32_t count, present;
        size_t extra;
        const char *header, *code;
        cp_status status;
        uint32_t faces, partial_faces;
    } cases[] = {
        {2, 2, 0, "x", NULL, CP_OK, 2, 2},
        {0, 0, 0, "x", NULL, CP_OK, 0, 0},
        {2, 2, 3, "x", "stl-trailing", CP_OK, 2, 2},
        {1, 2, 3, "x", "stl-trailing", CP_OK, 1, 1},
        {1, 3, 49, "solid", "stl-trailing", CP_OK, 1, 1},
        {1, 3, 0, "x", "stl-count", CP_OK, 3, 3},
        {0, 3, 0, "solid", "stl-count", CP_OK, 3, 3},
        {0xffffffff, 3, 0, "x", "stl-count", CP_OK, 3, 3},
        {0xffffffff, 3, 1, "x", "stl-truncated", CP_INPUT, 0, 3},
        {4, 3, 0, "x", "stl-truncated", CP_INPUT, 0, 3},
        {4, 3, 49, "solid", "stl-truncated", CP_INPUT, 0, 3},
        {0xfffffffe, 1, 0, "x", "stl-truncated", CP_INPUT, 0, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bytes file = begin_binary(cases[i].header, cases[i].count);
        for (uint32_t f = 0; f < cases[i].present; f++)
            put_facet(&file, plain_facet, 0);
        char padding[64] = "";
        put(&file, padding, cases[i].extra);
        for (int partial = 0; partial < 2; partial++) {
            cp_context *context = cp_context_new(NULL);
            options list = {partial ? "partial=yes" : NULL};
            cp_scene *scene = read_bytes(context, file.data, file.size, list, partial ? CP_OK : cases[i].status);
            size_t entries;
            cp_report(context, &entries);
            assert_int_equal(entries, (cases[i].code != NULL) + (scene != NULL));
            assert_int_equal(scene != NULL, find_last_entry(context, "stl-header") != NULL);
            assert_true(!cases[i].code || find_last_entry(context, cases[i].code));
            if (scene)
                assert_int_equal(only_mesh(scene)->face_count, partial ? cases[i].partial_faces : cases[i].faces);
            cp_scene_free(scene);
            cp_context_free(context);
        }
        free(file.data);
    }
}

static void test_not_finite_names_the_facet(void **state)
{
    (void)state;
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 9; i++) {
        float values[12];
        memcpy(values, plain_facet, sizeof values);
        values[3 + i] = bad[i % 3];
        struct bytes file = begin_binary("x", 3);
        put_facet(&file, plain_facet, 0);
        put_facet(&file, plain_facet, 0);
        put_facet(&file, values, 0);
        cp_context *context = cp_context_new(NULL);
        read_bytes(context, file.data, file.size, NULL, CP_INPUT);
        char expected[100];
        snprintf(expected, sizeof expected, "facet 3 has a coordinate that is not a finite float: %c of vertex %d",
                 "xyz"[i % 3], i / 3 + 1);
        assert_string_equal(find_last_entry(context, "stl-not-finite")->text, expected);
        cp_context_free(context);
        /* a normal is not used: anything goes */
        memcpy(file.data + 84 + 100, (const float[3]){NAN, INFINITY, 0}, 12);
        memcpy(file.data + 84 + 112, plain_facet + 3, 36);
        context = cp_context_new(NULL);
        cp_scene_free(read_bytes(context, file.data, file.size, NULL, CP_OK));
        cp_context_free(context);
        free(file.data);
    }
}

static void test_equal_bits_are_joined(void **state)
{
    (void)state;
    /* corners in file order; -0 is another vertex than 0, a denormal another than 0 */
    static const float corners[2][12] = {{0, 0, 1, 0, 0, 0, 1, 0, 0, -0.0f, 1, 0},
                                         {0, 0, 1, 0, 1, 0, 1, 0, 0, 1e-45f, 0, 0}};
    static const uint32_t expected[6] = {0, 1, 2, 3, 1, 4};
    struct bytes file = begin_binary("x", 2);
    put_facet(&file, corners[0], 0);
    put_facet(&file, corners[1], 0);
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_bytes(context, file.data, file.size, NULL, CP_OK);
    const cp_mesh *mesh = only_mesh(scene);
    assert_int_equal(mesh->vertex_count, 5);
    assert_memory_equal(mesh->corners, expected, sizeof expected);
    float *listed = list_corners(mesh);
    assert_memory_equal(listed, corners[0] + 3, 36);
    assert_memory_equal(listed + 9, corners[1] + 3, 36);
    assert_null(mesh->normals);
    free(listed);
    cp_scene_free(scene);
    cp_context_free(context);
    free(file.data);
}

static void test_unit_and_axes_are_in_the_transform(void **state)
{
    (void)state;
    static const options list = {"unit=mm", "up=y"};
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_text(context, "solid\n" FACET "endsolid\n", list, CP_OK);
    assert_triangle(scene, first_triangle);
    uint32_t count;
    const cp_instance *instance = cp_instances(scene, &count);
    /* (x, y, z) with y up is (x, -z, y) */
    static const double expected[12] = {0.001, 0, 0, 0, 0, 0, -0.001, 0, 0, 0.001, 0, 0};
    for (int i = 0; i < 12; i++)
        assert_true(instance->transform.m[i] == expected[i]);
    const cp_source *source = cp_scene_source(scene);
    assert_string_equal(source->format, "stl");
    assert_string_equal(source->file, "part.one.stl");
    assert_true(source->unit == 0.001);
    assert_int_equal(source->up, CP_UP_Y);
    cp_scene_free(scene);
    cp_context_free(context);
}

/* ---- colours ---- */

/* Reads a file with the given header and attributes and compares each facet's colour (NULL: none). */
static void check_colours(const char *header, size_t count, const unsigned *attributes, const double (*expected)[4],
                          uint32_t groups)
{
    struct bytes file = begin_binary(header, (uint32_t)count);
    for (size_t i = 0; i < count; i++)
        put_facet(&file, plain_facet, attributes[i]);
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_bytes(context, file.data, file.size, NULL, CP_OK);
    const cp_mesh *mesh = only_mesh(scene);
    uint32_t materials;
    const cp_material *material = cp_materials(scene, &materials);
    assert_int_equal(mesh->group_count, groups);
    uint32_t face = 0;
    for (uint32_t g = 0; g < groups; g++) {
        assert_int_equal(mesh->groups[g].first_face, face);
        for (uint32_t f = 0; f < mesh->groups[g].face_count; f++, face++) {
            bool none = expected[face][3] == 0;
            assert_int_equal(mesh->groups[g].material == CP_NONE, none);
            for (int k = 0; k < 4 && !none; k++)
                assert_float_equal(material[mesh->groups[g].material].rgba[k], expected[face][k], 1e-12);
            assert_true(none || material[mesh->groups[g].material].srgb);
        }
    }
    assert_true(groups == 0 || face == count);
    cp_scene_free(scene);
    cp_context_free(context);
    free(file.data);
}

static void test_colours(void **state)
{
    (void)state;
    /* VisCAM: bit 15 set, red in the high bits */
    static const unsigned viscam[] = {0xfc00, 0xfc00, 0x801f, 0x0000, 0x83e0, 0x8000 | 1 << 10 | 2 << 5 | 3};
    static const double viscam_colours[][4] = {{1, 0, 0, 1}, {1, 0, 0, 1}, {0, 0, 1, 1},
                                               {0},          {0, 1, 0, 1}, {1 / 31.0, 2 / 31.0, 3 / 31.0, 1}};
    check_colours("x", 6, viscam, viscam_colours, 5);
    /* Materialise: bit 15 clear, red in the low bits, else the part's colour */
    static const unsigned materialise[] = {0x001f, 0x8000, 0xffff, 0x7c00, 0x03e0};
    static const double materialise_colours[][4] = {{1, 0, 0, 1},
                                                    {0x10 / 255.0, 0x20 / 255.0, 0x30 / 255.0, 0x40 / 255.0},
                                                    {0x10 / 255.0, 0x20 / 255.0, 0x30 / 255.0, 0x40 / 255.0},
                                                    {0, 0, 1, 1},
                                                    {0, 1, 0, 1}};
    check_colours("part COLOR=\x10\x20\x30\x40", 5, materialise, materialise_colours, 4);
    /* the same with a material, whose diffuse colour goes before */
    static const double diffuse[][4] = {{0x50 / 255.0, 0x60 / 255.0, 0x70 / 255.0, 1}};
    check_colours("COLOR=\x10\x20\x30\x40,MATERIAL=\x50\x60\x70\xff\1\1\1\1\2\2\2\2", 1, &materialise[1], diffuse, 1);
    /* MeshLab: no alpha, bit 15 set for a colour of its own, red in the low bits */
    static const unsigned meshlab[] = {0x801f, 0x0000, 0xfc00};
    static const double meshlab_colours[][4] = {{1, 0, 0, 1}, {127 / 255.0, 127 / 255.0, 127 / 255.0, 1}, {0, 0, 1, 1}};
    check_colours("COLOR=\x7f\x7f\x7f MATERIAL=\x7f\x7f\x7f \x7f\x7f\x7f \x7f\x7f\x7f ", 3, meshlab, meshlab_colours,
                  3);
    /* attributes of 0 throughout are no colours */
    static const unsigned zeros[] = {0, 0};
    static const double part[][4] = {{0x10 / 255.0, 0x20 / 255.0, 0x30 / 255.0, 1},
                                     {0x10 / 255.0, 0x20 / 255.0, 0x30 / 255.0, 1}};
    check_colours("COLOR=\x10\x20\x30\xff", 2, zeros, part, 1);
    /* an alpha of 0 was left unset */
    static const char unset[80] = "COLOR=\x10\x20\x30";
    check_colours(unset, 2, zeros, part, 1);
    check_colours("x", 2, zeros, part, 0);
    /* bits that mean nothing */
    static const unsigned junk[] = {1, 0x7fff};
    check_colours("x", 2, junk, part, 0);
    check_colours("COLOR=\x10\x20\x30\xff", 0, zeros, part, 0);
}

/* ---- memory ---- */

/* Fails the N-th allocation, for every N. */
static void fail_every_allocation(const void *bytes, size_t size)
{
    for (size_t limit = 1;; limit++) {
        struct counter counter = {.limit = limit};
        cp_allocator allocator = {counted_resize, &counter};
        cp_context *context = cp_context_new(&allocator);
        cp_status status = CP_LIMIT;
        if (context) {
            cp_scene *scene;
            status = cp_read_memory(context, bytes, size, "a.stl", NULL, NULL, 0, &scene);
            cp_scene_free(scene);
            cp_context_free(context);
        }
        assert_int_equal(counter.blocks, 0);
        assert_int_equal(counter.bytes, 0);
        if (counter.calls < limit) {
            assert_int_equal(status, CP_OK);
            assert_true(limit > 10);
            return;
        }
        assert_int_equal(status, CP_LIMIT);
    }
}

static void test_failing_allocations(void **state)
{
    (void)state;
    static const char text[] =
        "solid a\n" FACET "facet outer loop vertex 0 0 0 vertex 1 0 0 vertex 1 1 0 vertex 0 1 0 endloop endfacet\n"
        "endsolid\nsolid b\n" FACET "endsolid\n";
    fail_every_allocation(text, sizeof text - 1);
    struct bytes file = begin_binary("COLOR=\x10\x20\x30\xff", 3);
    for (unsigned i = 0; i < 3; i++)
        put_facet(&file, plain_facet, 100 * i);
    fail_every_allocation(file.data, file.size);
    free(file.data);
}

/* What a file promises costs nothing; what it holds costs a bounded number of bytes and allocations. */
static void test_hostile_sizes(void **state)
{
    (void)state;
    struct counter counter = {0};
    cp_allocator allocator = {counted_resize, &counter};
    cp_context *context = cp_context_new(&allocator);
    struct bytes file = begin_binary("x", 0xfffffffe);
    put_facet(&file, plain_facet, 0);
    read_bytes(context, file.data, file.size, NULL, CP_INPUT);
    assert_true(counter.largest < 1000000);
    free(file.data);
    cp_context_free(context);

    static const char solid[] = "solid\nendsolid\n";
    size_t size = 20000 * (sizeof solid - 1);
    char *text = malloc(size);
    for (size_t i = 0; i < 20000; i++)
        memcpy(text + i * (sizeof solid - 1), solid, sizeof solid - 1);
    counter = (struct counter){0};
    context = cp_context_new(&allocator);
    cp_scene_free(read_bytes(context, text, size, NULL, CP_OK));
    cp_context_free(context);
    assert_true(counter.largest < 40 * size);
    assert_true(counter.calls < 20000 * 12);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ascii_of_all_kinds),
        cmocka_unit_test(test_numbers_are_rounded_correctly),
        cmocka_unit_test(test_solids_become_nodes),
        cmocka_unit_test(test_polygons_stay_whole),
        cmocka_unit_test(test_oddities_are_counted),
        cmocka_unit_test(test_dialects),
        cmocka_unit_test(test_ends_of_solids),
        cmocka_unit_test(test_no_dialects),
        cmocka_unit_test(test_dialect_in_parts),
        cmocka_unit_test(test_missing_end),
        cmocka_unit_test(test_every_prefix_of_ascii),
        cmocka_unit_test(test_solid_in_a_binary_header),
        cmocka_unit_test(test_counts_and_sizes),
        cmocka_unit_test(test_not_finite_names_the_facet),
        cmocka_unit_test(test_equal_bits_are_joined),
        cmocka_unit_test(test_unit_and_axes_are_in_the_transform),
        cmocka_unit_test(test_colours),
        cmocka_unit_test(test_failing_allocations),
        cmocka_unit_test(test_hostile_sizes),
    };
    return cmocka_run_group_tests_name("stl read", tests, NULL, NULL);
}
