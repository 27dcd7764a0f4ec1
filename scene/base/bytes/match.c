/* Paths that match a pattern of the shell, and absolute paths. */
#include <errno.h>
#include <glob.h>
#include <stdlib.h>

#include "bytes.h"

cp_status path_absolute(cp_context *context, struct arena *arena, const char *path, const char **absolute)
{
    errno = 0;
    char *found = realpath(*path ? path : ".", NULL);
    if (!found && errno == ENOMEM)
        report_out_of_memory(context);
    if (!found)
        return errno == ENOMEM ? CP_LIMIT : CP_NO;
    *absolute = arena_copy_text(arena, found, strlen(found));
    free(found);
    return *absolute ? CP_OK : CP_LIMIT;
}

/* Writes the folder so that the pattern does not see its letters as signs. */
static void quote(struct buffer *text, const char *folder)
{
    for (; *folder; folder++) {
        if (strchr("*?[\\", *folder))
            buffer_text(text, "\\");
        buffer_append(text, folder, 1);
    }
}

static cp_status keep(struct arena *arena, const glob_t *found, size_t skipped, const char ***paths, uint32_t *count)
{
    *paths = arena_allocate(arena, found->gl_pathc, sizeof **paths);
    for (size_t i = 0; i < found->gl_pathc && *paths; i++) {
        const char *path = found->gl_pathv[i] + skipped;
        (*paths)[i] = arena_copy_text(arena, path, strlen(path));
        if (!(*paths)[i])
            return CP_LIMIT;
    }
    *count = (uint32_t)found->gl_pathc;
    return *paths ? CP_OK : CP_LIMIT;
}

cp_status source_match(const struct source *source, struct arena *arena, const char *pattern, const char ***paths,
                       uint32_t *count)
{
    struct buffer whole = {.context = source->context};
    glob_t found = {0};
    const char *folder = pattern[0] == '/' ? "" : source->folder;
    *count = 0;
    quote(&whole, folder);
    buffer_text(&whole, pattern);
    buffer_append(&whole, "", 1);
    int result = whole.failed ? GLOB_NOSPACE : glob(whole.data, 0, NULL, &found);
    bool failed = whole.failed;
    buffer_free(&whole);
    if (result == GLOB_NOSPACE && !failed)
        report_out_of_memory(source->context);
    cp_status status = result == GLOB_NOSPACE ? CP_LIMIT
                       : result == 0          ? keep(arena, &found, strlen(folder), paths, count)
                                              : CP_OK;
    if (!failed)
        globfree(&found);
    return status;
}
