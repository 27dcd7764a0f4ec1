/* Makes scene nodes and the places of meshes from glTF nodes with their roles. */
#include "gltf.h"

#include <string.h>

#include "model/model.h"

/* ---- nodes ---- */

/* Returns the node's pose below the parent scene node's tail: the transform, with the shear node that belongs to it, or
 * the exact pose of our extras. */
static cp_pose exact_pose(struct gltf *gltf, const struct gltf_tree *tree, const struct gltf_node *node)
{
    const struct gltf_node *link = node->link == CP_NONE ? NULL : &tree->nodes[node->link];
    cp_pose read = *node->pose, exact;
    if (link && link->made == MADE_SHEAR)
        read = pose_multiply(node->pose, link->pose);
    return own_pose(gltf, node->own, &read, &exact) ? exact : read;
}

/* Returns the frame of the parent's children, seen from its scene node. Roots of files that are Y up are turned. */
static cp_pose parent_frame(const struct gltf_tree *tree, const struct gltf_node *node)
{
    if (node->parent != CP_NONE)
        return *tree->nodes[node->parent].frame;
    return tree->turned ? pose_z_up_from_y_up() : POSE_IDENTITY;
}

/* Keeps a light as metadata of its node, so that a viewer of the scene can find it. */
static void keep_light(struct gltf *gltf, cp_scene *scene, bool *lights, const struct gltf_node *node)
{
    uint32_t index =
        gltf_index(gltf, gltf_extension(gltf, node->value, "KHR_lights_punctual"), "light", gltf->lists.lights.count);
    if (index == CP_NONE)
        return;
    gltf_keep_json(gltf, scene, gltf->lists.lights.items[index], CP_OWNER_NODE, node->target, "KHR_lights_punctual");
    lights[index] = true;
}

/* Makes a scene node. The first root of our own that is marked so is the world itself. */
static void build_node(struct gltf_reading *reading, struct gltf_node *node, bool *world_seen)
{
    struct gltf *gltf = &reading->gltf;
    cp_pose frame = parent_frame(&reading->tree, node);
    const struct gltf_node *parent = node->parent == CP_NONE ? NULL : &reading->tree.nodes[node->parent];
    bool is_world = !*world_seen && (!parent || parent->role == ROLE_UP) && pose_is_identity(&frame) &&
                    own_flag(gltf, node->own, "world") && pose_is_identity(node->pose);
    const char *name = gltf_node_name(gltf, node);
    cp_pose local = is_world ? POSE_IDENTITY : exact_pose(gltf, &reading->tree, node);
    if (gltf->status != CP_OK)
        return;
    if (is_world) {
        reading->scene->nodes[0].name = name ? name : "";
        node->target = 0;
        *world_seen = true;
    } else {
        node->target =
            scene_add_node(reading->scene, parent ? parent->target : 0, name ? name : "", name ? strlen(name) : 0);
        if (node->target == CP_NONE) {
            gltf_no_memory(gltf);
            return;
        }
        reading->scene->nodes[node->target].local = pose_multiply(&frame, &local);
    }
    reading->tree.node_of[node->target] = (uint32_t)(node - reading->tree.nodes);
    if (parent && parent->link != CP_NONE)
        gltf_warning(gltf, node->value, "gltf-moved-tree",
                     "hangs on a node that is no tail; it now follows its joints");
    own_read_node(gltf, reading->scene, &reading->extras, &reading->ids, node->own, node->target);
    gltf_keep_extras(gltf, reading->scene, node->value, CP_OWNER_NODE, node->target, "extras");
    keep_light(gltf, reading->scene, reading->lights_used, node);
}

/* Handles a made node, which belongs to the scene node above. Nodes above the world belong to the world. */
static void build_made(struct gltf *gltf, cp_scene *scene, const struct gltf_tree *tree, struct gltf_node *node)
{
    if (node->role == ROLE_UP) {
        node->target = 0;
        if (node->wraps) {
            cp_pose frame = parent_frame(tree, node);
            node->frame = gltf_keep_pose(gltf, &frame);
            gltf_keep_extras(gltf, scene, node->value, CP_OWNER_SCENE, 0, "extras");
        }
        return;
    }
    const struct gltf_node *parent = &tree->nodes[node->parent];
    node->target = parent->target;
    if (node->role == ROLE_INSTANCE) {
        cp_pose pose = exact_pose(gltf, tree, node), frame = pose_multiply(parent->frame, &pose);
        node->frame = gltf_keep_pose(gltf, &frame);
    } else if (parent->role == ROLE_INSTANCE) {
        node->frame = parent->frame;
    }
}

void gltf_build_nodes(struct gltf_reading *reading)
{
    struct gltf *gltf = &reading->gltf;
    bool world_seen = false;
    reading->tree.node_of = gltf_allocate(gltf, (size_t)reading->tree.order_count + 1, sizeof *reading->tree.node_of);
    if (!reading->tree.node_of)
        return;
    reading->tree.node_of[0] = CP_NONE;
    if (!reading->extras.ours) {
        reading->tree.turned = gltf->settings->up != UP_Z;
        reading->scene->source.up = reading->tree.turned ? CP_UP_Y : CP_UP_Z;
    }
    for (uint32_t i = 0; i < reading->tree.order_count && gltf->status == CP_OK; i++) {
        struct gltf_node *node = &reading->tree.nodes[reading->tree.order[i]];
        if (node->role == ROLE_NODE)
            build_node(reading, node, &world_seen);
        else
            build_made(gltf, reading->scene, &reading->tree, node);
    }
}

/* ---- joints ---- */

void gltf_build_joints(struct gltf_reading *reading)
{
    struct gltf *gltf = &reading->gltf;
    for (uint32_t i = 0; i < reading->scene->node_count && gltf->status == CP_OK; i++) {
        if (reading->tree.node_of[i] == CP_NONE)
            continue;
        struct gltf_node *node = &reading->tree.nodes[reading->tree.node_of[i]];
        for (uint32_t at = node->link; at != CP_NONE && gltf->status == CP_OK; at = reading->tree.nodes[at].link)
            if (reading->tree.nodes[at].joint != CP_NONE)
                own_build_joint(gltf, reading->scene, &reading->joints, &reading->tree.nodes[at]);
        gltf_read_articulation(gltf, reading->scene, &reading->articulations, node);
    }
    own_finish_joints(gltf, reading->scene, &reading->ids, &reading->joints);
}

/* ---- instances ---- */

struct placing {
    uint32_t mesh, use, position;
    uint32_t own; /* the object of our extras that has its members, or JSON_NONE */
    const cp_pose *transform;
};

/* All instances by scene node: those of node i are the filled[i] items from first[i]. */
struct placings {
    struct placing *items;
    uint32_t *first, *filled;
};

static uint32_t parts_of(const struct gltf_meshes *meshes, const struct gltf_node *node)
{
    return node->mesh == CP_NONE ? 0 : meshes->first[node->mesh + 1] - meshes->first[node->mesh];
}

/* Returns the instances that our extras list on a node, since no glTF node draws them. */
static uint32_t undrawn_list(struct gltf *gltf, const struct gltf_node *node)
{
    return node->role == ROLE_NODE && node->own != JSON_NONE ? gltf_array(gltf, node->own, "instances") : JSON_NONE;
}

static void add_placing(struct placings *placings, uint32_t node, const struct placing *placing)
{
    placings->items[placings->first[node] + placings->filled[node]++] = *placing;
}

/* Places the meshes of a node that is drawn. */
static void place_drawn(struct gltf *gltf, const struct gltf_extras *extras, const struct gltf_tree *tree,
                        const struct gltf_meshes *meshes, const struct gltf_node *node, struct placings *placings)
{
    struct placing placing = {.use = CP_USE_DRAWN, .position = CP_NONE, .own = JSON_NONE};
    if (gltf->settings->collision && !extras->ours)
        placing.use = CP_USE_BOTH;
    uint32_t parts = parts_of(meshes, node), own = node->own;
    if (node->role == ROLE_LINK && node->made == MADE_SHEAR && tree->nodes[node->parent].role == ROLE_INSTANCE)
        own = tree->nodes[node->parent].own; /* the instance's, whose mesh hangs below its shear */
    if (own != JSON_NONE && parts > 0) {
        placing.use = gltf_word(gltf, own, "use", use_words, CP_USE_DRAWN);
        placing.own = own;
        placing.position = node->copy_count == 1 ? own_position(gltf, own, CP_NONE) : CP_NONE;
    }
    if (placing.use == 0)
        placing.use = CP_USE_DRAWN;
    for (uint32_t copy = 0; copy < node->copy_count; copy++)
        for (uint32_t i = 0; i < parts; i++) {
            placing.transform = &node->copies[copy];
            placing.mesh = meshes->items[meshes->first[node->mesh] + i].target;
            add_placing(placings, node->target, &placing);
        }
}

static void place_undrawn(struct gltf *gltf, const struct gltf_ids *ids, uint32_t entry, uint32_t node,
                          struct placings *placings)
{
    cp_pose transform = POSE_IDENTITY;
    struct placing placing = {.own = entry};
    placing.use = gltf_word(gltf, entry, "use", use_words, CP_USE_COLLISION);
    placing.position = own_position(gltf, entry, CP_NONE);
    (void)gltf_numbers(gltf, entry, "pose", 12, transform.m);
    placing.transform = gltf_keep_pose(gltf, &transform);
    placing.mesh = own_find(gltf, ids, TABLE_MESHES, json_member(&gltf->json, entry, "mesh"));
    if (placing.mesh != CP_NONE && placing.use != 0)
        add_placing(placings, node, &placing);
}

void gltf_build_instances(struct gltf_reading *reading)
{
    struct gltf *gltf = &reading->gltf;
    /* Count how many instances each scene node can have. */
    uint32_t nodes = reading->scene->node_count;
    uint64_t total = 0;
    struct placings placings = {.first = gltf_allocate(gltf, nodes, sizeof *placings.first),
                                .filled = gltf_allocate(gltf, nodes, sizeof *placings.filled)};
    uint64_t *counts = gltf_allocate(gltf, nodes, sizeof *counts);
    for (uint32_t i = 0; i < reading->tree.order_count && gltf->status == CP_OK; i++) {
        struct gltf_node *node = &reading->tree.nodes[reading->tree.order[i]];
        uint32_t parts = parts_of(&reading->meshes, node);
        gltf_read_copies(gltf, &reading->buffers, node, parts);
        counts[node->target] += (uint64_t)parts * node->copy_count + json_count(&gltf->json, undrawn_list(gltf, node));
    }
    for (uint32_t i = 0; i < nodes && gltf->status == CP_OK; i++) {
        placings.first[i] = (uint32_t)total;
        total += counts[i];
        if (total >= UINT32_MAX || total > limit_nodes(gltf->context))
            gltf_limit(gltf, JSON_NONE, "gltf-instances", "more instances of meshes than the limit of %llu (%s)",
                       (unsigned long long)limit_nodes(gltf->context), limit_of_nodes(gltf->context));
    }
    placings.items = gltf_allocate(gltf, total, sizeof *placings.items);

    /* Place the drawn ones first: those of our extras go where their positions say. */
    for (uint32_t i = 0; i < reading->tree.order_count && gltf->status == CP_OK; i++)
        place_drawn(gltf, &reading->extras, &reading->tree, &reading->meshes,
                    &reading->tree.nodes[reading->tree.order[i]], &placings);
    for (uint32_t i = 0; i < reading->tree.order_count && gltf->status == CP_OK; i++) {
        const struct gltf_node *node = &reading->tree.nodes[reading->tree.order[i]];
        uint32_t list = undrawn_list(gltf, node);
        for (uint32_t at = json_first(&gltf->json, list); at != JSON_NONE; at = json_next(&gltf->json, list, at))
            place_undrawn(gltf, &reading->ids, at, node->target, &placings);
    }
    for (uint32_t node = 0; node < nodes && gltf->status == CP_OK; node++) {
        const struct placing *items = placings.items + placings.first[node];
        uint32_t count = placings.filled[node];
        const uint32_t *sequence =
            count > 0 ? gltf_arrange(gltf, items, offsetof(struct placing, position), sizeof *items, count) : NULL;
        for (uint32_t i = 0; i < count && gltf->status == CP_OK; i++) {
            const struct placing *item = &items[sequence[i]];
            uint32_t at = scene_add_instance(reading->scene, node, item->mesh, item->use, item->transform);
            if (at == CP_NONE)
                gltf_no_memory(gltf);
            else if (item->own != JSON_NONE)
                (void)own_read_row(gltf, &reading->ids, item->own, TABLE_INSTANCES, &reading->scene->instances[at]);
        }
    }
}
