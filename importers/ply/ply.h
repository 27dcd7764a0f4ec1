/* The declarations of the PLY importer: a header, and the rows of its elements as text or binary. */
#ifndef CELLPIPE_IMPORTERS_PLY_PLY_H
#define CELLPIPE_IMPORTERS_PLY_PLY_H

#include "../faces.h"

enum { PLY_MOST_ELEMENTS = 32, PLY_MOST_PROPERTIES = 256 };

/* Bytes of the file. */
struct ply_word {
    const char *text;
    size_t size;
};

enum ply_type { PLY_NO_TYPE, PLY_INT8, PLY_UINT8, PLY_INT16, PLY_UINT16, PLY_INT32, PLY_UINT32, PLY_FLOAT, PLY_DOUBLE };

/* The role of a property in its row. */
enum ply_role {
    PLY_OTHER,
    PLY_X,
    PLY_Y,
    PLY_Z,
    PLY_NX,
    PLY_NY,
    PLY_NZ,
    PLY_RED,
    PLY_GREEN,
    PLY_BLUE,
    PLY_ALPHA,
    PLY_INDICES,
    PLY_ROLES
};

enum ply_kind { PLY_UNKNOWN, PLY_VERTICES, PLY_FACES, PLY_STRIPS };

struct ply_property {
    struct ply_word name;
    enum ply_type length, type; /* length: of a list's count; PLY_NO_TYPE: no list */
    enum ply_role role;
};

struct ply_element {
    struct ply_word name;
    enum ply_kind kind;
    uint32_t count;
    uint32_t property_count;
    struct ply_property *properties;
    enum ply_type types[PLY_ROLES]; /* types of its roles; PLY_NO_TYPE: it has no such property */
};

enum ply_form { PLY_NO_FORM, PLY_ASCII, PLY_LITTLE_ENDIAN, PLY_BIG_ENDIAN };

enum ply_end {
    PLY_READ,
    PLY_CUT,   /* the file ends in the row */
    PLY_BROKEN /* an error, which is in ply->status */
};

struct ply {
    struct face_reader faces;
    const char *at, *end;
    enum ply_form form;
    bool strict;
    bool in_double; /* text is read in double precision */
    struct ply_element elements[PLY_MOST_ELEMENTS];
    struct ply_property properties[PLY_MOST_PROPERTIES];
    uint32_t element_count, property_count;
    struct ply_word comment; /* the first one */
    uint32_t comments, textures;
    /* The row being read. */
    double values[PLY_ROLES];
    uint32_t *indices;
    uint32_t index_count, index_room;
    uint64_t long_lines; /* lines of text that hold more values than the header says */
    cp_status status;
};

/* Bytes of a value. */
static inline uint32_t ply_size(enum ply_type type)
{
    static const unsigned char sizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 8};
    return sizes[type];
}

/* header.c: reads the header; ply->at is at the first byte after it. */
cp_status ply_read_header(struct ply *ply);

/* ascii.c, binary.c: read a row's values, and its indices. */
enum ply_end ply_read_text_row(struct ply *ply, const struct ply_element *element);
enum ply_end ply_read_binary_row(struct ply *ply, const struct ply_element *element);
/* Read the first rows of vertices and of faces in common layouts; *row is the number of the next one, 0 in other
 * layouts. */
enum ply_end ply_read_vertices(struct ply *ply, const struct ply_element *element, uint32_t *row);
enum ply_end ply_read_faces(struct ply *ply, const struct ply_element *element, uint32_t *row);
/* Returns the least number of bytes that a row takes. */
uint64_t ply_least_size(const struct ply *ply, const struct ply_element *element);

/* ply.c: makes room for so many indices. */
bool ply_reserve_indices(struct ply *ply, uint32_t count);

#endif
