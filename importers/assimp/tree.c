/* Nodes and instances, in file order, with a stack of our own. */
#include "assimp.h"

#ifdef HAVE_ASSIMP

#include <string.h>

struct step {
    const struct aiNode *from;
    uint32_t parent; /* in the scene */
    uint32_t number; /* in the order of the tree */
};
struct stack {
    struct step *steps;
    uint32_t count, room;
};

static bool push_children(struct assimp_import *import, struct stack *stack, const struct aiNode *from, uint32_t parent)
{
    uint64_t count = (uint64_t)stack->count + from->mNumChildren;
    if (!array_reserve(import->context, &stack->steps, &stack->room, count, sizeof *stack->steps))
        return false;
    for (unsigned i = from->mNumChildren; i-- > 0;)
        stack->steps[stack->count++] = (struct step){from->mChildren[i], parent, 0};
    return true;
}

static cp_pose local_of(const struct assimp_import *import, const struct aiNode *from, uint32_t number)
{
    bool is_root = from == import->from->mRootNode;
    cp_pose local = is_root && import->root_holds_axes ? POSE_IDENTITY : pose_from_assimp(&from->mTransformation);
    apply_place(import, number, &local);
    return local;
}

static cp_status add_node(struct assimp_import *import, const struct step *step, const char *name, uint32_t *added)
{
    const struct aiNode *from = step->from;
    cp_pose local = local_of(import, from, step->number), geometry = turn_geometry(import);
    if (!pose_is_finite(&local))
        return report_error(import->context, CP_INPUT, "assimp-transform", IN_FILE(import->file),
                            "the transform of node \"%s\" is not finite", from->mName.data);
    uint32_t node = scene_add_node(import->scene, step->parent, name, strlen(name));
    if (node == CP_NONE || !name_map_add(&import->nodes, from->mName.data, node, NULL))
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
    /* How many nodes there are: the places of an AC3D file's objects are by number. */
    struct stack stack = {0};
    const struct aiNode *root = import->from->mRootNode;
    uint64_t node_count = 1;
    uint32_t number = 0, node = 0;
    bool room = push_children(import, &stack, root, 0);
    for (; room && stack.count; node_count++)
        room = push_children(import, &stack, stack.steps[--stack.count].from, 0);
    stack.count = 0;
    match_places(import, node_count);

    /* The root: assimp adds one for the file ("<OFFRoot>", "ACWorld_0", the file's name, a Collada visual scene ...),
     * which is left out if it says nothing. */
    const struct aiString *name = &root->mName;
    size_t stem = strlen(import->stem);
    bool made = import->format->root_is_scene || !name->length || name->data[0] == '<' ||
                strncmp(name->data, "ACWorld", 7) == 0 ||
                (strncmp(name->data, import->stem, stem) == 0 && (name->data[stem] == '.' || !name->data[stem]));
    cp_pose pose = local_of(import, root, 0);
    cp_status status = room ? CP_OK : CP_LIMIT;
    if (status == CP_OK && made && root->mNumMeshes == 0 && pose_is_identity(&pose))
        status = copy_metadata(import, root->mMetaData, 0);
    else if (status == CP_OK)
        status = add_node(import, &(struct step){root, 0, 0}, made ? import->stem : name->data, &node);
    if (status == CP_OK && !push_children(import, &stack, root, node))
        status = CP_LIMIT;
    while (status == CP_OK && stack.count) {
        struct step step = stack.steps[--stack.count];
        step.number = ++number;
        const char *text = name_of_node(import, step.from);
        status = text ? add_node(import, &step, text, &node) : CP_LIMIT;
        if (status == CP_OK && !push_children(import, &stack, step.from, node))
            status = CP_LIMIT;
    }
    memory_free(import->context, stack.steps, stack.room, sizeof *stack.steps);
    return status;
}

#endif
