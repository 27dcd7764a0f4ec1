/* Base64 (RFC 4648): bytes as 64 printable characters. */
#ifndef CELLPIPE_BASE64_H
#define CELLPIPE_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many characters base64_encode makes of so many bytes, of which there are fewer than UINT64_MAX / 2. */
static inline uint64_t base64_length(uint64_t size)
{
    return (size + 2) / 3 * 4;
}

/* Writes the bytes as base64_length(size) characters, padded by '=', without a NUL; returns how many. Pieces of a
 * multiple of 3 bytes give the same characters as the whole. */
size_t base64_encode(const void *bytes, size_t size, char *out);
/* Reads length characters into out, of at most length / 4 * 3 + 2 bytes, which may be `text` itself. Both alphabets are
 * read, '+' '/' and the URL-safe '-' '_'; padding may be missing. False when anything else stands there, or one
 * character is left over. */
bool base64_decode(const char *text, size_t length, void *out, size_t *size);

#endif
