/* zlib's memory through the context: for unpack.c and sink.c. */
#ifndef CELLPIPE_GZIP_H
#define CELLPIPE_GZIP_H

#include "../memory.h"

/* z_stream's zalloc and zfree; its opaque is the cp_context. */
void *gzip_allocate(void *context, unsigned count, unsigned size);
void gzip_free(void *context, void *address);

#endif
