/* Files in a ZIP archive, as further files of each other. They are found as on a disk, first by their exact names, then
 * by those that other systems write. */
#include "archive.h"

#include <string.h>

#include "base/context.h"
#include "base/text/text.h"
#include "disk.h"

struct item {
    const char *name; /* with '/' between folders */
    struct archive_file file;
};

struct archive {
    const struct source *source;
    struct arena *arena;
    const char *folder; /* the folder that holds all files, which then counts as the archive's root: with a '/' at the
                         * end */
    struct item *items;
    uint32_t count, room;
    struct name_map exact, folded; /* names, as they are and in lower case: the first of them in the order of bytes */
    uint64_t expanded;             /* bytes so far */
};

/* ---- the list ---- */

static void fold(char *name)
{
    for (; *name; name++)
        *name = (char)(*name >= 'A' && *name <= 'Z' ? *name | 0x20 : *name);
}

static cp_status add_item(struct archive *archive, const struct archive_file *file)
{
    struct arena *arena = archive->arena;
    char *name = arena_copy_text(arena, file->name, file->name_size);
    char *folded = name ? arena_copy_text(arena, name, strlen(name)) : NULL;
    if (!folded || !array_reserve(archive->source->context, &archive->items, &archive->room,
                                  archive->count + UINT64_C(1), sizeof *archive->items))
        return CP_LIMIT;
    text_turn_slashes(name);
    strcpy(folded, name);
    fold(folded);
    archive->items[archive->count] = (struct item){name, *file};
    uint32_t *first = name_map_add(&archive->exact, name, archive->count, NULL) /* the first of equal ones */
                          ? name_map_add(&archive->folded, folded, archive->count, NULL)
                          : NULL;
    if (!first)
        return CP_LIMIT;
    if (strcmp(name, archive->items[*first].name) < 0)
        *first = archive->count;
    archive->count++;
    return CP_OK;
}

cp_status archive_open(const struct source *source, struct archive **opened)
{
    cp_context *context = source->context;
    *opened = NULL;
    if (!is_archive(source))
        return CP_NO;
    struct archive *archive = memory_allocate_zeroed(context, 1, sizeof *archive);
    if (!archive)
        return CP_LIMIT;
    *archive = (struct archive){.source = source, .exact = {.context = context}, .folded = {.context = context}};
    archive->arena = arena_new(context);
    archive->folder = arena_print(archive->arena, "%s/", source->name);
    struct archive_walk walk = archive_walk(source);
    struct archive_file file;
    uint64_t expanded = 0;
    cp_status status = archive->folder ? CP_OK : CP_LIMIT;
    while (status == CP_OK && archive_next(&walk, &file)) {
        expanded += file.packed.full_size;
        status = add_item(archive, &file);
    }
    if (status == CP_OK && walk.left == 0)
        status = unpack_check_expanded(source, "the archive ", source->size, expanded);
    if (status == CP_OK && walk.left > 0)
        status = CP_NO;
    if (status == CP_OK)
        *opened = archive;
    else
        archive_close(archive);
    return status;
}

void archive_close(struct archive *archive)
{
    if (!archive)
        return;
    cp_context *context = archive->source->context;
    name_map_free(&archive->exact);
    name_map_free(&archive->folded);
    memory_free(context, archive->items, archive->room, sizeof *archive->items);
    arena_free(archive->arena);
    memory_free(context, archive, 1, sizeof *archive);
}

const char *archive_name(const struct archive *archive, uint32_t index)
{
    return index < archive->count ? archive->items[index].name : NULL;
}

/* ---- opening ---- */

static cp_status open_item(struct archive *archive, uint32_t index, const struct source *parent, const char *label,
                           bool dispensable, struct source **opened)
{
    cp_context *context = parent->context;
    const struct item *item = &archive->items[index];
    struct buffer plain = {.context = context};
    bool whole = item->file.whole;
    cp_status status = CP_OK;
    const char *path = arena_print(archive->arena, "%s%s", archive->folder, item->name);
    if (!path)
        return CP_LIMIT;
    for (const struct source *above = parent; above; above = above->parent)
        if (strcmp(above->path, path) == 0)
            return report_lenient(context, !dispensable, "source-cycle", IN_FILE(parent->name),
                                  "file \"%s\" includes itself", path) == CP_OK
                       ? CP_NO
                       : CP_INPUT;
    if (item->file.readable)
        status = unpack_part(archive->source, &item->file.packed, &plain, &archive->expanded, &whole);
    if (status == CP_OK && item->file.readable && whole) {
        status = source_of_bytes(parent, path, path, label, &plain, opened);
        if (status == CP_OK)
            (*opened)->archive = archive;
        return status;
    }
    buffer_free(&plain);
    if (status != CP_OK)
        return status;
    return report_lenient(context, !dispensable, "source-packed", IN_FILE(archive->source->name),
                          "\"%.200s\" in the archive %s", item->name,
                          item->file.encrypted ? "is encrypted: unpack it before"
                          : whole              ? "is packed by an unknown method: unpack it before"
                                               : "is damaged") == CP_OK
               ? CP_NO
               : CP_INPUT;
}

cp_status archive_unpack(struct archive *archive, uint32_t index, struct source **opened)
{
    *opened = NULL;
    return open_item(archive, index, archive->source, text_file_name(archive->items[index].name), false, opened);
}

/* Returns the name as one in the archive, from the parent's folder; NULL if it can be none, or when out of memory
 * (*failed). */
static char *path_inside(const struct source *parent, const char *name, bool *failed)
{
    const struct archive *archive = parent->archive;
    const char *folder = parent->folder + strlen(archive->folder);
    char *path = arena_print(archive->arena, "%s%s", folder, name), *out = path;
    *failed = !path;
    if (!path || name[0] == '/' || uri_is_known(name))
        return NULL;
    text_turn_slashes(path);
    for (const char *at = path; *at;) {
        size_t size = strcspn(at, "/");
        size_t whole = size + (at[size] == '/');
        if (size == 2 && at[0] == '.' && at[1] == '.') {
            if (out == path)
                return NULL;
            for (out--; out > path && out[-1] != '/';)
                out--;
        } else if (size > 0 && !(size == 1 && *at == '.')) {
            memmove(out, at, whole);
            out += whole;
        }
        at += whole;
    }
    *out = '\0';
    return path;
}

/* Returns the index of the file of the exact path, or of one in another case; CP_NONE without. Changes the path. */
static uint32_t find_path(const struct archive *archive, char *path, bool any_case)
{
    if (path && any_case)
        fold(path);
    const uint32_t *found = path ? name_map_find(any_case ? &archive->folded : &archive->exact, path) : NULL;
    return found ? *found : CP_NONE;
}

/* Finds a file as on a disk: in any case of letters from the folder of the parent, or else by the last part of a path
 * that leads elsewhere. */
static cp_status find_near(const struct source *parent, const char *name, uint32_t *index)
{
    bool failed, failed_beside;
    char *beside = beside_path(parent->archive->arena, name, &failed_beside);
    char *path = path_inside(parent, name, &failed);
    *index = find_path(parent->archive, path, true);
    if (*index == CP_NONE && beside && !failed)
        *index = find_path(parent->archive, path_inside(parent, beside, &failed), true);
    return failed || failed_beside ? CP_LIMIT : CP_OK;
}

cp_status archive_find(const struct source *parent, const char *name, const char *other, bool dispensable,
                       struct source **opened)
{
    struct archive *archive = parent->archive;
    const char *names[2] = {name, other ? other : uri_decoded(archive->arena, name)};
    uint32_t index = CP_NONE;
    bool is_other = false, failed = !names[1];
    for (int i = 0; i < 2 && !failed && index == CP_NONE; i++)
        index = find_path(archive, path_inside(parent, names[i], &failed), false);
    for (int i = 0; i < 2 && !failed && index == CP_NONE; i++) {
        failed = find_near(parent, names[i], &index) != CP_OK;
        is_other = index != CP_NONE;
    }
    if (failed || index == CP_NONE)
        return failed ? CP_LIMIT : CP_NO;
    int folder = (int)(text_file_name(parent->label) - parent->label);
    const char *label = arena_print(archive->arena, "%.*s%s", folder, parent->label, name);
    cp_status status = label ? open_item(archive, index, parent, label, dispensable || is_other, opened) : CP_LIMIT;
    if (status == CP_OK && is_other)
        report_warning(parent->context, "source-beside", IN_FILE(parent->name),
                       "there is no file \"%.200s\"; \"%.200s\" beside it is read", name, archive->items[index].name);
    return status;
}
