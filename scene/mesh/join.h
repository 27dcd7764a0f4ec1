/* Joining equal rows of 32-bit words: the one hash table behind vertices, edges and welds. */
#ifndef CELLPIPE_JOIN_H
#define CELLPIPE_JOIN_H

#include "../memory.h"

/* Row i is `words` 32-bit words at rows + 4 * stride * i bytes (stride >= words >= 1). first[i] becomes the lowest
 * index of a row with the same bits. first: count entries, the caller's. Expected linear time for any rows: the hash
 * has the context's seed, which cannot be seen in the result. False when out of memory. */
bool join_rows(cp_context *context, const void *rows, size_t stride, size_t words, uint32_t count, uint32_t *first);

/* Replaces the lowest equal indices of join_rows by dense ones, 0, 1, 2 ... in order of first use; returns how many. */
uint32_t join_number(uint32_t *first, uint32_t count);

#endif
