/* The ASCII form:
 *
 *     file  = { "solid" NAME end-of-line { facet } "endsolid" rest-of-line }
 *     facet = "facet" [ "normal" [ x y z ] ] "outer" "loop" 3 { "vertex" x y z } "endloop" "endfacet"
 *
 * Dialects, which are counted: the word after "endsolid" glued to it; "end facet" and the like in two words; a "solid"
 * line twice; words behind a statement in its line, unless they hold keywords; lines of colours, and comments behind
 * '#',
 * ';' or "//"; commas behind numbers; exponents behind a 'D'.
 *
 * Keywords in any case; blanks, tabs and line ends of any kind part the words. A normal may be missing or no number
 * ("nan", "-1.#IND"): it is not used. A loop may have more than 3 vertices. There is one dialect without lines: where
 * the line of "solid" goes on with a facet, the name ends before it, and where that of "endsolid" goes on with a solid,
 * so does the file. After the last endsolid only blanks and the fill bytes NUL and Ctrl-Z may follow, no more than fill
 * a block of a transfer protocol: more of them are what a power loss leaves of a further solid.
 *
 * Several threads read a long solid: each begins at the first word "facet" of its part of the text. That is a guess
 * (a name may hold the word). What was read from there counts only if the thread before it has arrived just there. */
#include "stl.h"

#include <math.h>
#include <stdio.h>

#include "mesh/mesh.h"

struct text {
    const char *at, *end;
};

static void skip_blanks(struct text *text)
{
    while (text->at < text->end && is_space(*text->at))
        text->at++;
}

/* Skips the lower-case word of so many letters, in any case, if it comes next. */
static inline bool accept_sized(struct text *text, const char *word, size_t size)
{
    skip_blanks(text);
    if ((size_t)(text->end - text->at) < size)
        return false;
    if (memcmp(text->at, word, size) != 0)
        for (size_t i = 0; i < size; i++)
            if ((text->at[i] | 0x20) != word[i])
                return false;
    const char *after = text->at + size;
    if (after < text->end && !is_space(*after))
        return false;
    text->at = after;
    return true;
}
#define ACCEPT(text, word) accept_sized((text), (word), sizeof(word) - 1)

/* ---- dialects: looked for only where STL's own word does not come next ---- */

/* "end" and the word. */
static bool accept_apart(struct text *text, const char *word, struct stl_oddities *oddities)
{
    struct text ahead = *text;
    if (!ACCEPT(&ahead, "end") || !accept_sized(&ahead, word, strlen(word)))
        return false;
    text->at = ahead.at;
    oddities->dialect++;
    return true;
}

static const char *find_line_end(const struct text *text)
{
    const char *at = text->at;
    while (at < text->end && *at && !is_line_end(*at))
        at++;
    return at;
}

static bool begins_comment(const struct text *text)
{
    const char *at = text->at;
    return at < text->end && (*at == '#' || *at == ';' || (text->end - at > 1 && at[0] == '/' && at[1] == '/'));
}

static bool begins_facet(const char *at, const char *end)
{
    if (stl_begins_with(at, end, "endsolid"))
        return true;
    if (!stl_begins_with(at, end, "facet"))
        return false;
    for (at += strlen("facet"); at < end && (*at == ' ' || *at == '\t'); at++)
        ;
    return stl_begins_with(at, end, "normal") || stl_begins_with(at, end, "outer");
}

static bool begins_statement(const char *at, const char *end)
{
    static const char *const words[] = {"facet", "outer", "vertex", "endloop", "endfacet", "endsolid", "solid", "end"};
    bool begins = false;
    for (size_t i = 0; i < sizeof words / sizeof *words && !begins; i++)
        begins = stl_begins_with(at, end, words[i]);
    return begins;
}

/* Tells whether the next word does not begin its line. There is a word before it. */
static bool is_behind(const struct text *text)
{
    const char *at = text->at;
    while (is_space(at[-1]) && !is_line_end(at[-1]))
        at--;
    return !is_space(at[-1]);
}

/* Skips a comment, a line of a colour, or words behind a statement to the end of the line. False if the next word is
 * none of them, or a statement would be skipped. A comment may hold words of STL and, in its own line, also facets. */
static bool skip_aside(struct text *text, struct stl_oddities *oddities)
{
    skip_blanks(text);
    bool comment = begins_comment(text);
    bool colour = stl_begins_with(text->at, text->end, "color") || stl_begins_with(text->at, text->end, "colour");
    if (!comment && !colour && (begins_statement(text->at, text->end) || !is_behind(text)))
        return false;
    const char *end = find_line_end(text);
    bool (*const is_kept)(const char *, const char *) = comment ? begins_facet : begins_statement;
    bool takes_all = comment && !is_behind(text);
    for (const char *at = text->at; at < end && !takes_all; at++)
        if (is_space(at[-1]) && is_kept(at, end))
            return false;
    if (text->at == end)
        return false;
    text->at = end;
    oddities->dialect++;
    oddities->colours += colour;
    return true;
}

/* Reads a number with a comma behind it, or with Fortran's 'D' before its exponent. */
static bool accept_odd_number(struct text *text, float *value, double *exact, struct stl_oddities *oddities)
{
    char copy[64];
    size_t size = 0;
    for (const char *at = text->at; at < text->end && !is_space(*at); at++) {
        if (size == sizeof copy - 1)
            return false;
        copy[size++] = *at == 'D' || *at == 'd' ? 'e' : *at;
    }
    size_t word = size;
    if (size > 0 && copy[size - 1] == ',')
        size--;
    if (size == 0 || parse_float(copy, copy + size, value) != copy + size)
        return false;
    if (exact)
        (void)parse_double(copy, copy + size, exact);
    text->at += word;
    oddities->dialect++;
    return true;
}

/* ---- facets: what several threads do at a time ---- */

/* Reads a number if it comes next; it may be infinite or NaN. exact: NULL, or the finite one in double. */
static inline bool accept_number(struct text *text, float *value, double *exact, struct stl_oddities *oddities)
{
    skip_blanks(text);
    const char *after = parse_float(text->at, text->end, value);
    if (!after)
        after = parse_float_or_word(text->at, text->end, value);
    if (!after || (after < text->end && !is_space(*after)))
        return accept_odd_number(text, value, exact, oddities);
    if (exact)
        (void)parse_double(text->at, text->end, exact);
    text->at = after;
    return true;
}

/* Stops at the next word. */
static bool stop(struct text *text, struct stl_batch *batch, enum stl_stop reason, const char *expected)
{
    skip_blanks(text);
    batch->stop = reason;
    batch->expected = expected;
    return false;
}

/* Tells whether a further number behind numbers of a dialect makes their places unclear: "0, 5 0 0" may be three or
 * four. */
static bool is_unclear(const struct text *text)
{
    struct text ahead = *text;
    struct stl_oddities oddities = {0};
    float further;
    skip_blanks(&ahead);
    return is_behind(&ahead) && accept_number(&ahead, &further, NULL, &oddities);
}

static inline bool read_vertex(struct text *text, struct stl_batch *batch)
{
    const uint64_t dialect = batch->oddities.dialect;
    float position[3];
    for (int i = 0; i < 3; i++) {
        skip_blanks(text);
        const char *start = text->at;
        double place = 0;
        if (!accept_number(text, position + i, batch->origin ? &place : NULL, &batch->oddities))
            return stop(text, batch, STL_UNEXPECTED, "a number");
        if (!isfinite(position[i])) {
            text->at = start;
            return stop(text, batch, STL_NOT_FINITE, NULL);
        }
        if (batch->origin)
            position[i] = near_origin(place, batch->origin[i]);
    }
    if (batch->oddities.dialect != dialect && is_unclear(text))
        return stop(text, batch, STL_UNEXPECTED, "the end of the line");
    if (batch->corner_count == batch->room)
        return stop(text, batch, STL_FULL, NULL);
    stl_add_corner(batch, position);
    return true;
}

/* Reads a facet after its first word; false after a stop. */
static bool read_facet(struct text *text, struct stl_batch *batch)
{
    /* Skip words in the place of the normal's numbers. */
    uint32_t first = batch->corner_count;
    float normal[3];
    bool has_word = ACCEPT(text, "normal"), has_normal = has_word;
    for (int i = 0; has_word && i < 3; i++) {
        if (accept_number(text, normal + i, NULL, &batch->oddities))
            continue;
        has_normal = false;
        if (stl_begins_with(text->at, text->end, "outer"))
            break;
        while (text->at < text->end && !is_space(*text->at))
            text->at++;
    }

    struct stl_oddities *oddities = &batch->oddities;
    while (!ACCEPT(text, "outer"))
        if (!skip_aside(text, oddities))
            return stop(text, batch, STL_UNEXPECTED, "\"outer loop\"");
    if (!ACCEPT(text, "loop"))
        return stop(text, batch, STL_UNEXPECTED, "\"loop\"");
    for (int i = 0; i < 3; i++) {
        while (!ACCEPT(text, "vertex"))
            if (!skip_aside(text, oddities))
                return stop(text, batch, STL_UNEXPECTED, "\"vertex\"");
        if (!read_vertex(text, batch))
            return false;
    }
    while (!ACCEPT(text, "endloop") && !accept_apart(text, "loop", oddities)) {
        if (!ACCEPT(text, "vertex")) {
            if (skip_aside(text, oddities))
                continue;
            return stop(text, batch, STL_UNEXPECTED, "\"endloop\"");
        }
        if (!read_vertex(text, batch))
            return false;
    }
    while (!ACCEPT(text, "endfacet") && !accept_apart(text, "facet", oddities))
        if (!skip_aside(text, oddities))
            return stop(text, batch, STL_UNEXPECTED, "\"endfacet\"");
    stl_end_facet(batch, first, has_normal ? normal : NULL);
    return true;
}

/* Reads facets from batch->at on, as long as they begin before `limit`. One that cannot be read leaves no trace. */
static void read_batch(struct stl_batch *batch, const char *limit, const char *end)
{
    struct text text = {batch->at, end};
    batch->stop = STL_AT_LIMIT;
    for (;;) {
        skip_blanks(&text);
        batch->at = text.at;
        if (text.at >= limit)
            return;
        if (!ACCEPT(&text, "facet")) {
            if (skip_aside(&text, &batch->oddities))
                continue;
            batch->stop = STL_AT_WORD;
            return;
        }
        uint32_t corner_count = batch->corner_count, point_count = batch->points.count;
        struct stl_oddities oddities = batch->oddities;
        if (!read_facet(&text, batch)) {
            batch->corner_count = corner_count;
            batch->oddities = oddities;
            batch->points.count = point_count; /* the batch's table of points is not needed any more */
            break;
        }
    }
    if (batch->stop != STL_FULL)
        batch->at = text.at;
}

/* ---- the file ---- */

enum {
    FIRST_PART = 1 << 18, /* bytes of a solid that one thread reads before others join in */
    LARGEST_PART = 1 << 21,
    CORNER_BYTES = 16, /* an estimate: if corners are shorter, a part takes several rounds */
    MOST_FILL = 127    /* bytes: XMODEM's blocks have 128 */
};

struct ascii {
    struct stl_reader *reader;
    struct text text;
    const char *starts[STL_MOST_BATCHES + 1]; /* starts of the batches; each is the limit of the one before */
    const struct stl_batch *last;             /* that was taken */
    bool ended;                               /* the batch after it could not be taken */
    bool truncated;                           /* the text ends where more was expected; reported */
    bool distrusted;                          /* a guess was wrong, so none follow */
    cp_status status;                         /* sticky; the parser stops after a failure */
};

static struct place find_place(const struct ascii *ascii)
{
    const struct source *source = ascii->reader->source;
    size_t offset = (size_t)(ascii->text.at - source->data), start = offset;
    while (start > 0 && !is_line_end(source->data[start - 1]))
        start--;
    return (struct place){
        .file = source->name, .line = source_line(source, offset), .column = (uint64_t)(offset - start) + 1};
}

/* The next word for a message: cut, and without bytes that could control a terminal. */
struct word {
    char text[33];
};

static struct word next_word(const struct text *text)
{
    struct word word = {{0}};
    size_t size = 0;
    for (const char *at = text->at; at < text->end && !is_space(*at) && size < sizeof word.text - 1; at++)
        word.text[size++] = *at > ' ' && *at < 0x7f ? *at : '?';
    return word;
}

/* Tells whether the next word has a zero byte in it. */
static bool is_at_zeros(const struct text *text)
{
    const char *at = text->at;
    while (at < text->end && *at && !is_space(*at))
        at++;
    return at < text->end && !*at;
}

/* The next word in quotes. */
static struct found {
    char text[48];
} find_word(const struct text *text)
{
    struct found found = {"zero bytes, as a power loss leaves them"};
    if (!is_at_zeros(text))
        (void)snprintf(found.text, sizeof found.text, "\"%s\"", next_word(text).text);
    return found;
}

/* Fails at the next word. A word cut by the end of the text may have been the right one. */
static bool fail_expected(struct ascii *ascii, const char *expected)
{
    const struct stl_reader *reader = ascii->reader;
    unsigned long long facet = reader->facets + 1;
    const char *at = ascii->text.at;
    while (at < ascii->text.end && !is_space(*at))
        at++;
    ascii->truncated = at == ascii->text.end;
    ascii->status =
        ascii->truncated
            ? report_lenient(reader->context, !reader->settings->import.partial, "stl-truncated", find_place(ascii),
                             "the file ends in facet %llu where %s was expected%s", facet, expected,
                             is_at_zeros(&ascii->text) ? "; zero bytes follow, as a power loss leaves them" : "")
            : report_error(reader->context, CP_INPUT, "stl-syntax", find_place(ascii),
                           "facet %llu: expected %s, found %s", facet, expected, find_word(&ascii->text).text);
    return false;
}

static void read_part(void *user, uint32_t item, uint32_t slot)
{
    (void)slot;
    const struct ascii *ascii = user;
    read_batch(&ascii->reader->batches[item], ascii->starts[item + 1], ascii->text.end);
}

/* Takes a part that was read from the begin of a facet: the first part, and each one at whose begin the part before it
 * ended. */
static bool take_part(void *user, uint32_t item, uint32_t slot)
{
    (void)slot;
    struct ascii *ascii = user;
    const struct stl_batch *last = ascii->last, *batch = &ascii->reader->batches[item];
    ascii->ended = true;
    if (last && (last->stop != STL_AT_LIMIT || last->at != ascii->starts[item])) {
        ascii->distrusted = ascii->distrusted || last->stop == STL_AT_LIMIT;
        return false;
    }
    if (!stl_take_batch(ascii->reader, batch)) {
        ascii->status = CP_LIMIT;
        return false;
    }
    ascii->last = batch;
    ascii->ended = false;
    ascii->text.at = batch->at;
    return true;
}

/* Reads the facets of a solid in waves of parts. False after a failure. */
static bool read_facets(struct ascii *ascii)
{
    struct stl_reader *reader = ascii->reader;
    struct text *text = &ascii->text;
    const char *start = text->at;
    do {
        /* A wave is twice as long as all before it, so that wrong guesses cost only a share of the whole. */
        size_t done = (size_t)(text->at - start), left = (size_t)(text->end - text->at);
        size_t bytes = done > 0 ? 2 * done : FIRST_PART, most = ascii->distrusted ? 1 : reader->batch_count;
        bytes = bytes < left ? bytes : left;
        size_t parts = bytes / FIRST_PART < most ? bytes / FIRST_PART : most;
        parts = parts > 0 ? parts : 1;
        size_t part = bytes / parts < LARGEST_PART ? bytes / parts : LARGEST_PART;
        for (size_t i = 0; i <= parts; i++)
            ascii->starts[i] = text->at + i * part;
        if (parts * part + part > left)
            ascii->starts[parts] = text->end;

        /* A part begins at the first word "facet" from its start on. */
        for (size_t i = 1; i < parts; i++) {
            const char *at = ascii->starts[i], *limit = ascii->starts[i + 1];
            while (at < limit && !((*at | 0x20) == 'f' && is_space(at[-1]) && stl_begins_with(at, text->end, "facet")))
                at++;
            ascii->starts[i] = at;
        }

        /* A facet that was too large for the room gets more. */
        for (size_t i = 0; i < parts; i++) {
            struct stl_batch *batch = &reader->batches[i];
            uint32_t room = (uint32_t)((size_t)(ascii->starts[i + 1] - ascii->starts[i]) / CORNER_BYTES) + 64;
            if (i == 0 && batch->stop == STL_FULL && batch->facet_count == 0)
                room = batch->room <= UINT32_MAX / 2 ? 2 * batch->room : UINT32_MAX;
            if (!stl_begin_batch(reader->context, batch, room)) {
                ascii->status = CP_LIMIT;
                return false;
            }
            batch->at = ascii->starts[i];
            batch->origin = reader->solid.is_far ? reader->solid.origin : NULL;
        }
        ascii->last = NULL;
        ascii->ended = false;
        if (!parallel_in_order(reader->context, (uint32_t)parts, read_part, take_part, ascii) && !ascii->ended)
            ascii->status = CP_LIMIT;
        if (ascii->status != CP_OK)
            return false;
    } while (ascii->last->stop == STL_FULL || (ascii->last->stop == STL_AT_LIMIT && text->at < text->end));

    if (ascii->last->stop == STL_UNEXPECTED)
        return fail_expected(ascii, ascii->last->expected);
    if (ascii->last->stop == STL_NOT_FINITE)
        ascii->status = report_error(reader->context, CP_INPUT, "stl-not-finite", find_place(ascii),
                                     "facet %llu has a coordinate that is not a finite float: %s",
                                     (unsigned long long)reader->facets + 1, next_word(text).text);
    return ascii->status == CP_OK;
}

/* Reads facets far from the origin again, from an origin of their own. */
static bool read_facets_near(struct ascii *ascii)
{
    struct stl_reader *reader = ascii->reader;
    struct stl_oddities oddities = reader->oddities;
    uint64_t facets = reader->facets;
    const char *start = ascii->text.at;
    double origin[3];
    if (!read_facets(ascii))
        return false;
    if (!find_far_origin(reader->solid.positions, reader->solid.position_count, origin))
        return true;
    stl_clear_solid(&reader->solid, origin);
    reader->oddities = oddities;
    reader->facets = facets;
    ascii->text.at = start;
    return read_facets(ascii);
}

static bool begins_solid(const char *at, const char *end)
{
    return stl_begins_with(at, end, "solid");
}

/* Returns the first word of the line from `at` on for which is_mark is true, else the line's end or a zero byte. */
static const char *find_in_line(const char *at, const char *end, bool (*is_mark)(const char *, const char *))
{
    for (;;) {
        while (at < end && is_space(*at) && !is_line_end(*at))
            at++;
        if (at == end || !*at || is_line_end(*at) || is_mark(at, end))
            return at;
        while (at < end && *at && !is_space(*at))
            at++;
    }
}

/* Skips "endsolid" if it comes next, also glued to a name or in two words; a further solid ends one as well. */
static bool accept_endsolid(struct ascii *ascii)
{
    struct text *text = &ascii->text;
    struct stl_oddities *oddities = &ascii->reader->oddities;
    static const char word[] = "endsolid";
    const size_t size = sizeof word - 1;
    if (ACCEPT(text, "endsolid") || accept_apart(text, "solid", oddities))
        return true;
    bool begins = begins_solid(text->at, text->end);
    bool glued = (size_t)(text->end - text->at) > size && text->at[size];
    for (size_t i = 0; i < size && glued; i++)
        glued = (text->at[i] | 0x20) == word[i];
    oddities->dialect += glued || begins;
    text->at += glued ? size : 0;
    return glued || begins;
}

/* Skips the name after "endsolid": to the next line, or to a solid with facets in this one. */
static void skip_name(struct text *text)
{
    text->at = find_in_line(text->at, text->end, begins_solid);
    if (text->at == text->end || !*text->at || is_line_end(*text->at))
        return;
    const char *facet = find_in_line(text->at + strlen("solid"), text->end, begins_facet);
    if (facet == text->end || !*facet || is_line_end(*facet))
        text->at = facet;
}

/* Skips lines without meaning between solids: comments, and "endsolid" lines that come again. */
static void skip_between(struct ascii *ascii)
{
    struct text *text = &ascii->text;
    for (skip_blanks(text);; skip_blanks(text)) {
        if (begins_comment(text))
            text->at = find_line_end(text);
        else if (ACCEPT(text, "endsolid"))
            skip_name(text);
        else
            break;
        ascii->reader->oddities.dialect++;
    }
}

/* Checks a file that ends after whole facets and without "endsolid": it may have lost some; a closed surface has lost
 * whole shells at most. */
static cp_status check_endless(struct ascii *ascii, const char *expected)
{
    const struct stl_reader *reader = ascii->reader;
    const cp_scene *scene = reader->scene;
    const cp_mesh *mesh = &scene->meshes[scene->instances[scene->instance_count - 1].mesh];
    cp_topology topology = {.size = sizeof topology, .closed = false};
    cp_status status = cp_mesh_topology(reader->context, mesh, &topology);
    if (status == CP_OK && !topology.closed)
        (void)fail_expected(ascii, expected);
    else if (status == CP_OK)
        ascii->status = report_lenient(
            reader->context, reader->settings->import.strict, "stl-no-end", find_place(ascii),
            "endsolid is missing; the surface is closed, so that only whole shells behind it may be missing, too");
    return status == CP_OK ? ascii->status : status;
}

/* Reads a solid after its first word. */
static cp_status read_solid(struct ascii *ascii)
{
    struct text *text = &ascii->text;
    while (text->at < text->end && (*text->at == ' ' || *text->at == '\t'))
        text->at++;
    const char *name = text->at;
    text->at = find_in_line(name, text->end, begins_facet);
    size_t size = (size_t)(text->at - name);
    while (size > 0 && is_space(name[size - 1]))
        size--;

    /* The line may come twice. */
    struct stl_oddities *oddities = &ascii->reader->oddities;
    for (skip_blanks(text); begins_solid(text->at, text->end); skip_blanks(text)) {
        text->at = find_in_line(text->at, text->end, begins_facet);
        oddities->dialect++;
    }

    static const char facet_or_end[] = "\"facet\" or \"endsolid\"";
    bool has_facets = read_facets_near(ascii), has_end = has_facets && accept_endsolid(ascii);
    bool is_endless = has_facets && !has_end && text->at == text->end;
    if (has_facets && !has_end && !is_endless)
        (void)fail_expected(ascii, facet_or_end);
    if (has_end && !begins_solid(text->at, text->end))
        skip_name(text);
    if (ascii->status == CP_OK)
        ascii->status = stl_add_solid(ascii->reader, name, size);
    if (ascii->status == CP_OK && is_endless)
        ascii->status = check_endless(ascii, facet_or_end);
    return ascii->status;
}

cp_status stl_read_ascii(struct stl_reader *reader)
{
    const struct source *source = reader->source;
    const char *end = source->data + source->size;
    struct ascii ascii = {.reader = reader, .text = {text_after_mark(source->data, source->size), end}};
    struct text *text = &ascii.text;
    skip_between(&ascii);
    if (!ACCEPT(text, "solid")) {
        skip_blanks(text);
        return report_error(reader->context, CP_INPUT, "stl-syntax", find_place(&ascii), "expected \"solid\", found %s",
                            find_word(text).text);
    }
    do {
        if (read_solid(&ascii) != CP_OK || ascii.truncated)
            return ascii.status;
        skip_between(&ascii);
    } while (ACCEPT(text, "solid"));

    const char *at = text->at;
    while (at < end && (is_space(*at) || *at == '\0' || *at == 0x1a))
        at++;
    if (at < end)
        return report_error(reader->context, CP_INPUT, "stl-syntax", find_place(&ascii),
                            "expected \"solid\" or the end of the file, found %s", find_word(text).text);
    size_t fill = (size_t)(end - text->at);
    if (fill > MOST_FILL && memchr(text->at, '\0', fill))
        return report_lenient(reader->context, !reader->settings->import.partial, "stl-truncated", find_place(&ascii),
                              "the file ends in %zu zero bytes, as a power loss leaves them", fill);
    if (fill > 0)
        return report_lenient(reader->context, reader->settings->import.strict, "stl-trailing", find_place(&ascii),
                              "%zu fill bytes after the last endsolid", fill);
    return CP_OK;
}
