/* Four passes over 8 bits each. */
#include "box_tree.h"

static void sort_pass(const uint64_t *from, uint64_t *to, uint32_t count, int shift)
{
    uint32_t starts[257] = {0};
    for (uint32_t i = 0; i < count; i++)
        starts[(from[i] >> shift & 255) + 1]++;
    for (int digit = 0; digit < 256; digit++)
        starts[digit + 1] += starts[digit];
    for (uint32_t i = 0; i < count; i++)
        to[starts[from[i] >> shift & 255]++] = from[i];
}

void radix_sort(uint64_t *entries, uint64_t *spare, uint32_t count)
{
    for (int shift = 32; shift < 64; shift += 16) {
        sort_pass(entries, spare, count, shift);
        sort_pass(spare, entries, count, shift + 8);
    }
}
