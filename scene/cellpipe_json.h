/* Declares how the library reads JSON, for itself and for what reads messages: live/. It is not installed, and promises
 * nothing to anybody else. */
#ifndef CELLPIPE_JSON_H
#define CELLPIPE_JSON_H

#include "cellpipe_tool.h"

/* The library shows no names but those that begin with cp_. */
#define json_parse cp_json_parse
#define json_free cp_json_free
#define json_type_of cp_json_type_of
#define json_is cp_json_is
#define json_member cp_json_member
#define json_first cp_json_first
#define json_next cp_json_next
#define json_count cp_json_count_items
#define json_to_number cp_json_to_number
#define json_take_numbers cp_json_take_numbers
#define json_string_text cp_json_string_text
#define json_string_equals cp_json_string_equals

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
CP_API cp_status json_parse(struct json_document *json, const char *file, uint64_t nesting,
                            const struct json_codes *codes);
CP_API void json_free(struct json_document *json);

CP_API enum json_type json_type_of(const struct json_document *json, uint32_t value);
/* Tells whether the value has this type; JSON_NONE has no type. */
CP_API bool json_is(const struct json_document *json, uint32_t value, enum json_type type);
/* Returns the value of a member, or JSON_NONE: also when `object` is none. */
CP_API uint32_t json_member(const struct json_document *json, uint32_t object, const char *key);
/* Return the first item or key, and the next after `value` of the same container; JSON_NONE past the last. */
CP_API uint32_t json_first(const struct json_document *json, uint32_t container);
CP_API uint32_t json_next(const struct json_document *json, uint32_t container, uint32_t value);
/* Returns the number of items of an array or members of an object; 0 for anything else. */
CP_API uint32_t json_count(const struct json_document *json, uint32_t container);

/* Returns the number; 0 if the value is none. */
CP_API double json_to_number(const struct json_document *json, uint32_t value);
/* Reads an array of exactly `count` finite numbers, such as the rows of a pose. False if it is none. */
CP_API bool json_take_numbers(const struct json_document *json, uint32_t array, double *numbers, uint32_t count);
/* Returns a NUL-ended copy with escapes resolved; U+0000 and lone surrogates become U+FFFD (but see keeps_bytes). NULL
 * when out of memory. */
CP_API char *json_string_text(const struct json_document *json, struct arena *arena, uint32_t value);
CP_API bool json_string_equals(const struct json_document *json, uint32_t value, const char *text);

#endif
