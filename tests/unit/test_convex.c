/* Gaps between hulls, against the distances of all corners and sides of tetrahedra from each other; larger hulls
 * against all their points. */
#include "collide/hull/hull.h"
#include "model/model.h"

#include "collide/surface/surface.h"
#include "mesh_support.h"

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static struct convex convex_of(const double (*points)[3], uint32_t count)
{
    return (struct convex){.points = points, .count = count};
}

/* From a + s u to b + t v, s and t from 0 to 1: the best of many steps of each in turn, which converges as the distance
 * is convex. */
static double segment_distance(const double a[3], const double u[3], const double b[3], const double v[3])
{
    double s = 0.5, t = 0.5, away[3];
    for (int step = 0; step < 2000; step++) {
        double towards = 0, back = 0;
        for (int i = 0; i < 3; i++)
            towards += (b[i] + t * v[i] - a[i]) * u[i];
        s = dot(u, u) > 0 ? fmin(1, fmax(0, towards / dot(u, u))) : 0;
        for (int i = 0; i < 3; i++)
            back += (a[i] + s * u[i] - b[i]) * v[i];
        t = dot(v, v) > 0 ? fmin(1, fmax(0, back / dot(v, v))) : 0;
    }
    for (int i = 0; i < 3; i++)
        away[i] = a[i] + s * u[i] - b[i] - t * v[i];
    return sqrt(dot(away, away));
}

static double point_distance(const double p[3], const double triangle[3][3])
{
    double ab[3], ac[3], ap[3], normal[3];
    for (int i = 0; i < 3; i++) {
        ab[i] = triangle[1][i] - triangle[0][i];
        ac[i] = triangle[2][i] - triangle[0][i];
        ap[i] = p[i] - triangle[0][i];
    }
    for (int i = 0; i < 3; i++)
        normal[i] = ab[(i + 1) % 3] * ac[(i + 2) % 3] - ab[(i + 2) % 3] * ac[(i + 1) % 3];
    double abab = dot(ab, ab), abac = dot(ab, ac), acac = dot(ac, ac), det = abab * acac - abac * abac;
    double s = (acac * dot(ap, ab) - abac * dot(ap, ac)) / det, t = (abab * dot(ap, ac) - abac * dot(ap, ab)) / det;
    return s >= 0 && t >= 0 && s + t <= 1 ? fabs(dot(ap, normal)) / sqrt(dot(normal, normal)) : INFINITY;
}

static const int faces[4][3] = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}};
static const int sides[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

static void face_of(const double points[4][3], int face, double out[3][3])
{
    for (int k = 0; k < 3; k++)
        memcpy(out[k], points[faces[face][k]], sizeof out[k]);
}

/* Of surfaces: 0 where they meet; tetrahedra in each other are left out of the tests. */
static double distance_of_surfaces(const double one[4][3], const double other[4][3])
{
    double best = INFINITY;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            double first[3][3], second[3][3];
            face_of(one, i, first);
            face_of(other, k, second);
            if (triangles_meet((const double(*)[3])first, (const double(*)[3])second))
                return 0;
            best = fmin(best, fmin(point_distance(one[k], (const double(*)[3])second),
                                   point_distance(other[i], (const double(*)[3])first)));
            for (int corner = 0; corner < 4; corner++)
                best = fmin(best, fmin(point_distance(one[corner], (const double(*)[3])second),
                                       point_distance(other[corner], (const double(*)[3])first)));
        }
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) {
            double u[3], v[3];
            for (int axis = 0; axis < 3; axis++) {
                u[axis] = one[sides[i][1]][axis] - one[sides[i][0]][axis];
                v[axis] = other[sides[k][1]][axis] - other[sides[k][0]][axis];
            }
            best = fmin(best, segment_distance(one[sides[i][0]], u, other[sides[k][0]], v));
        }
    return best;
}

/* The gap, by a search that knows nothing yet. */
static struct hull_gap cold_gap(const struct convex *one, const struct convex *other, double enough)
{
    struct convex_start start = {0};
    return convex_gap(one, other, enough, &start);
}

static void test_gaps(void **unused)
{
    (void)unused;
    struct random random = {1};
    int apart = 0, rounds = 600;
    for (int round = 0; round < rounds; round++) {
        double one[4][3], other[4][3], away = 3 * random_unit(&random);
        for (int i = 0; i < 4; i++)
            for (int axis = 0; axis < 3; axis++) {
                one[i][axis] = random_unit(&random);
                other[i][axis] = random_unit(&random) + (axis == round % 3 ? away : 0);
            }
        struct convex first = convex_of((const double(*)[3])one, 4), second = convex_of((const double(*)[3])other, 4);
        struct hull_gap gap = cold_gap(&first, &second, INFINITY);
        double expected = distance_of_surfaces((const double(*)[3])one, (const double(*)[3])other);
        assert_true(gap.low <= expected);
        assert_false(gap.overlap && gap.low > 0);
        if (gap.low > 0) {
            assert_true(gap.low >= expected - 1e-6);
            assert_true(fabs(dot(gap.normal, gap.normal) - 1) < 1e-12);
            for (int i = 0; i < 16; i++) {
                double between[3];
                for (int axis = 0; axis < 3; axis++)
                    between[axis] = other[i % 4][axis] - one[i / 4][axis];
                assert_true(dot(between, gap.normal) >= gap.low);
            }
        } else {
            assert_true(gap.overlap);
        }
        apart += gap.low > 0;
    }
    assert_true(apart > rounds / 2 && apart < rounds);
}

/* Points, segments and flat hulls; touching; the search may end early. */
static void test_special(void **unused)
{
    (void)unused;
    const double point[][3] = {{0, 0, 0}}, far[][3] = {{3, 4, 0}},
                 square[][3] = {{-1, -1, 2}, {1, -1, 2}, {1, 1, 2}, {-1, 1, 2}};
    const double segment[][3] = {{-1, 0, 0}, {1, 0, 0}};
    struct convex a = convex_of(point, 1), b = convex_of(far, 1), c = convex_of(square, 4), d = convex_of(segment, 2);
    assert_true(fabs(cold_gap(&a, &b, INFINITY).low - 5) < 1e-9);
    assert_true(fabs(cold_gap(&a, &c, INFINITY).low - 2) < 1e-9);
    assert_true(fabs(cold_gap(&c, &d, INFINITY).low - 2) < 1e-9);
    assert_true(fabs(cold_gap(&c, &d, INFINITY).normal[2] + 1) < 1e-9);
    assert_true(cold_gap(&a, &a, INFINITY).overlap);
    assert_true(cold_gap(&a, &d, INFINITY).overlap);
    double enough = cold_gap(&a, &b, 1).low;
    assert_true(enough > 1 && enough <= 5);
}

/* ---- many points, placed ---- */

enum { MANY = 300 };

struct placed {
    double points[MANY][3], there[MANY][3];
    struct hull hull;
    struct convex convex;
    cp_pose pose;
};

/* Points of a longish ball; even rounds turn and stretch them. */
static void make_placed(struct random *random, cp_context *context, struct placed *placed, uint32_t count, int round)
{
    double axis[] = {0.6, 0, 0.8}, size = round % 3 == 0 ? 1000 : 1;
    placed->pose = pose_rotation(axis, 6 * random_unit(random));
    for (int row = 0; row < 3; row++) {
        placed->pose.m[4 * row + 3] = size * (4 * random_unit(random) - 2);
        placed->pose.m[4 * row] *= round % 2 == 0 ? 1.5 : 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        double length = 0;
        for (int k = 0; k < 3; k++) {
            placed->points[i][k] = random_unit(random) - 0.5;
            length += placed->points[i][k] * placed->points[i][k];
        }
        for (int k = 0; k < 3; k++)
            placed->points[i][k] *= size * (k == 2 ? 2 : 0.7) / sqrt(length + 1e-9);
        pose_point(&placed->pose, placed->points[i], placed->there[i]);
    }
    assert_int_equal(hull_find(context, (const double(*)[3])placed->points, count, &placed->hull), CP_OK);
    placed->convex = hull_convex(&placed->hull);
    placed->convex.pose = &placed->pose;
}

/* How far apart all points are along a direction, in more digits. */
static long double parted(const struct placed *one, const struct placed *other, uint32_t count, const double normal[3])
{
    long double first = -INFINITY, second = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        long double here = 0, there = 0;
        for (int k = 0; k < 3; k++) {
            long double a = one->pose.m[4 * k + 3], b = other->pose.m[4 * k + 3];
            for (int l = 0; l < 3; l++) {
                a += (long double)one->pose.m[4 * k + l] * one->points[i][l];
                b += (long double)other->pose.m[4 * k + l] * other->points[i][l];
            }
            here += a * normal[k];
            there += b * normal[k];
        }
        first = here > first ? here : first;
        second = there < second ? there : second;
    }
    return second - first;
}

/* Low and high close in on the distance: low parts all points along the normal, high is that of two points. The same
 * without clusters and poses, and from any start. */
static void test_placed(void **unused)
{
    (void)unused;
    struct random random = {2};
    cp_context *context = cp_context_new(NULL);
    struct placed *one = malloc(sizeof *one), *other = malloc(sizeof *other);
    struct convex_start start = {0};
    assert_true(context && one && other);
    uint32_t apart = 0, rounds = usual_or_long(600, 10000);
    for (uint32_t round = 0; round < rounds; round++) {
        uint32_t count = round % 4 == 0 ? 5 : round % 4 == 1 ? 40 : MANY;
        make_placed(&random, context, one, count, (int)round);
        make_placed(&random, context, other, count, (int)round);
        struct convex all = convex_of((const double(*)[3])one->there, count),
                      rest = convex_of((const double(*)[3])other->there, count);
        struct hull_gap gap = cold_gap(&one->convex, &other->convex, INFINITY), plain = cold_gap(&all, &rest, INFINITY);
        start.count = round % 4;
        for (uint32_t i = 0; i < 3; i++) {
            start.pairs[i][0] = random_bits(&random) % one->hull.count;
            start.pairs[i][1] = random_bits(&random) % other->hull.count;
        }
        struct hull_gap again = convex_gap(&one->convex, &other->convex, INFINITY, &start);
        const struct hull_gap *const gaps[] = {&gap, &plain, &again};
        for (int i = 0; i < 3; i++) {
            assert_int_equal(gaps[i]->low > 0, gap.low > 0);
            assert_int_equal(gaps[i]->overlap, gap.low == 0);
            if (gap.low == 0)
                continue;
            assert_true(gaps[i]->low <= parted(one, other, count, gaps[i]->normal));
            assert_true(fabs(gaps[i]->low - gap.high) <= 1e-8 * gap.high + 1e-10);
            assert_true(fabs(gaps[i]->high - gap.high) <= 1e-8 * gap.high + 1e-10);
        }
        assert_true(start.count >= 1 && start.count <= 3);
        /* the next one finds its place at once, and the same */
        struct hull_gap last = convex_gap(&one->convex, &other->convex, INFINITY, &start);
        assert_true(fabs(last.low - gap.low) <= 1e-8 * gap.low + 1e-10);
        apart += gap.low > 0;
        hull_free(context, &one->hull);
        hull_free(context, &other->hull);
    }
    assert_true(apart > rounds / 2 && apart < rounds * 7 / 8);
    free(one);
    free(other);
    cp_context_free(context);
}

static void test_radius(void **unused)
{
    (void)unused;
    struct random random = {3};
    cp_context *context = cp_context_new(NULL);
    struct placed *placed = malloc(sizeof *placed);
    assert_true(context && placed);
    for (int round = 0; round < 300; round++) {
        uint32_t count = round % 2 ? MANY : 1 + (uint32_t)round / 10;
        make_placed(&random, context, placed, count, round);
        double axis[3], origin[3], most = 0;
        for (int k = 0; k < 3; k++) {
            axis[k] = round % 5 == 0 ? k == round % 3 : random_unit(&random) - 0.5;
            origin[k] = 3 * random_unit(&random);
        }
        double length = sqrt(dot(axis, axis));
        for (int k = 0; k < 3; k++)
            axis[k] /= length;
        for (uint32_t i = 0; i < count; i++) {
            double from[3], away2 = 0;
            for (int k = 0; k < 3; k++)
                from[k] = placed->there[i][k] - origin[k];
            for (int k = 0; k < 3; k++) {
                double across = from[k] - dot(from, axis) * axis[k];
                away2 += across * across;
            }
            most = fmax(most, sqrt(away2));
        }
        assert_true(fabs(convex_radius(&placed->convex, axis, origin) - most) <= 1e-11 * (1 + most));
        hull_free(context, &placed->hull);
    }
    free(placed);
    cp_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gaps), cmocka_unit_test(test_special),
                                       cmocka_unit_test(test_placed), cmocka_unit_test(test_radius)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
