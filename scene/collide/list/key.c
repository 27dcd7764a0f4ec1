/* Names, colours, drawn meshes, values of joints, and all that is not between two frames do not change their key.
 * Numbers are hashed as they are in memory, on a little-endian machine. */
#include "list.h"

#include <math.h>

#include "base/context.h"
#include "base/text/text.h"
#include "collide/body/body.h"

static uint64_t add_bytes(uint64_t hash, const void *bytes, size_t size)
{
    uint64_t both[2] = {hash, hash_content(bytes, size)};
    return hash_content(both, sizeof both);
}

static uint64_t add_whole(uint64_t hash, uint64_t value)
{
    uint64_t both[2] = {hash, value};
    return hash_content(both, sizeof both);
}

/* Adds numbers to a hash; -0 counts as 0. */
static uint64_t add_numbers(uint64_t hash, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double value = values[i] + 0.0;
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        hash = add_whole(hash, bits);
    }
    return hash;
}

/* ---- geometry ---- */

static uint64_t hash_mesh(const cp_mesh *mesh)
{
    uint64_t hash = add_whole(0, mesh->kind);
    if (mesh->kind == CP_MESH_PLANE) /* has no bounds here */
        return hash;
    if (mesh->kind >= CP_MESH_BOX)
        return add_whole(add_numbers(hash, mesh->size, 3), mesh->sides);
    uint64_t faces = hash_content(mesh->positions, mesh->vertex_count * (size_t)3 * sizeof(float));
    faces = add_bytes(faces, mesh->corners, mesh->corner_count * sizeof *mesh->corners);
    bool triangles = true; /* are the same with and without a table of where they begin */
    for (uint32_t i = 0; i < mesh->face_count && triangles; i++)
        triangles = mesh_face_size(mesh, i) == 3;
    if (!triangles)
        faces = add_bytes(faces, mesh->face_offsets, (mesh->face_count + (size_t)1) * sizeof *mesh->face_offsets);
    return add_whole(hash, faces);
}

cp_status geometry_keys(cp_context *context, const cp_scene *scene, uint64_t *keys)
{
    /* Hashes of the scene's meshes, as far as they are needed, and room for those of a frame's instances. */
    struct arena *scratch = arena_new(context);
    uint64_t *meshes = arena_allocate(scratch, scene->mesh_count, sizeof *meshes);
    uint64_t *instances = arena_allocate(scratch, scene->instance_count, sizeof *instances);
    bool *known = arena_allocate_zeroed(scratch, scene->mesh_count, sizeof *known);
    bool good = meshes && instances && known;
    for (uint32_t i = 0; good && i < scene->node_count; i++) {
        const cp_node *node = &scene->nodes[i];
        uint32_t count = 0;
        for (uint32_t k = node->first_instance; k < node->first_instance + node->instance_count; k++) {
            const cp_instance *instance = &scene->instances[k];
            uint32_t mesh = instance->mesh;
            if (!instance_collides(scene, instance))
                continue;
            if (!known[mesh])
                meshes[mesh] = hash_mesh(&scene->meshes[mesh]);
            known[mesh] = true;
            instances[count++] = add_numbers(meshes[mesh], instance->transform.m, 12);
        }
        keys[i] = 0;
        if (count == 0 || node->flags & CP_NODE_PLACEHOLDER)
            continue;
        sort_numbers(instances, count); /* a set: their order tells nothing */
        uint64_t hash = hash_content(instances, count * sizeof *instances);
        keys[i] = hash ? hash : 1;
    }
    arena_free(scratch);
    return good ? CP_OK : CP_LIMIT;
}

/* ---- what lies between ---- */

/* Adds a motion of the chain. numbers: the variables are numbered in the order in which they come, as two joints that
 * follow one joint differ from two independent ones; CP_NONE: not yet numbered; count: how many are. */
static uint64_t add_motion(uint64_t hash, const struct frame_chain *chain, const struct chain_motion *motion,
                           uint32_t *numbers, uint32_t *count)
{
    const cp_joint *joints = chain->scene->joints, *joint = &joints[motion->joint];
    if (numbers[motion->variable] == CP_NONE) {
        /* Hash the range that a proof covers; if it has none, the limits themselves. */
        const struct variable *variable = &chain->variables[motion->variable];
        const cp_joint *it = &joints[variable->joint];
        bool unlimited = it->type != CP_JOINT_REVOLUTE && !(isfinite(it->lower) && isfinite(it->upper));
        double lower = unlimited ? it->lower : variable->lower, upper = unlimited ? it->upper : variable->upper;
        hash = add_numbers(hash, (double[]){lower, upper}, 2);
        numbers[motion->variable] = (*count)++;
    }
    hash = add_numbers(hash, motion->before.m, 12);
    hash = add_numbers(hash, joint->axis, 3);
    hash = add_numbers(hash, (double[]){motion->scale, motion->offset}, 2);
    hash = add_whole(hash, (uint64_t)joint->type << 32 | numbers[motion->variable]);
    const cp_expression *expression = joint->expression;
    if (!expression)
        return hash;
    hash = add_bytes(hash, expression->text, strlen(expression->text));
    hash = add_numbers(hash, (double[]){expression->angle, joint->scale, joint->offset}, 3);
    for (uint32_t i = 0; i < expression->input_count; i++) {
        const cp_joint *input = &joints[expression->inputs[i]];
        hash = add_numbers(hash, (double[]){expression->factors[i], input->lower, input->upper}, 3);
    }
    return hash;
}

/* Hashes the chain as it is seen from one of its ends. */
static uint64_t hash_from(const struct frame_chain *chain, int first, const uint64_t geometry[2], uint32_t *numbers)
{
    uint32_t count = 0;
    uint64_t hash = add_whole((uint64_t)chain->moves << 1 | chain->movable, chain->branches[first].count);
    hash = add_whole(hash, (uint64_t)chain->obstacles << 1 | chain->is_loose); /* of what lies above both, too */
    hash = add_numbers(hash, (double[]){(double)(float)chain->unit}, 1); /* as floats: turns above both leave rounding
                                                                          * in them */
    for (uint32_t i = 0; i < chain->variable_count; i++)
        numbers[i] = CP_NONE;
    for (int side = 0; side < 2; side++) {
        const struct branch *branch = &chain->branches[side ? !first : first];
        hash = add_whole(hash, geometry[side ? !first : first]);
        for (uint32_t i = 0; i < branch->count; i++)
            hash = add_motion(hash, chain, &branch->motions[i], numbers, &count);
        hash = add_numbers(hash, branch->end.m, 12);
    }
    return hash;
}

uint64_t pair_key(const struct frame_chain *chain, const uint64_t geometry[2], uint32_t *numbers)
{
    uint64_t key = hash_from(chain, 0, geometry, numbers) + hash_from(chain, 1, geometry, numbers);
    return key ? key : 1;
}

cp_status pair_keys(cp_context *context, const cp_scene *scene, const cp_pair *pairs, uint32_t count, uint64_t *keys)
{
    struct frame_chain chain;
    struct arena *scratch = arena_new(context);
    bool *movables = arena_allocate(scratch, scene->node_count, sizeof *movables);
    bool open = chain_open(&chain, context, scene, movables) && movables;
    uint64_t *geometry = arena_allocate(scratch, scene->node_count, sizeof *geometry);
    uint32_t *numbers = arena_allocate(scratch, chain.most, sizeof *numbers);
    cp_status status = open && geometry && numbers ? geometry_keys(context, scene, geometry) : CP_LIMIT;
    if (status == CP_OK)
        find_movables(scene, movables);
    for (uint32_t i = 0; i < count && status == CP_OK; i++) {
        uint32_t first = pairs[i].first, second = pairs[i].second;
        keys[i] = 0;
        if (!geometry[first] || !geometry[second] || first == second)
            continue;
        chain_find(&chain, first, second);
        keys[i] = pair_key(&chain, (const uint64_t[]){geometry[first], geometry[second]}, numbers);
    }
    arena_free(scratch);
    chain_close(&chain);
    return status;
}

/* Adds two names to a key, the same in either order. */
static uint64_t add_names(uint64_t key, const char *one, const char *other)
{
    uint64_t first = hash_content(one, strlen(one)), second = hash_content(other, strlen(other));
    uint64_t words[3] = {key, first < second ? first : second, first < second ? second : first};
    return hash_content(words, sizeof words);
}

cp_status cell_key(cp_context *context, const cp_scene *scene, uint64_t *key, uint64_t *count)
{
    struct frame_chain chain;
    struct arena *scratch = arena_new(context);
    bool *movables = arena_allocate(scratch, scene->node_count, sizeof *movables);
    bool open = chain_open(&chain, context, scene, movables) && movables;
    uint64_t *geometry = arena_allocate(scratch, scene->node_count, sizeof *geometry);
    uint32_t *numbers = arena_allocate(scratch, chain.most, sizeof *numbers), found = 0, pairs = 0;
    uint32_t *frames = arena_allocate(scratch, scene->node_count, sizeof *frames);
    cp_status status = open && geometry && numbers && frames ? geometry_keys(context, scene, geometry) : CP_LIMIT;
    for (uint32_t i = 0; status == CP_OK && i < scene->node_count; i++)
        if (geometry[i])
            frames[found++] = i;
    *key = 0;
    *count = pairs_of(found);
    bool few = *count > 0 && *count <= context->limits.pairs && *count < UINT32_MAX;
    uint64_t *keys = few ? arena_allocate(scratch, (size_t)*count, sizeof *keys) : NULL;
    if (status == CP_OK && few && !keys)
        status = CP_LIMIT;
    if (status == CP_OK && few) {
        find_movables(scene, movables);
        for (uint32_t i = 0; i < found; i++)
            for (uint32_t k = i + 1; k < found; k++) {
                uint32_t one = frames[i], other = frames[k];
                chain_find(&chain, one, other);
                keys[pairs++] = add_names(pair_key(&chain, (const uint64_t[]){geometry[one], geometry[other]}, numbers),
                                          scene->nodes[one].name, scene->nodes[other].name);
            }
        sort_numbers(keys, pairs);
        *key = hash_content(keys, pairs * sizeof *keys);
    }
    arena_free(scratch);
    chain_close(&chain);
    return status;
}

uint64_t joint_rule_key(const cp_scene *scene, uint32_t joint)
{
    const cp_joint *it = &scene->joints[joint];
    const cp_expression *expression = it->expression;
    uint64_t hash = add_whole(0, it->driven);
    hash = add_numbers(hash, (double[]){it->scale, it->offset}, 2);
    if (it->master != CP_NONE)
        hash = add_bytes(hash, scene->joints[it->master].id, strlen(scene->joints[it->master].id));
    if (!expression)
        return hash;
    hash = add_bytes(hash, expression->text, strlen(expression->text));
    hash = add_numbers(hash, &expression->angle, 1);
    for (uint32_t i = 0; i < expression->input_count; i++) {
        const char *input = scene->joints[expression->inputs[i]].id;
        hash = add_numbers(add_bytes(hash, input, strlen(input)), &expression->factors[i], 1);
    }
    return hash;
}

/* ---- for users ---- */

cp_status cp_geometry_keys(cp_context *context, const cp_scene *scene, uint64_t *keys)
{
    return context_finish(context, geometry_keys(context, scene, keys));
}

cp_status cp_pair_keys(cp_context *context, const cp_scene *scene, const cp_pair *pairs, uint32_t count, uint64_t *keys)
{
    return context_finish(context, pair_keys(context, scene, pairs, count, keys));
}

uint64_t listed_cell_key(const cp_scene *scene)
{
    uint64_t key = 0;
    for (uint32_t i = 0; i < scene->metadata_count; i++)
        if (strcmp(scene->metadata[i].key, CELL_KEY) == 0)
            (void)text_is_hash(scene->metadata[i].value, &key);
    return key;
}
