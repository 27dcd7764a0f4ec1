/* The file: GLB, or JSON with a sibling .bin or a data URI. */
#include "writer.h"

#include <string.h>

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
    write_accessors(&writer->json, &writer->binary);
    write_views(&writer->json, &writer->binary);
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
    if (writer->binary.size == 0)
        return;
    json_line(json);
    json_key(json, "buffers");
    json_open(json, '[');
    json_open(json, '{');
    json_key_integer(json, "byteLength", writer->binary.size);
    if (writer->uri)
        json_key_text(json, "uri", writer->uri);
    writer->uri_end = json->out->size - 1;
    json_close(json, '}');
    if (writer->binary.fallback_size)
        write_fallback(json, writer->binary.fallback_size);
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

/* Of the text, to a word. */
static size_t padding_size(const struct writer *writer)
{
    return (size_t)(-json_size(&writer->json) & 3);
}

static uint64_t glb_size(const struct writer *writer)
{
    uint64_t binary = writer->binary.size ? CHUNK_HEAD + writer->binary.size : 0;
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
    const uint32_t binary_head[] = {(uint32_t)writer->binary.size, CHUNK_BIN};
    write_words(sink, head, 5);
    cp_status status = emit_text(writer, sink);
    if (status != CP_OK)
        return status;
    sink_write(sink, writer->text.data, writer->text.size);
    sink_write(sink, "   ", padding_size(writer));
    if (writer->binary.size) {
        write_words(sink, binary_head, 2);
        write_binary(&writer->binary, sink, false);
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
    uint64_t bytes = writer->binary.size;
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
    size_t begin = writer->binary.size ? writer->uri_end : text->size;
    sink_write(sink, text->data, begin);
    write_binary(&writer->binary, sink, true);
    sink_write(sink, text->data + begin, text->size - begin);
}

static cp_status emit_sibling(struct writer *writer, struct sink *sink)
{
    struct sink *further;
    const char *name = name_sibling(writer, sink);
    cp_status status = name ? sink_open(sink, name, &further) : CP_LIMIT;
    if (status != CP_OK)
        return status;
    write_binary(&writer->binary, further, false);
    return sink_close_further(further);
}

static cp_status emit_gltf(struct writer *writer, struct sink *sink)
{
    bool embed = writer->settings->embed;
    cp_status status = writer->binary.size && !embed ? emit_sibling(writer, sink) : CP_OK;
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

/* ---- the whole ---- */

static bool plan_all(struct writer *writer)
{
    bool good = mechanism_open(&writer->mechanism, writer->context, writer->scene) == CP_OK && plan_meshes(writer) &&
                plan_materials(writer) && plan_nodes(writer) && plan_metadata(writer) && plan_joints(writer) &&
                plan_diagonal(writer) && plan_clips(writer);
    if (good)
        place_views(&writer->binary);
    return good;
}

void free_writer(struct writer *writer)
{
    cp_context *context = writer->context;
    free_binary(&writer->binary);
    memory_free(context, writer->motion.channels, writer->motion.channel_room, sizeof *writer->motion.channels);
    memory_free(context, writer->motion.clips, writer->motion.clip_room, sizeof *writer->motion.clips);
    mechanism_close(&writer->mechanism);
    free_followers(&writer->motion.followers);
    for (int i = 0; i < STREAM_COUNT; i++)
        buffer_free(&writer->web.streams[i].bytes);
    buffer_free(&writer->web.packed);
    cp_scene_free(writer->work);
    buffer_free(&writer->text);
}

cp_status compose_file(struct writer *writer, struct sink *sink, uint64_t *size)
{
    writer->text = (struct buffer){.context = writer->context};
    return plan_all(writer) ? writer->container->compose(writer, sink, size) : CP_LIMIT;
}

static void report_split(struct writer *writer)
{
    if (writer->split_articulations > 0 && is_deliver(writer))
        report_loss(writer->context, "gltf-articulations", NOWHERE, writer->split_articulations,
                    "articulations of several stages become one for each joint, since joints between the first and the "
                    "last are not at zero");
}

static void report_attached(struct writer *writer)
{
    if (writer->motion.sheared > 0 && is_deliver(writer))
        report_loss(writer->context, "gltf-attached-shear", NOWHERE, writer->motion.sheared,
                    "in clips, the shear of a node that hangs on one that is scaled");
    if (writer->motion.flat > 0 && is_deliver(writer))
        report_loss(writer->context, "gltf-attached-flat", NOWHERE, writer->motion.flat,
                    "in clips, the pose of a node whose own parent is flat while it hangs on another");
}

static void report_turns(struct writer *writer)
{
    if (writer->motion.turns > 0)
        report_warning(writer->context, "gltf-turns", NOWHERE,
                       "a joint turns too often between two keys of a clip to be shown turn by turn (%llu times)",
                       (unsigned long long)writer->motion.turns);
}

cp_status finish_file(struct writer *writer, struct sink *sink)
{
    cp_status status = writer->container->emit(writer, sink);
    if (status == CP_OK) {
        report_turns(writer);
        report_split(writer);
        report_attached(writer);
    }
    return status;
}
