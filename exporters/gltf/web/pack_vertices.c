/* Vertices, byte by byte: each byte of an element as the difference from the same byte of the element before, zigzag coded;
 * sixteen of them in a row share a width of 0, 2, 4 or 8 bits. */
#include "pack.h"

#include <string.h>

enum { HEADER = 0xa0, GROUP = 16, MOST_ELEMENTS = 256, MOST_BYTES = 8192, LEAST_TAIL = 32 };

uint32_t pack_block_elements(uint32_t stride)
{
    uint32_t count = MOST_BYTES / stride / GROUP * GROUP;
    return count < MOST_ELEMENTS ? count : MOST_ELEMENTS;
}

/* A byte of every element: two bits a group, then at most sixteen bytes a group. */
static size_t block_bound(uint32_t count, uint32_t stride)
{
    size_t groups = ((size_t)count + GROUP - 1) / GROUP;
    return stride * ((groups + 3) / 4 + groups * GROUP);
}

size_t pack_blocks_bound(uint32_t count, uint32_t stride)
{
    uint32_t block = pack_block_elements(stride);
    return count / block * block_bound(block, stride) + block_bound(count % block, stride);
}

/* How many bytes a group takes at 2 or 4 bits a value; those that do not fit follow whole. */
static uint32_t narrow_size(const unsigned char values[GROUP], uint32_t bits)
{
    uint32_t size = GROUP * bits / 8, most = (1U << bits) - 1;
    for (int i = 0; i < GROUP; i++)
        size += values[i] >= most;
    return size;
}

static unsigned char *put_narrow(unsigned char *out, const unsigned char values[GROUP], uint32_t bits)
{
    uint32_t most = (1U << bits) - 1, a_byte = 8 / bits;
    for (uint32_t i = 0; i < GROUP; i += a_byte) {
        uint32_t byte = 0;
        for (uint32_t k = 0; k < a_byte; k++)
            byte = byte << bits | (values[i + k] < most ? values[i + k] : most);
        *out++ = (unsigned char)byte;
    }
    for (int i = 0; i < GROUP; i++)
        if (values[i] >= most)
            *out++ = values[i];
    return out;
}

static bool all_zero(const unsigned char values[GROUP])
{
    unsigned char any = 0;
    for (int i = 0; i < GROUP; i++)
        any |= values[i];
    return any == 0;
}

/* Returns the end; *mode is the group's two bits of the header. */
static unsigned char *put_group(unsigned char *out, const unsigned char values[GROUP], uint32_t *mode)
{
    *mode = 0;
    if (all_zero(values))
        return out;
    uint32_t two = narrow_size(values, 2), four = narrow_size(values, 4);
    if (two >= GROUP && four >= GROUP) {
        *mode = 3;
        memcpy(out, values, GROUP);
        return out + GROUP;
    }
    *mode = two <= four ? 1 : 2;
    return put_narrow(out, values, *mode == 1 ? 2 : 4);
}

static unsigned char zigzag(unsigned char difference)
{
    return (unsigned char)((difference & 0x80 ? 0xff : 0) ^ (difference << 1 & 0xff));
}

/* One byte of each of the block's elements; `before` is that byte of the element before them. */
static unsigned char *put_byte(unsigned char *out, const unsigned char *bytes, uint32_t stride, uint32_t count,
                               unsigned char before)
{
    unsigned char values[MOST_ELEMENTS] = {0};
    for (uint32_t i = 0; i < count; i++) {
        unsigned char byte = bytes[(size_t)i * stride];
        values[i] = zigzag((unsigned char)(byte - before));
        before = byte;
    }
    uint32_t groups = (count + GROUP - 1) / GROUP;
    unsigned char *header = out;
    memset(header, 0, (groups + 3) / 4);
    out += (groups + 3) / 4;
    for (uint32_t i = 0; i < groups; i++) {
        uint32_t mode;
        out = put_group(out, values + (size_t)i * GROUP, &mode);
        header[i / 4] = (unsigned char)(header[i / 4] | mode << i % 4 * 2);
    }
    return out;
}

size_t pack_blocks(const unsigned char *elements, uint32_t stride, uint32_t first, uint32_t count, unsigned char *out)
{
    unsigned char *end = out;
    uint32_t block = pack_block_elements(stride);
    for (uint32_t at = 0; at < count; at += block) {
        const unsigned char *bytes = elements + ((size_t)first + at) * stride;
        const unsigned char *before = first + at > 0 ? bytes - stride : bytes;
        for (uint32_t byte = 0; byte < stride; byte++)
            end = put_byte(end, bytes + byte, stride, count - at < block ? count - at : block, before[byte]);
    }
    return (size_t)(end - out);
}

unsigned char pack_vertex_head(void)
{
    return HEADER;
}

size_t pack_tail_bound(uint32_t stride)
{
    return stride < LEAST_TAIL ? LEAST_TAIL : stride;
}

/* Zeros, and the element that the first one is the difference from: itself. */
size_t pack_vertex_tail(const unsigned char *elements, uint32_t stride, unsigned char *out)
{
    size_t size = pack_tail_bound(stride);
    memset(out, 0, size);
    memcpy(out + size - stride, elements, stride);
    return size;
}
