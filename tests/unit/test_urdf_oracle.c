/* The importer of URDF against ../shared/reference/robots: poses, joints and masses of 18 robots, which another reader
 * has computed and KDL has confirmed. */
#include <dirent.h>
#include <jansson.h>
#include <math.h>
#include <unistd.h>

#include "fixture.h"

#define FOLDER SHARED "/reference/robots"

/* Its oracle takes each of the two for a robot; urdfdom and we refuse it. */
static const char two_roots[] = "dialect_prismatic_joints.urdf";

/* A robot of the oracle beside the scene that we make of it. */
struct robot {
    const char *name;
    json_t *expected;
    cp_context *context;
    cp_scene *scene;
    const cp_node *nodes;
    const cp_joint *joints;
    uint32_t node_count, joint_count;
};

static uint32_t link_called(const struct robot *robot, const char *name)
{
    return (uint32_t)(node_called(robot->scene, name) - robot->nodes);
}

static uint32_t joint_index(const struct robot *robot, const char *name)
{
    for (uint32_t i = 0; i < robot->joint_count; i++)
        if (!strcmp(robot->joints[i].name, name))
            return i;
    return CP_NONE;
}

static double number(const json_t *object, const char *key, double absent)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : absent;
}

static void check_near(const struct robot *robot, const char *what, const double *got, const json_t *expected,
                       size_t count, double within)
{
    assert_int_equal(json_array_size(expected), count);
    for (size_t i = 0; i < count; i++)
        if (!(fabs(got[i] - json_number_value(json_array_get(expected, i))) <= within))
            fail_msg("%s: %s[%zu] is %.17g, not %.17g", robot->name, what, i, got[i],
                     json_number_value(json_array_get(expected, i)));
}

static void check_number(const struct robot *robot, const char *joint, const char *what, double got, double expected)
{
    if (got != expected)
        fail_msg("%s: %s of %s is %.17g, not %.17g", robot->name, what, joint, got, expected);
}

/* The joint tables are exact. A mimic of a mimic is folded, which the oracle leaves as it is. */
static void check_joint(const struct robot *robot, const json_t *expected)
{
    const char *name = json_string_value(json_object_get(expected, "name"));
    const char *type = json_string_value(json_object_get(expected, "type"));
    uint32_t child = link_called(robot, json_string_value(json_object_get(expected, "child")));
    uint32_t parent = link_called(robot, json_string_value(json_object_get(expected, "parent")));
    uint32_t index = joint_index(robot, name);
    assert_int_equal(robot->nodes[child].parent, parent);
    check_near(robot, name, robot->nodes[child].local.m, json_object_get(expected, "origin"), 12, 1e-15);
    if (!strcmp(type, "fixed") || !strcmp(type, "floating")) {
        assert_true(index == CP_NONE);
        return;
    }
    assert_true(index != CP_NONE);
    const cp_joint *joint = &robot->joints[index];
    /* A joint without <limit> has 0 and 0 in the oracle, and no limits here: docs/urdf.md. */
    bool omitted = number(expected, "lower", -1) == 0 && number(expected, "upper", -1) == 0 &&
                   json_is_null(json_object_get(expected, "effort"));
    bool bounded = strcmp(type, "continuous") != 0 && !omitted;
    const json_t *mimic = json_object_get(expected, "mimic");
    assert_int_equal(joint->node, child);
    assert_int_equal(joint->type, strcmp(type, "prismatic") ? CP_JOINT_REVOLUTE : CP_JOINT_PRISMATIC);
    check_near(robot, name, joint->axis, json_object_get(expected, "axis"), 3, 1e-15);
    check_number(robot, name, "lower", joint->lower, bounded ? number(expected, "lower", -INFINITY) : -INFINITY);
    check_number(robot, name, "upper", joint->upper, bounded ? number(expected, "upper", INFINITY) : INFINITY);
    check_number(robot, name, "velocity", joint->velocity, number(expected, "velocity", INFINITY));
    check_number(robot, name, "effort", joint->effort, number(expected, "effort", INFINITY));
    check_number(robot, name, "damping", joint->damping, number(expected, "damping", 0));
    check_number(robot, name, "friction", joint->friction, number(expected, "friction", 0));
    assert_int_equal(joint->driven, !json_is_object(mimic));
    if (!json_is_object(mimic))
        return;
    const char *master = json_string_value(json_object_get(mimic, "joint"));
    assert_int_equal(joint->master, joint_index(robot, master));
    check_number(robot, name, "multiplier", joint->scale, number(mimic, "multiplier", 1));
    check_number(robot, name, "offset", joint->offset, number(mimic, "offset", 0));
}

static void check_inertia(const struct robot *robot, const char *link, const json_t *expected)
{
    const cp_inertia *inertia = robot->nodes[link_called(robot, link)].inertia;
    const json_t *pose = json_object_get(expected, "pose"), *six = json_object_get(expected, "inertia");
    double m[12], read[6], trace = 0;
    assert_non_null(inertia);
    check_number(robot, link, "mass", inertia->mass, number(expected, "mass", 0));
    for (size_t i = 0; i < 12; i++)
        m[i] = json_number_value(json_array_get(pose, i));
    for (size_t i = 0; i < 3; i++)
        check_number(robot, link, "centre", inertia->centre[i], m[4 * i + 3]);
    for (size_t i = 0; i < 6; i++)
        read[i] = json_number_value(json_array_get(six, i));
    const double inner[3][3] = {{read[0], read[1], read[2]}, {read[1], read[3], read[4]}, {read[2], read[4], read[5]}};
    for (size_t i = 0, at = 0; i < 3; i++)
        for (size_t k = i; k < 3; k++, at++) {
            double sum = 0;
            for (size_t r = 0; r < 3; r++)
                for (size_t c = 0; c < 3; c++)
                    sum += m[4 * i + r] * inner[r][c] * m[4 * k + c];
            trace += fabs(sum);
            assert_true(fabs(sum - inertia->moments[at]) <= 1e-15 * (1 + trace));
        }
}

static void check_state(const struct robot *robot, const json_t *state)
{
    double *q = calloc(robot->joint_count + 1, sizeof *q);
    cp_pose *worlds = calloc(robot->node_count, sizeof *worlds);
    const json_t *values = json_object_get(state, "q"), *expected = json_object_get(state, "worlds");
    for (uint32_t i = 0; i < robot->joint_count; i++)
        q[i] = number(values, robot->joints[i].name, 0);
    assert_int_equal(cp_world_poses(robot->context, robot->scene, q, worlds), CP_OK);
    assert_int_equal(json_object_size(expected), robot->node_count - 1);
    for (uint32_t i = 1; i < robot->node_count; i++)
        check_near(robot, robot->nodes[i].name, worlds[i].m, json_object_get(expected, robot->nodes[i].name), 12,
                   1e-12);
    free(q);
    free(worlds);
}

static void check_robot(const char *name)
{
    struct robot robot = {.name = name, .context = cp_context_new(NULL)};
    char path[4096];
    json_error_t error;
    snprintf(path, sizeof path, FOLDER "/%s.json", name);
    robot.expected = json_load_file(path, 0, &error);
    snprintf(path, sizeof path, FOLDER "/expanded/%s.urdf", name);
    if (!robot.expected || cp_read(robot.context, path, NULL, NULL, 0, &robot.scene) != CP_OK) {
        show_report(robot.context);
        fail_msg("%s", name);
    }
    assert_int_equal(cp_validate(robot.context, robot.scene), CP_OK);
    robot.nodes = cp_nodes(robot.scene, &robot.node_count);
    robot.joints = cp_joints(robot.scene, &robot.joint_count);

    size_t index;
    const json_t *item;
    const char *link;
    json_array_foreach(json_object_get(robot.expected, "joints"), index, item) check_joint(&robot, item);
    void *at;
    json_t *inertial = json_object_get(robot.expected, "inertial");
    for (at = json_object_iter(inertial); at; at = json_object_iter_next(inertial, at)) {
        link = json_object_iter_key(at);
        check_inertia(&robot, link, json_object_iter_value(at));
    }
    json_array_foreach(json_object_get(robot.expected, "states"), index, item) check_state(&robot, item);
    assert_int_equal(index, 5);
    json_decref(robot.expected);
    cp_scene_free(robot.scene);
    cp_context_free(robot.context);
}

static void test_robots(void **state)
{
    (void)state;
    DIR *folder = opendir(FOLDER "/expanded");
    int count = 0;
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char name[256];
        size_t size = strlen(entry->d_name);
        if (size <= 5 || size > sizeof name || strcmp(entry->d_name + size - 5, ".urdf") != 0 ||
            !strcmp(entry->d_name, two_roots))
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(size - 5), entry->d_name);
        check_robot(name);
        count++;
    }
    closedir(folder);
    assert_int_equal(count, 18);
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
