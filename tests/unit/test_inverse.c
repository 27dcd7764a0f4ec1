/* Inverse kinematics: four published machines and an arm against numbers of another program, random arms by way and
 * back and against a search of our own, and poses out of reach. */
#include <math.h>

#include <jansson.h>

#include "scene_fixture.h"

#define MM 1e-3

/* ---- what is asked ---- */

static void read_machine(const char *name)
{
    char path[400];
    (void)snprintf(path, sizeof path, SAMPLES "/mechanisms/%s.dcw", name);
    cp_scene_free(scene);
    if (cp_read(context, path, NULL, NULL, 0, &scene) != CP_OK) {
        show_report(context);
        fail_msg("%s cannot be read", path);
    }
}

static cp_inverse *open_inverse(uint32_t frame, uint32_t in, unsigned solve)
{
    const cp_reach reach = {.size = sizeof reach, .frame = frame, .in = in, .solve = solve, .tries = 100};
    cp_inverse *inverse;
    if (cp_inverse_new(context, scene, &reach, &inverse) != CP_OK) {
        show_report(context);
        fail_msg("there is no solver");
    }
    return inverse;
}

/* ---- against the other program ---- */

static double number_at(const json_t *array, size_t i)
{
    return json_number_value(json_array_get(array, i));
}

static json_t *load_oracle(void)
{
    json_t *oracle = json_load_file(SHARED "/reference/motion_oracle.json", 0, NULL);
    if (!oracle)
        print_message("skipped: " SHARED "/reference/motion_oracle.json is not there\n");
    return oracle;
}

static cp_pose pose_of_rows(const json_t *rows)
{
    cp_pose pose;
    for (size_t row = 0; row < 4; row++)
        for (size_t column = 0; column < 3; column++)
            pose.m[4 * column + row] = number_at(json_array_get(rows, row), column) * (row == 3 ? MM : 1);
    return pose;
}

static bool has_values(const cp_posture *posture, const uint32_t *joints, uint32_t count, const json_t *values)
{
    for (uint32_t i = 0; i < count; i++)
        if (!(fabs(posture->q[joints[i]] / MM - number_at(values, i)) <= 1e-6))
            return false;
    return true;
}

/* The nearest posture has the other program's lengths, forward is back. */
static void solve_lengths(const char *machine, const char *name)
{
    json_t *oracle = load_oracle();
    size_t i;
    const json_t *pose, *poses = json_object_get(json_object_get(oracle, name), "poses");
    if (!oracle)
        return;
    read_machine(machine);
    cp_inverse *inverse = open_inverse(find_node(scene, "platform"), find_node(scene, "base"), CP_REACH_ALL);
    cp_pose *worlds = calloc(count_nodes(scene), sizeof *worlds);
    assert_non_null(worlds);
    assert_true(json_array_size(poses) > 0);
    assert_string_equal(cp_inverse_method(inverse), "numeric");
    json_array_foreach(poses, i, pose)
    {
        const cp_posture *postures;
        uint32_t count, unknown;
        const uint32_t *joints = cp_inverse_joints(inverse, &unknown);
        cp_pose target = pose_of_rows(json_object_get(pose, "T6_row"));
        assert_int_equal(unknown, json_array_size(json_object_get(pose, "J")));
        assert_int_equal(cp_inverse_postures(inverse, &target, &postures, &count), CP_OK);
        if (!has_values(&postures[0], joints, unknown, json_object_get(pose, "J")))
            fail_msg("%s, pose %zu: J1 is %.12g", name, i, postures[0].q[joints[0]] / MM);
        assert_int_equal(cp_world_poses(context, scene, postures[0].q, worlds), CP_OK);
        for (int k = 0; k < 12; k++)
            assert_true(fabs(worlds[find_node(scene, "platform")].m[k] - target.m[k]) < 1e-8);
    }
    free(worlds);
    cp_inverse_free(inverse);
    json_decref(oracle);
}

static void test_hexapod(void **unused)
{
    (void)unused;
    solve_lengths("hexapod", "hexapod");
}

static void test_flexapod(void **unused)
{
    (void)unused;
    solve_lengths("flexapod", "flexapod6p");
}

static void expect_out_of_reach(cp_inverse *inverse, const cp_pose *target)
{
    const cp_posture *postures;
    uint32_t count;
    assert_int_equal(cp_inverse_postures(inverse, target, &postures, &count), CP_NO);
    assert_int_equal(count, 0);
    assert_string_equal(cp_report(context, &(size_t){0})->code, "no-posture");
    cp_report_clear(context);
}

/* Its platform cannot go aside; a program that only computes lengths gives some all the same. */
static void test_exechon(void **unused)
{
    (void)unused;
    solve_lengths("exechon", "exechon_parallel");
    read_machine("exechon");
    cp_inverse *inverse = open_inverse(find_node(scene, "platform"), find_node(scene, "base"), CP_REACH_ALL);
    cp_pose aside = plain_translation(100 * MM, 50 * MM, -1250 * MM), higher = plain_translation(0, 50 * MM, -1.2);
    const cp_posture *postures;
    uint32_t count;
    expect_out_of_reach(inverse, &aside);
    cp_inverse_free(inverse);
    /* Height and two tilts alone: the rest is told. */
    inverse = open_inverse(find_node(scene, "platform"), find_node(scene, "base"),
                           CP_REACH_Z | CP_REACH_PITCH | CP_REACH_YAW);
    higher.m[3] = 0.1;
    assert_int_equal(cp_inverse_postures(inverse, &higher, &postures, &count), CP_OK);
    assert_true(fabs(postures[0].rest[0] + 0.1) < 1e-9 && fabs(postures[0].rest[1]) < 1e-9);
    assert_true(postures[0].rest[2] == 0 && !postures[0].one_of_many);
    cp_inverse_free(inverse);
}

static void solve_gantry(const char *name)
{
    json_t *oracle = load_oracle();
    size_t i, number;
    const json_t *gantry = json_object_get(oracle, "gantry_tau"), *pose, *values;
    if (!oracle)
        return;
    read_machine(name);
    cp_inverse *inverse = open_inverse(find_node(scene, "platform"), find_node(scene, "base"), CP_REACH_ALL);
    assert_string_equal(cp_inverse_method(inverse), "actuators");
    json_array_foreach(json_object_get(gantry, "poses"), i, pose)
    {
        const cp_posture *postures;
        uint32_t count, unknown;
        const uint32_t *joints = cp_inverse_joints(inverse, &unknown);
        const json_t *xyz = json_object_get(pose, "xyz");
        cp_pose target = plain_translation(number_at(xyz, 0) * MM, number_at(xyz, 1) * MM, number_at(xyz, 2) * MM);
        assert_int_equal(cp_inverse_postures(inverse, &target, &postures, &count), CP_OK);
        assert_int_equal(count, 8);
        json_array_foreach(json_object_get(pose, "postures"), number, values)
        {
            assert_int_equal(postures[number].number, number);
            if (!has_values(&postures[number], joints, unknown, values))
                fail_msg("pose %zu, posture %zu: J1 is %.12g", i, number, postures[number].q[joints[0]] / MM);
        }
        assert_int_equal(number, 8);
    }
    assert_true(i > 0);
    const json_t *far = json_object_get(json_object_get(gantry, "out_of_reach"), "xyz");
    cp_pose target = plain_translation(number_at(far, 0) * MM, number_at(far, 1) * MM, number_at(far, 2) * MM);
    expect_out_of_reach(inverse, &target);
    target = plain_translation(-1.1, -0.65, -1.15);
    cp_pose tilt = plain_turn(0, 5);
    target = plain_product(&target, &tilt);
    expect_out_of_reach(inverse, &target); /* it keeps its orientation */
    cp_inverse_free(inverse);
    json_decref(oracle);
}

static void test_gantry(void **unused)
{
    (void)unused;
    solve_gantry("gantry_tau");
}

/* With further links beside the published ones, which keep the platform's orientation. */
static void test_gantry_of_six_links(void **unused)
{
    (void)unused;
    cp_mobility mobility = {.size = sizeof mobility};
    solve_gantry("gantry_tau_six");
    read_machine("gantry_tau_six");
    assert_int_equal(cp_measure_mobility(context, scene, &mobility), CP_OK);
    assert_true(mobility.joints == 9 && mobility.degrees == 3 && mobility.commanded == 3 && mobility.redundant == 0);
}

/* ---- arms ---- */

/* How far a second joint on the third link turns with the second link; 0: there is none. */
static double coupling = 0;

/* A device of six joints, each given by its axis and a point of it with all joints at zero; the end is a frame. */
static void build_arm(double axes[6][3], double points[6][3], const cp_pose *end)
{
    uint32_t parent = add_node_at(scene, 0, "base", NULL), joints[6];
    double last[3] = {0};
    for (int i = 0; i < 6; i++) {
        const cp_pose step = plain_translation(points[i][0] - last[0], points[i][1] - last[1], points[i][2] - last[2]);
        cp_joint joint = cp_new_joint(), follower = cp_new_joint();
        joint.node = follower.node = parent = add_node_at(scene, parent, "link", &step);
        memcpy(joint.axis, axes[i], sizeof joint.axis);
        memcpy(last, points[i], sizeof last);
        joint.home = joint.q = 0;
        joints[i] = cp_add_joint(scene, &joint);
        if (i == 2 && coupling != 0) {
            memcpy(follower.axis, axes[i], sizeof follower.axis);
            follower.name = "follower";
            follower.master = joints[1];
            follower.scale = coupling;
            follower.driven = false;
            assert_int_not_equal(cp_add_joint(scene, &follower), CP_NONE);
        }
    }
    cp_pose back = plain_translation(-last[0], -last[1], -last[2]), there = plain_product(&back, end);
    uint32_t tool = add_node_at(scene, parent, "tool", &there);
    (void)add_device_of(scene, "arm", 1, tool, 6, joints);
    finish_scene();
}

/* The product of the joints' motions, as a textbook has it. */
static cp_pose place_tool(const double q[6])
{
    cp_pose world = PLAIN_IDENTITY;
    for (uint32_t node = 1; node < count_nodes(scene); node++) {
        world = plain_product(&world, &cp_nodes(scene, NULL)[node].local);
        if (cp_nodes(scene, NULL)[node].joint_count == 0)
            continue;
        cp_pose turn =
            plain_rotation(cp_joints(scene, NULL)[cp_nodes(scene, NULL)[node].first_joint].axis, q[node - 2]);
        world = plain_product(&world, &turn);
    }
    return world;
}

static double pose_difference(const cp_pose *a, const cp_pose *b)
{
    double most = 0;
    for (int i = 0; i < 12; i++)
        most = fmax(most, fabs(a->m[i] - b->m[i]));
    return most;
}

static double turn_difference(const double *a, const double *b)
{
    double most = 0;
    for (int i = 0; i < 6; i++)
        most = fmax(most, fabs(remainder(a[i] - b[i], 2 * PI)));
    return most;
}

static void random_direction(double axis[3])
{
    double square;
    do {
        square = 0;
        for (int i = 0; i < 3; i++) {
            axis[i] = random_number(-1, 1);
            square += axis[i] * axis[i];
        }
    } while (square > 1 || square < 0.01);
    for (int i = 0; i < 3; i++)
        axis[i] /= sqrt(square);
}

/* One that stands at least 30 degrees off another. */
static void direction_off(const double other[3], double axis[3])
{
    double along;
    do {
        random_direction(axis);
        along = axis[0] * other[0] + axis[1] * other[1] + axis[2] * other[2];
    } while (fabs(along) > 0.866);
}

/* Axes at any angle, every second arm at right ones; parallel second and third axes, a common point of the last three.
 */
static void random_arm(bool square)
{
    double axes[6][3], points[6][3], wrist[3];
    static const double usual[6][3] = {{0, 0, 1}, {0, 1, 0}, {0, 1, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}};
    random_direction(axes[0]);
    direction_off(axes[0], axes[1]);
    memcpy(axes[2], axes[1], sizeof axes[1]);
    random_direction(axes[3]);
    direction_off(axes[3], axes[4]);
    direction_off(axes[4], axes[5]);
    if (square)
        memcpy(axes, usual, sizeof axes);
    for (int i = 0; i < 3; i++)
        wrist[i] = random_number(0.2, 1);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 3; k++)
            points[i][k] = i < 3 ? random_number(-0.5, 0.5) : wrist[k];
    for (int i = 3; i < 6; i++) { /* any point of an axis will do */
        double way = random_number(-0.3, 0.3);
        for (int k = 0; k < 3; k++)
            points[i][k] += way * axes[i][k];
    }
    cp_pose end = plain_translation(wrist[0] + 0.1, wrist[1], wrist[2] - 0.05);
    fresh_scene();
    build_arm(axes, points, &end);
}

static void random_values(double q[6])
{
    for (int i = 0; i < 6; i++)
        q[i] = random_number(-PI, PI);
}

/* Values from which the tool has got to a pose are among the postures there, and all of these place it there. */
static void test_round_trips(void **unused)
{
    (void)unused;
    const int arms = (int)usual_or_long(20, 100), poses = (int)usual_or_long(250, 1000);
    double worst = 0, most = 0;
    for (int i = 0; i < arms; i++) {
        random_arm(i % 2 == 0);
        cp_inverse *inverse = open_inverse(find_node(scene, "tool"), 0, CP_REACH_ALL);
        assert_string_equal(cp_inverse_method(inverse), "arm");
        for (int k = 0; k < poses; k++) {
            double q[6], nearest = INFINITY;
            const cp_posture *postures;
            uint32_t count;
            random_values(q);
            cp_pose target = place_tool(q);
            if (cp_inverse_postures(inverse, &target, &postures, &count) != CP_OK) {
                show_report(context);
                fail_msg("arm %d, pose %d: no posture", i, k);
            }
            for (uint32_t n = 0; n < count; n++) {
                cp_pose reached = place_tool(postures[n].q);
                worst = fmax(worst, pose_difference(&reached, &target));
                nearest = fmin(nearest, turn_difference(postures[n].q, q));
                assert_true(n == 0 || postures[n].number > postures[n - 1].number);
            }
            most = fmax(most, nearest);
            if (worst > 1e-9 || nearest > 1e-4)
                fail_msg("arm %d, pose %d: off by %g, nearest by %g rad", i, k, worst, nearest);
        }
        cp_inverse_free(inverse);
    }
    print_message("%d poses: places within %.2g m, values within %.2g rad\n", arms * poses, worst, most);
}

/* ---- a search that knows nothing of arms ---- */

static bool solve_linear(double m[6][7])
{
    for (int i = 0; i < 6; i++) {
        int pivot = i;
        for (int k = i; k < 6; k++)
            pivot = fabs(m[k][i]) > fabs(m[pivot][i]) ? k : pivot;
        for (int k = 0; k < 7; k++) {
            double other = m[i][k];
            m[i][k] = m[pivot][k];
            m[pivot][k] = other;
        }
        if (m[i][i] == 0)
            return false;
        for (int row = 0; row < 6; row++) {
            double factor = row == i ? 0 : m[row][i] / m[i][i];
            for (int k = i; k < 7; k++)
                m[row][k] -= factor * m[i][k];
        }
    }
    return true;
}

/* Gauss and Newton's steps, damped, with derivatives by differences. */
static bool search(const cp_pose *target, double q[6])
{
    for (int step = 0; step < 60; step++) {
        double rows[12], columns[6][12], normal[6][7], square = 0;
        cp_pose now = place_tool(q);
        for (int i = 0; i < 12; i++) {
            rows[i] = now.m[i] - target->m[i];
            square += rows[i] * rows[i];
        }
        if (square < 1e-24)
            return true;
        for (int c = 0; c < 6; c++) {
            double moved[6];
            memcpy(moved, q, sizeof moved);
            moved[c] += 1e-7;
            cp_pose there = place_tool(moved);
            for (int i = 0; i < 12; i++)
                columns[c][i] = (there.m[i] - now.m[i]) / 1e-7;
        }
        for (int a = 0; a < 6; a++) {
            for (int b = 0; b < 7; b++) {
                normal[a][b] = a == b ? 0.02 * square : 0;
                for (int i = 0; i < 12; i++)
                    normal[a][b] += columns[a][i] * (b < 6 ? columns[b][i] : -rows[i]);
            }
        }
        if (!solve_linear(normal))
            return false;
        for (int i = 0; i < 6; i++)
            q[i] += fmax(-0.5, fmin(0.5, normal[i][6] / normal[i][i]));
    }
    return false;
}

static void test_search(void **unused)
{
    (void)unused;
    const int arms = (int)usual_or_long(60, 1000), starts = 60;
    uint32_t found = 0, told = 0;
    for (int i = 0; i < arms; i++) {
        double q[6];
        const cp_posture *postures;
        uint32_t count, own = 0;
        double known[64][6];
        random_arm(i % 2 == 0);
        cp_inverse *inverse = open_inverse(find_node(scene, "tool"), 0, CP_REACH_ALL);
        random_values(q);
        cp_pose target = place_tool(q);
        assert_int_equal(cp_inverse_postures(inverse, &target, &postures, &count), CP_OK);
        for (int start = 0; start < starts; start++) {
            bool fresh = true, listed = false;
            random_values(q);
            if (!search(&target, q))
                continue;
            for (uint32_t n = 0; n < own; n++)
                fresh = fresh && turn_difference(known[n], q) > 1e-3;
            for (uint32_t n = 0; n < count; n++)
                listed = listed || turn_difference(postures[n].q, q) < 1e-3;
            if (!listed)
                fail_msg("arm %d: a posture is missing", i);
            if (fresh && own < 64)
                memcpy(known[own++], q, sizeof q);
        }
        found += own;
        told += count;
        cp_inverse_free(inverse);
    }
    print_message("%d arms: a search found %u postures, %u are told\n", arms, (unsigned)found, (unsigned)told);
    assert_true(found > told * 8 / 10 && found <= told);
}

/* The IRB120 by its published rows of theta, d, a and alpha. */
static void build_irb120(const json_t *rows)
{
    double axes[6][3], points[6][3];
    cp_pose frame = PLAIN_IDENTITY;
    for (size_t i = 0; i < 6; i++) {
        const json_t *row = json_array_get(rows, i);
        for (int k = 0; k < 3; k++) {
            axes[i][k] = frame.m[4 * k + 2];
            points[i][k] = frame.m[4 * k + 3];
        }
        cp_pose theta = plain_turn(2, number_at(row, 0)), alpha = plain_turn(0, number_at(row, 3));
        cp_pose shift = plain_translation(number_at(row, 2) * MM, 0, number_at(row, 1) * MM);
        frame = plain_product(&frame, &theta);
        frame = plain_product(&frame, &shift);
        frame = plain_product(&frame, &alpha);
    }
    build_arm(axes, points, &frame);
}

static void test_irb120(void **unused)
{
    (void)unused;
    json_t *oracle = load_oracle();
    size_t i;
    const json_t *irb = json_object_get(oracle, "irb120"), *one;
    if (!oracle)
        return;
    fresh_scene();
    build_irb120(json_object_get(irb, "dh_standard_theta_d_a_alpha"));
    cp_inverse *inverse = open_inverse(find_node(scene, "tool"), 0, CP_REACH_ALL);
    assert_string_equal(cp_inverse_method(inverse), "arm");
    json_array_foreach(json_object_get(irb, "cases"), i, one)
    {
        double q[6], nearest = INFINITY;
        const cp_posture *postures;
        uint32_t count;
        for (size_t k = 0; k < 6; k++)
            q[k] = number_at(json_object_get(one, "q_deg"), k) * PI / 180;
        cp_pose target = place_tool(q);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(target.m[4 * k + 3] / MM - number_at(json_object_get(one, "tcp_mm"), (size_t)k)) < 1e-6);
        assert_int_equal(cp_inverse_postures(inverse, &target, &postures, &count), CP_OK);
        for (uint32_t n = 0; n < count; n++)
            if (!postures[n].one_of_many)
                nearest = fmin(nearest, turn_difference(postures[n].q, q));
            else /* the wrist is straight: axes 4 and 6 turn together */
                nearest = fmin(nearest, fabs(postures[n].q[1] - q[1]));
        assert_true(nearest < 1e-6);
    }
    assert_true(i > 0);
    cp_inverse_free(inverse);
    json_decref(oracle);
}

/* The sample of these rows: where its last link is, and the postures there. */
static void test_sample_arm(void **unused)
{
    (void)unused;
    json_t *oracle = load_oracle();
    size_t i;
    const json_t *cases = json_object_get(json_object_get(oracle, "irb120"), "cases"), *one;
    if (!oracle)
        return;
    cp_scene_free(scene);
    assert_int_equal(cp_read(context, SAMPLES "/dh_arm.wu", NULL, NULL, 0, &scene), CP_OK);
    uint32_t tool = find_node(scene, "Arm.J6");
    cp_pose *worlds = calloc(count_nodes(scene), sizeof *worlds);
    cp_inverse *inverse = open_inverse(tool, 0, CP_REACH_ALL);
    assert_non_null(worlds);
    assert_string_equal(cp_inverse_method(inverse), "arm");
    json_array_foreach(cases, i, one)
    {
        double q[6];
        const cp_posture *postures;
        uint32_t count;
        for (size_t k = 0; k < 6; k++)
            q[k] = number_at(json_object_get(one, "q_deg"), k) * PI / 180;
        assert_int_equal(cp_world_poses(context, scene, q, worlds), CP_OK);
        for (int row = 0; row < 3; row++) {
            const json_t *turn = json_array_get(json_object_get(one, "R"), (size_t)row);
            for (size_t k = 0; k < 3; k++)
                assert_true(fabs(worlds[tool].m[4 * row + (int)k] - number_at(turn, k)) < 1e-12);
            assert_true(
                fabs(worlds[tool].m[4 * row + 3] / MM - number_at(json_object_get(one, "tcp_mm"), (size_t)row)) < 1e-9);
        }
        cp_pose target = worlds[tool];
        assert_int_equal(cp_inverse_postures(inverse, &target, &postures, &count), CP_OK);
        for (uint32_t n = 0; n < count; n++) {
            assert_int_equal(cp_world_poses(context, scene, postures[n].q, worlds), CP_OK);
            assert_true(pose_difference(&worlds[tool], &target) < 1e-12);
        }
    }
    assert_true(i > 0);
    free(worlds);
    cp_inverse_free(inverse);
    json_decref(oracle);
}

/* Where the arm is straight, or its wrist is above the first axis, there is an answer still. */
static void test_singular_places(void **unused)
{
    (void)unused;
    double axes[6][3] = {{0, 0, 1}, {0, 1, 0}, {0, 1, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}};
    double points[6][3] = {{0, 0, 0}, {0, 0, 0.3}, {0, 0, 0.6}, {0.3, 0, 0.6}, {0.3, 0, 0.6}, {0.3, 0, 0.6}};
    static const double places[][6] = {
        {0, 0, 0, 0, 0, 0},                 /* straight wrist */
        {0.3, 0.4, -PI / 2, 0.1, 0.2, 0.3}, /* straight elbow */
        {0.5, 0, -PI / 2, 0, 0.4, 0},       /* above the first axis */
        {0.5, -PI / 2, 0, 0, 0, 0},         /* all at once */
        {PI, PI, PI, PI, PI, PI},
    };
    cp_pose end = plain_translation(0.4, 0, 0.6);
    build_arm(axes, points, &end);
    cp_inverse *inverse = open_inverse(find_node(scene, "tool"), 0, CP_REACH_ALL);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const cp_posture *postures;
        uint32_t count;
        cp_pose target = place_tool(places[i]);
        double nearest = INFINITY;
        assert_int_equal(cp_inverse_postures(inverse, &target, &postures, &count), CP_OK);
        for (uint32_t n = 0; n < count; n++) {
            cp_pose reached = place_tool(postures[n].q);
            if (pose_difference(&reached, &target) > 1e-9)
                fail_msg("place %zu: off by %g", i, pose_difference(&reached, &target));
            nearest = fmin(nearest, postures[n].singularity);
        }
        assert_true(i != 0 || postures[0].one_of_many);
        assert_true(nearest < 1e-4);
        assert_string_equal(cp_report(context, &(size_t){0})->code, "near-singular");
        cp_report_clear(context);
    }
    /* And beside all of these. */
    const cp_posture *postures;
    uint32_t count;
    cp_pose regular = place_tool((double[]){0.3, 0.4, 0.5, 0.6, 0.7, 0.8});
    assert_int_equal(cp_inverse_postures(inverse, &regular, &postures, &count), CP_OK);
    for (uint32_t n = 0; n < count; n++)
        assert_true(postures[n].singularity > CP_NEAR_SINGULAR);
    cp_pose far = plain_translation(1, 1, 1);
    expect_out_of_reach(inverse, &far);
    cp_inverse_free(inverse);
}

/* Places in a scaled frame are not where numbers of a rigid pose say. */
static void test_scaled_frame(void **unused)
{
    (void)unused;
    const cp_reach reach = {.size = sizeof reach, .frame = 2, .solve = CP_REACH_ALL, .tries = 1};
    cp_inverse *inverse;
    random_arm(true);
    struct draft draft = draft_of(scene);
    draft.nodes[1].local = plain_scaling(2, 2, 2);
    change_scene(&draft);
    assert_int_equal(cp_inverse_new(context, scene, &reach, &inverse), CP_INPUT);
    assert_null(inverse);
    assert_string_equal(cp_report(context, &(size_t){0})->code, "reach-scaled");
}

/* Three coordinates for six joints: one of the many postures is told, it is there, and by how much the angles differ.
 */
static void test_place_alone(void **unused)
{
    (void)unused;
    uint32_t count;
    build_arm((double[6][3]){{0, 0, 1}, {0, 1, 0}, {0, 1, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}},
              (double[6][3]){{0, 0, 0}, {0, 0, 0.3}, {0, 0, 0.6}, {0.3, 0, 0.6}, {0.3, 0, 0.6}, {0.3, 0, 0.6}},
              &(cp_pose){{1, 0, 0, 0.4, 0, 1, 0, 0, 0, 0, 1, 0.6}});
    cp_inverse *inverse = open_inverse(find_node(scene, "tool"), 0, CP_REACH_X | CP_REACH_Y | CP_REACH_Z);
    cp_pose target = plain_translation(0.3, 0.2, 0.5);
    const cp_posture *postures;
    assert_string_equal(cp_inverse_method(inverse), "numeric");
    assert_int_equal(cp_inverse_postures(inverse, &target, &postures, &count), CP_OK);
    assert_int_equal(count, 1);
    assert_true(postures[0].one_of_many);
    cp_pose reached = place_tool(postures[0].q);
    for (int i = 3; i < 12; i += 4)
        assert_true(fabs(reached.m[i] - target.m[i]) < 1e-9);
    double rest[6], wanted[6];
    cp_pose_coordinates(&reached, rest);
    cp_pose_coordinates(&target, wanted);
    for (int i = 3; i < 6; i++)
        assert_true(fabs(remainder(postures[0].rest[i] - (rest[i] - wanted[i]), 2 * PI)) < 1e-9);
    cp_inverse_free(inverse);
}

/* A slide follows the first joint: whole turns of that would move it. */
static void test_follower(void **unused)
{
    (void)unused;
    uint32_t base = add_node_at(scene, 0, "base", NULL), arm = add_node_at(scene, base, "arm", NULL);
    uint32_t screw = add_joint_of(scene, arm, CP_JOINT_REVOLUTE, NULL), count;
    cp_joint nut = cp_new_joint();
    nut.node = arm;
    nut.name = "nut";
    nut.type = CP_JOINT_PRISMATIC;
    nut.master = screw;
    nut.driven = false;
    nut.scale = 0.01;
    assert_int_not_equal(cp_add_joint(scene, &nut), CP_NONE);
    (void)add_device_of(scene, "screw", base, arm, 1, &screw);
    finish_scene();
    cp_inverse *inverse = open_inverse(arm, 0, CP_REACH_Z);
    const cp_posture *postures;
    cp_pose target = plain_translation(0, 0, 0.2);
    assert_int_equal(cp_inverse_postures(inverse, &target, &postures, &count), CP_OK);
    assert_true(count == 1 && fabs(postures[0].q[screw] - 20) < 1e-6);
    cp_inverse_free(inverse);
}

/* The third link of many an arm keeps its direction while the second one turns: a follower of factor -1. Whole turns of
 * the second joint change nothing then, so each posture is there once: those of the arm without follower, whose third
 * joint has what the two turn together. */
static void test_coupled_arm(void **unused)
{
    (void)unused;
    const double couplings[] = {-1, 1, 2};
    for (uint64_t seed = 1; seed <= 12; seed++) {
        double q[6], known[8][6];
        const cp_posture *postures;
        uint32_t count, known_count;
        random_state = seed;
        random_arm(seed % 2 == 0);
        random_values(q);
        const cp_pose target = place_tool(q);
        cp_inverse *inverse = open_inverse(find_node(scene, "tool"), 0, CP_REACH_ALL);
        assert_int_equal(cp_inverse_postures(inverse, &target, &postures, &known_count), CP_OK);
        assert_true(known_count <= 8);
        for (uint32_t n = 0; n < known_count; n++)
            memcpy(known[n], postures[n].q, sizeof known[n]);
        cp_inverse_free(inverse);
        random_state = seed;
        coupling = couplings[seed % 3];
        random_arm(seed % 2 == 0);
        inverse = open_inverse(find_node(scene, "tool"), 0, CP_REACH_ALL);
        assert_int_equal(cp_inverse_postures(inverse, &target, &postures, &count), CP_OK);
        bool found[8] = {false};
        for (uint32_t n = 0; n < count; n++) {
            const double *its = postures[n].q; /* the follower is joint 3 */
            const double together[6] = {its[0], its[1], its[2] + coupling * its[1], its[4], its[5], its[6]};
            uint32_t k = 0;
            while (k < known_count && turn_difference(together, known[k]) > 1e-4)
                k++;
            if (k == known_count || found[k])
                fail_msg("arm %d, posture %u: %s", (int)seed, (unsigned)n,
                         k < known_count ? "it is there twice" : "none");
            found[k] = true;
        }
        assert_true(count > known_count / 2 && count <= known_count);
        cp_inverse_free(inverse);
        coupling = 0;
    }
}

/* A device of two ends does not say which one shall be there. */
static void test_two_ends(void **unused)
{
    (void)unused;
    const char *options[] = {"device=arm", "reach=0.3,0.2,0.5,0,0,0"},
               *named[] = {options[0], options[1], "frame=tool"};
    random_arm(true);
    const uint32_t ends[] = {find_node(scene, "tool"), find_node(scene, "base")};
    struct draft draft = draft_of(scene);
    draft.devices[0].ends = ends;
    draft.devices[0].end_count = 2;
    change_scene(&draft);
    assert_int_equal(cp_apply(context, scene, "pose", options, 2), CP_USAGE);
    assert_string_equal(cp_report(context, &(size_t){0})->code, "pose-end");
    cp_status status = cp_apply(context, scene, "pose", named, 3);
    assert_true(status == CP_OK || status == CP_NO); /* wherever a random arm reaches */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_hexapod, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_flexapod, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_exechon, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_gantry, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_gantry_of_six_links, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_round_trips, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_search, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_irb120, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sample_arm, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_singular_places, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_scaled_frame, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_place_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_coupled_arm, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_follower, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_two_ends, set_up, tear_down),
    };
    cmocka_set_test_filter(getenv("CMOCKA_TEST_FILTER")); /* see bootstrap */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
