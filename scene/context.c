/* The context: limits, flags, options for importers. */
#include "context.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "build.h"
#include "files.h"
#include "options.h"
#include "text.h"

static void *resize_by_library(void *user, void *block, size_t old_size, size_t size)
{
    (void)user;
    (void)old_size;
    if (size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, size);
}

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
    {"includes", "depth of files that name files", "64", offsetof(struct limits, includes)},
    {"name", "bytes of one name", "65536", offsetof(struct limits, name)},
};
enum { LIMIT_COUNT = sizeof limit_table / sizeof *limit_table };

static uint64_t *limit_value(cp_context *context, const struct limit *limit)
{
    return (uint64_t *)((char *)&context->limits + limit->offset);
}

/* Hashes differ from run to run, so that nobody can prepare keys that collide. */
static uint64_t random_seed(const void *salt)
{
    uint64_t seed;
    if (getentropy(&seed, sizeof seed) == 0)
        return seed;
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_nsec * 0x9e3779b97f4a7c15u ^ (uint64_t)now.tv_sec ^ (uint64_t)(uintptr_t)salt;
}

cp_context *cp_context_new(const cp_allocator *allocator)
{
    cp_allocator use = allocator ? *allocator : (cp_allocator){resize_by_library, NULL};
    cp_context *context = use.resize(use.user, NULL, 0, sizeof *context);
    if (!context)
        return NULL;
    *context = (cp_context){.allocator = use, .seed = random_seed(context)};
    for (size_t i = 0; i < LIMIT_COUNT; i++)
        *limit_value(context, &limit_table[i]) = strtoull(limit_table[i].initial, NULL, 10);
    context->arena = arena_new(context);
    if (!context->arena || !report_make_room(context)) {
        arena_free(context->arena);
        (void)use.resize(use.user, context, sizeof *context, 0);
        return NULL;
    }
    return context;
}

void cp_context_free(cp_context *context)
{
    if (!context)
        return;
    arena_free(context->arena);
    memory_free(context, context->entries, context->entry_room, sizeof *context->entries);
    report_free(context);
    memory_free(context, context->importer_options, context->importer_option_room, sizeof *context->importer_options);
    memory_free(context, context->include_folders, context->include_folder_room, sizeof *context->include_folders);
    memory_free(context, context->files, context->file_room, sizeof *context->files);
    cp_allocator use = context->allocator;
    (void)use.resize(use.user, context, sizeof *context, 0);
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
    for (size_t i = 0; i < LIMIT_COUNT; i++) {
        const struct limit *limit = &limit_table[i];
        words[i] = limit->name;
        if (strlen(limit->name) != size || strncmp(limit->name, setting, size) != 0)
            continue;
        char *end = NULL;
        errno = 0;
        unsigned long long value = equals ? strtoull(equals + 1, &end, 10) : 0;
        if (!equals || end == equals + 1 || *end || errno || equals[1] == '-')
            return report_error(context, CP_USAGE, "limit-value", NOWHERE, "limit %s needs a whole number",
                                limit->name);
        *limit_value(context, limit) = value;
        return CP_OK;
    }
    return report_unknown(context, "limit-unknown", "limit", setting, size, words);
}

uint64_t limit_nesting(const cp_context *context)
{
    return context->limits.nesting;
}

uint64_t limit_vertices(const cp_context *context)
{
    return context->limits.vertices;
}

void cp_set_flag(cp_context *context, cp_flag flag, bool on)
{
    context->flags[flag] = on;
}

static cp_status append_text(cp_context *context, const char ***list, uint32_t *count, uint32_t *room, const char *text)
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
    return append_text(context, &context->include_folders, &context->include_folder_count,
                       &context->include_folder_room, folder);
}

cp_status cp_set_importer_option(cp_context *context, const char *setting)
{
    cp_status status = check_importer_option(context, setting);
    if (status != CP_OK)
        return status;
    return append_text(context, &context->importer_options, &context->importer_option_count,
                       &context->importer_option_room, setting);
}

void cp_free(cp_context *context, void *bytes, size_t size)
{
    memory_free(context, bytes, size, 1);
}
