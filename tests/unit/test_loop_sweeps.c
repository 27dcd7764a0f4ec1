/* Loops keep their assembly where exporters ask for it: a parallelogram, whose assemblies cross at 0 and 180 degrees,
 * at any moment of a clip and in a sweep through limits; and how far a way would be. */
#include "model/model.h"
#include "motion/clips/clips.h"
#include "scene_fixture.h"

enum { DRIVE, LINK, OTHER, JOINTS };

static const double side = 0.04, length = 0.3;

/* A crank that is driven, at 60 degrees, and the coupler on it; the other crank. */
static void build_parallelogram(void)
{
    static const double begins[] = {PI / 3, -PI / 3, PI / 3};
    const cp_pose shift = plain_translation(side, 0, 0), ground = plain_translation(length, 0, 0);
    uint32_t crank = add_node_at(scene, 0, "crank", NULL), link = add_node_at(scene, crank, "link", &shift);
    const uint32_t nodes[] = {crank, link, add_node_at(scene, 0, "other", &ground)};
    for (uint32_t i = 0; i < JOINTS; i++) {
        cp_joint joint = cp_new_joint();
        joint.node = nodes[i];
        joint.driven = i == DRIVE;
        joint.home = begins[i];
        joint.lower = i == DRIVE ? -20 * PI / 9 : -INFINITY;
        joint.upper = i == DRIVE ? 20 * PI / 9 : INFINITY;
        assert_int_equal(cp_add_joint(scene, &joint), i);
    }
    (void)add_loop_of(scene, CP_LOOP_REVOLUTE, link, ground, nodes[OTHER], shift, 0);
}

static void expect_parallel(double crank, double link)
{
    if (!(fabs(remainder(crank + link, 2 * PI)) < 1e-6))
        fail_msg("at %.9g the coupler is turned by %g", crank, crank + link);
}

/* The crank turns from 60 degrees over both crossings, back, and on, with a jump. */
static void test_moments(void **unused)
{
    (void)unused;
    static const double times[] = {0, 1, 2, 3, 4};
    static const double values[] = {PI / 3, -25 * PI / 18, PI / 18, 19 * PI / 18, 71 * PI / 36};
    const cp_track track = {DRIVE, CP_PATH_JOINT, CP_LINEAR, 5, times, values};
    struct clip_lookup lookup;
    build_parallelogram();
    (void)add_clip_of(scene, "turns", 1, &track);
    finish_scene();
    assert_int_equal(lookup_start(&lookup, context, scene, &scene->clips[0]), CP_OK);
    for (int i = 0; i < 400; i++) {
        double time = i < 200 ? i * 0.02 : random_number(0, 4), crank = lookup_joint(&lookup, DRIVE, time), wanted;
        track_value(&track, time, &wanted);
        assert_true(crank == wanted);
        if (fabs(sin(crank)) >= 1e-5)
            expect_parallel(crank, lookup_joint(&lookup, LINK, time));
    }
    assert_false(mechanism_failed(&lookup.mechanism));
    lookup_free(&lookup);
}

static void test_sweep(void **unused)
{
    (void)unused;
    cp_mechanism mechanism;
    struct sweep sweep;
    struct growing_track track = {.path = CP_PATH_JOINT, .tolerance = 1e-4};
    build_parallelogram();
    finish_scene();
    assert_int_equal(mechanism_open(&mechanism, context, scene), CP_OK);
    assert_true(mechanism_sweep(&mechanism, DRIVE, 1, &sweep));
    assert_true(fabs(sweep.values[1] - scene->joints[DRIVE].lower) < 1e-12);
    assert_true(fabs(sweep.values[2] - scene->joints[DRIVE].upper) < 1e-12);
    assert_true(sweep_expression(&mechanism, DRIVE, LINK, &sweep, &track));
    assert_true(track_cut(context, &track));
    assert_true(track.count >= SWEEP_KEYS);
    for (uint32_t i = 0; i < track.count; i++) {
        double crank = 0;
        for (int key = 0; key + 1 < SWEEP_KEYS; key++)
            if (track.times[i] >= sweep.times[key] && track.times[i] <= sweep.times[key + 1])
                crank = sweep.values[key] + (sweep.values[key + 1] - sweep.values[key]) *
                                                (track.times[i] - sweep.times[key]) /
                                                (sweep.times[key + 1] - sweep.times[key]);
        expect_parallel(crank, track.values[i]);
    }
    track_free(context, &track);
    mechanism_close(&mechanism);
}

/* A sweep leaves the mechanism as it was, with a joint of the loop that follows another: the second crank turns against
 * the coupler. */
static void test_follower(void **unused)
{
    (void)unused;
    cp_mechanism mechanism;
    struct sweep sweep;
    double before[JOINTS];
    build_parallelogram();
    scene->joints[OTHER].master = LINK;
    scene->joints[OTHER].scale = -1;
    finish_scene();
    assert_int_equal(mechanism_open(&mechanism, context, scene), CP_OK);
    memcpy(before, mechanism.values, sizeof before);
    assert_true(fabs(before[OTHER] - PI / 3) < 1e-9);
    assert_true(mechanism_sweep(&mechanism, DRIVE, 1, &sweep));
    assert_memory_equal(mechanism.values, before, sizeof before);
    mechanism_close(&mechanism);
}

static void test_far_away(void **unused)
{
    (void)unused;
    static const double far[] = {-1e9, 1e300, INFINITY};
    cp_mechanism *mechanism;
    double values[JOINTS];
    build_parallelogram();
    finish_scene();
    assert_int_equal(cp_mechanism_new(context, scene, &mechanism), CP_OK);
    for (int i = 0; i < 3; i++) {
        const double q[JOINTS] = {far[i]};
        assert_int_equal(cp_mechanism_values(mechanism, q, values), CP_NO);
        assert_true(mechanism->open.way > 25000);
    }
    cp_mechanism_free(mechanism);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_moments, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sweep, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_follower, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_far_away, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
