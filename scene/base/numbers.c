#include "base.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

void sort_numbers(uint64_t *numbers, uint32_t count)
{
    if (count > 0)
        qsort(numbers, count, sizeof *numbers, compare);
}

uint32_t make_set(uint64_t *numbers, uint32_t count)
{
    uint32_t kept = 0;
    sort_numbers(numbers, count);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || numbers[i] != numbers[i - 1])
            numbers[kept++] = numbers[i];
    return kept;
}

bool set_has(const uint64_t *numbers, uint32_t count, uint64_t number)
{
    return count > 0 && bsearch(&number, numbers, count, sizeof number, compare);
}
