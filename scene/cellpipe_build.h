/* For hosts that bring their own data to cellpipe: files from their own store. Unstable: what this header declares may
 * change with any version, and cellpipe.h says what holds for both. */
#ifndef CELLPIPE_BUILD_H
#define CELLPIPE_BUILD_H

#include "cellpipe.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- files from the host's own store --------------------------------------------------------------- */

typedef struct cp_opener {
    size_t size; /* set by the caller */
    /* Gives the bytes of the file at a path: the one that cp_read was told, or one that a file names. Returns CP_OK,
     * CP_NO if there is no such file (another spelling or folder is tried then), or any other status, with which the
     * read ends. It makes no calls with the context. */
    cp_status (*open)(void *user, const char *path, const void **bytes, size_t *count);
    /* Takes bytes back that `open` gave, once they are copied; NULL: nothing is to be done. */
    void (*release)(void *user, const void *bytes, size_t count);
    void *user;
} cp_opener;
/* Has all files that are read come from the opener in place of the disk; NULL: from the disk again. Paths are joined
 * as they are for files on the disk ("robots/arm.wu" names "links/a.stl": "robots/links/a.stl"), but the host alone
 * decides what may be read: CP_FLAG_CONFINE means nothing. CP_USAGE without a size. */
CP_API cp_status cp_set_opener(cp_context *context, const cp_opener *opener);

#ifdef __cplusplus
}
#endif
#endif
