/* The ASCII form, in one pass over the text:
 *
 *     file  = { "solid" NAME end-of-line { facet } "endsolid" rest-of-line }
 *     facet = "facet" [ "normal" [ x y z ] ] "outer" "loop" 3 { "vertex" x y z } "endloop" "endfacet"
 *
 * Keywords in any case; blanks, tabs and line ends of any kind part the words. A normal may be missing or no number
 * ("nan", "-1.#IND"): it is not used. A loop may have more than 3 vertices (lenient). After the last endsolid only blanks
 * and the fill bytes NUL and Ctrl-Z may follow. */
#include "stl.h"

#include <math.h>

struct ascii {
    struct stl_reader *reader;
    const char *at, *end;
    bool truncated;   /* the text ends where more was expected; reported */
    cp_status status; /* sticky; the parser stands still after a failure */
};

static void skip_blanks(struct ascii *ascii)
{
    while (ascii->at < ascii->end && stl_is_blank(*ascii->at))
        ascii->at++;
}

static struct place find_place(const struct ascii *ascii)
{
    const struct source *source = ascii->reader->source;
    size_t offset = (size_t)(ascii->at - source->data), start = offset;
    while (start > 0 && source->data[start - 1] != '\n' && source->data[start - 1] != '\r')
        start--;
    return (struct place){
        .file = source->name, .line = source_line(source, offset), .column = (uint64_t)(offset - start) + 1};
}

/* The next word for a message: cut, and without bytes that a terminal may take amiss. */
static void copy_word(const struct ascii *ascii, char word[33])
{
    size_t size = 0;
    for (const char *at = ascii->at; at < ascii->end && !stl_is_blank(*at) && size < 32; at++)
        word[size++] = *at > ' ' && *at < 0x7f ? *at : '?';
    word[size] = '\0';
}

static bool word_touches_end(const struct ascii *ascii)
{
    const char *at = ascii->at;
    while (at < ascii->end && !stl_is_blank(*at))
        at++;
    return at == ascii->end;
}

/* Fails at the next word. A word cut by the end of the text may have been the right one. */
static bool fail_expected(struct ascii *ascii, const char *expected)
{
    const struct stl_reader *reader = ascii->reader;
    unsigned long long facet = reader->facets + 1;
    ascii->truncated = word_touches_end(ascii);
    if (ascii->truncated) {
        ascii->status =
            report_lenient(reader->context, !reader->settings->import.partial, "stl-truncated", find_place(ascii),
                           "the file ends in facet %llu where %s was expected", facet, expected);
        return false;
    }
    char word[33];
    copy_word(ascii, word);
    ascii->status = report_error(reader->context, CP_INPUT, "stl-syntax", find_place(ascii),
                                 "facet %llu: expected %s, found \"%s\"", facet, expected, word);
    return false;
}

/* Steps over the word if it comes next. */
static bool accept(struct ascii *ascii, const char *word)
{
    skip_blanks(ascii);
    if (!stl_begins_with(ascii->at, ascii->end, word))
        return false;
    ascii->at += strlen(word);
    return true;
}

static bool expect(struct ascii *ascii, const char *word, const char *expected)
{
    return accept(ascii, word) || fail_expected(ascii, expected);
}

/* Steps over a number if it comes next. */
static bool accept_number(struct ascii *ascii, float *value)
{
    skip_blanks(ascii);
    const char *after = parse_float_or_word(ascii->at, ascii->end, value);
    if (!after || (after < ascii->end && !stl_is_blank(*after)))
        return false;
    ascii->at = after;
    return true;
}

static bool read_coordinate(struct ascii *ascii, float *value)
{
    skip_blanks(ascii);
    const char *start = ascii->at;
    if (!accept_number(ascii, value))
        return fail_expected(ascii, "a number");
    if (isfinite(*value))
        return true;
    ascii->at = start;
    char word[33];
    copy_word(ascii, word);
    ascii->status = report_error(ascii->reader->context, CP_INPUT, "stl-not-finite", find_place(ascii),
                                 "facet %llu has a coordinate that is no finite float: %s",
                                 (unsigned long long)ascii->reader->facets + 1, word);
    return false;
}

static bool read_vertex(struct ascii *ascii)
{
    struct stl_solid *solid = &ascii->reader->solid;
    if (!stl_reserve_corners(ascii->reader, 1)) {
        ascii->status = CP_LIMIT;
        return false;
    }
    float *corner = solid->corners + 3 * (size_t)solid->corner_count;
    for (int i = 0; i < 3; i++)
        if (!read_coordinate(ascii, corner + i))
            return false;
    solid->corner_count++;
    return true;
}

/* False when there is no normal of three numbers; words in its place are skipped. */
static bool read_normal(struct ascii *ascii, float normal[3])
{
    if (!accept(ascii, "normal"))
        return false;
    bool complete = true;
    for (int i = 0; i < 3; i++) {
        skip_blanks(ascii);
        if (stl_begins_with(ascii->at, ascii->end, "outer"))
            return false;
        if (accept_number(ascii, normal + i))
            continue;
        complete = false;
        while (ascii->at < ascii->end && !stl_is_blank(*ascii->at))
            ascii->at++;
    }
    return complete;
}

static bool read_loop(struct ascii *ascii)
{
    if (!expect(ascii, "outer", "\"outer loop\"") || !expect(ascii, "loop", "\"loop\""))
        return false;
    for (int i = 0; i < 3; i++)
        if (!expect(ascii, "vertex", "\"vertex\"") || !read_vertex(ascii))
            return false;
    while (accept(ascii, "vertex"))
        if (!read_vertex(ascii))
            return false;
    return expect(ascii, "endloop", "\"endloop\"") && expect(ascii, "endfacet", "\"endfacet\"");
}

/* After the word "facet". A facet that fails leaves nothing behind. */
static bool read_facet(struct ascii *ascii)
{
    struct stl_solid *solid = &ascii->reader->solid;
    uint32_t first = solid->corner_count;
    float normal[3];
    bool has_normal = read_normal(ascii, normal);
    if (!read_loop(ascii)) {
        solid->corner_count = first;
        return false;
    }
    if (stl_add_facet(ascii->reader, first, has_normal ? normal : NULL))
        return true;
    ascii->status = CP_LIMIT;
    return false;
}

static void skip_line(struct ascii *ascii)
{
    while (ascii->at < ascii->end && *ascii->at != '\n' && *ascii->at != '\r')
        ascii->at++;
}

/* After the word "solid". */
static void read_solid(struct ascii *ascii)
{
    while (ascii->at < ascii->end && (*ascii->at == ' ' || *ascii->at == '\t'))
        ascii->at++;
    const char *name = ascii->at;
    skip_line(ascii);
    const char *name_end = ascii->at;
    while (name_end > name && stl_is_blank(name_end[-1]))
        name_end--;
    while (accept(ascii, "facet") && read_facet(ascii))
        ;
    if (ascii->status == CP_OK && !ascii->truncated && expect(ascii, "endsolid", "\"facet\" or \"endsolid\""))
        skip_line(ascii);
    if (ascii->status == CP_OK)
        ascii->status = stl_add_solid(ascii->reader, name, (size_t)(name_end - name));
}

/* After the last solid. */
static void read_rest(struct ascii *ascii)
{
    const char *at = ascii->at;
    while (at < ascii->end && (stl_is_blank(*at) || *at == '\0' || *at == 0x1a))
        at++;
    const struct stl_reader *reader = ascii->reader;
    if (at < ascii->end) {
        char word[33];
        copy_word(ascii, word);
        ascii->status = report_error(reader->context, CP_INPUT, "stl-syntax", find_place(ascii),
                                     "expected \"solid\" or the end of the file, found \"%s\"", word);
    } else if (ascii->at < ascii->end) {
        ascii->status =
            report_lenient(reader->context, reader->settings->import.strict, "stl-trailing", find_place(ascii),
                           "%zu fill bytes after the last endsolid", (size_t)(ascii->end - ascii->at));
    }
}

/* Text that is no STL. */
static cp_status refuse_start(struct ascii *ascii)
{
    char word[33];
    skip_blanks(ascii);
    copy_word(ascii, word);
    return report_error(ascii->reader->context, CP_INPUT, "stl-syntax", find_place(ascii),
                        "expected \"solid\", found \"%s\"", word);
}

cp_status stl_read_ascii(struct stl_reader *reader)
{
    const struct source *source = reader->source;
    struct ascii ascii = {.reader = reader, .at = source->data, .end = source->data + source->size};
    const char *start = stl_after_solid(ascii.at, ascii.end);
    if (!start)
        return refuse_start(&ascii);
    ascii.at = start;
    do
        read_solid(&ascii);
    while (ascii.status == CP_OK && !ascii.truncated && accept(&ascii, "solid"));
    if (ascii.status == CP_OK && !ascii.truncated)
        read_rest(&ascii);
    return ascii.status;
}
