/* COLLADA, document by document: document.c and the read_*.c files turn the elements of a file into the tables below,
 * meshes.c, materials.c, textures.c and nodes.c make a scene of them. collada.c puts them together.
 *
 * References. "#id" names an element of this document, "other.dae#id" one of another (collada_find). Ids are unique
 * among the elements of one kind; where an id stands twice, the first element has it, but a mesh takes its own sources
 * before others.
 *
 * Sids. A path "id/sid/sid.MEMBER" (animation channels, kinematics) begins with the id of an element, mostly a node.
 * Each sid is searched below the element found so far, breadth first: among the transforms of the node, then of its
 * children, of the nodes that instance_node shows, and so on, as the specification says. ".X" or "(row)(column)" behind
 * the last sid selects a part of it. After collada_place_nodes the same search can walk over the places, which are the
 * nodes of the scene: a place has the node of the file that it shows, and its children are the places with it as
 * parent. The places of a node are a list: node->first_place, place->next_same.
 *
 * Frames. A node of the scene is its node of the file with unit and axes converted: collada_turn(collada, pose).
 * Vertices stay as the file has them, and the instances' transform converts them. */
#ifndef CELLPIPE_IMPORTERS_COLLADA_COLLADA_H
#define CELLPIPE_IMPORTERS_COLLADA_COLLADA_H

#include "../importers.h"
#include "base/text/xml.h"
#include "model/model.h"

struct collada_settings {
    struct import_settings common;
    double unit;      /* 0: the file's */
    int up;           /* enum collada_up */
    int transparency; /* 1: an alpha of exactly 0 is meant */
};
enum collada_up { COLLADA_UP_FILE, COLLADA_UP_Z, COLLADA_UP_Y, COLLADA_UP_X };

/* ---- sources ---- */

struct collada_numbers {
    double *items;
    uint32_t count, room;
};
struct collada_words {
    const char **items;
    uint32_t count, room;
};

/* A <source>: an array, and the accessor that reads this or another array. */
enum { COLLADA_COLUMNS = 4 };
struct collada_source {
    const char *id, *array; /* ids of the source and of its array; "" for none */
    uint64_t line;
    struct collada_numbers numbers;                  /* float_array, int_array */
    struct collada_words words;                      /* Name_array, IDREF_array, SIDREF_array, bool_array */
    const char *reads;                               /* the array that the accessor reads, "#id" */
    uint32_t count, offset, stride;                  /* as the accessor says */
    uint32_t width;                                  /* values of an element: 16 for a float4x4 */
    uint32_t columns[COLLADA_COLUMNS], column_count; /* offsets of the first params in an element */
    bool is_short;                                   /* its array has fewer elements than it says */
};

/* The elements of a source that are there: `column` of element i is numbers[i * stride + columns[column]]. */
struct collada_view {
    const double *numbers;
    uint32_t count, stride;
    const uint32_t *columns;
    uint32_t column_count;
};

struct collada_input {
    const char *semantic, *reference; /* "POSITION", "#id" */
    uint32_t offset, set, source;     /* source: that of the same mesh, or CP_NONE */
    uint64_t line;
};

/* ---- geometry ---- */

enum collada_primitive_kind {
    COLLADA_TRIANGLES,
    COLLADA_POLYLIST,
    COLLADA_POLYGONS,
    COLLADA_TRIFANS,
    COLLADA_TRISTRIPS,
    COLLADA_LINES,
    COLLADA_LINESTRIPS
};

#define COLLADA_HOLE (UINT32_C(1) << 31) /* in a size */
struct collada_indices {
    uint32_t *items;
    uint32_t count, room;
};
struct collada_primitive {
    enum collada_primitive_kind kind;
    const char *material; /* symbol; NULL: none */
    uint64_t line;        /* of its first <p> */
    uint64_t said;        /* count= */
    uint32_t first_input, input_count;
    struct collada_indices indices; /* of all <p> */
    /* Corners of each face: <vcount> of a polylist. Indices of each <p>, or with COLLADA_HOLE of each <h>, for others
     * that have a text a face. */
    struct collada_indices sizes;
};

enum collada_geometry_kind {
    COLLADA_NO_MESH,
    COLLADA_MESH,
    COLLADA_CONVEX,
    COLLADA_HULL,
    COLLADA_SPLINE,
    COLLADA_BREP
};
struct collada_geometry {
    const char *id, *name;
    uint64_t line;
    enum collada_geometry_kind kind;
    uint32_t first_input, input_count; /* of <vertices> */
    uint32_t first_primitive, primitive_count;
    struct collada_shape *shape; /* made when a node first shows it */
    bool is_shown;
};

/* Faces that have a material in common, or line segments. */
struct collada_group {
    const char *symbol; /* NULL: none */
    uint32_t first_face, face_count;
    uint32_t sets[CP_COORDINATE_SETS], set_count; /* set= of its texture coordinates, ascending */
    bool is_coloured;                             /* by its vertices */
};

/* The faces of a geometry, or its lines, as a mesh that has no groups yet. */
struct collada_body {
    cp_mesh mesh; /* without faces: there are none */
    double origin[3];
    struct collada_group *groups;
    uint32_t group_count, group_room;
};
struct collada_shape {
    struct collada_body faces, lines;
    struct name_map variants; /* materials of all groups to the scene's meshes */
};

enum collada_controller_kind { COLLADA_SKIN, COLLADA_MORPH };
struct collada_controller {
    const char *id, *shows; /* a geometry or another controller */
    enum collada_controller_kind kind;
    cp_pose bind_shape;
    uint64_t line;
    bool open; /* while what it shows is followed */
};

/* ---- materials ---- */

enum collada_param_kind { COLLADA_PARAM_NUMBERS, COLLADA_PARAM_SURFACE, COLLADA_PARAM_SAMPLER };
enum collada_scope { COLLADA_IN_TECHNIQUE, COLLADA_IN_PROFILE, COLLADA_IN_EFFECT };
struct collada_sampler {
    const char *wrap[2], *minify, *magnify; /* words, or NULL */
};
/* A newparam of an effect, or a setparam of a material. */
struct collada_param {
    const char *sid;
    enum collada_param_kind kind;
    enum collada_scope scope; /* the nearest one counts */
    double numbers[4];
    uint32_t count;    /* of numbers */
    const char *reads; /* a surface: the id of an image; a sampler: the sid of a surface */
    const char *image; /* a sampler of 1.5: the url of its image; "" for others */
    struct collada_sampler sampler;
};

enum collada_channel_kind { COLLADA_NOTHING, COLLADA_COLOUR, COLLADA_TEXTURE, COLLADA_PARAM };
struct collada_channel {
    enum collada_channel_kind kind;
    double rgba[4];   /* a number has the first alone; of a param, the effect's own */
    uint32_t count;   /* of them */
    const char *name; /* the param's, or the word in texture= */
    const char *texcoord;
    double repeat[2], offset[2]; /* extras of Maya and 3ds Max: where the texture is */
    const char *image;           /* id or url */
    struct collada_sampler sampler;
    bool is_short; /* it names the image without sampler, or without surface */
};
enum collada_term {
    COLLADA_EMISSION,
    COLLADA_AMBIENT,
    COLLADA_DIFFUSE,
    COLLADA_SPECULAR,
    COLLADA_REFLECTIVE,
    COLLADA_TRANSPARENT,
    COLLADA_SHININESS, /* from here on numbers */
    COLLADA_REFLECTIVITY,
    COLLADA_TRANSPARENCY,
    COLLADA_REFRACTION,
    COLLADA_TERMS
};
enum collada_opaque { COLLADA_OPAQUE_UNSAID, COLLADA_A_ONE, COLLADA_A_ZERO, COLLADA_RGB_ZERO, COLLADA_RGB_ONE };
struct collada_effect {
    const char *id;
    uint64_t line;
    bool is_constant, two_sided;
    enum collada_opaque opaque;
    uint32_t first_param, param_count;
    struct collada_channel terms[COLLADA_TERMS];
};
struct collada_material {
    const char *id, *name, *effect;
    uint64_t line;
    uint32_t first_param, param_count;
    /* The scene's material for each set of a mesh's coordinates, and for meshes without; CP_NONE: not yet made. */
    uint32_t targets[CP_COORDINATE_SETS + 1];
};
struct collada_image {
    const char *id, *path; /* path "": none */
    uint64_t line;
    uint32_t target; /* the scene's image, or CP_NONE */
    bool is_read;
};

/* ---- nodes ---- */

enum collada_transform_kind {
    COLLADA_MATRIX,
    COLLADA_TRANSLATE,
    COLLADA_ROTATE,
    COLLADA_SCALE,
    COLLADA_LOOKAT,
    COLLADA_SKEW
};
struct collada_transform {
    enum collada_transform_kind kind;
    const char *sid; /* "" for none */
    uint64_t line;
    uint32_t next;      /* the node's next one, in the order of the document; CP_NONE: the last */
    double numbers[16]; /* the file's: rows of a matrix; x y z and degrees of a rotate */
};

/* Shows a geometry, a controller or a node. */
enum collada_instance_kind { COLLADA_SHOW_GEOMETRY, COLLADA_SHOW_CONTROLLER, COLLADA_SHOW_NODE };
struct collada_instance {
    enum collada_instance_kind kind;
    const char *url;
    uint64_t line;
    uint32_t next; /* the node's next one; CP_NONE: the last */
    uint32_t first_binding, binding_count;
};
/* An <instance_material>: the material of a symbol, and the sets of its texture coordinates. */
struct collada_binding {
    const char *symbol, *target;
    uint64_t line;
    uint32_t first_set, set_count;
};
struct collada_set {
    const char *name; /* as in texcoord= */
    uint32_t number;
};

/* A list of rows that are linked by `next`: CP_NONE and CP_NONE when empty. */
struct collada_list {
    uint32_t first, last;
};

/* A <node>; parents come before children, in the order of the document. */
struct collada_node {
    const char *id, *sid, *name; /* "" for none */
    uint64_t line;
    uint32_t parent; /* CP_NONE: below a visual scene or in library_nodes */
    uint32_t scene;  /* the visual scene that it is in; CP_NONE: library_nodes */
    uint32_t next;   /* the next child of the same parent, or root of the same scene */
    struct collada_list children, transforms, instances;
    uint32_t first_place, last_place; /* CP_NONE: nothing shows it */
    bool open;                        /* while what is below it is placed */
};
struct collada_scene {
    const char *id;
    struct collada_list roots;
};

/* A node of the scene, made of a node of a document. */
struct collada_place {
    struct collada_document *document;
    uint32_t node;      /* in the document */
    uint32_t target;    /* in the scene */
    uint32_t parent;    /* the place above it; CP_NONE: it is a root */
    uint32_t next_same; /* the next place of the same node of the document */
};

/* ---- documents ---- */

enum collada_kind {
    COLLADA_SOURCES,
    COLLADA_ARRAYS, /* rows of sources */
    COLLADA_GEOMETRIES,
    COLLADA_CONTROLLERS,
    COLLADA_EFFECTS,
    COLLADA_MATERIALS,
    COLLADA_IMAGES,
    COLLADA_NODES,
    COLLADA_SCENES,
    COLLADA_KINDS
};

struct collada_document {
    struct collada *collada;
    struct source *source;                            /* the file; messages have its name */
    struct source text;                               /* the part of it that is XML */
    struct xml xml;                                   /* while it is read */
    struct name_map ids[COLLADA_KINDS], mesh_sources; /* mesh_sources: of the mesh that is read */
    uint64_t room_given;                              /* see collada_give_room */
    double unit;
    enum collada_up up;
    const char *shown; /* the url of instance_visual_scene; NULL: none */

    struct collada_source *sources;
    struct collada_input *inputs;
    struct collada_primitive *primitives;
    struct collada_geometry *geometries;
    struct collada_controller *controllers;
    struct collada_param *params;
    struct collada_effect *effects;
    struct collada_material *materials;
    struct collada_image *images;
    struct collada_transform *transforms;
    struct collada_set *sets;
    struct collada_binding *bindings;
    struct collada_instance *instances;
    struct collada_node *nodes;
    struct collada_scene *scenes;
    uint32_t source_count, input_count, primitive_count, geometry_count, controller_count, param_count, effect_count,
        material_count, image_count, transform_count, set_count, binding_count, instance_count, node_count, scene_count;
    uint32_t source_room, input_room, primitive_room, geometry_room, controller_room, param_room, effect_room,
        material_room, image_room, transform_room, set_room, binding_room, instance_room, node_room, scene_room;
};

/* Findings are counted while a file is read, and reported once, at the end: findings.c has the words. */
enum collada_finding {
    COLLADA_TOLD_IDS,
    COLLADA_TOLD_COMMAS,
    COLLADA_TOLD_ARRAYS,
    COLLADA_TOLD_ACCESSORS,
    COLLADA_TOLD_COUNTS,
    COLLADA_TOLD_SOURCES,
    COLLADA_TOLD_SMALL,
    COLLADA_TOLD_HOLES,
    COLLADA_TOLD_NORMALS,
    COLLADA_TOLD_COORDINATES,
    COLLADA_TOLD_SETS,
    COLLADA_TOLD_ALPHAS,
    COLLADA_TOLD_RANGES,
    COLLADA_TOLD_SYMBOL_IDS,
    COLLADA_TOLD_UNBOUND,
    COLLADA_TOLD_PARAMS,
    COLLADA_TOLD_COLOURLESS,
    COLLADA_TOLD_CLEAR,
    COLLADA_TOLD_BARE,
    COLLADA_TOLD_TEXTURES,
    COLLADA_TOLD_CUTS,
    COLLADA_TOLD_BUMPS,
    COLLADA_TOLD_BORDERS,
    COLLADA_TOLD_SHORT,
    COLLADA_TOLD_PATHLESS,
    COLLADA_TOLD_EMBEDDED,
    COLLADA_TOLD_PROFILES,
    COLLADA_TOLD_SKINS,
    COLLADA_TOLD_MORPHS,
    COLLADA_TOLD_HULLS,
    COLLADA_TOLD_SPLINES,
    COLLADA_TOLD_BREPS,
    COLLADA_TOLD_UNSHOWN,
    COLLADA_TOLD_SKEWS,
    COLLADA_TOLD_CAMERAS,
    COLLADA_TOLD_ANIMATIONS,
    COLLADA_TOLD_SENSELESS,
    COLLADA_TOLD_WAYS,
    COLLADA_TOLD_SHEARS,
    COLLADA_TOLD_MEMBERS,
    COLLADA_TOLD_CUTTINGS,
    COLLADA_TOLD_KINEMATICS,
    COLLADA_TOLD_FORMULAS,
    COLLADA_TOLD_UNSEEN,
    COLLADA_TOLD_MODELLESS,
    COLLADA_TOLD_AXES,
    COLLADA_TOLD_CLOSINGS,
    COLLADA_TOLD_EFFECTORS,
    COLLADA_TOLD_SPEEDS,
    COLLADA_TOLD_SENSORS,
    COLLADA_TOLD_RIGID,
    COLLADA_TOLD_FIELDS,
    COLLADA_TOLD_FINDINGS
};

struct collada_kinematics; /* kinematics.h */
struct collada_animations; /* animation.h */

struct collada {
    cp_context *context;
    const struct collada_settings *settings;
    cp_scene *scene;
    struct arena *arena;     /* texts and small rows of the documents */
    struct source *top;      /* the file, which its opener closes */
    struct archive *archive; /* NULL: it is a document itself */
    struct source *manifest; /* in the archive, or NULL */
    struct collada_document **documents;
    uint32_t document_count, document_room;
    struct name_map known;    /* further files by their names, to documents */
    struct name_map textures; /* images with samplers to the scene's textures */
    cp_pose turn, turn_back;  /* the file's axes to Z up, and back */
    double unit;
    struct collada_place *places;
    uint32_t place_count, place_room;
    uint64_t vertices; /* and corners so far */
    uint64_t groups;   /* in all instances so far */
    uint64_t counts[COLLADA_TOLD_FINDINGS];
    struct collada_kinematics *kinematics;
    struct collada_animations *animations;
    uint64_t keys, work; /* keys of clips, and transforms at their times, so far */
};

/* ---- document.c ---- */

/* Reads an element that has just started; `into` is what its parent's reader handed on. It need not go to the element's
 * end. */
typedef cp_status collada_reader(struct collada_document *document, void *into);
struct collada_element {
    const char *name; /* NULL ends a table */
    collada_reader *read;
};

/* Reads the document of a source, which belongs to it from now on, even on failure. */
cp_status collada_open(struct collada *collada, struct source *source, struct collada_document **opened);
void collada_close(struct collada_document *document);
/* Reads the children of the open element by the table; others are passed over. */
cp_status collada_read_children(struct collada_document *document, const struct collada_element *elements, void *into);
/* Adds a row that is all zero, and returns it; NULL when out of memory. rows and the rest: members of the document. */
void *collada_add_row(struct collada_document *document, void *rows, uint32_t *room, uint32_t *count, size_t size);
/* Appends the row `number` to a linked list. next: the place of `next` in the last row of the list, or NULL if it is
 * empty. */
void collada_link(struct collada_list *list, uint32_t number, uint32_t *next);
/* Returns a copy in the arena, without blanks around it; NULL when out of memory. */
const char *collada_trim(struct arena *arena, const char *text);
/* Returns a copy of an attribute of the open element, without blanks around it; "" when there is none, NULL when out of
 * memory. */
const char *collada_attribute(struct collada_document *document, const char *name);
/* Returns a copy of the text of the open element, in the same way. */
const char *collada_text(struct collada_document *document);
/* Sets *copy to the same; CP_LIMIT when out of memory. */
cp_status collada_read_text(struct collada_document *document, const char **copy);
/* Reads a whole number of an attribute, below 2^31; `missing` when there is none. */
cp_status collada_whole(struct collada_document *document, const char *name, uint32_t missing, uint32_t *number);
/* Notes the id of a row; an id that another row of the kind has already stays with that one. */
cp_status collada_note_id(struct collada_document *document, enum collada_kind kind, const char *id, uint32_t row);
/* Reports an error at the line, with code "collada-...". */
cp_status collada_error(const struct collada_document *document, const char *code, uint64_t line, const char *format,
                        ...) __attribute__((format(printf, 4, 5)));
/* Counts what no code reads in the open element. */
cp_status collada_count_unread(struct collada_document *document, void *into);
/* Follows a reference. *row CP_NONE: there is no such element, which is reported as a loss. */
cp_status collada_find(struct collada_document *document, enum collada_kind kind, const char *reference,
                       struct collada_document **owner, uint32_t *row);

/* ---- numbers.c: lists of numbers, converted as the text comes ---- */

/* How many numbers to make room for where the file says `said`. A file may say too much in each of many places, so that
 * all of these rooms together have no more than the file can hold. */
uint64_t collada_give_room(struct collada_document *document, uint64_t said);

/* Appends the numbers in the text of the open element, and goes to its end. What is written like a number and is none
 * ("NaN", "-1.#IND") becomes NaN. expected: how many there shall be, 0 if nobody says; decimal commas need it. */
cp_status collada_read_numbers(struct collada_document *document, struct collada_numbers *numbers, uint32_t expected);
/* Reads exactly `count` numbers, finite ones. */
cp_status collada_read_exactly(struct collada_document *document, uint32_t count, double *numbers);
cp_status collada_read_indices(struct collada_document *document, struct collada_indices *indices);

/* ---- sources.c: readers of elements, and what they have read ---- */

cp_status collada_read_source(struct collada_document *document, void *into); /* <source>, anywhere */
/* Reads an <input>, and resolves it among mesh_sources. */
cp_status collada_read_input(struct collada_document *document, void *into);
/* Finds a source by "#id"; CP_NONE: there is none. */
uint32_t collada_find_source(const struct collada_document *document, const char *reference);
/* Finds the elements of a source that are there; an empty view if it has no numbers. CP_INPUT, reported, if it reads no
 * array. */
cp_status collada_view_source(struct collada_document *document, uint32_t row, struct collada_view *view);
/* Does the same for the source of an input. CP_INPUT, reported, if there is none. */
cp_status collada_view_input(struct collada_document *document, const struct collada_input *input,
                             struct collada_view *view, uint32_t *source);

/* ---- geometry.c: readers of elements ---- */

cp_status collada_read_geometries(struct collada_document *document, void *into);  /* <library_geometries> */
cp_status collada_read_controllers(struct collada_document *document, void *into); /* <library_controllers> */

/* ---- primitives.c, holes.c: corners of faces ---- */

/* Corners as numbers of groups of indices in the text of their primitive, and where each face ends in them. */
struct collada_faces {
    struct collada_indices corners, ends;
};
/* The texts of a primitive, and how they name corners. All indices are there. */
struct collada_texts {
    struct collada_document *document;
    const struct collada_primitive *primitive;
    uint32_t stride; /* indices of a corner */
    uint32_t vertex; /* the offset of its position among them */
    struct collada_view positions;
};
/* Appends the faces or polylines of a primitive. */
cp_status collada_add_faces(const struct collada_texts *texts, struct collada_faces *faces);
/* Joins a polygon and its holes by bridges to one ring, which touches itself. corners: those of the outline, then of
 * each hole, with room for two more a hole; ends: of the outline and each hole, `count` in all, at least two.
 * *corner_count: of the ring. CP_NO if a hole is not inside the outline: *corner_count is then the outline's. */
cp_status collada_join_holes(const struct collada_texts *texts, uint32_t *corners, const uint32_t *ends, uint32_t count,
                             uint32_t *corner_count);

/* ---- meshes.c ---- */

/* Makes the shape of a geometry, unless it is made. */
cp_status collada_make_shape(struct collada_document *document, uint32_t geometry);
void collada_free_shape(struct collada *collada, struct collada_shape *shape);

/* ---- tree.c ---- */

cp_status collada_read_nodes(struct collada_document *document, void *into);  /* <library_nodes> */
cp_status collada_read_scenes(struct collada_document *document, void *into); /* <library_visual_scenes> */
/* Returns the pose of a transform, in the file's unit and axes. */
cp_pose collada_transform_pose(const struct collada_transform *transform);

/* ---- params.c, effects.c: readers of elements ---- */

cp_status collada_read_images(struct collada_document *document, void *into); /* <library_images> */
cp_status collada_read_image(struct collada_document *document, void *into);
cp_status collada_read_materials(struct collada_document *document, void *into); /* <library_materials> */
cp_status collada_read_effects(struct collada_document *document, void *into);   /* <library_effects> */
/* Reads the numbers of an element into a struct collada_param. */
cp_status collada_read_values(struct collada_document *document, void *into);
/* Reads a <newparam> or <setparam>, whose name is in the attribute. */
cp_status collada_read_param(struct collada_document *document, const char *attribute, enum collada_scope scope);
const char *collada_term_name(enum collada_term term);

/* ---- textures.c, materials.c, instances.c ---- */

/* Finds or adds the texture of a channel of an effect in the document; CP_NONE if its image is not known. */
cp_status collada_find_texture(struct collada_document *document, const struct collada_channel *channel,
                               uint32_t *texture);
/* Finds or makes the material of a group in an instance of the document, which binds its symbol by `binding` (NULL: it
 * does not). *target CP_NONE: it has none. */
cp_status collada_find_material(struct collada_document *document, const struct collada_binding *binding,
                                const struct collada_group *group, uint32_t *target);
/* Adds the meshes that an instance of a geometry or controller shows at a node of the scene. */
cp_status collada_show(struct collada_document *document, const struct collada_instance *instance, uint32_t target);

/* ---- archive.c ---- */

/* Opens the archive, and the document in it. */
cp_status collada_open_archive(struct collada *collada, const struct source *source, struct source **document);

/* ---- findings.c ---- */

/* Reports all that was counted. */
cp_status collada_report_findings(struct collada *collada);

/* ---- nodes.c ---- */

/* Returns a pose between two frames of the file as one between the scene's. */
cp_pose collada_turn(const struct collada *collada, const cp_pose *pose);
/* Makes the nodes of the scene, and what they show. */
cp_status collada_place_nodes(struct collada *collada);

#endif
