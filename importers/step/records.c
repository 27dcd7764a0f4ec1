/* The records of a file of STEP (ISO 10303-21), and their parameters. */
#include "records.h"

#include <string.h>

#include "base/text/text.h"

const char *step_skip_blanks(const char *at, const char *end)
{
    while (at < end && is_space(*at))
        at++;
    return at;
}

const char *step_skip_piece(const char *at, const char *end)
{
    if (*at == '\'') {
        const char *quote = memchr(at + 1, '\'', (size_t)(end - at - 1));
        return quote ? quote + 1 : end;
    }
    if (end - at > 1 && at[0] == '/' && at[1] == '*') {
        for (at += 2; end - at > 1; at++)
            if (at[0] == '*' && at[1] == '/')
                return at + 2;
        return end;
    }
    return at + 1;
}

static bool is_of_keyword(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || is_digit(c) || c == '_';
}

const char *step_read_id(const char *at, const char *end, uint64_t *id)
{
    *id = 0;
    for (; at < end && is_digit(*at); at++)
        *id = *id * 10 + (uint64_t)(*at - '0');
    return at;
}

bool step_next_record(const char **at, const char *end, struct step_record *record)
{
    while (*at < end) {
        const char *text = step_skip_blanks(*at, end);
        bool has_id = text < end && *text == '#';
        if (has_id) {
            text = step_skip_blanks(step_read_id(text + 1, end, &record->id), end);
            has_id = text < end && *text == '=';
            text += has_id;
        }
        record->text = step_skip_blanks(text, end);
        while (text < end && *text != ';')
            text = step_skip_piece(text, end);
        record->end = text;
        *at = text < end ? text + 1 : text;
        if (has_id)
            return true;
    }
    return false;
}

const char *step_find_type(const struct step_record *record, const char *type)
{
    size_t length = strlen(type);
    bool is_complex = record->text < record->end && *record->text == '(';
    int depth = 0;
    for (const char *at = record->text; at < record->end;) {
        const char *after = at + length;
        bool starts = at == record->text || !is_of_keyword(at[-1]);
        if (starts && depth == is_complex && (size_t)(record->end - at) > length && memcmp(at, type, length) == 0) {
            after = step_skip_blanks(after, record->end);
            if (after < record->end && *after == '(')
                return after + 1;
        }
        depth += *at == '(';
        depth -= *at == ')';
        if (!is_complex && depth > 0)
            return NULL;
        at = step_skip_piece(at, record->end);
    }
    return NULL;
}

const char *step_find_parameter(const struct step_record *record, const char *at, uint32_t number)
{
    int depth = 0;
    while (at && at < record->end && number > 0 && depth >= 0) {
        number -= depth == 0 && *at == ',';
        depth += *at == '(';
        depth -= *at == ')';
        at = step_skip_piece(at, record->end);
    }
    at = at && number == 0 ? step_skip_blanks(at, record->end) : NULL;
    return at && at < record->end ? at : NULL;
}
