/* The table of powers of ten and its logarithms, every entry against integers of any size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text/powers.h"

/* ---- integers of any size ---- */

enum { LIMBS = 128 };

/* limbs[0] is the lowest 32 bits. */
struct integer {
    uint32_t limbs[LIMBS];
};

static void multiply(struct integer *integer, uint32_t factor)
{
    uint64_t carry = 0;
    for (int i = 0; i < LIMBS; i++) {
        carry += (uint64_t)integer->limbs[i] * factor;
        integer->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    assert_true(carry == 0);
}

static int compare_integers(const struct integer *a, const struct integer *b)
{
    for (int i = LIMBS; i-- > 0;)
        if (a->limbs[i] != b->limbs[i])
            return a->limbs[i] < b->limbs[i] ? -1 : 1;
    return 0;
}

/* factor * 2^twos * 10^tens */
struct product {
    uint128 factor;
    int twos, tens;
};

/* The product's integer, times what makes the other one's powers whole. */
static struct integer build(struct product product, struct product other)
{
    struct integer integer = {{0}};
    for (int i = 0; i < 4; i++)
        integer.limbs[i] = (uint32_t)(product.factor >> 32 * i);
    int twos = (product.twos > 0 ? product.twos : 0) - (other.twos < 0 ? other.twos : 0);
    int tens = (product.tens > 0 ? product.tens : 0) - (other.tens < 0 ? other.tens : 0);
    for (; twos >= 16; twos -= 16)
        multiply(&integer, 1u << 16);
    multiply(&integer, 1u << twos);
    for (; tens > 0; tens--)
        multiply(&integer, 10);
    return integer;
}

static int compare(struct product a, struct product b)
{
    struct integer left = build(a, b), right = build(b, a);
    return compare_integers(&left, &right);
}

static void test_integers(void **unused)
{
    (void)unused;
    assert_int_equal(compare((struct product){1, 3, 0}, (struct product){8, 0, 0}), 0);
    assert_int_equal(compare((struct product){1, 0, -2}, (struct product){1, -6, 0}), -1);
    assert_int_equal(compare((struct product){1, 10, 0}, (struct product){1, 0, 3}), 1);
    assert_int_equal(compare((struct product){1, 40, 0}, (struct product){(uint128)1 << 70, -30, 0}), 0);
    assert_int_equal(compare((struct product){3, -2, 5}, (struct product){75, 0, 3}), 0);
}

/* ---- what is computed from the table ---- */

/* entry <= 10^n * 2^(127 - floor(log2(10^n))) < entry + 1, and the entry's first bit is set: so both are right. */
static void test_entries(void **unused)
{
    (void)unused;
    for (int n = SMALLEST_POWER; n <= LARGEST_POWER; n++) {
        struct power_of_ten power = power_of_ten(n);
        uint128 entry = (uint128)power.high << 64 | power.low;
        struct product exact = {1, 127 - floor_log2_of_power(n), n};
        assert_true(power.high >> 63 == 1);
        assert_true(power.high < UINT64_MAX); /* + 1 does not overflow */
        assert_true(compare((struct product){entry, 0, 0}, exact) <= 0);
        assert_true(compare(exact, (struct product){entry + 1, 0, 0}) < 0);
    }
}

static void check_between(struct product value, int exponent)
{
    assert_true(compare((struct product){1, 0, exponent}, value) <= 0);
    assert_true(compare(value, (struct product){1, 0, exponent + 1}) < 0);
}

static void test_logarithms(void **unused)
{
    (void)unused;
    for (int n = -1080; n <= 1080; n++) {
        check_between((struct product){1, n, 0}, floor_log10_of_power_of_2(n));
        check_between((struct product){3, n - 2, 0}, floor_log10_of_three_quarters(n));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_entries),
        cmocka_unit_test(test_logarithms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
