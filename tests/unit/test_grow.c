/* Tracks that are thinned as they grow: all samples against what the kept keys say, by the player's own way between
 * keys. */
#include <time.h>

#include "base/text/text.h"
#include "clip_support.h"
#include "model/model.h"
#include "motion/clips/clips.h"
#include "scene_fixture.h"

enum { MOST_SAMPLES = 4000 };

struct samples {
    uint32_t count, width;
    double times[MOST_SAMPLES], values[4 * MOST_SAMPLES];
};

/* Motions: what moves smoothly, stands, jumps, jitters and turns round and round. */
enum motion { SMOOTH, STAIRS, JUMPS, NOISE, SPIN, MOTIONS };

static void turn_of(const double axis[3], double angle, double q[4])
{
    for (int i = 0; i < 3; i++)
        q[i] = sin(angle / 2) * axis[i];
    q[3] = cos(angle / 2);
}

static double wave(enum motion motion, double t, int k)
{
    switch (motion) {
    case SMOOTH:
        return sin(t * (1 + 0.3 * k)) + 0.2 * cos(3 * t);
    case STAIRS:
        return floor(t) * 0.3 * (k + 1);
    case JUMPS:
        return floor(t / 2) + 0.1 * sin(t);
    case NOISE:
        return chance_between(-1e-3, 1e-3);
    default:
        return 2 * t;
    }
}

static void take_samples(struct samples *samples, cp_path path, enum motion motion)
{
    double time = chance_between(-5, 5), t = 0, axis[3] = {0.6, 0, 0.8};
    samples->width = path_width(path);
    for (uint32_t i = 0; i < samples->count; i++) {
        double *value = samples->values + (size_t)i * samples->width;
        samples->times[i] = time;
        for (uint32_t k = 0; k < samples->width; k++)
            value[k] = wave(motion, t, (int)k);
        if (path == CP_PATH_ROTATION) {
            double sign = chance(2) ? 1 : -1, q[4], tilt = 0.3 * wave(motion, 0.7 * t, 1);
            const double axes[3] = {axis[0] * cos(tilt), sin(tilt), axis[2] * cos(tilt)};
            double length = sqrt(axes[0] * axes[0] + axes[1] * axes[1] + axes[2] * axes[2]);
            turn_of((const double[]){axes[0] / length, axes[1] / length, axes[2] / length}, wave(motion, t, 0), q);
            for (int k = 0; k < 4; k++)
                value[k] = sign * q[k]; /* both are the same rotation */
        }
        bool jump = motion == JUMPS && chance(40) == 0;
        t += jump ? 2 : chance_between(0.001, 0.02);
        time = jump ? nextafter(time, INFINITY) : time + chance_between(0.005, 0.02);
    }
}

static double angle_between(const double a[4], const double b[4])
{
    double difference = 0, sum = 0;
    for (int i = 0; i < 4; i++) {
        difference += (a[i] - b[i]) * (a[i] - b[i]);
        sum += (a[i] + b[i]) * (a[i] + b[i]);
    }
    return 4 * atan2(sqrt(fmin(difference, sum)), sqrt(fmax(difference, sum)));
}

static double off(cp_path path, const double *a, const double *b)
{
    double sum = 0;
    if (path == CP_PATH_ROTATION)
        return angle_between(a, b);
    for (uint32_t i = 0; i < path_width(path); i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

static cp_track thin(const struct samples *samples, cp_path path, double tolerance, bool cuts)
{
    struct growing_track track = {.path = path, .tolerance = tolerance};
    cp_track made;
    for (uint32_t i = 0; i < samples->count; i++) {
        assert_true(track_add(context, &track, samples->times[i], samples->values + (size_t)i * samples->width));
        if (cuts && chance(50) == 0)
            assert_true(track_cut(context, &track));
    }
    assert_int_equal(track.samples, samples->count);
    assert_true(track_finish(scene, &track, 7, &made));
    track_free(context, &track);
    return made;
}

static void expect_near(const struct samples *samples, const cp_track *track, double tolerance)
{
    double value[4];
    for (uint32_t i = 0; i < samples->count; i++) {
        track_value(track, samples->times[i], value);
        double error = off(track->path, value, samples->values + (size_t)i * samples->width);
        if (!(error <= tolerance * (1 + 1e-9) + 1e-12))
            fail_msg("sample %u of path %d is %.17g off, of %.17g", (unsigned)i, (int)track->path, error, tolerance);
    }
    assert_true(track->times[0] == samples->times[0]);
    assert_true(track->times[track->key_count - 1] == samples->times[samples->count - 1]);
}

static void expect_short_turns(const cp_track *track)
{
    for (uint32_t i = 0; i + 1 < track->key_count && track->path == CP_PATH_ROTATION; i++)
        assert_true(angle_between(track->values + 4 * (size_t)i, track->values + 4 * (size_t)i + 4) <= PI / 2 + 1e-9);
}

static struct samples samples;

static void test_bound(void **state)
{
    (void)state;
    for (int round = 0; round < 400; round++) {
        cp_path path = (cp_path)(round % 4);
        enum motion motion = (enum motion)(round / 4 % MOTIONS);
        double tolerance = pow(10, chance_between(-6, -1));
        samples.count = 2 + chance(600);
        take_samples(&samples, path, motion);
        cp_track track = thin(&samples, path, tolerance, round % 3 == 0);
        expect_near(&samples, &track, tolerance);
        if (motion != JUMPS && motion != STAIRS) /* whose samples may be a half turn apart */
            expect_short_turns(&track);
    }
}

/* With a tolerance of 0 every sample is a key, bit for bit but for the sign of quaternions. */
static void test_all_kept(void **state)
{
    (void)state;
    for (int path = CP_PATH_JOINT; path <= CP_PATH_SCALE; path++) {
        samples.count = 500;
        take_samples(&samples, (cp_path)path, SMOOTH);
        cp_track track = thin(&samples, (cp_path)path, 0, false);
        assert_int_equal(track.key_count, samples.count);
        assert_int_equal(track.target, 7);
        assert_int_equal(track.interpolation, CP_LINEAR);
        for (uint32_t i = 0; i < samples.count * samples.width; i++)
            assert_true(fabs(track.values[i]) == fabs(samples.values[i]));
        assert_memory_equal(track.times, samples.times, samples.count * sizeof(double));
        expect_near(&samples, &track, 0);
    }
}

/* What moves along a straight line at a constant speed is two keys, a turn a key a quarter; a jump is two neighbours in
 * time. */
static void test_few_keys(void **state)
{
    (void)state;
    samples.count = 1000;
    samples.width = 1;
    for (uint32_t i = 0; i < samples.count; i++) {
        samples.times[i] = i * 0.01;
        samples.values[i] = i * 0.03;
    }
    assert_int_equal(thin(&samples, CP_PATH_JOINT, 1e-9, false).key_count, 2);
    samples.times[500] = nextafter(samples.times[499], INFINITY);
    for (uint32_t i = 500; i < samples.count; i++)
        samples.values[i] += 5;
    cp_track track = thin(&samples, CP_PATH_JOINT, 0.1, false);
    assert_int_equal(track.key_count, 4);
    assert_true(track.times[1] == samples.times[499] && track.values[1] == samples.values[499]);
    assert_true(track.times[2] == samples.times[500] && track.values[2] == samples.values[500]);
    samples.width = 4;
    for (uint32_t i = 0; i < samples.count; i++) {
        samples.times[i] = i * 0.01;
        turn_of((const double[]){0, 0, 1}, i * 0.01, samples.values + 4 * (size_t)i);
    }
    track = thin(&samples, CP_PATH_ROTATION, 1e-6, false);
    expect_short_turns(&track);
    assert_true(track.key_count >= 7 && track.key_count <= 9); /* 10 radians */
}

/* A sample costs the same however long the piece: 2 million are a moment's work. */
static void test_linear_cost(void **state)
{
    (void)state;
    struct growing_track track = {.path = CP_PATH_TRANSLATION, .tolerance = 1e-3};
    clock_t start = clock();
    for (uint32_t i = 0; i < 2000000; i++)
        assert_true(track_add(context, &track, i * 0.01, (const double[]){i * 0.5, i * -0.25, i * 2.0}));
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 20); /* seconds; quadratic would be days */
    assert_true(track_cut(context, &track));
    assert_int_equal(track.count, 2);
    track_free(context, &track);
}

/* The latest sample, whether it is a key or not; and whether anything moves at all. */
static void test_latest(void **state)
{
    (void)state;
    struct growing_track track = {.path = CP_PATH_JOINT, .tolerance = 0.1};
    double time = -1;
    assert_null(track_latest(&track, &time));
    for (uint32_t i = 0; i < 5; i++) {
        assert_true(track_add(context, &track, i, (const double[]){3}));
        assert_true(*track_latest(&track, &time) == 3 && time == i);
        assert_false(track.moves);
    }
    assert_true(track_cut(context, &track));
    assert_int_equal(track.count, 2);
    assert_true(*track_latest(&track, &time) == 3 && time == 4);
    assert_true(track_cut(context, &track)); /* nothing to cut */
    assert_int_equal(track.count, 2);
    assert_true(track_add(context, &track, 5, (const double[]){3.01}));
    assert_true(track.moves);
    track_free(context, &track);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_bound), TEST(test_all_kept), TEST(test_few_keys),
                                       TEST(test_linear_cost), TEST(test_latest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
