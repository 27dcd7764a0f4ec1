/* Reading numbers, UTF-8, and comparing words. */
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NUMBER = 1100 }; /* digits that can decide a double's rounding: 767, and the rest of the text */

struct decimal {
    uint64_t digits;  /* the first 19 significant ones */
    int64_t exponent; /* value = digits * 10^exponent */
    bool negative;
    bool exact; /* no digit but zeros was left out */
    const char *end;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Adds a digit; those beyond 19 only move the exponent. */
static void add_digit(struct decimal *number, char c, bool fraction)
{
    if (number->digits < 1000000000000000000u) {
        number->digits = 10 * number->digits + (uint64_t)(c - '0');
        number->exponent -= fraction;
    } else {
        number->exact = number->exact && c == '0';
        number->exponent += !fraction;
    }
}

/* The exponent part at text, if one stands there; bounded far beyond any double's range. */
static const char *scan_exponent(const char *text, const char *end, int64_t *exponent)
{
    const char *at = text;
    if (at == end || (*at != 'e' && *at != 'E'))
        return text;
    at++;
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    if (at == end || !is_digit(*at))
        return text;
    int64_t value = 0;
    for (; at < end && is_digit(*at); at++)
        if (value < 1000000000)
            value = 10 * value + (*at - '0');
    *exponent += negative ? -value : value;
    return at;
}

static bool scan_decimal(const char *text, const char *end, struct decimal *number)
{
    *number = (struct decimal){.exact = true};
    const char *at = text;
    if (at < end && (*at == '-' || *at == '+'))
        number->negative = *at++ == '-';
    const char *first = at;
    for (; at < end && is_digit(*at); at++)
        add_digit(number, *at, false);
    size_t seen = (size_t)(at - first);
    if (at < end && *at == '.') {
        const char *point = at++;
        for (; at < end && is_digit(*at); at++)
            add_digit(number, *at, true);
        seen += (size_t)(at - point - 1);
    }
    if (seen == 0)
        return false;
    number->end = scan_exponent(at, end, &number->exponent);
    return true;
}

static const double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* Clinger's fast path: exact factors, one rounding. False where it does not hold. */
static bool small_double(const struct decimal *number, double *value)
{
    if (!number->exact || number->digits > (UINT64_C(1) << 53) || number->exponent < -22 || number->exponent > 22)
        return false;
    double digits = (double)number->digits;
    *value =
        number->exponent < 0 ? digits / powers_of_ten[-number->exponent] : digits * powers_of_ten[number->exponent];
    return true;
}

/* The number's text for strtod: digits beyond those that can matter are dropped, a nonzero rest kept as a 1. */
static void normal_text(const char *text, const struct decimal *number, char out[LONGEST_NUMBER + 64])
{
    size_t used = 0;
    int64_t exponent = 0;
    bool fraction = false, rest = false;
    for (const char *at = text; at < number->end && *at != 'e' && *at != 'E'; at++) {
        if (*at == '.') {
            fraction = true;
        } else if (is_digit(*at)) {
            if (used < LONGEST_NUMBER && (used > 0 || *at != '0')) {
                out[used++] = *at;
                exponent -= fraction;
            } else if (used > 0) {
                rest = rest || *at != '0';
                exponent += !fraction;
            } else {
                exponent -= fraction;
            }
        }
    }
    const char *mark = text;
    while (mark < number->end && *mark != 'e' && *mark != 'E')
        mark++;
    (void)scan_exponent(mark, number->end, &exponent);
    if (rest) {
        out[used++] = '1';
        exponent--;
    }
    if (used == 0)
        out[used++] = '0';
    if (exponent > 99999)
        exponent = 99999;
    if (exponent < -99999)
        exponent = -99999;
    out[used++] = 'e';
    if (exponent < 0)
        out[used++] = '-';
    char reversed[8];
    size_t length = 0;
    for (int64_t left = exponent < 0 ? -exponent : exponent; left > 0 || length == 0; left /= 10)
        reversed[length++] = (char)('0' + left % 10);
    while (length > 0)
        out[used++] = reversed[--length];
    out[used] = '\0';
}

/* Integer digits and an exponent: no decimal point, so the locale cannot matter. */
static double slow_double(const char *text, const struct decimal *number)
{
    char normal[LONGEST_NUMBER + 64];
    normal_text(text, number, normal);
    return strtod(normal, NULL);
}

static float slow_float(const char *text, const struct decimal *number)
{
    char normal[LONGEST_NUMBER + 64];
    normal_text(text, number, normal);
    return strtof(normal, NULL);
}

const char *parse_double(const char *text, const char *end, double *value)
{
    struct decimal number;
    if (!scan_decimal(text, end, &number))
        return NULL;
    double result;
    if (!small_double(&number, &result))
        result = slow_double(text, &number);
    *value = number.negative ? -result : result;
    return number.end;
}

/* True when the correctly rounded double cannot have lost the float's rounding: it is exact or not a midpoint. */
static bool rounds_to_float(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t low = bits & 0x1fffffff;
    return low != 0x10000000 && (value == 0 || (fabs(value) > 1.2e-38 && fabs(value) < 3.4e38));
}

const char *parse_float(const char *text, const char *end, float *value)
{
    struct decimal number;
    if (!scan_decimal(text, end, &number))
        return NULL;
    double wide;
    float result;
    if (small_double(&number, &wide) && rounds_to_float(wide))
        result = (float)wide;
    else
        result = slow_float(text, &number);
    *value = number.negative ? -result : result;
    return number.end;
}

static const char *match_word(const char *text, const char *end, const char *word)
{
    for (; *word; word++, text++)
        if (text == end || (*text | 0x20) != *word)
            return NULL;
    return text;
}

const char *parse_float_or_word(const char *text, const char *end, float *value)
{
    const char *after = parse_float(text, end, value);
    if (after)
        return after;
    bool negative = text < end && *text == '-';
    if (text < end && (*text == '-' || *text == '+'))
        text++;
    static const char *const words[] = {"infinity", "inf", "nan"};
    for (size_t i = 0; i < 3 && !after; i++) {
        after = match_word(text, end, words[i]);
        *value = i < 2 ? (negative ? -INFINITY : INFINITY) : NAN;
    }
    return after;
}

bool text_is_number(const char *text, double *value)
{
    const char *end = text + strlen(text);
    while (*text == ' ' || *text == '\t')
        text++;
    const char *after = parse_double(text, end, value);
    if (!after)
        return false;
    while (*after == ' ' || *after == '\t')
        after++;
    return after == end;
}

/* ---- UTF-8 ---- */

/* The length of the well-formed sequence at text (Unicode table 3-7), or 0. */
static size_t utf8_length(const unsigned char *text, size_t size)
{
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

bool utf8_valid(const char *bytes, size_t size)
{
    for (size_t at = 0, length; at < size; at += length) {
        length = utf8_length((const unsigned char *)bytes + at, size - at);
        if (length == 0)
            return false;
    }
    return true;
}

static const char *from_latin1(struct arena *arena, const char *bytes, size_t size)
{
    if (size > SIZE_MAX / 4)
        return NULL;
    char *text = arena_allocate(arena, 3 * size + 1, 1);
    if (!text)
        return NULL;
    char *out = text;
    for (size_t i = 0; i < size; i++) {
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
    *out = '\0';
    return text;
}

const char *utf8_from(struct arena *arena, const char *bytes, size_t size, const char **raw)
{
    if (raw)
        *raw = NULL;
    if (utf8_valid(bytes, size))
        return arena_copy_text(arena, bytes, size);
    if (raw && !(*raw = arena_copy_text(arena, bytes, size)))
        return NULL;
    return from_latin1(arena, bytes, size);
}

/* ---- words ---- */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
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

const char *text_stem(const char *path, size_t *size)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
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

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Levenshtein's distance, two rows. */
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
            row[j + 1] = smaller(changed, smaller(row[j], diagonal) + 1);
        }
    }
    return row[width];
}

static bool is_beginning(const char *word, const char *of)
{
    while (*word && lower(*word) == lower(*of)) {
        word++;
        of++;
    }
    return !*word;
}

/* "tol" is nearer to "tolerance" than the letters that it lacks would make it. */
static size_t word_distance(const char *word, const char *known)
{
    if (strlen(known) > LONGEST_WORD)
        return SIZE_MAX;
    size_t distance = edit_distance(word, known);
    return distance > 1 && strlen(word) > 1 && is_beginning(word, known) ? 1 : distance;
}

const char *nearest_word(const char *word, const char *const *words)
{
    const char *nearest = NULL;
    size_t length = strlen(word), best = length < 4 ? 2 : length / 2 + 1;
    for (; length > 0 && length <= LONGEST_WORD && *words; words++) {
        size_t distance = word_distance(word, *words);
        if (distance < best) {
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

bool cp_parse_double(const char *text, double *value)
{
    return text_is_number(text, value);
}
