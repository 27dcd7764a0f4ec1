/* Sets of 64-bit numbers, as sorted arrays. */
#ifndef CELLPIPE_NUMBERS_H
#define CELLPIPE_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

/* Two numbers as one, the same in either order: the lower in the upper half. */
static inline uint64_t unordered_pair(uint32_t one, uint32_t other)
{
    return one < other ? (uint64_t)one << 32 | other : (uint64_t)other << 32 | one;
}

void sort_numbers(uint64_t *numbers, uint32_t count);
/* Sorts them and leaves each once; how many are left. */
uint32_t make_set(uint64_t *numbers, uint32_t count);
bool set_has(const uint64_t *numbers, uint32_t count, uint64_t number);

#endif
