/* The STL exporter: bits, units, orientation, normals, names, files. */
#include <float.h>
#include <math.h>
#include <unistd.h>

#include "stl_support.h"

#include "scene_fixture.h" /* behind those whose arguments have its names */

/* ---- building and writing ---- */

/* A mesh of triangles whose corners are all different. */
static uint32_t add_triangles(const float *positions, uint32_t triangles)
{
    float *own = scratch(9 * (size_t)triangles, sizeof *own);
    uint32_t *corners = scratch(3 * (size_t)triangles, sizeof *corners);
    if (triangles)
        memcpy(own, positions, 9 * (size_t)triangles * sizeof *own);
    for (uint32_t i = 0; i < 3 * triangles; i++)
        corners[i] = i;
    cp_mesh mesh = {.kind = CP_MESH_FACES,
                    .vertex_count = 3 * triangles,
                    .corner_count = 3 * triangles,
                    .face_count = triangles,
                    .positions = own,
                    .corners = corners};
    return add_mesh_of(scene, &mesh);
}

static uint32_t add_part(const char *name, uint32_t mesh, uint32_t use, cp_pose transform)
{
    uint32_t node = add_node_at(scene, 0, name, NULL);
    add_instance_of(scene, node, mesh, use, &transform);
    return node;
}

static struct bytes write_scene(const char *const *list, cp_status expected)
{
    assert_int_equal(cp_scene_finish(scene), CP_OK);
    void *data;
    size_t size;
    cp_status status = cp_write_memory(context, scene, "stl", list, count_options(list), &data, &size);
    assert_int_equal(status, expected);
    struct bytes file = {NULL, 0};
    if (status == CP_OK) {
        put(&file, data, size);
        file.data[size] = '\0';
        cp_free(context, data, size);
    }
    return file;
}

static uint32_t facet_count(const struct bytes *file)
{
    uint32_t count;
    assert_true(file->size >= 84);
    memcpy(&count, file->data + 80, 4);
    assert_int_equal(file->size, 84 + 50 * (size_t)count);
    return count;
}

static void assert_facet(const struct bytes *file, uint32_t facet, const float expected[12])
{
    assert_true(facet < facet_count(file));
    assert_memory_equal(file->data + 84 + 50 * (size_t)facet, expected, 48);
}

static const float corner_triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};

/* ---- binary ---- */

static void test_header(void **state)
{
    (void)state;
    add_part("solid", add_triangles(corner_triangle, 1), CP_USE_BOTH, PLAIN_IDENTITY);
    struct bytes first = write_scene((options){NULL}, CP_OK), second = write_scene((options){NULL}, CP_OK);
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.data, second.data, first.size);
    assert_int_not_equal(strncmp((char *)first.data, "solid", 5), 0);
    assert_null(strstr((char *)first.data, "COLOR="));
    assert_int_equal(facet_count(&first), 1);
    assert_int_equal(first.data[84 + 48] | first.data[84 + 49], 0);
    free(first.data);
    free(second.data);
}

static void test_identity_copies_bits(void **state)
{
    (void)state;
    static const float odd[9] = {-0.0f, 1e-45f, FLT_MAX, 0, -FLT_MIN, 0.1f, -0.0f, -0.0f, 1};
    add_part("odd", add_triangles(odd, 1), CP_USE_BOTH, PLAIN_IDENTITY);
    struct bytes file = write_scene((options){NULL}, CP_OK);
    assert_memory_equal(file.data + 84 + 12, odd, sizeof odd);
    free(file.data);
}

/* What was read in a unit and with an axis up is written in them bit for bit, for every unit that there is. */
static void test_source_frame_cancels(void **state)
{
    (void)state;
    static const char *const units[] = {"m", "mm", "cm", "in", "ft", "0.3", "1e-9", "123.456"};
    struct bytes file = begin_binary("x", 200);
    uint32_t random = 1;
    for (int i = 0; i < 200; i++) {
        float values[12] = {0};
        for (int k = 3; k < 12; k++) {
            random = random * 1664525 + 1013904223;
            uint32_t bits = (random & 0x807fffff) | (64 + (random >> 5 & 127)) << 23;
            memcpy(values + k, &bits, 4);
        }
        put_facet(&file, values, 0);
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        for (int up = 0; up < 2; up++) {
            char unit[32], written_unit[32];
            snprintf(unit, sizeof unit, "unit=%s", units[i]);
            snprintf(written_unit, sizeof written_unit, "unit=%s", i < 5 && up ? units[i] : "source");
            cp_scene *read = read_bytes(context, file.data, file.size, (options){unit, up ? "up=y" : "up=z"}, CP_OK);
            const char *list[] = {"up=source", written_unit};
            for (size_t count = 1; count <= 2; count++) { /* without a unit it is the file's, too */
                void *data;
                size_t size;
                assert_int_equal(cp_write_memory(context, read, "stl", list, count, &data, &size), CP_OK);
                assert_int_equal(size, file.size);
                for (size_t f = 0; f < 200; f++)
                    assert_memory_equal((unsigned char *)data + 84 + 50 * f + 12, file.data + 84 + 50 * f + 12, 36);
                cp_free(context, data, size);
            }
            cp_scene_free(read);
        }
    free(file.data);
}

static void test_unit_and_axes(void **state)
{
    (void)state;
    add_part("a", add_triangles((const float[9]){1, 2, 3, 2, 2, 3, 1, 4, 3}, 1), CP_USE_BOTH, PLAIN_IDENTITY);
    struct bytes file = write_scene((options){"unit=mm", "up=y"}, CP_OK);
    /* (x, y, z) with z up is (x, z, -y) with y up */
    assert_facet(&file, 0, (const float[12]){0, 1, 0, 1000, 3000, -2000, 2000, 3000, -2000, 1000, 3000, -4000});
    free(file.data);
}

static void test_poses_and_joints(void **state)
{
    (void)state;
    const cp_pose away = plain_translation(10, 0, 0);
    uint32_t arm = add_node_at(scene, add_node_at(scene, 0, "base", &away), "arm", NULL);
    cp_joint joint = cp_new_joint();
    joint.node = arm;
    joint.type = CP_JOINT_PRISMATIC;
    joint.q = 4;
    assert_int_equal(cp_add_joint(scene, &joint), 0);
    cp_pose lifted = plain_translation(0, 5, 0);
    add_instance_of(scene, arm, add_triangles(corner_triangle, 1), CP_USE_BOTH, &lifted);
    struct bytes file = write_scene((options){NULL}, CP_OK);
    assert_facet(&file, 0, (const float[12]){0, 0, 1, 10, 5, 4, 11, 5, 4, 10, 6, 4});
    free(file.data);
}

static void test_mirrored_keeps_its_outside(void **state)
{
    (void)state;
    uint32_t mesh = add_triangles(corner_triangle, 1);
    add_part("mirrored", mesh, CP_USE_BOTH, plain_scaling(1, 1, -1));
    add_part("turned", mesh, CP_USE_BOTH, plain_scaling(-1, -1, 1));
    add_part("flat", mesh, CP_USE_BOTH, plain_scaling(1, 0, 1));
    struct bytes file = write_scene((options){NULL}, CP_OK);
    assert_int_equal(facet_count(&file), 3);
    static const float normals[3][3] = {{0, 0, -1}, {0, 0, 1}, {0, 0, 0}};
    for (int i = 0; i < 3; i++)
        assert_memory_equal(file.data + 84 + 50 * i, normals[i], 12);
    /* 0 0 0, 0 1 -0, 1 0 -0: reversed from the first corner on */
    float second[3];
    memcpy(second, file.data + 84 + 24, 12);
    assert_true(second[0] == 0 && second[1] == 1 && second[2] == 0);
    free(file.data);
}

static void test_normals(void **state)
{
    (void)state;
    static const float triangles[] = {
        0,      0,      0, 1,     0,      0, 0,      1,     0,      /* z */
        0,      0,      0, 0,     1,      0, 1,      0,     0,      /* -z */
        1,      0,      0, 0,     1,      0, 0,      0,     1,      /* diagonal */
        1,      1,      1, 2,     2,      2, 4,      4,     4,      /* none */
        1,      1,      1, 1,     1,      1, 2,      3,     4,      /* none */
        1e-45f, 0,      0, 0,     1e-45f, 0, 0,      0,     1e-45f, /* as small as can be */
        3e38f,  0,      0, 0,     3e38f,  0, 0,      0,     3e38f,  /* as large as can be */
        -3e38f, -3e38f, 0, 3e38f, -3e38f, 0, -3e38f, 3e38f, 0,
    };
    const float third = (float)(1 / sqrt(3));
    static float normals[8][3] = {{0, 0, 1}, {0, 0, -1}, {0}, {0, 0, 0}, {0, 0, 0}, {0}, {0}, {0, 0, 1}};
    for (int i = 2; i < 7; i++)
        for (int k = 0; k < 3; k++)
            normals[i][k] = i == 3 || i == 4 ? 0 : third;
    add_part("a", add_triangles(triangles, 8), CP_USE_BOTH, PLAIN_IDENTITY);
    struct bytes file = write_scene((options){NULL}, CP_OK);
    for (int i = 0; i < 8; i++)
        assert_memory_equal(file.data + 84 + 50 * i, normals[i], 12);
    free(file.data);
}

/* Facets of zero bytes are what a power loss leaves of a file: those of a shape without a size at the origin must not
 * be taken for that. */
static void test_no_facet_is_zero_bytes(void **state)
{
    static const float nothing[9 * 12];
    static const float expected[12] = {0, 0, 1};
    (void)state;
    add_part("nothing", add_triangles(nothing, 12), CP_USE_BOTH, PLAIN_IDENTITY);
    struct bytes file = write_scene((options){NULL}, CP_OK);
    assert_int_equal(facet_count(&file), 12);
    for (uint32_t i = 0; i < 12; i++)
        assert_facet(&file, i, expected);
    cp_scene *again;
    expect_status(context, cp_read_memory(context, file.data, file.size, "again.stl", NULL, NULL, 0, &again), CP_OK);
    cp_scene_free(again);
    free(file.data);
}

static void test_beyond_single_precision(void **state)
{
    (void)state;
    add_part("far away", add_triangles((const float[9]){0, 0, 0, 1e30f, 0, 0, 0, 1e36f, 0}, 1), CP_USE_BOTH,
             PLAIN_IDENTITY);
    struct bytes file = write_scene((options){"unit=cm"}, CP_OK);
    free(file.data);
    write_scene((options){"unit=mm"}, CP_OUTPUT);
    assert_string_equal(find_entry(context, "stl-range")->node, "far away");
}

static void test_too_many_facets(void **state)
{
    (void)state;
    /* 65,536 x 65,536 facets: one more than a count can say */
    uint32_t *corners = scratch(3 * 65536, sizeof *corners);
    memset(corners, 0, 3 * 65536 * sizeof *corners);
    static const float origin[3] = {0};
    cp_mesh mesh = {.kind = CP_MESH_FACES,
                    .vertex_count = 1,
                    .face_count = 65536,
                    .corner_count = 3 * 65536,
                    .positions = origin,
                    .corners = corners};
    uint32_t index = add_mesh_of(scene, &mesh), node = add_node_at(scene, 0, "many", NULL);
    for (int i = 0; i < 65536; i++)
        add_instance_of(scene, node, index, CP_USE_BOTH, &PLAIN_IDENTITY);
    write_scene((options){NULL}, CP_LIMIT);
    assert_non_null(find_entry(context, "stl-large"));
}

static void test_use(void **state)
{
    (void)state;
    uint32_t mesh = add_triangles(corner_triangle, 1);
    add_part("drawn", mesh, CP_USE_DRAWN, plain_translation(1, 0, 0));
    add_part("collision", mesh, CP_USE_COLLISION, plain_translation(2, 0, 0));
    add_part("both", mesh, CP_USE_BOTH, plain_translation(3, 0, 0));
    static const struct {
        const char *option;
        uint32_t count;
        float x[3];
        bool lost;
    } cases[] = {{NULL, 2, {1, 3}, true},
                 {"use=drawn", 2, {1, 3}, true},
                 {"use=collision", 2, {2, 3}, true},
                 {"use=both", 3, {1, 2, 3}, false}};
    for (int i = 0; i < 4; i++) {
        cp_report_clear(context);
        struct bytes file = write_scene((options){cases[i].option}, CP_OK);
        assert_int_equal(facet_count(&file), cases[i].count);
        for (uint32_t f = 0; f < cases[i].count; f++) {
            const float x = cases[i].x[f];
            assert_facet(&file, f, (const float[12]){0, 0, 1, x, 0, 0, x + 1, 0, 0, x, 1, 0});
        }
        assert_int_equal(find_entry(context, "stl-left-out") != NULL, cases[i].lost);
        free(file.data);
    }
}

static void test_polygons_and_primitives_become_triangles(void **state)
{
    (void)state;
    static const float square[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    static const uint32_t corners[4] = {0, 1, 2, 3}, offsets[2] = {0, 4};
    cp_mesh quad = {.kind = CP_MESH_FACES,
                    .vertex_count = 4,
                    .face_count = 1,
                    .corner_count = 4,
                    .positions = square,
                    .corners = corners,
                    .face_offsets = offsets};
    cp_mesh box = {.kind = CP_MESH_BOX, .size = {1, 2, 3}};
    cp_mesh lines = {.kind = CP_MESH_LINES,
                     .vertex_count = 4,
                     .face_count = 1,
                     .corner_count = 4,
                     .positions = square,
                     .corners = corners,
                     .face_offsets = offsets};
    add_part("quad", add_mesh_of(scene, &quad), CP_USE_BOTH, PLAIN_IDENTITY);
    add_part("box", add_mesh_of(scene, &box), CP_USE_BOTH, PLAIN_IDENTITY);
    add_part("lines", add_mesh_of(scene, &lines), CP_USE_BOTH, PLAIN_IDENTITY);
    struct bytes file = write_scene((options){NULL}, CP_OK);
    assert_int_equal(facet_count(&file), 2 + 12);
    assert_facet(&file, 0, (const float[12]){0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 1, 0});
    assert_facet(&file, 1, (const float[12]){0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 0});
    assert_non_null(find_entry(context, "loss-lines"));
    free(file.data);
}

/* ---- colours ---- */

static void test_colours(void **state)
{
    (void)state;
    uint32_t mesh = add_triangles((const float[36]){0}, 4);
    uint32_t red = add_colour(scene, "red", (const double[4]){1, 0, 0, 1}, true);
    uint32_t grey = add_colour(scene, "linear grey", (const double[4]){0.2, 0.2, 0.2, 0.5}, false);
    const cp_group groups[] = {{0, 1, red}, {1, 2, grey}, {3, 1, CP_NONE}};
    add_part("a", mesh, CP_USE_BOTH, PLAIN_IDENTITY);
    struct draft draft = draft_of(scene);
    draft.meshes[mesh].groups = groups;
    draft.meshes[mesh].group_count = 3;
    scene = built_again(&draft, context);
    struct bytes file = write_scene((options){"colours=yes"}, CP_OK);
    /* linear 0.2 is sRGB 0.4845, 15.02 of 31 */
    static const unsigned expected[4] = {0xfc00, 0x8000 | 15 << 10 | 15 << 5 | 15, 0x8000 | 15 << 10 | 15 << 5 | 15, 0};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(file.data[84 + 50 * i + 48] | file.data[84 + 50 * i + 49] << 8, expected[i]);
    assert_int_equal(find_entry(context, "stl-colours")->count, 1);
    assert_null(find_entry(context, "loss-colours"));
    free(file.data);
    file = write_scene((options){NULL}, CP_OK);
    assert_non_null(find_entry(context, "loss-colours"));
    free(file.data);
}

/* ---- ASCII ---- */

static void test_ascii(void **state)
{
    (void)state;
    uint32_t mesh = add_triangles((const float[9]){0.1f, -0.0f, 0, 1e-7f, 0, 0, 0.1f, 16777216, 0}, 1);
    add_part("first part", mesh, CP_USE_BOTH, PLAIN_IDENTITY);
    add_part(" two\nlines\t", add_triangles(NULL, 0), CP_USE_BOTH, plain_translation(1, 0, 0));
    struct bytes file = write_scene((options){"format=ascii"}, CP_OK);
    assert_string_equal((char *)file.data, "solid first part\n"
                                           "  facet normal 0 0 -1\n"
                                           "    outer loop\n"
                                           "      vertex 0.1 -0 0\n"
                                           "      vertex 1e-7 0 0\n"
                                           "      vertex 0.1 16777216 0\n"
                                           "    endloop\n"
                                           "  endfacet\n"
                                           "endsolid first part\n"
                                           "solid two lines \n"
                                           "endsolid two lines \n");
    assert_int_equal(find_entry(context, "stl-names")->count, 1);
    assert_null(find_entry(context, "loss-names"));
    free(file.data);
}

static void test_nothing_to_write(void **state)
{
    (void)state;
    struct bytes file = write_scene((options){"format=ascii"}, CP_OK);
    cp_scene *back = read_bytes(context, file.data, file.size, NULL, CP_OK);
    cp_scene_free(back);
    free(file.data);
    file = write_scene((options){NULL}, CP_OK);
    assert_int_equal(facet_count(&file), 0);
    free(file.data);
}

/* ---- files ---- */

static void assert_file(const char *name, float x)
{
    size_t size;
    char *content = read_whole(path_of(name), &size);
    assert_non_null(content);
    assert_int_equal(size, 134);
    assert_memory_equal(content + 84 + 12, &x, 4);
    free(content);
    assert_int_equal(unlink(path_of(name)), 0);
}

static void test_split(void **state)
{
    (void)state;
    uint32_t mesh = add_triangles(corner_triangle, 1);
    add_part("first", mesh, CP_USE_BOTH, plain_translation(1, 0, 0));
    uint32_t twice = add_part("a b/../c", mesh, CP_USE_BOTH, plain_translation(2, 0, 0));
    cp_pose moved = plain_translation(3, 0, 0);
    add_instance_of(scene, twice, mesh, CP_USE_BOTH, &moved);
    add_part("hull", mesh, CP_USE_COLLISION, plain_translation(4, 0, 0));
    assert_int_equal(cp_scene_finish(scene), CP_OK);
    assert_int_equal(open_folder(NULL), 0);
    const char *list[] = {"split=yes"};
    assert_int_equal(cp_write(context, scene, path_of("out.stl"), NULL, list, 1), CP_OK);
    assert_file("out.stl", 1);
    assert_file("out_a_b____c.stl", 2);
    assert_file("out_a_b____c_2.stl", 3);
    assert_int_equal(rmdir(folder_path()), 0); /* nothing else is there */
}

static void test_split_needs_a_file(void **state)
{
    (void)state;
    uint32_t mesh = add_triangles(corner_triangle, 1);
    add_part("first", mesh, CP_USE_BOTH, PLAIN_IDENTITY);
    struct bytes file = write_scene((options){"split=yes"}, CP_OK); /* one part fits into a stream */
    assert_int_equal(facet_count(&file), 1);
    free(file.data);
    add_part("second", mesh, CP_USE_BOTH, PLAIN_IDENTITY);
    write_scene((options){"split=yes"}, CP_USAGE);
}

/* ---- memory ---- */

/* Fails the N-th allocation of writing, for every N; the scene stays as it is. */
static void test_failing_allocations(void **state)
{
    (void)state;
    struct counter counter = {0};
    cp_allocator allocator = {counted_resize, &counter};
    cp_context *counted = cp_context_new(&allocator);
    struct bytes file = begin_binary("x", 2);
    put_facet(&file, plain_facet, 0xfc00);
    put_facet(&file, plain_facet, 0x801f);
    cp_scene *read = read_bytes(counted, file.data, file.size, (options){"unit=mm"}, CP_OK);
    cp_status status = CP_LIMIT;
    for (size_t limit = 1; status == CP_LIMIT; limit++) {
        size_t blocks = counter.blocks, before = counter.calls;
        counter.limit = before + limit;
        const char *list[] = {limit % 2 ? "format=ascii" : "format=binary", "colours=yes"};
        void *bytes;
        size_t size;
        status = cp_write_memory(counted, read, "stl", list, 2, &bytes, &size);
        counter.limit = 0;
        assert_int_equal(status, counter.calls < before + limit ? CP_OK : CP_LIMIT);
        if (status == CP_OK)
            cp_free(counted, bytes, size);
        cp_report_clear(counted);
        assert_true(counter.blocks <= blocks + 4); /* the report's own tables may have grown */
        assert_int_equal(cp_validate(counted, read), CP_OK);
        assert_true(status == CP_LIMIT || limit > 5);
    }
    cp_scene_free(read);
    cp_context_free(counted);
    assert_int_equal(counter.blocks, 0);
    assert_int_equal(counter.bytes, 0);
    free(file.data);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_header),
        TEST(test_identity_copies_bits),
        TEST(test_source_frame_cancels),
        TEST(test_unit_and_axes),
        TEST(test_poses_and_joints),
        TEST(test_mirrored_keeps_its_outside),
        TEST(test_normals),
        TEST(test_no_facet_is_zero_bytes),
        TEST(test_beyond_single_precision),
        TEST(test_too_many_facets),
        TEST(test_use),
        TEST(test_polygons_and_primitives_become_triangles),
        TEST(test_colours),
        TEST(test_ascii),
        TEST(test_nothing_to_write),
        TEST(test_split),
        TEST(test_split_needs_a_file),
        TEST(test_failing_allocations),
    };
    return cmocka_run_group_tests_name("stl write", tests, NULL, NULL);
}
