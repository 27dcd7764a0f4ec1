/* Building a scene, and looking at it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "build.h"
#include "bytes/inputs.h"
#include "context.h"
#include "pose.h"
#include "text/text.h"

/* ---- views ---- */

const cp_node *cp_nodes(const cp_scene *scene, uint32_t *count)
{
    *count = scene->node_count;
    return scene->nodes;
}

const cp_instance *cp_instances(const cp_scene *scene, uint32_t *count)
{
    *count = scene->instance_count;
    return scene->instances;
}

const cp_mesh *cp_meshes(const cp_scene *scene, uint32_t *count)
{
    *count = scene->mesh_count;
    return scene->meshes;
}

const cp_material *cp_materials(const cp_scene *scene, uint32_t *count)
{
    *count = scene->material_count;
    return scene->materials;
}

bool cp_joint_is_named_alone(const cp_scene *scene, uint32_t joint)
{
    bool alone = true;
    for (uint32_t i = 0; i < scene->joint_count && alone; i++)
        alone = i == joint || strcmp(scene->joints[i].name, scene->joints[joint].name) != 0;
    return alone;
}

const cp_joint *cp_joints(const cp_scene *scene, uint32_t *count)
{
    *count = scene->joint_count;
    return scene->joints;
}

const cp_device *cp_devices(const cp_scene *scene, uint32_t *count)
{
    *count = scene->device_count;
    return scene->devices;
}

const cp_pair *cp_pairs(const cp_scene *scene, uint32_t *count)
{
    *count = scene->pair_count;
    return scene->pairs;
}

const cp_clip *cp_clips(const cp_scene *scene, uint32_t *count)
{
    *count = scene->clip_count;
    return scene->clips;
}

const cp_metadata *cp_metadata_of(const cp_scene *scene, uint32_t *count)
{
    *count = scene->metadata_count;
    return scene->metadata;
}

const cp_source *cp_scene_source(const cp_scene *scene)
{
    return &scene->source;
}

bool cp_excludes_static_pairs(const cp_scene *scene)
{
    return scene->exclude_static_pairs;
}

/* ---- building ---- */

void *scene_allocate(cp_scene *scene, size_t count, size_t size)
{
    return arena_allocate(scene->arena, count, size);
}

void *scene_keep_array(cp_scene *scene, void *items, uint32_t *room, uint32_t count, size_t item_size)
{
    enum { LEAST_KEPT = 1 << 18 }; /* bytes; a copy of fewer costs less than a block of their own */
    void *block;
    memcpy(&block, items, sizeof block); /* whatever it points to */
    if (count * item_size < LEAST_KEPT)
        return arena_copy(scene->arena, block, count, item_size);
    void *fitted = memory_resize(scene->context, block, *room * item_size, count * item_size);
    if (!fitted)
        return NULL;
    memcpy(items, &fitted, sizeof fitted);
    *room = count;
    if (!arena_take(scene->arena, fitted, count, item_size))
        return NULL;
    memcpy(items, &(void *){NULL}, sizeof block);
    *room = 0;
    return fitted;
}

const char *scene_text(cp_scene *scene, const char *text)
{
    return arena_copy_text(scene->arena, text, strlen(text));
}

/* Room for one more item; the new item's index, or CP_NONE. */
static uint32_t append(cp_scene *scene, void **table, uint32_t *room, uint32_t count, size_t item_size)
{
    if (count == CP_NONE) {
        report_error(scene->context, CP_LIMIT, "scene-count", NOWHERE, "a scene holds at most %u items of a kind",
                     CP_NONE - 1);
        return CP_NONE;
    }
    return array_reserve(scene->context, table, room, (uint64_t)count + 1, item_size) ? count : CP_NONE;
}

/* Appends item to a table of the scene: the tables are struct members, hence a macro. */
#define APPEND(scene, table, room, count, item)                                                                        \
    do {                                                                                                               \
        void *items = (scene)->table;                                                                                  \
        uint32_t at = append(scene, &items, &(scene)->room, (scene)->count, sizeof(item));                             \
        (scene)->table = items;                                                                                        \
        if (at == CP_NONE)                                                                                             \
            return CP_NONE;                                                                                            \
        (scene)->table[at] = (item);                                                                                   \
        (scene)->count++;                                                                                              \
        return at;                                                                                                     \
    } while (0)

static uint32_t append_node(cp_scene *scene, cp_node node)
{
    APPEND(scene, nodes, node_room, node_count, node);
}

static uint32_t append_mesh(cp_scene *scene, cp_mesh mesh)
{
    APPEND(scene, meshes, mesh_room, mesh_count, mesh);
}

static uint32_t append_instance(cp_scene *scene, cp_instance instance)
{
    APPEND(scene, instances, instance_room, instance_count, instance);
}

static uint32_t append_material(cp_scene *scene, cp_material material)
{
    APPEND(scene, materials, material_room, material_count, material);
}

static uint32_t append_joint(cp_scene *scene, cp_joint joint)
{
    APPEND(scene, joints, joint_room, joint_count, joint);
}

static uint32_t append_device(cp_scene *scene, cp_device device)
{
    APPEND(scene, devices, device_room, device_count, device);
}

static uint32_t append_pair(cp_scene *scene, cp_pair pair)
{
    APPEND(scene, pairs, pair_room, pair_count, pair);
}

static uint32_t append_clip(cp_scene *scene, cp_clip clip)
{
    APPEND(scene, clips, clip_room, clip_count, clip);
}

static uint32_t append_metadata(cp_scene *scene, cp_metadata metadata)
{
    APPEND(scene, metadata, metadata_room, metadata_count, metadata);
}

cp_scene *scene_new(cp_context *context)
{
    cp_scene *scene = memory_allocate_zeroed(context, 1, sizeof *scene);
    if (!scene)
        return NULL;
    scene->context = context;
    scene->source = (cp_source){.format = "", .file = "", .unit = 1, .up = CP_UP_Z};
    scene->arena = arena_new(context);
    cp_node world = {.id = NULL, .name = "WORLD", .parent = CP_NONE, .scope = CP_NONE, .local = POSE_IDENTITY};
    if (scene->arena && append_node(scene, world) == 0)
        return scene;
    cp_scene_free(scene);
    return NULL;
}

void cp_scene_free(cp_scene *scene)
{
    if (!scene)
        return;
    cp_context *context = scene->context;
    memory_free(context, scene->nodes, scene->node_room, sizeof *scene->nodes);
    memory_free(context, scene->instances, scene->instance_room, sizeof *scene->instances);
    memory_free(context, scene->meshes, scene->mesh_room, sizeof *scene->meshes);
    memory_free(context, scene->materials, scene->material_room, sizeof *scene->materials);
    memory_free(context, scene->joints, scene->joint_room, sizeof *scene->joints);
    memory_free(context, scene->devices, scene->device_room, sizeof *scene->devices);
    memory_free(context, scene->pairs, scene->pair_room, sizeof *scene->pairs);
    memory_free(context, scene->clips, scene->clip_room, sizeof *scene->clips);
    memory_free(context, scene->metadata, scene->metadata_room, sizeof *scene->metadata);
    arena_free(scene->arena);
    memory_free(context, scene, 1, sizeof *scene);
}

uint32_t scene_add_node(cp_scene *scene, uint32_t parent, const char *name, size_t size)
{
    const struct limits *limits = &scene->context->limits;
    if (scene->node_count >= limits->nodes) {
        report_error(scene->context, CP_LIMIT, "scene-nodes", NOWHERE,
                     "more nodes than the limit of %llu (--limit nodes=)", (unsigned long long)limits->nodes);
        return CP_NONE;
    }
    if (size > limits->name) {
        report_error(scene->context, CP_LIMIT, "scene-name", NOWHERE,
                     "a name of %zu bytes, more than the limit of %llu (--limit name=)", size,
                     (unsigned long long)limits->name);
        return CP_NONE;
    }
    cp_node node = {.parent = parent, .scope = CP_NONE, .local = POSE_IDENTITY};
    node.first_instance = scene->instance_count;
    node.first_joint = scene->joint_count;
    node.name = utf8_from(scene->arena, name, size, &node.raw_name);
    return node.name ? append_node(scene, node) : CP_NONE;
}

uint32_t scene_add_placeholder(cp_scene *scene, const char *name)
{
    uint32_t node = scene_add_node(scene, 0, name, strlen(name));
    if (node != CP_NONE)
        scene->nodes[node].flags |= CP_NODE_PLACEHOLDER;
    return node;
}

uint32_t scene_add_mesh(cp_scene *scene, const cp_mesh *mesh)
{
    cp_mesh copy = *mesh;
    copy.name = copy.name ? copy.name : "";
    copy.source = copy.source ? copy.source : "";
    return append_mesh(scene, copy);
}

uint32_t scene_add_instance(cp_scene *scene, uint32_t node, uint32_t mesh, uint32_t use, const cp_pose *transform)
{
    cp_node *owner = &scene->nodes[node];
    if (owner->instance_count == 0)
        owner->first_instance = scene->instance_count;
    if (owner->first_instance + owner->instance_count != scene->instance_count) {
        report_error(scene->context, CP_BUG, "scene-order", NOWHERE, "instances are not added in the order of nodes");
        return CP_NONE;
    }
    uint32_t at = append_instance(scene, (cp_instance){node, mesh, use, *transform});
    if (at != CP_NONE)
        scene->nodes[node].instance_count++;
    return at;
}

void scene_take_instances(cp_scene *scene, cp_instance *instances, uint32_t count, uint32_t room)
{
    memory_free(scene->context, scene->instances, scene->instance_room, sizeof *scene->instances);
    scene->instances = instances;
    scene->instance_count = count;
    scene->instance_room = room;
}

uint32_t scene_add_material(cp_scene *scene, const char *name, const double rgba[4], bool srgb)
{
    cp_material material = {.srgb = srgb, .rgba = {rgba[0], rgba[1], rgba[2], rgba[3]}};
    material.name = scene_text(scene, name ? name : "");
    return material.name ? append_material(scene, material) : CP_NONE;
}

static const char *joint_name(cp_scene *scene, const cp_node *node)
{
    if (node->joint_count == 0)
        return node->name;
    return arena_print(scene->arena, "%s.%u", node->name, (unsigned)node->joint_count + 1);
}

uint32_t scene_add_joint(cp_scene *scene, uint32_t node, cp_joint_type type, const char *name)
{
    cp_node *owner = &scene->nodes[node];
    if (owner->joint_count == 0)
        owner->first_joint = scene->joint_count;
    if (owner->first_joint + owner->joint_count != scene->joint_count) {
        report_error(scene->context, CP_BUG, "scene-order", NOWHERE, "joints are not added in the order of nodes");
        return CP_NONE;
    }
    double neutral = type == CP_JOINT_SCALE ? 1 : 0;
    cp_joint joint = {.node = node,
                      .type = type,
                      .axis = {0, 0, 1},
                      .lower = -INFINITY,
                      .upper = INFINITY,
                      .velocity = INFINITY,
                      .acceleration = INFINITY,
                      .home = neutral,
                      .q = NAN,
                      .driven = true,
                      .master = CP_NONE,
                      .scale = 1};
    joint.name = name ? scene_text(scene, name) : joint_name(scene, owner);
    uint32_t at = joint.name ? append_joint(scene, joint) : CP_NONE;
    if (at != CP_NONE)
        owner->joint_count++;
    return at;
}

cp_expression *scene_copy_expression(cp_scene *scene, const cp_expression *expression, uint32_t **inputs)
{
    uint32_t count = expression->input_count;
    cp_expression *copy = arena_copy(scene->arena, expression, 1, sizeof *copy);
    *inputs = arena_copy(scene->arena, expression->inputs, count, sizeof **inputs);
    double *factors = arena_copy(scene->arena, expression->factors, count, sizeof *factors);
    const char *text = scene_text(scene, expression->text);
    if (!copy || !*inputs || !factors || !text)
        return NULL;
    *copy = (cp_expression){text, expression->angle, count, *inputs, factors};
    return copy;
}

cp_status scene_add_inputs(cp_scene *scene, const struct input *inputs, uint32_t count)
{
    if (count > CP_NONE - scene->input_count)
        return report_error(scene->context, CP_LIMIT, "scene-count", NOWHERE, "a scene is made of at most %u files",
                            CP_NONE);
    struct input *all = scene_allocate(scene, (size_t)scene->input_count + count, sizeof *all);
    if (!all)
        return CP_LIMIT;
    for (uint32_t i = 0; i < scene->input_count; i++)
        all[i] = scene->inputs[i];
    for (uint32_t i = 0; i < count; i++) {
        struct input *input = &all[scene->input_count + i];
        *input = inputs[i];
        input->label = scene_text(scene, inputs[i].label);
        input->path = scene_text(scene, inputs[i].path);
        if (!input->label || !input->path)
            return CP_LIMIT;
    }
    scene->inputs = all;
    scene->input_count += count;
    return CP_OK;
}

bool finding_is_sound(const cp_finding *finding)
{
    return finding->margin >= 0 && isfinite(finding->margin) && finding->touch >= 0 && isfinite(finding->touch) &&
           finding->clearance >= 0 && finding->hits <= finding->samples && finding->work <= UINT64_C(1) << 53;
}

cp_finding *scene_copy_finding(cp_scene *scene, const cp_finding *finding, cp_joint_setting **witness)
{
    cp_finding *copy = arena_copy(scene->arena, finding, 1, sizeof *copy);
    *witness = arena_copy(scene->arena, finding->witness, finding->witness_count, sizeof **witness);
    if (!copy || !*witness)
        return NULL;
    copy->witness = *witness;
    return copy;
}

uint32_t scene_add_device(cp_scene *scene, const char *name, uint32_t base)
{
    cp_device device = {.kind = CP_DEVICE_SERIAL, .base = base, .scope = CP_NONE, .name = scene_text(scene, name)};
    return device.name ? append_device(scene, device) : CP_NONE;
}

uint32_t scene_add_pair(cp_scene *scene, uint32_t first, uint32_t second, const char *reason)
{
    cp_pair pair = {first, second, CP_PAIR_EXCLUDED, scene_text(scene, reason), "", NULL};
    return pair.reason ? append_pair(scene, pair) : CP_NONE;
}

uint32_t scene_add_clip(cp_scene *scene, const char *name, uint32_t track_count, const cp_track *tracks)
{
    cp_clip clip = {.name = scene_text(scene, name), .track_count = track_count, .tracks = tracks};
    return clip.name ? append_clip(scene, clip) : CP_NONE;
}

bool scene_add_metadata(cp_scene *scene, cp_owner owner, uint32_t index, const char *key, cp_value_type type,
                        const char *value)
{
    cp_metadata metadata = {owner, index, scene_text(scene, key), type, scene_text(scene, value)};
    return metadata.key && metadata.value && append_metadata(scene, metadata) != CP_NONE;
}
