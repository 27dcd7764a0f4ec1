/* Values of expressions: how Python prints them, which are true, and which are equal. */
#include "values.h"

#include <math.h>

#include "base/text/text.h"

/* ---- kinds ---- */

const char *value_kind_name(const struct value *value)
{
    static const char *const names[] = {"NoneType", "bool",  "int",  "float",    "str",
                                        "list",     "tuple", "dict", "function", "module"};
    return names[value->kind];
}

bool value_is_number(const struct value *value)
{
    return value->kind == VALUE_BOOL || value->kind == VALUE_INT || value->kind == VALUE_FLOAT;
}

int64_t value_integer(const struct value *value)
{
    return value->kind == VALUE_BOOL ? value->truth : value->integer;
}

double value_number(const struct value *value)
{
    return value->kind == VALUE_FLOAT ? value->number : (double)value_integer(value);
}

static bool has_items(const struct value *value)
{
    return value->kind == VALUE_LIST || value->kind == VALUE_TUPLE || value->kind == VALUE_DICT;
}

uint64_t value_weight(const struct value *value)
{
    if (value->kind == VALUE_TEXT)
        return 1 + (uint64_t)value->text.size;
    return has_items(value) ? value->items->weight : 1;
}

bool value_of_items(enum value_kind kind, struct value_items *items, struct value *value)
{
    items->depth = 1;
    items->weight = 1;
    for (uint32_t i = 0; i < items->count; i++) {
        const struct value *item = &items->values[i];
        items->weight += value_weight(item) + (items->keys ? value_weight(&items->keys[i]) : 0);
        if (has_items(item) && item->items->depth >= items->depth)
            items->depth = item->items->depth + 1;
    }
    *value = (struct value){.kind = kind, .items = items};
    return items->depth <= DEEPEST_VALUE && items->weight <= HEAVIEST_VALUE;
}

/* ---- truth and equality ---- */

bool value_is_true(const struct value *value)
{
    switch (value->kind) {
    case VALUE_NONE:
        return false;
    case VALUE_BOOL:
        return value->truth;
    case VALUE_INT:
        return value->integer != 0;
    case VALUE_FLOAT:
        return value->number != 0;
    case VALUE_TEXT:
        return value->text.size > 0;
    case VALUE_LIST:
    case VALUE_TUPLE:
    case VALUE_DICT:
        return value->items->count > 0;
    case VALUE_FUNCTION:
    case VALUE_MODULE:
        break;
    }
    return true;
}

static int order_of(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* A double holds no more than 53 bits of an integer, so the integer is not converted. */
static int compare_with_float(int64_t integer, double number)
{
    if (number >= 0x1p63)
        return -1;
    if (number < -0x1p63)
        return 1;
    double whole = trunc(number);
    int order = order_of(integer, (int64_t)whole);
    return order != 0 ? order : (whole > number) - (whole < number);
}

bool value_compare_numbers(const struct value *a, const struct value *b, int *order)
{
    bool first = a->kind == VALUE_FLOAT, second = b->kind == VALUE_FLOAT;
    *order = 0;
    if ((first && isnan(a->number)) || (second && isnan(b->number)))
        return false;
    if (first && second)
        *order = (a->number > b->number) - (a->number < b->number);
    else if (first)
        *order = -compare_with_float(value_integer(b), a->number);
    else if (second)
        *order = compare_with_float(value_integer(a), b->number);
    else
        *order = order_of(value_integer(a), value_integer(b));
    return true;
}

static const struct value *value_at_key(const struct value_items *dict, const struct value *key)
{
    for (uint32_t i = 0; i < dict->count; i++)
        if (value_equal(&dict->keys[i], key))
            return &dict->values[i];
    return NULL;
}

/* Dicts are equal whatever the order of their keys. */
static bool equal_items(const struct value_items *a, const struct value_items *b)
{
    if (a == b)
        return true;
    bool same = a->count == b->count;
    for (uint32_t i = 0; i < a->count && same; i++) {
        const struct value *other = a->keys ? value_at_key(b, &a->keys[i]) : &b->values[i];
        same = other && value_equal(&a->values[i], other);
    }
    return same;
}

bool value_equal(const struct value *a, const struct value *b)
{
    int order;
    if (value_is_number(a) && value_is_number(b))
        return value_compare_numbers(a, b, &order) && order == 0;
    if (a->kind != b->kind)
        return false;
    if (a->kind == VALUE_TEXT)
        return a->text.size == b->text.size && memcmp(a->text.bytes, b->text.bytes, a->text.size) == 0;
    if (has_items(a))
        return equal_items(a->items, b->items);
    if (a->kind == VALUE_FUNCTION)
        return a->call.function == b->call.function && a->call.object == b->call.object;
    return a->kind == VALUE_NONE || strcmp(a->module.name, b->module.name) == 0;
}

/* ---- printing ---- */

/* The digits of a float without zeros around them. */
struct float_digits {
    char digits[NUMBER_SIZE];
    int count, exponent; /* of the first digit */
};

static struct float_digits digits_of(const char *text)
{
    struct float_digits found = {.count = 0, .exponent = -1};
    bool is_fraction = false;
    for (; *text && *text != 'e'; text++) {
        is_fraction = is_fraction || *text == '.';
        if (!is_digit(*text))
            continue;
        bool leads = found.count == 0 && *text == '0';
        found.exponent += leads ? -is_fraction : !is_fraction;
        if (!leads)
            found.digits[found.count++] = *text;
    }
    while (found.count > 1 && found.digits[found.count - 1] == '0')
        found.count--;
    int exponent = 0;
    bool is_negative = *text == 'e' && text[1] == '-';
    for (text += *text == 'e' ? 1 + is_negative : 0; is_digit(*text); text++)
        exponent = 10 * exponent + (*text - '0');
    found.exponent += is_negative ? -exponent : exponent;
    return found;
}

/* Prints repr() of a float: the shortest digits that read back, plain from 1e-4 to below 1e16. */
static void print_python_float(double number, struct buffer *text)
{
    char shortest[NUMBER_SIZE];
    (void)print_double(fabs(number), shortest);
    if (signbit(number) && !isnan(number))
        buffer_text(text, "-");
    if (!isfinite(number) || number == 0) {
        buffer_text(text, number == 0 ? "0.0" : shortest);
        return;
    }
    struct float_digits found = digits_of(shortest);
    int exponent = found.exponent, before = exponent >= 0 ? exponent + 1 : 0; /* digits before the point */
    if (exponent < -4 || exponent >= 16) {
        buffer_append(text, found.digits, 1);
        if (found.count > 1)
            buffer_print(text, ".%.*s", found.count - 1, found.digits + 1);
        buffer_print(text, "e%c%02d", exponent < 0 ? '-' : '+', exponent < 0 ? -exponent : exponent);
        return;
    }
    for (int i = 0; i < before; i++)
        buffer_append(text, i < found.count ? &found.digits[i] : "0", 1);
    buffer_text(text, before == 0 ? "0." : ".");
    for (int i = exponent + 1; i < 0; i++)
        buffer_text(text, "0");
    if (found.count > before)
        buffer_append(text, found.digits + before, (size_t)(found.count - before));
    else
        buffer_text(text, "0");
}

/* Reads the code of the character at the start of well-formed UTF-8, whose length is known. */
static uint32_t code_of(const char *bytes, size_t length)
{
    uint32_t first = (unsigned char)*bytes, code = length == 1 ? first : first & (0x7FU >> length);
    for (size_t i = 1; i < length; i++)
        code = code << 6 | ((unsigned char)bytes[i] & 0x3FU);
    return code;
}

/* Tells whether repr() shows the character as a number: those without a picture, of those that texts have. */
static bool is_escaped(uint32_t code)
{
    static const uint32_t ranges[][2] = {{0, 0x1F},        {0x7F, 0xA0},       {0xAD, 0xAD},       {0x1680, 0x1680},
                                         {0x180E, 0x180E}, {0x2000, 0x200F},   {0x2028, 0x202F},   {0x205F, 0x206F},
                                         {0x3000, 0x3000}, {0xD800, 0xF8FF},   {0xFEFF, 0xFEFF},   {0xFFF0, 0xFFFB},
                                         {0xFFFE, 0xFFFF}, {0xE0000, 0xE0FFF}, {0xF0000, 0x10FFFF}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code >= ranges[i][0] && code <= ranges[i][1])
            return true;
    return false;
}

/* Prints repr() of a text: in single quotes, or in double ones if it has single ones alone. */
static void print_quoted(const struct value *value, struct buffer *text)
{
    const char *bytes = value->text.bytes;
    size_t size = value->text.size;
    char quote = memchr(bytes, '\'', size) && !memchr(bytes, '"', size) ? '"' : '\'';
    buffer_append(text, &quote, 1);
    for (size_t at = 0, length; at < size; at += length) {
        char c = bytes[at];
        length = utf8_length(bytes + at, size - at);
        length = length > 0 ? length : 1;
        uint32_t code = code_of(bytes + at, length);
        const char *name = c == '\n' ? "\\n" : c == '\r' ? "\\r" : c == '\t' ? "\\t" : c == '\\' ? "\\\\" : NULL;
        if (name)
            buffer_text(text, name);
        else if (is_escaped(code))
            buffer_print(text, code < 0x100 ? "\\x%02x" : code < 0x10000 ? "\\u%04x" : "\\U%08x", code);
        else if (c == quote)
            buffer_print(text, "\\%c", c);
        else
            buffer_append(text, bytes + at, length);
    }
    buffer_append(text, &quote, 1);
}

static void print_item(const struct value *value, struct buffer *text)
{
    if (value->kind == VALUE_TEXT)
        print_quoted(value, text);
    else
        value_print(value, text);
}

static void print_items(const struct value *value, struct buffer *text)
{
    const struct value_items *items = value->items;
    buffer_text(text, value->kind == VALUE_LIST ? "[" : value->kind == VALUE_TUPLE ? "(" : "{");
    for (uint32_t i = 0; i < items->count; i++) {
        if (i > 0)
            buffer_text(text, ", ");
        if (items->keys) {
            print_item(&items->keys[i], text);
            buffer_text(text, ": ");
        }
        print_item(&items->values[i], text);
    }
    if (value->kind == VALUE_TUPLE)
        buffer_text(text, items->count == 1 ? ",)" : ")");
    else
        buffer_text(text, value->kind == VALUE_LIST ? "]" : "}");
}

void value_print(const struct value *value, struct buffer *text)
{
    switch (value->kind) {
    case VALUE_NONE:
        buffer_text(text, "None");
        break;
    case VALUE_BOOL:
        buffer_text(text, value->truth ? "True" : "False");
        break;
    case VALUE_INT:
        buffer_print(text, "%lld", (long long)value->integer);
        break;
    case VALUE_FLOAT:
        print_python_float(value->number, text);
        break;
    case VALUE_TEXT:
        buffer_append(text, value->text.bytes, value->text.size);
        break;
    case VALUE_LIST:
    case VALUE_TUPLE:
    case VALUE_DICT:
        print_items(value, text);
        break;
    case VALUE_FUNCTION:
        buffer_text(text, "<function>");
        break;
    case VALUE_MODULE:
        buffer_print(text, "<module '%s'>", value->module.name);
        break;
    }
}

/* ---- reading ---- */

/* Leaves out white space at both ends, as int() and float() do. */
static void trim(const char **text, size_t *size)
{
    while (*size > 0 && is_space(**text)) {
        ++*text;
        --*size;
    }
    while (*size > 0 && is_space((*text)[*size - 1]))
        --*size;
}

enum reading value_read_integer(const char *text, size_t size, int64_t *integer)
{
    trim(&text, &size);
    bool is_negative = size > 0 && *text == '-', fits = true, was_digit = false;
    int64_t sum = 0;
    for (size_t i = size > 0 && (*text == '-' || *text == '+'); i < size; i++) {
        if (text[i] == '_' && was_digit) {
            was_digit = false;
            continue;
        }
        if (!is_digit(text[i]))
            return READ_NOTHING;
        was_digit = true;
        int digit = is_negative ? '0' - text[i] : text[i] - '0';
        fits = fits && !__builtin_mul_overflow(sum, 10, &sum) && !__builtin_add_overflow(sum, digit, &sum);
    }
    if (!was_digit)
        return READ_NOTHING;
    *integer = sum;
    return fits ? READ_NUMBER : READ_TOO_LARGE;
}

/* Copies a number without its underscores, each of which must be between two digits. */
static bool without_underscores(const char *text, size_t size, char *out, size_t room, size_t *length)
{
    *length = 0;
    for (size_t i = 0; i < size; i++) {
        bool is_between = i > 0 && is_digit(text[i - 1]) && i + 1 < size && is_digit(text[i + 1]);
        if (text[i] == '_' ? !is_between : *length == room)
            return false;
        if (text[i] != '_')
            out[(*length)++] = text[i];
    }
    return true;
}

/* Reads "inf", "infinity" or "nan" in any case, perhaps with a sign. */
static bool read_word(const char *text, size_t size, double *number)
{
    enum { LONGEST = sizeof "infinity" };
    char word[LONGEST];
    bool has_sign = size > 0 && (*text == '-' || *text == '+');
    if (size - has_sign >= LONGEST)
        return false;
    memcpy(word, text + has_sign, size - has_sign);
    word[size - has_sign] = '\0';
    bool is_infinite = text_equal_nocase(word, "inf") || text_equal_nocase(word, "infinity");
    if (!is_infinite && !text_equal_nocase(word, "nan"))
        return false;
    *number = is_infinite ? (*text == '-' ? -INFINITY : INFINITY) : NAN;
    return true;
}

bool value_read_float(const char *text, size_t size, double *number)
{
    enum { LONGEST = 1000 };
    char plain[LONGEST];
    trim(&text, &size);
    if (size == 0)
        return false;
    if (memchr(text, '_', size)) {
        if (!without_underscores(text, size, plain, LONGEST, &size))
            return false;
        text = plain;
    }
    return parse_double(text, text + size, number) == text + size || read_word(text, size, number);
}

bool value_from_literal(const char *text, size_t size, struct value *value)
{
    int64_t integer;
    double number;
    if (memchr(text, '_', size))
        return false;
    enum reading read = value_read_integer(text, size, &integer);
    if (read == READ_NUMBER)
        *value = value_of_int(integer);
    else if (read == READ_NOTHING && value_read_float(text, size, &number))
        *value = value_of_float(number);
    else if ((size == 4 && memcmp(text + 1, "rue", 3) == 0 && (*text == 't' || *text == 'T')) ||
             (size == 5 && memcmp(text + 1, "alse", 4) == 0 && (*text == 'f' || *text == 'F')))
        *value = value_of_bool(size == 4);
    else
        return false;
    return true;
}
