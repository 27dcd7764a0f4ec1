/* The file system that assimp sees: the top file from memory, all others through source_open, none for writing. */
#include "assimp.h"

#include "base/text/text.h"

#ifdef HAVE_ASSIMP

#include <string.h>

struct open_file {
    struct aiFile file;
    struct file_system *system;
    struct source *further; /* NULL for the top file */
    char *text;             /* the text that assimp gets in place of a further file, or NULL */
    const char *data;
    size_t size, position;
    struct open_file *next;
};

static size_t file_read(struct aiFile *handle, char *out, size_t size, size_t count)
{
    struct open_file *file = (struct open_file *)(void *)handle->UserData;
    size_t left = file->size - file->position;
    if (!size || !count)
        return 0;
    if (count > left / size)
        count = left / size;
    memcpy(out, file->data + file->position, size * count);
    file->position += size * count;
    return count;
}

static size_t file_write(struct aiFile *handle, const char *bytes, size_t size, size_t count)
{
    (void)handle, (void)bytes, (void)size, (void)count;
    return 0;
}

static size_t file_tell(struct aiFile *handle)
{
    return ((struct open_file *)(void *)handle->UserData)->position;
}

static size_t file_size(struct aiFile *handle)
{
    return ((struct open_file *)(void *)handle->UserData)->size;
}

/* Offsets are unsigned in assimp's interface; one from the end counts backwards. */
static enum aiReturn file_seek(struct aiFile *handle, size_t offset, enum aiOrigin origin)
{
    struct open_file *file = (struct open_file *)(void *)handle->UserData;
    size_t base = origin == aiOrigin_CUR ? file->position : 0;
    if (origin == aiOrigin_END) {
        if (offset > file->size)
            return aiReturn_FAILURE;
        file->position = file->size - offset;
        return aiReturn_SUCCESS;
    }
    if (offset > file->size - base)
        return aiReturn_FAILURE;
    file->position = base + offset;
    return aiReturn_SUCCESS;
}

static void file_flush(struct aiFile *handle)
{
    (void)handle;
}

/* Tells a text by its suffix, or by a beginning without control characters. An archive has the suffix of its contents
 * (ZAE). */
static bool is_text(const struct source *source)
{
    enum { HEAD_SIZE = 512 }; /* every binary format has control characters in it */
    static const char *const suffixes[] = {".x3d", ".ase", ".nff", ".ifc", ".smd", ".lws", ".mot", ".md5anim", ".xgl"};
    const char *data = source->data;
    if (source->size >= 4 && memcmp(data, "PK\3\4", 4) == 0)
        return false;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (text_ends_nocase(source->name, suffixes[i]))
            return true;
    size_t letters = 0;
    while (letters < source->size && letters < HEAD_SIZE &&
           ((unsigned char)data[letters] >= ' ' || is_space(data[letters])))
        letters++;
    return letters == HEAD_SIZE;
}

/* Checks files other than texts: zeros in them may be meant, but seldom a whole block of a file system. */
static cp_status check_blocks(const struct source *source, bool strict)
{
    enum { BLOCK = 4096, LEAST = 512 };
    bool blender = source->size > 7 && memcmp(source->data, "BLENDER", 7) == 0; /* has such blocks of its own */
    for (size_t at = 0; !blender && at + LEAST <= source->size; at += BLOCK) {
        size_t left = source->size - at;
        if (bytes_are_zero(source->data + at, left < BLOCK ? left : BLOCK))
            return report_lenient(source->context, strict, "assimp-zeros", IN_FILE(source->name),
                                  "a block of zero bytes at byte %zu: perhaps a power loss left it", at);
    }
    return CP_OK;
}

cp_status cut_at_zeros(const struct source *source, const struct import_settings *settings, size_t *size)
{
    bool text = is_text(source), partial = settings->partial;
    const char *data = source->data, *zero = text ? memchr(data, '\0', source->size) : NULL;
    *size = source->size;
    if (!zero)
        return text ? CP_OK : check_blocks(source, settings->strict);
    *size = (size_t)(zero - data);
    while (*size > 0 && !is_line_end(data[*size - 1]))
        --*size;
    return report_lenient(source->context, !partial, "assimp-zeros",
                          AT_LINE(source->name, source_line(source, (size_t)(zero - data))),
                          "zero bytes in a text, as a power loss leaves them%s",
                          partial ? ": the lines before them are read" : " (partial=yes reads the lines before them)");
}

cp_status end_lines(const struct source *source, char **text)
{
    *text = NULL;
    if (!memchr(source->data, '\r', source->size) || memchr(source->data, '\n', source->size) ||
        memchr(source->data, '\0', source->size))
        return CP_OK;
    *text = memory_allocate(source->context, source->size + 1, 1);
    if (!*text)
        return CP_LIMIT;
    for (size_t i = 0; i <= source->size; i++)
        (*text)[i] = source->data[i] == '\r' ? '\n' : source->data[i];
    return CP_OK;
}

static struct aiFile *add_file(struct file_system *system, struct source *further)
{
    struct open_file *file = memory_allocate_zeroed(system->context, 1, sizeof *file);
    struct source shown = further ? *further : *system->top;
    cp_status status = file ? CP_OK : CP_LIMIT;
    if (further && status == CP_OK)
        status = cut_at_zeros(further, system->settings, &shown.size);
    if (status == CP_OK)
        status = end_lines(&shown, &file->text);
    if (status != CP_OK) {
        system->status = status;
        source_close(further);
        memory_free(system->context, file, 1, sizeof *file);
        return NULL;
    }
    file->file = (struct aiFile){file_read, file_write, file_tell, file_size, file_seek, file_flush, (void *)file};
    file->system = system;
    file->further = further;
    file->data = file->text ? file->text : shown.data;
    file->size = shown.size;
    file->next = system->files;
    system->files = file;
    return &file->file;
}

static bool is_image(const char *name)
{
    static const char *const suffixes[] = {".png", ".jpg",  ".jpeg", ".bmp", ".tga", ".gif", ".tif",
                                           ".dds", ".tiff", ".pcx",  ".rgb", ".sgi", ".webp"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (text_ends_nocase(name, suffixes[i]))
            return true;
    return false;
}

static void report_missing(struct file_system *system, const char *name, bool is_empty)
{
    struct place place = IN_FILE(system->top->name);
    if (report_lenient(system->context, system->settings->strict, "assimp-file-missing", place,
                       is_empty ? "the file \"%s\" is empty" : "no file \"%s\"", name) != CP_OK)
        system->status = CP_INPUT;
    else
        report_loss(system->context, "assimp-file-missing", place, 1, "what \"%s\" describes is left out", name);
}

static struct aiFile *open_further(struct file_system *system, const char *name)
{
    struct source *further = NULL;
    struct buffer path = {.context = system->context};
    buffer_append(&path, name, strlen(name) + 1);
    text_turn_slashes(path.data);
    cp_status status = path.failed ? CP_LIMIT : source_open(system->top, path.data, &further);
    if (status == CP_NO || (status == CP_OK && further->size == 0))
        report_missing(system, path.data, status == CP_OK);
    else if (status != CP_OK)
        system->status = status;
    buffer_free(&path);
    return status == CP_OK ? add_file(system, further) : NULL;
}

static struct aiFile *file_open(struct aiFileIO *io, const char *name, const char *mode)
{
    struct file_system *system = (struct file_system *)(void *)io->UserData;
    if (strpbrk(mode, "wa+") || system->status != CP_OK)
        return NULL;
    while (name[0] == '.' && (name[1] == '/' || name[1] == '\\'))
        name += 2;
    if (strcmp(name, system->top_name) == 0)
        return add_file(system, NULL);
    if (!*name || is_image(name)) /* textures are not read: see copy_materials */
        return NULL;
    return open_further(system, name);
}

static void file_close(struct aiFileIO *io, struct aiFile *handle)
{
    struct file_system *system = (struct file_system *)(void *)io->UserData;
    struct open_file **link = &system->files;
    while (*link && &(*link)->file != handle)
        link = &(*link)->next;
    struct open_file *file = *link;
    if (!file)
        return;
    *link = file->next;
    memory_free(system->context, file->text, file->size + 1, 1);
    source_close(file->further);
    memory_free(system->context, file, 1, sizeof *file);
}

void file_system_start(struct file_system *system, const struct source *top, const char *top_name,
                       const struct import_settings *settings)
{
    *system = (struct file_system){.context = top->context, .top = top, .top_name = top_name, .settings = settings};
    system->io = (struct aiFileIO){file_open, file_close, (void *)system};
}

/* Closes the files that a reader which threw has left open. */
void file_system_end(struct file_system *system)
{
    while (system->files)
        file_close(&system->io, &system->files->file);
}

#endif
