/* Closed loops: four published machines against numbers of another program, mobility, and loops that do not close. */
#include <math.h>

#include <jansson.h>

#include "scene_fixture.h"

#define MM 1e-3

/* ---- building ---- */

static uint32_t add_frame(uint32_t parent, const char *name, const double place[3])
{
    const cp_pose local = plain_translation(place[0] * MM, place[1] * MM, place[2] * MM);
    return add_node_at(scene, parent, name, &local);
}

static cp_joint joint_of(uint32_t node, cp_joint_type type, int axis, double sign, bool driven)
{
    cp_joint joint = cp_new_joint();
    joint.node = node;
    joint.type = type;
    for (int i = 0; i < 3; i++)
        joint.axis[i] = i == axis ? sign : 0;
    joint.driven = driven;
    return joint;
}

static uint32_t add_joint(uint32_t node, cp_joint_type type, int axis, double sign, bool driven)
{
    const cp_joint joint = joint_of(node, type, axis, sign, driven);
    const uint32_t index = cp_add_joint(scene, &joint);
    assert_int_not_equal(index, CP_NONE);
    return index;
}

static void set_joint(uint32_t joint, bool driven, double q)
{
    cp_joint row = cp_joints(scene, NULL)[joint];
    row.driven = driven;
    row.q = q;
    assert_int_equal(cp_set_joint(scene, joint, &row), CP_OK);
}

static void turn(uint32_t node, int axis)
{
    (void)add_joint(node, CP_JOINT_REVOLUTE, axis, 1, false);
}

/* A frame's pose at a place, with its Z along an axis of the node. */
static cp_pose frame_at(const double place[3], int axis)
{
    cp_pose pose = plain_translation(place[0] * MM, place[1] * MM, place[2] * MM);
    cp_pose turned = axis == 0 ? plain_turn(1, 90) : axis == 1 ? plain_turn(0, -90) : PLAIN_IDENTITY;
    return plain_product(&pose, &turned);
}

static void join(cp_loop_type type, uint32_t first, cp_pose on_first, uint32_t second, cp_pose on_second)
{
    (void)add_loop_of(scene, type, first, on_first, second, on_second, 0);
}

static const double origin[3];

/* ---- machines ---- */

struct machine {
    uint32_t driven[6], driven_count, platform;
};

static const double hexapod_base[6][3] = {{31, 118.156, 40.205},       {-31, 118.156, 40.205},
                                          {-117.826, -32.231, 40.205}, {-86.826, -85.925, 40.205},
                                          {86.826, -85.925, 40.205},   {117.826, -32.231, 40.205}};
static const double hexapod_top[6][3] = {{31, 48.799, -31.45},      {-31, 48.799, -31.45},
                                         {-57.761, 2.447, -31.45},  {-26.761, -51.246, -31.45},
                                         {26.761, -51.246, -31.45}, {57.761, 2.447, -31.45}};
static const double flexapod_base[6][3] = {{-132.5, 26, 58.5},       {43.733, 127.748, 58.5},  {88.767, 101.748, 58.5},
                                           {88.767, -101.748, 58.5}, {43.733, -127.748, 58.5}, {-132.5, -26, 58.5}};
static const double flexapod_top[6][3] = {{-48.767, 32.466, -75}, {-3.733, 58.466, -75},  {52.5, 26, -75},
                                          {52.5, -26, -75},       {-3.733, -58.466, -75}, {-48.767, -32.466, -75}};

/* Legs of two turns and a slide; leg 1 carries the platform, the others are joined to it. round: the slide turns, and
 * the upper joints are universal ones (U-C-U), else spherical (RR-P-RRR). */
static struct machine build_hexapod(const double base[6][3], const double top[6][3], bool round)
{
    struct machine machine = {.driven_count = 6};
    uint32_t rods[6];
    for (int leg = 0; leg < 6; leg++) {
        uint32_t cube = add_frame(0, "cube", base[leg]);
        turn(cube, 0);
        turn(cube, 1);
        rods[leg] = add_frame(cube, "rod", (double[]){0, 0, 376.5});
        machine.driven[leg] = add_joint(rods[leg], CP_JOINT_PRISMATIC, 2, 1, true);
        if (round)
            turn(rods[leg], 2);
    }
    uint32_t wrist = add_frame(rods[0], "wrist", origin);
    turn(wrist, 0);
    turn(wrist, 1);
    if (!round)
        turn(wrist, 2);
    machine.platform = add_frame(wrist, "platform", (double[]){-top[0][0], -top[0][1], -top[0][2]});
    for (int leg = 1; leg < 6; leg++)
        join(round ? CP_LOOP_UNIVERSAL : CP_LOOP_SPHERICAL, rods[leg], frame_at(origin, 0), machine.platform,
             frame_at(top[leg], 1));
    finish_scene();
    return machine;
}

static struct machine build_exechon(void)
{
    static const double base[3][3] = {{420, 0, 0}, {-420, 0, 0}, {0, 670, 0}};
    static const double top[3][3] = {{173, -50, 485}, {-173, -50, 485}, {0, 173, 485}};
    static const double lengths[3] = {803.887, 803.887, 886.021};
    struct machine machine = {.driven_count = 3};
    uint32_t rods[3];
    for (int leg = 0; leg < 3; leg++) {
        uint32_t foot = add_frame(0, "foot", base[leg]);
        turn(foot, 0);
        turn(foot, 1);
        if (leg == 2)
            turn(foot, 2);
        rods[leg] = add_frame(foot, "rod", (double[]){0, 0, -lengths[leg]});
        machine.driven[leg] = add_joint(rods[leg], CP_JOINT_PRISMATIC, 2, -1, true);
    }
    uint32_t hinge = add_frame(rods[0], "hinge", origin);
    turn(hinge, 1);
    machine.platform = add_frame(hinge, "platform", (double[]){-top[0][0], -top[0][1], -top[0][2]});
    join(CP_LOOP_REVOLUTE, rods[1], frame_at(origin, 1), machine.platform, frame_at(top[1], 1));
    join(CP_LOOP_REVOLUTE, rods[2], frame_at(origin, 0), machine.platform, frame_at(top[2], 0));
    return machine;
}

/* Three carts, a platform that keeps its orientation, three distances. */
static struct machine build_gantry(void)
{
    static const double starts[3][3] = {{0, 0, 0}, {-1100, 700, 0}, {-2200, 0, 0}};
    static const double carts[3][3] = {{-96.569, -185, -400}, {0, -322.843, -173.726}, {96.569, 0, -400}};
    static const double tops[3][3] = {{224.999, -240.001, 171.568}, {0, 39.705, 336.862}, {-182.574, -80, 213.994}};
    static const double links[3] = {1500, 1500, 1499.775};
    struct machine machine = {.driven_count = 3};
    machine.platform = add_frame(0, "platform", (double[]){-1100, -600, -1200});
    for (int axis = 0; axis < 3; axis++)
        (void)add_joint(machine.platform, CP_JOINT_PRISMATIC, axis, 1, false);
    for (int leg = 0; leg < 3; leg++) {
        uint32_t cart = add_frame(0, "cart", starts[leg]);
        machine.driven[leg] = add_joint(cart, CP_JOINT_PRISMATIC, 2, -1, true);
        (void)add_loop_of(scene, CP_LOOP_DISTANCE, cart, frame_at(carts[leg], 2), machine.platform,
                          frame_at(tops[leg], 2), links[leg] * MM);
    }
    return machine;
}

/* ---- against the other program ---- */

static double number_at(const json_t *array, size_t i)
{
    return json_number_value(json_array_get(array, i));
}

/* The platform at the joint values J is at T6 (rows n, o, a, p). */
static void follow(const struct machine *machine, cp_mechanism *mechanism, const json_t *pose)
{
    const json_t *lengths = json_object_get(pose, "J"), *rows = json_object_get(pose, "T6_row");
    double *q = calloc(count_joints(scene), sizeof *q);
    cp_pose *worlds = calloc(count_nodes(scene), sizeof *worlds);
    assert_non_null(q);
    assert_non_null(worlds);
    for (uint32_t i = 0; i < machine->driven_count; i++)
        q[machine->driven[i]] = number_at(lengths, i) * MM;
    assert_int_equal(cp_mechanism_poses(mechanism, q, worlds), CP_OK);
    for (size_t row = 0; row < 4; row++)
        for (size_t column = 0; column < 3; column++) {
            double expected = number_at(json_array_get(rows, row), column);
            double found = worlds[machine->platform].m[4 * column + row] / (row == 3 ? MM : 1);
            if (!(fabs(found - expected) <= (row == 3 ? 1e-6 : 1e-9)))
                fail_msg("T6[%zu][%zu] is %.12g, not %.12g", row, column, found, expected);
        }
    free(q);
    free(worlds);
}

static void follow_all(const struct machine *machine, const char *name)
{
    json_t *oracle = json_load_file(SHARED "/reference/motion_oracle.json", 0, NULL);
    if (!oracle) {
        print_message("skipped: " SHARED "/reference/motion_oracle.json is not there\n");
        return;
    }
    const json_t *poses = json_object_get(json_object_get(oracle, name), "poses"), *pose;
    cp_mechanism *mechanism;
    size_t i;
    if (cp_mechanism_new(context, scene, &mechanism) != CP_OK) {
        show_report(context);
        fail_msg("%s does not close", name);
    }
    assert_true(json_array_size(poses) > 0);
    json_array_foreach(poses, i, pose) follow(machine, mechanism, pose);
    cp_mechanism_free(mechanism);
    json_decref(oracle);
}

static void expect_mobility(uint32_t joints, uint32_t degrees, uint32_t commanded, uint32_t dangling,
                            uint32_t redundant)
{
    cp_mobility found = {.size = sizeof found};
    assert_int_equal(cp_measure_mobility(context, scene, &found), CP_OK);
    assert_int_equal(found.joints, joints);
    assert_int_equal(found.degrees, degrees);
    assert_int_equal(found.commanded, commanded);
    assert_int_equal(found.dangling, dangling);
    assert_int_equal(found.redundant, redundant);
    assert_true((found.lacking == CP_NONE) == (dangling == 0));
}

static void test_hexapod(void **unused)
{
    (void)unused;
    struct machine machine = build_hexapod(hexapod_base, hexapod_top, false);
    follow_all(&machine, "hexapod");
    expect_mobility(21, 6, 6, 0, 0);
}

static void test_flexapod(void **unused)
{
    (void)unused;
    struct machine machine = build_hexapod(flexapod_base, flexapod_top, true);
    follow_all(&machine, "flexapod6p");
    expect_mobility(26, 6, 6, 0, 0);
}

/* Kutzbach's count: 11 joints less 10 conditions. */
static void test_exechon(void **unused)
{
    (void)unused;
    struct machine machine = build_exechon();
    finish_scene();
    follow_all(&machine, "exechon_parallel");
    expect_mobility(11, 3, 3, 0, 2);
}

static void test_gantry(void **unused)
{
    (void)unused;
    struct machine machine = build_gantry();
    finish_scene();
    expect_mobility(6, 3, 3, 0, 0);
    (void)machine;
}

/* One leg of a Flexapod: a cube, a lower and an upper part. */
static void test_open_chain(void **unused)
{
    (void)unused;
    uint32_t cube = add_frame(0, "cube", origin), lower = add_frame(cube, "lower", origin);
    uint32_t first = add_joint(cube, CP_JOINT_REVOLUTE, 0, 1, false);
    uint32_t second = add_joint(lower, CP_JOINT_REVOLUTE, 1, 1, false);
    (void)add_joint(add_frame(lower, "upper", origin), CP_JOINT_PRISMATIC, 2, 1, true);
    finish_scene();
    expect_mobility(3, 3, 1, 2, 0);
    set_joint(first, true, 0);
    set_joint(second, true, 0);
    finish_scene();
    expect_mobility(3, 3, 3, 0, 0);
}

/* A joint that equal limits hold stays where it is, whatever value it is told; and what follows a fixed joint's value
 * moves its loop. */
static void test_held_joints(void **unused)
{
    (void)unused;
    uint32_t slide = add_frame(0, "slide", origin);
    cp_joint held = joint_of(slide, CP_JOINT_PRISMATIC, 2, 1, false),
             follower = joint_of(slide, CP_JOINT_PRISMATIC, 2, 1, false);
    held.lower = held.upper = held.q = 0.25;
    assert_int_equal(cp_add_joint(scene, &held), 0);
    follower.master = add_joint(slide, CP_JOINT_FIXED, 2, 1, true);
    follower.scale = -2;
    assert_int_equal(cp_add_joint(scene, &follower), 2);
    (void)add_joint(slide, CP_JOINT_PRISMATIC, 2, 1, false);
    join(CP_LOOP_SPHERICAL, 0, frame_at(origin, 2), slide, frame_at(origin, 2));
    finish_scene();
    double q[4] = {0.75, 0.1, 9, 9};
    cp_pose worlds[2];
    cp_mechanism *mechanism;
    cp_mobility mobility = {.size = sizeof mobility};
    assert_int_equal(cp_mechanism_new(context, scene, &mechanism), CP_OK);
    assert_int_equal(cp_mechanism_poses(mechanism, q, worlds), CP_OK);
    assert_true(fabs(worlds[1].m[11]) < 1e-12);
    assert_int_equal(cp_mechanism_values(mechanism, q, q), CP_OK);
    assert_true(q[0] == 0.25 && fabs(q[2] + 0.2) < 1e-12 && fabs(q[3] + 0.05) < 1e-12);
    cp_mechanism_free(mechanism);
    assert_int_equal(cp_measure_mobility(context, scene, &mobility), CP_OK);
    assert_true(mobility.joints == 2 && mobility.degrees == 1 && mobility.commanded == 1 && mobility.dangling == 0);
}

/* A ball as three turns, whose second one is at 90 degrees: from there the first and the third turn about the same
 * axis, and a tilt across it needs a quarter turn of both before. A real ball knows nothing of that. */
static void test_locked_ball(void **unused)
{
    uint32_t crank = add_frame(0, "crank", origin), body = add_frame(0, "body", origin);
    uint32_t side = add_joint(crank, CP_JOINT_REVOLUTE, 2, 1, true),
             drive = add_joint(crank, CP_JOINT_REVOLUTE, 1, 1, true);
    for (int axis = 0; axis < 3; axis++)
        turn(body, axis);
    join(CP_LOOP_FIXED, crank, frame_at(origin, 2), body, frame_at(origin, 2));
    finish_scene();
    static const double ways[][2] = {{0, 90}, {10, 90}, {10, 120}, {-40, 90}, {170, 90}, {170, -90}, {0, 0}};
    double q[5] = {0};
    cp_pose worlds[3];
    cp_mechanism *mechanism;
    const size_t begin = *unused != NULL; /* at 90 degrees */
    set_joint(drive, true, ways[0][1] * (double)begin * PI / 180);
    set_joint(drive + 2, false, ways[0][1] * (double)begin * PI / 180);
    finish_scene();
    assert_int_equal(cp_mechanism_new(context, scene, &mechanism), CP_OK);
    for (size_t i = begin; i < sizeof ways / sizeof *ways; i++) {
        q[side] = ways[i][0] * PI / 180;
        q[drive] = ways[i][1] * PI / 180;
        assert_int_equal(cp_mechanism_poses(mechanism, q, worlds), CP_OK);
        cp_pose about_z = plain_turn(2, ways[i][0]), about_y = plain_turn(1, ways[i][1]);
        cp_pose wanted = plain_product(&about_z, &about_y);
        for (int k = 0; k < 12; k++)
            assert_true(fabs(worlds[body].m[k] - wanted.m[k]) < 1e-6);
    }
    cp_mechanism_free(mechanism);
}

static void test_locked_begin(void **state)
{
    *state = context;
    test_locked_ball(state);
    *state = NULL;
}

/* ---- random mechanisms ---- */

static cp_pose random_pose(double reach)
{
    double axis[3], length = 0;
    for (int i = 0; i < 3; i++) {
        axis[i] = random_number(-1, 1);
        length += axis[i] * axis[i];
    }
    for (int i = 0; i < 3; i++)
        axis[i] /= sqrt(length);
    cp_pose turn = plain_rotation(axis, random_number(-3, 3));
    cp_pose place =
        plain_translation(random_number(-reach, reach), random_number(-reach, reach), random_number(-reach, reach));
    return plain_product(&place, &turn);
}

/* Without loops: as the tree has it. */
static void place_tree(const double *q, cp_pose *worlds)
{
    uint32_t count;
    const cp_node *nodes = cp_nodes(scene, &count);
    for (uint32_t i = 0; i < count; i++) {
        const cp_node *node = &nodes[i];
        worlds[i] = node->parent == CP_NONE ? node->local : plain_product(&worlds[node->parent], &node->local);
        for (uint32_t k = node->first_joint; k < node->first_joint + node->joint_count; k++) {
            const cp_joint *joint = &cp_joints(scene, NULL)[k];
            const double *axis = joint->axis;
            cp_pose motion = joint->type == CP_JOINT_REVOLUTE
                                 ? plain_rotation(axis, q[k])
                                 : plain_translation(q[k] * axis[0], q[k] * axis[1], q[k] * axis[2]);
            worlds[i] = plain_product(&worlds[i], &motion);
        }
    }
}

static cp_pose end_of(const cp_loop *loop, int side, const cp_pose *worlds)
{
    return plain_product(&worlds[loop->nodes[side]], &loop->poses[side]);
}

static double dot_columns(const cp_pose *a, int i, const cp_pose *b, int k)
{
    return a->m[i] * b->m[k] + a->m[4 + i] * b->m[4 + k] + a->m[8 + i] * b->m[8 + k];
}

/* What each type of loop demands, as an engineer would write it: as many numbers as it takes away degrees of freedom.
 */
static uint32_t demands(const cp_loop *loop, const cp_pose *worlds, double *rows)
{
    const cp_pose a = end_of(loop, 0, worlds), b = end_of(loop, 1, worlds);
    cp_pose apart = PLAIN_IDENTITY;
    uint32_t count = 0;
    for (int i = 0; i < 3; i++)
        apart.m[4 * i + 3] = b.m[4 * i + 3] - a.m[4 * i + 3];
    bool line = loop->type == CP_LOOP_CYLINDRICAL || loop->type == CP_LOOP_PRISMATIC;
    if (loop->type == CP_LOOP_DISTANCE) {
        rows[0] = sqrt(dot_columns(&apart, 3, &apart, 3)) - loop->length;
        return 1;
    }
    for (int i = 0; i < (line ? 2 : 3); i++)
        rows[count++] = dot_columns(&apart, 3, &a, i);
    if (loop->type == CP_LOOP_UNIVERSAL)
        rows[count++] = dot_columns(&a, 2, &b, 2);
    else if (loop->type != CP_LOOP_SPHERICAL)
        for (int i = 0; i < 2; i++)
            rows[count++] = dot_columns(&a, i, &b, 2);
    if (loop->type == CP_LOOP_PRISMATIC || loop->type == CP_LOOP_FIXED)
        rows[count++] = dot_columns(&a, 1, &b, 0);
    return count;
}

/* By elimination with full pivoting. */
static uint32_t plain_rank(double *m, uint32_t rows, uint32_t columns)
{
    double largest = 0;
    for (uint32_t rank = 0;; rank++) {
        uint32_t row = rank, column = rank;
        for (uint32_t i = rank; i < rows; i++)
            for (uint32_t k = rank; k < columns; k++)
                if (fabs(m[i * columns + k]) > fabs(m[row * columns + column])) {
                    row = i;
                    column = k;
                }
        if (rank == rows || rank == columns || fabs(m[row * columns + column]) <= fmax(1e-5 * largest, 1e-8))
            return rank;
        largest = fmax(largest, fabs(m[row * columns + column]));
        for (uint32_t k = 0; k < columns; k++) {
            double other = m[rank * columns + k];
            m[rank * columns + k] = m[row * columns + k];
            m[row * columns + k] = other;
        }
        for (uint32_t i = 0; i < rows; i++) {
            double other = m[i * columns + rank];
            m[i * columns + rank] = m[i * columns + column];
            m[i * columns + column] = other;
        }
        for (uint32_t i = rank + 1; i < rows; i++) {
            double factor = m[i * columns + rank] / m[rank * columns + rank];
            for (uint32_t k = rank; k < columns; k++)
                m[i * columns + k] -= factor * m[rank * columns + k];
        }
    }
}

enum { MOST_JOINTS = 40, MOST_LOOPS = 8, MOST_ROWS = 6 * MOST_LOOPS };

/* A tree of bodies, closed as it stands by loops between random ones; some loops stand twice. */
static uint32_t build_random(void)
{
    uint32_t bodies = 3 + (uint32_t)random_number(0, MOST_JOINTS - 3),
             loops = 1 + (uint32_t)random_number(0, MOST_LOOPS);
    uint32_t rows = 0;
    static const uint32_t taken[] = {3, 5, 4, 4, 5, 6, 1};
    for (uint32_t i = 0; i < bodies; i++) {
        uint32_t parent = (uint32_t)random_number(0, 0.999 + i);
        cp_pose local = random_pose(0.5);
        uint32_t node = add_node_at(scene, parent, "body", &local);
        cp_joint_type type = random_number(0, 1) < 0.7 ? CP_JOINT_REVOLUTE : CP_JOINT_PRISMATIC;
        bool driven = random_number(0, 1) < 0.2;
        cp_joint joint = joint_of(node, type, (int)random_number(0, 2.999), 1, driven);
        joint.q = random_number(-1, 1);
        assert_int_equal(cp_add_joint(scene, &joint), i);
    }
    double q[MOST_JOINTS];
    cp_pose worlds[MOST_JOINTS + 1];
    for (uint32_t i = 0; i < bodies; i++)
        q[i] = cp_joints(scene, NULL)[i].q;
    place_tree(q, worlds);
    for (uint32_t i = 0; i < loops; i++) {
        cp_loop_type type = (cp_loop_type)random_number(0, 6.999);
        uint32_t a = (uint32_t)random_number(0, 0.999 + bodies), b = (uint32_t)random_number(0, 0.999 + bodies);
        b = a == b ? (a + 1) % (bodies + 1) : b;
        cp_pose frame = random_pose(1), other = frame;
        /* What the type leaves free is another on the other side. */
        double slide = type == CP_LOOP_CYLINDRICAL || type == CP_LOOP_PRISMATIC ? random_number(-1, 1) : 0;
        cp_pose along = plain_translation(type == CP_LOOP_DISTANCE ? 0.75 : 0, 0, slide);
        cp_pose turned = type == CP_LOOP_UNIVERSAL ? plain_turn(0, 90)
                         : type == CP_LOOP_REVOLUTE || type == CP_LOOP_CYLINDRICAL
                             ? plain_rotation((const double[]){0, 0, 1}, random_number(-3, 3))
                             : PLAIN_IDENTITY;
        other = plain_product(&other, &along);
        other = plain_product(&other, &turned);
        for (int twice = 0; twice<(random_number(0, 1) < 0.1 && i + 1 < loops ? 2 : 1); twice++, i += twice> 1) {
            cp_pose from_a = plain_inverse(&worlds[a]), from_b = plain_inverse(&worlds[b]);
            (void)add_loop_of(scene, type, a, plain_product(&from_a, &frame), b, plain_product(&from_b, &other),
                              type == CP_LOOP_DISTANCE ? 0.75 : 0);
            rows += taken[type];
        }
    }
    finish_scene();
    return rows;
}

/* The rank of the demands by joints, of which all or the free ones count, by differences. */
static uint32_t demanded_rank(bool all)
{
    static double matrix[MOST_ROWS * MOST_JOINTS];
    double q[MOST_JOINTS], rows[2][MOST_ROWS + 6];
    cp_pose worlds[MOST_JOINTS + 1];
    uint32_t columns = 0, count = 0, joints = count_joints(scene);
    for (uint32_t i = 0; i < joints; i++)
        columns += all || !cp_joints(scene, NULL)[i].driven;
    for (uint32_t i = 0, column = 0; i < joints; i++) {
        if (!all && cp_joints(scene, NULL)[i].driven)
            continue;
        for (int side = 0; side < 2; side++) {
            for (uint32_t k = 0; k < joints; k++)
                q[k] = cp_joints(scene, NULL)[k].q + (k == i ? (side ? 1e-6 : -1e-6) : 0);
            place_tree(q, worlds);
            count = 0;
            for (uint32_t k = 0; k < count_loops(scene); k++)
                count += demands(&cp_loops(scene, NULL)[k], worlds, rows[side] + count);
        }
        for (uint32_t row = 0; row < count; row++)
            matrix[row * columns + column] = (rows[1][row] - rows[0][row]) / 2e-6;
        column++;
    }
    return plain_rank(matrix, count, columns);
}

static void test_random_mechanisms(void **unused)
{
    (void)unused;
    uint32_t redundant = 0;
    for (int machine = 0; machine < 200; machine++) {
        fresh_scene();
        uint32_t rows = build_random(), joints = count_joints(scene), free_joints = 0;
        double q[MOST_JOINTS], values[MOST_JOINTS], gaps[MOST_ROWS + 6];
        cp_pose worlds[MOST_JOINTS + 1];
        cp_mobility found = {.size = sizeof found};
        if (cp_measure_mobility(context, scene, &found) != CP_OK) {
            show_report(context);
            fail_msg("machine %d is closed, and is not found to be", machine);
        }
        for (uint32_t i = 0; i < joints; i++)
            free_joints += !cp_joints(scene, NULL)[i].driven;
        uint32_t rank = demanded_rank(true), free_rank = demanded_rank(false);
        if (found.degrees != joints - rank || found.dangling != free_joints - free_rank ||
            found.redundant != rows - rank)
            fail_msg("machine %d: %u degrees, %u dangle, %u redundant; not %u, %u, %u", machine, found.degrees,
                     found.dangling, found.redundant, joints - rank, free_joints - free_rank, rows - rank);
        redundant += found.redundant;
        /* From a guess nearby it closes again. */
        for (uint32_t i = 0; i < joints; i++)
            if (!cp_joints(scene, NULL)[i].driven)
                set_joint(i, false, cp_joints(scene, NULL)[i].q + random_number(-0.01, 0.01));
        finish_scene();
        cp_status status = cp_joint_values(context, scene, NULL, values);
        if (status != CP_OK) {
            show_report(context);
            fail_msg("machine %d does not close again", machine);
        }
        for (uint32_t i = 0; i < joints; i++)
            q[i] = values[i];
        place_tree(q, worlds);
        for (uint32_t i = 0; i < count_loops(scene); i++) {
            uint32_t count = demands(&cp_loops(scene, NULL)[i], worlds, gaps);
            for (uint32_t k = 0; k < count; k++)
                if (!(fabs(gaps[k]) <= 1e-9))
                    fail_msg("machine %d, loop %u: a gap of %g", machine, (unsigned)i, gaps[k]);
        }
    }
    assert_true(redundant > 20);
}

/* A way back ends where the way began. */
static void test_there_and_back(void **unused)
{
    (void)unused;
    uint32_t ways = 0;
    for (int machine = 0; machine < 400; machine++) {
        fresh_scene();
        (void)build_random();
        double q[MOST_JOINTS], begin[MOST_JOINTS], there[MOST_JOINTS], back[MOST_JOINTS];
        cp_mobility mobility = {.size = sizeof mobility};
        cp_mechanism *mechanism;
        assert_int_equal(cp_measure_mobility(context, scene, &mobility), CP_OK);
        while (mobility.lacking != CP_NONE) { /* what nothing determines is driven */
            set_joint(mobility.lacking, true, cp_joints(scene, NULL)[mobility.lacking].q);
            finish_scene();
            assert_int_equal(cp_measure_mobility(context, scene, &mobility), CP_OK);
        }
        assert_int_equal(cp_mechanism_new(context, scene, &mechanism), CP_OK);
        for (uint32_t i = 0; i < count_joints(scene); i++)
            q[i] = cp_joints(scene, NULL)[i].q;
        assert_int_equal(cp_mechanism_values(mechanism, q, begin), CP_OK);
        for (int way = 0; way < 5; way++) {
            memcpy(q, begin, sizeof q);
            for (uint32_t i = 0; i < count_joints(scene); i++)
                q[i] += cp_joints(scene, NULL)[i].driven ? random_number(-0.5, 0.5) * (way + 1) / 5 : 0;
            if (cp_mechanism_values(mechanism, q, there) != CP_OK)
                continue;
            ways++;
            memcpy(q, begin, sizeof q);
            assert_int_equal(cp_mechanism_values(mechanism, q, back), CP_OK);
            for (uint32_t i = 0; i < count_joints(scene); i++)
                if (!(fabs(back[i] - begin[i]) < 1e-6))
                    fail_msg("machine %d, joint %u: back at %.9g, from %.9g", machine, (unsigned)i, back[i], begin[i]);
        }
        cp_mechanism_free(mechanism);
    }
    assert_true(ways > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_hexapod, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_flexapod, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_exechon, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_gantry, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_open_chain, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_held_joints, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_locked_ball, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_locked_begin, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_random_mechanisms, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_there_and_back, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
