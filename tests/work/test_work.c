/* Twice as much of a hostile shape is little more than twice as much work, counted in basic blocks of the code that
 * works on meshes. */
#include "../../exporters/gltf/web/web.h"

#include <stdlib.h>

#include "collide/hull/hull.h"
#include "mesh/mesh.h"
#include "mesh/simplify/simplify.h"
#include "mesh_builder.h"
#include "scene_fixture.h"

enum { FEW = 1600 };

/* Growth shows in small shapes, too. */
static uint32_t small_count(void)
{
    return getenv("CELLPIPE_LONG") ? 20000 : 5000;
}
/* n log n, and what goes in steps of powers of two. */
static const double most_growth = 2.5;

static uint64_t blocks;

void __sanitizer_cov_trace_pc(void); /* what the compiler calls; the tests run in one thread */
void __sanitizer_cov_trace_pc(void)
{
    blocks++;
}

/* ---- shapes of about `count` faces ---- */

static void add_triangle(struct builder *builder, uint32_t a, uint32_t b, uint32_t c)
{
    add_face(builder, (const uint32_t[]){a, b, c}, 3);
}

/* Squares, however many: long strips would meet more faces of a simplified surface, the more they are. */
static void make_torus(struct builder *builder, uint32_t count)
{
    uint32_t rings = (uint32_t)sqrt(count);
    add_torus(builder, rings, rings / 2);
}

/* A cone: one vertex with all faces. */
static void make_hub(struct builder *builder, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        (void)add_vertex(builder, cos(2 * PI * i / count), sin(2 * PI * i / count), 0.1 * sin(20 * PI * i / count));
    uint32_t hub = add_vertex(builder, 0, 0, 1);
    for (uint32_t i = 0; i < count; i++)
        add_triangle(builder, hub, i, (i + 1) % count);
}

static void make_equal_points(struct builder *builder, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        (void)add_vertex(builder, 1, 2, i % 2 ? 0.0 : -0.0);
    for (uint32_t i = 0; i + 2 < count; i++)
        add_triangle(builder, i, i + 1, i + 2);
}

/* No face has an area. */
static void make_line(struct builder *builder, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        (void)add_vertex(builder, i, i, i);
    for (uint32_t i = 0; i + 2 < count; i++)
        add_triangle(builder, i, i + 1, i + 2);
}

static void add_noise(struct builder *builder, struct random *random, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        (void)add_vertex(builder, random_unit(random), random_unit(random), random_unit(random));
}

/* All faces at one edge. */
static void make_book(struct builder *builder, uint32_t count)
{
    struct random random = {7};
    add_noise(builder, &random, count);
    for (uint32_t i = 2; i < count; i++)
        add_triangle(builder, i % 2, 1 - i % 2, i);
}

/* No order at all, and fifty vertices with most faces. */
static void make_noise(struct builder *builder, uint32_t count)
{
    struct random random = {8};
    add_noise(builder, &random, count);
    for (uint32_t i = 0; i < count; i++)
        add_triangle(builder, random_bits(&random) % count, random_bits(&random) % count, random_bits(&random) % 50);
}

static const struct {
    const char *name;
    void (*make)(struct builder *builder, uint32_t count);
} shapes[] = {
    {"torus", make_torus}, {"hub", make_hub},   {"equal points", make_equal_points},
    {"line", make_line},   {"book", make_book}, {"noise", make_noise},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* ---- work ---- */

typedef void mesh_work(cp_mesh *mesh);

static void simplify_as(cp_mesh *mesh, bool fast)
{
    struct simplify_goal goal = {.triangles = mesh->face_count / 10, .error = INFINITY, .fast = fast};
    struct simplify_result result;
    assert_int_equal(mesh_simplify(scene, mesh, &goal, &result), CP_OK);
    assert_int_equal(result.triangles, mesh_triangle_count(mesh));
}

static void simplify_best(cp_mesh *mesh)
{
    simplify_as(mesh, false);
}

static void simplify_fast(cp_mesh *mesh)
{
    simplify_as(mesh, true);
}

static void smooth_normals(cp_mesh *mesh)
{
    assert_int_equal(mesh_smooth_normals(scene, mesh, 0.5), CP_OK);
}

static void find_topology(cp_mesh *mesh)
{
    cp_topology topology = {.size = sizeof topology};
    assert_int_equal(cp_mesh_topology(context, mesh, &topology), CP_OK);
}

static uint64_t blocks_of(mesh_work *work, int shape, uint32_t count)
{
    struct builder builder = {0};
    shapes[shape].make(&builder, count);
    cp_mesh mesh = mesh_of(&builder);
    blocks = 0;
    work(&mesh);
    free_builder(&builder);
    return blocks;
}

static void expect_growth(const char *name, uint64_t once, uint64_t twice)
{
    double growth = (double)twice / (double)once;
    print_message("%-14s %12llu blocks, twice as much: %.2f times\n", name, (unsigned long long)once, growth);
    assert_true(once >= small_count() / 2); /* the counter counts */
    assert_true(growth < most_growth);
}

static void expect_linear(mesh_work *work)
{
    assert_int_equal(cp_set_threads(context, 1), CP_OK);
    for (int shape = 0; shape < SHAPES; shape++)
        expect_growth(shapes[shape].name, blocks_of(work, shape, small_count()),
                      blocks_of(work, shape, 2 * small_count()));
}

/* ---- tests ---- */

static void test_simplify(void **unused)
{
    (void)unused;
    expect_linear(simplify_best);
}

static void test_simplify_fast(void **unused)
{
    (void)unused;
    expect_linear(simplify_fast);
}

/* Pages of a book, evenly round their edge. */
static void make_pages(struct builder *builder, uint32_t count)
{
    (void)add_vertex(builder, 0, 0, 0);
    (void)add_vertex(builder, 0, 0, 1);
    for (uint32_t i = 0; i < count; i++)
        add_triangle(builder, 0, 1, add_vertex(builder, cos(2 * PI * i / count), sin(2 * PI * i / count), 0));
}

/* Tetrahedra round one middle, every second one inside out. */
static void make_nested(struct builder *builder, uint32_t count)
{
    static const int places[4][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    static const uint32_t faces[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}};
    for (uint32_t shell = 0; shell < count / 4; shell++) {
        uint32_t first = 4 * shell;
        double size = 1 + 0.01 * shell;
        for (int i = 0; i < 4; i++)
            (void)add_vertex(builder, size * places[i][0], size * places[i][1], size * places[i][2]);
        for (int i = 0; i < 4; i++)
            add_triangle(builder, first + faces[i][0], first + faces[i][shell % 2 ? 2 : 1],
                         first + faces[i][shell % 2 ? 1 : 2]);
    }
}

/* As the filter does it to small shapes whose faces all lie at one place: near faces are looked for in vain. */
static uint64_t blocks_of_crowd(void (*make)(struct builder *builder, uint32_t count), uint32_t count)
{
    struct builder builder = {0};
    make(&builder, count);
    cp_mesh mesh = mesh_of(&builder);
    struct simplify_goal goal = {.triangles = count / 10, .error = 0.05, .free = true};
    struct simplify_result result;
    blocks = 0;
    assert_int_equal(mesh_simplify(scene, &mesh, &goal, &result), CP_OK);
    free_builder(&builder);
    return blocks;
}

static void test_simplify_crowds(void **unused)
{
    (void)unused;
    assert_int_equal(cp_set_threads(context, 1), CP_OK);
    expect_growth("pages", blocks_of_crowd(make_pages, FEW), blocks_of_crowd(make_pages, 2 * FEW));
    expect_growth("nested", blocks_of_crowd(make_nested, 2 * FEW), blocks_of_crowd(make_nested, 4 * FEW));
}

static void test_normals(void **unused)
{
    (void)unused;
    expect_linear(smooth_normals);
}

static void test_topology(void **unused)
{
    (void)unused;
    expect_linear(find_topology);
}

/* Of the points in some orders: the work is a matter of chance, most where few points are corners. */
static void find_hull(cp_mesh *mesh)
{
    uint32_t count = mesh->vertex_count, orders = 6;
    double(*points)[3] = malloc(count * sizeof *points);
    assert_non_null(points);
    for (uint32_t order = 0; order < orders; order++) {
        struct hull hull;
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t axis = 0; axis < 3; axis++)
                points[i][axis] = (double)mesh->positions[3 * ((i + order * count / orders) % count) + axis];
        assert_int_equal(hull_find(context, (const double(*)[3])points, count, &hull), CP_OK);
        hull_free(context, &hull);
    }
    free(points);
}

/* Two cones, the hub's and one below it, whose base is not flat: two points with half of the facets each. */
static void make_spindle(struct builder *builder, uint32_t count)
{
    make_hub(builder, count);
    (void)add_vertex(builder, 0, 0, -1);
}

static void test_hull(void **unused)
{
    (void)unused;
    uint64_t growth[2];
    expect_linear(find_hull);
    for (uint32_t i = 0; i < 2; i++) {
        struct builder builder = {0};
        make_spindle(&builder, (i + 1) * small_count());
        cp_mesh mesh = mesh_of(&builder);
        blocks = 0;
        find_hull(&mesh);
        growth[i] = blocks;
        free_builder(&builder);
    }
    expect_growth("spindle", growth[0], growth[1]);
}

/* Fans round one vertex, each at a random place of its ring. */
static uint64_t blocks_of_order(uint32_t count)
{
    cp_group group = {0, 2 * count, CP_NONE};
    struct web_mesh web = {.vertex_count = count + 2,
                           .corner_count = 6 * count,
                           .group_count = 1,
                           .groups = &group,
                           .words = WEB_COORDINATES};
    web.vertices = calloc(web.vertex_count, web.words * sizeof *web.vertices);
    web.corners = calloc(web.corner_count, sizeof *web.corners);
    assert_true(web.vertices && web.corners);
    struct random random = {6};
    for (uint32_t i = 0; i < web.corner_count; i += 3) {
        web.corners[i + 1] = 1 + random_bits(&random) % count;
        web.corners[i + 2] = web.corners[i + 1] + 1;
    }
    blocks = 0;
    assert_true(web_order(context, &web));
    free(web.vertices);
    free(web.corners);
    return blocks;
}

static void test_web_order(void **unused)
{
    (void)unused;
    expect_growth("fans", blocks_of_order(small_count()), blocks_of_order(2 * small_count()));
}

/* Spikes of random lengths round a centre: one polygon. */
static uint64_t blocks_of_triangulation(uint32_t count)
{
    struct builder builder = {0};
    struct random random = {9};
    uint32_t *corners = malloc(count * sizeof *corners);
    assert_non_null(corners);
    for (uint32_t i = 0; i < count; i++) {
        double length = i % 2 ? 1 : random_unit(&random), angle = 2 * PI * i / count;
        corners[i] = add_vertex(&builder, length * length * cos(angle), length * length * sin(angle), 0);
    }
    add_face(&builder, corners, count);
    cp_mesh mesh = mesh_of(&builder);
    blocks = 0;
    assert_int_equal(mesh_triangulate(scene, &mesh), CP_OK);
    assert_int_equal(mesh.face_count, count - 2);
    assert_false(was_reported(context, "mesh-crossing-faces"));
    free_builder(&builder);
    free(corners);
    return blocks;
}

static void test_triangulate(void **unused)
{
    (void)unused;
    expect_growth("spikes", blocks_of_triangulation(small_count()), blocks_of_triangulation(2 * small_count()));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_simplify, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_simplify_fast, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_simplify_crowds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_normals, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_topology, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_hull, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_web_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_triangulate, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
