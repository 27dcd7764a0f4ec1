/* The machine: for context.c. */
#ifndef CELLPIPE_MACHINE_H
#define CELLPIPE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

/* The bytes of memory that this process can have: the machine's, less if a control group or RLIMIT_AS allows less.
 * UINT64_MAX when nobody knows. */
uint64_t machine_memory(void);

#endif
