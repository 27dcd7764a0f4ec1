/* The description of the tables of a scene, and their public views. */
#include "tables.h"

/* ---- rows of arrays and records ---- */

static const struct member number_members[] = {{MEMBER_NUMBERS, 0, .length = 1}, {0}};
static const struct layout number_layout = {sizeof(double), number_members};
static const struct member node_list_members[] = {{MEMBER_ROW, 0, .table = TABLE_NODES}, {0}};
static const struct layout node_list_layout = {sizeof(uint32_t), node_list_members};
static const struct member joint_list_members[] = {{MEMBER_ROW, 0, .table = TABLE_JOINTS}, {0}};
static const struct layout joint_list_layout = {sizeof(uint32_t), joint_list_members};

static const struct member group_members[] = {
    {MEMBER_ROW_OR_NONE, offsetof(cp_group, material), .table = TABLE_MATERIALS}, {0}};
static const struct layout group_layout = {sizeof(cp_group), group_members};

static const struct member texture_use_members[] = {
    {MEMBER_ROW, offsetof(cp_texture_use, texture), .table = TABLE_TEXTURES},
    {MEMBER_NUMBERS, offsetof(cp_texture_use, strength), .length = 1},
    {MEMBER_NUMBERS, offsetof(cp_texture_use, offset), .length = 2},
    {MEMBER_NUMBERS, offsetof(cp_texture_use, rotation), .length = 1},
    {MEMBER_NUMBERS, offsetof(cp_texture_use, scale), .length = 2},
    {0}};
static const struct layout texture_use_layout = {sizeof(cp_texture_use), texture_use_members};

static const struct member expression_members[] = {
    {MEMBER_STRING, offsetof(cp_expression, text), .wrong = "has a bad expression"},
    {MEMBER_NUMBERS, offsetof(cp_expression, angle), .length = 1, .wrong = "has a bad expression"},
    {MEMBER_ARRAY, offsetof(cp_expression, inputs), .layout = &joint_list_layout, .loss = LOSS_DROPS,
     .count = offsetof(cp_expression, input_count), .wrong = "has an expression of no joint, or of a dependent one"},
    {MEMBER_ARRAY, offsetof(cp_expression, factors), .layout = &number_layout,
     .count = offsetof(cp_expression, input_count), .wrong = "has an expression of no joint, or of a dependent one"},
    {0}};
const struct layout expression_layout = {sizeof(cp_expression), expression_members};

static const struct member setting_members[] = {{MEMBER_ROW, offsetof(cp_joint_setting, joint), .table = TABLE_JOINTS},
                                                {MEMBER_NUMBERS, offsetof(cp_joint_setting, value), .length = 1},
                                                {0}};
static const struct layout setting_layout = {sizeof(cp_joint_setting), setting_members};

/* A witness is of no use without one of its joints; the finding stays. */
static const struct member finding_members[] = {
    {MEMBER_ARRAY, offsetof(cp_finding, witness), .layout = &setting_layout, .loss = LOSS_CLEARS,
     .count = offsetof(cp_finding, witness_count),
     .wrong = "has a witness without its joint, or with a value that is not finite"},
    {0}};
static const struct layout finding_layout = {sizeof(cp_finding), finding_members};

static enum scene_table target_table(const void *track)
{
    return ((const cp_track *)track)->path == CP_PATH_JOINT ? TABLE_JOINTS : TABLE_NODES;
}

static const struct member track_members[] = {
    {MEMBER_ROW, offsetof(cp_track, target), .table_of = target_table},
    {MEMBER_ARRAY, offsetof(cp_track, times), .count = offsetof(cp_track, key_count)},
    {0}};
static const struct layout track_layout = {sizeof(cp_track), track_members};

static const struct member attachment_members[] = {{MEMBER_NUMBERS, offsetof(cp_attachment, time), .length = 1,
                                                    .wrong = "has attachments that are not in the order of time"},
                                                   {MEMBER_ROW, offsetof(cp_attachment, node), .table = TABLE_NODES},
                                                   {MEMBER_ROW, offsetof(cp_attachment, host), .table = TABLE_NODES},
                                                   {0}};
static const struct layout attachment_layout = {sizeof(cp_attachment), attachment_members};

/* ---- rows of the tables ---- */

static const struct member node_members[] = {
    {MEMBER_ID, offsetof(cp_node, id), .wrong = "has no name or id"},
    {MEMBER_NAME, offsetof(cp_node, name), .wrong = "has no name or id"},
    {MEMBER_ROW_OR_NONE, offsetof(cp_node, parent), .table = TABLE_NODES, .wrong = "does not come after its parent"},
    {MEMBER_ROW_OR_NONE, offsetof(cp_node, scope), .table = TABLE_DEVICES, .wrong = "has a scope that is no device"},
    {MEMBER_NUMBERS, offsetof(cp_node, local), .length = 12, .wrong = "has a pose that is not finite"},
    {0}};

static const struct member mesh_members[] = {
    {MEMBER_ID, offsetof(cp_mesh, id), .wrong = "has no name or id"},
    {MEMBER_NAME, offsetof(cp_mesh, name), .wrong = "has no name or id"},
    {MEMBER_STRING, offsetof(cp_mesh, source), .wrong = "has no name or id"},
    {MEMBER_NUMBERS, offsetof(cp_mesh, size), .length = 3, .wrong = "has a size that is not finite"},
    {MEMBER_ARRAY, offsetof(cp_mesh, positions), .count = offsetof(cp_mesh, vertex_count), .wrong = "lacks an array"},
    {MEMBER_ARRAY, offsetof(cp_mesh, corners), .count = offsetof(cp_mesh, corner_count), .wrong = "lacks an array"},
    {MEMBER_ARRAY, offsetof(cp_mesh, groups), .layout = &group_layout, .count = offsetof(cp_mesh, group_count),
     .wrong = "has a group without its material"},
    {0}};

static const struct member image_members[] = {
    {MEMBER_ID, offsetof(cp_image, id), .wrong = "has no name or id"},
    {MEMBER_NAME, offsetof(cp_image, name), .wrong = "has no name or id"},
    {MEMBER_STRING, offsetof(cp_image, type), .wrong = "has no type"},
    {MEMBER_STRING, offsetof(cp_image, path), .wrong = "has no path"},
    {MEMBER_ARRAY, offsetof(cp_image, bytes), .count = offsetof(cp_image, size), .wrong = "lacks its bytes"},
    {0}};

static const struct member texture_members[] = {
    {MEMBER_ID, offsetof(cp_texture, id), .wrong = "has no name or id"},
    {MEMBER_NAME, offsetof(cp_texture, name), .wrong = "has no name or id"},
    {MEMBER_ROW, offsetof(cp_texture, image), .table = TABLE_IMAGES, .wrong = "has no image"},
    {MEMBER_ROW_OR_NONE, offsetof(cp_texture, fallback), .table = TABLE_IMAGES, .wrong = "has no image"},
    {0}};

static const struct member material_members[] = {
    {MEMBER_ID, offsetof(cp_material, id), .wrong = "has no id or a bad colour"},
    {MEMBER_NAME, offsetof(cp_material, name), .wrong = "has no id or a bad colour"},
    {MEMBER_NUMBERS, offsetof(cp_material, rgba), .length = 4, .wrong = "has no id or a bad colour"},
    {MEMBER_NUMBERS, offsetof(cp_material, metallic), .length = 1, .wrong = "has a bad surface"},
    {MEMBER_NUMBERS, offsetof(cp_material, roughness), .length = 1, .wrong = "has a bad surface"},
    {MEMBER_NUMBERS, offsetof(cp_material, emissive), .length = 3, .wrong = "has a bad surface"},
    {MEMBER_NUMBERS, offsetof(cp_material, cutoff), .length = 1, .wrong = "has a bad surface"},
    {MEMBER_ARRAY, offsetof(cp_material, textures), .layout = &texture_use_layout,
     .count = offsetof(cp_material, texture_count), .wrong = "has a bad texture"},
    {0}};

static const struct member instance_members[] = {
    {MEMBER_ROW, offsetof(cp_instance, node), .table = TABLE_NODES, .wrong = "does not stand with its node"},
    {MEMBER_ROW, offsetof(cp_instance, mesh), .table = TABLE_MESHES, .wrong = "has no mesh"},
    {MEMBER_NUMBERS, offsetof(cp_instance, transform), .length = 12, .wrong = "has a bad use or transform"},
    {0}};

static const struct member joint_members[] = {
    {MEMBER_ID, offsetof(cp_joint, id), .wrong = "has no name or id"},
    {MEMBER_NAME, offsetof(cp_joint, name), .wrong = "has no name or id"},
    {MEMBER_ROW, offsetof(cp_joint, node), .table = TABLE_NODES, .wrong = "does not stand with its node"},
    {MEMBER_NUMBERS, offsetof(cp_joint, home), .length = 1, .wrong = "has a value that is not a number"},
    {MEMBER_NUMBERS, offsetof(cp_joint, q), .length = 1, .wrong = "has a value that is not a number"},
    {MEMBER_ROW_OR_NONE, offsetof(cp_joint, master), .table = TABLE_JOINTS,
     .wrong = "depends on no joint, or on a dependent one"},
    {MEMBER_RECORD, offsetof(cp_joint, expression), .layout = &expression_layout, .loss = LOSS_CLEARS},
    {0}};

static const struct member loop_members[] = {
    {MEMBER_ID, offsetof(cp_loop, id), .wrong = "has no name or id"},
    {MEMBER_NAME, offsetof(cp_loop, name), .wrong = "has no name or id"},
    {MEMBER_ROW, offsetof(cp_loop, nodes[0]), .table = TABLE_NODES, .wrong = "joins a node that is not there"},
    {MEMBER_ROW, offsetof(cp_loop, nodes[1]), .table = TABLE_NODES, .wrong = "joins a node that is not there"},
    {MEMBER_NUMBERS, offsetof(cp_loop, poses), .length = 24, .wrong = "has a bad pose or length"},
    {MEMBER_NUMBERS, offsetof(cp_loop, length), .length = 1, .wrong = "has a bad pose or length"},
    {0}};

static const struct member device_members[] = {
    {MEMBER_ID, offsetof(cp_device, id), .wrong = "names a node or joint that is not there"},
    {MEMBER_NAME, offsetof(cp_device, name), .wrong = "names a node or joint that is not there"},
    {MEMBER_ROW, offsetof(cp_device, base), .table = TABLE_NODES, .wrong = "names a node or joint that is not there"},
    {MEMBER_ROW_OR_NONE, offsetof(cp_device, scope), .table = TABLE_DEVICES, .wrong = "has a scope that is no device"},
    {MEMBER_ARRAY, offsetof(cp_device, ends), .layout = &node_list_layout, .loss = LOSS_DROPS,
     .count = offsetof(cp_device, end_count), .wrong = "names a node or joint that is not there"},
    {MEMBER_ARRAY, offsetof(cp_device, joints), .layout = &joint_list_layout, .loss = LOSS_DROPS,
     .count = offsetof(cp_device, joint_count), .wrong = "names a node or joint that is not there"},
    {MEMBER_ARRAY, offsetof(cp_device, home), .layout = &number_layout, .may_lack = true,
     .count = offsetof(cp_device, joint_count), .wrong = "has a home that is not finite"},
    {0}};

static const struct member pair_members[] = {
    {MEMBER_ROW, offsetof(cp_pair, first), .table = TABLE_NODES, .wrong = "names a node that is not there"},
    {MEMBER_ROW, offsetof(cp_pair, second), .table = TABLE_NODES, .wrong = "names a node that is not there"},
    {MEMBER_STRING, offsetof(cp_pair, reason), .wrong = "names a node that is not there"},
    {MEMBER_STRING, offsetof(cp_pair, evidence), .wrong = "names a node that is not there"},
    {MEMBER_RECORD, offsetof(cp_pair, finding), .layout = &finding_layout, .loss = LOSS_CLEARS},
    {0}};

static const struct member mark_members[] = {
    {MEMBER_NUMBERS, offsetof(cp_mark, time), .length = 1, .wrong = "has marks that are not in the order of time"},
    {MEMBER_STRING, offsetof(cp_mark, name), .wrong = "has a mark without a name"},
    {MEMBER_NUMBERS, offsetof(cp_mark, value), .length = 1, .wrong = "has a mark without a value"},
    {0}};
static const struct layout mark_layout = {sizeof(cp_mark), mark_members};

static const struct member clip_members[] = {
    {MEMBER_STRING, offsetof(cp_clip, name), .wrong = "has no name"},
    {MEMBER_ARRAY, offsetof(cp_clip, tracks), .layout = &track_layout, .count = offsetof(cp_clip, track_count),
     .wrong = "has a bad track"},
    {MEMBER_ARRAY, offsetof(cp_clip, attachments), .layout = &attachment_layout,
     .count = offsetof(cp_clip, attachment_count), .wrong = "attaches a node that is not there"},
    {MEMBER_ARRAY, offsetof(cp_clip, marks), .layout = &mark_layout, .count = offsetof(cp_clip, mark_count),
     .wrong = "has a bad mark"},
    {0}};

enum scene_table metadata_table(const void *metadata)
{
    static const enum scene_table tables_of_owners[] = {TABLE_NONE, TABLE_NODES, TABLE_MESHES, TABLE_MATERIALS,
                                                        TABLE_JOINTS};
    return tables_of_owners[((const cp_metadata_entry *)metadata)->owner];
}

static const struct member metadata_members[] = {
    {MEMBER_ROW, offsetof(cp_metadata_entry, index), .table_of = metadata_table, .wrong = "belongs to nothing"},
    {MEMBER_STRING, offsetof(cp_metadata_entry, key), .wrong = "belongs to nothing"},
    {MEMBER_STRING, offsetof(cp_metadata_entry, value), .wrong = "belongs to nothing"},
    {0}};

/* ---- the tables ---- */

#define PLACE(rows, count) offsetof(cp_scene, rows), offsetof(cp_scene, count)

const struct table_place tables[TABLE_COUNT] = {
    [TABLE_NODES] = {"node", PLACE(nodes, node_count), {sizeof(cp_node), node_members}},
    [TABLE_MESHES] = {"mesh", PLACE(meshes, mesh_count), {sizeof(cp_mesh), mesh_members}},
    [TABLE_IMAGES] = {"image", PLACE(images, image_count), {sizeof(cp_image), image_members}},
    [TABLE_TEXTURES] = {"texture", PLACE(textures, texture_count), {sizeof(cp_texture), texture_members}},
    [TABLE_MATERIALS] = {"material", PLACE(materials, material_count), {sizeof(cp_material), material_members}},
    [TABLE_INSTANCES] = {"instance", PLACE(instances, instance_count), {sizeof(cp_instance), instance_members}},
    [TABLE_JOINTS] = {"joint", PLACE(joints, joint_count), {sizeof(cp_joint), joint_members}},
    [TABLE_LOOPS] = {"loop", PLACE(loops, loop_count), {sizeof(cp_loop), loop_members}},
    [TABLE_DEVICES] = {"device", PLACE(devices, device_count), {sizeof(cp_device), device_members}},
    [TABLE_PAIRS] = {"pair", PLACE(pairs, pair_count), {sizeof(cp_pair), pair_members}},
    [TABLE_CLIPS] = {"clip", PLACE(clips, clip_count), {sizeof(cp_clip), clip_members}},
    [TABLE_METADATA] = {"metadata", PLACE(metadata, metadata_count), {sizeof(cp_metadata_entry), metadata_members}},
};

/* ---- views ---- */

#define VIEW(function, type, rows, total)                                                                              \
    const type *function(const cp_scene *scene, uint32_t *count)                                                       \
    {                                                                                                                  \
        if (count)                                                                                                     \
            *count = scene->total;                                                                                     \
        return scene->rows;                                                                                            \
    }

VIEW(cp_nodes, cp_node, nodes, node_count)
VIEW(cp_instances, cp_instance, instances, instance_count)
VIEW(cp_meshes, cp_mesh, meshes, mesh_count)
VIEW(cp_images, cp_image, images, image_count)
VIEW(cp_textures, cp_texture, textures, texture_count)
VIEW(cp_materials, cp_material, materials, material_count)
VIEW(cp_joints, cp_joint, joints, joint_count)
VIEW(cp_loops, cp_loop, loops, loop_count)
VIEW(cp_devices, cp_device, devices, device_count)
VIEW(cp_pairs, cp_pair, pairs, pair_count)
VIEW(cp_clips, cp_clip, clips, clip_count)
VIEW(cp_metadata, cp_metadata_entry, metadata, metadata_count)
