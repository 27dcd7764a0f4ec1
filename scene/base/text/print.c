/* Prints numbers: the shortest decimal that reads back to the same bits, of those the one nearest to the value.
 *
 * The search is R. Giulietti's ("The Schubfach way to render doubles", 2020): let 10^k be the largest power not above
 * the distance to the neighbours. Then one or two multiples of 10^k next to the value read back to it, and at most one
 * multiple of 10^(k+1), which is shorter. All comparisons are of integers: quarters of 10^k, rounded to odd, so that
 * they differ from every boundary on which they do not lie. By the continued fractions of 2^n / 10^k, a double's value
 * or boundary that is no multiple of 10^k / 2 is farther than 2^-62.6 quarters from all of them: 128 bits of the power
 * are enough. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "digits.h"
#include "powers.h"
#include "text.h"

/* A number other than 0, as its format has it: significand * 2^power. */
struct binary {
    uint64_t significand;
    int power;
    bool lower_is_nearer; /* the neighbour below is at half the distance */
};

struct decimal {
    uint64_t digits;
    int exponent;
};

/* ---- the shortest decimal ---- */

/* A value and its boundaries in quarters of 10^exponent, rounded to odd; a decimal on a boundary reads back to even
 * values. */
struct quarters {
    uint64_t lower, value, upper;
    int exponent;
};

/* Chooses the decimal without branches, as no processor could predict them. */
static inline struct decimal choose_decimal(const struct quarters *at, bool even)
{
    uint64_t lower = at->lower + !even, upper = at->upper - !even; /* inclusive */
    uint64_t digits = at->value / 4, tens = digits / 10, middle = 4 * digits + 2;
    bool tens_below = lower <= 40 * tens, tens_above = 40 * tens + 40 <= upper;
    bool below = lower <= 4 * digits, above = 4 * digits + 4 <= upper;
    bool nearer_above = (at->value > middle) | ((at->value == middle) & (digits % 2 != 0));
    uint64_t shorter = 10 * (tens + tens_above), longer = digits + (above & (!below | nearer_above));
    return (struct decimal){(tens_below | tens_above) ? shorter : longer, at->exponent};
}

/* Returns value * power / 2^128, rounded to odd. power is too large by at most 1, value is less than 2^60: so the
 * excess of an exact result is in the bits that are cut off. */
static uint64_t multiply_to_odd(uint128 power, uint64_t value)
{
    uint128 product =
        multiply_wide(value, (uint64_t)(power >> 64)) + (uint64_t)(multiply_wide(value, (uint64_t)power) >> 64);
    return (uint64_t)(product >> 64) | ((uint64_t)product != 0);
}

static struct decimal shorten_double(const struct binary *binary)
{
    int exponent = binary->lower_is_nearer ? floor_log10_of_three_quarters(binary->power)
                                           : floor_log10_of_power_of_2(binary->power);
    struct power_of_ten first = power_of_ten(-exponent);
    uint128 power = ((uint128)first.high << 64 | first.low) + 1;
    int shift = binary->power + floor_log2_of_power(-exponent) + 1; /* 0 .. 4 */
    uint64_t value = 4 * binary->significand;
    struct quarters at = {multiply_to_odd(power, (value - 2 + binary->lower_is_nearer) << shift),
                          multiply_to_odd(power, value << shift), multiply_to_odd(power, (value + 2) << shift),
                          exponent};
    return choose_decimal(&at, binary->significand % 2 == 0);
}

/* Shortens a float whose neighbours are equally far, as shorten_double would: in fixed point with 36 bits behind the
 * point, in units of 10^exponent. Value and half are right to less than 1 in the last place. Boundaries of floats that
 * are no multiples of 10^exponent are farther from them than 2^-31.1, 30 places, middles 2^-32.8, 9 places: TIE
 * separates all of them. */
static inline struct decimal shorten_float(const struct binary *binary)
{
    enum { TIE = 4 };
    const uint64_t one = UINT64_C(1) << 36;
    int exponent = floor_log10_of_power_of_2(binary->power);
    uint64_t power = power_of_ten(-exponent).high + 1;
    int shift = binary->power + floor_log2_of_power(-exponent) + 1; /* 1 .. 4 */
    uint64_t value = (uint64_t)(multiply_wide(power, binary->significand << (36 + shift)) >> 64);
    uint64_t half = (power >> (29 - shift)) + TIE - (binary->significand % 2 * 2 * TIE); /* to either boundary */
    uint64_t digits = value / one, tens = digits / 10, rest = value - tens * (10 * one), last = value % one;
    bool below = rest < half, above = 10 * one - rest < half;
    uint64_t nearest = digits + ((last > one / 2) | ((last == one / 2) & digits));
    bool shorter = below | above;
    return (struct decimal){shorter ? tens + above : nearest, exponent + shorter};
}

/* Splits an IEEE 754 number without its sign, whose significand has so many bits below the first. */
static struct binary split(uint64_t bits, int stored, int smallest)
{
    uint64_t significand = bits & ((UINT64_C(1) << stored) - 1);
    int exponent = (int)(bits >> stored);
    if (exponent == 0)
        return (struct binary){significand, smallest, false};
    return (struct binary){significand | UINT64_C(1) << stored, smallest + exponent - 1,
                           significand == 0 && exponent > 1};
}

/* ---- text ---- */

/* Up to 17 digits: one, eight and eight, the earlier ones in the lower bytes. */
struct digits {
    unsigned first;
    uint64_t next, last; /* digits 0 .. 9, not yet characters */
    int count;           /* without zeros at the end */
    int exponent;        /* of the first digit */
};

static int significant_bytes(uint64_t word)
{
    return word == 0 ? 0 : 8 - __builtin_clzll(word) / 8;
}

static const uint64_t small_powers[] = {1,
                                        10,
                                        100,
                                        1000,
                                        10000,
                                        100000,
                                        1000000,
                                        10000000,
                                        100000000,
                                        1000000000,
                                        10000000000,
                                        100000000000,
                                        1000000000000,
                                        10000000000000,
                                        100000000000000,
                                        1000000000000000,
                                        10000000000000000,
                                        100000000000000000};

static struct digits digits_of(struct decimal decimal)
{
    int count = floor_log10_of_power_of_2(64 - __builtin_clzll(decimal.digits)); /* too small by one, or right */
    count += decimal.digits >= small_powers[count];
    uint64_t whole = decimal.digits * small_powers[17 - count], rest = whole % UINT64_C(10000000000000000);
    struct digits digits = {.first = (unsigned)(whole / UINT64_C(10000000000000000)),
                            .next = spread_digits((uint32_t)(rest / 100000000)),
                            .last = spread_digits((uint32_t)(rest % 100000000)),
                            .exponent = decimal.exponent + count - 1};
    digits.count = digits.last ? 9 + significant_bytes(digits.last) : 1 + significant_bytes(digits.next);
    return digits;
}

/* Writes all digits, and zeros behind them. Returns the end of the last that counts. */
static char *put_first(const struct digits *digits, char *out)
{
    *out = (char)('0' + digits->first);
    put_eight(out + 1, digits->next);
    put_eight(out + 9, digits->last);
    return out + digits->count;
}

/* Writes d.ddde-xx, the exponent without padding. */
static char *put_scientific(const struct digits *digits, char *out)
{
    char *end = put_first(digits, out + 1);
    out[0] = out[1];
    out[1] = '.';
    end = digits->count > 1 ? end : out + 1;
    *end++ = 'e';
    int exponent = digits->exponent;
    if (exponent < 0)
        *end++ = '-';
    return put_whole(end, (uint32_t)(exponent < 0 ? -exponent : exponent));
}

/* Writes plain notation for exponents -5 .. 16. No store reaches beyond out[27]: the longest is of 16 digits behind 0
 * .. 7 and a point. */
static char *put_plain(const struct digits *digits, char *out)
{
    int point = digits->exponent;
    if (point < 0) {
        put_eight(out, 0);
        out[1] = '.';
        return put_first(digits, out + 1 - point);
    }
    char *end = put_first(digits, out);
    if (digits->count <= point + 1)
        return out + point + 1;
    uint128 rest = ((uint128)digits->last << 64 | digits->next) >> 8 * point;
    out[point + 1] = '.';
    put_eight(out + point + 2, (uint64_t)rest);
    if (point < 8)
        put_eight(out + point + 10, (uint64_t)(rest >> 64));
    return end + 1;
}

static size_t put_digits(const struct digits *digits, bool negative, char out[NUMBER_SIZE])
{
    *out = '-';
    char *first = out + negative;
    char *end =
        digits->exponent >= -5 && digits->exponent <= 16 ? put_plain(digits, first) : put_scientific(digits, first);
    *end = '\0';
    return (size_t)(end - out);
}

/* Writes plain notation of no more than 8 digits and 6 zeros, so that a register has them all: most floats. Returns 0
 * for other numbers. */
static inline size_t put_short(struct decimal decimal, bool negative, char out[NUMBER_SIZE])
{
    if (decimal.digits >= 100000000)
        return 0;
    uint64_t digits = spread_digits((uint32_t)decimal.digits);
    int zeros = __builtin_ctzll(digits) / 8, point = decimal.exponent + 7 - zeros; /* the first digit's exponent */
    if (point < -5 || point > 6)
        return 0;
    digits >>= 8 * zeros;
    int count = significant_bytes(digits);
    *out = '-';
    char *at = out + negative;
    if (point < 0) {
        put_eight(at, 0);
        at[1] = '.';
        put_eight(at + 1 - point, digits);
        at += 1 - point + count;
    } else {
        put_eight(at, digits);
        at[point + 1] = '.';
        put_eight(at + point + 2, digits >> 8 * (point + 1));
        at += count > point + 1 ? count + 1 : point + 1;
    }
    *at = '\0';
    return (size_t)(at - out);
}

/* Writes 0, infinities and NaN. */
static size_t put_word(double value, char out[NUMBER_SIZE])
{
    const char *word = isnan(value) ? "nan" : value == 0 ? (signbit(value) ? "-0" : "0") : value > 0 ? "inf" : "-inf";
    size_t length = strlen(word);
    memcpy(out, word, length + 1);
    return length;
}

/* ---- numbers ---- */

/* Returns the shortest decimal of a finite value other than 0. */
static struct decimal shortest(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    struct binary binary = split(bits & (UINT64_MAX >> 1), 52, -1074);
    return shorten_double(&binary);
}

size_t print_double(double value, char out[NUMBER_SIZE])
{
    if (!isfinite(value) || value == 0)
        return put_word(value, out);
    struct digits digits = digits_of(shortest(value));
    return put_digits(&digits, signbit(value), out);
}

size_t print_bound(double value, char out[NUMBER_SIZE])
{
    const uint64_t most = 10000; /* four digits, or this itself */
    if (!isfinite(value) || value == 0)
        return put_word(value, out);
    struct decimal decimal = shortest(value);
    uint64_t unit = 1;
    for (; decimal.digits > most * unit; decimal.exponent++)
        unit *= 10;
    decimal.digits = decimal.digits / unit + (decimal.digits % unit > 0);
    struct digits digits = digits_of(decimal);
    return put_digits(&digits, signbit(value), out);
}

size_t print_float(float value, char out[NUMBER_SIZE])
{
    if (!isfinite(value) || value == 0)
        return put_word((double)value, out);
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    struct binary binary = split(bits & (UINT32_MAX >> 1), 23, -149);
    struct decimal decimal = binary.lower_is_nearer ? shorten_double(&binary) : shorten_float(&binary);
    size_t length = put_short(decimal, bits >> 31, out);
    if (length > 0)
        return length;
    struct digits digits = digits_of(decimal);
    return put_digits(&digits, bits >> 31, out);
}

size_t cp_print_double(double value, char out[CP_NUMBER_SIZE])
{
    return print_double(value, out);
}

/* The locale's decimal point, perhaps of several bytes, becomes one '.'. */
struct shown_number show_number(double value)
{
    struct shown_number shown;
    char *out = shown.text;
    (void)snprintf(shown.text, sizeof shown.text, "%.9g", value);
    for (const char *in = shown.text; *in; in++) {
        bool plain = (*in >= '0' && *in <= '9') || (*in >= 'a' && *in <= 'z') || *in == '-' || *in == '+';
        if (plain || out == shown.text || out[-1] != '.')
            *out++ = plain ? *in : '.';
    }
    *out = '\0';
    return shown;
}

struct shown_number show_three_digits(double value)
{
    double step = value != 0 && isfinite(value) ? pow(10, floor(log10(fabs(value))) - 2) : 1;
    return show_number(round(value / step) * step);
}
