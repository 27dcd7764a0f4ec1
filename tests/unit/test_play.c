/* Clips at a moment, against a player of the test's own that knows no shortcuts: it looks through all keys and all
 * attachments, and climbs from each node to the world by plain 4x4 matrices. */
#include "clip_support.h"
#include "scene_fixture.h"

static const double tolerance = 1e-12;

/* ---- the plain player ---- */

static void normalise(double q[4])
{
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; i++)
        q[i] /= length;
}

/* As Shoemake has it: by the arc cosine of the dot product. */
static void plain_slerp(const double a[4], const double b[4], double t, double out[4])
{
    double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3], sign = dot < 0 ? -1 : 1;
    double angle = acos(fmin(1, fabs(dot)));
    for (int i = 0; i < 4; i++)
        out[i] = angle < 1e-7 ? a[i] + (sign * b[i] - a[i]) * t
                              : (sin((1 - t) * angle) * a[i] + sign * sin(t * angle) * b[i]) / sin(angle);
    normalise(out);
}

static void plain_value(const cp_track *track, double time, double *value)
{
    static const uint32_t widths[] = {1, 3, 4, 3};
    uint32_t width = widths[track->path], rows = track->interpolation == CP_CUBIC ? 3 : 1, key = 0;
    for (uint32_t i = 0; i < track->key_count; i++)
        if (track->times[i] <= time)
            key = i;
    const double *a = track->values + (size_t)key * rows * width, *b = a + (size_t)rows * width;
    bool last = key + 1 == track->key_count || time < track->times[0];
    double d = last ? 1 : track->times[key + 1] - track->times[key], t = last ? 0 : (time - track->times[key]) / d;
    for (uint32_t i = 0; i < width; i++)
        if (last || track->interpolation == CP_STEP)
            value[i] = a[rows == 3 ? width + i : i];
        else if (rows == 1)
            value[i] = (1 - t) * a[i] + t * b[i];
        else /* Hermite's four polynomials */
            value[i] = (1 + 2 * t) * (1 - t) * (1 - t) * a[width + i] + t * (1 - t) * (1 - t) * d * a[2 * width + i] +
                       t * t * (3 - 2 * t) * b[width + i] + t * t * (t - 1) * d * b[i];
    if (track->path == CP_PATH_ROTATION && rows == 1 && !last && track->interpolation == CP_LINEAR)
        plain_slerp(a, b, t, value);
    else if (track->path == CP_PATH_ROTATION)
        normalise(value);
}

/* The first track of a target and path. */
static const cp_track *find_track(const cp_clip *clip, cp_path path, uint32_t target)
{
    for (uint32_t i = 0; i < clip->track_count; i++)
        if (clip->tracks[i].path == path && clip->tracks[i].target == target)
            return &clip->tracks[i];
    return NULL;
}

static double free_value(const cp_clip *clip, uint32_t joint, double time)
{
    const cp_track *track = find_track(clip, CP_PATH_JOINT, joint);
    double value = cp_joints(scene, NULL)[joint].q;
    if (track)
        plain_value(track, time, &value);
    return value;
}

static double plain_joint(const cp_clip *clip, uint32_t index, double time)
{
    const cp_joint *joint = &cp_joints(scene, NULL)[index];
    if (joint->master != CP_NONE)
        return joint->scale * free_value(clip, joint->master, time) + joint->offset;
    if (!joint->expression)
        return free_value(clip, index, time);
    const cp_expression *e = joint->expression;
    double a = e->factors[0] * free_value(clip, e->inputs[0], time),
           b = e->factors[1] * free_value(clip, e->inputs[1], time);
    return joint->scale * plain_formula(e->text, a, b, e->angle) + joint->offset;
}

static struct matrix plain_local(const cp_clip *clip, uint32_t index, double time)
{
    const cp_node *node = &cp_nodes(scene, NULL)[index];
    const cp_track *tracks[4];
    for (int path = CP_PATH_TRANSLATION; path <= CP_PATH_SCALE; path++)
        tracks[path] = find_track(clip, (cp_path)path, index);
    /* The columns are those of a rotation times the scale. */
    struct matrix local = matrix_of_pose(&node->local);
    double place[3], scale[3], turn[4];
    for (int k = 0; k < 3; k++) {
        place[k] = local.m[k][3];
        scale[k] = sqrt(pow(local.m[0][k], 2) + pow(local.m[1][k], 2) + pow(local.m[2][k], 2));
        for (int i = 0; i < 3; i++)
            local.m[i][k] /= scale[k];
    }
    if (tracks[CP_PATH_TRANSLATION])
        plain_value(tracks[CP_PATH_TRANSLATION], time, place);
    if (tracks[CP_PATH_SCALE])
        plain_value(tracks[CP_PATH_SCALE], time, scale);
    if (tracks[CP_PATH_ROTATION]) {
        plain_value(tracks[CP_PATH_ROTATION], time, turn);
        local = matrix_of_turn(turn);
    }
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            local.m[i][k] *= scale[k];
        local.m[i][3] = place[i];
    }
    for (uint32_t i = 0; i < node->joint_count; i++) {
        uint32_t joint = node->first_joint + i;
        local = matrix_times(local, plain_motion(&cp_joints(scene, NULL)[joint], plain_joint(clip, joint, time)));
    }
    return local;
}

static uint32_t plain_parent(const cp_clip *clip, uint32_t node, double time)
{
    uint32_t parent = cp_nodes(scene, NULL)[node].parent;
    for (uint32_t i = 0; i < clip->attachment_count; i++)
        if (clip->attachments[i].node == node && clip->attachments[i].time <= time)
            parent = clip->attachments[i].host;
    return parent;
}

static struct matrix plain_world(const cp_clip *clip, uint32_t node, double time)
{
    struct matrix world = plain_local(clip, node, time);
    for (uint32_t at = plain_parent(clip, node, time); at != CP_NONE; at = plain_parent(clip, at, time))
        world = matrix_times(plain_local(clip, at, time), world);
    return world;
}

/* ---- random clips ---- */

static void expect_plain(uint32_t index, double time)
{
    const cp_clip *clip = &cp_clips(scene, NULL)[index];
    cp_pose worlds[64];
    assert_true(count_nodes(scene) <= 64);
    assert_int_equal(cp_clip_poses(context, scene, index, time, worlds), CP_OK);
    for (uint32_t i = 0; i < count_nodes(scene); i++) {
        struct matrix wanted = plain_world(clip, i, time);
        double off = matrix_distance(wanted, &worlds[i]);
        if (!(off <= tolerance * matrix_largest(wanted)))
            fail_msg("node %u at %.17g s is %.3g off", (unsigned)i, time, off);
    }
}

static void test_random_clips(void **state)
{
    (void)state;
    for (int round = 0; round < 150; round++) {
        fresh_scene();
        add_random_nodes(scene, 3 + chance(10), round % 2 == 0);
        if (count_joints(scene) > 2)
            add_followers(scene);
        add_random_clip(scene, round % 4 == 0);
        finish_scene();
        for (int i = 0; i < 20; i++)
            expect_plain(0, chance_between(-2, 8));
        const cp_clip *clip = cp_clips(scene, NULL);
        for (uint32_t i = 0; i < clip->attachment_count; i++) {
            expect_plain(0, clip->attachments[i].time);
            expect_plain(0, nextafter(clip->attachments[i].time, -INFINITY));
        }
        for (uint32_t i = 0; i < clip->track_count; i++)
            expect_plain(0, clip->tracks[i].times[clip->tracks[i].key_count - 1]);
    }
}

/* A turn of 330 degrees goes through 0, and not the shorter way round. */
static void test_long_way_round(void **state)
{
    (void)state;
    const double times[] = {0, 2}, values[] = {-165 * PI / 180, 165 * PI / 180};
    uint32_t joint = add_joint_of(scene, add_node_at(scene, 0, "arm", NULL), CP_JOINT_REVOLUTE, "j");
    const cp_track track = {joint, CP_PATH_JOINT, CP_LINEAR, 2, times, values};
    cp_pose worlds[2];
    (void)add_clip_of(scene, "turn", 1, &track);
    finish_scene();
    assert_int_equal(cp_clip_poses(context, scene, 0, 1, worlds), CP_OK);
    assert_true(matrix_distance(matrix_identity(), &worlds[1]) < 1e-15);
    assert_int_equal(cp_clip_poses(context, scene, 0, 0.5, worlds), CP_OK);
    cp_pose wanted = plain_turn(2, -82.5);
    assert_true(matrix_distance(matrix_of_pose(&wanted), &worlds[1]) < 1e-15);
}

/* Before the first key its value, after the last one that; a clip of nothing shows the scene as it is. */
static void test_ends(void **state)
{
    (void)state;
    const double times[] = {1, 2}, values[] = {1, 0, 0, 5, 0, 0};
    const cp_pose away = plain_translation(7, 7, 7);
    uint32_t node = add_node_at(scene, 0, "box", &away);
    const cp_track track = {node, CP_PATH_TRANSLATION, CP_LINEAR, 2, times, values};
    cp_pose worlds[2];
    (void)add_clip_of(scene, "move", 1, &track);
    (void)add_clip_of(scene, "empty", 0, NULL);
    finish_scene();
    static const double wanted[][2] = {{-1e9, 1}, {1, 1}, {1.5, 3}, {2, 5}, {1e9, 5}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        assert_int_equal(cp_clip_poses(context, scene, 0, wanted[i][0], worlds), CP_OK);
        assert_true(worlds[1].m[3] == wanted[i][1] && worlds[1].m[7] == 0);
    }
    assert_int_equal(cp_clip_poses(context, scene, 1, 1.5, worlds), CP_OK);
    assert_true(worlds[1].m[3] == 7);
}

/* hand hangs below arm, part below hand; part is hung on arm later. The device has arm and part. */
static void select_some(const char *option)
{
    static const double times[] = {0, 1}, values[] = {0, 0, 0, 1, 0, 0};
    static const cp_attachment attachments[] = {{0.5, 3, 1}};
    static const char *const names[] = {"arm", "hand", "part"};
    for (uint32_t i = 0; i < 3; i++) {
        cp_node node = cp_new_node();
        node.parent = i;
        node.name = names[i];
        node.scope = i == 1 ? CP_NONE : 0;
        node.local = plain_translation(0, 0, i == 0 ? 3 : 0);
        assert_int_equal(cp_add_node(scene, &node), i + 1);
    }
    cp_device device = cp_new_device();
    device.name = "device";
    device.base = 0;
    assert_int_equal(cp_add_device(scene, &device), 0);
    const cp_track tracks[] = {{2, CP_PATH_TRANSLATION, CP_LINEAR, 2, times, values},
                               {3, CP_PATH_TRANSLATION, CP_LINEAR, 2, times, values}};
    (void)add_moving_clip(scene, "move", 2, tracks, 1, attachments);
    finish_scene();
    assert_int_equal(cp_apply(context, scene, "select", &option, 1), CP_OK);
    assert_int_equal(cp_validate(context, scene), CP_OK);
}

/* Motion that was told in a frame that goes is left out, and said; never shown in another frame. */
static void test_left_out(void **state)
{
    (void)state;
    cp_pose worlds[4];
    select_some("node=hand"); /* hand was told in arm's frame, and part is hung on arm */
    assert_int_equal(count_clips(scene), 0);
    assert_int_equal(count_lost(context, "scene-attachment"), 2);
    fresh_scene();
    select_some("device=device"); /* hand stands where arm does: part is told as before */
    assert_int_equal(cp_clips(scene, NULL)->track_count, 1);
    assert_int_equal(cp_clips(scene, NULL)->attachment_count, 1);
    assert_int_equal(cp_clip_poses(context, scene, 0, 1, worlds), CP_OK);
    assert_true(worlds[2].m[3] == 1 && worlds[2].m[11] == 3);
    assert_int_equal(count_lost(context, "scene-attachment"), 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_random_clips), TEST(test_long_way_round), TEST(test_ends),
                                       TEST(test_left_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
