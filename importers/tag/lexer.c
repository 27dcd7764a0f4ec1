/* Tokens of tag files. Newlines are tokens; blanks and comments ('!' to the end of the line) are not. */
#include <math.h>
#include <string.h>

#include "base/text/text.h"
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
    /* RobWork takes CR for a blank and so cannot read lines that end in CR alone. In a file without any LF they can
     * only end lines. */
    lexer->carriage_return_ends_line = !size || !memchr(data, '\n', size);
}

static bool ends_line(const struct tag_lexer *lexer, char character)
{
    return character == '\n' || (character == '\r' && lexer->carriage_return_ends_line);
}

static cp_status fail(struct tag_lexer *lexer, cp_status status)
{
    lexer->status = status;
    lexer->next = lexer->end;
    lexer->token.kind = TAG_END;
    lexer->token.size = 0;
    return status;
}

/* Reads a string. It has no escapes, but may hold newlines. */
static void lex_string(struct tag_lexer *lexer)
{
    struct tag_token *token = &lexer->token;
    token->start = ++lexer->next;
    while (lexer->next < lexer->end && *lexer->next != '"') {
        char character = *lexer->next++;
        if (ends_line(lexer, character)) {
            lexer->line++;
            lexer->line_start = lexer->next;
        }
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
    token->size = (size_t)(lexer->next++ - token->start);
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
    if (!isfinite(token->number)) {
        fail(lexer,
             report_error(lexer->context, CP_INPUT, "tag-number", place_of(lexer), "the number %.*s is out of range",
                          (int)(after - lexer->next < 40 ? after - lexer->next : 40), lexer->next));
        return;
    }
    token->size = (size_t)(after - lexer->next);
    lexer->next = after;
}

void tag_lexer_next(struct tag_lexer *lexer)
{
    static const char marks[] = "{}(),";
    static const enum tag_token_kind kinds[] = {TAG_OPEN_BRACE, TAG_CLOSE_BRACE, TAG_OPEN_LIST, TAG_CLOSE_LIST,
                                                TAG_COMMA};
    const char *at = lexer->next, *end = lexer->end;
    while (at < end && (*at == ' ' || *at == '\t' || *at == '!' || (*at == '\r' && !ends_line(lexer, '\r')))) {
        if (*at++ == '!')
            while (at < end && *at && !ends_line(lexer, *at)) /* a zero byte is an error there, too */
                at++;
    }
    struct tag_token *token = &lexer->token;
    *token = (struct tag_token){
        .kind = TAG_END, .start = at, .line = lexer->line, .column = (uint64_t)(at - lexer->line_start) + 1};
    lexer->next = at;
    if (at == end)
        return;

    char first = *at, second = at + 1 < end ? at[1] : '\0';
    const char *mark = first ? strchr(marks, first) : NULL;
    if (ends_line(lexer, first)) {
        token->kind = TAG_NEWLINE;
        lexer->line++;
        lexer->line_start = ++lexer->next;
    } else if (first == '"') {
        lex_string(lexer);
    } else if (is_digit(first) || first == '-' || first == '+' || (first == '.' && is_digit(second))) {
        lex_number(lexer);
    } else if (is_letter(first) || first == '.' || first == '_' || first == '#') {
        do
            at++;
        while (at < end && (is_letter(*at) || is_digit(*at) || *at == '.' || *at == '_'));
        token->kind = TAG_WORD;
        token->size = (size_t)(at - lexer->next);
        lexer->next = at;
    } else if (mark) {
        token->kind = kinds[mark - marks];
        token->size = 1;
        lexer->next++;
    } else {
        unsigned byte = (unsigned char)first;
        bool printable = byte > ' ' && byte < 0x7f;
        fail(lexer, printable ? report_error(lexer->context, CP_INPUT, "tag-character", place_of(lexer),
                                             "unexpected character '%c'", (char)byte)
                              : report_error(lexer->context, CP_INPUT, "tag-character", place_of(lexer),
                                             "unexpected byte 0x%02x", byte));
    }
}

cp_status tag_lexer_expected(struct tag_lexer *lexer, const char *what)
{
    const struct tag_token *token = &lexer->token;
    struct place place = place_of(lexer);
    if (lexer->status != CP_OK)
        return lexer->status;
    if (token->kind == TAG_END && token->start == lexer->end)
        return fail(lexer, report_error(lexer->context, CP_INPUT, "tag-end", place,
                                        "expected %s, found the end of the file", what));
    if (token->kind == TAG_NEWLINE)
        return fail(lexer, report_error(lexer->context, CP_INPUT, "tag-syntax", place,
                                        "expected %s, found the end of the line", what));
    char shown[48];
    size_t size = token->size ? token->size : 1;
    size = size < sizeof shown ? size : sizeof shown - 1;
    for (size_t i = 0; i < size; i++)
        shown[i] =
            (char)((unsigned char)token->start[i] < ' ' || (unsigned char)token->start[i] >= 0x7f ? '?'
                                                                                                  : token->start[i]);
    shown[size] = '\0';
    const char *quote = token->kind == TAG_STRING ? "\"" : "";
    return fail(lexer, report_error(lexer->context, CP_INPUT, "tag-syntax", place, "expected %s, found %s%s%s", what,
                                    quote, shown, quote));
}
