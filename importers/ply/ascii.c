/* Reads rows of text: numbers with white space between them, one row in each line. A row may take several lines. The
 * rest of a line behind its row is skipped. */
#include "ply.h"

/* Skips the next word, with an error: PLY_CUT if there is none. */
static enum ply_end fail_word(struct ply *ply, const char *expected)
{
    const char *at = faces_skip_spaces(ply->at, ply->end);
    if (at == ply->end)
        return PLY_CUT;
    ply->status = report_error(ply->faces.context, CP_INPUT, "ply-syntax", faces_place(&ply->faces, at),
                               "expected %s, found \"%s\"", expected, faces_find_word(at, ply->end).text);
    return PLY_BROKEN;
}

static bool skip_word(struct ply *ply)
{
    const char *start = ply->at = faces_skip_spaces(ply->at, ply->end);
    while (ply->at < ply->end && !is_space(*ply->at))
        ply->at++;
    return ply->at > start;
}

static inline const char *parse_number(const char *at, const char *end, float *value)
{
    const char *after = parse_float(at, end, value);
    if (!after)
        after = parse_float_or_word(at, end, value);
    return after && (after == end || is_space(*after)) ? after : NULL;
}

static inline enum ply_end read_index(struct ply *ply, uint32_t *index)
{
    const char *at = faces_skip_spaces(ply->at, ply->end), *after = faces_short_index(at, ply->end, index);
    if (!after || (after < ply->end && !is_space(*after)))
        return fail_word(ply, "a whole number");
    ply->at = after;
    return PLY_READ;
}

static enum ply_end read_list(struct ply *ply, bool indices)
{
    uint32_t count;
    const char *start = faces_skip_spaces(ply->at, ply->end);
    enum ply_end end = read_index(ply, &count);
    if (end != PLY_READ)
        return end;
    if (count > UINT32_MAX / 2) {
        ply->at = start;
        return fail_word(ply, "a list's length");
    }
    if (count > (size_t)(ply->end - ply->at) / 2)
        return PLY_CUT;
    if (indices && !ply_reserve_indices(ply, count))
        return PLY_BROKEN;
    uint32_t plain = indices ? faces_plain_indices(&ply->at, ply->end, ply->indices, count) : 0;
    for (uint32_t i = plain; i < count && end == PLY_READ; i++)
        if (indices)
            end = read_index(ply, &ply->indices[i]);
        else if (!skip_word(ply))
            end = PLY_CUT;
    if (indices)
        ply->index_count = count;
    return end;
}

enum ply_end ply_read_text_row(struct ply *ply, const struct ply_element *element)
{
    for (uint32_t i = 0; i < element->property_count; i++) {
        const struct ply_property *property = &element->properties[i];
        if (property->length) {
            enum ply_end end = read_list(ply, property->role == PLY_INDICES);
            if (end != PLY_READ)
                return end;
        } else if (property->role == PLY_OTHER) {
            if (!skip_word(ply))
                return PLY_CUT;
        } else {
            float value;
            const char *at = faces_skip_spaces(ply->at, ply->end), *after = parse_number(at, ply->end, &value);
            if (!after)
                return fail_word(ply, "a number");
            ply->values[property->role] = (double)value;
            if (ply->in_double)
                (void)parse_double(at, after, &ply->values[property->role]); /* words are no numbers there */
            ply->at = after;
        }
    }
    const char *at = ply->at;
    while (at < ply->end && is_space(*at) && !is_line_end(*at))
        at++;
    if (element->property_count > 0 && at < ply->end && !is_line_end(*at)) {
        ply->long_lines++;
        while (at < ply->end && !is_line_end(*at))
            at++;
    }
    ply->at = at;
    return PLY_READ;
}
