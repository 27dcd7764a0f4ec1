/* Pairs of a hexapod, whose joint values follow from the platform's pose in closed form: so neither the poses nor the
 * distances here are the library's. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/fixture.h"
#include "../unit/plain_numbers.h"
#include "check.h"
#include "model/model.h"

enum { LEGS = 6 };

static cp_context *context;
static cp_scene *scene;
static struct check check;
static double values[64];
static cp_pose worlds[64];

static int set_up(void **unused)
{
    (void)unused;
    context = cp_context_new(NULL);
    if (!context || cp_read(context, SAMPLES "/mechanisms/hexapod.dcw", NULL, NULL, 0, &scene) != CP_OK)
        return 1;
    const bool ready = cp_apply(context, scene, "exclude", NULL, 0) == CP_OK;
    return ready && check_begin(&check, context, scene) == CP_OK ? 0 : 1;
}

static int tear_down(void **unused)
{
    (void)unused;
    check_end(&check);
    cp_scene_free(scene);
    cp_context_free(context);
    return 0;
}

/* ---- poses ---- */

/* All frames at the joint values, whether or not loops close there. */
static void place_frames(void)
{
    uint32_t count;
    const cp_node *nodes = cp_nodes(scene, &count);
    const cp_joint *joints = cp_joints(scene, &(uint32_t){0});
    assert_true(count <= 64 && check.joint_count <= 64);
    for (uint32_t i = 0; i < count; i++) {
        worlds[i] = i == 0 ? POSE_IDENTITY : pose_multiply(&worlds[nodes[i].parent], &nodes[i].local);
        for (uint32_t k = nodes[i].first_joint; k < nodes[i].first_joint + nodes[i].joint_count; k++) {
            const double *axis = joints[k].axis, value = values[k];
            cp_pose motion = joints[k].type == CP_JOINT_REVOLUTE
                                 ? pose_rotation(axis, value)
                                 : pose_translation(value * axis[0], value * axis[1], value * axis[2]);
            worlds[i] = pose_multiply(&worlds[i], &motion);
        }
    }
}

static double *value_of(const char *format, int leg)
{
    char name[20];
    plain_snprintf(name, sizeof name, format, leg + 1);
    return &values[find_joint(scene, name)];
}

/* In the node's frame: a leg's lower end of the base, or its upper one of the platform. */
static void find_ends(int leg, double lower[3], double upper[3])
{
    const cp_node *nodes = cp_nodes(scene, &(uint32_t){0});
    const cp_loop *loops = cp_loops(scene, &(uint32_t){0});
    char name[20];
    plain_snprintf(name, sizeof name, "tube %d", leg + 1);
    const cp_node *tube = &nodes[find_node(scene, name)], *platform = &nodes[find_node(scene, "platform")];
    for (int k = 0; k < 3; k++) {
        lower[k] = tube->local.m[4 * k + 3];
        upper[k] = leg == 0 ? -platform->local.m[4 * k + 3] : loops[leg - 1].poses[1].m[4 * k + 3];
    }
}

/* Sets the values of all joints at which the platform is there. False if a leg would have to leave its stroke. */
static bool take_platform(const cp_pose *platform)
{
    const double rest = 0.3765, stroke = 0.06;
    for (int leg = 0; leg < LEGS; leg++) {
        double lower[3], upper[3], way[3], square = 0;
        find_ends(leg, lower, upper);
        for (int k = 0; k < 3; k++) {
            const double *row = &platform->m[4 * k];
            way[k] = row[0] * upper[0] + row[1] * upper[1] + row[2] * upper[2] + row[3] - lower[k];
            square += way[k] * way[k];
        }
        const double length = sqrt(square), about_x = atan2(-way[1], way[2]), about_y = asin(way[0] / length);
        *value_of("J%d", leg) = length - rest;
        *value_of("tube %d x", leg) = about_x;
        *value_of("tube %d y", leg) = about_y;
        if (!(fabs(length - rest) <= stroke))
            return false;
        if (leg > 0)
            continue;
        cp_pose one = pose_rotation((double[]){1, 0, 0}, about_x), two = pose_rotation((double[]){0, 1, 0}, about_y);
        cp_pose tube = pose_multiply(&one, &two), back;
        assert_true(pose_inverse(&tube, &back));
        cp_pose wrist = pose_multiply(&back, platform);
        *value_of("wrist x", leg) = atan2(-wrist.m[6], wrist.m[10]);
        *value_of("wrist y", leg) = asin(wrist.m[2]);
        *value_of("wrist z", leg) = atan2(-wrist.m[1], wrist.m[0]);
    }
    return true;
}

/* Metres, of the frames as they are placed. */
static double widest_gap(void)
{
    uint32_t count;
    const cp_loop *loops = cp_loops(scene, &count);
    double widest = 0;
    assert_int_equal(count, LEGS - 1);
    for (uint32_t i = 0; i < count; i++) {
        double square = 0;
        cp_pose ends[2];
        for (int side = 0; side < 2; side++)
            ends[side] = pose_multiply(&worlds[loops[i].nodes[side]], &loops[i].poses[side]);
        for (int k = 0; k < 3; k++)
            square += pow(ends[0].m[4 * k + 3] - ends[1].m[4 * k + 3], 2);
        widest = fmax(widest, sqrt(square));
    }
    return widest;
}

static double distance_of(const cp_pair *pair)
{
    cp_pose back;
    assert_true(pose_inverse(&worlds[pair->first], &back));
    const cp_pose placed = pose_multiply(&back, &worlds[pair->second]);
    return solids_distance(&check.solids[pair->first], &check.solids[pair->second], &placed, INFINITY);
}

/* ---- tests ---- */

static bool is(const cp_pair *pair, const char *reason)
{
    return strcmp(pair->reason, reason) == 0;
}

/* Checks in random places of the platform that what is said of each pair is so, and that a pair which touches is known
 * to. */
static void test_random_places(void **unused)
{
    (void)unused;
    enum { PLACES = 100 };
    uint32_t pair_count, closed = 0, touching = 0;
    const cp_pair *pairs = cp_pairs(scene, &pair_count);
    bool *touched = calloc(pair_count, sizeof *touched);
    assert_non_null(touched);
    cp_pose home;
    for (uint32_t i = 0; i < check.joint_count; i++)
        values[i] = cp_joints(scene, &(uint32_t){0})[i].q;
    place_frames();
    assert_true(widest_gap() < 1e-9);
    home = worlds[find_node(scene, "platform")];
    while (closed < PLACES) {
        cp_pose by =
            pose_translation(random_number(-0.02, 0.02), random_number(-0.02, 0.02), random_number(-0.04, 0.04));
        cp_pose platform = pose_multiply(&by, &home);
        for (int axis = 0; axis < 3; axis++) {
            cp_pose turned = pose_rotation_degrees(axis, random_number(-8, 8));
            platform = pose_multiply(&platform, &turned);
        }
        if (!take_platform(&platform))
            continue;
        place_frames();
        assert_true(widest_gap() < 1e-12);
        closed++;
        for (uint32_t i = 0; i < pair_count; i++) {
            const bool touch = distance_of(&pairs[i]) <= TOUCH;
            touched[i] = touched[i] || touch;
            if (touch ? is(&pairs[i], "never-proved") : is(&pairs[i], "always-proved"))
                fail_msg("\"%s\" and \"%s\" are not %s", cp_nodes(scene, &(uint32_t){0})[pairs[i].first].name,
                         cp_nodes(scene, &(uint32_t){0})[pairs[i].second].name, pairs[i].reason);
        }
    }
    for (uint32_t i = 0; i < pair_count; i++) {
        touching += touched[i];
        assert_false(touched[i] && is(&pairs[i], "undecided"));
    }
    assert_true(touching >= 18);
    free(touched);
}

/* Checks that the loops close where a witness says, and that the two touch there. */
static void test_witnesses(void **unused)
{
    (void)unused;
    double q[64];
    uint32_t pair_count, witnesses = 0;
    const cp_pair *pairs = cp_pairs(scene, &pair_count);
    const cp_joint *joints = cp_joints(scene, &(uint32_t){0});
    for (uint32_t i = 0; i < pair_count; i++) {
        if (!is(&pairs[i], "sometimes"))
            continue;
        const cp_finding *finding = pairs[i].finding;
        witnesses++;
        assert_int_equal(finding->witness_count, LEGS);
        for (uint32_t k = 0; k < check.joint_count; k++)
            q[k] = joints[k].q;
        for (uint32_t k = 0; k < LEGS; k++) {
            const cp_joint_setting *it = &finding->witness[k];
            assert_true(joints[it->joint].driven && fabs(it->value) <= 0.06);
            q[it->joint] = it->value;
        }
        assert_int_equal(cp_mechanism_values(check.mechanism, NULL, values), CP_OK);
        assert_int_equal(cp_mechanism_values(check.mechanism, q, values), CP_OK);
        place_frames();
        assert_true(widest_gap() < 1e-9);
        assert_true(distance_of(&pairs[i]) <= TOUCH);
        /* The same legs, by the platform's pose. */
        const cp_pose platform = worlds[find_node(scene, "platform")];
        assert_true(take_platform(&platform));
        for (uint32_t k = 0; k < LEGS; k++)
            assert_true(fabs(values[finding->witness[k].joint] - finding->witness[k].value) < 1e-9);
    }
    print_message("%u witnesses\n", (unsigned)witnesses);
    assert_true(witnesses > 6); /* rods and their tubes touch nearly everywhere */
}

/* Each rod is a neighbour of the platform: one in the tree, five by a loop. */
static void test_neighbours(void **unused)
{
    (void)unused;
    size_t count, warnings = 0;
    const cp_entry *entries = cp_report(context, &count);
    for (size_t i = 0; i < count; i++) {
        assert_string_not_equal(entries[i].code, "always-not-neighbours");
        warnings += strcmp(entries[i].code, "exclude-sampled") == 0;
    }
    assert_int_equal(warnings, LEGS - 1);
}

/* A proof takes the loops' joints as free: where these let two bodies meet, no work brings one about. */
static void test_work(void **unused)
{
    (void)unused;
    uint32_t pair_count;
    const cp_pair *pairs = cp_pairs(scene, &pair_count);
    uint64_t work = 0;
    for (uint32_t i = 0; i < pair_count; i++)
        work += pairs[i].finding->work;
    print_message("%llu bounds\n", (unsigned long long)work);
    assert_true(work < 200000); /* what one pair may take */
}

int main(void)
{
    random_state = 6;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_places), cmocka_unit_test(test_witnesses),
                                       cmocka_unit_test(test_neighbours), cmocka_unit_test(test_work)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
