/* The tree: N, its shear, its joints (each perhaps between two turns), then made nodes for its instances. The numbers
 * of a scene node's glTF nodes are consecutive, in that order. */
#include "writer.h"

#include <string.h>

/* ---- plan ---- */

/* Returns the transform that is written for an instance: with the grid of its mesh. */
cp_pose written_transform(const struct writer *writer, uint32_t index)
{
    const cp_instance *instance = &writer->scene->instances[index];
    const struct web_mesh *web = writer->meshes[instance->mesh].web;
    return web ? pose_multiply(&instance->transform, &web->grid) : instance->transform;
}

static uint32_t plan_instances(const struct writer *writer, const cp_node *node, uint32_t shown, uint32_t next)
{
    for (uint32_t i = node->first_instance; i < node->first_instance + node->instance_count; i++)
        if (i != shown && instance_is_drawn(writer, &writer->scene->instances[i])) {
            cp_pose transform = written_transform(writer, i);
            next += place(&transform).sheared ? 2 : 1;
        }
    return next;
}

/* Plans the node's own glTF nodes, the first of which is `next`; returns the number behind them. */
static uint32_t plan_node(struct writer *writer, const cp_node *node, struct node_plan *plan, uint32_t next)
{
    plan->first_child = plan->next_sibling = plan->shown = CP_NONE;
    plan->first = next;
    next += place(&node->local).sheared ? 2 : 1;
    for (uint32_t i = node->first_joint; i < node->first_joint + node->joint_count; i++) {
        struct joint_plan *joint = &writer->joints[i];
        plan_joint(&writer->scene->joints[i], joint);
        next += joint->aligned;
        joint->node = next++;
        next += joint->aligned;
    }
    plan->tail = next - 1;

    /* An instance is on the tail itself if it is the only drawn one and has its node's pose. */
    const cp_instance *instances = writer->scene->instances;
    uint32_t end = node->first_instance + node->instance_count, drawn_count = 0;
    for (uint32_t i = node->first_instance; i < end; i++)
        if (instance_is_drawn(writer, &instances[i]) && drawn_count++ == 0) {
            cp_pose transform = written_transform(writer, i);
            bool here = memcmp(&transform, &POSE_IDENTITY, sizeof(cp_pose)) == 0;
            plan->shown = here ? i : CP_NONE;
        }
    if (drawn_count > 1)
        plan->shown = CP_NONE;

    /* Positions in the node's list are written only if a reader would not find them itself: it takes drawn ones
     * first. */
    uint32_t drawn = 0, undrawn = drawn_count, position = 0;
    for (uint32_t i = node->first_instance; i < end; i++) {
        writer->positions[i] = CP_NONE;
        if (instance_is_left_out(writer, &instances[i]))
            continue;
        uint32_t found = instance_is_drawn(writer, &instances[i]) ? drawn++ : undrawn++;
        if (found != position)
            writer->positions[i] = position;
        position++;
    }
    return plan_instances(writer, node, plan->shown, next);
}

bool plan_nodes(struct writer *writer)
{
    const cp_scene *scene = writer->scene;
    writer->nodes = writer_allocate(writer, scene->node_count, sizeof *writer->nodes);
    writer->joints = writer_allocate(writer, scene->joint_count, sizeof *writer->joints);
    writer->positions = writer_allocate(writer, scene->instance_count, sizeof *writer->positions);
    if (!writer->nodes || !writer->joints || !writer->positions)
        return false;
    uint32_t next = 0;
    for (uint32_t i = 0; i < scene->node_count; i++)
        next = plan_node(writer, &scene->nodes[i], &writer->nodes[i], next);
    for (uint32_t i = scene->node_count; i-- > 1;) {
        struct node_plan *parent = &writer->nodes[scene->nodes[i].parent];
        writer->nodes[i].next_sibling = parent->first_child;
        parent->first_child = i;
    }
    writer->node_count = next;
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
static void write_below(struct writer *writer, uint32_t node, uint32_t index)
{
    struct json_writer *json = &writer->json;
    const struct node_plan *plan = &writer->nodes[node];
    const cp_node *it = &writer->scene->nodes[node];
    if (index < plan->tail) {
        write_child(json, index + 1);
        return;
    }
    uint32_t made = plan->tail + 1, made_end = plan_instances(writer, it, plan->shown, made);
    if (plan->first_child != CP_NONE || made != made_end) {
        json_key_open(json, "children", '[');
        for (uint32_t child = plan->first_child; child != CP_NONE; child = writer->nodes[child].next_sibling)
            json_whole(json, writer->nodes[child].first);
        for (uint32_t i = it->first_instance; i < it->first_instance + it->instance_count; i++) {
            if (i == plan->shown || !instance_is_drawn(writer, &writer->scene->instances[i]))
                continue;
            cp_pose transform = written_transform(writer, i);
            json_whole(json, made);
            made += place(&transform).sheared ? 2 : 1;
        }
        json_close(json, ']');
    }
    if (plan->shown != CP_NONE)
        json_key_integer(json, "mesh", writer->meshes[writer->scene->instances[plan->shown].mesh].index);
}

static void write_position(struct writer *writer, uint32_t index)
{
    if (writer->positions[index] != CP_NONE)
        json_key_integer(&writer->json, "position", writer->positions[index]);
}

static void write_shown(struct writer *writer, uint32_t node, uint32_t index)
{
    const struct node_plan *plan = &writer->nodes[node];
    if (index != plan->tail || plan->shown == CP_NONE)
        return;
    if (writer->scene->instances[plan->shown].use == CP_USE_BOTH)
        json_key_text(&writer->json, "use", "both");
    write_position(writer, plan->shown);
}

/* ---- the scene node ---- */

static void write_undrawn(struct writer *writer, const cp_node *node)
{
    static const char *const words[] = {"", "drawn", NULL, "both"};
    struct json_writer *json = &writer->json;
    bool any = false;
    for (uint32_t i = node->first_instance; i < node->first_instance + node->instance_count; i++) {
        const cp_instance *instance = &writer->scene->instances[i];
        if (instance_is_drawn(writer, instance) || instance_is_left_out(writer, instance))
            continue;
        if (!any)
            json_key_open(json, "instances", '[');
        any = true;
        json_open(json, '{');
        json_key_text(json, "mesh", writer->scene->meshes[instance->mesh].id);
        if (instance->use != CP_USE_COLLISION)
            json_key_text(json, "use", words[instance->use & CP_USE_BOTH]);
        if (memcmp(&instance->transform, &POSE_IDENTITY, sizeof(cp_pose)) != 0)
            json_key_numbers(json, "pose", instance->transform.m, 12);
        write_position(writer, i);
        json_close(json, '}');
    }
    if (any)
        json_close(json, ']');
}

static void open_node(struct json_writer *json)
{
    json_line(json);
    json_open(json, '{');
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

/* Writes extensions; lights are numbered in the order of their nodes. */
static void write_node_extensions(struct writer *writer, uint32_t node)
{
    struct json_writer *json = &writer->json;
    bool attach_point = has_attach_point(writer, node), light = find_light(writer, node);
    if (!attach_point && !light)
        return;
    json_key_open(json, "extensions", '{');
    if (attach_point)
        write_articulation(json, NULL, true);
    if (light) {
        json_key_open(json, "KHR_lights_punctual", '{');
        json_key_integer(json, "light", writer->light_count++);
        json_close(json, '}');
    }
    json_close(json, '}');
}

static void write_scene_node(struct writer *writer, uint32_t node, const struct placement *placement)
{
    struct json_writer *json = &writer->json;
    const cp_node *it = &writer->scene->nodes[node];
    uint32_t index = writer->nodes[node].first;
    open_node(json);
    write_name(writer, writer->nodes[node].name);
    write_trs(writer, &placement->first);
    write_below(writer, node, index);
    write_node_extensions(writer, node);
    open_extras(writer, CP_OWNER_NODE, node, "extras");
    json_key_text(json, "id", it->id);
    if (writer->nodes[node].name != it->name)
        json_key_text(json, "name", it->name);
    if (node == 0)
        json_key_true(json, "world");
    json_row_members(json, writer->scene, &tables[TABLE_NODES].layout, it, IN_STAGE);
    if (!placement->exact && (!writer->settings->web || placement->sheared))
        json_key_numbers(json, "pose", it->local.m, 12);
    write_shown(writer, node, index);
    write_undrawn(writer, it);
    write_metadata(writer, CP_OWNER_NODE, node);
    close_node(json);
}

/* ---- made nodes ---- */

static void write_made(struct writer *writer, uint32_t node, uint32_t index, const char *made, const struct trs *trs)
{
    struct json_writer *json = &writer->json;
    open_node(json);
    write_trs(writer, trs);
    write_below(writer, node, index);
    json_extras_open(json);
    json_key_text(json, "made", made);
    write_shown(writer, node, index);
    close_node(json);
}

static void write_instance(struct writer *writer, uint32_t index, uint32_t *next)
{
    struct json_writer *json = &writer->json;
    const cp_instance *instance = &writer->scene->instances[index];
    uint32_t mesh = writer->meshes[instance->mesh].index;
    cp_pose transform = written_transform(writer, index);
    struct placement placement = place(&transform);
    open_node(json);
    write_trs(writer, &placement.first);
    if (placement.sheared)
        write_child(json, *next + 1);
    else
        json_key_integer(json, "mesh", mesh);
    json_extras_open(json);
    json_key_text(json, "made", "instance");
    if (instance->use == CP_USE_BOTH)
        json_key_text(json, "use", "both");
    if (!placement.exact && (!writer->settings->web || placement.sheared))
        json_key_numbers(json, "pose", transform.m, 12);
    write_position(writer, index);
    close_node(json);
    *next += 1;
    if (!placement.sheared)
        return;
    open_node(json);
    write_trs(writer, &placement.second);
    json_key_integer(json, "mesh", mesh);
    json_extras_open(json);
    json_key_text(json, "made", "shear");
    close_node(json);
    *next += 1;
}

/* ---- joints ---- */

/* Writes the joint's node, between two turns if its axis is none of the node's own. */
static void write_joint(struct writer *writer, uint32_t index)
{
    struct json_writer *json = &writer->json;
    const cp_joint *joint = &writer->scene->joints[index];
    const struct joint_plan *plan = &writer->joints[index];
    const double *turn = plan->alignment;
    struct trs there = {{0, 0, 0}, {turn[0], turn[1], turn[2], turn[3]}, {1, 1, 1}};
    struct trs back = {{0, 0, 0}, {-turn[0], -turn[1], -turn[2], turn[3]}, {1, 1, 1}};
    struct trs motion = joint_trs(plan, joint, writer->mechanism.values[index]);
    if (plan->aligned)
        write_made(writer, joint->node, plan->node - 1, "axis", &there);
    open_node(json);
    write_name(writer, plan->name);
    write_trs(writer, &motion);
    write_below(writer, joint->node, plan->node);
    if (plan->articulation) {
        json_key_open(json, "extensions", '{');
        write_articulation(json, plan->articulation, false);
        json_close(json, '}');
    }
    open_extras(writer, CP_OWNER_JOINT, index, "extras");
    json_key(json, "joint");
    json_row(json, writer->scene, &tables[TABLE_JOINTS].layout, joint, IN_STAGE);
    write_shown(writer, joint->node, plan->node);
    write_metadata(writer, CP_OWNER_JOINT, index);
    close_node(json);
    if (plan->aligned)
        write_made(writer, joint->node, plan->node + 1, "axis", &back);
}

/* ---- all ---- */

/* (x, y, z) -> (x, z, -y): a quarter turn about X */
const struct trs up_root_trs = {{0, 0, 0}, {-0.70710678118654752440, 0, 0, 0.70710678118654752440}, {1, 1, 1}};

void write_nodes(struct writer *writer)
{
    struct json_writer *json = &writer->json;
    json_line(json);
    json_key_open(json, "nodes", '[');
    for (uint32_t node = 0; node < writer->scene->node_count; node++) {
        const cp_node *it = &writer->scene->nodes[node];
        const struct node_plan *plan = &writer->nodes[node];
        struct placement placement = place(&it->local);
        write_scene_node(writer, node, &placement);
        if (placement.sheared)
            write_made(writer, node, plan->first + 1, "shear", &placement.second);
        for (uint32_t i = 0; i < it->joint_count; i++)
            write_joint(writer, it->first_joint + i);
        uint32_t next = plan->tail + 1;
        for (uint32_t i = it->first_instance; i < it->first_instance + it->instance_count; i++)
            if (i != plan->shown && instance_is_drawn(writer, &writer->scene->instances[i]))
                write_instance(writer, i, &next);
    }
    if (has_up_root(writer)) {
        open_node(json);
        json_key_text(json, "name", UP_ROOT_NAME);
        write_numbers(writer, "rotation", up_root_trs.rotation, 4);
        json_key_open(json, "children", '[');
        json_whole(json, writer->nodes[0].first);
        list_cameras(writer);
        json_close(json, ']');
        json_extras_open(json);
        json_key_text(json, "made", "up");
        close_node(json);
    }
    write_camera_nodes(writer);
    json_close(json, ']');
}
