/* Scene nodes and the places of meshes, from glTF nodes with their roles. */
#include "gltf.h"

#include <string.h>

/* ---- nodes ---- */

/* The transform from the parent scene node's tail to this node, as read; with the shear node that belongs to it. */
static cp_pose whole_pose(const struct gltf *gltf, const struct gltf_node *node)
{
    const struct gltf_node *link = node->link == CP_NONE ? NULL : &gltf->nodes[node->link];
    return link && link->made == MADE_SHEAR ? pose_multiply(node->pose, link->pose) : *node->pose;
}

static cp_pose exact_pose(struct gltf *gltf, const struct gltf_node *node)
{
    cp_pose read = whole_pose(gltf, node), exact;
    return own_pose(gltf, node->own, &read, &exact) ? exact : read;
}

/* Where the children of the parent stand, seen from its scene node. Roots of files that are Y up are turned. */
static cp_pose parent_frame(struct gltf *gltf, const struct gltf_node *node)
{
    if (node->parent != CP_NONE)
        return *gltf->nodes[node->parent].frame;
    return gltf->turned ? pose_z_up_from_y_up() : POSE_IDENTITY;
}

static bool is_world(struct gltf *gltf, const struct gltf_node *node)
{
    cp_pose frame = parent_frame(gltf, node);
    bool at_root = node->parent == CP_NONE || gltf->nodes[node->parent].role == ROLE_UP;
    return at_root && pose_is_identity(&frame) && own_flag(gltf, node->own, "world") && pose_is_identity(node->pose);
}

static uint32_t add_node(struct gltf *gltf, const struct gltf_node *node, const cp_pose *frame)
{
    const char *name = gltf_node_name(gltf, node);
    cp_pose local = exact_pose(gltf, node);
    uint32_t parent = node->parent == CP_NONE ? 0 : gltf->nodes[node->parent].target;
    if (gltf->status != CP_OK)
        return CP_NONE;
    uint32_t index = scene_add_node(gltf->scene, parent, name ? name : "", name ? strlen(name) : 0);
    if (index == CP_NONE)
        gltf_no_memory(gltf);
    else
        gltf->scene->nodes[index].local = pose_multiply(frame, &local);
    return index;
}

static void build_node(struct gltf *gltf, struct gltf_node *node, bool *world_seen)
{
    cp_pose frame = parent_frame(gltf, node);
    if (!*world_seen && is_world(gltf, node)) {
        const char *name = gltf_node_name(gltf, node);
        gltf->scene->nodes[0].name = name ? name : "";
        node->target = 0;
        *world_seen = true;
    } else {
        node->target = add_node(gltf, node, &frame);
    }
    if (gltf->status != CP_OK)
        return;
    gltf->node_of[node->target] = (uint32_t)(node - gltf->nodes);
    if (node->parent != CP_NONE && gltf->nodes[node->parent].link != CP_NONE)
        gltf_warning(gltf, node->value, "gltf-moved-tree",
                     "hangs on a node that is no tail; it now follows its joints");
    own_read_node(gltf, node->own, node->target);
    gltf_keep_extras(gltf, node->value, CP_OWNER_NODE, node->target);
}

/* A made node: belongs to the scene node above. What is above the world belongs to it. */
static void build_made(struct gltf *gltf, struct gltf_node *node)
{
    if (node->role == ROLE_UP) {
        node->target = 0;
        if (node->wraps) {
            cp_pose frame = parent_frame(gltf, node);
            node->frame = gltf_keep_pose(gltf, &frame);
            gltf_keep_extras(gltf, node->value, CP_OWNER_SCENE, 0);
        }
        return;
    }
    const struct gltf_node *parent = &gltf->nodes[node->parent];
    node->target = parent->target;
    if (node->role == ROLE_INSTANCE) {
        cp_pose pose = exact_pose(gltf, node), frame = pose_multiply(parent->frame, &pose);
        node->frame = gltf_keep_pose(gltf, &frame);
    } else if (parent->role == ROLE_INSTANCE) {
        node->frame = parent->frame;
    }
}

void gltf_build_nodes(struct gltf *gltf)
{
    bool world_seen = false;
    gltf->node_of = gltf_allocate(gltf, (size_t)gltf->order_count + 1, sizeof *gltf->node_of);
    if (!gltf->node_of)
        return;
    gltf->node_of[0] = CP_NONE;
    if (!gltf->ours) {
        gltf->turned = gltf->settings->up != UP_Z;
        gltf->scene->source.up = gltf->turned ? CP_UP_Y : CP_UP_Z;
    }
    for (uint32_t i = 0; i < gltf->order_count && gltf->status == CP_OK; i++) {
        struct gltf_node *node = &gltf->nodes[gltf->order[i]];
        if (node->role == ROLE_NODE)
            build_node(gltf, node, &world_seen);
        else
            build_made(gltf, node);
    }
}

/* ---- joints ---- */

static void build_chain_joints(struct gltf *gltf, const struct gltf_node *node)
{
    for (uint32_t at = node->link; at != CP_NONE && gltf->status == CP_OK; at = gltf->nodes[at].link) {
        if (gltf->nodes[at].joint != CP_NONE)
            own_build_joint(gltf, &gltf->nodes[at]);
    }
}

void gltf_build_joints(struct gltf *gltf)
{
    for (uint32_t i = 0; i < gltf->scene->node_count && gltf->status == CP_OK; i++) {
        if (gltf->node_of[i] == CP_NONE)
            continue;
        struct gltf_node *node = &gltf->nodes[gltf->node_of[i]];
        build_chain_joints(gltf, node);
        gltf_read_articulation(gltf, node);
    }
    own_finish_joints(gltf);
}

/* ---- instances ---- */

struct placing {
    uint32_t mesh, use, position;
    const cp_pose *transform;
};

/* All instances by scene node: those of node i are items[first[i]] .. items[first[i + 1] - 1]. */
struct placings {
    struct placing *items;
    uint32_t *first, *filled;
};

static uint32_t parts_of(const struct gltf *gltf, const struct gltf_node *node)
{
    return node->mesh == CP_NONE ? 0 : gltf->mesh_first[node->mesh + 1] - gltf->mesh_first[node->mesh];
}

/* The instances that our extras list on a node, since no glTF node draws them. */
static uint32_t undrawn_list(struct gltf *gltf, const struct gltf_node *node)
{
    return node->role == ROLE_NODE && node->own != JSON_NONE ? gltf_array(gltf, node->own, "instances") : JSON_NONE;
}

static bool count_placings(struct gltf *gltf, struct placings *placings)
{
    uint32_t nodes = gltf->scene->node_count;
    uint64_t total = 0;
    uint64_t *counts = gltf_allocate(gltf, nodes, sizeof *counts);
    placings->first = gltf_allocate(gltf, (size_t)nodes + 1, sizeof *placings->first);
    placings->filled = gltf_allocate(gltf, nodes, sizeof *placings->filled);
    for (uint32_t i = 0; i < gltf->order_count && gltf->status == CP_OK; i++) {
        const struct gltf_node *node = &gltf->nodes[gltf->order[i]];
        counts[node->target] += parts_of(gltf, node) + (uint64_t)json_count(&gltf->json, undrawn_list(gltf, node));
    }
    for (uint32_t i = 0; i < nodes && gltf->status == CP_OK; i++) {
        placings->first[i] = (uint32_t)total;
        total += counts[i];
        if (total >= UINT32_MAX)
            gltf_limit(gltf, JSON_NONE, "gltf-instances", "more than 4 294 967 295 instances");
    }
    placings->items = gltf_allocate(gltf, total, sizeof *placings->items);
    if (placings->items)
        placings->first[nodes] = (uint32_t)total;
    return gltf->status == CP_OK;
}

static void add_placing(struct placings *placings, uint32_t node, const struct placing *placing)
{
    placings->items[placings->first[node] + placings->filled[node]++] = *placing;
}

static uint32_t read_position(struct gltf *gltf, uint32_t own)
{
    uint64_t position = gltf_integer(gltf, own, "position", CP_NONE);
    return position < CP_NONE ? (uint32_t)position : CP_NONE;
}

static void place_drawn(struct gltf *gltf, const struct gltf_node *node, struct placings *placings)
{
    struct placing placing = {.transform = node->frame, .use = CP_USE_DRAWN, .position = CP_NONE};
    if (gltf->settings->collision && !gltf->ours)
        placing.use = CP_USE_BOTH;
    uint32_t parts = parts_of(gltf, node);
    if (node->own != JSON_NONE && parts > 0) {
        placing.use = gltf_word(gltf, node->own, "use", use_words, CP_USE_DRAWN);
        placing.position = read_position(gltf, node->own);
    }
    if (placing.use == 0)
        placing.use = CP_USE_DRAWN;
    for (uint32_t i = 0; i < parts; i++) {
        placing.mesh = gltf->meshes[gltf->mesh_first[node->mesh] + i].target;
        add_placing(placings, node->target, &placing);
    }
}

static void place_undrawn(struct gltf *gltf, uint32_t entry, uint32_t node, struct placings *placings)
{
    cp_pose transform = POSE_IDENTITY;
    struct placing placing = {0};
    placing.use = gltf_word(gltf, entry, "use", use_words, CP_USE_COLLISION);
    placing.position = read_position(gltf, entry);
    (void)gltf_numbers(gltf, entry, "pose", 12, transform.m);
    placing.transform = gltf_keep_pose(gltf, &transform);
    placing.mesh = own_find(gltf, MAP_MESHES, json_member(&gltf->json, entry, "mesh"));
    if (placing.mesh != CP_NONE && placing.use != 0)
        add_placing(placings, node, &placing);
}

static void fill_placings(struct gltf *gltf, struct placings *placings)
{
    for (uint32_t i = 0; i < gltf->order_count && gltf->status == CP_OK; i++)
        place_drawn(gltf, &gltf->nodes[gltf->order[i]], placings);
    for (uint32_t i = 0; i < gltf->order_count && gltf->status == CP_OK; i++) {
        const struct gltf_node *node = &gltf->nodes[gltf->order[i]];
        uint32_t list = undrawn_list(gltf, node);
        for (uint32_t at = json_first(&gltf->json, list); at != JSON_NONE; at = json_next(&gltf->json, list, at))
            place_undrawn(gltf, at, node->target, placings);
    }
}

/* The instances of one node in the order of their positions. `positions` and `sequence` have room for all. */
static void add_instances(struct gltf *gltf, uint32_t node, const struct placings *placings, uint32_t *scratch[2])
{
    const struct placing *items = placings->items + placings->first[node];
    uint32_t count = placings->filled[node];
    for (uint32_t i = 0; i < count; i++)
        scratch[0][i] = items[i].position;
    if (count == 0 || !gltf_arrange(gltf, scratch[0], count, scratch[1]))
        return;
    for (uint32_t i = 0; i < count && gltf->status == CP_OK; i++) {
        const struct placing *item = &items[scratch[1][i]];
        if (scene_add_instance(gltf->scene, node, item->mesh, item->use, item->transform) == CP_NONE)
            gltf_no_memory(gltf);
    }
}

void gltf_build_instances(struct gltf *gltf)
{
    struct placings placings = {NULL, NULL, NULL};
    if (gltf->status != CP_OK || !count_placings(gltf, &placings))
        return;
    fill_placings(gltf, &placings);
    uint32_t nodes = gltf->scene->node_count, total = placings.first[nodes];
    uint32_t *scratch[2] = {gltf_allocate(gltf, total, sizeof(uint32_t)), gltf_allocate(gltf, total, sizeof(uint32_t))};
    for (uint32_t i = 0; i < nodes && gltf->status == CP_OK; i++)
        add_instances(gltf, i, &placings, scratch);
}
