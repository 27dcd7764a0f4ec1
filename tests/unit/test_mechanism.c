/* A scene's joints, compiled: poses against plain 4x4 matrices and against another program's numbers, random formulas
 * against C, and memory. */
#include <jansson.h>

#include "clip_support.h"
#include "plain_numbers.h"
#include "scene_fixture.h"

/* ---- a plain evaluator ---- */

static double plain_value(uint32_t index, const double *q)
{
    const cp_joint *joint = &cp_joints(scene, NULL)[index];
    const cp_expression *e = joint->expression;
    if (e)
        return joint->offset + joint->scale * plain_formula(e->text, e->factors[0] * q[e->inputs[0]],
                                                            e->factors[1] * q[e->inputs[1]], e->angle);
    return joint->master == CP_NONE ? q[index] : joint->scale * q[joint->master] + joint->offset;
}

/* From the node up to the world, one after the other. */
static struct matrix plain_world(uint32_t node, const double *q)
{
    struct matrix world = matrix_identity();
    for (const cp_node *it; node != CP_NONE; node = it->parent) {
        it = &cp_nodes(scene, NULL)[node];
        struct matrix pose = matrix_of_pose(&it->local);
        for (uint32_t i = it->first_joint; i < it->first_joint + it->joint_count; i++)
            pose = matrix_times(pose, plain_motion(&cp_joints(scene, NULL)[i], plain_value(i, q)));
        world = matrix_times(pose, world);
    }
    return world;
}

static void expect_plain(const double *q, const cp_pose *worlds)
{
    for (uint32_t i = 0; i < count_nodes(scene); i++) {
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
        if (count_joints(scene) < 2)
            continue;
        add_followers(scene);
        finish_scene();
        double q[MOST], values[MOST], own[MOST];
        cp_pose worlds[MOST], once[MOST];
        cp_mechanism *mechanism;
        assert_true(count_joints(scene) <= MOST && count_nodes(scene) <= MOST);
        assert_int_equal(cp_mechanism_new(context, scene, &mechanism), CP_OK);
        for (int pose = 0; pose < 20; pose++) {
            for (uint32_t i = 0; i < count_joints(scene); i++)
                q[i] = chance_between(-2, 2);
            assert_int_equal(cp_mechanism_poses(mechanism, q, worlds), CP_OK);
            expect_plain(q, worlds);
            assert_int_equal(cp_mechanism_values(mechanism, q, values), CP_OK);
            for (uint32_t i = 0; i < count_joints(scene); i++)
                assert_true(fabs(values[i] - plain_value(i, q)) <= 1e-13);
            assert_int_equal(cp_world_poses(context, scene, q, once), CP_OK);
            assert_memory_equal(once, worlds, count_nodes(scene) * sizeof *once);
        }
        for (uint32_t i = 0; i < count_joints(scene); i++)
            own[i] = cp_joints(scene, NULL)[i].q;
        assert_int_equal(cp_mechanism_poses(mechanism, NULL, worlds), CP_OK);
        expect_plain(own, worlds);
        cp_mechanism_free(mechanism);
    }
}

/* ---- random formulas ---- */

struct formula {
    char text[1025]; /* as long as formulas may be */
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
        add_formula_joint(scene, formula.text, angle, factors);
        finish_scene();
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
    cp_pose turn = plain_turn(axis, degrees);
    *pose = plain_product(pose, &turn);
}

static void add_way(cp_pose *pose, double x, double z)
{
    cp_pose way = plain_translation(x, 0, z);
    *pose = plain_product(pose, &way);
}

/* An ABB IRB 120 by the rows of its Denavit-Hartenberg table: theta, d, a, alpha; millimetres. */
static uint32_t add_robot(const json_t *table)
{
    cp_pose before = PLAIN_IDENTITY;
    uint32_t node = 0;
    const json_t *row;
    size_t i;
    json_array_foreach(table, i, row)
    {
        add_turn(&before, 2, number_of(row, 0));
        node = add_node_at(scene, node, "link", &before);
        assert_int_equal(add_joint_of(scene, node, CP_JOINT_REVOLUTE, NULL), i);
        before = PLAIN_IDENTITY;
        add_way(&before, number_of(row, 2), number_of(row, 1));
        add_turn(&before, 0, number_of(row, 3));
    }
    node = add_node_at(scene, node, "tool", &before);
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

/* ---- memory ---- */

/* Each allocation fails once: CP_LIMIT, and nothing is kept. */
static void test_failed_allocations(void **state)
{
    (void)state;
    add_formula_joint(scene, "dof(1)+dof(2)*dof(3)", angle, factors);
    finish_scene();
    for (int way = 0; way < 3; way++) {
        long fails = 1;
        for (cp_status status = CP_LIMIT; status != CP_OK; fails++) {
            struct counter counted = {.limit = 0};
            cp_context *poor = cp_context_new(&(cp_allocator){counted_resize, &counted});
            cp_mechanism *mechanism = NULL;
            cp_pose worlds[8];
            double values[8];
            size_t live = counted.blocks;
            counted.limit = counted.calls + (size_t)fails;
            status = way == 0   ? cp_mechanism_new(poor, scene, &mechanism)
                     : way == 1 ? cp_world_poses(poor, scene, NULL, worlds)
                                : cp_joint_values(poor, scene, NULL, values);
            assert_true(status == CP_OK || status == CP_LIMIT);
            assert_true((mechanism != NULL) == (status == CP_OK && way == 0));
            cp_mechanism_free(mechanism);
            assert_int_equal(counted.blocks, live);
            cp_context_free(poor);
            assert_int_equal(counted.blocks, 0);
        }
        assert_true(fails > 4); /* the context's; an arena, its block, steps */
    }
    cp_mechanism_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_random_scenes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_random_formulas, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_robot, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_failed_allocations, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
