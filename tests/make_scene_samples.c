/* Writes the samples that no other format could hold: joints.gltf, poses.gltf, shapes.gltf (profile stage, embedded),
 * into the folder that is the only argument. Run by hand when the stage format changes; it uses the library's inside:
 *     cc -iquote scene -o make_scene_samples tests/make_scene_samples.c $(find
 *     build/dev/CMakeFiles/cellpipe_objects.dir \
 *         build/dev/CMakeFiles/cellpipe_scene.dir -name '*.o') -lz -lxxhash -lxml2 -lassimp -lmeshoptimizer -lm &&
 *         ./make_scene_samples samples */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

static cp_context *context;
static cp_scene *scene;

static void must(bool good, const char *what)
{
    if (good)
        return;
    size_t count;
    const cp_entry *entries = cp_report(context, &count);
    (void)fprintf(stderr, "%s failed: %s\n", what, count ? entries[count - 1].message : "");
    exit(1);
}

static uint32_t node_below(uint32_t parent, const char *name)
{
    uint32_t node = scene_add_node(scene, parent, name, strlen(name));
    must(node != CP_NONE, "node");
    return node;
}

static uint32_t joint_on(uint32_t node, cp_joint_type type, double x, double y, double z)
{
    uint32_t index = scene_add_joint(scene, node, type, NULL);
    must(index != CP_NONE, "joint");
    const double axis[3] = {x, y, z};
    memcpy(scene->joints[index].axis, axis, sizeof axis);
    return index;
}

static void limit(uint32_t joint, double lower, double home, double upper)
{
    scene->joints[joint].lower = lower;
    scene->joints[joint].home = home;
    scene->joints[joint].upper = upper;
}

static void place_mesh(uint32_t node, uint32_t mesh, uint32_t use, cp_pose pose)
{
    must(scene_add_instance(scene, node, mesh, use, &pose) != CP_NONE, "instance");
}

static uint32_t add_mesh(cp_mesh mesh)
{
    uint32_t index = scene_add_mesh(scene, &mesh);
    must(index != CP_NONE, "mesh");
    return index;
}

static uint32_t box(const char *name, double x, double y, double z)
{
    return add_mesh((cp_mesh){.name = name, .source = "", .kind = CP_MESH_BOX, .size = {x, y, z}});
}

static void begin(void)
{
    scene = scene_new(context);
    must(scene != NULL, "scene");
}

static void save(const char *folder, const char *name)
{
    char path[4096];
    static const char *const options[] = {"profile=stage", "embed=yes"};
    must(scene_finish(scene) == CP_OK, "finish");
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    must(cp_write(context, scene, path, "gltf", options, 2) == CP_OK, "write");
    cp_scene_free(scene);
}

/* ---- joints.gltf ---- */

static void add_clips(uint32_t slider, uint32_t turner, uint32_t node)
{
    static const double step_times[] = {0, 0.5, 0.50000000000000011, 1.5}, step_values[] = {0, 0.1, 0.3, 0.3};
    static const double turn_times[] = {0.25, 1, 2}, turn_values[] = {0, 4, -1};
    static const double cubic_times[] = {0, 2}, cubic_values[] = {0, 0, 0.5, -0.5, 1, 0};
    static const double move_times[] = {-1, 1}, move_values[] = {0, 0, 0.25, 0, 0.5, 0.25};
    static const double spin_times[] = {0, 1}, spin_values[] = {0, 0, 0, 1, 0, 0, 0.6, 0.8};
    const cp_track tracks[] = {{slider, CP_PATH_JOINT, CP_STEP, 4, step_times, step_values},
                               {turner, CP_PATH_JOINT, CP_LINEAR, 3, turn_times, turn_values}};
    const cp_track curves[] = {{slider, CP_PATH_JOINT, CP_CUBIC, 2, cubic_times, cubic_values},
                               {turner, CP_PATH_JOINT, CP_CUBIC, 2, cubic_times, cubic_values},
                               {node, CP_PATH_TRANSLATION, CP_LINEAR, 2, move_times, move_values},
                               {node, CP_PATH_ROTATION, CP_LINEAR, 2, spin_times, spin_values}};
    cp_track *kept = scene_allocate(scene, 6, sizeof *kept);
    must(kept != NULL, "tracks");
    memcpy(kept, tracks, sizeof tracks);
    memcpy(kept + 2, curves, sizeof curves);
    must(scene_add_clip(scene, "jump", 2, kept) == 0 && scene_add_clip(scene, "nothing", 0, NULL) == 1 &&
             scene_add_clip(scene, "curves", 4, kept + 2) == 2,
         "clip");
}

/* Joints about any axis, two on one part, dependent, unlimited, stretching; odd and equal names; clips. */
static void make_joints(const char *folder)
{
    begin();
    uint32_t part = box("part", 0.1, 0.1, 0.3), base = node_below(0, "base / \\ \" \xc3\xa9.1");
    uint32_t arm = node_below(base, "arm"), wrist = node_below(arm, "arm"), slide = node_below(wrist, "slide");
    uint32_t gear = node_below(slide, "gear"), tool = node_below(gear, "tool"), free = node_below(0, "free");
    scene->nodes[arm].local = pose_translation(0.25, 0, 0.5);
    scene->nodes[wrist].local = (cp_pose){{0.36, 0.48, -0.8, 0.1, -0.8, 0.6, 0, 0.2, 0.48, 0.64, 0.6, 0.3}};
    scene->nodes[tool].local = pose_translation(0, 0.125, 0);
    scene->nodes[free].flags = CP_NODE_MOVABLE | CP_NODE_ATTACHABLE;
    uint32_t joints[7] = {joint_on(arm, CP_JOINT_REVOLUTE, 0, -1, 0),
                          joint_on(wrist, CP_JOINT_REVOLUTE, 0.6, 0, 0.8),
                          joint_on(wrist, CP_JOINT_PRISMATIC, 0.48, 0.64, -0.6),
                          joint_on(slide, CP_JOINT_PRISMATIC, 0, 0, 1),
                          joint_on(gear, CP_JOINT_REVOLUTE, 1, 0, 0),
                          joint_on(tool, CP_JOINT_SCALE, 0, 0.6, 0.8),
                          joint_on(free, CP_JOINT_FIXED, 0, 0, 1)};
    limit(joints[0], -3, 0.5, 2.5);
    limit(joints[2], -0.25, 0.125, 0.5);
    limit(joints[5], 0.5, 1.25, 2);
    scene->joints[joints[1]].q = -1.25;
    cp_joint *dependent = &scene->joints[joints[4]];
    dependent->master = joints[3], dependent->scale = -8, dependent->offset = 0.25, dependent->driven = false;
    scene->joints[joints[0]].velocity = 2, scene->joints[joints[0]].acceleration = 20;
    for (uint32_t i = 0; i < 6; i++)
        place_mesh(base + i, part, CP_USE_BOTH, i % 2 ? POSE_IDENTITY : pose_translation(0, 0, 0.15));
    static const double home[] = {0.5, 0, 0.125, 0.0625, 1.25};
    uint32_t device = scene_add_device(scene, "robot", base);
    uint32_t *list = scene_allocate(scene, 6, sizeof *list);
    must(device != CP_NONE && list, "device");
    const uint32_t driven[6] = {joints[0], joints[1], joints[2], joints[3], joints[5], tool};
    memcpy(list, driven, sizeof driven);
    cp_device *robot = &scene->devices[device];
    robot->joints = list, robot->joint_count = 5, robot->home = home, robot->ends = list + 5, robot->end_count = 1;
    for (uint32_t i = arm; i <= tool; i++)
        scene->nodes[i].scope = device;
    must(scene_add_pair(scene, base, arm, "given") != CP_NONE, "pair");
    uint32_t kept = scene_add_pair(scene, base, tool, "never");
    scene->pairs[kept].verdict = CP_PAIR_KEPT, scene->pairs[kept].evidence = "0.02 m at least";
    must(scene_add_metadata(scene, CP_OWNER_JOINT, joints[2], "note", CP_VALUE_STRING, "off every axis"), "metadata");
    add_clips(joints[3], joints[1], free);
    save(folder, "joints.gltf");
}

/* ---- poses.gltf ---- */

/* Every kind of affine pose on nodes and on instances; one mesh a hundred times; a chain of 300; a name of 300
 * bytes. */
static void make_poses(const char *folder)
{
    static const cp_pose poses[] = {{{-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},
                                    {{1, 0.5, 0, 1, 0, 1, 0.25, 0, 0, 0, 1, 0}},
                                    {{-1, 0.5, 0, 2, 0.5, 1, 0.25, 0, 0, 1, 1, 0}},
                                    {{0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0}},
                                    {{2, 0, 0, 4, 0, 0, 0, 0, 0, 0, 3, 0}},
                                    {{1, 1, 0, 5, 1, 1, 0, 0, 0, 0, 0, 0}},
                                    {{0.1, -0.0, 0, 6, 0, 0.2, 0, 1e-9, 0, 0, 0.3, 1.5}}};
    static const char *const names[] = {"mirrored", "sheared", "mirrored and sheared", "nothing left", "flat",
                                        "a line",   "small"};
    begin();
    uint32_t part = box("part", 0.1, 0.2, 0.3);
    for (size_t i = 0; i < sizeof poses / sizeof *poses; i++) {
        uint32_t node = node_below(0, names[i]), below = node_below(node, "below");
        scene->nodes[node].local = poses[i];
        place_mesh(node, part, CP_USE_DRAWN, poses[i]);
        place_mesh(below, part, CP_USE_BOTH, POSE_IDENTITY);
        place_mesh(below, part, CP_USE_COLLISION, poses[i]);
    }
    uint32_t many = node_below(0, "many");
    for (int i = 0; i < 100; i++)
        place_mesh(many, part, i % 3 ? CP_USE_DRAWN : CP_USE_COLLISION,
                   pose_translation(0.5 * (i % 10), 0.5 * (i / 10), 2));
    char long_name[301];
    memset(long_name, 'n', 300);
    long_name[300] = 0;
    uint32_t link = node_below(0, long_name);
    for (int i = 0; i < 300; i++) {
        link = node_below(link, i % 2 ? "link" : "");
        scene->nodes[link].local = pose_rotation_degrees(i % 3, 30);
        scene->nodes[link].local.m[3] = 0.01;
    }
    place_mesh(link, part, CP_USE_BOTH, POSE_IDENTITY);
    save(folder, "poses.gltf");
}

/* ---- shapes.gltf ---- */

static const float star[] = {0, 0, 0, 2, 0, 0, 2, 2, 0, 1, 0.5f, 0, 0, 2, 0, 1, 1, 3, 7, 7, 7};
static const float outward[] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0.6f, 0, 0.8f, 0, 1, 0, -1, 0, 0, 0, -1, 0};
static const float tints[] = {1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 1, 1, 0, 0.5f, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1};
static const uint32_t corners[] = {0, 1, 2, 3, 4, 0, 1, 5, 1, 2, 5, 2, 3, 4, 5};
static const uint32_t offsets[] = {0, 5, 8, 11, 15}, line_offsets[] = {0, 2, 5, 15};
static const uint32_t degenerate[] = {1, 1, 2, 0, 1, 2, 4, 3, 3, 3}, degenerate_offsets[] = {0, 3, 7, 10};
static const uint32_t four[] = {0, 2, 1, 0, 1, 5, 1, 2, 5, 2, 0, 5};

/* Concave and degenerate polygons, a vertex that nobody uses, groups (one empty), normals, vertex colours; lines;
 * meshes with nothing to draw; one material on open and closed meshes; every primitive; metadata. */
static void make_shapes(const char *folder)
{
    begin();
    const double orange[4] = {0.9, 0.4, 0.1, 1}, glass[4] = {0.25, 0.5, 0.75, 0.25};
    uint32_t paint = scene_add_material(scene, "orange", orange, true),
             clear = scene_add_material(scene, "glass", glass, false);
    uint32_t spare = scene_add_material(scene, "orange", glass, false);
    scene->materials[spare].two_sided = true;
    const cp_group groups[] = {{0, 1, paint}, {1, 0, clear}, {1, 3, CP_NONE}}, closed[] = {{0, 4, paint}},
                   whole[] = {{0, 0, clear}};
    const cp_mesh faces = {.name = "faces",
                           .source = "faces.obj",
                           .vertex_count = 7,
                           .face_count = 4,
                           .corner_count = 15,
                           .positions = star,
                           .corners = corners,
                           .face_offsets = offsets};
    cp_mesh meshes[16] = {faces, faces, faces, faces};
    meshes[0].groups = groups, meshes[0].group_count = 3;
    meshes[1].normals = outward, meshes[1].colours = tints;
    meshes[2].kind = CP_MESH_LINES, meshes[2].name = "lines", meshes[2].face_count = 3,
    meshes[2].face_offsets = line_offsets;
    meshes[3].name = "closed", meshes[3].face_offsets = NULL, meshes[3].corners = four, meshes[3].corner_count = 12;
    meshes[3].groups = closed, meshes[3].group_count = 1;
    meshes[4] = (cp_mesh){.name = "empty", .source = ""};
    meshes[5] = (cp_mesh){.name = "cloud", .source = "", .vertex_count = 7, .positions = star, .colours = tints};
    meshes[6] = (cp_mesh){.name = "degenerate",
                          .source = "",
                          .vertex_count = 7,
                          .face_count = 3,
                          .corner_count = 10,
                          .positions = star,
                          .corners = degenerate,
                          .face_offsets = degenerate_offsets};
    uint32_t count = 7;
    for (cp_mesh_kind kind = CP_MESH_BOX; kind <= CP_MESH_PYRAMID; kind++, count++)
        meshes[count] = (cp_mesh){
            .name = "primitive", .source = "#1", .kind = kind, .sides = kind % 2 ? 5 : 0, .size = {1, 0.5, 2}};
    meshes[8].groups = whole, meshes[8].group_count = 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = node_below(0, meshes[i].name);
        scene->nodes[node].local = pose_translation(3 * (double)i, 0, 0);
        place_mesh(node, add_mesh(meshes[i]), i % 4 ? CP_USE_BOTH : CP_USE_DRAWN, POSE_IDENTITY);
    }
    must(scene_add_metadata(scene, CP_OWNER_MESH, 0, "author", CP_VALUE_STRING, "us"), "metadata");
    must(scene_add_metadata(scene, CP_OWNER_MATERIAL, clear, "ior", CP_VALUE_NUMBER, "1.50"), "metadata");
    must(scene_add_metadata(scene, CP_OWNER_SCENE, 0, "tree", CP_VALUE_JSON, "{\"a\": [1, null]}"), "metadata");
    must(scene_add_metadata(scene, CP_OWNER_NODE, 1, "seen", CP_VALUE_BOOLEAN, "true"), "metadata");
    scene->exclude_static_pairs = true;
    save(folder, "shapes.gltf");
}

int main(int count, char **words)
{
    if (count != 2)
        return 2;
    context = cp_context_new(NULL);
    must(context != NULL, "context");
    make_joints(words[1]);
    make_poses(words[1]);
    make_shapes(words[1]);
    cp_context_free(context);
    return 0;
}
