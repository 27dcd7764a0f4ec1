/* The containers: GLB chunks or plain JSON, and the bytes of buffers (glTF 2.0, sections 3.6.1 and 4). */
#include "gltf.h"

#include <string.h>

enum {
    GLB_MAGIC = 0x46546c67, /* "glTF" */
    GLB_JSON = 0x4e4f534a,
    GLB_BIN = 0x004e4942,
    GLB_HEADER = 12,
    CHUNK_HEADER = 8
};

static uint32_t read_u32(const char *bytes)
{
    const unsigned char *at = (const unsigned char *)bytes;
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Where the GLB ends, or 0 after an error. */
static uint64_t glb_end(struct gltf *gltf)
{
    const struct source *source = gltf->source;
    uint32_t version = source->size < GLB_HEADER ? 0 : read_u32(source->data + 4);
    uint64_t length = source->size < GLB_HEADER ? GLB_HEADER : read_u32(source->data + 8);
    if (source->size < length)
        gltf_error(gltf, JSON_NONE, "gltf-truncated", "the GLB ends after %zu of %llu bytes", source->size,
                   (unsigned long long)length);
    else if (length < GLB_HEADER)
        gltf_error(gltf, JSON_NONE, "gltf-chunk", "the GLB says that it has %llu bytes, less than its header",
                   (unsigned long long)length);
    else if (version != 2)
        gltf_error(gltf, JSON_NONE, "gltf-version", "GLB version %lu is not supported, only 2", (unsigned long)version);
    else if (source->size > length &&
             report_lenient(gltf->context, gltf->settings->common.strict, "gltf-trailing", IN_FILE(source->name),
                            "%zu bytes follow the end of the GLB", (size_t)(source->size - length)) != CP_OK)
        gltf->status = CP_INPUT;
    return gltf->status == CP_OK ? length : 0;
}

struct chunk {
    const char *bytes;
    uint32_t size, type;
};

/* The chunk at *at, which is moved to the next. */
static bool next_chunk(struct gltf *gltf, uint64_t *at, uint64_t end, struct chunk *chunk)
{
    uint64_t left = end - *at;
    if (gltf->status != CP_OK || left == 0)
        return false;
    const char *head = gltf->source->data + *at;
    if (left < CHUNK_HEADER || read_u32(head) > left - CHUNK_HEADER) {
        gltf_error(gltf, JSON_NONE, "gltf-chunk", "the chunk at byte %llu does not fit into the GLB",
                   (unsigned long long)*at);
        return false;
    }
    *chunk = (struct chunk){head + CHUNK_HEADER, read_u32(head), read_u32(head + 4)};
    *at += CHUNK_HEADER + (uint64_t)chunk->size;
    return true;
}

static void open_glb(struct gltf *gltf, const char **text, size_t *size)
{
    uint64_t end = glb_end(gltf), at = GLB_HEADER, unknown = 0;
    struct chunk chunk;
    for (uint32_t number = 0; end > 0 && next_chunk(gltf, &at, end, &chunk); number++) {
        if (number == 0 && chunk.type == GLB_JSON) {
            *text = chunk.bytes;
            *size = chunk.size;
        } else if (number == 1 && chunk.type == GLB_BIN) {
            gltf->binary = (const unsigned char *)chunk.bytes;
            gltf->binary_size = chunk.size;
        } else {
            unknown++;
        }
    }
    if (!*text)
        gltf_error(gltf, JSON_NONE, "gltf-chunk", "the GLB does not begin with a JSON chunk");
    gltf_loss(gltf, LOSS_CHUNKS, unknown);
}

static void open_text(struct gltf *gltf, const char **text, size_t *size)
{
    static const char mark[] = "\xef\xbb\xbf";
    *text = gltf->source->data;
    *size = gltf->source->size;
    if (*size >= 3 && memcmp(*text, mark, 3) == 0) {
        *text += 3;
        *size -= 3;
    }
}

/* JSON is UTF-8; what is not is read as Latin-1, as names are. */
static void check_encoding(struct gltf *gltf, const char **text, size_t *size)
{
    if (gltf->status != CP_OK || utf8_valid(*text, *size))
        return;
    if (report_lenient(gltf->context, gltf->settings->common.strict, "gltf-encoding", IN_FILE(gltf->source->name),
                       "the JSON is not UTF-8 and is read as Latin-1") != CP_OK) {
        gltf->status = CP_INPUT;
        return;
    }
    *text = utf8_from(gltf->arena, *text, *size, NULL);
    *size = *text ? strlen(*text) : 0;
    if (!*text)
        gltf_no_memory(gltf);
}

cp_status gltf_open(struct gltf *gltf, const char **text, size_t *size)
{
    *text = NULL;
    if (gltf->source->size >= 4 && read_u32(gltf->source->data) == GLB_MAGIC)
        open_glb(gltf, text, size);
    else
        open_text(gltf, text, size);
    check_encoding(gltf, text, size);
    if (gltf->status == CP_OK && *size >= UINT32_MAX)
        gltf_limit(gltf, JSON_NONE, "gltf-size", "more than 4 GiB of JSON");
    return gltf->status;
}

/* ---- buffers ---- */

static void load_data_uri(struct gltf *gltf, uint32_t value, char *uri, struct gltf_buffer *buffer)
{
    size_t size = 0;
    buffer->bytes = uri_decode_data(uri, &size);
    buffer->size = size;
    if (!buffer->bytes)
        gltf_error(gltf, value, "gltf-data-uri", "malformed data URI");
}

static void load_file(struct gltf *gltf, uint32_t value, char *uri, struct gltf_buffer *buffer)
{
    if (uri_has_scheme(uri)) {
        gltf_error(gltf, value, "gltf-uri", "only relative files and data URIs are read, not \"%.100s\"", uri);
        return;
    }
    if (!uri_decode_path(uri)) {
        gltf_error(gltf, value, "gltf-uri", "malformed URI");
        return;
    }
    cp_status status = source_open(gltf->source, uri, &buffer->file);
    if (status == CP_NO)
        gltf_error(gltf, value, "gltf-buffer-missing", "there is no file \"%.200s\"", uri);
    else if (status != CP_OK)
        gltf->status = status;
    else {
        buffer->bytes = (const unsigned char *)buffer->file->data;
        buffer->size = buffer->file->size;
        gltf->bytes += buffer->size;
    }
}

/* The same file for several buffers is read once. */
static void load_named(struct gltf *gltf, uint32_t index, uint32_t value, struct gltf_buffer *buffer)
{
    bool added = true;
    char *uri = json_string_text(&gltf->json, gltf->arena, value);
    const uint32_t *first = uri ? name_map_add(&gltf->maps[MAP_FILES], uri, index, &added) : NULL;
    if (!first) {
        gltf_no_memory(gltf);
    } else if (added) {
        load_file(gltf, value, uri, buffer);
    } else {
        const struct gltf_buffer *same = &gltf->buffers[*first];
        *buffer = (struct gltf_buffer){.bytes = same->bytes, .size = same->whole};
    }
    buffer->whole = buffer->size;
}

static void load_uri(struct gltf *gltf, uint32_t index, uint32_t value, struct gltf_buffer *buffer)
{
    char *uri = json_string_text(&gltf->json, gltf->arena, value);
    if (!uri)
        gltf_no_memory(gltf);
    else if (uri_is_data(uri))
        load_data_uri(gltf, value, uri, buffer);
    else
        load_named(gltf, index, value, buffer);
}

static void load_buffer(struct gltf *gltf, uint32_t index, struct gltf_buffer *buffer)
{
    uint32_t value = gltf->buffer_list.items[index];
    uint32_t uri = json_member(&gltf->json, value, "uri");
    uint64_t size = gltf_integer(gltf, value, "byteLength", 0);
    if (json_is(&gltf->json, uri, JSON_STRING)) {
        load_uri(gltf, index, uri, buffer);
    } else if (index == 0 && gltf->binary) {
        buffer->bytes = gltf->binary;
        buffer->size = gltf->binary_size;
    } else {
        gltf_error(gltf, value, "gltf-buffer-missing", "the buffer has no bytes: no uri, and no BIN chunk");
    }
    if (gltf->status == CP_OK && buffer->size < size)
        gltf_error(gltf, value, "gltf-buffer-short", "%llu of %llu bytes are there", (unsigned long long)buffer->size,
                   (unsigned long long)size);
    buffer->size = size;
}

bool gltf_buffer(struct gltf *gltf, uint32_t index, const struct gltf_buffer **buffer)
{
    if (gltf->status == CP_OK && !gltf->buffers[index].bytes)
        load_buffer(gltf, index, &gltf->buffers[index]);
    *buffer = &gltf->buffers[index];
    return gltf->status == CP_OK;
}

void gltf_close_buffers(struct gltf *gltf)
{
    for (uint32_t i = 0; gltf->buffers && i < gltf->buffer_list.count; i++)
        source_close(gltf->buffers[i].file);
}
