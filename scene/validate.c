/* The invariants of a scene (docs of cellpipe.h). A broken one is a bug of the importer or filter that made it. */
#include <math.h>
#include <string.h>

#include "build.h"
#include "context.h"
#include "motion/expression.h"
#include "motion/motion.h"
#include "pose.h"

/* What is being checked, for the message. */
struct check {
    cp_context *context;
    const cp_scene *scene;
};

static cp_status broken(const struct check *check, const char *what, uint32_t index, const char *why)
{
    return report_error(check->context, CP_BUG, "scene-invalid", IN_FILE(check->scene->source.file), "%s %u %s", what,
                        (unsigned)index, why);
}

static cp_status check_node(const struct check *check, uint32_t index, uint32_t *depths)
{
    const cp_scene *scene = check->scene;
    const cp_node *node = &scene->nodes[index];
    bool world = index == 0;
    if (world != (node->parent == CP_NONE) || (!world && node->parent >= index))
        return broken(check, "node", index, "does not come after its parent");
    if (world && !pose_is_identity(&node->local))
        return broken(check, "node", index, "is the world and not at the origin");
    if (!node->name || !node->id)
        return broken(check, "node", index, "has no name or id");
    if (!pose_is_finite(&node->local))
        return broken(check, "node", index, "has a pose that is not finite");
    if (node->scope != CP_NONE && node->scope >= scene->device_count)
        return broken(check, "node", index, "has a scope that is no device");
    if ((uint64_t)node->first_instance + node->instance_count > scene->instance_count ||
        (uint64_t)node->first_joint + node->joint_count > scene->joint_count)
        return broken(check, "node", index, "has instances or joints that are not there");
    depths[index] = world ? 0 : depths[node->parent] + 1;
    if (depths[index] > check->context->limits.depth)
        return report_error(check->context, CP_LIMIT, "scene-depth", NOWHERE,
                            "node \"%s\" lies deeper than the limit of %llu (--limit depth=)", node->name,
                            (unsigned long long)check->context->limits.depth);
    return CP_OK;
}

static cp_status check_nodes(const struct check *check)
{
    const cp_scene *scene = check->scene;
    if (scene->node_count == 0)
        return broken(check, "node", 0, "is missing");
    uint32_t *depths = memory_allocate(check->context, scene->node_count, sizeof *depths);
    if (!depths)
        return CP_LIMIT;
    cp_status status = CP_OK;
    uint64_t instances = 0, joints = 0;
    for (uint32_t i = 0; i < scene->node_count && status == CP_OK; i++) {
        status = check_node(check, i, depths);
        instances += scene->nodes[i].instance_count;
        joints += scene->nodes[i].joint_count;
    }
    memory_free(check->context, depths, scene->node_count, sizeof *depths);
    if (status == CP_OK && (instances != scene->instance_count || joints != scene->joint_count))
        return broken(check, "instance or joint", 0, "belongs to no node or to two");
    return status;
}

static cp_status check_instances(const struct check *check)
{
    const cp_scene *scene = check->scene;
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        const cp_instance *instance = &scene->instances[i];
        if (instance->node >= scene->node_count ||
            i - scene->nodes[instance->node].first_instance >= scene->nodes[instance->node].instance_count)
            return broken(check, "instance", i, "does not stand with its node");
        if (instance->mesh >= scene->mesh_count)
            return broken(check, "instance", i, "has no mesh");
        if (instance->use < CP_USE_DRAWN || instance->use > CP_USE_BOTH || !pose_is_finite(&instance->transform))
            return broken(check, "instance", i, "has a bad use or transform");
    }
    return CP_OK;
}

static bool all_finite(const float *values, uint64_t count)
{
    /* A sum of zeros: NaN as soon as one value is not finite. */
    float sum = 0;
    for (uint64_t i = 0; i < count; i++)
        sum += values[i] * 0;
    return sum == 0;
}

static const char *check_faces(const cp_mesh *mesh)
{
    uint32_t least = mesh->kind == CP_MESH_LINES ? 2 : 3;
    if (!mesh->face_offsets &&
        (mesh->kind == CP_MESH_LINES ? mesh->face_count > 0 : mesh->corner_count != 3 * (uint64_t)mesh->face_count))
        return "has no face offsets";
    if (mesh->face_offsets &&
        (mesh->face_offsets[0] != 0 || mesh->face_offsets[mesh->face_count] != mesh->corner_count))
        return "has face offsets that do not span its corners";
    for (uint32_t i = 0; mesh->face_offsets && i < mesh->face_count; i++)
        if (mesh->face_offsets[i + 1] < mesh->face_offsets[i] ||
            mesh->face_offsets[i + 1] - mesh->face_offsets[i] < least)
            return "has a face of too few corners";
    for (uint32_t i = 0; i < mesh->corner_count; i++)
        if (mesh->corners[i] >= mesh->vertex_count)
            return "has a corner that is no vertex";
    return NULL;
}

static const char *check_groups(const cp_scene *scene, const cp_mesh *mesh)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < mesh->group_count; i++) {
        const cp_group *group = &mesh->groups[i];
        if (group->first_face != next || group->face_count > mesh->face_count - next)
            return "has groups that do not follow its faces";
        if (group->material != CP_NONE && group->material >= scene->material_count)
            return "has a group without its material";
        next += group->face_count;
    }
    bool primitive = mesh->kind >= CP_MESH_BOX;
    return mesh->group_count > 0 && !primitive && next != mesh->face_count ? "has groups that leave faces out" : NULL;
}

static const char *check_mesh(const cp_scene *scene, const cp_mesh *mesh)
{
    if (!mesh->name || !mesh->source || !mesh->id)
        return "has no name or id";
    if (mesh->kind >= CP_MESH_BOX) {
        for (int i = 0; i < 3; i++)
            if (!isfinite(mesh->size[i]))
                return "has a size that is not finite";
        return mesh->vertex_count || mesh->face_count || mesh->corner_count ? "is a primitive with arrays"
                                                                            : check_groups(scene, mesh);
    }
    if ((mesh->vertex_count && !mesh->positions) || (mesh->corner_count && !mesh->corners))
        return "lacks an array";
    if (!all_finite(mesh->positions, 3 * (uint64_t)mesh->vertex_count))
        return "has a vertex that is not finite";
    if (mesh->normals && !all_finite(mesh->normals, 3 * (uint64_t)mesh->vertex_count))
        return "has a normal that is not finite";
    if (mesh->colours && !all_finite(mesh->colours, 4 * (uint64_t)mesh->vertex_count))
        return "has a colour that is not finite";
    const char *why = check_faces(mesh);
    return why ? why : check_groups(scene, mesh);
}

static cp_status check_meshes(const struct check *check)
{
    uint64_t vertices = 0;
    for (uint32_t i = 0; i < check->scene->mesh_count; i++) {
        const cp_mesh *mesh = &check->scene->meshes[i];
        const char *why = check_mesh(check->scene, mesh);
        if (why)
            return broken(check, "mesh", i, why);
        vertices += mesh->vertex_count;
    }
    uint64_t limit = check->context->limits.vertices;
    if (vertices > limit)
        return report_error(check->context, CP_LIMIT, "scene-vertices", NOWHERE,
                            "%llu vertices, more than the limit of %llu (--limit vertices=)",
                            (unsigned long long)vertices, (unsigned long long)limit);
    return CP_OK;
}

static const char *check_expression(const cp_scene *scene, const cp_joint *joint)
{
    const cp_expression *expression = joint->expression;
    size_t at;
    if (joint->master != CP_NONE || joint->driven || !isfinite(joint->scale) || !isfinite(joint->offset))
        return "has an expression and a master, or is driven, or has a bad factor";
    if (!expression->text || expression_check(expression->text, expression->input_count, &at) ||
        !(expression->angle > 0) || !isfinite(expression->angle))
        return "has a bad expression";
    for (uint32_t i = 0; i < expression->input_count; i++)
        if (expression->inputs[i] >= scene->joint_count ||
            cp_joint_is_dependent(&scene->joints[expression->inputs[i]]) || !isfinite(expression->factors[i]))
            return "has an expression of no joint, or of a dependent one";
    return NULL;
}

static const char *check_joint(const cp_scene *scene, uint32_t index)
{
    const cp_joint *joint = &scene->joints[index];
    if (joint->node >= scene->node_count ||
        index - scene->nodes[joint->node].first_joint >= scene->nodes[joint->node].joint_count)
        return "does not stand with its node";
    const double *axis = joint->axis;
    double length = axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2];
    if (!(fabs(length - 1) < 1e-6))
        return "has an axis that is no unit vector";
    if (isnan(joint->lower) || isnan(joint->upper) || isnan(joint->velocity) || isnan(joint->acceleration) ||
        !isfinite(joint->home) || !isfinite(joint->q))
        return "has a value that is no number";
    if (!joint->name || !joint->id)
        return "has no name or id";
    if (!cp_joint_is_dependent(joint))
        return NULL;
    if (joint->expression)
        return check_expression(scene, joint);
    if (joint->master >= scene->joint_count || scene->joints[joint->master].master != CP_NONE)
        return "depends on no joint, or on a dependent one";
    return joint->driven || !isfinite(joint->scale) || !isfinite(joint->offset)
               ? "is dependent and driven, or by a bad factor"
               : NULL;
}

static cp_status check_joints(const struct check *check)
{
    for (uint32_t i = 0; i < check->scene->joint_count; i++) {
        const char *why = check_joint(check->scene, i);
        if (why)
            return broken(check, "joint", i, why);
    }
    return CP_OK;
}

static bool all_below(const uint32_t *indices, uint32_t count, uint32_t limit)
{
    for (uint32_t i = 0; i < count; i++)
        if (indices[i] >= limit)
            return false;
    return true;
}

static cp_status check_devices(const struct check *check)
{
    const cp_scene *scene = check->scene;
    for (uint32_t i = 0; i < scene->device_count; i++) {
        const cp_device *device = &scene->devices[i];
        if (!device->name || !device->id || device->base >= scene->node_count ||
            !all_below(device->ends, device->end_count, scene->node_count) ||
            !all_below(device->joints, device->joint_count, scene->joint_count))
            return broken(check, "device", i, "names a node or joint that is not there");
        if (device->scope != CP_NONE && device->scope >= scene->device_count)
            return broken(check, "device", i, "has a scope that is no device");
        for (uint32_t k = 0; device->home && k < device->joint_count; k++)
            if (!isfinite(device->home[k]))
                return broken(check, "device", i, "has a home that is not finite");
    }
    return CP_OK;
}

static const char *check_witness(const cp_scene *scene, const cp_finding *finding)
{
    for (uint32_t i = 0; i < finding->witness_count; i++)
        if (finding->witness[i].joint >= scene->joint_count || !isfinite(finding->witness[i].value))
            return "has a witness without its joint, or with a value that is not finite";
    return NULL;
}

static cp_status check_pairs(const struct check *check)
{
    const cp_scene *scene = check->scene;
    for (uint32_t i = 0; i < scene->pair_count; i++) {
        const cp_pair *pair = &scene->pairs[i];
        const cp_finding *finding = pair->finding;
        if (pair->first >= scene->node_count || pair->second >= scene->node_count || !pair->reason || !pair->evidence)
            return broken(check, "pair", i, "names a node that is not there");
        if (finding && !finding_is_sound(finding))
            return broken(check, "pair", i, "has a finding with a number that cannot be");
        const char *why = finding ? check_witness(scene, finding) : NULL;
        if (why)
            return broken(check, "pair", i, why);
    }
    return CP_OK;
}

static bool track_is_sound(const cp_scene *scene, const cp_track *track)
{
    bool joint = track->path == CP_PATH_JOINT;
    if (track->target >= (joint ? scene->joint_count : scene->node_count) || track->key_count == 0)
        return false;
    uint64_t width = joint ? 1 : track->path == CP_PATH_ROTATION ? 4 : 3;
    uint64_t values = width * track->key_count * (track->interpolation == CP_CUBIC ? 3 : 1);
    for (uint32_t i = 0; i < track->key_count; i++)
        if (!isfinite(track->times[i]) || (i > 0 && !(track->times[i] > track->times[i - 1])))
            return false;
    for (uint64_t i = 0; i < values; i++)
        if (!isfinite(track->values[i]))
            return false;
    return true;
}

static const char *check_attachments(const struct check *check, const cp_clip *clip, uint32_t *parents)
{
    const cp_scene *scene = check->scene;
    for (uint32_t i = 0; i < scene->node_count; i++)
        parents[i] = scene->nodes[i].parent;
    for (uint32_t i = 0; i < clip->attachment_count; i++) {
        const cp_attachment *attachment = &clip->attachments[i];
        if (!isfinite(attachment->time) || (i > 0 && attachment->time < clip->attachments[i - 1].time))
            return "has attachments that are not in the order of time";
        if (attachment->node == 0 || attachment->node >= scene->node_count || attachment->host >= scene->node_count)
            return "attaches a node that is not there";
        if (!attach_node(check->context, parents, attachment->node, attachment->host))
            return "attaches a node to what hangs on it";
    }
    return NULL;
}

static cp_status check_all_attachments(const struct check *check)
{
    const cp_scene *scene = check->scene;
    const char *why = NULL;
    uint32_t *parents = NULL;
    for (uint32_t i = 0; i < scene->clip_count && !why; i++) {
        if (scene->clips[i].attachment_count == 0)
            continue;
        parents = parents ? parents : memory_allocate(check->context, scene->node_count, sizeof *parents);
        if (!parents)
            return CP_LIMIT;
        why = check_attachments(check, &scene->clips[i], parents);
    }
    memory_free(check->context, parents, scene->node_count, sizeof *parents);
    return why ? broken(check, "clip", 0, why) : CP_OK;
}

static cp_status check_clips(const struct check *check)
{
    const cp_scene *scene = check->scene;
    for (uint32_t i = 0; i < scene->clip_count; i++)
        for (uint32_t k = 0; k < scene->clips[i].track_count; k++)
            if (!track_is_sound(scene, &scene->clips[i].tracks[k]))
                return broken(check, "clip", i, "has a bad track");
    for (uint32_t i = 0; i < scene->metadata_count; i++) {
        const cp_metadata *metadata = &scene->metadata[i];
        const uint32_t counts[] = {1, scene->node_count, scene->mesh_count, scene->material_count, scene->joint_count};
        if (metadata->index >= counts[metadata->owner] || !metadata->key || !metadata->value)
            return broken(check, "metadata", i, "belongs to nothing");
    }
    return CP_OK;
}

/* Ids of one table, each stride bytes from the last, are set and differ. */
static cp_status check_ids(const struct check *check, const char *what, const char *const *first, size_t stride,
                           uint32_t count)
{
    struct name_map seen = {.context = check->context};
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < count && status == CP_OK; i++) {
        bool added = true;
        const char *id = *(const char *const *)(const void *)((const char *)first + i * stride);
        if (!name_map_add(&seen, id, 0, &added))
            status = CP_LIMIT;
        else if (!added)
            status = broken(check, what, i, "has another's id");
    }
    name_map_free(&seen);
    return status;
}

static cp_status check_all_ids(const struct check *check)
{
    const cp_scene *scene = check->scene;
    cp_status status = check_ids(check, "node", &scene->nodes->id, sizeof *scene->nodes, scene->node_count);
    if (status == CP_OK && scene->mesh_count)
        status = check_ids(check, "mesh", &scene->meshes->id, sizeof *scene->meshes, scene->mesh_count);
    if (status == CP_OK && scene->material_count)
        status = check_ids(check, "material", &scene->materials->id, sizeof *scene->materials, scene->material_count);
    if (status == CP_OK && scene->joint_count)
        status = check_ids(check, "joint", &scene->joints->id, sizeof *scene->joints, scene->joint_count);
    if (status == CP_OK && scene->device_count)
        status = check_ids(check, "device", &scene->devices->id, sizeof *scene->devices, scene->device_count);
    return status;
}

static cp_status check_materials(const struct check *check)
{
    for (uint32_t i = 0; i < check->scene->material_count; i++)
        for (int k = 0; k < 4; k++)
            if (!check->scene->materials[i].id || !isfinite(check->scene->materials[i].rgba[k]))
                return broken(check, "material", i, "has no id or a bad colour");
    return CP_OK;
}

cp_status cp_validate(cp_context *context, const cp_scene *scene)
{
    static cp_status (*const checks[])(const struct check *) = {
        check_nodes,   check_materials, check_instances, check_meshes,          check_joints,
        check_devices, check_pairs,     check_clips,     check_all_attachments, check_all_ids,
    };
    struct check check = {context, scene};
    cp_status status = CP_OK;
    for (size_t i = 0; i < sizeof checks / sizeof *checks && status == CP_OK; i++)
        status = checks[i](&check);
    return context_finish(context, status);
}
