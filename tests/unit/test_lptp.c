/* Moves in steps: against numbers of another program, and the sum of the steps. */
#include <math.h>

#include <jansson.h>

#include "fixture.h"
#include "program/run.h"

static double number_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static void test_lptp(void **unused)
{
    (void)unused;
    json_t *oracle = json_load_file(SHARED "/reference/motion_oracle.json", 0, NULL);
    const json_t *cases = json_object_get(json_object_get(oracle, "lptp"), "cases"), *one, *length;
    size_t i, step;
    if (!oracle) {
        print_message("skipped: " SHARED "/reference/motion_oracle.json is not there\n");
        return;
    }
    json_array_foreach(cases, i, one)
    {
        struct lptp plan;
        double sum = 0;
        assert_true(lptp_plan(number_of(one, "D"), number_of(one, "aA"), number_of(one, "dA"), number_of(one, "vE"),
                              number_of(one, "t"), &plan));
        assert_int_equal(plan.count, (int)number_of(one, "nSum"));
        assert_int_equal(plan.rest_at, (int)number_of(one, "remainder_index"));
        assert_int_equal(plan.accelerating, (int)number_of(one, "nAc"));
        assert_int_equal(plan.cruising, (int)number_of(one, "nEv"));
        assert_int_equal(plan.decelerating, (int)number_of(one, "nDe"));
        json_array_foreach(json_object_get(one, "steps"), step, length)
        {
            assert_true(fabs(lptp_step(&plan, (uint32_t)step) - json_number_value(length)) < 1e-9);
            sum += lptp_step(&plan, (uint32_t)step);
        }
        assert_int_equal(step, plan.count);
        assert_true(fabs(sum - number_of(one, "D")) < 1e-9);
    }
    assert_true(i > 0);
    json_decref(oracle);
}

/* Whatever the numbers are, the steps add up to the way, and none goes back. */
static void test_lptp_sums(void **unused)
{
    (void)unused;
    for (int i = 0; i < 20000; i++) {
        double numbers[5], sum = 0;
        struct lptp plan;
        for (int k = 0; k < 5; k++) {
            numbers[k] = pow(10, random_number(0, 3) - (k == 4 ? 3 : 0));
        }
        assert_true(lptp_plan(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], &plan));
        for (uint32_t step = 0; step < plan.count; step++) {
            assert_true(lptp_step(&plan, step) >= -1e-9 * numbers[0]);
            sum += lptp_step(&plan, step);
        }
        assert_true(fabs(sum - numbers[0]) < 1e-9 * fmax(1, numbers[0]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lptp), cmocka_unit_test(test_lptp_sums)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
