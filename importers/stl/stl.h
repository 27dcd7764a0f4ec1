/* The inside of the STL importer: what its two readers share. */
#ifndef CELLPIPE_STL_H
#define CELLPIPE_STL_H

#include "../importers.h"

#include <string.h>

enum { STL_HEADER_SIZE = 84, STL_FACET_SIZE = 50 };

struct stl_settings {
    struct import_settings import;
    double unit; /* metres per unit of the file */
    int up;      /* cp_up */
};

/* The solid being read, in the context's memory and used again for the next one. */
struct stl_solid {
    float *corners; /* three coordinates each, facet by facet */
    uint32_t corner_count, corner_room;
    uint32_t *ends; /* for each facet the number of corners up to its end; unused while all are triangles */
    uint32_t end_room;
    bool has_polygons;
    uint32_t facet_count;
    cp_group *groups; /* in the scene's memory */
    uint32_t group_count;
};

struct stl_reader {
    cp_context *context;
    const struct source *source;
    cp_scene *scene;
    const struct stl_settings *settings;
    struct stl_solid solid;
    /* of all solids together, for the report */
    uint64_t facets, degenerate, opposed, without_normal, polygons;
};

/* Makes room for more corners of the solid. */
bool stl_reserve_corners(struct stl_reader *reader, uint64_t more);
/* Takes the corners from `first` on as a facet. normal: as in the file, or NULL. */
bool stl_add_facet(struct stl_reader *reader, uint32_t first, const float *normal);
/* Adds the solid as a node with a mesh and begins a new one. name: size bytes; size 0: the file's stem. */
cp_status stl_add_solid(struct stl_reader *reader, const char *name, size_t size);

/* The file begins with "solid" (after blanks or a byte order mark): what follows the word, or NULL. */
const char *stl_after_solid(const char *text, const char *end);
/* text begins with the lower-case word, in any case, and a blank or the end after it. */
bool stl_begins_with(const char *text, const char *end, const char *word);
/* The first size bytes begin an ASCII file. */
bool stl_is_ascii(const char *head, size_t size, uint64_t file_size);
/* The file's size is what its facet count says. */
bool stl_is_exact_binary(const char *head, size_t size, uint64_t file_size);
/* All whole facets of the head have finite corners and unit or zero normals. */
bool stl_has_plausible_facets(const char *head, size_t size);

cp_status stl_read_ascii(struct stl_reader *reader);
cp_status stl_read_binary(struct stl_reader *reader);

/* Little-endian values at any address. */
static inline uint32_t stl_integer(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline float stl_number(const char *bytes)
{
    uint32_t bits = stl_integer(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline bool stl_is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

#endif
