/* The sweep line alone: every simple polygon is covered exactly once, whatever its shape; others are refused, or their
 * triangles have no negative areas. How much work ears do, and when they hand over to it. */
#include <limits.h>

#include "fixture.h"
#include "mesh/triangulate/triangulate.h"
#include "model/model.h"
#include "polygon_cover.h"

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

/* By a quarter. */
static void turn_polygon(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        float x = polygon[i][0];
        polygon[i][0] = -polygon[i][1];
        polygon[i][1] = x;
    }
}

/* From four sides, so that what is above each other comes beside each other. */
static void expect_swept(uint32_t count)
{
    for (int turn = 0; turn < 4; turn++) {
        assert_true(shoelace(count) > 0);
        assert_int_equal(sweep(count), CP_OK);
        expect_cover(count);
        turn_polygon(count);
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

/* ---- random corners ---- */

static const int flat[2] = {0, 1};

static int side_at(const double a[3], const double b[3], const double c[3])
{
    return side_of_line(a, b, c, flat); /* which test_predicates.c compares with whole numbers */
}

static bool on_segment(const double a[3], const double b[3], const double p[3])
{
    for (int axis = 0; axis < 2; axis++)
        if (p[axis] < fmin(a[axis], b[axis]) || p[axis] > fmax(a[axis], b[axis]))
            return false;
    return side_at(a, b, p) == 0;
}

static bool segments_meet(const double a[3], const double b[3], const double c[3], const double d[3])
{
    if (side_at(a, b, c) * side_at(a, b, d) < 0 && side_at(c, d, a) * side_at(c, d, b) < 0)
        return true;
    return on_segment(a, b, c) || on_segment(a, b, d) || on_segment(c, d, a) || on_segment(c, d, b);
}

enum { FEW = 16 };

/* No two sides meet, but those that follow each other in one point. */
static bool is_simple(double (*points)[3], uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const double *a = points[i], *b = points[(i + 1) % count], *c = points[(i + 2) % count];
        if (on_segment(a, b, c) || on_segment(b, c, a))
            return false;
        for (uint32_t k = i + 2; k < count && k < i + count - 1; k++)
            if (segments_meet(a, b, points[k], points[(k + 1) % count]))
                return false;
    }
    return true;
}

/* A simple polygon goes round as it turns at its lowest, leftmost corner. */
static bool goes_left(double (*points)[3], uint32_t count)
{
    uint32_t low = 0;
    for (uint32_t i = 1; i < count; i++)
        if (points[i][1] < points[low][1] || (points[i][1] == points[low][1] && points[i][0] < points[low][0]))
            low = i;
    return side_at(points[(low + count - 1) % count], points[low], points[(low + 1) % count]) > 0;
}

static void expect_no_negative_areas(double (*points)[3], uint32_t count)
{
    for (uint32_t i = 0; i < 3 * (count - 2); i += 3)
        assert_true(side_at(points[triangles[i]], points[triangles[i + 1]], points[triangles[i + 2]]) >= 0);
}

/* What is not simple may be refused; what is said to be covered has no triangle the wrong way round, exactly. */
static bool expect_right_answer(uint32_t count)
{
    double points[FEW][3] = {{0}};
    for (uint32_t i = 0; i < count; i++)
        for (int axis = 0; axis < 2; axis++)
            points[i][axis] = (double)polygon[i][axis];
    bool simple = is_simple(points, count) && goes_left(points, count);
    cp_status status = sweep(count);
    assert_true(status == CP_OK || (status == CP_NO && !simple));
    if (status == CP_OK) {
        expect_boundary(triangles, count);
        expect_no_negative_areas(points, count);
    }
    return simple;
}

/* On small grids most corners are above each other, on sides, or on each other. */
static void test_polygons_on_grids(void **unused)
{
    (void)unused;
    struct random random = {11};
    const uint32_t rounds = usual_or_long(60000, 200000);
    uint32_t simple = 0;
    for (uint32_t round = 0; round < rounds; round++) {
        uint32_t count = 3 + random_bits(&random) % 8, grid = 2 + random_bits(&random) % 6;
        for (uint32_t i = 0; i < count; i++)
            for (int axis = 0; axis < 2; axis++)
                polygon[i][axis] = (float)(random_bits(&random) % grid);
        simple += expect_right_answer(count);
    }
    assert_true(simple > rounds / 20);
}

/* The same with what turning leaves of zeros: areas of 1e-12 beside those of 10,000, whose signs doubles do not
 * tell. */
static void test_polygons_with_noise(void **unused)
{
    (void)unused;
    struct random random = {13};
    const uint32_t rounds = usual_or_long(60000, 200000);
    uint32_t simple = 0;
    for (uint32_t round = 0; round < rounds; round++) {
        uint32_t count = 4 + random_bits(&random) % 6;
        for (uint32_t i = 0; i < count; i++)
            for (int axis = 0; axis < 2; axis++) {
                double whole = 100.0 * (random_bits(&random) % 5) - 200, noise = 1e-14 * (random_unit(&random) - 0.5);
                polygon[i][axis] = (float)(whole == 0 ? noise : whole + random_bits(&random) % 2);
            }
        simple += expect_right_answer(count);
    }
    assert_true(simple > rounds / 40);
}

/* A shape of this kind that doubles get wrong. */
static void test_a_polygon_with_noise(void **unused)
{
    (void)unused;
    const float points[][2] = {{-200, -100},
                               {-200, -199},
                               {-2.2907115e-14f, -100},
                               {2.17656822e-14f, -99},
                               {200, -198},
                               {-100, -6.62133871e-15f},
                               {100, -1.31702163e-14f},
                               {200, -100},
                               {100, 0},
                               {202, 201},
                               {200, 200},
                               {101, 100},
                               {-99, 202},
                               {-98, 101},
                               {-199, 100}};
    set_points(points, 15);
    assert_true(expect_right_answer(15));
}

/* ---- the order of edges ---- */

/* The height of the tree below a place; checks that it is balanced, and what its edges say of it. */
static int check_tree(const struct edge_order *order, uint32_t place, uint32_t parent, uint32_t *lowest)
{
    if (place == CP_NONE)
        return 0;
    const struct ordered_edge *edge = &order->edges[place];
    assert_int_equal(edge->parent, parent);
    int lower = check_tree(order, edge->children[0], place, lowest);
    assert_int_equal(place, *lowest); /* the list, from below */
    *lowest = edge->above;
    int higher = check_tree(order, edge->children[1], place, lowest);
    assert_true(abs(lower - higher) <= 1);
    assert_int_equal(edge->height, 1 + (lower > higher ? lower : higher));
    return edge->height;
}

/* Edges come at random places, at the top or at the bottom, and go. */
static void test_edge_order(void **unused)
{
    (void)unused;
    enum { EDGES = 400 };
    static struct ordered_edge edges[EDGES];
    struct random random = {14};
    struct edge_order order = {.edges = edges, .root = CP_NONE, .lowest = CP_NONE};
    bool in[EDGES] = {false};
    uint32_t count = 0, last = CP_NONE;
    for (int round = 0; round < 20000; round++) {
        uint32_t place = random_bits(&random) % EDGES, below = random_bits(&random) % EDGES;
        bool grow = round / 2000 % 2 == 0 || random_bits(&random) % 4 == 0;
        if (in[place] && !grow) {
            edge_order_remove(&order, place);
            in[place] = false;
            count--;
        } else if (!in[place]) {
            below = round % 3 == 0 && last != CP_NONE && in[last] ? last
                    : round % 3 == 1 || !in[below]                ? CP_NONE
                                                                  : below;
            edge_order_insert(&order, place, below);
            in[place] = true;
            last = place;
            count++;
        }
        uint32_t lowest = order.lowest, listed = 0;
        (void)check_tree(&order, order.root, CP_NONE, &lowest);
        assert_int_equal(lowest, CP_NONE);
        for (uint32_t at = order.lowest, before = CP_NONE; at != CP_NONE; before = at, at = edges[at].above, listed++)
            assert_int_equal(edges[at].below, before);
        assert_int_equal(listed, count);
    }
}

/* ---- the work of ears, and what they alone would take too long for ---- */

static void clip_counted(uint32_t count, uint64_t most_steps)
{
    struct ears ears;
    assert_true(ears_reserve(&ears, context, count));
    memcpy(ears.points, polygon, count * sizeof *polygon);
    (void)ears_clip(&ears, count, triangles);
    assert_true(ears.steps <= most_steps * count);
    expect_boundary(triangles, count);
    ears_free(&ears);
}

static void test_work_is_bounded(void **unused)
{
    (void)unused;
    struct random random = {6};
    for (uint32_t i = 0; i < MOST_POINTS; i++) { /* nothing but crossings */
        polygon[i][0] = (float)random_unit(&random);
        polygon[i][1] = (float)random_unit(&random);
    }
    clip_counted(MOST_POINTS, 600);
    for (uint32_t i = 0; i < MOST_POINTS; i++) /* a concave bite has its only ears at its ends */
        set_point(i, 1.9, -PI / 2 - PI * i / (MOST_POINTS - 4));
    const float plate[][2] = {{-4, 4}, {-4, -4}, {1, -4}};
    memcpy(polygon[MOST_POINTS - 3], plate, sizeof plate);
    clip_counted(MOST_POINTS, 200);
}

/* Spikes round a centre, with the corners between them at all distances: long triangles go through what ears keeps
 * together. */
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

/* With holes on bridges the sweep line may give up, and ears go on: five squares one behind the other in the middle of
 * spikes. */
static void test_holes_amid_spikes(void **unused)
{
    (void)unused;
    enum { SPIKES = 20000, HOLES = 5 };
    struct random random = {15};
    struct ears ears;
    uint32_t count = 0;
    for (; count < SPIKES; count++)
        set_point(count, count % 2 ? 1000 : 100 + 900 * pow(random_unit(&random), 2), 2 * PI * count / SPIKES);
    set_point(0, 110, 0);
    set_point(count++, 110, 0);
    for (int i = 0; i < 2 * HOLES; i++) { /* there along the lower halves, back along the upper ones */
        int hole = i < HOLES ? i : 2 * HOLES - 1 - i;
        double x = 72 - 36 * hole, side = i < HOLES ? 10 : -10;
        const double places[][2] = {{x + side, 0}, {x + side, -side}, {x - side, -side}, {x - side, 0}};
        for (int k = i == HOLES; k < 4; k++, count++) /* the last hole's far side is there already */
            for (int axis = 0; axis < 2; axis++)
                polygon[count][axis] = (float)places[k][axis];
    }
    for (int turn = 0; turn < 4; turn++) {
        assert_true(ears_reserve(&ears, context, count));
        memcpy(ears.points, polygon, count * sizeof *polygon);
        assert_int_equal(ears_clip(&ears, count, triangles), CP_OK);
        assert_true(ears.steps > UINT64_C(200) * count);
        expect_cover(count);
        ears_free(&ears);
        turn_polygon(count);
    }
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
        cmocka_unit_test_setup_teardown(test_polygons_on_grids, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_polygons_with_noise, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_polygon_with_noise, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_edge_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_work_is_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ears_hand_over, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_holes_amid_spikes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_memory, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
