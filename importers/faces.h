/* Numbered vertices and lists of faces on their way into the scene, for the readers of PLY, OFF, tri and msh. A file
 * becomes a node with one mesh, both named by the file; polygons stay whole. */
#ifndef CELLPIPE_IMPORTERS_FACES_H
#define CELLPIPE_IMPORTERS_FACES_H

#include "base/text/text.h"
#include "mesh_file.h"

/* The codes of the reports. */
struct faces_codes {
    const char *index, *not_finite, *large, *normals, *points, *edges, *range;
};
#define FACES_CODES(format)                                                                                            \
    {                                                                                                                  \
        format "-index", format "-not-finite", format "-large", format "-normals", format "-points", format "-edges",  \
            format "-colour-range"                                                                                     \
    }

struct face_reader {
    cp_context *context;
    const struct source *source;
    cp_scene *scene;
    const struct mesh_file_settings *settings;
    const struct faces_codes *codes;
    uint32_t vertex_count;
    double origin[3];                     /* that of the positions: not 0 if they are far from the file's */
    float *positions, *normals, *colours; /* one for each vertex, in the scene's memory; NULL: the file has none */
    uint32_t *corners;
    uint32_t corner_count, corner_room;
    uint32_t *offsets; /* face_count + 1; unused while all faces are triangles */
    uint32_t offset_room;
    bool has_polygons;
    uint32_t face_count;
    uint64_t listed;      /* faces of the file so far, those too that are none */
    uint64_t edges, dots; /* faces of two corners, and of fewer */
    uint64_t outside;     /* colour values that were cut to 0..1 */
    uint32_t colour;      /* the colour of the faces that follow: set by faces_set_colour */
    bool has_colours;     /* some face has one */
    uint32_t *colour_of;  /* indexed by face, a row of the palette or CP_NONE; unused without colours */
    uint32_t colour_room;
    unsigned char (*palette)[4]; /* sRGB and alpha */
    uint32_t palette_count, palette_room;
    struct name_map known; /* colours as text to rows of the palette */
    float linear[256];     /* sRGB's values of 8 bits as linear light */
};

/* Prepares for vertices; faces_make_vertices makes their arrays. Call faces_free even on failure. */
void faces_start(struct face_reader *faces, cp_context *context, const struct source *source, cp_scene *scene,
                 const void *settings, const struct faces_codes *codes);
/* Makes room for so many vertices. */
cp_status faces_make_vertices(struct face_reader *faces, uint32_t count, bool normals, bool colours);
/* Returns true if the vertices are far from the origin: faces->origin is set, and the caller reads their coordinates
 * again, from the file's digits, by faces_set_place. */
bool faces_find_origin(struct face_reader *faces);
void faces_set_place(struct face_reader *faces, uint32_t vertex, const double place[3]);
/* Makes room for so many faces more, of so many corners each. */
cp_status faces_make_room(struct face_reader *faces, uint32_t count, uint32_t corners);
/* Does the same for one face; it is here, since there mostly is room. */
static inline cp_status faces_reserve(struct face_reader *faces, uint32_t corners)
{
    bool ready = faces->has_polygons ? faces->face_count + 1 < faces->offset_room : corners <= 3;
    return ready && !faces->has_colours && (uint64_t)faces->corner_count + corners < faces->corner_room
               ? CP_OK
               : faces_make_room(faces, 1, corners);
}
/* Ends a face of the next `count` corners, which the caller has set after faces_reserve. One that names a vertex which
 * is not there is an error at that line (0: unknown). */
cp_status faces_end_face(struct face_reader *faces, uint32_t count, const char *at);
/* Sets the colour of the faces that follow: sRGB and alpha, 0..1. */
cp_status faces_set_colour(struct face_reader *faces, const double rgba[4]);
/* Sets a vertex colour: sRGB and alpha 0..1, stored as linear light. */
void faces_set_vertex_colour(struct face_reader *faces, uint32_t vertex, const double rgba[4]);
/* Finishes when all is read: mends normals, makes groups, adds the node and ends in scene_finish. */
cp_status faces_finish(struct face_reader *faces);
void faces_free(struct face_reader *faces);

/* Returns the place of a byte of the text. */
static inline struct place faces_place(const struct face_reader *faces, const char *at)
{
    const struct source *source = faces->source;
    return AT_LINE(source->name, at ? source_line(source, (size_t)(at - source->data)) : 0);
}

/* ---- words of text ---- */

/* The next word in a message. */
struct faces_word {
    char text[33];
};
struct faces_word faces_find_word(const char *at, const char *end);

/* Reads a whole number, such as 12, -1 or 3.0; NULL when none starts there. Negative ones are modulo 2^32, and what is
 * too large is CP_NONE, so that neither is a vertex's. */
const char *faces_parse_index(const char *at, const char *end, uint32_t *index);

/* Does the same; it is here, since most numbers of text are short. */
static inline const char *faces_short_index(const char *at, const char *end, uint32_t *index)
{
    enum { MOST_DIGITS = 9 };
    const char *start = at, *limit = end - at > MOST_DIGITS ? at + MOST_DIGITS : end;
    uint32_t value = 0;
    for (; at < limit && is_digit(*at); at++)
        value = 10 * value + (uint32_t)(*at - '0');
    if (at == start || at == end || !is_space(*at))
        return faces_parse_index(start, end, index);
    *index = value;
    return at;
}

static inline const char *faces_skip_spaces(const char *at, const char *end)
{
    while (at < end && is_space(*at))
        at++;
    return at;
}

/* Reads whole numbers, each behind one blank and before white space, as most lists have them, and returns how many of
 * `count` they are; *at is behind them. */
static inline uint32_t faces_plain_indices(const char **at, const char *end, uint32_t *indices, uint32_t count)
{
    uint32_t i = 0;
    const char *next = *at;
    for (; i < count && next < end && *next == ' ' && next + 1 < end && is_digit(next[1]); i++) {
        const char *after = faces_short_index(next + 1, end, &indices[i]);
        if (!after || (after < end && !is_space(*after)))
            break;
        next = after;
    }
    *at = next;
    return i;
}

#endif
