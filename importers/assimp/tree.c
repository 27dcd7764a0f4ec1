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

static cp_status add_instance(struct assimp_import *import, uint32_t node, uint32_t mesh)
{
    cp_pose transform = turn_geometry(import);
    if (mesh == CP_NONE)
        return CP_OK;
    return scene_add_instance(import->scene, node, mesh, CP_USE_BOTH, &transform) == CP_NONE ? CP_LIMIT : CP_OK;
}

static cp_status add_instances(struct assimp_import *import, uint32_t node, const struct aiNode *from)
{
    cp_status status = CP_OK;
    for (unsigned i = 0; i < from->mNumMeshes && status == CP_OK; i++) {
        if (from->mMeshes[i] >= import->from->mNumMeshes)
            return report_error(import->context, CP_INPUT, "assimp-index", IN_FILE(import->file),
                                "node \"%s\" names mesh %u of %u", from->mName.data, from->mMeshes[i],
                                import->from->mNumMeshes);
        const struct mesh_parts *parts = &import->parts[from->mMeshes[i]];
        status = add_instance(import, node, parts->faces);
        if (status == CP_OK)
            status = add_instance(import, node, parts->lines);
    }
    return status;
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
    cp_pose local = local_of(import, from, step->number);
    if (!pose_is_finite(&local))
        return report_error(import->context, CP_INPUT, "assimp-transform", IN_FILE(import->file),
                            "the transform of node \"%s\" is not finite", from->mName.data);
    uint32_t node = scene_add_node(import->scene, step->parent, name, strlen(name));
    if (node == CP_NONE || !name_map_add(&import->nodes, from->mName.data, node, NULL))
        return CP_LIMIT;
    import->scene->nodes[node].local = turn_local(import, &local);
    *added = node;
    cp_status status = add_instances(import, node, from);
    return status == CP_OK ? copy_metadata(import, from->mMetaData, node) : status;
}

/* The root that assimp adds for the file: "<OFFRoot>", "ACWorld_0", the file's name, a Collada visual scene ... */
static bool root_is_made(const struct assimp_import *import)
{
    const struct aiString *name = &import->from->mRootNode->mName;
    size_t stem = strlen(import->stem);
    return import->format->root_is_scene || !name->length || name->data[0] == '<' ||
           strncmp(name->data, "ACWorld", 7) == 0 ||
           (strncmp(name->data, import->stem, stem) == 0 && (name->data[stem] == '.' || !name->data[stem]));
}

static bool root_says_nothing(const struct assimp_import *import)
{
    const struct aiNode *root = import->from->mRootNode;
    cp_pose pose = local_of(import, root, 0);
    return root_is_made(import) && root->mNumMeshes == 0 && pose_is_identity(&pose);
}

static cp_status start_at_root(struct assimp_import *import, struct stack *stack)
{
    const struct step root = {import->from->mRootNode, 0, 0};
    uint32_t node = 0;
    if (root_says_nothing(import)) {
        cp_status status = copy_metadata(import, root.from->mMetaData, 0);
        if (status != CP_OK)
            return status;
    } else {
        const char *name = root_is_made(import) ? import->stem : root.from->mName.data;
        cp_status status = add_node(import, &root, name, &node);
        if (status != CP_OK)
            return status;
    }
    return push_children(import, stack, root.from, node) ? CP_OK : CP_LIMIT;
}

static cp_status count_nodes(struct assimp_import *import, struct stack *stack, uint64_t *count)
{
    *count = 1;
    bool done = push_children(import, stack, import->from->mRootNode, 0);
    for (; done && stack->count; ++*count)
        done = push_children(import, stack, stack->steps[--stack->count].from, 0);
    stack->count = 0;
    return done ? CP_OK : CP_LIMIT;
}

cp_status copy_tree(struct assimp_import *import)
{
    struct stack stack = {0};
    uint64_t node_count = 0;
    uint32_t number = 0;
    cp_status status = count_nodes(import, &stack, &node_count);
    match_places(import, node_count);
    if (status == CP_OK)
        status = start_at_root(import, &stack);
    while (status == CP_OK && stack.count) {
        struct step step = stack.steps[--stack.count];
        step.number = ++number;
        uint32_t node;
        const char *name = name_of_node(import, step.from);
        status = name ? add_node(import, &step, name, &node) : CP_LIMIT;
        if (status == CP_OK && !push_children(import, &stack, step.from, node))
            status = CP_LIMIT;
    }
    memory_free(import->context, stack.steps, stack.room, sizeof *stack.steps);
    return status;
}

#endif
