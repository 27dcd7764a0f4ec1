/* Paths as texts: one place has one text. */
#include "entries.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Returns the path without "//", "/./", a leading "./" and a trailing "/". "-" becomes "./-", as it would be standard
 * input. */
char *normal_path(struct arena *arena, const char *path, size_t size)
{
    char *copy = arena_allocate(arena, size + 3, 1), *out = copy;
    if (!copy)
        return NULL;
    if (path[0] == '/')
        *out++ = '/';
    const char *end = path + size;
    for (const char *at = path; at < end;) {
        const char *slash = memchr(at, '/', (size_t)(end - at));
        size_t length = (size_t)((slash ? slash : end) - at);
        if (length > 0 && !(length == 1 && *at == '.')) {
            if (out > copy && out[-1] != '/')
                *out++ = '/';
            memcpy(out, at, length);
            out += length;
        }
        at += length + 1;
    }
    *out = '\0';
    if (out == copy)
        strcpy(copy, ".");
    else if (strcmp(copy, "-") == 0)
        strcpy(copy, "./-");
    return copy;
}

char *whole_path(struct arena *arena, const char *folder, const char *path)
{
    const char *joined = *path == '/' ? path : arena_print(arena, "%s/%s", folder, path);
    return joined ? normal_path(arena, joined, strlen(joined)) : NULL;
}

void resolve_dots(char *path)
{
    char *out = path;
    for (const char *at = path; *at;) {
        size_t size = strcspn(at + 1, "/") + 1;
        if (size == 3 && at[1] == '.' && at[2] == '.') {
            while (out > path && *--out != '/')
                ;
        } else {
            memmove(out, at, size);
            out += size;
        }
        at += size;
    }
    if (out == path)
        *out++ = '/';
    *out = '\0';
}

cp_status current_folder(struct cli *cli, struct arena *arena, const char **folder)
{
    char *here = getcwd(NULL, 0);
    if (!here)
        return complain(cli, CP_INPUT, "the current folder has no path: %s", strerror(errno));
    *folder = arena_copy_text(arena, here, strlen(here));
    free(here);
    return *folder ? CP_OK : CP_LIMIT;
}

bool is_plain_name(const char *path)
{
    if (*path == '/')
        return false;
    for (const char *at = path; (at = strstr(at, "..")); at += 2)
        if ((at == path || at[-1] == '/') && (at[2] == '/' || at[2] == '\0'))
            return false;
    return true;
}

const char *path_below(const char *path, const char *folder)
{
    size_t size = strlen(folder);
    if (strcmp(folder, ".") == 0)
        return !is_plain_name(path) ? NULL : strncmp(path, "./", 2) == 0 ? path + 2 : path;
    if (strncmp(path, folder, size) != 0 || (folder[size - 1] != '/' && path[size] != '/'))
        return NULL;
    path += size + (folder[size - 1] != '/');
    return *path && is_plain_name(path) ? path : NULL;
}

char *resolve_links(struct arena *arena, const char *here, const char *path)
{
    char *real = realpath(path, NULL), *copy;
    if (real) {
        copy = arena_copy_text(arena, real, strlen(real));
        free(real);
        return copy;
    }
    copy = whole_path(arena, here, path);
    if (copy)
        resolve_dots(copy);
    return copy;
}

const char *join_path(struct arena *arena, const char *folder, const char *name)
{
    if (!*folder || strcmp(folder, ".") == 0)
        return strcmp(name, "-") == 0 ? "./-" : name;
    size_t size = strlen(folder), name_size = strlen(name);
    bool slash = folder[size - 1] != '/';
    char *path = arena_allocate(arena, size + name_size + 2, 1);
    if (!path)
        return NULL;
    memcpy(path, folder, size);
    path[size] = '/';
    memcpy(path + size + slash, name, name_size + 1);
    return path;
}
