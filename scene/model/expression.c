/* A recursive descent compiles the formula; a machine with a stack runs the steps. */
#include "model.h"

#include <math.h>
#include <string.h>

#include "base/text/text.h"

struct parser {
    const char *at, *end;
    double angle;
    uint32_t input_count;
    struct expression_step *steps;
    uint32_t count;
    const char *fault; /* the first one; after it nothing is read */
    const char *fault_at;
    uint32_t depth;
};

static void read_expression(struct parser *parser);
static void read_signed(struct parser *parser);

static void fail(struct parser *parser, const char *fault)
{
    if (!parser->fault) {
        parser->fault = fault;
        parser->fault_at = parser->at;
    }
    parser->at = parser->end;
}

/* Adds a step. Each step takes at least one character of the text, so there is room for all. */
static void emit(struct parser *parser, enum expression_operation operation, uint32_t input, double number)
{
    parser->steps[parser->count++] = (struct expression_step){operation, input, number};
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

static void expect(struct parser *parser, char character, const char *fault)
{
    if (!accept(parser, character))
        fail(parser, fault);
}

/* ---- primaries ---- */

/* Returns the size of the present word, letters and then digits too; 0 if there is none. */
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

/* Reads the number of an input and the bracket, after "dof (". */
static void read_input(struct parser *parser)
{
    uint64_t index = 0;
    next_character(parser);
    const char *start = parser->at;
    for (; parser->at < parser->end && is_digit(*parser->at) && index <= UINT32_MAX; parser->at++)
        index = 10 * index + (uint64_t)(*parser->at - '0');
    if (parser->at == start) {
        fail(parser, "dof takes a whole number");
    } else if (index < 1 || index > parser->input_count) {
        parser->at = start;
        fail(parser, "the device has no such degree of freedom");
    } else {
        emit(parser, EXPRESSION_INPUT, (uint32_t)index - 1, 1);
        expect(parser, ')', "a ) is missing");
    }
}

static const struct function {
    const char *name;
    enum expression_operation operation;
    uint32_t fewest, most; /* values */
} functions[] = {
    {"sin", EXPRESSION_SIN, 1, 1},          {"cos", EXPRESSION_COS, 1, 1},          {"tan", EXPRESSION_TAN, 1, 1},
    {"asin", EXPRESSION_ASIN, 1, 1},        {"acos", EXPRESSION_ACOS, 1, 1},        {"atan", EXPRESSION_ATAN, 1, 1},
    {"atan2", EXPRESSION_ATAN2, 2, 2},      {"sqrt", EXPRESSION_SQRT, 1, 1},        {"abs", EXPRESSION_ABS, 1, 1},
    {"min", EXPRESSION_MIN, 2, UINT32_MAX}, {"max", EXPRESSION_MAX, 2, UINT32_MAX},
};

/* Reads the arguments, after the name and the bracket. A function of many values is applied to two at a time. */
static void read_function(struct parser *parser, const struct function *function)
{
    uint32_t count = 1;
    read_expression(parser);
    for (; !parser->fault && count < function->most && accept(parser, ','); count++) {
        read_expression(parser);
        emit(parser, function->operation, 0, parser->angle);
    }
    if (count < function->fewest)
        fail(parser, "the function takes two values");
    expect(parser, ')', next_character(parser) == ',' ? "too many values for the function" : "a ) is missing");
    if (function->most == 1)
        emit(parser, function->operation, 0, parser->angle);
}

static void read_named(struct parser *parser, size_t size)
{
    if (is_word(parser, size, "pi")) {
        parser->at += size;
        emit(parser, EXPRESSION_NUMBER, 0, 3.14159265358979323846);
        return;
    }
    bool input = is_word(parser, size, "dof");
    const struct function *function = NULL;
    for (size_t i = 0; i < sizeof functions / sizeof *functions && !input; i++)
        if (is_word(parser, size, functions[i].name))
            function = &functions[i];
    if (!input && !function) {
        fail(parser, "the name is unknown");
        return;
    }
    parser->at += size;
    expect(parser, '(', "a ( is missing");
    if (input)
        read_input(parser);
    else
        read_function(parser, function);
}

static void read_primary(struct parser *parser)
{
    char next = next_character(parser);
    size_t size = word_size(parser);
    if (size > 0) {
        read_named(parser, size);
    } else if (accept(parser, '(')) {
        read_expression(parser);
        expect(parser, ')', "a ) is missing");
    } else {
        double value;
        const char *after = is_digit(next) || next == '.' ? parse_double(parser->at, parser->end, &value) : NULL;
        if (!after) {
            fail(parser, next ? "a value is missing" : "the formula ends too early");
            return;
        }
        parser->at = after;
        emit(parser, EXPRESSION_NUMBER, 0, value);
    }
}

/* ---- operators ---- */

/* Every formula within a formula passes here, so the depth is counted here. */
static void read_power(struct parser *parser)
{
    if (parser->depth == EXPRESSION_DEEPEST) {
        fail(parser, "the formula is nested too deeply");
        return;
    }
    parser->depth++;
    read_primary(parser);
    if (accept(parser, '^')) {
        read_signed(parser);
        emit(parser, EXPRESSION_POWER, 0, 0);
    }
    parser->depth--;
}

static void read_signed(struct parser *parser)
{
    bool negative = accept(parser, '-');
    if (!negative)
        (void)accept(parser, '+');
    read_power(parser);
    if (negative)
        emit(parser, EXPRESSION_NEGATE, 0, 0);
}

static void read_term(struct parser *parser)
{
    read_signed(parser);
    for (;;) {
        bool times = accept(parser, '*');
        if (!times && !accept(parser, '/'))
            return;
        read_signed(parser);
        emit(parser, times ? EXPRESSION_MULTIPLY : EXPRESSION_DIVIDE, 0, 0);
    }
}

static void read_expression(struct parser *parser)
{
    read_term(parser);
    for (;;) {
        bool plus = accept(parser, '+');
        if (!plus && !accept(parser, '-'))
            return;
        read_term(parser);
        emit(parser, plus ? EXPRESSION_ADD : EXPRESSION_SUBTRACT, 0, 0);
    }
}

const char *expression_compile(const char *text, double angle, uint32_t input_count,
                               struct expression_step steps[EXPRESSION_LONGEST], uint32_t *count, size_t *at)
{
    size_t size = strlen(text);
    struct parser parser = {.at = text, .end = text + size, .angle = angle, .input_count = input_count, .steps = steps};
    if (size > EXPRESSION_LONGEST)
        fail(&parser, "the formula is too long");
    else
        read_expression(&parser);
    if (next_character(&parser))
        fail(&parser, "unexpected text after the formula");
    *count = parser.fault ? 0 : parser.count;
    *at = parser.fault ? (size_t)(parser.fault_at - text) : 0;
    return parser.fault;
}

const char *expression_check(const char *text, uint32_t input_count, size_t *at)
{
    struct expression_step steps[EXPRESSION_LONGEST];
    uint32_t count;
    return expression_compile(text, 1, input_count, steps, &count, at);
}

/* ---- running ---- */

/* Each level of nesting leaves at most three values on the stack: those on the left of + or -, of * or /, and of a
 * comma. */
enum { MOST_VALUES = 3 * EXPRESSION_DEEPEST + 3 };

/* Applies a step to the top of the stack: to values[0], and to values[1] if it takes two. */
static double apply(const struct expression_step *step, const double *values)
{
    double a = values[0], unit = step->number;
    switch (step->operation) {
    case EXPRESSION_NUMBER:
    case EXPRESSION_INPUT:
        break;
    case EXPRESSION_NEGATE:
        return -a;
    case EXPRESSION_SIN:
        return sin(a * unit);
    case EXPRESSION_COS:
        return cos(a * unit);
    case EXPRESSION_TAN:
        return tan(a * unit);
    case EXPRESSION_ASIN:
        return asin(a) / unit;
    case EXPRESSION_ACOS:
        return acos(a) / unit;
    case EXPRESSION_ATAN:
        return atan(a) / unit;
    case EXPRESSION_SQRT:
        return sqrt(a);
    case EXPRESSION_ABS:
        return fabs(a);
    case EXPRESSION_ADD:
        return a + values[1];
    case EXPRESSION_SUBTRACT:
        return a - values[1];
    case EXPRESSION_MULTIPLY:
        return a * values[1];
    case EXPRESSION_DIVIDE:
        return a / values[1];
    case EXPRESSION_POWER:
        return pow(a, values[1]);
    case EXPRESSION_ATAN2:
        return atan2(a, values[1]) / unit;
    case EXPRESSION_MIN:
        return values[1] < a ? values[1] : a;
    case EXPRESSION_MAX:
        return values[1] > a ? values[1] : a;
    }
    return 0;
}

const char *expression_run(const struct expression_step *steps, uint32_t count, const double *inputs, double *value)
{
    double stack[1 + MOST_VALUES], *top = stack; /* the first one is below all values */
    *value = *top = 0;
    for (const struct expression_step *step = steps; step < steps + count; step++) {
        if (step->operation <= EXPRESSION_INPUT) {
            *++top = step->operation == EXPRESSION_NUMBER ? step->number : step->number * inputs[step->input];
        } else {
            top -= step->operation >= EXPRESSION_ADD; /* those take two */
            *top = apply(step, top);
        }
        /* Stop at the first value that is not finite: a later step could make a number of it again, as 1 / infinity is
         * 0. */
        if (!isfinite(*top))
            return step->operation == EXPRESSION_DIVIDE && top[1] == 0 ? "a division by zero"
                                                                       : "the result is no finite number";
    }
    *value = *top;
    return NULL;
}

/* ---- inputs ---- */

/* Finds the digits of the next input, or NULL. No other name begins with "dof", and a whole number in brackets follows
 * it. */
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

/* Writes an index below EXPRESSION_MOST_INPUTS: up to three digits. */
static char *write_index(char *out, uint32_t index)
{
    uint32_t divisor = index >= 100 ? 100 : index >= 10 ? 10 : 1;
    for (; divisor > 0; divisor /= 10)
        *out++ = (char)('0' + index / divisor % 10);
    return out;
}

/* Adds an index to the sorted ones, unless it is there already. */
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
