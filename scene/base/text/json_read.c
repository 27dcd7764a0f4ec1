/* The parser of json_read.h, and the access to its values. */
#include "json.h"

#include <math.h>
#include <string.h>

#include "text.h"

enum { TYPE_BITS = 3, MOST_VALUES = (1 << (32 - TYPE_BITS)) - 1, NO_CONTAINER = MOST_VALUES };

static uint32_t next_of(const struct json_document *json, uint32_t value)
{
    return json->values[value].after >> TYPE_BITS;
}

struct parser {
    struct json_document *json;
    const char *file;
    const struct json_codes *codes;
    uint32_t at;
    cp_status status;
};

/* ---- errors ---- */

static struct place place_of(const struct parser *parser)
{
    struct place place = {.file = parser->file, .line = 1, .column = 1};
    for (uint32_t i = 0; i < parser->at && i < parser->json->size; i++) {
        char byte = parser->json->text[i];
        bool line_ends = byte == '\n' || (byte == '\r' && parser->json->text[i + 1] != '\n');
        place.line += line_ends;
        place.column = line_ends ? 1 : place.column + (((unsigned char)byte & 0xc0) != 0x80 && byte != '\r');
    }
    return place;
}

static void fail(struct parser *parser, const char *expected)
{
    const char *end = parser->at >= parser->json->size ? ", but the text ends" : "";
    if (parser->status == CP_OK && !parser->codes)
        parser->status = CP_INPUT;
    else if (parser->status == CP_OK)
        parser->status = report_error(parser->json->context, CP_INPUT, parser->codes->syntax, place_of(parser),
                                      "%s expected here%s", expected, end);
    parser->at = parser->json->size;
}

/* ---- tokens ---- */

/* Returns the next byte; 0 at the end. */
static char peek(const struct parser *parser)
{
    return parser->at < parser->json->size ? parser->json->text[parser->at] : '\0';
}

static bool accept(struct parser *parser, char byte)
{
    if (parser->at >= parser->json->size || parser->json->text[parser->at] != byte)
        return false;
    parser->at++;
    return true;
}

static void skip_blanks(struct parser *parser)
{
    while (is_blank(peek(parser)))
        parser->at++;
}

static void skip_digits(struct parser *parser)
{
    if (!is_digit(peek(parser)))
        fail(parser, "a digit");
    while (is_digit(peek(parser)))
        parser->at++;
}

static void skip_number(struct parser *parser)
{
    (void)accept(parser, '-');
    if (!accept(parser, '0'))
        skip_digits(parser);
    if (accept(parser, '.'))
        skip_digits(parser);
    if (accept(parser, 'e') || accept(parser, 'E')) {
        if (!accept(parser, '+'))
            (void)accept(parser, '-');
        skip_digits(parser);
    }
}

static void skip_string(struct parser *parser)
{
    parser->at++;
    while (!accept(parser, '"')) {
        if ((unsigned char)peek(parser) < 0x20) {
            fail(parser, "the end of the string");
            return;
        }
        if (!accept(parser, '\\')) {
            parser->at++;
            continue;
        }
        char byte = peek(parser);
        if (byte == '\0' || !strchr("\"\\/bfnrtu", byte)) {
            fail(parser, "an escape of JSON");
            continue;
        }
        parser->at++;
        for (int i = 0; byte == 'u' && i < 4; i++)
            if (hex_digit(peek(parser)) >= 0)
                parser->at++;
            else
                fail(parser, "a hexadecimal digit");
    }
}

static void skip_word(struct parser *parser, const char *word)
{
    size_t size = strlen(word);
    if (parser->json->size - parser->at < size || memcmp(parser->json->text + parser->at, word, size) != 0)
        fail(parser, "a value");
    else
        parser->at += (uint32_t)size;
}

/* ---- values ---- */

static void stop(struct parser *parser, cp_status status)
{
    parser->status = status;
    parser->at = parser->json->size;
}

/* Adds a value. The next one follows it; a container's is set again when the container ends. */
static bool add_value(struct parser *parser, enum json_type type)
{
    struct json_document *json = parser->json;
    void *values = json->values;
    if (json->count >= MOST_VALUES) {
        stop(parser, parser->codes ? report_error(json->context, CP_LIMIT, parser->codes->values, place_of(parser),
                                                  "more than %u values", (unsigned)MOST_VALUES)
                                   : CP_INPUT);
        return false;
    }
    if (!array_reserve(json->context, &values, &json->room, (uint64_t)json->count + 1, sizeof *json->values)) {
        stop(parser, CP_LIMIT);
        return false;
    }
    json->values = values;
    json->values[json->count] = (struct json_value){parser->at, (json->count + 1) << TYPE_BITS | (uint32_t)type};
    json->count++;
    return true;
}

static void add_scalar(struct parser *parser, enum json_type type)
{
    if (!add_value(parser, type))
        return;
    if (type == JSON_STRING)
        skip_string(parser);
    else if (type == JSON_NUMBER)
        skip_number(parser);
    else
        skip_word(parser, type == JSON_NULL ? "null" : type == JSON_TRUE ? "true" : "false");
}

cp_status json_parse(struct json_document *json, const char *file, uint64_t nesting, const struct json_codes *codes)
{
    struct parser state = {.json = json, .file = file, .codes = codes}, *parser = &state;
    uint32_t open = NO_CONTAINER; /* while a container is open, its `after` holds the container around it */
    uint64_t depth = 0;
    bool first = true; /* of the open container's values */
    skip_blanks(parser);
    do {
        if (open != NO_CONTAINER) {
            bool object = json_is(json, open, JSON_OBJECT);
            skip_blanks(parser);
            if (peek(parser) == (object ? '}' : ']')) {
                uint32_t around = next_of(json, open);
                json->values[open].after = json->count << TYPE_BITS | (uint32_t)json_type_of(json, open);
                open = around;
                parser->at++;
                depth--;
                first = false;
                continue;
            }
            if (!first && !accept(parser, ','))
                fail(parser, object ? "a comma or }" : "a comma or ]");
            skip_blanks(parser);
            if (object && peek(parser) != '"') {
                fail(parser, "a key");
            } else if (object) {
                add_scalar(parser, JSON_STRING);
                skip_blanks(parser);
                if (!accept(parser, ':'))
                    fail(parser, "a colon");
                skip_blanks(parser);
            }
        }
        first = false;
        if (parser->status != CP_OK)
            break;
        char byte = peek(parser);
        if (byte == '"') {
            add_scalar(parser, JSON_STRING);
        } else if (byte == '-' || is_digit(byte)) {
            add_scalar(parser, JSON_NUMBER);
        } else if (byte != '{' && byte != '[') {
            add_scalar(parser, byte == 'n' ? JSON_NULL : byte == 't' ? JSON_TRUE : JSON_FALSE);
        } else if (++depth > nesting) {
            stop(parser, codes ? report_error(json->context, CP_LIMIT, codes->nesting, place_of(parser),
                                              "nested deeper than the limit of %llu (--limit nesting=)",
                                              (unsigned long long)nesting)
                               : CP_INPUT);
        } else if (add_value(parser, byte == '{' ? JSON_OBJECT : JSON_ARRAY)) {
            uint32_t container = json->count - 1;
            json->values[container].after = open << TYPE_BITS | (uint32_t)json_type_of(json, container);
            open = container;
            parser->at++;
            first = true;
        }
    } while (open != NO_CONTAINER && parser->status == CP_OK);
    skip_blanks(parser);
    if (parser->at < json->size)
        fail(parser, "the end of the text");
    return parser->status;
}

void json_free(struct json_document *json)
{
    memory_free(json->context, json->values, json->room, sizeof *json->values);
    json->values = NULL;
    json->count = json->room = 0;
}

/* ---- the way around ---- */

enum json_type json_type_of(const struct json_document *json, uint32_t value)
{
    return (enum json_type)(json->values[value].after & ((1U << TYPE_BITS) - 1));
}

bool json_is(const struct json_document *json, uint32_t value, enum json_type type)
{
    return value != JSON_NONE && json_type_of(json, value) == type;
}

/* Returns the place behind the quote that ends the string at `at`. */
static uint32_t string_end(const char *text, uint32_t at)
{
    for (at++; text[at] != '"'; at++)
        at += text[at] == '\\';
    return at + 1;
}

uint32_t json_end(const struct json_document *json, uint32_t value)
{
    const char *text = json->text;
    uint32_t at = json->values[value].start, depth = 0;
    switch (json_type_of(json, value)) {
    case JSON_STRING:
        return string_end(text, at);
    case JSON_ARRAY:
    case JSON_OBJECT:
        do {
            char byte = text[at];
            depth += byte == '{' || byte == '[';
            depth -= byte == '}' || byte == ']';
            at = byte == '"' ? string_end(text, at) : at + 1;
        } while (depth > 0);
        return at;
    default:
        while (at < json->size && !strchr(",]} \n\r\t", text[at]))
            at++;
        return at;
    }
}

uint32_t json_first(const struct json_document *json, uint32_t container)
{
    if (!json_is(json, container, JSON_ARRAY) && !json_is(json, container, JSON_OBJECT))
        return JSON_NONE;
    return next_of(json, container) > container + 1 ? container + 1 : JSON_NONE;
}

uint32_t json_next(const struct json_document *json, uint32_t container, uint32_t value)
{
    uint32_t next = next_of(json, value), end = next_of(json, container);
    if (json_is(json, container, JSON_OBJECT) && next < end)
        next = next_of(json, next);
    return next < end ? next : JSON_NONE;
}

uint32_t json_member(const struct json_document *json, uint32_t object, const char *key)
{
    if (!json_is(json, object, JSON_OBJECT))
        return JSON_NONE;
    for (uint32_t at = json_first(json, object); at != JSON_NONE; at = json_next(json, object, at))
        if (json_string_equals(json, at, key))
            return at + 1;
    return JSON_NONE;
}

uint32_t json_count(const struct json_document *json, uint32_t container)
{
    uint32_t count = 0;
    for (uint32_t at = json_first(json, container); at != JSON_NONE; at = json_next(json, container, at))
        count++;
    return count;
}

/* ---- scalars ---- */

double json_to_number(const struct json_document *json, uint32_t value)
{
    double number = 0;
    if (json_is(json, value, JSON_NUMBER))
        (void)parse_double(json->text + json->values[value].start, json->text + json->size, &number);
    return number;
}

bool json_take_numbers(const struct json_document *json, uint32_t array, double *numbers, uint32_t count)
{
    bool good = json_is(json, array, JSON_ARRAY) && json_count(json, array) == count;
    uint32_t value = good ? json_first(json, array) : JSON_NONE;
    for (uint32_t i = 0; i < count && good; i++, value = json_next(json, array, value)) {
        numbers[i] = json_to_number(json, value);
        good = json_is(json, value, JSON_NUMBER) && isfinite(numbers[i]);
    }
    return good;
}

static uint32_t read_hex(const char *text)
{
    uint32_t code = 0;
    for (int i = 0; i < 4; i++)
        code = code * 16 + (uint32_t)hex_digit(text[i]);
    return code;
}

/* Finds the bytes of the next character (or byte) of a string, and moves *text behind it. */
static size_t next_bytes(const struct json_document *json, const char **text, const char *end, char out[4])
{
    const char *at = *text;
    *text = at + (*at == '\\' ? 2 : 1);
    out[0] = *at;
    if (*at != '\\')
        return 1;
    if (at[1] != 'u') {
        static const char letters[] = "bfnrt", codes[] = "\b\f\n\r\t";
        const char *letter = strchr(letters, at[1]);
        out[0] = letter ? codes[letter - letters] : at[1];
        return 1;
    }
    /* code: that of \uXXXX, or of a pair of them: a high and a low surrogate. */
    uint32_t code = read_hex(at + 2);
    *text = at += 6;
    bool high = code >= 0xd800 && code < 0xdc00 && end - at >= 6 && at[0] == '\\' && at[1] == 'u';
    uint32_t low = high ? read_hex(at + 2) : 0;
    if (low >= 0xdc00 && low <= 0xdfff) {
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        *text = at + 6;
    } else if (json->keeps_bytes && code >= 0xdc80 && code <= 0xdcff) {
        out[0] = (char)(unsigned char)(code & 0xff);
        return 1;
    } else if (code == 0 || (code >= 0xd800 && code <= 0xdfff)) {
        code = 0xfffd;
    }
    out[0] = (char)code;
    if (code < 0x80)
        return 1;
    size_t more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned lead[] = {0, 0xc0, 0xe0, 0xf0};
    out[0] = (char)(unsigned char)(lead[more] | code >> (6 * more));
    for (size_t i = 1; i <= more; i++)
        out[i] = (char)(unsigned char)(0x80 | (code >> (6 * (more - i)) & 0x3f));
    return more + 1;
}

char *json_string_text(const struct json_document *json, struct arena *arena, uint32_t value)
{
    const char *at = json->text + json->values[value].start + 1, *end = json->text + json_end(json, value) - 1;
    /* No escape is shorter than its character, so this is room enough. */
    char *copy = arena_allocate(arena, (size_t)(end - at) + 1, 1);
    if (!copy)
        return NULL;
    size_t size = 0;
    while (at < end) {
        char bytes[4];
        size_t more = next_bytes(json, &at, end, bytes);
        memcpy(copy + size, bytes, more);
        size += more;
    }
    copy[size] = '\0';
    return copy;
}

bool json_string_equals(const struct json_document *json, uint32_t value, const char *text)
{
    if (!json_is(json, value, JSON_STRING))
        return false;
    const char *at = json->text + json->values[value].start + 1, *end = json->text + json->size;
    while (*at != '"') {
        char bytes[4];
        if (*at >= ' ' && *at < 0x7f && *at != '\\') { /* nearly all */
            if (*at++ != *text++)
                return false;
            continue;
        }
        size_t more = next_bytes(json, &at, end, bytes);
        if (strncmp(text, bytes, more) != 0)
            return false;
        text += more;
    }
    return *text == '\0';
}

/* ---- text ---- */

void json_compact(const struct json_document *json, uint32_t value, struct buffer *buffer)
{
    const char *text = json->text;
    uint32_t end = json_end(json, value), done = json->values[value].start;
    bool inside = false;
    for (uint32_t i = done; i < end; i++) {
        if (text[i] == '"')
            inside = !inside;
        else if (inside)
            i += text[i] == '\\';
        else if (is_blank(text[i])) {
            buffer_append(buffer, text + done, i - done);
            done = i + 1;
        }
    }
    buffer_append(buffer, text + done, end - done);
}

void json_pointer(const struct json_document *json, uint32_t value, struct buffer *buffer)
{
    if (value == 0)
        buffer_text(buffer, "/");
    for (uint32_t container = 0; container < value;) {
        /* Find its child that is or holds the value. */
        uint32_t at = json_first(json, container), number = 0;
        for (uint32_t next = at; next != JSON_NONE && next <= value; next = json_next(json, container, next), number++)
            at = next;
        if (json_is(json, container, JSON_ARRAY)) {
            buffer_print(buffer, "/%lu", (unsigned long)number - 1);
            container = at;
            continue;
        }
        uint32_t start = json->values[at].start + 1, size = json_end(json, at) - 1 - start;
        buffer_print(buffer, "/%.*s", (int)(size < 200 ? size : 200), json->text + start);
        container = at + 1;
    }
}
