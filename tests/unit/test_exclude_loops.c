/* exclude on machines with loops: what it calls never or always must be so at closed poses all over the joints' limits.
 * The poses are the solver's (test_closure has its numbers); whether bodies meet there is the collider's word. */
#include <math.h>

#include "scene_fixture.h"

/* Driven joints near a common place between their limits, since legs of very different lengths do not close. */
static void random_pose(double *q)
{
    double part = random_number(0.1, 0.9);
    for (uint32_t i = 0; i < count_joints(scene); i++) {
        const cp_joint *joint = &cp_joints(scene, NULL)[i];
        q[i] = joint->q;
        if (joint->driven && isfinite(joint->lower) && isfinite(joint->upper)) {
            double here = part + random_number(-0.1, 0.1);
            q[i] = joint->lower + here * (joint->upper - joint->lower);
        }
    }
}

static bool has_contact(const cp_contact *contacts, uint32_t count, const cp_pair *pair)
{
    for (uint32_t i = 0; i < count; i++)
        if ((contacts[i].first == pair->first && contacts[i].second == pair->second) ||
            (contacts[i].first == pair->second && contacts[i].second == pair->first))
            return contacts[i].distance == 0;
    return false;
}

/* What a loop's two frames are apart, metres, by their places alone. */
static double gap_of(const cp_loop *loop, const cp_pose *worlds)
{
    cp_pose ends[2];
    double square = 0;
    for (int side = 0; side < 2; side++)
        ends[side] = plain_product(&worlds[loop->nodes[side]], &loop->poses[side]);
    if (loop->type == CP_LOOP_CYLINDRICAL || loop->type == CP_LOOP_PRISMATIC)
        return 0;
    for (int i = 0; i < 3; i++)
        square += pow(ends[0].m[4 * i + 3] - ends[1].m[4 * i + 3], 2);
    return loop->type == CP_LOOP_DISTANCE ? fabs(sqrt(square) - loop->length) : sqrt(square);
}

/* A witness tells driven joints, at which the loops close and the two collide. How many pairs have one. */
static uint32_t check_witnesses(cp_mechanism *mechanism, cp_collider *collider)
{
    double *q = calloc(count_joints(scene), sizeof *q);
    cp_pose *worlds = calloc(count_nodes(scene), sizeof *worlds);
    uint32_t witnesses = 0;
    assert_true(q && worlds);
    for (uint32_t i = 0; i < count_pairs(scene); i++) {
        const cp_pair *pair = &cp_pairs(scene, NULL)[i];
        const cp_contact *contacts;
        uint32_t count;
        if (strcmp(pair->reason, "sometimes") != 0)
            continue;
        witnesses++;
        for (uint32_t k = 0; k < count_joints(scene); k++)
            q[k] = cp_joints(scene, NULL)[k].q;
        assert_true(pair->finding->witness_count > 0);
        for (uint32_t k = 0; k < pair->finding->witness_count; k++) {
            assert_true(cp_joints(scene, NULL)[pair->finding->witness[k].joint].driven);
            q[pair->finding->witness[k].joint] = pair->finding->witness[k].value;
        }
        assert_int_equal(cp_mechanism_poses(mechanism, NULL, worlds), CP_OK);
        assert_int_equal(cp_mechanism_poses(mechanism, q, worlds), CP_OK);
        for (uint32_t k = 0; k < count_loops(scene); k++)
            assert_true(gap_of(&cp_loops(scene, NULL)[k], worlds) < 1e-5);
        assert_int_equal(cp_collide(collider, worlds, 0, &contacts, &count), CP_OK);
        assert_true(has_contact(contacts, count, pair));
    }
    free(q);
    free(worlds);
    return witnesses;
}

static void add_free_joint(uint32_t node)
{
    cp_joint joint = cp_new_joint();
    joint.node = node;
    joint.driven = false;
    assert_int_not_equal(cp_add_joint(scene, &joint), CP_NONE);
}

/* Gives a joint of the scene other limits. */
static void limit_joint(uint32_t joint, double lower, double upper)
{
    struct draft draft = draft_of(scene);
    draft.joints[joint].lower = lower;
    draft.joints[joint].upper = upper;
    change_scene(&draft);
}

/* A parallelogram in the plane z = 0: two cranks of 0.1 m at x = 0 and 0.3, the first one driven by 60 degrees each way
 * from y. The coupler, 0.01 m thick, always lies along x at a height of 0.1 cos(angle), from x = -0.1 sin(angle) to
 * 0.3 - 0.1 sin(angle). If the loop were open, it would sweep all within 0.3 m of the crank's end. The post is a cube
 * of a size; what else collides besides it and the coupler is the caller's choice. */
static void make_linkage(double x, double y, double size, bool crank_collides, bool rocker_collides)
{
    const cp_pose middle = plain_translation(0.15, 0, 0), above = plain_translation(0, 0.1, 0);
    const cp_pose beside = plain_translation(0.3, 0, 0), place = plain_translation(x, y, 0);
    fresh_scene();
    uint32_t box = add_mesh_of(scene, &(cp_mesh){.kind = CP_MESH_BOX, .size = {0.3, 0.01, 0.01}});
    uint32_t cube = add_mesh_of(scene, &(cp_mesh){.kind = CP_MESH_BOX, .size = {size, size, size}});
    uint32_t crank = add_node_at(scene, 0, "Crank", NULL);
    (void)add_limited_joint(scene, crank, CP_JOINT_REVOLUTE, NULL, -PI / 3, PI / 3);
    uint32_t coupler = add_node_at(scene, crank, "Coupler", &above);
    add_free_joint(coupler);
    uint32_t rocker = add_node_at(scene, 0, "Rocker", &beside);
    add_free_joint(rocker);
    uint32_t post = add_node_at(scene, 0, "Post", &place);
    if (crank_collides)
        (void)add_instance_of(scene, crank, box, CP_USE_BOTH, NULL);
    (void)add_instance_of(scene, coupler, box, CP_USE_BOTH, &middle);
    if (rocker_collides)
        (void)add_instance_of(scene, rocker, box, CP_USE_BOTH, NULL);
    (void)add_instance_of(scene, post, cube, CP_USE_BOTH, NULL);
    (void)add_loop_of(scene, CP_LOOP_REVOLUTE, coupler, beside, rocker, above, 0);
    finish_scene();
}

static void make_parallelogram(double x, double y)
{
    make_linkage(x, y, 0.01, false, false);
}

static void test_parallelogram(void **unused)
{
    (void)unused;
    /* Heights are 0.05 to 0.1, less and more half the thickness of both: 0.04 to 0.11. */
    static const struct {
        double x, y;
        const char *reason;
    } cases[] = {{0.15, 0.2, "undecided"},  {0.15, 0.112, "undecided"}, {0.15, 0.038, "undecided"},
                 {0.15, 0.1, "sometimes"},  {0.15, 0.05, "sometimes"},  {0.3, 0.06, "sometimes"},
                 {-0.11, 0.1, "undecided"}, {0.15, -0.05, "undecided"}, {0.15, 0.5, "never-proved"},
                 {0.15, 0.075, "sometimes"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (unsigned threads = 1; threads < 4; threads += 2) {
            make_parallelogram(cases[i].x, cases[i].y);
            cp_set_threads(context, threads);
            assert_int_equal(cp_apply(context, scene, "exclude", NULL, 0), CP_OK);
            assert_int_equal(count_pairs(scene), 1);
            print_message("post at %g %g\n", cases[i].x, cases[i].y);
            assert_string_equal(cp_pairs(scene, NULL)[0].reason, cases[i].reason);
            const cp_finding *finding = cp_pairs(scene, NULL)[0].finding;
            assert_int_equal(finding->witness_count, strcmp(cases[i].reason, "sometimes") == 0);
            if (finding->witness_count == 0)
                continue;
            assert_string_equal(cp_joints(scene, NULL)[finding->witness[0].joint].name, "Crank");
            double angle = finding->witness[0].value;
            assert_true(fabs(angle) <= PI / 3 + 1e-9);
            assert_true(fabs(0.1 * cos(angle) - cases[i].y) <= 0.01 + 1e-5);
            assert_true(cases[i].x + 0.005 > -0.1 * sin(angle) - 1e-5 &&
                        cases[i].x - 0.005 < 0.3 - 0.1 * sin(angle) + 1e-5);
        }
        /* Samples of loops are no proof for others' motions, whatever is allowed. */
        static const char *const allowing[] = {"allow-sampled=yes"};
        make_parallelogram(cases[i].x, cases[i].y);
        assert_int_equal(cp_apply(context, scene, "exclude", allowing, 1), CP_OK);
        assert_string_equal(cp_pairs(scene, NULL)[0].reason, cases[i].reason);
    }
}

/* The coupler turns against the crank by as much as the crank against the ground: a limit of the free joint is one of
 * the driven one. At a height of 0.05 the crank is at 60 degrees, or nearly so. */
static void test_free_limits(void **unused)
{
    (void)unused;
    static const double limits[] = {PI / 6, PI / 2};
    for (int i = 0; i < 2; i++) {
        make_parallelogram(0.15, 0.05);
        limit_joint(1, -limits[i], limits[i]);
        assert_int_equal(cp_apply(context, scene, "exclude", NULL, 0), CP_OK);
        assert_string_equal(cp_pairs(scene, NULL)[0].reason, i == 0 ? "undecided" : "sometimes");
    }
}

/* The crank turns all round, over the poses at 90 degrees in which all pins are in a line. */
static void test_whole_turn(void **unused)
{
    (void)unused;
    for (int i = 0; i < 8; i++) {
        const double turned = (i + 0.5) * PI / 4;
        make_parallelogram(0.15 - 0.1 * sin(turned), 0.1 * cos(turned));
        limit_joint(0, -PI, PI);
        assert_int_equal(cp_apply(context, scene, "exclude", NULL, 0), CP_OK);
        assert_string_equal(cp_pairs(scene, NULL)[0].reason, "sometimes");
        const double angle = cp_pairs(scene, NULL)[0].finding->witness[0].value;
        assert_true(fabs(0.1 * cos(angle) - 0.1 * cos(turned)) <= 0.01 + 1e-5);
    }
}

/* A block around all of it always touches the coupler. They are neighbours unless both ways from one to the other, over
 * the crank and over the loop and the rocker, lead through what can collide. */
static void test_neighbours(void **unused)
{
    (void)unused;
    for (int i = 0; i < 4; i++) {
        const bool crank = i % 2, rocker = i / 2;
        make_linkage(0, 0, 9, crank, rocker);
        cp_report_clear(context);
        assert_int_equal(cp_apply(context, scene, "exclude", NULL, 0), CP_OK);
        uint32_t always = 0;
        for (uint32_t k = 0; k < count_pairs(scene); k++)
            always += strcmp(cp_pairs(scene, NULL)[k].reason, "always-proved") == 0;
        assert_true(always >= 1U + crank + rocker);
        assert_int_equal(count_entries(context, CP_WARNING, "always-not-neighbours"), crank && rocker);
    }
}

static void check_machine(const char *name)
{
    char path[400];
    (void)snprintf(path, sizeof path, SAMPLES "/mechanisms/%s.dcw", name);
    cp_scene_free(scene);
    assert_int_equal(cp_read(context, path, NULL, NULL, 0, &scene), CP_OK);
    static const char *const short_work[] = {"work=20000"};
    assert_int_equal(cp_apply(context, scene, "exclude", short_work, usual_or_long(1, 0)), CP_OK);
    cp_mechanism *mechanism;
    cp_collider *collider;
    assert_int_equal(cp_mechanism_new(context, scene, &mechanism), CP_OK);
    assert_int_equal(cp_collider_new(context, scene, CP_TOUCH, true, &collider), CP_OK);
    double *q = calloc(count_joints(scene), sizeof *q);
    cp_pose *worlds = calloc(count_nodes(scene), sizeof *worlds);
    assert_non_null(q);
    assert_non_null(worlds);
    uint32_t closed = 0, checks = 0, tries = usual_or_long(60, 2000);
    for (uint32_t pose = 0; pose < tries; pose++) {
        const cp_contact *contacts;
        uint32_t count;
        random_pose(q);
        if (cp_mechanism_poses(mechanism, q, worlds) != CP_OK)
            continue;
        closed++;
        assert_int_equal(cp_collide(collider, worlds, 0, &contacts, &count), CP_OK);
        for (uint32_t i = 0; i < count_pairs(scene); i++) {
            const cp_pair *pair = &cp_pairs(scene, NULL)[i];
            const bool never = strcmp(pair->reason, "never-proved") == 0,
                       always = strcmp(pair->reason, "always-proved") == 0;
            if (pair->verdict != CP_PAIR_EXCLUDED || !(never || always))
                continue;
            checks++;
            if (has_contact(contacts, count, pair) != always)
                fail_msg("%s: \"%s\" and \"%s\" are %s, but not at pose %u", name,
                         cp_nodes(scene, NULL)[pair->first].name, cp_nodes(scene, NULL)[pair->second].name,
                         pair->reason, (unsigned)pose);
        }
    }
    print_message("%s: %u of %u poses close, %u checks\n", name, (unsigned)closed, (unsigned)tries, (unsigned)checks);
    assert_true(closed > tries / 4 && checks > 0);
    print_message("%s: %u witnesses\n", name, (unsigned)check_witnesses(mechanism, collider));
    free(q);
    free(worlds);
    cp_collider_free(collider);
    cp_mechanism_free(mechanism);
}

static void test_machines(void **unused)
{
    (void)unused;
    check_machine("hexapod");
    if (usual_or_long(0, 1)) /* of the hexapod's kind */
        check_machine("flexapod");
    check_machine("exechon");
    check_machine("gantry_tau");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_parallelogram, set_up, tear_down),
                                       cmocka_unit_test_setup_teardown(test_free_limits, set_up, tear_down),
                                       cmocka_unit_test_setup_teardown(test_whole_turn, set_up, tear_down),
                                       cmocka_unit_test_setup_teardown(test_neighbours, set_up, tear_down),
                                       cmocka_unit_test_setup_teardown(test_machines, set_up, tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
