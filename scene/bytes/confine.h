/* Folders below which further files may lie: for source.c. */
#ifndef CELLPIPE_CONFINE_H
#define CELLPIPE_CONFINE_H

#include <stdbool.h>

struct root {
    char
        *path; /* real: absolute, without links; NULL: not asked for yet, or no such folder, below which nothing lies */
    int file;  /* the folder */
};

/* Fills the root of a folder ("": the current one). Close it in any case. */
void root_open(struct root *root, const char *folder);
void root_close(struct root *root);
/* Whether the real path is the folder's or below it. */
bool root_holds(const struct root *root, const char *real);
/* Opens a file that it holds for reading, by its real path. Whatever somebody makes of that path in the meantime, it
 * stays below the folder: from there no link is followed. -1 and errno; ELOOP or ENOTDIR when there is a link now. */
int root_open_file(const struct root *root, const char *real);

#endif
