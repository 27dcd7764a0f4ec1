/* Folders below which further files may lie. A path is first resolved (realpath) and then walked from the folder's
 * descriptor, one part after the other, without following links. So nobody can redirect it between the two. */
#define _GNU_SOURCE /* O_PATH */
#include "disk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>
#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif
#endif

#ifndef O_PATH /* Linux: needs no permission to list the folder */
#define O_PATH O_RDONLY
#endif

char *real_path(const char *path)
{
#ifdef __linux__
    char link[40], real[PATH_MAX];
    int file = open(path, O_PATH | O_CLOEXEC);
    if (file < 0 && (errno == ENOENT || errno == ENOTDIR))
        return NULL;
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t size = file < 0 ? -1 : readlink(link, real, sizeof real - 1);
    if (file >= 0)
        (void)close(file);
    if (size > 0 && (size_t)size < sizeof real - 1 && real[0] == '/') {
        real[size] = '\0';
        return strdup(real);
    }
#endif
    return realpath(path, NULL); /* there is no /proc, or no descriptor left */
}

void root_open(struct allowed_root *root, const char *folder)
{
    *root = (struct allowed_root){real_path(*folder ? folder : "."), -1};
    if (root->path)
        root->file = open(root->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int error = errno;
    if (root->file < 0)
        root_close(root);
    errno = error;
}

void root_close(struct allowed_root *root)
{
    if (root->path && root->file >= 0)
        (void)close(root->file);
    free(root->path);
    *root = (struct allowed_root){NULL, -1};
}

/* Returns the part of the real path behind the folder's: "" or "/...". NULL: it lies elsewhere. */
static const char *below(const struct allowed_root *root, const char *real)
{
    size_t size = root->path && strcmp(root->path, "/") != 0 ? strlen(root->path) : 0;
    bool inside = root->path && strncmp(real, root->path, size) == 0 && (real[size] == '/' || !real[size]);
    return inside ? real + size : NULL;
}

bool root_holds(const struct allowed_root *root, const char *real)
{
    return below(root, real) != NULL;
}

/* Opens a path below the folder, of which no part may be a link, by one call of the system. -1 and ENOSYS if the system
 * has no such call. */
static int open_at_once(int folder, const char *path)
{
#if defined(SYS_openat2) && defined(RESOLVE_BENEATH)
    struct open_how how = {.flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
    long file = syscall(SYS_openat2, folder, path, &how, sizeof how);
    if (file >= 0 || (errno != EPERM && errno != EINVAL))
        return (int)file;
#else
    (void)folder, (void)path;
#endif
    errno = ENOSYS;
    return -1;
}

int root_open_file(const struct allowed_root *root, const char *real)
{
    char part[NAME_MAX + 1];
    const char *at = below(root, real);
    int folder = root->file, next = open_at_once(folder, at[0] == '/' && at[1] ? at + 1 : ".");
    if (next >= 0 || errno != ENOSYS)
        return next;
    do {
        at += *at == '/';
        size_t size = strcspn(at, "/");
        if (size >= sizeof part) {
            errno = ENAMETOOLONG;
            next = -1;
        } else {
            memcpy(part, size ? at : ".", size ? size : 1);
            part[size ? size : 1] = '\0';
            at += size;
            next = openat(folder, part,
                          *at ? O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
                              : O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        }
        int error = errno;
        if (folder != root->file)
            (void)close(folder);
        errno = error;
        folder = next;
    } while (next >= 0 && *at);
    return next;
}
