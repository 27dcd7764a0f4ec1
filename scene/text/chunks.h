/* Large outputs: chunks of bytes, made in several threads and written in order. */
#ifndef CELLPIPE_CHUNKS_H
#define CELLPIPE_CHUNKS_H

#include "../bytes/sink.h"
#include "../parallel.h"

struct chunks {
    uint32_t count;
    size_t largest; /* bytes that a chunk takes at most */
    /* Puts a chunk's bytes to out and returns the end of them. A call of parallel_in_order's: no context; what it
     * keeps from call to call belongs to its slot. */
    char *(*make)(void *user, uint32_t chunk, uint32_t slot, char *out);
    void *user;
};

/* Memory for a few chunks a thread is all that it takes. */
cp_status write_chunks(cp_context *context, struct sink *sink, const struct chunks *chunks);

#endif
