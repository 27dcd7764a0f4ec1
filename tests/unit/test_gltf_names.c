/* Names of nodes in delivered files: no two are the same for three.js, by its rule worked out by hand; stages and what
 * is read back have the scene's. */
#include "gltf_written.h"

static const char *const names[] = {"block", "block 1",      "block", "a.b",  "ab", "a\302\240b",
                                    "a_b",   "w_instance_0", "Y up",  "x_01", "",   ""};
enum { NAMES = sizeof names / sizeof *names };

static const char *const unique[] = {"block", "block 1",        "block_2", "a.b",  "ab_1", "a\302\240b",
                                     "a_b_1", "w_instance_0_1", "Y up_1",  "x_01", "",     ""};

static void make_scene(struct written *file)
{
    static const float corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const uint32_t triangle[] = {0, 1, 2};
    for (int i = 0; i < NAMES; i++)
        add_node(file, 0, names[i]);
    assert_int_equal(add_joint_of(file->scene, 1, CP_JOINT_REVOLUTE, "block"), 0);
    cp_mesh mesh = {.name = "block",
                    .source = "",
                    .vertex_count = 3,
                    .positions = corners,
                    .face_count = 1,
                    .corner_count = 3,
                    .corners = triangle};
    uint32_t block = add_mesh(file, mesh);
    mesh.name = "free";
    uint32_t other = add_mesh(file, mesh);
    add_instance(file, 5, block, CP_USE_DRAWN, plain_translation(1, 2, 3));
    add_instance(file, 6, other, CP_USE_DRAWN, plain_translation(1, 2, 3));
    complete(file);
}

static void delivered_names_are_unique(void **state)
{
    (void)state;
    struct written file = start();
    make_scene(&file);
    write_with(&file, "profile=deliver", NULL);
    for (uint32_t i = 0; i < NAMES; i++) {
        json_t *node = node_of(&file, cp_nodes(file.scene, NULL)[i + 1].id);
        assert_string_equal(text(node, "name"), unique[i]);
        json_t *exact = json_object_get(ours(node), "name");
        assert_true((exact != NULL) == (strcmp(names[i], unique[i]) != 0));
        assert_true(!exact || strcmp(json_string_value(exact), names[i]) == 0);
    }
    json_t *moving = joint_node_of(&file, "block");
    assert_string_equal(text(moving, "name"), "block_3");
    assert_string_equal(text(get(ours(moving), "joint"), "name"), "block");
    /* Of nodes and two meshes called "block", three.js would call the second block_1. */
    json_t *mesh = at(file.json, "meshes", 0);
    assert_string_equal(text(mesh, "name"), "block_4");
    assert_string_equal(text(ours(mesh), "name"), "block");
    assert_string_equal(text(at(file.json, "meshes", 1), "name"), "free");

    /* Read back, all have their names. */
    cp_scene *again = NULL;
    assert_int_equal(cp_read_memory(file.context, file.bytes, file.size, "a.glb", "gltf", NULL, 0, &again), CP_OK);
    for (uint32_t i = 0; i < count_nodes(file.scene); i++)
        assert_string_equal(cp_nodes(again, NULL)[i].name, cp_nodes(file.scene, NULL)[i].name);
    assert_string_equal(cp_joints(again, NULL)[0].name, "block");
    assert_string_equal(cp_meshes(again, NULL)[0].name, "block");
    cp_scene_free(again);
    finish(&file);
}

static void stages_keep_names(void **state)
{
    (void)state;
    struct written file = start();
    make_scene(&file);
    write_with(&file, "profile=stage", NULL);
    for (uint32_t i = 0; i < NAMES; i++)
        assert_string_equal(text(node_of(&file, cp_nodes(file.scene, NULL)[i + 1].id), "name"), names[i]);
    assert_string_equal(text(joint_node_of(&file, "block"), "name"), "block");
    assert_string_equal(text(at(file.json, "meshes", 0), "name"), "block");
    finish(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(delivered_names_are_unique),
                                       cmocka_unit_test(stages_keep_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
