/* Checks the invariants of a scene (described in cellpipe.h). A broken one is a bug of the importer or filter that made
 * the scene. */
#include <math.h>

#include "base/context.h"
#include "model.h"
#include "tables.h"

/* The scene to check, and the sums that the rules add up. */
struct check {
    cp_context *context;
    const cp_scene *scene;
    uint32_t *depths;  /* of the nodes */
    uint32_t too_deep; /* one of them, or CP_NONE */
    uint64_t instances, joints, vertices;
};

static cp_status broken(const struct check *check, const char *what, uint32_t index, const char *why)
{
    return report_error(check->context, CP_BUG, "scene-invalid", IN_FILE(check->scene->source.file), "%s %u %s", what,
                        (unsigned)index, why);
}

/* ---- the description of the tables ---- */

static bool are_finite(const void *values, uint64_t count)
{
    const double *numbers = values;
    bool finite = true;
    for (uint64_t i = 0; i < count; i++)
        finite &= isfinite(numbers[i]) != 0;
    return finite;
}

/* Returns what is wrong with a row, or NULL. `wrong` is the message for members without one of their own. */
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
        case MEMBER_WORD:
            index = *row_number(row, member->at);
            for (count = 0; member->words[count] && count <= index; count++)
                continue;
            why = index < count ? NULL : member->wrong ? member->wrong : "has a number that is no word's";
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
        case MEMBER_ID:
        case MEMBER_NAME:
        case MEMBER_STRING:
            why = row_pointer(row, member->at) ? NULL : here;
            break;
        default:
            break;
        }
    }
    return why;
}

/* ---- rules of one table: what is wrong with a row, or NULL ---- */

static const char *check_node(struct check *check, uint32_t index)
{
    const cp_scene *scene = check->scene;
    const cp_node *node = &scene->nodes[index];
    bool world = index == 0;
    if (world != (node->parent == CP_NONE) || (!world && node->parent >= index))
        return "does not come after its parent";
    if (world && !pose_is_identity(&node->local))
        return "is the world and not at the origin";
    if ((uint64_t)node->first_instance + node->instance_count > scene->instance_count ||
        (uint64_t)node->first_joint + node->joint_count > scene->joint_count)
        return "has instances or joints that are not there";
    if (node->inertia && !(node->inertia->mass >= 0))
        return "has a mass or inertia that cannot be";
    check->depths[index] = world ? 0 : check->depths[node->parent] + 1;
    if (check->depths[index] > check->context->limits.depth && check->too_deep == CP_NONE)
        check->too_deep = index;
    check->instances += node->instance_count;
    check->joints += node->joint_count;
    return NULL;
}

static const char *check_instance(struct check *check, uint32_t index)
{
    const cp_scene *scene = check->scene;
    const cp_instance *instance = &scene->instances[index];
    const cp_node *node = &scene->nodes[instance->node];
    if (index - node->first_instance >= node->instance_count)
        return "does not stand with its node";
    return instance->use < CP_USE_DRAWN || instance->use > CP_USE_BOTH ? "has a bad use or transform" : NULL;
}

static bool all_finite(const float *values, uint64_t count)
{
    /* The sum is one of zeros unless a value is not finite: then it is NaN. It needs no branch for each value. */
    float sum = 0;
    for (uint64_t i = 0; i < count; i++)
        sum += values[i] * 0;
    return sum == 0;
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

static const char *check_mesh(struct check *check, uint32_t index)
{
    const cp_mesh *mesh = &check->scene->meshes[index];
    const uint32_t *offsets = mesh->face_offsets, faces = mesh->face_count;
    uint64_t vertices = mesh->vertex_count;
    bool lines = mesh->kind == CP_MESH_LINES;
    check->vertices += vertices;
    if (mesh->kind >= CP_MESH_BOX)
        return mesh->vertex_count || faces || mesh->corner_count ? "is a primitive with arrays" : check_groups(mesh);
    for (size_t i = 0; i < ARRAY_COUNT; i++)
        if (mesh_array(mesh, i) && !all_finite(mesh_array(mesh, i), vertex_arrays[i].width * vertices))
            return vertex_arrays[i].wrong;
    if (mesh->coordinates[1] && !mesh->coordinates[0])
        return "has texture coordinates of the second set alone";
    if (mesh->tangents && !mesh->normals)
        return "has tangents without normals";
    if (!offsets && (lines ? faces > 0 : mesh->corner_count != 3 * (uint64_t)faces))
        return "has no face offsets";
    if (offsets && (offsets[0] != 0 || offsets[faces] != mesh->corner_count))
        return "has face offsets that do not span its corners";
    for (uint32_t i = 0; offsets && i < faces; i++)
        if (offsets[i + 1] < offsets[i] || offsets[i + 1] - offsets[i] < (lines ? 2 : 3))
            return "has a face of too few corners";
    uint32_t beyond = 0; /* an integer as wide as the corners, so that compilers check several at once */
    for (uint32_t i = 0; i < mesh->corner_count; i++)
        beyond |= mesh->corners[i] >= mesh->vertex_count;
    return beyond ? "has a corner that is no vertex" : check_groups(mesh);
}

static const char *check_texture(struct check *check, uint32_t index)
{
    const cp_texture *texture = &check->scene->textures[index];
    bool wraps = texture->wrap[0] <= CP_WRAP_CLAMP && texture->wrap[1] <= CP_WRAP_CLAMP;
    bool samples = texture->magnify <= CP_SAMPLE_LINEAR && texture->minify <= CP_SAMPLE_LINEAR_LINEAR;
    return wraps && samples ? NULL : "has a bad sampler";
}

static const char *check_material(struct check *check, uint32_t index)
{
    const cp_material *material = &check->scene->materials[index];
    double least = fmin(fmin(material->emissive[0], material->emissive[1]), material->emissive[2]);
    double most = fmax(fmax(material->emissive[0], material->emissive[1]), material->emissive[2]);
    least = fmin(least, fmin(material->metallic, material->roughness));
    most = fmax(most, fmax(material->metallic, material->roughness));
    if (!(least >= 0 && most <= 1) || material->alpha > CP_ALPHA_OPAQUE || (material->one_sided && material->two_sided))
        return "has a bad surface";
    for (uint32_t i = 0; i < material->texture_count; i++) {
        const cp_texture_use *use = &material->textures[i];
        bool extension = use->role == CP_TEXTURE_EXTENSION;
        uint32_t first = i > 0 ? material->textures[i - 1].role + !extension : 0;
        if (use->role > CP_TEXTURE_EXTENSION || use->set >= CP_COORDINATE_SETS || use->role < first ||
            extension != (use->place != NULL))
            return "has a bad texture";
    }
    return NULL;
}

static const char *check_joint(struct check *check, uint32_t index)
{
    const cp_joint *joints = check->scene->joints, *joint = &joints[index];
    const cp_node *node = &check->scene->nodes[joint->node];
    const cp_expression *expression = joint->expression;
    if (index - node->first_joint >= node->joint_count)
        return "does not stand with its node";
    const double *axis = joint->axis;
    double length = axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2];
    if (!(fabs(length - 1) < 1e-6))
        return "has an axis that is not a unit vector";
    if (isnan(joint->lower) || isnan(joint->upper) || isnan(joint->velocity) || isnan(joint->acceleration) ||
        isnan(joint->effort) || !(joint->damping >= 0) || !(joint->friction >= 0))
        return "has a value that is not a number";
    if (!cp_joint_is_dependent(joint))
        return NULL;
    bool bad = joint->driven || !isfinite(joint->scale) || !isfinite(joint->offset);
    if (!expression && cp_joint_is_dependent(&joints[joint->master]))
        return "depends on no joint, or on a dependent one";
    if (!expression)
        return bad ? "is dependent and driven, or by a bad factor" : NULL;
    size_t at;
    if (bad || joint->master != CP_NONE)
        return "has an expression and a master, or is driven, or has a bad factor";
    if (expression_check(expression->text, expression->input_count, &at) || !(expression->angle > 0))
        return "has a bad expression";
    for (uint32_t i = 0; i < expression->input_count; i++)
        if (cp_joint_is_dependent(&joints[expression->inputs[i]]))
            return "has an expression of no joint, or of a dependent one";
    return NULL;
}

static const char *check_loop(struct check *check, uint32_t index)
{
    const cp_loop *loop = &check->scene->loops[index];
    if (loop->type > CP_LOOP_DISTANCE || loop->nodes[0] == loop->nodes[1])
        return "joins a node to itself";
    bool sound = loop->length >= 0 && (loop->length == 0 || loop->type == CP_LOOP_DISTANCE);
    return sound && pose_is_rigid(&loop->poses[0], 1e-6) && pose_is_rigid(&loop->poses[1], 1e-6)
               ? NULL
               : "has a bad pose or length";
}

static const char *check_pair(struct check *check, uint32_t index)
{
    const cp_finding *finding = check->scene->pairs[index].finding;
    return finding && !finding_is_sound(finding) ? "has a finding with a number that cannot be" : NULL;
}

static const char *check_clip(struct check *check, uint32_t index)
{
    const cp_clip *clip = &check->scene->clips[index];
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const cp_track *track = &clip->tracks[i];
        uint64_t width = track->path == CP_PATH_JOINT ? 1 : track->path == CP_PATH_ROTATION ? 4 : 3;
        uint64_t values = width * track->key_count * (track->interpolation == CP_CUBIC ? 3 : 1);
        bool sound =
            track->key_count > 0 && are_finite(track->times, track->key_count) && are_finite(track->values, values);
        for (uint32_t key = 1; key < track->key_count && sound; key++)
            sound = track->times[key] > track->times[key - 1];
        if (!sound)
            return "has a bad track";
    }
    for (uint32_t i = 1; i < clip->attachment_count; i++)
        if (clip->attachments[i].time < clip->attachments[i - 1].time)
            return "has attachments that are not in the order of time";
    for (uint32_t i = 1; i < clip->mark_count; i++)
        if (clip->marks[i].time < clip->marks[i - 1].time)
            return "has marks that are not in the order of time";
    return NULL;
}

/* ---- rules of all rows together ---- */

/* Checks that no node becomes its own ancestor at any time of a clip. `parents` has room for all nodes. */
static cp_status check_attachments(const struct check *check, uint32_t *parents)
{
    const cp_scene *scene = check->scene;
    for (uint32_t i = 0; i < scene->clip_count; i++) {
        const cp_clip *clip = &scene->clips[i];
        for (uint32_t k = 0; clip->attachment_count > 0 && k < scene->node_count; k++)
            parents[k] = scene->nodes[k].parent;
        for (uint32_t k = 0; k < clip->attachment_count; k++) {
            const cp_attachment *attachment = &clip->attachments[k];
            if (attachment->node == 0)
                return broken(check, "clip", i, "attaches a node that is not there");
            if (!attach_node(check->context, parents, attachment->node, attachment->host))
                return broken(check, "clip", i, "attaches a node to what hangs on it");
        }
    }
    return CP_OK;
}

static cp_status check_scene(struct check *check)
{
    static const char *(*const rules[TABLE_COUNT])(struct check *, uint32_t) = {
        [TABLE_NODES] = check_node,         [TABLE_MESHES] = check_mesh,        [TABLE_TEXTURES] = check_texture,
        [TABLE_MATERIALS] = check_material, [TABLE_INSTANCES] = check_instance, [TABLE_JOINTS] = check_joint,
        [TABLE_LOOPS] = check_loop,         [TABLE_PAIRS] = check_pair,         [TABLE_CLIPS] = check_clip,
    };
    const cp_scene *scene = check->scene;
    const struct limits *limits = &check->context->limits;
    if (scene->node_count == 0)
        return broken(check, "node", 0, "is missing");
    /* check_members comes first, as a rule follows the row's own references, which must be in range. */
    for (enum scene_table table = 0; table < TABLE_COUNT; table++) {
        const struct layout *layout = &tables[table].layout;
        const char *row = row_pointer(scene, tables[table].rows);
        for (uint32_t i = 0; i < table_count(scene, table); i++, row += layout->size) {
            const char *why = check_members(scene, layout, row, NULL);
            if (!why && rules[table])
                why = rules[table](check, i);
            if (why)
                return broken(check, tables[table].word, i, why);
        }
    }
    if (check->instances != scene->instance_count || check->joints != scene->joint_count)
        return broken(check, "instance or joint", 0, "belongs to no node or to two");
    if (check->too_deep != CP_NONE)
        return report_error(check->context, CP_LIMIT, "scene-depth", NOWHERE,
                            "node \"%s\" lies deeper than the limit of %llu (--limit depth=)",
                            scene->nodes[check->too_deep].name, (unsigned long long)limits->depth);
    if (check->vertices > limits->vertices)
        return report_error(check->context, CP_LIMIT, "scene-vertices", NOWHERE,
                            "%llu vertices, more than the limit of %llu (--limit vertices=)",
                            (unsigned long long)check->vertices, (unsigned long long)limits->vertices);
    cp_status status = check_attachments(check, check->depths);                         /* which are no longer needed */
    for (enum scene_table table = 0; table < TABLE_COUNT && status == CP_OK; table++) { /* ids differ */
        const struct member *id = table_member(table, MEMBER_ID);
        struct name_map seen = {.context = check->context};
        for (uint32_t i = 0; id && i < table_count(scene, table) && status == CP_OK; i++) {
            bool added = true;
            if (!name_map_add(&seen, row_pointer(table_row(scene, table, i), id->at), 0, &added))
                status = CP_LIMIT;
            else if (!added)
                status = broken(check, tables[table].word, i, "has another's id");
        }
        name_map_free(&seen);
    }
    return status;
}

/* ---- rules of all rows together ---- */

cp_status cp_validate(cp_context *context, const cp_scene *scene)
{
    struct check check = {.context = context, .scene = scene, .too_deep = CP_NONE};
    check.depths = memory_allocate(context, scene->node_count, sizeof *check.depths);
    cp_status status = check.depths ? check_scene(&check) : CP_LIMIT;
    memory_free(context, check.depths, scene->node_count, sizeof *check.depths);
    return context_finish(context, status);
}
