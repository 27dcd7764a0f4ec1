/* Operators of expressions, with Python's results. Integers have 64 bits: what is beyond them is an error. */
#include <math.h>

#include "base/text/powers.h"
#include "base/text/text.h"
#include "evaluation.h"

static bool is_list(const struct value *value)
{
    return value->kind == VALUE_LIST || value->kind == VALUE_TUPLE;
}

static cp_status refuse_kinds(struct evaluation *evaluation, const char *sign, const struct value *a,
                              const struct value *b)
{
    return evaluation_fail(evaluation, "%s does not work with %s and %s", sign, value_kind_name(a), value_kind_name(b));
}

static cp_status give_integer(struct evaluation *evaluation, bool overflows, int64_t integer, struct value *result)
{
    *result = value_of_int(integer);
    return overflows ? evaluation_fail(evaluation, "an integer is beyond 64 bits") : CP_OK;
}

static cp_status give_float(double number, struct value *result)
{
    *result = value_of_float(number);
    return CP_OK;
}

/* ---- integers ---- */

static uint64_t magnitude(int64_t integer)
{
    return integer < 0 ? 0 - (uint64_t)integer : (uint64_t)integer;
}

/* Rounds a / b once, though doubles hold neither of them: the quotient has 64 bits or more, and its last bit keeps that
 * something was left. */
static double divide_integers(int64_t a, int64_t b)
{
    const uint64_t exact = UINT64_C(1) << 53;
    uint64_t first = magnitude(a), second = magnitude(b);
    if (first <= exact && second <= exact)
        return (double)a / (double)b;
    int shift = __builtin_clzll(first | (first == 0)) + 64;
    uint128 wide = (uint128)first << shift, quotient = wide / second;
    quotient |= quotient * second != wide;
    double result = ldexp((double)quotient, -shift);
    return (a < 0) != (b < 0) ? -result : result;
}

/* Rounds the quotient down, as the sign of the remainder is the divisor's. */
static cp_status floor_integers(struct evaluation *evaluation, bool wants_rest, int64_t a, int64_t b,
                                struct value *result)
{
    if (b == 0)
        return evaluation_fail(evaluation, "division by zero");
    if (b == -1) /* INT64_MIN / -1 */
        return give_integer(evaluation, !wants_rest && a == INT64_MIN, wants_rest || a == INT64_MIN ? 0 : -a, result);
    int64_t quotient = a / b, rest = a % b;
    bool is_above = rest != 0 && (rest < 0) != (b < 0);
    *result = value_of_int(wants_rest ? rest + (is_above ? b : 0) : quotient - is_above);
    return CP_OK;
}

static cp_status raise_integer(struct evaluation *evaluation, int64_t base, int64_t exponent, struct value *result)
{
    int64_t product = 1;
    bool overflows = false, is_last;
    for (; exponent > 0 && !overflows; exponent >>= 1) {
        if (exponent & 1)
            overflows = __builtin_mul_overflow(product, base, &product);
        is_last = exponent == 1 || base == 0 || base == 1; /* the square is not needed, and may be too large */
        overflows = overflows || (!is_last && __builtin_mul_overflow(base, base, &base));
    }
    return give_integer(evaluation, overflows, product, result);
}

/* ---- floats ---- */

/* The remainder is exact, and has the sign of the divisor; the quotient is the whole number nearest to the rest of the
 * division. */
static cp_status floor_floats(struct evaluation *evaluation, bool wants_rest, double a, double b, struct value *result)
{
    if (b == 0)
        return evaluation_fail(evaluation, "division by zero");
    double rest = fmod(a, b), quotient = (a - rest) / b;
    if (rest != 0 && (rest < 0) != (b < 0)) {
        rest += b;
        quotient -= 1;
    }
    if (wants_rest)
        return give_float(rest == 0 ? copysign(0, b) : rest, result);
    double whole = floor(quotient);
    whole += quotient - whole > 0.5 ? 1 : 0;
    return give_float(quotient == 0 ? copysign(0, a / b) : whole, result);
}

static cp_status raise_float(struct evaluation *evaluation, double base, double exponent, struct value *result)
{
    if (base == 0 && exponent < 0)
        return evaluation_fail(evaluation, "0 cannot be raised to a negative power");
    double power = pow(base, exponent);
    if (isfinite(base) && base < 0 && isfinite(exponent) && exponent != floor(exponent))
        return evaluation_fail(evaluation, "a power of a negative number is complex");
    if (isinf(power) && isfinite(base) && isfinite(exponent))
        return evaluation_fail(evaluation, "a power is beyond the range of floats");
    return give_float(power, result);
}

/* ---- numbers ---- */

static cp_status compute_integers(struct evaluation *evaluation, const char *sign, int64_t a, int64_t b,
                                  struct value *result)
{
    int64_t integer = 0;
    bool overflows;
    if (strcmp(sign, "**") == 0)
        return b < 0 ? raise_float(evaluation, (double)a, (double)b, result) : raise_integer(evaluation, a, b, result);
    if (strcmp(sign, "/") == 0)
        return b == 0 ? evaluation_fail(evaluation, "division by zero") : give_float(divide_integers(a, b), result);
    if (strcmp(sign, "//") == 0 || *sign == '%')
        return floor_integers(evaluation, *sign == '%', a, b, result);
    if (*sign == '+')
        overflows = __builtin_add_overflow(a, b, &integer);
    else if (*sign == '-')
        overflows = __builtin_sub_overflow(a, b, &integer);
    else
        overflows = __builtin_mul_overflow(a, b, &integer);
    return give_integer(evaluation, overflows, integer, result);
}

static cp_status compute_floats(struct evaluation *evaluation, const char *sign, double a, double b,
                                struct value *result)
{
    if (*sign == '+')
        return give_float(a + b, result);
    if (*sign == '-')
        return give_float(a - b, result);
    if (strcmp(sign, "*") == 0)
        return give_float(a * b, result);
    if (strcmp(sign, "**") == 0)
        return raise_float(evaluation, a, b, result);
    if (strcmp(sign, "/") == 0)
        return b == 0 ? evaluation_fail(evaluation, "division by zero") : give_float(a / b, result);
    return floor_floats(evaluation, *sign == '%', a, b, result);
}

cp_status operator_negate(struct evaluation *evaluation, const struct value *value, struct value *result)
{
    if (value->kind == VALUE_FLOAT)
        return give_float(-value->number, result);
    if (!value_is_number(value))
        return evaluation_fail(evaluation, "a sign does not work with %s", value_kind_name(value));
    int64_t integer = value_integer(value);
    bool overflows = __builtin_sub_overflow(0, integer, &integer);
    return give_integer(evaluation, overflows, integer, result);
}

/* ---- texts and lists ---- */

static cp_status join_texts(struct evaluation *evaluation, const struct value *a, const struct value *b,
                            struct value *result)
{
    cp_status status = CP_OK;
    size_t first = a->text.size, second = b->text.size;
    char *text = evaluation_text(evaluation, (uint64_t)first + second, &status);
    if (!text)
        return status;
    memcpy(text, a->text.bytes, first);
    memcpy(text + first, b->text.bytes, second);
    *result = value_of_text(text, first + second);
    return CP_OK;
}

static cp_status join_lists(struct evaluation *evaluation, const struct value *a, const struct value *b,
                            struct value *result)
{
    cp_status status = CP_OK;
    uint32_t first = a->items->count, second = b->items->count;
    struct value_items *items = evaluation_items(evaluation, (uint64_t)first + second, false, &status);
    if (!items)
        return status;
    memcpy(items->values, a->items->values, first * sizeof *items->values);
    memcpy(items->values + first, b->items->values, second * sizeof *items->values);
    return evaluation_finish(evaluation, a->kind, items, result);
}

/* Repeats a text or a list. A negative count is 0. */
static cp_status repeat(struct evaluation *evaluation, const struct value *value, int64_t count, struct value *result)
{
    cp_status status = CP_OK;
    bool is_text = value->kind == VALUE_TEXT;
    uint64_t one = is_text ? value->text.size : value->items->count, size;
    if (__builtin_mul_overflow(one, (uint64_t)(count < 0 ? 0 : count), &size))
        size = UINT64_MAX;
    char *text = is_text ? evaluation_text(evaluation, size, &status) : NULL;
    struct value_items *items = is_text ? NULL : evaluation_items(evaluation, size, false, &status);
    if (!text && !items)
        return status;
    for (uint64_t i = 0; i < size; i += one) {
        if (is_text)
            memcpy(text + i, value->text.bytes, one);
        else
            memcpy(items->values + i, value->items->values, one * sizeof *items->values);
    }
    if (!is_text)
        return evaluation_finish(evaluation, value->kind, items, result);
    *result = value_of_text(text, size);
    return CP_OK;
}

cp_status operator_compute(struct evaluation *evaluation, const char *sign, const struct value *a,
                           const struct value *b, struct value *result)
{
    bool numbers = value_is_number(a) && value_is_number(b), repeats = strcmp(sign, "*") == 0;
    if (numbers && (a->kind == VALUE_FLOAT || b->kind == VALUE_FLOAT))
        return compute_floats(evaluation, sign, value_number(a), value_number(b), result);
    if (numbers)
        return compute_integers(evaluation, sign, value_integer(a), value_integer(b), result);
    if (*sign == '+' && a->kind == b->kind && a->kind == VALUE_TEXT)
        return join_texts(evaluation, a, b, result);
    if (*sign == '+' && a->kind == b->kind && is_list(a))
        return join_lists(evaluation, a, b, result);
    if (repeats && (a->kind == VALUE_TEXT || is_list(a)) && value_is_number(b) && b->kind != VALUE_FLOAT)
        return repeat(evaluation, a, value_integer(b), result);
    if (repeats && (b->kind == VALUE_TEXT || is_list(b)) && value_is_number(a) && a->kind != VALUE_FLOAT)
        return repeat(evaluation, b, value_integer(a), result);
    if (*sign == '%' && a->kind == VALUE_TEXT)
        return evaluation_fail(evaluation, "formatting a text by %% is not supported");
    return refuse_kinds(evaluation, sign, a, b);
}

/* ---- comparisons ---- */

/* Bounds the work of comparing two values. Dicts look for each key of one in the other. */
static cp_status spend_comparison(struct evaluation *evaluation, const struct value *a, const struct value *b)
{
    uint64_t first = value_weight(a), second = value_weight(b); /* each below 2^23 */
    bool both = a->kind == b->kind && (is_list(a) || a->kind == VALUE_DICT);
    return evaluation_spend(evaluation, both ? first * second : first < second ? first : second);
}

cp_status operator_equal(struct evaluation *evaluation, const struct value *a, const struct value *b, bool *result)
{
    cp_status status = spend_comparison(evaluation, a, b);
    *result = status == CP_OK && value_equal(a, b);
    return status;
}

/* Compares by the first items that are not equal; or the shorter list is less. */
static cp_status less_lists(struct evaluation *evaluation, const struct value *a, const struct value *b, bool *result)
{
    const struct value_items *first = a->items, *second = b->items;
    uint32_t i = 0;
    bool same = true;
    while (i < first->count && i < second->count) {
        cp_status status = operator_equal(evaluation, &first->values[i], &second->values[i], &same);
        if (status != CP_OK)
            return status;
        if (!same)
            return operator_less(evaluation, &first->values[i], &second->values[i], result);
        i++;
    }
    *result = first->count < second->count;
    return CP_OK;
}

cp_status operator_less(struct evaluation *evaluation, const struct value *a, const struct value *b, bool *result)
{
    int order;
    if (value_is_number(a) && value_is_number(b)) {
        *result = value_compare_numbers(a, b, &order) && order < 0;
        return evaluation_spend(evaluation, 1);
    }
    if (a->kind == b->kind && a->kind == VALUE_TEXT) { /* bytes of UTF-8 have the order of the characters */
        size_t shorter = a->text.size < b->text.size ? a->text.size : b->text.size;
        order = memcmp(a->text.bytes, b->text.bytes, shorter);
        *result = order < 0 || (order == 0 && a->text.size < b->text.size);
        return evaluation_spend(evaluation, 1 + shorter);
    }
    if (a->kind == b->kind && is_list(a))
        return less_lists(evaluation, a, b, result);
    return refuse_kinds(evaluation, "<", a, b);
}

/* a <= b. It is not always the contrary of b < a: nan. */
static cp_status less_or_equal(struct evaluation *evaluation, const struct value *a, const struct value *b,
                               bool *result)
{
    cp_status status = operator_less(evaluation, a, b, result);
    return status == CP_OK && !*result ? operator_equal(evaluation, a, b, result) : status;
}

/* Python tells things apart that are equal; texts and numbers are made anew in ways that nobody should depend on. */
static cp_status is_same(struct evaluation *evaluation, const struct value *a, const struct value *b, bool *result)
{
    if (a->kind != b->kind) {
        *result = false;
        return CP_OK;
    }
    if (a->kind == VALUE_TEXT || a->kind == VALUE_INT || a->kind == VALUE_FLOAT || a->kind == VALUE_MODULE)
        return evaluation_fail(evaluation, "\"is\" does not compare two of %s: use ==", value_kind_name(a));
    if (is_list(a) || a->kind == VALUE_DICT)
        *result = a->items == b->items;
    else
        *result = value_equal(a, b);
    return CP_OK;
}

static cp_status is_in(struct evaluation *evaluation, const struct value *item, const struct value *holder,
                       bool *result)
{
    *result = false;
    if (holder->kind == VALUE_DICT) {
        const struct value *found;
        cp_status status = operator_find(evaluation, holder, item, &found);
        *result = status == CP_OK && found;
        return status;
    }
    if (holder->kind == VALUE_TEXT && item->kind == VALUE_TEXT) {
        *result = strstr(holder->text.bytes, item->text.bytes) != NULL;
        return evaluation_spend(evaluation, holder->text.size + item->text.size);
    }
    if (!is_list(holder))
        return refuse_kinds(evaluation, "in", item, holder);
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < holder->items->count && !*result && status == CP_OK; i++)
        status = operator_equal(evaluation, item, &holder->items->values[i], result);
    return status;
}

cp_status operator_compare(struct evaluation *evaluation, const char *word, const struct value *a,
                           const struct value *b, bool *result)
{
    cp_status status;
    bool negates = strcmp(word, "!=") == 0 || strcmp(word, "not in") == 0 || strcmp(word, "is not") == 0;
    if (strcmp(word, "==") == 0 || strcmp(word, "!=") == 0)
        status = operator_equal(evaluation, a, b, result);
    else if (strcmp(word, "<") == 0)
        status = operator_less(evaluation, a, b, result);
    else if (strcmp(word, ">") == 0)
        status = operator_less(evaluation, b, a, result);
    else if (strcmp(word, "<=") == 0)
        status = less_or_equal(evaluation, a, b, result);
    else if (strcmp(word, ">=") == 0)
        status = less_or_equal(evaluation, b, a, result);
    else if (strstr(word, "in"))
        status = is_in(evaluation, a, b, result);
    else
        status = is_same(evaluation, a, b, result);
    *result = negates != *result;
    return status;
}

/* ---- items ---- */

cp_status operator_find(struct evaluation *evaluation, const struct value *dict, const struct value *key,
                        const struct value **found)
{
    const struct value_items *items = dict->items;
    *found = NULL;
    if (key->kind == VALUE_LIST || key->kind == VALUE_DICT)
        return evaluation_fail(evaluation, "%s cannot be a key", value_kind_name(key));
    if (key->kind == VALUE_TUPLE)
        return evaluation_fail(evaluation, "a tuple as a key is not supported");
    uint64_t size = key->kind == VALUE_TEXT ? key->text.size / 64 : 0;
    cp_status status = evaluation_spend(evaluation, items->count * (1 + size));
    for (uint32_t i = 0; i < items->count && !*found && status == CP_OK; i++)
        if (value_equal(&items->keys[i], key))
            *found = &items->values[i];
    return status;
}

/* Finds the byte of a character of a text, counted from 0. */
static size_t byte_of_character(const struct value *value, uint64_t index)
{
    size_t at = 0;
    for (; index > 0 && at < value->text.size; index--) {
        size_t length = utf8_length(value->text.bytes + at, value->text.size - at);
        at += length > 0 ? length : 1;
    }
    return at;
}

static uint64_t count_characters(const struct value *value)
{
    uint64_t count = 0;
    for (size_t i = 0; i < value->text.size; i++)
        count += (value->text.bytes[i] & 0xC0) != 0x80;
    return count;
}

/* Gives an item its own header if what holds it is of YAML, or of xacro.dotify: the item is so, too. */
static cp_status take_item(struct evaluation *evaluation, const struct value *object, const struct value *item,
                           struct value *result)
{
    *result = *item;
    bool changes =
        object->items->is_dotted && (item->kind == VALUE_LIST || item->kind == VALUE_DICT) && !item->items->is_dotted;
    if (!changes)
        return CP_OK;
    struct value_items *items = arena_copy(evaluation->world->arena, item->items, 1, sizeof *items);
    if (!items)
        return CP_LIMIT;
    items->is_dotted = true;
    result->items = items;
    return CP_OK;
}

static cp_status index_dict(struct evaluation *evaluation, const struct value *object, const struct value *key,
                            struct value *result)
{
    const struct value *found;
    cp_status status = operator_find(evaluation, object, key, &found);
    if (status != CP_OK)
        return status;
    if (found)
        return take_item(evaluation, object, found, result);
    struct buffer name = {.context = evaluation->world->context};
    value_print(key, &name);
    int shown = name.size > 100 ? 100 : (int)name.size;
    status = name.failed ? CP_LIMIT
                         : evaluation_fail(evaluation, "the dict has no key '%.*s'", shown, shown ? name.data : "");
    buffer_free(&name);
    return status;
}

cp_status operator_index(struct evaluation *evaluation, const struct value *object, const struct value *index,
                         struct value *result)
{
    if (object->kind == VALUE_DICT)
        return index_dict(evaluation, object, index, result);
    bool is_text = object->kind == VALUE_TEXT;
    if (!is_text && !is_list(object))
        return evaluation_fail(evaluation, "%s has no items", value_kind_name(object));
    if (index->kind != VALUE_INT && index->kind != VALUE_BOOL)
        return evaluation_fail(evaluation, "an index must be an int, not %s", value_kind_name(index));
    cp_status status = evaluation_spend(evaluation, is_text ? object->text.size : 1);
    if (status != CP_OK)
        return status;
    int64_t at = value_integer(index), count = is_text ? (int64_t)count_characters(object) : object->items->count;
    if (at >= count || at < -count)
        return evaluation_fail(evaluation, "the index %lld is beyond %s of %lld", (long long)at,
                               value_kind_name(object), (long long)count);
    at += at < 0 ? count : 0;
    if (!is_text)
        return take_item(evaluation, object, &object->items->values[at], result);
    size_t start = byte_of_character(object, (uint64_t)at), end = byte_of_character(object, (uint64_t)at + 1);
    return evaluation_copy(evaluation, object->text.bytes + start, end - start, result);
}
