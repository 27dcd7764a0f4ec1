/* Outputs that are made in chunks by several threads: the text and bytes that they should be, for any number of
 * threads; and whatever fails or is cancelled on the way leaves nothing behind. */
#include <math.h>

#include "plain_numbers.h"
#include "stl_support.h"

enum { COLUMNS = 160, ROWS = 140, FACES = 2 * COLUMNS * ROWS, POLYGON = 40000, GROUPS = 3 };

static const uint32_t group_starts[GROUPS + 1] = {0, 10000, 30001, FACES};
static const double colours[GROUPS][4] = {{1, 0, 0, 1}, {0, 1, 0, 1}, {0, 0, 1, 1}};
static const uint32_t attributes[GROUPS] = {0x8000 | 31 << 10, 0x8000 | 31 << 5, 0x8000 | 31};

/* ---- a scene ---- */

/* A sheet of quarters and halves, each of its cells two triangles: what it looks like in text is known. */
static void make_sheet(float *positions, uint32_t *corners)
{
    for (uint32_t row = 0; row <= ROWS; row++)
        for (uint32_t column = 0; column <= COLUMNS; column++) {
            *positions++ = 0.25f * (float)(column + 1);
            *positions++ = -0.5f * (float)row;
            *positions++ = 0;
        }
    for (uint32_t row = 0; row < ROWS; row++)
        for (uint32_t column = 0; column < COLUMNS; column++) {
            uint32_t a = row * (COLUMNS + 1) + column, b = a + 1, c = b + COLUMNS + 1, d = c - 1;
            memcpy(corners, (const uint32_t[6]){a, c, b, a, d, c}, 6 * sizeof *corners);
            corners += 6;
        }
}

static uint32_t add_sheet(cp_scene *scene)
{
    cp_mesh mesh = {.kind = CP_MESH_FACES, .vertex_count = (COLUMNS + 1) * (ROWS + 1), .corner_count = 3 * FACES};
    float *positions = scratch(mesh.vertex_count, 3 * sizeof *positions);
    uint32_t *corners = scratch(mesh.corner_count, sizeof *corners);
    cp_group *groups = scratch(GROUPS, sizeof *groups);
    make_sheet(positions, corners);
    for (uint32_t i = 0; i < GROUPS; i++) {
        uint32_t material = add_colour(scene, "colour", colours[i], true);
        groups[i] = (cp_group){group_starts[i], group_starts[i + 1] - group_starts[i], material};
    }
    mesh.face_count = FACES;
    mesh.group_count = GROUPS;
    mesh.positions = positions;
    mesh.corners = corners;
    mesh.groups = groups;
    return add_mesh_of(scene, &mesh);
}

/* A comb: one face whose corners are the vertices in their order, then a triangle. */
static uint32_t add_comb(cp_scene *scene)
{
    cp_mesh mesh = {.kind = CP_MESH_FACES, .vertex_count = POLYGON, .corner_count = POLYGON + 3, .face_count = 2};
    float *positions = scratch(mesh.vertex_count, 3 * sizeof *positions);
    uint32_t *corners = scratch(mesh.corner_count, sizeof *corners);
    uint32_t *offsets = scratch(3, sizeof *offsets);
    for (uint32_t i = 0; i < POLYGON; i++) {
        const float position[3] = {(float)i, (float)(i % 2 + i / (POLYGON - 1)), 0};
        memcpy(positions + 3 * i, position, sizeof position);
        corners[i] = i;
    }
    memcpy(corners + POLYGON, (const uint32_t[3]){0, 1, 2}, 3 * sizeof *corners);
    memcpy(offsets, (const uint32_t[3]){0, POLYGON, POLYGON + 3}, 3 * sizeof *offsets);
    mesh.positions = positions;
    mesh.corners = corners;
    mesh.face_offsets = offsets;
    return add_mesh_of(scene, &mesh);
}

/* The sheet as it is and mirrored, or the comb. */
static cp_scene *make_scene(cp_context *context, bool comb)
{
    cp_scene *scene = cp_scene_new(context);
    cp_pose as_it_is = PLAIN_IDENTITY, mirrored = PLAIN_IDENTITY;
    mirrored.m[0] = -1;
    uint32_t mesh = comb ? add_comb(scene) : add_sheet(scene);
    add_instance_of(scene, add_node_at(scene, 0, "one", NULL), mesh, CP_USE_BOTH, &as_it_is);
    if (!comb)
        add_instance_of(scene, add_node_at(scene, 0, "two", NULL), mesh, CP_USE_BOTH, &mirrored);
    assert_int_equal(cp_scene_finish(scene), CP_OK);
    return scene;
}

/* ---- what is expected ---- */

/* A text that is printed piece by piece, with a point in numbers; it ends with NUL. */
struct text {
    FILE *stream;
    struct bytes file;
    char *data;
};

static void begin_text(struct text *text)
{
    text->stream = open_memstream(&text->data, &text->file.size);
    assert_non_null(text->stream);
}

static void print_numbers(struct text *text, const char *format, double a, double b, double c)
{
    IN_PLAIN_LOCALE(assert_true(fprintf(text->stream, format, a, b, c) >= 0));
}

static struct bytes end_text(struct text *text)
{
    assert_int_equal(fclose(text->stream), 0);
    text->file.data = (unsigned char *)text->data;
    return text->file;
}

/* Facets in the order of the faces; those of a mirrored sheet run the other way round. */
static void list_facet(const cp_scene *scene, uint32_t face, bool mirrored, float values[12])
{
    uint32_t count;
    const cp_mesh *mesh = cp_meshes(scene, &count);
    memcpy(values, (const float[3]){0, 0, 1}, 3 * sizeof *values);
    for (uint32_t i = 0; i < 3; i++) {
        const float *from = mesh->positions + 3 * (size_t)mesh->corners[3 * face + (mirrored && i ? 3 - i : i)];
        const float to[3] = {mirrored ? -from[0] : from[0], from[1] + 0.0f, from[2]};
        memcpy(values + 3 + 3 * i, mirrored ? to : from, sizeof to);
    }
}

static struct bytes expect_ascii(const cp_scene *scene)
{
    struct text file;
    begin_text(&file);
    for (int mirrored = 0; mirrored < 2; mirrored++) {
        print_numbers(&file, mirrored ? "solid two\n" : "solid one\n", 0, 0, 0);
        for (uint32_t face = 0; face < FACES; face++) {
            float v[12];
            list_facet(scene, face, mirrored, v);
            print_numbers(&file, "  facet normal %g %g %g\n    outer loop\n", (double)v[0], (double)v[1], (double)v[2]);
            for (int i = 3; i < 12; i += 3)
                print_numbers(&file, "      vertex %g %g %g\n", (double)v[i], (double)v[i + 1], (double)v[i + 2]);
            print_numbers(&file, "    endloop\n  endfacet\n", 0, 0, 0);
        }
        print_numbers(&file, mirrored ? "endsolid two\n" : "endsolid one\n", 0, 0, 0);
    }
    return end_text(&file);
}

static struct bytes expect_binary(const cp_scene *scene)
{
    struct bytes file = begin_binary("STL binary by cellpipe, unit in m: 1, up: z", 2 * FACES);
    file.data = realloc(file.data, 84 + 2 * FACES * 50);
    for (int mirrored = 0; mirrored < 2; mirrored++)
        for (uint32_t face = 0, group = 0; face < FACES; face++) {
            float values[12];
            group += face == group_starts[group + 1];
            list_facet(scene, face, mirrored, values);
            memcpy(file.data + file.size, values, sizeof values);
            file.data[file.size + 48] = (unsigned char)(attributes[group] & 0xff);
            file.data[file.size + 49] = (unsigned char)(attributes[group] >> 8);
            file.size += 50;
        }
    return file;
}

/* ---- writing ---- */

static struct bytes write_with(cp_context *context, const cp_scene *scene, const char *format, const char *const *list)
{
    struct bytes file = {NULL, 0};
    void *data;
    size_t size;
    assert_int_equal(cp_write_memory(context, scene, format, list, count_options(list), &data, &size), CP_OK);
    put(&file, data, size);
    file.data[size] = '\0';
    cp_free(context, data, size);
    return file;
}

static void expect_for_any_threads(cp_context *context, const cp_scene *scene, const char *format,
                                   const char *const *list, struct bytes expected)
{
    for (uint32_t threads = 1; threads <= 40; threads = threads < 5 ? threads + 1 : threads + 35) {
        assert_int_equal(cp_set_threads(context, threads), CP_OK);
        struct bytes file = write_with(context, scene, format, list);
        assert_int_equal(file.size, expected.size);
        assert_true(memcmp(file.data, expected.data, expected.size) == 0);
        free(file.data);
    }
    free(expected.data);
}

static void test_stl(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = make_scene(context, false);
    expect_for_any_threads(context, scene, "stl", (options){"format=ascii", NULL}, expect_ascii(scene));
    expect_for_any_threads(context, scene, "stl", (options){"colours=yes", NULL}, expect_binary(scene));
    cp_scene_free(scene);
    cp_context_free(context);
}

/* ---- VRML97 ---- */

static void expect_part(const struct bytes *file, struct text *part)
{
    struct bytes expected = end_text(part);
    assert_non_null(strstr((const char *)file->data, (const char *)expected.data));
    free(expected.data);
}

static void expect_points(const struct bytes *file, const cp_mesh *mesh, bool mirrored)
{
    struct text points;
    begin_text(&points);
    print_numbers(&points, "Coordinate { point [\n", 0, 0, 0);
    for (const float *at = mesh->positions; at < mesh->positions + 3 * (size_t)mesh->vertex_count; at += 3)
        print_numbers(&points, "%g %g %g\n", (double)(mirrored ? -at[0] : at[0]), (double)(mirrored ? -at[1] : at[1]),
                      (double)(mirrored ? -at[2] : at[2]));
    expect_part(file, &points);
}

static void expect_triangles(const struct bytes *file, const cp_mesh *mesh, const cp_group *group, bool mirrored)
{
    struct text faces;
    begin_text(&faces);
    print_numbers(&faces, "coordIndex [\n", 0, 0, 0);
    for (uint32_t face = group->first_face; face < group->first_face + group->face_count; face++) {
        const uint32_t *corners = mesh->corners + 3 * (size_t)face;
        print_numbers(&faces, "%.0f %.0f %.0f -1\n", corners[0], corners[mirrored ? 2 : 1], corners[mirrored ? 1 : 2]);
    }
    expect_part(file, &faces);
}

static void test_vrml97(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = make_scene(context, false);
    uint32_t count;
    const cp_mesh *mesh = cp_meshes(scene, &count);
    struct bytes file = write_with(context, scene, "vrml97", NULL);
    for (int mirrored = 0; mirrored < 2; mirrored++) {
        expect_points(&file, mesh, mirrored);
        for (uint32_t i = 0; i < GROUPS; i++)
            expect_triangles(&file, mesh, &mesh->groups[i], mirrored);
    }
    expect_for_any_threads(context, scene, "vrml97", NULL, file);
    cp_scene_free(scene);
    cp_context_free(context);
}

/* The corners of one face in several chunks. */
static void test_large_polygon(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = make_scene(context, true);
    struct bytes file = write_with(context, scene, "vrml97", NULL);
    struct text faces;
    begin_text(&faces);
    print_numbers(&faces, "coordIndex [\n", 0, 0, 0);
    for (uint32_t i = 0; i < POLYGON; i++)
        print_numbers(&faces, "%.0f ", i, 0, 0);
    print_numbers(&faces, "-1\n0 1 2 -1\n", 0, 0, 0);
    expect_part(&file, &faces);
    expect_for_any_threads(context, scene, "vrml97", NULL, file);
    cp_scene_free(scene);
    cp_context_free(context);
}

/* ---- failures ---- */

static const struct output {
    const char *format, *option;
} outputs[] = {{"stl", "format=ascii"}, {"stl", "format=binary"}, {"vrml97", NULL}};

static cp_status try_output(cp_context *context, const cp_scene *scene, const struct output *output)
{
    void *data;
    size_t size;
    cp_status status =
        cp_write_memory(context, scene, output->format, &output->option, output->option != NULL, &data, &size);
    if (status == CP_OK)
        cp_free(context, data, size);
    return status;
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        struct counter counter = {0};
        cp_context *context = cp_context_new(&(cp_allocator){counted_resize, &counter});
        assert_int_equal(cp_set_threads(context, 3), CP_OK);
        cp_scene *scene = make_scene(context, false);
        cp_status status = CP_LIMIT;
        size_t rounds = 0;
        for (; status == CP_LIMIT; rounds++) {
            cp_report_clear(context);
            counter.limit = counter.calls + rounds + 1;
            status = try_output(context, scene, &outputs[i]);
            counter.limit = 0;
            assert_int_equal(status == CP_LIMIT, find_entry(context, "out-of-memory") != NULL);
        }
        assert_int_equal(status, CP_OK);
        assert_true(rounds > 10);
        cp_scene_free(scene);
        cp_context_free(context);
        assert_int_equal(counter.blocks, 0);
    }
}

struct patience {
    size_t asked, enough;
};

static bool is_cancelled(void *user)
{
    struct patience *patience = user;
    return ++patience->asked > patience->enough;
}

static void test_cancelled(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        struct counter counter = {0};
        cp_context *context = cp_context_new(&(cp_allocator){counted_resize, &counter});
        assert_int_equal(cp_set_threads(context, 3), CP_OK);
        cp_scene *scene = make_scene(context, false);
        cp_status status = CP_CANCELLED;
        size_t rounds = 0;
        for (; status == CP_CANCELLED; rounds++) {
            struct patience patience = {.enough = 3 * rounds};
            cp_set_cancel(context, is_cancelled, &patience);
            status = try_output(context, scene, &outputs[i]);
            cp_set_cancel(context, NULL, NULL);
            cp_report_clear(context);
        }
        assert_int_equal(status, CP_OK);
        assert_true(rounds > 10);
        cp_scene_free(scene);
        cp_context_free(context);
        assert_int_equal(counter.blocks, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stl),           cmocka_unit_test(test_vrml97),
        cmocka_unit_test(test_large_polygon), cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
