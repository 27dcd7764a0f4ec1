/* Numbers and words: nasty texts against the C library's own reading, printed forms, UTF-8. The proofs on very many
 * numbers are test_number_reading.c and test_number_printing.c. */
#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text/digits.h"
#include "base/text/text.h"
#include "plain_numbers.h"

static void expect_reads_like_library(const char *text)
{
    double mine = 0, theirs = plain_strtod(text, NULL);
    float mine_short = 0, theirs_short = plain_strtof(text, NULL);
    const char *end = text + strlen(text);
    assert_ptr_equal(parse_double(text, end, &mine), end);
    assert_ptr_equal(parse_float(text, end, &mine_short), end);
    if (memcmp(&mine, &theirs, sizeof mine) != 0 || memcmp(&mine_short, &theirs_short, sizeof mine_short) != 0)
        fail_msg("\"%s\" reads as %a and %a, not %a and %a", text, mine, (double)mine_short, theirs,
                 (double)theirs_short);
}

static void test_nasty_texts(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "0",
        "-0",
        "+1",
        ".5",
        "5.",
        "1e0",
        "1E+5",
        "1.17e-001",
        "00000000000000000000000000000001",
        "0.1",
        "1e23",
        "9007199254740993",
        "9007199254740993.0000000000000000000000000000000000001",
        "1e400",
        "-1e400",
        "1e-400",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.2250738585072011e-308",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "3.4028235677973366e38",
        "3.4028235677973365e38",
        "1.401298464324817e-45",
        "7.006492321624085e-46",
        "7.006492321624086e-46",
        "16777217",
        "16777219",
        "0.000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000123e100",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "123456789012345678901234567890123456789012345e-30",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect_reads_like_library(texts[i]);
}

static void test_long_texts(void **unused)
{
    (void)unused;
    static char text[4000];
    /* 2^-1074 / 2 exactly has 751 digits; a 1 behind thousands of zeros decides. */
    (void)memset(text, '0', sizeof text);
    (void)memcpy(text, "9007199254740993.", 17);
    text[3990] = '1';
    text[3991] = '\0';
    expect_reads_like_library(text);
    text[3990] = '0';
    expect_reads_like_library(text);
}

static void test_what_is_no_number(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"", ".", "-", "+", "e5", "-.", ".e1", "inf", "nan", "x", " 1"};
    double value;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_null(parse_double(texts[i], texts[i] + strlen(texts[i]), &value));
    const char *partial = "1e+";
    assert_ptr_equal(parse_double(partial, partial + 3, &value), partial + 1);
    const char *hex = "0x10";
    assert_ptr_equal(parse_double(hex, hex + 4, &value), hex + 1);
    /* The end of the text counts, not the NUL. */
    const char *long_number = "123";
    assert_ptr_equal(parse_double(long_number, long_number + 2, &value), long_number + 2);
    assert_true(value == 12);
}

static void test_printed_forms(void **unused)
{
    (void)unused;
    static const struct {
        double value;
        const char *text;
    } forms[] = {{0.1, "0.1"},   {-0.0, "-0"},         {1, "1"},       {100, "100"},       {1e16, "10000000000000000"},
                 {1e17, "1e17"}, {1e-5, "0.00001"},    {1e-6, "1e-6"}, {5e-324, "5e-324"}, {0.117, "0.117"},
                 {-2.5, "-2.5"}, {1.5e300, "1.5e300"}, {NAN, "nan"},   {-INFINITY, "-inf"}};
    char text[NUMBER_SIZE];
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        print_double(forms[i].value, text);
        assert_string_equal(text, forms[i].text);
    }
    print_float(0.117f, text);
    assert_string_equal(text, "0.117");
    print_float(FLT_MAX, text);
    assert_string_equal(text, "3.4028235e38");
}

static void expect_whole(uint32_t value)
{
    char text[NUMBER_SIZE], expected[NUMBER_SIZE];
    (void)snprintf(expected, sizeof expected, "%lu", (unsigned long)value);
    *put_whole(text, value) = '\0';
    assert_string_equal(text, expected);
}

static void test_whole_numbers(void **unused)
{
    (void)unused;
    for (uint64_t power = 1; power <= UINT32_MAX; power *= 10)
        for (uint64_t value = power - 1; value <= power * 10 && value <= UINT32_MAX; value += power / 7 + 1)
            expect_whole((uint32_t)value);
    expect_whole(UINT32_MAX);
}

static void test_utf8(void **unused)
{
    (void)unused;
    static const struct {
        const char *bytes;
        bool valid;
    } cases[] = {{"abc", true},
                 {"\xc3\xa9", true},
                 {"\xe9", false},
                 {"\xc0\x80", false},
                 {"\xed\xa0\x80", false},
                 {"\xf4\x90\x80\x80", false},
                 {"\xf0\x9f\x98\x80", true},
                 {"\xe2\x82", false},
                 {"\xf5\x80\x80\x80", false},
                 {"\x80", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(utf8_valid(cases[i].bytes, strlen(cases[i].bytes)), cases[i].valid);
    cp_context *context = cp_context_new(NULL);
    struct arena *arena = arena_new(context);
    const char *raw;
    assert_string_equal(utf8_from(arena, "caf\xe9", 4, &raw), "caf\xc3\xa9");
    assert_string_equal(raw, "caf\xe9");
    assert_string_equal(utf8_from(arena, "a\0b", 3, NULL), "a\xef\xbf\xbd"
                                                           "b");
    arena_free(arena);
    cp_context_free(context);
}

static void test_nearest_word(void **unused)
{
    (void)unused;
    static const char *const words[] = {"unit", "up", "strict", "partial", NULL};
    assert_string_equal(nearest_word("unti", words), "unit");
    assert_string_equal(nearest_word("Strict", words), "strict");
    assert_string_equal(nearest_word("par", words), "partial");
    assert_string_equal(nearest_word("STR", words), "strict");
    assert_null(nearest_word("s", words));
    static const char *const moves[] = {"MOVE", "PTP", "IMOV", "LMOV", "CMOV", NULL};
    assert_string_equal(nearest_word("LMOVE", moves), "LMOV"); /* one letter off both, and begins like this one */
    assert_string_equal(nearest_word("cmove", moves), "CMOV");
    assert_string_equal(nearest_word("IMOVE", moves), "IMOV");
    assert_string_equal(nearest_word("MOVL", moves), "MOVE");
    assert_string_equal(nearest_word("MOV", moves), "MOVE");
    assert_null(nearest_word("completely", words));
    assert_null(nearest_word("", words));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nasty_texts),       cmocka_unit_test(test_long_texts),
        cmocka_unit_test(test_what_is_no_number), cmocka_unit_test(test_printed_forms),
        cmocka_unit_test(test_whole_numbers),     cmocka_unit_test(test_utf8),
        cmocka_unit_test(test_nearest_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
