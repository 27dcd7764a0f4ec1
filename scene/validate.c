/* The invariants of a scene (docs of cellpipe.h). A broken one is a bug of the importer or filter that made it. */
#include <math.h>
#include <string.h>

#include "context.h"
#include "motion/expression.h"
#include "motion/motion.h"
#include "pose.h"
#include "tables.h"

static cp_status broken(cp_context *context, const cp_scene *scene, const char *what, uint32_t index, const char *why)
{
    return report_error(context, CP_BUG, "scene-invalid", IN_FILE(scene->source.file), "%s %u %s", what,
                        (unsigned)index, why);
}

/* ---- what the tables are made of ---- */

static bool are_finite(const void *values, uint64_t count)
{
    const double *numbers = values;
    bool finite = true;
    for (uint64_t i = 0; i < count && finite; i++)
        finite = isfinite(numbers[i]);
    return finite;
}

/* What is wrong with a row, or NULL. wrong: what is said of members that say nothing themselves. */
static const char *check_members(const cp_scene *scene, const struct layout *layout, const void *row, const char *wrong)
{
    const char *why = NULL;
    for (const struct member *member = layout->members; member->kind != MEMBER_END && !why; member++) {
        const char *here = member->wrong ? member->wrong : wrong;
        uint32_t index, count = 1;
        switch (member->kind) {
        case MEMBER_NUMBERS:
            why = are_finite((const char *)row + member->at, member->length) ? NULL : here;
            break;
        case MEMBER_ROW:
        case MEMBER_ROW_OR_NONE:
            index = *row_number(row, member->at);
            if (member_table(member, row) != TABLE_NONE)
                count = table_count(scene, member_table(member, row));
            why = index < count || (member->kind == MEMBER_ROW_OR_NONE && index == CP_NONE) ? NULL : here;
            break;
        case MEMBER_ARRAY:
        case MEMBER_RECORD:
            count = member_count(member, row);
            if (count > 0 && !row_pointer(row, member->at))
                why = member->may_lack ? NULL : here;
            else
                for (uint32_t i = 0; member->layout && i < count && !why; i++)
                    why = check_members(scene, member->layout, member_row(member, row, i), here);
            break;
        default:
            why = row_pointer(row, member->at) ? NULL : here;
        }
    }
    return why;
}

/* All rows of a table, by a rule of their own or by what they are made of. */
static cp_status check_table(cp_context *context, const cp_scene *scene, enum scene_table table,
                             const char *(*rule)(const cp_scene *scene, uint32_t index))
{
    for (uint32_t i = 0; i < table_count(scene, table); i++) {
        const char *why =
            rule ? rule(scene, i) : check_members(scene, &tables[table].layout, table_row(scene, table, i), NULL);
        if (why)
            return broken(context, scene, tables[table].word, i, why);
    }
    return CP_OK;
}

/* Ids differ. */
static cp_status check_ids(cp_context *context, const cp_scene *scene, enum scene_table table)
{
    const struct member *id = table_member(table, MEMBER_ID);
    struct name_map seen = {.context = context};
    cp_status status = CP_OK;
    for (uint32_t i = 0; id && i < table_count(scene, table) && status == CP_OK; i++) {
        bool added = true;
        if (!name_map_add(&seen, row_pointer(table_row(scene, table, i), id->at), 0, &added))
            status = CP_LIMIT;
        else if (!added)
            status = broken(context, scene, tables[table].word, i, "has another's id");
    }
    name_map_free(&seen);
    return status;
}

/* ---- what else holds for a row: what is wrong, or NULL ---- */

static const char *check_node(const cp_scene *scene, uint32_t index)
{
    const cp_node *node = &scene->nodes[index];
    bool world = index == 0;
    if (world != (node->parent == CP_NONE) || (!world && node->parent >= index))
        return "does not come after its parent";
    if (world && !pose_is_identity(&node->local))
        return "is the world and not at the origin";
    if ((uint64_t)node->first_instance + node->instance_count > scene->instance_count ||
        (uint64_t)node->first_joint + node->joint_count > scene->joint_count)
        return "has instances or joints that are not there";
    return NULL;
}

static const char *check_instance(const cp_scene *scene, uint32_t index)
{
    const cp_instance *instance = &scene->instances[index];
    const cp_node *node = &scene->nodes[instance->node];
    if (index - node->first_instance >= node->instance_count)
        return "does not stand with its node";
    return instance->use < CP_USE_DRAWN || instance->use > CP_USE_BOTH ? "has a bad use or transform" : NULL;
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

static const char *check_groups(const cp_mesh *mesh)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < mesh->group_count; i++) {
        const cp_group *group = &mesh->groups[i];
        if (group->first_face != next || group->face_count > mesh->face_count - next)
            return "has groups that do not follow its faces";
        next += group->face_count;
    }
    bool primitive = mesh->kind >= CP_MESH_BOX;
    return mesh->group_count > 0 && !primitive && next != mesh->face_count ? "has groups that leave faces out" : NULL;
}

static const char *check_mesh(const cp_scene *scene, uint32_t index)
{
    const cp_mesh *mesh = &scene->meshes[index];
    uint64_t vertices = mesh->vertex_count;
    if (mesh->kind >= CP_MESH_BOX)
        return mesh->vertex_count || mesh->face_count || mesh->corner_count ? "is a primitive with arrays"
                                                                            : check_groups(mesh);
    if (!all_finite(mesh->positions, 3 * vertices))
        return "has a vertex that is not finite";
    if (mesh->normals && !all_finite(mesh->normals, 3 * vertices))
        return "has a normal that is not finite";
    if (mesh->colours && !all_finite(mesh->colours, 4 * vertices))
        return "has a colour that is not finite";
    const char *why = check_faces(mesh);
    return why ? why : check_groups(mesh);
}

static const char *check_expression(const cp_scene *scene, const cp_joint *joint)
{
    const cp_expression *expression = joint->expression;
    size_t at;
    if (joint->master != CP_NONE || joint->driven || !isfinite(joint->scale) || !isfinite(joint->offset))
        return "has an expression and a master, or is driven, or has a bad factor";
    if (expression_check(expression->text, expression->input_count, &at) || !(expression->angle > 0))
        return "has a bad expression";
    for (uint32_t i = 0; i < expression->input_count; i++)
        if (cp_joint_is_dependent(&scene->joints[expression->inputs[i]]))
            return "has an expression of no joint, or of a dependent one";
    return NULL;
}

static const char *check_joint(const cp_scene *scene, uint32_t index)
{
    const cp_joint *joint = &scene->joints[index];
    const cp_node *node = &scene->nodes[joint->node];
    if (index - node->first_joint >= node->joint_count)
        return "does not stand with its node";
    const double *axis = joint->axis;
    double length = axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2];
    if (!(fabs(length - 1) < 1e-6))
        return "has an axis that is no unit vector";
    if (isnan(joint->lower) || isnan(joint->upper) || isnan(joint->velocity) || isnan(joint->acceleration))
        return "has a value that is no number";
    if (!cp_joint_is_dependent(joint))
        return NULL;
    if (joint->expression)
        return check_expression(scene, joint);
    if (cp_joint_is_dependent(&scene->joints[joint->master]))
        return "depends on no joint, or on a dependent one";
    return joint->driven || !isfinite(joint->scale) || !isfinite(joint->offset)
               ? "is dependent and driven, or by a bad factor"
               : NULL;
}

static const char *check_pair(const cp_scene *scene, uint32_t index)
{
    const cp_finding *finding = scene->pairs[index].finding;
    return finding && !finding_is_sound(finding) ? "has a finding with a number that cannot be" : NULL;
}

static bool track_is_sound(const cp_track *track)
{
    uint64_t width = track->path == CP_PATH_JOINT ? 1 : track->path == CP_PATH_ROTATION ? 4 : 3;
    uint64_t values = width * track->key_count * (track->interpolation == CP_CUBIC ? 3 : 1);
    bool sound =
        track->key_count > 0 && are_finite(track->times, track->key_count) && are_finite(track->values, values);
    for (uint32_t i = 1; i < track->key_count && sound; i++)
        sound = track->times[i] > track->times[i - 1];
    return sound;
}

static const char *check_clip(const cp_scene *scene, uint32_t index)
{
    const cp_clip *clip = &scene->clips[index];
    for (uint32_t i = 0; i < clip->track_count; i++)
        if (!track_is_sound(&clip->tracks[i]))
            return "has a bad track";
    for (uint32_t i = 1; i < clip->attachment_count; i++)
        if (clip->attachments[i].time < clip->attachments[i - 1].time)
            return "has attachments that are not in the order of time";
    return NULL;
}

/* ---- what holds for all together ---- */

static cp_status check_tree(cp_context *context, const cp_scene *scene)
{
    uint64_t limit = context->limits.depth, instances = 0, joints = 0;
    uint32_t *depths = memory_allocate(context, scene->node_count, sizeof *depths);
    cp_status status = depths ? CP_OK : CP_LIMIT;
    for (uint32_t i = 0; i < scene->node_count && status == CP_OK; i++) {
        const cp_node *node = &scene->nodes[i];
        depths[i] = i == 0 ? 0 : depths[node->parent] + 1;
        instances += node->instance_count;
        joints += node->joint_count;
        if (depths[i] > limit)
            status = report_error(context, CP_LIMIT, "scene-depth", NOWHERE,
                                  "node \"%s\" lies deeper than the limit of %llu (--limit depth=)", node->name,
                                  (unsigned long long)limit);
    }
    memory_free(context, depths, scene->node_count, sizeof *depths);
    if (status == CP_OK && (instances != scene->instance_count || joints != scene->joint_count))
        return broken(context, scene, "instance or joint", 0, "belongs to no node or to two");
    return status;
}

static cp_status check_vertices(cp_context *context, const cp_scene *scene)
{
    uint64_t limit = context->limits.vertices, vertices = 0;
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        vertices += scene->meshes[i].vertex_count;
    if (vertices <= limit)
        return CP_OK;
    return report_error(context, CP_LIMIT, "scene-vertices", NOWHERE,
                        "%llu vertices, more than the limit of %llu (--limit vertices=)", (unsigned long long)vertices,
                        (unsigned long long)limit);
}

/* At no time of a clip does a node hang on itself. */
static cp_status check_attachments(cp_context *context, const cp_scene *scene)
{
    uint32_t *parents = NULL;
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < scene->clip_count && status == CP_OK; i++) {
        const cp_clip *clip = &scene->clips[i];
        if (clip->attachment_count == 0)
            continue;
        parents = parents ? parents : memory_allocate(context, scene->node_count, sizeof *parents);
        if (!parents)
            return CP_LIMIT;
        for (uint32_t k = 0; k < scene->node_count; k++)
            parents[k] = scene->nodes[k].parent;
        for (uint32_t k = 0; k < clip->attachment_count && status == CP_OK; k++) {
            const cp_attachment *attachment = &clip->attachments[k];
            if (attachment->node == 0)
                status = broken(context, scene, "clip", i, "attaches a node that is not there");
            else if (!attach_node(context, parents, attachment->node, attachment->host))
                status = broken(context, scene, "clip", i, "attaches a node to what hangs on it");
        }
    }
    memory_free(context, parents, scene->node_count, sizeof *parents);
    return status;
}

cp_status cp_validate(cp_context *context, const cp_scene *scene)
{
    static const char *(*const rules[TABLE_COUNT])(const cp_scene *, uint32_t) = {
        [TABLE_NODES] = check_node,   [TABLE_MESHES] = check_mesh, [TABLE_INSTANCES] = check_instance,
        [TABLE_JOINTS] = check_joint, [TABLE_PAIRS] = check_pair,  [TABLE_CLIPS] = check_clip,
    };
    cp_status status = scene->node_count > 0 ? CP_OK : broken(context, scene, "node", 0, "is missing");
    for (enum scene_table table = 0; table < TABLE_COUNT && status == CP_OK; table++)
        status = check_table(context, scene, table, NULL);
    for (enum scene_table table = 0; table < TABLE_COUNT && status == CP_OK; table++)
        if (rules[table])
            status = check_table(context, scene, table, rules[table]);
    if (status == CP_OK)
        status = check_tree(context, scene);
    if (status == CP_OK)
        status = check_vertices(context, scene);
    if (status == CP_OK)
        status = check_attachments(context, scene);
    for (enum scene_table table = 0; table < TABLE_COUNT && status == CP_OK; table++)
        status = check_ids(context, scene, table);
    return context_finish(context, status);
}
