/* Triangles that meet, against whole numbers. */
#include "collide/triangles.h"
#include "mesh_support.h"

__extension__ typedef __int128 wide; /* exact where the doubles are whole */
typedef int64_t whole[3];

static int sign_of(wide value)
{
    return (value > 0) - (value < 0);
}

static void subtract(const whole a, const whole b, whole out)
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

/* By Caratheodory: the origin is in the hull of points when it is in a simplex of at most four of them. */
static bool in_tetrahedron(const whole a, const whole b, const whole c, const whole d)
{
    whole ab, ac, ad;
    subtract(b, a, ab);
    subtract(c, a, ac);
    subtract(d, a, ad);
    int volume = sign_of(determinant(ab, ac, ad));
    /* the volumes with the origin in place of each corner */
    int sides[] = {sign_of(determinant(b, c, d)), -sign_of(determinant(a, c, d)), sign_of(determinant(a, b, d)),
                   -sign_of(determinant(a, b, c))};
    for (int i = 0; i < 4; i++)
        if (volume == 0 || sides[i] * volume < 0)
            return false;
    return true;
}

static void cross(const whole a, const whole b, whole out)
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static wide dot(const whole a, const whole b)
{
    return (wide)a[0] * b[0] + (wide)a[1] * b[1] + (wide)a[2] * b[2];
}

/* False for triangles without area: their sides are tried by themselves. */
static bool in_triangle(const whole a, const whole b, const whole c)
{
    whole ab, ac, normal, sides[3];
    subtract(b, a, ab);
    subtract(c, a, ac);
    cross(ab, ac, normal);
    if (determinant(a, b, c) != 0 || dot(normal, normal) == 0)
        return false;
    cross(a, b, sides[0]);
    cross(b, c, sides[1]);
    cross(c, a, sides[2]);
    return dot(sides[0], normal) >= 0 && dot(sides[1], normal) >= 0 && dot(sides[2], normal) >= 0;
}

static bool in_segment(const whole a, const whole b)
{
    whole normal;
    cross(a, b, normal);
    return dot(normal, normal) == 0 && dot(a, b) <= 0;
}

static bool hull_has_origin(whole points[9])
{
    for (int a = 0; a < 9; a++)
        for (int b = a; b < 9; b++) {
            if (in_segment(points[a], points[b]))
                return true;
            for (int c = b + 1; c < 9; c++) {
                if (in_triangle(points[a], points[b], points[c]))
                    return true;
                for (int d = c + 1; d < 9; d++)
                    if (in_tetrahedron(points[a], points[b], points[c], points[d]))
                        return true;
            }
        }
    return false;
}

/* The triangles meet when the differences of their points reach the origin. */
static bool oracle_meets(whole one[3], whole other[3])
{
    whole differences[9];
    for (int i = 0; i < 9; i++)
        subtract(one[i / 3], other[i % 3], differences[i]);
    return hull_has_origin(differences);
}

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
    int met = 0, rounds = getenv("CELLPIPE_LONG") ? 1000000 : 100000;
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
