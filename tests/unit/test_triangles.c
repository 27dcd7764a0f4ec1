/* Triangles that meet, against whole numbers. */
#include "collide/surface/surface.h"
#include "model/model.h"

#include "whole_triangles.h"

static void expect_meeting(whole one[3], whole other[3])
{
    double first[3][3], second[3][3], swapped[3][3];
    for (int i = 0; i < 3; i++) {
        to_doubles(one[i], first[i]);
        to_doubles(other[i], second[i]);
        to_doubles(one[2 - i], swapped[i]);
    }
    bool expected = oracle_meets(one, other);
    assert_int_equal(triangles_meet((const double(*)[3])first, (const double(*)[3])second), expected);
    assert_int_equal(triangles_meet((const double(*)[3])second, (const double(*)[3])first), expected);
    assert_int_equal(triangles_meet((const double(*)[3])swapped, (const double(*)[3])second), expected);
}

static void test_triangles_meet(void **unused)
{
    (void)unused;
    struct random random = {3};
    static const int64_t ranges[] = {1, 2, 4, 20, 1 << 19};
    int met = 0, rounds = (int)usual_or_long(100000, 1000000);
    for (int round = 0; round < rounds; round++) {
        whole one[3], other[3];
        for (int i = 0; i < 3; i++) {
            random_point(&random, ranges[round % 5], one[i]);
            random_point(&random, ranges[round % 5], other[i]);
        }
        expect_meeting(one, other);
        met += oracle_meets(one, other);
    }
    assert_true(met > rounds / 10 && met < rounds * 9 / 10);
}

/* Touching at one point, a hair apart, and a hair inside: a corner on the other's face, two sides crossing. */
static void test_triangles_touch(void **unused)
{
    (void)unused;
    struct random random = {4};
    for (int round = 0; round < 50000; round++) {
        whole one[3], other[3];
        for (int i = 0; i < 3; i++) {
            random_point(&random, 1 << 16, one[i]);
            random_point(&random, 1 << 16, other[i]);
        }
        int64_t parts[3] = {random_whole(&random, 8) + 8, random_whole(&random, 8) + 8,
                            round % 2 ? 0 : random_whole(&random, 8) + 8};
        int64_t sum = parts[0] + parts[1] + parts[2];
        for (int i = 0; i < 3 && sum > 0; i++) {
            for (int k = 0; k < 3; k++)
                one[k][i] *= sum;
            other[0][i] = (parts[0] * one[0][i] + parts[1] * one[1][i] + parts[2] * one[2][i]) / sum;
        }
        if (round % 4 == 1) /* side by side: the touching point is in the middle of a side of the other, too */
            for (int i = 0; i < 3; i++)
                other[1][i] = 2 * other[0][i] - other[2][i];
        expect_meeting(one, other);
        other[0][round % 3] += random_whole(&random, 1);
        expect_meeting(one, other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_triangles_meet), cmocka_unit_test(test_triangles_touch)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
