/* Whether trees of triangles meet, against all pairs of them, tried with other arithmetic than the engine's: whole
 * numbers, or floats of more than twice as many digits, and where these leave a doubt there is no answer to compare
 * with. */
#include "collide_support.h"
#include "model/model.h"

#include "whole_triangles.h"

static bool trees_meet(const struct bvh *one, const struct bvh *other, const cp_pose *placed)
{
    uint64_t tests = 0;
    bool meet = bvh_meet(one, other, placed, &tests);
    assert_true(tests > 0);
    return meet;
}

/* ---- places of any kind ---- */

struct tally {
    uint32_t answers[3];
};

static void compare(struct tally *tally, const struct bvh *one, const struct bvh *other, const cp_pose *placed)
{
    enum answer expected = try_all_pairs(one, other, placed);
    if (expected != UNSURE)
        assert_int_equal(trees_meet(one, other, placed), expected == YES);
    tally->answers[expected]++;
}

/* Poses from apart to deep in each other, stretched and mirrored ones too. */
static void test_random_poses(void **unused)
{
    (void)unused;
    struct random random = {1};
    struct tally tally = {{0}};
    struct bvh one = torus(16, 8), other = torus(12, 10);
    double size = 2 * one.reach;
    uint32_t rounds = usual_or_long(400, 40000);
    for (uint32_t round = 0; round < rounds; round++) {
        cp_pose placed = random_pose(&random, size * random_unit(&random));
        if (round % 8 == 0) {
            cp_pose scaling =
                pose_scaling(0.2 + random_unit(&random), -0.2 - random_unit(&random), round % 16 ? 1 : 1e-3);
            placed = pose_multiply(&placed, &scaling);
        }
        compare(&tally, &one, &other, &placed);
    }
    assert_true(tally.answers[YES] > rounds / 5 && tally.answers[NO] > rounds / 5);
    assert_int_equal(tally.answers[UNSURE], 0);
    bvh_free(context, &one);
    bvh_free(context, &other);
}

/* Moved to where they just meet, and by less than can be seen from there. */
static void test_near_touching(void **unused)
{
    (void)unused;
    struct random random = {2};
    struct tally tally = {{0}};
    struct bvh one = torus(12, 8), other = torus(10, 6);
    uint32_t rounds = usual_or_long(10, 2000);
    for (uint32_t round = 0; round < rounds; round++) {
        cp_pose direction = random_pose(&random, 1), placed = direction;
        double inside = 0, outside = 4 * one.reach;
        for (int step = 0; step < 50; step++) {
            double middle = (inside + outside) / 2;
            for (int i = 0; i < 3; i++)
                placed.m[4 * i + 3] = middle * direction.m[4 * i + 3];
            *(trees_meet(&one, &other, &placed) ? &inside : &outside) = middle;
        }
        for (double off = 1e-3; off > 0.5e-12; off /= 10)
            for (int side = -1; side <= 1; side += 2) {
                for (int i = 0; i < 3; i++)
                    placed.m[4 * i + 3] = (inside + side * off) * direction.m[4 * i + 3];
                compare(&tally, &one, &other, &placed);
            }
    }
    assert_true(tally.answers[YES] > 5 * rounds && tally.answers[NO] > 5 * rounds);
    assert_true(tally.answers[UNSURE] < rounds / 5);
    bvh_free(context, &one);
    bvh_free(context, &other);
}

/* ---- whole numbers ---- */

/* Triangles whose coordinates are whole numbers times a power of two. */
struct soup {
    double vertices[48][3];
    uint32_t triangles[48][3], vertex_count, triangle_count;
    struct bvh bvh;
};

static void finish_soup(struct soup *soup, double unit)
{
    for (uint32_t i = 0; i < soup->vertex_count; i++)
        for (int axis = 0; axis < 3; axis++)
            soup->vertices[i][axis] *= unit;
    soup->bvh = tree_of(soup->vertices, soup->vertex_count, soup->triangles, soup->triangle_count);
}

static void add_grid_box(struct soup *soup, struct random *random)
{
    static const uint32_t sides[12][3] = {{0, 1, 3}, {0, 3, 2}, {4, 7, 5}, {4, 6, 7}, {0, 5, 1}, {0, 4, 5},
                                          {2, 3, 7}, {2, 7, 6}, {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};
    double ends[2][3];
    for (int i = 0; i < 3; i++) {
        ends[0][i] = random_bits(random) % 4;
        ends[1][i] = ends[0][i] + random_bits(random) % 3; /* flat ones, lines and points, too */
    }
    for (uint32_t i = 0; i < 12; i++)
        for (uint32_t k = 0; k < 3; k++)
            soup->triangles[soup->triangle_count + i][k] = soup->vertex_count + sides[i][k];
    for (uint32_t i = 0; i < 8; i++)
        for (uint32_t axis = 0; axis < 3; axis++)
            soup->vertices[soup->vertex_count + i][axis] = ends[i >> axis & 1][axis];
    soup->triangle_count += 12;
    soup->vertex_count += 8;
}

/* Each by itself; among them lines and points. */
static void add_grid_triangles(struct soup *soup, struct random *random, uint32_t count, uint32_t range)
{
    for (uint32_t i = 0; i < 3 * count; i++) {
        for (int axis = 0; axis < 3; axis++)
            soup->vertices[soup->vertex_count][axis] = random_bits(random) % range;
        if (i % 3 > 0 && random_bits(random) % 8 == 0)
            memcpy(soup->vertices[soup->vertex_count], soup->vertices[soup->vertex_count - 1], sizeof *soup->vertices);
        soup->triangles[soup->triangle_count + i / 3][i % 3] = soup->vertex_count++;
    }
    soup->triangle_count += count;
}

static void to_wholes(double triangle[3][3], double unit, whole out[3])
{
    for (int i = 0; i < 3; i++)
        for (int axis = 0; axis < 3; axis++) {
            out[i][axis] = (int64_t)(triangle[i][axis] / unit);
            assert_true((double)out[i][axis] * unit == triangle[i][axis]);
        }
}

static bool soups_meet(const struct soup *one, const struct soup *other, const cp_pose *placed, double unit)
{
    for (uint32_t i = 0; i < one->triangle_count; i++)
        for (uint32_t k = 0; k < other->triangle_count; k++) {
            double here[3][3], there[3][3];
            whole first[3], second[3];
            corners_of(&one->bvh, i, NULL, here);
            corners_of(&other->bvh, k, placed, there);
            if (!are_near((corners)here, (corners)there, 0))
                continue;
            to_wholes(here, unit, first);
            to_wholes(there, unit, second);
            if (oracle_meets(first, second))
                return true;
        }
    return false;
}

/* Quarter turns, so that faces come to lie on faces; the unit from far too small to far too large for floats. */
static bool compare_soups(struct soup *one, struct soup *other, struct random *random)
{
    static const int exponents[] = {0, 0, 0, -90, -200, 90, 200};
    double unit = ldexp(1, exponents[random_bits(random) % 7]);
    cp_pose placed = pose_rotation_degrees((int)(random_bits(random) % 3), 90 * (random_bits(random) % 4));
    for (int i = 0; i < 3; i++)
        placed.m[4 * i + 3] = ((double)(random_bits(random) % 5) - 2) * unit;
    finish_soup(one, unit);
    finish_soup(other, unit);
    bool expected = soups_meet(one, other, &placed, unit);
    assert_int_equal(trees_meet(&one->bvh, &other->bvh, &placed), expected);
    bvh_free(context, &one->bvh);
    bvh_free(context, &other->bvh);
    return expected;
}

/* Faces on faces, sides on sides, corners on corners. */
static void test_boxes_on_a_grid(void **unused)
{
    (void)unused;
    struct random random = {3};
    uint32_t met = 0, rounds = usual_or_long(2000, 20000);
    for (uint32_t round = 0; round < rounds; round++) {
        struct soup one = {.vertex_count = 0}, other = {.vertex_count = 0};
        for (int k = 0; k < 2; k++) {
            add_grid_box(&one, &random);
            add_grid_box(&other, &random);
        }
        met += compare_soups(&one, &other, &random);
    }
    assert_true(met > rounds / 10 && met < rounds * 9 / 10);
}

/* From one triangle each to more than a leaf holds; points and lines among them. */
static void test_triangles_on_a_grid(void **unused)
{
    (void)unused;
    struct random random = {4};
    uint32_t met = 0, rounds = usual_or_long(4000, 20000);
    for (uint32_t round = 0; round < rounds; round++) {
        struct soup one = {.vertex_count = 0}, other = {.vertex_count = 0};
        add_grid_triangles(&one, &random, 1 + random_bits(&random) % 8, 2 + round % 5);
        add_grid_triangles(&other, &random, 1 + random_bits(&random) % 8, 2 + round % 5);
        met += compare_soups(&one, &other, &random);
    }
    assert_true(met > rounds / 10 && met < rounds * 9 / 10);
}

/* ---- special trees ---- */

/* Triangles with one corner in common, each on its own side of it: by what rounding does boxes would be apart. */
static void test_common_corner(void **unused)
{
    (void)unused;
    static const int exponents[] = {0, 0, -40, -90, -200, 40, 90, 200};
    struct random random = {5};
    uint32_t rounds = usual_or_long(20000, 1000000);
    for (uint32_t round = 0; round < rounds; round++) {
        double one[3][3], other[3][3], unit = ldexp(1, exponents[round % 8]);
        uint32_t triangle[1][3] = {{0, 1, 2}}, same[1][3] = {{0, 1, 2}};
        cp_pose placed = random_pose(&random, round % 3 * 10 * unit);
        if (round % 5 == 0) {
            cp_pose scaling = pose_scaling(0.1 + 2 * random_unit(&random), -1, 3);
            placed = pose_multiply(&placed, &scaling);
        }
        for (int i = 0; i < 9; i++)
            other[i / 3][i % 3] = (random_unit(&random) + (round % 2 ? 5 : -0.5)) * unit;
        for (int i = 0; i < 3; i++)
            pose_point(&placed, other[i], one[i]);
        for (int i = 1; i < 3; i++)
            for (int axis = 0; axis < 3; axis++)
                one[i][axis] = 2 * one[0][axis] - one[i][axis];
        struct bvh first = tree_of(one, 3, triangle, 1), second = tree_of(other, 3, same, 1);
        assert_true(trees_meet(&first, &second, &placed));
        bvh_free(context, &first);
        bvh_free(context, &second);
    }
}

static void test_without_triangles(void **unused)
{
    (void)unused;
    struct bvh none = {0}, one = torus(6, 4);
    uint64_t tests = 0;
    cp_pose placed = POSE_IDENTITY;
    assert_int_equal(bvh_build(context, &none), CP_OK);
    assert_false(bvh_meet(&none, &one, &placed, &tests));
    assert_false(bvh_meet(&one, &none, &placed, &tests));
    assert_false(bvh_meet(&none, &none, &placed, &tests));
    bvh_free(context, &none);
    bvh_free(context, &one);
}

/* However triangles are told apart, here they are not. */
static void test_equal_boxes(void **unused)
{
    (void)unused;
    enum { COUNT = 20000 };
    double vertices[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    uint32_t(*triangles)[3] = scene_allocate(scene, COUNT, sizeof *triangles);
    for (uint32_t i = 0; i < COUNT; i++)
        for (uint32_t k = 0; k < 3; k++)
            triangles[i][k] = (i + k) % 3;
    struct bvh many = tree_of(vertices, 3, triangles, COUNT), same = many;
    cp_pose placed = POSE_IDENTITY;
    assert_true(trees_meet(&many, &same, &placed));
    placed.m[11] = 1e-5;
    assert_false(trees_meet(&many, &same, &placed));
    bvh_free(context, &many);
}

/* Squeezed to a plane, to a line and to a point by a frame that has no way back. */
static void test_flat_frames(void **unused)
{
    (void)unused;
    struct bvh one = torus(16, 8), other = torus(12, 10);
    cp_pose placed = pose_scaling(1, 1, 0);
    assert_true(trees_meet(&one, &other, &placed));
    placed.m[11] = 2 * one.reach;
    assert_false(trees_meet(&one, &other, &placed));
    placed = pose_scaling(0, 0, 0);
    assert_false(trees_meet(&one, &other, &placed)); /* in the hole */
    placed.m[3] = one.vertices[5][0];
    placed.m[7] = one.vertices[5][1];
    placed.m[11] = one.vertices[5][2];
    assert_true(trees_meet(&one, &other, &placed));
    bvh_free(context, &one);
    bvh_free(context, &other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_random_poses, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_near_touching, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_boxes_on_a_grid, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_triangles_on_a_grid, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_common_corner, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_without_triangles, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_equal_boxes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_flat_frames, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
