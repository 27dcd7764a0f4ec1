/* A scene's joints, compiled: poses against plain 4x4 matrices and against another program's numbers, random formulas
 * against C, dependence that is none, and memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/text/text.h"
#include "clip_support.h"
#include "model/model.h"
#include "plain_numbers.h"
#include "scene_fixture.h"

/* ---- memory that is counted ---- */

struct counted {
    long calls, live, limit; /* allocations; blocks; the call that fails, 0: none */
};

static void *resize_counted(void *user, void *block, size_t old_size, size_t size)
{
    struct counted *counted = user;
    (void)old_size;
    if (size > 0 && ++counted->calls == counted->limit)
        return NULL;
    counted->live += (size > 0) - (block != NULL);
    if (size > 0)
        return realloc(block, size);
    free(block);
    return NULL;
}

/* ---- a plain evaluator ---- */

/* The formulas of clip_support.h, in C. */
static double plain_formula(const char *text, double a, double b, double unit)
{
    if (strncmp(text, "dof", 3) == 0)
        return a * 0.5 + sin(b * unit);
    return strncmp(text, "max", 3) == 0 ? fmax(a, b) - 0.25 : cos(a * unit) * b + 0.1;
}

static double plain_value(uint32_t index, const double *q)
{
    const cp_joint *joint = &scene->joints[index];
    const cp_expression *e = joint->expression;
    if (e)
        return joint->offset + joint->scale * plain_formula(e->text, e->factors[0] * q[e->inputs[0]],
                                                            e->factors[1] * q[e->inputs[1]], e->angle);
    return joint->master == CP_NONE ? q[index] : joint->scale * q[joint->master] + joint->offset;
}

static struct matrix plain_motion(const cp_joint *joint, double q)
{
    const double *a = joint->axis;
    struct matrix motion = matrix_identity();
    if (joint->type == CP_JOINT_REVOLUTE) {
        const double half = sin(q / 2);
        return matrix_of_turn((const double[]){half * a[0], half * a[1], half * a[2], cos(q / 2)});
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3 && joint->type == CP_JOINT_SCALE; k++)
            motion.m[i][k] += (q - 1) * a[i] * a[k];
    for (int i = 0; i < 3 && joint->type == CP_JOINT_PRISMATIC; i++)
        motion.m[i][3] = q * a[i];
    return motion;
}

/* From the node up to the world, one after the other. */
static struct matrix plain_world(uint32_t node, const double *q)
{
    struct matrix world = matrix_identity();
    for (; node != CP_NONE; node = scene->nodes[node].parent) {
        const cp_node *it = &scene->nodes[node];
        struct matrix pose = matrix_of_pose(&it->local);
        for (uint32_t i = it->first_joint; i < it->first_joint + it->joint_count; i++)
            pose = matrix_times(pose, plain_motion(&scene->joints[i], plain_value(i, q)));
        world = matrix_times(pose, world);
    }
    return world;
}

static void expect_plain(const double *q, const cp_pose *worlds)
{
    for (uint32_t i = 0; i < scene->node_count; i++) {
        struct matrix wanted = plain_world(i, q);
        double off = matrix_distance(wanted, &worlds[i]);
        if (!(off <= 1e-12 * matrix_largest(wanted)))
            fail_msg("node %u is %.3g off", (unsigned)i, off);
    }
}

enum { MOST = 128 };

static void test_random_scenes(void **state)
{
    (void)state;
    for (int round = 0; round < 100; round++) {
        fresh_scene();
        add_random_nodes(scene, 2 + chance(40), true);
        if (scene->joint_count < 2)
            continue;
        add_followers(scene);
        finish_scene();
        double q[MOST], values[MOST], own[MOST];
        cp_pose worlds[MOST], once[MOST];
        cp_mechanism *mechanism;
        assert_true(scene->joint_count <= MOST && scene->node_count <= MOST);
        assert_int_equal(cp_mechanism_new(context, scene, &mechanism), CP_OK);
        for (int pose = 0; pose < 20; pose++) {
            for (uint32_t i = 0; i < scene->joint_count; i++)
                q[i] = chance_between(-2, 2);
            assert_int_equal(cp_mechanism_poses(mechanism, q, worlds), CP_OK);
            expect_plain(q, worlds);
            assert_int_equal(cp_mechanism_values(mechanism, q, values), CP_OK);
            for (uint32_t i = 0; i < scene->joint_count; i++) {
                assert_true(fabs(values[i] - plain_value(i, q)) <= 1e-13);
                assert_true(values[i] == mechanism_value(mechanism, i, q));
            }
            assert_int_equal(cp_world_poses(context, scene, q, once), CP_OK);
            assert_memory_equal(once, worlds, scene->node_count * sizeof *once);
        }
        for (uint32_t i = 0; i < scene->joint_count; i++) /* the scene's own, as they are by then */
            own[i] = scene->joints[i].q = chance_between(0.5, 1.5);
        assert_int_equal(cp_mechanism_poses(mechanism, NULL, worlds), CP_OK);
        expect_plain(own, worlds);
        cp_mechanism_free(mechanism);
    }
}

/* ---- random formulas ---- */

struct formula {
    char text[EXPRESSION_LONGEST + 1];
    size_t size;
    bool fault; /* something on the way was no finite number */
};

static void put(struct formula *formula, const char *text)
{
    size_t size = strlen(text);
    assert_true(formula->size + size < sizeof formula->text);
    memcpy(formula->text + formula->size, text, size + 1);
    formula->size += size;
}

static double note(struct formula *formula, double value)
{
    formula->fault = formula->fault || !isfinite(value);
    return value;
}

static const double angle = 0.0174, factors[] = {2, -0.5, 1e200};

/* A formula whose parts all stand in brackets, and its value by C, as it is written. */
static double random_formula(struct formula *formula, const double *q, int depth)
{
    static const struct {
        const char *name;
        double (*apply)(double);
    } functions[] = {{"sin(", sin},   {"COS(", cos},   {"tan(", tan},   {"asin(", asin},
                     {"acos(", acos}, {"atan(", atan}, {"sqrt(", sqrt}, {"Abs(", fabs}};
    char number[40];
    uint32_t what = depth == 0 ? chance(3) : chance(12);
    if (what == 0) {
        double value = (double)chance(2000) / 64;
        IN_PLAIN_LOCALE((void)snprintf(number, sizeof number, "%.17g", value));
        put(formula, number);
        return note(formula, value);
    }
    if (what == 1) {
        put(formula, "pi");
        return PI;
    }
    if (what == 2) {
        uint32_t input = chance(3);
        (void)snprintf(number, sizeof number, "dof( %u )", (unsigned)input + 1);
        put(formula, number);
        return note(formula, factors[input] * q[input]);
    }
    if (what < 6) {
        uint32_t which = chance(8);
        put(formula, functions[which].name);
        double value = random_formula(formula, q, depth - 1);
        put(formula, ")");
        value = functions[which].apply(which < 3 ? value * angle : value);
        return note(formula, which >= 3 && which < 6 ? value / angle : value);
    }
    if (what == 6) {
        put(formula, "-(");
        double value = -random_formula(formula, q, depth - 1);
        put(formula, ")");
        return value;
    }
    if (what == 7) {
        uint32_t which = chance(3);
        put(formula, (const char *[]){"atan2(", "min(", "max("}[which]);
        double a = random_formula(formula, q, depth - 1);
        put(formula, ",");
        double b = random_formula(formula, q, depth - 1);
        if (which > 0 && chance(2)) {
            put(formula, ", 0.25");
            a = which == 1 ? (b < a ? b : a) : (b > a ? b : a);
            b = 0.25;
        }
        put(formula, ")");
        return note(formula, which == 0 ? atan2(a, b) / angle : which == 1 ? (b < a ? b : a) : (b > a ? b : a));
    }
    uint32_t which = chance(5);
    put(formula, "(");
    double a = random_formula(formula, q, depth - 1);
    put(formula, (const char *[]){")+(", ")-(", ") *(", ")/ (", ")^("}[which]);
    double b = random_formula(formula, q, depth - 1);
    put(formula, ")");
    return note(formula, which == 0 ? a + b : which == 1 ? a - b : which == 2 ? a * b : which == 3 ? a / b : pow(a, b));
}

/* Three free joints, and one with a formula over them. */
static void add_formula_joint(const char *text)
{
    static const uint32_t inputs[] = {0, 1, 2};
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t node = scene_add_node(scene, i, "n", 1);
        assert_int_equal(scene_add_joint(scene, node, CP_JOINT_PRISMATIC, NULL), i);
    }
    const cp_expression expression = {text, angle, 3, inputs, factors};
    uint32_t *copied;
    scene->joints[3].expression = scene_copy_expression(scene, &expression, &copied);
    scene->joints[3].driven = false;
    scene->joints[3].scale = -3;
    scene->joints[3].offset = 0.125;
    finish_scene();
}

/* Bit for bit: nothing is computed in another order. */
static void test_random_formulas(void **state)
{
    (void)state;
    int sound = 0, faults = 0;
    for (int round = 0; round < 4000; round++) {
        const double q[] = {chance_between(-3, 3), (double)chance(4), chance_between(-1, 1), 77};
        struct formula formula = {.size = 0};
        double value = random_formula(&formula, q, 1 + round % 4), values[4];
        fresh_scene();
        add_formula_joint(formula.text);
        assert_int_equal(cp_joint_values(context, scene, q, values), CP_OK);
        double wanted = 0.125 + -3 * (formula.fault ? 0 : value);
        if (memcmp(&values[3], &wanted, sizeof wanted) != 0)
            fail_msg("%s is %.17g, not %.17g", formula.text, values[3], wanted);
        assert_memory_equal(values, q, 3 * sizeof *q);
        sound += !formula.fault;
        faults += formula.fault;
    }
    assert_true(sound > 1000 && faults > 300);
}

/* ---- another program's numbers ---- */

static double number_of(const json_t *row, size_t index)
{
    return json_number_value(json_array_get(row, index));
}

static void add_turn(cp_pose *pose, int axis, double degrees)
{
    cp_pose turn = pose_rotation_degrees(axis, degrees);
    *pose = pose_multiply(pose, &turn);
}

static void add_way(cp_pose *pose, double x, double z)
{
    cp_pose way = pose_translation(x, 0, z);
    *pose = pose_multiply(pose, &way);
}

/* An ABB IRB 120 by the rows of its Denavit-Hartenberg table: theta, d, a, alpha; millimetres. */
static uint32_t add_robot(const json_t *table)
{
    cp_pose before = POSE_IDENTITY;
    uint32_t node = 0;
    const json_t *row;
    size_t i;
    json_array_foreach(table, i, row)
    {
        node = scene_add_node(scene, node, "link", 4);
        scene->nodes[node].local = before;
        add_turn(&scene->nodes[node].local, 2, number_of(row, 0));
        assert_int_equal(scene_add_joint(scene, node, CP_JOINT_REVOLUTE, NULL), i);
        before = POSE_IDENTITY;
        add_way(&before, number_of(row, 2), number_of(row, 1));
        add_turn(&before, 0, number_of(row, 3));
    }
    node = scene_add_node(scene, node, "tool", 4);
    scene->nodes[node].local = before;
    finish_scene();
    return node;
}

static void test_robot(void **state)
{
    (void)state;
    json_t *oracle = json_load_file(SHARED "/reference/motion_oracle.json", 0, NULL);
    if (!oracle) {
        print_message("skipped: " SHARED "/reference/motion_oracle.json is not there\n");
        skip();
    }
    const json_t *robot = json_object_get(oracle, "irb120"), *one;
    uint32_t tool = add_robot(json_object_get(robot, "dh_standard_theta_d_a_alpha"));
    cp_mechanism *mechanism;
    cp_pose worlds[8];
    double q[6];
    size_t cases;
    assert_int_equal(cp_mechanism_new(context, scene, &mechanism), CP_OK);
    json_array_foreach(json_object_get(robot, "cases"), cases, one)
    {
        for (size_t i = 0; i < 6; i++)
            q[i] = number_of(json_object_get(one, "q_deg"), i) * PI / 180;
        assert_int_equal(cp_mechanism_poses(mechanism, q, worlds), CP_OK);
        for (size_t row = 0; row < 3; row++) {
            const json_t *turn = json_array_get(json_object_get(one, "R"), row);
            assert_true(fabs(worlds[tool].m[4 * row + 3] - number_of(json_object_get(one, "tcp_mm"), row)) < 1e-9);
            for (size_t column = 0; column < 3; column++)
                assert_true(fabs(worlds[tool].m[4 * row + column] - number_of(turn, column)) < 1e-12);
        }
    }
    assert_int_equal(cases, 5);
    cp_mechanism_free(mechanism);
    json_decref(oracle);
}

/* ---- what is refused ---- */

static void expect_refused(void)
{
    cp_mechanism *mechanism = (cp_mechanism *)1;
    cp_pose worlds[8];
    double values[8];
    size_t count;
    assert_int_equal(cp_validate(context, scene), CP_BUG);
    cp_report_clear(context);
    assert_int_equal(cp_mechanism_new(context, scene, &mechanism), CP_BUG);
    assert_null(mechanism);
    const cp_entry *report = cp_report(context, &count);
    assert_int_equal(count, 1);
    assert_string_equal(report->code, "scene-invalid");
    assert_int_equal(cp_world_poses(context, scene, NULL, worlds), CP_BUG);
    assert_int_equal(cp_joint_values(context, scene, NULL, values), CP_BUG);
}

static void follow(uint32_t joint, uint32_t master)
{
    scene->joints[joint].master = master;
    scene->joints[joint].driven = false;
}

static void test_bad_dependence(void **state)
{
    (void)state;
    static const uint32_t over_itself[] = {0, 3, 2}, over_none[] = {0, 99, 2};
    add_formula_joint("dof(1)+dof(2)");
    cp_joint good[4];
    cp_expression broken = *scene->joints[3].expression;
    memcpy(good, scene->joints, sizeof good);
    for (int fault = 0; fault < 8; fault++) {
        memcpy(scene->joints, good, sizeof good);
        broken = *good[3].expression;
        scene->joints[3].expression = &broken;
        switch (fault) {
        case 0: /* itself */
            follow(0, 0);
            break;
        case 1: /* each other */
            follow(1, 2);
            follow(2, 1);
            break;
        case 2: /* one that follows another */
            follow(2, 1);
            follow(1, 0);
            break;
        case 3: /* one with a formula */
            follow(2, 3);
            break;
        case 4: /* none */
            follow(0, 4);
            break;
        case 5:
            broken.text = "dof(1)+";
            break;
        case 6: /* a formula over itself */
            broken.inputs = over_itself;
            break;
        case 7: /* over none */
            broken.inputs = over_none;
            break;
        }
        expect_refused();
    }
    memcpy(scene->joints, good, sizeof good);
    assert_int_equal(cp_validate(context, scene), CP_OK);
}

/* ---- memory ---- */

/* Each allocation fails once: CP_LIMIT, and nothing is kept. */
static void test_failed_allocations(void **state)
{
    (void)state;
    add_formula_joint("dof(1)+dof(2)*dof(3)");
    for (int way = 0; way < 3; way++) {
        long fails = 1;
        for (cp_status status = CP_LIMIT; status != CP_OK; fails++) {
            struct counted counted = {.limit = 0};
            cp_context *poor = cp_context_new(&(cp_allocator){resize_counted, &counted});
            cp_mechanism *mechanism = NULL;
            cp_pose worlds[8];
            double values[8];
            long live = counted.live;
            counted.limit = counted.calls + fails;
            status = way == 0   ? cp_mechanism_new(poor, scene, &mechanism)
                     : way == 1 ? cp_world_poses(poor, scene, NULL, worlds)
                                : cp_joint_values(poor, scene, NULL, values);
            assert_true(status == CP_OK || status == CP_LIMIT);
            assert_true((mechanism != NULL) == (status == CP_OK && way == 0));
            cp_mechanism_free(mechanism);
            assert_int_equal(counted.live, live);
            cp_context_free(poor);
            assert_int_equal(counted.live, 0);
        }
        assert_true(fails > 4); /* the context's; an arena, its block, steps */
    }
    cp_mechanism_free(NULL);
}

/* Poses take no memory, and look at no formula: its text may be anything by then. */
static void test_poses_take_nothing(void **state)
{
    (void)state;
    struct counted counted = {.limit = 0};
    cp_context *own = cp_context_new(&(cp_allocator){resize_counted, &counted});
    cp_mechanism *mechanism;
    cp_pose worlds[8];
    add_formula_joint("2*dof(1)+dof(2)");
    assert_int_equal(cp_mechanism_new(own, scene, &mechanism), CP_OK);
    cp_expression overwritten = *scene->joints[3].expression;
    overwritten.text = "(";
    scene->joints[3].expression = &overwritten;
    long calls = counted.calls;
    for (int i = 0; i < 1000; i++) {
        const double q[] = {i, 2 * i, 0, 77};
        assert_int_equal(cp_mechanism_poses(mechanism, q, worlds), CP_OK);
        assert_true(worlds[4].m[11] - worlds[3].m[11] == 0.125 + -3 * (2 * (2 * q[0]) + -0.5 * q[1]));
    }
    assert_int_equal(counted.calls, calls);
    cp_mechanism_free(mechanism);
    cp_context_free(own);
    assert_int_equal(counted.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_random_scenes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_random_formulas, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_robot, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bad_dependence, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_failed_allocations, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_poses_take_nothing, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
