/* A recursive descent that evaluates as it reads: formulas are short, and evaluated as often as they are drawn. */
#include "expression.h"

#include <math.h>
#include <string.h>

#include "../text/text.h"

struct parser {
    const char *at, *end;
    const struct expression_scope *scope;
    const char *fault; /* the first one; after it nothing is read */
    const char *fault_at;
    uint32_t depth;
    bool only_checks; /* the text, not the values */
};

static double read_expression(struct parser *parser);
static double read_signed(struct parser *parser);

static double fail(struct parser *parser, const char *fault)
{
    if (!parser->fault) {
        parser->fault = fault;
        parser->fault_at = parser->at;
    }
    parser->at = parser->end;
    return 0;
}

static char next_character(struct parser *parser)
{
    while (parser->at < parser->end && (*parser->at == ' ' || *parser->at == '\t'))
        parser->at++;
    return parser->at < parser->end ? *parser->at : '\0';
}

static bool accept(struct parser *parser, char character)
{
    if (next_character(parser) != character)
        return false;
    parser->at++;
    return true;
}

static bool is_letter(char character)
{
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
}

static bool is_digit(char character)
{
    return character >= '0' && character <= '9';
}

/* A result that is no number, or too large for one, is a fault where it arises. */
static double check(struct parser *parser, double value)
{
    if (parser->only_checks)
        return 1;
    return isfinite(value) ? value : fail(parser, "the result is no finite number");
}

/* ---- functions ---- */

static double apply_minimum(double a, double b)
{
    return b < a ? b : a;
}

static double apply_maximum(double a, double b)
{
    return b > a ? b : a;
}

enum angles { PLAIN, TAKES_ANGLE, GIVES_ANGLE };

static const struct function {
    const char *name;
    double (*of_one)(double);
    double (*of_two)(double, double);
    enum angles angles;
    bool of_many; /* of_two, again and again */
} functions[] = {
    {"sin", sin, NULL, TAKES_ANGLE, false},     {"cos", cos, NULL, TAKES_ANGLE, false},
    {"tan", tan, NULL, TAKES_ANGLE, false},     {"asin", asin, NULL, GIVES_ANGLE, false},
    {"acos", acos, NULL, GIVES_ANGLE, false},   {"atan", atan, NULL, GIVES_ANGLE, false},
    {"atan2", NULL, atan2, GIVES_ANGLE, false}, {"sqrt", sqrt, NULL, PLAIN, false},
    {"abs", fabs, NULL, PLAIN, false},          {"min", NULL, apply_minimum, PLAIN, true},
    {"max", NULL, apply_maximum, PLAIN, true},
};

static double finish_function(struct parser *parser, const struct function *function, double value)
{
    if (!accept(parser, ')'))
        return fail(parser, next_character(parser) == ',' ? "too many values for the function" : "a ) is missing");
    return check(parser, function->angles == GIVES_ANGLE ? value / parser->scope->angle : value);
}

static double apply_function(struct parser *parser, const struct function *function)
{
    double value = read_expression(parser);
    if (function->of_one)
        return finish_function(
            parser, function, function->of_one(function->angles == TAKES_ANGLE ? value * parser->scope->angle : value));
    bool first = true;
    while (!parser->fault && (first || function->of_many) && accept(parser, ',')) {
        value = function->of_two(value, read_expression(parser));
        first = false;
    }
    return first ? fail(parser, "the function takes two values") : finish_function(parser, function, value);
}

/* ---- primaries ---- */

/* The word at hand, letters and then digits too; size 0 when none is. */
static size_t word_size(const struct parser *parser)
{
    const char *at = parser->at;
    while (at < parser->end && (is_letter(*at) || (at > parser->at && is_digit(*at))))
        at++;
    return (size_t)(at - parser->at);
}

static bool is_word(const struct parser *parser, size_t size, const char *word)
{
    if (strlen(word) != size)
        return false;
    for (size_t i = 0; i < size; i++)
        if ((parser->at[i] | 0x20) != (word[i] | 0x20))
            return false;
    return true;
}

/* After "dof (": the number of an input. */
static double read_input(struct parser *parser)
{
    uint64_t index = 0;
    next_character(parser);
    const char *start = parser->at;
    for (; parser->at < parser->end && is_digit(*parser->at) && index <= UINT32_MAX; parser->at++)
        index = 10 * index + (uint64_t)(*parser->at - '0');
    if (parser->at == start)
        return fail(parser, "dof takes a whole number");
    if (index < 1 || index > parser->scope->input_count) {
        parser->at = start;
        return fail(parser, "the device has no such degree of freedom");
    }
    if (!accept(parser, ')'))
        return fail(parser, "a ) is missing");
    if (parser->only_checks)
        return 1;
    return check(parser, parser->scope->input(parser->scope->user, (uint32_t)index - 1));
}

static double read_named(struct parser *parser, size_t size)
{
    if (is_word(parser, size, "pi")) {
        parser->at += size;
        return 3.14159265358979323846;
    }
    bool input = is_word(parser, size, "dof");
    const struct function *function = NULL;
    for (size_t i = 0; i < sizeof functions / sizeof *functions && !input; i++)
        if (is_word(parser, size, functions[i].name))
            function = &functions[i];
    if (!input && !function)
        return fail(parser, "the name is unknown");
    parser->at += size;
    if (!accept(parser, '('))
        return fail(parser, "a ( is missing");
    return input ? read_input(parser) : apply_function(parser, function);
}

static double read_group(struct parser *parser)
{
    double value = read_expression(parser);
    return accept(parser, ')') ? value : fail(parser, "a ) is missing");
}

static double read_primary(struct parser *parser)
{
    char next = next_character(parser);
    size_t size = word_size(parser);
    if (size > 0)
        return read_named(parser, size);
    if (accept(parser, '('))
        return read_group(parser);
    double value;
    const char *after = is_digit(next) || next == '.' ? parse_double(parser->at, parser->end, &value) : NULL;
    if (!after)
        return fail(parser, next ? "a value is missing" : "the formula ends too early");
    parser->at = after;
    return check(parser, value);
}

/* ---- operators ---- */

/* Every way down to a formula within a formula leads through here. */
static double read_power(struct parser *parser)
{
    if (parser->depth == EXPRESSION_DEEPEST)
        return fail(parser, "the formula is nested too deeply");
    parser->depth++;
    double value = read_primary(parser);
    if (accept(parser, '^'))
        value = check(parser, pow(value, read_signed(parser)));
    parser->depth--;
    return value;
}

static double read_signed(struct parser *parser)
{
    if (accept(parser, '-'))
        return -read_power(parser);
    (void)accept(parser, '+');
    return read_power(parser);
}

static double divide(struct parser *parser, double value, double by)
{
    if (by == 0 && !parser->only_checks)
        return fail(parser, "a division by zero");
    return check(parser, value / by);
}

static double read_term(struct parser *parser)
{
    double value = read_signed(parser);
    while (!parser->fault) {
        if (accept(parser, '*'))
            value = check(parser, value * read_signed(parser));
        else if (accept(parser, '/'))
            value = divide(parser, value, read_signed(parser));
        else
            break;
    }
    return value;
}

static double read_expression(struct parser *parser)
{
    double value = read_term(parser);
    while (!parser->fault) {
        if (accept(parser, '+'))
            value = check(parser, value + read_term(parser));
        else if (accept(parser, '-'))
            value = check(parser, value - read_term(parser));
        else
            break;
    }
    return value;
}

static double read_all(struct parser *parser, const char *text, const struct expression_scope *scope)
{
    size_t size = strlen(text);
    parser->at = text;
    parser->end = text + size;
    parser->scope = scope;
    double value = size > EXPRESSION_LONGEST ? fail(parser, "the formula is too long") : read_expression(parser);
    return next_character(parser) ? fail(parser, "the formula goes on after its end") : value;
}

const char *expression_evaluate(const char *text, const struct expression_scope *scope, double *value)
{
    struct parser parser = {0};
    double result = read_all(&parser, text, scope);
    *value = parser.fault ? 0 : result;
    return parser.fault;
}

const char *expression_check(const char *text, uint32_t input_count, size_t *at)
{
    struct parser parser = {.only_checks = true};
    struct expression_scope scope = {.angle = 1, .input_count = input_count};
    read_all(&parser, text, &scope);
    *at = parser.fault ? (size_t)(parser.fault_at - text) : 0;
    return parser.fault;
}

/* ---- inputs ---- */

/* The digits of the next input, or NULL: "dof" begins no other name, and stands before a whole number in brackets. */
static const char *find_input(const char *text, const char *at)
{
    for (; (at = strpbrk(at, "dD")) != NULL; at++) {
        bool begins = at == text || !is_letter(at[-1]);
        if (!begins || (at[1] | 0x20) != 'o' || (at[2] | 0x20) != 'f')
            continue;
        while (!is_digit(*at))
            at++;
        return at;
    }
    return NULL;
}

static uint32_t read_index(const char **at)
{
    uint32_t index = 0;
    for (; is_digit(**at); (*at)++)
        index = 10 * index + (uint32_t)(**at - '0');
    return index - 1;
}

/* Below EXPRESSION_MOST_INPUTS: up to three digits. */
static char *write_index(char *out, uint32_t index)
{
    uint32_t divisor = index >= 100 ? 100 : index >= 10 ? 10 : 1;
    for (; divisor > 0; divisor /= 10)
        *out++ = (char)('0' + index / divisor % 10);
    return out;
}

/* The place of an index among the sorted ones; it is added where it is not there. */
static void add_input(uint32_t *inputs, uint32_t *count, uint32_t index)
{
    uint32_t place = 0;
    while (place < *count && inputs[place] < index)
        place++;
    if (place < *count && inputs[place] == index)
        return;
    memmove(inputs + place + 1, inputs + place, (*count - place) * sizeof *inputs);
    inputs[place] = index;
    (*count)++;
}

uint32_t expression_compact(const char *text, char compact[EXPRESSION_LONGEST + 1],
                            uint32_t inputs[EXPRESSION_MOST_INPUTS])
{
    uint32_t count = 0;
    const char *written = text;
    for (const char *at = text; (at = find_input(text, at)) != NULL;)
        add_input(inputs, &count, read_index(&at));
    for (const char *at = text; (at = find_input(text, at)) != NULL;) {
        memcpy(compact, written, (size_t)(at - written));
        compact += at - written;
        uint32_t place = 0, index = read_index(&at);
        while (inputs[place] != index)
            place++;
        compact = write_index(compact, place + 1);
        written = at;
    }
    memcpy(compact, written, strlen(written) + 1);
    return count;
}
