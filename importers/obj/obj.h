/* The declarations that the files of the OBJ importer share.
 *
 * The text is cut at line ends into parts. Several threads read these into batches, which are joined in order (file.c).
 * Lines that change the state (o, g, usemtl, mtllib) are kept as changes, and cut the faces into runs of one section
 * and one material (names.c). Each section becomes a node with a mesh (sections.c). */
#ifndef CELLPIPE_IMPORTERS_OBJ_OBJ_H
#define CELLPIPE_IMPORTERS_OBJ_OBJ_H

#include <string.h>

#include "../importers.h"
#include "../mesh_file.h"

/* ---- batches ---- */

/* A number of a vertex or normal counts from 0. In a batch it may be relative: to the first row of the batch, plus
 * OBJ_RELATIVE and OBJ_BIAS. */
#define OBJ_RELATIVE (UINT32_C(1) << 31)
#define OBJ_BIAS (UINT32_C(1) << 30)
#define OBJ_MOST_ROWS (UINT32_C(1) << 30)
#define OBJ_NO_NORMAL UINT32_MAX

/* References to normals, or to texture coordinates. */
struct obj_references {
    uint32_t *items; /* by corner; may be OBJ_NO_NORMAL */
    uint32_t count;  /* that of the corners in the file, or less before the first reference */
    uint32_t room;
    bool any;
};

/* Polygons or polylines, one after the other. */
struct obj_elements {
    uint32_t *vertices; /* by corner */
    struct obj_references normals, coordinates;
    uint32_t *ends; /* indexed by element: the number of corners up to its end */
    uint32_t corner_count, count;
    bool has_polygons; /* elements that are no triangles */
    uint32_t corner_room, room;
};

/* The farthest reference to a row, and its place in the text. */
struct obj_reach {
    uint32_t index;
    const char *at; /* NULL: there is none */
};

/* The arrays of numbers in a file. Colours are there for all vertices, or for none. */
enum obj_array { OBJ_POSITIONS, OBJ_NORMALS, OBJ_COORDINATES, OBJ_COLOURS, OBJ_ARRAYS };

/* The rows of such an array, and what corners refer to. */
struct obj_rows {
    float *items;
    uint32_t count, room;
    struct obj_reach highest; /* of the absolute references */
    struct obj_reach lowest;  /* the lowest of the relative ones, of a batch; as in the corners */
};
extern const uint32_t obj_widths[OBJ_ARRAYS]; /* numbers in a row */
void obj_free_rows(cp_context *context, struct obj_rows rows[OBJ_ARRAYS]);

enum obj_change_kind { OBJ_OBJECT, OBJ_GROUP, OBJ_MATERIAL, OBJ_LIBRARY, OBJ_UNKNOWN };

/* A line that changes the state, or one with an unknown keyword. */
struct obj_change {
    enum obj_change_kind kind;
    uint32_t size; /* of the name */
    const char *name;
    uint32_t faces, lines; /* before it */
};

/* The things that are counted for the report. */
enum obj_count {
    OBJ_POINTS,
    OBJ_SMALL_FACES, /* of fewer than three corners */
    OBJ_SHORT_LINES, /* of one corner */
    OBJ_SURFACES,    /* and curves */
    OBJ_TEXTURE_MAPS,
    OBJ_SMOOTHED,         /* smoothing groups */
    OBJ_WEIGHTS,          /* weights of vertices, that are not 1 */
    OBJ_EXTRA_VALUES,     /* vertices with more numbers than 7 */
    OBJ_BAD_COLOURS,      /* of vertices: no finite numbers */
    OBJ_BAD_NORMALS,      /* no three finite numbers */
    OBJ_LOST_NORMALS,     /* references to normals that are not there */
    OBJ_BAD_COORDINATES,  /* coordinates of textures that are not two finite numbers */
    OBJ_LOST_COORDINATES, /* references to those that are not there */
    OBJ_TWICE_DEFINED,    /* materials */
    OBJ_COUNTS
};

enum obj_stop { OBJ_AT_LIMIT, OBJ_FULL, OBJ_FAULT };

struct obj_batch {
    struct obj_rows rows[OBJ_ARRAYS];
    double *places; /* NULL, or the caller's: positions as the text has them */
    bool has_colours, has_relative;
    float largest_colour;
    struct obj_elements faces, lines;
    struct obj_change *changes;
    uint32_t change_count, change_room;
    uint64_t counts[OBJ_COUNTS];
    enum obj_stop stop;
    const char *at;    /* the first line that is not in it */
    const char *fault; /* what cannot be read */
    const char *code, *expected;
};

/* parse.c: reads lines from batch->at on, up to limit, into a batch that obj_begin_batch made room in for that. The
 * text ends in a NUL, and has none in it. */
void obj_read_batch(struct obj_batch *batch, const char *limit, const char *end);
bool obj_begin_batch(cp_context *context, struct obj_batch *batch, size_t text_size);
void obj_free_batch(cp_context *context, struct obj_batch *batch);
void obj_free_elements(cp_context *context, struct obj_elements *elements);

/* Tells whether the character separates words in a line. */
static inline bool obj_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static inline bool obj_ends_line(char c)
{
    return c == '\n' || c == '\r' || c == '\0';
}

/* Returns the line's end from `at` on. */
static inline const char *obj_line_end(const char *at)
{
    while (!obj_ends_line(*at))
        at++;
    return at;
}

static inline const char *obj_skip_blanks(const char *at)
{
    while (obj_is_blank(*at))
        at++;
    return at;
}

/* Tells whether the characters are a word. */
static inline bool obj_is_word(const char *at, size_t size, const char *word)
{
    return strlen(word) == size && memcmp(at, word, size) == 0;
}

/* Returns the rest of the line without the blanks around it. */
const char *obj_rest_of_line(const char *at, uint32_t *size);

/* Returns how many zero bytes, perhaps with blanks and Ctrl-Z between, fill the text from `zero` on; 0 if anything else
 * is there, if there are more than fill a block of a transfer protocol, or if several follow a line that has no end. */
size_t obj_trailing_fill(const char *text, const char *zero, const char *end);

/* ---- the file ---- */

/* Consecutive elements of one section and material. */
struct obj_run {
    uint32_t first, count;
    uint32_t material; /* of obj_names, or CP_NONE */
    uint32_t next;     /* of the section, or CP_NONE */
};

struct obj_runs {
    struct obj_run *items;
    uint32_t count, room;
    uint32_t begin; /* the first element that is in no run yet */
};

enum obj_list { OBJ_FACES, OBJ_LINES, OBJ_LISTS };

/* An object, or a group of one. */
struct obj_section {
    const char *name;
    uint32_t size;
    uint32_t group;                             /* the first one of an object, the next one of a group; or CP_NONE */
    uint32_t last_group, next_object;           /* of an object */
    uint32_t first[OBJ_LISTS], last[OBJ_LISTS]; /* runs; or CP_NONE */
};

/* A name after usemtl. */
struct obj_material {
    const char *name;
    const char *at; /* the place of its first use */
    uint32_t added; /* the scene's, or CP_NONE */
};

/* The text, and how its reading goes: what every step needs. */
struct obj_reader {
    cp_context *context;
    const struct source *source;
    const char *end; /* of the text */
    const struct mesh_file_settings *settings;
    struct arena *arena; /* of names and keys */
    uint64_t counts[OBJ_COUNTS];
};

/* The batches' vertices, joined. */
struct obj_vertices {
    struct obj_rows rows[OBJ_ARRAYS];
    double *places; /* positions as the text has them; NULL unless a mesh is far from the origin */
    float largest_colour;
};

/* Sections and materials by name, and the runs of elements that belong to them. */
struct obj_names {
    struct obj_runs runs[OBJ_LISTS];
    struct obj_section *sections; /* the first one is that of the file: no object, no group */
    uint32_t section_count, section_room;
    struct name_map section_names; /* object's number, group's name */
    uint32_t object, section;      /* at work */
    uint32_t last_object;
    struct obj_material *materials;
    uint32_t material_count, material_room;
    struct name_map material_names;
    uint32_t material;
};

struct obj_libraries {
    struct name_map read;
    struct name_map defined;  /* materials, by name: the scene's */
    struct name_map textures; /* the scene's, by path and wrapping */
    bool has_missing;
};

/* obj.c: reads the text again for the places of the vertices. */
cp_status obj_read_places(const struct obj_reader *reader, struct obj_vertices *vertices);

/* names.c */
bool obj_start_names(struct obj_reader *reader, struct obj_names *names);
void obj_free_names(cp_context *context, struct obj_names *names);
/* Takes a change at the element before which it stands. */
cp_status obj_change(struct obj_reader *reader, cp_scene *scene, struct obj_names *names,
                     struct obj_libraries *libraries, const struct obj_change *change,
                     const uint32_t before[OBJ_LISTS]);
/* Ends the last runs. */
cp_status obj_end_runs(const struct obj_reader *reader, struct obj_names *names, const uint32_t before[OBJ_LISTS]);

/* materials.c: reads the libraries that the line names. */
cp_status obj_read_library(struct obj_reader *reader, cp_scene *scene, struct obj_libraries *libraries,
                           const struct obj_change *change);
/* Finds the materials that are used in the libraries. */
cp_status obj_find_materials(const struct obj_reader *reader, struct obj_names *names,
                             const struct obj_libraries *libraries);

/* The copies of materials for faces without texture coordinates. */
struct obj_bare {
    cp_context *context;
    uint32_t *copies; /* indexed by material of the libraries, or CP_NONE; NULL: none yet */
    uint32_t count;
    uint64_t faces; /* how many have one */
};

/* bare.c: gives faces without coordinates a material without images. `coordinates` is indexed by corner. */
cp_status obj_part_bare(struct obj_bare *bare, cp_scene *scene, const uint32_t *coordinates, cp_mesh *mesh);
/* Reports the loss, and frees the memory. */
void obj_report_bare(const struct obj_reader *reader, struct obj_bare *bare);

/* sections.c: nodes, meshes and instances. */
cp_status obj_add_sections(const struct obj_reader *reader, cp_scene *scene, struct obj_vertices *vertices,
                           struct obj_elements elements[OBJ_LISTS], const struct obj_names *names);

/* Returns a place for messages. */
static inline struct place obj_place(const struct obj_reader *reader, const char *at)
{
    return AT_LINE(reader->source->name, source_line(reader->source, (size_t)(at - reader->source->data)));
}

#endif
