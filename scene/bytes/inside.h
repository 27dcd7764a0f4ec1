/* Files in a ZIP archive, as further files of each other. */
#ifndef CELLPIPE_INSIDE_H
#define CELLPIPE_INSIDE_H

#include "source.h"

struct archive;

/* The files of the archive whose bytes the source has; the source outlives it. CP_NO, unreported, for an archive that
 * is damaged, or no archive. */
cp_status archive_open(const struct source *source, struct archive **archive);
void archive_close(struct archive *archive);
/* The name of file number `index`, from 0, with '/' between folders; NULL behind the last one. */
const char *archive_name(const struct archive *archive, uint32_t index);
/* Unpacks that file: a source below the archive's own, whose further files are in the archive. CP_INPUT, reported, if
 * it is encrypted, packed by another method, or damaged. */
cp_status archive_unpack(struct archive *archive, uint32_t index, struct source **opened);
/* For source.c: as source_open_near and source_open_picture, in the parent's archive; a picture is dispensable. */
cp_status archive_find(const struct source *parent, const char *name, const char *other, bool dispensable,
                       struct source **opened);

#endif
