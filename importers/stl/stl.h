/* The declarations that the two readers of STL share.
 *
 * Both cut the facets into batches. Several threads read these and join the points of each. A solid takes the batches
 * in order and joins the points of all of them at the end, so that nothing depends on where they were cut. */
#ifndef CELLPIPE_IMPORTERS_STL_STL_H
#define CELLPIPE_IMPORTERS_STL_STL_H

#include <string.h>

#include "../importers.h"
#include "../mesh_file.h"
#include "mesh/join.h"

enum { STL_HEADER_SIZE = 84, STL_FACET_SIZE = 50 };

/* The facets that the report mentions. */
struct stl_oddities {
    uint64_t degenerate, opposed, without_normal, polygons;
    uint64_t dialect; /* statements that are spelled otherwise, and lines that STL does not have */
    uint64_t colours; /* of them, lines of colours */
};

enum stl_stop {
    STL_AT_LIMIT,   /* all facets that begin before the limit are read */
    STL_AT_WORD,    /* a word that begins no facet */
    STL_FULL,       /* no room for the next facet */
    STL_UNEXPECTED, /* something else than `expected` in a facet */
    STL_NOT_FINITE  /* a coordinate that is not a finite float in a facet */
};

/* Consecutive facets of one solid. A facet that cannot be read leaves no trace in it. */
struct stl_batch {
    struct points points;
    const double *origin; /* NULL, or of the points in a text that is read in double precision */
    uint32_t *corners;    /* numbers of points, facet by facet */
    uint32_t *ends;       /* one for each facet the number of corners up to its end; unused while all are triangles */
    uint32_t corner_count, facet_count;
    uint32_t room; /* room for corners, and for as many of the others */
    bool has_polygons;
    uint32_t attributes; /* bits that are set in any of the binary facets */
    struct stl_oddities oddities;
    enum stl_stop stop;
    const char *at; /* where it stopped */
    const char *expected;
};

/* The solid being read, in the context's memory and used again for the next one. */
struct stl_solid {
    double origin[3]; /* that of the positions: not 0 if they are far from the file's */
    bool is_far;
    float *positions; /* coordinates of its batches' points, one batch after the other */
    uint32_t position_count, position_room;
    uint32_t batch_count;
    uint32_t *corners;
    uint32_t corner_count, corner_room;
    uint32_t *ends; /* as a batch's */
    uint32_t end_room;
    bool has_polygons;
    uint32_t facet_count;
    cp_group *groups; /* in the scene's memory */
    uint32_t group_count;
};

enum { STL_MOST_BATCHES = 64 };

struct stl_reader {
    cp_context *context;
    const struct source *source;
    cp_scene *scene;
    const struct mesh_file_settings *settings;
    struct stl_solid solid;
    uint32_t empty_mesh;                        /* the mesh of the solids without facets; CP_NONE before the first */
    struct stl_batch batches[STL_MOST_BATCHES]; /* read at the same time */
    uint32_t batch_count;
    /* of all solids together, for the report */
    uint64_t facets;
    uint32_t attributes;
    struct stl_oddities oddities;
};

/* ---- solid.c ---- */

/* Empties the batch and makes room for so many corners. */
bool stl_begin_batch(cp_context *context, struct stl_batch *batch, uint32_t corners);
/* Empties the batch, which keeps its room; any thread may do that. */
void stl_clear_batch(struct stl_batch *batch);
void stl_free_batch(cp_context *context, struct stl_batch *batch);
/* Takes the corners from `first` on as a facet. normal: as in the file, or NULL. */
void stl_end_facet(struct stl_batch *batch, uint32_t first, const float *normal);

static inline void stl_add_corner(struct stl_batch *batch, const float position[3])
{
    batch->corners[batch->corner_count++] = points_add(&batch->points, position);
}

/* Adds the batch to the solid. False when there is no room; reported. */
bool stl_take_batch(struct stl_reader *reader, const struct stl_batch *batch);
/* Empties the solid, and gives it that origin; NULL: the file's. */
void stl_clear_solid(struct stl_solid *solid, const double origin[3]);
/* Adds the solid as a node with a mesh and begins a new one. name: size bytes; size 0: the file's stem. */
cp_status stl_add_solid(struct stl_reader *reader, const char *name, size_t size);
void stl_free_solid(struct stl_reader *reader);

/* ---- the two forms ---- */

/* Tells whether text begins with the lower-case word, in any case, and a blank or the end after it. */
bool stl_begins_with(const char *text, const char *end, const char *word);

cp_status stl_read_ascii(struct stl_reader *reader);
cp_status stl_read_binary(struct stl_reader *reader);
/* Makes groups and materials of the header and the attributes of the binary solid's facets. */
cp_status stl_read_colours(struct stl_reader *reader);

/* Read little-endian values at any address. */
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

/* Returns a facet of the binary form. */
static inline const char *stl_record(const struct stl_reader *reader, uint32_t facet)
{
    return reader->source->data + STL_HEADER_SIZE + (size_t)STL_FACET_SIZE * facet;
}

static inline uint32_t stl_attributes(const char *record)
{
    const unsigned char *b = (const unsigned char *)record + 48;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8;
}

#endif
