/* Temporary files: .cellpipe-HOST-PID-RANDOM beside the output. For target.c and link.c. */
#ifndef CELLPIPE_TEMPORARY_H
#define CELLPIPE_TEMPORARY_H

#include "../memory.h"

/* A new name each time, in the path's folder. In the arena; NULL when out of memory. */
const char *temporary_name(struct arena *arena, const char *path);

#endif
