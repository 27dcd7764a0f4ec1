/* Distances of triangles and solids: against closed forms, a plain search, and the library's own engine. */
#include "cells_support.h"

#include "base/text/text.h"
#include "collide/body/body.h"

/* In -1 .. 1: the same row of numbers in every run. */
static double random_number(void)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(state >> 11) * 0x1p-52 - 1;
}

/* ---- triangles ---- */

static void point_at(const double triangle[3][3], int i, int k, int steps, double point[3])
{
    double u = (double)i / steps, v = (double)k / steps;
    for (int axis = 0; axis < 3; axis++)
        point[axis] = triangle[0][axis] + u * (triangle[1][axis] - triangle[0][axis]) +
                      v * (triangle[2][axis] - triangle[0][axis]);
}

/* The least distance of points on a grid. */
static double search_distance(const double one[3][3], const double other[3][3], int steps)
{
    double best = INFINITY;
    for (int i = 0; i <= steps; i++)
        for (int k = 0; i + k <= steps; k++) {
            double here[3], there[3];
            point_at(one, i, k, steps, here);
            for (int m = 0; m <= steps; m++)
                for (int n = 0; m + n <= steps; n++) {
                    point_at(other, m, n, steps, there);
                    best = fmin(best, hypot(hypot(here[0] - there[0], here[1] - there[1]), here[2] - there[2]));
                }
        }
    return best;
}

/* Each point is within a step of the grid, so is the distance within two: sides are at most sqrt(12) long. */
static void test_triangles_by_search(void **unused)
{
    (void)unused;
    enum { STEPS = 16 };
    int met = 0, apart = 0;
    for (int round = 0; round < 300; round++) {
        double one[3][3], other[3][3], aside = 2 * random_number();
        for (int corner = 0; corner < 3; corner++)
            for (int axis = 0; axis < 3; axis++) {
                one[corner][axis] = random_number();
                other[corner][axis] = random_number() + (axis == 0 ? aside : 0);
            }
        double distance = triangle_gap((const double(*)[3])one, (const double(*)[3])other);
        double found = search_distance((const double(*)[3])one, (const double(*)[3])other, STEPS);
        assert_true(distance <= found + 1e-12 && found <= distance + 2 * sqrt(12) / STEPS);
        met += distance == 0;
        apart += distance > 0.3;
    }
    assert_true(met > 30 && apart > 30);
}

static void test_triangles_in_known_places(void **unused)
{
    (void)unused;
    const double base[3][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
    const struct {
        double triangle[3][3];
        double distance;
    } cases[] = {
        {{{1, 1, 0.5}, {1, 1, 3}, {2, 1, 3}}, 0.5},      /* a corner above the face */
        {{{1, 1, -1}, {1, 1, 3}, {2, 1, 3}}, 0},         /* a side through the face */
        {{{1, -1, 1}, {3, -1, 1}, {2, -3, 4}}, sqrt(2)}, /* side and side, parallel */
        {{{2, -1, -2}, {2, -1, 2}, {2, -3, 0}}, 1},      /* side across side */
        {{{1, 1, 0}, {1, 2, 0}, {2, 1, 0}}, 0},          /* in the same plane, inside */
        {{{-3, -4, 0}, {-6, -4, 0}, {-3, -8, 0}}, 5},    /* corner and corner */
        {{{4, 0, 0}, {5, 1, 1}, {5, 0, 1}}, 0},          /* a corner in common */
        {{{1, 1, 2}, {1, 1, 2}, {1, 1, 2}}, 2},          /* a point */
        {{{1, 1, 2}, {2, 1, 1}, {2, 1, 1}}, 1},          /* a line */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_near(triangle_gap(base, cases[i].triangle), cases[i].distance, 1e-12);
        expect_near(triangle_gap(cases[i].triangle, base), cases[i].distance, 1e-12);
    }
}

/* ---- solids ---- */

static double distance_of(const char *one, const char *other, const cp_pose *placed, double most)
{
    return solids_distance(&check.solids[node_of(one)], &check.solids[node_of(other)], placed, most);
}

/* Boxes along the axes: the gaps along each of them make the distance. */
static void test_boxes(void **unused)
{
    (void)unused;
    read_text("{ \"A\"\n GeoID \"#Box 1 2 3\"\n}\n{ \"B\"\n GeoID \"#Box 0.5 0.25 4\"\n}\n");
    int inside = 0, apart = 0;
    const double sums[3] = {0.75, 1.125, 3.5};
    for (int round = 0; round < 2000; round++) {
        double offset[3], square = 0;
        for (int axis = 0; axis < 3; axis++) {
            offset[axis] = 2 * sums[axis] * random_number();
            double gap = fmax(0, fabs(offset[axis]) - sums[axis]);
            square += gap * gap;
        }
        cp_pose placed = pose_translation(offset[0], offset[1], offset[2]);
        expect_near(distance_of("A", "B", &placed, 100), sqrt(square), 1e-12);
        expect_near(distance_of("A", "B", &placed, 0.1), fmin(0.1, sqrt(square)), 1e-12);
        inside += !(square > 0);
        apart += square > 0.01;
    }
    assert_true(inside > 100 && apart > 100);
}

/* Surfaces apart, but one in the other; in the hole of a tube it is not. */
static void test_one_in_another(void **unused)
{
    (void)unused;
    read_text(
        "{ \"Large\"\n GeoID \"#Box 2 2 2\"\n}\n{ \"Tube\"\n GeoID \"#Tube 1 0.5 4 24\"\n}\n"
        "{ \"Small\"\n GeoID \"#Box 0.2 0.2 0.2\"\n}\n{ \"Both\"\n GeoID \"#Box 0.2 0.2 8\" \"#Box 0.3 0.3 0.1\"\n}\n");
    cp_pose here = POSE_IDENTITY, aside = pose_translation(1.25, 0, 0), off = pose_translation(0, 0, 3);
    assert_true(distance_of("Large", "Small", &here, 9) == 0 && distance_of("Small", "Large", &here, 9) == 0);
    expect_near(distance_of("Tube", "Small", &here, 9), cos(PI / 24) - 0.1 * sqrt(2), 0.02);
    assert_true(distance_of("Tube", "Small", &aside, 9) == 0);
    assert_true(distance_of("Both", "Small", &off, 9) == 0); /* in one of two that overlap */
    assert_int_equal(check.solids[node_of("Both")].piece_count, 2);
}

/* All pairs of a cell's frames as its joints are moved: the tree, every triangle with every other, and the library. */
static void compare(const char *cell, int rounds)
{
    struct bodies bodies;
    read_cell(cell);
    assert_int_equal(bodies_find(&bodies, context, scene), CP_OK);
    int met = 0, apart = 0;
    for (int round = 0; round < rounds; round++) {
        for (uint32_t i = 0; i < check.joint_count; i++)
            check.q[i] = 1.5 * random_number();
        assert_int_equal(cp_mechanism_poses(check.mechanism, check.q, check.worlds), CP_OK);
        for (uint32_t i = 0; i < bodies.count; i++)
            for (uint32_t k = 0; k < i; k++) {
                const struct body *a = &bodies.items[i], *b = &bodies.items[k];
                const struct solid *one = &check.solids[a->node], *other = &check.solids[b->node];
                cp_pose back;
                uint64_t tests = 0;
                assert_true(pose_inverse(&check.worlds[a->node], &back));
                cp_pose placed = pose_multiply(&back, &check.worlds[b->node]);
                double distance = solids_distance(one, other, &placed, 100);
                double plain = solids_distance_plainly(one, other, &placed);
                expect_near(distance, plain > CONTACT ? plain : 0, 1e-12);
                if (distance > 0)
                    expect_near(distance, surfaces_distance(&a->bvh, &b->bvh, &placed, 100, &tests),
                                3e-7); /* primitives in floats here */
                if (!(plain > 0) || distance > 0)
                    assert_int_equal(bodies_meet(a, b, &placed, &tests), !(distance > 0));
                met += !(distance > 0);
                apart += distance > 0.01;
            }
    }
    assert_true(met > rounds && apart > rounds);
    bodies_free(&bodies);
}

static void test_against_all(void **unused)
{
    (void)unused;
    compare("ur.wu", getenv("CELLPIPE_LONG") ? 1000 : 20);
}

static void test_several_models(void **unused)
{
    (void)unused;
    compare("held.wu", getenv("CELLPIPE_LONG") ? 1000 : 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_triangles_by_search),
        TEST(test_triangles_in_known_places),
        TEST(test_boxes),
        TEST(test_one_in_another),
        TEST(test_against_all),
        TEST(test_several_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
