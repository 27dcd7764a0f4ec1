/* Models in ZIP archives. */
#ifndef CELLPIPE_ZIPPED_H
#define CELLPIPE_ZIPPED_H

#include "bytes/inside.h"

/* The model in a top file that is a ZIP archive: its one file whose suffix an importer has, or the importer of that
 * format (not NULL). CP_NO, unreported, where the source is no such archive, is one of a format's own by its bytes or
 * suffix, or holds no model. CP_INPUT, reported, where it holds several or one that cannot be unpacked, or breaks off.
 * The caller closes the model, then the archive. */
cp_status zipped_open(const struct source *source, const char *format, struct archive **archive, struct source **model);

#endif
