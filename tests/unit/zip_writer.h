/* Writes ZIP archives, byte by byte. */
#ifndef CELLPIPE_TESTS_ZIP_WRITER_H
#define CELLPIPE_TESTS_ZIP_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes {
    unsigned char data[1 << 16];
    size_t size;
};

static inline void put_number(struct bytes *bytes, uint32_t number, int size)
{
    for (int i = 0; i < size; i++)
        bytes->data[bytes->size++] = (unsigned char)(number >> 8 * i);
}

static inline void put_text(struct bytes *bytes, const char *text, size_t size)
{
    memcpy(bytes->data + bytes->size, text, size);
    bytes->size += size;
}

static inline uint32_t crc_of(const char *text, size_t size)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < size; i++) {
        crc ^= (unsigned char)text[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

/* One file of a ZIP archive, stored, or "deflated" as one stored block; its directory record goes to the other
 * bytes. */
static inline void put_zipped(struct bytes *zip, struct bytes *directory, const char *name, const char *text,
                              bool deflate)
{
    size_t size = strlen(text), name_size = strlen(name), packed = size + (deflate ? 5 : 0), offset = zip->size;
    struct bytes *const both[] = {zip, directory};
    put_text(zip, "PK\3\4", 4);
    put_text(directory, "PK\1\2\24", 6);
    for (int i = 0; i < 2; i++) {
        put_number(both[i], 20, 4);
        put_number(both[i], deflate ? 8 : 0, 2);
        put_number(both[i], 0x00210000, 4); /* the first of January 1980 */
        put_number(both[i], crc_of(text, size), 4);
        put_number(both[i], (uint32_t)packed, 4);
        put_number(both[i], (uint32_t)size, 4);
        put_number(both[i], (uint32_t)name_size, 4);
    }
    put_text(directory, "\0\0\0\0\0\0\0\0\0", 10);
    put_number(directory, (uint32_t)offset, 4);
    put_text(zip, name, name_size);
    put_text(directory, name, name_size);
    if (deflate) {
        put_number(zip, 1, 1);
        put_number(zip, (uint32_t)size, 2);
        put_number(zip, ~(uint32_t)size, 2);
    }
    put_text(zip, text, size);
}

/* Appends the directory, of so many files, and the end record. */
static inline void end_zip(struct bytes *zip, const struct bytes *directory, unsigned files)
{
    size_t offset = zip->size;
    put_text(zip, (const char *)directory->data, directory->size);
    put_text(zip, "PK\5\6\0\0\0", 8);
    put_number(zip, files << 16 | files, 4);
    put_number(zip, (uint32_t)directory->size, 4);
    put_number(zip, (uint32_t)offset, 4);
    put_number(zip, 0, 2);
}

#endif
