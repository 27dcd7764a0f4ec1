/* The facets of the ASCII form:
 *
 *     facet = "facet" [ "normal" [ x y z ] ] "outer" "loop" 3 { "vertex" x y z } "endloop" "endfacet"
 *
 * Keywords in any case; blanks, tabs and line ends of any kind part the words. A normal may be missing or no number
 * ("nan", "-1.#IND"): it is not used. A loop may have more than 3 vertices. */
#include "stl.h"

#include <math.h>

struct text {
    struct stl_batch *batch;
    const char *at, *end;
};

static void skip_blanks(struct text *text)
{
    while (text->at < text->end && is_space(*text->at))
        text->at++;
}

static bool word_equal(const char *text, const char *word, size_t size)
{
    if (memcmp(text, word, size) == 0)
        return true;
    for (size_t i = 0; i < size; i++)
        if ((text[i] | 0x20) != word[i])
            return false;
    return true;
}

/* Steps over the lower-case word of so many letters if it comes next. */
static inline bool accept_sized(struct text *text, const char *word, size_t size)
{
    skip_blanks(text);
    if ((size_t)(text->end - text->at) < size || !word_equal(text->at, word, size))
        return false;
    const char *after = text->at + size;
    if (after < text->end && !is_space(*after))
        return false;
    text->at = after;
    return true;
}
#define ACCEPT(text, word) accept_sized((text), (word), sizeof(word) - 1)

/* Stops at the next word. */
static bool stop(struct text *text, enum stl_stop reason, const char *expected)
{
    skip_blanks(text);
    text->batch->stop = reason;
    text->batch->expected = expected;
    return false;
}

/* Steps over a number if it comes next; it may be infinite or no number. */
static inline bool accept_number(struct text *text, float *value)
{
    skip_blanks(text);
    const char *after = parse_float(text->at, text->end, value);
    if (!after)
        after = parse_float_or_word(text->at, text->end, value);
    if (!after || (after < text->end && !is_space(*after)))
        return false;
    text->at = after;
    return true;
}

static inline bool read_vertex(struct text *text)
{
    float position[3];
    for (int i = 0; i < 3; i++) {
        skip_blanks(text);
        const char *start = text->at;
        if (!accept_number(text, position + i))
            return stop(text, STL_UNEXPECTED, "a number");
        if (!isfinite(position[i])) {
            text->at = start;
            return stop(text, STL_NOT_FINITE, NULL);
        }
    }
    if (text->batch->corner_count == text->batch->room)
        return stop(text, STL_FULL, NULL);
    stl_add_corner(text->batch, position);
    return true;
}

/* False when there is no normal of three numbers; words in its place are skipped. */
static bool read_normal(struct text *text, float normal[3])
{
    if (!ACCEPT(text, "normal"))
        return false;
    bool complete = true;
    for (int i = 0; i < 3; i++) {
        skip_blanks(text);
        if (accept_number(text, normal + i))
            continue;
        if (stl_begins_with(text->at, text->end, "outer"))
            return false;
        complete = false;
        while (text->at < text->end && !is_space(*text->at))
            text->at++;
    }
    return complete;
}

static bool read_loop(struct text *text)
{
    if (!ACCEPT(text, "outer"))
        return stop(text, STL_UNEXPECTED, "\"outer loop\"");
    if (!ACCEPT(text, "loop"))
        return stop(text, STL_UNEXPECTED, "\"loop\"");
    for (int i = 0; i < 3; i++) {
        if (!ACCEPT(text, "vertex"))
            return stop(text, STL_UNEXPECTED, "\"vertex\"");
        if (!read_vertex(text))
            return false;
    }
    while (!ACCEPT(text, "endloop")) {
        if (!ACCEPT(text, "vertex"))
            return stop(text, STL_UNEXPECTED, "\"endloop\"");
        if (!read_vertex(text))
            return false;
    }
    return ACCEPT(text, "endfacet") || stop(text, STL_UNEXPECTED, "\"endfacet\"");
}

/* After the word "facet". A facet that fails leaves nothing behind. */
static bool read_facet(struct text *text)
{
    struct stl_batch *batch = text->batch;
    uint32_t first = batch->corner_count, point_count = batch->points.count;
    float normal[3];
    bool has_normal = read_normal(text, normal);
    if (read_loop(text)) {
        stl_end_facet(batch, first, has_normal ? normal : NULL);
        return true;
    }
    batch->corner_count = first;
    batch->points.count = point_count; /* it was the last facet of this batch: nobody asks the table any more */
    return false;
}

void stl_read_facets(struct stl_batch *batch, const char *limit, const char *end)
{
    struct text text = {batch, batch->at, end};
    batch->stop = STL_AT_LIMIT;
    for (;;) {
        skip_blanks(&text);
        batch->at = text.at;
        if (text.at >= limit)
            return;
        if (!ACCEPT(&text, "facet")) {
            batch->stop = STL_AT_WORD;
            return;
        }
        if (!read_facet(&text))
            break;
    }
    if (batch->stop != STL_FULL)
        batch->at = text.at;
}
