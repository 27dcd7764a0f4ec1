/* Nodes and instances, in file order, with a stack of our own.
 *
 * FBX: a model's transform is a product of up to fourteen, and its geometric one is for its own mesh alone. assimp's
 * products of them are wrong if a model has a PostRotation or a geometric transform; but it also gives each factor as a
 * node "MODEL_$AssimpFbx$_FACTOR" above the model's own. These become one node again. */
#include "assimp.h"

#include "model/model.h"

#ifdef HAVE_ASSIMP

#include <string.h>

struct step {
    const struct aiNode *from;
    uint32_t parent; /* in the scene */
    /* The product of the factors above it, and of those for its mesh. */
    cp_pose above, geometric;
    bool unlike_keys; /* assimp's keys for the whole node lack what these hold */
};
struct stack {
    struct step *steps;
    uint32_t count, room;
};

/* Returns the factor of a model's transform that the node is, or NULL. */
static const char *factor_of(const struct aiNode *node)
{
    static const char mark[] = "_$AssimpFbx$_";
    const char *at = node->mNumMeshes ? NULL : strstr(node->mName.data, mark);
    return at ? at + sizeof mark - 1 : NULL;
}

static bool is_geometric(const char *factor)
{
    return strncmp(factor, "Geometric", 9) == 0;
}

static bool is_multiplied_wrongly(const char *factor)
{
    return is_geometric(factor) || strcmp(factor, "PostRotation") == 0;
}

/* of: the transforms from above for its children, without their own `from`. */
static bool push_children(struct assimp_import *import, struct stack *stack, const struct aiNode *from,
                          const struct step *of)
{
    uint64_t count = (uint64_t)stack->count + from->mNumChildren;
    if (!array_reserve(import->context, &stack->steps, &stack->room, count, sizeof *stack->steps))
        return false;
    for (unsigned i = from->mNumChildren; i-- > 0;) {
        stack->steps[stack->count] = *of;
        stack->steps[stack->count++].from = from->mChildren[i];
    }
    return true;
}

/* Multiplies a factor into the step of the nodes below it. The inverses of geometric ones are between a model and its
 * children, which then have neither. */
static void multiply_factor(struct step *step, const char *factor)
{
    if (is_geometric(factor) && strstr(factor, "Inverse"))
        return;
    cp_pose pose = pose_from_assimp(&step->from->mTransformation);
    cp_pose *to = is_geometric(factor) ? &step->geometric : &step->above;
    *to = pose_multiply(to, &pose);
    step->unlike_keys = step->unlike_keys || is_multiplied_wrongly(factor);
}

cp_status find_factors(struct assimp_import *import, struct factors *found)
{
    struct stack stack = {0};
    struct step step = {.from = import->from->mRootNode};
    bool room = push_children(import, &stack, step.from, &step);
    *found = (struct factors){false, false};
    while (room && stack.count) {
        step = stack.steps[--stack.count];
        const char *factor = factor_of(step.from);
        found->any = found->any || factor;
        found->wrong_product = found->wrong_product || (factor && is_multiplied_wrongly(factor));
        room = push_children(import, &stack, step.from, &step);
    }
    memory_free(import->context, stack.steps, stack.room, sizeof *stack.steps);
    return room ? CP_OK : CP_LIMIT;
}

static cp_pose local_of(const struct assimp_import *import, const struct aiNode *from)
{
    bool is_root = from == import->from->mRootNode;
    return is_root && import->root_holds_axes ? POSE_IDENTITY : pose_from_assimp(&from->mTransformation);
}

static cp_status add_node(struct assimp_import *import, const struct step *step, const char *name, uint32_t *added)
{
    const struct aiNode *from = step->from;
    cp_pose own = local_of(import, from), turn = turn_geometry(import);
    cp_pose local = pose_multiply(&step->above, &own), geometric = turn_local(import, &step->geometric);
    cp_pose geometry = pose_multiply(&geometric, &turn);
    if (!pose_is_finite(&local) || !pose_is_finite(&geometry))
        return report_error(import->context, CP_INPUT, "assimp-transform", IN_FILE(import->file),
                            "the transform of node \"%s\" is not finite", from->mName.data);
    uint32_t node = scene_add_node(import->scene, step->parent, name, strlen(name));
    if (node == CP_NONE || (!step->unlike_keys && !name_map_add(&import->nodes, from->mName.data, node, NULL)))
        return CP_LIMIT;
    import->scene->nodes[node].local = turn_local(import, &local);
    *added = node;
    for (unsigned i = 0; i < from->mNumMeshes; i++) {
        if (from->mMeshes[i] >= import->from->mNumMeshes)
            return report_error(import->context, CP_INPUT, "assimp-index", IN_FILE(import->file),
                                "node \"%s\" names mesh %u of %u", from->mName.data, from->mMeshes[i],
                                import->from->mNumMeshes);
        const struct mesh_parts *parts = &import->parts[from->mMeshes[i]];
        const uint32_t meshes[] = {parts->faces, parts->lines};
        for (int k = 0; k < 2; k++)
            if (meshes[k] != CP_NONE &&
                scene_add_instance(import->scene, node, meshes[k], CP_USE_BOTH, &geometry) == CP_NONE)
                return CP_LIMIT;
    }
    return copy_metadata(import, from->mMetaData, node);
}

cp_status copy_tree(struct assimp_import *import)
{
    struct stack stack = {0};
    const struct aiNode *root = import->from->mRootNode;
    struct step top = {.from = root, .above = POSE_IDENTITY, .geometric = POSE_IDENTITY};
    uint32_t node = 0;

    /* assimp adds a root for the file ("<OFFRoot>", the file's name, a Collada visual scene ...), which is
     * left out if it has no content. */
    const struct aiString *name = &root->mName;
    size_t stem = strlen(import->stem);
    bool made = import->format->root_is_scene || !name->length || name->data[0] == '<' ||
                (strncmp(name->data, import->stem, stem) == 0 && (name->data[stem] == '.' || !name->data[stem]));
    cp_pose pose = local_of(import, root);
    cp_status status = CP_OK;
    if (made && root->mNumMeshes == 0 && pose_is_identity(&pose))
        status = copy_metadata(import, root->mMetaData, 0);
    else
        status = add_node(import, &top, made ? import->stem : name->data, &node);
    top.parent = node;
    if (status == CP_OK && !push_children(import, &stack, root, &top))
        status = CP_LIMIT;
    while (status == CP_OK && stack.count) {
        struct step step = stack.steps[--stack.count], below = top;
        const char *factor = factor_of(step.from);
        if (factor) {
            below = step;
            multiply_factor(&below, factor);
        } else {
            const char *text = name_of_node(import, step.from);
            status = text ? add_node(import, &step, text, &below.parent) : CP_LIMIT;
        }
        if (status == CP_OK && !push_children(import, &stack, step.from, &below))
            status = CP_LIMIT;
    }
    memory_free(import->context, stack.steps, stack.room, sizeof *stack.steps);
    return status;
}

#endif
