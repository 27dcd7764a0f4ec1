/* Words of VRML97 (ISO/IEC 14772-1, annex A): blanks and commas separate, "#" begins a comment. */
#include <math.h>

#include "base/text/text.h"
#include "parser.h"

struct place wrl_here(const struct wrl_parser *parser)
{
    return (struct place){.file = parser->file->source->name,
                          .line = parser->line,
                          .column = (uint64_t)(parser->at - parser->line_start) + 1};
}

static bool is_separator(char c)
{
    return c == ' ' || c == '\t' || c == ',' || is_line_end(c) || c == '\f' || c == '\v';
}

/* Tells whether names may have the character; more than the standard allows, as real files have '.' and '+'. */
static bool is_of_word(char c)
{
    switch (c) {
    case '"':
    case '#':
    case '\'':
    case ',':
    case '[':
    case ']':
    case '{':
    case '}':
    case '\\':
    case 0x7f:
        return false;
    default:
        return (unsigned char)c > 0x20;
    }
}

static void count_line_end(struct wrl_parser *parser)
{
    /* CR LF is one end, counted at the LF. */
    if (*parser->at == '\n' || parser->at + 1 == parser->end || parser->at[1] != '\n') {
        parser->line++;
        parser->line_start = parser->at + 1;
    }
}

char wrl_peek(struct wrl_parser *parser)
{
    while (parser->at < parser->end && (*parser->at == ' ' || *parser->at == ','))
        parser->at++;
    for (; parser->at < parser->end; parser->at++) {
        if (*parser->at == '#')
            while (parser->at < parser->end && !is_line_end(*parser->at))
                parser->at++;
        if (parser->at == parser->end)
            break;
        if (!is_separator(*parser->at))
            return *parser->at ? *parser->at : '\1'; /* a zero byte is part of nothing */
        if (is_line_end(*parser->at))
            count_line_end(parser);
    }
    return 0;
}

bool wrl_accept(struct wrl_parser *parser, char character)
{
    if (wrl_peek(parser) != character)
        return false;
    parser->at++;
    return true;
}

struct wrl_shown wrl_next_shown(const struct wrl_parser *parser)
{
    struct wrl_shown shown = {"the end of the file"};
    size_t size = 0, left = (size_t)(parser->end - parser->at);
    if (left == 0)
        return shown;
    while (size < left && size < 40 && is_of_word(parser->at[size]))
        size++;
    size = size > 0 ? size : 1;
    shown.text[0] = '"';
    memcpy(shown.text + 1, parser->at, size);
    shown.text[size + 1] = '"';
    shown.text[size + 2] = 0;
    return shown;
}

bool wrl_is_cut(struct wrl_parser *parser, const char *within, uint64_t line)
{
    if (parser->is_cut || parser->status != CP_OK)
        return true;
    if (wrl_peek(parser) != 0)
        return false;
    if (parser->wrl->settings->common.partial) {
        report_warning(parser->wrl->context, "vrml97-cut", wrl_here(parser),
                       "the file ends within %.60s, which begins in line %llu; what is there is kept", within,
                       (unsigned long long)line);
        parser->is_cut = true;
    } else {
        parser->status = report_error(parser->wrl->context, CP_INPUT, "vrml97-cut", wrl_here(parser),
                                      "the file ends within %.60s, which begins in line %llu; partial=yes keeps what "
                                      "is there",
                                      within, (unsigned long long)line);
    }
    return true;
}

bool wrl_breaks_off(struct wrl_parser *parser)
{
    const char *at = parser->at;
    while (at < parser->end && is_of_word(*at))
        at++;
    if (!parser->wrl->settings->common.partial || parser->status != CP_OK || at < parser->end)
        return false;
    if (!parser->is_cut)
        report_warning(parser->wrl->context, "vrml97-cut", wrl_here(parser),
                       "the file ends within a value or a word; what is there is kept");
    parser->is_cut = true;
    parser->at = parser->end;
    return true;
}

bool wrl_expect(struct wrl_parser *parser, char character, const char *after)
{
    if (parser->status != CP_OK)
        return false;
    if (wrl_accept(parser, character))
        return true;
    if (wrl_breaks_off(parser))
        return false;
    parser->status =
        report_error(parser->wrl->context, CP_INPUT, "vrml97-syntax", wrl_here(parser),
                     "%.60s is followed by %s, not by \"%c\"", after, wrl_next_shown(parser).text, character);
    return false;
}

const char *wrl_word(struct wrl_parser *parser, size_t *size)
{
    (void)wrl_peek(parser);
    const char *word = parser->at;
    while (parser->at < parser->end && is_of_word(*parser->at))
        parser->at++;
    *size = (size_t)(parser->at - word);
    return word;
}

bool wrl_accept_word(struct wrl_parser *parser, const char *word)
{
    size_t size = strlen(word);
    (void)wrl_peek(parser);
    if ((size_t)(parser->end - parser->at) < size || memcmp(parser->at, word, size) != 0 ||
        (parser->at + size < parser->end && is_of_word(parser->at[size])))
        return false;
    parser->at += size;
    return true;
}

const char *wrl_name(struct wrl_parser *parser, const char *what)
{
    size_t size;
    const char *name = NULL, *word = parser->status == CP_OK ? wrl_word(parser, &size) : NULL;
    if (!word)
        return NULL;
    if (size > 0)
        name = utf8_from(parser->wrl->arena, word, size, NULL);
    else if (wrl_breaks_off(parser))
        return NULL;
    else
        parser->status = report_error(parser->wrl->context, CP_INPUT, "vrml97-syntax", wrl_here(parser), "%s is not %s",
                                      wrl_next_shown(parser).text, what);
    if (!name && parser->status == CP_OK)
        parser->status = CP_LIMIT;
    return name;
}

const char *wrl_string(struct wrl_parser *parser)
{
    struct buffer *text = &parser->wrl->text;
    if (wrl_peek(parser) != '"') {
        if (wrl_breaks_off(parser))
            return NULL;
        parser->status = report_error(parser->wrl->context, CP_INPUT, "vrml97-string", wrl_here(parser),
                                      "%s is not a string", wrl_next_shown(parser).text);
        return NULL;
    }
    struct place begin = wrl_here(parser);
    text->size = 0;
    for (parser->at++; parser->at < parser->end && *parser->at != '"'; parser->at++) {
        if (*parser->at == '\\' && parser->at + 1 < parser->end && (parser->at[1] == '"' || parser->at[1] == '\\'))
            parser->at++;
        if (is_line_end(*parser->at))
            count_line_end(parser);
        buffer_append(text, parser->at, 1);
    }
    if (parser->at == parser->end) {
        if (wrl_breaks_off(parser))
            return NULL;
        parser->status = report_error(parser->wrl->context, CP_INPUT, "vrml97-string", begin, "the string has no end");
        return NULL;
    }
    parser->at++;
    const char *copy =
        text->failed ? NULL : utf8_from(parser->wrl->arena, text->size ? text->data : "", text->size, NULL);
    parser->status = copy ? parser->status : CP_LIMIT;
    return copy;
}

/* ---- numbers ---- */

static bool is_number_end(const struct wrl_parser *parser, const char *end)
{
    return end == parser->end || !is_of_word(*end);
}

static bool fail_number(struct wrl_parser *parser, const char *what)
{
    if (wrl_breaks_off(parser))
        return false;
    parser->status = report_error(parser->wrl->context, CP_INPUT, "vrml97-number", wrl_here(parser), "%s is not %s",
                                  wrl_next_shown(parser).text, what);
    return false;
}

bool wrl_double(struct wrl_parser *parser, double *number)
{
    (void)wrl_peek(parser);
    const char *end = parse_double(parser->at, parser->end, number);
    if (!end || !is_number_end(parser, end) || !isfinite(*number))
        return fail_number(parser, "a finite number");
    parser->at = end;
    return true;
}

bool wrl_float(struct wrl_parser *parser, float *number)
{
    (void)wrl_peek(parser);
    const char *end = parse_float(parser->at, parser->end, number);
    if (!end || !is_number_end(parser, end) || !isfinite(*number))
        return fail_number(parser, "a finite number of single precision");
    parser->at = end;
    return true;
}

/* Reads hexadecimal digits behind 0x, as PixelTextures have them: up to 32 bits. */
static const char *parse_hexadecimal(const char *at, const char *end, int32_t *number)
{
    uint32_t value = 0;
    const char *first = at;
    for (; at < end && at - first < 9; at++) {
        char c = *at;
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            break;
        value = value << 4 | (uint32_t)digit;
    }
    memcpy(number, &value, sizeof value);
    return at == first || at - first > 8 ? NULL : at;
}

bool wrl_integer(struct wrl_parser *parser, int32_t *number)
{
    (void)wrl_peek(parser);
    const char *at = parser->at, *end = parser->end;
    bool negative = at < end && *at == '-';
    at += negative || (at < end && *at == '+');
    if (end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
        at = parse_hexadecimal(at + 2, end, number);
    } else {
        int64_t value = 0;
        const char *first = at;
        for (; at < end && *at >= '0' && *at <= '9' && value <= INT32_MAX; at++)
            value = 10 * value + (*at - '0');
        *number = (int32_t)(negative ? -value : value);
        if (at == first || value > INT32_MAX)
            at = NULL;
    }
    if (at && is_number_end(parser, at)) {
        parser->at = at;
        return true;
    }
    /* Some writers give whole numbers a point. */
    double value;
    at = parse_double(parser->at, end, &value);
    if (!at || !is_number_end(parser, at) || !(fabs(value) <= INT32_MAX) || value != floor(value))
        return fail_number(parser, "a whole number of 32 bits");
    *number = (int32_t)value;
    parser->at = at;
    return true;
}

void wrl_skip_brackets(struct wrl_parser *parser)
{
    uint64_t depth = 0, line = parser->line;
    do {
        if (wrl_is_cut(parser, "a node of an unknown type", line))
            return;
        char c = *parser->at;
        if (c == '"') {
            (void)wrl_string(parser);
            continue;
        }
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        parser->at++;
    } while (depth > 0 && parser->status == CP_OK);
}
