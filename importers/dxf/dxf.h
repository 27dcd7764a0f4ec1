/* The files of the DXF reader share these tables. A drawing is a list of blocks; block 0 is the model space. */
#ifndef CELLPIPE_IMPORTERS_DXF_DXF_H
#define CELLPIPE_IMPORTERS_DXF_DXF_H

#include "../mesh_file.h"
#include "model/model.h"

/* A value of text; size bytes without the blanks around it. */
struct dxf_text {
    const char *at;
    size_t size;
};

/* A group: a code and its value. */
struct dxf_group {
    int code;
    uint64_t line; /* of the code; in a binary file the byte where it begins, from 0 */
    struct dxf_text text;
    double number; /* used by binary files, if the code is one of numbers */
    bool is_number;
};

/* An entity's groups, as far as entities that are read have use for them. */
enum { DXF_CODES = 256 };
struct dxf_entity {
    uint64_t line;
    struct dxf_text type, layer, name, handle;
    double numbers[DXF_CODES]; /* indexed by code; 0 if it is missing */
    uint64_t has[DXF_CODES / 64];
    uint32_t true_colour, alpha; /* groups 420 and 440; CP_NONE: missing */
};

/* A number of an entity that repeats its codes. */
struct dxf_pair {
    int code;
    double number;
    uint64_t line;
};

struct dxf_layer {
    const char *name;
    uint32_t rgb;
    unsigned char alpha;
    bool is_off, is_frozen;
};

/* An entity says its layer and its colour. The layer is a row of `layers`; row 0 is layer "0", which in a block means
 * the layer of its insert. */
struct dxf_look {
    uint32_t layer;
    uint32_t colour; /* DXF_BY_LAYER, DXF_BY_BLOCK or 0xrrggbb */
    uint32_t alpha;  /* DXF_BY_LAYER, DXF_BY_BLOCK or 0..255 */
};
enum { DXF_BY_LAYER = 1 << 24, DXF_BY_BLOCK };

/* A look becomes this; the entities of a block take the same from their insert. */
struct dxf_paint {
    uint32_t layer, rgb, alpha;
};

/* Faces or polylines of a block: element i has the corners ends[i - 1] .. ends[i] - 1, which are rows of its places. */
enum dxf_kind { DXF_FACES, DXF_LINES, DXF_KINDS };
struct dxf_part {
    uint32_t *corners, *ends, *looks;
    uint32_t corner_count, corner_room, count, end_room, look_room;
};

/* A block in another one: columns x rows of them. */
struct dxf_insert {
    uint32_t block, look;
    uint64_t line;
    struct dxf_text handle;
    cp_pose frame; /* place, extrusion direction and rotation */
    double scale[3], spacing[2];
    uint32_t columns, rows;
};

/* Elements of one look, which follow one another in a mesh. */
struct dxf_run {
    uint32_t look, count;
};

/* A part of a block as a mesh without materials; those for several inserts share its arrays. */
struct dxf_shape {
    bool is_made;
    uint32_t uses;
    cp_mesh mesh;
    double origin[3];
    struct dxf_run *runs; /* in the reader's arena */
    uint32_t run_count;
};

enum dxf_state { DXF_NEW, DXF_OPEN, DXF_DONE };
struct dxf_block {
    struct dxf_text name;
    const char *text; /* the name as UTF-8; NULL: not yet asked for */
    bool is_defined, is_external;
    double base[3];
    double *places;
    uint32_t place_count, place_room;
    struct dxf_part parts[DXF_KINDS];
    struct dxf_insert *inserts;
    uint32_t insert_count, insert_room;
    bool inherits; /* some element takes its layer or colour from the insert */
    enum dxf_state state;
    bool is_drawn;            /* it or a block in it has elements */
    uint64_t node_count;      /* of the nodes below it */
    uint64_t wanted, line;    /* inserts of a block that is not there, and the first one's line */
    struct dxf_shape *shapes; /* 2 x DXF_KINDS, the second ones where layer "0" is hidden; NULL: it is not shown */
};

/* Things of a block that are not read. */
struct dxf_count {
    const char *code, *words;
    uint32_t block;
    uint64_t count, line;
};

struct dxf_vertex {
    double place[3];
    uint64_t line;
    uint32_t flags, look;
    double corners[4]; /* of a face of a polyface mesh */
};

struct dxf {
    cp_context *context;
    struct source *source;
    const struct mesh_file_settings *settings;
    cp_scene *scene;
    struct arena *arena;

    /* the text */
    const char *at, *end;
    uint64_t line;
    bool is_binary, has_wide_codes;
    bool in_section;
    struct dxf_group group;
    bool again; /* the group is to come once more */

    /* what it says */
    int unit;      /* $INSUNITS */
    bool is_latin; /* $DWGCODEPAGE names another code page than 1252; its names are read as Latin-1 */
    struct dxf_text code_page;
    struct name_map layer_names, block_names, look_names, count_names, material_names, mesh_names;
    struct dxf_layer *layers;
    uint32_t layer_count, layer_room;
    struct dxf_look *looks;
    uint32_t look_count, look_room, last_look;
    struct dxf_block *blocks;
    uint32_t block_count, block_room;
    uint32_t block; /* the one that is being read */
    struct dxf_count *counts;
    uint32_t count_count, count_room;
    struct dxf_entity entity;
    struct dxf_pair *pairs;
    uint32_t pair_count, pair_room;
    struct dxf_vertex *vertices;
    uint32_t vertex_count, vertex_room;
    uint32_t *list; /* corners of one element */
    uint32_t list_count, list_room;
    uint64_t odd_colours, bulges, thick, flat, turned;
    uint64_t misread; /* names in another code page */

    /* what becomes of it */
    uint32_t *marks;  /* indexed by look: its run, or CP_NONE */
    uint64_t hidden;  /* elements on layers that are off or frozen */
    uint64_t frozen;  /* inserts on frozen layers */
    uint64_t repeats; /* vertices and corners of shapes that are used with several materials */
    bool any;         /* there is a mesh */
};

/* ---- groups.c ---- */

/* Reports an error at a line (in a binary file, a byte) and returns CP_INPUT. */
cp_status dxf_error(const struct dxf *dxf, uint64_t line, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
struct place dxf_place(const struct dxf *dxf, uint64_t line);
/* Shows a value in a message: at most 32 bytes of it, as ASCII. */
struct dxf_shown {
    char text[33];
};
struct dxf_shown dxf_show(struct dxf_text text);
/* Tells whether the bytes begin a drawing in the binary form. */
bool dxf_is_binary(const char *head, size_t size);
/* Tells whether the bytes begin one as text. */
bool dxf_begins(const char *head, size_t size);
/* Reads the next group; CP_NO at the end of a file that is cut off. */
cp_status dxf_next(struct dxf *dxf);
bool dxf_is(const struct dxf_group *group, int code, const char *word);
bool dxf_text_is(struct dxf_text text, const char *word);
/* Reads the value of the current group as a finite number. */
cp_status dxf_number(const struct dxf *dxf, double *number);

/* ---- entities.c ---- */

/* Reads the groups up to the next one of code 0 into dxf->entity. keeps: numbers also go to dxf->pairs, in order. */
cp_status dxf_read_entity(struct dxf *dxf, bool keeps);
static inline bool dxf_has(const struct dxf_entity *entity, int code)
{
    return entity->has[code / 64] >> (code % 64) & 1;
}
/* Returns a number that should be a whole one, within -2^31 .. 2^31 - 1. */
int32_t dxf_integer(const struct dxf_entity *entity, int code, int32_t missing);
/* Returns the number as an integer; limits as above. */
int32_t dxf_to_integer(double number);
/* Reads the entity whose first group is the current one, into the open block. */
cp_status dxf_take_entity(struct dxf *dxf);
/* Counts something that is not read. words: a literal, or the type of an entity. */
cp_status dxf_count(struct dxf *dxf, const char *code, const char *words, size_t size, uint64_t line);
/* Computes the axes of the entity's extrusion direction. */
cp_pose dxf_extrusion(struct dxf *dxf, const struct dxf_entity *entity);
/* Adds a place to the open block. */
cp_status dxf_add_place(struct dxf *dxf, const double place[3], uint64_t line, uint32_t *row);
/* Adds dxf->list as an element of the open block. Faces that are edges become lines; what is less is counted. */
cp_status dxf_add_element(struct dxf *dxf, enum dxf_kind kind, uint32_t look, uint64_t line);
cp_status dxf_list_corner(struct dxf *dxf, uint32_t row);

/* ---- polylines.c ---- */

cp_status dxf_read_polyline(struct dxf *dxf);
cp_status dxf_read_light_polyline(struct dxf *dxf);
cp_status dxf_read_mesh(struct dxf *dxf);

/* ---- layers.c ---- */

cp_status dxf_find_layer(struct dxf *dxf, struct dxf_text name, uint32_t *layer);
/* Reads a layer's record of the table. */
cp_status dxf_read_layer(struct dxf *dxf);
/* Finds the look that the entity says, as a row of `looks`. */
cp_status dxf_find_look(struct dxf *dxf, const struct dxf_entity *entity, uint32_t *look);
struct dxf_paint dxf_resolve(const struct dxf *dxf, uint32_t look, const struct dxf_paint *inherited);
/* Finds or makes the material; CP_NONE when out of memory. */
uint32_t dxf_find_material(struct dxf *dxf, const struct dxf_paint *paint);

/* ---- names.c ---- */

/* Finds the number of a name, whatever its case; *added: it is new, and its number is `next`. NULL: out of memory. */
uint32_t *dxf_find_name(struct dxf *dxf, struct name_map *map, struct dxf_text name, uint32_t next, bool *added);
/* Returns the name as UTF-8 in the scene's memory. NULL when out of memory. */
const char *dxf_decode(struct dxf *dxf, struct dxf_text name);
/* Finds the block of that name, as a row of `blocks`. */
cp_status dxf_find_block(struct dxf *dxf, struct dxf_text name, uint32_t *block);
cp_status dxf_add_block(struct dxf *dxf, struct dxf_text name, uint32_t *block);

/* ---- shapes.c ---- */

/* Adds instances of the block's meshes to the node, in the colours that its insert gives. */
cp_status dxf_add_meshes(struct dxf *dxf, uint32_t block, const struct dxf_paint *inherited, uint32_t node);

/* ---- place.c ---- */

/* Makes the nodes of all that the model space shows. */
cp_status dxf_place_all(struct dxf *dxf);

#endif
