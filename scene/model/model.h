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

/* Returns a * b: first b, then a. A factor that is exactly the identity leaves the other one bit for bit. */
cp_pose pose_multiply(const cp_pose *a, const cp_pose *b);
/* Computes the same without a copy, for inner loops. `product` is neither of the two. */
void pose_multiply_into(const cp_pose *a, const cp_pose *b, cp_pose *restrict product);
/* Computes the inverse; returns false if the pose is singular. */
bool pose_inverse(const cp_pose *pose, cp_pose *inverse);
void pose_point(const cp_pose *pose, const double point[3], double out[3]);
double pose_determinant(const cp_pose *pose);
/* Returns the largest absolute value of the matrix, without the translation. */
double pose_largest_entry(const cp_pose *pose);
/* Returns a bound of the factor by which the pose makes a vector longer; exact for a rotation with a uniform scale. */
double pose_stretch_bound(const cp_pose *pose);
bool pose_equal(const cp_pose *a, const cp_pose *b); /* bit patterns, -0 equals 0 */
bool pose_is_identity(const cp_pose *pose);
/* Tells whether the pose is a rotation and a translation; its matrix may be off by no more than the tolerance. */
bool pose_is_rigid(const cp_pose *pose, double tolerance);
bool pose_is_finite(const cp_pose *pose);
cp_pose pose_translation(double x, double y, double z);
cp_pose pose_scaling(double x, double y, double z);
/* Returns the rotation by `angle` about a unit axis (Rodrigues' formula). */
cp_pose pose_rotation(const double axis[3], double angle);
/* Returns a rotation by degrees: multiples of 90 give exact zeros and ones. The axes 0, 1, 2 are x, y, z. */
cp_pose pose_rotation_degrees(int axis, double degrees);
/* Makes a pose from X Y Z and R = Rz(roll) Ry(pitch) Rx(yaw): see cp_pose_coordinates. */
cp_pose pose_from_coordinates(const double coordinates[6]);
cp_pose pose_from_trs(const struct trs *trs);
/* Finds the nearest T * R * S. Mirroring gives a negative scale (all three); a scale of zero stays zero. Returns true
 * if pose_from_trs of the result is within tolerance of the pose (per entry, relative to the largest entry); false for
 * shear. */
bool pose_to_trs(const cp_pose *pose, double tolerance, struct trs *trs);
/* Decomposes the matrix into U S V^T: the columns of U S, which are at right angles (a column that is only rounding is
 * 0), and those of the rotation V; both as [column][row]. */
void pose_singular(const cp_pose *pose, double us[3][3], double v[3][3]);
/* Returns the pose from a Y-up source to the scene's Z-up, (x, y, z) -> (x, -z, y), and the one back. */
cp_pose pose_z_up_from_y_up(void);
cp_pose pose_y_up_from_z_up(void);
/* Computes the motion of a joint at value q; joint_motion_into without a copy, for inner loops. */
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

/* Computes the normal of triangle o, a, b; its length is twice the area. */
static inline void triangle_normal(const double o[3], const double a[3], const double b[3], double normal[3])
{
    double p[3], q[3];
    subtract(a, o, p);
    subtract(b, o, q);
    cross_product(p, q, normal);
}

/* Builds and changes a scene, for importers and filters. Functions that return an index return CP_NONE after reporting
 * if memory is short or a limit is exceeded. */

struct input;

/* The tables of a scene; tables.c describes them. A reference that must not be CP_NONE leads to a table before its
 * own. */
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

/* The files that a scene was read from. */
struct scene_inputs {
    const struct input *items; /* base/bytes/bytes.h */
    uint32_t count;
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
    struct scene_inputs inputs;
    bool exclude_static_pairs;
};

/* Makes a scene with its world node "WORLD". Returns NULL if out of memory. */
cp_scene *scene_new(cp_context *context);

/* Allocates count x size bytes that live as long as the scene, e.g. for a mesh's arrays. */
void *scene_allocate(cp_scene *scene, size_t count, size_t size);
/* Gives the scene an array that grew by array_reserve (*items with room for *room, count of them used). As there, items
 * is the address of a pointer of any type. A large array is handed over, cut to what is used, and leaves *items NULL
 * and *room 0; a small one is copied. Returns NULL if out of memory. */
void *scene_keep_array(cp_scene *scene, void *items, uint32_t *room, uint32_t count, size_t item_size);
/* Returns a copy of the text that lives as long as the scene; NULL if out of memory. */
const char *scene_text(cp_scene *scene, const char *text);

/* Appends a copy of a row; what it points to must be the scene's (scene_allocate, scene_text) or a literal. */
uint32_t scene_add_row(cp_scene *scene, enum scene_table table, const void *row);
/* Adds a node. `name` is size bytes in whatever encoding. The caller may set the id before scene_finish. */
uint32_t scene_add_node(cp_scene *scene, uint32_t parent, const char *name, size_t size);
/* These two add a mesh, whose name, source and id may be NULL, and place one. Instances and joints are added in the
 * order of their nodes. */
uint32_t scene_add_mesh(cp_scene *scene, const cp_mesh *mesh);
uint32_t scene_add_instance(cp_scene *scene, uint32_t node, uint32_t mesh, uint32_t use, const cp_pose *transform);
/* Adds an image; its name, type and path may be NULL. */
uint32_t scene_add_image(cp_scene *scene, const cp_image *image);
/* Adds a texture; its name may be NULL. */
uint32_t scene_add_texture(cp_scene *scene, const cp_texture *texture);
/* Adds a matt material without textures: metallic 0, roughness 0.8. */
uint32_t scene_add_material(cp_scene *scene, const char *name, const double rgba[4], bool srgb);
/* Adds a joint with axis Z, no limits, home 0, driven, no master. If name is NULL, it gets the node's name, with ".2",
 * ".3" appended for the node's second and third joint. */
uint32_t scene_add_joint(cp_scene *scene, uint32_t node, cp_joint_type type, const char *name);
/* Adds a loop between two nodes, at their origins. */
uint32_t scene_add_loop(cp_scene *scene, const char *name, cp_loop_type type, uint32_t first, uint32_t second);
/* Returns a copy of the expression in the scene's memory, with its text and factors; NULL if out of memory. *inputs are
 * its joints, for the caller to change. */
cp_expression *scene_copy_expression(cp_scene *scene, const cp_expression *expression, uint32_t **inputs);
/* Returns a copy of the finding in the scene's memory; NULL if out of memory. *witness are its settings, for the caller
 * to change. */
cp_finding *scene_copy_finding(cp_scene *scene, const cp_finding *finding, cp_joint_setting **witness);
/* Tells whether the numbers of a finding are possible: lengths from 0, no more hits than samples, and work that JSON's
 * doubles hold exactly. */
bool finding_is_sound(const cp_finding *finding);
/* Adds files that the scene was made of. */
cp_status scene_add_inputs(cp_scene *scene, const struct input *inputs, uint32_t count);
/* Adds a serial device without joints. The caller sets joints, ends and home, in the scene's memory. */
uint32_t scene_add_device(cp_scene *scene, const char *name, uint32_t base);
uint32_t scene_add_pair(cp_scene *scene, uint32_t first, uint32_t second, const char *reason);
/* Adds a clip. The caller sets its attachments, in the scene's memory. */
uint32_t scene_add_clip(cp_scene *scene, const char *name, uint32_t track_count, const cp_track *tracks);
/* Strings are copied. */
bool scene_add_metadata(cp_scene *scene, cp_owner owner, uint32_t index, const char *key, cp_value_type type,
                        const char *value);

/* Returns the id of a table's row; NULL for CP_NONE. */
const char *scene_id(const cp_scene *scene, enum scene_table table, uint32_t index);
/* Returns the table of the owner of an entry of metadata. */
enum scene_table metadata_table(const void *metadata);

/* Completes a scene; every importer ends with it. It makes unique ids from the names of nodes, meshes, materials,
 * joints and devices that have none, makes the ids that are set unique (warning "scene-id"), sets q of joints to home
 * if it is NaN, and sorts metadata by owner. Then it checks all invariants (cp_validate). */
cp_status scene_finish(cp_scene *scene);

/* Makes a scene whose tables are copies and whose arrays and strings are shared: the original must outlive it. */
cp_scene *scene_copy(const cp_scene *scene);
/* Replaces the content of `scene` by that of its copy (scene_copy), and frees the copy. */
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

/* Gives the faces of a mesh as a view that hides the special case of triangles alone. */
static inline uint32_t mesh_face_first(const cp_mesh *mesh, uint32_t face)
{
    return mesh->face_offsets ? mesh->face_offsets[face] : 3 * face;
}
static inline uint32_t mesh_face_size(const cp_mesh *mesh, uint32_t face)
{
    return mesh->face_offsets ? mesh->face_offsets[face + 1] - mesh->face_offsets[face] : 3;
}
/* Finds or makes the placeholder of a name below the world: one node for each scene and name. */
uint32_t scene_add_placeholder(cp_scene *scene, const char *name);

/* Finds the index of the one row with that name, in a table with ids; if no name fits, with that id; "id:X" is the id X
 * only. No match (the error names the nearest name) and several (it names their ids) are CP_USAGE. */
cp_status find_named(const cp_scene *scene, enum scene_table table, const char *name, uint32_t *index);

/* Hangs a node on a host in the tree parents[node count] (CP_NONE for the world's). False, with nothing done, when the
 * host is the node, hangs on it, or lies deeper than a scene's limit of depth; or when the node is the world. */
bool attach_node(const cp_context *context, uint32_t *parents, uint32_t node, uint32_t host);

/* Finds heads[node] for each node: the topmost frame that it can never move against. A joint that moves, a movable or
 * attachable flag and a track of a clip make a frame the head of a new link; fixed joints do not. */
void scene_find_links(const cp_scene *scene, uint32_t *heads);

/* The arrays that a mesh has for its vertices. */

/* The arrays of numbers that a mesh has, or may have, for its vertices, as data: code that treats all arrays alike
 * walks this list. */
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
/* Returns the array with that number; NULL if the mesh has none. */
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
/* Copies all values of a vertex. `to` has the arrays of `from`, made by mesh_make_arrays. */
void mesh_copy_vertex(cp_mesh *to, size_t vertex, const cp_mesh *from, size_t source);
/* Gives `mesh` other arrays of count vertices, each a copy of the one in sources. The mesh then has that many. False
 * when out of memory. */
bool mesh_take_vertices(cp_scene *scene, cp_mesh *mesh, const uint32_t *sources, uint32_t count);

/* The words of the model's enumerations, the same in stages, dumps and messages: in the enum's order, ended by NULL. */

extern const char *const mesh_kind_words[];
extern const char *const joint_type_words[];
extern const char *const loop_type_words[];
extern const char *const device_kind_words[];
extern const char *const verdict_words[];
/* The reasons of pairs that cellpipe itself gives. */
extern const char *const reason_words[];
extern const char *const track_path_words[];
extern const char *const track_interpolation_words[];
extern const char *const owner_words[];
extern const char *const value_type_words[];
extern const char *const wrap_words[];
extern const char *const sampling_words[];
extern const char *const alpha_words[];
extern const char *const texture_role_words[];
/* The words for CP_USE_...; 0 is "none". */
extern const char *const use_words[];
/* The words for the bits of CP_NODE_... */
extern const char *const node_flag_words[];

/* Finds the type and size of pictures by their first bytes. No picture is decoded. */

/* Returns the media type by the first bytes, else by the suffix of the path ("": none). "" if unknown. It is a
 * literal. */
const char *image_type(const unsigned char *bytes, size_t size, const char *path);
/* Returns the suffix of files of a media type, with its dot; NULL if unknown. */
const char *image_suffix(const char *type);
/* Reads the width and height of a PNG or JPEG image in pixels. Returns false for others, and for files that lack
 * them. */
bool image_size(const cp_image *image, uint32_t size[2]);
/* Tells whether a PNG or JPEG image has no colours. */
bool image_is_grey(const cp_image *image);
/* Returns a text that images of equal bytes and type share, in the arena; NULL if out of memory. */
const char *image_key(struct arena *arena, const cp_image *image);
/* Adds the image in a file that `parent` names by a path or URI, or by `other` (as in source_open_picture). If there is
 * no such file, the image has its path alone, and a warning with this code says why. *image is CP_NONE after an
 * error. */
cp_status scene_read_image(cp_scene *scene, const struct source *parent, const char *path, const char *other,
                           const char *code, uint32_t *image);
/* Does the same with the picture that has been opened, and closes it; source NULL: there is none. */
cp_status scene_keep_image(cp_scene *scene, const struct source *parent, struct source *source, const char *path,
                           const char *code, uint32_t *image);

/* Converts colours as they are displayed (sRGB) to light (linear) and back, by IEC 61966-2-1. */

/* The grey, as displayed, that is drawn if the source has no colour: it differs from the white of a page and the black
 * of a viewer. */
#define PLAIN_GREY 0.6

static inline double linear_from_srgb(double value)
{
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static inline double srgb_from_linear(double value)
{
    return value <= 0.0031308 ? 12.92 * value : fmin(1, 1.055 * pow(value, 1 / 2.4) - 0.055);
}

/* Limits a value to 0 .. 1; NaN becomes 0. */
static inline double within_unit(double value)
{
    return value > 0 ? fmin(value, 1) : 0;
}

/* Returns a channel of a material as linear light, limited to 0 .. 1. */
static inline double linear_channel(const cp_material *material, int channel)
{
    double value = within_unit(material->rgba[channel]);
    return material->srgb ? linear_from_srgb(value) : value;
}

/* Returns a channel of a material's emission as linear light, limited to 0 .. 1, for pictures without emissive
 * textures: 0 if the material has one, since most of such a texture is black. */
static inline double emissive_channel(const cp_material *material, int channel)
{
    for (uint32_t i = 0; i < material->texture_count; i++)
        if (material->textures[i].role == CP_TEXTURE_EMISSIVE)
            return 0;
    return within_unit(material->emissive[channel]);
}

/* Formulas over the values of joints, as device files have them: "0.5*dof(1) + sin(dof(2))". */

enum { EXPRESSION_LONGEST = 1024, EXPRESSION_DEEPEST = 64 };

/* The effect of a step on a stack of values: it pushes one, changes the top, or replaces two by one. */
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
/* Returns what expression_compile would report. */
const char *expression_check(const char *text, uint32_t input_count, size_t *at);
/* Computes the value of a compiled formula. NULL on success; else why it has none (a literal), with *value 0. */
const char *expression_run(const struct expression_step *steps, uint32_t count, const double *inputs, double *value);

/* Numbers the formula's inputs anew: dof(1), dof(2), ... for those that it uses, in their order; inputs[k] is the old
 * index, from 0, of the new dof(k + 1). The text never gets longer. The formula must have passed expression_check.
 * Returns the number of inputs. */
enum { EXPRESSION_MOST_INPUTS = EXPRESSION_LONGEST / 6 };
uint32_t expression_compact(const char *text, char compact[EXPRESSION_LONGEST + 1],
                            uint32_t inputs[EXPRESSION_MOST_INPUTS]);

#endif
