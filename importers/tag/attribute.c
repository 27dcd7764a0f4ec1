/* The attributes of a tag: typed values for those with a meaning, metadata for the others. */
#include <string.h>

#include "base/text/json.h"
#include "base/text/text.h"
#include "tag.h"

struct tag_attribute *tag_find(const struct tag *tag, const char *key)
{
    for (uint32_t i = 0; i < tag->attribute_count; i++)
        if (!strcmp(tag->attributes[i].key, key))
            return &tag->attributes[i];
    return NULL;
}

const struct tag_attribute *tag_use(const struct tag *tag, const char *key)
{
    struct tag_attribute *attribute = tag_find(tag, key);
    if (attribute)
        attribute->used = true;
    return attribute;
}

struct place tag_place(const struct tag *tag)
{
    return (struct place){.file = tag->file->name, .line = tag->line, .column = tag->column};
}

struct place tag_attribute_place(const struct tag *tag, const struct tag_attribute *attribute)
{
    return (struct place){.file = tag->file->name, .line = attribute->line, .column = attribute->column};
}

/* ---- typed values ---- */

const struct tag_value *tag_value(struct tag_reader *reader, const struct tag *tag,
                                  const struct tag_attribute *attribute, uint32_t index, enum tag_value_kind kind)
{
    static const char *const kinds[] = {"a number", "a string in quotes", "a list in parentheses"};
    struct place place = tag_attribute_place(tag, attribute);
    if (index >= attribute->value_count)
        report_error(reader->context, CP_INPUT, "tag-value", place, "%s needs %s as value %u, but has %u values",
                     attribute->key, kinds[kind], index + 1, attribute->value_count);
    else if (attribute->values[index].kind != kind)
        report_error(reader->context, CP_INPUT, "tag-value", place, "%s needs %s as value %u, not %s", attribute->key,
                     kinds[kind], index + 1, kinds[attribute->values[index].kind]);
    else
        return &attribute->values[index];
    return NULL;
}

cp_status tag_number(struct tag_reader *reader, const struct tag *tag, const struct tag_attribute *attribute,
                     uint32_t index, double *number)
{
    const struct tag_value *value = tag_value(reader, tag, attribute, index, TAG_VALUE_NUMBER);
    if (!value)
        return CP_INPUT;
    *number = value->number;
    return CP_OK;
}

cp_status tag_string(struct tag_reader *reader, const struct tag *tag, const struct tag_attribute *attribute,
                     uint32_t index, const struct tag_text **string)
{
    const struct tag_value *value = tag_value(reader, tag, attribute, index, TAG_VALUE_STRING);
    if (!value)
        return CP_INPUT;
    *string = &value->string;
    return CP_OK;
}

cp_status tag_triple(struct tag_reader *reader, const struct tag *tag, const struct tag_attribute *attribute,
                     double out[3])
{
    const struct tag_value *list = tag_value(reader, tag, attribute, 0, TAG_VALUE_LIST);
    if (!list)
        return CP_INPUT;
    if (list->list_count != 3)
        return report_error(reader->context, CP_INPUT, "tag-value", tag_attribute_place(tag, attribute),
                            "%s needs three numbers, not %u", attribute->key, list->list_count);
    memcpy(out, list->list, 3 * sizeof *out);
    return CP_OK;
}

/* ---- metadata ---- */

/* Writes the digits alone: json_number would write -0 as -0.0. */
static void put_number(struct json_writer *json, double value)
{
    char digits[NUMBER_SIZE];
    print_double(value, digits);
    json_word(json, digits);
}

static void put_value(struct json_writer *json, const struct tag_value *value)
{
    if (value->kind == TAG_VALUE_STRING) {
        json_text(json, value->string.text);
    } else if (value->kind == TAG_VALUE_NUMBER) {
        put_number(json, value->number);
    } else {
        json_open(json, '[');
        for (uint32_t i = 0; i < value->list_count; i++)
            put_number(json, value->list[i]);
        json_close(json, ']');
    }
}

/* Keeps an attribute as metadata. No value: true; one string or number: as it is; a list or several values: a JSON
 * array. */
static cp_status keep(struct tag_reader *reader, const struct tag_attribute *attribute, cp_owner owner, uint32_t index)
{
    static const cp_value_type types[] = {CP_VALUE_NUMBER, CP_VALUE_STRING, CP_VALUE_JSON}; /* by enum tag_value_kind */
    struct buffer text = {.context = reader->context};
    struct json_writer json = {.out = &text};
    const struct tag_value *values = attribute->values;
    cp_value_type type = CP_VALUE_JSON;
    if (!attribute->value_count) {
        type = CP_VALUE_BOOLEAN;
        json_word(&json, "true");
    } else if (attribute->value_count == 1) {
        type = types[values->kind];
        if (type == CP_VALUE_STRING)
            buffer_text(&text, values->string.text);
        else
            put_value(&json, values);
    } else {
        json_open(&json, '[');
        for (uint32_t i = 0; i < attribute->value_count; i++)
            put_value(&json, &values[i]);
        json_close(&json, ']');
    }
    buffer_append(&text, "", 1);
    bool kept = !text.failed && scene_add_metadata(reader->scene, owner, index, attribute->key, type, text.data);
    buffer_free(&text);
    return kept ? CP_OK : CP_LIMIT;
}

/* Returns how many values of an attribute are used. */
static uint32_t values_in_use(const char *key)
{
    static const struct {
        const char *key;
        uint32_t count;
    } counts[] = {{"GeoID", UINT32_MAX},
                  {"DrawableID", UINT32_MAX},
                  {"CollisionModelID", UINT32_MAX},
                  {"CompositeDevice", UINT32_MAX},
                  {"PassiveRevolute", 3},
                  {"PassivePrismatic", 3},
                  {"JointPosLimit", 2},
                  {"ActiveJoint", 0},
                  {"Revolute", 0},
                  {"Prismatic", 0},
                  {"Fixed", 0},
                  {"Link", 0},
                  {"Movable", 0},
                  {"Moveable", 0},
                  {"DAF", 0},
                  {"DrawableHighlight", 0},
                  {"DrawableWireMode", 0}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (!strcmp(counts[i].key, key))
            return counts[i].count;
    return 1;
}

cp_status tag_keep_unused(struct tag_reader *reader, const struct tag *tag, uint32_t node)
{
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < tag->attribute_count && status == CP_OK; i++) {
        const struct tag_attribute *attribute = &tag->attributes[i];
        uint32_t count = values_in_use(attribute->key), given = attribute->value_count;
        /* A bare "Attributes" is only a heading. */
        bool heading = given == 0 && !strcmp(attribute->key, "Attributes");
        if (!attribute->used && !heading)
            status = keep(reader, attribute, CP_OWNER_NODE, node);
        else if (attribute->used && given > count) /* RobWork takes the values it needs and ignores the rest */
            status =
                report_lenient(reader->context, reader->strict, "tag-extra", tag_attribute_place(tag, attribute),
                               "%s has %u values and needs %u; the others are ignored", attribute->key, given, count);
    }
    return status;
}

cp_status tag_keep_headers(struct tag_reader *reader, const struct tag_list *list, cp_owner owner, uint32_t index)
{
    struct name_map seen = {.context = reader->context};
    cp_status status = CP_OK;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->header_count && status == CP_OK; i++) {
        bool added = false;
        if (!name_map_add(&seen, list->headers[i].key, i, &added))
            status = CP_LIMIT;
        else if (added)
            status = keep(reader, &list->headers[i], owner, index);
        kept += added;
    }
    name_map_free(&seen);
    if (status == CP_OK && kept < list->header_count)
        report_note(reader->context, "tag-headers", IN_FILE(list->file), "further header lines, not kept: %u",
                    list->header_count - kept);
    return status;
}
