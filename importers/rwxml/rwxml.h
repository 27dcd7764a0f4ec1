/* The reader of RobWork's XML. rwxml.c tells the story; a file each is for the document with its includes, frames and
 * devices as rows, models, the scene made of the rows, loops, and the setups of collisions. */
#ifndef CELLPIPE_IMPORTERS_RWXML_RWXML_H
#define CELLPIPE_IMPORTERS_RWXML_RWXML_H

#include "../robwork/robwork.h"
#include "base/bytes/bytes.h"
#include "base/text/xml_tree.h"
#include "plugins/importer.h"

struct rwxml_settings {
    struct import_settings common;
    bool loops; /* legs of parallel devices are closed */
};

enum rwxml_kind { RWXML_FIXED, RWXML_MOVABLE, RWXML_END, RWXML_REVOLUTE, RWXML_PRISMATIC };
enum rwxml_device_kind { RWXML_SERIAL, RWXML_TREE, RWXML_PARALLEL, RWXML_MOBILE };

/* A frame, with its joint if it has one: the joint moves what is behind the pose. */
struct rwxml_frame {
    const char *name;  /* with its scopes: "Hand.f1.Joint2" */
    const char *local; /* the name without that of the device: "f1.Joint2" */
    const char *scope; /* the scope of its name, with the dot: "Hand.f1." */
    const struct xml_node *element;
    enum rwxml_kind kind;
    bool active, attachable;
    cp_pose pose;
    double lower, upper, velocity, acceleration;
    const char *above; /* the name of its parent; NULL: `parent` is known */
    uint32_t parent;   /* a row; CP_NONE: the world */
    uint32_t device;   /* CP_NONE: the cell's own */
    const struct xml_node *depend;
    uint32_t master; /* a row; CP_NONE: none */
    double gain, offset;
    enum { RWXML_NEW, RWXML_OPEN, RWXML_DONE } state, dependence;
    uint32_t first_model, last_model; /* rows; CP_NONE: none */
    uint32_t node, joint;
};

/* A device; its frames are rows one after the other, since devices do not nest. */
struct rwxml_device {
    const char *name, *prefix; /* "Hand" and "Hand." */
    const struct xml_node *element;
    enum rwxml_device_kind kind;
    uint32_t first, count; /* its frames */
    uint32_t row;          /* in the scene */
};

/* An element that concerns something which may come later. */
struct rwxml_later {
    const struct xml_node *element;
    const char *name;  /* the name of the frame, with its scopes; NULL: none is named */
    const char *scope; /* with the dot */
    uint32_t device;   /* CP_NONE: of the cell */
};

struct rwxml_model {
    const struct xml_node *element;
    uint32_t next; /* the next model of the same frame, or CP_NONE */
};

/* Rows that grow. */
struct rwxml_list {
    struct rwxml_later *items;
    uint32_t count, room;
};

/* The elements of the file, and of those that it includes. */
struct rwxml_document {
    struct xml_node *root; /* holds the top elements of all files */
    struct source **sources;
    uint32_t source_count, source_room;
    struct name_map files; /* names of files, as elements have them, to sources */
    uint64_t element_count;
};

struct rwxml {
    cp_context *context;
    struct source *source;
    const struct rwxml_settings *settings;
    cp_scene *scene;
    struct arena *arena;
    struct rwxml_document document;
    struct rwxml_frame *frames;
    struct rwxml_device *devices;
    struct rwxml_model *placed;
    uint32_t frame_count, frame_room, device_count, device_room, placed_count, placed_room;
    struct name_map names; /* of frames, to rows */
    struct name_map device_names;
    uint32_t last_frame; /* the last one of the cell itself, or CP_NONE */
    struct rwxml_list limits, models, configurations, junctions, setups, properties;
    struct models files_of_models;
    struct name_map primitives;
    struct name_map nodes; /* names of frames to nodes */
};

/* ---- document.c ---- */

/* Reads the file and all that it includes into rwxml->document.root. */
cp_status rwxml_read_document(struct rwxml *rwxml);
/* Replaces rwxml->document.root by what the file has that an element <Include> names. */
cp_status rwxml_include(struct rwxml *rwxml, const struct xml_node *element);
/* Opens a file that an element names; the folder is that of the file in which the element was written. CP_NO,
 * unreported, if there is none. */
cp_status rwxml_open(struct rwxml *rwxml, const struct xml_node *element, const char *name, struct source **opened);
/* Returns the source of the file in which an element was written. */
const struct source *rwxml_source_of(const struct rwxml *rwxml, const struct xml_node *element);

/* ---- values.c ---- */

static inline bool rwxml_is(const struct xml_node *element, const char *name)
{
    return strcmp(element->name, name) == 0;
}
/* Tells whether the element has one of the names, which NULL ends. */
bool rwxml_is_one_of(const struct xml_node *element, const char *const *names);
/* The elements of a pose, the limits of a joint, and the models of a frame. */
extern const char *const rwxml_poses[], *const rwxml_limits[], *const rwxml_models[];
/* Returns the text inside an element, without blanks around it; NULL when out of memory. */
const char *rwxml_text(struct rwxml *rwxml, const struct xml_node *element);
/* Returns an attribute that must be there; NULL after an error. */
const char *rwxml_attribute(struct rwxml *rwxml, const struct xml_node *element, const char *name);
/* Reads an attribute of one number. */
cp_status rwxml_number(struct rwxml *rwxml, const struct xml_node *element, const char *name, double *number);
/* Reads the numbers in the text of an element: *numbers, in the arena. */
cp_status rwxml_numbers(struct rwxml *rwxml, const struct xml_node *element, double **numbers, uint32_t *count);
/* Reads the pose of an element by its RPY and Pos, or Transform; the identity if there is none. */
cp_status rwxml_pose(struct rwxml *rwxml, const struct xml_node *element, cp_pose *pose);
/* Reads a joint by Denavit and Hartenberg's numbers. */
cp_status rwxml_joint_pose(struct rwxml *rwxml, const struct xml_node *element, struct rwxml_frame *frame);
/* Reports an element that means nothing here. */
void rwxml_lose(struct rwxml *rwxml, const struct xml_node *element);
/* Reports what breaks a rule but can be read. */
cp_status rwxml_lenient(struct rwxml *rwxml, const char *code, const struct xml_node *element, const char *format,
                        const char *word);

/* ---- frames.c, devices.c ---- */

/* Adds a row for a frame or joint; its parent is the caller's. name: without the scope. */
cp_status rwxml_add_frame(struct rwxml *rwxml, const struct xml_node *element, const char *scope, uint32_t device,
                          uint32_t *row);
/* Takes a limit of a joint. */
cp_status rwxml_take_limit(struct rwxml *rwxml, const struct xml_node *element, struct rwxml_frame *frame);
cp_status rwxml_keep(struct rwxml *rwxml, struct rwxml_list *list, const struct rwxml_later *later);
/* Adds a model to a frame's. */
cp_status rwxml_add_model(struct rwxml *rwxml, const struct xml_node *element, uint32_t frame);
/* Reads all rows of the cell or device. */
cp_status rwxml_read_rows(struct rwxml *rwxml, const struct xml_node *top);
/* Finds the parents and masters of frames. */
cp_status rwxml_resolve(struct rwxml *rwxml);

/* ---- build.c, geometry.c, closing.c ---- */

/* Makes nodes, joints and instances of the frames. */
cp_status rwxml_build(struct rwxml *rwxml);
/* Places the models of a frame, whose node is the last one made. */
cp_status rwxml_place_models(struct rwxml *rwxml, const struct rwxml_frame *frame);
/* Tells whether the file gives a frame a model for collisions, which may be missing. */
bool rwxml_collides(const struct rwxml *rwxml, const struct rwxml_frame *frame);
/* Makes the devices, with their ends, joints and homes. */
cp_status rwxml_add_devices(struct rwxml *rwxml);
/* Makes loops where legs of parallel devices meet. */
cp_status rwxml_close_legs(struct rwxml *rwxml);

/* ---- setups.c, pattern.c ---- */

/* Reads all setups of collisions, and adds their pairs; or those that RobWork leaves out where there is no setup. */
cp_status rwxml_apply_setups(struct rwxml *rwxml);

/* A pattern of names, compiled. */
struct rwxml_pattern;
/* Tells whether the pattern is a regular expression: it has the sign REGEX, and something behind it. */
bool rwxml_is_expression(const char *text);
/* Compiles a pattern: * and ? stand for any characters, and REGEX begins a regular expression. *pattern is NULL if it
 * is wrong, or has what is not read. CP_LIMIT when out of memory. */
cp_status rwxml_compile(struct arena *arena, const char *text, struct rwxml_pattern **pattern);
/* Tells whether the whole name fits; in time proportional to both lengths. */
bool rwxml_fits(const struct rwxml_pattern *pattern, const char *name);

#endif
