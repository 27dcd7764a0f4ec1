/* Which files a name may mean. URIs: RFC 3986 and 8089; package:// as in ROS, model:// as in SDF. */
#include "resolve.h"

#include <stdlib.h>
#include <string.h>

#include "../context.h"

/* ---- URIs ---- */

static int hex_digit(char byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    if (byte >= 'a' && byte <= 'f')
        return byte - 'a' + 10;
    return byte >= 'A' && byte <= 'F' ? byte - 'A' + 10 : -1;
}

bool uri_decode(char *text, size_t *size)
{
    size_t out = 0, in = 0;
    while (text[in]) {
        if (text[in] != '%') {
            text[out++] = text[in++];
            continue;
        }
        int high = hex_digit(text[in + 1]);
        int low = high < 0 ? -1 : hex_digit(text[in + 2]);
        if (low < 0)
            return false;
        text[out++] = (char)(unsigned char)(high * 16 + low);
        in += 3;
    }
    text[out] = '\0';
    *size = out;
    return true;
}

/* A copy with %XX decoded, or as it is when a % stands for itself, as in many files. *is_none is set by a zero byte. */
static char *decode(struct arena *arena, const char *text, size_t size, bool *is_none)
{
    char *decoded = arena_copy_text(arena, text, size);
    size_t left = 0;
    if (decoded && !uri_decode(decoded, &left))
        return arena_copy_text(arena, text, size);
    *is_none |= decoded && strlen(decoded) != left;
    return decoded;
}

/* What follows the scheme, which is in any case; NULL when the text does not begin with it. */
static const char *after_scheme(const char *text, const char *scheme)
{
    for (; *scheme; scheme++, text++)
        if ((*text >= 'A' && *text <= 'Z' ? *text + 'a' - 'A' : *text) != *scheme)
            return NULL;
    return text;
}

static const char *after_package(const char *name)
{
    const char *rest = after_scheme(name, "package://");
    return rest ? rest : after_scheme(name, "model://");
}

/* The path of a file URI, still with %XX: absolute, or relative, which no RFC has but many robots' files. */
static const char *after_file(const char *name)
{
    const char *rest = after_scheme(name, "file://");
    const char *local = rest ? after_scheme(rest, "localhost/") : NULL;
    if (local)
        return local - 1;
    return rest || !after_scheme(name, "file:/") ? rest : name + strlen("file:");
}

bool uri_is_known(const char *name)
{
    return after_package(name) || after_file(name);
}

/* ---- candidates ---- */

static bool add(struct candidates *list, struct arena *arena, const char *folder, const char *path)
{
    struct candidate *candidate = &list->items[list->count++];
    candidate->path = candidate->name = arena_print(arena, "%s%s", folder, path);
    return candidate->path;
}

/* Seen from the folder of the file that names it; messages have the path from the top file's folder. */
static bool add_beside(struct candidates *list, struct arena *arena, const struct source *parent, const char *path)
{
    const char *slash = strrchr(parent->path, '/'), *name_slash = parent->parent ? strrchr(parent->name, '/') : NULL;
    int size = slash ? (int)(slash - parent->path) + 1 : 0;
    int name_size = name_slash ? (int)(name_slash - parent->name) + 1 : 0;
    struct candidate *candidate = &list->items[list->count++];
    candidate->path = arena_print(arena, "%.*s%s", size, parent->path, path);
    candidate->name = arena_print(arena, "%.*s%s", name_size, parent->name, path);
    return candidate->path && candidate->name;
}

static bool add_includes(struct candidates *list, struct arena *arena, const cp_context *context, const char *path)
{
    for (uint32_t i = 0; i < context->include_folder_count; i++) {
        const char *folder = arena_print(arena, "%s/", context->include_folders[i]);
        if (!folder || !add(list, arena, folder, path))
            return false;
    }
    return true;
}

static bool resolve_path(const struct source *parent, struct arena *arena, const char *path, struct candidates *list)
{
    list->items = arena_allocate(arena, (size_t)parent->context->include_folder_count + 1, sizeof *list->items);
    if (!list->items)
        return false;
    if (path[0] == '/')
        return add(list, arena, "", path);
    return add_beside(list, arena, parent, path) && add_includes(list, arena, parent->context, path);
}

static bool resolve_package(const struct source *parent, struct arena *arena, const char *rest, struct candidates *list)
{
    const cp_context *context = parent->context;
    size_t name_size = strcspn(rest, "/");
    bool is_none = !rest[name_size];
    const char *name = decode(arena, rest, name_size, &is_none);
    const char *path = decode(arena, rest + name_size + !is_none, strlen(rest) - name_size - !is_none, &is_none);
    if (!name || !path)
        return false;
    if (is_none || !*name || strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return true;

    /* Each folder of the real path is one above the naming file's. */
    const char *slash = strrchr(parent->path, '/');
    const char *folder = slash ? arena_copy_text(arena, parent->path, (size_t)(slash - parent->path) + 1) : ".";
    char *above = folder ? realpath(folder, NULL) : NULL;
    size_t room = (size_t)1 + context->package_folder_count + context->include_folder_count;
    for (const char *at = above; at && *at; at++)
        room += *at == '/';
    list->items = folder ? arena_allocate(arena, room, sizeof *list->items) : NULL;
    bool done = list->items;

    /* The folders that were said for the package, and no others. */
    name_size = strlen(name);
    for (uint32_t i = 0; done && i < context->package_folder_count; i++) {
        const char *setting = context->package_folders[i]; /* NAME=FOLDER */
        if (strncmp(setting, name, name_size) == 0 && setting[name_size] == '=') {
            const char *said = arena_print(arena, "%s/", setting + name_size + 1);
            done = said && add(list, arena, said, path);
        }
    }

    /* Else a folder of its name, as files lie in a workspace of packages. */
    if (done && list->count == 0) {
        const char *inside = arena_print(arena, "%s/%s", name, path);
        done = inside && add_beside(list, arena, parent, inside);
        for (char *end; done && above && (end = strrchr(above, '/'));) {
            end[1] = '\0';
            done = add(list, arena, above, inside);
            *end = '\0';
        }
        done = done && add_includes(list, arena, context, inside);
    }
    free(above);
    return done;
}

cp_status resolve(const struct source *parent, struct arena *arena, const char *name, struct candidates *list)
{
    *list = (struct candidates){0};
    const char *rest = after_package(name);
    if (rest)
        return resolve_package(parent, arena, rest, list) ? CP_OK : CP_LIMIT;
    rest = after_file(name);
    bool is_none = false;
    const char *path = rest ? decode(arena, rest, strlen(rest), &is_none) : name;
    return is_none || (path && resolve_path(parent, arena, path, list)) ? CP_OK : CP_LIMIT;
}

const char *resolve_places(const struct source *parent, struct arena *arena, const char *name)
{
    struct candidates list;
    if (!uri_is_known(name) || resolve(parent, arena, name, &list) != CP_OK)
        return "";
    const char *text = "";
    for (uint32_t i = 0; i < list.count && text; i++)
        text = arena_print(arena, "%s%s%s", text, i == 0 ? "; looked at " : ", ", list.items[i].name);
    return text ? text : "";
}
