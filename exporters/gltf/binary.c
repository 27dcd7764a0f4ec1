#include "binary.h"

#include <string.h>

#include "base/bytes/bytes.h"
#include "base/text/text.h"

/* glTF demands that accessors begin at multiples of their component; 4 is a multiple of all. */
enum { ALIGNMENT = 4 };

uint32_t add_view(struct gltf_binary *binary, struct buffer_view view)
{
    if (!array_reserve(binary->context, &binary->views, &binary->view_room, binary->view_count + UINT64_C(1),
                       sizeof view))
        return CP_NONE;
    binary->views[binary->view_count] = view;
    return binary->view_count++;
}

static uint64_t aligned(uint64_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static uint64_t view_size(const struct buffer_view *view)
{
    static const uint64_t sizes[] = {[ENCODE_WORDS] = 4, [ENCODE_NARROW] = 2, [ENCODE_SIZES] = 4, [ENCODE_BYTES] = 1};
    return view->count * sizes[view->encoding];
}

void place_views(struct gltf_binary *binary)
{
    for (uint32_t i = 0; i < binary->view_count; i++) {
        struct buffer_view *view = &binary->views[i];
        view->offset = binary->size;
        binary->size += aligned(view_size(view));
        if (!view->packing)
            continue;
        view->packing->offset = binary->fallback_size;
        binary->fallback_size += aligned(view->packing->count * view->packing->stride);
    }
}

uint32_t add_accessor(struct gltf_binary *binary, struct accessor accessor)
{
    if (accessor.view == CP_NONE || !array_reserve(binary->context, &binary->accessors, &binary->accessor_room,
                                                   binary->accessor_count + UINT64_C(1), sizeof accessor))
        return CP_NONE;
    binary->accessors[binary->accessor_count] = accessor;
    return binary->accessor_count++;
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
    json_key_open(json, key, '[');
    for (unsigned i = 0; i < count; i++)
        json_float(json, values[i]);
    json_close(json, ']');
}

void write_accessors(struct json_writer *json, const struct gltf_binary *binary)
{
    static const char *const types[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    if (binary->accessor_count == 0)
        return;
    json_open_list(json, "accessors");
    for (uint32_t i = 0; i < binary->accessor_count; i++) {
        const struct accessor *accessor = &binary->accessors[i];
        json_open_item(json);
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
    json_close(json, ']');
}

/* Writes the views. A packed view has a place for its unpacked bytes in the fallback buffer, which has no bytes; its
 * extension says where the packed ones are (EXT_meshopt_compression). */
void write_views(struct json_writer *json, const struct gltf_binary *binary)
{
    if (binary->view_count == 0)
        return;
    json_open_list(json, "bufferViews");
    for (uint32_t i = 0; i < binary->view_count; i++) {
        const struct buffer_view *view = &binary->views[i];
        const struct packing *packing = view->packing;
        uint64_t offset = packing ? packing->offset : view->offset;
        json_open_item(json);
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
        if (packing) {
            json_key_open(json, "extensions", '{');
            json_key_open(json, "EXT_meshopt_compression", '{');
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
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* ---- bytes of the binary part, through a chunk ---- */

/* a multiple of 4 (as views end at one) and of 3 (for base64) */
enum { CHUNK = 12288 };

struct bytes {
    struct sink *sink;
    bool base64;
    size_t used;
    unsigned char chunk[CHUNK];
};

static void flush_bytes(struct bytes *bytes)
{
    char text[CHUNK / 3 * 4];
    if (bytes->base64)
        sink_write(bytes->sink, text, base64_encode(bytes->chunk, bytes->used, text));
    else
        sink_write(bytes->sink, bytes->chunk, bytes->used);
    bytes->used = 0;
}

/* Appends a word in little-endian order, whatever the machine has. */
static void put_word(struct bytes *bytes, uint32_t value)
{
    if (bytes->used == CHUNK)
        flush_bytes(bytes);
    unsigned char *at = bytes->chunk + bytes->used;
    at[0] = (unsigned char)(value & 0xff);
    at[1] = (unsigned char)(value >> 8 & 0xff);
    at[2] = (unsigned char)(value >> 16 & 0xff);
    at[3] = (unsigned char)(value >> 24);
    bytes->used += 4;
}

static uint32_t word_at(const void *data, uint64_t index)
{
    uint32_t word;
    memcpy(&word, (const char *)data + index * sizeof word, sizeof word);
    return word;
}

static void put_view(struct bytes *bytes, const struct buffer_view *view)
{
    const unsigned char *from = view->data;
    const uint32_t one = 1;
    uint64_t i = 0;
    switch (view->encoding) {
    case ENCODE_WORDS:
        if (*(const unsigned char *)&one == 1 && !bytes->base64) { /* little-endian memory has the bytes of the file */
            flush_bytes(bytes);
            sink_write(bytes->sink, view->data, view->count * sizeof(uint32_t));
            break;
        }
        for (; i < view->count; i++)
            put_word(bytes, word_at(view->data, i));
        break;
    case ENCODE_NARROW: /* two in a word; an odd last one is followed by a zero */
        for (; i < view->count; i += 2)
            put_word(bytes, word_at(view->data, i) | (i + 1 < view->count ? word_at(view->data, i + 1) << 16 : 0));
        break;
    case ENCODE_BYTES: /* the last ones are filled with zeros, up to a word */
        for (; i < view->count; i += 4) {
            uint32_t word = 0;
            for (uint64_t k = 0; k < 4 && i + k < view->count; k++)
                word |= (uint32_t)from[i + k] << 8 * k;
            put_word(bytes, word);
        }
        break;
    case ENCODE_SIZES:
        for (; i < view->count; i++)
            put_word(bytes, view->data ? word_at(view->data, i + 1) - word_at(view->data, i) : 3);
        break;
    }
}

void write_binary(const struct gltf_binary *binary, struct sink *sink, bool base64)
{
    struct bytes bytes = {.sink = sink, .base64 = base64};
    for (uint32_t i = 0; i < binary->view_count && sink_status(sink) == CP_OK; i++)
        put_view(&bytes, &binary->views[i]);
    flush_bytes(&bytes);
}

void write_words(struct sink *sink, const uint32_t *words, size_t count)
{
    struct bytes bytes = {.sink = sink};
    for (size_t i = 0; i < count; i++)
        put_word(&bytes, words[i]);
    flush_bytes(&bytes);
}

void free_binary(struct gltf_binary *binary)
{
    memory_free(binary->context, binary->views, binary->view_room, sizeof *binary->views);
    memory_free(binary->context, binary->accessors, binary->accessor_room, sizeof *binary->accessors);
}
