/* The cell of a live server and its simulated controller: stops as the published system has them, jogs and moves within
 * limits, what would touch, and parts that a program holds. */
#include <math.h>

#include "../../live/simulator.h"
#include "fixture.h"

static cp_context *context;
static struct cell cell;
static struct simulator simulator;

static void open_sample(const char *name)
{
    char path[500];
    cp_scene *scene;
    (void)snprintf(path, sizeof path, SAMPLES "/%s", name);
    assert_int_equal(cp_read(context, path, NULL, NULL, 0, &scene), CP_OK);
    assert_int_equal(cell_open(context, scene, &cell), CP_OK);
    assert_int_equal(simulator_open(&simulator, &cell, "Arm", NULL), CP_OK);
    cp_report_clear(context);
}

static int set_up(void **state)
{
    int failed = make_context(state);
    context = *state;
    return failed;
}

static int tear_down(void **state)
{
    simulator_close(&simulator);
    cell_close(&cell);
    return free_context(state);
}

static uint32_t node_named(const char *name)
{
    for (uint32_t i = 0; i < cell.node_count; i++)
        if (strcmp(cell.nodes[i].name, name) == 0)
            return i;
    fail_msg("no node %s", name);
    return 0;
}

static void load(const char *text)
{
    cp_status status = simulator_load(&simulator, "test.prg", text, strlen(text));
    if (status != CP_OK)
        show_report(context);
    assert_int_equal(status, CP_OK);
}

static enum simulator_end run_to_end(uint32_t *steps)
{
    enum simulator_end end;
    *steps = 0;
    do {
        end = simulator_step(&simulator);
        ++*steps;
    } while (end == SIMULATOR_GOES_ON && *steps < 100000);
    return end;
}

/* How far the tool has gone, in mm. */
static double way_from(const cp_pose *start)
{
    const double *now = cell.worlds[simulator.options.frame].m;
    return 1000 * sqrt(pow(now[3] - start->m[3], 2) + pow(now[7] - start->m[7], 2) + pow(now[11] - start->m[11], 2));
}

/* A way of 203.3 mm, 100 mm/s2, 50 mm/s, steps of 0.1 s: an emergency in step 10 leaves the tool at 37.5 mm, a stop
 * lets it come to 203.3 mm, and the next line does not begin (case 2 of the published stops). */
static void test_stops(void **state)
{
    (void)state;
    static const char text[] = "SPEED 50, 100\nIMOV 0, 0, -203.3\nIMOV 0, 0, 50\nEND\n";
    uint32_t steps;
    open_sample("demo.wu");
    simulator.options.period = 0.1;
    const cp_pose start = cell.worlds[simulator.options.frame];
    load(text);
    for (int emergency = 1; emergency >= 0; emergency--) {
        assert_int_equal(simulator_run(&simulator), CP_OK);
        assert_true(way_from(&start) < 300);
        const cp_pose begin = cell.worlds[simulator.options.frame];
        for (int i = 0; i < 9; i++)
            assert_int_equal(simulator_step(&simulator), SIMULATOR_GOES_ON);
        if (emergency)
            simulator_emergency(&simulator);
        else
            simulator_stop(&simulator);
        enum simulator_end end = run_to_end(&steps);
        assert_int_equal(end, emergency ? SIMULATOR_ENDED : SIMULATOR_STOPPED);
        assert_true(fabs(way_from(&begin) - (emergency ? 37.5 : 203.3)) < 1e-6);
        if (emergency) { /* back to the beginning, for the other one */
            double home[64];
            for (uint32_t i = 0; i < cell.joint_count; i++)
                home[i] = cell.joints[i].q;
            assert_int_equal(cell_go(&cell, home), CP_OK);
        }
    }
    /* and on, upwards by 50 mm */
    assert_int_equal(simulator_continue(&simulator), CP_OK);
    assert_int_equal(run_to_end(&steps), SIMULATOR_ENDED);
    assert_true(fabs(way_from(&start) - 153.3) < 1e-6);
    assert_int_equal(simulator_continue(&simulator), CP_NO);
}

/* The gripper is about a part at first, so that the arm cannot turn. Lifts it. */
static void lift(void)
{
    uint32_t steps;
    load("IMOV 0, 0, 150\nEND\n");
    assert_int_equal(simulator_run(&simulator), CP_OK);
    assert_int_equal(run_to_end(&steps), SIMULATOR_ENDED);
}

static void test_jog(void **state)
{
    (void)state;
    open_sample("demo.wu");
    assert_int_equal(simulator_jog(&simulator, cell_joint(&cell, "Arm.J1"), 0.2), CP_OK);
    uint32_t steps;
    assert_int_equal(run_to_end(&steps), SIMULATOR_FAILED);
    assert_string_equal(simulator.why, "near: Arm.Gripper.RightFinger and Part would touch");
    assert_int_equal(simulator_jog(&simulator, cell_joint(&cell, "Arm.J1"), 0.2), CP_NO);
    assert_string_equal(simulator.why, "near: Arm.Gripper.RightFinger and Part would touch");
    lift();
    const uint32_t joint = cell_joint(&cell, "Arm.J1");
    assert_true(joint != CP_NONE);
    const double before = cell.q[joint];
    assert_int_equal(simulator_jog(&simulator, joint, 0.2), CP_OK);
    for (int i = 0; i < 50; i++)
        if (simulator_step(&simulator) != SIMULATOR_GOES_ON)
            fail_msg("step %d: %s", i, simulator.why);
    assert_true(fabs(cell.q[joint] - before - 0.1) < 1e-12);
    assert_int_equal(simulator_jog(&simulator, joint, 5), CP_NO);
    assert_string_equal(simulator.why, "limits");
    assert_int_equal(simulator_jog(&simulator, joint, NAN), CP_NO);
    /* to the limit, and no further */
    assert_int_equal(simulator_jog(&simulator, joint, SIMULATOR_TURN), CP_OK);
    enum simulator_end end = SIMULATOR_GOES_ON;
    for (int i = 0; i < 1000 && end == SIMULATOR_GOES_ON; i++)
        end = simulator_step(&simulator);
    if (end == SIMULATOR_GOES_ON)
        assert_true(fabs(cell.q[joint] - cell.joints[joint].upper) < 1e-12);
    else
        assert_non_null(strstr(simulator.why, "would touch"));
}

/* The arm goes down to the table: it stops before it touches, and says what. */
static void test_near(void **state)
{
    (void)state;
    open_sample("demo.wu");
    const uint32_t joint = cell_joint(&cell, "Arm.J2");
    const struct near_pair *pairs;
    uint32_t count;
    assert_int_equal(cell_near(&cell, 0, &pairs, &count), CP_OK);
    assert_int_equal(count, 0); /* parts on the table rest */
    double q[64];
    memcpy(q, cell.q, cell.joint_count * sizeof *q);
    q[joint] = cell.joints[joint].upper;
    assert_int_equal(simulator_move(&simulator, q, 1), CP_OK);
    uint32_t steps;
    assert_int_equal(run_to_end(&steps), SIMULATOR_FAILED);
    assert_non_null(strstr(simulator.why, "would touch"));
    assert_int_equal(cell_near(&cell, 0, &pairs, &count), CP_OK);
    assert_int_equal(count, 0);
    assert_int_equal(cell_near(&cell, 0.05, &pairs, &count), CP_OK);
    assert_true(count > 0 && pairs[0].distance > 0 && pairs[0].distance <= 0.05);
}

static void test_move(void **state)
{
    (void)state;
    open_sample("demo.wu");
    lift();
    const uint32_t joint = cell_joint(&cell, "Arm.J1");
    double q[64];
    uint32_t steps;
    memcpy(q, cell.q, cell.joint_count * sizeof *q);
    q[joint] += 0.3;
    assert_int_equal(simulator_move(&simulator, q, 0.5), CP_OK);
    double fastest = 0, before = cell.q[joint];
    enum simulator_end end;
    for (steps = 0; (end = simulator_step(&simulator)) == SIMULATOR_GOES_ON; steps++) {
        fastest = fmax(fastest, fabs(cell.q[joint] - before) / SIMULATOR_PERIOD);
        before = cell.q[joint];
    }
    assert_int_equal(end, SIMULATOR_ENDED);
    assert_true(fabs(cell.q[joint] - q[joint]) < 1e-15);
    assert_true(fastest <= 0.5 * SIMULATOR_TURN * 1.0001 && fastest > 0.4 * SIMULATOR_TURN);
    q[joint] = 100;
    assert_int_equal(simulator_move(&simulator, q, 0.5), CP_NO);
    q[joint] = NAN;
    assert_int_equal(simulator_move(&simulator, q, 0.5), CP_NO);
    q[joint] = 0;
    assert_int_equal(simulator_move(&simulator, q, 0), CP_NO);
    assert_int_equal(simulator_move(&simulator, q, NAN), CP_NO);
}

/* A part that the program has grabbed touches the gripper and is no collision, rests where it is put down, and stays
 * with the tool when somebody jogs after an emergency. */
static void test_holding(void **state)
{
    (void)state;
    static const char text[] = "LMOV 463.2, 223.7, 490\nLMOV 463.2, 223.7, 410\nHANDLE CLOSE Part\nIMOV 0, 0, 80\n"
                               "IMOV 0, -200, 0\nIMOV 0, 0, -80\nHANDLE OPEN\nIMOV 0, 0, 80\nEND\n";
    open_sample("demo.wu");
    const uint32_t part = node_named("Part"), tool = simulator.options.frame;
    const cp_pose first = cell.worlds[part];
    const struct near_pair *pairs;
    uint32_t count, held = 0, steps = 0;
    load(text);
    assert_int_equal(simulator_run(&simulator), CP_OK);
    enum simulator_end end;
    while ((end = simulator_step(&simulator)) == SIMULATOR_GOES_ON && steps++ < 5000) {
        held += cell_is_held(&cell, part);
        if (held == 0 || cell_is_held(&cell, part) || steps % 10 == 0) {
            assert_int_equal(cell_near(&cell, 0, &pairs, &count), CP_OK);
            if (count > 0 && !(strcmp(pairs[0].first, "TableTop") == 0))
                fail_msg("step %u: %s and %s touch", (unsigned)steps, pairs[0].first, pairs[0].second);
        }
    }
    assert_int_equal(end, SIMULATOR_ENDED);
    assert_true(held > 100);
    assert_true(fabs(first.m[7] - 0.2 - cell.worlds[part].m[7]) < 1e-9 &&
                fabs(first.m[11] - cell.worlds[part].m[11]) < 1e-9);
    assert_int_equal(cell_near(&cell, 0, &pairs, &count), CP_OK);
    assert_int_equal(count, 0);
    /* again and again: where it was put down last counts, and no place is noted twice */
    const uint32_t noted = cell.resting_count;
    assert_int_equal(simulator_run(&simulator), CP_OK);
    assert_int_equal(run_to_end(&steps), SIMULATOR_ENDED);
    assert_int_equal(cell.resting_count, noted);
    /* once more, with an emergency while the part is up */
    assert_int_equal(simulator_run(&simulator), CP_OK);
    while (simulator_step(&simulator) == SIMULATOR_GOES_ON)
        if (cell_is_held(&cell, part) && cell.worlds[part].m[11] > first.m[11] + 0.05)
            simulator_emergency(&simulator);
    assert_true(cell_is_held(&cell, part));
    double distance[2];
    for (int k = 0; k < 2; k++) {
        const double *a = cell.worlds[part].m, *b = cell.worlds[tool].m;
        distance[k] = sqrt(pow(a[3] - b[3], 2) + pow(a[7] - b[7], 2) + pow(a[11] - b[11], 2));
        assert_int_equal(simulator_jog(&simulator, cell_joint(&cell, "Arm.J1"), 0.5), CP_OK);
        for (int i = 0; i < 20 && k == 0; i++)
            assert_int_equal(simulator_step(&simulator), SIMULATOR_GOES_ON);
    }
    assert_true(fabs(distance[0] - distance[1]) < 1e-9);
}

/* Programs with errors, without an end, and none. */
static void test_bad_programs(void **state)
{
    (void)state;
    open_sample("demo.wu");
    uint32_t steps;
    assert_int_equal(simulator_run(&simulator), CP_NO);
    assert_int_equal(simulator_load(&simulator, "bad.prg", "LMOV 1\nFLY 3\n", 13), CP_INPUT);
    cp_report_clear(context);
    assert_int_equal(simulator_run(&simulator), CP_NO);
    load("LMOV 463.2, 223.7, 4100\nEND\n");
    assert_int_equal(simulator_run(&simulator), CP_OK);
    assert_int_equal(run_to_end(&steps), SIMULATOR_FAILED);
    assert_memory_equal(simulator.why, "line 1: ", 8);
    load("A = 1\nagain: A = A + 1\nGOTO again\n");
    assert_int_equal(simulator_run(&simulator), CP_OK);
    assert_int_equal(run_to_end(&steps), SIMULATOR_FAILED);
    assert_non_null(strstr(simulator.why, "endless loop"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_stops, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_jog, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_near, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_move, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_holding, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bad_programs, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
