/* Every number is read to the last bit as the C library reads it: 10^8 random and 10^6 nasty texts under --long. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/text/text.h"
#include "number_proof.h"

enum { TEXT_SIZE = 1200, BEHIND_SIZE = 24 };

/* A digit behind the end must not be seen, and a text may go on behind a number. */
static void check_text(struct block *block, char text[TEXT_SIZE])
{
    char *end = text + strlen(text);
    double mine = 0, theirs = plain_strtod(text, NULL);
    float mine_short = 0, theirs_short = plain_strtof(text, NULL);
    *end = '7';
    for (const char *behind = end; behind <= end + BEHIND_SIZE; behind += BEHIND_SIZE) {
        bool whole = parse_double(text, behind, &mine) == end && parse_float(text, behind, &mine_short) == end;
        (void)memset(end, ' ', BEHIND_SIZE);
        *end = '\0';
        if (!whole || memcmp(&mine, &theirs, sizeof mine) != 0 ||
            memcmp(&mine_short, &theirs_short, sizeof mine_short) != 0)
            (void)snprintf(block->failure, FAILURE_SIZE, "\"%s\" reads as %a and %a, not %a and %a", text, mine,
                           (double)mine_short, theirs, (double)theirs_short);
        *end = ' ';
    }
    *end = '\0';
}

/* ---- random texts ---- */

static char *put_sign(struct block *block, char *at)
{
    unsigned which = draw_below(block, 4);
    if (which < 2)
        *at++ = which ? '-' : '+';
    return at;
}

static char *put_integer(char *at, unsigned value)
{
    char reversed[12];
    int length = 0;
    do
        reversed[length++] = (char)('0' + value % 10);
    while (value /= 10);
    while (length > 0)
        *at++ = reversed[--length];
    return at;
}

static char *put_exponent(struct block *block, char *at)
{
    *at++ = draw_below(block, 2) ? 'e' : 'E';
    at = put_sign(block, at);
    if (draw_below(block, 4) == 0)
        *at++ = '0';
    return put_integer(at, draw_below(block, draw_below(block, 2) ? 55 : 360));
}

/* As printf's %e: d.dddddde+xx. */
static void make_usual_text(struct block *block, char *at)
{
    uint64_t random = draw(block);
    if (random & 1)
        *at++ = '-';
    *at++ = (char)('1' + (random >> 1 & 0xffff) % 9);
    *at++ = '.';
    unsigned fraction = (unsigned)(random >> 32) % 1000000;
    for (unsigned unit = 100000; unit > 0; unit /= 10)
        *at++ = (char)('0' + fraction / unit % 10);
    unsigned exponent = (unsigned)(random >> 17 & 0x7fff) % 50;
    *at++ = 'e';
    *at++ = random & 2 ? '-' : '+';
    *at++ = (char)('0' + exponent / 10);
    *at++ = (char)('0' + exponent % 10);
    *at = '\0';
}

/* 1 to 25 digits, a point anywhere, an exponent or none. */
static void make_free_text(struct block *block, char *at)
{
    at = put_sign(block, at);
    unsigned count = 1 + draw_below(block, 25), point = draw_below(block, 2 * count);
    uint64_t random = 0;
    for (unsigned i = 0; i < count; i++) {
        if (i == point)
            *at++ = '.';
        if (i % 16 == 0)
            random = draw(block);
        *at++ = (char)('0' + (random & 15) % 10);
        random >>= 4;
    }
    if (draw_below(block, 4) > 0)
        at = put_exponent(block, at);
    *at = '\0';
}

static void check_random(struct block *block)
{
    char text[TEXT_SIZE];
    if (block->index % 4 == 0)
        make_usual_text(block, text);
    else
        make_free_text(block, text);
    check_text(block, text);
}

static void test_random_texts(void **unused)
{
    (void)unused;
    prove(check_random, usual_or_long(300000, 100000000));
}

/* ---- nearly as %e ---- */

/* One character of a usual number is another, or one is missing or too many. */
static void check_damaged(struct block *block)
{
    static const char others[] = "0123456789.eE+-,:;/dn \x80";
    char text[TEXT_SIZE];
    make_usual_text(block, text);
    size_t size = strlen(text), at = draw_below(block, (unsigned)size + 1);
    unsigned kind = draw_below(block, 4);
    if (kind == 0)
        memmove(text + at, text + at + 1, size - at + (at < size));
    if (kind == 1)
        memmove(text + at + 1, text + at, size + 1 - at);
    if (kind > 0 && at < size)
        text[at] = others[draw_below(block, sizeof others - 1)];
    char *theirs_end = text;
    float mine = 0, theirs = plain_strtof(text, &theirs_end);
    const char *end = parse_float(text, text + strlen(text), &mine);
    if (text[0] == ' ')
        theirs_end = text; /* strtof steps over blanks */
    if ((end ? end : text) != theirs_end || (end && memcmp(&mine, &theirs, sizeof mine) != 0))
        (void)snprintf(block->failure, FAILURE_SIZE, "\"%s\" reads as %a, not %a, up to %td, not %td", text,
                       (double)mine, (double)theirs, end ? end - text : 0, theirs_end - text);
}

static void test_damaged_texts(void **unused)
{
    (void)unused;
    prove(check_damaged, usual_or_long(300000, 10000000));
}

/* ---- around the middle between two neighbours ---- */

/* 0.DIGITS * 10^exponent */
struct decimal {
    char digits[TEXT_SIZE];
    int count, exponent;
};

/* All digits of value, which has at most 800. */
static struct decimal find_digits(long double value)
{
    struct decimal decimal = {.count = 0};
    char text[TEXT_SIZE];
    IN_PLAIN_LOCALE((void)snprintf(text, sizeof text, "%.800Le", value));
    for (const char *at = text; *at != 'e'; at++)
        if (*at != '.')
            decimal.digits[decimal.count++] = *at;
    decimal.exponent = atoi(strchr(text, 'e') + 1) + 1;
    while (decimal.count > 1 && decimal.digits[decimal.count - 1] == '0')
        decimal.count--;
    return decimal;
}

/* The decimal with a point among, before or behind its digits, and zeros around. */
static void write_decimal(struct block *block, const struct decimal *decimal, char *at)
{
    at = put_sign(block, at);
    int before = (int)draw_below(block, 2) ? (int)draw_below(block, (unsigned)decimal->count + 10) : 1;
    for (unsigned zeros = draw_below(block, 4) ? 0 : draw_below(block, 30); zeros > 0; zeros--)
        *at++ = '0';
    for (int i = 0; i < decimal->count || i < before; i++) {
        if (i == before)
            *at++ = '.';
        *at++ = i < decimal->count ? decimal->digits[i] : '0';
    }
    (void)sprintf(at, "e%d", decimal->exponent - before);
}

/* A hair's breadth beside what the digits say: a 1 behind zeros, or cut, or cut and one up. */
static void disturb(struct block *block, struct decimal *decimal)
{
    unsigned how = draw_below(block, 4);
    if (how == 0) {
        int length = decimal->count + (int)draw_below(block, 120);
        memset(decimal->digits + decimal->count, '0', (size_t)(length - decimal->count));
        decimal->digits[length] = '1';
        decimal->count = length + 1;
    } else if (how < 3) {
        int length = 8 + (int)draw_below(block, draw_below(block, 2) ? 14 : 113);
        if (length > decimal->count)
            return;
        decimal->count = length;
        if (how == 2 && decimal->digits[length - 1] < '9')
            decimal->digits[length - 1]++;
    }
}

/* Bits of a positive number, now and then at a border; stored: of its significand. */
static uint64_t draw_bits(struct block *block, int stored, int bits)
{
    static const int steps[] = {-2, -1, 0, 1, 2};
    uint64_t infinity = ((UINT64_C(1) << (bits - 1 - stored)) - 1) << stored;
    uint64_t borders[] = {2, UINT64_C(1) << stored, infinity - 3, draw(block) % infinity >> stored << stored};
    if (draw_below(block, 8) == 0)
        return (borders[draw_below(block, 4)] + (uint64_t)steps[draw_below(block, 5)]) % infinity;
    uint64_t value = draw(block) % infinity;
    return draw_below(block, 8) ? value : value & ((UINT64_C(1) << stored) - 1); /* or a subnormal number */
}

/* The middle above a number; above the largest, where infinity begins. A long double holds it. */
static long double find_middle(uint64_t bits, int stored, int smallest)
{
    uint64_t significand = bits & ((UINT64_C(1) << stored) - 1);
    int exponent = (int)(bits >> stored);
    if (exponent > 0)
        significand |= UINT64_C(1) << stored;
    return ldexpl((long double)(2 * significand + 1), smallest + (exponent > 0 ? exponent - 1 : 0) - 1);
}

static void check_middle(struct block *block)
{
    char text[TEXT_SIZE];
    bool narrow = block->index % 4 != 0;
    long double middle =
        narrow ? find_middle(draw_bits(block, 23, 32), 23, -149) : find_middle(draw_bits(block, 52, 64), 52, -1074);
    struct decimal decimal = find_digits(middle);
    if (block->index % 8 > 1)
        disturb(block, &decimal);
    write_decimal(block, &decimal, text);
    check_text(block, text);
}

static void test_middles(void **unused)
{
    (void)unused;
    prove(check_middle, usual_or_long(20000, 700000));
}

/* ---- borders of the method ---- */

/* Digits near 10^18, 10^19, 2^64, 2^53 and 2^24, as if cut there, with any exponent. */
static void make_border_text(struct block *block, char *text)
{
    static const uint64_t borders[] = {UINT64_C(1000000000000000000), UINT64_C(10000000000000000000),
                                       UINT64_C(18446744073709551611), UINT64_C(9007199254740992), UINT64_C(16777216)};
    uint64_t digits = borders[draw_below(block, 5)] + draw_below(block, 7) - 3;
    unsigned tail = draw_below(block, 3) ? draw_below(block, 1000) : 0;
    int exponent = (int)draw_below(block, 760) - 400;
    const char *const forms[] = {"%llue%d", "%llu%ue%d", "%llu.%ue%d", "0.%llu%ue%d"};
    unsigned form = draw_below(block, 4);
    if (form == 0)
        (void)sprintf(text, forms[0], (unsigned long long)digits, exponent);
    else
        (void)sprintf(text, forms[form], (unsigned long long)digits, tail, exponent);
}

/* Many zeros before or behind the digits, with an exponent that makes good for them or not; exponents beyond any
 * range. */
static void make_zeros_text(struct block *block, char *text)
{
    int zeros = (int)draw_below(block, 500), wrong = draw_below(block, 4) ? 0 : (int)draw_below(block, 800) - 400;
    unsigned long long digits = draw(block) >> draw_below(block, 64);
    unsigned kind = draw_below(block, 3);
    if (kind == 0)
        (void)sprintf(text, "0.%0*d%llue%d", zeros + 1, 0, digits, zeros + 1 + wrong);
    else if (kind == 1)
        (void)sprintf(text, "%llu%0*de%d", digits, zeros + 1, 0, -zeros - 1 + wrong);
    else
        (void)sprintf(text, "%llue%s%llu", digits >> 1, draw_below(block, 2) ? "-" : "",
                      (unsigned long long)draw(block) >> draw_below(block, 64));
}

static void check_border(struct block *block)
{
    char text[TEXT_SIZE];
    if (block->index % 2 == 0)
        make_border_text(block, text);
    else
        make_zeros_text(block, text);
    check_text(block, text);
}

static void test_borders(void **unused)
{
    (void)unused;
    prove(check_border, usual_or_long(20000, 400000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_texts),
        cmocka_unit_test(test_damaged_texts),
        cmocka_unit_test(test_middles),
        cmocka_unit_test(test_borders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
