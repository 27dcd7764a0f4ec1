/* UTF-8, and comparing words. */
#include "text.h"

#include <string.h>

/* ---- UTF-8 ---- */

/* Follows table 3-7 of the Unicode Standard, which lists the well-formed byte sequences. */
size_t utf8_length(const char *bytes, size_t size)
{
    const unsigned char *text = (const unsigned char *)bytes;
    unsigned char c = text[0];
    if (c == 0)
        return 0;
    if (c < 0x80)
        return 1;
    size_t length = c >= 0xc2 && c <= 0xdf ? 2 : (c & 0xf0) == 0xe0 ? 3 : c >= 0xf0 && c <= 0xf4 ? 4 : 0;
    if (length == 0 || length > size)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (c == 0xe0 && text[1] < 0xa0) || (c == 0xf0 && text[1] < 0x90);
    bool surrogate = c == 0xed && text[1] > 0x9f;
    bool beyond = c == 0xf4 && text[1] > 0x8f;
    return overlong || surrogate || beyond ? 0 : length;
}

/* Tells whether the next eight bytes are all ASCII, and none of them is NUL. */
static bool is_plain(const char *bytes)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = UINT64_C(0x8080808080808080);
    uint64_t eight;
    memcpy(&eight, bytes, sizeof eight);
    return ((eight | (eight - ones)) & tops) == 0; /* a borrow from a zero byte sets its top bit */
}

bool utf8_valid(const char *bytes, size_t size)
{
    for (size_t at = 0, length; at < size; at += length) {
        while (size - at > 8 && is_plain(bytes + at))
            at += 8;
        length = utf8_length(bytes + at, size - at);
        if (length == 0)
            return false;
    }
    return true;
}

const char *utf8_from(struct arena *arena, const char *bytes, size_t size, const char **raw)
{
    if (raw)
        *raw = NULL;
    if (utf8_valid(bytes, size))
        return arena_copy_text(arena, bytes, size);
    if (raw && !(*raw = arena_copy_text(arena, bytes, size)))
        return NULL;
    char *text = size <= SIZE_MAX / 4 ? arena_allocate(arena, 3 * size + 1, 1) : NULL, *out = text;
    for (size_t i = 0; i < size && text; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c == 0) {
            memcpy(out, "\xef\xbf\xbd", 3);
            out += 3;
        } else if (c < 0x80) {
            *out++ = (char)c;
        } else {
            *out++ = (char)(0xc0 | c >> 6);
            *out++ = (char)(0x80 | (c & 0x3f));
        }
    }
    if (text)
        *out = '\0';
    return text;
}

/* Returns the code of a control character, or of a mark that changes the direction of text: "\u202e" and the like
 * change what people see. 0 for other characters. */
static unsigned hidden_code(const char *character, size_t length)
{
    const unsigned char *c = (const unsigned char *)character;
    unsigned code = c[0];
    if (length == 2)
        code = (c[0] & 0x1fu) << 6 | (c[1] & 0x3fu);
    else if (length == 3)
        code = (c[0] & 0xfu) << 12 | (c[1] & 0x3fu) << 6 | (c[2] & 0x3fu);
    bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    bool direction = code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
                     (code >= 0x2066 && code <= 0x2069);
    return length < 4 && (control || direction) ? code : 0;
}

size_t cp_print_shown_character(const char **text, char out[CP_SHOWN_CHARACTER_SIZE])
{
    static const char digits[] = "0123456789abcdef", letters[] = "\t\n\r", names[] = "tnr";
    const char *at = *text;
    size_t length = utf8_length(at, CP_SHOWN_CHARACTER_SIZE); /* a NUL ends it, too */
    unsigned char byte = (unsigned char)*at;
    if (byte == 0)
        return 0;
    *text += length > 0 ? length : 1;
    unsigned code = length > 0 ? hidden_code(at, length) : byte;
    const char *letter = length == 1 ? strchr(letters, *at) : NULL;
    if (code == 0) {
        memcpy(out, at, length);
        return length;
    }
    out[0] = '\\';
    if (letter) {
        out[1] = names[letter - letters];
        return 2;
    }
    bool is_wide = length > 1;
    size_t size = 2 + (is_wide ? 4 : 2);
    out[1] = is_wide ? 'u' : 'x';
    for (size_t i = size; i-- > 2; code >>= 4)
        out[i] = digits[code & 15];
    return size;
}

/* ---- words ---- */

bool text_is_hash(const char *text, uint64_t *hash)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    size_t size = strlen(text);
    if (size == 0 || size > 16 || strspn(text, digits) != size)
        return false;
    for (*hash = 0; *text; text++) {
        size_t digit = (size_t)(strchr(digits, *text) - digits);
        *hash = *hash << 4 | (digit < 16 ? digit : digit - 6);
    }
    return true;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

bool bytes_have_word(const char *bytes, size_t size, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = bytes; (size_t)(bytes + size - at) >= length; at++) {
        if ((at[0] | 0x20) != (word[0] | 0x20))
            continue; /* most places end here */
        size_t i = 0;
        while (i < length && (at[i] == word[i] || (word[i] >= 'a' && (at[i] | 0x20) == word[i])))
            i++;
        if (i == length)
            return true;
    }
    return false;
}

bool text_equal_nocase(const char *a, const char *b)
{
    for (; *a && lower(*a) == lower(*b); a++)
        b++;
    return *a == *b;
}

bool text_ends_nocase(const char *text, const char *suffix)
{
    size_t length = strlen(text), wanted = strlen(suffix);
    return length >= wanted && text_equal_nocase(text + length - wanted, suffix);
}

const char *text_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *text_stem(const char *path, size_t *size)
{
    const char *name = text_file_name(path);
    *size = strlen(name);
    if (text_ends_nocase(name, ".gz"))
        *size -= 3;
    for (size_t i = *size; i > 1; i--)
        if (name[i - 1] == '.') {
            *size = i - 1;
            break;
        }
    return name;
}

enum { LONGEST_WORD = 63 };

/* Computes Levenshtein's distance, with one row of the table at a time. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t row[LONGEST_WORD + 1], width = strlen(b);
    for (size_t j = 0; j <= width; j++)
        row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < width; j++) {
            size_t changed = diagonal + (lower(a[i]) != lower(b[j]));
            diagonal = row[j + 1];
            size_t added = (row[j] < diagonal ? row[j] : diagonal) + 1;
            row[j + 1] = changed < added ? changed : added;
        }
    }
    return row[width];
}

/* Returns the number of letters that both have in common at their beginnings. */
static size_t common_letters(const char *a, const char *b)
{
    size_t count = 0;
    while (a[count] && lower(a[count]) == lower(b[count]))
        count++;
    return count;
}

static bool is_beginning(const char *word, const char *of)
{
    return !word[common_letters(word, of)];
}

const char *nearest_word(const char *word, const char *const *words)
{
    const char *nearest = NULL;
    size_t length = strlen(word), best = length < 4 ? 2 : length / 2 + 1;
    for (; length > 0 && length <= LONGEST_WORD && *words; words++) {
        if (strlen(*words) > LONGEST_WORD)
            continue;
        /* A word that begins the other, as "tol" does "tolerance", is nearer than its missing letters would make it. */
        size_t distance = edit_distance(word, *words);
        if (distance > 1 && length > 1 && is_beginning(word, *words))
            distance = 1;
        else if (distance > 2 && strlen(*words) > 2 && is_beginning(*words, word))
            distance = 2;
        /* Prefer the one that begins alike if the distance is the same: "LMOVE" is LMOV rather than MOVE. */
        if (distance < best ||
            (distance == best && nearest && common_letters(word, *words) > common_letters(word, nearest))) {
            best = distance;
            nearest = *words;
        }
    }
    return nearest;
}

const char *cp_nearest_word(const char *word, const char *const *words)
{
    return nearest_word(word, words);
}

cp_status each_item(cp_context *context, const char *list, cp_status (*take)(void *user, char *item), void *user)
{
    size_t size = strlen(list) + 1;
    char *copy = memory_allocate(context, size, 1);
    cp_status status = copy ? CP_OK : CP_LIMIT;
    if (copy)
        memcpy(copy, list, size);
    for (char *at = copy, *next; at && status == CP_OK; at = next) {
        next = strchr(at, ',');
        if (next)
            *next++ = '\0';
        status = take(user, at);
    }
    memory_free(context, copy, size, 1);
    return status;
}
