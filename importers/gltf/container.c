/* The containers: GLB chunks or plain JSON, and the bytes of buffers (glTF 2.0, sections 3.6.1 and 4). */
#include "gltf.h"

#include <string.h>

#include "base/text/text.h"

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

static void open_glb(struct gltf *gltf, struct gltf_buffers *buffers, const char **text, size_t *size)
{
    /* The header: magic, version, length of the whole. */
    const struct source *source = gltf->source;
    uint32_t version = source->size < GLB_HEADER ? 0 : read_u32(source->data + 4);
    uint64_t end = source->size < GLB_HEADER ? GLB_HEADER : read_u32(source->data + 8), unknown = 0;
    if (source->size < end)
        gltf_error(gltf, JSON_NONE, "gltf-truncated", "the GLB ends after %zu of %llu bytes", source->size,
                   (unsigned long long)end);
    else if (end < GLB_HEADER)
        gltf_error(gltf, JSON_NONE, "gltf-chunk", "the GLB says that it has %llu bytes, less than its header",
                   (unsigned long long)end);
    else if (version != 2)
        gltf_error(gltf, JSON_NONE, "gltf-version", "GLB version %lu is not supported, only 2", (unsigned long)version);
    else if (source->size > end &&
             report_lenient(gltf->context, gltf->settings->common.strict, "gltf-trailing", IN_FILE(source->name),
                            "%zu bytes follow the end of the GLB", (size_t)(source->size - end)) != CP_OK)
        gltf->status = CP_INPUT;

    /* The chunks: JSON first, then perhaps the buffer. */
    uint64_t at = GLB_HEADER;
    for (uint32_t number = 0; gltf->status == CP_OK && at < end; number++) {
        const char *head = source->data + at;
        uint64_t left = end - at;
        if (left < CHUNK_HEADER || read_u32(head) > left - CHUNK_HEADER) {
            gltf_error(gltf, JSON_NONE, "gltf-chunk", "the chunk at byte %llu does not fit into the GLB",
                       (unsigned long long)at);
            break;
        }
        uint32_t chunk_size = read_u32(head), type = read_u32(head + 4);
        if (number == 0 && type == GLB_JSON) {
            *text = head + CHUNK_HEADER;
            *size = chunk_size;
        } else if (number == 1 && type == GLB_BIN) {
            buffers->binary = (const unsigned char *)head + CHUNK_HEADER;
            buffers->binary_size = chunk_size;
        } else {
            unknown++;
        }
        at += CHUNK_HEADER + (uint64_t)chunk_size;
    }
    if (!*text)
        gltf_error(gltf, JSON_NONE, "gltf-chunk", "the GLB does not begin with a JSON chunk");
    gltf_loss(gltf, LOSS_CHUNKS, unknown);
}

cp_status gltf_open(struct gltf *gltf, struct gltf_buffers *buffers, const char **text, size_t *size)
{
    const struct source *source = gltf->source;
    if (source->size >= 4 && read_u32(source->data) == GLB_MAGIC) {
        *text = NULL;
        open_glb(gltf, buffers, text, size);
    } else {
        size_t mark = source->size >= 3 && memcmp(source->data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
        *text = source->data + mark;
        *size = source->size - mark;
    }
    /* JSON is UTF-8; other bytes are read as Latin-1, as names are. */
    if (gltf->status == CP_OK && !utf8_valid(*text, *size)) {
        if (report_lenient(gltf->context, gltf->settings->common.strict, "gltf-encoding", IN_FILE(source->name),
                           "the JSON is not UTF-8 and is read as Latin-1") != CP_OK)
            return gltf->status = CP_INPUT;
        *text = utf8_from(gltf->arena, *text, *size, NULL);
        *size = *text ? strlen(*text) : 0;
        if (!*text)
            gltf_no_memory(gltf);
    }
    if (gltf->status == CP_OK && *size >= UINT32_MAX)
        gltf_limit(gltf, JSON_NONE, "gltf-size", "more than 4 GiB of JSON");
    return gltf->status;
}

/* ---- buffers ---- */

void gltf_data_uri(struct gltf *gltf, uint32_t value, char *uri, struct gltf_buffer *buffer)
{
    static const char mark[] = ";base64";
    char *comma = strchr(uri, ',');
    size_t head = comma ? (size_t)(comma - uri) : 0, mark_size = sizeof mark - 1, size = 0;
    bool base64 = head >= mark_size && memcmp(comma - mark_size, mark, mark_size) == 0, sound = false;
    if (comma)
        sound = base64 ? base64_decode(comma + 1, strlen(comma + 1), comma + 1, &size) : uri_decode(comma + 1, &size);
    buffer->bytes = sound ? (unsigned char *)comma + 1 : NULL;
    buffer->size = size;
    if (!sound)
        gltf_error(gltf, value, "gltf-data-uri", "malformed data URI");
}

static bool has_scheme(const char *uri)
{
    size_t letters = strspn(uri, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-.");
    return letters > 1 && uri[letters] == ':'; /* one letter is a drive */
}

bool gltf_file_names(struct gltf *gltf, uint32_t value, char *uri, const char **name, const char **other)
{
    size_t size = strlen(uri);
    char *raw = arena_copy_text(gltf->arena, uri, size);
    *name = uri;
    *other = raw;
    if (!raw)
        return gltf_no_memory(gltf);
    if (has_scheme(uri) && !uri_is_known(uri))
        return false;
    bool known = uri_is_known(uri), escaped = known || uri_decode(uri, &size);
    if (size == 0 || strlen(uri) != size)
        return gltf_error(gltf, value, "gltf-uri", "malformed URI");
    bool parted = strchr(uri, '\\');
    for (int i = 0; i < 2; i++)
        text_turn_slashes(i ? raw : uri);
    if (!escaped || parted)
        gltf_lenient(gltf, value, "gltf-uri",
                     parted ? "\"\\\" parts folders, where \"/\" does" : "a \"%\" stands for itself");
    return gltf->status == CP_OK;
}

/* Loads the file of a relative reference (RFC 3986), or of a URI of a kind that further files may have. */
static void load_file(struct gltf *gltf, uint32_t value, char *uri, struct gltf_buffer *buffer)
{
    const char *name, *other;
    if (!gltf_file_names(gltf, value, uri, &name, &other)) {
        gltf_error(gltf, value, "gltf-uri", "only files and data URIs are read, not \"%.100s\"", uri);
        return;
    }
    cp_status status = source_open_near(gltf->source, name, other, &buffer->file);
    if (status == CP_NO) {
        gltf_error(gltf, value, "gltf-buffer-missing", "there is no file \"%.200s\"", name);
    } else if (status != CP_OK) {
        gltf->status = status;
    } else {
        buffer->bytes = (const unsigned char *)buffer->file->data;
        buffer->size = buffer->file->size;
        gltf->room.bytes += buffer->size;
    }
}

static void load_uri(struct gltf *gltf, struct gltf_buffers *buffers, uint32_t index, uint32_t value,
                     struct gltf_buffer *buffer)
{
    static const char scheme[] = "data:";
    size_t same = 0;
    bool added = true;
    char *uri = json_string_text(&gltf->json, gltf->arena, value);
    while (uri && scheme[same] && (uri[same] | 0x20) == scheme[same])
        same++;
    if (uri && !scheme[same]) {
        gltf_data_uri(gltf, value, uri, buffer);
        return;
    }
    /* The same file for several buffers is read once. */
    const uint32_t *first = uri ? name_map_add(&buffers->files, uri, index, &added) : NULL;
    if (!first) {
        gltf_no_memory(gltf);
    } else if (added) {
        load_file(gltf, value, uri, buffer);
    } else {
        const struct gltf_buffer *other = &buffers->items[*first];
        *buffer = (struct gltf_buffer){.bytes = other->bytes, .size = other->whole};
    }
    buffer->whole = buffer->size;
}

/* Checks for blocks of zero bytes, which a power loss leaves. A buffer of nothing else holds no model; one that ends so
 * may. */
static void check_zeros(struct gltf *gltf, uint32_t index, const struct gltf_buffer *buffer)
{
    enum { DISK_BLOCK = 512 };
    const struct import_settings *settings = &gltf->settings->common;
    uint64_t zeros = 0;
    while (zeros < buffer->size && buffer->bytes[buffer->size - 1 - zeros] == 0)
        zeros++;
    bool all = zeros > 0 && zeros == buffer->size;
    if (zeros < DISK_BLOCK && !(all && buffer->file))
        return;
    if (report_lenient(gltf->context, all ? !settings->partial : settings->strict, "gltf-zeros",
                       IN_FILE(gltf->source->name), "%s %llu bytes of buffer %u are zero, as a power loss leaves them",
                       all ? "all" : "the last", (unsigned long long)zeros, (unsigned)index) != CP_OK)
        gltf->status = CP_INPUT;
}

bool gltf_buffer(struct gltf *gltf, struct gltf_buffers *buffers, uint32_t index, const struct gltf_buffer **loaded)
{
    struct gltf_buffer *buffer = &buffers->items[index];
    *loaded = buffer;
    if (gltf->status != CP_OK || buffer->bytes)
        return gltf->status == CP_OK;
    uint32_t value = gltf->lists.buffers.items[index];
    uint32_t uri = json_member(&gltf->json, value, "uri");
    uint64_t size = gltf_integer(gltf, value, "byteLength", 0);
    if (json_is(&gltf->json, uri, JSON_STRING)) {
        load_uri(gltf, buffers, index, uri, buffer);
    } else if (index == 0 && buffers->binary) {
        buffer->bytes = buffers->binary;
        buffer->size = buffers->binary_size;
    } else {
        gltf_error(gltf, value, "gltf-buffer-missing", "the buffer has no bytes: no uri, and no BIN chunk");
    }
    if (gltf->status == CP_OK && buffer->size < size)
        gltf_error(gltf, value, "gltf-buffer-short", "the buffer holds %llu of its %llu bytes",
                   (unsigned long long)buffer->size, (unsigned long long)size);
    buffer->size = size;
    if (gltf->status == CP_OK)
        check_zeros(gltf, index, buffer);
    return gltf->status == CP_OK;
}
