/* zlib frees without a size, so the size is kept before the block. */
#include "archive.h"

enum { HEAD = 16 }; /* keeps the block aligned for any type */

void *gzip_allocate(void *context, unsigned count, unsigned size)
{
    size_t bytes = (size_t)count * size + HEAD;
    char *block = memory_allocate(context, 1, bytes);
    if (!block)
        return NULL;
    *(size_t *)(void *)block = bytes;
    return block + HEAD;
}

void gzip_free(void *context, void *address)
{
    char *block = (char *)address - HEAD;
    memory_free(context, block, 1, *(size_t *)(void *)block);
}
