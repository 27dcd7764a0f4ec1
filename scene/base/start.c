/* How a context begins and ends, and its report between jobs: all that belongs to it. */
#include "context.h"

#include "base/bytes/disk.h"

cp_context *context_new(const cp_allocator *allocator, const struct plugins *plugins)
{
    cp_allocator use = allocator ? *allocator : (cp_allocator){memory_resize_by_library, NULL};
    cp_context *context = use.resize(use.user, NULL, 0, sizeof *context);
    if (!context)
        return NULL;
    *context = (cp_context){
        .allocator = use, .plugins = plugins, .seed = context_random(context), .threads = 1, .read_bytes = NO_READ};
    context->flags[CP_FLAG_CONFINE] = true;
    limits_start(context);
    context->arena = arena_new(context);
    context->report.texts = arena_new(context);
    if (context->arena && context->report.texts && report_make_room(context))
        return context;
    cp_context_free(context);
    return NULL;
}

void cp_context_free(cp_context *context)
{
    if (!context)
        return;
    list_free(context);
    arena_free(context->arena);
    report_free(context);
    const struct text_list *const lists[] = {&context->importer_options, &context->include_folders,
                                             &context->allowed_folders, &context->package_folders};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        memory_free(context, lists[i]->items, lists[i]->room, sizeof *lists[i]->items);
    files_free(context);
    cp_allocator use = context->allocator;
    (void)use.resize(use.user, context, sizeof *context, 0);
}

void cp_report_clear(cp_context *context)
{
    list_free(context);
    report_clear(context);
}
