/* Powers of ten in 128 bits, by which numbers are read and printed. */
#ifndef CELLPIPE_BASE_TEXT_POWERS_H
#define CELLPIPE_BASE_TEXT_POWERS_H

#include <stdint.h>

enum { SMALLEST_POWER = -342, LARGEST_POWER = 324 };

/* The first 128 bits of 10^n, the rest cut off: floor(10^n * 2^(127 - floor_log2_of_power(n))), from 2^127 up. */
struct power_of_ten {
    uint64_t high, low;
};
extern const struct power_of_ten powers_of_ten[LARGEST_POWER - SMALLEST_POWER + 1];

/* Returns 10^n for n in SMALLEST_POWER .. LARGEST_POWER. */
static inline struct power_of_ten power_of_ten(int n)
{
    return powers_of_ten[n - SMALLEST_POWER];
}

/* The product's 128 bits. */
__extension__ typedef unsigned __int128 uint128;
static inline uint128 multiply_wide(uint64_t a, uint64_t b)
{
    return (uint128)a * b;
}

/* Logarithms by fixed-point constants, which are right for the exponents of all doubles. >> of a negative int rounds
 * down in every compiler that builds this. */

/* Returns floor(log2(10^n)): 1741647 = round(log2(10) * 2^19). */
static inline int floor_log2_of_power(int n)
{
    return (n * 1741647) >> 19;
}

/* Returns floor(log10(2^n)): 1262611 = round(log10(2) * 2^22). */
static inline int floor_log10_of_power_of_2(int n)
{
    return (n * 1262611) >> 22;
}

/* Returns floor(log10(3/4 * 2^n)): 524031 = round(-log10(3/4) * 2^22). */
static inline int floor_log10_of_three_quarters(int n)
{
    return (n * 1262611 - 524031) >> 22;
}

#endif
