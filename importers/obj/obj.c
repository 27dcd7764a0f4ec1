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

struct file {
    struct obj_reader *reader;
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

static bool append_rows(struct obj_reader *reader, float **rows, uint32_t *room, uint32_t count, const float *from,
                        uint32_t more, size_t width)
{
    if (!array_reserve(reader->context, rows, room, (uint64_t)count + more, width * sizeof(float)))
        return false;
    if (more > 0)
        memcpy(*rows + width * count, from, width * sizeof(float) * more);
    return true;
}

/* Appends the colours. As soon as one vertex has one, all have. */
static bool append_colours(struct obj_reader *reader, const struct obj_batch *batch)
{
    uint64_t count = (uint64_t)reader->vertex_count + batch->vertex_count;
    if (!batch->has_colours && reader->colour_count == 0)
        return true;
    if (!array_reserve(reader->context, &reader->colours, &reader->colour_room, count, 4 * sizeof(float)))
        return false;
    uint32_t white = batch->has_colours ? reader->vertex_count : (uint32_t)count;
    for (size_t i = 4 * (size_t)reader->colour_count; i < 4 * (size_t)white; i++)
        reader->colours[i] = INFINITY;
    if (batch->has_colours)
        memcpy(reader->colours + 4 * (size_t)white, batch->colours, 4 * sizeof(float) * batch->vertex_count);
    reader->colour_count = (uint32_t)count;
    reader->largest_colour = fmaxf(reader->largest_colour, batch->largest_colour);
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

/* Appends references. As soon as one corner has one, all have: *all has *all_count of them, of *room. */
static bool append_references(struct obj_reader *reader, uint32_t **all, uint32_t *all_count, uint32_t *room,
                              const uint32_t *more, const struct obj_elements *elements, uint32_t more_count)
{
    uint64_t corners = (uint64_t)elements->corner_count + more_count;
    if (!array_reserve(reader->context, all, room, corners, sizeof **all))
        return false;
    for (uint32_t i = *all_count; i < elements->corner_count; i++)
        (*all)[i] = OBJ_NO_NORMAL;
    memcpy(*all + elements->corner_count, more, more_count * sizeof **all);
    *all_count = (uint32_t)corners;
    return true;
}

static bool append_normals(struct obj_reader *reader, struct obj_elements *all, const struct obj_elements *more)
{
    if (!all->has_normals && !more->has_normals)
        return true;
    all->has_normals = true;
    return append_references(reader, &all->normals, &all->normal_count, &all->normal_room, more->normals, all,
                             more->corner_count);
}

static bool append_coordinates(struct obj_reader *reader, struct obj_elements *all, const struct obj_elements *more)
{
    if (!all->has_coordinates && !more->has_coordinates)
        return true;
    all->has_coordinates = true;
    return append_references(reader, &all->coordinates, &all->coordinate_count, &all->coordinate_room,
                             more->coordinates, all, more->corner_count);
}

static bool append_elements(struct obj_reader *reader, struct obj_elements *all, const struct obj_batch *batch,
                            const struct obj_elements *more)
{
    uint64_t corners = (uint64_t)all->corner_count + more->corner_count, count = (uint64_t)all->count + more->count;
    if (more->count == 0)
        return true;
    if (corners > UINT32_MAX - 1) {
        report_error(reader->context, CP_LIMIT, "obj-large", IN_FILE(reader->source->name), "more than %u corners",
                     UINT32_MAX - 1);
        return false;
    }
    if (!array_reserve(reader->context, &all->vertices, &all->corner_room, corners, sizeof(uint32_t)) ||
        !append_normals(reader, all, more) || !append_coordinates(reader, all, more) ||
        !array_reserve(reader->context, &all->ends, &all->room, count, sizeof(uint32_t)))
        return false;
    uint32_t *vertices = all->vertices + all->corner_count;
    memcpy(vertices, more->vertices, more->corner_count * sizeof *vertices);
    if (batch->has_relative) {
        uint64_t none = 0;
        make_absolute(vertices, more->corner_count, reader->vertex_count, &none); /* are there: see take_batch */
        if (all->has_normals)
            make_absolute(all->normals + all->corner_count, more->corner_count, reader->normal_count,
                          &reader->counts[OBJ_LOST_NORMALS]);
        if (all->has_coordinates)
            make_absolute(all->coordinates + all->corner_count, more->corner_count, reader->coordinate_count,
                          &reader->counts[OBJ_LOST_COORDINATES]);
    }
    for (uint32_t i = 0; i < more->count; i++)
        all->ends[all->count + i] = all->corner_count + more->ends[i];
    all->has_polygons |= more->has_polygons;
    all->corner_count = (uint32_t)corners;
    all->count = (uint32_t)count;
    return true;
}

static void extend_reach(struct obj_reach *highest, const struct obj_reach *other)
{
    if (other->at && (!highest->at || other->index > highest->index))
        *highest = *other;
}

static cp_status take_batch(struct obj_reader *reader, const struct obj_batch *batch)
{
    const uint32_t elements[OBJ_LISTS] = {reader->elements[OBJ_FACES].count, reader->elements[OBJ_LINES].count};
    const struct obj_reach *lowest = &batch->vertex_use.lowest;
    int64_t back = (int64_t)(lowest->index - OBJ_RELATIVE) - (int64_t)OBJ_BIAS + reader->vertex_count;
    if (lowest->at && back < 0)
        return report_error(reader->context, CP_INPUT, "obj-index", obj_place(reader, lowest->at),
                            "a vertex %lld before the first one", (long long)-back);
    if ((uint64_t)reader->vertex_count + batch->vertex_count > OBJ_MOST_ROWS ||
        (uint64_t)reader->normal_count + batch->normal_count > OBJ_MOST_ROWS ||
        (uint64_t)reader->coordinate_count + batch->coordinate_count > OBJ_MOST_ROWS)
        return report_error(reader->context, CP_LIMIT, "obj-large", IN_FILE(reader->source->name),
                            "more than %u vertices, normals or texture coordinates", OBJ_MOST_ROWS);
    if (!append_rows(reader, &reader->positions, &reader->vertex_room, reader->vertex_count, batch->positions,
                     batch->vertex_count, 3) ||
        !append_rows(reader, &reader->normals, &reader->normal_room, reader->normal_count, batch->normals,
                     batch->normal_count, 3) ||
        !append_rows(reader, &reader->coordinates, &reader->coordinate_room, reader->coordinate_count,
                     batch->coordinates, batch->coordinate_count, 2) ||
        !append_colours(reader, batch) ||
        !append_elements(reader, &reader->elements[OBJ_FACES], batch, &batch->faces) ||
        !append_elements(reader, &reader->elements[OBJ_LINES], batch, &batch->lines))
        return CP_LIMIT;
    reader->vertex_count += batch->vertex_count;
    reader->normal_count += batch->normal_count;
    reader->coordinate_count += batch->coordinate_count;
    extend_reach(&reader->highest_vertex, &batch->vertex_use.highest);
    extend_reach(&reader->highest_normal, &batch->normal_use.highest);
    extend_reach(&reader->highest_coordinate, &batch->coordinate_use.highest);
    for (int i = 0; i < OBJ_COUNTS; i++)
        reader->counts[i] += batch->counts[i];
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < batch->change_count && status == CP_OK; i++) {
        const struct obj_change *change = &batch->changes[i];
        status =
            obj_change(reader, change,
                       (const uint32_t[]){elements[OBJ_FACES] + change->faces, elements[OBJ_LINES] + change->lines});
    }
    return status;
}

/* ---- the text ---- */

static void read_part(void *user, uint32_t item, uint32_t slot)
{
    (void)slot;
    struct file *file = user;
    obj_read_batch(&file->batches[item], file->starts[item + 1], file->reader->end);
}

/* Takes a part. If a line stopped it, the lines behind that are read again, or not at all. */
static bool take_part(void *user, uint32_t item, uint32_t slot)
{
    (void)slot;
    struct file *file = user;
    const struct obj_batch *batch = &file->batches[item];
    file->status = take_batch(file->reader, batch);
    file->at = batch->at;
    if (file->status == CP_OK && batch->stop == OBJ_FAULT) {
        file->status = report_fault(file->reader, batch);
        file->at = file->reader->end;
    }
    if (file->status == CP_OK)
        source_forget(file->reader->source, file->at);
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

static cp_status read_text(struct file *file)
{
    struct obj_reader *reader = file->reader;
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
    const uint32_t counts[OBJ_LISTS] = {reader->elements[OBJ_FACES].count, reader->elements[OBJ_LINES].count};
    return obj_end_runs(reader, counts);
}

cp_status obj_read_places(struct obj_reader *reader)
{
    cp_context *context = reader->context;
    struct obj_batch batch = {.at = text_after_mark(reader->source->data, reader->source->size)};
    uint32_t count = 0;
    reader->places = memory_allocate(context, reader->vertex_count, 3 * sizeof *reader->places);
    bool good = reader->places;
    while (good && count < reader->vertex_count && batch.at < reader->end) {
        const char *limit = reader->end;
        if (reader->end - batch.at > PART_SIZE)
            limit = find_line(batch.at + PART_SIZE, reader->end);
        good = obj_begin_batch(context, &batch, (size_t)(limit - batch.at));
        batch.places = reader->places + 3 * (size_t)count;
        if (good)
            obj_read_batch(&batch, limit, reader->end);
        count += batch.vertex_count;
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
static uint64_t lose_references(uint32_t *references, uint32_t count, const struct obj_reach *highest, uint32_t rows)
{
    uint64_t all = 0;
    for (uint32_t i = 0; highest->at && highest->index >= rows && i < count; i++) {
        bool lost = references[i] != OBJ_NO_NORMAL && references[i] >= rows;
        all += lost;
        references[i] = lost ? OBJ_NO_NORMAL : references[i];
    }
    return all;
}

static cp_status check_references(struct obj_reader *reader)
{
    const struct obj_reach *vertex = &reader->highest_vertex;
    if (vertex->at && vertex->index >= reader->vertex_count)
        return report_error(reader->context, CP_INPUT, "obj-index", obj_place(reader, vertex->at), "vertex %u of %u",
                            vertex->index + 1, reader->vertex_count);
    for (int list = 0; list < OBJ_LISTS; list++) {
        struct obj_elements *elements = &reader->elements[list];
        reader->counts[OBJ_LOST_NORMALS] +=
            lose_references(elements->normals, elements->normal_count, &reader->highest_normal, reader->normal_count);
        reader->counts[OBJ_LOST_COORDINATES] += lose_references(elements->coordinates, elements->coordinate_count,
                                                                &reader->highest_coordinate, reader->coordinate_count);
    }
    if (reader->coordinate_count == 0) /* a file without any may refer to some all the same */
        reader->counts[OBJ_LOST_COORDINATES] = 0;
    return CP_OK;
}

/* ---- colours ---- */

/* Converts the colours, which are meant for a screen (IEC 61966-2-1, sRGB), to the scene's linear light. Values up to
 * 255 are bytes. */
static cp_status finish_colours(struct obj_reader *reader)
{
    bool bytes = reader->largest_colour > 2;
    cp_status status = CP_OK;
    uint64_t outside = 0;
    if (bytes)
        status = report_lenient(reader->context, reader->settings->import.strict, "obj-colour-range",
                                IN_FILE(reader->source->name), "vertex colours up to %s, taken as 0..255 for 0..1",
                                show_number((double)reader->largest_colour).text);
    for (size_t i = 0; i < 4 * (size_t)reader->colour_count; i++) {
        if (reader->colours[i] == INFINITY) { /* of a vertex without a colour */
            reader->colours[i] = 1;
            continue;
        }
        double value = (double)reader->colours[i] / (bytes && i % 4 < 3 ? 255 : 1);
        double c = value > 0 ? fmin(value, 1) : 0;
        outside += !(value >= 0 && value <= 1);
        if (i % 4 < 3)
            c = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
        reader->colours[i] = (float)c;
    }
    if (outside > 0)
        report_loss(reader->context, "obj-colour-range", IN_FILE(reader->source->name), outside,
                    "vertex colour values outside 0..1");
    return status;
}

/* ---- the report ---- */

static cp_status report_counts(struct obj_reader *reader)
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
    if (reader->coordinate_count > 0 && !reader->elements[OBJ_FACES].has_coordinates)
        report_loss(context, "obj-texture-coordinates", file, reader->coordinate_count,
                    "texture coordinates that no face uses");
    if (reader->counts[OBJ_SMOOTHED] && reader->normal_count == 0)
        report_note(context, "obj-smoothing", file, "smoothing groups, not evaluated: %llu",
                    (unsigned long long)reader->counts[OBJ_SMOOTHED]);
    return status;
}

/* Checks that something was read; a file of vertices alone has points. */
static cp_status check_content(struct obj_reader *reader)
{
    struct place file = IN_FILE(reader->source->name);
    bool empty = reader->elements[OBJ_FACES].count == 0 && reader->elements[OBJ_LINES].count == 0;
    uint64_t others = reader->counts[OBJ_SURFACES] + reader->counts[OBJ_POINTS] + reader->counts[OBJ_SMALL_FACES];
    if (empty && others == 0 && reader->vertex_count == 0)
        return report_error(reader->context, CP_INPUT, "obj-empty", file, "has neither a vertex nor a face of OBJ");
    if (empty && others == 0)
        report_loss(reader->context, "obj-points", file, reader->vertex_count, "vertices, which no face uses");
    return CP_OK;
}

/* ---- the import ---- */

static void free_file(struct file *file)
{
    struct obj_reader *reader = file->reader;
    cp_context *context = reader->context;
    for (int i = 0; i < MOST_BATCHES; i++)
        obj_free_batch(context, &file->batches[i]);
    memory_free(context, reader->positions, reader->vertex_room, 3 * sizeof(float));
    memory_free(context, reader->places, reader->vertex_count, 3 * sizeof(double));
    memory_free(context, reader->normals, reader->normal_room, 3 * sizeof(float));
    memory_free(context, reader->colours, reader->colour_room, 4 * sizeof(float));
    memory_free(context, reader->coordinates, reader->coordinate_room, 2 * sizeof(float));
    for (int list = 0; list < OBJ_LISTS; list++)
        obj_free_elements(context, &reader->elements[list]);
    obj_free_names(reader);
    memory_free(context, file, 1, sizeof *file);
}

static cp_status read_obj(cp_context *context, struct source *source, const void *settings, cp_scene *scene)
{
    struct obj_reader reader = {.context = context, .source = source, .scene = scene, .settings = settings};
    struct file *file = memory_allocate_zeroed(context, 1, sizeof *file);
    if (!file)
        return CP_LIMIT;
    cp_status status = source_decode(source);
    file->reader = &reader;
    file->at = text_after_mark(source->data, source->size);
    scene->source.unit = reader.settings->unit > 0 ? reader.settings->unit : 1;
    scene->source.up = (cp_up)reader.settings->up;
    if (status == CP_OK)
        status = obj_start_names(&reader) ? find_end(&reader) : CP_LIMIT;
    if (status == CP_OK)
        status = read_text(file);
    static cp_status (*const steps[])(struct obj_reader *) = {check_references, check_content,      report_counts,
                                                              finish_colours,   obj_find_materials, obj_add_sections};
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == CP_OK; i++)
        status = steps[i](&reader);
    free_file(file);
    if (status == CP_OK)
        report_size_without_unit(source, scene, reader.settings->unit);
    return status == CP_OK ? scene_finish(scene) : status;
}

static const cp_option obj_options[] = {
    {"unit", "length of the file's unit; m if none is given", CP_OPTION_UNIT,
     .offset = offsetof(struct obj_settings, unit)},
    {"up", "the file's axis that points up", CP_OPTION_CHOICE, offsetof(struct obj_settings, up), "z",
     .choices = "z|y"},
    CP_OPTIONS_END,
};

const struct importer obj_importer = {
    .plugin = {.name = "obj",
               .title = "OBJ (Wavefront), with MTL",
               .options = obj_options,
               .settings_size = sizeof(struct obj_settings)},
    .suffixes = ".obj",
    .probe = probe_obj,
    .sign = "lines \"v\" with three numbers, \"f\", \"o\", \"g\"",
    .read = read_obj,
};
