/* Which meshes have an inside for a collider, and which only seem to. */
#include <math.h>

#include "mesh_builder.h"
#include "scene_fixture.h"

static const double low[3] = {0, 0, 0}, high[3] = {1, 1, 1}, inner_low[3] = {0.25, 0.25, 0.25},
                    inner_high[3] = {0.75, 0.75, 0.75};

/* Turns the faces from `first` on. */
static void turn_faces(struct builder *builder, uint32_t first)
{
    for (uint32_t face = first; face < builder->faces; face++)
        for (uint32_t i = builder->offsets[face], k = builder->offsets[face + 1] - 1; i < k; i++, k--) {
            uint32_t corner = builder->corners[i];
            builder->corners[i] = builder->corners[k];
            builder->corners[k] = corner;
        }
}

static void add_turned_box(struct builder *builder, const double lower[3], const double upper[3])
{
    uint32_t first = builder->faces;
    add_box(builder, lower, upper);
    turn_faces(builder, first);
}

/* Each face with vertices of its own. */
static void part_faces(const struct builder *whole, struct builder *parted)
{
    for (uint32_t face = 0; face < whole->faces; face++) {
        uint32_t corners[8], count = 0;
        for (uint32_t i = whole->offsets[face]; i < whole->offsets[face + 1]; i++) {
            const float *at = whole->positions + 3 * (size_t)whole->corners[i];
            corners[count++] = add_vertex(parted, (double)at[0], (double)at[1], (double)at[2]);
        }
        add_face(parted, corners, count);
    }
}

/* The collider warns of a body whose surface alone is looked at. */
static bool is_solid(const struct builder *builder)
{
    const cp_mesh mesh = mesh_of(builder);
    cp_mesh ball = cp_new_mesh();
    ball.kind = CP_MESH_SPHERE;
    ball.sides = 8;
    ball.size[0] = 1;
    fresh_scene();
    cp_report_clear(context);
    (void)add_instance_of(scene, add_node_at(scene, 0, "mesh", NULL), add_mesh_of(scene, &mesh), CP_USE_BOTH, NULL);
    (void)add_instance_of(scene, add_node_at(scene, 0, "ball", NULL), add_mesh_of(scene, &ball), CP_USE_BOTH, NULL);
    finish_scene();
    cp_collider *collider;
    expect_status(context, cp_collider_new(context, scene, CP_TOUCH, true, &collider), CP_OK);
    cp_collider_free(collider);
    return !was_reported(context, "collide-open");
}

/* As it is, with all faces turned, and with vertices that only their positions join. */
static void expect(struct builder *builder, bool wanted)
{
    for (int turned = 0; turned < 2; turned++) {
        struct builder parted = {0};
        part_faces(builder, &parted);
        assert_int_equal(is_solid(builder), wanted);
        assert_int_equal(is_solid(&parted), wanted);
        free_builder(&parted);
        turn_faces(builder, 0);
    }
    free_builder(builder);
}

static void test_solids(void **unused)
{
    (void)unused;
    struct builder builder = {0};
    add_box(&builder, low, high);
    expect(&builder, true);
    add_box(&builder, low, high);
    add_box(&builder, inner_low, inner_high); /* one in another, wound alike: gone round twice */
    expect(&builder, true);
    add_box(&builder, low, high);
    add_turned_box(&builder, inner_low, inner_high); /* a cavity */
    expect(&builder, true);
    add_box(&builder, low, high);
    add_box(&builder, (const double[]){1, 0, 0}, (const double[]){2, 1, 1}); /* a wall in common */
    expect(&builder, true);
    add_box(&builder, low, high);
    add_box(&builder, (const double[]){0.5, 0.5, 0.5}, (const double[]){2, 2, 2}); /* they overlap */
    expect(&builder, true);
}

/* What is flat bounds nothing: both sides of a triangle, as exporters leave them behind. */
static void test_flat_bits(void **unused)
{
    (void)unused;
    struct builder builder = {0};
    add_box(&builder, low, high);
    /* and of a quad at an angle, whose corners are rounded */
    double turn = 0.7;
    uint32_t quad[4];
    for (int i = 0; i < 4; i++) {
        double x = i == 1 || i == 2, y = i > 1;
        quad[i] = add_vertex(&builder, 5 + x * cos(turn) - y * sin(turn) * 0.3, x * sin(turn) + y * cos(turn) * 0.3,
                             0.31 * x + 0.17 * y);
    }
    add_face(&builder, (const uint32_t[]){quad[0], quad[1], quad[3]}, 3);
    add_face(&builder, (const uint32_t[]){quad[3], quad[1], quad[2]}, 3);
    add_face(&builder, (const uint32_t[]){quad[0], quad[3], quad[1]}, 3);
    add_face(&builder, (const uint32_t[]){quad[3], quad[2], quad[1]}, 3);
    uint32_t corners[3] = {add_vertex(&builder, 3, 0, 0), add_vertex(&builder, 4, 0.1, 0.3),
                           add_vertex(&builder, 3, 1, 0.7)};
    add_face(&builder, corners, 3);
    add_face(&builder, (const uint32_t[]){corners[2], corners[1], corners[0]}, 3);
    expect(&builder, true);
}

static void test_no_solids(void **unused)
{
    (void)unused;
    struct builder builder = {0};
    add_box(&builder, low, high);
    builder.faces--;
    expect(&builder, false);
    add_box(&builder, low, high);
    add_turned_box(&builder, low, high); /* there twice, once from either side */
    expect(&builder, false);
    add_box(&builder, low, high);
    add_box(&builder, (const double[]){3, 0, 0}, (const double[]){4, 1, 1}); /* the same beside a sound box */
    add_turned_box(&builder, (const double[]){3, 0, 0}, (const double[]){4, 1, 1});
    expect(&builder, false);
    add_box(&builder, low, high);
    add_turned_box(&builder, (const double[]){0.3, 0, 0},
                   (const double[]){1.3, 1, 1}); /* nothing is left where they overlap */
    expect(&builder, false);
    add_box(&builder, low, high);
    add_turned_box(&builder, (const double[]){3, 0, 0}, (const double[]){4, 1, 1}); /* one of two is inside out */
    expect(&builder, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_solids, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_flat_bits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_solids, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
