/* cp_measure against known volumes, areas and bounds. */
#include "mesh_support.h"

#include "mesh/mesh.h"
#include "model/model.h"
#include "scene_fixture.h"

static uint32_t place(uint32_t parent, const cp_mesh *mesh, uint32_t use, cp_pose pose)
{
    uint32_t node = add_node_at(scene, parent, "part", NULL);
    uint32_t index = scene_add_mesh(scene, mesh);
    assert_int_not_equal(scene_add_instance(scene, node, index, use, &pose), CP_NONE);
    return node;
}

/* The box alone is the same. */
static cp_measures measure(uint32_t use)
{
    cp_measures measures = {.size = sizeof measures}, boxes;
    assert_int_equal(scene_finish(scene), CP_OK);
    assert_int_equal(cp_measure(context, scene, use, &measures), CP_OK);
    assert_int_equal(measure_boxes(context, scene, use, &boxes), CP_OK);
    assert_true(boxes.any == measures.any && boxes.triangles == measures.triangles);
    assert_memory_equal(boxes.lower, measures.lower, sizeof boxes.lower);
    assert_memory_equal(boxes.upper, measures.upper, sizeof boxes.upper);
    return measures;
}

static void expect_near(double value, double expected)
{
    if (fabs(value - expected) > 1e-9 * (1 + fabs(expected)))
        print_error("%.17g is not %.17g\n", value, expected);
    assert_true(fabs(value - expected) <= 1e-9 * (1 + fabs(expected)));
}

static void expect_bounds(const cp_measures *measures, const double lower[3], const double upper[3])
{
    assert_true(measures->any);
    for (int axis = 0; axis < 3; axis++) {
        expect_near(measures->lower[axis], lower[axis]);
        expect_near(measures->upper[axis], upper[axis]);
    }
}

static void test_nothing(void **unused)
{
    (void)unused;
    cp_measures measures = measure(CP_USE_BOTH);
    assert_false(measures.any);
    assert_int_equal(measures.triangles, 0);
    assert_true(measures.area == 0 && measures.volume == 0);
}

static void test_a_moved_cube(void **unused)
{
    (void)unused;
    cp_mesh cube = make_cube();
    uint32_t arm = add_node_at(scene, 0, "arm", NULL);
    scene->nodes[arm].local = pose_translation(10, 0, 0);
    uint32_t joint = scene_add_joint(scene, arm, CP_JOINT_REVOLUTE, NULL);
    scene->joints[joint].home = PI / 2;
    (void)place(arm, &cube, CP_USE_BOTH, pose_scaling(1, 2, 3));
    cp_measures measures = measure(CP_USE_DRAWN);
    assert_int_equal(measures.triangles, 12);
    expect_near(measures.volume, 6);
    expect_near(measures.area, 2 * (2 + 3 + 6));
    expect_bounds(&measures, (const double[]){8, 0, 0}, (const double[]){10, 1, 3});
}

static void test_uses_are_apart(void **unused)
{
    (void)unused;
    cp_mesh cube = make_cube();
    (void)place(0, &cube, CP_USE_DRAWN, pose_translation(1, 0, 0));
    (void)place(0, &cube, CP_USE_COLLISION, pose_scaling(2, 2, 2));
    (void)place(0, &cube, CP_USE_BOTH, pose_scaling(3, 3, 3));
    expect_near(measure(CP_USE_DRAWN).volume, 1 + 27);
    expect_near(measure(CP_USE_COLLISION).volume, 8 + 27);
    expect_near(measure(CP_USE_BOTH).volume, 1 + 8 + 27);
    assert_int_equal(measure(CP_USE_BOTH).triangles, 36);
}

/* As exporters do, a mirrored part is seen from its outside. */
static void test_mirrored_sheared_and_flattened(void **unused)
{
    (void)unused;
    cp_mesh cube = make_cube();
    (void)place(0, &cube, CP_USE_BOTH, pose_scaling(-1, 1, 1));
    expect_near(measure(CP_USE_BOTH).volume, 1);
    (void)place(0, &cube, CP_USE_BOTH, (cp_pose){{1, 5, 0, 3, 0, 1, 0, 4, 0, 0, 1, 5}});
    expect_near(measure(CP_USE_BOTH).volume, 2);
    (void)place(0, &cube, CP_USE_BOTH, pose_scaling(1, 1, 0));
    cp_measures measures = measure(CP_USE_BOTH);
    expect_near(measures.volume, 2);
    expect_near(measures.area, 6 + (4 + 2 * sqrt(26)) + 2);
}

/* A small part far from the origin: its cones are a billion times as large as itself. */
static void test_far_from_the_origin(void **unused)
{
    (void)unused;
    cp_mesh cube = make_cube();
    (void)place(0, &cube, CP_USE_BOTH, (cp_pose){{0.125, 0, 0, 1e5, 0, 0.125, 0, -1e5, 0, 0, 0.125, 1e5}});
    cp_measures measures = measure(CP_USE_BOTH);
    assert_true(fabs(measures.volume * 512 - 1) < 1e-6);
    assert_true(fabs(measures.area * 64 / 6 - 1) < 1e-9);
}

static void test_concave_faces(void **unused)
{
    (void)unused;
    const float arrow[] = {0, 0, 2, 4, -3, 2, 1, 0, 2, 4, 3, 2};
    const uint32_t corners[] = {1, 2, 3, 0}, offsets[] = {0, 4}; /* a fan that overlaps */
    cp_mesh mesh = {.vertex_count = 4,
                    .face_count = 1,
                    .corner_count = 4,
                    .positions = arrow,
                    .face_offsets = offsets,
                    .corners = corners};
    (void)place(0, &mesh, CP_USE_BOTH, POSE_IDENTITY);
    cp_measures measures = measure(CP_USE_BOTH);
    expect_near(measures.area, 3);
    expect_near(measures.volume, 3.0 * 2 / 3);
    assert_int_equal(measures.triangles, 2);
}

static void test_lines_have_bounds_only_and_unused_vertices_none(void **unused)
{
    (void)unused;
    const float positions[] = {0, 0, 0, 1, 2, 3, 99, 99, 99};
    const uint32_t corners[] = {0, 1}, offsets[] = {0, 2};
    cp_mesh lines = {.kind = CP_MESH_LINES,
                     .vertex_count = 3,
                     .face_count = 1,
                     .corner_count = 2,
                     .positions = positions,
                     .face_offsets = offsets,
                     .corners = corners};
    (void)place(0, &lines, CP_USE_BOTH, pose_translation(1, 1, 1));
    cp_measures measures = measure(CP_USE_BOTH);
    assert_int_equal(measures.triangles, 0);
    assert_true(measures.area == 0);
    expect_bounds(&measures, (const double[]){1, 1, 1}, (const double[]){2, 3, 4});
}

/* As the polyhedra that are written. */
/* Vertices in any order, used more than once, and one that no face has. */
static void test_bounds_do_not_mind_the_order(void **unused)
{
    (void)unused;
    static const float positions[18] = {9, 9, 9, 1, 0, 0, 0, 2, 0, 0, 0, 3, -1, 0, 0, 0, -2, -3};
    static const uint32_t corners[9] = {5, 1, 3, 1, 4, 5, 2, 5, 3};
    cp_mesh mesh = {.kind = CP_MESH_FACES,
                    .vertex_count = 6,
                    .face_count = 3,
                    .corner_count = 9,
                    .positions = positions,
                    .corners = corners};
    (void)place(0, &mesh, CP_USE_BOTH, POSE_IDENTITY);
    cp_measures measures = measure(CP_USE_BOTH);
    expect_bounds(&measures, (const double[]){-1, -2, -3}, (const double[]){1, 2, 3});
}

static void test_primitives(void **unused)
{
    (void)unused;
    (void)place(0, &(cp_mesh){.kind = CP_MESH_BOX, .size = {1, 2, 4}}, CP_USE_BOTH, POSE_IDENTITY);
    expect_near(measure(CP_USE_BOTH).volume, 8);
    (void)place(0, &(cp_mesh){.kind = CP_MESH_CYLINDER, .sides = 4, .size = {1, 3}}, CP_USE_BOTH, POSE_IDENTITY);
    cp_measures measures = measure(CP_USE_BOTH);
    expect_near(measures.volume, 8 + 2 * 3);
    expect_near(measures.area, 2 * (2 + 4 + 8) + 2 * 2 + 4 * sqrt(2) * 3);
    assert_int_equal(measures.triangles, 12 + 8 + 4);
    expect_bounds(&measures, (const double[]){-1, -1, -2}, (const double[]){1, 1, 2});
}

/* Each once, where its first instance is; without one in its own coordinates. */
static void test_meshes_one_by_one(void **unused)
{
    (void)unused;
    cp_mesh cube = make_cube(), box = {.kind = CP_MESH_BOX, .size = {1, 2, 4}};
    cp_measures measures[3] = {{.size = sizeof *measures}, {.size = sizeof *measures}, {.size = sizeof *measures}};
    const cp_pose far = pose_translation(7, 0, 0), large = pose_scaling(-2, 2, 2);
    (void)place(0, &cube, CP_USE_DRAWN, large);
    assert_int_not_equal(scene_add_instance(scene, add_node_at(scene, 0, "again", NULL), 0, CP_USE_BOTH, &far),
                         CP_NONE);
    (void)place(0, &box, CP_USE_COLLISION, pose_translation(0, 0, 1));
    assert_int_equal(scene_add_mesh(scene, &cube), 2);
    assert_int_equal(scene_finish(scene), CP_OK);
    assert_int_equal(cp_measure_meshes(context, scene, measures), CP_OK);
    expect_near(measures[0].volume, 8);
    expect_bounds(&measures[0], (const double[]){-2, 0, 0}, (const double[]){0, 2, 2});
    expect_near(measures[1].volume, 8);
    expect_near(measures[1].area, 28);
    expect_bounds(&measures[1], (const double[]){-0.5, -1, -1}, (const double[]){0.5, 1, 3});
    expect_near(measures[2].volume, 1);
    assert_int_equal(measures[2].triangles, 12);
}

static void test_equal_meshes(void **unused)
{
    (void)unused;
    float moved[24], same[24];
    memcpy(moved, cube_positions, sizeof moved);
    memcpy(same, cube_positions, sizeof same);
    moved[23] = 1.5f;
    cp_mesh cube = make_cube(), other = make_cube(), copy = make_cube();
    other.positions = moved;
    copy.positions = same;
    (void)place(0, &cube, CP_USE_BOTH, POSE_IDENTITY);
    (void)place(0, &other, CP_USE_BOTH, POSE_IDENTITY);
    (void)place(0, &copy, CP_USE_BOTH, pose_translation(1, 2, 3));
    assert_int_equal(scene_finish(scene), CP_OK);
    uint32_t first[3];
    assert_int_equal(cp_equal_meshes(context, scene, first), CP_OK);
    assert_int_equal(first[0], 0);
    assert_int_equal(first[1], 1);
    assert_int_equal(first[2], 0);
    assert_int_equal(cp_mesh_bytes(&cube), 8 * 12 + 24 * 4 + 7 * 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_moved_cube, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_uses_are_apart, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_mirrored_sheared_and_flattened, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_far_from_the_origin, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_concave_faces, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_lines_have_bounds_only_and_unused_vertices_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bounds_do_not_mind_the_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_primitives, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_meshes_one_by_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_equal_meshes, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
