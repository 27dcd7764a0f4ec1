/* Finds the role of each glTF node: a scene node, or a node that the writer of stages made around one
 * (docs/stage-format.md, "The tree"). Nodes of other tools are all scene nodes. */
#include "gltf.h"

#include <math.h>

#include "model/model.h"

bool gltf_poses_agree(const cp_pose *a, const cp_pose *b)
{
    double largest = 1;
    for (int i = 0; i < 12; i++)
        largest = fmax(largest, fabs(a->m[i]));
    for (int i = 0; i < 12; i++)
        if (!(fabs(a->m[i] - b->m[i]) <= 1e-6 * largest))
            return false;
    return true;
}

/* Finds roots that other tools put above ours: tools that load a scene as an object of its own (three.js) write one,
 * which only holds the extras of the scene. */
static void find_wrappers(struct gltf *gltf, struct gltf_extras *extras, struct gltf_tree *tree)
{
    const struct json_document *json = &gltf->json;
    for (uint32_t i = 0; i < tree->order_count && gltf->status == CP_OK; i++) {
        const struct gltf_node *node = &tree->nodes[tree->order[i]];
        bool top = node->made == MADE_UP || json_member(json, node->own, "world") != JSON_NONE;
        if (!top || node->parent == CP_NONE || tree->nodes[node->parent].wraps)
            continue;
        struct gltf_node *above = &tree->nodes[node->parent];
        above->wraps = above->parent == CP_NONE && above->mesh == CP_NONE && pose_is_identity(above->pose) &&
                       json_member(json, above->own, "id") == JSON_NONE &&
                       json_member(json, above->own, "made") == JSON_NONE &&
                       json_member(json, above->own, "joint") == JSON_NONE;
        if (!above->wraps)
            continue;
        gltf_warning(gltf, above->value, "gltf-moved-tree", "another tool put a root above the world: it is left out");
        if (json_count(json, extras->scene) == 0)
            extras->scene = above->own;
    }
}

static enum gltf_role role_of(struct gltf *gltf, struct gltf_tree *tree, const struct gltf_node *node)
{
    const struct gltf_node *parent = node->parent == CP_NONE ? NULL : &tree->nodes[node->parent];
    cp_pose up = pose_y_up_from_z_up();
    if (node->wraps)
        return ROLE_UP;
    if (node->own == JSON_NONE)
        return ROLE_NODE;
    if (node->made == MADE_UP) {
        if ((!parent || parent->wraps) && gltf_poses_agree(node->pose, &up))
            return ROLE_UP;
        /* Another tool turned or moved the whole scene: keep it where it is now. */
        gltf_warning(gltf, node->value, "gltf-moved-tree", "the made root was moved and is kept as a node");
        return ROLE_NODE;
    }
    if (!parent)
        return ROLE_NODE;
    if (node->made == MADE_INSTANCE && (parent->role == ROLE_NODE || parent->role == ROLE_LINK))
        return ROLE_INSTANCE;
    if (parent->link != CP_NONE || parent->role == ROLE_UP)
        return ROLE_NODE;
    if (node->made == MADE_SHEAR && parent->role != ROLE_LINK)
        return ROLE_LINK;
    /* A joint belongs to a scene node: one below an instance, or below its shear, has none. */
    const struct gltf_node *head = parent->role == ROLE_LINK ? &tree->nodes[parent->parent] : parent;
    bool moves = node->made == MADE_AXIS || node->moves;
    return moves && head->role != ROLE_INSTANCE ? ROLE_LINK : ROLE_NODE;
}

void gltf_give_roles(struct gltf *gltf, struct gltf_extras *extras, struct gltf_tree *tree)
{
    find_wrappers(gltf, extras, tree);
    for (uint32_t i = 0; i < tree->order_count && gltf->status == CP_OK; i++) {
        struct gltf_node *node = &tree->nodes[tree->order[i]];
        node->role = (unsigned char)role_of(gltf, tree, node);
        if (node->role == ROLE_LINK)
            tree->nodes[node->parent].link = tree->order[i];
    }
}

/* Places all that hangs on a chain, which in the scene is on its tail. A node that another tool hung before the tail,
 * or a tail that no joint values bring to its place, keeps its place at the current values. */
static void place_chain(struct gltf *gltf, struct gltf_tree *tree, const struct gltf_joints *joints,
                        struct gltf_node *head)
{
    /* drawn: the product of the links' transforms; kept: what the scene makes of them, the shear and the joints'
     * motions. */
    cp_pose drawn = POSE_IDENTITY, kept = POSE_IDENTITY, back;
    for (uint32_t at = head->link; at != CP_NONE; at = tree->nodes[at].link) {
        const struct gltf_node *link = &tree->nodes[at];
        drawn = pose_multiply(&drawn, link->pose);
        if (link->made == MADE_SHEAR) {
            kept = *link->pose;
        } else if (link->joint != CP_NONE) {
            cp_pose motion = joint_motion(&joints->items[link->joint].joint, joints->items[link->joint].now);
            kept = pose_multiply(&kept, &motion);
        }
    }
    if (!pose_inverse(&kept, &back))
        return;
    bool agree = gltf_poses_agree(&drawn, &kept);
    head->frame = gltf_keep_pose(gltf, &back);
    drawn = POSE_IDENTITY;
    for (uint32_t at = head->link; at != CP_NONE; at = tree->nodes[at].link) {
        struct gltf_node *link = &tree->nodes[at];
        drawn = pose_multiply(&drawn, link->pose);
        if (link->link == CP_NONE && agree)
            continue;
        cp_pose frame = pose_multiply(&back, &drawn);
        link->frame = gltf_keep_pose(gltf, &frame);
    }
}

void gltf_place_chains(struct gltf *gltf, struct gltf_tree *tree, const struct gltf_joints *joints)
{
    for (uint32_t i = 0; i < tree->order_count && gltf->status == CP_OK; i++) {
        struct gltf_node *node = &tree->nodes[tree->order[i]];
        if (node->role == ROLE_NODE && node->link != CP_NONE)
            place_chain(gltf, tree, joints, node);
    }
}
