/* The file: GLB, or JSON with a sibling .bin or a data URI. */
#include "writer.h"

#include <string.h>

/* ---- bytes of the binary part, through a chunk ---- */

/* A multiple of 4 (views end at one) and of 3 (base64). */
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

/* Little-endian on every machine. */
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

/* The last ones with zeros behind them, up to a word. */
static void put_bytes(struct bytes *bytes, const void *data, uint64_t count)
{
    const unsigned char *from = data;
    for (uint64_t i = 0; i < count; i += 4) {
        uint32_t word = 0;
        for (uint64_t k = 0; k < 4 && i + k < count; k++)
            word |= (uint32_t)from[i + k] << 8 * k;
        put_word(bytes, word);
    }
}

static uint32_t word_at(const void *data, uint64_t index)
{
    uint32_t word;
    memcpy(&word, (const char *)data + index * sizeof word, sizeof word);
    return word;
}

static bool words_are_little_endian(void)
{
    const uint32_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

/* Where words are in memory as in the file they need not go through the chunk. */
static void put_words_of(struct bytes *bytes, const struct view *view)
{
    if (words_are_little_endian() && !bytes->base64) {
        flush_bytes(bytes);
        sink_write(bytes->sink, view->data, view->count * sizeof(uint32_t));
        return;
    }
    for (uint64_t i = 0; i < view->count; i++)
        put_word(bytes, word_at(view->data, i));
}

static void put_view(struct bytes *bytes, const struct view *view)
{
    uint64_t i = 0;
    switch (view->encoding) {
    case ENCODE_WORDS:
        put_words_of(bytes, view);
        break;
    case ENCODE_NARROW: /* two a word; the padding of an odd one is a zero */
        for (; i < view->count; i += 2)
            put_word(bytes, word_at(view->data, i) | (i + 1 < view->count ? word_at(view->data, i + 1) << 16 : 0));
        break;
    case ENCODE_BYTES:
        put_bytes(bytes, view->data, view->count);
        break;
    case ENCODE_SIZES:
        for (; i < view->count; i++)
            put_word(bytes, view->data ? word_at(view->data, i + 1) - word_at(view->data, i) : 3);
        break;
    }
}

static void put_buffer(const struct writer *writer, struct sink *sink, bool base64)
{
    struct bytes bytes = {.sink = sink, .base64 = base64};
    for (uint32_t i = 0; i < writer->view_count && sink_status(sink) == CP_OK; i++)
        put_view(&bytes, &writer->views[i]);
    flush_bytes(&bytes);
}

/* ---- JSON ---- */

static void write_members(struct writer *writer)
{
    json_open(&writer->json, '{');
    write_asset(writer);
    write_extensions(writer);
    write_scene(writer);
    write_nodes(writer);
    write_materials(writer);
    write_meshes(writer);
    write_clips(writer);
    write_accessors(writer);
    write_views(writer);
}

/* The buffer in which packed views lie unpacked: it has no bytes anywhere. */
static void write_fallback(struct json_writer *json, uint64_t size)
{
    json_open(json, '{');
    json_key_integer(json, "byteLength", size);
    json_key(json, "extensions");
    json_open(json, '{');
    json_key(json, "EXT_meshopt_compression");
    json_open(json, '{');
    json_key_true(json, "fallback");
    json_close(json, '}');
    json_close(json, '}');
    json_close(json, '}');
}

static void write_buffers(struct writer *writer)
{
    struct json_writer *json = &writer->json;
    if (writer->buffer_size == 0)
        return;
    json_line(json);
    json_key(json, "buffers");
    json_open(json, '[');
    json_open(json, '{');
    json_key_integer(json, "byteLength", writer->buffer_size);
    if (writer->uri)
        json_key_text(json, "uri", writer->uri);
    writer->uri_end = json->out->size - 1;
    json_close(json, '}');
    if (writer->fallback_size)
        write_fallback(json, writer->fallback_size);
    json_close(json, ']');
}

/* sink NULL: what is too long to be kept is only measured. */
static cp_status compose_text(struct writer *writer, struct sink *sink)
{
    writer->text.size = 0;
    writer->json = (struct json_writer){.out = &writer->text, .sink = sink};
    write_members(writer);
    write_buffers(writer);
    json_close(&writer->json, '}');
    buffer_append(&writer->text, "\n", 1);
    return writer->text.failed ? CP_LIMIT : CP_OK;
}

/* All of the text but its end, which stays in the buffer: what was not kept is made once more. */
static cp_status emit_text(struct writer *writer, struct sink *sink)
{
    return writer->json.passed > 0 ? compose_text(writer, sink) : CP_OK;
}

/* ---- GLB: glTF 2.0 section 4 ---- */

enum {
    GLB_MAGIC = 0x46546c67,
    GLB_VERSION = 2,
    CHUNK_JSON = 0x4e4f534a,
    CHUNK_BIN = 0x004e4942,
    GLB_HEAD = 12,
    CHUNK_HEAD = 8
};

static void put_words(struct sink *sink, const uint32_t *words, size_t count)
{
    struct bytes bytes = {.sink = sink};
    for (size_t i = 0; i < count; i++)
        put_word(&bytes, words[i]);
    flush_bytes(&bytes);
}

/* Of the text, to a word. */
static size_t padding_size(const struct writer *writer)
{
    return (size_t)(-json_size(&writer->json) & 3);
}

static uint64_t glb_size(const struct writer *writer)
{
    uint64_t binary = writer->buffer_size ? CHUNK_HEAD + writer->buffer_size : 0;
    return GLB_HEAD + CHUNK_HEAD + json_size(&writer->json) + padding_size(writer) + binary;
}

static cp_status compose_glb(struct writer *writer, struct sink *sink, uint64_t *size)
{
    (void)sink;
    cp_status status = compose_text(writer, NULL);
    *size = glb_size(writer);
    return status;
}

static cp_status emit_glb(struct writer *writer, struct sink *sink)
{
    uint64_t total = glb_size(writer), text_size = json_size(&writer->json) + padding_size(writer);
    if (total > UINT32_MAX)
        return report_error(writer->context, CP_LIMIT, "glb-size", NOWHERE,
                            "%llu bytes do not fit a GLB of at most 4 GiB: write .gltf", (unsigned long long)total);
    const uint32_t head[] = {GLB_MAGIC, GLB_VERSION, (uint32_t)total, (uint32_t)text_size, CHUNK_JSON};
    const uint32_t binary_head[] = {(uint32_t)writer->buffer_size, CHUNK_BIN};
    put_words(sink, head, 5);
    cp_status status = emit_text(writer, sink);
    if (status != CP_OK)
        return status;
    sink_write(sink, writer->text.data, writer->text.size);
    sink_write(sink, "   ", padding_size(writer));
    if (writer->buffer_size) {
        put_words(sink, binary_head, 2);
        put_buffer(writer, sink, false);
    }
    return sink_status(sink);
}

const struct container glb_container = {compose_glb, emit_glb};

/* ---- .gltf ---- */

/* RFC 3986: all but unreserved characters as %XX. */
static const char *encode_uri(struct writer *writer, const char *name)
{
    static const char digits[] = "0123456789ABCDEF";
    static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    char *uri = scene_allocate(writer->work, strlen(name) + 1, 3);
    size_t size = 0;
    for (size_t i = 0; uri && name[i]; i++) {
        unsigned char byte = (unsigned char)name[i];
        if (strchr(safe, byte)) {
            uri[size++] = name[i];
            continue;
        }
        uri[size++] = '%';
        uri[size++] = digits[byte >> 4];
        uri[size++] = digits[byte & 15];
    }
    if (uri)
        uri[size] = 0;
    return uri;
}

/* The name of the sibling with the binary part; NULL when out of memory. */
static const char *name_sibling(struct writer *writer, const struct sink *sink)
{
    struct buffer text = {.context = writer->context};
    buffer_text(&text, sink_stem(sink));
    buffer_append(&text, ".bin", sizeof ".bin");
    const char *name = text.failed ? NULL : scene_text(writer->work, text.data);
    buffer_free(&text);
    return name;
}

static const char *uri_of_binary(struct writer *writer, const struct sink *sink)
{
    if (writer->settings->embed)
        return "data:application/octet-stream;base64,";
    const char *name = name_sibling(writer, sink);
    return name ? encode_uri(writer, name) : NULL;
}

static cp_status compose_gltf(struct writer *writer, struct sink *sink, uint64_t *size)
{
    uint64_t bytes = writer->buffer_size;
    writer->uri = bytes ? uri_of_binary(writer, sink) : NULL;
    if (bytes && !writer->uri)
        return CP_LIMIT;
    cp_status status = compose_text(writer, NULL);
    *size = json_size(&writer->json) + (writer->settings->embed ? base64_length(bytes) : bytes);
    return status;
}

static void emit_embedded(const struct writer *writer, struct sink *sink)
{
    const struct buffer *text = &writer->text;
    size_t begin = writer->buffer_size ? writer->uri_end : text->size;
    sink_write(sink, text->data, begin);
    put_buffer(writer, sink, true);
    sink_write(sink, text->data + begin, text->size - begin);
}

static cp_status emit_sibling(struct writer *writer, struct sink *sink)
{
    struct sink *further;
    const char *name = name_sibling(writer, sink);
    cp_status status = name ? sink_open(sink, name, &further) : CP_LIMIT;
    if (status != CP_OK)
        return status;
    put_buffer(writer, further, false);
    return sink_close_further(further);
}

static cp_status emit_gltf(struct writer *writer, struct sink *sink)
{
    bool embed = writer->settings->embed;
    cp_status status = writer->buffer_size && !embed ? emit_sibling(writer, sink) : CP_OK;
    if (status == CP_OK)
        status = emit_text(writer, sink);
    if (status != CP_OK)
        return status;
    if (embed)
        emit_embedded(writer, sink);
    else
        sink_write(sink, writer->text.data, writer->text.size);
    return sink_status(sink);
}

const struct container gltf_container = {compose_gltf, emit_gltf};
