/* Compressed bytes in: gzip files, and the parts of archives. */
#ifndef CELLPIPE_UNPACK_H
#define CELLPIPE_UNPACK_H

#include "source.h"

/* Whether so many packed bytes may have expanded so far: CP_LIMIT, reported, for a bomb, long before it fills the
 * memory. what: "" or the words before "expands". */
cp_status unpack_check_expanded(const struct source *source, const char *what, uint64_t packed, uint64_t expanded);

bool is_gzip(const char *data, size_t size);
/* Appends what the source's gzip'd bytes hold, with a NUL after the last byte. A stream that breaks off gives what
 * there is of it, and *ends_early. */
cp_status unpack_gzip(const struct source *source, struct buffer *plain, bool *ends_early);

/* A part of a source as ZIP archives hold it: stored or deflated. */
struct packed {
    const char *data;
    size_t size;
    bool deflated;
    uint32_t full_size, checksum; /* expanded */
};
/* Whether size and checksum are right. Expands it piece by piece, up to the limit. */
cp_status unpack_check(const struct source *source, const struct packed *packed, bool *whole);
/* The same, and its bytes in the buffer, which is empty before; a NUL follows the last one. *expanded: what the parts
 * of the source have expanded to, which the limit holds for. */
cp_status unpack_part(const struct source *source, const struct packed *packed, struct buffer *plain,
                      uint64_t *expanded, bool *whole);

#endif
