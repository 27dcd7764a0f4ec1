#include "markup.h"
#include "cellpipe_tool.h"

#include <string.h>

static bool is_white(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

bool piece_is(struct piece piece, const char *text)
{
    return piece.at && piece.size == strlen(text) && memcmp(piece.at, text, piece.size) == 0;
}

/* Returns the text behind the next `word`; the end if there is none. */
static const char *behind(const char *at, const char *end, const char *word)
{
    size_t size = strlen(word);
    for (; (size_t)(end - at) >= size; at++)
        if (memcmp(at, word, size) == 0)
            return at + size;
    return end;
}

static bool begins(const char *at, const char *end, const char *word)
{
    size_t size = strlen(word);
    return (size_t)(end - at) >= size && memcmp(at, word, size) == 0;
}

/* Returns the '>' of a tag, past those in quotes; the end if there is none. */
static const char *find_close(const char *at, const char *end)
{
    char quote = 0;
    for (; at < end && (quote || *at != '>'); at++)
        if (quote ? *at == quote : *at == '"' || *at == '\'')
            quote = quote ? 0 : *at;
    return at;
}

bool markup_next(struct markup *markup)
{
    const char *end = markup->end;
    while ((markup->at = behind(markup->at, end, "<")) < end) {
        const char *at = markup->at;
        if (begins(at, end, "!--")) {
            markup->at = behind(at, end, "-->");
        } else if (begins(at, end, "![CDATA[")) {
            markup->at = behind(at, end, "]]>");
        } else if (*at == '?' || *at == '!') {
            markup->at = find_close(at, end);
        } else if (*at == '/') {
            markup->at = find_close(at, end);
            markup->open -= markup->open > 0;
        } else {
            const char *close = find_close(at, end), *name = at;
            if (close == end)
                return false;
            while (at < close && !is_white(*at) && *at != '/')
                at++;
            bool is_empty = close[-1] == '/';
            markup->name = (struct piece){name, (size_t)(at - name)};
            markup->attributes = (struct piece){at, (size_t)(close - at) - (is_empty && close > at)};
            markup->depth = markup->open + 1;
            markup->open += !is_empty;
            markup->at = close + 1;
            return true;
        }
    }
    return false;
}

struct piece markup_attribute(const struct markup *markup, const char *name)
{
    const char *at = markup->attributes.at, *end = at + markup->attributes.size;
    while (at < end) {
        while (at < end && is_white(*at))
            at++;
        struct piece key = {at, 0};
        while (at < end && *at != '=' && !is_white(*at))
            at++;
        key.size = (size_t)(at - key.at);
        while (at < end && *at != '"' && *at != '\'')
            at++;
        if (at == end)
            break;
        const char *value = at + 1, *close = memchr(value, *at, (size_t)(end - value));
        if (!close)
            break;
        if (piece_is(key, name))
            return (struct piece){value, (size_t)(close - value)};
        at = close + 1;
    }
    return (struct piece){NULL, 0};
}

struct piece markup_text(const struct markup *markup)
{
    const char *at = markup->at, *end = markup->end;
    while (at < end && is_white(*at))
        at++;
    const char *close = at;
    while (close < end && *close != '<')
        close++;
    while (close > at && is_white(close[-1]))
        close--;
    return (struct piece){at, (size_t)(close - at)};
}

/* ---- entities ---- */

/* Reads "#65;" or "#x41;". Returns the text behind it; NULL if it is no character of XML. */
static const char *read_number(const char *at, const char *end, uint32_t *character)
{
    uint32_t radix = end - at > 1 && at[1] == 'x' ? 16 : 10, sum = 0;
    const char *first = at += radix == 16 ? 2 : 1;
    for (; at < end && hex_digit(*at) >= 0 && (uint32_t)hex_digit(*at) < radix && sum <= 0x10ffff; at++)
        sum = sum * radix + (uint32_t)hex_digit(*at);
    bool good = at > first && at < end && *at == ';' && sum > 0 && sum <= 0x10ffff && (sum < 0xd800 || sum > 0xdfff);
    *character = sum;
    return good ? at + 1 : NULL;
}

/* Reads what stands behind an "&", in the same way. */
static const char *read_entity(const char *at, const char *end, uint32_t *character)
{
    static const struct {
        const char *word;
        char character;
    } entities[] = {{"amp;", '&'}, {"lt;", '<'}, {"gt;", '>'}, {"quot;", '"'}, {"apos;", '\''}};
    if (at < end && *at == '#')
        return read_number(at, end, character);
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
        if (begins(at, end, entities[i].word)) {
            *character = (uint32_t)entities[i].character;
            return at + strlen(entities[i].word);
        }
    return NULL;
}

/* Writes a character as UTF-8, which is no longer than its entity. */
static char *write_character(char *out, uint32_t character)
{
    int more = character < 0x80 ? 0 : character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
    static const unsigned marks[] = {0, 0xc0, 0xe0, 0xf0};
    *out++ = (char)(unsigned char)(marks[more] | character >> (6 * more));
    while (more-- > 0)
        *out++ = (char)(unsigned char)(0x80 | (character >> (6 * more) & 0x3f));
    return out;
}

size_t markup_decode(struct piece piece, char *out)
{
    const char *at = piece.at, *end = at + piece.size;
    char *begin = out;
    while (at < end) {
        uint32_t character = 0;
        const char *behind_it = *at == '&' ? read_entity(at + 1, end, &character) : NULL;
        if (behind_it)
            out = write_character(out, character);
        else
            *out++ = *at;
        at = behind_it ? behind_it : at + 1;
    }
    *out = '\0';
    return (size_t)(out - begin);
}
