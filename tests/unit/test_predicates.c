/* Signs of determinants, against whole numbers of 128 bits. */
#include "mesh_support.h"
#include "model/model.h"

#include "mesh/box_tree.h"

__extension__ typedef __int128 wide;
typedef int64_t whole[3];

static int sign_of(wide value)
{
    return (value > 0) - (value < 0);
}

static void subtract_whole(const whole a, const whole b, whole out)
{
    for (int i = 0; i < 3; i++)
        out[i] = a[i] - b[i];
}

static wide determinant(const whole a, const whole b, const whole c)
{
    wide sum = 0;
    for (int i = 0; i < 3; i++) {
        int k = (i + 1) % 3, l = (i + 2) % 3;
        sum += (wide)a[i] * ((wide)b[k] * c[l] - (wide)b[l] * c[k]);
    }
    return sum;
}

static int64_t random_whole(struct random *random, int64_t range)
{
    return (int64_t)(((uint64_t)random_bits(random) << 31 | random_bits(random)) % (uint64_t)(2 * range + 1)) - range;
}

static void random_point(struct random *random, int64_t range, whole out)
{
    for (int i = 0; i < 3; i++)
        out[i] = random_whole(random, range);
}

static void to_doubles(const whole in, double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = (double)in[i];
}

/* ---- signs ---- */

static void expect_side_of_plane(whole points[4])
{
    double p[4][3];
    whole rows[3];
    for (int i = 0; i < 4; i++)
        to_doubles(points[i], p[i]);
    for (int i = 0; i < 3; i++)
        subtract_whole(points[i + 1], points[0], rows[i]);
    int expected = sign_of(determinant(rows[0], rows[1], rows[2]));
    assert_int_equal(side_of_plane(p[0], p[1], p[2], p[3]), expected);
    assert_int_equal(side_of_plane(p[1], p[0], p[2], p[3]), -expected);
    assert_int_equal(side_of_plane(p[3], p[2], p[1], p[0]), expected);
}

/* Points in a plane, far too large for doubles to tell, and those one off. */
static void test_side_of_plane(void **unused)
{
    (void)unused;
    struct random random = {1};
    const double from_above[][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 5}};
    assert_int_equal(side_of_plane(from_above[0], from_above[1], from_above[2], from_above[3]), 1);
    for (int round = 0; round < 100000; round++) {
        whole points[4];
        int64_t range = round % 2 ? INT64_C(1) << 36 : 3, along = random_whole(&random, 9),
                across = random_whole(&random, 9);
        for (int i = 0; i < 3; i++)
            random_point(&random, range, points[i]);
        for (int i = 0; i < 3; i++)
            points[3][i] =
                points[0][i] + along * (points[1][i] - points[0][i]) + across * (points[2][i] - points[0][i]);
        expect_side_of_plane(points);
        points[3][round % 3] += random_whole(&random, 1);
        expect_side_of_plane(points);
    }
}

/* Numbers too far apart in size for one double to hold their difference. */
static void test_far_apart(void **unused)
{
    (void)unused;
    struct random random = {3};
    uint64_t flat = 0;
    for (int round = 0; round < 100000; round++) {
        whole points[4], rows[3];
        for (int i = 0; i < 4; i++) {
            random_point(&random, round % 2 ? 3 : INT64_C(1) << 22, points[i]);
            points[i][round % 3] = random_whole(&random, 2) * (random_bits(&random) % 2 ? INT64_C(1) << 58 : 1);
        }
        for (int i = 0; i < 3; i++)
            subtract_whole(points[i + 1], points[0], rows[i]);
        flat += determinant(rows[0], rows[1], rows[2]) == 0;
        expect_side_of_plane(points);
    }
    assert_in_range(flat, 1000, 99000);
}

static void test_side_of_line(void **unused)
{
    (void)unused;
    struct random random = {2};
    for (int round = 0; round < 100000; round++) {
        whole points[3];
        double p[3][3];
        int64_t along = random_whole(&random, 9);
        for (int i = 0; i < 2; i++)
            random_point(&random, INT64_C(1) << 45, points[i]);
        for (int i = 0; i < 3; i++)
            points[2][i] =
                points[0][i] + along * (points[1][i] - points[0][i]) + (i == round % 3 ? random_whole(&random, 1) : 0);
        for (int i = 0; i < 3; i++)
            to_doubles(points[i], p[i]);
        for (int i = 0; i < 3; i++) {
            int k = (i + 1) % 3;
            wide area = (wide)(points[1][i] - points[0][i]) * (points[2][k] - points[0][k]) -
                        (wide)(points[1][k] - points[0][k]) * (points[2][i] - points[0][i]);
            const int axes[] = {i, k};
            assert_int_equal(side_of_line(p[0], p[1], p[2], axes), sign_of(area));
        }
    }
}

/* Halves, thirds of the smallest digits: what is not whole is exact, too. */
static void test_small_differences(void **unused)
{
    (void)unused;
    const double a[] = {0.1, 0.1, 0.1}, b[] = {1.1, 0.1, 0.1}, c[] = {0.1, 1.1, 0.1},
                 d[] = {0.7, 0.3, nextafter(0.1, 1)};
    const double flat[] = {1e30, -1e30, 0.1};
    assert_int_equal(side_of_plane(a, b, c, d), 1);
    assert_int_equal(side_of_plane(a, c, b, d), -1);
    assert_int_equal(side_of_plane(a, b, c, flat), 0);
}

/* Sums and products that overflow tell nothing, and nothing is written beside what holds them. */
static void test_overflow(void **unused)
{
    (void)unused;
    struct random random = {4};
    const int axes[] = {0, 1};
    for (int round = 0; round < 10000; round++) {
        double p[4][3];
        for (int i = 0; i < 12; i++) {
            int64_t exponent = random_whole(&random, 1000);
            p[i / 3][i % 3] = ldexp((double)random_whole(&random, INT64_C(1) << 52), (int)exponent - 30);
        }
        int plane = side_of_plane(p[0], p[1], p[2], p[3]), line = side_of_line(p[0], p[1], p[2], axes);
        assert_true(abs(plane) <= 1 && abs(line) <= 1);
    }
    const double far[][3] = {{1e300, 0, 1e-300}, {-1e300, 1e300, 3}, {1, 1e300, -1e300}, {1e299, 7, 1e299}};
    const double endless[] = {(double)INFINITY, 0, 0};
    assert_int_equal(side_of_plane(far[0], far[1], far[2], far[3]), 0);
    assert_int_equal(side_of_line(far[0], far[1], far[3], axes), 0);
    assert_int_equal(side_of_plane(endless, far[1], far[2], far[3]), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_side_of_plane),     cmocka_unit_test(test_far_apart), cmocka_unit_test(test_side_of_line),
        cmocka_unit_test(test_small_differences), cmocka_unit_test(test_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
