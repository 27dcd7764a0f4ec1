/* Keys of pairs change with all that a finding may rest on, and with nothing else. */
#include <math.h>

#include "cellpipe_tool.h"
#include "scene_fixture.h"

static const float points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 5, 5, 5};
static const uint32_t corners[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
static const uint32_t offsets[] = {0, 3, 6, 9, 12};

/* A cell whose parts can be changed one by one. */
struct cell {
    float points[15];
    uint32_t corners[12];
    cp_mesh mesh, box, line;
    cp_pose fixed, hand_shape;
    cp_joint shoulder, wrist;
    uint32_t hand_flags, table_flags;
    const char *hand_name;
    bool extra_frame, extra_joint_elsewhere, extra_drawn, extra_line, swapped_shapes, follower;
    cp_pose above;
    bool drawn_only;
};

static struct cell plain_cell(void)
{
    struct cell cell = {.fixed = {{1, 0, 0, 0.5, 0, 1, 0, 0, 0, 0, 1, 0}},
                        .hand_shape = PLAIN_IDENTITY,
                        .above = PLAIN_IDENTITY,
                        .hand_name = "Hand"};
    memcpy(cell.points, points, sizeof points);
    memcpy(cell.corners, corners, sizeof corners);
    cell.mesh = (cp_mesh){.vertex_count = 5, .face_count = 4, .corner_count = 12};
    cell.box = (cp_mesh){.kind = CP_MESH_BOX, .size = {1, 2, 3}};
    cell.line = (cp_mesh){.kind = CP_MESH_LINES, .vertex_count = 2, .face_count = 1, .corner_count = 2};
    cell.shoulder = (cp_joint){.type = CP_JOINT_REVOLUTE, .axis = {0, 0, 1}, .lower = -1, .upper = 2};
    cell.wrist = (cp_joint){.type = CP_JOINT_PRISMATIC, .axis = {1, 0, 0}, .lower = 0, .upper = 0.5};
    return cell;
}

static uint32_t add(uint32_t parent, const char *name)
{
    return add_node_at(scene, parent, name, NULL);
}

static uint32_t add_joint(uint32_t node, const cp_joint *like)
{
    cp_joint joint = cp_new_joint();
    joint.node = node;
    joint.type = like->type;
    memcpy(joint.axis, like->axis, sizeof joint.axis);
    joint.lower = like->lower;
    joint.upper = like->upper;
    joint.home = joint.q = like->q;
    joint.velocity = like->velocity > 0 ? like->velocity : INFINITY;
    return cp_add_joint(scene, &joint);
}

static void add_shapes(const struct cell *cell, uint32_t hand, const uint32_t *meshes)
{
    for (uint32_t i = 0; i < 2; i++)
        (void)add_instance_of(scene, hand, meshes[cell->swapped_shapes ? !i : i], CP_USE_COLLISION,
                              i == cell->swapped_shapes ? &cell->hand_shape : &PLAIN_IDENTITY);
    if (cell->extra_drawn)
        (void)add_instance_of(scene, hand, meshes[1], CP_USE_DRAWN, &cell->fixed);
    if (cell->extra_line)
        (void)add_instance_of(scene, hand, meshes[2], CP_USE_BOTH, &cell->fixed);
}

/* world - Robot - Upper (shoulder) - Mount - Hand (wrist), where mesh and box are; Robot - Table, where the box is.
 * pair 0: Hand and Table. */
static void build(struct cell *cell)
{
    static const uint32_t line[] = {0, 1}, ends[] = {0, 2};
    fresh_scene();
    cell->mesh.positions = cell->line.positions = cell->points;
    cell->mesh.corners = cell->corners;
    cell->line.corners = line;
    cell->line.face_offsets = ends;
    uint32_t robot = add_node_at(scene, 0, "Robot", &cell->above);
    if (cell->extra_joint_elsewhere)
        (void)add_joint(robot, &cell->shoulder);
    uint32_t upper = add(robot, "Upper");
    (void)add_joint(upper, &cell->shoulder);
    uint32_t mount = add_node_at(scene, upper, "Mount", &cell->fixed);
    if (cell->extra_frame)
        mount = add(mount, "Flange");
    uint32_t hand = add(mount, cell->hand_name);
    uint32_t wrist = add_joint(hand, &cell->wrist);
    uint32_t meshes[] = {add_mesh_of(scene, &cell->mesh), add_mesh_of(scene, &cell->box),
                         add_mesh_of(scene, &cell->line)};
    add_shapes(cell, hand, meshes);
    uint32_t table = add(robot, "Table");
    (void)add_instance_of(scene, table, meshes[1], cell->drawn_only ? CP_USE_DRAWN : CP_USE_BOTH, &PLAIN_IDENTITY);
    (void)add_pair_of(scene, hand, table, "given");
    struct draft draft = draft_of(scene);
    draft.nodes[hand].flags = cell->hand_flags;
    draft.nodes[table].flags = cell->table_flags;
    if (cell->follower) {
        draft.joints[wrist].master = 0, draft.joints[wrist].driven = false;
        draft.joints[wrist].scale = cell->wrist.scale, draft.joints[wrist].offset = cell->wrist.offset;
    }
    change_scene(&draft);
}

static uint64_t key_of_pair(uint32_t first, uint32_t second)
{
    uint64_t key;
    cp_pair pair = {.first = first, .second = second};
    assert_int_equal(cp_pair_keys(context, scene, &pair, 1, &key), CP_OK);
    return key;
}

static uint64_t key_of(struct cell cell)
{
    build(&cell);
    uint64_t key = key_of_pair(cp_pairs(scene, NULL)[0].first, cp_pairs(scene, NULL)[0].second);
    assert_true(key == key_of_pair(cp_pairs(scene, NULL)[0].second, cp_pairs(scene, NULL)[0].first));
    return key;
}

static uint64_t plain_key(void)
{
    return key_of(plain_cell());
}

/* Each case changes one thing of a plain cell; NULL past the last. */
typedef const char *change(struct cell *cell, int which);

static const char *change_what_counts(struct cell *cell, int which)
{
    switch (which) {
    case 0:
        return cell->points[4] = nextafterf(0, 1), "a vertex";
    case 1:
        return cell->corners[0] = 1, cell->corners[1] = 0, "a face";
    case 2:
        return cell->box.size[2] = nextafter(3, 4), "a size";
    case 3:
        return cell->box.kind = CP_MESH_SPHERE, cell->box.sides = 8, "a kind";
    case 4:
        return cell->hand_shape.m[3] = 1e-300, "an instance's place";
    case 5:
        return cell->fixed.m[3] = 0.25, "a fixed pose";
    case 6:
        return cell->shoulder.lower = nextafter(-1, 0), "a limit";
    case 7:
        return cell->wrist.upper = INFINITY, "no limit";
    case 8:
        return cell->wrist.axis[0] = 0, cell->wrist.axis[1] = 1, "an axis";
    case 9:
        return cell->wrist.type = CP_JOINT_REVOLUTE, "a type of joint";
    case 10:
        return cell->hand_flags = CP_NODE_MOVABLE, "a movable frame";
    case 11:
        return cell->table_flags = CP_NODE_ATTACHABLE, "an attachable frame";
    case 12:
        return cell->follower = true, cell->wrist.scale = 0.5, "a joint that follows another";
    case 13:
        return cell->shoulder.type = CP_JOINT_FIXED, "a joint that is none";
    case 14:
        return cell->points[12] = 6, "a vertex without a face";
    default:
        return NULL;
    }
}

static const char *change_what_does_not(struct cell *cell, int which)
{
    switch (which) {
    case 0:
        return cell->hand_name = "Gripper", "a name";
    case 1:
        return cell->above.m[3] = 5, "a pose above both";
    case 2:
        return cell->extra_joint_elsewhere = true, "a joint above both";
    case 3:
        return cell->extra_drawn = true, "a mesh that is drawn only";
    case 4:
        return cell->extra_line = true, "a line";
    case 5:
        return cell->swapped_shapes = true, "the order of meshes";
    case 6:
        return cell->extra_frame = true, "a frame between that moves nothing";
    case 7:
        return cell->shoulder.q = 1, "the value of a joint";
    case 8:
        return cell->shoulder.velocity = 3, "the speed of a joint";
    case 9:
        return cell->hand_shape.m[3] = -0.0, "the sign of zero";
    case 10:
        return cell->mesh.face_offsets = offsets, "a table of triangles";
    case 11:
        return cell->hand_flags = CP_NODE_HIGHLIGHT | CP_NODE_WIRE, "how it is drawn";
    default:
        return NULL;
    }
}

static void try_changes(change *apply, bool counts)
{
    uint64_t plain = plain_key();
    const char *what = "";
    assert_int_not_equal(plain, 0);
    for (int i = 0; what; i++) {
        struct cell cell = plain_cell();
        what = apply(&cell, i);
        if (what && (key_of(cell) != plain) != counts)
            fail_msg("%s %s the key", what, counts ? "leaves" : "changes");
    }
}

static void test_what_counts(void **unused)
{
    (void)unused;
    try_changes(change_what_counts, true);
}

static void test_what_does_not_count(void **unused)
{
    (void)unused;
    try_changes(change_what_does_not, false);
}

/* A movable frame behind a joint without limits: both obstacles count. */
static void test_second_obstacles(void **unused)
{
    (void)unused;
    struct cell cell = plain_cell();
    cell.wrist.lower = -INFINITY;
    uint64_t unlimited = key_of(cell);
    cell.table_flags = CP_NODE_MOVABLE;
    assert_true(key_of(cell) != unlimited);
    /* Where a prismatic joint without limits stands means nothing; the whole turn of a revolute one is said in two
     * ways. */
    cell = plain_cell();
    cell.wrist.lower = -INFINITY, cell.wrist.q = 0.25;
    assert_true(key_of(cell) == unlimited);
    cell = plain_cell();
    cell.shoulder.lower = -INFINITY, cell.shoulder.upper = INFINITY;
    uint64_t turning = key_of(cell);
    cell.shoulder.lower = -3;
    assert_true(key_of(cell) == turning);
}

static void test_without_geometry(void **unused)
{
    (void)unused;
    struct cell cell = plain_cell();
    cell.drawn_only = true;
    build(&cell);
    assert_int_equal(key_of_pair(cp_pairs(scene, NULL)[0].first, cp_pairs(scene, NULL)[0].second), 0);
    assert_int_equal(key_of_pair(cp_pairs(scene, NULL)[0].first, cp_pairs(scene, NULL)[0].first), 0);
}

/* The key of the geometry is that of the frame alone. */
static void test_geometry(void **unused)
{
    (void)unused;
    uint64_t keys[16], moved[16];
    struct cell cell = plain_cell();
    build(&cell);
    assert_int_equal(cp_geometry_keys(context, scene, keys), CP_OK);
    uint32_t hand = cp_pairs(scene, NULL)[0].first, table = cp_pairs(scene, NULL)[0].second;
    for (uint32_t i = 0; i < count_nodes(scene); i++)
        assert_int_equal(keys[i] != 0, i == hand || i == table);
    assert_true(keys[hand] != keys[table]);
    cell.fixed.m[7] = 3;
    cell.shoulder.upper = 3;
    build(&cell);
    assert_int_equal(cp_geometry_keys(context, scene, moved), CP_OK);
    assert_memory_equal(keys, moved, count_nodes(scene) * sizeof *keys);
    cell.box.size[0] = 7; /* in both frames */
    build(&cell);
    assert_int_equal(cp_geometry_keys(context, scene, moved), CP_OK);
    assert_true(keys[hand] != moved[hand] && keys[table] != moved[table]);
}

/* Two pairs of one shape that stand to each other in different ways; the same ones in another place of the scene. */
static void test_many(void **unused)
{
    enum { COUNT = 300 };
    (void)unused;
    static uint64_t keys[COUNT];
    for (int i = 0; i < COUNT; i++) {
        struct cell cell = plain_cell();
        cell.fixed.m[3] = i * 0.01;
        keys[i] = key_of(cell);
        for (int k = 0; k < i; k++)
            assert_true(keys[i] != keys[k]);
    }
}

/* Stages keep keys, as they keep all that counts. */
static void test_through_a_stage(void **unused)
{
    static const char *const options[] = {"profile=stage"};
    void *bytes;
    size_t size;
    (void)unused;
    struct cell cell = plain_cell();
    build(&cell);
    uint64_t plain = key_of_pair(cp_pairs(scene, NULL)[0].first, cp_pairs(scene, NULL)[0].second);
    assert_int_equal(cp_write_memory(context, scene, "glb", options, 1, &bytes, &size), CP_OK);
    cp_scene_free(scene);
    assert_int_equal(cp_read_memory(context, bytes, size, "stage.glb", NULL, NULL, 0, &scene), CP_OK);
    cp_free(context, bytes, size);
    assert_true(key_of_pair(cp_pairs(scene, NULL)[0].first, cp_pairs(scene, NULL)[0].second) == plain);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_what_counts),      TEST(test_what_does_not_count),
        TEST(test_second_obstacles), TEST(test_without_geometry),
        TEST(test_geometry),         TEST(test_many),
        TEST(test_through_a_stage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
