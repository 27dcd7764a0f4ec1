/* Packages of ROS: folders with a package.xml, which may have another name than the package. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/context.h"
#include "base/text/text.h"
#include "disk.h"

enum {
    MOST_MANIFEST = 1 << 14, /* bytes of a package.xml in which its name stands */
    MOST_FOLDERS = 1 << 14   /* folders that are looked at */
};

/* Reads the name that a folder's package.xml gives. False if there is none. */
static bool read_name(const char *folder, char name[NAME_MAX + 1])
{
    char path[PATH_MAX], text[MOST_MANIFEST + 1];
    int length = snprintf(path, sizeof path, "%s/package.xml", folder);
    int file =
        length > 0 && (size_t)length < sizeof path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
    if (file < 0)
        return false;
    ssize_t size = read(file, text, MOST_MANIFEST);
    (void)close(file);
    text[size > 0 ? size : 0] = '\0';
    const char *at = strstr(text, "<name"), *comment = strstr(text, "<!--");
    while (at && comment && comment < at) {
        const char *after = strstr(comment, "-->");
        at = after ? strstr(after, "<name") : NULL;
        comment = after ? strstr(after, "<!--") : NULL;
    }
    at = at ? strchr(at, '>') : NULL;
    const char *end = at ? strchr(at, '<') : NULL;
    if (!end)
        return false;
    for (at++; at < end && is_space(*at);)
        at++;
    while (end > at && is_space(end[-1]))
        end--;
    if (end == at || end - at > NAME_MAX)
        return false;
    memcpy(name, at, (size_t)(end - at));
    name[end - at] = '\0';
    return true;
}

/* Shortens the path to the folder above. False at the root. */
static bool go_up(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash || !path[1])
        return false;
    slash[slash == path] = '\0';
    return true;
}

char *package_above(const char *folder)
{
    char name[NAME_MAX + 1], *path = real_path(*folder ? folder : ".");
    do
        if (path && read_name(path, name))
            return path;
    while (path && go_up(path));
    free(path);
    return NULL;
}

const char *package_given(const cp_context *context, const char *name)
{
    const struct text_list *given = &context->package_folders; /* NAME=FOLDER */
    size_t size = strlen(name);
    for (uint32_t i = 0; i < given->count; i++)
        if (strncmp(given->items[i], name, size) == 0 && given->items[i][size] == '=')
            return given->items[i] + size + 1;
    return NULL;
}

/* ---- packages that can be found ---- */

/* Adds a folder if it is a package, and the first of its name. False when out of memory. */
static bool add(struct packages *packages, const char *folder)
{
    char name[NAME_MAX + 1];
    if (packages->looked_at++ >= MOST_FOLDERS || !read_name(folder, name) || name_map_find(&packages->names, name))
        return true;
    const char *kept = arena_copy_text(packages->arena, folder, strlen(folder));
    const char *key = arena_copy_text(packages->arena, name, strlen(name));
    uint32_t index = packages->count;
    return kept && key &&
           array_add(packages->names.context, &packages->folders, &packages->room, &packages->count, &kept,
                     sizeof kept) &&
           name_map_add(&packages->names, key, index, NULL);
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* A link may lead to a folder, and not every file system tells what an entry is. */
static int may_be_package(const struct dirent *entry)
{
    return entry->d_name[0] != '.' &&
           (entry->d_type == DT_DIR || entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN);
}

/* Adds the packages right below a folder, or `levels` deep, those above first. False when out of memory. */
static bool add_below(struct packages *packages, const char *folder, int levels)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, may_be_package, by_bytes);
    bool good = count >= 0 || errno != ENOMEM;
    for (int level = 1; level <= levels; level++)
        for (int i = 0; i < count && good && packages->looked_at < MOST_FOLDERS; i++) {
            char path[PATH_MAX];
            int length = snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
            if (length > 0 && (size_t)length < sizeof path)
                good = level == 1 ? add(packages, path) : add_below(packages, path, levels - 1);
        }
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    return good;
}

/* Adds what lies in the folders of a variable of the environment, parted by colons. */
static bool add_variable(struct packages *packages, const char *variable, const char *inside, int levels)
{
    const char *at = getenv(variable);
    bool good = true;
    for (size_t size; at && *at && good; at += size + (at[size] == ':')) {
        char path[PATH_MAX];
        size = strcspn(at, ":");
        int length = snprintf(path, sizeof path, "%.*s%s", (int)size, at, inside);
        if (size > 0 && length > 0 && (size_t)length < sizeof path)
            good = add(packages, path) && add_below(packages, path, levels);
    }
    return good;
}

static bool add_above(struct packages *packages, const char *folder)
{
    char *path = real_path(*folder ? folder : ".");
    bool good = path || errno != ENOMEM;
    do
        good = good && (!path || add(packages, path));
    while (good && path && go_up(path));
    free(path);
    return good;
}

static bool add_beside(struct packages *packages, const char *folder)
{
    char *nearest = package_above(folder);
    bool good = true;
    for (int levels = 1; levels <= 2 && good && nearest && go_up(nearest); levels++)
        good = add_below(packages, nearest, levels);
    free(nearest);
    return good;
}

static bool add_included(struct packages *packages)
{
    const struct text_list *included = &packages->names.context->include_folders;
    bool good = true;
    for (uint32_t i = 0; i < included->count && good; i++)
        good = add(packages, included->items[i]) && add_below(packages, included->items[i], 2);
    return good;
}

/* Adds what lies in the next place. Most packages lie above the file that names them, so that the others need not be
 * looked at. False when out of memory. */
static bool add_next(struct packages *packages, const char *folder)
{
    switch (packages->place++) {
    case PLACE_ABOVE:
        return add_above(packages, folder);
    case PLACE_BELOW:
        return add_below(packages, *folder ? folder : ".", 1);
    case PLACE_BESIDE:
        return add_beside(packages, folder);
    case PLACE_INCLUDED:
        return add_included(packages);
    case PLACE_ENVIRONMENT:
        return add_variable(packages, "ROS_PACKAGE_PATH", "", 2) &&
               add_variable(packages, "AMENT_PREFIX_PATH", "/share", 1);
    case PLACE_COUNT:
        break;
    }
    return true;
}

cp_status packages_find(cp_context *context, struct packages *packages, const char *folder, const char *name,
                        const char **found)
{
    *found = NULL;
    if (!packages->arena) {
        packages->arena = arena_new(context);
        packages->names.context = context;
        if (!packages->arena)
            return CP_LIMIT;
    }
    const uint32_t *known = name_map_find(&packages->names, name);
    for (; !known && packages->place < PLACE_COUNT; known = name_map_find(&packages->names, name))
        if (!add_next(packages, folder)) {
            report_out_of_memory(context);
            return CP_LIMIT;
        }
    if (known)
        *found = packages->folders[*known];
    return CP_OK;
}

void packages_free(cp_context *context, struct packages *packages)
{
    if (!packages->arena)
        return;
    name_map_free(&packages->names);
    memory_free(context, packages->folders, packages->room, sizeof *packages->folders);
    arena_free(packages->arena);
}
