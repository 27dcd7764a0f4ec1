/* Work in several threads. */
#ifndef CELLPIPE_PARALLEL_H
#define CELLPIPE_PARALLEL_H

#include "memory.h"

/* One of many pieces of work. worker tells the threads apart (0 .. parallel_workers - 1): for scratch memory. It touches its
 * own item's and worker's memory alone, and makes no call that takes a context: allocate before, report after. */
typedef void parallel_work(void *user, uint32_t item, uint32_t worker);

/* How many threads parallel_for takes for so many items: at least 1, at most cp_set_threads' number. */
uint32_t parallel_workers(const cp_context *context, uint32_t item_count);

/* Calls work once for each item 0 .. item_count - 1 (at most 2^31), in any order; the calling thread takes its share. False when the job
 * was cancelled: then some items have not been worked on, and the caller returns CP_LIMIT. */
bool parallel_for(cp_context *context, uint32_t item_count, parallel_work *work, void *user);

#endif
