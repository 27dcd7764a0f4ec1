/* ZIP archives (APPNOTE 6.3.3: end record, central directory, local headers), as 3MF files are: what is in them, and
 * whether it is whole. assimp ends the process where a file's checksum is wrong, or where the root of a 3MF package is not
 * there. Encrypted files and those of other methods are left to it. */
#include "assimp.h"

#ifdef HAVE_ASSIMP

#include <string.h>

enum { END_RECORD = 22, DIRECTORY_RECORD = 46, LOCAL_HEADER = 30, STORED = 0, DEFLATED = 8 };

struct archive_file {
    const char *name;
    size_t name_size;
    struct packed packed;
    bool readable;
};

static uint32_t number_at(const char *bytes, int size)
{
    uint32_t number = 0;
    while (size-- > 0)
        number = number << 8 | (unsigned char)bytes[size];
    return number;
}

bool is_archive(const struct source *source)
{
    return source->size >= 4 && memcmp(source->data, "PK\3\4", 4) == 0;
}

static const char *find_end_record(const char *data, size_t size)
{
    size_t least = size > END_RECORD + 65535 ? size - END_RECORD - 65535 : 0;
    for (size_t at = size < END_RECORD ? 0 : size - END_RECORD + 1; at-- > least;)
        if (memcmp(data + at, "PK\5\6", 4) == 0)
            return data + at;
    return NULL;
}

/* The directory's records one after the other. */
struct walk {
    const struct source *source;
    const char *at, *end;
};

static struct walk start_walk(const struct source *source)
{
    const char *end = find_end_record(source->data, source->size);
    size_t offset = end ? number_at(end + 16, 4) : 0;
    if (!end || offset > (size_t)(end - source->data))
        return (struct walk){source, NULL, NULL};
    return (struct walk){source, source->data + offset, end};
}

/* Where the file's bytes are; false when that is outside the archive. */
static bool find_bytes(const struct source *source, const char *record, struct packed *packed)
{
    size_t offset = number_at(record + 42, 4);
    if (source->size < LOCAL_HEADER || offset > source->size - LOCAL_HEADER)
        return false;
    const char *local = source->data + offset;
    size_t left = source->size - offset;
    size_t head = LOCAL_HEADER + (size_t)number_at(local + 26, 2) + number_at(local + 28, 2);
    packed->size = number_at(record + 20, 4);
    if (head > left || packed->size > left - head)
        return false;
    packed->data = local + head;
    return true;
}

/* The next file that is inside the archive. */
static bool next_file(struct walk *walk, struct archive_file *file)
{
    while (walk->end - walk->at >= DIRECTORY_RECORD && !memcmp(walk->at, "PK\1\2", 4)) {
        const char *record = walk->at;
        size_t name = number_at(record + 28, 2);
        size_t size = DIRECTORY_RECORD + name + number_at(record + 30, 2) + number_at(record + 32, 2);
        if (size > (size_t)(walk->end - record))
            return false;
        walk->at = record + size;
        unsigned method = number_at(record + 10, 2);
        bool encrypted = number_at(record + 8, 2) & 1;
        *file = (struct archive_file){.name = record + DIRECTORY_RECORD, .name_size = name};
        file->packed.checksum = number_at(record + 16, 4);
        file->packed.full_size = number_at(record + 24, 4);
        file->packed.deflated = method == DEFLATED;
        file->readable = !encrypted && (method == STORED || method == DEFLATED);
        if (find_bytes(walk->source, record, &file->packed))
            return true;
    }
    return false;
}

static bool has_end(const struct archive_file *file, const char *end)
{
    size_t size = strlen(end);
    return file->name_size >= size && !memcmp(file->name + file->name_size - size, end, size);
}

static bool has_name(const struct archive_file *file, const char *name, size_t size)
{
    return file->name_size == size && !memcmp(file->name, name, size);
}

bool find_model(const struct source *source, struct packed *model)
{
    static const char standard[] = "3D/3dmodel.model";
    struct walk walk = start_walk(source);
    struct archive_file file;
    bool found = false;
    while (next_file(&walk, &file)) {
        bool first = has_name(&file, standard, sizeof standard - 1);
        if (file.readable && (first || (!found && (has_end(&file, ".model") || has_end(&file, ".amf"))))) {
            *model = file.packed;
            found = true;
        }
        if (first)
            break;
    }
    return found;
}

static cp_status check_file(const struct source *source, const struct archive_file *file)
{
    bool whole = true;
    cp_status status = file->readable ? unpack_check(source, &file->packed, &whole) : CP_OK;
    if (status != CP_OK || whole)
        return status;
    return report_error(source->context, CP_INPUT, "assimp-archive", IN_FILE(source->name),
                        "the file \"%.*s\" in the archive is damaged",
                        (int)(file->name_size < 100 ? file->name_size : 100), file->name);
}

static bool has_file(const struct source *source, const char *name, size_t size)
{
    struct walk walk = start_walk(source);
    struct archive_file file;
    while (next_file(&walk, &file))
        if (has_name(&file, name, size))
            return true;
    return false;
}

/* Some Target of the package's relations is a model that is there. */
static bool names_model(const struct source *source, const char *text, const char *end)
{
    static const char word[] = "Target=";
    enum { MOST_TARGETS = 64 };
    for (int i = 0; i < MOST_TARGETS && (size_t)(end - text) > sizeof word; i++) {
        while ((size_t)(end - text) > sizeof word && memcmp(text, word, sizeof word - 1) != 0)
            text++;
        const char *target = text + sizeof word; /* after the quote */
        const char *close = target < end ? memchr(target, target[-1], (size_t)(end - target)) : NULL;
        if (!close)
            return false;
        text = close;
        target += *target == '/';
        if (close > target && has_file(source, target, (size_t)(close - target)))
            return true;
    }
    return false;
}

static cp_status check_relations(const struct source *source, const struct packed *relations)
{
    enum { MOST_BYTES = 1 << 16 };
    char *text = memory_allocate(source->context, MOST_BYTES, 1);
    if (!text)
        return CP_LIMIT;
    size_t size = unpack_start(source, relations, text, MOST_BYTES);
    bool named = names_model(source, text, text + size);
    memory_free(source->context, text, MOST_BYTES, 1);
    return named ? CP_OK
                 : report_error(source->context, CP_INPUT, "assimp-archive", IN_FILE(source->name),
                                "the relations of the package name no file that is in it");
}

cp_status check_archive(const struct source *source)
{
    static const char relations[] = "_rels/.rels";
    if (!is_archive(source))
        return CP_OK;
    struct walk walk = start_walk(source);
    struct archive_file file;
    cp_status status = CP_OK;
    size_t left = source->size;
    bool related = false;
    while (status == CP_OK && next_file(&walk, &file)) {
        if (file.packed.size > left) /* else a small archive could ask for endless work */
            return report_error(source->context, CP_INPUT, "assimp-archive", IN_FILE(source->name),
                                "files in the archive overlap");
        left -= file.packed.size;
        status = check_file(source, &file);
        if (status != CP_OK || related || !file.readable || !has_name(&file, relations, sizeof relations - 1))
            continue;
        related = true;
        status = check_relations(source, &file.packed);
    }
    return status;
}

#endif
