/* Reads the directory of a ZIP archive, and finds the bytes of its files. */
#include "archive.h"

#include <string.h>

enum { END_RECORD = 22, DIRECTORY_RECORD = 46, LOCAL_HEADER = 30, STORED = 0, DEFLATED = 8 };

static uint32_t number_at(const char *bytes, int size)
{
    uint32_t number = 0;
    while (size-- > 0)
        number = number << 8 | (unsigned char)bytes[size];
    return number;
}

/* Finds the last record with that mark among those that end an archive. */
static const char *find_end_record(const struct source *source, const char *mark)
{
    size_t size = source->size, least = size > END_RECORD + 65535 ? size - END_RECORD - 65535 : 0;
    for (size_t at = size < END_RECORD ? 0 : size - END_RECORD + 1; at-- > least;)
        if (memcmp(source->data + at, mark, 4) == 0)
            return source->data + at;
    return NULL;
}

/* The directory ends where the end record begins. Archives of 64 bits (PK67) have another one. */
struct archive_walk archive_walk(const struct source *source)
{
    const char *end = find_end_record(source, "PK\5\6");
    size_t size = end ? number_at(end + 12, 4) : 0, offset = end ? number_at(end + 16, 4) : 0;
    size_t room = end ? (size_t)(end - source->data) : 0;
    if (!end || size > room || offset > room - size || find_end_record(source, "PK\6\7"))
        return (struct archive_walk){.source = source, .left = UINT32_MAX};
    return (struct archive_walk){source, end - size, end, room - size - offset, number_at(end + 10, 2)};
}

bool is_archive(const struct source *source)
{
    struct archive_walk walk = archive_walk(source);
    return (source->size >= 4 && memcmp(source->data, "PK\3\4", 4) == 0) ||
           (walk.at && walk.end - walk.at >= DIRECTORY_RECORD && memcmp(walk.at, "PK\1\2", 4) == 0);
}

/* Finds the file's bytes. False when they are outside the archive, or when the header before them differs from the
 * directory, also in checksum and sizes, unless these come after the bytes or are too large. */
static bool find_bytes(const struct archive_walk *walk, const char *record, struct packed *packed)
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

bool archive_next(struct archive_walk *walk, struct archive_file *file)
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
    *file = (struct archive_file){.name = record + DIRECTORY_RECORD, .name_size = name};
    file->encrypted = number_at(record + 8, 2) & 1;
    file->packed.checksum = number_at(record + 16, 4);
    file->packed.full_size = number_at(record + 24, 4);
    file->packed.deflated = method == DEFLATED;
    file->whole = find_bytes(walk, record, &file->packed) && !memchr(file->name, '\0', name);
    file->readable = file->whole && !file->encrypted && (method == STORED || method == DEFLATED);
    return true;
}
