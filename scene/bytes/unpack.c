/* Compressed bytes in: gzip files, and the parts of archives. */
#include "unpack.h"

#include <limits.h>
#include <string.h>
#include <zlib.h>

#include "../context.h"
#include "gzip.h"

/* ---- gzip ---- */

bool is_gzip(const char *data, size_t size)
{
    return size >= 3 && memcmp(data, "\x1f\x8b\x08", 3) == 0;
}

struct inflation {
    cp_context *context;
    const struct source *packed;
    struct buffer *plain;
    size_t taken; /* of the packed bytes */
    bool ends_early;
};

static cp_status inflate_more(struct inflation *work, z_stream *stream, int *result)
{
    if (!buffer_reserve(work->plain, 1 << 16))
        return CP_LIMIT;
    size_t left = work->packed->size - work->taken, room = work->plain->capacity - work->plain->size - 1;
    uInt in = left < INT_MAX ? (uInt)left : INT_MAX, out = room < INT_MAX ? (uInt)room : INT_MAX;
    stream->next_in = (Bytef *)work->packed->data + work->taken;
    stream->avail_in = in;
    stream->next_out = (Bytef *)work->plain->data + work->plain->size;
    stream->avail_out = out;
    *result = inflate(stream, Z_NO_FLUSH);
    work->taken += in - stream->avail_in;
    work->plain->size += out - stream->avail_out;
    if (work->plain->size > work->context->limits.expanded_bytes)
        return report_error(work->context, CP_LIMIT, "source-expanded", IN_FILE(work->packed->name),
                            "expands beyond the limit of %llu bytes (--limit expanded-bytes=)",
                            (unsigned long long)work->context->limits.expanded_bytes);
    if (*result == Z_MEM_ERROR) {
        report_out_of_memory(work->context);
        return CP_LIMIT;
    }
    if (*result == Z_DATA_ERROR || *result == Z_NEED_DICT || *result == Z_STREAM_ERROR)
        return report_error(work->context, CP_INPUT, "source-gzip", IN_FILE(work->packed->name),
                            "is damaged gzip data: %s", stream->msg ? stream->msg : "bad stream");
    work->ends_early =
        *result == Z_BUF_ERROR || (*result == Z_OK && work->taken == work->packed->size && stream->avail_out > 0);
    return CP_OK;
}

/* After the last member: zeros are padding, other bytes are nobody's. */
static void report_rest(const struct inflation *work)
{
    size_t end = work->packed->size;
    while (end > work->taken && work->packed->data[end - 1] == '\0')
        end--;
    if (end > work->taken)
        report_warning(work->context, "source-trailing", IN_FILE(work->packed->name),
                       "%zu bytes after the gzip stream are ignored", end - work->taken);
}

/* All members of a gzip file. */
static cp_status inflate_members(struct inflation *work)
{
    z_stream stream = {.zalloc = gzip_allocate, .zfree = gzip_free, .opaque = work->context};
    if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) {
        report_out_of_memory(work->context);
        return CP_LIMIT;
    }
    cp_status status = CP_OK;
    for (bool more = true; more && status == CP_OK;) {
        int result = Z_OK;
        status = inflate_more(work, &stream, &result);
        more = status == CP_OK && !work->ends_early;
        if (more && result == Z_STREAM_END) {
            const char *rest = work->packed->data + work->taken;
            more = work->packed->size - work->taken >= 2 && rest[0] == '\x1f' && rest[1] == '\x8b';
            if (more)
                (void)inflateReset(&stream);
        }
    }
    (void)inflateEnd(&stream);
    if (status == CP_OK && !work->ends_early)
        report_rest(work);
    return status;
}

cp_status unpack_gzip(const struct source *source, struct buffer *plain, bool *ends_early)
{
    struct inflation work = {.context = source->context, .packed = source, .plain = plain};
    cp_status status = inflate_members(&work);
    if (status == CP_OK && !buffer_reserve(plain, 1))
        status = CP_LIMIT;
    if (status == CP_OK)
        plain->data[plain->size] = '\0';
    *ends_early = work.ends_early;
    return status;
}

/* ---- parts of archives ---- */

static bool start_inflation(const struct source *source, const struct packed *packed, z_stream *stream)
{
    *stream = (z_stream){.zalloc = gzip_allocate, .zfree = gzip_free, .opaque = source->context};
    stream->next_in = (Bytef *)(uintptr_t)packed->data;
    stream->avail_in = packed->size < UINT32_MAX ? (uInt)packed->size : UINT32_MAX;
    return inflateInit2(stream, -MAX_WBITS) == Z_OK;
}

size_t unpack_start(const struct source *source, const struct packed *packed, char *out, size_t room)
{
    z_stream stream;
    if (!packed->deflated) {
        size_t size = packed->size < room ? packed->size : room;
        memcpy(out, packed->data, size);
        return size;
    }
    if (!start_inflation(source, packed, &stream))
        return 0;
    stream.next_out = (Bytef *)out;
    stream.avail_out = room < UINT32_MAX ? (uInt)room : UINT32_MAX;
    uInt given = stream.avail_out;
    int result = inflate(&stream, Z_SYNC_FLUSH);
    size_t got = given - stream.avail_out;
    (void)inflateEnd(&stream);
    return result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR ? got : 0;
}

/* Expands to nothing but the size and the checksum. */
static cp_status measure_packed(const struct source *source, z_stream *stream, struct packed *found)
{
    enum { PIECE = 1 << 16 };
    int result = Z_OK;
    uint64_t size = 0;
    Bytef *piece = memory_allocate(source->context, PIECE, 1);
    while (piece && result == Z_OK && size <= source->context->limits.expanded_bytes) {
        stream->next_out = piece;
        stream->avail_out = PIECE;
        result = inflate(stream, Z_NO_FLUSH);
        uInt got = PIECE - stream->avail_out;
        found->checksum = (uint32_t)crc32(found->checksum, piece, got);
        size += got;
    }
    memory_free(source->context, piece, PIECE, 1);
    found->full_size = result == Z_STREAM_END && size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
    if (!piece || result == Z_MEM_ERROR)
        return CP_LIMIT;
    if (size <= source->context->limits.expanded_bytes)
        return CP_OK;
    return report_error(source->context, CP_LIMIT, "source-expanded", IN_FILE(source->name),
                        "a part expands beyond the limit of %llu bytes (--limit expanded-bytes=)",
                        (unsigned long long)source->context->limits.expanded_bytes);
}

cp_status unpack_check(const struct source *source, const struct packed *packed, bool *whole)
{
    z_stream stream;
    struct packed found = {.checksum = (uint32_t)crc32(0, NULL, 0)};
    cp_status status = CP_OK;
    if (!packed->deflated) {
        found.full_size = (uint32_t)packed->size;
        found.checksum = (uint32_t)crc32_z(found.checksum, (const Bytef *)packed->data, packed->size);
    } else if (start_inflation(source, packed, &stream)) {
        status = measure_packed(source, &stream, &found);
        (void)inflateEnd(&stream);
    } else {
        report_out_of_memory(source->context);
        status = CP_LIMIT;
    }
    *whole = found.full_size == packed->full_size && found.checksum == packed->checksum;
    return status;
}
