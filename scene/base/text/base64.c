/* Three bytes are four digits of six bits, the highest first. */
#include "text.h"

size_t base64_encode(const void *bytes, size_t size, char *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *from = bytes;
    char *at = out;
    for (; size >= 3; size -= 3, from += 3) {
        *at++ = digits[from[0] >> 2];
        *at++ = digits[(from[0] & 3) << 4 | from[1] >> 4];
        *at++ = digits[(from[1] & 15) << 2 | from[2] >> 6];
        *at++ = digits[from[2] & 63];
    }
    if (size > 0) {
        int second = size > 1 ? from[1] : 0;
        *at++ = digits[from[0] >> 2];
        *at++ = digits[(from[0] & 3) << 4 | second >> 4];
        *at++ = size > 1 ? digits[(second & 15) << 2] : '=';
        *at++ = '=';
    }
    return (size_t)(at - out);
}

static int value_of(char digit)
{
    if (digit >= 'A' && digit <= 'Z')
        return digit - 'A';
    if (digit >= 'a' && digit <= 'z')
        return digit - 'a' + 26;
    if (digit >= '0' && digit <= '9')
        return digit - '0' + 52;
    if (digit == '+' || digit == '-')
        return 62;
    return digit == '/' || digit == '_' ? 63 : -1;
}

bool base64_decode(const char *text, size_t length, void *out, size_t *size)
{
    unsigned char *to = out;
    size_t in = 0;
    uint32_t bits = 0;
    /* Each digit but the first of four completes a byte, which never overtakes the digit. */
    for (int value; in < length && (value = value_of(text[in])) >= 0; in++) {
        bits = bits << 6 | (uint32_t)value;
        if (in % 4 > 0)
            *to++ = (unsigned char)(bits >> (6 - 2 * (in % 4)));
    }
    *size = (size_t)(to - (unsigned char *)out);
    bool one_left = in % 4 == 1;
    for (int padding = 0; in < length && text[in] == '=' && padding < 2; padding++)
        in++;
    return !one_left && in == length;
}
