/* The files that a scene was made of. */
#ifndef CELLPIPE_INPUTS_H
#define CELLPIPE_INPUTS_H

#include <sys/stat.h>

#include "source.h"

struct input {
    const char *label; /* as outputs name it (source.h) */
    const char *path;  /* on the disk; "" for what cannot be read again: standard input, memory, a FIFO */
    uint64_t size;     /* of the file as it lies there */
    uint64_t changed;  /* when it was for the last time, in nanoseconds */
    cp_hash hash;      /* of its bytes, taken when they were read; zero: it was not taken */
};

struct inputs {
    struct input *items;
    uint32_t count, room;
};

static inline uint64_t time_of_change(const struct stat *info)
{
    return (uint64_t)info->st_mtim.tv_sec * UINT64_C(1000000000) + (uint64_t)info->st_mtim.tv_nsec;
}

/* The hash of the file's bytes as they lie there, packed or not: as taken when they were read, else by reading them
 * again. False when that cannot be done, for the reason *error (errno; 0: the file has changed since), or when there is
 * no path. */
bool input_hash(cp_context *context, const struct input *input, cp_hash *hash, int *error);

#endif
