/* The filters, through cp_apply: what changes, what stays, what is said; and with memory failing at every step. */
#include "mesh_support.h"

static struct counter memory;
static cp_context *context;
static cp_scene *scene;

/* WORLD - base - Robot frames (scope): link1 (J1, revolute, limits +-2) - link2 (J2, prismatic) - follower (J3 = 2 J1)
 *       - tool (no scope) below link2; two frames named "twin"; a placeholder. */
enum { BASE = 1, LINK1, LINK2, FOLLOWER, TOOL, TWIN, OTHER_TWIN, LOST };

static const float soup_positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 5, 5, 5};
static const uint32_t soup_corners[] = {0, 1, 2, 3, 4, 5};

static cp_mesh make_soup(void)
{
    return (cp_mesh){.name = "soup",
                     .vertex_count = 7,
                     .face_count = 2,
                     .corner_count = 6,
                     .positions = soup_positions,
                     .corners = soup_corners};
}

static void add_joints(void)
{
    static const uint32_t joints[] = {0, 1, 2};
    (void)add_limited_joint(scene, LINK1, CP_JOINT_REVOLUTE, "J1", -2, 2);
    (void)add_joint_of(scene, LINK2, CP_JOINT_PRISMATIC, "J2");
    (void)add_joint_of(scene, FOLLOWER, CP_JOINT_REVOLUTE, "J3");
    (void)add_device_of(scene, "Robot", BASE, LINK2, 3, joints);
}

static void add_geometry(void)
{
    const cp_pose millimetres = plain_scaling(0.001, 0.001, 0.001);
    cp_mesh soup = make_soup(), cube = make_cube(), box = {.kind = CP_MESH_BOX, .size = {1, 1, 1}};
    cube.id = NULL;
    uint32_t soup_mesh = add_mesh_of(scene, &soup), cube_mesh = add_mesh_of(scene, &cube);
    uint32_t box_mesh = add_mesh_of(scene, &box);
    (void)add_instance_of(scene, 0, box_mesh, CP_USE_BOTH, NULL);
    (void)add_instance_of(scene, BASE, cube_mesh, CP_USE_BOTH, NULL);
    (void)add_instance_of(scene, LINK2, cube_mesh, CP_USE_DRAWN, NULL);
    (void)add_instance_of(scene, LINK2, box_mesh, CP_USE_COLLISION, NULL);
    (void)add_instance_of(scene, TOOL, soup_mesh, CP_USE_DRAWN, &millimetres);
    (void)add_pair_of(scene, BASE, LINK2, "near");
    (void)add_pair_of(scene, LINK1, TOOL, "near");
    add_metadata_of(scene, CP_OWNER_JOINT, 1, "key", CP_VALUE_STRING, "value");
    add_metadata_of(scene, CP_OWNER_NODE, TOOL, "key", CP_VALUE_STRING, "value");
}

static int set_up(void **unused)
{
    (void)unused;
    memory = (struct counter){0};
    const cp_allocator allocator = {counted_resize, &memory};
    context = cp_context_new(&allocator);
    scene = cp_scene_new(context);
    const cp_pose up = plain_translation(0, 0, 5), along = plain_translation(2, 0, 0);
    assert_int_equal(add_node_at(scene, 0, "base", &up), BASE);
    assert_int_equal(add_node_at(scene, BASE, "link1", NULL), LINK1);
    assert_int_equal(add_node_at(scene, LINK1, "link2", NULL), LINK2);
    assert_int_equal(add_node_at(scene, LINK2, "follower", NULL), FOLLOWER);
    assert_int_equal(add_node_at(scene, LINK2, "tool", &along), TOOL);
    assert_int_equal(add_node_at(scene, 0, "twin", NULL), TWIN);
    assert_int_equal(add_node_at(scene, BASE, "twin", NULL), OTHER_TWIN);
    assert_int_equal(add_node_at(scene, 0, "lost", NULL), LOST);
    add_joints();
    add_geometry();
    struct draft draft = draft_of(scene);
    draft.joints[0].home = 0.25;
    draft.joints[1].home = 1;
    draft.joints[2].driven = false;
    draft.joints[2].master = 0;
    draft.joints[2].scale = 2;
    for (uint32_t node = LINK1; node <= FOLLOWER; node++)
        draft.nodes[node].scope = 0;
    draft.nodes[LOST].flags = CP_NODE_PLACEHOLDER;
    scene = built_again(&draft, context);
    return cp_scene_finish(scene) == CP_OK ? 0 : 1;
}

static int tear_down(void **unused)
{
    (void)unused;
    cp_scene_free(scene);
    cp_context_free(context);
    assert_int_equal(memory.blocks, 0);
    return 0;
}

static cp_status apply(const char *filter, const char *first, const char *second)
{
    return apply_filter(context, scene, filter, first, second, NULL);
}

/* CP_NONE if there is none. */
static uint32_t node_index(const char *name)
{
    for (uint32_t i = 0; i < count_nodes(scene); i++)
        if (strcmp(cp_nodes(scene, NULL)[i].name, name) == 0)
            return i;
    return CP_NONE;
}

static void expect_origin(const char *name, double x, double y, double z)
{
    cp_pose worlds[16];
    pose_scene(scene, NULL, worlds);
    const double *m = worlds[node_index(name)].m;
    assert_true(fabs(m[3] - x) < 1e-12 && fabs(m[7] - y) < 1e-12 && fabs(m[11] - z) < 1e-12);
}

/* ---- weld ---- */

static const cp_mesh *mesh_at(uint32_t index)
{
    return &cp_meshes(scene, NULL)[index];
}

static const cp_mesh *soup(void)
{
    return mesh_at(0);
}

static void set_mesh(uint32_t index, const cp_mesh *mesh)
{
    assert_int_equal(cp_set_mesh(scene, index, mesh), CP_OK);
    assert_int_equal(cp_scene_finish(scene), CP_OK);
}
static void test_weld_joins_equal_bits(void **unused)
{
    (void)unused;
    assert_int_equal(apply("weld", NULL, NULL), CP_OK);
    const uint32_t expected[] = {0, 1, 2, 1, 3, 2};
    assert_int_equal(soup()->vertex_count, 5); /* the unused one stays */
    assert_memory_equal(soup()->corners, expected, sizeof expected);
    for (int i = 0; i < 6; i++)
        assert_memory_equal(position_at(soup(), expected[i]), soup_positions + 3 * i, 12);
    assert_true(was_said(context, "of 15 vertices stay"));
    const cp_mesh before = *soup();
    assert_int_equal(apply("weld", NULL, NULL), CP_OK);
    assert_memory_equal(&before, soup(), sizeof before);
}

static void test_weld_looks_at_normals_and_colours(void **unused)
{
    (void)unused;
    static const float normals[] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, -1, 0, 0, 1};
    static float colours[28];
    colours[4 * 3] = 0.5f; /* vertex 3 is not as 1, and 5 not as 2 by its normal */
    cp_mesh mesh = make_soup();
    mesh.normals = normals;
    set_mesh(0, &mesh);
    assert_int_equal(apply("weld", NULL, NULL), CP_OK);
    assert_int_equal(soup()->vertex_count, 6);
    assert_true(soup()->normals[3 * soup()->corners[5] + 2] == -1);
    mesh.colours = colours;
    set_mesh(0, &mesh);
    assert_int_equal(apply("weld", "tolerance=1e-9", NULL), CP_OK);
    assert_int_equal(soup()->vertex_count, 7);
    mesh = *soup();
    mesh.normals = NULL;
    set_mesh(0, &mesh);
    assert_int_equal(apply("weld", "tolerance=1e-9", NULL), CP_OK);
    assert_int_equal(soup()->vertex_count, 6);
    assert_true(soup()->colours[4 * soup()->corners[3]] == 0.5f);
}

/* The soup is in millimetres: its instance scales by 0.001. */
static void test_weld_tolerance_is_in_metres_of_the_world(void **unused)
{
    (void)unused;
    assert_int_equal(apply("weld", "tolerance=0.9mm", NULL), CP_OK);
    assert_int_equal(soup()->vertex_count, 5);
    assert_false(was_reported(context, "weld-collapsed"));
    assert_int_equal(apply("weld", "tolerance=1.1mm", NULL), CP_OK);
    const uint32_t expected[] = {0, 0, 0, 0, 1, 0}; /* the lowest leads; 1.4 mm away is too far */
    assert_int_equal(soup()->vertex_count, 3);
    assert_memory_equal(soup()->corners, expected, sizeof expected);
    assert_int_equal(soup()->face_count, 2);
    assert_true(was_reported(context, "weld-collapsed"));
    assert_int_equal(apply("weld", "tolerance=-1", NULL), CP_USAGE);
}

/* Against the rule itself: in order, the lowest earlier leader within the tolerance. */
static void test_weld_tolerance_as_by_comparing_all(void **unused)
{
    (void)unused;
    enum { COUNT = 600 };
    struct random random = {11};
    for (int round = 0; round < 8; round++) {
        float positions[3 * COUNT];
        uint32_t corners[COUNT], leaders[COUNT], numbers[COUNT], count = 0;
        double tolerance = round % 2 ? 0.25 : 0.11, shift = round < 4 ? 0 : -1000;
        for (uint32_t i = 0; i < 3 * COUNT; i++)
            positions[i] = (float)((int)(random_bits(&random) % 65) - 32) / 32 + (float)shift; /* often 0.25 apart */
        for (uint32_t i = 0; i < COUNT; i++) {
            corners[i] = i;
            leaders[i] = i;
            for (uint32_t k = 0; k < i && leaders[i] == i; k++) {
                double squares = 0;
                for (uint32_t axis = 0; axis < 3; axis++) {
                    double apart = (double)positions[3 * i + axis] - (double)positions[3 * k + axis];
                    squares += apart * apart;
                }
                if (leaders[k] == k && squares <= tolerance * tolerance)
                    leaders[i] = k;
            }
            numbers[i] = leaders[i] == i ? count++ : numbers[leaders[i]];
        }
        set_mesh(1, &(cp_mesh){.vertex_count = COUNT,
                               .face_count = COUNT / 3,
                               .corner_count = COUNT,
                               .positions = positions,
                               .corners = corners});
        char option[64];
        (void)snprintf(option, sizeof option, "tolerance=%s", round % 2 ? "0.25" : "0.11");
        assert_int_equal(apply("weld", option, NULL), CP_OK);
        assert_int_equal(mesh_at(1)->vertex_count, count);
        assert_memory_equal(mesh_at(1)->corners, numbers, sizeof numbers);
    }
}

/* ---- normals, triangulate ---- */

static void test_normals_modes(void **unused)
{
    (void)unused;
    static const float up[] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
    cp_mesh mesh = make_soup();
    mesh.normals = up;
    set_mesh(0, &mesh);
    const float *had = soup()->normals;
    assert_int_equal(apply("normals", "mode=keep", NULL), CP_OK);
    assert_ptr_equal(soup()->normals, had);
    assert_int_equal(mesh_at(1)->vertex_count, 24); /* the cube's edges are beyond 30 degrees */
    assert_int_equal(mesh_at(2)->kind, CP_MESH_FACES);
    assert_true(was_reported(context, "normals-primitives"));
    assert_int_equal(apply("normals", "crease=91deg", NULL), CP_OK);
    assert_true(fabs((double)mesh_at(1)->normals[0] + 1 / sqrt(3)) < 1e-6);
    assert_int_equal(apply("normals", "mode=none", NULL), CP_OK);
    for (uint32_t i = 0; i < count_meshes(scene); i++)
        assert_null(mesh_at(i)->normals);
    assert_int_equal(apply("normals", "crease=-1", NULL), CP_USAGE);
    assert_int_equal(apply("normals", "mode=soft", NULL), CP_USAGE);
}

static void test_triangulate(void **unused)
{
    (void)unused;
    assert_int_equal(apply("triangulate", NULL, NULL), CP_OK);
    assert_int_equal(mesh_at(1)->face_count, 12);
    assert_null(mesh_at(1)->face_offsets);
    assert_int_equal(mesh_at(2)->kind, CP_MESH_BOX);
    assert_int_equal(apply("triangulate", "primitives", NULL), CP_OK);
    assert_int_equal(mesh_at(2)->kind, CP_MESH_FACES);
    assert_int_equal(mesh_at(2)->face_count, 12);
}

/* ---- flatten ---- */

static void test_flatten(void **unused)
{
    (void)unused;
    cp_measures before = {.size = sizeof before}, after = before;
    assert_int_equal(apply("pose", "device=Robot", "q=1,3"), CP_OK);
    assert_int_equal(cp_measure(context, scene, CP_USE_BOTH, &before), CP_OK);
    assert_int_equal(apply("flatten", NULL, NULL), CP_OK);
    assert_int_equal(cp_measure(context, scene, CP_USE_BOTH, &after), CP_OK);
    assert_memory_equal(&before, &after, sizeof before);
    assert_int_equal(count_joints(scene) + count_devices(scene), 0);
    assert_int_equal(count_nodes(scene), 5); /* WORLD, base, link2, tool, lost */
    for (uint32_t i = 1; i < count_nodes(scene); i++)
        assert_int_equal(cp_nodes(scene, NULL)[i].parent, 0);
    expect_origin("tool", 2 * cos(1), 2 * sin(1), 8);
    assert_int_equal(count_meshes(scene), 3);
    assert_int_equal(count_instances(scene), 5);
    assert_int_equal(count_pairs(scene), 1);
    assert_int_equal(count_metadata(scene), 1);
    const char *codes[] = {"flatten-joints", "flatten-devices", "flatten-frames", "flatten-pairs"};
    for (int i = 0; i < 4; i++)
        assert_true(was_reported(context, codes[i]));
    assert_int_equal(apply("flatten", NULL, NULL), CP_OK);
    size_t count;
    (void)cp_report(context, &count);
    assert_int_equal(count, 0);
}

static void test_flatten_drops_clips(void **unused)
{
    (void)unused;
    static const double times[] = {0, 1}, values[] = {0, 1};
    (void)add_clip_of(scene, "clip", 1, &(cp_track){0, CP_PATH_JOINT, CP_LINEAR, 2, times, values});
    assert_int_equal(cp_scene_finish(scene), CP_OK);
    assert_int_equal(apply("flatten", NULL, NULL), CP_OK);
    assert_int_equal(count_clips(scene), 0);
    assert_true(was_reported(context, "flatten-clips"));
}

/* ---- select ---- */

static void test_select_a_subtree(void **unused)
{
    (void)unused;
    assert_int_equal(apply("select", "node=link2", NULL), CP_OK);
    assert_int_equal(count_nodes(scene), 4); /* WORLD, link2, follower, tool */
    assert_int_equal(node_index("base"), CP_NONE);
    assert_int_equal(count_instances(scene), 3); /* not the world's */
    assert_int_equal(count_joints(scene), 2);
    expect_origin("tool", 2 * cos(0.25), 2 * sin(0.25), 6);
    assert_int_equal(count_pairs(scene), 0);
}

static void test_select_a_device(void **unused)
{
    (void)unused;
    assert_int_equal(apply("select", "device=Robot", NULL), CP_OK);
    assert_int_equal(count_devices(scene), 1);
    assert_int_equal(count_joints(scene), 3);
    assert_int_equal(count_nodes(scene), 5);     /* WORLD, base, link1, link2, follower */
    assert_int_equal(count_instances(scene), 2); /* base stays as a frame */
    assert_int_equal(node_called(scene, "base")->instance_count, 0);
    expect_origin("link2", 0, 0, 6);
}

static void test_select_a_device_with_the_devices_it_brought(void **unused)
{
    (void)unused;
    uint32_t hand = add_device_of(scene, "Hand", LINK2, LINK2, 0, NULL);
    uint32_t finger = add_device_of(scene, "Finger", TOOL, TOOL, 0, NULL);
    struct draft draft = draft_of(scene);
    draft.devices[hand].scope = 0;
    draft.devices[finger].scope = hand;
    draft.nodes[TOOL].scope = finger;
    scene = built_again(&draft, context);
    assert_int_equal(cp_scene_finish(scene), CP_OK);
    assert_int_equal(apply("select", "device=Hand", NULL), CP_OK);
    assert_int_equal(count_devices(scene), 2);
    assert_int_equal(node_index("link1"), CP_NONE);
    assert_int_equal(node_called(scene, "tool")->instance_count, 1);
    assert_int_equal(node_called(scene, "link2")->instance_count, 0);
}

static void test_select_by_id_and_what_it_refuses(void **unused)
{
    (void)unused;
    assert_int_equal(apply("select", "node=linq2", NULL), CP_USAGE);
    assert_true(was_reported(context, "filter-no-such-name") && was_said(context, "link2"));
    assert_int_equal(apply("select", "node=twin", NULL), CP_USAGE);
    assert_true(was_reported(context, "filter-ambiguous-name") && was_said(context, "id:twin, id:twin#2"));
    assert_int_equal(apply("select", "device=base", NULL), CP_USAGE);
    assert_int_equal(apply("select", NULL, NULL), CP_USAGE);
    assert_true(was_reported(context, "select-what"));
    assert_int_equal(apply("select", "node=base", "device=Robot"), CP_USAGE);
    assert_int_equal(count_nodes(scene), 9);
    assert_int_equal(apply("select", "node=id:twin", NULL), CP_OK);
    assert_int_equal(count_nodes(scene), 2);
    assert_string_equal(cp_nodes(scene, NULL)[1].id, "twin");
    expect_origin("twin", 0, 0, 0);
}

static void test_select_the_world_is_everything(void **unused)
{
    (void)unused;
    assert_int_equal(apply("select", "node=WORLD", NULL), CP_OK);
    assert_int_equal(count_nodes(scene), 9);
    assert_int_equal(count_instances(scene), 5);
}

/* ---- pose ---- */

static void expect_values(double first, double second)
{
    assert_true(cp_joints(scene, NULL)[0].q == first);
    assert_true(cp_joints(scene, NULL)[1].q == second);
    assert_true(cp_joints(scene, NULL)[0].home == 0.25);
}

static void test_pose_a_device(void **unused)
{
    (void)unused;
    assert_int_equal(apply("pose", "device=Robot", "q=0.5,-2e-1"), CP_OK);
    expect_values(0.5, -0.2);
    assert_true(joint_value(scene, 2, NULL) == 1);
    assert_int_equal(apply("pose", "device=Robot", "deg= 90 , 0.125"), CP_OK);
    expect_values(PI / 2, 0.125); /* metres stay metres */
    assert_false(was_reported(context, "pose-limit"));
    assert_int_equal(apply("pose", "device=Robot", "deg=180,0"), CP_OK);
    expect_values(PI, 0); /* taken, but said */
    assert_true(was_reported(context, "pose-limit") && was_said(context, "\"J1\" at 3.14159"));
    assert_int_equal(apply("pose", "device=Robot", "q=45deg,-30 mm"), CP_OK);
    expect_values(PI / 4, -0.03);
    assert_int_equal(apply("pose", "device=Robot", "deg=1rad,2in"), CP_OK);
    expect_values(1, 0.0508);
    assert_int_equal(apply("pose", "home=yes", "device=Robot"), CP_OK);
    expect_values(0.25, 1);
}

static void test_pose_home_prefers_the_device(void **unused)
{
    (void)unused;
    static const double home[] = {0.75, 0.5, 0};
    cp_device robot = *cp_devices(scene, NULL);
    robot.home = home;
    assert_int_equal(cp_set_device(scene, 0, &robot), CP_OK);
    assert_int_equal(cp_scene_finish(scene), CP_OK);
    assert_int_equal(apply("pose", "home", "device=Robot"), CP_OK);
    expect_values(0.75, 0.5);
    assert_int_equal(apply("pose", "home", NULL), CP_OK);
    expect_values(0.25, 1);
}

static void test_pose_a_joint(void **unused)
{
    (void)unused;
    assert_int_equal(apply("pose", "joint=J1", "value=-1"), CP_OK);
    expect_values(-1, 1);
    assert_int_equal(apply("pose", "joint=J1", "deg=90"), CP_OK);
    expect_values(PI / 2, 1);
    assert_int_equal(apply("pose", "joint=J2", "q=4"), CP_OK);
    assert_int_equal(apply("pose", "joint=J1", "home=yes"), CP_OK);
    expect_values(0.25, 4);
}

static void test_pose_refuses(void **unused)
{
    (void)unused;
    static const struct {
        const char *first, *second, *code;
    } cases[] = {
        {"device=Robot", "q=1,2,3", "pose-count"},
        {"device=Robot", "q=", "pose-count"},
        {"device=Robot", "q=1,x", "pose-number"},
        {"device=Robot", "q=1,1e999", "pose-number"},
        {"device=Robot", "q=1 2,3", "pose-number"},
        {"device=Robot", "q=1mm,3", "pose-number"},
        {"device=Robot", "q=1,3deg", "pose-number"},
        {"device=Robot", "q=inf,3", "pose-number"},
        {"joint=J1", "q=,", "pose-count"},
        {"joint=J1", "value=", "pose-number"},
        {"joint=J3", "q=1", "pose-dependent"},
        {"device=Robot", NULL, "pose-what"},
        {"q=1", "deg=1", "pose-what"},
        {"q=1", NULL, "pose-whose"},
        {"device=Robot", "value=1", "pose-whose"},
        {"device=Robo", "q=1,2", "filter-no-such-name"},
        {"joint=J9", "q=1", "filter-no-such-name"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(apply("pose", cases[i].first, cases[i].second), CP_USAGE);
        assert_true(was_reported(context, cases[i].code));
        expect_values(0.25, 1);
    }
    assert_int_equal(apply("pose", "device=Robo", "q=1,2"), CP_USAGE);
    assert_true(was_said(context, "Robot"));
}

/* ---- memory ---- */

static void fail_everywhere(const char *filter, const char *first, const char *second)
{
    for (size_t fail = 1;; fail++) {
        assert_int_equal(set_up(NULL), 0);
        const char *options[] = {first, second};
        memory.limit = memory.calls + fail;
        cp_status status = cp_apply(context, scene, filter, options, (size_t)(first != NULL) + (second != NULL));
        bool failed = memory.calls >= memory.limit;
        memory.limit = 0;
        assert_int_equal(status, failed ? CP_LIMIT : CP_OK);
        assert_int_equal(cp_validate(context, scene), CP_OK);
        assert_int_equal(tear_down(NULL), 0);
        if (!failed)
            return;
    }
}

static void test_every_allocation_may_fail(void **unused)
{
    (void)unused;
    fail_everywhere("weld", NULL, NULL);
    fail_everywhere("weld", "tolerance=1mm", NULL);
    fail_everywhere("normals", "crease=91deg", NULL);
    fail_everywhere("triangulate", "primitives", NULL);
    fail_everywhere("flatten", NULL, NULL);
    fail_everywhere("select", "node=link2", NULL);
    fail_everywhere("select", "device=Robot", NULL);
    fail_everywhere("pose", "device=Robot", "deg=180,0");
}

static void test_topology_and_measures_without_memory(void **unused)
{
    (void)unused;
    for (size_t fail = 1;; fail++) {
        cp_measures measures = {.size = sizeof measures};
        cp_topology topology = {.size = sizeof topology};
        memory.limit = memory.calls + fail;
        cp_status measured = cp_measure(context, scene, CP_USE_BOTH, &measures);
        cp_status found = cp_mesh_topology(context, mesh_at(1), &topology);
        cp_status primitive = cp_mesh_topology(context, mesh_at(2), &topology);
        bool failed = memory.calls >= memory.limit;
        memory.limit = 0;
        assert_int_equal((measured == CP_LIMIT) + (found == CP_LIMIT) + (primitive == CP_LIMIT), failed);
        if (!failed)
            return;
    }
}

/* A scene without anything goes through every filter. */
static void test_an_empty_scene(void **unused)
{
    (void)unused;
    cp_scene_free(scene);
    scene = cp_scene_new(context);
    assert_int_equal(cp_scene_finish(scene), CP_OK);
    const char *names[] = {"weld", "normals", "triangulate", "flatten"};
    for (int i = 0; i < 4; i++)
        assert_int_equal(apply(names[i], NULL, NULL), CP_OK);
    assert_int_equal(apply("select", "node=WORLD", NULL), CP_OK);
    assert_int_equal(apply("pose", "home", NULL), CP_OK);
    assert_int_equal(count_nodes(scene), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_weld_joins_equal_bits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_weld_looks_at_normals_and_colours, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_weld_tolerance_is_in_metres_of_the_world, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_weld_tolerance_as_by_comparing_all, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_normals_modes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_triangulate, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_flatten, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_flatten_drops_clips, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_select_a_subtree, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_select_a_device, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_select_a_device_with_the_devices_it_brought, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_select_by_id_and_what_it_refuses, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_select_the_world_is_everything, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_pose_a_device, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_pose_home_prefers_the_device, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_pose_a_joint, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_pose_refuses, set_up, tear_down),
        cmocka_unit_test(test_every_allocation_may_fail),
        cmocka_unit_test_setup_teardown(test_topology_and_measures_without_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_an_empty_scene, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
