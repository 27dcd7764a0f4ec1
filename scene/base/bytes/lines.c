/* Counts the lines of a source, for messages. */
#include "bytes.h"

uint64_t source_line(const struct source *source, size_t offset)
{
    enum { BLOCK = 128 };
    const char *data = source->data;
    uint64_t line = 1;
    size_t i = 0, size = offset < source->size ? offset : source->size;
    /* Count in blocks without CR: the sum of so few fits a byte, so that the compiler takes many bytes at a time. */
    for (; size - i > BLOCK; i += BLOCK) {
        unsigned char feeds = 0, returns = 0;
        for (size_t k = 0; k < BLOCK; k++) {
            feeds = (unsigned char)(feeds + (data[i + k] == '\n'));
            returns |= data[i + k] == '\r';
        }
        if (returns)
            break;
        line += feeds;
    }
    for (; i < size; i++)
        line += data[i] == '\n' || (data[i] == '\r' && (i + 1 >= source->size || data[i + 1] != '\n'));
    return line;
}
