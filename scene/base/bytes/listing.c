/* The files that a context lists under CP_FLAG_LIST_FILES. */
#include "disk.h"

#include "base/context.h"

struct file_list {
    struct arena *arena; /* paths */
    cp_file *items;
    uint32_t count, room;
    struct name_map latest[CP_FILE_WRITTEN + 1]; /* indexed by use: path -> its latest item, or one that was dropped
                                                  * since */
};

static struct file_list *list_new(cp_context *context)
{
    struct file_list *list = memory_allocate_zeroed(context, 1, sizeof *list);
    if (!list)
        return NULL;
    for (int use = CP_FILE_READ; use <= CP_FILE_WRITTEN; use++)
        list->latest[use].context = context;
    list->arena = arena_new(context);
    if (list->arena)
        return list;
    memory_free(context, list, 1, sizeof *list);
    return NULL;
}

static cp_file *latest_of(struct file_list *list, cp_file_use use, const char *path)
{
    const uint32_t *latest = name_map_find(&list->latest[use], path);
    cp_file *file = latest && *latest < list->count ? &list->items[*latest] : NULL;
    return file && file->use == use && strcmp(file->path, path) == 0 ? file : NULL;
}

void list_format(cp_context *context, const char *path, const char *format)
{
    cp_file *file = context->list ? latest_of(context->list, CP_FILE_READ, path) : NULL;
    if (file)
        file->format = format;
}

cp_status list_file(cp_context *context, cp_file file)
{
    if (!context->flags[CP_FLAG_LIST_FILES])
        return CP_OK;
    struct file_list *list = context->list = context->list ? context->list : list_new(context);
    if (!list)
        return CP_LIMIT;
    const cp_file *same = latest_of(list, file.use, file.path);
    if (same && same->hash.low == file.hash.low && same->hash.high == file.hash.high)
        return CP_OK;
    file.path = arena_copy_text(list->arena, file.path, strlen(file.path));
    uint32_t *latest = file.path ? name_map_add(&list->latest[file.use], file.path, 0, NULL) : NULL;
    if (!latest || !file.path ||
        !array_reserve(context, &list->items, &list->room, list->count + UINT64_C(1), sizeof file))
        return CP_LIMIT;
    *latest = list->count;
    list->items[list->count++] = file;
    return CP_OK;
}

cp_status list_missing(cp_context *context, const char *path)
{
    return list_file(context, (cp_file){.path = path, .use = CP_FILE_MISSING});
}

void list_cut(cp_context *context, size_t count)
{
    if (context->list && count < context->list->count)
        context->list->count = (uint32_t)count;
}

void list_free(cp_context *context)
{
    struct file_list *list = context->list;
    if (!list)
        return;
    for (int use = CP_FILE_READ; use <= CP_FILE_WRITTEN; use++)
        name_map_free(&list->latest[use]);
    memory_free(context, list->items, list->room, sizeof *list->items);
    arena_free(list->arena);
    memory_free(context, list, 1, sizeof *list);
    context->list = NULL;
}

const cp_file *cp_files(const cp_context *context, size_t *count)
{
    if (count)
        *count = context->list ? context->list->count : 0;
    return context->list ? context->list->items : NULL;
}
