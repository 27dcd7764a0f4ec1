/* Digits of integers, eight at a time. */
#ifndef CELLPIPE_BASE_TEXT_DIGITS_H
#define CELLPIPE_BASE_TEXT_DIGITS_H

#include <stdint.h>
#include <string.h>

/* Returns the eight digits of a number below 10^8. Each is found by multiplication in a lane of its own: of 32, 16 and
 * 8 bits. 10486 / 2^20 and 103 / 2^10 divide by 100 and 10 exactly enough for all values in a lane. */
static inline uint64_t spread_digits(uint32_t value)
{
    uint64_t fours = value / 10000 | (uint64_t)(value % 10000) << 32;
    uint64_t hundreds = fours * 10486 >> 20 & UINT64_C(0x7f0000007f);
    uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
    uint64_t tens = twos * 103 >> 10 & UINT64_C(0x000f000f000f000f);
    return tens | (twos - 10 * tens) << 8;
}

/* Returns the number of eight digits, the highest in the lowest byte: neighbours are joined in lanes of 16, 32 and 64
 * bits. */
static inline uint32_t join_digits(uint64_t digits)
{
    uint64_t twos = digits * (10 * 256 + 1) >> 8 & UINT64_C(0x00ff00ff00ff00ff);
    uint64_t fours = twos * (100 * 65536 + 1) >> 16 & UINT64_C(0x0000ffff0000ffff);
    return (uint32_t)(fours * (10000 * (UINT64_C(1) << 32) + 1) >> 32);
}

/* Returns eight characters, the first one in the lowest byte. */
static inline uint64_t get_eight(const char *text)
{
    uint64_t characters;
    memcpy(&characters, text, sizeof characters);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    characters = __builtin_bswap64(characters);
#endif
    return characters;
}

/* Returns how many of eight characters are digits before the first other one; *number is theirs, or 0. */
static inline int leading_digits(uint64_t characters, uint32_t *number)
{
    /* Each byte becomes a digit's value. The sum sets the high bit of those above 9, and perhaps of bytes after
     * them. */
    uint64_t digits = characters ^ UINT64_C(0x3030303030303030);
    uint64_t others = (digits | (digits + UINT64_C(0x7676767676767676))) & UINT64_C(0x8080808080808080);
    int count = others == 0 ? 8 : __builtin_ctzll(others) / 8;
    *number = join_digits(count == 8 ? digits : digits << 8 << (56 - 8 * count));
    return count;
}

/* Writes eight characters for eight digits, the one in the lowest byte first. */
static inline void put_eight(char *out, uint64_t digits)
{
    uint64_t characters = digits | UINT64_C(0x3030303030303030);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    characters = __builtin_bswap64(characters);
#endif
    memcpy(out, &characters, sizeof characters);
}

/* Writes all digits of value to out, where NUMBER_SIZE bytes must be free, and returns their end. */
static inline char *put_whole(char *out, uint32_t value)
{
    uint64_t digits = spread_digits(value % 100000000);
    int zeros = 0; /* before the first digit */
    if (value < 100000000)
        zeros = value == 0 ? 7 : __builtin_ctzll(digits) / 8;
    else if (value >= 1000000000)
        *out++ = (char)('0' + value / 1000000000);
    if (value >= 100000000)
        *out++ = (char)('0' + value / 100000000 % 10);
    put_eight(out, digits >> 8 * zeros);
    return out + 8 - zeros;
}

#endif
