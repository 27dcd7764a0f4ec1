/* Where the files of parts and devices are: folders of a paths file, and names without suffix or in other letters. */
#include <stdlib.h>
#include <string.h>

#include "cell.h"

struct folder {
    const char *path; /* as written, "~" and "$NAME" replaced; without a slash at the end */
    bool of_parts, of_devices;
};

struct deneb_folders {
    struct source *source; /* relative folders are seen from it */
    struct folder *items;
    uint32_t count, room;
};

/* ---- the paths file ---- */

static size_t variable_size(const char *text)
{
    size_t size = 0;
    while ((text[size] >= 'A' && text[size] <= 'Z') || (text[size] >= 'a' && text[size] <= 'z') || text[size] == '_' ||
           (size > 0 && text[size] >= '0' && text[size] <= '9'))
        size++;
    return size;
}

/* "~" at the start, and "$NAME" anywhere, by the environment; one that is not set stays as it is. */
static const char *expand(struct deneb_file *file, const char *text)
{
    struct buffer out = {.context = file->context};
    const char *home = text[0] == '~' && (text[1] == '/' || !text[1]) ? getenv("HOME") : NULL;
    if (home) {
        buffer_text(&out, home);
        text++;
    }
    while (*text) {
        size_t size = *text == '$' ? variable_size(text + 1) : 0;
        char *name = size > 0 ? arena_copy_text(file->arena, text + 1, size) : NULL;
        const char *value = name ? getenv(name) : NULL;
        if (value)
            buffer_text(&out, value);
        else
            buffer_append(&out, text, size + 1);
        text += size + 1;
    }
    while (out.size > 1 && out.data[out.size - 1] == '/')
        out.size--;
    if (out.size == 0) /* not the root, which a slash behind it would make of it */
        buffer_text(&out, ".");
    const char *path = arena_copy_text(file->arena, out.data ? out.data : "", out.size);
    if (out.failed || !path)
        file->status = CP_LIMIT;
    buffer_free(&out);
    return path;
}

/* A path as another system wrote it: without its drive, and with slashes that are ours. NULL when out of memory. */
static char *clean_path(struct arena *arena, const char *text, size_t size)
{
    bool drive = size > 1 && ((text[0] | 0x20) >= 'a' && (text[0] | 0x20) <= 'z') && text[1] == ':';
    char *path = arena_copy_text(arena, text + (drive ? 2 : 0), size - (drive ? 2 : 0));
    for (char *at = path; at && *at; at++)
        if (*at == '\\')
            *at = '/';
    return path;
}

static void add_folder(struct deneb_file *file, struct deneb_folders *folders, const char *text, size_t size,
                       struct folder folder)
{
    const char *path = file->status == CP_OK ? clean_path(file->arena, text, size) : NULL;
    folder.path = path ? expand(file, path) : NULL;
    if (!folder.path) {
        file->status = file->status == CP_OK ? CP_LIMIT : file->status;
        return;
    }
    if (!array_reserve(file->context, &folders->items, &folders->room, folders->count + UINT64_C(1), sizeof folder)) {
        file->status = CP_LIMIT;
        return;
    }
    folders->items[folders->count++] = folder;
}

static void read_folder(struct deneb_file *file, struct deneb_folders *folders, bool of_parts)
{
    const char *raw = NULL, *name = deneb_in_line(file, "a folder") ? deneb_name(file, &raw) : "";
    name = raw ? raw : name;
    add_folder(file, folders, name, strlen(name), (struct folder){.of_parts = of_parts, .of_devices = !of_parts});
    deneb_end_statement(file);
}

static void read_statements(struct deneb_file *file, struct deneb_folders *folders)
{
    deneb_next(file);
    deneb_magic(file, DENEB_PATHS);
    while (file->status == CP_OK && file->token.kind != DENEB_END) {
        if (deneb_statement(file, "PARTS"))
            read_folder(file, folders, true);
        else if (deneb_statement(file, "DEVICES"))
            read_folder(file, folders, false);
        else
            deneb_skip_unknown(file, 0);
    }
}

/* A plain list: a folder a line, for all. */
static void read_lines(struct deneb_file *file, struct deneb_folders *folders)
{
    const char *at = file->next, *end = file->end;
    while (at < end && file->status == CP_OK) {
        size_t size = 0, first = strspn(at, " \t");
        while (at + size < end && at[size] != '\r' && at[size] != '\n')
            size++;
        const char *comment = memchr(at, '#', size);
        size_t last = comment ? (size_t)(comment - at) : size;
        while (last > first && (at[last - 1] == ' ' || at[last - 1] == '\t'))
            last--;
        if (last > first)
            add_folder(file, folders, at + first, last - first, (struct folder){.of_parts = true, .of_devices = true});
        at += size;
        while (at < end && (*at == '\r' || *at == '\n'))
            at++;
    }
}

cp_status deneb_open_option(const struct source *source, const char *path, struct source **opened)
{
    cp_status status = source_open(source, path, opened);
    char *absolute = status == CP_NO ? realpath(path, NULL) : NULL;
    if (absolute)
        status = source_open(source, absolute, opened);
    free(absolute);
    return status;
}

static cp_status read_folders(struct deneb_cell *cell, struct deneb_folders *folders, bool strict)
{
    struct deneb_file file = {
        .context = cell->context, .source = folders->source, .arena = cell->scene->arena, .strict = strict};
    bool is_ours = deneb_find_kind(folders->source->data, folders->source->size) != DENEB_KIND_COUNT;
    deneb_text_start(&file);
    deneb_check_text(&file);
    if (is_ours)
        read_statements(&file, folders);
    else
        read_lines(&file, folders);
    deneb_close(&file);
    return file.status;
}

cp_status deneb_read_folders(struct deneb_cell *cell, const struct source *source, bool strict)
{
    const char *path = cell->settings->paths;
    if (!path)
        return CP_OK;
    cell->folders = memory_allocate_zeroed(cell->context, 1, sizeof *cell->folders);
    if (!cell->folders)
        return CP_LIMIT;
    cp_status status = deneb_open_option(source, path, &cell->folders->source);
    if (status == CP_NO)
        return report_error(cell->context, CP_INPUT, "deneb-paths", IN_FILE(source->name),
                            "the paths file \"%s\" is not there", path);
    return status == CP_OK ? read_folders(cell, cell->folders, strict) : status;
}

void deneb_free_folders(struct deneb_cell *cell)
{
    struct deneb_folders *folders = cell->folders;
    if (!folders)
        return;
    source_close(folders->source);
    memory_free(cell->context, folders->items, folders->room, sizeof *folders->items);
    memory_free(cell->context, folders, 1, sizeof *folders);
    cell->folders = NULL;
}

/* ---- names ---- */

/* The path leads out of the folder that it is seen from. */
static bool leaves_folder(const char *path)
{
    int64_t depth = 0;
    while (*path && depth >= 0) {
        size_t size = strcspn(path, "/");
        if (size == 2 && path[0] == '.' && path[1] == '.')
            depth--;
        else if (size > 0 && !(size == 1 && path[0] == '.'))
            depth++;
        path += size + (path[size] == '/');
    }
    return depth < 0;
}

enum letters { AS_WRITTEN, LOWER, UPPER, LETTERS_COUNT };

/* The name with a suffix; its last part in those letters. */
static bool spell(struct buffer *out, const char *path, const char *suffix, enum letters letters)
{
    out->size = 0;
    buffer_text(out, path);
    buffer_text(out, suffix);
    buffer_append(out, "", 1);
    if (out->failed)
        return false;
    char *slash = strrchr(out->data, '/');
    for (char *at = slash ? slash + 1 : out->data; *at && letters != AS_WRITTEN; at++) {
        if (letters == LOWER && *at >= 'A' && *at <= 'Z')
            *at = (char)(*at + 'a' - 'A');
        else if (letters == UPPER && *at >= 'a' && *at <= 'z')
            *at = (char)(*at + 'A' - 'a');
    }
    return true;
}

static cp_status look_in_folders(const struct deneb_cell *cell, const struct source *from, const char *name,
                                 enum deneb_kind kind, struct source **opened)
{
    const struct deneb_folders *folders = cell->folders;
    cp_status status = source_open(from, name, opened);
    for (uint32_t i = 0; status == CP_NO && folders && i < folders->count && name[0] != '/'; i++) {
        const struct folder *folder = &folders->items[i];
        if (!(kind == DENEB_DEVICE ? folder->of_devices : folder->of_parts))
            continue;
        const char *path = arena_print(cell->scene->arena, "%s/%s", folder->path, name);
        status = path ? source_open(folders->source, path, opened) : CP_LIMIT;
    }
    return status;
}

/* In all folders with one suffix after the other. */
static cp_status try_suffixes(const struct deneb_cell *cell, const struct source *from, const char *path,
                              enum deneb_kind kind, struct source **opened)
{
    static const char *const suffixes[][6] = {
        {"", ".dcp", ".pdb", ".part", ".dct", NULL}, {"", ".dcd", ".dct", NULL}, {"", ".dcw", ".dct", NULL}};
    struct buffer spelled = {.context = cell->context};
    size_t size = strlen(path);
    cp_status status = CP_NO;
    for (int letters = AS_WRITTEN; letters < LETTERS_COUNT && status == CP_NO; letters++)
        for (const char *const *suffix = suffixes[kind]; *suffix && status == CP_NO; suffix++) {
            if (!spell(&spelled, path, *suffix, (enum letters)letters))
                status = CP_LIMIT;
            else if (letters == AS_WRITTEN || strncmp(spelled.data, path, size) != 0 ||
                     strcmp(spelled.data + size, *suffix) != 0)
                status = look_in_folders(cell, from, spelled.data, kind, opened);
        }
    buffer_free(&spelled);
    return status;
}

cp_status deneb_search(const struct deneb_cell *cell, const struct source *from, const char *name, enum deneb_kind kind,
                       struct source **opened)
{
    enum { LONGEST = 4096 }; /* no file's path is longer; trying a hundred ways to spell one would take long */
    const char *path = strlen(name) <= LONGEST ? clean_path(cell->scene->arena, name, strlen(name)) : "";
    *opened = NULL;
    if (!path)
        return CP_LIMIT;
    if (!*path)
        return CP_NO;
    if (!leaves_folder(path) || cell->settings->outside)
        return try_suffixes(cell, from, path, kind, opened);
    const char *raw, *shown = utf8_from(cell->scene->arena, name, strlen(name), &raw);
    report_warning(cell->context, "deneb-outside", IN_FILE(from->name),
                   "\"%s\" leads out of the folder, and is not followed (--in outside=yes does)", shown ? shown : "");
    return CP_NO;
}
