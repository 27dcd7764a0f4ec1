/* JSON out (RFC 8259). */
#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes/bytes.h"
#include "digits.h"
#include "text.h"

static void put(struct json_writer *json, const char *bytes, size_t size)
{
    if (json->out)
        buffer_append(json->out, bytes, size);
    else
        json->put(json->user, bytes, size);
}

size_t cp_print_json_character(const char **text, char out[CP_JSON_CHARACTER_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    const char *at = *text;
    unsigned char byte = (unsigned char)*at;
    size_t length = utf8_length(at, CP_JSON_CHARACTER_SIZE); /* a NUL ends it, too */
    if (byte == 0)
        return 0;
    *text += length > 0 ? length : 1;
    if (byte == '"' || byte == '\\') {
        out[0] = '\\';
        out[1] = *at;
        return 2;
    }
    if (length == 0 || byte < 0x20 || byte == 0x7f) {
        memcpy(out, "\\u00", 4);
        out[4] = digits[byte >> 4];
        out[5] = digits[byte & 15];
        return 6;
    }
    memcpy(out, at, length);
    return length;
}

/* Writes the text within its quotes. Names are UTF-8, but a path on disk may be any bytes. */
static void put_escaped(struct json_writer *json, const char *text)
{
    char character[CP_JSON_CHARACTER_SIZE];
    for (;;) {
        size_t size = 0; /* of the characters of ASCII that need no escape */
        while (text[size] >= 0x20 && text[size] < 0x7f && text[size] != '"' && text[size] != '\\')
            size++;
        put(json, text, size);
        text += size;
        if (*text == '\0')
            return;
        bool is_byte = json->keeps_bytes && (unsigned char)*text >= 0x80 && utf8_length(text, sizeof character) == 0;
        size = cp_print_json_character(&text, character);
        if (is_byte)
            memcpy(character, "\\udc", 4);
        put(json, character, size);
    }
}

void cp_json_line(struct json_writer *json, int blanks)
{
    put(json, ",", json->comma);
    put(json, "\n                ", (size_t)blanks + 1);
    json->comma = false;
}

/* Writes what stands before a value: a comma, the end of a line, its key. */
static void begin_value(struct json_writer *json, const char *key)
{
    if (json->depth > 0 && json->depth <= json->lines)
        cp_json_line(json, json->depth);
    else if (json->comma)
        put(json, ", ", json->spaced ? 2 : 1);
    if (key) {
        put(json, "\"", 1);
        put_escaped(json, key);
        put(json, "\": ", json->spaced ? 3 : 2);
    }
    json->comma = true;
}

void cp_json_open(struct json_writer *json, const char *key, char bracket)
{
    begin_value(json, key);
    put(json, &bracket, 1);
    json->depth++;
    json->comma = false;
}

void cp_json_close(struct json_writer *json, char bracket)
{
    bool is_empty = !json->comma;
    json->depth--;
    json->comma = false;
    if (!is_empty && json->depth < json->lines)
        cp_json_line(json, json->depth);
    put(json, &bracket, 1);
    json->comma = true;
}

void cp_json_word(struct json_writer *json, const char *key, const char *word)
{
    begin_value(json, key);
    put(json, word, strlen(word));
}

void cp_json_text(struct json_writer *json, const char *key, const char *value)
{
    if (!value) {
        cp_json_word(json, key, "null");
        return;
    }
    begin_value(json, key);
    put(json, "\"", 1);
    put_escaped(json, value);
    put(json, "\"", 1);
}

void cp_json_number(struct json_writer *json, const char *key, double value)
{
    char digits[NUMBER_SIZE];
    begin_value(json, key);
    if (isfinite(value))
        put(json, digits, print_double(value, digits));
    else
        put(json, "null", 4);
}

void cp_json_numbers(struct json_writer *json, const char *key, const double *values, size_t count)
{
    cp_json_open(json, key, '[');
    for (size_t i = 0; i < count; i++)
        cp_json_number(json, NULL, values[i]);
    cp_json_close(json, ']');
}

void cp_json_count(struct json_writer *json, const char *key, uint64_t value)
{
    char digits[NUMBER_SIZE];
    begin_value(json, key);
    if (value <= UINT32_MAX)
        put(json, digits, (size_t)(put_whole(digits, (uint32_t)value) - digits));
    else
        put(json, digits, (size_t)snprintf(digits, sizeof digits, "%" PRIu64, value));
}

void cp_json_count_or_null(struct json_writer *json, const char *key, uint64_t value)
{
    if (value)
        cp_json_count(json, key, value);
    else
        cp_json_word(json, key, "null");
}

void cp_json_boolean(struct json_writer *json, const char *key, bool value)
{
    cp_json_word(json, key, value ? "true" : "false");
}

/* ---- the library's own ---- */

void json_text_of_two(struct json_writer *json, const char *first, const char *second)
{
    begin_value(json, NULL);
    put(json, "\"", 1);
    put_escaped(json, first);
    put_escaped(json, second);
    put(json, "\"", 1);
}

uint64_t json_size(const struct json_writer *json)
{
    return json->passed + json->out->size;
}

void json_line(struct json_writer *json)
{
    enum { LONG_TEXT = 4 << 20 };
    if (json->out->size >= LONG_TEXT) {
        if (json->sink)
            sink_write(json->sink, json->out->data, json->out->size);
        json->passed += json->out->size;
        json->out->size = 0;
    }
    if (!json->dense)
        cp_json_line(json, 0);
}

void json_open_item(struct json_writer *json)
{
    json_line(json);
    json_open(json, '{');
}

void json_open_list(struct json_writer *json, const char *key)
{
    json_line(json);
    json_key_open(json, key, '[');
}

void json_key(struct json_writer *json, const char *key)
{
    begin_value(json, key);
    json->comma = false;
}

static void put_number(struct json_writer *json, char *digits, size_t size, bool keep_real)
{
    begin_value(json, NULL);
    put(json, digits, size);
    if (keep_real && !memchr(digits, '.', size) && !memchr(digits, 'e', size))
        put(json, ".0", 2);
}

void json_number(struct json_writer *json, double value)
{
    char digits[NUMBER_SIZE];
    if (!isfinite(value)) {
        json_word(json, "null");
        return;
    }
    put_number(json, digits, print_double(value, digits), fabs(value) >= 1e15 || (value == 0 && signbit(value)));
}

void json_float(struct json_writer *json, float value)
{
    char digits[NUMBER_SIZE];
    put_number(json, digits, print_float(value, digits), fabsf(value) >= 1e15f || (value == 0 && signbit(value)));
}

void json_numbers(struct json_writer *json, const double *values, size_t count)
{
    json_open(json, '[');
    for (size_t i = 0; i < count; i++)
        json_number(json, values[i]);
    json_close(json, ']');
}

void json_key_number(struct json_writer *json, const char *key, double value)
{
    json_key(json, key);
    json_number(json, value);
}

void json_key_numbers(struct json_writer *json, const char *key, const double *values, size_t count)
{
    json_key(json, key);
    json_numbers(json, values, count);
}

void json_members(struct json_writer *json, const char *object)
{
    const char *begin = strchr(object, '{') + 1, *end = strrchr(object, '}');
    begin_value(json, NULL);
    put(json, begin, (size_t)(end - begin));
}

void json_extras_open_with(struct json_writer *json, const char *members)
{
    if (!json->aside || members)
        json_key_open(json, "extras", '{');
    if (members)
        json_members(json, members);
    if (!json->aside) {
        json_key_open(json, "cellpipe", '{');
        return;
    }
    if (members)
        json_close(json, '}');
    json->kept = (struct json_place){json->out, json->sink, json->passed, json->comma};
    json->out = json->aside;
    json->sink = NULL;
}

void json_extras_close(struct json_writer *json)
{
    if (!json->aside) {
        json_close(json, '}');
        json_close(json, '}');
        return;
    }
    json->out = json->kept.out;
    json->out->failed = json->out->failed || json->aside->failed;
    json->sink = json->kept.sink;
    json->passed = json->kept.passed;
    json->comma = json->kept.comma;
    json->aside->size = 0;
}
