/* Accessors: typed arrays in bufferViews, strided, sparse and normalised (glTF 2.0, section 3.6.2). */
#include "gltf.h"

#include <math.h>
#include <string.h>

static const char *const type_words[] = {"SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4", NULL};
static const uint32_t type_components[] = {1, 2, 3, 4, 4, 9, 16};

static uint32_t component_size(uint32_t type)
{
    static const uint32_t sizes[] = {1, 1, 2, 2, 0, 4, 4};
    return type >= COMPONENT_BYTE && type <= COMPONENT_FLOAT ? sizes[type - COMPONENT_BYTE] : 0;
}

/* Takes a slice of count elements of element_size bytes from byteOffset of a view, all of it there. */
static bool take_elements(struct gltf *gltf, struct gltf_buffers *buffers, uint32_t object, uint32_t count,
                          uint64_t element_size, struct gltf_view *view)
{
    uint32_t index = gltf_index(gltf, object, "bufferView", gltf->lists.views.count);
    uint64_t offset = gltf_integer(gltf, object, "byteOffset", 0);
    if (index == CP_NONE)
        return gltf_error(gltf, object, "gltf-missing", "no bufferView");
    if (!gltf_view(gltf, buffers, index, view))
        return false;
    if (view->stride == 0)
        view->stride = element_size;
    bool inside = view->stride >= element_size && offset <= view->size;
    if (inside && count > 0)
        inside =
            element_size <= view->size - offset && count - 1 <= (view->size - offset - element_size) / view->stride;
    if (!inside)
        return gltf_error(
            gltf, object, "gltf-accessor",
            "%lu elements of %llu bytes, %llu apart, from byte %llu do not fit into a bufferView of %llu bytes",
            (unsigned long)count, (unsigned long long)element_size, (unsigned long long)view->stride,
            (unsigned long long)offset, (unsigned long long)view->size);
    view->bytes += offset;
    return true;
}

static uint64_t element_size(const struct gltf_accessor *accessor)
{
    return (uint64_t)component_size(accessor->type) * accessor->components;
}

const struct gltf_accessor *gltf_accessor(struct gltf *gltf, struct gltf_buffers *buffers, uint32_t index)
{
    struct gltf_accessor *accessor = &buffers->accessors[index];
    if (gltf->status != CP_OK || accessor->read)
        return gltf->status == CP_OK ? accessor : NULL;
    uint32_t value = gltf->lists.accessors.items[index];
    uint64_t count = gltf_integer(gltf, value, "count", 0), type = gltf_integer(gltf, value, "componentType", 0);
    uint32_t word = gltf_word(gltf, value, "type", type_words, CP_NONE);
    *accessor = (struct gltf_accessor){.read = true, .value = value};
    accessor->normalized = gltf_flag(gltf, value, "normalized");
    accessor->sparse = gltf_object(gltf, value, "sparse");
    if (word == CP_NONE || type > COMPONENT_FLOAT || component_size((uint32_t)type) == 0)
        gltf_error(gltf, value, "gltf-accessor", "componentType %llu or type is not known", (unsigned long long)type);
    else if (count >= UINT32_MAX)
        gltf_limit(gltf, value, "gltf-count", "%llu elements", (unsigned long long)count);
    if (gltf->status != CP_OK)
        return NULL;
    accessor->components = type_components[word];
    accessor->type = (uint32_t)type;
    accessor->count = (uint32_t)count;
    if (json_member(&gltf->json, value, "bufferView") != JSON_NONE)
        (void)take_elements(gltf, buffers, value, accessor->count, element_size(accessor), &accessor->view);
    else if (count > gltf->source->size) /* a count of zeros costs no bytes, so the file's size bounds it */
        gltf_limit(gltf, value, "gltf-count", "%lu elements without bytes in a file of %zu", (unsigned long)count,
                   gltf->source->size);
    return gltf->status == CP_OK ? accessor : NULL;
}

/* ---- single components ---- */

static uint32_t load_bits(const unsigned char *bytes, uint32_t size)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < size; i++)
        bits |= (uint32_t)bytes[i] << 8 * i;
    return bits;
}

/* Returns the value as a number; normalised integers by the equations of section 3.6.2.2. */
static double load_component(const unsigned char *bytes, uint32_t type, bool normalized)
{
    switch (type) {
    case COMPONENT_BYTE: {
        double value = (double)(int8_t)bytes[0];
        return normalized ? fmax(value / 127, -1) : value;
    }
    case COMPONENT_UBYTE:
        return normalized ? bytes[0] / 255.0 : bytes[0];
    case COMPONENT_SHORT: {
        double value = (double)(int16_t)load_bits(bytes, 2);
        return normalized ? fmax(value / 32767, -1) : value;
    }
    case COMPONENT_USHORT:
        return normalized ? load_bits(bytes, 2) / 65535.0 : load_bits(bytes, 2);
    case COMPONENT_UINT:
        return normalized ? load_bits(bytes, 4) / 4294967295.0 : load_bits(bytes, 4);
    default: {
        float value;
        uint32_t bits = load_bits(bytes, 4);
        memcpy(&value, &bits, sizeof value);
        return (double)value;
    }
    }
}

/* ---- whole accessors: a row of `width` numbers an element ---- */

struct rows {
    double *doubles; /* one of the two */
    float *floats;
    uint32_t width; /* width of a row, at least the accessor's components that are read */
    uint32_t take;  /* components to read */
    bool normalized;
    bool mends; /* components that are not finite become zeros */
};

/* Loads a row. An error if a component is NaN or infinite, unless that is mended. */
static bool load_row(struct gltf *gltf, const struct rows *rows, const struct gltf_accessor *accessor,
                     const unsigned char *bytes, uint32_t row)
{
    uint32_t size = component_size(accessor->type);
    bool finite = true;
    for (uint32_t i = 0; i < rows->take; i++) {
        double value = load_component(bytes + (size_t)i * size, accessor->type, rows->normalized);
        finite = finite && isfinite(value);
        if (rows->floats)
            rows->floats[(size_t)row * rows->width + i] = (float)value;
        else
            rows->doubles[(size_t)row * rows->width + i] = value;
    }
    if (!finite && rows->mends && rows->floats)
        memset(rows->floats + (size_t)row * rows->width, 0, rows->width * sizeof *rows->floats);
    else if (!finite)
        return gltf_error(gltf, accessor->value, "gltf-not-finite", "element %lu is not a finite number",
                          (unsigned long)row);
    return true;
}

/* The two halves of a sparse object. */
struct sparse {
    uint32_t count, index_size, indices_value;
    struct gltf_view indices, values;
};

static bool open_sparse(struct gltf *gltf, struct gltf_buffers *buffers, const struct gltf_accessor *accessor,
                        struct sparse *sparse)
{
    uint64_t count = gltf_integer(gltf, accessor->sparse, "count", 0);
    uint32_t indices = gltf_object(gltf, accessor->sparse, "indices");
    uint32_t values = gltf_object(gltf, accessor->sparse, "values");
    uint64_t type = gltf_integer(gltf, indices, "componentType", 0);
    if (gltf->status != CP_OK)
        return false;
    bool legal = type == COMPONENT_UBYTE || type == COMPONENT_USHORT || type == COMPONENT_UINT;
    if (!legal || count > accessor->count || indices == JSON_NONE || values == JSON_NONE)
        return gltf_error(gltf, accessor->sparse, "gltf-accessor", "sparse count, indices or values are wrong");
    sparse->count = (uint32_t)count;
    sparse->index_size = component_size((uint32_t)type);
    sparse->indices_value = indices;
    return take_elements(gltf, buffers, indices, sparse->count, sparse->index_size, &sparse->indices) &&
           take_elements(gltf, buffers, values, sparse->count, element_size(accessor), &sparse->values);
}

/* Returns the element that entry i replaces; CP_NONE after an error. */
static uint32_t sparse_index(struct gltf *gltf, const struct sparse *sparse, uint32_t i, uint32_t count)
{
    uint32_t index = load_bits(sparse->indices.bytes + i * sparse->indices.stride, sparse->index_size);
    if (index < count)
        return index;
    gltf_error(gltf, sparse->indices_value, "gltf-index", "index %lu of %lu elements", (unsigned long)index,
               (unsigned long)count);
    return CP_NONE;
}

/* ---- vertex attributes ---- */

/* Loads all rows of the accessor into `rows`, which are zero without a bufferView. */
static bool load_rows(struct gltf *gltf, struct gltf_buffers *buffers, const struct gltf_accessor *accessor,
                      const struct rows *rows)
{
    const unsigned char *bytes = accessor->view.bytes;
    size_t stride = accessor->view.stride;
    bool loaded = !bytes;
    if (bytes && accessor->type == COMPONENT_FLOAT && rows->floats) { /* the most frequent ones, bit by bit */
        uint32_t take = rows->take, not_finite = 0;
        for (size_t i = 0; i < accessor->count; i++)
            for (uint32_t at = 0; at < take; at++) {
                uint32_t bits = load_bits(bytes + i * stride + 4 * (size_t)at, 4);
                memcpy(&rows->floats[i * rows->width + at], &bits, sizeof bits);
                not_finite |= (bits & 0x7f800000u) == 0x7f800000u;
            }
        loaded = !not_finite; /* else the other loop finds the wrong one */
    }
    for (uint32_t i = 0; !loaded && i < accessor->count; i++)
        if (!load_row(gltf, rows, accessor, bytes + i * stride, i))
            return false;
    struct sparse sparse;
    if (accessor->sparse != JSON_NONE && open_sparse(gltf, buffers, accessor, &sparse))
        for (uint32_t i = 0; i < sparse.count && gltf->status == CP_OK; i++) {
            uint32_t index = sparse_index(gltf, &sparse, i, accessor->count);
            if (index != CP_NONE)
                (void)load_row(gltf, rows, accessor, sparse.values.bytes + i * sparse.values.stride, index);
        }
    return gltf->status == CP_OK;
}

const float *gltf_attribute(struct gltf *gltf, struct gltf_buffers *buffers, uint32_t index, enum gltf_purpose purpose)
{
    static const char *const purpose_words[] = {"POSITION", "NORMAL", "TANGENT", "COLOR_0", "TEXCOORD_0", "TEXCOORD_1"};
    const float **kept = &buffers->floats[index].values[purpose];
    const struct gltf_accessor *accessor = *kept ? NULL : gltf_accessor(gltf, buffers, index);
    if (!accessor)
        return *kept;
    uint32_t width = (uint32_t)vertex_arrays[purpose].width;
    size_t size = (size_t)accessor->count * width;
    if (accessor->components != width && (purpose != PURPOSE_COLOUR || accessor->components != 3))
        gltf_error(gltf, accessor->value, "gltf-accessor", "%lu components are not a %s",
                   (unsigned long)accessor->components, purpose_words[purpose]);
    bool room = gltf_take_room(gltf, accessor->value, accessor->count);
    float *floats = room ? gltf_scene_array(gltf, size, sizeof *floats) : NULL;
    if (!floats)
        return NULL;
    /* A colour without alpha is opaque; without a bufferView all else is zero. */
    for (size_t i = 0; i < size; i++)
        floats[i] = i % 4 == 3 && width == 4 && accessor->components == 3 ? 1.0F : 0.0F;
    bool integer = accessor->type != COMPONENT_FLOAT;
    bool direction = purpose == PURPOSE_NORMAL || purpose == PURPOSE_TANGENT;
    struct rows rows = {.floats = floats,
                        .width = width,
                        .take = accessor->components,
                        .normalized = integer && (accessor->normalized || direction || purpose == PURPOSE_COLOUR),
                        .mends = purpose == PURPOSE_TANGENT};
    if (!load_rows(gltf, buffers, accessor, &rows))
        return NULL;
    /* Quantised normals and tangents are unit vectors only nearly. */
    for (float *n = floats; integer && direction && n < floats + size; n += width) {
        double x = n[0], y = n[1], z = n[2], length = sqrt(x * x + y * y + z * z);
        if (length > 0) {
            n[0] = (float)(x / length);
            n[1] = (float)(y / length);
            n[2] = (float)(z / length);
        }
    }
    return *kept = floats;
}

const double *gltf_doubles(struct gltf *gltf, struct gltf_buffers *buffers, uint32_t index, uint32_t width,
                           uint32_t *count)
{
    const struct gltf_accessor *accessor = gltf_accessor(gltf, buffers, index);
    const double **kept = &buffers->floats[index].doubles;
    if (!accessor)
        return NULL;
    if (accessor->components != width) {
        gltf_error(gltf, accessor->value, "gltf-accessor", "%lu components, not %lu",
                   (unsigned long)accessor->components, (unsigned long)width);
        return NULL;
    }
    *count = accessor->count;
    if (*kept)
        return *kept;
    size_t size = (size_t)*count * width;
    bool room = gltf_take_room(gltf, accessor->value, *count);
    double *doubles = room ? gltf_scene_array(gltf, size, sizeof *doubles) : NULL;
    if (!doubles)
        return NULL;
    memset(doubles, 0, size * sizeof *doubles);
    struct rows rows = {.doubles = doubles, .width = width, .take = width, .normalized = true};
    if (!load_rows(gltf, buffers, accessor, &rows))
        return NULL;
    return *kept = doubles;
}

/* ---- indices ---- */

bool gltf_indices(struct gltf *gltf, struct gltf_buffers *buffers, const struct gltf_accessor *accessor, uint32_t value,
                  uint32_t vertex_count, uint32_t *out)
{
    const unsigned char *bytes = accessor->view.bytes;
    size_t stride = accessor->view.stride, count = accessor->count;
    uint32_t type = accessor->type, largest = 0;
    bool legal = type == COMPONENT_UBYTE || type == COMPONENT_USHORT || type == COMPONENT_UINT;
    if (!legal || accessor->components != 1)
        return gltf_error(gltf, accessor->value, "gltf-accessor", "indices are unsigned integers");
    if (!bytes)
        memset(out, 0, count * sizeof *out);
    else if (type == COMPONENT_UBYTE)
        for (size_t i = 0; i < count; i++)
            out[i] = bytes[i * stride];
    else if (type == COMPONENT_USHORT)
        for (size_t i = 0; i < count; i++)
            out[i] = load_bits(bytes + i * stride, 2);
    else
        for (size_t i = 0; i < count; i++)
            out[i] = load_bits(bytes + i * stride, 4);
    struct sparse sparse;
    if (accessor->sparse != JSON_NONE && open_sparse(gltf, buffers, accessor, &sparse))
        for (uint32_t i = 0; i < sparse.count && gltf->status == CP_OK; i++) {
            uint32_t index = sparse_index(gltf, &sparse, i, accessor->count);
            if (index != CP_NONE)
                out[index] = load_bits(sparse.values.bytes + i * sparse.values.stride, component_size(type));
        }
    for (size_t i = 0; i < count; i++)
        largest = out[i] > largest ? out[i] : largest;
    for (size_t i = 0; largest >= vertex_count && i < count && gltf->status == CP_OK; i++)
        if (out[i] >= vertex_count)
            gltf_error(gltf, value, "gltf-index", "index %lu of %lu vertices", (unsigned long)out[i],
                       (unsigned long)vertex_count);
    return gltf->status == CP_OK;
}
