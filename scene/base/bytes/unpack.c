/* Unpacks compressed bytes: gzip files, and the parts of archives. */

#include <limits.h>
#include <string.h>
#include <zlib.h>

#include "archive.h"
#include "base/context.h"

cp_status unpack_check_expanded(const struct source *source, const char *what, uint64_t packed, uint64_t expanded)
{
    enum { FREE = 16 << 20 };
    const struct limits *limits = &source->context->limits;
    if (expanded > limits->expanded_bytes)
        return report_error(source->context, CP_LIMIT, "source-expanded", IN_FILE(source->name),
                            "%sexpands beyond the limit of %llu bytes (--limit expanded-bytes=)", what,
                            (unsigned long long)limits->expanded_bytes);
    if (expanded > FREE && (limits->ratio == 0 || expanded / limits->ratio > packed))
        return report_error(source->context, CP_LIMIT, "source-ratio", IN_FILE(source->name),
                            "%sexpands to more than %llu times its packed size (--limit ratio=): %llu bytes to %llu "
                            "at least",
                            what, (unsigned long long)limits->ratio, (unsigned long long)packed,
                            (unsigned long long)expanded);
    return CP_OK;
}

/* ---- gzip ---- */

bool is_gzip(const char *data, size_t size)
{
    return size >= 3 && memcmp(data, "\x1f\x8b\x08", 3) == 0;
}

cp_status unpack_gzip(const struct source *source, struct buffer *plain, bool *ends_early)
{
    cp_context *context = source->context;
    const char *data = source->data;
    z_stream stream = {.zalloc = gzip_allocate, .zfree = gzip_free, .opaque = context};
    size_t taken = 0; /* of the packed bytes */
    cp_status status = CP_OK;
    *ends_early = false;
    if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) {
        report_out_of_memory(context);
        return CP_LIMIT;
    }
    for (bool more = true; more && status == CP_OK;) {
        if (!buffer_reserve(plain, 1 << 16)) {
            status = CP_LIMIT;
            break;
        }
        size_t left = source->size - taken, room = plain->capacity - plain->size - 1;
        uInt in = left < INT_MAX ? (uInt)left : INT_MAX, out = room < INT_MAX ? (uInt)room : INT_MAX;
        stream.next_in = (Bytef *)(uintptr_t)(data + taken);
        stream.avail_in = in;
        stream.next_out = (Bytef *)plain->data + plain->size;
        stream.avail_out = out;
        int result = inflate(&stream, Z_NO_FLUSH);
        taken += in - stream.avail_in;
        plain->size += out - stream.avail_out;
        *ends_early = result == Z_BUF_ERROR || (result == Z_OK && taken == source->size && stream.avail_out > 0);
        more = !*ends_early;
        status = unpack_check_expanded(source, "", taken, plain->size);
        if (status != CP_OK)
            break;
        if (result == Z_MEM_ERROR) {
            report_out_of_memory(context);
            status = CP_LIMIT;
        } else if (result == Z_DATA_ERROR || result == Z_NEED_DICT || result == Z_STREAM_ERROR) {
            status = report_error(context, CP_INPUT, "source-gzip", IN_FILE(source->name), "is damaged gzip data: %s",
                                  stream.msg ? stream.msg : "bad stream");
        } else if (result == Z_STREAM_END) { /* another member may follow */
            more = source->size - taken >= 2 && data[taken] == '\x1f' && data[taken + 1] == '\x8b';
            if (more)
                (void)inflateReset(&stream);
        }
    }
    (void)inflateEnd(&stream);
    if (status != CP_OK)
        return status;
    /* Zeros after the last member are padding; other bytes are ignored, with a report. */
    size_t end = source->size;
    while (!*ends_early && end > taken && data[end - 1] == '\0')
        end--;
    if (!*ends_early && end > taken)
        report_warning(context, "source-trailing", IN_FILE(source->name), "%zu bytes after the gzip stream are ignored",
                       end - taken);
    if (!buffer_reserve(plain, 1))
        return CP_LIMIT;
    plain->data[plain->size] = '\0';
    return CP_OK;
}

cp_status cp_unpack(cp_context *context, const char *name, const void *bytes, size_t size, struct buffer *plain)
{
    const struct source source = {.context = context, .name = name, .data = bytes, .size = size};
    cp_status status = CP_OK;
    bool ends_early = false;
    if (is_gzip(bytes, size)) {
        status = unpack_gzip(&source, plain, &ends_early);
    } else {
        buffer_append(plain, bytes, size);
        buffer_append(plain, "", 1);
        plain->size -= !plain->failed;
        status = plain->failed ? CP_LIMIT : CP_OK;
    }
    if (status == CP_OK && ends_early)
        status = report_error(context, CP_INPUT, "source-truncated", IN_FILE(name),
                              "the gzip stream ends early after %zu bytes", plain->size);
    return context_finish(context, status);
}

/* ---- parts of archives ---- */

static bool start_inflation(const struct source *source, const struct packed *packed, z_stream *stream)
{
    *stream = (z_stream){.zalloc = gzip_allocate, .zfree = gzip_free, .opaque = source->context};
    stream->next_in = (Bytef *)(uintptr_t)packed->data;
    stream->avail_in = packed->size < UINT32_MAX ? (uInt)packed->size : UINT32_MAX;
    return inflateInit2(stream, -MAX_WBITS) == Z_OK;
}

/* Expands into `plain`; with NULL it finds only the size and the checksum. found->full_size: the size that the part
 * should have; it ends as soon as it is larger. before: bytes that other parts have expanded to. */
static cp_status inflate_packed(const struct source *source, z_stream *stream, struct packed *found,
                                struct buffer *plain, uint64_t before)
{
    enum { PIECE = 1 << 16 };
    int result = Z_OK;
    cp_status status = CP_OK;
    const Bytef *begin = stream->next_in;
    uint64_t size = 0;
    Bytef *piece = plain ? NULL : memory_allocate(source->context, PIECE, 1);
    bool room = plain || piece;
    while (room && result == Z_OK && status == CP_OK && size <= found->full_size) {
        room = !plain || buffer_reserve(plain, PIECE + 1);
        if (!room)
            break;
        stream->next_out = plain ? (Bytef *)plain->data + plain->size : piece;
        stream->avail_out = PIECE;
        result = inflate(stream, Z_NO_FLUSH);
        uInt got = PIECE - stream->avail_out;
        found->checksum = (uint32_t)crc32(found->checksum, stream->next_out - got, got);
        size += got;
        if (plain)
            plain->size += got;
        status = plain ? unpack_check_expanded(source, "the archive ", source->size, before + size)
                       : unpack_check_expanded(source, "a part ", (uint64_t)(stream->next_in - begin), size);
    }
    if (!plain)
        memory_free(source->context, piece, PIECE, 1);
    found->full_size = result == Z_STREAM_END && size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
    return !room || result == Z_MEM_ERROR ? CP_LIMIT : status;
}

static cp_status expand(const struct source *source, const struct packed *packed, struct buffer *plain, uint64_t before,
                        bool *whole)
{
    z_stream stream;
    struct packed found = {.full_size = packed->full_size, .checksum = (uint32_t)crc32(0, NULL, 0)};
    cp_status status = CP_OK;
    if (!packed->deflated) {
        found.full_size = (uint32_t)packed->size;
        found.checksum = (uint32_t)crc32_z(found.checksum, (const Bytef *)packed->data, packed->size);
        if (plain)
            buffer_append(plain, packed->data, packed->size);
    } else if (start_inflation(source, packed, &stream)) {
        status = inflate_packed(source, &stream, &found, plain, before);
        (void)inflateEnd(&stream);
    } else {
        report_out_of_memory(source->context);
        status = CP_LIMIT;
    }
    *whole = found.full_size == packed->full_size && found.checksum == packed->checksum;
    return status;
}

cp_status unpack_check(const struct source *source, const struct packed *packed, bool *whole)
{
    return expand(source, packed, NULL, 0, whole);
}

cp_status unpack_part(const struct source *source, const struct packed *packed, struct buffer *plain,
                      uint64_t *expanded, bool *whole)
{
    cp_status status = expand(source, packed, plain, *expanded, whole);
    *expanded += plain->size;
    if (status == CP_OK)
        status = unpack_check_expanded(source, "the archive ", source->size, *expanded);
    if (status == CP_OK)
        buffer_append(plain, "", 1);
    if (status != CP_OK || plain->failed)
        return status == CP_OK ? CP_LIMIT : status;
    plain->size--; /* a NUL follows the last byte */
    return CP_OK;
}
