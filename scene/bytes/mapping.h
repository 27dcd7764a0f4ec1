/* A file's bytes as memory, brought in by the kernel when they are looked at: for source.c. */
#ifndef CELLPIPE_MAPPING_H
#define CELLPIPE_MAPPING_H

#include <stdbool.h>
#include <stddef.h>

struct mapping {
    char *data; /* size bytes and a NUL that no change of the file can touch; NULL: not mapped */
    size_t size;
    size_t forgotten; /* bytes from the start */
};

/* The first size bytes of an open file. False when it cannot be mapped or has fewer bytes; the caller reads it then.
 * Should somebody cut the file short while it is mapped, looking at bytes behind its new end raises SIGBUS. */
bool mapping_open(struct mapping *mapping, int file, size_t size);
/* Nobody will look at the first `size` bytes again soon: their memory may go, and comes back should somebody do so. */
void mapping_forget(struct mapping *mapping, size_t size);
/* An empty mapping is fine. */
void mapping_close(struct mapping *mapping);

#endif
