/* The context: flags, callbacks, folders. */
#include "context.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cellpipe_build.h"

uint64_t context_random(const void *salt)
{
    uint64_t seed;
    if (getentropy(&seed, sizeof seed) == 0)
        return seed;
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_nsec * 0x9e3779b97f4a7c15u ^ (uint64_t)now.tv_sec ^ (uint64_t)(uintptr_t)salt;
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
        (void)context_is_cancelled(context); /* a public function may have been called from within another one */
    if (!context->cancelled)
        return status;
    context->cancelled = context->report.out_of_memory = false;
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

cp_status context_append_text(cp_context *context, struct text_list *list, const char *text)
{
    if (!array_reserve(context, &list->items, &list->room, (uint64_t)list->count + 1, sizeof *list->items))
        return CP_LIMIT;
    const char *copy = arena_copy_text(context->arena, text, strlen(text));
    list->items[list->count++] = copy;
    return copy ? CP_OK : CP_LIMIT;
}

cp_status cp_add_include_folder(cp_context *context, const char *folder)
{
    return context_finish(context, context_append_text(context, &context->include_folders, folder));
}

cp_status cp_allow_folder(cp_context *context, const char *folder)
{
    return context_finish(context, context_append_text(context, &context->allowed_folders, folder));
}

cp_status cp_add_package_folder(cp_context *context, const char *setting)
{
    size_t size = strcspn(setting, "=/");
    bool is_name = size > 0 && strspn(setting, ".") < size && setting[size] == '=' && setting[size + 1];
    return context_finish(
        context, is_name ? context_append_text(context, &context->package_folders, setting)
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

bool struct_has_size(const void *given)
{
    size_t size;
    memcpy(&size, given, sizeof size);
    return size > sizeof size;
}

cp_status struct_check(cp_context *context, const void *given)
{
    return struct_has_size(given) ? CP_OK
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
    if (status != CP_OK)
        return context_finish(context, status);
    context->opener = NULL;
    if (!opener)
        return CP_OK;
    cp_opener *copy = arena_allocate(context->arena, 1, sizeof *copy);
    if (!copy)
        return context_finish(context, CP_LIMIT);
    struct_take(copy, sizeof *copy, opener);
    context->opener = copy->open ? copy : NULL;
    return CP_OK;
}
