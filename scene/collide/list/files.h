/* A list of exclusions as it lies on the disk: a file, and with evidence beside it the further files that this
 * names. */
#ifndef CELLPIPE_LIST_FILES_H
#define CELLPIPE_LIST_FILES_H

#include "evidence.h"

/* Whether there is evidence beside the list; then it is read. Call evidence_free even on failure. */
cp_status list_find_evidence(struct evidence *evidence, cp_context *context, const char *path, bool *evident);
/* All of the list's files in one scene: what they name are placeholders. *list is NULL on failure. */
cp_status list_read_files(cp_context *context, const char *path, const struct evidence *evidence, cp_scene **list);

#endif
