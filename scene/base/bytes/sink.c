/* Bytes out. */

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "archive.h"
#include "base/context.h"
#include "base/text/text.h"
#include "disk.h"

enum { BUFFER_SIZE = 1 << 16, LONGEST_SAFE_NAME = 200, MOST_NAMELESS = 200 /* open at a time */ };

struct sink {
    cp_context *context;
    struct sink *top;     /* the sink itself for the top one */
    struct sink *further; /* the top's list, newest first */
    struct target target; /* its path is NULL for standard output and memory */
    char *pending;        /* BUFFER_SIZE bytes not yet written */
    size_t pending_size;
    uint64_t written;         /* before it */
    struct hash_stream *hash; /* hash of the bytes written; NULL without CP_FLAG_LIST_FILES, and for memory */
    struct buffer memory;
    z_stream *packer; /* NULL: not compressed */
    cp_status status;
    bool finished; /* all is written */
    /* of the top one only */
    uint32_t nameless_count; /* finished files without a name, which are still open */
    struct arena *arena;
    const char *stem, *file_name;
    struct name_map names;       /* names of further outputs, in lower case */
    const char *made_folders[8]; /* folders to be removed when all fails */
    uint32_t made_folder_count;
};

/* ---- writing ---- */

/* Returns the name of the output for messages. */
static const char *visible_name(const struct sink *sink)
{
    return sink->target.path ? sink->target.path : "stdout";
}

static void fail_write(struct sink *sink, const char *what, int error)
{
    if (sink->status == CP_OK)
        sink->status = report_error(sink->context, CP_OUTPUT, code_of_output(error, "sink-write"),
                                    IN_FILE(visible_name(sink)), "%s: %s", what, strerror(error));
}

static void write_raw(struct sink *sink, const char *bytes, size_t size)
{
    if (sink->target.file < 0) {
        buffer_append(&sink->memory, bytes, size);
        if (sink->memory.failed)
            sink->status = CP_LIMIT;
        return;
    }
    while (size > 0 && sink->status == CP_OK) {
        context_progress(sink->context,
                         (cp_progress){.work = "writing", .file = visible_name(sink), .done = sink->written});
        if (context_is_cancelled(sink->context)) {
            sink->status = CP_LIMIT;
            return;
        }
        ssize_t done = write(sink->target.file, bytes, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0) {
            fail_write(sink, "cannot be written", errno);
            return;
        }
        if (sink->hash)
            hash_stream_add(sink->hash, bytes, (size_t)done);
        bytes += done;
        size -= (size_t)done;
        sink->written += (size_t)done;
        sink->context->written.bytes += (size_t)done;
    }
}

static void write_packed(struct sink *sink, const char *bytes, size_t size, int flush)
{
    z_stream *packer = sink->packer;
    packer->next_in = (Bytef *)bytes;
    packer->avail_in = (uInt)size; /* at most BUFFER_SIZE */
    char out[1 << 14];
    int result;
    do {
        packer->next_out = (Bytef *)out;
        packer->avail_out = sizeof out;
        result = deflate(packer, flush);
        write_raw(sink, out, sizeof out - packer->avail_out);
    } while (sink->status == CP_OK && (packer->avail_out == 0 || (flush == Z_FINISH && result == Z_OK)));
}

static void flush_pending(struct sink *sink)
{
    if (sink->status == CP_OK && sink->packer)
        write_packed(sink, sink->pending, sink->pending_size, Z_NO_FLUSH);
    else if (sink->status == CP_OK)
        write_raw(sink, sink->pending, sink->pending_size);
    sink->pending_size = 0;
}

void sink_write(struct sink *sink, const void *bytes, size_t size)
{
    const char *at = bytes;
    if (size >= BUFFER_SIZE && !sink->packer && sink->status == CP_OK) {
        flush_pending(sink);
        write_raw(sink, at, size);
        return;
    }
    while (size > 0 && sink->status == CP_OK) {
        size_t room = BUFFER_SIZE - sink->pending_size, part = size < room ? size : room;
        memcpy(sink->pending + sink->pending_size, at, part);
        sink->pending_size += part;
        at += part;
        size -= part;
        if (sink->pending_size == BUFFER_SIZE)
            flush_pending(sink);
    }
}

void sink_text(struct sink *sink, const char *text)
{
    sink_write(sink, text, strlen(text));
}

void sink_print(struct sink *sink, const char *format, ...)
{
    struct buffer text = {.context = sink->context};
    char small[512];
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int length = vsnprintf(small, sizeof small, format, list);
    va_end(list);
    if (length >= 0 && (size_t)length < sizeof small) {
        sink_write(sink, small, (size_t)length);
    } else if (length >= 0 && buffer_reserve(&text, (size_t)length + 1)) {
        (void)vsnprintf(text.data, (size_t)length + 1, format, again);
        sink_write(sink, text.data, (size_t)length);
    } else if (sink->status == CP_OK) {
        sink->status = CP_LIMIT;
    }
    va_end(again);
    buffer_free(&text);
}

void sink_float(struct sink *sink, float value)
{
    char text[NUMBER_SIZE];
    sink_write(sink, text, print_float(value, text));
}

void sink_double(struct sink *sink, double value)
{
    char text[NUMBER_SIZE];
    sink_write(sink, text, print_double(value, text));
}

size_t sink_markup(struct sink *sink, const char *text)
{
    static const char *const escapes[128] = {
        ['&'] = "&amp;", ['<'] = "&lt;",   ['>'] = "&gt;",   ['"'] = "&quot;",
        ['\t'] = "&#9;", ['\n'] = "&#10;", ['\r'] = "&#13;",
    };
    size_t replaced = 0, size;
    for (; *text; text += size) {
        unsigned char byte = (unsigned char)*text;
        const char *escape = byte < 128 ? escapes[byte] : NULL;
        bool no_character = strncmp(text, "\xef\xbf\xbe", 3) == 0 || strncmp(text, "\xef\xbf\xbf", 3) == 0;
        size = no_character ? 3 : 1;
        if (escape) {
            sink_text(sink, escape);
        } else if (no_character || byte < ' ') {
            sink_text(sink, "\xef\xbf\xbd");
            replaced++;
        } else {
            sink_write(sink, text, 1);
        }
    }
    return replaced;
}

cp_status sink_status(const struct sink *sink)
{
    return sink->status;
}

const char *sink_stem(const struct sink *sink)
{
    return sink->top->stem;
}

const char *sink_file_name(const struct sink *sink)
{
    return sink->top->file_name;
}

/* ---- opening ---- */

static void release(struct sink *sink)
{
    cp_context *context = sink->context;
    if (sink->packer) {
        (void)deflateEnd(sink->packer);
        memory_free(context, sink->packer, 1, sizeof *sink->packer);
    }
    memory_free(context, sink->pending, BUFFER_SIZE, 1);
    buffer_free(&sink->memory);
    hash_stream_free(context, sink->hash);
    if (sink->top == sink) {
        name_map_free(&sink->names);
        arena_free(sink->arena);
    }
    memory_free(context, sink, 1, sizeof *sink);
}

static struct sink *sink_new(cp_context *context, struct sink *top)
{
    struct sink *sink = memory_allocate_zeroed(context, 1, sizeof *sink);
    if (!sink)
        return NULL;
    sink->context = context;
    sink->top = top ? top : sink;
    sink->target.file = -1;
    sink->memory.context = context;
    sink->names.context = context;
    sink->pending = memory_allocate(context, BUFFER_SIZE, 1);
    if (!top)
        sink->arena = arena_new(context);
    if (sink->pending && sink->top->arena)
        return sink;
    release(sink);
    return NULL;
}

/* Starts gzip without a time or name in its header (zlib's default). */
static cp_status start_packer(struct sink *sink)
{
    sink->packer = memory_allocate_zeroed(sink->context, 1, sizeof *sink->packer);
    if (!sink->packer)
        return CP_LIMIT;
    sink->packer->zalloc = gzip_allocate;
    sink->packer->zfree = gzip_free;
    sink->packer->opaque = sink->context;
    if (deflateInit2(sink->packer, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK)
        return CP_OK;
    memory_free(sink->context, sink->packer, 1, sizeof *sink->packer);
    sink->packer = NULL;
    report_out_of_memory(sink->context);
    return CP_LIMIT;
}

cp_status sink_pack(struct sink *sink)
{
    return sink->packer ? CP_OK : start_packer(sink);
}

static cp_status start_hash(struct sink *sink)
{
    bool lists = sink->context->flags[CP_FLAG_LIST_FILES];
    sink->hash = lists ? hash_stream_new(sink->context) : NULL;
    return lists && !sink->hash ? CP_LIMIT : CP_OK;
}

static cp_status open_path(struct sink *sink, const char *path)
{
    bool packed = text_ends_nocase(path, ".gz") || text_ends_nocase(path, ".wrz");
    cp_status status = start_hash(sink);
    if (status == CP_OK && packed)
        status = start_packer(sink);
    return status == CP_OK ? target_open(sink->context, sink->top->arena, path, &sink->target) : status;
}

static cp_status set_top_names(struct sink *sink, const char *path)
{
    const char *name = text_file_name(path);
    size_t size;
    const char *stem = text_stem(path, &size);
    sink->file_name = arena_copy_text(sink->arena, name, strlen(name));
    sink->stem = arena_copy_text(sink->arena, stem, size);
    return sink->file_name && sink->stem ? CP_OK : CP_LIMIT;
}

cp_status sink_open_top(cp_context *context, const char *path, struct sink **opened)
{
    *opened = NULL;
    struct sink *sink = sink_new(context, NULL);
    if (!sink)
        return CP_LIMIT;
    bool standard = strcmp(path, "-") == 0;
    cp_status status = set_top_names(sink, standard ? "out" : path);
    if (status == CP_OK && standard) {
        sink->target.file = STDOUT_FILENO;
        sink->target.through = true;
        status = start_hash(sink);
    } else if (status == CP_OK) {
        status = open_path(sink, path);
    }
    if (status == CP_OK)
        *opened = sink;
    else
        release(sink);
    return status;
}

cp_status sink_open_memory(cp_context *context, struct sink **opened)
{
    *opened = sink_new(context, NULL);
    if (!*opened)
        return CP_LIMIT;
    cp_status status = set_top_names(*opened, "out");
    if (status != CP_OK) {
        release(*opened);
        *opened = NULL;
    }
    return status;
}

/* ---- further outputs ---- */

bool sink_is_stream(const struct sink *top)
{
    return top->target.through || !top->target.path;
}

cp_status sink_expect_further(const struct sink *top)
{
    if (!sink_is_stream(top))
        return CP_OK;
    return report_error(top->context, CP_USAGE, "sink-stream", NOWHERE,
                        "an output of several files cannot go to a stream; name a file");
}

static const char *path_beside(const struct sink *top, const char *relative)
{
    const char *path = top->target.path;
    return arena_print(top->arena, "%.*s%s", (int)(text_file_name(path) - path), path, relative);
}

bool sink_has_beside(const struct sink *top, const char *name)
{
    bool is_file = !top->target.through && top->target.path;
    const char *path = is_file ? path_beside(top, name) : NULL;
    return path && access(path, F_OK) == 0;
}

/* Makes the folder of a further output, unless it exists. */
static cp_status make_folder(struct sink *top, const char *path)
{
    const char *folder = arena_copy_text(top->arena, path, (size_t)(strrchr(path, '/') - path));
    struct stat info;
    if (!folder)
        return CP_LIMIT;
    if (mkdir(folder, 0777) == 0) {
        if (top->made_folder_count < sizeof top->made_folders / sizeof *top->made_folders)
            top->made_folders[top->made_folder_count++] = folder;
        return CP_OK;
    }
    if (errno == EEXIST && stat(folder, &info) == 0 && S_ISDIR(info.st_mode))
        return CP_OK;
    return report_error(top->context, CP_OUTPUT, code_of_output(errno, "sink-open"), IN_FILE(folder),
                        "cannot be made: %s", strerror(errno));
}

cp_status sink_open(struct sink *top, const char *relative, struct sink **opened)
{
    *opened = NULL;
    cp_status status = sink_expect_further(top);
    if (status != CP_OK)
        return status;
    const char *path = path_beside(top, relative);
    if (!path)
        return CP_LIMIT;
    if (strchr(relative, '/'))
        status = make_folder(top, path);
    if (status != CP_OK)
        return status;
    struct sink *sink = sink_new(top->context, top);
    status = sink ? open_path(sink, path) : CP_LIMIT;
    if (status != CP_OK) {
        if (sink)
            release(sink);
        return status;
    }
    sink->further = top->further;
    top->further = sink;
    *opened = sink;
    return CP_OK;
}

/* Returns the key of a name on a disk that ignores case. */
static const char *lower_copy(struct arena *arena, const char *text)
{
    char *copy = arena_copy_text(arena, text, strlen(text));
    for (char *at = copy; at && *at; at++)
        *at = *at >= 'A' && *at <= 'Z' ? (char)(*at + 32) : *at;
    return copy;
}

const char *sink_safe_name(struct sink *top, const char *wanted, const char *suffix)
{
    char base[LONGEST_SAFE_NAME + 1];
    size_t size = 0;
    for (; *wanted && size < LONGEST_SAFE_NAME; wanted++)
        if (((unsigned char)*wanted & 0xc0) != 0x80) /* one '_' a character, not a byte */
            base[size++] = is_letter(*wanted) || is_digit(*wanted) || *wanted == '-' ? *wanted : '_';
    base[size] = '\0';
    if (size == 0)
        (void)strcpy(base, "part");
    /* The counter of a base name continues where it stopped, so that many equal names stay cheap. */
    const char *base_key = arena_print(top->arena, "%s/", base);
    base_key = base_key ? lower_copy(top->arena, base_key) : NULL;
    uint32_t *place = base_key ? name_map_add(&top->names, base_key, 0, NULL) : NULL;
    for (uint32_t number = place ? *place + 1 : 0; place; number++) {
        const char *name = number == 1 ? arena_print(top->arena, "%s%s", base, suffix)
                                       : arena_print(top->arena, "%s_%u%s", base, (unsigned)number, suffix);
        const char *key = name ? lower_copy(top->arena, name) : NULL;
        bool fresh;
        if (!key || !name_map_add(&top->names, key, 0, &fresh))
            return NULL;
        if (fresh) {
            *name_map_find(&top->names, base_key) = number;
            return name;
        }
    }
    return NULL;
}

/* ---- closing ---- */

/* Closes a file. One without a name stays open as long as there are few, and descriptors are left; then only a copy of
 * its descriptor is closed, which reports the same errors. */
static void close_file(struct sink *sink)
{
    struct target *target = &sink->target;
    const bool is_nameless = target->is_nameless;
    int file = is_nameless ? dup(target->file) : target->file;
    const bool has_room = !is_nameless || file >= 0;
    if (!is_nameless)
        target->file = -1;
    if (has_room && (file < 0 || close(file) != 0))
        fail_write(sink, "cannot be written", errno);
    if (is_nameless && sink->status == CP_OK && (!has_room || sink->top->nameless_count++ >= MOST_NAMELESS))
        sink->status = target_name(sink->context, target);
}

/* Writes everything to the disk; the file does not get its name yet. */
static void finish_file(struct sink *sink)
{
    if (sink->finished)
        return;
    sink->finished = true;
    flush_pending(sink);
    if (sink->packer && sink->status == CP_OK)
        write_packed(sink, NULL, 0, Z_FINISH);
    if (sink->target.file < 0 || sink->target.file == STDOUT_FILENO)
        return;
    if (sink->context->flags[CP_FLAG_SYNC] && sink->status == CP_OK && fsync(sink->target.file) != 0 && errno != EINVAL)
        fail_write(sink, "cannot be synchronised", errno);
    close_file(sink);
}

cp_status sink_close_further(struct sink *sink)
{
    finish_file(sink);
    if (sink->status != CP_OK && sink->top->status == CP_OK)
        sink->top->status = sink->status;
    return sink->status;
}

cp_status sink_put(struct sink *top, const char *relative, const void *bytes, size_t size)
{
    struct sink *sink;
    cp_status status = sink_open(top, relative, &sink);
    if (status != CP_OK)
        return status;
    sink_write(sink, bytes, size);
    return sink_close_further(sink);
}

static cp_status list_output(const struct sink *sink)
{
    const struct target *target = &sink->target;
    struct stat info;
    bool is_file = target_stat(target, &info);
    return sink->hash ? list_file(sink->context, (cp_file){.path = target->path ? target->path : "-",
                                                           .use = CP_FILE_WRITTEN,
                                                           .size = sink->written,
                                                           .modified = is_file ? (int64_t)time_of_change(&info) : 0,
                                                           .hash = hash_stream_end(sink->hash)})
                      : CP_OK;
}

cp_status sink_close(struct sink *sink, cp_status status)
{
    cp_context *context = sink->context;
    size_t listed;
    (void)cp_files(context, &listed);
    if (status != CP_OK && sink->status == CP_OK)
        sink->status = status; /* a stream that has not seen the rest yet shall not see it */
    finish_file(sink);
    for (struct sink *at = sink->further; at; at = at->further)
        if (!at->finished)
            (void)sink_close_further(at);
    if (status == CP_OK)
        status = sink->status;
    /* Put the files in place, the top one last, or remove them. */
    for (struct sink *at = sink; at && status == CP_OK; at = at->further)
        status = target_record(context, &at->target);
    for (struct sink *at = sink->further; at && status == CP_OK; at = at->further)
        status = list_output(at);
    if (status == CP_OK)
        status = list_output(sink);
    bool is_set = sink->further != NULL; /* which is placed as a whole, or not at all */
    for (struct sink *at = sink->further; at && status == CP_OK; at = at->further)
        status = target_put_in_place(context, &at->target, is_set);
    if (status == CP_OK)
        status = target_put_in_place(context, &sink->target, is_set);
    for (struct sink *at = sink; at && status != CP_OK; at = at->further)
        target_take_back(&at->target);
    if (status != CP_OK)
        list_cut(context, listed);
    /* Make the renames durable: the folders' entries are data, too. Files of one folder come one after the other. */
    const char *last = "";
    bool syncs = status == CP_OK && context->flags[CP_FLAG_SYNC] && !sink->target.through;
    for (const struct sink *at = syncs ? sink : NULL; at; at = at->further) {
        const char *path = at->target.path, *slash = strrchr(path, '/');
        const char *folder = slash ? arena_copy_text(sink->arena, path, (size_t)(slash - path) + 1) : ".";
        int file = folder && strcmp(folder, last) != 0 ? open(folder, O_RDONLY | O_CLOEXEC) : -1;
        if (file >= 0) {
            (void)fsync(file);
            (void)close(file);
        }
        last = folder ? folder : last;
    }
    for (struct sink *at = sink; at; at = at->further)
        target_remove(&at->target);
    for (uint32_t i = sink->made_folder_count; i-- > 0 && status != CP_OK;)
        (void)rmdir(sink->made_folders[i]); /* only an empty one goes */
    for (struct sink *at = sink->further, *next; at; at = next) {
        next = at->further;
        release(at);
    }
    release(sink);
    return status;
}

cp_status sink_close_memory(struct sink *sink, cp_status status, void **bytes, size_t *size)
{
    finish_file(sink);
    *bytes = NULL;
    *size = 0;
    if (status == CP_OK)
        status = sink->status;
    if (status == CP_OK) {
        struct buffer *memory = &sink->memory;
        /* Shrink the block to its size, so that cp_free knows it. */
        size_t wanted = memory->size ? memory->size : 1;
        void *block = memory_resize(sink->context, memory->data, memory->capacity, wanted);
        if (block) {
            *bytes = block;
            *size = memory->size;
            *memory = (struct buffer){.context = sink->context};
        } else {
            status = CP_LIMIT;
        }
    }
    release(sink);
    return status;
}
