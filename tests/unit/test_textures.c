/* Texture coordinates through the filters, and textures that go with what uses them. */
#include "cellpipe_tool.h"
#include "scene_fixture.h"

/* Two triangles of a unit square, each with vertices of its own: their common edge is a seam for vertex 3 alone, whose
 * coordinates differ from those of vertex 1 at the same place. */
static const float square[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
static const float mapped[] = {0, 1, 1, 1, 0, 0, 0.5f, 1, 1, 0, 0, 0};
static const uint32_t square_corners[] = {0, 1, 2, 3, 4, 5};

static void add_square_with(const float *coordinates, const cp_group *group)
{
    cp_mesh mesh = {.name = "square",
                    .vertex_count = 6,
                    .face_count = 2,
                    .corner_count = 6,
                    .positions = square,
                    .corners = square_corners};
    mesh.coordinates[0] = coordinates;
    mesh.groups = group;
    mesh.group_count = group != NULL;
    add_instance_of(scene, 0, add_mesh_of(scene, &mesh), CP_USE_BOTH, NULL);
}

static void add_square(void)
{
    add_square_with(mapped, NULL);
}

static void apply(const char *filter, const char *option)
{
    if (cp_apply(context, scene, filter, &option, option ? 1 : 0) != CP_OK) {
        show_report(context);
        fail_msg("%s fails", filter);
    }
}

/* Every corner of the scene's faces shows the point of the texture that its place had: places are u and 1 - v, but for
 * vertex 3. */
static void expect_mapping(uint32_t seams)
{
    for (uint32_t i = 0; i < count_meshes(scene); i++) {
        const cp_mesh *mesh = &cp_meshes(scene, NULL)[i];
        assert_non_null(mesh->coordinates[0]);
        assert_null(mesh->coordinates[1]);
        for (uint32_t corner = 0; corner < mesh->corner_count; corner++) {
            const float *at = mesh->positions + 3 * (size_t)mesh->corners[corner];
            const float *uv = mesh->coordinates[0] + 2 * (size_t)mesh->corners[corner];
            bool seam = uv[0] > 0.25f && uv[0] < 0.75f;
            seams -= seam;
            assert_true(seam || (double)uv[0] == (double)at[0]);
            assert_true((double)uv[1] == 1 - (double)at[1]);
        }
    }
    assert_int_equal(seams, 0);
}

static void test_weld_compares_coordinates(void **unused)
{
    (void)unused;
    add_square();
    finish_scene();
    apply("weld", NULL);
    assert_int_equal(cp_meshes(scene, NULL)[0].vertex_count, 5); /* 2 and 5 are one; 1 and 3 are not */
    expect_mapping(1);
    apply("weld", "tolerance=10mm");
    assert_int_equal(cp_meshes(scene, NULL)[0].vertex_count, 5);
}

static void test_filters_carry_coordinates(void **unused)
{
    static const char *const steps[][2] = {{"normals", "mode=smooth"}, {"split-meshes", NULL}, {"merge-meshes", NULL},
                                           {"triangulate", NULL},      {"orient", NULL},       {"repair", NULL},
                                           {"instances", NULL},        {"flatten", NULL}};
    (void)unused;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        fresh_scene();
        add_square();
        add_square();
        finish_scene();
        apply(steps[i][0], steps[i][1]);
        expect_mapping(strcmp(steps[i][0], "instances") == 0 ? 1 : 2); /* one mesh in two places */
    }
}

static void test_copies_have_equal_coordinates(void **unused)
{
    (void)unused;
    static const float other[] = {0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 0};
    add_square();
    add_square_with(other, NULL);
    finish_scene();
    uint32_t first[2];
    assert_int_equal(cp_equal_meshes(context, scene, first), CP_OK);
    assert_int_equal(first[1], 1);
    apply("instances", "moved=yes");
    assert_int_equal(count_meshes(scene), 2);
    assert_int_equal(cp_mesh_bytes(&cp_meshes(scene, NULL)[0]), 6 * 5 * sizeof(float) + 6 * sizeof(uint32_t));
}

/* A grid of 8 x 8 squares in a plane, of which two triangles are enough. */
static void test_simplify_carries_coordinates(void **unused)
{
    enum { SIDE = 8, COUNT = (SIDE + 1) * (SIDE + 1) };
    (void)unused;
    static float positions[3 * COUNT], coordinates[2 * COUNT];
    static uint32_t corners[6 * SIDE * SIDE];
    for (uint32_t i = 0; i < COUNT; i++) {
        positions[3 * i] = coordinates[2 * i] = (float)(i % (SIDE + 1));
        positions[3 * i + 1] = coordinates[2 * i + 1] = (float)(i / (SIDE + 1));
    }
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        uint32_t a = i / SIDE * (SIDE + 1) + i % SIDE, b = a + SIDE + 1;
        const uint32_t square_of[] = {a, a + 1, b + 1, a, b + 1, b};
        memcpy(corners + 6 * (size_t)i, square_of, sizeof square_of);
    }
    cp_mesh mesh = {.vertex_count = COUNT,
                    .face_count = 2 * SIDE * SIDE,
                    .corner_count = 6 * SIDE * SIDE,
                    .positions = positions,
                    .corners = corners};
    mesh.coordinates[0] = mesh.coordinates[1] = coordinates;
    add_instance_of(scene, 0, add_mesh_of(scene, &mesh), CP_USE_BOTH, &PLAIN_IDENTITY);
    finish_scene();
    const float *kept = cp_meshes(scene, NULL)[0].coordinates[1];
    apply("simplify", "triangles=128"); /* as many as there are */
    assert_ptr_equal(cp_meshes(scene, NULL)[0].coordinates[1], kept);
    apply("simplify", "triangles=2");
    const cp_mesh *flat = &cp_meshes(scene, NULL)[0];
    assert_int_equal(flat->face_count, 2);
    for (uint32_t i = 0; i < flat->vertex_count; i++)
        for (size_t axis = 0; axis < 2; axis++) {
            assert_float_equal(flat->coordinates[0][2 * i + axis], flat->positions[3 * i + axis], 1e-5);
            assert_float_equal(flat->coordinates[1][2 * i + axis], flat->positions[3 * i + axis], 1e-5);
        }
}

/* Materials 0 to 2 of images 0 to 2; a mesh has material 1. */
static void test_unused_images_go(void **unused)
{
    (void)unused;
    static cp_texture_use uses[3];
    static cp_group group = {0, 2, 1};
    for (uint32_t i = 0; i < 3; i++) {
        static const char *const names[] = {"a", "b", "c"};
        uses[i] = (cp_texture_use){.texture = i, .scale = {1, 1}};
        cp_add_image(scene, &(cp_image){.name = names[i], .path = "x.png"});
        cp_add_texture(scene, &(cp_texture){.image = i, .fallback = i == 1 ? 2 : CP_NONE});
        cp_material material = cp_new_material();
        material.name = names[i];
        material.srgb = true;
        material.textures = &uses[i];
        material.texture_count = 1;
        cp_add_material(scene, &material);
    }
    add_square_with(mapped, &group);
    finish_scene();
    apply("select", "node=WORLD");
    assert_int_equal(count_materials(scene), 1);
    assert_int_equal(cp_materials(scene, NULL)[0].textures[0].texture, 0);
    assert_int_equal(count_textures(scene), 1);
    assert_int_equal(count_images(scene), 2);
    assert_string_equal(cp_images(scene, NULL)[cp_textures(scene, NULL)[0].image].name, "b");
    assert_string_equal(cp_images(scene, NULL)[cp_textures(scene, NULL)[0].fallback].name, "c");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_weld_compares_coordinates, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_filters_carry_coordinates, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_copies_have_equal_coordinates, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_simplify_carries_coordinates, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unused_images_go, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
