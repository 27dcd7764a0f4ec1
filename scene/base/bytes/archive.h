/* Packed bytes: gzip, and ZIP archives with the files in them. */
#ifndef CELLPIPE_BASE_BYTES_ARCHIVE_H
#define CELLPIPE_BASE_BYTES_ARCHIVE_H

#include "bytes.h"

/* zlib's memory through the context: for unpack.c and sink.c. */

/* z_stream's zalloc and zfree; its opaque is the cp_context. */
void *gzip_allocate(void *context, unsigned count, unsigned size);
void gzip_free(void *context, void *address);

/* ZIP archives (APPNOTE 6.3.3: end record, central directory, local headers): lists their files, and checks whether
 * each is whole. */

struct archive_file {
    const char *name; /* name_size bytes of the source, without NUL; perhaps with '\\' between folders */
    size_t name_size;
    struct packed packed;
    bool whole; /* its bytes are there, and its two headers agree */
    bool encrypted, readable;
};

/* A walk through the directory's records. */
struct archive_walk {
    const struct source *source;
    const char *at, *end;
    size_t before; /* bytes before the archive */
    uint32_t left; /* records */
};

bool is_archive(const struct source *source);
struct archive_walk archive_walk(const struct source *source);
/* Finds the next file. False after the last one, with walk->left at 0, and at a damaged one; then it stays above 0. */
bool archive_next(struct archive_walk *walk, struct archive_file *file);

/* Files in a ZIP archive, as further files of each other. */

struct archive;

/* Lists the files of the archive whose bytes the source has; the source outlives it. CP_NO, unreported, for an archive
 * that is damaged, or no archive. */
cp_status archive_open(const struct source *source, struct archive **archive);
void archive_close(struct archive *archive);
/* Returns the name of file number `index`, from 0, with '/' between folders; NULL behind the last one. */
const char *archive_name(const struct archive *archive, uint32_t index);
/* Unpacks that file: a source below the archive's own, whose further files are in the archive. CP_INPUT, reported, if
 * it is encrypted, packed by another method, or damaged. */
cp_status archive_unpack(struct archive *archive, uint32_t index, struct source **opened);
/* Does the same as source_open_near and source_open_picture, in the parent's archive, for source.c; a picture is
 * dispensable. */
cp_status archive_find(const struct source *parent, const char *name, const char *other, bool dispensable,
                       struct source **opened);

#endif
