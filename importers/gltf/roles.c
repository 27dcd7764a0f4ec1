/* What each glTF node is to the scene: a node, or something that the writer of stages made around one
 * (docs/stage-format.md, "The tree"). Nodes of other tools are all nodes. */
#include "gltf.h"

#include <math.h>

static const struct gltf_node *parent_of(const struct gltf *gltf, const struct gltf_node *node)
{
    return node->parent == CP_NONE ? NULL : &gltf->nodes[node->parent];
}

static bool poses_agree(const cp_pose *a, const cp_pose *b)
{
    for (int i = 0; i < 12; i++)
        if (!(fabs(a->m[i] - b->m[i]) <= 1e-6))
            return false;
    return true;
}

/* Another tool turned or moved the whole scene: it stays where it is now, in a file that is Y up. */
static enum gltf_role moved_up_root(struct gltf *gltf, const struct gltf_node *node)
{
    gltf->turned = true;
    gltf_warning(gltf, node->value, "gltf-moved-tree", "the made root was moved and is kept as a node");
    return ROLE_NODE;
}

static enum gltf_role role_of(struct gltf *gltf, const struct gltf_node *node)
{
    const struct gltf_node *parent = parent_of(gltf, node);
    cp_pose up = pose_y_up_from_z_up();
    if (node->own == JSON_NONE)
        return ROLE_NODE;
    if (!parent && node->made == MADE_UP)
        return poses_agree(&node->pose, &up) ? ROLE_UP : moved_up_root(gltf, node);
    if (!parent)
        return ROLE_NODE;
    if (node->made == MADE_INSTANCE && (parent->role == ROLE_NODE || parent->role == ROLE_LINK))
        return ROLE_INSTANCE;
    if (parent->link != CP_NONE || parent->role == ROLE_UP)
        return ROLE_NODE;
    if (node->made == MADE_SHEAR && parent->role != ROLE_LINK)
        return ROLE_LINK;
    bool moves = node->made == MADE_AXIS || node->moves;
    return moves && parent->role != ROLE_INSTANCE ? ROLE_LINK : ROLE_NODE;
}

/* Where the links of a chain are, seen from its tail: what hangs on them, and not on the tail, was hung there by
 * another tool, and keeps its place at the current joint values. */
static void place_chain(struct gltf *gltf, uint32_t tail)
{
    cp_pose below = POSE_IDENTITY;
    for (uint32_t at = tail; gltf->nodes[at].role == ROLE_LINK; at = gltf->nodes[at].parent) {
        struct gltf_node *node = &gltf->nodes[gltf->nodes[at].parent];
        below = pose_multiply(&gltf->nodes[at].pose, &below);
        if (!pose_inverse(&below, &node->frame))
            node->frame = POSE_IDENTITY;
    }
}

void gltf_give_roles(struct gltf *gltf)
{
    for (uint32_t i = 0; i < gltf->order_count && gltf->status == CP_OK; i++) {
        struct gltf_node *node = &gltf->nodes[gltf->order[i]];
        node->role = (unsigned char)role_of(gltf, node);
        if (node->role == ROLE_LINK)
            gltf->nodes[node->parent].link = gltf->order[i];
        gltf->turned = gltf->turned || node->role == ROLE_UP;
    }
    for (uint32_t i = 0; i < gltf->order_count && gltf->status == CP_OK; i++) {
        const struct gltf_node *node = &gltf->nodes[gltf->order[i]];
        if (node->role == ROLE_LINK && node->link == CP_NONE)
            place_chain(gltf, gltf->order[i]);
    }
}
