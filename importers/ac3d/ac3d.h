/* The declarations that the files of the AC3D importer share. */
#ifndef CELLPIPE_IMPORTERS_AC3D_AC3D_H
#define CELLPIPE_IMPORTERS_AC3D_AC3D_H

#include "../mesh_file.h"
#include "base/text/text.h"
#include "model/model.h"

/* The kinds of findings that are counted, and reported once at the end. */
enum ac3d_loss {
    AC3D_LIGHTS,
    AC3D_HIDDEN,
    AC3D_ROUNDED,
    AC3D_FLAT,
    AC3D_EDGES,
    AC3D_POINTS,
    AC3D_OUTSIDE,
    AC3D_COLOURLESS,
    AC3D_LAYERS,
    AC3D_UNKNOWN,
    AC3D_OPEN, /* texts without a closing quote */
    AC3D_MORE, /* vertices with further words in their line */
    AC3D_COUNTS
};

/* A material of the file's palette, and those of the scene that are made of it when surfaces use them. */
struct ac3d_material {
    const char *name;
    uint64_t line;
    double rgb[3], ambient[3], emission[3], specular[3], shininess, transparency;
    uint32_t made[2]; /* the ones without a texture, seen from one side and from both; CP_NONE: not made so far */
};

/* The reader. A line is [at, line_end) without its end; `next` is behind that. */
struct ac3d {
    cp_context *context;
    struct source *source;
    cp_scene *scene;
    const struct mesh_file_settings *settings;
    const char *at, *line_end, *next, *end;
    uint64_t line, next_line; /* the numbers of the line, and of the one that `next` is in */
    bool cut;                 /* the file ends too early, which is reported; what was read is kept */
    struct ac3d_material *materials;
    uint32_t material_count, material_room;
    struct arena *arena;      /* memory of names and keys */
    struct name_map textured; /* materials with textures, by number, sides and place of the texture */
    struct name_map images;   /* paths to the scene's images */
    struct {
        uint64_t count;
        uint64_t first; /* the line */
    } counts[AC3D_COUNTS];
    uint64_t vertices; /* of all objects */
    uint32_t *corners; /* the vertices of the present surface, and their coordinates in the texture */
    float (*places)[2];
    uint32_t corner_room, place_room;
};

/* The texture of an object: its path, and where it lies. */
struct ac3d_texture {
    const char *path; /* NULL: none */
    double repeat[2], offset[2];
};

/* The faces or the lines of an object. */
struct ac3d_elements {
    uint32_t *corners;   /* vertices of the object */
    float (*places)[2];  /* texture coordinates of the corners as in the file; NULL without a texture */
    uint32_t *ends;      /* the corner behind the last one of each element */
    uint32_t *materials; /* the material of the scene that each element has, or CP_NONE */
    uint32_t corner_count, corner_room, place_room, count, end_room, material_room;
};

/* An object up to its line "kids". */
struct ac3d_object {
    uint64_t line;
    bool is_world, is_light;
    bool has_vertices, has_surfaces; /* their line has come */
    const char *name;                /* NULL: none */
    double rotation[9], place[3];
    bool has_place; /* one of the two is not neutral */
    double crease;  /* radians; below 0: none is given */
    struct ac3d_texture texture;
    const char *data, *url; /* NULL: none */
    double (*vertices)[3];
    float (*normals)[3]; /* NULL unless each vertex has one */
    uint32_t vertex_count, vertex_room, normal_room;
    struct ac3d_elements faces, lines;
    uint64_t shaded; /* of the faces */
};

/* Counts what is reported at the end, with the line of the first. */
void ac3d_count(struct ac3d *reader, enum ac3d_loss what, uint64_t count, uint64_t line);

/* ---- lines.c ---- */

/* Goes to the next line that is not blank. False at the end of the text. */
bool ac3d_next_line(struct ac3d *reader);
/* Skips so many bytes behind the line. */
void ac3d_skip(struct ac3d *reader, size_t size);
/* Skips blanks, and the word if it is there. */
bool ac3d_accept(struct ac3d *reader, const char *word);
/* Reads up to `count` numbers. Returns how many there are; those behind them stay. */
int ac3d_numbers(struct ac3d *reader, double *numbers, int count);
/* Does the same, and reports the error "expected WHAT" unless there are all. */
cp_status ac3d_expect_numbers(struct ac3d *reader, double *numbers, int count, const char *what);
/* Tells whether nothing follows in the line. */
bool ac3d_line_ends(struct ac3d *reader);
/* Refuses numbers of the line that a float would not hold, or whose difference it would not. */
cp_status ac3d_check_floats(struct ac3d *reader, const double *numbers, int count);
/* Reads a whole number from 0 on; `what` is for the message. */
cp_status ac3d_expect_count(struct ac3d *reader, uint32_t *count, const char *what);
/* Checks that the rest of the file can hold so many things of so many bytes at least. If not, that is an error, or with
 * partial=yes *count becomes as many as it can hold. */
cp_status ac3d_check_count(struct ac3d *reader, uint32_t *count, size_t bytes, const char *what);
/* Returns a text in quotes in the reader's memory; without quotes the next word, or the rest of the line. NULL when out
 * of memory. */
const char *ac3d_text(struct ac3d *reader, bool is_word);
/* Copies the beginning of the next word, for a message. */
void ac3d_word(struct ac3d *reader, char word[33]);
/* Reports that something else is expected at the present place. */
cp_status ac3d_fail(struct ac3d *reader, const char *expected);
/* Reports that the file ends early; with partial=yes CP_OK, and reader->cut. */
cp_status ac3d_ends_early(struct ac3d *reader, const char *expected);
static inline struct place ac3d_place(const struct ac3d *reader)
{
    return AT_LINE(reader->source->name, reader->line);
}

/* ---- materials.c ---- */

/* Reads what follows the word MATERIAL, on its line, or MAT, on the lines up to ENDMAT. */
cp_status ac3d_read_material(struct ac3d *reader, bool spread);
/* Finds or makes the scene's material for a surface. `number`: that of the file. */
cp_status ac3d_find_material(struct ac3d *reader, uint32_t number, bool two_sided, const struct ac3d_texture *texture,
                             uint32_t *material);

/* ---- surfaces.c ---- */

cp_status ac3d_read_vertices(struct ac3d *reader, struct ac3d_object *object);
cp_status ac3d_read_surfaces(struct ac3d *reader, struct ac3d_object *object);

/* ---- meshes.c ---- */

/* Adds the object's meshes and shows them at the node. */
cp_status ac3d_add_meshes(struct ac3d *reader, struct ac3d_object *object, uint32_t node);
void ac3d_free_elements(struct ac3d *reader, struct ac3d_elements *elements);

#endif
