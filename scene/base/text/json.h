/* JSON in and out: cellpipe_json.h declares the reader, cellpipe_tool.h the writer, and here is what the library alone
 * uses. */
#ifndef CELLPIPE_BASE_TEXT_JSON_H
#define CELLPIPE_BASE_TEXT_JSON_H

#include "base/base.h"
#include "cellpipe_json.h"

/* ---- values ---- */

/* Returns the end of its bytes in the text, quotes and brackets included, in a time that grows with their number. */
uint32_t json_end(const struct json_document *json, uint32_t value);
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
