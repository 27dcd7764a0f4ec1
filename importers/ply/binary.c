/* Reads binary rows: values one after the other, without gaps. */
#include "ply.h"

/* Returns size bytes of the file's order as a number. */
static inline uint64_t load_bits(const char *at, uint32_t size, bool big)
{
    const unsigned char *bytes = (const unsigned char *)at;
    uint64_t bits = 0;
    for (uint32_t i = 0; i < size; i++)
        bits = bits << 8 | bytes[big ? i : size - 1 - i];
    return bits;
}

static inline uint32_t load_32(const char *at, bool big)
{
    const unsigned char *b = (const unsigned char *)at;
    return big ? (uint32_t)b[3] | (uint32_t)b[2] << 8 | (uint32_t)b[1] << 16 | (uint32_t)b[0] << 24
               : (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline float load_float(const char *at, bool big)
{
    uint32_t bits = load_32(at, big);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double load_value(const char *at, enum ply_type type, bool big)
{
    uint64_t bits;
    double value;
    switch (type) {
    case PLY_FLOAT:
        return (double)load_float(at, big);
    case PLY_DOUBLE:
        bits = load_bits(at, 8, big);
        memcpy(&value, &bits, sizeof value);
        return value;
    case PLY_INT8:
        return (double)(int8_t)load_bits(at, 1, big);
    case PLY_INT16:
        return (double)(int16_t)load_bits(at, 2, big);
    case PLY_INT32:
        return (double)(int32_t)load_32(at, big);
    default:
        return (double)load_bits(at, ply_size(type), big);
    }
}

/* Returns a vertex's number; one that no vertex can have is CP_NONE, or negative. */
static inline uint32_t load_index(const char *at, enum ply_type type, bool big)
{
    if (type == PLY_INT32 || type == PLY_UINT32)
        return load_32(at, big);
    double value = load_value(at, type, big);
    return value >= -1e9 && value <= 1e9 && value == (double)(int64_t)value ? (uint32_t)(int64_t)value : CP_NONE;
}

static enum ply_end read_list(struct ply *ply, const struct ply_property *property)
{
    bool big = ply->form == PLY_BIG_ENDIAN;
    uint32_t length_size = ply_size(property->length), size = ply_size(property->type);
    if ((size_t)(ply->end - ply->at) < length_size)
        return PLY_CUT;
    double length = load_value(ply->at, property->length, big);
    if (length < 0) {
        ply->status = report_error(ply->faces.context, CP_INPUT, "ply-list", IN_FILE(ply->faces.source->name),
                                   "a list of %d values", (int)length);
        return PLY_BROKEN;
    }
    uint32_t count = (uint32_t)length;
    if (count > ((size_t)(ply->end - ply->at) - length_size) / size)
        return PLY_CUT;
    const char *at = ply->at + length_size;
    ply->at = at + (size_t)count * size;
    if (property->role != PLY_INDICES)
        return PLY_READ;
    if (!ply_reserve_indices(ply, count))
        return PLY_BROKEN;
    ply->index_count = count;
    for (uint32_t i = 0; i < count; i++, at += size)
        ply->indices[i] = load_index(at, property->type, big);
    return PLY_READ;
}

enum ply_end ply_read_binary_row(struct ply *ply, const struct ply_element *element)
{
    for (uint32_t i = 0; i < element->property_count; i++) {
        const struct ply_property *property = &element->properties[i];
        uint32_t size = ply_size(property->type);
        if (property->length) {
            enum ply_end end = read_list(ply, property);
            if (end != PLY_READ)
                return end;
            continue;
        }
        if ((size_t)(ply->end - ply->at) < size)
            return PLY_CUT;
        if (property->role != PLY_OTHER)
            ply->values[property->role] = load_value(ply->at, property->type, ply->form == PLY_BIG_ENDIAN);
        ply->at += size;
    }
    return PLY_READ;
}

uint64_t ply_least_size(const struct ply *ply, const struct ply_element *element)
{
    uint64_t size = 0;
    for (uint32_t i = 0; i < element->property_count; i++) {
        const struct ply_property *property = &element->properties[i];
        size += ply->form == PLY_ASCII ? 2 : ply_size(property->length ? property->length : property->type);
    }
    return size;
}

/* ---- many rows at a time ---- */

/* Loads three floats of each row, from that offset on. */
static void load_floats(const char *at, size_t stride, uint32_t count, bool big, float *out)
{
    for (uint32_t i = 0; i < count; i++, at += stride, out += 3)
        for (uint32_t k = 0; k < 3; k++)
            out[k] = load_float(at + 4 * k, big);
}

/* Loads colours of a byte for each channel. */
static void load_colours(struct ply *ply, size_t stride, uint32_t count, const size_t offsets[PLY_ROLES], bool alpha)
{
    float *out = ply->faces.colours;
    const unsigned char *at = (const unsigned char *)ply->at;
    for (uint32_t i = 0; i < count; i++, at += stride, out += 4) {
        for (uint32_t k = 0; k < 3; k++)
            out[k] = ply->faces.linear[at[offsets[PLY_RED + k]]];
        out[3] = alpha ? (float)(at[offsets[PLY_ALPHA]] / 255.0) : 1;
    }
}

/* Finds the offset of each role's value in a row. False if coordinates or normals are not floats side by side, colours
 * not bytes, or a list is among them. */
static bool find_offsets(const struct ply_element *element, size_t offsets[PLY_ROLES], size_t *stride)
{
    *stride = 0;
    for (uint32_t role = 0; role < PLY_ROLES; role++)
        offsets[role] = SIZE_MAX / 2;
    for (uint32_t i = 0; i < element->property_count; i++) {
        const struct ply_property *property = &element->properties[i];
        enum ply_role role = property->role;
        bool begins = role == PLY_OTHER || role == PLY_X || role == PLY_NX || role >= PLY_RED;
        if (property->length || (!begins && offsets[role - 1] + 4 != *stride) ||
            (role != PLY_OTHER && property->type != (role >= PLY_RED ? PLY_UINT8 : PLY_FLOAT)))
            return false;
        offsets[role] = *stride;
        *stride += ply_size(property->type);
    }
    return true;
}

enum ply_end ply_read_vertices(struct ply *ply, const struct ply_element *element, uint32_t *row)
{
    struct face_reader *faces = &ply->faces;
    bool big = ply->form == PLY_BIG_ENDIAN;
    size_t stride, offsets[PLY_ROLES];
    if (ply->form == PLY_ASCII || !find_offsets(element, offsets, &stride))
        return PLY_READ;
    size_t whole = (size_t)(ply->end - ply->at) / stride;
    uint32_t count = whole < element->count ? (uint32_t)whole : element->count;
    load_floats(ply->at + offsets[PLY_X], stride, count, big, faces->positions);
    if (faces->normals)
        load_floats(ply->at + offsets[PLY_NX], stride, count, big, faces->normals);
    if (faces->colours)
        load_colours(ply, stride, count, offsets, element->types[PLY_ALPHA]);
    *row = count;
    ply->at += count * stride;
    return count < element->count ? PLY_CUT : PLY_READ;
}

/* Returns the only list of a row of faces, if its length takes one byte and its numbers four; else NULL. before, after:
 * the bytes of other values, without meaning. */
static const struct ply_property *find_list(const struct ply_element *element, size_t *before, size_t *after)
{
    const struct ply_property *list = NULL;
    *before = *after = 0;
    for (uint32_t i = 0; i < element->property_count; i++) {
        const struct ply_property *property = &element->properties[i];
        bool indices = property->role == PLY_INDICES && ply_size(property->length) == 1 &&
                       (property->type == PLY_INT32 || property->type == PLY_UINT32);
        if (!indices && (property->length || property->role != PLY_OTHER))
            return NULL;
        *(list ? after : before) += indices ? 0 : ply_size(property->type);
        list = indices ? property : list;
    }
    return list;
}

/* Loads the corners of rows one after the other, of `size` each. Returns how many rows there are before one that names
 * a missing vertex. */
static inline uint32_t load_corners(const char *at, size_t stride, uint32_t rows, uint32_t size, bool big,
                                    uint32_t vertex_count, uint32_t *corners)
{
    for (uint32_t i = 0; i < rows; i++, at += stride, corners += size) {
        bool beyond = false;
        for (uint32_t k = 0; k < size; k++) {
            corners[k] = load_32(at + 4 * (size_t)k, big);
            beyond |= corners[k] >= vertex_count;
        }
        if (beyond)
            return i;
    }
    return rows;
}

/* Reads the next rows of one number of corners, up to one that has an error. */
static cp_status read_alike(struct ply *ply, size_t before, size_t after, uint32_t *row, uint32_t rows)
{
    enum { LEAST_CORNERS = 3 };
    struct face_reader *faces = &ply->faces;
    const char *at = ply->at + before;
    uint32_t size = before < (size_t)(ply->end - ply->at) ? (unsigned char)*at : 0, count = 0, read;
    size_t stride = before + 1 + 4 * (size_t)size + after, whole = (size_t)(ply->end - ply->at) / stride;
    uint32_t most = whole < rows - *row ? (uint32_t)whole : rows - *row, vertex_count = faces->vertex_count;
    bool big = ply->form == PLY_BIG_ENDIAN;
    if (size < LEAST_CORNERS || size > INT8_MAX || faces->has_colours)
        return CP_OK;
    while (count < most && (unsigned char)at[count * stride] == size)
        count++;
    cp_status status = count > 0 ? faces_make_room(faces, count, size) : CP_OK;
    if (status != CP_OK || count == 0)
        return status;
    uint32_t *corners = faces->corners + faces->corner_count;
    if (size == 3 && !big) /* most files: with a constant 3 the loop is unrolled */
        read = load_corners(at + 1, stride, count, 3, false, vertex_count, corners);
    else
        read = load_corners(at + 1, stride, count, size, big, vertex_count, corners);
    for (uint32_t i = 0; i < read && faces->has_polygons; i++)
        faces->offsets[faces->face_count + i + 1] = faces->corner_count + (i + 1) * size;
    faces->corner_count += size * read;
    faces->face_count += read;
    faces->listed += read;
    ply->at += read * stride;
    *row += read;
    return CP_OK;
}

enum ply_end ply_read_faces(struct ply *ply, const struct ply_element *element, uint32_t *row)
{
    struct face_reader *faces = &ply->faces;
    size_t before, after;
    const struct ply_property *list = ply->form == PLY_ASCII ? NULL : find_list(element, &before, &after);
    if (!list)
        return PLY_READ;
    while (*row < element->count && ply->status == CP_OK) {
        ply->status = read_alike(ply, before, after, row, element->count);
        if (ply->status != CP_OK || *row == element->count)
            break;
        size_t left = (size_t)(ply->end - ply->at);
        uint32_t count = left > before ? (unsigned char)ply->at[before] : 0;
        size_t size = before + 1 + 4 * (size_t)count + after;
        if (left < size || (count > INT8_MAX && list->length == PLY_INT8))
            return PLY_READ; /* to read by rows reports the error */
        ply->status = faces_reserve(faces, count);
        const char *at = ply->at + before + 1;
        for (uint32_t k = 0; k < count && ply->status == CP_OK; k++)
            faces->corners[faces->corner_count + k] = load_32(at + 4 * (size_t)k, ply->form == PLY_BIG_ENDIAN);
        if (ply->status == CP_OK)
            ply->status = faces_end_face(faces, count, NULL);
        ply->at += size;
        ++*row;
    }
    return ply->status == CP_OK ? PLY_READ : PLY_BROKEN;
}
