/* Lines, words and numbers of an AC3D file. */
#include "ac3d.h"

#include <math.h>

void ac3d_skip(struct ac3d *reader, size_t size)
{
    for (; size > 0; size--, reader->next++) { /* CR LF is one end, counted at the LF */
        bool feeds = reader->next + 1 < reader->end && reader->next[1] == '\n';
        reader->next_line += *reader->next == '\n' || (*reader->next == '\r' && !feeds);
    }
}

bool ac3d_next_line(struct ac3d *reader)
{
    while (reader->next < reader->end) {
        const char *at = reader->next, *line_end = at;
        while (line_end < reader->end && !is_line_end(*line_end))
            line_end++;
        reader->line = reader->next_line;
        reader->next = line_end;
        ac3d_skip(reader, line_end < reader->end);
        while (at < line_end && is_space(*at))
            at++;
        reader->at = at;
        reader->line_end = line_end;
        if (at < line_end)
            return true;
    }
    reader->at = reader->line_end = reader->end;
    reader->line = reader->next_line;
    return false;
}

static void skip_blanks(struct ac3d *reader)
{
    while (reader->at < reader->line_end && is_space(*reader->at))
        reader->at++;
}

bool ac3d_line_ends(struct ac3d *reader)
{
    skip_blanks(reader);
    return reader->at == reader->line_end;
}

bool ac3d_accept(struct ac3d *reader, const char *word)
{
    skip_blanks(reader);
    size_t size = strlen(word), left = (size_t)(reader->line_end - reader->at);
    if (left < size || memcmp(reader->at, word, size) != 0 || (left > size && !is_space(reader->at[size])))
        return false;
    reader->at += size;
    return true;
}

int ac3d_numbers(struct ac3d *reader, double *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        skip_blanks(reader);
        const char *after = parse_double(reader->at, reader->line_end, &numbers[i]);
        if (!after || (after < reader->line_end && !is_space(*after)) || !isfinite(numbers[i]))
            return i;
        reader->at = after;
    }
    return count;
}

void ac3d_word(struct ac3d *reader, char word[33])
{
    size_t size = 0;
    skip_blanks(reader);
    for (const char *at = reader->at; at < reader->line_end && !is_space(*at) && size < 32; at++)
        word[size++] = *at > ' ' && *at < 0x7f ? *at : '?';
    word[size] = '\0';
}

cp_status ac3d_fail(struct ac3d *reader, const char *expected)
{
    char word[33];
    ac3d_word(reader, word);
    if (reader->line_end == reader->end) /* the last line may be cut off in the middle */
        return ac3d_ends_early(reader, expected);
    return report_error(reader->context, CP_INPUT, "ac3d-syntax", ac3d_place(reader), "expected %s, found %s%s%s",
                        expected, *word ? "\"" : "", *word ? word : "the end of the line", *word ? "\"" : "");
}

cp_status ac3d_ends_early(struct ac3d *reader, const char *expected)
{
    reader->cut = true;
    return report_lenient(reader->context, !reader->settings->import.partial, "ac3d-truncated", ac3d_place(reader),
                          "the file ends where %s is expected", expected);
}

cp_status ac3d_expect_numbers(struct ac3d *reader, double *numbers, int count, const char *what)
{
    return ac3d_numbers(reader, numbers, count) == count ? CP_OK : ac3d_fail(reader, what);
}

cp_status ac3d_check_floats(struct ac3d *reader, const double *numbers, int count)
{
    for (int i = 0; i < count; i++)
        if (fabs(numbers[i]) > 1e38) {
            char printed[NUMBER_SIZE];
            print_double(numbers[i], printed);
            return report_error(reader->context, CP_INPUT, "ac3d-not-finite", ac3d_place(reader),
                                "the number %s is too large: a float would not hold it", printed);
        }
    return CP_OK;
}

cp_status ac3d_expect_count(struct ac3d *reader, uint32_t *count, const char *what)
{
    double number = 0;
    const char *before = reader->at;
    *count = 0;
    if (ac3d_numbers(reader, &number, 1) == 1 && number >= 0 && number == floor(number) && number < UINT32_MAX) {
        *count = (uint32_t)number;
        return CP_OK;
    }
    reader->at = before;
    return ac3d_fail(reader, what);
}

cp_status ac3d_check_count(struct ac3d *reader, uint32_t *count, size_t bytes, const char *what)
{
    size_t left = (size_t)(reader->end - reader->next) + 1; /* the last line may have no end */
    if (*count <= left / bytes)
        return CP_OK;
    cp_status status =
        report_lenient(reader->context, !reader->settings->import.partial, "ac3d-count", ac3d_place(reader),
                       "%u %s do not fit into the %zu bytes that follow", *count, what, left - 1);
    *count = (uint32_t)(left / bytes);
    return status;
}

const char *ac3d_text(struct ac3d *reader, bool is_word)
{
    skip_blanks(reader);
    const char *start = reader->at, *end = reader->line_end;
    if (start < end && *start == '"') {
        start++;
        const char *quote = memchr(start, '"', (size_t)(end - start));
        ac3d_count(reader, AC3D_OPEN, !quote, reader->line);
        reader->at = quote ? quote + 1 : end;
        end = quote ? quote : end;
    } else {
        for (end = start; end < reader->line_end && !(is_word && is_space(*end));)
            end++;
        reader->at = end;
        while (end > start && is_space(end[-1]))
            end--;
    }
    return utf8_from(reader->arena, start, (size_t)(end - start), NULL);
}
