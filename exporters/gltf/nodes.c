/* The tree: N, its shear, its joints (each perhaps between two turns), then made nodes for its instances. The numbers
 * of a scene node's glTF nodes are consecutive, in that order. */
#include "writer.h"

#include <string.h>

/* ---- plan ---- */

/* Returns the transform that is written for an instance: with the grid of its mesh. */
cp_pose written_transform(const struct gltf_file *file, uint32_t index)
{
    const cp_instance *instance = &file->scene->instances[index];
    const struct web_mesh *web = file->meshes[instance->mesh].web;
    return web ? pose_multiply(&instance->transform, &web->grid) : instance->transform;
}

static uint32_t plan_instances(const struct gltf_file *file, const cp_node *node, uint32_t shown, uint32_t next)
{
    for (uint32_t i = node->first_instance; i < node->first_instance + node->instance_count; i++)
        if (i != shown && instance_is_drawn(file, &file->scene->instances[i])) {
            cp_pose transform = written_transform(file, i);
            next += place(&transform).sheared ? 2 : 1;
        }
    return next;
}

/* Plans the node's own glTF nodes, the first of which is `next`; returns the number behind them. */
static uint32_t plan_node(struct gltf_file *file, const cp_node *node, struct node_plan *plan, uint32_t next)
{
    plan->first_child = plan->next_sibling = plan->shown = CP_NONE;
    plan->first = next;
    next += place(&node->local).sheared ? 2 : 1;
    for (uint32_t i = node->first_joint; i < node->first_joint + node->joint_count; i++) {
        struct joint_plan *joint = &file->joints[i];
        plan_joint(&file->scene->joints[i], joint);
        next += joint->aligned;
        joint->node = next++;
        next += joint->aligned;
    }
    plan->tail = next - 1;

    /* An instance is on the tail itself if it is the only drawn one and has its node's pose. */
    const cp_instance *instances = file->scene->instances;
    uint32_t end = node->first_instance + node->instance_count, drawn_count = 0;
    for (uint32_t i = node->first_instance; i < end; i++)
        if (instance_is_drawn(file, &instances[i]) && drawn_count++ == 0) {
            cp_pose transform = written_transform(file, i);
            bool here = memcmp(&transform, &POSE_IDENTITY, sizeof(cp_pose)) == 0;
            plan->shown = here ? i : CP_NONE;
        }
    if (drawn_count > 1)
        plan->shown = CP_NONE;

    /* Positions in the node's list are written only if a reader would not find them itself: it takes drawn ones
     * first. */
    uint32_t drawn = 0, undrawn = drawn_count, position = 0;
    for (uint32_t i = node->first_instance; i < end; i++) {
        file->positions[i] = CP_NONE;
        if (instance_is_left_out(file, &instances[i]))
            continue;
        uint32_t found = instance_is_drawn(file, &instances[i]) ? drawn++ : undrawn++;
        if (found != position)
            file->positions[i] = position;
        position++;
    }
    return plan_instances(file, node, plan->shown, next);
}

bool plan_nodes(struct gltf_file *file)
{
    const cp_scene *scene = file->scene;
    file->nodes = file_allocate(file, scene->node_count, sizeof *file->nodes);
    file->joints = file_allocate(file, scene->joint_count, sizeof *file->joints);
    file->positions = file_allocate(file, scene->instance_count, sizeof *file->positions);
    if (!file->nodes || !file->joints || !file->positions)
        return false;
    uint32_t next = 0;
    for (uint32_t i = 0; i < scene->node_count; i++)
        next = plan_node(file, &scene->nodes[i], &file->nodes[i], next);
    for (uint32_t i = scene->node_count; i-- > 1;) {
        struct node_plan *parent = &file->nodes[scene->nodes[i].parent];
        file->nodes[i].next_sibling = parent->first_child;
        parent->first_child = i;
    }
    file->node_count = next;
    return true;
}

/* ---- members ---- */

static void write_child(struct json_writer *json, uint32_t child)
{
    json_key_open(json, "children", '[');
    json_whole(json, child);
    json_close(json, ']');
}

/* Writes the children of glTF node `index` of the scene node's chain: the next one, or all that the scene node has. */
static void write_below(struct json_writer *json, const struct gltf_file *file, uint32_t node, uint32_t index)
{
    const struct node_plan *plan = &file->nodes[node];
    const cp_node *it = &file->scene->nodes[node];
    if (index < plan->tail) {
        write_child(json, index + 1);
        return;
    }
    uint32_t made = plan->tail + 1, made_end = plan_instances(file, it, plan->shown, made);
    if (plan->first_child != CP_NONE || made != made_end) {
        json_key_open(json, "children", '[');
        for (uint32_t child = plan->first_child; child != CP_NONE; child = file->nodes[child].next_sibling)
            json_whole(json, file->nodes[child].first);
        for (uint32_t i = it->first_instance; i < it->first_instance + it->instance_count; i++) {
            if (i == plan->shown || !instance_is_drawn(file, &file->scene->instances[i]))
                continue;
            cp_pose transform = written_transform(file, i);
            json_whole(json, made);
            made += place(&transform).sheared ? 2 : 1;
        }
        json_close(json, ']');
    }
    if (plan->shown != CP_NONE)
        json_key_integer(json, "mesh", file->meshes[file->scene->instances[plan->shown].mesh].index);
}

static void write_position(struct json_writer *json, const struct gltf_file *file, uint32_t index)
{
    if (file->positions[index] != CP_NONE)
        json_key_integer(json, "position", file->positions[index]);
}

/* Writes what glTF does not say of an instance that is drawn. */
static void write_use(struct json_writer *json, const struct gltf_file *file, uint32_t index)
{
    const cp_instance *instance = &file->scene->instances[index];
    if (instance->use == CP_USE_BOTH)
        json_key_text(json, "use", "both");
    json_row_members(json, file->scene, &tables[TABLE_INSTANCES].layout, instance, IN_STAGE);
}

static void write_shown(struct json_writer *json, const struct gltf_file *file, uint32_t node, uint32_t index)
{
    const struct node_plan *plan = &file->nodes[node];
    if (index != plan->tail || plan->shown == CP_NONE)
        return;
    write_use(json, file, plan->shown);
    write_position(json, file, plan->shown);
}

/* ---- the scene node ---- */

static void write_undrawn(struct json_writer *json, const struct gltf_file *file, const cp_node *node)
{
    static const char *const words[] = {"", "drawn", NULL, "both"};
    bool any = false;
    for (uint32_t i = node->first_instance; i < node->first_instance + node->instance_count; i++) {
        const cp_instance *instance = &file->scene->instances[i];
        if (instance_is_drawn(file, instance) || instance_is_left_out(file, instance))
            continue;
        if (!any)
            json_key_open(json, "instances", '[');
        any = true;
        json_open(json, '{');
        json_key_text(json, "mesh", file->scene->meshes[instance->mesh].id);
        if (instance->use != CP_USE_COLLISION)
            json_key_text(json, "use", words[instance->use & CP_USE_BOTH]);
        if (memcmp(&instance->transform, &POSE_IDENTITY, sizeof(cp_pose)) != 0)
            json_key_numbers(json, "pose", instance->transform.m, 12);
        json_row_members(json, file->scene, &tables[TABLE_INSTANCES].layout, instance, IN_STAGE);
        write_position(json, file, i);
        json_close(json, '}');
    }
    if (any)
        json_close(json, ']');
}

static void close_node(struct json_writer *json)
{
    json_extras_close(json);
    json_close(json, '}');
}

static void write_articulation(struct json_writer *json, const char *name, bool attach_point)
{
    json_key_open(json, "AGI_articulations", '{');
    if (attach_point)
        json_key_true(json, "isAttachPoint");
    if (name)
        json_key_text(json, "articulationName", name);
    json_close(json, '}');
}

/* Writes extensions; lights are numbered in the order of their nodes. *lights: how many have been written. */
static void write_node_extensions(struct json_writer *json, const struct gltf_file *file, uint32_t node,
                                  uint32_t *lights)
{
    bool attach_point = has_attach_point(&file->metadata, node), light = find_light(&file->metadata, node);
    if (!attach_point && !light)
        return;
    json_key_open(json, "extensions", '{');
    if (attach_point)
        write_articulation(json, NULL, true);
    if (light) {
        json_key_open(json, "KHR_lights_punctual", '{');
        json_key_integer(json, "light", (*lights)++);
        json_close(json, '}');
    }
    json_close(json, '}');
}

static void write_scene_node(struct json_writer *json, const struct gltf_file *file, uint32_t node,
                             const struct placement *placement, uint32_t *lights)
{
    const cp_node *it = &file->scene->nodes[node];
    uint32_t index = file->nodes[node].first;
    json_open_item(json);
    write_name(json, file, file->nodes[node].name);
    write_trs(json, file, &placement->first);
    write_below(json, file, node, index);
    write_node_extensions(json, file, node, lights);
    open_extras(json, &file->metadata, CP_OWNER_NODE, node, "extras");
    json_key_text(json, "id", it->id);
    if (file->nodes[node].name != it->name)
        json_key_text(json, "name", it->name);
    if (node == 0)
        json_key_true(json, "world");
    json_row_members(json, file->scene, &tables[TABLE_NODES].layout, it, IN_STAGE);
    if (!placement->exact && (!file->settings->web || placement->sheared))
        json_key_numbers(json, "pose", it->local.m, 12);
    write_shown(json, file, node, index);
    write_undrawn(json, file, it);
    write_metadata(json, &file->metadata, CP_OWNER_NODE, node);
    close_node(json);
}

/* ---- made nodes ---- */

static void write_made(struct json_writer *json, const struct gltf_file *file, uint32_t node, uint32_t index,
                       const char *made, const struct trs *trs)
{
    json_open_item(json);
    write_trs(json, file, trs);
    write_below(json, file, node, index);
    json_extras_open(json);
    json_key_text(json, "made", made);
    write_shown(json, file, node, index);
    close_node(json);
}

static void write_instance(struct json_writer *json, const struct gltf_file *file, uint32_t index, uint32_t *next)
{
    const cp_instance *instance = &file->scene->instances[index];
    uint32_t mesh = file->meshes[instance->mesh].index;
    cp_pose transform = written_transform(file, index);
    struct placement placement = place(&transform);
    json_open_item(json);
    write_trs(json, file, &placement.first);
    if (placement.sheared)
        write_child(json, *next + 1);
    else
        json_key_integer(json, "mesh", mesh);
    json_extras_open(json);
    json_key_text(json, "made", "instance");
    write_use(json, file, index);
    if (!placement.exact && (!file->settings->web || placement.sheared))
        json_key_numbers(json, "pose", transform.m, 12);
    write_position(json, file, index);
    close_node(json);
    *next += 1;
    if (!placement.sheared)
        return;
    json_open_item(json);
    write_trs(json, file, &placement.second);
    json_key_integer(json, "mesh", mesh);
    json_extras_open(json);
    json_key_text(json, "made", "shear");
    close_node(json);
    *next += 1;
}

/* ---- joints ---- */

/* Writes the joint's node, between two turns if its axis is none of the node's own. */
static void write_joint(struct json_writer *json, const struct gltf_file *file, uint32_t index)
{
    const cp_joint *joint = &file->scene->joints[index];
    const struct joint_plan *plan = &file->joints[index];
    const double *turn = plan->alignment;
    struct trs there = {{0, 0, 0}, {turn[0], turn[1], turn[2], turn[3]}, {1, 1, 1}};
    struct trs back = {{0, 0, 0}, {-turn[0], -turn[1], -turn[2], turn[3]}, {1, 1, 1}};
    struct trs motion = joint_trs(plan, joint, file->mechanism.values[index]);
    if (plan->aligned)
        write_made(json, file, joint->node, plan->node - 1, "axis", &there);
    json_open_item(json);
    write_name(json, file, plan->name);
    write_trs(json, file, &motion);
    write_below(json, file, joint->node, plan->node);
    if (plan->articulation) {
        json_key_open(json, "extensions", '{');
        write_articulation(json, plan->articulation, false);
        json_close(json, '}');
    }
    open_extras(json, &file->metadata, CP_OWNER_JOINT, index, "extras");
    json_key(json, "joint");
    json_row(json, file->scene, &tables[TABLE_JOINTS].layout, joint, IN_STAGE);
    write_shown(json, file, joint->node, plan->node);
    write_metadata(json, &file->metadata, CP_OWNER_JOINT, index);
    close_node(json);
    if (plan->aligned)
        write_made(json, file, joint->node, plan->node + 1, "axis", &back);
}

/* ---- all ---- */

/* (x, y, z) -> (x, z, -y): a quarter turn about X */
const struct trs up_root_trs = {{0, 0, 0}, {-0.70710678118654752440, 0, 0, 0.70710678118654752440}, {1, 1, 1}};

void write_nodes(struct json_writer *json, const struct gltf_file *file)
{
    uint32_t lights = 0;
    json_open_list(json, "nodes");
    for (uint32_t node = 0; node < file->scene->node_count; node++) {
        const cp_node *it = &file->scene->nodes[node];
        const struct node_plan *plan = &file->nodes[node];
        struct placement placement = place(&it->local);
        write_scene_node(json, file, node, &placement, &lights);
        if (placement.sheared)
            write_made(json, file, node, plan->first + 1, "shear", &placement.second);
        for (uint32_t i = 0; i < it->joint_count; i++)
            write_joint(json, file, it->first_joint + i);
        uint32_t next = plan->tail + 1;
        for (uint32_t i = it->first_instance; i < it->first_instance + it->instance_count; i++)
            if (i != plan->shown && instance_is_drawn(file, &file->scene->instances[i]))
                write_instance(json, file, i, &next);
    }
    if (has_up_root(file)) {
        json_open_item(json);
        json_key_text(json, "name", UP_ROOT_NAME);
        write_numbers(json, file, "rotation", up_root_trs.rotation, 4);
        json_key_open(json, "children", '[');
        json_whole(json, file->nodes[0].first);
        list_cameras(json, file);
        json_close(json, ']');
        json_extras_open(json);
        json_key_text(json, "made", "up");
        close_node(json);
    }
    write_camera_nodes(json, file);
    json_close(json, ']');
}
