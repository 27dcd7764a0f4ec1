/* Copies of scenes, and scenes with parts left out. */
#include <string.h>

#include "build.h"
#include "motion/motion.h"
#include "pose.h"

/* ---- copies ---- */

static bool copy_table(cp_context *context, void **table, uint32_t *room, const void *from, uint32_t count, size_t size)
{
    *table = NULL;
    *room = 0;
    if (!array_reserve(context, table, room, count, size))
        return false;
    if (count > 0)
        memcpy(*table, from, count * size);
    return true;
}

/* Replaces the table pointer of `copy`, which still is the original's, by a copy of the table. */
#define COPY(table, count, room)                                                                                       \
    do {                                                                                                               \
        void *items;                                                                                                   \
        good =                                                                                                         \
            copy_table(scene->context, &items, &copy->room, scene->table, scene->count, sizeof *scene->table) && good; \
        copy->table = items;                                                                                           \
    } while (0)

cp_scene *scene_copy(const cp_scene *scene)
{
    cp_scene *copy = memory_allocate(scene->context, 1, sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *scene;
    copy->arena = arena_new(scene->context);
    bool good = copy->arena;
    COPY(nodes, node_count, node_room);
    COPY(instances, instance_count, instance_room);
    COPY(meshes, mesh_count, mesh_room);
    COPY(materials, material_count, material_room);
    COPY(joints, joint_count, joint_room);
    COPY(devices, device_count, device_room);
    COPY(pairs, pair_count, pair_room);
    COPY(clips, clip_count, clip_room);
    COPY(metadata, metadata_count, metadata_room);
    if (good)
        return copy;
    cp_scene_free(copy);
    return NULL;
}

void scene_replace(cp_scene *scene, cp_scene *copy)
{
    cp_scene old = *scene;
    *scene = *copy;
    *copy = old;
    arena_adopt(scene->arena, copy->arena);
    copy->arena = NULL;
    cp_scene_free(copy);
}

/* ---- leaving out ---- */

/* New index of each old one, CP_NONE where it goes. */
struct maps {
    cp_scene *scene;
    uint32_t *nodes, *joints, *devices;
    uint32_t node_count; /* before */
    bool *moved;         /* whose pose is told in another frame than before; by the old index */
};

static uint32_t map_index(const uint32_t *map, uint32_t index)
{
    return index == CP_NONE ? CP_NONE : map[index];
}

/* A kept node below lost ones takes their current poses over. above[i]: from the nearest kept frame to lost node i. */
static cp_status keep_nodes(struct maps *maps, const bool *keep)
{
    cp_scene *scene = maps->scene;
    cp_pose *above = memory_allocate(scene->context, scene->node_count, sizeof *above);
    uint32_t *nearest = memory_allocate(scene->context, scene->node_count, sizeof *nearest);
    bool good = above && nearest;
    uint32_t kept = 0;
    for (uint32_t i = 0; good && i < scene->node_count; i++) {
        cp_node *node = &scene->nodes[i];
        bool stays = i == 0 || keep[i];
        bool lost_parent = i > 0 && maps->nodes[node->parent] == CP_NONE;
        if (!stays) {
            cp_pose pose = node_pose(scene, i, NULL);
            above[i] = lost_parent ? pose_multiply(&above[node->parent], &pose) : pose;
            nearest[i] = lost_parent ? nearest[node->parent] : maps->nodes[node->parent];
            maps->nodes[i] = CP_NONE;
            continue;
        }
        if (lost_parent)
            node->local = pose_multiply(&above[node->parent], &node->local);
        maps->moved[i] = lost_parent && !pose_is_identity(&above[node->parent]);
        if (i > 0)
            node->parent = lost_parent ? nearest[node->parent] : maps->nodes[node->parent];
        maps->nodes[i] = kept++;
    }
    memory_free(scene->context, above, scene->node_count, sizeof *above);
    memory_free(scene->context, nearest, scene->node_count, sizeof *nearest);
    return good ? CP_OK : CP_LIMIT;
}

/* A dependent joint stays where it is when a joint goes that it depends on. */
static void free_joint(cp_scene *scene, uint32_t index)
{
    cp_joint *joint = &scene->joints[index];
    if (joint->master != CP_NONE)
        joint->home = joint->scale * scene->joints[joint->master].home + joint->offset;
    joint->q = cp_joint_value(scene, index, NULL);
    joint->master = CP_NONE;
    joint->expression = NULL;
    joint->scale = 1;
    joint->offset = 0;
    report_loss(scene->context, "scene-master", NOWHERE, 1, "joints no longer follow a joint that was left out");
}

static bool loses_joint(const struct maps *maps, const cp_joint *joint)
{
    if (joint->master != CP_NONE && maps->joints[joint->master] == CP_NONE)
        return true;
    for (uint32_t i = 0; joint->expression && i < joint->expression->input_count; i++)
        if (maps->joints[joint->expression->inputs[i]] == CP_NONE)
            return true;
    return false;
}

static bool map_expression(const struct maps *maps, cp_joint *joint)
{
    if (!joint->expression)
        return true;
    uint32_t *inputs;
    joint->expression = scene_copy_expression(maps->scene, joint->expression, &inputs);
    for (uint32_t i = 0; joint->expression && i < joint->expression->input_count; i++)
        inputs[i] = maps->joints[inputs[i]];
    return joint->expression;
}

static cp_status keep_joints(struct maps *maps)
{
    cp_scene *scene = maps->scene;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < scene->joint_count; i++)
        maps->joints[i] = maps->nodes[scene->joints[i].node] == CP_NONE ? CP_NONE : kept++;
    for (uint32_t i = 0; i < scene->joint_count; i++)
        if (maps->joints[i] != CP_NONE && loses_joint(maps, &scene->joints[i]))
            free_joint(scene, i);
    for (uint32_t i = 0; i < scene->joint_count; i++) {
        uint32_t at = maps->joints[i];
        if (at == CP_NONE)
            continue;
        cp_joint joint = scene->joints[i];
        joint.node = maps->nodes[joint.node];
        joint.master = map_index(maps->joints, joint.master);
        if (!map_expression(maps, &joint))
            return CP_LIMIT;
        scene->joints[at] = joint;
    }
    scene->joint_count = kept;
    return CP_OK;
}

static void keep_instances(struct maps *maps)
{
    cp_scene *scene = maps->scene;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        cp_instance instance = scene->instances[i];
        instance.node = maps->nodes[instance.node];
        if (instance.node != CP_NONE)
            scene->instances[kept++] = instance;
    }
    scene->instance_count = kept;
}

static const uint32_t *map_list(cp_scene *scene, const uint32_t *map, const uint32_t *list, uint32_t count)
{
    uint32_t *mapped = scene_allocate(scene, count, sizeof *mapped);
    for (uint32_t i = 0; mapped && i < count; i++)
        mapped[i] = map[list[i]];
    return mapped;
}

static bool all_stay(const uint32_t *map, const uint32_t *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (map[list[i]] == CP_NONE)
            return false;
    return true;
}

/* A device stays when all that it is made of does. */
static cp_status keep_devices(struct maps *maps)
{
    cp_scene *scene = maps->scene;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < scene->device_count; i++) {
        const cp_device *device = &scene->devices[i];
        bool base = maps->nodes[device->base] != CP_NONE;
        bool whole = base && all_stay(maps->nodes, device->ends, device->end_count) &&
                     all_stay(maps->joints, device->joints, device->joint_count);
        if (!whole && base)
            report_loss(scene->context, "scene-device", NOWHERE, 1, "devices of which only a part stays are left out");
        maps->devices[i] = whole ? kept++ : CP_NONE;
    }
    for (uint32_t i = 0; i < scene->device_count; i++) {
        if (maps->devices[i] == CP_NONE)
            continue;
        cp_device device = scene->devices[i];
        device.base = maps->nodes[device.base];
        device.scope = map_index(maps->devices, device.scope);
        device.ends = map_list(scene, maps->nodes, device.ends, device.end_count);
        device.joints = map_list(scene, maps->joints, device.joints, device.joint_count);
        if (!device.ends || !device.joints)
            return CP_LIMIT;
        scene->devices[maps->devices[i]] = device;
    }
    scene->device_count = kept;
    return CP_OK;
}

static bool all_witnesses_stay(const cp_finding *finding, const uint32_t *joints)
{
    bool stay = joints;
    for (uint32_t i = 0; i < finding->witness_count && stay; i++)
        stay = joints[finding->witness[i].joint] != CP_NONE;
    return stay;
}

cp_status scene_map_witnesses(cp_scene *scene, const uint32_t *joints)
{
    for (uint32_t i = 0; i < scene->pair_count; i++) {
        cp_pair *pair = &scene->pairs[i];
        cp_joint_setting *witness;
        if (!pair->finding || pair->finding->witness_count == 0)
            continue;
        bool stays = all_witnesses_stay(pair->finding, joints);
        cp_finding *finding = scene_copy_finding(scene, pair->finding, &witness);
        if (!finding)
            return CP_LIMIT;
        if (!stays)
            finding->witness_count = 0;
        for (uint32_t k = 0; k < finding->witness_count; k++)
            witness[k].joint = joints[witness[k].joint];
        pair->finding = finding;
    }
    return CP_OK;
}

static cp_status keep_pairs(struct maps *maps)
{
    cp_scene *scene = maps->scene;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < scene->pair_count; i++) {
        cp_pair pair = scene->pairs[i];
        pair.first = maps->nodes[pair.first];
        pair.second = maps->nodes[pair.second];
        if (pair.first != CP_NONE && pair.second != CP_NONE)
            scene->pairs[kept++] = pair;
    }
    scene->pair_count = kept;
    return scene_map_witnesses(scene, maps->joints);
}

/* A node that a clip hangs on one that goes stands still: its motion was told from there; so does one that has tracks and another
 * parent now. */
static uint64_t find_orphans(const struct maps *maps, const cp_clip *clip, bool *orphans)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const cp_track *track = &clip->tracks[i];
        bool orphan = track->path != CP_PATH_JOINT && maps->moved[track->target];
        count += orphan && !orphans[track->target];
        if (orphan)
            orphans[track->target] = true;
    }
    for (uint32_t i = 0; i < clip->attachment_count; i++) {
        const cp_attachment *attachment = &clip->attachments[i];
        bool orphan = maps->nodes[attachment->node] != CP_NONE && maps->nodes[attachment->host] == CP_NONE;
        count += orphan && !orphans[attachment->node];
        orphans[attachment->node] = orphans[attachment->node] || orphan;
    }
    return count;
}

/* Without the orphans' attachments nodes may hang on each other that did not: then all stand still. */
static bool is_tree(const struct maps *maps, const cp_clip *clip, const bool *orphans, uint32_t *parents)
{
    for (uint32_t i = 0; i < maps->node_count; i++)
        if (maps->nodes[i] != CP_NONE)
            parents[maps->nodes[i]] = maps->scene->nodes[i].parent;
    for (uint32_t i = 0; i < clip->attachment_count; i++) {
        const cp_attachment *attachment = &clip->attachments[i];
        uint32_t node = maps->nodes[attachment->node];
        if (node != CP_NONE && !orphans[attachment->node] &&
            !attach_node(maps->scene->context, parents, node, maps->nodes[attachment->host]))
            return false;
    }
    return true;
}

static uint64_t let_all_go(const struct maps *maps, const cp_clip *clip, bool *orphans)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < clip->attachment_count; i++) {
        uint32_t node = clip->attachments[i].node;
        count += maps->nodes[node] != CP_NONE && !orphans[node];
        orphans[node] = true;
    }
    return count;
}

static cp_status keep_clip(struct maps *maps, cp_clip *clip, const bool *orphans)
{
    cp_track *tracks = scene_allocate(maps->scene, clip->track_count, sizeof *tracks);
    cp_attachment *attachments = scene_allocate(maps->scene, clip->attachment_count, sizeof *attachments);
    uint32_t track_count = 0, attachment_count = 0;
    if (!tracks || !attachments)
        return CP_LIMIT;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        cp_track track = clip->tracks[i];
        bool on_joint = track.path == CP_PATH_JOINT, orphan = !on_joint && orphans[track.target];
        track.target = (on_joint ? maps->joints : maps->nodes)[track.target];
        if (track.target != CP_NONE && !orphan)
            tracks[track_count++] = track;
    }
    for (uint32_t i = 0; i < clip->attachment_count; i++) {
        cp_attachment attachment = clip->attachments[i];
        if (maps->nodes[attachment.node] == CP_NONE || orphans[attachment.node])
            continue;
        attachment.node = maps->nodes[attachment.node];
        attachment.host = maps->nodes[attachment.host];
        attachments[attachment_count++] = attachment;
    }
    *clip = (cp_clip){clip->name, track_count, tracks, attachment_count, attachments};
    return CP_OK;
}

static void forget_orphans(const cp_clip *clip, bool *orphans)
{
    for (uint32_t i = 0; i < clip->track_count; i++)
        if (clip->tracks[i].path != CP_PATH_JOINT)
            orphans[clip->tracks[i].target] = false;
    for (uint32_t i = 0; i < clip->attachment_count; i++)
        orphans[clip->attachments[i].node] = false;
}

static cp_status keep_clips(struct maps *maps)
{
    cp_scene *scene = maps->scene;
    uint32_t kept = 0;
    uint64_t lost = 0;
    bool *orphans = memory_allocate_zeroed(scene->context, maps->node_count, sizeof *orphans);
    uint32_t *parents = memory_allocate(scene->context, maps->node_count, sizeof *parents);
    cp_status status = orphans && parents ? CP_OK : CP_LIMIT;
    for (uint32_t i = 0; i < scene->clip_count && status == CP_OK; i++) {
        cp_clip clip = scene->clips[i];
        uint64_t alone = find_orphans(maps, &clip, orphans);
        lost += alone;
        if (alone > 0 && !is_tree(maps, &clip, orphans, parents))
            lost += let_all_go(maps, &clip, orphans);
        status = keep_clip(maps, &clip, orphans);
        forget_orphans(&scene->clips[i], orphans);
        if (clip.track_count + clip.attachment_count > 0)
            scene->clips[kept++] = clip;
    }
    memory_free(scene->context, orphans, maps->node_count, sizeof *orphans);
    memory_free(scene->context, parents, maps->node_count, sizeof *parents);
    if (lost > 0)
        report_loss(scene->context, "scene-attachment", NOWHERE, lost,
                    "the motion of a frame that a clip tells from one that goes");
    if (status != CP_OK)
        return status;
    scene->clip_count = kept;
    return CP_OK;
}

static void keep_metadata(struct maps *maps)
{
    cp_scene *scene = maps->scene;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < scene->metadata_count; i++) {
        cp_metadata metadata = scene->metadata[i];
        if (metadata.owner == CP_OWNER_NODE)
            metadata.index = maps->nodes[metadata.index];
        if (metadata.owner == CP_OWNER_JOINT)
            metadata.index = maps->joints[metadata.index];
        if (metadata.index != CP_NONE)
            scene->metadata[kept++] = metadata;
    }
    scene->metadata_count = kept;
}

/* The node table itself, last: the others needed the old one. */
static void move_nodes(struct maps *maps)
{
    cp_scene *scene = maps->scene;
    uint32_t kept = 0, instances = 0, joints = 0;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        if (maps->nodes[i] == CP_NONE)
            continue;
        cp_node node = scene->nodes[i];
        node.scope = map_index(maps->devices, node.scope);
        node.first_instance = instances;
        node.first_joint = joints;
        instances += node.instance_count;
        joints += node.joint_count;
        scene->nodes[kept++] = node;
    }
    scene->node_count = kept;
}

cp_status scene_keep(cp_scene *scene, const bool *keep)
{
    cp_context *context = scene->context;
    uint32_t nodes = scene->node_count, joints = scene->joint_count, devices = scene->device_count;
    struct maps maps = {.scene = scene,
                        .node_count = nodes,
                        .nodes = memory_allocate(context, nodes, sizeof(uint32_t)),
                        .joints = memory_allocate(context, joints, sizeof(uint32_t)),
                        .devices = memory_allocate(context, devices, sizeof(uint32_t)),
                        .moved = memory_allocate_zeroed(context, nodes, sizeof(bool))};
    cp_status status = maps.nodes && maps.joints && maps.devices && maps.moved ? keep_nodes(&maps, keep) : CP_LIMIT;
    if (status == CP_OK)
        status = keep_joints(&maps);
    if (status == CP_OK) {
        keep_instances(&maps);
        keep_metadata(&maps);
        status = keep_pairs(&maps);
    }
    if (status == CP_OK)
        status = keep_devices(&maps);
    if (status == CP_OK)
        status = keep_clips(&maps);
    if (status == CP_OK)
        move_nodes(&maps);
    memory_free(context, maps.nodes, nodes, sizeof(uint32_t));
    memory_free(context, maps.joints, joints, sizeof(uint32_t));
    memory_free(context, maps.devices, devices, sizeof(uint32_t));
    memory_free(context, maps.moved, nodes, sizeof(bool));
    return status == CP_OK ? scene_drop_unused(scene) : status;
}

/* ---- what nothing uses ---- */

/* Turns marks (CP_NONE = unused) into new indices; returns how many are used. */
static uint32_t number_marks(uint32_t *marks, uint32_t count)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; i++)
        if (marks[i] != CP_NONE)
            marks[i] = used++;
    return used;
}

static void drop_meshes(cp_scene *scene, uint32_t *marks)
{
    uint32_t used = number_marks(marks, scene->mesh_count);
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        if (marks[i] != CP_NONE)
            scene->meshes[marks[i]] = scene->meshes[i];
    scene->mesh_count = used;
    for (uint32_t i = 0; i < scene->instance_count; i++)
        scene->instances[i].mesh = marks[scene->instances[i].mesh];
}

cp_status mesh_map_materials(cp_scene *scene, cp_mesh *mesh, const uint32_t *map)
{
    cp_group *groups = arena_copy(scene->arena, mesh->groups, mesh->group_count, sizeof *groups);
    if (!groups)
        return CP_LIMIT;
    for (uint32_t i = 0; i < mesh->group_count; i++)
        groups[i].material = map_index(map, groups[i].material);
    mesh->groups = groups;
    return CP_OK;
}

static cp_status drop_materials(cp_scene *scene, uint32_t *marks)
{
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        for (uint32_t k = 0; k < scene->meshes[i].group_count; k++)
            if (scene->meshes[i].groups[k].material != CP_NONE)
                marks[scene->meshes[i].groups[k].material] = 0;
    uint32_t used = number_marks(marks, scene->material_count);
    if (used == scene->material_count)
        return CP_OK;
    for (uint32_t i = 0; i < scene->material_count; i++)
        if (marks[i] != CP_NONE)
            scene->materials[marks[i]] = scene->materials[i];
    scene->material_count = used;
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < scene->mesh_count && status == CP_OK; i++)
        status = mesh_map_materials(scene, &scene->meshes[i], marks);
    return status;
}

static void drop_metadata(cp_scene *scene, cp_owner owner, const uint32_t *marks)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < scene->metadata_count; i++) {
        cp_metadata metadata = scene->metadata[i];
        if (metadata.owner == owner)
            metadata.index = marks[metadata.index];
        if (metadata.index != CP_NONE)
            scene->metadata[kept++] = metadata;
    }
    scene->metadata_count = kept;
}

cp_status scene_drop_unused(cp_scene *scene)
{
    cp_context *context = scene->context;
    uint32_t meshes = scene->mesh_count, materials = scene->material_count;
    uint32_t *mesh_marks = memory_allocate(context, meshes, sizeof *mesh_marks);
    uint32_t *material_marks = memory_allocate(context, materials, sizeof *material_marks);
    cp_status status = mesh_marks && material_marks ? CP_OK : CP_LIMIT;
    if (status == CP_OK) {
        memset(mesh_marks, 0xff, meshes * sizeof *mesh_marks);
        memset(material_marks, 0xff, materials * sizeof *material_marks);
        for (uint32_t i = 0; i < scene->instance_count; i++)
            mesh_marks[scene->instances[i].mesh] = 0;
        drop_meshes(scene, mesh_marks);
        drop_metadata(scene, CP_OWNER_MESH, mesh_marks);
        status = drop_materials(scene, material_marks);
        drop_metadata(scene, CP_OWNER_MATERIAL, material_marks);
    }
    memory_free(context, mesh_marks, meshes, sizeof *mesh_marks);
    memory_free(context, material_marks, materials, sizeof *material_marks);
    return status;
}

cp_status scene_drop_meshes(cp_scene *scene, const bool *gone)
{
    uint32_t meshes = scene->mesh_count;
    uint32_t *marks = memory_allocate(scene->context, meshes, sizeof *marks);
    if (!marks)
        return CP_LIMIT;
    for (uint32_t i = 0; i < meshes; i++)
        marks[i] = gone[i] ? CP_NONE : 0;
    drop_meshes(scene, marks);
    drop_metadata(scene, CP_OWNER_MESH, marks);
    memory_free(scene->context, marks, meshes, sizeof *marks);
    return CP_OK;
}
