/* JSON out. */
#include "json.h"

#include <inttypes.h>
#include <math.h>

/* Members of the top and what they list get lines of their own; anything deeper stays on its line. */
enum { LINE_DEPTH = 2 };

static void put_string(FILE *file, const char *text)
{
    char character[CP_JSON_CHARACTER_SIZE];
    fputc('"', file);
    for (size_t size; (size = cp_print_json_character(&text, character)) > 0;)
        fwrite(character, 1, size, file);
    fputc('"', file);
}

static void put_key(struct json *json, const char *key)
{
    if (json->comma)
        fputc(',', json->file);
    if (json->depth > 0 && json->depth <= LINE_DEPTH)
        fprintf(json->file, "\n%*s", json->depth, "");
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
        fprintf(json->file, "\n%*s", json->depth, "");
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

void print_json_numbers(struct json *json, const char *key, const double *values, size_t count)
{
    print_json_begin(json, key, '[');
    for (size_t i = 0; i < count; i++)
        print_json_number(json, NULL, values[i]);
    print_json_end(json, ']');
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

bool json_answer_begin(struct cli *cli, struct json_answer *answer)
{
    *answer = (struct json_answer){0};
    if (!text_open(&answer->text)) {
        (void)complain(cli, CP_LIMIT, "out of memory");
        return false;
    }
    answer->json.file = answer->text.file;
    print_json_begin(&answer->json, NULL, '{');
    return true;
}

cp_status json_answer_end(struct cli *cli, struct json_answer *answer, cp_status status)
{
    print_json_end(&answer->json, '}');
    fputs("\n", answer->json.file);
    bool whole = text_close(&answer->text);
    if (whole && (status == CP_OK || status == CP_NO))
        (void)fwrite(answer->text.bytes, 1, answer->text.size, cli->answers);
    text_free(&answer->text);
    return whole ? status : complain(cli, CP_LIMIT, "out of memory");
}
