/* SRDF against ../shared/reference/robots: pairs, groups, states and ends of five robots, which another reader of the
 * XML has listed. */
#include <jansson.h>
#include <unistd.h>

#include "fixture.h"

#define FOLDER SHARED "/reference/robots"

struct robot {
    const char *name;
    json_t *expected;
    cp_context *context;
    cp_scene *list, *scene; /* the file alone, and beside its robot */
};

static const char *text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* The reasons of MoveIt's words in those files. */
static const char *reason_of(const char *word)
{
    return word && !strcmp(word, "Adjacent") ? "adjacent" : "given";
}

static void check_pairs(const struct robot *robot, const cp_scene *scene)
{
    const json_t *expected = json_object_get(robot->expected, "disabled"), *item;
    size_t index;
    const cp_node *nodes = cp_nodes(scene, NULL);
    const cp_pair *pairs = cp_pairs(scene, NULL);
    assert_int_equal(count_pairs(scene), json_array_size(expected));
    json_array_foreach(expected, index, item)
    {
        char evidence[64];
        const char *word = json_string_value(json_array_get(item, 2));
        snprintf(evidence, sizeof evidence, "%s%s", word ? "SRDF: " : "", word ? word : "");
        assert_string_equal(nodes[pairs[index].first].name, json_string_value(json_array_get(item, 0)));
        assert_string_equal(nodes[pairs[index].second].name, json_string_value(json_array_get(item, 1)));
        assert_int_equal(pairs[index].verdict, CP_PAIR_EXCLUDED);
        assert_string_equal(pairs[index].reason, reason_of(word));
        assert_string_equal(pairs[index].evidence, evidence);
    }
}

/* Returns how many elements of this name the scene keeps. */
static size_t count_kept(const cp_scene *scene, const char *element)
{
    uint32_t count;
    const cp_metadata_entry *entries = cp_metadata(scene, &count);
    char begin[64];
    size_t kept = 0, size = (size_t)snprintf(begin, sizeof begin, "<%s ", element);
    for (uint32_t i = 0; i < count; i++)
        kept += !strcmp(entries[i].key, "srdf") && !strncmp(entries[i].value, begin, size);
    return kept;
}

static void check_kept(const struct robot *robot, const cp_scene *scene)
{
    assert_int_equal(count_kept(scene, "group"), json_object_size(json_object_get(robot->expected, "groups")));
    assert_int_equal(count_kept(scene, "group_state"),
                     json_array_size(json_object_get(robot->expected, "group_states")));
    assert_int_equal(count_kept(scene, "end_effector"),
                     json_array_size(json_object_get(robot->expected, "end_effectors")));
    assert_int_equal(count_kept(scene, "virtual_joint"),
                     json_array_size(json_object_get(robot->expected, "virtual_joints")));
}

/* The joints of a state that is called home or ready have its values as their homes; all others have 0. */
static void check_homes(const struct robot *robot)
{
    uint32_t count;
    size_t index;
    const json_t *state;
    const cp_joint *joints = cp_joints(robot->scene, &count);
    for (uint32_t i = 0; i < count; i++) {
        double home = 0;
        if (cp_joint_is_dependent(&joints[i]))
            continue;
        json_array_foreach(json_object_get(robot->expected, "group_states"), index, state)
        {
            const char *value = text(json_object_get(state, "values"), joints[i].name), *name = text(state, "name");
            if (value && (!strcmp(name, "home") || !strcmp(name, "ready")))
                home = strtod(value, NULL);
        }
        assert_true(joints[i].home == home);
    }
}

static void check_ends(const struct robot *robot)
{
    const cp_device *device = cp_devices(robot->scene, NULL);
    const json_t *expected = json_object_get(robot->expected, "end_effectors"), *item;
    size_t index;
    json_array_foreach(expected, index, item)
    {
        assert_int_equal(device->end_count, json_array_size(expected));
        assert_string_equal(cp_nodes(robot->scene, NULL)[device->ends[index]].name, text(item, "parent_link"));
    }
}

static void check_root(const struct robot *robot)
{
    size_t index;
    const json_t *item;
    json_array_foreach(json_object_get(robot->expected, "virtual_joints"), index, item)
    {
        bool movable = node_called(robot->scene, text(item, "child_link"))->flags & CP_NODE_MOVABLE;
        assert_int_equal(movable, strcmp(text(item, "type"), "fixed") != 0);
    }
}

/* outside: values of states that its URDF does not allow. */
static void check_robot(const char *name, size_t pairs, size_t outside)
{
    struct robot robot = {.name = name, .context = cp_context_new(NULL)};
    char srdf[4096], path[4096];
    snprintf(path, sizeof path, FOLDER "/%s.srdf.json", name);
    robot.expected = json_load_file(path, 0, NULL);
    assert_non_null(robot.expected);
    snprintf(srdf, sizeof srdf, FOLDER "/expanded/%s.srdf", name);
    expect_status(robot.context, cp_read(robot.context, srdf, NULL, NULL, 0, &robot.list), CP_OK);
    check_pairs(&robot, robot.list);
    check_kept(&robot, robot.list);
    assert_int_equal(count_pairs(robot.list), pairs);
    size_t told;
    cp_report(robot.context, &told);
    assert_int_equal(told, 0);

    snprintf(path, sizeof path, FOLDER "/expanded/%s.urdf", name);
    if (access(path, R_OK) == 0) {
        expect_status(robot.context, cp_read(robot.context, path, NULL, NULL, 0, &robot.scene), CP_OK);
        cp_report_clear(robot.context); /* meshes that are not there */
        expect_status(robot.context, cp_read_beside(robot.context, robot.scene, srdf, NULL, NULL, 0), CP_OK);
        assert_int_equal(cp_validate(robot.context, robot.scene), CP_OK);
        cp_report(robot.context, &told);
        assert_int_equal(told, outside);
        assert_int_equal(count_entries(robot.context, CP_WARNING, "srdf-value"), outside);
        check_pairs(&robot, robot.scene);
        check_kept(&robot, robot.scene);
        check_homes(&robot);
        check_ends(&robot);
        check_root(&robot);
    }
    json_decref(robot.expected);
    cp_scene_free(robot.list);
    cp_scene_free(robot.scene);
    cp_context_free(robot.context);
}

static void test_robots(void **state)
{
    (void)state;
    check_robot("panda", 34, 0);
    check_robot("panda_arm_hand", 34, 0);
    check_robot("fanuc_m10ia", 10, 0);
    check_robot("fr3", 41, 1);
    check_robot("pr2", 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_robots)};
    if (access(FOLDER, R_OK) != 0) {
        puts("skipped: " SHARED " is not there");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
