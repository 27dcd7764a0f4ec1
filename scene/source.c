/* Bytes in. */
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "context.h"
#include "files.h"
#include "gzip.h"

struct source_state {
    struct arena *arena;   /* the names */
    struct buffer content; /* data, when it is ours */
    const char *folder;    /* further files lie here; ends in '/' or is "" */
    const char *name_folder;
    const char *root; /* of the top file's folder, resolved, for confinement; NULL when not asked for */
    dev_t device;
    ino_t inode;
};

/* ---- bytes ---- */

enum { MOST_AT_ONCE = 1 << 24 }; /* of one read, so that a large file can be cancelled */

static cp_status read_all(struct source *source, int file, const char *name)
{
    cp_context *context = source->context;
    struct buffer *content = &source->state->content;
    struct stat info;
    size_t step = 1 << 16, total = 0;
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 && (uintmax_t)info.st_size < SIZE_MAX / 4)
        total = (size_t)info.st_size;
    step = total ? total + 1 : step;
    for (;;) {
        context_progress(context, (cp_progress){"reading", name, content->size, total});
        if (context_is_cancelled(context) || !buffer_reserve(content, step))
            return CP_LIMIT;
        size_t room = content->capacity - content->size - 1;
        ssize_t got = read(file, content->data + content->size, room < MOST_AT_ONCE ? room : MOST_AT_ONCE);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return report_error(context, CP_INPUT, "source-read", IN_FILE(name), "cannot be read: %s", strerror(errno));
        if (got == 0)
            break;
        content->size += (size_t)got;
        if (content->size > context->limits.bytes)
            return report_error(context, CP_LIMIT, "source-size", IN_FILE(name),
                                "is larger than the limit of %llu bytes (--limit bytes=)",
                                (unsigned long long)context->limits.bytes);
        step = 2; /* a full buffer doubles */
    }
    content->data[content->size] = '\0';
    return CP_OK;
}

static bool is_gzip(const struct buffer *content)
{
    return content->size >= 3 && memcmp(content->data, "\x1f\x8b\x08", 3) == 0;
}

struct inflation {
    cp_context *context;
    const char *name;
    const struct buffer *packed;
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
        return report_error(work->context, CP_LIMIT, "source-expanded", IN_FILE(work->name),
                            "expands beyond the limit of %llu bytes (--limit expanded-bytes=)",
                            (unsigned long long)work->context->limits.expanded_bytes);
    if (*result == Z_MEM_ERROR) {
        report_out_of_memory(work->context);
        return CP_LIMIT;
    }
    if (*result == Z_DATA_ERROR || *result == Z_NEED_DICT || *result == Z_STREAM_ERROR)
        return report_error(work->context, CP_INPUT, "source-gzip", IN_FILE(work->name), "is damaged gzip data: %s",
                            stream->msg ? stream->msg : "bad stream");
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
        report_warning(work->context, "source-trailing", IN_FILE(work->name),
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

static cp_status expand(struct source *source, const char *name)
{
    struct buffer *content = &source->state->content;
    if (!is_gzip(content))
        return CP_OK;
    struct buffer plain = {.context = source->context};
    struct inflation work = {.context = source->context, .name = name, .packed = content, .plain = &plain};
    cp_status status = inflate_members(&work);
    if (status == CP_OK && !buffer_reserve(&plain, 1))
        status = CP_LIMIT;
    if (status != CP_OK) {
        buffer_free(&plain);
        return status;
    }
    plain.data[plain.size] = '\0';
    buffer_free(content);
    *content = plain;
    source->ends_early = work.ends_early;
    return CP_OK;
}

/* ---- parts of archives ---- */

static bool start_unpacking(const struct source *source, const struct packed *packed, z_stream *stream)
{
    *stream = (z_stream){.zalloc = gzip_allocate, .zfree = gzip_free, .opaque = source->context};
    stream->next_in = (Bytef *)(uintptr_t)packed->data;
    stream->avail_in = packed->size < UINT32_MAX ? (uInt)packed->size : UINT32_MAX;
    return inflateInit2(stream, -MAX_WBITS) == Z_OK;
}

size_t source_unpack_start(const struct source *source, const struct packed *packed, char *out, size_t room)
{
    z_stream stream;
    if (!packed->deflated) {
        size_t size = packed->size < room ? packed->size : room;
        memcpy(out, packed->data, size);
        return size;
    }
    if (!start_unpacking(source, packed, &stream))
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

cp_status source_check_packed(const struct source *source, const struct packed *packed, bool *whole)
{
    z_stream stream;
    struct packed found = {.checksum = (uint32_t)crc32(0, NULL, 0)};
    cp_status status = CP_OK;
    if (!packed->deflated) {
        found.full_size = (uint32_t)packed->size;
        found.checksum = (uint32_t)crc32_z(found.checksum, (const Bytef *)packed->data, packed->size);
    } else if (start_unpacking(source, packed, &stream)) {
        status = measure_packed(source, &stream, &found);
        (void)inflateEnd(&stream);
    } else {
        report_out_of_memory(source->context);
        status = CP_LIMIT;
    }
    *whole = found.full_size == packed->full_size && found.checksum == packed->checksum;
    return status;
}

/* ---- opening ---- */

void source_close(struct source *source)
{
    if (!source)
        return;
    cp_context *context = source->context;
    if (source->state) {
        buffer_free(&source->state->content);
        arena_free(source->state->arena);
        memory_free(context, source->state, 1, sizeof *source->state);
    }
    memory_free(context, source, 1, sizeof *source);
}

static struct source *source_new(cp_context *context)
{
    struct source *source = memory_allocate_zeroed(context, 1, sizeof *source);
    if (!source)
        return NULL;
    source->context = context;
    source->name = source->path = source->label = "";
    source->state = memory_allocate_zeroed(context, 1, sizeof *source->state);
    if (source->state)
        source->state->arena = arena_new(context);
    if (source->state)
        source->state->content.context = context;
    if (source->state && source->state->arena)
        return source;
    source_close(source);
    return NULL;
}

static const char *folder_of(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? arena_copy_text(arena, path, (size_t)(slash - path) + 1) : "";
}

static const char *name_without_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static cp_status set_names(struct source *source, const char *path, const char *name)
{
    struct arena *arena = source->state->arena;
    source->path = arena_copy_text(arena, path, strlen(path));
    source->name = arena_copy_text(arena, name, strlen(name));
    source->state->folder = folder_of(arena, path);
    source->state->name_folder = source->parent ? folder_of(arena, name) : "";
    if (!source->path || !source->name || !source->state->folder || !source->state->name_folder)
        return CP_LIMIT;
    if (!source->parent)
        source->label = name_without_folder(source->name);
    return CP_OK;
}

/* The folder that confinement keeps to, with symbolic links resolved and a '/' at the end. */
static cp_status set_root(struct source *source)
{
    if (!source->context->flags[CP_FLAG_CONFINE])
        return CP_OK;
    const char *folder = *source->state->folder ? source->state->folder : ".";
    char *resolved = realpath(folder, NULL);
    source->state->root = resolved ? arena_print(source->state->arena, "%s/", strcmp(resolved, "/") ? resolved : "")
                                   : arena_print(source->state->arena, "%s", "//"); /* nothing lies below it */
    free(resolved);
    return source->state->root ? CP_OK : CP_LIMIT;
}

static bool is_missing(int error)
{
    return error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG;
}

/* Before the file is opened: that alone may wait (a FIFO) or do something (a device). One that is not there is inside. */
static cp_status check_confined(const struct source *source, const struct source *parent)
{
    if (!parent->state->root)
        return CP_OK;
    char *resolved = realpath(source->path, NULL);
    const char *root = parent->state->root;
    bool inside = resolved ? strncmp(resolved, root, strlen(root)) == 0 : is_missing(errno);
    free(resolved);
    source->state->root = root;
    return inside ? CP_OK
                  : report_error(source->context, CP_INPUT, "source-confined", IN_FILE(parent->name),
                                 "file \"%s\" lies outside the top file's folder (--confine)", source->name);
}

static cp_status check_cycle(const struct source *source)
{
    for (const struct source *above = source->parent; above; above = above->parent)
        if (above->state->inode && above->state->inode == source->state->inode &&
            above->state->device == source->state->device)
            return report_error(source->context, CP_INPUT, "source-cycle", IN_FILE(source->parent->name),
                                "file \"%s\" includes itself", source->name);
    return CP_OK;
}

/* Reads the open file; takes its number. */
static cp_status load(struct source *source, int file)
{
    struct stat info;
    cp_status status = CP_OK;
    if (fstat(file, &info) != 0)
        status = report_error(source->context, CP_INPUT, "source-read", IN_FILE(source->name), "cannot be read: %s",
                              strerror(errno));
    else if (S_ISDIR(info.st_mode))
        status = report_error(source->context, CP_INPUT, "source-folder", IN_FILE(source->name), "is a folder");
    if (status == CP_OK) {
        source->state->device = info.st_dev;
        source->state->inode = S_ISREG(info.st_mode) ? info.st_ino : 0;
        status = check_cycle(source);
    }
    if (status == CP_OK)
        status = read_all(source, file, source->name);
    if (file != STDIN_FILENO)
        (void)close(file);
    if (status == CP_OK)
        status = expand(source, source->name);
    if (status != CP_OK)
        return status;
    const struct source_state *state = source->state;
    source->data = state->content.data;
    source->size = state->content.size;
    return files_record(source->context, (struct file_record){.path = source->path,
                                                              .use = FILE_READ,
                                                              .device = state->device,
                                                              .inode = state->inode,
                                                              .hash = hash_content(source->data, source->size)});
}

cp_status source_open_top(cp_context *context, const char *path, struct source **opened)
{
    *opened = NULL;
    struct source *source = source_new(context);
    if (!source)
        return CP_LIMIT;
    bool standard = strcmp(path, "-") == 0;
    cp_status status = set_names(source, standard ? "" : path, standard ? "stdin" : path);
    if (status == CP_OK)
        status = set_root(source);
    int file = STDIN_FILENO;
    if (status == CP_OK && !standard) {
        file = context_open_file(context, path, O_RDONLY | O_CLOEXEC);
        if (file < 0)
            status =
                report_error(context, CP_INPUT, "source-open", IN_FILE(path), "cannot be opened: %s", strerror(errno));
    }
    if (status == CP_OK)
        status = load(source, file);
    if (status == CP_OK)
        *opened = source;
    else
        source_close(source);
    return status;
}

cp_status source_from_memory(cp_context *context, const void *bytes, size_t size, const char *name,
                             struct source **opened)
{
    *opened = NULL;
    struct source *source = source_new(context);
    if (!source)
        return CP_LIMIT;
    cp_status status = set_names(source, name, name);
    if (status == CP_OK)
        status = set_root(source);
    struct buffer *content = &source->state->content;
    if (status == CP_OK && size < SIZE_MAX && buffer_reserve(content, size + 1)) {
        buffer_append(content, bytes, size);
        content->data[size] = '\0';
        status = expand(source, name);
    } else if (status == CP_OK) {
        status = CP_LIMIT;
    }
    if (status != CP_OK) {
        source_close(source);
        return status;
    }
    source->data = content->data;
    source->size = content->size;
    *opened = source;
    return CP_OK;
}

/* Opens folder/relative; CP_NO when there is none. */
static cp_status open_in(struct source *source, const char *folder, const char *name_folder, const char *relative)
{
    struct arena *arena = source->state->arena;
    bool absolute = relative[0] == '/';
    const char *path = absolute ? relative : arena_print(arena, "%s%s", folder, relative);
    const char *name = absolute ? relative : arena_print(arena, "%s%s", name_folder, relative);
    if (!path || !name)
        return CP_LIMIT;
    cp_status status = set_names(source, path, name);
    if (status == CP_OK)
        status = check_confined(source, source->parent);
    if (status != CP_OK)
        return status;
    int file = context_open_file(source->context, path, O_RDONLY | O_CLOEXEC);
    if (file < 0 && is_missing(errno)) {
        struct file_record miss = {.path = path, .use = FILE_READ, .missing = true};
        return files_record(source->context, miss) == CP_OK ? CP_NO : CP_LIMIT;
    }
    if (file < 0)
        return report_error(source->context, CP_INPUT, "source-open", IN_FILE(source->parent->name),
                            "file \"%s\" cannot be opened: %s", name, strerror(errno));
    struct stat info;
    if (fstat(file, &info) == 0 && S_ISDIR(info.st_mode)) { /* a model "Robot" may lie beside a folder "Robot" */
        (void)close(file);
        return CP_NO;
    }
    return load(source, file);
}

static cp_status open_further(struct source *source, const char *relative)
{
    const struct source *parent = source->parent;
    cp_context *context = source->context;
    cp_status status = open_in(source, parent->state->folder, parent->state->name_folder, relative);
    for (uint32_t i = 0; i < context->include_folder_count && status == CP_NO && relative[0] != '/'; i++) {
        const char *folder = arena_print(source->state->arena, "%s/", context->include_folders[i]);
        status = folder ? open_in(source, folder, folder, relative) : CP_LIMIT;
    }
    return status;
}

static const char *label_of(struct arena *arena, const struct source *parent, const char *relative)
{
    const char *name = name_without_folder(parent->label);
    if (relative[0] == '/')
        return arena_copy_text(arena, relative, strlen(relative));
    return arena_print(arena, "%.*s%s", (int)(name - parent->label), parent->label, relative);
}

cp_status source_open(const struct source *parent, const char *relative, struct source **opened)
{
    *opened = NULL;
    cp_context *context = parent->context;
    if (parent->depth >= context->limits.includes)
        return report_error(context, CP_LIMIT, "source-depth", IN_FILE(parent->name),
                            "file \"%s\" is nested deeper than the limit of %llu (--limit includes=)", relative,
                            (unsigned long long)context->limits.includes);
    struct source *source = source_new(context);
    if (!source)
        return CP_LIMIT;
    source->parent = parent;
    source->depth = parent->depth + 1;
    source->label = label_of(source->state->arena, parent, relative);
    cp_status status = source->label ? open_further(source, relative) : CP_LIMIT;
    if (status == CP_OK)
        *opened = source;
    else
        source_close(source);
    return status;
}

uint64_t source_line(const struct source *source, size_t offset)
{
    uint64_t line = 1;
    for (size_t i = 0; i < offset && i < source->size; i++)
        line += source->data[i] == '\n' ||
                (source->data[i] == '\r' && (i + 1 >= source->size || source->data[i + 1] != '\n'));
    return line;
}
