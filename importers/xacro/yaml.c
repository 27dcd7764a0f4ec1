/* YAML 1.1 by libyaml's events: values as PyYAML's safe loader makes them.
 *
 * Specification: YAML 1.1 (yaml.org/spec/1.1, yaml.org/type), and what PyYAML's SafeLoader reads of it, which differs:
 * a float needs a point, and its exponent a sign; words such as y and n are texts.
 *
 * Behaviour and limitations:
 * - Refused: merge keys, dates, the value "=", several documents, aliases of what holds them, keys that are lists or
 *   dicts, tags other than those of YAML's own scalars, lists and dicts, and of units of xacro.
 * - Of equal keys the last one counts, at the place of the first. Numbers that are equal are equal keys: 1, 1.0, true.
 */
#include "yaml.h"

#include <math.h>

#include "base/text/text.h"
#include "evaluation.h"

#ifdef HAVE_YAML
#include <yaml.h>

/* clang-format off */
#define YAML_FUNCTIONS(X) \
    X(yaml_event_delete) X(yaml_parser_delete) X(yaml_parser_initialize) X(yaml_parser_parse) \
    X(yaml_parser_set_input_string)
/* clang-format on */

LATE_FUNCTIONS(libyaml, YAML_FUNCTIONS);
static LATE_LIBRARY(libyaml, FILE_OF_YAML, 0, YAML_FUNCTIONS);

struct yaml_reader {
    struct expression_world *world;
    struct evaluation work; /* counts steps and makes values */
    const struct source *source;
    yaml_parser_t parser;
    yaml_event_t event; /* the one that is being read; it is always one that can be deleted */
    struct value *anchored;
    uint32_t anchor_count, anchor_room;
    struct name_map anchors;
};

static struct place place_of(const struct yaml_reader *reader)
{
    return AT_LINE(reader->source->name, reader->event.start_mark.line + 1);
}

#define FAIL(reader, ...) report_error((reader)->world->context, CP_INPUT, "xacro-yaml", place_of(reader), __VA_ARGS__)

/* Goes to the next event. */
static cp_status next(struct yaml_reader *reader)
{
    yaml_parser_t *parser = &reader->parser;
    cp_context *context = reader->world->context;
    libyaml.yaml_event_delete(&reader->event);
    memset(&reader->event, 0, sizeof reader->event);
    if (libyaml.yaml_parser_parse(parser, &reader->event))
        return evaluation_spend(&reader->work, 1);
    memset(&reader->event, 0, sizeof reader->event);
    if (parser->error == YAML_MEMORY_ERROR)
        return report_error(context, CP_LIMIT, "xacro-memory", IN_FILE(reader->source->name),
                            "out of memory in the YAML parser");
    uint64_t line =
        parser->error == YAML_READER_ERROR
            ? source_line(reader->source,
                          parser->problem_offset < reader->source->size ? parser->problem_offset : reader->source->size)
            : parser->problem_mark.line + 1;
    return report_error(context, CP_INPUT, "xacro-yaml", AT_LINE(reader->source->name, line), "%.100s%s%.200s",
                        parser->context ? parser->context : "", parser->context ? ": " : "",
                        parser->problem ? parser->problem : "this is no YAML");
}

/* ---- scalars ---- */

struct scalar {
    const char *text, *end;
};

static bool is_word(const struct scalar *scalar, const char *const *words)
{
    size_t size = (size_t)(scalar->end - scalar->text);
    while (*words && (strlen(*words) != size || memcmp(*words, scalar->text, size) != 0))
        words++;
    return *words != NULL;
}

static const char *skip(const char *at, const char *end, const char *set)
{
    while (at < end && *at && strchr(set, *at))
        at++;
    return at;
}

static const char *behind_sign(const struct scalar *scalar)
{
    return scalar->text + (scalar->text < scalar->end && (*scalar->text == '-' || *scalar->text == '+'));
}

static const char digits[] = "0123456789_";

/* Goes behind ":59" and further such parts. Returns `at` if there is none. */
static const char *skip_sixties(const char *at, const char *end)
{
    while (end - at >= 2 && *at == ':' && is_digit(at[1]))
        at += end - at >= 3 && at[1] <= '5' && is_digit(at[2]) ? 3 : 2;
    return at;
}

/* Reads the digits of an integer, without underscores. False if there are none, or too many. */
static bool read_digits(const char *at, const char *end, int radix, int64_t *sum)
{
    bool good = false, fits = true;
    *sum = 0;
    for (; at < end; at++) {
        if (*at == '_')
            continue;
        int digit = hex_digit(*at);
        good = true;
        fits = fits && digit < radix && !__builtin_mul_overflow(*sum, radix, sum) &&
               !__builtin_add_overflow(*sum, digit, sum);
    }
    return good && fits;
}

/* Adds up the parts of 1:30:15, each worth sixty of the next. */
static double add_sixties(const char *at, const char *end)
{
    double sum = 0;
    while (at < end) {
        const char *part = at;
        double number = 0;
        at = skip(at, end, "0123456789_.");
        char plain[400];
        size_t size = 0;
        for (; part < at && size < sizeof plain; part++)
            if (*part != '_')
                plain[size++] = *part;
        (void)parse_double(plain, plain + size, &number);
        sum = 60 * sum + number;
        at++;
    }
    return sum;
}

/* Reads an integer: binary, octal, decimal, hexadecimal, or to the base 60. False if it is none. */
static cp_status read_integer(struct yaml_reader *reader, const struct scalar *scalar, struct value *value,
                              bool *is_one)
{
    const char *at = behind_sign(scalar), *end = scalar->end, *last = skip(at, end, digits);
    bool is_zero = at < end && *at == '0', has_prefix = is_zero && end - at > 2;
    int64_t integer;
    int radix = 10;
    *is_one = true;
    if (has_prefix && at[1] == 'b' && skip(at + 2, end, "01_") == end)
        radix = 2;
    else if (has_prefix && at[1] == 'x' && skip(at + 2, end, "0123456789abcdefABCDEF_") == end)
        radix = 16;
    else if (is_zero && end - at > 1 && skip(at, end, "01234567_") == end)
        radix = 8;
    else if (at == end || *at == '_' || (is_zero && end - at > 1) || !is_digit(*at))
        *is_one = false;
    else if (last < end && skip_sixties(last, end) == end) {
        double sum = add_sixties(at, end); /* exact up to 2^53 */
        if (sum > 0x1p53)
            return FAIL(reader, "an integer to the base 60 is too large");
        *value = value_of_int((int64_t)sum * (*scalar->text == '-' ? -1 : 1));
        return CP_OK;
    } else
        *is_one = last == end;
    if (!*is_one)
        return CP_OK;
    if (!read_digits(at + (radix == 2 || radix == 16 ? 2 : 0), end, radix, &integer))
        return FAIL(reader, "an integer has no digits, or is beyond 64 bits: %.*s",
                    end - scalar->text > 60 ? 60 : (int)(end - scalar->text), scalar->text);
    *value = value_of_int(*scalar->text == '-' ? -integer : integer);
    return CP_OK;
}

/* Reads a float, which needs a point. False if it is none. */
static bool read_float(const struct scalar *scalar, double *number)
{
    static const char *const infinite[] = {".inf", ".Inf", ".INF", NULL}, *const nan_words[] = {".nan", ".NaN", ".NAN",
                                                                                                NULL};
    const char *at = behind_sign(scalar), *end = scalar->end;
    const struct scalar word = {at, end};
    double sign = *scalar->text == '-' ? -1 : 1;
    if (is_word(&word, infinite) || is_word(scalar, nan_words)) {
        *number = at[1] == 'i' || at[1] == 'I' ? sign * INFINITY : NAN;
        return true;
    }
    bool starts_with_point = at < end && *at == '.';
    if (at == end || *at == '_' || (starts_with_point && (at != scalar->text || end - at < 2 || !is_digit(at[1]))))
        return false;
    const char *whole = skip(at, end, digits), *sixties = starts_with_point ? whole : skip_sixties(whole, end);
    if (sixties == end || *sixties != '.')
        return false;
    const char *last = skip(sixties + 1, end, digits);
    if (sixties > whole) {
        *number = last == end ? sign * add_sixties(at, end) : 0;
        return last == end;
    }
    if (end - last >= 3 && (*last == 'e' || *last == 'E') && (last[1] == '-' || last[1] == '+') && is_digit(last[2]))
        last = skip(last + 2, end, "0123456789");
    if (last != end)
        return false;
    char plain[1000];
    size_t size = 0;
    for (; at < end && size < sizeof plain; at++)
        if (*at != '_')
            plain[size++] = *at;
    bool read = at == end && parse_double(plain, plain + size, number) == plain + size;
    *number *= sign;
    return read;
}

/* Tells whether it is a date, or a date and a time. */
static bool is_date(const struct scalar *scalar)
{
    static const char *const parts[] = {"-", "-", ""};
    const char *at = scalar->text, *end = scalar->end;
    for (size_t i = 0; i < 3; i++) {
        const char *last = skip(at, end, "0123456789");
        if ((i == 0 && last - at != 4) || last - at < 1 || last - at > 4 ||
            (*parts[i] && (last == end || *last != '-')))
            return false;
        at = last + (i < 2);
    }
    return at == end || *at == 'T' || *at == 't' || *at == ' ' || *at == '\t';
}

/* Makes a value of a plain scalar by how it is written. */
static cp_status resolve(struct yaml_reader *reader, const struct scalar *scalar, struct value *value)
{
    static const char *const nothing[] = {"", "~", "null", "Null", "NULL", NULL};
    static const char *const yes[] = {"yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON", NULL};
    static const char *const no[] = {"no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF", NULL};
    static const char *const refused[] = {"<<", "=", NULL};
    double number = 0;
    bool is_integer;
    *value = NONE_VALUE;
    if (is_word(scalar, nothing))
        return CP_OK;
    if (is_word(scalar, refused) || is_date(scalar))
        return FAIL(reader, "%s is not supported; in quotes it is a text",
                    *scalar->text == '<'   ? "a merge key (<<)"
                    : *scalar->text == '=' ? "the value ="
                                           : "a date");
    if (is_word(scalar, yes) || is_word(scalar, no)) {
        *value = value_of_bool(is_word(scalar, yes));
        return CP_OK;
    }
    if (read_float(scalar, &number)) {
        *value = value_of_float(number);
        return CP_OK;
    }
    cp_status status = read_integer(reader, scalar, value, &is_integer);
    if (status != CP_OK || is_integer)
        return status;
    return evaluation_copy(&reader->work, scalar->text, (size_t)(scalar->end - scalar->text), value);
}

/* Tags of numbers with a unit, and its size in metres or radians. */
static const struct {
    const char *tag;
    double size;
} units[] = {{"!degrees", PI / 180.0}, {"!radians", 1},     {"!meters", 1},
             {"!millimeters", 0.001},  {"!inches", 0.0254}, {"!foot", 0.3048}};

/* Evaluates the expression of a number with a unit, which sees no properties. */
static cp_status evaluate_measure(struct yaml_reader *reader, const struct scalar *scalar, double unit,
                                  struct value *value)
{
    struct expression_world world = *reader->world;
    struct value result;
    double number = 0;
    world.place = place_of(reader);
    world.find = NULL;
    world.find_member = NULL;
    world.load_yaml = NULL;
    world.argument = NULL;
    cp_status status = expression_evaluate(&world, scalar->text, (size_t)(scalar->end - scalar->text), &result);
    reader->world->steps = world.steps;
    reader->world->old_names = world.old_names;
    if (status != CP_OK)
        return status;
    if (value_is_number(&result))
        number = value_number(&result);
    else if (result.kind != VALUE_TEXT || !value_read_float(result.text.bytes, result.text.size, &number))
        return FAIL(reader, "a value with a unit is not a number: %.*s",
                    scalar->end - scalar->text > 60 ? 60 : (int)(scalar->end - scalar->text), scalar->text);
    *value = value_of_float(number * unit);
    return CP_OK;
}

/* Makes a value of a scalar with a tag of YAML's own: it must be written as one of these. */
static cp_status read_tagged(struct yaml_reader *reader, const struct scalar *scalar, const char *kind,
                             struct value *value)
{
    if (strcmp(kind, "str") == 0)
        return evaluation_copy(&reader->work, scalar->text, (size_t)(scalar->end - scalar->text), value);
    cp_status status = resolve(reader, scalar, value);
    if (status == CP_OK && strcmp(kind, "float") == 0 && value->kind == VALUE_INT)
        *value = value_of_float((double)value->integer);
    bool fits = (strcmp(kind, "null") == 0 && value->kind == VALUE_NONE) || strcmp(kind, value_kind_name(value)) == 0;
    if (status == CP_OK && !fits)
        status = FAIL(reader, "the value does not fit its tag !!%.60s", kind);
    return status;
}

static const char own_tags[] = "tag:yaml.org,2002:";

static cp_status read_scalar(struct yaml_reader *reader, struct value *value)
{
    const char *tag = (const char *)reader->event.data.scalar.tag,
               *text = (const char *)reader->event.data.scalar.value;
    const size_t size = reader->event.data.scalar.length;
    const struct scalar scalar = {text, text + size};
    bool is_plain = reader->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (memchr(text, 0, size))
        return FAIL(reader, "a text has a zero byte");
    for (size_t i = 0; tag && i < sizeof units / sizeof *units; i++)
        if (strcmp(tag, units[i].tag) == 0)
            return evaluate_measure(reader, &scalar, units[i].size, value);
    if (tag && strncmp(tag, own_tags, sizeof own_tags - 1) == 0 && !strstr(tag, "map") && !strstr(tag, "seq"))
        return read_tagged(reader, &scalar, tag + sizeof own_tags - 1, value);
    if (tag)
        return FAIL(reader, "the tag %.100s is not supported", tag);
    if (is_plain)
        return resolve(reader, &scalar, value);
    return evaluation_copy(&reader->work, text, size, value);
}

/* ---- lists and dicts ---- */

static cp_status read_node(struct yaml_reader *reader, uint32_t depth, struct value *value);

/* Values of a list or dict that is being read. */
struct collection {
    struct value *values, *keys;
    uint32_t count, room, key_room;
    struct name_map places; /* of keys */
    struct buffer name;
};

/* Makes a text that is the same for equal keys alone. */
static const char *name_key(struct yaml_reader *reader, struct buffer *name, const struct value *key)
{
    struct value number = *key;
    double whole = key->kind == VALUE_FLOAT ? key->number : 0.5;
    if (key->kind == VALUE_BOOL)
        number = value_of_int(key->truth);
    if (whole == trunc(whole) && fabs(whole) < 0x1p63)
        number = value_of_int((int64_t)whole);
    name->size = 0;
    buffer_text(name, key->kind == VALUE_TEXT ? "'" : "");
    value_print(&number, name);
    return name->failed ? NULL : arena_copy_text(reader->world->arena, name->data, name->size);
}

static cp_status add_pair(struct yaml_reader *reader, struct collection *dict, const struct value *key,
                          const struct value *value)
{
    cp_context *context = reader->world->context;
    bool is_new = false;
    const char *name = name_key(reader, &dict->name, key);
    uint32_t *place = name ? name_map_add(&dict->places, name, dict->count, &is_new) : NULL;
    if (!place)
        return CP_LIMIT;
    if (!is_new) {
        dict->values[*place] = *value;
        return CP_OK;
    }
    if (!array_reserve(context, &dict->keys, &dict->key_room, (uint64_t)dict->count + 1, sizeof *key))
        return CP_LIMIT;
    dict->keys[dict->count] = *key;
    return array_add(context, &dict->values, &dict->room, &dict->count, value, sizeof *value) ? CP_OK : CP_LIMIT;
}

/* Reads what a list holds, up to its end. */
static cp_status read_list(struct yaml_reader *reader, uint32_t depth, struct collection *list)
{
    cp_status status = next(reader);
    while (status == CP_OK && reader->event.type != YAML_SEQUENCE_END_EVENT) {
        struct value value;
        status = read_node(reader, depth, &value);
        if (status == CP_OK &&
            !array_add(reader->world->context, &list->values, &list->room, &list->count, &value, sizeof value))
            status = CP_LIMIT;
        if (status == CP_OK)
            status = next(reader);
    }
    return status;
}

/* Reads what a dict holds, up to its end. */
static cp_status read_dict(struct yaml_reader *reader, uint32_t depth, struct collection *dict)
{
    cp_status status = next(reader);
    while (status == CP_OK && reader->event.type != YAML_MAPPING_END_EVENT) {
        struct value key, value;
        status = read_node(reader, depth, &key);
        if (status == CP_OK && (key.kind == VALUE_LIST || key.kind == VALUE_DICT))
            status = FAIL(reader, "a %s cannot be a key", value_kind_name(&key));
        if (status == CP_OK)
            status = next(reader);
        if (status == CP_OK)
            status = read_node(reader, depth, &value);
        if (status == CP_OK)
            status = add_pair(reader, dict, &key, &value);
        if (status == CP_OK)
            status = next(reader);
    }
    return status;
}

static cp_status finish_collection(struct yaml_reader *reader, bool is_list, const struct collection *read,
                                   struct value *value)
{
    cp_status status;
    struct value_items *items = evaluation_items(&reader->work, read->count, !is_list, &status);
    if (!items)
        return status;
    if (read->count > 0)
        memcpy(items->values, read->values, read->count * sizeof *items->values);
    if (read->count > 0 && !is_list)
        memcpy(items->keys, read->keys, read->count * sizeof *items->keys);
    items->is_dotted = true;
    if (value_of_items(is_list ? VALUE_LIST : VALUE_DICT, items, value))
        return CP_OK;
    return FAIL(reader,
                "more than %d values and characters, or lists nested more than %d deep, aliases counted each time",
                (int)HEAVIEST_VALUE, (int)DEEPEST_VALUE);
}

static cp_status read_collection(struct yaml_reader *reader, uint32_t depth, struct value *value)
{
    cp_context *context = reader->world->context;
    bool is_list = reader->event.type == YAML_SEQUENCE_START_EVENT;
    const char *tag =
        (const char *)(is_list ? reader->event.data.sequence_start.tag : reader->event.data.mapping_start.tag);
    struct collection read = {.places = {.context = context}, .name = {.context = context}};
    if (tag && (strncmp(tag, own_tags, sizeof own_tags - 1) != 0 ||
                strcmp(tag + sizeof own_tags - 1, is_list ? "seq" : "map") != 0))
        return FAIL(reader, "the tag %.100s is not supported", tag);
    if (depth >= DEEPEST_VALUE)
        return FAIL(reader, "lists and dicts are nested more than %d deep", (int)DEEPEST_VALUE);
    cp_status status = is_list ? read_list(reader, depth + 1, &read) : read_dict(reader, depth + 1, &read);
    if (status == CP_OK)
        status = finish_collection(reader, is_list, &read, value);
    memory_free(context, read.values, read.room, sizeof *read.values);
    memory_free(context, read.keys, read.key_room, sizeof *read.keys);
    name_map_free(&read.places);
    buffer_free(&read.name);
    return status;
}

/* ---- anchors ---- */

/* Returns the name of the anchor at the event, copied; NULL if there is none. */
static const char *anchor_of(struct yaml_reader *reader, cp_status *status)
{
    const yaml_event_t *event = &reader->event;
    const char *anchor = (const char *)(event->type == YAML_SCALAR_EVENT           ? event->data.scalar.anchor
                                        : event->type == YAML_SEQUENCE_START_EVENT ? event->data.sequence_start.anchor
                                                                                   : event->data.mapping_start.anchor);
    const char *copy = anchor ? arena_copy_text(reader->world->arena, anchor, strlen(anchor)) : NULL;
    *status = anchor && !copy ? CP_LIMIT : CP_OK;
    return copy;
}

/* Gives the anchor the value, once it is whole. */
static cp_status set_anchor(struct yaml_reader *reader, const char *anchor, const struct value *value)
{
    cp_context *context = reader->world->context;
    bool is_new = false;
    if (!name_map_add(&reader->anchors, anchor, reader->anchor_count, &is_new))
        return CP_LIMIT;
    if (!is_new)
        return FAIL(reader, "the anchor &%.100s is there twice", anchor);
    return array_add(context, &reader->anchored, &reader->anchor_room, &reader->anchor_count, value, sizeof *value)
               ? CP_OK
               : CP_LIMIT;
}

static cp_status read_alias(struct yaml_reader *reader, struct value *value)
{
    const char *anchor = (const char *)reader->event.data.alias.anchor;
    const uint32_t *place = name_map_find(&reader->anchors, anchor);
    if (!place)
        return FAIL(reader, "the alias *%.100s has no anchor before it, or is inside it", anchor);
    *value = reader->anchored[*place];
    return CP_OK;
}

/* Reads the value that begins with this event, up to its last one. */
static cp_status read_node(struct yaml_reader *reader, uint32_t depth, struct value *value)
{
    cp_status status;
    *value = NONE_VALUE;
    if (reader->event.type == YAML_ALIAS_EVENT)
        return read_alias(reader, value);
    const char *anchor = anchor_of(reader, &status);
    if (status == CP_OK)
        status = reader->event.type == YAML_SCALAR_EVENT ? read_scalar(reader, value)
                                                         : read_collection(reader, depth, value);
    return status == CP_OK && anchor ? set_anchor(reader, anchor, value) : status;
}

/* ---- the file ---- */

/* Reads the events of a stream: its start, one document or none, its end. */
static cp_status read_stream(struct yaml_reader *reader, struct value *value)
{
    *value = NONE_VALUE;
    cp_status status = next(reader);
    if (status == CP_OK)
        status = next(reader);
    if (status != CP_OK || reader->event.type == YAML_STREAM_END_EVENT)
        return status;
    status = next(reader);
    if (status == CP_OK)
        status = read_node(reader, 0, value);
    if (status == CP_OK)
        status = next(reader);
    if (status == CP_OK)
        status = next(reader);
    if (status == CP_OK && reader->event.type != YAML_STREAM_END_EVENT)
        status = FAIL(reader, "a second document begins here, but the file should have one");
    return status;
}

cp_status yaml_read(struct expression_world *world, const struct source *source, struct value *value)
{
    struct yaml_reader reader = {
        .world = world, .work = {.world = world}, .source = source, .anchors = {.context = world->context}};
    enum { LARGEST_FILE = HEAVIEST_VALUE / 2 };
    if (source->size > LARGEST_FILE) /* no text is then larger than a value may be, whatever its escapes are */
        return report_error(world->context, CP_LIMIT, "xacro-yaml", IN_FILE(source->name),
                            "a YAML file may have at most %d bytes", (int)LARGEST_FILE);
    cp_status status = library_load(world->context, &libyaml_library);
    if (status != CP_OK)
        return status;
    if (!libyaml.yaml_parser_initialize(&reader.parser))
        return report_error(world->context, CP_LIMIT, "xacro-memory", IN_FILE(source->name),
                            "out of memory in the YAML parser");
    libyaml.yaml_parser_set_input_string(&reader.parser, (const unsigned char *)source->data, source->size);
    struct place place = world->place; /* errors of values are in the file, not where load_yaml is */
    world->place = IN_FILE(source->name);
    status = read_stream(&reader, value);
    world->place = place;
    libyaml.yaml_event_delete(&reader.event);
    libyaml.yaml_parser_delete(&reader.parser);
    name_map_free(&reader.anchors);
    memory_free(world->context, reader.anchored, reader.anchor_room, sizeof *reader.anchored);
    return status;
}

#else

cp_status yaml_read(struct expression_world *world, const struct source *source, struct value *value)
{
    *value = NONE_VALUE;
    return report_error(world->context, CP_INPUT, "xacro-unbuilt", IN_FILE(source->name),
                        "YAML is not read: cellpipe was built without libyaml");
}

#endif
