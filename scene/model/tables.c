/* Describes the tables of a scene, and gives their public views. */
#include "tables.h"
#include "model.h"

/* A member that has the name of its field. */
#define AT(type, field) offsetof(type, field), .name = #field
#define INITIAL(type, ...) (&(const type){__VA_ARGS__})

/* ---- rows for which a member means something ---- */

static bool is_primitive(const void *mesh)
{
    return ((const cp_mesh *)mesh)->kind >= CP_MESH_BOX;
}

static bool has_arrays(const void *mesh)
{
    return !is_primitive(mesh);
}

static bool is_dependent(const void *joint)
{
    return cp_joint_is_dependent(joint);
}

static bool is_distance(const void *loop)
{
    return ((const cp_loop *)loop)->type == CP_LOOP_DISTANCE;
}

/* A plain matt surface has metallic 0 and roughness 0.8. */
static bool shines(const void *material)
{
    const cp_material *it = material;
    return it->metallic != 0 || it->roughness != 0.8;
}

static bool glows(const void *material)
{
    const double *glow = ((const cp_material *)material)->emissive;
    return glow[0] != 0 || glow[1] != 0 || glow[2] != 0;
}

static bool is_masked(const void *material)
{
    return ((const cp_material *)material)->alpha == CP_ALPHA_MASK;
}

static bool has_owner(const void *metadata)
{
    return ((const cp_metadata_entry *)metadata)->owner != CP_OWNER_SCENE;
}

/* ---- what is wrong with rows ---- */

#define NO_NAME "has no name or id"
#define NO_NODE "names a node that is not there"
#define NOT_THERE "names a node or joint that is not there"
#define NO_INPUTS "has an expression of no joint, or of a dependent one"
#define NO_OWNER "belongs to nothing"
#define BAD_COLOUR "has no id or a bad colour"
#define BAD_SURFACE "has a bad surface"
#define BAD_VALUE "has a value that is not a number"
#define BAD_INERTIA "has a mass or inertia that cannot be"
#define BAD_FINDING "has a finding with a number that cannot be"

/* ---- rows of arrays and records ---- */

static const struct member number_members[] = {{MEMBER_NUMBERS, 0, .length = 1}, {0}};
static const struct layout number_layout = {sizeof(double), number_members};
static const struct member node_list_members[] = {{MEMBER_ROW, 0, .table = TABLE_NODES}, {0}};
static const struct layout node_list_layout = {sizeof(uint32_t), node_list_members};
static const struct member joint_list_members[] = {{MEMBER_ROW, 0, .table = TABLE_JOINTS}, {0}};
static const struct layout joint_list_layout = {sizeof(uint32_t), joint_list_members};

static const struct member group_members[] = {{MEMBER_COUNT, offsetof(cp_group, face_count), .name = "faces"},
                                              {MEMBER_ROW_OR_NONE, AT(cp_group, material), .table = TABLE_MATERIALS},
                                              {0}};
static const struct layout group_layout = {sizeof(cp_group), group_members};

static const struct member texture_use_members[] = {
    {MEMBER_WORD, AT(cp_texture_use, role), .dump = "", .words = texture_role_words},
    {MEMBER_TEXT, AT(cp_texture_use, place), .dump = "", .optional = IN_ALL},
    {MEMBER_ROW, AT(cp_texture_use, texture), .table = TABLE_TEXTURES},
    {MEMBER_COUNT, AT(cp_texture_use, set)},
    {MEMBER_NUMBERS, AT(cp_texture_use, strength), .length = 1},
    {MEMBER_NUMBERS, AT(cp_texture_use, offset), .length = 2},
    {MEMBER_NUMBERS, AT(cp_texture_use, rotation), .length = 1},
    {MEMBER_NUMBERS, AT(cp_texture_use, scale), .length = 2},
    {0}};
static const struct layout texture_use_layout = {sizeof(cp_texture_use), texture_use_members};

static const struct member expression_members[] = {
    {MEMBER_STRING, AT(cp_expression, text), "has a bad expression", .dump = "expression"},
    {MEMBER_NUMBERS, AT(cp_expression, angle), "has a bad expression", .length = 1, .initial = INITIAL(double, 1)},
    {MEMBER_ARRAY, AT(cp_expression, inputs), NO_INPUTS, .layout = &joint_list_layout, .loss = LOSS_DROPS,
     .count = offsetof(cp_expression, input_count)},
    {MEMBER_ARRAY, AT(cp_expression, factors), NO_INPUTS, .layout = &number_layout,
     .count = offsetof(cp_expression, input_count)},
    {0}};
const struct layout expression_layout = {sizeof(cp_expression), expression_members};

static const struct member setting_members[] = {
    {MEMBER_ROW, AT(cp_joint_setting, joint), .dump = "", .table = TABLE_JOINTS},
    {MEMBER_NUMBERS, AT(cp_joint_setting, value), .dump = "", .length = 1},
    {0}};
static const struct layout setting_layout = {sizeof(cp_joint_setting), setting_members};

/* A witness is useless without one of its joints and is cleared; the finding stays. */
static const struct member finding_members[] = {
    {MEMBER_NUMBERS, AT(cp_finding, margin), BAD_FINDING, .length = 1, .dump = "finding margin", .unit = "m",
     .early = true},
    {MEMBER_NUMBERS, AT(cp_finding, touch), BAD_FINDING, .length = 1, .unit = "m", .early = true,
     .initial = INITIAL(double, CP_TOUCH)},
    {MEMBER_LONG_COUNT, AT(cp_finding, work)},
    {MEMBER_COUNT, AT(cp_finding, samples)},
    {MEMBER_COUNT, AT(cp_finding, descents)},
    {MEMBER_COUNT, AT(cp_finding, hits)},
    {MEMBER_LIMIT, AT(cp_finding, clearance), .unit = "m", .early = true, .optional = IN_STAGE | IN_EVIDENCE,
     .initial = INITIAL(double, INFINITY)},
    {MEMBER_HASH, AT(cp_finding, key), .optional = IN_STAGE | IN_EVIDENCE},
    {MEMBER_ARRAY, AT(cp_finding, witness), "has a witness without its joint, or with a value that is not finite",
     .optional = IN_ALL, .not_in = IN_EVIDENCE, .layout = &setting_layout, .loss = LOSS_CLEARS,
     .count = offsetof(cp_finding, witness_count)},
    {0}};
const struct layout finding_layout = {sizeof(cp_finding), finding_members};

static enum scene_table target_table(const void *track)
{
    return ((const cp_track *)track)->path == CP_PATH_JOINT ? TABLE_JOINTS : TABLE_NODES;
}

static const struct member track_members[] = {
    {MEMBER_ROW, AT(cp_track, target), .dump = "", .not_in = IN_STAGE, .table_of = target_table},
    {MEMBER_WORD, AT(cp_track, path), .not_in = IN_STAGE, .words = track_path_words},
    {MEMBER_WORD, AT(cp_track, interpolation), .not_in = IN_STAGE, .words = track_interpolation_words},
    {MEMBER_ARRAY, offsetof(cp_track, times), "keys", .not_in = IN_STAGE, .count = offsetof(cp_track, key_count),
     .line = "key"},
    {0}};
const struct layout track_layout = {sizeof(cp_track), track_members};

static const struct member attachment_members[] = {
    {MEMBER_NUMBERS, AT(cp_attachment, time), "has attachments that are not in the order of time", .dump = "at",
     .unit = "s", .length = 1},
    {MEMBER_ROW, AT(cp_attachment, node), .dump = "", .early = true, .table = TABLE_NODES},
    {MEMBER_ROW, AT(cp_attachment, host), .dump = "to", .early = true, .table = TABLE_NODES},
    {0}};
const struct layout attachment_layout = {sizeof(cp_attachment), attachment_members};

static const struct member mark_members[] = {
    {MEMBER_NUMBERS, AT(cp_mark, time), "has marks that are not in the order of time", .dump = "at", .unit = "s",
     .length = 1},
    {MEMBER_STRING, AT(cp_mark, name), "has a mark without a name", .dump = "", .early = true},
    {MEMBER_NUMBERS, AT(cp_mark, value), "has a mark without a value", .early = true, .length = 1},
    {0}};
const struct layout mark_layout = {sizeof(cp_mark), mark_members};

static const struct member inertia_members[] = {
    {MEMBER_NUMBERS, AT(cp_inertia, mass), BAD_INERTIA, .unit = "kg", .length = 1},
    {MEMBER_NUMBERS, AT(cp_inertia, centre), BAD_INERTIA, .unit = "m", .length = 3},
    {MEMBER_NUMBERS, AT(cp_inertia, moments), BAD_INERTIA, .length = 6},
    {0}};
const struct layout inertia_layout = {sizeof(cp_inertia), inertia_members};

/* ---- rows of the tables ---- */

static const struct member node_members[] = {
    {MEMBER_ID, AT(cp_node, id), NO_NAME, .dump = "", .early = true, .not_in = IN_ALL - IN_DUMP},
    {MEMBER_NAME, AT(cp_node, name), NO_NAME, .early = true, .not_in = IN_ALL - IN_DUMP},
    {MEMBER_RAW, AT(cp_node, raw_name), .dump = "raw", .early = true, .optional = IN_ALL, .not_in = IN_PROGRAM},
    {MEMBER_ROW_OR_NONE, AT(cp_node, parent), "does not come after its parent", .early = true,
     .not_in = IN_ALL - IN_DUMP, .table = TABLE_NODES},
    {MEMBER_FLAGS, AT(cp_node, flags), .optional = IN_STAGE, .not_in = IN_PROGRAM, .words = node_flag_words},
    {MEMBER_ROW_OR_NONE, AT(cp_node, scope), "has a scope that is no device", .early = true, .optional = IN_STAGE,
     .not_in = IN_PROGRAM, .table = TABLE_DEVICES},
    {MEMBER_NUMBERS, AT(cp_node, local), "has a pose that is not finite", .not_in = IN_ALL - IN_DUMP, .length = 12,
     .initial = &POSE_IDENTITY},
    {MEMBER_RECORD, AT(cp_node, inertia), .optional = IN_ALL, .layout = &inertia_layout},
    {0}};

static const struct member mesh_members[] = {
    {MEMBER_ID, AT(cp_mesh, id), NO_NAME, .dump = "", .not_in = IN_PROGRAM},
    {MEMBER_NAME, AT(cp_mesh, name), NO_NAME, .not_in = IN_STAGE | IN_PROGRAM},
    {MEMBER_STRING, AT(cp_mesh, source), NO_NAME, .optional = IN_STAGE, .not_in = IN_PROGRAM},
    {MEMBER_WORD, AT(cp_mesh, kind), .optional = IN_STAGE, .words = mesh_kind_words, .not_in = IN_PROGRAM},
    {MEMBER_NUMBERS, AT(cp_mesh, size), "has a size that is not finite", .applies = is_primitive, .length = 3,
     .not_in = IN_PROGRAM},
    {MEMBER_COUNT, AT(cp_mesh, sides), .applies = is_primitive, .not_in = IN_PROGRAM},
    {MEMBER_COUNT, offsetof(cp_mesh, vertex_count), "vertices", .not_in = IN_STAGE | IN_PROGRAM, .applies = has_arrays},
    {MEMBER_COUNT, offsetof(cp_mesh, face_count), "faces", .not_in = IN_STAGE | IN_PROGRAM, .applies = has_arrays},
    {MEMBER_COUNT, offsetof(cp_mesh, corner_count), "corners", .not_in = IN_STAGE | IN_PROGRAM, .applies = has_arrays},
    {MEMBER_ARRAY, AT(cp_mesh, positions), "lacks an array", .not_in = IN_ALL,
     .count = offsetof(cp_mesh, vertex_count)},
    {MEMBER_ARRAY, AT(cp_mesh, corners), "lacks an array", .not_in = IN_ALL, .count = offsetof(cp_mesh, corner_count)},
    {MEMBER_ARRAY, AT(cp_mesh, groups), "has a group without its material", .dump = "", .not_in = IN_STAGE | IN_PROGRAM,
     .layout = &group_layout, .line = "group", .count = offsetof(cp_mesh, group_count)},
    {0}};

static const struct member image_members[] = {
    {MEMBER_ID, AT(cp_image, id), NO_NAME, .dump = "", .not_in = IN_PROGRAM},
    {MEMBER_NAME, AT(cp_image, name), NO_NAME, .not_in = IN_STAGE | IN_PROGRAM},
    {MEMBER_STRING, AT(cp_image, type), "has no type", .not_in = IN_STAGE | IN_PROGRAM},
    {MEMBER_STRING, AT(cp_image, path), "has no path", .optional = IN_STAGE, .not_in = IN_PROGRAM},
    {MEMBER_COUNT, offsetof(cp_image, size), "bytes", .not_in = IN_STAGE | IN_PROGRAM},
    {MEMBER_ARRAY, AT(cp_image, bytes), "lacks its bytes", .not_in = IN_ALL, .count = offsetof(cp_image, size)},
    {0}};

static const struct member texture_members[] = {
    {MEMBER_ID, AT(cp_texture, id), NO_NAME, .dump = "", .not_in = IN_PROGRAM},
    {MEMBER_NAME, AT(cp_texture, name), NO_NAME, .not_in = IN_STAGE | IN_PROGRAM},
    {MEMBER_ROW, AT(cp_texture, image), "has no image", .not_in = IN_STAGE | IN_PROGRAM, .table = TABLE_IMAGES},
    {MEMBER_ROW_OR_NONE, AT(cp_texture, fallback), "has no image", .not_in = IN_STAGE | IN_PROGRAM,
     .table = TABLE_IMAGES},
    {MEMBER_WORD, offsetof(cp_texture, wrap[0]), "wrap", .not_in = IN_STAGE | IN_PROGRAM, .words = wrap_words},
    {MEMBER_WORD, offsetof(cp_texture, wrap[1]), "wrap_2", .dump = "", .not_in = IN_STAGE | IN_PROGRAM,
     .words = wrap_words},
    {MEMBER_WORD, AT(cp_texture, magnify), .not_in = IN_STAGE | IN_PROGRAM, .words = sampling_words},
    {MEMBER_WORD, AT(cp_texture, minify), .not_in = IN_STAGE | IN_PROGRAM, .words = sampling_words},
    {0}};

static const char *const light_words[] = {"linear", "srgb"};

static const struct member material_members[] = {
    {MEMBER_ID, AT(cp_material, id), BAD_COLOUR, .dump = "", .not_in = IN_STAGE | IN_PROGRAM},
    {MEMBER_NAME, AT(cp_material, name), BAD_COLOUR, .not_in = IN_STAGE | IN_PROGRAM},
    {MEMBER_NUMBERS, AT(cp_material, rgba), BAD_COLOUR, .not_in = IN_STAGE | IN_PROGRAM, .length = 4},
    {MEMBER_FLAG, AT(cp_material, srgb), .dump = "light", .optional = IN_STAGE, .words = light_words,
     .not_in = IN_PROGRAM},
    {MEMBER_FLAG, AT(cp_material, two_sided), .optional = IN_STAGE, .not_in = IN_PROGRAM},
    {MEMBER_FLAG, AT(cp_material, one_sided), .optional = IN_ALL, .not_in = IN_PROGRAM},
    {MEMBER_NUMBERS, AT(cp_material, metallic), BAD_SURFACE, .not_in = IN_STAGE | IN_PROGRAM, .applies = shines,
     .length = 1},
    {MEMBER_NUMBERS, AT(cp_material, roughness), BAD_SURFACE, .not_in = IN_STAGE | IN_PROGRAM, .applies = shines,
     .length = 1},
    {MEMBER_NUMBERS, AT(cp_material, emissive), BAD_SURFACE, .not_in = IN_STAGE | IN_PROGRAM, .applies = glows,
     .length = 3},
    {MEMBER_WORD, AT(cp_material, alpha), .not_in = IN_STAGE | IN_PROGRAM, .optional = IN_DUMP, .words = alpha_words},
    {MEMBER_NUMBERS, AT(cp_material, cutoff), BAD_SURFACE, .not_in = IN_STAGE | IN_PROGRAM, .applies = is_masked,
     .length = 1},
    {MEMBER_TEXT, AT(cp_material, extensions), .not_in = IN_STAGE | IN_PROGRAM, .optional = IN_DUMP},
    {MEMBER_ARRAY, AT(cp_material, textures), "has a bad texture", .dump = "", .not_in = IN_STAGE | IN_PROGRAM,
     .layout = &texture_use_layout, .line = "use", .count = offsetof(cp_material, texture_count)},
    {0}};

static const struct member instance_members[] = {
    {MEMBER_ROW, AT(cp_instance, node), "does not stand with its node", .table = TABLE_NODES,
     .not_in = IN_STAGE | IN_PROGRAM},
    {MEMBER_ROW, AT(cp_instance, mesh), "has no mesh", .table = TABLE_MESHES, .not_in = IN_STAGE | IN_PROGRAM},
    {MEMBER_WORD, AT(cp_instance, use), .words = use_words, .not_in = IN_STAGE | IN_PROGRAM},
    {MEMBER_NUMBERS, AT(cp_instance, transform), "has a bad use or transform", .length = 12,
     .not_in = IN_STAGE | IN_PROGRAM},
    {0}};

static const struct member joint_members[] = {
    {MEMBER_ID, AT(cp_joint, id), NO_NAME, .dump = "", .early = true, .not_in = IN_PROGRAM},
    {MEMBER_NAME, AT(cp_joint, name), NO_NAME, .early = true, .not_in = IN_DIFF},
    {MEMBER_WORD, AT(cp_joint, type), .words = joint_type_words},
    {MEMBER_ROW, AT(cp_joint, node), "does not stand with its node", .shown = "frame", .early = true,
     .not_in = IN_STAGE, .table = TABLE_NODES},
    {MEMBER_NUMBERS, AT(cp_joint, axis), "has an axis that is not a unit vector", .optional = IN_STAGE,
     .not_in = IN_PROGRAM, .length = 3, .initial = INITIAL(double[3], 0, 0, 1)},
    {MEMBER_LIMIT, AT(cp_joint, lower), .initial = INITIAL(double, -INFINITY)},
    {MEMBER_LIMIT, AT(cp_joint, upper), .initial = INITIAL(double, INFINITY)},
    {MEMBER_LIMIT, AT(cp_joint, velocity), .initial = INITIAL(double, INFINITY)},
    {MEMBER_LIMIT, AT(cp_joint, acceleration), .initial = INITIAL(double, INFINITY)},
    {MEMBER_LIMIT, AT(cp_joint, effort), .optional = IN_ALL, .initial = INITIAL(double, INFINITY)},
    {MEMBER_NUMBERS, AT(cp_joint, damping), BAD_VALUE, .optional = IN_ALL, .length = 1},
    {MEMBER_NUMBERS, AT(cp_joint, friction), BAD_VALUE, .optional = IN_ALL, .length = 1},
    {MEMBER_NUMBERS, AT(cp_joint, home), BAD_VALUE, .length = 1},
    {MEMBER_NUMBERS, AT(cp_joint, q), BAD_VALUE, .length = 1},
    {MEMBER_FLAG, AT(cp_joint, driven), .optional = IN_STAGE},
    {MEMBER_ROW_OR_NONE, AT(cp_joint, master), "depends on no joint, or on a dependent one", .optional = IN_STAGE,
     .not_in = IN_PROGRAM, .table = TABLE_JOINTS},
    {MEMBER_RECORD, AT(cp_joint, expression), .optional = IN_ALL, .not_in = IN_PROGRAM, .layout = &expression_layout,
     .loss = LOSS_CLEARS},
    {MEMBER_LIMIT, AT(cp_joint, scale), .not_in = IN_PROGRAM, .applies = is_dependent, .initial = INITIAL(double, 1)},
    {MEMBER_LIMIT, AT(cp_joint, offset), .not_in = IN_PROGRAM, .applies = is_dependent},
    {0}};

#define POSE_AT(at, key, word)                                                                                         \
    {                                                                                                                  \
        MEMBER_NUMBERS, offsetof(cp_loop, poses[at]), key, "has a bad pose or length",                                 \
            .dump = word, .not_in = IN_PROGRAM, .length = 12, .initial = &POSE_IDENTITY                                \
    }

static const struct member loop_members[] = {
    {MEMBER_ID, AT(cp_loop, id), NO_NAME, .dump = "", .early = true, .not_in = IN_PROGRAM},
    {MEMBER_NAME, AT(cp_loop, name), NO_NAME, .early = true, .not_in = IN_DIFF},
    {MEMBER_WORD, AT(cp_loop, type), .early = true, .words = loop_type_words, .not_in = IN_DIFF},
    {MEMBER_ROW, offsetof(cp_loop, nodes[0]), "first", "joins a node that is not there", .dump = "nodes", .early = true,
     .not_in = IN_DIFF, .table = TABLE_NODES},
    POSE_AT(0, "first_pose", "first"),
    {MEMBER_ROW, offsetof(cp_loop, nodes[1]), "second", "joins a node that is not there", .dump = "", .early = true,
     .not_in = IN_DIFF, .table = TABLE_NODES},
    POSE_AT(1, "second_pose", "second"),
    {MEMBER_NUMBERS, AT(cp_loop, length), "has a bad pose or length", .unit = "m", .not_in = IN_DUMP | IN_DIFF,
     .applies = is_distance, .length = 1},
    {MEMBER_NUMBERS, AT(cp_loop, length), "has a bad pose or length", .not_in = IN_ALL - IN_DUMP, .length = 1},
    {0}};

static const struct member device_members[] = {
    {MEMBER_ID, AT(cp_device, id), NOT_THERE, .dump = "", .not_in = IN_PROGRAM},
    {MEMBER_NAME, AT(cp_device, name), .wrong = NOT_THERE, .not_in = IN_PROGRAM},
    {MEMBER_WORD, AT(cp_device, kind), .words = device_kind_words, .not_in = IN_PROGRAM},
    {MEMBER_ROW, AT(cp_device, base), NOT_THERE, .table = TABLE_NODES, .not_in = IN_PROGRAM},
    {MEMBER_ROW_OR_NONE, AT(cp_device, scope), "has a scope that is no device", .optional = IN_STAGE,
     .not_in = IN_PROGRAM, .table = TABLE_DEVICES},
    {MEMBER_ARRAY, AT(cp_device, ends), NOT_THERE, .layout = &node_list_layout, .loss = LOSS_DROPS,
     .not_in = IN_PROGRAM, .count = offsetof(cp_device, end_count)},
    {MEMBER_ARRAY, AT(cp_device, joints), NOT_THERE, .layout = &joint_list_layout, .loss = LOSS_DROPS,
     .count = offsetof(cp_device, joint_count), .not_in = IN_PROGRAM},
    {MEMBER_ARRAY, AT(cp_device, home), "has a home that is not finite", .optional = IN_STAGE, .layout = &number_layout,
     .may_lack = true, .count = offsetof(cp_device, joint_count), .not_in = IN_PROGRAM},
    {0}};

static const struct member pair_members[] = {
    {MEMBER_ROW, AT(cp_pair, first), NO_NODE, .dump = "", .table = TABLE_NODES, .not_in = IN_PROGRAM},
    {MEMBER_ROW, AT(cp_pair, second), NO_NODE, .dump = "", .table = TABLE_NODES, .not_in = IN_PROGRAM},
    {MEMBER_WORD, AT(cp_pair, verdict), .optional = IN_STAGE, .words = verdict_words, .not_in = IN_PROGRAM},
    {MEMBER_STRING, AT(cp_pair, reason), .wrong = NO_NODE, .not_in = IN_PROGRAM},
    {MEMBER_STRING, AT(cp_pair, evidence), NO_NODE, .optional = IN_STAGE, .not_in = IN_PROGRAM},
    {MEMBER_RECORD, AT(cp_pair, finding), .optional = IN_ALL, .layout = &finding_layout, .loss = LOSS_CLEARS,
     .not_in = IN_PROGRAM},
    {0}};

static const struct member clip_members[] = {
    {MEMBER_STRING, AT(cp_clip, name), "has no name", .dump = "", .early = true, .not_in = IN_STAGE | IN_PROGRAM},
    {MEMBER_ARRAY, AT(cp_clip, tracks), "has a bad track", .early = true, .not_in = IN_ALL - IN_DUMP,
     .layout = &track_layout, .line = "track", .count = offsetof(cp_clip, track_count)},
    {MEMBER_ARRAY, AT(cp_clip, marks), "has a bad mark", .optional = IN_DUMP | IN_STAGE, .layout = &mark_layout,
     .line = "mark", .count = offsetof(cp_clip, mark_count), .not_in = IN_DIFF},
    {MEMBER_ARRAY, AT(cp_clip, attachments), "attaches a node that is not there", .early = true,
     .optional = IN_DUMP | IN_STAGE, .not_in = IN_PROGRAM, .layout = &attachment_layout, .line = "attach",
     .count = offsetof(cp_clip, attachment_count)},
    {0}};

enum scene_table metadata_table(const void *metadata)
{
    static const enum scene_table tables_of_owners[] = {TABLE_NONE, TABLE_NODES, TABLE_MESHES, TABLE_MATERIALS,
                                                        TABLE_JOINTS};
    return tables_of_owners[((const cp_metadata_entry *)metadata)->owner];
}

static const struct member metadata_members[] = {
    {MEMBER_WORD, AT(cp_metadata_entry, owner), .dump = "", .not_in = IN_STAGE, .words = owner_words},
    {MEMBER_ROW, AT(cp_metadata_entry, index), NO_OWNER, .dump = "", .not_in = IN_STAGE, .applies = has_owner,
     .table_of = metadata_table},
    {MEMBER_STRING, AT(cp_metadata_entry, key), .wrong = NO_OWNER},
    {MEMBER_WORD, AT(cp_metadata_entry, type), .optional = IN_STAGE, .words = value_type_words},
    {MEMBER_STRING, AT(cp_metadata_entry, value), .wrong = NO_OWNER},
    {0}};

/* ---- the tables ---- */

#define PLACE(rows, count) offsetof(cp_scene, rows), offsetof(cp_scene, count)

const struct table_place tables[TABLE_COUNT] = {
    [TABLE_NODES] = {"node", NULL, PLACE(nodes, node_count), {sizeof(cp_node), node_members}},
    [TABLE_MESHES] = {"mesh", NULL, PLACE(meshes, mesh_count), {sizeof(cp_mesh), mesh_members}},
    [TABLE_IMAGES] = {"image", NULL, PLACE(images, image_count), {sizeof(cp_image), image_members}},
    [TABLE_TEXTURES] = {"texture", NULL, PLACE(textures, texture_count), {sizeof(cp_texture), texture_members}},
    [TABLE_MATERIALS] = {"material", NULL, PLACE(materials, material_count), {sizeof(cp_material), material_members}},
    [TABLE_INSTANCES] = {"instance", NULL, PLACE(instances, instance_count), {sizeof(cp_instance), instance_members}},
    [TABLE_JOINTS] = {"joint", NULL, PLACE(joints, joint_count), {sizeof(cp_joint), joint_members}},
    [TABLE_LOOPS] = {"loop", "loops", PLACE(loops, loop_count), {sizeof(cp_loop), loop_members}},
    [TABLE_DEVICES] = {"device", "devices", PLACE(devices, device_count), {sizeof(cp_device), device_members}},
    [TABLE_PAIRS] = {"pair", "pairs", PLACE(pairs, pair_count), {sizeof(cp_pair), pair_members}},
    [TABLE_CLIPS] = {"clip", NULL, PLACE(clips, clip_count), {sizeof(cp_clip), clip_members}},
    [TABLE_METADATA] = {"metadata",
                        NULL,
                        PLACE(metadata, metadata_count),
                        {sizeof(cp_metadata_entry), metadata_members}},
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
