/* One scene into another. */
#include <string.h>

#include "build.h"
#include "context.h"
#include "pose.h"

/* Where the items of the added scene begin. */
struct bases {
    uint32_t nodes; /* of node 1; node 0 is `root` */
    uint32_t root;
    uint32_t meshes, materials, joints, devices;
};

static uint32_t moved(uint32_t index, uint32_t base)
{
    return index == CP_NONE ? CP_NONE : index + base;
}

static uint32_t moved_node(const struct bases *bases, uint32_t node)
{
    return node == 0 ? bases->root : bases->nodes + node - 1;
}

static cp_status add_materials(cp_scene *scene, const cp_scene *other)
{
    for (uint32_t i = 0; i < other->material_count; i++) {
        const cp_material *material = &other->materials[i];
        uint32_t at = scene_add_material(scene, material->name, material->rgba, material->srgb);
        if (at == CP_NONE)
            return CP_LIMIT;
        scene->materials[at].two_sided = material->two_sided;
    }
    return CP_OK;
}

/* Meshes with their arrays, whose memory is adopted in the end. Ids are given anew. */
static cp_status add_meshes(cp_scene *scene, const cp_scene *other, uint32_t material_base)
{
    uint32_t *map = memory_allocate(scene->context, other->material_count, sizeof *map);
    if (!map)
        return CP_LIMIT;
    for (uint32_t i = 0; i < other->material_count; i++)
        map[i] = material_base + i;
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < other->mesh_count && status == CP_OK; i++) {
        cp_mesh mesh = other->meshes[i];
        mesh.id = NULL;
        if (material_base > 0 && mesh.group_count > 0)
            status = mesh_map_materials(scene, &mesh, map);
        if (status == CP_OK && scene_add_mesh(scene, &mesh) == CP_NONE)
            status = CP_LIMIT;
    }
    memory_free(scene->context, map, other->material_count, sizeof *map);
    return status;
}

static cp_status add_metadata(cp_scene *scene, const cp_scene *other, const struct bases *bases, bool geometry_only)
{
    for (uint32_t i = 0; i < other->metadata_count; i++) {
        const cp_metadata *from = &other->metadata[i];
        cp_owner owner = from->owner;
        uint32_t index = from->index;
        if (owner == CP_OWNER_MESH)
            index += bases->meshes;
        else if (owner == CP_OWNER_MATERIAL)
            index += bases->materials;
        else if (geometry_only)
            continue;
        else if (owner == CP_OWNER_JOINT)
            index += bases->joints;
        else
            index = moved_node(bases, index);
        owner = owner == CP_OWNER_SCENE ? CP_OWNER_NODE : owner; /* of the added scene: its root's now */
        if (!scene_add_metadata(scene, owner, index, from->key, from->type, from->value))
            return CP_LIMIT;
    }
    return CP_OK;
}

static void adopt(cp_scene *scene, cp_scene *other)
{
    arena_adopt(scene->arena, other->arena);
    other->arena = NULL;
    other->node_count = other->instance_count = other->mesh_count = other->material_count = other->joint_count = 0;
    other->device_count = other->pair_count = other->clip_count = other->metadata_count = 0;
}

/* The instances of `other` in its world's frame. */
static cp_status take_instances(cp_scene *scene, const cp_scene *other, uint32_t mesh_base, cp_instance **instances)
{
    cp_pose *worlds = memory_allocate(scene->context, other->node_count, sizeof *worlds);
    if (!worlds)
        return CP_LIMIT;
    cp_world_poses(other, NULL, worlds);
    *instances = scene_allocate(scene, other->instance_count, sizeof **instances);
    for (uint32_t i = 0; *instances && i < other->instance_count; i++) {
        const cp_instance *from = &other->instances[i];
        cp_pose pose = pose_multiply(&worlds[from->node], &from->transform);
        (*instances)[i] = (cp_instance){0, mesh_base + from->mesh, CP_USE_BOTH, pose};
    }
    memory_free(scene->context, worlds, other->node_count, sizeof *worlds);
    return *instances ? CP_OK : CP_LIMIT;
}

/* The nodes go; a mesh without a name takes that of the first one that shows it (AC3D names objects only). */
static void name_meshes(cp_scene *other)
{
    for (uint32_t i = 0; i < other->instance_count; i++) {
        const cp_instance *instance = &other->instances[i];
        cp_mesh *mesh = &other->meshes[instance->mesh];
        if (instance->node && !(mesh->name && *mesh->name))
            mesh->name = other->nodes[instance->node].name;
    }
}

cp_status scene_add_geometry(cp_scene *scene, cp_scene *other, cp_instance **instances, uint32_t *count)
{
    struct bases bases = {.meshes = scene->mesh_count, .materials = scene->material_count};
    *count = other->instance_count;
    if (other->joint_count + other->clip_count + other->pair_count > 0)
        report_loss(scene->context, "scene-geometry", IN_FILE(other->source.file), 1,
                    "the file is used as geometry alone; its joints, clips and pairs are left out");
    name_meshes(other);
    cp_status status = add_materials(scene, other);
    if (status == CP_OK)
        status = add_meshes(scene, other, bases.materials);
    if (status == CP_OK)
        status = take_instances(scene, other, bases.meshes, instances);
    if (status == CP_OK)
        status = add_metadata(scene, other, &bases, true);
    if (status == CP_OK)
        adopt(scene, other);
    return status;
}

/* ---- a whole scene below a new node ---- */

static cp_status add_nodes(cp_scene *scene, const cp_scene *other, const struct bases *bases)
{
    for (uint32_t i = 1; i < other->node_count; i++) {
        const cp_node *from = &other->nodes[i];
        uint32_t at = scene_add_node(scene, moved_node(bases, from->parent), from->name, strlen(from->name));
        if (at == CP_NONE)
            return CP_LIMIT;
        cp_node *node = &scene->nodes[at];
        node->raw_name = from->raw_name;
        node->scope = moved(from->scope, bases->devices);
        node->flags = from->flags;
        node->local = from->local;
    }
    return CP_OK;
}

/* The joint's expression, over the joints of the scene that it comes into. */
static bool move_expression(cp_scene *scene, cp_joint *joint, uint32_t base)
{
    if (!joint->expression)
        return true;
    uint32_t *inputs;
    joint->expression = scene_copy_expression(scene, joint->expression, &inputs);
    for (uint32_t i = 0; joint->expression && i < joint->expression->input_count; i++)
        inputs[i] += base;
    return joint->expression;
}

static cp_status add_joints(cp_scene *scene, const cp_scene *other, const struct bases *bases)
{
    for (uint32_t i = 0; i < other->joint_count; i++) {
        const cp_joint *from = &other->joints[i];
        uint32_t at = scene_add_joint(scene, moved_node(bases, from->node), from->type, from->name);
        if (at == CP_NONE)
            return CP_LIMIT;
        cp_joint joint = *from;
        joint.id = NULL;
        joint.node = scene->joints[at].node;
        joint.master = moved(from->master, bases->joints);
        if (!move_expression(scene, &joint, bases->joints))
            return CP_LIMIT;
        scene->joints[at] = joint;
    }
    return CP_OK;
}

static cp_status add_instances(cp_scene *scene, const cp_scene *other, const struct bases *bases)
{
    for (uint32_t i = 0; i < other->instance_count; i++) {
        const cp_instance *from = &other->instances[i];
        if (scene_add_instance(scene, moved_node(bases, from->node), bases->meshes + from->mesh, from->use,
                               &from->transform) == CP_NONE)
            return CP_LIMIT;
    }
    return CP_OK;
}

static cp_status add_devices(cp_scene *scene, const cp_scene *other, const struct bases *bases)
{
    for (uint32_t i = 0; i < other->device_count; i++) {
        const cp_device *from = &other->devices[i];
        uint32_t at = scene_add_device(scene, from->name, moved_node(bases, from->base));
        uint32_t *ends = scene_allocate(scene, from->end_count, sizeof *ends);
        uint32_t *joints = scene_allocate(scene, from->joint_count, sizeof *joints);
        if (at == CP_NONE || !ends || !joints)
            return CP_LIMIT;
        for (uint32_t k = 0; k < from->end_count; k++)
            ends[k] = moved_node(bases, from->ends[k]);
        for (uint32_t k = 0; k < from->joint_count; k++)
            joints[k] = from->joints[k] + bases->joints;
        cp_device device = *from;
        device.id = NULL;
        device.base = scene->devices[at].base;
        device.scope = moved(from->scope, bases->devices);
        device.ends = ends;
        device.joints = joints;
        scene->devices[at] = device;
    }
    return CP_OK;
}

static cp_status add_clips(cp_scene *scene, const cp_scene *other, const struct bases *bases)
{
    for (uint32_t i = 0; i < other->clip_count; i++) {
        const cp_clip *from = &other->clips[i];
        cp_track *tracks = arena_copy(scene->arena, from->tracks, from->track_count, sizeof *tracks);
        cp_attachment *attachments =
            arena_copy(scene->arena, from->attachments, from->attachment_count, sizeof *attachments);
        uint32_t clip = tracks && attachments ? scene_add_clip(scene, from->name, from->track_count, tracks) : CP_NONE;
        if (clip == CP_NONE)
            return CP_LIMIT;
        for (uint32_t k = 0; k < from->track_count; k++)
            tracks[k].target = tracks[k].path == CP_PATH_JOINT ? tracks[k].target + bases->joints
                                                               : moved_node(bases, tracks[k].target);
        for (uint32_t k = 0; k < from->attachment_count; k++) {
            attachments[k].node = moved_node(bases, attachments[k].node);
            attachments[k].host = moved_node(bases, attachments[k].host);
        }
        scene->clips[clip].attachment_count = from->attachment_count;
        scene->clips[clip].attachments = attachments;
    }
    return CP_OK;
}

/* The pair's finding, over the joints of the scene that it comes into. */
static bool move_finding(cp_scene *scene, cp_pair *pair, const cp_finding *finding, uint32_t base)
{
    cp_joint_setting *witness;
    if (!finding)
        return true;
    pair->finding = scene_copy_finding(scene, finding, &witness);
    for (uint32_t i = 0; pair->finding && i < finding->witness_count; i++)
        witness[i].joint += base;
    return pair->finding;
}

static cp_status add_pairs(cp_scene *scene, const cp_scene *other, const struct bases *bases)
{
    for (uint32_t i = 0; i < other->pair_count; i++) {
        const cp_pair *from = &other->pairs[i];
        uint32_t at =
            scene_add_pair(scene, moved_node(bases, from->first), moved_node(bases, from->second), from->reason);
        if (at == CP_NONE || !move_finding(scene, &scene->pairs[at], from->finding, bases->joints))
            return CP_LIMIT;
        scene->pairs[at].verdict = from->verdict;
        scene->pairs[at].evidence = from->evidence;
    }
    if (scene->exclude_static_pairs != other->exclude_static_pairs)
        report_note(scene->context, "merge-static", NOWHERE,
                    "only one of the two leaves out pairs that cannot move against each other; now it holds for both");
    scene->exclude_static_pairs = scene->exclude_static_pairs || other->exclude_static_pairs;
    return CP_OK;
}

/* Appends everything; stops at the first failure, the scene being thrown away then. */
static cp_status add_all(cp_scene *scene, const cp_scene *other, const struct bases *bases)
{
    cp_status status = add_nodes(scene, other, bases);
    if (status == CP_OK)
        status = add_materials(scene, other);
    if (status == CP_OK)
        status = add_meshes(scene, other, bases->materials);
    if (status == CP_OK)
        status = add_joints(scene, other, bases);
    if (status == CP_OK)
        status = add_instances(scene, other, bases);
    if (status == CP_OK)
        status = add_devices(scene, other, bases);
    if (status == CP_OK)
        status = add_clips(scene, other, bases);
    if (status == CP_OK)
        status = add_pairs(scene, other, bases);
    if (status == CP_OK)
        status = add_metadata(scene, other, bases, false);
    return status == CP_OK ? scene_add_inputs(scene, other->inputs, other->input_count) : status;
}

static cp_status merge_into(cp_scene *work, cp_scene *other, const char *name)
{
    uint32_t root = scene_add_node(work, 0, name, strlen(name));
    struct bases bases = {.root = root,
                          .nodes = work->node_count,
                          .meshes = work->mesh_count,
                          .materials = work->material_count,
                          .joints = work->joint_count,
                          .devices = work->device_count};
    cp_status status = root == CP_NONE ? CP_LIMIT : add_all(work, other, &bases);
    return status == CP_OK ? scene_finish(work) : status;
}

static cp_status merge(cp_scene *scene, cp_scene *other, const char *name)
{
    cp_scene *work = scene_copy(scene);
    cp_status status = work ? merge_into(work, other, name) : CP_LIMIT;
    if (status == CP_OK) {
        adopt(work, other);
        scene_replace(scene, work);
    } else {
        cp_scene_free(work);
    }
    return status;
}

cp_status cp_merge(cp_context *context, cp_scene *scene, cp_scene *other, const char *name)
{
    bool good = scene != other && scene->context == context && other->context == context;
    return context_finish(context, good ? merge(scene, other, name)
                                        : report_error(context, CP_USAGE, "merge-scenes", NOWHERE,
                                                       "two scenes of one context are needed"));
}
