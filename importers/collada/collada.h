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
    bool keeps_clear; /* an alpha of exactly 0 is meant */
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
    uint32_t columns[COLLADA_COLUMNS], column_count; /* where the first params of an element are: offsets in it */
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
    bool two_sided; /* says an extra */
    uint32_t first_source, source_count;
    uint32_t first_input, input_count; /* of <vertices> */
    uint32_t first_primitive, primitive_count;
    struct collada_shape *shape; /* made by meshes.c when a node first shows it */
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
/* A newparam of an effect, or a setparam of a material. */
struct collada_param {
    const char *sid;
    enum collada_param_kind kind;
    enum collada_scope scope;
    double numbers[4];
    uint32_t count;                         /* of numbers */
    const char *reads;                      /* a surface: the id of an image; a sampler: the sid of a surface */
    const char *image;                      /* a sampler of 1.5: the url of its instance_image */
    const char *wrap[2], *minify, *magnify; /* words of a sampler, or NULL */
};

enum collada_channel_kind { COLLADA_NOTHING, COLLADA_COLOUR, COLLADA_TEXTURE, COLLADA_PARAM };
struct collada_channel {
    enum collada_channel_kind kind;
    double rgba[4];   /* a number has the first alone */
    const char *name; /* a texture's, or a param's */
    const char *texcoord;
    double repeat[2], offset[2]; /* extras of Maya and 3ds Max; 0 0: none */
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
    const char *id, *name;
    uint64_t line;
    bool has_common, is_constant, two_sided;
    enum collada_opaque opaque;
    uint32_t first_param, param_count;
    uint32_t bumps; /* bump textures in extras */
    struct collada_channel terms[COLLADA_TERMS];
};
struct collada_material {
    const char *id, *name, *effect;
    uint64_t line;
    uint32_t first_param, param_count;
    uint32_t targets[2]; /* the scene's materials for both sets of coordinates; CP_NONE: not yet made */
};
struct collada_image {
    const char *id, *path; /* path "": none */
    uint64_t line;
    uint32_t target; /* the scene's image; CP_NONE: not yet read */
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
    uint32_t next;      /* of the node, in the order of the document; CP_NONE: the last */
    double numbers[16]; /* as the file has them: rows of a matrix; x y z and degrees of a rotate */
};

/* Shows a geometry, a controller or a node. */
enum collada_instance_kind { COLLADA_SHOW_GEOMETRY, COLLADA_SHOW_CONTROLLER, COLLADA_SHOW_NODE };
struct collada_instance {
    enum collada_instance_kind kind;
    const char *url;
    uint64_t line;
    uint32_t next; /* of the node; CP_NONE: the last */
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
    struct source *source;                            /* as it was opened; its name is that in messages */
    struct source text;                               /* the part of it that is XML */
    struct xml xml;                                   /* while it is read */
    struct name_map ids[COLLADA_KINDS], mesh_sources; /* mesh_sources: of the mesh that is read */
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
    uint64_t same_ids, commas, short_arrays, short_accessors;
};

/* What is met again and again and told once, at the end: warnings and losses with their counts. */
enum collada_finding { COLLADA_TOLD_CAMERAS, COLLADA_TOLD_LIGHTS, COLLADA_TOLD_FINDINGS };

struct collada {
    cp_context *context;
    const struct collada_settings *settings;
    cp_scene *scene;
    struct arena *arena; /* texts and small rows of the documents */
    struct collada_document **documents;
    uint32_t document_count, document_room;
    struct name_map known;   /* further files by their names, to documents */
    struct name_map missing; /* files that are not there */
    cp_pose turn, turn_back; /* the file's axes to Z up, and back */
    double unit;
    struct collada_place *places;
    uint32_t place_count, place_room;
    uint64_t counts[COLLADA_TOLD_FINDINGS];
};

/* ---- document.c ---- */

/* Reads an element that has just started; `into` is what its parent's reader handed on. It need not go to the element's
 * end. */
typedef cp_status collada_reader(struct collada_document *document, void *into);
struct collada_element {
    const char *name; /* NULL ends a table */
    collada_reader *read;
};

/* Reads the document of a source, which belongs to it from now on, unless it is the first one. */
cp_status collada_open(struct collada *collada, struct source *source, struct collada_document **opened);
void collada_close(struct collada_document *document);
/* Reads the children of the open element by the table; others are passed over. */
cp_status collada_read_children(struct collada_document *document, const struct collada_element *elements, void *into);
/* Adds a row that is all zero, and returns it; NULL when out of memory. rows and the rest: members of the document. */
void *collada_add_row(struct collada_document *document, void *rows, uint32_t *room, uint32_t *count, size_t size);
/* Appends the row `number` to a linked list. next: the place of `next` in the last row of the list, or NULL if it is
 * empty. */
void collada_link(struct collada_list *list, uint32_t number, uint32_t *next);
/* Returns a copy of an attribute of the open element, without blanks around it; "" when there is none, NULL when out of
 * memory. */
const char *collada_attribute(struct collada_document *document, const char *name);
/* Returns a copy of the text of the open element, in the same way. */
const char *collada_text(struct collada_document *document);
/* Reads a whole number of an attribute, below 2^31; `missing` when there is none. */
cp_status collada_whole(struct collada_document *document, const char *name, uint32_t missing, uint32_t *number);
/* Notes the id of a row; an id that another row of the kind has already stays with that one. */
cp_status collada_note_id(struct collada_document *document, enum collada_kind kind, const char *id, uint32_t row);
/* Reports an error at the line, with code "collada-...". */
cp_status collada_error(const struct collada_document *document, const char *code, uint64_t line, const char *format,
                        ...) __attribute__((format(printf, 4, 5)));
/* Follows a reference. *row CP_NONE: there is none, which is not yet reported. Otherwise *owner is its document. */
cp_status collada_find(struct collada_document *document, enum collada_kind kind, const char *reference,
                       struct collada_document **owner, uint32_t *row);

/* ---- numbers.c: lists of numbers, converted as the text comes ---- */

/* Appends the numbers in the text of the open element, and goes to its end. What is written like a number and is none
 * ("NaN", "-1.#IND") becomes NaN. */
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
                             struct collada_view *view);

/* ---- geometry.c: readers of elements ---- */

cp_status collada_read_geometries(struct collada_document *document, void *into);  /* <library_geometries> */
cp_status collada_read_controllers(struct collada_document *document, void *into); /* <library_controllers> */

/* ---- tree.c ---- */

cp_status collada_read_nodes(struct collada_document *document, void *into);  /* <library_nodes> */
cp_status collada_read_scenes(struct collada_document *document, void *into); /* <library_visual_scenes> */
/* Returns the pose of a transform, in the file's unit and axes. */
cp_pose collada_transform_pose(const struct collada_transform *transform);
/* Returns the product of all transforms of a node, in the same. */
cp_pose collada_node_pose(const struct collada_document *document, const struct collada_node *node);

/* ---- nodes.c ---- */

/* Returns a pose between two frames of the file as one between the scene's. */
cp_pose collada_turn(const struct collada *collada, const cp_pose *pose);
/* Makes the nodes of the scene, and what they show. */
cp_status collada_place_nodes(struct collada *collada);

#endif
