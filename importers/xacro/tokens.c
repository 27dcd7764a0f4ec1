/* Cuts an expression into names, literals and signs, as Python does. */
#include "base/text/text.h"
#include "evaluation.h"

bool token_is_word(const struct evaluation *evaluation, const char *word)
{
    const struct token *token = &evaluation->token;
    return token->kind == TOKEN_NAME && token->size == strlen(word) && memcmp(token->start, word, token->size) == 0;
}

bool token_is_sign(const struct evaluation *evaluation, const char *sign)
{
    const struct token *token = &evaluation->token;
    return token->kind == TOKEN_SIGN && token->size == strlen(sign) && memcmp(token->start, sign, token->size) == 0;
}

static bool is_name_start(char c)
{
    return is_letter(c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_name_part(char c)
{
    return is_name_start(c) || is_digit(c);
}

/* ---- numbers ---- */

/* Goes behind digits of which single underscores may be in between. */
static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && (is_digit(*at) || (*at == '_' && is_digit(at[-1]) && at + 1 < end && is_digit(at[1]))))
        at++;
    return at;
}

static cp_status refuse_number(struct evaluation *evaluation, const char *start, const char *end)
{
    while (end < evaluation->end && is_name_part(*end))
        end++;
    return evaluation_fail(evaluation, "%.*s is not a number", end - start > 60 ? 60 : (int)(end - start), start);
}

/* Reads 0x1F, 0o17 or 0b11 behind their first two characters. */
static cp_status read_radix(struct evaluation *evaluation, int radix)
{
    const char *start = evaluation->at, *at = start + 2;
    int64_t sum = 0;
    bool fits = true, was_digit = false;
    for (; at < evaluation->end && is_name_part(*at); at++) {
        int digit = hex_digit(*at);
        bool joins = *at == '_' && at + 1 < evaluation->end && hex_digit(at[1]) >= 0;
        if (joins)
            continue;
        if (digit < 0 || digit >= radix)
            return refuse_number(evaluation, start, at);
        was_digit = true;
        fits = fits && !__builtin_mul_overflow(sum, radix, &sum) && !__builtin_add_overflow(sum, digit, &sum);
    }
    if (!was_digit)
        return refuse_number(evaluation, start, at);
    if (!fits)
        return evaluation_fail(evaluation, "an integer is beyond 64 bits");
    evaluation->token.value = value_of_int(sum);
    evaluation->at = at;
    return CP_OK;
}

static cp_status read_number(struct evaluation *evaluation)
{
    const char *start = evaluation->at, *end = evaluation->end, *at = skip_digits(start, end);
    char letter = end - start > 1 && *start == '0' ? (char)(start[1] | 0x20) : '0';
    evaluation->token.kind = TOKEN_LITERAL;
    if (letter == 'x' || letter == 'o' || letter == 'b')
        return read_radix(evaluation, letter == 'x' ? 16 : letter == 'o' ? 8 : 2);
    bool is_float = at < end && *at == '.';
    if (is_float)
        at = at + 1 < end && is_digit(at[1]) ? skip_digits(at + 1, end) : at + 1;
    if (at < end && (*at | 0x20) == 'e') {
        const char *digits = at + 1 + (end - at > 1 && (at[1] == '-' || at[1] == '+'));
        if (digits == end || !is_digit(*digits))
            return refuse_number(evaluation, start, at);
        is_float = true;
        at = skip_digits(digits, end);
    }
    if (at < end && is_name_part(*at))
        return refuse_number(evaluation, start, at);
    size_t size = (size_t)(at - start);
    int64_t integer = 0;
    double number = 0;
    evaluation->at = at;
    if (is_float) {
        if (!value_read_float(start, size, &number))
            return refuse_number(evaluation, start, at);
        evaluation->token.value = value_of_float(number);
        return CP_OK;
    }
    if (value_read_integer(start, size, &integer) != READ_NUMBER)
        return evaluation_fail(evaluation, "an integer is beyond 64 bits");
    if (*start == '0' && integer != 0) /* Python refuses octal numbers of C */
        return refuse_number(evaluation, start, at);
    evaluation->token.value = value_of_int(integer);
    return CP_OK;
}

/* ---- texts ---- */

/* Returns the character of an escape; 0 for one that stays as it is written, and -1 for one that is not read. */
static int escaped(char c)
{
    switch (c) {
    case '\\':
    case '\'':
    case '"':
        return c;
    case 'n':
        return '\n';
    case 't':
        return '\t';
    case 'r':
        return '\r';
    case 'a':
    case 'b':
    case 'f':
    case 'v':
    case 'x':
    case 'u':
    case 'U':
    case 'N':
    case '\n':
        return -1;
    default:
        return c >= '0' && c <= '7' ? -1 : 0;
    }
}

static cp_status read_text(struct evaluation *evaluation)
{
    cp_status status = CP_OK;
    const char *start = evaluation->at + 1, *end = start;
    char quote = *evaluation->at;
    bool has_escapes = false;
    while (end < evaluation->end && *end != quote && *end != '\n') {
        has_escapes = has_escapes || *end == '\\';
        end += *end == '\\' && end + 1 < evaluation->end ? 2 : 1;
    }
    if (end >= evaluation->end || *end != quote)
        return evaluation_fail(evaluation, "a text has no %s at its end", quote == '"' ? "\"" : "'");
    evaluation->token.kind = TOKEN_LITERAL;
    evaluation->at = end + 1;
    if (!has_escapes)
        return evaluation_copy(evaluation, start, (size_t)(end - start), &evaluation->token.value);
    char *text = evaluation_text(evaluation, (uint64_t)(end - start), &status);
    size_t size = 0;
    if (!text)
        return status;
    for (const char *at = start; at < end; at++) {
        int character = *at == '\\' ? escaped(at[1]) : 0;
        if (character < 0)
            return evaluation_fail(evaluation, "the escape \\%c in a text is not supported", at[1]);
        text[size++] = character > 0 ? (char)character : *at;
        at += character > 0;
    }
    text[size] = '\0';
    evaluation->token.value = value_of_text(text, size);
    return CP_OK;
}

/* ---- tokens ---- */

static size_t sign_size(const char *at, const char *end)
{
    static const char *const pairs[] = {"**", "//", "==", "!=", "<=", ">=", "<<", ">>", ":="};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (end - at >= 2 && memcmp(at, pairs[i], 2) == 0)
            return 2;
    return *at && strchr("+-*/%()[],.<>=:{}~&|^@;", *at) ? 1 : 0;
}

static cp_status read_sign(struct evaluation *evaluation)
{
    const char *at = evaluation->at;
    size_t size = sign_size(at, evaluation->end);
    if (size == 0)
        return evaluation_fail(evaluation, "'%c' is not part of the language of expressions", *at);
    evaluation->token = (struct token){.kind = TOKEN_SIGN, .start = at, .size = size};
    evaluation->at = at + size;
    evaluation->brackets += *at == '(' || *at == '[';
    evaluation->brackets -= (*at == ')' || *at == ']') && evaluation->brackets > 0;
    return CP_OK;
}

static bool is_skipped(const struct evaluation *evaluation)
{
    char c = evaluation->at < evaluation->end ? *evaluation->at : 'x';
    return c == ' ' || c == '\t' || c == '\f' || (is_line_end(c) && evaluation->brackets > 0);
}

cp_status token_next(struct evaluation *evaluation)
{
    const char *end = evaluation->end;
    while (is_skipped(evaluation))
        evaluation->at++;
    const char *at = evaluation->at;
    evaluation->token = (struct token){.kind = TOKEN_END, .start = at};
    if (at == end)
        return CP_OK;
    if (is_line_end(*at))
        return evaluation_fail(evaluation, "a line ends within the expression");
    if (is_digit(*at) || (*at == '.' && end - at > 1 && is_digit(at[1])))
        return read_number(evaluation);
    if (*at == '\'' || *at == '"')
        return read_text(evaluation);
    if (!is_name_start(*at))
        return read_sign(evaluation);
    while (at < end && is_name_part(*at))
        at++;
    const char *start = evaluation->at;
    size_t size = (size_t)(at - start);
    bool is_prefix = size <= 2 && strchr("rbfuRBFU", *start) && strchr("rbfuRBFU", start[size - 1]);
    if (at < end && (*at == '\'' || *at == '"') && is_prefix)
        return evaluation_fail(evaluation, "a text with '%.*s' before it is not supported", (int)size, start);
    evaluation->token = (struct token){.kind = TOKEN_NAME, .start = start, .size = size};
    evaluation->at = at;
    return CP_OK;
}
