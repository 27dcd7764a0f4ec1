/* Claims about pairs: true ones hold, and false ones are found out. */
#include "cells_support.h"

/* A claim as the list would make it; finding NULL: without one. */
static struct claim claim(const char *reason, const char *first, const char *second, const cp_finding *finding)
{
    bool kept = !strcmp(reason, "sometimes");
    cp_pair pair = {.first = node_of(first),
                    .second = node_of(second),
                    .verdict = kept ? CP_PAIR_KEPT : CP_PAIR_EXCLUDED,
                    .reason = reason,
                    .evidence = "",
                    .finding = finding};
    struct claim it;
    assert_true(claim_of(&check, &pair, &it));
    return it;
}

static void look(struct claim *it, uint64_t states, uint32_t descents)
{
    check_states(&check, it, 1, 0, states);
    check_descents(&check, it, descents);
}

static void expect_true(const struct claim *it)
{
    if (it->wrong)
        fail_msg("a true claim is wrong: %s", it->wrong);
}

static void expect_wrong(const struct claim *it, const char *why)
{
    assert_non_null(it->wrong);
    assert_string_equal(it->wrong, why);
}

/* 0.5 mm are more than nothing, and less than 1 mm. */
static void test_margin(void **unused)
{
    (void)unused;
    const cp_finding margin = {.margin = 1e-3}, bound = {.clearance = 0.0004}, above = {.clearance = 0.0006};
    read_cell("near_miss.wu");
    struct claim free = claim("never-proved", "Wall", "Tip", NULL);
    look(&free, 2000, 5);
    expect_true(&free);
    expect_near(free.smallest, 0.0005, 1e-7);
    free = claim("never-proved", "Wall", "Tip", &bound);
    look(&free, 2000, 5);
    expect_true(&free);
    free = claim("never-proved", "Wall", "Tip", &above);
    look(&free, 2000, 5);
    expect_wrong(&free, "they are nearer than the clearance");
    struct claim near = claim("never-proved", "Wall", "Tip", &margin);
    look(&near, 2000, 5);
    expect_wrong(&near, "they touch");
}

static uint64_t rounds_of(uint64_t usual, uint64_t all)
{
    return getenv("CELLPIPE_LONG") ? all : usual;
}

/* The rate of 1e-5 is met within five standard deviations. */
static void expect_rate(const char *cell, const char *first, const char *second, double rate)
{
    uint64_t states = rounds_of(1000000, 20000000);
    read_cell(cell);
    struct claim it = claim_nothing(&check, node_of(first), node_of(second));
    look(&it, states, 0);
    double expected = rate * (double)states;
    assert_true(fabs((double)it.contacts - expected) < 5 * sqrt(expected));
    struct claim never = claim("never-proved", first, second, NULL);
    look(&never, states, 0);
    expect_wrong(&never, "they touch");
}

static void test_near_miss(void **unused)
{
    (void)unused;
    expect_rate("near_miss.wu", "Plate", "Tip", 1e-5);
}

static void test_turning_near_miss(void **unused)
{
    (void)unused;
    expect_rate("near_miss_turning.wu", "Peg", "Pin", 1.011e-5);
}

/* Where random configurations find nothing, searches do. */
static void test_descents(void **unused)
{
    (void)unused;
    read_cell("near_miss_turning.wu");
    struct claim it = claim("never-proved", "Peg", "Pin", NULL);
    look(&it, 100, 0);
    expect_true(&it);
    look(&it, 0, 50);
    expect_wrong(&it, "they touch");
    struct claim post = claim("never-proved", "Post", "Pin", NULL);
    look(&post, 1000, 50);
    expect_true(&post);
    assert_true(post.smallest > 0.0005 - 1e-7 && post.smallest < 0.0006);
}

static void test_always(void **unused)
{
    (void)unused;
    read_cell("kr16.wu");
    struct claim held = claim("always-proved", "LinkArm", "Arm", NULL);
    struct claim beside = claim("always-proved", "Base", "Turret", NULL); /* faces in one plane */
    struct claim seldom = claim("always-proved", "Base", "Wrist", NULL);
    look(&held, 2000, 0);
    look(&beside, 2000, 0);
    look(&seldom, 2000, 0);
    expect_true(&held);
    expect_true(&beside);
    assert_int_equal(held.contacts, 200);
    expect_wrong(&seldom, "they come apart");
}

static void expect_witness(const double values[3], uint32_t count, const char *wrong)
{
    cp_joint_setting settings[3];
    for (uint32_t i = 0; i < 3; i++)
        settings[i] = (cp_joint_setting){i, values[i]};
    const cp_finding finding = {.witness_count = count, .witness = settings};
    struct claim it = claim("sometimes", "Plate", "Tip", &finding);
    look(&it, 1, 1);
    if (wrong)
        expect_wrong(&it, wrong);
    else
        expect_true(&it);
}

/* X, Y and Z; what is not among the settings is as in the scene. */
static void test_witness(void **unused)
{
    (void)unused;
    read_cell("near_miss.wu");
    expect_witness((const double[]){-0.128, 0.202, 0.0009}, 3, NULL);
    expect_witness((const double[]){-0.137, 0.211, 0}, 2, NULL);
    expect_witness((const double[]){-0.126, 0.211, 0}, 3, "the witness does not touch");
    expect_witness((const double[]){-0.137, 0.211, 0.0011}, 3, "the witness does not touch");
    expect_witness((const double[]){-0.137, 0.211, -0.001}, 3, "the witness is out of limits");
    expect_witness((const double[]){-0.137, 0.211, 0}, 0, "no witness");
    const cp_pair excluded = {node_of("Plate"), node_of("Tip"), CP_PAIR_EXCLUDED, "sometimes", "", NULL};
    struct claim it;
    assert_true(claim_of(&check, &excluded, &it));
    expect_wrong(&it, "left out though it collides");
}

static void test_static(void **unused)
{
    (void)unused;
    read_cell("held.wu");
    struct claim still = claim("static", "Bin", "BinWall-1", NULL), moved = claim("static", "Bin", "Lid", NULL);
    look(&still, 10, 0);
    look(&moved, 10, 0);
    expect_true(&still);
    expect_wrong(&moved, "they move");
}

/* A finger that follows a joint which is elsewhere meets a post at the end of the way; another has a gap to it of 10
 * mm. */
static void test_dependent_joint(void **unused)
{
    (void)unused;
    read_text("{ \"Drive\"\n ActiveJoint\n Prismatic\n JointPosLimit 0 1\n}\n"
              "{ \"Follow\"\n PassivePrismatic \"Drive\" 0.5 0.1\n}\n"
              "{ \"Finger\"\n ReferenceFrame \"Follow\"\n GeoID \"#Box 0.1 0.1 0.1\"\n}\n"
              "{ \"Post\"\n Position (0, 0, 0.699)\n GeoID \"#Box 0.1 0.1 0.1\"\n}\n"
              "{ \"Stop\"\n Position (0, 0, 0.71)\n GeoID \"#Box 0.1 0.1 0.1\"\n}\n");
    struct claim post = claim("never-proved", "Post", "Finger", NULL),
                 stop = claim("never-proved", "Stop", "Finger", NULL);
    look(&post, 0, 5);
    look(&stop, 1000, 5);
    expect_wrong(&post, "they touch");
    expect_true(&stop);
    expect_near(stop.smallest, 0.01, 1e-6);
}

/* Of what the list does not know nothing is said. */
static void test_other_reasons(void **unused)
{
    (void)unused;
    static const char *const reasons[] = {"undecided", "movable", "given", "user", "never-sampled", "always-sampled"};
    read_cell("near_miss.wu");
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        const cp_pair pair = {node_of("Plate"), node_of("Tip"), CP_PAIR_KEPT, reasons[i], "", NULL};
        struct claim it;
        assert_false(claim_of(&check, &pair, &it));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_margin),   TEST(test_near_miss),       TEST(test_turning_near_miss),
        TEST(test_descents), TEST(test_always),          TEST(test_witness),
        TEST(test_static),   TEST(test_dependent_joint), TEST(test_other_reasons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
