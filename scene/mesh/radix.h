/* Sorting in linear time, whatever the keys are. */
#ifndef CELLPIPE_RADIX_H
#define CELLPIPE_RADIX_H

#include <stdint.h>

/* Sorts entries by their high halves; those of equal ones stay in order. spare: room for as many. */
void radix_sort(uint64_t *entries, uint64_t *spare, uint32_t count);

#endif
