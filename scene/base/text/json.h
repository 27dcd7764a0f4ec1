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

/* A value. It has two words only, since a file may hold very many: the end of a value is found in the text. */
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

/* Parses the whole text, which must stay. Without codes, errors are not reported, and all are CP_INPUT. */
cp_status json_parse(struct json_document *json, const char *file, uint64_t nesting, const struct json_codes *codes);
void json_free(struct json_document *json);

enum json_type json_type_of(const struct json_document *json, uint32_t value);
/* Tells whether the value has this type; JSON_NONE has no type. */
bool json_is(const struct json_document *json, uint32_t value, enum json_type type);
/* Returns the end of its bytes in the text, quotes and brackets included, in a time that grows with their number. */
uint32_t json_end(const struct json_document *json, uint32_t value);
/* Returns the value of a member, or JSON_NONE: also when `object` is none. */
uint32_t json_member(const struct json_document *json, uint32_t object, const char *key);
/* Return the first item or key, and the next after `value` of the same container; JSON_NONE past the last. */
uint32_t json_first(const struct json_document *json, uint32_t container);
uint32_t json_next(const struct json_document *json, uint32_t container, uint32_t value);
/* Returns the number of items of an array or members of an object; 0 for anything else. */
uint32_t json_count(const struct json_document *json, uint32_t container);

/* Returns the number; 0 if the value is none. */
double json_to_number(const struct json_document *json, uint32_t value);
/* Returns a NUL-ended copy with escapes resolved; U+0000 and lone surrogates become U+FFFD (but see keeps_bytes). NULL
 * when out of memory. */
char *json_string_text(const struct json_document *json, struct arena *arena, uint32_t value);
bool json_string_equals(const struct json_document *json, uint32_t value, const char *text);
/* Appends the value's text without the white space between its tokens. */
void json_compact(const struct json_document *json, uint32_t value, struct buffer *buffer);
/* Appends the path of a value, e.g. /meshes/0/primitives/1 (RFC 6901). Use it for messages only, since its time grows
 * with the number of siblings. */
void json_pointer(const struct json_document *json, uint32_t value, struct buffer *buffer);

/* JSON out: what the library writes by the writer of cellpipe_tool.h. Readers take a number without fraction or
 * exponent as an integer, and lose the sign of zero or the whole number: these functions write it with a fraction.
 * Failure is sticky in the buffer. */

/* Returns the size of the text so far. */
uint64_t json_size(const struct json_writer *json);

/* Writes '{' or '[', and its end. */
#define json_open(json, bracket) cp_json_open(json, NULL, bracket)
#define json_close(json, bracket) cp_json_close(json, bracket)
/* Begins a line for the next value of an array, for people who read the file. A long text is passed on to the sink. */
void json_line(struct json_writer *json);
/* Writes a key of ours, in which nothing needs an escape. */
void json_key(struct json_writer *json, const char *key);
/* Begins a member that is an object or an array. */
#define json_key_open(json, key, bracket) cp_json_open(json, key, bracket)
/* Begin an object, or a member that is an array, on a line of its own. */
void json_open_item(struct json_writer *json);
void json_open_list(struct json_writer *json, const char *key);

#define json_text(json, value) cp_json_text(json, NULL, value)
/* Writes one string made of two. */
void json_text_of_two(struct json_writer *json, const char *first, const char *second);
/* Writes a number; one that is not finite becomes null. */
void json_number(struct json_writer *json, double value);
void json_float(struct json_writer *json, float value);
#define json_whole(json, value) cp_json_count(json, NULL, value)
#define json_word(json, word) cp_json_word(json, NULL, word) /* true, false, null */
void json_numbers(struct json_writer *json, const double *values, size_t count);

#define json_key_text(json, key, value) cp_json_text(json, key, value)
void json_key_number(struct json_writer *json, const char *key, double value);
#define json_key_integer(json, key, value) cp_json_count(json, key, value)
#define json_key_true(json, key) cp_json_word(json, key, "true")
void json_key_numbers(struct json_writer *json, const char *key, const double *values, size_t count);

/* Writes the members of an object that is given as text, which must be one and have some. */
void json_members(struct json_writer *json, const char *object);

/* Opens "extras": {"cellpipe": { ... }}, after the members of another object, which is given as text (NULL: none). If
 * our extras are left out, only the other members are written. */
void json_extras_open_with(struct json_writer *json, const char *members);
#define json_extras_open(json) json_extras_open_with(json, NULL)
void json_extras_close(struct json_writer *json);

#endif
