/* Expressions over joints: values worked out by hand and by C, texts that are none, and joints that follow them through
 * a merge, a selection and a stage. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/text/text.h"
#include "model/model.h"
#include "motion/motion.h"
#include "scene_fixture.h"

/* ---- the language ---- */

static const double inputs[] = {30, -2.5, 0};
static const double degree = PI / 180;

static const char *evaluate(const char *text, double *value)
{
    struct expression_step steps[EXPRESSION_LONGEST];
    uint32_t count;
    size_t at;
    const char *fault = expression_compile(text, degree, 3, steps, &count, &at);
    *value = 0;
    return fault ? fault : expression_run(steps, count, inputs, value);
}

static void test_values(void **state)
{
    (void)state;
    const struct {
        const char *text;
        double value;
    } cases[] = {
        {"1+2*3", 7},
        {"(1+2)*3", 9},
        {"10-4-3", 3},
        {"16/4/2", 2},
        {"-2^2", -4}, /* a sign binds less than a power */
        {"2^3^2", 512},
        {"2^-1", 0.5},
        {"2*-3", -6},
        {"+5", 5},
        {" 1 +\t2 ", 3},
        {"0.5*dof(1)", 15},
        {"DOF( 2 )", -2.5},
        {"dof(1)*dof(2)+dof(3)", -75},
        {"1.5e2-.5", 149.5},
        {"pi", PI},
        {"sin(dof(1))", sin(PI / 6)},
        {"cos(60)", cos(PI / 3)},
        {"tan(45)", tan(PI / 4)},
        {"asin(0.5)", asin(0.5) / degree},
        {"acos(0.5)", acos(0.5) / degree},
        {"atan(1)", atan(1) / degree},
        {"atan2(1, -1)", atan2(1, -1) / degree},
        {"sqrt(2)", sqrt(2)},
        {"abs(dof(2))", 2.5},
        {"min(3, 1, 2)", 1},
        {"max(3, dof(1), 2)", 30},
        {"sqrt((dof(1)-26)^2+3^2)", 5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value;
        size_t at;
        assert_null(evaluate(cases[i].text, &value));
        assert_null(expression_check(cases[i].text, 3, &at));
        assert_true(fabs(value - cases[i].value) <= 1e-12 * fmax(1, fabs(cases[i].value)));
    }
}

static void test_faults_of_text(void **state)
{
    (void)state;
    static const struct {
        const char *text, *fault;
        size_t at;
    } cases[] = {
        {"", "the formula ends too early", 0},
        {"1+", "the formula ends too early", 2},
        {"1 2", "unexpected text after the formula", 2},
        {"--1", "a value is missing", 1},
        {"(1", "a ) is missing", 2},
        {"1)", "unexpected text after the formula", 1},
        {"foo(1)", "the name is unknown", 0},
        {"1+dofx(1)", "the name is unknown", 2},
        {"sin 1", "a ( is missing", 4},
        {"sin(1,2)", "too many values for the function", 5},
        {"atan2(1)", "the function takes two values", 7},
        {"min(1)", "the function takes two values", 5},
        {"dof(0)", "the device has no such degree of freedom", 4},
        {"dof(4)", "the device has no such degree of freedom", 4},
        {"dof(99999999999999999999)", "the device has no such degree of freedom", 4},
        {"dof(-1)", "dof takes a whole number", 4},
        {"dof(1.5)", "a ) is missing", 5},
        {"1*/2", "a value is missing", 2},
        {"2^", "the formula ends too early", 2},
        {"#", "a value is missing", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = 1;
        size_t at;
        assert_string_equal(expression_check(cases[i].text, 3, &at), cases[i].fault);
        assert_int_equal(at, cases[i].at);
        assert_non_null(evaluate(cases[i].text, &value));
        assert_true(value == 0);
    }
}

static void test_faults_of_values(void **state)
{
    (void)state;
    static const char *const texts[] = {"1/dof(3)",   "1/(dof(1)-30)",   "sqrt(dof(2))",    "asin(2)",      "1e308*10",
                                        "dof(2)^0.5", "(0-1)^0.5 + sin", "10^400 - 10^400", "acos(dof(1))", "0/0"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double value = 1;
        assert_non_null(evaluate(texts[i], &value));
        assert_true(value == 0);
    }
    size_t at;
    assert_null(expression_check("1/dof(3)", 3, &at)); /* it may be another time */
}

static void test_limits(void **state)
{
    (void)state;
    char text[3 * EXPRESSION_LONGEST];
    double value;
    size_t at;
    for (int deep = EXPRESSION_DEEPEST - 1; deep <= EXPRESSION_DEEPEST; deep++) {
        memset(text, '(', (size_t)deep);
        text[deep] = '1';
        memset(text + deep + 1, ')', (size_t)deep);
        text[2 * deep + 1] = '\0';
        assert_true((expression_check(text, 0, &at) == NULL) == (deep < EXPRESSION_DEEPEST));
        assert_true((evaluate(text, &value) == NULL) == (deep < EXPRESSION_DEEPEST));
    }
    for (size_t size = EXPRESSION_LONGEST; size <= EXPRESSION_LONGEST + 1; size++) {
        memset(text, '1', size);
        text[1] = '.';
        text[size] = '\0';
        assert_true((expression_check(text, 0, &at) == NULL) == (size == EXPRESSION_LONGEST));
    }
    memset(text, '2', sizeof text); /* powers of powers go down too */
    for (size_t i = 1; i < 300; i += 2)
        text[i] = '^';
    text[300] = '\0';
    assert_string_equal(expression_check(text, 0, &at), "the formula is nested too deeply");
}

static void test_inputs(void **state)
{
    (void)state;
    char compact[EXPRESSION_LONGEST + 1];
    uint32_t used[EXPRESSION_MOST_INPUTS];
    assert_int_equal(expression_compact("2*dof(13) + sin(Dof( 01 )) - dof(13)*dof(4000000000)", compact, used), 3);
    assert_string_equal(compact, "2*dof(2) + sin(Dof( 1 )) - dof(2)*dof(3)");
    assert_int_equal(used[0], 0);
    assert_int_equal(used[1], 12);
    assert_int_equal(used[2], 3999999999);
    assert_int_equal(expression_compact("2^pi", compact, used), 0);
    assert_string_equal(compact, "2^pi");
}

/* As many inputs as a formula can hold: "dof(1)+dof(2)+...", and none of them twice. */
static void test_many_inputs(void **state)
{
    (void)state;
    char text[2 * EXPRESSION_LONGEST] = "dof(200)", compact[EXPRESSION_LONGEST + 1];
    uint32_t used[EXPRESSION_MOST_INPUTS], count = 1;
    size_t size = strlen(text);
    while (size + 9 <= EXPRESSION_LONGEST)
        size += (size_t)snprintf(text + size, 16, "+dof(%u)", 200 - count++);
    assert_int_equal(expression_compact(text, compact, used), count);
    assert_true(strlen(compact) <= strlen(text));
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(used[i], 200 - count + i);
}

/* ---- joints ---- */

/* Joints a and b, and c = 0.001 * (2 * a in degrees + b in mm) + 0.25. */
static void add_joints(void)
{
    uint32_t *of = scene_allocate(scene, 2, sizeof *of);
    double *factors = scene_allocate(scene, 2, sizeof *factors);
    cp_expression *expression = scene_allocate(scene, 1, sizeof *expression);
    for (int i = 0; i < 3; i++) {
        uint32_t node = scene_add_node(scene, (uint32_t)i, (const char *[]){"a", "b", "c"}[i], 1);
        uint32_t joint = scene_add_joint(scene, node, i == 0 ? CP_JOINT_REVOLUTE : CP_JOINT_PRISMATIC, NULL);
        assert_int_equal(joint, i);
    }
    of[0] = 0;
    of[1] = 1;
    factors[0] = 1 / degree;
    factors[1] = 1000;
    *expression = (cp_expression){"2*dof(1)+dof(2)", degree, 2, of, factors};
    cp_joint *joint = &scene->joints[2];
    joint->expression = expression;
    joint->scale = 0.001;
    joint->offset = 0.25;
    joint->driven = false;
    assert_int_equal(scene_finish(scene), CP_OK);
}

static void set_values(cp_scene *of, uint32_t first, double a, double b)
{
    of->joints[first].q = a;
    of->joints[first + 1].q = b;
}

static void test_joint_values(void **state)
{
    (void)state;
    add_joints();
    assert_true(cp_joint_is_dependent(&scene->joints[2]) && !cp_joint_is_dependent(&scene->joints[0]));
    set_values(scene, 0, 90 * degree, 0.5);
    assert_true(fabs(joint_value(scene, 2, NULL) - (0.001 * (180 + 500) + 0.25)) < 1e-12);
    const double q[] = {-90 * degree, 0, 77};
    assert_true(fabs(joint_value(scene, 2, q) - (0.001 * -180 + 0.25)) < 1e-12);
    cp_pose worlds[4];
    pose_scene(scene, q, worlds);
    assert_true(fabs(worlds[3].m[11] - 0.07) < 1e-12);
    struct followers followers;
    cp_mechanism mechanism;
    assert_int_equal(mechanism_open(&mechanism, context, scene), CP_OK);
    assert_true(list_followers(&mechanism, &followers));
    assert_int_equal(followers.ends[0], 1);
    assert_int_equal(first_follower(&followers, 1), 1);
    assert_int_equal(followers.ends[1], 2);
    assert_int_equal(followers.joints[1], 2);
    assert_int_equal(followers.ends[2], 2);
    free_followers(&followers);
    mechanism_close(&mechanism);
}

static void test_validation(void **state)
{
    (void)state;
    add_joints();
    cp_expression broken = *scene->joints[2].expression;
    broken.text = "2*dof(3)";
    scene->joints[2].expression = &broken;
    assert_int_equal(cp_validate(context, scene), CP_BUG);
    broken.text = "dof(1)";
    assert_int_equal(cp_validate(context, scene), CP_OK);
    broken.inputs = (const uint32_t[]){0, 2}; /* itself */
    assert_int_equal(cp_validate(context, scene), CP_BUG);
}

static void test_merge(void **state)
{
    (void)state;
    add_joints();
    cp_scene *whole = scene_new(context);
    uint32_t node = scene_add_node(whole, 0, "first", 5);
    scene_add_joint(whole, node, CP_JOINT_REVOLUTE, NULL);
    assert_int_equal(scene_finish(whole), CP_OK);
    assert_int_equal(cp_merge(context, whole, scene, "part"), CP_OK);
    assert_int_equal(whole->joint_count, 4);
    set_values(whole, 1, 90 * degree, 0.5);
    assert_true(fabs(joint_value(whole, 3, NULL) - 0.93) < 1e-12);
    cp_scene_free(whole);
}

static void test_keep(void **state)
{
    (void)state;
    add_joints();
    set_values(scene, 0, 90 * degree, 0.5);
    uint32_t extra = scene_add_node(scene, 0, "extra", 5);
    assert_int_equal(scene_finish(scene), CP_OK);
    bool keep[5] = {true, true, true, true, false};
    assert_int_equal(extra, 4);
    assert_int_equal(scene_keep(scene, keep), CP_OK);
    assert_non_null(scene->joints[2].expression);
    keep[1] = false; /* joint a goes: c stays where it is */
    assert_int_equal(scene_keep(scene, keep), CP_OK);
    assert_int_equal(scene->joint_count, 2);
    assert_null(scene->joints[1].expression);
    assert_true(fabs(scene->joints[1].q - 0.93) < 1e-12);
    assert_int_equal(count_lost(context, "scene-master"), 1);
}

/* As text, the same before and after a stage. */
static void test_stage(void **state)
{
    (void)state;
    add_joints();
    void *glb, *first, *second;
    size_t size, first_size, second_size;
    cp_scene *back;
    set_values(scene, 0, 0.5, -0.25);
    assert_int_equal(cp_write_memory(context, scene, "glb", (const char *[]){"profile=stage"}, 1, &glb, &size), CP_OK);
    assert_int_equal(cp_read_memory(context, glb, size, "a.glb", NULL, NULL, 0, &back), CP_OK);
    show_report(context);
    back->source = scene->source;
    assert_int_equal(cp_write_memory(context, scene, "dump", NULL, 0, &first, &first_size), CP_OK);
    assert_int_equal(cp_write_memory(context, back, "dump", NULL, 0, &second, &second_size), CP_OK);
    assert_int_equal(first_size, second_size);
    assert_memory_equal(first, second, first_size);
    assert_non_null(strstr(first, "expression \"2*dof(1)+dof(2)\""));
    cp_free(context, glb, size);
    cp_free(context, first, first_size);
    cp_free(context, second, second_size);
    cp_scene_free(back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_faults_of_text),
        cmocka_unit_test(test_faults_of_values),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_inputs),
        cmocka_unit_test(test_many_inputs),
        cmocka_unit_test_setup_teardown(test_joint_values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_validation, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_merge, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_keep, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_stage, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
