/* A fuzzer for the filters: the bytes are a small scene, and which filters run on it. Every result must hold all
 * invariants, and there must be as many triangles in the world as before: none of these filters takes one away. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/mesh_transform.h"
#include "input.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Small whole numbers, so that positions meet; now and then any float. */
static float take_float(struct input *input)
{
    uint32_t bits = 0;
    float value;
    if (take(input, 8) > 0)
        return (float)take(input, 5) - 2;
    for (int i = 0; i < 4; i++)
        bits = bits << 8 | take(input, 256);
    memcpy(&value, &bits, sizeof value);
    return isfinite(value) ? value : -0.0f;
}

static cp_pose take_pose(struct input *input)
{
    cp_pose pose = POSE_IDENTITY;
    switch (take(input, 6)) {
    case 0:
        pose = pose_rotation_degrees((int)take(input, 3), 90 * (double)take(input, 4));
        break;
    case 1:
        pose = pose_rotation((const double[3]){0.6, 0, 0.8}, take(input, 256));
        break;
    case 2:
        pose = pose_scaling((double)take_float(input), (double)take_float(input), (double)take_float(input));
        break;
    case 3:
        pose = pose_scaling(0.001, 0.001, 0.001);
        break;
    default:
        break;
    }
    for (int row = 0; row < 3; row++)
        pose.m[4 * row + 3] = (double)take_float(input);
    return pose;
}

static float *take_rows(cp_scene *scene, struct input *input, size_t count, bool unit)
{
    float *rows = scene_allocate(scene, count, sizeof *rows);
    for (size_t i = 0; rows && i < count; i++)
        rows[i] = unit ? (float)(i % 3 == take(input, 3)) : take_float(input);
    return rows;
}

static bool take_faces(cp_scene *scene, struct input *input, cp_mesh *mesh)
{
    uint32_t least = mesh->kind == CP_MESH_LINES ? 2 : 3;
    uint32_t *offsets = scene_allocate(scene, (size_t)mesh->face_count + 1, sizeof *offsets);
    uint32_t *corners = scene_allocate(scene, 8 * (size_t)mesh->face_count, sizeof *corners);
    cp_group *groups = scene_allocate(scene, mesh->face_count, sizeof *groups);
    bool triangles = mesh->kind == CP_MESH_FACES && take(input, 2), grouped = take(input, 2);
    if (!offsets || !corners || !groups)
        return false;
    offsets[0] = 0;
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        uint32_t corner_count = triangles ? 3 : least + take(input, 3);
        for (uint32_t i = 0; i < corner_count; i++)
            corners[mesh->corner_count++] = take(input, mesh->vertex_count);
        offsets[face + 1] = mesh->corner_count;
        groups[face] = (cp_group){face, 1, take(input, 3) ? take(input, 2) : CP_NONE};
    }
    mesh->face_offsets = triangles ? NULL : offsets;
    mesh->corners = corners;
    mesh->groups = grouped ? groups : NULL;
    mesh->group_count = grouped ? mesh->face_count : 0;
    return true;
}

static bool take_mesh(cp_scene *scene, struct input *input)
{
    static const cp_mesh_kind kinds[] = {CP_MESH_FACES, CP_MESH_FACES, CP_MESH_FACES, CP_MESH_LINES, CP_MESH_BOX};
    cp_mesh mesh = {.name = take(input, 2) ? "part" : "", .kind = kinds[take(input, 5)]};
    if (mesh.kind == CP_MESH_BOX) {
        for (int i = 0; i < 3; i++)
            mesh.size[i] = take(input, 4);
        return scene_add_mesh(scene, &mesh) != CP_NONE;
    }
    mesh.vertex_count = 1 + take(input, 40);
    mesh.face_count = take(input, 60);
    mesh.positions = take_rows(scene, input, 3 * (size_t)mesh.vertex_count, false);
    if (take(input, 3) == 0)
        mesh.normals = take_rows(scene, input, 3 * (size_t)mesh.vertex_count, true);
    if (mesh.normals && take(input, 2) == 0)
        mesh.tangents = take_rows(scene, input, 4 * (size_t)mesh.vertex_count, true);
    if (take(input, 3) == 0)
        mesh.colours = take_rows(scene, input, 4 * (size_t)mesh.vertex_count, true);
    return mesh.positions && take_faces(scene, input, &mesh) && scene_add_mesh(scene, &mesh) != CP_NONE;
}

/* A mesh moved to another place: what `instances` looks for. */
static bool take_copy(cp_scene *scene, struct input *input)
{
    cp_pose pose = take_pose(input);
    cp_mesh mesh = scene->meshes[take(input, scene->mesh_count)];
    mesh.id = NULL;
    return mesh_transform(scene, &mesh, &pose) == CP_OK && scene_add_mesh(scene, &mesh) != CP_NONE;
}

static bool take_joint(cp_scene *scene, struct input *input, uint32_t node)
{
    static const cp_joint_type types[] = {CP_JOINT_FIXED, CP_JOINT_REVOLUTE, CP_JOINT_REVOLUTE, CP_JOINT_PRISMATIC};
    uint32_t joint = scene_add_joint(scene, node, types[take(input, 4)], NULL);
    if (joint == CP_NONE)
        return false;
    if (take(input, 2)) {
        scene->joints[joint].lower = (double)take_float(input);
        scene->joints[joint].upper = scene->joints[joint].lower + take(input, 4);
    }
    return true;
}

static bool take_scene(cp_scene *scene, struct input *input)
{
    static const double colour[4] = {1, 0, 0, 1};
    bool good = scene_add_material(scene, "a", colour, true) != CP_NONE &&
                scene_add_material(scene, "b", colour, false) != CP_NONE;
    for (uint32_t i = take(input, 6); i > 0 && good; i--) {
        uint32_t node = scene_add_node(scene, take(input, scene->node_count), "frame", 5);
        good = node != CP_NONE;
        if (!good)
            break;
        scene->nodes[node].local = take_pose(input);
        scene->nodes[node].flags = take(input, 4) ? 0 : take(input, CP_NODE_WIRE << 1);
    }
    for (uint32_t i = 1 + take(input, 4); i > 0 && good; i--)
        good = take_mesh(scene, input);
    for (uint32_t i = take(input, 3); i > 0 && good; i--)
        good = take_copy(scene, input);
    for (uint32_t node = 0; node < scene->node_count && good; node++) {
        for (uint32_t i = take(input, 4); i > 0 && good; i--) {
            cp_pose pose = take_pose(input);
            good =
                scene_add_instance(scene, node, take(input, scene->mesh_count), 1 + take(input, 3), &pose) != CP_NONE;
        }
        if (node > 0 && take(input, 4) == 0 && good)
            good = take_joint(scene, input, node);
    }
    return good && scene_finish(scene) == CP_OK;
}

static void fail(cp_context *context, const char *filter, const char *what)
{
    size_t count;
    const cp_entry *entries = cp_report(context, &count);
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, "%s\n", entries[i].message);
    fprintf(stderr, "fuzz_filters: %s: %s\n", filter, what);
    abort();
}

static uint64_t count_triangles(cp_context *context, const cp_scene *scene)
{
    cp_measures measures = {.size = sizeof measures};
    return cp_measure(context, scene, CP_USE_BOTH, &measures) == CP_OK ? measures.triangles : 0;
}

static const struct step {
    const char *filter;
    const char *options[8];
} steps[] = {
    {"instances", {NULL}},
    {"instances", {"mirrored=yes", "scaled=yes", "tolerance=0.5", NULL}},
    {"split-meshes", {NULL}},
    {"split-meshes", {"by=both", "nodes=no", NULL}},
    {"merge-meshes", {"shared=merge", "primitives=yes", NULL}},
    {"merge-meshes", {"by=scene", "materials=groups", NULL}},
    {"weld", {"tolerance=0.5", NULL}},
    {"normals", {NULL}},
    {"triangulate", {"primitives=yes", NULL}},
    {"flatten", {NULL}},
    {"pose", {"home=yes", NULL}},
    {"exclude", {"work=50", "samples=2", "descents=1", NULL}},
    {"exclude",
     {"margin=0.5", "touch=0.25", "adjacent=yes", "movable=none", "work=50", "samples=2", "descents=1", NULL}},
};

enum { MOST_JUDGED = 100 }; /* triangles: exact tests of flat heaps take long under sanitizers */

static void run_step(cp_context *context, cp_scene *scene, const struct step *step)
{
    size_t options = 0;
    while (step->options[options])
        options++;
    uint64_t before = count_triangles(context, scene);
    bool judges = strcmp(step->filter, "exclude") == 0; /* refuses what it cannot judge */
    if (judges && before > MOST_JUDGED)
        return;
    cp_status status = cp_apply(context, scene, step->filter, step->options, options);
    if (status != CP_OK && status != CP_LIMIT && !(judges && (status == CP_NO || status == CP_INPUT)))
        fail(context, step->filter, "fails");
    if (cp_validate(context, scene) != CP_OK)
        fail(context, step->filter, "the scene is not valid");
    if (count_triangles(context, scene) != before)
        fail(context, step->filter, "the number of triangles changes");
    cp_report_clear(context);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct input input = {bytes, size, 0};
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = context ? scene_new(context) : NULL;
    if (scene && cp_set_limit(context, "vertices=100000") == CP_OK && take_scene(scene, &input))
        for (uint32_t i = 1 + take(&input, 4); i > 0; i--)
            run_step(context, scene, &steps[take(&input, sizeof steps / sizeof *steps)]);
    cp_scene_free(scene);
    cp_context_free(context);
    return 0;
}
