/* Numbers, names, colours and units as DCT has them: free of the locale, and lenient if the meaning is certain. */
#include "deneb.h"

#include <math.h>
#include <string.h>

#include "base/text/text.h"

enum { LONGEST_NUMBER = 64 };

static cp_status fail(struct deneb_file *file, cp_status status)
{
    if (file->status == CP_OK)
        file->status = status;
    file->next = file->end;
    file->token.kind = DENEB_END;
    file->token.size = 0;
    return status;
}

void deneb_expected(struct deneb_file *file, const char *what)
{
    char shown[48];
    if (file->status != CP_OK)
        return;
    bool ends = file->token.kind == DENEB_END;
    fail(file, ends ? report_error(file->context, CP_INPUT, "deneb-end", deneb_place(file),
                                   "expected %s, found the end of the file", what)
                    : report_error(file->context, CP_INPUT, "deneb-syntax", deneb_place(file),
                                   "expected %s, found \"%s\"", what, deneb_shown(file, shown)));
}

bool deneb_in_line(struct deneb_file *file, const char *what)
{
    if (file->status == CP_OK && (file->token.begins_line || file->token.kind == DENEB_END))
        fail(file, report_error(file->context, CP_INPUT, "deneb-line", deneb_place(file),
                                "expected %s in the line before, found its end", what));
    return file->status == CP_OK;
}

/* ---- numbers ---- */

static bool starts_number(const struct deneb_token *token)
{
    return token->kind == DENEB_BARE && token->size > 0 &&
           (is_digit(*token->start) || (*token->start && strchr("+-.*", *token->start)));
}

/* Writes the number with the exponent of C: 1.0D+00 and, where allowed, 1.0+100. False when it is too long. */
static bool spell_number(const struct deneb_token *token, bool fortran, char text[LONGEST_NUMBER], size_t *size)
{
    size_t length = 0;
    bool has_exponent = false;
    for (size_t i = 0; i < token->size; i++) {
        char character = token->start[i];
        bool sign = character == '+' || character == '-';
        if (length + 2 > LONGEST_NUMBER)
            return false;
        if (character == 'd' || character == 'D')
            character = 'e';
        if (fortran && sign && i > 0 && !has_exponent && (is_digit(text[length - 1]) || text[length - 1] == '.')) {
            text[length++] = 'e';
            has_exponent = true;
        }
        has_exponent = has_exponent || (character | 0x20) == 'e';
        text[length++] = character;
    }
    *size = length;
    return true;
}

static bool all_stars(const struct deneb_token *token)
{
    for (size_t i = 0; i < token->size; i++)
        if (token->start[i] != '*')
            return false;
    return token->size > 0;
}

bool deneb_is_number(const struct deneb_token *token, bool fortran, double *value)
{
    char text[LONGEST_NUMBER];
    size_t size;
    if (!starts_number(token) || !spell_number(token, fortran, text, &size))
        return false;
    return parse_double(text, text + size, value) == text + size;
}

double deneb_number(struct deneb_file *file, bool fortran)
{
    const struct deneb_token *token = &file->token;
    char shown[48];
    double value = 0;
    if (file->status != CP_OK)
        return 0;
    if (all_stars(token)) {
        fail(file, report_error(file->context, CP_INPUT, "deneb-stars", deneb_place(file),
                                "a number that did not fit its field when the file was written: %s",
                                deneb_shown(file, shown)));
        return 0;
    }
    if (!deneb_is_number(token, fortran, &value)) {
        deneb_expected(file, "a number");
        return 0;
    }
    if (!isfinite(value)) {
        fail(file, report_error(file->context, CP_INPUT, "deneb-number", deneb_place(file),
                                "the number %s is out of range", deneb_shown(file, shown)));
        return 0;
    }
    deneb_next(file);
    return value;
}

double deneb_coordinate(struct deneb_file *file)
{
    struct place place = deneb_place(file);
    double value = deneb_number(file, true);
    if (!isfinite((float)value))
        fail(file, report_error(file->context, CP_INPUT, "deneb-number", place, "the coordinate is out of range"));
    return value;
}

uint32_t deneb_count(struct deneb_file *file, const char *what, uint32_t most)
{
    const struct deneb_token *token = &file->token;
    uint64_t value = 0;
    size_t i = 0;
    if (file->status != CP_OK)
        return 0;
    for (; token->kind == DENEB_BARE && i < token->size && is_digit(token->start[i]) && value <= UINT32_MAX; i++)
        value = 10 * value + (uint64_t)(token->start[i] - '0');
    if (i == 0 || i < token->size) {
        if (value <= UINT32_MAX) {
            deneb_expected(file, what);
            return 0;
        }
    }
    if (value > most) {
        fail(file, report_error(file->context, CP_INPUT, "deneb-count", deneb_place(file),
                                "more than the %u that the file can hold", most));
        return 0;
    }
    deneb_next(file);
    return (uint32_t)value;
}

/* ---- names ---- */

const char *deneb_name(struct deneb_file *file, const char **raw)
{
    const struct deneb_token *token = &file->token;
    const char *bytes = NULL;
    if (raw)
        *raw = NULL;
    if (file->status != CP_OK)
        return "";
    if (token->kind != DENEB_STRING && token->kind != DENEB_BARE) {
        deneb_expected(file, "a name");
        return "";
    }
    char *text = arena_allocate(file->arena, token->size + 1, 1);
    size_t size = 0;
    for (size_t i = 0; text && i < token->size; i++) {
        bool escaped = token->kind == DENEB_STRING && token->start[i] == '\\' && i + 1 < token->size &&
                       (token->start[i + 1] == '"' || token->start[i + 1] == '\\');
        i += escaped;
        text[size++] = token->start[i];
    }
    const char *name = text ? utf8_from(file->arena, text, size, &bytes) : NULL;
    if (!name) {
        file->status = CP_LIMIT;
        return "";
    }
    if (raw)
        *raw = bytes;
    deneb_next(file);
    return name;
}

bool deneb_accept(struct deneb_file *file, const char *word)
{
    if (!deneb_is(file, word))
        return false;
    deneb_next(file);
    return true;
}

/* ---- colours and units ---- */

static bool is_whole(double value)
{
    return value >= 0 && value <= 255 && value == floor(value);
}

void deneb_colour(struct deneb_file *file, double rgba[4])
{
    struct place place = deneb_place(file);
    rgba[3] = 1;
    for (int i = 0; i < 3; i++)
        rgba[i] = deneb_number(file, false);
    bool has_alpha = !file->token.begins_line && starts_number(&file->token);
    if (has_alpha)
        rgba[3] = deneb_number(file, false);
    bool bytes =
        is_whole(rgba[0]) && is_whole(rgba[1]) && is_whole(rgba[2]) && fmax(rgba[0], fmax(rgba[1], rgba[2])) > 1;
    if (file->status == CP_OK && bytes) {
        file->status = report_lenient(file->context, file->strict, "deneb-colour", place,
                                      "a colour of 0 .. 255, where 0 .. 1 is meant");
        for (int i = 0; i < 3; i++)
            rgba[i] /= 255;
        rgba[3] = rgba[3] > 1 ? rgba[3] / 255 : rgba[3];
    }
    for (int i = 0; i < 4 && file->status == CP_OK; i++)
        if (!(rgba[i] >= 0 && rgba[i] <= 1))
            fail(file,
                 report_error(file->context, CP_INPUT, "deneb-colour", place, "a colour is 3 or 4 numbers of 0 .. 1"));
}

double deneb_unit(struct deneb_file *file)
{
    static const struct {
        const char *word;
        double metres;
    } units[] = {{"mm", 0.001}, {"m", 1}, {"in", 0.0254}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (deneb_accept(file, units[i].word))
            return units[i].metres;
    deneb_expected(file, "mm, m or in");
    return 0.001;
}
