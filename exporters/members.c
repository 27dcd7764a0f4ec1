/* Members of rows as JSON. */
#include "exporters.h"

#include <inttypes.h>
#include <stdio.h>

void json_key_hash(struct json_writer *json, const char *key, uint64_t hash)
{
    char digits[17];
    (void)snprintf(digits, sizeof digits, "%016" PRIx64, hash);
    json_key_text(json, key, digits);
}

static void write_value(struct json_writer *json, const cp_scene *scene, const struct member *member, const void *row,
                        unsigned in);

/* Rows of one member become an array of values, other rows an array of objects. */
static void write_array(struct json_writer *json, const cp_scene *scene, const struct member *member, const void *row,
                        unsigned in)
{
    const struct member *first = member->layout->members;
    json_open(json, '[');
    for (uint32_t i = 0; i < member_count(member, row); i++) {
        const void *item = member_row(member, row, i);
        if (first->name)
            json_row(json, scene, member->layout, item, in);
        else
            write_value(json, scene, first, item, in);
    }
    json_close(json, ']');
}

static void write_words(struct json_writer *json, const char *const *words, uint64_t flags)
{
    json_open(json, '[');
    for (size_t i = 0; words[i]; i++)
        if (flags & 1u << i)
            json_text(json, words[i]);
    json_close(json, ']');
}

/* Writes bytes as hexadecimal digits, since JSON holds UTF-8 only. */
static void write_raw(struct json_writer *json, const cp_scene *scene, const char *bytes)
{
    struct buffer digits = {.context = scene->context};
    for (; *bytes; bytes++)
        buffer_print(&digits, "%02x", (unsigned)(unsigned char)*bytes);
    buffer_append(&digits, "", 1);
    json_text(json, digits.failed ? "" : digits.data);
    json->out->failed = json->out->failed || digits.failed;
    buffer_free(&digits);
}

static void write_value(struct json_writer *json, const cp_scene *scene, const struct member *member, const void *row,
                        unsigned in)
{
    const double *numbers = member_numbers(member, row);
    switch (member->kind) {
    case MEMBER_NUMBERS:
        if (member->length > 1)
            json_numbers(json, numbers, member->length);
        else
            json_number(json, *numbers);
        break;
    case MEMBER_LIMIT:
        json_number(json, *numbers); /* infinite: null */
        break;
    case MEMBER_COUNT:
    case MEMBER_LONG_COUNT:
        json_whole(json, member_whole(member, row));
        break;
    case MEMBER_FLAG:
        json_word(json, member_whole(member, row) ? "true" : "false");
        break;
    case MEMBER_FLAGS:
        write_words(json, member->words, member_whole(member, row));
        break;
    case MEMBER_RAW:
        write_raw(json, scene, row_pointer(row, member->at));
        break;
    case MEMBER_ARRAY:
        write_array(json, scene, member, row, in);
        break;
    case MEMBER_RECORD:
        json_row(json, scene, member->layout, row_pointer(row, member->at), in);
        break;
    default:
        json_text(json, member_text(scene, member, row));
    }
}

void json_row_members(struct json_writer *json, const cp_scene *scene, const struct layout *layout, const void *row,
                      unsigned in)
{
    for (const struct member *member = layout->members; member->kind != MEMBER_END; member++) {
        if (!member_is_shown(member, row, in))
            continue;
        if (member->kind == MEMBER_HASH) {
            json_key_hash(json, member->name, member_whole(member, row));
            continue;
        }
        json_key(json, member->name);
        write_value(json, scene, member, row, in);
    }
}

void json_row(struct json_writer *json, const cp_scene *scene, const struct layout *layout, const void *row,
              unsigned in)
{
    json_open(json, '{');
    json_row_members(json, scene, layout, row, in);
    json_close(json, '}');
}
