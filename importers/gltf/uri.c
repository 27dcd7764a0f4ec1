/* URIs of buffers: data URIs (RFC 2397) and relative references (RFC 3986), decoded in place. */
#include "gltf.h"

#include <string.h>

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
    bool sound = base64 ? base64_decode(data, strlen(data), data, size) : uri_decode(data, size);
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
    return uri_decode(uri, &size) && size > 0 && strlen(uri) == size;
}
