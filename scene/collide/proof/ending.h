/* When a search ends with what it has. */
#ifndef CELLPIPE_ENDING_H
#define CELLPIPE_ENDING_H

#include <stdbool.h>
#include <stdint.h>

#include "../../clock.h"

struct ending {
    uint64_t deadline;        /* in milliseconds_now; 0: none */
    bool (*asks)(void *user); /* any thread may ask it; NULL: nobody asks for an end */
    void *user;
};

static inline bool can_end_early(const struct ending *ending)
{
    return ending->deadline > 0 || ending->asks;
}

static inline bool has_ended(const struct ending *ending)
{
    return (ending->asks && ending->asks(ending->user)) ||
           (ending->deadline > 0 && milliseconds_now() >= ending->deadline);
}

#endif
