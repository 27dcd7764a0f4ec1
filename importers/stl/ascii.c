/* The ASCII form:
 *
 *     file = { "solid" NAME end-of-line { facet } "endsolid" rest-of-line }
 *
 * Facets are in facets.c. There is one dialect without lines: where the line of "solid" goes on with a facet, the name ends before it,
 * and where that of "endsolid" goes on with a solid, so does the file. After the last endsolid only blanks and the fill
 * bytes NUL and Ctrl-Z may follow.
 *
 * Several threads read a long solid: each begins at the first word "facet" of its part of the text. That is a guess (a name
 * may hold the word), and what was read from there counts only when the thread before it has arrived just there. */
#include "stl.h"

enum {
    FIRST_PART = 1 << 18, /* bytes of a solid that one thread reads before others join in */
    LARGEST_PART = 1 << 21,
    CORNER_BYTES = 16 /* a guess: shorter corners only mean that a part is read in several goes */
};

struct ascii {
    struct stl_reader *reader;
    const char *at, *end;
    bool truncated;   /* the text ends where more was expected; reported */
    bool distrusted;  /* a guess was wrong: no more of them */
    cp_status status; /* sticky; the parser stands still after a failure */
};

/* ---- messages ---- */

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
    for (const char *at = ascii->at; at < ascii->end && !is_space(*at) && size < 32; at++)
        word[size++] = *at > ' ' && *at < 0x7f ? *at : '?';
    word[size] = '\0';
}

static bool word_touches_end(const struct ascii *ascii)
{
    const char *at = ascii->at;
    while (at < ascii->end && !is_space(*at))
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

static void fail_not_finite(struct ascii *ascii)
{
    char word[33];
    copy_word(ascii, word);
    ascii->status = report_error(ascii->reader->context, CP_INPUT, "stl-not-finite", find_place(ascii),
                                 "facet %llu has a coordinate that is no finite float: %s",
                                 (unsigned long long)ascii->reader->facets + 1, word);
}

/* ---- words ---- */

static void skip_blanks(struct ascii *ascii)
{
    while (ascii->at < ascii->end && is_space(*ascii->at))
        ascii->at++;
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

/* The first word of the line from `at` on for which is_mark holds, else the line's end. */
static const char *find_in_line(const char *at, const char *end, bool (*is_mark)(const char *, const char *))
{
    for (;;) {
        while (at < end && is_space(*at) && !is_line_end(*at))
            at++;
        if (at == end || is_line_end(*at) || is_mark(at, end))
            return at;
        while (at < end && !is_space(*at))
            at++;
    }
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

static bool begins_solid(const char *at, const char *end)
{
    return stl_begins_with(at, end, "solid");
}

static bool is_in_line(const struct ascii *ascii, const char *at)
{
    return at < ascii->end && !is_line_end(*at);
}

/* ---- facets ---- */

/* Where the first word "facet" begins in [at, limit), else limit. Something stands before it. */
static const char *guess_facet(const char *at, const char *limit, const char *end)
{
    while (at < limit && !((*at | 0x20) == 'f' && is_space(at[-1]) && stl_begins_with(at, end, "facet")))
        at++;
    return at;
}

struct wave {
    struct ascii *ascii;
    struct stl_reader *reader;
    const char *starts[STL_MOST_BATCHES + 1]; /* a batch's limit is the next one's start */
    const char *end;
    const struct stl_batch *last; /* that was taken */
    bool ended;                   /* not all could be taken */
};

static void read_part(void *user, uint32_t item, uint32_t slot)
{
    (void)slot;
    const struct wave *wave = user;
    stl_read_facets(&wave->reader->batches[item], wave->starts[item + 1], wave->end);
}

/* The parts of the next `bytes` bytes: one, or as many as can be read at the same time. */
static uint32_t cut_parts(const struct ascii *ascii, size_t bytes, struct wave *wave)
{
    size_t left = (size_t)(ascii->end - ascii->at), most = ascii->distrusted ? 1 : ascii->reader->batch_count;
    bytes = bytes < left ? bytes : left;
    size_t parts = bytes / FIRST_PART < most ? bytes / FIRST_PART : most;
    parts = parts > 0 ? parts : 1;
    size_t part = bytes / parts < LARGEST_PART ? bytes / parts : LARGEST_PART;
    *wave = (struct wave){.reader = ascii->reader, .end = ascii->end};
    for (size_t i = 0; i <= parts; i++)
        wave->starts[i] = ascii->at + i * part;
    wave->starts[parts] = parts * part + part > left ? ascii->end : wave->starts[parts];
    for (size_t i = 1; i < parts; i++)
        wave->starts[i] = guess_facet(wave->starts[i], wave->starts[i + 1], ascii->end);
    return (uint32_t)parts;
}

/* Room for the facets of each part; a facet that was too large for the room gets more. */
static bool begin_batches(const struct wave *wave, uint32_t parts)
{
    for (uint32_t i = 0; i < parts; i++) {
        struct stl_batch *batch = &wave->reader->batches[i];
        uint32_t room = (uint32_t)((size_t)(wave->starts[i + 1] - wave->starts[i]) / CORNER_BYTES) + 64;
        if (i == 0 && batch->stop == STL_FULL && batch->facet_count == 0)
            room = batch->room <= UINT32_MAX / 2 ? 2 * batch->room : UINT32_MAX;
        if (!stl_begin_batch(wave->reader->context, batch, room))
            return false;
        batch->at = wave->starts[i];
    }
    return true;
}

/* Takes a part that has been read from where a facet begins: the first, and each that the one before it led to. */
static bool take_part(void *user, uint32_t item, uint32_t slot)
{
    (void)slot;
    struct wave *wave = user;
    struct ascii *ascii = wave->ascii;
    const struct stl_batch *last = wave->last, *batch = &wave->reader->batches[item];
    wave->ended = true;
    if (last && (last->stop != STL_AT_LIMIT || last->at != wave->starts[item])) {
        ascii->distrusted = ascii->distrusted || last->stop == STL_AT_LIMIT;
        return false;
    }
    if (!stl_take_batch(wave->reader, batch)) {
        ascii->status = CP_LIMIT;
        return false;
    }
    wave->last = batch;
    wave->ended = false;
    ascii->at = batch->at;
    return true;
}

/* Reads facets from about so many bytes. The batch that came to a stop, or NULL on failure. */
static const struct stl_batch *read_wave(struct ascii *ascii, size_t bytes)
{
    struct wave wave;
    uint32_t parts = cut_parts(ascii, bytes, &wave);
    wave.ascii = ascii;
    bool good = begin_batches(&wave, parts) &&
                (parallel_in_order(ascii->reader->context, parts, read_part, take_part, &wave) || wave.ended);
    if (!good)
        ascii->status = CP_LIMIT;
    return ascii->status == CP_OK ? wave.last : NULL;
}

/* The facets of a solid. False after a failure. */
static bool read_facets(struct ascii *ascii)
{
    const char *start = ascii->at;
    const struct stl_batch *last;
    do {
        size_t done = (size_t)(ascii->at - start); /* what is guessed in vain remains in proportion to it */
        last = read_wave(ascii, done > 0 ? 2 * done : FIRST_PART);
    } while (last && (last->stop == STL_FULL || (last->stop == STL_AT_LIMIT && ascii->at < ascii->end)));
    if (last && last->stop == STL_UNEXPECTED)
        return fail_expected(ascii, last->expected);
    if (last && last->stop == STL_NOT_FINITE)
        fail_not_finite(ascii);
    return ascii->status == CP_OK;
}

/* ---- solids ---- */

/* After the word "endsolid": up to the next line, or to a solid in this one. */
static void skip_line(struct ascii *ascii)
{
    ascii->at = find_in_line(ascii->at, ascii->end, begins_solid);
    if (!is_in_line(ascii, ascii->at))
        return;
    const char *facet = find_in_line(ascii->at + strlen("solid"), ascii->end, begins_facet);
    if (!is_in_line(ascii, facet))
        ascii->at = facet;
}

/* After the word "solid". */
static void read_solid(struct ascii *ascii)
{
    while (ascii->at < ascii->end && (*ascii->at == ' ' || *ascii->at == '\t'))
        ascii->at++;
    const char *name = ascii->at;
    ascii->at = find_in_line(name, ascii->end, begins_facet);
    const char *name_end = ascii->at;
    while (name_end > name && is_space(name_end[-1]))
        name_end--;
    if (read_facets(ascii) && (accept(ascii, "endsolid") || fail_expected(ascii, "\"facet\" or \"endsolid\"")))
        skip_line(ascii);
    if (ascii->status == CP_OK)
        ascii->status = stl_add_solid(ascii->reader, name, (size_t)(name_end - name));
}

/* After the last solid. */
static void read_rest(struct ascii *ascii)
{
    const char *at = ascii->at;
    while (at < ascii->end && (is_space(*at) || *at == '\0' || *at == 0x1a))
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
