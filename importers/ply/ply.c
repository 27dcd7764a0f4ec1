/* PLY: elements with properties; those called vertex, face and tristrips are a mesh.
 *
 * Specification: G. Turk, "The PLY Polygon File Format" (1994). What programs write beyond it:
 *   - types by their sizes (int8 .. float64), `vertex_index` for `vertex_indices`, `diffuse_red` and `r` for `red`;
 *   - triangle strips (element `tristrips`), in which -1 begins a new one (Stanford's scans);
 *   - headers whose lines end in CR LF or CR, `obj_info` lines, normals of no length, colours as floats.
 *
 * Behaviour and limitations:
 *   - A node and a mesh, named by the file. Vertices stay as they are and in order; polygons stay whole.
 *   - Unit and axes are not known: options say them, and they go into the instance's transform.
 *   - Colours of vertices are sRGB. Colours of faces count where vertices have none: they become materials.
 *   - All other elements and properties are losses, texture coordinates too. So are points without faces.
 *   - Coordinates of doubles are rounded to floats. */
#include "ply.h"

#include <math.h>

static int probe_ply(const char *head, size_t size, uint64_t file_size)
{
    (void)file_size;
    return size > 3 && (memcmp(head, "ply", 3) == 0 || memcmp(head, "PLY", 3) == 0) && is_space(head[3]) ? 100 : 0;
}

/* ---- rows ---- */

bool ply_reserve_indices(struct ply *ply, uint32_t count)
{
    bool done = array_reserve(ply->faces.context, &ply->indices, &ply->index_room, count, sizeof *ply->indices);
    if (!done)
        ply->status = CP_LIMIT;
    return done;
}

/* Scales colours to 0..1 by their type: integers have 8 bits, or 16 if their type has. */
static void scale_colour(const struct ply *ply, const struct ply_element *element, double rgba[4])
{
    for (int i = 0; i < 4; i++) {
        enum ply_type type = element->types[PLY_RED + i];
        double most = type == PLY_UINT16 ? 65535 : type < PLY_FLOAT ? 255 : 1;
        rgba[i] = type ? ply->values[PLY_RED + i] / most : 1;
    }
}

static void take_vertex(struct ply *ply, const struct ply_element *element, uint32_t row)
{
    struct face_reader *faces = &ply->faces;
    for (int k = 0; k < 3; k++)
        faces->positions[3 * (size_t)row + (size_t)k] = (float)ply->values[PLY_X + k];
    for (int k = 0; faces->normals && k < 3; k++)
        faces->normals[3 * (size_t)row + (size_t)k] = (float)ply->values[PLY_NX + k];
    if (faces->colours) {
        double rgba[4];
        scale_colour(ply, element, rgba);
        faces_set_vertex_colour(faces, row, rgba);
    }
}

static cp_status take_face(struct ply *ply, const struct ply_element *element, const char *at)
{
    struct face_reader *faces = &ply->faces;
    cp_status status = CP_OK;
    if (element->types[PLY_RED]) {
        double rgba[4];
        scale_colour(ply, element, rgba);
        status = faces_set_colour(faces, rgba);
    }
    if (status == CP_OK)
        status = faces_reserve(faces, ply->index_count);
    if (status != CP_OK)
        return status;
    if (ply->index_count > 0)
        memcpy(faces->corners + faces->corner_count, ply->indices, ply->index_count * sizeof *ply->indices);
    return faces_end_face(faces, ply->index_count, at);
}

/* Takes triangle strips. Every second triangle of a strip runs the other way. Triangles that name a vertex twice only
 * connect others. */
static cp_status take_strips(struct ply *ply, const char *at)
{
    struct face_reader *faces = &ply->faces;
    cp_status status = CP_OK;
    uint32_t first = 0;
    for (uint32_t i = 0; i < ply->index_count && status == CP_OK; i++) {
        const uint32_t *last = ply->indices + i;
        if (*last == CP_NONE)
            first = i + 1;
        if (*last == CP_NONE || i < first + 2 || last[0] == last[-1] || last[-1] == last[-2] || last[0] == last[-2])
            continue;
        bool turned = (i - first) % 2;
        status = faces_reserve(faces, 3);
        if (status == CP_OK) {
            memcpy(faces->corners + faces->corner_count,
                   (uint32_t[]){last[turned ? -1 : -2], last[turned ? -2 : -1], *last}, 3 * sizeof *last);
            status = faces_end_face(faces, 3, at);
        }
    }
    return status;
}

/* Takes a row's values by their meaning. */
static cp_status take_row(struct ply *ply, const struct ply_element *element, uint32_t row, const char *at)
{
    if (element->kind == PLY_VERTICES)
        take_vertex(ply, element, row);
    return element->kind == PLY_FACES    ? take_face(ply, element, at)
           : element->kind == PLY_STRIPS ? take_strips(ply, at)
                                         : CP_OK;
}

/* ---- elements ---- */

/* A word of the header for messages: size and text. */
#define SHOWN(word) (int)((word).size < 40 ? (word).size : 40), (word).text

static cp_status report_cut(struct ply *ply, const struct ply_element *element, uint32_t rows)
{
    const struct face_reader *faces = &ply->faces;
    bool useless = !faces->settings->import.partial || (element->kind == PLY_VERTICES && faces->face_count > 0);
    return report_lenient(faces->context, useless, "ply-truncated",
                          faces_place(faces, ply->form == PLY_ASCII ? ply->end : NULL),
                          "the file ends after %u of %u elements \"%.*s\"", rows, element->count, SHOWN(element->name));
}

/* Checks how many rows there can be; fewer than counted are an error, except with partial=yes. */
static cp_status check_count(struct ply *ply, const struct ply_element *element, uint32_t *room)
{
    const struct face_reader *faces = &ply->faces;
    uint64_t least = ply_least_size(ply, element), left = (uint64_t)(ply->end - ply->at);
    uint64_t most = (left + 1) / least; /* a text may end without a blank */
    *room = element->count < most ? element->count : (uint32_t)most;
    if (element->count <= most || faces->settings->import.partial)
        return CP_OK;
    return report_error(faces->context, CP_INPUT, "ply-truncated", IN_FILE(faces->source->name),
                        "%u elements \"%.*s\" need %llu bytes at least, and %llu are left", element->count,
                        SHOWN(element->name), (unsigned long long)(element->count * least), (unsigned long long)left);
}

/* Checks for blocks of zero bytes, as a power loss leaves them: they would be read as points at the origin and empty
 * faces. */
static cp_status check_zeros(const struct ply *ply, const char *start)
{
    enum { DISK_BLOCK = 512 };
    const struct face_reader *faces = &ply->faces;
    const char *data = faces->source->data;
    size_t at = ((size_t)(start - data) + DISK_BLOCK - 1) / DISK_BLOCK * DISK_BLOCK, end = (size_t)(ply->at - data);
    for (; at + DISK_BLOCK <= end; at += DISK_BLOCK)
        if (bytes_are_zero(data + at, DISK_BLOCK))
            return report_lenient(faces->context, !faces->settings->import.partial, "ply-zeros",
                                  IN_FILE(faces->source->name),
                                  "%d zero bytes from byte %zu on, as a power loss leaves them", DISK_BLOCK, at);
    return CP_OK;
}

static enum ply_end read_row(struct ply *ply, const struct ply_element *element, uint32_t row)
{
    const char *at = ply->at;
    enum ply_end end = ply->form == PLY_ASCII ? ply_read_text_row(ply, element) : ply_read_binary_row(ply, element);
    if (end == PLY_READ)
        ply->status = take_row(ply, element, row, ply->form == PLY_ASCII ? at : NULL);
    return ply->status == CP_OK ? end : PLY_BROKEN;
}

/* Reads vertices far from the origin again, from an origin of their own. Floats of a binary file have no more
 * digits. */
static void move_near(struct ply *ply, const struct ply_element *element, const char *start)
{
    struct face_reader *faces = &ply->faces;
    const enum ply_type *types = element->types + PLY_X;
    bool all_floats = types[0] == PLY_FLOAT && types[1] == PLY_FLOAT && types[2] == PLY_FLOAT;
    if ((ply->form != PLY_ASCII && all_floats) || !faces_find_origin(faces))
        return;
    const char *after = ply->at;
    uint64_t long_lines = ply->long_lines;
    ply->at = start;
    ply->in_double = true;
    for (uint32_t row = 0; row < faces->vertex_count; row++) {
        (void)(ply->form == PLY_ASCII ? ply_read_text_row(ply, element) : ply_read_binary_row(ply, element));
        faces_set_place(faces, row, ply->values + PLY_X);
    }
    ply->in_double = false;
    ply->long_lines = long_lines;
    ply->at = after;
}

/* Reads the element's rows; *cut: the file ends among them, which is reported. */
static cp_status read_element(struct ply *ply, const struct ply_element *element, bool *cut)
{
    struct face_reader *faces = &ply->faces;
    const char *start = ply->at;
    enum ply_end end = PLY_READ;
    uint32_t row = 0, room;
    if (element->property_count == 0)
        return CP_OK;
    cp_status status = check_count(ply, element, &room);
    if (status == CP_OK && element->kind == PLY_VERTICES)
        status = faces_make_vertices(faces, room, element->types[PLY_NX], element->types[PLY_RED]);
    if (status != CP_OK)
        return status;
    faces->colour = CP_NONE;
    if (element->kind == PLY_VERTICES)
        end = ply_read_vertices(ply, element, &row);
    if (element->kind == PLY_FACES)
        end = ply_read_faces(ply, element, &row);
    while (row < element->count && end == PLY_READ) {
        end = row < room ? read_row(ply, element, row) : PLY_CUT;
        row += end == PLY_READ;
    }
    if (element->kind == PLY_VERTICES) {
        faces->vertex_count = row;
        if (end != PLY_BROKEN)
            move_near(ply, element, start);
    }
    *cut = end == PLY_CUT;
    if (end != PLY_READ)
        return *cut ? report_cut(ply, element, row) : ply->status;
    return ply->form != PLY_ASCII && element->kind != PLY_UNKNOWN ? check_zeros(ply, start) : CP_OK;
}

/* ---- the file ---- */

static void report_losses(const struct ply *ply)
{
    cp_context *context = ply->faces.context;
    struct place place = IN_FILE(ply->faces.source->name);
    for (uint32_t e = 0; e < ply->element_count; e++) {
        const struct ply_element *element = &ply->elements[e];
        if (element->count > 0 && element->kind == PLY_UNKNOWN)
            report_loss(context, "ply-element", place, element->count, "elements \"%.*s\"", SHOWN(element->name));
        for (uint32_t p = 0; element->count > 0 && element->kind != PLY_UNKNOWN && p < element->property_count; p++) {
            const struct ply_property *property = &element->properties[p];
            if (property->role == PLY_OTHER)
                report_loss(context, "ply-property", place, element->count, "values \"%.*s\" of elements \"%.*s\"",
                            SHOWN(property->name), SHOWN(element->name));
        }
    }
    if (ply->textures > 0)
        report_loss(context, "ply-texture", place, ply->textures, "textures that comments name");
    if (ply->comments > 0)
        report_note(context, "ply-comment", place, "%u comments are not kept; the first: \"%.*s\"", ply->comments,
                    SHOWN(ply->comment));
}

static cp_status check_end(const struct ply *ply)
{
    const struct face_reader *faces = &ply->faces;
    const char *at = faces_skip_spaces(ply->at, ply->end);
    cp_status status = CP_OK;
    if (ply->long_lines > 0)
        status = report_lenient(faces->context, ply->strict, "ply-line", IN_FILE(faces->source->name),
                                "lines with more values than the header says, which are skipped: %llu",
                                (unsigned long long)ply->long_lines);
    if (status == CP_OK && at < ply->end)
        status = report_lenient(faces->context, ply->strict, "ply-trailing", IN_FILE(faces->source->name),
                                "%zu bytes after the last element", (size_t)(ply->end - at));
    return status;
}

static cp_status read_ply(cp_context *context, struct source *source, const void *settings, cp_scene *scene)
{
    static const struct faces_codes codes = FACES_CODES("ply");
    cp_status status = source_decode(source);
    struct ply ply = {.at = source->data, .end = source->data + source->size};
    struct face_reader *faces = &ply.faces;
    bool cut = false;
    faces_start(faces, context, source, scene, settings, &codes);
    ply.strict = faces->settings->import.strict;
    if (status == CP_OK)
        status = ply_read_header(&ply);
    if (status == CP_OK)
        report_losses(&ply);
    for (uint32_t i = 0; i < ply.element_count; i++)
        if (ply.elements[i].kind == PLY_VERTICES)
            faces->vertex_count = ply.elements[i].count; /* faces may come first */
    for (uint32_t i = 0; i < ply.element_count && status == CP_OK && !cut; i++)
        status = read_element(&ply, &ply.elements[i], &cut);
    if (status == CP_OK && !cut)
        status = check_end(&ply);
    if (status == CP_OK)
        status = faces_finish(faces);
    memory_free(context, ply.indices, ply.index_room, sizeof *ply.indices);
    faces_free(faces);
    return status;
}

const struct importer ply_importer = {
    .plugin = {.name = "ply",
               .title = "PLY (polygons, Stanford), ASCII and binary",
               .options = mesh_file_options,
               .settings_size = sizeof(struct mesh_file_settings)},
    .suffixes = ".ply",
    .probe = probe_ply,
    .sign = "a first line \"ply\"",
    .read = read_ply,
};
