/* Reading our own stages (docs/stage-format.md): a file written by hand, and the same after what other tools do to
 * it. */
#include "cellpipe_tool.h"
#include "gltf_support.h"

#include <math.h>

static const char *stage_text(void)
{
    static char *text;
    text = text ? text : read_whole(SAMPLES "/gltf_stage.gltf", NULL);
    return text;
}

/* The stage with the first `from` after `after` replaced (' for "); both must be there. The caller frees. */
static char *edit(const char *text, const char *after, const char *from, const char *to)
{
    char patterns[3][600];
    const char *given[] = {after, from, to};
    for (int i = 0; i < 3; i++) {
        assert_true(strlen(given[i]) < sizeof patterns[i]);
        strcpy(patterns[i], given[i]);
        for (char *at = patterns[i]; *at; at++)
            *at = *at == '\'' ? '"' : *at;
    }
    const char *place = strstr(text, patterns[0]);
    place = place ? strstr(place, patterns[1]) : NULL;
    if (!place)
        fail_msg("%s ... %s is not in the sample", after, from);
    char *result = malloc(strlen(text) + strlen(patterns[2]) + 1);
    assert_non_null(result);
    sprintf(result, "%.*s%s%s", (int)(place - text), text, patterns[2], place + strlen(patterns[1]));
    return result;
}

static cp_scene *read_text(cp_context *context, const char *text, cp_status expected)
{
    cp_scene *scene;
    cp_status status = cp_read_memory(context, text, strlen(text), "stage.gltf", NULL, NULL, 0, &scene);
    if (status != expected)
        show_report(context);
    assert_int_equal(status, expected);
    return scene;
}

static cp_scene *read_edited(cp_context *context, const char *after, const char *from, const char *to)
{
    char *text = edit(stage_text(), after, from, to);
    cp_scene *scene = read_text(context, text, CP_OK);
    free(text);
    return scene;
}

static size_t entry_count(const cp_context *context)
{
    size_t count;
    (void)cp_report(context, &count);
    return count;
}

static const cp_mesh *mesh_with_id(const cp_scene *scene, const char *id)
{
    uint32_t count;
    const cp_mesh *meshes = cp_meshes(scene, &count);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(meshes[i].id, id) == 0)
            return &meshes[i];
    fail_msg("there is no mesh %s", id);
    return NULL;
}

/* ---- as written ---- */

static void test_source_and_nodes(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_text(context, stage_text(), CP_OK);
    assert_int_equal(entry_count(context), 0);
    const cp_source *source = cp_scene_source(scene);
    assert_string_equal(source->format, "tag");
    assert_string_equal(source->file, "arm.wu");
    assert_int_equal(source->up, CP_UP_Z);
    assert_true(cp_excludes_static_pairs(scene));
    static const char *const ids[] = {"WORLD", "Arm.Base", "Arm.Slide", "Arm.Tool", "Sheared", "Below"};
    static const uint32_t parents[] = {CP_NONE, 0, 1, 2, 0, 4};
    uint32_t count;
    const cp_node *nodes = cp_nodes(scene, &count);
    assert_int_equal(count, 6);
    for (uint32_t i = 0; i < count; i++) {
        assert_string_equal(nodes[i].id, ids[i]);
        assert_int_equal(nodes[i].parent, parents[i]);
    }
    assert_int_equal(nodes[1].flags, CP_NODE_LINK);
    assert_int_equal(nodes[2].flags, CP_NODE_MOVABLE | CP_NODE_WIRE);
    assert_int_equal(nodes[1].scope, 0);
    assert_int_equal(nodes[3].scope, CP_NONE);
    assert_string_equal(nodes[2].raw_name, "Slide\xff");
    /* the shear comes back exactly, not as the product of its parts */
    assert_doubles(nodes[4].local.m, (double[]){1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, 12, 0);
    assert_string_equal(metadata_value(scene, CP_OWNER_NODE, 1, "mass"), "12.50");
    assert_string_equal(metadata_value(scene, CP_OWNER_JOINT, 0, "motor"), "A");
    assert_string_equal(metadata_value(scene, CP_OWNER_SCENE, 0, "project"), "{\"a\":1}");
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_joints_and_devices(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_text(context, stage_text(), CP_OK);
    const cp_joint *turn = joint_with_id(scene, "Arm.J1"), *slide = joint_with_id(scene, "Arm.S");
    assert_string_equal(turn->name, "J1");
    assert_int_equal(turn->type, CP_JOINT_REVOLUTE);
    assert_doubles(&turn->lower, (double[]){-3, 3, 1.5}, 3, 0);
    assert_true(isinf(turn->acceleration));
    assert_doubles(&turn->home, (double[]){0.25, 0.5}, 2, 0);
    assert_true(turn->driven);
    assert_int_equal(slide->type, CP_JOINT_PRISMATIC);
    assert_doubles(slide->axis, (double[]){0.6, 0, 0.8}, 3, 0);
    assert_true(slide->lower == -INFINITY && slide->upper == INFINITY);
    assert_int_equal(slide->master, 0);
    assert_doubles(&slide->scale, (double[]){2, 0}, 2, 0);
    /* Tool: 1 up, turned by 0.5, 1 along (0.6 0 0.8), 0.5 up */
    cp_pose tool = world_of(scene, node_called(scene, "Tool"));
    assert_doubles((double[]){tool.m[3], tool.m[7], tool.m[11]}, (double[]){0.6 * cos(0.5), 0.6 * sin(0.5), 2.3}, 3,
                   1e-15);
    uint32_t count;
    const cp_device *devices = cp_devices(scene, &count);
    assert_int_equal(count, 1);
    assert_string_equal(devices[0].id, "Arm");
    assert_int_equal(devices[0].base, 1);
    assert_int_equal(devices[0].end_count, 1);
    assert_int_equal(devices[0].ends[0], 3);
    assert_int_equal(devices[0].joint_count, 1);
    assert_doubles(devices[0].home, (double[]){0.25}, 1, 0);
    const cp_pair *pairs = cp_pairs(scene, &count);
    assert_int_equal(count, 2);
    assert_int_equal(pairs[0].verdict, CP_PAIR_EXCLUDED);
    assert_int_equal(pairs[1].verdict, CP_PAIR_KEPT);
    assert_string_equal(pairs[1].evidence, "seen");
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_finding(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_text(context, stage_text(), CP_OK);
    uint32_t count;
    const cp_pair *pairs = cp_pairs(scene, &count);
    const cp_finding *finding = pairs[1].finding;
    assert_null(pairs[0].finding);
    assert_non_null(finding);
    assert_true(finding->margin == 0.001 && finding->clearance == 0.25);
    assert_true(finding->work == 12 && finding->key == UINT64_C(0xfedcba9876543210));
    assert_int_equal(finding->samples, 100);
    assert_int_equal(finding->descents, 300);
    assert_int_equal(finding->hits, 3);
    assert_int_equal(finding->witness_count, 1);
    assert_string_equal(cp_joints(scene, &count)[finding->witness[0].joint].id, "Arm.J1");
    assert_true(finding->witness[0].value == -2.5);
    cp_scene_free(scene);
    cp_context_free(context);
}

/* What cannot be is left out with a warning: of the finding, or the finding. */
static void test_bad_findings(void **state)
{
    static const struct {
        const char *from, *to, *warning; /* NULL: none */
        bool stays, witness, key;
    } cases[] = {
        {"'clearance': 0.25, ", "'clearance': null, ", NULL, true, true, true},
        {"'clearance': 0.25, ", "", NULL, true, true, true},
        {", 'key': 'fedcba9876543210'", "", NULL, true, true, false},
        {"'fedcba9876543210'", "'fedcba987654321x'", "gltf-finding", true, true, false},
        {"'fedcba9876543210'", "'00fedcba9876543210'", "gltf-finding", true, true, false},
        {"'fedcba9876543210'", "''", "gltf-finding", true, true, false},
        {"'joint': 'Arm.J1'", "'joint': 'Arm.J9'", "gltf-id", true, false, true},
        {"[{'joint': 'Arm.J1'", "[{'joint': 'Arm.J1', 'value': 1}, {'value': 2}, {'joint': 'Arm.J1'", "gltf-id", true,
         false, true},
        {"'hits': 3", "'hits': 101", "gltf-finding", false, false, false},
        {"'samples': 100", "'samples': 4294967296", "gltf-finding", false, false, false},
        {"'descents': 300", "'descents': 4294967296", "gltf-finding", true, true, true},
        {"'margin': 0.001", "'margin': -0.001", "gltf-finding", false, false, false},
        {"'clearance': 0.25", "'clearance': -1", "gltf-finding", false, false, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cp_context *context = cp_context_new(NULL);
        cp_scene *scene = read_edited(context, "'finding'", cases[i].from, cases[i].to);
        uint32_t count;
        const cp_finding *finding = cp_pairs(scene, &count)[1].finding;
        print_message("%s -> %s\n", cases[i].from, cases[i].to);
        assert_int_equal(count, 2);
        assert_int_equal(finding != NULL, cases[i].stays);
        assert_int_equal(finding && finding->witness_count > 0, cases[i].witness);
        assert_int_equal(finding && finding->key, cases[i].key);
        if (cases[i].warning)
            assert_true(was_reported(context, cases[i].warning));
        else
            assert_int_equal(entry_count(context), 0);
        cp_scene_free(scene);
        cp_context_free(context);
    }
    static const char *const wrong[][2] = {{"'margin': 0.001", "'margin': '1 mm'"},
                                           {"'work': 12", "'work': 1.5"},
                                           {"'hits': 3", "'hits': -1"},
                                           {"'value': -2.5", "'value': 1e999"},
                                           {"'witness': [", "'witness': [7, "}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cp_context *context = cp_context_new(NULL);
        char *text = edit(stage_text(), "'finding'", wrong[i][0], wrong[i][1]);
        assert_null(read_text(context, text, CP_INPUT));
        free(text);
        cp_context_free(context);
    }
}

static void test_meshes_and_materials(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_text(context, stage_text(), CP_OK);
    static const char *const ids[] = {"hull", "plate", "empty", "box"};
    for (uint32_t i = 0; i < 4; i++)
        assert_string_equal(mesh_at(scene, i)->id, ids[i]);
    const cp_mesh *hull = mesh_at(scene, 0), *plate = mesh_at(scene, 1);
    assert_int_equal(hull->kind, CP_MESH_CYLINDER);
    assert_int_equal(hull->sides, 12);
    assert_string_equal(hull->source, "#Cylinder 0.5 1 12");
    assert_int_equal(mesh_at(scene, 3)->kind, CP_MESH_BOX);
    assert_int_equal(mesh_at(scene, 3)->vertex_count, 0); /* the picture of the box is gone */
    assert_int_equal(plate->vertex_count, 6);             /* the unused one too */
    assert_int_equal(plate->face_count, 2);
    assert_memory_equal(plate->face_offsets, ((uint32_t[]){0, 4, 7}), 12);
    assert_memory_equal(plate->corners, ((uint32_t[]){0, 1, 2, 3, 1, 4, 2}), 28);
    assert_int_equal(plate->group_count, 2);
    assert_int_equal(plate->groups[0].material, 0);
    assert_int_equal(plate->groups[1].material, CP_NONE);
    uint32_t count;
    const cp_material *materials = cp_materials(scene, &count);
    assert_int_equal(count, 1);
    assert_true(materials[0].srgb && materials[0].two_sided);
    assert_doubles(materials[0].rgba, (double[]){0.5, 0.5, 1, 1}, 4, 0);
    const cp_instance *instances = cp_instances(scene, &count);
    assert_int_equal(count, 4);
    static const uint32_t uses[] = {CP_USE_BOTH, CP_USE_DRAWN, CP_USE_COLLISION, CP_USE_DRAWN};
    static const uint32_t of[] = {1, 1, 0, 3};
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(instances[i].use, uses[i]);
        assert_int_equal(instances[i].mesh, of[i]);
    }
    assert_doubles(instances[0].transform.m, (double[]){1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2}, 12, 0);
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_clips(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_text(context, stage_text(), CP_OK);
    uint32_t count;
    const cp_clip *clips = cp_clips(scene, &count);
    assert_int_equal(count, 2); /* the sweep is no clip */
    assert_string_equal(clips[0].name, "nothing");
    assert_string_equal(clips[1].name, "turn");
    assert_int_equal(clips[1].track_count, 2);
    assert_int_equal(clips[1].tracks[0].path, CP_PATH_JOINT);
    assert_doubles(clips[1].tracks[0].values, (double[]){0, 3}, 2, 0);
    assert_int_equal(clips[1].tracks[1].target, 5);
    assert_int_equal(clips[1].tracks[1].interpolation, CP_STEP);
    assert_doubles(clips[1].tracks[1].times, (double[]){0.1}, 1, 0);
    cp_scene_free(scene);
    cp_context_free(context);
}

/* ---- after other tools ---- */

/* The member that turns J1 by twice the angle about z, in place of its own; in any locale. */
static void print_rotation(char out[200], double half_angle)
{
    char sine[CP_NUMBER_SIZE], cosine[CP_NUMBER_SIZE];
    cp_print_double((double)(float)sin(half_angle), sine);
    cp_print_double((double)(float)cos(half_angle), cosine);
    snprintf(out, 200, "'rotation': [0, 0, %s, %s], 'x': [", sine, cosine);
}

static void test_moved_joint(void **state)
{
    (void)state;
    char rotation[200];
    print_rotation(rotation, -0.6);
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_edited(context, "'name': 'J1'", "'rotation': [", rotation);
    assert_doubles(&joint_with_id(scene, "Arm.J1")->q, (double[]){-1.2}, 1, 1e-7);
    assert_doubles(&joint_with_id(scene, "Arm.J1")->home, (double[]){0.25}, 1, 0);
    assert_int_equal(count_of(context, "gltf-moved-joint"), 1);
    assert_int_equal(entry_count(context), 2); /* the dependent one does not follow: a warning too */
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_rounded_by_a_tool(void **state)
{
    (void)state;
    char rotation[200];
    print_rotation(rotation, 0.25);
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_edited(context, "'name': 'J1'", "'rotation': [", rotation);
    assert_doubles(&joint_with_id(scene, "Arm.J1")->q, (double[]){0.5}, 1, 0);
    assert_int_equal(entry_count(context), 0);
    cp_scene_free(scene);
    scene = read_edited(context, "'name': 'Sheared'", "'name': 'Sheared'",
                        "'name': 'Sheared', 'translation': [0, 9e-7, 0]");
    assert_doubles(node_called(scene, "Sheared")->local.m, (double[]){1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, 12, 0);
    assert_int_equal(entry_count(context), 0);
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_moved_node(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene =
        read_edited(context, "'name': 'Sheared'", "'name': 'Sheared'", "'name': 'Sheared', 'translation': [0, 3, 0]");
    assert_doubles(node_called(scene, "Sheared")->local.m, (double[]){1, 1, 0, 0, 0, 1, 0, 3, 0, 0, 1, 0}, 12, 1e-15);
    assert_int_equal(count_of(context, "gltf-moved"), 1);
    cp_scene_free(scene);
    /* Beyond 1e-6 it was not rounding. */
    scene = read_edited(context, "'name': 'Sheared'", "'name': 'Sheared'",
                        "'name': 'Sheared', 'translation': [0, 2e-6, 0]");
    assert_true(node_called(scene, "Sheared")->local.m[7] == 2e-6);
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_hung_on_no_tail(void **state)
{
    (void)state;
    /* Slide (glTF node 4) from below J1 to below Base, node 1: it stands where it stood in the file */
    char *text = edit(stage_text(), "'name': 'J1'", "'children': [3, 4]", "'children': [3]");
    char *moved = edit(text, "'name': 'Base'", "'children': [2]", "'children': [2, 4]");
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_text(context, moved, CP_OK);
    cp_pose pose = world_of(scene, node_called(scene, "Slide"));
    /* world of the node before its own joint: Slide's tail moved by 1 along (0.6 0 0.8) */
    assert_doubles(pose.m, (double[]){1, 0, 0, 0.6, 0, 1, 0, 0, 0, 0, 1, 1.8}, 12, 1e-12);
    assert_int_equal(count_of(context, "gltf-moved-tree"), 1);
    cp_scene_free(scene);
    cp_context_free(context);
    free(text);
    free(moved);
}

static void check_changed_mesh(const char *after, const char *from, const char *to)
{
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_edited(context, after, from, to);
    const cp_mesh *plate = mesh_with_id(scene, "plate");
    assert_int_equal(plate->face_count, 3);
    assert_memory_equal(plate->corners, ((uint32_t[]){0, 1, 2, 0, 2, 3, 1, 4, 2}), 36);
    assert_int_equal(plate->group_count, 1);
    assert_int_equal(plate->groups[0].material, 0);
    assert_int_equal(count_of(context, "gltf-changed-mesh"), 1);
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_changed_meshes(void **state)
{
    (void)state;
    check_changed_mesh("'id': 'plate'", "'drawn': 9", "'drawn': 6");
    check_changed_mesh("'id': 'plate'", "'sizes': 'plate.sizes'", "'sizes': 'lost'");
    check_changed_mesh("'id': 'plate'", "'sizes': 'plate.sizes'", "'sizes': 'plate.corners'");
    check_changed_mesh("'bufferViews'", "'name': 'plate.corners'", "'nom': 'plate.corners'");
}

/* The picture of a primitive that is no longer its picture: a box of another size, another number of triangles. */
static void test_changed_primitives(void **state)
{
    (void)state;
    static const char *const edits[][3] = {{"'id': 'box'", "'size': [2, 2, 2]", "'size': [2, 2, 3]"},
                                           {"'id': 'box'", "'kind': 'box'", "'kind': 'pyramid'"}};
    for (size_t i = 0; i < 2; i++) {
        cp_context *context = cp_context_new(NULL);
        cp_scene *scene = read_edited(context, edits[i][0], edits[i][1], edits[i][2]);
        const cp_mesh *box = mesh_with_id(scene, "box");
        assert_int_equal(box->kind, CP_MESH_FACES);
        assert_int_equal(box->face_count, 12);
        assert_int_equal(box->vertex_count, 8);
        assert_int_equal(count_of(context, "gltf-changed-mesh"), 1);
        cp_scene_free(scene);
        cp_context_free(context);
    }
}

/* A tool folded a shift into the node of the last joint, where the mesh hangs: it is still drawn where it was put. */
static void test_shifted_tail(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_edited(context, "'name': 'J1'", "'name': 'J1'",
                                  "'name': 'J1', 'translation': [0, 0, 7], 'scale': [2, 2, 2]");
    assert_doubles(&joint_with_id(scene, "Arm.J1")->q, (double[]){0.5}, 1, 1e-12);
    assert_int_equal(count_of(context, "gltf-moved-joint"), 1);
    uint32_t count;
    const cp_instance *instances = cp_instances(scene, &count);
    /* of the two plates, the one on the joint's node: the shift in front of the joint's turn, which has no part in
     * it */
    assert_doubles(instances[1].transform.m, (double[]){2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 7}, 12, 1e-12);
    cp_pose slide = world_of(scene, node_called(scene, "Slide"));
    /* its own motion is 1 along (0.6 0 0.8); all below Base, which is 1 up and turns by 0.5 */
    double c = cos(0.5), s = sin(0.5);
    assert_doubles(slide.m, (double[]){2 * c, -2 * s, 0, 1.2 * c, 2 * s, 2 * c, 0, 1.2 * s, 0, 0, 2, 1 + 7 + 1.6}, 12,
                   1e-12);
    cp_scene_free(scene);
    cp_context_free(context);
}

/* The asset says Y up, but the made root is gone: its children are roots now, turned as the root had turned them. */
static void test_flattened_deliver(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_text(context,
                                "{\"asset\":{\"version\":\"2.0\",\"extras\":{\"cellpipe\":{\"version\":\"1.0\","
                                "\"profile\":\"deliver\",\"up\":\"y\"}}},\"nodes\":[{\"name\":\"n\","
                                "\"translation\":[1,3,-2],\"extras\":{\"cellpipe\":{\"id\":\"n\"}}}]}",
                                CP_OK);
    cp_pose pose = world_of(scene, node_called(scene, "n"));
    assert_doubles((double[]){pose.m[3], pose.m[7], pose.m[11]}, (double[]){1, 2, 3}, 3, 0);
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_lost_ids_are_warnings(void **state)
{
    (void)state;
    static const char *const edits[][3] = {{"'devices'", "'base': 'Arm.Base'", "'base': 'Arm.Base2'"},
                                           {"'devices'", "'ends': ['Arm.Tool']", "'ends': [1]"},
                                           {"'devices'", "'joints': ['Arm.J1']", "'joints': ['J9']"},
                                           {"'pairs'", "'second': 'Arm.Tool'", "'second': ''"},
                                           {"'instances'", "'mesh': 'hull'", "'mesh': 'hill'"},
                                           {"'scope'", "'scope': 'Arm'", "'scope': 'Leg'"},
                                           {"'master'", "'master': 'Arm.J1'", "'master': 'Arm.J2'"},
                                           {"'groups'", "'steel'", "'stool'"},
                                           {"'tracks'", "'joint': 'Arm.J1'", "'joint': 'J'"}};
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        cp_context *context = cp_context_new(NULL);
        cp_scene *scene = read_edited(context, edits[i][0], edits[i][1], edits[i][2]);
        const cp_entry *entry = find_entry(context, "gltf-id");
        if (!entry)
            fail_msg("%s: no warning", edits[i][2]);
        assert_int_equal(entry->severity, CP_WARNING);
        cp_scene_free(scene);
        cp_context_free(context);
    }
}

static void test_changed_clip(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_edited(context, "'name': 'turn'", "'channels': 1", "'channels': 2");
    uint32_t count;
    const cp_clip *clip = &cp_clips(scene, &count)[1];
    assert_int_equal(clip->track_count, 1);
    assert_int_equal(clip->tracks[0].path, CP_PATH_JOINT);
    assert_int_equal(clip->tracks[0].target, 0);
    /* the quaternions 0 0 0 1 and 0 0 0.6 0.8, of floats */
    assert_doubles(clip->tracks[0].values, (double[]){0, 2 * atan(0.75)}, 2, 1e-7);
    assert_int_equal(count_of(context, "gltf-changed-clip"), 1);
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_asset_extras_gone(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_edited(context, "'asset'", "'cellpipe'", "'other'");
    assert_string_equal(cp_scene_source(scene)->format, "");
    assert_string_equal(node_called(scene, "Below")->id, "Below");
    assert_int_equal(cp_scene_source(scene)->up, CP_UP_Z);
    cp_scene_free(scene);
    cp_context_free(context);
}

/* ---- the up root of deliver ---- */

/* A small deliver file; roots: the scene's nodes. */
static char *deliver_text(const char *rotation, const char *roots)
{
    const char *text =
        "{'asset':{'version':'2.0','extras':{'cellpipe':{'version':'1.0','profile':'deliver'}}},"
        "'scene':0,'scenes':[{'nodes':%s}],'nodes':[{'name':'up','rotation':[%s],'children':[1],"
        "'extras':{'cellpipe':{'made':'up'}}},{'name':'WORLD','children':[2],'extras':{'cellpipe':"
        "{'id':'WORLD','world':true}}},{'name':'n','translation':[1,2,3],'extras':{'cellpipe':{'id':'n'}}},"
        "{'name':'foreign','translation':[4,5,6]}]}";
    char *result = malloc(2000);
    assert_non_null(result);
    snprintf(result, 2000, text, roots, rotation);
    for (char *at = result; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    return result;
}

static void check_deliver(const char *rotation, const char *roots, const double n[3], const char *code)
{
    char *text = deliver_text(rotation, roots);
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_text(context, text, CP_OK);
    cp_pose pose = world_of(scene, node_called(scene, "n"));
    assert_doubles((double[]){pose.m[3], pose.m[7], pose.m[11]}, n, 3, 1e-12);
    assert_int_equal(find_entry(context, "gltf-moved-tree") != NULL, strcmp(code, "gltf-moved-tree") == 0);
    if (strstr(roots, "3")) {
        pose = world_of(scene, node_called(scene, "foreign"));
        assert_doubles((double[]){pose.m[3], pose.m[7], pose.m[11]}, (double[]){4, -6, 5}, 3, 1e-12);
    }
    cp_scene_free(scene);
    cp_context_free(context);
    free(text);
}

static void test_up_root(void **state)
{
    (void)state;
    check_deliver("-0.7071067811865476,0,0,0.7071067811865476", "[0]", (double[]){1, 2, 3}, "");
    /* a root that another tool put beside it is Y up, as glTF is */
    check_deliver("-0.70710677,0,0,0.70710677", "[0,3]", (double[]){1, 2, 3}, "");
    /* the tool took the turn away: what was (1 2 3) is now Y up, so (1 -3 2) */
    check_deliver("0,0,0,1", "[0,3]", (double[]){1, -3, 2}, "gltf-moved-tree");
}

/* ---- versions ---- */

static void test_versions(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_edited(context, "'cellpipe'", "'version': '1.0'", "'version': '1.7'");
    assert_non_null(find_entry(context, "gltf-stage-minor"));
    cp_scene_free(scene);
    char *newer = edit(stage_text(), "'cellpipe'", "'version': '1.0'", "'version': '2.0'");
    (void)read_text(context, newer, CP_INPUT);
    assert_non_null(find_entry(context, "gltf-stage-version"));
    cp_context_free(context);
    free(newer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_source_and_nodes),
        cmocka_unit_test(test_joints_and_devices),
        cmocka_unit_test(test_finding),
        cmocka_unit_test(test_bad_findings),
        cmocka_unit_test(test_meshes_and_materials),
        cmocka_unit_test(test_clips),
        cmocka_unit_test(test_moved_joint),
        cmocka_unit_test(test_rounded_by_a_tool),
        cmocka_unit_test(test_moved_node),
        cmocka_unit_test(test_hung_on_no_tail),
        cmocka_unit_test(test_changed_meshes),
        cmocka_unit_test(test_changed_primitives),
        cmocka_unit_test(test_shifted_tail),
        cmocka_unit_test(test_flattened_deliver),
        cmocka_unit_test(test_lost_ids_are_warnings),
        cmocka_unit_test(test_changed_clip),
        cmocka_unit_test(test_asset_extras_gone),
        cmocka_unit_test(test_up_root),
        cmocka_unit_test(test_versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
