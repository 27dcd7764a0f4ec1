/* A mutator for texts: half of the time what libFuzzer does with bytes, else a number becomes an extreme, another sign
 * or size, or two words or lines change places or double. Plain bytes hardly ever make "-1" of "0.25" and still a
 * file that is read to its end. */
#include "input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool mutates_numbers = true;

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed);

static const char *const extremes[] = {"0",
                                       "-0",
                                       "1",
                                       "-1",
                                       "2",
                                       "-0.5",
                                       "1e308",
                                       "-1e308",
                                       "1e-320",
                                       "1e39",
                                       "1e400",
                                       "nan",
                                       "inf",
                                       "-inf",
                                       "255",
                                       "256",
                                       "65535",
                                       "65536",
                                       "16777217",
                                       "2147483647",
                                       "-2147483648",
                                       "4294967295",
                                       "4294967296",
                                       "9007199254740993",
                                       "18446744073709551615",
                                       "99999999999999999999",
                                       "1,5",
                                       "+5",
                                       ".5",
                                       "5.",
                                       "1e",
                                       "--1",
                                       "0x10",
                                       "000",
                                       ""};

struct span {
    size_t begin, size;
};

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static int is_of_number(uint8_t c)
{
    return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+';
}

static int is_of_word(uint8_t c)
{
    return c > ' ' && c != '"' && c != '<' && c != '>' && c != '=' && c != ',';
}

static int is_of_line(uint8_t c)
{
    return c != '\n';
}

/* The span of such bytes at, or next behind, a random place; size 0: there is none. */
static struct span find_span(const uint8_t *bytes, size_t size, int (*is_of)(uint8_t), uint32_t random)
{
    size_t start = size > 0 ? random % size : 0;
    for (size_t i = 0; i < size; i++) {
        size_t at = (start + i) % size, end = at;
        if (!is_of(bytes[at]) || (at > 0 && is_of(bytes[at - 1]) && i > 0))
            continue;
        while (at > 0 && is_of(bytes[at - 1]))
            at--;
        while (end < size && is_of(bytes[end]))
            end++;
        return (struct span){at, end - at};
    }
    return (struct span){0, 0};
}

/* Puts a text in the place of a span; the size that is then, or the old one where there is no room. */
static size_t replace(uint8_t *bytes, size_t size, size_t room, struct span span, const void *text, size_t length)
{
    if (size - span.size + length > room)
        return size;
    memmove(bytes + span.begin + length, bytes + span.begin + span.size, size - span.begin - span.size);
    memcpy(bytes + span.begin, text, length);
    return size - span.size + length;
}

static size_t change_number(uint8_t *bytes, size_t size, size_t room, uint32_t *state)
{
    static const double factors[] = {-1, 2, 10, 1000, 0.001, 1e8, 1e-8};
    char text[64], old[64] = "";
    struct span span = {0, 0};
    for (int tries = 0; tries < 8 && !old[strcspn(old, "0123456789")]; tries++) { /* "-" alone is no number */
        span = find_span(bytes, size, is_of_number, next_random(state));
        memset(old, 0, sizeof old);
        memcpy(old, bytes + span.begin, span.size < sizeof old ? span.size : sizeof old - 1);
    }
    if (!old[strcspn(old, "0123456789")])
        return LLVMFuzzerMutate(bytes, size, room);
    double value = strtod(old, NULL);
    switch (next_random(state) % 4) {
    case 0:
        (void)snprintf(text, sizeof text, "%.17g", value * factors[next_random(state) % 7]);
        break;
    case 1:
        (void)snprintf(text, sizeof text, "%.17g", value + (next_random(state) % 2 ? 1 : -1));
        break;
    default:
        (void)snprintf(text, sizeof text, "%s", extremes[next_random(state) % (sizeof extremes / sizeof *extremes)]);
    }
    return replace(bytes, size, room, span, text, strlen(text));
}

/* Puts one word or line in the place of another one, or before it. */
static size_t copy_span(uint8_t *bytes, size_t size, size_t room, int (*is_of)(uint8_t), uint32_t *state)
{
    struct span from = find_span(bytes, size, is_of, next_random(state));
    struct span to = find_span(bytes, size, is_of, next_random(state));
    uint8_t *text = from.size > 0 ? malloc(from.size + 1) : NULL;
    if (!text)
        return LLVMFuzzerMutate(bytes, size, room);
    memcpy(text, bytes + from.begin, from.size);
    text[from.size] = is_of == is_of_line ? '\n' : ' ';
    if (next_random(state) % 2)
        size = replace(bytes, size, room, (struct span){to.begin, 0}, text, from.size + 1);
    else
        size = replace(bytes, size, room, to, text, from.size);
    free(text);
    return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed)
{
    uint32_t state = seed;
    if (!mutates_numbers)
        return LLVMFuzzerMutate(bytes, size, room);
    for (uint32_t changes = 1 + next_random(&state) % 3; changes > 0; changes--)
        switch (next_random(&state) % 8) {
        case 0:
        case 1:
        case 2:
            size = change_number(bytes, size, room, &state);
            break;
        case 3:
            size = copy_span(bytes, size, room, next_random(&state) % 2 ? is_of_line : is_of_word, &state);
            break;
        default:
            size = LLVMFuzzerMutate(bytes, size, room);
        }
    return size;
}
