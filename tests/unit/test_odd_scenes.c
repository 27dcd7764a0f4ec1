/* Scenes that no host can build and no reader makes: larger than memory, with limits the wrong way round, or with the
 * source of another scene. Exporters and filters see them whole, so these tests write into the tables. */
#include <math.h>

#include "model/model.h"
#include "scene_fixture.h"

static void write_to_limit(const char *code)
{
    void *bytes;
    size_t size, count;
    assert_int_equal(cp_write_memory(context, scene, "glb", NULL, 0, &bytes, &size), CP_LIMIT);
    assert_null(bytes);
    const cp_entry *entries = cp_report(context, &count);
    assert_int_equal(count, 1);
    assert_int_equal(entries[0].severity, CP_ERROR);
    assert_string_equal(entries[0].code, code);
}

/* More than 4 GiB is refused before a byte is read or written: the vertices are not there. */
static void test_too_large_for_glb(void **unused)
{
    static const float positions[3] = {0};
    (void)unused;
    uint32_t mesh = add_mesh_of(scene, &(cp_mesh){.name = "m", .positions = positions});
    finish_scene();
    scene->meshes[mesh].vertex_count = 400000000;
    write_to_limit("glb-size");
}

/* A polyline that would need more numbers than glTF counts is refused before it is looked at. */
static void test_too_many_to_count(void **unused)
{
    static const uint32_t offsets[] = {0, 3000000000}, none[] = {0};
    (void)unused;
    uint32_t lines = add_mesh_of(scene, &(cp_mesh){.name = "l", .kind = CP_MESH_LINES, .face_offsets = none});
    finish_scene();
    scene->meshes[lines].face_count = 1;
    scene->meshes[lines].face_offsets = offsets;
    write_to_limit("gltf-indices");
}

static void test_too_many_triangles(void **unused)
{
    static const uint32_t offsets[] = {0, 1500000000};
    (void)unused;
    uint32_t mesh = add_mesh_of(scene, &(cp_mesh){.name = "m"});
    finish_scene();
    scene->meshes[mesh].face_count = 1;
    scene->meshes[mesh].face_offsets = offsets;
    assert_int_equal(cp_apply(context, scene, "triangulate", NULL, 0), CP_LIMIT);
    assert_non_null(find_entry(context, "mesh-too-large"));
}

/* What no STL was read for is in metres, unless a unit is said. */
static void test_other_sources_are_in_metres(void **unused)
{
    static const char *const formats[] = {"", "obj", "3mf", "tag"};
    static const float corners[9] = {1, 2, 3, 2, 2, 3, 1, 4, 3};
    static const float facet[12] = {0, 0, 1, 1, 2, 3, 2, 2, 3, 1, 4, 3}; /* the normal, then the corners */
    static const uint32_t order[3] = {0, 1, 2};
    const cp_mesh mesh = {
        .vertex_count = 3, .face_count = 1, .corner_count = 3, .positions = corners, .corners = order};
    (void)unused;
    (void)add_instance_of(scene, add_node_at(scene, 0, "a", NULL), add_mesh_of(scene, &mesh), CP_USE_BOTH, NULL);
    finish_scene();
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        scene->source.format = formats[i];
        scene->source.unit = 0.001;
        size_t size;
        char *file = written_text(context, scene, "stl", NULL, &size);
        assert_int_equal(size, 84 + 50);
        assert_memory_equal(file + 84, facet, sizeof facet);
        free(file);
    }
}

/* Limits that no value is between, and one that is no number. */
static void test_exclude_limits(void **unused)
{
    static const double limits[2][2] = {{1, -1}, {NAN, 1}};
    static const cp_mesh box = {.kind = CP_MESH_BOX, .size = {1, 1, 1}};
    (void)unused;
    for (int i = 0; i < 2; i++) {
        fresh_scene();
        cp_report_clear(context);
        uint32_t arm = add_node_at(scene, 0, "arm", NULL), post = add_node_at(scene, 0, "post", NULL);
        uint32_t mesh = add_mesh_of(scene, &box), joint = add_joint_of(scene, arm, CP_JOINT_REVOLUTE, NULL);
        (void)add_instance_of(scene, arm, mesh, CP_USE_BOTH, NULL);
        (void)add_instance_of(scene, post, mesh, CP_USE_BOTH, NULL);
        finish_scene();
        scene->joints[joint].lower = limits[i][0];
        scene->joints[joint].upper = limits[i][1];
        assert_int_equal(cp_apply(context, scene, "exclude", NULL, 0), CP_INPUT);
        assert_non_null(find_entry(context, "exclude-limits"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_too_large_for_glb, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_too_many_to_count, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_too_many_triangles, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_other_sources_are_in_metres, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_exclude_limits, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
