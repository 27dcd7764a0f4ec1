/* Replaces equal files by hard links to one. */
#include "base/context.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "disk.h"

/* Compares two files. CP_NO if they differ, which a short read counts as, too. */
static cp_status compare_bytes(cp_context *context, const char *path, const char *other)
{
    enum { PIECE = 32768 };
    char bytes[2][PIECE];
    int files[2] = {open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK),
                    open(other, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
    cp_status status = files[0] >= 0 && files[1] >= 0 ? CP_OK : CP_NO;
    for (ssize_t size = 1; status == CP_OK && size > 0;) {
        size = read(files[0], bytes[0], PIECE);
        if (size < 0 || read(files[1], bytes[1], PIECE) != size || memcmp(bytes[0], bytes[1], (size_t)size) != 0)
            status = CP_NO;
        else if (context_is_cancelled(context))
            status = CP_CANCELLED;
    }
    for (int i = 0; i < 2; i++)
        if (files[i] >= 0)
            (void)close(files[i]);
    return status;
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool may_be_one(const struct stat *a, const struct stat *b)
{
    return S_ISREG(a->st_mode) && S_ISREG(b->st_mode) && a->st_size == b->st_size && a->st_mode == b->st_mode &&
           a->st_uid == b->st_uid && a->st_gid == b->st_gid;
}

static cp_status report_failure(cp_context *context, const char *path, const char *model)
{
    report_warning(context, "link", IN_FILE(path), "cannot be a hard link of %s: %s", model, strerror(errno));
    return CP_OUTPUT;
}

cp_status cp_link_equal(cp_context *context, const char *path, const char *model, bool *fresh)
{
    struct stat own, one, now;
    *fresh = false;
    if (lstat(path, &own) != 0 || lstat(model, &one) != 0)
        return CP_NO;
    if (is_same_file(&own, &one) || !may_be_one(&own, &one))
        return is_same_file(&own, &one) ? CP_OK : CP_NO;
    struct arena *arena = arena_new(context);
    const char *temporary = arena ? temporary_name(arena, path) : NULL;
    cp_status status = temporary ? CP_OK : CP_LIMIT;
    if (status == CP_OK && link(model, temporary) != 0)
        status = report_failure(context, path, model);
    if (status == CP_OK) {
        /* Compare with the temporary link from here on: somebody may replace the model and the file meanwhile. */
        status =
            lstat(temporary, &one) == 0 && may_be_one(&own, &one) ? compare_bytes(context, path, temporary) : CP_NO;
        if (status == CP_OK && (lstat(path, &now) != 0 || !is_same_file(&own, &now) ||
                                memcmp(&own.st_mtim, &now.st_mtim, sizeof own.st_mtim) != 0))
            status = CP_NO;
        if (status == CP_OK && rename(temporary, path) != 0)
            status = report_failure(context, path, model);
        if (status != CP_OK)
            (void)unlink(temporary);
        *fresh = status == CP_OK;
    }
    arena_free(arena);
    return context_finish(context, status);
}
