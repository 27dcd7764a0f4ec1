/* Lines of JSON, printed and parsed by tables. */
#include "line.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>


enum { NESTING = 16, CHUNK = 1 << 20 };

#define FIELD(member) offsetof(struct record_input, member)
static const struct field file_fields[] = {
    {"path", FIELD_TEXT, FIELD(path), 0, NULL},         {"size", FIELD_COUNT, FIELD(size), 0, NULL},
    {"mtime_ns", FIELD_TIME, FIELD(modified), 0, NULL}, {"hash", FIELD_HASH, FIELD(hash), 0, NULL},
    {"missing", FIELD_TRUE, FIELD(missing), 0, NULL},   {0}};
static const struct field missing_fields[] = {
    {"path", FIELD_TEXT, FIELD(path), 0, NULL}, {"missing", FIELD_TRUE, FIELD(missing), 0, NULL}, {0}};

bool hash_is_zero(cp_hash hash)
{
    return (hash.high | hash.low) == 0;
}

bool hash_equals(cp_hash a, cp_hash b)
{
    return a.high == b.high && a.low == b.low;
}

/* ---- out ---- */

static void put_line(cp_json *json, const char *key, const struct field *fields, const void *value);

static void put_value(cp_json *json, const struct field *field, const void *value)
{
    const char *key = field->name;
    const void *place = (const char *)value + field->offset;
    char digits[40];
    switch (field->kind) {
    case FIELD_TEXT:
    case FIELD_PATH:
    case FIELD_SAID:
    case FIELD_HOST:
    case FIELD_FOLDER:
        cp_json_text(json, key, *(const char *const *)place ? *(const char *const *)place : "");
        break;
    case FIELD_TEXTS:
    case FIELD_MORE: {
        const struct list *list = place;
        cp_json_open(json, key, '[');
        for (size_t i = 0; i < list->count; i++)
            cp_json_text(json, NULL, list->items[i]);
        cp_json_close(json, ']');
        break;
    }
    case FIELD_HASH: {
        const cp_hash *hash = place;
        (void)snprintf(digits, sizeof digits, "%016" PRIx64 "%016" PRIx64, hash->high, hash->low);
        cp_json_text(json, key, hash_is_zero(*hash) ? "" : digits);
        break;
    }
    case FIELD_COUNT:
        cp_json_count(json, key, *(const uint64_t *)place);
        break;
    case FIELD_SMALL:
        cp_json_count(json, key, *(const uint32_t *)place);
        break;
    case FIELD_TIME:
        (void)snprintf(digits, sizeof digits, "%" PRId64, *(const int64_t *)place);
        cp_json_word(json, key, digits);
        break;
    case FIELD_NUMBER:
        cp_json_number(json, key, isfinite(*(const double *)place) ? *(const double *)place : 0);
        break;
    case FIELD_SHAPE: {
        const cp_shape *shape = place;
        cp_json_open(json, key, '[');
        cp_json_count(json, NULL, shape->kind);
        cp_json_number(json, NULL, shape->tolerance);
        for (int i = 0; i < CP_SHAPE_VALUES; i++)
            cp_json_number(json, NULL, shape->values[i]);
        cp_json_close(json, ']');
        break;
    }
    case FIELD_WORD:
        cp_json_text(json, key, field->words[*(const int *)place]);
        break;
    case FIELD_TRUE:
        cp_json_boolean(json, key, true);
        break;
    case FIELD_FILES: {
        const struct record_input *files = *(struct record_input *const *)place;
        uint32_t count = *(const uint32_t *)((const char *)value + field->count_offset);
        cp_json_open(json, key, '[');
        for (uint32_t i = 0; i < count; i++)
            put_line(json, NULL, files[i].missing ? missing_fields : file_fields, &files[i]);
        cp_json_close(json, ']');
        break;
    }
    }
}

static bool is_left_out(const struct field *field, const void *place)
{
    return field->kind == FIELD_TRUE    ? !*(const bool *)place
           : field->kind == FIELD_SHAPE ? ((const cp_shape *)place)->kind == 0
           : field->kind == FIELD_TIME  ? *(const int64_t *)place == 0
           : field->kind == FIELD_MORE  ? ((const struct list *)place)->count == 0
           : field->kind == FIELD_SAID  ? !*(const char *const *)place || !**(const char *const *)place
                                        : false;
}

static void put_line(cp_json *json, const char *key, const struct field *fields, const void *value)
{
    cp_json_open(json, key, '{');
    for (const struct field *field = fields; field->name; field++)
        if (!is_left_out(field, (const char *)value + field->offset))
            put_value(json, field, value);
    cp_json_close(json, '}');
}

void print_line(struct buffer *out, const struct field *fields, const void *value)
{
    put_line(&(cp_json){.out = out, .keeps_bytes = true}, NULL, fields, value);
}

/* ---- in ---- */

static cp_status take_text(struct record_reader *reader, uint32_t value, const char **text)
{
    const char *const known[] = {"", reader->path, reader->host, reader->folder};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i] && json_string_equals(&reader->json, value, known[i])) {
            *text = known[i];
            return CP_OK;
        }
    *text = json_string_text(&reader->json, reader->arena, value);
    return *text ? CP_OK : CP_LIMIT;
}

/* A whole number, exactly: a double holds no nanoseconds since 1970. */
static bool take_whole(const struct json_document *json, uint32_t value, bool *negative, uint64_t *whole)
{
    const char *at = json->text + json->values[value].start, *end = json->text + json_end(json, value);
    *negative = *at == '-';
    *whole = 0;
    for (at += *negative; at < end; at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (!is_digit(*at) || *whole > (UINT64_MAX - digit) / 10)
            return false;
        *whole = 10 * *whole + digit;
    }
    return true;
}

static bool take_hash(const struct json_document *json, uint32_t value, cp_hash *hash)
{
    const char *digits = json->text + json->values[value].start + 1;
    uint32_t size = json_end(json, value) - json->values[value].start - 2;
    *hash = (cp_hash){0};
    for (uint32_t i = 0; i < size; i++) {
        int digit = hex_digit(digits[i]);
        uint64_t *half = i < 16 ? &hash->high : &hash->low;
        if (digit < 0 || size != 32)
            return false;
        *half = *half << 4 | (uint64_t)digit;
    }
    return true;
}

static cp_status take_texts(struct record_reader *reader, uint32_t array, struct list *list)
{
    const struct json_document *json = &reader->json;
    uint32_t count = json_count(json, array);
    *list = (struct list){.items = arena_allocate(reader->arena, count, sizeof *list->items), .room = count};
    if (!list->items)
        return CP_LIMIT;
    for (uint32_t at = json_first(json, array); at != JSON_NONE; at = json_next(json, array, at)) {
        cp_status status = json_is(json, at, JSON_STRING) ? take_text(reader, at, &list->items[list->count]) : CP_INPUT;
        if (status != CP_OK)
            return status;
        list->count++;
    }
    return CP_OK;
}

static cp_status take_files(struct record_reader *reader, uint32_t array, struct record_input **files, uint32_t *count)
{
    const struct json_document *json = &reader->json;
    *count = json_count(json, array);
    struct record_input *file = *files = arena_allocate(reader->arena, *count, sizeof **files);
    if (!file)
        return CP_LIMIT;
    for (uint32_t at = json_first(json, array); at != JSON_NONE; at = json_next(json, array, at), file++) {
        *file = (struct record_input){.path = ""};
        cp_status status = json_is(json, at, JSON_OBJECT) ? take_line(reader, at, file_fields, file) : CP_INPUT;
        if (status != CP_OK)
            return status;
    }
    return CP_OK;
}

static cp_status take_shape(const struct json_document *json, uint32_t array, cp_shape *shape)
{
    double numbers[2 + CP_SHAPE_VALUES] = {0};
    size_t count = 0;
    for (uint32_t at = json_first(json, array); at != JSON_NONE; at = json_next(json, array, at)) {
        if (!json_is(json, at, JSON_NUMBER) || count == sizeof numbers / sizeof *numbers)
            return CP_INPUT;
        numbers[count++] = json_to_number(json, at);
    }
    if (count < sizeof numbers / sizeof *numbers || !(numbers[0] >= 0 && numbers[0] < 9007199254740992.0))
        return CP_INPUT;
    shape->kind = (uint64_t)numbers[0];
    shape->tolerance = numbers[1];
    memcpy(shape->values, numbers + 2, sizeof shape->values);
    return CP_OK;
}

static cp_status take_value(struct record_reader *reader, uint32_t value, const struct field *field, void *members)
{
    static const enum json_type types[] = {
        [FIELD_TEXT] = JSON_STRING,  [FIELD_PATH] = JSON_STRING,   [FIELD_SAID] = JSON_STRING,
        [FIELD_HOST] = JSON_STRING,  [FIELD_FOLDER] = JSON_STRING, [FIELD_TEXTS] = JSON_ARRAY,
        [FIELD_MORE] = JSON_ARRAY,   [FIELD_HASH] = JSON_STRING,   [FIELD_COUNT] = JSON_NUMBER,
        [FIELD_SMALL] = JSON_NUMBER, [FIELD_TIME] = JSON_NUMBER,   [FIELD_NUMBER] = JSON_NUMBER,
        [FIELD_WORD] = JSON_STRING,  [FIELD_TRUE] = JSON_TRUE,     [FIELD_FILES] = JSON_ARRAY,
        [FIELD_SHAPE] = JSON_ARRAY};
    const struct json_document *json = &reader->json;
    void *place = (char *)members + field->offset;
    uint64_t whole = 0;
    bool negative = false;
    if (field->kind == FIELD_TRUE && json_is(json, value, JSON_FALSE)) {
        *(bool *)place = false;
        return CP_OK;
    }
    if (!json_is(json, value, types[field->kind]))
        return CP_INPUT;
    switch (field->kind) {
    case FIELD_TEXT:
    case FIELD_PATH:
    case FIELD_SAID:
    case FIELD_HOST:
    case FIELD_FOLDER: {
        const char **text = place;
        const char **again = field->kind == FIELD_PATH     ? &reader->path
                             : field->kind == FIELD_HOST   ? &reader->host
                             : field->kind == FIELD_FOLDER ? &reader->folder
                                                           : NULL;
        cp_status status = take_text(reader, value, text);
        if (status == CP_OK && again)
            *again = *text;
        return status;
    }
    case FIELD_TEXTS:
    case FIELD_MORE:
        return take_texts(reader, value, place);
    case FIELD_FILES:
        return take_files(reader, value, place, (uint32_t *)((char *)members + field->count_offset));
    case FIELD_HASH:
        return take_hash(json, value, place) ? CP_OK : CP_INPUT;
    case FIELD_SHAPE:
        return take_shape(json, value, place);
    case FIELD_NUMBER:
        *(double *)place = json_to_number(json, value);
        return CP_OK;
    case FIELD_TRUE:
        *(bool *)place = true;
        return CP_OK;
    case FIELD_WORD:
        for (int i = 0; field->words[i]; i++)
            if (json_string_equals(json, value, field->words[i])) {
                *(int *)place = i;
                return CP_OK;
            }
        return CP_INPUT;
    case FIELD_COUNT:
    case FIELD_SMALL:
    case FIELD_TIME:
        break;
    }
    if (!take_whole(json, value, &negative, &whole))
        return CP_INPUT;
    uint64_t most = field->kind == FIELD_COUNT ? UINT64_MAX : field->kind == FIELD_SMALL ? UINT32_MAX : INT64_MAX;
    if (whole > most || (negative && whole > 0 && field->kind != FIELD_TIME))
        return CP_INPUT;
    if (field->kind == FIELD_COUNT)
        *(uint64_t *)place = whole;
    else if (field->kind == FIELD_SMALL)
        *(uint32_t *)place = (uint32_t)whole;
    else
        *(int64_t *)place = negative ? -(int64_t)whole : (int64_t)whole;
    return CP_OK;
}

cp_status take_line(struct record_reader *reader, uint32_t object, const struct field *fields, void *value)
{
    const struct json_document *json = &reader->json;
    const struct field *expected = fields; /* our own lines have the members in the order of the table */
    for (uint32_t key = json_first(json, object); key != JSON_NONE; key = json_next(json, object, key)) {
        const struct field *field = expected->name ? expected : fields;
        if (!json_string_equals(json, key, field->name))
            for (field = fields; field->name && !json_string_equals(json, key, field->name);)
                field++;
        if (!field->name)
            continue;
        cp_status status = take_value(reader, key + 1, field, value);
        if (status != CP_OK)
            return status;
        expected = field + 1;
    }
    return CP_OK;
}

cp_status parse_line(struct record_reader *reader, const char *line, size_t size)
{
    struct json_document *json = &reader->json;
    json->context = reader->context;
    json->text = line;
    json->size = (uint32_t)size;
    json->count = 0;
    json->keeps_bytes = true;
    reader->path = NULL;
    cp_status status = size > UINT32_MAX / 2 ? CP_INPUT : json_parse(json, NULL, NESTING, NULL);
    if (status == CP_OK && !json_is(json, 0, JSON_OBJECT))
        status = CP_INPUT;
    json->count = status == CP_OK ? json->count : 0; /* of a part, values lead nowhere */
    return status;
}

void record_reader_free(struct record_reader *reader)
{
    reader->json.context = reader->context;
    json_free(&reader->json);
}

/* ---- files ---- */

cp_status read_lines(cp_context *context, int file, char end, take_line_of_file *take, void *user, uint64_t *line)
{
    struct buffer buffer = {.context = context};
    cp_status status = CP_OK;
    ssize_t more = 1;
    *line = 0;
    while (status == CP_OK && more > 0) {
        if (!buffer_reserve(&buffer, CHUNK)) {
            status = CP_LIMIT;
            break;
        }
        do
            more = read(file, buffer.data + buffer.size, CHUNK);
        while (more < 0 && errno == EINTR && !was_interrupted());
        if (more < 0) {
            *line = 0;
            status = CP_INPUT;
        } else if (more == 0 && buffer.size > 0) {
            status = take(user, ++*line, buffer.data, buffer.size, false);
        } else if (more > 0) {
            char *begin = buffer.data, *at = buffer.data + buffer.size, *behind = at + more, *found;
            while (status == CP_OK && (found = memchr(at, end, (size_t)(behind - at)))) {
                status = take(user, ++*line, begin, (size_t)(found - begin), true);
                begin = at = found + 1;
            }
            buffer.size = (size_t)(behind - begin);
            memmove(buffer.data, begin, buffer.size);
        }
    }
    int error = errno;
    buffer_free(&buffer);
    errno = error;
    return status;
}
