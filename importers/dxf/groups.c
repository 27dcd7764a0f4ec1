/* Groups: a line with a code and one with a value; in a binary file, bytes of both. */
#include "dxf.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/text/text.h"

static const char sentinel[] = "AutoCAD Binary DXF\r\n\x1a"; /* and a zero byte */

bool dxf_is_binary(const char *head, size_t size)
{
    return size >= sizeof sentinel && memcmp(head, sentinel, sizeof sentinel) == 0;
}

struct place dxf_place(const struct dxf *dxf, uint64_t line)
{
    return dxf->is_binary ? IN_FILE(dxf->source->name) : AT_LINE(dxf->source->name, line);
}

cp_status dxf_error(const struct dxf *dxf, uint64_t line, const char *code, const char *format, ...)
{
    char text[300];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (!dxf->is_binary)
        return report_error(dxf->context, CP_INPUT, code, dxf_place(dxf, line), "%s", text);
    return report_error(dxf->context, CP_INPUT, code, dxf_place(dxf, line), "byte %llu: %s", (unsigned long long)line,
                        text);
}

bool dxf_text_is(struct dxf_text text, const char *word)
{
    return strlen(word) == text.size && memcmp(text.at, word, text.size) == 0;
}

bool dxf_is(const struct dxf_group *group, int code, const char *word)
{
    return group->code == code && dxf_text_is(group->text, word);
}

/* Reports that there is no "EOF". Between sections nothing else is missing. */
static cp_status end_early(struct dxf *dxf)
{
    const struct import_settings *settings = &dxf->settings->import;
    bool refused = dxf->in_section ? !settings->partial : settings->strict;
    cp_status status = report_lenient(dxf->context, refused, "dxf-truncated", dxf_place(dxf, dxf->line),
                                      "the file ends before its \"EOF\"%s",
                                      dxf->in_section && refused ? " (partial=yes reads the entities before)" : "");
    return status == CP_OK ? CP_NO : status;
}

/* ---- text ---- */

/* Takes the next line without the blanks around it; false at the end of the text. */
static bool take_line(const char **next, const char *end, struct dxf_text *text)
{
    const char *start = *next, *at = start;
    if (at == end)
        return false;
    while (at < end && !is_line_end(*at))
        at++;
    *next = at == end ? end : *at == '\r' && end - at > 1 && at[1] == '\n' ? at + 2 : at + 1;
    while (start < at && is_space(*start))
        start++;
    while (at > start && is_space(at[-1]))
        at--;
    *text = (struct dxf_text){start, (size_t)(at - start)};
    return true;
}

struct dxf_shown dxf_show(struct dxf_text text)
{
    struct dxf_shown shown = {{0}};
    for (size_t i = 0; i < text.size && i < sizeof shown.text - 1; i++)
        shown.text[i] = text.at[i] >= ' ' && text.at[i] < 0x7f ? text.at[i] : '?';
    return shown;
}

bool dxf_begins(const char *head, size_t size)
{
    const char *at = text_after_mark(head, size), *end = head + size;
    struct dxf_text code, value;
    while (take_line(&at, end, &code) && take_line(&at, end, &value))
        if (!dxf_text_is(code, "999"))
            return dxf_text_is(code, "0") && dxf_text_is(value, "SECTION");
    return false;
}

static bool next_line(struct dxf *dxf, struct dxf_text *text)
{
    dxf->line++;
    return take_line(&dxf->at, dxf->end, text);
}

static cp_status next_of_text(struct dxf *dxf)
{
    struct dxf_group *group = &dxf->group;
    struct dxf_text code;
    double number;
    do {
        if (!next_line(dxf, &code))
            return end_early(dxf);
        group->line = dxf->line;
        const char *after = parse_double(code.at, code.at + code.size, &number);
        if (!after || after != code.at + code.size || !(number >= -5 && number < 10000) || number != (int)number)
            return dxf_error(dxf, dxf->line, "dxf-code", "expected the code of a group, found \"%s\"",
                             dxf_show(code).text);
        group->code = (int)number;
        if (!next_line(dxf, &group->text))
            return end_early(dxf);
    } while (group->code == 999); /* a comment */
    return CP_OK;
}

/* ---- bytes ---- */

enum value { TEXT, DOUBLE, SHORT, INTEGER, LONG, BYTE, CHUNK };

/* The DXF reference, "Group Codes in Numerical Order"; codes that are not here have texts. */
static enum value value_of(int code)
{
    static const struct {
        int first, last;
        enum value value;
    } ranges[] = {{10, 59, DOUBLE},     {60, 79, SHORT},     {90, 99, INTEGER},    {110, 149, DOUBLE},
                  {160, 169, LONG},     {170, 179, SHORT},   {210, 239, DOUBLE},   {270, 289, SHORT},
                  {290, 299, BYTE},     {310, 319, CHUNK},   {370, 389, SHORT},    {400, 409, SHORT},
                  {420, 429, INTEGER},  {440, 459, INTEGER}, {460, 469, DOUBLE},   {1004, 1004, CHUNK},
                  {1010, 1059, DOUBLE}, {1060, 1070, SHORT}, {1071, 1071, INTEGER}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return ranges[i].value;
    return TEXT;
}

/* Reads so many bytes, the lowest first. */
static bool take_bytes(struct dxf *dxf, size_t size, uint64_t *bits)
{
    *bits = 0;
    if ((size_t)(dxf->end - dxf->at) < size)
        return false;
    for (size_t i = 0; i < size; i++)
        *bits |= (uint64_t)(unsigned char)dxf->at[i] << (8 * i);
    dxf->at += size;
    return true;
}

static bool take_code(struct dxf *dxf, int *code)
{
    uint64_t bits;
    if (!take_bytes(dxf, dxf->has_wide_codes ? 2 : 1, &bits))
        return false;
    if (!dxf->has_wide_codes && bits == 255 && !take_bytes(dxf, 2, &bits))
        return false;
    *code = (int16_t)(uint16_t)bits;
    return true;
}

static bool take_text(struct dxf *dxf)
{
    const char *zero = memchr(dxf->at, '\0', (size_t)(dxf->end - dxf->at));
    if (!zero)
        return false;
    dxf->group.text = (struct dxf_text){dxf->at, (size_t)(zero - dxf->at)};
    dxf->at = zero + 1;
    return true;
}

static bool take_number(struct dxf *dxf, enum value value)
{
    static const size_t sizes[] = {[DOUBLE] = 8, [SHORT] = 2, [INTEGER] = 4, [LONG] = 8, [BYTE] = 1};
    struct dxf_group *group = &dxf->group;
    uint64_t bits;
    if (!take_bytes(dxf, sizes[value], &bits))
        return false;
    group->is_number = true;
    group->text = (struct dxf_text){"", 0};
    if (value == DOUBLE)
        memcpy(&group->number, &bits, sizeof bits);
    else
        group->number = value == SHORT     ? (double)(int16_t)(uint16_t)bits
                        : value == INTEGER ? (double)(int32_t)(uint32_t)bits
                                           : (double)(int64_t)bits;
    return true;
}

static cp_status next_of_bytes(struct dxf *dxf)
{
    struct dxf_group *group = &dxf->group;
    uint64_t size;
    dxf->line = group->line = (uint64_t)(dxf->at - dxf->source->data);
    group->is_number = false;
    if (!take_code(dxf, &group->code))
        return end_early(dxf);
    enum value value = value_of(group->code);
    bool whole = value == TEXT ? take_text(dxf) : value == CHUNK ? take_bytes(dxf, 1, &size) : take_number(dxf, value);
    if (whole && value == CHUNK) {
        whole = (size_t)(dxf->end - dxf->at) >= size;
        group->text = (struct dxf_text){dxf->at, size};
        dxf->at += whole ? size : 0;
    }
    return whole ? CP_OK : end_early(dxf);
}

/* ---- both ---- */

cp_status dxf_next(struct dxf *dxf)
{
    if (dxf->again) {
        dxf->again = false;
        return CP_OK;
    }
    return dxf->is_binary ? next_of_bytes(dxf) : next_of_text(dxf);
}

cp_status dxf_number(const struct dxf *dxf, double *number)
{
    const struct dxf_group *group = &dxf->group;
    const char *end = group->text.at + group->text.size;
    *number = group->number;
    if (dxf->is_binary && group->is_number ? isfinite(group->number)
                                           : parse_double(group->text.at, end, number) == end && isfinite(*number))
        return CP_OK;
    return dxf_error(dxf, group->line + !dxf->is_binary, "dxf-number",
                     "group %d: expected a finite number, found \"%s\"", group->code,
                     group->is_number ? show_number(group->number).text : dxf_show(group->text).text);
}
