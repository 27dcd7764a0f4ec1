/* Protocols of bytes share these: numbers in either byte order, and packages that come in pieces. */
#ifndef CELLPIPE_LIVE_BYTES_H
#define CELLPIPE_LIVE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A whole number of size bytes, at most 8. */
static inline uint64_t bytes_whole(const unsigned char *bytes, size_t size, bool is_big)
{
    uint64_t whole = 0;
    for (size_t i = 0; i < size; i++)
        whole = whole << 8 | bytes[is_big ? i : size - 1 - i];
    return whole;
}

/* Two's complement of 32 bits. */
static inline int32_t bytes_signed(const unsigned char *bytes, bool is_big)
{
    int64_t whole = (int64_t)bytes_whole(bytes, 4, is_big);
    return (int32_t)(whole > INT32_MAX ? whole - ((int64_t)1 << 32) : whole);
}

/* IEEE 754, of 4 or 8 bytes. */
static inline double bytes_real(const unsigned char *bytes, size_t size, bool is_big)
{
    uint64_t whole = bytes_whole(bytes, size, is_big);
    uint32_t half = (uint32_t)whole;
    double real;
    float single;
    memcpy(&single, &half, sizeof single);
    memcpy(&real, &whole, sizeof real);
    return size == 4 ? (double)single : real;
}

/* The package that is under way. */
struct pieces {
    size_t size;
    unsigned char bytes[65540]; /* the longest package: of simple_message, 4 bytes and 65535 */
};

/* Moves bytes from the input until the package has `whole` of them; false if the input ends before. */
static inline bool pieces_fill(struct pieces *pieces, const unsigned char **input, size_t *left, size_t whole)
{
    size_t lacking = whole > pieces->size ? whole - pieces->size : 0, more = lacking < *left ? lacking : *left;
    memcpy(pieces->bytes + pieces->size, *input, more);
    pieces->size += more;
    *input += more;
    *left -= more;
    return more == lacking;
}

#endif
