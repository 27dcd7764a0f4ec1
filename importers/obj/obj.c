/* OBJ: polygons, polylines and materials, as text.
 *
 * Specification: Wavefront Technologies, "Advanced Visualizer Manual", appendix B1 (file formats, OBJ 3.0), and the MTL
 * appendix of the same. Dialects: vertex colours after the position (MeshLab, vcglib and others); `f 1/1/1` without
 * `vt`; names with blanks; Mac line ends; "fo" of OBJ 2.11; relative indices of any kind in one face.
 *
 * Behaviour and limitations:
 *   - A node an object (`o`), below it one a group (`g`); a mesh of faces and one of polylines each, with a group of
 *     faces for each run of a material. A name that comes again goes on with its node.
 *   - Polygons and vertices stay as they are, in the order of the file where a mesh uses a whole range of them, else in
 *     the order of their use. Vertices that no element uses are left out.
 *   - A vertex with several normals becomes several. Normals without direction, or missing in part, are made from the
 *     faces around (a warning); no others are made: smoothing groups are not evaluated.
 *   - The unit is unknown: `unit=`, `up=`.
 *   - Colours are taken as sRGB. Textures, their coordinates, points, free-form curves and surfaces are losses.
 *   - An index may come before its vertex. One beyond all of them ends the import. */
#include "obj.h"

#include <math.h>
#include <stdio.h>

#include "mesh/mesh.h"
#include "model/model.h"

enum { MOST_BATCHES = 64, PART_SIZE = 1 << 18 };

/* ---- the probe ---- */

/* The signs in the beginning of a text: lines of OBJ, and lines with numbers among them; bad: something else. */
struct signs {
    int keywords, numbers;
    bool bad;
};

static void look_at_line(const char *at, const char *end, struct signs *signs)
{
    static const char *const words[] = {"v", "vn", "vt",     "f",      "g",  "o",     "s",
                                        "l", "p",  "usemtl", "mtllib", "vp", "cstype"};
    const char *after = at;
    while (after < end && !is_space(*after))
        after++;
    size_t size = (size_t)(after - at);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i]) != size || memcmp(at, words[i], size) != 0)
            continue;
        signs->keywords++;
        float value;
        int count = 0;
        for (const char *number; after < end && *at == 'v'; after = number, count++) {
            while (after < end && (*after == ' ' || *after == '\t'))
                after++;
            number = parse_float(after, end, &value);
            if (!number)
                break;
        }
        signs->numbers += count >= (size == 1 || at[1] == 'n' ? 3 : 2) || (*at == 'v' && after >= end);
        return;
    }
    signs->bad = true;
}

/* Is sure by a line with the numbers of a vertex, if only lines of OBJ are before it. */
static int probe_obj(const char *head, size_t size, uint64_t file_size)
{
    enum { LINES = 32 };
    (void)file_size;
    struct signs signs = {0};
    const char *at = text_after_mark(head, size), *end = head + size;
    for (int lines = 0; at < end && lines < LINES && !signs.bad;) {
        while (at < end && is_space(*at))
            at++;
        if (at < end && *at != '#') {
            look_at_line(at, end, &signs);
            lines++;
        }
        while (at < end && !is_line_end(*at))
            at++;
    }
    return signs.bad || memchr(head, '\0', size) ? 0 : signs.numbers > 0 ? 90 : signs.keywords > 0 ? 10 : 0;
}

/* ---- batches on their way into the reader ---- */

/* All of a reading: its parts, and the batches that are at work. */
struct obj_file {
    struct obj_reader reader;
    cp_scene *scene;
    struct obj_vertices vertices;
    struct obj_elements elements[OBJ_LISTS];
    struct obj_names names;
    struct obj_libraries libraries;
    const char *at;
    struct obj_batch batches[MOST_BATCHES];
    const char *starts[MOST_BATCHES + 1]; /* each is the limit of the part before */
    bool ended;                           /* the parts after one that stopped are not taken */
    cp_status status;
};

/* Reports a line that cannot be read. If it is the last one and has no end, the file may be cut off in it. */
static cp_status report_fault(const struct obj_reader *reader, const struct obj_batch *batch)
{
    char word[33];
    size_t size = 0;
    for (const char *at = batch->fault; !is_space(*at) && *at && size < sizeof word - 1; at++)
        word[size++] = *at > ' ' && *at < 0x7f ? *at : '?';
    word[size] = '\0';
    struct place place = obj_place(reader, batch->fault);
    if (obj_line_end(batch->fault) == reader->end)
        return report_lenient(reader->context, !reader->settings->import.partial, "obj-truncated", place,
                              "the file ends in a line that cannot be read: expected %s%s%s%s", batch->expected,
                              *word ? ", found \"" : "", word, *word ? "\"" : "");
    return report_error(reader->context, CP_INPUT, batch->code, place, "expected %s, found %s%s%s", batch->expected,
                        *word ? "\"" : "", *word ? word : "the end of the line", *word ? "\"" : "");
}

/* Appends rows, but does not count them yet. */
static bool append_rows(cp_context *context, struct obj_rows *all, const struct obj_rows *more, size_t width)
{
    if (!array_reserve(context, &all->items, &all->room, (uint64_t)all->count + more->count, width * sizeof(float)))
        return false;
    if (more->count > 0)
        memcpy(all->items + width * all->count, more->items, width * sizeof(float) * more->count);
    return true;
}

/* Appends the colours. As soon as one vertex has one, all have. */
static bool append_colours(cp_context *context, struct obj_vertices *vertices, const struct obj_batch *batch)
{
    struct obj_rows *colours = &vertices->rows[OBJ_COLOURS];
    uint32_t before = vertices->rows[OBJ_POSITIONS].count, more = batch->rows[OBJ_POSITIONS].count;
    uint64_t count = (uint64_t)before + more;
    if (!batch->has_colours && colours->count == 0)
        return true;
    if (!array_reserve(context, &colours->items, &colours->room, count, 4 * sizeof(float)))
        return false;
    uint32_t white = batch->has_colours ? before : (uint32_t)count;
    for (size_t i = 4 * (size_t)colours->count; i < 4 * (size_t)white; i++)
        colours->items[i] = INFINITY;
    if (batch->has_colours)
        memcpy(colours->items + 4 * (size_t)white, batch->rows[OBJ_COLOURS].items, 4 * sizeof(float) * more);
    colours->count = (uint32_t)count;
    vertices->largest_colour = fmaxf(vertices->largest_colour, batch->largest_colour);
    return true;
}

/* Turns numbers that are relative to a batch into the file's: base is the number of rows before it. A normal before the
 * first one is none. */
static void make_absolute(uint32_t *rows, uint32_t count, uint32_t base, uint64_t *lost)
{
    for (uint32_t i = 0; i < count; i++) {
        if (rows[i] < OBJ_RELATIVE || rows[i] == OBJ_NO_NORMAL)
            continue;
        int64_t row = (int64_t)(rows[i] - OBJ_RELATIVE) - (int64_t)OBJ_BIAS + base;
        *lost += row < 0;
        rows[i] = row < 0 ? OBJ_NO_NORMAL : (uint32_t)row;
    }
}

/* Appends the references of `count` corners behind `before` corners. As soon as one has one, all have. */
static bool append_references(cp_context *context, struct obj_references *all, const struct obj_references *more,
                              uint32_t before, uint32_t count)
{
    if (!all->any && !more->any)
        return true;
    all->any = true;
    if (!array_reserve(context, &all->items, &all->room, (uint64_t)before + count, sizeof *all->items))
        return false;
    for (uint32_t i = all->count; i < before; i++)
        all->items[i] = OBJ_NO_NORMAL;
    memcpy(all->items + before, more->items, count * sizeof *all->items);
    all->count = before + count;
    return true;
}

static bool append_elements(struct obj_reader *reader, const struct obj_rows rows[OBJ_ARRAYS], struct obj_elements *all,
                            const struct obj_batch *batch, const struct obj_elements *more)
{
    uint64_t corners = (uint64_t)all->corner_count + more->corner_count, count = (uint64_t)all->count + more->count;
    if (more->count == 0)
        return true;
    if (corners > UINT32_MAX - 1) {
        report_error(reader->context, CP_LIMIT, "obj-large", IN_FILE(reader->source->name), "more than %u corners",
                     UINT32_MAX - 1);
        return false;
    }
    cp_context *context = reader->context;
    uint32_t before = all->corner_count, added = more->corner_count;
    if (!array_reserve(context, &all->vertices, &all->corner_room, corners, sizeof(uint32_t)) ||
        !append_references(context, &all->normals, &more->normals, before, added) ||
        !append_references(context, &all->coordinates, &more->coordinates, before, added) ||
        !array_reserve(context, &all->ends, &all->room, count, sizeof(uint32_t)))
        return false;
    memcpy(all->vertices + before, more->vertices, added * sizeof *all->vertices);
    if (batch->has_relative) {
        uint64_t none = 0; /* no vertex is lost: see take_batch */
        make_absolute(all->vertices + before, added, rows[OBJ_POSITIONS].count, &none);
        if (all->normals.any)
            make_absolute(all->normals.items + before, added, rows[OBJ_NORMALS].count,
                          &reader->counts[OBJ_LOST_NORMALS]);
        if (all->coordinates.any)
            make_absolute(all->coordinates.items + before, added, rows[OBJ_COORDINATES].count,
                          &reader->counts[OBJ_LOST_COORDINATES]);
    }
    for (uint32_t i = 0; i < more->count; i++)
        all->ends[all->count + i] = before + more->ends[i];
    all->has_polygons |= more->has_polygons;
    all->corner_count = (uint32_t)corners;
    all->count = (uint32_t)count;
    return true;
}

/* Appends a batch to the vertices and the elements, and takes its changes. */
static cp_status take_batch(struct obj_file *file, const struct obj_batch *batch)
{
    struct obj_reader *reader = &file->reader;
    struct obj_rows *rows = file->vertices.rows;
    struct obj_elements *faces = &file->elements[OBJ_FACES], *lines = &file->elements[OBJ_LINES];
    const uint32_t elements[OBJ_LISTS] = {faces->count, lines->count};
    const struct obj_reach *lowest = &batch->rows[OBJ_POSITIONS].lowest;
    int64_t back = (int64_t)(lowest->index - OBJ_RELATIVE) - (int64_t)OBJ_BIAS + rows[OBJ_POSITIONS].count;
    if (lowest->at && back < 0)
        return report_error(reader->context, CP_INPUT, "obj-index", obj_place(reader, lowest->at),
                            "a vertex %lld before the first one", (long long)-back);
    for (int i = 0; i < OBJ_COLOURS; i++)
        if ((uint64_t)rows[i].count + batch->rows[i].count > OBJ_MOST_ROWS)
            return report_error(reader->context, CP_LIMIT, "obj-large", IN_FILE(reader->source->name),
                                "more than %u vertices, normals or texture coordinates", OBJ_MOST_ROWS);
    for (int i = 0; i < OBJ_COLOURS; i++)
        if (!append_rows(reader->context, &rows[i], &batch->rows[i], obj_widths[i]))
            return CP_LIMIT;
    if (!append_colours(reader->context, &file->vertices, batch) ||
        !append_elements(reader, rows, faces, batch, &batch->faces) ||
        !append_elements(reader, rows, lines, batch, &batch->lines))
        return CP_LIMIT;
    for (int i = 0; i < OBJ_COLOURS; i++) {
        const struct obj_reach *highest = &batch->rows[i].highest;
        rows[i].count += batch->rows[i].count;
        if (highest->at && (!rows[i].highest.at || highest->index > rows[i].highest.index))
            rows[i].highest = *highest;
    }
    for (int i = 0; i < OBJ_COUNTS; i++)
        reader->counts[i] += batch->counts[i];
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < batch->change_count && status == CP_OK; i++) {
        const struct obj_change *change = &batch->changes[i];
        status =
            obj_change(reader, file->scene, &file->names, &file->libraries, change,
                       (const uint32_t[]){elements[OBJ_FACES] + change->faces, elements[OBJ_LINES] + change->lines});
    }
    return status;
}

/* ---- the text ---- */

static void read_part(void *user, uint32_t item, uint32_t slot)
{
    (void)slot;
    struct obj_file *file = user;
    obj_read_batch(&file->batches[item], file->starts[item + 1], file->reader.end);
}

/* Takes a part. If a line stopped it, the lines behind that are read again, or not at all. */
static bool take_part(void *user, uint32_t item, uint32_t slot)
{
    (void)slot;
    struct obj_file *file = user;
    const struct obj_batch *batch = &file->batches[item];
    file->status = take_batch(file, batch);
    file->at = batch->at;
    if (file->status == CP_OK && batch->stop == OBJ_FAULT) {
        file->status = report_fault(&file->reader, batch);
        file->at = file->reader.end;
    }
    if (file->status == CP_OK)
        source_forget(file->reader.source, file->at);
    file->ended = file->status != CP_OK || batch->stop != OBJ_AT_LIMIT;
    return !file->ended;
}

/* Returns the first line from `at` on that does not continue the one before it. */
static const char *find_line(const char *at, const char *end)
{
    at -= *at == '\n' && at[-1] == '\r'; /* a backslash before CR LF is one before the line's end */
    for (; at < end; at++) {
        bool cr_lf = *at == '\r' && at[1] == '\n';
        if (!is_line_end(*at))
            continue;
        if (at[-1] != '\\')
            return at + 1 + cr_lf;
        at += cr_lf;
    }
    return end;
}

static cp_status read_text(struct obj_file *file)
{
    struct obj_reader *reader = &file->reader;
    uint32_t workers = parallel_workers(reader->context, MOST_BATCHES), most = workers > 1 ? 4 * workers : 1;
    most = most < MOST_BATCHES ? most : MOST_BATCHES;
    while (file->at < reader->end) {
        uint32_t parts = 0;
        file->starts[0] = file->at;
        while (parts < most && file->starts[parts] < reader->end) {
            const char *start = file->starts[parts], *limit = reader->end;
            if (reader->end - start > PART_SIZE)
                limit = find_line(start + PART_SIZE, reader->end);
            if (!obj_begin_batch(reader->context, &file->batches[parts], (size_t)(limit - start)))
                return CP_LIMIT;
            file->batches[parts].at = start;
            file->starts[++parts] = limit;
        }
        file->ended = false;
        if (!parallel_in_order(reader->context, parts, read_part, take_part, file) && !file->ended)
            return CP_LIMIT;
        if (file->status != CP_OK)
            return file->status;
    }
    const uint32_t counts[OBJ_LISTS] = {file->elements[OBJ_FACES].count, file->elements[OBJ_LINES].count};
    return obj_end_runs(reader, &file->names, counts);
}

cp_status obj_read_places(const struct obj_reader *reader, struct obj_vertices *vertices)
{
    cp_context *context = reader->context;
    struct obj_batch batch = {.at = text_after_mark(reader->source->data, reader->source->size)};
    uint32_t count = 0;
    vertices->places = memory_allocate(context, vertices->rows[OBJ_POSITIONS].count, 3 * sizeof *vertices->places);
    bool good = vertices->places;
    while (good && count < vertices->rows[OBJ_POSITIONS].count && batch.at < reader->end) {
        const char *limit = reader->end;
        if (reader->end - batch.at > PART_SIZE)
            limit = find_line(batch.at + PART_SIZE, reader->end);
        good = obj_begin_batch(context, &batch, (size_t)(limit - batch.at));
        batch.places = vertices->places + 3 * (size_t)count;
        if (good)
            obj_read_batch(&batch, limit, reader->end);
        count += batch.rows[OBJ_POSITIONS].count;
        if (batch.stop == OBJ_FAULT) /* the first reading ended there, too */
            break;
    }
    obj_free_batch(context, &batch);
    return good ? CP_OK : CP_LIMIT;
}

size_t obj_trailing_fill(const char *text, const char *zero, const char *end)
{
    enum { MOST_FILL = 4 }; /* bytes: more may be text that a power loss has replaced */
    const char *at = zero;
    while (at < end && (!*at || is_space(*at) || *at == 0x1a))
        at++;
    size_t fill = (size_t)(end - zero);
    bool whole = fill == 1 || (zero > text && is_line_end(zero[-1]));
    return at == end && whole && fill <= MOST_FILL ? fill : 0;
}

/* Finds the end of the text. Zero bytes end it, as a power loss leaves them. Few of them at the end are fill, such as
 * the zero behind a program's text. */
static cp_status find_end(struct obj_reader *reader)
{
    const struct source *source = reader->source;
    const char *zero = memchr(source->data, '\0', source->size);
    reader->end = source->data + source->size;
    if (!zero)
        return CP_OK;
    bool partial = reader->settings->import.partial;
    size_t fill = obj_trailing_fill(source->data, zero, reader->end);
    reader->end = zero;
    if (fill > 0)
        return report_lenient(reader->context, reader->settings->import.strict, "obj-trailing", obj_place(reader, zero),
                              "%zu fill bytes at the end", fill);
    while (reader->end > source->data && !is_line_end(reader->end[-1]))
        reader->end--;
    return report_lenient(reader->context, !partial, "obj-zeros", obj_place(reader, zero),
                          "zero bytes in a text, as a power loss leaves them%s",
                          partial ? ": the lines before them are read" : " (partial=yes reads the lines before them)");
}

/* ---- references ---- */

/* Drops references to rows that do not exist. Returns how many. */
static uint64_t lose_references(struct obj_references *references, const struct obj_rows *rows)
{
    uint64_t all = 0;
    for (uint32_t i = 0; rows->highest.at && rows->highest.index >= rows->count && i < references->count; i++) {
        uint32_t *row = &references->items[i];
        bool lost = *row != OBJ_NO_NORMAL && *row >= rows->count;
        all += lost;
        *row = lost ? OBJ_NO_NORMAL : *row;
    }
    return all;
}

static cp_status check_references(struct obj_reader *reader, const struct obj_rows rows[OBJ_ARRAYS],
                                  struct obj_elements elements[OBJ_LISTS])
{
    const struct obj_reach *vertex = &rows[OBJ_POSITIONS].highest;
    if (vertex->at && vertex->index >= rows[OBJ_POSITIONS].count)
        return report_error(reader->context, CP_INPUT, "obj-index", obj_place(reader, vertex->at), "vertex %u of %u",
                            vertex->index + 1, rows[OBJ_POSITIONS].count);
    for (int list = 0; list < OBJ_LISTS; list++) {
        reader->counts[OBJ_LOST_NORMALS] += lose_references(&elements[list].normals, &rows[OBJ_NORMALS]);
        reader->counts[OBJ_LOST_COORDINATES] += lose_references(&elements[list].coordinates, &rows[OBJ_COORDINATES]);
    }
    if (rows[OBJ_COORDINATES].count == 0) /* a file without any may refer to some all the same */
        reader->counts[OBJ_LOST_COORDINATES] = 0;
    return CP_OK;
}

/* ---- colours ---- */

/* Converts the colours, which are meant for a screen (IEC 61966-2-1, sRGB), to the scene's linear light. Values up to
 * 255 are bytes. */
static cp_status finish_colours(const struct obj_reader *reader, struct obj_vertices *vertices)
{
    struct obj_rows *colours = &vertices->rows[OBJ_COLOURS];
    bool bytes = vertices->largest_colour > 2;
    cp_status status = CP_OK;
    uint64_t outside = 0;
    if (bytes)
        status = report_lenient(reader->context, reader->settings->import.strict, "obj-colour-range",
                                IN_FILE(reader->source->name), "vertex colours up to %s, taken as 0..255 for 0..1",
                                show_number((double)vertices->largest_colour).text);
    for (size_t i = 0; i < 4 * (size_t)colours->count; i++) {
        if (colours->items[i] == INFINITY) { /* of a vertex without a colour */
            colours->items[i] = 1;
            continue;
        }
        double value = (double)colours->items[i] / (bytes && i % 4 < 3 ? 255 : 1);
        double c = within_unit(value);
        outside += !(value >= 0 && value <= 1);
        if (i % 4 < 3)
            c = linear_from_srgb(c);
        colours->items[i] = (float)c;
    }
    if (outside > 0)
        report_loss(reader->context, "obj-colour-range", IN_FILE(reader->source->name), outside,
                    "vertex colour values outside 0..1");
    return status;
}

/* ---- the report ---- */

static cp_status report_counts(struct obj_reader *reader, const struct obj_vertices *vertices,
                               struct obj_elements *elements)
{
    static const struct {
        enum obj_count count;
        const char *code, *what;
    } losses[] = {
        {OBJ_POINTS, "obj-points", "points"},
        {OBJ_TEXTURE_MAPS, "obj-textures", "textures"},
        {OBJ_SURFACES, "obj-surfaces", "free-form curves and surfaces"},
        {OBJ_WEIGHTS, "obj-weights", "weights of vertices, which are for free-form surfaces"},
    };
    static const struct {
        enum obj_count count;
        const char *code, *what;
    } warnings[] = {
        {OBJ_SMALL_FACES, "obj-small", "faces of fewer than three corners, left out"},
        {OBJ_SHORT_LINES, "obj-small", "lines of one corner, left out"},
        {OBJ_EXTRA_VALUES, "obj-extra-values", "vertices with more than 7 numbers, of which 7 are read"},
        {OBJ_BAD_COLOURS, "obj-colours", "colours of vertices that are no finite numbers, left out"},
        {OBJ_BAD_NORMALS, "obj-normals", "normals that are no three finite numbers"},
        {OBJ_LOST_NORMALS, "obj-normals", "references to normals that are not there"},
        {OBJ_BAD_COORDINATES, "obj-texture-coordinates", "texture coordinates that are no finite numbers"},
        {OBJ_LOST_COORDINATES, "obj-texture-coordinates", "references to texture coordinates that are not there"},
        {OBJ_TWICE_DEFINED, "obj-material", "materials of a name that another has, which counts"},
    };
    cp_context *context = reader->context;
    struct place file = IN_FILE(reader->source->name);
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++)
        if (reader->counts[losses[i].count])
            report_loss(context, losses[i].code, file, reader->counts[losses[i].count], "%s", losses[i].what);
    cp_status status = CP_OK;
    for (size_t i = 0; i < sizeof warnings / sizeof *warnings && status == CP_OK; i++)
        if (reader->counts[warnings[i].count])
            status = report_lenient(context, reader->settings->import.strict, warnings[i].code, file, "%s: %llu",
                                    warnings[i].what, (unsigned long long)reader->counts[warnings[i].count]);
    if (vertices->rows[OBJ_COORDINATES].count > 0 && !elements[OBJ_FACES].coordinates.any)
        report_loss(context, "obj-texture-coordinates", file, vertices->rows[OBJ_COORDINATES].count,
                    "texture coordinates that no face uses");
    if (reader->counts[OBJ_SMOOTHED] && vertices->rows[OBJ_NORMALS].count == 0)
        report_note(context, "obj-smoothing", file, "smoothing groups, not evaluated: %llu",
                    (unsigned long long)reader->counts[OBJ_SMOOTHED]);
    return status;
}

/* Checks that something was read; a file of vertices alone has points. */
static cp_status check_content(const struct obj_reader *reader, const struct obj_vertices *vertices,
                               struct obj_elements *elements)
{
    struct place file = IN_FILE(reader->source->name);
    bool empty = elements[OBJ_FACES].count == 0 && elements[OBJ_LINES].count == 0;
    uint64_t others = reader->counts[OBJ_SURFACES] + reader->counts[OBJ_POINTS] + reader->counts[OBJ_SMALL_FACES];
    if (empty && others == 0 && vertices->rows[OBJ_POSITIONS].count == 0)
        return report_error(reader->context, CP_INPUT, "obj-empty", file, "has neither a vertex nor a face of OBJ");
    if (empty && others == 0)
        report_loss(reader->context, "obj-points", file, vertices->rows[OBJ_POSITIONS].count,
                    "vertices, which no face uses");
    return CP_OK;
}

/* ---- the import ---- */

static void free_file(struct obj_file *file)
{
    cp_context *context = file->reader.context;
    for (int i = 0; i < MOST_BATCHES; i++)
        obj_free_batch(context, &file->batches[i]);
    memory_free(context, file->vertices.places, file->vertices.rows[OBJ_POSITIONS].count, 3 * sizeof(double));
    obj_free_rows(context, file->vertices.rows);
    for (int list = 0; list < OBJ_LISTS; list++)
        obj_free_elements(context, &file->elements[list]);
    obj_free_names(context, &file->names);
    name_map_free(&file->libraries.read);
    name_map_free(&file->libraries.defined);
    name_map_free(&file->libraries.textures);
    arena_free(file->reader.arena);
    memory_free(context, file, 1, sizeof *file);
}

/* Makes the scene of what was read. */
static cp_status finish_file(struct obj_file *file)
{
    struct obj_reader *reader = &file->reader;
    struct obj_vertices *vertices = &file->vertices;
    cp_status status = check_references(reader, vertices->rows, file->elements);
    if (status == CP_OK)
        status = check_content(reader, vertices, file->elements);
    if (status == CP_OK)
        status = report_counts(reader, vertices, file->elements);
    if (status == CP_OK)
        status = finish_colours(reader, vertices);
    if (status == CP_OK)
        status = obj_find_materials(reader, &file->names, &file->libraries);
    return status == CP_OK ? obj_add_sections(reader, file->scene, vertices, file->elements, &file->names) : status;
}

static cp_status read_obj(cp_context *context, struct source *source, const void *settings, cp_scene *scene)
{
    struct obj_file *file = memory_allocate_zeroed(context, 1, sizeof *file);
    if (!file)
        return CP_LIMIT;
    struct obj_reader *reader = &file->reader;
    *reader =
        (struct obj_reader){.context = context, .source = source, .settings = settings, .arena = arena_new(context)};
    file->scene = scene;
    file->libraries.read.context = file->libraries.defined.context = file->libraries.textures.context = context;
    cp_status status = reader->arena ? source_decode(source) : CP_LIMIT;
    file->at = text_after_mark(source->data, source->size);
    mesh_file_start(scene, settings);
    if (status == CP_OK)
        status = obj_start_names(reader, &file->names) ? find_end(reader) : CP_LIMIT;
    if (status == CP_OK)
        status = read_text(file);
    if (status == CP_OK)
        status = finish_file(file);
    free_file(file);
    if (status == CP_OK)
        report_size_without_unit(source, scene, ((const struct mesh_file_settings *)settings)->unit);
    return status == CP_OK ? scene_finish(scene) : status;
}

const struct importer obj_importer = {
    .plugin = {.name = "obj",
               .title = "OBJ (Wavefront), with MTL",
               .options = mesh_file_options,
               .settings_size = sizeof(struct mesh_file_settings)},
    .suffixes = ".obj",
    .probe = probe_obj,
    .sign = "lines \"v\" with three numbers, \"f\", \"o\", \"g\"",
    .read = read_obj,
};
