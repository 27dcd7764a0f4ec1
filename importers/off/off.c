/* OFF: vertices and faces as text, with their counts before them.
 *
 * Specification: "Geomview Manual", Object File Format: [ST][C][N][4][n]OFF, the counts of vertices, faces and edges, a
 * vertex a line, a face a line. What programs write beyond it:
 *   - counts in the line of the word; no word at all, which the manual allows;
 *   - colours before normals where there are both (the first vertex's unit vector decides);
 *   - colours of faces from 0 to 1 without a point: where no colour of the file exceeds 1, they are so meant;
 *   - faces over several lines.
 *
 * Behaviour and limitations:
 *   - A node and a mesh, named by the file. Vertices stay as they are and in order; polygons stay whole.
 *   - Unit and axes are not known: options say them, and they go into the instance's transform.
 *   - Colours of faces become materials; those of vertices win. Indices into a colour map and texture coordinates are
 *     losses.
 *   - Binary files and those of four or more dimensions are refused. */
#include "../faces.h"

#include <math.h>

/* A colour as its line has it. */
struct off_colour {
    float values[4];
    unsigned char count; /* 0: none; else 3 or 4 */
    bool fraction;       /* some value has a point or an exponent */
};

/* The numbers left in a line. */
enum { MOST_VALUES = 9 }; /* normal, colour, texture coordinates */
struct rest {
    float values[MOST_VALUES];
    uint32_t count;  /* also counts those that have no room */
    uint32_t points; /* bit i: value i has a point or an exponent */
};

struct off {
    struct face_reader faces;
    const char *at, *end;
    bool has_texture, has_colours, has_normals;
    bool colour_first; /* before the normal */
    uint32_t vertex_count, face_count;
    struct off_colour *colours; /* colours of the vertices, or else of the faces */
    uint32_t colour_count, colour_room;
    float largest; /* of all values of colours */
    uint64_t long_lines, map_indices, face_colours;
    cp_status status;
    bool cut; /* the file ends too early; reported */
};

/* ---- words ---- */

static const char *skip_comments(const char *at, const char *end)
{
    for (;;) {
        at = faces_skip_spaces(at, end);
        if (at == end || *at != '#')
            return at;
        while (at < end && !is_line_end(*at))
            at++;
    }
}

static inline void skip(struct off *off)
{
    if (off->at < off->end && (is_space(*off->at) || *off->at == '#'))
        off->at = skip_comments(off->at, off->end);
}

static bool ends_word(const struct off *off, const char *at)
{
    return at == off->end || is_space(*at) || *at == '#';
}

/* Fails at the next word; at the end of the text the file is cut off. */
static bool fail_word(struct off *off, const char *expected)
{
    const struct face_reader *faces = &off->faces;
    skip(off);
    off->cut = off->at == off->end;
    off->status = off->cut
                      ? report_lenient(faces->context, !faces->settings->import.partial, "off-truncated",
                                       faces_place(faces, off->at), "the file ends where %s is expected", expected)
                      : report_error(faces->context, CP_INPUT, "off-syntax", faces_place(faces, off->at),
                                     "expected %s, found \"%s\"", expected, faces_find_word(off->at, off->end).text);
    return false;
}

static inline bool read_number(struct off *off, float *value)
{
    skip(off);
    const char *after = parse_float(off->at, off->end, value);
    if (!after)
        after = parse_float_or_word(off->at, off->end, value);
    if (!after || !ends_word(off, after))
        return fail_word(off, "a number");
    off->at = after;
    return true;
}

static inline bool read_index(struct off *off, uint32_t *index, const char *expected)
{
    skip(off);
    const char *after = faces_short_index(off->at, off->end, index);
    if (!after || !ends_word(off, after))
        return fail_word(off, expected);
    off->at = after;
    return true;
}

/* Reads a number of few digits only, as most colours are; else NULL. */
static inline const char *parse_digits(const char *at, const char *end, float *value)
{
    const char *start = at;
    uint32_t digits = 0;
    for (; at < end && at < start + 6 && is_digit(*at); at++)
        digits = 10 * digits + (uint32_t)(*at - '0');
    *value = (float)digits;
    return at > start && (at == end || is_space(*at)) ? at : NULL;
}

/* Reads the numbers up to the end of the line. */
static bool read_rest(struct off *off, struct rest *rest)
{
    rest->count = rest->points = 0;
    for (;; rest->count++) {
        while (off->at < off->end && is_space(*off->at) && !is_line_end(*off->at))
            off->at++;
        if (off->at == off->end || is_line_end(*off->at) || *off->at == '#')
            return true;
        float value;
        bool point = false;
        const char *start = off->at, *after = parse_digits(start, off->end, &value);
        if (after)
            off->at = after;
        else if (!read_number(off, &value))
            return false;
        for (; !after && start < off->at; start++)
            point |= *start == '.' || (*start | 0x20) == 'e';
        if (rest->count < MOST_VALUES) {
            rest->values[rest->count] = value;
            rest->points |= (uint32_t)point << rest->count;
        }
    }
}

/* ---- the header ---- */

/* Returns the text behind the word [ST][C][N][4][n]OFF at `at`, or NULL. */
static const char *find_form(const char *at, const char *end, bool *texture, bool *colours, bool *normals, bool *space)
{
    *texture = end - at > 2 && at[0] == 'S' && at[1] == 'T';
    at += *texture ? 2 : 0;
    *colours = *normals = *space = false;
    for (; at < end && (*at == 'C' || *at == 'N'); at++) /* in either order */
        *(*at == 'C' ? colours : normals) = true;
    for (; at < end && (*at == '4' || *at == 'n'); at++)
        *space = true;
    bool found = end - at >= 3 && memcmp(at, "OFF", 3) == 0 && (end - at == 3 || is_space(at[3]) || at[3] == '#');
    return found ? at + 3 : NULL;
}

static int probe_off(const char *head, size_t size, uint64_t file_size)
{
    (void)file_size;
    bool texture, colours, normals, space;
    const char *at = skip_comments(text_after_mark(head, size), head + size);
    return find_form(at, head + size, &texture, &colours, &normals, &space) ? 95 : 0;
}

static cp_status refuse_form(const struct off *off, const char *form, const char *why)
{
    return report_error(off->faces.context, CP_INPUT, "off-form", faces_place(&off->faces, off->at), "%s: %s", form,
                        why);
}

static cp_status read_form(struct off *off)
{
    bool space;
    off->at = text_after_mark(off->at, (size_t)(off->end - off->at));
    skip(off);
    struct faces_word word = faces_find_word(off->at, off->end);
    const char *after = find_form(off->at, off->end, &off->has_texture, &off->has_colours, &off->has_normals, &space);
    if (!after && off->at < off->end && is_digit(*off->at))
        return CP_OK; /* a file may begin with its counts */
    if (!after)
        return report_error(off->faces.context, CP_INPUT, "off-header", faces_place(&off->faces, off->at),
                            "expected \"OFF\" or the number of vertices, found \"%s\"", word.text);
    if (space)
        return refuse_form(off, word.text, "points of more than three dimensions are not read");
    off->at = after;
    const char *next = skip_comments(after, off->end);
    if (off->end - next >= 6 && memcmp(next, "BINARY", 6) == 0)
        return refuse_form(off, "OFF BINARY", "the binary form is not read; save it as text");
    return CP_OK;
}

static bool is_same_line(const char *from, const char *to)
{
    for (; from < to; from++)
        if (is_line_end(*from))
            return false;
    return true;
}

/* Reads the counts. That of edges may be missing; it is in the line of the others, or each is in a line of its own. */
static bool read_counts(struct off *off)
{
    uint32_t edges;
    if (!read_index(off, &off->vertex_count, "the number of vertices"))
        return false;
    const char *first = off->at;
    if (!read_index(off, &off->face_count, "the number of faces"))
        return false;
    const char *second = off->at, *third = skip_comments(second, off->end);
    bool has_edges = is_same_line(second, third) || !is_same_line(first, second);
    if (has_edges && third < off->end && !read_index(off, &edges, "the number of edges"))
        return false;
    if (off->vertex_count > INT32_MAX || off->face_count > INT32_MAX) {
        off->status = report_error(off->faces.context, CP_INPUT, "off-counts", faces_place(&off->faces, first),
                                   "a count is negative or more than 2147483647");
        return false;
    }
    enum { LEAST_VERTEX = 6, LEAST_FACE = 2 }; /* "0 0 0\n", "0\n" */
    uint64_t left = (uint64_t)(off->end - off->at) + 1;
    uint64_t need = (uint64_t)LEAST_VERTEX * off->vertex_count + (uint64_t)LEAST_FACE * off->face_count;
    if (need <= left || off->faces.settings->import.partial)
        return true;
    off->status =
        report_error(off->faces.context, CP_INPUT, "off-truncated", faces_place(&off->faces, first),
                     "%u vertices and %u faces need %llu bytes at least, and %llu are left", off->vertex_count,
                     off->face_count, (unsigned long long)need, (unsigned long long)left - 1);
    return false;
}

/* ---- colours ---- */

static bool keep_colour(struct off *off, uint32_t row, const struct rest *rest, uint32_t first, uint32_t count)
{
    if (!array_reserve(off->faces.context, &off->colours, &off->colour_room, (uint64_t)row + 1, sizeof *off->colours)) {
        off->status = CP_LIMIT;
        return false;
    }
    while (off->colour_count <= row)
        off->colours[off->colour_count++] = (struct off_colour){.count = 0};
    struct off_colour *colour = &off->colours[row];
    colour->count = (unsigned char)count;
    colour->fraction = rest->points >> first & 15 & ((1U << count) - 1);
    for (uint32_t i = 0; i < count; i++) {
        colour->values[i] = rest->values[first + i];
        off->largest = fmaxf(off->largest, colour->values[i]);
    }
    return true;
}

/* Scales a colour: integers go to 255, numbers with a point to 1, and all of them to 1 if none is larger. */
static void scale_colour(const struct off *off, const struct off_colour *colour, double rgba[4])
{
    bool small = true;
    for (int i = 0; i < 3; i++)
        small = small && colour->values[i] <= 1;
    double most = off->largest <= 1 || (small && colour->fraction) ? 1 : 255;
    for (int i = 0; i < 4; i++)
        rgba[i] = i < colour->count ? (double)colour->values[i] / most : 1;
}

static cp_status set_colours(struct off *off)
{
    struct face_reader *faces = &off->faces;
    double rgba[4];
    for (uint32_t i = 0; off->has_colours && i < faces->vertex_count; i++) {
        scale_colour(off, &off->colours[i], rgba);
        faces_set_vertex_colour(faces, i, rgba);
    }
    cp_status status = CP_OK;
    for (uint32_t i = 0; !off->has_colours && i < off->colour_count && status == CP_OK; i++) {
        if (off->colours[i].count == 0)
            continue;
        scale_colour(off, &off->colours[i], rgba);
        status = faces_set_colour(faces, rgba);
        if (status == CP_OK)
            faces->colour_of[i] = faces->colour;
    }
    return status;
}

/* ---- vertices and faces ---- */

static bool is_unit(const float *vector)
{
    return fabsf(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2] - 1) < 0.02f;
}

/* Takes a vertex's normal, colour and texture coordinates: the rest of its line. */
static bool take_vertex_rest(struct off *off, uint32_t row, const struct rest *rest, const char *line)
{
    uint32_t normal = off->has_normals ? 3 : 0, texture = off->has_texture ? 2 : 0, fixed = normal + texture;
    uint32_t colour = !off->has_colours || rest->count < fixed ? 0 : rest->count - fixed < 4 ? rest->count - fixed : 4;
    if (rest->count < fixed || (off->has_colours && colour < 3)) {
        off->at = line;
        return fail_word(off, off->has_colours ? "three or four values of colour after each vertex"
                                               : "three values of a normal, or two of a texture, after each vertex");
    }
    off->long_lines += rest->count > fixed + colour;
    if (row == 0)
        off->colour_first = normal && colour && !is_unit(rest->values) && is_unit(rest->values + colour);
    if (normal)
        memcpy(off->faces.normals + 3 * (size_t)row, rest->values + (off->colour_first ? colour : 0),
               3 * sizeof(float));
    return !colour || keep_colour(off, row, rest, off->colour_first ? 0 : normal, colour);
}

/* Reads vertices far from the origin again, from an origin of their own. */
static void move_near(struct off *off, const char *start)
{
    struct face_reader *faces = &off->faces;
    if (!faces_find_origin(faces))
        return;
    const char *at = start;
    for (uint32_t i = 0; i < faces->vertex_count; i++) {
        double place[3] = {NAN, NAN, NAN}; /* stays if the words are no numbers */
        for (int k = 0; k < 3; k++) {
            at = skip_comments(at, off->end);
            (void)parse_double(at, off->end, &place[k]);
            while (at < off->end && !is_space(*at) && *at != '#')
                at++;
        }
        faces_set_place(faces, i, place);
        while (at < off->end && !is_line_end(*at)) /* a vertex a line */
            at++;
    }
}

static bool read_vertices(struct off *off)
{
    struct face_reader *faces = &off->faces;
    uint64_t most = (uint64_t)(off->end - off->at) / 5 + 1; /* the count may exceed them with partial=yes */
    uint32_t room = off->vertex_count < most ? off->vertex_count : (uint32_t)most;
    const char *start = off->at;
    off->status = faces_make_vertices(faces, room, off->has_normals, off->has_colours);
    faces->vertex_count = 0;
    for (uint32_t i = 0; i < off->vertex_count && off->status == CP_OK; i++) {
        struct rest rest;
        const char *line = off->at;
        float position[3];
        for (int k = 0; k < 3; k++)
            if (!read_number(off, &position[k]))
                return false;
        memcpy(faces->positions + 3 * (size_t)i, position, sizeof position);
        if (!read_rest(off, &rest))
            return false;
        bool plain = !off->has_normals && !off->has_colours && !off->has_texture;
        off->long_lines += plain && rest.count > 0;
        if (!plain && !take_vertex_rest(off, i, &rest, line))
            return false;
        faces->vertex_count++;
    }
    if (off->status == CP_OK)
        move_near(off, start);
    return off->status == CP_OK;
}

static bool take_face_rest(struct off *off, uint32_t face, const struct rest *rest)
{
    if (rest->count == 1)
        off->map_indices++;
    else if (rest->count != 3 && rest->count != 4)
        off->long_lines += rest->count > 0;
    else if (off->has_colours)
        off->face_colours++;
    else if (face < off->faces.face_count) /* it is one */
        return keep_colour(off, face, rest, 0, rest->count);
    return true;
}

static bool read_faces(struct off *off)
{
    struct face_reader *faces = &off->faces;
    for (uint32_t i = 0; i < off->face_count; i++) {
        uint32_t size, face = faces->face_count;
        const char *line = off->at;
        struct rest rest;
        if (!read_index(off, &size, "the number of a face's corners"))
            return false;
        if (size > INT32_MAX) {
            off->at = line;
            return fail_word(off, "the number of a face's corners");
        }
        if (size > (size_t)(off->end - off->at) / 2) {
            off->at = off->end;
            return fail_word(off, "a corner of a face");
        }
        off->status = faces_reserve(faces, size);
        if (off->status != CP_OK)
            return false;
        for (uint32_t k = faces_plain_indices(&off->at, off->end, faces->corners + faces->corner_count, size); k < size;
             k++)
            if (!read_index(off, &faces->corners[faces->corner_count + k], "a corner of a face"))
                return false;
        off->status = faces_end_face(faces, size, skip_comments(line, off->end));
        if (off->status != CP_OK || !read_rest(off, &rest) || !take_face_rest(off, face, &rest))
            return false;
    }
    return true;
}

/* ---- the file ---- */

static cp_status report_oddities(struct off *off)
{
    const struct face_reader *faces = &off->faces;
    cp_context *context = faces->context;
    struct place place = IN_FILE(faces->source->name);
    bool strict = faces->settings->import.strict;
    cp_status status = CP_OK;
    if (off->has_texture && faces->vertex_count > 0)
        report_loss(context, "off-texture-coordinates", place, faces->vertex_count, "texture coordinates");
    if (off->map_indices > 0)
        report_loss(context, "off-colour-map", place, off->map_indices, "colours of faces by a colour map");
    if (off->face_colours > 0)
        report_loss(context, "off-face-colours", place, off->face_colours, "colours of faces whose vertices have some");
    if (off->long_lines > 0)
        status = report_lenient(context, strict, "off-line", place,
                                "lines with values that the format does not have, which are skipped: %llu",
                                (unsigned long long)off->long_lines);
    skip(off);
    if (status == CP_OK && !off->cut && off->at < off->end)
        status = report_lenient(context, strict, "off-trailing", faces_place(faces, off->at),
                                "%zu bytes after the last face", (size_t)(off->end - off->at));
    return status;
}

static cp_status read_off(cp_context *context, struct source *source, const void *settings, cp_scene *scene)
{
    static const struct faces_codes codes = FACES_CODES("off");
    cp_status status = source_decode(source);
    struct off off = {.at = source->data, .end = source->data + source->size};
    faces_start(&off.faces, context, source, scene, settings, &codes);
    off.status = status == CP_OK ? read_form(&off) : status;
    if (off.status == CP_OK && read_counts(&off) && read_vertices(&off))
        (void)read_faces(&off);
    if (off.status == CP_OK)
        off.status = report_oddities(&off);
    if (off.status == CP_OK)
        off.status = set_colours(&off);
    if (off.status == CP_OK)
        off.status = faces_finish(&off.faces);
    memory_free(context, off.colours, off.colour_room, sizeof *off.colours);
    faces_free(&off.faces);
    return off.status;
}

const struct importer off_importer = {
    .plugin = {.name = "off",
               .title = "OFF (Geomview), ASCII",
               .options = mesh_file_options,
               .settings_size = sizeof(struct mesh_file_settings)},
    .suffixes = ".off .coff .noff",
    .probe = probe_off,
    .sign = "a first word \"OFF\"",
    .read = read_off,
};
