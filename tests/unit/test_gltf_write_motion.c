/* glb and gltf: poses, joints and clips. */
#include "gltf_written.h"

static void any_pose_survives(void **state)
{
    (void)state;
    static const cp_pose poses[] = {
        {{1, 0, 0, 0.1, 0, 1, 0, -2, 0, 0, 1, 1e-7}},                 /* exact as TRS */
        {{-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},                      /* mirrored */
        {{1, 0.5, 0, 3, 0, 1, 0.25, 4, 0, 0, 1, 5}},                  /* sheared */
        {{-1, 0.5, 0.125, 3, 0.5, 1, 0.25, 4, 7, 2, 1, 5}},           /* sheared and mirrored */
        {{0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3}},                       /* nothing left */
        {{2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0}},                       /* flat */
        {{1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0}},                       /* a line, sheared */
        {{0.36, 0.48, -0.8, 1, -0.8, 0.6, 0, 2, 0.48, 0.64, 0.6, 3}}, /* a rotation of thirds */
        {{0.0, -0.0, 0, 0, 0, 1e-9, 0, 0, 0, 0, 1e9, 0}},             /* far apart */
    };
    for (size_t i = 0; i < sizeof poses / sizeof *poses; i++) {
        struct written file = start();
        uint32_t node = add_placed(&file, 0, "a", poses[i]);
        add_instance(&file, node, add_mesh(&file, triangles()), CP_USE_BOTH, poses[i]);
        complete(&file);
        write_with(&file, "profile=stage", NULL);
        json_t *outer = node_of(&file, "a"), *below = child(&file, outer, 0), *instance = below;
        json_t *made = get(ours(below), "made"), *pose = json_object_get(ours(outer), "pose");
        bool sheared = strcmp(json_string_value(made), "shear") == 0;
        assert_maps(outer, sheared ? below : NULL, &poses[i]);
        assert_int_equal(sheared, i == 2 || i == 3 || i == 6);
        for (size_t k = 0; pose && k < 12; k++)
            assert_true(element(pose, k) == poses[i].m[k]);
        assert_true(pose || i < 8);
        if (sheared)
            instance = child(&file, below, 0);
        assert_string_equal(text(ours(instance), "made"), "instance");
        assert_maps(instance, sheared ? child(&file, instance, 0) : NULL, &poses[i]);
        finish(&file);
    }
}

/* Joint value -> motion, by the articulation and the TRS of the joint's nodes. */
static void joints_move_by_articulations(void **state)
{
    (void)state;
    static const double axes[][3] = {{0, 0, 1}, {0, -1, 0}, {0.6, 0, 0.8}, {0, 0.6, -0.8}, {1, 0, 0}, {0, 0, -1}};
    static const cp_joint_type types[] = {CP_JOINT_REVOLUTE, CP_JOINT_PRISMATIC, CP_JOINT_SCALE};
    for (size_t t = 0; t < 3; t++)
        for (size_t a = 0; a < sizeof axes / sizeof *axes; a++) {
            struct written file = start();
            uint32_t node = add_node(&file, 0, "j 1");
            cp_joint joint = cp_new_joint();
            joint.node = node;
            joint.type = types[t];
            memcpy(joint.axis, axes[a], sizeof joint.axis);
            joint.lower = 0.25, joint.upper = 1.5, joint.q = 0.5, joint.home = 0.75;
            assert_int_equal(cp_add_joint(file.scene, &joint), 0);
            complete(&file);
            write_with(&file, "profile=stage", NULL);
            json_t *moving = joint_node_of(&file, "j 1");
            const char *name = text(get(get(moving, "extensions"), "AGI_articulations"), "articulationName");
            json_t *articulation = at(get(get(file.json, "extensions"), "AGI_articulations"), "articulations", 0);
            assert_string_equal(name, "j_1");
            assert_string_equal(text(articulation, "name"), name);
            json_t *stage = at(articulation, "stages", 0), *extras = get(ours(moving), "joint");
            assert_true(number(extras, "lower") == 0.25 && number(extras, "q") == 0.5);
            static const double limits[3][2] = {{-0.25, 1}, {-0.25, 1}, {0.5, 3}};
            double unit = types[t] == CP_JOINT_REVOLUTE ? 180 / acos(-1) : 1;
            double low = limits[t][0] * unit, high = limits[t][1] * unit;
            assert_near(number(stage, "minimumValue"), low, 1e-12);
            assert_near(number(stage, "maximumValue"), high, 1e-12);
            static const char letters[] = {'z', 'z', 'z', 'z', 'x', 'z'};
            assert_int_equal(text(stage, "type")[0], letters[a]);
            finish(&file);
        }
}

/* The point turned about the axis by the right-hand rule (Rodrigues). */
static void turn_point(const double axis[3], double angle, const double point[3], double turned[3])
{
    double along = 0;
    for (int i = 0; i < 3; i++)
        along += axis[i] * point[i];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double cross = axis[j] * point[k] - axis[k] * point[j];
        turned[i] = point[i] * cos(angle) + cross * sin(angle) + axis[i] * along * (1 - cos(angle));
    }
}

static void try_aligned_joint(const double axis[3])
{
    struct written file = start();
    uint32_t node = add_node(&file, 0, "j");
    cp_joint joint = cp_new_joint();
    joint.node = node;
    memcpy(joint.axis, axis, sizeof joint.axis);
    joint.q = 1.1;
    assert_int_equal(cp_add_joint(file.scene, &joint), 0);
    complete(&file);
    write_with(&file, "profile=stage", NULL);
    json_t *there = child(&file, node_of(&file, "j"), 0), *moving = child(&file, there, 0);
    json_t *back = child(&file, moving, 0);
    assert_string_equal(text(ours(there), "made"), "axis");
    assert_string_equal(text(ours(back), "made"), "axis");
    double point[3] = {0.3, -0.2, 0.9}, wanted[3], pointer[3] = {0, 0, 1};
    turn_point(axis, 1.1, point, wanted);
    apply_node(back, point);
    apply_node(moving, point);
    apply_node(there, point);
    for (int i = 0; i < 3; i++)
        assert_near(point[i], wanted[i], 1e-14);
    apply_node(there, pointer); /* the stage's Z is the joint's axis, not its opposite */
    for (int i = 0; i < 3; i++)
        assert_near(pointer[i], axis[i], 1e-14);
    finish(&file);
}

static void aligned_joint_is_its_motion(void **state)
{
    (void)state;
    static const double axes[][3] = {{0.48, 0.64, -0.6}, {0.48, -0.64, 0.6}, {-1, 0, 0},    {0, -1, 0},
                                     {0, 0, -1},         {1e-9, -2e-9, -1},  {-1e-9, 0, 1}, {0.6, -0.8, -0.0}};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        try_aligned_joint(axes[i]);
}

static json_t *channel_output(struct written *file, json_t *clip, size_t channel, const char *end)
{
    json_t *sampler = at(clip, "samplers", (size_t)json_integer_value(get(at(clip, "channels", channel), "sampler")));
    return at(file->json, "accessors", (size_t)json_integer_value(get(sampler, end)));
}

static const unsigned char *whole_accessor(struct written *file, json_t *accessor, size_t width)
{
    json_t *view = at(file->json, "bufferViews", (size_t)json_integer_value(get(accessor, "bufferView")));
    json_t *begin = json_object_get(accessor, "byteOffset");
    size_t offset = begin ? (size_t)json_integer_value(begin) : 0;
    size_t size = (size_t)json_integer_value(get(view, "byteLength"));
    assert_true(offset + (size_t)json_integer_value(get(accessor, "count")) * width * 4 <= size);
    return view_bytes(file, view, size) + offset;
}

/* Viewers are shown some thousand quarter turns between two keys, no more; that is said. */
static void endless_turns_are_told(void **state)
{
    (void)state;
    for (int endless = 0; endless < 2; endless++) {
        struct written file = start();
        uint32_t node = add_node(&file, 0, "a");
        (void)add_limited_joint(file.scene, node, CP_JOINT_REVOLUTE, NULL, endless ? -1e6 : -1e3, 1e3);
        complete(&file);
        write_with(&file, NULL, NULL);
        assert_int_equal(count_entries(file.context, CP_WARNING, "gltf-turns"), endless);
        finish(&file);
    }
}

static void deliver_sweeps_driven_joints(void **state)
{
    (void)state;
    struct written file = start();
    uint32_t a = add_node(&file, 0, "a"), b = add_node(&file, a, "b");
    cp_joint follower = cp_new_joint();
    follower.node = b;
    follower.type = CP_JOINT_PRISMATIC;
    follower.master = add_limited_joint(file.scene, a, CP_JOINT_REVOLUTE, NULL, -3, 3);
    follower.driven = false;
    follower.scale = 2;
    follower.offset = 0.5;
    assert_int_not_equal(cp_add_joint(file.scene, &follower), CP_NONE);
    complete(&file);
    write_with(&file, NULL, NULL);
    assert_int_equal(json_array_size(get(file.json, "animations")), 1);
    json_t *clip = at(file.json, "animations", 0);
    assert_string_equal(text(clip, "name"), "a");
    assert_string_equal(text(ours(clip), "made"), "sweep");
    assert_int_equal(json_array_size(get(clip, "channels")), 2);
    json_t *times = channel_output(&file, clip, 0, "input"), *values = channel_output(&file, clip, 0, "output");
    size_t count = (size_t)json_integer_value(get(times, "count"));
    const unsigned char *time = whole_accessor(&file, times, 1), *value = whole_accessor(&file, values, 4);
    double lowest = 0, highest = 0, previous = 0;
    for (size_t i = 0; i < count; i++) {
        double angle = 2 * atan2(float_at(value + 16 * i + 8), float_at(value + 16 * i + 12));
        assert_true(i == 0 || float_at(time + 4 * i) > float_at(time + 4 * i - 4));
        assert_true(fabs(angle - previous) <= acos(-1) / 2 + 1e-6);
        lowest = fmin(lowest, previous = angle);
        highest = fmax(highest, angle);
    }
    assert_near(lowest, -3, 1e-6);
    assert_near(highest, 3, 1e-6);
    assert_near(previous, 0, 1e-6);
    value = whole_accessor(&file, channel_output(&file, clip, 1, "output"), 3);
    static const float slides[] = {0.5f, -5.5f, 6.5f, 0.5f};
    for (size_t i = 0; i < 4; i++)
        assert_near(float_at(value + 12 * i + 8), slides[i], 1e-6);
    drop_file(&file);
    write_with(&file, "clips=none", NULL);
    assert_null(json_object_get(file.json, "animations"));
    drop_file(&file);
    write_with(&file, "profile=stage", NULL);
    assert_null(json_object_get(file.json, "animations"));
    finish(&file);
}

static void jumps_and_exact_tracks(void **state)
{
    (void)state;
    static const double times[] = {-1, 0.1, 0.10000000000000002, 0.3}, values[] = {0, 1, 2, 2};
    static const double no_rotation[] = {0, 0, 0, 0};
    struct written file = start();
    uint32_t node = add_node(&file, 0, "a");
    add_joint_of(file.scene, node, CP_JOINT_PRISMATIC, NULL);
    const cp_track tracks[] = {{0, CP_PATH_JOINT, CP_LINEAR, 4, times, values},
                               {node, CP_PATH_ROTATION, CP_LINEAR, 1, times, no_rotation},
                               {node, CP_PATH_ROTATION, CP_LINEAR, 1, times, no_rotation}};
    assert_int_equal(add_clip_of(file.scene, "nothing", 0, NULL), 0);
    assert_int_equal(add_clip_of(file.scene, "c", 3, tracks), 1);
    complete(&file);
    write_with(&file, "profile=stage", NULL);
    json_t *clip = at(file.json, "animations", 0);
    assert_int_equal(json_array_size(get(file.json, "animations")), 1);
    assert_int_equal(json_array_size(get(clip, "channels")), 2); /* the second rotation would move the same thing */
    assert_int_equal(number(ours(clip), "channels"), 2);
    json_t *exact = at(ours(clip), "tracks", 0);
    for (size_t i = 0; i < 4; i++)
        assert_true(element(get(exact, "times"), i) == times[i] && element(get(exact, "values"), i) == values[i]);
    const unsigned char *time = whole_accessor(&file, channel_output(&file, clip, 0, "input"), 1);
    assert_true(float_at(time) == 0); /* none below zero */
    assert_true(float_at(time + 4) == 1.1f && float_at(time + 8) == nextafterf(1.1f, 2));
    const unsigned char *rotation = whole_accessor(&file, channel_output(&file, clip, 1, "output"), 4);
    assert_true(float_at(rotation + 12) == 1);
    json_t *unplayed = at(ours(at(file.json, "scenes", 0)), "clips", 0);
    assert_int_equal(number(unplayed, "position"), 0);
    assert_string_equal(text(unplayed, "name"), "nothing");
    finish(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_pose_survives),
        cmocka_unit_test(joints_move_by_articulations),
        cmocka_unit_test(aligned_joint_is_its_motion),
        cmocka_unit_test(endless_turns_are_told),
        cmocka_unit_test(deliver_sweeps_driven_joints),
        cmocka_unit_test(jumps_and_exact_tracks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
