/* How far simplified meshes are from what they were, by trying every face from points on every face. */
#include "simplify_inside.h"

static void test_torus_stays_a_torus(void **unused)
{
    (void)unused;
    cp_mesh before = make_torus(64, 32, 0, 1), after = before;
    struct simplify_result result = simplify(&after, 600, INFINITY);
    assert_int_equal(result.before, 4096);
    assert_int_equal(after.face_count, 600);
    assert_closed(&after, 0);
    assert_same_side(&before, &after);
    double exact = vertex_distance(&before, &after);
    assert_true(exact < 0.06);
    assert_true(result.error >= exact * (1 - 1e-6));
    assert_true(one_way(&after, &before, 0.5) < 0.1);
    assert_true(fabs(plain_volume(&after) / plain_volume(&before) - 1) < 0.01);
}

static void test_error_is_kept(void **unused)
{
    (void)unused;
    const double bounds[] = {0.1, 0.03, 0.01};
    const uint32_t rows = usual_or_long(36, 48);
    uint32_t least = 0;
    for (int i = 0; i < 3; i++) {
        cp_mesh before = make_torus(rows, rows / 2, 0, 1), after = before;
        struct simplify_result result = simplify(&after, 0, bounds[i]);
        assert_true(result.error <= bounds[i]);
        assert_true(vertex_distance(&before, &after) <= bounds[i] * (1 + 1e-6));
        assert_true(one_way(&before, &after, 0.25) <= bounds[i] * (1 + 1e-6));
        assert_true(after.face_count > least && after.face_count < before.face_count);
        least = after.face_count;
        assert_closed(&after, 0);
    }
}

/* What is told holds between the vertices, too, and is not much too large; drafts keep what they promise. */
static void test_error_is_told(void **unused)
{
    (void)unused;
    const double step = 1.0 / 12;
    const uint32_t size = usual_or_long(3, 4);
    cp_mesh shapes[] = {make_torus(4 * size, 2 * size, 0, 1), make_sheet(3 * size, 0.1, false), cube_of_squares(size)};
    for (int i = 0; i < 6; i++) {
        cp_mesh before = shapes[i / 2], after = before, bounded = before;
        struct simplify_result result = simplify(&after, before.face_count / (i % 2 ? 12 : 4), INFINITY);
        double sampled = one_way(&before, &after, step), back = one_way(&after, &before, step);
        assert_true(result.whole && result.both_ways);
        assert_true(sampled <= result.error * (1 + 1e-6) + 1e-6);
        assert_true(back <= 1.15 * result.error + 1e-6); /* its points alone are measured */
        assert_true(result.error <= 1.15 * fmax(sampled, back) + 1e-6);
        struct simplify_goal goal = {.error = 0.5 * sampled, .fast = i % 2, .whole = true};
        assert_int_equal(mesh_simplify(scene, &bounded, &goal, &result), CP_OK);
        assert_true(result.whole && result.error <= goal.error);
        assert_true(result.whole_both_ways);
        assert_true(one_way(&before, &bounded, step) <= goal.error * (1 + 1e-6) + 1e-6);
        assert_true(one_way(&bounded, &before, step) <= goal.error * (1 + 1e-6) + 1e-6);
        assert_true(sampled < 1e-6 || bounded.face_count < before.face_count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_torus_stays_a_torus, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_error_is_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_error_is_told, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
