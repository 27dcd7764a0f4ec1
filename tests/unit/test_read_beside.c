/* Lists that are read beside a cell: what they change, and that a failure changes nothing. */
#include "fixture.h"

#define CASES TEST_ROOT "/cases/srdf/"

static cp_scene *read_robot(cp_context *context)
{
    cp_scene *scene = NULL;
    expect_status(context, cp_read(context, CASES "arm.urdf", NULL, NULL, 0, &scene), CP_OK);
    return scene;
}

static cp_status read_beside(cp_context *context, cp_scene *scene, const char *path, const char *format)
{
    return cp_read_beside(context, scene, path, format, NULL, 0);
}

static void test_lists(void **state)
{
    cp_context *context = *state;
    cp_scene *scene = read_robot(context);
    expect_status(context, read_beside(context, scene, CASES "good.srdf", NULL), CP_OK);
    assert_int_equal(count_pairs(scene), 3);
    assert_int_equal(cp_validate(context, scene), CP_OK);
    assert_string_equal(cp_scene_source(scene)->format, "urdf");
    /* a second list adds to the first */
    expect_status(context, read_beside(context, scene, CASES "enabled.srdf", "srdf"), CP_OK);
    assert_int_equal(count_pairs(scene), 5);
    cp_scene_free(scene);
}

static void test_collision_setup(void **state)
{
    cp_context *context = *state;
    cp_scene *scene = read_robot(context);
    uint32_t nodes = count_nodes(scene);
    write_file("setup.xml", "<CollisionSetup><Exclude><FramePair first='base' second='upper'/><FramePair first='base' "
                            "second='wing'/></Exclude><Volatile>tool</Volatile></CollisionSetup>");
    expect_status(context, read_beside(context, scene, path_of("setup.xml"), NULL), CP_OK);
    assert_true(was_reported(context, "collision-setup-dangling"));
    assert_int_equal(count_pairs(scene), 2);
    assert_int_equal(cp_pairs(scene, NULL)[0].first, find_node(scene, "base"));
    assert_true(node_called(scene, "tool")->flags & CP_NODE_VOLATILE);
    assert_int_equal(count_nodes(scene), nodes + 1); /* the name that is no frame */
    assert_int_equal(cp_validate(context, scene), CP_OK);
    cp_scene_free(scene);
}

static void test_failures(void **state)
{
    cp_context *context = *state, *other = cp_context_new(NULL);
    cp_scene *scene = read_robot(context);
    uint32_t nodes = count_nodes(scene);
    size_t count;
    /* another cell is no list */
    assert_int_equal(read_beside(context, scene, CASES "arm.urdf", NULL), CP_NO);
    cp_report(context, &count);
    assert_int_equal(count, 0);
    write_file("cut.srdf", "<robot name='arm'><disable_collisions link1='base' link2='wing'/>");
    assert_int_equal(read_beside(context, scene, path_of("cut.srdf"), NULL), CP_INPUT);
    assert_int_equal(read_beside(context, scene, path_of("gone.srdf"), NULL), CP_INPUT);
    assert_int_equal(read_beside(context, scene, CASES "good.srdf", "sdrf"), CP_USAGE);
    assert_int_equal(read_beside(other, scene, CASES "good.srdf", NULL), CP_USAGE);
    assert_true(was_reported(other, "beside-scene"));
    /* strict reading fails at the link that is not there, after it has made a name of it */
    static const char *const strict[] = {"strict=yes"};
    assert_int_equal(cp_read_beside(context, scene, CASES "gone.srdf", NULL, strict, 1), CP_INPUT);
    assert_int_equal(count_pairs(scene), 0);
    assert_int_equal(count_nodes(scene), nodes);
    cp_scene_free(scene);
    cp_context_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_lists, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_collision_setup, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_failures, make_context, free_context),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
