/* Clips at a moment, against a player of the test's own that knows no shortcuts: it looks through all keys and all
 * attachments, and climbs from each node to the world by plain 4x4 matrices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/text/text.h"
#include "clip_support.h"
#include "model/model.h"
#include "motion/clips/clips.h"
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
    double value = scene->joints[joint].q;
    if (track)
        plain_value(track, time, &value);
    return value;
}

/* The formulas of clip_support.h, in C. */
static double formula(const char *text, double a, double b, double unit)
{
    if (strncmp(text, "dof", 3) == 0)
        return a * 0.5 + sin(b * unit);
    return strncmp(text, "max", 3) == 0 ? fmax(a, b) - 0.25 : cos(a * unit) * b + 0.1;
}

static double plain_joint(const cp_clip *clip, uint32_t index, double time)
{
    const cp_joint *joint = &scene->joints[index];
    if (joint->master != CP_NONE)
        return joint->scale * free_value(clip, joint->master, time) + joint->offset;
    if (!joint->expression)
        return free_value(clip, index, time);
    const cp_expression *e = joint->expression;
    double a = e->factors[0] * free_value(clip, e->inputs[0], time),
           b = e->factors[1] * free_value(clip, e->inputs[1], time);
    return joint->scale * formula(e->text, a, b, e->angle) + joint->offset;
}

static struct matrix plain_motion(const cp_joint *joint, double q)
{
    const double zero[3] = {0, 0, 0}, one[3] = {1, 1, 1}, still[4] = {0, 0, 0, 1};
    if (joint->type == CP_JOINT_REVOLUTE) {
        const double s = sin(q / 2);
        return matrix_of_parts(
            zero, (const double[]){s * joint->axis[0], s * joint->axis[1], s * joint->axis[2], cos(q / 2)}, one);
    }
    if (joint->type == CP_JOINT_PRISMATIC)
        return matrix_of_parts((const double[]){q * joint->axis[0], q * joint->axis[1], q * joint->axis[2]}, still,
                               one);
    cp_pose pose = joint_motion(joint, q); /* what a scale joint is has tests of its own */
    return matrix_of_pose(&pose);
}

static struct matrix plain_local(const cp_clip *clip, uint32_t index, double time)
{
    const cp_node *node = &scene->nodes[index];
    const cp_track *tracks[4];
    struct trs trs;
    bool turned = false;
    pose_to_trs(&node->local, 1e-9, &trs);
    for (int path = CP_PATH_TRANSLATION; path <= CP_PATH_SCALE; path++)
        tracks[path] = find_track(clip, (cp_path)path, index);
    struct matrix local = matrix_of_pose(&node->local);
    if (tracks[CP_PATH_TRANSLATION])
        plain_value(tracks[CP_PATH_TRANSLATION], time, trs.translation);
    if (tracks[CP_PATH_ROTATION])
        plain_value(tracks[CP_PATH_ROTATION], time, trs.rotation);
    if (tracks[CP_PATH_SCALE])
        plain_value(tracks[CP_PATH_SCALE], time, trs.scale);
    turned = tracks[CP_PATH_ROTATION] || tracks[CP_PATH_SCALE];
    if (turned)
        local = matrix_of_parts(trs.translation, trs.rotation, trs.scale);
    for (int i = 0; i < 3; i++)
        local.m[i][3] = trs.translation[i];
    for (uint32_t i = 0; i < node->joint_count; i++) {
        uint32_t joint = node->first_joint + i;
        local = matrix_times(local, plain_motion(&scene->joints[joint], plain_joint(clip, joint, time)));
    }
    return local;
}

static uint32_t plain_parent(const cp_clip *clip, uint32_t node, double time)
{
    uint32_t parent = scene->nodes[node].parent;
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

static void add_random_clip(bool mirrors)
{
    cp_track *tracks = scene_allocate(scene, 4 * (size_t)(scene->node_count + scene->joint_count), sizeof *tracks);
    cp_attachment *attachments = scene_allocate(scene, 12, sizeof *attachments);
    uint32_t count = 0;
    for (uint32_t i = 0; i < scene->joint_count; i++)
        if (chance(3) > 0) /* on dependent joints too, where they say nothing */
            add_random_track(scene, &tracks[count++], i,
                             (struct track_kind){CP_PATH_JOINT, (cp_interpolation)chance(3), false});
    for (uint32_t i = 1; i < scene->node_count; i++)
        for (uint32_t k = chance(4), path = chance(3); k > 0; k--, path++) /* in any order; at times one twice */
            add_random_track(
                scene, &tracks[count++], i,
                (struct track_kind){(cp_path)(CP_PATH_TRANSLATION + path % 3), (cp_interpolation)chance(3), mirrors});
    uint32_t clip = scene_add_clip(scene, "random", count, tracks);
    scene->clips[clip].attachments = attachments;
    scene->clips[clip].attachment_count = add_random_attachments(scene, attachments, chance(13));
}

static void expect_plain(uint32_t index, double time)
{
    const cp_clip *clip = &scene->clips[index];
    cp_pose worlds[64];
    assert_true(scene->node_count <= 64);
    assert_int_equal(cp_clip_poses(context, scene, index, time, worlds), CP_OK);
    struct clip_lookup lookup;
    assert_int_equal(lookup_start(&lookup, context, scene, clip), CP_OK);
    for (uint32_t i = 0; i < scene->node_count; i++) {
        struct matrix wanted = plain_world(clip, i, time);
        cp_pose looked_up = lookup_world(&lookup, i, time);
        double off = fmax(matrix_distance(wanted, &worlds[i]), matrix_distance(wanted, &looked_up));
        if (!(off <= tolerance * matrix_largest(wanted)))
            fail_msg("node %u at %.17g s is %.3g off", (unsigned)i, time, off);
    }
    lookup_free(&lookup);
}

static void test_random_clips(void **state)
{
    (void)state;
    for (int round = 0; round < 150; round++) {
        fresh_scene();
        add_random_nodes(scene, 3 + chance(10), round % 2 == 0);
        if (scene->joint_count > 2)
            add_followers(scene);
        add_random_clip(round % 4 == 0);
        finish_scene();
        for (int i = 0; i < 20; i++)
            expect_plain(0, chance_between(-2, 8));
        const cp_clip *clip = &scene->clips[0];
        for (uint32_t i = 0; i < clip->attachment_count; i++) {
            expect_plain(0, clip->attachments[i].time);
            expect_plain(0, nextafter(clip->attachments[i].time, -INFINITY));
        }
        for (uint32_t i = 0; i < clip->track_count; i++)
            expect_plain(0, clip->tracks[i].times[clip->tracks[i].key_count - 1]);
    }
}

/* One player that goes forth and back shows the same as one for each time. */
static void test_seeks(void **state)
{
    (void)state;
    for (int round = 0; round < 30; round++) {
        fresh_scene();
        add_random_nodes(scene, 8, false);
        add_random_clip(false);
        finish_scene();
        struct player player;
        cp_pose worlds[64];
        assert_int_equal(player_start(&player, context, scene, &scene->clips[0]), CP_OK);
        for (int i = 0; i < 60; i++) {
            double time = i % 3 == 0 ? chance_between(-2, 8) : player.time + chance_between(0, 0.5);
            assert_int_equal(player_seek(&player, time), CP_OK);
            assert_int_equal(cp_clip_poses(context, scene, 0, time, worlds), CP_OK);
            assert_memory_equal(worlds, player.worlds, scene->node_count * sizeof *worlds);
        }
        player_free(&player);
    }
}

/* A turn of 330 degrees goes through 0, and not the shorter way round. */
static void test_long_way_round(void **state)
{
    (void)state;
    const double times[] = {0, 2}, values[] = {degrees_to_radians(-165), degrees_to_radians(165)};
    uint32_t node = scene_add_node(scene, 0, "arm", 3), joint = scene_add_joint(scene, node, CP_JOINT_REVOLUTE, "j");
    const cp_track track = {joint, CP_PATH_JOINT, CP_LINEAR, 2, times, values};
    cp_pose worlds[2];
    (void)scene_add_clip(scene, "turn", 1, &track);
    finish_scene();
    assert_int_equal(cp_clip_poses(context, scene, 0, 1, worlds), CP_OK);
    assert_true(matrix_distance(matrix_identity(), &worlds[1]) < 1e-15);
    assert_int_equal(cp_clip_poses(context, scene, 0, 0.5, worlds), CP_OK);
    cp_pose wanted = pose_rotation_degrees(2, -82.5);
    assert_true(matrix_distance(matrix_of_pose(&wanted), &worlds[1]) < 1e-15);
}

/* Before the first key its value, after the last one that; a clip of nothing shows the scene as it is. */
static void test_ends(void **state)
{
    (void)state;
    const double times[] = {1, 2}, values[] = {1, 0, 0, 5, 0, 0};
    uint32_t node = scene_add_node(scene, 0, "box", 3);
    const cp_track track = {node, CP_PATH_TRANSLATION, CP_LINEAR, 2, times, values};
    cp_pose worlds[2];
    scene->nodes[node].local = pose_translation(7, 7, 7);
    (void)scene_add_clip(scene, "move", 1, &track);
    (void)scene_add_clip(scene, "empty", 0, NULL);
    finish_scene();
    static const double wanted[][2] = {{-1e9, 1}, {1, 1}, {1.5, 3}, {2, 5}, {1e9, 5}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        assert_int_equal(cp_clip_poses(context, scene, 0, wanted[i][0], worlds), CP_OK);
        assert_true(worlds[1].m[3] == wanted[i][1] && worlds[1].m[7] == 0);
    }
    assert_int_equal(cp_clip_poses(context, scene, 1, 1.5, worlds), CP_OK);
    assert_true(worlds[1].m[3] == 7);
}

/* hand hangs below arm, part below hand; part is hung on arm later. Leaves some out. */
static void keep_some(const bool keep[4])
{
    static const double times[] = {0, 1}, values[] = {0, 0, 0, 1, 0, 0};
    static const cp_attachment attachments[] = {{0.5, 3, 1}};
    uint32_t arm = scene_add_node(scene, 0, "arm", 3), hand = scene_add_node(scene, arm, "hand", 4);
    uint32_t part = scene_add_node(scene, hand, "part", 4);
    cp_track *tracks = scene_allocate(scene, 2, sizeof *tracks);
    assert_non_null(tracks);
    tracks[0] = (cp_track){hand, CP_PATH_TRANSLATION, CP_LINEAR, 2, times, values};
    tracks[1] = (cp_track){part, CP_PATH_TRANSLATION, CP_LINEAR, 2, times, values};
    scene->nodes[arm].local = pose_translation(0, 0, 3);
    uint32_t clip = scene_add_clip(scene, "move", 2, tracks);
    scene->clips[clip].attachments = attachments;
    scene->clips[clip].attachment_count = 1;
    finish_scene();
    assert_int_equal(scene_keep(scene, keep), CP_OK);
    assert_int_equal(cp_validate(context, scene), CP_OK);
}

/* Motion that was told in a frame that goes is left out, and said; never shown in another frame. */
static void test_left_out(void **state)
{
    (void)state;
    cp_pose worlds[4];
    keep_some((bool[]){true, false, true, true}); /* hand was told in arm's frame, and part is hung on arm */
    assert_int_equal(scene->clip_count, 0);
    assert_int_equal(count_lost(context, "scene-attachment"), 2);
    fresh_scene();
    keep_some((bool[]){true, true, false, true}); /* hand stands where arm does: part is told as before */
    assert_int_equal(scene->clips[0].track_count, 1);
    assert_int_equal(scene->clips[0].attachment_count, 1);
    assert_int_equal(cp_clip_poses(context, scene, 0, 1, worlds), CP_OK);
    assert_true(worlds[2].m[3] == 1 && worlds[2].m[11] == 3);
    assert_int_equal(count_lost(context, "scene-attachment"), 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_random_clips), TEST(test_seeks), TEST(test_long_way_round),
                                       TEST(test_ends), TEST(test_left_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
