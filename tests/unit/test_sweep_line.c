/* The sweep line alone: every simple polygon is covered exactly once, whatever its shape, and no other is said to be. */
#include <limits.h>

#include "mesh/triangulate/ears.h"
#include "mesh/triangulate/sweep_line.h"
#include "polygon_cover.h"
#include "poor_memory.h"
#include "scene_fixture.h"

static uint32_t triangles[3 * MOST_POINTS], corners[MOST_POINTS];

static cp_status sweep(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        corners[i] = i;
    memset(triangles, 0xff, sizeof triangles);
    return sweep_line_cut(context, (const float(*)[2])polygon, corners, count, triangles);
}

static void expect_cover(uint32_t count)
{
    double least = INFINITY, area = area_of_triangles(triangles, count, &least), expected = shoelace(count);
    expect_boundary(triangles, count);
    assert_true(least >= 0);
    assert_true(fabs(area - expected) <= 1e-9 * fabs(expected));
}

/* Seen from the front and from four sides, so that what is above each other comes beside each other. */
static void expect_swept(uint32_t count)
{
    for (int turn = 0; turn < 4; turn++) {
        assert_true(shoelace(count) > 0);
        assert_int_equal(sweep(count), CP_OK);
        expect_cover(count);
        for (uint32_t i = 0; i < count; i++) {
            float x = polygon[i][0];
            polygon[i][0] = -polygon[i][1];
            polygon[i][1] = x;
        }
    }
}

static void test_known_shapes(void **unused)
{
    (void)unused;
    const float triangle[][2] = {{0, 0}, {1, 0}, {0, 1}};
    const float arrow[][2] = {{0, 0}, {4, -3}, {1, 0}, {4, 3}};
    const float stairs[][2] = {{0, 0}, {3, 0}, {3, 1}, {2, 1}, {2, 2}, {1, 2}, {1, 3}, {0, 3}};
    const float cross[][2] = {{1, 0}, {2, 0}, {2, 1}, {3, 1}, {3, 2}, {2, 2},
                              {2, 3}, {1, 3}, {1, 2}, {0, 2}, {0, 1}, {1, 1}};
    const float middles[][2] = {{0, 0}, {1, 0}, {2, 0}, {2, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
    const float fork[][2] = {{0, 0}, {9, 0}, {5, 1}, {9, 2}, {5, 3}, {9, 4}, {5, 5},
                             {9, 6}, {0, 6}, {4, 5}, {0, 4}, {4, 3}, {0, 2}, {4, 1}};
    set_points(triangle, 3);
    expect_swept(3);
    set_points(arrow, 4);
    expect_swept(4);
    set_points(stairs, 8);
    expect_swept(8);
    set_points(cross, 12);
    expect_swept(12);
    set_points(middles, 8);
    expect_swept(8);
    set_points(fork, 14);
    expect_swept(14);
}

static void test_large_shapes(void **unused)
{
    (void)unused;
    struct random random = {4};
    for (uint32_t i = 0; i < MOST_POINTS; i++)
        set_point(i, 0.01 + random_unit(&random), 2 * PI * i / MOST_POINTS);
    expect_swept(MOST_POINTS);
    for (uint32_t i = 0; i < 4000; i++) { /* a band wound to a spiral: in on one side, out on the other */
        double along = i < 2000 ? i : 3999 - i, radius = 1 + along * 0.002 - (i < 2000 ? 0 : 0.1);
        set_point(i, radius, along * 0.02);
    }
    expect_swept(4000);
}

/* ---- all polygons on a small grid ---- */

static int64_t side_of(const int a[2], const int b[2], const int c[2])
{
    return (int64_t)(b[0] - a[0]) * (c[1] - a[1]) - (int64_t)(b[1] - a[1]) * (c[0] - a[0]);
}

static bool on_segment(const int a[2], const int b[2], const int p[2])
{
    return side_of(a, b, p) == 0 && (p[0] - a[0]) * (p[0] - b[0]) + (p[1] - a[1]) * (p[1] - b[1]) <= 0;
}

static bool segments_meet(const int a[2], const int b[2], const int c[2], const int d[2])
{
    int64_t c_side = side_of(a, b, c), d_side = side_of(a, b, d), a_side = side_of(c, d, a), b_side = side_of(c, d, b);
    if (((c_side > 0 && d_side < 0) || (c_side < 0 && d_side > 0)) &&
        ((a_side > 0 && b_side < 0) || (a_side < 0 && b_side > 0)))
        return true;
    return on_segment(a, b, c) || on_segment(a, b, d) || on_segment(c, d, a) || on_segment(c, d, b);
}

/* No two sides meet, but those that follow each other in one point. */
static bool is_simple(int points[][2], uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const int *a = points[i], *b = points[(i + 1) % count], *c = points[(i + 2) % count];
        if (on_segment(a, b, c) || on_segment(b, c, a))
            return false;
        for (uint32_t k = i + 2; k < count && k < i + count - 1; k++)
            if (segments_meet(a, b, points[k], points[(k + 1) % count]))
                return false;
    }
    return true;
}

/* What is not simple may be refused; what is said to be covered is, with no triangle the wrong way round. */
static void test_random_polygons(void **unused)
{
    (void)unused;
    struct random random = {11};
    uint32_t simple = 0;
    for (uint32_t round = 0; round < 400000; round++) {
        int points[10][2];
        uint32_t count = 3 + random_bits(&random) % 8, grid = 2 + random_bits(&random) % 6;
        for (uint32_t i = 0; i < count; i++)
            for (int axis = 0; axis < 2; axis++) {
                points[i][axis] = (int)(random_bits(&random) % grid);
                polygon[i][axis] = (float)points[i][axis];
            }
        bool fits = shoelace(count) > 0 && is_simple(points, count);
        cp_status status = sweep(count);
        simple += fits;
        assert_true(status == CP_OK || (status == CP_NO && !fits));
        if (status == CP_OK)
            expect_cover(count);
    }
    assert_true(simple > 20000);
}

/* ---- what ears alone would take too long for ---- */

/* Spikes round a centre, with the corners between them at all distances: long triangles go through what ears keeps together. */
static void test_ears_hand_over(void **unused)
{
    (void)unused;
    struct random random = {12};
    struct ears ears;
    assert_true(ears_reserve(&ears, context, MOST_POINTS));
    for (uint32_t i = 0; i < MOST_POINTS; i++)
        set_point(i, i % 2 ? 1000 : 1000 * pow(random_unit(&random), 2), 2 * PI * i / MOST_POINTS);
    memcpy(ears.points, polygon, sizeof polygon);
    assert_int_equal(ears_clip(&ears, MOST_POINTS, triangles), CP_OK);
    assert_true(ears.steps > UINT64_C(200) * MOST_POINTS);
    expect_cover(MOST_POINTS);
    ears_free(&ears);
}

/* ---- no memory ---- */

/* Each allocation of ears and sweep fails once. */
static void test_no_memory(void **unused)
{
    (void)unused;
    enum { SPIKES = 20000 };
    struct random random = {12};
    for (uint32_t i = 0; i < SPIKES; i++)
        set_point(i, i % 2 ? 1000 : 1000 * pow(random_unit(&random), 2), 2 * PI * i / SPIKES);
    long left = LONG_MAX;
    int failed = 0;
    cp_context *poor = cp_context_new(&(cp_allocator){failing_resize, &left});
    assert_non_null(poor);
    cp_status status = CP_LIMIT;
    for (long fail = 0; status == CP_LIMIT; fail++) {
        struct ears ears = {0};
        left = LONG_MAX;
        assert_true(ears_reserve(&ears, poor, SPIKES));
        memcpy(ears.points, polygon, SPIKES * sizeof *polygon);
        left = fail;
        status = ears_clip(&ears, SPIKES, triangles);
        left = LONG_MAX;
        failed += status == CP_LIMIT;
        ears_free(&ears);
    }
    assert_int_equal(status, CP_OK);
    assert_true(failed >= 9);
    expect_cover(SPIKES);
    cp_context_free(poor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_known_shapes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_large_shapes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_random_polygons, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ears_hand_over, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_memory, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
