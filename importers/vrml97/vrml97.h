/* The reader of VRML97. A file becomes a tree of nodes with typed fields (lexer.c, parse.c, values.c), in which
 * instances of prototypes are expanded (proto.c). tree.c goes through it and makes frames; shapes.c and the files
 * beside it make meshes and looks; robots.c joints, clips.c clips, own.c what our exporter has written. */
#ifndef CELLPIPE_IMPORTERS_VRML97_VRML97_H
#define CELLPIPE_IMPORTERS_VRML97_VRML97_H

#include <string.h>

#include "model/model.h"
#include "plugins/importer.h"

enum wrl_up { WRL_UP_AUTO, WRL_UP_Y, WRL_UP_Z };

struct wrl_settings {
    struct import_settings common;
    double unit; /* metres per unit of the file; 0: not given */
    int up;      /* enum wrl_up */
};

/* ---- values ---- */

/* Types of fields; each list of values follows the type of one. */
enum wrl_type {
    WRL_BOOL,
    WRL_IMAGE,
    WRL_INT,
    WRL_INTS,
    WRL_FLOAT,
    WRL_FLOATS,
    WRL_TIME,
    WRL_TIMES,
    WRL_VEC2,
    WRL_VEC2S,
    WRL_VEC3,
    WRL_VEC3S,
    WRL_COLOUR,
    WRL_COLOURS,
    WRL_ROTATION,
    WRL_ROTATIONS,
    WRL_STRING,
    WRL_STRINGS,
    WRL_NODE,
    WRL_NODES,
    WRL_TYPE_COUNT
};
extern const char *const wrl_type_words[WRL_TYPE_COUNT + 1]; /* "SFBool", ...; NULL-ended */

/* How the numbers of a value are kept: vertices in single precision, as meshes have them. */
enum wrl_store { WRL_AS_DOUBLES, WRL_AS_FLOATS, WRL_AS_INTEGERS, WRL_AS_TEXTS, WRL_AS_NODES, WRL_AS_IS };

struct wrl_value {
    enum wrl_type type;
    enum wrl_store store;
    uint32_t count; /* numbers, texts or nodes; of WRL_AS_IS the member's place in the interface */
    union {
        const double *doubles;
        const float *floats;
        const int32_t *integers; /* images have these, too; TRUE is 1 */
        const char *const *texts;
        struct wrl_node **nodes; /* an SFNode NULL has none */
        const char *is;          /* WRL_AS_IS: the member of the prototype's interface that stands here */
    };
};

struct wrl_field {
    const char *name;
    struct wrl_value value;
    uint64_t line;
};

/* ---- kinds of nodes: kinds.c ---- */

enum wrl_access { WRL_FIELD, WRL_EXPOSED, WRL_IN, WRL_OUT };
struct wrl_member {
    const char *name;
    enum wrl_type type;
    enum wrl_access access;
};

/* The ways in which tree.c treats a node among children. */
enum wrl_class {
    WRL_SHAPE,
    WRL_GROUP,   /* Group, Anchor, Billboard: its children */
    WRL_PLACED,  /* Transform */
    WRL_SWITCH,  /* one of its children */
    WRL_LEVELS,  /* LOD */
    WRL_COLLIDE, /* Collision */
    WRL_INLINE,
    WRL_VIEW,
    WRL_INFO,
    WRL_QUIET,  /* NavigationInfo: nothing to keep */
    WRL_MOTION, /* TimeSensor, interpolators: clips.c */
    WRL_LOST,   /* lights, sensors, sound, Script, ... */
    WRL_PART    /* a geometry, material, ...: not among children */
};
struct wrl_kind {
    const char *name;
    enum wrl_class class;
    const struct wrl_member *members; /* ended by a NULL name */
};
/* Returns the kind of that name, or NULL. */
const struct wrl_kind *wrl_kind_named(const char *name);
/* Finds a member of a list that a word means: its name, or set_NAME and NAME_changed of an exposed field, or of an
 * event without that. NULL if there is none. */
const struct wrl_member *wrl_member_named(const struct wrl_member *members, const char *word);
/* Tells whether two names of an event mean the same: "rotation", "set_rotation" and "rotation_changed". */
bool wrl_same_event(const char *word, const char *name);

/* ---- nodes ---- */

struct wrl_node {
    const struct wrl_kind *kind; /* NULL: an instance of a prototype, or unknown */
    const char *type;            /* the word in the file */
    const char *name;            /* DEF gives it; or NULL */
    struct wrl_field *fields;
    uint32_t field_count;
    struct wrl_instance *instance; /* the prototype's; or NULL */
    struct wrl_file *file;
    uint64_t line;
    uint32_t column, serial;    /* serial: in all files */
    uint32_t height;            /* the tree below is so high */
    bool has_is;                /* here or below */
    bool is_open;               /* it is still being read */
    bool is_moved, is_oriented; /* ROUTEs of `into` move it, and set its scaleOrientation */
    struct wrl_route *into;     /* the latest ROUTE into it that clips follow */
    struct wrl_node *copy;      /* its copy in the expansion `copied` */
    uint32_t copied;
    struct wrl_mesh *meshes; /* shapes.c lists the meshes that it became */
};

/* A ROUTE, and the next one into the same node. */
struct wrl_route {
    struct wrl_node *from, *to;
    const char *event, *field;
    struct wrl_route *next;
    uint64_t line;
};

/* An instance of a prototype, or a wish for one: its prototype may be a file that is not there. */
struct wrl_instance {
    struct wrl_proto *proto;
    struct wrl_node *body;  /* the first node of the expansion; NULL: there is none */
    struct wrl_link *links; /* events of the interface */
};
/* An event of an interface that is one of a node in the expansion. */
struct wrl_link {
    const char *name, *field;
    struct wrl_node *node;
    uint32_t member;       /* the event's place in the interface */
    struct wrl_link *same; /* a further one of this event */
    struct wrl_link *next; /* the first one of another event */
};

struct wrl_proto {
    const char *name;
    struct wrl_member *members;
    struct wrl_value *defaults; /* beside the members */
    uint32_t *order;            /* the members' places, by their names */
    uint32_t member_count;
    struct wrl_node **body;
    uint32_t body_count;
    struct wrl_route *routes;     /* the body's; `next` links them */
    const struct wrl_value *urls; /* EXTERNPROTO has them; NULL: it is a PROTO */
    struct wrl_file *file;
    struct wrl_proto *found; /* the definition that an EXTERNPROTO has found */
    bool is_sought;
    uint64_t line;
    uint32_t column;
};

/* A file that has been read. One of another format is a model, which is read when it is first shown. */
struct wrl_file {
    const struct source *source;
    struct source *opened; /* NULL for the top file */
    struct wrl_node **nodes;
    uint32_t node_count;
    struct wrl_proto *first_proto;
    uint32_t index;
    bool is_model, is_read;
    cp_instance *parts; /* a model's, in its own axes; NULL: it cannot be read */
    uint32_t part_count;
};

struct wrl_mesh {
    const struct wrl_node *appearance; /* key: the real one, or NULL */
    uint32_t mesh;
    cp_pose pose; /* places the mesh in the shape */
    struct wrl_mesh *next;
};

enum wrl_told {
    WRL_TOLD_FACES, /* faces with corners that are not there */
    WRL_TOLD_SMALL, /* faces and lines with too few corners */
    WRL_TOLD_SWITCH,
    WRL_TOLD_LEVELS,
    WRL_TOLD_BILLBOARDS,
    WRL_TOLD_POINTS,
    WRL_TOLD_TEXT,
    WRL_TOLD_AMBIENT,
    WRL_TOLD_SHINING,
    WRL_TOLD_UNLIT,
    WRL_TOLD_PICTURES, /* textures of shapes that have no coordinates */
    WRL_TOLD_SCRIPTS,
    WRL_TOLD_ROUTES,
    WRL_TOLD_CURVES, /* interpolators of other things than frames */
    WRL_TOLD_KEYS,
    WRL_TOLD_COUNT
};

/* A frame that ROUTEs move, as often as it is shown. */
struct wrl_moved {
    const struct wrl_node *node;
    uint32_t frame;   /* it has the translation and rotation */
    uint32_t scaled;  /* has its scale, and the turn before it */
    uint32_t back;    /* it takes that turn back */
    double centre[3]; /* added to translations */
    double unit;
    struct wrl_moved *next;
};

/* A mesh to be placed: instances come in the order of their nodes. */
struct wrl_placed {
    uint32_t node, mesh, use;
    cp_pose pose;
};

struct wrl {
    cp_context *context;
    const struct wrl_settings *settings;
    cp_scene *scene;
    struct arena *arena;
    struct wrl_file **files;
    uint32_t file_count, file_room;
    struct name_map file_paths;  /* the key is a path */
    struct name_map file_names;  /* the key is a file and a url */
    struct name_map proto_names; /* the key is a file and a name, the value a place in `protos` */
    struct wrl_proto **protos;
    uint32_t proto_count, proto_room;
    const struct wrl_value **given; /* an instance that is expanded gives these for its members */
    uint32_t given_room;
    struct name_map materials; /* keyed by what they are made of */
    struct name_map textures;
    uint32_t node_count; /* all trees have so many nodes */
    uint32_t expansion;  /* the number of the last one */
    uint64_t visits;     /* counts what a file may hold only in proportion to its size */
    struct wrl_placed *placed;
    uint32_t placed_count, placed_room;
    struct wrl_moved *moved, **moved_end;
    cp_pose turn; /* turns the file's axes to ours */
    double unit;
    bool is_turned, is_own;
    bool has_robot;   /* a Humanoid, Joint or Segment is used: such files are Z up */
    cp_status failed; /* why a frame could not be added */
    struct wrl_own *own;
    struct wrl_robot *robot; /* the latest; those before it follow */
    struct wrl_extra *extras;
    struct {
        uint64_t count;
        struct place first;
    } told[WRL_TOLD_COUNT]; /* is reported at the end */
    struct buffer text;
};

/* Tells whether the node is of that kind; no instance of a prototype is. */
static inline bool wrl_is(const struct wrl_node *node, const char *kind)
{
    return node->kind && strcmp(node->kind->name, kind) == 0;
}
struct place wrl_place(const struct wrl_node *node);
/* Counts what is reported once at the end, with the place of the first. */
void wrl_tell(struct wrl *wrl, enum wrl_told what, uint64_t count, struct place place);

/* ---- parse.c and files.c: files as trees ---- */

/* Reads a file that is open. depth: of calls around it, as in struct wrl_parser. */
cp_status wrl_parse(struct wrl *wrl, struct wrl_file *file, uint32_t depth);
/* Finds or opens the first file of the urls that is there; *found is NULL if none is. */
cp_status wrl_open(struct wrl *wrl, struct wrl_file *from, const struct wrl_value *urls, uint32_t depth,
                   struct wrl_file **found, const char **name);
/* Tells whether the url is one of a network, where nothing is ever sought. */
bool wrl_is_remote(const char *url);
/* Reads the parts of a file of another format, once. It stays without, after a warning, if that cannot be done. */
cp_status wrl_read_model(struct wrl *wrl, struct wrl_file *file);

/* ---- proto.c ---- */

/* Finds the member of an interface that has this very name; CP_NONE if there is none. */
uint32_t wrl_member_place(const struct wrl_proto *proto, const char *name);
/* Returns the node behind an instance of a prototype; NULL if there is none. */
struct wrl_node *wrl_real(struct wrl_node *node);
/* Counts a node towards the limit. */
cp_status wrl_count_node(struct wrl *wrl, const struct wrl_file *file, uint64_t line);
/* Adds a ROUTE, whose ends may be instances of prototypes. */
cp_status wrl_add_route(struct wrl *wrl, const struct wrl_route *route);

/* ---- fields.c: values of nodes ---- */

/* Returns the value of a field, or of the interface of an instance; NULL if it is not given and has no default there.
 */
const struct wrl_value *wrl_value(const struct wrl_node *node, const char *name);
/* Reads count numbers of a field; they stay as they are if it is not given. */
void wrl_numbers(const struct wrl_node *node, const char *name, uint32_t count, double *numbers);
double wrl_number(const struct wrl_node *node, const char *name, double missing);
bool wrl_truth(const struct wrl_node *node, const char *name, bool missing);
const char *wrl_text(const struct wrl_node *node, const char *name, const char *missing);
/* Returns the node in a field as it is written, perhaps an instance; NULL if there is none. */
struct wrl_node *wrl_child(const struct wrl_node *node, const char *name);
/* Returns the real node in a field, if it is of that kind, or NULL; another one is a loss. kind NULL: of any. */
struct wrl_node *wrl_child_of_kind(struct wrl *wrl, const struct wrl_node *node, const char *name, const char *kind);
/* Gives a number of a value that has numbers. */
double wrl_item(const struct wrl_value *value, uint32_t index);

/* ---- tree.c ---- */

cp_status wrl_build(struct wrl *wrl, struct wrl_file *top);
/* Computes T C R SR S -SR -C of a Transform, or of the interface of a Joint. */
cp_pose wrl_pose(const struct wrl_node *node);
/* Returns the pose with its translation in metres. */
cp_pose wrl_metres(const struct wrl *wrl, cp_pose pose);

/* ---- shapes.c and what it calls ---- */

/* Finds the mesh of a Shape, which is made the first time; *mesh is CP_NONE if nothing is drawn. */
cp_status wrl_find_mesh(struct wrl *wrl, struct wrl_node *shape, uint32_t *mesh, cp_pose *pose);

/* The look of a Shape, in the making of its mesh. */
struct wrl_look {
    struct wrl_node *shape, *geometry, *appearance, *material, *texture, *transform; /* real ones; NULL: none */
    bool lines, two_sided, coloured; /* coloured: vertices have colours in place of the material's */
    bool has_coordinates;
    cp_pose pose; /* places the mesh in the shape */
};
cp_status wrl_find_material(struct wrl *wrl, const struct wrl_look *look, uint32_t *row);
/* Finds the texture of an ImageTexture or PixelTexture; CP_NONE if there is none. */
cp_status wrl_find_texture(struct wrl *wrl, struct wrl_node *node, uint32_t *texture);

/* Make faces of IndexedFaceSet, and lines of IndexedLineSet; note whether they have colours. CP_NO if there are none.
 */
cp_status wrl_make_faces(struct wrl *wrl, struct wrl_look *look, cp_mesh *mesh);
cp_status wrl_make_lines(struct wrl *wrl, struct wrl_look *look, cp_mesh *mesh);
/* Makes faces of lists that another geometry becomes: points (floats of the scene), corners with -1 behind each face,
 * and normals (or NULL) and texture coordinates for each point. Its own Color, Normal and TextureCoordinate count. */
cp_status wrl_make_indexed(struct wrl *wrl, struct wrl_look *look, const struct wrl_value *points,
                           const struct wrl_value *corners, const struct wrl_value *normals,
                           const struct wrl_value *coordinates, cp_mesh *mesh);
/* Makes boxes, spheres, cylinders and cones; ElevationGrid and Extrusion. CP_NO if nothing is there. */
cp_status wrl_make_solid(struct wrl *wrl, struct wrl_look *look, cp_mesh *mesh);
cp_status wrl_make_grid(struct wrl *wrl, struct wrl_look *look, cp_mesh *mesh);
cp_status wrl_make_extrusion(struct wrl *wrl, struct wrl_look *look, cp_mesh *mesh);

/* Checks the count of vertices or corners of a node against the limits. */
cp_status wrl_check_size(struct wrl *wrl, const struct wrl_node *node, uint64_t count);
/* Counts points that are in no list of the file: there are many of them for few bytes. */
cp_status wrl_count_made(struct wrl *wrl, const struct wrl_node *node, uint64_t count);

/* ---- robots.c ---- */

/* Tells whether an instance is a Humanoid, Joint, Segment, or ExtraJoint as those of OpenHRP, by name and fields. */
bool wrl_is_joint(const struct wrl_node *node);
bool wrl_is_segment(const struct wrl_node *node);
bool wrl_is_humanoid(const struct wrl_node *node);
bool wrl_is_extra(const struct wrl_node *node);
cp_status wrl_add_joint(struct wrl *wrl, struct wrl_node *node, uint32_t frame);
cp_status wrl_add_segment(struct wrl *wrl, struct wrl_node *node, uint32_t frame);
cp_status wrl_add_humanoid(struct wrl *wrl, struct wrl_node *node, uint32_t frame);
cp_status wrl_add_extra(struct wrl *wrl, struct wrl_node *node);
/* Keeps the type and the values of a sensor with its frame. */
cp_status wrl_add_sensor(struct wrl *wrl, const struct wrl_node *node, uint32_t frame);
/* Adds the devices and loops, once all frames are there. */
cp_status wrl_finish_robots(struct wrl *wrl);

/* ---- clips.c ---- */

/* Tells whether clips follow the ROUTE: from a TimeSensor to an interpolator, or from that to a Transform. */
bool wrl_is_followed(const struct wrl_route *route);
/* Notes at the Transform what a ROUTE that is followed moves. */
void wrl_note_moved(const struct wrl_route *route);
cp_status wrl_add_clips(struct wrl *wrl);

/* ---- own.c: worlds that our exporter has written ---- */

/* Knows such a world by its tree, and reads what its WorldInfo says of names and joints. */
cp_status wrl_find_own(struct wrl *wrl, const struct wrl_file *top);
/* Returns the name that a DEF name had in the scene; kind: "frame", "mesh" or "look". */
const char *wrl_own_name(const struct wrl *wrl, const char *kind, const char *prefix, const char *name);
/* Returns the joint of a Transform, an index of the world's joints; CP_NONE if it is none. */
uint32_t wrl_own_joint(const struct wrl *wrl, const struct wrl_node *node);
/* Adds the joints of a frame: those of the Transforms in it, and its fixed ones. */
cp_status wrl_own_add_joints(struct wrl *wrl, struct wrl_node *node, uint32_t frame);
/* Lets joints follow their masters, and adds devices, once all frames are there. */
cp_status wrl_own_finish(struct wrl *wrl);
void wrl_own_free(struct wrl *wrl);

#endif
