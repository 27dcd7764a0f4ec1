/* Bytes in. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive.h"
#include "base/context.h"
#include "base/text/text.h"
#include "cellpipe_build.h"
#include "disk.h"

struct source_state {
    struct arena *arena;        /* the names */
    struct buffer content;      /* the bytes, if they were read or unpacked */
    struct mapping mapping;     /* the bytes, if the file is mapped */
    int file;                   /* the mapped file, kept open to see whether somebody changes it; else -1 */
    struct stat opened;         /* what it was then */
    cp_hash hash;               /* hash of its bytes; zero without CP_FLAG_LIST_FILES */
    struct inputs inputs;       /* the top file's: the files that were read, in the order in which that ended */
    uint64_t further;           /* the top file's: the number of files opened below it */
    struct comparison compared; /* the top file's */
    bool has_changed;           /* the top file's: a file opened below it changed while it was open */
    bool root_is_package;       /* root is a package of ROS */
    bool is_option;             /* the user names the file in an option of the importer */
    bool is_dispensable;        /* the reader can do without it: a picture, or a file whose name is another one */
    struct name_map counted;    /* the top file's: the files whose bytes are counted, "DEVICE:NUMBER" */
    struct packages packages;   /* the top file's: those that are found from its folder */
    struct allowed_root root;   /* the package around it, or the folder of a top or option's file that names others */
    /* The top file's state, perhaps this one. It outlives all below it, which are closed in any order. */
    struct source_state *top;
    dev_t device;
    ino_t inode;
};

/* ---- bytes ---- */

enum {
    MOST_AT_ONCE = 1 << 24, /* bytes of one read, so that a large file can be cancelled */
    LEAST_MAPPED = 1 << 18  /* smaller files are read faster than mapped */
};

static cp_status check_size(cp_context *context, const char *name, uintmax_t size)
{
    if (size <= context->limits.bytes)
        return CP_OK;
    return report_error(context, CP_LIMIT, "source-size", IN_FILE(name),
                        "is larger than the limit of %llu bytes (--limit bytes=)",
                        (unsigned long long)context->limits.bytes);
}

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
        context_progress(context,
                         (cp_progress){.work = "reading", .file = name, .done = content->size, .total = total});
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
        cp_status status = check_size(context, name, content->size);
        if (status != CP_OK)
            return status;
        step = 2; /* a full buffer doubles */
    }
    content->data[content->size] = '\0';
    return CP_OK;
}

/* Shows the state's bytes as the source's. */
static void show_bytes(struct source *source)
{
    const struct source_state *state = source->state;
    source->data = state->mapping.data ? state->mapping.data : state->content.data;
    source->size = state->mapping.data ? state->mapping.size : state->content.size;
}

static void close_file(int file)
{
    if (file >= 0 && file != STDIN_FILENO)
        (void)close(file);
}

static void release_mapping(struct source_state *state)
{
    mapping_close(&state->mapping);
    close_file(state->file);
    state->file = -1;
}

/* Takes bytes in place of the file's, which stays open for source_check. */
static void take_bytes(struct source *source, struct buffer *bytes)
{
    mapping_close(&source->state->mapping);
    buffer_free(&source->state->content);
    source->state->content = *bytes;
    show_bytes(source);
}

/* Replaces gzip'd bytes by their contents. */
static cp_status unpack(struct source *source)
{
    if (!is_gzip(source->data, source->size))
        return CP_OK;
    struct buffer plain = {.context = source->context};
    cp_status status = unpack_gzip(source, &plain, &source->ends_early);
    if (status != CP_OK) {
        buffer_free(&plain);
        return status;
    }
    take_bytes(source, &plain);
    return CP_OK;
}

cp_status source_check(const struct source *source)
{
    const struct source_state *state = source->state;
    const struct stat *before = &state->opened;
    struct stat now;
    if (state->has_changed) /* reported */
        return CP_INPUT;
    if (state->file < 0 ||
        (fstat(state->file, &now) == 0 && now.st_size == before->st_size &&
         now.st_mtim.tv_sec == before->st_mtim.tv_sec && now.st_mtim.tv_nsec == before->st_mtim.tv_nsec))
        return CP_OK;
    return report_error(source->context, CP_INPUT, "source-changed", IN_FILE(source->name),
                        "changed while it was being read");
}

cp_status source_decode(struct source *source)
{
    struct buffer text = {.context = source->context};
    bool is_utf16 = utf16_decode(source->data, source->size, &text);
    if (is_utf16)
        buffer_append(&text, "", 1);
    cp_status status = is_utf16 && text.failed ? CP_LIMIT : CP_OK;
    if (is_utf16 && status == CP_OK) {
        text.size--; /* a NUL follows the last byte */
        take_bytes(source, &text);
    } else {
        buffer_free(&text);
    }
    return status;
}

void source_forget(const struct source *source, const char *at)
{
    mapping_forget(&source->state->mapping, (size_t)(at - source->data));
}

/* ---- opening ---- */

void source_close(struct source *source)
{
    if (!source)
        return;
    cp_context *context = source->context;
    if (source->state && source->state->top != source->state && source_check(source) != CP_OK)
        source->state->top->has_changed = true;
    if (source->state) {
        root_close(&source->state->root);
        release_mapping(source->state);
        buffer_free(&source->state->content);
        comparison_free(&source->state->compared);
        packages_free(context, &source->state->packages);
        name_map_free(&source->state->counted);
        memory_free(context, source->state->inputs.items, source->state->inputs.room, sizeof(struct input));
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
    source->name = source->path = source->label = source->folder = source->name_folder = "";
    source->state = memory_allocate_zeroed(context, 1, sizeof *source->state);
    if (source->state)
        source->state->arena = arena_new(context);
    if (source->state) {
        source->state->content.context = context;
        source->state->top = source->state;
        source->state->file = -1;
    }
    if (source->state && source->state->arena)
        return source;
    source_close(source);
    return NULL;
}

static void put_below(struct source *source, const struct source *parent)
{
    source->parent = parent;
    source->archive = parent->archive;
    source->depth = parent->depth + 1;
    source->state->top = parent->state->top;
}

static const char *folder_of(struct arena *arena, const char *path)
{
    return arena_copy_text(arena, path, (size_t)(text_file_name(path) - path));
}

static cp_status set_names(struct source *source, const char *path, const char *name)
{
    struct arena *arena = source->state->arena;
    source->path = arena_copy_text(arena, path, strlen(path));
    source->name = arena_copy_text(arena, name, strlen(name));
    source->folder = folder_of(arena, path);
    source->name_folder = source->parent ? folder_of(arena, name) : "";
    if (!source->path || !source->name || !source->folder || !source->name_folder)
        return CP_LIMIT;
    if (!source->parent)
        source->label = text_file_name(source->name);
    return CP_OK;
}

/* Searches the folders of settings: FOLDER, or NAME=FOLDER of packages. errno is ENOMEM when memory ran out for one of
 * them. */
static bool open_setting_root(const struct text_list *settings, bool named, const char *real, struct allowed_root *root)
{
    for (uint32_t i = 0; i < settings->count; i++) {
        const char *equals = named ? strchr(settings->items[i], '=') : NULL;
        root_open(root, equals ? equals + 1 : settings->items[i]);
        if (root_holds(root, real))
            return true;
        if (!root->path && errno == ENOMEM)
            return false;
        root_close(root);
    }
    errno = 0;
    return false;
}

static bool open_given_root(const cp_context *context, const char *real, struct allowed_root *root)
{
    return open_setting_root(&context->include_folders, false, real, root) ||
           (errno == 0 && open_setting_root(&context->allowed_folders, false, real, root)) ||
           (errno == 0 && open_setting_root(&context->package_folders, true, real, root));
}

/* CP_INPUT, reported; for a dispensable file CP_NO, with a warning. */
#define refuse(source, code, ...)                                                                                      \
    (report_lenient((source)->context, !(source)->state->is_dispensable, code, IN_FILE((source)->parent->name),        \
                    __VA_ARGS__) == CP_OK                                                                              \
         ? CP_NO                                                                                                       \
         : CP_INPUT)

/* Opens the folder below which the further files of a top file lie: the package of ROS that it is in, whose files name
 * each other, or its own. */
static void open_root(struct source_state *state, const char *folder)
{
    char *package = package_above(folder);
    root_open(&state->root, package ? package : folder);
    state->root_is_package = package;
    free(package);
}

cp_status source_find_package(const struct source *source, const char *name, const char **folder)
{
    *folder = package_given(source->context, name);
    if (*folder)
        return CP_OK;
    while (source->parent)
        source = source->parent;
    return packages_find(source->context, &source->state->packages, source->folder, name, folder);
}

/* Opens the source's path, which the parent names. It must lie below the folder of the top file, of one that the user
 * has named in an option, or below a folder that the user has given, unless confinement is lifted. *file is -1 with
 * errno when it cannot be opened; it does not wait for a FIFO. CP_INPUT, reported, when it lies elsewhere; then CP_NO
 * for a dispensable file. */
static cp_status open_further(const struct source *source, int *file)
{
    enum { MOST_ATTEMPTS = 100 }; /* somebody may change links meanwhile */
    const cp_context *context = source->context;
    *file = -1;
    if (!context->flags[CP_FLAG_CONFINE]) {
        *file = context_open_file(source->context, source->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        return CP_OK;
    }
    for (int i = 0; i < MOST_ATTEMPTS && *file < 0 && !context_is_cancelled(source->context); i++) {
        char *real = real_path(source->path);
        if (!real)
            return CP_OK;
        struct allowed_root given = {NULL, -1}, *root = NULL;
        const struct source *top = source->parent;
        for (const struct source *at = top; at && !root; at = at->parent) {
            bool is_root = !at->parent || at->state->is_option;
            if (is_root && !at->state->root.path)
                open_root(at->state, at->folder);
            if (is_root && !at->state->root.path) { /* the folder is unknown, so nothing lies below it */
                int error = errno;
                free(real);
                errno = error;
                return CP_OK;
            }
            if (is_root && root_holds(&at->state->root, real))
                root = &at->state->root;
            top = at;
        }
        errno = 0;
        if (!root && open_given_root(context, real, &given))
            root = &given;
        if (root)
            *file = root_open_file(root, real);
        int error = errno;
        root_close(&given);
        free(real);
        errno = error;
        if (!root && error == ENOMEM)
            return CP_OK;
        if (!root)
            return refuse(source, "source-confined",
                          "file \"%s\" lies outside the top file's %s \"%s\" (--confine=no reads it; "
                          "--include DIR and --package NAME=DIR allow a folder)",
                          source->name, top->state->root_is_package ? "package" : "folder",
                          top->state->root_is_package ? top->state->root.path
                          : *top->folder              ? top->folder
                                                      : ".");
        if (*file < 0 && error != ELOOP && error != ENOTDIR && error != EINTR)
            break;
    }
    return CP_OK;
}

/* Notes the file as an input. The memory is the top file's. */
static cp_status note_input(const struct source *source)
{
    const struct stat *opened = &source->state->opened;
    struct source_state *top = source->state->top;
    struct inputs *inputs = &top->inputs;
    const char *path = source->state->inode ? source->path : "";
    struct input input = {
        .label = arena_copy_text(top->arena, source->label, strlen(source->label)),
        .path = arena_copy_text(top->arena, path, strlen(path)),
        .size = (uint64_t)opened->st_size,
        .changed = time_of_change(opened),
        .hash = source->state->hash,
    };
    if (!input.label || !input.path ||
        !array_reserve(source->context, &inputs->items, &inputs->room, inputs->count + UINT64_C(1), sizeof input))
        return CP_LIMIT;
    inputs->items[inputs->count++] = input;
    return CP_OK;
}

const struct inputs *source_inputs(const struct source *source)
{
    return &source->state->inputs;
}

/* Checks that the open file is none of its own parents, and maps or reads it. */
static cp_status load_file(struct source *source, int file)
{
    cp_context *context = source->context;
    struct source_state *state = source->state;
    const struct stat *info = &state->opened;
    if (fstat(file, &state->opened) != 0)
        return report_error(context, CP_INPUT, "source-read", IN_FILE(source->name), "cannot be read: %s",
                            strerror(errno));
    if (S_ISDIR(info->st_mode))
        return report_error(context, CP_INPUT, "source-folder", IN_FILE(source->name), "is a folder");
    state->device = info->st_dev;
    state->inode = S_ISREG(info->st_mode) ? info->st_ino : 0;
    for (const struct source *above = source->parent; above; above = above->parent)
        if (above->state->inode && above->state->inode == state->inode && above->state->device == state->device)
            return refuse(source, "source-cycle", "file \"%s\" includes itself", source->name);
    /* Map a large regular file of which nothing has been read. */
    if (context->flags[CP_FLAG_NO_MAPPING] || !S_ISREG(info->st_mode) || info->st_size < LEAST_MAPPED ||
        (uintmax_t)info->st_size > SIZE_MAX / 4 || lseek(file, 0, SEEK_CUR) != 0 ||
        !mapping_open(&state->mapping, file, (size_t)info->st_size))
        return read_all(source, file, source->name);
    state->file = file;
    return check_size(context, source->name, state->mapping.size);
}

/* Under CP_FLAG_LIST_FILES: hashes the bytes before they are unpacked. */
static cp_status list_read(struct source *source)
{
    cp_context *context = source->context;
    struct source_state *state = source->state;
    struct hash_stream *stream = context->flags[CP_FLAG_LIST_FILES] ? hash_stream_new(context) : NULL;
    if (!stream)
        return context->flags[CP_FLAG_LIST_FILES] ? CP_LIMIT : CP_OK;
    for (size_t at = 0; at < source->size && !context_is_cancelled(context); at += MOST_AT_ONCE) {
        size_t left = source->size - at;
        hash_stream_add(stream, source->data + at, left < MOST_AT_ONCE ? left : MOST_AT_ONCE);
    }
    state->hash = hash_stream_end(stream);
    hash_stream_free(context, stream);
    return context_is_cancelled(context)
               ? CP_LIMIT
               : list_file(context, (cp_file){.path = *source->path ? source->path : "-",
                                              .use = CP_FILE_READ,
                                              .size = source->size,
                                              .modified = state->inode ? (int64_t)time_of_change(&state->opened) : 0,
                                              .hash = state->hash});
}

/* Adds its bytes to those of the present read, unless the file has been read below the same top file before. */
static cp_status count_bytes(const struct source *source)
{
    const struct source_state *state = source->state;
    struct name_map *counted = &state->top->counted;
    cp_context *context = source->context;
    bool fresh = true;
    if (context->read_bytes == NO_READ)
        return CP_OK;
    if (state->inode) {
        const char *key = arena_print(state->top->arena, "%llx:%llx", (unsigned long long)state->device,
                                      (unsigned long long)state->inode);
        counted->context = context;
        if (!key || !name_map_add(counted, key, 0, &fresh))
            return CP_LIMIT;
    }
    context->read_bytes += fresh ? source->size : 0;
    return CP_OK;
}

/* Takes the file's number. */
static cp_status load(struct source *source, int file)
{
    const struct source_state *state = source->state;
    cp_status status = load_file(source, file);
    if (state->file < 0)
        close_file(file);
    if (status != CP_OK)
        return status;
    show_bytes(source);
    status = list_read(source);
    if (status == CP_OK)
        status = unpack(source);
    struct file_record record = {
        .path = source->path, .use = FILE_READ, .device = state->device, .inode = state->inode};
    if (status == CP_OK)
        status = files_record(source->context, record);
    if (status == CP_OK)
        status = count_bytes(source);
    return status == CP_OK ? note_input(source) : status;
}

/* The source has its names, and gets a copy of the bytes. */
static cp_status load_bytes(struct source *source, const void *bytes, size_t size)
{
    struct buffer *content = &source->state->content;
    if (size == SIZE_MAX || !buffer_reserve(content, size + 1))
        return CP_LIMIT;
    buffer_append(content, bytes, size);
    content->data[size] = '\0';
    show_bytes(source);
    cp_status status = unpack(source);
    if (status == CP_OK)
        status = count_bytes(source);
    return status == CP_OK ? note_input(source) : status;
}

/* Asks the host for the file at the source's path. CP_NO when it has none. */
static cp_status load_by_host(struct source *source)
{
    const cp_opener *opener = source->context->opener;
    const void *bytes = NULL;
    size_t size = 0;
    cp_status status = opener->open(opener->user, source->path, &bytes, &size);
    if (status == CP_NO)
        return status;
    if (status != CP_OK)
        return report_error(source->context, status, "source-opener", IN_FILE(source->name),
                            "the host's store does not give its bytes");
    status = check_size(source->context, source->name, size);
    if (status == CP_OK)
        status = load_bytes(source, bytes, size);
    if (opener->release)
        opener->release(opener->user, bytes, size);
    return status;
}

cp_status source_open_top(cp_context *context, const char *path, struct source **opened)
{
    *opened = NULL;
    struct source *source = source_new(context);
    if (!source)
        return CP_LIMIT;
    bool standard = strcmp(path, "-") == 0;
    cp_status status = set_names(source, standard ? "" : path, standard ? "stdin" : path);
    int file = STDIN_FILENO;
    const bool by_host = context->opener && !standard;
    if (status == CP_OK && by_host) {
        status = load_by_host(source);
        if (status == CP_NO)
            status = report_error(context, CP_INPUT, "source-open", IN_FILE(path), "cannot be opened: there is none");
    } else if (status == CP_OK && !standard) {
        file = context_open_file(context, path, O_RDONLY | O_CLOEXEC);
        if (file < 0) {
            status =
                report_error(context, CP_INPUT, "source-open", IN_FILE(path), "cannot be opened: %s", strerror(errno));
            (void)list_missing(context, path);
        }
    }
    if (status == CP_OK && !by_host)
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
        status = load_bytes(source, bytes, size);
    if (status != CP_OK) {
        source_close(source);
        return status;
    }
    *opened = source;
    return CP_OK;
}

cp_status source_of_bytes(const struct source *parent, const char *path, const char *name, const char *label,
                          struct buffer *bytes, struct source **opened)
{
    struct source *source = source_new(bytes->context);
    *opened = NULL;
    if (!source) {
        buffer_free(bytes);
        return CP_LIMIT;
    }
    source->state->content = *bytes;
    *bytes = (struct buffer){.context = source->context};
    if (parent)
        put_below(source, parent);
    show_bytes(source);
    cp_status status = set_names(source, path, name);
    if (status == CP_OK)
        status = count_bytes(source);
    source->label = arena_copy_text(source->state->arena, label, strlen(label));
    if (status != CP_OK || !source->label) {
        source_close(source);
        return CP_LIMIT;
    }
    *opened = source;
    return CP_OK;
}

/* Counts the opened files: a small file must not cause endless work by files that name each other's neighbours
 * twice. */
static cp_status count_further(const struct source *parent, const char *name)
{
    const struct limits *limits = &parent->context->limits;
    if (++parent->state->top->further <= limits->files)
        return CP_OK;
    return report_error(parent->context, CP_LIMIT, "source-files", IN_FILE(parent->name),
                        "file \"%s\" is beyond the limit of %llu further files (--limit files=)", name,
                        (unsigned long long)limits->files);
}

/* Opens one of the files that the name may mean; CP_NO when there is none. */
static cp_status open_candidate(struct source *source, const struct meant_file *candidate)
{
    cp_context *context = source->context;
    cp_status status = set_names(source, candidate->path, candidate->name);
    int file = -1;
    if (status == CP_OK && path_names_folder(candidate->path)) /* even one that must not be read */
        return CP_NO;
    if (status == CP_OK && context->opener) {
        status = load_by_host(source);
        return status == CP_OK ? count_further(source->parent, source->name) : status;
    }
    if (status == CP_OK && source->state->is_option)
        file = context_open_file(context, source->path, O_RDONLY | O_CLOEXEC);
    else if (status == CP_OK)
        status = open_further(source, &file);
    int error = errno;
    if (status == CP_OK && file < 0 && error == ENOMEM) {
        report_out_of_memory(context);
        status = CP_LIMIT;
    }
    if (status != CP_OK)
        return status;
    struct stat info = {0};
    if (file >= 0 && fstat(file, &info) != 0) {
        error = errno;
        (void)close(file);
        file = -1;
    }
    bool is_folder = file >= 0 && S_ISDIR(info.st_mode);
    if (is_folder) /* a model "Robot" may lie beside a folder "Robot" */
        (void)close(file);
    if (file < 0 || is_folder)
        status = list_missing(context, source->path);
    bool is_missing = error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG;
    if (status == CP_OK && file < 0 && !is_missing)
        return refuse(source, "source-open", "file \"%s\" cannot be opened: %s", source->name, strerror(error));
    if (status != CP_OK || file < 0 || is_folder)
        return status == CP_OK ? CP_NO : status;
    if (!S_ISREG(info.st_mode) && !source->state->is_option) { /* a FIFO would wait, and a device may not end */
        (void)close(file);
        return refuse(source, "source-irregular", "file \"%s\" is no regular file", source->name);
    }
    status = count_further(source->parent, source->name);
    if (status == CP_OK)
        return load(source, file);
    (void)close(file);
    return status;
}

/* Opens the first file that the name means; CP_NO when there is none. */
static cp_status open_named(struct source *source, const char *name)
{
    const struct source *parent = source->parent;
    struct arena *arena = source->state->arena;
    /* A URI that finds a package has no folder in it: its text is the label, the same on every machine. */
    bool whole = name[0] == '/' || uri_is_known(name);
    int folder = whole ? 0 : (int)(text_file_name(parent->label) - parent->label);
    source->label = arena_print(arena, "%.*s%s", folder, parent->label, name);
    struct candidates list = {0};
    cp_status status = source->label ? resolve_files(parent, arena, name, &list) : CP_LIMIT;
    if (status == CP_OK)
        status = CP_NO;
    for (uint32_t i = 0; i < list.count && status == CP_NO; i++)
        status = open_candidate(source, &list.items[i]);
    return status;
}

/* Opens a file whose name is not exactly the wanted one: if it must not be read, it is none. */
static cp_status open_similar(struct source *source, const struct meant_file *candidate)
{
    bool was_dispensable = source->state->is_dispensable;
    if (!candidate->path || !candidate->name)
        return CP_LIMIT;
    source->state->is_dispensable = true;
    cp_status status = open_candidate(source, candidate);
    source->state->is_dispensable = was_dispensable;
    return status;
}

/* Opens the file that the name means on another system; CP_NO when there is none. */
static cp_status open_beside(struct source *source, const char *name)
{
    const struct source *parent = source->parent;
    struct arena *arena = source->state->arena;
    struct meant_file candidate;
    const char *path;
    cp_status status = find_beside(parent, arena, name, &source->state->top->compared, &path);
    if (status != CP_OK || strcmp(path, name) == 0) /* the exact name has been tried */
        return status == CP_OK ? CP_NO : status;
    candidate.path = arena_print(arena, "%s%s", parent->folder, path);
    candidate.name = arena_print(arena, "%s%s", parent->name_folder, path);
    int folder = (int)(text_file_name(parent->label) - parent->label);
    source->label = arena_print(arena, "%.*s%s", folder, parent->label, path);
    status = source->label ? open_similar(source, &candidate) : CP_LIMIT;
    if (status == CP_OK)
        report_warning(source->context, "source-beside", IN_FILE(parent->name),
                       "there is no file \"%.200s\"; \"%.200s\" beside it is read", name, path);
    return status;
}

/* Opens the first file that the name means if letters of another case count as the same; CP_NO when there is none. */
static cp_status open_any_case(struct source *source, const char *name)
{
    const struct source *parent = source->parent;
    struct arena *arena = source->state->arena;
    struct candidates list = {0};
    size_t size = strlen(parent->folder);
    cp_status status = resolve_files(parent, arena, name, &list);
    if (status == CP_OK)
        status = CP_NO;
    for (uint32_t i = 0; i < list.count && status == CP_NO; i++) {
        const char *wanted = list.items[i].path, *found;
        bool is_below = strncmp(wanted, parent->folder, size) == 0;
        const char *rest = is_below ? wanted + size : wanted;
        status = find_any_case(source->context, arena, is_below ? parent->folder : "", rest,
                               &source->state->top->compared, &found);
        if (status == CP_OK && strcmp(found, rest) == 0) /* the exact name has been tried */
            status = CP_NO;
        if (status != CP_OK)
            continue;
        struct meant_file file = {arena_print(arena, "%s%s", is_below ? parent->folder : "", found),
                                  arena_print(arena, "%s%s", is_below ? parent->name_folder : "", found)};
        status = open_similar(source, &file);
        if (status == CP_OK)
            report_warning(source->context, "source-case", IN_FILE(parent->name),
                           "there is no file \"%.200s\"; \"%.200s\" is read, whose letters are of another case", name,
                           file.name);
    }
    return status;
}

enum further { FURTHER_FILE, FURTHER_NEAR, FURTHER_ANY_CASE, FURTHER_OPTION, FURTHER_PICTURE };

static cp_status open_below(const struct source *parent, const char *name, const char *other, enum further kind,
                            struct source **opened)
{
    *opened = NULL;
    cp_context *context = parent->context;
    if (parent->depth >= context->limits.includes)
        return report_error(context, CP_LIMIT, "source-depth", IN_FILE(parent->name),
                            "file \"%s\" is nested deeper than the limit of %llu (--limit includes=)", name,
                            (unsigned long long)context->limits.includes);
    if (context->open_further)
        return context->open_further(parent, name, kind == FURTHER_PICTURE, opened);
    if (parent->archive && kind != FURTHER_OPTION) {
        cp_status counted = count_further(parent, name);
        return counted == CP_OK ? archive_find(parent, name, other, kind == FURTHER_PICTURE, opened) : counted;
    }
    struct source *source = source_new(context);
    if (!source)
        return CP_LIMIT;
    put_below(source, parent);
    source->archive = NULL;
    source->state->is_option = kind == FURTHER_OPTION;
    source->state->is_dispensable = kind == FURTHER_PICTURE;
    bool is_near = kind == FURTHER_NEAR || kind == FURTHER_PICTURE;
    if (is_near && !other)
        other = uri_decoded(source->state->arena, name);
    cp_status status = is_near && !other ? CP_LIMIT : open_named(source, name);
    if (other && strcmp(other, name) == 0)
        other = NULL;
    /* A file of the exact name is meant, however many differ from it in other ways. */
    if (status == CP_NO && other)
        status = open_named(source, other);
    const bool has_folders = !context->opener; /* a host's store is asked for names, and lists none */
    if (status == CP_NO && is_near && has_folders)
        status = open_beside(source, name);
    if (status == CP_NO && other && has_folders)
        status = open_beside(source, other);
    if (status == CP_NO && kind == FURTHER_ANY_CASE && has_folders)
        status = open_any_case(source, name);
    if (status == CP_OK)
        *opened = source;
    else
        source_close(source);
    return status;
}

cp_status source_open(const struct source *parent, const char *name, struct source **opened)
{
    return open_below(parent, name, NULL, FURTHER_FILE, opened);
}

cp_status source_open_near(const struct source *parent, const char *name, const char *other, struct source **opened)
{
    return open_below(parent, name, other, FURTHER_NEAR, opened);
}

cp_status source_open_any_case(const struct source *parent, const char *name, struct source **opened)
{
    return open_below(parent, name, NULL, FURTHER_ANY_CASE, opened);
}

cp_status source_open_picture(const struct source *parent, const char *name, const char *other, struct source **opened)
{
    return open_below(parent, name, other, FURTHER_PICTURE, opened);
}

cp_status source_open_option(const struct source *parent, const char *path, struct source **opened)
{
    cp_status status = open_below(parent, path, NULL, FURTHER_OPTION, opened);
    errno = 0;
    char *absolute = status == CP_NO ? realpath(path, NULL) : NULL;
    if (absolute) {
        status = open_below(parent, absolute, NULL, FURTHER_OPTION, opened);
    } else if (errno == ENOMEM) {
        report_out_of_memory(parent->context);
        status = CP_LIMIT;
    } else if (status == CP_NO && list_missing(parent->context, path) != CP_OK) {
        status = CP_LIMIT;
    }
    free(absolute);
    return status;
}
