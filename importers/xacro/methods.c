/* Methods of texts and dicts. */
#include "base/text/text.h"
#include "evaluation.h"

/* ---- arguments ---- */

static cp_status take_text(const struct call *call, uint32_t index)
{
    const struct value *value = &call->values[index];
    if (value->kind == VALUE_TEXT)
        return CP_OK;
    return evaluation_fail(call->evaluation, "%s takes a text, not %s", call->function->name, value_kind_name(value));
}

/* Makes room for a list of so many pieces. */
static cp_status make_list(const struct call *call, uint64_t count, struct value_items **items)
{
    cp_status status;
    *items = evaluation_items(call->evaluation, count, false, &status);
    return status;
}

/* ---- split ---- */

static size_t skip_blanks(const struct value *text, size_t at, bool blank)
{
    while (at < text->text.size && is_space(text->text.bytes[at]) == blank)
        at++;
    return at;
}

cp_status text_split_blanks(struct evaluation *evaluation, const struct value *text, struct value *result)
{
    uint64_t count = 0;
    for (size_t at = skip_blanks(text, 0, true); at < text->text.size; count++)
        at = skip_blanks(text, skip_blanks(text, at, false), true);
    cp_status status = evaluation_spend(evaluation, 2 * text->text.size);
    struct value_items *items = status == CP_OK ? evaluation_items(evaluation, count, false, &status) : NULL;
    size_t at = skip_blanks(text, 0, true);
    for (uint32_t i = 0; i < count && status == CP_OK; i++) {
        size_t end = skip_blanks(text, at, false);
        status = evaluation_copy(evaluation, text->text.bytes + at, end - at, &items->values[i]);
        at = skip_blanks(text, end, true);
    }
    return status == CP_OK ? evaluation_finish(evaluation, VALUE_LIST, items, result) : status;
}

static uint64_t count_text(const char *text, const struct value *part)
{
    uint64_t count = 0;
    for (; (text = strstr(text, part->text.bytes)); text += part->text.size)
        count++;
    return count;
}

static cp_status split(const struct call *call, struct value *result)
{
    const struct value *text = call->object, *part = call->values;
    if (call->count == 0 || part->kind == VALUE_NONE)
        return text_split_blanks(call->evaluation, text, result);
    cp_status status = take_text(call, 0);
    if (status == CP_OK && part->text.size == 0)
        status = evaluation_fail(call->evaluation, "split takes a text that is not empty");
    if (status == CP_OK)
        status = evaluation_spend(call->evaluation, 2 * text->text.size);
    struct value_items *items = NULL;
    if (status == CP_OK)
        status = make_list(call, 1 + count_text(text->text.bytes, part), &items);
    const char *at = text->text.bytes;
    for (uint32_t i = 0; status == CP_OK && i < items->count; i++) {
        const char *end = strstr(at, part->text.bytes);
        size_t size = end ? (size_t)(end - at) : strlen(at);
        status = evaluation_copy(call->evaluation, at, size, &items->values[i]);
        at = end ? end + part->text.size : at + size;
    }
    return status == CP_OK ? evaluation_finish(call->evaluation, VALUE_LIST, items, result) : status;
}

/* ---- other methods of texts ---- */

static bool is_ascii(const struct value *text)
{
    for (size_t i = 0; i < text->text.size; i++)
        if ((unsigned char)text->text.bytes[i] >= 0x80)
            return false;
    return true;
}

/* Removes white space, or the given characters, at both ends. */
static cp_status strip(const struct call *call, struct value *result)
{
    const struct value *text = call->object;
    const char *set = " \t\n\v\f\r";
    cp_status status = evaluation_spend(call->evaluation, text->text.size);
    if (status == CP_OK && call->count > 0 && call->values->kind != VALUE_NONE) {
        status = take_text(call, 0);
        if (status == CP_OK && (!is_ascii(call->values) || call->values->text.size > 100))
            status = evaluation_fail(call->evaluation, "strip takes at most 100 characters, of ASCII alone");
        set = call->values->text.bytes;
    }
    if (status != CP_OK)
        return status;
    const char *start = text->text.bytes, *end = start + text->text.size;
    while (start < end && strchr(set, *start))
        start++;
    while (end > start && strchr(set, end[-1]))
        end--;
    return evaluation_copy(call->evaluation, start, (size_t)(end - start), result);
}

/* Changes the case of letters from `first` on. Those beyond ASCII would need tables. */
static cp_status change_case(const struct call *call, char first, struct value *result)
{
    cp_status status;
    const struct value *text = call->object;
    if (!is_ascii(text))
        return evaluation_fail(call->evaluation, "%s of letters beyond ASCII is not supported", call->function->name);
    char *changed = evaluation_text(call->evaluation, text->text.size, &status);
    if (!changed)
        return status;
    for (size_t i = 0; i < text->text.size; i++) {
        char c = text->text.bytes[i];
        changed[i] = c >= first && c < first + 26 ? (char)(c ^ 0x20) : c;
    }
    *result = value_of_text(changed, text->text.size);
    return CP_OK;
}

static cp_status lower(const struct call *call, struct value *result)
{
    return change_case(call, 'A', result);
}

static cp_status upper(const struct call *call, struct value *result)
{
    return change_case(call, 'a', result);
}

static cp_status starts_with(const struct call *call, struct value *result)
{
    const struct value *text = call->object, *part = call->values;
    cp_status status = take_text(call, 0);
    if (status == CP_OK)
        *result = value_of_bool(part->text.size <= text->text.size &&
                                memcmp(text->text.bytes, part->text.bytes, part->text.size) == 0);
    return status;
}

static cp_status ends_with(const struct call *call, struct value *result)
{
    const struct value *text = call->object, *part = call->values;
    cp_status status = take_text(call, 0);
    if (status == CP_OK)
        *result = value_of_bool(
            part->text.size <= text->text.size &&
            memcmp(text->text.bytes + text->text.size - part->text.size, part->text.bytes, part->text.size) == 0);
    return status;
}

static cp_status replace(const struct call *call, struct value *result)
{
    const struct value *text = call->object, *part = call->values, *other = call->values + 1;
    cp_status status = take_text(call, 0);
    if (status == CP_OK)
        status = take_text(call, 1);
    if (status == CP_OK && part->text.size == 0)
        status = evaluation_fail(call->evaluation, "replace takes a text that is not empty");
    if (status == CP_OK)
        status = evaluation_spend(call->evaluation, 2 * text->text.size);
    if (status != CP_OK)
        return status;
    uint64_t count = count_text(text->text.bytes, part); /* all sizes are below HEAVIEST_VALUE */
    uint64_t size = text->text.size - count * part->text.size + count * other->text.size;
    char *out = evaluation_text(call->evaluation, size, &status), *to = out;
    if (!out)
        return status;
    const char *at = text->text.bytes;
    for (const char *found; (found = strstr(at, part->text.bytes)); at = found + part->text.size) {
        memcpy(to, at, (size_t)(found - at));
        to += found - at;
        memcpy(to, other->text.bytes, other->text.size);
        to += other->text.size;
    }
    memcpy(to, at, strlen(at));
    *result = value_of_text(out, (size_t)size);
    return CP_OK;
}

const struct value_function text_methods[] = {
    {.name = "split", 0, 1, split},
    {.name = "strip", 0, 1, strip},
    {.name = "lower", 0, 0, lower},
    {.name = "upper", 0, 0, upper},
    {.name = "startswith", 1, 1, starts_with},
    {.name = "endswith", 1, 1, ends_with},
    {.name = "replace", 2, 2, replace},
    {.name = NULL},
};

/* ---- dicts ---- */

static cp_status list_column(const struct call *call, const struct value *column, struct value *result)
{
    struct value_items *items;
    uint32_t count = call->object->items->count;
    cp_status status = make_list(call, count, &items);
    if (status != CP_OK)
        return status;
    memcpy(items->values, column, count * sizeof *column);
    return evaluation_finish(call->evaluation, VALUE_LIST, items, result);
}

static cp_status keys(const struct call *call, struct value *result)
{
    return list_column(call, call->object->items->keys, result);
}

static cp_status values(const struct call *call, struct value *result)
{
    return list_column(call, call->object->items->values, result);
}

/* Lists pairs of key and value. */
static cp_status pairs(const struct call *call, struct value *result)
{
    struct value_items *items, *pair;
    const struct value_items *dict = call->object->items;
    cp_status status = make_list(call, dict->count, &items);
    for (uint32_t i = 0; i < dict->count && status == CP_OK; i++) {
        status = make_list(call, 2, &pair);
        if (status != CP_OK)
            break;
        pair->values[0] = dict->keys[i];
        pair->values[1] = dict->values[i];
        status = evaluation_finish(call->evaluation, VALUE_TUPLE, pair, &items->values[i]);
    }
    return status == CP_OK ? evaluation_finish(call->evaluation, VALUE_LIST, items, result) : status;
}

static cp_status get(const struct call *call, struct value *result)
{
    const struct value *found;
    cp_status status = operator_find(call->evaluation, call->object, call->values, &found);
    *result = status == CP_OK && found ? *found : call->count == 2 ? call->values[1] : NONE_VALUE;
    return status;
}

const struct value_function dict_methods[] = {
    {.name = "keys", 0, 0, keys},
    {.name = "values", 0, 0, values},
    {.name = "items", 0, 0, pairs},
    {.name = "get", 1, 2, get},
    {.name = NULL},
};
