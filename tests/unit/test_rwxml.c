/* The importer of RobWork's XML, beside an independent reader of such files: frames, limits, poses in five states, and
 * excluded pairs of twenty files. And closed legs, whose poses are worked out here. */
#include <dirent.h>
#include <jansson.h>
#include <math.h>

#include "fixture.h"

#define REFERENCE SHARED "/reference/robots/rwxml"

/* ---- the reference ---- */

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static cp_scene *read_cell(cp_context *context, const char *file, const char *option)
{
    char path[1024];
    const char *const folders[] = {"corpus/robots/rwxml", "corpus"};
    cp_scene *scene = NULL;
    cp_status status = CP_INPUT;
    for (int i = 0; i < 2 && status != CP_OK; i++) {
        (void)snprintf(path, sizeof path, "%s/%s/%s", SHARED, folders[i], file);
        FILE *there = fopen(path, "r");
        if (!there)
            continue;
        fclose(there);
        cp_report_clear(context);
        status = cp_read(context, path, "rwxml", option ? &option : NULL, option != NULL, &scene);
        expect_status(context, status, CP_OK);
    }
    assert_int_equal(status, CP_OK);
    return scene;
}

static void expect_numbers(const json_t *expected, const double *numbers, size_t count, double tolerance,
                           const char *what)
{
    assert_int_equal(json_array_size(expected), count);
    for (size_t i = 0; i < count; i++)
        if (!(fabs(json_number_value(json_array_get(expected, i)) - numbers[i]) <= tolerance))
            fail_msg("%s: number %zu is %.17g, not %.17g", what, i, numbers[i],
                     json_number_value(json_array_get(expected, i)));
}

static void expect_limit(const json_t *frame, const char *key, double limit, double none)
{
    const json_t *expected = json_object_get(frame, key);
    double value = expected ? json_number_value(expected) : none;
    if (!(value == limit || fabs(value - limit) < 1e-12))
        fail_msg("%s of %s is %.17g, not %.17g", key, text_of(frame, "name"), limit, value);
}

static void expect_joint(const cp_scene *scene, const json_t *frame)
{
    const char *type = text_of(frame, "type");
    bool revolute = strcmp(type, "Revolute") == 0, prismatic = strcmp(type, "Prismatic") == 0;
    const cp_node *node = node_called(scene, text_of(frame, "name"));
    assert_int_equal(node->joint_count, revolute || prismatic);
    if (!revolute && !prismatic)
        return;
    const cp_joint *joint = &cp_joints(scene, NULL)[node->first_joint];
    assert_int_equal(joint->type, revolute ? CP_JOINT_REVOLUTE : CP_JOINT_PRISMATIC);
    assert_int_equal(joint->driven, json_is_true(json_object_get(frame, "active")));
    assert_true(joint->axis[2] == 1);
    expect_limit(frame, "lower", joint->lower, -INFINITY);
    expect_limit(frame, "upper", joint->upper, INFINITY);
    expect_limit(frame, "velocity", joint->velocity, INFINITY);
    expect_limit(frame, "acceleration", joint->acceleration, INFINITY);
    const json_t *depend = json_object_get(frame, "depend");
    assert_int_equal(joint->master != CP_NONE, depend != NULL);
    if (depend) {
        assert_string_equal(cp_joints(scene, NULL)[joint->master].name, text_of(depend, "on"));
        assert_true(joint->scale == json_number_value(json_object_get(depend, "gain")));
        assert_true(joint->offset == json_number_value(json_object_get(depend, "offset")));
    }
}

static void expect_frames(const cp_scene *scene, const json_t *frames)
{
    uint32_t known = 0;
    for (size_t i = 0; i < json_array_size(frames); i++) {
        const json_t *frame = json_array_get(frames, i);
        const cp_node *node = node_called(scene, text_of(frame, "name"));
        assert_string_equal(cp_nodes(scene, NULL)[node->parent].name, text_of(frame, "parent"));
        expect_numbers(json_object_get(frame, "local"), node->local.m, 12, 1e-12, node->name);
        bool movable = strcmp(text_of(frame, "type"), "Movable") == 0;
        assert_int_equal((node->flags & CP_NODE_MOVABLE) != 0, movable);
        assert_int_equal((node->flags & CP_NODE_ATTACHABLE) != 0, json_is_true(json_object_get(frame, "daf")));
        expect_joint(scene, frame);
    }
    for (uint32_t i = 1; i < count_nodes(scene); i++)
        known += (cp_nodes(scene, NULL)[i].flags & CP_NODE_PLACEHOLDER) == 0;
    assert_int_equal(known, json_array_size(frames));
}

static void expect_devices(const cp_scene *scene, const json_t *devices)
{
    assert_int_equal(count_devices(scene), json_array_size(devices));
    for (size_t i = 0; i < json_array_size(devices); i++) {
        const json_t *expected = json_array_get(devices, i), *joints = json_object_get(expected, "joints");
        const cp_device *device = &cp_devices(scene, NULL)[find_device(scene, text_of(expected, "name"))];
        bool serial = strcmp(text_of(expected, "kind"), "SerialDevice") == 0;
        assert_int_equal(device->kind, serial ? CP_DEVICE_SERIAL : CP_DEVICE_TREE);
        assert_string_equal(cp_nodes(scene, NULL)[device->base].name, text_of(expected, "base"));
        assert_int_equal(device->joint_count, json_array_size(joints));
        for (uint32_t k = 0; k < device->joint_count; k++)
            assert_string_equal(cp_joints(scene, NULL)[device->joints[k]].name,
                                json_string_value(json_array_get(joints, k)));
        const json_t *home = json_object_get(json_object_get(expected, "q"), "Home");
        assert_int_equal(device->home != NULL, home != NULL);
        if (home)
            expect_numbers(home, device->home, device->joint_count, 0, device->name);
        const json_t *ends = json_object_get(expected, "ends");
        for (size_t k = 0; k < json_array_size(ends); k++) {
            bool found = false;
            for (uint32_t e = 0; e < device->end_count; e++)
                found |= strcmp(cp_nodes(scene, NULL)[device->ends[e]].name,
                                json_string_value(json_array_get(ends, k))) == 0;
            assert_true(found);
        }
    }
}

static void expect_states(cp_context *context, const cp_scene *scene, const json_t *states)
{
    uint32_t joint_count, node_count;
    const cp_joint *joints = cp_joints(scene, &joint_count);
    const cp_node *nodes = cp_nodes(scene, &node_count);
    double *q = scratch(joint_count + 1, sizeof *q);
    cp_pose *worlds = scratch(node_count, sizeof *worlds);
    for (size_t s = 0; s < json_array_size(states); s++) {
        const json_t *state = json_array_get(states, s), *values = json_object_get(state, "q");
        for (uint32_t i = 0; i < joint_count; i++)
            q[i] = json_number_value(json_object_get(values, joints[i].name));
        assert_int_equal(cp_world_poses(context, scene, q, worlds), CP_OK);
        for (uint32_t i = 0; i < node_count; i++) {
            const json_t *world = json_object_get(json_object_get(state, "worlds"), nodes[i].name);
            if (world)
                expect_numbers(world, worlds[i].m, 12, 1e-9, nodes[i].name);
            else
                assert_true((nodes[i].flags & CP_NODE_PLACEHOLDER) != 0);
        }
    }
}

static bool is_candidate(const json_t *candidates, const char *name)
{
    for (size_t i = 0; i < json_array_size(candidates); i++)
        if (strcmp(json_string_value(json_array_get(candidates, i)), name) == 0)
            return true;
    return false;
}

static bool has_pair(const cp_scene *scene, const char *first, const char *second)
{
    uint32_t count;
    const cp_pair *pairs = cp_pairs(scene, &count);
    const cp_node *nodes = cp_nodes(scene, NULL);
    for (uint32_t i = 0; i < count; i++) {
        const char *a = nodes[pairs[i].first].name, *b = nodes[pairs[i].second].name;
        if ((strcmp(a, first) == 0 && strcmp(b, second) == 0) || (strcmp(b, first) == 0 && strcmp(a, second) == 0))
            return true;
    }
    return false;
}

/* Every excluded pair is, and no other one of frames with models. */
static void expect_pairs(const cp_scene *scene, const json_t *pairs)
{
    const json_t *excluded = json_object_get(pairs, "excluded"), *candidates = json_object_get(pairs, "candidates");
    const json_t *checked = json_object_get(pairs, "checked");
    for (size_t i = 0; i < json_array_size(excluded); i++) {
        const json_t *pair = json_array_get(excluded, i);
        const char *first = json_string_value(json_array_get(pair, 0)),
                   *second = json_string_value(json_array_get(pair, 1));
        assert_true(is_candidate(candidates, first));
        if (!has_pair(scene, first, second))
            fail_msg("%s and %s are not excluded", first, second);
    }
    for (size_t i = 0; i < json_array_size(checked); i++) {
        const json_t *pair = json_array_get(checked, i);
        const char *first = json_string_value(json_array_get(pair, 0)),
                   *second = json_string_value(json_array_get(pair, 1));
        if (has_pair(scene, first, second))
            fail_msg("%s and %s are excluded", first, second);
    }
}

static void test_reference(void **state)
{
    DIR *folder = opendir(REFERENCE);
    int files = 0;
    if (!folder) {
        print_message("skipped: no %s\n", REFERENCE);
        skip();
    }
    for (const struct dirent *entry; (entry = readdir(folder));) {
        char path[1024];
        if (!strstr(entry->d_name, ".json"))
            continue;
        (void)snprintf(path, sizeof path, "%s/%s", REFERENCE, entry->d_name);
        json_t *reference = json_load_file(path, 0, NULL);
        assert_non_null(reference);
        print_message("%s\n", text_of(reference, "file"));
        cp_scene *scene = read_cell(*state, text_of(reference, "file"), "loops=no");
        expect_frames(scene, json_object_get(reference, "frames"));
        expect_devices(scene, json_object_get(reference, "devices"));
        expect_states(*state, scene, json_object_get(reference, "states"));
        expect_pairs(scene, json_object_get(reference, "pairs"));
        cp_scene_free(scene);
        json_decref(reference);
        files++;
    }
    closedir(folder);
    assert_int_equal(files, 20);
}

/* ---- pairs that are checked ---- */

/* The reference applies the rules alone, as RobWork of 2018 does: its list of static groups is always empty. Pairs that
 * are static, and that no rule excludes, come on top where the setup says so. */
static void test_counts(void **state)
{
    static const struct {
        const char *file;
        uint64_t by_rules, all; /* as the reference says */
        uint64_t statics, dangling;
        uint64_t missing; /* frames whose model files are not there; with any, so many pairs are left of `there` */
        uint64_t checked, there;
    } cases[] = {{"schunkhand/SchunkHand/SchunkHand.xml", 45, 45, 0, 12, 0, 0, 0},
                 {"parallel/Robotiq-2-finger-85/robotiq.wc.xml", 89, 153, 1, 0, 14, 6, 6},
                 {"ur6855a/UR6855A/UR6855A.wc.xml", 15, 21, 0, 2, 0, 0, 0},
                 {"sdh2/SDH2/SchunkHand.wc.xml", 31, 36, 0, 0, 0, 0, 0},
                 {"belt_box/belt_box/Scene.wc.xml", 18, 21, 0, 0, 0, 0, 0},
                 {"fanuc_lrm200i/Fanuc-LRM200i/fanuc_lrm200i.xml", 0, 21, 0, 0, 0, 0, 0},
                 {"workcells/workcells/DistanceTest.wc.xml", 3, 6, 0, 0, 0, 0, 0},
                 {"robwork-simple-wc/SimpleWorkcell.wc.xml", 44, 66, 3, 0, 0, 0, 0},
                 {"robwork-simple-wc/SimpleWorkcellSerialized.wc.xml", 44, 66, 3, 0, 0, 0, 0},
                 {"pa10_xml/pa10.xml", 3, 21, 0, 0, 7, 0, 0},
                 {"pa10_xml/pa10_dh.xml", 3, 21, 0, 0, 7, 0, 0},
                 {"pa10_xml/pa10_schilling.xml", 10, 28, 0, 0, 8, 0, 0}};
    DIR *folder = opendir(REFERENCE);
    if (!folder) {
        print_message("skipped: no %s\n", REFERENCE);
        skip();
    }
    closedir(folder);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cp_pair_counts counts = {.size = sizeof counts};
        cp_scene *scene = read_cell(*state, cases[i].file, NULL);
        assert_int_equal(cp_count_pairs(*state, scene, &counts), CP_OK);
        if (counts.declared_checked != cases[i].by_rules - cases[i].statics || counts.declared != cases[i].all)
            fail_msg("%s: %u of %u pairs", cases[i].file, (unsigned)counts.declared_checked, (unsigned)counts.declared);
        assert_int_equal(counts.checked, cases[i].missing ? cases[i].checked : counts.declared_checked);
        assert_int_equal(counts.all, cases[i].missing ? cases[i].there : counts.declared);
        assert_int_equal(counts.missing, cases[i].missing);
        assert_int_equal(counts.static_alone, cases[i].statics);
        assert_int_equal(count_entries(*state, CP_WARNING, "rwxml-dangling"), cases[i].dangling > 0);
        if (cases[i].dangling > 0)
            assert_int_equal(atoi(find_entry(*state, "rwxml-dangling")->text), cases[i].dangling);
        cp_scene_free(scene);
    }
}

/* ---- legs ---- */

/* Two equal legs of two links side by side, and a bar between their tips: a parallelogram, with one joint driven. */
#define LEG(name, state, x)                                                                                            \
    "<Frame name='" name "' refframe='Base'><RPY>0 0 0</RPY><Pos>" x " 0 0</Pos></Frame><SerialChain name='" name      \
    "'><Joint name='A' type='Revolute' state='" state "'/><Joint name='B' type='Revolute' state='Passive'>"            \
    "<RPY>0 0 0</RPY><Pos>0 1 0</Pos></Joint></SerialChain>"

static void test_legs(void **state)
{
    static const char text[] = "<ParallelDevice name='P'><Frame name='Base'/>" LEG(
        "L", "Active", "0") "<Frame name='LE'><RPY>0 0 0</RPY>"
                            "<Pos>2 0 0</Pos></Frame>" LEG(
                                "R", "Passive",
                                "2") "<Frame name='RE'/><Junction><Chains>L</Chains>"
                                     "<Chains>R</Chains></Junction><Q name='Home'>0.25</Q></ParallelDevice>";
    uint32_t count;
    cp_mobility mobility = {.size = sizeof mobility};
    cp_scene *scene = read_scene(*state, text, "legs.wc.xml", NULL);
    const cp_loop *loops = cp_loops(scene, &count);
    assert_int_equal(count, 1);
    assert_int_equal(loops->type, CP_LOOP_FIXED);
    assert_string_equal(cp_nodes(scene, NULL)[loops->nodes[0]].name, "P.LE");
    assert_string_equal(cp_nodes(scene, NULL)[loops->nodes[1]].name, "P.RE");
    assert_int_equal(cp_measure_mobility(*state, scene, &mobility), CP_OK);
    assert_int_equal(mobility.degrees, 1);
    double *q = scratch(count_joints(scene), sizeof *q), *values = scratch(count_joints(scene), sizeof *values);
    memset(q, 0, count_joints(scene) * sizeof *q);
    q[find_joint(scene, "P.L.A")] = 0.5;
    cp_mechanism *mechanism;
    assert_int_equal(cp_mechanism_new(*state, scene, &mechanism), CP_OK);
    assert_int_equal(cp_mechanism_values(mechanism, q, values), CP_OK);
    assert_true(fabs(values[find_joint(scene, "P.L.B")] + 0.5) < 1e-9);
    assert_true(fabs(values[find_joint(scene, "P.R.A")] - 0.5) < 1e-9);
    cp_mechanism_free(mechanism);
    cp_scene_free(scene);
    scene = read_scene(*state, text, "legs.wc.xml", "loops=no");
    assert_int_equal(count_loops(scene), 0);
    assert_int_equal(count_entries(*state, CP_LOSS, "rwxml-open"), 1);
    cp_scene_free(scene);
}

static void test_gripper(void **state)
{
    DIR *folder = opendir(REFERENCE);
    if (!folder) {
        print_message("skipped: no %s\n", REFERENCE);
        skip();
    }
    closedir(folder);
    cp_mobility mobility = {.size = sizeof mobility};
    cp_scene *scene = read_cell(*state, "parallel/Robotiq-2-finger-85/robotiq.wc.xml", NULL);
    assert_int_equal(count_loops(scene), 5);
    assert_int_equal(cp_measure_mobility(*state, scene, &mobility), CP_OK);
    assert_int_equal(mobility.degrees, 6);
    assert_int_equal(mobility.commanded, 6);
    cp_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_reference, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_counts, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_legs, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_gripper, make_context, free_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
