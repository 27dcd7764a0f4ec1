/* Which of the two forms a file has. The rule "ASCII begins with solid" is broken by many binary files, so the exact
 * size goes first, then the words, then the bytes. */
#include "stl.h"

#include <math.h>

enum { TEXT_PROBE = 1024, FACET_PROBE = 64 };

bool stl_begins_with(const char *text, const char *end, const char *word)
{
    size_t size = strlen(word);
    if ((size_t)(end - text) < size)
        return false;
    for (size_t i = 0; i < size; i++)
        if ((text[i] | 0x20) != word[i])
            return false;
    return text + size == end || is_space(text[size]);
}

static const char *skip_blanks(const char *text, const char *end)
{
    while (text < end && is_space(*text))
        text++;
    return text;
}

const char *stl_after_solid(const char *text, const char *end)
{
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    if (end - text >= 3 && memcmp(text, byte_order_mark, 3) == 0)
        text += 3;
    text = skip_blanks(text, end);
    return stl_begins_with(text, end, "solid") ? text + 5 : NULL;
}

bool stl_is_exact_binary(const char *head, size_t size, uint64_t file_size)
{
    return size >= STL_HEADER_SIZE && file_size == STL_HEADER_SIZE + STL_FACET_SIZE * (uint64_t)stl_integer(head + 80);
}

static bool has_only_text(const char *head, size_t size)
{
    for (size_t i = 0; i < size && i < TEXT_PROBE; i++)
        if ((unsigned char)head[i] < 0x20 && !is_space(head[i]))
            return false;
    return true;
}

bool stl_is_ascii(const char *head, size_t size, uint64_t file_size)
{
    const char *end = head + size, *text = stl_after_solid(head, end);
    if (stl_is_exact_binary(head, size, file_size))
        return false;
    if (has_only_text(head, size))
        return text || size >= STL_HEADER_SIZE; /* a count of text bytes alone would be 150 million facets */
    while (text && text < end && *text != '\n' && *text != '\r')
        text++;
    text = text ? skip_blanks(text, end) : end;
    return (stl_begins_with(text, end, "facet") || stl_begins_with(text, end, "endsolid")) &&
           !stl_has_plausible_facets(head, size);
}

static bool is_plausible_facet(const char *record)
{
    float values[12];
    for (int i = 0; i < 12; i++) {
        values[i] = stl_number(record + 4 * i);
        if (!(fabsf(values[i]) < 1e30f))
            return false;
    }
    float length = values[0] * values[0] + values[1] * values[1] + values[2] * values[2];
    return length == 0 || (length > 0.9f && length < 1.1f);
}

bool stl_has_plausible_facets(const char *head, size_t size)
{
    if (size < STL_HEADER_SIZE + STL_FACET_SIZE)
        return false;
    size_t count = (size - STL_HEADER_SIZE) / STL_FACET_SIZE;
    for (size_t i = 0; i < count && i < FACET_PROBE; i++)
        if (!is_plausible_facet(head + STL_HEADER_SIZE + STL_FACET_SIZE * i))
            return false;
    return true;
}
