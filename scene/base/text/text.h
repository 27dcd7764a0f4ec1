/* Numbers and characters, whatever the locale. */
#ifndef CELLPIPE_BASE_TEXT_TEXT_H
#define CELLPIPE_BASE_TEXT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/base.h"

/* Numbers and characters, free of any locale. */

/* Reads a decimal number [+-]digits[.digits][(e|E)[+-]digits] at the start of [text, end): correctly rounded to nearest
 * even. Returns its end, or NULL when no number starts there. Overflow gives infinity. No hex, inf or nan. */
const char *parse_double(const char *text, const char *end, double *value);
const char *parse_float(const char *text, const char *end, float *value);
/* Does the same, and reads "inf", "infinity", "nan" in any case. */
const char *parse_float_or_word(const char *text, const char *end, float *value);
/* Tells whether the whole string is one finite number (white space around it is allowed). */
bool text_is_number(const char *text, double *value);

enum { NUMBER_SIZE = CP_NUMBER_SIZE };
enum { LONGEST_FLOAT = 18 }; /* characters of a float's text: a sign and 17 digits */
/* Writes the shortest decimal that reads back to the same bits, NUL-ended; "-0" keeps its sign, "inf", "-inf",
 * "nan" are words. Returns its length. */
size_t print_double(double value, char out[NUMBER_SIZE]);
size_t print_float(float value, char out[NUMBER_SIZE]);
/* Prints a measured bound for messages: four digits, rounded away from 0, so that the printed number is still a
 * bound. */
size_t print_bound(double value, char out[NUMBER_SIZE]);
/* Tells whether the whole string is 1 to 16 hexadecimal digits. */
bool text_is_hash(const char *text, uint64_t *hash);
/* A number of nine digits for a message, in any locale. */
struct shown_number {
    char text[NUMBER_SIZE];
};
struct shown_number show_number(double value);
struct shown_number show_three_digits(double value);

/* Appends UTF-16 text, known by its byte order mark, as UTF-8. False when it is none: it has no mark, or control
 * characters that are no white space, as binary files and the zeros of a power loss are. The buffer is then useless,
 * and so it is when it has failed. */
bool utf16_decode(const char *text, size_t size, struct buffer *utf8);
/* Tells whether all of size bytes (at least 1) are 0. */
static inline bool bytes_are_zero(const char *bytes, size_t size)
{
    return *bytes == 0 && memcmp(bytes, bytes + 1, size - 1) == 0;
}

static inline bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

/* Tells whether it is white space of JSON and XML. */
static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t' || is_line_end(c);
}

/* Tells whether the character is white space of C. */
static inline bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Makes slashes of backslashes, as paths of Windows have them. text may be NULL. */
static inline void text_turn_slashes(char *text)
{
    for (char *at = text; at && (at = strchr(at, '\\'));)
        *at = '/';
}

/* Returns the text behind UTF-8's byte order mark, if it begins with one; else the text. */
static inline const char *text_after_mark(const char *text, size_t size)
{
    return size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? text + 3 : text;
}

/* Returns true if size bytes are well-formed UTF-8 without NUL. */
bool utf8_valid(const char *bytes, size_t size);
/* Returns a NUL-ended UTF-8 copy of the bytes: as they are when valid, else read as Latin-1 (NUL becomes U+FFFD) with
 * *raw a copy of the bytes as they were (else NULL). raw may be NULL. NULL when out of memory. */
const char *utf8_from(struct arena *arena, const char *bytes, size_t size, const char **raw);
/* These two compare without regard to the case of ASCII letters. */
bool text_equal_nocase(const char *a, const char *b);
/* Tells whether the word is in the bytes. Its letters are lower case; those of the bytes may be in any case. */
bool bytes_have_word(const char *bytes, size_t size, const char *word);
/* Returns a path's last part, behind its folders. */
const char *text_file_name(const char *path);
/* Returns that part without its suffix, and without .gz: "parts/link.1.stl.gz" gives "link.1" (size bytes of path). */
const char *text_stem(const char *path, size_t *size);
/* Returns the entry of NULL-ended words nearest to word by edit distance, and then by its beginning; NULL when none is
 * near. */
const char *nearest_word(const char *word, const char *const *words);

/* Numbers with units, as users write them. */

struct unit {
    const char *name;
    double size; /* in the unit that values are kept in */
};
/* Each ends with a unit without a name. */
extern const struct unit length_units[], size_units[], time_units[], percent_units[], angle_units[];

/* A number, perhaps with one of the units behind it; a bare number is in `bare`. False when it is neither. */
bool read_measure(const char *text, const struct unit *units, double bare, double *result);
/* Reads "20mm" in metres, or "90deg" in radians; a bare number is in metres, or in `bare` radians. Returns false for
 * all else. */
bool read_length(const char *text, double *metres);
bool read_angle(const char *text, double bare, double *radians);

/* Takes the first entry of a list "A, B,C" without the blanks around it; *rest is what follows its comma, or the end.
 * Returns false if the entry is longer than any number. */
enum { ENTRY_SIZE = 400 }; /* the longest double in full takes some 330 characters */
bool cut_entry(const char *text, char entry[ENTRY_SIZE], const char **rest);

/* Calls `take` with each item of a list that has commas between its items, in a copy that it may change, until it
 * fails. CP_LIMIT without memory. */
cp_status each_item(cp_context *context, const char *list, cp_status (*take)(void *user, char *item), void *user);

/* Base64 (RFC 4648): bytes as 64 printable characters. */

/* Returns how many characters base64_encode makes of so many bytes, of which there are fewer than UINT64_MAX / 2. */
static inline uint64_t base64_length(uint64_t size)
{
    return (size + 2) / 3 * 4;
}

/* Writes the bytes as base64_length(size) characters, padded by '=', without a NUL; returns how many. Pieces of a
 * multiple of 3 bytes give the same characters as the whole. */
size_t base64_encode(const void *bytes, size_t size, char *out);
/* Reads length characters into out, of at most length / 4 * 3 + 2 bytes, which may be `text` itself. Both alphabets are
 * read, '+' '/' and the URL-safe '-' '_'; padding may be missing. False if it meets anything else, or one character is
 * left over. */
bool base64_decode(const char *text, size_t length, void *out, size_t *size);

#endif
