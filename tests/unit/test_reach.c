/* The balls of the proof: whatever the joints do, a body stays in the ball of each joint on the way. Against samples,
 * and against what is known of wheels and stretched arms. */
#include "chain_support.h"
#include "model/model.h"

#include "base/text/text.h"

static const uint64_t plenty = 20000;

/* What the prover knows after it has looked at the box of all values; false where it did not ask for balls. */
static bool find_balls(struct setting *setting, struct opened *opened, struct proof *proof, uint64_t work)
{
    struct body bodies[2];
    double values[2 * MOST_LINKS];
    make_scene(setting);
    find_hulls(setting, bodies);
    open_chain(setting, opened);
    *proof = prove_free(&opened->prover, &opened->chain, (const struct body *const[]){&bodies[0], &bodies[1]},
                        &(struct proof_goal){0, work}, values);
    free_hulls(bodies);
    return opened->prover.has_balls;
}

/* ---- any chain ---- */

static void random_chain(struct random *random, struct setting *setting)
{
    *setting = (struct setting){0};
    uint32_t count = 1 + random_bits(random) % 5;
    for (uint32_t i = 0; i < count; i++) {
        double axis[3], range = 3.2 * random_unit(random), middle = random_unit(random) - 0.5;
        bool slides = random_bits(random) % 6 == 0;
        random_axis(random, axis);
        struct link *link =
            add_link(setting, random_bits(random) % 2, slides ? CP_JOINT_PRISMATIC : CP_JOINT_REVOLUTE, axis);
        random_axis(random, link->axis);
        link->lower = middle - range;
        link->upper = middle + range;
        link->angle = 6 * random_unit(random);
        for (int k = 0; k < 3; k++)
            link->place[k] = 2 * random_unit(random) - 1;
    }
    if (setting->arms[0].count > 0 && random_bits(random) % 3 == 0)
        add_follower(setting, 1, &setting->arms[0].links[0], 4 * random_unit(random) - 2, random_unit(random));
    for (int side = 0; side < 2; side++) {
        double x = random_unit(random), y = random_unit(random);
        set_box(&setting->arms[side], x, x + random_unit(random), y, y + random_unit(random));
    }
    if (setting->arms[1].count > 0) /* so that hulls are apart in the middle, and are looked at more closely */
        setting->arms[1].links[0].place[random_bits(random) % 3] += 2 + 6 * random_unit(random);
    else
        for (int i = 0; i < 8; i++)
            setting->arms[1].corners[i][2] += 2 + 6 * (double)setting->arms[0].count;
}

struct link_at {
    int arm;
    uint32_t link;
};

/* The joints on the way, from the body of that side on. way[2 MOST_LINKS] */
static uint32_t list_way(const struct setting *setting, int side, struct link_at *way)
{
    uint32_t count = 0;
    for (uint32_t i = setting->arms[side].count; i-- > 0;)
        way[count++] = (struct link_at){side, i};
    for (uint32_t i = 0; i < setting->arms[!side].count; i++)
        way[count++] = (struct link_at){!side, i};
    return count;
}

static double distance_between(const double one[3], const double other[3])
{
    return sqrt((one[0] - other[0]) * (one[0] - other[0]) + (one[1] - other[1]) * (one[1] - other[1]) +
                (one[2] - other[2]) * (one[2] - other[2]));
}

static const struct ball *ball_of(const struct opened *opened, const struct setting *setting, int side,
                                  struct link_at at)
{
    return &opened->prover.balls[side][at.link + (at.arm ? setting->arms[0].count : 0)];
}

/* The joint's own value does not matter to where the ball's centre is. */
static void find_centre(const struct setting *setting, const struct ball *ball, struct link_at at, const double *values,
                        double centre[3])
{
    const struct link *link = &setting->arms[at.arm].links[at.link];
    memcpy(centre, ball->centre, sizeof ball->centre);
    turn_about(link->axis, link->angle, centre);
    for (int axis = 0; axis < 3; axis++)
        centre[axis] += link->place[axis];
    place_point(&setting->arms[at.arm], at.link, values, centre);
}

/* Every corner is in every ball. */
static void expect_inside(const struct setting *setting, const struct opened *opened, const double *values,
                          double *closest)
{
    for (int side = 0; side < 2; side++) {
        struct link_at way[2 * MOST_LINKS];
        double points[8][3];
        uint32_t count = list_way(setting, side, way);
        place_arm(&setting->arms[side], values, points);
        for (uint32_t i = 0; i < count; i++) {
            const struct ball *ball = ball_of(opened, setting, side, way[i]);
            double centre[3];
            find_centre(setting, ball, way[i], values, centre);
            for (int k = 0; k < 8; k++) {
                double distance = distance_between(points[k], centre);
                assert_true(distance <= ball->radius);
                *closest = fmax(*closest, i < 2 ? 0 : distance / ball->radius);
            }
        }
    }
}

/* A corner is on the ball of the joint next to the body, if that turns. */
static void expect_tight(const struct setting *setting, const struct opened *opened)
{
    for (int side = 0; side < 2; side++) {
        struct link_at way[2 * MOST_LINKS];
        double points[8][3], values[2 * MOST_LINKS] = {0}, centre[3], most = 0;
        (void)list_way(setting, side, way);
        if (setting->arms[way[0].arm].links[way[0].link].type == CP_JOINT_PRISMATIC)
            continue;
        const struct ball *ball = ball_of(opened, setting, side, way[0]);
        place_arm(&setting->arms[side], values, points);
        find_centre(setting, ball, way[0], values, centre);
        for (int k = 0; k < 8; k++)
            most = fmax(most, distance_between(points[k], centre));
        assert_true(ball->radius <= most * (1 + 1e-8));
    }
}

static void test_any_chain(void **unused)
{
    (void)unused;
    struct random random = {21};
    uint32_t rounds = usual_or_long(2000, 50000), found = 0;
    double closest = 0;
    for (uint32_t round = 0; round < rounds; round++) {
        struct setting setting;
        struct opened opened;
        struct proof proof;
        random_chain(&random, &setting);
        bool has_balls = find_balls(&setting, &opened, &proof, 1);
        found += has_balls;
        if (has_balls) {
            expect_tight(&setting, &opened);
            for (int sample = 0; sample < 40; sample++) {
                double values[2 * MOST_LINKS];
                random_values(&setting, &random, values);
                expect_inside(&setting, &opened, values, &closest);
            }
        }
        close_chain(&opened);
    }
    assert_true(found > rounds / 4 && closest > 0.99);
}

/* ---- stretched arms ---- */

/* An arm in a plane, whose joints turn all round, reaches as far as it is long: a wall behind that is proved by one
 * ball, where all joints' bounds of motion would take forever; a wall that it meets is none. */
static void test_stretched(void **unused)
{
    (void)unused;
    static const double off[] = {1e-6, 1e-3, 0.5};
    for (int round = 0; round < 36; round++) {
        uint32_t links = 2 + (uint32_t)round % 4;
        int side = round / 4 % 3 == 0, wall = !side;
        bool reaches = round >= 24;
        struct setting setting = {0};
        double arm_length = 0, values[2 * MOST_LINKS] = {0}, x = 0.7, y = 0.2;
        for (uint32_t i = 0; i < links; i++) {
            struct link *link = add_link(&setting, side, CP_JOINT_REVOLUTE, z_axis);
            link->lower = -PI;
            link->upper = PI;
            link->place[0] = i == 0 ? 0 : 0.5 + 0.1 * i;
            arm_length += link->place[0];
        }
        set_box(&setting.arms[side], 0, x, -y, y);
        double in_plane = arm_length + hypot(x, y), ball = arm_length + sqrt(x * x + y * y + 0.25);
        double from = reaches ? in_plane - off[round % 3] : ball * (1 + 1e-8) + off[round % 3];
        set_box(&setting.arms[wall], from, from + 1, -20, 20);
        struct opened opened;
        struct proof proof;
        (void)find_balls(&setting, &opened, &proof, reaches ? plenty : 1);
        if (reaches)
            assert_int_not_equal(proof.end, PROOF_FREE);
        else
            assert_int_equal(proof.end, PROOF_FREE);
        if (!reaches) /* the stretched arm's box ends before the ball does */
            assert_true(proof.bound > 0 && proof.bound <= from - in_plane);
        values[setting.variable_count - 1] = -atan2(y, x); /* its corner on the line of the arm */
        if (reaches) {
            double points[8][3], farthest = 0;
            place_arm(&setting.arms[side], values, points);
            for (int k = 0; k < 8; k++)
                farthest = fmax(farthest, points[k][0]);
            assert_true(farthest > from);
        }
        close_chain(&opened);
    }
}

/* A proof by balls, too, is never nearer than a sample is. */
static void test_bounds(void **unused)
{
    (void)unused;
    struct random random = {22};
    uint32_t rounds = usual_or_long(300, 5000), balls = 0;
    for (uint32_t round = 0; round < rounds; round++) {
        struct setting setting;
        struct opened opened;
        struct proof proof;
        random_chain(&random, &setting);
        bool has_balls = find_balls(&setting, &opened, &proof, 500);
        balls += has_balls && proof.end == PROOF_FREE;
        for (int sample = 0; sample < 100 && proof.end == PROOF_FREE; sample++) {
            double values[2 * MOST_LINKS], points[2][8][3];
            struct convex hulls[2] = {{.count = 8}, {.count = 8}};
            struct convex_start start = {0};
            random_values(&setting, &random, values);
            for (int side = 0; side < 2; side++) {
                place_arm(&setting.arms[side], values, points[side]);
                hulls[side].points = (const double(*)[3])points[side];
            }
            assert_true(proof.bound <= convex_gap(&hulls[0], &hulls[1], INFINITY, &start).high + 1e-9);
        }
        close_chain(&opened);
    }
    assert_true(balls > rounds / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_any_chain, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_stretched, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bounds, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
