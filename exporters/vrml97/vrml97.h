/* The declarations that the files of the VRML97 exporter share. */
#ifndef CELLPIPE_EXPORTERS_VRML97_VRML97_H
#define CELLPIPE_EXPORTERS_VRML97_VRML97_H

#include "base/bytes/bytes.h"
#include "motion/motion.h"
#include "view/pixels.h"

enum { VRML_UP_Y, VRML_UP_Z };
enum { VRML_SINGLE, VRML_INLINE, VRML_PARTS };
enum { VRML_PLAY_CLICK, VRML_PLAY_AUTO, VRML_PLAY_LOOP };
enum { VRML_LIMIT_PLANES, VRML_KEEP_PLANES };
enum { VRML_COLOURS_AUTO, VRML_COLOURS_NONE };

struct vrml_settings {
    int up;
    int layout;
    int play, colours, planes;
    double crease, cycle, tolerance;
    bool primitives, clicks, descriptions, scenery, ground;
    const char *clip; /* NULL: the first */
};

struct rotation {
    double axis[3], angle;
};

/* A scale must be above zero (ISO/IEC 14772-1, 6.52). */
#define LEAST_SCALE 1e-6

/* The fields of a Transform: T * R * SR * S * SR^-1 (ISO/IEC 14772-1, 6.52), scale > 0. */
struct vrml_placing {
    double translation[3];
    struct rotation rotation;
    double scale[3];
    struct rotation scale_orientation;
};

/* The part of a pose that the Transforms so far could not hold, and that everything below takes over: nothing, a point
 * mirroring (it commutes with every rotation, so only signs of translations change), or a singular map (all is flat, so
 * motion ends here). */
enum rest_kind { REST_NONE, REST_MIRRORED, REST_FLAT };
struct vrml_rest {
    enum rest_kind kind;
    double linear[9]; /* row-major: identity, its negative, or the singular map */
};

struct vrml_node_plan {
    const char *name;     /* DEF name */
    uint32_t first_child; /* nodes, or CP_NONE */
    uint32_t next_sibling;
    bool left_out;         /* a placeholder that holds nothing */
    struct vrml_rest rest; /* the rest for the node's shapes and children */
    uint32_t mover;        /* the innermost joint at or above the node that a click moves, or CP_NONE */
    const char *touch;     /* DEF name of its TouchSensor, or NULL */
    const char *timer;     /* DEF name of the TimeSensor of its joints, or NULL */
    bool starts;           /* a click on its shapes plays the recording */
    bool small;            /* all shapes whose click plays its joints are hard to hit */
    bool substitutes;      /* a click on its shapes plays the small parts of its device, too */
    bool plays;            /* some joint moves by that timer */
    double cycle;          /* seconds: the sweeps of its driving joints, one after the other */
};

struct vrml_joint_plan {
    const char *name; /* DEF name of its Transform, or NULL for a fixed joint */
    int sign;         /* sign of translations: -1 where mirrored; 0: flat */
    bool sweeps;      /* a driving joint with a way to go: */
    struct sweep sweep;
    uint32_t driver; /* the joint that sweeps and moves this one: itself, its master, the first of its formula's; or
                      * CP_NONE */
    double start;    /* the begin of its sweep within the cycle of its node */
};

/* A ROUTE: names of nodes and of their events. */
struct wire {
    const char *from, *event, *to, *field;
};

/* What a clip moves. */
struct vrml_recording {
    const cp_clip *source; /* the scene's */
    cp_scene *work;        /* owns what is made of the clip */
    cp_clip clip;          /* is what is written: straight tracks, without attachments */
    double first, last;    /* seconds */
    const char *timer;     /* DEF name */
};

/* A mesh as it is, or mirrored at the origin. */
struct vrml_mesh_plan {
    uint32_t uses;
    const char *name; /* DEF name, or NULL: used once, without a name */
    uint32_t file;    /* the number of the file that has it, or 0; with layout=inline of any file */
};

struct vrml_look_plan {
    bool used;
    const char *name; /* DEF name */
    uint32_t file;    /* the last file it was defined in; from 1 */
};

/* An image of textures: a file beside the world, or its pixels in a world that goes to a stream. */
struct vrml_picture {
    bool tried;
    const char *file;
    struct pixels pixels;
    /* Textures of it, by whether they repeat in each direction. */
    struct picture_name {
        const char *name; /* DEF name */
        uint32_t file;    /* the last file it was defined in; from 1 */
    } names[2][2];
};

/* The losses, in the order in which they are reported. */
enum vrml_loss {
    LOST_MIRRORING,
    LOST_FLATNESS,
    LOST_FROZEN,
    LOST_ATTACHED_SHEAR,
    LOST_ATTACHED_FLAT,
    LOST_CLIP_SCALE,
    LOST_SHRUNK,
    LOST_TURNS,
    LOST_ALPHA,
    LOST_CLAMPED,
    LOST_REPLACED,
    LOST_TEXTURE,
    LOST_IMAGE_TYPE,
    LOST_WRAP,
    VRML_LOSS_COUNT
};

/* The world, and the file of it that is being written. */
struct vrml_output {
    cp_context *context;
    const struct vrml_settings *settings;
    struct arena *arena; /* memory until the world is written */
    struct sink *world;
    struct sink *sink;     /* the world, or a further file */
    struct name_map names; /* DEF names of all files */
    uint32_t file;         /* the number of the file being written, from 1 */
    unsigned depth;        /* of indentation */
    bool failed;           /* out of memory */
    bool too_large;        /* a number is beyond single precision */
    uint64_t losses[VRML_LOSS_COUNT];
};

/* The plan of frames and joints: where each is in the text, and which of them a click moves. */
struct vrml_frames {
    const cp_scene *scene;
    struct vrml_node_plan *nodes;
    struct vrml_joint_plan *joints;
    const char *clip;       /* the name of the recorded clip; NULL: no recording is written */
    bool *posed;            /* nodes whose whole pose the recording sets; NULL without one */
    cp_mechanism mechanism; /* its values: the joints' own */
    struct followers followers;
    double diagonal; /* of the scene, metres */
};

/* The plan of shapes: how often each mesh, material and image is used, and which file defines it. */
struct vrml_shapes {
    const cp_scene *scene;
    struct vrml_mesh_plan *meshes; /* 2 for each mesh: as it is, mirrored */
    struct vrml_look_plan *looks;  /* 2 for each material, the first ones for no material: of faces, of lines */
    struct vrml_picture *pictures; /* of images; empty: not shown */
    uint32_t *same_images;         /* indexed by image: the first one with the same bytes */
    const char **folders;          /* one for each device, the last for no device; NULL until used */
};

/* The plan of motion: what clicks and time play. */
struct vrml_motion {
    struct vrml_recording *recording; /* NULL: none is written */
    const char *entry;                /* DEF name of the sensor that notices a visitor, or NULL */
    struct wire *wires;
    uint32_t wire_count, wire_room;
};

/* names.c */
/* Makes room until the file is written, zeroed; NULL when out of memory (then failed is set). */
void *vrml_plan_room(struct vrml_output *output, size_t count, size_t size);
/* Makes a legal name that is new in the output: the prefix and the legal part of `wanted`, with "_2", "_3" appended if
 * needed. NULL when out of memory (then failed is set). */
const char *vrml_name(struct vrml_output *output, const char *prefix, const char *wanted);
void vrml_name_frames(struct vrml_output *output, struct vrml_frames *frames);
void vrml_name_meshes(struct vrml_output *output, struct vrml_shapes *shapes);
void vrml_write_info(struct vrml_output *output, const struct vrml_frames *frames, const struct vrml_shapes *shapes,
                     const struct vrml_recording *recording);

/* placing.c */
extern const struct vrml_rest vrml_no_rest;
/* Finds the legal Transform nearest to rest * pose; rest becomes what is left of it. */
void vrml_place(struct vrml_rest *rest, const cp_pose *pose, struct vrml_placing *placing);
struct rotation vrml_rotation(const double m[9]);
/* Returns the turn of a quaternion x y z w of any length. */
struct rotation vrml_quaternion_turn(const double q[4]);
bool vrml_placing_is_identity(const struct vrml_placing *placing);
/* Finds the stretch by q > 0 along the axis of a scale joint. */
void vrml_stretch_placing(const cp_joint *joint, double q, struct vrml_placing *placing);
/* Returns the node's own pose as its Transform has it: as translation, rotation and scale if a clip sets one of
 * them. */
cp_pose vrml_node_pose(const struct vrml_frames *frames, uint32_t node);

/* plan.c */
cp_status vrml_plan(struct vrml_output *output, struct vrml_frames *frames, struct vrml_shapes *shapes,
                    struct vrml_motion *motion);

/* text.c: words of the output */
void vrml_indent(struct vrml_output *output);
void vrml_line(struct vrml_output *output, const char *text);   /* indented, with newline */
void vrml_define(struct vrml_output *output, const char *name); /* "DEF name ", or nothing for NULL */
void vrml_use(struct vrml_output *output, const char *name);    /* "USE name" and a newline */
/* Writes "DEF name type {", and goes one level deeper. */
void vrml_open(struct vrml_output *output, const char *name, const char *type);
void vrml_close(struct vrml_output *output, const char *brackets);
/* Open a Group and its children; or a Transform with the fields that differ from their defaults, and its children. */
void vrml_open_group(struct vrml_output *output, const char *name);
void vrml_open_transform(struct vrml_output *output, const char *name, const struct vrml_placing *placing);
/* Closes a node whose last field is a list. */
void vrml_close_node(struct vrml_output *output);
void vrml_number(struct vrml_output *output, double value);
void vrml_float(struct vrml_output *output, float value);
void vrml_vector(struct vrml_output *output, const char *field, const double value[3]);
void vrml_vector_line(struct vrml_output *output, const char *field, const double value[3]);
void vrml_turn_line(struct vrml_output *output, const char *field, const struct rotation *rotation);
void vrml_string(struct vrml_output *output, const char *text);

/* tree.c, shapes.c */
cp_status vrml_write_tree(struct vrml_output *output, struct vrml_frames *frames, struct vrml_shapes *shapes);
cp_status vrml_write_mesh(struct vrml_output *output, struct vrml_shapes *shapes, const cp_instance *instance,
                          const struct vrml_rest *rest);
/* The state to restore behind a file of its own. */
struct vrml_part {
    struct sink *sink;
    unsigned depth;
};
/* Writes an Inline, and begins its file "d_DEVICE/STEM_WANTED.wrl" ("d_cell" if the node belongs to no device). With
 * the stem, worlds in one folder keep their parts apart. name: DEF name of the Inline, or NULL. */
cp_status vrml_open_part(struct vrml_output *output, const struct vrml_shapes *shapes, uint32_t node,
                         const char *wanted, const char *name, struct vrml_part *part);
cp_status vrml_close_part(struct vrml_output *output, const struct vrml_part *part);

/* textures.c */
/* Writes the images of the drawn meshes beside the world, or decodes them for a stream; impossible ones are counted. */
cp_status vrml_write_images(struct vrml_output *output, struct vrml_shapes *shapes);
/* Returns the base colour texture of the material, if the mesh shows it; else NULL. material may be CP_NONE. */
const cp_texture_use *vrml_texture_use(const struct vrml_shapes *shapes, uint32_t material, const cp_mesh *mesh);
/* Writes "texture ImageTexture { ... }" or PixelTexture, and the mesh's "texCoord TextureCoordinate { ... }". */
void vrml_write_texture(struct vrml_output *output, struct vrml_shapes *shapes, const cp_texture_use *use);
void vrml_write_coordinates(struct vrml_output *output, const cp_mesh *mesh, const cp_texture_use *use);

/* lists.c */
/* Writes a vector in each line, changed by the rest. */
void vrml_write_vectors(struct vrml_output *output, const struct vrml_rest *rest, const float *values, uint32_t count);
/* Writes the corners of a face and -1 in each line; a reversed face runs the other way round from the same first
 * corner. */
void vrml_write_corners(struct vrml_output *output, const cp_mesh *mesh, const cp_group *group, bool reversed);

/* interpolators.c */
void vrml_add_wire(struct vrml_output *output, struct vrml_motion *motion, struct wire wire);
/* Writes a timer. With by_itself, it runs without a click, if the settings ask for that. */
void vrml_write_timer(struct vrml_output *output, struct vrml_motion *motion, const char *name, double seconds,
                      bool by_itself);
/* Keys of a joint's value, or of a frame's translation, rotation or scale, at fractions of a timer's cycle. */
struct vrml_keys {
    uint32_t joint; /* or CP_NONE */
    cp_path path;
    bool mirrored; /* the frame mirrors at rest */
    double *fractions, *values;
    uint32_t count, room, value_room;
};
/* Adds a key behind the others. Readers take the shorter way round, so turns come in steps of at most a quarter. */
void vrml_add_key(struct vrml_output *output, const struct vrml_frames *frames, struct vrml_keys *keys, double fraction,
                  const double *value);
/* Completes the keys, writes their interpolator from a timer to the field of a Transform, and frees them. */
void vrml_write_keys(struct vrml_output *output, const struct vrml_frames *frames, struct vrml_motion *motion,
                     struct vrml_keys *keys, const char *timer, const char *wanted, const char *transform);

/* motion.c, view.c */
void vrml_write_motion(struct vrml_output *output, struct vrml_frames *frames, struct vrml_motion *motion);
/* Writes the effect of a click on the shapes of a frame, as the value of a field. */
void vrml_write_description(struct vrml_output *output, const struct vrml_frames *frames, uint32_t node);
/* Writes the first sight in a viewer: views, light and a background. */
cp_status vrml_write_scenery(struct vrml_output *output, const cp_scene *scene);

/* recording.c */
/* Chooses the clip; motion->recording stays NULL when there is none. */
cp_status vrml_plan_recording(struct vrml_output *output, struct vrml_frames *frames, struct vrml_motion *motion);
/* After the nodes' plans: what is baked, and which keys are written. */
cp_status vrml_prepare_recording(struct vrml_output *output, struct vrml_frames *frames,
                                 const struct vrml_motion *motion);
void vrml_write_recording(struct vrml_output *output, const struct vrml_frames *frames, struct vrml_motion *motion);

#endif
