/* Scenes that a host builds row by row. A row is copied with all that it points to, as the description of the tables
 * says; arrays of meshes and of tracks, whose sizes no single count tells, are copied by code of their own. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/text/text.h"
#include "cellpipe_build.h"
#include "model.h"
#include "tables.h"

/* ---- copies ---- */

/* A copy of count x size bytes in the scene's memory; an absent array stays absent. False when out of memory. */
static bool keep(cp_scene *scene, const void *from, uint64_t count, size_t size, const void **copy)
{
    *copy = NULL;
    if (from)
        *copy = count > SIZE_MAX / size ? NULL : arena_copy(scene->arena, from, (size_t)count, size);
    return *copy || !from;
}

static bool keep_text(cp_scene *scene, void *row, const struct member *member)
{
    const char *text = row_pointer(row, member->at);
    if (!text && member->kind != MEMBER_NAME && member->kind != MEMBER_STRING)
        return true;
    text = scene_text(scene, text ? text : "");
    row_set_pointer(row, member->at, text);
    return text;
}

/* The arrays of a copied mesh, which still are the caller's; those of the mesh `old` are the scene's already. */
static bool keep_mesh(cp_scene *scene, cp_mesh *mesh, const cp_mesh *old)
{
    const void *copy;
    bool good = true;
    for (size_t i = 0; i < ARRAY_COUNT && good; i++)
        if (mesh_array(mesh, i) != mesh_array(old, i)) {
            good = keep(scene, mesh_array(mesh, i), mesh->vertex_count, vertex_arrays[i].width * sizeof(float), &copy);
            mesh_set_array(mesh, i, copy);
        }
    if (good && mesh->face_offsets != old->face_offsets) {
        good = keep(scene, mesh->face_offsets, UINT64_C(1) + mesh->face_count, sizeof *mesh->face_offsets, &copy);
        mesh->face_offsets = copy;
    }
    if (good && mesh->corners != old->corners) {
        good = keep(scene, mesh->corners, mesh->corner_count, sizeof *mesh->corners, &copy);
        mesh->corners = copy;
    }
    return good;
}

static bool keep_track(cp_scene *scene, cp_track *track)
{
    static const uint64_t widths[] = {
        [CP_PATH_JOINT] = 1, [CP_PATH_TRANSLATION] = 3, [CP_PATH_ROTATION] = 4, [CP_PATH_SCALE] = 3};
    const void *times, *values;
    if (track->path > CP_PATH_SCALE) /* scene_finish refuses it */
        return track->times = track->values = NULL, true;
    uint64_t rows = track->interpolation == CP_CUBIC ? UINT64_C(3) * track->key_count : track->key_count;
    bool good = keep(scene, track->times, track->key_count, sizeof *track->times, &times) &&
                keep(scene, track->values, rows * widths[track->path], sizeof *track->values, &values);
    if (good) {
        track->times = times;
        track->values = values;
    }
    return good;
}

/* Replaces all that a copied row points to by copies of the scene's. */
static bool keep_row(cp_scene *scene, const struct layout *layout, void *row)
{
    bool good = true;
    for (const struct member *member = layout->members; member->kind != MEMBER_END && good; member++) {
        const void *copy;
        switch (member->kind) {
        case MEMBER_ID:
        case MEMBER_NAME:
        case MEMBER_STRING:
        case MEMBER_TEXT:
        case MEMBER_RAW:
            good = keep_text(scene, row, member);
            break;
        case MEMBER_ARRAY:
        case MEMBER_RECORD:
            if (!member->layout)
                break; /* see keep_mesh, keep_track and cp_add_image */
            uint32_t count = row_pointer(row, member->at) ? member_count(member, row) : 0;
            good = keep(scene, row_pointer(row, member->at), count, member->layout->size, &copy);
            row_set_pointer(row, member->at, copy);
            for (uint32_t i = 0; i < count && good; i++) {
                void *item = member_row(member, row, i);
                good = keep_row(scene, member->layout, item) &&
                       (member->layout != &track_layout || keep_track(scene, item));
            }
            break;
        default:
            break;
        }
    }
    return good;
}

/* CP_NONE after reporting. */
static uint32_t add_copy(cp_scene *scene, enum scene_table table, void *row)
{
    return keep_row(scene, &tables[table].layout, row) ? scene_add_row(scene, table, row) : CP_NONE;
}

/* Counts a row that stands with its node: the rows of each node are together. False, reported, where they are not. */
static bool count_with_node(cp_scene *scene, const char *what, uint32_t node, uint32_t *first, uint32_t *count,
                            uint32_t all)
{
    if (node < scene->node_count && *count == 0)
        *first = all;
    if (node < scene->node_count && *first + *count == all)
        return true;
    report_error(scene->context, CP_USAGE, "build-order", NOWHERE,
                 "a node's %s are added one after the other, behind it", what);
    return false;
}

/* CP_USAGE, reported, if the table has no such row. */
static cp_status find_row(const cp_scene *scene, enum scene_table table, uint32_t index)
{
    if (index < table_count(scene, table))
        return CP_OK;
    return report_error(scene->context, CP_USAGE, "build-row", NOWHERE, "there is no %s %u in the scene",
                        tables[table].word, (unsigned)index);
}

/* Puts a copy in the place of a row that is there. */
static cp_status set_copy(cp_scene *scene, enum scene_table table, uint32_t index, void *row)
{
    if (!keep_row(scene, &tables[table].layout, row))
        return CP_LIMIT;
    memcpy(table_row(scene, table, index), row, tables[table].layout.size);
    return CP_OK;
}

/* A name that is not UTF-8 is kept as raw_name, too. False when out of memory. */
static bool keep_name(cp_scene *scene, cp_node *node)
{
    if (!node->raw_name && node->name)
        node->name = utf8_from(scene->arena, node->name, strlen(node->name), &node->raw_name);
    else if (!node->name)
        node->name = "";
    return node->name;
}

static cp_status refuse_other_node(const cp_scene *scene, const char *what)
{
    return report_error(scene->context, CP_USAGE, "build-order", NOWHERE, "%s keeps its node", what);
}

/* ---- what a host calls ---- */

cp_scene *cp_scene_new(cp_context *context)
{
    cp_scene *scene = scene_new(context);
    (void)context_finish(context, scene ? CP_OK : CP_LIMIT);
    return scene;
}

#define NEW_ROW(name, type, table)                                                                                     \
    type cp_new_##name(void)                                                                                           \
    {                                                                                                                  \
        type row;                                                                                                      \
        row_start(&tables[table].layout, &row);                                                                        \
        return row;                                                                                                    \
    }
#define SET_ROW(name, type, table)                                                                                     \
    cp_status cp_set_##name(cp_scene *scene, uint32_t index, const type *row)                                          \
    {                                                                                                                  \
        type copy = *row;                                                                                              \
        cp_status status = find_row(scene, table, index);                                                              \
        return status == CP_OK ? set_copy(scene, table, index, &copy) : status;                                        \
    }
#define ADD_ROW(name, type, table)                                                                                     \
    uint32_t cp_add_##name(cp_scene *scene, const type *row)                                                           \
    {                                                                                                                  \
        type copy = *row;                                                                                              \
        return add_copy(scene, table, &copy);                                                                          \
    }                                                                                                                  \
    SET_ROW(name, type, table)

NEW_ROW(node, cp_node, TABLE_NODES)
NEW_ROW(mesh, cp_mesh, TABLE_MESHES)
NEW_ROW(image, cp_image, TABLE_IMAGES)
NEW_ROW(texture, cp_texture, TABLE_TEXTURES)
NEW_ROW(loop, cp_loop, TABLE_LOOPS)
NEW_ROW(device, cp_device, TABLE_DEVICES)
NEW_ROW(pair, cp_pair, TABLE_PAIRS)
NEW_ROW(clip, cp_clip, TABLE_CLIPS)
NEW_ROW(metadata, cp_metadata_entry, TABLE_METADATA)
ADD_ROW(texture, cp_texture, TABLE_TEXTURES)
ADD_ROW(material, cp_material, TABLE_MATERIALS)
ADD_ROW(loop, cp_loop, TABLE_LOOPS)
ADD_ROW(device, cp_device, TABLE_DEVICES)
ADD_ROW(pair, cp_pair, TABLE_PAIRS)
ADD_ROW(clip, cp_clip, TABLE_CLIPS)
ADD_ROW(metadata, cp_metadata_entry, TABLE_METADATA)

cp_material cp_new_material(void)
{
    cp_material material;
    row_start(&tables[TABLE_MATERIALS].layout, &material);
    for (int i = 0; i < 4; i++)
        material.rgba[i] = 1;
    material.roughness = 0.8; /* matt, as scene_add_material */
    material.cutoff = 0.5;
    return material;
}

cp_instance cp_new_instance(uint32_t node, uint32_t mesh)
{
    return (cp_instance){.node = node, .mesh = mesh, .use = CP_USE_BOTH, .transform = POSE_IDENTITY};
}

cp_joint cp_new_joint(void)
{
    cp_joint joint;
    row_start(&tables[TABLE_JOINTS].layout, &joint);
    joint.type = CP_JOINT_REVOLUTE;
    joint.q = NAN; /* the home, when the scene is finished */
    joint.driven = true;
    return joint;
}

uint32_t cp_add_node(cp_scene *scene, const cp_node *row)
{
    cp_node copy = *row;
    copy.first_instance = scene->instance_count;
    copy.first_joint = scene->joint_count;
    copy.instance_count = copy.joint_count = 0;
    return keep_name(scene, &copy) ? add_copy(scene, TABLE_NODES, &copy) : CP_NONE;
}

uint32_t cp_add_mesh(cp_scene *scene, const cp_mesh *row)
{
    cp_mesh copy = *row;
    return keep_mesh(scene, &copy, &(cp_mesh){0}) ? add_copy(scene, TABLE_MESHES, &copy) : CP_NONE;
}

uint32_t cp_add_image(cp_scene *scene, const cp_image *row)
{
    cp_image copy = *row;
    const void *bytes;
    if (!keep(scene, copy.bytes, copy.size, 1, &bytes))
        return CP_NONE;
    copy.bytes = bytes;
    return add_copy(scene, TABLE_IMAGES, &copy);
}

uint32_t cp_add_instance(cp_scene *scene, const cp_instance *row)
{
    cp_instance copy = *row;
    cp_node *node = copy.node < scene->node_count ? &scene->nodes[copy.node] : &(cp_node){0};
    if (!count_with_node(scene, "instances", copy.node, &node->first_instance, &node->instance_count,
                         scene->instance_count))
        return CP_NONE;
    uint32_t at = add_copy(scene, TABLE_INSTANCES, &copy);
    if (at != CP_NONE)
        node->instance_count++;
    return at;
}

uint32_t cp_add_joint(cp_scene *scene, const cp_joint *row)
{
    cp_joint copy = *row;
    cp_node *node = copy.node < scene->node_count ? &scene->nodes[copy.node] : &(cp_node){0};
    if (!count_with_node(scene, "joints", copy.node, &node->first_joint, &node->joint_count, scene->joint_count))
        return CP_NONE;
    if (!copy.name)
        copy.name = node->name;
    uint32_t at = add_copy(scene, TABLE_JOINTS, &copy);
    if (at != CP_NONE)
        node->joint_count++;
    return at;
}

cp_status cp_set_node(cp_scene *scene, uint32_t index, const cp_node *row)
{
    cp_node copy = *row;
    cp_status status = find_row(scene, TABLE_NODES, index);
    if (status != CP_OK)
        return status;
    const cp_node *old = &scene->nodes[index];
    copy.first_instance = old->first_instance;
    copy.instance_count = old->instance_count;
    copy.first_joint = old->first_joint;
    copy.joint_count = old->joint_count;
    return keep_name(scene, &copy) ? set_copy(scene, TABLE_NODES, index, &copy) : CP_LIMIT;
}

cp_status cp_set_mesh(cp_scene *scene, uint32_t index, const cp_mesh *row)
{
    cp_mesh copy = *row;
    cp_status status = find_row(scene, TABLE_MESHES, index);
    if (status != CP_OK)
        return status;
    return keep_mesh(scene, &copy, &scene->meshes[index]) ? set_copy(scene, TABLE_MESHES, index, &copy) : CP_LIMIT;
}

cp_status cp_set_image(cp_scene *scene, uint32_t index, const cp_image *row)
{
    cp_image copy = *row;
    const void *bytes = copy.bytes;
    cp_status status = find_row(scene, TABLE_IMAGES, index);
    if (status != CP_OK)
        return status;
    if (bytes != scene->images[index].bytes && !keep(scene, copy.bytes, copy.size, 1, &bytes))
        return CP_LIMIT;
    copy.bytes = bytes;
    return set_copy(scene, TABLE_IMAGES, index, &copy);
}

cp_status cp_set_instance(cp_scene *scene, uint32_t index, const cp_instance *row)
{
    cp_instance copy = *row;
    cp_status status = find_row(scene, TABLE_INSTANCES, index);
    if (status == CP_OK && copy.node != scene->instances[index].node)
        status = refuse_other_node(scene, "an instance");
    return status == CP_OK ? set_copy(scene, TABLE_INSTANCES, index, &copy) : status;
}

cp_status cp_set_joint(cp_scene *scene, uint32_t index, const cp_joint *row)
{
    cp_joint copy = *row;
    cp_status status = find_row(scene, TABLE_JOINTS, index);
    if (status == CP_OK && copy.node != scene->joints[index].node)
        status = refuse_other_node(scene, "a joint");
    return status == CP_OK ? set_copy(scene, TABLE_JOINTS, index, &copy) : status;
}

cp_status cp_scene_replace(cp_scene *scene, cp_scene *other)
{
    if (scene == other || scene->context != other->context)
        return report_error(scene->context, CP_USAGE, "build-replace", NOWHERE,
                            "a scene is replaced by another one of its context");
    other->source = scene->source;
    other->inputs = scene->inputs;
    scene_replace(scene, other);
    return CP_OK;
}

void cp_exclude_static_pairs(cp_scene *scene, bool excluded)
{
    scene->exclude_static_pairs = excluded;
}

cp_status cp_scene_finish(cp_scene *scene)
{
    cp_status status = scene_finish(scene);
    return context_finish(scene->context, status == CP_BUG ? CP_USAGE : status); /* the host's, not ours */
}
