/* Files beside the one that names them, under names as other systems write them. */
#include "disk.h"

#include <dirent.h>
#include <string.h>
#include <unistd.h>

#include "base/context.h"
#include "base/text/text.h"

enum {
    LONGEST = 4096,         /* no file's path is longer */
    MOST_ENTRIES = 10000000 /* the most names of files that are compared for one top file: a second's work */
};

static bool has_drive(const char *path)
{
    return ((path[0] | 0x20) >= 'a' && (path[0] | 0x20) <= 'z') && path[1] == ':';
}

char *beside_path(struct arena *arena, const char *name, bool *failed)
{
    size_t size;
    char *path = arena_copy_text(arena, name, strlen(name));
    *failed = !path;
    if (!path)
        return NULL;
    bool is_file = uri_is_file(name);
    if (is_file)
        (void)uri_decode(path, &size);
    text_turn_slashes(path);
    if (is_file || path[0] == '/' || has_drive(path))
        path += has_drive(path) && !strchr(path, '/') ? 2 : text_file_name(path) - path;
    bool none = !*path || strlen(path) > LONGEST || strstr(path, "://") || path_leaves_folder(path);
    return none ? NULL : path;
}

/* Replaces a name by that of an entry of the folder that differs by case alone: the same name, else the first in the
 * order of bytes. False if there is none. */
static bool match_entry(const char *folder, char *name, uint64_t *entries)
{
    DIR *listing = opendir(folder);
    const struct dirent *entry;
    char best[LONGEST + 1] = "";
    bool same = false;
    while (listing && !same && *entries < MOST_ENTRIES && (entry = readdir(listing))) {
        (*entries)++;
        if (!text_equal_nocase(entry->d_name, name))
            continue;
        same = strcmp(entry->d_name, name) == 0;
        if (same || !*best || strcmp(entry->d_name, best) < 0)
            memcpy(best, entry->d_name, strlen(name) + 1);
    }
    if (listing)
        (void)closedir(listing);
    if (*best)
        memcpy(name, best, strlen(name));
    return *best;
}

/* Keeps for further files whether a folder is there. */
static cp_status remember(cp_context *context, struct comparison *comparison, const char *folder, bool is_there)
{
    if (!comparison->arena) {
        comparison->arena = arena_new(context);
        comparison->folders.context = context;
    }
    const char *key = comparison->arena ? arena_copy_text(comparison->arena, folder, strlen(folder)) : NULL;
    return key && name_map_add(&comparison->folders, key, is_there, NULL) ? CP_OK : CP_LIMIT;
}

void comparison_free(struct comparison *comparison)
{
    name_map_free(&comparison->folders);
    arena_free(comparison->arena);
}

/* Replaces the last part of the path `above` by the name that is there. is_folder: more parts follow. CP_NO without
 * such a name. */
static cp_status match_part(cp_context *context, char *above, char *part, bool is_folder, struct comparison *comparison)
{
    const uint32_t *known = is_folder && comparison->arena ? name_map_find(&comparison->folders, above) : NULL;
    if (known)
        return *known ? CP_OK : CP_NO;
    bool is_there = access(above, F_OK) == 0;
    char *end = above + strlen(above) - strlen(part), first = *end;
    *end = '\0';
    if (!is_there && match_entry(above, part, &comparison->entries))
        return CP_OK;
    *end = first;
    cp_status status = is_folder ? remember(context, comparison, above, is_there) : CP_OK;
    return status != CP_OK || is_there ? status : CP_NO;
}

/* Replaces the parts of a path below the folder, one after the other, by the names that are there. CP_NO if there is
 * none for some part. */
static cp_status match_path(cp_context *context, const char *folder, char *path, struct comparison *comparison)
{
    struct buffer above = {.context = context};
    cp_status status = CP_OK;
    for (char *at = path; status == CP_OK && *at;) {
        size_t size = strcspn(at, "/");
        bool literal = size == 0 || (size <= 2 && memcmp(at, "..", size) == 0); /* "." and ".." stay as they are */
        char *rest = at + size + (at[size] == '/'), parted = at[size];
        at[size] = '\0';
        above.size = 0;
        buffer_print(&above, "%s%s", *folder ? folder : "./", path); /* up to this part */
        buffer_append(&above, "", 1);
        if (above.failed)
            status = CP_LIMIT;
        else if (!literal)
            status = match_part(context, above.data, at, *rest != '\0', comparison);
        at[size] = parted;
        at = rest;
    }
    buffer_free(&above);
    return status;
}

cp_status find_beside(const struct source *parent, struct arena *arena, const char *name, struct comparison *comparison,
                      const char **path)
{
    bool failed;
    char *spelled = beside_path(arena, name, &failed);
    *path = NULL;
    if (!spelled)
        return failed ? CP_LIMIT : CP_NO;
    struct buffer file = {.context = parent->context};
    buffer_print(&file, "%s%s", parent->folder, spelled);
    buffer_append(&file, "", 1);
    cp_status status = file.failed ? CP_LIMIT : match_path(parent->context, parent->folder, spelled, comparison);
    bool is_there = status == CP_OK && strcmp(file.data + strlen(parent->folder), spelled) == 0;
    if ((status == CP_OK || status == CP_NO) && !is_there && list_missing(parent->context, file.data) != CP_OK)
        status = CP_LIMIT;
    buffer_free(&file);
    *path = spelled;
    return status;
}

cp_status find_any_case(cp_context *context, struct arena *arena, const char *folder, const char *name,
                        struct comparison *comparison, const char **path)
{
    char *spelled = arena_copy_text(arena, name, strlen(name));
    *path = spelled;
    if (!spelled)
        return CP_LIMIT;
    bool absolute = !*folder && *spelled == '/';
    return strlen(spelled) > LONGEST ? CP_NO
                                     : match_path(context, absolute ? "/" : folder, spelled + absolute, comparison);
}
