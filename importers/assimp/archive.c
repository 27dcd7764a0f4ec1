/* ZIP archives (APPNOTE 6.3.3: end record, central directory, local headers), as ZAE and IFCZIP files are: what is in
 * them, and whether it is whole. assimp ends the process where a file's checksum is wrong. So what its unzip code would
 * refuse is refused here; encrypted files and those of other methods are left to it. */
#include "assimp.h"

#ifdef HAVE_ASSIMP

#include <string.h>

enum { END_RECORD = 22, DIRECTORY_RECORD = 46, LOCAL_HEADER = 30, STORED = 0, DEFLATED = 8 };

struct archive_file {
    const char *name;
    size_t name_size;
    struct packed packed;
    bool whole; /* its bytes are there, and its two headers agree */
    bool readable;
};

static uint32_t number_at(const char *bytes, int size)
{
    uint32_t number = 0;
    while (size-- > 0)
        number = number << 8 | (unsigned char)bytes[size];
    return number;
}

/* The last record with that mark among those that end an archive. */
static const char *find_end_record(const struct source *source, const char *mark)
{
    size_t size = source->size, least = size > END_RECORD + 65535 ? size - END_RECORD - 65535 : 0;
    for (size_t at = size < END_RECORD ? 0 : size - END_RECORD + 1; at-- > least;)
        if (memcmp(source->data + at, mark, 4) == 0)
            return source->data + at;
    return NULL;
}

/* The directory's records one after the other. */
struct walk {
    const struct source *source;
    const char *at, *end;
    size_t before; /* bytes before the archive */
    uint32_t left; /* records */
};

/* The directory ends where the end record begins. Archives of 64 bits (PK67) have another one. */
static struct walk start_walk(const struct source *source)
{
    const char *end = find_end_record(source, "PK\5\6");
    size_t size = end ? number_at(end + 12, 4) : 0, offset = end ? number_at(end + 16, 4) : 0;
    size_t room = end ? (size_t)(end - source->data) : 0;
    if (!end || size > room || offset > room - size || find_end_record(source, "PK\6\7"))
        return (struct walk){.source = source, .left = UINT32_MAX};
    return (struct walk){source, end - size, end, room - size - offset, number_at(end + 10, 2)};
}

static bool is_archive(const struct source *source)
{
    struct walk walk = start_walk(source);
    return (source->size >= 4 && memcmp(source->data, "PK\3\4", 4) == 0) ||
           (walk.at && walk.end - walk.at >= DIRECTORY_RECORD && memcmp(walk.at, "PK\1\2", 4) == 0);
}

/* Where the file's bytes are; false when that is outside the archive, or when the header before the bytes does not say
 * the same: checksum and sizes, too, unless they come after the bytes or are too large. */
static bool find_bytes(const struct walk *walk, const char *record, struct packed *packed)
{
    enum { SIZES_FOLLOW = 8 };
    const struct source *source = walk->source;
    size_t offset = walk->before + number_at(record + 42, 4);
    if (source->size < LOCAL_HEADER || offset > source->size - LOCAL_HEADER)
        return false;
    const char *local = source->data + offset;
    size_t left = source->size - offset;
    size_t head = LOCAL_HEADER + (size_t)number_at(local + 26, 2) + number_at(local + 28, 2);
    packed->size = number_at(record + 20, 4);
    if (head > left || packed->size > left - head)
        return false;
    packed->data = local + head;
    bool agree =
        !memcmp(local, "PK\3\4", 4) && !memcmp(local + 8, record + 10, 2) && !memcmp(local + 26, record + 28, 2);
    for (int i = 0; i < 3 && !(number_at(local + 6, 2) & SIZES_FOLLOW); i++) {
        uint32_t number = number_at(local + 14 + 4 * i, 4);
        agree = agree && (number == number_at(record + 16 + 4 * i, 4) || (i > 0 && number == UINT32_MAX));
    }
    return agree;
}

/* False after the last one, with walk->left at 0, and at a damaged one. */
static bool next_file(struct walk *walk, struct archive_file *file)
{
    const char *record = walk->at;
    if (!record || walk->left == 0 || walk->end - record < DIRECTORY_RECORD || memcmp(record, "PK\1\2", 4) != 0)
        return false;
    size_t name = number_at(record + 28, 2);
    size_t size = DIRECTORY_RECORD + name + number_at(record + 30, 2) + number_at(record + 32, 2);
    if (size > (size_t)(walk->end - record))
        return false;
    walk->at = record + size;
    walk->left--;
    unsigned method = number_at(record + 10, 2);
    bool encrypted = number_at(record + 8, 2) & 1;
    *file = (struct archive_file){.name = record + DIRECTORY_RECORD, .name_size = name};
    file->packed.checksum = number_at(record + 16, 4);
    file->packed.full_size = number_at(record + 24, 4);
    file->packed.deflated = method == DEFLATED;
    file->whole = find_bytes(walk, record, &file->packed) && !memchr(file->name, '\0', name);
    file->readable = file->whole && !encrypted && (method == STORED || method == DEFLATED);
    return true;
}

static bool has_end(const struct archive_file *file, const char *end)
{
    size_t size = strlen(end);
    return file->name_size >= size && !memcmp(file->name + file->name_size - size, end, size);
}

const char *find_attribute(const char *at, const char *end, const char *name, size_t *size)
{
    size_t length = strlen(name);
    for (; at < end && *at != '>'; at++) {
        if (!is_blank(*at) || (size_t)(end - at) < length + 2 || memcmp(at + 1, name, length) != 0)
            continue;
        const char *value = at + 1 + length;
        while (value < end && (is_blank(*value) || *value == '='))
            value++;
        const char *close = value < end ? memchr(value + 1, *value, (size_t)(end - value) - 1) : NULL;
        if (!close || (*value != '"' && *value != '\''))
            return NULL;
        *size = (size_t)(close - value) - 1;
        return value + 1;
    }
    return NULL;
}

static cp_status refuse(const struct source *source, const char *why)
{
    return report_error(source->context, CP_INPUT, "assimp-archive", IN_FILE(source->name), "%s", why);
}

cp_status check_archive(const struct source *source)
{
    if (!is_archive(source))
        return CP_OK;
    struct walk walk = start_walk(source);
    struct archive_file file;
    size_t left = source->size;
    while (next_file(&walk, &file)) {
        if (file.packed.size > left) /* else a small archive could ask for endless work */
            return refuse(source, "files in the archive overlap");
        left -= file.packed.size;
        bool whole = file.whole;
        cp_status status = file.readable ? unpack_check(source, &file.packed, &whole) : CP_OK;
        if (status != CP_OK)
            return status;
        if (!whole)
            return report_error(source->context, CP_INPUT, "assimp-archive", IN_FILE(source->name),
                                "the file \"%.*s\" in the archive is damaged",
                                (int)(file.name_size < 100 ? file.name_size : 100), file.name);
        if (has_end(&file, "3dmodel.model"))
            return refuse(source, "3MF is not read through assimp; the importer 3mf reads it");
        if (has_end(&file, ".amf"))
            return refuse(source, "AMF in an archive is not read: unpack it before");
    }
    return walk.left == 0 ? CP_OK : refuse(source, "the archive's directory is damaged");
}

#endif
