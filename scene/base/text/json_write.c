/* JSON out (RFC 8259). */
#include "json.h"

#include <math.h>
#include <string.h>

#include "base/bytes/bytes.h"
#include "digits.h"
#include "text.h"

static void begin_value(struct json_writer *json)
{
    if (json->comma)
        buffer_append(json->out, ",", 1);
    json->comma = true;
}

void json_open(struct json_writer *json, char bracket)
{
    begin_value(json);
    buffer_append(json->out, &bracket, 1);
    json->comma = false;
}

void json_close(struct json_writer *json, char bracket)
{
    buffer_append(json->out, &bracket, 1);
    json->comma = true;
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
    if (json->dense)
        return;
    buffer_text(json->out, json->comma ? ",\n" : "\n");
    json->comma = false;
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

/* The text within its quotes. Names are UTF-8, but a path on disk may be any bytes. */
static void put_escaped(struct buffer *out, const char *text)
{
    char character[CP_JSON_CHARACTER_SIZE];
    size_t size;
    do {
        size = 0; /* of the characters of ASCII that stand for themselves */
        while (text[size] >= 0x20 && (unsigned char)text[size] < 0x80 && text[size] != '"' && text[size] != '\\')
            size++;
        buffer_append(out, text, size);
        text += size;
        size = cp_print_json_character(&text, character);
        buffer_append(out, character, size);
    } while (size > 0);
}

void json_text_of_two(struct json_writer *json, const char *first, const char *second)
{
    begin_value(json);
    buffer_append(json->out, "\"", 1);
    put_escaped(json->out, first);
    put_escaped(json->out, second);
    buffer_append(json->out, "\"", 1);
}

void json_text(struct json_writer *json, const char *value)
{
    json_text_of_two(json, value, "");
}

void json_key(struct json_writer *json, const char *key)
{
    begin_value(json);
    buffer_append(json->out, "\"", 1);
    buffer_text(json->out, key);
    buffer_append(json->out, "\":", 2);
    json->comma = false;
}

void json_key_open(struct json_writer *json, const char *key, char bracket)
{
    json_key(json, key);
    json_open(json, bracket);
}

void json_word(struct json_writer *json, const char *word)
{
    begin_value(json);
    buffer_text(json->out, word);
}

/* Readers take a number without fraction or exponent as an integer, and lose the sign of zero or the whole number. */
static void put_number(struct json_writer *json, char *digits, size_t size, bool keep_real)
{
    begin_value(json);
    buffer_append(json->out, digits, size);
    if (keep_real && !memchr(digits, '.', size) && !memchr(digits, 'e', size))
        buffer_append(json->out, ".0", 2);
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

void json_whole(struct json_writer *json, uint64_t value)
{
    char digits[NUMBER_SIZE];
    begin_value(json);
    if (value <= UINT32_MAX)
        buffer_append(json->out, digits, (size_t)(put_whole(digits, (uint32_t)value) - digits));
    else
        buffer_print(json->out, "%llu", (unsigned long long)value);
}

void json_numbers(struct json_writer *json, const double *values, size_t count)
{
    json_open(json, '[');
    for (size_t i = 0; i < count; i++)
        json_number(json, values[i]);
    json_close(json, ']');
}

void json_key_text(struct json_writer *json, const char *key, const char *value)
{
    json_key(json, key);
    json_text(json, value);
}

void json_key_number(struct json_writer *json, const char *key, double value)
{
    json_key(json, key);
    json_number(json, value);
}

void json_key_integer(struct json_writer *json, const char *key, uint64_t value)
{
    json_key(json, key);
    json_whole(json, value);
}

void json_key_true(struct json_writer *json, const char *key)
{
    json_key(json, key);
    json_word(json, "true");
}

void json_key_numbers(struct json_writer *json, const char *key, const double *values, size_t count)
{
    json_key(json, key);
    json_numbers(json, values, count);
}

void json_members(struct json_writer *json, const char *object)
{
    const char *begin = strchr(object, '{') + 1, *end = strrchr(object, '}');
    begin_value(json);
    buffer_append(json->out, begin, (size_t)(end - begin));
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

void json_extras_open(struct json_writer *json)
{
    json_extras_open_with(json, NULL);
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
