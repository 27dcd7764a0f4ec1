/* Clips without attachments and formulas, against the player of those that have them (test_play.c has that one's
 * proof). */
#include "base/text/text.h"
#include "clip_support.h"
#include "model/model.h"
#include "motion/clips/clips.h"
#include "scene_fixture.h"

static const double tolerance = 1e-4, size = 3;

static uint32_t add_node(uint32_t parent, const char *name, cp_pose local)
{
    uint32_t node = scene_add_node(scene, parent, name, strlen(name));
    scene->nodes[node].local = local;
    return node;
}

/* Boxes that are drawn, a decimetre across. */
static void show_box(uint32_t node)
{
    const cp_mesh box = {.kind = CP_MESH_BOX, .size = {0.1, 0.1, 0.1}};
    uint32_t mesh = scene_add_mesh(scene, &box);
    (void)scene_add_instance(scene, node, mesh, CP_USE_BOTH, &POSE_IDENTITY);
}

static cp_track *track_of(cp_track *track, uint32_t target, struct track_kind kind)
{
    add_random_track(track, target, kind);
    return track;
}

/* Baked tracks on top of all others: formulas have none of the player's own then, and nothing hangs elsewhere. */
static void play_baked(const struct baked_clip *baked, double time, cp_pose *worlds, double *q)
{
    struct player player;
    cp_scene plain = *scene;
    cp_joint *joints = test_malloc((scene->joint_count + 1) * sizeof *joints);
    memcpy(joints, scene->joints, scene->joint_count * sizeof *joints);
    for (uint32_t i = 0; i < baked->clip.track_count; i++)
        if (baked->clip.tracks[i].path == CP_PATH_JOINT)
            joints[baked->clip.tracks[i].target].expression = NULL;
    plain.joints = joints;
    assert_int_equal(player_start(&player, context, &plain, &baked->clip), CP_OK);
    assert_int_equal(player_seek(&player, time), CP_OK);
    memcpy(worlds, player.worlds, scene->node_count * sizeof *worlds);
    memcpy(q, player.mechanism.values, scene->joint_count * sizeof *q);
    player_free(&player);
    test_free(joints);
}

static double corner_distance(const cp_pose *a, const cp_pose *b)
{
    double most = 0;
    for (int corner = 0; corner < 8; corner++) {
        double at[3], x[3], y[3], sum = 0;
        for (int k = 0; k < 3; k++)
            at[k] = corner >> k & 1 ? 0.05 : -0.05;
        pose_point(a, at, x);
        pose_point(b, at, y);
        for (int k = 0; k < 3; k++)
            sum += (x[k] - y[k]) * (x[k] - y[k]);
        most = fmax(most, sqrt(sum));
    }
    return most;
}

/* Just before and at what happens at once, and anywhere between. */
static double some_time(const cp_clip *clip, int i)
{
    if (i % 4 == 0 && clip->attachment_count > 0) {
        double time = clip->attachments[chance(clip->attachment_count)].time;
        return chance(2) == 0 ? time : nextafter(time, -INFINITY);
    }
    double first, last;
    clip_range(clip, &first, &last);
    return chance_between(first, last);
}

/* What is known of the scene's joints changes nothing of a clip but its cost. */
static void expect_same_with_marks(const cp_clip *clip, const cp_clip *usual)
{
    cp_mechanism mechanism;
    bool sampled[64];
    struct baked_clip baked;
    assert_int_equal(mechanism_open(&mechanism, context, scene), CP_OK);
    assert_true(mark_sampled(&mechanism, sampled));
    mechanism_close(&mechanism);
    assert_int_equal(clip_bake(scene, scene, clip, &(struct bake_limits){tolerance, size, sampled}, &baked), CP_OK);
    assert_int_equal(baked.clip.track_count, usual->track_count);
    assert_int_equal(baked.clip.attachment_count, usual->attachment_count);
    for (uint32_t i = 0; i < usual->track_count; i++) {
        const cp_track *a = &usual->tracks[i], *b = &baked.clip.tracks[i];
        assert_int_equal(a->target, b->target);
        assert_int_equal(a->path, b->path);
        assert_int_equal(a->key_count, b->key_count);
        assert_memory_equal(a->times, b->times, a->key_count * sizeof *a->times);
        assert_memory_equal(a->values, b->values, a->key_count * path_width(a->path) * sizeof *a->values);
    }
}

static void expect_baked(const bool *guests, double factor)
{
    const cp_clip *clip = &scene->clips[0];
    struct baked_clip baked;
    cp_pose worlds[64], wanted[64];
    double q[64];
    assert_true(scene->node_count <= 64 && scene->joint_count < 64);
    assert_int_equal(clip_bake(scene, scene, clip, &(struct bake_limits){tolerance, size, NULL}, &baked), CP_OK);
    assert_int_equal(baked.sheared + baked.flat, 0);
    assert_int_equal(baked.clip.attachment_count, 0);
    expect_same_with_marks(clip, &baked.clip);
    for (int i = 0; i < 1000; i++) {
        double time = some_time(clip, i);
        play_baked(&baked, time, worlds, q);
        assert_int_equal(cp_clip_poses(context, scene, 0, time, wanted), CP_OK);
        for (uint32_t node = 0; node < scene->node_count; node++) {
            double off = corner_distance(&worlds[node], &wanted[node]);
            if (guests[node] && !(off <= tolerance * factor))
                fail_msg("%s at %.17g s is %.3g m off", scene->nodes[node].name, time, off);
        }
    }
}

/* One player that goes forth and back shows the same as one for each time, and so do looks at single nodes. */
static void test_seeks(void **state)
{
    (void)state;
    for (int round = 0; round < 30; round++) {
        fresh_scene();
        add_random_nodes(scene, 3 + chance(10), round % 2 == 0);
        if (scene->joint_count > 2)
            add_followers(scene);
        add_random_clip(scene, round % 4 == 0);
        finish_scene();
        const cp_clip *clip = &scene->clips[0];
        struct player player;
        struct clip_lookup lookup;
        cp_pose worlds[64];
        assert_int_equal(player_start(&player, context, scene, &scene->clips[0]), CP_OK);
        assert_int_equal(lookup_start(&lookup, context, scene, &scene->clips[0]), CP_OK);
        for (int i = 0; i < 60; i++) {
            double time = i % 3 == 0   ? chance_between(-2, 8)
                          : i % 3 == 1 ? some_time(clip, 0)
                                       : player.time + chance_between(0, 0.5);
            if (i % 9 == 0 && clip->track_count > 0) {
                const cp_track *track = &clip->tracks[chance(clip->track_count)];
                time = track->times[track->key_count - 1];
            }
            assert_int_equal(player_seek(&player, time), CP_OK);
            assert_int_equal(cp_clip_poses(context, scene, 0, time, worlds), CP_OK);
            assert_memory_equal(worlds, player.worlds, scene->node_count * sizeof *worlds);
            for (uint32_t node = 0; node < scene->node_count; node++) {
                cp_pose found = lookup_world(&lookup, node, time);
                struct matrix wanted = matrix_of_pose(&worlds[node]);
                assert_true(matrix_distance(wanted, &found) <= 1e-12 * matrix_largest(wanted));
            }
        }
        lookup_free(&lookup);
        player_free(&player);
    }
}

/* ---- a robot that hands things on ---- */

enum { ROBOT_JOINTS = 4 };

static uint32_t add_robot(const char *name, cp_pose at, uint32_t parent)
{
    uint32_t node = add_node(parent, name, at);
    for (int i = 0; i < ROBOT_JOINTS; i++) {
        node = add_node(node, name, pose_translation(i == 0 ? 0 : 0.4, 0, 0.1));
        uint32_t joint = scene_add_joint(scene, node, i == 2 ? CP_JOINT_PRISMATIC : CP_JOINT_REVOLUTE, NULL);
        scene->joints[joint].axis[2] = i % 2;
        scene->joints[joint].axis[0] = 1 - i % 2;
    }
    return node;
}

/* Two robots, a box below the world, a box below a cart that moves, and a box on the first box; who holds what is
 * chance. */
static void test_hand_over(void **state)
{
    (void)state;
    for (int round = 0; round < 25; round++) {
        bool guests[64] = {false};
        uint32_t hosts[5], boxes[3], count = 0, attached = 0;
        fresh_scene();
        uint32_t cart = add_node(0, "cart", random_pose(false));
        hosts[0] = add_robot("left", random_pose(false), 0);
        hosts[1] = add_robot("right", random_pose(false), 0);
        boxes[0] = add_node(0, "box", random_pose(false));
        boxes[1] = add_node(cart, "carried", random_pose(false));
        boxes[2] = add_node(0, "lid", random_pose(false));
        for (int i = 0; i < 3; i++) {
            guests[boxes[i]] = true;
            show_box(boxes[i]);
        }
        hosts[2] = 0;
        hosts[3] = cart;
        hosts[4] = boxes[0];
        cp_track *tracks = scene_allocate(scene, 40, sizeof *tracks);
        for (uint32_t i = 0; i < scene->joint_count; i++)
            (void)track_of(&tracks[count++], i, (struct track_kind){CP_PATH_JOINT, (cp_interpolation)chance(3), false});
        for (int path = CP_PATH_TRANSLATION; path <= CP_PATH_ROTATION; path++) {
            (void)track_of(&tracks[count++], cart, (struct track_kind){(cp_path)path, CP_LINEAR, false});
            for (int i = 0; i < 3; i++)
                if (chance(3) > 0)
                    (void)track_of(&tracks[count++], boxes[i],
                                   (struct track_kind){(cp_path)path, (cp_interpolation)chance(3), false});
        }
        uint32_t clip = scene_add_clip(scene, "hands", count, tracks), parents[64];
        cp_attachment *attachments = scene_allocate(scene, 8, sizeof *attachments);
        for (uint32_t i = 0; i < scene->node_count; i++)
            parents[i] = scene->nodes[i].parent;
        for (int i = 0; i < 8; i++) {
            uint32_t guest = boxes[chance(3)], host = hosts[chance(5)];
            if (attach_node(context, parents, guest, host))
                attachments[attached++] = (cp_attachment){i * 0.6 - 0.5, guest, host};
        }
        scene->clips[clip].attachments = attachments;
        scene->clips[clip].attachment_count = attached;
        finish_scene();
        expect_baked(guests, 1 + 1e-6);
    }
}

/* Formulas over two joints; what hangs on them is as far off as all of them together allow. */
static void test_formulas(void **state)
{
    (void)state;
    for (int round = 0; round < 40; round++) {
        struct baked_clip baked;
        fresh_scene();
        add_random_nodes(scene, 10, false);
        if (scene->joint_count < 4)
            continue;
        add_followers(scene);
        cp_track *tracks = scene_allocate(scene, scene->joint_count, sizeof *tracks);
        for (uint32_t i = 0; i < scene->joint_count; i++)
            (void)track_of(&tracks[i], i, (struct track_kind){CP_PATH_JOINT, (cp_interpolation)chance(3), false});
        (void)scene_add_clip(scene, "formulas", scene->joint_count, tracks);
        finish_scene();
        assert_int_equal(
            clip_bake(scene, scene, &scene->clips[0], &(struct bake_limits){tolerance, size, NULL}, &baked), CP_OK);
        expect_same_with_marks(&scene->clips[0], &baked.clip);
        struct player player;
        double q[64];
        cp_pose worlds[64];
        assert_int_equal(player_start(&player, context, scene, &scene->clips[0]), CP_OK);
        for (int i = 0; i < 300; i++) {
            double time = some_time(&scene->clips[0], 1);
            assert_int_equal(player_seek(&player, time), CP_OK);
            play_baked(&baked, time, worlds, q);
            for (uint32_t k = 0; k < scene->joint_count; k++) {
                double reach = scene->joints[k].type == CP_JOINT_PRISMATIC ? 1 : size;
                if (!(fabs(q[k] - player.mechanism.values[k]) * reach <= tolerance * (1 + 1e-6)))
                    fail_msg("joint %u at %.17g s is %.3g off", (unsigned)k, time, q[k] - player.mechanism.values[k]);
            }
        }
        player_free(&player);
    }
}

/* What has neither is left as it is. */
static void test_nothing_to_bake(void **state)
{
    (void)state;
    struct baked_clip baked;
    add_random_nodes(scene, 6, true);
    cp_track *tracks = scene_allocate(scene, 20, sizeof *tracks);
    uint32_t count = 0;
    for (uint32_t i = 1; i < scene->node_count; i++)
        (void)track_of(&tracks[count++], i, (struct track_kind){CP_PATH_ROTATION, CP_CUBIC, false});
    for (uint32_t i = 0; i < scene->joint_count && count < 20; i++)
        (void)track_of(&tracks[count++], i, (struct track_kind){CP_PATH_JOINT, CP_STEP, false});
    (void)scene_add_clip(scene, "plain", count, tracks);
    finish_scene();
    assert_int_equal(clip_bake(scene, scene, &scene->clips[0], &(struct bake_limits){tolerance, size, NULL}, &baked),
                     CP_OK);
    assert_int_equal(baked.clip.track_count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_ptr_equal(baked.clip.tracks[i].times, tracks[i].times);
        assert_ptr_equal(baked.clip.tracks[i].values, tracks[i].values);
    }
}

/* The first of two tracks of a thing counts, and none of a joint that follows another one; the rest may be anything. */
static void test_tracks_that_say_nothing(void **state)
{
    (void)state;
    for (int round = 0; round < 50; round++) {
        struct baked_clip baked;
        fresh_scene();
        (void)add_robot("arm", random_pose(false), 0);
        if (round % 2)
            add_followers(scene);
        cp_track *tracks = scene_allocate(scene, 40, sizeof *tracks);
        uint32_t count = 10 + chance(30);
        for (uint32_t i = 0; i < count; i++) {
            bool of_joint = chance(2) == 0;
            (void)track_of(&tracks[i], of_joint ? chance(scene->joint_count) : 1 + chance(scene->node_count - 1),
                           (struct track_kind){of_joint ? CP_PATH_JOINT : CP_PATH_TRANSLATION,
                                               (cp_interpolation)chance(2), false});
        }
        (void)scene_add_clip(scene, "several", count, tracks);
        finish_scene();
        assert_int_equal(
            clip_bake(scene, scene, &scene->clips[0], &(struct bake_limits){tolerance, size, NULL}, &baked), CP_OK);
        assert_true(baked.clip.track_count <= count);
        expect_same_with_marks(&scene->clips[0], &baked.clip);
    }
}

/* A box that changes hands without moving has few keys; one that jumps has the jump, and nothing between. */
static void test_jump(void **state)
{
    (void)state;
    struct baked_clip baked;
    uint32_t shelf = add_node(0, "shelf", pose_translation(5, 0, 0)),
             box = add_node(0, "box", pose_translation(1, 0, 0));
    show_box(box);
    const double times[] = {0, 2}, values[] = {1, 0, 0, 1, 0, 0};
    const cp_track track = {box, CP_PATH_TRANSLATION, CP_LINEAR, 2, times, values};
    cp_attachment *attachment = scene_allocate(scene, 1, sizeof *attachment);
    *attachment = (cp_attachment){1, box, shelf};
    uint32_t clip = scene_add_clip(scene, "jump", 1, &track);
    scene->clips[clip].attachments = attachment;
    scene->clips[clip].attachment_count = 1;
    finish_scene();
    assert_int_equal(clip_bake(scene, scene, &scene->clips[0], &(struct bake_limits){tolerance, size, NULL}, &baked),
                     CP_OK);
    assert_int_equal(baked.clip.track_count, 2); /* a scale that stays has none */
    const cp_track *moved = &baked.clip.tracks[0];
    assert_int_equal(moved->path, CP_PATH_TRANSLATION);
    assert_int_equal(moved->key_count, 4);
    assert_true(moved->times[1] == nextafter(1, 0) && moved->values[3] == 1);
    assert_true(moved->times[2] == 1 && moved->values[6] == 6);
    assert_true(moved->times[3] == 2 && moved->values[9] == 6);
}

/* Turning hosts: four whole turns between two keys look like none at the quarters. */
static void test_whole_turns(void **state)
{
    (void)state;
    bool guests[64] = {false};
    uint32_t table = add_node(0, "table", POSE_IDENTITY), box = add_node(0, "box", pose_translation(1, 0, 0));
    show_box(box);
    guests[box] = true;
    const double times[] = {0, 8}, values[] = {0, 8 * PI};
    const cp_track track = {
        scene_add_joint(scene, table, CP_JOINT_REVOLUTE, NULL), CP_PATH_JOINT, CP_LINEAR, 2, times, values};
    cp_attachment *attachment = scene_allocate(scene, 1, sizeof *attachment);
    *attachment = (cp_attachment){0, box, table};
    uint32_t clip = scene_add_clip(scene, "turns", 1, &track);
    scene->clips[clip].attachments = attachment;
    scene->clips[clip].attachment_count = 1;
    finish_scene();
    expect_baked(guests, 1 + 1e-6);
}

/* What a formula makes of its joint's way through the limits, between the keys too. */
static void test_sweeps(void **state)
{
    (void)state;
    static const char *const formulas[] = {"sin(dof(1) * 16)", "dof(1)^3", "max(dof(1), 0.25)", "0.5 * dof(1)"};
    uint32_t node = add_node(0, "arm", POSE_IDENTITY);
    uint32_t driver = scene_add_joint(scene, node, CP_JOINT_REVOLUTE, NULL), inputs[] = {driver}, *copied;
    const double factors[] = {1};
    scene->joints[driver].lower = -PI;
    scene->joints[driver].upper = PI;
    uint32_t joint = scene_add_joint(scene, node, CP_JOINT_PRISMATIC, NULL);
    scene->joints[joint].driven = false;
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
        const cp_expression expression = {formulas[i], 1, 1, inputs, factors};
        struct growing_track track = {.path = CP_PATH_JOINT, .tolerance = tolerance};
        struct sweep sweep;
        cp_track made;
        scene->joints[joint].expression = scene_copy_expression(scene, &expression, &copied);
        assert_true(joint_sweep(&scene->joints[driver], size, &sweep));
        cp_mechanism mechanism;
        assert_int_equal(mechanism_open(&mechanism, context, scene), CP_OK);
        assert_true(sweep_expression(&mechanism, driver, joint, &sweep, &track));
        mechanism_close(&mechanism);
        assert_true(track_finish(scene, &track, joint, &made));
        track_free(context, &track);
        const cp_track way = {driver, CP_PATH_JOINT, CP_LINEAR, SWEEP_KEYS, sweep.times, sweep.values};
        for (int k = 0; k < 2000; k++) {
            double q[2], value, time = chance_between(0, sweep.times[SWEEP_KEYS - 1]);
            track_value(&way, time, &q[driver]);
            track_value(&made, time, &value);
            assert_true(fabs(value - joint_value(scene, joint, q)) <= 2 * tolerance + 1e-12);
        }
        assert_true(i < 3 || made.key_count <= 6);
    }
}

/* A clip is the same in a scene that took it in. */
static void test_merged(void **state)
{
    (void)state;
    cp_pose before[64], after[64];
    add_random_nodes(scene, 6, false);
    cp_track *tracks = scene_allocate(scene, 6, sizeof *tracks);
    for (uint32_t i = 0; i < 6; i++)
        (void)track_of(&tracks[i], i + 1, (struct track_kind){CP_PATH_ROTATION, CP_LINEAR, false});
    cp_attachment *attachments = scene_allocate(scene, 6, sizeof *attachments);
    uint32_t clip = scene_add_clip(scene, "moves", 6, tracks), nodes = scene->node_count;
    scene->clips[clip].attachments = attachments;
    scene->clips[clip].attachment_count = add_random_attachments(scene, attachments, 6);
    finish_scene();
    cp_scene *all = scene_new(context);
    (void)scene_add_node(all, 0, "first", 5);
    assert_int_equal(scene_finish(all), CP_OK);
    assert_int_equal(cp_clip_poses(context, scene, 0, 3, before), CP_OK);
    assert_int_equal(cp_merge(context, all, scene, "second"), CP_OK);
    assert_int_equal(cp_clip_poses(context, all, 0, 3, after), CP_OK);
    assert_int_equal(all->node_count,
                     nodes + 2); /* the world is one for both; "first" and "second" are before the others */
    for (uint32_t i = 1; i < nodes; i++)
        assert_true(corner_distance(&before[i], &after[i + 2]) < 1e-12);
    assert_int_equal(cp_validate(context, all), CP_OK);
    cp_scene_free(all);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_hand_over),   TEST(test_formulas), TEST(test_nothing_to_bake), TEST(test_jump),
        TEST(test_whole_turns), TEST(test_sweeps),   TEST(test_merged),          TEST(test_tracks_that_say_nothing),
        TEST(test_seeks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
