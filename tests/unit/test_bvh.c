/* Trees of boxes against trying every pair of triangles, of which test_predicates.c tells that they are right. */
#include "collide/bvh.h"
#include "collide/distance.h"
#include "collide/triangles.h"
#include "mesh_builder.h"
#include "scene_fixture.h"

struct body {
    struct bvh bvh;
    struct builder shape;
};

static struct body finish_body(struct builder shape)
{
    struct body body = {.shape = shape};
    cp_mesh mesh = mesh_of(&shape);
    assert_int_equal(mesh_triangulate(scene, &mesh), CP_OK);
    body.bvh.vertex_count = mesh.vertex_count;
    body.bvh.triangle_count = mesh.face_count;
    body.bvh.vertices = scene_allocate(scene, mesh.vertex_count, sizeof *body.bvh.vertices);
    body.bvh.triangles = scene_allocate(scene, mesh.face_count, sizeof *body.bvh.triangles);
    for (uint32_t i = 0; i < mesh.vertex_count; i++)
        for (int axis = 0; axis < 3; axis++)
            body.bvh.vertices[i][axis] = (double)mesh.positions[3 * i + (uint32_t)axis];
    memcpy(body.bvh.triangles, mesh.corners, 12 * (size_t)mesh.face_count);
    assert_int_equal(bvh_build(context, &body.bvh), CP_OK);
    return body;
}

static void free_body(struct body *body)
{
    bvh_free(context, &body->bvh);
    free_builder(&body->shape);
}

static bool brute_force(const struct bvh *one, const struct bvh *other, const cp_pose *placed)
{
    for (uint32_t i = 0; i < one->triangle_count; i++)
        for (uint32_t k = 0; k < other->triangle_count; k++) {
            double first[3][3], second[3][3];
            for (int corner = 0; corner < 3; corner++) {
                memcpy(first[corner], one->vertices[one->triangles[i][corner]], sizeof first[corner]);
                pose_point(placed, other->vertices[other->triangles[k][corner]], second[corner]);
            }
            if (triangles_meet((const double(*)[3])first, (const double(*)[3])second))
                return true;
        }
    return false;
}

static bool expect_same(const struct body *one, const struct body *other, const cp_pose *placed)
{
    uint64_t tests = 0;
    bool expected = brute_force(&one->bvh, &other->bvh, placed);
    assert_int_equal(bvh_meet(&one->bvh, &other->bvh, placed, &tests), expected);
    assert_true(tests > 0);
    return expected;
}

static cp_pose random_pose(struct random *random, double distance)
{
    double axis[3], direction[3], length = 0, size = 0;
    for (int i = 0; i < 3; i++) {
        axis[i] = random_unit(random) - 0.5;
        direction[i] = random_unit(random) - 0.5;
        length += axis[i] * axis[i];
        size += direction[i] * direction[i];
    }
    for (int i = 0; i < 3; i++)
        axis[i] /= sqrt(length);
    cp_pose turned = pose_rotation(axis, 2 * PI * random_unit(random));
    for (int i = 0; i < 3; i++)
        turned.m[4 * i + 3] = direction[i] / sqrt(size) * distance;
    return turned;
}

static struct builder torus(uint32_t rings, uint32_t sides)
{
    struct builder builder = {0};
    add_torus(&builder, rings, sides);
    return builder;
}

/* Poses from apart to deep in each other, stretched and mirrored ones too. */
static void test_random_poses(void **unused)
{
    (void)unused;
    struct random random = {1};
    struct body one = finish_body(torus(16, 8)), other = finish_body(torus(12, 10));
    double size = 2 * one.bvh.reach;
    uint32_t met = 0, rounds = getenv("CELLPIPE_LONG") ? 20000 : 1000;
    for (uint32_t round = 0; round < rounds; round++) {
        cp_pose placed = random_pose(&random, size * random_unit(&random));
        if (round % 8 == 0) {
            cp_pose scaling =
                pose_scaling(0.2 + random_unit(&random), -0.2 - random_unit(&random), round % 16 ? 1 : 1e-3);
            placed = pose_multiply(&placed, &scaling);
        }
        met += expect_same(&one, &other, &placed);
    }
    assert_true(met > rounds / 5 && met < rounds * 4 / 5);
    free_body(&one);
    free_body(&other);
}

/* Moved to where they just meet, and by less than can be seen from there. */
static void test_near_touching(void **unused)
{
    (void)unused;
    struct random random = {2};
    struct body one = finish_body(torus(12, 8)), other = finish_body(torus(10, 6));
    for (uint32_t round = 0; round < 20; round++) {
        cp_pose direction = random_pose(&random, 1), placed = direction;
        double inside = 0, outside = 4 * one.bvh.reach;
        for (int step = 0; step < 50; step++) {
            double middle = (inside + outside) / 2;
            for (int i = 0; i < 3; i++)
                placed.m[4 * i + 3] = middle * direction.m[4 * i + 3];
            bool meet = expect_same(&one, &other, &placed);
            *(meet ? &inside : &outside) = middle;
        }
        for (double off = 1e-3; off > 1e-13; off /= 10)
            for (int side = -1; side <= 1; side += 2) {
                for (int i = 0; i < 3; i++)
                    placed.m[4 * i + 3] = (inside + side * off) * direction.m[4 * i + 3];
                (void)expect_same(&one, &other, &placed);
            }
    }
    free_body(&one);
    free_body(&other);
}

/* Boxes on a grid: faces on faces, sides on sides, corners on corners. */
static void test_whole_numbers(void **unused)
{
    (void)unused;
    struct random random = {3};
    uint32_t met = 0;
    for (uint32_t round = 0; round < 3000; round++) {
        struct builder shapes[2] = {{0}, {0}};
        for (int k = 0; k < 4; k++) {
            double low[3], high[3];
            for (int i = 0; i < 3; i++) {
                low[i] = random_bits(&random) % 4;
                high[i] = low[i] + random_bits(&random) % 3; /* flat ones, and lines, too */
            }
            add_box(&shapes[k % 2], low, high);
        }
        struct body one = finish_body(shapes[0]), other = finish_body(shapes[1]);
        cp_pose placed = pose_rotation_degrees((int)(random_bits(&random) % 3), 90 * (random_bits(&random) % 4));
        for (int i = 0; i < 3; i++)
            placed.m[4 * i + 3] = (double)(random_bits(&random) % 5) - 2;
        met += expect_same(&one, &other, &placed);
        free_body(&one);
        free_body(&other);
    }
    print_message("%u met\n", met);
    assert_true(met > 300 && met < 2700);
}

/* By trying all corners and many places of the other's faces: the distance is no larger, and not much smaller. */
static void test_distances(void **unused)
{
    (void)unused;
    struct random random = {4};
    struct body one = finish_body(torus(40, 20)), other = finish_body(torus(8, 6));
    enum { PARTS = 12 };
    for (int round = 0; round < 60; round++) {
        cp_pose placed = random_pose(&random, one.bvh.reach * (1 + 1.5 * random_unit(&random)));
        uint64_t tests = 0;
        double sampled = INFINITY, found = surfaces_distance(&one.bvh, &other.bvh, &placed, INFINITY, &tests);
        for (uint32_t i = 0; i < other.bvh.triangle_count; i++)
            for (int u = 0; u <= PARTS; u++)
                for (int v = 0; u + v <= PARTS; v++) {
                    const uint32_t *corners = other.bvh.triangles[i];
                    double point[3], there[3];
                    for (int k = 0; k < 3; k++)
                        point[k] = (other.bvh.vertices[corners[0]][k] * u + other.bvh.vertices[corners[1]][k] * v +
                                    other.bvh.vertices[corners[2]][k] * (PARTS - u - v)) /
                                   PARTS;
                    pose_point(&placed, point, there);
                    sampled = fmin(sampled, surface_distance(&one.bvh, there, sampled));
                }
        assert_true(found <= sampled + 1e-12);
        assert_int_equal(found == 0, bvh_meet(&one.bvh, &other.bvh, &placed, &tests));
        if (found > 0)
            assert_true(sampled - found < 0.15 * one.bvh.reach);
        assert_true(surfaces_distance(&one.bvh, &other.bvh, &placed, found / 2, &tests) >= found / 2);
    }
    free_body(&one);
    free_body(&other);
}

/* A point against every triangle of a body. */
static void test_point_distances(void **unused)
{
    (void)unused;
    struct random random = {5};
    struct body one = finish_body(torus(30, 12));
    for (int round = 0; round < 500; round++) {
        double point[3], best = INFINITY;
        for (int i = 0; i < 3; i++)
            point[i] = (2 * random_unit(&random) - 1) * one.bvh.reach;
        for (uint32_t i = 0; i < one.bvh.triangle_count; i++) {
            struct bvh alone = one.bvh;
            struct bvh_box box = {{0, 0, 0}, {1e9f, 1e9f, 1e9f}, i, 1};
            alone.boxes = &box;
            alone.box_count = 1;
            best = fmin(best, surface_distance(&alone, point, INFINITY));
        }
        assert_true(surface_distance(&one.bvh, point, INFINITY) == best);
        assert_true(surface_distance(&one.bvh, point, best / 2) == best / 2);
    }
    free_body(&one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_random_poses, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_near_touching, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_whole_numbers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_distances, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_point_distances, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
