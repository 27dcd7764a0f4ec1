/* Pixels of PNG and JPEG images, for worlds that have no files beside them. */
#ifndef CELLPIPE_EXPORTERS_VRML97_VRML97_H
#define CELLPIPE_EXPORTERS_VRML97_VRML97_H

#include "base/bytes/bytes.h"
#include "motion/motion.h"

struct pixels {
    uint32_t width, height, channels; /* grey, grey and alpha, RGB, RGBA */
    unsigned char *bytes;             /* the upper row first; the arena's. NULL: none */
};

/* Decodes an image of at most 2^24 pixels. No bytes if it is larger, of another type or damaged. CP_LIMIT when out of
 * memory. */
cp_status pixels_decode(struct arena *arena, const cp_image *image, struct pixels *pixels);

/* The declarations that the files of the VRML97 exporter share. */

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
    bool primitives, clicks, descriptions, scenery;
    const char *clip; /* NULL: the first */
};

struct rotation {
    double axis[3], angle;
};

/* A scale must be above zero (ISO/IEC 14772-1, 6.52). */
#define LEAST_SCALE 1e-6

/* The fields of a Transform: T * R * SR * S * SR^-1 (ISO/IEC 14772-1, 6.52), scale > 0. */
struct placing {
    double translation[3];
    struct rotation rotation;
    double scale[3];
    struct rotation scale_orientation;
};

/* The part of a pose that the Transforms so far could not hold, and that everything below takes over: nothing, a point
 * mirroring (it commutes with every rotation, so only signs of translations change), or a singular map (all is flat, so
 * motion ends here). */
enum rest_kind { REST_NONE, REST_MIRRORED, REST_FLAT };
struct rest {
    enum rest_kind kind;
    double linear[9]; /* row-major: identity, its negative, or the singular map */
};

struct node_plan {
    const char *name;     /* DEF name */
    uint32_t first_child; /* nodes, or CP_NONE */
    uint32_t next_sibling;
    bool left_out;     /* a placeholder that holds nothing */
    struct rest rest;  /* the rest for the node's shapes and children */
    uint32_t mover;    /* the innermost joint at or above the node that a click moves, or CP_NONE */
    const char *touch; /* DEF name of its TouchSensor, or NULL */
    const char *timer; /* DEF name of the TimeSensor of its joints, or NULL */
    bool starts;       /* a click on its shapes plays the recording */
    bool small;        /* all shapes whose click plays its joints are hard to hit */
    bool substitutes;  /* a click on its shapes plays the small parts of its device, too */
    bool plays;        /* some joint moves by that timer */
    double cycle;      /* seconds: the sweeps of its driving joints, one after the other */
};

struct joint_plan {
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
struct recording {
    const cp_clip *source; /* the scene's */
    cp_scene *work;        /* owns what is made of the clip */
    cp_clip clip;          /* as it is written: straight tracks, without attachments */
    double first, last;    /* seconds */
    const char *timer;     /* DEF name */
    bool *posed;           /* nodes whose whole pose it sets */
    uint64_t sheared, flat;
};

/* A mesh as it is, or mirrored at the origin. */
struct mesh_plan {
    uint32_t uses;
    const char *name; /* DEF name, or NULL: used once, without a name */
    uint32_t file;    /* the number of the file that has it, or 0; with layout=inline of any file */
};

struct look_plan {
    bool used;
    const char *name; /* DEF name */
    uint32_t file;    /* the last file it was defined in; from 1 */
};

/* An image of textures: a file beside the world, or its pixels in a world that goes to a stream. */
struct picture {
    bool tried;
    const char *file;
    struct pixels pixels;
    /* Textures of it, by whether they repeat in each direction. */
    struct picture_name {
        const char *name; /* DEF name */
        uint32_t file;    /* the last file it was defined in; from 1 */
    } names[2][2];
};

struct vrml {
    cp_context *context;
    const cp_scene *scene;
    const struct vrml_settings *settings;
    struct sink *top, *out;
    struct arena *arena;
    struct name_map names;
    struct node_plan *nodes;
    struct joint_plan *joints;
    cp_mechanism mechanism; /* its values: the joints' own */
    struct followers followers;
    struct recording *recording; /* NULL: none is written */
    const char *entry;           /* DEF name of the sensor that notices a visitor, or NULL */
    struct wire *wires;
    uint32_t wire_count, wire_room;
    struct mesh_plan *meshes;  /* 2 for each mesh: as it is, mirrored */
    struct look_plan *looks;   /* 2 for each material, the first ones for no material: of faces, of lines */
    struct picture *pictures;  /* of images; empty: not shown */
    uint32_t *same_images;     /* indexed by image: the first one with the same bytes */
    const char **folders;      /* one for each device, the last for no device; NULL until used */
    uint32_t file;             /* the number of the file being written */
    unsigned depth;            /* of indentation */
    double diagonal;           /* of the scene, metres */
    double lower[3], upper[3]; /* of the scene */
    uint64_t mirrored, flat, frozen, clamped, alphas, shrunk, unscaled, turns; /* for the report */
    uint64_t replaced, untextured, strange, wrapped;                           /* the same, of textures */
    cp_status status; /* the first failure in a mesh or its file */
    bool failed;      /* out of memory */
    bool too_large;   /* a number is beyond single precision */
};

/* names.c */
/* Makes room until the file is written, zeroed; NULL when out of memory (then failed is set). */
void *vrml_plan_room(struct vrml *v, size_t count, size_t size);
/* Makes a legal name that is new in the output: the prefix and the legal part of `wanted`, with "_2", "_3" appended if
 * needed. NULL when out of memory (then failed is set). */
const char *vrml_name(struct vrml *v, const char *prefix, const char *wanted);
void vrml_name_frames(struct vrml *v);
void vrml_name_meshes(struct vrml *v);
void vrml_write_info(struct vrml *v);

/* placing.c */
extern const struct rest vrml_no_rest;
/* Finds the legal Transform nearest to rest * pose; rest becomes what is left of it. */
void vrml_place(struct rest *rest, const cp_pose *pose, struct placing *placing);
struct rotation vrml_rotation(const double m[9]);
/* Returns the turn of a quaternion x y z w of any length. */
struct rotation vrml_quaternion_turn(const double q[4]);
bool vrml_placing_is_identity(const struct placing *placing);
/* Finds the stretch by q > 0 along the axis of a scale joint. */
void vrml_stretch_placing(const cp_joint *joint, double q, struct placing *placing);
/* Returns the node's own pose as its Transform has it: as translation, rotation and scale if a clip sets one of
 * them. */
cp_pose vrml_node_pose(const struct vrml *v, uint32_t node);

/* plan.c */
cp_status vrml_plan(struct vrml *v);

/* text.c: words of the output */
void vrml_indent(struct vrml *v);
void vrml_line(struct vrml *v, const char *text);   /* indented, with newline */
void vrml_define(struct vrml *v, const char *name); /* "DEF name ", or nothing for NULL */
void vrml_use(struct vrml *v, const char *name);    /* "USE name" and a newline */
/* Writes "DEF name type {", and goes one level deeper. */
void vrml_open(struct vrml *v, const char *name, const char *type);
void vrml_close(struct vrml *v, const char *brackets);
/* Open a Group and its children; or a Transform with the fields that differ from their defaults, and its children. */
void vrml_open_group(struct vrml *v, const char *name);
void vrml_open_transform(struct vrml *v, const char *name, const struct placing *placing);
/* Closes a node whose last field is a list. */
void vrml_close_node(struct vrml *v);
void vrml_number(struct vrml *v, double value);
void vrml_float(struct vrml *v, float value);
void vrml_vector(struct vrml *v, const char *field, const double value[3]);
void vrml_vector_line(struct vrml *v, const char *field, const double value[3]);
void vrml_turn_line(struct vrml *v, const char *field, const struct rotation *rotation);
void vrml_string(struct vrml *v, const char *text);

/* tree.c, shapes.c */
cp_status vrml_write_tree(struct vrml *v);
cp_status vrml_write_mesh(struct vrml *v, const cp_instance *instance, const struct rest *rest);
/* Begins a file of its own for the contents of a frame, by an Inline; holds the state to restore. */
struct vrml_part {
    struct sink *sink;
    unsigned depth;
};
cp_status vrml_open_part(struct vrml *v, uint32_t node, struct vrml_part *part);
cp_status vrml_close_part(struct vrml *v, const struct vrml_part *part);

/* textures.c */
/* Writes the images of the drawn meshes beside the world, or decodes them for a stream; impossible ones are counted. */
cp_status vrml_write_images(struct vrml *v);
/* Returns the base colour texture of the material, if the mesh shows it; else NULL. material may be CP_NONE. */
const cp_texture_use *vrml_texture_use(const struct vrml *v, uint32_t material, const cp_mesh *mesh);
/* Writes "texture ImageTexture { ... }" or PixelTexture, and the mesh's "texCoord TextureCoordinate { ... }". */
void vrml_write_texture(struct vrml *v, const cp_texture_use *use);
void vrml_write_coordinates(struct vrml *v, const cp_mesh *mesh, const cp_texture_use *use);

/* lists.c */
/* Writes a vector in each line, changed by the rest. */
void vrml_write_vectors(struct vrml *v, const struct rest *rest, const float *values, uint32_t count);
/* Writes the corners of a face and -1 in each line; a reversed face runs the other way round from the same first
 * corner. */
void vrml_write_corners(struct vrml *v, const cp_mesh *mesh, const cp_group *group, bool reversed);

/* interpolators.c */
void vrml_add_wire(struct vrml *v, struct wire wire);
/* Writes a timer. With by_itself, it runs without a click, if the settings ask for that. */
void vrml_write_timer(struct vrml *v, const char *name, double seconds, bool by_itself);
/* Returns the place of a time in the recording: 0 at its first moment, 1 at its last. */
double vrml_fraction(const struct vrml *v, double time);
/* Keys of a joint's value, or of a frame's translation, rotation or scale, at fractions of a timer's cycle. */
struct vrml_keys {
    uint32_t joint; /* or CP_NONE */
    cp_path path;
    bool mirrored; /* the frame mirrors at rest */
    double *fractions, *values;
    uint32_t count, room, value_room;
};
/* Adds a key behind the others. Readers take the shorter way round, so turns come in steps of at most a quarter. */
void vrml_add_key(struct vrml *v, struct vrml_keys *keys, double fraction, const double *value);
/* Completes the keys, writes their interpolator from a timer to the field of a Transform, and frees them. */
void vrml_write_keys(struct vrml *v, struct vrml_keys *keys, const char *timer, const char *wanted,
                     const char *transform);

/* motion.c, view.c */
void vrml_write_motion(struct vrml *v);
/* Writes the effect of a click on the shapes of a frame, as the value of a field. */
void vrml_write_description(struct vrml *v, uint32_t node);
/* Writes the first sight in a viewer: views, light and a background. */
cp_status vrml_write_scenery(struct vrml *v);

/* recording.c */
/* Chooses the clip; v->recording stays NULL when there is none. */
cp_status vrml_plan_recording(struct vrml *v);
/* After the nodes' plans: what is baked, and which keys are written. */
cp_status vrml_prepare_recording(struct vrml *v);
void vrml_write_recording(struct vrml *v);
void vrml_free_recording(struct vrml *v);

#endif
