/* The tree of nodes: transforms, parents, which scene is read, what each node is to the scene (glTF 2.0, section 3.5;
 * docs/stage-format.md, "The tree"). Nothing here recurses: files choose their depth. */
#include "gltf.h"

#include <math.h>
#include <string.h>

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

static void read_matrix(struct gltf *gltf, struct gltf_node *node, const double m[16])
{
    cp_pose pose;
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++)
            pose.m[4 * row + column] = m[4 * column + row];
    if (m[3] != 0 || m[7] != 0 || m[11] != 0 || m[15] != 1)
        gltf_error(gltf, node->value, "gltf-matrix", "the matrix has a last row that is not 0 0 0 1");
    node->pose = gltf_keep_pose(gltf, &pose);
    node->has_matrix = true;
}

/* Quaternions of float precision are made unit; those that are unit to double precision stay as they are, bit for bit. */
static void make_unit(struct gltf *gltf, uint32_t value, double q[4])
{
    double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (fabs(square - 1) <= 1e-14)
        return;
    if (!(square > 1e-30 && square < 1e30)) {
        gltf_error(gltf, value, "gltf-rotation", "the rotation is no quaternion of a rotation");
        return;
    }
    double length = sqrt(square);
    for (int i = 0; i < 4; i++)
        q[i] /= length;
}

static void read_transform(struct gltf *gltf, struct gltf_node *node)
{
    double matrix[16];
    struct trs trs = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    if (gltf_numbers(gltf, node->value, "matrix", 16, matrix)) {
        read_matrix(gltf, node, matrix);
        return;
    }
    bool moved = gltf_numbers(gltf, node->value, "translation", 3, trs.translation);
    moved = gltf_numbers(gltf, node->value, "rotation", 4, trs.rotation) || moved;
    moved = gltf_numbers(gltf, node->value, "scale", 3, trs.scale) || moved;
    if (!moved)
        return;
    make_unit(gltf, node->value, trs.rotation);
    cp_pose pose = pose_from_trs(&trs);
    node->pose = gltf_keep_pose(gltf, &pose);
}

static void check_pose(struct gltf *gltf, const struct gltf_node *node)
{
    if (gltf->status == CP_OK && !pose_is_finite(node->pose))
        gltf_error(gltf, node->value, "gltf-number", "the transform is too large");
}

/* A word that a newer minor version may have is nothing made. */
static enum gltf_made read_made(struct gltf *gltf, uint32_t own)
{
    static const char *const words[] = {
        [MADE_UP] = "up", [MADE_SHEAR] = "shear", [MADE_AXIS] = "axis", [MADE_INSTANCE] = "instance"};
    uint32_t value = json_member(&gltf->json, own, "made");
    for (int i = MADE_UP; value != JSON_NONE && i <= MADE_INSTANCE; i++)
        if (json_string_equals(&gltf->json, value, words[i]))
            return (enum gltf_made)i;
    return MADE_NOT;
}

static void read_node(struct gltf *gltf, uint32_t index)
{
    struct gltf_node *node = &gltf->nodes[index];
    node->value = gltf->node_list.items[index];
    node->pose = node->frame = &identity;
    node->own = gltf_own(gltf, node->value);
    node->mesh = gltf_index(gltf, node->value, "mesh", gltf->mesh_list.count);
    node->made = (unsigned char)read_made(gltf, node->own);
    node->moves = gltf_object(gltf, node->own, "joint") != JSON_NONE;
    gltf->ours = gltf->ours || json_member(&gltf->json, node->own, "id") != JSON_NONE;
    read_transform(gltf, node);
    check_pose(gltf, node);
}

static bool is_node_index(struct gltf *gltf, uint32_t value, double index)
{
    if (json_is(&gltf->json, value, JSON_NUMBER) && index >= 0 && index < gltf->node_list.count &&
        floor(index) == index)
        return true;
    gltf_error(gltf, value, "gltf-index", "no index of a node (%lu nodes)", (unsigned long)gltf->node_list.count);
    return false;
}

static void read_children(struct gltf *gltf, uint32_t parent)
{
    uint32_t array = gltf_array(gltf, gltf->nodes[parent].value, "children");
    for (uint32_t at = json_first(&gltf->json, array); at != JSON_NONE; at = json_next(&gltf->json, array, at)) {
        double child = json_to_number(&gltf->json, at);
        if (!is_node_index(gltf, at, child))
            return;
        struct gltf_node *node = &gltf->nodes[(uint32_t)child];
        if (node->parent != CP_NONE) {
            gltf_error(gltf, at, "gltf-tree", "node %.0f has two parents", child);
            return;
        }
        node->parent = parent;
    }
}

/* ---- which nodes, in which order ---- */

static void choose_root(struct gltf *gltf, uint32_t value)
{
    double root = json_to_number(&gltf->json, value);
    if (!is_node_index(gltf, value, root))
        return;
    if (gltf->nodes[(uint32_t)root].parent != CP_NONE)
        gltf_error(gltf, value, "gltf-tree", "node %.0f is no root: it has a parent", root);
    gltf->nodes[(uint32_t)root].chosen = true;
}

/* The default scene, else the first; without scenes all roots. */
static void choose_scene(struct gltf *gltf)
{
    uint32_t scene = gltf_index(gltf, 0, "scene", gltf->scene_list.count);
    if (scene == CP_NONE && gltf->scene_list.count > 0)
        scene = 0;
    for (uint32_t i = 0; scene == CP_NONE && i < gltf->node_list.count; i++)
        gltf->nodes[i].chosen = true;
    if (gltf->status != CP_OK || scene == CP_NONE)
        return;
    gltf->scene_value = gltf->scene_list.items[scene];
    gltf->scene_own = gltf_own(gltf, gltf->scene_value);
    gltf_keep_extras(gltf, gltf->scene_value, CP_OWNER_SCENE, 0);
    uint32_t array = gltf_array(gltf, gltf->scene_value, "nodes");
    for (uint32_t at = json_first(&gltf->json, array); at != JSON_NONE && gltf->status == CP_OK;
         at = json_next(&gltf->json, array, at))
        choose_root(gltf, at);
}

/* Climbs from a node to the root, or to one whose fate is known, and gives the fate to all on the way back. `path` has
 * room for all nodes. */
static void visit(struct gltf *gltf, uint32_t node, uint32_t *path)
{
    struct gltf_node *nodes = gltf->nodes;
    uint32_t length = 0, at = node;
    for (; at != CP_NONE && nodes[at].visited == NOT_VISITED; at = nodes[at].parent) {
        nodes[at].visited = CLIMBING;
        path[length++] = at;
    }
    unsigned char of_root = length > 0 && nodes[path[length - 1]].chosen ? READ : LEFT_OUT;
    unsigned char fate = at == CP_NONE ? of_root : nodes[at].visited;
    if (fate == CLIMBING) {
        gltf_error(gltf, nodes[at].value, "gltf-tree", "the node is among its own ancestors");
        return;
    }
    while (length > 0) {
        nodes[path[--length]].visited = fate;
        nodes[path[length]].in_scene = fate == READ;
        if (fate == READ)
            gltf->order[gltf->order_count++] = path[length];
    }
}

/* The order of the file, but parents before their children. */
static void order_nodes(struct gltf *gltf)
{
    uint32_t count = gltf->node_list.count;
    uint32_t *path = gltf_allocate(gltf, count, sizeof *path);
    for (uint32_t i = 0; i < count && gltf->status == CP_OK; i++)
        visit(gltf, i, path);
    if (gltf->status == CP_OK)
        gltf_loss(gltf, LOSS_SCENES, count - (uint64_t)gltf->order_count);
}

void gltf_read_tree(struct gltf *gltf)
{
    uint32_t count = gltf->node_list.count;
    gltf->nodes = gltf_allocate(gltf, count, sizeof *gltf->nodes);
    gltf->order = gltf_allocate(gltf, count, sizeof *gltf->order);
    for (uint32_t i = 0; i < count && gltf->status == CP_OK; i++)
        gltf->nodes[i].parent = gltf->nodes[i].link = gltf->nodes[i].joint = CP_NONE;
    for (uint32_t i = 0; i < count && gltf->status == CP_OK; i++)
        read_node(gltf, i);
    for (uint32_t i = 0; i < count && gltf->status == CP_OK; i++)
        read_children(gltf, i);
    if (gltf->status != CP_OK)
        return;
    choose_scene(gltf);
    order_nodes(gltf);
}
