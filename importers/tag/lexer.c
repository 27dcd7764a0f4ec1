/* Tokens of tag files. Newlines are tokens; blanks and comments ('!' to the end of the line) are not. */
#include <string.h>

#include "tag.h"

static struct place place_of(const struct tag_lexer *lexer)
{
    return (struct place){.file = lexer->file->name, .line = lexer->token.line, .column = lexer->token.column};
}

void tag_lexer_start(struct tag_lexer *lexer, cp_context *context, const struct tag_file *file)
{
    const char *data = file->source->data;
    size_t size = file->source->size;
    *lexer = (struct tag_lexer){.context = context, .file = file, .line = 1, .status = CP_OK};
    lexer->next = lexer->line_start = data;
    lexer->end = data + size;
    /* RobWork takes CR for a blank and so cannot read lines that end in CR alone; a file without any LF can only be
     * meant that way. */
    lexer->carriage_return_ends_line = !size || !memchr(data, '\n', size);
}

static bool ends_line(const struct tag_lexer *lexer, char character)
{
    return character == '\n' || (character == '\r' && lexer->carriage_return_ends_line);
}

static void skip_blanks(struct tag_lexer *lexer)
{
    while (lexer->next < lexer->end) {
        char character = *lexer->next;
        if (character == '!') {
            while (lexer->next < lexer->end && !ends_line(lexer, *lexer->next))
                lexer->next++;
        } else if (character == ' ' || character == '\t' || (character == '\r' && !lexer->carriage_return_ends_line)) {
            lexer->next++;
        } else {
            return;
        }
    }
}

static void fail(struct tag_lexer *lexer, cp_status status)
{
    lexer->status = status;
    lexer->next = lexer->end;
    lexer->token.kind = TAG_END;
    lexer->token.size = 0;
}

static void start_line(struct tag_lexer *lexer, const char *start)
{
    lexer->line++;
    lexer->line_start = start;
}

/* A string has no escapes, but may hold newlines. */
static void lex_string(struct tag_lexer *lexer)
{
    struct tag_token *token = &lexer->token;
    token->start = ++lexer->next;
    while (lexer->next < lexer->end && *lexer->next != '"') {
        char character = *lexer->next++;
        if (ends_line(lexer, character))
            start_line(lexer, lexer->next);
        if (character == '\0') {
            fail(lexer, report_error(lexer->context, CP_INPUT, "tag-character", place_of(lexer),
                                     "the string holds a zero byte"));
            return;
        }
    }
    if (lexer->next == lexer->end) {
        fail(lexer, report_error(lexer->context, CP_INPUT, "tag-string", place_of(lexer),
                                 "the string that begins here has no closing quote"));
        return;
    }
    token->kind = TAG_STRING;
    token->size = (size_t)(lexer->next - token->start);
    lexer->next++;
}

static void lex_number(struct tag_lexer *lexer)
{
    struct tag_token *token = &lexer->token;
    token->kind = TAG_NUMBER;
    const char *after = parse_double(lexer->next, lexer->end, &token->number);
    if (!after) {
        tag_lexer_expected(lexer, "a number");
        return;
    }
    if (!(token->number >= -1.7976931348623157e308 && token->number <= 1.7976931348623157e308)) {
        fail(lexer,
             report_error(lexer->context, CP_INPUT, "tag-number", place_of(lexer), "the number %.*s is out of range",
                          (int)(after - lexer->next < 40 ? after - lexer->next : 40), lexer->next));
        return;
    }
    token->size = (size_t)(after - lexer->next);
    lexer->next = after;
}

static void lex_word(struct tag_lexer *lexer)
{
    const char *next = lexer->next + 1;
    while (next < lexer->end && (is_letter(*next) || is_digit(*next) || *next == '.' || *next == '_'))
        next++;
    lexer->token.kind = TAG_WORD;
    lexer->token.size = (size_t)(next - lexer->next);
    lexer->next = next;
}

static void lex_character(struct tag_lexer *lexer)
{
    static const char characters[] = "{}(),";
    static const enum tag_token_kind kinds[] = {TAG_OPEN_BRACE, TAG_CLOSE_BRACE, TAG_OPEN_LIST, TAG_CLOSE_LIST,
                                                TAG_COMMA};
    const char *found = *lexer->next ? strchr(characters, *lexer->next) : NULL;
    if (!found) {
        unsigned byte = (unsigned char)*lexer->next;
        bool printable = byte > ' ' && byte < 0x7f;
        fail(lexer, printable ? report_error(lexer->context, CP_INPUT, "tag-character", place_of(lexer),
                                             "unexpected character '%c'", (char)byte)
                              : report_error(lexer->context, CP_INPUT, "tag-character", place_of(lexer),
                                             "unexpected byte 0x%02x", byte));
        return;
    }
    lexer->token.kind = kinds[found - characters];
    lexer->token.size = 1;
    lexer->next++;
}

static bool starts_number(const struct tag_lexer *lexer)
{
    char first = *lexer->next;
    char second = lexer->next + 1 < lexer->end ? lexer->next[1] : '\0';
    return is_digit(first) || first == '-' || first == '+' || (first == '.' && is_digit(second));
}

void tag_lexer_next(struct tag_lexer *lexer)
{
    skip_blanks(lexer);
    struct tag_token *token = &lexer->token;
    token->start = lexer->next;
    token->size = 0;
    token->line = lexer->line;
    token->column = (uint64_t)(lexer->next - lexer->line_start) + 1;
    if (lexer->next == lexer->end) {
        token->kind = TAG_END;
        return;
    }
    char first = *lexer->next;
    if (ends_line(lexer, first)) {
        token->kind = TAG_NEWLINE;
        start_line(lexer, ++lexer->next);
    } else if (first == '"') {
        lex_string(lexer);
    } else if (starts_number(lexer)) {
        lex_number(lexer);
    } else if (is_letter(first) || first == '.' || first == '_' || first == '#') {
        lex_word(lexer);
    } else {
        lex_character(lexer);
    }
}

void tag_lexer_expected(struct tag_lexer *lexer, const char *what)
{
    if (lexer->status != CP_OK)
        return;
    const struct tag_token *token = &lexer->token;
    struct place place = place_of(lexer);
    cp_status status;
    if (token->kind == TAG_END && token->start == lexer->end)
        status =
            report_error(lexer->context, CP_INPUT, "tag-end", place, "expected %s, found the end of the file", what);
    else if (token->kind == TAG_NEWLINE)
        status =
            report_error(lexer->context, CP_INPUT, "tag-syntax", place, "expected %s, found the end of the line", what);
    else {
        size_t size = token->size ? token->size : 1;
        char shown[48];
        size = size < sizeof shown ? size : sizeof shown - 1;
        memcpy(shown, token->start, size);
        for (size_t i = 0; i < size; i++)
            if ((unsigned char)shown[i] < ' ' || (unsigned char)shown[i] >= 0x7f)
                shown[i] = '?';
        shown[size] = '\0';
        status = report_error(lexer->context, CP_INPUT, "tag-syntax", place, "expected %s, found %s%s%s", what,
                              token->kind == TAG_STRING ? "\"" : "", shown, token->kind == TAG_STRING ? "\"" : "");
    }
    fail(lexer, status);
}
