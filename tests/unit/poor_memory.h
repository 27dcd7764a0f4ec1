/* An allocator that runs out. */
#ifndef POOR_MEMORY_H
#define POOR_MEMORY_H

#include <stdlib.h>

/* For cp_allocator; user: how many allocations (long) succeed before all fail. */
static inline void *failing_resize(void *user, void *block, size_t old_size, size_t size)
{
    long *left = user;
    (void)old_size;
    if (size == 0) {
        free(block);
        return NULL;
    }
    if (*left == 0)
        return NULL;
    --*left;
    return realloc(block, size);
}

#endif
