/* exclude on machines with loops: what it calls never or always must be so at closed poses all over the joints' limits.
 * The poses are the solver's (test_closure has its numbers); whether bodies meet there is the collider's word. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "pose.h"
#include "scene_fixture.h"

static uint64_t random_state = 1;

static double random_number(double lower, double upper)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return lower + (upper - lower) * (double)(random_state >> 11) * 0x1p-53;
}

/* Driven joints near a common place between their limits, since legs of very different lengths do not close. */
static void random_pose(double *q)
{
    double part = random_number(0.1, 0.9);
    for (uint32_t i = 0; i < scene->joint_count; i++) {
        const cp_joint *joint = &scene->joints[i];
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

static void check_machine(const char *name)
{
    char path[400];
    (void)snprintf(path, sizeof path, SAMPLES "/mechanisms/%s.dcw", name);
    cp_scene_free(scene);
    assert_int_equal(cp_read(context, path, NULL, NULL, 0, &scene), CP_OK);
    assert_int_equal(cp_apply(context, scene, "exclude", NULL, 0), CP_OK);
    cp_mechanism *mechanism;
    cp_collider *collider;
    assert_int_equal(cp_mechanism_new(context, scene, &mechanism), CP_OK);
    assert_int_equal(cp_collider_new(context, scene, CP_TOUCH, true, &collider), CP_OK);
    double *q = calloc(scene->joint_count, sizeof *q);
    cp_pose *worlds = calloc(scene->node_count, sizeof *worlds);
    assert_non_null(q);
    assert_non_null(worlds);
    uint32_t closed = 0, checks = 0, tries = getenv("CELLPIPE_LONG") ? 2000 : 60;
    for (uint32_t pose = 0; pose < tries; pose++) {
        const cp_contact *contacts;
        uint32_t count;
        random_pose(q);
        if (cp_mechanism_poses(mechanism, q, worlds) != CP_OK)
            continue;
        closed++;
        assert_int_equal(cp_collide(collider, worlds, 0, &contacts, &count), CP_OK);
        for (uint32_t i = 0; i < scene->pair_count; i++) {
            const cp_pair *pair = &scene->pairs[i];
            const bool never = strcmp(pair->reason, "never-proved") == 0,
                       always = strcmp(pair->reason, "always-proved") == 0;
            if (pair->verdict != CP_PAIR_EXCLUDED || !(never || always))
                continue;
            checks++;
            if (has_contact(contacts, count, pair) != always)
                fail_msg("%s: \"%s\" and \"%s\" are %s, but not at pose %u", name, scene->nodes[pair->first].name,
                         scene->nodes[pair->second].name, pair->reason, (unsigned)pose);
        }
    }
    print_message("%s: %u of %u poses close, %u checks\n", name, (unsigned)closed, (unsigned)tries, (unsigned)checks);
    assert_true(closed > tries / 4 && checks > 0);
    free(q);
    free(worlds);
    cp_collider_free(collider);
    cp_mechanism_free(mechanism);
}

static void test_machines(void **unused)
{
    (void)unused;
    check_machine("hexapod");
    check_machine("flexapod");
    check_machine("exechon");
    check_machine("gantry_tau");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_machines, set_up, tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
