/* Reads lines of OBJ, in several threads at a time. A thread touches nothing but its batch.
 *
 *     v x y z [w] | v x y z r g b [a]
 *     vn x y z
 *     f corner corner corner ...      corner = v, v/vt, v//vn or v/vt/vn
 *     l corner corner ...
 *     vt u [v [w]]
 *
 * Numbers of vertices count from 1, or backwards from the last one before the line: -1. A backslash at the end of a
 * line with numbers continues it in the next one. */
#include "obj.h"

#include <math.h>

#include "base/text/digits.h"
#include "base/text/text.h"

/* The least bytes of a line "v 1 2 3", of "vn ", of a corner, and of a line with corners: room by these is always
 * enough. Changes are rare: when their room is full, the batch ends. */
enum {
    VERTEX_BYTES = 8,
    NORMAL_BYTES = 4, /* of "vt ", too */
    CORNER_BYTES = 2,
    ELEMENT_BYTES = 4,
    CHANGE_BYTES = 64
};

/* ---- room ---- */

/* Makes room, without the old contents of the batch. */
static bool make_room(cp_context *context, void *items, uint32_t *room, size_t count, size_t item_size)
{
    void *block;
    if (count <= *room)
        return true;
    memcpy(&block, items, sizeof block);
    memory_free(context, block, *room, item_size);
    memset(items, 0, sizeof block);
    *room = 0;
    return array_reserve(context, items, room, count, item_size);
}

static bool begin_elements(cp_context *context, struct obj_elements *elements, size_t text_size)
{
    elements->corner_count = elements->count = 0;
    elements->normals.any = elements->coordinates.any = elements->has_polygons = false;
    size_t corners = text_size / CORNER_BYTES + 1;
    return make_room(context, &elements->vertices, &elements->corner_room, corners, sizeof(uint32_t)) &&
           make_room(context, &elements->normals.items, &elements->normals.room, corners, sizeof(uint32_t)) &&
           make_room(context, &elements->coordinates.items, &elements->coordinates.room, corners, sizeof(uint32_t)) &&
           make_room(context, &elements->ends, &elements->room, text_size / ELEMENT_BYTES + 1, sizeof(uint32_t));
}

const uint32_t obj_widths[OBJ_ARRAYS] = {3, 3, 2, 4};

bool obj_begin_batch(cp_context *context, struct obj_batch *batch, size_t text_size)
{
    static const size_t bytes[OBJ_ARRAYS] = {VERTEX_BYTES, NORMAL_BYTES, NORMAL_BYTES, VERTEX_BYTES};
    batch->change_count = 0;
    batch->has_colours = batch->has_relative = false;
    batch->largest_colour = 0;
    memset(batch->counts, 0, sizeof batch->counts);
    for (int i = 0; i < OBJ_ARRAYS; i++) {
        struct obj_rows *rows = &batch->rows[i];
        rows->count = 0;
        rows->highest = rows->lowest = (struct obj_reach){0};
        if (!make_room(context, &rows->items, &rows->room, text_size / bytes[i] + 1, obj_widths[i] * sizeof(float)))
            return false;
    }
    return make_room(context, &batch->changes, &batch->change_room, text_size / CHANGE_BYTES + 16,
                     sizeof *batch->changes) &&
           begin_elements(context, &batch->faces, text_size) && begin_elements(context, &batch->lines, text_size);
}

void obj_free_rows(cp_context *context, struct obj_rows rows[OBJ_ARRAYS])
{
    for (int i = 0; i < OBJ_ARRAYS; i++)
        memory_free(context, rows[i].items, rows[i].room, obj_widths[i] * sizeof(float));
}

void obj_free_elements(cp_context *context, struct obj_elements *elements)
{
    memory_free(context, elements->vertices, elements->corner_room, sizeof(uint32_t));
    memory_free(context, elements->normals.items, elements->normals.room, sizeof(uint32_t));
    memory_free(context, elements->coordinates.items, elements->coordinates.room, sizeof(uint32_t));
    memory_free(context, elements->ends, elements->room, sizeof(uint32_t));
}

void obj_free_batch(cp_context *context, struct obj_batch *batch)
{
    obj_free_rows(context, batch->rows);
    memory_free(context, batch->changes, batch->change_room, sizeof *batch->changes);
    obj_free_elements(context, &batch->faces);
    obj_free_elements(context, &batch->lines);
}

/* ---- lines ---- */

const char *obj_rest_of_line(const char *at, uint32_t *size)
{
    at = obj_skip_blanks(at);
    const char *end = obj_line_end(at);
    while (end > at && obj_is_blank(end[-1]))
        end--;
    *size = end - at < UINT32_MAX ? (uint32_t)(end - at) : UINT32_MAX;
    return at;
}

/* If only a backslash is left of the line, continues in the next one. */
static const char *skip_continuation(const char *at)
{
    while (*at == '\\' && (at[1] == '\n' || at[1] == '\r')) {
        at += at[1] == '\r' && at[2] == '\n' ? 3 : 2;
        at = obj_skip_blanks(at);
    }
    return at;
}

/* Returns the next word of a line of numbers. */
static inline const char *next_word(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return *at > ' ' && *at != '\\' ? at : skip_continuation(obj_skip_blanks(at));
}

/* A corner ends here. */
static inline bool ends_corner(char c)
{
    return obj_is_blank(c) || obj_ends_line(c) || c == '#' || c == '\\';
}

/* Tells whether a line of numbers ends here; a comment may follow. */
static inline bool ends_here(char c)
{
    return obj_ends_line(c) || c == '#';
}

/* Returns the end of a line that is skipped, and that backslashes may continue. */
static const char *skip_line(const char *at)
{
    for (;;) {
        const char *end = obj_line_end(at);
        if (!*end || end == at || end[-1] != '\\')
            return end;
        at = end + (*end == '\r' && end[1] == '\n' ? 2 : 1);
    }
}

static const char *fail(struct obj_batch *batch, const char *at, const char *code, const char *expected)
{
    batch->stop = OBJ_FAULT;
    batch->fault = at;
    batch->code = code;
    batch->expected = expected;
    return NULL;
}

/* ---- numbers ---- */

/* Reads up to `most` numbers; returns their end: the line's end, or the first word that is no number. */
static inline const char *read_numbers(const char *at, const char *end, float *values, int most, int *count)
{
    int n = 0;
    for (at = next_word(at); n < most && !ends_here(*at); n++) {
        const char *after = parse_float(at, end, values + n);
        if (!after || !(*after == ' ' || obj_ends_line(*after) || obj_is_blank(*after) || *after == '\\')) /* 1.#IND */
            break;
        at = *after == '\n' ? after : next_word(after);
    }
    *count = n;
    return at;
}

/* Adds a colour for this vertex; infinity, for white, for earlier ones without. */
static void add_colour(struct obj_batch *batch, const float *values, bool has_alpha)
{
    uint32_t count = batch->rows[OBJ_POSITIONS].count;
    float *colours = batch->rows[OBJ_COLOURS].items, *out = colours + 4 * (size_t)count;
    for (uint32_t i = 0; !batch->has_colours && i < 4 * count; i++)
        colours[i] = INFINITY;
    batch->has_colours = true;
    for (int i = 0; i < 3; i++)
        if (values[i] > batch->largest_colour && isfinite(values[i]))
            batch->largest_colour = values[i];
    memcpy(out, values, 3 * sizeof *out);
    out[3] = has_alpha ? values[3] : 1;
}

/* Skips the rest of a vertex of 6 or 7 words, some of which are no numbers, as programs print them: nan, -nan(ind),
 * inf, 1.#IND. count: the numbers so far. NULL for anything else. */
static const char *skip_bad_colour(const char *at, const char *end, int count)
{
    float value;
    for (; count < 8 && !ends_here(*at); count++) {
        const char *after = parse_float_or_word(at, end, &value);
        if (after && (*after == '#' || *after == '('))
            while (!ends_corner(*after) || *after == '#')
                after++;
        if (!after || !ends_corner(*after))
            return NULL;
        at = next_word(after);
    }
    return count == 6 || count == 7 ? at : NULL;
}

/* Reads the vertex' three numbers, which are there, in double. */
static void read_place(const char *at, const char *end, double place[3])
{
    at = next_word(at);
    for (int i = 0; i < 3; i++)
        at = next_word(parse_double(at, end, place + i));
}

static inline const char *read_vertex(struct obj_batch *batch, const char *at, const char *end)
{
    float values[8];
    int count;
    const char *first = at;
    at = read_numbers(at, end, values, 8, &count);
    const char *after = count >= 3 && count < 7 && !ends_here(*at) ? skip_bad_colour(at, end, count) : NULL;
    bool bad_colour = after;
    at = after ? after : at;
    if (!ends_here(*at) && count < 8)
        return fail(batch, at, "obj-number", "a number");
    if (!bad_colour && (count < 3 || count == 5))
        return fail(batch, at, "obj-vertex", "3, 4, 6 or 7 numbers");
    if (count != 3 || !isfinite(values[0]) || !isfinite(values[1]) || !isfinite(values[2])) {
        for (int i = 0; i < count; i++) {
            if (!isfinite(values[i]) && (i < 3 || count == 4))
                return fail(batch, at, "obj-not-finite", "finite numbers");
            bad_colour |= !isfinite(values[i]);
        }
        batch->counts[OBJ_WEIGHTS] += count == 4 && !bad_colour && values[3] != 1;
        batch->counts[OBJ_EXTRA_VALUES] += count == 8;
    }
    batch->counts[OBJ_BAD_COLOURS] += bad_colour;
    if (count >= 6 && !bad_colour)
        add_colour(batch, values + 3, count >= 7);
    else if (batch->has_colours)
        add_colour(batch, (const float[]){INFINITY, INFINITY, INFINITY}, false);
    struct obj_rows *positions = &batch->rows[OBJ_POSITIONS];
    if (batch->places)
        read_place(first, end, batch->places + 3 * (size_t)positions->count);
    memcpy(positions->items + 3 * (size_t)positions->count++, values, 3 * sizeof *values);
    return count == 8 ? skip_line(at) : at;
}

/* Reads a normal; one without three numbers has no direction. */
static inline const char *read_normal(struct obj_batch *batch, const char *at, const char *end)
{
    float values[3];
    int count;
    at = read_numbers(at, end, values, 3, &count);
    if (count < 3 || !isfinite(values[0]) || !isfinite(values[1]) || !isfinite(values[2])) {
        batch->counts[OBJ_BAD_NORMALS]++;
        memset(values, 0, sizeof values);
    }
    struct obj_rows *normals = &batch->rows[OBJ_NORMALS];
    memcpy(normals->items + 3 * (size_t)normals->count++, values, sizeof values);
    return ends_here(*at) ? at : skip_line(at);
}

/* Reads texture coordinates, the second of which counts from the lower edge of the image; a word that is no number is
 * 0. */
static inline const char *read_coordinates(struct obj_batch *batch, const char *at, const char *end)
{
    struct obj_rows *coordinates = &batch->rows[OBJ_COORDINATES];
    float values[3] = {0, 0, 0}, *out = coordinates->items + 2 * (size_t)coordinates->count++;
    int count;
    at = read_numbers(at, end, values, 3, &count);
    bool good = count > 0 && isfinite(values[0]) && isfinite(values[1]);
    batch->counts[OBJ_BAD_COORDINATES] += !good;
    out[0] = good ? values[0] : 0;
    out[1] = good ? 1 - values[1] : 1;
    return ends_here(*at) ? at : skip_line(at);
}

/* ---- corners ---- */

/* Reads an index, not 0; NULL when there is none, or beyond OBJ_MOST_ROWS. */
static inline const char *read_index(const char *at, const char *end, int64_t *index)
{
    bool negative = *at == '-';
    at += negative;
    const char *first = at;
    uint64_t value = 0;
    if (end - at >= 8) {
        uint32_t number;
        at += leading_digits(get_eight(at), &number);
        value = number;
    }
    for (; is_digit(*at); at++) {
        value = 10 * value + (uint64_t)(*at - '0');
        if (value > OBJ_MOST_ROWS)
            return NULL;
    }
    *index = negative ? -(int64_t)value : (int64_t)value;
    return at > first && value > 0 ? at : NULL;
}

/* Returns the index of one of the batch's rows as a corner has it. */
static inline uint32_t refer(struct obj_rows *rows, int64_t index, const char *at)
{
    if (index > 0) {
        uint32_t row = (uint32_t)(index - 1);
        if (row > rows->highest.index || !rows->highest.at)
            rows->highest = (struct obj_reach){row, at};
        return row;
    }
    uint32_t row = OBJ_RELATIVE | (uint32_t)((int64_t)OBJ_BIAS + (int64_t)rows->count + index);
    if (row < rows->lowest.index || !rows->lowest.at)
        rows->lowest = (struct obj_reach){row, at};
    return row;
}

static inline const char *read_corner(struct obj_batch *batch, struct obj_elements *elements, const char *at,
                                      const char *end)
{
    int64_t index;
    const char *after = read_index(at, end, &index);
    if (!after)
        return fail(batch, at, "obj-index", "the number of a vertex");
    uint32_t corner = elements->corner_count;
    elements->vertices[corner] = refer(&batch->rows[OBJ_POSITIONS], index, at);
    elements->normals.items[corner] = elements->coordinates.items[corner] = OBJ_NO_NORMAL;
    batch->has_relative |= index < 0;
    if (*after == '/') {
        after++;
        if (*after != '/' && !ends_corner(*after)) {
            at = after;
            after = read_index(at, end, &index);
            if (!after)
                return fail(batch, at, "obj-index", "the number of a texture coordinate");
            elements->coordinates.any = true;
            elements->coordinates.items[corner] = refer(&batch->rows[OBJ_COORDINATES], index, at);
            batch->has_relative |= index < 0;
        }
        if (*after == '/') {
            at = ++after;
            if (!ends_corner(*after)) {
                after = read_index(at, end, &index);
                if (!after)
                    return fail(batch, at, "obj-index", "the number of a normal");
                elements->normals.any = true;
                elements->normals.items[corner] = refer(&batch->rows[OBJ_NORMALS], index, at);
                batch->has_relative |= index < 0;
            }
        }
    }
    if (!ends_corner(*after))
        return fail(batch, after, "obj-index", "a blank");
    elements->corner_count++;
    return after;
}

/* Reads up to 8 digits, as most indices have; 0 when there is none. */
static inline const char *read_short_index(const char *at, uint32_t *index)
{
    uint32_t value = 0;
    for (const char *limit = at + 8; at < limit && is_digit(*at); at++)
        value = 10 * value + (uint32_t)(*at - '0');
    *index = value;
    return at;
}

/* Reads the corners of a line as most are: indices from 1 on with only blanks between them. NULL if the line has
 * anything else; then the corners do not count. */
static inline const char *read_plain_corners(struct obj_batch *batch, struct obj_elements *elements, const char *at)
{
    uint32_t corner = elements->corner_count, highest_vertex = 0, highest_normal = 0, highest_texture = 0;
    uint32_t vertex, texture, normal;
    const char *line = at;
    while (*at == ' ') {
        for (at++; *at == ' ';)
            at++;
        if (!is_digit(*at))
            break;
        at = read_short_index(at, &vertex);
        normal = texture = 0;
        if (*at == '/') {
            if (*++at != '/') {
                at = read_short_index(at, &texture);
                if (texture == 0)
                    return NULL;
            }
            if (*at == '/') {
                at = read_short_index(at + 1, &normal);
                if (normal == 0)
                    return NULL;
            }
        }
        if (vertex == 0)
            return NULL;
        highest_vertex = vertex > highest_vertex ? vertex : highest_vertex;
        highest_normal = normal > highest_normal ? normal : highest_normal;
        highest_texture = texture > highest_texture ? texture : highest_texture;
        elements->vertices[corner] = vertex - 1;
        elements->coordinates.items[corner] = texture - 1;
        elements->normals.items[corner++] = normal - 1; /* OBJ_NO_NORMAL without */
    }
    if (!obj_ends_line(*at))
        return NULL;
    if (highest_vertex > 0)
        refer(&batch->rows[OBJ_POSITIONS], highest_vertex, line);
    if (highest_normal > 0) {
        refer(&batch->rows[OBJ_NORMALS], highest_normal, line);
        elements->normals.any = true;
    }
    if (highest_texture > 0) {
        refer(&batch->rows[OBJ_COORDINATES], highest_texture, line);
        elements->coordinates.any = true;
    }
    elements->corner_count = corner;
    return at;
}

/* least: fewer corners are no element. */
static inline const char *read_element(struct obj_batch *batch, struct obj_elements *elements, const char *at,
                                       const char *end, uint32_t least, enum obj_count too_small)
{
    uint32_t first = elements->corner_count;
    const char *after = read_plain_corners(batch, elements, at);
    for (at = after ? after : next_word(at); !ends_here(*at); at = next_word(at)) {
        at = read_corner(batch, elements, at, end);
        if (!at)
            return NULL;
    }
    if (elements->corner_count - first < least) {
        elements->corner_count = first;
        batch->counts[too_small]++;
    } else {
        elements->has_polygons |= elements->corner_count - first != 3;
        elements->ends[elements->count++] = elements->corner_count;
    }
    return at;
}

static const char *count_points(struct obj_batch *batch, const char *at)
{
    for (at = next_word(at); !ends_here(*at); at = next_word(at)) {
        batch->counts[OBJ_POINTS]++;
        while (!obj_is_blank(*at) && !ends_here(*at) && *at != '\\')
            at++;
        if (*at == '\\' && next_word(at) == at)
            return skip_line(at);
    }
    return at;
}

/* ---- other lines ---- */

static const char *add_change(struct obj_batch *batch, enum obj_change_kind kind, const char *name, uint32_t size,
                              const char *end)
{
    if (batch->change_count == batch->change_room) {
        batch->stop = OBJ_FULL;
        return NULL;
    }
    batch->changes[batch->change_count++] =
        (struct obj_change){kind, size, name, batch->faces.count, batch->lines.count};
    return end;
}

/* The words whose lines are only counted, or not even that: OBJ_COUNTS. The line that begins a free-form curve or
 * surface counts; the others belong to it. */
static const struct {
    const char *word;
    enum obj_count count;
} counted[] = {
    {"vt", OBJ_BAD_COORDINATES}, /* without a number */
    {"curv", OBJ_SURFACES},      {"curv2", OBJ_SURFACES},  {"surf", OBJ_SURFACES}, {"cdc", OBJ_SURFACES},
    {"cdp", OBJ_SURFACES},       {"bzp", OBJ_SURFACES},    {"bsp", OBJ_SURFACES},  {"usemap", OBJ_TEXTURE_MAPS},
    {"vp", OBJ_COUNTS},          {"cstype", OBJ_COUNTS},   {"deg", OBJ_COUNTS},    {"bmat", OBJ_COUNTS},
    {"step", OBJ_COUNTS},        {"parm", OBJ_COUNTS},     {"trim", OBJ_COUNTS},   {"hole", OBJ_COUNTS},
    {"scrv", OBJ_COUNTS},        {"sp", OBJ_COUNTS},       {"end", OBJ_COUNTS},    {"con", OBJ_COUNTS},
    {"res", OBJ_COUNTS},         {"mg", OBJ_COUNTS},       {"maplib", OBJ_COUNTS}, {"bevel", OBJ_COUNTS},
    {"c_interp", OBJ_COUNTS},    {"d_interp", OBJ_COUNTS}, {"lod", OBJ_COUNTS},    {"shadow_obj", OBJ_COUNTS},
    {"trace_obj", OBJ_COUNTS},   {"ctech", OBJ_COUNTS},    {"stech", OBJ_COUNTS},
};

/* The lines of a name. */
static const struct {
    const char *word;
    enum obj_change_kind kind;
} changing[] = {{"o", OBJ_OBJECT}, {"g", OBJ_GROUP}, {"usemtl", OBJ_MATERIAL}, {"mtllib", OBJ_LIBRARY}};

static const char *read_other(struct obj_batch *batch, const char *at)
{
    const char *after = at;
    while (!obj_is_blank(*after) && !obj_ends_line(*after) && *after != '\\')
        after++;
    size_t size = (size_t)(after - at);
    for (size_t i = 0; i < sizeof changing / sizeof *changing; i++)
        if (obj_is_word(at, size, changing[i].word)) {
            uint32_t name_size;
            const char *name = obj_rest_of_line(after, &name_size);
            return add_change(batch, changing[i].kind, name, name_size, obj_line_end(name));
        }
    if (obj_is_word(at, size, "s")) {
        uint32_t name_size;
        const char *name = obj_rest_of_line(after, &name_size);
        batch->counts[OBJ_SMOOTHED] +=
            name_size > 0 && !obj_is_word(name, name_size, "0") && !obj_is_word(name, name_size, "off");
        return obj_line_end(name);
    }
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        if (obj_is_word(at, size, counted[i].word)) {
            if (counted[i].count != OBJ_COUNTS)
                batch->counts[counted[i].count]++;
            return skip_line(after);
        }
    return add_change(batch, OBJ_UNKNOWN, at, size < UINT32_MAX ? (uint32_t)size : UINT32_MAX, skip_line(after));
}

static inline const char *read_line(struct obj_batch *batch, const char *at, const char *end)
{
    bool is_short = obj_is_blank(at[1]) || obj_ends_line(at[1]);
    switch (at[0]) {
    case '#':
        return obj_line_end(at);
    case 'v':
        if (is_short)
            return read_vertex(batch, at + 1, end);
        if (at[1] == 'n' && obj_is_blank(at[2]))
            return read_normal(batch, at + 3, end);
        if (at[1] == 't' && obj_is_blank(at[2]))
            return read_coordinates(batch, at + 3, end);
        break;
    case 'f':
        if (is_short || (at[1] == 'o' && obj_is_blank(at[2]))) /* fo: of version 2.11 */
            return read_element(batch, &batch->faces, at + (is_short ? 1 : 2), end, 3, OBJ_SMALL_FACES);
        break;
    case 'l':
        if (is_short)
            return read_element(batch, &batch->lines, at + 1, end, 2, OBJ_SHORT_LINES);
        break;
    case 'p':
        if (is_short)
            return count_points(batch, at + 1);
        break;
    default:
        break;
    }
    return read_other(batch, at);
}

void obj_read_batch(struct obj_batch *batch, const char *limit, const char *end)
{
    const char *at = batch->at;
    batch->stop = OBJ_AT_LIMIT;
    for (;;) {
        while (is_space(*at) || *at == '\\')
            at++;
        batch->at = at;
        if (at >= limit)
            return;
        uint32_t face_corners = batch->faces.corner_count, line_corners = batch->lines.corner_count;
        at = read_line(batch, at, end);
        if (!at) {
            batch->faces.corner_count = face_corners;
            batch->lines.corner_count = line_corners;
            return;
        }
        if (*at == '#')
            at = obj_line_end(at);
    }
}
