/* Building a scene. */
#include <math.h>
#include <string.h>

#include "base/bytes/bytes.h"
#include "base/context.h"
#include "base/text/text.h"
#include "model.h"
#include "tables.h"

bool cp_joint_is_named_alone(const cp_scene *scene, uint32_t joint)
{
    bool alone = true;
    for (uint32_t i = 0; i < scene->joint_count && alone; i++)
        alone = i == joint || strcmp(scene->joints[i].name, scene->joints[joint].name) != 0;
    return alone;
}

const cp_source *cp_scene_source(const cp_scene *scene)
{
    return &scene->source;
}

bool cp_excludes_static_pairs(const cp_scene *scene)
{
    return scene->exclude_static_pairs;
}

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

cp_scene *scene_new(cp_context *context)
{
    cp_scene *scene = memory_allocate_zeroed(context, 1, sizeof *scene);
    if (!scene)
        return NULL;
    scene->context = context;
    scene->source = (cp_source){.format = "", .file = "", .unit = 1, .up = CP_UP_Z};
    scene->arena = arena_new(context);
    cp_node world = {.id = NULL, .name = "WORLD", .parent = CP_NONE, .scope = CP_NONE, .local = POSE_IDENTITY};
    if (scene->arena && scene_add_row(scene, TABLE_NODES, &world) == 0)
        return scene;
    cp_scene_free(scene);
    return NULL;
}

uint32_t scene_add_node(cp_scene *scene, uint32_t parent, const char *name, size_t size)
{
    uint64_t longest = scene->context->limits.name;
    if (size > longest) {
        report_error(scene->context, CP_LIMIT, "scene-name", NOWHERE,
                     "a name of %zu bytes, more than the limit of %llu (--limit name=)", size,
                     (unsigned long long)longest);
        return CP_NONE;
    }
    cp_node node = {.parent = parent, .scope = CP_NONE, .local = POSE_IDENTITY};
    node.first_instance = scene->instance_count;
    node.first_joint = scene->joint_count;
    node.name = utf8_from(scene->arena, name, size, &node.raw_name);
    return node.name ? scene_add_row(scene, TABLE_NODES, &node) : CP_NONE;
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
    return scene_add_row(scene, TABLE_MESHES, &copy);
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
    uint32_t at = scene_add_row(scene, TABLE_INSTANCES,
                                &(cp_instance){.node = node, .mesh = mesh, .use = use, .transform = *transform});
    if (at != CP_NONE)
        scene->nodes[node].instance_count++;
    return at;
}

void scene_take_instances(cp_scene *scene, cp_instance *instances, uint32_t count, uint32_t room)
{
    memory_free(scene->context, scene->instances, scene->rooms[TABLE_INSTANCES], sizeof *scene->instances);
    scene->instances = instances;
    scene->instance_count = count;
    scene->rooms[TABLE_INSTANCES] = room;
    scene_find_spans(scene);
}

uint32_t scene_add_image(cp_scene *scene, const cp_image *image)
{
    cp_image copy = *image;
    copy.name = copy.name ? copy.name : "";
    copy.type = copy.type ? copy.type : "";
    copy.path = copy.path ? copy.path : "";
    return scene_add_row(scene, TABLE_IMAGES, &copy);
}

uint32_t scene_add_texture(cp_scene *scene, const cp_texture *texture)
{
    cp_texture copy = *texture;
    copy.name = copy.name ? copy.name : "";
    return scene_add_row(scene, TABLE_TEXTURES, &copy);
}

uint32_t scene_add_material(cp_scene *scene, const char *name, const double rgba[4], bool srgb)
{
    /* The roughness is that of matt painted metal: robots are rarely chrome. */
    cp_material material = {
        .srgb = srgb, .rgba = {rgba[0], rgba[1], rgba[2], rgba[3]}, .roughness = 0.8, .cutoff = 0.5};
    material.name = scene_text(scene, name ? name : "");
    return material.name ? scene_add_row(scene, TABLE_MATERIALS, &material) : CP_NONE;
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
    cp_joint joint;
    row_start(&tables[TABLE_JOINTS].layout, &joint);
    joint.node = node;
    joint.type = type;
    joint.home = type == CP_JOINT_SCALE ? 1 : 0;
    joint.q = NAN;
    joint.driven = true;
    joint.name = name ? scene_text(scene, name) : joint_name(scene, owner);
    uint32_t at = joint.name ? scene_add_row(scene, TABLE_JOINTS, &joint) : CP_NONE;
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
    if (count > CP_NONE - scene->inputs.count)
        return report_error(scene->context, CP_LIMIT, "scene-count", NOWHERE, "a scene is made of at most %u files",
                            CP_NONE);
    struct input *all = scene_allocate(scene, (size_t)scene->inputs.count + count, sizeof *all);
    if (!all)
        return CP_LIMIT;
    for (uint32_t i = 0; i < scene->inputs.count; i++)
        all[i] = scene->inputs.items[i];
    for (uint32_t i = 0; i < count; i++) {
        struct input *input = &all[scene->inputs.count + i];
        *input = inputs[i];
        input->label = scene_text(scene, inputs[i].label);
        input->path = scene_text(scene, inputs[i].path);
        if (!input->label || !input->path)
            return CP_LIMIT;
    }
    scene->inputs.items = all;
    scene->inputs.count += count;
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

uint32_t scene_add_loop(cp_scene *scene, const char *name, cp_loop_type type, uint32_t first, uint32_t second)
{
    cp_loop loop;
    row_start(&tables[TABLE_LOOPS].layout, &loop);
    loop.name = scene_text(scene, name);
    loop.type = type;
    loop.nodes[0] = first;
    loop.nodes[1] = second;
    return loop.name ? scene_add_row(scene, TABLE_LOOPS, &loop) : CP_NONE;
}

uint32_t scene_add_device(cp_scene *scene, const char *name, uint32_t base)
{
    cp_device device;
    row_start(&tables[TABLE_DEVICES].layout, &device);
    device.base = base;
    device.name = scene_text(scene, name);
    return device.name ? scene_add_row(scene, TABLE_DEVICES, &device) : CP_NONE;
}

uint32_t scene_add_pair(cp_scene *scene, uint32_t first, uint32_t second, const char *reason)
{
    cp_pair pair = {.first = first, .second = second, .reason = scene_text(scene, reason), .evidence = ""};
    return pair.reason ? scene_add_row(scene, TABLE_PAIRS, &pair) : CP_NONE;
}

uint32_t scene_add_clip(cp_scene *scene, const char *name, uint32_t track_count, const cp_track *tracks)
{
    cp_clip clip = {.name = scene_text(scene, name), .track_count = track_count, .tracks = tracks};
    return clip.name ? scene_add_row(scene, TABLE_CLIPS, &clip) : CP_NONE;
}

bool scene_add_metadata(cp_scene *scene, cp_owner owner, uint32_t index, const char *key, cp_value_type type,
                        const char *value)
{
    cp_metadata_entry metadata = {owner, index, scene_text(scene, key), type, scene_text(scene, value)};
    return metadata.key && metadata.value && scene_add_row(scene, TABLE_METADATA, &metadata) != CP_NONE;
}

bool scene_add_numbers(cp_scene *scene, cp_owner owner, uint32_t index, const char *key, const double *numbers,
                       size_t count, bool is_list)
{
    struct buffer text = {.context = scene->context};
    buffer_text(&text, is_list ? "[" : "");
    for (size_t i = 0; i < count; i++) {
        buffer_text(&text, i ? "," : "");
        buffer_double(&text, numbers[i]);
    }
    buffer_text(&text, is_list ? "]" : "");
    buffer_append(&text, "", 1);
    bool added = !text.failed &&
                 scene_add_metadata(scene, owner, index, key, is_list ? CP_VALUE_JSON : CP_VALUE_NUMBER, text.data);
    buffer_free(&text);
    return added;
}

bool cp_joint_is_dependent(const cp_joint *joint)
{
    return joint->master != CP_NONE || joint->expression;
}
