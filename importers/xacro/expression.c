/* Expressions: a text is evaluated while it is read, by the precedence of Python's operators.
 *
 * Specification: Python 3, "The Python Language Reference", chapter 6, and what ros/xacro (branch ros2) lets
 * expressions use. What of Python is not read is refused by name: comprehensions, slices, dict literals, lambda,
 * formatted texts, operators of bits, starred arguments, names that begin with "__". */
#include "expression.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/text/text.h"
#include "evaluation.h"

/* ---- errors and limits ---- */

cp_status evaluation_fail(struct evaluation *evaluation, const char *format, ...)
{
    enum { LONGEST = 400, SHOWN = 200 };
    char reason[LONGEST];
    size_t size = (size_t)(evaluation->end - evaluation->text), shown = size > SHOWN ? SHOWN : size;
    while (shown > 0 && shown < size && (evaluation->text[shown] & 0xC0) == 0x80)
        shown--; /* no character is cut */
    va_list list;
    va_start(list, format);
    (void)vsnprintf(reason, sizeof reason, format, list);
    va_end(list);
    return report_error(evaluation->world->context, CP_INPUT, "xacro-expression", evaluation->world->place,
                        "%s, in the expression ${%.*s%s}", reason, (int)shown, evaluation->text,
                        shown < size ? "..." : "");
}

cp_status evaluation_spend(struct evaluation *evaluation, uint64_t steps)
{
    struct expression_world *world = evaluation->world;
    if (steps > MOST_STEPS || world->steps > MOST_STEPS - steps) {
        world->steps = MOST_STEPS + 1;
        return report_error(world->context, CP_LIMIT, "xacro-work", world->place,
                            "the expressions of this document take more than %d operations", (int)MOST_STEPS);
    }
    world->steps += steps;
    return CP_OK;
}

static cp_status refuse_size(struct evaluation *evaluation)
{
    return evaluation_fail(evaluation, "a value is larger than %d", (int)HEAVIEST_VALUE);
}

char *evaluation_text(struct evaluation *evaluation, uint64_t size, cp_status *status)
{
    *status = size < HEAVIEST_VALUE ? evaluation_spend(evaluation, size) : refuse_size(evaluation);
    char *text = *status == CP_OK ? arena_allocate(evaluation->world->arena, (size_t)size + 1, 1) : NULL;
    if (text)
        text[size] = '\0';
    else if (*status == CP_OK)
        *status = CP_LIMIT;
    return text;
}

cp_status evaluation_copy(struct evaluation *evaluation, const char *bytes, size_t size, struct value *value)
{
    cp_status status;
    char *text = evaluation_text(evaluation, size, &status);
    if (!text)
        return status;
    memcpy(text, bytes, size);
    *value = value_of_text(text, size);
    return CP_OK;
}

struct value_items *evaluation_items(struct evaluation *evaluation, uint64_t count, bool has_keys, cp_status *status)
{
    struct arena *arena = evaluation->world->arena;
    struct value_items *items = NULL;
    bool fits = count < HEAVIEST_VALUE;
    *status = fits ? evaluation_spend(evaluation, count * sizeof *items->values * (has_keys ? 2 : 1))
                   : refuse_size(evaluation);
    if (*status != CP_OK)
        return NULL;
    items = arena_allocate(arena, 1, sizeof *items);
    struct value *values = items ? arena_allocate(arena, (size_t)count, sizeof *values) : NULL;
    struct value *keys = values && has_keys ? arena_allocate(arena, (size_t)count, sizeof *keys) : NULL;
    if (!values || (has_keys && !keys)) {
        *status = CP_LIMIT;
        return NULL;
    }
    *items = (struct value_items){.values = values, .keys = keys, .count = (uint32_t)count};
    return items;
}

cp_status evaluation_finish(struct evaluation *evaluation, enum value_kind kind, struct value_items *items,
                            struct value *value)
{
    if (value_of_items(kind, items, value))
        return CP_OK;
    return items->depth > DEEPEST_VALUE
               ? evaluation_fail(evaluation, "lists are nested more than %d deep", (int)DEEPEST_VALUE)
               : refuse_size(evaluation);
}

/* ---- operands ---- */

/* How firmly operators hold their operands, the weakest first. */
enum binding { BIND_CHOICE, BIND_OR, BIND_AND, BIND_NOT, BIND_COMPARISON, BIND_SUM, BIND_PRODUCT, BIND_SIGN };

static cp_status read_operand(struct evaluation *evaluation, enum binding least, struct value *value);

static cp_status read_choice(struct evaluation *evaluation, struct value *value)
{
    return read_operand(evaluation, BIND_CHOICE, value);
}

static cp_status refuse_token(struct evaluation *evaluation)
{
    static const struct {
        const char *token, *what;
    } known[] = {{"for", "comprehensions are"},
                 {"lambda", "lambda is"},
                 {"{", "dict and set literals are"},
                 {":", "slices are"},
                 {":=", ":= is"},
                 {"~", "the operator ~ of bits is"},
                 {"&", "the operator & of bits is"},
                 {"|", "the operator | of bits is"},
                 {"^", "the operator ^ of bits is"},
                 {"<<", "the operator << of bits is"},
                 {">>", "the operator >> of bits is"},
                 {"@", "the operator @ is"},
                 {"*", "starred arguments are"},
                 {"**", "starred arguments are"}};
    const struct token *token = &evaluation->token;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (token_is_word(evaluation, known[i].token) || token_is_sign(evaluation, known[i].token))
            return evaluation_fail(evaluation, "%s not supported", known[i].what);
    if (token->kind == TOKEN_END)
        return evaluation_fail(evaluation, "the expression ends where a value or a bracket is expected");
    if (token->kind == TOKEN_LITERAL)
        return evaluation_fail(evaluation, "two values stand side by side");
    return evaluation_fail(evaluation, "'%.*s' does not belong here", token->size > 60 ? 60 : (int)token->size,
                           token->start);
}

static cp_status expect_sign(struct evaluation *evaluation, const char *sign)
{
    return token_is_sign(evaluation, sign) ? token_next(evaluation) : refuse_token(evaluation);
}

static cp_status read_name(struct evaluation *evaluation, struct value *value)
{
    const struct token name = evaluation->token;
    const struct expression_world *world = evaluation->world;
    bool found = false;
    cp_status status = token_next(evaluation);
    if (status != CP_OK)
        return status;
    if (name.size >= 2 && memcmp(name.start, "__", 2) == 0)
        return evaluation_fail(evaluation, "the name %.*s is not allowed, since it begins with __", (int)name.size,
                               name.start);
    if (token_is_word(evaluation, "for")) /* [x for x in ...]: x is no property */
        return refuse_token(evaluation);
    if (evaluation->skips > 0)
        return CP_OK;
    if (world->find)
        status = world->find(world->user, name.start, name.size, value, &found);
    if (status != CP_OK || found)
        return status;
    return function_find_global(evaluation, name.start, name.size, value);
}

static cp_status read_word(struct evaluation *evaluation, struct value *value)
{
    static const char *const reserved[] = {"and", "or", "not", "in", "is", "if", "else", "for", "lambda", NULL};
    for (const char *const *word = reserved; *word; word++)
        if (token_is_word(evaluation, *word))
            return refuse_token(evaluation);
    *value = NONE_VALUE;
    if (token_is_word(evaluation, "True") || token_is_word(evaluation, "False"))
        *value = value_of_bool(token_is_word(evaluation, "True"));
    else if (!token_is_word(evaluation, "None"))
        return read_name(evaluation, value);
    return token_next(evaluation);
}

/* Values that are read one by one: items, arguments with their names. */
struct values {
    struct value *values, *names;
    uint32_t count, room, named, name_room;
};

static cp_status add_value(struct evaluation *evaluation, struct values *list, const struct value *value)
{
    bool added = array_add(evaluation->world->context, &list->values, &list->room, &list->count, value, sizeof *value);
    return added ? CP_OK : CP_LIMIT;
}

static void free_values(struct evaluation *evaluation, struct values *list)
{
    memory_free(evaluation->world->context, list->values, list->room, sizeof *list->values);
    memory_free(evaluation->world->context, list->names, list->name_room, sizeof *list->names);
}

static cp_status make_items(struct evaluation *evaluation, enum value_kind kind, const struct values *list,
                            struct value *value)
{
    cp_status status;
    struct value_items *items = evaluation_items(evaluation, list->count, false, &status);
    if (!items)
        return status;
    if (list->count > 0)
        memcpy(items->values, list->values, list->count * sizeof *items->values);
    return evaluation_finish(evaluation, kind, items, value);
}

/* Reads values up to the closing sign. *has_comma: there was one, so that (1,) is a tuple. */
static cp_status read_values(struct evaluation *evaluation, const char *closing, struct values *list, bool *has_comma)
{
    cp_status status = CP_OK;
    *has_comma = false;
    while (status == CP_OK && !token_is_sign(evaluation, closing)) {
        struct value value = NONE_VALUE;
        status = read_choice(evaluation, &value);
        if (status == CP_OK)
            status = add_value(evaluation, list, &value);
        if (status != CP_OK || !token_is_sign(evaluation, ","))
            break;
        *has_comma = true;
        status = token_next(evaluation);
    }
    return status == CP_OK ? expect_sign(evaluation, closing) : status;
}

/* Reads [...] or (...) behind the bracket: one value in round ones is itself. */
static cp_status read_bracket(struct evaluation *evaluation, bool is_list, struct value *value)
{
    struct values list = {.count = 0};
    bool has_comma;
    cp_status status = read_values(evaluation, is_list ? "]" : ")", &list, &has_comma);
    if (status == CP_OK && !is_list && list.count == 1 && !has_comma)
        *value = *list.values;
    else if (status == CP_OK)
        status = make_items(evaluation, is_list ? VALUE_LIST : VALUE_TUPLE, &list, value);
    free_values(evaluation, &list);
    return status;
}

static cp_status read_primary(struct evaluation *evaluation, struct value *value)
{
    const struct token token = evaluation->token;
    if (token.kind == TOKEN_NAME)
        return read_word(evaluation, value);
    bool is_list = token_is_sign(evaluation, "[");
    if (token.kind != TOKEN_LITERAL && !is_list && !token_is_sign(evaluation, "("))
        return refuse_token(evaluation);
    cp_status status = token_next(evaluation);
    if (status != CP_OK)
        return status;
    if (token.kind != TOKEN_LITERAL)
        return read_bracket(evaluation, is_list, value);
    *value = token.value;
    return CP_OK;
}

/* ---- calls, items, members ---- */

/* Tells whether the token is the name of an argument: a '=' that is not part of "==" follows it. */
static bool names_argument(const struct evaluation *evaluation)
{
    const char *at = evaluation->at, *end = evaluation->end;
    while (at < end && is_blank(*at))
        at++;
    return evaluation->token.kind == TOKEN_NAME && at < end && *at == '=' && (end - at == 1 || at[1] != '=');
}

static cp_status read_argument(struct evaluation *evaluation, struct values *list)
{
    cp_status status = CP_OK;
    struct value value = NONE_VALUE, name;
    if (names_argument(evaluation)) {
        status = evaluation_copy(evaluation, evaluation->token.start, evaluation->token.size, &name);
        if (status == CP_OK &&
            !array_add(evaluation->world->context, &list->names, &list->name_room, &list->named, &name, sizeof name))
            status = CP_LIMIT;
        if (status == CP_OK)
            status = token_next(evaluation);
        if (status == CP_OK)
            status = token_next(evaluation);
    } else if (list->named > 0)
        status = evaluation_fail(evaluation, "an argument without a name stands behind one with a name");
    if (status == CP_OK)
        status = read_choice(evaluation, &value);
    return status == CP_OK ? add_value(evaluation, list, &value) : status;
}

static cp_status read_call(struct evaluation *evaluation, struct value *value)
{
    struct values list = {.count = 0};
    const struct value called = *value;
    cp_status status = token_next(evaluation);
    while (status == CP_OK && !token_is_sign(evaluation, ")")) {
        status = read_argument(evaluation, &list);
        if (status != CP_OK || !token_is_sign(evaluation, ","))
            break;
        status = token_next(evaluation);
    }
    if (status == CP_OK)
        status = expect_sign(evaluation, ")");
    const struct call call = {.values = list.values, .names = list.names, .count = list.count, .named = list.named};
    if (status == CP_OK && evaluation->skips == 0)
        status = function_call(evaluation, &called, &call, value);
    free_values(evaluation, &list);
    return status;
}

static cp_status read_index(struct evaluation *evaluation, struct value *value)
{
    const struct value object = *value;
    struct value index = NONE_VALUE;
    cp_status status = token_next(evaluation);
    if (status == CP_OK)
        status = read_choice(evaluation, &index);
    if (status == CP_OK)
        status = expect_sign(evaluation, "]");
    if (status != CP_OK || evaluation->skips > 0)
        return status;
    return operator_index(evaluation, &object, &index, value);
}

static cp_status read_member(struct evaluation *evaluation, struct value *value)
{
    const struct value object = *value;
    cp_status status = token_next(evaluation);
    const struct token name = evaluation->token;
    if (status == CP_OK && name.kind != TOKEN_NAME)
        return refuse_token(evaluation);
    if (status == CP_OK)
        status = token_next(evaluation);
    if (status != CP_OK)
        return status;
    if (name.size >= 2 && memcmp(name.start, "__", 2) == 0)
        return evaluation_fail(evaluation, "the name %.*s is not allowed, since it begins with __", (int)name.size,
                               name.start);
    return evaluation->skips > 0 ? CP_OK : function_find_member(evaluation, &object, name.start, name.size, value);
}

static cp_status read_postfix(struct evaluation *evaluation, struct value *value)
{
    cp_status status = read_primary(evaluation, value);
    while (status == CP_OK) {
        if (token_is_sign(evaluation, "("))
            status = read_call(evaluation, value);
        else if (token_is_sign(evaluation, "["))
            status = read_index(evaluation, value);
        else if (token_is_sign(evaluation, "."))
            status = read_member(evaluation, value);
        else
            break;
    }
    return status;
}

/* ---- operators ---- */

/* A sign holds its operand less firmly than ** before it, and more firmly than ** behind it: -2 ** -2 is -(2 ** -2). */
static cp_status read_signed(struct evaluation *evaluation, struct value *value)
{
    bool negates = token_is_sign(evaluation, "-"), skips = evaluation->skips > 0;
    struct value operand = NONE_VALUE, exponent = NONE_VALUE;
    cp_status status;
    if (negates || token_is_sign(evaluation, "+")) {
        status = token_next(evaluation);
        if (status == CP_OK)
            status = read_operand(evaluation, BIND_SIGN, &operand);
        if (status != CP_OK || skips)
            return status;
        *value = operand.kind == VALUE_BOOL ? value_of_int(operand.truth) : operand;
        if (!negates && value_is_number(&operand))
            return CP_OK;
        return operator_negate(evaluation, &operand, value);
    }
    status = read_postfix(evaluation, value);
    if (status != CP_OK || !token_is_sign(evaluation, "**"))
        return status;
    operand = *value;
    status = token_next(evaluation);
    if (status == CP_OK)
        status = read_operand(evaluation, BIND_SIGN, &exponent);
    if (status != CP_OK || skips)
        return status;
    return operator_compute(evaluation, "**", &operand, &exponent, value);
}

/* Returns the comparison that begins here, or NULL; "is" may be "is not" yet. */
static const char *comparison_here(const struct evaluation *evaluation)
{
    static const char *const signs[] = {"==", "!=", "<", "<=", ">", ">="};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (token_is_sign(evaluation, signs[i]))
            return signs[i];
    if (token_is_word(evaluation, "not"))
        return "not in";
    return token_is_word(evaluation, "in") ? "in" : token_is_word(evaluation, "is") ? "is" : NULL;
}

/* Goes behind the comparison. */
static cp_status pass_comparison(struct evaluation *evaluation, const char **word)
{
    cp_status status = token_next(evaluation);
    if (status == CP_OK && strcmp(*word, "not in") == 0)
        return token_is_word(evaluation, "in") ? token_next(evaluation) : refuse_token(evaluation);
    if (status != CP_OK || strcmp(*word, "is") != 0 || !token_is_word(evaluation, "not"))
        return status;
    *word = "is not";
    return token_next(evaluation);
}

/* a < b < c is a < b and b < c, with b evaluated once, and c only if a < b. */
static cp_status read_comparisons(struct evaluation *evaluation, struct value *value)
{
    bool holds = true;
    struct value left = *value, right = NONE_VALUE;
    for (const char *word; (word = comparison_here(evaluation));) {
        uint32_t skips = !holds;
        evaluation->skips += skips;
        cp_status status = pass_comparison(evaluation, &word);
        if (status == CP_OK)
            status = read_operand(evaluation, BIND_SUM, &right);
        if (status == CP_OK && evaluation->skips == 0)
            status = operator_compare(evaluation, word, &left, &right, &holds);
        evaluation->skips -= skips;
        if (status != CP_OK)
            return status;
        left = right;
        *value = value_of_bool(holds);
    }
    return CP_OK;
}

/* `and` and `or` give one of their operands. The right one is only read, not evaluated, if the left one decides. */
static cp_status read_logic(struct evaluation *evaluation, bool is_and, struct value *value)
{
    bool decides = evaluation->skips == 0 && value_is_true(value) != is_and;
    struct value right = NONE_VALUE;
    cp_status status = token_next(evaluation);
    evaluation->skips += decides;
    if (status == CP_OK)
        status = read_operand(evaluation, is_and ? BIND_NOT : BIND_AND, &right);
    evaluation->skips -= decides;
    if (!decides)
        *value = right;
    return status;
}

/* Reads the right operand of a sign, and computes. */
static cp_status read_arithmetic(struct evaluation *evaluation, enum binding right_binding, struct value *value)
{
    static const char *const signs[] = {"+", "-", "*", "/", "//", "%"};
    const struct value left = *value;
    struct value right = NONE_VALUE;
    const char *sign = "";
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (token_is_sign(evaluation, signs[i]))
            sign = signs[i];
    cp_status status = token_next(evaluation);
    if (status == CP_OK)
        status = read_operand(evaluation, right_binding, &right);
    if (status != CP_OK || evaluation->skips > 0)
        return status;
    return operator_compute(evaluation, sign, &left, &right, value);
}

static cp_status read_not(struct evaluation *evaluation, struct value *value)
{
    struct value operand = NONE_VALUE;
    cp_status status = token_next(evaluation);
    if (status == CP_OK)
        status = read_operand(evaluation, BIND_NOT, &operand);
    *value = value_of_bool(!value_is_true(&operand));
    return status;
}

/* Reads operators that hold their operands at least so firmly. */
static cp_status read_operators(struct evaluation *evaluation, enum binding least, struct value *value)
{
    if (token_is_word(evaluation, "not") && least > BIND_NOT)
        return refuse_token(evaluation);
    cp_status status = token_is_word(evaluation, "not") ? read_not(evaluation, value) : read_signed(evaluation, value);
    while (status == CP_OK) {
        bool is_sum = token_is_sign(evaluation, "+") || token_is_sign(evaluation, "-");
        bool is_product = token_is_sign(evaluation, "*") || token_is_sign(evaluation, "/") ||
                          token_is_sign(evaluation, "//") || token_is_sign(evaluation, "%");
        if (is_product && least <= BIND_PRODUCT)
            status = read_arithmetic(evaluation, BIND_SIGN, value);
        else if (is_sum && least <= BIND_SUM)
            status = read_arithmetic(evaluation, BIND_PRODUCT, value);
        else if (least <= BIND_COMPARISON && comparison_here(evaluation))
            status = read_comparisons(evaluation, value);
        else if (least <= BIND_AND && token_is_word(evaluation, "and"))
            status = read_logic(evaluation, true, value);
        else if (least <= BIND_OR && token_is_word(evaluation, "or"))
            status = read_logic(evaluation, false, value);
        else
            break;
    }
    return status;
}

/* ---- conditional expressions ---- */

/* Reads without evaluating. */
static cp_status skip_operand(struct evaluation *evaluation, enum binding least)
{
    struct value ignored = NONE_VALUE;
    evaluation->skips++;
    cp_status status = read_operand(evaluation, least, &ignored);
    evaluation->skips--;
    return status;
}

/* Reads `if condition else`, with the first value skipped. */
static cp_status read_condition(struct evaluation *evaluation, struct value *condition)
{
    cp_status status = token_next(evaluation);
    if (status == CP_OK)
        status = read_operand(evaluation, BIND_OR, condition);
    if (status != CP_OK)
        return status;
    return token_is_word(evaluation, "else") ? token_next(evaluation) : refuse_token(evaluation);
}

/* `a if condition else b`: the condition comes first. So a is skipped, and read again if it counts. */
static cp_status read_conditional(struct evaluation *evaluation, struct value *value)
{
    const struct evaluation start = *evaluation;
    struct value condition = NONE_VALUE;
    cp_status status = CP_OK;
    if (!evaluation->may_choose)
        return read_operand(evaluation, BIND_OR, value);
    status = skip_operand(evaluation, BIND_OR);
    if (status != CP_OK)
        return status;
    bool has_condition = token_is_word(evaluation, "if");
    if (has_condition)
        status = read_condition(evaluation, &condition);
    if (status != CP_OK || (evaluation->skips > 0 && !has_condition))
        return status;
    if (has_condition && !value_is_true(&condition))
        return read_operand(evaluation, BIND_CHOICE, value);
    if (has_condition)
        status = skip_operand(evaluation, BIND_CHOICE);
    const struct evaluation end = *evaluation;
    *evaluation = start;
    if (status == CP_OK)
        status = read_operand(evaluation, BIND_OR, value);
    if (has_condition)
        *evaluation = end;
    return status;
}

static cp_status read_operand(struct evaluation *evaluation, enum binding least, struct value *value)
{
    struct expression_world *world = evaluation->world;
    if (world->depth >= DEEPEST_EXPRESSION)
        return evaluation_fail(evaluation, "expressions are nested too deep, more than %d operators",
                               (int)DEEPEST_EXPRESSION);
    world->depth++;
    cp_status status = evaluation_spend(evaluation, 1);
    if (status == CP_OK)
        status = least == BIND_CHOICE ? read_conditional(evaluation, value) : read_operators(evaluation, least, value);
    world->depth--;
    return status;
}

/* ---- the whole ---- */

/* Reads the expression: several values with commas are a tuple. */
static cp_status read_whole(struct evaluation *evaluation, struct value *value)
{
    struct values list = {.count = 0};
    cp_status status = read_choice(evaluation, value);
    if (status != CP_OK || !token_is_sign(evaluation, ","))
        return status;
    status = add_value(evaluation, &list, value);
    while (status == CP_OK && token_is_sign(evaluation, ",")) {
        status = token_next(evaluation);
        if (status != CP_OK || evaluation->token.kind == TOKEN_END)
            break;
        status = read_choice(evaluation, value);
        if (status == CP_OK)
            status = add_value(evaluation, &list, value);
    }
    if (status == CP_OK)
        status = make_items(evaluation, VALUE_TUPLE, &list, value);
    free_values(evaluation, &list);
    return status;
}

cp_status expression_evaluate(struct expression_world *world, const char *text, size_t size, struct value *value)
{
    while (size > 0 && is_space(*text)) {
        text++;
        size--;
    }
    while (size > 0 && is_space(text[size - 1]))
        size--;
    struct evaluation evaluation = {.world = world, .text = text, .end = text + size, .at = text};
    for (size_t i = 0; i + 1 < size && !evaluation.may_choose; i++)
        evaluation.may_choose = text[i] == 'i' && text[i + 1] == 'f';
    struct value result = NONE_VALUE;
    cp_status status = size == 0 ? evaluation_fail(&evaluation, "there is nothing to evaluate") : CP_OK;
    if (status == CP_OK)
        status = token_next(&evaluation);
    if (status == CP_OK)
        status = read_whole(&evaluation, &result);
    if (status == CP_OK && evaluation.token.kind != TOKEN_END)
        status = refuse_token(&evaluation);
    if (status == CP_OK && (result.kind == VALUE_FUNCTION || result.kind == VALUE_MODULE))
        status = evaluation_fail(&evaluation, "the result is a %s, not a value", value_kind_name(&result));
    if (status == CP_OK) /* whoever prints it, or compares it */
        status = evaluation_spend(&evaluation, value_weight(&result));
    if (status == CP_OK)
        *value = result;
    return status;
}
