/* Reads numbers: correctly rounded, free of the locale.
 *
 * A number is digits * 10^exponent with up to 19 digits in 64 bits. If both are small, doubles hold them exactly and
 * one operation rounds (W. Clinger, "How to read floating point numbers accurately", 1990); for a float nearly exact
 * factors are enough. Else the product with the first 128 bits of the power decides (after D. Lemire, "Number parsing
 * at a gigabyte per second", 2021), whenever it can: the power is cut off by less than 1 in its last place, so the true
 * product lies less than `digits` above the computed one. If both ends of this range round alike, that is the number.
 * The C library reads the rest, one in billions of random numbers. */
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "digits.h"
#include "powers.h"

enum {
    LONGEST_NUMBER = 1100, /* the digits that can decide a double's rounding, 767, and the rest of the text */
    MOST_DIGITS = 19,      /* digits that always fit 64 bits */
    COMMON_SIZE = 12,      /* characters of d.dddddde+dd */
};

struct decimal {
    uint64_t digits;  /* the first 19 significant ones */
    int64_t exponent; /* value = digits * 10^exponent */
    bool negative;
    bool exact; /* only zeros were left out */
    const char *end;
};

/* ---- digits ---- */

/* Appends the digits at text, modulo 2^64. */
static inline const char *scan_digits(const char *text, const char *end, uint64_t *digits)
{
    uint64_t value = *digits;
    for (; text < end && is_digit(*text); text++)
        value = 10 * value + (uint64_t)(*text - '0');
    *digits = value;
    return text;
}

/* Does the same, eight at a time: for those behind a point, which are many. */
static inline const char *scan_fraction(const char *text, const char *end, uint64_t *digits)
{
    static const uint64_t tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    while (end - text >= 8) {
        uint32_t number;
        int count = leading_digits(get_eight(text), &number);
        *digits = *digits * tens[count] + number;
        text += count;
        if (count < 8)
            return text;
    }
    return scan_digits(text, end, digits);
}

/* Reads the exponent at text, if there is one. It is bounded far beyond any exponent that a text's digits could
 * outweigh. */
static inline const char *scan_exponent(const char *text, const char *end, int64_t *exponent)
{
    const char *at = text;
    if (at == end || (*at | 0x20) != 'e')
        return text;
    at++;
    bool negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    if (at == end || !is_digit(*at))
        return text;
    int64_t value = 0;
    for (; at < end && is_digit(*at); at++)
        if (value < INT64_C(100000000000000000))
            value = 10 * value + (*at - '0');
    *exponent = negative ? -value : value;
    return at;
}

/* Reads the digits and the point again, if there are more than 19: leading zeros do not count, and digits beyond 19
 * only move the exponent. */
static void scan_long(const char *text, const char *end, struct decimal *number)
{
    bool fraction = false;
    number->digits = 0;
    for (const char *at = text; at < end; at++) {
        if (*at == '.') {
            fraction = true;
        } else if (number->digits < UINT64_C(1000000000000000000)) {
            number->digits = 10 * number->digits + (uint64_t)(*at - '0');
            number->exponent -= fraction;
        } else {
            number->exact = number->exact && *at == '0';
            number->exponent += !fraction;
        }
    }
}

static inline bool scan_decimal(const char *text, const char *end, struct decimal *number)
{
    const char *at = text;
    number->negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    const char *first = at;
    number->digits = 0;
    at = scan_digits(at, end, &number->digits);
    int64_t count = at - first, fraction = 0;
    if (at < end && *at == '.') {
        const char *point = at + 1;
        at = scan_fraction(point, end, &number->digits);
        fraction = at - point;
    }
    if (count + fraction == 0)
        return false;
    number->exponent = 0;
    number->exact = true;
    number->end = scan_exponent(at, end, &number->exponent);
    if (count + fraction > MOST_DIGITS)
        scan_long(first, at, number);
    else
        number->exponent -= fraction;
    return true;
}

/* ---- rounding ---- */

/* 10^-22 to 10^22, as near as doubles come: from 1 on exact. */
enum { EXACT_POWER = 22 };
static const double powers[] = {1e-22, 1e-21, 1e-20, 1e-19, 1e-18, 1e-17, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11,
                                1e-10, 1e-9,  1e-8,  1e-7,  1e-6,  1e-5,  1e-4,  1e-3,  1e-2,  1e-1,  1e0,   1e1,
                                1e2,   1e3,   1e4,   1e5,   1e6,   1e7,   1e8,   1e9,   1e10,  1e11,  1e12,  1e13,
                                1e14,  1e15,  1e16,  1e17,  1e18,  1e19,  1e20,  1e21,  1e22};

/* A binary format of IEEE 754. */
struct format {
    int precision;         /* bits of the significand */
    int smallest, largest; /* exponents of the normal numbers' first bit */
};
static const struct format double_format = {53, -1022, 1023}, float_format = {24, -126, 127};

static inline uint64_t infinity_bits(const struct format *format)
{
    return (uint64_t)(format->largest - format->smallest + 2) << (format->precision - 1);
}

/* Finds the bits of digits * 10^exponent, rounded to nearest even. False when the first 128 bits of the power do not
 * decide. */
static bool round_decimal(uint64_t digits, int64_t exponent, const struct format *format, uint64_t *bits)
{
    bool zero = digits == 0 || exponent < SMALLEST_POWER; /* 10^19 * 10^-343 is less than half of any number */
    *bits = zero ? 0 : infinity_bits(format);
    if (zero || exponent > LARGEST_POWER)
        return true;
    int shift = __builtin_clzll(digits);
    struct power_of_ten power = power_of_ten((int)exponent);
    digits <<= shift;
    /* Take the upper 128 of 192 bits. Less than 1 is cut off here, less than 1 by the power; both double if the first
     * bit is 0. So the number is in [product, product + 4) * 2^(first - 127), 2^127 <= product. */
    uint128 product = multiply_wide(digits, power.high) + (uint64_t)(multiply_wide(digits, power.low) >> 64);
    int carry = (int)(product >> 127), first = floor_log2_of_power((int)exponent) + 63 - shift + carry;
    product <<= 1 - carry;
    uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product;
    if (first > format->largest)
        return true;
    *bits = 0;
    int below = first < format->smallest ? format->smallest - first : 0; /* bits that subnormal numbers lack */
    if (below > format->precision)
        return high != UINT64_MAX;                /* else the product may reach half of the smallest number */
    int dropped = 64 - format->precision + below; /* of the high word, 11 .. 64; the low word goes as a whole */
    uint64_t half = UINT64_C(1) << (dropped - 1), rest = high & (half | (half - 1));
    if ((rest == half && low == 0) || (rest == half - 1 && low > UINT64_MAX - 3))
        return false; /* the middle between two neighbours is in that interval */
    /* The significand's first bit counts as an exponent, and so does its carry. */
    uint64_t before = below > 0 ? 0 : (uint64_t)(first - format->smallest);
    *bits = (before << (format->precision - 1)) + (dropped < 64 ? high >> dropped : 0) + (rest >= half);
    return true;
}

static bool round_number(const struct decimal *number, const struct format *format, uint64_t *bits)
{
    uint64_t above;
    return round_decimal(number->digits, number->exponent, format, bits) &&
           (number->exact || (round_decimal(number->digits + 1, number->exponent, format, &above) && above == *bits));
}

/* ---- the C library ---- */

/* Writes the number's text for strtod: integer digits and an exponent without a decimal point, so that the locale does
 * not matter. Digits beyond those that can matter are dropped, a nonzero rest is kept as a 1. */
static void normal_text(const char *text, const struct decimal *number, char out[LONGEST_NUMBER + 64])
{
    size_t used = 0;
    int64_t exponent = 0;
    bool fraction = false, rest = false;
    const char *at = text;
    for (; at < number->end && (*at | 0x20) != 'e'; at++) {
        if (!is_digit(*at)) {
            fraction = fraction || *at == '.';
        } else if (used < LONGEST_NUMBER) {
            if (used > 0 || *at != '0')
                out[used++] = *at;
            exponent -= fraction;
        } else {
            rest = rest || *at != '0';
            exponent += !fraction;
        }
    }
    int64_t written = 0;
    (void)scan_exponent(at, number->end, &written);
    exponent += written;
    if (rest) {
        out[used++] = '1';
        exponent--;
    }
    if (used == 0)
        out[used++] = '0';
    out[used++] = 'e';
    exponent = exponent < -99999 ? -99999 : exponent > 99999 ? 99999 : exponent;
    (void)print_double((double)exponent, out + used);
}

/* Rounds numbers for which there is no faster way. It is not inlined, as its text takes room on the stack. */
__attribute__((noinline)) static double round_double(const char *text, const struct decimal *number)
{
    uint64_t bits;
    double value;
    if (round_number(number, &double_format, &bits)) {
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    char normal[LONGEST_NUMBER + 64];
    normal_text(text, number, normal);
    return strtod(normal, NULL);
}

static float round_float(const char *text, const struct decimal *number)
{
    uint64_t bits;
    if (round_number(number, &float_format, &bits)) {
        uint32_t narrow_bits = (uint32_t)bits;
        float value;
        memcpy(&value, &narrow_bits, sizeof value);
        return value;
    }
    char normal[LONGEST_NUMBER + 64];
    normal_text(text, number, normal);
    return strtof(normal, NULL);
}

/* ---- numbers ---- */

/* Reads ddd.ddd, with few digits before the point and after it: most programs write their numbers so. The number is
 * value / 10^fraction. NULL for a number of another form. */
static inline const char *scan_short(const char *text, const char *end, int64_t *value, int *fraction)
{
    enum { MOST_WHOLE = 8, MOST_FRACTION = 10 }; /* together they fit 63 bits */
    static const int32_t tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    const char *at = text;
    int64_t digits = 0;
    uint32_t number;
    if (end - text <= MOST_WHOLE + 1 + MOST_FRACTION)
        return NULL;
    for (; at < text + MOST_WHOLE && is_digit(*at); at++)
        digits = 10 * digits + (*at - '0');
    if (at == text || *at != '.')
        return NULL;
    int count = leading_digits(get_eight(++at), &number);
    digits = digits * tens[count] + number;
    for (at += count; is_digit(*at); at++, count++) {
        if (count == MOST_FRACTION)
            return NULL;
        digits = 10 * digits + (*at - '0');
    }
    *value = digits;
    *fraction = count;
    return (*at | 0x20) != 'e' ? at : NULL;
}

/* Reads any double. It is not inlined, as parse_any_float is not. */
__attribute__((noinline)) static const char *parse_any_double(const char *text, const char *end, double *value)
{
    struct decimal number;
    if (!scan_decimal(text, end, &number))
        return NULL;
    /* This is Clinger's fast path: exact factors, one rounding. */
    double result = (double)number.digits;
    int64_t exponent = number.exponent;
    if (!number.exact || number.digits > (UINT64_C(1) << 53) || exponent < -EXACT_POWER || exponent > EXACT_POWER)
        result = round_double(text, &number);
    else if (exponent < 0)
        result /= powers[EXACT_POWER - exponent];
    else
        result *= powers[EXACT_POWER + exponent];
    *value = number.negative ? -result : result;
    return number.end;
}

const char *parse_double(const char *text, const char *end, double *value)
{
    bool negative = text < end && *text == '-';
    int64_t digits;
    int fraction;
    const char *after = scan_short(text + negative, end, &digits, &fraction);
    if (!after || digits > INT64_C(1) << 53)
        return parse_any_double(text, end, value);
    double result = (double)digits / powers[EXACT_POWER + fraction];
    *value = negative ? -result : result;
    return after;
}

/* Finds the float nearest to digits * 10^exponent, by a double that is off by less than two of its last places: one by
 * the power, half a one by the product. False if that may matter, as the middle between two floats is near. */
static inline bool small_float(uint64_t digits, int64_t exponent, float *value)
{
    if (digits > (UINT64_C(1) << 53) || exponent < -EXACT_POWER || exponent > EXACT_POWER)
        return false;
    double nearly = (double)(int64_t)digits * powers[EXACT_POWER + exponent]; /* 0, or as a float normal */
    uint64_t bits;
    memcpy(&bits, &nearly, sizeof bits);
    *value = (float)nearly;
    uint64_t middle = UINT64_C(1) << 28, dropped = bits & (2 * middle - 1);
    return dropped < middle - 2 || dropped > middle + 2;
}

/* Reads d.dddddde+dd: "%e" prints numbers so, and most programs write ASCII STL so. False for a number of another
 * form. */
static inline bool scan_common(const char *text, const char *end, float *value)
{
    if (end - text < COMMON_SIZE || text[8] != 'e' || (end - text > COMMON_SIZE && is_digit(text[COMMON_SIZE])))
        return false;
    /* Each byte becomes a digit's value, and 0 for the point. The sum sets the high bit of those above 9, or 0. */
    uint64_t digits = get_eight(text) ^ UINT64_C(0x3030303030302e30);
    uint64_t others = (digits | (digits + UINT64_C(0x7676767676767f76))) & UINT64_C(0x8080808080808080);
    uint32_t tens = (uint32_t)text[10] - '0', ones = (uint32_t)text[11] - '0';
    if (others != 0 || (text[9] != '-' && text[9] != '+') || tens > 9 || ones > 9)
        return false;
    uint64_t first = digits & 0xff;
    int32_t exponent = (int32_t)(10 * tens + ones);
    return small_float(join_digits((digits ^ first) | first << 8), (text[9] == '-' ? -exponent : exponent) - 6, value);
}

/* Reads any float. It is not inlined: the registers that it needs would be saved for the common numbers, too. */
__attribute__((noinline)) static const char *parse_any_float(const char *text, const char *end, float *value)
{
    struct decimal number;
    if (!scan_decimal(text, end, &number))
        return NULL;
    float result;
    if (!number.exact || !small_float(number.digits, number.exponent, &result))
        result = round_float(text, &number);
    *value = number.negative ? -result : result;
    return number.end;
}

const char *parse_float(const char *text, const char *end, float *value)
{
    bool negative = text < end && *text == '-';
    int64_t digits;
    int fraction;
    float result;
    const char *first = text + negative, *after = first + COMMON_SIZE;
    if (!scan_common(first, end, &result) &&
        (!(after = scan_short(first, end, &digits, &fraction)) || !small_float((uint64_t)digits, -fraction, &result)))
        return parse_any_float(text, end, value);
    *value = negative ? -result : result;
    return after;
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
    for (size_t i = 0; i < 3; i++) {
        const char *letter = words[i], *at = text;
        for (; *letter && at < end && (*at | 0x20) == *letter; at++)
            letter++;
        *value = i < 2 ? (negative ? -INFINITY : INFINITY) : NAN;
        if (!*letter)
            return at;
    }
    return NULL;
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
    return after == end && isfinite(*value);
}
