/* Every number is printed as the shortest text that reads back to it, of those the nearest: against the digits of the C
 * library's printf, on 10^8 floats from end to end under --long. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/text/text.h"
#include "number_proof.h"

/* d.ddd * 10^exponent */
struct digits {
    char text[20];
    int count, exponent;
};

/* A value and how the C library reads its like. */
struct wanted {
    double value;
    bool is_float;
};

static bool reads_back(const struct digits *digits, const struct wanted *wanted)
{
    char text[40];
    (void)snprintf(text, sizeof text, "%.*se%d", digits->count, digits->text, digits->exponent - digits->count + 1);
    return wanted->is_float ? plain_strtof(text, NULL) == (float)wanted->value
                            : plain_strtod(text, NULL) == wanted->value;
}

/* The decimal of so many digits that is the nearest to value > 0. */
static struct digits find_nearest(double value, int count)
{
    struct digits digits = {.count = 0};
    char text[64];
    IN_PLAIN_LOCALE((void)snprintf(text, sizeof text, "%.*e", count - 1, value));
    for (const char *at = text; *at != 'e'; at++)
        if (*at != '.')
            digits.text[digits.count++] = *at;
    digits.exponent = atoi(strchr(text, 'e') + 1);
    return digits;
}

/* Its neighbour above (step 1) or below (step -1). */
static struct digits find_neighbour(struct digits digits, int step)
{
    char full = step > 0 ? '9' : '0', empty = step > 0 ? '0' : '9';
    int at = digits.count - 1;
    for (; at >= 0 && digits.text[at] == full; at--)
        digits.text[at] = empty;
    if (at >= 0)
        digits.text[at] = (char)(digits.text[at] + step);
    if (at < 0 || digits.text[0] == '0') {
        digits.exponent += step;
        digits.text[0] = step > 0 ? '1' : '9';
    }
    return digits;
}

/* The nearest decimal of so many digits that reads back, if any does: beside a power of two it need not be the nearest
 * of all. */
static bool find_digits(const struct wanted *wanted, int count, struct digits *found)
{
    struct digits nearest = find_nearest(fabs(wanted->value), count);
    struct wanted positive = {fabs(wanted->value), wanted->is_float};
    for (int step = 0; step <= 2; step++) {
        *found = step == 0 ? nearest : find_neighbour(nearest, step == 1 ? 1 : -1);
        if (reads_back(found, &positive))
            return true;
    }
    return false;
}

/* Plain notation for exponents -5 .. 16. */
static void format(const struct digits *digits, bool negative, char *at)
{
    bool plain = digits->exponent >= -5 && digits->exponent <= 16;
    int before = plain ? digits->exponent + 1 : 1; /* digits before the point */
    if (negative)
        *at++ = '-';
    if (before <= 0)
        at += sprintf(at, "0.");
    for (int i = before; i < 0; i++)
        *at++ = '0';
    for (int i = 0; i < digits->count || i < before; i++) {
        if (i == before && i > 0)
            *at++ = '.';
        *at++ = i < digits->count ? digits->text[i] : '0';
    }
    *at = '\0';
    if (!plain)
        (void)sprintf(at, "e%d", digits->exponent);
}

static int count_digits(const char *text)
{
    int seen = 0, significant = 0;
    for (; *text && *text != 'e'; text++)
        if (*text >= '0' && *text <= '9' && (seen > 0 || *text != '0')) {
            seen++;
            significant = *text == '0' ? significant : seen;
        }
    return significant;
}

static void check_value(struct block *block, struct wanted wanted)
{
    if (!isfinite(wanted.value) || wanted.value == 0)
        return;
    char text[NUMBER_SIZE], expected[64] = "";
    size_t length = wanted.is_float ? print_float((float)wanted.value, text) : print_double(wanted.value, text);
    struct digits digits, shorter;
    int count = count_digits(text);
    bool found = count > 0 && count < 18 && find_digits(&wanted, count, &digits);
    if (found)
        format(&digits, wanted.value < 0, expected);
    if (!found || (wanted.is_float && length > LONGEST_FLOAT) || length != strlen(text) || strcmp(text, expected) != 0)
        (void)snprintf(block->failure, FAILURE_SIZE, "%a is printed as %s, not %s", wanted.value, text, expected);
    else if (count > 1 && find_digits(&wanted, count - 1, &shorter))
        (void)snprintf(block->failure, FAILURE_SIZE, "%a is printed as %s, but fewer digits do", wanted.value, text);
}

static void check_float_bits(struct block *block, uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    check_value(block, (struct wanted){(double)value, true});
}

static void check_double_bits(struct block *block, uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    check_value(block, (struct wanted){value, false});
}

/* All powers of two with their neighbours, and the ends of the range. */
static void test_float_borders(void **unused)
{
    (void)unused;
    char failure[FAILURE_SIZE] = "";
    struct block block = {.failure = failure};
    for (uint32_t exponent = 0; exponent <= 255; exponent++)
        for (uint32_t i = 0; i < 64; i++)
            check_float_bits(&block, (exponent << 23) + i - 32);
    assert_string_equal(failure, "");
}

static void test_double_borders(void **unused)
{
    (void)unused;
    char failure[FAILURE_SIZE] = "";
    struct block block = {.failure = failure};
    for (uint64_t exponent = 0; exponent <= 2047; exponent++)
        for (uint64_t i = 0; i < 16; i++)
            check_double_bits(&block, (exponent << 52) + i - 8);
    assert_string_equal(failure, "");
}

/* Even steps through all floats of both signs. */
static uint64_t float_count(void)
{
    return usual_or_long(200000, 100000000);
}

static void check_swept_float(struct block *block)
{
    check_float_bits(block, (uint32_t)(block->index * (UINT64_C(0x100000000) / float_count())));
}

static void test_sweep_of_floats(void **unused)
{
    (void)unused;
    prove(check_swept_float, float_count());
}

/* Any bits, and numbers as people write them: integers, fractions of ten, sixteenths. */
static void check_any_double(struct block *block)
{
    static const double units[] = {1, 10, 100, 1000, 16, 1e6, 1e15, 1e-5};
    uint64_t bits = draw(block);
    if (block->index % 4)
        check_double_bits(block, bits);
    else
        check_value(block, (struct wanted){(double)(bits >> 11 >> draw_below(block, 53)) / units[bits & 7], false});
}

static void test_any_doubles(void **unused)
{
    (void)unused;
    prove(check_any_double, usual_or_long(200000, 20000000));
}

static void check_any_float(struct block *block)
{
    static const float units[] = {1, 10, 100, 1000, 16, 1e6f, 1e10f, 1e-5f};
    uint64_t bits = draw(block);
    float value = (float)(bits >> 40 >> draw_below(block, 24)) / units[bits & 7];
    check_value(block, (struct wanted){(double)value, true});
}

static void test_usual_floats(void **unused)
{
    (void)unused;
    prove(check_any_float, usual_or_long(100000, 10000000));
}

static void expect_bound(double value, const char *expected)
{
    char text[NUMBER_SIZE];
    assert_int_equal(print_bound(value, text), strlen(expected));
    assert_string_equal(text, expected);
}

static void test_bounds_by_hand(void **unused)
{
    (void)unused;
    expect_bound(645.167638591213, "645.2");
    expect_bound(645.1, "645.1");
    expect_bound(645.2000000000002, "645.3");
    expect_bound(9999.5, "10000");
    expect_bound(10000, "10000");
    expect_bound(10000.5, "10010");
    expect_bound(123456, "123500");
    expect_bound(0.000123401, "0.0001235");
    expect_bound(0.05, "0.05");
    expect_bound(1, "1");
    expect_bound(-1.00001, "-1.001");
    expect_bound(0, "0");
    expect_bound(INFINITY, "inf");
    expect_bound(5e-324, "5e-324");
    expect_bound(DBL_MAX, "1.798e308");
}

/* Read by the C library: no less than the value, by one in the fourth digit at most, in few digits. */
static void test_bounds_hold(void **unused)
{
    (void)unused;
    uint64_t state = 11;
    for (int i = 0; i < 200000; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        double value = ldexp(1 + (double)(state >> 12) / 4503599627370496.0, (int)(state >> 3 & 127) - 64);
        char text[NUMBER_SIZE];
        int digits = 0;
        (void)print_bound(value, text);
        double bound = plain_strtod(text, NULL);
        assert_true(bound >= value && bound < value * 1.0011);
        for (const char *at = text + strspn(text, "0."); *at && *at != 'e'; at++)
            digits += *at >= '1' && *at <= '9';
        assert_true(digits >= 1 && digits <= 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_float_borders), cmocka_unit_test(test_double_borders),
        cmocka_unit_test(test_usual_floats),  cmocka_unit_test(test_sweep_of_floats),
        cmocka_unit_test(test_any_doubles),   cmocka_unit_test(test_bounds_by_hand),
        cmocka_unit_test(test_bounds_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
