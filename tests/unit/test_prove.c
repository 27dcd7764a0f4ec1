/* Proofs that boxes on joints stay apart: against what is known of turning and sliding boxes, and against a grid of
 * samples. */
#include "chain_support.h"
#include "model/model.h"

#include "base/text/text.h"

/* How far apart are they? values: of the setting's variables. */
static struct hull_gap gap_between(const struct setting *setting, const double *values)
{
    double points[2][8][3];
    struct convex hulls[2] = {{.count = 8}, {.count = 8}};
    for (int side = 0; side < 2; side++) {
        place_arm(&setting->arms[side], values, points[side]);
        hulls[side].points = (const double(*)[3])points[side];
    }
    struct convex_start start = {0};
    return convex_gap(&hulls[0], &hulls[1], INFINITY, &start);
}

/* values: of the setting's variables. */
static struct proof prove(struct setting *setting, double clearance, uint64_t work, double *values)
{
    struct opened opened;
    struct proof_goal goal = {clearance, work};
    double found[2 * MOST_LINKS];
    struct body bodies[2];
    make_scene(setting);
    find_hulls(setting, bodies);
    open_chain(setting, &opened);
    struct proof proof =
        prove_free(&opened.prover, &opened.chain, (const struct body *const[]){&bodies[0], &bodies[1]}, &goal, found);
    assert_true(proof.work <= work);
    for (uint32_t i = 0; i < opened.chain.variable_count; i++)
        for (uint32_t k = 0; k < opened.chain.variable_count; k++)
            if (setting->joints[i] == opened.chain.variables[k].joint)
                values[i] = found[k];
    close_chain(&opened);
    free_hulls(bodies);
    return proof;
}

/* Small gaps are found by a direction that rounding turns: by 1e-16 of the size over the gap. */
static const double rounding = 1e-9;

/* Free, with no gap smaller than the smallest there is; or a hit that is one. */
static void expect(struct setting *setting, double clearance, double least)
{
    double values[2 * MOST_LINKS];
    struct proof proof = prove(setting, clearance, 200000, values);
    assert_int_equal(proof.end, least > clearance ? PROOF_FREE : PROOF_HIT);
    if (proof.end == PROOF_FREE)
        assert_true(proof.bound > clearance && proof.bound <= least + rounding);
    if (proof.end == PROOF_HIT)
        assert_true(gap_between(setting, values).low <= clearance + rounding);
}

/* ---- known answers ---- */

/* An arm that turns about z sweeps an annulus, from its front to its far corners. */
static void test_turning(void **unused)
{
    (void)unused;
    struct random random = {1};
    static const double off[] = {1e-3, 1e-5, -1e-5, -1e-3, -0.3, 0.3};
    for (int round = 0; round < 60; round++) {
        struct setting setting = {0};
        struct link *link = add_link(&setting, round % 2, CP_JOINT_REVOLUTE, z_axis);
        double front = 1 + random_unit(&random), back = front + random_unit(&random), side = random_unit(&random),
               clearance = round % 3 * 0.01, apart = clearance + off[round % 6];
        link->lower = -PI;
        link->upper = PI;
        set_box(&setting.arms[round % 2], front, back, -side, side);
        if (round % 4 < 2) { /* outside */
            double from = sqrt(back * back + side * side) + apart;
            set_box(&setting.arms[1 - round % 2], from, from + 1, -0.2, 0.3);
        } else { /* within: a square's corners */
            double half = (front - apart) / sqrt(2);
            set_box(&setting.arms[1 - round % 2], -half, half, -half, half);
        }
        expect(&setting, clearance, apart);
    }
}

/* The arm stops before it meets the other box, which lies along y, or after. */
static void test_turning_limits(void **unused)
{
    (void)unused;
    for (int round = 0; round < 40; round++) {
        struct setting setting = {0};
        struct link *link = add_link(&setting, 0, CP_JOINT_REVOLUTE, z_axis);
        double stop = PI / 2 + (round - 19.5) * 0.02;
        link->lower = -0.5;
        link->upper = stop;
        set_box(&setting.arms[0], 0.5, 2, -0.1, 0.1);
        set_box(&setting.arms[1], -2, -0.3, 1, 1.5);
        /* the arm's upper side meets the corner (-0.3, 1.5): where that is above the line of the arm by 0.1 */
        double meets = atan2(1.5, -0.3) - asin(0.1 / sqrt(2.34)), values[1];
        struct proof proof = prove(&setting, 0, 200000, values);
        assert_int_equal(proof.end, stop < meets ? PROOF_FREE : PROOF_HIT);
        if (proof.end == PROOF_HIT)
            assert_true(values[0] >= meets - 1e-9 && values[0] <= stop);
    }
}

/* Boxes that slide, each by its joint or both by one, towards each other. */
static void test_sliding(void **unused)
{
    (void)unused;
    static const double off[] = {1e-3, 1e-6, -1e-6, -1e-3};
    static const double back[] = {-1, 0, 0};
    for (int round = 0; round < 16; round++) {
        struct setting setting = {0};
        bool follows = round / 4 % 2;
        double apart = 3 + 1 + (follows ? 3 - 0.2 : 1) + off[round % 4]; /* half boxes, and how far they come */
        struct link *link = add_link(&setting, 0, CP_JOINT_PRISMATIC, x_axis);
        link->angle = round < 8 ? 0 : 1e-3; /* they may slide past each other, but do not: boxes are wide */
        struct link *other =
            follows ? add_follower(&setting, 1, link, -3, 0.2) : add_link(&setting, 1, CP_JOINT_PRISMATIC, back);
        other->place[0] = apart;
        set_box(&setting.arms[0], -1, 1.5, -2, 2);
        set_box(&setting.arms[1], -1.5, 1, -2, 2);
        if (round < 8) {
            expect(&setting, 0, off[round % 4]);
            continue;
        }
        double values[2], end[] = {1, 1};
        struct proof proof = prove(&setting, 0, 200000, values);
        assert_int_equal(proof.end, gap_between(&setting, end).low > 0 ? PROOF_FREE : PROOF_HIT);
    }
}

/* What at first moves across the way to the other box, a large one, moves along it when another joint has turned: a
 * joint that slides, and one that tilts the arm. And one that slides along it all the way, wherever another may turn it
 * to. */
static void test_turned_joints(void **unused)
{
    (void)unused;
    static const double y_axis[] = {0, 1, 0}, off[] = {1e-3, 1e-5, -1e-5, -1e-3, -0.2};
    static const double *const axes[] = {y_axis, x_axis, x_axis};
    enum { SLIDES, TILTS, STAYS };
    for (int round = 0; round < 15; round++) {
        int kind = round / 5;
        struct setting setting = {0};
        double turn = kind == STAYS ? 1.5 : 0.5, way = kind == TILTS ? 1.2 : 2, height = 3;
        struct link *link = add_link(&setting, 0, CP_JOINT_REVOLUTE, z_axis);
        link->lower = -turn;
        link->upper = turn;
        link = add_link(&setting, 0, kind == TILTS ? CP_JOINT_REVOLUTE : CP_JOINT_PRISMATIC, axes[kind]);
        link->lower = -way;
        link->upper = way;
        set_box(&setting.arms[0], 0.9, 1, -0.1, 0.1);
        for (int i = 4; i < 8; i++)
            setting.arms[0].corners[i][2] = height;
        /* how far the corner comes along y before the turn, and then along x */
        double along = kind == TILTS ? 0.1 * cos(way) + height * sin(way) : 0.1 + way,
               reach = kind == STAYS ? hypot(1 + way, 0.1) : cos(turn) + along * sin(turn);
        set_box(&setting.arms[1], reach + off[round % 5], reach + 1, -10, 10);
        for (int i = 0; i < 8; i++)
            setting.arms[1].corners[i][2] *= 20;
        expect(&setting, 0, off[round % 5]);
    }
}

/* Two boxes on the same turntable, by joints that turn alike, stay as far apart as they are. */
static void test_turning_together(void **unused)
{
    (void)unused;
    for (int round = 0; round < 2; round++) {
        struct setting setting = {0};
        struct link *link = add_link(&setting, 0, CP_JOINT_REVOLUTE, z_axis);
        (void)add_follower(&setting, 1, link, round ? -1 : 1, 0);
        set_box(&setting.arms[0], 1, 2, 0, 0.5);
        set_box(&setting.arms[1], 1, 2, 0.6, 1);
        if (round)
            expect(&setting, 0, -1);
        else
            expect(&setting, 0.05, 0.1);
    }
}

/* ---- samples ---- */

static void random_setting(struct random *random, struct setting *setting)
{
    uint32_t count = 2 + random_bits(random) % 2, follower = random_bits(random) % 3;
    *setting = (struct setting){0};
    for (uint32_t i = 0; i < count; i++) {
        int side = random_bits(random) % 2;
        double axis[3], range = 0.2 + 1.3 * random_unit(random), middle = random_unit(random) - 0.5;
        random_axis(random, axis);
        struct link *link =
            add_link(setting, side, random_bits(random) % 3 ? CP_JOINT_REVOLUTE : CP_JOINT_PRISMATIC, axis);
        link->lower = middle - range;
        link->upper = middle + range;
        link->angle = 6 * random_unit(random);
        for (int k = 0; k < 3; k++)
            link->place[k] = random_unit(random) - 0.5;
    }
    const struct link *master = &setting->arms[0].links[0];
    if (follower == 0 && setting->arms[0].count > 0 && setting->arms[1].count < MOST_LINKS)
        add_follower(setting, 1, master, 5 * random_unit(random) - 2.5, random_unit(random))->place[1] = 0.3;
    for (int side = 0; side < 2; side++) {
        double x = random_unit(random), y = random_unit(random);
        set_box(&setting->arms[side], x, x + random_unit(random), y, y + random_unit(random));
        for (int i = 0; i < 8; i++)
            setting->arms[side].corners[i][side] += side ? 1 + random_unit(random) * 1e-3 : 0;
    }
    setting->arms[1].links[0].place[2] += random_unit(random);
}

/* The smallest distance on a grid, its ends included, and where it is. */
static double least_sample(const struct setting *setting, uint32_t steps, double *where)
{
    uint32_t all = 1;
    double least = INFINITY;
    for (uint32_t i = 0; i < setting->variable_count; i++)
        all *= steps + 1;
    for (uint32_t sample = 0; sample < all; sample++) {
        double values[2 * MOST_LINKS];
        uint32_t rest = sample;
        for (uint32_t i = 0; i < setting->variable_count; i++, rest /= steps + 1) {
            const struct link *link = driven_link(setting, i);
            values[i] = link->lower + (link->upper - link->lower) * (rest % (steps + 1)) / steps;
        }
        double high = gap_between(setting, values).high;
        if (high < least) {
            least = high;
            memcpy(where, values, sizeof values);
        }
    }
    return least;
}

/* From there to where no step towards any side makes it smaller, with ever smaller steps. */
static double descend(const struct setting *setting, double *values, double least)
{
    for (double step = 0.05; step > 1e-7; step /= 2)
        for (uint32_t tries = 0; tries < 20; tries++) {
            double before = least;
            for (uint32_t i = 0; i < 2 * setting->variable_count; i++) {
                const struct link *link = driven_link(setting, i / 2);
                double old = values[i / 2], next = old + (i % 2 ? step : -step);
                values[i / 2] = fmin(link->upper, fmax(link->lower, next));
                double high = gap_between(setting, values).high;
                if (high < least)
                    least = high;
                else
                    values[i / 2] = old;
            }
            if (least == before)
                break;
        }
    return least;
}

/* No sample comes near where the proof says that none does; and with a clearance that the nearest one does not have
 * there is no proof. */
static void expect_samples(struct setting *setting, double clearance, double bound)
{
    double values[2 * MOST_LINKS], others[2 * MOST_LINKS];
    double least = descend(setting, values, least_sample(setting, setting->variable_count > 2 ? 16 : 50, values));
    assert_true(least > clearance && bound >= clearance && bound <= least + rounding);
    assert_int_not_equal(prove(setting, least + rounding, 20000, others).end, PROOF_FREE);
}

/* A proof or a hit is one, and work is never more than was given, nor does more of it say otherwise. */
static void test_samples(void **unused)
{
    (void)unused;
    struct random random = {9};
    uint32_t rounds = usual_or_long(150, 3000), ends[3] = {0};
    for (uint32_t round = 0; round < rounds; round++) {
        struct setting setting;
        double values[2 * MOST_LINKS], again[2 * MOST_LINKS], clearance = round % 2 ? 1e-6 : 0.02;
        random_setting(&random, &setting);
        struct proof proof = prove(&setting, clearance, 20000, values);
        ends[proof.end]++;
        if (proof.end == PROOF_FREE)
            expect_samples(&setting, clearance, proof.bound);
        if (proof.end == PROOF_HIT)
            assert_true(gap_between(&setting, values).low <= clearance + rounding);
        if (proof.end == PROOF_UNDECIDED)
            assert_int_equal(proof.work, 20000);
        for (uint64_t work = 0; work <= 2000; work = 7 * work + 1) {
            struct proof less = prove(&setting, clearance, work, again);
            if (proof.end != PROOF_UNDECIDED && proof.work <= work) {
                assert_int_equal(less.end, proof.end);
                assert_memory_equal(again, values, setting.variable_count * sizeof *values);
            } else {
                assert_int_equal(less.end, PROOF_UNDECIDED);
                assert_int_equal(less.work, work);
            }
        }
    }
    assert_true(ends[PROOF_FREE] > rounds / 4 && ends[PROOF_HIT] > rounds / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_turning, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_turning_limits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sliding, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_turned_joints, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_turning_together, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_samples, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
