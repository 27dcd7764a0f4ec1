/* Calls, members of values, and the functions that Python has built in. */
#include <math.h>

#include "base/text/text.h"
#include "evaluation.h"

static bool is_list(const struct value *value)
{
    return value->kind == VALUE_LIST || value->kind == VALUE_TUPLE;
}

static bool is_integer(const struct value *value)
{
    return value->kind == VALUE_INT || value->kind == VALUE_BOOL;
}

static cp_status refuse_argument(const struct call *call, const struct value *value)
{
    return evaluation_fail(call->evaluation, "%s does not take %s", call->function->name, value_kind_name(value));
}

static cp_status refuse_large(struct evaluation *evaluation)
{
    return evaluation_fail(evaluation, "an integer is beyond 64 bits");
}

/* Lists what `for` would go over: items, keys, or the characters of a text. */
static cp_status iterate(const struct call *call, const struct value *value, struct value_items *items)
{
    cp_status status = CP_OK;
    if (value->kind != VALUE_TEXT && value->kind != VALUE_DICT && !is_list(value))
        return refuse_argument(call, value);
    if (value->kind != VALUE_TEXT) {
        *items = *value->items;
        items->values = items->keys ? items->keys : items->values;
        items->keys = NULL;
        items->is_dotted = false;
        return CP_OK;
    }
    const char *bytes = value->text.bytes;
    struct value_items *made = evaluation_items(call->evaluation, value->text.size, false, &status);
    uint32_t count = 0;
    for (size_t at = 0, length; at < value->text.size && status == CP_OK; at += length) {
        length = utf8_length(bytes + at, value->text.size - at);
        length = length > 0 ? length : 1;
        status = evaluation_copy(call->evaluation, bytes + at, length, &made->values[count++]);
    }
    if (status == CP_OK)
        *items = (struct value_items){.values = made->values, .count = count};
    return status;
}

/* Makes a list or tuple of the items, whose array is shared. */
static cp_status give_items(const struct call *call, enum value_kind kind, const struct value_items *items,
                            struct value *result)
{
    struct value_items *copy = arena_copy(call->evaluation->world->arena, items, 1, sizeof *items);
    return copy ? evaluation_finish(call->evaluation, kind, copy, result) : CP_LIMIT;
}

/* ---- kinds ---- */

cp_status function_whole(struct evaluation *evaluation, double number, struct value *result)
{
    if (!isfinite(number))
        return evaluation_fail(evaluation, "%s is not an integer", isnan(number) ? "nan" : "an infinite number");
    if (number >= 0x1p63 || number < -0x1p63)
        return refuse_large(evaluation);
    *result = value_of_int((int64_t)number);
    return CP_OK;
}

static cp_status refuse_text(const struct call *call, const struct value *value)
{
    return evaluation_fail(call->evaluation, "%s cannot read '%.100s'", call->function->name, value->text.bytes);
}

static cp_status make_int(const struct call *call, struct value *result)
{
    const struct value *value = call->values;
    int64_t integer = 0;
    *result = value_of_int(0);
    if (call->count == 0)
        return CP_OK;
    if (value->kind == VALUE_FLOAT)
        return function_whole(call->evaluation, trunc(value->number), result);
    if (value->kind == VALUE_TEXT) {
        enum reading reading = value_read_integer(value->text.bytes, value->text.size, &integer);
        if (reading == READ_TOO_LARGE)
            return refuse_large(call->evaluation);
        *result = value_of_int(integer);
        return reading == READ_NUMBER ? CP_OK : refuse_text(call, value);
    }
    if (!is_integer(value))
        return refuse_argument(call, value);
    *result = value_of_int(value_integer(value));
    return CP_OK;
}

static cp_status make_float(const struct call *call, struct value *result)
{
    const struct value *value = call->values;
    double number = 0;
    if (call->count > 0 && value->kind == VALUE_TEXT) {
        if (!value_read_float(value->text.bytes, value->text.size, &number))
            return refuse_text(call, value);
    } else if (call->count > 0) {
        if (!value_is_number(value))
            return refuse_argument(call, value);
        number = value_number(value);
    }
    *result = value_of_float(number);
    return CP_OK;
}

static cp_status make_bool(const struct call *call, struct value *result)
{
    *result = value_of_bool(call->count > 0 && value_is_true(call->values));
    return CP_OK;
}

static cp_status make_text(const struct call *call, struct value *result)
{
    struct buffer text = {.context = call->evaluation->world->context};
    const struct value *value = call->values;
    if (call->count > 0 && value->kind == VALUE_TEXT) {
        *result = *value;
        return CP_OK;
    }
    if (call->count > 0 && (value->kind == VALUE_FUNCTION || value->kind == VALUE_MODULE))
        return refuse_argument(call, value);
    cp_status status = call->count > 0 ? evaluation_spend(call->evaluation, value_weight(value)) : CP_OK;
    if (status == CP_OK && call->count > 0)
        value_print(value, &text);
    if (status == CP_OK)
        status =
            text.failed ? CP_LIMIT : evaluation_copy(call->evaluation, text.size ? text.data : "", text.size, result);
    buffer_free(&text);
    return status;
}

static cp_status make_list(const struct call *call, struct value *result)
{
    struct value_items items = {.count = 0};
    cp_status status = call->count > 0 ? iterate(call, call->values, &items) : CP_OK;
    bool is_tuple = strcmp(call->function->name, "tuple") == 0;
    return status == CP_OK ? give_items(call, is_tuple ? VALUE_TUPLE : VALUE_LIST, &items, result) : status;
}

/* Puts a value under a key: it replaces the one that is there. */
static cp_status put(const struct call *call, struct value_items *dict, const struct value *key,
                     const struct value *value)
{
    const struct value *found, so_far = {.kind = VALUE_DICT, .items = dict};
    cp_status status = operator_find(call->evaluation, &so_far, key, &found);
    uint32_t at = found ? (uint32_t)(found - dict->values) : dict->count;
    if (status != CP_OK)
        return status;
    if (!found)
        dict->keys[dict->count++] = *key;
    dict->values[at] = *value;
    return CP_OK;
}

/* Puts what the first argument of dict() has: a dict, or pairs. */
static cp_status put_pairs(const struct call *call, const struct value *given, struct value_items *dict)
{
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < given->items->count && status == CP_OK; i++) {
        const struct value *value = &given->items->values[i];
        if (given->kind == VALUE_DICT)
            status = put(call, dict, &given->items->keys[i], value);
        else if (is_list(value) && value->items->count == 2)
            status = put(call, dict, &value->items->values[0], &value->items->values[1]);
        else
            status = evaluation_fail(call->evaluation, "dict takes pairs of a key and a value");
    }
    return status;
}

static cp_status make_dict(const struct call *call, struct value *result)
{
    cp_status status;
    const struct value *given = call->count > call->named ? call->values : NULL;
    if (given && given->kind != VALUE_DICT && !is_list(given))
        return refuse_argument(call, given);
    if (call->count > call->named + 1)
        return evaluation_fail(call->evaluation, "dict takes one argument without a name");
    uint64_t room = (uint64_t)call->named + (given ? given->items->count : 0);
    struct value_items *dict = evaluation_items(call->evaluation, room, true, &status);
    if (!dict)
        return status;
    dict->count = 0;
    if (given)
        status = put_pairs(call, given, dict);
    for (uint32_t i = 0; i < call->named && status == CP_OK; i++)
        status = put(call, dict, &call->names[i], &call->values[call->count - call->named + i]);
    return status == CP_OK ? evaluation_finish(call->evaluation, VALUE_DICT, dict, result) : status;
}

/* ---- numbers ---- */

static cp_status absolute(const struct call *call, struct value *result)
{
    const struct value *value = call->values;
    bool is_negative = is_integer(value) && value_integer(value) < 0;
    if (!value_is_number(value))
        return refuse_argument(call, value);
    if (is_negative)
        return operator_negate(call->evaluation, value, result);
    *result = value->kind == VALUE_FLOAT ? value_of_float(fabs(value->number)) : value_of_int(value_integer(value));
    return CP_OK;
}

/* Rounds to a multiple of 10^places, half to even. */
static cp_status round_integer(const struct call *call, int64_t integer, int64_t places, struct value *result)
{
    int64_t step = 1;
    if (places > 18) {
        *result = value_of_int(0);
        return places == 19 && (integer > INT64_C(5000000000000000000) || integer < INT64_C(-5000000000000000000))
                   ? refuse_large(call->evaluation)
                   : CP_OK;
    }
    for (; places > 0; places--)
        step *= 10;
    int64_t rest = integer % step, rounded = integer - rest;
    int64_t twice = 2 * (rest < 0 ? -rest : rest);
    bool away = twice > step || (twice == step && rounded / step % 2 != 0);
    bool overflows = away && __builtin_add_overflow(rounded, integer < 0 ? -step : step, &rounded);
    *result = value_of_int(rounded);
    return overflows ? refuse_large(call->evaluation) : CP_OK;
}

static cp_status round_number(const struct call *call, struct value *result)
{
    const struct value *value = call->values;
    bool has_digits = call->count == 2 && call->values[1].kind != VALUE_NONE;
    if (!value_is_number(value))
        return refuse_argument(call, value);
    if (has_digits && !is_integer(&call->values[1]))
        return refuse_argument(call, &call->values[1]);
    int64_t digits = has_digits ? value_integer(&call->values[1]) : 0;
    if (is_integer(value))
        return round_integer(call, value_integer(value), digits >= 0 ? 0 : digits < -20 ? 20 : -digits, result);
    if (!has_digits)
        return function_whole(call->evaluation, rint(value->number), result);
    *result = value_of_float(mathematics_round(value->number, digits));
    return isinf(result->number) && isfinite(value->number)
               ? evaluation_fail(call->evaluation, "round gives a number beyond the range of floats")
               : CP_OK;
}

/* ---- lists ---- */

static cp_status length(const struct call *call, struct value *result)
{
    const struct value *value = call->values;
    if (value->kind != VALUE_TEXT && value->kind != VALUE_DICT && !is_list(value))
        return refuse_argument(call, value);
    int64_t count = value->kind == VALUE_TEXT ? 0 : value->items->count;
    for (size_t i = 0; value->kind == VALUE_TEXT && i < value->text.size; i++)
        count += (value->text.bytes[i] & 0xC0) != 0x80; /* characters begin with these bytes */
    *result = value_of_int(count);
    return evaluation_spend(call->evaluation, (uint64_t)count);
}

/* Finds the first least or largest of the arguments, or of the items of the only one. */
static cp_status find_extreme(const struct call *call, struct value *result)
{
    bool wants_least = strcmp(call->function->name, "min") == 0, is_better;
    struct value_items items = {.values = (struct value *)call->values, .count = call->count};
    cp_status status = call->count == 1 ? iterate(call, call->values, &items) : CP_OK;
    if (status == CP_OK && items.count == 0)
        status = evaluation_fail(call->evaluation, "%s of nothing", call->function->name);
    if (status != CP_OK)
        return status;
    const struct value *best = items.values;
    for (uint32_t i = 1; i < items.count && status == CP_OK; i++) {
        const struct value *item = &items.values[i];
        status = operator_less(call->evaluation, wants_least ? item : best, wants_least ? best : item, &is_better);
        best = status == CP_OK && is_better ? item : best;
    }
    *result = *best;
    return status;
}

static cp_status sum(const struct call *call, struct value *result)
{
    struct value_items items;
    cp_status status = iterate(call, call->values, &items);
    struct value total = call->count == 2 ? call->values[1] : value_of_int(0);
    if (status == CP_OK && total.kind == VALUE_TEXT)
        return refuse_argument(call, &total);
    for (uint32_t i = 0; status == CP_OK && i < items.count; i++) {
        struct value before = total;
        status = evaluation_spend(call->evaluation, 1);
        if (status == CP_OK)
            status = operator_compute(call->evaluation, "+", &before, &items.values[i], &total);
    }
    *result = total;
    return status;
}

/* all(), any(): whether all items, or some, are true. */
static cp_status all_or_any(const struct call *call, struct value *result)
{
    struct value_items items = {.count = 0};
    bool wanted = strcmp(call->function->name, "any") == 0, found = false;
    cp_status status = iterate(call, call->values, &items);
    if (status == CP_OK)
        status = evaluation_spend(call->evaluation, items.count);
    for (uint32_t i = 0; status == CP_OK && i < items.count && !found; i++)
        found = value_is_true(&items.values[i]) == wanted;
    *result = value_of_bool(found == wanted);
    return status;
}

/* Makes a list of the integers from start to below stop. */
static cp_status range(const struct call *call, struct value *result)
{
    int64_t at[3] = {0, 0, 1}; /* start, stop, step */
    for (uint32_t i = 0; i < call->count; i++) {
        if (!is_integer(&call->values[i]))
            return refuse_argument(call, &call->values[i]);
        at[call->count == 1 ? 1 : i] = value_integer(&call->values[i]);
    }
    if (at[2] == 0)
        return evaluation_fail(call->evaluation, "range takes a step that is not 0");
    uint64_t step = at[2] < 0 ? 0 - (uint64_t)at[2] : (uint64_t)at[2], count = 0;
    if (at[2] > 0 && at[0] < at[1])
        count = ((uint64_t)at[1] - (uint64_t)at[0] - 1) / step + 1;
    if (at[2] < 0 && at[0] > at[1])
        count = ((uint64_t)at[0] - (uint64_t)at[1] - 1) / step + 1;
    cp_status status;
    struct value_items *items = evaluation_items(call->evaluation, count, false, &status);
    if (!items)
        return status;
    for (uint64_t i = 0; i < count; i++)
        items->values[i] = value_of_int((int64_t)((uint64_t)at[0] + i * (uint64_t)at[2]));
    return evaluation_finish(call->evaluation, VALUE_LIST, items, result);
}

/* Sorts by insertion: the steps bound it, and lists of robots are short. */
static cp_status sort(const struct call *call, struct value *result)
{
    struct value_items given, *items;
    cp_status status = iterate(call, call->values, &given);
    items = status == CP_OK ? evaluation_items(call->evaluation, given.count, false, &status) : NULL;
    if (!items)
        return status;
    for (uint32_t i = 0; i < given.count && status == CP_OK; i++) {
        uint32_t at = i;
        bool is_less = true;
        while (at > 0 && is_less && status == CP_OK) {
            status = operator_less(call->evaluation, &given.values[i], &items->values[at - 1], &is_less);
            if (status == CP_OK && is_less) {
                items->values[at] = items->values[at - 1];
                at--;
            }
        }
        items->values[at] = given.values[i];
    }
    return status == CP_OK ? evaluation_finish(call->evaluation, VALUE_LIST, items, result) : status;
}

/* ---- isinstance ---- */

/* Tells whether a value is of the kind that a function makes; a bool is an int, too. */
static bool is_instance(const struct value *value, const char *name)
{
    return strcmp(value_kind_name(value), name) == 0 || (value->kind == VALUE_BOOL && strcmp(name, "int") == 0);
}

static cp_status tell_instance(const struct call *call, struct value *result)
{
    static const char *const kinds[] = {"bool", "dict", "float", "int", "list", "str", "tuple", NULL};
    const struct value *given = &call->values[1];
    const struct value_items one = {.values = (struct value *)given, .count = 1};
    const struct value_items *types = given->kind == VALUE_TUPLE ? given->items : &one;
    bool holds = false;
    for (uint32_t i = 0; i < types->count; i++) {
        const struct value *type = &types->values[i];
        const char *const *kind = kinds;
        while (*kind &&
               (type->kind != VALUE_FUNCTION || type->call.object || strcmp(type->call.function->name, *kind) != 0))
            kind++;
        if (!*kind)
            return evaluation_fail(call->evaluation, "isinstance takes str, int, float, bool, list, tuple or dict");
        holds = holds || is_instance(call->values, *kind);
    }
    *result = value_of_bool(holds);
    return CP_OK;
}

/* ---- names ---- */

static const struct value_function python_functions[] = {
    {.name = "abs", 1, 1, absolute},
    {.name = "all", 1, 1, all_or_any},
    {.name = "any", 1, 1, all_or_any},
    {.name = "bool", 0, 1, make_bool},
    {.name = "dict", 0, ANY_COUNT, make_dict},
    {.name = "float", 0, 1, make_float},
    {.name = "int", 0, 1, make_int},
    {.name = "isinstance", 2, 2, tell_instance},
    {.name = "len", 1, 1, length},
    {.name = "list", 0, 1, make_list},
    {.name = "max", 1, ANY_COUNT, find_extreme},
    {.name = "min", 1, ANY_COUNT, find_extreme},
    {.name = "range", 1, 3, range},
    {.name = "round", 1, 2, round_number},
    {.name = "sorted", 1, 1, sort},
    {.name = "str", 0, 1, make_text},
    {.name = "sum", 1, 2, sum},
    {.name = "tuple", 0, 1, make_list},
    {.name = NULL},
};

static bool is_one_of(const char *const *words, const char *name, size_t size)
{
    while (*words && (strlen(*words) != size || memcmp(*words, name, size) != 0))
        words++;
    return *words != NULL;
}

const struct value_function *function_named(const struct value_function *functions, const char *name, size_t size)
{
    while (functions->name && (strlen(functions->name) != size || memcmp(functions->name, name, size) != 0))
        functions++;
    return functions->name ? functions : NULL;
}

/* Warns once of each name that xacro has moved into a module. */
static void warn_of_old(struct evaluation *evaluation, const char *module, const char *name)
{
    static const char *const names[] = {"range", "sorted", "load_yaml", NULL};
    struct expression_world *world = evaluation->world;
    unsigned bit = 1;
    for (const char *const *old = names; *old && strcmp(*old, name) != 0; old++)
        bit <<= 1;
    if (!(world->old_names & bit))
        report_warning(world->context, "xacro-old-name", world->place, "%s() is an old name of %s.%s()", name, module,
                       name);
    world->old_names |= bit;
}

static const char *const modules[] = {"math", "python", "xacro", NULL};
static const char *const global[] = {"dict", "float", "int", "len", "list", "max", "min", "round", "str", NULL};

bool expression_has_global(const char *name)
{
    struct value value;
    size_t size = strlen(name);
    return is_one_of(modules, name, size) || is_one_of(global, name, size) || mathematics_find(name, size, &value);
}

cp_status function_find_global(struct evaluation *evaluation, const char *name, size_t size, struct value *result)
{
    static const char *const old[] = {"range", "sorted", "load_yaml", NULL};
    static const char *const unsupported[] = {"abs_filename", "enumerate", "filter", "format",
                                              "map",          "set",       "zip",    NULL};
    const struct value_function *function = function_named(python_functions, name, size);
    bool is_old = is_one_of(old, name, size), is_yaml = !function && is_old;
    if (is_yaml)
        function = function_named(xacro_functions, name, size);
    for (size_t i = 0; modules[i]; i++)
        if (strlen(modules[i]) == size && memcmp(modules[i], name, size) == 0) {
            *result = (struct value){.kind = VALUE_MODULE, .module = {modules[i]}};
            return CP_OK;
        }
    if (is_old || is_one_of(global, name, size)) {
        if (is_old)
            warn_of_old(evaluation, is_yaml ? "xacro" : "python", function->name);
        *result = (struct value){.kind = VALUE_FUNCTION, .call = {.function = function}};
        return CP_OK;
    }
    if (mathematics_find(name, size, result))
        return CP_OK;
    int shown = size > 100 ? 100 : (int)size;
    if (is_one_of(unsupported, name, size))
        return evaluation_fail(evaluation, "the function %.*s is not supported", shown, name);
    if (function)
        return evaluation_fail(evaluation, "the name %.*s is not defined: write python.%.*s", shown, name, shown, name);
    return evaluation_fail(evaluation, "the name %.*s is not defined", shown, name);
}

/* ---- members ---- */

static cp_status find_in_module(struct evaluation *evaluation, const char *module, const char *name, size_t size,
                                struct value *result)
{
    const struct expression_world *world = evaluation->world;
    const struct value_function *function = NULL;
    bool found = strcmp(module, "math") == 0 && mathematics_find(name, size, result);
    if (strcmp(module, "python") == 0 || strcmp(module, "xacro") == 0)
        function = function_named(*module == 'p' ? python_functions : xacro_functions, name, size);
    if (function)
        *result = (struct value){.kind = VALUE_FUNCTION, .call = {.function = function}};
    if (found || function)
        return CP_OK;
    if (world->find_member) {
        cp_status status = world->find_member(world->user, module, name, size, result, &found);
        if (status != CP_OK || found)
            return status;
    }
    return evaluation_fail(evaluation, "%.100s.%.*s is not defined or not supported", module,
                           size > 100 ? 100 : (int)size, name);
}

/* Methods that change a dict, or are of no use in an expression, hide the keys of their names in Python. */
static bool hides_key(const char *name, size_t size)
{
    static const char *const hidden[] = {"clear", "copy", "fromkeys", "pop", "popitem", "setdefault", "update", NULL};
    return is_one_of(hidden, name, size);
}

cp_status function_find_member(struct evaluation *evaluation, const struct value *object, const char *name, size_t size,
                               struct value *result)
{
    if (object->kind == VALUE_MODULE)
        return find_in_module(evaluation, object->module.name, name, size, result);
    const struct value_function *methods = object->kind == VALUE_TEXT   ? text_methods
                                           : object->kind == VALUE_DICT ? dict_methods
                                                                        : NULL;
    const struct value_function *method = methods ? function_named(methods, name, size) : NULL;
    if (method) {
        const struct value *kept = arena_copy(evaluation->world->arena, object, 1, sizeof *object);
        *result = (struct value){.kind = VALUE_FUNCTION, .call = {.function = method, .object = kept}};
        return kept ? CP_OK : CP_LIMIT;
    }
    if (object->kind == VALUE_DICT && object->items->is_dotted && !hides_key(name, size)) {
        struct value key = value_of_text(name, size);
        return operator_index(evaluation, object, &key, result);
    }
    return evaluation_fail(evaluation, "%s has no member %.*s that is supported", value_kind_name(object),
                           size > 100 ? 100 : (int)size, name);
}

/* ---- calls ---- */

cp_status function_call(struct evaluation *evaluation, const struct value *called, const struct call *given,
                        struct value *result)
{
    if (called->kind != VALUE_FUNCTION)
        return evaluation_fail(evaluation, "%s cannot be called", value_kind_name(called));
    const struct value_function *function = called->call.function;
    struct call call = *given;
    call.evaluation = evaluation;
    call.function = function;
    call.object = called->call.object;
    if (call.named > 0 && function->call != make_dict)
        return evaluation_fail(evaluation, "%s does not take an argument named %.100s", function->name,
                               call.names[0].text.bytes);
    if (call.count >= function->least && call.count <= function->most)
        return function->call(&call, result);
    return evaluation_fail(evaluation, "%s takes %s%u arguments, not %u", function->name,
                           function->least == function->most ? ""
                           : call.count < function->least    ? "at least "
                                                             : "at most ",
                           call.count < function->least ? function->least : function->most, call.count);
}
