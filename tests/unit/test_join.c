/* Equal rows and positions against sorting them, for any number of threads; rows that are meant to collide in common
 * hashes. */
#include "mesh/join.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROWS = 200000, WORDS = 3 };

struct row {
    uint32_t words[WORDS];
    uint32_t index;
};

static int compare_rows(const void *a, const void *b)
{
    int order = memcmp(a, b, sizeof((struct row *)0)->words);
    uint32_t one = ((const struct row *)a)->index, other = ((const struct row *)b)->index;
    return order ? order : one < other ? -1 : one > other;
}

/* expected[i] becomes the lowest index of an equal row. */
static void join_by_sorting(const uint32_t *rows, uint32_t count, uint32_t *expected)
{
    struct row *sorted = malloc(count * sizeof *sorted);
    assert_non_null(sorted);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(sorted[i].words, rows + WORDS * (size_t)i, sizeof sorted[i].words);
        sorted[i].index = i;
    }
    qsort(sorted, count, sizeof *sorted, compare_rows);
    for (uint32_t i = 0, first = 0; i < count; i++) {
        if (memcmp(sorted[i].words, sorted[first].words, sizeof sorted[i].words) != 0)
            first = i;
        expected[sorted[i].index] = sorted[first].index;
    }
    free(sorted);
}

static void check_rows(const uint32_t *rows, uint32_t count)
{
    uint32_t *expected = malloc((count + 1) * sizeof *expected), *first = malloc((count + 1) * sizeof *first);
    assert_true(expected && first);
    join_by_sorting(rows, count, expected);
    for (uint32_t threads = 1; threads <= 4; threads++) {
        cp_context *context = cp_context_new(NULL);
        assert_int_equal(cp_set_threads(context, threads), CP_OK);
        memset(first, 0xaa, count * sizeof *first);
        assert_true(join_rows(context, rows, WORDS, WORDS, count, first));
        assert_memory_equal(first, expected, count * sizeof *first);
        memset(first, 0xaa, count * sizeof *first);
        assert_true(join_scattered_rows(context, rows, WORDS, WORDS, count, first));
        assert_memory_equal(first, expected, count * sizeof *first);
        cp_context_free(context);
    }
    free(expected);
    free(first);
}

/* The numbers are dense, in order of first use, and the items the rows themselves. */
static void check_points(const uint32_t *rows, uint32_t count)
{
    uint32_t *expected = malloc(count * sizeof *expected), *numbers = malloc(count * sizeof *numbers);
    cp_context *context = cp_context_new(NULL);
    struct points points = {.context = context};
    assert_true(expected && numbers);
    join_by_sorting(rows, count, expected);
    for (uint32_t i = 0; i < count; i++) {
        if (i % 30000 == 0)
            assert_true(points_reserve(&points, 30000));
        numbers[i] = points_add(&points, (const float *)(const void *)(rows + WORDS * (size_t)i));
    }
    for (uint32_t i = 0, next = 0; i < count; i++) {
        assert_int_equal(numbers[i], expected[i] == i ? next : numbers[expected[i]]);
        next += expected[i] == i;
        assert_memory_equal(points.items + 3 * (size_t)numbers[i], rows + WORDS * (size_t)i, 12);
    }
    points_free(&points);
    cp_context_free(context);
    free(expected);
    free(numbers);
}

static uint32_t mix(uint32_t value)
{
    value = (value ^ value >> 16) * 0x7feb352du;
    value = (value ^ value >> 15) * 0x846ca68bu;
    return value ^ value >> 16;
}

/* What the rows are: word `word` of row `i`. */
typedef uint32_t make_word(uint32_t i, uint32_t word);

static uint32_t all_equal(uint32_t i, uint32_t word)
{
    (void)i;
    return word;
}

static uint32_t few_values(uint32_t i, uint32_t word)
{
    return mix(3 * i + word) % 40;
}

static uint32_t all_different(uint32_t i, uint32_t word)
{
    return mix(i) ^ word;
}

static uint32_t high_bits(uint32_t i, uint32_t word)
{
    return word == 1 ? (i % 50000) << 15 : 0;
}

static uint32_t equal_exclusive_or(uint32_t i, uint32_t word)
{
    uint32_t one = mix(i % 70000), other = mix(i % 70000 + 70000);
    return word == 0 ? one : word == 1 ? other : one ^ other;
}

static void test_rows(void **state)
{
    (void)state;
    static make_word *const makers[] = {all_equal, few_values, all_different, high_bits, equal_exclusive_or};
    uint32_t *rows = malloc(sizeof(uint32_t) * WORDS * ROWS);
    assert_non_null(rows);
    for (size_t m = 0; m < sizeof makers / sizeof *makers; m++) {
        for (uint32_t i = 0; i < WORDS * ROWS; i++)
            rows[i] = makers[m](i / WORDS, i % WORDS);
        check_rows(rows, ROWS);
        check_rows(rows, 16384); /* a whole run, and one more */
        check_rows(rows, 16385);
        check_points(rows, ROWS);
    }
    check_rows(rows, 0);
    check_rows(rows, 1);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
