/* The binary part: views and accessors get their places here. */
#include "writer.h"

#include <math.h>
#include <string.h>

/* glTF wants accessors at multiples of their component; 4 is one of all. */
enum { ALIGNMENT = 4 };

uint32_t add_view(struct writer *writer, struct view view)
{
    void *views = writer->views;
    bool room = array_reserve(writer->context, &views, &writer->view_room, writer->view_count + UINT64_C(1),
                              sizeof *writer->views);
    writer->views = views;
    if (!room)
        return CP_NONE;
    writer->views[writer->view_count] = view;
    return writer->view_count++;
}

static uint64_t aligned(uint64_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static uint64_t view_size(const struct view *view)
{
    static const uint64_t sizes[] = {[ENCODE_WORDS] = 4, [ENCODE_NARROW] = 2, [ENCODE_SIZES] = 4, [ENCODE_BYTES] = 1};
    return view->count * sizes[view->encoding];
}

static void place_view(struct writer *writer, struct view *view)
{
    view->offset = writer->buffer_size;
    writer->buffer_size += aligned(view_size(view));
    if (!view->packing)
        return;
    view->packing->offset = writer->fallback_size;
    writer->fallback_size += aligned(view->packing->count * view->packing->stride);
}

void place_views(struct writer *writer)
{
    for (uint32_t i = 0; i < writer->view_count; i++)
        place_view(writer, &writer->views[i]);
}

uint32_t add_accessor(struct writer *writer, struct accessor accessor)
{
    void *accessors = writer->accessors;
    bool room = accessor.view != CP_NONE && array_reserve(writer->context, &accessors, &writer->accessor_room,
                                                          writer->accessor_count + UINT64_C(1), sizeof accessor);
    writer->accessors = accessors;
    if (!room)
        return CP_NONE;
    writer->accessors[writer->accessor_count] = accessor;
    return writer->accessor_count++;
}

void set_range(struct accessor *accessor, const float *values)
{
    unsigned width = accessor->width;
    accessor->ranged = true;
    memcpy(accessor->minimum, values, width * sizeof(float));
    memcpy(accessor->maximum, values, width * sizeof(float));
    for (uint64_t i = 1; i < accessor->count; i++)
        for (unsigned k = 0; k < width; k++) {
            float value = values[i * width + k];
            if (value < accessor->minimum[k])
                accessor->minimum[k] = value;
            if (value > accessor->maximum[k])
                accessor->maximum[k] = value;
        }
}

static void write_floats(struct json_writer *json, const char *key, const float *values, unsigned count)
{
    json_key(json, key);
    json_open(json, '[');
    for (unsigned i = 0; i < count; i++)
        json_float(json, values[i]);
    json_close(json, ']');
}

static void write_accessor(struct json_writer *json, const struct accessor *accessor)
{
    static const char *const types[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    json_line(json);
    json_open(json, '{');
    json_key_integer(json, "bufferView", accessor->view);
    if (accessor->offset)
        json_key_integer(json, "byteOffset", accessor->offset);
    json_key_integer(json, "componentType", accessor->component);
    if (accessor->normalized)
        json_key_true(json, "normalized");
    json_key_integer(json, "count", accessor->count);
    json_key_text(json, "type", types[accessor->width]);
    if (accessor->ranged) {
        write_floats(json, "min", accessor->minimum, accessor->width);
        write_floats(json, "max", accessor->maximum, accessor->width);
    }
    json_close(json, '}');
}

void write_accessors(struct writer *writer)
{
    struct json_writer *json = &writer->json;
    if (writer->accessor_count == 0)
        return;
    json_line(json);
    json_key(json, "accessors");
    json_open(json, '[');
    for (uint32_t i = 0; i < writer->accessor_count; i++)
        write_accessor(json, &writer->accessors[i]);
    json_close(json, ']');
}

/* The EXT_meshopt_compression of a view: where the packed bytes are. */
static void write_packing(struct json_writer *json, const struct view *view)
{
    const struct packing *packing = view->packing;
    json_key(json, "extensions");
    json_open(json, '{');
    json_key(json, "EXT_meshopt_compression");
    json_open(json, '{');
    json_key_integer(json, "buffer", 0);
    if (view->offset)
        json_key_integer(json, "byteOffset", view->offset);
    json_key_integer(json, "byteLength", view_size(view));
    json_key_integer(json, "byteStride", packing->stride);
    json_key_integer(json, "count", packing->count);
    json_key_text(json, "mode", packing->mode);
    if (packing->filter)
        json_key_text(json, "filter", packing->filter);
    json_close(json, '}');
    json_close(json, '}');
}

static void write_view(struct json_writer *json, const struct view *view)
{
    const struct packing *packing = view->packing;
    uint64_t offset = packing ? packing->offset : view->offset;
    json_line(json);
    json_open(json, '{');
    if (view->id) {
        json_key(json, "name");
        json_text_of_two(json, view->id, view->part);
    }
    json_key_integer(json, "buffer", packing ? 1 : 0);
    if (offset)
        json_key_integer(json, "byteOffset", offset);
    json_key_integer(json, "byteLength", packing ? packing->count * packing->stride : view_size(view));
    if (view->stride)
        json_key_integer(json, "byteStride", view->stride);
    if (view->target)
        json_key_integer(json, "target", view->target);
    if (packing)
        write_packing(json, view);
    json_close(json, '}');
}

void write_views(struct writer *writer)
{
    struct json_writer *json = &writer->json;
    if (writer->view_count == 0)
        return;
    json_line(json);
    json_key(json, "bufferViews");
    json_open(json, '[');
    for (uint32_t i = 0; i < writer->view_count; i++)
        write_view(json, &writer->views[i]);
    json_close(json, ']');
}
