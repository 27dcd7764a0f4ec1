/* Simplification, judged by plain programs. */
#include "simplify_inside.h"

/* A soup of 24 n^2 vertices: faces are joined by position; 12 triangles hold the whole shape. */
static void test_cube_comes_back(void **unused)
{
    (void)unused;
    cp_mesh before = cube_of_squares(8), after = before;
    struct simplify_result result = simplify(&after, 12, INFINITY);
    assert_int_equal(after.face_count, 12);
    assert_int_equal(after.vertex_count, 8);
    assert_true(result.error < 1e-6);
    assert_closed(&after, 2);
    assert_true(fabs(plain_volume(&after) - 1) < 1e-6);
    cp_mesh bounded = before;
    result = simplify(&bounded, 0, 1e-4);
    assert_int_equal(bounded.face_count, 12);
}

/* At an error that allows anything a closed shape still has its faces: the last four. */
static void test_target_out_of_reach(void **unused)
{
    (void)unused;
    cp_mesh mesh = cube_of_squares(3);
    struct simplify_result result = simplify(&mesh, 1, INFINITY);
    assert_true(result.triangles >= 4);
    assert_closed(&mesh, 2);
}

static void test_borders_stay(void **unused)
{
    (void)unused;
    cp_mesh before = make_sheet(18, 0, true), after = before;
    struct simplify_result result = simplify(&after, 0, 1e-5);
    assert_true(after.face_count <= 10);
    assert_true(result.error <= 1e-5);
    assert_true(fabs(length_of_borders(&after) - (4 + 4.0 / 3)) < 1e-4);
    assert_int_equal(euler(&after), 0); /* a disc with a hole */
    before = make_sheet(24, 0.1, false);
    after = before;
    (void)simplify(&after, 200, INFINITY);
    assert_int_equal(euler(&after), 1);
    assert_same_side(&before, &after);
    assert_true(fabs(length_of_borders(&after) / length_of_borders(&before) - 1) < 0.02);
    assert_true(one_way(&before, &after, 0.5) < 0.03);
}

/* Faces that lie on each other have no volume and no height: their common edge is all there is. */
static void test_folds_stay(void **unused)
{
    (void)unused;
    cp_mesh before = make_double_sheet(32, true), after = before;
    struct simplify_result result = simplify(&after, 4, INFINITY);
    assert_int_equal(result.triangles, 4);
    assert_closed(&after, 2);
    assert_true(one_way(&before, &after, 0.5) < 1e-6);
    before = make_double_sheet(64, false);
    after = before;
    result = simplify(&after, 28, INFINITY);
    assert_int_equal(result.triangles, 28); /* a polygon of 16 sides */
    assert_closed(&after, 2);
    assert_true(one_way(&before, &after, 0.5) < 2 * (1 - cos(PI / 16)));
}

/* Two materials in stripes: each keeps its area, and stays in its group. */
static void test_seams_stay(void **unused)
{
    (void)unused;
    const uint32_t n = 16;
    cp_mesh mesh = make_sheet(n, 0, false);
    cp_group groups[2] = {{0, n * n, 0}, {n * n, n * n, 1}}; /* x below and above a half */
    mesh.groups = groups;
    mesh.group_count = 2;
    (void)simplify(&mesh, 0, 1e-5);
    assert_int_equal(mesh.group_count, 2);
    assert_true(mesh.face_count <= 8);
    double area[2] = {0, 0};
    for (uint32_t group = 0; group < 2; group++) {
        assert_int_equal(mesh.groups[group].material, group);
        for (uint32_t i = 0; i < mesh.groups[group].face_count; i++) {
            uint32_t face = mesh.groups[group].first_face + i;
            double normal[3];
            face_normal(&mesh, face, normal);
            area[group] += sqrt(dot(normal, normal)) / 2;
            for (uint32_t c = 0; c < 3; c++) {
                double x = (double)position_at(&mesh, face_corner(&mesh, face, c))[0];
                assert_true(group == 0 ? x < 0.5 + 1e-4 : x > 0.5 - 1e-4);
            }
        }
    }
    assert_true(fabs(area[0] - 0.5) < 1e-4 && fabs(area[1] - 0.5) < 1e-4);
}

/* Two cubes that share an edge, and one that shares a corner: three solids, each closed by itself. */
static void test_touching_solids_are_parted(void **unused)
{
    (void)unused;
    cp_mesh cube = cube_of_squares(4);
    struct shape shape = shape_new(3 * cube.vertex_count, 3 * cube.face_count);
    append(&shape, &cube, (double[]){0, 0, 0});
    append(&shape, &cube, (double[]){1, 1, 0});
    append(&shape, &cube, (double[]){-1, -1, 1});
    cp_mesh mesh = mesh_of(&shape);
    struct simplify_result result = simplify(&mesh, 36, INFINITY);
    assert_int_equal(result.cut_edges, 4);
    assert_int_equal(result.cut_vertices, 5 + 1);
    assert_int_equal(mesh.face_count, 36);
    assert_int_equal(mesh.vertex_count, 24);
    assert_true(result.error < 1e-6);
    assert_true(fabs(plain_volume(&mesh) - 3) < 1e-5);
    uint32_t forward[24][24] = {{0}};
    for (uint32_t i = 0; i < mesh.corner_count; i++)
        forward[mesh.corners[i]][mesh.corners[i % 3 == 2 ? i - 2 : i + 1]]++;
    for (int a = 0; a < 24; a++)
        for (int b = 0; b < 24; b++)
            assert_true(forward[a][b] == forward[b][a] && forward[a][b] <= 1);
}

/* Three sheets on one line: their common edge stays where it is. */
static void test_common_edge_stays(void **unused)
{
    (void)unused;
    const uint32_t n = 12;
    struct shape shape = shape_new(3 * (n + 1) * (n + 1), 6 * n * n);
    for (int sheet = 0; sheet < 3; sheet++) {
        uint32_t first = shape.point_count;
        double c = cos(2.1 * sheet), s = sin(2.1 * sheet);
        for (uint32_t i = 0; i <= n; i++)
            for (uint32_t k = 0; k <= n; k++)
                add_point(&shape, c * i / n, s * i / n, (double)k / n);
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = 0; k < n; k++) {
                uint32_t a = first + i * (n + 1) + k;
                add_triangle(&shape, a, a + n + 1, a + n + 2);
                add_triangle(&shape, a, a + n + 2, a + 1);
            }
    }
    cp_mesh mesh = mesh_of(&shape);
    struct simplify_result result = simplify(&mesh, 0, 1e-5);
    assert_int_equal(result.cut_edges, n);
    assert_true(mesh.face_count < 3 * 2 * n * n / 4);
    assert_true(result.error <= 1e-5);
}

/* A part far from the origin, beside one that is near and small: neither loses its shape. */
static void test_far_away(void **unused)
{
    (void)unused;
    cp_mesh far = make_torus(48, 24, 65536, 100), near = make_torus(48, 24, 0, 0.01);
    struct shape shape = shape_new(far.vertex_count + near.vertex_count, far.face_count + near.face_count);
    append(&shape, &far, (double[]){0, 0, 0});
    append(&shape, &near, (double[]){0, 0, 0});
    cp_mesh before = mesh_of(&shape), after = before;
    (void)simplify(&after, 1200, INFINITY);
    assert_closed(&after, 0);
    assert_true(vertex_distance(&before, &after) < 15);
    cp_mesh alone = far;
    (void)simplify(&alone, 400, INFINITY);
    assert_closed(&alone, 0);
    assert_true(vertex_distance(&far, &alone) < 8);
}

static void test_scales(void **unused)
{
    (void)unused;
    const double sizes[] = {1e-38, 1e-30, 1, 1e30, 5e37};
    for (int i = 0; i < 5; i++) {
        cp_mesh before = make_torus(32, 16, 0, sizes[i]), after = before;
        struct simplify_result result = simplify(&after, 200, INFINITY);
        assert_int_equal(result.triangles, 200);
        assert_true(result.error > 0 && result.error < 0.4 * sizes[i]);
        for (uint32_t k = 0; k < 3 * after.vertex_count; k++)
            assert_true(isfinite(after.positions[k]));
        if (sizes[i] > 1e-30)
            assert_closed(&after, 0);
    }
}

/* ---- shapes that have a formula ---- */

/* Long thin triangles at the ends, which reach from part to part of what works in threads. With 1,000 triangles a tube
 * has 125 sides at best. */
static void test_tube(void **unused)
{
    (void)unused;
    for (uint32_t sides = 400; sides <= 4000; sides *= 10) {
        cp_mesh before = make_tube(sides, 2, 0.5), after = before;
        assert_true(fabs(plain_volume(&before) / tube_volume(sides, 2, 0.5) - 1) < 1e-6);
        struct simplify_result result = simplify(&after, 1000, INFINITY);
        double best = 2 * (1 - cos(PI / 125));
        assert_int_equal(after.face_count, 1000);
        assert_closed(&after, 0);
        assert_true(result.error < 3 * best);
        assert_true(fabs(plain_volume(&after) / tube_volume(sides, 2, 0.5) - 1) < 1e-3);
        if (sides == 400)
            assert_true(result.error >= vertex_distance(&before, &after) * (1 - 1e-6));
    }
}

static cp_mesh scaled_cube(uint32_t n, const double scale[3])
{
    cp_mesh mesh = cube_of_squares(n);
    float *positions = (float *)mesh.positions;
    for (uint32_t i = 0; i < 3 * mesh.vertex_count; i++)
        positions[i] = (float)((double)positions[i] * scale[i % 3]);
    return mesh;
}

/* A sheet of metal keeps its thickness, to the last triangle. */
static void test_thin_plate(void **unused)
{
    (void)unused;
    cp_mesh mesh = scaled_cube(24, (double[]){4, 3, 0.002});
    struct simplify_result result = simplify(&mesh, 12, INFINITY);
    assert_int_equal(mesh.face_count, 12);
    assert_closed(&mesh, 2);
    assert_true(result.error < 1e-6);
    assert_true(fabs(plain_volume(&mesh) / 0.024 - 1) < 1e-5);
}

static void test_draft_keeps_the_volume(void **unused)
{
    (void)unused;
    cp_mesh before = make_torus(128, 64, 0, 1), after = before;
    struct simplify_goal goal = {.triangles = 1000, .error = INFINITY, .fast = true};
    struct simplify_result result;
    assert_int_equal(mesh_simplify(scene, &after, &goal, &result), CP_OK);
    assert_closed(&after, 0);
    assert_true(fabs(plain_volume(&after) / plain_volume(&before) - 1) < 1e-4);
}

/* However finely a border is cut, it holds against the faces beside it. */
static void test_fine_border(void **unused)
{
    (void)unused;
    cp_mesh before = make_sheet(150, 0.1, false), after = before;
    (void)simplify(&after, 400, INFINITY);
    for (uint32_t i = 0; i < 3 * after.vertex_count; i++)
        if (i % 3 != 2)
            assert_true(after.positions[i] > -0.004f && after.positions[i] < 1.004f);
}

/* A sheet of n x n squares over a plane, the points of which lie anywhere near their places and heights. */
static cp_mesh make_rough_sheet(uint32_t n, double rough, struct random *random)
{
    struct shape shape = shape_new((n + 1) * (n + 1), 2 * n * n);
    for (uint32_t i = 0; i <= n; i++)
        for (uint32_t k = 0; k <= n; k++)
            add_point(&shape, i + 0.4 * (random_unit(random) - 0.5), k + 0.4 * (random_unit(random) - 0.5),
                      0.08 * n * sin(7.0 * i / n) * cos(5.0 * k / n) + rough * random_unit(random));
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++) {
            uint32_t a = i * (n + 1) + k;
            add_triangle(&shape, a, a + n + 1, a + n + 2);
            add_triangle(&shape, a, a + n + 2, a + 1);
        }
    return mesh_of(&shape);
}

static uint32_t count_looking_down(const cp_mesh *mesh)
{
    uint32_t count = 0;
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        double normal[3];
        face_normal(mesh, face, normal);
        count += normal[2] < 0;
    }
    return count;
}

/* All faces of a sheet over a plane look up before; so they must after many collapses, each of which turns some a
 * little. */
static void test_no_face_is_turned(void **unused)
{
    (void)unused;
    const double ratios[] = {0.3, 0.1, 0.03};
    struct random random = {5};
    const int rounds = (int)usual_or_long(21, 24);
    for (int i = 0; i < rounds; i++) {
        cp_mesh before = make_rough_sheet(i < 18 ? 60 : usual_or_long(90, 140), i % 2 ? 0.2 : 0.02, &random),
                after = before;
        assert_int_equal(count_looking_down(&before), 0);
        struct simplify_goal goal = {
            .triangles = (uint64_t)(ratios[i % 3] * before.face_count), .error = INFINITY, .fast = i % 4 < 2};
        struct simplify_result result;
        assert_int_equal(mesh_simplify(scene, &after, &goal, &result), CP_OK);
        assert_in_range(result.triangles, goal.triangles - 1, goal.triangles);
        assert_int_equal(count_looking_down(&after), 0);
    }
}

/* ---- hostile shapes: how the work on them grows is counted by work/test_work.c ---- */

enum { HOSTILE = 100000 }; /* but noise takes long */

static void simplify_to_tenth(cp_mesh *mesh)
{
    (void)simplify(mesh, mesh->face_count / 10, INFINITY);
}

static void test_one_hub(void **unused)
{
    (void)unused;
    struct shape shape = shape_new(HOSTILE + 1, HOSTILE);
    for (uint32_t i = 0; i < HOSTILE; i++)
        add_point(&shape, cos(2 * PI * i / HOSTILE), sin(2 * PI * i / HOSTILE), 0.1 * sin(20 * PI * i / HOSTILE));
    uint32_t hub = add_point(&shape, 0, 0, 1);
    for (uint32_t i = 0; i < HOSTILE; i++)
        add_triangle(&shape, hub, i, (i + 1) % HOSTILE);
    cp_mesh mesh = mesh_of(&shape);
    simplify_to_tenth(&mesh);
    assert_true(mesh.face_count <= HOSTILE / 10 + 1);
}

static void test_equal_points_and_needles(void **unused)
{
    (void)unused;
    struct shape shape = shape_new(HOSTILE, HOSTILE);
    for (uint32_t i = 0; i < HOSTILE; i++)
        add_point(&shape, 1, 2, i % 2 ? 0.0 : -0.0);
    for (uint32_t i = 0; i + 2 < HOSTILE; i++)
        add_triangle(&shape, i, i + 1, i + 2);
    cp_mesh mesh = mesh_of(&shape);
    simplify_to_tenth(&mesh);
    assert_int_equal(mesh.face_count, 0);

    shape.point_count = shape.corner_count = 0; /* all on a line: no face has an area */
    for (uint32_t i = 0; i < HOSTILE; i++)
        add_point(&shape, i, i, i);
    for (uint32_t i = 0; i + 2 < HOSTILE; i++)
        add_triangle(&shape, i, i + 1, i + 2);
    mesh = mesh_of(&shape);
    simplify_to_tenth(&mesh);
}

/* Every face on one edge, and noise without any order. */
static void test_one_edge_and_noise(void **unused)
{
    (void)unused;
    const uint32_t count = usual_or_long(5000, HOSTILE);
    struct shape shape = shape_new(count, count);
    struct random random = {7};
    for (uint32_t i = 0; i < count; i++)
        add_point(&shape, random_unit(&random), random_unit(&random), random_unit(&random));
    for (uint32_t i = 2; i < count; i++)
        add_triangle(&shape, i % 2, 1 - i % 2, i);
    cp_mesh mesh = mesh_of(&shape);
    simplify_to_tenth(&mesh);
    shape.corner_count = 0;
    for (uint32_t i = 0; i < count; i++)
        add_triangle(&shape, random_bits(&random) % count, random_bits(&random) % count, random_bits(&random) % 50);
    mesh = mesh_of(&shape);
    simplify_to_tenth(&mesh);
}

/* ---- threads ---- */

static void test_same_for_any_threads(void **unused)
{
    (void)unused;
    cp_mesh first = make_torus(300, 200, 0, 1);
    for (uint32_t threads = 1; threads <= 5; threads += 2) {
        cp_mesh mesh = make_torus(300, 200, 0, 1);
        assert_int_equal(cp_set_threads(context, threads), CP_OK);
        (void)simplify(&mesh, 6000, INFINITY);
        if (threads == 1)
            first = mesh;
        assert_int_equal(mesh.vertex_count, first.vertex_count);
        assert_int_equal(mesh.corner_count, first.corner_count);
        assert_memory_equal(mesh.positions, first.positions, 12 * (size_t)mesh.vertex_count);
        assert_memory_equal(mesh.corners, first.corners, 4 * (size_t)mesh.corner_count);
    }
    cp_topology topology = {.size = sizeof topology};
    assert_int_equal(cp_mesh_topology(context, &first, &topology), CP_OK);
    assert_true(topology.closed);
    assert_int_equal(first.face_count, 6000);
}

static void test_colours_are_mixed(void **unused)
{
    (void)unused;
    cp_mesh mesh = make_sheet(16, 0, false);
    float *colours = scene_allocate(scene, 4 * (size_t)mesh.vertex_count, sizeof *colours);
    for (uint32_t vertex = 0; vertex < mesh.vertex_count; vertex++) {
        colours[4 * vertex] = position_at(&mesh, vertex)[0];
        colours[4 * vertex + 1] = position_at(&mesh, vertex)[1];
        colours[4 * vertex + 2] = 0.25f;
        colours[4 * vertex + 3] = 1;
    }
    mesh.colours = colours;
    (void)simplify(&mesh, 60, INFINITY);
    for (uint32_t vertex = 0; vertex < mesh.vertex_count; vertex++) {
        assert_true(fabs((double)mesh.colours[4 * vertex] - (double)position_at(&mesh, vertex)[0]) < 0.1);
        assert_true(fabs((double)mesh.colours[4 * vertex + 1] - (double)position_at(&mesh, vertex)[1]) < 0.1);
        assert_true(mesh.colours[4 * vertex + 2] == 0.25f && mesh.colours[4 * vertex + 3] == 1);
    }
}

/* ---- normals and tangents of another mesh ---- */

/* Two squares that meet at y = 0, of four faces, or of as many as a sheet has. Tangents go along x on both; a texture
 * mirrored there has two signs and the same coordinates. */
static cp_mesh make_fold(uint32_t n, float *normals, float *tangents)
{
    struct shape shape = shape_new(2 * (n + 1) * (n + 1), 4 * n * n);
    for (uint32_t half = 0; half < 2; half++)
        for (uint32_t i = 0; i <= n; i++)
            for (uint32_t k = 0; k <= n; k++) {
                size_t at = add_point(&shape, (double)k / n, half ? (double)i / n : -(double)i / n, 0);
                memcpy(normals + 3 * at, (const float[]){0, 0, 1}, 12);
                memcpy(tangents + 4 * at, (const float[]){1, 0, 0, half ? 1 : -1}, 16);
            }
    for (uint32_t half = 0; half < 2; half++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = 0; k < n; k++) {
                uint32_t a = (half * (n + 1) + i) * (n + 1) + k, b = a + 1, c = a + n + 1;
                add_triangle(&shape, a, half ? b : c, c + 1);
                add_triangle(&shape, a, c + 1, half ? c : b);
            }
    cp_mesh mesh = mesh_of(&shape);
    mesh.normals = normals;
    mesh.tangents = tangents;
    return mesh;
}

/* Faces that share their vertices at the fold part there, where signs differ. */
static void test_fold(void **unused)
{
    (void)unused;
    enum { N = 10 };
    float normals[6 * (N + 1) * (N + 1)], tangents[8 * (N + 1) * (N + 1)], unused_normals[24], unused_tangents[32];
    cp_mesh original = make_fold(N, normals, tangents), mesh = make_fold(1, unused_normals, unused_tangents);
    uint32_t *corners = (uint32_t *)mesh.corners;
    for (uint32_t i = 0; i < mesh.corner_count; i++)
        corners[i] = corners[i] == 4 ? 0 : corners[i] == 5 ? 1 : corners[i];
    mesh.normals = mesh.tangents = NULL;
    assert_int_equal(mesh_shade_like(scene, &mesh, &original), CP_OK);
    assert_int_equal(mesh.vertex_count, 8); /* 6 places, 2 of them on the fold */
    for (uint32_t face = 0; face < mesh.face_count; face++) {
        double middle = 0;
        for (uint32_t i = 0; i < 3; i++)
            middle += (double)position_at(&mesh, face_corner(&mesh, face, i))[1];
        for (uint32_t i = 0; i < 3; i++) {
            const float *t = mesh.tangents + 4 * (size_t)face_corner(&mesh, face, i);
            assert_true(t[0] == 1 && t[1] == 0 && t[2] == 0 && t[3] == (middle > 0 ? 1 : -1));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_cube_comes_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_target_out_of_reach, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_borders_stay, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_folds_stay, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_seams_stay, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_touching_solids_are_parted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_common_edge_stays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_far_away, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_scales, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_tube, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_thin_plate, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_draft_keeps_the_volume, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_fine_border, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_face_is_turned, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_one_hub, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_equal_points_and_needles, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_one_edge_and_noise, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_same_for_any_threads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_colours_are_mixed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_fold, set_up, tear_down),
    };
    cmocka_set_test_filter(getenv("CMOCKA_TEST_FILTER")); /* see bootstrap */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
