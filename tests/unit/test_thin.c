/* Clips with fewer keys: whatever a clip moves, no corner of a part is farther from its place than the tolerance, at
 * any of many times. The places of both clips are those of the player, each with all keys that it has. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"
#include "motion/clips/clips.h"

enum { KEYS = 200, TIMES = 2000 };
static const double tolerance = 1e-3;
static double times[KEYS], values[3 * KEYS];

/* A box of so many metres, placed along x. */
static void add_box(cp_scene *scene, uint32_t node, double size, double x)
{
    const cp_mesh mesh = {.kind = CP_MESH_BOX, .size = {size, size, size}};
    cp_pose pose = pose_translation(x, 0, 0);
    uint32_t index = scene_add_mesh(scene, &mesh);
    assert_true(index != CP_NONE && scene_add_instance(scene, node, index, CP_USE_BOTH, &pose) != CP_NONE);
}

static uint32_t add_joint(cp_scene *scene, uint32_t node, cp_joint_type type)
{
    uint32_t joint = scene_add_joint(scene, node, type, "joint");
    assert_true(joint != CP_NONE);
    scene->joints[joint].axis[0] = 0;
    scene->joints[joint].axis[2] = 1;
    return joint;
}

/* What a joint moves: */
enum kind {
    ALONE,     /* a part that hangs on it */
    SLIDES,    /* the same, along its axis */
    FAR_BELOW, /* a part far away, below further nodes */
    ENLARGED,  /* below a node that enlarges all ten times */
    TWO,       /* a node with another joint, which slid ten metres away */
    FOLLOWED,  /* and another joint with a longer arm, which turns five times as far */
    CURVED,    /* in cubic ways */
    KINDS
};

static cp_scene *make_scene(cp_context *context, enum kind kind)
{
    cp_scene *scene = scene_new(context);
    assert_non_null(scene);
    uint32_t base = scene_add_node(scene, 0, "base", 4), arm = scene_add_node(scene, base, "arm", 3);
    if (kind == ENLARGED)
        scene->nodes[base].local = pose_scaling(10, 10, 10);
    (void)add_joint(scene, arm, kind == SLIDES ? CP_JOINT_PRISMATIC : CP_JOINT_REVOLUTE);
    if (kind == TWO) {
        uint32_t slide = add_joint(scene, arm, CP_JOINT_PRISMATIC);
        memcpy(scene->joints[slide].axis, (double[]){1, 0, 0}, sizeof scene->joints[slide].axis);
        scene->joints[slide].q = scene->joints[slide].home = 10;
    }
    add_box(scene, arm, 0.2, 0.5);
    if (kind == FAR_BELOW) {
        uint32_t far = scene_add_node(scene, arm, "far", 3);
        scene->nodes[far].local = pose_translation(0, 7, 0);
        add_box(scene, far, 1, 0);
    }
    if (kind == FOLLOWED) {
        uint32_t other = scene_add_node(scene, 0, "other", 5), follower = add_joint(scene, other, CP_JOINT_REVOLUTE);
        scene->joints[follower].driven = false;
        scene->joints[follower].master = 0;
        scene->joints[follower].scale = 5;
        scene->joints[follower].offset = 0;
        add_box(scene, other, 0.2, 4);
    }
    assert_int_equal(scene_finish(scene), CP_OK);
    return scene;
}

/* Of a wave; cubic: with its slopes. */
static cp_clip make_clip(cp_track *track, bool cubic)
{
    for (int i = 0; i < KEYS; i++) {
        times[i] = 0.05 * i;
        values[cubic ? 3 * i + 1 : i] = sin(times[i]);
        if (cubic)
            values[3 * i] = values[3 * i + 2] = cos(times[i]);
    }
    *track = (cp_track){.path = CP_PATH_JOINT,
                        .interpolation = cubic ? CP_CUBIC : CP_LINEAR,
                        .key_count = KEYS,
                        .times = times,
                        .values = values};
    return (cp_clip){.name = "clip", .tracks = track, .track_count = 1};
}

static double distance(const cp_pose *a, const cp_pose *b, const cp_measures *box)
{
    double most = 0;
    for (int corner = 0; corner < 8 && box->any; corner++) {
        double point[3], x[3], y[3], squares = 0;
        for (int k = 0; k < 3; k++)
            point[k] = corner >> k & 1 ? box->upper[k] : box->lower[k];
        pose_point(a, point, x);
        pose_point(b, point, y);
        for (int k = 0; k < 3; k++)
            squares += (x[k] - y[k]) * (x[k] - y[k]);
        most = fmax(most, sqrt(squares));
    }
    return most;
}

static void check_kind(enum kind kind)
{
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = make_scene(context, kind), *work = scene_new(context);
    cp_track track;
    cp_clip clip = make_clip(&track, kind == CURVED), thin;
    struct clip_shape shape;
    struct player before, after;
    double most = 0;
    assert_int_equal(clip_shape_find(work, scene, &shape), CP_OK);
    assert_int_equal(clip_thin(work, scene, &shape, &clip, &clip, tolerance, &thin), CP_OK);
    assert_int_equal(thin.track_count, 1);
    assert_true(thin.tracks[0].key_count > 2 && (kind == CURVED || thin.tracks[0].key_count <= KEYS));
    assert_int_equal(player_start(&before, context, scene, &clip), CP_OK);
    assert_int_equal(player_start(&after, context, scene, &thin), CP_OK);
    for (int i = 0; i <= TIMES; i++) {
        double time = times[KEYS - 1] * i / TIMES;
        assert_int_equal(player_seek(&before, time), CP_OK);
        assert_int_equal(player_seek(&after, time), CP_OK);
        for (uint32_t node = 0; node < scene->node_count; node++)
            most = fmax(most, distance(&before.worlds[node], &after.worlds[node], &shape.boxes[node]));
    }
    if (!(most <= 1.001 * tolerance && most > 0.01 * tolerance))
        fail_msg("kind %d: %g m off", (int)kind, most);
    /* An arm of half a metre needs few keys. */
    if (kind == ALONE)
        assert_true(thin.tracks[0].key_count < KEYS / 2);
    player_free(&before);
    player_free(&after);
    cp_scene_free(work);
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_every_corner_is_near(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < KINDS; kind++)
        check_kind((enum kind)kind);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_corner_is_near)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
