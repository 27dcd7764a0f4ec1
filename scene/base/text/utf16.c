#include "text.h"

/* Returns the character whose units begin at byte *at, and moves *at behind them; half a pair is U+FFFD. */
static uint32_t next_of_utf16(const unsigned char *bytes, size_t size, bool big_endian, size_t *at)
{
    uint32_t units[2] = {0};
    for (size_t i = 0; i < 2 && *at + 2 * i + 1 < size; i++)
        units[i] = (uint32_t)bytes[*at + 2 * i + !big_endian] << 8 | bytes[*at + 2 * i + big_endian];
    bool pair = (units[0] & 0xfc00) == 0xd800 && (units[1] & 0xfc00) == 0xdc00;
    *at += pair ? 4 : 2;
    if (pair)
        return 0x10000 + ((units[0] & 0x3ff) << 10 | (units[1] & 0x3ff));
    return (units[0] & 0xf800) == 0xd800 ? 0xfffd : units[0];
}

bool utf16_decode(const char *text, size_t size, struct buffer *utf8)
{
    const unsigned char *bytes = (const unsigned char *)text;
    bool big_endian = size >= 2 && bytes[0] == 0xfe && bytes[1] == 0xff;
    if (!big_endian && !(size >= 2 && bytes[0] == 0xff && bytes[1] == 0xfe))
        return false;
    for (size_t at = 2; at + 1 < size;) {
        uint32_t letter = next_of_utf16(bytes, size, big_endian, &at);
        if (letter < ' ' && !is_space((char)letter))
            return false;
        int more = letter < 0x80 ? 0 : letter < 0x800 ? 1 : letter < 0x10000 ? 2 : 3; /* bytes after the first */
        static const unsigned char marks[] = {0, 0xc0, 0xe0, 0xf0};
        char first = (char)(marks[more] | letter >> 6 * more);
        buffer_append(utf8, &first, 1);
        while (more-- > 0) {
            char next = (char)(0x80 | (letter >> 6 * more & 0x3f));
            buffer_append(utf8, &next, 1);
        }
    }
    return true;
}
