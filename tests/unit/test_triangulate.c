/* N-gons to triangles, by the filter. */
#include "polygon_cover.h"

/* The polygon on the plane that `turn` chooses, one of the six signed axes; triangles as corner numbers. */
static const uint32_t *triangulate_polygon(uint32_t count, uint32_t turn)
{
    static float positions[3 * MOST_POINTS];
    static uint32_t corners[MOST_POINTS];
    uint32_t u = (turn / 2 + 1) % 3, v = (turn / 2 + 2) % 3;
    for (uint32_t i = 0; i < count; i++) {
        positions[3 * i + turn / 2] = 5;
        positions[3 * i + (turn % 2 ? v : u)] = polygon[i][0];
        positions[3 * i + (turn % 2 ? u : v)] = polygon[i][1];
        corners[i] = i;
    }
    const uint32_t *triangles = cut_face(positions, corners, count)->corners;
    expect_boundary(triangles, count);
    return triangles;
}

/* All triangles counter-clockwise, and together as large as the polygon: each point is covered once. */
static void expect_exact_cover(uint32_t count)
{
    for (uint32_t turn = 0; turn < 6; turn++) {
        double least = INFINITY;
        double area = area_of_triangles(triangulate_polygon(count, turn), count, &least);
        double expected = shoelace(count);
        assert_true(expected > 0);
        assert_true(least >= 0);
        assert_true(fabs(area - expected) <= 1e-9 * fabs(expected));
    }
    assert_false(was_reported(context, "mesh-crossing-faces"));
}

static void test_convex_faces_are_fans(void **unused)
{
    (void)unused;
    for (uint32_t i = 0; i < 7; i++)
        set_point(i, 2, 2 * PI * i / 7);
    const uint32_t *corners = triangulate_polygon(7, 0);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(corners[3 * i], 0);
        assert_int_equal(corners[3 * i + 1], i + 1);
        assert_int_equal(corners[3 * i + 2], i + 2);
    }
}

static void test_concave_polygons_are_covered(void **unused)
{
    (void)unused;
    const float arrow[][2] = {{0, 0}, {4, -3}, {1, 0}, {4, 3}};
    const float stairs[][2] = {{0, 0}, {3, 0}, {3, 1}, {2, 1}, {2, 2}, {1, 2}, {1, 3}, {0, 3}};
    const float cross[][2] = {{1, 0}, {2, 0}, {2, 1}, {3, 1}, {3, 2}, {2, 2},
                              {2, 3}, {1, 3}, {1, 2}, {0, 2}, {0, 1}, {1, 1}};
    set_points(arrow, 4);
    expect_exact_cover(4);
    set_points(stairs, 8);
    expect_exact_cover(8);
    set_points(cross, 12);
    expect_exact_cover(12);
    struct random random = {3};
    for (uint32_t round = 0; round < 60; round++) {
        uint32_t count = 5 + random_bits(&random) % 60;
        for (uint32_t i = 0; i < count; i++)
            set_point(i, 0.2 + random_unit(&random), 2 * PI * i / count);
        expect_exact_cover(count);
    }
}

static void test_large_polygons_are_covered(void **unused)
{
    (void)unused;
    struct random random = {4};
    for (uint32_t i = 0; i < 3000; i++)
        set_point(i, 0.5 + random_unit(&random), 2 * PI * i / 3000);
    expect_exact_cover(3000);
    for (uint32_t i = 0; i < 4000; i++) { /* a band wound to a spiral: in on one side, out on the other */
        double along = i < 2000 ? i : 3999 - i, radius = 1 + along * 0.002 - (i < 2000 ? 0 : 0.1);
        set_point(i, radius, along * 0.02);
    }
    expect_exact_cover(4000);
    uint32_t count = 0; /* a comb */
    for (uint32_t i = 0; i < 3001; i++, count++) {
        polygon[count][0] = (float)(3001 - i);
        polygon[count][1] = (float)(i % 2);
    }
    polygon[count][0] = 1, polygon[count++][1] = -1;
    polygon[count][0] = 3001, polygon[count++][1] = -1;
    expect_exact_cover(count);
}

/* A square with a round hole, joined to the boundary by a bridge that is walked both ways. */
static void test_holes_on_bridges_are_covered(void **unused)
{
    (void)unused;
    const float square[][2] = {{-2, -2}, {2, -2}, {2, 2}, {-2, 2}, {-2, -2}};
    for (uint32_t sides = 3; sides < 200; sides += 28) {
        set_points(square, 5);
        for (uint32_t i = 0; i <= sides; i++)
            set_point(5 + i, 1, -3 * PI / 4 - 2 * PI * (i % sides) / sides);
        expect_exact_cover(6 + sides);
    }
}

static void test_repeated_and_collinear_corners_are_covered(void **unused)
{
    (void)unused;
    const float middles[][2] = {{0, 0}, {1, 0}, {2, 0}, {2, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
    const float repeated[][2] = {{0, 0}, {0, 0}, {4, -3}, {4, -3}, {4, -3}, {1, 0}, {1, 0}, {4, 3}, {4, 3}};
    const float spike[][2] = {{0, 0}, {2, 0}, {4, 0}, {2, 0}, {2, 2}, {0, 2}};
    set_points(middles, 8);
    expect_exact_cover(8);
    double least = 0;
    (void)area_of_triangles(triangulate_polygon(8, 0), 8, &least);
    for (uint32_t i = 0; i < 6; i++) { /* a fan from a corner would have triangles without area */
        const uint32_t *corners = triangulate_polygon(8, 0) + 3 * i;
        const float *a = polygon[corners[0]], *b = polygon[corners[1]], *c = polygon[corners[2]];
        assert_true((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0);
    }
    set_points(repeated, 9);
    expect_exact_cover(9);
    set_points(spike, 6);
    expect_exact_cover(6);
}

/* Outlines of random blobs of unit squares: steps of 1 along the grid, so most corners are on straight lines, and the
 * outline touches itself where squares meet at a corner. */
enum { GRID = 24 };
static bool blob[GRID][GRID];

static void grow_blob(struct random *random, uint32_t squares)
{
    memset(blob, 0, sizeof blob);
    blob[GRID / 2][GRID / 2] = true;
    while (squares > 0) {
        uint32_t x = 1 + random_bits(random) % (GRID - 2), y = 1 + random_bits(random) % (GRID - 2);
        if (blob[y][x] || !(blob[y - 1][x] || blob[y + 1][x] || blob[y][x - 1] || blob[y][x + 1]))
            continue;
        blob[y][x] = true;
        squares--;
    }
}

/* The square to the left or right of a step from (x, y). */
static bool beside(int x, int y, const int step[2], bool left)
{
    int dx = step[0] + (left ? -step[1] : step[1]), dy = step[1] + (left ? step[0] : -step[0]);
    return blob[dy < 0 ? y - 1 : y][dx < 0 ? x - 1 : x];
}

/* Counter-clockwise round the outside; the number of corners. */
static uint32_t trace_blob(bool through_touches)
{
    int start = 0;
    while (!blob[start / GRID][start % GRID])
        start++;
    int x = start % GRID, y = start / GRID, step[2] = {1, 0};
    uint32_t count = 0;
    do {
        polygon[count][0] = (float)x;
        polygon[count++][1] = (float)y;
        x += step[0];
        y += step[1];
        bool left = beside(x, y, step, true), right = beside(x, y, step, false);
        if (right && (left || through_touches)) {
            int turned[2] = {step[1], -step[0]};
            memcpy(step, turned, sizeof step);
        } else if (!left) {
            int turned[2] = {-step[1], step[0]};
            memcpy(step, turned, sizeof step);
        }
    } while (x != start % GRID || y != start / GRID || step[0] != 1);
    return count;
}

static void test_outlines_that_touch_themselves_are_covered(void **unused)
{
    (void)unused;
    struct random random = {8};
    for (uint32_t round = 0; round < 300; round++) {
        grow_blob(&random, 1 + random_bits(&random) % 250);
        expect_exact_cover(trace_blob(round % 2));
    }
}

static void test_degenerate_polygons_give_all_triangles(void **unused)
{
    (void)unused;
    for (uint32_t i = 0; i < 5000; i++) {
        polygon[i][0] = (float)i;
        polygon[i][1] = 2;
    }
    (void)triangulate_polygon(5000, 0);
    memset(polygon, 0, sizeof polygon);
    (void)triangulate_polygon(5000, 3);
    assert_false(was_reported(context, "mesh-crossing-faces"));
}

static void test_crossing_polygons_give_all_triangles(void **unused)
{
    (void)unused;
    for (uint32_t i = 0; i < 5; i++) /* a pentagram */
        set_point(i, 1, 4 * PI * i / 5);
    (void)triangulate_polygon(5, 1);
    assert_true(was_reported(context, "mesh-crossing-faces"));
    struct random random = {5};
    for (uint32_t round = 0; round < 200; round++) {
        uint32_t count = 4 + random_bits(&random) % 30;
        for (uint32_t i = 0; i < count; i++) {
            polygon[i][0] = (float)(random_bits(&random) % 5);
            polygon[i][1] = (float)(random_bits(&random) % 5);
        }
        (void)triangulate_polygon(count, round % 6);
    }
}

static void test_triangulate_keeps_groups_and_order(void **unused)
{
    (void)unused;
    cp_mesh cube = make_cube();
    const cp_group groups[] = {{0, 1, 4}, {1, 0, 5}, {1, 3, CP_NONE}, {4, 2, 4}};
    cube.groups = groups;
    cube.group_count = 4;
    for (int i = 0; i < 6; i++)
        (void)add_colour(scene, "paint", (const double[]){1, 1, 1, 1}, false);
    (void)add_mesh_of(scene, &cube);
    finish_scene();
    assert_int_equal(apply_filter(context, scene, "triangulate", NULL, NULL, NULL), CP_OK);
    const cp_mesh mesh = *cp_meshes(scene, NULL);
    assert_int_equal(mesh.face_count, 12);
    assert_int_equal(mesh.group_count, 3); /* the empty one went */
    const cp_group expected[] = {{0, 2, 4}, {2, 6, CP_NONE}, {8, 4, 4}};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(mesh.groups[i].first_face, expected[i].first_face);
        assert_int_equal(mesh.groups[i].face_count, expected[i].face_count);
        assert_int_equal(mesh.groups[i].material, expected[i].material);
    }
    for (uint32_t face = 0; face < 6; face++)
        assert_int_equal(mesh.corners[6 * face], cube_corners[4 * face]);
    assert_true(plain_volume(&mesh) == 1);
    assert_int_equal(apply_filter(context, scene, "triangulate", NULL, NULL, NULL), CP_OK);
    assert_memory_equal(cp_meshes(scene, NULL), &mesh, sizeof mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_convex_faces_are_fans, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_concave_polygons_are_covered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_large_polygons_are_covered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_holes_on_bridges_are_covered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_repeated_and_collinear_corners_are_covered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_outlines_that_touch_themselves_are_covered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_degenerate_polygons_give_all_triangles, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_crossing_polygons_give_all_triangles, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_triangulate_keeps_groups_and_order, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
