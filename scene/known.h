/* Formats that cellpipe knows and does not read. */
#ifndef CELLPIPE_KNOWN_H
#define CELLPIPE_KNOWN_H

#include "bytes/source.h"

/* What the file is and what to do with it, as the end of a sentence that begins with its name; NULL: nobody knows. No
 * file that an importer reads is named. */
const char *known_format(const struct source *source);
/* The same for kinds of which some files are read: of an archive that no reader knows, and of a .blend file that its
 * reader has refused. */
const char *known_archive(const struct source *source);
const char *known_refusal(const struct source *source);

#endif
