/* JSON (RFC 8259) as a flat table of values over the text it came from: no recursion, no allocation a value, numbers
 * and strings read where they stand. Text that the scene keeps as it is (extras of other tools) stays what it was,
 * digit for digit. */
#ifndef CELLPIPE_JSON_READ_H
#define CELLPIPE_JSON_READ_H

#include "../memory.h"

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

#endif
