/* cellpipe: robot cells and CAD parts as one normalised scene.
 *
 * Conventions, everywhere: metres, radians, seconds, right-handed, Z up, column vectors.
 *     world(node) = world(parent) * local * motion(q)
 *     world(instance) = world(node) * transform
 * Importers convert to these conventions, exporters convert from them. Mesh vertices are the exception: they stay as
 * the file has them. The instance's transform holds the unit and the axes of the file.
 *
 * Ownership: a scene owns all that its views point to. A view is valid until the scene is changed (cp_apply, cp_merge)
 * or freed. Strings are UTF-8 and NUL-terminated. The library never prints and never exits: functions return a status,
 * and the context's report says what happened. One thread at a time may use a context and the scenes made with it.
 * Different contexts are independent.
 *
 * Structs that may grow begin with `size`. The caller sets it to sizeof of the struct that it was compiled with, before
 * a call reads or fills the struct: the library leaves alone what lies behind, and takes for zero what lies behind in
 * its own. A size that holds no member is CP_USAGE "struct-size". Where a function returns an array, its count may be
 * NULL. */
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
/* The version of the library that runs, as CP_VERSION is that of this header. */
CP_API const char *cp_version(void);

/* No node, mesh, joint, ... */
#define CP_NONE UINT32_MAX

/* Status of a call. The program's exit code is the same number. */
typedef enum cp_status {
    CP_OK = 0,
    CP_NO = 1,         /* the request was carried out, and the answer is no: what it asks for is not so, or not there */
    CP_USAGE = 2,      /* a wrong request: unknown option, bad value */
    CP_INPUT = 3,      /* input unreadable, invalid or unsupported */
    CP_OUTPUT = 4,     /* the output cannot be written */
    CP_LOSSY = 5,      /* something would be lost, and CP_FLAG_STRICT is set */
    CP_LIMIT = 6,      /* a limit, or out of memory */
    CP_BUG = 70,       /* a bug of cellpipe */
    CP_CANCELLED = 128 /* the cancel callback returned true; the program then ends by its signal, 128 + n */
} cp_status;

/* ---- context and report ------------------------------------------------------------------------- */

typedef struct cp_context cp_context;
typedef struct cp_scene cp_scene;

/* One function for all memory: size 0 frees the block, block NULL allocates one. old_size is the block's present
 * size. */
typedef struct cp_allocator {
    void *(*resize)(void *user, void *block, size_t old_size, size_t size);
    void *user;
} cp_allocator;

/* Makes a context with safe limits. allocator NULL: the C library's. NULL if out of memory. */
CP_API cp_context *cp_context_new(const cp_allocator *allocator);
/* Frees the context. Free its scenes before. NULL is allowed. */
CP_API void cp_context_free(cp_context *context);

/* Sets a limit by "NAME=VALUE" (names: see `cellpipe help limits`). CP_USAGE if NAME is unknown. */
CP_API cp_status cp_set_limit(cp_context *context, const char *setting);
/* Sets an option for every use of an importer, nested ones too: "stl.unit=mm". CP_USAGE if it is unknown or out of
 * range. */
CP_API cp_status cp_set_importer_option(cp_context *context, const char *setting);

typedef enum cp_flag {
    CP_FLAG_STRICT,     /* a loss fails with CP_LOSSY */
    CP_FLAG_CONFINE,    /* on at first: read further files only from below the folder of the file that is read, or
                         * the package that it is in (a folder with a package.xml), or a folder that was added
                         * (cp_add_include_folder, cp_allow_folder, cp_add_package_folder). Input from standard input:
                         * below the current folder. Off: a file may name any file, also one that is secret */
    CP_FLAG_NO_CLOBBER, /* an existing output file fails with CP_OUTPUT */
    CP_FLAG_SYNC,       /* fsync outputs */
    CP_FLAG_WRITE_ONCE, /* replacing an output of this context fails with CP_USAGE */
    CP_FLAG_LIST_FILES, /* list the files that are read, looked for and written (cp_files) */
    /* Third-party importers (assimp) read in a process of their own, so that a damaged file cannot end or block this
     * one. The process is a fork of this one, without exec, and restricts itself: it may not open files or sockets,
     * start programs, or exceed the limits reader-memory and reader-seconds. If it dies or exceeds them, the call fails
     * with "read-crashed", "read-killed", "read-memory" or "read-timeout". While a call reads, other threads may hold no locks that
     * the importer takes; those of malloc and stdio are safe in the GNU C library. Leave SIGCHLD at its default, or the
     * message cannot name the signal that ended the process. Off at first. */
    CP_FLAG_ISOLATE,
    CP_FLAG_NO_MAPPING /* read large files into memory. Else they are mapped: if somebody cuts such a file short while
                        * it is read, the system raises SIGBUS, which ends a host program that does not handle it */
} cp_flag;
CP_API void cp_set_flag(cp_context *context, cp_flag flag, bool on);
/* Adds a folder to search for further files, after the folder of the file that names them. */
CP_API cp_status cp_add_include_folder(cp_context *context, const char *folder);
/* Adds a folder below which CP_FLAG_CONFINE lets files be, such as that of a library; nothing is searched for there. */
CP_API cp_status cp_allow_folder(cp_context *context, const char *folder);
/* Sets the folder of package://NAME/ and model://NAME/ by "NAME=FOLDER". A NAME may have several folders, which are
 * searched in order. Without this call, a folder whose package.xml gives NAME is searched for, or one called NAME: in
 * the folder of the file that names it; in each folder above that, nearest first; beside the nearest package; in the
 * include folders; in those of ROS_PACKAGE_PATH and AMENT_PREFIX_PATH (docs/cli.md).
 * CP_USAGE if malformed. */
CP_API cp_status cp_add_package_folder(cp_context *context, const char *setting);

/* Sets how many threads a call may use: 1 .. CP_MOST_THREADS, at first 1. Results are the same for any number.
 * Callbacks come from the calling thread only. CP_USAGE if out of range. */
enum { CP_MOST_THREADS = 1024 };
CP_API cp_status cp_set_threads(cp_context *context, uint32_t count);
/* Sets the cancel callback; is_cancelled NULL: none. A call asks it at every allocation, read and write. After the
 * first "true" the call ends with CP_CANCELLED as soon as it can, and scenes and files stay unchanged. Until the call
 * has ended, the callback must keep returning true. It makes no calls with this context. */
CP_API void cp_set_cancel(cp_context *context, bool (*is_cancelled)(void *user), void *user);
/* Sets a callback that ends a long search early; ends_early NULL: none. The filter "exclude" asks it again and again,
 * from all its threads. After the first "true" it keeps what it has found, and all other pairs are undecided (warning
 * "exclude-interrupted"). Until the call has ended, the callback must keep returning true. */
CP_API void cp_set_end(cp_context *context, bool (*ends_early)(void *user), void *user);

typedef struct cp_progress {
    const char *work;     /* "reading", "writing", or the name of the filter that begins */
    const char *file;     /* NULL for a filter */
    uint64_t done, total; /* done so far, and in the whole work; total 0: unknown */
    const char *unit;     /* the thing that is counted, such as "pairs"; NULL: bytes, or parts of the work */
    uint64_t undecided;   /* how many of the pairs that are done were neither proved nor found to collide */
} cp_progress;
/* Sets a function that a call shows its progress with; show NULL: none. It makes no calls with this context. */
CP_API void cp_set_progress(cp_context *context, void (*show)(void *user, const cp_progress *progress), void *user);

typedef enum cp_severity { CP_NOTE, CP_LOSS, CP_WARNING, CP_ERROR } cp_severity;

typedef struct cp_entry {
    cp_severity severity;
    const char *code; /* stable, e.g. "stl-truncated" */
    const char *file; /* NULL when none */
    uint64_t line;    /* from 1; 0 when none */
    uint64_t column;  /* from 1; 0 when none */
    const char *node; /* the node's name or NULL */
    uint64_t count;   /* how many cases the entry counts, at least 1 */
    const char *text;
    const char *message; /* "file:line:column: severity: text", ready to print: without control characters. The
                          * members above hold the bytes of files and users as they are */
} cp_entry;

/* XXH3-128 of bytes. Its usual text is 32 hexadecimal digits, `high` first, as xxh128sum prints it. */
typedef struct cp_hash {
    uint64_t low, high;
} cp_hash;

typedef enum cp_file_use {
    CP_FILE_READ,
    CP_FILE_MISSING, /* looked for and not opened: not there, a folder, no permission. Could it be, results may change
                      */
    CP_FILE_WRITTEN
} cp_file_use;

typedef struct cp_file {
    const char *path; /* the path as it was opened; "-" for a standard stream */
    cp_file_use use;
    uint64_t size;      /* bytes on the disk: packed if the file is. 0 if missing, as are modified and hash */
    int64_t modified;   /* nanoseconds since 1970; 0 if it is no regular file */
    cp_hash hash;       /* hash of the bytes as on the disk, taken while they were read or written */
    const char *format; /* the importer that read it; "" if none knew it; NULL for what no importer was sought for, such
                         * as pictures and buffers, and for outputs */
} cp_file;

/* Returns the files that calls with this context have used, in the order of their first use, since the context was made
 * or its report cleared; CP_FLAG_LIST_FILES must be set. The input of a cp_read comes before its further files, an
 * output of cp_write after them. A file is listed once for each use; again if it had other bytes then. The list is
 * valid until the next call with this context. What is read from memory or written to it is not listed. */
CP_API const cp_file *cp_files(const cp_context *context, size_t *count);

/* Returns all entries so far, oldest first. They are valid until the next call with this context. */
CP_API const cp_entry *cp_report(const cp_context *context, size_t *count);
/* Clears the report and the list of files, and frees their memory: a context that is cleared between jobs does not
 * grow. It keeps only the record by which no output replaces an input: about 100 bytes and the path for each distinct
 * path that was read or written. Clear the report between independent jobs, or a failure is carried over: once memory
 * ran out, or a loss was reported under CP_FLAG_STRICT, later calls fail too. */
CP_API void cp_report_clear(cp_context *context);

/* ---- the scene ----------------------------------------------------------------------------------- */

/* Rows of a 3x4 matrix, row-major: m[0..3] is the first row; m[3], m[7], m[11] are the translation. Any affine map is
 * legal: shear, mirroring and zero scale too. */
typedef struct cp_pose {
    double m[12];
} cp_pose;

enum {
    CP_NODE_MOVABLE = 1 << 0,    /* its pose may be set from outside */
    CP_NODE_ATTACHABLE = 1 << 1, /* its parent may change (RobWork DAF) */
    CP_NODE_LINK = 1 << 2,       /* tagged as a link of a device */
    CP_NODE_VOLATILE = 1 << 3,   /* its geometry may come later: it can collide even without a mesh */
    CP_NODE_HIGHLIGHT = 1 << 4,  /* drawn highlighted */
    CP_NODE_WIRE = 1 << 5,       /* drawn as a wire frame */
    CP_NODE_PLACEHOLDER = 1 << 6, /* represents an unresolved name; not in any count */
    CP_NODE_MISSING = 1 << 7      /* a model for collisions that the source names could not be read */
};

/* The mass of a node. Moments are about the centre of mass, in the node's axes; products have the sign of URDF: the
 * matrix of inertia has them as they are. Nothing says that there are bodies of such an inertia. */
typedef struct cp_inertia {
    double mass;       /* kg, from 0 */
    double centre[3];  /* of mass, in the node's frame: metres */
    double moments[6]; /* xx xy xz yy yz zz: kg m^2 */
} cp_inertia;

/* Node 0 is the world: no parent, identity local. A parent comes before its children. */
typedef struct cp_node {
    const char *id;       /* unique among the scene's nodes */
    const char *name;     /* the name that the source has; need not be unique */
    const char *raw_name; /* the source's bytes if they were not UTF-8, else NULL */
    uint32_t parent;      /* CP_NONE only for node 0 */
    uint32_t scope;       /* the device whose description defines the node, or CP_NONE */
    uint32_t flags;       /* CP_NODE_... */
    uint32_t first_instance, instance_count;
    uint32_t first_joint, joint_count; /* applied in order after local */
    cp_pose local;
    const cp_inertia *inertia; /* NULL: none is known */
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
    CP_MESH_PYRAMID,  /* size = x, y, height; base in z = 0 */
    CP_MESH_CAPSULE   /* size = radius, length of the part between the half spheres; sides; centred, axis Z */
} cp_mesh_kind;

/* Consecutive faces of one material. A primitive has one group at most: no faces, and the material of all of it. */
typedef struct cp_group {
    uint32_t first_face, face_count;
    uint32_t material; /* or CP_NONE */
} cp_group;

/* Sets of texture coordinates that a mesh may have. */
enum { CP_COORDINATE_SETS = 2 };

/* Face f has the corners face_offsets[f] .. face_offsets[f + 1] - 1. If face_offsets is NULL, all faces are triangles,
 * and f has the corners 3f .. 3f + 2. A primitive (kind >= CP_MESH_BOX) has no arrays, only sizes. */
typedef struct cp_mesh {
    const char *id; /* unique among the scene's meshes */
    const char *name;
    const char *source; /* its origin: a file's path as written, or "#Box 1 2 3"; "" if unknown */
    cp_mesh_kind kind;
    uint32_t sides;
    double size[3];
    uint32_t vertex_count, face_count, corner_count, group_count;
    const float *positions; /* vertex_count x 3 */
    const float *normals;   /* vertex_count x 3, unit length, or NULL */
    /* vertex_count x 4, or NULL; only with normals, and for normal maps: the direction in which the first coordinate of
     * a texture grows, unit length, then 1 or -1: that times normal x direction is the second axis of the map */
    const float *tangents;
    const float *colours; /* vertex_count x 4, linear RGBA 0..1, or NULL */
    /* Texture coordinates, vertex_count x 2, or NULL; the second set only with the first: (0, 0) is the upper left
     * corner of an image, (1, 1) the lower right one */
    const float *coordinates[CP_COORDINATE_SETS];
    const uint32_t *face_offsets; /* face_count + 1, or NULL */
    const uint32_t *corners;      /* corner_count vertex indices */
    const cp_group *groups;       /* ordered like the faces, and covering all of them; no groups: one group without
                                   * material */
} cp_mesh;

/* A picture: its bytes as they are in a file of its type, or only where that file is. */
typedef struct cp_image {
    const char *id; /* unique among the scene's images */
    const char *name;
    const char *type;           /* media type, such as "image/png"; "" if unknown */
    const char *path;           /* the path that the source names; "" if the source holds the bytes */
    uint32_t size;              /* in bytes */
    const unsigned char *bytes; /* NULL, and size 0: they could not be read, and the path alone is known */
} cp_image;

/* The way an image continues outside 0..1. */
typedef enum cp_wrap { CP_WRAP_REPEAT, CP_WRAP_MIRROR, CP_WRAP_CLAMP } cp_wrap;
/* The way texels become pixels. The last four are for minifying alone: the first word says how within a mipmap, the
 * second one how between two. */
typedef enum cp_sampling {
    CP_SAMPLE_ANY, /* as a viewer likes */
    CP_SAMPLE_NEAREST,
    CP_SAMPLE_LINEAR,
    CP_SAMPLE_NEAREST_NEAREST,
    CP_SAMPLE_LINEAR_NEAREST,
    CP_SAMPLE_NEAREST_LINEAR,
    CP_SAMPLE_LINEAR_LINEAR
} cp_sampling;

/* An image with its sampler. */
typedef struct cp_texture {
    const char *id; /* unique among the scene's textures */
    const char *name;
    uint32_t image;
    uint32_t fallback; /* an image for those who cannot show that one, or CP_NONE */
    cp_wrap wrap[2];   /* along both coordinates */
    cp_sampling magnify, minify;
} cp_texture;

typedef enum cp_texture_role {
    CP_TEXTURE_BASE_COLOUR,        /* sRGB and alpha; times rgba */
    CP_TEXTURE_METALLIC_ROUGHNESS, /* blue and green; times metallic and roughness */
    CP_TEXTURE_NORMAL,             /* directions in the tangent space of the coordinates; strength scales x and y */
    CP_TEXTURE_OCCLUSION,          /* red; as much as strength says */
    CP_TEXTURE_EMISSIVE,           /* sRGB; times emissive */
    CP_TEXTURE_EXTENSION           /* the role is told by an extension of the material */
} cp_texture_role;

/* A texture of a material. A vertex with the coordinates (u, v) shows the texture's point offset + R (scale u, v), with
 * the rows cos, sin and -sin, cos of the rotation in R. */
typedef struct cp_texture_use {
    cp_texture_role role; /* a material has each once, in this order; but CP_TEXTURE_EXTENSION as often as it likes */
    const char *place;    /* of CP_TEXTURE_EXTENSION: "KHR_materials_clearcoat/clearcoatTexture"; else NULL */
    uint32_t texture;
    uint32_t set; /* of the mesh's coordinates */
    double strength;
    double offset[2], rotation, scale[2];
} cp_texture_use;

typedef enum cp_alpha_mode {
    CP_ALPHA_BLEND, /* alpha covers, where it is below 1 */
    CP_ALPHA_MASK,  /* hides what is below the cutoff; the rest is opaque */
    CP_ALPHA_OPAQUE /* alpha means nothing */
} cp_alpha_mode;

/* A metallic-roughness material, as glTF 2.0 defines it. */
typedef struct cp_material {
    const char *id; /* unique among the scene's materials */
    const char *name;
    double rgba[4];
    bool srgb; /* true: rgba is as displayed; false: linear light */
    bool two_sided;
    bool one_sided; /* the source says that nobody sees its back; neither of the two: an exporter may choose */
    double metallic, roughness; /* 0..1 */
    double emissive[3];         /* linear light, 0..1 */
    cp_alpha_mode alpha;
    double cutoff; /* of CP_ALPHA_MASK */
    uint32_t texture_count;
    const cp_texture_use *textures;
    /* Extensions of glTF that say more of the material (KHR_materials_...), as a JSON object; NULL: none. Nobody but
     * readers of glTF knows what they mean. Where one names a texture, it has null. */
    const char *extensions;
} cp_material;

typedef enum cp_joint_type { CP_JOINT_FIXED, CP_JOINT_REVOLUTE, CP_JOINT_PRISMATIC, CP_JOINT_SCALE } cp_joint_type;

/* A formula over other joints: numbers, + - * / ^, pi, sin cos tan asin acos atan atan2 sqrt abs min max, and dof(1) ..
 * dof(input_count). dof(i) is factors[i - 1] * q(inputs[i - 1]). Where the formula is undefined its value is 0. */
typedef struct cp_expression {
    const char *text;
    double angle; /* radians per unit of the angles in trigonometric functions */
    uint32_t input_count;
    const uint32_t *inputs; /* joints that are not dependent themselves */
    const double *factors;
} cp_expression;

/* If the source gives no limits, lower and upper are -inf and +inf, velocity, acceleration and effort +inf.
 * A dependent joint has q = scale * q(master) + offset, or q = scale * expression + offset. Its own q is ignored. */
typedef struct cp_joint {
    const char *id; /* unique among the scene's joints */
    const char *name;
    uint32_t node;
    cp_joint_type type;
    double axis[3]; /* unit vector in the node's frame, after local and the node's earlier joints */
    double lower, upper, velocity, acceleration;
    double effort;            /* the most that drives it: Nm or N */
    double damping, friction; /* from 0: Nm s/rad or N s/m; Nm or N */
    double home, q;
    bool driven;     /* a degree of freedom that is set from outside; a fixed joint may be driven, too */
    uint32_t master; /* CP_NONE, or the joint that drives this one and is not dependent itself */
    double scale, offset;
    const cp_expression *expression; /* NULL: none, as always if there is a master */
} cp_joint;

typedef enum cp_loop_type {
    CP_LOOP_SPHERICAL,   /* the origins coincide */
    CP_LOOP_REVOLUTE,    /* origins and Z axes coincide */
    CP_LOOP_UNIVERSAL,   /* the origins coincide, and the Z axes are perpendicular */
    CP_LOOP_CYLINDRICAL, /* the Z axes coincide as lines */
    CP_LOOP_PRISMATIC,   /* the Z axes coincide as lines, and so do the X axes as directions */
    CP_LOOP_FIXED,       /* the frames coincide */
    CP_LOOP_DISTANCE     /* the origins are `length` apart */
} cp_loop_type;

/* Closes a chain of joints: a condition between a frame on one node and one on another, beside the tree. Free joints
 * (neither driven nor dependent) take the values at which it holds. */
typedef struct cp_loop {
    const char *id; /* unique among the scene's loops */
    const char *name;
    cp_loop_type type;
    uint32_t nodes[2];
    cp_pose poses[2]; /* poses of the frames in their nodes: rotations and translations */
    double length;    /* metres, from 0; 0 unless a distance */
} cp_loop;

typedef enum cp_device_kind { CP_DEVICE_SERIAL, CP_DEVICE_TREE, CP_DEVICE_COMPOSITE } cp_device_kind;

typedef struct cp_device {
    const char *id; /* unique among the scene's devices */
    const char *name;
    cp_device_kind kind;
    uint32_t base;
    uint32_t scope; /* the device whose description defines this one, or CP_NONE */
    uint32_t end_count, joint_count;
    const uint32_t *ends;   /* nodes */
    const uint32_t *joints; /* in chain order */
    const double *home;     /* joint_count values, or NULL: the homes of the joints */
} cp_device;

typedef enum cp_verdict { CP_PAIR_EXCLUDED, CP_PAIR_KEPT } cp_verdict;

typedef struct cp_joint_setting {
    uint32_t joint;
    double value;
} cp_joint_setting;

/* Default touch distance in metres: two bodies at most this far apart touch. */
#define CP_TOUCH 1e-6

/* The way in which the reason of a pair was found (docs/exclusion.md). */
typedef struct cp_finding {
    double margin;    /* metres: bodies nearer than this count as colliding */
    double touch;     /* metres: bodies at most this far apart touch, which counts as colliding */
    double clearance; /* metres: of "never-proved" a proved bound from below, else the smallest distance found;
                         +inf if there is none */
    uint64_t work;    /* bounds that a proof took */
    uint32_t samples, descents; /* random configurations tested, and searches that started from some of them */
    uint32_t hits;              /* samples that collide */
    /* A witness: values of the driven joints between the two frames at which they collide; count 0: none is known. */
    uint32_t witness_count;
    const cp_joint_setting *witness;
    uint64_t key; /* a hash of all that decides the finding: both frames' geometry and the joints between them */
} cp_finding;

/* A statement about the collision of two nodes. */
typedef struct cp_pair {
    uint32_t first, second;
    cp_verdict verdict;
    const char *reason;        /* "given", "static", "always-proved", "never-proved", "sometimes", ... */
    const char *evidence;      /* free text, "" when none */
    const cp_finding *finding; /* NULL if none was recorded */
} cp_pair;

typedef enum cp_interpolation { CP_STEP, CP_LINEAR, CP_CUBIC } cp_interpolation;
typedef enum cp_path { CP_PATH_JOINT, CP_PATH_TRANSLATION, CP_PATH_ROTATION, CP_PATH_SCALE } cp_path;

/* values: key_count x width, with width 1 (joint), 3 (translation, scale) or 4 (rotation: x y z w). CP_CUBIC has three
 * such rows per key: in-tangent, value, out-tangent. Node paths replace that part of the local pose, which is
 * translation * rotation * scale; a mirrored one has three negative scales. */
typedef struct cp_track {
    uint32_t target; /* a joint for CP_PATH_JOINT, else a node */
    cp_path path;
    cp_interpolation interpolation;
    uint32_t key_count;
    const double *times; /* seconds, ascending */
    const double *values;
} cp_track;

/* A change of parent: at this time and until the node's next attachment, its parent is `host`, another node or the
 * world. The node's pose and tracks are then in the frame of the host. */
typedef struct cp_attachment {
    double time; /* seconds */
    uint32_t node, host;
} cp_attachment;

/* An event at a time: "line" 12 of a program, "output 3", "welding". */
typedef struct cp_mark {
    double time; /* seconds */
    const char *name;
    double value;
} cp_mark;

/* Attachments and marks are in the order of their times. A node never becomes its own ancestor. */
typedef struct cp_clip {
    const char *name;
    uint32_t track_count;
    const cp_track *tracks;
    uint32_t attachment_count;
    const cp_attachment *attachments;
    uint32_t mark_count;
    const cp_mark *marks;
} cp_clip;

typedef enum cp_owner { CP_OWNER_SCENE, CP_OWNER_NODE, CP_OWNER_MESH, CP_OWNER_MATERIAL, CP_OWNER_JOINT } cp_owner;
typedef enum cp_value_type { CP_VALUE_STRING, CP_VALUE_NUMBER, CP_VALUE_BOOLEAN, CP_VALUE_JSON } cp_value_type;

/* A statement of the source that no other table of the scene can hold. */
typedef struct cp_metadata_entry {
    cp_owner owner;
    uint32_t index; /* the owner's index; 0 for the scene */
    const char *key;
    cp_value_type type;
    const char *value; /* as text */
} cp_metadata_entry;

typedef enum cp_up { CP_UP_Z, CP_UP_Y } cp_up;

typedef struct cp_source {
    const char *format; /* the importer's name */
    const char *file;   /* the name without folders; a scene has no other name */
    double unit;        /* metres per unit of the source */
    cp_up up;
    double deviation; /* metres: how far triangles are from the surfaces that the source has; 0 if it has none */
} cp_source;

CP_API void cp_scene_free(cp_scene *scene);
/* These functions return views: an array and its length. If the length is 0, the array may be NULL. */
CP_API const cp_node *cp_nodes(const cp_scene *scene, uint32_t *count);
CP_API const cp_instance *cp_instances(const cp_scene *scene, uint32_t *count);
CP_API const cp_mesh *cp_meshes(const cp_scene *scene, uint32_t *count);
CP_API const cp_image *cp_images(const cp_scene *scene, uint32_t *count);
CP_API const cp_texture *cp_textures(const cp_scene *scene, uint32_t *count);
CP_API const cp_material *cp_materials(const cp_scene *scene, uint32_t *count);
CP_API const cp_joint *cp_joints(const cp_scene *scene, uint32_t *count);
/* Returns true if no other joint has the same name, so that the name alone identifies it. Else use "id:" and its id. */
CP_API bool cp_joint_is_named_alone(const cp_scene *scene, uint32_t joint);
CP_API const cp_loop *cp_loops(const cp_scene *scene, uint32_t *count);
CP_API const cp_device *cp_devices(const cp_scene *scene, uint32_t *count);
CP_API const cp_pair *cp_pairs(const cp_scene *scene, uint32_t *count);
CP_API const cp_clip *cp_clips(const cp_scene *scene, uint32_t *count);
CP_API const cp_metadata_entry *cp_metadata(const cp_scene *scene, uint32_t *count);
CP_API const cp_source *cp_scene_source(const cp_scene *scene);
/* Returns true if pairs of frames that cannot move against each other are not checked for collision. */
CP_API bool cp_excludes_static_pairs(const cp_scene *scene);

/* Returns the word for a value in stages, dumps and `info`: "box", "revolute", "serial", "drawn". */
CP_API const char *cp_mesh_kind_name(cp_mesh_kind kind);
CP_API const char *cp_joint_type_name(cp_joint_type type);
CP_API const char *cp_loop_type_name(cp_loop_type type);
CP_API const char *cp_device_kind_name(cp_device_kind kind);
CP_API const char *cp_use_name(uint32_t use);

/* ---- work on a scene ------------------------------------------------------------------------------ */

/* Reads a file ("-": standard input). format NULL: its bytes decide. options: "KEY=VALUE" strings of the importer. On
 * success *scene is a new scene that the caller frees. On failure it is NULL, and the report says why. */
CP_API cp_status cp_read(cp_context *context, const char *path, const char *format, const char *const *options,
                         size_t option_count, cp_scene **scene);
/* Finds the name of the importer that cp_read would choose for a file by its bytes and suffix; "" for none. */
CP_API cp_status cp_find_format(cp_context *context, const char *path, const char **format);
/* Like cp_read, from size bytes of memory. Messages show `name`, and further files are resolved relative to it. */
CP_API cp_status cp_read_memory(cp_context *context, const void *bytes, size_t size, const char *name,
                                const char *format, const char *const *options, size_t option_count, cp_scene **scene);
/* Reads a list of collision pairs (collision-setup, srdf) beside the cell that it is for: its names are the scene's
 * frames, and what it says is added to the scene. On failure the scene stays unchanged. CP_NO, without a message, if the
 * file is no such list. */
CP_API cp_status cp_read_beside(cp_context *context, cp_scene *scene, const char *path, const char *format,
                                const char *const *options, size_t option_count);
/* Changes the scene by a filter. On failure the scene stays unchanged. */
CP_API cp_status cp_apply(cp_context *context, cp_scene *scene, const char *filter, const char *const *options,
                          size_t option_count);
/* Writes a file ("-": standard output). format NULL: the path's suffix decides. ".gz" after the format's name
 * ("glb.gz") or after the path's suffix compresses by gzip. */
CP_API cp_status cp_write(cp_context *context, const cp_scene *scene, const char *path, const char *format,
                          const char *const *options, size_t option_count);
/* Like cp_write, into memory. *bytes is an array of *size bytes from the context's allocator; free it by cp_free. */
CP_API cp_status cp_write_memory(cp_context *context, const cp_scene *scene, const char *format,
                                 const char *const *options, size_t option_count, void **bytes, size_t *size);
CP_API void cp_free(cp_context *context, void *bytes, size_t size);
/* Writes bytes of the caller, such as a log, like cp_write does: whole or not at all, compressed if the path ends in
 * .gz. CP_USAGE if this context has read or written the file. */
CP_API cp_status cp_write_file(cp_context *context, const char *path, const void *bytes, size_t size);
/* Keeps the path for a later cp_write_file of the same path: cp_write refuses to write any of its files there,
 * CP_USAGE. A second call replaces the path of the first; NULL: none. CP_LIMIT when out of memory. */
CP_API cp_status cp_keep_path(cp_context *context, const char *path);
/* Removes temporary files (.cellpipe-HOST-PID-RANDOM) that writers left in a folder when they were killed: those whose
 * process is gone from this host, and those that nobody has changed for 24 hours, whoever wrote them. *removed is their
 * number; it is 0 if there is no such folder. CP_OUTPUT if the folder cannot be read. */
CP_API cp_status cp_sweep(cp_context *context, const char *folder, size_t *removed);
/* Adds `other` below a new node `name` of the world. `other` is emptied; free it all the same. CP_USAGE unless both are
 * scenes of this context and differ. */
CP_API cp_status cp_merge(cp_context *context, cp_scene *scene, cp_scene *other, const char *name);

/* Checks all invariants. CP_OK if they hold. Else CP_BUG, with the first broken one in the report. */
CP_API cp_status cp_validate(cp_context *context, const cp_scene *scene);

/* Computes the world poses of all nodes: worlds[node count]. q: a value for each joint, or NULL for the current ones.
 * Values of dependent joints are computed, never taken; so are those of free joints where loops have to close. CP_NO,
 * without a message, if they do not; CP_LIMIT if out of memory. For many poses use cp_mechanism. */
CP_API cp_status cp_world_poses(cp_context *context, const cp_scene *scene, const double *q, cp_pose *worlds);
/* Computes the values of all joints: values[joint count]. Independent joints have q, or their current values if q is
 * NULL; values of dependent joints follow from them. */
CP_API cp_status cp_joint_values(cp_context *context, const cp_scene *scene, const double *q, double *values);

/* The joints of a scene, compiled for many poses. It belongs to the context and refers to the scene: do not change the
 * scene, and free neither before it. One thread at a time may use it. */
typedef struct cp_mechanism cp_mechanism;

/* Makes a mechanism. CP_LIMIT, and no mechanism, if out of memory. */
CP_API cp_status cp_mechanism_new(cp_context *context, const cp_scene *scene, cp_mechanism **mechanism);
CP_API void cp_mechanism_free(cp_mechanism *mechanism);
/* Like cp_joint_values and cp_world_poses, but they allocate no memory and make no calls with the context. In a scene
 * with loops free joints go from the values of the call before to those that close the loops; q of free joints does not
 * count, nor that of joints in loops which equal limits hold. Driven joints of loops go straight to their new values,
 * and the loops keep their assembly. CP_NO if a loop cannot be followed: its joints stay where it closed last. */
CP_API cp_status cp_mechanism_values(cp_mechanism *mechanism, const double *q, double *values);
CP_API cp_status cp_mechanism_poses(cp_mechanism *mechanism, const double *q, cp_pose *worlds);
typedef struct cp_mobility {
    size_t size;             /* set by the caller */
    uint32_t joints, driven; /* that move and are not dependent; those of them that are driven */
    uint32_t loops;
    uint32_t degrees;   /* of freedom of all joints */
    uint32_t commanded; /* how many of these degrees the driven joints set; fewer than `driven` if driven joints hinder
                         * each other */
    uint32_t dangling;  /* that nothing sets */
    uint32_t redundant; /* conditions of loops that follow from others */
    uint32_t lacking;   /* the first free joint that nothing determines, or CP_NONE */
} cp_mobility;
/* Finds the degrees of freedom at the scene's own joint values, by numeric rank. CP_NO if its loops do not close. */
CP_API cp_status cp_measure_mobility(cp_context *context, const cp_scene *scene, cp_mobility *mobility);

/* The distance of loops from a singular pose, in which they do not determine their free joints: the smallest singular
 * value of the derivatives of their differences by these joints, with lengths divided by the size of the joints that
 * loops connect. 0 is singular. */
typedef struct cp_singularity {
    size_t size;     /* set by the caller */
    double distance; /* INFINITY: no loop has free joints */
    double time;     /* seconds: when the distance is least in a clip */
    uint32_t loop;   /* the first one of those that are nearest, or CP_NONE */
} cp_singularity;
/* The distance below which a warning is given that a pose is nearly singular. */
#define CP_NEAR_SINGULAR 0.001
/* Measures this distance at the scene's own joint values; or, unless clip is CP_NONE, the least one in a clip: at its
 * keys, or with a period above 0 at moments so far apart. Warns below CP_NEAR_SINGULAR. CP_NO if loops do not close. */
CP_API cp_status cp_measure_singularity(cp_context *context, const cp_scene *scene, uint32_t clip, double period,
                                        cp_singularity *singularity);

/* ---- inverse kinematics --------------------------------------------------------------------------- */

/* The coordinates of a target that have to hold: its place, and R = Rz(roll) Ry(pitch) Rx(yaw). */
enum {
    CP_REACH_X = 1 << 0,
    CP_REACH_Y = 1 << 1,
    CP_REACH_Z = 1 << 2,
    CP_REACH_ROLL = 1 << 3,
    CP_REACH_PITCH = 1 << 4,
    CP_REACH_YAW = 1 << 5,
    CP_REACH_ALL = (1 << 6) - 1
};
/* A function of a shared library that solves for a device, as contrib/routines/README.md describes it. It runs in a
 * process of its own, started anew for each target, for at most so many seconds. Lengths and offsets are in metres
 * here, in millimetres there. */
enum { CP_MOST_ROUTINE_LENGTHS = 256 };
typedef struct cp_routine {
    const char *library, *name; /* a path with a slash in it, or what the system's loader finds */
    const double *lengths, *offsets;
    uint32_t length_count, offset_count; /* at most CP_MOST_ROUTINE_LENGTHS */
    double seconds;
} cp_routine;
/* The task of a solver: which device brings which frame to targets, and how. */
typedef struct cp_reach {
    size_t size;               /* set by the caller */
    uint32_t device;           /* whose driven joints are unknown; all others stay as they are, free ones follow */
    uint32_t frame, in;        /* nodes: what is placed, and in whose frame; 0 is the world */
    unsigned solve;            /* CP_REACH_... */
    uint32_t tries;            /* places from which the numeric solver starts */
    const cp_routine *routine; /* NULL: ours; it stays the caller's. It takes all of CP_REACH_ALL. */
} cp_reach;
/* Joint values that bring the frame to the target. */
typedef struct cp_posture {
    uint32_t number; /* of an arm: 4 shoulder + 2 elbow + wrist, each 0 on the side where it is with all joints at zero;
                        of n actuators: 2^(n-1) b1 + ... + bn, each 0 at the smaller value; else from the nearest on */
    const double *q; /* a value for each joint of the scene */
    double distance; /* root of the sum of the squared changes of the device's joints, in radians and metres */
    double off;      /* of a routine: by how much a joint of the solver's differs at most, in radians or metres */
    double rest[6];  /* differences of the coordinates that do not have to hold: metres, radians */
    double singularity; /* how near to a singular pose, as in cp_singularity */
    bool within;        /* all limits of the device's joints */
    bool one_of_many;   /* its joints can move while the frame stays: this is one posture of a continuum */
} cp_posture;
/* A solver for many targets. It belongs to the context and refers to the scene: do not change the scene, and free
 * neither before it. One thread at a time may use it. */
typedef struct cp_inverse cp_inverse;
/* Makes a solver. CP_USAGE if none of the joints moves the frame, or a routine shall solve for a part of a pose;
 * CP_INPUT if one of the two frames is scaled; CP_NO if the scene's loops do not close; CP_LIMIT if out of memory. Then
 * there is no solver, and the report says why. */
CP_API cp_status cp_inverse_new(cp_context *context, const cp_scene *scene, const cp_reach *reach,
                                cp_inverse **inverse);
CP_API void cp_inverse_free(cp_inverse *inverse);
/* Finds all postures, ordered by their numbers. They belong to the solver and are valid until the next call with it.
 * CP_NO if there is none; the report then says how near the solver came. Closed forms find all postures that exist. */
CP_API cp_status cp_inverse_postures(cp_inverse *inverse, const cp_pose *target, const cp_posture **postures,
                                     uint32_t *count);
/* Returns the joints that are unknown, in the device's order. */
CP_API const uint32_t *cp_inverse_joints(const cp_inverse *inverse, uint32_t *count);
/* Returns "arm", "actuators" (closed forms), "numeric" or "routine". */
CP_API const char *cp_inverse_method(const cp_inverse *inverse);

/* ---- robot programs ------------------------------------------------------------------------------- */

/* The way in which a program is carried out. docs/program.md describes the language. */
typedef struct cp_program_options {
    size_t size;            /* set by the caller */
    uint32_t device, frame; /* that moves; the node that it moves: its tool */
    double period;          /* seconds of a step, above 0 */
    double reach;           /* metres within which something is grabbed */
    bool keep_speeds;       /* lines and arcs are not slowed down where joints would exceed their limits of speed */
    unsigned solve;         /* CP_REACH_...: what of the poses in the program has to hold; 0: all */
} cp_program_options;
typedef struct cp_program_snapshot {
    size_t size;     /* set by the caller */
    double time;     /* seconds */
    uint64_t line;   /* the line of the instruction that is carried out, or was last */
    bool ended;      /* ended by END, by the end of the text, or by a stop */
    bool moves;      /* a move or a wait is not over yet */
    const double *q; /* a value for each joint of the scene; the program's, valid until it is freed */
    bool stopped;    /* ended by a stop, before its last line: cp_program_resume goes on */
} cp_program_snapshot;
/* A program that runs step by step. It belongs to the context and refers to the scene: do not change the scene, and
 * free neither before it. */
typedef struct cp_program cp_program;
/* Reads a program: size bytes of text; `file` is its name in messages. CP_INPUT, with all errors in the report and
 * without a program, if it cannot be read. */
CP_API cp_status cp_program_new(cp_context *context, const cp_scene *scene, const char *file, const char *text,
                                size_t size, const cp_program_options *options, cp_program **program);
CP_API void cp_program_free(cp_program *program);
/* Carries out instructions up to the next one that takes time, and one period of that one. CP_NO, with line, time and
 * joint in the report, if a move cannot go on: out of reach, beyond a limit, or through a singular place; CP_INPUT for
 * an instruction that makes no sense there; CP_LIMIT beyond the limit of steps. After any of these the program has
 * ended. */
CP_API cp_status cp_program_step(cp_program *program);
/* Stops the program: the current move is completed, and no further line is carried out. An emergency ends the program
 * with the next step. */
CP_API void cp_program_stop(cp_program *program, bool emergency);
/* Lets a program go on that a stop has ended, with its next line. CP_NO, without a message, if nothing is left of it or
 * it ended otherwise. */
CP_API cp_status cp_program_resume(cp_program *program);
CP_API void cp_program_state(const cp_program *program, cp_program_snapshot *state);
/* Computes where all frames are now, together with all that is held: a pose for each node of the scene. CP_NO if a loop
 * does not close. */
CP_API cp_status cp_program_poses(cp_program *program, cp_pose *worlds);
/* Returns what has happened so far, in the order of time: lines, outputs, welding. The marks belong to the program and
 * are valid until its next step. */
CP_API const cp_mark *cp_program_marks(const cp_program *program, uint32_t *count);

/* Computes X Y Z in metres and R P Y in radians of a pose that rotates and moves: its rotation is Rz(R) Ry(P) Rx(Y). At
 * pitch +-90 degrees roll and yaw turn about the same axis; yaw is 0 then. */
CP_API void cp_pose_coordinates(const cp_pose *pose, double coordinates[6]);

/* Computes the world poses of all nodes at a time (seconds) of a clip: worlds[node count]. Before its first key and
 * after its last one a track holds their values. CP_LIMIT if out of memory. */
CP_API cp_status cp_clip_poses(cp_context *context, const cp_scene *scene, uint32_t clip, double time, cp_pose *worlds);
/* A joint that is too fast in a clip, or speeds up too fast. */
typedef struct cp_excess {
    uint32_t joint;
    bool acceleration;       /* else speed */
    double limit, most;      /* radians or metres, seconds; without sign */
    double time, begin, end; /* when it is most; the first and the last time of any */
    uint32_t periods;        /* that exceed the limit */
} cp_excess;
/* Checks the clip every `period` seconds (above 0), by differences between neighbouring moments. It calls `tell` for
 * each joint whose speed or acceleration exceeds its limit. CP_NO if there is any; CP_LIMIT if there are too many
 * moments. `tell` makes no calls with this context. */
CP_API cp_status cp_find_excesses(cp_context *context, const cp_scene *scene, uint32_t clip, double period,
                                  void (*tell)(void *user, const cp_excess *excess), void *user);
/* Returns true if the joint's value follows from other joints: it has a master or an expression. */
CP_API bool cp_joint_is_dependent(const cp_joint *joint);

/* Returns the number of triangles of a drawn mesh: n-gons count n - 2, primitives as tessellated, lines 0. */
CP_API uint64_t cp_mesh_triangles(const cp_mesh *mesh);

typedef struct cp_measures {
    size_t size;        /* set by the caller */
    uint64_t triangles; /* n-gons count n - 2; each placed instance counts */
    bool any;           /* false: there is nothing to bound */
    double lower[3], upper[3];
    double area;   /* m2 */
    double volume; /* m3, signed sum; meaningful for closed meshes */
} cp_measures;
/* Measures all instances of the given use (CP_USE_...) at the current joint values. */
CP_API cp_status cp_measure(cp_context *context, const cp_scene *scene, uint32_t use, cp_measures *measures);
/* Measures each mesh once: measures[mesh count], each with its size set. A mesh is measured where its first instance
 * places it; without an instance, in its own coordinates. */
CP_API cp_status cp_measure_meshes(cp_context *context, const cp_scene *scene, cp_measures *measures);
/* How the faces of a mesh connect. Vertices are joined if their positions are equal (-0 equals +0). A shell is a set of
 * faces connected over edges of exactly two faces; a component is one connected over edges of any number. Closed shells
 * that bound a volume should be wound outward, or inward if they are cavities. A cavity lies inside an odd number of
 * other shells. */
typedef struct cp_topology {
    size_t size; /* set by the caller */
    uint64_t edges;
    uint64_t border_edges;       /* edges of one face */
    uint64_t non_manifold_edges; /* edges of three or more faces */
    uint64_t misoriented_edges;  /* edges of two faces that run through them the same way */
    uint64_t degenerate_faces;   /* fewer than 3 distinct corners, or no area */
    bool closed;                 /* has faces; no border, non-manifold or misoriented edge */
    uint64_t vertices;           /* distinct positions that faces use */
    uint64_t unused_vertices;    /* stored vertices that no face uses */
    uint64_t touching_vertices;  /* positions where faces meet that are not connected there over edges */
    uint64_t duplicate_faces;    /* same corners and same winding as an earlier face */
    uint64_t opposite_faces;     /* same corners as an earlier face, opposite winding */
    uint64_t components;
    uint64_t closed_components; /* components whose edges all have an even number of faces */
    uint64_t one_sided_shells;  /* such as a Moebius strip */
    uint64_t flat_shells;       /* closed, but without volume */
    uint64_t inside_out_shells; /* consistently wound, but the wrong way */
    uint64_t cavities;          /* shells inside an odd number of others */
    uint64_t flipped_faces;     /* faces that the filter orient turns: all of an inside-out shell, else the minority */
} cp_topology;
/* Computes the topology in linear time; for nested solids in n log n. */
CP_API cp_status cp_mesh_topology(cp_context *context, const cp_mesh *mesh, cp_topology *topology);

typedef struct cp_pair_counts {
    size_t size;               /* set by the caller */
    uint64_t candidates;       /* frames with a collision mesh or the volatile flag */
    uint64_t all;              /* unordered pairs of candidates */
    uint64_t checked;          /* all, minus the excluded pairs and, if the scene excludes them, the static pairs */
    uint64_t without_geometry; /* candidates by the volatile flag alone: their geometry may come later */
    uint64_t missing;          /* frames that would be candidates, had their models been there (CP_NODE_MISSING) */
    uint64_t declared, declared_checked; /* `all` and `checked` with these frames */
    uint64_t static_alone; /* of the declared pairs: those not checked for being static alone, as nothing else excludes
                            * them */
} cp_pair_counts;
CP_API cp_status cp_count_pairs(cp_context *context, const cp_scene *scene, cp_pair_counts *counts);

/* Reads a list of exclusions. The evidence file is beside it (its path and ".json"). If the evidence names further
 * files, their exclusions are read too; else this is cp_read. The frames that the files name become placeholders. */
CP_API cp_status cp_read_list(cp_context *context, const char *path, cp_scene **list);
/* A statement in a list of exclusions that the scene no longer fulfils. */
typedef enum cp_list_fault_kind {
    CP_LIST_FRAME_GONE,
    CP_LIST_FRAME_NEW,    /* it can collide, and none of its pairs was judged */
    CP_LIST_NOT_VOLATILE, /* it is volatile, but not in the list */
    CP_LIST_STATIC,       /* the list excludes all static pairs, the evidence does not; names no frame */
    /* The next five are causes of changes to pairs, each reported once; `first` is the frame or joint, `pairs` how many
     * pairs that concerns. */
    CP_LIST_GEOMETRY_CHANGED,
    CP_LIST_POSE_CHANGED, /* in its parent's frame */
    CP_LIST_PARENT_CHANGED,
    CP_LIST_MOVABLE_CHANGED, /* it may be moved, attached elsewhere or is volatile now, or no longer */
    CP_LIST_JOINT_CHANGED,   /* `attribute` says what: "limits", "axis", "type" or "dependency" */
    CP_LIST_NOT_LISTED,      /* only the evidence excludes the pair */
    CP_LIST_NOT_EVIDENT,     /* only the list excludes the pair */
    CP_LIST_DIFFERS,         /* an attribute of the pair in the list is not what the evidence says */
    CP_LIST_PAIR_CHANGED     /* geometry, joints, limits or fixed poses; names "": pairs not in the list */
} cp_list_fault_kind;
typedef struct cp_list_fault {
    cp_list_fault_kind kind;
    const char *first, *second; /* names of frames, or a joint; "" for each that the fault does not concern */
    const char *attribute;      /* of CP_LIST_DIFFERS: "reason", "clearance", ...; else "" but for joints */
    uint32_t joint;             /* of CP_LIST_JOINT_CHANGED */
    double before[2];           /* of its limits, lower and upper: what they were; infinite: absent */
    uint64_t pairs;             /* of a cause */
} cp_list_fault;
/* Checks whether a list of exclusions fits the scene as it is now. The list was written as collision-setup with
 * evidence=yes. CP_OK, or CP_NO after a call of `tell` for each fault. `tell` makes no calls with this context. Without
 * the evidence beside the list (its path and ".json") the names and the keys of the listed pairs are checked, with a
 * warning. */
CP_API cp_status cp_check_list(cp_context *context, const cp_scene *scene, const char *path,
                               void (*tell)(void *user, const cp_list_fault *fault), void *user);

/* Attaches the collision shapes of files to frames, as the filter exclude does for its option tools=. tools: files with
 * commas between, each FILE or FRAME:FILE (docs/exclusion.md). On failure the scene stays unchanged. */
CP_API cp_status cp_attach_tools(cp_context *context, cp_scene *scene, const char *tools);

/* ---- collisions ----------------------------------------------------------------------------------- */

/* The collision geometry of a scene, prepared for tests. It belongs to the context and refers to the scene: do not
 * change the scene, and free neither before it. */
typedef struct cp_collider cp_collider;

/* Makes a collider for all pairs of frames with collision geometry. Unless every_pair is set, it omits the pairs that
 * the scene excludes: its excluded pairs, and the static ones if cp_excludes_static_pairs. Bodies at most `touch`
 * metres apart count as colliding (1e-6 is a good value). Primitives and closed meshes with consistent winding are
 * solids; others are surfaces (warning "collide-open"). A mesh of kind CP_MESH_PLANE is an unbounded plane; planes do
 * not collide with each other. CP_NO, and no collider, if there is no pair to check. */
CP_API cp_status cp_collider_new(cp_context *context, const cp_scene *scene, double touch, bool every_pair,
                                 cp_collider **collider);
CP_API void cp_collider_free(cp_collider *collider);
/* Returns the number of pairs that the collider checks. */
CP_API uint64_t cp_collider_pairs(const cp_collider *collider);
/* Makes the collider pass over the pair of two different nodes in all later calls. CP_NO, without a message, if it does
 * not check it anyway. */
CP_API cp_status cp_collider_ignore(cp_collider *collider, uint32_t first, uint32_t second);

/* Two frames that are near each other. */
typedef struct cp_contact {
    uint32_t first, second; /* nodes, the lower index first */
    double distance;        /* metres, in the world; 0 if they collide: they meet, or one is inside the other */
} cp_contact;

/* Lists the pairs that collide or are at most `clearance` metres apart, in the order of their nodes. worlds[node count]
 * are the poses of the scene's nodes (see cp_world_poses). The collider owns the contacts; they are valid until the
 * next call with it. */
CP_API cp_status cp_collide(cp_collider *collider, const cp_pose *worlds, double clearance, const cp_contact **contacts,
                            uint32_t *count);

/* The collisions and distances of two frames during a clip.
 *
 * Moments at which one holds the other do not count: what a clip has attached to a host (not the world) may meet the
 * host's link, all that moves with the host, and what is on that link with at most one joint between.
 *
 * A contact rests, and is no collision, if the two do not move against each other from its first to its last moment,
 * and if it exists at the clip's first moment or one of the two changes its parent meanwhile, as it is taken or put
 * down. */
typedef struct cp_passage {
    uint32_t first, second;      /* as in cp_contact */
    double distance, nearest;    /* the smallest distance at any moment (metres), and when it first occurs (seconds) */
    uint32_t moments;            /* the number of moments at which they collide */
    double begin, end;           /* the first and the last time in collision (seconds); 0 if they never collide */
    uint32_t resting;            /* the number of moments at which they rest */
    double rest_begin, rest_end; /* the first and the last of these (seconds); 0 if there is none */
} cp_passage;

typedef struct cp_passages {
    size_t size;             /* set by the caller */
    const cp_passage *items; /* sorted by their nodes; the collider's, valid until the next call with it */
    uint32_t count;
    uint32_t moments;   /* the number of moments that were checked */
    double first, last; /* the first and the last of them (seconds) */
} cp_passages;

/* Lists the pairs that collide or come within `clearance` metres during a clip. It checks each moment at which a track
 * has a key or an attachment changes, and moments in between, at most `step` seconds apart (0: none in between). A
 * collision between two moments is not found. begin and end are refined between the moments: within a millisecond
 * before begin and after end, the two are free. */
CP_API cp_status cp_collide_clip(cp_collider *collider, uint32_t clip, double step, double clearance,
                                 cp_passages *passages);

/* ---- formats and filters ------------------------------------------------------------------------- */

typedef enum cp_plugin_kind { CP_IMPORTER, CP_EXPORTER, CP_FILTER } cp_plugin_kind;

/* The features that a scene may have and a format may carry. Features and options serve plug-ins that a host registers,
 * and are as unstable as cellpipe_build.h, which does that. */
enum {
    CP_FEATURE_HIERARCHY = 1 << 0, /* nodes below nodes, poses */
    CP_FEATURE_NAMES = 1 << 1,     /* node names */
    CP_FEATURE_INSTANCES = 1 << 2, /* one mesh placed more than once */
    CP_FEATURE_NGONS = 1 << 3,
    CP_FEATURE_LINES = 1 << 4,
    CP_FEATURE_PRIMITIVES = 1 << 5, /* box, cylinder, ... as such */
    CP_FEATURE_NORMALS = 1 << 6,
    CP_FEATURE_COLOURS = 1 << 7, /* materials */
    CP_FEATURE_VERTEX_COLOURS = 1 << 8,
    CP_FEATURE_JOINTS = 1 << 9, /* joints with limits and homes */
    CP_FEATURE_DEVICES = 1 << 10,
    CP_FEATURE_PAIRS = 1 << 11,     /* exclusions, kept pairs, static flag, volatile */
    CP_FEATURE_COLLISION = 1 << 12, /* meshes for collision only */
    CP_FEATURE_CLIPS = 1 << 13,
    CP_FEATURE_FLAGS = 1 << 14, /* movable, attachable, link, highlight, wire */
    CP_FEATURE_METADATA = 1 << 15,
    CP_FEATURE_MESHES = 1 << 16, /* meshes at all: without, what they have is not reported piece by piece */
    CP_FEATURE_PLACEHOLDERS = 1 << 17,
    CP_FEATURE_COORDINATES = 1 << 18, /* texture coordinates */
    CP_FEATURE_TEXTURES = 1 << 19,    /* base colour, as an image */
    CP_FEATURE_SURFACES = 1 << 20,    /* metallic, roughness, emissive, cutoff and further textures of materials */
    CP_FEATURE_LOOPS = 1 << 21,       /* closed loops; without, motion that is written is solved */
    CP_FEATURE_MARKS = 1 << 22,       /* of clips */
    CP_FEATURE_TANGENTS = 1 << 23,    /* of meshes with normal maps */
    CP_FEATURE_INERTIA = 1 << 24,     /* of nodes */
    CP_FEATURE_ALL = (1 << 25) - 1
};

/* How a value is read, and what is then at the option's place in the settings. A number may have a unit behind it. */
typedef enum cp_option_type {
    CP_OPTION_BOOLEAN, /* bool: yes|no, true|false, on|off, 1|0; the name alone is yes */
    CP_OPTION_INTEGER, /* int64_t */
    CP_OPTION_NUMBER,  /* double */
    CP_OPTION_RATIO,   /* double: 0.1 or 10% */
    CP_OPTION_LENGTH,  /* double, metres: 0.005 or 5mm */
    CP_OPTION_ANGLE,   /* double, radians: 30, 30deg or 0.5rad; a bare number is in degrees */
    CP_OPTION_TIME,    /* double, seconds: 0.5, 500ms or 2min */
    CP_OPTION_SIZE,    /* int64_t, bytes: 500000, 500kB or 2MiB */
    CP_OPTION_EXTENT,  /* cp_extent: a length, or a part of a size with % after it */
    CP_OPTION_PIXELS,  /* cp_pixels: 512x384; bounds are those of each side */
    CP_OPTION_COLOUR,  /* cp_colour: #fff, #e6edf5 or none */
    CP_OPTION_UNIT,    /* double, metres per unit: mm or 0.001; 0 when not given and initial is NULL */
    CP_OPTION_CHOICE,  /* int: the index in choices "a|b|c" */
    /* const char *, the caller's; NULL when not given and initial is NULL. Completion offers files, or names of the
     * cell. */
    CP_OPTION_STRING,
    CP_OPTION_PATH,
    CP_OPTION_FRAME,
    CP_OPTION_DEVICE,
    CP_OPTION_JOINT,
    CP_OPTION_CLIP,
    CP_OPTION_WORD /* nothing: a word such as IN, which stands among a command's options for the help alone */
} cp_option_type;

/* One of the two is not 0, or the option was not given. */
typedef struct cp_extent {
    double metres, part;
} cp_extent;

typedef struct cp_pixels {
    uint32_t width, height;
} cp_pixels;

/* The values of an option that repeats, in the order in which they are given. */
enum { CP_MOST_TEXTS = 64 };
typedef struct cp_texts {
    uint32_t count;
    const char *items[CP_MOST_TEXTS]; /* the caller's */
} cp_texts;

/* A colour as displayed (sRGB): 255 is full light, and opaque. "none" is all zeros. */
typedef struct cp_colour {
    unsigned char red, green, blue, alpha;
} cp_colour;

/* An option of a plug-in, in a table that ends with CP_OPTIONS_END. */
typedef struct cp_option {
    const char *name, *help; /* "tolerance"; of a flag "--clearance" */
    cp_option_type type;
    size_t offset;           /* into the settings struct */
    const char *initial;     /* the default, as a user would write it; NULL: zero bytes */
    double minimum, maximum; /* bounds of numbers, in the stored unit, INFINITY for no maximum; both 0: no bounds */
    const char *choices;
    const char *value;  /* the help writes it for the value, such as "I/N"; NULL: the type's word */
    const char *letter; /* a flag's short form "-q"; or NULL */
    bool repeats;       /* of a text: it may be given several times. At the place of a plug-in's is a cp_texts */
} cp_option;
#define CP_OPTIONS_END                                                                                                 \
    {                                                                                                                  \
        0                                                                                                              \
    }

typedef struct cp_option_info {
    size_t size; /* set by the caller */
    const char *name, *help;
    const char *type;          /* a word: "boolean", "length", "choice", "frame", ... (docs/cli.md lists them) */
    const char *default_value; /* the default as a user would write it, or NULL */
    const char *choices;       /* "a|b|c" or NULL */
    double minimum, maximum;   /* both 0: unbounded; in `unit` */
    const char *unit;          /* the unit of a bare number: "m", "degrees", "s", "bytes", or "" */
    const char *value;         /* represents the value in help: "LENGTH", "yes|no" */
} cp_option_info;

typedef struct cp_plugin_info {
    size_t size; /* set by the caller */
    const char *name, *title;
    const char *suffixes; /* ".stl .stla", "" for a filter */
    const char *package;  /* NULL if built; else the missing Debian package */
    const char *lacks;    /* NULL, or the part that is not built: "EXT_meshopt_compression (libmeshoptimizer-dev)" */
    const char *version;  /* another one if results of the same input may differ, but see cp_plugin_version */
    bool lists_pairs;     /* an importer of exclusion lists, which have no shapes */
    const char *further;  /* suffixes that an importer reads, too, as its library does: cellpipe does not test them */
    bool is_shown;        /* a filter that makes something to be watched, a clip or a way */
    size_t option_count;
} cp_plugin_info;

/* The plug-ins of a context, in the order of priority; context NULL: those that every new context has. Their texts are
 * valid as long as the context. */
CP_API size_t cp_plugin_count(const cp_context *context, cp_plugin_kind kind);
/* These two describe a plug-in and one of its options. False if there is none, or the struct has no size. */
CP_API bool cp_plugin_at(const cp_context *context, cp_plugin_kind kind, size_t index, cp_plugin_info *info);
CP_API bool cp_plugin_option(const cp_context *context, cp_plugin_kind kind, size_t index, size_t option,
                             cp_option_info *info);
/* Returns the version with that of the library in use, which assimp's importer loads for that; "" if there is no such
 * plug-in. */
CP_API const char *cp_plugin_version(const cp_context *context, cp_plugin_kind kind, size_t index);
/* Returns the index of the exporter that cp_write uses for a path, or SIZE_MAX if no suffix fits. */
CP_API size_t cp_exporter_of(const cp_context *context, const char *path);

#ifdef __cplusplus
}
#endif
#endif
