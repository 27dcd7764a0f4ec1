/* The bytes of a fuzzer as numbers. */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of mutate_numbers.c: false for bytes that are no text. */
extern bool mutates_numbers;

struct input {
    const uint8_t *bytes;
    size_t size, at;
};

/* Zeros once the bytes are used up. */
static inline uint32_t take(struct input *input, uint32_t below)
{
    return input->at < input->size ? input->bytes[input->at++] % below : 0;
}

#endif
