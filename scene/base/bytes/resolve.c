/* Lists the files that a name may mean. URIs: RFC 3986 and 8089; package:// as in ROS, model:// as in SDF. */
#include "bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/context.h"
#include "base/text/text.h"
#include "disk.h"

/* ---- URIs ---- */

bool uri_decode(char *text, size_t *size)
{
    size_t out = 0, in = 0;
    bool sound = true;
    while (text[in]) {
        if (text[in] != '%') {
            text[out++] = text[in++];
            continue;
        }
        int high = hex_digit(text[in + 1]);
        int low = high < 0 ? -1 : hex_digit(text[in + 2]);
        if (low < 0) {
            sound = false;
            text[out++] = text[in++];
            continue;
        }
        text[out++] = (char)(unsigned char)(high * 16 + low);
        in += 3;
    }
    text[out] = '\0';
    *size = out;
    return sound;
}

/* Returns a copy with %XX decoded, or an exact one if a % is only a character, as in many files. *is_none is set by a
 * zero byte. */
static char *decode(struct arena *arena, const char *text, size_t size, bool *is_none)
{
    char *decoded = arena_copy_text(arena, text, size);
    size_t left = 0;
    if (decoded && !uri_decode(decoded, &left))
        return arena_copy_text(arena, text, size);
    *is_none |= decoded && strlen(decoded) != left;
    return decoded;
}

/* Returns the text behind the scheme, which may be in any case; NULL when the text does not begin with it. */
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

/* Returns the path of a file URI, still with %XX: absolute, or relative, which no RFC allows but many robots' files
 * have. */
static const char *after_file(const char *name)
{
    const char *rest = after_scheme(name, "file://");
    const char *local = rest ? after_scheme(rest, "localhost/") : NULL;
    if (local)
        return local - 1;
    return rest || !after_scheme(name, "file:/") ? rest : name + strlen("file:");
}

bool uri_is_file(const char *name)
{
    return after_file(name) != NULL;
}

static bool uri_is_remote(const char *name)
{
    return after_scheme(name, "http://") || after_scheme(name, "https://") || after_scheme(name, "ftp://");
}

bool uri_is_known(const char *name)
{
    return after_package(name) || after_file(name);
}

const char *uri_decoded(struct arena *arena, const char *name)
{
    size_t size;
    char *decoded = arena_copy_text(arena, name, strlen(name));
    bool sound = !decoded || (uri_decode(decoded, &size) && strlen(decoded) == size && size > 0);
    return sound && !uri_is_known(name) ? decoded : name;
}

/* ---- candidates ---- */

/* Adds a candidate. NULLs are found at the end. */
static void add(struct candidates *list, const char *path, const char *name)
{
    list->items[list->count++] = (struct meant_file){path, name};
}

cp_status resolve_files(const struct source *parent, struct arena *arena, const char *name, struct candidates *list)
{
    const cp_context *context = parent->context;
    const char *in_package = after_package(name), *in_file = after_file(name);
    const char *package = "", *prefix = "", *path = name; /* prefix: the package and a slash */
    bool is_none = false;
    *list = (struct candidates){0};

    /* Split the URI into the package and the path. */
    if (in_package) {
        size_t size = strcspn(in_package, "/");
        const char *rest = in_package + size + (in_package[size] == '/');
        package = decode(arena, in_package, size, &is_none);
        path = decode(arena, rest, strlen(rest), &is_none);
        prefix = package ? arena_print(arena, "%s/", package) : NULL;
        is_none |= package && (!*package || strchr(package, '/') || !strcmp(package, ".") || !strcmp(package, ".."));
    } else if (in_file) {
        path = decode(arena, in_file, strlen(in_file), &is_none);
    }
    if (!prefix || !path)
        return CP_LIMIT;
    if (is_none)
        return CP_OK;

    /* Make room for all: each '/' of the real path ends a folder above the naming file's. */
    errno = 0;
    char *above = in_package ? real_path(*parent->folder ? parent->folder : ".") : NULL;
    if (!above && errno == ENOMEM) {
        report_out_of_memory(parent->context);
        return CP_LIMIT;
    }
    size_t room = (size_t)2 + context->package_folders.count + context->include_folders.count;
    for (const char *at = above; at && *at; at++)
        room += *at == '/';
    list->items = arena_allocate(arena, room, sizeof *list->items);
    if (!list->items) {
        free(above);
        return CP_LIMIT;
    }

    /* Add the folders that were given for the package. */
    size_t size = strlen(package);
    for (uint32_t i = 0; in_package && i < context->package_folders.count; i++) {
        const char *setting = context->package_folders.items[i]; /* NAME=FOLDER */
        if (strncmp(setting, package, size) == 0 && setting[size] == '=') {
            const char *given = arena_print(arena, "%s/%s", setting + size + 1, path);
            add(list, given, given);
        }
    }

    /* If there are none, a package.xml says where it is; or look beside the naming file, above it, as in a workspace of
     * packages, and in the include folders. */
    if (!in_package && path[0] == '/') {
        add(list, path, path);
    } else if (list->count == 0) {
        const char *folder = NULL;
        if (in_package && source_find_package(parent, package, &folder) != CP_OK) {
            free(above);
            return CP_LIMIT;
        }
        if (folder) {
            const char *inside = arena_print(arena, "%s/%s", folder, path);
            add(list, inside, inside);
        }
        add(list, arena_print(arena, "%s%s%s", parent->folder, prefix, path),
            arena_print(arena, "%s%s%s", parent->name_folder, prefix, path));
        for (char *end; above && (end = strrchr(above, '/')); *end = '\0') {
            const char *higher = arena_print(arena, "%.*s%s%s", (int)(end - above) + 1, above, prefix, path);
            add(list, higher, higher);
        }
        for (uint32_t i = 0; i < context->include_folders.count; i++) {
            const char *included = arena_print(arena, "%s/%s%s", context->include_folders.items[i], prefix, path);
            add(list, included, included);
        }
    }
    free(above);
    for (uint32_t i = 0; i < list->count; i++)
        if (!list->items[i].path || !list->items[i].name)
            return CP_LIMIT;
    return CP_OK;
}

/* Returns what a name is that can mean no file; NULL if it could mean one. */
static const char *other_than_file(const struct source *parent, const char *name, const struct candidates *list)
{
    struct stat facts;
    bool on_disk = *name && !parent->archive && !parent->context->opener;
    if (uri_is_remote(name))
        return "on the network, and cellpipe reads no network";
    for (uint32_t i = 0; i < list->count && on_disk; i++)
        if (stat(list->items[i].path, &facts) == 0 && S_ISDIR(facts.st_mode))
            return "a folder";
    return NULL;
}

const char *resolve_absence(const struct source *parent, struct arena *arena, const char *name)
{
    struct candidates list = {0};
    if (resolve_files(parent, arena, name, &list) != CP_OK)
        list.count = 0;
    const char *other = other_than_file(parent, name, &list);
    const char *text = other ? arena_print(arena, "is %s", other)
                             : arena_print(arena, "is not there%s", resolve_places(parent, arena, name));
    return text ? text : "is not there";
}

const char *resolve_places(const struct source *parent, struct arena *arena, const char *name)
{
    enum { FIRST_SHOWN = 3 }; /* and the last one */
    struct candidates list = {0};
    struct buffer text = {.context = parent->context};
    const char *package = after_package(name);
    if (uri_is_remote(name))
        return "; it is on the network, and cellpipe reads no network";
    if (uri_is_known(name) && resolve_files(parent, arena, name, &list) != CP_OK)
        list.count = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        if (i < FIRST_SHOWN || i + 1 == list.count)
            buffer_print(&text, "%s%s", i == 0 ? "; looked at " : ", ", list.items[i].name);
        else if (i == FIRST_SHOWN)
            buffer_print(&text, ", %u more", (unsigned)(list.count - FIRST_SHOWN - 1));
    }
    if (package && text.size > 0)
        buffer_print(&text, " (--package %.*s=DIR gives its folder)", (int)strcspn(package, "/"), package);
    const char *kept = arena_copy_text(arena, text.data ? text.data : "", text.size);
    buffer_free(&text);
    return kept ? kept : "";
}
