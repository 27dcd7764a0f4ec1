/* How far apart surfaces are: never more than between any two of their points, and no less than rounding explains. */
#include "model/model.h"
#include "random_bodies.h"
#include "wide_triangles.h"

/* ---- all pairs, in more digits ---- */

static long double try_all_distances(const struct bvh *one, const struct bvh *other, const cp_pose *placed)
{
    long double best = INFINITY;
    for (uint32_t k = 0; k < other->triangle_count; k++) {
        double there[3][3];
        corners_of(other, k, placed, there);
        struct wide_triangle second = widen((corners)there);
        for (uint32_t i = 0; i < one->triangle_count; i++) {
            double here[3][3];
            corners_of(one, i, NULL, here);
            if (!are_near((corners)here, (corners)there, (double)best))
                continue;
            struct wide_triangle first = widen((corners)here);
            best = fminl(best, pair_distance(&first, &second));
        }
    }
    return best;
}

/* ---- against them ---- */

/* What a direction loses that was found between points a distance apart, each a rounding off. */
static double loss_at(double distance, double reach)
{
    return 7e-15 * reach + 1e-15 * reach * reach / distance;
}

static double distance_of(const struct bvh *one, const struct bvh *other, const cp_pose *placed, double most)
{
    uint64_t tests = 0;
    double distance = surfaces_distance(one, other, placed, most, &tests);
    assert_true(tests > 0);
    return distance;
}

static void compare(const struct bvh *one, const struct bvh *other, const cp_pose *placed, struct random *random)
{
    double found = distance_of(one, other, placed, INFINITY);
    double reach = one->reach + 3 * pose_stretch_bound(placed) * other->reach + fabs(placed->m[3]) +
                   fabs(placed->m[7]) + fabs(placed->m[11]);
    long double expected = try_all_distances(one, other, placed);
    if (try_all_pairs(one, other, placed) == YES) {
        assert_true(found == 0);
        return;
    }
    assert_true((long double)found <= expected);
    double least = (double)expected - loss_at((double)expected, reach);
    assert_true(found >= least);
    for (int round = 0; round < 3; round++) {
        double most = 2 * random_unit(random) * (double)expected;
        double bound = distance_of(one, other, placed, most);
        assert_true(bound <= most && (long double)bound <= expected);
        assert_true(bound >= fmin(most, least)); /* which pairs were left out may differ, and so may their roundings */
    }
}

static void test_tori(void **unused)
{
    (void)unused;
    struct random random = {4};
    struct bvh one = torus(30, 16), other = torus(8, 6);
    uint32_t rounds = usual_or_long(60, 3000);
    for (uint32_t round = 0; round < rounds; round++) {
        cp_pose placed = random_pose(&random, one.reach * (1 + 1.5 * random_unit(&random)));
        compare(&one, &other, &placed, &random);
    }
    bvh_free(context, &one);
    bvh_free(context, &other);
}

/* From touching out: 1e-3 to 1e-12. */
static void test_near_touching(void **unused)
{
    (void)unused;
    struct random random = {5};
    struct bvh one = torus(12, 8), other = torus(10, 6);
    uint32_t rounds = usual_or_long(6, 500);
    for (uint32_t round = 0; round < rounds; round++) {
        cp_pose direction = random_pose(&random, 1), placed = direction;
        double inside = 0, outside = 4 * one.reach;
        for (int bisection = 0; bisection < 50; bisection++) {
            uint64_t tests = 0;
            double middle = (inside + outside) / 2;
            for (int i = 0; i < 3; i++)
                placed.m[4 * i + 3] = middle * direction.m[4 * i + 3];
            *(bvh_meet(&one, &other, &placed, &tests) ? &inside : &outside) = middle;
        }
        for (double off = 1e-3; off > 0.5e-12; off /= 10) {
            for (int i = 0; i < 3; i++)
                placed.m[4 * i + 3] = (outside + off) * direction.m[4 * i + 3];
            compare(&one, &other, &placed, &random);
        }
    }
    bvh_free(context, &one);
    bvh_free(context, &other);
}

/* Triangles, slivers, lines and points by themselves, parallel ones among them; in frames that stretch, mirror and
 * flatten; the unit far too small and far too large for squares of floats. */
static void test_few_triangles(void **unused)
{
    (void)unused;
    struct random random = {6};
    uint32_t triangles[2][4][3], rounds = usual_or_long(3000, 100000);
    double vertices[2][12][3];
    for (uint32_t round = 0; round < rounds; round++) {
        struct bvh trees[2];
        double unit = ldexp(1, round % 7 == 0 ? 90 : round % 7 == 1 ? -90 : 0);
        uint32_t range = round % 3 == 0 ? 3 : 1000;
        for (uint32_t set = 0; set < 2; set++) {
            for (uint32_t i = 0; i < 12; i++) {
                triangles[set][i / 3][i % 3] = random_bits(&random) % 8 == 0 ? i / 3 * 3 : i;
                for (int axis = 0; axis < 3; axis++)
                    vertices[set][i][axis] = (double)(random_bits(&random) % range) / range * unit;
            }
            trees[set] = tree_of(vertices[set], 12, triangles[set], 1 + random_bits(&random) % 4);
        }
        cp_pose placed = random_pose(&random, 1.5 * unit);
        if (round % 4 == 0)
            placed = pose_translation(0, 0, (1 + random_unit(&random)) * unit);
        if (round % 5 == 0) {
            cp_pose scaling = pose_scaling(1 + random_unit(&random), -0.5, round % 10 ? 1 : 0);
            placed = pose_multiply(&placed, &scaling);
        }
        compare(&trees[0], &trees[1], &placed, &random);
        bvh_free(context, &trees[0]);
        bvh_free(context, &trees[1]);
    }
}

/* What is farther than asked for is known from the largest boxes. */
static void test_far(void **unused)
{
    (void)unused;
    struct bvh one = torus(30, 16), other = torus(30, 16), none = {0};
    uint64_t tests = 0;
    double away = 2 * one.reach;
    cp_pose placed = pose_translation(away + 0.1, 0, 0);
    assert_true(surfaces_distance(&one, &other, &placed, 0.09, &tests) == 0.09);
    assert_int_equal(tests, 1);
    assert_true(surfaces_distance(&one, &none, &placed, INFINITY, &tests) == (double)INFINITY);
    assert_true(surfaces_distance(&none, &one, &placed, 2, &tests) == 2);
    assert_int_equal(tests, 1);
    bvh_free(context, &one);
    bvh_free(context, &other);
}

/* A small triangle above a large one, turned any way: the distance is known to the rounding of the coordinates, though
 * the way between the two is as short as their rounding is to it. */
static void test_large_and_near(void **unused)
{
    (void)unused;
    struct random random = {8};
    for (int round = 0; round < 20000; round++) {
        double half = pow(10, random_unit(&random) * 4), away = pow(10, -6 + 3 * random_unit(&random));
        double large[3][3] = {{-half, -half, 0}, {half, -half, 0}, {0, half, 0}};
        double small[3][3] = {{0, 0, away}, {1, 0.5, away + 0.5}, {0.5, 1, away + 0.7}};
        cp_pose pose = random_pose(&random, half);
        for (int i = 0; i < 3; i++) {
            pose_point(&pose, large[i], large[i]);
            pose_point(&pose, small[i], small[i]);
        }
        double distance = triangles_distance((corners)large, (corners)small, INFINITY, 0);
        assert_true(fabs(distance - away) <= 1e-6 * away + 1e-14 * half);
    }
}

/* ---- kinds of bodies ---- */

/* To 1e-9 of the distance, where that is no less than a thousandth of the bodies; with bounds about it, and whether
 * they are nearer than these. */
static void compare_relative(const struct bvh *one, const struct bvh *other, const cp_pose *placed)
{
    static const double shares[] = {0.5, 1 - 1e-8, 1 + 1e-8, 2, 1e6};
    double expected = (double)try_all_distances(one, other, placed), found = distance_of(one, other, placed, INFINITY);
    if (try_all_pairs(one, other, placed) == YES) {
        assert_true(found == 0);
        return;
    }
    bool is_near = expected < 1e-3 * (one->reach + other->reach);
    assert_true(found <= expected && (is_near || found >= expected * (1 - 1e-9)));
    for (size_t i = 0; i < sizeof shares / sizeof *shares && !is_near; i++) {
        double most = shares[i] * expected;
        uint64_t tests = 0;
        double bound = distance_of(one, other, placed, most),
               nearer = surfaces_nearer(one, other, placed, most, &tests);
        assert_true(bound <= fmin(most, expected) && bound >= fmin(most, expected * (1 - 1e-9)));
        assert_int_equal(nearer < most, expected < most);
    }
}

/* Soups, crumbs, plates, needles and lines next to each other, across each other, and far apart. */
static void test_kinds(void **unused)
{
    (void)unused;
    static const double away[] = {0, 0.3, 1, 2, 10, 1e4};
    struct random random = {9};
    static struct random_body one, other;
    uint32_t rounds = usual_or_long(1200, 50000);
    for (uint32_t round = 0; round < rounds; round++) {
        uint32_t first = round % BODY_KINDS, second = round / BODY_KINDS % BODY_KINDS;
        make_body(&one, (enum body_kind)first, &random, 1 + random_bits(&random) % 24, random_unit(&random));
        make_body(&other, (enum body_kind)second, &random, 1 + random_bits(&random) % 24, random_unit(&random));
        cp_pose placed = random_pose(&random, away[random_bits(&random) % 6]);
        compare_relative(&one.bvh, &other.bvh, &placed);
        bvh_free(context, &one.bvh);
        bvh_free(context, &other.bvh);
    }
}

/* A torus in the tube of another one, which is turned a little: all of it is near, and nothing meets. */
static void test_nested(void **unused)
{
    (void)unused;
    struct random random = {10};
    struct bvh one = torus(24, 12), other = torus(12, 8);
    uint32_t rounds = usual_or_long(15, 1000);
    for (uint32_t round = 0; round < rounds; round++) {
        cp_pose placed = pose_rotation_degrees(2, 360 * random_unit(&random)), thinner = pose_scaling(1, 1, 1);
        for (uint32_t i = 0; i < other.vertex_count; i++) { /* so that it stays in the tube: a quarter as thick */
            double *at = other.vertices[i], middle = 3 / hypot(at[0], at[1]);
            for (int axis = 0; axis < 3 && round == 0; axis++)
                at[axis] = (axis < 2 ? at[axis] * middle * 0.75 : 0) + at[axis] * 0.25;
        }
        if (round == 0) {
            bvh_free(context, &other);
            other = tree_of(other.vertices, other.vertex_count, other.triangles, other.triangle_count);
        }
        thinner.m[11] = 0.1 * random_unit(&random);
        placed = pose_multiply(&placed, &thinner);
        assert_int_equal(try_all_pairs(&one, &other, &placed), NO);
        compare_relative(&one, &other, &placed);
    }
    bvh_free(context, &one);
    bvh_free(context, &other);
}

/* With a corner in common, on whole numbers, or a side, or a face: 0. */
static void test_touching(void **unused)
{
    (void)unused;
    struct random random = {11};
    static struct random_body one, other;
    for (int round = 0; round < 500; round++) {
        uint32_t counts[2];
        for (int set = 0; set < 2; set++) {
            struct random_body *body = set ? &other : &one;
            counts[set] = 1 + random_bits(&random) % 20;
            for (uint32_t i = 0; i < 3 * counts[set]; i++) {
                for (int axis = 0; axis < 3; axis++)
                    body->vertices[i][axis] =
                        axis == 0 ? (set ? 1.0 : -1.0) * (random_bits(&random) % 50 + 1) : random_bits(&random) % 50;
                body->triangles[i / 3][i % 3] = i;
            }
        }
        uint32_t shared = random_bits(&random) % 3 + 1;
        for (uint32_t i = 0; i < shared; i++) { /* in the plane between them */
            one.vertices[i][0] = 0;
            memcpy(other.vertices[i], one.vertices[i], sizeof *other.vertices);
        }
        one.bvh = tree_of(one.vertices, 3 * counts[0], one.triangles, counts[0]);
        other.bvh = tree_of(other.vertices, 3 * counts[1], other.triangles, counts[1]);
        cp_pose identity = POSE_IDENTITY, apart = pose_translation(0.125, 0, 0);
        assert_true(distance_of(&one.bvh, &other.bvh, &identity, INFINITY) == 0);
        compare_relative(&one.bvh, &other.bvh, &apart);
        bvh_free(context, &one.bvh);
        bvh_free(context, &other.bvh);
    }
}

/* ---- a point ---- */

/* Against every triangle of a body. */
static void test_points(void **unused)
{
    (void)unused;
    struct random random = {7};
    struct bvh one = torus(30, 12);
    for (int round = 0; round < 500; round++) {
        double point[3];
        struct wide_triangle alone = {{{0}}, {{0}}};
        long double best = INFINITY;
        for (int axis = 0; axis < 3; axis++) {
            point[axis] = (2 * random_unit(&random) - 1) * one.reach;
            for (int i = 0; i < 3; i++)
                alone.corners[i][axis] = (long double)point[axis];
        }
        for (uint32_t i = 0; i < one.triangle_count; i++) {
            double here[3][3];
            corners_of(&one, i, NULL, here);
            struct wide_triangle triangle = widen((corners)here);
            best = fminl(best, pair_distance(&alone, &triangle));
        }
        assert_true(fabs(surface_distance(&one, point, INFINITY) - (double)best) < 1e-14 * one.reach);
        assert_true(surface_distance(&one, point, (double)best / 2) == (double)best / 2);
    }
    bvh_free(context, &one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_tori, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_near_touching, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_few_triangles, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_large_and_near, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_far, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_kinds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nested, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_touching, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_points, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
