/* Makes chance that is the same on every machine. */
#ifndef CHANCE_H
#define CHANCE_H

#include <stdint.h>

static uint64_t chance_state = 88172645463325252u;

static inline uint32_t chance(uint32_t below)
{
    chance_state ^= chance_state << 13;
    chance_state ^= chance_state >> 7;
    chance_state ^= chance_state << 17;
    return (uint32_t)((chance_state >> 32) % below);
}

static inline double chance_between(double low, double high)
{
    return low + (high - low) * chance(1u << 30) / (double)(1u << 30);
}

#endif
