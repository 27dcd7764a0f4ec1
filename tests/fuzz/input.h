/* The bytes of a fuzzer as numbers. */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>

struct input {
    const uint8_t *bytes;
    size_t size, at;
};

/* Zeros once the bytes are used up. */
static uint32_t take(struct input *input, uint32_t below)
{
    return input->at < input->size ? input->bytes[input->at++] % below : 0;
}

#endif
