/* Items of work in several threads: each done once, on no more threads than allowed, and stopped when asked. */
#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MOST_ITEMS = 5000 };

struct tally {
    uint32_t done[MOST_ITEMS];
    uint32_t by_worker[8]; /* each written by its worker alone: the thread sanitizer watches */
};

static void count_item(void *user, uint32_t item, uint32_t worker)
{
    struct tally *tally = user;
    tally->done[item]++;
    tally->by_worker[worker]++;
}

static void check_all_done(cp_context *context, uint32_t items)
{
    struct tally tally = {0};
    assert_true(parallel_for(context, items, count_item, &tally));
    uint32_t sum = 0, workers = parallel_workers(context, items);
    for (uint32_t i = 0; i < MOST_ITEMS; i++)
        assert_int_equal(tally.done[i], i < items);
    for (uint32_t i = 0; i < 8; i++) {
        assert_true(i < workers || tally.by_worker[i] == 0);
        sum += tally.by_worker[i];
    }
    assert_int_equal(sum, items);
}

static void every_item_is_worked_on_once(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    for (uint32_t threads = 1; threads <= 8; threads++) {
        assert_int_equal(cp_set_threads(context, threads), CP_OK);
        for (uint32_t items = 0; items < 20; items++)
            check_all_done(context, items);
        check_all_done(context, MOST_ITEMS);
    }
    cp_context_free(context);
}

static void there_are_no_more_workers_than_items_or_threads(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    assert_int_equal(parallel_workers(context, 100), 1);
    assert_int_equal(cp_set_threads(context, 3), CP_OK);
    assert_int_equal(parallel_workers(context, 0), 1);
    assert_int_equal(parallel_workers(context, 2), 2);
    assert_int_equal(parallel_workers(context, 100), 3);
    cp_context_free(context);
}

static bool is_cancelled(void *user)
{
    int *left = user;
    return (*left)-- <= 0;
}

static void a_cancelled_job_stops(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 4; threads++) {
        cp_context *context = cp_context_new(NULL);
        assert_int_equal(cp_set_threads(context, threads), CP_OK);
        int left = 0;
        cp_set_cancel(context, is_cancelled, &left);
        struct tally tally = {0};
        assert_false(parallel_for(context, MOST_ITEMS, count_item, &tally));
        assert_int_equal(tally.by_worker[0], 0);
        cp_context_free(context);
    }
}

/* ---- results in order ---- */

/* A result is its item's number and stays in its slot until it is consumed. */
struct line {
    uint32_t results[MOST_SLOTS]; /* 0: none */
    uint32_t consumed, enough;
};

static void make_result(void *user, uint32_t item, uint32_t slot)
{
    struct line *line = user;
    line->results[slot] += item + 1; /* no item's own, if the slot was not free */
    for (volatile int i = 0; i < (item % 7 == 0 ? 3000 : 10); i++)
        ; /* some take longer */
}

static bool consume_result(void *user, uint32_t item, uint32_t slot)
{
    struct line *line = user;
    assert_int_equal(item, line->consumed);
    assert_int_equal(line->results[slot], item + 1);
    line->results[slot] = 0;
    return ++line->consumed < line->enough;
}

static void results_come_in_order(void **state)
{
    (void)state;
    static const uint32_t threads[] = {1, 2, 3, 8, 100};
    cp_context *context = cp_context_new(NULL);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        assert_int_equal(cp_set_threads(context, threads[i]), CP_OK);
        for (uint32_t items = 0; items < MOST_ITEMS; items = 2 * items + 1) {
            uint32_t slots = parallel_slots(context, items);
            assert_true(slots >= 1 && slots <= MOST_SLOTS && slots <= items + (items == 0));
            struct line line = {.enough = UINT32_MAX};
            assert_true(parallel_in_order(context, items, make_result, consume_result, &line));
            assert_int_equal(line.consumed, items);
        }
    }
    cp_context_free(context);
}

/* By the one who takes the results, or by the context's owner; none comes after that. */
static void a_line_ends_when_told(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 4; threads++)
        for (int enough = 1; enough < 40; enough++) {
            cp_context *context = cp_context_new(NULL);
            assert_int_equal(cp_set_threads(context, threads), CP_OK);
            struct line line = {.enough = (uint32_t)enough};
            assert_false(parallel_in_order(context, MOST_ITEMS, make_result, consume_result, &line));
            assert_int_equal(line.consumed, enough);
            line = (struct line){.enough = UINT32_MAX};
            int left = enough;
            cp_set_cancel(context, is_cancelled, &left);
            assert_false(parallel_in_order(context, MOST_ITEMS, make_result, consume_result, &line));
            assert_int_equal(line.consumed, enough);
            cp_context_free(context);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_worked_on_once),
        cmocka_unit_test(there_are_no_more_workers_than_items_or_threads),
        cmocka_unit_test(a_cancelled_job_stops),
        cmocka_unit_test(results_come_in_order),
        cmocka_unit_test(a_line_ends_when_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
