/* Work in several threads. */
#ifndef CELLPIPE_PARALLEL_H
#define CELLPIPE_PARALLEL_H

#include "memory.h"

/* One of many pieces of work. worker tells the threads apart (0 .. parallel_workers - 1): for scratch memory. It
 * touches its own item's and worker's memory alone, and makes no call that takes a context: allocate before, report
 * after. */
typedef void parallel_work(void *user, uint32_t item, uint32_t worker);

/* How many threads parallel_for takes for so many items: at least 1, at most cp_set_threads' number. */
uint32_t parallel_workers(const cp_context *context, uint32_t item_count);

/* Calls work once for each item 0 .. item_count - 1 (at most 2^31), in any order; the calling thread takes its share.
 * False when the job was cancelled: then some items have not been worked on, and the caller returns CP_LIMIT. */
bool parallel_for(cp_context *context, uint32_t item_count, parallel_work *work, void *user);

/* Takes item's result over, in the calling thread, which may use the context. False ends the job. */
typedef bool parallel_consume(void *user, uint32_t item, uint32_t slot);

/* How many results parallel_in_order keeps at a time: 1 .. MOST_SLOTS. */
enum { MOST_SLOTS = 32 };
uint32_t parallel_slots(const cp_context *context, uint32_t item_count);

/* Makes the items in several threads and hands their results to the calling thread in order, meanwhile. make is as for
 * parallel_for, but what it gets is the slot that its result belongs into, 0 .. parallel_slots - 1: no other item has
 * it until the result is consumed. False when consume was false or the job was cancelled. */
bool parallel_in_order(cp_context *context, uint32_t item_count, parallel_work *make, parallel_consume *consume,
                       void *user);

#endif
