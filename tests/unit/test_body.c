/* Bodies of frames: what is solid, what is inside, and what meets. */
#include "collide/body/body.h"
#include "model/model.h"

#include "mesh_builder.h"
#include "scene_fixture.h"

static struct bodies bodies;

static void add_instance(uint32_t node, const cp_mesh *mesh)
{
    uint32_t index = scene_add_mesh(scene, mesh);
    cp_pose identity = POSE_IDENTITY;
    assert_true(index != CP_NONE);
    assert_true(scene_add_instance(scene, node, index, CP_USE_BOTH, &identity) != CP_NONE);
}

/* A frame with one instance of a mesh, that collides. */
static uint32_t add_frame(const cp_mesh *mesh, cp_pose pose)
{
    uint32_t node = scene_add_node(scene, 0, "frame", 5);
    assert_true(node != CP_NONE);
    scene->nodes[node].local = pose;
    add_instance(node, mesh);
    return node;
}

static cp_mesh primitive(cp_mesh_kind kind, double x, double y, double z, uint32_t sides)
{
    return (cp_mesh){.name = "m", .source = "", .kind = kind, .size = {x, y, z}, .sides = sides};
}

static bool meets(uint32_t one, uint32_t other, cp_pose placed)
{
    uint64_t tests = 0;
    cp_pose back;
    bool meet = bodies_meet(&bodies.items[one], &bodies.items[other], &placed, &tests);
    assert_true(pose_inverse(&placed, &back));
    assert_int_equal(bodies_meet(&bodies.items[other], &bodies.items[one], &back, &tests), meet);
    return meet;
}

static void test_one_in_another(void **unused)
{
    (void)unused;
    cp_mesh large = primitive(CP_MESH_BOX, 2, 2, 2, 0), small = primitive(CP_MESH_BOX, 0.5, 0.5, 0.5, 0);
    cp_mesh tube = primitive(CP_MESH_TUBE, 1, 0.5, 4, 24), plane = primitive(CP_MESH_PLANE, 1, 1, 0, 0);
    cp_pose identity = POSE_IDENTITY;
    add_frame(&large, identity);
    add_frame(&small, identity);
    add_frame(&tube, identity);
    add_frame(&plane, identity);
    assert_int_equal(bodies_find(&bodies, context, scene), CP_OK);
    assert_int_equal(bodies.count, 4);
    enum { LARGE, SMALL, TUBE, PLANE };
    assert_int_equal(bodies.items[TUBE].open_meshes, 0);
    assert_int_equal(bodies.items[PLANE].plane_count, 1);
    assert_true(meets(LARGE, SMALL, identity));
    assert_true(meets(LARGE, SMALL, pose_translation(1.25, 0, 0))); /* touching */
    assert_false(meets(LARGE, SMALL, pose_translation(1.2500001, 0, 0)));
    assert_false(meets(TUBE, SMALL, identity)); /* in the hole */
    assert_true(meets(TUBE, SMALL, pose_translation(1.25, 0, 0)));
    assert_true(meets(PLANE, SMALL, pose_translation(100, 0, 0.25))); /* a plane has no border */
    assert_false(meets(PLANE, SMALL, pose_translation(0, 0, 0.2500001)));
    assert_false(meets(PLANE, SMALL, pose_translation(0, 0, -0.3)));
    bodies_free(&bodies);
}

/* Without a lid a box has no inside. */
static void test_open_box(void **unused)
{
    (void)unused;
    struct builder closed = {0}, open = {0}, small = {0};
    cp_pose identity = POSE_IDENTITY;
    add_box(&closed, (const double[]){0, 0, 0}, (const double[]){4, 4, 4});
    add_box(&open, (const double[]){0, 0, 0}, (const double[]){4, 4, 4});
    open.faces--;
    add_box(&small, (const double[]){1, 1, 1}, (const double[]){2, 2, 2});
    cp_mesh meshes[] = {mesh_of(&closed), mesh_of(&open), mesh_of(&small)};
    for (int i = 0; i < 3; i++)
        add_frame(&meshes[i], identity);
    assert_int_equal(bodies_find(&bodies, context, scene), CP_OK);
    assert_int_equal(bodies.items[0].open_meshes, 0);
    assert_int_equal(bodies.items[1].open_meshes, 1);
    assert_true(meets(0, 2, identity));
    assert_false(meets(1, 2, identity));
    assert_true(meets(1, 2, pose_translation(2, 0, 0)));
    assert_true(meets(0, 1, identity));
    bodies_free(&bodies);
    free_builder(&closed);
    free_builder(&open);
    free_builder(&small);
}

/* Boxes on a grid, one in another and across each other; points in the middle of grid cells, straight below corners and
 * sides. */
static void test_points_in_boxes(void **unused)
{
    (void)unused;
    struct random random = {5};
    for (int round = 0; round < 300; round++) {
        struct builder builder = {0};
        double low[3][3], high[3][3];
        uint32_t count = 1 + random_bits(&random) % 3;
        for (uint32_t k = 0; k < count; k++) {
            for (int i = 0; i < 3; i++) {
                low[k][i] = random_bits(&random) % 6;
                high[k][i] = low[k][i] + 1 + random_bits(&random) % 5;
            }
            add_box(&builder, low[k], high[k]);
        }
        cp_mesh mesh = mesh_of(&builder);
        add_frame(&mesh, POSE_IDENTITY);
        assert_int_equal(bodies_find(&bodies, context, scene), CP_OK);
        for (int try = 0; try < 200; try++) {
            double point[3];
            bool inside = false, border = false;
            for (int i = 0; i < 3; i++)
                point[i] = (random_bits(&random) % 24) / 2.0;
            for (uint32_t k = 0; k < count; k++) {
                bool in = true, on = true;
                for (int i = 0; i < 3; i++) {
                    in = in && low[k][i] < point[i] && point[i] < high[k][i];
                    on = on && low[k][i] <= point[i] && point[i] <= high[k][i];
                }
                inside = inside || in;
                border = border || (on && !in);
            }
            if (!border)
                assert_int_equal(body_holds(&bodies.items[0], point, false), inside);
        }
        bodies_free(&bodies);
        free_builder(&builder);
        fresh_scene();
    }
}

/* A torus that is turned any way, against its formula. */
static void test_points_in_a_torus(void **unused)
{
    (void)unused;
    struct random random = {6};
    struct builder builder = {0};
    add_torus(&builder, 200, 100);
    cp_mesh mesh = mesh_of(&builder);
    add_frame(&mesh, POSE_IDENTITY);
    assert_int_equal(bodies_find(&bodies, context, scene), CP_OK);
    double reach = bodies.items[0].bvh.reach, inner = 0, outer = 0;
    for (uint32_t i = 0; i < mesh.vertex_count; i++) {
        double away = hypot((double)mesh.positions[3 * i], (double)mesh.positions[3 * i + 1]);
        outer = fmax(outer, away);
        inner = i == 0 ? away : fmin(inner, away);
    }
    double radius = (outer - inner) / 2, middle = (outer + inner) / 2;
    int counts[2] = {0, 0};
    for (int try = 0; try < 20000; try++) {
        double point[3];
        for (int i = 0; i < 3; i++)
            point[i] = (2 * random_unit(&random) - 1) * (i == 2 ? radius * 1.2 : reach);
        double away = hypot(hypot(point[0], point[1]) - middle, point[2]) / radius;
        if (fabs(away - 1) > 0.01) {
            assert_int_equal(body_holds(&bodies.items[0], point, false), away < 1);
            counts[away < 1]++;
        }
    }
    assert_true(counts[0] > 1000 && counts[1] > 1000);
    bodies_free(&bodies);
    free_builder(&builder);
}

/* A mesh that goes round the point the wrong way takes nothing off one that holds it, however many meshes have
 * something above it. */
static void test_windings_of_many_meshes(void **unused)
{
    (void)unused;
    struct builder wrong = {0}, sound = {0}, above[70] = {{0}};
    const double point[3] = {0.06, 0.02, -5};
    cp_pose identity = POSE_IDENTITY;
    add_box(&wrong, (const double[]){-9, -9, -6}, (const double[]){-2, -2, 10});
    /* inside out; an edge is common to both */
    add_box(&wrong, (const double[]){-2, -2, 10}, (const double[]){2, 2, -6});
    add_box(&sound, (const double[]){-1.5, -1.5, -6}, (const double[]){1.5, 1.5, 10});
    cp_mesh wrong_mesh = mesh_of(&wrong), sound_mesh = mesh_of(&sound);
    add_frame(&wrong_mesh, identity);
    uint32_t node = add_frame(&wrong_mesh, identity);
    for (int i = 0; i < 70; i++) {
        double half = 0.5 + 0.005 * i;
        add_box(&above[i], (const double[]){-half, -half, -half}, (const double[]){half, half, half});
        cp_mesh mesh = mesh_of(&above[i]);
        add_instance(node, &mesh);
    }
    add_instance(node, &sound_mesh);
    assert_int_equal(bodies_find(&bodies, context, scene), CP_OK);
    assert_int_equal(bodies.count, 2);
    assert_int_equal(bodies.items[1].solid_count, 72);
    for (int i = 0; i < 2; i++) {
        assert_true(body_holds(&bodies.items[i], point, false));
        assert_int_equal(body_holds(&bodies.items[i], point, true), i == 1);
    }
    bodies_free(&bodies);
    free_builder(&wrong);
    free_builder(&sound);
    for (int i = 0; i < 70; i++)
        free_builder(&above[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_one_in_another, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_open_box, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_points_in_boxes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_points_in_a_torus, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_windings_of_many_meshes, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
