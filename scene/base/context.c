/* The context: limits, flags, options for importers. */
#include "context.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>


static const struct limit {
    const char *name, *help, *initial;
    size_t offset;
} limit_table[] = {
    {"bytes", "size of one input file", "68719476736", offsetof(struct limits, bytes)},
    {"expanded-bytes", "size of one input file after decompression", "68719476736",
     offsetof(struct limits, expanded_bytes)},
    {"nesting", "nesting of XML and JSON", "256", offsetof(struct limits, nesting)},
    {"depth", "depth of the scene's tree", "4096", offsetof(struct limits, depth)},
    {"nodes", "nodes of a scene", "16777216", offsetof(struct limits, nodes)},
    {"vertices", "vertices of a scene", "4294967295", offsetof(struct limits, vertices)},
    {"primitive-triangles", "triangles that one sphere, cylinder ... is made of", "1000000",
     offsetof(struct limits, primitive_triangles)},
    {"pairs", "pairs of frames that the filter exclude judges", "4000000", offsetof(struct limits, pairs)},
    {"pair-joints", "joints between the frames of all pairs that exclude searches", "10000000",
     offsetof(struct limits, pair_joints)},
    {"loop-way", "radians, or sizes of the loop, that the driven joints of a loop go at once, whole turns apart",
     "25000", offsetof(struct limits, loop_way)},
    {"includes", "depth of files that name files", "64", offsetof(struct limits, includes)},
    {"files", "further files that one input opens, each time counted", "65536", offsetof(struct limits, files)},
    {"name", "bytes of one name", "65536", offsetof(struct limits, name)},
    {"reader-seconds", "seconds for a file in a process of its own (--isolate); 0: no end", "0",
     offsetof(struct limits, reader_seconds)},
    {"reader-memory", "bytes that such a process may take; by default as many as memory", NULL,
     offsetof(struct limits, reader_memory)},
    {"memory",
     "bytes of memory that the work may take, mapped files and the libraries' own apart; by default three quarters of "
     "what the machine, its control group or ulimit -v allow",
     NULL, offsetof(struct limits, memory)},
    {"steps", "instructions that a robot program may carry out", "1000000", offsetof(struct limits, steps)},
    {"clip", "seconds that the clip of a robot program may last", "600", offsetof(struct limits, clip)},
    {"keys", "keys and marks of the clip of a robot program", "4000000", offsetof(struct limits, keys)},
    {"ratio", "bytes that a packed byte may expand to, after the first 16 MiB", "200", offsetof(struct limits, ratio)},
    {"expansion",
     "nodes, and instances of meshes, that a byte of the files of a scene may become, after the first 100000; a file "
     "counts once, however often it is used",
     "20", offsetof(struct limits, expansion)},
};
enum { LIMIT_COUNT = sizeof limit_table / sizeof *limit_table };

static uint64_t *limit_value(cp_context *context, const struct limit *limit)
{
    return (uint64_t *)((char *)&context->limits + limit->offset);
}

uint64_t context_random(const void *salt)
{
    uint64_t seed;
    if (getentropy(&seed, sizeof seed) == 0)
        return seed;
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_nsec * 0x9e3779b97f4a7c15u ^ (uint64_t)now.tv_sec ^ (uint64_t)(uintptr_t)salt;
}

void limits_start(cp_context *context)
{
    for (size_t i = 0; i < LIMIT_COUNT; i++)
        *limit_value(context, &limit_table[i]) =
            limit_table[i].initial ? strtoull(limit_table[i].initial, NULL, 10) : machine_memory() / 4 * 3;
}

cp_option_info cp_limit_at(size_t index)
{
    if (index >= LIMIT_COUNT)
        return (cp_option_info){0};
    const struct limit *limit = &limit_table[index];
    return (cp_option_info){
        .name = limit->name, .help = limit->help, .type = "integer", .default_value = limit->initial};
}

cp_status cp_set_limit(cp_context *context, const char *setting)
{
    const char *equals = strchr(setting, '=');
    size_t size = equals ? (size_t)(equals - setting) : strlen(setting);
    const char *words[LIMIT_COUNT + 1] = {NULL};
    const struct limit *limit = NULL;
    for (size_t i = 0; i < LIMIT_COUNT; i++) {
        words[i] = limit_table[i].name;
        if (strlen(words[i]) == size && strncmp(words[i], setting, size) == 0)
            limit = &limit_table[i];
    }
    if (!limit)
        return context_finish(context, report_unknown(context, "limit-unknown", "limit", setting, size, words));
    char *end = NULL;
    errno = 0;
    unsigned long long value = equals ? strtoull(equals + 1, &end, 10) : 0;
    const bool seconds =
        limit->offset == offsetof(struct limits, clip) || limit->offset == offsetof(struct limits, reader_seconds);
    const bool unit = seconds && end && strcmp(end, "s") == 0; /* "600s" */
    if (!equals || equals[1] < '0' || equals[1] > '9' || (*end && !unit) || errno)
        return context_finish(context, report_error(context, CP_USAGE, "limit-value", NOWHERE,
                                                    seconds ? "limit %s needs a whole number, of seconds"
                                                            : "limit %s needs a whole number",
                                                    limit->name));
    *limit_value(context, limit) = value;
    return context_finish(context, CP_OK);
}

uint64_t limit_nesting(const cp_context *context)
{
    return context->limits.nesting;
}

uint64_t limit_vertices(const cp_context *context)
{
    return context->limits.vertices;
}

/* By the bytes that are read, UINT64_MAX otherwise. */
static uint64_t most_by_expansion(const cp_context *context)
{
    enum { FREE_NODES = 100000 };
    uint64_t bytes = context->read_bytes, each = context->limits.expansion;
    if (bytes == NO_READ || (each > 0 && bytes > (UINT64_MAX - FREE_NODES) / each))
        return UINT64_MAX;
    return FREE_NODES + each * bytes;
}

uint64_t limit_nodes(const cp_context *context)
{
    uint64_t most = most_by_expansion(context);
    return most < context->limits.nodes ? most : context->limits.nodes;
}

const char *limit_of_nodes(const cp_context *context)
{
    return most_by_expansion(context) < context->limits.nodes ? "--limit expansion=" : "--limit nodes=";
}

cp_status cp_set_threads(cp_context *context, uint32_t count)
{
    if (count < 1 || count > CP_MOST_THREADS)
        return context_finish(context, report_error(context, CP_USAGE, "threads", NOWHERE,
                                                    "%u threads: needs a number from 1 to %d", (unsigned)count,
                                                    (int)CP_MOST_THREADS));
    context->threads = count;
    return CP_OK;
}

/* ---- callbacks ---- */

void cp_set_cancel(cp_context *context, bool (*is_cancelled)(void *user), void *user)
{
    context->callbacks.is_cancelled = is_cancelled;
    context->callbacks.cancel_user = user;
}

void cp_set_end(cp_context *context, bool (*ends_early)(void *user), void *user)
{
    context->callbacks.ends_early = ends_early;
    context->callbacks.end_user = user;
}

void cp_set_progress(cp_context *context, void (*show)(void *user, const cp_progress *progress), void *user)
{
    context->callbacks.show_progress = show;
    context->callbacks.progress_user = user;
}

bool context_is_cancelled(cp_context *context)
{
    const struct callbacks *callbacks = &context->callbacks;
    if (!context->cancelled && callbacks->is_cancelled && callbacks->is_cancelled(callbacks->cancel_user)) {
        context->cancelled = true;
        report_cancelled(context);
    }
    return context->cancelled;
}

int context_open_file(cp_context *context, const char *path, int flags)
{
    int file;
    do
        file = open(path, flags);
    while (file < 0 && errno == EINTR && !context_is_cancelled(context));
    return file;
}

cp_status context_finish(cp_context *context, cp_status status)
{
    if (status == CP_LIMIT)
        (void)context_is_cancelled(context); /* a public function may have been called from within another */
    if (!context->cancelled)
        return status;
    context->cancelled = context->out_of_memory = false;
    return status == CP_OK ? CP_OK : CP_CANCELLED;
}

void context_progress(const cp_context *context, cp_progress progress)
{
    if (context->callbacks.show_progress)
        context->callbacks.show_progress(context->callbacks.progress_user, &progress);
}

void cp_set_flag(cp_context *context, cp_flag flag, bool on)
{
    context->flags[flag] = on;
}

cp_status context_append_text(cp_context *context, const char ***list, uint32_t *count, uint32_t *room,
                              const char *text)
{
    void *items = (void *)*list;
    if (!array_reserve(context, &items, room, (uint64_t)*count + 1, sizeof **list))
        return CP_LIMIT;
    *list = items;
    (*list)[*count] = arena_copy_text(context->arena, text, strlen(text));
    return (*list)[(*count)++] ? CP_OK : CP_LIMIT;
}

cp_status cp_add_include_folder(cp_context *context, const char *folder)
{
    return context_finish(context,
                          context_append_text(context, &context->include_folders, &context->include_folder_count,
                                              &context->include_folder_room, folder));
}

cp_status cp_add_package_folder(cp_context *context, const char *setting)
{
    size_t size = strcspn(setting, "=/");
    bool is_name = size > 0 && strspn(setting, ".") < size && setting[size] == '=' && setting[size + 1];
    return context_finish(
        context, is_name ? context_append_text(context, &context->package_folders, &context->package_folder_count,
                                               &context->package_folder_room, setting)
                         : report_error(context, CP_USAGE, "package-folder", NOWHERE,
                                        "package folder \"%s\": needs NAME=FOLDER, the name without a slash", setting));
}

void cp_free(cp_context *context, void *bytes, size_t size)
{
    memory_free(context, bytes, size, 1);
}

const char *cp_version(void)
{
    return CP_VERSION;
}

/* ---- structs that begin with their caller's size ---- */

cp_status struct_check(cp_context *context, const void *given)
{
    size_t size;
    memcpy(&size, given, sizeof size);
    return size > sizeof size ? CP_OK
                              : report_error(context, CP_USAGE, "struct-size", NOWHERE,
                                             "a struct of the caller does not have its size in its first member");
}

void struct_take(void *own, size_t size, const void *given)
{
    size_t from;
    memcpy(&from, given, sizeof from);
    memset(own, 0, size);
    memcpy(own, given, from < size ? from : size);
}

void struct_give(void *given, const void *own, size_t size)
{
    size_t to;
    memcpy(&to, given, sizeof to);
    if (to > size)
        memset((char *)given + size, 0, to - size);
    if (to > sizeof to)
        memcpy((char *)given + sizeof to, (const char *)own + sizeof to, (to < size ? to : size) - sizeof to);
}

cp_status cp_set_opener(cp_context *context, const cp_opener *opener)
{
    cp_status status = opener ? struct_check(context, opener) : CP_OK;
    if (status == CP_OK)
        context->opener = (cp_opener){0};
    if (status == CP_OK && opener)
        struct_take(&context->opener, sizeof context->opener, opener);
    return context_finish(context, status);
}
