/* Shortest decimal text of numbers, free of the locale's decimal point. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

static size_t put_word(const char *word, char out[NUMBER_SIZE])
{
    size_t length = strlen(word);
    memcpy(out, word, length + 1);
    return length;
}

static bool put_special(double value, char out[NUMBER_SIZE], size_t *length)
{
    if (isfinite(value) && value != 0)
        return false;
    const char *word = isnan(value) ? "nan" : value == 0 ? (signbit(value) ? "-0" : "0") : value > 0 ? "inf" : "-inf";
    *length = put_word(word, out);
    return true;
}

/* Digits d.ddd of `%.*e` as an integer, and its exponent: printf's decimal point, whatever it is, is skipped. */
struct digits {
    char text[20];
    int count;
    int exponent; /* of the first digit */
    bool negative;
};

static struct digits digits_of(double value, int precision)
{
    char text[64];
    (void)snprintf(text, sizeof text, "%.*e", precision - 1, value);
    struct digits digits = {.negative = text[0] == '-'};
    const char *at = text;
    for (; *at && *at != 'e'; at++)
        if (*at >= '0' && *at <= '9' && digits.count < (int)sizeof digits.text)
            digits.text[digits.count++] = *at;
    digits.exponent = *at ? (int)strtol(at + 1, NULL, 10) : 0;
    while (digits.count > 1 && digits.text[digits.count - 1] == '0')
        digits.count--;
    return digits;
}

/* Plain notation for exponents -5 .. 16, else d.ddde+xx without padding. */
static size_t put_digits(const struct digits *digits, char out[NUMBER_SIZE])
{
    char *at = out;
    if (digits->negative)
        *at++ = '-';
    int first = digits->exponent;
    bool plain = first >= -5 && first <= 16;
    int point = plain ? first : 0;
    if (point < 0) {
        *at++ = '0';
        *at++ = '.';
        for (int i = -1; i > point; i--)
            *at++ = '0';
    }
    for (int i = 0; i < digits->count || i <= point; i++) {
        if (i == point + 1 && point >= 0)
            *at++ = '.';
        *at++ = i < digits->count ? digits->text[i] : '0';
    }
    *at = '\0';
    size_t length = (size_t)(at - out);
    if (!plain)
        length += (size_t)snprintf(at, NUMBER_SIZE - length, "e%d", first);
    return length;
}

size_t print_double(double value, char out[NUMBER_SIZE])
{
    size_t length;
    if (put_special(value, out, &length))
        return length;
    /* Subnormal numbers may need fewer than 15 digits to be told apart. */
    int precision = fabs(value) < 2.3e-308 ? 1 : 15;
    for (;; precision++) {
        struct digits digits = digits_of(value, precision);
        double back = 0;
        length = put_digits(&digits, out);
        (void)parse_double(out, out + length, &back);
        if (back == value || precision >= 17)
            return length;
    }
}

size_t print_float(float value, char out[NUMBER_SIZE])
{
    size_t length;
    if (put_special(value, out, &length))
        return length;
    int precision = fabsf(value) < 1.2e-38f ? 1 : 6;
    for (;; precision++) {
        struct digits digits = digits_of(value, precision);
        float back = 0;
        length = put_digits(&digits, out);
        (void)parse_float(out, out + length, &back);
        if (back == value || precision >= 9)
            return length;
    }
}

size_t cp_print_double(double value, char out[CP_NUMBER_SIZE])
{
    return print_double(value, out);
}
