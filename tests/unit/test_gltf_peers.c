/* Our own stages after a way through other tools: what three.js, Blender, gltfpack and glTF-Transform make of the tree,
 * the names and the extras, cut down to what matters (docs/gltf.md, "Other tools in a pipe"). */
#include "gltf_support.h"

#include <math.h>

static const cp_pose *place_of(const cp_scene *scene, const char *name)
{
    static cp_pose worlds[16];
    uint32_t count;
    const cp_node *nodes = cp_nodes(scene, &count);
    assert_in_range(count, 1, 16);
    pose_scene(scene, NULL, worlds);
    return &worlds[node_called(scene, name) - nodes];
}

static void assert_place(const cp_scene *scene, const char *name, double x, double y, double z)
{
    const cp_pose *pose = place_of(scene, name);
    const double expected[12] = {1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z};
    for (int i = 0; i < 12; i++)
        assert_true(fabs(pose->m[i] - expected[i]) < 1e-12);
}

#define UP "'rotation':[-0.70710678118654752,0,0,0.70710678118654752],'extras':{'cellpipe':{'made':'up'}}"
#define WORLD "'name':'WORLD','extras':{'cellpipe':{'id':'WORLD','world':true}}"
#define ARM "'name':'Arm','translation':[1,2,3],'extras':{'cellpipe':{'id':'Arm'}}"
#define SCENE_EXTRAS "'devices':[{'id':'D','name':'D','base':'Arm','ends':[],'joints':[]}],'exclude_static_pairs':true"

/* ---- the tree ---- */

static void test_root_above_the_up_root(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_glb(context,
                               "'scenes':[{'nodes':[0]}],'nodes':[{'children':[1],'extras':{'cellpipe':{" SCENE_EXTRAS
                               "}}},{" UP ",'children':[2]},{" WORLD ",'children':[3]},{" ARM "}]",
                               NULL);
    uint32_t devices;
    assert_int_equal(count_nodes(scene), 2);
    assert_place(scene, "Arm", 1, 2, 3);
    assert_string_equal(cp_devices(scene, &devices)[0].id, "D");
    assert_int_equal(devices, 1);
    assert_true(cp_excludes_static_pairs(scene));
    assert_non_null(find_entry(context, "gltf-moved-tree"));
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_root_above_the_world(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_glb(context,
                               "'scenes':[{'nodes':[0]}],'nodes':[{'name':'Scene','children':[1,3],'extras':{'by':'me'}"
                               "},{" WORLD ",'children':[2]},{" ARM "},{'name':'beside','translation':[4,5,6]}]",
                               NULL);
    assert_int_equal(count_nodes(scene), 3);
    assert_place(scene, "Arm", 1, 2, 3);
    assert_place(scene, "beside", 4, 5, 6);
    assert_string_equal(metadata_value(scene, CP_OWNER_SCENE, 0, "extras"), "{\"by\":\"me\"}");
    cp_scene_free(scene);
    cp_context_free(context);
}

/* With a place of its own it is no wrapper: all stays where it is drawn, 10 along the file's Y, which is up. */
static void test_moved_root_above_the_up_root(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_glb(context,
                               "'scenes':[{'nodes':[0]}],'nodes':[{'name':'lift','translation':[0,10,0],'children':[1]"
                               "},{" UP ",'children':[2]},{" WORLD ",'children':[3]},{" ARM "}]",
                               NULL);
    assert_place(scene, "Arm", 1, 2, 13);
    assert_non_null(find_entry(context, "gltf-moved-tree"));
    cp_scene_free(scene);
    cp_context_free(context);
}

/* ---- names ---- */

#define NODE(name, whole, id, child)                                                                                   \
    "{'name':'" name "','children':[" child "],'extras':{'name':'" whole "','cellpipe':{'id':'" id "'}}},"
#define JOINT(name, whole, id)                                                                                         \
    "{'name':'" name "','extras':{'cellpipe':{'joint':{'id':'" id "','name':'" whole                                   \
    "','type':'revolute','q':0,'driven':1}}}},"

static const char worn[] =
    "'scenes':[{'nodes':[0]}],'nodes':[{" WORLD ",'children':[1,3,5,7]}," NODE("ArmJ1", "Arm.J1", "a", "2")
        JOINT("Arm.J1.001", "Arm.J1", "a") NODE("Elbow", "Arm.J2", "b", "4") JOINT("Turn", "Arm.J2", "b")
            NODE("a_b_2", "a b", "c", "6") JOINT("J", "J3", "c") "{'name':'theirs','extras':{'name':'the.irs'}}]";

static void test_worn_names(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_glb(context, worn, NULL);
    uint32_t joints, nodes;
    const cp_node *all = cp_nodes(scene, &nodes);
    const char *const names[] = {"WORLD", "Arm.J1", "Elbow", "a b", "theirs"}, *const turns[] = {"Arm.J1", "Turn", "J"};
    assert_int_equal(nodes, 5);
    for (uint32_t i = 0; i < nodes; i++)
        assert_string_equal(all[i].name, names[i]);
    const cp_joint *joint = cp_joints(scene, &joints);
    assert_int_equal(joints, 3);
    for (uint32_t i = 0; i < joints; i++) {
        assert_string_equal(joint[i].name, turns[i]);
        assert_true(joint[i].driven); /* Blender's true is 1 */
    }
    assert_null(metadata_value(scene, CP_OWNER_NODE, 1, "extras"));
    assert_string_equal(metadata_value(scene, CP_OWNER_NODE, 4, "extras"), "{\"name\":\"the.irs\"}");
    cp_scene_free(scene);
    cp_context_free(context);
}

/* ---- what is gone ---- */

static void test_gone(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene =
        read_glb(context,
                 "'scenes':[{'nodes':[0],'extras':{'cellpipe':{'holds':{'nodes':5,'joints':4,'meshes':9,'devices':3,"
                 "'pairs':2,'clips':1}," SCENE_EXTRAS "}}}],'nodes':[{" WORLD ",'children':[1]},{" ARM "}],"
                 "'meshes':[{'primitives':[]},{'primitives':[],'extras':{'cellpipe':{'id':'m'}}}]",
                 NULL);
    const char *const codes[] = {"gltf-gone-nodes",   "gltf-gone-joints", "gltf-gone-meshes",
                                 "gltf-gone-devices", "gltf-gone-pairs",  "gltf-gone-clips"};
    const uint64_t counts[] = {3, 4, 7, 2, 2, 1};
    for (int i = 0; i < 6; i++)
        assert_int_equal(count_of(context, codes[i]), counts[i]);
    assert_int_equal(count_of(context, "gltf-changed-mesh"), 1); /* the mesh without our extras */
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_mark_gone(void **state)
{
    static const char text[] = "{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[0]}],\"nodes\":"
                               "[{\"extras\":{\"cellpipe\":{\"id\":\"WORLD\",\"world\":1}}}]}";
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = NULL;
    assert_int_equal(cp_read_memory(context, text, sizeof text - 1, "a.gltf", NULL, NULL, 0, &scene), CP_OK);
    assert_int_equal(count_nodes(scene), 1);
    assert_non_null(find_entry(context, "gltf-mark"));
    cp_scene_free(scene);
    cp_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_root_above_the_up_root),
        cmocka_unit_test(test_root_above_the_world),
        cmocka_unit_test(test_moved_root_above_the_up_root),
        cmocka_unit_test(test_worn_names),
        cmocka_unit_test(test_gone),
        cmocka_unit_test(test_mark_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
