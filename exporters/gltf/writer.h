/* The inside of the glTF exporters: first everything is planned (what becomes which node, mesh, accessor, with its place
 * in the buffer), then written in one go. Nothing here is freed by itself: it is in the arena of `work`. */
#ifndef CELLPIPE_GLTF_WRITER_H
#define CELLPIPE_GLTF_WRITER_H

#include "json.h"

enum { PROFILE_STAGE, PROFILE_DELIVER };
enum { NORMALS_KEEP, NORMALS_SMOOTH, NORMALS_NONE };
enum { CLIPS_AUTO, CLIPS_NONE };
enum { NGONS_PLAIN, NGONS_FB };
enum { UP_Y, UP_Z };

struct gltf_settings {
    int profile, normals, clips, ngons, up;
    double crease;
    bool collision;
    bool embed; /* gltf only */
};

/* ---- the buffer ---- */

/* How the bytes of a view come from its data. */
enum encoding {
    ENCODE_WORDS,  /* 32-bit words as they are */
    ENCODE_NARROW, /* uint32_t as uint16_t */
    ENCODE_SIZES   /* differences of count + 1 uint32_t */
};

/* glTF 2.0 section 5.11.5: bufferView.target */
enum { TARGET_NONE = 0, TARGET_VERTICES = 34962, TARGET_INDICES = 34963 };

struct view {
    const void *data;
    uint64_t count; /* of values */
    uint64_t offset, size;
    enum encoding encoding;
    unsigned target;
    const char *id, *part; /* the name is "id:part"; NULL for none */
};

/* glTF 2.0 section 3.6.2.2 */
enum { COMPONENT_U16 = 5123, COMPONENT_U32 = 5125, COMPONENT_FLOAT = 5126 };

struct accessor {
    uint32_t view;
    uint64_t offset, count;
    unsigned component, width;
    bool ranged; /* minimum and maximum are written */
    float minimum[3], maximum[3];
};

/* ---- what becomes of the scene's things ---- */

struct node_plan {
    uint32_t first; /* glTF node of the scene node; its chain follows */
    uint32_t tail;  /* where children and geometry hang */
    uint32_t shown; /* the instance whose mesh is on the tail, or CP_NONE */
    uint32_t first_child, next_sibling;
};

/* A joint as glTF moves it: about or along one of the joint node's own axes. */
struct joint_plan {
    uint32_t node;                          /* glTF node */
    int axis;                               /* 0, 1, 2 */
    bool aligned;                           /* between two made nodes */
    double alignment[4];                    /* the rotation of the first of them */
    const char *articulation;               /* or NULL */
    uint32_t first_follower, next_follower; /* joints that depend on it */
};

enum { LOOK_DOUBLE_SIDED = 1, LOOK_BLEND = 2, LOOK_WHITE = 4, LOOK_COUNT = 8 };

struct primitive {
    uint32_t material; /* the scene's, or CP_NONE */
    unsigned look;
    uint32_t first_index, index_count;
    uint32_t accessor;
    bool polygons; /* FB_ngon_encoding holds */
};

struct mesh_plan {
    bool left_out;  /* profile deliver: nobody draws it */
    uint32_t index; /* glTF mesh, or CP_NONE: nothing to draw */
    cp_mesh shape;  /* as written: tessellated, with normals, in triangles */
    const uint32_t *indices;
    uint32_t index_count;
    struct primitive *primitives;
    uint32_t primitive_count;
    uint32_t positions, normals, colours; /* accessors, or CP_NONE */
    bool has_faces;                       /* sizes and corners are written */
    bool made_normals, raw_normals, raw_colours;
    bool split; /* vertices at creases: the scene's come first */
};

struct channel {
    uint32_t node;
    cp_path path;
    cp_interpolation interpolation;
    uint32_t input, output; /* accessors */
};

struct clip_plan {
    const char *name;
    uint32_t clip;  /* the scene's, or CP_NONE */
    uint32_t joint; /* of a made clip */
    uint32_t first_channel, channel_count;
};

struct writer {
    cp_context *context;
    const cp_scene *scene;
    const struct gltf_settings *settings;
    cp_scene *work; /* owns all that is made on the way */
    struct json json;
    struct node_plan *nodes;
    struct joint_plan *joints;
    struct mesh_plan *meshes;
    uint32_t *positions; /* of instances, where a reader has to be told; else CP_NONE */
    uint32_t *looks;     /* (material_count + 1) x LOOK_COUNT glTF materials; the last row is for no material */
    uint32_t *metadata_first, *metadata_next; /* lists by owner */
    struct view *views;
    struct accessor *accessors;
    struct channel *channels;
    struct clip_plan *clips;
    uint32_t node_count, mesh_count, view_count, accessor_count, channel_count, clip_count;
    uint32_t view_room, accessor_room, channel_room, clip_room;
    uint64_t buffer_size;
    double diagonal; /* of all that is drawn or collides: half of it is how far an unlimited joint slides */
    bool has_polygons;
    uint64_t turns; /* ways between two keys with more turns than are shown */
};

/* ---- plans, in this order; false: out of memory, reported ---- */

bool plan_meshes(struct writer *writer);
bool plan_materials(struct writer *writer);
bool plan_nodes(struct writer *writer);
bool plan_joints(struct writer *writer);
bool plan_diagonal(struct writer *writer);
bool plan_clips(struct writer *writer);
bool plan_metadata(struct writer *writer);

/* ---- JSON members of the top object ---- */

void write_asset(struct writer *writer);
void write_extensions(struct writer *writer);
void write_scene(struct writer *writer);
void write_nodes(struct writer *writer);
void write_meshes(struct writer *writer);
void write_materials(struct writer *writer);
void write_clips(struct writer *writer);
void write_accessors(struct writer *writer);
void write_views(struct writer *writer);

/* ---- shared ---- */

/* Zeroed, in the work scene's arena. */
void *writer_allocate(struct writer *writer, size_t count, size_t size);
bool is_deliver(const struct writer *writer);
/* A made root turns the scene's Z up to glTF's Y up. */
bool has_up_root(const struct writer *writer);
/* A new view or accessor; CP_NONE when out of memory. */
uint32_t add_view(struct writer *writer, struct view view);
uint32_t add_accessor(struct writer *writer, struct accessor accessor);
/* Fills minimum and maximum from values. */
void set_range(struct accessor *accessor, const float *values);

/* The glTF node that is the scene's root. */
uint32_t root_node(const struct writer *writer);

/* A pose as glTF has it: one node, or two for a shear. exact: the first gives the pose bit for bit. */
struct placement {
    struct trs first, second;
    bool sheared, exact;
};
struct placement place(const cp_pose *pose);
/* Members of a node; those that are the identity are left out. */
void write_trs(struct json *json, const struct trs *trs);
bool rotation_is_identity(const double rotation[4]);
/* Chooses the axis; node and articulation are left alone. */
void plan_joint(const cp_joint *joint, struct joint_plan *plan);
/* The motion of the joint's glTF node at value q. */
struct trs joint_trs(const struct joint_plan *plan, const cp_joint *joint, double q);
/* Lowest and highest value: the limits, or those of its made clip; of a dependent joint, what its master gives it. */
void joint_range(const struct writer *writer, uint32_t joint, double range[2]);

bool instance_is_drawn(const struct writer *writer, const cp_instance *instance);
/* profile deliver leaves collision-only instances out */
bool instance_is_left_out(const struct writer *writer, const cp_instance *instance);

/* "metadata": [...] of an owner, if there is any. */
void write_metadata(struct writer *writer, cp_owner owner, uint32_t index);
/* extras of a mesh, within the open object. */
void write_mesh_extras(struct writer *writer, uint32_t mesh);
/* "tracks" of a scene's clip. */
void write_tracks(struct writer *writer, const cp_clip *clip);
const char *node_id(const struct writer *writer, uint32_t node);
const char *joint_id(const struct writer *writer, uint32_t joint);

/* ---- the file ---- */

/* FB_ngon_encoding: rearranges the triangles of the mesh so that each polygon is a fan of its own. */
bool encode_polygons(struct writer *writer, const cp_mesh *mesh, struct mesh_plan *plan);
cp_status write_glb(struct writer *writer, struct sink *sink);
cp_status write_gltf(struct writer *writer, struct sink *sink);

#endif
