/* Scenes that a host builds row by row, through the public headers alone. */
#include <dirent.h>

#include "scene_fixture.h"

/* ---- every sample once more ---- */

#define COPY_ROWS(view, add, type)                                                                                     \
    do {                                                                                                               \
        const type *rows = view(from, &count);                                                                         \
        for (uint32_t i = 0; i < count; i++) {                                                                         \
            type row = rows[i];                                                                                        \
            assert_int_equal(add(to, &row), i);                                                                        \
        }                                                                                                              \
    } while (0)

static void rebuild(const cp_scene *from, cp_scene *to)
{
    uint32_t count;
    const cp_node *nodes = cp_nodes(from, &count);
    for (uint32_t i = 1; i < count; i++)
        assert_int_equal(cp_add_node(to, &nodes[i]), i);
    COPY_ROWS(cp_meshes, cp_add_mesh, cp_mesh);
    COPY_ROWS(cp_images, cp_add_image, cp_image);
    COPY_ROWS(cp_textures, cp_add_texture, cp_texture);
    COPY_ROWS(cp_materials, cp_add_material, cp_material);
    COPY_ROWS(cp_instances, cp_add_instance, cp_instance);
    COPY_ROWS(cp_joints, cp_add_joint, cp_joint);
    COPY_ROWS(cp_loops, cp_add_loop, cp_loop);
    COPY_ROWS(cp_devices, cp_add_device, cp_device);
    COPY_ROWS(cp_pairs, cp_add_pair, cp_pair);
    COPY_ROWS(cp_clips, cp_add_clip, cp_clip);
    COPY_ROWS(cp_metadata, cp_add_metadata, cp_metadata_entry);
    cp_exclude_static_pairs(to, cp_excludes_static_pairs(from));
}

#define SET_ROWS(view, set, type)                                                                                      \
    do {                                                                                                               \
        (void)view(of, &count);                                                                                        \
        for (uint32_t i = 0; i < count; i++) {                                                                         \
            type row = view(of, NULL)[i];                                                                              \
            assert_int_equal(set(of, i, &row), CP_OK);                                                                 \
        }                                                                                                              \
    } while (0)

/* Puts every row in its own place. */
static void set_again(cp_scene *of)
{
    uint32_t count;
    SET_ROWS(cp_nodes, cp_set_node, cp_node);
    SET_ROWS(cp_meshes, cp_set_mesh, cp_mesh);
    SET_ROWS(cp_images, cp_set_image, cp_image);
    SET_ROWS(cp_textures, cp_set_texture, cp_texture);
    SET_ROWS(cp_materials, cp_set_material, cp_material);
    SET_ROWS(cp_instances, cp_set_instance, cp_instance);
    SET_ROWS(cp_joints, cp_set_joint, cp_joint);
    SET_ROWS(cp_loops, cp_set_loop, cp_loop);
    SET_ROWS(cp_devices, cp_set_device, cp_device);
    SET_ROWS(cp_pairs, cp_set_pair, cp_pair);
    SET_ROWS(cp_clips, cp_set_clip, cp_clip);
    SET_ROWS(cp_metadata, cp_set_metadata, cp_metadata_entry);
}

/* Compares what a dump does not show: the arrays of the meshes. */
static void expect_same_meshes(const cp_scene *one, const cp_scene *other)
{
    uint32_t count, others;
    const cp_mesh *a = cp_meshes(one, &count), *b = cp_meshes(other, &others);
    assert_int_equal(count, others);
    for (uint32_t i = 0; i < count; i++) {
        size_t vertices = a[i].vertex_count;
        assert_true(!a[i].positions == !b[i].positions && !a[i].normals == !b[i].normals);
        if (a[i].positions)
            assert_memory_equal(a[i].positions, b[i].positions, 3 * vertices * sizeof(float));
        if (a[i].normals)
            assert_memory_equal(a[i].normals, b[i].normals, 3 * vertices * sizeof(float));
        if (a[i].corners)
            assert_memory_equal(a[i].corners, b[i].corners, a[i].corner_count * sizeof(uint32_t));
        assert_true(!a[i].positions || a[i].positions != b[i].positions);
    }
}

static void test_samples(void **unused)
{
    (void)unused;
    DIR *folder = opendir(SAMPLES);
    int rebuilt = 0;
    assert_non_null(folder);
    for (const struct dirent *file; (file = readdir(folder));) {
        char path[1000];
        cp_scene *read, *built;
        (void)snprintf(path, sizeof path, "%s/%s", SAMPLES, file->d_name);
        cp_report_clear(context);
        if (file->d_name[0] == '.' || cp_read(context, path, NULL, NULL, 0, &read) != CP_OK)
            continue;
        built = cp_scene_new(context);
        assert_non_null(built);
        rebuild(read, built);
        assert_int_equal(cp_scene_finish(built), CP_OK);
        set_again(built);
        assert_int_equal(cp_scene_finish(built), CP_OK);
        expect_same_meshes(read, built);
        char *before = dump_of(context, read);
        cp_scene_free(read); /* the built one has copies of its own */
        char *after = dump_of(context, built);
        if (strcmp(before, after) != 0)
            fail_msg("%s is another scene when it is built again", path);
        cp_scene_free(built);
        free(before);
        free(after);
        rebuilt++;
    }
    (void)closedir(folder);
    assert_true(rebuilt > 30);
}

/* ---- by hand ---- */

static const float corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
static const uint32_t triangle[] = {0, 1, 2};

static uint32_t add_link(const char *name, uint32_t parent)
{
    cp_node node = cp_new_node();
    node.name = name;
    node.parent = parent;
    return cp_add_node(scene, &node);
}

static cp_mesh new_triangle(void)
{
    cp_mesh mesh = cp_new_mesh();
    mesh.name = "triangle";
    mesh.vertex_count = mesh.corner_count = 3;
    mesh.face_count = 1;
    mesh.positions = corners;
    mesh.corners = triangle;
    return mesh;
}

static void test_defaults(void **unused)
{
    (void)unused;
    uint32_t link = add_link("link", 0);
    cp_joint joint = cp_new_joint();
    joint.node = link;
    joint.upper = 2;
    assert_int_equal(cp_add_joint(scene, &joint), 0);
    cp_mesh mesh = new_triangle();
    cp_instance instance = cp_new_instance(link, cp_add_mesh(scene, &mesh));
    assert_int_equal(cp_add_instance(scene, &instance), 0);
    assert_int_equal(cp_scene_finish(scene), CP_OK);
    const cp_joint *made = cp_joints(scene, NULL);
    assert_string_equal(made->name, "link");
    assert_string_equal(made->id, "link");
    assert_true(made->q == 0 && made->upper == 2 && made->lower < -1e300 && made->driven && made->axis[2] == 1);
    cp_measures measures = {.size = sizeof measures};
    assert_int_equal(cp_measure(context, scene, CP_USE_COLLISION, &measures), CP_OK);
    assert_true(measures.triangles == 1 && measures.area == 0.5);
}

static void expect_refusal(const char *code)
{
    size_t count;
    const cp_entry *entries = cp_report(context, &count);
    assert_true(count > 0);
    assert_string_equal(entries[count - 1].code, code);
}

static void test_order(void **unused)
{
    (void)unused;
    uint32_t one = add_link("one", 0), other = add_link("other", one);
    cp_joint joint = cp_new_joint();
    joint.node = one;
    assert_int_equal(cp_add_joint(scene, &joint), 0);
    joint.node = other;
    assert_int_equal(cp_add_joint(scene, &joint), 1);
    joint.node = one;
    assert_int_equal(cp_add_joint(scene, &joint), CP_NONE);
    expect_refusal("build-order");
    cp_report_clear(context);
    joint.node = 17;
    assert_int_equal(cp_add_joint(scene, &joint), CP_NONE);
    expect_refusal("build-order");
}

/* Each is refused with a reason, and nothing is read that is not there. */
static void test_broken(void **unused)
{
    (void)unused;
    for (int fault = 0; fault < 6; fault++) {
        cp_scene *own = scene;
        scene = cp_scene_new(context);
        cp_mesh mesh = new_triangle();
        static const uint32_t beyond[] = {0, 1, 3};
        uint32_t parent = fault == 0 ? 5 : 0;
        uint32_t link = add_link("link", parent);
        if (fault == 1)
            mesh.corners = beyond;
        if (fault == 2)
            mesh.kind = (cp_mesh_kind)99;
        cp_joint joint = cp_new_joint();
        joint.node = link;
        if (fault == 3)
            joint.type = (cp_joint_type)7;
        if (fault == 4)
            joint.master = 9;
        cp_pair pair = cp_new_pair();
        pair.second = fault == 5 ? 8 : link;
        pair.reason = "given";
        assert_true(cp_add_joint(scene, &joint) == 0 && cp_add_mesh(scene, &mesh) == 0 &&
                    cp_add_pair(scene, &pair) == 0);
        cp_instance instance = cp_new_instance(link, 0);
        assert_int_equal(cp_add_instance(scene, &instance), 0);
        cp_report_clear(context);
        assert_int_equal(cp_scene_finish(scene), CP_USAGE);
        expect_refusal("scene-invalid");
        cp_scene_free(scene);
        scene = own;
    }
}

/* ---- ids, names and metadata ---- */

static void test_ids_are_unique_and_kept(void **unused)
{
    (void)unused;
    const char *names[] = {"a", "a", "a#2", "", "a", ""};
    for (size_t i = 0; i < 6; i++)
        (void)add_link(names[i], 0);
    const cp_node late = {.id = "a", .name = "x", .scope = CP_NONE, .local = PLAIN_IDENTITY}; /* as a stage gives it */
    (void)cp_add_node(scene, &late);
    finish_scene();
    const char *ids[] = {"WORLD", "a#2", "a#3", "a#2#2", "node", "a#4", "node#2", "a"};
    for (uint32_t i = 0; i < 8; i++)
        assert_string_equal(cp_nodes(scene, NULL)[i].id, ids[i]);
}

/* Keys tell where each entry has to end up. */
static void test_metadata_goes_by_owner(void **unused)
{
    (void)unused;
    uint32_t a = add_link("a", 0), b = add_link("b", a), joint = add_joint_of(scene, b, CP_JOINT_FIXED, NULL);
    add_metadata_of(scene, CP_OWNER_JOINT, joint, "6", CP_VALUE_STRING, "");
    add_metadata_of(scene, CP_OWNER_NODE, b, "4", CP_VALUE_STRING, "");
    add_metadata_of(scene, CP_OWNER_NODE, a, "2", CP_VALUE_STRING, "");
    add_metadata_of(scene, CP_OWNER_SCENE, 0, "0", CP_VALUE_STRING, "");
    add_metadata_of(scene, CP_OWNER_NODE, 0, "1", CP_VALUE_STRING, "");
    add_metadata_of(scene, CP_OWNER_NODE, b, "5", CP_VALUE_STRING, "");
    add_metadata_of(scene, CP_OWNER_NODE, a, "3", CP_VALUE_STRING, "");
    finish_scene();
    for (uint32_t i = 0; i < count_metadata(scene); i++)
        assert_int_equal(cp_metadata(scene, NULL)[i].key[0], '0' + (int)i);
}

static void test_many_equal_names_are_cheap(void **unused)
{
    (void)unused;
    for (int i = 0; i < 200000; i++)
        (void)add_link("same", 0);
    finish_scene();
    assert_string_equal(cp_nodes(scene, NULL)[200000].id, "same#200000");
}

static void test_names_become_utf8(void **unused)
{
    (void)unused;
    uint32_t node = add_link("T\xfcr", 0);
    assert_string_equal(cp_nodes(scene, NULL)[node].name, "T\xc3\xbcr");
    assert_string_equal(cp_nodes(scene, NULL)[node].raw_name, "T\xfcr");
}

static void test_depth_limit(void **unused)
{
    (void)unused;
    assert_int_equal(cp_set_limit(context, "depth=10"), CP_OK);
    uint32_t node = 0;
    for (int i = 0; i < 10; i++)
        node = add_link("n", node);
    finish_scene();
    (void)add_link("n", node);
    assert_int_equal(cp_scene_finish(scene), CP_LIMIT);
    assert_true(was_reported(context, "scene-depth"));
    assert_int_equal(cp_set_limit(context, "dept=10"), CP_USAGE);
    assert_int_equal(cp_set_limit(context, "depth=ten"), CP_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_samples, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_defaults, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_broken, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ids_are_unique_and_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_metadata_goes_by_owner, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_many_equal_names_are_cheap, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_names_become_utf8, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_depth_limit, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
