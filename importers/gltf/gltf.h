/* The declarations that the files of the glTF importer share. */
#ifndef CELLPIPE_IMPORTERS_GLTF_GLTF_H
#define CELLPIPE_IMPORTERS_GLTF_GLTF_H

#include "base/text/json.h"
#include "model/tables.h"
#include "plugins/importer.h"

enum gltf_up { UP_AUTO, UP_Y, UP_Z };

struct gltf_import_settings {
    struct import_settings common;
    int up; /* enum gltf_up */
    bool collision;
};

/* The items of one of the document's arrays: value indices. */
struct gltf_list {
    const uint32_t *items;
    uint32_t count;
};

struct gltf_buffer {
    const unsigned char *bytes; /* NULL: not loaded yet */
    uint64_t size;              /* as the document says */
    uint64_t whole;             /* as it is there */
    struct source *file;        /* the external file that holds the bytes, or NULL */
};

/* The bytes of a bufferView. stride 0: tightly packed. */
struct gltf_view {
    const unsigned char *bytes; /* NULL: not resolved yet */
    uint64_t size, stride;
};

enum {
    COMPONENT_BYTE = 5120,
    COMPONENT_UBYTE = 5121,
    COMPONENT_SHORT = 5122,
    COMPONENT_USHORT = 5123,
    COMPONENT_UINT = 5125,
    COMPONENT_FLOAT = 5126
};

struct gltf_accessor {
    bool read;
    uint32_t value;
    uint32_t type;       /* componentType: 5120 .. 5126 */
    uint32_t components; /* 1 .. 16 */
    bool normalized;
    uint32_t count;
    struct gltf_view view; /* begins with the first element; bytes NULL: all zero */
    uint32_t sparse;       /* the value, or JSON_NONE */
};

/* The purposes for which floats are decoded: an accessor is decoded once for each. */
enum gltf_purpose {
    PURPOSE_POSITION = ARRAY_POSITIONS, /* each fills the array of that number */
    PURPOSE_NORMAL = ARRAY_NORMALS,
    PURPOSE_TANGENT = ARRAY_TANGENTS,
    PURPOSE_COLOUR = ARRAY_COLOURS,
    PURPOSE_COORDINATES = ARRAY_COORDINATES,
    PURPOSE_COUNT = ARRAY_COUNT
};
struct gltf_floats {
    const float *values[PURPOSE_COUNT];
    const double *doubles;
};

/* The role of a glTF node in the scene. */
enum gltf_role {
    ROLE_NODE,     /* a node of the scene */
    ROLE_LINK,     /* a made axis or shear node, or a joint: one of the chain below a node */
    ROLE_INSTANCE, /* a made node that places a mesh */
    ROLE_UP        /* above the world: the made root that turns Z up to Y up, or a root that another tool put there */
};

/* extras.cellpipe.made of nodes. */
enum gltf_made { MADE_NOT, MADE_UP, MADE_SHEAR, MADE_AXIS, MADE_INSTANCE, MADE_VIEW };

struct gltf_node {
    uint32_t value;
    uint32_t parent;       /* glTF node, or CP_NONE */
    uint32_t own;          /* extras.cellpipe, or JSON_NONE */
    uint32_t mesh;         /* glTF mesh, or CP_NONE */
    uint32_t link;         /* the next node of the chain, or CP_NONE */
    uint32_t target;       /* the scene node it belongs to */
    uint32_t joint;        /* an index of gltf_joints, for a link that has one, or CP_NONE */
    unsigned char role;    /* enum gltf_role */
    unsigned char made;    /* enum gltf_made */
    bool moves;            /* our extras hold a joint */
    bool wraps;            /* an empty root of another tool above our world or up root */
    unsigned char visited; /* enum visit of tree.c */
    bool chosen;           /* a root of the scene that is read */
    bool in_scene;         /* below such a root */
    bool has_matrix;
    const cp_pose *pose;   /* its own transform */
    const cp_pose *frame;  /* the frame of its children and mesh, seen from the target's tail at current joint values */
    const cp_pose *copies; /* the places at which it draws its mesh, seen like the frame; known while instances are
                            * built */
    uint32_t copy_count;
};

/* A scene mesh on its way. Drawn ones come first, in file order, then those that only our extras hold. */
struct gltf_mesh {
    cp_mesh mesh;
    const cp_mesh *drawn; /* the mesh of the primitives, before our extras; NULL: the same */
    uint32_t own;         /* extras.cellpipe, or JSON_NONE */
    uint32_t value;       /* the glTF mesh, or the entry of our extras */
    uint32_t position;    /* its place among the scene's meshes, or CP_NONE */
    uint32_t target;      /* the scene mesh */
    bool requantised;     /* its vertices are not the floats that we write */
};

/* A channel of an animation with its sampler. */
struct gltf_channel {
    uint32_t node; /* glTF node */
    cp_path path;
    cp_interpolation interpolation;
    uint32_t key_count;
    const double *times, *values;
};

/* A joint of our extras on its way. */
struct gltf_joint {
    cp_joint joint;  /* master: index of another of these */
    double now;      /* its value */
    uint32_t link;   /* glTF node */
    uint32_t target; /* the scene joint */
};

/* Clips on their way. */
struct gltf_clip {
    const char *name;
    uint32_t track_count;
    const cp_track *tracks;
    uint32_t attachment_count;
    const cp_attachment *attachments;
    uint32_t mark_count;
    const cp_mark *marks;
    uint32_t position; /* its place among the scene's clips, or CP_NONE */
};

/* The kinds of content that are left out; losses.c has their words. */
enum gltf_loss {
    LOSS_CHUNKS,
    LOSS_TEXTURES,
    LOSS_SKINS,
    LOSS_CAMERAS,
    LOSS_LIGHTS,
    LOSS_TEXTURE_EXTRAS,
    LOSS_FURTHER_SETS,
    LOSS_TANGENTS,
    LOSS_VARIANTS,
    LOSS_TARGETS,
    LOSS_PRIMITIVE_EXTRAS,
    LOSS_COLOURS,
    LOSS_POSITIONS,
    LOSS_POINTS,
    LOSS_COPY_ATTRIBUTES,
    LOSS_SCENES,
    LOSS_STAGES,
    LOSS_WEIGHTS,
    LOSS_OTHER_CHANNELS,
    LOSS_CHANNELS,
    LOSS_TIMES,
    LOSS_ANIMATION_EXTRAS,
    LOSS_CHANGED_CLIPS,
    LOSS_CHANGED_MESHES,
    LOSS_CHANGED_GROUPS,
    LOSS_GONE_NODES, /* as enum gltf_held */
    LOSS_GONE_JOINTS,
    LOSS_GONE_MESHES,
    LOSS_GONE_LOOPS,
    LOSS_GONE_DEVICES,
    LOSS_GONE_PAIRS,
    LOSS_GONE_CLIPS,
    LOSS_COUNT
};

/* The things whose numbers a file of ours states. */
enum gltf_held { HELD_NODES, HELD_JOINTS, HELD_MESHES, HELD_LOOPS, HELD_DEVICES, HELD_PAIRS, HELD_CLIPS, HELD_COUNT };

/* The items of the arrays at the top of the document. */
struct gltf_lists {
    struct gltf_list buffers, views, accessors, textures, materials, meshes, nodes, animations, scenes;
    struct gltf_list lights; /* of KHR_lights_punctual */
};

/* The room that a file has left, by its own size and by the limits. */
struct gltf_room {
    uint64_t left;   /* vertex attributes, corners and keys that may still be made */
    uint64_t taken;  /* those that were made */
    uint64_t bytes;  /* size of the file and the files that it names */
    uint64_t packed; /* compressed bytes that were unpacked so far, and their size unpacked */
    uint64_t unpacked;
};

/* The JSON document, and how its reading goes: what every step needs. */
struct gltf {
    cp_context *context;
    struct source *source;
    const struct gltf_import_settings *settings;
    struct arena *arena; /* lives as long as the reading */
    struct arena *kept;  /* lives as long as the scene */
    struct json_document json;
    struct gltf_lists lists;
    struct gltf_room room;
    cp_status status; /* the first error; later calls do nothing */
    uint64_t losses[LOSS_COUNT];
    uint32_t warnings;
};

/* The extras.cellpipe of the whole file. */
struct gltf_extras {
    bool ours;
    uint32_t asset, scene;     /* extras.cellpipe of the two, or JSON_NONE */
    uint64_t held[HELD_COUNT]; /* found so far */
};

/* Ids of our extras to rows of the scene; of a joint to its place in gltf_joints, until it is in the scene. */
struct gltf_ids {
    struct name_map of[TABLE_COUNT];
};

/* Bytes, from files to numbers. */
struct gltf_buffers {
    const unsigned char *binary; /* the BIN chunk, or NULL */
    uint64_t binary_size;
    struct gltf_buffer *items;
    struct gltf_view *views;
    struct gltf_accessor *accessors;
    struct gltf_floats *floats; /* of each accessor */
    struct name_map files;      /* URIs, to buffers */
    struct name_map view_names; /* names to bufferViews; filled when the first is looked for */
    bool views_named;
};

struct gltf_tree {
    struct gltf_node *nodes;
    uint32_t *order; /* the nodes that are read, parents first */
    uint32_t order_count;
    uint32_t *node_of; /* the glTF node of each scene node, or CP_NONE */
    bool turned;       /* roots are turned from Y up to Z up */
};

struct gltf_joints {
    struct gltf_joint *items;
    uint32_t count;
};

struct gltf_articulations {
    struct gltf_articulation *items; /* those of articulations.c; NULL: not read yet */
    struct name_map names;           /* to values */
    struct name_map stages;          /* articulation and stage, to the first joint */
};

struct gltf_materials {
    uint32_t *textures; /* scene texture of each glTF texture, or CP_NONE */
    uint32_t *items;    /* scene material of each glTF material, or CP_NONE */
    uint32_t opaque;    /* scene material of primitives without one whose colours have an alpha, or CP_NONE */
};

struct gltf_meshes {
    struct gltf_mesh *items;
    uint32_t count, room;
    uint32_t *first;        /* glTF mesh i has items[first[i]] .. items[first[i + 1] - 1] */
    struct name_map shapes; /* primitives, to the first item that has them */
};

/* The counts of what was mended so far. */
struct gltf_mended {
    uint64_t zero_normals, long_normals, bad_tangents;
    uint64_t odd_tangents; /* primitives whose tangents cannot be used */
    uint64_t other_sets;   /* primitives that show textures by another set of coordinates */
};

/* All of a reading. A step takes the parts that it reads and writes; the few that need nearly all take it whole. */
struct gltf_reading {
    cp_scene *scene;
    struct gltf gltf;
    struct gltf_extras extras;
    struct gltf_ids ids;
    struct gltf_buffers buffers;
    struct gltf_tree tree;
    struct gltf_joints joints;
    struct gltf_articulations articulations;
    struct gltf_materials materials;
    struct gltf_meshes meshes;
    struct gltf_mended mended;
    bool *lights_used; /* indexed by light: a node has it */
};

/* ---- document.c: members, errors. All do nothing and give the fallback after the first error. ---- */

/* Report the error at a value: "/meshes/0: text". Only the first is reported. All three return false, for `return`. */
bool gltf_error(struct gltf *gltf, uint32_t value, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool gltf_limit(struct gltf *gltf, uint32_t value, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Notes that memory ran out, which was already reported. */
bool gltf_no_memory(struct gltf *gltf);
void gltf_warning(struct gltf *gltf, uint32_t value, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Calls report_lenient, at a place as gltf_error has it. */
void gltf_lenient(struct gltf *gltf, uint32_t value, const char *code, const char *text);
/* Counts a loss; all losses are reported together, at the end. */
void gltf_loss(struct gltf *gltf, enum gltf_loss loss, uint64_t count);
void gltf_report_losses(struct gltf *gltf);

uint32_t gltf_object(struct gltf *gltf, uint32_t object, const char *key);
uint32_t gltf_array(struct gltf *gltf, uint32_t object, const char *key);
double gltf_number(struct gltf *gltf, uint32_t object, const char *key, double fallback);
uint64_t gltf_integer(struct gltf *gltf, uint32_t object, const char *key, uint64_t fallback);
/* Returns an index below count, or CP_NONE when absent. */
uint32_t gltf_index(struct gltf *gltf, uint32_t object, const char *key, uint32_t count);
bool gltf_flag(struct gltf *gltf, uint32_t object, const char *key);
/* Returns a text in the scene's arena; NULL if absent. */
const char *gltf_text(struct gltf *gltf, uint32_t object, const char *key);
/* Returns the index of a string member in NULL-ended words; fallback when absent, an error for another word. */
uint32_t gltf_word(struct gltf *gltf, uint32_t object, const char *key, const char *const *words, uint32_t fallback);
/* Reads exactly count numbers. False when absent or wrong. */
bool gltf_numbers(struct gltf *gltf, uint32_t object, const char *key, uint32_t count, double *out);
/* Returns all numbers of an array value; NULL after an error. In the scene's arena. */
const double *gltf_all_numbers(struct gltf *gltf, uint32_t array, uint32_t *count);
/* Returns true if each is larger than the one before. */
bool numbers_ascend(const double *numbers, uint32_t count);
/* Returns the items of an array member; an error for items that are no objects when `objects`. */
struct gltf_list gltf_items(struct gltf *gltf, uint32_t object, const char *key, bool objects);
uint32_t gltf_extension(struct gltf *gltf, uint32_t object, const char *name);
/* extras.cellpipe of a thing. */
uint32_t gltf_own(struct gltf *gltf, uint32_t object);
bool gltf_made(struct gltf *gltf, uint32_t own, const char *word);
/* Returns count zeroed items that live as long as the reading; NULL is an error already noted. */
void *gltf_allocate(struct gltf *gltf, size_t count, size_t size);
/* Returns count items that live as long as the scene, not zeroed; NULL is an error already noted. */
void *gltf_scene_array(struct gltf *gltf, size_t count, size_t size);
/* Takes count attributes, corners, keys or the like off the room that the limit of vertices and the bytes read so far
 * allow: a small file that names the same bytes over and over must not fill the memory. */
bool gltf_take_room(struct gltf *gltf, uint32_t value, uint64_t count);

/* ---- container.c ---- */

/* Finds the JSON text and the BIN chunk of a GLB or .gltf. */
cp_status gltf_open(struct gltf *gltf, struct gltf_buffers *buffers, const char **text, size_t *size);
/* Decodes the bytes of a data URI (RFC 2397) in place. */
void gltf_data_uri(struct gltf *gltf, uint32_t value, char *uri, struct gltf_buffer *buffer);
/* Finds the names of a further file that a URI, which is no data URI, may mean: decoded in place, and unchanged, both
 * in the reader's memory. False after an error, and for a URI of another scheme. */
bool gltf_file_names(struct gltf *gltf, uint32_t value, char *uri, const char **name, const char **other);
/* Finds the bytes of a buffer. False after an error. */
bool gltf_buffer(struct gltf *gltf, struct gltf_buffers *buffers, uint32_t index, const struct gltf_buffer **buffer);

/* ---- views.c, accessors.c ---- */

bool gltf_view(struct gltf *gltf, struct gltf_buffers *buffers, uint32_t index, struct gltf_view *view);
/* Finds a view by its name, for our extras; false when there is none. */
bool gltf_named_view(struct gltf *gltf, struct gltf_buffers *buffers, uint32_t own, const char *key,
                     struct gltf_view *view);
/* EXT_meshopt_compression and its twin: count * stride bytes into out. */
extern const char *const meshopt_extensions[2];
bool meshopt_is_built(void);
bool meshopt_decode(struct gltf *gltf, uint32_t value, const unsigned char *bytes, size_t size, unsigned char *out);
enum { MESHOPT_ATTRIBUTES, MESHOPT_TRIANGLES, MESHOPT_INDICES };

/* Returns an accessor, which is read and checked once. `index` came from gltf_index. NULL after an error. */
const struct gltf_accessor *gltf_accessor(struct gltf *gltf, struct gltf_buffers *buffers, uint32_t index);
/* Returns vertex attributes as the scene has them, as wide as its arrays, in the scene's arena. NULL after an error. */
const float *gltf_attribute(struct gltf *gltf, struct gltf_buffers *buffers, uint32_t index, enum gltf_purpose purpose);
/* Returns count x width doubles of an accessor, as numbers or normalised; NULL after an error. In the scene's arena. */
const double *gltf_doubles(struct gltf *gltf, struct gltf_buffers *buffers, uint32_t index, uint32_t width,
                           uint32_t *count);
/* Reads vertex indices, all below vertex_count, into out[accessor.count]; an error names `value`. */
bool gltf_indices(struct gltf *gltf, struct gltf_buffers *buffers, const struct gltf_accessor *accessor, uint32_t value,
                  uint32_t vertex_count, uint32_t *out);

/* ---- the parts of the scene ---- */

void gltf_read_asset(struct gltf *gltf, cp_scene *scene, struct gltf_extras *extras);
/* Keeps generator and copyright, as metadata behind the extras. */
void gltf_read_credits(struct gltf *gltf, cp_scene *scene, const struct gltf_extras *extras);
/* Reads images and textures; before the materials. */
void gltf_read_textures(struct gltf *gltf, cp_scene *scene, const struct gltf_ids *ids, struct gltf_buffers *buffers,
                        struct gltf_materials *materials);
/* Finds the texture that a material's member names. False: none, or none that the scene can hold, or an error. */
bool gltf_texture_use(struct gltf *gltf, const struct gltf_materials *materials, uint32_t object, const char *key,
                      cp_texture_role role, cp_texture_use *use);
void gltf_read_materials(struct gltf *gltf, cp_scene *scene, struct gltf_ids *ids, struct gltf_materials *materials);
/* Returns a material under which the alpha of vertex colours means nothing: glTF's default is opaque (section 3.9.6).
 */
uint32_t gltf_opaque_material(struct gltf *gltf, cp_scene *scene, struct gltf_materials *materials);
void gltf_read_meshes(struct gltf_reading *reading);
void gltf_place_meshes(struct gltf *gltf, cp_scene *scene, struct gltf_ids *ids, struct gltf_meshes *meshes);
/* Mend the normals of a mesh that are no unit vectors, and tangents that are no unit vectors with a sign; an error
 * names `value`. Then report what was mended in all meshes. */
void gltf_mend_normals(struct gltf *gltf, struct gltf_mended *mended, uint32_t value, cp_mesh *mesh);
void gltf_mend_tangents(struct gltf *gltf, struct gltf_mended *mended, uint32_t value, cp_mesh *mesh);
void gltf_report_normals(struct gltf *gltf, const struct gltf_mended *mended);
void gltf_read_tree(struct gltf *gltf, cp_scene *scene, struct gltf_extras *extras, struct gltf_tree *tree);
/* Returns the number, or the end of its range that is nearer, with a warning. */
double gltf_clamp(struct gltf *gltf, uint32_t value, double number, double least, double most);
/* Appends the value of a key of an extension of materials, with numbers clamped to the ranges that it gives them. */
void gltf_write_factor(struct gltf *gltf, const char *extension, uint32_t key, struct buffer *text);
/* Makes a rotation that has been read a unit quaternion. */
void gltf_make_unit(struct gltf *gltf, uint32_t value, double rotation[4]);
/* Reads the node's copies of its mesh, of which it has `parts`: one at its frame, unless an extension lists others. */
void gltf_read_copies(struct gltf *gltf, struct gltf_buffers *buffers, struct gltf_node *node, uint32_t parts);
/* Returns a copy that lives as long as the reading; the identity when out of memory. */
const cp_pose *gltf_keep_pose(struct gltf *gltf, const cp_pose *pose);
void gltf_give_roles(struct gltf *gltf, struct gltf_extras *extras, struct gltf_tree *tree);
void gltf_build_nodes(struct gltf_reading *reading);
void gltf_build_joints(struct gltf_reading *reading);
void gltf_build_instances(struct gltf_reading *reading);
/* Tells whether two poses are equal within 1e-6 of the largest entry, at least 1e-6. */
bool gltf_poses_agree(const cp_pose *a, const cp_pose *b);
/* Finds the frames of everything on a chain of links; after own_read_joints. */
void gltf_place_chains(struct gltf *gltf, struct gltf_tree *tree, const struct gltf_joints *joints);
/* Makes joints of a node's AGI_articulations, for files of other tools. */
void gltf_read_articulation(struct gltf *gltf, cp_scene *scene, struct gltf_articulations *articulations,
                            const struct gltf_node *node);
void gltf_read_animations(struct gltf_reading *reading);
/* Keeps the extras of other tools, as metadata with this key: "extras", or "asset.extras" of the asset. */
void gltf_keep_extras(struct gltf *gltf, cp_scene *scene, uint32_t object, cp_owner owner, uint32_t index,
                      const char *key);
/* Keeps a member's value, if it is there, as metadata. */
void gltf_keep_json(struct gltf *gltf, cp_scene *scene, uint32_t value, cp_owner owner, uint32_t index,
                    const char *key);
/* The name of a node. */
const char *gltf_node_name(struct gltf *gltf, const struct gltf_node *node);
const char *gltf_mesh_name(struct gltf *gltf, uint32_t mesh);

/* ---- own_*.c: extras.cellpipe (docs/stage-format.md) ---- */

void own_read_asset(struct gltf *gltf, struct gltf_extras *extras);
bool own_flag(struct gltf *gltf, uint32_t own, const char *key);
void own_read_source(struct gltf *gltf, cp_scene *scene, const struct gltf_extras *extras, struct gltf_tree *tree);
/* Reports losses for things that the mark counts and the file no longer has. */
void own_count_gone(struct gltf *gltf, const cp_scene *scene, struct gltf_extras *extras);
/* Returns true, and sets *pose from `own.pose`, if that agrees with the transform that was read. */
bool own_pose(struct gltf *gltf, uint32_t own, const cp_pose *read, cp_pose *pose);
void own_read_node(struct gltf *gltf, cp_scene *scene, struct gltf_extras *extras, struct gltf_ids *ids, uint32_t own,
                   uint32_t node);
void own_read_scopes(struct gltf *gltf, cp_scene *scene, const struct gltf_ids *ids, const struct gltf_tree *tree);
void own_read_metadata(struct gltf *gltf, cp_scene *scene, uint32_t own, cp_owner owner, uint32_t index);
/* Read all joints, before the scene has any; then put them into the scene, in its order. */
void own_read_joints(struct gltf *gltf, struct gltf_ids *ids, struct gltf_tree *tree, struct gltf_joints *joints);
void own_build_joint(struct gltf *gltf, cp_scene *scene, struct gltf_joints *joints, const struct gltf_node *link);
/* Returns the value of a joint whose motion comes nearest to the pose; `near` decides between whole turns. */
double own_joint_value(const cp_joint *joint, const cp_pose *motion, double near);
void own_finish_joints(struct gltf *gltf, cp_scene *scene, struct gltf_ids *ids, const struct gltf_joints *joints);
void own_read_mesh(struct gltf *gltf, const struct gltf_ids *ids, struct gltf_buffers *buffers, struct gltf_mesh *mesh,
                   uint64_t drawn);
/* Reads a mesh that glTF cannot draw, from the scene's extras. */
struct gltf_mesh own_undrawn_mesh(struct gltf *gltf, const struct gltf_ids *ids, struct gltf_buffers *buffers,
                                  uint32_t value);
/* Reads the lists of the scene's extras, in the order of the tables. */
void own_read_lists(struct gltf *gltf, cp_scene *scene, const struct gltf_extras *extras, struct gltf_ids *ids);
/* The row whose id the value is, or CP_NONE with a warning. */
uint32_t own_find(struct gltf *gltf, const struct gltf_ids *ids, enum scene_table table, uint32_t value);
/* Reads the members of a row that has its initial values; records and arrays that may lack have rules of their own and
 * are left out. False if one is missing that the row cannot be without, or after an error. */
bool own_read_members(struct gltf *gltf, const struct gltf_ids *ids, uint32_t object, const struct layout *layout,
                      void *row);
/* own_read_row leaves references to the row's own table and to those after it to own_read_later, which is called once
 * these rows are there. */
bool own_read_row(struct gltf *gltf, const struct gltf_ids *ids, uint32_t object, enum scene_table table, void *row);
void own_read_later(struct gltf *gltf, const struct gltf_ids *ids, uint32_t object, enum scene_table table, void *row);
/* Returns the place that an entry has among its kind, or CP_NONE. */
uint32_t own_position(struct gltf *gltf, uint32_t own, uint32_t fallback);
/* Returns an id; NULL if it is absent or empty. */
const char *own_id(struct gltf *gltf, uint32_t own);
/* Remembers an id for own_find, or a name. */
void own_name(struct gltf *gltf, struct name_map *map, const char *id, uint32_t index);
/* Returns the thing that an id or name means, or CP_NONE. */
uint32_t own_lookup(const struct name_map *map, const char *id);

/* Orders count items of size bytes with a uint32_t position at offset: an item with a position gets that place, the
 * others fill the gaps in order. Lives as long as the reading; NULL is an error already noted. */
const uint32_t *gltf_arrange(struct gltf *gltf, const void *items, size_t offset, size_t size, uint32_t count);

#endif
