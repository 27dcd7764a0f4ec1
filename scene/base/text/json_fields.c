/* Structs as lines of JSON and back, by tables of their members. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "json.h"
#include "text.h"

enum { NESTING = 16 };

/* ---- out ---- */

static bool is_left_out(const cp_field *field, const char *members)
{
    const void *place = members + field->offset;
    if (field->unless && *(const bool *)(members + field->unless))
        return true;
    return field->kind == CP_FIELD_TRUE    ? !*(const bool *)place
           : field->kind == CP_FIELD_SHAPE ? ((const cp_shape *)place)->kind == 0
           : field->kind == CP_FIELD_TIME  ? *(const int64_t *)place == 0
           : field->kind == CP_FIELD_MORE  ? ((const struct list *)place)->count == 0
           : field->kind == CP_FIELD_SAID  ? !*(const char *const *)place || !**(const char *const *)place
                                           : false;
}

static void put_fields(cp_json *json, const char *key, const cp_field *fields, const char *members);

static void put_field(cp_json *json, const cp_field *field, const char *members)
{
    const char *key = field->name;
    const void *place = members + field->offset;
    char digits[40];
    switch (field->kind) {
    case CP_FIELD_TEXT:
    case CP_FIELD_PATH:
    case CP_FIELD_SAID:
    case CP_FIELD_HOST:
    case CP_FIELD_FOLDER:
        cp_json_text(json, key, *(const char *const *)place ? *(const char *const *)place : "");
        break;
    case CP_FIELD_TEXTS:
    case CP_FIELD_MORE: {
        const struct list *list = place;
        cp_json_open(json, key, '[');
        for (size_t i = 0; i < list->count; i++)
            cp_json_text(json, NULL, list->items[i]);
        cp_json_close(json, ']');
        break;
    }
    case CP_FIELD_HASH: {
        const cp_hash *hash = place;
        (void)snprintf(digits, sizeof digits, "%016" PRIx64 "%016" PRIx64, hash->high, hash->low);
        cp_json_text(json, key, (hash->high | hash->low) == 0 ? "" : digits);
        break;
    }
    case CP_FIELD_COUNT:
        cp_json_count(json, key, *(const uint64_t *)place);
        break;
    case CP_FIELD_SMALL:
        cp_json_count(json, key, *(const uint32_t *)place);
        break;
    case CP_FIELD_TIME:
        (void)snprintf(digits, sizeof digits, "%" PRId64, *(const int64_t *)place);
        cp_json_word(json, key, digits);
        break;
    case CP_FIELD_NUMBER:
        cp_json_number(json, key, isfinite(*(const double *)place) ? *(const double *)place : 0);
        break;
    case CP_FIELD_SHAPE: {
        const cp_shape *shape = place;
        cp_json_open(json, key, '[');
        cp_json_count(json, NULL, shape->kind);
        cp_json_number(json, NULL, shape->tolerance);
        for (int i = 0; i < CP_SHAPE_VALUES; i++)
            cp_json_number(json, NULL, shape->values[i]);
        cp_json_close(json, ']');
        break;
    }
    case CP_FIELD_WORD:
        cp_json_text(json, key, field->words[*(const int *)place]);
        break;
    case CP_FIELD_TRUE:
        cp_json_boolean(json, key, true);
        break;
    case CP_FIELD_ROWS: {
        const char *row = *(const char *const *)place;
        uint32_t count = *(const uint32_t *)(members + field->count_offset);
        cp_json_open(json, key, '[');
        for (uint32_t i = 0; i < count; i++, row += field->row_size)
            put_fields(json, NULL, field->rows, row);
        cp_json_close(json, ']');
        break;
    }
    }
}

static void put_fields(cp_json *json, const char *key, const cp_field *fields, const char *members)
{
    cp_json_open(json, key, '{');
    for (const cp_field *field = fields; field->name; field++)
        if (!is_left_out(field, members))
            put_field(json, field, members);
    cp_json_close(json, '}');
}

void cp_fields_print(struct buffer *out, const cp_field *fields, const void *members)
{
    put_fields(&(cp_json){.out = out, .keeps_bytes = true}, NULL, fields, members);
    buffer_append(out, "\n", 1);
}

/* ---- in ---- */

static cp_status take_text(cp_field_reader *reader, uint32_t value, const char **text)
{
    const char *const known[] = {"", reader->path, reader->host, reader->folder};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i] && json_string_equals(reader->json, value, known[i])) {
            *text = known[i];
            return CP_OK;
        }
    *text = json_string_text(reader->json, reader->arena, value);
    return *text ? CP_OK : CP_LIMIT;
}

/* Takes a whole number exactly: a double cannot hold nanoseconds since 1970. */
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

static cp_status take_texts(cp_field_reader *reader, uint32_t array, struct list *list)
{
    const struct json_document *json = reader->json;
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

static cp_status take_fields(cp_field_reader *reader, uint32_t object, const cp_field *fields, void *members);

static cp_status take_rows(cp_field_reader *reader, uint32_t array, const cp_field *field, void *members)
{
    const struct json_document *json = reader->json;
    uint32_t count = json_count(json, array);
    char *row = arena_allocate_zeroed(reader->arena, count, field->row_size);
    if (!row)
        return CP_LIMIT;
    *(void **)((char *)members + field->offset) = row;
    *(uint32_t *)((char *)members + field->count_offset) = count;
    for (uint32_t at = json_first(json, array); at != JSON_NONE; at = json_next(json, array, at)) {
        for (const cp_field *text = field->rows; text->name; text++)
            if (text->kind == CP_FIELD_TEXT)
                *(const char **)(row + text->offset) = "";
        cp_status status = json_is(json, at, JSON_OBJECT) ? take_fields(reader, at, field->rows, row) : CP_INPUT;
        if (status != CP_OK)
            return status;
        row += field->row_size;
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
        numbers[count] = json_to_number(json, at);
        if (!isfinite(numbers[count++]))
            return CP_INPUT;
    }
    if (count < sizeof numbers / sizeof *numbers || !(numbers[0] >= 0 && numbers[0] < 9007199254740992.0))
        return CP_INPUT;
    shape->kind = (uint64_t)numbers[0];
    shape->tolerance = numbers[1];
    memcpy(shape->values, numbers + 2, sizeof shape->values);
    return CP_OK;
}

static cp_status take_value(cp_field_reader *reader, uint32_t value, const cp_field *field, void *members)
{
    static const enum json_type types[] = {
        [CP_FIELD_TEXT] = JSON_STRING,  [CP_FIELD_PATH] = JSON_STRING,   [CP_FIELD_SAID] = JSON_STRING,
        [CP_FIELD_HOST] = JSON_STRING,  [CP_FIELD_FOLDER] = JSON_STRING, [CP_FIELD_TEXTS] = JSON_ARRAY,
        [CP_FIELD_MORE] = JSON_ARRAY,   [CP_FIELD_HASH] = JSON_STRING,   [CP_FIELD_COUNT] = JSON_NUMBER,
        [CP_FIELD_SMALL] = JSON_NUMBER, [CP_FIELD_TIME] = JSON_NUMBER,   [CP_FIELD_NUMBER] = JSON_NUMBER,
        [CP_FIELD_WORD] = JSON_STRING,  [CP_FIELD_TRUE] = JSON_TRUE,     [CP_FIELD_ROWS] = JSON_ARRAY,
        [CP_FIELD_SHAPE] = JSON_ARRAY};
    const struct json_document *json = reader->json;
    void *place = (char *)members + field->offset;
    uint64_t whole = 0;
    bool negative = false;
    if (field->kind == CP_FIELD_TRUE && json_is(json, value, JSON_FALSE)) {
        *(bool *)place = false;
        return CP_OK;
    }
    if (!json_is(json, value, types[field->kind]))
        return CP_INPUT;
    switch (field->kind) {
    case CP_FIELD_TEXT:
    case CP_FIELD_PATH:
    case CP_FIELD_SAID:
    case CP_FIELD_HOST:
    case CP_FIELD_FOLDER: {
        const char **text = place;
        const char **again = field->kind == CP_FIELD_PATH     ? &reader->path
                             : field->kind == CP_FIELD_HOST   ? &reader->host
                             : field->kind == CP_FIELD_FOLDER ? &reader->folder
                                                              : NULL;
        cp_status status = take_text(reader, value, text);
        if (status == CP_OK && again)
            *again = *text;
        return status;
    }
    case CP_FIELD_TEXTS:
    case CP_FIELD_MORE:
        return take_texts(reader, value, place);
    case CP_FIELD_ROWS:
        return take_rows(reader, value, field, members);
    case CP_FIELD_HASH:
        return take_hash(json, value, place) ? CP_OK : CP_INPUT;
    case CP_FIELD_SHAPE:
        return take_shape(json, value, place);
    case CP_FIELD_NUMBER:
        *(double *)place = json_to_number(json, value);
        return CP_OK;
    case CP_FIELD_TRUE:
        *(bool *)place = true;
        return CP_OK;
    case CP_FIELD_WORD:
        for (int i = 0; field->words[i]; i++)
            if (json_string_equals(json, value, field->words[i])) {
                *(int *)place = i;
                return CP_OK;
            }
        return CP_INPUT;
    case CP_FIELD_COUNT:
    case CP_FIELD_SMALL:
    case CP_FIELD_TIME:
        break;
    }
    if (!take_whole(json, value, &negative, &whole))
        return CP_INPUT;
    uint64_t most = field->kind == CP_FIELD_COUNT ? UINT64_MAX : field->kind == CP_FIELD_SMALL ? UINT32_MAX : INT64_MAX;
    if (whole > most || (negative && whole > 0 && field->kind != CP_FIELD_TIME))
        return CP_INPUT;
    if (field->kind == CP_FIELD_COUNT)
        *(uint64_t *)place = whole;
    else if (field->kind == CP_FIELD_SMALL)
        *(uint32_t *)place = (uint32_t)whole;
    else
        *(int64_t *)place = negative ? -(int64_t)whole : (int64_t)whole;
    return CP_OK;
}

static cp_status take_fields(cp_field_reader *reader, uint32_t object, const cp_field *fields, void *members)
{
    const struct json_document *json = reader->json;
    const cp_field *expected = fields; /* our own lines have the members in the order of the table */
    for (uint32_t key = json_first(json, object); key != JSON_NONE; key = json_next(json, object, key)) {
        const cp_field *field = expected->name ? expected : fields;
        if (!json_string_equals(json, key, field->name))
            for (field = fields; field->name && !json_string_equals(json, key, field->name);)
                field++;
        if (!field->name)
            continue;
        cp_status status = take_value(reader, key + 1, field, members);
        if (status != CP_OK)
            return status;
        expected = field + 1;
    }
    return CP_OK;
}

cp_status cp_fields_take(cp_field_reader *reader, const cp_field *fields, void *members)
{
    return reader->json && reader->json->count > 0 ? take_fields(reader, 0, fields, members) : CP_INPUT;
}

cp_status cp_fields_parse(cp_field_reader *reader, const char *line, size_t size)
{
    if (!reader->json)
        reader->json = memory_allocate_zeroed(reader->context, 1, sizeof *reader->json);
    struct json_document *json = reader->json;
    if (!json)
        return CP_LIMIT;
    json->context = reader->context;
    json->text = line;
    json->size = (uint32_t)size;
    json->count = 0;
    json->keeps_bytes = true;
    reader->path = NULL;
    cp_status status = size > UINT32_MAX / 2 ? CP_INPUT : json_parse(json, NULL, NESTING, NULL);
    if (status == CP_OK && !json_is(json, 0, JSON_OBJECT))
        status = CP_INPUT;
    json->count = status == CP_OK ? json->count : 0; /* values of a broken line lead nowhere */
    return status;
}

void cp_field_reader_free(cp_field_reader *reader)
{
    if (reader->json)
        json_free(reader->json);
    memory_free(reader->context, reader->json, 1, sizeof *reader->json);
    reader->json = NULL;
}
