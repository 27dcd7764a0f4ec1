/* ZIP archives (APPNOTE 6.3.3: end record, central directory, local headers): what is in them, and whether it is whole.
 */
#ifndef CELLPIPE_ARCHIVE_H
#define CELLPIPE_ARCHIVE_H

#include "unpack.h"

struct archive_file {
    const char *name; /* name_size bytes of the source, without NUL; perhaps with '\\' between folders */
    size_t name_size;
    struct packed packed;
    bool whole; /* its bytes are there, and its two headers agree */
    bool encrypted, readable;
};

/* The directory's records one after the other. */
struct archive_walk {
    const struct source *source;
    const char *at, *end;
    size_t before; /* bytes before the archive */
    uint32_t left; /* records */
};

bool is_archive(const struct source *source);
struct archive_walk archive_walk(const struct source *source);
/* The next file. False after the last one, with walk->left at 0, and at a damaged one; then it stays above 0. */
bool archive_next(struct archive_walk *walk, struct archive_file *file);

#endif
