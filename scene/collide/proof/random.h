/* Random numbers that depend on nothing but a key and a place. */
#ifndef CELLPIPE_RANDOM_H
#define CELLPIPE_RANDOM_H

#include <stdint.h>

/* The number at a place of the key's sequence, 0 .. 1: splitmix64 (Steele, Lea and Flood, 2014) of a counter. */
static inline double random_at(uint64_t key, uint64_t place)
{
    uint64_t bits = key + (place + 1) * UINT64_C(0x9e3779b97f4a7c15);
    bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((bits ^ bits >> 31) >> 11) * 0x1p-53;
}

#endif
