/* The scene: building and changing it, the arrays of its meshes, its words, pictures and colours. */
#ifndef CELLPIPE_MODEL_MODEL_H
#define CELLPIPE_MODEL_MODEL_H

#include <math.h>
#include <string.h>

#include "base/base.h"

struct source;

/* Poses: 3x4 matrices for column vectors. */

#define POSE_IDENTITY ((cp_pose){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}})

/* Translation, unit quaternion (x y z w), scale: the pose T * R * S. */
struct trs {
    double translation[3], rotation[4], scale[3];
};

/* a * b: first b, then a. A factor that is exactly the identity leaves the other bit for bit. */
cp_pose pose_multiply(const cp_pose *a, const cp_pose *b);
/* The same without a copy, where it counts; product is neither of them. */
void pose_multiply_into(const cp_pose *a, const cp_pose *b, cp_pose *restrict product);
/* False when singular. */
bool pose_inverse(const cp_pose *pose, cp_pose *inverse);
void pose_point(const cp_pose *pose, const double point[3], double out[3]);
double pose_determinant(const cp_pose *pose);
/* Of its matrix, without what it moves by: the largest absolute value. */
double pose_largest_entry(const cp_pose *pose);
/* At most by how much the pose makes a vector longer; exact for a rotation with a uniform scale. */
double pose_stretch_bound(const cp_pose *pose);
bool pose_equal(const cp_pose *a, const cp_pose *b); /* bit patterns, -0 equals 0 */
bool pose_is_identity(const cp_pose *pose);
/* A rotation and a translation alone; the matrix is off by no more than the tolerance. */
bool pose_is_rigid(const cp_pose *pose, double tolerance);
bool pose_is_finite(const cp_pose *pose);
cp_pose pose_translation(double x, double y, double z);
cp_pose pose_scaling(double x, double y, double z);
/* Rotation by angle about a unit axis (Rodrigues). */
cp_pose pose_rotation(const double axis[3], double angle);
/* Rotations in degrees: multiples of 90 give exact zeros and ones. axis 0, 1, 2 = x, y, z. */
cp_pose pose_rotation_degrees(int axis, double degrees);
/* Of X Y Z and R = Rz(roll) Ry(pitch) Rx(yaw): see cp_pose_coordinates. */
cp_pose pose_from_coordinates(const double coordinates[6]);
cp_pose pose_from_trs(const struct trs *trs);
/* Nearest T * R * S: mirroring gives a negative scale (all three), zero scale keeps zeros. True when
 * pose_from_trs of the result is within tolerance (per entry, relative to the largest entry) of the pose;
 * false for shear. */
bool pose_to_trs(const cp_pose *pose, double tolerance, struct trs *trs);
/* The matrix as U S V^T: the columns of U S, which are at right angles (those that are flat to rounding are 0), and of
 * the rotation V; both as [column][row]. */
void pose_singular(const cp_pose *pose, double us[3][3], double v[3][3]);
/* Y-up source to the scene's Z-up: (x, y, z) -> (x, -z, y); and back. */
cp_pose pose_z_up_from_y_up(void);
cp_pose pose_y_up_from_z_up(void);
/* The motion of a joint at value q; into: without a copy, where it counts. */
cp_pose joint_motion(const cp_joint *joint, double q);
void joint_motion_into(const cp_joint *joint, double q, cp_pose *restrict motion);

/* Three doubles. */

static inline double dot_product(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void subtract(const double a[3], const double b[3], double difference[3])
{
    for (int axis = 0; axis < 3; axis++)
        difference[axis] = a[axis] - b[axis];
}

static inline void cross_product(const double a[3], const double b[3], double product[3])
{
    product[0] = a[1] * b[2] - a[2] * b[1];
    product[1] = a[2] * b[0] - a[0] * b[2];
    product[2] = a[0] * b[1] - a[1] * b[0];
}

/* The normal of triangle o, a, b, as long as twice its area. */
static inline void triangle_normal(const double o[3], const double a[3], const double b[3], double normal[3])
{
    double p[3], q[3];
    subtract(a, o, p);
    subtract(b, o, q);
    cross_product(p, q, normal);
}

/* Building and changing a scene: for importers and filters. Functions that return an index return CP_NONE after
 * reporting when out of memory or over a limit. */

struct input;

/* The tables of a scene; tables.c describes them. A reference that must not be CP_NONE is to a table before its own. */
enum scene_table {
    TABLE_NODES,
    TABLE_MESHES,
    TABLE_IMAGES,
    TABLE_TEXTURES,
    TABLE_MATERIALS,
    TABLE_INSTANCES,
    TABLE_JOINTS,
    TABLE_LOOPS,
    TABLE_DEVICES,
    TABLE_PAIRS,
    TABLE_CLIPS,
    TABLE_METADATA,
    TABLE_COUNT,
    TABLE_NONE = TABLE_COUNT /* the owner of metadata is the scene itself, with index 0 */
};

struct cp_scene {
    cp_context *context;
    struct arena *arena; /* owns all strings and arrays that the tables point to */
    cp_node *nodes;
    cp_instance *instances;
    cp_mesh *meshes;
    cp_image *images;
    cp_texture *textures;
    cp_material *materials;
    cp_joint *joints;
    cp_loop *loops;
    cp_device *devices;
    cp_pair *pairs;
    cp_clip *clips;
    cp_metadata_entry *metadata;
    uint32_t node_count, instance_count, mesh_count, image_count, texture_count, material_count, joint_count,
        loop_count, device_count, pair_count, clip_count, metadata_count;
    uint32_t rooms[TABLE_COUNT]; /* how many rows fit into the memory of each table */
    cp_source source;
    const struct input *inputs; /* the files that it was read from (bytes/inputs.h) */
    uint32_t input_count;
    bool exclude_static_pairs;
};

/* A scene with its world node "WORLD". NULL when out of memory. */
cp_scene *scene_new(cp_context *context);

/* count x size bytes that live as long as the scene, e.g. for a mesh's arrays. */
void *scene_allocate(cp_scene *scene, size_t count, size_t size);
/* Gives an array that grew by array_reserve (*items with room for *room, count of them used) to the scene: large ones
 * as they are, cut to what is used, with *items NULL and *room 0 afterwards, small ones as a copy. NULL when out of
 * memory. */
void *scene_keep_array(cp_scene *scene, void *items, uint32_t *room, uint32_t count, size_t item_size);
/* A copy of text that lives as long as the scene. NULL when out of memory. */
const char *scene_text(cp_scene *scene, const char *text);

/* Appends a copy of a row; what it points to must be the scene's (scene_allocate, scene_text) or a literal. */
uint32_t scene_add_row(cp_scene *scene, enum scene_table table, const void *row);
/* name: size bytes in whatever encoding. The id may be set by the caller before scene_finish. */
uint32_t scene_add_node(cp_scene *scene, uint32_t parent, const char *name, size_t size);
/* Instances and joints are added in the order of their nodes. Of a mesh name, source and id may be NULL. */
uint32_t scene_add_mesh(cp_scene *scene, const cp_mesh *mesh);
uint32_t scene_add_instance(cp_scene *scene, uint32_t node, uint32_t mesh, uint32_t use, const cp_pose *transform);
/* Of an image name, type and path may be NULL. */
uint32_t scene_add_image(cp_scene *scene, const cp_image *image);
/* Of a texture the name may be NULL. */
uint32_t scene_add_texture(cp_scene *scene, const cp_texture *texture);
/* A matt surface, metallic 0 and roughness 0.8, without textures. */
uint32_t scene_add_material(cp_scene *scene, const char *name, const double rgba[4], bool srgb);
/* A joint with axis Z, no limits, home 0, driven, no master. name NULL: the node's, ".2", ".3" appended for its
 * second, third joint. */
uint32_t scene_add_joint(cp_scene *scene, uint32_t node, cp_joint_type type, const char *name);
/* A loop between two nodes, at their origins. */
uint32_t scene_add_loop(cp_scene *scene, const char *name, cp_loop_type type, uint32_t first, uint32_t second);
/* A copy of the expression in the scene's memory, text, factors and all; *inputs: its joints, for the caller to change.
 * NULL when out of memory. */
cp_expression *scene_copy_expression(cp_scene *scene, const cp_expression *expression, uint32_t **inputs);
/* A copy of the finding in the scene's memory; *witness: its settings, for the caller to change. NULL when out of
 * memory. */
cp_finding *scene_copy_finding(cp_scene *scene, const cp_finding *finding, cp_joint_setting **witness);
/* Its numbers can be: lengths from 0, no more hits than samples, and work that JSON's doubles hold. */
bool finding_is_sound(const cp_finding *finding);
/* Adds files that it was made of. */
cp_status scene_add_inputs(cp_scene *scene, const struct input *inputs, uint32_t count);
/* A serial device without joints; joints, ends and home are set by the caller (scene's memory). */
uint32_t scene_add_device(cp_scene *scene, const char *name, uint32_t base);
uint32_t scene_add_pair(cp_scene *scene, uint32_t first, uint32_t second, const char *reason);
/* Its attachments are set by the caller (scene's memory). */
uint32_t scene_add_clip(cp_scene *scene, const char *name, uint32_t track_count, const cp_track *tracks);
/* Strings are copied. */
bool scene_add_metadata(cp_scene *scene, cp_owner owner, uint32_t index, const char *key, cp_value_type type,
                        const char *value);

/* The id of a table's row, NULL for CP_NONE. */
const char *scene_id(const cp_scene *scene, enum scene_table table, uint32_t index);
/* The table of the owner of an entry of metadata. */
enum scene_table metadata_table(const void *metadata);

/* Gives every node, mesh, material, joint and device without an id a unique one made of its name, makes set ids unique
 * (warning "scene-id"), sets joints' q to home where NaN, sorts metadata by owner, then checks all invariants
 * (cp_validate). Every importer ends with it. */
cp_status scene_finish(cp_scene *scene);

/* A new scene whose tables are copies and whose arrays and strings are shared: the original must outlive it. */
cp_scene *scene_copy(const cp_scene *scene);
/* Replaces the content of `scene` by that of its copy (scene_copy), which is freed. */
void scene_replace(cp_scene *scene, cp_scene *copy);
/* Tells each node which instances and joints are its own: they stand in the order of their nodes. */
void scene_find_spans(cp_scene *scene);
/* Replaces the table of instances by one of memory_allocate(context, room, sizeof), in the order of the nodes. */
void scene_take_instances(cp_scene *scene, cp_instance *instances, uint32_t count, uint32_t room);
/* Drops meshes, materials, textures and images that nothing uses. */
cp_status scene_drop_unused(cp_scene *scene);
/* Drops the rows of a table with gone[row] (NULL: all of them), and the rows that must refer to one of these. Elsewhere
 * references to them become CP_NONE. */
cp_status scene_drop_rows(cp_scene *scene, enum scene_table table, const bool *gone);
/* Adds the meshes and materials of `other`, with their textures, and lists what it shows: *count instances in the
 * scene's memory, of meshes of the scene, with their poses in the world of `other`; plugins/models.h places them.
 * worlds: the poses of its nodes there. `other` is emptied, its memory adopted; free it after. */
cp_status scene_add_geometry(cp_scene *scene, cp_scene *other, const cp_pose *worlds, cp_instance **instances,
                             uint32_t *count);

/* The faces of a mesh as a view that treats "all triangles" alike. */
static inline uint32_t mesh_face_first(const cp_mesh *mesh, uint32_t face)
{
    return mesh->face_offsets ? mesh->face_offsets[face] : 3 * face;
}
static inline uint32_t mesh_face_size(const cp_mesh *mesh, uint32_t face)
{
    return mesh->face_offsets ? mesh->face_offsets[face + 1] - mesh->face_offsets[face] : 3;
}
/* One node for each scene and name that does not exist: a placeholder below the world. */
uint32_t scene_add_placeholder(cp_scene *scene, const char *name);

/* The index of the one row with that name, in a table with ids; where no name fits, with that id; "id:X" is the id X
 * only. No match (the error names the nearest name) and several (it names their ids) are CP_USAGE. */
cp_status find_named(const cp_scene *scene, enum scene_table table, const char *name, uint32_t *index);

/* Hangs a node on a host in the tree that parents[node count] tells (CP_NONE for the world's). False, with nothing
 * done, when the host is the node, hangs on it, or lies deeper than a scene's limit of depth; or when the node is the
 * world. */
bool attach_node(const cp_context *context, uint32_t *parents, uint32_t node, uint32_t host);

/* heads[node] for each node: the topmost frame that it can never move against. A joint that moves, a movable or
 * attachable flag and a track of a clip make a frame the head of a new link; fixed joints do not. */
void scene_find_links(const cp_scene *scene, uint32_t *heads);

/* The arrays that a mesh has for its vertices. */

/* The arrays of numbers that a mesh has, or may have, for its vertices, as data: code that treats all alike walks this
 * list. */
enum {
    ARRAY_POSITIONS,
    ARRAY_NORMALS,
    ARRAY_TANGENTS,
    ARRAY_COLOURS,
    ARRAY_COORDINATES,
    ARRAY_COUNT = ARRAY_COORDINATES + CP_COORDINATE_SETS
};
struct vertex_array {
    size_t at;         /* offset in cp_mesh */
    size_t width;      /* floats a vertex */
    const char *wrong; /* message if one is not finite */
};
extern const struct vertex_array vertex_arrays[ARRAY_COUNT];
/* The array with that number; NULL if the mesh has none. */
static inline const float *mesh_array(const cp_mesh *mesh, size_t number)
{
    const float *values;
    memcpy(&values, (const char *)mesh + vertex_arrays[number].at, sizeof values);
    return values;
}
static inline void mesh_set_array(cp_mesh *mesh, size_t number, const float *values)
{
    memcpy((char *)mesh + vertex_arrays[number].at, &values, sizeof values);
}
/* Gives `to` arrays like those of `from`: new ones of count vertices in the scene's memory, for the caller to fill.
 * False when out of memory. */
bool mesh_make_arrays(cp_scene *scene, cp_mesh *to, const cp_mesh *from, size_t count);
/* Copies all that a vertex has. `to` has the arrays of `from`, made by mesh_make_arrays. */
void mesh_copy_vertex(cp_mesh *to, size_t vertex, const cp_mesh *from, size_t source);
/* Gives `mesh` other arrays: of count vertices, each a copy of the one in sources. It then has that many. False when
 * out of memory. */
bool mesh_take_vertices(cp_scene *scene, cp_mesh *mesh, const uint32_t *sources, uint32_t count);

/* The words of the model's enumerations, the same in stages, dumps and messages: in the enum's order, ended by NULL. */

extern const char *const mesh_kind_words[];
extern const char *const joint_type_words[];
extern const char *const loop_type_words[];
extern const char *const device_kind_words[];
extern const char *const verdict_words[];
/* What a pair's reason is, if it is one of ours. */
extern const char *const reason_words[];
extern const char *const track_path_words[];
extern const char *const track_interpolation_words[];
extern const char *const owner_words[];
extern const char *const value_type_words[];
extern const char *const wrap_words[];
extern const char *const sampling_words[];
extern const char *const alpha_words[];
extern const char *const texture_role_words[];
/* By CP_USE_...; 0 is "none". */
extern const char *const use_words[];
/* By the bit of CP_NODE_... */
extern const char *const node_flag_words[];

/* Pictures: their type and size by their first bytes. Nobody decodes them. */

/* The media type by the first bytes, else by the suffix of the path ("": none). "" when unknown. A literal. */
const char *image_type(const unsigned char *bytes, size_t size, const char *path);
/* The suffix of files of a media type, with its dot; NULL when unknown. */
const char *image_suffix(const char *type);
/* Width and height of a PNG or JPEG image in pixels. False for others, and when there is no such number. */
bool image_size(const cp_image *image, uint32_t size[2]);
/* Whether a PNG or JPEG image has no colours. */
bool image_is_grey(const cp_image *image);
/* A text that images of equal bytes and type share; in the arena, NULL when out of memory. */
const char *image_key(struct arena *arena, const cp_image *image);
/* Adds the image in a file that `parent` names by a path or URI, or by `other` (as in source_open_picture). Without
 * such a file, the image has its path alone, and a warning with this code says why. *image CP_NONE after an error. */
cp_status scene_read_image(cp_scene *scene, const struct source *parent, const char *path, const char *other,
                           const char *code, uint32_t *image);

/* Colours as they are displayed (sRGB) and as light (linear), by IEC 61966-2-1. */

/* What is drawn where the source has no colour, as displayed: between the white of a page and the black of a viewer. */
#define PLAIN_GREY 0.6

static inline double linear_from_srgb(double value)
{
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static inline double srgb_from_linear(double value)
{
    return value <= 0.0031308 ? 12.92 * value : fmin(1, 1.055 * pow(value, 1 / 2.4) - 0.055);
}

/* 0 .. 1; what is no number is 0. */
static inline double within_unit(double value)
{
    return value > 0 ? fmin(value, 1) : 0;
}

/* Of a material: its light, with channels that are out of range cut. */
static inline double linear_channel(const cp_material *material, int channel)
{
    double value = within_unit(material->rgba[channel]);
    return material->srgb ? linear_from_srgb(value) : value;
}

/* Formulas over the values of joints, as device files have them: "0.5*dof(1) + sin(dof(2))". */

enum { EXPRESSION_LONGEST = 1024, EXPRESSION_DEEPEST = 64 };

/* What a step does to a stack of values: it puts one there, changes the top, or takes two and puts one back. */
enum expression_operation {
    EXPRESSION_NUMBER,
    EXPRESSION_INPUT, /* number * inputs[input] */
    EXPRESSION_NEGATE,
    EXPRESSION_SIN, /* angles are in units of `number` radians */
    EXPRESSION_COS,
    EXPRESSION_TAN,
    EXPRESSION_ASIN,
    EXPRESSION_ACOS,
    EXPRESSION_ATAN,
    EXPRESSION_SQRT,
    EXPRESSION_ABS,
    EXPRESSION_ADD, /* from here on of two */
    EXPRESSION_SUBTRACT,
    EXPRESSION_MULTIPLY,
    EXPRESSION_DIVIDE,
    EXPRESSION_POWER,
    EXPRESSION_ATAN2,
    EXPRESSION_MIN,
    EXPRESSION_MAX
};
/* A step of a compiled formula. */
struct expression_step {
    enum expression_operation operation;
    uint32_t input;
    double number;
};

/* Compiles a formula over dof(1) .. dof(input_count), which are inputs from 0 with the factor 1. angle: radians of one
 * unit of what the trigonometric functions take and give. Takes no memory.
 *     expression = term { ("+" | "-") term }        term = signed { ("*" | "/") signed }
 *     signed = [ "-" | "+" ] power                  power = primary [ "^" signed ]
 *     primary = number | "dof" "(" whole number ")" | "pi" | "(" expression ")"
 *             | function "(" expression { "," expression } ")"
 *     function = sin cos tan asin acos atan atan2 sqrt abs min max
 * Names may be in capitals. NULL when all is well; else what is wrong (a literal), and where (*at), without steps. */
const char *expression_compile(const char *text, double angle, uint32_t input_count,
                               struct expression_step steps[EXPRESSION_LONGEST], uint32_t *count, size_t *at);
/* What expression_compile would say. */
const char *expression_check(const char *text, uint32_t input_count, size_t *at);
/* The value of a compiled formula. NULL when all is well; else why it has none (a literal), with *value 0. */
const char *expression_run(const struct expression_step *steps, uint32_t count, const double *inputs, double *value);

/* The formula with its inputs numbered anew: dof(1), dof(2), ... for those that it uses, in their order; inputs[k] is
 * the old index, from 0, of the new dof(k + 1). It never gets longer. For formulas that expression_check has found
 * sound. Returns how many there are. */
enum { EXPRESSION_MOST_INPUTS = EXPRESSION_LONGEST / 6 };
uint32_t expression_compact(const char *text, char compact[EXPRESSION_LONGEST + 1],
                            uint32_t inputs[EXPRESSION_MOST_INPUTS]);

#endif
