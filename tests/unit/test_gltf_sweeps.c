/* Made clips: their names, their order, and that the first moves all joints as the others move each. */
#include "gltf_written.h"

static uint32_t add_joint(struct written *file, const char *name, cp_joint_type type)
{
    return add_limited_joint(file->scene, add_node(file, 0, name), type, name, -1, 1);
}

static void add_device(struct written *file, const char *name, cp_device_kind kind, const uint32_t *joints,
                       uint32_t count)
{
    cp_device device = cp_new_device();
    device.name = name;
    device.base = 0;
    device.kind = kind;
    device.joints = joints;
    device.joint_count = count;
    assert_int_not_equal(cp_add_device(file->scene, &device), CP_NONE);
}

static const char *clip_name(struct written *file, size_t index)
{
    return text(at(file->json, "animations", index), "name");
}

/* Some channel of the clip aims at the node of the joint. */
static void assert_moves(struct written *file, size_t clip, const char *joint)
{
    json_t *channel, *animation = at(file->json, "animations", clip), *node = joint_node_of(file, joint);
    size_t i;
    json_array_foreach(get(animation, "channels"), i, channel)
    {
        size_t target = (size_t)json_integer_value(get(get(channel, "target"), "node"));
        if (at(file->json, "nodes", target) == node)
            return;
    }
    fail_msg("clip %zu does not move %s", clip, joint);
}

static void names_and_order(void **state)
{
    (void)state;
    static const double times[] = {0, 1}, values[] = {0, 0.5};
    struct written file = start();
    uint32_t left[2] = {add_joint(&file, "Left.J1", CP_JOINT_REVOLUTE), add_joint(&file, "J2", CP_JOINT_PRISMATIC)};
    uint32_t right[2] = {add_joint(&file, "J1", CP_JOINT_REVOLUTE), add_joint(&file, "J1", CP_JOINT_REVOLUTE)};
    (void)add_joint(&file, "lone", CP_JOINT_PRISMATIC);
    cp_joint still = cp_new_joint();
    still.node = add_node(&file, 0, "still");
    still.type = CP_JOINT_PRISMATIC;
    still.lower = -1;
    still.upper = 1;
    still.driven = false;
    assert_int_not_equal(cp_add_joint(file.scene, &still), CP_NONE);
    uint32_t both[2] = {left[0], right[0]};
    add_device(&file, "Both", CP_DEVICE_COMPOSITE, both, 2);
    add_device(&file, "Left", CP_DEVICE_SERIAL, left, 2);
    add_device(&file, "Right", CP_DEVICE_SERIAL, right, 2);
    const cp_track track = {left[1], CP_PATH_JOINT, CP_LINEAR, 2, times, values};
    assert_int_equal(add_clip_of(file.scene, "Right/J1", 1, &track), 0);
    complete(&file);
    write_with(&file, NULL, NULL);
    static const char *const names[] = {"Right/J1",   "all joints", "Left/J1", "Left/J2",
                                        "Right/J1_2", "Right/J1_3", "lone"};
    static const char *const joints[] = {"J2", NULL, "Left.J1", "J2", "J1", "J1#2", "lone"};
    enum { CLIPS = sizeof names / sizeof *names };
    assert_int_equal(json_array_size(get(file.json, "animations")), CLIPS);
    for (size_t i = 0; i < CLIPS; i++) {
        assert_string_equal(clip_name(&file, i), names[i]);
        size_t channels = json_array_size(get(at(file.json, "animations", i), "channels"));
        assert_int_equal(channels, joints[i] ? 1 : 5);
        json_t *own = ours(at(file.json, "animations", i));
        assert_true((json_object_get(own, "made") != NULL) == (i > 0));
        assert_true((json_object_get(own, "joint") != NULL) == (i > 1));
        for (size_t k = 0; k < CLIPS; k++)
            if (joints[k] && (!joints[i] || i == k))
                assert_moves(&file, i, joints[k]);
    }

    /* None of them is a clip for our reader. */
    cp_scene *again = NULL;
    uint32_t count;
    assert_int_equal(cp_read_memory(file.context, file.bytes, file.size, "a.glb", "gltf", NULL, 0, &again), CP_OK);
    assert_string_equal(cp_clips(again, &count)[0].name, "Right/J1");
    assert_int_equal(count, 1);
    cp_scene_free(again);
    finish(&file);
}

static void one_joint_needs_one_clip(void **state)
{
    (void)state;
    struct written file = start();
    (void)add_joint(&file, "lone", CP_JOINT_REVOLUTE);
    complete(&file);
    write_with(&file, NULL, NULL);
    assert_int_equal(json_array_size(get(file.json, "animations")), 1);
    assert_string_equal(clip_name(&file, 0), "lone");
    finish(&file);
}

static uint32_t add_formula(struct written *file, const char *name, const char *text, const uint32_t inputs[2])
{
    static const double factors[2] = {1, 1};
    const cp_expression expression = {text, 1, 2, inputs, factors};
    cp_joint joint = cp_new_joint();
    joint.node = add_node(file, 0, name);
    joint.type = CP_JOINT_PRISMATIC;
    joint.expression = &expression;
    joint.driven = false;
    return cp_add_joint(file->scene, &joint);
}

/* An articulation of a joint with a formula goes as far as the formula does over the limits of its inputs. */
static void formulas_have_ranges(void **state)
{
    (void)state;
    static const struct {
        const char *formula;
        double low, high; /* with one input in -1 .. 1, and another in -1 .. 1 at the same part of its way */
    } rows[] = {{"dof(1)", -1, 1},        {"0.5*dof(2)+3", 2.5, 3.5}, {"2-dof(1)^2", 1, 2},
                {"sin(2*dof(1))", -1, 1}, {"dof(1)+dof(2)", -2, 2},   {"7+0*dof(1)", 7, 7}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct written file = start();
        uint32_t inputs[2] = {add_joint(&file, "a", CP_JOINT_REVOLUTE), add_joint(&file, "b", CP_JOINT_PRISMATIC)};
        (void)add_formula(&file, "f", rows[i].formula, inputs);
        complete(&file);
        write_with(&file, NULL, NULL);
        json_t *articulations = get(get(get(file.json, "extensions"), "AGI_articulations"), "articulations");
        json_t *stage = at(json_array_get(articulations, 2), "stages", 0);
        json_t *pose = json_object_get(joint_node_of(&file, "f"), "translation");
        double now = pose ? element(pose, 2) : 0;
        assert_string_equal(text(json_array_get(articulations, 2), "name"), "f");
        assert_near(number(stage, "minimumValue"), rows[i].low - now, 1e-4);
        assert_near(number(stage, "maximumValue"), rows[i].high - now, 1e-4);
        finish(&file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_and_order), cmocka_unit_test(one_joint_needs_one_clip),
                                       cmocka_unit_test(formulas_have_ranges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
