/* URIs of buffers: data URIs (RFC 2397) and relative references (RFC 3986), decoded in place. */
#include "gltf.h"

#include <string.h>

static int hex_digit(char byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    if (byte >= 'a' && byte <= 'f')
        return byte - 'a' + 10;
    return byte >= 'A' && byte <= 'F' ? byte - 'A' + 10 : -1;
}

/* Resolves %XX. False when malformed. */
static bool decode_percent(char *text, size_t *size)
{
    size_t out = 0, in = 0;
    while (text[in]) {
        if (text[in] != '%') {
            text[out++] = text[in++];
            continue;
        }
        int high = hex_digit(text[in + 1]);
        int low = high < 0 ? -1 : hex_digit(text[in + 2]);
        if (low < 0)
            return false;
        text[out++] = (char)(unsigned char)(high * 16 + low);
        in += 3;
    }
    text[out] = '\0';
    *size = out;
    return true;
}

bool uri_is_data(const char *uri)
{
    static const char scheme[] = "data:";
    for (size_t i = 0; scheme[i]; i++)
        if ((uri[i] | 0x20) != scheme[i])
            return false;
    return true;
}

unsigned char *uri_decode_data(char *uri, size_t *size)
{
    static const char mark[] = ";base64";
    char *comma = strchr(uri, ',');
    if (!comma)
        return NULL;
    size_t head = (size_t)(comma - uri), mark_size = sizeof mark - 1;
    bool base64 = head >= mark_size && memcmp(comma - mark_size, mark, mark_size) == 0;
    char *data = comma + 1;
    bool sound = base64 ? base64_decode(data, strlen(data), data, size) : decode_percent(data, size);
    return sound ? (unsigned char *)data : NULL;
}

bool uri_has_scheme(const char *uri)
{
    size_t letters = strspn(uri, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-.");
    return letters > 1 && uri[letters] == ':';
}

bool uri_decode_path(char *uri)
{
    size_t size;
    return decode_percent(uri, &size) && size > 0 && strlen(uri) == size;
}
