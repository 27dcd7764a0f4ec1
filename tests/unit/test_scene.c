/* The core: validation, copies, subsets, merging, kinematics, sources, sinks. */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>

#include "base/bytes/disk.h"
#include "fixture.h"
#include "model/model.h"
#include "model/tables.h"
#include "motion/motion.h"

static size_t get_file(const char *name, char *bytes, size_t room)
{
    FILE *file = fopen(path_of(name), "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, room, file);
    assert_int_equal(fclose(file), 0);
    return size;
}

static uint32_t add(cp_scene *scene, uint32_t parent, const char *name)
{
    uint32_t node = scene_add_node(scene, parent, name, strlen(name));
    assert_int_not_equal(node, CP_NONE);
    return node;
}

/* ---- validation ---- */

/* A scene with one of each thing, and handles to break it by. */
struct sound {
    cp_scene *scene;
    float positions[9], normals[9], tangents[12], coordinates[6];
    unsigned char bytes[3];
    cp_texture_use uses[2];
    uint32_t corners[3], offsets[2], ends[1], joints[1];
    cp_group groups[1];
    double home[1], times[2], values[2];
    cp_track track;
};

enum { A = 1, B };

static void make_sound(cp_context *context, struct sound *sound)
{
    *sound = (struct sound){.scene = scene_new(context),
                            .positions = {0, 0, 0, 1, 0, 0, 0, 1, 0},
                            .normals = {0, 0, 1, 0, 0, 1, 0, 0, 1},
                            .tangents = {1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, -1},
                            .corners = {0, 1, 2},
                            .offsets = {0, 3},
                            .ends = {B},
                            .groups = {{.face_count = 1}},
                            .uses = {{.scale = {1, 1}}, {.role = CP_TEXTURE_NORMAL, .set = 1, .scale = {1, 1}}},
                            .times = {0, 1}};
    sound->track = (cp_track){.path = CP_PATH_JOINT, .key_count = 2, .times = sound->times, .values = sound->values};
    cp_scene *scene = sound->scene;
    cp_mesh mesh = {.vertex_count = 3, .face_count = 1, .corner_count = 3, .group_count = 1};
    mesh.positions = sound->positions, mesh.normals = sound->normals, mesh.tangents = sound->tangents;
    mesh.coordinates[0] = mesh.coordinates[1] = sound->coordinates;
    mesh.corners = sound->corners, mesh.face_offsets = sound->offsets, mesh.groups = sound->groups;
    cp_pose identity = pose_scaling(1, 1, 1);
    (void)add(scene, 0, "a");
    (void)add(scene, A, "b");
    (void)scene_add_joint(scene, A, CP_JOINT_REVOLUTE, "drives");
    (void)scene_add_joint(scene, B, CP_JOINT_REVOLUTE, "follows");
    scene->joints[1].master = 0, scene->joints[1].driven = false;
    (void)scene_add_image(scene, &(cp_image){.name = "i", .size = 3, .bytes = sound->bytes});
    (void)scene_add_texture(scene, &(cp_texture){.image = 0, .fallback = CP_NONE});
    (void)scene_add_material(scene, "m", (double[]){1, 1, 1, 1}, false);
    scene->materials[0].textures = sound->uses, scene->materials[0].texture_count = 2;
    (void)scene_add_mesh(scene, &mesh);
    (void)scene_add_instance(scene, B, 0, CP_USE_BOTH, &identity);
    (void)scene_add_device(scene, "d", A);
    cp_device *device = scene->devices;
    device->ends = sound->ends, device->joints = sound->joints, device->home = sound->home;
    device->end_count = device->joint_count = 1;
    (void)scene_add_pair(scene, A, B, "given");
    (void)scene_add_clip(scene, "c", 1, &sound->track);
    assert_true(scene_add_metadata(scene, CP_OWNER_NODE, B, "k", CP_VALUE_STRING, "v"));
    assert_int_equal(scene_finish(scene), CP_OK);
}

/* Each function breaks one rule and returns what has to be said of it; NULL after its last fault. */
typedef const char *breaker(struct sound *sound, int fault);

static const char *break_tree(struct sound *sound, int fault)
{
    cp_node *nodes = sound->scene->nodes;
    cp_instance *instance = sound->scene->instances;
    switch (fault) {
    case 0:
        return nodes[A].parent = B, "node 1 does not come after its parent";
    case 1:
        return nodes[A].parent = A, "node 1 does not come after its parent";
    case 2:
        return nodes[0].local.m[3] = 1, "node 0 is the world and not at the origin";
    case 3:
        return nodes[B].local.m[5] = NAN, "node 2 has a pose that is not finite";
    case 4:
        return nodes[B].scope = 1, "node 2 has a scope that is no device";
    case 5:
        return nodes[B].id = nodes[A].id, "node 2 has another's id";
    case 6:
        return nodes[B].joint_count = 2, "node 2 has instances or joints that are not there";
    case 7:
        return instance->node = A, "instance 0 does not stand with its node";
    case 8:
        return instance->mesh = 1, "instance 0 has no mesh";
    case 9:
        return instance->use = 0, "instance 0 has a bad use or transform";
    case 10:
        return instance->transform.m[3] = INFINITY, "instance 0 has a bad use or transform";
    default:
        return NULL;
    }
}

static const char *break_mesh(struct sound *sound, int fault)
{
    switch (fault) {
    case 0:
        return sound->corners[1] = 3, "mesh 0 has a corner that is no vertex";
    case 1:
        return sound->positions[4] = INFINITY, "mesh 0 has a vertex that is not finite";
    case 2:
        return sound->normals[4] = NAN, "mesh 0 has a normal that is not finite";
    case 3:
        return sound->offsets[1] = 2, "mesh 0 has face offsets that do not span its corners";
    case 4:
        return sound->scene->meshes[0].corner_count = sound->offsets[1] = 2, "mesh 0 has a face of too few corners";
    case 5:
        return sound->groups[0].face_count = 0, "mesh 0 has groups that leave faces out";
    case 6:
        return sound->groups[0].face_count = 2, "mesh 0 has groups that do not follow its faces";
    case 7:
        return sound->groups[0].material = 1, "mesh 0 has a group without its material";
    case 8:
        return sound->scene->materials[0].rgba[3] = NAN, "material 0 has no id or a bad colour";
    default:
        return NULL;
    }
}

static const char *break_surface(struct sound *sound, int fault)
{
    cp_material *material = sound->scene->materials;
    cp_texture *texture = sound->scene->textures;
    switch (fault) {
    case 0:
        return sound->coordinates[5] = NAN, "mesh 0 has a texture coordinate that is not finite";
    case 1:
        return sound->scene->images[0].bytes = NULL, "image 0 lacks its bytes";
    case 2:
        return sound->scene->images[0].type = NULL, "image 0 has no type";
    case 3:
        return texture->image = 1, "texture 0 has no image";
    case 4:
        return texture->fallback = 1, "texture 0 has no image";
    case 5:
        return texture->magnify = CP_SAMPLE_LINEAR_LINEAR, "texture 0 has a bad sampler";
    case 6:
        return material->roughness = NAN, "material 0 has a bad surface";
    case 7:
        return material->one_sided = material->two_sided = true, "material 0 has a bad surface";
    case 8:
        return material->textures = NULL, "material 0 has a bad texture";
    case 9:
        return sound->uses[1].texture = 1, "material 0 has a bad texture";
    case 10:
        return sound->uses[1].set = 2, "material 0 has a bad texture";
    case 11:
        return sound->uses[1].role = CP_TEXTURE_BASE_COLOUR, "material 0 has a bad texture";
    case 12:
        return sound->uses[0].offset[1] = INFINITY, "material 0 has a bad texture";
    case 13:
        return sound->scene->meshes[0].coordinates[0] = NULL, "mesh 0 has texture coordinates of the second set alone";
    case 14:
        return material->metallic = 1.5, "material 0 has a bad surface";
    case 15:
        return sound->tangents[11] = NAN, "mesh 0 has a tangent that is not finite";
    case 16:
        return sound->scene->meshes[0].normals = NULL, "mesh 0 has tangents without normals";
    default:
        return NULL;
    }
}

static const char *break_joints(struct sound *sound, int fault)
{
    cp_joint *joints = sound->scene->joints;
    switch (fault) {
    case 0:
        return joints[0].node = B, "joint 0 does not stand with its node";
    case 1:
        return joints[0].axis[0] = 1, "joint 0 has an axis that is not a unit vector";
    case 2:
        return joints[0].lower = NAN, "joint 0 has a value that is not a number";
    case 3:
        return joints[0].home = INFINITY, "joint 0 has a value that is not a number";
    case 4:
        return joints[1].master = 1, "joint 1 depends on no joint, or on a dependent one";
    case 5:
        return joints[1].master = 2, "joint 1 depends on no joint, or on a dependent one";
    case 6:
        return joints[1].driven = true, "joint 1 is dependent and driven, or by a bad factor";
    case 7:
        return joints[1].scale = NAN, "joint 1 is dependent and driven, or by a bad factor";
    default:
        return NULL;
    }
}

static const char *break_rest(struct sound *sound, int fault)
{
    switch (fault) {
    case 0:
        return sound->scene->devices[0].base = 3, "device 0 names a node or joint that is not there";
    case 1:
        return sound->ends[0] = 3, "device 0 names a node or joint that is not there";
    case 2:
        return sound->joints[0] = 2, "device 0 names a node or joint that is not there";
    case 3:
        return sound->scene->devices[0].scope = 1, "device 0 has a scope that is no device";
    case 4:
        return sound->home[0] = NAN, "device 0 has a home that is not finite";
    case 5:
        return sound->scene->pairs[0].second = 3, "pair 0 names a node that is not there";
    case 6:
        return sound->times[1] = 0, "clip 0 has a bad track";
    case 7:
        return sound->values[1] = NAN, "clip 0 has a bad track";
    case 8:
        return sound->track.target = 2, "clip 0 has a bad track";
    case 9:
        return sound->scene->metadata[0].index = 3, "metadata 0 belongs to nothing";
    case 10:
        return sound->scene->devices[0].ends = NULL, "device 0 names a node or joint that is not there";
    case 11:
        return sound->track.times = NULL, "clip 0 has a bad track";
    case 12:
        return sound->scene->clips[0].tracks = NULL, "clip 0 has a bad track";
    case 13:
        return sound->scene->clips[0].name = NULL, "clip 0 has no name";
    default:
        return NULL;
    }
}

static void test_broken_scenes_are_found(void **unused)
{
    (void)unused;
    static breaker *const breakers[] = {break_tree, break_mesh, break_surface, break_joints, break_rest};
    cp_context *context = cp_context_new(NULL);
    const char *expected = "";
    for (size_t i = 0; i < sizeof breakers / sizeof *breakers; i++)
        for (int fault = 0; expected || fault == 0; fault++) {
            struct sound sound;
            make_sound(context, &sound);
            cp_report_clear(context);
            expected = breakers[i](&sound, fault);
            assert_int_equal(cp_validate(context, sound.scene), expected ? CP_BUG : CP_OK);
            size_t count;
            const cp_entry *entries = cp_report(context, &count);
            assert_int_equal(count, expected ? 1 : 0);
            if (expected)
                assert_string_equal(entries[0].text, expected);
            cp_scene_free(sound.scene);
        }
    cp_context_free(context);
}

/* Which rows stay is found table by table: one that must refer to a row is looked at after that row. */
static void test_tables_refer_to_earlier_ones(void **unused)
{
    (void)unused;
    for (enum scene_table table = 0; table < TABLE_COUNT; table++) {
        assert_non_null(tables[table].word);
        for (const struct member *member = tables[table].layout.members; member->kind != MEMBER_END; member++) {
            assert_true(member->at < tables[table].layout.size);
            if (member->kind == MEMBER_ROW && !member->table_of)
                assert_true(member->table < table);
        }
    }
    for (cp_owner owner = CP_OWNER_NODE; owner <= CP_OWNER_JOINT; owner++)
        assert_true(metadata_table(&(cp_metadata_entry){.owner = owner}) < TABLE_METADATA);
}

/* ---- kinematics, subsets, merging ---- */

/* world - a (z up 1) - j (revolute) - b (x 2) - tip; passive follows j with factor -2. */
static cp_scene *make_arm(cp_context *context)
{
    cp_scene *scene = scene_new(context);
    uint32_t a = add(scene, 0, "a");
    scene->nodes[a].local = pose_translation(0, 0, 1);
    uint32_t j = add(scene, a, "j");
    uint32_t joint = scene_add_joint(scene, j, CP_JOINT_REVOLUTE, NULL);
    uint32_t b = add(scene, j, "b");
    scene->nodes[b].local = pose_translation(2, 0, 0);
    uint32_t passive = scene_add_joint(scene, b, CP_JOINT_PRISMATIC, NULL);
    scene->joints[passive].driven = false;
    scene->joints[passive].master = joint;
    scene->joints[passive].scale = -2;
    scene->joints[passive].offset = 0.5;
    scene->joints[joint].home = PI / 2;
    uint32_t box = scene_add_mesh(scene, &(cp_mesh){.kind = CP_MESH_BOX, .size = {1, 1, 1}});
    uint32_t tip = add(scene, b, "tip");
    (void)scene_add_instance(scene, tip, box, CP_USE_BOTH, &POSE_IDENTITY);
    assert_int_equal(scene_finish(scene), CP_OK);
    return scene;
}

static void expect_position(const cp_pose *pose, double x, double y, double z)
{
    assert_true(fabs(pose->m[3] - x) < 1e-12 && fabs(pose->m[7] - y) < 1e-12 && fabs(pose->m[11] - z) < 1e-12);
}

static void test_forward_kinematics(void **unused)
{
    (void)unused;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = make_arm(context);
    cp_pose worlds[5];
    pose_scene(scene, NULL, worlds);
    expect_position(&worlds[4], 0, 2, 1 + 0.5 - PI); /* turned by 90 degrees; 0.5 - 2 * pi / 2 along z */
    double q[2] = {0, 99};                           /* a dependent joint's value is not taken */
    pose_scene(scene, q, worlds);
    expect_position(&worlds[4], 2, 0, 1.5);
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_keeping_a_subset(void **unused)
{
    (void)unused;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = make_arm(context), *copy = scene_copy(scene);
    bool keep[5] = {true, false, false, true, true}; /* without the joint j */
    assert_int_equal(scene_keep(copy, keep), CP_OK);
    assert_int_equal(scene_finish(copy), CP_OK);
    assert_int_equal(copy->node_count, 3);
    assert_int_equal(copy->joint_count, 1);
    assert_int_equal(copy->joints[0].master, CP_NONE);
    assert_true(fabs(copy->joints[0].q - (0.5 - PI)) < 1e-12);
    assert_true(was_reported(context, "scene-master"));
    cp_pose worlds[5];
    pose_scene(copy, NULL, worlds);
    expect_position(&worlds[2], 0, 2, 1.5 - PI);
    assert_int_equal(scene->node_count, 5); /* the original is untouched */
    scene_replace(scene, copy);
    assert_int_equal(scene->node_count, 3);
    bool none[3] = {false};
    assert_int_equal(scene_keep(scene, none), CP_OK);
    assert_int_equal(scene->node_count + scene->mesh_count + scene->instance_count + scene->joint_count, 1);
    cp_scene_free(scene);
    cp_context_free(context);
}

/* Turn and shift of two lost frames do not commute. */
static void test_lost_poses_multiply_in_order(void **unused)
{
    (void)unused;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = make_arm(context);
    assert_int_equal(scene_keep(scene, (bool[]){true, true, false, false, true}), CP_OK);
    cp_pose worlds[3];
    pose_scene(scene, NULL, worlds);
    assert_string_equal(scene->nodes[2].name, "tip");
    expect_position(&worlds[2], 0, 2, 1.5 - PI);
    cp_scene_free(scene);
    cp_context_free(context);
}

/* The sound scene with more that points at something else. */
static void make_pointing(cp_context *context, struct sound *sound)
{
    make_sound(context, sound);
    cp_scene *scene = sound->scene;
    scene->nodes[B].scope = scene->devices[0].scope = 0;
    scene->materials[0].two_sided = true;
    scene->pairs[0].verdict = CP_PAIR_KEPT;
    assert_true(scene_add_metadata(scene, CP_OWNER_MESH, 0, "mesh", CP_VALUE_STRING, ""));
    assert_true(scene_add_metadata(scene, CP_OWNER_MATERIAL, 0, "material", CP_VALUE_STRING, ""));
    assert_true(scene_add_metadata(scene, CP_OWNER_JOINT, 1, "joint", CP_VALUE_STRING, ""));
    assert_int_equal(scene_finish(scene), CP_OK);
}

static void expect_owner(const cp_scene *scene, const char *key, uint32_t index)
{
    const cp_metadata_entry *last = NULL;
    for (uint32_t i = 0; i < scene->metadata_count; i++)
        if (!strcmp(scene->metadata[i].key, key))
            last = &scene->metadata[i];
    assert_non_null(last);
    assert_int_equal(last->index, index);
}

static void test_merging_moves_all_that_points(void **unused)
{
    (void)unused;
    cp_context *context = cp_context_new(NULL);
    struct sound first, second;
    make_pointing(context, &first);
    make_pointing(context, &second);
    cp_scene *scene = first.scene;
    scene->exclude_static_pairs = true;
    assert_int_equal(cp_merge(context, scene, second.scene, "second"), CP_OK);
    assert_int_equal(scene->nodes[2].scope, 0);
    assert_int_equal(scene->nodes[5].scope, 1); /* world a b, second, a b */
    assert_int_equal(scene->devices[1].scope, 1);
    assert_int_equal(scene->devices[1].base, 4);
    assert_int_equal(scene->devices[1].ends[0], 5);
    assert_int_equal(scene->devices[1].joints[0], 2);
    assert_int_equal(scene->clips[1].tracks[0].target, 2);
    assert_int_equal(scene->pairs[1].first, 4);
    assert_int_equal(scene->pairs[1].verdict, CP_PAIR_KEPT);
    assert_int_equal(scene->meshes[1].groups[0].material, 1);
    assert_true(scene->materials[1].two_sided);
    assert_int_equal(scene->materials[1].textures[1].texture, 1);
    assert_int_equal(scene->textures[1].image, 1);
    assert_int_equal(scene->textures[1].fallback, CP_NONE);
    assert_string_equal(scene->images[1].id, "i#2");
    assert_true(scene->exclude_static_pairs);
    expect_owner(scene, "mesh", 1);
    expect_owner(scene, "material", 1);
    expect_owner(scene, "joint", 3);
    expect_owner(scene, "k", 5);
    cp_scene_free(second.scene);
    cp_scene_free(scene);
    cp_context_free(context);
}

/* Without the first scene's parts all indices of the second's are those of a scene alone, but for its frame. */
static void test_keeping_moves_all_that_points(void **unused)
{
    (void)unused;
    cp_context *context = cp_context_new(NULL);
    struct sound first, second;
    make_pointing(context, &first);
    make_pointing(context, &second);
    cp_scene *scene = first.scene;
    assert_int_equal(cp_merge(context, scene, second.scene, "second"), CP_OK);
    assert_int_equal(scene_keep(scene, (bool[]){true, false, false, true, true, true}), CP_OK);
    assert_int_equal(cp_validate(context, scene), CP_OK);
    assert_int_equal(scene->node_count, 4);
    assert_int_equal(scene->nodes[3].scope, 0);
    assert_int_equal(scene->device_count, 1);
    assert_int_equal(scene->devices[0].scope, 0);
    assert_int_equal(scene->devices[0].ends[0], 3);
    assert_int_equal(scene->devices[0].joints[0], 0);
    assert_int_equal(scene->joint_count, 2);
    assert_int_equal(scene->joints[1].master, 0);
    assert_int_equal(scene->clip_count, 1);
    assert_int_equal(scene->clips[0].tracks[0].target, 0);
    assert_int_equal(scene->texture_count, 1);
    assert_int_equal(scene->materials[0].textures[1].texture, 0);
    assert_int_equal(scene->image_count, 1);
    assert_int_equal(scene->textures[0].image, 0);
    assert_int_equal(scene->metadata_count, 4);
    expect_owner(scene, "mesh", 0);
    expect_owner(scene, "material", 0);
    expect_owner(scene, "joint", 1);
    expect_owner(scene, "k", 3);
    cp_scene_free(second.scene);
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_merging(void **unused)
{
    (void)unused;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = make_arm(context), *other = make_arm(context);
    assert_int_equal(cp_merge(context, scene, other, "second"), CP_OK);
    cp_scene_free(other);
    assert_int_equal(scene->node_count, 10); /* 5, the new frame, and 4 that are not the other's world */
    assert_string_equal(scene->nodes[5].name, "second");
    assert_int_equal(scene->nodes[6].parent, 5);
    assert_int_equal(scene->joints[3].master, 2);
    assert_int_equal(scene->mesh_count, 2);
    assert_int_equal(scene->instances[1].mesh, 1);
    assert_string_equal(scene->nodes[9].id, "tip#2");
    cp_pose worlds[10];
    pose_scene(scene, NULL, worlds);
    expect_position(&worlds[9], 0, 2, 1.5 - PI);
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_sweep(void **unused)
{
    (void)unused;
    cp_joint joint = {.type = CP_JOINT_REVOLUTE, .lower = -1, .upper = 3, .home = 0, .driven = true, .master = CP_NONE};
    struct sweep sweep;
    assert_true(joint_sweep(&joint, 1, &sweep));
    const double values[] = {0, -1, 3, 0}, times[] = {0, 0.5, 2.5, 4}; /* legs 1, 4, 3 of 8 */
    for (int i = 0; i < SWEEP_KEYS; i++)
        assert_true(sweep.values[i] == values[i] && fabs(sweep.times[i] - times[i]) < 1e-12);
    joint.lower = -INFINITY;
    joint.upper = INFINITY;
    assert_true(joint_sweep(&joint, 1, &sweep));
    assert_true(sweep.values[1] == -PI && sweep.values[2] == PI);
    joint.lower = joint.upper = 0;
    assert_false(joint_sweep(&joint, 1, &sweep));
}

static void test_poses_and_trs(void **unused)
{
    (void)unused;
    srand(1);
    for (int i = 0; i < 20000; i++) {
        struct trs trs = {{1, 2, 3}, {0}, {1, 1, 1}}, back;
        double length = 0;
        for (int k = 0; k < 4; k++) {
            trs.rotation[k] = rand() / (double)RAND_MAX * 2 - 1;
            length += trs.rotation[k] * trs.rotation[k];
        }
        for (int k = 0; k < 4; k++)
            trs.rotation[k] /= sqrt(length);
        for (int k = 0; k < 3; k++) /* mirrored and zero scales too */
            trs.scale[k] = i % 5 == 0 ? 1 : i % 5 == 1 && k == i % 3 ? 0 : i % 5 == 2 && k != i % 3 ? 0 : k - 1.5;
        cp_pose pose = pose_from_trs(&trs);
        assert_true(pose_to_trs(&pose, 1e-12, &back));
    }
    cp_pose shear = POSE_IDENTITY;
    shear.m[1] = 0.5;
    struct trs trs;
    assert_false(pose_to_trs(&shear, 1e-9, &trs));
    cp_pose quarter = pose_rotation_degrees(2, -90);
    assert_true(quarter.m[0] == 0 && quarter.m[1] == 1 && quarter.m[4] == -1);
    assert_true(degrees_to_radians(90) == PI / 2 && degrees_to_radians(-180) == -PI);
}

/* ---- bytes ---- */

static void test_sources(void **unused)
{
    (void)unused;
    cp_context *context = cp_context_new(NULL);
    write_bytes("top.txt", "top", 3);
    assert_int_equal(mkdir(path_of("sub"), 0777), 0);
    write_bytes("sub/a.txt", "a", 1);
    write_bytes("sub/b.txt", "b", 1);
    struct source *top, *a, *b, *again;
    assert_int_equal(source_open_top(context, path_of("top.txt"), &top), CP_OK);
    assert_memory_equal(top->data, "top", 4);
    assert_int_equal(source_open(top, "sub/a.txt", &a), CP_OK);
    assert_string_equal(a->name, "sub/a.txt");
    assert_int_equal(source_open(a, "b.txt", &b), CP_OK); /* relative to the one that names it */
    assert_string_equal(b->name, "sub/b.txt");
    assert_int_equal(source_open(a, "none.txt", &again), CP_NO);
    assert_int_equal(source_open(b, "../sub/a.txt", &again), CP_INPUT);
    assert_true(was_reported(context, "source-cycle"));
    assert_int_equal(source_open(top, "sub", &again), CP_NO); /* a folder is no file */
    assert_int_equal(source_open_top(context, path_of("sub"), &again), CP_INPUT);
    assert_true(was_reported(context, "source-folder"));
    assert_true(files_known(context, path_of("sub/../sub/b.txt"), FILE_READ));
    assert_false(files_known(context, path_of("none.txt"), FILE_READ));
    source_close(b);
    source_close(a);
    source_close(top);
    cp_context_free(context);
}

static void test_confinement(void **unused)
{
    (void)unused;
    cp_context *context = cp_context_new(NULL); /* which confines, unless it is told not to */
    write_bytes("secret.txt", "s", 1);
    assert_int_equal(mkdir(path_of("cell"), 0777), 0);
    write_bytes("cell/top.txt", "t", 1);
    write_bytes("cell/part.txt", "p", 1);
    assert_int_equal(symlink("../secret.txt", path_of("cell/link.txt")), 0);
    struct source *top, *further;
    assert_int_equal(source_open_top(context, path_of("cell/top.txt"), &top), CP_OK);
    assert_int_equal(source_open(top, "part.txt", &further), CP_OK);
    source_close(further);
    assert_int_equal(source_open(top, "../secret.txt", &further), CP_INPUT);
    /* Opening a FIFO would wait for its writer. */
    assert_int_equal(mkfifo(path_of("pipe.txt"), 0666), 0);
    assert_int_equal(source_open(top, "../pipe.txt", &further), CP_INPUT);
    assert_false(was_reported(context, "source-irregular"));
    assert_int_equal(mkfifo(path_of("cell/pipe.txt"), 0666), 0);
    for (int confined = 1; confined >= 0; confined--) {
        cp_set_flag(context, CP_FLAG_CONFINE, confined != 0);
        assert_int_equal(source_open(top, "pipe.txt", &further), CP_INPUT);
        assert_true(was_reported(context, "source-irregular"));
        cp_report_clear(context);
    }
    assert_int_equal(source_open(top, "/dev/zero", &further), CP_INPUT);
    assert_true(was_reported(context, "source-irregular"));
    cp_set_flag(context, CP_FLAG_CONFINE, true);
    assert_int_equal(source_open(top, "missing.txt", &further), CP_NO);
    assert_int_equal(source_open(top, "link.txt", &further), CP_INPUT);
    assert_int_equal(source_open(top, path_of("secret.txt"), &further), CP_INPUT);
    assert_true(was_reported(context, "source-confined"));
    source_close(top);
    cp_context_free(context);
}

static void test_gzip_sources(void **unused)
{
    (void)unused;
    cp_context *context = cp_context_new(NULL);
    gzFile file = gzopen(path_of("a.gz"), "wb");
    assert_int_equal(gzwrite(file, "hello", 5), 5);
    assert_int_equal(gzclose(file), Z_OK);
    char bytes[256];
    size_t size = get_file("a.gz", bytes, 100);
    memcpy(bytes + size, bytes, size); /* two members */
    struct source *source;
    assert_int_equal(source_from_memory(context, bytes, 2 * size, "m.gz", &source), CP_OK);
    assert_int_equal(source->size, 10);
    assert_string_equal(source->data, "hellohello");
    source_close(source);
    assert_int_equal(source_from_memory(context, bytes, size - 9, "m.gz", &source), CP_OK);
    assert_true(source->ends_early);
    source_close(source);
    bytes[size - 6] ^= 1; /* the checksum */
    assert_int_equal(source_from_memory(context, bytes, size, "m.gz", &source), CP_INPUT);
    assert_true(was_reported(context, "source-gzip"));
    bytes[size - 6] ^= 1;
    assert_int_equal(cp_set_limit(context, "expanded-bytes=4"), CP_OK);
    assert_int_equal(source_from_memory(context, bytes, size, "m.gz", &source), CP_LIMIT);
    cp_context_free(context);
}

/* 20 and 40 MB of zeros, packed by zlib: a thousand times smaller. */
static void test_ratio_of_unpacking(void **unused)
{
    enum { ROOM = 1 << 16 };
    (void)unused;
    static unsigned char zeros[1 << 20], packed[2][ROOM];
    size_t sizes[2];
    cp_context *context = cp_context_new(NULL);
    for (int raw = 0; raw < 2; raw++) { /* a part of an archive, or gzip */
        z_stream stream = {.next_out = packed[raw], .avail_out = ROOM};
        assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, raw ? -15 : 31, 9, Z_DEFAULT_STRATEGY), Z_OK);
        for (int i = 0; i < (raw ? 20 : 40); i++) {
            stream.next_in = zeros;
            stream.avail_in = sizeof zeros;
            (void)deflate(&stream, i + 1 < (raw ? 20 : 40) ? Z_NO_FLUSH : Z_FINISH);
        }
        sizes[raw] = stream.total_out;
        assert_true(sizes[raw] < ROOM);
        assert_int_equal(deflateEnd(&stream), Z_OK);
    }
    struct source *source, *archive;
    bool whole;
    struct packed part = {(const char *)packed[1], sizes[1], true, 20 << 20, 0};
    assert_int_equal(source_from_memory(context, "zip", 3, "a.zip", &archive), CP_OK);
    assert_int_equal(source_from_memory(context, packed[0], sizes[0], "a.gz", &source), CP_LIMIT);
    assert_true(was_reported(context, "source-ratio"));
    cp_report_clear(context);
    assert_int_equal(unpack_check(archive, &part, &whole), CP_LIMIT);
    assert_true(was_reported(context, "source-ratio"));
    assert_int_equal(cp_set_limit(context, "ratio=2000"), CP_OK);
    assert_int_equal(source_from_memory(context, packed[0], sizes[0], "a.gz", &source), CP_OK);
    assert_int_equal(source->size, 40 << 20);
    source_close(source);
    assert_int_equal(unpack_check(archive, &part, &whole), CP_OK);
    source_close(archive);
    cp_context_free(context);
}

static int count_files(void)
{
    char command[128], text[16] = "";
    (void)snprintf(command, sizeof command, "find '%s' -type f | wc -l", folder_path());
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_non_null(fgets(text, sizeof text, pipe));
    (void)pclose(pipe);
    return (int)strtol(text, NULL, 10);
}

static void test_outputs_appear_whole_or_not_at_all(void **unused)
{
    (void)unused;
    cp_context *context = cp_context_new(NULL);
    struct sink *top, *part;
    char bytes[16];
    write_bytes("out.txt", "old", 3);
    int before = count_files();
    assert_int_equal(sink_open_top(context, path_of("out.txt"), &top), CP_OK);
    sink_text(top, "new text");
    assert_int_equal(sink_open(top, "d_x/part.txt", &part), CP_OK);
    sink_text(part, "p");
    assert_int_equal(sink_close_further(part), CP_OK);
    assert_int_equal(get_file("out.txt", bytes, 16), 3); /* nothing yet */
    assert_int_equal(sink_close(top, CP_INPUT), CP_INPUT);
    assert_int_equal(count_files(), before);
    struct stat info;
    assert_int_not_equal(stat(path_of("d_x"), &info), 0);

    assert_int_equal(sink_open_top(context, path_of("out.txt"), &top), CP_OK);
    sink_text(top, "new text");
    assert_int_equal(sink_open(top, "d_x/part.txt", &part), CP_OK);
    sink_text(part, "p");
    assert_int_equal(sink_close(top, CP_OK), CP_OK);
    assert_int_equal(get_file("out.txt", bytes, 16), 8);
    assert_int_equal(get_file("d_x/part.txt", bytes, 16), 1);
    assert_int_equal(count_files(), before + 1);
    cp_context_free(context);
}

static void test_links_and_modes_of_outputs(void **unused)
{
    (void)unused;
    cp_context *context = cp_context_new(NULL);
    struct sink *top;
    write_bytes("target.txt", "old", 3);
    assert_int_equal(chmod(path_of("target.txt"), 0640), 0);
    assert_int_equal(symlink("target.txt", path_of("link-out.txt")), 0);
    assert_int_equal(sink_open_top(context, path_of("link-out.txt"), &top), CP_OK);
    sink_text(top, "new!");
    assert_int_equal(sink_close(top, CP_OK), CP_OK);
    struct stat info;
    assert_int_equal(lstat(path_of("link-out.txt"), &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(stat(path_of("target.txt"), &info), 0);
    assert_int_equal(info.st_size, 4);
    assert_int_equal(info.st_mode & 0777, 0640);
    cp_set_flag(context, CP_FLAG_NO_CLOBBER, true);
    assert_int_equal(sink_open_top(context, path_of("target.txt"), &top), CP_OUTPUT);
    assert_int_equal(sink_open_top(context, folder_path(), &top), CP_OUTPUT);
    assert_int_equal(sink_open_top(context, path_of("no/such/folder.txt"), &top), CP_OUTPUT);
    cp_context_free(context);
}

static void test_safe_names(void **unused)
{
    (void)unused;
    cp_context *context = cp_context_new(NULL);
    struct sink *top;
    assert_int_equal(sink_open_memory(context, &top), CP_OK);
    assert_string_equal(sink_safe_name(top, "Link.1", ".wrl"), "Link_1.wrl");
    assert_string_equal(sink_safe_name(top, "link_1", ".wrl"), "link_1_2.wrl");
    assert_string_equal(sink_safe_name(top, "../../etc/passwd", ".wrl"), "______etc_passwd.wrl");
    assert_string_equal(sink_safe_name(top, "", ".wrl"), "part.wrl");
    assert_string_equal(sink_safe_name(top, "\xc3\xa9", ".wrl"), "_.wrl");
    void *bytes;
    size_t size;
    sink_text(top, "abc");
    assert_int_equal(sink_close_memory(top, CP_OK, &bytes, &size), CP_OK);
    assert_int_equal(size, 3);
    assert_memory_equal(bytes, "abc", 3);
    cp_free(context, bytes, size);
    cp_context_free(context);
}

static void test_gzip_output_is_deterministic_and_readable(void **unused)
{
    (void)unused;
    cp_context *context = cp_context_new(NULL);
    struct sink *top;
    struct source *source;
    assert_int_equal(sink_open_top(context, path_of("big.txt.gz"), &top), CP_OK);
    assert_string_equal(sink_stem(top), "big");
    uint64_t plain = 0;
    for (int i = 0; i < 100000; i++) {
        sink_print(top, "%d\n", i);
        plain += i < 10 ? 2 : i < 100 ? 3 : i < 1000 ? 4 : i < 10000 ? 5 : 6;
    }
    assert_int_equal(sink_close(top, CP_OK), CP_OK);
    char head[10];
    assert_int_equal(get_file("big.txt.gz", head, 10), 10);
    assert_memory_equal(head + 3, "\0\0\0\0\0", 5); /* no name, no time */
    assert_int_equal(source_open_top(context, path_of("big.txt.gz"), &source), CP_OK);
    assert_int_equal(source->size, plain);
    source_close(source);
    cp_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_broken_scenes_are_found),
        cmocka_unit_test(test_tables_refer_to_earlier_ones),
        cmocka_unit_test(test_forward_kinematics),
        cmocka_unit_test(test_keeping_a_subset),
        cmocka_unit_test(test_lost_poses_multiply_in_order),
        cmocka_unit_test(test_merging_moves_all_that_points),
        cmocka_unit_test(test_keeping_moves_all_that_points),
        cmocka_unit_test(test_merging),
        cmocka_unit_test(test_sweep),
        cmocka_unit_test(test_poses_and_trs),
        cmocka_unit_test(test_sources),
        cmocka_unit_test(test_confinement),
        cmocka_unit_test(test_gzip_sources),
        cmocka_unit_test(test_ratio_of_unpacking),
        cmocka_unit_test(test_outputs_appear_whole_or_not_at_all),
        cmocka_unit_test(test_links_and_modes_of_outputs),
        cmocka_unit_test(test_safe_names),
        cmocka_unit_test(test_gzip_output_is_deterministic_and_readable),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
