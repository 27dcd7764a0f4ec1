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
enum { QUALITY_AUTO, QUALITY_BEST, QUALITY_FAST };
enum { CAMERAS_AUTO, CAMERAS_YES, CAMERAS_NO };
enum { PLANES_LIMIT, PLANES_KEEP };
enum { COLOURS_AUTO, COLOURS_NONE };
enum { COMPRESSION_AUTO, COMPRESSION_MESHOPT, COMPRESSION_NONE };

struct gltf_settings {
    int profile, normals, clips, up, cameras, colours, planes;
    double crease;
    bool collision, extras;
    bool embed; /* gltf only */
    bool web;
    int64_t bits; /* 0: not given, as below */
    int compression, quality, topology;
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

struct primitive {
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
    struct primitive *primitives;
    uint32_t primitive_count;
    uint32_t attributes[ARRAY_COUNT]; /* accessors, or CP_NONE */
    bool left_out;                    /* profile deliver: no drawn instance has it */
    bool has_faces;                   /* sizes and corners are written */
    bool made_normals, raw_normals, raw_tangents, raw_colours;
    bool split;                 /* vertices at creases: the scene's come first */
    bool has_split;             /* a list gives the origins of the others; else has_faces */
    const struct web_mesh *web; /* drawn in place of the shape; NULL: the shape */
};

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

struct web_plan {
    struct stream {
        uint32_t view;  /* CP_NONE: nothing in it */
        uint64_t count; /* of elements */
        struct buffer bytes;
    } streams[STREAM_COUNT];
    struct buffer packed;     /* the packed bytes of the streams */
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

struct motion_plan {
    struct clip_plan *clips;
    struct channel *channels;
    uint32_t clip_count, channel_count, clip_room, channel_room;
    const struct played_clip *played; /* the scene's clips; NULL: not yet */
    const bool *sampled;              /* joints: see mark_sampled */
    struct clip_shape shape;          /* the sizes by which clips are thinned; empty at first */
    double share;                     /* metres by which each channel's rounding may move something */
    const double *levers;             /* indexed by node: the distance of the farthest thing from it; NULL: nothing is
                                       * rounded */
    const double *stretches;          /* and the length of its unit in the world */
    struct name_map arrays;           /* elements of streams and accessors, by hashes */
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
    bool transforms;                   /* KHR_texture_transform */
    struct extension_name *extensions; /* of materials */
    uint64_t bare, strange, idle;      /* materials without coordinates; textures that glTF has no type for; not used */
};

/* Lists of metadata by owner. */
struct metadata_plan {
    uint32_t *first, *next;
    bool *placed; /* it has a place of its own */
};

struct writer {
    cp_context *context;
    const cp_scene *scene;
    const struct gltf_settings *settings;
    cp_scene *work; /* owns all that is made; for the web it is the scene, too */
    struct json_writer json;
    struct buffer text;  /* text of the JSON: its end, or all */
    struct buffer aside; /* extras that are left out */
    bool glb;            /* else .gltf */
    const char *uri;     /* the buffer's; NULL: the GLB's own chunk */
    size_t uri_end;      /* in the text */
    struct binary binary;
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
    uint32_t light_count;         /* of the nodes that are written */
    uint64_t split_articulations; /* articulations that could not be joined again */
};

/* ---- writer.c: what all of them ask ---- */

/* Allocates zeroed memory in the work scene's arena. */
void *writer_allocate(struct writer *writer, size_t count, size_t size);
bool is_deliver(const struct writer *writer);
/* Tells whether a made root turns the scene's Z up to glTF's Y up. */
bool has_up_root(const struct writer *writer);
/* Tells whether the material is drawn as translucent; translucent: some colour of a vertex is. */
bool material_blends(const cp_material *material, bool translucent);
/* Returns the mode of the option, auto resolved. */
int normals_mode(const struct gltf_settings *settings);
bool instance_is_drawn(const struct writer *writer, const cp_instance *instance);
/* Tells whether profile=deliver leaves out the instance, which is for collision only. */
bool instance_is_left_out(const struct writer *writer, const cp_instance *instance);

/* ---- plans, made in this order before anything is written; false: out of memory, reported ---- */

bool plan_meshes(struct writer *writer);
bool plan_materials(struct writer *writer);
bool plan_textures(struct writer *writer);
bool plan_material_extensions(struct writer *writer);
bool plan_nodes(struct writer *writer);
/* names.c. Profile deliver makes those of nodes unique as three.js sees them. */
bool plan_names(struct writer *writer);
bool plan_metadata(struct writer *writer);
bool plan_joints(struct writer *writer);
bool plan_diagonal(struct writer *writer);
bool plan_clips(struct writer *writer);

/* ---- members of the top object ---- */

void write_asset(struct writer *writer);
void write_extensions(struct writer *writer);
void write_scene(struct writer *writer);
void write_nodes(struct writer *writer);
void write_meshes(struct writer *writer);
void write_materials(struct writer *writer);
void write_textures(struct writer *writer);
void write_clips(struct writer *writer);
void write_cameras(struct writer *writer);

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
cp_pose written_transform(const struct writer *writer, uint32_t index);
/* rounding.c. For the web, after meshes and nodes are planned: decides whether poses are written as floats, and
 * measures how far they move something then. */
bool plan_rounding(struct writer *writer);
/* Returns it without turns that floats cannot tell from none. */
struct trs without_noise(const struct trs *trs);
/* Writes members of a node, except those that are the identity. For the web they are floats, or see plan_rounding. */
void write_trs(struct writer *writer, const struct trs *trs);
/* Writes the name, except an empty one for the web. */
void write_name(struct writer *writer, const char *name);
/* Writes a member of numbers: for the web as floats, as above. */
void write_numbers(struct writer *writer, const char *key, const double *values, unsigned count);
/* Returns the motion of the joint's glTF node at value q. */
struct trs joint_trs(const struct joint_plan *plan, const cp_joint *joint, double q);
/* Finds the lowest and highest value: the limits, or those of its made clip; for a dependent joint, those that its
 * master gives it, or its formula in the made clips. */
void joint_range(const struct writer *writer, uint32_t joint, double range[2]);
/* Chooses the axis; node and articulation are left alone. */
void plan_joint(const cp_joint *joint, struct joint_plan *plan);

/* ---- textures.c ---- */

/* Writes a material's member with one of its textures, if that is written. */
void write_texture_use(struct writer *writer, const cp_material *material, cp_texture_role role, const char *key);
/* Returns the material's use with this role (and place, unless NULL), if its texture is written; else NULL. */
const cp_texture_use *find_texture_use(const struct writer *writer, const cp_material *material, cp_texture_role role,
                                       const char *place);
/* Writes the object that names its texture. */
void write_texture_info(struct writer *writer, struct json_writer *json, const cp_texture_use *of);
/* extensions.c. Writes its extensions; textured: with the textures that are written, perhaps none. */
void write_material_extensions(struct writer *writer, const cp_material *material, const cp_material *textured);
/* Writes the names of the extensions that textures and materials need, for extensionsUsed; or only of those without
 * which a reader cannot show them, for extensionsRequired. */
void write_texture_extensions(struct writer *writer, bool required);
bool has_texture_extensions(const struct writer *writer, bool required);
void report_textures(const struct writer *writer);
/* ---- cameras.c: nodes behind all others, children of the root where one is made ---- */

/* Before all other plans: finds the views that the settings ask for. They are in the arena. */
cp_status plan_cameras(struct writer *writer, struct arena *arena);
/* Writes the numbers of their nodes, into an open array. */
void list_cameras(struct writer *writer);
void write_camera_nodes(struct writer *writer);

/* ---- metadata.c ---- */

/* Returns how many entries only our own extras have. */
uint64_t count_own_metadata(const struct writer *writer);

/* Returns the first metadata of an owner with this key, or CP_NONE. */
uint32_t find_metadata(const struct writer *writer, cp_owner owner, uint32_t index, const char *key);
/* Opens "extras": {..., "cellpipe": {, after what another tool had there, which is metadata with this key;
 * json_extras_close ends it. */
void open_extras(struct writer *writer, cp_owner owner, uint32_t index, const char *key);
/* Writes "metadata": [...] of an owner, if any of it has no other place. */
void write_metadata(struct writer *writer, cp_owner owner, uint32_t index);
/* Writes a member `key` with the JSON of a joint's metadata `from`, if that is there. */
void write_metadata_value(struct writer *writer, uint32_t joint, const char *from, const char *key);
void write_copyright(struct writer *writer);
/* Returns the light of a node as JSON (KHR_lights_punctual), or NULL. */
const char *find_light(const struct writer *writer, uint32_t node);
/* Tells whether the node gets isAttachPoint. */
bool has_attach_point(const struct writer *writer, uint32_t node);

/* ---- parts of meshes and clips ---- */

/* extras.c: writes extras of a mesh, within the open object. */
void write_mesh_extras(struct writer *writer, uint32_t mesh);
/* clips.c. Writes an animation that moves all as the clip does. taken: PATHS zeros for each node or joint, whichever
 * are more. */
enum { PATHS = 4 };
bool plan_clip(struct writer *writer, struct clip_plan plan, const struct played_clip *played, uint32_t *taken);
/* sweeps.c: made clips. */
bool plan_sweeps(struct writer *writer, uint32_t *taken);
/* clips.c: writes "tracks" of a scene's clip. */
void write_tracks(struct writer *writer, const struct clip_plan *plan);
/* playing.c. Make a clip as it is played; and the scene's. */
bool bake_played(struct writer *writer, const cp_clip *clip, struct played_clip *played);
bool plan_played(struct writer *writer);
/* Returns how far rounding may move the numbers of a channel, in their unit; 0: not at all. */
double rounding_of(const struct writer *writer, uint32_t node, cp_path path);
/* web/streams.c. Returns the accessor of numbers in a stream of floats: that of the same ones if they are there
 * already. CP_NONE when out of memory. */
uint32_t stream_floats(struct writer *writer, enum stream_kind kind, const float *values, uint32_t count, bool ranged);
/* web/streams.c. Adds the vertices and indices of a mesh (of lines: vertices alone) to the streams. */
bool stream_vertices(struct writer *writer, struct mesh_plan *plan);
bool stream_indices(struct writer *writer, struct mesh_plan *plan);
/* Packs the streams, once all meshes are in. */
bool finish_streams(struct writer *writer);

/* ---- the file ---- */

/* Plans the file, and keeps the JSON text if it is short; *size: of the whole file (of both files). Then finish_file
 * may write. Call free_writer even on failure. */
cp_status compose_file(struct writer *writer, struct sink *sink, uint64_t *size);
/* Writes what was composed. */
cp_status finish_file(struct writer *writer, struct sink *sink);
void free_writer(struct writer *writer);
/* Encodes all but unreserved characters as %XX (RFC 3986). In the work scene's memory, NULL when out of it. */
const char *encode_uri(struct writer *writer, const char *name);

/* web/search.c. Prepares the scene as the settings say, and writes it; the settings go together (web=yes). */
cp_status write_web(const struct writer *model, struct sink *sink);

#endif
