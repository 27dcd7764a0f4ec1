/* cellpipe: robot cells and CAD parts as one normalised scene.
 *
 * Conventions, everywhere: metres, radians, seconds, right-handed, Z up, column vectors.
 *     world(node) = world(parent) * local * motion(q)
 *     world(instance) = world(node) * transform
 * Importers convert to these on the way in, exporters on the way out. Mesh vertices are the exception:
 * they stay as the file has them, and the unit and axes of the file sit in the instance's transform.
 *
 * Ownership: a scene owns all that its views point to; a view is valid until the scene is changed
 * (cp_apply, cp_merge) or freed. Strings are UTF-8 and NUL-ended. The library never prints and never exits:
 * functions return a status, and the context's report says what happened. A context and the scenes made
 * with it belong to one thread at a time; different contexts are independent. */
#ifndef CELLPIPE_H
#define CELLPIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CP_API __attribute__((visibility("default")))
#else
#define CP_API
#endif

#define CP_VERSION "0.1.0"

/* No node, mesh, joint, ... */
#define CP_NONE UINT32_MAX

/* What a call came to; the program's exit code is the same number. */
typedef enum cp_status {
    CP_OK = 0,
    CP_NO = 1,         /* the answer is no, or some inputs of several failed */
    CP_USAGE = 2,      /* the request makes no sense: unknown option, bad value */
    CP_INPUT = 3,      /* input unreadable, invalid or unsupported */
    CP_OUTPUT = 4,     /* the output cannot be written */
    CP_LOSSY = 5,      /* something would be lost and strict was asked for */
    CP_LIMIT = 6,      /* a limit, or out of memory */
    CP_BUG = 70,       /* a bug of cellpipe */
    CP_CANCELLED = 128 /* the cancel callback said so; the program ends by its signal then, 128 + n */
} cp_status;

/* ---- context and report ------------------------------------------------------------------------- */

typedef struct cp_context cp_context;
typedef struct cp_scene cp_scene;

/* One function for all memory: size 0 frees, block NULL allocates; old_size is the block's size. */
typedef struct cp_allocator {
    void *(*resize)(void *user, void *block, size_t old_size, size_t size);
    void *user;
} cp_allocator;

/* A context with safe limits; allocator NULL = the C library's. NULL when out of memory. */
CP_API cp_context *cp_context_new(const cp_allocator *allocator);
/* A context for another thread that works on its part of the same job: it has the limits, flags, options, folders and the cancel
 * callback of the first one now, and knows the files that it and the others have read and written. Its allocator is the
 * first's, which must bear several threads. The first outlives it, and makes no calls while it works. NULL when out of
 * memory. */
CP_API cp_context *cp_context_beside(const cp_context *first);
/* Frees the context; its scenes must have been freed before. NULL is fine. */
CP_API void cp_context_free(cp_context *context);

/* Sets a limit by "NAME=VALUE" (names: see `cellpipe help limits`). CP_USAGE for an unknown one. */
CP_API cp_status cp_set_limit(cp_context *context, const char *setting);
/* Options for every use of an importer, nested ones too: "stl.unit=mm". CP_USAGE when unknown or out of range. */
CP_API cp_status cp_set_importer_option(cp_context *context, const char *setting);

typedef enum cp_flag {
    CP_FLAG_STRICT,     /* a loss is CP_LOSSY */
    CP_FLAG_CONFINE,    /* further files only from below the top file's folder, or a package's */
    CP_FLAG_NO_CLOBBER, /* an existing output file is CP_OUTPUT */
    CP_FLAG_SYNC,       /* fsync outputs */
    CP_FLAG_WRITE_ONCE  /* to replace what was written with this context or one beside it is CP_USAGE */
} cp_flag;
CP_API void cp_set_flag(cp_context *context, cp_flag flag, bool on);
/* Adds a folder where further files are looked for after the one that names them. */
CP_API cp_status cp_add_include_folder(cp_context *context, const char *folder);
/* Sets the folder of package://NAME/ and model://NAME/ by "NAME=FOLDER"; a NAME may have several, tried in turn. Files
 * below FOLDER may be read under CP_FLAG_CONFINE too. Without this call, a folder called NAME is looked for: in the folder
 * of the file that names it; in each folder above that, nearest first; in the include folders. CP_USAGE when malformed. */
CP_API cp_status cp_add_package_folder(cp_context *context, const char *setting);

/* How many threads a call may use, 1 .. CP_MOST_THREADS; 1 from the start. Results are the same for any number, and
 * callbacks come from the calling thread alone. CP_USAGE when out of range. */
enum { CP_MOST_THREADS = 1024 };
CP_API cp_status cp_set_threads(cp_context *context, uint32_t count);
/* Asked again and again while a call works (at every allocation, read and write): once it returns true the call ends
 * with CP_CANCELLED as soon as it can, and leaves scenes and files as they were. It goes on to return true until then,
 * and makes no calls with this context. is_cancelled NULL: never. */
CP_API void cp_set_cancel(cp_context *context, bool (*is_cancelled)(void *user), void *user);

typedef struct cp_progress {
    const char *work;     /* "reading", "writing", or the name of the filter that begins */
    const char *file;     /* NULL for a filter */
    uint64_t done, total; /* bytes so far and in all, the latter 0 when nobody knows */
} cp_progress;
/* Called while a call works; it makes no calls with this context. show NULL: never. */
CP_API void cp_set_progress(cp_context *context, void (*show)(void *user, const cp_progress *progress), void *user);

typedef enum cp_severity { CP_NOTE, CP_LOSS, CP_WARNING, CP_ERROR } cp_severity;

typedef struct cp_entry {
    cp_severity severity;
    const char *code; /* stable, e.g. "stl-truncated" */
    const char *file; /* NULL when none */
    uint64_t line;    /* from 1; 0 when none */
    uint64_t column;  /* from 1; 0 when none */
    const char *node; /* the node's name or NULL */
    uint64_t count;   /* how many things the entry is about, at least 1 */
    const char *text;
    const char *message; /* "file:line:column: severity: text", ready to print */
} cp_entry;

/* All entries so far, oldest first; valid until the next call with this context. */
CP_API const cp_entry *cp_report(const cp_context *context, size_t *count);
/* Forgets them, and gives their memory back: a context that is cleared between jobs does not grow. What it keeps is the record
 * of files that were read and written, about 100 bytes and the path for each distinct path. Under CP_FLAG_STRICT a loss that is still in the report fails later calls too, and so does having run
 * out of memory: clear between jobs that have nothing to do with each other. */
CP_API void cp_report_clear(cp_context *context);

/* ---- the scene ----------------------------------------------------------------------------------- */

/* Rows of a 3x4 matrix, row-major: m[0..3] is the first row, m[3], m[7], m[11] the translation. Any
 * affine map is legal: shear, mirroring and zero scale too. */
typedef struct cp_pose {
    double m[12];
} cp_pose;

enum {
    CP_NODE_MOVABLE = 1 << 0,    /* its pose may be set from outside */
    CP_NODE_ATTACHABLE = 1 << 1, /* its parent may change (RobWork DAF) */
    CP_NODE_LINK = 1 << 2,       /* tagged as a link of a device */
    CP_NODE_VOLATILE = 1 << 3,   /* geometry may come later: a collision candidate without a mesh */
    CP_NODE_HIGHLIGHT = 1 << 4,  /* drawn highlighted */
    CP_NODE_WIRE = 1 << 5,       /* drawn as a wire frame */
    CP_NODE_PLACEHOLDER = 1 << 6 /* stands for a name that no frame has; left out of all counts */
};

/* Node 0 is the world: no parent, identity local. A parent comes before its children. */
typedef struct cp_node {
    const char *id;       /* unique among the scene's nodes */
    const char *name;     /* as the source has it; need not be unique */
    const char *raw_name; /* the source's bytes when they were not UTF-8, else NULL */
    uint32_t parent;      /* CP_NONE only for node 0 */
    uint32_t scope;       /* the device whose description brought the node, or CP_NONE */
    uint32_t flags;       /* CP_NODE_... */
    uint32_t first_instance, instance_count;
    uint32_t first_joint, joint_count; /* applied in order after local */
    cp_pose local;
} cp_node;

enum { CP_USE_DRAWN = 1, CP_USE_COLLISION = 2, CP_USE_BOTH = 3 };

typedef struct cp_instance {
    uint32_t node;
    uint32_t mesh;
    uint32_t use; /* CP_USE_... */
    cp_pose transform;
} cp_instance;

typedef enum cp_mesh_kind {
    CP_MESH_FACES,    /* n-gons */
    CP_MESH_LINES,    /* polylines: a "face" is a polyline of at least 2 corners */
    CP_MESH_BOX,      /* size = x, y, z; centred */
    CP_MESH_CYLINDER, /* size = radius, height; sides; centred, axis Z */
    CP_MESH_SPHERE,   /* size = radius; sides */
    CP_MESH_CONE,     /* size = bottom radius, top radius, height; sides; centred, axis Z */
    CP_MESH_TUBE,     /* size = inner radius, thickness, height; sides; centred, axis Z */
    CP_MESH_PLANE,    /* size = x, y; in z = 0, centred, seen from both sides */
    CP_MESH_PYRAMID   /* size = x, y, height; base in z = 0 */
} cp_mesh_kind;

/* Consecutive faces of one material. */
typedef struct cp_group {
    uint32_t first_face, face_count;
    uint32_t material; /* or CP_NONE */
} cp_group;

/* Face f has the corners face_offsets[f] .. face_offsets[f + 1] - 1, or 3f .. 3f + 2 when face_offsets is
 * NULL (all triangles). A primitive (kind >= CP_MESH_BOX) has no arrays, only sizes. */
typedef struct cp_mesh {
    const char *id; /* unique among the scene's meshes */
    const char *name;
    const char *source; /* where it came from: a file's path as written, or "#Box 1 2 3"; "" when unknown */
    cp_mesh_kind kind;
    uint32_t sides;
    double size[3];
    uint32_t vertex_count, face_count, corner_count, group_count;
    const float *positions;       /* vertex_count x 3 */
    const float *normals;         /* vertex_count x 3, unit length, or NULL */
    const float *colours;         /* vertex_count x 4, linear RGBA 0..1, or NULL */
    const uint32_t *face_offsets; /* face_count + 1, or NULL */
    const uint32_t *corners;      /* corner_count vertex indices */
    const cp_group *groups;       /* in face order, covering all faces; none = one group without material */
} cp_mesh;

typedef struct cp_material {
    const char *id; /* unique among the scene's materials */
    const char *name;
    double rgba[4];
    bool srgb; /* rgba is as displayed, else linear light */
    bool two_sided;
} cp_material;

typedef enum cp_joint_type { CP_JOINT_FIXED, CP_JOINT_REVOLUTE, CP_JOINT_PRISMATIC, CP_JOINT_SCALE } cp_joint_type;

/* A formula over other joints: numbers, + - * / ^, pi, sin cos tan asin acos atan atan2 sqrt abs min max, and
 * dof(1) .. dof(input_count), where dof(i) is factors[i - 1] * q(inputs[i - 1]). Its value is 0 where it is not defined. */
typedef struct cp_expression {
    const char *text;
    double angle; /* radians of one unit of what the trigonometric functions take or give */
    uint32_t input_count;
    const uint32_t *inputs; /* joints, themselves not dependent */
    const double *factors;
} cp_expression;

/* lower and upper are -inf and +inf when the source gives none, velocity and acceleration +inf.
 * A dependent joint has q = scale * q(master) + offset, or q = scale * expression + offset, and its own q is ignored. */
typedef struct cp_joint {
    const char *id; /* unique among the scene's joints */
    const char *name;
    uint32_t node;
    cp_joint_type type;
    double axis[3]; /* unit vector in the node's frame, after local and the node's earlier joints */
    double lower, upper, velocity, acceleration;
    double home, q;
    bool driven;     /* a degree of freedom that somebody sets (a fixed joint may be one) */
    uint32_t master; /* CP_NONE, or the joint (itself not dependent) that drives this one */
    double scale, offset;
    const cp_expression *expression; /* or NULL; not together with a master */
} cp_joint;

typedef enum cp_device_kind { CP_DEVICE_SERIAL, CP_DEVICE_TREE, CP_DEVICE_COMPOSITE } cp_device_kind;

typedef struct cp_device {
    const char *id; /* unique among the scene's devices */
    const char *name;
    cp_device_kind kind;
    uint32_t base;
    uint32_t scope; /* the device it came with, or CP_NONE */
    uint32_t end_count, joint_count;
    const uint32_t *ends;   /* nodes */
    const uint32_t *joints; /* in chain order */
    const double *home;     /* joint_count values, or NULL: the joints' own */
} cp_device;

typedef enum cp_verdict { CP_PAIR_EXCLUDED, CP_PAIR_KEPT } cp_verdict;

typedef struct cp_joint_setting {
    uint32_t joint;
    double value;
} cp_joint_setting;

/* Metres: what is not farther apart touches, where nothing else is said. */
#define CP_TOUCH 1e-6

/* How the reason of a pair was found (docs/exclusion.md). */
typedef struct cp_finding {
    double margin;              /* metres: what comes nearer than this counts as colliding */
    double touch;               /* metres: so does what is not farther apart than this; such pairs touch */
    double clearance;           /* metres: the smallest distance that was met with, +inf when none was measured */
    uint64_t work;              /* bounds that a proof took */
    uint32_t samples, descents; /* random configurations, and searches from some, that were looked at */
    uint32_t hits;              /* samples that collide */
    uint32_t
        witness_count; /* values of the driven joints between the two in which they collide; 0 when none is known */
    const cp_joint_setting *witness;
    uint64_t key; /* a hash of all that the finding rests on: both frames' geometry and the joints between them */
} cp_finding;

/* A statement about the collision of two nodes. */
typedef struct cp_pair {
    uint32_t first, second;
    cp_verdict verdict;
    const char *reason;        /* "given", "static", "always-proved", "never-proved", "sometimes", ... */
    const char *evidence;      /* free text, "" when none */
    const cp_finding *finding; /* NULL when nobody noted it */
} cp_pair;

typedef enum cp_interpolation { CP_STEP, CP_LINEAR, CP_CUBIC } cp_interpolation;
typedef enum cp_path { CP_PATH_JOINT, CP_PATH_TRANSLATION, CP_PATH_ROTATION, CP_PATH_SCALE } cp_path;

/* values: key_count x width, width 1 (joint), 3 (translation, scale) or 4 (rotation, x y z w); CP_CUBIC has
 * three such rows a key: in-tangent, value, out-tangent. Node paths replace that part of the local pose. */
typedef struct cp_track {
    uint32_t target; /* a joint for CP_PATH_JOINT, else a node */
    cp_path path;
    cp_interpolation interpolation;
    uint32_t key_count;
    const double *times; /* seconds, ascending */
    const double *values;
} cp_track;

/* From this time on the node hangs on `host`, another node or the world, instead of its parent, until its next attachment: its
 * pose and its tracks are in the frame of the host then. */
typedef struct cp_attachment {
    double time; /* seconds */
    uint32_t node, host;
} cp_attachment;

/* Attachments are in the order of their times. At no time does a node hang on itself, or on what hangs on it. */
typedef struct cp_clip {
    const char *name;
    uint32_t track_count;
    const cp_track *tracks;
    uint32_t attachment_count;
    const cp_attachment *attachments;
} cp_clip;

typedef enum cp_owner { CP_OWNER_SCENE, CP_OWNER_NODE, CP_OWNER_MESH, CP_OWNER_MATERIAL, CP_OWNER_JOINT } cp_owner;
typedef enum cp_value_type { CP_VALUE_STRING, CP_VALUE_NUMBER, CP_VALUE_BOOLEAN, CP_VALUE_JSON } cp_value_type;

/* What a source says that the scene has no word for. */
typedef struct cp_metadata {
    cp_owner owner;
    uint32_t index; /* of the owner; 0 for the scene */
    const char *key;
    cp_value_type type;
    const char *value; /* as text */
} cp_metadata;

typedef enum cp_up { CP_UP_Z, CP_UP_Y } cp_up;

typedef struct cp_source {
    const char *format; /* the importer's name */
    const char *file;   /* without its folders */
    double unit;        /* metres per unit of the source */
    cp_up up;
} cp_source;

CP_API void cp_scene_free(cp_scene *scene);
/* Views: an array and its length. The array may be NULL when the length is 0. */
CP_API const cp_node *cp_nodes(const cp_scene *scene, uint32_t *count);
CP_API const cp_instance *cp_instances(const cp_scene *scene, uint32_t *count);
CP_API const cp_mesh *cp_meshes(const cp_scene *scene, uint32_t *count);
CP_API const cp_material *cp_materials(const cp_scene *scene, uint32_t *count);
CP_API const cp_joint *cp_joints(const cp_scene *scene, uint32_t *count);
/* Whether no other joint has its name, so that this alone tells which one is meant; else "id:" and its id do. */
CP_API bool cp_joint_is_named_alone(const cp_scene *scene, uint32_t joint);
CP_API const cp_device *cp_devices(const cp_scene *scene, uint32_t *count);
CP_API const cp_pair *cp_pairs(const cp_scene *scene, uint32_t *count);
CP_API const cp_clip *cp_clips(const cp_scene *scene, uint32_t *count);
CP_API const cp_metadata *cp_metadata_of(const cp_scene *scene, uint32_t *count);
CP_API const cp_source *cp_scene_source(const cp_scene *scene);
/* True when frames that cannot move against each other are not checked for collision. */
CP_API bool cp_excludes_static_pairs(const cp_scene *scene);

/* The words for these that stages, dumps and `info` have: "box", "revolute", "serial", "drawn". */
CP_API const char *cp_mesh_kind_name(cp_mesh_kind kind);
CP_API const char *cp_joint_type_name(cp_joint_type type);
CP_API const char *cp_device_kind_name(cp_device_kind kind);
CP_API const char *cp_use_name(uint32_t use);

/* ---- work on a scene ------------------------------------------------------------------------------ */

/* Reads a file ("-": standard input). format NULL: by its bytes. options: "KEY=VALUE" strings of the importer.
 * On success *scene is a new scene, else NULL and the report says why. */
CP_API cp_status cp_read(cp_context *context, const char *path, const char *format, const char *const *options,
                         size_t option_count, cp_scene **scene);
/* The same from size bytes of memory; name stands in messages and resolves further files. */
CP_API cp_status cp_read_memory(cp_context *context, const void *bytes, size_t size, const char *name,
                                const char *format, const char *const *options, size_t option_count, cp_scene **scene);
/* Changes the scene by a filter. On failure the scene is as it was. */
CP_API cp_status cp_apply(cp_context *context, cp_scene *scene, const char *filter, const char *const *options,
                          size_t option_count);
/* Writes a file ("-": standard output). format NULL: by the path's suffix; with ".gz" after its name ("glb.gz"), or after the
 * path's suffix: packed by gzip. */
CP_API cp_status cp_write(cp_context *context, const cp_scene *scene, const char *path, const char *format,
                          const char *const *options, size_t option_count);
/* The same into memory: *bytes is *size bytes from the context's allocator, freed by cp_free. */
CP_API cp_status cp_write_memory(cp_context *context, const cp_scene *scene, const char *format,
                                 const char *const *options, size_t option_count, void **bytes, size_t *size);
CP_API void cp_free(cp_context *context, void *bytes, size_t size);
/* Before long work: CP_OUTPUT when it can be seen already that cp_write cannot write there. */
CP_API cp_status cp_expect_output(cp_context *context, const char *path);
/* Writes bytes of the caller's own, such as a protocol of its work, as cp_write does: whole or not at all, compressed when
 * the path ends in .gz. A file that was read or written with this context is CP_USAGE. */
CP_API cp_status cp_write_file(cp_context *context, const char *path, const void *bytes, size_t size);
/* Keeps the path for a cp_write with this context or one beside it: further files that other outputs bring along do not
 * take it, but fail with CP_USAGE. CP_NO, and no entry in the report, when it is kept already. */
CP_API cp_status cp_reserve_output(cp_context *context, const char *path);
/* True when path is a file that was read with this context, also by another name. cp_write refuses to replace one. */
CP_API bool cp_was_read(const cp_context *context, const char *path);
/* Adds `other` below a new node `name` of the world; `other` is emptied and must still be freed. Both are scenes of this
 * context, and not the same one: else CP_USAGE. */
CP_API cp_status cp_merge(cp_context *context, cp_scene *scene, cp_scene *other, const char *name);

/* CP_OK when all invariants hold, else CP_BUG and the first broken one in the report. */
CP_API cp_status cp_validate(cp_context *context, const cp_scene *scene);

/* World poses of all nodes into worlds[node count]. q: a value for each joint, or NULL for the current ones;
 * values of dependent joints are computed, never taken. CP_LIMIT when out of memory. For many poses see cp_mechanism. */
CP_API cp_status cp_world_poses(cp_context *context, const cp_scene *scene, const double *q, cp_pose *worlds);
/* The values of all joints into values[joint count]: q, or the current ones, and what follows from them. */
CP_API cp_status cp_joint_values(cp_context *context, const cp_scene *scene, const double *q, double *values);

/* The joints of a scene, compiled for many poses. It belongs to the context and sees the scene, neither of which may
 * change or go before it. One thread at a time may use it. */
typedef struct cp_mechanism cp_mechanism;

/* CP_LIMIT when out of memory, and no mechanism. */
CP_API cp_status cp_mechanism_new(cp_context *context, const cp_scene *scene, cp_mechanism **mechanism);
CP_API void cp_mechanism_free(cp_mechanism *mechanism);
/* As cp_joint_values and cp_world_poses, but they take no memory, and make no calls with the context. */
CP_API cp_status cp_mechanism_values(cp_mechanism *mechanism, const double *q, double *values);
CP_API cp_status cp_mechanism_poses(cp_mechanism *mechanism, const double *q, cp_pose *worlds);
/* World poses of all nodes into worlds[node count] at a time (seconds) of a clip: before a track's first key and after its last one
 * it has their values. CP_LIMIT when out of memory. */
CP_API cp_status cp_clip_poses(cp_context *context, const cp_scene *scene, uint32_t clip, double time, cp_pose *worlds);
/* Whether its value follows from those of other joints: it has a master or an expression. */
CP_API bool cp_joint_is_dependent(const cp_joint *joint);

/* How many triangles a mesh is drawn with: n-gons count n - 2, primitives as they are tessellated, lines 0. */
CP_API uint64_t cp_mesh_triangles(const cp_mesh *mesh);

typedef struct cp_measures {
    uint64_t triangles; /* n-gons count n - 2; placed instances, not stored meshes */
    bool any;           /* false: nothing to bound */
    double lower[3], upper[3];
    double area;   /* m2 */
    double volume; /* m3, signed sum; meaningful for closed meshes */
} cp_measures;
/* Measures all instances of the given use (CP_USE_...) at the current joint values. */
CP_API cp_status cp_measure(cp_context *context, const cp_scene *scene, uint32_t use, cp_measures *measures);
/* Measures each mesh once, where its first instance places it, or in its own coordinates when it has none:
 * measures[mesh count]. */
CP_API cp_status cp_measure_meshes(cp_context *context, const cp_scene *scene, cp_measures *measures);
/* first[mesh count]: for each mesh the first one that is equal bit for bit, material and all, or itself. Only meshes that have an
 * instance are equal to others. */
CP_API cp_status cp_equal_meshes(cp_context *context, const cp_scene *scene, uint32_t *first);
/* The bytes of a mesh's arrays. */
CP_API uint64_t cp_mesh_bytes(const cp_mesh *mesh);

/* How the faces of a mesh hang together. Vertices are joined where their positions are equal (-0 equals +0). A shell is a set of
 * faces that hang together over edges of exactly two faces, a component one that does over edges of any number. Shells
 * that are closed and bound a volume should be wound outward, or inward when they are cavities: inside an odd number of
 * others. */
typedef struct cp_topology {
    uint64_t edges;
    uint64_t border_edges;       /* one face */
    uint64_t non_manifold_edges; /* three faces and more */
    uint64_t misoriented_edges;  /* two faces that run through it the same way */
    uint64_t degenerate_faces;   /* fewer than 3 distinct corners, or no area */
    bool closed;                 /* has faces; no border, non-manifold or misoriented edge */
    uint64_t vertices;           /* places that faces use */
    uint64_t unused_vertices;    /* stored ones that no face uses */
    uint64_t touching_vertices;  /* places where faces meet that do not hang together there over edges */
    uint64_t duplicate_faces;    /* the same corners, wound alike, as an earlier face */
    uint64_t opposite_faces;     /* the same corners as an earlier face, wound against it */
    uint64_t components;
    uint64_t closed_components; /* whose edges all have an even number of faces */
    uint64_t one_sided_shells;  /* such as a Moebius strip */
    uint64_t flat_shells;       /* closed, but without a volume */
    uint64_t inside_out_shells; /* wound alike, but the wrong way */
    uint64_t cavities;          /* shells that are inside an odd number of others */
    uint64_t flipped_faces; /* those that the filter orient turns: all of a shell that is inside out, or the fewer */
} cp_topology;
/* Linear time; for solids in one another n log n. */
CP_API cp_status cp_mesh_topology(cp_context *context, const cp_mesh *mesh, cp_topology *topology);

typedef struct cp_pair_counts {
    uint64_t candidates; /* frames with a collision mesh or the volatile flag */
    uint64_t all;        /* unordered pairs of them */
    uint64_t checked;    /* less the excluded and, where the scene says so, the static ones */
} cp_pair_counts;
CP_API cp_status cp_count_pairs(cp_context *context, const cp_scene *scene, cp_pair_counts *counts);

/* Hashes of what a finding rests on (cp_finding.key), as the scene is now. keys[count]: of both frames' collision geometry and the
 * joints between them, 0 for a pair of which one frame has no such geometry. */
CP_API cp_status cp_pair_keys(cp_context *context, const cp_scene *scene, const cp_pair *pairs, uint32_t count,
                              uint64_t *keys);
/* keys[node count]: of each frame's collision geometry, seen from the frame; 0 for one without. */
CP_API cp_status cp_geometry_keys(cp_context *context, const cp_scene *scene, uint64_t *keys);

/* Reads a list of exclusions: when the evidence beside it (its path and ".json") names further files, with what these exclude; else as
 * cp_read. What they name are placeholders. */
CP_API cp_status cp_read_list(cp_context *context, const char *path, cp_scene **list);
/* What of a list of exclusions does not hold for a scene any more. */
typedef enum cp_list_fault_kind {
    CP_LIST_FRAME_GONE,
    CP_LIST_FRAME_NEW,     /* it can collide, and no pair of it was looked at */
    CP_LIST_NOT_VOLATILE,  /* it is volatile, and the list does not say so */
    CP_LIST_STATIC,        /* the list leaves out all static pairs, and the evidence does not; no frame is meant */
    CP_LIST_FIRST_CHANGED, /* its geometry */
    CP_LIST_SECOND_CHANGED,
    CP_LIST_BOTH_CHANGED,
    CP_LIST_MOTION_CHANGED, /* what lies between: joints, their limits, fixed poses */
    CP_LIST_NOT_LISTED,     /* excluded by the evidence alone */
    CP_LIST_NOT_EVIDENT     /* excluded by the list alone */
} cp_list_fault_kind;
typedef struct cp_list_fault {
    cp_list_fault_kind kind;
    const char *first, *second; /* names of frames; second is "" where one alone is meant, first too where none is */
} cp_list_fault;
/* Whether a list of exclusions, written as collision-setup with evidence=yes, holds for the scene as it is: CP_OK, or CP_NO after
 * all faults were told; `tell` makes no calls with this context. Without the evidence beside the list (its path and ".json") names
 * alone are checked, with a warning. */
CP_API cp_status cp_check_list(cp_context *context, const cp_scene *scene, const char *path,
                               void (*tell)(void *user, const cp_list_fault *fault), void *user);

/* ---- collisions ----------------------------------------------------------------------------------- */

/* The collision geometry of a scene, made ready to be tested. It belongs to the context and sees the scene, neither of which may change or
 * go before it. */
typedef struct cp_collider cp_collider;

/* Takes all pairs of frames with collision geometry, less those that the scene leaves out (its excluded pairs, and the static ones where
 * cp_excludes_static_pairs), or all of them with every_pair. What comes within `touch` metres counts as colliding (1e-6 is a good
 * value). Closed meshes that are wound alike, and primitives, are solids, others surfaces ("collide-open" warns of them); a mesh of
 * kind CP_MESH_PLANE is the plane without borders, and planes do not collide with each other. CP_NO and no collider when
 * there is no pair to check. */
CP_API cp_status cp_collider_new(cp_context *context, const cp_scene *scene, double touch, bool every_pair,
                                 cp_collider **collider);
CP_API void cp_collider_free(cp_collider *collider);
/* How many pairs it checks. */
CP_API uint64_t cp_collider_pairs(const cp_collider *collider);

/* Two frames that are near each other. */
typedef struct cp_contact {
    uint32_t first, second; /* nodes, the lower index first */
    double distance;        /* metres, in the world; 0 when they collide: meet, or one is inside of the other */
} cp_contact;

/* The pairs that collide or are at most `clearance` metres apart, where worlds[node count] are the poses of the scene's nodes (see
 * cp_world_poses), in the order of their nodes. They are the collider's, until the next call with it. */
CP_API cp_status cp_collide(cp_collider *collider, const cp_pose *worlds, double clearance, const cp_contact **contacts,
                            uint32_t *count);

/* What becomes of two frames in the course of a clip. */
typedef struct cp_passage {
    uint32_t first, second;   /* as of a contact */
    double distance, nearest; /* metres: the smallest distance of all moments, and when it comes up first, in seconds */
    uint32_t moments;         /* at how many they collide */
    double begin, end;        /* seconds: the first and the last time at which they do; 0 when they never do */
} cp_passage;

typedef struct cp_passages {
    const cp_passage *items; /* in the order of their nodes; the collider's, until the next call with it */
    uint32_t count;
    uint32_t moments;   /* that were looked at */
    double first, last; /* seconds: the first and the last of them */
} cp_passages;

/* The pairs that collide or come within `clearance` in the course of a clip. It is looked at whenever a track has a key and something
 * is attached, and in between so often that there are at most `step` seconds from one moment to the next (0: not in between);
 * what comes and goes from one to the next is not seen. begin and end are searched for between the moments until, within a
 * millisecond before or after, the two are free. */
CP_API cp_status cp_collide_clip(cp_collider *collider, uint32_t clip, double step, double clearance,
                                 cp_passages *passages);

/* ---- formats and filters ------------------------------------------------------------------------- */

typedef enum cp_plugin_kind { CP_IMPORTER, CP_EXPORTER, CP_FILTER } cp_plugin_kind;

typedef struct cp_option_info {
    const char *name, *help, *type, *default_value;
    const char *choices;     /* "a|b|c" or NULL */
    double minimum, maximum; /* both 0: no bounds; lengths in metres, angles in degrees */
} cp_option_info;

typedef struct cp_plugin_info {
    const char *name, *title;
    const char *suffixes; /* ".stl .stla", "" for a filter */
    const char *package;  /* NULL when built; else the missing Debian package */
    const char *lacks;    /* NULL, or what of it is not built: "EXT_meshopt_compression (libmeshoptimizer-dev)" */
    size_t option_count;
} cp_plugin_info;

CP_API size_t cp_plugin_count(cp_plugin_kind kind);
CP_API cp_plugin_info cp_plugin_at(cp_plugin_kind kind, size_t index);
CP_API cp_option_info cp_plugin_option(cp_plugin_kind kind, size_t index, size_t option);
/* CP_OK when the plug-in knows all these "KEY=VALUE" options and their values are in range, else the report says which
 * not: for asking before any work is done. */
CP_API cp_status cp_check_options(cp_context *context, cp_plugin_kind kind, const char *name,
                                  const char *const *options, size_t option_count);
/* The nearest known plug-in name to `word`, or NULL. */
CP_API const char *cp_plugin_nearest(cp_plugin_kind kind, const char *word);
/* The nearest to `word` of a list ended by NULL, or NULL when none is near. */
CP_API const char *cp_nearest_word(const char *word, const char *const *words);
/* The index of the exporter that cp_write takes for a path, or SIZE_MAX when no suffix fits. */
CP_API size_t cp_exporter_of(const char *path);
/* The shortest decimal text that reads back to the same double, whatever the locale; returns its length. */
enum { CP_NUMBER_SIZE = 32 };
CP_API size_t cp_print_double(double value, char out[CP_NUMBER_SIZE]);
/* Writes the next character of a text as a string of JSON has it (RFC 8259), moves *text behind it and returns how many
 * bytes are in out: 0 at the end. DEL is escaped too, and a byte that is not UTF-8 is read as Latin-1 and escaped. */
enum { CP_JSON_CHARACTER_SIZE = 6 };
CP_API size_t cp_print_json_character(const char **text, char out[CP_JSON_CHARACTER_SIZE]);
/* False when the text as a whole is not one number; blanks around it are allowed, and the locale does not matter. */
CP_API bool cp_parse_double(const char *text, double *value);
/* The same of a length with a unit after it ("5mm", "0.2in", "1e-6m"); without one it is in metres. */
CP_API bool cp_parse_length(const char *text, double *metres);
/* A limit's name, its default and what it bounds; name NULL past the last. */
CP_API cp_option_info cp_limit_at(size_t index);

#ifdef __cplusplus
}
#endif
#endif
