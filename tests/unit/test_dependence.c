/* Mechanisms of scenes that change under them, or whose joints depend on what they must not. */
#include "clip_support.h"
#include "model/model.h"
#include "motion/motion.h"
#include "scene_fixture.h"

static const double factors[] = {2, -0.5, 1e200};

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
    add_formula_joint(scene, "dof(1)+dof(2)", 1, factors);
    finish_scene();
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

/* ---- what is there by then ---- */

/* The value of one joint alone, and the scene's own values as they are by then. */
static void test_values(void **state)
{
    enum { MOST = 128 };
    (void)state;
    for (int round = 0; round < 100; round++) {
        double q[MOST], values[MOST];
        cp_pose worlds[MOST], own[MOST];
        cp_mechanism *mechanism;
        fresh_scene();
        add_random_nodes(scene, 2 + chance(40), true);
        if (scene->joint_count < 2)
            continue;
        add_followers(scene);
        finish_scene();
        assert_true(scene->joint_count <= MOST && scene->node_count <= MOST);
        assert_int_equal(cp_mechanism_new(context, scene, &mechanism), CP_OK);
        for (uint32_t i = 0; i < scene->joint_count; i++)
            q[i] = chance_between(-2, 2);
        assert_int_equal(cp_mechanism_values(mechanism, q, values), CP_OK);
        for (uint32_t i = 0; i < scene->joint_count; i++)
            assert_true(values[i] == mechanism_value(mechanism, i, q));
        for (uint32_t i = 0; i < scene->joint_count; i++)
            q[i] = scene->joints[i].q = chance_between(0.5, 1.5);
        assert_int_equal(cp_mechanism_poses(mechanism, NULL, own), CP_OK);
        assert_int_equal(cp_mechanism_poses(mechanism, q, worlds), CP_OK);
        assert_memory_equal(own, worlds, scene->node_count * sizeof *own);
        cp_mechanism_free(mechanism);
    }
}

/* Poses take no memory, and look at no formula: its text may be anything by then. */
static void test_poses_take_nothing(void **state)
{
    (void)state;
    struct counter counted = {.limit = 0};
    cp_context *own = cp_context_new(&(cp_allocator){counted_resize, &counted});
    cp_mechanism *mechanism;
    cp_pose worlds[8];
    add_formula_joint(scene, "2*dof(1)+dof(2)", 1, factors);
    finish_scene();
    assert_int_equal(cp_mechanism_new(own, scene, &mechanism), CP_OK);
    cp_expression overwritten = *scene->joints[3].expression;
    overwritten.text = "(";
    scene->joints[3].expression = &overwritten;
    size_t calls = counted.calls;
    for (int i = 0; i < 1000; i++) {
        const double q[] = {i, 2 * i, 0, 77};
        assert_int_equal(cp_mechanism_poses(mechanism, q, worlds), CP_OK);
        assert_true(worlds[4].m[11] - worlds[3].m[11] == 0.125 + -3 * (2 * (2 * q[0]) + -0.5 * q[1]));
    }
    assert_int_equal(counted.calls, calls);
    cp_mechanism_free(mechanism);
    cp_context_free(own);
    assert_int_equal(counted.blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_bad_dependence, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_poses_take_nothing, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
