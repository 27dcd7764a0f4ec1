/* Names, colours, meshes that are only drawn, values of joints, and what is not between two frames leave their key
 * alone. Numbers are hashed as they are in memory, on a little-endian machine. */
#include "key.h"

#include <math.h>

#include "../../context.h"
#include "../../numbers.h"
#include "../body/body.h"

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

/* -0 is 0. */
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

/* Triangles are the same with and without a table of where they begin. */
static uint64_t hash_faces(const cp_mesh *mesh)
{
    uint64_t hash = hash_content(mesh->positions, mesh->vertex_count * (size_t)3 * sizeof(float));
    hash = add_bytes(hash, mesh->corners, mesh->corner_count * sizeof *mesh->corners);
    bool triangles = true;
    for (uint32_t i = 0; i < mesh->face_count && triangles; i++)
        triangles = mesh_face_size(mesh, i) == 3;
    if (!triangles)
        hash = add_bytes(hash, mesh->face_offsets, (mesh->face_count + (size_t)1) * sizeof *mesh->face_offsets);
    return hash;
}

/* A plane has no bounds here. */
static uint64_t hash_mesh(const cp_mesh *mesh)
{
    uint64_t hash = add_whole(0, mesh->kind);
    if (mesh->kind == CP_MESH_PLANE)
        return hash;
    if (mesh->kind >= CP_MESH_BOX)
        return add_whole(add_numbers(hash, mesh->size, 3), mesh->sides);
    return add_whole(hash, hash_faces(mesh));
}

/* The hash of a set that is not empty; it is sorted. */
static uint64_t hash_set(uint64_t *hashes, uint32_t count)
{
    sort_numbers(hashes, count);
    uint64_t hash = hash_content(hashes, count * sizeof *hashes);
    return hash ? hash : 1;
}

/* Hashes of the scene's meshes, as far as they are needed, and room for those of a frame's instances. */
struct hashing {
    const cp_scene *scene;
    uint64_t *meshes, *instances;
    bool *known;
};

static uint64_t hash_instance(struct hashing *hashing, const cp_instance *instance)
{
    uint32_t mesh = instance->mesh;
    if (!hashing->known[mesh])
        hashing->meshes[mesh] = hash_mesh(&hashing->scene->meshes[mesh]);
    hashing->known[mesh] = true;
    return add_numbers(hashing->meshes[mesh], instance->transform.m, 12);
}

static uint64_t hash_frame(struct hashing *hashing, const cp_node *node)
{
    uint32_t count = 0;
    for (uint32_t i = node->first_instance; i < node->first_instance + node->instance_count; i++) {
        const cp_instance *instance = &hashing->scene->instances[i];
        if (instance_collides(hashing->scene, instance))
            hashing->instances[count++] = hash_instance(hashing, instance);
    }
    return count > 0 && !(node->flags & CP_NODE_PLACEHOLDER) ? hash_set(hashing->instances, count) : 0;
}

cp_status geometry_keys(cp_context *context, const cp_scene *scene, uint64_t *keys)
{
    struct hashing hashing = {
        .scene = scene,
        .meshes = memory_allocate(context, scene->mesh_count, sizeof *hashing.meshes),
        .instances = memory_allocate(context, scene->instance_count, sizeof *hashing.instances),
        .known = memory_allocate_zeroed(context, scene->mesh_count, sizeof *hashing.known),
    };
    bool good = hashing.meshes && hashing.instances && hashing.known;
    for (uint32_t i = 0; good && i < scene->node_count; i++)
        keys[i] = hash_frame(&hashing, &scene->nodes[i]);
    memory_free(context, hashing.meshes, scene->mesh_count, sizeof *hashing.meshes);
    memory_free(context, hashing.instances, scene->instance_count, sizeof *hashing.instances);
    memory_free(context, hashing.known, scene->mesh_count, sizeof *hashing.known);
    return good ? CP_OK : CP_LIMIT;
}

/* ---- what lies between ---- */

/* The range that a proof looks at; the limits as they are where it has none. */
static uint64_t add_range(uint64_t hash, const struct chain *chain, const struct variable *variable)
{
    const cp_joint *joint = &chain->scene->joints[variable->joint];
    bool unlimited = joint->type != CP_JOINT_REVOLUTE && !(isfinite(joint->lower) && isfinite(joint->upper));
    double lower = unlimited ? joint->lower : variable->lower, upper = unlimited ? joint->upper : variable->upper;
    return add_numbers(hash, (double[]){lower, upper}, 2);
}

static uint64_t add_expression(uint64_t hash, const struct chain *chain, const cp_joint *joint)
{
    const cp_expression *expression = joint->expression;
    hash = add_bytes(hash, expression->text, strlen(expression->text));
    hash = add_numbers(hash, (double[]){expression->angle, joint->scale, joint->offset}, 3);
    for (uint32_t i = 0; i < expression->input_count; i++) {
        const cp_joint *input = &chain->scene->joints[expression->inputs[i]];
        hash = add_numbers(hash, (double[]){expression->factors[i], input->lower, input->upper}, 3);
    }
    return hash;
}

/* Variables by when they come first: two joints that follow one are another thing than two of their own. */
struct numbering {
    uint32_t *numbers, count;
};

static uint64_t add_motion(uint64_t hash, const struct chain *chain, const struct motion *motion,
                           struct numbering *numbering)
{
    const cp_joint *joint = &chain->scene->joints[motion->joint];
    const struct variable *variable = &chain->variables[motion->variable];
    uint32_t *number = &numbering->numbers[motion->variable];
    if (*number == CP_NONE) {
        *number = numbering->count++;
        hash = add_range(hash, chain, variable);
    }
    hash = add_numbers(hash, motion->before.m, 12);
    hash = add_numbers(hash, joint->axis, 3);
    hash = add_numbers(hash, (double[]){motion->scale, motion->offset}, 2);
    hash = add_whole(hash, (uint64_t)joint->type << 32 | *number);
    return joint->expression ? add_expression(hash, chain, joint) : hash;
}

/* The chain as it is seen from one of its ends. */
static uint64_t hash_from(const struct chain *chain, int first, const uint64_t geometry[2], uint32_t *numbers)
{
    struct numbering numbering = {numbers, 0};
    uint64_t hash = add_whole((uint64_t)chain->moves << 1 | chain->movable, chain->branches[first].count);
    hash = add_whole(hash, (uint64_t)chain->obstacles << 1 | chain->is_loose); /* of what lies above both, too */
    hash = add_numbers(hash, (double[]){(double)(float)chain->unit}, 1); /* turns above both leave rounding in it */
    for (uint32_t i = 0; i < chain->variable_count; i++)
        numbers[i] = CP_NONE;
    for (int side = 0; side < 2; side++) {
        const struct branch *branch = &chain->branches[side ? !first : first];
        hash = add_whole(hash, geometry[side ? !first : first]);
        for (uint32_t i = 0; i < branch->count; i++)
            hash = add_motion(hash, chain, &branch->motions[i], &numbering);
        hash = add_numbers(hash, branch->end.m, 12);
    }
    return hash;
}

uint64_t pair_key(const struct chain *chain, const uint64_t geometry[2], uint32_t *numbers)
{
    uint64_t key = hash_from(chain, 0, geometry, numbers) + hash_from(chain, 1, geometry, numbers);
    return key ? key : 1;
}

/* 0 where one of the frames has no geometry. */
static uint64_t key_of(struct chain *chain, const cp_pair *pair, const uint64_t *geometry, uint32_t *numbers)
{
    uint64_t both[2] = {geometry[pair->first], geometry[pair->second]};
    if (!both[0] || !both[1] || pair->first == pair->second)
        return 0;
    chain_find(chain, pair->first, pair->second);
    return pair_key(chain, both, numbers);
}

cp_status pair_keys(cp_context *context, const cp_scene *scene, const cp_pair *pairs, uint32_t count, uint64_t *keys)
{
    struct chain chain;
    bool *movables = memory_allocate(context, scene->node_count, sizeof *movables);
    bool open = chain_open(&chain, context, scene, movables) && movables;
    uint64_t *geometry = memory_allocate(context, scene->node_count, sizeof *geometry);
    uint32_t *numbers = memory_allocate(context, chain.most, sizeof *numbers);
    cp_status status = open && geometry && numbers ? geometry_keys(context, scene, geometry) : CP_LIMIT;
    if (status == CP_OK)
        find_movables(scene, movables);
    for (uint32_t i = 0; i < count && status == CP_OK; i++)
        keys[i] = key_of(&chain, &pairs[i], geometry, numbers);
    memory_free(context, movables, scene->node_count, sizeof *movables);
    memory_free(context, geometry, scene->node_count, sizeof *geometry);
    memory_free(context, numbers, chain.most, sizeof *numbers);
    chain_close(&chain, context);
    return status;
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
