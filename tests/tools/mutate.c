/* mutate SEED COUNT FILE FOLDER: damaged copies of a file, FOLDER/0.SUFFIX and on, the same for the same seed: cut
 * short, bytes and runs overwritten, removed, put in twice or from elsewhere in the file, numbers replaced by extreme
 * ones; in XML also elements removed, values of attributes exchanged, and numbers replaced by others of the file. What
 * happens to STEP and IGES stands in mutate_cad.c. */
#include "mutate.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

/* splitmix64 (Steele, Lea, Flood 2014). */
uint64_t draw(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

size_t below(size_t limit)
{
    return limit ? (size_t)(draw() % limit) : 0;
}

void replace(struct bytes *bytes, size_t at, size_t gone, const void *with, size_t size)
{
    if (bytes->size - gone + size > bytes->room)
        return;
    memmove(bytes->data + at + size, bytes->data + at + gone, bytes->size - at - gone);
    memcpy(bytes->data + at, with, size);
    bytes->size += size - gone;
}

/* A number in the text, where one is near; else four bytes. */
static void replace_number(struct bytes *bytes)
{
    static const char *const texts[] = {"0",   "-1",    "4294967295",  "2147483648", "99999999999999999999",
                                        "nan", "1e999", "-2147483649", "65536",      ""};
    static const uint32_t words[] = {0, 1, UINT32_MAX, 0x7fffffff, 0x80000000, 0xffff, 0x10000, 0x7fc00000};
    size_t at = below(bytes->size), end = at;
    while (at < bytes->size && end - at < 200 && strchr("0123456789", bytes->data[at]) == NULL)
        at++;
    end = at;
    while (end < bytes->size && bytes->data[end] && strchr("0123456789.", bytes->data[end]))
        end++;
    if (draw() % 2 && end > at) {
        const char *text = texts[below(sizeof texts / sizeof *texts)];
        replace(bytes, at, end - at, text, strlen(text));
    } else if (bytes->size > 4) {
        memcpy(bytes->data + below(bytes->size - 4), &words[below(sizeof words / sizeof *words)], 4);
    }
}

/* The next `letter` from a random place on, or the size. */
static size_t find_letter(const struct bytes *bytes, size_t at, unsigned char letter)
{
    const unsigned char *found = at < bytes->size ? memchr(bytes->data + at, letter, bytes->size - at) : NULL;
    return found ? (size_t)(found - bytes->data) : bytes->size;
}

/* From a start tag to the end of the first end tag of the same name. */
static void remove_element(struct bytes *bytes)
{
    size_t start = find_letter(bytes, below(bytes->size), '<'), length = 1, at = start + 1;
    while (start + length < bytes->size && strchr(" >/\n", bytes->data[start + length]) == NULL)
        length++;
    for (; (at = find_letter(bytes, at, '<')) + 1 + length < bytes->size; at++)
        if (bytes->data[at + 1] == '/' && !memcmp(bytes->data + at + 2, bytes->data + start + 1, length - 1)) {
            replace(bytes, start, at + 2 + length - start, "", 0);
            return;
        }
}

/* A value in quotes, without them; *size 0: there is none. */
static size_t find_value(const struct bytes *bytes, size_t *size)
{
    size_t start = find_letter(bytes, below(bytes->size), '=') + 1;
    size_t end = find_letter(bytes, start + 1, '"');
    bool good = start < bytes->size && bytes->data[start] == '"' && end < bytes->size && end - start < 64;
    *size = good ? end - start - 1 : 0;
    return start + 1;
}

static size_t find_number(const struct bytes *bytes, size_t *size)
{
    size_t at = below(bytes->size), end;
    while (at < bytes->size && (bytes->data[at] < '0' || bytes->data[at] > '9'))
        at++;
    for (end = at; end < bytes->size && end - at < 20 && bytes->data[end] >= '.' && bytes->data[end] <= '9';)
        end++;
    *size = end - at;
    return at;
}

static void damage_xml(struct bytes *bytes)
{
    unsigned char copy[64];
    size_t (*const find)(const struct bytes *, size_t *) = draw() % 2 ? find_value : find_number;
    if (draw() % 3 == 0) {
        remove_element(bytes);
        return;
    }
    size_t from_size, size, from = find(bytes, &from_size), at = find(bytes, &size);
    if (!size || !from_size || from_size > sizeof copy)
        return;
    memcpy(copy, bytes->data + from, from_size);
    replace(bytes, at, size, copy, from_size);
}

void damage(struct bytes *bytes)
{
    unsigned char run[64];
    size_t at = below(bytes->size), most = bytes->size - at, count = 1 + below(most < sizeof run ? most : sizeof run);
    if (bytes->size == 0 || count > most)
        return;
    if (bytes->data[0] == '<' && draw() % 8) {
        damage_xml(bytes);
        return;
    }
    switch (draw() % 8) {
    case 0:
        bytes->size = at;
        break;
    case 1:
        bytes->data[at] ^= (unsigned char)(1u << draw() % 8);
        break;
    case 2:
        memset(bytes->data + at, draw() % 2 ? 0 : 0xff, count);
        break;
    case 3:
        for (size_t i = 0; i < count; i++)
            bytes->data[at + i] = (unsigned char)draw();
        break;
    case 4:
        replace(bytes, at, count, "", 0);
        break;
    case 5: /* from elsewhere, or twice */
        memcpy(run, bytes->data + at, count);
        replace(bytes, draw() % 2 ? at : below(bytes->size), 0, run, count);
        break;
    default:
        replace_number(bytes);
    }
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: mutate SEED COUNT FILE FOLDER\n");
        return 2;
    }
    enum { MOST = 1 << 24 };
    unsigned long count = strtoul(argv[2], NULL, 10);
    const char *suffix = strrchr(argv[3], '.');
    unsigned char *whole = malloc(MOST);
    struct bytes bytes = {.data = malloc(2 * (size_t)MOST), .room = 2 * (size_t)MOST};
    FILE *file = fopen(argv[3], "rb");
    if (!whole || !bytes.data || !file) {
        perror(argv[3]);
        return 1;
    }
    size_t size = fread(whole, 1, MOST, file);
    fclose(file);
    for (unsigned long i = 0; i < count; i++) {
        char path[4096];
        state = strtoull(argv[1], NULL, 10) * 1000003u + i;
        memcpy(bytes.data, whole, size);
        bytes.size = size;
        /* XML is refused for the first fault that is seen: one or two. */
        enum cad_text cad = cad_text_of(whole, size);
        uint64_t most = cad ? 3 : size && *whole == '<' ? 2 : 6;
        for (uint64_t times = 1 + draw() % most; times > 0; times--)
            cad ? damage_cad(&bytes, cad) : damage(&bytes);
        (void)snprintf(path, sizeof path, "%s/%lu%s", argv[4], i, suffix ? suffix : "");
        file = fopen(path, "wb");
        if (!file || fwrite(bytes.data, 1, bytes.size, file) != bytes.size || fclose(file) != 0) {
            perror(path);
            return 1;
        }
    }
    free(bytes.data);
    free(whole);
    return 0;
}
