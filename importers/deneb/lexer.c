/* Tokens of DCT files: "#" begins a comment, commas are blanks, lines end in LF, CRLF or CR. */
#include "deneb.h"

#include <string.h>

#include "base/text/text.h"

static bool is_separator(char character)
{
    return character == ' ' || character == '\t' || character == ',' || character == '\f' || character == '\v';
}

struct place deneb_place(const struct deneb_file *file)
{
    return (struct place){.file = file->source->name, .line = file->token.line, .column = file->token.column};
}

/* Searches zero bytes piece by piece, so that a long file need not be in memory as a whole. */
static void check_piece(struct deneb_file *file)
{
    enum { PIECE = 1 << 20 };
    size_t size = (size_t)(file->end - file->checked) < PIECE ? (size_t)(file->end - file->checked) : PIECE;
    const char *zero = size > 0 ? memchr(file->checked, '\0', size) : NULL;
    file->checked += size;
    if (zero && file->status == CP_OK)
        file->status =
            report_error(file->context, CP_INPUT, "deneb-zero",
                         AT_LINE(file->source->name, source_line(file->source, (size_t)(zero - file->source->data))),
                         "a zero byte: the file is not text");
}

void deneb_text_start(struct deneb_file *file)
{
    const char *data = file->source->data;
    size_t size = file->source->size;
    file->next = file->line_start = text_after_mark(data, size);
    file->end = data + size;
    file->line = 1;
    file->unknown.context = file->context;
    file->surplus = INT64_MIN;
    while (file->end > file->next && file->end[-1] == 0x1a) /* DOS ends texts so */
        file->end--;
    file->checked = file->next;
}

void deneb_check_text(struct deneb_file *file)
{
    while (file->checked < file->end && file->status == CP_OK)
        check_piece(file);
}

void deneb_lexer_start(struct deneb_file *file)
{
    deneb_text_start(file);
    deneb_next(file);
}

/* Skips the line's end: CR LF is one. */
static void end_line(struct deneb_file *file)
{
    bool pair = file->next[0] == '\r' && file->next + 1 < file->end && file->next[1] == '\n';
    file->next += pair ? 2 : 1;
    file->line_start = file->next;
    file->line++;
    file->token.begins_line = true;
}

static void skip_blanks(struct deneb_file *file)
{
    while (file->next < file->end) {
        if (is_line_end(*file->next)) {
            end_line(file);
        } else if (*file->next == '#') {
            while (file->next < file->end && !is_line_end(*file->next))
                file->next++;
        } else if (is_separator(*file->next)) {
            file->next++;
        } else {
            return;
        }
    }
}

static void lex_string(struct deneb_file *file)
{
    struct deneb_token *token = &file->token;
    const char *at = file->next + 1;
    token->kind = DENEB_STRING;
    token->start = at;
    while (at < file->end && *at != '"' && !is_line_end(*at))
        at += *at == '\\' && at + 1 < file->end && !is_line_end(at[1]) ? 2 : 1;
    token->size = (size_t)(at - token->start);
    if (at == file->end || *at != '"') {
        file->status = report_error(file->context, CP_INPUT, "deneb-string", deneb_place(file),
                                    "the string that begins here has no closing quote in its line");
        token->kind = DENEB_END;
        file->next = file->end;
        return;
    }
    file->next = at + 1;
}

/* Reads a formula: to the end of the line, without a comment. */
static void lex_formula(struct deneb_file *file)
{
    struct deneb_token *token = &file->token;
    const char *at = file->next + 1;
    token->kind = DENEB_FORMULA;
    token->start = at;
    while (at < file->end && !is_line_end(*at) && *at != '#')
        at++;
    file->next = at;
    while (at > token->start && is_separator(at[-1]))
        at--;
    token->size = (size_t)(at - token->start);
}

static void lex_bare(struct deneb_file *file)
{
    const char *at = file->next;
    while (at < file->end && !is_separator(*at) && !is_line_end(*at) && *at != '"')
        at++;
    file->token.kind = DENEB_BARE;
    file->token.size = (size_t)(at - file->next);
    file->next = at;
}

void deneb_next(struct deneb_file *file)
{
    struct deneb_token *token = &file->token;
    token->begins_line = file->next == file->line_start;
    while (file->next >= file->checked && file->checked < file->end && file->status == CP_OK)
        check_piece(file);
    if (file->status != CP_OK)
        file->next = file->end;
    skip_blanks(file);
    token->start = file->next;
    token->size = 0;
    token->line = file->line;
    token->column = (uint64_t)(file->next - file->line_start) + 1;
    if (file->next == file->end) {
        token->kind = DENEB_END;
        deneb_check_text(file); /* the rest of a long comment */
    } else if (*file->next == '"') {
        lex_string(file);
    } else if (*file->next == '=') {
        lex_formula(file);
    } else {
        lex_bare(file);
    }
}

const char *deneb_shown(const struct deneb_file *file, char shown[48])
{
    size_t size = file->token.size < 47 ? file->token.size : 47;
    memcpy(shown, file->token.start, size);
    for (size_t i = 0; i < size; i++)
        if (shown[i] < ' ' || shown[i] > '~')
            shown[i] = '?';
    shown[size] = '\0';
    return shown;
}

bool deneb_at_keyword(const struct deneb_file *file)
{
    const struct deneb_token *token = &file->token;
    return token->kind == DENEB_BARE && token->begins_line && is_letter(*token->start);
}

bool deneb_is(const struct deneb_file *file, const char *word)
{
    const struct deneb_token *token = &file->token;
    if (token->kind != DENEB_BARE || strlen(word) != token->size)
        return false;
    for (size_t i = 0; i < token->size; i++)
        if ((token->start[i] | 0x20) != (word[i] | 0x20))
            return false;
    return true;
}
