/* Folders below which further files may lie. A path is first resolved (realpath) and then walked from the folder's
 * descriptor, one part after the other, without following links. So nobody can redirect it between the two. */
#define _GNU_SOURCE /* O_PATH */
#include "disk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef O_PATH /* Linux: needs no permission to list the folder */
#define O_PATH O_RDONLY
#endif

void root_open(struct allowed_root *root, const char *folder)
{
    *root = (struct allowed_root){realpath(*folder ? folder : ".", NULL), -1};
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

int root_open_file(const struct allowed_root *root, const char *real)
{
    char part[NAME_MAX + 1];
    const char *at = below(root, real);
    int folder = root->file, next = -1;
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
