/* The tree of nodes: transforms, parents, the scene that is read, the role of each node (glTF 2.0, section 3.5;
 * docs/stage-format.md, "The tree"). Nothing here recurses: files choose their depth. */
#include "gltf.h"

#include <math.h>

#include "model/model.h"

enum visit { NOT_VISITED, CLIMBING, READ, LEFT_OUT };

/* ---- one node ---- */

static const cp_pose identity = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};

const cp_pose *gltf_keep_pose(struct gltf *gltf, const cp_pose *pose)
{
    const cp_pose *kept = arena_copy(gltf->arena, pose, 1, sizeof *pose);
    if (!kept)
        gltf_no_memory(gltf);
    return kept ? kept : &identity;
}

/* Makes quaternions of float precision unit; those that are unit to double precision stay as they are, bit for bit. */
void gltf_make_unit(struct gltf *gltf, uint32_t value, double q[4])
{
    double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (fabs(square - 1) <= 1e-14)
        return;
    if (!(square > 1e-30 && square < 1e30)) {
        gltf_error(gltf, value, "gltf-rotation", "the rotation is not a unit quaternion");
        return;
    }
    double length = sqrt(square);
    for (int i = 0; i < 4; i++)
        q[i] /= length;
}

static void read_node(struct gltf *gltf, struct gltf_extras *extras, struct gltf_tree *tree, uint32_t index)
{
    static const char *const words[] = {[MADE_UP] = "up",
                                        [MADE_SHEAR] = "shear",
                                        [MADE_AXIS] = "axis",
                                        [MADE_INSTANCE] = "instance",
                                        [MADE_VIEW] = "view"};
    struct gltf_node *node = &tree->nodes[index];
    uint32_t value = gltf->lists.nodes.items[index], own = gltf_own(gltf, value);
    node->value = value;
    node->pose = node->frame = &identity;
    node->own = own;
    node->mesh = gltf_index(gltf, value, "mesh", gltf->lists.meshes.count);
    uint32_t made = json_member(&gltf->json, own, "made");
    for (int i = MADE_UP; made != JSON_NONE && i <= MADE_VIEW; i++)
        if (json_string_equals(&gltf->json, made, words[i])) /* a newer minor version may have other words */
            node->made = (unsigned char)i;
    node->moves = gltf_object(gltf, own, "joint") != JSON_NONE;
    extras->ours = extras->ours || json_member(&gltf->json, own, "id") != JSON_NONE;

    /* Read the transform: a matrix, or its parts. */
    double m[16];
    cp_pose pose;
    struct trs trs = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    node->has_matrix = gltf_numbers(gltf, value, "matrix", 16, m);
    if (node->has_matrix) {
        for (int row = 0; row < 3; row++)
            for (int column = 0; column < 4; column++)
                pose.m[4 * row + column] = m[4 * column + row];
        if (m[3] != 0 || m[7] != 0 || m[11] != 0 || m[15] != 1)
            gltf_error(gltf, value, "gltf-matrix", "the matrix has a last row that is not 0 0 0 1");
    } else {
        bool moved = gltf_numbers(gltf, value, "translation", 3, trs.translation);
        moved = gltf_numbers(gltf, value, "rotation", 4, trs.rotation) || moved;
        moved = gltf_numbers(gltf, value, "scale", 3, trs.scale) || moved;
        if (!moved)
            return;
        gltf_make_unit(gltf, value, trs.rotation);
        pose = pose_from_trs(&trs);
    }
    node->pose = gltf_keep_pose(gltf, &pose);
    if (gltf->status == CP_OK && !pose_is_finite(&pose))
        gltf_error(gltf, value, "gltf-number", "the transform is too large");
}

/* Returns the node's index of a JSON number; CP_NONE is an error already noted. */
static uint32_t read_node_index(struct gltf *gltf, uint32_t value)
{
    double index = json_to_number(&gltf->json, value);
    if (json_is(&gltf->json, value, JSON_NUMBER) && index >= 0 && index < gltf->lists.nodes.count &&
        floor(index) == index)
        return (uint32_t)index;
    gltf_error(gltf, value, "gltf-index", "not the index of a node (%lu nodes)",
               (unsigned long)gltf->lists.nodes.count);
    return CP_NONE;
}

static void read_children(struct gltf *gltf, struct gltf_tree *tree, uint32_t parent)
{
    uint32_t array = gltf_array(gltf, tree->nodes[parent].value, "children");
    for (uint32_t at = json_first(&gltf->json, array); at != JSON_NONE; at = json_next(&gltf->json, array, at)) {
        uint32_t child = read_node_index(gltf, at);
        if (child == CP_NONE)
            return;
        struct gltf_node *node = &tree->nodes[child];
        if (child == parent || node->parent == parent) {
            gltf_lenient(gltf, at, "gltf-tree-twice",
                         child == parent ? "the node is listed as its own child"
                                         : "the node is listed as a child twice");
            continue;
        }
        if (node->parent != CP_NONE) {
            gltf_error(gltf, at, "gltf-tree", "node %lu has two parents", (unsigned long)child);
            return;
        }
        node->parent = parent;
    }
}

/* ---- which nodes, in which order ---- */

/* Chooses the default scene, else the first; without scenes all roots. */
static void choose_scene(struct gltf *gltf, cp_scene *scene, struct gltf_extras *extras, struct gltf_tree *tree)
{
    uint32_t index = gltf_index(gltf, 0, "scene", gltf->lists.scenes.count);
    if (index == CP_NONE && gltf->lists.scenes.count > 0)
        index = 0;
    for (uint32_t i = 0; index == CP_NONE && i < gltf->lists.nodes.count; i++)
        tree->nodes[i].chosen = true;
    if (gltf->status != CP_OK || index == CP_NONE)
        return;
    uint32_t value = gltf->lists.scenes.items[index];
    extras->scene = gltf_own(gltf, value);
    gltf_keep_extras(gltf, scene, value, CP_OWNER_SCENE, 0, "extras");
    uint32_t array = gltf_array(gltf, value, "nodes");
    for (uint32_t at = json_first(&gltf->json, array); at != JSON_NONE && gltf->status == CP_OK;
         at = json_next(&gltf->json, array, at)) {
        uint32_t root = read_node_index(gltf, at);
        if (root == CP_NONE)
            return;
        if (tree->nodes[root].parent != CP_NONE)
            gltf_lenient(gltf, at, "gltf-tree-root", "the node is listed as a root, but has a parent");
        tree->nodes[root].chosen = true;
    }
}

/* Climbs from a node to the root, or to one that was visited, and passes its result to all on the way back. A node that
 * is listed as a root is one if its parent is left out. `path` has room for all nodes. */
static void visit(struct gltf *gltf, struct gltf_tree *tree, uint32_t node, uint32_t *path)
{
    struct gltf_node *nodes = tree->nodes;
    uint32_t length = 0, at = node;
    for (; at != CP_NONE && nodes[at].visited == NOT_VISITED; at = nodes[at].parent) {
        nodes[at].visited = CLIMBING;
        path[length++] = at;
    }
    unsigned char fate = at == CP_NONE ? LEFT_OUT : nodes[at].visited;
    if (fate == CLIMBING) {
        gltf_error(gltf, nodes[at].value, "gltf-tree", "the node is among its own ancestors");
        return;
    }
    while (length > 0) {
        if (fate == LEFT_OUT && nodes[path[length - 1]].chosen) {
            fate = READ;
            nodes[path[length - 1]].parent = CP_NONE;
        }
        nodes[path[--length]].visited = fate;
        nodes[path[length]].in_scene = fate == READ;
        if (fate == READ)
            tree->order[tree->order_count++] = path[length];
    }
}

/* Leaves out the views that our writer made of a scene: nodes with a camera and nothing else. Returns how many. */
static uint32_t leave_out_views(struct gltf *gltf, struct gltf_tree *tree)
{
    const struct json_document *json = &gltf->json;
    uint32_t views = 0, cameras = json_count(json, gltf_array(gltf, 0, "cameras"));
    for (uint32_t i = 0; i < gltf->lists.nodes.count && gltf->status == CP_OK; i++) {
        struct gltf_node *node = &tree->nodes[i];
        if (node->made != MADE_VIEW || node->mesh != CP_NONE ||
            json_count(json, gltf_array(gltf, node->value, "children")) > 0)
            continue;
        node->visited = LEFT_OUT;
        views++;
    }
    gltf_loss(gltf, LOSS_CAMERAS, cameras > views ? cameras - views : 0);
    return views;
}

void gltf_read_tree(struct gltf *gltf, cp_scene *scene, struct gltf_extras *extras, struct gltf_tree *tree)
{
    uint32_t count = gltf->lists.nodes.count;
    tree->nodes = gltf_allocate(gltf, count, sizeof *tree->nodes);
    tree->order = gltf_allocate(gltf, count, sizeof *tree->order);
    for (uint32_t i = 0; i < count && gltf->status == CP_OK; i++)
        tree->nodes[i].parent = tree->nodes[i].link = tree->nodes[i].joint = CP_NONE;
    for (uint32_t i = 0; i < count && gltf->status == CP_OK; i++)
        read_node(gltf, extras, tree, i);
    for (uint32_t i = 0; i < count && gltf->status == CP_OK; i++)
        read_children(gltf, tree, i);
    if (gltf->status != CP_OK)
        return;
    choose_scene(gltf, scene, extras, tree);
    uint32_t views = leave_out_views(gltf, tree);
    /* The order of the file, but parents before their children. */
    uint32_t *path = gltf_allocate(gltf, count, sizeof *path);
    for (uint32_t i = 0; i < count && gltf->status == CP_OK; i++)
        visit(gltf, tree, i, path);
    if (gltf->status == CP_OK)
        gltf_loss(gltf, LOSS_SCENES, count - views - (uint64_t)tree->order_count);
}
