/* The dump against text written by hand from a scene that is built by hand. */
#include <float.h>
#include <math.h>

#include "fixture.h"

static void expect_dump(cp_context *context, const cp_scene *scene, const char *option, const char *expected)
{
    void *bytes;
    size_t size;
    assert_int_equal(cp_write_memory(context, scene, "dump", &option, option ? 1 : 0, &bytes, &size), CP_OK);
    if (size != strlen(expected) || memcmp(bytes, expected, size) != 0)
        fail_msg("got:\n%.*s\nnot:\n%s", (int)size, (const char *)bytes, expected);
    cp_free(context, bytes, size);
}

static void test_empty(void **state)
{
    cp_scene *scene = cp_scene_new(*state);
    assert_int_equal(cp_scene_finish(scene), CP_OK);
    expect_dump(*state, scene, NULL,
                "dump 1\nsource \"\" file \"\" unit 1 up z\nexclude_static_pairs no\n"
                "node \"WORLD\" name \"WORLD\" parent none scope none flags none local 1 0 0 0 0 1 0 0 0 0 1 0\n");
    cp_scene_free(scene);
}

static void test_strings_and_poses(void **state)
{
    static const char name[] = "a\"b\\c\n\t\x01\x7f \xc3\xa9";
    static const char *const options[] = {"unit=in", "up=y"};
    cp_scene *scene, *rows = cp_scene_new(*state); /* a scene has the source of the file that it was read from */
    assert_int_equal(cp_read_memory(*state, "solid a\nendsolid a\n", 19, "cell \"1\".stl", "stl", options, 2, &scene),
                     CP_OK);
    assert_int_equal(cp_scene_replace(scene, rows), CP_OK);
    cp_exclude_static_pairs(scene, true);
    cp_node first = {.id = "first", .name = name, .scope = CP_NONE, .flags = CP_NODE_MOVABLE | CP_NODE_WIRE};
    first.local = (cp_pose){{1, 0, 0, -0.0, 0, 1, 0, 0.1, 0, 0, 1, 5e-324}};
    cp_node second = {.id = "second", .name = "\xe9", .scope = CP_NONE, .local = PLAIN_IDENTITY}; /* Latin-1 */
    second.parent = cp_add_node(scene, &first);
    (void)cp_add_node(scene, &second);
    assert_int_equal(cp_scene_finish(scene), CP_OK);
    expect_dump(*state, scene, NULL,
                "dump 1\nsource \"stl\" file \"cell \\\"1\\\".stl\" unit 0.0254 up y\nexclude_static_pairs yes\n"
                "node \"WORLD\" name \"WORLD\" parent none scope none flags none local 1 0 0 0 0 1 0 0 0 0 1 0\n"
                "node \"first\" name \"a\\\"b\\\\c\\n\\t\\x01\\x7f \xc3\xa9\" parent \"WORLD\" scope none "
                "flags movable wire local 1 0 0 -0 0 1 0 0.1 0 0 1 5e-324\n"
                "node \"second\" name \"\xc3\xa9\" raw \"\\xe9\" parent \"first\" scope none flags none "
                "local 1 0 0 0 0 1 0 0 0 0 1 0\n");
    cp_scene_free(scene);
}

static const float square[] = {0, 0, 0, 1, 0, 0, 1, 1, -0.0f, 0, 0.1f, 1e-45f};
static const float normals[] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, -1};
static const float colours[] = {0, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0.5f, 1};
static const uint32_t offsets[] = {0, 3, 7}, corners[] = {0, 1, 2, 3, 2, 1, 0};

static cp_scene *make_mesh_scene(cp_context *context)
{
    static const cp_group groups[] = {{0, 1, 0}, {1, 1, CP_NONE}};
    const cp_pose pose = plain_scaling(0.001, 0.001, 0.001);
    cp_scene *scene = cp_scene_new(context);
    uint32_t node = add_node_at(scene, 0, "part", NULL);
    const cp_material paint = {
        .name = "paint", .rgba = {1, 0.5, 0.1, 0}, .srgb = true, .two_sided = true, .roughness = 0.8, .cutoff = 0.5};
    (void)cp_add_material(scene, &paint);
    cp_mesh mesh = {.name = "sheet",
                    .source = "a.stl",
                    .kind = CP_MESH_FACES,
                    .vertex_count = 4,
                    .face_count = 2,
                    .corner_count = 7,
                    .group_count = 2,
                    .positions = square,
                    .normals = normals,
                    .colours = colours,
                    .face_offsets = offsets,
                    .corners = corners,
                    .groups = groups};
    cp_mesh tube = {.source = "#Tube", .kind = CP_MESH_TUBE, .sides = 12, .size = {0.5, 0.25, 2}};
    (void)add_instance_of(scene, node, add_mesh_of(scene, &mesh), CP_USE_DRAWN, &pose);
    (void)add_instance_of(scene, node, add_mesh_of(scene, &tube), CP_USE_COLLISION, &pose);
    assert_int_equal(cp_scene_finish(scene), CP_OK);
    return scene;
}

#define MESH_HEAD                                                                                                      \
    "dump 1\nsource \"\" file \"\" unit 1 up z\nexclude_static_pairs no\n"                                             \
    "node \"WORLD\" name \"WORLD\" parent none scope none flags none local 1 0 0 0 0 1 0 0 0 0 1 0\n"                  \
    "node \"part\" name \"part\" parent \"WORLD\" scope none flags none local 1 0 0 0 0 1 0 0 0 0 1 0\n"               \
    "instance node \"part\" mesh \"sheet\" use drawn transform 0.001 0 0 0 0 0.001 0 0 0 0 0.001 0\n"                  \
    "instance node \"part\" mesh \"mesh\" use collision transform 0.001 0 0 0 0 0.001 0 0 0 0 0.001 0\n"               \
    "mesh \"sheet\" name \"sheet\" source \"a.stl\" kind faces vertices 4 faces 2 corners 7\n"
#define MESH_TAIL                                                                                                      \
    "group faces 1 material \"paint\"\ngroup faces 1 material none\n"                                                  \
    "mesh \"mesh\" name \"\" source \"#Tube\" kind tube size 0.5 0.25 2 sides 12\n"                                    \
    "material \"paint\" name \"paint\" rgba 1 0.5 0.1 0 light srgb two_sided yes\n"

static void test_meshes(void **state)
{
    cp_scene *scene = make_mesh_scene(*state);
    expect_dump(*state, scene, NULL,
                MESH_HEAD "vertex 0 0 0\nvertex 1 0 0\nvertex 1 1 -0\nvertex 0 0.1 1e-45\n"
                          "normal 0 0 1\nnormal 0 0 1\nnormal 0 0 1\nnormal 0 0 -1\n"
                          "colour 0 0 0 1\ncolour 1 0 0 1\ncolour 0 1 0 1\ncolour 0 0 0.5 1\n"
                          "face 0 1 2\nface 3 2 1 0\n" MESH_TAIL);
    cp_scene_free(scene);
}

/* XXH64 of the arrays' little-endian bytes, computed apart by a plain implementation of its specification. */
static void test_summary(void **state)
{
    cp_scene *scene = make_mesh_scene(*state);
    expect_dump(*state, scene, "summary=yes",
                MESH_HEAD
                "vertices_hash d6a4786bc9bb4e20\nnormals_hash 0fda75a889dbc98b\ncolours_hash d56d8bc748e4da11\n"
                "corners_hash 99164dab98c7ddbb\nface_offsets_hash 207703b5045a1080\n" MESH_TAIL);
    cp_scene_free(scene);
}

/* Triangles look the same with and without a table of offsets, one group without material like none. */
static void test_layout_does_not_show(void **state)
{
    static const uint32_t plain[] = {0, 3, 6};
    static const cp_group group[] = {{0, 2, CP_NONE}};
    static const char *const choices[] = {NULL, "summary=yes"};
    for (int k = 0; k < 2; k++) {
        void *bytes[2];
        size_t sizes[2];
        for (int i = 0; i < 2; i++) {
            cp_scene *scene = cp_scene_new(*state);
            cp_mesh mesh = {.name = "m",
                            .kind = CP_MESH_FACES,
                            .vertex_count = 4,
                            .face_count = 2,
                            .corner_count = 6,
                            .positions = square,
                            .corners = corners,
                            .face_offsets = i ? plain : NULL,
                            .groups = i ? group : NULL,
                            .group_count = (uint32_t)i};
            (void)add_mesh_of(scene, &mesh);
            assert_int_equal(cp_scene_finish(scene), CP_OK);
            assert_int_equal(cp_write_memory(*state, scene, "dump", &choices[k], (size_t)k, &bytes[i], &sizes[i]),
                             CP_OK);
            cp_scene_free(scene);
        }
        assert_int_equal(sizes[0], sizes[1]);
        assert_memory_equal(bytes[0], bytes[1], sizes[0]);
        cp_free(*state, bytes[0], sizes[0]);
        cp_free(*state, bytes[1], sizes[1]);
    }
}

static void test_kinematics(void **state)
{
    static const double home[] = {0.25, 0};
    static const uint32_t joints[] = {0, 1};
    cp_scene *scene = cp_scene_new(*state);
    uint32_t base = add_node_at(scene, 0, "Base", NULL), tool = add_node_at(scene, base, "Tool", NULL);
    (void)add_joint_of(scene, base, CP_JOINT_REVOLUTE, NULL);
    (void)add_joint_of(scene, tool, CP_JOINT_PRISMATIC, "slide");
    uint32_t arm = add_device_of(scene, "Arm", base, tool, 2, joints);
    static const cp_joint_setting witness[] = {{1, -0.5}, {0, 2}};
    static const cp_finding seen = {0.001, 0.0005, 0.125, 5, 100, 7, 3, 2, witness, 0xab},
                            unseen = {.clearance = INFINITY};
    static const cp_pair pairs[] = {{1, 2, CP_PAIR_EXCLUDED, "given", "near 0.1", NULL},
                                    {2, 0, CP_PAIR_KEPT, "always", "", NULL},
                                    {2, 1, CP_PAIR_EXCLUDED, "sometimes", "", &seen},
                                    {2, 1, CP_PAIR_EXCLUDED, "static", "", &unseen}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        (void)cp_add_pair(scene, &pairs[i]);
    struct draft draft = draft_of(scene);
    draft.joints[0].lower = -1.5;
    draft.joints[0].velocity = 2;
    draft.joints[0].home = 0.25;
    draft.joints[1].driven = false;
    draft.joints[1].master = 0;
    draft.joints[1].scale = -0.5;
    draft.joints[1].offset = 0.125;
    draft.joints[1].upper = DBL_MAX;
    draft.devices[arm].home = home;
    draft.nodes[tool].scope = arm;
    scene = built_again(&draft, *state);
    assert_int_equal(cp_scene_finish(scene), CP_OK);
    expect_dump(
        *state, scene, NULL,
        "dump 1\nsource \"\" file \"\" unit 1 up z\nexclude_static_pairs no\n"
        "node \"WORLD\" name \"WORLD\" parent none scope none flags none local 1 0 0 0 0 1 0 0 0 0 1 0\n"
        "node \"Base\" name \"Base\" parent \"WORLD\" scope none flags none local 1 0 0 0 0 1 0 0 0 0 1 0\n"
        "node \"Tool\" name \"Tool\" parent \"Base\" scope \"Arm\" flags none local 1 0 0 0 0 1 0 0 0 0 1 0\n"
        "joint \"Base\" name \"Base\" node \"Base\" type revolute axis 0 0 1 lower -1.5 upper none velocity 2 "
        "acceleration none home 0.25 q 0.25 driven yes master none\n"
        "joint \"slide\" name \"slide\" node \"Tool\" type prismatic axis 0 0 1 lower none "
        "upper 1.7976931348623157e308 velocity none acceleration none home 0 q 0 driven no master \"Base\" scale -0.5 "
        "offset 0.125\n"
        "device \"Arm\" name \"Arm\" kind serial base \"Base\" scope none ends \"Tool\" joints \"Base\" \"slide\" "
        "home 0.25 0\n"
        "pair \"Base\" \"Tool\" verdict excluded reason \"given\" evidence \"near 0.1\"\n"
        "pair \"Tool\" \"WORLD\" verdict kept reason \"always\" evidence \"\"\n"
        "pair \"Tool\" \"Base\" verdict excluded reason \"sometimes\" evidence \"\" finding margin 0.001 touch "
        "0.0005 clearance 0.125 "
        "work 5 samples 100 descents 7 hits 3 key 00000000000000ab witness \"slide\" -0.5 \"Base\" 2\n"
        "pair \"Tool\" \"Base\" verdict excluded reason \"static\" evidence \"\" finding margin 0 touch 0 clearance "
        "none "
        "work 0 samples 0 descents 0 hits 0 key 0000000000000000\n");
    cp_scene_free(scene);
}

static void test_clips_and_metadata(void **state)
{
    static const double times[] = {0, 1.5}, angles[] = {0, 0, 0, 1, 0, 0, 1, 0};
    static const double moves[] = {1, 2, 3, 4, 5, 6};
    cp_scene *scene = cp_scene_new(*state);
    uint32_t node = add_node_at(scene, 0, "n", NULL);
    (void)add_joint_of(scene, node, CP_JOINT_REVOLUTE, "j");
    const cp_track tracks[] = {
        {node, CP_PATH_ROTATION, CP_LINEAR, 2, times, angles},
        {0, CP_PATH_JOINT, CP_CUBIC, 2, times, moves},
        {node, CP_PATH_SCALE, CP_STEP, 1, times, moves},
    };
    (void)add_clip_of(scene, "c", 3, tracks);
    (void)add_clip_of(scene, "none", 0, NULL);
    add_metadata_of(scene, CP_OWNER_SCENE, 0, "a b", CP_VALUE_STRING, "x");
    add_metadata_of(scene, CP_OWNER_JOINT, 0, "k", CP_VALUE_JSON, "[1,\"2\"]");
    assert_int_equal(cp_scene_finish(scene), CP_OK);
    expect_dump(*state, scene, NULL,
                "dump 1\nsource \"\" file \"\" unit 1 up z\nexclude_static_pairs no\n"
                "node \"WORLD\" name \"WORLD\" parent none scope none flags none local 1 0 0 0 0 1 0 0 0 0 1 0\n"
                "node \"n\" name \"n\" parent \"WORLD\" scope none flags none local 1 0 0 0 0 1 0 0 0 0 1 0\n"
                "joint \"j\" name \"j\" node \"n\" type revolute axis 0 0 1 lower none upper none velocity none "
                "acceleration none home 0 q 0 driven yes master none\n"
                "clip \"c\" tracks 3\n"
                "track \"n\" path rotation interpolation linear keys 2\nkey 0 : 0 0 0 1\nkey 1.5 : 0 0 1 0\n"
                "track \"j\" path joint interpolation cubic keys 2\nkey 0 : 1 2 3\nkey 1.5 : 4 5 6\n"
                "track \"n\" path scale interpolation step keys 1\nkey 0 : 1 2 3\n"
                "clip \"none\" tracks 0\n"
                "metadata scene key \"a b\" type string value \"x\"\n"
                "metadata joint \"j\" key \"k\" type json value \"[1,\\\"2\\\"]\"\n");
    cp_scene_free(scene);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, make_context, free_context)
    const struct CMUnitTest tests[] = {
        TEST(test_empty),
        TEST(test_strings_and_poses),
        TEST(test_meshes),
        TEST(test_summary),
        TEST(test_layout_does_not_show),
        TEST(test_kinematics),
        TEST(test_clips_and_metadata),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
