/* The declarations that the files of the glTF exporters share. First everything is planned (what becomes which node,
 * mesh, accessor, with its place in the buffer), then written at once. Nothing here is freed by itself: it is in the
 * arena of `work`. */
#ifndef CELLPIPE_EXPORTERS_GLTF_WRITER_H
#define CELLPIPE_EXPORTERS_GLTF_WRITER_H

#include "../exporters.h"
#include "binary.h"
#include "motion/clips/clips.h"
#include "view/view.h"
#include "web/web.h"

enum { PROFILE_STAGE, PROFILE_DELIVER };
enum { NORMALS_AUTO, NORMALS_KEEP, NORMALS_SMOOTH, NORMALS_NONE };
enum { CLIPS_AUTO, CLIPS_NONE };
enum { UP_Y, UP_Z };
enum { MERGE_LINKS, MERGE_FRAMES };
enum { QUALITY_AUTO, QUALITY_BEST, QUALITY_FAST };
enum { CAMERAS_AUTO, CAMERAS_YES, CAMERAS_NO };
enum { PLANES_LIMIT, PLANES_KEEP };
enum { COLOURS_AUTO, COLOURS_NONE };
enum { COMPRESSION_AUTO, COMPRESSION_MESHOPT, COMPRESSION_NONE };

struct gltf_export_settings {
    int profile, normals, clips, up, cameras, colours, planes;
    double crease;
    bool collision, extras;
    bool embed; /* gltf only */
    bool web;
    int64_t bits; /* 0: not given, as below */
    int compression, quality, topology, merge;
    double tolerance; /* metres */
    int64_t budget;   /* bytes */
    double error;     /* metres */
    double texels;
};

#define UP_ROOT_NAME "Y up"

/* ---- what becomes of the scene's things ---- */

struct node_plan {
    const char *name; /* as written; so below */
    uint32_t first;   /* glTF node of the scene node; its chain follows */
    uint32_t tail;    /* the glTF node of children and geometry */
    uint32_t shown;   /* the instance whose mesh is on the tail, or CP_NONE */
    uint32_t first_child, next_sibling;
};

/* A joint as glTF moves it: about or along one of the joint node's own axes. */
struct joint_plan {
    uint32_t node; /* glTF node */
    const char *name;
    int axis;                 /* 0, 1, 2 */
    bool aligned;             /* between two made nodes */
    double alignment[4];      /* the rotation of the first of them */
    const char *articulation; /* the articulation that moves its node, or NULL */
    uint32_t stages;          /* stages of the articulation, this joint's first; 0: those of another node */
    bool in_other;            /* is a stage of an earlier joint's articulation */
};

/* LOOK_BARE: without the textures, since the mesh lacks coordinates for one of them. */
enum { LOOK_DOUBLE_SIDED = 1, LOOK_BLEND = 2, LOOK_WHITE = 4, LOOK_BARE = 8, LOOK_COUNT = 16 };

struct drawn_primitive {
    uint32_t material; /* the scene's, or CP_NONE */
    uint32_t first_index, index_count;
    uint32_t accessor;
    uint8_t look;
};

struct mesh_plan {
    const char *name;
    uint32_t index;       /* glTF mesh, or CP_NONE: nothing to draw */
    const cp_mesh *shape; /* the mesh as written: tessellated, with normals, in triangles */
    const uint32_t *indices;
    uint32_t index_count;
    struct drawn_primitive *primitives;
    uint32_t primitive_count;
    uint32_t attributes[ARRAY_COUNT]; /* accessors, or CP_NONE */
    bool left_out;                    /* profile deliver: no drawn instance has it */
    bool has_faces;                   /* sizes and corners are written */
    bool made_normals;
    bool raw[ARRAY_COUNT];      /* arrays that break the rules of glTF: kept, but not drawn */
    bool split;                 /* vertices at creases: the scene's come first */
    bool has_split;             /* a list gives the origins of the others; else has_faces */
    const struct web_mesh *web; /* drawn in place of the shape; NULL: the shape */
};

/* Tells whether vertices have the array, but no primitive does: then it gets a view of its own, "ID:part". */
static inline bool array_is_loose(const struct mesh_plan *plan, size_t array)
{
    return mesh_array(plan->shape, array) && (plan->index == CP_NONE || plan->raw[array]);
}

static inline const char *loose_part(size_t array)
{
    static const char *const parts[ARRAY_COUNT] = {":positions", ":normals",     ":tangents",
                                                   ":colours",   ":coordinates", ":coordinates_2"};
    return parts[array];
}

/* 65535 restarts a strip, so an index of 16 bits is at most 65534. */
enum { MOST_NARROW_VERTICES = 65535 };

/* Vertices and indices for the web: those of all meshes behind each other, in one view for each kind. */
enum stream_kind {
    STREAM_POSITIONS,
    STREAM_NORMALS,
    STREAM_TANGENTS,
    STREAM_COLOURS,
    STREAM_COORDINATES, /* as integers */
    STREAM_FLOAT_COORDINATES,
    STREAM_NARROW, /* indices */
    STREAM_WIDE,
    STREAM_TIMES, /* times of clips, and their values; 3 and 4 numbers */
    STREAM_PLACES,
    STREAM_TURNS,
    STREAM_COUNT
};

struct gltf_streams {
    cp_context *context;
    struct arena *arena;
    struct gltf_binary *binary; /* has the views and accessors */
    bool packs;                 /* EXT_meshopt_compression */
    struct stream {
        uint32_t view;  /* CP_NONE: nothing in it */
        uint64_t count; /* of elements */
        struct buffer bytes;
    } streams[STREAM_COUNT];
    struct buffer packed;   /* the packed bytes of the streams */
    struct name_map arrays; /* elements of streams and accessors, by hashes */
};

struct web_plan {
    struct gltf_streams streams;
    struct web_place *places; /* of meshes */
    struct web_coordinates coordinates[CP_COORDINATE_SETS];
    uint32_t idle_coordinates; /* meshes whose coordinates were left out */
    double rounded;            /* metres by which earlier steps moved vertices */
    double posed;              /* metres by which the written poses of nodes move something at most */
    double diagonal;           /* of what is drawn */
};

struct channel {
    uint32_t node;
    cp_path path;
    cp_interpolation interpolation;
    bool exact;             /* its track is unchanged */
    uint32_t input, output; /* accessors */
};

struct clip_plan {
    const char *name;
    uint32_t clip;  /* the scene's, or CP_NONE */
    uint32_t joint; /* the joint of a made clip; CP_NONE: all */
    uint32_t first_channel, channel_count;
    uint32_t *channel_of; /* one for each of the scene's tracks: the channel that holds all of it, or CP_NONE */
};

/* A clip without attachments and formulas; with a tolerance thinned. */
struct played_clip {
    cp_clip clip;
    uint64_t sheared, flat; /* poses of attached nodes */
};

enum { PATHS = 4 };
struct motion_plan {
    struct clip_plan *clips;
    struct channel *channels;
    uint32_t *taken; /* while a clip is planned: one more than the number of the channel of each path of a node or
                      * joint, or CP_NONE; zeros between two clips */
    uint32_t clip_count, channel_count, clip_room, channel_room;
    const struct played_clip *played; /* the scene's clips; NULL: not yet */
    const bool *sampled;              /* joints: see mark_sampled */
    struct clip_shape shape;          /* the sizes by which clips are thinned; empty at first */
    double share;                     /* metres by which each channel's rounding may move something */
    const double *levers;             /* indexed by node: the distance of the farthest thing from it; NULL: nothing is
                                       * rounded */
    const double *stretches;          /* and the length of its unit in the world */
    struct followers followers;
    double (*formula_ranges)[2]; /* indexed by joint: the values of its formula in made clips; upside down: in none */
    bool open;                   /* a loop does not close in a clip: reported, and nothing is written */
    bool apart;                  /* loops open if all joints go through their ranges together */
    uint64_t sheared, flat;      /* poses of attached nodes in clips */
    uint64_t turns;              /* ways between two keys with more turns than are shown */
};

/* Of extensions of materials. */
struct extension_name {
    const char *name;
    struct extension_name *next;
};

/* Textures and images, by the scene's numbers: glTF's, or CP_NONE for those that are left out. */
struct texture_plan {
    uint32_t *textures, *images, *views; /* views of images: CP_NONE for those with a path alone */
    uint32_t *sampler_of;                /* of textures; CP_NONE: the default */
    uint32_t *samplers;                  /* a texture with each sampler */
    uint32_t texture_count, image_count, sampler_count;
    struct extension_name *extensions; /* of materials */
    uint64_t bare, strange, idle;      /* materials without coordinates; textures that glTF has no type for; not used */
};

/* Lists of metadata by owner. */
struct metadata_plan {
    cp_context *context;
    const cp_scene *scene;
    uint32_t *first, *next;
    bool *placed; /* it has a place of its own */
};

/* All that is planned of a file: what is in it, and where. Once planned, it does not change while it is written. */
struct gltf_file {
    cp_context *context;
    const cp_scene *scene;
    const struct gltf_export_settings *settings;
    cp_scene *work; /* owns all that is made; for the web it is the scene, too */
    struct gltf_binary binary;
    struct node_plan *nodes;
    struct joint_plan *joints;
    struct mesh_plan *meshes;
    uint32_t node_count, mesh_count;
    uint32_t *positions; /* indexed by instance, if a reader needs them; else CP_NONE */
    uint32_t *looks;     /* (material_count + 1) x LOOK_COUNT glTF materials; the last row is for no material */
    struct texture_plan textures;
    struct metadata_plan metadata;
    cp_mechanism mechanism; /* its values: the joints' own */
    struct motion_plan motion;
    struct web_plan web;
    bool exact_poses;   /* set for the web if this scene is so far from the origin that floats would move something */
    struct views views; /* the views that are written as cameras */
    const char **view_names;
    double diagonal;              /* that of all that is drawn or collides: an unlimited joint slides by half of it */
    uint64_t split_articulations; /* articulations that could not be joined again */
};

/* A file and its text. */
struct gltf_writer {
    struct gltf_file file;
    bool glb; /* else .gltf */
    struct json_writer json;
    struct buffer text;  /* text of the JSON: its end, or all */
    struct buffer aside; /* extras that are left out */
    const char *uri;     /* the buffer's; NULL: the GLB's own chunk */
    size_t uri_end;      /* in the text */
};

/* ---- what all of them ask ---- */

/* Allocates zeroed memory in the work scene's arena. */
static inline void *file_allocate(const struct gltf_file *file, size_t count, size_t size)
{
    return arena_allocate_zeroed(file->work->arena, count, size);
}

static inline bool is_deliver(const struct gltf_file *file)
{
    return file->settings->profile == PROFILE_DELIVER;
}

/* Tells whether a made root turns the scene's Z up to glTF's Y up. */
static inline bool has_up_root(const struct gltf_file *file)
{
    return is_deliver(file) && file->settings->up == UP_Y;
}

/* Returns the mode of the option, auto resolved. */
static inline int normals_mode(const struct gltf_export_settings *settings)
{
    if (settings->normals != NORMALS_AUTO)
        return settings->normals;
    return settings->profile == PROFILE_DELIVER ? NORMALS_SMOOTH : NORMALS_KEEP;
}

/* Tells whether profile=deliver leaves out the instance, which is for collision only. */
static inline bool instance_is_left_out(const struct gltf_file *file, const cp_instance *instance)
{
    return is_deliver(file) && !file->settings->collision && instance->use == CP_USE_COLLISION;
}

static inline bool instance_is_drawn(const struct gltf_file *file, const cp_instance *instance)
{
    return (instance->use & CP_USE_DRAWN) && file->meshes[instance->mesh].index != CP_NONE;
}

/* Tells whether the material is drawn as translucent; translucent: some colour of a vertex is. */
bool material_blends(const cp_material *material, bool translucent);

/* ---- plans, made in this order before anything is written; false: out of memory, reported ---- */

bool plan_meshes(struct gltf_file *file);
bool plan_materials(struct gltf_file *file);
bool plan_textures(struct gltf_file *file);
bool plan_material_extensions(struct gltf_file *file);
bool plan_nodes(struct gltf_file *file);
/* names.c. Profile deliver makes those of nodes unique as three.js sees them. */
bool plan_names(struct gltf_file *file);
bool plan_metadata(struct gltf_file *file);
bool plan_joints(struct gltf_file *file);
bool plan_diagonal(struct gltf_file *file);
bool plan_clips(struct gltf_file *file);
bool plan_sweeps(struct gltf_file *file); /* made clips */

/* ---- members of the top object ---- */

void write_asset(struct json_writer *json, const struct gltf_file *file);
void write_extensions(struct json_writer *json, const struct gltf_file *file);
void write_scene(struct json_writer *json, const struct gltf_file *file);
void write_nodes(struct json_writer *json, const struct gltf_file *file);
void write_meshes(struct json_writer *json, const struct gltf_file *file);
void write_materials(struct json_writer *json, const struct gltf_file *file);
void write_textures(struct json_writer *json, const struct gltf_file *file);
void write_clips(struct json_writer *json, const struct gltf_file *file);
void write_cameras(struct json_writer *json, const struct gltf_file *file);

/* ---- poses and joints as glTF has them (place.c; plan_joint: joints.c) ---- */

/* A pose: one node, or two for a shear. exact: the first gives the pose bit for bit. */
struct placement {
    struct trs first, second;
    bool sheared, exact;
};
struct placement place(const cp_pose *pose);
/* The turn of the root that makes Y point up. */
extern const struct trs up_root_trs;
/* Returns the transform that is written for the instance: with the grid of integers. */
cp_pose written_transform(const struct gltf_file *file, uint32_t index);
/* rounding.c. For the web, after meshes and nodes are planned: decides whether poses are written as floats, and
 * measures how far they move something then. */
bool plan_rounding(struct gltf_file *file);
/* Returns it without turns that floats cannot tell from none. */
struct trs without_noise(const struct trs *trs);
/* Writes members of a node, except those that are the identity. For the web they are floats, or see plan_rounding. */
void write_trs(struct json_writer *json, const struct gltf_file *file, const struct trs *trs);
/* Writes the name, except an empty one for the web. */
void write_name(struct json_writer *json, const struct gltf_file *file, const char *name);
/* Writes a member of numbers: for the web as floats, as above. */
void write_numbers(struct json_writer *json, const struct gltf_file *file, const char *key, const double *values,
                   unsigned count);
/* Returns the motion of the joint's glTF node at value q. */
struct trs joint_trs(const struct joint_plan *plan, const cp_joint *joint, double q);
/* Finds the lowest and highest value: the limits, or those of its made clip; for a dependent joint, those that its
 * master gives it, or its formula in the made clips. */
void joint_range(const struct gltf_file *file, uint32_t joint, double range[2]);
/* Chooses the axis; node and articulation are left alone. */
void plan_joint(const cp_joint *joint, struct joint_plan *plan);

/* ---- textures.c ---- */

/* Writes a material's member with one of its textures, if that is written. */
void write_texture_use(struct json_writer *json, const struct gltf_file *file, const cp_material *material,
                       cp_texture_role role, const char *key);
/* Returns the material's use with this role (and place, unless NULL), if its texture is written; else NULL. */
const cp_texture_use *find_texture_use(const struct gltf_file *file, const cp_material *material, cp_texture_role role,
                                       const char *place);
/* Writes the object that names its texture. */
void write_texture_info(const struct gltf_file *file, struct json_writer *json, const cp_texture_use *of);
/* Writes the names of the extensions that textures and materials need, for extensionsUsed; or only of those without
 * which a reader cannot show them, for extensionsRequired. */
void write_texture_extensions(struct json_writer *json, const struct gltf_file *file, bool required);
bool has_texture_extensions(const struct gltf_file *file, bool required);
/* Encodes all but unreserved characters as %XX (RFC 3986). In the work scene's memory, NULL when out of it. */
const char *encode_uri(const struct gltf_file *file, const char *name);
void report_textures(const struct gltf_file *file);
/* ---- cameras.c: nodes behind all others, children of the root where one is made ---- */

/* Before all other plans: finds the views that the settings ask for. They are in the arena. */
cp_status plan_cameras(struct gltf_file *file, struct arena *arena);
/* Writes the numbers of their nodes, into an open array. */
void list_cameras(struct json_writer *json, const struct gltf_file *file);
void write_camera_nodes(struct json_writer *json, const struct gltf_file *file);

/* ---- metadata.c ---- */

/* Returns how many entries only our own extras have. */
uint64_t count_own_metadata(const struct metadata_plan *metadata);

/* Returns the first metadata of an owner with this key, or CP_NONE. */
uint32_t find_metadata(const struct metadata_plan *metadata, cp_owner owner, uint32_t index, const char *key);
/* Opens "extras": {..., "cellpipe": {, after what another tool had there, which is metadata with this key;
 * json_extras_close ends it. */
void open_extras(struct json_writer *json, const struct metadata_plan *metadata, cp_owner owner, uint32_t index,
                 const char *key);
/* Writes "metadata": [...] of an owner, if any of it has no other place. */
void write_metadata(struct json_writer *json, const struct metadata_plan *metadata, cp_owner owner, uint32_t index);
/* Writes a member `key` with the JSON of a joint's metadata `from`, if that is there. */
void write_metadata_value(struct json_writer *json, const struct metadata_plan *metadata, uint32_t joint,
                          const char *from, const char *key);
void write_copyright(struct json_writer *json, const struct metadata_plan *metadata);
/* Returns the light of a node as JSON (KHR_lights_punctual), or NULL. */
const char *find_light(const struct metadata_plan *metadata, uint32_t node);
/* Tells whether the node gets isAttachPoint. */
bool has_attach_point(const struct metadata_plan *metadata, uint32_t node);

/* ---- parts of meshes and clips ---- */

/* extras.c: writes extras of a mesh, within the open object. */
void write_mesh_extras(struct json_writer *json, const struct gltf_file *file, uint32_t mesh);
/* clips.c. Writes an animation that moves all as the clip does. */
bool plan_clip(struct gltf_file *file, struct clip_plan plan, const struct played_clip *played);
/* clips.c: writes "tracks" of a scene's clip. */
void write_tracks(struct json_writer *json, const struct gltf_file *file, const struct clip_plan *plan);
/* playing.c. Make a clip as it is played; and the scene's. */
bool bake_played(struct gltf_file *file, const cp_clip *clip, struct played_clip *played);
bool plan_played(struct gltf_file *file);
/* Returns how far rounding may move the numbers of a channel, in their unit; 0: not at all. */
double rounding_of(const struct motion_plan *motion, uint32_t node, cp_path path);
/* web/streams.c. Begins the streams of a file, without elements. Call free_streams even on failure. */
void begin_streams(struct gltf_file *file);
void free_streams(struct gltf_streams *streams);
/* Returns the accessor of numbers in a stream of floats: that of the same ones if they are there already. CP_NONE when
 * out of memory. */
uint32_t stream_floats(struct gltf_streams *streams, enum stream_kind kind, const float *values, uint32_t count,
                       bool ranged);
/* Adds the vertices and indices of a mesh (of lines: vertices alone) to the streams. sets: of its coordinates. */
bool stream_vertices(struct gltf_streams *streams, const struct web_coordinates *sets, struct mesh_plan *plan);
bool stream_indices(struct gltf_streams *streams, struct mesh_plan *plan);
/* Packs the streams, once all meshes are in. */
bool finish_streams(struct gltf_streams *streams);

/* ---- the file ---- */

/* Plans the file, and keeps the JSON text if it is short; *size: of the whole file (of both files). Then finish_file
 * may write. Call free_writer even on failure. */
cp_status compose_file(struct gltf_writer *writer, struct sink *sink, uint64_t *size);
/* Writes what was composed. */
cp_status finish_file(struct gltf_writer *writer, struct sink *sink);
void free_writer(struct gltf_writer *writer);
/* web/search.c. Prepares the scene as the settings say, and writes it; the settings go together (web=yes). */
cp_status write_web(const struct gltf_writer *begun, struct sink *sink);

#endif
