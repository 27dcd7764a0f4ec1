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
    view.size = view.count * (view.encoding == ENCODE_NARROW ? sizeof(uint16_t) : sizeof(uint32_t));
    view.offset = writer->buffer_size;
    writer->buffer_size += (view.size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    writer->views[writer->view_count] = view;
    return writer->view_count++;
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

static void write_floats(struct json *json, const char *key, const float *values, unsigned count)
{
    json_key(json, key);
    json_open(json, '[');
    for (unsigned i = 0; i < count; i++)
        json_float(json, values[i]);
    json_close(json, ']');
}

static void write_accessor(struct json *json, const struct accessor *accessor)
{
    static const char *const types[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    json_line(json);
    json_open(json, '{');
    json_key_integer(json, "bufferView", accessor->view);
    if (accessor->offset)
        json_key_integer(json, "byteOffset", accessor->offset);
    json_key_integer(json, "componentType", accessor->component);
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
    struct json *json = &writer->json;
    if (writer->accessor_count == 0)
        return;
    json_line(json);
    json_key(json, "accessors");
    json_open(json, '[');
    for (uint32_t i = 0; i < writer->accessor_count; i++)
        write_accessor(json, &writer->accessors[i]);
    json_close(json, ']');
}

static void write_view(struct json *json, const struct view *view)
{
    json_line(json);
    json_open(json, '{');
    if (view->id) {
        json_key(json, "name");
        json_text_of_two(json, view->id, view->part);
    }
    json_key_integer(json, "buffer", 0);
    if (view->offset)
        json_key_integer(json, "byteOffset", view->offset);
    json_key_integer(json, "byteLength", view->size);
    if (view->target)
        json_key_integer(json, "target", view->target);
    json_close(json, '}');
}

void write_views(struct writer *writer)
{
    struct json *json = &writer->json;
    if (writer->view_count == 0)
        return;
    json_line(json);
    json_key(json, "bufferViews");
    json_open(json, '[');
    for (uint32_t i = 0; i < writer->view_count; i++)
        write_view(json, &writer->views[i]);
    json_close(json, ']');
}
