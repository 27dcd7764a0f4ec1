/* JSON out. */
#include "json.h"
#include "cellpipe.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Members of the top and what they list get lines of their own; anything deeper stays on its line. */
enum { LINE_DEPTH = 2 };

static void indent(const struct json *json)
{
    fprintf(json->file, "\n%*s", json->depth, "");
}

/* The length of the well-formed UTF-8 character at `at`, or 0. */
static int character_length(const unsigned char *at)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (at[0] < 0x80)
        return 1;
    int length = at[0] >= 0xF0 ? 4 : at[0] >= 0xE0 ? 3 : at[0] >= 0xC0 ? 2 : 0;
    if (length == 0 || at[0] > 0xF4)
        return 0;
    uint32_t code = at[0] & (0x7Fu >> length);
    for (int i = 1; i < length; i++) {
        if ((at[i] & 0xC0) != 0x80)
            return 0;
        code = code << 6 | (at[i] & 0x3Fu);
    }
    bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    return code < smallest[length] || surrogate || code > 0x10FFFF ? 0 : length;
}

static void put_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        int length = character_length(at);
        if (length == 0 || *at < 0x20 || *at == 0x7F)
            fprintf(file, "\\u%04x", (unsigned)*at);
        else if (*at == '"' || *at == '\\')
            fprintf(file, "\\%c", *at);
        else
            fwrite(at, 1, (size_t)length, file);
        at += length ? length : 1;
    }
    fputc('"', file);
}

static void put_key(struct json *json, const char *key)
{
    if (json->comma)
        fputc(',', json->file);
    if (json->depth > 0 && json->depth <= LINE_DEPTH)
        indent(json);
    else if (json->comma)
        fputc(' ', json->file);
    if (key) {
        put_string(json->file, key);
        fputs(": ", json->file);
    }
    json->comma = true;
}

void print_json_begin(struct json *json, const char *key, char bracket)
{
    put_key(json, key);
    fputc(bracket, json->file);
    json->depth++;
    json->comma = false;
}

void print_json_end(struct json *json, char bracket)
{
    json->depth--;
    if (json->comma && json->depth < LINE_DEPTH)
        indent(json);
    fputc(bracket, json->file);
    json->comma = true;
}

void print_json_text(struct json *json, const char *key, const char *value)
{
    put_key(json, key);
    if (value)
        put_string(json->file, value);
    else
        fputs("null", json->file);
}

void print_json_number(struct json *json, const char *key, double value)
{
    char digits[CP_NUMBER_SIZE];
    put_key(json, key);
    cp_print_double(value, digits);
    fputs(isfinite(value) ? digits : "null", json->file);
}

void print_json_count(struct json *json, const char *key, uint64_t value)
{
    put_key(json, key);
    fprintf(json->file, "%" PRIu64, value);
}

void print_json_count_or_null(struct json *json, const char *key, uint64_t value)
{
    if (value)
        print_json_count(json, key, value);
    else
        print_json_text(json, key, NULL);
}

void print_json_boolean(struct json *json, const char *key, bool value)
{
    put_key(json, key);
    fputs(value ? "true" : "false", json->file);
}
