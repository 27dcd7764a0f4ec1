/* JSON in and out. */
#ifndef CELLPIPE_BASE_TEXT_JSON_H
#define CELLPIPE_BASE_TEXT_JSON_H

#include "base/base.h"
#include "cellpipe_tool.h"

/* JSON (RFC 8259) as a flat table of values over the text it came from: no recursion, no allocation a value, numbers
 * and strings read where they stand. Text that the scene keeps as it is (extras of other tools) stays what it was,
 * digit for digit. */

enum json_type { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

#define JSON_NONE UINT32_MAX

/* Two words, since a file may hold very many: where a value ends is found in the text. */
struct json_value {
    uint32_t start; /* in the text: its quote, bracket or first character */
    uint32_t after; /* the index of the value after it and all inside it, times 8, and the type */
};

/* Values in the order of the text; 0 is the root. A member of an object is its key, then its value. */
struct json_document {
    cp_context *context;
    const char *text;
    uint32_t size;
    struct json_value *values;
    uint32_t count, room;
    bool keeps_bytes; /* a lone \udc80 .. \udcff in a string is the byte 80 .. ff: paths that are not UTF-8 */
};

/* The codes of the errors, which begin with the caller's name: no JSON (CP_INPUT, with line and column), nested too
 * deep, too many values (both CP_LIMIT). */
struct json_codes {
    const char *syntax, *nesting, *values;
};
#define JSON_CODES(name)                                                                                               \
    {                                                                                                                  \
        name "-json", name "-nesting", name "-values"                                                                  \
    }

/* Parses the whole text, which must stay. Without codes nobody hears of errors, and all are CP_INPUT. */
cp_status json_parse(struct json_document *json, const char *file, uint64_t nesting, const struct json_codes *codes);
void json_free(struct json_document *json);

enum json_type json_type_of(const struct json_document *json, uint32_t value);
/* False for JSON_NONE. */
bool json_is(const struct json_document *json, uint32_t value, enum json_type type);
/* Where its bytes end in the text, quotes and brackets included; its cost is their number. */
uint32_t json_end(const struct json_document *json, uint32_t value);
/* The value of a member, or JSON_NONE: also when `object` is none. */
uint32_t json_member(const struct json_document *json, uint32_t object, const char *key);
/* The first item or key, and the next after `value` of the same container; JSON_NONE past the last. */
uint32_t json_first(const struct json_document *json, uint32_t container);
uint32_t json_next(const struct json_document *json, uint32_t container, uint32_t value);
/* Items of an array, members of an object; 0 for anything else. */
uint32_t json_count(const struct json_document *json, uint32_t container);

/* 0 for what is no number. */
double json_to_number(const struct json_document *json, uint32_t value);
/* A NUL-ended copy with escapes resolved; U+0000 and lone surrogates become U+FFFD (but see keeps_bytes). NULL when out
 * of memory. */
char *json_string_text(const struct json_document *json, struct arena *arena, uint32_t value);
bool json_string_equals(const struct json_document *json, uint32_t value, const char *text);
/* Appends the value's text without the blanks between its tokens. */
void json_compact(const struct json_document *json, uint32_t value, struct buffer *buffer);
/* Appends the path of a value, e.g. /meshes/0/primitives/1 (RFC 6901): for messages, since its cost is the number of
 * siblings. */
void json_pointer(const struct json_document *json, uint32_t value, struct buffer *buffer);

/* JSON out: what the library writes by the writer of cellpipe_tool.h. Readers take a number without fraction or
 * exponent as an integer, and lose the sign of zero or the whole number: these functions write it with a fraction.
 * Failure is sticky in the buffer. */

/* Of the text so far. */
uint64_t json_size(const struct json_writer *json);

/* '{' or '[', and its end. */
void json_open(struct json_writer *json, char bracket);
void json_close(struct json_writer *json, char bracket);
/* The next value of an array begins a line, for people who look at the file. The text so far is passed on once it is
 * long. */
void json_line(struct json_writer *json);
/* The keys are ours: nothing in them needs an escape. */
void json_key(struct json_writer *json, const char *key);
/* A member that is an object or an array. */
void json_key_open(struct json_writer *json, const char *key, char bracket);

void json_text(struct json_writer *json, const char *value);
/* One string made of two. */
void json_text_of_two(struct json_writer *json, const char *first, const char *second);
/* Not finite: null. */
void json_number(struct json_writer *json, double value);
void json_float(struct json_writer *json, float value);
void json_whole(struct json_writer *json, uint64_t value);
void json_word(struct json_writer *json, const char *word); /* true, false, null */
void json_numbers(struct json_writer *json, const double *values, size_t count);

void json_key_text(struct json_writer *json, const char *key, const char *value);
void json_key_number(struct json_writer *json, const char *key, double value);
void json_key_integer(struct json_writer *json, const char *key, uint64_t value);
void json_key_true(struct json_writer *json, const char *key);
void json_key_numbers(struct json_writer *json, const char *key, const double *values, size_t count);

/* The members of an object that is given as text, which must be one and have some. */
void json_members(struct json_writer *json, const char *object);

/* "extras": {"cellpipe": { ... }}, with the members of another object before, which is given as text (NULL: none).
 * Where our extras are left out, there are the other members alone. */
void json_extras_open_with(struct json_writer *json, const char *members);
void json_extras_open(struct json_writer *json);
void json_extras_close(struct json_writer *json);

#endif
