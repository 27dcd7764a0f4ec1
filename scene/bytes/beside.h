/* Files beside the one that names them, under names as other systems write them. */
#ifndef CELLPIPE_BESIDE_H
#define CELLPIPE_BESIDE_H

#include "source.h"

/* The file that `name`, as it stands in the file `parent`, means on another system: letters may be of another case, '\'
 * may part folders; and of an absolute path ("/home/x/a.png", "C:\x\a.png", "\\server\x\a.png", a file URI) only the
 * last part counts. *path is relative to the folder of `parent`, in the arena, and exists. CP_NO without such a file,
 * for URIs of other schemes, and for paths that leave the folder. *entries counts those of the folders that were
 * compared, and is bounded: beyond, nothing is found. */
cp_status find_beside(const struct source *parent, struct arena *arena, const char *name, uint64_t *entries,
                      const char **path);
/* What the name would be there as a path relative to the folder, whether or not it exists, in the arena; NULL if it can
 * be none, or when out of memory (*failed). */
char *beside_path(struct arena *arena, const char *name, bool *failed);

#endif
