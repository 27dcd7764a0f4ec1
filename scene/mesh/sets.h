/* Disjoint sets of numbers, which grow together: leaders[i] is i for the lowest number of a set, for the others a way
 * to it. */
#ifndef CELLPIPE_SETS_H
#define CELLPIPE_SETS_H

#include <stdint.h>

/* The lowest number of the set. Halves the way to it as it goes. */
static inline uint32_t set_leader(uint32_t *leaders, uint32_t member)
{
    while (leaders[member] != member)
        member = leaders[member] = leaders[leaders[member]];
    return member;
}

static inline void sets_join(uint32_t *leaders, uint32_t a, uint32_t b)
{
    a = set_leader(leaders, a);
    b = set_leader(leaders, b);
    leaders[a < b ? b : a] = a < b ? a : b;
}

#endif
