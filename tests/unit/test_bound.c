/* The bound of what the joints of a box may take off a gap: in random configurations of the box they never take more,
 * and where the most is known, the bound is no more than that. */
#include "chain_support.h"
#include "collide/proof/bound.h"
#include "model/model.h"

#include "base/text/text.h"

/* Two bodies on joints, opened, with the prover at the middle of a box. */
struct tried {
    struct setting setting;
    struct opened opened;
    struct body bodies[2];
    double middles[2 * MOST_LINKS], halves[2 * MOST_LINKS]; /* of the setting's variables */
};

/* Index of the setting's variable in the chain. */
static uint32_t in_chain(const struct tried *tried, uint32_t variable)
{
    uint32_t i = 0;
    while (tried->opened.chain.variables[i].joint != tried->setting.joints[variable])
        i++;
    return i;
}

/* The setting's middles and halves are set. */
static void open_box(struct tried *tried)
{
    double values[2 * MOST_LINKS];
    make_scene(&tried->setting);
    find_hulls(&tried->setting, tried->bodies);
    open_chain(&tried->setting, &tried->opened);
    struct prover *prover = &tried->opened.prover;
    prover_begin(prover, &tried->opened.chain, (const struct body *const[]){&tried->bodies[0], &tried->bodies[1]});
    for (uint32_t i = 0; i < tried->setting.variable_count; i++) {
        values[in_chain(tried, i)] = tried->middles[i];
        prover->halves[in_chain(tried, i)] = tried->halves[i];
    }
    (void)prover_gap(prover, values);
}

static void close_box(struct tried *tried)
{
    close_chain(&tried->opened);
    free_hulls(tried->bodies);
}

/* Turns a direction as the link at a split is turned: the joints from the world to it. */
static void turn_with_split(const struct setting *setting, uint32_t split, const double *values, double direction[3])
{
    uint32_t first = setting->arms[0].count;
    const struct arm *arm = &setting->arms[split > first];
    double origin[3] = {0};
    uint32_t links = split > first ? split - first : first - split;
    place_point(arm, links, values, origin);
    place_point(arm, links, values, direction);
    subtract(direction, origin, direction);
}

/* How far apart the bodies are along a direction that is fixed to the link at the split. */
static double height_between(const struct tried *tried, uint32_t split, const double *values, const double own[3])
{
    double normal[3] = {own[0], own[1], own[2]}, points[2][8][3], low = INFINITY, high = -INFINITY;
    turn_with_split(&tried->setting, split, values, normal);
    for (int side = 0; side < 2; side++)
        place_arm(&tried->setting.arms[side], values, points[side]);
    for (int k = 0; k < 8; k++) {
        high = fmax(high, dot_product(points[0][k], normal));
        low = fmin(low, dot_product(points[1][k], normal));
    }
    return low - high;
}

static double bound_along(struct tried *tried, uint32_t split, const double own[3])
{
    double normal[3] = {own[0], own[1], own[2]}, terms[4 * MOST_LINKS];
    turn_with_split(&tried->setting, split, tried->middles, normal);
    return sum_terms(&tried->opened.prover, &(struct part){.split = split}, normal, terms);
}

/* ---- any box ---- */

static void random_box(struct random *random, struct tried *tried)
{
    struct setting *setting = &tried->setting;
    *tried = (struct tried){0};
    uint32_t count = 1 + random_bits(random) % 4;
    double widest = random_bits(random) % 2 ? 3.2 : 0.3;
    for (uint32_t i = 0; i < count; i++) {
        double axis[3];
        bool parallel = random_bits(random) % 3 == 0;
        random_axis(random, axis);
        struct link *link =
            add_link(setting, random_bits(random) % 2, random_bits(random) % 5 ? CP_JOINT_REVOLUTE : CP_JOINT_PRISMATIC,
                     parallel ? z_axis : axis);
        link->angle = parallel ? 0 : 6 * random_unit(random);
        for (int k = 0; k < 3; k++)
            link->place[k] = 2 * random_unit(random) - 1;
        tried->middles[i] = 6 * random_unit(random) - 3;
        tried->halves[i] = widest * random_unit(random);
        link->lower = tried->middles[i] - tried->halves[i];
        link->upper = tried->middles[i] + tried->halves[i];
    }
    if (setting->arms[0].count > 0 && random_bits(random) % 3 == 0)
        add_follower(setting, 1, &setting->arms[0].links[0], 4 * random_unit(random) - 2, random_unit(random));
    for (int side = 0; side < 2; side++) {
        double x = random_unit(random), y = random_unit(random), size = random_bits(random) % 2 ? 1 : 1e-3;
        set_box(&setting->arms[side], x, x + size * random_unit(random), y, y + size * random_unit(random));
        for (int i = 0; i < 8; i++)
            setting->arms[side].corners[i][2] *= size;
    }
}

static void test_any_box(void **unused)
{
    (void)unused;
    struct random random = {31};
    uint32_t rounds = usual_or_long(20000, 1000000), near = 0;
    for (uint32_t round = 0; round < rounds; round++) {
        struct tried tried;
        double normal[3], most = 0;
        random_box(&random, &tried);
        open_box(&tried);
        uint32_t split = random_bits(&random) % (tried.opened.chain.motion_count + 1);
        random_axis(&random, normal);
        double bound = bound_along(&tried, split, normal);
        double before = height_between(&tried, split, tried.middles, normal);
        for (int sample = 0; sample < 60; sample++) {
            double values[2 * MOST_LINKS];
            random_values(&tried.setting, &random, values);
            most = fmax(most, before - height_between(&tried, split, values, normal));
        }
        assert_true(most <= bound + 1e-12);
        near += most > 0.9 * bound;
        close_box(&tried);
    }
    assert_true(near > rounds / 10);
}

/* ---- known boxes ---- */

/* The bound from the first body's side, with one joint or several about z. */
static double bound_of(struct tried *tried, const double normal[3])
{
    open_box(tried);
    double bound = bound_along(tried, tried->setting.arms[0].count, normal);
    close_box(tried);
    return bound;
}

static struct link *add_turn(struct tried *tried, double half)
{
    struct link *link = add_link(&tried->setting, 0, CP_JOINT_REVOLUTE, z_axis);
    tried->halves[link->variable] = half;
    link->lower = -half;
    link->upper = half;
    return link;
}

/* A point at a distance of 1 from the axis, as small as boxes can be here. */
static void set_points(struct tried *tried)
{
    for (int side = 0; side < 2; side++) {
        double x = side ? 5 : 1;
        set_box(&tried->setting.arms[side], x, x + 1e-9, 0, 1e-9);
        for (int i = 0; i < 8; i++)
            tried->setting.arms[side].corners[i][2] *= 1e-9;
    }
}

/* A stretched arm that turns goes back: nothing is taken off. Where it points across or away it comes nearer by what
 * the circle says, no more than all around it. */
static void test_circle(void **unused)
{
    (void)unused;
    for (int round = 0; round < 600; round++) {
        struct tried tried = {0};
        double angle = round % 25 * 0.25, half = 0.02 + round / 25 * 0.15, normal[3] = {cos(angle), sin(angle), 0};
        (void)add_turn(&tried, half);
        set_points(&tried);
        /* from the point at angle 0 to the one nearest to the direction */
        double nearest = fmin(half, fabs(remainder(angle, 2 * PI)));
        double known = cos(fabs(remainder(angle, 2 * PI)) - nearest) - cos(angle), bound = bound_of(&tried, normal);
        assert_true(bound >= known - 1e-8);
        /* either way the circle is left: one of the bounds is the chord, less than 1 % more where that is small */
        assert_true(bound <= known + 1e-7 * half + 1e-8);
    }
}

/* Joints whose axes are along the normal take nothing off, however far each turns the next; nor does a point on its
 * axis. */
static void test_nothing(void **unused)
{
    (void)unused;
    for (int round = 0; round < 2; round++) {
        struct tried tried = {0};
        for (int i = 0; i < 4; i++) {
            struct link *link = add_turn(&tried, 3);
            link->place[0] = round ? 0 : 0.5;
        }
        set_points(&tried);
        if (round)
            set_box(&tried.setting.arms[0], -1e-9, 1e-9, -1e-9, 1e-9);
        assert_true(bound_of(&tried, round ? x_axis : z_axis) < 1e-7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_any_box, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_circle, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nothing, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
