/* How far apart surfaces are: never more than between any two of their points, and no less than rounding explains. */
#include "collide/surface/distance.h"
#include "collide_support.h"

/* ---- all pairs, in more digits ---- */

typedef long double triple[3];

static long double product(const triple a, const triple b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void step(const triple from, const triple along, long double share, triple out)
{
    for (int i = 0; i < 3; i++)
        out[i] = from[i] + share * along[i];
}

static void difference(const triple a, const triple b, triple out)
{
    step(a, b, -1, out);
}

static long double length(const triple a)
{
    return sqrtl(product(a, a));
}

/* A point and the side from a on. */
static long double point_side(const triple point, const triple a, const triple along)
{
    triple away;
    difference(point, a, away);
    long double square = product(along, along), share = square > 0 ? product(away, along) / square : 0;
    step(away, along, -fminl(1, fmaxl(0, share)), away);
    return length(away);
}

/* Where both nearest points are within the sides a a + u and b b + v; else infinite. */
static long double side_side(const triple a, const triple u, const triple b, const triple v)
{
    triple away, reached;
    difference(b, a, away);
    long double uu = product(u, u), uv = product(u, v), vv = product(v, v), det = uu * vv - uv * uv;
    long double s = (product(away, u) * vv - product(away, v) * uv) / det;
    long double t = (product(away, u) * uv - product(away, v) * uu) / det;
    if (!(s >= 0 && s <= 1 && t >= 0 && t <= 1))
        return INFINITY;
    step(away, v, t, reached);
    step(reached, u, -s, reached);
    return length(reached);
}

struct wide_triangle {
    triple corners[3], sides[3];
};

/* Where the nearest point is within the triangle; else infinite. */
static long double point_face(const triple point, const struct wide_triangle *triangle)
{
    triple away, v;
    const long double *u = triangle->sides[0];
    difference(point, triangle->corners[0], away);
    difference(triangle->corners[2], triangle->corners[0], v);
    long double uu = product(u, u), uv = product(u, v), vv = product(v, v), det = uu * vv - uv * uv;
    long double s = (product(away, u) * vv - product(away, v) * uv) / det;
    long double t = (product(away, v) * uu - product(away, u) * uv) / det;
    if (!(s >= 0 && t >= 0 && s + t <= 1))
        return INFINITY;
    step(away, u, -s, away);
    step(away, v, -t, away);
    return length(away);
}

static struct wide_triangle widen(corners triangle)
{
    struct wide_triangle wide;
    for (int i = 0; i < 3; i++)
        for (int axis = 0; axis < 3; axis++) {
            wide.corners[i][axis] = (long double)triangle[i][axis];
            wide.sides[i][axis] = (long double)triangle[(i + 1) % 3][axis] - (long double)triangle[i][axis];
        }
    return wide;
}

/* Of triangles that do not meet. */
static long double pair_distance(const struct wide_triangle *one, const struct wide_triangle *other)
{
    long double best = INFINITY;
    for (int i = 0; i < 3; i++) {
        best = fminl(best, point_face(one->corners[i], other));
        best = fminl(best, point_face(other->corners[i], one));
        for (int k = 0; k < 3; k++) {
            best = fminl(best, point_side(one->corners[i], other->corners[k], other->sides[k]));
            best = fminl(best, point_side(other->corners[i], one->corners[k], one->sides[k]));
            best = fminl(best, side_side(one->corners[i], one->sides[i], other->corners[k], other->sides[k]));
        }
    }
    return best;
}

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
    assert_true((double)expected - found <= loss_at((double)expected, reach));
    for (int round = 0; round < 3; round++) {
        double most = 2 * random_unit(random) * (double)expected;
        double bound = distance_of(one, other, placed, most);
        assert_true(bound <= most && (long double)bound <= expected);
        assert_true(bound >= fmin(most, found) * (1 - 1e-9));
    }
}

static void test_tori(void **unused)
{
    (void)unused;
    struct random random = {4};
    struct bvh one = torus(30, 16), other = torus(8, 6);
    uint32_t rounds = rounds_of(60, 3000);
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
    uint32_t rounds = rounds_of(6, 500);
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
    uint32_t triangles[2][4][3], rounds = rounds_of(3000, 100000);
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
        cmocka_unit_test_setup_teardown(test_points, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
