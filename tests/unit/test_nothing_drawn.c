/* The loss "nothing-drawn": of models without geometry in outputs to look at; not of cells and stages. */
#include "fixture.h"

static const char frames[] = "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"name\":\"a\",\"children\":[1]},{}]}";

static cp_scene *read_frames(cp_context *context)
{
    cp_scene *scene;
    assert_int_equal(cp_read_memory(context, frames, sizeof frames - 1, "frames.gltf", NULL, NULL, 0, &scene), CP_OK);
    return scene;
}

static bool is_told(cp_context *context, const cp_scene *scene, const char *format, const char *option)
{
    void *bytes;
    size_t size;
    assert_int_equal(cp_write_memory(context, scene, format, &option, option ? 1 : 0, &bytes, &size), CP_OK);
    cp_free(context, bytes, size);
    bool told = find_last_entry(context, "nothing-drawn") != NULL;
    cp_report_clear(context);
    return told;
}

static void models_are_told_of(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_frames(context);
    assert_true(is_told(context, scene, "glb", "profile=deliver"));
    assert_true(is_told(context, scene, "vrml97", NULL));
    assert_true(is_told(context, scene, "stl", NULL));
    assert_false(is_told(context, scene, "glb", "profile=stage"));
    assert_false(is_told(context, scene, "dump", NULL));

    /* A box for collision alone is nothing to look at. */
    cp_mesh box = {.kind = CP_MESH_BOX, .size = {1, 1, 1}};
    (void)add_instance_of(scene, 1, add_mesh_of(scene, &box), CP_USE_COLLISION, NULL);
    assert_int_equal(cp_scene_finish(scene), CP_OK);
    assert_true(is_told(context, scene, "stl", NULL));
    assert_false(is_told(context, scene, "stl", "use=collision"));
    assert_false(is_told(context, scene, "glb", "collision=yes"));
    cp_scene_free(scene);
    scene = read_frames(context);
    (void)add_instance_of(scene, 1, add_mesh_of(scene, &box), CP_USE_DRAWN, NULL);
    assert_int_equal(cp_scene_finish(scene), CP_OK);
    assert_false(is_told(context, scene, "stl", NULL));
    assert_false(is_told(context, scene, "vrml97", NULL));
    cp_scene_free(scene);
    cp_context_free(context);
}

static void lines_are_nothing_in_stl(void **state)
{
    static const float positions[] = {0, 0, 0, 1, 0, 0};
    static const uint32_t offsets[] = {0, 2}, corners[] = {0, 1};
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_frames(context);
    cp_mesh lines = {.kind = CP_MESH_LINES, .vertex_count = 2, .face_count = 1, .corner_count = 2};
    lines.positions = positions;
    lines.face_offsets = offsets;
    lines.corners = corners;
    (void)add_instance_of(scene, 1, add_mesh_of(scene, &lines), CP_USE_DRAWN, NULL);
    assert_int_equal(cp_scene_finish(scene), CP_OK);
    assert_false(is_told(context, scene, "glb", "profile=deliver"));
    assert_true(is_told(context, scene, "stl", NULL));
    cp_scene_free(scene);
    cp_context_free(context);
}

static void cells_may_be_frames_alone(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene, *again;
    assert_int_equal(cp_read(context, SAMPLES "/tag_chain.wu", NULL, NULL, 0, &scene), CP_OK);
    assert_false(is_told(context, scene, "glb", "profile=deliver"));
    assert_false(is_told(context, scene, "vrml97", NULL));
    /* A file of ours says what it was made from. */
    const char *option = "profile=deliver";
    void *bytes;
    size_t size;
    assert_int_equal(cp_write_memory(context, scene, "glb", &option, 1, &bytes, &size), CP_OK);
    assert_int_equal(cp_read_memory(context, bytes, size, "cell.glb", NULL, NULL, 0, &again), CP_OK);
    assert_false(is_told(context, again, "vrml97", NULL));
    cp_free(context, bytes, size);
    cp_scene_free(again);
    cp_scene_free(scene);
    cp_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_are_told_of),
        cmocka_unit_test(lines_are_nothing_in_stl),
        cmocka_unit_test(cells_may_be_frames_alone),
    };
    cmocka_set_test_filter(getenv("CMOCKA_TEST_FILTER")); /* see bootstrap */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
