/* Time that only goes on. */
#ifndef CELLPIPE_CLOCK_H
#define CELLPIPE_CLOCK_H

#include <stdint.h>

/* Since some moment before the program began. */
uint64_t milliseconds_now(void);

#endif
