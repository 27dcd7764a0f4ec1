/* The file of users as it changes: one process at a time, and whole. */
#include "users.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cellpipe_build.h"

/* Finds the file that a link leads to, and names the one to lock. */
static cp_status find_paths(cp_context *context, const char *path, struct arena *arena, struct users_change *change)
{
    struct stat link;
    char *real = realpath(path, NULL);
    int cause = errno;
    if (!real && cause != ENOENT)
        return cp_report_error(context, CP_OUTPUT, "users-lock", path, 0, "cannot be changed: %s", strerror(cause));
    if (!real && lstat(path, &link) == 0 && S_ISLNK(link.st_mode))
        return cp_report_error(context, CP_OUTPUT, "users-link", path, 0, "is a link to a file that is not there");
    change->path = real ? arena_copy_text(arena, real, strlen(real)) : path;
    change->temporary = change->path ? arena_print(arena, "%s.lock", change->path) : NULL;
    free(real);
    return change->temporary ? CP_OK : CP_LIMIT;
}

/* Tells whether a file that is locked is one that others can neither read nor have under another name. It may be left
 * from a process that was killed. */
static bool is_private(const struct stat *facts)
{
    return S_ISREG(facts->st_mode) && facts->st_uid == geteuid() && (facts->st_mode & 077) == 0 && facts->st_nlink < 2;
}

cp_status users_lock(cp_context *context, const char *path, struct arena *arena, struct users_change *change)
{
    struct stat locked, named;
    change->file = -1;
    cp_status status = find_paths(context, path, arena, change);
    while (status == CP_OK) {
        change->file = open(change->temporary, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
        if (change->file < 0 || fstat(change->file, &locked) != 0)
            return cp_report_error(context, CP_OUTPUT, "users-lock", change->temporary, 0, "cannot be made: %s",
                                   strerror(errno));
        if (!is_private(&locked)) {
            (void)close(change->file); /* it is not ours to remove */
            change->file = -1;
            return cp_report_error(context, CP_OUTPUT, "users-lock", change->temporary, 0,
                                   "is not this user's alone: if no \"cellpipe users\" runs, remove it");
        }
        if (flock(change->file, LOCK_EX) != 0) {
            users_unlock(change);
            return errno == EINTR ? CP_CANCELLED
                                  : cp_report_error(context, CP_OUTPUT, "users-lock", change->temporary, 0,
                                                    "cannot be locked: %s", strerror(errno));
        }
        /* The process before this one has renamed or removed what it had locked. */
        if (fstat(change->file, &locked) == 0 && lstat(change->temporary, &named) == 0 &&
            locked.st_dev == named.st_dev && locked.st_ino == named.st_ino)
            break;
        (void)close(change->file);
    }
    return status;
}

static bool write_bytes(int file, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t more = write(file, bytes, size);
        if (more < 0 && errno == EINTR)
            continue;
        if (more <= 0)
            return false;
        bytes += more;
        size -= (size_t)more;
    }
    return true;
}

/* Lets the new name survive a loss of power, where the system can do that for folders. */
static void flush_folder(const char *path)
{
    char *copy = strdup(path), *slash = copy ? strrchr(copy, '/') : NULL;
    if (slash)
        slash[slash == copy] = '\0';
    int folder = copy ? open(slash ? copy : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (folder >= 0) {
        (void)fsync(folder);
        (void)close(folder);
    }
    free(copy);
}

cp_status users_write(cp_context *context, struct users_change *change, const struct users *users)
{
    struct buffer text = {.context = context};
    for (uint32_t i = 0; i < users->count; i++)
        buffer_print(&text, "%s:%s:%s\n", users->items[i].name, role_name(users->items[i].role), users->items[i].hash);
    if (text.failed) {
        buffer_free(&text);
        return CP_LIMIT;
    }
    bool good = ftruncate(change->file, 0) == 0 && lseek(change->file, 0, SEEK_SET) == 0 &&
                fchmod(change->file, 0600) == 0 && write_bytes(change->file, text.data, text.size) &&
                fsync(change->file) == 0 && rename(change->temporary, change->path) == 0;
    int cause = errno;
    buffer_free(&text);
    if (!good)
        return cp_report_error(context, CP_OUTPUT, "users-write", change->path, 0, "cannot be written: %s",
                               strerror(cause));
    flush_folder(change->path);
    (void)close(change->file); /* it is that of the new file */
    change->file = -1;
    return CP_OK;
}

void users_unlock(struct users_change *change)
{
    if (change->file < 0)
        return;
    int cause = errno;
    (void)unlink(change->temporary); /* before it is unlocked, or it may be another one */
    (void)close(change->file);
    change->file = -1;
    errno = cause;
}
