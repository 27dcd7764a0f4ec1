/* Searches the files of parts and devices: in the folders of a paths file, and by names without suffix or in another
 * case. */
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "cell.h"

/* ---- the paths file ---- */

static size_t variable_size(const char *text)
{
    size_t size = 0;
    while ((text[size] >= 'A' && text[size] <= 'Z') || (text[size] >= 'a' && text[size] <= 'z') || text[size] == '_' ||
           (size > 0 && text[size] >= '0' && text[size] <= '9'))
        size++;
    return size;
}

/* Expands "~" at the start, and "$NAME" anywhere, by the environment; a name that is not set stays as it is. */
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
    if (out.size == 0) /* not the root, which the slash behind an empty path would make */
        buffer_text(&out, ".");
    const char *path = arena_copy_text(file->arena, out.data ? out.data : "", out.size);
    if (out.failed || !path)
        file->status = CP_LIMIT;
    buffer_free(&out);
    return path;
}

char *deneb_path(struct arena *arena, const char *text)
{
    bool drive = ((text[0] | 0x20) >= 'a' && (text[0] | 0x20) <= 'z') && text[1] == ':';
    text += drive ? 2 : 0;
    char *path = arena_copy_text(arena, text, strlen(text));
    text_turn_slashes(path);
    return path;
}

/* Adds a folder for files of that kind. */
static void add_folder(struct deneb_file *file, struct deneb_files *files, const char *text, enum deneb_kind kind)
{
    struct file_search *search = &files->searches[kind];
    const char *path = file->status == CP_OK ? deneb_path(file->arena, text) : NULL;
    const char *folder = path ? expand(file, path) : NULL;
    if (file->status == CP_OK && (!folder || !array_add(file->context, &search->folders, &search->folder_room,
                                                        &search->folder_count, &folder, sizeof folder)))
        file->status = CP_LIMIT;
}

static void read_folder(struct deneb_file *file, struct deneb_files *files, enum deneb_kind kind)
{
    const char *raw = NULL, *name = deneb_in_line(file, "a folder") ? deneb_name(file, &raw) : "";
    add_folder(file, files, raw ? raw : name, kind);
    deneb_end_statement(file);
}

static void read_statements(struct deneb_file *file, struct deneb_files *files)
{
    deneb_next(file);
    deneb_magic(file, DENEB_PATHS);
    while (file->status == CP_OK && file->token.kind != DENEB_END) {
        if (deneb_statement(file, "PARTS"))
            read_folder(file, files, DENEB_PART);
        else if (deneb_statement(file, "DEVICES"))
            read_folder(file, files, DENEB_DEVICE);
        else
            deneb_skip_unknown(file, 0);
    }
}

/* Reads a plain list: a folder in each line, for all kinds. */
static void read_lines(struct deneb_file *file, struct deneb_files *files)
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
        if (last > first) {
            const char *folder = arena_copy_text(file->arena, at + first, last - first);
            if (!folder)
                file->status = CP_LIMIT;
            add_folder(file, files, folder, DENEB_PART);
            add_folder(file, files, folder, DENEB_DEVICE);
        }
        at += size;
        while (at < end && (*at == '\r' || *at == '\n'))
            at++;
    }
}

void deneb_start_search(const struct deneb_cell *cell, struct deneb_files *files)
{
    static const char *const suffixes[][6] = {[DENEB_PART] = {"", ".dcp", ".pdb", ".part", ".dct", NULL},
                                              [DENEB_DEVICE] = {"", ".dcd", ".dct", NULL},
                                              [DENEB_WORKCELL] = {"", ".dcw", ".dct", NULL}};
    for (int kind = DENEB_PART; kind <= DENEB_WORKCELL; kind++)
        files->searches[kind] =
            (struct file_search){.suffixes = suffixes[kind], .any_case = true, .stays = !cell->settings->outside};
}

cp_status deneb_read_folders(const struct deneb_cell *cell, struct deneb_files *files, const struct source *source,
                             bool strict)
{
    const char *path = cell->settings->paths;
    if (!path)
        return CP_OK;
    cp_status status = source_open_option(source, path, &files->paths);
    if (status == CP_NO)
        return report_error(cell->context, CP_INPUT, "deneb-paths", IN_FILE(source->name),
                            "the paths file \"%s\" was not found", path);
    if (status != CP_OK)
        return status;
    struct deneb_file file = {
        .context = cell->context, .source = files->paths, .arena = files->arena, .strict = strict};
    files->searches[DENEB_PART].base = files->searches[DENEB_DEVICE].base = files->paths;
    deneb_text_start(&file);
    deneb_check_text(&file);
    if (deneb_find_kind(files->paths->data, files->paths->size) != DENEB_KIND_COUNT)
        read_statements(&file, files);
    else
        read_lines(&file, files);
    deneb_close(&file);
    return file.status;
}

void deneb_end_search(const struct deneb_cell *cell, const struct deneb_files *files)
{
    source_close(files->paths);
    for (int kind = DENEB_PART; kind <= DENEB_WORKCELL; kind++)
        memory_free(cell->context, files->searches[kind].folders, files->searches[kind].folder_room, sizeof(char *));
}

void deneb_tell_outside(const struct deneb_cell *cell, const struct source *from, const char *path, const char *name)
{
    if (!cell->settings->outside && path_leaves_folder(path))
        report_warning(cell->context, "deneb-outside", IN_FILE(from->name),
                       "\"%s\" leads out of the folder and is not followed (--in outside=yes follows it)", name);
}

cp_status deneb_search(const struct deneb_cell *cell, const struct deneb_files *files, const struct source *from,
                       const char *bytes, const char *name, enum deneb_kind kind, struct source **opened)
{
    const char *path = deneb_path(files->arena, bytes);
    cp_status status = path ? search_find(&files->searches[kind], from, path, opened) : CP_LIMIT;
    if (status == CP_NO)
        deneb_tell_outside(cell, from, path, name);
    return status;
}
